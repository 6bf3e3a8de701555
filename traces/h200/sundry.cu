// Kernels of sundry fields, written after `assorted` and run before the model was changed again: first programs, natural
// sciences, biology, databases and compression, cryptography, graphics and games, signals, learning, finance and statistics.
#include "harness.cuh"
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#define GLOBAL_X (blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_Y (blockIdx.y * blockDim.y + threadIdx.y)
typedef unsigned long long u64;
static __device__ __forceinline__ uint32_t next_random(uint32_t& s) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; }
static __device__ __forceinline__ float next_uniform(uint32_t& s) { return (next_random(s) >> 8) * 5.9604645e-8f; }
template <typename T> static __device__ __forceinline__ T sum_of_warp(T v) { for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o); return v; }

// ---------------------------------------------------------------- first programs
K k_matrix_add_swapped(const double* a, const double* b, double* c, int n) {   // x is the row, as beginners do
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) c[row * n + col] = a[row * n + col] + b[row * n + col];
}
K k_caesar(const char* in, char* out, int n, int key) {   // a letter a thread
  int i = GLOBAL_X;
  if (i >= n) return;
  char c = in[i] & 127;
  if (c >= 'A' && c <= 'Z') c = 'A' + (c - 'A' + key) % 26;
  else if (c >= 'a' && c <= 'z') c = 'a' + (c - 'a' + key) % 26;
  else if (c >= '0' && c <= '9') c = '0' + (c - '0' + key) % 10;
  out[i] = c;
}
K k_pi_last_block(double* part, unsigned* ticket, double* out, int steps) {   // the block that is done last adds the parts
  __shared__ double s[512]; __shared__ bool last; int t = threadIdx.x; double h = 1.0 / steps, sum = 0;
  for (int i = GLOBAL_X; i < steps; i += gridDim.x * blockDim.x) { double x = (i + 0.5) * h; sum += 4.0 / (1.0 + x * x); }
  s[t] = sum; __syncthreads();
  for (int w = 256; w > 0; w >>= 1) { if (t < w) s[t] += s[t + w]; __syncthreads(); }
  if (t == 0) { part[blockIdx.x] = s[0]; __threadfence(); last = atomicAdd(ticket, 1u) == gridDim.x - 1; }
  __syncthreads();
  if (!last) return;
  sum = 0; for (unsigned i = t; i < gridDim.x; i += 512) sum += ((volatile double*)part)[i];
  s[t] = sum; __syncthreads();
  for (int w = 256; w > 0; w >>= 1) { if (t < w) s[t] += s[t + w]; __syncthreads(); }
  if (t == 0) *out = s[0] * h;
}
K k_insertion_local(const int* in, int* out, int n) {   // 24 numbers a thread, in an array of its own
  int i = GLOBAL_X; if (i >= n) return; int a[24];
  for (int k = 0; k < 24; k++) a[k] = in[k * n + i];
  for (int k = 1; k < 24; k++) { int v = a[k], j = k - 1; while (j >= 0 && a[j] > v) { a[j + 1] = a[j]; j--; } a[j + 1] = v; }
  for (int k = 0; k < 24; k++) out[k * n + i] = a[k];
}
K k_gcd_table(const int* in, int* out, int n) {   // 32 x 32 threads
  int x = GLOBAL_X, y = GLOBAL_Y; if (x >= n || y >= n) return;
  int a = (in[x] & 0xffff) + 1, b = (in[n + y] & 0xffff) + 1;
  while (b != 0) { int r = a % b; a = b; b = r; }
  out[y * n + x] = a;
}

// ---------------------------------------------------------------- natural sciences
__constant__ float2 CITY[24] = {{52.52f, 13.40f}, {48.86f, 2.35f}, {51.51f, -0.13f}, {40.42f, -3.70f}, {41.90f, 12.50f}, {59.33f, 18.07f}, {55.76f, 37.62f}, {35.68f, 139.69f}, {39.90f, 116.41f}, {28.61f, 77.21f}, {-33.87f, 151.21f}, {-34.60f, -58.38f},
  {40.71f, -74.01f}, {34.05f, -118.24f}, {19.43f, -99.13f}, {-23.55f, -46.63f}, {30.04f, 31.24f}, {-1.29f, 36.82f}, {6.52f, 3.38f}, {1.35f, 103.82f}, {37.57f, 126.98f}, {-6.21f, 106.85f}, {64.15f, -21.94f}, {21.31f, -157.86f}};
K k_nearest_city(const float* lat, const float* lon, float* km, unsigned char* which, int n) {   // great circles, the places in constant memory
  int i = GLOBAL_X; if (i >= n) return; const float rad = 0.017453293f; float a = lat[i] * 1.8f * rad, b = lon[i] * 3.6f * rad, best = 1e30f; int at = 0;
  for (int k = 0; k < 24; k++) {
    float la = CITY[k].x * rad, lo = CITY[k].y * rad, s1 = sinf((la - a) * 0.5f), s2 = sinf((lo - b) * 0.5f), h = s1 * s1 + cosf(a) * cosf(la) * s2 * s2;
    float d = 2.f * 6371.f * asinf(sqrtf(fminf(h, 1.f))); if (d < best) { best = d; at = k; }
  }
  km[i] = best; which[i] = at;
}
K k_kepler(const float* mean, const float* eccentricity, double2* out, int n) {   // Newton in double, until it has converged
  int i = GLOBAL_X; if (i >= n) return; double m = mean[i] * 0.0628, e = fabsf(eccentricity[i]) * 0.019, x = m + e * sin(m), d; int it = 0;
  do { double s, c; sincos(x, &s, &c); d = (x - e * s - m) / (1.0 - e * c); x -= d; } while (fabs(d) > 1e-10 && ++it < 20);
  double s, c; sincos(x, &s, &c); out[i] = make_double2(c - e, sqrt(1.0 - e * e) * s);
}
K k_sigma_clip(const unsigned short* frame, float* out, int pixels, int frames) {   // a stack of exposures, outliers thrown away, read four times
  int p = GLOBAL_X; if (p >= pixels) return; float low = -1e30f, high = 1e30f, mean = 0;
  for (int round = 0; round < 4; round++) {
    float s = 0, q = 0; int c = 0;
    for (int f = 0; f < frames; f++) { float v = frame[(size_t)f * pixels + p]; if (v >= low && v <= high) { s += v; q += v * v; c++; } }
    if (c < 2) break;
    mean = s / c; float sigma = sqrtf(fmaxf(q / c - mean * mean, 0.f)); low = mean - 1.5f * sigma; high = mean + 1.5f * sigma;
  }
  out[p] = mean;
}
K k_pair_counts(const float* x, const float* y, const float* z, int* count, int n) {   // galaxies: pairs by distance, a pair of tiles a block
  __shared__ float sx[128], sy[128], sz[128]; __shared__ int bin[32]; int t = threadIdx.x;
  if (blockIdx.y > blockIdx.x) return;
  int i = blockIdx.x * 128 + t, j = blockIdx.y * 128 + t; sx[t] = x[j]; sy[t] = y[j]; sz[t] = z[j]; if (t < 32) bin[t] = 0; __syncthreads();
  float px = x[i], py = y[i], pz = z[i];
  for (int k = 0; k < 128; k++) {
    if (blockIdx.x == blockIdx.y && k >= t) break;
    float dx = px - sx[k], dy = py - sy[k], dz = pz - sz[k], r2 = dx * dx + dy * dy + dz * dz; int b = (int)(log2f(r2 + 1e-3f) * 2.f); atomicAdd(&bin[min(max(b, 0), 31)], 1);
  }
  __syncthreads(); if (t < 32 && bin[t]) atomicAdd(&count[t], bin[t]);
}
K k_stiff_kinetics(const float* start, double* out, int n, int steps) {   // Robertson's reaction, implicit Euler, a cell a thread
  int i = GLOBAL_X; if (i >= n) return; double a = 1.0, b = 0.0, c = 0.0, h = 1e-4 * (1.0 + fabsf(start[i]));
  for (int k = 0; k < steps; k++) {
    double x = a, y = b, z = c;
    for (int it = 0; it < 5; it++) {
      double f = x - a - h * (-0.04 * x + 1e4 * y * z), g = y - b - h * (0.04 * x - 1e4 * y * z - 3e7 * y * y), w = z - c - h * (3e7 * y * y);
      double j00 = 1 + 0.04 * h, j01 = -h * 1e4 * z, j02 = -h * 1e4 * y, j10 = -0.04 * h, j11 = 1 + h * (1e4 * z + 6e7 * y), j12 = h * 1e4 * y, j21 = -6e7 * h * y;
      double det = j00 * (j11 - j12 * j21) - j01 * j10 + j02 * j10 * j21;   // the last row is (0, j21, 1)
      double dx = (f * (j11 - j12 * j21) - j01 * (g - j12 * w) + j02 * (g * j21 - j11 * w)) / det, dy = (j00 * (g - j12 * w) - f * j10 + j02 * j10 * w) / det, dz = w - j21 * dy;
      x -= dx; y -= dy; z -= dz; if (fabs(dx) + fabs(dy) * 1e4 + fabs(dz) < 1e-9) break;
    }
    a = x; b = y; c = z; h *= 1.3;
  }
  out[i] = a; out[n + i] = b; out[2 * n + i] = c;
}
K k_yee_3d(const float* hx, const float* hy, const float* hz, float* ex, float* ey, float* ez, int n) {   // electric fields of a cube, 32 x 4 x 2 threads
  int x = GLOBAL_X, y = GLOBAL_Y, z = blockIdx.z * blockDim.z + threadIdx.z; if (x < 1 || y < 1 || z < 1 || x >= n || y >= n || z >= n) return;
  int i = (z * n + y) * n + x, p = n * n; float cx = hx[i], cy = hy[i], cz = hz[i];
  ex[i] += 0.5f * ((cz - hz[i - n]) - (cy - hy[i - p]));
  ey[i] += 0.5f * ((cx - hx[i - p]) - (cz - hz[i - 1]));
  ez[i] += 0.5f * ((cy - hy[i - 1]) - (cx - hx[i - n]));
}
K k_tetrahedra(const int4* corner, const float4* node, float* force, int n, int mask) {   // finite elements, added into the nodes
  int e = GLOBAL_X; if (e >= n) return; int4 c = corner[e]; int v[4] = {c.x & mask, c.y & mask, c.z & mask, c.w & mask};
  float4 o = node[v[0]], a = node[v[1]], b = node[v[2]], d = node[v[3]];
  float ax = a.x - o.x, ay = a.y - o.y, az = a.z - o.z, bx = b.x - o.x, by = b.y - o.y, bz = b.z - o.z, dx = d.x - o.x, dy = d.y - o.y, dz = d.z - o.z;
  float g[4][3]; g[1][0] = by * dz - bz * dy; g[1][1] = bz * dx - bx * dz; g[1][2] = bx * dy - by * dx; g[2][0] = dy * az - dz * ay; g[2][1] = dz * ax - dx * az; g[2][2] = dx * ay - dy * ax; g[3][0] = ay * bz - az * by; g[3][1] = az * bx - ax * bz; g[3][2] = ax * by - ay * bx;
  float det = ax * g[1][0] + ay * g[1][1] + az * g[1][2], s = 1.f / (6.f * fmaxf(fabsf(det), 1.f)), u[4] = {o.w, a.w, b.w, d.w};
  for (int k = 0; k < 3; k++) g[0][k] = -g[1][k] - g[2][k] - g[3][k];
  #pragma unroll
  for (int r = 0; r < 4; r++) {
    float f = 0;
    #pragma unroll
    for (int q = 0; q < 4; q++) f += (g[r][0] * g[q][0] + g[r][1] * g[q][1] + g[r][2] * g[q][2]) * u[q];
    atomicAdd(&force[v[r]], f * s);
  }
}
__constant__ float DERIVE[5][5] = {{-5.f, 6.7565f, -2.6667f, 1.4102f, -0.5f}, {-1.241f, 0.f, 1.7457f, -0.7638f, 0.2590f}, {0.375f, -1.3366f, 0.f, 1.3366f, -0.375f}, {-0.2590f, 0.7638f, -1.7457f, 0.f, 1.241f}, {0.5f, -1.4102f, 2.6667f, -6.7565f, 5.f}};
K k_spectral_element(const float* u, const float* metric, float* out) {   // 5 x 5 x 5 points an element, a point a thread
  __shared__ float s[5][5][5], p[5][5][5], q[5][5][5], r[5][5][5]; int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, l = (z * 5 + y) * 5 + x; const float* m = metric + (size_t)blockIdx.x * 750;
  s[z][y][x] = u[blockIdx.x * 125 + l]; __syncthreads(); float a = 0, b = 0, c = 0;
  for (int k = 0; k < 5; k++) { a += DERIVE[x][k] * s[z][y][k]; b += DERIVE[y][k] * s[z][k][x]; c += DERIVE[z][k] * s[k][y][x]; }
  float g0 = m[l], g1 = m[125 + l], g2 = m[250 + l], g3 = m[375 + l], g4 = m[500 + l], g5 = m[625 + l];
  p[z][y][x] = g0 * a + g1 * b + g2 * c; q[z][y][x] = g1 * a + g3 * b + g4 * c; r[z][y][x] = g2 * a + g4 * b + g5 * c; __syncthreads(); a = 0;
  for (int k = 0; k < 5; k++) a += DERIVE[k][x] * p[z][y][k] + DERIVE[k][y] * q[z][k][x] + DERIVE[k][z] * r[k][y][x];
  out[blockIdx.x * 125 + l] = a;
}
K k_migration(const float* trace, float* image, int n, int traces, int samples) {   // seismic: echoes summed along travel times
  int x = GLOBAL_X, z = GLOBAL_Y; if (x >= n || z >= n) return; float s = 0;
  for (int t = 0; t < traces; t++) {
    float source = (float)t * n / traces, receiver = source + 40.f, a = x - source, b = x - receiver, time = (sqrtf(a * a + z * z) + sqrtf(b * b + z * z)) * 1.1f; int k = (int)time;
    if (k >= samples - 1) continue;
    float f = time - k; const float* p = trace + t * samples + k; s += p[0] * (1.f - f) + p[1] * f;
  }
  image[z * n + x] = s;
}

