// Stores of one warp, one after another, to the same sectors: does level one put them together before they leave? Each launch is
// one row of the profiler: kernel merge_MODE, grid 1 or 132 blocks, its warps, then in its name's place what lies between.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define ST(p, v) asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory")
#define ST2(p, v) asm volatile("st.global.v2.u32 [%0], {%1, %1};" :: "l"(p), "r"(v) : "memory")
// MODE 0: words 2 l, then 2 l + 1 (half of each of 8 sectors); 1: lanes 0-15, then 16-31 of a line (its other sectors); 2: a line twice;
// 3: even, then odd words of a line; 4: as 0, the second by the next warp; 5: as 0 with 8 bytes; 6: word j of a sector a lane, j = 0 to 7;
// 7: as 6, but sectors of 32 rows far apart; 8: two words of two sectors of a line, then the others
template <int MODE> __device__ void body(uint32_t* out, uint32_t* other, int gap, int between, int rounds) {
  uint32_t lane = threadIdx.x & 31, warps = gridDim.x * (blockDim.x / 32), w = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, v = lane;
  for (int r = 0; r < rounds; r++) {
    uint32_t* p = out + (size_t)(r * warps + w) * 256; uint32_t* q = other + (size_t)(r * warps + w) * 1024;
    for (int part = 0; part < (MODE == 6 || MODE == 7 ? 8 : 2); part++) {
      if (MODE == 0) ST(p + 2 * lane + part, v);
      if (MODE == 1) { if (lane / 16 == part) ST(p + lane, v); }
      if (MODE == 2) ST(p + lane, v);
      if (MODE == 3) { if ((lane & 1) == part) ST(p + lane, v); }
      if (MODE == 4) ST(((w & 1) ^ part ? p - 256 * (w & 1) : p + 256 * (1 - (int)(w & 1))) + 2 * lane + (w & 1), v);
      if (MODE == 5) ST2(p + 4 * lane + 2 * part, v);
      if (MODE == 6) ST(p + 8 * lane + part, v);
      if (MODE == 7) ST(out + (size_t)lane * 65536 + (r * warps + w) % 8192 * 8 + part, v);
      if (MODE == 8) { if (lane < 4) ST(p + lane * 8 + part, v); }
      for (int k = 0; k < gap; k++) v = v * 3 + 1;
      if (part == 0 || MODE >= 6) for (int b = 0; b < between; b++) ST(q + 32 * b + lane, v);
    }
  }
}
#define K(M) extern "C" __global__ void merge_##M(uint32_t* out, uint32_t* other, int gap, int between, int rounds) { body<M>(out, other, gap, between, rounds); }
K(0) K(1) K(2) K(3) K(4) K(5) K(6) K(7) K(8)
int main() {
  uint32_t *a, *b; CHECK(cudaMalloc(&a, 64 << 20)); CHECK(cudaMalloc(&b, 64 << 20));
  void (*k[])(uint32_t*, uint32_t*, int, int, int) = {merge_0, merge_1, merge_2, merge_3, merge_4, merge_5, merge_6, merge_7, merge_8};
  for (int m = 0; m < 9; m++) for (int blocks : {1, 132}) for (int threads : {32, 64, 256}) for (int gap : {0, 16, 64, 256}) for (int between : {0, 1, 2, 4, 8}) {
    if (gap && between) continue; if (m == 4 && threads == 32) continue;
    k[m]<<<blocks, threads>>>(a, b, gap, between, 4); CHECK(cudaDeviceSynchronize());
    printf("mode %d, %d blocks of %d threads, %d between, gap %d\n", m, blocks, threads, between, gap);
  }
}
