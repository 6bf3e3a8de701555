// Kernels of assorted fields, written after `everyday` and run before the model was changed again: linear algebra, signals,
// images, physics, graphs and trees, strings and bits, networks, finance and chance.
#include "harness.cuh"
#include <cuda_fp16.h>

#define GLOBAL_X (blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_Y (blockIdx.y * blockDim.y + threadIdx.y)
static __device__ __forceinline__ float warp_sum(float v) { for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); return v; }
static __device__ __forceinline__ uint32_t random_of(uint32_t x) { x = x * 747796405u + 2891336453u; x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u; return (x >> 22) ^ x; }

// ---------------------------------------------------------------- linear algebra
K k_block_sparse_rows(const int* start, const int* column, const float* value, const float* x, float* y, int rows, int columns) {   // BSR, blocks of 4 x 4, a warp a row of blocks
  int row = GLOBAL_X >> 5, lane = threadIdx.x & 31, r = lane >> 2 & 3, c = lane & 3; if (row >= rows) return;
  int begin = row * 12, end = begin + 4 + (start[row] & 7); float s = 0;
  for (int b = begin + (lane >> 4); b < end; b += 2) s += value[(size_t)b * 16 + r * 4 + c] * x[(column[b] % columns) * 4 + c];
  s += __shfl_xor_sync(~0u, s, 1); s += __shfl_xor_sync(~0u, s, 2); s += __shfl_xor_sync(~0u, s, 16);
  if (lane < 16 && c == 0) y[row * 4 + r] = s;
}
K k_diagonals(const float* d, const float* x, float* y, int n) {   // seven diagonals
  const int at[7] = {-512, -32, -1, 0, 1, 32, 512}; int i = GLOBAL_X; if (i >= n) return; float s = 0;
  #pragma unroll
  for (int k = 0; k < 7; k++) { int j = i + at[k]; if (j >= 0 && j < n) s += d[(size_t)k * n + i] * x[j]; }
  y[i] = s;
}
K k_symmetric_half(const float* a, const float* x, float* y, int n) {   // lower triangle, a warp a row
  int row = GLOBAL_X >> 5, lane = threadIdx.x & 31; if (row >= n) return; float s = 0; const float* r = a + (size_t)row * (row + 1) / 2;
  for (int j = lane; j <= row; j += 32) s += r[j] * x[j];
  s = warp_sum(s); if (!lane) y[row] = s;
}
K k_gemm_small_k(const float* a, const float* b, float* c, int n) {   // n x 8 by 8 x n, 4 results a thread
  int x = GLOBAL_X * 4, y = GLOBAL_Y; float4 s = {0, 0, 0, 0};
  for (int k = 0; k < 8; k++) { float v = a[y * 8 + k]; float4 w = *(const float4*)(b + (size_t)k * n + x); s.x += v * w.x; s.y += v * w.y; s.z += v * w.z; s.w += v * w.w; }
  *(float4*)(c + (size_t)y * n + x) = s;
}
K k_cyclic_reduction(const float* lower, const float* main, const float* upper, const float* right, float* out) {   // parallel cyclic reduction, 256 equations a block
  __shared__ float a[256], b[256], c[256], d[256]; int t = threadIdx.x, g = GLOBAL_X;
  a[t] = t ? lower[g] : 0; b[t] = main[g] + 200.f; c[t] = t < 255 ? upper[g] : 0; d[t] = right[g]; __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    int l = max(t - s, 0), r = min(t + s, 255); float k1 = t - s >= 0 ? a[t] / b[l] : 0, k2 = t + s < 256 ? c[t] / b[r] : 0;
    float na = -a[l] * k1, nb = b[t] - c[l] * k1 - a[r] * k2, nc = -c[r] * k2, nd = d[t] - d[l] * k1 - d[r] * k2;
    __syncthreads(); a[t] = na; b[t] = nb; c[t] = nc; d[t] = nd; __syncthreads();
  }
  out[g] = d[t] / b[t];
}
K k_conjugate_update(float* x, float* r, const float* p, const float* q, float* sums, int n) {   // x += a p, r -= a q, and r.r of each block
  __shared__ float part[8]; float s = 0;
  for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) { x[i] += 0.25f * p[i]; float v = r[i] - 0.25f * q[i]; r[i] = v; s += v * v; }
  s = warp_sum(s); if (!(threadIdx.x & 31)) part[threadIdx.x >> 5] = s; __syncthreads();
  if (threadIdx.x == 0) { for (int i = 1; i < 8; i++) s += part[i]; sums[blockIdx.x] = s; }
}
K k_givens(float* a, const float* angle, int n, int pairs) {   // rotations of neighbouring rows, one after another
  int j = GLOBAL_X; if (j >= n) return; float low = a[j];
  for (int k = 0; k < pairs; k++) { float c = __cosf(angle[k]), s = __sinf(angle[k]), up = a[(size_t)(k + 1) * n + j]; a[(size_t)k * n + j] = c * low + s * up; low = c * up - s * low; }
  a[(size_t)pairs * n + j] = low;
}
K k_bytes_gemm(const int* a, const int* b, int* c, int n) {   // 8-bit integers, four a word, tiles of 16 x 16 words
  __shared__ int ta[16][17], tb[16][17]; int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16, s = 0, w = n / 4;
  for (int k = 0; k < w; k += 16) {
    ta[y][x] = a[row * w + k + x]; tb[y][x] = b[(col + y) * w + k + x]; __syncthreads();
    for (int i = 0; i < 16; i++) s = __dp4a(ta[y][i], tb[x][i], s);
    __syncthreads();
  }
  c[row * n + col + x] = s;
}
K k_matrix_power_4(const float4* in, float4* out, int n) {   // a 4 x 4 matrix a thread, squared three times
  int i = GLOBAL_X; if (i >= n) return; float m[16];
  for (int r = 0; r < 4; r++) { float4 v = in[(size_t)r * n + i]; m[r * 4] = v.x * 0.01f; m[r * 4 + 1] = v.y * 0.01f; m[r * 4 + 2] = v.z * 0.01f; m[r * 4 + 3] = v.w * 0.01f; }
  #pragma unroll
  for (int k = 0; k < 3; k++) { float t[16];
    #pragma unroll
    for (int r = 0; r < 4; r++)
      #pragma unroll
      for (int c = 0; c < 4; c++) t[r * 4 + c] = m[r * 4] * m[c] + m[r * 4 + 1] * m[4 + c] + m[r * 4 + 2] * m[8 + c] + m[r * 4 + 3] * m[12 + c];
    #pragma unroll
    for (int e = 0; e < 16; e++) m[e] = t[e]; }
  for (int r = 0; r < 4; r++) out[(size_t)r * n + i] = make_float4(m[r * 4], m[r * 4 + 1], m[r * 4 + 2], m[r * 4 + 3]);
}