// ---------------------------------------------------------------- biology
K k_kmers(const unsigned char* text, int* count, int reads) {   // words of eight bases and their reverse complements, 32 a thread
  int i = GLOBAL_X; if (i >= reads) return; const unsigned char* p = text + (size_t)i * 32; unsigned code = 0, back = 0;
  for (int k = 0; k < 39; k++) { unsigned b = p[k] >> 3 & 3; code = (code << 2 | b) & 0xffff; back = back >> 2 | (3 - b) << 14; if (k >= 7) atomicAdd(&count[min(code, back)], 1); }
}
__constant__ signed char BLOSUM[20][20] = {
  {4, -1, -2, -2, 0, -1, -1, 0, -2, -1, -1, -1, -1, -2, -1, 1, 0, -3, -2, 0}, {-1, 5, 0, -2, -3, 1, 0, -2, 0, -3, -2, 2, -1, -3, -2, -1, -1, -3, -2, -3}, {-2, 0, 6, 1, -3, 0, 0, 0, 1, -3, -3, 0, -2, -3, -2, 1, 0, -4, -2, -3}, {-2, -2, 1, 6, -3, 0, 2, -1, -1, -3, -4, -1, -3, -3, -1, 0, -1, -4, -3, -3},
  {0, -3, -3, -3, 9, -3, -4, -3, -3, -1, -1, -3, -1, -2, -3, -1, -1, -2, -2, -1}, {-1, 1, 0, 0, -3, 5, 2, -2, 0, -3, -2, 1, 0, -3, -1, 0, -1, -2, -1, -2}, {-1, 0, 0, 2, -4, 2, 5, -2, 0, -3, -3, 1, -2, -3, -1, 0, -1, -3, -2, -2}, {0, -2, 0, -1, -3, -2, -2, 6, -2, -4, -4, -2, -3, -3, -2, 0, -2, -2, -3, -3},
  {-2, 0, 1, -1, -3, 0, 0, -2, 8, -3, -3, -1, -2, -1, -2, -1, -2, -2, 2, -3}, {-1, -3, -3, -3, -1, -3, -3, -4, -3, 4, 2, -3, 1, 0, -3, -2, -1, -3, -1, 3}, {-1, -2, -3, -4, -1, -2, -3, -4, -3, 2, 4, -2, 2, 0, -3, -2, -1, -2, -1, 1}, {-1, 2, 0, -1, -3, 1, 1, -2, -1, -3, -2, 5, -1, -3, -1, 0, -1, -3, -2, -2},
  {-1, -1, -2, -3, -1, 0, -2, -3, -2, 1, 2, -1, 5, 0, -2, -1, -1, -1, -1, 1}, {-2, -3, -3, -3, -2, -3, -3, -3, -1, 0, 0, -3, 0, 6, -4, -2, -2, 1, 3, -1}, {-1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7, -1, -1, -4, -3, -2}, {1, -1, 1, 0, -1, 0, 0, 0, -1, -2, -2, 0, -1, -2, -1, 4, 1, -3, -2, -2},
  {0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1, 5, -2, -2, 0}, {-3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1, -4, -3, -2, 11, 2, -3}, {-2, -2, -2, -3, -2, -1, -2, -3, 2, -1, -1, -2, -1, 3, -3, -2, -2, 2, 7, -1}, {0, -3, -3, -3, -1, -2, -2, -3, -3, 3, 1, -2, 1, -1, -2, -2, 0, -3, -1, 4}};
K k_protein_warp(const unsigned char* query, const unsigned char* target, int* score, int pairs, int length) {   // local alignment, a pair a warp, a residue a lane, affine gaps
  int w = GLOBAL_X >> 5, lane = threadIdx.x & 31; if (w >= pairs) return; int q = query[w * 32 + lane] % 20, t = -1, h = 0, e = 0, f = 0, diagonal = 0, best = 0;
  for (int s = 0; s < length + 31; s++) {
    int up = __shfl_up_sync(~0u, h, 1), fup = __shfl_up_sync(~0u, f, 1), next = __shfl_up_sync(~0u, t, 1);
    if (lane == 0) { up = fup = 0; next = s < length ? target[(size_t)w * length + s] % 20 : -1; }
    t = next;
    if (t >= 0) { e = max(e - 1, h - 11); f = max(fup - 1, up - 11); h = max(max(0, diagonal + BLOSUM[q][t]), max(e, f)); best = max(best, h); } else { h = 0; f = 0; }
    diagonal = up;
  }
  best = __reduce_max_sync(~0u, best); if (lane == 0) score[w] = best;
}
K k_tree_likelihood(const int* base, const float* matrix, float* out, int sites) {   // Felsenstein's pruning, 16 species, a site a thread with a stack of its own
  __shared__ float m[31 * 16]; for (int k = threadIdx.x; k < 496; k += blockDim.x) m[k] = fabsf(matrix[k]) * 0.02f + 0.01f; __syncthreads();
  int i = GLOBAL_X; if (i >= sites) return; float4 stack[5]; int top = 0, inner = 16; float scale = 0;
  for (int t = 0; t < 16; t++) {
    int b = base[t * sites + i] & 3; const float* c = m + t * 16 + b; stack[top++] = make_float4(c[0], c[4], c[8], c[12]);
    for (int k = t + 1; !(k & 1); k >>= 1) {
      float4 u = stack[--top], v = stack[--top]; u.x *= v.x; u.y *= v.y; u.z *= v.z; u.w *= v.w; float big = fmaxf(fmaxf(u.x, u.y), fmaxf(u.z, u.w));
      if (big < 0.05f) { scale += logf(big); big = 1.f / big; u.x *= big; u.y *= big; u.z *= big; u.w *= big; }
      if (inner < 30) { const float* a = m + inner * 16; v.x = a[0] * u.x + a[1] * u.y + a[2] * u.z + a[3] * u.w; v.y = a[4] * u.x + a[5] * u.y + a[6] * u.z + a[7] * u.w; v.z = a[8] * u.x + a[9] * u.y + a[10] * u.z + a[11] * u.w; v.w = a[12] * u.x + a[13] * u.y + a[14] * u.z + a[15] * u.w; u = v; }
      inner++; stack[top++] = u;
    }
  }
  float4 r = stack[0]; out[i] = logf(0.25f * (r.x + r.y + r.z + r.w)) + scale;
}
K k_linkage(const unsigned* bits, float* out, int n, int words) {   // how often two variants occur together, 16 x 16 pairs a block
  __shared__ unsigned a[16][17], b[16][17]; int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 16 + y, j = blockIdx.x * 16; int both = 0, ni = 0, nj = 0;
  for (int k = 0; k < words; k += 16) {
    a[y][x] = bits[(size_t)i * words + k + x]; b[y][x] = bits[(size_t)(j + y) * words + k + x]; __syncthreads();
    #pragma unroll
    for (int w = 0; w < 16; w++) { unsigned p = a[y][w], q = b[x][w]; both += __popc(p & q); ni += __popc(p); nj += __popc(q); }
    __syncthreads();
  }
  float t = 1.f / (words * 32), pi = ni * t, pj = nj * t, d = both * t - pi * pj; out[(size_t)i * n + j + x] = d * d / (pi * (1 - pi) * pj * (1 - pj) + 1e-9f);
}
K k_spiking(float* v, float* u, const float* current, int* count, int* list, int n) {   // Izhikevich's neurons; those that fire are listed, one atomic a warp
  for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) {   // n is a multiple of 32
    float a = v[i] - 20.f, b = u[i] * 0.2f, in = 10.f + 0.5f * current[i]; a += 0.5f * (0.04f * a * a + 5.f * a + 140.f - b + in); a += 0.5f * (0.04f * a * a + 5.f * a + 140.f - b + in); b += 0.02f * (0.2f * a - b);
    bool fired = a >= 30.f; unsigned m = __ballot_sync(~0u, fired); int lane = threadIdx.x & 31, at = 0;
    if (m) { if (lane == __ffs(m) - 1) at = atomicAdd(count, __popc(m)); at = __shfl_sync(~0u, at, __ffs(m) - 1); }
    if (fired) { list[at + __popc(m & ((1u << lane) - 1))] = i; a = -65.f; b += 8.f; }
    v[i] = a; u[i] = b;
  }
}
K k_gillespie(const int* seed, int4* out, int events) {   // an epidemic by chance, a town a thread
  int i = GLOBAL_X, s = 190, f = 10, r = 0, k = 0; uint32_t x = seed[i] + 1; float t = 0;
  while (f > 0 && t < 20.f && k < events) { float a = 0.004f * s * f, b = 0.4f * f, sum = a + b; t -= __logf(next_uniform(x) + 1e-7f) / sum; if (next_uniform(x) * sum < a) { s--; f++; } else { f--; r++; } k++; }
  out[i] = make_int4(s, f, r, k);
}

