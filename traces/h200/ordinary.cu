// Ordinary kernels, written as people write them: dense linear algebra, stencils and images, dynamic programming,
// sparse and irregular work, scans and sorts, arithmetic. They were first compared with a model that had never seen them,
// to learn how far it carries over; what they showed was then measured by itself (lsu/, dram/).
#include "harness.cuh"
#include <cuda_fp16.h>

#define GLOBAL_X (blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_Y (blockIdx.y * blockDim.y + threadIdx.y)

// ---------------------------------------------------------------- dense linear algebra
K k_gemm(const float* a, const float* b, float* c, int n) {
  int j = GLOBAL_X, i = GLOBAL_Y;
  if (i >= n || j >= n) return;
  c[i * n + j] *= 0.5f;
  for (int k = 0; k < n; k++) c[i * n + j] += 1.5f * a[i * n + k] * b[k * n + j];
}
K k_syrk(const float* a, float* c, int n) {
  int j = GLOBAL_X, i = GLOBAL_Y;
  if (i >= n || j >= n) return;
  float s = c[i * n + j] * 0.5f;
  for (int k = 0; k < n; k++) s += a[i * n + k] * a[j * n + k];
  c[i * n + j] = s;
}
template <class T, int TILE, int PER> __device__ __forceinline__ void gemm_registers(const float* a, const float* b, float* c, int n) {
  constexpr int SIDE = TILE / PER, DEPTH = 16;
  __shared__ T ta[DEPTH][TILE + 1], tb[DEPTH][TILE];
  int tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE, row = blockIdx.y * TILE, column = blockIdx.x * TILE;
  T sum[PER][PER];
#pragma unroll
  for (int i = 0; i < PER; i++)
#pragma unroll
    for (int j = 0; j < PER; j++) sum[i][j] = (T)0.f;
  for (int k0 = 0; k0 < n; k0 += DEPTH) {
    for (int e = threadIdx.x; e < TILE * DEPTH; e += SIDE * SIDE) {
      ta[e % DEPTH][e / DEPTH] = (T)(a[(row + e / DEPTH) * n + k0 + e % DEPTH] * 0.01f);
      tb[e / TILE][e % TILE] = (T)(b[(k0 + e / TILE) * n + column + e % TILE] * 0.01f);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
      T x[PER], y[PER];
#pragma unroll
      for (int i = 0; i < PER; i++) { x[i] = ta[k][ty * PER + i]; y[i] = tb[k][tx + i * SIDE]; }
#pragma unroll
      for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j++) sum[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < PER; i++)
#pragma unroll
    for (int j = 0; j < PER; j++) c[(row + ty * PER + i) * n + column + tx + j * SIDE] = (float)sum[i][j];
}
K k_gemm_registers_f32(const float* a, const float* b, float* c, int n) { gemm_registers<float, 64, 4>(a, b, c, n); }
K k_gemm_registers_f64(const float* a, const float* b, float* c, int n) { gemm_registers<double, 64, 4>(a, b, c, n); }
K k_gemm_registers_f16(const float* a, const float* b, float* c, int n) { gemm_registers<__half, 64, 4>(a, b, c, n); }
K k_gemm_registers_8x8(const float* a, const float* b, float* c, int n) { gemm_registers<float, 128, 8>(a, b, c, n); }
K k_gemm_tiled8(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[8][8], tb[8][8];
  int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * 8 + x, i = blockIdx.y * 8 + y; float s = 0;
  for (int k = 0; k < n; k += 8) {
    ta[y][x] = a[i * n + k + x]; tb[y][x] = b[(k + y) * n + j];
    __syncthreads();
    for (int q = 0; q < 8; q++) s += ta[y][q] * tb[q][x];
    __syncthreads();
  }
  c[i * n + j] = s;
}
K k_row_times_vector(const float* a, const float* x, float* y, int n) {
  int i = GLOBAL_X; if (i >= n) return;
  float s = 0; for (int j = 0; j < n; j++) s += a[(size_t)i * n + j] * x[j];
  y[i] = s;
}
K k_column_times_vector(const float* a, const float* x, float* y, int n) {
  int j = GLOBAL_X; if (j >= n) return;
  y[j] = 0; for (int i = 0; i < n; i++) y[j] += a[(size_t)i * n + j] * x[i];
}
K k_row_by_warp(const float* a, const float* x, float* y, int n) {
  int row = GLOBAL_X / 32, lane = threadIdx.x & 31; if (row >= n) return;
  float s = 0; for (int j = lane; j < n; j += 32) s += a[(size_t)row * n + j] * x[j];
  for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
  if (lane == 0) y[row] = s;
}
K k_two_matrices_vector(const float* a, const float* b, const float* x, float* y, int n) {
  int i = GLOBAL_X; if (i >= n) return;
  float s = 0, t = 0;
  for (int j = 0; j < n; j++) { s += a[i * n + j] * x[j]; t += b[i * n + j] * x[j]; }
  y[i] = 1.5f * s + 0.5f * t;
}
K k_column_mean(const float* data, float* mean, int n, int rows) {
  int j = GLOBAL_X; if (j >= n) return;
  float s = 0; for (int i = 0; i < rows; i++) s += data[(size_t)i * n + j];
  mean[j] = s / (float)rows;
}
K k_column_deviation(const float* data, const float* mean, float* deviation, int n, int rows) {
  int j = GLOBAL_X; if (j >= n) return;
  float s = 0; for (int i = 0; i < rows; i++) { float d = data[(size_t)i * n + j] - mean[j]; s += d * d; }
  float v = sqrtf(s / (float)rows); deviation[j] = v <= 0.005f ? 1.f : v;
}
K k_covariance(const float* data, float* out, int n, int rows) {
  int j1 = GLOBAL_X; if (j1 >= n) return;
  for (int j2 = j1; j2 < n; j2++) {
    float s = 0; for (int i = 0; i < rows; i++) s += data[i * n + j1] * data[i * n + j2];
    out[j1 * n + j2] = s; out[j2 * n + j1] = s;
  }
}
K k_one_thread_norm(const float* a, float* out, int n, int k) {
  if (GLOBAL_X == 0) { float s = 0; for (int i = 0; i < n; i++) s += a[i * n + k] * a[i * n + k]; out[k] = sqrtf(s); }
}
K k_gram_schmidt_update(float* a, const float* q, float* r, int n, int k) {
  int j = GLOBAL_X; if (j <= k || j >= n) return;
  float s = 0; for (int i = 0; i < n; i++) s += q[i * n + k] * a[i * n + j];
  r[k * n + j] = s;
  for (int i = 0; i < n; i++) a[i * n + j] -= q[i * n + k] * s * 0.001f;
}
K k_elimination_factors(const float* a, float* m, int n, int t) {
  int i = GLOBAL_X; if (i >= n - 1 - t) return;
  m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
}
K k_elimination_update(const float* m, float* a, int n, int t) {
  int x = GLOBAL_X, y = GLOBAL_Y; if (x >= n - 1 - t || y >= n - t) return;
  a[n * (x + 1 + t) + y + t] -= m[n * (x + 1 + t) + t] * a[n * t + y + t];
}
K k_lu_diagonal(float* a, int n, int offset) {
  __shared__ float s[16][16];
  int x = threadIdx.x;
  for (int i = 0; i < 16; i++) s[i][x] = a[(offset + i) * n + offset + x];
  __syncthreads();
  for (int i = 0; i < 15; i++) {
    if (x > i) { for (int j = 0; j < i; j++) s[x][i] -= s[x][j] * s[j][i] * 0.001f; s[x][i] /= s[i][i]; }
    __syncthreads();
    if (x > i) for (int j = 0; j < i + 1; j++) s[i + 1][x] -= s[i + 1][j] * s[j][x] * 0.001f;
    __syncthreads();
  }
  for (int i = 1; i < 16; i++) a[(offset + i) * n + offset + x] = s[i][x];
}
K k_lu_internal(float* a, int n, int offset) {
  __shared__ float row[16][16], column[16][16];
  int x = threadIdx.x, y = threadIdx.y, gi = offset + (blockIdx.y + 1) * 16, gj = offset + (blockIdx.x + 1) * 16;
  row[y][x] = a[(offset + y) * n + gj + x]; column[y][x] = a[(gi + y) * n + offset + x];
  __syncthreads();
  float s = 0; for (int i = 0; i < 16; i++) s += column[y][i] * row[i][x];
  a[(gi + y) * n + gj + x] -= s;
}

// ---------------------------------------------------------------- stencils and images
K k_convolution_2d(const float* in, float* out, int n) {
  int j = GLOBAL_X, i = GLOBAL_Y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
  out[i * n + j] = 0.2f * in[(i - 1) * n + j - 1] + -0.3f * in[i * n + j - 1] + 0.4f * in[(i + 1) * n + j - 1] + 0.5f * in[(i - 1) * n + j] + 0.6f * in[i * n + j] + 0.7f * in[(i + 1) * n + j] +
                   -0.8f * in[(i - 1) * n + j + 1] + -0.9f * in[i * n + j + 1] + 0.1f * in[(i + 1) * n + j + 1];
}
K k_convolution_3d(const float* in, float* out, int n) {
  int k = GLOBAL_X, j = GLOBAL_Y;
  if (j < 1 || k < 1 || j >= n - 1 || k >= n - 1) return;
  for (int i = 1; i < n - 1; i++) {
    const float* p = in + ((size_t)i * n + j) * n + k; int r = n, s = n * n;
    out[((size_t)i * n + j) * n + k] = 0.5f * p[-s - r - 1] + 0.7f * p[-s + r - 1] + 0.9f * p[-s - r + 1] + 1.2f * p[-s + r + 1] + 1.5f * p[0] + 1.2f * p[s - r - 1] + 0.9f * p[s + r - 1] + 0.7f * p[s - r + 1] + 0.5f * p[s + r + 1] - 2.f * p[1] + 0.3f * p[-1];
  }
}
K k_heat_3d(const float* __restrict__ in, float* __restrict__ out, int n) {
  int x = GLOBAL_X, y = GLOBAL_Y, z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
  size_t i = ((size_t)z * n + y) * n + x;
  out[i] = in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - (size_t)n * n] + in[i + (size_t)n * n] - 6.f * in[i]);
}
K k_wave_25_points(const float* __restrict__ in, const float* __restrict__ old, float* __restrict__ out, int n) {
  int x = GLOBAL_X + 4, y = GLOBAL_Y + 4, r = n, s = n * n;
  if (x >= n - 4 || y >= n - 4) return;
  float w[9]; size_t at = (size_t)y * n + x;
#pragma unroll
  for (int q = 0; q < 8; q++) w[q] = in[at + (size_t)q * s];
  for (int z = 4; z < n - 4; z++) {
    w[8] = in[at + (size_t)(z + 4) * s];
    size_t i = at + (size_t)z * s; float v = w[4] * -2.8f;
#pragma unroll
    for (int q = 1; q <= 4; q++) v += (1.f / q) * (in[i - q] + in[i + q] + in[i - q * r] + in[i + q * r] + w[4 - q] + w[4 + q]);
    out[i] = 2.f * w[4] - old[i] + 0.1f * v;
#pragma unroll
    for (int q = 0; q < 8; q++) w[q] = w[q + 1];
  }
}
K k_jacobi_1d(const float* in, float* out, int n) { int i = GLOBAL_X; if (i > 0 && i < n - 1) out[i] = 0.33333f * (in[i - 1] + in[i] + in[i + 1]); }
K k_fields_2d(float* e, const float* h, int n) { int j = GLOBAL_X, i = GLOBAL_Y; if (i < n && j > 0 && j < n) e[i * n + j] = e[i * n + j] - 0.5f * (h[i * n + j] - h[i * n + j - 1]); }
K k_hotspot(const float* __restrict__ power, const float* __restrict__ in, float* __restrict__ out, int n, int steps) {
  __shared__ float t[16][16], p[16][16], next[16][16];
  int x = threadIdx.x, y = threadIdx.y, border = steps, inner = 16 - 2 * border;
  int gx = (int)blockIdx.x * inner + x - border, gy = (int)blockIdx.y * inner + y - border;
  bool inside = gx >= 0 && gy >= 0 && gx < n && gy < n;
  if (inside) { t[y][x] = in[gy * n + gx]; p[y][x] = power[gy * n + gx]; }
  __syncthreads();
  int w = max(x - 1, 0), e = min(x + 1, 15), u = max(y - 1, 0), d = min(y + 1, 15);
  if (gx == 0) w = x; if (gx == n - 1) e = x; if (gy == 0) u = y; if (gy == n - 1) d = y;
  bool done = false;
  for (int s = 0; s < steps; s++) {
    done = false;
    if (x >= s + 1 && x <= 14 - s && y >= s + 1 && y <= 14 - s && inside) {
      done = true;
      next[y][x] = t[y][x] + 0.01f * (p[y][x] + (t[d][x] + t[u][x] - 2.f * t[y][x]) * 0.1f + (t[y][e] + t[y][w] - 2.f * t[y][x]) * 0.1f + (80.f - t[y][x]) * 0.05f);
    }
    __syncthreads();
    if (s == steps - 1) break;
    if (done) t[y][x] = next[y][x];
    __syncthreads();
  }
  if (done) out[gy * n + gx] = next[y][x];
}
K k_speckle(const float* image, float* c, float* dn, float* ds, int n) {
  int x = GLOBAL_X, y = GLOBAL_Y; if (x >= n || y >= n) return;
  int i = y * n + x; float v = fabsf(image[i]) + 1.f;
  float north = fabsf(image[max(y - 1, 0) * n + x]) + 1.f - v, south = fabsf(image[min(y + 1, n - 1) * n + x]) + 1.f - v, west = fabsf(image[y * n + max(x - 1, 0)]) + 1.f - v, east = fabsf(image[y * n + min(x + 1, n - 1)]) + 1.f - v;
  float g2 = (north * north + south * south + west * west + east * east) / (v * v), l = (north + south + west + east) / v;
  float num = 0.5f * g2 - 0.0625f * l * l, den = 1.f + 0.25f * l, q = num / (den * den);
  den = (q - 0.05f) / (0.05f * 1.05f);
  float k = 1.f / (1.f + den); k = k < 0.f ? 0.f : k > 1.f ? 1.f : k;
  c[i] = k; dn[i] = north; ds[i] = south;
}
K k_sobel_bytes(const unsigned char* in, unsigned char* out, int w, int h) {
  int x = GLOBAL_X, y = GLOBAL_Y; if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  const unsigned char* p = in + y * w + x;
  int gx = p[1 - w] + 2 * p[1] + p[1 + w] - p[-1 - w] - 2 * p[-1] - p[w - 1], gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[1 - w];
  int g = abs(gx) + abs(gy); out[y * w + x] = g > 255 ? 255 : g;
}
K k_grey_from_colour(const uchar4* in, unsigned char* out, int n) { int i = GLOBAL_X; if (i < n) { uchar4 c = in[i]; out[i] = (unsigned char)(0.299f * c.x + 0.587f * c.y + 0.114f * c.z); } }
K k_resize_bilinear(const float* in, float* out, int w, int h, int ow, int oh) {
  int x = GLOBAL_X, y = GLOBAL_Y; if (x >= ow || y >= oh) return;
  float fx = x * ((float)(w - 1) / ow), fy = y * ((float)(h - 1) / oh); int ix = (int)fx, iy = (int)fy; fx -= ix; fy -= iy;
  const float* p = in + iy * w + ix;
  out[y * ow + x] = (p[0] * (1 - fx) + p[1] * fx) * (1 - fy) + (p[w] * (1 - fx) + p[w + 1] * fx) * fy;
}
K k_box_blur_rows(const float* in, float* out, int w, int h, int r) {
  int y = GLOBAL_X; if (y >= h) return;
  float s = 0; for (int x = 0; x < 2 * r + 1; x++) s += in[y * w + x];
  for (int x = r; x < w - r - 1; x++) { out[y * w + x] = s; s += in[y * w + x + r + 1] - in[y * w + x - r]; }
}
K k_cosine_8x8(const float* in, float* out, int w) {
  __shared__ float s[8][8], t[8][8], cosine[8][8];
  int x = threadIdx.x, y = threadIdx.y; size_t at = (size_t)(blockIdx.y * 8 + y) * w + blockIdx.x * 8 + x;
  cosine[y][x] = (float)((x * 7 + y * 3) % 16 - 8) * 0.125f; s[y][x] = in[at];
  __syncthreads();
  float v = 0; for (int k = 0; k < 8; k++) v += cosine[y][k] * s[k][x];
  t[y][x] = v; __syncthreads();
  v = 0; for (int k = 0; k < 8; k++) v += t[y][k] * cosine[x][k];
  out[at] = v;
}
K k_transpose_float4(const float4* in, float4* out, int n) { int x = GLOBAL_X, y = GLOBAL_Y; out[(size_t)x * n + y] = in[(size_t)y * n + x]; }

