// Which slice of level two holds what. A line has a place in each half of level two: one is its home, the other serves
// the multiprocessors of that half. Two chunks of 256 bytes share a slice of a half if atomic operations of that half's
// multiprocessors on both take twice the time of those on two slices.
// Prints the half of every multiprocessor, then for some pages of 2 MiB, for every chunk: home half, slice in the first
// half, slice in the second (slices numbered in the order in which they are first met), as home.first.second.
#include <algorithm>
#include <cmath>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
namespace cg = cooperative_groups;
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
typedef std::vector<uint32_t> Words;

__device__ uint32_t this_sm() { uint32_t sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)); return sm; }

// Offsets in words; part[sm]: 0 works on a, 1 on b, 2 not at all; lanes on the eight words of one sector.
__global__ void pairs(uint32_t* base, const uint32_t* a, const uint32_t* b, const uint32_t* part, int n, int rounds, uint32_t* cycles) {
  cg::grid_group grid = cg::this_grid(); uint32_t mine = part[this_sm()];
  for (int p = 0; p < n; p++) {
    uint32_t* word = base + (mine ? b[p] : a[p]) + (threadIdx.x & 7);
    grid.sync();
    long long t0 = clock64();
    if (mine < 2) for (int r = 0; r < rounds; r++) atomicAdd(word, 1u);
    __threadfence();
    grid.sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) cycles[p] = (uint32_t)(clock64() - t0);
  }
}
// One lane on SM `sm`: a chain of returning atomic operations on each chunk.
__global__ void latencies(uint32_t* base, const uint32_t* at, int n, uint32_t sm, uint32_t* cycles) {
  if (this_sm() != sm || threadIdx.x) return;
  for (int p = 0; p < n; p++) {
    uint32_t v = 0; for (int r = 0; r < 2; r++) v = atomicAdd(base + at[p] + (v >> 31), 1u);
    long long t0 = clock64(); for (int r = 0; r < 8; r++) v = atomicAdd(base + at[p] + (v >> 31), 1u + (v >> 31));
    cycles[p] = (uint32_t)((clock64() - t0) / 8) + (v >> 31);
  }
}
static uint32_t *base_, *da, *db, *dc, *dpart[2];
static Words latency(const Words& a, uint32_t sm) {
  int n = (int)a.size(); Words out(n); CHECK(cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice));
  latencies<<<132, 1024>>>(base_, da, n, sm, dc); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(out.data(), dc, n * 4, cudaMemcpyDeviceToHost)); return out;
}
static Words test(int half, const Words& a, uint32_t b, int rounds = 8) {
  int n = (int)a.size(); Words bs(n, b), out(n); if (!n) return out;
  CHECK(cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(db, bs.data(), n * 4, cudaMemcpyHostToDevice));
  void* args[] = {&base_, &da, &db, &dpart[half], &n, &rounds, &dc};
  CHECK(cudaLaunchCooperativeKernel((const void*)pairs, 132, 128, args, 0, 0)); CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(out.data(), dc, n * 4, cudaMemcpyDeviceToHost)); return out;
}
static double median(Words v) { std::sort(v.begin(), v.end()); return v[v.size() / 2]; }
static Words slices_[2];   // per half: a chunk whose home is there, for each slice
static long levels_[2][40], unsure_;

