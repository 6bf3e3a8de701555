// What a refresh does while DRAM is busy: one long kernel whose pace changes; single loads that hit in level two or miss it note when
// they begin and how long they take, the warps that load from DRAM when each of their loads ends.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ uint32_t nanoseconds() { uint32_t t; asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(t) :: "memory"); return t; }
// The clock when the nanoseconds change, and these.
__device__ __forceinline__ uint2 moment() { uint32_t n = nanoseconds(), m; do m = nanoseconds(); while (m == n); return make_uint2(now(), m); }
__device__ __forceinline__ float load(const float* p) { float v; asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory"); return v; }
extern "C" __global__ void k_warm(const float* in, int lines, float* out) { float s = 0; for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x) s += in[i * 32]; if (s == 12345) *out = s; }
extern "C" __global__ void k_fill(const uint4* from, size_t n, uint32_t* out) { uint32_t s = 0; for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += from[i].x; if (s == 12345) *out = s; }
constexpr int PROBES = 640, STEPS = 512;
// Blocks of 1,024 threads, one an SM. Every 17th probes with one lane of each of its first 16 warps, hits and misses in turn; the others keep
// what hits in level two. The warps of the other blocks load a sector of 32 lines, or 16 whole lines (`whole`), each `gaps[segment]` cycles.
extern "C" __global__ void __launch_bounds__(1024) k_busy(const float* in, const float* resident, uint2* probes, uint2* ends, uint2* starts, float* out, int4 gaps, int segment, int segments, int span, int whole) {
  __shared__ uint2 shared_start; int lane = threadIdx.x % 32, warp = threadIdx.x / 32; if (threadIdx.x == 0) { shared_start = moment(); starts[blockIdx.x] = shared_start; } __syncthreads(); uint32_t t0 = shared_start.x; float s = 0; uint32_t duration = segment * segments;
  if (blockIdx.x % 17 == 0) {
    uint32_t p = blockIdx.x / 17 * 16 + warp % 16;
    if (warp < 16) {
      if (lane == 0) for (int i = 0; i < PROBES; i++) {
        while (now() - t0 < i * (duration / PROBES) + warp * 77);
        uint32_t at = (p * PROBES + i) * 2654435761u; bool cold = (i + warp) & 1;
        const float* q = cold ? in + (size_t)(span + (at >> 10)) * 32 : resident + (size_t)(at >> 21) * 32;
        uint32_t a = now(); float v = load(q); uint32_t b;
        asm volatile("{ .reg .pred p; setp.eq.f32 p, %1, 0f12345678; @p trap; mov.u32 %0, %%clock; }" : "=r"(b) : "f"(v) : "memory");
        probes[p * PROBES + i] = make_uint2(a - t0, (b - a) * 2 + cold);
      }
    } else {
      for (uint32_t k = 0; k * 3000 < duration; k = max(k + 1, (now() - t0) / 3000)) { while (now() - t0 < k * 3000 + warp * 180); for (int i = 0; i < 4; i++) s += load(resident + (size_t)((warp - 16) * 128 + i * 32 + lane) * 32); }
      if (s == 12345) *out = s;
    }
    return;
  }
  uint32_t w = (blockIdx.x - blockIdx.x / 17 - 1) * 32 + warp, W = (gridDim.x - (gridDim.x + 16) / 17) * 32; uint32_t i = 0, k = 0;
  for (int g = 0; g < segments; g++) {
    uint32_t gap = g % 4 == 0 ? gaps.x : g % 4 == 1 ? gaps.y : g % 4 == 2 ? gaps.z : gaps.w, from = g * segment, until = from + segment; uint32_t j = 0;
    while (now() - t0 < from + warp * gap / 32);
    while (now() - t0 < until) {
      uint32_t a = now();
      if (whole) {
        float4 v[4];
#pragma unroll
        for (int j = 0; j < 4; j++) { uint32_t four = (i * 4 + j) * W + w; four %= span / 4; const float* q = in + (size_t)four * 128 + lane * 4;
          asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v[j].x), "=f"(v[j].y), "=f"(v[j].z), "=f"(v[j].w) : "l"(q) : "memory"); }
#pragma unroll
        for (int j = 0; j < 4; j++) s += v[j].x + v[j].y + v[j].z + v[j].w;
      } else { uint32_t line = (i * W + w) * 32 + lane; line %= span; s += load(in + (size_t)line * 32); }
      i++; if (s == 12345) *out = s;
      if (lane == 0 && k < STEPS) ends[w * STEPS + k] = make_uint2(a - t0, now() - a);
      k++; j++;
      while (now() - t0 < from + j * gap + warp * gap / 32 && now() - t0 < until);
    }
  }
}
int main(int argc, char** argv) {
  const char* folder = argv[1];
  float *in, *resident, *out; uint2 *probes, *ends, *starts; const int span = 4 << 20; size_t np = 8 * 16 * PROBES, ne = 124 * 32 * STEPS;
  CHECK(cudaMalloc(&in, 1 << 30)); CHECK(cudaMemset(in, 0, 1 << 30)); CHECK(cudaMalloc(&resident, 8 << 20)); CHECK(cudaMemset(resident, 0, 8 << 20)); CHECK(cudaMalloc(&probes, np * 8)); CHECK(cudaMalloc(&ends, ne * 8)); CHECK(cudaMalloc(&starts, 132 * 8)); CHECK(cudaMalloc(&out, 4));
  void* flush; CHECK(cudaMalloc(&flush, 1 << 28)); CHECK(cudaMemset(flush, 0, 1 << 28));
  std::vector<uint2> hp(np), he(ne), hs(132);
  for (int whole : {0, 1}) for (int r = 0; r < 3; r++) {
    int4 gaps = whole ? make_int4(33860, 5000, 4200, 812) : make_int4(33860, 4837, 3762, 812); CHECK(cudaMemset(probes, 0, np * 8)); CHECK(cudaMemset(ends, 0, ne * 8));
    k_fill<<<528, 256>>>((uint4*)flush, 1 << 24, (uint32_t*)out); k_warm<<<528, 256>>>(resident, 2048, out); k_warm<<<528, 256>>>(resident, 2048, out); CHECK(cudaDeviceSynchronize());
    k_busy<<<132, 1024>>>(in, resident, probes, ends, starts, out, gaps, 200000, 8, span, whole); CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(hp.data(), probes, np * 8, cudaMemcpyDeviceToHost)); CHECK(cudaMemcpy(he.data(), ends, ne * 8, cudaMemcpyDeviceToHost)); CHECK(cudaMemcpy(hs.data(), starts, 132 * 8, cudaMemcpyDeviceToHost)); if (!r) continue;
    char name[256]; snprintf(name, 256, "%s/probes_%d_%d.bin", folder, whole, r); FILE* f = fopen(name, "wb"); fwrite(hs.data(), 8, 132, f); fwrite(hp.data(), 8, np, f); fclose(f);
    snprintf(name, 256, "%s/ends_%d_%d.bin", folder, whole, r); f = fopen(name, "wb"); fwrite(he.data(), 8, ne, f); fclose(f);
  }
}
