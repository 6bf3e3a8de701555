// When each of six loads of a warp is issued and when its words are there, for all warps of one SM: words of one to 32 lines a load, three
// loads of each sector or one, from DRAM (level two holds clean lines of another buffer) and from level two.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
struct Times { uint32_t sm, issued[7], there[6], pad[18]; };
// Fills level two with clean lines.
extern "C" __global__ void k_fill(const uint4* from, size_t n, uint32_t* out) { uint32_t s = 0; for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += from[i].x; if (s == 12345) *out = s; }
// Word `lane * lane_words + i % 3 * inner + i / 3 * outer` of a part of `part` words for each warp.
extern "C" __global__ void __launch_bounds__(128) k_turns(const float* in, Times* times, int lane_words, int inner, int outer, int part) {
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32; uint32_t sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  const float* p = in + (size_t)w * part + lane * lane_words; float m[6]; uint32_t issued[7], there[6];
#pragma unroll
  for (int i = 0; i < 6; i++) { issued[i] = now(); asm volatile("ld.global.f32 %0, [%1];" : "=f"(m[i]) : "l"(p + i % 3 * inner + i / 3 * outer) : "memory"); }
  issued[6] = now();
#pragma unroll
  for (int i = 0; i < 6; i++) asm volatile("{ .reg .pred p; setp.eq.f32 p, %1, 0f12345678; @p trap; mov.u32 %0, %%clock; }" : "=r"(there[i]) : "f"(m[i]) : "memory");
  if (lane == 0) { Times& t = times[w]; t.sm = sm;
#pragma unroll
    for (int i = 0; i < 6; i++) { t.issued[i] = issued[i]; t.there[i] = there[i]; }
    t.issued[6] = issued[6]; }
}
static Times h[4096];
int main() {
  float* in; Times* times; CHECK(cudaMalloc(&in, 64 << 20)); CHECK(cudaMalloc(&times, sizeof h));
  void* flush; CHECK(cudaMalloc(&flush, 1 << 28));
  struct { const char* name; int lane, inner, outer, part; } const shapes[] = {{"16 lines, three loads a sector", 16, 1, 8, 512}, {"32 lines, three loads a sector", 32, 1, 8, 1024}, {"32 lines, a line a load", 32, 1024, 3072, 8192}, {"1 line a load", 1, 32, 96, 256}, {"4 lines a load", 4, 128, 384, 1024}};
  for (auto& s : shapes) for (int warm : {0, 1}) for (int blocks : {132, 528}) for (int r = 0; r < 2; r++) {
    if ((size_t)blocks * 4 * s.part * 4 > (64u << 20)) continue;
    CHECK(cudaMemset(in, 1, 64 << 20)); CHECK(cudaDeviceSynchronize()); k_fill<<<528, 256>>>((uint4*)flush, 1 << 24, (uint32_t*)times); CHECK(cudaDeviceSynchronize());
    if (warm) { k_turns<<<blocks, 128>>>(in, times, s.lane, s.inner, s.outer, s.part); CHECK(cudaDeviceSynchronize()); }
    CHECK(cudaMemset(times, 0, sizeof h)); k_turns<<<blocks, 128>>>(in, times, s.lane, s.inner, s.outer, s.part); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h, times, sizeof h, cudaMemcpyDeviceToHost)); if (!r) continue;
    for (int w = 0; w < blocks * 4; w++) if (h[w].sm == h[0].sm) {
      printf("%s, from %s, %d blocks, warp %d: issued", s.name, warm ? "level two" : "DRAM", blocks, w);
      for (int i = 0; i < 7; i++) printf(" %d", (int)(h[w].issued[i] - h[0].issued[0])); printf("; there");
      for (int i = 0; i < 6; i++) printf(" %d", (int)(h[w].there[i] - h[0].issued[0])); printf("\n"); }
  }
}
