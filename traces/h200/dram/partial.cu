// Level two: which of the lines that were written in part are still so after others were, and what it costs to complete them.
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>
__device__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
// Where the n-th line that is written lies: in turn, or at random among 2^20 lines.
__device__ size_t line_of(uint32_t n, int random) { return random ? (size_t)((n * 0x9e3779b1u) & 0xfffff) : n; }
// One warp writes `sectors` words of each of n lines, one in each sector, then again those of the first `again` lines (another word
// of the same sectors, or of the next), then `more` new lines. Then it waits, and reads another word of the first sector of each line.
__global__ void k_partial(uint32_t* out, uint32_t* times, int n, int sectors, int again, int shift, int more, int random, int pause, long long wait) {
  uint32_t lane = threadIdx.x, mine = 0;
  for (int i = 0; i < n + again + more; i++) {
    int which = i < n ? i : i < n + again ? i - n : i - again;
    int word = i >= n && i < n + again ? shift : 0;
    if (lane < sectors) out[line_of(which, random) * 32 + lane * 8 + word] = i;
    if (pause) __nanosleep(pause);
  }
  __threadfence();
  for (long long t = clock64(); clock64() - t < wait;) {}
  __shared__ volatile uint32_t arrived;
  for (int i = 0; i < n + more; i++) {
    const uint32_t* at = out + line_of(i, random) * 32 + 1;
    uint32_t t0, v, t1;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t0)::"memory");
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    arrived = v;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t1)::"memory");
    if (lane == (i & 31)) mine = t1 - t0;
    if ((i & 31) == 31) times[i - 31 + lane] = mine;
  }
}
__global__ void k_flush(float4* big, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) big[i] = make_float4(0, 0, 0, 0);
}
// One word of each line, the lines so many apart, in turn.
__global__ void k_store_lines(uint32_t* out, int apart, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) out[i * apart * 32] = i;
}
// As above, but a warp after the other only: block b has the b-th share.
__global__ void k_store_shares(uint32_t* out, size_t n) {
  size_t share = n / gridDim.x;
  for (size_t i = threadIdx.x; i < share; i += blockDim.x) out[(blockIdx.x * share + i) * 32] = i;
}
// The whole first sector of each line.
__global__ void k_store_sectors(uint32_t* out, int apart, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n * 8; i += (size_t)gridDim.x * blockDim.x) out[i / 8 * apart * 32 + i % 8] = i;
}
__global__ void k_load_lines(const uint32_t* in, uint32_t* out, int apart, size_t n) {
  uint32_t s = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += in[i * apart * 32];
  if (s == 12345) out[0] = s;
}
struct Case { const char* name; int n, sectors, again, shift, more, random, pause; long long wait; };
int main(int c, char** v) {
  char *big, *other; size_t nbig = 4ull << 30; cudaMalloc(&big, nbig); cudaMemset(big, 0, nbig); cudaMalloc(&other, 256 << 20);
  uint32_t* times; cudaMalloc(&times, 4 << 20); std::vector<uint32_t> host(1 << 20);
  if (!strcmp(v[1], "kept")) {
    FILE* raw = c > 2 ? fopen(v[2], "wb") : nullptr;
    Case cases[] = {{"in turn", 8192, 1, 0, 0, 0, 0, 0, 40000}, {"in turn", 16384, 1, 0, 0, 0, 0, 0, 40000}, {"in turn", 32768, 1, 0, 0, 0, 0, 0, 40000},
      {"in turn", 49152, 1, 0, 0, 0, 0, 0, 40000}, {"in turn", 65536, 1, 0, 0, 0, 0, 0, 40000}, {"in turn", 131072, 1, 0, 0, 0, 0, 0, 40000}, {"in turn", 131072, 1, 0, 0, 0, 0, 0, 40000},
      {"in turn, slowly", 65536, 1, 0, 0, 0, 0, 100, 40000}, {"in turn, read 500 us later", 65536, 1, 0, 0, 0, 0, 0, 1000000}, {"four sectors of each", 65536, 4, 0, 0, 0, 0, 0, 40000}, {"two sectors of each", 65536, 2, 0, 0, 0, 0, 0, 40000},
      {"at random", 65536, 1, 0, 0, 0, 1, 0, 40000}, {"at random", 131072, 1, 0, 0, 0, 1, 0, 40000}, {"at random, read 500 us later", 16384, 1, 0, 0, 0, 1, 0, 1000000},
      {"the first again", 16384, 1, 8192, 2, 32768, 0, 0, 40000}, {"the first again, next sector", 16384, 1, 8192, 8, 32768, 0, 0, 40000}, {"the first again, at random", 16384, 1, 8192, 2, 32768, 1, 0, 40000}};
    for (int turn = 0; turn < 2; turn++) for (Case& k : cases) {
      uint32_t* out = (uint32_t*)(big + turn * (1ull << 30));
      k_flush<<<1056, 256>>>((float4*)other, (256 << 20) / 16);
      k_partial<<<1, 32>>>(out, times, k.n, k.sectors, k.again, k.shift, k.more, k.random, k.pause, k.wait);
      cudaMemcpy(host.data(), times, 4 << 20, cudaMemcpyDeviceToHost);
      int n = k.n + k.more, bin = n / 32, all = 0; uint64_t sums[2] = {0, 0}; int counts[2] = {0, 0};
      printf("%-30s %6d lines, %d again, %d more:", k.name, k.n, k.again, k.more);
      std::vector<int> kept;
      for (int b = 0; b < 32; b++) { int late = 0; for (int i = b * bin; i < (b + 1) * bin; i++) { bool slow = host[i] > 520; late += slow; sums[slow] += host[i]; counts[slow]++; } all += late; kept.push_back(late); }
      printf(" %d in part, by 32nds (%d):", all, bin); for (int k : kept) printf(" %d", k);
      printf(" | %.0f and %.0f cycles\n", counts[0] ? (double)sums[0] / counts[0] : 0, counts[1] ? (double)sums[1] / counts[1] : 0);
      if (raw) { fwrite(&n, 4, 1, raw); for (int i = 0; i < n; i++) { uint16_t t = host[i] > 65535 ? 65535 : host[i]; fwrite(&t, 2, 1, raw); } }
    }
  } else {
    size_t n = 1 << 20;
    for (int apart : {1, 2, 4, 8, 16, 32}) k_store_lines<<<1056, 256>>>((uint32_t*)big, apart, n);
    for (int apart : {1, 2, 4, 8, 16, 32}) k_store_sectors<<<1056, 256>>>((uint32_t*)big, apart, n);
    for (int apart : {1, 2, 4, 8, 16, 32}) k_load_lines<<<1056, 256>>>((uint32_t*)big, times, apart, n);
    k_store_shares<<<132, 256>>>((uint32_t*)big, n); k_store_shares<<<1056, 256>>>((uint32_t*)big, n); k_store_shares<<<132, 32>>>((uint32_t*)big, n);
    for (int blocks : {132, 264, 528}) k_store_lines<<<blocks, 256>>>((uint32_t*)big, 1, n);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
