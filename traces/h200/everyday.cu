// Kernels of many fields, as people write them for one day's work: dense algebra, grids, graphs, tables, particles, codes,
// networks. None was seen while the model was made; they say how far it carries over.
#include "harness.cuh"
#include <cuda_fp16.h>

#define GLOBAL_X (blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_Y (blockIdx.y * blockDim.y + threadIdx.y)

// ---------------------------------------------------------------- dense algebra
K k_gemm_nt(const float* a, const float* b, float* c, int n) {   // C = A * B^T, tiles of 16 x 16
  __shared__ float ta[16][17], tb[16][17]; int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16; float s = 0;
  for (int k = 0; k < n; k += 16) {
    ta[y][x] = a[row * n + k + x]; tb[y][x] = b[(col + y) * n + k + x];
    __syncthreads();
    for (int i = 0; i < 16; i++) s += ta[y][i] * tb[x][i];
    __syncthreads();
  }
  c[row * n + col + x] = s;
}
K k_gemv_block(const float* a, const float* x, float* y, int n) {   // a block a row
  __shared__ float part[8]; float s = 0; const float* r = a + (size_t)blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += r[i] * x[i];
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = s;
  __syncthreads();
  if (threadIdx.x < 8) { s = part[threadIdx.x]; for (int o = 4; o; o >>= 1) s += __shfl_down_sync(0xff, s, o); if (threadIdx.x == 0) y[blockIdx.x] = s; }
}
K k_rank_one(float* a, const float* x, const float* y, int n) { int i = GLOBAL_X, j = GLOBAL_Y; a[(size_t)j * n + i] += x[j] * y[i]; }
K k_triangular_solve(const float* l, float* b, int n) {   // one right-hand side a block, forward substitution
  extern __shared__ float x[]; for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = b[blockIdx.x * n + i];
  __syncthreads();
  for (int k = 0; k < n; k++) {
    float v = x[k] / (l[k * n + k] + 200.f);
    __syncthreads();
    for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) x[i] -= l[i * n + k] * 0.01f * v;
    if (threadIdx.x == 0) x[k] = v;
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) b[blockIdx.x * n + i] = x[i];
}
K k_batched_small_gemm(const float* a, const float* b, float* c, int batch) {   // 8 x 8, a matrix a 64 threads
  __shared__ float sa[4][64], sb[4][64]; int m = threadIdx.x >> 6, e = threadIdx.x & 63, g = blockIdx.x * 4 + m; if (g < batch) { sa[m][e] = a[g * 64 + e]; sb[m][e] = b[g * 64 + e]; }
  __syncthreads();
  if (g < batch) { float s = 0; for (int k = 0; k < 8; k++) s += sa[m][(e & ~7) + k] * sb[m][k * 8 + (e & 7)]; c[g * 64 + e] = s; }
}
K k_row_norms(const float4* a, float* out, int quads) {
  int row = GLOBAL_X >> 5, lane = threadIdx.x & 31; float m = 0;
  for (int i = lane; i < quads; i += 32) { float4 v = a[(size_t)row * quads + i]; m = fmaxf(m, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)))); }
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if (!lane) out[row] = m;
}
K k_jacobi_step(const float* a, const float* b, const float* x, float* y, int n) {   // a thread a row, row-major
  int i = GLOBAL_X; if (i >= n) return; float s = b[i], d = 1;
  for (int j = 0; j < n; j++) { float v = a[(size_t)i * n + j]; if (j == i) d = v + 100.f; else s -= v * x[j]; }
  y[i] = s / d;
}
K k_householder(float* a, const float* v, int rows, int columns) {   // a thread a column
  int c = GLOBAL_X; if (c >= columns) return; float s = 0;
  for (int r = 0; r < rows; r++) s += v[r] * a[(size_t)r * columns + c];
  s *= 0.0005f;
  for (int r = 0; r < rows; r++) a[(size_t)r * columns + c] -= s * v[r];
}
K k_complex_multiply(const float2* a, const float2* b, float2* c, int n) { for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) { float2 x = a[i], y = b[i]; c[i] = make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); } }
K k_gemm_f64_small(const double* a, const double* b, double* c, int n) { int x = GLOBAL_X, y = GLOBAL_Y; double s = 0; for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x]; c[y * n + x] = s; }

