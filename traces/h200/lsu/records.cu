// Loads of records: 32 lanes that load 4, 8 or 16 bytes of lines of their own (or of 16 or 8 lines), at one place of each line or
// at places that share no bank; of lines that level one has, of lines of level two, and of level two the second half of each sector as
// well. One SM or all of them; cycles between two loads of one SM.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define OK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t mix32(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16; return x; }
template <int B> __device__ __forceinline__ uint32_t get(const char* p) {
  uint32_t a, b, c, d;
  if (B == 4) { asm volatile("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(p)); return a; }
  if (B == 8) { asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p)); return a + b; }
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p)); return a + b + c + d;
}
// `lines` lines an instruction, each of `each` lanes; TWICE loads what lies `B` bytes further as well.
template <int B, bool TWICE> __global__ void records(const char* in, uint32_t* out, unsigned long long* cycles, int lines, int spread, uint32_t mask, int rounds) {
  uint32_t lane = threadIdx.x & 31, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, group = lane % lines, sum = 0;
  uint32_t place = spread ? lane * B % 128 : lane / lines * B;
  for (int lap = 0; lap < 2; lap++) {
    __syncthreads(); unsigned long long begin = clock64();
    for (int r = 0; r < rounds; r += 4) {
      uint32_t v[8];
#pragma unroll
      for (int k = 0; k < 4; k++) {
        const char* p = in + (size_t)((mix32((warp * 4096 + r + k) * 32 + group) & mask) * 128) + place;
        v[2 * k] = get<B>(p); v[2 * k + 1] = TWICE ? get<B>((const char*)((uintptr_t)p ^ B)) : 0;
      }
#pragma unroll
      for (int k = 0; k < 8; k++) sum += v[k];
    }
    __syncthreads(); unsigned long long end = clock64();
    if (lap == 1 && threadIdx.x == 0) atomicMax(cycles, end - begin);
    if (mask > 1023) rounds += rounds & 1;
  }
  if (sum == 0x12345) out[0] = sum;
}
int main() {
  char* in; uint32_t* out; unsigned long long *cycles, took; OK(cudaMalloc(&in, 16 << 20)); OK(cudaMemset(in, 1, 16 << 20)); OK(cudaMalloc(&out, 4)); OK(cudaMalloc(&cycles, 8));
  for (int kib : {32, 4096}) for (int blocks : {1, 132}) for (int bytes : {4, 8, 16}) for (bool twice : {false, true}) for (int lines : {32, 16, 8}) for (int spread : {0, 1}) {
    unsigned long long best = ~0ull; int rounds = 64; uint32_t mask = kib * 8 - 1;
    for (int lap = 0; lap < 3; lap++) {
      OK(cudaMemset(cycles, 0, 8));
#define RUN(B, T) records<B, T><<<blocks, 1024>>>(in, out, cycles, lines, spread, mask, rounds)
      if (bytes == 4) { if (twice) RUN(4, true); else RUN(4, false); } else if (bytes == 8) { if (twice) RUN(8, true); else RUN(8, false); } else { if (twice) RUN(16, true); else RUN(16, false); }
      OK(cudaDeviceSynchronize()); OK(cudaMemcpy(&took, cycles, 8, cudaMemcpyDeviceToHost)); best = std::min(best, took);
    }
    printf("%d KiB, %d SMs, %d bytes a lane%s, %d lines, %s: %.2f cycles a load\n", kib, blocks, bytes, twice ? " twice" : "", lines, spread ? "places spread" : "one place", best / (32.0 * rounds * (twice ? 2 : 1))); fflush(stdout);
  }
}
