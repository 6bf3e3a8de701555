// What atomic operations cost level two by where their lines are at home: cycles per instruction of the whole GPU, for lists of
// 1 to 4,096 lines (one a chunk of 256 bytes) at home in the near or in the far half. Halves and homes are found as in ../halves.
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
namespace cg = cooperative_groups;
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
typedef std::vector<uint32_t> Words;

__device__ uint32_t this_sm() { uint32_t sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)); return sm; }

// One lane on SM `sm`: a chain of returning atomic operations on each chunk.
__global__ void latencies(uint32_t* base, const uint32_t* at, int n, uint32_t sm, uint32_t* cycles) {
  if (this_sm() != sm || threadIdx.x) return;
  for (int p = 0; p < n; p++) {
    uint32_t v = atomicAdd(base + at[p], 1u);
    long long t0 = clock64(); for (int r = 0; r < 4; r++) v = atomicAdd(base + at[p] + (v >> 31), 1u + (v >> 31));
    cycles[p] = (uint32_t)((clock64() - t0) / 4) + (v >> 31);
  }
}
// SMs of half h that are among its first `sms` add to chunks of list h: warp w of rank r begins at chunk r * warps + w and goes on
// by all warps, `rounds` times around; kind 0: one lane, kind 1: 32 lanes on one word, kind 2: 32 words of a line, kind 3: 8 lanes on a sector's words.
__global__ void rate(uint32_t* base, const uint32_t* lists, const uint32_t* first, uint32_t lines, const uint32_t* half, const uint32_t* rank, uint32_t sms0, uint32_t sms1, int kind, int rounds, uint32_t* cycles) {
  cg::grid_group grid = cg::this_grid(); uint32_t sm = this_sm(), h = half[sm]; uint32_t sms = h ? sms1 : sms0; const uint32_t* list = lists + first[h];
  uint32_t warps = blockDim.x / 32, w = rank[sm] * warps + threadIdx.x / 32, lane = threadIdx.x & 31; __shared__ uint32_t l[4096];
  for (uint32_t i = threadIdx.x; i < lines; i += blockDim.x) l[i] = list[i];
  grid.sync(); long long t0 = clock64();
  if (rank[sm] < sms && (kind == 1 || kind == 2 || (kind == 0 && lane == 0) || (kind == 3 && lane < 8))) for (int r = 0; r < rounds; r++) atomicAdd(base + l[(w + r) & (lines - 1)] + (kind >= 2 ? lane : 0), 1u);
  grid.sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) cycles[0] = (uint32_t)(clock64() - t0);
}
__global__ void touch(uint4* at, size_t n, uint32_t seed) { for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) { uint4 v = at[i]; v.x += seed; at[i] = v; } }

static uint32_t *base_, *da, *dc, *dhalf, *drank, *dsms, *dfirst, *dcount, *dlists; static uint4* other_;
static void flush() { touch<<<1056, 256>>>(other_, (size_t)512 << 16, 3); CHECK(cudaDeviceSynchronize()); }
static Words latency(const Words& a, uint32_t sm) {
  int n = (int)a.size(); Words out(n); CHECK(cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice));
  latencies<<<132, 1024>>>(base_, da, n, sm, dc); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(out.data(), dc, n * 4, cudaMemcpyDeviceToHost)); return out;
}
int main() {
  size_t bytes = (size_t)192 << 20; CHECK(cudaMalloc(&base_, bytes)); CHECK(cudaMemset(base_, 0, bytes)); CHECK(cudaMalloc(&other_, (size_t)512 << 20));
  for (uint32_t** p : {&da, &dc, &dhalf, &drank, &dsms, &dfirst, &dcount, &dlists}) CHECK(cudaMalloc(p, 8 << 20));
  // An SM is in the half of SM 0 if the same chunks are near.
  Words some, half(132), rank(132), sms(2), probe(2); for (uint32_t c = 0; c < 256; c++) some.push_back(c * 1024);
  std::vector<double> first_; for (uint32_t sm = 0; sm < 132; sm++) {
    Words l = latency(some, sm); l = latency(some, sm); double mean = 0, same = 0; for (uint32_t v : l) mean += v / 256.0;
    if (!sm) for (uint32_t v : l) first_.push_back(v > mean ? 1 : -1);
    for (size_t i = 0; i < 256; i++) same += first_[i] * (l[i] - mean); half[sm] = same < 0; rank[sm] = sms[half[sm]]++;
    if (sm % 11 == 0) { std::sort(l.begin(), l.end()); fprintf(stderr, "sm %u half %u: %u %u %u %u %u\n", sm, half[sm], l[0], l[64], l[127], l[192], l[255]); }
  }
  for (int i = 131; i >= 0; i--) probe[half[i]] = i;
  CHECK(cudaMemcpy(dhalf, half.data(), 528, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(drank, rank.data(), 528, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(dsms, sms.data(), 8, cudaMemcpyHostToDevice));
  printf("half of every SM:"); for (uint32_t h : half) printf(" %u", h); printf("\n");
  Words lists[2], words; for (uint32_t c = 0; c < bytes / 256; c++) words.push_back(c * 64);
  Words from[2] = {latency(words, probe[0]), latency(words, probe[1])};
  for (size_t i = 0; i < words.size(); i++) lists[from[0][i] > from[1][i]].push_back(words[i]);
  size_t all = std::min(lists[0].size(), lists[1].size()); for (Words& l : lists) l.resize(all); 
  printf("chunks at home in each half: %zu\n", all);
  for (int h = 0; h < 2; h++) CHECK(cudaMemcpy(dlists + h * all, lists[h].data(), all * 4, cudaMemcpyHostToDevice));
  uint32_t* cycles = dc; for (int kind = 0; kind < 4; kind++) for (uint32_t sms : {1, 8, 66}) for (uint32_t lines : {1, 2, 4, 8, 16, 32, 64, 128, 512, 4096}) {
    printf("kind %d, %u SMs a half, %u lines:", kind, sms, lines);
    for (int where = 0; where < 4; where++) {  // home near from one half, home far from one half, both halves each at home near, both each far
      uint32_t first[2] = {(uint32_t)(where & 1 ? all : 0), (uint32_t)(where & 1 ? 0 : all)}; CHECK(cudaMemcpy(dfirst, first, 8, cudaMemcpyHostToDevice));
      uint32_t s0 = sms, s1 = where >= 2 ? sms : 0; int rounds = 256; uint32_t c[2];
      for (int r = 0; r < 2; r++) { int n = r ? rounds : 0; for (int again = 0; again < 2; again++) {
        void* args[] = {&base_, &dlists, &dfirst, &lines, &dhalf, &drank, &s0, &s1, &kind, &n, &dc};
        CHECK(cudaLaunchCooperativeKernel((const void*)rate, 132, 512, args, 0, 0)); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(&c[r], cycles, 4, cudaMemcpyDeviceToHost)); } }
      double ops = (double)rounds * 16 * (s0 + s1); printf(" %s %.3f", where == 0 ? "near" : where == 1 ? "far" : where == 2 ? "both near" : "both far", (c[1] - c[0]) / ops); }
    printf(" cycles an instruction\n"); }
}