// ---------------------------------------------------------------- grids
K k_shallow_water(const float* h, const float* u, const float* v, float* h2, float* u2, float* v2, int n) {
  int x = GLOBAL_X, y = GLOBAL_Y; if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return; int i = y * n + x;
  float dx = h[i + 1] - h[i - 1], dy = h[i + n] - h[i - n];
  u2[i] = u[i] - 0.01f * dx; v2[i] = v[i] - 0.01f * dy; h2[i] = h[i] - 0.02f * (u[i + 1] - u[i - 1] + v[i + n] - v[i - n]);
}
K k_heat_two_steps(const float* in, float* out, int n) {   // two time steps of a tile in shared memory
  __shared__ float a[20][36], b[20][36]; int bx = blockIdx.x * 32 - 2, by = blockIdx.y * 16 - 2, t = threadIdx.y * 32 + threadIdx.x;
  for (int e = t; e < 720; e += 512) { int y = (by + e / 36 + n) % n, x = (bx + e % 36 + n) % n; a[e / 36][e % 36] = in[y * n + x]; }
  __syncthreads();
  for (int e = t; e < 720; e += 512) { int y = e / 36, x = e % 36; if (y > 0 && y < 19 && x > 0 && x < 35) b[y][x] = 0.5f * a[y][x] + 0.125f * (a[y - 1][x] + a[y + 1][x] + a[y][x - 1] + a[y][x + 1]); }
  __syncthreads();
  int y = threadIdx.y + 2, x = threadIdx.x + 2; out[(by + y) * n + bx + x] = 0.5f * b[y][x] + 0.125f * (b[y - 1][x] + b[y + 1][x] + b[y][x - 1] + b[y][x + 1]);
}
K k_electric_field(const float* hx, const float* hy, const float* hz, float* ex, float* ey, float* ez, int n) {
  int x = GLOBAL_X, y = GLOBAL_Y, z = blockIdx.z; if (!x || !y || !z) return; size_t i = ((size_t)z * n + y) * n + x, p = (size_t)n * n;
  ex[i] += 0.3f * (hz[i] - hz[i - n] - hy[i] + hy[i - p]); ey[i] += 0.3f * (hx[i] - hx[i - p] - hz[i] + hz[i - 1]); ez[i] += 0.3f * (hy[i] - hy[i - 1] - hx[i] + hx[i - n]);
}
K k_gauss_columns(const float* in, float* out, int w, int h) {   // 17 taps down a column, tile of 32 x 64 rows
  __shared__ float s[80][32]; int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 64;
  for (int r = threadIdx.y; r < 80; r += 8) { int y = min(max(y0 + r - 8, 0), h - 1); s[r][threadIdx.x] = in[(size_t)y * w + x]; }
  __syncthreads();
  for (int r = threadIdx.y; r < 64; r += 8) { float v = 0; for (int k = 0; k < 17; k++) v += s[r + k][threadIdx.x] * (0.02f + 0.004f * k); out[(size_t)(y0 + r) * w + x] = v; }
}
K k_corner_score(const float* in, float* out, int n) {   // Harris
  int x = GLOBAL_X, y = GLOBAL_Y; if (x < 2 || y < 2 || x >= n - 2 || y >= n - 2) return; float a = 0, b = 0, c = 0;
  for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) { int p = (y + j) * n + x + i; float dx = in[p + 1] - in[p - 1], dy = in[p + n] - in[p - n]; a += dx * dx; b += dy * dy; c += dx * dy; }
  out[y * n + x] = a * b - c * c - 0.04f * (a + b) * (a + b);
}
K k_rotate_quarter(const int* in, int* out, int w, int h) { int x = GLOBAL_X, y = GLOBAL_Y; if (x < w && y < h) out[(size_t)x * h + (h - 1 - y)] = in[(size_t)y * w + x]; }
K k_blend(const uchar4* a, const uchar4* b, uchar4* o, int n) { int i = GLOBAL_X; if (i >= n) return; uchar4 p = a[i], q = b[i]; int w = p.w; o[i] = make_uchar4((p.x * w + q.x * (255 - w)) / 255, (p.y * w + q.y * (255 - w)) / 255, (p.z * w + q.z * (255 - w)) / 255, 255); }
K k_distance_rows(const unsigned char* in, int* out, int w) {   // distance to the nearest set pixel, a thread a row, there and back
  int y = GLOBAL_X, d = 9999; for (int x = 0; x < w; x++) { d = in[(size_t)y * w + x] > 250 ? 0 : d + 1; out[(size_t)y * w + x] = d; }
  d = 9999; for (int x = w - 1; x >= 0; x--) { int v = out[(size_t)y * w + x]; d = min(v, d + 1); out[(size_t)y * w + x] = d; }
}
K k_equalise(const unsigned char* in, const int* table, unsigned char* out, int n) { __shared__ unsigned char t[256]; t[threadIdx.x] = table[threadIdx.x] & 255; __syncthreads(); for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) out[i] = t[in[i]]; }
K k_life(const unsigned char* in, unsigned char* out, int n) {
  int x = GLOBAL_X, y = GLOBAL_Y, l = (x + n - 1) % n, r = (x + 1) % n, u = (y + n - 1) % n, d = (y + 1) % n;
  int s = (in[u * n + l] & 1) + (in[u * n + x] & 1) + (in[u * n + r] & 1) + (in[y * n + l] & 1) + (in[y * n + r] & 1) + (in[d * n + l] & 1) + (in[d * n + x] & 1) + (in[d * n + r] & 1);
  out[y * n + x] = s == 3 || (s == 2 && (in[y * n + x] & 1));
}

