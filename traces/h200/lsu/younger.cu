// Of two blocks of one SM some warps of sub-partition 0 store to 32 or 16 lines 64 times, and others exchange lanes 16 times: masks of eight warps, four of
// the first block and four of the second. Prints every event in order: its cycle, the warp, and whether it stores (s), exchanges (X) or has the result (r).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
extern "C" __global__ void __launch_bounds__(512) k_trace2(uint32_t* out, uint32_t* told, int exchanging, int storing, int per) {
  uint32_t sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)); if (sm != 0) return;
  __shared__ uint32_t number; uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32, sub = warp % 4, nth = warp / 4;
  if (t == 0) { number = atomicAdd(told + 4095, 1); }
  uint32_t r[32];
#pragma unroll
  for (int k = 0; k < 32; k++) r[k] = 0;
  __syncthreads(); uint32_t a = now(), n = number;
  while (atomicAdd(told + 4095, 0) < 2) ; // both are there
  exchanging >>= n * 4; storing >>= n * 4;
  a = now();
  if (sub == 0 && (exchanging >> nth & 1)) {
    uint32_t v = lane;
#pragma unroll
    for (int k = 0; k < 16; k++) { uint32_t t1, t2, w;
      asm volatile("{\n.reg .pred p, q;\n.reg .u32 x;\nsetp.eq.u32 p, %3, 77777777;\nshfl.sync.bfly.b32 x|q, %3, 1, 31, -1;\n@p mov.u32 %0, %%clock_hi;\n@!p mov.u32 %0, %%clock;\nsetp.eq.u32 p, x, 77777777;\n@p trap;\nsetp.eq.u32 q, x, 77777778;\n@q mov.u32 %1, %%clock_hi;\n@!q mov.u32 %1, %%clock;\nmov.u32 %2, x;\n}" : "=r"(t1), "=r"(t2), "=r"(w) : "r"(v) : "memory");
      r[k] = (t1 & 65535) | t2 << 16; v = w + (t2 & 1); }
  } else if (sub == 0 && (storing >> nth & 1)) {
    uint32_t* p = out + (n * 16 + warp) * 8192 + lane * per;
#pragma unroll
    for (int k = 0; k < 64; k++) { uint32_t t1; asm volatile("{\n.reg .pred p;\nsetp.eq.u32 p, %2, 77777777;\nst.global.u32 [%1], %2;\n@p mov.u32 %0, %%clock_hi;\n@!p mov.u32 %0, %%clock;\n}" : "=r"(t1) : "l"(p + k % 8), "r"(lane ^ a) : "memory"); r[k / 2] |= (t1 & 65535) << (k % 2 * 16); }
  }
  if (lane == 0) { for (int k = 0; k < 32; k++) told[(n * 16 + warp) * 32 + k] = r[k]; if (warp == 0) told[2048 + n] = a; }
}
int main() {
  uint32_t *out, *told; static uint32_t h[4096]; CHECK(cudaMalloc(&out, 1 << 25)); CHECK(cudaMalloc(&told, 16384));
  int all[][3] = {{0x10, 0x0f, 32}, {0x30, 0x0f, 32}, {0xf0, 0x0f, 32}, {0x01, 0xf0, 32}, {0x0f, 0xf0, 32}, {0, 0xff, 32}, {0xf0, 0x03, 32}, {0xf0, 0x01, 32}, {0x30, 0x0f, 16}};
  for (auto& c : all) {
    for (int rep = 0; rep < 2; rep++) { CHECK(cudaMemset(told, 0, 16384)); k_trace2<<<264, 512>>>(out, told, c[0], c[1], c[2]); CHECK(cudaDeviceSynchronize()); }
    CHECK(cudaMemcpy(h, told, sizeof h, cudaMemcpyDeviceToHost));
    std::vector<std::pair<uint32_t, int>> e; uint32_t base = std::min(h[2048], h[2049]) & 65535;
    for (int n = 0; n < 8; n++) for (int k = 0; k < 32; k++) { uint32_t v = h[n * 4 * 32 + k];
      auto add = [&](uint32_t t, int kind) { e.push_back({(t - base) & 65535, n * 4 + kind}); };
      if (c[0] >> n & 1) { if (k < 16) { add(v & 65535, 1); add(v >> 16, 2); } }
      else if (c[1] >> n & 1) { add(v & 65535, 0); add(v >> 16, 0); } }
    std::sort(e.begin(), e.end());
    printf("exchange %x store %x per %d clock %u\n", c[0], c[1], c[2], base);
    for (auto [t, w] : e) printf("%u %d %s\n", t, w / 4, w % 4 == 0 ? "s" : w % 4 == 1 ? "X" : "r");
  }
}
