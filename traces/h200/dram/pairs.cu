// When the second of two loads of a warp has its words, by which sector it loads of the lines of the first.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
extern "C" __global__ void k_fill(const uint4* from, size_t n, uint32_t* out) { uint32_t s = 0; for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += from[i].x; if (s == 12345) *out = s; }
extern "C" __global__ void __launch_bounds__(128) k_pairs(const float* in, uint4* times, int lane_words, int offset, int part, int delay) {
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const float* p = in + (size_t)w * part + lane * lane_words; float a, b; uint32_t t0, t1, t2, t3;
  t0 = now();
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(a) : "l"(p) : "memory");
  if (delay) while (now() - t0 < delay);
  t1 = now();
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(b) : "l"(p + offset) : "memory");
  asm volatile("{ .reg .pred p; setp.eq.f32 p, %1, 0f12345678; @p trap; mov.u32 %0, %%clock; }" : "=r"(t2) : "f"(a) : "memory");
  asm volatile("{ .reg .pred p; setp.eq.f32 p, %1, 0f12345678; @p trap; mov.u32 %0, %%clock; }" : "=r"(t3) : "f"(b) : "memory");
  if (lane == 0) times[w] = make_uint4(t0, t1, t2, t3);
}
static uint4 h[8192];
static void print(const char* what, std::vector<int>& v) { std::sort(v.begin(), v.end()); double m = 0; for (int x : v) m += x; printf(" %s mean %.0f:", what, m / v.size()); for (double p : {0.0, .05, .25, .5, .75, .9, .99, 1.0}) printf(" %d", v[std::min(v.size() - 1, (size_t)(v.size() * p))]); v.clear(); }
int main() {
  float* in; uint4* times; CHECK(cudaMalloc(&in, 64 << 20)); CHECK(cudaMalloc(&times, sizeof h));
  void* flush; CHECK(cudaMalloc(&flush, 1 << 28));
  for (int warm : {0, 1}) for (int lane : {32, 16}) for (int blocks : {16, 132, 528, 1056}) for (int offset : {0, 8, 16, 24, 4096 * 1024}) for (int delay : {0, 400}) {
    if (lane == 16 && offset == 16) continue;
    int part = lane * 32;
    std::vector<int> a, b, c;
    for (int r = 0; r < 10; r++) {
    CHECK(cudaMemset(in, 1, 64 << 20)); CHECK(cudaDeviceSynchronize()); k_fill<<<528, 256>>>((uint4*)flush, 1 << 24, (uint32_t*)times); CHECK(cudaDeviceSynchronize());
    if (warm) { k_pairs<<<blocks, 128>>>(in, times, lane, offset, part, delay); CHECK(cudaDeviceSynchronize()); }
    CHECK(cudaMemset(times, 0, sizeof h)); k_pairs<<<blocks, 128>>>(in, times, lane, offset, part, delay); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h, times, sizeof h, cudaMemcpyDeviceToHost)); if (r < 2) continue;
    for (int w = 0; w < blocks * 4; w++) { a.push_back(h[w].z - h[w].x); b.push_back(h[w].w - h[w].z); c.push_back(h[w].w - h[w].y); }
    }
    printf("%s lane %d blocks %d offset %d delay %d:", warm ? "l2" : "dram", lane, blocks, offset, delay); print("first", a); print("| second-first", b); print("| second", c); printf("\n");
  }
}
