// How long each SM takes where all do the same and share what limits them: loads of level two, a line or a sector a lane, loads and stores
// of DRAM in order. Clusters of 16 blocks first say which SMs share a GPC.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
__device__ __forceinline__ uint32_t smid() { uint32_t s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__global__ void who(uint32_t* sm) { if (threadIdx.x == 0) sm[blockIdx.x] = smid(); __nanosleep(20000); }
// kind 0: lines of 16 MiB at random; 1: a sector a lane of 16 MiB; 2: loads of DRAM; 3: a copy; 4: stores; 5: all SMs the same lines
template <int KIND> __global__ void fair(uint32_t* in, uint32_t* out, unsigned long long* cycles, int rounds, uint32_t zero) {
  uint32_t sm = smid(), lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = blockDim.x / 32, sum = 0, h = (sm * 64 + warp) * 7919u;
  __syncthreads(); long long begin = clock64();
  for (int r = 0; r < rounds; r += 4) {
    uint32_t v[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      h = h * 1664525u + 1013904223u; size_t chunk = ((size_t)(sm * rounds + r + k) * warps + warp) * 32 + lane;
      if (KIND == 0) v[k] = in[(size_t)(h >> 8 & 131071) * 32 + lane];
      if (KIND == 1) v[k] = in[(size_t)(((h >> 8) ^ lane * 40503u) & 524287) * 8];
      if (KIND == 2 || KIND == 3) v[k] = in[chunk];
      if (KIND == 4) v[k] = h;
      if (KIND == 5) v[k] = in[((r + k) * warps + warp) % 8192 * 32 + lane];
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
      size_t chunk = ((size_t)(sm * rounds + r + k) * warps + warp) * 32 + lane;
      if (KIND == 3 || KIND == 4) out[chunk] = v[k]; else sum += v[k];
    }
  }
  __syncthreads(); if (threadIdx.x == 0) cycles[sm] = clock64() - begin;
  if (sum == zero + 0x12345) out[0] = sum;
}
int main() {
  uint32_t *in, *out, *dsm; unsigned long long* cycles; CHECK(cudaMalloc(&in, 512 << 20)); CHECK(cudaMemset(in, 0, 512 << 20)); CHECK(cudaMalloc(&out, 512 << 20)); CHECK(cudaMemset(out, 0, 512 << 20)); CHECK(cudaMalloc(&cycles, 256 * 8)); CHECK(cudaMalloc(&dsm, 4 * 4096));
  CHECK(cudaFuncSetAttribute(who, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)); CHECK(cudaFuncSetAttribute(who, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  int group[132]; for (int i = 0; i < 132; i++) group[i] = -1;
  for (int size : {16, 8, 4, 2}) for (int lap = 0; lap < 4; lap++) {
    cudaLaunchConfig_t c = {}; c.gridDim = 128; c.blockDim = 32; c.dynamicSmemBytes = 200 << 10; cudaLaunchAttribute a[1]; a[0].id = cudaLaunchAttributeClusterDimension; a[0].val.clusterDim.x = size; a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1; c.attrs = a; c.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&c, who, dsm)); uint32_t sm[128]; CHECK(cudaMemcpy(sm, dsm, sizeof sm, cudaMemcpyDeviceToHost));
    for (int g = 0; g < 128; g += size) { int known = -1; for (int i = 0; i < size; i++) if (group[sm[g + i]] >= 0) known = group[sm[g + i]]; if (known < 0) known = sm[g]; for (int i = 0; i < size; i++) if (group[sm[g + i]] < 0) group[sm[g + i]] = known; }
  }
  for (int kind = 0; kind < 6; kind++) for (int rounds : {16, 128}) for (int threads : {256, 1024}) {
    unsigned long long took[132]; double mean[132] = {};
    for (int lap = 0; lap < 3; lap++) {
      CHECK(cudaMemset(cycles, 0, 256 * 8));
#define RUN(K) if (kind == K) fair<K><<<132, threads>>>(in, out, cycles, rounds, 0);
      RUN(0) RUN(1) RUN(2) RUN(3) RUN(4) RUN(5)
      CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(took, cycles, sizeof took, cudaMemcpyDeviceToHost)); for (int i = 0; i < 132; i++) mean[i] += took[i] / 3.0;
    }
    double all = 0, most = 0, least = 1e30; for (double m : mean) { all += m / 132; most = std::max(most, m); least = std::min(least, m); }
    printf("kind %d, %d rounds of %d threads: mean %.0f, least %.3f, most %.3f; by GPC", kind, rounds, threads, all, least / all, most / all);
    for (int g = 0; g < 132; g++) { double sum = 0; int n = 0; for (int i = 0; i < 132; i++) if (group[i] == g) sum += mean[i], n++; if (n) printf(" %d:%.3f", n, sum / n / all); }
    printf("\n");
  }
}
