// What SMs of one GPC, one SM of each TPC, and so many SMs of all GPCs send: stores and reductions over 8 MiB. Cycles between two
// instructions of one SM.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>
#define OK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t smid() { uint32_t v; asm volatile("mov.u32 %0, %%smid;" : "=r"(v)); return v; }
__global__ void place(uint32_t* sm, int cycles) { if (threadIdx.x == 0) sm[blockIdx.x] = smid(); for (int64_t start = clock64(); clock64() - start < cycles;) {} }
template <bool RED> __global__ void rate(uint32_t* base, const int* lanes, const int* chosen, uint32_t mask, int rounds, unsigned long long* cycles) {
  int at = lanes[threadIdx.x & 31]; uint32_t rank = chosen[smid()]; if (rank == ~0u) return;
  uint32_t from = (rank * (blockDim.x / 32) + threadIdx.x / 32) * 64, all = 132 * (blockDim.x / 32) * 64;
  unsigned long long begin = clock64();
  if (at >= 0) for (int r = 0; r < rounds; r++, from += all) {
    uint32_t* p = base + (from & mask) + at;
    if (RED) asm volatile("red.global.add.u32 [%0], 1;" :: "l"(p) : "memory"); else asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(at) : "memory");
  }
  __threadfence(); unsigned long long end = clock64();
  if (threadIdx.x == 0) atomicMax(cycles, end - begin);
}
int main() {
  uint32_t *memory, *out; OK(cudaMalloc(&memory, 8 << 20)); OK(cudaMemset(memory, 0, 8 << 20)); OK(cudaMallocManaged(&out, 1 << 20));
  int *lanes, *chosen; OK(cudaMalloc(&lanes, 128)); OK(cudaMalloc(&chosen, 1024)); unsigned long long* cycles; OK(cudaMalloc(&cycles, 8));
  std::vector<int> group(132); for (int i = 0; i < 132; i++) group[i] = i;
  auto find = [&](int a) { while (group[a] != a) a = group[a]; return a; };
  OK(cudaFuncSetAttribute(place, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (int size : {2, 4, 8, 16}) for (int round = 0; round < 20; round++) {
    cudaLaunchConfig_t config = {}; config.gridDim = dim3(960); config.blockDim = dim3(round % 2 ? 1024 : 256);
    cudaLaunchAttribute attribute; attribute.id = cudaLaunchAttributeClusterDimension; attribute.val.clusterDim.x = size; attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute; config.numAttrs = 1;
    if (cudaLaunchKernelEx(&config, place, out, 2000) != cudaSuccess) { cudaGetLastError(); continue; }
    OK(cudaDeviceSynchronize());
    for (int b = 0; b < (int)config.gridDim.x; b++) group[find(out[b])] = find(out[b / size * size]);
  }
  std::map<int, std::vector<int>> gpcs; for (int i = 0; i < 132; i++) gpcs[find(i)].push_back(i);
  struct Set { std::string name; std::vector<int> sms; }; std::vector<Set> sets; char name[96];
  std::vector<std::vector<int>> of; for (auto& g : gpcs) of.push_back(g.second);
  std::sort(of.begin(), of.end(), [](auto& a, auto& b) { return a.size() > b.size(); });
  for (auto& g : of) if (g.size() > 1) { sprintf(name, "a GPC of %zu SMs", g.size()); sets.push_back({name, g}); std::vector<int> h; for (size_t i = 0; i < g.size(); i += 2) h.push_back(g[i]); sprintf(name, "an SM of each TPC of a GPC, %zu SMs", h.size()); sets.push_back({name, h}); }
  sets.push_back({"one SM", {of[0][0]}}); sets.push_back({"two SMs of a TPC", {of[0][0], of[0][1]}}); sets.push_back({"two SMs of two TPCs", {of[0][0], of[0][2]}}); sets.push_back({"four SMs of two TPCs", {of[0][0], of[0][1], of[0][2], of[0][3]}});
  for (int each : {1, 2, 4, 6, 8, 10, 12, 14, 16, 18}) { std::vector<int> s; for (auto& g : of) for (int i = 0; i < each && i < (int)g.size(); i++) s.push_back(g[each <= (int)g.size() / 2 ? 2 * i : i]); sprintf(name, "%d SMs of each GPC, %zu in all", each, s.size()); sets.push_back({name, s}); }
  auto row = [](int n, int each) { std::vector<int> v; for (int i = 0; i < n * each; i++) v.push_back(i / each * 8 + i % each); v.resize(32, -1); return v; };
  struct Pattern { const char* name; std::vector<int> lanes; } patterns[] = {{"a word", row(1, 1)}, {"a sector", row(1, 8)}, {"a line", row(4, 8)}, {"a word of 4 sectors", row(4, 1)}, {"a word of 8 sectors", row(8, 1)}};
  for (auto& s : sets) for (bool red : {false, true}) { printf("%s, %s:", s.name.c_str(), red ? "reduction" : "store"); for (auto& p : patterns) {
    std::vector<int> ranks(132, -1); for (size_t i = 0; i < s.sms.size(); i++) ranks[s.sms[i]] = (int)i;
    OK(cudaMemcpy(lanes, p.lanes.data(), 128, cudaMemcpyHostToDevice)); OK(cudaMemcpy(chosen, ranks.data(), 528, cudaMemcpyHostToDevice));
    unsigned long long best = ~0ull, took; int rounds = 256;
    for (int lap = 0; lap < 3; lap++) { OK(cudaMemset(cycles, 0, 8)); if (red) rate<true><<<132, 512>>>(memory, lanes, chosen, (2u << 20) - 1, rounds, cycles); else rate<false><<<132, 512>>>(memory, lanes, chosen, (2u << 20) - 1, rounds, cycles); OK(cudaDeviceSynchronize()); OK(cudaMemcpy(&took, cycles, 8, cudaMemcpyDeviceToHost)); best = std::min(best, took); }
    printf(" %s %.2f", p.name, best / (16.0 * rounds)); } printf("\n"); fflush(stdout); }
}
