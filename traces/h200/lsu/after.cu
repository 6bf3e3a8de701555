// How long a load of level two takes behind stores of the same warp: each step loads one word per active lane at random, notes the
// time, and stores to the same words, to those of another buffer, to both or to none. Means, and percentiles, over all warps.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define K extern "C" __global__ void
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
static const int STEPS = 32;
// stores: 1 to the words loaded, 2 to those of `other`, 4 to other words of `cost`, 8 of `other` before the load of the step before is waited for
K k_after(uint32_t* cost, uint32_t* other, uint32_t* out, uint32_t mask, int lanes, int stores, int pause) {
  int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32; uint32_t seed = mix(warp * 977 + 5);
  for (int i = 0; i < STEPS; i++) {
    uint32_t at = mix(seed + i * 32 + lane) & mask, bt = mix(seed + i * 32 + lane + 0x40000000) & mask, v = 0; uint32_t t0 = now();
    if (lane < lanes) { asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(cost + at) : "memory"); if (v == 77) break; }
    uint32_t t1 = now(); if (lane == 0) out[warp * STEPS + i] = t1 - t0;
    if (lane < lanes) { if (stores & 1) asm volatile("st.global.u32 [%0], %1;" :: "l"(cost + at), "r"(5) : "memory"); if (stores & 2) asm volatile("st.global.u32 [%0], %1;" :: "l"(other + at), "r"(1) : "memory"); if (stores & 4) asm volatile("st.global.u32 [%0], %1;" :: "l"(cost + bt), "r"(1) : "memory"); }
    if (pause) { uint32_t from = now(); while (now() - from < pause) {} }
    __syncwarp(); } }
K k_read(const uint4* p, uint32_t* out, size_t n) { uint32_t s = 0; for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) { uint4 v = __ldcg(p + i); s += v.x ^ v.y ^ v.z ^ v.w; } if (s == 12345) out[0] = s; }
int main() {
  uint32_t *cost, *other, *out, *far; size_t nfar = 512ull << 20; CHECK(cudaMalloc(&cost, 32 << 20)); CHECK(cudaMalloc(&other, 32 << 20)); CHECK(cudaMalloc(&out, 4 * 132 * 64 * STEPS)); CHECK(cudaMalloc(&far, nfar));
  CHECK(cudaMemset(far, 0, nfar)); CHECK(cudaMemset(cost, 0, 32 << 20)); CHECK(cudaMemset(other, 0, 32 << 20)); std::vector<uint32_t> h;
  for (int kib : {256, 4096}) for (int state : {0, 1, 2}) for (int blocks : {1, 128}) for (int warps : {1, 16}) for (int lanes : {1, 4, 32}) for (int stores : {0, 1, 2, 3, 4}) for (int pause : {0, 1000}) {
    if (pause && stores != 3) continue; if (state == 1 && kib != 256) continue;
    // state 0: both cold; 1: cost in level two; 2: both in level two
    CHECK(cudaMemset(cost, 0, 32 << 20)); CHECK(cudaMemset(other, 0, 32 << 20)); k_read<<<1056, 256>>>((uint4*)far, out, nfar / 16);
    if (state >= 1) for (int r = 0; r < 2; r++) k_read<<<264, 256>>>((uint4*)cost, out, kib * 64); if (state >= 2) for (int r = 0; r < 2; r++) k_read<<<264, 256>>>((uint4*)other, out, kib * 64);
    k_after<<<blocks, 32 * warps>>>(cost, other, out, kib * 256 - 1, lanes, stores, pause); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    h.resize(blocks * warps * STEPS); CHECK(cudaMemcpy(h.data(), out, 4 * h.size(), cudaMemcpyDeviceToHost)); double s = 0; int n = 0; std::vector<uint32_t> v; for (size_t i = 0; i < h.size(); i++) if (i % STEPS >= 2) { v.push_back(h[i]); s += h[i]; n++; }
    std::sort(v.begin(), v.end());
    printf("%d KiB, %s, %d blocks of %d warps, %d lanes, stores %d, pause %d | mean %.1f, 5 %% %u, 50 %% %u, 95 %% %u\n", kib, state == 0 ? "cold" : state == 1 ? "loaded words in L2" : "both in L2", blocks, warps, lanes, stores, pause, s / n, v[n / 20], v[n / 2], v[n * 19 / 20]); } }
