// A word of each sector is written, by few blocks or many, in an order that leaves little or much between the sectors of one line: are
// the sectors of a line completed from DRAM together?
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
// Warps take pieces of 128 lines and write sector 0 of all of them, 32 an instruction, or of `lines` lines before the next sector.
extern "C" __global__ void group(uint32_t* out, uint32_t pieces, int lines, int sectors) {
  uint32_t lane = threadIdx.x & 31, warps = gridDim.x * (blockDim.x / 32), w = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  for (uint32_t p = w; p < pieces; p += warps) {
    uint32_t* q = out + (size_t)p * 4096;
    for (int first = 0; first < 128; first += lines) for (int s = 0; s < sectors; s++) for (int l = 0; l < lines; l += 32) q[(first + l + lane) * 32 + s * 8] = p;
  }
}
int main() {
  uint32_t* big; CHECK(cudaMalloc(&big, 256 << 20)); CHECK(cudaMemset(big, 0, 256 << 20));
  for (int threads : {32, 256}) for (int blocks : {33, 66, 132, 264, 1056}) for (int sectors : {1, 2, 4}) for (int lines : {32, 128}) {
    if (blocks * threads / 32 > 8192) continue;
    group<<<blocks, threads>>>(big, 8192, lines, sectors); CHECK(cudaDeviceSynchronize());
    printf("%d blocks of %d threads, %d sectors of a line, %d lines each\n", blocks, threads, sectors, lines);
  }
}