// ---------------------------------------------------------------- databases, text and compression
K k_pack_deltas(const int* in, uint32_t* out, int* width) {   // 128 numbers a block, as few bits as they need
  __shared__ uint32_t s[132], all; int t = threadIdx.x, g = blockIdx.x * 128, shift = 6 + (in[g] & 15); s[t] = 0; if (t < 4) s[128 + t] = 0; if (t == 0) all = 0; __syncthreads();
  int v = in[g + t] >> shift, before = t ? in[g + t - 1] >> shift : 0, d = v - before; uint32_t z = (uint32_t)(d << 1) ^ (uint32_t)(d >> 31), any = __reduce_or_sync(~0u, z);
  if ((t & 31) == 0) atomicOr(&all, any);
  __syncthreads(); int w = 32 - __clz(all), bit = t * w, at = bit >> 5, off = bit & 31;
  if (w) { atomicOr(&s[at], z << off); if (off + w > 32) atomicOr(&s[at + 1], z >> (32 - off)); }
  __syncthreads(); if (t < 4 * w) out[g + t] = s[t];
  if (t == 0) width[blockIdx.x] = w;
}
K k_partition_join(const int* build, const int* probe, int* matches, int rows, int probes) {   // a partition a block, its table in 64 KB of shared memory
  extern __shared__ int table[]; __shared__ int sum; int t = threadIdx.x; for (int k = t; k < 16384; k += 512) table[k] = 0;
  if (t == 0) sum = 0;
  __syncthreads();
  for (int r = t; r < rows; r += 512) { int key = (build[blockIdx.x * rows + r] & 0x3fff) + 1; unsigned at = key * 2654435761u >> 18; while (atomicCAS(&table[at], 0, key) != 0) at = (at + 1) & 16383; }
  __syncthreads(); int c = 0;
  for (int r = t; r < probes; r += 512) { int key = (probe[blockIdx.x * probes + r] & 0x3fff) + 1; unsigned at = key * 2654435761u >> 18; int k; while ((k = table[at]) != 0) { c += k == key; at = (at + 1) & 16383; } }
  c = __reduce_add_sync(~0u, c); if ((t & 31) == 0) atomicAdd(&sum, c);
  __syncthreads(); if (t == 0) matches[blockIdx.x] = sum;
}
K k_calendar(const int* day, const int* amount, int* date, int* sum, int n) {   // dates out of day numbers, and sales by month and day of the week
  __shared__ int cell[84]; if (threadIdx.x < 84) cell[threadIdx.x] = 0; __syncthreads();
  for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) {   // n is a multiple of 32
    int z = day[i] % 40000 + 719468, era = z / 146097, doe = z - era * 146097, yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153, d = doy - (153 * mp + 2) / 5 + 1, m = mp < 10 ? mp + 3 : mp - 9, y = yoe + era * 400 + (m <= 2);
    date[i] = y * 10000 + m * 100 + d; int key = (m - 1) * 7 + z % 7; unsigned same = __match_any_sync(~0u, key); int v = __reduce_add_sync(same, amount[i] & 1023);
    if ((threadIdx.x & 31) == __ffs(same) - 1) atomicAdd(&cell[key], v);
  }
  __syncthreads(); if (threadIdx.x < 84) atomicAdd(&sum[threadIdx.x], cell[threadIdx.x]);
}
K k_copy_matches(const unsigned char* in, unsigned char* out, int* used, int size) {   // LZ decoding: letters and earlier strings, a piece a warp
  int lane = threadIdx.x, pos = 0, ip = 0; in += (size_t)blockIdx.x * size; out += (size_t)blockIdx.x * size;
  while (pos < size && ip + 18 <= size) {
    int token = in[ip++], letters = token >> 4, length = (token & 15) + 4; if (lane < letters && pos + lane < size) out[pos + lane] = in[ip + lane];
    ip += letters; pos = min(pos + letters, size); int offset = ((in[ip] | in[ip + 1] << 8) & 1023) + 1; ip += 2; if (pos == 0) continue;
    offset = min(offset, pos); __syncwarp();
    if (lane < length && pos + lane < size) out[pos + lane] = out[pos - offset + lane % offset];
    __syncwarp(); pos += length;
  }
  if (lane == 0) used[blockIdx.x] = ip;
}
K k_range_decoder(const uint32_t* table, const unsigned short* stream, unsigned char* out, int symbols, int length) {   // rANS, 32 states a warp, words are taken in turn
  __shared__ uint32_t slot[4096]; for (int k = threadIdx.x; k < 4096; k += 64) slot[k] = table[k];
  __syncthreads();
  int w = GLOBAL_X >> 5, lane = threadIdx.x & 31, pos = 32; const unsigned short* p = stream + (size_t)w * length; uint32_t x = (uint32_t)p[lane] << 8 | 1u << 16;
  for (int k = 0; k < symbols; k++) {
    uint32_t e = slot[x & 4095]; out[((size_t)w * symbols + k) * 32 + lane] = e & 255; x = ((e >> 8 & 1023) + 1) * (x >> 12) + (x & 63); bool low = x < 65536; unsigned m = __ballot_sync(~0u, low);
    if (low) x = x << 16 | p[(pos + __popc(m & ((1u << lane) - 1))) & (length - 1)];
    pos += __popc(m);
  }
}
__constant__ char PATTERN[65] = "THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG, AND RUNS AWAY AGAIN";
K k_bit_parallel_distance(const unsigned char* text, int* out, int n, int length) {   // Myers: edit distance by 64-bit words, a text a thread
  __shared__ u64 equal[128]; int t = threadIdx.x; if (t < 128) equal[t] = 0; __syncthreads(); if (t < 64) atomicOr(&equal[PATTERN[t] & 127], 1ull << t);
  __syncthreads(); int i = GLOBAL_X; if (i >= n) return; u64 pv = ~0ull, mv = 0; int score = 64, best = 64; const unsigned char* p = text + (size_t)i * length;
  for (int k = 0; k < length; k++) {
    u64 eq = equal[(p[k] & 31) + 64], xv = eq | mv, xh = (((eq & pv) + pv) ^ pv) | eq, ph = mv | ~(xh | pv), mh = pv & xh;
    if (ph >> 63) score++; else if (mh >> 63) score--;
    ph = ph << 1; mh <<= 1; pv = mh | ~(xv | ph); mv = ph & xv; best = min(best, score);
  }
  out[i] = best;
}

// ---------------------------------------------------------------- cryptography
__constant__ u64 ROUND_CONSTANT[24] = {0x0000000000000001ull, 0x0000000000008082ull, 0x800000000000808aull, 0x8000000080008000ull, 0x000000000000808bull, 0x0000000080000001ull, 0x8000000080008081ull, 0x8000000000008009ull, 0x000000000000008aull, 0x0000000000000088ull, 0x0000000080008009ull, 0x000000008000000aull,
  0x000000008000808bull, 0x800000000000008bull, 0x8000000000008089ull, 0x8000000000008003ull, 0x8000000000008002ull, 0x8000000000000080ull, 0x000000000000800aull, 0x800000008000000aull, 0x8000000080008081ull, 0x8000000000008080ull, 0x0000000080000001ull, 0x8000000080008008ull};
static __device__ __forceinline__ u64 turn(u64 v, int r) { return v << r | v >> (64 - r); }
K k_keccak(const u64* in, u64* out, int n) {   // SHA-3 of 136 bytes a thread
  const int rotation[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44}, lane[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};
  int i = GLOBAL_X; if (i >= n) return; u64 s[25];
  #pragma unroll
  for (int k = 0; k < 25; k++) s[k] = k < 17 ? in[(size_t)i * 17 + k] : 0;
  #pragma unroll 1
  for (int round = 0; round < 24; round++) {
    u64 c[5];
    #pragma unroll
    for (int k = 0; k < 5; k++) c[k] = s[k] ^ s[k + 5] ^ s[k + 10] ^ s[k + 15] ^ s[k + 20];
    #pragma unroll
    for (int k = 0; k < 5; k++) { u64 d = c[(k + 4) % 5] ^ turn(c[(k + 1) % 5], 1);
      #pragma unroll
      for (int r = 0; r < 25; r += 5) s[k + r] ^= d; }
    u64 v = s[1];
    #pragma unroll
    for (int k = 0; k < 24; k++) { u64 w = s[lane[k]]; s[lane[k]] = turn(v, rotation[k]); v = w; }
    #pragma unroll
    for (int r = 0; r < 25; r += 5) {
      #pragma unroll
      for (int k = 0; k < 5; k++) c[k] = s[r + k];
      #pragma unroll
      for (int k = 0; k < 5; k++) s[r + k] = c[k] ^ (~c[(k + 1) % 5] & c[(k + 2) % 5]); }
    s[0] ^= ROUND_CONSTANT[round];
  }
  for (int k = 0; k < 4; k++) out[(size_t)i * 4 + k] = s[k];
}
struct Field { u64 v[5]; };
static __device__ __noinline__ void field_multiply(Field* r, const Field* a, const Field* b) {   // modulo 2^255 - 19, limbs of 51 bits
  typedef unsigned __int128 wide; const u64 mask = (1ull << 51) - 1; wide t[5];
  for (int i = 0; i < 5; i++) { t[i] = 0;
    #pragma unroll
    for (int j = 0; j < 5; j++) { int k = i - j; t[i] += (wide)a->v[j] * (k < 0 ? b->v[k + 5] * 19 : b->v[k]); } }
  u64 carry = 0; for (int i = 0; i < 5; i++) { t[i] += carry; r->v[i] = (u64)t[i] & mask; carry = (u64)(t[i] >> 51); }
  r->v[0] += carry * 19; carry = r->v[0] >> 51; r->v[0] &= mask; r->v[1] += carry;
}
K k_field_25519(const u64* in, u64* out, int n, int bits) {   // a power, by squares and products
  int i = GLOBAL_X; if (i >= n) return; Field x, y; for (int k = 0; k < 5; k++) x.v[k] = in[(size_t)k * n + i] & ((1ull << 51) - 1);
  y = x; for (int k = 0; k < bits; k++) { field_multiply(&y, &y, &y); if (0x5a5a5eb5 >> (k & 31) & 1) field_multiply(&y, &y, &x); }
  for (int k = 0; k < 5; k++) out[(size_t)k * n + i] = y.v[k];
}
static __device__ __forceinline__ void salsa(uint32_t* x) {   // a double round
  #define QUARTER(a, b, c, d) x[b] ^= __funnelshift_l(x[a] + x[d], x[a] + x[d], 7); x[c] ^= __funnelshift_l(x[b] + x[a], x[b] + x[a], 9); x[d] ^= __funnelshift_l(x[c] + x[b], x[c] + x[b], 13); x[a] ^= __funnelshift_l(x[d] + x[c], x[d] + x[c], 18);
  QUARTER(0, 4, 8, 12) QUARTER(5, 9, 13, 1) QUARTER(10, 14, 2, 6) QUARTER(15, 3, 7, 11) QUARTER(0, 1, 2, 3) QUARTER(5, 6, 7, 4) QUARTER(10, 11, 8, 9) QUARTER(15, 12, 13, 14)
}
K k_memory_hard(const uint32_t* seed, uint4* scratch, uint32_t* out, int entries) {   // scrypt's mixing, 64 bytes an entry, a scratch pad a thread
  int i = GLOBAL_X; uint32_t x[16]; uint4* v = scratch + (size_t)i * entries * 4;
  #pragma unroll
  for (int k = 0; k < 16; k++) x[k] = seed[i] * (2 * k + 1) + k;
  for (int e = 0; e < entries; e++) {
    #pragma unroll
    for (int k = 0; k < 4; k++) v[e * 4 + k] = make_uint4(x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3]);
    salsa(x); salsa(x);
  }
  for (int e = 0; e < entries; e++) {
    int at = x[15] & (entries - 1);
    #pragma unroll
    for (int k = 0; k < 4; k++) { uint4 w = v[at * 4 + k]; x[4 * k] ^= w.x; x[4 * k + 1] ^= w.y; x[4 * k + 2] ^= w.z; x[4 * k + 3] ^= w.w; }
    salsa(x); salsa(x);
  }
  out[i] = x[0] ^ x[5] ^ x[10] ^ x[15];
}
K k_siphash(const unsigned char* text, u64* out, int n) {   // 21 bytes a key, from any address
  int i = GLOBAL_X; if (i >= n) return; const unsigned char* p = text + (size_t)i * 21; u64 k0 = 0x0706050403020100ull, k1 = 0x0f0e0d0c0b0a0908ull, a = k0 ^ 0x736f6d6570736575ull, b = k1 ^ 0x646f72616e646f6dull, c = k0 ^ 0x6c7967656e657261ull, d = k1 ^ 0x7465646279746573ull;
  #define SIP a += b; b = turn(b, 13); b ^= a; a = turn(a, 32); c += d; d = turn(d, 16); d ^= c; a += d; d = turn(d, 21); d ^= a; c += b; b = turn(b, 17); b ^= c; c = turn(c, 32);
  for (int w = 0; w < 3; w++) { u64 m = w == 2 ? 21ull << 56 : 0; for (int k = 0; k < (w == 2 ? 5 : 8); k++) m |= (u64)p[w * 8 + k] << (8 * k); d ^= m; SIP SIP a ^= m; }
  c ^= 255; for (int k = 0; k < 4; k++) { SIP }
  out[i] = a ^ b ^ c ^ d;
}

