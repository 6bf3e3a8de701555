// Stores of one SM to lines that it has just stored to, word after word, beside stores to new lines: cycles that each takes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
// Each warp stores 256 times to `lines` lines of its own, the k-th time to word k of `words` in each, and goes on to new lines by `step`.
extern "C" __global__ void __launch_bounds__(1024) k_again(uint32_t* out, uint32_t* times, int lines, int words, int step) {
  uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32; int each = 32 / lines;
  uint32_t* p = out + warp * 131072 + lane / each * 32 + lane % each; int stride = each > 8 ? 0 : each;
  __syncthreads(); uint32_t a = now();
  for (int i = 0; i < 16; i++) {
#pragma unroll
    for (int k = 0; k < 16; k++) { asm volatile("st.global.u32 [%0], %1;" :: "l"(p + k % words * stride), "r"(i) : "memory"); p += step * lines; }
  }
  __syncthreads(); uint32_t b = now();
  if (threadIdx.x == 0) times[0] = b - a;
}
int main() {
  uint32_t *out, *times, h; CHECK(cudaMalloc(&out, 1 << 25)); CHECK(cudaMalloc(&times, 256)); CHECK(cudaMemset(out, 0, 1 << 25));
  for (int lines : {4, 8, 16, 32}) for (int words : {1, 2, 4, 8}) for (int step : {0, 32}) for (int warps : {1, 2, 4, 8, 16}) {
    if (step && words > 1) continue;
    for (int r = 0; r < 2; r++) { k_again<<<1, 32 * warps>>>(out, times, lines, words, step); CHECK(cudaDeviceSynchronize()); }
    CHECK(cudaMemcpy(&h, times, 4, cudaMemcpyDeviceToHost));
    printf("%d lines %s %d words %d warps: %.1f cycles a store\n", lines, step ? "new" : "same", words, warps, h / 256.0 / warps);
  }
}