// ---------------------------------------------------------------- graphs and tables
K k_relax_edges(const int* from, const int* to, const int* weight, int* distance, int edges, int mask) { int e = GLOBAL_X; if (e >= edges) return; int d = distance[from[e] & mask] + (weight[e] & 255); atomicMin(&distance[(to[e] & mask) + mask + 1], d); }
K k_count_triangles(const int* list, int* out, int degree, int mask) {   // two sorted lists of an edge are merged
  int e = GLOBAL_X, a = (e * 7) & mask, b = (e * 13 + 5) & mask, i = 0, j = 0, c = 0, va = 0, vb = 0;
  while (i < degree && j < degree) { int x = va + (list[a * degree + i] & 15), y = vb + (list[b * degree + j] & 15); if (x == y) c++; if (x <= y) { va = x; i++; } if (y <= x) { vb = y; j++; } }
  out[e] = c;
}
K k_degree_count(const int* to, int* degree, int n, int mask) { int i = GLOBAL_X; if (i < n) atomicAdd(&degree[to[i] & mask], 1); }
K k_label_min(const int* start, const int* neighbour, const int* label, int* out, int n, int mask) { int v = GLOBAL_X; if (v >= n) return; int b = v * 8, e = b + (start[v] & 15), m = label[v]; for (int i = b; i < e; i++) m = min(m, label[neighbour[i] & mask]); out[v] = m; }
K k_bloom_insert(const int* key, unsigned* bits, int n, int mask) { int i = GLOBAL_X; if (i >= n) return; unsigned h = mix32(key[i]), g = mix32(h + 77); for (int k = 0; k < 3; k++) { unsigned p = (h + k * g) & mask; atomicOr(&bits[p >> 5], 1u << (p & 31)); } }
K k_bloom_probe(const int* key, const unsigned* bits, int* out, int n, int mask) { int i = GLOBAL_X; if (i >= n) return; unsigned h = mix32(key[i]), g = mix32(h + 77); bool in = true; for (int k = 0; k < 3 && in; k++) { unsigned p = (h + k * g) & mask; in = bits[p >> 5] >> (p & 31) & 1; } out[i] = in; }
K k_join_chain(const int* key, const int* head, const int2* node, int* out, int n, int mask) { int i = GLOBAL_X; if (i >= n) return; int k = key[i], p = head[k & mask] & mask, s = 0; for (int steps = 0; steps < 4 + (k & 3); steps++) { int2 v = node[p]; s += v.x; p = v.y & mask; } out[i] = s; }
K k_expand_runs(const int* start, int* out, int runs, int n) { int i = GLOBAL_X; if (i >= n) return; int lo = 0, hi = runs; while (hi - lo > 1) { int m = (lo + hi) >> 1; if (start[m] * 37 <= i) lo = m; else hi = m; } out[i] = lo; }
K k_histogram_private(const int* in, int* bins, int n) {   // a copy of the bins a warp
  __shared__ int h[8][256]; for (int i = threadIdx.x; i < 2048; i += 256) h[i >> 8][i & 255] = 0;
  __syncthreads();
  int w = threadIdx.x >> 5; for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[w][in[i] & 255], 1);
  __syncthreads();
  int s = 0; for (int k = 0; k < 8; k++) s += h[k][threadIdx.x]; atomicAdd(&bins[threadIdx.x], s);
}
K k_rank_sort(const int* in, int* out, int n) { int i = GLOBAL_X, v = in[i], r = 0; for (int j = 0; j < n; j++) { int w = in[j]; r += w < v || (w == v && j < i); } out[r] = v; }
K k_odd_even_sort(const int* in, int* out) { __shared__ int s[1024]; int t = threadIdx.x, g = blockIdx.x * 1024; s[t] = in[g + t]; s[t + 512] = in[g + t + 512]; for (int p = 0; p < 64; p++) { __syncthreads(); int i = 2 * t + (p & 1); if (i + 1 < 1024) { int a = s[i], b = s[i + 1]; if (a > b) { s[i] = b; s[i + 1] = a; } } } __syncthreads(); out[g + t] = s[t]; out[g + t + 512] = s[t + 512]; }
K k_arg_max(const float* in, int* out, int n) {
  __shared__ float v[256]; __shared__ int p[256]; float m = -1e30f; int at = 0; const float* r = in + (size_t)blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += 256) { float x = r[i]; if (x > m) { m = x; at = i; } }
  v[threadIdx.x] = m; p[threadIdx.x] = at;
  for (int o = 128; o; o >>= 1) { __syncthreads(); if (threadIdx.x < o) { float a = v[threadIdx.x + o]; int b = p[threadIdx.x + o]; if (a > v[threadIdx.x] || (a == v[threadIdx.x] && b < p[threadIdx.x])) { v[threadIdx.x] = a; p[threadIdx.x] = b; } } }
  if (!threadIdx.x) out[blockIdx.x] = p[0];
}
K k_parse_numbers(const unsigned char* text, int* out, int n) { int i = GLOBAL_X; if (i >= n) return; const unsigned char* p = text + i * 12; int v = 0; for (int k = 0; k < 12; k++) { int c = p[k] & 15; if (c > 9) break; v = v * 10 + c; } out[i] = v; }
K k_gather_structs(const int* index, const float4* record, float* out, int n, int mask) { int i = GLOBAL_X; if (i >= n) return; const float4* r = record + (size_t)(index[i] & mask) * 4; float4 a = r[0], b = r[1], c = r[2], d = r[3]; out[i] = a.x + b.y + c.z + d.w; }
K k_prefix_warp(const int* in, int* out, int* sum) { int i = GLOBAL_X, lane = threadIdx.x & 31, v = in[i]; for (int o = 1; o < 32; o <<= 1) { int u = __shfl_up_sync(~0u, v, o); if (lane >= o) v += u; } out[i] = v; if (lane == 31) sum[i >> 5] = v; }

// ---------------------------------------------------------------- particles and numbers
K k_pair_forces(const float4* p, const int* neighbour, float4* f, int n, int each, int mask) {   // Lennard-Jones over a neighbour list
  int i = GLOBAL_X; if (i >= n) return; float4 a = p[i], s = make_float4(0, 0, 0, 0);
  for (int k = 0; k < each; k++) { float4 b = p[(i + (neighbour[k * n + i] & mask)) % n]; float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, r2 = x * x + y * y + z * z + 1.f; if (r2 < 4000.f) { float q = 1.f / r2, q3 = q * q * q, c = q3 * (q3 - 0.5f) * q; s.x += c * x; s.y += c * y; s.z += c * z; } }
  f[i] = s;
}
K k_push_particles(float4* p, const float2* field, int n, int mask) { int i = GLOBAL_X; if (i >= n) return; float4 a = p[i]; int c = (int)(a.x * 16.f + 1000.f) & mask, d = (int)(a.y * 16.f + 1000.f) & mask; float2 e = field[c], f = field[d]; a.z += 0.01f * (e.x + f.y); a.w += 0.01f * (e.y + f.x); a.x += 0.01f * a.z; a.y += 0.01f * a.w; p[i] = a; }
K k_deposit(const float* x, int* grid, int n, int mask) { int i = GLOBAL_X; if (i >= n) return; float v = (x[i] + 50.f) * 0.01f * (mask + 1); int c = (int)v; int w = (int)((v - c) * 1024.f); atomicAdd(&grid[c & mask], 1024 - w); atomicAdd(&grid[(c + 1) & mask], w); }
K k_density(const float2* p, float* out, int n) { __shared__ float2 s[128]; float2 a = p[GLOBAL_X]; float d = 0; for (int t = 0; t < n; t += 128) { s[threadIdx.x] = p[t + threadIdx.x]; __syncthreads(); for (int k = 0; k < 128; k++) { float x = a.x - s[k].x, y = a.y - s[k].y, r = 25.f - x * x - y * y; if (r > 0) d += r * r * r; } __syncthreads(); } out[GLOBAL_X] = d; }
K k_binomial_option(const float* price, float* out, int steps) {
  __shared__ float v[257]; int t = threadIdx.x; float s = price[blockIdx.x] + 60.f; v[t] = fmaxf(s * __expf(0.02f * (2 * t - steps)) - 50.f, 0.f);
  for (int k = steps; k > 0; k--) { __syncthreads(); float a = v[t], b = t < 255 ? v[t + 1] : a; __syncthreads(); if (t < k) v[t] = 0.499f * a + 0.5f * b; }
  if (!t) out[blockIdx.x] = v[0];
}
K k_lorenz(const float* in, float* out, int steps) {
  int i = GLOBAL_X; float x = in[i] * 0.1f, y = 1, z = 20;
  for (int k = 0; k < steps; k++) { float dx = 10.f * (y - x), dy = x * (28.f - z) - y, dz = x * y - 2.667f * z, a = x + 0.005f * dx, b = y + 0.005f * dy, c = z + 0.005f * dz; x += 0.01f * 10.f * (b - a); y += 0.01f * (a * (28.f - c) - b); z += 0.01f * (a * b - 2.667f * c); }
  out[i] = x + y + z;
}
K k_bond_angles(const float* x, const float* y, const float* z, float* out, int n) { int i = GLOBAL_X; if (i + 2 >= n) return; float ax = x[i] - x[i + 1], ay = y[i] - y[i + 1], az = z[i] - z[i + 1], bx = x[i + 2] - x[i + 1], by = y[i + 2] - y[i + 1], bz = z[i + 2] - z[i + 1]; out[i] = (ax * bx + ay * by + az * bz) * rsqrtf((ax * ax + ay * ay + az * az) * (bx * bx + by * by + bz * bz) + 1e-6f); }
K k_xorshift(unsigned* state, unsigned* out, int each) { int i = GLOBAL_X; unsigned s = state[i] | 1; for (int k = 0; k < each; k++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; out[k * gridDim.x * blockDim.x + i] = s; } state[i] = s; }
K k_trapezoids_f64(double* out, int each) { int i = GLOBAL_X; double a = i * 1e-6, s = 0; for (int k = 0; k < each; k++) { double x = a + k * 1e-9; s += 4.0 / (1.0 + x * x); } out[i] = s; }