// ---------------------------------------------------------------- signals
K k_fir(const float* in, const float* taps, float* out, int n) {   // 64 taps, tile and taps in shared memory
  __shared__ float s[320], w[64]; int t = threadIdx.x, g = blockIdx.x * 256; s[t] = in[g + t]; if (t < 64) { s[256 + t] = in[g + 256 + t]; w[t] = taps[t]; } __syncthreads();
  float v = 0; for (int k = 0; k < 64; k++) v += s[t + k] * w[k]; if (g + t < n) out[g + t] = v;
}
K k_biquad(const float* in, float* out, int channels, int samples) {   // a recursive filter, a channel a thread, channels side by side
  int c = GLOBAL_X; if (c >= channels) return; float x1 = 0, x2 = 0, y1 = 0, y2 = 0;
  for (int i = 0; i < samples; i++) { float x = in[(size_t)i * channels + c], y = 0.2f * x + 0.3f * x1 + 0.2f * x2 - 0.4f * y1 - 0.1f * y2; x2 = x1; x1 = x; y2 = y1; y1 = y; out[(size_t)i * channels + c] = y; }
}
K k_fft_radix4(const float2* in, float2* out, int n, int stride) {   // one pass over global memory
  int i = GLOBAL_X, q = n / 4, k = i % stride; if (i >= q) return; float2 v[4];
  for (int j = 0; j < 4; j++) v[j] = in[i + j * q];
  for (int j = 1; j < 4; j++) { float s, c; __sincosf(-6.2831853f * j * k / (4 * stride), &s, &c); v[j] = make_float2(v[j].x * c - v[j].y * s, v[j].x * s + v[j].y * c); }
  float2 a = {v[0].x + v[2].x, v[0].y + v[2].y}, b = {v[0].x - v[2].x, v[0].y - v[2].y}, c = {v[1].x + v[3].x, v[1].y + v[3].y}, d = {v[1].y - v[3].y, v[3].x - v[1].x};
  int o = (i - k) * 4 + k; out[o] = make_float2(a.x + c.x, a.y + c.y); out[o + stride] = make_float2(b.x + d.x, b.y + d.y); out[o + 2 * stride] = make_float2(a.x - c.x, a.y - c.y); out[o + 3 * stride] = make_float2(b.x - d.x, b.y - d.y);
}
K k_hadamard(float* a) {   // 1,024 values a block, in shared memory
  __shared__ float s[1024]; int t = threadIdx.x, g = blockIdx.x * 1024; s[t] = a[g + t]; s[t + 512] = a[g + t + 512];
  for (int h = 1; h < 1024; h *= 2) { __syncthreads(); int i = (t & ~(h - 1)) * 2 + (t & (h - 1)); float x = s[i], y = s[i + h]; s[i] = x + y; s[i + h] = x - y; }
  __syncthreads(); a[g + t] = s[t]; a[g + t + 512] = s[t + 512];
}
K k_resample(const float* in, float* out, int n, int inputs) {   // from 48,000 to 44,100 samples, 16 taps
  int i = GLOBAL_X; if (i >= n) return; float at = i * 1.0884353f; int b = (int)at; float f = at - b, s = 0;
  for (int k = 0; k < 16; k++) { float d = k - 7 - f, w = d == 0 ? 1.f : __sinf(3.14159f * d) / (3.14159f * d); s += w * in[min(max(b + k - 7, 0), inputs - 1)]; }
  out[i] = s;
}
K k_correlate_lags(const float* a, const float* b, float* out, int n) {   // a block a lag
  __shared__ float part[4]; float s = 0; for (int i = threadIdx.x; i < n; i += blockDim.x) s += a[i] * b[i + blockIdx.x];
  s = warp_sum(s); if (!(threadIdx.x & 31)) part[threadIdx.x >> 5] = s; __syncthreads(); if (!threadIdx.x) out[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}
K k_goertzel(const float* in, float* out, int n) {   // a frequency a thread, all threads read the same samples
  float c = 2.f * __cosf(0.001f * GLOBAL_X), s1 = 0, s2 = 0; for (int i = 0; i < n; i++) { float s = in[i] + c * s1 - s2; s2 = s1; s1 = s; } out[GLOBAL_X] = s1 * s1 + s2 * s2 - c * s1 * s2;
}

// ---------------------------------------------------------------- images
K k_dilate_9x9(const unsigned char* in, unsigned char* out, int n) {   // a tile of bytes in shared memory
  __shared__ unsigned char s[40][40]; int t = threadIdx.y * 32 + threadIdx.x, bx = blockIdx.x * 32 - 4, by = blockIdx.y * 32 - 4;
  for (int e = t; e < 1600; e += 256) { int x = min(max(bx + e % 40, 0), n - 1), y = min(max(by + e / 40, 0), n - 1); s[e / 40][e % 40] = in[y * n + x]; } __syncthreads();
  for (int r = threadIdx.y; r < 32; r += 8) { int m = 0; for (int j = 0; j < 9; j++) for (int i = 0; i < 9; i++) m = max(m, (int)s[r + j][threadIdx.x + i]); out[(blockIdx.y * 32 + r) * n + blockIdx.x * 32 + threadIdx.x] = m; }
}
K k_bayer(const unsigned short* raw, uchar4* out, int n) {   // colours out of a mosaic
  int x = GLOBAL_X, y = GLOBAL_Y; if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return; const unsigned short* p = raw + (size_t)y * n + x;
  int here = p[0], cross = (p[-1] + p[1] + p[-n] + p[n]) / 4, diagonal = (p[-n - 1] + p[-n + 1] + p[n - 1] + p[n + 1]) / 4, h = (p[-1] + p[1]) / 2, v = (p[-n] + p[n]) / 2; int r, g, b;
  if (y & 1) { if (x & 1) { r = diagonal; g = cross; b = here; } else { r = v; g = here; b = h; } } else { if (x & 1) { r = h; g = here; b = v; } else { r = here; g = cross; b = diagonal; } }
  out[(size_t)y * n + x] = make_uchar4(r >> 8, g >> 8, b >> 8, 255);
}
K k_hue(const uchar4* in, uchar4* out, int n) {   // colour to hue, saturation, value
  int i = GLOBAL_X; if (i >= n) return; uchar4 p = in[i]; int hi = max(p.x, max(p.y, p.z)), lo = min(p.x, min(p.y, p.z)), d = hi - lo, h = 0;
  if (d) { if (hi == p.x) h = 43 * (p.y - p.z) / d; else if (hi == p.y) h = 85 + 43 * (p.z - p.x) / d; else h = 171 + 43 * (p.x - p.y) / d; }
  out[i] = make_uchar4(h, hi ? 255 * d / hi : 0, hi, p.w);
}
K k_block_match(const unsigned char* a, const unsigned char* b, int* out, int n) {   // a block of 8 x 8 pixels a warp, 81 displacements
  int w = GLOBAL_X >> 5, lane = threadIdx.x & 31, per = n / 8 - 2, bx = (w % per + 1) * 8, by = (w / per + 1) * 8; if (by >= n - 8) return; int best = 1 << 30;
  for (int k = lane; k < 81; k += 32) { int dx = k % 9 - 4, dy = k / 9 - 4, s = 0;
    for (int y = 0; y < 8; y++) for (int x = 0; x < 8; x++) s += abs(a[(by + y) * n + bx + x] - b[(by + y + dy) * n + bx + x + dx]);
    best = min(best, s * 128 + k); }
  best = __reduce_min_sync(~0u, best); if (!lane) out[w] = best;
}
K k_hough(const int* points, int* votes, int n) {   // 64 angles a point
  int i = GLOBAL_X >> 1, half = GLOBAL_X & 1; if (i >= n) return; int x = points[i] & 511, y = points[i] >> 9 & 511;
  for (int k = half; k < 64; k += 2) { float s, c; __sincosf(k * 0.0490874f, &s, &c); int rho = (int)(x * c + y * s) + 512; atomicAdd(&votes[k * 1536 + rho], 1); }
}
K k_jump_flood(const int* in, int* out, int n, int step) {   // nearest seed, one step
  int x = GLOBAL_X, y = GLOBAL_Y, best = -1, at = 1 << 30;
  for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) { int u = x + i * step, v = y + j * step; if (u < 0 || v < 0 || u >= n || v >= n) continue; int s = in[v * n + u]; if (s & 3) { int dx = (s >> 2 & 511) - x, dy = (s >> 11 & 511) - y, d = dx * dx + dy * dy; if (d < at) { at = d; best = s; } } }
  out[y * n + x] = best;
}
K k_gradient_histogram(const float* in, int* bins, int n) {   // directions of 16 x 16 cells, in shared memory
  __shared__ int h[36]; int t = threadIdx.y * 16 + threadIdx.x; if (t < 36) h[t] = 0; __syncthreads(); int x = min(max(GLOBAL_X, 1u), n - 2u), y = min(max(GLOBAL_Y, 1u), n - 2u);
  float dx = in[y * n + x + 1] - in[y * n + x - 1], dy = in[(y + 1) * n + x] - in[(y - 1) * n + x]; int b = (int)((atan2f(dy, dx) + 3.1416f) * 5.7295f); atomicAdd(&h[min(b, 35)], (int)sqrtf(dx * dx + dy * dy)); __syncthreads();
  if (t < 36) bins[(blockIdx.y * gridDim.x + blockIdx.x) * 36 + t] = h[t];
}
K k_warp_perspective(const float* in, float* out, int n) {
  int x = GLOBAL_X, y = GLOBAL_Y; float w = 1.f / (1.f + 0.0003f * x + 0.0002f * y), u = (0.9f * x + 0.2f * y + 3.f) * w, v = (-0.1f * x + 0.95f * y + 40.f) * w; int i = (int)floorf(u), j = (int)floorf(v);
  if (i < 0 || j < 0 || i >= n - 1 || j >= n - 1) { out[y * n + x] = 0; return; } float fx = u - i, fy = v - j; const float* p = in + j * n + i;
  out[y * n + x] = (p[0] * (1 - fx) + p[1] * fx) * (1 - fy) + (p[n] * (1 - fx) + p[n + 1] * fx) * fy;
}

