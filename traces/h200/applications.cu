// The inner kernels of applications, as their authors would write them: neural networks, images, physics, databases and text,
// codes and hashes, sparse matrices and graphs, simulation. None was seen while the model was made; they say how far it
// carries over.
#include "harness.cuh"
#include <cuda_fp16.h>

#define GLOBAL_X (blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_Y (blockIdx.y * blockDim.y + threadIdx.y)

// ---------------------------------------------------------------- neural networks
// One query a block of 128 threads: scores over all keys, softmax, weighted sum of values. 64 elements a head.
K k_attention_one_query(const float* q, const float* k, const float* v, float* out, int keys) {
  extern __shared__ float score[]; __shared__ float part[4]; __shared__ float query[64];
  int t = threadIdx.x, lane = t & 31, w = t >> 5; size_t head = (size_t)blockIdx.x * keys * 64;
  if (t < 64) query[t] = q[blockIdx.x * 64 + t] * 0.002f;
  __syncthreads();
  float most = -1e30f;
  for (int j = w; j < keys; j += 4) {
    float s = query[lane] * k[head + j * 64 + lane] + query[lane + 32] * k[head + j * 64 + lane + 32];
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    if (lane == 0) score[j] = s;
    most = fmaxf(most, s);
  }
  if (lane == 0) part[w] = most;
  __syncthreads();
  most = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));
  __syncthreads();
  float sum = 0;
  for (int j = t; j < keys; j += 128) { float e = __expf(score[j] - most); score[j] = e; sum += e; }
  for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if (lane == 0) part[w] = sum;
  __syncthreads();
  sum = part[0] + part[1] + part[2] + part[3];
  if (t < 64) { float a = 0; for (int j = 0; j < keys; j++) a += score[j] * v[head + j * 64 + t]; out[blockIdx.x * 64 + t] = a / sum; }
}
K k_convolution_layer(const float* in, const float* weight, float* out, int side, int channels) {   // 3 x 3, padded by 1
  __shared__ float tile[18][18], w[9]; int x = GLOBAL_X, y = GLOBAL_Y, o = blockIdx.z; float s = 0;
  for (int c = 0; c < channels; c++) {
    int t = threadIdx.y * 16 + threadIdx.x;
    for (int e = t; e < 18 * 18; e += 256) { int gy = blockIdx.y * 16 + e / 18 - 1, gx = blockIdx.x * 16 + e % 18 - 1; tile[e / 18][e % 18] = gy >= 0 && gy < side && gx >= 0 && gx < side ? in[((size_t)c * side + gy) * side + gx] : 0.f; }
    if (t < 9) w[t] = weight[(o * channels + c) * 9 + t];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 9; i++) s += tile[threadIdx.y + i / 3][threadIdx.x + i % 3] * w[i];
    __syncthreads();
  }
  out[((size_t)o * side + y) * side + x] = fmaxf(s, 0.f);
}
K k_max_pool(const float* in, float* out, int side) { int x = GLOBAL_X, y = GLOBAL_Y; size_t p = (size_t)blockIdx.z * side * side; float m = -1e30f; for (int i = 0; i < 4; i++) m = fmaxf(m, in[p + (size_t)(2 * y + i / 2) * side + 2 * x + i % 2]); out[p / 4 + (size_t)y * (side / 2) + x] = m; }
K k_batch_norm(const float* in, const float* mean, const float* variance, const float* gain, float* out, int per_channel, int n) { int i = GLOBAL_X; if (i >= n) return; int c = (i / per_channel) & 63; out[i] = (in[i] - mean[c]) * rsqrtf(fabsf(variance[c]) + 1e-5f) * gain[c]; }
K k_gelu_half(const __half2* in, __half2* out, int n) { int i = GLOBAL_X; if (i >= n) return; float2 v = __half22float2(in[i]); v.x *= 0.01f; v.y *= 0.01f; v.x = 0.5f * v.x * (1.f + tanhf(0.7978845608f * (v.x + 0.044715f * v.x * v.x * v.x))); v.y = 0.5f * v.y * (1.f + tanhf(0.7978845608f * (v.y + 0.044715f * v.y * v.y * v.y))); out[i] = __float22half2_rn(v); }
K k_adam(float* p, const float* g, float* m, float* v, int n, float rate) { int i = GLOBAL_X; if (i >= n) return; float d = g[i], a = 0.9f * m[i] + 0.1f * d, b = 0.999f * fabsf(v[i]) + 0.001f * d * d; m[i] = a; v[i] = b; p[i] -= rate * a / (sqrtf(b) + 1e-8f); }
K k_embedding(const float4* table, const int* token, float4* out, int mask) { out[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = table[(size_t)(token[blockIdx.x] & mask) * blockDim.x + threadIdx.x]; }
K k_matvec_bytes(const int* weight, const int* x, int* out, int words) {   // int8 weights, a warp a row
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31, s = 0; const int4* w = (const int4*)(weight + (size_t)row * words); const int4* v = (const int4*)x;
  for (int i = lane; i < words / 4; i += 32) { int4 a = w[i], b = v[i]; s = __dp4a(a.x, b.x, s); s = __dp4a(a.y, b.y, s); s = __dp4a(a.z, b.z, s); s = __dp4a(a.w, b.w, s); }
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
  if (lane == 0) out[row] = s;
}
K k_rotary(float2* x, int half, int tokens) { int i = GLOBAL_X; if (i >= half * tokens) return; int k = i % half, t = i / half; float a = t * exp2f(-13.2877f * k / half), c = __cosf(a), s = __sinf(a); float2 v = x[i]; x[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c); }
K k_cross_entropy(const float* logit, const int* label, float* loss, int classes) {   // a warp a row
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31; const float* l = logit + (size_t)row * classes; float most = -1e30f, s = 0;
  for (int i = lane; i < classes; i += 32) { float x = l[i] * 0.1f; float m = fmaxf(most, x); s = s * __expf(most - m) + __expf(x - m); most = m; }
  for (int o = 16; o; o >>= 1) { float om = __shfl_xor_sync(~0u, most, o), os = __shfl_xor_sync(~0u, s, o), m = fmaxf(most, om); s = s * __expf(most - m) + os * __expf(om - m); most = m; }
  if (lane == 0) loss[row] = __logf(s) + most - l[label[row] % classes] * 0.1f;
}
K k_recurrent_cell(const float* gates, float* cell, float* hidden, int n) { int i = GLOBAL_X; if (i >= n) return; float a = gates[i] * 0.05f, b = gates[i + n] * 0.05f, c = gates[i + 2 * n] * 0.05f, d = gates[i + 3 * n] * 0.05f; float in = 1.f / (1.f + __expf(-a)), keep = 1.f / (1.f + __expf(-b)), out = 1.f / (1.f + __expf(-d)); float s = keep * cell[i] + in * tanhf(c); cell[i] = s; hidden[i] = out * tanhf(s); }
K k_matrix_half2(const __half2* a, const __half2* b, __half2* c, int n2) {   // n x n halves; a row of a, two columns of b a thread
  __shared__ __half2 ta[16][17], tb[32][16]; int tx = threadIdx.x, ty = threadIdx.y; __half2 s = __float2half2_rn(0.f); int n = n2 * 2;
  for (int k = 0; k < n; k += 32) {
    ta[ty][tx] = __hmul2(a[(blockIdx.y * 16 + ty) * n2 + k / 2 + tx], __float2half2_rn(0.01f)); tb[ty][tx] = b[(size_t)(k + ty) * n2 + blockIdx.x * 16 + tx]; tb[ty + 16][tx] = b[(size_t)(k + ty + 16) * n2 + blockIdx.x * 16 + tx]; __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++) { __half2 v = ta[ty][i]; s = __hfma2(__low2half2(v), tb[2 * i][tx], s); s = __hfma2(__high2half2(v), tb[2 * i + 1][tx], s); }
    __syncthreads();
  }
  c[(blockIdx.y * 16 + ty) * n2 + blockIdx.x * 16 + tx] = s;
}
K k_top_4(const float* in, float* out, int n) {   // the four largest of a row, a warp a row
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31; float b0 = -1e30f, b1 = b0, b2 = b0, b3 = b0;
  for (int i = lane; i < n; i += 32) { float x = in[(size_t)row * n + i]; if (x > b3) { if (x > b1) { b3 = b2; b2 = b1; if (x > b0) { b1 = b0; b0 = x; } else b1 = x; } else { if (x > b2) { b3 = b2; b2 = x; } else b3 = x; } } }
  for (int r = 0; r < 4; r++) { float m = b0; for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o)); unsigned who = __ballot_sync(~0u, b0 == m); if (lane == __ffs(who) - 1) { b0 = b1; b1 = b2; b2 = b3; b3 = -1e30f; out[row * 4 + r] = m; } }
}

