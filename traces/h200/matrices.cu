// Kernels on the tensor cores, as people write them for themselves: products of many kinds, attention, convolutions, small
// dense algebra, transforms and sums by constant matrices; through mma.sync in inline assembly or nvcuda::wmma.
#include "harness.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

typedef uint32_t u32;
#define DEV static __device__ __forceinline__
#define LANES int tid = threadIdx.x, warp = tid >> 5, lane = tid & 31, g = lane >> 2, t = lane & 3
DEV __half2 halves(u32 v) { v = (v * 0x9e3779b1u & 0x8fff8fffu) | 0x30003000u; return *(__half2*)&v; }   // of either sign, from 1/8 to 2
DEV __nv_bfloat162 brains(u32 v) { v = (v * 0x9e3779b1u & 0x80ff80ffu) | 0x3f003f00u; return *(__nv_bfloat162*)&v; }   // of either sign, from 1/2 to 2
template <typename T> DEV u32 word_of(T v) { return *(u32*)&v; }
DEV u32 tame(u32 v) { return (v & 0x8fff8fffu) | 0x30003000u; }   // any bits made into halves of either sign, from 1/8 to 2
DEV u32 small(u32 v) { return v & 0xbfffbfffu; }   // any bits made into halves below 2
DEV u32 tame_brain(u32 v) { return (v & 0x80ff80ffu) | 0x3f003f00u; }   // any bits made into bfloat16 of either sign, from 1/2 to 2
DEV u32 pack(float a, float b) { return word_of(__floats2half2_rn(a, b)); }
DEV u32 pack_brain(float a, float b) { return word_of(__floats2bfloat162_rn(a, b)); }
DEV u32 at_shared(const void* p) { return (u32)__cvta_generic_to_shared(p); }
DEV void copy_16(void* s, const void* p) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at_shared(s)), "l"(p) : "memory"); }
DEV void copy_16_l1(void* s, const void* p) { asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 16;" :: "r"(at_shared(s)), "l"(p) : "memory"); }
DEV void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> DEV void wait() { asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory"); }
DEV void ldsm_4(u32* r, const void* p) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at_shared(p)) : "memory"); }
DEV void ldsm_2(u32* r, const void* p) { asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at_shared(p)) : "memory"); }
DEV void ldsm_4t(u32* r, const void* p) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at_shared(p)) : "memory"); }
DEV void ldsm_2t(u32* r, const void* p) { asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at_shared(p)) : "memory"); }
DEV void ldsm_1(u32* r, const void* p) { asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(at_shared(p)) : "memory"); }
DEV u32 turn_8x8(u32 v) { u32 r; asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(v)); return r; }
DEV u32 tf32(float v) { u32 r; asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v)); return r; }
#define FOUR_F "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define FOUR_R "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define AB_4_2 "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])
#define AB_2_1 "r"(a[0]), "r"(a[1]), "r"(b[0])
#define TEXT_4_2 " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
#define TEXT_2_1 " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
DEV void mma_half(float* d, const u32* a, const u32* b) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" TEXT_4_2 : FOUR_F : AB_4_2); }
DEV void mma_half_k8(float* d, const u32* a, const u32* b) { asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32" TEXT_2_1 : FOUR_F : AB_2_1); }
DEV void mma_brain(float* d, const u32* a, const u32* b) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32" TEXT_4_2 : FOUR_F : AB_4_2); }
DEV void mma_brain_k8(float* d, const u32* a, const u32* b) { asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32" TEXT_2_1 : FOUR_F : AB_2_1); }
DEV void mma_tf32(float* d, const u32* a, const u32* b) { asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" TEXT_4_2 : FOUR_F : AB_4_2); }
DEV void mma_tf32_k4(float* d, const u32* a, const u32* b) { asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32" TEXT_2_1 : FOUR_F : AB_2_1); }
DEV void mma_e4m3(float* d, const u32* a, const u32* b) { asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32" TEXT_4_2 : FOUR_F : AB_4_2); }
DEV void mma_s8(int* d, const u32* a, const u32* b) { asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32" TEXT_4_2 : FOUR_R : AB_4_2); }
DEV void mma_u8_s8(int* d, const u32* a, const u32* b) { asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32" TEXT_4_2 : FOUR_R : AB_4_2); }
DEV void mma_s8_k16_saturated(int* d, const u32* a, const u32* b) { asm volatile("mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32" TEXT_2_1 : FOUR_R : AB_2_1); }
DEV void mma_half_half(u32* d, const u32* a, const u32* b) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};" : "+r"(d[0]), "+r"(d[1]) : AB_4_2); }
DEV void mma_half_half_k8(u32* d, const u32* a, const u32* b) { asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};" : "+r"(d[0]), "+r"(d[1]) : AB_2_1); }
DEV void mma_double(double& c0, double& c1, double a, double b) { asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c0), "+d"(c1) : "d"(a), "d"(b)); }
#define FOUR_D "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
DEV void mma_double_k4(double* d, const double* a, const double* b) { asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64" TEXT_2_1 : FOUR_D : "d"(a[0]), "d"(a[1]), "d"(b[0])); }
DEV void mma_double_k8(double* d, const double* a, const double* b) { asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64" TEXT_4_2 : FOUR_D : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1])); }
DEV void mma_double_k16(double* d, const double* a, const double* b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};" : FOUR_D : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
}
extern __shared__ uint4 dynamic[];

// ---------------------------------------------------------------- through wmma
K k_wmma_naive(const __half* a, const __half* b, float* c, int n, int k) {   // fragments straight from memory, a tile of 16 x 16 a warp
  int row = blockIdx.y * 16, column = (blockIdx.x * 4 + threadIdx.y) * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x; wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> y; wmma::fragment<wmma::accumulator, 16, 16, 16, float> s; wmma::fill_fragment(s, 0.f);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(x, a + (size_t)row * k + i, k); wmma::load_matrix_sync(y, b + (size_t)i * n + column, n);
    #pragma unroll
    for (int e = 0; e < x.num_elements / 2; e++) { ((u32*)x.x)[e] = small(((u32*)x.x)[e]); ((u32*)y.x)[e] = tame(((u32*)y.x)[e]); }
    wmma::mma_sync(s, x, y, s);
  }
  wmma::store_matrix_sync(c + (size_t)row * n + column, s, n, wmma::mem_row_major);
}
K k_wmma_bf16_tall(const u32* a, const u32* b, float* c, int n, int k) {   // 32 x 8 x 16, a block of two warps makes 32 x 64; the second factor is stored by columns
  __shared__ __align__(32) __nv_bfloat16 as[32 * 48], bs[64 * 48]; int t = threadIdx.x, warp = t >> 5, row = blockIdx.y * 32, column = blockIdx.x * 64;
  wmma::fragment<wmma::matrix_a, 32, 8, 16, __nv_bfloat16, wmma::row_major> x; wmma::fragment<wmma::matrix_b, 32, 8, 16, __nv_bfloat16, wmma::col_major> y; wmma::fragment<wmma::accumulator, 32, 8, 16, float> s[4];
  for (int j = 0; j < 4; j++) wmma::fill_fragment(s[j], 0.f);
  for (int i = 0; i < k; i += 32) {
    for (int q = t; q < 512; q += 64) ((u32*)as)[(q >> 4) * 24 + (q & 15)] = word_of(brains(a[((size_t)(row + (q >> 4)) * k + i) / 2 + (q & 15)]));
    for (int q = t; q < 1024; q += 64) ((u32*)bs)[(q >> 4) * 24 + (q & 15)] = word_of(brains(b[((size_t)(column + (q >> 4)) * k + i) / 2 + (q & 15)]));
    __syncthreads();
    #pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      wmma::load_matrix_sync(x, as + kk, 48);
      #pragma unroll
      for (int j = 0; j < 4; j++) { wmma::load_matrix_sync(y, bs + (warp * 32 + j * 8) * 48 + kk, 48); wmma::mma_sync(s[j], x, y, s[j]); }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int j = 0; j < 4; j++) wmma::store_matrix_sync(c + (size_t)row * n + column + warp * 32 + j * 8, s[j], n, wmma::mem_row_major);
}
K k_wmma_tf32_pipeline(const float* a, const float* b, float* c, int n, int k) {   // 64 x 64 a block of 128, two buffers filled by asynchronous copies
  __shared__ __align__(32) float as[2][64 * 40], bs[2][32 * 72]; int t = threadIdx.x, warp = t >> 5, y0 = (warp >> 1) * 32, x0 = (warp & 1) * 32, steps = k / 32; a += (size_t)blockIdx.y * 64 * k; b += blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> s[2][2]; for (int i = 0; i < 4; i++) wmma::fill_fragment(s[i >> 1][i & 1], 0.f);
  auto fetch = [&](int i) {
    #pragma unroll
    for (int j = 0; j < 4; j++) { int q = t + j * 128; __pipeline_memcpy_async(&as[i & 1][(q >> 3) * 40 + (q & 7) * 4], a + (size_t)(q >> 3) * k + i * 32 + (q & 7) * 4, 16); __pipeline_memcpy_async(&bs[i & 1][(q >> 4) * 72 + (q & 15) * 4], b + (size_t)(i * 32 + (q >> 4)) * n + (q & 15) * 4, 16); }
  };
  fetch(0); __pipeline_commit();
  for (int i = 0; i < steps; i++) {
    if (i + 1 < steps) fetch(i + 1);
    __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads();
    #pragma unroll
    for (int kk = 0; kk < 32; kk += 8) {
      wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> x[2]; wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> y[2];
      #pragma unroll
      for (int m = 0; m < 2; m++) {
        wmma::load_matrix_sync(x[m], &as[i & 1][(y0 + m * 16) * 40 + kk], 40); wmma::load_matrix_sync(y[m], &bs[i & 1][kk * 72 + x0 + m * 16], 72);
        #pragma unroll
        for (int e = 0; e < x[0].num_elements; e++) { x[m].x[e] = wmma::__float_to_tf32(x[m].x[e]); y[m].x[e] = wmma::__float_to_tf32(y[m].x[e]); }
      }
      #pragma unroll
      for (int m = 0; m < 4; m++) wmma::mma_sync(s[m >> 1][m & 1], x[m >> 1], y[m & 1], s[m >> 1][m & 1]);
    }
    __syncthreads();
  }
  #pragma unroll
  for (int m = 0; m < 4; m++) wmma::store_matrix_sync(c + (size_t)(blockIdx.y * 64 + y0 + (m >> 1) * 16) * n + blockIdx.x * 64 + x0 + (m & 1) * 16, s[m >> 1][m & 1], n, wmma::mem_row_major);
}
K k_wmma_bytes(const signed char* a, const signed char* b, int* c, int n, int k) {   // signed bytes, 16 x 32 a warp, negative sums cut to zero
  int row = blockIdx.y * 16, column = (blockIdx.x * 2 + threadIdx.y) * 32;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> x; wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> y; wmma::fragment<wmma::accumulator, 16, 16, 16, int> s[2]; wmma::fill_fragment(s[0], 100); wmma::fill_fragment(s[1], -100);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(x, a + (size_t)row * k + i, k);
    #pragma unroll
    for (int j = 0; j < 2; j++) { wmma::load_matrix_sync(y, b + (size_t)(column + j * 16) * k + i, k); wmma::mma_sync(s[j], x, y, s[j]); }
  }
  #pragma unroll
  for (int j = 0; j < 2; j++) { for (int e = 0; e < s[0].num_elements; e++) s[j].x[e] = max(s[j].x[e], 0) >> 3; wmma::store_matrix_sync(c + (size_t)row * n + column + j * 16, s[j], n, wmma::mem_row_major); }
}
K k_wmma_normal_equations(const float* x, double* out, int rows) {   // the square of a table of 32 columns in double precision, a table a block
  __shared__ __align__(32) double s[32 * 36]; int t = threadIdx.x, warp = t >> 5, i0 = (warp >> 1) * 16, j0 = (warp & 1) * 16; x += (size_t)blockIdx.x * rows * 32;
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::col_major> a[2]; wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> b[2]; wmma::fragment<wmma::accumulator, 8, 8, 4, double> c[4]; for (int i = 0; i < 4; i++) wmma::fill_fragment(c[i], 0.0);
  for (int r = 0; r < rows; r += 32) {
    for (int q = t; q < 1024; q += 128) s[(q >> 5) * 36 + (q & 31)] = x[r * 32 + q];
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 32; k += 4) {
      #pragma unroll
      for (int m = 0; m < 2; m++) { wmma::load_matrix_sync(a[m], s + k * 36 + i0 + m * 8, 36); wmma::load_matrix_sync(b[m], s + k * 36 + j0 + m * 8, 36); }
      #pragma unroll
      for (int m = 0; m < 4; m++) wmma::mma_sync(c[m], a[m >> 1], b[m & 1], c[m]);
    }
    __syncthreads();
  }
  #pragma unroll
  for (int m = 0; m < 4; m++) wmma::store_matrix_sync(out + (size_t)blockIdx.x * 1024 + (i0 + (m >> 1) * 8) * 32 + j0 + (m & 1) * 8, c[m], 32, wmma::mem_row_major);
}

// ---------------------------------------------------------------- products of half precision
K k_gemm_64(const __half* a, const __half* b, u32* c, int n, int k) {   // 64 x 64 a block of four warps, padded tiles, two buffers
  __shared__ __align__(16) __half as[2][64][40], bs[2][32][72]; LANES; int wy = (warp >> 1) * 32, wx = (warp & 1) * 32, steps = k / 32; a += (size_t)blockIdx.y * 64 * k; b += blockIdx.x * 64; float s[2][4][4] = {};
  auto fetch = [&](int i) {
    #pragma unroll
    for (int j = 0; j < 2; j++) { int q = tid + j * 128; copy_16(&as[i & 1][q >> 2][(q & 3) * 8], a + (size_t)(q >> 2) * k + i * 32 + (q & 3) * 8); copy_16(&bs[i & 1][q >> 3][(q & 7) * 8], b + (size_t)(i * 32 + (q >> 3)) * n + (q & 7) * 8); }
    commit();
  };
  fetch(0);
  for (int i = 0; i < steps; i++) {
    if (i + 1 < steps) { fetch(i + 1); wait<1>(); } else wait<0>();
    __syncthreads();
    #pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      u32 x[2][4], y[8];
      #pragma unroll
      for (int m = 0; m < 2; m++) { ldsm_4(x[m], &as[i & 1][wy + m * 16 + (lane & 15)][kk + (lane >> 4) * 8]); ldsm_4t(y + 4 * m, &bs[i & 1][kk + (lane & 15)][wx + m * 16 + (lane >> 4) * 8]); }
      #pragma unroll
      for (int e = 0; e < 8; e++) { x[e >> 2][e & 3] = tame(x[e >> 2][e & 3]); y[e] = tame(y[e]); }
      #pragma unroll
      for (int m = 0; m < 2; m++)
        #pragma unroll
        for (int j = 0; j < 4; j++) mma_half(s[m][j], x[m], y + 2 * j);
    }
    __syncthreads();
  }
  #pragma unroll
  for (int m = 0; m < 2; m++)
    #pragma unroll
    for (int j = 0; j < 4; j++) { size_t at = ((size_t)(blockIdx.y * 64 + wy + m * 16 + g) * n + blockIdx.x * 64 + wx + j * 8) / 2 + t; c[at] = pack(s[m][j][0], s[m][j][1]); c[at + 4 * n] = pack(s[m][j][2], s[m][j][3]); }
}
K k_gemm_128_swizzled(const uint4* a, const uint4* b, float2* c, int n, int k) {   // 128 x 128 a block of eight warps, four buffers of swizzled tiles in 64 KB; both factors stored along k
  LANES; int wy = (warp >> 2) * 64, wx = (warp & 3) * 32, steps = k / 32; a += (size_t)blockIdx.y * 16 * k; b += (size_t)blockIdx.x * 16 * k; float s[4][4][4] = {};
  auto place = [](int row, int chunk) { return row * 4 + (chunk ^ (row >> 1 & 3)); };
  auto fetch = [&](int i) {
    uint4* stage = dynamic + (i & 3) * 1024;
    if (i < steps) {
      #pragma unroll
      for (int j = 0; j < 2; j++) { int q = tid + j * 256, at = place(q >> 2, q & 3); size_t from = (size_t)(q >> 2) * (k / 8) + i * 4 + (q & 3); copy_16(stage + at, a + from); copy_16_l1(stage + 512 + at, b + from); }
    }
    commit();
  };
  fetch(0); fetch(1); fetch(2);
  for (int i = 0; i < steps; i++) {
    wait<2>(); __syncthreads(); fetch(i + 3); uint4* stage = dynamic + (i & 3) * 1024;
    #pragma unroll
    for (int kk = 0; kk < 2; kk++) {
      u32 x[4][4], y[8];
      #pragma unroll
      for (int m = 0; m < 4; m++) ldsm_4(x[m], stage + place(wy + m * 16 + (lane & 15), kk * 2 + (lane >> 4)));
      #pragma unroll
      for (int j = 0; j < 2; j++) ldsm_4(y + 4 * j, stage + 512 + place(wx + j * 16 + (lane & 7) + (lane >> 4) * 8, kk * 2 + (lane >> 3 & 1)));
      #pragma unroll
      for (int e = 0; e < 16; e++) { x[e >> 2][e & 3] = tame(x[e >> 2][e & 3]); if (e < 8) y[e] = tame(y[e]); }
      #pragma unroll
      for (int m = 0; m < 4; m++)
        #pragma unroll
        for (int j = 0; j < 4; j++) mma_half(s[m][j], x[m], y + 2 * j);
    }
  }
  #pragma unroll
  for (int m = 0; m < 4; m++)
    #pragma unroll
    for (int j = 0; j < 4; j++) { size_t at = ((size_t)(blockIdx.y * 128 + wy + m * 16 + g) * n + blockIdx.x * 128 + wx + j * 8) / 2 + t; c[at] = make_float2(s[m][j][0], s[m][j][1]); c[at + 4 * n] = make_float2(s[m][j][2], s[m][j][3]); }
}
K k_gemm_half_sums(const uint4* a, const uint4* b, const u32* c, u32* d, int n, int k) {   // sums in half precision, 48 x 64 a block of three warps, the next tile kept in registers; alpha and beta at the end
  __shared__ __align__(16) __half as[2][48][40], bs[2][32][72]; LANES; int steps = k / 32; uint4 ra[2], rb[3]; u32 s[8][2] = {}; a += (size_t)blockIdx.y * 6 * k; b += blockIdx.x * 8;
  auto turn = [](uint4 v) { return make_uint4(word_of(halves(v.x)), word_of(halves(v.y)), word_of(halves(v.z)), word_of(halves(v.w))); };
  auto load = [&](int i) {
    #pragma unroll
    for (int j = 0; j < 3; j++) { int q = tid + j * 96; if (j < 2) ra[j] = a[(size_t)(q >> 2) * (k / 8) + i * 4 + (q & 3)]; if (q < 256) rb[j] = b[(size_t)(i * 32 + (q >> 3)) * (n / 8) + (q & 7)]; }
  };
  auto store = [&](int i) {
    #pragma unroll
    for (int j = 0; j < 3; j++) { int q = tid + j * 96; if (j < 2) *(uint4*)&as[i & 1][q >> 2][(q & 3) * 8] = turn(ra[j]); if (q < 256) *(uint4*)&bs[i & 1][q >> 3][(q & 7) * 8] = turn(rb[j]); }
  };
  load(0); store(0); __syncthreads();
  for (int i = 0; i < steps; i++) {
    if (i + 1 < steps) load(i + 1);
    #pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      u32 x[4], y[2]; ldsm_4(x, &as[i & 1][warp * 16 + (lane & 15)][kk + (lane >> 4) * 8]);
      #pragma unroll
      for (int j = 0; j < 8; j++) { ldsm_2t(y, &bs[i & 1][kk + (lane & 15)][j * 8]); mma_half_half(s[j], x, y); }
    }
    if (i + 1 < steps) store(i + 1);
    __syncthreads();
  }
  __half2 alpha = __float2half2_rn(0.75f), beta = __float2half2_rn(-0.5f);
  #pragma unroll
  for (int j = 0; j < 8; j++)
    #pragma unroll
    for (int h = 0; h < 2; h++) { size_t at = ((size_t)(blockIdx.y * 48 + warp * 16 + h * 8 + g) * n + blockIdx.x * 64 + j * 8) / 2 + t; d[at] = word_of(__hfma2(alpha, *(__half2*)&s[j][h], __hmul2(beta, halves(c[at])))); }
}
K k_bf16_bias_gelu(const __nv_bfloat16* x, const __nv_bfloat16* weight, const float* bias, u32* out, int n, int k) {   // a linear layer with GELU, 96 x 64 a block of six warps
  __shared__ __align__(16) __nv_bfloat16 as[2][96][40], bs[2][64][40]; LANES; int wy = (warp >> 1) * 32, wx = (warp & 1) * 32, steps = k / 32; x += (size_t)blockIdx.y * 96 * k; weight += (size_t)blockIdx.x * 64 * k; float s[2][4][4] = {};
  auto fetch = [&](int i) {
    #pragma unroll
    for (int j = 0; j < 2; j++) { int q = tid + j * 192; copy_16(&as[i & 1][q >> 2][(q & 3) * 8], x + (size_t)(q >> 2) * k + i * 32 + (q & 3) * 8); if (q < 256) copy_16(&bs[i & 1][q >> 2][(q & 3) * 8], weight + (size_t)(q >> 2) * k + i * 32 + (q & 3) * 8); }
    commit();
  };
  fetch(0);
  for (int i = 0; i < steps; i++) {
    wait<0>(); __syncthreads(); if (i + 1 < steps) fetch(i + 1);
    #pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      u32 p[2][4];
      #pragma unroll
      for (int m = 0; m < 2; m++) { ldsm_4(p[m], &as[i & 1][wy + m * 16 + (lane & 15)][kk + (lane >> 4) * 8]); for (int e = 0; e < 4; e++) p[m][e] = tame_brain(p[m][e]); }
      #pragma unroll
      for (int j = 0; j < 4; j++) { u32 q[2]; ldsm_2(q, &bs[i & 1][wx + j * 8 + (lane & 7)][kk + (lane >> 3 & 1) * 8]); q[0] = tame_brain(q[0]); q[1] = tame_brain(q[1]); mma_brain(s[0][j], p[0], q); mma_brain(s[1][j], p[1], q); }
    }
  }
  #pragma unroll
  for (int j = 0; j < 4; j++) {
    int column = blockIdx.x * 64 + wx + j * 8 + 2 * t; float2 add = *(const float2*)(bias + column);
    #pragma unroll
    for (int e = 0; e < 4; e++) { float u = s[e >> 1][j][2 * (e & 1)] * 0.05f + add.x * 0.02f, v = s[e >> 1][j][2 * (e & 1) + 1] * 0.05f + add.y * 0.02f; u *= 0.5f * (1.f + erff(u * 0.70710678f)); v *= 0.5f * (1.f + erff(v * 0.70710678f)); out[((size_t)(blockIdx.y * 96 + wy + e * 8 + g) * n + column) / 2] = pack_brain(u, v); }
  }
}
K k_batched_32(const u32* a, const u32* b, float2* c, int count) {   // products of 32 x 32, one a warp, operands straight from memory
  LANES; int which = blockIdx.x * (blockDim.x >> 5) + warp; if (which >= count) return; a += (size_t)which * 512; b += (size_t)which * 512; c += (size_t)which * 512; float s[2][4][4] = {};
  #pragma unroll
  for (int kk = 0; kk < 2; kk++) {
    u32 x[2][4];
    #pragma unroll
    for (int e = 0; e < 8; e++) x[e >> 2][e & 3] = word_of(halves(a[((e >> 2) * 16 + (e & 1) * 8 + g) * 16 + kk * 8 + (e >> 1 & 1) * 4 + t]));
    #pragma unroll
    for (int j = 0; j < 4; j++) { u32 y[2] = {word_of(halves(b[(j * 8 + g) * 16 + kk * 8 + t])), word_of(halves(b[(j * 8 + g) * 16 + kk * 8 + 4 + t]))}; mma_half(s[0][j], x[0], y); mma_half(s[1][j], x[1], y); }
  }
  #pragma unroll
  for (int e = 0; e < 16; e++) { int m = e >> 3, j = e >> 1 & 3, h = e & 1; c[(m * 16 + h * 8 + g) * 16 + j * 4 + t] = make_float2(s[m][j][2 * h], s[m][j][2 * h + 1]); }
}
K k_lora(const u32* x, const u32* down, const u32* up, float2* y, int n, int k) {   // y plus a product through sixteen columns, sixteen rows a warp, 64 columns a block
  LANES; int row = (blockIdx.y * (blockDim.x >> 5) + warp) * 16 + g; float h[2][4] = {}; const u32* p = x + (size_t)row * (k / 2) + t; const u32* d = down + (size_t)g * (k / 2) + t;
  for (int i = 0; i < k / 2; i += 8) {
    u32 a[4] = {word_of(halves(p[i])), word_of(halves(p[i + 4 * k])), word_of(halves(p[i + 4])), word_of(halves(p[i + 4 * k + 4]))};
    #pragma unroll
    for (int j = 0; j < 2; j++) { u32 b[2] = {word_of(halves(d[i + j * 4 * k])), word_of(halves(d[i + j * 4 * k + 4]))}; mma_half(h[j], a, b); }
  }
  u32 a[4] = {pack(h[0][0] * 0.0625f, h[0][1] * 0.0625f), pack(h[0][2] * 0.0625f, h[0][3] * 0.0625f), pack(h[1][0] * 0.0625f, h[1][1] * 0.0625f), pack(h[1][2] * 0.0625f, h[1][3] * 0.0625f)};
  #pragma unroll
  for (int j = 0; j < 8; j++) {
    int column = blockIdx.x * 64 + j * 8; u32 b[2] = {word_of(halves(up[(column + g) * 8 + t])), word_of(halves(up[(column + g) * 8 + 4 + t]))}; float2* o = y + ((size_t)row * n + column) / 2 + t; float2 u = o[0], v = o[4 * n];
    float s[4] = {u.x, u.y, v.x, v.y}; mma_half(s, a, b); o[0] = make_float2(s[0], s[1]); o[4 * n] = make_float2(s[2], s[3]);
  }
}
K k_mlp_fused(const __half* x, const __half* first, const __half* second, u32* out) {   // 64 to 128 to 64 with ReLU between, then the row's own input added and its mean removed; 64 rows a block, the middle stays in registers
  __shared__ __align__(16) __half xs[64][72], ws[64][136], vs[128][72]; LANES; x += (size_t)blockIdx.x * 4096; float h[16][4] = {}, s[8][4] = {}; u32 a[4][4];
  for (int q = tid; q < 512; q += 128) copy_16(&xs[q >> 3][(q & 7) * 8], x + q * 8);
  for (int q = tid; q < 1024; q += 128) copy_16(&ws[q >> 4][(q & 15) * 8], first + q * 8);
  commit(); for (int q = tid; q < 1024; q += 128) copy_16(&vs[q >> 3][(q & 7) * 8], second + q * 8);
  commit(); wait<1>(); __syncthreads();
  #pragma unroll
  for (int k = 0; k < 4; k++) {
    ldsm_4(a[k], &xs[warp * 16 + (lane & 15)][k * 16 + (lane >> 4) * 8]); for (int e = 0; e < 4; e++) a[k][e] = tame(a[k][e]);
    #pragma unroll
    for (int j = 0; j < 8; j++) { u32 b[4]; ldsm_4t(b, &ws[k * 16 + (lane & 15)][j * 16 + (lane >> 4) * 8]); for (int e = 0; e < 4; e++) b[e] = tame(b[e]); mma_half(h[2 * j], a[k], b); mma_half(h[2 * j + 1], a[k], b + 2); }
  }
  wait<0>(); __syncthreads();
  #pragma unroll
  for (int k = 0; k < 8; k++) {
    u32 m[4];
    #pragma unroll
    for (int e = 0; e < 4; e++) m[e] = pack(fmaxf(h[2 * k + (e >> 1)][2 * (e & 1)], 0.f), fmaxf(h[2 * k + (e >> 1)][2 * (e & 1) + 1], 0.f));
    #pragma unroll
    for (int j = 0; j < 4; j++) { u32 b[4]; ldsm_4t(b, &vs[k * 16 + (lane & 15)][j * 16 + (lane >> 4) * 8]); for (int e = 0; e < 4; e++) b[e] = tame(b[e]); mma_half(s[2 * j], m, b); mma_half(s[2 * j + 1], m, b + 2); }
  }
  float mean[2] = {0, 0};
  #pragma unroll
  for (int j = 0; j < 8; j++)
    #pragma unroll
    for (int r = 0; r < 2; r++) { u32 w = a[j >> 1][r + 2 * (j & 1)]; float2 f = __half22float2(*(__half2*)&w); s[j][2 * r] = s[j][2 * r] * 0.1f + f.x; s[j][2 * r + 1] = s[j][2 * r + 1] * 0.1f + f.y; mean[r] += s[j][2 * r] + s[j][2 * r + 1]; }
  #pragma unroll
  for (int r = 0; r < 2; r++) { mean[r] += __shfl_xor_sync(~0u, mean[r], 1); mean[r] += __shfl_xor_sync(~0u, mean[r], 2); mean[r] *= 1.f / 64; for (int j = 0; j < 8; j++) out[(size_t)(blockIdx.x * 64 + warp * 16 + r * 8 + g) * 32 + j * 4 + t] = pack(s[j][2 * r] - mean[r], s[j][2 * r + 1] - mean[r]); }
}
K k_grouped_experts(const __nv_bfloat16* x, const __nv_bfloat16* weight, const int* owner, const int* row, const float* gate, float2* out, int n, int k, int experts, int rows) {   // gathered rows times their expert's matrix, 32 rows x 64 columns a block, three buffers; some tiles are empty
  LANES; int mine = owner[blockIdx.y] % (experts + 1); if (mine == experts) return;
  struct Stage { __nv_bfloat16 a[32][40], b[32][72]; }; Stage* stage = (Stage*)dynamic; int steps = k / 32; weight += (size_t)mine * k * n + blockIdx.x * 64; float s[8][4] = {}; const __nv_bfloat16* from[2];
  #pragma unroll
  for (int j = 0; j < 2; j++) from[j] = x + (size_t)(row[blockIdx.y * 32 + j * 16 + (tid >> 2)] % rows) * k + (tid & 3) * 8;
  auto fetch = [&](int i) {
    if (i < steps) {
      Stage& z = stage[i % 3];
      #pragma unroll
      for (int j = 0; j < 2; j++) copy_16(&z.a[j * 16 + (tid >> 2)][(tid & 3) * 8], from[j] + i * 32);
      #pragma unroll
      for (int j = 0; j < 4; j++) copy_16(&z.b[j * 8 + (tid >> 3)][(tid & 7) * 8], weight + (size_t)(i * 32 + j * 8 + (tid >> 3)) * n + (tid & 7) * 8);
    }
    commit();
  };
  fetch(0); fetch(1);
  for (int i = 0; i < steps; i++) {
    wait<1>(); __syncthreads(); fetch(i + 2); Stage& z = stage[i % 3];
    #pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      u32 p[4]; ldsm_4(p, &z.a[warp * 16 + (lane & 15)][kk + (lane >> 4) * 8]); for (int e = 0; e < 4; e++) p[e] = tame_brain(p[e]);
      #pragma unroll
      for (int j = 0; j < 4; j++) { u32 q[4]; ldsm_4t(q, &z.b[kk + (lane & 15)][j * 16 + (lane >> 4) * 8]); for (int e = 0; e < 4; e++) q[e] = tame_brain(q[e]); mma_brain(s[2 * j], p, q); mma_brain(s[2 * j + 1], p, q + 2); }
    }
  }
  #pragma unroll
  for (int r = 0; r < 2; r++) { int slot = blockIdx.y * 32 + warp * 16 + r * 8 + g; float w = fabsf(gate[slot]) * 0.02f; for (int j = 0; j < 8; j++) out[((size_t)slot * n + blockIdx.x * 64 + j * 8) / 2 + t] = make_float2(s[j][2 * r] * w, s[j][2 * r + 1] * w); }
}