// ---------------------------------------------------------------- graphics and games
__constant__ unsigned char SHUFFLED[256] = {12, 225, 235, 29, 206, 43, 111, 109, 59, 54, 216, 156, 101, 153, 38, 112, 121, 41, 56, 125, 163, 232, 164, 186, 8, 124, 36, 15, 177, 197, 208, 159, 127, 73, 181, 49, 48, 149, 190, 180, 192, 157, 126, 142, 133, 170, 162, 237, 17, 136, 161, 172, 221, 31, 183, 239, 34, 82, 24, 218, 245, 57, 25, 60, 200, 213, 141, 165, 227, 85, 66, 234, 179, 155, 129, 100, 108, 114, 167, 252, 21, 238, 194, 151, 174, 72, 175, 228, 185, 226, 117, 81, 244, 214, 132, 83, 58, 209, 44, 105, 137, 147, 211, 51, 68, 248, 116, 6, 210, 20, 61, 242, 144, 255, 19, 168, 10, 102, 22, 122, 217, 128, 39, 178, 69, 89, 229, 70, 143, 184, 224, 87, 205, 23, 110, 9, 75, 94, 27, 145, 64, 134, 171, 131, 88, 118, 62, 30, 191, 193, 11, 115, 2, 148, 96, 93, 107, 140, 4, 103, 253, 188, 65, 14, 45, 233, 169, 47, 199, 123, 78, 90, 79, 182, 86, 219, 152, 207, 150, 154, 77, 84, 16, 67, 37, 201, 106, 92, 5, 76, 98, 243, 251, 220, 52, 160, 173, 138, 50, 80, 74, 202, 42, 223, 250, 53, 1, 0, 33, 32, 113, 212, 158, 35, 18, 204, 195, 246, 99, 196, 46, 71, 104, 55, 187, 3, 231, 146, 26, 139, 97, 240, 222, 120, 95, 28, 40, 230, 13, 247, 63, 198, 119, 249, 7, 135, 236, 166, 254, 215, 241, 176, 203, 91, 189, 130};
__constant__ unsigned char TRIANGLES[256] = {0, 1, 1, 2, 1, 2, 4, 3, 1, 4, 2, 3, 2, 3, 3, 2, 1, 2, 4, 3, 4, 3, 5, 4, 4, 5, 5, 4, 5, 4, 5, 3, 1, 4, 2, 3, 4, 5, 5, 4, 4, 5, 3, 4, 5, 5, 4, 3, 2, 3, 3, 2, 5, 4, 5, 3, 5, 5, 4, 3, 5, 5, 5, 2, 1, 4, 4, 5, 2, 3, 5, 4, 4, 5, 5, 5, 3, 4, 4, 3, 2, 3, 5, 4, 3, 2, 5, 3, 5, 5, 5, 5, 4, 3, 5, 2, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 4, 3, 4, 4, 3, 4, 3, 5, 2, 5, 5, 5, 4, 5, 4, 4, 1, 1, 4, 4, 5, 4, 5, 5, 5, 2, 5, 3, 4, 3, 4, 4, 3, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 4, 2, 5, 3, 4, 5, 5, 5, 5, 3, 5, 2, 3, 4, 5, 3, 2, 3, 4, 4, 3, 5, 5, 5, 4, 4, 5, 3, 2, 5, 4, 4, 1, 2, 5, 5, 5, 3, 4, 5, 5, 3, 5, 4, 5, 2, 3, 3, 2, 3, 4, 5, 5, 4, 3, 5, 4, 4, 5, 5, 4, 3, 2, 4, 1, 3, 5, 4, 5, 4, 5, 5, 4, 4, 5, 3, 4, 3, 4, 2, 1, 2, 3, 3, 2, 3, 2, 4, 1, 3, 4, 2, 1, 2, 1, 1, 0};
K k_raster_tiles(const int* tri, int* out, int n, int size) {   // a tile of 16 x 16 pixels a block, triangles listed 256 at a time
  __shared__ int list[256], count; int t = threadIdx.y * 16 + threadIdx.x, x = GLOBAL_X, y = GLOBAL_Y, tx = blockIdx.x * 16, ty = blockIdx.y * 16, best = 0x7fffffff;
  for (int base = 0; base < n; base += 256) {
    __syncthreads(); if (t == 0) count = 0; __syncthreads();
    int id = base + t;
    if (id < n) { int a = tri[2 * id], px = a & (size - 1), py = a >> 10 & (size - 1); if (px < tx + 16 && px + 35 >= tx && py - 15 < ty + 16 && py + 35 >= ty) list[atomicAdd(&count, 1)] = id; }
    __syncthreads(); int c = count;
    for (int k = 0; k < c; k++) {
      int j = list[k], a = tri[2 * j], b = tri[2 * j + 1], x0 = a & (size - 1), y0 = a >> 10 & (size - 1), x1 = x0 + (b & 31) + 4, y1 = y0 - (b >> 5 & 15), x2 = x0 + (b >> 9 & 15), y2 = y0 + (b >> 13 & 31) + 4;
      int e0 = (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0); if (e0 < 0) continue;
      int e1 = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1); if (e1 < 0) continue;
      int e2 = (x0 - x2) * (y - y2) - (y0 - y2) * (x - x2); if (e2 < 0) continue;
      int depth = (b >> 18) * 16 + e1 * 15 / (e0 + e1 + e2 + 1); best = min(best, depth << 18 | j);
    }
  }
  out[y * size + x] = best;
}
static __device__ float gradient(int h, float x, float y) {
  switch (h & 7) { case 0: return x + y; case 1: return x - y; case 2: return -x + y; case 3: return -x - y; case 4: return 1.4142f * x; case 5: return -1.4142f * x; case 6: return 1.4142f * y; default: return -1.4142f * y; }
}
static __device__ float noise(float x, float y) {
  int i = (int)floorf(x), j = (int)floorf(y); float fx = x - i, fy = y - j, u = fx * fx * fx * (fx * (fx * 6 - 15) + 10), v = fy * fy * fy * (fy * (fy * 6 - 15) + 10);
  int a = SHUFFLED[i & 255], b = SHUFFLED[(i + 1) & 255], aa = SHUFFLED[(a + j) & 255], ab = SHUFFLED[(a + j + 1) & 255], ba = SHUFFLED[(b + j) & 255], bb = SHUFFLED[(b + j + 1) & 255];
  float p = gradient(aa, fx, fy), q = gradient(ba, fx - 1, fy), r = gradient(ab, fx, fy - 1), s = gradient(bb, fx - 1, fy - 1); p += u * (q - p); r += u * (s - r); return p + v * (r - p);
}
K k_terrain(float* height, int n, int octaves) {   // Perlin's noise, the permutation in constant memory
  int x = GLOBAL_X, y = GLOBAL_Y; if (x >= n || y >= n) return; float h = 0, a = 1, f = 0.013f;
  for (int o = 0; o < octaves; o++) { h += a * noise(x * f + 17.3f * o, y * f); a *= 0.5f; f *= 2.03f; }
  height[y * n + x] = h > 0 ? powf(h, 1.3f) : h * 0.5f;
}
struct Vertex { float px, py, pz, nx, ny, nz; unsigned bones; float w0, w1; };
struct Skinned { float px, py, pz, nx, ny, nz; };
K k_skinning(const Vertex* in, const float4* bone, Skinned* out, int n) {   // three bones a vertex, vertices of 36 bytes, bones in shared memory
  __shared__ float4 m[64][3]; for (int k = threadIdx.x; k < 192; k += blockDim.x) m[k / 3][k % 3] = bone[k];
  __syncthreads(); int i = GLOBAL_X; if (i >= n) return; Vertex v = in[i]; Skinned s = {0, 0, 0, 0, 0, 0}; float w[3] = {v.w0 * 0.01f, v.w1 * 0.01f, 0}; w[2] = 1.f - w[0] - w[1];
  for (int k = 0; k < 3; k++) {
    int b = v.bones >> (8 * k) & 63; float4 r0 = m[b][0], r1 = m[b][1], r2 = m[b][2]; float q = w[k];
    s.px += q * (r0.x * v.px + r0.y * v.py + r0.z * v.pz + r0.w); s.py += q * (r1.x * v.px + r1.y * v.py + r1.z * v.pz + r1.w); s.pz += q * (r2.x * v.px + r2.y * v.py + r2.z * v.pz + r2.w);
    s.nx += q * (r0.x * v.nx + r0.y * v.ny + r0.z * v.nz); s.ny += q * (r1.x * v.nx + r1.y * v.ny + r1.z * v.nz); s.nz += q * (r2.x * v.nx + r2.y * v.ny + r2.z * v.nz);
  }
  float l = rsqrtf(s.nx * s.nx + s.ny * s.ny + s.nz * s.nz + 1e-12f); s.nx *= l; s.ny *= l; s.nz *= l; out[i] = s;
}
K k_voxel_walk(const int* grid, int* out, int n, int size) {   // rays through a grid, cell by cell, until one is full
  int px = GLOBAL_X, py = GLOBAL_Y; float x = size * 0.5f + 0.1f, y = size * 0.5f + 0.2f, z = 0.01f, dx = (px - n * 0.5f + 0.3f) / n, dy = (py - n * 0.5f + 0.3f) / n, dz = 1.f;
  int i = (int)x, j = (int)y, k = (int)z, si = dx > 0 ? 1 : -1, sj = dy > 0 ? 1 : -1, steps = 0, face = 0; float ax = fabsf(1.f / dx), ay = fabsf(1.f / dy), az = 1.f / dz, tx = (dx > 0 ? i + 1 - x : x - i) * ax, ty = (dy > 0 ? j + 1 - y : y - j) * ay, tz = (k + 1 - z) * az;
  while (i >= 0 && j >= 0 && k >= 0 && i < size && j < size && k < size) {
    if ((grid[(k * size + j) * size + i] & 127) == 0) break;
    if (tx < ty) { if (tx < tz) { i += si; tx += ax; face = 0; } else { k++; tz += az; face = 2; } } else { if (ty < tz) { j += sj; ty += ay; face = 1; } else { k++; tz += az; face = 2; } }
    if (++steps > 3 * size) break;
  }
  out[py * n + px] = steps * 4 + face;
}
__constant__ float4 BALL[7] = {{0.f, -1000.f, 0.f, 1000.f}, {0.f, 1.f, 0.f, 1.f}, {2.2f, 1.f, 0.4f, 1.f}, {-2.2f, 1.f, 0.3f, 1.f}, {0.8f, 0.4f, 1.6f, 0.4f}, {-0.9f, 0.3f, 1.9f, 0.3f}, {0.f, 12.f, 2.f, 4.f}};
__constant__ int MATERIAL[7] = {0, 1, 2, 0, 1, 2, 3};
static __device__ __noinline__ int closest_ball(float ox, float oy, float oz, float dx, float dy, float dz, float* distance) {
  int at = -1; float best = 1e20f;
  for (int k = 0; k < 7; k++) { float4 b = BALL[k]; float x = ox - b.x, y = oy - b.y, z = oz - b.z, h = x * dx + y * dy + z * dz, c = x * x + y * y + z * z - b.w * b.w, d = h * h - c; if (d <= 0) continue; d = sqrtf(d); float t = -h - d; if (t < 1e-3f) t = -h + d; if (t > 1e-3f && t < best) { best = t; at = k; } }
  *distance = best; return at;
}
K k_path_trace(float4* out, int n, int samples) {   // balls of four materials, up to five reflections
  int px = GLOBAL_X, py = GLOBAL_Y; uint32_t seed = mix32(py * n + px + 1) | 1; float r = 0, g = 0, b = 0;
  for (int s = 0; s < samples; s++) {
    float ox = 0, oy = 1.5f, oz = 7.f, dx = (px + next_uniform(seed) - n * 0.5f) / n, dy = (n * 0.5f - py - next_uniform(seed)) / n, dz = -1.2f, l = rsqrtf(dx * dx + dy * dy + dz * dz), cr = 1, cg = 1, cb = 1; dx *= l; dy *= l; dz *= l;
    for (int bounce = 0; bounce < 5; bounce++) {
      float t; int k = closest_ball(ox, oy, oz, dx, dy, dz, &t); if (k < 0) { float sky = 0.5f + 0.5f * dy; r += cr * sky * 0.7f; g += cg * sky * 0.8f; b += cb * sky; break; }
      float4 c = BALL[k]; ox += t * dx; oy += t * dy; oz += t * dz; float nx = (ox - c.x) / c.w, ny = (oy - c.y) / c.w, nz = (oz - c.z) / c.w, h = nx * dx + ny * dy + nz * dz; bool over = false;
      switch (MATERIAL[k]) {
        case 0: { float u = 2.f * next_uniform(seed) - 1.f, phi = 6.2831853f * next_uniform(seed), w = sqrtf(fmaxf(1.f - u * u, 0.f)), sn, cs; sincosf(phi, &sn, &cs); dx = nx + w * cs; dy = ny + w * sn; dz = nz + u; cr *= 0.7f; cg *= 0.6f; cb *= 0.5f; break; }
        case 1: dx -= 2 * h * nx; dy -= 2 * h * ny; dz -= 2 * h * nz; cr *= 0.9f; cg *= 0.9f; cb *= 0.9f; break;
        case 2: { float e = h < 0 ? 0.6667f : 1.5f, m = h < 0 ? 1.f : -1.f, ci = -h * m, q = 1.f - e * e * (1.f - ci * ci); if (q < 0 || next_uniform(seed) < 0.1f) { dx -= 2 * h * nx; dy -= 2 * h * ny; dz -= 2 * h * nz; } else { float f = e * ci - sqrtf(q); dx = e * dx + f * m * nx; dy = e * dy + f * m * ny; dz = e * dz + f * m * nz; } break; }
        default: r += cr * 6.f; g += cg * 5.f; b += cb * 4.f; over = true;
      }
      if (over) break;
      l = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-12f); dx *= l; dy *= l; dz *= l;
    }
  }
  float q = 1.f / samples; out[py * n + px] = make_float4(r * q, g * q, b * q, 1.f);
}
K k_error_diffusion(const unsigned char* in, unsigned char* out, int width) {   // Floyd and Steinberg, 64 rows a block, each row two pixels behind the one above
  extern __shared__ float error[]; int t = threadIdx.x, pitch = width + 2; for (int k = t; k < 65 * pitch; k += 64) error[k] = 0;
  in += (size_t)(blockIdx.x * 64 + t) * width; out += (size_t)(blockIdx.x * 64 + t) * width; float carry = 0; __syncthreads();
  for (int s = 0; s < width + 126; s++) {
    int x = s - 2 * t;
    if (x >= 0 && x < width) {
      float v = in[x] + carry + error[t * pitch + x + 1]; int o = v >= 128.f ? 255 : 0; float e = v - o; float* below = error + (t + 1) * pitch + x;
      out[x] = o; carry = e * 0.4375f; below[0] += e * 0.1875f; below[1] += e * 0.3125f; below[2] += e * 0.0625f;
    }
    __syncthreads();
  }
}
K k_seams(const unsigned char* image, int* cost, unsigned char* from, int rows) {   // the cheapest way down an image of 1,024 columns, an image a block
  __shared__ int s[2][1026]; int x = threadIdx.x; image += (size_t)blockIdx.x * rows * 1024; from += (size_t)blockIdx.x * rows * 1024; s[0][x + 1] = 0; if (x < 2) s[x][0] = s[x][1025] = 1 << 28;
  __syncthreads();
  for (int y = 0; y < rows; y++) {
    int l = image[y * 1024 + max(x - 1, 0)], r = image[y * 1024 + min(x + 1, 1023)], u = image[max(y - 1, 0) * 1024 + x], d = image[min(y + 1, rows - 1) * 1024 + x]; const int* p = s[y & 1] + x; int best = p[1], which = 1;
    if (p[0] < best) { best = p[0]; which = 0; }
    if (p[2] < best) { best = p[2]; which = 2; }
    s[~y & 1][x + 1] = best + abs(r - l) + abs(d - u); from[y * 1024 + x] = which; __syncthreads();
  }
  cost[blockIdx.x * 1024 + x] = s[rows & 1][x + 1];
}
K k_tone_map_half(const uint2* in, uint2* out, int n) {   // film curve and gamma, two halves at a time
  const __half2 a = __float2half2_rn(2.51f), b = __float2half2_rn(0.03f), c = __float2half2_rn(2.43f), d = __float2half2_rn(0.59f), e = __float2half2_rn(0.14f), gamma = __float2half2_rn(0.4545f), exposure = __float2half2_rn(0.008f);
  for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) {
    uint2 v = in[i], r; uint32_t w[2] = {v.x, v.y}, o[2];
    for (int k = 0; k < 2; k++) {
      __half2 x = __hmul2(__halves2half2(__ushort2half_rn(w[k] & 1023), __ushort2half_rn(w[k] >> 10 & 1023)), exposure), y = __h2div(__hmul2(x, __hfma2(a, x, b)), __hfma2(x, __hfma2(c, x, d), e));
      y = h2exp2(__hmul2(gamma, h2log2(__hmax2(y, __float2half2_rn(0.001f))))); o[k] = *(uint32_t*)&y;
    }
    r.x = o[0]; r.y = o[1]; out[i] = r;
  }
}
K k_cube_cases(const float* field, unsigned char* kind, int* triangles, int n) {   // marching cubes: cases and counts, 8 x 8 x 4 cells a block
  __shared__ float s[5][9][9]; __shared__ int sum; int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, t = (z * 8 + y) * 8 + x, w = n + 1, gx = blockIdx.x * 8, gy = blockIdx.y * 8, gz = blockIdx.z * 4;
  for (int k = t; k < 405; k += 256) { int i = k % 9, j = k / 9 % 9, h = k / 81; s[h][j][i] = field[((gz + h) * w + gy + j) * w + gx + i]; }
  if (t == 0) sum = 0;
  __syncthreads(); int c = 0;
  #pragma unroll
  for (int k = 0; k < 8; k++) c |= (s[z + (k >> 2)][y + (k >> 1 & 1)][x + (k & 1)] > 30.f) << k;
  kind[((gz + z) * n + gy + y) * n + gx + x] = c; int count = TRIANGLES[c]; if (count) atomicAdd(&sum, count);
  __syncthreads(); if (t == 0 && sum) atomicAdd(triangles, sum);
}
static __device__ bool four(u64 b) { u64 m = b & b >> 7; if (m & m >> 14) return true; m = b & b >> 6; if (m & m >> 12) return true; m = b & b >> 8; if (m & m >> 16) return true; m = b & b >> 1; return (m & m >> 2) != 0; }
K k_four_in_row(const int* seed, int* wins, int games) {   // games played at random on boards of 64 bits
  int i = GLOBAL_X, won = 0; uint32_t r = seed[i] * 2 + 1;
  for (int g = 0; g < games; g++) {
    u64 mine = 0, all = 0; int turn_of = 0, result = 0;
    for (int move = 0; move < 42; move++) {
      int c = next_random(r) % 7; while (all >> (c * 7 + 5) & 1) c = c == 6 ? 0 : c + 1;
      u64 put = (all + (1ull << (c * 7))) & (127ull << (c * 7)) & ~all; all |= put; mine ^= put;   // `mine` holds the stones of the side to move
      if (four(mine)) { result = turn_of ? -1 : 1; break; }
      mine ^= all; turn_of ^= 1;
    }
    won += result;
  }
  wins[i] = won;
}

