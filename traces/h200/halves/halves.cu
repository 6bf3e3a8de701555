// What the way between the two halves of level two costs: latencies and rates of reads and writes whose home is in the
// near half, in the far half, or of which the near half has a copy. The home of a chunk of 256 bytes and the half of an
// SM are found by the latency of atomic operations, as in ../slices. Before each measurement 512 MiB are read and written.
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
// One lane on SM `sm` loads (kind 0), stores (1) or stores half a sector (2) to each chunk; loads one after the other.
__global__ void chain(uint32_t* base, const uint32_t* at, int n, uint32_t sm, int kind, uint32_t* cycles) {
  if (this_sm() != sm) return;
  __shared__ uint32_t list[1024]; for (int p = threadIdx.x; p < n; p += blockDim.x) list[p] = at[p];
  __syncthreads();
  if (kind) { if (threadIdx.x < (kind == 1 ? 8 : 1)) for (int p = 0; p < n; p++) base[list[p] + threadIdx.x] = 7u; return; }
  if (threadIdx.x) return;
  uint32_t v = 0; long long t0 = clock64();
  for (int p = 0; p < n; p++) v = __ldcg(base + list[p] + (v >> 31));
  cycles[0] = (uint32_t)((clock64() - t0) / n) + (v >> 31);
}
// All SMs of half h work on list h (from first[h], count[h] chunks): reads, writes of whole sectors, writes of a word a
// sector, atomic operations without return. A warp takes a chunk at a time, or four for a word a sector.
__global__ void rate(uint32_t* base, const uint32_t* lists, const uint32_t* first, const uint32_t* count, const uint32_t* half, const uint32_t* rank, const uint32_t* sms, int kind, uint32_t* cycles, uint32_t* sink) {
  cg::grid_group grid = cg::this_grid(); uint32_t sm = this_sm(), h = half[sm]; int n = count[h]; const uint32_t* list = lists + first[h];
  int warps = sms[h] * (blockDim.x / 32), w = rank[sm] * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31; uint32_t sum = 0;
  grid.sync(); long long t0 = clock64();
  if (kind == 0) { for (int i = w; i < n; i += warps * 4) { uint2 v[4];
    #pragma unroll
    for (int k = 0; k < 4; k++) v[k] = i + k * warps < n ? __ldcg((uint2*)(base + list[i + k * warps]) + lane) : make_uint2(0, 0);
    #pragma unroll
    for (int k = 0; k < 4; k++) sum += v[k].x ^ v[k].y; } }
  if (kind == 1) for (int i = w; i < n; i += warps) ((uint2*)(base + list[i]))[lane] = make_uint2(lane, i);
  if (kind == 2) for (int i = w * 4; i + 3 < n; i += warps * 4) base[list[i + lane / 8] + lane % 8 * 8] = i;
  if (kind == 3) for (int i = w; i < n; i += warps) { atomicAdd(base + list[i] + lane, 1u); atomicAdd(base + list[i] + 32 + lane, 1u); }
  if (sum == 0x12345) *sink = sum;
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
static uint32_t go(const Words& a, uint32_t sm, int kind) {
  int n = (int)a.size(); uint32_t out = 0; CHECK(cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice));
  chain<<<132, 1024>>>(base_, da, n, sm, kind, dc); CHECK(cudaDeviceSynchronize()); if (!kind) CHECK(cudaMemcpy(&out, dc, 4, cudaMemcpyDeviceToHost)); return out;
}
static size_t listed_[2];
// Chunks [from[h], from[h] + n[h]) of the list whose home is half home[h].
static double run(int kind, int home0, size_t from0, size_t n0, int home1, size_t from1, size_t n1) {
  uint32_t first[2] = {(uint32_t)(home0 * listed_[0] + from0), (uint32_t)(home1 * listed_[0] + from1)}, count[2] = {(uint32_t)n0, (uint32_t)n1};
  CHECK(cudaMemcpy(dfirst, first, 8, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(dcount, count, 8, cudaMemcpyHostToDevice));
  void* args[] = {&base_, &dlists, &dfirst, &dcount, &dhalf, &drank, &dsms, &kind, &dc, &da}; uint32_t cycles;
  CHECK(cudaLaunchCooperativeKernel((const void*)rate, 132, 1024, args, 0, 0)); CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(&cycles, dc, 4, cudaMemcpyDeviceToHost)); return cycles;
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
  size_t all = std::min(lists[0].size(), lists[1].size()); for (Words& l : lists) l.resize(all); listed_[0] = listed_[1] = all;
  printf("chunks at home in each half: %zu\n", all);
  for (int h = 0; h < 2; h++) CHECK(cudaMemcpy(dlists + h * all, lists[h].data(), all * 4, cudaMemcpyHostToDevice));
  uint32_t p0 = probe[0], p1 = probe[1]; Words near_list, far_list; for (size_t i = 0; i < 1024; i++) { near_list.push_back(lists[0][i * 37 % all]); far_list.push_back(lists[1][i * 37 % all]); }
  const Words &N = near_list, &F = far_list;
  for (int again = 0; again < 2; again++) {
    flush(); printf("first load, home near: %u\n", go(N, p0, 0)); printf("second load, home near: %u\n", go(N, p0, 0));
    flush(); printf("first load, home far: %u\n", go(F, p0, 0)); printf("second load, home far: %u\n", go(F, p0, 0)); printf("then from the home half: %u\n", go(F, p1, 0));
    flush(); go(F, p1, 0); printf("load, home far, the home half has read it: %u\n", go(F, p0, 0)); printf("again: %u\n", go(F, p0, 0));
    go(F, p1, 1); printf("load, home far, read before, then written from the home half: %u\n", go(F, p0, 0)); printf("again: %u\n", go(F, p0, 0));
    go(F, p0, 1); printf("load, home far, read before, then written from here: %u\n", go(F, p0, 0)); printf("again: %u\n", go(F, p0, 0)); printf("then from the home half: %u\n", go(F, p1, 0));
    flush(); go(N, p0, 0); go(N, p1, 0); go(N, p1, 1); printf("load, home near, read by both, then written from the far half: %u\n", go(N, p0, 0)); printf("then from the far half: %u\n", go(N, p1, 0));
    flush(); go(F, p0, 1); printf("load, home far, not read before, written from here: %u\n", go(F, p0, 0)); printf("then from the home half: %u\n", go(F, p1, 0));
    flush(); go(N, p0, 1); printf("load, home near, not read before, written from here: %u\n", go(N, p0, 0)); printf("then from the far half: %u\n", go(N, p1, 0));
    flush(); go(N, p0, 2); printf("load, home near, one word written from here: %u\n", go(N, p0, 0));
    flush(); go(F, p0, 2); printf("load, home far, one word written from here: %u\n", go(F, p0, 0));
    flush(); go(F, p1, 2); printf("load, home far, one word written from the home half: %u\n", go(F, p0, 0));
  }
  const char* kinds[] = {"reads", "writes", "writes of a word a sector", "atomic operations"}; size_t M = 4096;  // chunks of a MiB
  for (int kind = 0; kind < 4; kind++) for (size_t mib : {2, 8, 20}) for (int again = 0; again < 2; again++) {
    size_t n = mib * M; double none = run(kind, 0, 0, 0, 0, 0, 0); printf("%s, %zu MiB a list, empty %.0f:", kinds[kind], mib, none);
    flush(); printf(" one half, home near: cold %.0f", run(kind, 0, 0, n, 0, 0, 0) - none); printf(" warm %.0f;", run(kind, 0, 0, n, 0, 0, 0) - none);
    flush(); printf(" home far: cold %.0f", run(kind, 1, 0, n, 0, 0, 0) - none); printf(" warm %.0f;", run(kind, 1, 0, n, 0, 0, 0) - none);
    flush(); run(0, 0, 0, 0, 1, 0, n); printf(" home far, the home half has read it: %.0f", run(kind, 1, 0, n, 0, 0, 0) - none); printf(" again %.0f;", run(kind, 1, 0, n, 0, 0, 0) - none);
    flush(); printf(" both halves, home near: cold %.0f", run(kind, 0, 0, n, 1, 0, n) - none); printf(" warm %.0f;", run(kind, 0, 0, n, 1, 0, n) - none);
    flush(); printf(" both, home far: cold %.0f", run(kind, 1, 0, n, 0, 0, n) - none); printf(" warm %.0f;", run(kind, 1, 0, n, 0, 0, n) - none);
    flush(); run(0, 0, 0, n, 1, 0, n); printf(" both, home far, the home half has read it: %.0f", run(kind, 1, 0, n, 0, 0, n) - none); printf(" again %.0f\n", run(kind, 1, 0, n, 0, 0, n) - none);
  }
  for (int again = 0; again < 2; again++) { size_t n = 80 * M; double none = run(0, 0, 0, 0, 0, 0, 0); flush(); printf("80 MiB a list, cold: reads home near %.0f", run(0, 0, 0, n, 1, 0, n) - none); flush(); printf(", far %.0f;", run(0, 1, 0, n, 0, 0, n) - none);
    flush(); printf(" writes home near %.0f", run(1, 0, 0, n, 1, 0, n) - none); flush(); printf(", far %.0f\n", run(1, 1, 0, n, 0, 0, n) - none); }
}
