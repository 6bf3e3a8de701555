// How long a load of a probe takes, that hits in level two or misses it, while others load at a rate from level two or DRAM.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ float load(const float* p) { float v; asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory"); return v; }
extern "C" __global__ void k_warm(const float* in, int lines, float* out) { float s = 0; for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x) s += in[i * 32]; if (s == 12345) *out = s; }
constexpr int PROBES = 64;
extern "C" __global__ void k_fill(const uint4* from, size_t n, uint32_t* out) { uint32_t s = 0; for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += from[i].x; if (s == 12345) *out = s; }
// Blocks of 1,024 threads, one an SM. Every 17th probes with one lane, and keeps 2,048 lines in level two; each warp of the others loads eight lines, or a sector of 32 lines, each `gap` cycles.
extern "C" __global__ void __launch_bounds__(1024) k_probe(const float* in, const float* resident, uint32_t* times, uint32_t* counts, float* out, int gap, int span, int spread, int cold, int duration) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32; uint32_t t0 = now(); float s = 0;
  if (blockIdx.x % 17 == 0) {
    int p = blockIdx.x / 17;
    if (warp == 0) {
      if (lane == 0) for (int i = 0; i < PROBES; i++) {
        while (now() - t0 < 4000 + i * duration / 80);
        uint32_t at = (p * PROBES + i) * 2654435761u;
        const float* q = cold ? in + (size_t)(span + (at >> 11)) * 32 : resident + (size_t)(at >> 21) * 32;
        uint32_t a = now(); float v = load(q); uint32_t b;
        asm volatile("{ .reg .pred p; setp.eq.f32 p, %1, 0f12345678; @p trap; mov.u32 %0, %%clock; }" : "=r"(b) : "f"(v) : "memory");
        times[p * PROBES + i] = b - a;
      }
    } else if (warp <= 16) {
      for (int k = 0; k * 3000 < duration; k++) { while (now() - t0 < k * 3000 + warp * 180); for (int i = 0; i < 4; i++) s += load(resident + (size_t)((warp - 1) * 128 + i * 32 + lane) * 32); }
      if (s == 12345) *out = s;
    }
    return;
  }
  uint32_t w = (blockIdx.x - blockIdx.x / 17 - 1) * 32 + warp, W = (gridDim.x - (gridDim.x + 16) / 17) * 32; uint32_t i = 0, k = 0;
  while (now() - t0 < warp * gap / 32);
  while (now() - t0 < duration) {
    if (spread == 1) {
      float v[8];
#pragma unroll
      for (int j = 0; j < 8; j++) { uint32_t line = (i + j) * W + w; if (line >= span) line %= span; v[j] = load(in + (size_t)line * 32 + lane); }
#pragma unroll
      for (int j = 0; j < 8; j++) s += v[j];
      i += 8;
    } else { uint32_t line = (i * W + w) * 32 + lane; if (line >= span) line %= span; s += load(in + (size_t)line * 32); i++; if (s == 12345) *out = s; }
    k++;
    while (now() - t0 < k * gap + warp * gap / 32) ;
  }
  if (lane == 0) counts[w] = i;
  if (s == 12345) *out = s;
}
static uint32_t h[8 * PROBES], n[8192];
int main() {
  float *in, *resident, *out; uint32_t *times, *counts; CHECK(cudaMalloc(&in, 1 << 30)); CHECK(cudaMemset(in, 0, 1 << 30)); CHECK(cudaMalloc(&resident, 8 << 20)); CHECK(cudaMemset(resident, 0, 8 << 20)); CHECK(cudaMalloc(&times, sizeof h)); CHECK(cudaMalloc(&counts, sizeof n)); CHECK(cudaMalloc(&out, 4));
  void* flush; CHECK(cudaMalloc(&flush, 1 << 28)); CHECK(cudaMemset(flush, 0, 1 << 28));
  const int duration = 40000;
  for (int spread : {1, 32}) for (int span : {4 << 20, 64 << 10}) for (int rate : {240, 720, 1200, 1680, 1920, 2160, 2400, 10000}) for (int cold : {0, 1}) {
    int g = (spread == 1 ? 124 * 32 * 1024 : 124 * 32 * 2048) / rate; std::vector<uint32_t> v; double bytes = 0;
    for (int r = 0; r < 4; r++) {
      k_fill<<<528, 256>>>((uint4*)flush, 1 << 24, (uint32_t*)times);
      if (span < 1 << 20) { k_warm<<<528, 256>>>(in, span, out); k_warm<<<528, 256>>>(in, span, out); }
      k_warm<<<528, 256>>>(resident, 2048, out); k_warm<<<528, 256>>>(resident, 2048, out);
      CHECK(cudaMemset(counts, 0, sizeof n)); CHECK(cudaDeviceSynchronize());
      k_probe<<<132, 1024>>>(in, resident, times, counts, out, g, span, spread, cold, duration); CHECK(cudaDeviceSynchronize());
      CHECK(cudaMemcpy(h, times, sizeof h, cudaMemcpyDeviceToHost)); CHECK(cudaMemcpy(n, counts, sizeof n, cudaMemcpyDeviceToHost)); if (!r) continue;
      for (uint32_t x : h) v.push_back(x); for (uint32_t x : n) bytes += x * (spread == 1 ? 128.0 : 2048.0);
    }
    std::sort(v.begin(), v.end()); double m = 0; for (uint32_t x : v) m += x;
    printf("%s of %s, gap %d: %.0f bytes a cycle, %s: mean %.0f:", spread == 1 ? "lines" : "sectors", span < 1 << 20 ? "level two" : "DRAM", g, bytes / 3 / duration, cold ? "misses" : "hits", m / v.size());
    for (double p : {0.0, .05, .25, .5, .75, .9, .99, 1.0}) printf(" %u", v[std::min(v.size() - 1, (size_t)(v.size() * p))]); printf("\n");
  }
}