// ---------------------------------------------------------------- physics
K k_advect(const float* q, const float* u, const float* v, const float* w, float* out, int n) {   // upwind, three dimensions
  int x = GLOBAL_X, y = GLOBAL_Y, z = blockIdx.z; if (!x || !y || !z || x == n - 1 || y == n - 1 || z == n - 1) return; size_t i = ((size_t)z * n + y) * n + x, p = (size_t)n * n; float c = q[i], a = u[i], b = v[i], d = w[i];
  out[i] = c - 0.01f * (a * (a > 0 ? c - q[i - 1] : q[i + 1] - c) + b * (b > 0 ? c - q[i - n] : q[i + n] - c) + d * (d > 0 ? c - q[i - p] : q[i + p] - c));
}
K k_red_black(float* u, const float* f, int n, int colour) {   // Gauss-Seidel on every other point
  int y = GLOBAL_Y + 1, x = 2 * GLOBAL_X + 1 + ((y + colour) & 1); if (x >= n - 1 || y >= n - 1) return; int i = y * n + x; u[i] = 0.25f * (u[i - 1] + u[i + 1] + u[i - n] + u[i + n] - f[i]);
}
K k_restrict_grid(const float* fine, float* coarse, int n) {   // full weighting, n coarse points a side
  int x = GLOBAL_X, y = GLOBAL_Y, w = 2 * n + 2; const float* p = fine + (size_t)(2 * y + 1) * w + 2 * x + 1; coarse[y * n + x] = 0.25f * p[0] + 0.125f * (p[-1] + p[1] + p[-w] + p[w]) + 0.0625f * (p[-w - 1] + p[-w + 1] + p[w - 1] + p[w + 1]);
}
K k_verlet(float4* pos, float4* vel, const float4* force, int n) { int i = GLOBAL_X; if (i >= n) return; float4 p = pos[i], v = vel[i], f = force[i]; v.x += 0.01f * f.x; v.y += 0.01f * f.y; v.z += 0.01f * f.z; p.x += 0.01f * v.x; p.y += 0.01f * v.y; p.z += 0.01f * v.z; pos[i] = p; vel[i] = v; }
K k_ewald(const float4* atom, const float* wave, float2* out, int n) {   // a wave vector a block
  __shared__ float2 part[8]; float kx = wave[blockIdx.x * 3], ky = wave[blockIdx.x * 3 + 1], kz = wave[blockIdx.x * 3 + 2], c = 0, s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) { float4 a = atom[i]; float u, v; __sincosf(kx * a.x + ky * a.y + kz * a.z, &u, &v); s += a.w * u; c += a.w * v; }
  c = warp_sum(c); s = warp_sum(s); if (!(threadIdx.x & 31)) part[threadIdx.x >> 5] = make_float2(c, s); __syncthreads();
  if (!threadIdx.x) { for (int i = 1; i < 8; i++) { c += part[i].x; s += part[i].y; } out[blockIdx.x] = make_float2(c, s); }
}
K k_runge_kutta(const float* in, float* out, int n, int steps) {   // a pendulum with friction a thread, fourth order
  int i = GLOBAL_X; if (i >= n) return; float a = in[i], w = in[n + i];
  for (int k = 0; k < steps; k++) { const float h = 0.01f; float a1 = w, w1 = -__sinf(a) - 0.1f * w, a2 = w + 0.5f * h * w1, w2 = -__sinf(a + 0.5f * h * a1) - 0.1f * a2, a3 = w + 0.5f * h * w2, w3 = -__sinf(a + 0.5f * h * a2) - 0.1f * a3, a4 = w + h * w3, w4 = -__sinf(a + h * a3) - 0.1f * a4;
    a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4); w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4); }
  out[i] = a; out[n + i] = w;
}
K k_march_spheres(float* out, int n) {   // rays against a distance function: loops of different lengths
  int x = GLOBAL_X, y = GLOBAL_Y; float dx = (x - n / 2) / (float)n, dy = (y - n / 2) / (float)n, r = rsqrtf(dx * dx + dy * dy + 1.f), t = 0; int k;
  for (k = 0; k < 64; k++) { float px = dx * r * t, py = dy * r * t, pz = r * t; px -= 4.f * floorf(px * 0.25f + 0.5f); py -= 4.f * floorf(py * 0.25f + 0.5f); pz -= 4.f * floorf(pz * 0.25f + 0.5f) - 0.3f; float d = sqrtf(px * px + py * py + pz * pz) - 0.9f; if (d < 0.001f) break; t += d * 0.9f; }
  out[y * n + x] = t + k;
}
K k_phase_field(const double* in, double* out, int n) { int x = GLOBAL_X, y = GLOBAL_Y, l = x ? x - 1 : n - 1, r = x < n - 1 ? x + 1 : 0, u = y ? y - 1 : n - 1, d = y < n - 1 ? y + 1 : 0; double c = in[y * n + x], s = in[y * n + l] + in[y * n + r] + in[u * n + x] + in[d * n + x] - 4 * c; out[y * n + x] = c + 0.01 * (s + c - c * c * c); }
K k_cloth(const float4* pos, float4* force, int n) {   // springs to twelve neighbours
  int x = GLOBAL_X, y = GLOBAL_Y; float4 p = pos[y * n + x]; float fx = 0, fy = 0, fz = 0; const int dx[12] = {1, -1, 0, 0, 1, 1, -1, -1, 2, -2, 0, 0}, dy[12] = {0, 0, 1, -1, 1, -1, 1, -1, 0, 0, 2, -2};
  #pragma unroll
  for (int k = 0; k < 12; k++) { int u = x + dx[k], v = y + dy[k]; if (u >= 0 && v >= 0 && u < n && v < n) { float4 q = pos[v * n + u]; float ex = q.x - p.x, ey = q.y - p.y, ez = q.z - p.z, l = rsqrtf(ex * ex + ey * ey + ez * ez + 0.01f), f = 1.f - l; fx += f * ex; fy += f * ey; fz += f * ez; } }
  force[y * n + x] = make_float4(fx, fy, fz, 0);
}

