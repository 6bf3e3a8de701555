// Reads of one line by SMs of one GPC, so many cycles apart: how far apart may they be to reach level two as one request, and of
// how many SMs? A cluster of blocks, an SM each, reads the same lines with a barrier before each of them. Each launch is one row of
// the profiler; what other clusters load meanwhile is counted and printed.
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
__device__ __forceinline__ uint32_t ld(const uint32_t* p) { uint32_t v; asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p)); return v; }
struct Out { unsigned long long latency[16], asked[16]; unsigned long long loaded, stop; unsigned sm[16]; };
// kind 0: all read a line; 1: a sector of it; 2: rank 0 sector 0, the others sector 1; 3: rank 0 the line, the others a sector;
// 4: the other way round; 5: two sectors, the others one of them
extern "C" __global__ void share(const uint32_t* lines, const uint32_t* other, Out* out, int kind, uint32_t ranks, int apart, int n, int warm, int loaders) {
  auto cluster = cooperative_groups::this_cluster();
  uint32_t rank = cluster.block_rank(), lane = threadIdx.x & 31, sum = 0;
  if (blockIdx.x >= cluster.num_blocks()) {
    if ((int)(blockIdx.x / cluster.num_blocks()) > loaders) return;
    unsigned long long count = 0; uint32_t h = blockIdx.x * 1024 + threadIdx.x / 32;
    while (((volatile Out*)out)->stop == 0) { for (int k = 0; k < 8; k++) { h = mix(h + 1); sum += ld(other + (size_t)(h & 131071) * 32 + lane); } count += 8; }
    if (lane == 0) atomicAdd(&out->loaded, count);
    if (sum == 0x12345) out->loaded = sum;
    return;
  }
  if (threadIdx.x >= 32) { for (int r = 0; r < n + 1; r++) cluster.sync(); return; }
  if (lane == 0) { unsigned sm; asm("mov.u32 %0, %%smid;" : "=r"(sm)); out->sm[rank] = sm; }
  if (warm && rank == 0) for (int r = 0; r < n; r++) { uint32_t v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(lines + (size_t)r * 32 + lane)); sum += v; }
  if (sum == 0x12345) out->loaded = sum;
  cluster.sync();
  bool first = rank == 0, in = ranks >> rank & 1;
  uint32_t from = kind == 2 && !first ? 8 : 0, words = kind == 0 || (kind == 3 && first) || (kind == 4 && !first) ? 32 : kind == 5 && first ? 16 : 8;
  unsigned long long latency = 0, asked = 0;
  for (int r = 0; r < n; r++) {
    cluster.sync();
    long long t = clock64() + 1700 + (long long)apart * (apart < 0 || rank < 2 ? !first : (int)__popc(ranks & ((1u << rank) - 1)));
    if (!in) continue;
    while (clock64() < t) { }
    long long begin = clock64();
    if (lane >= from && lane < from + words) sum += ld(lines + (size_t)r * 32 + lane);
    sum += __shfl_sync(~0u, sum, from);
    if (sum == 0x54321) out->loaded = sum;
    latency += clock64() - begin; asked++;
  }
  if (lane == 0) { out->latency[rank] = latency; out->asked[rank] = asked; }
  cluster.sync();
  if (rank == 0 && lane == 0) out->stop = 1;
}
int main() {
  const int n = 256, size = 16;
  uint32_t *lines, *other; Out* out; CHECK(cudaMalloc(&lines, 1 << 20)); CHECK(cudaMalloc(&other, 16 << 20)); CHECK(cudaMallocManaged(&out, sizeof(Out)));
  CHECK(cudaMemset(lines, 0, 1 << 20)); CHECK(cudaMemset(other, 0, 16 << 20));
  Out* dev; CHECK(cudaMalloc(&dev, sizeof(Out))); Out host;
  CHECK(cudaFuncSetAttribute(share, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK(cudaFuncSetAttribute(share, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  auto run = [&](int kind, uint32_t ranks, int apart, int warm, int loaders) {
    CHECK(cudaMemset(dev, 0, sizeof(Out)));
    cudaLaunchConfig_t c = {}; c.gridDim = size * 6; c.blockDim = 256; c.dynamicSmemBytes = 200 << 10;
    cudaLaunchAttribute a[1]; a[0].id = cudaLaunchAttributeClusterDimension; a[0].val.clusterDim.x = size; a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1; c.attrs = a; c.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&c, share, (const uint32_t*)lines, (const uint32_t*)other, dev, kind, ranks, apart, n, warm, loaders)); CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&host, dev, sizeof(Out), cudaMemcpyDeviceToHost));
    printf("kind %d, ranks %04x, %d apart, %s, %d loaders, loaded %llu, latency", kind, ranks, apart, warm ? "warm" : "cold", loaders, host.loaded);
    for (int i = 0; i < size; i++) if (ranks >> i & 1) printf(" %.1f", (double)host.latency[i] / (host.asked[i] + 1e-9));
    printf("\n"); fflush(stdout);
    static bool said = false; if (!said) { said = true; fprintf(stderr, "SMs"); for (int i = 0; i < size; i++) fprintf(stderr, " %u", host.sm[i]); fprintf(stderr, "\n"); }
  };
  int aparts[] = {-1500, -1000, -700, -500, -400, -350, -300, -270, -240, -210, -180, -150, -120, -90, -60, -30, 0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 350, 400, 500, 700, 1000, 1500};
  for (uint32_t ranks : {3u, 0x8001u}) for (int kind = 0; kind < 6; kind++) for (int apart : aparts) run(kind, ranks, apart, 1, 0);
  for (int kind : {0, 1}) for (int apart : aparts) run(kind, 0x81, apart, 0, 0);
  for (int kind : {0, 1}) for (int apart : aparts) run(kind, 0x81, apart, 1, 5);
  for (int warm : {0, 1}) for (int kind : {0, 1}) for (int apart : {0, 10, 40}) for (uint32_t ranks : {3u, 5u, 9u, 0x11u, 0x21u, 0x7u, 0x15u, 0x1fu, 0xffu, 0x5555u, 0xffffu}) run(kind, ranks, apart, warm, 0);
  for (int kind : {0, 1}) for (int apart : {0, 10, 40}) for (uint32_t ranks : {3u, 0x7u, 0x1fu, 0xffu, 0x5555u, 0xffffu}) run(kind, ranks, apart, 1, 5);
}
