// Launches pitch.cubin twice each; prints cycles of the first block for each round of a warp.
#include "../harness.cuh"
#include <string>
int main(int, char** v) {
  cudaLibrary_t lib; CHECK(cudaLibraryLoadFromFile(&lib, v[1], 0, 0, 0, 0, 0, 0));
  char* in; int* out; CHECK(cudaMalloc(&in, 64 << 20)); CHECK(cudaMalloc(&out, 4096)); CHECK(cudaMemset(in, 0, 64 << 20));
  for (const char* name : {"past", "by"}) for (int warps : {1, 16}) for (int blocks : {1, 132}) for (int row : {64, 128, 512}) for (int pitch : {64, 80, 96, 112, 128, 144, 160, 176, 192}) {
    if (row != 512 && pitch < row || row == 512 && pitch != 128) continue;
    if (blocks == 132 && (pitch > 144 || pitch == 96 || pitch == 112)) continue;
    cudaKernel_t k; CHECK(cudaLibraryGetKernel(&k, lib, name)); CHECK(cudaFuncSetAttribute((void*)k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    int rounds = blocks == 1 ? 64 : 16; void* args[] = {&in, &row, &pitch, &rounds, &out};
    for (int r = 0; r < 2; r++) { CHECK(cudaLaunchKernel((void*)k, dim3(blocks), dim3(32 * warps), args, 40000, 0)); CHECK(cudaDeviceSynchronize()); }
    int h[2]; CHECK(cudaMemcpy(h, out, 8, cudaMemcpyDeviceToHost)); printf("%s,%d,%d,%d,%d,%d,%.2f\n", name, row, pitch, warps, blocks, rounds, h[1] / (double)rounds / warps); fflush(stdout);
  }
}
