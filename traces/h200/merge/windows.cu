// Two stores of a word to the same lines, so many cycles apart, of lanes that store to lines of their own: what of the second finds its line, how
// many leave, and what a load finds much later. Each launch is one row of the profiler, of one SM; the program prints the cycles between the stores.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t c; asm volatile("mov.u32 %0, %clock;" : "=r"(c) :: "memory"); return c; }
__device__ __forceinline__ void store(char* p, uint32_t v) { asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }
__device__ __forceinline__ uint32_t load(const char* p) { uint32_t v; asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
template <int CHAIN> __device__ void body(char* out, uint32_t* cycles, int lanes, int pitch, int then, int rounds) {
  uint32_t t = threadIdx.x, w = t / 32, lane = t % 32, sum = 0, gap = 0;
  for (int r = 0; r < rounds; r++) {
    char* p = out + ((size_t)r * (blockDim.x / 32) + w) * 8192 + lane * pitch;
    __syncthreads(); long long s = clock64() + 2000; while (clock64() < s) { }
    if (lane < lanes) {
      uint32_t a = now(); store(p, t); uint32_t b = now(); float x = __uint_as_float(b);
#pragma unroll
      for (int k = 0; k < CHAIN; k++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
      uint32_t v = __float_as_uint(x); asm volatile("" : "+r"(v) :: "memory");
      uint32_t c = now(); store(p + 4, v); gap += c - a;
    }
    s += 2000; while (clock64() < s) { }
    if (then && lane < lanes) sum += load(p) + load(p + 4);
  }
  if (lane == 0) cycles[w] = gap; if (sum == 0x12345678) *out = 0;
}
#define K(C) extern "C" __global__ void __launch_bounds__(1024) k_windows_##C(char* out, uint32_t* cycles, int lanes, int pitch, int then, int rounds) { body<C>(out, cycles, lanes, pitch, then, rounds); }
#define ALL K(0) K(2) K(4) K(6) K(8) K(10) K(12) K(14) K(16) K(18) K(20) K(24) K(32)
ALL
#undef K
#define K(C) k_windows_##C,
int main() {
  char* a; uint32_t* c; CHECK(cudaMalloc(&a, 1 << 28)); CHECK(cudaMallocManaged(&c, 4096)); const int rounds = 16;
  void (*f[])(char*, uint32_t*, int, int, int, int) = {ALL};
  const int chain[] = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 32};
  auto run = [&](int k, int warps, int lanes, int pitch) {
    f[k]<<<1, warps * 32>>>(a, c, lanes, pitch, 1, rounds); CHECK(cudaDeviceSynchronize());
    printf("chain %d, %d warps of %d lanes, %d bytes apart, %.1f cycles apart\n", chain[k], warps, lanes, pitch, c[0] / double(rounds));
  };
  for (int pitch : {128, 132}) for (int lanes : {8, 16, 24, 26, 28, 29, 30, 31, 32}) for (int k = 0; k < 13; k++) run(k, 1, lanes, pitch);
  for (int pitch : {128, 132}) for (int warps : {2, 3, 4}) for (int lanes : {6, 8, 10, 12, 16, 32}) for (int k = 0; k < 13; k += 2) run(k, warps, lanes, pitch);
}