// ---------------------------------------------------------------- images
__device__ __forceinline__ void order(int& a, int& b) { int t = min(a, b); b = max(a, b); a = t; }
K k_median_3x3(const unsigned char* in, unsigned char* out, int w, int h) {
  int x = GLOBAL_X, y = GLOBAL_Y; if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return; int p[9];
#pragma unroll
  for (int i = 0; i < 9; i++) p[i] = in[(y + i / 3 - 1) * w + x + i % 3 - 1];
  order(p[1], p[2]); order(p[4], p[5]); order(p[7], p[8]); order(p[0], p[1]); order(p[3], p[4]); order(p[6], p[7]); order(p[1], p[2]); order(p[4], p[5]); order(p[7], p[8]); order(p[0], p[3]); order(p[5], p[8]); order(p[4], p[7]); order(p[3], p[6]); order(p[1], p[4]); order(p[2], p[5]); order(p[4], p[7]); order(p[4], p[2]); order(p[6], p[4]); order(p[4], p[2]);
  out[y * w + x] = p[4];
}
K k_bilateral(const float* in, float* out, int side) { int x = GLOBAL_X, y = GLOBAL_Y; float c = in[y * side + x], s = 0, n = 0; for (int dy = -3; dy <= 3; dy++) for (int dx = -3; dx <= 3; dx++) { int yy = min(max(y + dy, 0), side - 1), xx = min(max(x + dx, 0), side - 1); float v = in[yy * side + xx], d = v - c, w = __expf(-0.02f * (dx * dx + dy * dy) - 0.001f * d * d); s += w * v; n += w; } out[y * side + x] = s / n; }
K k_integral_columns(float* d, int side) { int x = GLOBAL_X; float s = 0; for (int y = 0; y < side; y++) { s += d[(size_t)y * side + x]; d[(size_t)y * side + x] = s; } }
K k_yuv_from_rgb(const uint32_t* in, unsigned char* luma, unsigned char* blue, unsigned char* red, int w) {
  int x = GLOBAL_X, y = GLOBAL_Y, u = 0, v = 0;
  for (int i = 0; i < 4; i++) { uint32_t p = in[(2 * y + i / 2) * w + 2 * x + i % 2]; int r = p & 255, g = (p >> 8) & 255, b = (p >> 16) & 255; luma[(2 * y + i / 2) * w + 2 * x + i % 2] = (66 * r + 129 * g + 25 * b + 4224) >> 8; u += -38 * r - 74 * g + 112 * b; v += 112 * r - 94 * g - 18 * b; }
  blue[y * (w / 2) + x] = (u / 4 + 32896) >> 8; red[y * (w / 2) + x] = (v / 4 + 32896) >> 8;
}
K k_rotate_image(const float* in, float* out, int side, float c, float s) { int x = GLOBAL_X, y = GLOBAL_Y; float fx = c * (x - side / 2) - s * (y - side / 2) + side / 2, fy = s * (x - side / 2) + c * (y - side / 2) + side / 2; int ix = (int)floorf(fx), iy = (int)floorf(fy); float v = 0; if (ix >= 0 && iy >= 0 && ix < side - 1 && iy < side - 1) { float a = fx - ix, b = fy - iy; const float* p = in + iy * side + ix; v = (1 - b) * ((1 - a) * p[0] + a * p[1]) + b * ((1 - a) * p[side] + a * p[side + 1]); } out[y * side + x] = v; }
K k_erode_bits(const uint32_t* in, uint32_t* out, int words, int rows) { int x = GLOBAL_X, y = GLOBAL_Y; uint32_t r = ~0u; for (int d = -1; d <= 1; d++) { int yy = min(max(y + d, 0), rows - 1); uint32_t c = in[yy * words + x], l = x ? in[yy * words + x - 1] : 0, h = x < words - 1 ? in[yy * words + x + 1] : 0; r &= c & __funnelshift_l(l, c, 1) & __funnelshift_r(c, h, 1); } out[y * words + x] = r; }