// ---------------------------------------------------------------- graphs and trees
K k_tree_search(const int* key, const int* tree, int* out, int n, int levels) {   // a binary tree stored level by level
  int i = GLOBAL_X; if (i >= n) return; int k = key[i], at = 1; for (int l = 0; l < levels; l++) at = 2 * at + (k > tree[at]); out[i] = at;
}
K k_colour_step(const int* neighbour, const int* priority, int* colour, int n, int mask) {   // Jones-Plassmann: local maxima take a colour
  int v = GLOBAL_X; if (v >= n) return; int mine = priority[v]; bool top = true;
  for (int k = 0; k < 8 && top; k++) { int u = neighbour[v * 8 + k] & mask; if (priority[u] > mine) top = false; }
  if (top) colour[v] = 1 + (mine & 7);
}
K k_frontier(const int* frontier, const int* start, const int* neighbour, int* seen, int* next, int n, int mask) {   // a warp a vertex, bits of what was seen
  int w = GLOBAL_X >> 5, lane = threadIdx.x & 31; if (w >= n) return; int v = frontier[w] & mask, b = start[v] & mask, d = 8 + (start[v] >> 18 & 31);
  for (int k = lane; k < d; k += 32) { int u = neighbour[b * 4 + k] & mask; int old = atomicOr(&seen[u >> 5], 1 << (u & 31)); if (!(old >> (u & 31) & 1)) atomicAdd(&next[u & 255], 1); }
}
K k_box_tree(const float4* box, float* out, int n, int mask) {   // rays through a tree of boxes, a stack in local memory
  int i = GLOBAL_X; if (i >= n) return; uint32_t seed = random_of(i); float ox = (seed & 255) * 0.4f - 50.f, oy = (seed >> 8 & 255) * 0.4f - 50.f, best = 1e9f; int stack[16], top = 0, visited = 0; stack[top++] = 1;
  while (top && visited < 200) { int at = stack[--top]; visited++; float4 b = box[at & mask]; float dx = fmaxf(fabsf(b.x - ox) - fabsf(b.z), 0.f), dy = fmaxf(fabsf(b.y - oy) - fabsf(b.w), 0.f), d = dx * dx + dy * dy; if (d >= best) continue; if (2 * at > mask || top > 13) { best = fminf(best, d + 1.f); continue; } stack[top++] = 2 * at; stack[top++] = 2 * at + 1; }
  out[i] = best + visited;
}
K k_list_rank(const int* next, int* rank, int n, int mask, int steps) { int i = GLOBAL_X; if (i >= n) return; int at = i, r = 0; for (int s = 0; s < steps; s++) { at = next[at] & mask; r += at & 3; } rank[i] = r; }
K k_merge_path(const int* a, const int* b, int* out, int n) {   // 8 results a thread, its place in both lists by bisection (the lists are as good as sorted)
  int g = GLOBAL_X * 8, lo = max(0, g - n), hi = min(g, n); while (lo < hi) { int m = (lo + hi) >> 1; if (a[m] <= b[g - 1 - m]) lo = m + 1; else hi = m; }
  int i = lo, j = g - lo; for (int k = 0; k < 8; k++) { bool left = j >= n || (i < n && a[i] <= b[j]); out[g + k] = left ? a[i] : b[j]; if (left) i++; else j++; }
}
K k_cuckoo_lookup(const int* key, const int2* table, int* out, int n, int mask) {
  int i = GLOBAL_X; if (i >= n) return; uint32_t k = key[i]; int2 e = table[random_of(k) & mask]; if (e.x != (int)k) { e = table[random_of(k ^ 0x5bd1e995u) & mask]; if ((e.x ^ (int)k) & 0xff) e = table[random_of(k + 77u) & mask]; } out[i] = e.y;
}
K k_radix_scatter(const int* key, const int* base, int* out, int n) {   // 16 digits, ranks within a block by ballots
  __shared__ int count[8][16]; int i = GLOBAL_X, w = threadIdx.x >> 5, lane = threadIdx.x & 31, k = key[i], d = k & 15, mine = 0, at = 0;
  for (int b = 0; b < 16; b++) { uint32_t v = __ballot_sync(~0u, d == b); if (lane == b) count[w][b] = __popc(v); if (d == b) mine = __popc(v & ((1u << lane) - 1)); } __syncthreads();
  for (int u = 0; u < w; u++) at += count[u][d];
  out[(base[blockIdx.x * 16 + d] % (n - 256)) + at + mine] = 1;
}
K k_sample_buckets(const int* in, const int* splitter, int* bucket, int* count, int n) {   // 64 splitters in shared memory, bisection
  __shared__ int s[64], c[64]; if (threadIdx.x < 64) { s[threadIdx.x] = (splitter[0] & 15) + threadIdx.x * 262144; c[threadIdx.x] = 0; } __syncthreads();
  for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) { int v = in[i], at = 0; for (int h = 32; h; h >>= 1) if (v >= s[at + h]) at += h; bucket[i] = at; atomicAdd(&c[at], 1); } __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&count[threadIdx.x], c[threadIdx.x]);
}