// ---------------------------------------------------------------- codes
__device__ __forceinline__ unsigned rotate(unsigned v, int k) { return v << k | v >> (32 - k); }
#define QUARTER(a, b, c, d) a += b; d = rotate(d ^ a, 16); c += d; b = rotate(b ^ c, 12); a += b; d = rotate(d ^ a, 8); c += d; b = rotate(b ^ c, 7)
K k_chacha(const uint4* in, uint4* out, int rounds) {   // a block of 64 bytes a thread
  int i = GLOBAL_X; unsigned s[16]; for (int k = 0; k < 16; k++) s[k] = 0x61707865u * (k + 1); s[12] = i;
  for (int r = 0; r < rounds; r++) { QUARTER(s[0], s[4], s[8], s[12]); QUARTER(s[1], s[5], s[9], s[13]); QUARTER(s[2], s[6], s[10], s[14]); QUARTER(s[3], s[7], s[11], s[15]); QUARTER(s[0], s[5], s[10], s[15]); QUARTER(s[1], s[6], s[11], s[12]); QUARTER(s[2], s[7], s[8], s[13]); QUARTER(s[3], s[4], s[9], s[14]); }
  for (int k = 0; k < 4; k++) { uint4 v = in[(size_t)i * 4 + k]; v.x ^= s[4 * k]; v.y ^= s[4 * k + 1]; v.z ^= s[4 * k + 2]; v.w ^= s[4 * k + 3]; out[(size_t)i * 4 + k] = v; }
}
K k_adler(const unsigned char* in, unsigned* out, int bytes) { int i = GLOBAL_X; unsigned a = 1, b = 0; for (int k = 0; k < bytes; k++) { a += in[(size_t)i * bytes + k]; b += a; } out[i] = (b % 65521) << 16 | a % 65521; }
K k_bit_reverse(const float2* in, float2* out, int bits) { int i = GLOBAL_X; out[__brev(i) >> (32 - bits)] = in[i]; }
K k_galois_encode(const unsigned char* data, const unsigned char* table, unsigned char* out, int n, int parts) { __shared__ unsigned char l[512]; l[threadIdx.x] = table[threadIdx.x]; l[threadIdx.x + 256] = table[threadIdx.x + 256]; __syncthreads(); int i = GLOBAL_X; if (i >= n) return; unsigned p = 0; for (int k = 0; k < parts; k++) { unsigned d = data[(size_t)k * n + i]; p ^= d ? l[(l[d] + k * 7) & 511] : 0; } out[i] = p; }
K k_power_mod(const unsigned* in, unsigned* out, unsigned e, unsigned m) { int i = GLOBAL_X; unsigned long long b = in[i] % m, r = 1; for (unsigned k = e; k; k >>= 1) { if (k & 1) r = r * b % m; b = b * b % m; } out[i] = (unsigned)r; }
K k_number_transform(unsigned* a, const unsigned* root, int half) { const unsigned long long p = 998244353ull; int i = GLOBAL_X, j = i % half, k = (i / half) * 2 * half + j; unsigned u = a[k], v = (unsigned)((unsigned long long)a[k + half] * root[j] % p), s = u + v; a[k] = s >= p ? s - p : s; a[k + half] = u >= v ? u - v : u + (unsigned)p - v; }
K k_binary_layer(const uint4* w, const uint4* x, int* out, int quads) { int o = GLOBAL_X; int s = 0; for (int k = 0; k < quads; k++) { uint4 a = w[(size_t)k * gridDim.x * blockDim.x + o], b = x[k]; s += __popc(a.x ^ b.x) + __popc(a.y ^ b.y) + __popc(a.z ^ b.z) + __popc(a.w ^ b.w); } out[o] = s; }
K k_longest_match(const unsigned char* in, int* out, int window) { int i = GLOBAL_X + window, best = 0; for (int d = 1; d <= window; d++) { int l = 0; while (l < 8 && (in[i + l] & 7) == (in[i - d + l] & 7)) l++; if (l > best) best = l; } out[GLOBAL_X] = best; }

