#include "common.cuh"
#define LU_HEAD __shared__ float row[16][16], column[16][16]; int x = threadIdx.x, y = threadIdx.y, gi = (blockIdx.y + 1) * 16, gj = (blockIdx.x + 1) * 16;
#define LU_SUM float s = 0; for (int i = 0; i < 16; i++) s += column[y][i] * row[i][x];
K k_lu_base(float* a, int n) { LU_HEAD row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); LU_SUM a[(gi + y) * n + gj + x] -= s; }
K k_lu_wide(float* a, int n) { __shared__ float row[16][32], column[8][32]; int x = threadIdx.x, y = threadIdx.y, gi = (blockIdx.y + 1) * 8, gj = (blockIdx.x + 1) * 32; row[y][x] = a[y * n + gj + x]; row[y + 8][x] = 1; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); float s = 0; for (int i = 0; i < 16; i++) s += column[y][i] * row[i][x]; a[(gi + y) * n + gj + x] -= s; }
K k_lu_apart(float* a, int n) { LU_HEAD gj *= 2; row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); LU_SUM a[(gi + y) * n + gj + x] -= s; }
K k_lu_other(float* a, float* b, int n) { LU_HEAD row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); LU_SUM b[(gi + y) * n + gj + x] = a[(gi + y) * n + gj + x] - s; }
K k_lu_nostore(float* a, float* b, int n) { LU_HEAD row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); LU_SUM s -= a[(gi + y) * n + gj + x]; if (s == 123.25f) b[0] = s; }
K k_lu_wait(float* a, int n) { LU_HEAD row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); LU_SUM __syncthreads(); a[(gi + y) * n + gj + x] -= s; }
K k_lu_first(float* a, int n) { LU_HEAD float v = a[(gi + y) * n + gj + x]; row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x] + v * 0.f; __syncthreads(); LU_SUM a[(gi + y) * n + gj + x] = v - s; }
K k_lu_alu(float* a, int n) { LU_HEAD row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); float s = column[y][15 - x], t = row[15 - y][x]; for (int i = 0; i < 48; i++) s = s * 1.0001f + t; a[(gi + y) * n + gj + x] -= s; }
// a half line of a block at a time, a pause between load and store: do neighbours wait?
K k_half(float* a, int rounds, int pause, int each) { int i = GLOBAL_X; int at = i / each * each * 1 + i % each; float v = a[at]; for (int k = 0; k < pause; k++) v = v * 1.0001f + 0.5f; a[at] = v; }
int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) if (!strcmp(argv[i], "--skip-clock")) g_skip_clock = true; else g_filter = argv[i];
  for (int n : {2048}) { dim3 g(n / 16 - 1, n / 16 - 1), b(16, 16);
#define LU(N) RUN("lu_" #N, k_lu_##N, g, b, 0, buf("a", F((size_t)n * n), HASH_F32, 1), i32(n));
    LU(base) LU(wait) LU(first) LU(alu)
    RUN("lu_wide", k_lu_wide, dim3(n / 32 - 1, n / 8 - 1), dim3(32, 8), 0, buf("a", F((size_t)n * n), HASH_F32, 1), i32(n));
    RUN("lu_apart", k_lu_apart, g, b, 0, buf("a", F((size_t)2 * n * n), HASH_F32, 1), i32(2 * n));
    RUN("lu_other", k_lu_other, g, b, 0, buf("a", F((size_t)n * n), HASH_F32, 1), TMP("b", (size_t)n * n), i32(n));
    RUN("lu_nostore", k_lu_nostore, g, b, 0, buf("a", F((size_t)n * n), HASH_F32, 1), TMP("b", 64), i32(n)); }
  for (int b : {16, 32, 64, 128, 256}) for (int p : {0, 16, 64}) RUN(nm("half_b%d_p%d", b, p), k_half, (1 << 20) / b, b, 0, IN("a", 1 << 20, 1), i32(1), i32(p), i32(256));
  return 0;
}