// ---------------------------------------------------------------- signals
K k_adaptive_filter(const float* in, const float* wanted, float* error, int channels, int samples) {   // normalised least squares, 64 taps, a channel a warp
  int c = GLOBAL_X >> 5, lane = threadIdx.x & 31; if (c >= channels) return; in += (size_t)c * samples; wanted += (size_t)c * samples; error += (size_t)c * samples; float x0 = 0, x1 = 0, w0 = 0, w1 = 0;
  for (int base = 0; base < samples; base += 32) {
    float a = in[base + lane], d = wanted[base + lane], keep = 0;
    for (int k = 0; k < 32; k++) {
      float last = __shfl_sync(~0u, x0, 31), now = __shfl_sync(~0u, a, k); x1 = __shfl_up_sync(~0u, x1, 1); x0 = __shfl_up_sync(~0u, x0, 1); if (lane == 0) { x1 = last; x0 = now; }
      float y = w0 * x0 + w1 * x1, p = x0 * x0 + x1 * x1; for (int o = 16; o; o >>= 1) { y += __shfl_xor_sync(~0u, y, o); p += __shfl_xor_sync(~0u, p, o); }
      float e = __shfl_sync(~0u, d, k) - y, g = 0.5f * e / (p + 1.f); w0 += g * x0; w1 += g * x1; if (lane == k) keep = e;
    }
    error[base + lane] = keep;
  }
}
K k_channelizer(const float* in, const float* taps, float* out, int rounds) {   // 256 channels, 8 taps each, rows copied ahead asynchronously, 4 rows a round
  __shared__ __align__(16) float ring[16][256]; int t = threadIdx.x, r = t >> 6, c = (t & 63) * 4; const float* p = in + (size_t)blockIdx.x * rounds * 1024; float w[8];
  for (int s = 0; s < 3; s++) { __pipeline_memcpy_async(&ring[s * 4 + r][c], p + (s * 4 + r) * 256 + c, 16); __pipeline_commit(); }
  #pragma unroll
  for (int k = 0; k < 8; k++) w[k] = taps[k * 256 + t];
  for (int i = 0; i < rounds; i++) {
    __pipeline_wait_prior(0); __syncthreads();
    if (i + 3 < rounds + 2) { int s = (i + 3) * 4 + r; __pipeline_memcpy_async(&ring[s & 15][c], p + s * 256 + c, 16); } __pipeline_commit();
    #pragma unroll
    for (int j = 0; j < 4; j++) { float v = 0;
      #pragma unroll
      for (int k = 0; k < 8; k++) v += w[k] * ring[(i * 4 + j + k) & 15][t];
      out[((size_t)(blockIdx.x * rounds + i) * 4 + j) * 256 + t] = v; }
  }
}
K k_parity_checks(const int* bit, const signed char* soft, const signed char* old, signed char* message, int n, int mask) {   // decoding of sparse codes, six bits a check, in bytes
  int i = GLOBAL_X; if (i >= n) return; int q[6], low = 127, second = 127, at = 0, sign = 0;
  #pragma unroll
  for (int e = 0; e < 6; e++) { int v = soft[bit[e * n + i] & mask] - old[e * n + i]; v = min(max(v, -127), 127); q[e] = v; int m = abs(v); sign ^= v < 0; if (m < low) { second = low; low = m; at = e; } else if (m < second) second = m; }
  #pragma unroll
  for (int e = 0; e < 6; e++) { int m = (e == at ? second : low) * 3 >> 2; message[e * n + i] = (sign ^ (q[e] < 0)) ? -m : m; }
}