// ---------------------------------------------------------------- attention
template <bool BRAIN, bool CAUSAL> DEV void attend(const __half* q, const __half* key, const __half* value, u32* out, int length) {
  __shared__ __align__(16) __half qs[64][72], ks[2][64][72], vs[2][64][72]; LANES; size_t base = (size_t)blockIdx.y * length * 64; int first = blockIdx.x * 64, tiles = CAUSAL ? blockIdx.x + 1 : length / 64;
  auto right = [](u32 v) { return BRAIN ? tame_brain(v) : tame(v); };
  auto fetch = [&](int i) {
    #pragma unroll
    for (int j = 0; j < 4; j++) { int c = tid + j * 128; size_t from = base + (size_t)i * 4096 + c * 8; copy_16(&ks[i & 1][c >> 3][(c & 7) * 8], key + from); copy_16(&vs[i & 1][c >> 3][(c & 7) * 8], value + from); }
    commit();
  };
  for (int j = 0; j < 4; j++) { int c = tid + j * 128; copy_16(&qs[c >> 3][(c & 7) * 8], q + base + (size_t)first * 64 + c * 8); }
  fetch(0); u32 a[4][4]; float o[8][4] = {}, most[2] = {-1e30f, -1e30f}, sum[2] = {0, 0}; const float scale = 0.125f * 1.44269504f;
  for (int i = 0; i < tiles; i++) {
    if (i + 1 < tiles) { fetch(i + 1); wait<1>(); } else wait<0>();
    __syncthreads();
    if (i == 0) {
      #pragma unroll
      for (int k = 0; k < 4; k++) { ldsm_4(a[k], &qs[warp * 16 + (lane & 15)][k * 16 + (lane >> 4) * 8]); for (int e = 0; e < 4; e++) a[k][e] = right(a[k][e]); }
    }
    float s[8][4] = {};
    #pragma unroll
    for (int k = 0; k < 4; k++)
      #pragma unroll
      for (int p = 0; p < 4; p++) {
        u32 b[4]; ldsm_4(b, &ks[i & 1][p * 16 + (lane & 7) + (lane >> 4) * 8][k * 16 + (lane >> 3 & 1) * 8]); for (int e = 0; e < 4; e++) b[e] = right(b[e]);
        if (BRAIN) { mma_brain(s[2 * p], a[k], b); mma_brain(s[2 * p + 1], a[k], b + 2); } else { mma_half(s[2 * p], a[k], b); mma_half(s[2 * p + 1], a[k], b + 2); }
      }
    if (CAUSAL && i == tiles - 1) {
      #pragma unroll
      for (int j = 0; j < 8; j++)
        #pragma unroll
        for (int e = 0; e < 4; e++) if (j * 8 + 2 * t + (e & 1) > warp * 16 + g + (e >> 1) * 8) s[j][e] = -1e30f;
    }
    #pragma unroll
    for (int r = 0; r < 2; r++) {
      float m = most[r];
      #pragma unroll
      for (int j = 0; j < 8; j++) m = fmaxf(m, fmaxf(s[j][2 * r], s[j][2 * r + 1]));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 1)); m = fmaxf(m, __shfl_xor_sync(~0u, m, 2)); float fade = exp2f((most[r] - m) * scale), add = 0; most[r] = m;
      #pragma unroll
      for (int j = 0; j < 8; j++)
        #pragma unroll
        for (int e = 2 * r; e < 2 * r + 2; e++) { float p, z = (s[j][e] - m) * scale; if (BRAIN) p = exp2f(z); else asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(p) : "f"(z)); s[j][e] = p; add += p; o[j][e] *= fade; }
      sum[r] = sum[r] * fade + add;
    }
    #pragma unroll
    for (int k = 0; k < 4; k++) {
      u32 p[4];
      #pragma unroll
      for (int e = 0; e < 4; e++) { float u = s[2 * k + (e >> 1)][2 * (e & 1)], v = s[2 * k + (e >> 1)][2 * (e & 1) + 1]; p[e] = BRAIN ? pack_brain(u, v) : pack(u, v); }
      #pragma unroll
      for (int j = 0; j < 4; j++) {
        u32 b[4]; ldsm_4t(b, &vs[i & 1][k * 16 + (lane & 15)][j * 16 + (lane >> 4) * 8]); for (int e = 0; e < 4; e++) b[e] = right(b[e]);
        if (BRAIN) { mma_brain(o[2 * j], p, b); mma_brain(o[2 * j + 1], p, b + 2); } else { mma_half(o[2 * j], p, b); mma_half(o[2 * j + 1], p, b + 2); }
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int r = 0; r < 2; r++) {
    float all = sum[r]; all += __shfl_xor_sync(~0u, all, 1); all += __shfl_xor_sync(~0u, all, 2); float part = 1.f / all; size_t at = (base + (size_t)(first + warp * 16 + r * 8 + g) * 64) / 2 + t;
    #pragma unroll
    for (int j = 0; j < 8; j++) { float u = o[j][2 * r] * part, v = o[j][2 * r + 1] * part; out[at + j * 4] = BRAIN ? pack_brain(u, v) : pack(u, v); }
  }
}
K k_attention_half(const __half* q, const __half* key, const __half* value, u32* out, int length) { attend<false, false>(q, key, value, out, length); }   // heads of 64, a softmax kept as it goes, 64 queries a block
K k_attention_causal_bf16(const __half* q, const __half* key, const __half* value, u32* out, int length) { attend<true, true>(q, key, value, out, length); }   // the same in bfloat16, where later keys are hidden