// ---------------------------------------------------------------- strings and bits
K k_viterbi(const float* cost, const float* emit, int* out, int steps) {   // 64 states a block, one step after another
  __shared__ float score[64], w[64 * 65]; int s = threadIdx.x; for (int k = 0; k < 64; k++) w[s * 65 + k] = cost[k * 64 + s]; score[s] = 0; __syncthreads(); int last = 0;
  for (int t = 0; t < steps; t++) { float best = -1e30f; for (int k = 0; k < 64; k++) { float v = score[k] + w[s * 65 + k]; if (v > best) { best = v; last = k; } } __syncthreads(); score[s] = best + emit[(size_t)t * 64 + s]; __syncthreads(); }
  out[blockIdx.x * 64 + s] = last;
}
K k_knapsack(const int* in, int* out, int capacity, int item) { int c = GLOBAL_X; if (c > capacity) return; int w = 100 + item, v = in[c]; if (c >= w) v = max(v, in[c - w] + 17); out[c] = v; }
K k_queens(int* out, int n) {   // the first two rows are the thread's, the rest by bits
  int i = GLOBAL_X; if (i >= n * n) return; int all = (1 << n) - 1, a = i / n, b = i % n; if (abs(a - b) < 2) { out[i] = 0; return; } int columns[16], left[16], right[16], open[16], l = 0, found = 0;
  columns[0] = 1 << a | 1 << b; left[0] = ((1 << a) << 1 | 1 << b) << 1; right[0] = ((1 << a) >> 1 | 1 << b) >> 1; open[0] = all & ~(columns[0] | left[0] | right[0]);
  while (l >= 0) { if (!open[l]) { l--; continue; } int bit = open[l] & -open[l]; open[l] ^= bit; int c = columns[l] | bit; if (c == all) { found++; continue; } l++; columns[l] = c; left[l] = (left[l - 1] | bit) << 1; right[l] = (right[l - 1] | bit) >> 1; open[l] = all & ~(c | left[l] | right[l]); }
  out[i] = found;
}
K k_montgomery(const uint32_t* a, const uint32_t* b, uint32_t* out, int n, int rounds) { int i = GLOBAL_X; if (i >= n) return; const uint32_t p = 998244353u, inverse = 998244351u; uint32_t x = a[i], y = b[i]; for (int k = 0; k < rounds; k++) { uint64_t t = (uint64_t)x * y; uint32_t m = (uint32_t)t * inverse; uint32_t u = (uint32_t)((t + (uint64_t)m * p) >> 32); x = u >= p ? u - p : u; y += 12345u; } out[i] = x; }
K k_utf8_count(const unsigned char* text, int* out, int n) { int s = 0; for (int i = GLOBAL_X * 16; i < n; i += gridDim.x * blockDim.x * 16) { uint4 v = *(const uint4*)(text + i); uint32_t w[4] = {v.x, v.y, v.z, v.w}; for (int k = 0; k < 4; k++) s += __popc((w[k] >> 7 & ~(w[k] >> 6)) & 0x01010101u); } s = __reduce_add_sync(~0u, s); if (!(threadIdx.x & 31)) atomicAdd(out, s); }
K k_huffman_lengths(const unsigned char* in, const int* length, int* out, int n) {   // bits before each chunk of 1,024 bytes
  __shared__ int table[256], part[4]; for (int i = threadIdx.x; i < 256; i += 128) table[i] = length[i] & 15; __syncthreads(); int s = 0; const unsigned char* p = in + blockIdx.x * 1024 + threadIdx.x * 8;
  for (int k = 0; k < 8; k++) s += table[p[k]]; s = __reduce_add_sync(~0u, s); if (!(threadIdx.x & 31)) part[threadIdx.x >> 5] = s; __syncthreads(); if (!threadIdx.x) out[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}
K k_bit_transpose(const uint32_t* in, uint32_t* out, int n) { int i = GLOBAL_X, lane = threadIdx.x & 31; if (i >= n) return; uint32_t v = in[i], r = 0; for (int b = 0; b < 32; b++) { uint32_t m = __ballot_sync(~0u, v >> b & 1); if (lane == b) r = m; } out[i] = r; }
K k_wildcard(const unsigned char* text, int* out, int n) {   // a small automaton in constant registers, 64 bytes a thread
  int i = GLOBAL_X; if (i * 64 >= n) return; uint32_t state = 1, found = 0; for (int k = 0; k < 64; k += 4) { uint32_t v = *(const uint32_t*)(text + (size_t)i * 64 + k); for (int b = 0; b < 4; b++) { int c = v >> 8 * b & 255; uint32_t m = (c & 1 ? 5u : 2u) | (c > 100 ? 8u : 4u); state = ((state << 1) | 1) & m; found += state >> 3 & 1; } } out[i] = found;
}

// ---------------------------------------------------------------- networks
K k_group_norm(const float* in, float* out, int n) {   // a block a group, mean and deviation in one pass, then again
  __shared__ float a[8], b[8]; const float* p = in + (size_t)blockIdx.x * n; float s = 0, q = 0; for (int i = threadIdx.x; i < n; i += 256) { float v = p[i]; s += v; q += v * v; }
  s = warp_sum(s); q = warp_sum(q); if (!(threadIdx.x & 31)) { a[threadIdx.x >> 5] = s; b[threadIdx.x >> 5] = q; } __syncthreads(); s = q = 0; for (int i = 0; i < 8; i++) { s += a[i]; q += b[i]; }
  float m = s / n, r = rsqrtf(q / n - m * m + 1e-5f); for (int i = threadIdx.x; i < n; i += 256) out[(size_t)blockIdx.x * n + i] = (p[i] - m) * r;
}
K k_unfold(const float* in, float* out, int n, int channels) {   // im2col of 3 x 3
  int i = GLOBAL_X; if (i >= channels * n * n) return; int x = i % n, y = i / n % n, c = i / (n * n);
  for (int k = 0; k < 9; k++) { int u = x + k % 3 - 1, v = y + k / 3 - 1; out[(size_t)(c * 9 + k) * n * n + y * n + x] = u >= 0 && v >= 0 && u < n && v < n ? in[(c * n + v) * n + u] : 0.f; }
}
K k_dropout(const float4* in, float4* out, int quads) { int i = GLOBAL_X; if (i >= quads) return; float4 v = in[i]; uint32_t r = random_of(i * 2654435761u); v.x = r & 0xff ? v.x * 1.25f : 0; v.y = r & 0xff00 ? v.y * 1.25f : 0; v.z = r & 0x30000 ? v.z * 1.25f : 0; v.w = r & 0x3000000 ? v.w * 1.25f : 0; out[i] = v; }
K k_unpack_nibbles(const uint32_t* in, const __half* scale, __half2* out, int n) { int i = GLOBAL_X; if (i >= n) return; uint32_t v = in[i]; __half2 s = __half2half2(scale[i >> 4]); for (int k = 0; k < 4; k++) { __half2 w = __floats2half2_rn((float)(v >> 8 * k & 15) - 8.f, (float)(v >> (8 * k + 4) & 15) - 8.f); out[(size_t)i * 4 + k] = __hmul2(w, s); } }
K k_lstm_gates(const float* gate, float* cell, float* hidden, int n) { int i = GLOBAL_X; if (i >= n) return; float a = 1.f / (1.f + __expf(-gate[i])), f = 1.f / (1.f + __expf(-gate[n + i])), g = tanhf(gate[2 * n + i]), o = 1.f / (1.f + __expf(-gate[3 * n + i])), c = f * cell[i] + a * g; cell[i] = c; hidden[i] = o * tanhf(c); }
K k_embedding_bag(const float4* table, const int* index, float4* out, int quads, int mask) {   // sums of 16 rows, a block of 64 threads a bag
  float4 s = {0, 0, 0, 0}; for (int k = 0; k < 16; k++) { int r = index[blockIdx.x * 16 + k] & mask; float4 v = table[(size_t)r * quads + threadIdx.x]; s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w; } out[(size_t)blockIdx.x * quads + threadIdx.x] = s;
}
K k_paged_scores(const float4* q, const float4* cache, const int* page, float* out, int tokens, int pages) {   // keys in pages of 16 tokens, 64 values a key, eight lanes a key
  int head = blockIdx.y, t = blockIdx.x * 32 + (threadIdx.x >> 3), lane = threadIdx.x & 7; if (t >= tokens) return; const float4* k = cache + ((size_t)(page[head * (tokens / 16) + t / 16] % pages) * 16 + t % 16) * 16; float s = 0;
  for (int i = lane; i < 16; i += 8) { float4 a = q[head * 16 + i], b = k[i]; s += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; } for (int o = 4; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o); if (!lane) out[head * tokens + t] = s * 0.125f;
}
K k_top_expert(const float* score, int* expert, float* weight, int rows) {   // 64 experts a row, a warp a row
  int row = GLOBAL_X >> 5, lane = threadIdx.x & 31; if (row >= rows) return; float a = score[row * 64 + lane], b = score[row * 64 + 32 + lane], m = fmaxf(a, b); int at = a >= b ? lane : lane + 32;
  for (int o = 16; o; o >>= 1) { float v = __shfl_xor_sync(~0u, m, o); int w = __shfl_xor_sync(~0u, at, o); if (v > m || (v == m && w < at)) { m = v; at = w; } } float s = warp_sum(__expf((a - m) * 0.1f) + __expf((b - m) * 0.1f)); if (!lane) { expert[row] = at; weight[row] = 1.f / s; }
}
K k_causal_convolution(const float* in, const float* w, float* out, int length, int channels) { int c = GLOBAL_X, t0 = blockIdx.y * 32; float a = 0, b = 0, d = 0, k0 = w[c], k1 = w[channels + c], k2 = w[2 * channels + c], k3 = w[3 * channels + c]; for (int t = t0; t < t0 + 32; t++) { float v = in[(size_t)t * channels + c], s = k0 * a + k1 * b + k2 * d + k3 * v; a = b; b = d; d = v; out[(size_t)t * channels + c] = s / (1.f + __expf(-s)); } }
K k_mean_pool_gradient(const float* grad, float* out, int n) { int x = GLOBAL_X, y = GLOBAL_Y, c = blockIdx.z; out[((size_t)c * n + y) * n + x] = 0.25f * grad[((size_t)c * (n / 2) + y / 2) * (n / 2) + x / 2]; }

// ---------------------------------------------------------------- finance and chance
K k_heston(const float* seed, float* out, int steps) {   // a path a thread
  int i = GLOBAL_X; uint32_t r = random_of(i + __float_as_int(seed[0])); float s = 100.f, v = 0.04f; for (int k = 0; k < steps; k++) { r = random_of(r); float u = (r >> 8) * 5.96e-8f + 1e-7f; r = random_of(r); float w = (r >> 8) * 5.96e-8f, g = sqrtf(-2.f * __logf(u)), a, b; __sincosf(6.2831853f * w, &a, &b); float sv = sqrtf(fmaxf(v, 0.f)); s *= __expf(-0.5f * v * 0.004f + sv * 0.063f * g * a); v += 1.5f * (0.04f - v) * 0.004f + 0.3f * sv * 0.063f * (0.7f * g * b - 0.7f * g * a); } out[i] = s;
}
K k_ising(int* spin, int n, int colour, int sweep) {   // every other site, by chance
  int y = GLOBAL_Y, x = 2 * GLOBAL_X + ((y + colour) & 1); int s = spin[y * n + x] & 1, sum = (spin[y * n + (x + 1) % n] & 1) + (spin[y * n + (x + n - 1) % n] & 1) + (spin[(y + 1) % n * n + x] & 1) + (spin[(y + n - 1) % n * n + x] & 1); float e = (s ? 1 : -1) * (2.f * sum - 4.f); uint32_t r = random_of(y * n + x + sweep * 7919u); if (e <= 0 || (r >> 8) * 5.96e-8f < __expf(-0.88f * e)) spin[y * n + x] ^= 1;
}
K k_moving_average(const float* price, float* out, int days, int shares) {   // a share a thread, its days in a row
  int s = GLOBAL_X; if (s >= shares) return; const float* p = price + (size_t)s * days; float sum = 0; for (int d = 0; d < days; d++) { sum += p[d]; if (d >= 20) sum -= p[d - 20]; out[(size_t)d * shares + s] = sum * 0.05f; }
}
K k_bonds(const float* rate, const float* flow, float* out, int n, int flows) { int i = GLOBAL_X; if (i >= n) return; float y = 0.03f + 1e-5f * rate[i]; for (int it = 0; it < 6; it++) { float v = -90.f, d = 0; for (int k = 1; k <= flows; k++) { float e = __expf(-y * k), c = fabsf(flow[k]); v += c * e; d -= k * c * e; } y -= v / (d - 1.f); } out[i] = y; }
K k_genes(const uint32_t* in, const int* pick, uint32_t* out, int words, int mask) {   // two parents a child, cut and changed: a block a child
  int a = pick[2 * blockIdx.x] & mask, b = pick[2 * blockIdx.x + 1] & mask, cut = pick[2 * blockIdx.x] >> 8 & 511; for (int w = threadIdx.x; w < words; w += blockDim.x) { uint32_t v = in[(size_t)(w < cut ? a : b) * words + w], r = random_of(blockIdx.x * words + w); if ((r & 63) == 0) v ^= 1u << (r >> 27); out[(size_t)blockIdx.x * words + w] = v; }
}
K k_quantiles(const float* in, float* out, int n) {   // a bitonic sort of 512 values a block, then three of them
  __shared__ float s[512]; int t = threadIdx.x; const float* p = in + (size_t)blockIdx.x * 512; s[t] = p[t]; s[t + 256] = p[t + 256]; __syncthreads();
  for (int k = 2; k <= 512; k *= 2) for (int j = k / 2; j; j /= 2) { int i = (t & ~(j - 1)) * 2 + (t & (j - 1)); bool up = !(i & k); float a = s[i], b = s[i + j]; if ((a > b) == up) { s[i] = b; s[i + j] = a; } __syncthreads(); }
  if (t < 3) out[blockIdx.x * 3 + t] = s[128 * (t + 1)];
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
  for (int n : {2048, 16384}) RUN(NAMED("block_sparse_rows", n), k_block_sparse_rows, n / 8, 256, 0, INTS("start", n, 1), INTS("column", n * 12, 2), IN("value", n * 192, 3), IN("x", n * 4, 4), OUT("y", n * 4), i32(n), i32(n));
  for (int lg : {16, 22}) RUN(NAMED("diagonals_2e", lg), k_diagonals, (1 << lg) / 256, 256, 0, IN("d", 7 << lg, 1), IN("x", 1 << lg, 2), OUT("y", 1 << lg), i32(1 << lg));
  for (int n : {1024, 6144}) RUN(NAMED("symmetric_half", n), k_symmetric_half, n / 8, 256, 0, IN("a", (size_t)n * (n + 1) / 2, 1), IN("x", n, 2), OUT("y", n), i32(n));
  for (int n : {512, 2048}) RUN(NAMED("gemm_small_k", n), k_gemm_small_k, dim3(n / 128, n / 8), dim3(32, 8), 0, IN("a", n * 8, 1), IN("b", n * 8, 2), OUT("c", n * n), i32(n));
  for (int g : {100, 2000}) RUN(NAMED("cyclic_reduction", g), k_cyclic_reduction, g, 256, 0, IN("lower", g * 256, 1), IN("main", g * 256, 2), IN("upper", g * 256, 3), IN("right", g * 256, 4), OUT("out", g * 256));
  for (int lg : {17, 22}) RUN(NAMED("conjugate_update_2e", lg), k_conjugate_update, 264, 256, 0, buf("x", F(1 << lg), HASH_F32, 1, true), buf("r", F(1 << lg), HASH_F32, 2, true), IN("p", 1 << lg, 3), IN("q", 1 << lg, 4), OUT("sums", 264), i32(1 << lg));
  for (int n : {2048, 16384}) RUN(NAMED("givens", n), k_givens, n / 64, 64, 0, buf("a", F(n * 65), HASH_F32, 1, true), IN("angle", 64, 2), i32(n), i32(64));
  for (int n : {256, 512}) RUN(NAMED("bytes_gemm", n), k_bytes_gemm, dim3(n / 16, n / 16), dim3(16, 16), 0, INTS("a", n * n / 4, 1), INTS("b", n * n / 4, 2), OUT("c", n * n), i32(n));
  for (int lg : {14, 18}) RUN(NAMED("matrix_power_4_2e", lg), k_matrix_power_4, (1 << lg) / 128, 128, 0, IN("in", 16 << lg, 1), OUT("out", 16 << lg), i32(1 << lg));
  for (int lg : {16, 20}) RUN(NAMED("fir_2e", lg), k_fir, (1 << lg) / 256, 256, 0, IN("in", (1 << lg) + 64, 1), IN("taps", 64, 2), OUT("out", 1 << lg), i32(1 << lg));
  for (int n : {1024, 16384}) RUN(NAMED("biquad", n), k_biquad, n / 128, 128, 0, IN("in", n * 128, 1), OUT("out", n * 128), i32(n), i32(128));
  for (int s : {1, 4096}) RUN(NAMED("fft_radix4", s), k_fft_radix4, 512, 256, 0, IN("in", 1 << 20, 1), OUT("out", 1 << 20), i32(1 << 19), i32(s));
  for (int g : {64, 1024}) RUN(NAMED("hadamard", g), k_hadamard, g, 512, 0, buf("a", F(g * 1024), HASH_F32, 1, true));
  for (int lg : {15, 19}) RUN(NAMED("resample_2e", lg), k_resample, (1 << lg) / 256, 256, 0, IN("in", (1 << lg) * 9 / 8, 1), OUT("out", 1 << lg), i32(1 << lg), i32((1 << lg) * 9 / 8));
  for (int n : {2048, 32768}) RUN(NAMED("correlate_lags", n), k_correlate_lags, 512, 128, 0, IN("a", n, 1), IN("b", n + 512, 2), OUT("out", 512), i32(n));
  for (int g : {16, 264}) RUN(NAMED("goertzel", g), k_goertzel, g, 128, 0, IN("in", 512, 1), OUT("out", g * 128), i32(512));
  for (int n : {256, 1024}) RUN(NAMED("dilate_9x9", n), k_dilate_9x9, dim3(n / 32, n / 32), dim3(32, 8), 0, INTS("in", n * n / 4, 1), OUT("out", n * n / 4), i32(n));
  for (int n : {512, 2048}) RUN(NAMED("bayer", n), k_bayer, dim3(n / 32, n / 8), dim3(32, 8), 0, INTS("raw", n * n / 2, 1), OUT("out", n * n), i32(n));
  for (int lg : {16, 21}) RUN(NAMED("hue_2e", lg), k_hue, (1 << lg) / 256, 256, 0, INTS("in", 1 << lg, 1), OUT("out", 1 << lg), i32(1 << lg));
  for (int n : {128, 256}) RUN(NAMED("block_match", n), k_block_match, (n / 8 - 2) * (n / 8 - 2) / 4, 128, 0, INTS("a", n * n / 4, 1), INTS("b", n * n / 4, 2), OUT("out", n * n / 64), i32(n));
  for (int lg : {12, 15}) RUN(NAMED("hough_2e", lg), k_hough, (2 << lg) / 256, 256, 0, INTS("points", 1 << lg, 1), OUT("votes", 64 * 1536), i32(1 << lg));
  for (int s : {1, 64}) RUN(NAMED("jump_flood", s), k_jump_flood, dim3(16, 64), dim3(32, 8), 0, INTS("in", 512 * 512, 1), OUT("out", 512 * 512), i32(512), i32(s));
  for (int n : {256, 1024}) RUN(NAMED("gradient_histogram", n), k_gradient_histogram, dim3(n / 16, n / 16), dim3(16, 16), 0, IN("in", n * n, 1), OUT("bins", n * n / 256 * 36), i32(n));
  for (int n : {512, 1024}) RUN(NAMED("warp_perspective", n), k_warp_perspective, dim3(n / 32, n / 8), dim3(32, 8), 0, IN("in", n * n, 1), OUT("out", n * n), i32(n));
  for (int n : {64, 160}) RUN(NAMED("advect", n), k_advect, dim3(n / 32, n / 8, n), dim3(32, 8), 0, IN("q", n * n * n, 1), IN("u", n * n * n, 2), IN("v", n * n * n, 3), IN("w", n * n * n, 4), OUT("out", n * n * n), i32(n));
  for (int n : {514, 2050}) RUN(NAMED("red_black", n), k_red_black, dim3((n - 2) / 64, (n - 2) / 8), dim3(32, 8), 0, buf("u", F(n * n), HASH_F32, 1, true), IN("f", n * n, 2), i32(n), i32(0));
  for (int n : {256, 1024}) RUN(NAMED("restrict_grid", n), k_restrict_grid, dim3(n / 32, n / 8), dim3(32, 8), 0, IN("fine", (2 * n + 2) * (2 * n + 2), 1), OUT("coarse", n * n), i32(n));
  for (int lg : {14, 20}) RUN(NAMED("verlet_2e", lg), k_verlet, (1 << lg) / 256, 256, 0, buf("pos", F(4 << lg), HASH_F32, 1, true), buf("vel", F(4 << lg), HASH_F32, 2, true), IN("force", 4 << lg, 3), i32(1 << lg));
  for (int n : {2048, 16384}) RUN(NAMED("ewald", n), k_ewald, 264, 256, 0, IN("atom", n * 4, 1), IN("wave", 264 * 3, 2), OUT("out", 528), i32(n));
  for (int g : {33, 528}) RUN(NAMED("runge_kutta", g), k_runge_kutta, g, 128, 0, IN("in", g * 256, 1), OUT("out", g * 256), i32(g * 128), i32(40));
  for (int n : {256, 512}) RUN(NAMED("march_spheres", n), k_march_spheres, dim3(n / 16, n / 8), dim3(16, 8), 0, OUT("out", n * n), i32(n));
  for (int n : {256, 1024}) RUN(NAMED("phase_field", n), k_phase_field, dim3(n / 32, n / 8), dim3(32, 8), 0, buf("in", (size_t)n * n * 8, ZERO), buf("out", (size_t)n * n * 8, HASH_I32, 1, true), i32(n));
  for (int n : {256, 512}) RUN(NAMED("cloth", n), k_cloth, dim3(n / 32, n / 4), dim3(32, 4), 0, IN("pos", n * n * 4, 1), OUT("force", n * n * 4), i32(n));
  for (int l : {10, 20}) RUN(NAMED("tree_search_2e", l), k_tree_search, (1 << 17) / 256, 256, 0, INTS("key", 1 << 17, 1), INTS("tree", 2 << l, 2), OUT("out", 1 << 17), i32(1 << 17), i32(l));
  for (int lg : {14, 19}) RUN(NAMED("colour_step_2e", lg), k_colour_step, (1 << lg) / 256, 256, 0, INTS("neighbour", 8 << lg, 1), INTS("priority", 1 << lg, 2), OUT("colour", 1 << lg), i32(1 << lg), i32((1 << lg) - 1));
  for (int lg : {12, 15}) RUN(NAMED("frontier_2e", lg), k_frontier, (1 << lg) / 8, 256, 0, INTS("frontier", 1 << lg, 1), INTS("start", 1 << 18, 2), INTS("neighbour", (4 << 18) + 64, 3), OUT("seen", 1 << 13), OUT("next", 256), i32(1 << lg), i32((1 << 18) - 1));
  for (int lg : {10, 18}) RUN(NAMED("box_tree_2e", lg), k_box_tree, 264, 128, 0, IN("box", 4 << lg, 1), OUT("out", 264 * 128), i32(264 * 128), i32((1 << lg) - 1));
  for (int lg : {14, 20}) RUN(NAMED("list_rank_2e", lg), k_list_rank, 528, 128, 0, INTS("next", 1 << lg, 1), OUT("rank", 528 * 128), i32(min(528 * 128, 1 << lg)), i32((1 << lg) - 1), i32(16));
  for (int lg : {16, 20}) RUN(NAMED("merge_path_2e", lg), k_merge_path, (2 << lg) / 8 / 128, 128, 0, buf("a", F(1 << lg), INDEX_U32), buf("b", F(1 << lg), INDEX_U32), OUT("out", 2 << lg), i32(1 << lg));
  for (int lg : {14, 22}) RUN(NAMED("cuckoo_lookup_2e", lg), k_cuckoo_lookup, 1024, 256, 0, INTS("key", 1 << 18, 1), INTS("table", 2 << lg, 2), OUT("out", 1 << 18), i32(1 << 18), i32((1 << lg) - 1));
  for (int lg : {16, 20}) RUN(NAMED("radix_scatter_2e", lg), k_radix_scatter, (1 << lg) / 256, 256, 0, INTS("key", 1 << lg, 1), INTS("base", (1 << lg) / 16, 2), OUT("out", 1 << lg), i32(1 << lg));
  for (int lg : {16, 21}) RUN(NAMED("sample_buckets_2e", lg), k_sample_buckets, 264, 256, 0, INTS("in", 1 << lg, 1), INTS("splitter", 64, 2), OUT("bucket", 1 << lg), OUT("count", 64), i32(1 << lg));
  for (int g : {1, 132}) RUN(NAMED("viterbi", g), k_viterbi, g, 64, 0, IN("cost", 4096, 1), IN("emit", 64 * 64, 2), OUT("out", g * 64), i32(64));
  for (int lg : {14, 20}) RUN(NAMED("knapsack_2e", lg), k_knapsack, (1 << lg) / 256, 256, 0, INTS("in", 1 << lg, 1), OUT("out", 1 << lg), i32((1 << lg) - 1), i32(23));
  for (int n : {9, 11}) RUN(NAMED("queens", n), k_queens, (n * n + 31) / 32, 32, 0, OUT("out", n * n), i32(n));
  for (int lg : {14, 19}) RUN(NAMED("montgomery_2e", lg), k_montgomery, (1 << lg) / 256, 256, 0, INTS("a", 1 << lg, 1), INTS("b", 1 << lg, 2), OUT("out", 1 << lg), i32(1 << lg), i32(32));
  for (int lg : {20, 25}) RUN(NAMED("utf8_count_2e", lg), k_utf8_count, 264, 256, 0, INTS("text", (1 << lg) / 4, 1), OUT("out", 1), i32(1 << lg));
  for (int g : {64, 2048}) RUN(NAMED("huffman_lengths", g), k_huffman_lengths, g, 128, 0, INTS("in", g * 256, 1), INTS("length", 256, 2), OUT("out", g), i32(g * 1024));
  for (int lg : {15, 20}) RUN(NAMED("bit_transpose_2e", lg), k_bit_transpose, (1 << lg) / 256, 256, 0, INTS("in", 1 << lg, 1), OUT("out", 1 << lg), i32(1 << lg));
  for (int lg : {19, 23}) RUN(NAMED("wildcard_2e", lg), k_wildcard, (1 << lg) / 64 / 128, 128, 0, INTS("text", (1 << lg) / 4, 1), OUT("out", (1 << lg) / 64), i32(1 << lg));
  for (int n : {1024, 8192}) RUN(NAMED("group_norm", n), k_group_norm, 512, 256, 0, IN("in", 512 * n, 1), OUT("out", 512 * n), i32(n));
  for (int n : {32, 128}) RUN(NAMED("unfold", n), k_unfold, 16 * n * n / 256, 256, 0, IN("in", 16 * n * n, 1), OUT("out", 144 * n * n), i32(n), i32(16));
  for (int lg : {14, 20}) RUN(NAMED("dropout_2e", lg), k_dropout, (1 << lg) / 256, 256, 0, IN("in", 4 << lg, 1), OUT("out", 4 << lg), i32(1 << lg));
  for (int lg : {14, 19}) RUN(NAMED("unpack_nibbles_2e", lg), k_unpack_nibbles, (1 << lg) / 256, 256, 0, INTS("in", 1 << lg, 1), INTS("scale", (1 << lg) / 32, 2), OUT("out", 4 << lg), i32(1 << lg));
  for (int lg : {15, 20}) RUN(NAMED("lstm_gates_2e", lg), k_lstm_gates, (1 << lg) / 256, 256, 0, IN("gate", 4 << lg, 1), buf("cell", F(1 << lg), HASH_F32, 2, true), OUT("hidden", 1 << lg), i32(1 << lg));
  for (int lg : {10, 17}) RUN(NAMED("embedding_bag_2e", lg), k_embedding_bag, 1024, 64, 0, IN("table", 256 << lg, 1), INTS("index", 16384, 2), OUT("out", 1024 * 256), i32(64), i32((1 << lg) - 1));
  for (int t : {512, 4096}) RUN(NAMED("paged_scores", t), k_paged_scores, dim3(t / 32, 16), 256, 0, IN("q", 16 * 64, 1), IN("cache", t * 16 * 64, 2), INTS("page", t, 3), OUT("out", 16 * t), i32(t), i32(t));
  for (int n : {1024, 32768}) RUN(NAMED("top_expert", n), k_top_expert, n / 8, 256, 0, IN("score", n * 64, 1), OUT("expert", n), OUT("weight", n), i32(n));
  for (int l : {128, 2048}) RUN(NAMED("causal_convolution", l), k_causal_convolution, dim3(8, l / 32), 128, 0, IN("in", l * 1024, 1), IN("w", 4096, 2), OUT("out", l * 1024), i32(l), i32(1024));
  for (int c : {16, 128}) RUN(NAMED("mean_pool_gradient", c), k_mean_pool_gradient, dim3(4, 16, c), dim3(32, 8), 0, IN("grad", c * 64 * 64, 1), OUT("out", c * 128 * 128), i32(128));
  for (int g : {66, 528}) RUN(NAMED("heston", g), k_heston, g, 128, 0, IN("seed", 1, 1), OUT("out", g * 128), i32(64));
  for (int n : {512, 2048}) RUN(NAMED("ising", n), k_ising, dim3(n / 64, n / 8), dim3(32, 8), 0, buf("spin", F(n * n), HASH_I32, 1, true), i32(n), i32(0), i32(3));
  for (int n : {2048, 16384}) RUN(NAMED("moving_average", n), k_moving_average, n / 64, 64, 0, IN("price", n * 128, 1), OUT("out", n * 128), i32(128), i32(n));
  for (int lg : {12, 16}) RUN(NAMED("bonds_2e", lg), k_bonds, (1 << lg) / 128, 128, 0, IN("rate", 1 << lg, 1), IN("flow", 64, 2), OUT("out", 1 << lg), i32(1 << lg), i32(30));
  for (int g : {512, 4096}) RUN(NAMED("genes", g), k_genes, g, 128, 0, INTS("in", 512 * 512, 1), INTS("pick", 2 * g, 2), OUT("out", g * 512), i32(512), i32(511));
  for (int g : {64, 1024}) RUN(NAMED("quantiles", g), k_quantiles, g, 256, 0, IN("in", g * 512, 1), OUT("out", g * 3), i32(512));
}
