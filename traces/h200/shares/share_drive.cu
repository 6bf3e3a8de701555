// Launches share.cubin as the lines of its input say (the first seven numbers of shares.txt); prints clocks.
#include "../harness.cuh"
#include <cuda.h>
#include <cuda_fp16.h>
typedef CUresult (*Encode)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static Encode encode;
static CUtensorMap map(CUtensorMapDataType type, int bytes, void* base, uint64_t width, uint64_t height, uint32_t w, uint32_t h, CUtensorMapSwizzle swizzle) {
  CUtensorMap m; uint64_t size[2] = {width, height}, stride[1] = {width * bytes}; uint32_t box[2] = {w, h}, step[2] = {1, 1};
  if (encode(&m, type, 2, base, (cuuint64_t*)size, (cuuint64_t*)stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) { puts("no map"); exit(1); }
  return m;
}
static cudaLibrary_t lib;
// Halves from -2 to 2 in steps of an eighth.
static void halves(char* to, size_t count, uint32_t seed) {
  std::vector<__half> h(count); for (size_t i = 0; i < count; i++) h[i] = __float2half(((int)(mix32((uint32_t)i + seed * 0x9e3779b9u) >> 8 & 31) - 16) / 8.0f);
  CHECK(cudaMemcpy(to, h.data(), count * 2, cudaMemcpyHostToDevice));
}
int main(int, char** v) {
  CHECK(cudaLibraryLoadFromFile(&lib, v[1], 0, 0, 0, 0, 0, 0));
  cudaDriverEntryPointQueryResult found; CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void**)&encode, 12000, cudaEnableDefault, &found));
  char* a; uint32_t* o; CHECK(cudaMalloc(&a, 128 << 20)); CHECK(cudaMalloc(&o, 4096)); CHECK(cudaMemset(a, 0, 128 << 20));
  cudaKernel_t k; CHECK(cudaLibraryGetKernel(&k, lib, "share")); CHECK(cudaFuncSetAttribute((void*)k, cudaFuncAttributeMaxDynamicSharedMemorySize, 6 * 32768));
  int boxes = 8, steps = 256;
  CUtensorMap maps[2] = {map(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, a, 64, 132 * 8 * 128, 64, 128, CU_TENSOR_MAP_SWIZZLE_128B), map(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, a, 2048, 132 * 128, 64, 128, CU_TENSOR_MAP_SWIZZLE_128B)};
  puts("wide,sets,neighbours,stages,every,count,most,cycles of an SM for a step of 32 KiB: mean,least,most");
  int wide, sets, neighbours, stages, every, count, most;
  while (scanf("%d,%d,%d,%d,%d,%d,%d", &wide, &sets, &neighbours, &stages, &every, &count, &most) == 7) {
    CHECK(cudaMemset(o, 0, 4096));
    void* args[] = {maps + wide % 2, &a, &sets, &neighbours, &boxes, &wide, &steps, &stages, &every, &count, &most, &o};
    CHECK(cudaLaunchKernel((void*)k, dim3(132), dim3(32), args, 6 * 32768, 0)); CHECK(cudaDeviceSynchronize());
    uint32_t h[132]; CHECK(cudaMemcpy(h, o, 528, cudaMemcpyDeviceToHost));
    double sum = 0; int n = 0; uint32_t lo = ~0u, hi = 0; for (uint32_t x : h) if (x) { n++; sum += x; lo = x < lo ? x : lo; hi = x > hi ? x : hi; }
    printf("%d,%d,%d,%d,%d,%d,%d,%.1f,%.1f,%.1f\n", wide, sets, neighbours, stages, every, count, most, sum / n / (steps / 2), lo / (steps / 2.0), hi / (steps / 2.0)); fflush(stdout);
  }
}
