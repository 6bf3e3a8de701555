// Which line of a full set of level two goes. All SMs of one half write or read chunks of 256 bytes whose home is in one half, all
// others wait; then the next phase. Each row is one launch under Nsight Compute, which flushes the caches before it:
//   ncu --cache-control all --clock-control none -k phases --metrics dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum ./replacement
// A phase is written "w01:12": SMs of half 0 write 12 MiB at home in half 1 that nobody touched before ("r": read). "a01" reads what
// the first phase touched once more, from its end to its beginning.
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
namespace cg = cooperative_groups;
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
typedef std::vector<uint32_t> Words;
struct Phase { int write, half, backwards; uint32_t first, count; };
struct Phases { Phase at[4]; int count; };
__device__ uint32_t this_sm() { uint32_t sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)); return sm; }
// One lane on SM `sm`: a chain of returning atomic operations on each chunk (as in ../halves).
__global__ void latencies(uint32_t* base, const uint32_t* at, int n, uint32_t sm, uint32_t* cycles) {
  if (this_sm() != sm || threadIdx.x) return;
  for (int p = 0; p < n; p++) {
    uint32_t v = atomicAdd(base + at[p], 1u);
    long long t0 = clock64(); for (int r = 0; r < 4; r++) v = atomicAdd(base + at[p] + (v >> 31), 1u + (v >> 31));
    cycles[p] = (uint32_t)((clock64() - t0) / 4) + (v >> 31);
  }
}
__global__ void phases(uint32_t* base, const uint32_t* lists, const uint32_t* half, const uint32_t* rank, const uint32_t* sms, Phases what, uint32_t* sink) {
  cg::grid_group grid = cg::this_grid(); uint32_t sm = this_sm(), h = half[sm], sum = 0;
  int warps = sms[h] * (blockDim.x / 32), w = rank[sm] * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
  for (int p = 0; p < what.count; p++) {
    grid.sync(); Phase phase = what.at[p];
    if (phase.half != (int)h) continue;
    const uint32_t* list = lists + phase.first; int n = phase.count;
    if (phase.write) { for (int i = w; i < n; i += warps) ((uint2*)(base + list[i]))[lane] = make_uint2(lane, i); continue; }
    for (int i = w; i < n; i += warps * 4) { uint2 v[4];
      #pragma unroll
      for (int k = 0; k < 4; k++) { int j = i + k * warps; v[k] = j < n ? __ldcg((uint2*)(base + list[phase.backwards ? n - 1 - j : j]) + lane) : make_uint2(0, 0); }
      #pragma unroll
      for (int k = 0; k < 4; k++) sum += v[k].x ^ v[k].y; }
  }
  if (sum == 0x12345) *sink = sum;
}
static uint32_t *base_, *at_, *cycles_, *half_, *rank_, *sms_, *lists_; static size_t all_;
static Words latency(const Words& a, uint32_t sm) {
  int n = (int)a.size(); Words out(n); CHECK(cudaMemcpy(at_, a.data(), n * 4, cudaMemcpyHostToDevice));
  latencies<<<132, 1024>>>(base_, at_, n, sm, cycles_); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(out.data(), cycles_, n * 4, cudaMemcpyDeviceToHost)); return out;
}
static void go(const std::string& text) {
  size_t used[2] = {0, 0}; Phases what = {}; std::string rest = text;
  while (!rest.empty()) {
    char op; int h, home, mib = 0; sscanf(rest.c_str(), "%c%1d%1d:%d", &op, &h, &home, &mib); size_t end = rest.find(' '); rest = end == std::string::npos ? "" : rest.substr(end + 1);
    Phase& p = what.at[what.count++];
    if (op == 'a') { p = {0, h, 1, what.at[0].first, what.at[0].count}; continue; }
    p = {op == 'w', h, 0, (uint32_t)(home * all_ + used[home]), (uint32_t)(mib * 4096)}; used[home] += mib * 4096;
    if (used[home] > all_) { fprintf(stderr, "too much: %s\n", text.c_str()); exit(1); }
  }
  void* args[] = {&base_, &lists_, &half_, &rank_, &sms_, &what, &cycles_};
  CHECK(cudaLaunchCooperativeKernel((const void*)phases, 132, 1024, args, 0, 0)); CHECK(cudaDeviceSynchronize()); printf("%s\n", text.c_str());
}
int main() {
  size_t bytes = (size_t)192 << 20; CHECK(cudaMalloc(&base_, bytes)); CHECK(cudaMemset(base_, 0, bytes));
  for (uint32_t** p : {&at_, &cycles_, &half_, &rank_, &sms_, &lists_}) CHECK(cudaMalloc(p, 8 << 20));
  // An SM is in the half of SM 0 if the same chunks are near.
  Words some, half(132), rank(132), sms(2), probe(2); for (uint32_t c = 0; c < 256; c++) some.push_back(c * 1024);
  std::vector<double> first; for (uint32_t sm = 0; sm < 132; sm++) {
    Words l = latency(some, sm); l = latency(some, sm); double mean = 0, same = 0; for (uint32_t v : l) mean += v / 256.0;
    if (!sm) for (uint32_t v : l) first.push_back(v > mean ? 1 : -1);
    for (size_t i = 0; i < 256; i++) same += first[i] * (l[i] - mean); half[sm] = same < 0; rank[sm] = sms[half[sm]]++;
  }
  for (int i = 131; i >= 0; i--) probe[half[i]] = i;
  CHECK(cudaMemcpy(half_, half.data(), 528, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(rank_, rank.data(), 528, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(sms_, sms.data(), 8, cudaMemcpyHostToDevice));
  Words lists[2], words; for (uint32_t c = 0; c < bytes / 256; c++) words.push_back(c * 64);
  Words from[2] = {latency(words, probe[0]), latency(words, probe[1])};
  for (size_t i = 0; i < words.size(); i++) lists[from[0][i] > from[1][i]].push_back(words[i]);
  all_ = std::min(lists[0].size(), lists[1].size()); for (Words& l : lists) l.resize(all_);
  fprintf(stderr, "SMs %u %u, chunks of each half %zu\n", sms[0], sms[1], all_);
  for (int h = 0; h < 2; h++) CHECK(cudaMemcpy(lists_ + h * all_, lists[h].data(), all_ * 4, cudaMemcpyHostToDevice));
  char t[64]; const char* ways[] = {"00", "01", "10", "11"};
  for (const char* w : {"00", "01"}) for (const char* r : ways) for (int n : {8, 16, 20, 24, 28, 32, 40, 48}) { sprintf(t, "w%s:12 r%s:%d", w, r, n); go(t); }
  for (const char* w : {"00", "01"}) for (const char* r : ways) for (int n : {8, 16, 24, 32}) { sprintf(t, "w%s:4 r%s:%d", w, r, n); go(t); }
  for (const char* a : {"r00:12 r%s:%d a00", "r01:12 r%s:%d a01", "r01:12 r%s:%d a11", "w00:12 r%s:%d a00", "w01:12 r%s:%d a01", "w01:12 r%s:%d a11"}) for (const char* r : ways) for (int n : {8, 16, 20, 24, 28, 32}) { sprintf(t, a, r, n); go(t); }
  for (const char* a : {"00", "01", "11"}) for (const char* b : {"00", "01", "11"}) for (int n : {8, 16}) { sprintf(t, "r%c%c:12 r%s:16 a%s r%s:%d", a[1] == '1' ? '0' : '0', a[1], b, a, b, n); go(t); }
  for (const char* w : {"00", "01"}) for (int n : {12, 16, 20, 24, 32}) { sprintf(t, "w%s:%d", w, n); go(t); }
}