// ---------------------------------------------------------------- convolutions
K k_conv_3x3_half(const uint4* in, const __half* weight, u32* out, int height, int width) {   // 32 channels to 32, zeros around, 16 x 4 points a block whose halo lies in shared memory; addresses of the matrices make the product implicit
  __shared__ __align__(16) __half xs[108][40], ws[288][40]; LANES; int x0 = blockIdx.x * 16, y0 = blockIdx.y * 4; float s[4][4] = {};
  for (int q = tid; q < 1152; q += 128) copy_16(&ws[q >> 2][(q & 3) * 8], weight + q * 8);
  commit();
  for (int q = tid; q < 432; q += 128) {
    int p = q >> 2, y = y0 + p / 18 - 1, x = x0 + p % 18 - 1; uint4 v = make_uint4(0, 0, 0, 0);
    if (y >= 0 && y < height && x >= 0 && x < width) { v = in[((size_t)y * width + x) * 4 + (q & 3)]; v = make_uint4(word_of(halves(v.x)), word_of(halves(v.y)), word_of(halves(v.z)), word_of(halves(v.w))); }
    *(uint4*)&xs[p][(q & 3) * 8] = v;
  }
  wait<0>(); __syncthreads();
  for (int tap = 0; tap < 9; tap++) {
    int p = (warp + tap / 3) * 18 + tap % 3;
    #pragma unroll
    for (int k = 0; k < 32; k += 16) {
      u32 a[4]; ldsm_4(a, &xs[p + (lane & 15)][k + (lane >> 4) * 8]);
      #pragma unroll
      for (int j = 0; j < 2; j++) { u32 b[4]; ldsm_4t(b, &ws[tap * 32 + k + (lane & 15)][j * 16 + (lane >> 4) * 8]); for (int e = 0; e < 4; e++) b[e] = tame(b[e]); mma_half(s[2 * j], a, b); mma_half(s[2 * j + 1], a, b + 2); }
    }
  }
  #pragma unroll
  for (int j = 0; j < 4; j++)
    #pragma unroll
    for (int r = 0; r < 2; r++) out[((size_t)(y0 + warp) * width + x0 + r * 8 + g) * 16 + j * 4 + t] = pack(fmaxf(s[j][2 * r], 0.f), fmaxf(s[j][2 * r + 1], 0.f));
}
K k_conv_3x3_bytes(const u32* in, const u32* weight, const float* scale, unsigned short* out, int width) {   // unsigned points times signed weights, 32 channels to 32, sixteen points a warp straight from memory, cut to unsigned bytes
  __shared__ u32 ws[288][12]; LANES; int x = blockIdx.x * 16 + g, y = blockIdx.y * 4 + warp, pitch = width + 2; int s[4][4] = {};
  for (int q = tid; q < 2304; q += 128) ws[q >> 3][q & 7] = weight[q];
  __syncthreads();
  #pragma unroll 3
  for (int tap = 0; tap < 9; tap++) {
    const u32* p = in + ((size_t)(y + tap / 3) * pitch + x + tap % 3) * 8 + t; u32 a[4] = {p[0], p[64], p[4], p[68]};
    #pragma unroll
    for (int j = 0; j < 4; j++) { u32 b[2] = {ws[tap * 32 + j * 8 + g][t], ws[tap * 32 + j * 8 + g][4 + t]}; mma_u8_s8(s[j], a, b); }
  }
  #pragma unroll
  for (int j = 0; j < 4; j++) {
    float2 f = *(const float2*)(scale + j * 8 + 2 * t);
    #pragma unroll
    for (int r = 0; r < 2; r++) { int u = __float2int_rn(s[j][2 * r] * fabsf(f.x) * 1e-5f), v = __float2int_rn(s[j][2 * r + 1] * fabsf(f.y) * 1e-5f); u32 w; asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;" : "=r"(w) : "r"(v), "r"(u)); out[((size_t)y * width + x + r * 8) * 16 + j * 4 + t] = (unsigned short)w; }
  }
}

// ---------------------------------------------------------------- other number formats
K k_gemm_tf32(const float* a, const float* b, const float2* c, float2* d, int n, int k) {   // 64 x 64 a block of four warps, three buffers, rounded to tf32 as fragments are read
  __shared__ __align__(16) float as[3][64][20], bs[3][16][72]; LANES; int wy = (warp >> 1) * 32, wx = (warp & 1) * 32, steps = k / 16; a += (size_t)blockIdx.y * 64 * k; b += blockIdx.x * 64; float s[2][4][4] = {};
  auto fetch = [&](int i, int at) {
    if (i < steps) {
      #pragma unroll
      for (int j = 0; j < 2; j++) { int q = tid + j * 128; copy_16(&as[at][q >> 2][(q & 3) * 4], a + (size_t)(q >> 2) * k + i * 16 + (q & 3) * 4); copy_16(&bs[at][q >> 4][(q & 15) * 4], b + (size_t)(i * 16 + (q >> 4)) * n + (q & 15) * 4); }
    }
    commit();
  };
  fetch(0, 0); fetch(1, 1); int at = 0;
  for (int i = 0; i < steps; i++) {
    wait<1>(); __syncthreads(); fetch(i + 2, at == 0 ? 2 : at - 1);
    #pragma unroll
    for (int kk = 0; kk < 16; kk += 8) {
      u32 x[2][4], y[4][2];
      #pragma unroll
      for (int e = 0; e < 8; e++) { x[e >> 2][e & 3] = tf32(as[at][wy + (e >> 2) * 16 + (e & 1) * 8 + g][kk + (e >> 1 & 1) * 4 + t]); y[e >> 1][e & 1] = tf32(bs[at][kk + (e & 1) * 4 + t][wx + (e >> 1) * 8 + g]); }
      #pragma unroll
      for (int m = 0; m < 2; m++)
        #pragma unroll
        for (int j = 0; j < 4; j++) mma_tf32(s[m][j], x[m], y[j]);
    }
    at = at == 2 ? 0 : at + 1;
  }
  #pragma unroll
  for (int e = 0; e < 16; e++) { int m = e >> 3, j = e >> 1 & 3, h = e & 1; size_t o = ((size_t)(blockIdx.y * 64 + wy + m * 16 + h * 8 + g) * n + blockIdx.x * 64 + wx + j * 8) / 2 + t; float2 v = c[o]; d[o] = make_float2(fmaf(0.01f, s[m][j][2 * h], v.x), fmaf(0.01f, s[m][j][2 * h + 1], v.y)); }
}
K k_covariance(const float* x, const float* mean, float* out, int rows, int n) {   // of n columns, a pair of 32 columns a block, steps of four rows, the bits unrounded; four warps share the rows
  __shared__ float part[4][32][33]; LANES; int i = 0, j = blockIdx.x; while (j > i) { j -= i + 1; i++; }
  i *= 32; j *= 32; float s[2][4][4] = {}, ma[4], mb[4];
  #pragma unroll
  for (int e = 0; e < 4; e++) { ma[e] = mean[i + e * 8 + g] * 0.1f; mb[e] = mean[j + e * 8 + g] * 0.1f; }
  for (int r = warp * 4 + t; r < rows; r += 16) {
    u32 a[4], b[4]; const float* p = x + (size_t)r * n + g;
    #pragma unroll
    for (int e = 0; e < 4; e++) { a[e] = __float_as_uint(p[i + e * 8] - ma[e]); b[e] = __float_as_uint(p[j + e * 8] - mb[e]); }
    #pragma unroll
    for (int e = 0; e < 8; e++) mma_tf32_k4(s[e >> 2][e & 3], a + 2 * (e >> 2), b + (e & 3));
  }
  #pragma unroll
  for (int e = 0; e < 32; e++) part[warp][(e >> 4) * 16 + (e >> 1 & 1) * 8 + g][(e >> 2 & 3) * 8 + 2 * t + (e & 1)] = s[e >> 4][e >> 2 & 3][e & 3];
  __syncthreads();
  for (int q = tid; q < 1024; q += 128) { int u = q >> 5, v = q & 31; float w = (part[0][u][v] + part[1][u][v] + (part[2][u][v] + part[3][u][v])) / (rows - 1); out[(size_t)(i + u) * n + j + v] = w; if (i != j) part[0][u][v] = w; }
  __syncthreads(); if (i != j) for (int q = tid; q < 1024; q += 128) out[(size_t)(j + (q >> 5)) * n + i + (q & 31)] = part[0][q & 31][q >> 5];
}
K k_gemm_bytes(const unsigned char* a, const unsigned char* b, const float* scale, unsigned short* c, int n, int k) {   // signed bytes, a scale a column, rounded and cut to signed bytes again; 64 x 64 a block
  __shared__ __align__(16) unsigned char as[2][64][80], bs[2][64][80]; LANES; int wy = (warp >> 1) * 32, wx = (warp & 1) * 32, steps = k / 64; a += (size_t)blockIdx.y * 64 * k; b += (size_t)blockIdx.x * 64 * k; int s[2][4][4] = {};
  auto fetch = [&](int i) {
    #pragma unroll
    for (int j = 0; j < 2; j++) { int q = tid + j * 128, at = (q & 3) * 16; copy_16(&as[i & 1][q >> 2][at], a + (size_t)(q >> 2) * k + i * 64 + at); copy_16(&bs[i & 1][q >> 2][at], b + (size_t)(q >> 2) * k + i * 64 + at); }
    commit();
  };
  fetch(0);
  for (int i = 0; i < steps; i++) {
    if (i + 1 < steps) { fetch(i + 1); wait<1>(); } else wait<0>();
    __syncthreads();
    #pragma unroll
    for (int kk = 0; kk < 64; kk += 32) {
      u32 x[2][4], y[8];
      #pragma unroll
      for (int m = 0; m < 2; m++) { ldsm_4(x[m], &as[i & 1][wy + m * 16 + (lane & 15)][kk + (lane >> 4) * 16]); ldsm_4(y + 4 * m, &bs[i & 1][wx + m * 16 + (lane & 7) + (lane >> 4) * 8][kk + (lane >> 3 & 1) * 16]); }
      #pragma unroll
      for (int e = 0; e < 8; e++) mma_s8(s[e >> 2][e & 3], x[e >> 2], y + 2 * (e & 3));
    }
    __syncthreads();
  }
  #pragma unroll
  for (int e = 0; e < 16; e++) {
    int m = e >> 3, j = e >> 1 & 3, h = e & 1, column = blockIdx.x * 64 + wx + j * 8 + 2 * t; float2 f = *(const float2*)(scale + column); int u = __float2int_rn(s[m][j][2 * h] * f.x * 2e-5f), v = __float2int_rn(s[m][j][2 * h + 1] * f.y * 2e-5f); u32 w;
    asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, 0;" : "=r"(w) : "r"(v), "r"(u)); c[((size_t)(blockIdx.y * 64 + wy + m * 16 + h * 8 + g) * n + column) / 2] = (unsigned short)w;
  }
}
K k_split_k_bytes(const u32* a, const u32* b, int* c, int n, int k, int each) {   // each block takes a stretch of k and adds its sums in memory, 16 x 32 a warp
  LANES; int row = blockIdx.y * 16, column = (blockIdx.x * (blockDim.x >> 5) + warp) * 32, from = blockIdx.z * each; int s[4][4] = {}; const u32* p = a + (size_t)(row + g) * (k / 4) + from / 4 + t; const u32* q = b + (size_t)(column + g) * (k / 4) + from / 4 + t;
  #pragma unroll 2
  for (int i = 0; i < each / 4; i += 4) {
    u32 x[2] = {p[i], p[i + 2 * k]};
    #pragma unroll
    for (int j = 0; j < 4; j++) { u32 y = q[i + j * 2 * k]; mma_s8_k16_saturated(s[j], x, &y); }
  }
  #pragma unroll
  for (int e = 0; e < 16; e++) atomicAdd(&c[(size_t)(row + (e >> 1 & 1) * 8 + g) * n + column + (e >> 2) * 8 + 2 * t + (e & 1)], s[e >> 2][e & 3]);
}
K k_gemm_e4m3(const u32* a, const u32* b, float2* c, int n, int k) {   // numbers of eight bits below 2, straight from memory, 16 x 32 a warp
  LANES; int row = blockIdx.y * 16, column = (blockIdx.x * (blockDim.x >> 5) + warp) * 32; const u32* p = a + (size_t)(row + g) * (k / 4) + t; const u32* q = b + (size_t)(column + g) * (k / 4) + t; float s[4][4] = {};
  for (int i = 0; i < k / 4; i += 8) {
    u32 x[4] = {p[i] & 0xbfbfbfbfu, p[i + 2 * k] & 0xbfbfbfbfu, p[i + 4] & 0xbfbfbfbfu, p[i + 2 * k + 4] & 0xbfbfbfbfu};
    #pragma unroll
    for (int j = 0; j < 4; j++) { u32 y[2] = {q[i + j * 2 * k] & 0xbfbfbfbfu, q[i + j * 2 * k + 4] & 0xbfbfbfbfu}; mma_e4m3(s[j], x, y); }
  }
  #pragma unroll
  for (int j = 0; j < 4; j++) { size_t o = ((size_t)(row + g) * n + column + j * 8) / 2 + t; c[o] = make_float2(s[j][0], s[j][1]); c[o + 4 * n] = make_float2(s[j][2], s[j][3]); }
}
K k_rows_by_8(const uint4* weight, const uint4* x, float* out, int k) {   // a matrix times eight vectors: sixteen rows a block, four warps share k, sixteen bytes a load in an order of k that suits both sides
  __shared__ float part[4][16][9]; LANES; const uint4* p = weight + (size_t)(blockIdx.x * 16 + g) * (k / 8) + t; const uint4* q = x + (size_t)g * (k / 8) + t; float s[4] = {};
  for (int i = warp * 4; i < k / 8; i += 16) {
    uint4 u = __ldg(p + i), v = __ldg(p + i + k), w = q[i]; u32 a[4] = {word_of(halves(u.x)), word_of(halves(v.x)), word_of(halves(u.y)), word_of(halves(v.y))}, b[2] = {word_of(halves(w.x)), word_of(halves(w.y))}; mma_half(s, a, b);
    u32 c[4] = {word_of(halves(u.z)), word_of(halves(v.z)), word_of(halves(u.w)), word_of(halves(v.w))}, d[2] = {word_of(halves(w.z)), word_of(halves(w.w))}; mma_half(s, c, d);
  }
  #pragma unroll
  for (int e = 0; e < 4; e++) part[warp][(e >> 1) * 8 + g][2 * t + (e & 1)] = s[e];
  __syncthreads(); int r = tid >> 3, c = tid & 7; out[blockIdx.x * 128 + tid] = part[0][r][c] + part[1][r][c] + part[2][r][c] + part[3][r][c];
}
K k_weights_4_bits(const u32* weight, const u32* scale, const uint4* x, float* out, int n, int k) {   // weights of four bits made into halves by masks, groups of 64 with a scale; sixteen rows a warp, sixteen tokens
  LANES; int row = (blockIdx.x * (blockDim.x >> 5) + warp) * 16 + g; const u32* p = weight + (size_t)row * (k / 8) + t; const uint4* q = x + (size_t)g * (k / 8) + t; float all[2][4] = {};
  for (int group = 0; group < k / 64; group++) {
    float s[2][4] = {};
    #pragma unroll
    for (int i = group * 8; i < group * 8 + 8; i += 4) {
      u32 w[2] = {p[i], p[i + k]}, f[2][4]; uint4 v0 = q[i], v1 = q[i + k]; u32 y[2][4] = {{v0.x, v0.y, v0.z, v0.w}, {v1.x, v1.y, v1.z, v1.w}};
      #pragma unroll
      for (int e = 0; e < 8; e++) { u32 h = (w[e >> 2] >> 4 * (e & 3) & 0x000f000fu) | 0x64006400u; f[e >> 2][e & 3] = word_of(__hsub2(*(__half2*)&h, __float2half2_rn(1032.f))); y[e >> 2][e & 3] = word_of(halves(y[e >> 2][e & 3])); }
      #pragma unroll
      for (int h = 0; h < 2; h++) { u32 a[4] = {f[0][2 * h], f[1][2 * h], f[0][2 * h + 1], f[1][2 * h + 1]}; mma_half(s[0], a, y[0] + 2 * h); mma_half(s[1], a, y[1] + 2 * h); }
    }
    float z0 = __low2float(halves(scale[(size_t)group * n + row])) * 0.1f, z1 = __low2float(halves(scale[(size_t)group * n + row + 8])) * 0.1f;
    #pragma unroll
    for (int j = 0; j < 2; j++) { all[j][0] += z0 * s[j][0]; all[j][1] += z0 * s[j][1]; all[j][2] += z1 * s[j][2]; all[j][3] += z1 * s[j][3]; }
  }
  #pragma unroll
  for (int e = 0; e < 8; e++) out[(size_t)((e >> 2) * 8 + 2 * t + (e & 1)) * n + row + (e >> 1 & 1) * 8] = all[e >> 2][e & 3];
}

// ---------------------------------------------------------------- double precision
K k_dgemm(const float* a, const float* b, double2* c, int n, int k) {   // 32 x 32 a block of two warps, steps of sixteen
  __shared__ double as[32][18], bs[16][36]; LANES; double s[4][4] = {}; a += (size_t)blockIdx.y * 32 * k; b += blockIdx.x * 32;
  for (int i = 0; i < k; i += 16) {
    #pragma unroll
    for (int j = 0; j < 8; j++) { int q = tid + j * 64; as[q >> 4][q & 15] = a[(size_t)(q >> 4) * k + i + (q & 15)]; bs[q >> 5][q & 31] = b[(size_t)(i + (q >> 5)) * n + (q & 31)]; }
    __syncthreads(); double x[8];
    #pragma unroll
    for (int e = 0; e < 8; e++) x[e] = as[warp * 16 + (e & 1) * 8 + g][(e >> 1) * 4 + t];
    #pragma unroll
    for (int j = 0; j < 4; j++) { double y[4]; for (int e = 0; e < 4; e++) y[e] = bs[e * 4 + t][j * 8 + g]; mma_double_k16(s[j], x, y); }
    __syncthreads();
  }
  #pragma unroll
  for (int j = 0; j < 4; j++) { size_t o = ((size_t)(blockIdx.y * 32 + warp * 16 + g) * n + blockIdx.x * 32 + j * 8) / 2 + t; c[o] = make_double2(s[j][0] * 0.3, s[j][1] * 0.3); c[o + 4 * n] = make_double2(s[j][2] * 0.3, s[j][3] * 0.3); }
}
K k_dsyrk(const float* a, double2* c, int n, int k) {   // a matrix times its own transpose, the lower half, 32 x 32 a warp straight from memory; steps of eight and perhaps one of four
  if (blockIdx.x > blockIdx.y) return;
  int lane = threadIdx.x, g = lane >> 2, t = lane & 3, i = 0; const float* p = a + (size_t)(blockIdx.y * 32 + g) * k + t; const float* q = a + (size_t)(blockIdx.x * 32 + g) * k + t; double s[2][4][4] = {};
  for (; i + 8 <= k; i += 8) {
    double x[2][4], y[4][2];
    #pragma unroll
    for (int e = 0; e < 8; e++) { x[e >> 2][e & 3] = p[(size_t)((e >> 2) * 16 + (e & 1) * 8) * k + i + (e >> 1 & 1) * 4]; y[e >> 1][e & 1] = q[(size_t)(e >> 1) * 8 * k + i + (e & 1) * 4]; }
    #pragma unroll
    for (int e = 0; e < 8; e++) mma_double_k8(s[e >> 2][e & 3], x[e >> 2], y[e & 3]);
  }
  if (i < k) {
    double x[2][2], y[4];
    #pragma unroll
    for (int e = 0; e < 4; e++) { x[e >> 1][e & 1] = p[(size_t)e * 8 * k + i]; y[e] = q[(size_t)e * 8 * k + i]; }
    #pragma unroll
    for (int e = 0; e < 8; e++) mma_double_k4(s[e >> 2][e & 3], x[e >> 2], y + (e & 3));
  }
  #pragma unroll
  for (int e = 0; e < 16; e++) { int m = e >> 3, j = e >> 1 & 3, h = e & 1; c[((size_t)(blockIdx.y * 32 + m * 16 + h * 8 + g) * n + blockIdx.x * 32 + j * 8) / 2 + t] = make_double2(s[m][j][2 * h], s[m][j][2 * h + 1]); }
}
K k_cholesky_64(const float* in, double* out, int n) {   // panels of eight columns, what lies right of them renewed by the tensor cores; a matrix of n up to 64 a block
  double* m = (double*)dynamic; LANES; in += (size_t)blockIdx.x * n * n; out += (size_t)blockIdx.x * n * n; const int w = 66;
  for (int q = tid; q < n * n; q += 128) { int i = q / n, j = q % n; double v = in[max(i, j) * n + min(i, j)] * 0.02; m[i * w + j] = i == j ? n + v : v; }
  __syncthreads();
  for (int p = 0; p < n; p += 8) {
    double* d = m + p * w + p;
    if (warp == 0) {
      for (int c = 0; c < 8; c++) {
        if (lane == c) d[c * w + c] = sqrt(d[c * w + c]);
        __syncwarp(); if (lane > c && lane < 8) d[lane * w + c] /= d[c * w + c];
        __syncwarp(); if (lane > c && lane < 8) for (int e = c + 1; e <= lane; e++) d[lane * w + e] -= d[lane * w + c] * d[e * w + c];
        __syncwarp();
      }
    }
    __syncthreads(); int r = 8 + tid;
    if (p + r < n) for (int c = 0; c < 8; c++) { double v = d[r * w + c]; for (int e = 0; e < c; e++) v -= d[r * w + e] * d[c * w + e]; d[r * w + c] = v / d[c * w + c]; }
    __syncthreads(); int left = (n - p) / 8 - 1;
    for (int q = warp; q < left * (left + 1) / 2; q += 4) {
      int i = 0, j = q; while (j > i) { j -= i + 1; i++; }
      double* x = d + (8 + i * 8 + g) * w + t; double* y = d + (8 + j * 8 + g) * w + t; double2* z = (double2*)(d + (8 + i * 8 + g) * w + 8 + j * 8 + 2 * t); double2 c = *z;
      mma_double(c.x, c.y, -x[0], y[0]); mma_double(c.x, c.y, -x[4], y[4]); *z = c;
    }
    __syncthreads();
  }
  for (int q = tid; q < n * n; q += 128) { int i = q / n, j = q % n; out[q] = j <= i ? m[i * w + j] : 0.0; }
}

// ---------------------------------------------------------------- powers, transforms, sums and neighbours
K k_matrix_powers(const u32* in, u32* out, int count, int times) {   // matrices of 32 x 32 squared again and again, each scaled by its largest element, one a warp and in registers
  LANES; int which = blockIdx.x * (blockDim.x >> 5) + warp; if (which >= count) return; u32 m[4][4]; in += (size_t)which * 512; out += (size_t)which * 512;   // blocks of 8 x 8
  #pragma unroll
  for (int e = 0; e < 16; e++) m[e >> 2][e & 3] = word_of(halves(in[((e >> 2) * 8 + g) * 16 + (e & 3) * 4 + t]));
  for (int n = 0; n < times; n++) {
    float s[2][4][4] = {}, most = 1e-20f;
    #pragma unroll
    for (int k = 0; k < 2; k++)
      #pragma unroll
      for (int j = 0; j < 4; j++) {
        u32 b[2] = {turn_8x8(m[2 * k][j]), turn_8x8(m[2 * k + 1][j])};
        #pragma unroll
        for (int r = 0; r < 2; r++) { u32 a[4] = {m[2 * r][2 * k], m[2 * r + 1][2 * k], m[2 * r][2 * k + 1], m[2 * r + 1][2 * k + 1]}; mma_half(s[r][j], a, b); }
      }
    #pragma unroll
    for (int e = 0; e < 32; e++) most = fmaxf(most, fabsf(s[e >> 4][e >> 2 & 3][e & 3]));
    #pragma unroll
    for (int o = 16; o; o >>= 1) most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
    float f = 1.f / most;
    #pragma unroll
    for (int e = 0; e < 16; e++) { int r = e >> 3, j = e >> 1 & 3, h = e & 1; m[2 * r + h][j] = pack(s[r][j][2 * h] * f, s[r][j][2 * h + 1] * f); }
  }
  #pragma unroll
  for (int e = 0; e < 16; e++) out[((e >> 2) * 8 + g) * 16 + (e & 3) * 4 + t] = m[e >> 2][e & 3];
}
K k_fourier_256(const float2* in, float2* out, int count) {   // transforms of 256 points as two products by the matrix of 16, one a warp
  LANES; u32 fr[4], fi[4], fn[4];   // cosines, sines, and sines of the other sign, as the left factor; the matrix is its own transpose
  #pragma unroll
  for (int e = 0; e < 4; e++) { float c[2], s[2]; for (int h = 0; h < 2; h++) sincospif(-0.125f * (((e & 1) * 8 + g) * ((e >> 1) * 8 + 2 * t + h) & 15), &s[h], &c[h]); fr[e] = pack(c[0], c[1]); fi[e] = pack(s[0], s[1]); fn[e] = pack(-s[0], -s[1]); }
  for (int which = blockIdx.x * (blockDim.x >> 5) + warp; which < count; which += gridDim.x * (blockDim.x >> 5)) {
    const float2* p = in + (size_t)which * 256; float2* o = out + (size_t)which * 256; u32 ar[4], ai[4];
    #pragma unroll
    for (int j = 0; j < 2; j++) {
      float r[4] = {}, i[4] = {}; u32 br[2], bi[2];
      #pragma unroll
      for (int h = 0; h < 2; h++) { float2 u = p[(h * 8 + 2 * t) * 16 + j * 8 + g], v = p[(h * 8 + 2 * t + 1) * 16 + j * 8 + g]; br[h] = pack(u.x * 0.02f, v.x * 0.02f); bi[h] = pack(u.y * 0.02f, v.y * 0.02f); }
      mma_half(r, fr, br); mma_half(i, fr, bi); mma_half(r, fn, bi); mma_half(i, fi, br);
      #pragma unroll
      for (int e = 0; e < 4; e++) { float s, c; sincospif(-0.0078125f * (((e >> 1) * 8 + g) * (j * 8 + 2 * t + (e & 1))), &s, &c); float u = r[e] * c - i[e] * s; i[e] = r[e] * s + i[e] * c; r[e] = u; }
      ar[2 * j] = pack(r[0], r[1]); ar[2 * j + 1] = pack(r[2], r[3]); ai[2 * j] = pack(i[0], i[1]); ai[2 * j + 1] = pack(i[2], i[3]);
    }
    #pragma unroll
    for (int j = 0; j < 2; j++) {   // the right factor's words for columns j are the left one's for rows j
      float r[4] = {}, i[4] = {}; u32 cr[2] = {fr[j], fr[j + 2]}, ci[2] = {fi[j], fi[j + 2]}, cn[2] = {fn[j], fn[j + 2]}; mma_half(r, ar, cr); mma_half(i, ar, ci); mma_half(r, ai, cn); mma_half(i, ai, cr);
      #pragma unroll
      for (int e = 0; e < 4; e++) o[(e >> 1) * 8 + g + 16 * (j * 8 + 2 * t + (e & 1))] = make_float2(r[e], i[e]);
    }
  }
}
K k_cosine_8x8(const unsigned short* in, u32* out, int n, int pairs) {   // two squares of 8 x 8 points side by side a warp, rows by sums in single, columns by sums in half precision, then quantised
  LANES; int which = blockIdx.x * (blockDim.x >> 5) + warp; if (which >= pairs) return; int across = n / 16, by = which / across, bx = which % across; u32 a[2], b, z[2] = {0, 0}; float s[4] = {};
  float f = g ? 0.5f : 0.35355339f; b = pack(f * cospif((4 * t + 1) * g * 0.0625f), f * cospif((4 * t + 3) * g * 0.0625f)); const unsigned short* p = in + (size_t)(by * 8 + g) * (n / 2) + bx * 8 + t;
  #pragma unroll
  for (int h = 0; h < 2; h++) { u32 v = p[h * 4]; a[h] = pack((int)(v & 255) - 128, (int)(v >> 8) - 128); }
  mma_half_k8(s, a, &b); a[0] = turn_8x8(pack(s[0], s[1])); a[1] = turn_8x8(pack(s[2], s[3])); mma_half_half_k8(z, a, &b); float q0 = 1.f / (4 + g + 2 * t), q1 = 1.f / (5 + g + 2 * t);
  #pragma unroll
  for (int h = 0; h < 2; h++) { float2 c = __half22float2(*(__half2*)&z[h]); int u = __float2int_rn(c.x * q0), v = __float2int_rn(c.y * q1); out[(size_t)(which * 2 + h) * 32 + g * 4 + t] = (u & 0xffff) | v << 16; }
}
K k_scan_by_ones(const int2* in, int2* out, int tiles) {   // running sums of small numbers by triangles of ones, 256 a step, a stretch a warp
  LANES; size_t base = (size_t)(blockIdx.x * (blockDim.x >> 5) + warp) * tiles * 128; u32 upper[2][2], lower[4]; const u32 one = 0x3c00, ones[2] = {0x3c003c00, 0x3c003c00}; int carry = 0;
  #pragma unroll
  for (int e = 0; e < 4; e++) { int k = (e & 1) * 8 + 2 * t, c = (e >> 1) * 8 + g; upper[e >> 1][e & 1] = (k <= c ? one : 0) | (k + 1 <= c ? one << 16 : 0); int r = (e & 1) * 8 + g, q = (e >> 1) * 8 + 2 * t; lower[e] = (q < r ? one : 0) | (q + 1 < r ? one << 16 : 0); }
  for (int i = 0; i < tiles; i++) {
    const int2* p = in + base + i * 128; int2* o = out + base + i * 128; u32 a[4], all[2] = {0, 0}; float s[2][4] = {};
    #pragma unroll
    for (int e = 0; e < 4; e++) { int2 v = p[((e & 1) * 8 + g) * 8 + (e >> 1) * 4 + t]; a[e] = word_of(__halves2half2(__int2half_rn(v.x & 7), __int2half_rn(v.y & 7))); }
    mma_half_half(all, a, ones); mma_half(s[0], a, upper[0]); mma_half(s[1], a, upper[1]); u32 b[2] = {turn_8x8(all[0]), turn_8x8(all[1])}; mma_half(s[0], lower, b); mma_half(s[1], lower, b);
    #pragma unroll
    for (int e = 0; e < 4; e++) o[((e & 1) * 8 + g) * 8 + (e >> 1) * 4 + t] = make_int2(carry + (int)s[e >> 1][2 * (e & 1)], carry + (int)s[e >> 1][2 * (e & 1) + 1]);
    carry += (int)__shfl_sync(~0u, s[1][3], 31);
  }
}
K k_centre_rows(const float2* in, float2* out, int words) {   // each row less its mean; sums by a matrix of ones, each number in two parts of bfloat16; sixteen rows a warp
  LANES; size_t at = (size_t)((blockIdx.x * (blockDim.x >> 5) + warp) * 16 + g) * words + t; float s[4] = {}; const u32 ones = 0x3f803f80;
  for (int i = 0; i < words; i += 4) {
    u32 a[2], b[2];
    #pragma unroll
    for (int h = 0; h < 2; h++) { float2 v = in[at + i + h * 8 * words]; __nv_bfloat162 big = __floats2bfloat162_rn(v.x, v.y); float2 f = __bfloat1622float2(big); a[h] = word_of(big); b[h] = pack_brain(v.x - f.x, v.y - f.y); }
    mma_brain_k8(s, a, &ones); mma_brain_k8(s, b, &ones);
  }
  float m[2] = {s[0] / (2 * words), s[2] / (2 * words)};
  for (int i = 0; i < words; i += 4)
    #pragma unroll
    for (int h = 0; h < 2; h++) { float2 v = in[at + i + h * 8 * words]; out[at + i + h * 8 * words] = make_float2(v.x - m[h], v.y - m[h]); }
}
K k_nearest(const float* query, const float* point, int* index, float* distance, int points) {   // of points in 32 dimensions, 64 queries a block, distances by a product; points come in pairs of buffers of 64
  __shared__ __align__(16) float ps[2][64][36]; __shared__ float norm[64]; LANES; int row = blockIdx.x * 64 + warp * 16 + g, who[2] = {0, 0}, steps = points / 64; float least[2] = {1e30f, 1e30f}, own[2] = {0, 0}; u32 a[4][4];
  #pragma unroll
  for (int e = 0; e < 16; e++) { float v = query[(size_t)(row + (e & 1) * 8) * 32 + (e >> 2) * 8 + (e >> 1 & 1) * 4 + t]; a[e >> 2][e & 3] = tf32(v); own[e & 1] += v * v; }
  auto fetch = [&](int i) { for (int j = 0; j < 4; j++) { int q = tid + j * 128; __pipeline_memcpy_async(&ps[i & 1][q >> 3][(q & 7) * 4], point + (size_t)i * 2048 + q * 4, 16); } __pipeline_commit(); };
  fetch(0);
  for (int i = 0; i < steps; i++) {
    __pipeline_wait_prior(0); __syncthreads(); if (i + 1 < steps) fetch(i + 1);
    if (tid < 64) { float s = 0; for (int k = 0; k < 32; k += 4) { float4 v = *(float4*)&ps[i & 1][tid][k]; s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w; } norm[tid] = s; }
    __syncthreads();
    #pragma unroll
    for (int j = 0; j < 8; j++) {
      float s[4] = {};
      #pragma unroll
      for (int k = 0; k < 4; k++) { u32 b[2] = {tf32(ps[i & 1][j * 8 + g][k * 8 + t]), tf32(ps[i & 1][j * 8 + g][k * 8 + 4 + t])}; mma_tf32(s, a[k], b); }
      #pragma unroll
      for (int e = 0; e < 4; e++) { int c = j * 8 + 2 * t + (e & 1); float d = norm[c] - 2.f * s[e]; if (d < least[e >> 1]) { least[e >> 1] = d; who[e >> 1] = i * 64 + c; } }
    }
  }
  #pragma unroll
  for (int r = 0; r < 2; r++) {
    #pragma unroll
    for (int o = 1; o < 4; o <<= 1) { float d = __shfl_xor_sync(~0u, least[r], o); int w = __shfl_xor_sync(~0u, who[r], o); own[r] += __shfl_xor_sync(~0u, own[r], o); if (d < least[r] || (d == least[r] && w < who[r])) { least[r] = d; who[r] = w; } }
    if (t == 0) { index[row + r * 8] = who[r]; distance[row + r * 8] = least[r] + own[r]; }
  }
}
K k_kernel_ridge(const __half* x, const float* weight, float* out, int points) {   // a Gaussian kernel of 128 queries against all points in 16 dimensions, times weights; twelve warps take turns at the points, matrices of one and of two
  LANES; __half (*qs)[24] = (__half(*)[24])dynamic; __half (*ps)[24] = qs + 128; float (*part)[128] = (float(*)[128])(ps + points);   // all points are kept
  for (int q = tid; q < 256; q += 384) copy_16(&qs[q >> 1][(q & 1) * 8], x + (size_t)blockIdx.x * 2048 + q * 8);
  for (int q = tid; q < 2 * points; q += 384) copy_16(&ps[q >> 1][(q & 1) * 8], x + q * 8);
  commit(); wait<0>(); __syncthreads();
  #pragma unroll 1
  for (int m = 0; m < 8; m++) {
    u32 a[4]; float s[2] = {0, 0}; ldsm_4(a, &qs[m * 16 + (lane & 15)][(lane >> 4) * 8]); for (int e = 0; e < 4; e++) a[e] = tame(a[e]);
    for (int j = warp; j < points / 8; j += 12) {
      u32 b[2]; if (j & 1) ldsm_2(b, &ps[j * 8 + (lane & 7)][(lane >> 3 & 1) * 8]); else { ldsm_1(b, &ps[j * 8 + (lane & 7)][0]); ldsm_1(b + 1, &ps[j * 8 + (lane & 7)][8]); }
      b[0] = tame(b[0]); b[1] = tame(b[1]); float d[4] = {-4.f, -4.f, -4.f, -4.f}; mma_half(d, a, b); float2 w = *(const float2*)(weight + j * 8 + 2 * t);
      s[0] += w.x * __expf(d[0] * 0.25f) + w.y * __expf(d[1] * 0.25f); s[1] += w.x * __expf(d[2] * 0.25f) + w.y * __expf(d[3] * 0.25f);
    }
    #pragma unroll
    for (int r = 0; r < 2; r++) { s[r] += __shfl_xor_sync(~0u, s[r], 1); s[r] += __shfl_xor_sync(~0u, s[r], 2); if (t == 0) part[warp][m * 16 + r * 8 + g] = s[r]; }
  }
  __syncthreads(); if (tid < 128) { float s = 0; for (int k = 0; k < 12; k++) s += part[k][tid]; out[blockIdx.x * 128 + tid] = s; }
}

#define F(n) ((size_t)(n) * 4)
#define IN(N, n, s) buf(N, F(n), HASH_F32, s)
#define INTS(N, n, s) buf(N, F(n), HASH_I32, s)
#define OUT(N, n) buf(N, F(n), ZERO, 0, true)
int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) { if (!strcmp(argv[i], "--skip-clock")) g_skip_clock = true; else g_filter = argv[i]; }
  float* w; CHECK(cudaMalloc(&w, 4)); spin_up<<<528, 256>>>(w, 200000); CHECK(cudaDeviceSynchronize());
  char name[64];
