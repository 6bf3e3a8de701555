// Each granule of a buffer that only DRAM has is read once, or a word of each sector is written once, in an order that is at random
// within pieces of 2^window granules and in turn from piece to piece: how far does DRAM find what lies in the same row?
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
// a permutation of 2^bits numbers
__device__ uint32_t shuffle(uint32_t x, int bits) {
  if (bits == 0) return 0;
  uint32_t m = (1u << bits) - 1, s = (bits + 1) / 2;
  x = x * 0x9e3779b1u & m; x ^= x >> s; x = x * 0x85ebca6bu & m; x ^= x >> s; x = x * 0xc2b2ae35u & m; return x ^ x >> s;
}
__device__ uint32_t place(uint32_t i, int window) { return window < 0 ? i : (i >> window << window) + shuffle(i & ((1u << window) - 1), window); }
extern "C" __global__ void window_read(const uint32_t* in, uint32_t* out, uint32_t n, int window, int words) {
  uint32_t sum = 0;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[(size_t)place(i, window) * words];
  if (sum == 0x12345) out[0] = sum;
}
extern "C" __global__ void window_write(uint32_t* out, uint32_t n, int window, int words) {
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[(size_t)place(i, window) * words] = i;
}
int main() {
  uint32_t *big, *out; CHECK(cudaMalloc(&big, 1 << 30)); CHECK(cudaMemset(big, 0, 1 << 30)); CHECK(cudaMalloc(&out, 4));
  auto said = [](const char* what, int log, int window, int words) { CHECK(cudaDeviceSynchronize()); printf("%s 2^%d granules of %d bytes, window 2^%d\n", what, log, words * 4, window); };
  for (int log : {19, 22}) for (int words : {16, 32, 64}) for (int window : {0, 2, 4, 6, 8, 10, 12, 14, 16, 17, 18, 19, 20, 22}) {
    if (window > log || (log == 22 && words == 64)) continue;
    window_read<<<1056, 256>>>(big, out, 1u << log, window, words); said("read", log, window, words);
  }
  for (int log : {20, 23}) for (int words : {8, 32}) for (int window : {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}) {
    if (window > log || (words == 32 && log == 23)) continue;
    window_write<<<1056, 256>>>(big, 1u << log, window, words); said("write", log, window, words);
  }
}