// ---------------------------------------------------------------- physics
K k_lattice_boltzmann(const float* f, float* g, int w, int h) {   // nine directions, structure of arrays
  const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1}; const float wt[9] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
  int x = GLOBAL_X, y = GLOBAL_Y; size_t n = (size_t)w * h; float v[9], r = 0, ux = 0, uy = 0;
#pragma unroll
  for (int i = 0; i < 9; i++) { int sx = (x - ex[i] + w) % w, sy = (y - ey[i] + h) % h; v[i] = f[i * n + (size_t)sy * w + sx]; r += v[i]; ux += v[i] * ex[i]; uy += v[i] * ey[i]; }
  float q = 1.f / (fabsf(r) + 1000.f); ux *= q; uy *= q; float u2 = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int i = 0; i < 9; i++) { float e = 3.f * (ex[i] * ux + ey[i] * uy); g[i * n + (size_t)y * w + x] = v[i] - 0.6f * (v[i] - wt[i] * r * (1.f + e + 0.5f * e * e - u2)); }
}
K k_spin_lattice(int* spin, const uint32_t* random, int side, int colour) { int x = 2 * GLOBAL_X, y = GLOBAL_Y; x += (y + colour) & 1; int r = (x + 1) & (side - 1), l = (x - 1) & (side - 1), u = (y - 1) & (side - 1), d = (y + 1) & (side - 1); int s = spin[y * side + x] & 1 ? 1 : -1, e = (spin[y * side + r] & 1) + (spin[y * side + l] & 1) + (spin[u * side + x] & 1) + (spin[d * side + x] & 1); float cost = 2.f * s * (2 * e - 4); if (cost <= 0 || (random[(y * side + x) / 2] & 0xffffff) < 16777216.f * __expf(-0.44f * cost)) spin[y * side + x] ^= 1; }
K k_cell_neighbours(const float4* p, const int* start, float* density, int cells, int per) {   // a block a cell of `per` particles, 27 cells around
  int c = blockIdx.x, i = threadIdx.x; float4 q = p[c * per + i]; float s = 0;
  for (int k = 0; k < 27; k++) { int o = (c + (start[k] & 1023)) % cells; for (int j = 0; j < per; j++) { float4 a = p[o * per + j]; float dx = a.x - q.x, dy = a.y - q.y, dz = a.z - q.z, r2 = dx * dx + dy * dy + dz * dz, h = 2500.f - r2; if (h > 0) s += h * h * h * 1e-9f; } }
  density[c * per + i] = s;
}
K k_tridiagonal(const float* a, const float* b, const float* c, float* d, float* work, int n, int systems) {   // one system a thread, interleaved
  int s = GLOBAL_X; if (s >= systems) return; float m = 1.f / (fabsf(b[s]) + 120.f), x = d[s] * m, y = c[s] * m; work[s] = y; d[s] = x;
  for (int i = 1; i < n; i++) { size_t k = (size_t)i * systems + s; m = 1.f / (fabsf(b[k]) + 120.f - a[k] * y); y = c[k] * m; x = (d[k] - a[k] * x) * m; work[k] = y; d[k] = x; }
  for (int i = n - 2; i >= 0; i--) { size_t k = (size_t)i * systems + s; x = d[k] - work[k] * x; d[k] = x; }
}
K k_heat_f64(const double* in, double* out, int side) { int x = GLOBAL_X + 1, y = GLOBAL_Y + 1; if (x >= side - 1 || y >= side - 1) return; size_t i = (size_t)y * side + x; out[i] = in[i] + 0.1 * (in[i - 1] + in[i + 1] + in[i - side] + in[i + side] - 4.0 * in[i]); }
K k_ray_spheres(const float4* sphere, float* depth, int w, int n) { int x = GLOBAL_X, y = GLOBAL_Y; float dx = (x - w / 2) * 0.01f, dy = (y - w / 2) * 0.01f, q = rsqrtf(dx * dx + dy * dy + 1.f), near = 1e9f; dx *= q; dy *= q; for (int i = 0; i < n; i++) { float4 s = sphere[i]; float oz = s.z + 120.f, b = dx * s.x + dy * s.y + q * oz, c = s.x * s.x + s.y * s.y + oz * oz - fabsf(s.w) * 4.f, d = b * b - c; if (d > 0) { float t = b - sqrtf(d); if (t > 0 && t < near) near = t; } } depth[y * w + x] = near; }
K k_small_inverse(const float* in, float* out, int n) {   // 4 x 4, one a thread, row by row
  int t = GLOBAL_X; if (t >= n) return; float m[4][4], r[4][4];
#pragma unroll
  for (int i = 0; i < 16; i++) { m[i / 4][i % 4] = in[(size_t)t * 16 + i] + (i % 5 == 0 ? 200.f : 0.f); r[i / 4][i % 4] = i % 5 == 0; }
#pragma unroll
  for (int k = 0; k < 4; k++) { float d = 1.f / m[k][k];
#pragma unroll
    for (int j = 0; j < 4; j++) { m[k][j] *= d; r[k][j] *= d; }
#pragma unroll
    for (int i = 0; i < 4; i++) if (i != k) { float f = m[i][k];
#pragma unroll
      for (int j = 0; j < 4; j++) { m[i][j] -= f * m[k][j]; r[i][j] -= f * r[k][j]; } } }
#pragma unroll
  for (int i = 0; i < 16; i++) out[(size_t)t * 16 + i] = r[i / 4][i % 4];
}
K k_cholesky_tile(float* a, int n) {   // 32 x 32 tiles, one a block of 32 threads
  __shared__ float t[32][33]; int x = threadIdx.x; size_t o = (size_t)blockIdx.x * 1024; for (int i = 0; i < 32; i++) t[i][x] = a[o + i * 32 + x] * 0.01f + (i == x ? 40.f : 0.f); __syncwarp();
  for (int k = 0; k < n; k++) { float d = sqrtf(fabsf(t[k][k])); __syncwarp(); if (x == k) t[k][k] = d; else if (x > k) t[x][k] /= d; __syncwarp(); if (x > k) for (int j = k + 1; j <= x; j++) t[x][j] -= t[x][k] * t[j][k]; __syncwarp(); }
  for (int i = 0; i < 32; i++) a[o + i * 32 + x] = t[i][x];
}

