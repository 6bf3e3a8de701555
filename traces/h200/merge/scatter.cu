// Stores at random to so many KiB: a word, a sector or a line at a time, and how often the same sector is written again meanwhile.
#include <cstdint>
#include <cstdio>
__device__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
// each group of `lanes` neighbouring lanes stores to one granule at random, of which there are mask + 1, `apart` words apart
__global__ void k_scatter(uint32_t* out, uint32_t mask, int lanes, int apart, int rounds) {
  uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; r++) { uint32_t g = mix((t / lanes) * 977u + r * 0x9e3779b9u) & mask; out[(size_t)g * apart + t % lanes] = t; }
}
// each warp stores a word to each of 32 lines, warps next to each other the next word
__global__ void k_column(uint32_t* out, uint32_t lines, uint32_t warps_a_word) {
  uint32_t w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  uint32_t word = w / warps_a_word % 32, line = (w % warps_a_word * 32 + lane) % lines; out[(size_t)line * 32 + word] = w;
}
int main() {
  char* big; size_t nbig = 256ull << 20; cudaMalloc(&big, nbig); cudaMemset(big, 0, nbig);
  for (int lanes : {1, 8, 32}) for (int kib : {16, 64, 256, 1024, 4096, 16384, 131072}) k_scatter<<<528, 256>>>((uint32_t*)big, kib * 256 / lanes - 1, lanes, lanes, lanes == 1 ? 4 : 16);
  for (int kib : {64, 256, 1024, 4096, 16384, 131072}) k_scatter<<<528, 256>>>((uint32_t*)big, kib * 32 - 1, 1, 8, 4);
  for (int kib : {64, 256, 1024, 4096, 16384}) k_scatter<<<528, 256>>>((uint32_t*)big, kib * 8 - 1, 1, 32, 4);
  for (int warps : {32, 64, 128, 256, 512, 1024, 2048}) k_column<<<1056, 256>>>((uint32_t*)big, 1 << 20, warps);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
