// When loads of some SMs are there that hit in level two, or that do not, behind loads of other SMs from DRAM.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
extern "C" __global__ void k_fill(const uint4* from, size_t n, uint32_t* out) { uint32_t s = 0; for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += from[i].x; if (s == 12345) *out = s; }
extern "C" __global__ void k_warm(const float* in, int lines, float* out) { float s = 0; for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x) s += in[i * 32]; if (s == 12345) *out = s; }
// Blocks of even numbers (role 0) or of every other TPC (role 1) load a sector of each of 32 lines a warp from DRAM; a lane of each warp of
// the others loads a word later: of a line that level two holds, or of one that it does not.
extern "C" __global__ void __launch_bounds__(128) k_behind(const float* in, const float* resident, uint4* times, int cold, int delay, int role) {
  int lane = threadIdx.x % 32; uint32_t sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  bool odd = role == 0 ? blockIdx.x & 1 : sm >> 1 & 1;
  int w = ((role ? blockIdx.x : blockIdx.x / 2) * blockDim.x + threadIdx.x) / 32;
  const float* p = in + (size_t)w * 1024 + lane * 32;
  if (odd) p = cold ? p + 4096 * 1024 : resident + (size_t)w * 1024 + lane * 32;
  float a = 0; uint32_t t0, t1;
  t0 = now();
  if (odd) while (now() - t0 < delay);
  t0 = now();
  if (!odd || lane == 0) asm volatile("ld.global.f32 %0, [%1];" : "=f"(a) : "l"(p) : "memory");
  asm volatile("{ .reg .pred p; setp.eq.f32 p, %1, 0f12345678; @p trap; mov.u32 %0, %%clock; }" : "=r"(t1) : "f"(a) : "memory");
  if (lane == 0) times[w * 2 + odd] = make_uint4(t0, t1, sm, 1);
}
static uint4 h[16384];
static void print(const char* what, std::vector<int>& v) { std::sort(v.begin(), v.end()); double m = 0; for (int x : v) m += x; printf(" %s %zu mean %.0f:", what, v.size(), m / v.size()); for (double p : {0.0, .05, .25, .5, .75, .9, .99, 1.0}) printf(" %d", v[std::min(v.size() - 1, (size_t)(v.size() * p))]); v.clear(); }
int main() {
  float *in, *resident; uint4* times; CHECK(cudaMalloc(&in, 64 << 20)); CHECK(cudaMalloc(&times, sizeof h)); CHECK(cudaMalloc(&resident, 32 << 20));
  void* flush; CHECK(cudaMalloc(&flush, 1 << 28)); CHECK(cudaMemset(resident, 1, 32 << 20));
  for (int role : {0, 1}) for (int blocks : {264, 1056}) for (int cold : {0, 1}) for (int delay : {0, 100, 200, 400, 600, 800, 1000, 1250, 1500, 2000, 2500}) {
    std::vector<int> a, b;
    for (int r = 0; r < 8; r++) {
    CHECK(cudaMemset(in, 1, 64 << 20)); CHECK(cudaDeviceSynchronize()); k_fill<<<528, 256>>>((uint4*)flush, 1 << 24, (uint32_t*)times); k_warm<<<528, 256>>>(resident, (20 << 20) / 128, (float*)times); k_warm<<<528, 256>>>(resident, (20 << 20) / 128, (float*)times); CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemset(times, 0, sizeof h)); k_behind<<<blocks, 128>>>(in, resident, times, cold, delay, role); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h, times, sizeof h, cudaMemcpyDeviceToHost)); if (r < 2) continue;
    for (int w = 0; w < blocks * 4; w++) { if (h[2 * w].w) a.push_back(h[2 * w].y - h[2 * w].x); if (h[2 * w + 1].w) b.push_back(h[2 * w + 1].y - h[2 * w + 1].x); }
    }
    printf("role %d, %d blocks, %s, delay %d:", role, blocks, cold ? "other line" : "resident", delay); print("first", a); print("| later", b); printf("\n");
  }
}