// ---------------------------------------------------------------- transforms and arithmetic
K k_fft_shared_512(const float2* in, float2* out) {   // radix 2 in shared memory, 256 threads, 512 points a block
  __shared__ float2 s[512]; int t = threadIdx.x; const float2* p = in + (size_t)blockIdx.x * 512; s[__brev(t) >> 23] = p[t]; s[__brev(t + 256) >> 23] = p[t + 256]; __syncthreads();
  for (int half = 1; half < 512; half *= 2) { int k = t & (half - 1), i = 2 * (t - k) + k; float a = -3.14159265f * k / half, c = __cosf(a), d = __sinf(a); float2 u = s[i], v = s[i + half]; float2 w = make_float2(v.x * c - v.y * d, v.x * d + v.y * c); s[i] = make_float2((u.x + w.x) * 0.7f, (u.y + w.y) * 0.7f); s[i + half] = make_float2((u.x - w.x) * 0.7f, (u.y - w.y) * 0.7f); __syncthreads(); }
  out[(size_t)blockIdx.x * 512 + t] = s[t]; out[(size_t)blockIdx.x * 512 + t + 256] = s[t + 256];
}
K k_polynomial_f64(const double* in, double* out, int n) { int i = GLOBAL_X; if (i >= n) return; double x = in[i] * 1e-300, s = 1.0; 
#pragma unroll
  for (int k = 0; k < 24; k++) s = s * x + 0.1 * k; out[i] = s; }
K k_monte_carlo_price(float* out, int paths, int steps) { uint32_t c = GLOBAL_X, s = 0; float sum = 0; for (int p = 0; p < paths; p++) { float v = 100.f; for (int t = 0; t < steps; t += 2) { uint32_t a = mix32(c * 7919u + s++), b = mix32(a + 0x9e3779b9u); float u = ((a >> 8) + 1) * 5.9604645e-8f, w = (b >> 8) * 5.9604645e-8f, r = sqrtf(-2.f * __logf(u)), q = 6.2831853f * w; v *= __expf(0.01f * r * __cosf(q) - 0.0001f); v *= __expf(0.01f * r * __sinf(q) - 0.0001f); } sum += fmaxf(v - 100.f, 0.f); } out[c] = sum; }
K k_big_numbers(const uint32_t* a, const uint32_t* b, uint32_t* out, int n) {   // product of two 256-bit numbers, one a thread, interleaved
  int i = GLOBAL_X; uint32_t x[8], y[8], r[16] = {};
#pragma unroll
  for (int k = 0; k < 8; k++) { x[k] = a[i + k * n] * 257u; y[k] = b[i + k * n] * 65599u; }
#pragma unroll
  for (int k = 0; k < 8; k++) { uint64_t c = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) { c += (uint64_t)x[k] * y[j] + r[k + j]; r[k + j] = (uint32_t)c; c >>= 32; } r[k + 8] = (uint32_t)c; }
#pragma unroll
  for (int k = 0; k < 16; k++) out[i + k * n] = r[k];
}
K k_collatz(const uint32_t* in, uint32_t* out, int n) { int i = GLOBAL_X; if (i >= n) return; uint32_t x = (in[i] & 0xfffff) + 1, c = 0; while (x != 1 && c < 500) { x = x & 1 ? 3 * x + 1 : x >> 1; c++; } out[i] = c; }
K k_primes(uint32_t* out, int n) { int i = GLOBAL_X; if (i >= n) return; uint32_t v = 2 * i + 1, p = v > 1; for (uint32_t d = 3; d * d <= v; d += 2) if (v % d == 0) { p = 0; break; } out[i] = p; }

// ---------------------------------------------------------------- databases and text
K k_filter_sum(const int* price, const int* discount, const int* quantity, const int* date, unsigned long long* out, int n) { unsigned long long s = 0; for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) if ((date[i] & 7) < 3 && (discount[i] & 15) >= 5 && (quantity[i] & 63) < 24) s += (unsigned long long)(price[i] & 0xffff) * (discount[i] & 15); for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o); if ((threadIdx.x & 31) == 0) atomicAdd(out, s); }
K k_group_by(const int* key, const int* value, unsigned long long* sum, int groups, int n) { __shared__ int s[1024]; for (int i = threadIdx.x; i < groups; i += blockDim.x) s[i] = 0; __syncthreads(); for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[key[i] & (groups - 1)], value[i] & 255); __syncthreads(); for (int i = threadIdx.x; i < groups; i += blockDim.x) atomicAdd(&sum[i], (unsigned long long)s[i]); }
K k_hash_build(const int* key, int* table, int mask, int n) { int i = GLOBAL_X; if (i >= n) return; int k = key[i] | 1; uint32_t h = mix32(k); for (int t = 0; t < 64; t++) { int old = atomicCAS(&table[(h + t) & mask], 0, k); if (old == 0 || old == k) return; } }
K k_columns_from_rows(const int4* row, int* a, int* b, int* c, int* d, int n) { int i = GLOBAL_X; if (i < n) { int4 v = row[i]; a[i] = v.x; b[i] = v.y; c[i] = v.z; d[i] = v.w; } }
K k_string_search(const unsigned char* text, int* found, int n) { int i = GLOBAL_X; if (i >= n - 4) return; const unsigned char p[4] = {17, 3, 0, 9}; int k = 0; while (k < 4 && (text[i + k] & 31) == p[k]) k++; if (k >= 2) atomicAdd(&found[k], 1); }
K k_base64(const unsigned char* in, unsigned char* out, int n) { __shared__ unsigned char code[64]; if (threadIdx.x < 64) { int c = threadIdx.x; code[c] = c < 26 ? 'A' + c : c < 52 ? 'a' + c - 26 : c < 62 ? '0' + c - 52 : c == 62 ? '+' : '/'; } __syncthreads(); int i = GLOBAL_X; if (i >= n) return; uint32_t v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2]; uchar4 o = make_uchar4(code[v >> 18], code[(v >> 12) & 63], code[(v >> 6) & 63], code[v & 63]); ((uchar4*)out)[i] = o; }
K k_edit_distance(const unsigned char* a, const unsigned char* b, int* out, int n) {   // one pair of 32 letters a thread
  int t = GLOBAL_X; if (t >= n) return; unsigned char row[33]; for (int j = 0; j <= 32; j++) row[j] = j;
  for (int i = 1; i <= 32; i++) { int diagonal = row[0], left = i; row[0] = i; int x = a[t * 32 + i - 1] & 3;
#pragma unroll
    for (int j = 1; j <= 32; j++) { int up = row[j], y = b[t * 32 + j - 1] & 3, v = min(min(up, left) + 1, diagonal + (x != y)); diagonal = up; row[j] = left = v; } }
  out[t] = row[32];
}
K k_run_lengths(const int* in, int* first, int n) { int i = GLOBAL_X; if (i >= n) return; int me = in[i] & 3, before = i ? in[i - 1] & 3 : -1; unsigned m = __ballot_sync(~0u, me != before); int lane = threadIdx.x & 31; if (me != before) { unsigned later = m & ~((2u << lane) - 1); first[i] = later ? __ffs(later) - 1 - lane : 32 - lane; } }