// ---------------------------------------------------------------- dynamic programming
K k_path_rows(const int* wall, const int* from, int* to, int columns, int rows, int start) {
  __shared__ int a[256], b[256];
  int x = threadIdx.x, border = rows, inner = 256 - 2 * border, g = (int)blockIdx.x * inner + x - border; bool inside = g >= 0 && g < columns, done = false;
  if (inside) a[x] = from[g];
  __syncthreads();
  int w = max(x - 1, 0), e = min(x + 1, 255); if (g == 0) w = x; if (g == columns - 1) e = x;
  for (int i = 0; i < rows; i++) {
    done = false;
    if (x >= i + 1 && x <= 254 - i && inside) { done = true; b[x] = min(a[w], min(a[x], a[e])) + wall[(size_t)columns * (start + i) + g]; }
    __syncthreads();
    if (i == rows - 1) break;
    if (done) a[x] = b[x];
    __syncthreads();
  }
  if (done) to[g] = b[x];
}
K k_alignment_diagonal(const int* reference, int* score, int n, int penalty, int diagonal) {
  __shared__ int t[17][17], r[16][16];
  int x = threadIdx.x, bx = blockIdx.x, by = diagonal - 1 - bx, base = n * 16 * by + 16 * bx;
  for (int i = 0; i < 16; i++) r[i][x] = reference[base + n * (i + 1) + x + 1] & 31;
  if (x == 0) t[0][0] = score[base];
  t[x + 1][0] = score[base + n * (x + 1)]; t[0][x + 1] = score[base + x + 1];
  __syncthreads();
  for (int m = 0; m < 16; m++) {
    if (x <= m) { int i = x + 1, j = m - x + 1; t[j][i] = max(t[j - 1][i - 1] + r[j - 1][i - 1], max(t[j][i - 1] - penalty, t[j - 1][i] - penalty)); }
    __syncthreads();
  }
  for (int m = 14; m >= 0; m--) {
    if (x <= m) { int i = x + 16 - m, j = 16 - x; t[j][i] = max(t[j - 1][i - 1] + r[j - 1][i - 1], max(t[j][i - 1] - penalty, t[j - 1][i] - penalty)); }
    __syncthreads();
  }
  for (int i = 0; i < 16; i++) score[base + n * (i + 1) + x + 1] = t[i + 1][x + 1];
}
K k_all_pairs_step(float* d, int n, int k) { int j = GLOBAL_X, i = GLOBAL_Y; if (i < n && j < n) { float v = d[i * n + k] + d[k * n + j]; if (v < d[i * n + j]) d[i * n + j] = v; } }