// The slice of every chunk in a half. Chunks at home there may found a slice.
static void classify(int half, const Words& words, const std::vector<int>& home, std::vector<int>& of) {
  of.assign(words.size(), -1); Words& reps = slices_[half];
  for (size_t s = 0; s < 130; s++) {
    std::vector<size_t> open; for (size_t i = 0; i < words.size(); i++) if (of[i] < 0) open.push_back(i);
    if (s == reps.size()) { for (size_t i : open) if (home[i] == half) { reps.push_back(words[i]); break; } }
    if (s == reps.size()) break;
    Words a; for (size_t i : open) a.push_back(words[i]);
    Words other; for (size_t q = 0; q < reps.size(); q++) if (q != s) other.push_back(reps[q]);
    double same = median(test(half, {reps[s], reps[s], reps[s]}, reps[s])), one = other.empty() ? same / 1.8 : median(test(half, other, reps[s]));
    Words t = test(half, a, reps[s]);
    for (size_t k = 0; k < open.size(); k++) {
      levels_[half][std::min(39, (int)(t[k] / one * 10))]++;
      double bound = (same + one) / 2;
      if (fabs(t[k] - bound) < (same - one) * 0.25) { unsure_++; t[k] = (uint32_t)median(test(half, {a[k], a[k], a[k], a[k], a[k]}, reps[s])); }
      if (words[open[k]] == reps[s] || t[k] > bound) of[open[k]] = (int)s;
    }
  }
}
int main(int argc, char** argv) {
  int pages = argc > 1 ? atoi(argv[1]) : 4; size_t bytes = (size_t)1 << 30;
  CHECK(cudaMalloc(&base_, bytes)); CHECK(cudaMemset(base_, 0, bytes));
  for (uint32_t** p : {&da, &db, &dc, &dpart[0], &dpart[1]}) CHECK(cudaMalloc(p, 1 << 20));
  Words near(132); for (uint32_t sm = 0; sm < 132; sm++) near[sm] = latency({0, 0, 0}, sm)[2];
  printf("latency of chunk 0 from every SM\n"); for (int i = 0; i < 132; i++) printf("%u%c", near[i], i == 131 ? '\n' : ' ');
  std::vector<int> half(132); int count[2] = {0, 0}; for (int i = 0; i < 132; i++) { half[i] = near[i] > 400; count[half[i]]++; }
  fprintf(stderr, "SMs of the halves: %d %d\n", count[0], count[1]);
  for (int h = 0; h < 2; h++) { Words part(132, 2); int k = 0; for (int i = 0; i < 132; i++) if (half[i] == h && k < 60) part[i] = k++ & 1; CHECK(cudaMemcpy(dpart[h], part.data(), 132 * 4, cudaMemcpyHostToDevice)); }
  uint32_t probe[2] = {0, 0}; for (int i = 131; i >= 0; i--) probe[half[i]] = i;
  for (int p = 0; p < pages; p++) {
    size_t page = p < 3 ? p : (size_t)p * 37 % 512; Words words;
    for (uint32_t c = 0; c < 8192; c++) words.push_back((uint32_t)(page * (2u << 20) / 4 + c * 64));
    Words from0 = latency(words, probe[0]), from1 = latency(words, probe[1]);
    std::vector<int> home(words.size()), first, second; long odd = 0;
    for (size_t i = 0; i < words.size(); i++) { home[i] = from0[i] > from1[i]; odd += abs((int)from0[i] - (int)from1[i]) < 60; }
    classify(0, words, home, first); classify(1, words, home, second);
    printf("page %zu\n", page); for (int c = 0; c < 8192; c++) printf("%d.%d.%d%c", home[c], first[c], second[c], c % 32 == 31 ? '\n' : ' ');
    fflush(stdout); fprintf(stderr, "page %zu: %zu and %zu slices so far, %ld unsure, %ld without a clear home\n", page, slices_[0].size(), slices_[1].size(), unsure_, odd);
  }
  for (int h = 0; h < 2; h++) { fprintf(stderr, "tests by tenths of the time of two slices, half %d:", h); for (long l : levels_[h]) fprintf(stderr, " %ld", l); fprintf(stderr, "\n"); }
  for (int h = 0; h < 2; h++) for (uint32_t sm = 0; sm < 132; sm++) { Words l = latency(slices_[h], sm); printf("latencies of the slices of half %d from sm %u:", h, sm); for (uint32_t v : l) printf(" %u", v); printf("\n"); }
}