// ---------------------------------------------------------------- codes and hashes
K k_crc_table(const uint32_t* data, uint32_t* out, int words) { __shared__ uint32_t table[256]; uint32_t c = threadIdx.x; for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1; table[threadIdx.x] = c; __syncthreads(); int i = GLOBAL_X, total = gridDim.x * blockDim.x; c = ~0u; for (int w = 0; w < words; w++) { uint32_t v = data[i + w * total]; for (int k = 0; k < 4; k++) { c = table[(c ^ v) & 255] ^ (c >> 8); v >>= 8; } } out[i] = ~c; }
K k_sha_rounds(const uint32_t* in, uint32_t* out, int n) {
  int i = GLOBAL_X; uint32_t w[16], a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
  for (int k = 0; k < 16; k++) w[k] = in[i + k * n];
#pragma unroll 16
  for (int r = 0; r < 64; r++) { uint32_t s1 = __funnelshift_r(e, e, 6) ^ __funnelshift_r(e, e, 11) ^ __funnelshift_r(e, e, 25), t1 = h + s1 + ((e & f) ^ (~e & g)) + 0x428a2f98u * (r + 1) + w[r & 15], s0 = __funnelshift_r(a, a, 2) ^ __funnelshift_r(a, a, 13) ^ __funnelshift_r(a, a, 22), t2 = s0 + ((a & b) ^ (a & c) ^ (b & c)); uint32_t p = w[(r + 1) & 15], q = w[(r + 14) & 15]; w[r & 15] += (__funnelshift_r(p, p, 7) ^ __funnelshift_r(p, p, 18) ^ (p >> 3)) + w[(r + 9) & 15] + (__funnelshift_r(q, q, 17) ^ __funnelshift_r(q, q, 19) ^ (q >> 10)); h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2; }
  out[i] = a ^ e; out[i + n] = b ^ f; out[i + 2 * n] = c ^ g; out[i + 3 * n] = d ^ h;
}
K k_cipher_tables(const uint4* in, uint4* out, const uint32_t* key, const uint32_t* tables, int rounds) {   // four tables of 256 words in shared memory
  __shared__ uint32_t t[4][256]; for (int k = 0; k < 4; k++) t[k][threadIdx.x] = tables[k * 256 + threadIdx.x] * 2654435761u; __syncthreads(); int i = GLOBAL_X; uint4 s = in[i];
  for (int r = 0; r < rounds; r++) { uint4 n; n.x = t[0][s.x & 255] ^ t[1][(s.y >> 8) & 255] ^ t[2][(s.z >> 16) & 255] ^ t[3][s.w >> 24] ^ key[r * 4]; n.y = t[0][s.y & 255] ^ t[1][(s.z >> 8) & 255] ^ t[2][(s.w >> 16) & 255] ^ t[3][s.x >> 24] ^ key[r * 4 + 1]; n.z = t[0][s.z & 255] ^ t[1][(s.w >> 8) & 255] ^ t[2][(s.x >> 16) & 255] ^ t[3][s.y >> 24] ^ key[r * 4 + 2]; n.w = t[0][s.w & 255] ^ t[1][(s.x >> 8) & 255] ^ t[2][(s.y >> 16) & 255] ^ t[3][s.z >> 24] ^ key[r * 4 + 3]; s = n; }
  out[i] = s;
}
K k_scan_decoded(const unsigned char* in, int* out, int n) { int v[16], t = GLOBAL_X; uint4 d = ((const uint4*)in)[t]; uint32_t w[4] = {d.x, d.y, d.z, d.w}; int s = 0;
#pragma unroll
  for (int k = 0; k < 16; k++) { s += (w[k / 4] >> (8 * (k % 4))) & 255; v[k] = s; } int e = s; for (int o = 1; o < 32; o *= 2) { int x = __shfl_up_sync(~0u, e, o); if ((threadIdx.x & 31) >= o) e += x; } e -= s;
#pragma unroll
  for (int k = 0; k < 16; k++) out[t * 16 + k] = v[k] + e; }

