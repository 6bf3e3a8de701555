// Loads of a line that is being stored to, by SMs of one half of level two: who waits for whom. Loaders load a word again and again,
// storers store one with a pause, pairs do both in turn; the words of each kind lie at an offset. Percentiles of the loads' times.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define K extern "C" __global__ void
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
static const int STEPS = 128;
struct Roles { uint8_t of[132]; };   // 1 load, 2 store, 3 load and then store, 0 nothing
K k_hazard(uint32_t* base, uint32_t* out, const Roles roles, int loads_at, int stores_at, int pairs_at, int pause, uint32_t* arrived, int all) {
  uint32_t sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)); int role = roles.of[sm]; if (!role) return;
  atomicAdd(arrived, 1); while (*(volatile uint32_t*)arrived < all) {}
  uint32_t* p = base + (role == 1 ? loads_at : role == 2 ? stores_at : pairs_at) / 4;
  for (int i = 0; i < STEPS; i++) {
    uint32_t t0 = now();
    if (role & 1) { uint32_t v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); if (v == 77) break; out[sm * STEPS + i] = now() - t0; }
    if (role & 2) asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(5) : "memory");
    if (role == 2 && pause) { uint32_t from = now(); while (now() - from < pause) {} } } }
int main() {
  const std::vector<std::vector<int>> gpcs = {{2, 3, 18, 19, 34, 35, 50, 51, 64, 65, 78, 79, 92, 93, 106, 107}, {4, 5, 20, 21, 36, 37, 52, 53, 66, 67, 80, 81, 94, 95, 108, 109}, {6, 7, 22, 23, 38, 39, 54, 55, 68, 69, 82, 83, 96, 97, 110, 111}, {14, 15, 30, 31, 46, 47, 62, 63, 76, 77, 90, 91, 104, 105, 118, 119}};
  std::vector<int> inside, across; for (auto& g : gpcs) for (int s : g) inside.push_back(s); for (int i = 0; i < 16; i++) for (auto& g : gpcs) across.push_back(g[i]);
  uint32_t *buffer, *out, *arrived; CHECK(cudaMalloc(&buffer, 4 << 20)); CHECK(cudaMalloc(&out, 132 * STEPS * 4)); CHECK(cudaMalloc(&arrived, 256)); CHECK(cudaMemset(buffer, 0, 4 << 20)); std::vector<uint32_t> h(132 * STEPS);
  CHECK(cudaFuncSetAttribute((const void*)k_hazard, cudaFuncAttributeMaxDynamicSharedMemorySize, 128 * 1024));
  auto run = [&](const char* who, const std::vector<int>& order, int pairs, int storers, int loaders, int base, int la, int sa, int pa, int pause) {
    Roles r = {}; int n = 0; for (int i = 0; i < pairs; i++) r.of[order[n++]] = 3; for (int i = 0; i < storers; i++) r.of[order[n++]] = 2; for (int i = 0; i < loaders; i++) r.of[order[n++]] = 1;
    CHECK(cudaMemset(arrived, 0, 4)); k_hazard<<<132, 32, 128 * 1024>>>(buffer + base / 4, out, r, la, sa, pa, pause, arrived, n * 32); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h.data(), out, h.size() * 4, cudaMemcpyDeviceToHost));
    printf("%s, home %s: %d pairs at %d, %d storers at %d with pause %d, %d loaders at %d", who, base ? "near" : "far", pairs, pa, storers, sa, pause, loaders, la);
    for (int k : {3, 1}) { std::vector<uint32_t> v; for (int s = 0; s < 132; s++) if (r.of[s] == k) for (int i = 8; i < STEPS - 8; i++) v.push_back(h[s * STEPS + i]); if (v.empty()) continue; std::sort(v.begin(), v.end()); double t = 0; for (auto x : v) t += x;
      printf(" | %s mean %.0f, 5 %% %u, 25 %% %u, 50 %% %u, 75 %% %u, 95 %% %u", k == 3 ? "pairs" : "loaders", t / v.size(), v[v.size() / 20], v[v.size() / 4], v[v.size() / 2], v[v.size() * 3 / 4], v[v.size() * 19 / 20]); }
    printf("\n"); };
  for (int base : {4096, 0}) {
    for (int n : {1, 2, 4, 8, 12, 16}) run("one GPC", inside, n, 0, 0, base, 0, 0, 0, 0);
    for (int n : {4, 8, 16, 32, 64}) run("four GPCs", across, n, 0, 0, base, 0, 0, 0, 0);
    for (int at : {0, 96, 128, 512, 256}) for (int pause : {0, 50, 100, 200, 400, 800, 1600}) { if (at > 96 && pause > 100) continue; run("four GPCs", across, 0, 4, 16, base, at, 0, 0, pause); }
    for (int pause : {0, 100, 400}) { run("four GPCs", across, 0, 1, 16, base, 0, 0, 0, pause); run("four GPCs", across, 0, 16, 16, base, 0, 0, 0, pause); run("one GPC", inside, 0, 1, 8, base, 0, 0, 0, pause); run("one GPC", inside, 0, 8, 8, base, 0, 0, 0, pause); }
    for (int at : {0, 96, 128, 512, 256}) run("four GPCs", across, 48, 0, 8, base, at, 0, 0, 0); }
  }
