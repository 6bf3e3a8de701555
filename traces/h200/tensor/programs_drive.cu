// Launches the kernels of programs.cubin; prints a checksum of what each leaves (FNV-1a over words).
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
static void run(const char* name, dim3 grid, int block, int shared, void** args, uint32_t* out, size_t words) {
  cudaKernel_t k; CHECK(cudaLibraryGetKernel(&k, lib, name)); if (shared) CHECK(cudaFuncSetAttribute((void*)k, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  CHECK(cudaLaunchKernel((void*)k, grid, dim3(block), args, shared, 0)); CHECK(cudaDeviceSynchronize());
  std::vector<uint32_t> h(words); CHECK(cudaMemcpy(h.data(), out, words * 4, cudaMemcpyDeviceToHost));
  uint64_t s = 0xcbf29ce484222325ull; for (uint32_t w : h) s = (s ^ w) * 0x100000001b3ull; printf("%s,%d,%016llx\n", name, grid.x, (unsigned long long)s);
}
// Halves from -2 to 2 in steps of an eighth.
static void halves(char* to, size_t count, uint32_t seed) {
  std::vector<__half> h(count); for (size_t i = 0; i < count; i++) h[i] = __float2half(((int)(mix32((uint32_t)i + seed * 0x9e3779b9u) >> 8 & 31) - 16) / 8.0f);
  CHECK(cudaMemcpy(to, h.data(), count * 2, cudaMemcpyHostToDevice));
}
int main(int, char** v) {
  CHECK(cudaLibraryLoadFromFile(&lib, v[1], 0, 0, 0, 0, 0, 0));
  cudaDriverEntryPointQueryResult found; CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void**)&encode, 12000, cudaEnableDefault, &found));
  char *a, *b; uint32_t* o; CHECK(cudaMalloc(&a, 32 << 20)); CHECK(cudaMalloc(&b, 32 << 20)); CHECK(cudaMalloc(&o, 64 << 20));
  init_buffer<<<1024, 256>>>((uint32_t*)a, 8 << 20, HASH_I32, 1, 0); init_buffer<<<1024, 256>>>((uint32_t*)b, 8 << 20, HASH_I32, 2, 0);
  for (int n : {512, 1024, 2048}) {
    halves(a, (size_t)n * n, 1); halves(b, (size_t)n * n, 2);
    CHECK(cudaMemset(o, 0, 64 << 20));
    CUtensorMap ma = map(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, a, n, n, 64, 128, CU_TENSOR_MAP_SWIZZLE_128B), mb = map(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, b, n, n, 64, 128, CU_TENSOR_MAP_SWIZZLE_128B);
    void* args[] = {&ma, &mb, &o, &n, &n}; run("gemm", dim3(n / 128, n / 128), 384, 131072, args, o, (size_t)n * n);
  }
  for (int n : {512, 2048}) {
    CHECK(cudaMemset(o, 0, 64 << 20)); init_buffer<<<1024, 256>>>((uint32_t*)a, 8 << 20, HASH_F32, 1, 0);
    CUtensorMap ma = map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, a, n, n, 36, 34, CU_TENSOR_MAP_SWIZZLE_NONE), mo = map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, o, n, n, 32, 32, CU_TENSOR_MAP_SWIZZLE_NONE);
    int zero = 0; void* args[] = {&ma, &mo, &zero}; run("blur", dim3(n / 32, n / 32), 256, 0, args, o, (size_t)n * n);
  }
  init_buffer<<<1024, 256>>>((uint32_t*)b, 8 << 20, HASH_I32, 2, 0);
  for (int n : {132, 1056}) {
    CHECK(cudaMemset(o, 0, 64 << 20));
    CUtensorMap mo = map(CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, o, 256, 4, 256, 1, CU_TENSOR_MAP_SWIZZLE_NONE);
    int each = 4096; void* args[] = {&mo, &b, &each}; run("counts", dim3(n), 256, 0, args, o, 1024);
  }
}