// ---------------------------------------------------------------- sparse matrices and graphs
K k_rank_pull(const int* source, const float* rank, const float* degree, float* out, int per, int mask, int n) { int i = GLOBAL_X; if (i >= n) return; float s = 0; for (int k = 0; k < per; k++) { int j = source[i * per + k] & mask; s += rank[j] / (fabsf(degree[j]) + 1.f); } out[i] = 0.15f + 0.85f * s; }
K k_rank_push(const int* target, const int* value, int* out, int per, int mask) { int i = GLOBAL_X, v = value[i / per]; atomicAdd(&out[target[i] & mask], v & 1023); }
K k_sparse_times_dense(const int* column, const float* value, const float* x, float* y, int per, int mask) { int row = blockIdx.x * blockDim.y + threadIdx.y; float s = 0; for (int k = 0; k < per; k++) s += value[row * per + k] * x[(size_t)(column[row * per + k] & mask) * 32 + threadIdx.x]; y[(size_t)row * 32 + threadIdx.x] = s; }
K k_intersect(const int* a, const int* b, int* out, int len, int n) { int i = GLOBAL_X; if (i >= n) return; const int *p = a + (size_t)i * len, *q = b + (size_t)i * len; int x = 0, y = 0, c = 0, u = p[0] & 15, v = q[0] & 15; while (x < len && y < len) { if (u == v) { c++; x++; y++; if (x < len) u += p[x] & 15; if (y < len) v += q[y] & 15; } else if (u < v) { x++; if (x < len) u += (p[x] & 15) + 1; } else { y++; if (y < len) v += (q[y] & 15) + 1; } } out[i] = c; }
K k_union_labels(const int* edge, int* label, int mask, int n) { int i = GLOBAL_X; if (i >= n) return; int a = edge[2 * i] & mask, b = edge[2 * i + 1] & mask; atomicMin(&label[max(a, b)], min(a, b)); }
K k_segment_max(const float* in, const int* length, float* out, int longest) { int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31, n = length[s] % longest + 1; float m = -1e30f; for (int i = lane; i < n; i += 32) m = fmaxf(m, in[(size_t)s * longest + i]); for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o)); if (lane == 0) out[s] = m; }
K k_floyd_tile(float* d, int n, int k) {   // tiles of 32 in row and column k
  __shared__ float a[32][33], b[32][33]; int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * 32 + x, i = blockIdx.y * 32 + y; for (int r = 0; r < 32; r += 8) { a[y + r][x] = d[(size_t)(i + r) * n + k * 32 + x]; b[y + r][x] = d[(size_t)(k * 32 + y + r) * n + j] ; } __syncthreads(); float v[4]; for (int r = 0; r < 4; r++) v[r] = d[(size_t)(i + r * 8) * n + j];
#pragma unroll 8
  for (int q = 0; q < 32; q++) for (int r = 0; r < 4; r++) v[r] = fminf(v[r], a[y + r * 8][q] + b[q][x]);
  if (blockIdx.x != k && blockIdx.y != k) for (int r = 0; r < 4; r++) d[(size_t)(i + r * 8) * n + j] = v[r];
}