// ---------------------------------------------------------------- sparse and irregular
K k_sparse_by_thread(const int* column, const float* value, const float* x, float* y, int rows, int mask) {
  int r = GLOBAL_X; if (r >= rows) return;
  int first = r * 24, count = 8 + (column[first] & 15); float s = 0;
  for (int i = first; i < first + count; i++) s += value[i] * x[column[i] & mask];
  y[r] = s;
}
K k_sparse_by_warp(const int* column, const float* value, const float* x, float* y, int rows, int mask) {
  int r = GLOBAL_X / 32, lane = threadIdx.x & 31; if (r >= rows) return;
  int first = r * 96, count = 32 + (column[first] & 63); float s = 0;
  for (int i = first + lane; i < first + count; i += 32) s += value[i] * x[column[i] & mask];
  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
  if (lane == 0) y[r] = s;
}
K k_sparse_ell(const int* column, const float* value, const float* x, float* y, int rows, int width, int mask) {
  int r = GLOBAL_X; if (r >= rows) return;
  float s = 0; for (int i = 0; i < width; i++) s += value[(size_t)i * rows + r] * x[column[(size_t)i * rows + r] & mask];
  y[r] = s;
}
K k_breadth_first(const int* edges, const int* frontier, int* updated, int* cost, int nodes, int mask) {
  int v = GLOBAL_X; if (v >= nodes || (frontier[v] & 7)) return;
  int degree = 2 + (edges[v * 8] & 5);
  for (int e = v * 8; e < v * 8 + degree; e++) { int to = edges[e] & mask; if (cost[to] == 0) { cost[to] = 5; updated[to] = 1; } }
}
K k_nearest_centre(const float* feature, const float* centre, int* member, int points, int features, int clusters) {
  int p = GLOBAL_X; if (p >= points) return;
  int best = 0; float least = 3.4e38f;
  for (int c = 0; c < clusters; c++) {
    float d = 0; for (int f = 0; f < features; f++) { float q = feature[(size_t)f * points + p] - centre[c * features + f]; d += q * q; }
    if (d < least) { least = d; best = c; }
  }
  member[p] = best;
}
K k_distance(const float2* place, float* d, int n) { int i = GLOBAL_X; if (i < n) { float2 p = place[i]; d[i] = sqrtf((p.x - 12.5f) * (p.x - 12.5f) + (p.y + 7.f) * (p.y + 7.f)); } }
K k_binary_search(const uint32_t* sorted, const uint32_t* key, uint32_t* found, int n, int keys) {
  int i = GLOBAL_X; if (i >= keys) return;
  uint32_t k = key[i] & (n - 1); int low = 0, high = n;
  while (low < high) { int middle = (low + high) >> 1; if (sorted[middle] < k) low = middle + 1; else high = middle; }
  found[i] = low;
}
K k_hash_probe(const uint32_t* table, const uint32_t* key, uint32_t* found, int mask, int keys) {
  int i = GLOBAL_X; if (i >= keys) return;
  uint32_t k = key[i], slot = mix32(k) & mask, n = 0;
  while ((table[slot] & 3) && n < 16) { slot = (slot + 1) & mask; n++; }
  found[i] = slot;
}
K k_pointer_jump(const uint32_t* parent, uint32_t* root, int n, int mask) { int i = GLOBAL_X; if (i >= n) return; uint32_t p = i; for (int s = 0; s < 12; s++) p = parent[p] & mask; root[i] = p; }
K k_flux(const float* variable, const int* neighbour, const float* normal, float* flux, int n, int mask) {
  int i = GLOBAL_X; if (i >= n) return;
  float density = fabsf(variable[i]) + 1.f, mx = variable[i + n], my = variable[i + 2 * n], mz = variable[i + 3 * n], energy = fabsf(variable[i + 4 * n]) + 1e4f;
  float vx = mx / density, vy = my / density, vz = mz / density, speed2 = vx * vx + vy * vy + vz * vz, pressure = 0.4f * (energy - 0.5f * density * speed2), sound = sqrtf(fabsf(1.4f * pressure / density)), f0 = 0, f1 = 0, f2 = 0, f3 = 0, f4 = 0;
  for (int j = 0; j < 4; j++) {
    int o = neighbour[i + j * n] & mask; float nx = normal[i + (j * 3) * n], ny = normal[i + (j * 3 + 1) * n], nz = normal[i + (j * 3 + 2) * n], length = sqrtf(nx * nx + ny * ny + nz * nz);
    float od = fabsf(variable[o]) + 1.f, ox = variable[o + n], oy = variable[o + 2 * n], oz = variable[o + 3 * n], oe = fabsf(variable[o + 4 * n]) + 1e4f;
    float wx = ox / od, wy = oy / od, wz = oz / od, os2 = wx * wx + wy * wy + wz * wz, op = 0.4f * (oe - 0.5f * od * os2), os = sqrtf(fabsf(1.4f * op / od));
    float factor = -length * 0.1f * (sqrtf(speed2) + sqrtf(os2) + sound + os);
    f0 += factor * (density - od) + 0.5f * (nx * (ox + mx) + ny * (oy + my) + nz * (oz + mz)); f4 += factor * (energy - oe) + 0.5f * nx * (wx * (oe + op) + vx * (energy + pressure));
    f1 += factor * (mx - ox) + 0.5f * nx * (wx * ox + vx * mx + op + pressure); f2 += factor * (my - oy) + 0.5f * ny * (wy * oy + vy * my + op + pressure); f3 += factor * (mz - oz) + 0.5f * nz * (wz * oz + vz * mz + op + pressure);
  }
  flux[i] = f0; flux[i + n] = f1; flux[i + 2 * n] = f2; flux[i + 3 * n] = f3; flux[i + 4 * n] = f4;
}
K k_histogram_global(const uint32_t* in, uint32_t* bins, int n, int mask) { int i = GLOBAL_X, s = gridDim.x * blockDim.x; for (; i < n; i += s) atomicAdd(&bins[in[i] & mask], 1u); }
K k_histogram_block(const uint32_t* in, uint32_t* bins, int n) {
  __shared__ uint32_t s[256]; s[threadIdx.x] = 0; __syncthreads();
  for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) { uint32_t v = in[i]; atomicAdd(&s[v & 255], 1u); atomicAdd(&s[(v >> 8) & 255], 1u); }
  __syncthreads(); atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
