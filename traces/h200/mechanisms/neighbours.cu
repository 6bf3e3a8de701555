#include "common.cuh"
// Half of a line is written, and the other half, which only DRAM has, is read `delay` steps later.
K k_half_miss(uint32_t* a, uint32_t* b, uint32_t* out, int mode, int delay, int rounds) {
  int lane = threadIdx.x & 31, warp = GLOBAL_X / 32, sub = lane & 15, two = lane >> 4; uint32_t sum = lane;
  for (int r = 0; r < rounds; r++) {
    size_t line = ((size_t)warp * rounds + r) * 2 + two; uint32_t* p = a + line * 32; uint32_t* q = (mode == 1 ? b : a) + line * 32;
    if (mode < 4) p[sub] = sum;
    for (int k = 0; k < delay; k++) sum = sum * 1664525u + 1013904223u;
    uint32_t v = mode == 2 ? __ldcg(q + sub) : mode == 5 ? __ldcg(q + sub) : __ldcg(q + 16 + sub); sum += v;
    if (mode == 3) p[16 + sub] = sum;
    if (mode == 5) p[sub] = sum + 1;
  }
  out[GLOBAL_X] = sum;
}
// Neighbours: warp w loads and stores one half of a line, warp w ^ 1 of another block the other half, one of them later.
K k_neighbours(uint32_t* a, uint32_t* out, int delay, int late, int rounds) {
  int lane = threadIdx.x & 31, sub = lane & 15, two = lane >> 4, half = blockIdx.x & 1, warp = (blockIdx.x / 2) * (blockDim.x / 32) + threadIdx.x / 32; uint32_t sum = lane;
  if (half) for (int k = 0; k < late; k++) sum = sum * 1664525u + 1013904223u;
  for (int r = 0; r < rounds; r++) {
    size_t line = ((size_t)warp * rounds + r) * 2 + two; uint32_t* p = a + line * 32 + half * 16 + sub; uint32_t v = __ldcg(p); sum ^= v & 1;
    for (int k = 0; k < delay; k++) sum = sum * 1664525u + 1013904223u;
    *p = sum;
  }
  out[GLOBAL_X] = sum;
}
#define LU_HEAD __shared__ float row[16][16], column[16][16]; int x = threadIdx.x, y = threadIdx.y, gi = (blockIdx.y + 1) * 16, gj = (blockIdx.x + 1) * 16;
#define LU_SUM float s = 0; for (int i = 0; i < 16; i++) s += column[y][i] * row[i][x];
// blocks in another order: neighbours far apart in time
K k_lu_order(float* a, int n, int step) { __shared__ float row[16][16], column[16][16]; int x = threadIdx.x, y = threadIdx.y, bx = (blockIdx.x * step) % gridDim.x, gi = (blockIdx.y + 1) * 16, gj = (bx + 1) * 16; row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); LU_SUM a[(gi + y) * n + gj + x] -= s; }
// the tiles of neighbours in lines of their own, but the column panel next to the first tile, or the other way round
K k_lu_column_shared(float* a, int n) { LU_HEAD gj = blockIdx.x == 0 ? 16 : (blockIdx.x + 1) * 32; row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); LU_SUM a[(gi + y) * n + gj + x] -= s; }
K k_lu_pairs(float* a, int n) { LU_HEAD gj += 16; row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); LU_SUM a[(gi + y) * n + gj + x] -= s; }
K k_lu_ahead(float* a, int n) { LU_HEAD row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); float v = a[(gi + y) * n + gj + x]; if (v == 123.25f) a[0] = v; LU_SUM a[(gi + y) * n + gj + x] = v - s; }
int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) if (!strcmp(argv[i], "--skip-clock")) g_skip_clock = true; else g_filter = argv[i];
  for (int m : {0, 1, 2, 3, 4, 5}) for (int d : {0, 8, 32, 128, 512}) RUN(nm("half_miss_m%d_d%d", m, d), k_half_miss, 1024, 256, 0, INTS("a", 1024 * 8 * 8 * 2 * 32, 1), INTS("b", 1024 * 8 * 8 * 2 * 32, 2), TMP("out", 1 << 18), i32(m), i32(d), i32(8));
  for (int d : {0, 32, 128}) for (int l : {0, 16, 64, 256}) RUN(nm("neighbours_d%d_l%d", d, l), k_neighbours, 1056, 256, 0, INTS("a", 528 * 8 * 8 * 2 * 32, 1), TMP("out", 1056 * 256), i32(d), i32(l), i32(8));
  int n = 2048; dim3 g(n / 16 - 1, n / 16 - 1), b(16, 16);
  for (int s : {1, 2, 5, 64}) RUN(nm("lu_order_%d", s), k_lu_order, g, b, 0, buf("a", F((size_t)n * n), HASH_F32, 1), i32(n), i32(s));
  RUN("lu_column_shared", k_lu_column_shared, g, b, 0, buf("a", F((size_t)2 * n * n), HASH_F32, 1), i32(2 * n));
  RUN("lu_pairs", k_lu_pairs, dim3(n / 16 - 2, n / 16 - 1), b, 0, buf("a", F((size_t)n * n), HASH_F32, 1), i32(n));
  RUN("lu_ahead", k_lu_ahead, g, b, 0, buf("a", F((size_t)n * n), HASH_F32, 1), i32(n));
  return 0;
}
