#include <cstdint>
#define K extern "C" __global__ void
//! lu_pivot4 32 128 buffer:a:256KiB:hash_f32:1 buffer:d:16KiB:zero
K lu_pivot4(float* a, float* det) {
  int i = blockIdx.x * 128 + threadIdx.x; float m[4][4]; float d = 1;
  for (int r = 0; r < 4; r++) { float4 q = ((float4*)a)[i * 4 + r]; m[r][0] = q.x; m[r][1] = q.y; m[r][2] = q.z; m[r][3] = q.w; }
  #pragma unroll
  for (int k = 0; k < 4; k++) {
    #pragma unroll
    for (int r = k + 1; r < 4; r++) if (fabsf(m[r][k]) > fabsf(m[k][k])) { d = -d;
      #pragma unroll
      for (int c = 0; c < 4; c++) { float t = m[k][c]; m[k][c] = m[r][c]; m[r][c] = t; } }
    d *= m[k][k]; float inv = 1.0f / m[k][k];
    #pragma unroll
    for (int r = k + 1; r < 4; r++) { float f = m[r][k] * inv; m[r][k] = f;
      #pragma unroll
      for (int c = k + 1; c < 4; c++) m[r][c] -= f * m[k][c]; }
  }
  for (int r = 0; r < 4; r++) ((float4*)a)[i * 4 + r] = make_float4(m[r][0], m[r][1], m[r][2], m[r][3]);
  det[i] = d;
}
//! mgs_3x3 32 128 buffer:a:147456:hash_f32:2 buffer:q:147456:zero
K mgs_3x3(const float* a, float* q) {
  int n = gridDim.x * 128, i = blockIdx.x * 128 + threadIdx.x; float v[3][3];
  for (int c = 0; c < 3; c++) for (int r = 0; r < 3; r++) v[c][r] = a[(c * 3 + r) * n + i];
  for (int c = 0; c < 3; c++) {
    float s = 0; for (int r = 0; r < 3; r++) s += v[c][r] * v[c][r];
    float inv = rsqrtf(s); for (int r = 0; r < 3; r++) v[c][r] *= inv;
    for (int d = c + 1; d < 3; d++) { float p = 0; for (int r = 0; r < 3; r++) p += v[c][r] * v[d][r]; for (int r = 0; r < 3; r++) v[d][r] -= p * v[c][r]; }
  }
  for (int c = 0; c < 3; c++) for (int r = 0; r < 3; r++) q[(c * 3 + r) * n + i] = v[c][r];
}
//! eigen_sym3 32 128 buffer:a:98304:hash_f32:3 buffer:e:49152:zero
K eigen_sym3(const float* a, float* e) {
  int n = gridDim.x * 128, i = blockIdx.x * 128 + threadIdx.x;
  float a00 = a[i], a11 = a[n + i], a22 = a[2 * n + i], a01 = a[3 * n + i], a02 = a[4 * n + i], a12 = a[5 * n + i];
  float p1 = a01 * a01 + a02 * a02 + a12 * a12, q = (a00 + a11 + a22) / 3;
  float p2 = (a00 - q) * (a00 - q) + (a11 - q) * (a11 - q) + (a22 - q) * (a22 - q) + 2 * p1, p = sqrtf(p2 / 6);
  float b00 = (a00 - q) / p, b11 = (a11 - q) / p, b22 = (a22 - q) / p, b01 = a01 / p, b02 = a02 / p, b12 = a12 / p;
  float r = (b00 * (b11 * b22 - b12 * b12) - b01 * (b01 * b22 - b12 * b02) + b02 * (b01 * b12 - b11 * b02)) / 2;
  float phi = r <= -1 ? 3.14159265f / 3 : r >= 1 ? 0 : acosf(r) / 3;
  float e0 = q + 2 * p * cosf(phi), e2 = q + 2 * p * cosf(phi + 2.0943951f);
  e[i] = e0; e[n + i] = 3 * q - e0 - e2; e[2 * n + i] = e2;
}
//! matvec_t4 16 64 buffer:a:1MiB:hash_f32:4 buffer:x:256:hash_f32:5 buffer:y:16KiB:zero i32:64 i32:1024
K matvec_t4(const float4* __restrict__ a, const float* __restrict__ x, float4* y, int rows, int cols4) {
  int c = blockIdx.x * 64 + threadIdx.x; float4 s = make_float4(0, 0, 0, 0);
  for (int r = 0; r < rows; r++) { float4 v = a[r * cols4 + c]; float k = x[r]; s.x += v.x * k; s.y += v.y * k; s.z += v.z * k; s.w += v.w * k; }
  y[c] = s;
}
//! lower_solve_16 32 64 buffer:l:128KiB:hash_f32:6 buffer:b:128KiB:hash_f32:7
K lower_solve_16(const float* l, float* b) {
  __shared__ float s[16][17]; int t = threadIdx.x;
  for (int i = t; i < 256; i += 64) s[i / 16][i % 16] = l[blockIdx.x * 256 + i];
  __syncthreads();
  float x[16];
  #pragma unroll
  for (int r = 0; r < 16; r++) { float v = b[(blockIdx.x * 16 + r) * 64 + t];
    #pragma unroll
    for (int k = 0; k < r; k++) v -= s[r][k] * x[k];
    x[r] = v / s[r][r]; }
  #pragma unroll
  for (int r = 0; r < 16; r++) b[(blockIdx.x * 16 + r) * 64 + t] = x[r];
}
template <int I, int J, int L> __device__ void contract(const float* a, const float* b, float* c) {
  #pragma unroll
  for (int i = 0; i < I; i++)
    #pragma unroll
    for (int j = 0; j < J; j++) { float s = 0;
      #pragma unroll
      for (int l = 0; l < L; l++) s += a[i * L + l] * b[l * J + j];
      c[i * J + j] = s; }
}
//! contract_small 32 128 buffer:a:98304:hash_f32:8 buffer:b:131072:hash_f32:9 buffer:c:196608:zero
K contract_small(const float* a, const float* b, float* c) { int i = blockIdx.x * 128 + threadIdx.x; contract<3, 4, 2>(a + i * 6, b + i * 8, c + i * 12); }
//! zgemm_tile 16 256 buffer:a:128KiB:hash_f32:10 buffer:b:128KiB:hash_f32:11 buffer:c:32KiB:zero i32:64
K zgemm_tile(const float2* a, const float2* b, float2* c, int n) {
  __shared__ float2 sa[16][16], sb[16][16];
  int tx = threadIdx.x & 15, ty = threadIdx.x >> 4, bx = blockIdx.x & 3, by = blockIdx.x >> 2; float2 s = {0, 0};
  for (int k = 0; k < n; k += 16) {
    sa[ty][tx] = a[(by * 16 + ty) * n + k + tx]; sb[ty][tx] = b[(k + ty) * n + bx * 16 + tx];
    __syncthreads();
    for (int j = 0; j < 16; j++) { float2 u = sa[ty][j], v = sb[j][tx]; s.x += u.x * v.x - u.y * v.y; s.y += u.x * v.y + u.y * v.x; }
    __syncthreads();
  }
  c[(by * 16 + ty) * n + bx * 16 + tx] = s;
}
//! zero_point_dot 32 128 buffer:a:256KiB:hash_i32:12 buffer:b:256KiB:hash_i32:13 buffer:c:16KiB:zero i32:16 i32:3 i32:5 f32:0.02
K zero_point_dot(const int4* a, const int4* b, float* c, int n, int za, int zb, float scale) {
  int i = blockIdx.x * 128 + threadIdx.x; int s = 0, sa = 0, sb = 0;
  for (int k = 0; k < n / 4; k++) {
    int4 u = a[i * (n / 4) + k], v = b[i * (n / 4) + k];
    s = __dp4a(u.x, v.x, s); s = __dp4a(u.y, v.y, s); s = __dp4a(u.z, v.z, s); s = __dp4a(u.w, v.w, s);
    sa = __dp4a(u.x, 0x01010101, sa); sa = __dp4a(u.y, 0x01010101, sa); sa = __dp4a(u.z, 0x01010101, sa); sa = __dp4a(u.w, 0x01010101, sa);
    sb = __dp4a(v.x, 0x01010101, sb); sb = __dp4a(v.y, 0x01010101, sb); sb = __dp4a(v.z, 0x01010101, sb); sb = __dp4a(v.w, 0x01010101, sb);
  }
  c[i] = (float)(s - za * sb - zb * sa + n * 4 * za * zb) * scale;
}
//! power_iteration 8 128 buffer:a:64KiB:hash_f32:14 buffer:v:512:hash_f32:15 buffer:o:4KiB:zero i32:4
K power_iteration(const float* a, const float* v0, float* o, int steps) {
  __shared__ float v[128], red[4]; int t = threadIdx.x; v[t] = v0[t];
  __syncthreads();
  for (int s = 0; s < steps; s++) {
    float y = 0; for (int k = 0; k < 128; k++) y += a[k * 128 + t] * v[k];
    float q = y * y; for (int d = 16; d; d >>= 1) q += __shfl_xor_sync(~0u, q, d);
    if ((t & 31) == 0) red[t >> 5] = q;
    __syncthreads();
    v[t] = y * rsqrtf(red[0] + red[1] + red[2] + red[3] + 1e-20f);
    __syncthreads();
  }
  o[blockIdx.x * 128 + t] = v[t];
}
//! polar_2x2 32 128 buffer:a:64KiB:hash_f32:16 buffer:u:64KiB:zero
K polar_2x2(const float4* a, float4* u) {
  int i = blockIdx.x * 128 + threadIdx.x; float4 m = a[i];
  for (int it = 0; it < 20; it++) {
    float det = m.x * m.w - m.y * m.z; if (fabsf(det) < 1e-12f) break;
    float inv = 1.f / det; float4 n = make_float4(0.5f * (m.x + m.w * inv), 0.5f * (m.y - m.z * inv), 0.5f * (m.z - m.y * inv), 0.5f * (m.w + m.x * inv));
    float d = fabsf(n.x - m.x) + fabsf(n.y - m.y) + fabsf(n.z - m.z) + fabsf(n.w - m.w); m = n;
    if (d < 1e-6f) break;
  }
  u[i] = m;
}
//! thomas_double 16 64 buffer:d:256KiB:hash_i32:17 buffer:x:256KiB:zero i32:32
K thomas_double(const double* d, double* x, int n) {
  int i = blockIdx.x * 64 + threadIdx.x, st = gridDim.x * 64; double cp[32];
  double c = -0.25, dp = 1e300 * d[i]; cp[0] = c; x[i] = dp;
  for (int k = 1; k < n; k++) { double m = 1.0 / (1.0 + 0.25 * c); c = -0.25 * m; dp = (1e300 * d[k * st + i] + 0.25 * dp) * m; cp[k & 31] = c; x[k * st + i] = dp; }
  for (int k = n - 2; k >= 0; k--) { dp = x[k * st + i] - cp[k & 31] * dp; x[k * st + i] = dp; }
}
