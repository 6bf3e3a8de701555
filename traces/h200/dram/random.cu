// DRAM: how much of what a kernel has written leaves for DRAM while it runs, and stores and loads at random.
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cstring>
__global__ void k_write(float4* out, int n, long long wait) {
  long long t = clock64();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = make_float4(i, 1, 2, 3);
  while (clock64() - t < wait) {}
}
__device__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
// each group of `lanes` neighbouring lanes goes to one granule of lanes*4 bytes at random
__global__ void k_store_random(uint32_t* out, uint32_t mask, int lanes, int rounds) {
  uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; r++) { uint32_t g = mix((t / lanes) * 977u + r * 0x9e3779b9u) & mask; out[(size_t)g * lanes + t % lanes] = t; }
}
__global__ void k_store_word(uint32_t* out, uint32_t mask, int granule, int rounds) {
  uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; r++) { uint32_t g = mix(t * 977u + r * 0x9e3779b9u) & mask; out[(size_t)g * granule] = t; }
}
__global__ void k_load_random(const uint32_t* in, uint32_t* out, uint32_t mask, int lanes, int rounds) {
  uint32_t t = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
  for (int r = 0; r < rounds; r += 4) { uint32_t v[4];
    for (int q = 0; q < 4; q++) { uint32_t g = mix((t / lanes) * 977u + (r + q) * 0x9e3779b9u) & mask; v[q] = in[(size_t)g * lanes + t % lanes]; }
    s += v[0] + v[1] + v[2] + v[3]; }
  if (s == 12345) out[t] = s;
}
// one word of every sector of whole lines in order: stride in words
__global__ void k_store_stride(uint32_t* out, int stride, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) out[i * stride] = i;
}
__global__ void k_load_stride(const uint32_t* in, uint32_t* out, int stride, size_t n) {
  uint32_t s = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += in[i * stride];
  if (s == 12345) out[0] = s;
}
int main(int c, char** v) {
  char* big; size_t nbig = 2ull << 30; cudaMalloc(&big, nbig); cudaMemset(big, 0, nbig); char* o; cudaMalloc(&o, 1 << 24);
  if (!strcmp(v[1], "write")) {
    for (int mib : {1, 2, 4, 8, 16, 24, 32, 48}) for (long long w : {0, 10000, 50000, 200000}) k_write<<<1056, 256>>>((float4*)big, mib * 65536, w);
    for (long long w : {0, 10000, 50000, 200000}) k_write<<<132, 256>>>((float4*)big, 4 * 65536, w);
  } else if (!strcmp(v[1], "random")) {
    for (int lanes : {1, 8, 16, 32, 64}) { uint32_t mask = (uint32_t)((1ull << 30) / (lanes * 4)) - 1; k_store_random<<<1056, 256>>>((uint32_t*)big, mask, lanes, lanes >= 8 ? 64 : 16); }
    for (int gran : {8, 16, 32}) { uint32_t mask = (uint32_t)((1ull << 30) / (gran * 4)) - 1; k_store_word<<<1056, 256>>>((uint32_t*)big, mask, gran, 16); }
    for (int lanes : {1, 8, 16, 32, 64}) { uint32_t mask = (uint32_t)((1ull << 30) / (lanes * 4)) - 1; k_load_random<<<1056, 256>>>((uint32_t*)big, (uint32_t*)o, mask, lanes, lanes >= 8 ? 64 : 16); }
    for (int stride : {1, 2, 4, 8, 16, 32}) k_store_stride<<<1056, 256>>>((uint32_t*)big, stride, (1ull << 29) / 4 / stride);
    for (int stride : {1, 2, 4, 8, 16, 32}) k_load_stride<<<1056, 256>>>((uint32_t*)big, (uint32_t*)o, stride, (1ull << 29) / 4 / stride);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