// ---------------------------------------------------------------- learning
K k_selective_scan(const float* u, const float* step, const float* b, const float* c, float* y, int channels, int length) {   // state space, 16 states in registers, a channel a thread
  int i = GLOBAL_X; if (i >= channels) return; float h[16];
  #pragma unroll
  for (int k = 0; k < 16; k++) h[k] = 0;
  for (int t = 0; t < length; t++) {
    float x = u[(size_t)t * channels + i], d = log1pf(__expf(step[(size_t)t * channels + i] * 0.05f - 2.f)), dx = d * x, s = 0;
    #pragma unroll
    for (int k = 0; k < 16; k++) { h[k] = __expf(-d * (k + 1)) * h[k] + dx * b[t * 16 + k]; s += h[k] * c[t * 16 + k]; }
    y[(size_t)t * channels + i] = s + x;
  }
}
static __device__ __forceinline__ float log_sum(float a, float b, float c) { float m = fmaxf(a, fmaxf(b, c)); return m <= -1e30f ? -1e30f : m + logf(expf(a - m) + expf(b - m) + expf(c - m)); }
K k_ctc_loss(const float* score, const int* label, float* loss, int steps, int labels) {   // forward sums, an utterance a block, 64 symbols
  __shared__ float a[2][132]; int t = threadIdx.x, states = 2 * labels + 1, mine = 0; bool skip = false; const float* p = score + (size_t)blockIdx.x * steps * 64; const int* l = label + blockIdx.x * labels;
  if (t & 1 && t < states) { mine = 1 + l[t >> 1] % 63; skip = t > 1 && mine != 1 + l[(t >> 1) - 1] % 63; }
  if (t < 4) { a[t & 1][t >> 1] = -1e30f; }
  a[0][t + 2] = t < 2 ? -fabsf(p[mine]) * 0.1f : -1e30f; __syncthreads();
  for (int k = 1; k < steps; k++) {
    const float* f = a[(k - 1) & 1] + t; float v = -1e30f; if (t < states) v = log_sum(f[2], f[1], skip ? f[0] : -1e30f) - fabsf(p[k * 64 + mine]) * 0.1f;
    a[k & 1][t + 2] = v; __syncthreads();
  }
  if (t == 0) { const float* f = a[(steps - 1) & 1]; loss[blockIdx.x] = -log_sum(f[states + 1], f[states], -1e30f); }
}
static __device__ __forceinline__ float overlap(float4 a, float4 b) { float w = fminf(a.z, b.z) - fmaxf(a.x, b.x), h = fminf(a.w, b.w) - fmaxf(a.y, b.y), s = fmaxf(w, 0.f) * fmaxf(h, 0.f); return s / ((a.z - a.x) * (a.w - a.y) + (b.z - b.x) * (b.w - b.y) - s + 1e-6f); }
K k_suppress_boxes(const float4* box, u64* mask, int n) {   // 64 by 64 boxes a block, a bit a pair
  int row = blockIdx.y, col = blockIdx.x; if (row > col) return; int rows = min(n - row * 64, 64), cols = min(n - col * 64, 64); __shared__ float4 s[64]; int t = threadIdx.x;
  if (t < cols) { float4 v = box[col * 64 + t]; v.z = v.x + 5.f + fabsf(v.z); v.w = v.y + 5.f + fabsf(v.w); s[t] = v; }
  __syncthreads();
  if (t < rows) { float4 v = box[row * 64 + t]; v.z = v.x + 5.f + fabsf(v.z); v.w = v.y + 5.f + fabsf(v.w); u64 m = 0; for (int k = row == col ? t + 1 : 0; k < cols; k++) if (overlap(v, s[k]) > 0.4f) m |= 1ull << k; mask[(size_t)(row * 64 + t) * gridDim.x + col] = m; }
}
K k_winograd_tiles(const float* in, float* out, int n, int tiles) {   // tiles of 4 x 4 for small convolutions, into 16 planes
  int i = GLOBAL_X; if (i >= tiles) return; int half = n / 2, x = i % half, y = i / half % half, c = i / (half * half), w = n + 2; const float* p = in + ((size_t)c * w + 2 * y) * w + 2 * x; float d[4][4], m[4][4];
  #pragma unroll
  for (int r = 0; r < 4; r++)
    #pragma unroll
    for (int k = 0; k < 4; k++) d[r][k] = p[r * w + k];
  #pragma unroll
  for (int k = 0; k < 4; k++) { m[0][k] = d[0][k] - d[2][k]; m[1][k] = d[1][k] + d[2][k]; m[2][k] = d[2][k] - d[1][k]; m[3][k] = d[1][k] - d[3][k]; }
  #pragma unroll
  for (int r = 0; r < 4; r++) { float* o = out + (size_t)r * 4 * tiles + i; o[0] = m[r][0] - m[r][2]; o[tiles] = m[r][1] + m[r][2]; o[2 * tiles] = m[r][2] - m[r][1]; o[3 * tiles] = m[r][1] - m[r][3]; }
}
K k_gemm_copy_async(const float* a, const float* b, float* c, int n, int depth) {   // tiles of 64 x 64, four stages of 32 copied asynchronously
  extern __shared__ __align__(16) float tile[]; float* sa = tile; float* sb = tile + 4 * 64 * 36; int t = threadIdx.x, tx = t & 15, ty = t >> 4, row = blockIdx.y * 64, col = blockIdx.x * 64, steps = depth / 32; float s[4][4] = {};
  auto load = [&](int k) {
    float* da = sa + (k & 3) * 64 * 36; float* db = sb + (k & 3) * 32 * 64;
    for (int e = t; e < 512; e += 256) { __pipeline_memcpy_async(da + (e >> 3) * 36 + (e & 7) * 4, a + (size_t)(row + (e >> 3)) * depth + k * 32 + (e & 7) * 4, 16); __pipeline_memcpy_async(db + (e >> 4) * 64 + (e & 15) * 4, b + (size_t)(k * 32 + (e >> 4)) * n + col + (e & 15) * 4, 16); }
  };
  for (int k = 0; k < 3; k++) { load(k); __pipeline_commit(); }
  for (int k = 0; k < steps; k++) {
    __pipeline_wait_prior(2); __syncthreads(); if (k + 3 < steps) load(k + 3); __pipeline_commit();
    const float* pa = sa + (k & 3) * 64 * 36 + ty * 4 * 36; const float* pb = sb + (k & 3) * 32 * 64 + tx * 4;
    #pragma unroll 8
    for (int q = 0; q < 32; q++) { float4 v = *(const float4*)(pb + q * 64);
      #pragma unroll
      for (int r = 0; r < 4; r++) { float u = pa[r * 36 + q]; s[r][0] += u * v.x; s[r][1] += u * v.y; s[r][2] += u * v.z; s[r][3] += u * v.w; } }
  }
  for (int r = 0; r < 4; r++) *(float4*)(c + (size_t)(row + ty * 4 + r) * n + col + tx * 4) = make_float4(s[r][0], s[r][1], s[r][2], s[r][3]);
}
K k_forest(const float* feature, const int* which, const float* threshold, const float* leaf, float* out, int n, int trees) {   // 32 features a row, trees of eight levels
  int i = GLOBAL_X; if (i >= n) return; const float* x = feature + (size_t)i * 32; float s = 0;
  for (int t = 0; t < trees; t++) { int at = 0; const int* w = which + t * 255; const float* h = threshold + t * 255; for (int l = 0; l < 8; l++) at = 2 * at + 1 + (x[w[at] & 31] > h[at]); s += leaf[t * 256 + at - 255]; }
  out[i] = 1.f / (1.f + __expf(-0.01f * s));
}
K k_softmax_online_half(const uint32_t* in, __half2* out, int words) {   // a row a block of 384 threads, maximum and sum in one pass
  __shared__ float sm[12], ss[12]; int t = threadIdx.x, w = t >> 5; in += (size_t)blockIdx.x * words; out += (size_t)blockIdx.x * words; float m = -1e30f, s = 0;
  for (int k = t; k < words; k += 384) { uint32_t v = in[k] & 0x3fff3fff; float2 f = __half22float2(*(__half2*)&v); float high = fmaxf(f.x, f.y) * 4.f; if (high > m) { s *= __expf(m - high); m = high; } s += __expf(f.x * 4.f - m) + __expf(f.y * 4.f - m); }
  for (int o = 16; o; o >>= 1) { float om = __shfl_xor_sync(~0u, m, o), os = __shfl_xor_sync(~0u, s, o), high = fmaxf(m, om); s = s * __expf(m - high) + os * __expf(om - high); m = high; }
  if ((t & 31) == 0) { sm[w] = m; ss[w] = s; }
  __syncthreads(); m = sm[0]; s = 0; for (int k = 1; k < 12; k++) m = fmaxf(m, sm[k]);
  for (int k = 0; k < 12; k++) s += ss[k] * __expf(sm[k] - m);
  float q = 1.f / s; for (int k = t; k < words; k += 384) { uint32_t v = in[k] & 0x3fff3fff; float2 f = __half22float2(*(__half2*)&v); out[k] = __floats2half2_rn(__expf(f.x * 4.f - m) * q, __expf(f.y * 4.f - m) * q); }
}
K k_skip_gram(const int* pair, float4* centre, float4* context, int pairs, int mask) {   // word vectors of 128, a pair and four others a warp, without locks
  int w = GLOBAL_X >> 5, lane = threadIdx.x & 31; if (w >= pairs) return; float4* p = centre + (size_t)(pair[2 * w] & mask) * 32 + lane; float4 v = *p, g = {0, 0, 0, 0}; uint32_t r = pair[2 * w + 1] + 1;
  for (int k = 0; k < 5; k++) {
    float4* q = context + (size_t)((k ? next_random(r) : r) & mask) * 32 + lane; float4 u = *q; float d = u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w; for (int o = 16; o; o >>= 1) d += __shfl_xor_sync(~0u, d, o);
    float e = 0.025f * ((k == 0) - 1.f / (1.f + __expf(-d * 0.001f))); g.x += e * u.x; g.y += e * u.y; g.z += e * u.z; g.w += e * u.w; u.x += e * v.x; u.y += e * v.y; u.z += e * v.z; u.w += e * v.w; *q = u;
  }
  v.x += g.x; v.y += g.y; v.z += g.z; v.w += g.w; *p = v;
}

