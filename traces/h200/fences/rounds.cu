// What a release costs in rounds as kernels have them: load, wait, arrive at the cluster's barrier with release, wait with acquire, read
// the other blocks, store. Cycles of the arrival and of a whole round after the second: ./rounds
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c) :: "memory"); return c; }
// loads, stores: 0 none, 1 of new lines each round, 2 of the same lines each round; loads 3: of new lines, not waited for before the
// arrival. `who`: all warps load and store, or the first only. `reads` words of other blocks for each warp.
__device__ __forceinline__ void rounds_of(const uint4* in, uint4* to, uint32_t* out, int loads, int stores, int who, int reads, int wait, int rounds, uint32_t ranks) {
  __shared__ uint32_t total[2]; uint32_t tid = threadIdx.x, all = blockDim.x, arrive = 0, begin = 0; uint4 v = make_uint4(tid, 0, 0, 0), late = v;
  size_t base = (size_t)blockIdx.x * rounds * all + tid; uint32_t at; asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(at) : "l"(&total[0])); bool acts = !who || tid < 32;
#pragma unroll 1
  for (int r = 0; r < rounds; r++) {
    if (r == 2) { begin = now(); arrive = 0; }
    if (loads && acts) { late = in[base + (loads != 2 ? (size_t)r * all : 0)]; if (loads != 3) v.x += late.x + late.y + late.z + late.w; }
    if (tid == 0) total[r & 1] = v.x;
    __syncthreads();
    uint32_t a = now() + (v.x == 0x12345678u); while (now() - a < wait) {}
    a = now(); asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); arrive += now() - a;
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (loads == 3) v.x += late.x + late.y + late.z + late.w;
    for (int i = 0; i < reads; i++) { uint32_t x; asm volatile("{ .reg .u32 a; mapa.shared::cluster.u32 a, %1, %2; ld.shared::cluster.u32 %0, [a]; }" : "=r"(x) : "r"(at + (r & 1) * 4), "r"(i % ranks) : "memory"); v.y += x; }
    if (stores && acts) to[base + (stores == 1 ? (size_t)r * all : 0)] = v;
  }
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  uint32_t end = now(); if (tid % 32 == 0) { uint32_t* o = out + (blockIdx.x * (all / 32) + tid / 32) * 2; o[0] = arrive; o[1] = end - begin; }
  if (v.y == 0x12345678u) out[0] = 0;
}
#define ROUNDS(N) extern "C" __global__ void __cluster_dims__(N, 1, 1) k_rounds_##N(const uint4* in, uint4* to, uint32_t* out, int loads, int stores, int who, int reads, int wait, int rounds) { rounds_of(in, to, out, loads, stores, who, reads, wait, rounds, N); }
ROUNDS(1) ROUNDS(8)
__global__ void touch(uint4* at, size_t n) { for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) { uint4 v = at[i]; v.x += 3; at[i] = v; } }
int main() {
  const int rounds = 14; uint4 *in, *to, *other; uint32_t* out; size_t n = (size_t)128 * rounds * 256;
  CHECK(cudaMalloc(&in, n * 16)); CHECK(cudaMalloc(&to, n * 16)); CHECK(cudaMalloc(&out, 128 * 8 * 8)); CHECK(cudaMalloc(&other, (size_t)512 << 20)); CHECK(cudaMemset(in, 0, n * 16)); CHECK(cudaMemset(to, 0, n * 16)); CHECK(cudaMemset(other, 0, (size_t)512 << 20));
  printf("# cluster,warps,blocks,loads,stores,who,reads,wait: arrival of all warps, of the first warps, of the block with the least, of that with the most, round\n");
  for (int cluster : {1, 8}) for (int blocks : {8, 128}) for (int warps : {1, 8}) for (int loads : {0, 1, 2, 3}) for (int stores : {0, 1, 2}) for (int who : {0, 1}) for (int reads : {0, 8}) for (int wait : {0, 1000}) {
    if (who && (warps == 1 || !(loads || stores))) continue;
    touch<<<1056, 256>>>(other, (size_t)512 << 16); CHECK(cudaDeviceSynchronize());
    (cluster == 1 ? k_rounds_1 : k_rounds_8)<<<blocks, warps * 32>>>(in, to, out, loads, stores, who, reads, wait, rounds); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    std::vector<uint32_t> h(blocks * warps * 2); CHECK(cudaMemcpy(h.data(), out, h.size() * 4, cudaMemcpyDeviceToHost)); double s[2] = {}, first = 0, least = 1e9, most = 0, d = rounds - 2;
    for (int b = 0; b < blocks; b++) { double of = 0; for (int w = 0; w < warps; w++) { uint32_t* o = &h[(b * warps + w) * 2]; of += o[0] / d / warps; s[1] += o[1] / d; if (!w) first += o[0] / d; } s[0] += of; least = std::min(least, of); most = std::max(most, of); }
    printf("%d,%d,%d,%d,%d,%d,%d,%d,%.1f,%.1f,%.1f,%.1f,%.1f\n", cluster, warps, blocks, loads, stores, who, reads, wait, s[0] / blocks, first / blocks, least, most, s[1] / (blocks * warps)); }
}
