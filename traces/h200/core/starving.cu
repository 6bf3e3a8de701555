// Blocks of one SM whose warps store to 32 or 16 lines each, 64 times, after so many lane exchanges: when each store issues, in cycles
// from the first block on (clock: what the clock of the SM said then), in steps of eight.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
extern "C" __global__ void __launch_bounds__(256) k_blocks(uint32_t* out, uint32_t* told, int subs, int lines, int exchanges) {
  uint32_t sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (sm != 0) return;
  uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32, sub = warp % 4;
  __shared__ uint32_t number; if (t == 0) number = atomicAdd(told, 1);
  __syncthreads();
  uint32_t n = number * 8 + warp, a; asm volatile("mov.u32 %0, %%clock;" : "=r"(a) :: "memory");
  uint32_t r[32];
#pragma unroll
  for (int k = 0; k < 32; k++) r[k] = 0;
  if (sub < subs) {
    uint32_t v = lane ^ a;
    for (int k = 0; k < exchanges; k++) v = __shfl_xor_sync(~0u, v, 1) + 1;
    uint32_t* p = out + n * 8192 + lane * (lines == 32 ? 32 : 16);
#pragma unroll
    for (int k = 0; k < 64; k++) { uint32_t t1; asm volatile("{\n.reg .pred p;\nsetp.eq.u32 p, %2, 77777777;\nst.global.u32 [%1], %2;\n@p mov.u32 %0, %%clock_hi;\n@!p mov.u32 %0, %%clock;\n}" : "=r"(t1) : "l"(p + k % 16), "r"(v) : "memory"); r[k / 2] |= (t1 >> 3 & 65535) << (k % 2 * 16); }
  }
  if (lane == 0) { told[1024 + n] = a; told[2048 + n] = blockIdx.x; for (int k = 0; k < 32; k++) told[4096 + n * 32 + k] = r[k]; }
}
int main() {
  uint32_t *out, *told; static uint32_t h[16384]; CHECK(cudaMalloc(&out, 1 << 26)); CHECK(cudaMalloc(&told, 65536));
  int all[][3] = {{1, 32, 0}, {4, 32, 0}, {4, 16, 0}, {4, 16, 5}, {1, 16, 5}};
  for (auto& c : all) {
    for (int rep = 0; rep < 2; rep++) { CHECK(cudaMemset(told, 0, 65536)); k_blocks<<<132 * 8, 256>>>(out, told, c[0], c[1], c[2]); CHECK(cudaDeviceSynchronize()); }
    CHECK(cudaMemcpy(h, told, sizeof h, cudaMemcpyDeviceToHost));
    uint32_t blocks = h[0], first = ~0u; for (uint32_t n = 0; n < blocks * 8; n++) first = std::min(first, h[1024 + n]);
    printf("subs %d lines %d exchanges %d: blocks %u clock %u\n", c[0], c[1], c[2], blocks, first);
    for (uint32_t n = 0; n < blocks * 8; n++) { if (int(n % 4) >= c[0]) continue; printf("%u.%u start %u:", h[2048 + n], n % 8, h[1024 + n] - first);
      for (int k = 0; k < 64; k++) { uint32_t v = h[4096 + n * 32 + k / 2] >> (k % 2 * 16) & 65535; printf(" %u", ((v - (first >> 3)) & 65535) * 8); } printf("\n"); }
  }
}
