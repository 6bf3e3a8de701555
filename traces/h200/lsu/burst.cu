// Warps of one or all sub-partitions store to or add to words of 32 lines, or load 32 words of one bank, 16 times without anything between: when each
// of eight such bursts begins and ends.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
template <int KIND> __device__ void body(uint32_t* out, uint32_t* told, int storing, int subs) {
  __shared__ uint32_t s[1024];
  uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32, sub = warp % 4, nth = warp / 4;
  uint32_t r[16]; s[t] = t;
#pragma unroll
  for (int k = 0; k < 16; k++) r[k] = 0;
  __syncthreads(); uint32_t a = now();
  if (sub < subs && nth < storing) {
    uint32_t* p = out + warp * 8192 + lane * 32; uint32_t v = lane ^ a; uint32_t q = (uint32_t)__cvta_generic_to_shared(s) + lane * 128 % 4096;
#pragma unroll
    for (int b = 0; b < 8; b++) { r[2 * b] = now() - a;
#pragma unroll
      for (int k = 0; k < 16; k++) {
        if (KIND == 0) asm volatile("st.global.u32 [%0], %1;" :: "l"(p + k % 8), "r"(v) : "memory");
        if (KIND == 1) { uint32_t d; asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(d) : "r"(q + k % 8 * 4) : "memory"); }
        if (KIND == 2) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(p + k % 8), "r"(v) : "memory"); }
      r[2 * b + 1] = now() - a; }
  }
  __syncthreads();
  if (lane == 0) for (int k = 0; k < 16; k++) told[warp * 16 + k] = r[k];
}
#define K(N, KIND) extern "C" __global__ void __launch_bounds__(1024) N(uint32_t* out, uint32_t* told, int storing, int subs) { body<KIND>(out, told, storing, subs); }
K(k_burst_store, 0) K(k_burst_shared, 1) K(k_burst_reduce, 2)
int main() {
  uint32_t *out, *told, h[512]; CHECK(cudaMalloc(&out, 1 << 25)); CHECK(cudaMalloc(&told, 4096));
  struct { const char* name; void (*f)(uint32_t*, uint32_t*, int, int); } kernels[] = {{"store", k_burst_store}, {"shared", k_burst_shared}, {"reduce", k_burst_reduce}};
  for (auto& k : kernels) for (int subs : {1, 4}) for (int storing : {1, 2, 4, 8}) {
    for (int rep = 0; rep < 2; rep++) { k.f<<<1, 1024>>>(out, told, storing, subs); CHECK(cudaDeviceSynchronize()); }
    CHECK(cudaMemcpy(h, told, sizeof h, cudaMemcpyDeviceToHost));
    printf("%s warps %d subs %d:", k.name, storing, subs);
    for (int n = 0; n < storing; n++) { printf(" w%d", n); for (int b = 0; b < 8; b++) printf(" %u-%u", h[n * 4 * 16 + 2 * b], h[n * 4 * 16 + 2 * b + 1]); }
    printf("\n");
  }
}
