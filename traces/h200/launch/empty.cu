// Empty kernels by blocks, threads, shared memory and cluster; three launches of each, under a profiler that flushes the caches:
//   ncu --csv --cache-control all --clock-control none --metrics sm__cycles_elapsed.max,sm__cycles_active.avg ./empty
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
extern "C" __global__ void k_empty(uint32_t* out) { if (threadIdx.x == 1024) *out = 1; }
int main() {
  uint32_t* out; CHECK(cudaMalloc(&out, 4)); CHECK(cudaFuncSetAttribute((const void*)k_empty, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  for (int blocks : {1, 16, 128}) for (int threads : {32, 256}) for (int kib : {0, 16, 48, 100, 200}) for (int cluster : {0, 1, 2, 8}) for (int lap = 0; lap < 3; lap++) {
    if (blocks % (cluster ? cluster : 1)) continue;
    cudaLaunchConfig_t c = {}; c.gridDim = blocks; c.blockDim = threads; c.dynamicSmemBytes = kib * 1024; cudaLaunchAttribute a[1]; a[0].id = cudaLaunchAttributeClusterDimension; a[0].val.clusterDim.x = cluster; a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1; c.attrs = a; c.numAttrs = cluster ? 1 : 0;
    CHECK(cudaLaunchKernelEx(&c, k_empty, out)); CHECK(cudaDeviceSynchronize()); if (cluster < 1 || blocks % cluster == 0) printf("%d,%d,%d,%d\n", blocks, threads, kib, cluster); }
}