// ---------------------------------------------------------------- networks
K k_depthwise(const float* in, const float* w, float* out, int side) { int x = GLOBAL_X, y = GLOBAL_Y, c = blockIdx.z; const float* p = in + (size_t)c * side * side; float s = 0; for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) { int a = x + i, b = y + j; if (a >= 0 && b >= 0 && a < side && b < side) s += p[b * side + a] * w[c * 9 + (j + 1) * 3 + i + 1]; } out[((size_t)c * side + y) * side + x] = s; }
K k_rms_norm(const float4* in, const float4* gain, float4* out, int quads) {   // a block of 256 a row
  __shared__ float part[8]; const float4* r = in + (size_t)blockIdx.x * quads; float s = 0;
  for (int i = threadIdx.x; i < quads; i += 256) { float4 v = r[i]; s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w; }
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = s;
  __syncthreads();
  s = 0; for (int k = 0; k < 8; k++) s += part[k]; s = rsqrtf(s / (4 * quads) + 1e-5f);
  for (int i = threadIdx.x; i < quads; i += 256) { float4 v = r[i], g = gain[i]; out[(size_t)blockIdx.x * quads + i] = make_float4(v.x * s * g.x, v.y * s * g.y, v.z * s * g.z, v.w * s * g.w); }
}
K k_softmax_gradient(const float* y, const float* g, float* out, int n) { int row = GLOBAL_X >> 5, lane = threadIdx.x & 31; const float *a = y + (size_t)row * n, *b = g + (size_t)row * n; float s = 0; for (int i = lane; i < n; i += 32) s += a[i] * b[i]; for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o); for (int i = lane; i < n; i += 32) out[(size_t)row * n + i] = a[i] * (b[i] - s); }
K k_swiglu(const float* gate, const float* up, float* out, int n) { int i = GLOBAL_X; if (i < n) { float g = gate[i] * 0.1f; out[i] = g / (1.f + __expf(-g)) * up[i]; } }
K k_quantize_rows(const float* in, signed char* out, float* scale, int n) { __shared__ float part[4]; const float* r = in + (size_t)blockIdx.x * n; float m = 0; for (int i = threadIdx.x; i < n; i += 128) m = fmaxf(m, fabsf(r[i])); for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o)); if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = m; __syncthreads(); m = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3])); float q = 127.f / m; for (int i = threadIdx.x; i < n; i += 128) out[(size_t)blockIdx.x * n + i] = (signed char)__float2int_rn(r[i] * q); if (!threadIdx.x) scale[blockIdx.x] = m / 127.f; }
K k_matvec_nibbles(const unsigned* w, const float* x, float* y, int words) { int row = GLOBAL_X >> 5, lane = threadIdx.x & 31; float s = 0; for (int i = lane; i < words; i += 32) { unsigned v = w[(size_t)row * words + i]; const float4* p = (const float4*)(x + i * 8); float4 a = p[0], b = p[1]; s += a.x * (int)(v & 15) + a.y * (int)(v >> 4 & 15) + a.z * (int)(v >> 8 & 15) + a.w * (int)(v >> 12 & 15) + b.x * (int)(v >> 16 & 15) + b.y * (int)(v >> 20 & 15) + b.z * (int)(v >> 24 & 15) + b.w * (int)(v >> 28); } for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o); if (!lane) y[row] = s; }
K k_permute_middle(const float* in, float* out, int a, int b, int c) { int i = GLOBAL_X; if (i >= a * b * c) return; int z = i % c, y = i / c % b, x = i / c / b; out[((size_t)y * a + x) * c + z] = in[i]; }
K k_pixel_shuffle(const float* in, float* out, int w, int h) { int i = GLOBAL_X, x = i % (2 * w), y = i / (2 * w); if (y >= 2 * h) return; out[i] = in[(((y & 1) * 2 + (x & 1)) * h + y / 2) * w + x / 2]; }
K k_flash_tile(const float* q, const float* k, const float* v, float* o, int keys) {   // a query a thread, keys in tiles of 32
  __shared__ float sk[32][16], sv[32][16]; int t = threadIdx.x; size_t me = (size_t)GLOBAL_X * 16; float a[16], acc[16], m = -1e30f, l = 0;
  for (int d = 0; d < 16; d++) { a[d] = q[me + d] * 0.002f; acc[d] = 0; }
  for (int base = 0; base < keys; base += 32) {
    for (int e = t; e < 512; e += 64) { sk[e >> 4][e & 15] = k[base * 16 + e]; sv[e >> 4][e & 15] = v[base * 16 + e]; }
    __syncthreads();
    for (int j = 0; j < 32; j++) { float s = 0; for (int d = 0; d < 16; d++) s += a[d] * sk[j][d]; float n = fmaxf(m, s), c = __expf(m - n), p = __expf(s - n); l = l * c + p; m = n; for (int d = 0; d < 16; d++) acc[d] = acc[d] * c + p * sv[j][d]; }
    __syncthreads();
  }
  for (int d = 0; d < 16; d++) o[me + d] = acc[d] / l;
}
K k_sum_pool(const float* in, float* out, int n) { __shared__ float part[256]; const float* r = in + (size_t)blockIdx.x * n; float s = 0; for (int i = threadIdx.x; i < n; i += 256) s += r[i]; part[threadIdx.x] = s; for (int o = 128; o; o >>= 1) { __syncthreads(); if (threadIdx.x < o) part[threadIdx.x] += part[threadIdx.x + o]; } if (!threadIdx.x) out[blockIdx.x] = part[0] / n; }
K k_cast_half(const float4* in, __half2* out, int n) { int i = GLOBAL_X; if (i >= n) return; float4 v = in[i]; out[2 * i] = __floats2half2_rn(v.x, v.y); out[2 * i + 1] = __floats2half2_rn(v.z, v.w); }
K k_scatter_rows(const float* in, const int* to, float* out, int width, int mask) { int r = blockIdx.x; size_t d = (size_t)(to[r] & mask); for (int i = threadIdx.x; i < width; i += blockDim.x) atomicAdd((int*)&out[d * width + i], (int)in[(size_t)r * width + i]); }
K k_count_experts(const float* score, int* count, int tokens) { __shared__ int c[16]; if (threadIdx.x < 16) c[threadIdx.x] = 0; __syncthreads(); int t = GLOBAL_X; if (t < tokens) { int at = 0; float m = -1e30f; for (int e = 0; e < 16; e++) { float v = score[t * 16 + e]; if (v > m) { m = v; at = e; } } atomicAdd(&c[at], 1); } __syncthreads(); if (threadIdx.x < 16) atomicAdd(&count[threadIdx.x], c[threadIdx.x]); }