K k_compact(const int* in, int* out, int* count, int n) {
  int i = GLOBAL_X, lane = threadIdx.x & 31; int v = i < n ? in[i] : 1; bool keep = !(v & 1);
  unsigned m = __ballot_sync(~0u, keep); int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & ((1u << lane) - 1))] = 1;
}

// ---------------------------------------------------------------- scans, reductions, sorts
K k_scan_naive(const float* in, float* out) {
  __shared__ float s[2][512]; int x = threadIdx.x, p = 0; size_t g = (size_t)blockIdx.x * 512 + x; s[0][x] = in[g]; __syncthreads();
  for (int d = 1; d < 512; d *= 2) { p ^= 1; s[p][x] = x >= d ? s[p ^ 1][x] + s[p ^ 1][x - d] : s[p ^ 1][x]; __syncthreads(); }
  out[g] = s[p][x];
}
K k_scan_tree(const float* in, float* out) {
  __shared__ float s[1024]; int x = threadIdx.x, offset = 1; size_t g = (size_t)blockIdx.x * 1024;
  s[2 * x] = in[g + 2 * x]; s[2 * x + 1] = in[g + 2 * x + 1];
  for (int d = 512; d > 0; d >>= 1) { __syncthreads(); if (x < d) { int a = offset * (2 * x + 1) - 1, b = offset * (2 * x + 2) - 1; s[b] += s[a]; } offset *= 2; }
  if (x == 0) s[1023] = 0;
  for (int d = 1; d < 1024; d *= 2) { offset >>= 1; __syncthreads(); if (x < d) { int a = offset * (2 * x + 1) - 1, b = offset * (2 * x + 2) - 1; float t = s[a]; s[a] = s[b]; s[b] += t; } }
  __syncthreads(); out[g + 2 * x] = s[2 * x]; out[g + 2 * x + 1] = s[2 * x + 1];
}
K k_scan_shuffle(const int* in, int* out, int* total) {
  __shared__ int sums[32]; int x = threadIdx.x, lane = x & 31, w = x >> 5; size_t g = (size_t)blockIdx.x * blockDim.x + x; int v = in[g] & 255;
  for (int d = 1; d < 32; d <<= 1) { int t = __shfl_up_sync(~0u, v, d); if (lane >= d) v += t; }
  if (lane == 31) sums[w] = v; __syncthreads();
  if (w == 0) { int t = sums[lane]; for (int d = 1; d < 32; d <<= 1) { int u = __shfl_up_sync(~0u, t, d); if (lane >= d) t += u; } sums[lane] = t; }
  __syncthreads(); if (w) v += sums[w - 1];
  out[g] = v; if (x == blockDim.x - 1) total[blockIdx.x] = v;
}
K k_reduce_shuffle(const float4* in, float* out, int n) {
  __shared__ float sums[32]; float s = 0; for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) { float4 v = in[i]; s += v.x + v.y + v.z + v.w; }
  for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
  if (!(threadIdx.x & 31)) sums[threadIdx.x >> 5] = s; __syncthreads();
  if (threadIdx.x < 32) { s = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0.f; for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d); if (!threadIdx.x) out[blockIdx.x] = s; }
}
K k_layer_forward(const float* input, const float* weight, float* partial, int hidden) {
  __shared__ float node[16], w[16][16]; int x = threadIdx.x, y = threadIdx.y, at = (hidden + 1) * 16 * blockIdx.y + (hidden + 1) * y + x + hidden + 2;
  if (x == 0) node[y] = input[16 * blockIdx.y + y + 1];
  __syncthreads(); w[y][x] = weight[at]; __syncthreads(); w[y][x] = w[y][x] * node[y]; __syncthreads();
  for (int i = 1; i <= 4; i++) { int p = 1 << i; if (y % p == 0) w[y][x] += w[y + p / 2][x]; __syncthreads(); }
  if (x == 0) partial[blockIdx.y * hidden + y] = w[x][y];
}
K k_softmax_rows(const float* in, float* out, int n) {
  __shared__ float s[256]; int x = threadIdx.x; const float* row = in + (size_t)blockIdx.x * n; float m = -1e30f;
  for (int i = x; i < n; i += 256) m = fmaxf(m, row[i]);
  s[x] = m; __syncthreads(); for (int d = 128; d; d >>= 1) { if (x < d) s[x] = fmaxf(s[x], s[x + d]); __syncthreads(); } m = s[0]; __syncthreads();
  float t = 0; for (int i = x; i < n; i += 256) t += exp2f((row[i] - m) * 1.4427f);
  s[x] = t; __syncthreads(); for (int d = 128; d; d >>= 1) { if (x < d) s[x] += s[x + d]; __syncthreads(); } t = 1.f / s[0];
  for (int i = x; i < n; i += 256) out[(size_t)blockIdx.x * n + i] = exp2f((row[i] - m) * 1.4427f) * t;
}
K k_layer_norm(const float4* in, const float4* gain, float4* out, int n4) {
  __shared__ float s[2][8]; int x = threadIdx.x; float4 v = in[(size_t)blockIdx.x * n4 + x]; float a = v.x + v.y + v.z + v.w, b = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  for (int d = 16; d; d >>= 1) { a += __shfl_xor_sync(~0u, a, d); b += __shfl_xor_sync(~0u, b, d); }
  if (!(x & 31)) { s[0][x >> 5] = a; s[1][x >> 5] = b; } __syncthreads();
  a = b = 0; for (int w = 0; w < 8; w++) { a += s[0][w]; b += s[1][w]; }
  float mean = a / (4 * n4), r = rsqrtf(b / (4 * n4) - mean * mean + 1e-5f); float4 g = gain[x];
  out[(size_t)blockIdx.x * n4 + x] = make_float4((v.x - mean) * r * g.x, (v.y - mean) * r * g.y, (v.z - mean) * r * g.z, (v.w - mean) * r * g.w);
}
K k_bitonic_global(uint32_t* d, int j, int k) { uint32_t i = GLOBAL_X, o = i ^ j; if (o > i) { uint32_t a = d[i], b = d[o]; if ((i & k) ? a < b : a > b) { d[i] = b; d[o] = a; } } }
K k_bitonic_shared(uint32_t* d) {
  __shared__ uint32_t s[512]; int x = threadIdx.x; size_t g = (size_t)blockIdx.x * 512; s[x] = d[g + x]; s[x + 256] = d[g + x + 256];
  for (int k = 2; k <= 512; k <<= 1) for (int j = k >> 1; j > 0; j >>= 1) { __syncthreads(); int i = 2 * x - (x & (j - 1)); uint32_t a = s[i], b = s[i + j]; if ((i & k) ? a < b : a > b) { s[i] = b; s[i + j] = a; } }
  __syncthreads(); d[g + x] = s[x]; d[g + x + 256] = s[x + 256];
}
K k_radix_count(const uint32_t* key, uint32_t* count, int n, int shift) {
  __shared__ uint32_t c[16][16]; int x = threadIdx.x, w = x >> 5; if (x < 256) c[x >> 4][x & 15] = 0; __syncthreads();
  for (int i = blockIdx.x * 2048 + x; i < blockIdx.x * 2048 + 2048 && i < n; i += blockDim.x) atomicAdd(&c[w & 15][(key[i] >> shift) & 15], 1u);
  __syncthreads(); if (x < 16) { uint32_t s = 0; for (int q = 0; q < 16; q++) s += c[q][x]; count[x * gridDim.x + blockIdx.x] = s; }
}
K k_merge_runs(const uint32_t* in, uint32_t* out, int run, int n) {
  int t = GLOBAL_X; if (t * 2 * run >= n) return;
  int a = t * 2 * run, ae = a + run, b = ae, be = b + run; for (int o = a; o < be; o++) { uint32_t x = a < ae ? in[a] : ~0u, y = b < be ? in[b] : ~0u; if (x <= y) { out[o] = x; a++; } else { out[o] = y; b++; } }
}