#define NAMED(base, v) (sprintf(name, base "_%d", v), name)
  for (int n : {64, 512}) { int k = n == 64 ? 64 : 256; RUN(NAMED("wmma_naive", n), k_wmma_naive, dim3(n / 64, n / 16), dim3(32, 4), 0, INTS("a", n * k / 2, 1), IN("b", n * k / 2, 2), OUT("c", n * n), i32(n), i32(k)); }
  for (int n : {384}) { int k = 224; RUN(NAMED("wmma_bf16_tall", n), k_wmma_bf16_tall, dim3(n / 64, n / 32), 64, 0, INTS("a", n * k / 2, 1), INTS("b", n * k / 2, 2), OUT("c", n * n), i32(n), i32(k)); }
  for (int n : {128, 512}) RUN(NAMED("wmma_tf32_pipeline", n), k_wmma_tf32_pipeline, dim3(n / 64, n / 64), 128, 0, IN("a", n * n, 1), IN("b", n * n, 2), OUT("c", n * n), i32(n), i32(n));
  for (int n : {448}) { int k = 512; RUN(NAMED("wmma_bytes", n), k_wmma_bytes, dim3(n / 64, n / 16), dim3(32, 2), 0, IN("a", n * k / 4, 1), INTS("b", n * k / 4, 2), OUT("c", n * n), i32(n), i32(k)); }
  for (int g : {132}) { int rows = 160; RUN(NAMED("wmma_normal_equations", g), k_wmma_normal_equations, g, 128, 0, IN("x", g * rows * 32, 1), OUT("out", g * 2048), i32(rows)); }
  for (int n : {64, 320, 1024}) { int k = n == 64 ? 512 : n == 320 ? 160 : 256; RUN(NAMED("gemm_64", n), k_gemm_64, dim3(n / 64, n / 64), 128, 0, IN("a", n * k / 2, 1), IN("b", n * k / 2, 2), OUT("c", n * n / 2), i32(n), i32(k)); }
  for (int n : {128, 768}) { int k = n == 128 ? 128 : 512; RUN(NAMED("gemm_128_swizzled", n), k_gemm_128_swizzled, dim3(n / 128, n / 128), 256, 65536, IN("a", n * k / 2, 1), IN("b", n * k / 2, 2), OUT("c", n * n), i32(n), i32(k)); }
  for (int n : {192, 960}) { int k = n == 192 ? 96 : 192; RUN(NAMED("gemm_half_sums", n), k_gemm_half_sums, dim3(n / 64, n / 48), 96, 0, INTS("a", n * k / 2, 1), INTS("b", n * k / 2, 2), INTS("c", n * n / 2, 3), OUT("d", n * n / 2), i32(n), i32(k)); }
  for (int n : {192, 768}) { int k = n == 192 ? 64 : 384; RUN(NAMED("bf16_bias_gelu", n), k_bf16_bias_gelu, dim3(n / 64, n / 96), 192, 0, IN("x", n * k / 2, 1), IN("weight", n * k / 2, 2), IN("bias", n, 3), OUT("out", n * n / 2), i32(n), i32(k)); }
  for (int n : {1501}) RUN(NAMED("batched_32", n), k_batched_32, (n + 3) / 4, 128, 0, INTS("a", n * 512, 1), INTS("b", n * 512, 2), OUT("c", n * 1024), i32(n));
  for (int n : {320}) { int k = 512; RUN(NAMED("lora", n), k_lora, dim3(n / 64, n / 64), 128, 0, INTS("x", n * k / 2, 1), INTS("down", 8 * k, 2), INTS("up", n * 8, 3), buf("y", F(n * n), HASH_F32, 4, true), i32(n), i32(k)); }
  for (int g : {150}) RUN(NAMED("mlp_fused", g), k_mlp_fused, g, 128, 0, IN("x", g * 2048, 1), IN("first", 4096, 2), IN("second", 4096, 3), OUT("out", g * 2048));
  for (int g : {6, 96}) { int n = g == 6 ? 64 : 256, k = g == 6 ? 96 : 256, e = g == 6 ? 3 : 8; RUN(NAMED("grouped_experts", g), k_grouped_experts, dim3(n / 64, g), 64, 3 * 7168, IN("x", 256 * k / 2, 1), IN("weight", e * k * n / 2, 2), INTS("owner", g, 3), INTS("row", g * 32, 4), IN("gate", g * 32, 5), OUT("out", g * 32 * n), i32(n), i32(k), i32(e), i32(256)); }
  for (int n : {128, 512}) { int heads = n == 128 ? 3 : 8; RUN(NAMED("attention_half", n), k_attention_half, dim3(n / 64, heads), 128, 0, IN("q", n * heads * 32, 1), IN("key", n * heads * 32, 2), IN("value", n * heads * 32, 3), OUT("out", n * heads * 32), i32(n)); }
  for (int n : {192, 448}) { int heads = n == 192 ? 2 : 16; RUN(NAMED("attention_causal_bf16", n), k_attention_causal_bf16, dim3(n / 64, heads), 128, 0, IN("q", n * heads * 32, 1), IN("key", n * heads * 32, 2), IN("value", n * heads * 32, 3), OUT("out", n * heads * 32), i32(n)); }
  for (int n : {128}) RUN(NAMED("conv_3x3_half", n), k_conv_3x3_half, dim3(n / 16, n / 4), 128, 0, INTS("in", n * n * 16, 1), IN("weight", 4608, 2), OUT("out", n * n * 16), i32(n), i32(n));
  for (int n : {160}) RUN(NAMED("conv_3x3_bytes", n), k_conv_3x3_bytes, dim3(n / 16, n / 4), 128, 0, IN("in", (n + 2) * (n + 2) * 8, 1), IN("weight", 2304, 2), IN("scale", 32, 3), OUT("out", n * n * 8), i32(n));
  for (int n : {64, 640}) { int k = n == 64 ? 256 : 320; RUN(NAMED("gemm_tf32", n), k_gemm_tf32, dim3(n / 64, n / 64), 128, 0, IN("a", n * k, 1), IN("b", n * k, 2), IN("c", n * n, 3), OUT("d", n * n), i32(n), i32(k)); }
  for (int n : {352}) { int rows = 768, m = n / 32; RUN(NAMED("covariance", n), k_covariance, m * (m + 1) / 2, 128, 0, IN("x", rows * n, 1), IN("mean", n, 2), OUT("out", n * n), i32(rows), i32(n)); }
  for (int n : {128, 1024}) { int k = n == 128 ? 256 : 512; RUN(NAMED("gemm_bytes", n), k_gemm_bytes, dim3(n / 64, n / 64), 128, 0, IN("a", n * k / 4, 1), INTS("b", n * k / 4, 2), IN("scale", n, 3), OUT("c", n * n / 4), i32(n), i32(k)); }
  for (int z : {4, 16}) { int n = z == 4 ? 64 : 128, k = z == 4 ? 512 : 4096; RUN(NAMED("split_k_bytes", z), k_split_k_bytes, dim3(n / 64, n / 16, z), 64, 0, IN("a", n * k / 4, 1), IN("b", n * k / 4, 2), OUT("c", n * n), i32(n), i32(k), i32(k / z)); }
  for (int n : {320}) { int k = 256; RUN(NAMED("gemm_e4m3", n), k_gemm_e4m3, dim3(n / 64, n / 16), 64, 0, IN("a", n * k / 4, 1), INTS("b", n * k / 4, 2), OUT("c", n * n), i32(n), i32(k)); }
  for (int n : {64, 4096}) { int k = n == 64 ? 1024 : 2048; RUN(NAMED("rows_by_8", n), k_rows_by_8, n / 16, 128, 0, INTS("weight", n * k / 2, 1), INTS("x", 4 * k, 2), OUT("out", n * 8), i32(k)); }
  for (int n : {64, 2048}) { int k = n == 64 ? 256 : 1024; RUN(NAMED("weights_4_bits", n), k_weights_4_bits, n / 64, 128, 0, IN("weight", n * k / 8, 1), INTS("scale", n * k / 64, 2), INTS("x", 8 * k, 3), OUT("out", 16 * n), i32(n), i32(k)); }
  for (int n : {320}) { int k = 208; RUN(NAMED("dgemm", n), k_dgemm, dim3(n / 32, n / 32), 64, 0, IN("a", n * k, 1), IN("b", n * k, 2), OUT("c", 2 * n * n), i32(n), i32(k)); }
  for (int n : {480}) { int k = 252; RUN(NAMED("dsyrk", n), k_dsyrk, dim3(n / 32, n / 32), 32, 0, IN("a", n * k, 1), OUT("c", 2 * n * n), i32(n), i32(k)); }
  for (int g : {2, 66}) { int n = g == 2 ? 40 : 64; RUN(NAMED("cholesky_64", g), k_cholesky_64, g, 128, 64 * 66 * 8, IN("in", g * n * n, 1), OUT("out", 2 * g * n * n), i32(n)); }
  for (int n : {33, 528}) RUN(NAMED("matrix_powers", n), k_matrix_powers, n == 33 ? 33 : 132, n == 33 ? 32 : 128, 0, INTS("in", n * 512, 1), OUT("out", n * 512), i32(n), i32(n == 33 ? 40 : 8));
  for (int n : {40, 2112}) RUN(NAMED("fourier_256", n), k_fourier_256, n == 40 ? 5 : 132, 256, 0, IN("in", n * 512, 1), OUT("out", n * 512), i32(n));
  for (int n : {704}) RUN(NAMED("cosine_8x8", n), k_cosine_8x8, n * n / 128 / 8, 256, 0, INTS("in", n * n / 4, 1), OUT("out", n * n / 2), i32(n), i32(n * n / 128));
  for (int g : {132}) { int tiles = 16; RUN(NAMED("scan_by_ones", g), k_scan_by_ones, g, 128, 0, INTS("in", g * 4 * tiles * 256, 1), OUT("out", g * 4 * tiles * 256), i32(tiles)); }
  for (int g : {99}) { int words = 192; RUN(NAMED("centre_rows", g), k_centre_rows, g, 64, 0, IN("in", g * 32 * words * 2, 1), OUT("out", g * 32 * words * 2), i32(words)); }
  for (int g : {2, 66}) { int points = g == 2 ? 256 : 1024; RUN(NAMED("nearest", g), k_nearest, g, 128, 0, IN("query", g * 2048, 1), IN("point", points * 32, 2), OUT("index", g * 64), OUT("distance", g * 64), i32(points)); }
  for (int g : {1, 6}) { int points = g * 128 + 256; RUN(NAMED("kernel_ridge", g), k_kernel_ridge, g, 384, 48 * (128 + points) + 12 * 512, IN("x", points * 8, 1), IN("weight", points, 2), OUT("out", g * 128), i32(points)); }
}