#define F(n) ((size_t)(n) * 4)
#define IN(N, n, s) buf(N, F(n), HASH_F32, s)
#define INTS(N, n, s) buf(N, F(n), HASH_I32, s)
#define OUT(N, n) buf(N, F(n), ZERO, 0, true)
int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) { if (!strcmp(argv[i], "--skip-clock")) g_skip_clock = true; else g_filter = argv[i]; }
  float* w; CHECK(cudaMalloc(&w, 4)); spin_up<<<528, 256>>>(w, 200000); CHECK(cudaDeviceSynchronize());
  char name[64];
#define NAMED(base, v) (sprintf(name, base "_%d", v), name)
  for (int n : {256, 512}) RUN(NAMED("gemm_nt", n), k_gemm_nt, dim3(n / 16, n / 16), dim3(16, 16), 0, IN("a", n * n, 1), IN("b", n * n, 2), OUT("c", n * n), i32(n));
  for (int n : {1024, 4096}) RUN(NAMED("gemv_block", n), k_gemv_block, n, 256, 0, IN("a", (size_t)n * n, 1), IN("x", n, 2), OUT("y", n), i32(n));
  for (int n : {512, 2048}) RUN(NAMED("rank_one", n), k_rank_one, dim3(n / 32, n / 8), dim3(32, 8), 0, buf("a", F((size_t)n * n), HASH_F32, 1, true), IN("x", n, 2), IN("y", n, 3), i32(n));
  for (int n : {128, 256}) RUN(NAMED("triangular_solve", n), k_triangular_solve, 264, 128, n * 4, IN("l", n * n, 1), buf("b", F(264 * n), HASH_F32, 2, true), i32(n));
  for (int n : {4096, 32768}) RUN(NAMED("batched_small_gemm", n), k_batched_small_gemm, n / 4, 256, 0, IN("a", n * 64, 1), IN("b", n * 64, 2), OUT("c", n * 64), i32(n));
  for (int n : {512, 4096}) RUN(NAMED("row_norms", n), k_row_norms, 1024, 256, 0, IN("a", (size_t)8192 * n, 1), OUT("out", 8192), i32(n / 4));
  for (int n : {512, 2048}) RUN(NAMED("jacobi_step", n), k_jacobi_step, n / 64, 64, 0, IN("a", n * n, 1), IN("b", n, 2), IN("x", n, 3), OUT("y", n), i32(n));
  for (int n : {128, 512}) RUN(NAMED("householder", n), k_householder, 32, 128, 0, buf("a", F(n * 4096), HASH_F32, 1, true), IN("v", n, 2), i32(n), i32(4096));
  for (int lg : {18, 22}) RUN(NAMED("complex_multiply_2e", lg), k_complex_multiply, 528, 256, 0, IN("a", 2u << lg, 1), IN("b", 2u << lg, 2), OUT("c", 2u << lg), i32(1 << lg));
  RUN("gemm_f64_small_256", k_gemm_f64_small, dim3(16, 16), dim3(16, 16), 0, buf("a", 256 * 256 * 8, ZERO), buf("b", 256 * 256 * 8, ZERO), buf("c", 256 * 256 * 8, HASH_I32, 1, true), i32(256));
  for (int n : {512, 2048}) RUN(NAMED("shallow_water", n), k_shallow_water, dim3(n / 32, n / 8), dim3(32, 8), 0, IN("h", n * n, 1), IN("u", n * n, 2), IN("v", n * n, 3), OUT("h2", n * n), OUT("u2", n * n), OUT("v2", n * n), i32(n));
  for (int n : {512, 2048}) RUN(NAMED("heat_two_steps", n), k_heat_two_steps, dim3(n / 32, n / 16), dim3(32, 16), 0, IN("in", n * n, 1), OUT("out", n * n), i32(n));
  for (int n : {64, 128}) RUN(NAMED("electric_field", n), k_electric_field, dim3(n / 32, n / 8, n), dim3(32, 8), 0, IN("hx", n * n * n, 1), IN("hy", n * n * n, 2), IN("hz", n * n * n, 3), buf("ex", F(n * n * n), HASH_F32, 4, true), buf("ey", F(n * n * n), HASH_F32, 5, true), buf("ez", F(n * n * n), HASH_F32, 6, true), i32(n));
  for (int n : {512, 2048}) RUN(NAMED("gauss_columns", n), k_gauss_columns, dim3(n / 32, n / 64), dim3(32, 8), 0, IN("in", n * n, 1), OUT("out", n * n), i32(n), i32(n));
  for (int n : {512, 1024}) RUN(NAMED("corner_score", n), k_corner_score, dim3(n / 32, n / 8), dim3(32, 8), 0, IN("in", n * n, 1), OUT("out", n * n), i32(n));
  for (int n : {512, 2048}) RUN(NAMED("rotate_quarter", n), k_rotate_quarter, dim3(n / 32, n / 8), dim3(32, 8), 0, INTS("in", n * n, 1), OUT("out", n * n), i32(n), i32(n));
  for (int lg : {18, 22}) RUN(NAMED("blend_2e", lg), k_blend, (1 << lg) / 256, 256, 0, INTS("a", 1 << lg, 1), INTS("b", 1 << lg, 2), OUT("o", 1 << lg), i32(1 << lg));
  for (int n : {256, 1024}) RUN(NAMED("distance_rows", n), k_distance_rows, 4096 / 64, 64, 0, INTS("in", n * 1024, 1), OUT("out", n * 4096), i32(n));
  for (int lg : {18, 22}) RUN(NAMED("equalise_2e", lg), k_equalise, 264, 256, 0, INTS("in", (1 << lg) / 4, 1), INTS("table", 256, 2), OUT("out", (1 << lg) / 4), i32(1 << lg));
  for (int n : {512, 2048}) RUN(NAMED("life", n), k_life, dim3(n / 32, n / 8), dim3(32, 8), 0, INTS("in", n * n / 4, 1), OUT("out", n * n / 4), i32(n));
  for (int lg : {16, 20}) RUN(NAMED("relax_edges_2e", lg), k_relax_edges, (4 << lg) / 256, 256, 0, INTS("from", 4 << lg, 1), INTS("to", 4 << lg, 2), INTS("weight", 4 << lg, 3), buf("distance", F(2 << lg), HASH_I32, 4, true), i32(4 << lg), i32((1 << lg) - 1));
  for (int lg : {14, 18}) RUN(NAMED("count_triangles_2e", lg), k_count_triangles, (1 << lg) / 128, 128, 0, INTS("list", 32 << 14, 1), OUT("out", 1 << lg), i32(32), i32((1 << 14) - 1));
  for (int lg : {10, 20}) RUN(NAMED("degree_count_2e", lg), k_degree_count, (1 << 20) / 256, 256, 0, INTS("to", 1 << 20, 1), OUT("degree", 1 << lg), i32(1 << 20), i32((1 << lg) - 1));
  for (int lg : {14, 18}) RUN(NAMED("label_min_2e", lg), k_label_min, (1 << lg) / 256, 256, 0, INTS("start", 1 << lg, 1), INTS("neighbour", (8 << lg) + 16, 2), INTS("label", 1 << lg, 3), OUT("out", 1 << lg), i32(1 << lg), i32((1 << lg) - 1));
  for (int lg : {16, 24}) { RUN(NAMED("bloom_insert_2e", lg), k_bloom_insert, (1 << 18) / 256, 256, 0, INTS("key", 1 << 18, 1), OUT("bits", 1 << (lg - 5)), i32(1 << 18), i32((1 << lg) - 1)); RUN(NAMED("bloom_probe_2e", lg), k_bloom_probe, (1 << 18) / 256, 256, 0, INTS("key", 1 << 18, 1), INTS("bits", 1 << (lg - 5), 2), OUT("out", 1 << 18), i32(1 << 18), i32((1 << lg) - 1)); }
  for (int lg : {12, 20}) RUN(NAMED("join_chain_2e", lg), k_join_chain, (1 << 18) / 256, 256, 0, INTS("key", 1 << 18, 1), INTS("head", 1 << lg, 2), INTS("node", 2 << lg, 3), OUT("out", 1 << 18), i32(1 << 18), i32((1 << lg) - 1));
  for (int lg : {16, 20}) RUN(NAMED("expand_runs_2e", lg), k_expand_runs, (1 << lg) / 256, 256, 0, buf("start", F((1 << lg) / 37), INDEX_U32), OUT("out", 1 << lg), i32((1 << lg) / 37), i32(1 << lg));
  for (int lg : {18, 22}) RUN(NAMED("histogram_private_2e", lg), k_histogram_private, 264, 256, 0, INTS("in", 1 << lg, 1), OUT("bins", 256), i32(1 << lg));
  for (int n : {2048, 8192}) RUN(NAMED("rank_sort", n), k_rank_sort, n / 128, 128, 0, INTS("in", n, 1), OUT("out", n), i32(n));
  for (int g : {64, 528}) RUN(NAMED("odd_even_sort", g), k_odd_even_sort, g, 512, 0, INTS("in", g * 1024, 1), OUT("out", g * 1024));
  for (int n : {1000, 32000}) RUN(NAMED("arg_max", n), k_arg_max, 512, 256, 0, IN("in", n * 512, 1), OUT("out", 512), i32(n));
  for (int lg : {16, 20}) RUN(NAMED("parse_numbers_2e", lg), k_parse_numbers, (1 << lg) / 256, 256, 0, INTS("text", 3 << lg, 1), OUT("out", 1 << lg), i32(1 << lg));
  for (int lg : {10, 18}) RUN(NAMED("gather_structs_2e", lg), k_gather_structs, (1 << 18) / 256, 256, 0, INTS("index", 1 << 18, 1), IN("record", 16 << lg, 2), OUT("out", 1 << 18), i32(1 << 18), i32((1 << lg) - 1));
  for (int lg : {16, 22}) RUN(NAMED("prefix_warp_2e", lg), k_prefix_warp, (1 << lg) / 256, 256, 0, INTS("in", 1 << lg, 1), OUT("out", 1 << lg), OUT("sum", (1 << lg) / 32));
  for (int lg : {14, 17}) RUN(NAMED("pair_forces_2e", lg), k_pair_forces, (1 << lg) / 128, 128, 0, IN("p", 4 << lg, 1), INTS("neighbour", 32 << lg, 2), OUT("f", 4 << lg), i32(1 << lg), i32(32), i32(2047));
  for (int lg : {12, 20}) RUN(NAMED("push_particles_2e", lg), k_push_particles, (1 << 19) / 256, 256, 0, buf("p", F(4 << 19), HASH_F32, 1, true), IN("field", 2 << lg, 2), i32(1 << 19), i32((1 << lg) - 1));
  for (int lg : {8, 16}) RUN(NAMED("deposit_2e", lg), k_deposit, (1 << 18) / 256, 256, 0, IN("x", 1 << 18, 1), OUT("grid", 1 << lg), i32(1 << 18), i32((1 << lg) - 1));
  for (int n : {2048, 8192}) RUN(NAMED("density", n), k_density, n / 128, 128, 0, IN("p", 2 * n, 1), OUT("out", n), i32(n));
  for (int g : {132, 1056}) RUN(NAMED("binomial_option", g), k_binomial_option, g, 256, 0, IN("price", g, 1), OUT("out", g), i32(120));
  for (int g : {66, 1056}) RUN(NAMED("lorenz", g), k_lorenz, g, 128, 0, IN("in", g * 128, 1), OUT("out", g * 128), i32(100));
  for (int lg : {16, 22}) RUN(NAMED("bond_angles_2e", lg), k_bond_angles, (1 << lg) / 256, 256, 0, IN("x", 1 << lg, 1), IN("y", 1 << lg, 2), IN("z", 1 << lg, 3), OUT("out", 1 << lg), i32(1 << lg));
  for (int g : {132, 1056}) RUN(NAMED("xorshift", g), k_xorshift, g, 128, 0, buf("state", F(g * 128), HASH_I32, 1, true), OUT("out", (size_t)g * 128 * 32), i32(32));
  for (int g : {132, 1056}) RUN(NAMED("trapezoids_f64", g), k_trapezoids_f64, g, 64, 0, buf("out", g * 64 * 8, ZERO, 0, true), i32(16));
  for (int lg : {14, 18}) RUN(NAMED("chacha_2e", lg), k_chacha, (1 << lg) / 128, 128, 0, INTS("in", 16 << lg, 1), OUT("out", 16 << lg), i32(10));
  for (int n : {64, 256}) RUN(NAMED("adler", n), k_adler, 64, 256, 0, INTS("in", 16384 * n / 4, 1), OUT("out", 16384), i32(n));
  for (int lg : {16, 22}) RUN(NAMED("bit_reverse_2e", lg), k_bit_reverse, (1 << lg) / 256, 256, 0, IN("in", 2 << lg, 1), OUT("out", 2 << lg), i32(lg));
  for (int lg : {16, 20}) RUN(NAMED("galois_encode_2e", lg), k_galois_encode, (1 << lg) / 256, 256, 0, INTS("data", (8 << lg) / 4, 1), INTS("table", 128, 2), OUT("out", (1 << lg) / 4), i32(1 << lg), i32(8));
  for (int lg : {14, 18}) RUN(NAMED("power_mod_2e", lg), k_power_mod, (1 << lg) / 128, 128, 0, INTS("in", 1 << lg, 1), OUT("out", 1 << lg), i32(0xb52d), i32(998244353));
  for (int h : {32, 65536}) RUN(NAMED("number_transform", h), k_number_transform, (1 << 19) / 256, 256, 0, buf("a", F(1 << 20), HASH_I32, 1, true), INTS("root", h, 2), i32(h));
  for (int q : {16, 64}) RUN(NAMED("binary_layer", q), k_binary_layer, 64, 128, 0, INTS("w", 8192 * q * 4, 1), INTS("x", q * 4, 2), OUT("out", 8192), i32(q));
  for (int lg : {14, 17}) RUN(NAMED("longest_match_2e", lg), k_longest_match, (1 << lg) / 128, 128, 0, INTS("in", (1 << lg) / 4 + 64, 1), OUT("out", 1 << lg), i32(64));
  for (int c : {16, 128}) RUN(NAMED("depthwise", c), k_depthwise, dim3(4, 16, c), dim3(32, 8), 0, IN("in", c * 16384, 1), IN("w", c * 9, 2), OUT("out", c * 16384), i32(128));
  for (int n : {1024, 8192}) RUN(NAMED("rms_norm", n), k_rms_norm, 1024, 256, 0, IN("in", 1024 * n, 1), IN("gain", n, 2), OUT("out", 1024 * n), i32(n / 4));
  for (int n : {128, 1024}) RUN(NAMED("softmax_gradient", n), k_softmax_gradient, 512, 256, 0, IN("y", 4096 * n, 1), IN("g", 4096 * n, 2), OUT("out", 4096 * n), i32(n));
  for (int lg : {16, 22}) RUN(NAMED("swiglu_2e", lg), k_swiglu, (1 << lg) / 256, 256, 0, IN("gate", 1 << lg, 1), IN("up", 1 << lg, 2), OUT("out", 1 << lg), i32(1 << lg));
  for (int n : {512, 4096}) RUN(NAMED("quantize_rows", n), k_quantize_rows, 1024, 128, 0, IN("in", 1024 * n, 1), OUT("out", 256 * n), OUT("scale", 1024), i32(n));
  for (int n : {128, 1024}) RUN(NAMED("matvec_nibbles", n), k_matvec_nibbles, 512, 256, 0, INTS("w", 4096 * n, 1), IN("x", 8 * n, 2), OUT("y", 4096), i32(n));
  for (int c : {8, 64}) RUN(NAMED("permute_middle", c), k_permute_middle, 256 * 64 * c / 256, 256, 0, IN("in", 256 * 64 * c, 1), OUT("out", 256 * 64 * c), i32(256), i32(64), i32(c));
  for (int n : {256, 1024}) RUN(NAMED("pixel_shuffle", n), k_pixel_shuffle, 4 * n * n / 256, 256, 0, IN("in", 4 * n * n, 1), OUT("out", 4 * n * n), i32(n), i32(n));
  for (int g : {66, 264}) RUN(NAMED("flash_tile", g), k_flash_tile, g, 64, 0, IN("q", g * 1024, 1), IN("k", 2048, 2), IN("v", 2048, 3), OUT("o", g * 1024), i32(128));
  for (int n : {196, 3136}) RUN(NAMED("sum_pool", n), k_sum_pool, 2048, 256, 0, IN("in", 2048 * n, 1), OUT("out", 2048), i32(n));
  for (int lg : {16, 20}) RUN(NAMED("cast_half_2e", lg), k_cast_half, (1 << lg) / 256, 256, 0, IN("in", 4 << lg, 1), OUT("out", 2 << lg), i32(1 << lg));
  for (int lg : {8, 14}) RUN(NAMED("scatter_rows_2e", lg), k_scatter_rows, 4096, 128, 0, IN("in", 4096 * 256, 1), INTS("to", 4096, 2), OUT("out", 256 << lg), i32(256), i32((1 << lg) - 1));
  for (int lg : {14, 18}) RUN(NAMED("count_experts_2e", lg), k_count_experts, (1 << lg) / 256, 256, 0, IN("score", 16 << lg, 1), OUT("count", 16), i32(1 << lg));
}
