// Launches the kernels of a cubin (first argument) with the tensor maps that the lines of standard input describe, and prints each
// line with the words of its map behind it and a checksum of what the kernel left, or, of a kernel that reads clocks, these.
// A line: name kernel grid repeats type rank size[5] stride[4] box[5] step[5] interleave swizzle promotion fill at[5] bytes n last
#include "../harness.cuh"
#include <cuda.h>
#include <iostream>
#include <sstream>
#include <algorithm>
typedef CUresult (*Encode)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static uint64_t fnv(const std::vector<uint32_t>& words) { uint64_t s = 0xcbf29ce484222325ull; for (uint32_t w : words) s = (s ^ w) * 0x100000001b3ull; return s; }
int main(int, char** v) {
  cudaLibrary_t lib; CHECK(cudaLibraryLoadFromFile(&lib, v[1], 0, 0, 0, 0, 0, 0));
  void* entry; cudaDriverEntryPointQueryResult found; CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
  Encode encode = (Encode)entry;
  char* base; CHECK(cudaMalloc(&base, 512 << 20)); uint32_t *in, *out; CHECK(cudaMalloc(&in, 64 << 10)); CHECK(cudaMalloc(&out, 64 << 10));
  char* flush; CHECK(cudaMalloc(&flush, 256 << 20));
  init_buffer<<<64, 256>>>(in, 16384, HASH_F32, 2, 0);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream s(line); std::string name, kernel; int grid, repeats, type, rank, interleave, swizzle, promotion, fill, at[5], bytes, n, last;
    uint64_t size[5], stride[5]; uint32_t box[5], step[5];
    s >> name >> kernel >> grid >> repeats >> type >> rank; for (auto& x : size) s >> x; for (int i = 0; i < 4; i++) s >> stride[i]; for (auto& x : box) s >> x; for (auto& x : step) s >> x;
    s >> interleave >> swizzle >> promotion >> fill; for (auto& x : at) s >> x; s >> bytes >> n >> last;
    if (!s) continue;
    CUtensorMap map; memset(&map, 0, sizeof map);
    int rc = encode(&map, (CUtensorMapDataType)type, rank, base, (cuuint64_t*)size, (cuuint64_t*)stride, box, step, (CUtensorMapInterleave)interleave, (CUtensorMapSwizzle)swizzle, (CUtensorMapL2promotion)promotion, (CUtensorMapFloatOOBfill)fill);
    printf("%s | %d", line.c_str(), rc);
    uint64_t words[16]; memcpy(words, &map, 128);
    for (int i = 0; i < 16; i++) if (i == 0) printf(" %llx", (unsigned long long)(words[0] ? words[0] - (uint64_t)base : 0)); else printf(" %llx", (unsigned long long)words[i]);
    if (rc) { printf("\n"); continue; }
    cudaKernel_t k; CHECK(cudaLibraryGetKernel(&k, lib, kernel.c_str())); CHECK(cudaFuncSetAttribute((void*)k, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
    bool clocks = kernel.find("time") == 0 || kernel.find("stream") == 0;
    for (int repeat = 0; repeat < repeats; repeat++) {
      if (!clocks) init_buffer<<<64, 256>>>((uint32_t*)base, 1 << 18, HASH_F32, 1, 0);
      CHECK(cudaMemset(out, 0, 64 << 10)); if (clocks) CHECK(cudaMemset(flush, repeat, 256 << 20));
      struct { int c[5]; } a; memcpy(&a, at, sizeof a);
      void* args[] = {&map, &in, &out, &a, &bytes, &n, &last};
      CHECK(cudaLaunchKernel((void*)k, dim3(grid), dim3(clocks ? 32 : 128), args, 100 << 10, 0)); cudaError_t e = cudaDeviceSynchronize();
      if (e) { printf(" | %s\n", cudaGetErrorString(e)); return 1; }
      bool writes = kernel.find("load") != 0;
      std::vector<uint32_t> left(clocks ? (kernel.find("stream") == 0 ? grid : 8) : writes ? 1 << 18 : 12288); CHECK(cudaMemcpy(left.data(), clocks || !writes ? out : (uint32_t*)base, left.size() * 4, cudaMemcpyDeviceToHost));
      if (kernel.find("stream") == 0) { std::sort(left.begin(), left.end()); printf(" | %u %u %u", left[0], left[grid / 2], left[grid - 1]); }
      else if (clocks) { printf(" |"); for (uint32_t w : left) printf(" %u", w); }
      else printf(" | %016llx", (unsigned long long)fnv(left));
    }
    printf("\n"); fflush(stdout);
  }
}
