// How far the fetch of instructions runs ahead of a warp that waits: straight code of units, each with C dependent loads from
// shared memory and U FFMAs after them, once as long as the L0 cache holds (1,024 instructions) and once longer (4,096). The
// difference per line of eight instructions is what its fetch costs. One SM, the last of four laps of the first warp.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define FMA(R) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(R) : "f"(k));
__device__ __forceinline__ uint32_t now() { unsigned long long t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory"); return (uint32_t)t; }
struct State { float a, b, c, d, k; uint32_t at; };
// M units, unrolled whatever the compiler thinks of it.
template <int M, int U, int C> struct Units { static __device__ __forceinline__ void run(State& s) { Units<M / 2, U, C>::run(s); Units<M - M / 2, U, C>::run(s); } };
template <int U, int C> struct Units<1, U, C> { static __device__ __forceinline__ void run(State& s) { float k = s.k;
#pragma unroll
  for (int i = 0; i < C; i++) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(s.at));
  if (C) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(s.a) : "f"(k), "f"(__uint_as_float(s.at)));
#pragma unroll
  for (int i = C ? 1 : 0; i < U; i++) { if (i % 4 == 0) FMA(s.a) else if (i % 4 == 1) FMA(s.b) else if (i % 4 == 2) FMA(s.c) else FMA(s.d) } } };
template <int N, int U, int C> __global__ void ahead(uint32_t* __restrict__ out, float k) {
  __shared__ uint32_t self[32]; uint32_t at = (uint32_t)__cvta_generic_to_shared(self); if (threadIdx.x < 32) self[threadIdx.x] = at; __syncthreads();
  State s = {(float)threadIdx.x, 1, 2, 3, k, at}; uint32_t t0 = 0, t1 = 0;
#pragma unroll 1
  for (int lap = 0; lap < 4; lap++) { t0 = now(); Units<N / (U + C), U, C>::run(s); t1 = now(); }
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = t1 - t0;
  if (s.a + s.b + s.c + s.d == -1) out[0] = s.at; }
static uint32_t* out_;
template <int U, int C> void point() {
  printf("%d FFMAs, %d loads:", U, C);
  for (int warps : {1, 4, 8, 16}) { double per[2]; uint32_t h[2];
    ahead<1024, U, C><<<1, 32 * warps>>>(out_, 0.5f); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h, out_, 4, cudaMemcpyDeviceToHost)); per[0] = h[0] / double(1024 / (U + C));
    ahead<4096, U, C><<<1, 32 * warps>>>(out_, 0.5f); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h + 1, out_, 4, cudaMemcpyDeviceToHost)); per[1] = h[1] / double(4096 / (U + C));
    printf(" | %d warps: unit %.1f and %.1f, line +%.2f", warps, per[0], per[1], (per[1] - per[0]) * 8 / (U + C)); }
  printf("\n"); }
template <int U> void row() { point<U, 1>(); point<U, 2>(); point<U, 4>(); point<U, 8>(); }
int main() { CHECK(cudaMalloc(&out_, 4096)); point<8, 0>(); row<7>(); row<15>(); row<24>(); row<31>(); row<48>(); row<63>(); row<96>(); row<127>(); }
