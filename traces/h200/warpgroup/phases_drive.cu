// Launches phases.cubin.
#include "../harness.cuh"
#include <cuda.h>
#include <cuda_fp16.h>
static cudaLibrary_t lib;
int main(int, char** v) {
  CHECK(cudaLibraryLoadFromFile(&lib, v[1], 0, 0, 0, 0, 0, 0));
  uint32_t* o; CHECK(cudaMalloc(&o, 8192));
  puts("kernel,groups,pad,late: begin and end of each group's products in steps 0 to 11 and 39, from the first");
  for (const char* name : {"phases_64_4", "phases_128_1", "phases_128_2", "phases_128_4", "phases_128_8", "phases_256_1", "phases_256_4"}) for (int groups : {1, 2, 3}) for (int late : {0, 15}) for (int pad : {0, 5, 10, 15, 20, 25, 30, 40, 60}) {
    if (late && groups != 2 || groups == 3 && name[7] == '2') continue;
    cudaKernel_t k; CHECK(cudaLibraryGetKernel(&k, lib, name)); CHECK(cudaFuncSetAttribute((void*)k, cudaFuncAttributeMaxDynamicSharedMemorySize, 4 * 49152));
    int steps = 40; void* args[] = {&pad, &late, &steps, &o};
    CHECK(cudaLaunchKernel((void*)k, dim3(1), dim3(groups * 128), args, 4 * 49152, 0)); CHECK(cudaDeviceSynchronize());
    uint32_t h[1 + 240]; CHECK(cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost));
    uint32_t zero = h[1]; for (int g = 1; g < groups; g++) if ((int)(h[1 + g * 80] - zero) < 0) zero = h[1 + g * 80];
    printf("%s,%d,%d,%d: ", name, groups, pad, late);
    for (int i = 0; i < 40; i++) if (i < 12 || i == 39) { for (int g = 0; g < groups; g++) printf("%u-%u ", h[1 + (g * 40 + i) * 2] - zero, h[2 + (g * 40 + i) * 2] - zero); printf("| "); }
    puts("");
  }
}