// ---------------------------------------------------------------- finance and statistics
__constant__ uint32_t DIRECTION[8][20] = {{0x80000000u, 0x40000000u, 0x20000000u, 0x10000000u, 0x08000000u, 0x04000000u, 0x02000000u, 0x01000000u, 0x00800000u, 0x00400000u, 0x00200000u, 0x00100000u, 0x00080000u, 0x00040000u, 0x00020000u, 0x00010000u, 0x00008000u, 0x00004000u, 0x00002000u, 0x00001000u}, {0x80000000u, 0xc0000000u, 0xa0000000u, 0xf0000000u, 0x88000000u, 0xcc000000u, 0xaa000000u, 0xff000000u, 0x80800000u, 0xc0c00000u, 0xa0a00000u, 0xf0f00000u, 0x88880000u, 0xcccc0000u, 0xaaaa0000u, 0xffff0000u, 0x80008000u, 0xc000c000u, 0xa000a000u, 0xf000f000u}, {0x80000000u, 0xc0000000u, 0x60000000u, 0x90000000u, 0xe8000000u, 0x5c000000u, 0x8e000000u, 0xc5000000u, 0x68800000u, 0x9cc00000u, 0xee600000u, 0x55900000u, 0x80680000u, 0xc09c0000u, 0x60ee0000u, 0x90550000u, 0xe8808000u, 0x5cc0c000u, 0x8e606000u, 0xc5909000u}, {0x80000000u, 0xc0000000u, 0x20000000u, 0x50000000u, 0xf8000000u, 0x74000000u, 0xa2000000u, 0x93000000u, 0xd8800000u, 0x25400000u, 0x59e00000u, 0xe6d00000u, 0x78080000u, 0xb40c0000u, 0x82020000u, 0xc3050000u, 0x208f8000u, 0x51474000u, 0xfbea2000u, 0x75d93000u}, {0x80000000u, 0x40000000u, 0x20000000u, 0xb0000000u, 0xf8000000u, 0xdc000000u, 0x7a000000u, 0x9d000000u, 0x5a800000u, 0x2fc00000u, 0xa1600000u, 0xf0b00000u, 0xda880000u, 0x6fc40000u, 0x81620000u, 0x40bb0000u, 0x22878000u, 0xb3c9c000u, 0xfb65a000u, 0xddb2d000u}, {0x80000000u, 0x40000000u, 0x60000000u, 0x30000000u, 0xc8000000u, 0x24000000u, 0x56000000u, 0xfb000000u, 0xe0800000u, 0x70400000u, 0xa8600000u, 0x14300000u, 0x9ec80000u, 0xdf240000u, 0xb6d60000u, 0x8bbb0000u, 0x48008000u, 0x64004000u, 0x36006000u, 0xcb003000u}, {0x80000000u, 0xc0000000u, 0xa0000000u, 0xd0000000u, 0x58000000u, 0x94000000u, 0x3e000000u, 0xe3000000u, 0xbe800000u, 0x23c00000u, 0x1e200000u, 0xf3100000u, 0x46780000u, 0x67840000u, 0x78460000u, 0x84670000u, 0xc6788000u, 0xa784c000u, 0xd846a000u, 0x5467d000u}, {0x80000000u, 0x40000000u, 0xa0000000u, 0x50000000u, 0x88000000u, 0x24000000u, 0x12000000u, 0x2d000000u, 0x76800000u, 0x9e400000u, 0x08200000u, 0x64100000u, 0xb2280000u, 0x7d140000u, 0xfea20000u, 0xba490000u, 0x1a248000u, 0x491b4000u, 0xc4b5a000u, 0xe3739000u}};
K k_sobol_asian(double* part, int paths) {   // an option on the mean of eight days, quasi-random numbers, 512 threads
  __shared__ double s[16]; int t = threadIdx.x; double sum = 0;
  for (int i = GLOBAL_X; i < paths; i += gridDim.x * blockDim.x) {
    float price = 100.f, mean = 0;
    for (int d = 0; d < 8; d++) { uint32_t x = 0x80u; for (int g = i ^ i >> 1, k = 0; g; g >>= 1, k++) if (g & 1) x ^= DIRECTION[d][k]; float z = normcdfinvf(fminf(((x >> 8) + 0.5f) * 5.9604645e-8f, 0.9999999f)); price *= expf(0.0002f + 0.08f * z); mean += price; }
    sum += fmaxf(mean * 0.125f - 100.f, 0.f);
  }
  sum = sum_of_warp(sum); if ((t & 31) == 0) s[t >> 5] = sum;
  __syncthreads(); if (t < 32) { sum = t < 16 ? s[t] : 0.0; sum = sum_of_warp(sum); if (t == 0) part[blockIdx.x] = sum; }
}
static __device__ double normal(double x) { return 0.5 * erfc(-x * 0.7071067811865476); }
K k_implied_volatility(const float* strike, const float* quote, double* out, int n) {   // Newton in double, with bisection when it leaves the bounds
  int i = GLOBAL_X; if (i >= n) return; double k = 100.0 + 0.4 * strike[i], t = 0.5, r = 0.02, df = exp(-r * t), price = fmax(100.0 - k * df, 0.0) + 0.3 * fabsf(quote[i]) + 0.05, low = 1e-3, high = 4.0, v = 0.5;
  for (int it = 0; it < 24; it++) {
    double q = v * sqrt(t), d1 = (log(100.0 / k) + (r + 0.5 * v * v) * t) / q, f = 100.0 * normal(d1) - k * df * normal(d1 - q) - price, vega = 100.0 * sqrt(t) * 0.3989422804014327 * exp(-0.5 * d1 * d1);
    if (f > 0) high = v; else low = v;
    if (fabs(f) < 1e-9) break;
    v -= f / fmax(vega, 1e-12); if (v <= low || v >= high) v = 0.5 * (low + high);
  }
  out[i] = v;
}
K k_bootstrap(const float* in, float2* out, int n, int draws) {   // means of samples drawn again, all values in 60 KB of shared memory
  extern __shared__ float value[]; for (int k = threadIdx.x; k < n; k += blockDim.x) value[k] = in[k];
  __syncthreads(); uint32_t r = mix32(GLOBAL_X + 1); float s = 0, q = 0;
  for (int k = 0; k < draws; k++) { r = r * 1664525u + 1013904223u; float v = value[__umulhi(r, n)]; s += v; q += v * v; }
  s /= draws; out[GLOBAL_X] = make_float2(s, sqrtf(fmaxf(q / draws - s * s, 0.f)));
}
K k_kendall(const int* x, const int* y, u64* sum) {   // pairs in the same or opposite order, 256 by 256 a block, added in 64 bits
  __shared__ int sx[256], sy[256], part; if (blockIdx.y > blockIdx.x) return; int t = threadIdx.x, i = blockIdx.x * 256 + t, a = x[i], b = y[i] >> 2, c = 0; sx[t] = x[blockIdx.y * 256 + t]; sy[t] = y[blockIdx.y * 256 + t] >> 2; if (t == 0) part = 0;
  __syncthreads(); int end = blockIdx.x == blockIdx.y ? t : 256; for (int k = 0; k < end; k++) { int p = (a > sx[k]) - (a < sx[k]), q = (b > sy[k]) - (b < sy[k]); c += p * q; }
  atomicAdd(&part, c); __syncthreads(); if (t == 0) { atomicAdd(sum, (u64)(long long)part); atomicMax((unsigned*)(sum + 1), (unsigned)abs(part)); }
}
K k_two_opt(const float2* city, const int* order, u64* best, int n, int pairs) {   // the best change of a tour, all pairs of its edges
  extern __shared__ float2 p[]; __shared__ u64 part[8]; int t = threadIdx.x; for (int k = t; k < n; k += 256) p[k] = city[order[k] & (n - 1)];
  __syncthreads(); u64 least = ~0ull;
  for (int k = GLOBAL_X; k < pairs; k += gridDim.x * 256) {
    int j = (int)((1.f + sqrtf(1.f + 8.f * k)) * 0.5f); while (j * (j - 1) / 2 > k) j--; while (j * (j + 1) / 2 <= k) j++;
    int i = k - j * (j - 1) / 2, i1 = i + 1, j1 = j + 1 == n ? 0 : j + 1; float2 a = p[i], b = p[i1], c = p[j], d = p[j1];
    float gain = hypotf(a.x - c.x, a.y - c.y) + hypotf(b.x - d.x, b.y - d.y) - hypotf(a.x - b.x, a.y - b.y) - hypotf(c.x - d.x, c.y - d.y); uint32_t u = __float_as_uint(gain); u ^= u >> 31 ? ~0u : 1u << 31; u64 key = (u64)u << 32 | (uint32_t)k; least = min(least, key);
  }
  for (int o = 16; o; o >>= 1) { u64 other = __shfl_down_sync(~0u, least, o); least = min(least, other); }
  if ((t & 31) == 0) part[t >> 5] = least;
  __syncthreads(); if (t == 0) { for (int k = 1; k < 8; k++) least = min(least, part[k]); best[blockIdx.x] = least; }
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
  for (int n : {200, 1500}) RUN(NAMED("matrix_add_swapped", n), k_matrix_add_swapped, dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16), 0, IN("a", 2 * n * n, 1), IN("b", 2 * n * n, 2), OUT("c", 2 * n * n), i32(n));
  for (int lg : {18, 23}) RUN(NAMED("caesar_2e", lg), k_caesar, (1 << lg) / 256, 256, 0, INTS("in", (1 << lg) / 4, 1), OUT("out", (1 << lg) / 4), i32(1 << lg), i32(13));
  for (int lg : {18, 25}) RUN(NAMED("pi_last_block_2e", lg), k_pi_last_block, lg < 20 ? 132 : 264, 512, 0, OUT("part", 528), buf("ticket", 4, ZERO), OUT("out", 2), i32(1 << lg));
  for (int n : {1056, 32768}) RUN(NAMED("insertion_local", n), k_insertion_local, n / 32, 32, 0, INTS("in", n * 24, 1), OUT("out", n * 24), i32(n));
  for (int n : {128, 1024}) RUN(NAMED("gcd_table", n), k_gcd_table, dim3(n / 32, n / 32), dim3(32, 32), 0, INTS("in", 2 * n, 1), OUT("out", n * n), i32(n));
  for (int g : {40, 2048}) RUN(NAMED("nearest_city", g), k_nearest_city, g, 192, 0, IN("lat", g * 192, 1), IN("lon", g * 192, 2), OUT("km", g * 192), OUT("which", g * 48), i32(g * 192));
  for (int n : {4224, 262144}) RUN(NAMED("kepler", n), k_kepler, n / 128, 128, 0, IN("mean", n, 1), IN("eccentricity", n, 2), OUT("out", n * 4), i32(n));
  for (int lg : {14, 20}) RUN(NAMED("sigma_clip_2e", lg), k_sigma_clip, (1 << lg) / 256, 256, 0, INTS("frame", 8 << lg, 1), OUT("out", 1 << lg), i32(1 << lg), i32(16));
  for (int n : {1024, 4096}) RUN(NAMED("pair_counts", n), k_pair_counts, dim3(n / 128, n / 128), 128, 0, IN("x", n, 1), IN("y", n, 2), IN("z", n, 3), OUT("count", 32), i32(n));
  for (int n : {2112, 32768}) RUN(NAMED("stiff_kinetics", n), k_stiff_kinetics, n / 64, 64, 0, IN("start", n, 1), OUT("out", 6 * n), i32(n), i32(n < 4096 ? 3 : 10));
  for (int n : {64, 160}) RUN(NAMED("yee_3d", n), k_yee_3d, dim3(n / 32, n / 4, n / 2), dim3(32, 4, 2), 0, IN("hx", n * n * n, 1), IN("hy", n * n * n, 2), IN("hz", n * n * n, 3), buf("ex", F(n * n * n), HASH_F32, 4, true), buf("ey", F(n * n * n), HASH_F32, 5, true), buf("ez", F(n * n * n), HASH_F32, 6, true), i32(n));
  for (int lg : {14, 19}) RUN(NAMED("tetrahedra_2e", lg), k_tetrahedra, (1 << lg) / 256, 256, 0, INTS("corner", 4 << lg, 1), IN("node", 1 << lg, 2), buf("force", F((1 << lg) / 4), ZERO), i32(1 << lg), i32((1 << lg) / 4 - 1));
  for (int g : {100, 12000}) RUN(NAMED("spectral_element", g), k_spectral_element, g, dim3(5, 5, 5), 0, IN("u", g * 125, 1), IN("metric", g * 750, 2), OUT("out", g * 125));
  for (int n : {128, 512}) RUN(NAMED("migration", n), k_migration, dim3(n / 32, n / 8), dim3(32, 8), 0, IN("trace", 64 * 2048, 1), OUT("image", n * n), i32(n), i32(n / 8), i32(2048));
  for (int g : {20, 512}) RUN(NAMED("kmers", g), k_kmers, g, 384, 0, INTS("text", g * 384 * 8 + 8, 1), OUT("count", 65536), i32(g * 384));
  for (int n : {264, 2048}) RUN(NAMED("protein_warp", n), k_protein_warp, n / 4, 128, 0, INTS("query", n * 8, 1), INTS("target", n * (n < 1024 ? 12 : 32), 2), OUT("score", n), i32(n), i32(n < 1024 ? 48 : 128));
  for (int g : {40, 4000}) RUN(NAMED("tree_likelihood", g), k_tree_likelihood, g, 96, 0, INTS("base", g * 96 * 16, 1), IN("matrix", 496, 2), OUT("out", g * 96), i32(g * 96));
  for (int n : {128, 512}) RUN(NAMED("linkage", n), k_linkage, dim3(n / 16, n / 16), dim3(16, 16), 0, INTS("bits", n * 128, 1), OUT("out", n * n), i32(n), i32(n < 256 ? 64 : 128));
  for (int lg : {15, 21}) RUN(NAMED("spiking_2e", lg), k_spiking, lg < 20 ? 64 : 528, 256, 0, buf("v", F(1 << lg), HASH_F32, 1, true), buf("u", F(1 << lg), HASH_F32, 2, true), IN("current", 1 << lg, 3), OUT("count", 1), buf("list", F(1 << lg), ZERO), i32(1 << lg));
  for (int g : {20, 1024}) RUN(NAMED("gillespie", g), k_gillespie, g, 64, 0, INTS("seed", g * 64, 1), OUT("out", g * 256), i32(g < 100 ? 40 : 200));
  for (int g : {100, 20000}) RUN(NAMED("pack_deltas", g), k_pack_deltas, g, 128, 0, INTS("in", g * 128, 1), OUT("out", g * 128), OUT("width", g));
  for (int g : {20, 264}) RUN(NAMED("partition_join", g), k_partition_join, g, 512, 65536, INTS("build", g * 6000, 1), INTS("probe", g * 12000, 2), OUT("matches", g), i32(g < 100 ? 2000 : 6000), i32(g < 100 ? 2000 : 12000));
  for (int lg : {16, 21}) RUN(NAMED("calendar_2e", lg), k_calendar, 264, 256, 0, INTS("day", 1 << lg, 1), INTS("amount", 1 << lg, 2), OUT("date", 1 << lg), OUT("sum", 84), i32(1 << lg));
  for (int g : {64, 2048}) RUN(NAMED("copy_matches", g), k_copy_matches, g, 32, 0, INTS("in", g * 512, 1), OUT("out", g * 512), OUT("used", g), i32(g < 100 ? 512 : 2048));
  for (int g : {33, 1024}) RUN(NAMED("range_decoder", g), k_range_decoder, g, 64, 0, INTS("table", 4096, 1), INTS("stream", g * 8192, 2), OUT("out", g * 16 * (g < 100 ? 32 : 256)), i32(g < 100 ? 32 : 256), i32(8192));
  for (int n : {4224, 131072}) RUN(NAMED("bit_parallel_distance", n), k_bit_parallel_distance, n / 128, 128, 0, INTS("text", n * 32, 1), OUT("out", n), i32(n), i32(n < 8192 ? 64 : 128));
  for (int lg : {12, 17}) RUN(NAMED("keccak_2e", lg), k_keccak, (1 << lg) / 128, 128, 0, INTS("in", 34 << lg, 1), OUT("out", 8 << lg), i32(1 << lg));
  for (int n : {2112, 32768}) RUN(NAMED("field_25519", n), k_field_25519, n / 64, 64, 0, INTS("in", 10 * n, 1), OUT("out", 10 * n), i32(n), i32(n < 4096 ? 8 : 40));
  for (int g : {16, 192}) RUN(NAMED("memory_hard", g), k_memory_hard, g, 64, 0, INTS("seed", g * 64, 1), buf("scratch", (size_t)g * 64 * 64 * 64, ZERO), OUT("out", g * 64), i32(g < 100 ? 8 : 64));
  for (int lg : {14, 20}) RUN(NAMED("siphash_2e", lg), k_siphash, (1 << lg) / 256, 256, 0, INTS("text", (21 << lg) / 4, 1), OUT("out", 2 << lg), i32(1 << lg));
  for (int n : {256, 1024}) RUN(NAMED("raster_tiles", n), k_raster_tiles, dim3(n / 16, n / 16), dim3(16, 16), 0, INTS("tri", 8192, 1), OUT("out", n * n), i32(n < 512 ? 500 : 4096), i32(n));
  for (int n : {128, 1024}) RUN(NAMED("terrain", n), k_terrain, dim3(n / 32, n / 4), dim3(32, 4), 0, OUT("height", n * n), i32(n), i32(6));
  for (int lg : {13, 20}) RUN(NAMED("skinning_2e", lg), k_skinning, (1 << lg) / 256, 256, 0, IN("in", 9 << lg, 1), IN("bone", 768, 2), OUT("out", 6 << lg), i32(1 << lg));
  for (int n : {128, 512}) RUN(NAMED("voxel_walk", n), k_voxel_walk, dim3(n / 16, n / 8), dim3(16, 8), 0, INTS("grid", 128 * 128 * 128, 1), OUT("out", n * n), i32(n), i32(n < 256 ? 32 : 128));
  for (int n : {64, 256}) RUN(NAMED("path_trace", n), k_path_trace, dim3(n / 8, n / 8), dim3(8, 8), 0, OUT("out", n * n * 4), i32(n), i32(n < 128 ? 2 : 8));
  for (int v : {128, 256}) RUN(NAMED("error_diffusion", v), k_error_diffusion, v < 200 ? 16 : 512, 64, 65 * (v + 2) * 4, INTS("in", 512 * 16 * v, 1), OUT("out", 512 * 16 * v), i32(v));
  for (int g : {1, 132}) RUN(NAMED("seams", g), k_seams, g, 1024, 0, INTS("image", g * 96 * 256, 1), OUT("cost", g * 1024), OUT("from", g * 96 * 256), i32(g < 2 ? 16 : 96));
  for (int lg : {15, 22}) RUN(NAMED("tone_map_half_2e", lg), k_tone_map_half, lg < 20 ? 132 : 1056, 192, 0, INTS("in", 2 << lg, 1), OUT("out", 2 << lg), i32(1 << lg));
  for (int n : {32, 192}) RUN(NAMED("cube_cases", n), k_cube_cases, dim3(n / 8, n / 8, n / 4), dim3(8, 8, 4), 0, IN("field", (n + 1) * (n + 1) * (n + 1), 1), OUT("kind", n * n * n / 4), OUT("triangles", 1), i32(n));
  for (int g : {16, 528}) RUN(NAMED("four_in_row", g), k_four_in_row, g, 64, 0, INTS("seed", g * 64, 1), OUT("wins", g * 64), i32(g < 100 ? 1 : 4));
  for (int n : {66, 2112}) RUN(NAMED("adaptive_filter", n), k_adaptive_filter, n / 2, 64, 0, IN("in", n * 256, 1), IN("wanted", n * 256, 2), OUT("error", n * 256), i32(n), i32(n < 100 ? 64 : 256));
  for (int g : {33, 528}) RUN(NAMED("channelizer", g), k_channelizer, g, 256, 0, IN("in", (g * 32 + 2) * 1024, 1), IN("taps", 2048, 2), OUT("out", g * 32 * 1024), i32(g < 100 ? 4 : 32));
  for (int lg : {13, 20}) RUN(NAMED("parity_checks_2e", lg), k_parity_checks, (1 << lg) / 128, 128, 0, INTS("bit", 6 << lg, 1), INTS("soft", (2 << lg) / 4, 2), INTS("old", (6 << lg) / 4, 3), OUT("message", (6 << lg) / 4), i32(1 << lg), i32((2 << lg) - 1));
  for (int n : {1024, 8192}) RUN(NAMED("selective_scan", n), k_selective_scan, n / 64, 64, 0, IN("u", n * 128, 1), IN("step", n * 128, 2), IN("b", 128 * 16, 3), IN("c", 128 * 16, 4), OUT("y", n * 128), i32(n), i32(n < 2048 ? 16 : 128));
  for (int g : {8, 264}) RUN(NAMED("ctc_loss", g), k_ctc_loss, g, 128, 0, IN("score", g * 128 * 64, 1), INTS("label", g * 50, 2), OUT("loss", g), i32(g < 100 ? 16 : 128), i32(g < 100 ? 10 : 50));
  for (int n : {500, 4096}) RUN(NAMED("suppress_boxes", n), k_suppress_boxes, dim3((n + 63) / 64, (n + 63) / 64), 64, 0, IN("box", n * 4, 1), OUT("mask", (n + 63) / 64 * n * 2), i32(n));
  for (int n : {32, 128}) RUN(NAMED("winograd_tiles", n), k_winograd_tiles, n * n * n / 4 / 128, 128, 0, IN("in", n * (n + 2) * (n + 2), 1), OUT("out", n * n * n * 4), i32(n), i32(n * n * n / 4));
  for (int n : {256, 1024}) RUN(NAMED("gemm_copy_async", n), k_gemm_copy_async, dim3(n / 64, n / 64), 256, 69632, IN("a", n * 512, 1), IN("b", n * 512, 2), OUT("c", n * n), i32(n), i32(n < 512 ? 256 : 512));
  for (int lg : {12, 17}) RUN(NAMED("forest_2e", lg), k_forest, (1 << lg) / 256, 256, 0, IN("feature", 32 << lg, 1), INTS("which", 32 * 255, 2), IN("threshold", 32 * 255, 3), IN("leaf", 32 * 256, 4), OUT("out", 1 << lg), i32(1 << lg), i32(lg < 16 ? 8 : 32));
  for (int g : {32, 2048}) RUN(NAMED("softmax_online_half", g), k_softmax_online_half, g, 384, 0, INTS("in", g * 4096, 1), OUT("out", g * 4096), i32(g < 100 ? 1024 : 4096));
  for (int lg : {10, 15}) RUN(NAMED("skip_gram_2e", lg), k_skip_gram, (1 << lg) / 8, 256, 0, INTS("pair", 2 << lg, 1), buf("centre", F(128 << lg), HASH_F32, 2), buf("context", F(128 << lg), HASH_F32, 3), i32(1 << lg), i32((1 << lg) - 1));
  for (int g : {33, 264}) RUN(NAMED("sobol_asian", g), k_sobol_asian, g, 512, 0, OUT("part", 2 * g), i32(g < 100 ? 33 * 512 : 1 << 19));
  for (int n : {4224, 65536}) RUN(NAMED("implied_volatility", n), k_implied_volatility, n / 128, 128, 0, IN("strike", n, 1), IN("quote", n, 2), OUT("out", 2 * n), i32(n));
  for (int n : {2000, 15000}) RUN(NAMED("bootstrap", n), k_bootstrap, n < 4096 ? 8 : 132, 1024, n * 4, IN("in", n, 1), OUT("out", 132 * 1024 * 2), i32(n), i32(n < 4096 ? 32 : 500));
  for (int n : {1024, 8192}) RUN(NAMED("kendall", n), k_kendall, dim3(n / 256, n / 256), 256, 0, INTS("x", n, 1), INTS("y", n, 2), OUT("sum", 4));
  for (int n : {256, 2048}) RUN(NAMED("two_opt", n), k_two_opt, n < 512 ? 32 : 264, 256, n * 8, IN("city", 2 * n, 1), INTS("order", n, 2), OUT("best", 2 * 264), i32(n), i32(n * (n - 1) / 2));
}
