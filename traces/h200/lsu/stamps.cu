// When each warp of a launch has what it loaded: lanes load words of lines at random of a table of 2^n lines, of one table for all SMs
// (shared) or one each (own), that level two lacks (cold) or has (warm); behind the load nothing, a lane exchange, shared memory, or a
// second load. Cycles since the first warp of the SM began, of all warps: 0, 10, 25, 50, 75, 90 and 100 %; the median of five runs.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define K extern "C" __global__ void
__device__ __forceinline__ uint32_t mix32(uint32_t x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16; return x; }
__device__ __forceinline__ uint32_t now() { unsigned long long t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory"); return (uint32_t)t; }
__device__ __forceinline__ uint32_t sm() { uint32_t s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
// the clock once a value is there: what is added cannot be taken back by the compiler
__device__ __forceinline__ uint32_t when(uint32_t& value, int by) { asm volatile("add.u32 %0, %0, %1;" : "+r"(value) : "r"(by)); return now(); }
struct Stamps { uint32_t sm, begin, first, second; };
__device__ __forceinline__ void note(Stamps* out, uint32_t begin, uint32_t first, uint32_t second) { if (!(threadIdx.x & 31)) out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = {sm(), begin, first, second}; }
__device__ __forceinline__ size_t place(int round, int mask) { return (size_t)(mix32(blockIdx.x * blockDim.x + threadIdx.x + round * 1000003u) & mask) * 32; }
K k_shared(const uint32_t* table, Stamps* out, int mask) { uint32_t t0 = now(), v = table[place(0, mask)], t1 = when(v, mask); note(out, t0, t1, v); }
K k_own(const uint32_t* table, Stamps* out, int mask) { uint32_t t0 = now(), v = table[place(0, mask) + (size_t)sm() * (mask + 1) * 32], t1 = when(v, mask); note(out, t0, t1, v); }
K k_exchange(const uint32_t* table, Stamps* out, int mask) { uint32_t t0 = now(), v = __shfl_xor_sync(~0u, table[place(0, mask)], 5), t1 = when(v, mask); note(out, t0, t1, v); }
K k_exchanges(const uint32_t* table, Stamps* out, int mask) { uint32_t t0 = now(), v = table[place(0, mask)]; for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o); uint32_t t1 = when(v, mask); note(out, t0, t1, v); }
K k_shared_load(const uint32_t* table, Stamps* out, int mask) { __shared__ uint32_t s[256]; s[threadIdx.x] = 0; __syncwarp(); uint32_t t0 = now(), v = s[(threadIdx.x + table[place(0, mask)]) & 255], t1 = when(v, mask); note(out, t0, t1, v); }
K k_twice(const uint32_t* table, Stamps* out, int mask) { uint32_t t0 = now(), v = table[place(0, mask)], t1 = when(v, mask), w = table[place(1, mask) + (v >> 31)], t2 = when(w, mask); note(out, t0, t1, t2 + (w >> 31)); }
K k_read(const uint4* in, uint32_t* out, size_t n) { uint32_t v = 0; for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) v |= __ldcg(in + i).x; if (v) *out = v; }
typedef void (*Kernel)(const uint32_t*, Stamps*, int);
typedef std::vector<int> Row;
static Row parts(Row v) { std::sort(v.begin(), v.end()); Row r; for (size_t p : {0, 10, 25, 50, 75, 90, 100}) r.push_back(v[std::min(v.size() - 1, v.size() * p / 100)]); return r; }
int main() {
  const size_t bytes = 256 << 20; uint4* other; CHECK(cudaMalloc(&other, bytes)); CHECK(cudaMemset(other, 0, bytes));
  uint32_t *out, *table; Stamps* stamps; CHECK(cudaMalloc(&out, 4)); CHECK(cudaMalloc(&table, 64 << 20)); CHECK(cudaMemset(table, 0, 64 << 20)); CHECK(cudaMalloc(&stamps, sizeof(Stamps) << 13));
  struct { const char* name; Kernel kernel; std::vector<int> lines, blocks; } cases[] = {
    {"shared", k_shared, {5, 9, 12, 14, 16, 18}, {132, 528, 1024}}, {"own", k_own, {5, 9, 10}, {132, 528, 1024}}, {"exchange", k_exchange, {5, 9, 12}, {1024}},
    {"exchanges", k_exchanges, {5, 9, 12}, {1024}}, {"shared_load", k_shared_load, {5, 9, 12}, {1024}}, {"twice", k_twice, {9, 12, 16}, {528, 1024}}};
  for (auto& c : cases) for (int n : c.lines) for (int blocks : c.blocks) for (int warm = 0; warm < 2; warm++) {
    std::vector<Row> runs[2];
    for (int run = 0; run < 5; run++) {
      if (!warm) { k_read<<<1056, 256>>>(other, out, bytes / 16); CHECK(cudaDeviceSynchronize()); }
      for (int lap = 0; lap <= warm; lap++) { c.kernel<<<blocks, 256>>>(table, stamps, (1 << n) - 1); CHECK(cudaDeviceSynchronize()); }
      std::vector<Stamps> h(blocks * 8); CHECK(cudaMemcpy(h.data(), stamps, sizeof(Stamps) * h.size(), cudaMemcpyDeviceToHost));
      uint32_t begin[132]; std::fill(begin, begin + 132, ~0u); for (auto& s : h) begin[s.sm] = std::min(begin[s.sm], s.begin);
      Row times[2]; for (auto& s : h) { times[0].push_back(s.first - begin[s.sm]); times[1].push_back(s.second - begin[s.sm]); }
      for (int k = 0; k < 2; k++) runs[k].push_back(parts(times[k]));
    }
    printf("%s, 2^%d lines, %d blocks of 256, %s:", c.name, n, blocks, warm ? "warm" : "cold");
    for (int k = 0; k < (c.kernel == k_twice ? 2 : 1); k++) { printf(k ? " | second" : ""); for (int p = 0; p < 7; p++) { Row all; for (auto& r : runs[k]) all.push_back(r[p]); std::sort(all.begin(), all.end()); printf(" %d", all[2]); } }
    printf("\n");
  }
}
