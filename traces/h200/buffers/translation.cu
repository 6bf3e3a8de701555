// What the translation of addresses costs: one lane chases lines of level two, each in another page of 2 MiB, and then warps load such
// lines with 1 to 32 pages an instruction, by how many pages there are in all.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
__device__ __forceinline__ uint32_t ld(const uint32_t* p) { uint32_t v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p)); return v; }
const int WORDS = 1 << 19; // of a page
__device__ size_t place(uint32_t page) { return (size_t)page * WORDS + (mix(page) & (WORDS - 1) & ~31u); }
__global__ void link(uint32_t* buf, uint32_t pages) { for (uint32_t p = threadIdx.x; p < pages; p += blockDim.x) buf[place(p)] = (p * 5 + 1) % pages == p ? 0 : (p + (pages > 8 ? pages / 2 - 1 : 1)) % pages; }
__global__ void chase(const uint32_t* buf, uint32_t* out, uint32_t pages, int steps, unsigned long long* cycles) {
  uint32_t p = 0; for (uint32_t i = 0; i < pages; i++) p = ld(buf + place(p % pages)) % pages;
  long long begin = clock64(); for (int i = 0; i < steps; i++) p = ld(buf + place(p)); cycles[0] = clock64() - begin; out[0] = p;
}
// every warp loads lines of `distinct` pages at once, of `pages` in all; lines_per_page lines of each page are used
__global__ void spread(const uint32_t* buf, uint32_t* out, uint32_t pages, int distinct, int rounds, unsigned long long* cycles) {
  uint32_t lane = threadIdx.x & 31, w = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, sum = 0;
  long long begin = clock64();
  for (int r = 0; r < rounds; r++) {
    uint32_t h = mix(w * 4096 + r), page = (h + (lane % distinct) * (pages > 32 ? mix(h ^ lane % distinct) | 1 : 1)) % pages;
    uint32_t line = (mix(h * 33 + lane) & 63) * 256 + (mix(page) & 255) ; sum += ld(buf + (size_t)page * WORDS + (size_t)(line & 16383) * 32);
  }
  __syncthreads(); if (threadIdx.x == 0) atomicMax(cycles, clock64() - begin);
  if (sum == 0x12345) out[0] = sum;
}
int main() {
  const size_t most = 4096; uint32_t *buf, *out; unsigned long long *cycles, took; CHECK(cudaMalloc(&buf, most * WORDS * 4)); CHECK(cudaMemset(buf, 0, most * WORDS * 4)); CHECK(cudaMalloc(&out, 4)); CHECK(cudaMalloc(&cycles, 8));
  for (uint32_t pages : {1, 2, 4, 8, 12, 15, 16, 17, 20, 24, 28, 32, 33, 40, 48, 56, 64, 65, 80, 96, 112, 128, 129, 160, 192, 256, 257, 320, 384, 512, 513, 640, 768, 1024, 1025, 1280, 1536, 2048, 3072, 4096}) {
    link<<<1, 256>>>(buf, pages); chase<<<1, 1>>>(buf, out, pages, 8192, cycles); CHECK(cudaMemcpy(&took, cycles, 8, cudaMemcpyDeviceToHost)); printf("chase over %u pages: %.1f cycles\n", pages, took / 8192.0);
  }
  for (int blocks : {1, 132}) for (int threads : {32, 1024}) for (uint32_t pages : {1, 4, 8, 16, 24, 32, 64, 128, 256, 512, 1024, 2048}) for (int distinct : {1, 2, 4, 8, 16, 32}) {
    if (distinct > (int)pages) continue;
    unsigned long long best = ~0ull; int rounds = 64;
    for (int lap = 0; lap < 3; lap++) { CHECK(cudaMemset(cycles, 0, 8)); spread<<<blocks, threads>>>(buf, out, pages, distinct, rounds, cycles); CHECK(cudaMemcpy(&took, cycles, 8, cudaMemcpyDeviceToHost)); best = std::min(best, took); }
    printf("%d blocks of %d threads, %u pages, %d an instruction: %.1f cycles an instruction\n", blocks, threads, pages, distinct, best / (double)rounds / (threads / 32)); fflush(stdout);
  }
}