int main(int argc, char** argv) {
  if (argc > 1) g_filter = argv[1]; if (getenv("SKIP_CLOCK")) g_skip_clock = true;
  char name[96]; auto F = [](size_t n) { return n * 4; };
  { float* w; CHECK(cudaMalloc(&w, 4)); for (int i = 0; i < 8; i++) spin_up<<<132 * 8, 256>>>(w, 1 << 16); CHECK(cudaDeviceSynchronize()); CHECK(cudaFree(w)); }
#define N(...) sprintf(name, __VA_ARGS__)
  for (int keys : {256, 2048}) { N("attention_one_query_%d", keys); RUN(name, k_attention_one_query, 132, 128, keys * 4, buf("q", F(132 * 64), HASH_F32, 1), buf("k", F((size_t)132 * keys * 64), HASH_F32, 2), buf("v", F((size_t)132 * keys * 64), HASH_F32, 3), buf("out", F(132 * 64), ZERO, 0, true), i32(keys)); }
  for (int side : {32, 128}) { N("convolution_layer_%d", side); RUN(name, k_convolution_layer, dim3(side / 16, side / 16, 16), dim3(16, 16), 0, buf("in", F(16 * side * side), HASH_F32, 1), buf("weight", F(16 * 16 * 9), HASH_F32, 2), buf("out", F(16 * side * side), ZERO, 0, true), i32(side), i32(16)); }
  for (int side : {128, 1024}) { N("max_pool_%d", side); RUN(name, k_max_pool, dim3(side / 64, side / 16, 8), dim3(32, 8), 0, buf("in", F(8 * side * side), HASH_F32, 1), buf("out", F(2 * side * side), ZERO, 0, true), i32(side)); }
  for (int lg : {16, 22}) { int n = 1 << lg;
    N("batch_norm_2e%d", lg); RUN(name, k_batch_norm, n / 256, 256, 0, buf("in", F(n), HASH_F32, 1), buf("mean", F(64), HASH_F32, 2), buf("variance", F(64), HASH_F32, 3), buf("gain", F(64), HASH_F32, 4), buf("out", F(n), ZERO, 0, true), i32(784), i32(n));
    N("gelu_half_2e%d", lg); RUN(name, k_gelu_half, n / 512, 256, 0, buf("in", F(n / 2), HASH_I32, 1), buf("out", F(n / 2), ZERO, 0, true), i32(n / 2));
    N("adam_2e%d", lg); RUN(name, k_adam, n / 256, 256, 0, buf("p", F(n), HASH_F32, 1, true), buf("g", F(n), HASH_F32, 2), buf("m", F(n), HASH_F32, 3, true), buf("v", F(n), HASH_F32, 4, true), i32(n), i32(0x3a83126f));
    N("rotary_2e%d", lg); RUN(name, k_rotary, n / 256, 256, 0, buf("x", F(2 * n), HASH_F32, 1, true), i32(64), i32(n / 64));
    N("recurrent_cell_2e%d", lg); RUN(name, k_recurrent_cell, n / 256, 256, 0, buf("gates", F((size_t)n * 4), HASH_F32, 1), buf("cell", F(n), HASH_F32, 2, true), buf("hidden", F(n), ZERO, 0, true), i32(n)); }
  for (int tokens : {512, 8192}) { N("embedding_%d", tokens); RUN(name, k_embedding, tokens, 192, 0, buf("table", (size_t)192 * 16 * 32768, HASH_F32, 1), buf("token", F(tokens), HASH_I32, 2), buf("out", (size_t)192 * 16 * tokens, ZERO, 0, true), i32(32767)); }
  for (int rows : {1024, 16384}) { N("matvec_bytes_%d", rows); RUN(name, k_matvec_bytes, rows / 8, 256, 0, buf("weight", (size_t)rows * 4096, HASH_I32, 1), buf("x", 4096, HASH_I32, 2), buf("out", F(rows), ZERO, 0, true), i32(1024));
    N("cross_entropy_%d", rows); RUN(name, k_cross_entropy, rows / 8, 256, 0, buf("logit", F((size_t)rows * 1000), HASH_F32, 1), buf("label", F(rows), HASH_I32, 2), buf("loss", F(rows), ZERO, 0, true), i32(1000));
    N("top_4_%d", rows); RUN(name, k_top_4, rows / 8, 256, 0, buf("in", F((size_t)rows * 512), HASH_F32, 1), buf("out", F(rows * 4), ZERO, 0, true), i32(512)); }
  for (int n : {256, 1024}) { N("matrix_half2_%d", n); RUN(name, k_matrix_half2, dim3(n / 32, n / 16), dim3(16, 16), 0, buf("a", (size_t)n * n * 2, HASH_I32, 1), buf("b", (size_t)n * n * 2, HASH_I32, 2), buf("c", (size_t)n * n * 2, ZERO, 0, true), i32(n / 2)); }

  for (int n : {512, 2048}) {
    N("median_3x3_%d", n); RUN(name, k_median_3x3, dim3(n / 32, n / 8), dim3(32, 8), 0, buf("in", (size_t)n * n, HASH_I32, 1), buf("out", (size_t)n * n, ZERO, 0, true), i32(n), i32(n));
    N("integral_columns_%d", n); RUN(name, k_integral_columns, n / 128, 128, 0, buf("d", F((size_t)n * n), HASH_F32, 1, true), i32(n));
    N("yuv_from_rgb_%d", n); RUN(name, k_yuv_from_rgb, dim3(n / 64, n / 16), dim3(32, 8), 0, buf("in", F((size_t)n * n), HASH_I32, 1), buf("luma", (size_t)n * n, ZERO, 0, true), buf("blue", (size_t)n * n / 4, ZERO, 0, true), buf("red", (size_t)n * n / 4, ZERO, 0, true), i32(n));
    N("rotate_image_%d", n); RUN(name, k_rotate_image, dim3(n / 16, n / 16), dim3(16, 16), 0, buf("in", F((size_t)n * n), HASH_F32, 1), buf("out", F((size_t)n * n), ZERO, 0, true), i32(n), i32(0x3f5db3d7), i32(0x3f000000));
    N("erode_bits_%d", n); RUN(name, k_erode_bits, dim3(n / 32, n / 8), dim3(32, 8), 0, buf("in", F((size_t)n * n), HASH_I32, 1), buf("out", F((size_t)n * n), ZERO, 0, true), i32(n), i32(n)); }
  for (int n : {256, 512}) { N("bilateral_%d", n); RUN(name, k_bilateral, dim3(n / 32, n / 8), dim3(32, 8), 0, buf("in", F((size_t)n * n), HASH_F32, 1), buf("out", F((size_t)n * n), ZERO, 0, true), i32(n)); }

  for (int n : {256, 1024}) { N("lattice_boltzmann_%d", n); RUN(name, k_lattice_boltzmann, dim3(n / 64, n / 4), dim3(64, 4), 0, buf("f", F((size_t)n * n * 9), HASH_F32, 1), buf("g", F((size_t)n * n * 9), ZERO, 0, true), i32(n), i32(n));
    N("spin_lattice_%d", n * 2); RUN(name, k_spin_lattice, dim3(n / 32, n / 4), dim3(32, 8), 0, buf("spin", F((size_t)n * n * 4), HASH_I32, 1, true), buf("random", F((size_t)n * n * 2), HASH_I32, 2), i32(n * 2), i32(0)); 
    N("heat_f64_%d", n); RUN(name, k_heat_f64, dim3(n / 32, n / 8), dim3(32, 8), 0, buf("in", (size_t)n * n * 8, INDEX_U32, 1), buf("out", (size_t)n * n * 8, ZERO, 0, true), i32(n)); }
  for (int c : {132, 2048}) { N("cell_neighbours_%d", c); RUN(name, k_cell_neighbours, c, 32, 0, buf("p", (size_t)c * 32 * 16, HASH_F32, 1), buf("start", F(27), HASH_I32, 2), buf("density", F(c * 32), ZERO, 0, true), i32(c), i32(32)); }
  for (int s : {2048, 32768}) { N("tridiagonal_%d", s); RUN(name, k_tridiagonal, s / 128, 128, 0, buf("a", F((size_t)s * 64), HASH_F32, 1), buf("b", F((size_t)s * 64), HASH_F32, 2), buf("c", F((size_t)s * 64), HASH_F32, 3), buf("d", F((size_t)s * 64), HASH_F32, 4, true), buf("work", F((size_t)s * 64), ZERO, 0), i32(64), i32(s)); }
  RUN("ray_spheres_256", k_ray_spheres, dim3(8, 32), dim3(32, 8), 0, buf("sphere", 64 * 16, HASH_F32, 1), buf("depth", F(65536), ZERO, 0, true), i32(256), i32(64));
  for (int lg : {13, 17}) { int n = 1 << lg; N("small_inverse_2e%d", lg); RUN(name, k_small_inverse, n / 128, 128, 0, buf("in", F((size_t)n * 16), HASH_F32, 1), buf("out", F((size_t)n * 16), ZERO, 0, true), i32(n)); }
  for (int g : {100, 2000}) { N("cholesky_tile_%d", g); RUN(name, k_cholesky_tile, g, 32, 0, buf("a", F(1024 * g), HASH_F32, 1, true), i32(32)); }

  for (int g : {64, 4096}) { N("fft_shared_512_%d", g); RUN(name, k_fft_shared_512, g, 256, 0, buf("in", (size_t)g * 4096, HASH_F32, 1), buf("out", (size_t)g * 4096, ZERO, 0, true)); }
  for (int lg : {15, 20}) { int n = 1 << lg; N("polynomial_f64_2e%d", lg); RUN(name, k_polynomial_f64, n / 256, 256, 0, buf("in", (size_t)n * 8, HASH_I32, 1), buf("out", (size_t)n * 8, ZERO, 0, true), i32(n));
    N("collatz_2e%d", lg); RUN(name, k_collatz, n / 256, 256, 0, buf("in", F(n), HASH_I32, 1), buf("out", F(n), ZERO, 0, true), i32(n)); N("primes_2e%d", lg); RUN(name, k_primes, n / 256, 256, 0, buf("out", F(n), ZERO, 0, true), i32(n));
    N("big_numbers_2e%d", lg - 3); RUN(name, k_big_numbers, n / 8 / 128, 128, 0, buf("a", F(n), HASH_I32, 1), buf("b", F(n), HASH_I32, 2), buf("out", F(n * 2), ZERO, 0, true), i32(n / 8)); }
  for (int g : {66, 528}) { N("monte_carlo_price_g%d", g); RUN(name, k_monte_carlo_price, g, 128, 0, buf("out", F(128 * g), ZERO, 0, true), i32(4), i32(32)); }

  for (int lg : {18, 22}) { int n = 1 << lg;
    N("filter_sum_2e%d", lg); RUN(name, k_filter_sum, 528, 256, 0, buf("price", F(n), HASH_I32, 1), buf("discount", F(n), HASH_I32, 2), buf("quantity", F(n), HASH_I32, 3), buf("date", F(n), HASH_I32, 4), buf("out", 8, ZERO, 0, true), i32(n));
    N("group_by_2e%d", lg); RUN(name, k_group_by, 264, 256, 0, buf("key", F(n), HASH_I32, 1), buf("value", F(n), HASH_I32, 2), buf("sum", 8192, ZERO, 0, true), i32(1024), i32(n));
    N("columns_from_rows_2e%d", lg); RUN(name, k_columns_from_rows, n / 256, 256, 0, buf("row", (size_t)n * 16, HASH_I32, 1), buf("a", F(n), ZERO, 0, true), buf("b", F(n), ZERO, 0, true), buf("c", F(n), ZERO, 0, true), buf("d", F(n), ZERO, 0, true), i32(n));
    N("string_search_2e%d", lg); RUN(name, k_string_search, n / 256, 256, 0, buf("text", n, HASH_I32, 1), buf("found", 32, ZERO, 0, true), i32(n));
    N("base64_2e%d", lg); RUN(name, k_base64, n / 4 / 256, 256, 0, buf("in", n, HASH_I32, 1), buf("out", n, ZERO, 0, true), i32(n / 4));
    N("run_lengths_2e%d", lg); RUN(name, k_run_lengths, n / 256, 256, 0, buf("in", F(n), HASH_I32, 1), buf("first", F(n), ZERO, 0, true), i32(n));
    N("scan_decoded_2e%d", lg); RUN(name, k_scan_decoded, n / 16 / 256, 256, 0, buf("in", n, HASH_I32, 1), buf("out", F(n), ZERO, 0, true), i32(n)); }
  for (int lg : {14, 19}) { int n = 1 << lg;
    N("hash_build_2e%d", lg); RUN(name, k_hash_build, n / 256, 256, 0, buf("key", F(n), HASH_I32, 1), buf("table", F(n * 4), ZERO, 0), i32(n * 4 - 1), i32(n));
    N("crc_table_2e%d", lg); RUN(name, k_crc_table, n / 4 / 256, 256, 0, buf("data", F((size_t)n * 4), HASH_I32, 1), buf("out", F(n / 4), ZERO, 0, true), i32(16));
    N("sha_rounds_2e%d", lg); RUN(name, k_sha_rounds, n / 2 / 128, 128, 0, buf("in", F((size_t)n * 8), HASH_I32, 1), buf("out", F(n * 2), ZERO, 0, true), i32(n / 2));
    N("cipher_tables_2e%d", lg); RUN(name, k_cipher_tables, n / 2 / 256, 256, 0, buf("in", (size_t)n * 8, HASH_I32, 1), buf("out", (size_t)n * 8, ZERO, 0, true), buf("key", F(64), HASH_I32, 2), buf("tables", F(1024), HASH_I32, 3), i32(10)); }
  for (int lg : {12, 16}) { int n = 1 << lg; N("edit_distance_2e%d", lg); RUN(name, k_edit_distance, n / 128, 128, 0, buf("a", n * 32, HASH_I32, 1), buf("b", n * 32, HASH_I32, 2), buf("out", F(n), ZERO, 0, true), i32(n)); }

  for (int lg : {14, 18}) { int n = 1 << lg;
    N("rank_pull_2e%d", lg); RUN(name, k_rank_pull, n / 256, 256, 0, buf("source", F((size_t)n * 8), HASH_I32, 1), buf("rank", F(n), HASH_F32, 2), buf("degree", F(n), HASH_F32, 3), buf("out", F(n), ZERO, 0, true), i32(8), i32(n - 1), i32(n));
    N("rank_push_2e%d", lg); RUN(name, k_rank_push, n * 4 / 256, 256, 0, buf("target", F((size_t)n * 4), HASH_I32, 1), buf("value", F(n), HASH_I32, 2), buf("out", F(n), ZERO, 0, true), i32(4), i32(n - 1));
    N("sparse_times_dense_2e%d", lg - 3); RUN(name, k_sparse_times_dense, n / 8 / 8, dim3(32, 8), 0, buf("column", F((size_t)n * 2), HASH_I32, 1), buf("value", F((size_t)n * 2), HASH_F32, 2), buf("x", F((size_t)n * 4), HASH_F32, 3), buf("y", F((size_t)n * 4), ZERO, 0, true), i32(16), i32(n / 8 - 1));
    N("intersect_2e%d", lg); RUN(name, k_intersect, n / 128, 128, 0, buf("a", F((size_t)n * 32), HASH_I32, 1), buf("b", F((size_t)n * 32), HASH_I32, 2), buf("out", F(n), ZERO, 0, true), i32(32), i32(n));
    N("union_labels_2e%d", lg); RUN(name, k_union_labels, n / 256, 256, 0, buf("edge", F((size_t)n * 2), HASH_I32, 1), buf("label", F(n), INDEX_U32, 2, true), i32(n - 1), i32(n));
    N("segment_max_2e%d", lg - 4); RUN(name, k_segment_max, n / 16 / 8, 256, 0, buf("in", F((size_t)n * 16), HASH_F32, 1), buf("length", F(n / 16), HASH_I32, 2), buf("out", F(n / 16), ZERO, 0, true), i32(256)); }
  for (int n : {256, 2048}) { N("floyd_tile_%d", n); RUN(name, k_floyd_tile, dim3(n / 32, n / 32), dim3(32, 8), 0, buf("d", F((size_t)n * n), HASH_F32, 1, true), i32(n), i32(3)); }
  return 0;
}
