// Stores of one warp close behind each other to the same sectors: how far apart may they be, in cycles and in stores of others, to
// leave level one as one? So many dependent multiplications and a branch lie between them, or nothing. Each launch is one row of the profiler.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define ST(p, v) asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory")
#define ST2(p, v) asm volatile("st.global.v2.u32 [%0], {%1, %1};" :: "l"(p), "r"(v) : "memory")
// PATTERN 0: word k of 8 bytes a lane; 1: word k of 64 bytes a lane; 2: a line, again and again; 3: sector k of a line; 4: lines next to
// each other; 5: lanes 0 to 15, then 16 to 31 of a line; 6: even and odd words of a line; 7: as 0, with the stores of pairs to other
// lines between them; 8: word k of 16 bytes a lane; 9: as 0, two words each.
template <int PATTERN> __device__ __forceinline__ void store(uint32_t* p, uint32_t lane, int k, uint32_t v) {
  if (PATTERN == 0) ST(p + 2 * lane + k % 2 + k / 2 * 64, v);
  if (PATTERN == 1) ST(p + 16 * lane + k, v);
  if (PATTERN == 2) ST(p + lane, v);
  if (PATTERN == 3) { if (lane / 8 == k % 4) ST(p + lane, v); }
  if (PATTERN == 4) ST(p + lane + 32 * k, v);
  if (PATTERN == 5) { if (lane / 16 == k % 2) ST(p + lane, v); }
  if (PATTERN == 6) { if (lane % 2 == k % 2) ST(p + lane, v); }
  if (PATTERN == 7) ST(p + 2 * lane + k / 2 % 2 + k % 2 * 64 + k / 4 * 128, v);
  if (PATTERN == 8) ST(p + 4 * lane + k % 4 + k / 4 * 128, v);
  if (PATTERN == 9) ST2(p + 4 * lane + 2 * (k % 2) + k / 2 * 128, v);
}
template <int PATTERN, int STORES, int GAP> __device__ void body(uint32_t* out, int rounds, int mask, int step, uint32_t zero) {
  uint32_t lane = threadIdx.x & 31, warps = gridDim.x * (blockDim.x / 32), w = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, v = lane, h = w * 977u + 12345u;
  for (int r = 0; r < rounds; r++) {
    uint32_t* p = out + (size_t)(r * warps + w) * 512;
    h = h * 1664525u + 1013904223u; long long t = clock64() + ((h >> 8) & mask) + step;
    while (clock64() < t) { }
#pragma unroll
    for (int k = 0; k < STORES; k++) {
      store<PATTERN>(p, lane, k, v);
      if (GAP == 0) continue;
#pragma unroll
      for (int g = 0; g < GAP; g++) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(v) : "r"(h));
      if (v == zero) return;
    }
  }
}
#define K(P, S, G) extern "C" __global__ void near_##P##_##S##_##G(uint32_t* out, int rounds, int mask, int step, uint32_t zero) { body<P, S, G>(out, rounds, mask, step, zero); }
#define KG(P, S) K(P, S, 0) K(P, S, 2) K(P, S, 4) K(P, S, 8) K(P, S, 16)
KG(0, 2) K(0, 4, 0) K(0, 8, 0) KG(1, 2) KG(1, 4) KG(1, 16) KG(2, 2) K(2, 4, 0) K(2, 8, 0) K(2, 16, 0) KG(3, 4) K(4, 2, 0) K(4, 4, 0) K(5, 2, 0) K(6, 2, 0) K(7, 4, 0) K(7, 8, 0) KG(8, 4) K(9, 2, 0)
struct Kernel { const char* name; void (*f)(uint32_t*, int, int, int, uint32_t); };
#define R(P, S, G) {#P " " #S " " #G, near_##P##_##S##_##G},
#define RG(P, S) R(P, S, 0) R(P, S, 2) R(P, S, 4) R(P, S, 8) R(P, S, 16)
int main() {
  uint32_t* a; CHECK(cudaMalloc(&a, 1 << 30));
  Kernel kernels[] = {RG(0, 2) R(0, 4, 0) R(0, 8, 0) RG(1, 2) RG(1, 4) RG(1, 16) RG(2, 2) R(2, 4, 0) R(2, 8, 0) R(2, 16, 0) RG(3, 4) R(4, 2, 0) R(4, 4, 0) R(5, 2, 0) R(6, 2, 0) R(7, 4, 0) R(7, 8, 0) RG(8, 4) R(9, 2, 0)};
  for (auto& k : kernels) for (int blocks : {1, 132}) for (int threads : {32, 128, 256, 1024}) for (int mask : {0, 1023, 16383}) {
    if (blocks == 1 && threads == 128) continue;
    k.f<<<blocks, threads>>>(a, 16, mask, 300, 0); CHECK(cudaDeviceSynchronize());
    printf("pattern, stores, gap %s, %d blocks of %d threads, waits up to %d\n", k.name, blocks, threads, mask);
  }
}
