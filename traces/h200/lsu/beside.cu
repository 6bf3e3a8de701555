// Warps of one sub-partition exchange lanes while others of it, and some of the other three, store to 32 lines over and over:
// how long an exchange waits to issue, and then for its result; how often each warp stores.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ uint32_t shuffle(uint32_t v) { uint32_t r; asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(r) : "r"(v) : "memory"); return r; }
// Of the eight warps of sub-partition 0 those from `first` on exchange, `count` of them; others store. Of each other sub-partition
// `others` warps store.
extern "C" __global__ void __launch_bounds__(1024) k_exchange_beside(uint32_t* out, uint32_t* told, int first, int count, int stores, int others) {
  __shared__ volatile uint32_t done; 
  uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32, sub = warp % 4, nth = warp / 4, n = 0;
  if (t == 0) done = 0;
  __syncthreads();
  uint32_t a = now();
  bool exchanges = sub == 0 && nth >= first && nth < first + count;
  bool storing = sub == 0 ? !exchanges && nth < stores + (nth >= first ? count : 0) : nth < others;
  if (exchanges) {
    uint32_t v = lane, issue = 0, result = 0;
#pragma unroll 1
    for (int k = 0; k < 48; k++) {
      uint32_t t0, t1, t2, w;
      asm volatile("{\n.reg .pred p, q;\n.reg .u32 x;\nsetp.eq.u32 p, %4, 77777777;\nmov.u32 %0, %%clock;\nshfl.sync.bfly.b32 x|q, %4, 1, 31, -1;\n@p mov.u32 %1, %%clock_hi;\n@!p mov.u32 %1, %%clock;\nsetp.eq.u32 p, x, 77777777;\n@p trap;\nsetp.eq.u32 q, x, 77777778;\n@q mov.u32 %2, %%clock_hi;\n@!q mov.u32 %2, %%clock;\nmov.u32 %3, x;\n}"
        : "=r"(t0), "=r"(t1), "=r"(t2), "=r"(w) : "r"(v) : "memory");
      issue += t1 - t0; result += t2 - t1; v = w + (t2 & 1); n++; }
    if (lane == 0) { told[warp * 4] = issue; told[warp * 4 + 1] = result; told[warp * 4 + 3] = v; atomicAdd((uint32_t*)&done, 1); }
  } else if (storing) {
    uint32_t* p = out + warp * 8192 + lane * 32;
    while (done < count) {
#pragma unroll
      for (int k = 0; k < 16; k++) asm volatile("st.global.u32 [%0], %1;" :: "l"(p + k % 8), "r"(n) : "memory");
      n += 16; }
  }
  __syncwarp();
  if (lane == 0) told[warp * 4 + 2] = n;
  __syncthreads();
  if (t == 0) told[128] = now() - a;
}
int main() {
  uint32_t *out, *told, h[129]; CHECK(cudaMalloc(&out, 1 << 25)); CHECK(cudaMalloc(&told, 4096));
  struct { int first, count, stores, others; } all[] = {
    {0,1,1,0},{0,1,4,0},{0,1,7,0},{7,1,7,0},{4,1,7,0},{0,2,6,0},{6,2,6,0},{0,4,4,0},{4,4,4,0},{0,4,1,0},{0,7,1,0},{1,7,1,0},{0,6,2,0},{2,6,2,0},
    {0,1,0,8},{0,4,0,8},{0,8,0,8},{0,1,1,8},{0,1,4,8},{0,1,7,8},{7,1,7,8},{0,2,6,8},{6,2,6,8},{0,4,4,8},{4,4,4,8},{1,7,1,8},{0,7,1,8},{0,4,4,2},{4,4,4,2}};
  for (auto& c : all) {
    for (int rep = 0; rep < 2; rep++) { CHECK(cudaMemset(told, 0, 4096)); k_exchange_beside<<<1, 1024>>>(out, told, c.first, c.count, c.stores, c.others); CHECK(cudaDeviceSynchronize()); }
    CHECK(cudaMemcpy(h, told, sizeof h, cudaMemcpyDeviceToHost));
    double issue = 0, result = 0, own = 0, other = 0;
    for (int w = 0; w < 32; w++) { bool x = w % 4 == 0 && w / 4 >= c.first && w / 4 < c.first + c.count; if (x) { issue += h[w * 4]; result += h[w * 4 + 1]; } else (w % 4 ? other : own) += h[w * 4 + 2]; }
    double n = 48.0 * c.count;
    printf("%d exchange from %d, %d store, %d of each other: issue %.1f, result %.1f cycles; %.1f own stores and %.1f others an exchange; in all %u\n", c.count, c.first, c.stores, c.others, issue / n, result / n, own / n, other / n, h[128]);
  }
}
