#include "common.cuh"
// ---- LU ablation
#define LU_HEAD __shared__ float row[16][16], column[16][16]; int x = threadIdx.x, y = threadIdx.y, gi = (blockIdx.y + 1) * 16, gj = (blockIdx.x + 1) * 16;
#define LU_SUM float s = 0; for (int i = 0; i < 16; i++) s += column[y][i] * row[i][x];
K k_lu_base(float* a, int n) { LU_HEAD row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); LU_SUM a[(gi + y) * n + gj + x] -= s; }
K k_lu_col(float* a, int n) { LU_HEAD row[y][x] = (float)(gj + x); column[y][x] = a[(gi + y) * n + x]; __syncthreads(); LU_SUM a[(gi + y) * n + gj + x] -= s; }
K k_lu_row(float* a, int n) { LU_HEAD row[y][x] = a[y * n + gj + x]; column[y][x] = (float)(gi + y); __syncthreads(); LU_SUM a[(gi + y) * n + gj + x] -= s; }
K k_lu_none(float* a, int n) { LU_HEAD row[y][x] = (float)(gj + x); column[y][x] = (float)(gi + y); __syncthreads(); LU_SUM a[(gi + y) * n + gj + x] -= s; }
K k_lu_noa(float* a, int n) { LU_HEAD row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); LU_SUM a[(gi + y) * n + gj + x] = s; }
K k_lu_four(float* a, int n) { LU_HEAD row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); float s = 0; for (int i = 0; i < 4; i++) s += column[y][i] * row[i][x]; a[(gi + y) * n + gj + x] -= s; }
K k_lu_one(float* a, int n) { LU_HEAD row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); float s = column[y][15 - x] * row[15 - y][x]; a[(gi + y) * n + gj + x] -= s; }
K k_lu_early(float* a, int n) { LU_HEAD float v = a[(gi + y) * n + gj + x]; row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); LU_SUM a[(gi + y) * n + gj + x] = v - s; }
K k_lu_cg(float* a, int n) { LU_HEAD row[y][x] = __ldcg(a + y * n + gj + x); column[y][x] = __ldcg(a + (gi + y) * n + x); __syncthreads(); LU_SUM float v = __ldcg(a + (gi + y) * n + gj + x); a[(gi + y) * n + gj + x] = v - s; }
K k_lu_flat(float* a, const float* b, int n) { LU_HEAD int t = y * 16 + x; row[y][x] = b[t]; column[y][x] = b[256 + t]; __syncthreads(); LU_SUM size_t at = ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * 256 + t; a[at] -= s; }
// ---- latency of loads of level two beside accesses to shared memory or arithmetic
template <int KIND> __device__ __forceinline__ void work(int& v, int* s, int rounds) {
  for (int r = 0; r < rounds; r++) {
#pragma unroll
    for (int k = 0; k < 8; k++) {
      if (KIND == 0) v += s[(threadIdx.x & 31) + 32 * k];
      if (KIND == 1) v += s[((threadIdx.x & 31) * 2 + 64 * k) & 2047];
      if (KIND == 2) s[(threadIdx.x & 31) + 32 * k] = v + k;
      if (KIND == 3) v = v * 3 + k;
      if (KIND == 4) { int4 q = ((int4*)s)[(threadIdx.x & 1) + 2 * k]; v += q.x + q.y + q.z + q.w; }
      if (KIND == 5) { int4 q = ((int4*)s)[(threadIdx.x & 31) + 32 * k]; v += q.x + q.y + q.z + q.w; }
    }
  }
}
template <int KIND> __device__ __forceinline__ void under(const unsigned* a, unsigned* cycles, int rounds, int steps) {
  __shared__ int s[2048]; __shared__ volatile int stop; for (int i = threadIdx.x; i < 2048; i += blockDim.x) s[i] = 0; if (!threadIdx.x) stop = 0; __syncthreads();
  if (threadIdx.x / 32 == blockDim.x / 32 - 1) {
    unsigned at = threadIdx.x & 31, t0, t1; for (int i = 0; i < steps; i++) at = (__ldcg(a + at) & 1) + at + 32;   // the table is warm after this lap
    at = threadIdx.x & 31; t0 = clock(); for (int i = 0; i < steps; i++) at = (__ldcg(a + at) & 1) + (at & ~1u) + 32 + (threadIdx.x & 1); t1 = clock();
    if ((threadIdx.x & 31) == 0) { cycles[1] = (t1 - t0) / steps; cycles[2] = at; stop = 1; }
  } else { int v = threadIdx.x; for (int r = 0; r < rounds; r++) { work<KIND>(v, s, 4); if (stop) break; } if (v == 123456789) cycles[3] = v; }
}
#define UNDER(N, KIND) K N(const unsigned* a, unsigned* cycles, int rounds, int steps) { under<KIND>(a, cycles, rounds, steps); }
UNDER(k_latency_under_lds, 0) UNDER(k_latency_under_lds2, 1) UNDER(k_latency_under_sts, 2) UNDER(k_latency_under_imad, 3) UNDER(k_latency_under_lds128b, 4) UNDER(k_latency_under_lds128, 5)
// ---- shared loads of all widths, nothing else
template <class T, int KIND> __device__ __forceinline__ void lds(unsigned* cycles, unsigned* out, int rounds) {
  __shared__ T s[1024]; for (int i = threadIdx.x; i < 1024 * (int)sizeof(T) / 4; i += blockDim.x) ((int*)s)[i] = 0; __syncthreads();
  unsigned t0 = clock(), sum = 0; int lane = threadIdx.x & 31, at = KIND == 0 ? 0 : KIND == 1 ? lane : KIND == 2 ? lane / 16 : lane / 8;
  for (int r = 0; r < rounds; r++) {
    T v[8];
#pragma unroll
    for (int k = 0; k < 8; k++) { v[k] = s[at + 32 * k]; }
#pragma unroll
    for (int k = 0; k < 8; k++) for (int w = 0; w < (int)sizeof(T) / 4; w += 4) sum += ((int*)&v[k])[w];
    at ^= sum & 1;
  }
  __syncthreads(); unsigned t1 = clock(); if (!threadIdx.x) { cycles[1] = (t1 - t0) * 10 / (rounds * 8); } out[threadIdx.x] = sum;
}
#define LDSK(N, T, KIND) K N(unsigned* cycles, unsigned* out, int rounds) { lds<T, KIND>(cycles, out, rounds); }
LDSK(k_latency_w32_all, unsigned, 0) LDSK(k_latency_w32_own, unsigned, 1) LDSK(k_latency_w64_all, uint2, 0) LDSK(k_latency_w64_own, uint2, 1) LDSK(k_latency_w128_all, uint4, 0) LDSK(k_latency_w128_own, uint4, 1) LDSK(k_latency_w128_half, uint4, 2) LDSK(k_latency_w128_quarter, uint4, 3)
// ---- MUFU loops
K k_mufu_chain(const float* p, float* out, int n) { float s = p[GLOBAL_X]; for (int b = 0; b < n; b++) { asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(s)); } out[GLOBAL_X] = s; }
K k_mufu_two(const float* p, float* out, int n) { float s = p[GLOBAL_X], t = s + 1; for (int b = 0; b < n; b++) { asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(s)); asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(t)); s = s * 1.5f + t; } out[GLOBAL_X] = s + t; }
K k_mufu_wide(const float* p, float* out, int n) { float s[8]; for (int i = 0; i < 8; i++) s[i] = p[GLOBAL_X] + i; for (int b = 0; b < n; b++) for (int i = 0; i < 8; i++) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(s[i])); float t = 0; for (int i = 0; i < 8; i++) t += s[i]; out[GLOBAL_X] = t; }
K k_mufu_full(const float* p, float* out, int n) { float s = p[GLOBAL_X]; for (int b = 0; b < n; b++) s = rsqrtf(s); out[GLOBAL_X] = s; }
K k_mufu_fma(const float* p, float* out, int n) { float s = p[GLOBAL_X], t = s, u = s; for (int b = 0; b < n; b++) { float r; asm volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(s)); t = fmaf(r, t, 1.f); u = fmaf(r, u, 2.f); s = fmaf(s, 1.5f, 0.25f); } out[GLOBAL_X] = s + t + u; }
// ---- warm and cold gathers behind a barrier of the grid
__device__ __forceinline__ void grid_barrier(unsigned* gate) { __syncthreads(); if (!threadIdx.x) { __threadfence(); atomicAdd(gate, 1u); while (*(volatile unsigned*)gate < gridDim.x) { } __threadfence(); } __syncthreads(); }
K k_warm(const float* record, float* out, unsigned* gate, int mask, int rounds, int warm) {
  int i = GLOBAL_X; float s = 0; int threads = gridDim.x * blockDim.x;
  if (warm) for (int l = i; l <= mask; l += threads) s += __ldcg(record + (size_t)l * 32);
  grid_barrier(gate);
  for (int r = 0; r < rounds; r++) s += record[(size_t)(mix32(i + r * 1000003u) & mask) * 32];
  out[i] = s;
}
// ---- byte loads that miss, and images of bytes
#define NINE(NAME, T, OP) K NAME(const T* in, T* out, int w, int h) { int x = GLOBAL_X, y = GLOBAL_Y; int s = 0; for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) { int xx = min(max(x + i, 0), w - 1), yy = min(max(y + j, 0), h - 1); s += (int)in[yy * w + xx]; } OP; }
NINE(k_nine_u8, unsigned char, out[y * w + x] = (unsigned char)s) NINE(k_nine_u16, unsigned short, out[y * w + x] = (unsigned short)s) NINE(k_nine_u32, unsigned, out[y * w + x] = (unsigned)s)
NINE(k_nine_u8_nostore, unsigned char, if (s == 123456789) out[0] = s) NINE(k_nine_u32_nostore, unsigned, if (s == 123456789) out[0] = s)
#define COPY(NAME, T) K NAME(const T* in, T* out) { int i = GLOBAL_X; out[i] = in[i]; }
COPY(k_copy_u8, unsigned char) COPY(k_copy_u16, unsigned short) COPY(k_copy_u32, unsigned)
#define STREAM(NAME, T) K NAME(const T* in, unsigned* out, int each) { int i = GLOBAL_X, all = gridDim.x * blockDim.x; unsigned s = 0; _Pragma("unroll 8") for (int k = 0; k < each; k++) s += in[i + k * all]; out[i] = s; }
STREAM(k_stream_u8, unsigned char) STREAM(k_stream_u16, unsigned short) STREAM(k_stream_u32, unsigned)
#define BURST(NAME, T) K NAME(const T* in, unsigned* out, int rounds) { unsigned s = 0; const T* p = in + threadIdx.x; for (int r = 0; r < rounds; r++) { unsigned v[16]; _Pragma("unroll") for (int k = 0; k < 16; k++) v[k] = p[k * 64]; _Pragma("unroll") for (int k = 0; k < 16; k++) s ^= v[k]; p += s & 1; } out[GLOBAL_X] = s; }
BURST(k_burst_u8, unsigned char) BURST(k_burst_u16, unsigned short) BURST(k_burst_u32, unsigned)
int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) if (!strcmp(argv[i], "--skip-clock")) g_skip_clock = true; else g_filter = argv[i];
  for (int n : {2048}) { dim3 g(n / 16 - 1, n / 16 - 1), b(16, 16);
#define LU(N) RUN("lu_" #N, k_lu_##N, g, b, 0, buf("a", F((size_t)n * n), HASH_F32, 1), i32(n));
    LU(base) LU(col) LU(row) LU(none) LU(noa) LU(four) LU(one) LU(early) LU(cg)
    RUN("lu_flat", k_lu_flat, g, b, 0, buf("a", F((size_t)n * n), HASH_F32, 1), IN("b", 512, 2), i32(n)); }
  for (int w : {1, 2, 5, 9, 17, 32}) {
#define UN(N) RUN(nm("latency_under_" #N "_%d", w), k_latency_under_##N, 1, 32 * w, 0, IN("a", 1 << 16, 1), TMP("cycles", 8), i32(1000000), i32(200));
    UN(lds) UN(lds2) UN(sts) UN(imad) UN(lds128b) UN(lds128) }
  for (int w : {1, 4, 8, 16, 32}) {
#define LD(N) RUN(nm("latency_" #N "_%d", w), k_latency_##N, 1, 32 * w, 0, TMP("cycles", 8), OUT("out", 1024), i32(64));
    LD(w32_all) LD(w32_own) LD(w64_all) LD(w64_own) LD(w128_all) LD(w128_own) LD(w128_half) LD(w128_quarter) }
  for (int t : {32, 128, 256}) {
#define MU(N) RUN(nm("mufu_" #N "_b%d", t), k_mufu_##N, 1, t, 0, IN("p", 1024, 1), OUT("out", 1024), i32(1024));
    MU(chain) MU(two) MU(wide) MU(full) MU(fma) }
  for (int lg : {6, 9, 12, 14, 16}) for (int r : {0, 1, 2, 4}) for (int w : {0, 1}) { if (!r && w == 0 && lg != 9) continue; RUN(nm(w ? "warm_t%d_r%d" : "cold_t%d_r%d", lg, r), k_warm, 1056, 256, 0, IN("record", 32 << lg, 2), OUT("out", 1056 * 256), TMP("gate", 64), i32((1 << lg) - 1), i32(r), i32(w)); }
  for (int n : {512, 2048}) { dim3 g(n / 32, n / 8), b(32, 8); size_t c = (size_t)n * n;
    RUN(nm("nine_u8_%d", n), k_nine_u8, g, b, 0, buf("in", c, HASH_I32, 1), buf("out", c, ZERO, 0, true), i32(n), i32(n));
    RUN(nm("nine_u16_%d", n), k_nine_u16, g, b, 0, buf("in", 2 * c, HASH_I32, 1), buf("out", 2 * c, ZERO, 0, true), i32(n), i32(n));
    RUN(nm("nine_u32_%d", n), k_nine_u32, g, b, 0, buf("in", 4 * c, HASH_I32, 1), buf("out", 4 * c, ZERO, 0, true), i32(n), i32(n));
    RUN(nm("nine_u8_nostore_%d", n), k_nine_u8_nostore, g, b, 0, buf("in", c, HASH_I32, 1), buf("out", c, ZERO, 0, true), i32(n), i32(n));
    RUN(nm("nine_u32_nostore_%d", n), k_nine_u32_nostore, g, b, 0, buf("in", 4 * c, HASH_I32, 1), buf("out", 4 * c, ZERO, 0, true), i32(n), i32(n)); }
  for (int lg : {20, 22}) { int n = 1 << lg; RUN(nm("copy_u8_%d", lg), k_copy_u8, n / 256, 256, 0, buf("in", n, HASH_I32, 1), buf("out", n, ZERO, 0, true)); RUN(nm("copy_u16_%d", lg), k_copy_u16, n / 256, 256, 0, buf("in", 2 * n, HASH_I32, 1), buf("out", 2 * n, ZERO, 0, true)); RUN(nm("copy_u32_%d", lg), k_copy_u32, n / 256, 256, 0, buf("in", 4 * n, HASH_I32, 1), buf("out", 4 * n, ZERO, 0, true));
    RUN(nm("stream_u8_%d", lg), k_stream_u8, n / 256 / 16, 256, 0, buf("in", n, HASH_I32, 1), OUT("out", n / 16), i32(16)); RUN(nm("stream_u16_%d", lg), k_stream_u16, n / 256 / 16, 256, 0, buf("in", 2 * n, HASH_I32, 1), OUT("out", n / 16), i32(16)); RUN(nm("stream_u32_%d", lg), k_stream_u32, n / 256 / 16, 256, 0, buf("in", 4 * n, HASH_I32, 1), OUT("out", n / 16), i32(16)); }
  for (int t : {32, 128, 256, 1024}) { RUN(nm("burst_u8_b%d", t), k_burst_u8, 1, t, 0, INTS("in", 1024, 1), OUT("out", 1024), i32(128)); RUN(nm("burst_u16_b%d", t), k_burst_u16, 1, t, 0, INTS("in", 2048, 1), OUT("out", 1024), i32(128)); RUN(nm("burst_u32_b%d", t), k_burst_u32, 1, t, 0, INTS("in", 4096, 1), OUT("out", 1024), i32(128)); }
  return 0;
}