// ---------------------------------------------------------------- arithmetic
K k_bodies(const float4* p, float4* out, int n) {
  __shared__ float4 t[256]; int i = GLOBAL_X; float4 q = p[i]; float ax = 0, ay = 0, az = 0;
  for (int b = 0; b < n; b += 256) {
    t[threadIdx.x] = p[b + threadIdx.x]; __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 256; k++) { float dx = t[k].x - q.x, dy = t[k].y - q.y, dz = t[k].z - q.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = t[k].w * r * r * r; ax += dx * f; ay += dy * f; az += dz * f; }
    __syncthreads();
  }
  out[i] = make_float4(ax, ay, az, 0);
}
__device__ __forceinline__ float normal_distribution(float d) {
  float k = 1.f / (1.f + 0.2316419f * fabsf(d)), c = 0.39894228f * __expf(-0.5f * d * d) * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.f - c : c;
}
K k_options(const float* price, const float* strike, const float* years, float* call, float* put, int n) {
  int i = GLOBAL_X; if (i >= n) return;
  float s = fabsf(price[i]) + 1.f, x = fabsf(strike[i]) + 1.f, t = fabsf(years[i]) * 0.1f + 0.25f, q = sqrtf(t), d1 = (__logf(s / x) + (0.02f + 0.045f) * t) / (0.3f * q), d2 = d1 - 0.3f * q, a = normal_distribution(d1), b = normal_distribution(d2), e = __expf(-0.02f * t);
  call[i] = s * a - x * e * b; put[i] = x * e * (1.f - b) - s * (1.f - a);
}
K k_mandelbrot(int* out, int w, int h, int limit) {
  int x = GLOBAL_X, y = GLOBAL_Y; float cr = -2.f + 3.f * x / w, ci = -1.25f + 2.5f * y / h, zr = 0, zi = 0; int n = 0;
  while (n < limit && zr * zr + zi * zi < 4.f) { float t = zr * zr - zi * zi + cr; zi = 2.f * zr * zi + ci; zr = t; n++; }
  out[y * w + x] = n;
}
K k_random_walk(uint32_t* out, int steps) {
  uint32_t s = mix32(GLOBAL_X + 1), hits = 0; for (int i = 0; i < steps; i++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; uint32_t a = s & 0xffff, b = s >> 16; hits += a * a + b * b < 0xffff0000u / 2; } out[GLOBAL_X] = hits;
}
K k_compress_rounds(const uint32_t* in, uint32_t* out, int n) {
  int i = GLOBAL_X; uint32_t a = in[i], b = in[i + n], c = ~a, d = a ^ b, w[16];
#pragma unroll
  for (int q = 0; q < 16; q++) w[q] = a * (q + 1) + b;
#pragma unroll 16
  for (int r = 0; r < 64; r++) { uint32_t t = d + ((a & b) ^ (~a & c)) + __funnelshift_l(a, a, 7) + w[r & 15]; w[r & 15] += __funnelshift_r(t, t, 3); d = c; c = b; b = __funnelshift_l(a, a, 30); a = t; }
  out[i] = a ^ b ^ c ^ d;
}
K k_double_series(const float* in, float* out, int n, int terms) { int i = GLOBAL_X; if (i >= n) return; double x = in[i] * 0.02, s = 1, t = 1; for (int k = 1; k <= terms; k++) { t = t * x / (double)k; s += t; } out[i] = (float)sqrt(fabs(s)); }
K k_particles_in_boxes(const float4* p, float4* out, int boxes) {
  __shared__ float4 mine[64], other[64]; int x = threadIdx.x, b = blockIdx.x; mine[x] = p[b * 64 + x]; float4 f = make_float4(0, 0, 0, 0); __syncthreads();
  for (int k = -3; k <= 3; k++) {
    int o = (b + k * 5 + boxes) % boxes; other[x] = p[o * 64 + x]; __syncthreads();
    for (int j = 0; j < 64; j++) { float r2 = mine[x].w + other[j].w - (mine[x].x * other[j].x + mine[x].y * other[j].y + mine[x].z * other[j].z), v = exp2f(-fabsf(r2) * 0.01f), fs = 2.f * v; float dx = mine[x].x - other[j].x, dy = mine[x].y - other[j].y, dz = mine[x].z - other[j].z; f.w += v; f.x += fs * dx; f.y += fs * dy; f.z += fs * dz; }
    __syncthreads();
  }
  out[b * 64 + x] = f;
}
K k_find_index(const float* sums, const float* u, int* index, int n) { int i = GLOBAL_X; if (i >= n) return; float v = u[i]; int at = n - 1; for (int x = 0; x < n; x++) if (sums[x] >= v + 49.9f) { at = x; break; } index[i] = at; }
K k_few_threads_formula(const float* y, float* out, int steps) {
  int i = GLOBAL_X; float v = y[i] * 0.01f, w = v * 0.5f, u = 1.f;
  for (int s = 0; s < steps; s++) { float a = __expf(-fabsf(v)), b = 1.f / (1.f + a * u), c = a / (b + 0.5f), d = __logf(c + 1.5f); v += 0.01f * (b - v * w); w += 0.01f * (c - w); u = 0.99f * u + 0.01f * d; }
  out[i] = v + w + u;
}
K k_butterfly(float2* d, const float2* twiddle, int half) { int t = GLOBAL_X, k = t & (half - 1), i = (t / half) * 2 * half + k; float2 a = d[i], b = d[i + half], w = twiddle[k]; float2 m = make_float2((b.x * w.x - b.y * w.y) * 0.02f, (b.x * w.y + b.y * w.x) * 0.02f); d[i] = make_float2(a.x + m.x, a.y + m.y); d[i + half] = make_float2(a.x - m.x, a.y - m.y); }
K k_wavelet(const float2* in, float* low, float* high, int n) { int i = GLOBAL_X; if (i < n) { float2 v = in[i]; low[i] = (v.x + v.y) * 0.70710678f; high[i] = (v.x - v.y) * 0.70710678f; } }
K k_axpy_stride(const float* x, float* y, int n, float a) { for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i]; }
K k_dot_atomic(const int* a, const int* b, int* out, int n) { int s = 0; for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) s += (a[i] & 255) * (b[i] & 255); atomicAdd(out, s); }
K k_local_sort(const int* in, int* out, int n) { int i = GLOBAL_X; if (i >= n) return; int v[12]; for (int k = 0; k < 12; k++) v[k] = in[i + k * n]; for (int a = 1; a < 12; a++) { int t = v[a], b = a - 1; while (b >= 0 && v[b] > t) { v[b + 1] = v[b]; b--; } v[b + 1] = t; } for (int k = 0; k < 12; k++) out[i + k * n] = v[k]; }

