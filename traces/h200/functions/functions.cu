// Every result of a special function over whole ranges of its argument, as the difference in units of the last place to the correctly rounded one.
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <vector>
#include <string>
#define FN(name, op, ref) struct name { static __device__ float f(float x) { float r; asm(op : "=f"(r) : "f"(x)); return r; } static __device__ double d(double x) { return ref; } };
FN(Rcp, "rcp.approx.ftz.f32 %0, %1;", 1.0 / x)
FN(Rsq, "rsqrt.approx.ftz.f32 %0, %1;", 1.0 / sqrt(x))
FN(Sqrt, "sqrt.approx.ftz.f32 %0, %1;", sqrt(x))
FN(Lg2, "lg2.approx.ftz.f32 %0, %1;", log2(x))
FN(Ex2, "ex2.approx.ftz.f32 %0, %1;", exp2(x))
FN(Sin, "sin.approx.ftz.f32 %0, %1;", sin(x))
FN(Cos, "cos.approx.ftz.f32 %0, %1;", cos(x))
FN(Tanh, "tanh.approx.f32 %0, %1;", tanh(x))
template <class F> __global__ void k(uint32_t base, uint32_t* raw, int16_t* delta) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; float x = __uint_as_float(base + i), y = F::f(x); raw[i] = __float_as_uint(y);
  int64_t e = (int64_t)__float_as_int(y) - (int64_t)__float_as_int((float)F::d((double)x)); delta[i] = e > 32767 ? 32767 : e < -32767 ? -32767 : (int16_t)e;
}
template <class F> void dump(const char* name, uint32_t base) {
  uint32_t n = 1u << 23, *raw; int16_t* delta; cudaMalloc(&raw, 4u * n); cudaMalloc(&delta, 2u * n);
  k<F><<<n / 256, 256>>>(base, raw, delta); std::vector<int16_t> h(n); std::vector<uint32_t> r(n); cudaMemcpy(h.data(), delta, 2u * n, cudaMemcpyDeviceToHost); cudaMemcpy(r.data(), raw, 4u * n, cudaMemcpyDeviceToHost);
  uint64_t sum = 0; for (uint32_t i = 0; i < n; i++) sum = sum * 6364136223846793005ull + r[i]; int lo = 0, hi = 0; for (auto v : h) { if (v < lo) lo = v; if (v > hi) hi = v; }
  char path[200]; sprintf(path, "out/%s_%08x.i16", name, base); FILE* f = fopen(path, "wb"); fwrite(h.data(), 2, n, f); fclose(f);
  printf("%s base %08x delta %d..%d hash %016llx first %08x %08x\n", name, base, lo, hi, (unsigned long long)sum, r[0], r[1]); cudaFree(raw); cudaFree(delta);
}
template <class F> __global__ void one(const uint32_t* in, uint32_t* out, int n) { int i = threadIdx.x; if (i < n) out[i] = __float_as_uint(F::f(__uint_as_float(in[i]))); }
template <class F> void specials(const char* name) {
  std::vector<uint32_t> v; for (uint32_t s : {0u, 0x80000000u}) for (uint32_t b : {0u, 1u, 0x400000u, 0x7fffffu, 0x800000u, 0x1000000u, 0x3f000000u, 0x3f7fffffu, 0x3f800000u, 0x3f800001u, 0x42fc0000u, 0x42fe0000u, 0x43000000u, 0x43160000u, 0x47000000u, 0x7e800000u, 0x7f000000u, 0x7f7fffffu, 0x7f800000u, 0x7fc00000u, 0x7f800001u}) v.push_back(s | b);
  uint32_t *a, *b; cudaMalloc(&a, 4 * v.size()); cudaMalloc(&b, 4 * v.size()); cudaMemcpy(a, v.data(), 4 * v.size(), cudaMemcpyHostToDevice); one<F><<<1, 64>>>(a, b, v.size()); std::vector<uint32_t> r(v.size()); cudaMemcpy(r.data(), b, 4 * v.size(), cudaMemcpyDeviceToHost);
  printf("%s specials:", name); for (size_t i = 0; i < v.size(); i++) printf(" %08x>%08x", v[i], r[i]); printf("\n");
}
template <int R> __global__ void high(uint32_t base, int16_t* delta) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; double x = __hiloint2double(base + i, 0), y; if (R) asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x)); else asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  double ref = R ? 1.0 / sqrt(x) : 1.0 / x; delta[i] = (int16_t)(__double2hiint(y) - __double2hiint(ref)); if (i < 4) printf("high %d %08x > %08x %08x\n", R, base + i, __double2hiint(y), __double2loint(y));
}
template <int R> void dump_high(const char* name, uint32_t base) { uint32_t n = 1u << 20; int16_t* d; cudaMalloc(&d, 2 * n); high<R><<<n / 256, 256>>>(base, d); std::vector<int16_t> h(n); cudaMemcpy(h.data(), d, 2 * n, cudaMemcpyDeviceToHost); char path[200]; sprintf(path, "out/%s_%08x.i16", name, base); FILE* f = fopen(path, "wb"); fwrite(h.data(), 2, n, f); fclose(f); }
int main() { dump_high<0>("rcp64h", 0x3ff00000); dump_high<1>("rsq64h", 0x3ff00000); dump_high<1>("rsq64h", 0x40000000);
  auto E = [](int e) { return (uint32_t)(127 + e) << 23; };
  dump<Rcp>("rcp", E(0)); dump<Rcp>("rcp", E(5)); dump<Rsq>("rsq", E(0)); dump<Rsq>("rsq", E(1)); dump<Sqrt>("sqrt", E(0)); dump<Sqrt>("sqrt", E(1));
  dump<Lg2>("lg2", E(0)); dump<Lg2>("lg2", E(-1)); dump<Lg2>("lg2", E(1)); dump<Lg2>("lg2", E(7)); dump<Lg2>("lg2", E(-40));
  for (int e : {-12, -6, -2, -1, 0, 1, 4}) dump<Ex2>("ex2", E(e)); for (int e : {-6, -1, 0, 3}) dump<Ex2>("ex2", 0x80000000u | E(e));
  for (int e : {-8, -3, -1, 0, 1, 2, 4}) { dump<Sin>("sin", E(e)); dump<Cos>("cos", E(e)); } dump<Sin>("sin", 0x80000000u | E(1)); dump<Cos>("cos", 0x80000000u | E(1));
  for (int e : {-10, -5, -3, -2, -1, 0, 1, 2, 3}) dump<Tanh>("tanh", E(e));
  specials<Rcp>("rcp"); specials<Rsq>("rsq"); specials<Sqrt>("sqrt"); specials<Lg2>("lg2"); specials<Ex2>("ex2"); specials<Sin>("sin"); specials<Cos>("cos"); specials<Tanh>("tanh");
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