int main(int argc, char** argv) {
  if (argc > 1) g_filter = argv[1]; if (getenv("SKIP_CLOCK")) g_skip_clock = true;
  char name[96]; auto F = [](size_t n) { return n * 4; }; auto up = [](int a, int b) { return (unsigned)((a + b - 1) / b); };
  { float* w; CHECK(cudaMalloc(&w, 4)); for (int i = 0; i < 8; i++) spin_up<<<132 * 8, 256>>>(w, 1 << 16); CHECK(cudaDeviceSynchronize()); CHECK(cudaFree(w)); }
#define N(...) sprintf(name, __VA_ARGS__)
#define SQUARE(nm, kk, n, g, b) N(nm "_%d", n); RUN(name, kk, g, b, 0, buf("a", F((size_t)n * n), HASH_F32, 1), buf("b", F((size_t)n * n), HASH_F32, 2), buf("c", F((size_t)n * n), HASH_F32, 3, true), i32(n))
  for (int n : {256, 512}) { SQUARE("gemm", k_gemm, n, dim3(n / 32, n / 8), dim3(32, 8)); SQUARE("gemm_tiled8", k_gemm_tiled8, n, dim3(n / 8, n / 8), dim3(8, 8)); N("syrk_%d", n); RUN(name, k_syrk, dim3(n / 32, n / 8), dim3(32, 8), 0, buf("a", F(n * n), HASH_F32, 1), buf("c", F(n * n), HASH_F32, 2, true), i32(n)); }
  for (int n : {512, 1024}) { SQUARE("gemm_registers_f32", k_gemm_registers_f32, n, dim3(n / 64, n / 64), 256); SQUARE("gemm_registers_8x8", k_gemm_registers_8x8, n, dim3(n / 128, n / 128), 256); }
  SQUARE("gemm_registers_f64", k_gemm_registers_f64, 512, dim3(8, 8), 256); SQUARE("gemm_registers_f16", k_gemm_registers_f16, 512, dim3(8, 8), 256);
  for (int n : {1024, 4096}) {
#define VECTOR(nm, kk, g) N(nm "_%d", n); RUN(name, kk, g, 256, 0, buf("a", F((size_t)n * n), HASH_F32, 1), buf("x", F(n), HASH_F32, 2), buf("y", F(n), ZERO, 0, true), i32(n))
    VECTOR("row_times_vector", k_row_times_vector, n / 256); VECTOR("column_times_vector", k_column_times_vector, n / 256); VECTOR("row_by_warp", k_row_by_warp, n / 8);
    N("two_matrices_vector_%d", n); RUN(name, k_two_matrices_vector, n / 256, 256, 0, buf("a", F((size_t)n * n), HASH_F32, 1), buf("b", F((size_t)n * n), HASH_F32, 3), buf("x", F(n), HASH_F32, 2), buf("y", F(n), ZERO, 0, true), i32(n));
    N("column_mean_%d", n); RUN(name, k_column_mean, n / 256, 256, 0, buf("data", F((size_t)n * 1024), HASH_F32, 1), buf("mean", F(n), ZERO, 0, true), i32(n), i32(1024));
    N("column_deviation_%d", n); RUN(name, k_column_deviation, n / 256, 256, 0, buf("data", F((size_t)n * 1024), HASH_F32, 1), buf("mean", F(n), HASH_F32, 4), buf("deviation", F(n), ZERO, 0, true), i32(n), i32(1024)); }
  RUN("covariance_256", k_covariance, 1, 256, 0, buf("data", F(256 * 256), HASH_F32, 1), buf("out", F(256 * 256), ZERO, 0, true), i32(256), i32(256));
  RUN("one_thread_norm_1024", k_one_thread_norm, 1, 256, 0, buf("a", F(1 << 20), HASH_F32, 1), buf("out", F(1024), ZERO, 0, true), i32(1024), i32(7));
  RUN("gram_schmidt_update_1024", k_gram_schmidt_update, 4, 256, 0, buf("a", F(1 << 20), HASH_F32, 1, true), buf("q", F(1 << 20), HASH_F32, 2), buf("r", F(1 << 20), ZERO, 0, true), i32(1024), i32(3));
  for (int n : {256, 2048}) { N("elimination_factors_%d", n); RUN(name, k_elimination_factors, up(n, 512), 512, 0, buf("a", F((size_t)n * n), HASH_F32, 1), buf("m", F((size_t)n * n), ZERO, 0, true), i32(n), i32(5)); N("elimination_update_%d", n); RUN(name, k_elimination_update, dim3(up(n, 4), up(n, 4)), dim3(4, 4), 0, buf("m", F((size_t)n * n), HASH_F32, 1), buf("a", F((size_t)n * n), HASH_F32, 2, true), i32(n), i32(5)); }
  RUN("lu_diagonal_256", k_lu_diagonal, 1, 16, 0, buf("a", F(256 * 256), HASH_F32, 1, true), i32(256), i32(0));
  for (int n : {256, 2048}) { N("lu_internal_%d", n); RUN(name, k_lu_internal, dim3(n / 16 - 1, n / 16 - 1), dim3(16, 16), 0, buf("a", F((size_t)n * n), HASH_F32, 1, true), i32(n), i32(0)); }

  for (int n : {1024, 4096}) {
#define IMAGE(nm, kk, bx, by) N(nm "_%d", n); RUN(name, kk, dim3(n / bx, n / by), dim3(bx, by), 0, buf("in", F((size_t)n * n), HASH_F32, 1), buf("out", F((size_t)n * n), ZERO, 0, true), i32(n))
    IMAGE("convolution_2d", k_convolution_2d, 32, 8);
    N("fields_2d_%d", n); RUN(name, k_fields_2d, dim3(n / 32, n / 8), dim3(32, 8), 0, buf("e", F((size_t)n * n), HASH_F32, 1, true), buf("h", F((size_t)n * n), HASH_F32, 2), i32(n));
    N("cosine_8x8_%d", n); RUN(name, k_cosine_8x8, dim3(n / 8, n / 8), dim3(8, 8), 0, buf("in", F((size_t)n * n), HASH_F32, 1), buf("out", F((size_t)n * n), ZERO, 0, true), i32(n));
    N("sobel_bytes_%d", n); RUN(name, k_sobel_bytes, dim3(n / 32, n / 8), dim3(32, 8), 0, buf("in", (size_t)n * n, HASH_I32, 1), buf("out", (size_t)n * n, ZERO, 0, true), i32(n), i32(n));
    N("jacobi_1d_%d", n * 1024); RUN(name, k_jacobi_1d, n * 4, 256, 0, buf("in", F((size_t)n * 1024), HASH_F32, 1), buf("out", F((size_t)n * 1024), ZERO, 0, true), i32(n * 1024)); }
  for (int n : {512, 2048}) { N("hotspot_%d", n); RUN(name, k_hotspot, dim3(up(n, 12), up(n, 12)), dim3(16, 16), 0, buf("power", F((size_t)n * n), HASH_F32, 1), buf("in", F((size_t)n * n), HASH_F32, 2), buf("out", F((size_t)n * n), ZERO, 0, true), i32(n), i32(2));
    N("speckle_%d", n); RUN(name, k_speckle, dim3(n / 16, n / 16), dim3(16, 16), 0, buf("image", F((size_t)n * n), HASH_F32, 1), buf("c", F((size_t)n * n), ZERO, 0, true), buf("dn", F((size_t)n * n), ZERO, 0, true), buf("ds", F((size_t)n * n), ZERO, 0, true), i32(n)); }
  for (int n : {64, 256}) { N("convolution_3d_%d", n); RUN(name, k_convolution_3d, dim3(n / 32, n / 8), dim3(32, 8), 0, buf("in", F((size_t)n * n * n), HASH_F32, 1), buf("out", F((size_t)n * n * n), ZERO, 0, true), i32(n));
    N("heat_3d_%d", n); RUN(name, k_heat_3d, dim3(n / 32, n / 8, n), dim3(32, 8), 0, buf("in", F((size_t)n * n * n), HASH_F32, 1), buf("out", F((size_t)n * n * n), ZERO, 0, true), i32(n)); }
  RUN("wave_25_points_128", k_wave_25_points, dim3(4, 15), dim3(32, 8), 0, buf("in", F(128 * 128 * 128), HASH_F32, 1), buf("old", F(128 * 128 * 128), HASH_F32, 2), buf("out", F(128 * 128 * 128), ZERO, 0, true), i32(128));
  RUN("grey_from_colour_2e22", k_grey_from_colour, 1 << 14, 256, 0, buf("in", F(1 << 22), HASH_I32, 1), buf("out", 1 << 22, ZERO, 0, true), i32(1 << 22));
  RUN("resize_bilinear_1024", k_resize_bilinear, dim3(48, 192), dim3(32, 8), 0, buf("in", F(1 << 20), HASH_F32, 1), buf("out", F(1536 * 1536), ZERO, 0, true), i32(1024), i32(1024), i32(1536), i32(1536));
  RUN("box_blur_rows_2048", k_box_blur_rows, 16, 128, 0, buf("in", F(1 << 22), HASH_F32, 1), buf("out", F(1 << 22), ZERO, 0, true), i32(2048), i32(2048), i32(5));
  RUN("transpose_float4_1024", k_transpose_float4, dim3(32, 128), dim3(32, 8), 0, buf("in", 16 << 20, HASH_F32, 1), buf("out", 16 << 20, ZERO, 0, true), i32(1024));

  for (int c : {10000, 400000}) { N("path_rows_%d", c); RUN(name, k_path_rows, up(c, 216), 256, 0, buf("wall", F((size_t)c * 20), HASH_I32, 1), buf("from", F(c), HASH_I32, 2), buf("to", F(c), ZERO, 0, true), i32(c), i32(20), i32(0)); }
  for (int d : {1, 16, 128}) { N("alignment_diagonal_%d", d); RUN(name, k_alignment_diagonal, d, 16, 0, buf("reference", F(2049 * 2049), HASH_I32, 1), buf("score", F(2049 * 2049), HASH_I32, 2, true), i32(2049), i32(10), i32(d)); }
  for (int n : {256, 2048}) { N("all_pairs_step_%d", n); RUN(name, k_all_pairs_step, dim3(n / 32, n / 8), dim3(32, 8), 0, buf("d", F((size_t)n * n), HASH_F32, 1), i32(n), i32(9)); }

  for (int lg : {14, 18}) { int n = 1 << lg;
    N("sparse_by_thread_2e%d", lg); RUN(name, k_sparse_by_thread, n / 128, 128, 0, buf("column", F((size_t)n * 24), HASH_I32, 1), buf("value", F((size_t)n * 24), HASH_F32, 2), buf("x", F(n), HASH_F32, 3), buf("y", F(n), ZERO, 0, true), i32(n), i32(n - 1));
    N("sparse_by_warp_2e%d", lg); RUN(name, k_sparse_by_warp, n / 8, 256, 0, buf("column", F((size_t)n * 96), HASH_I32, 1), buf("value", F((size_t)n * 96), HASH_F32, 2), buf("x", F(n), HASH_F32, 3), buf("y", F(n), ZERO, 0, true), i32(n), i32(n - 1));
    N("sparse_ell_2e%d", lg); RUN(name, k_sparse_ell, n / 128, 128, 0, buf("column", F((size_t)n * 16), HASH_I32, 1), buf("value", F((size_t)n * 16), HASH_F32, 2), buf("x", F(n), HASH_F32, 3), buf("y", F(n), ZERO, 0, true), i32(n), i32(16), i32(n - 1));
    N("flux_2e%d", lg); RUN(name, k_flux, n / 192, 192, 0, buf("variable", F((size_t)n * 5), HASH_F32, 1), buf("neighbour", F((size_t)n * 4), HASH_I32, 2), buf("normal", F((size_t)n * 12), HASH_F32, 3), buf("flux", F((size_t)n * 5), ZERO, 0, true), i32(n), i32(n - 1)); }
  for (int lg : {16, 20}) { int n = 1 << lg;
    N("breadth_first_2e%d", lg); RUN(name, k_breadth_first, n / 512, 512, 0, buf("edges", F((size_t)n * 8), HASH_I32, 1), buf("frontier", F(n), HASH_I32, 2), buf("updated", F(n), ZERO, 0, true), buf("cost", F(n), ZERO, 0, true), i32(n), i32(n - 1));
    N("nearest_centre_2e%d", lg); RUN(name, k_nearest_centre, n / 256, 256, 0, buf("feature", F((size_t)n * 16), HASH_F32, 1), buf("centre", F(5 * 16), HASH_F32, 2), buf("member", F(n), ZERO, 0, true), i32(n), i32(16), i32(5));
    N("distance_2e%d", lg); RUN(name, k_distance, n / 256, 256, 0, buf("place", F((size_t)n * 2), HASH_F32, 1), buf("d", F(n), ZERO, 0, true), i32(n));
    N("binary_search_2e%d", lg); RUN(name, k_binary_search, 1024, 256, 0, buf("sorted", F(n), INDEX_U32, 0), buf("key", F(1 << 18), HASH_I32, 2), buf("found", F(1 << 18), ZERO, 0, true), i32(n), i32(1 << 18));
    N("hash_probe_2e%d", lg); RUN(name, k_hash_probe, 1024, 256, 0, buf("table", F(n), HASH_I32, 1), buf("key", F(1 << 18), HASH_I32, 2), buf("found", F(1 << 18), ZERO, 0, true), i32(n - 1), i32(1 << 18));
    N("pointer_jump_2e%d", lg); RUN(name, k_pointer_jump, n / 256, 256, 0, buf("parent", F(n), HASH_I32, 1), buf("root", F(n), ZERO, 0, true), i32(n), i32(n - 1));
    N("compact_2e%d", lg); RUN(name, k_compact, n / 256, 256, 0, buf("in", F(n), HASH_I32, 1), buf("out", F(n), ZERO, 0, true), buf("count", 4, ZERO, 0, true), i32(n));
    N("local_sort_2e%d", lg); RUN(name, k_local_sort, n / 128 / 4, 128, 0, buf("in", F((size_t)n * 3), HASH_I32, 1), buf("out", F((size_t)n * 3), ZERO, 0, true), i32(n / 4)); }
  for (int m : {15, 255, 65535}) { N("histogram_global_%d", m + 1); RUN(name, k_histogram_global, 528, 256, 0, buf("in", F(1 << 20), HASH_I32, 1), buf("bins", F(65536), ZERO, 0, true), i32(1 << 20), i32(m)); }
  RUN("histogram_block_2e20", k_histogram_block, 264, 256, 0, buf("in", F(1 << 20), HASH_I32, 1), buf("bins", F(256), ZERO, 0, true), i32(1 << 20));

  for (int lg : {16, 22}) { int n = 1 << lg;
    N("scan_naive_2e%d", lg); RUN(name, k_scan_naive, n / 512, 512, 0, buf("in", F(n), HASH_F32, 1), buf("out", F(n), ZERO, 0, true)); N("scan_tree_2e%d", lg); RUN(name, k_scan_tree, n / 1024, 512, 0, buf("in", F(n), HASH_F32, 1), buf("out", F(n), ZERO, 0, true));
    N("scan_shuffle_2e%d", lg); RUN(name, k_scan_shuffle, n / 1024, 1024, 0, buf("in", F(n), HASH_I32, 1), buf("out", F(n), ZERO, 0, true), buf("total", F(n / 1024), ZERO, 0, true)); N("reduce_shuffle_2e%d", lg); RUN(name, k_reduce_shuffle, 264, 512, 0, buf("in", F(n), HASH_F32, 1), buf("out", F(264), ZERO, 0, true), i32(n / 4));
    N("layer_forward_2e%d", lg); RUN(name, k_layer_forward, dim3(1, n / 256), dim3(16, 16), 0, buf("input", F(n / 16 + 32), HASH_F32, 1), buf("weight", F(17 * (size_t)(n / 16 + 32)), HASH_F32, 2), buf("partial", F(n / 16), ZERO, 0, true), i32(16));
    N("softmax_rows_2e%d", lg); RUN(name, k_softmax_rows, n / 2048, 256, 0, buf("in", F(n), HASH_F32, 1), buf("out", F(n), ZERO, 0, true), i32(2048)); N("layer_norm_2e%d", lg); RUN(name, k_layer_norm, n / 1024, 256, 0, buf("in", F(n), HASH_F32, 1), buf("gain", F(1024), HASH_F32, 2), buf("out", F(n), ZERO, 0, true), i32(256));
    N("bitonic_global_2e%d", lg); RUN(name, k_bitonic_global, n / 256, 256, 0, buf("d", F(n), HASH_I32, 1, true), i32(1024), i32(4096)); N("bitonic_shared_2e%d", lg); RUN(name, k_bitonic_shared, n / 512, 256, 0, buf("d", F(n), HASH_I32, 1, true));
    N("radix_count_2e%d", lg); RUN(name, k_radix_count, n / 2048, 512, 0, buf("key", F(n), HASH_I32, 1), buf("count", F(n / 128), ZERO, 0, true), i32(n), i32(8)); N("merge_runs_2e%d", lg); RUN(name, k_merge_runs, up(n / 128, 128), 128, 0, buf("in", F(n), INDEX_U32, 1), buf("out", F(n), ZERO, 0, true), i32(64), i32(n));
    N("butterfly_2e%d", lg); RUN(name, k_butterfly, n / 4 / 256, 256, 0, buf("d", F(n), HASH_F32, 1, true), buf("twiddle", F(2048), HASH_F32, 2), i32(1024)); N("wavelet_2e%d", lg); RUN(name, k_wavelet, n / 2 / 256, 256, 0, buf("in", F(n), HASH_F32, 1), buf("low", F(n / 2), ZERO, 0, true), buf("high", F(n / 2), ZERO, 0, true), i32(n / 2));
    N("axpy_stride_2e%d", lg); RUN(name, k_axpy_stride, 264, 256, 0, buf("x", F(n), HASH_F32, 1), buf("y", F(n), HASH_F32, 2, true), i32(n), i32(0x3fc00000)); N("dot_atomic_2e%d", lg); RUN(name, k_dot_atomic, 264, 256, 0, buf("a", F(n), HASH_I32, 1), buf("b", F(n), HASH_I32, 2), buf("out", 4, ZERO, 0, true), i32(n)); }

  for (int n : {2048, 8192}) { N("bodies_%d", n); RUN(name, k_bodies, n / 256, 256, 0, buf("p", F(n * 4), HASH_F32, 1), buf("out", F(n * 4), ZERO, 0, true), i32(n)); }
  for (int lg : {14, 20}) { int n = 1 << lg; N("options_2e%d", lg); RUN(name, k_options, n / 128, 128, 0, buf("price", F(n), HASH_F32, 1), buf("strike", F(n), HASH_F32, 2), buf("years", F(n), HASH_F32, 3), buf("call", F(n), ZERO, 0, true), buf("put", F(n), ZERO, 0, true), i32(n));
    N("compress_rounds_2e%d", lg); RUN(name, k_compress_rounds, n / 256, 256, 0, buf("in", F(n * 2), HASH_I32, 1), buf("out", F(n), ZERO, 0, true), i32(n)); N("random_walk_2e%d", lg); RUN(name, k_random_walk, n / 256, 256, 0, buf("out", F(n), ZERO, 0, true), i32(50)); N("double_series_2e%d", lg); RUN(name, k_double_series, n / 256, 256, 0, buf("in", F(n), HASH_F32, 1), buf("out", F(n), ZERO, 0, true), i32(n), i32(10)); }
  RUN("mandelbrot_512", k_mandelbrot, dim3(32, 32), dim3(16, 16), 0, buf("out", F(1 << 18), ZERO, 0, true), i32(512), i32(512), i32(256));
  for (int b : {64, 1000}) { N("particles_in_boxes_%d", b); RUN(name, k_particles_in_boxes, b, 64, 0, buf("p", (size_t)b * 1024, HASH_F32, 1), buf("out", (size_t)b * 1024, ZERO, 0, true), i32(b)); }
  RUN("find_index_4096", k_find_index, 32, 128, 0, buf("sums", F(4096), HASH_F32, 1), buf("u", F(4096), HASH_F32, 2), buf("index", F(4096), ZERO, 0, true), i32(4096));
  for (int g : {2, 100}) { N("few_threads_formula_g%d", g); RUN(name, k_few_threads_formula, g, 32, 0, buf("y", F(32 * g), HASH_F32, 1), buf("out", F(32 * g), ZERO, 0, true), i32(100)); }
  return 0;
}
