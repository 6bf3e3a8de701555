#include <cstdint>
#define K extern "C" __global__ void
//! star_3d_r2 16 256 buffer:u:1MiB:hash_f32:1 buffer:v:1MiB:zero i32:64 i32:64 i32:64
K star_3d_r2(const float* __restrict__ u, float* v, int nx, int ny, int nz) {
  int x = blockIdx.x % 2 * 32 + (threadIdx.x & 31), y = blockIdx.x / 2 * 8 + (threadIdx.x >> 5); int pl = nx * ny, p = y * nx + x;
  if (x < 2 || y < 2 || x >= nx - 2 || y >= ny - 2) return;
  float b2 = u[p], b1 = u[p + pl], c = u[p + 2 * pl], f1 = u[p + 3 * pl];
  for (int z = 2; z < nz - 2; z++) {
    float f2 = u[p + (z + 2) * pl]; const float* q = u + p + z * pl;
    v[p + z * pl] = 0.5f * c + 0.1f * (b1 + f1 + q[1] + q[-1] + q[nx] + q[-nx]) + 0.02f * (b2 + f2 + q[2] + q[-2] + q[2 * nx] + q[-2 * nx]);
    b2 = b1; b1 = c; c = f1; f1 = f2;
  }
}
__device__ float conduct(float g, float k) { float t = g / k; return expf(-t * t); }
//! perona_malik 64 256 buffer:u:64KiB:hash_f32:2 buffer:v:64KiB:zero i32:128 i32:128 f32:12.0
K perona_malik(const float* u, float* v, int w, int h, float k) {
  int i = blockIdx.x * 256 + threadIdx.x, x = i % w, y = i / w; float c = u[i];
  float n = y > 0 ? u[i - w] - c : 0, s = y < h - 1 ? u[i + w] - c : 0, e = x < w - 1 ? u[i + 1] - c : 0, o = x > 0 ? u[i - 1] - c : 0;
  v[i] = c + 0.2f * (conduct(n, k) * n + conduct(s, k) * s + conduct(e, k) * e + conduct(o, k) * o);
}
//! line_relax 4 64 buffer:u:64KiB:hash_f32:3 i32:64 i32:256
K line_relax(float* u, int n, int st) {
  int i = blockIdx.x * 64 + threadIdx.x; float prev = u[i];
  for (int k = 1; k < n - 1; k++) { float c = u[k * st + i], nx = u[(k + 1) * st + i]; prev = 0.3f * prev + 0.4f * c + 0.3f * nx; u[k * st + i] = prev; }
}
__device__ float weno5(float a, float b, float c, float d, float e) {
  float b0 = 13.f / 12 * (a - 2 * b + c) * (a - 2 * b + c) + 0.25f * (a - 4 * b + 3 * c) * (a - 4 * b + 3 * c);
  float b1 = 13.f / 12 * (b - 2 * c + d) * (b - 2 * c + d) + 0.25f * (b - d) * (b - d);
  float b2 = 13.f / 12 * (c - 2 * d + e) * (c - 2 * d + e) + 0.25f * (3 * c - 4 * d + e) * (3 * c - 4 * d + e);
  float w0 = 0.1f / ((1e-6f + b0) * (1e-6f + b0)), w1 = 0.6f / ((1e-6f + b1) * (1e-6f + b1)), w2 = 0.3f / ((1e-6f + b2) * (1e-6f + b2));
  return (w0 * (2 * a - 7 * b + 11 * c) + w1 * (-b + 5 * c + 2 * d) + w2 * (2 * c + 5 * d - e)) / (6 * (w0 + w1 + w2));
}
//! weno_flux 32 256 buffer:u:32KiB:hash_f32:4 buffer:f:32KiB:zero i32:8192
K weno_flux(const float* u, float* f, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i >= 2 && i < n - 2) f[i] = weno5(u[i - 2], u[i - 1], u[i], u[i + 1], u[i + 2]); }
//! scharr_tile 64 256 buffer:u:64KiB:hash_f32:5 buffer:g:64KiB:zero i32:128 i32:128
K scharr_tile(const float* u, float* g, int w, int h) {
  __shared__ float s[18][18]; int tx = threadIdx.x % 16, ty = threadIdx.x / 16, bx = blockIdx.x % (w / 16) * 16, by = blockIdx.x / (w / 16) * 16;
  for (int k = threadIdx.x; k < 324; k += 256) { int yy = min(max(by + k / 18 - 1, 0), h - 1), xx = min(max(bx + k % 18 - 1, 0), w - 1); s[k / 18][k % 18] = u[yy * w + xx]; }
  __syncthreads();
  float gx = 3 * (s[ty][tx + 2] - s[ty][tx]) + 10 * (s[ty + 1][tx + 2] - s[ty + 1][tx]) + 3 * (s[ty + 2][tx + 2] - s[ty + 2][tx]);
  float gy = 3 * (s[ty + 2][tx] - s[ty][tx]) + 10 * (s[ty + 2][tx + 1] - s[ty][tx + 1]) + 3 * (s[ty + 2][tx + 2] - s[ty][tx + 2]);
  g[(by + ty) * w + bx + tx] = sqrtf(gx * gx + gy * gy);
}
__device__ void order(unsigned char& a, unsigned char& b) { unsigned char t = min(a, b); b = max(a, b); a = t; }
//! median5_rgba 64 128 buffer:i:32772:hash_i32:6 buffer:o:32KiB:zero i32:8188
K median5_rgba(const uchar4* in, uchar4* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x; if (i >= n) return; unsigned char v[4][5];
  for (int k = 0; k < 5; k++) { uchar4 p = in[i + k]; v[0][k] = p.x; v[1][k] = p.y; v[2][k] = p.z; v[3][k] = p.w; }
  for (int c = 0; c < 4; c++) { order(v[c][0], v[c][1]); order(v[c][3], v[c][4]); order(v[c][0], v[c][3]); order(v[c][1], v[c][4]); order(v[c][1], v[c][2]); order(v[c][2], v[c][3]); order(v[c][1], v[c][2]); }
  out[i] = make_uchar4(v[0][2], v[1][2], v[2][2], v[3][2]);
}
__device__ float cubic(float t, float a, float b, float c, float d) { return b + 0.5f * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a))); }
//! bicubic 64 256 buffer:i:64KiB:hash_f32:7 buffer:o:64KiB:zero i32:128 i32:128 f32:0.83 f32:0.41
K bicubic(const float* in, float* out, int w, int h, float sx, float sy) {
  int i = blockIdx.x * 256 + threadIdx.x; float fx = (i % w) * sx + 0.3f, fy = (i / w) * sy + 0.1f; int x = (int)floorf(fx), y = (int)floorf(fy); float tx = fx - x, ty = fy - y; float r[4];
  for (int k = 0; k < 4; k++) { int yy = min(max(y + k - 1, 0), h - 1); const float* p = in + yy * w;
    r[k] = cubic(tx, p[min(max(x - 1, 0), w - 1)], p[min(max(x, 0), w - 1)], p[min(max(x + 1, 0), w - 1)], p[min(max(x + 2, 0), w - 1)]); }
  out[i] = cubic(ty, r[0], r[1], r[2], r[3]);
}
__device__ float to_srgb(float c) { return c <= 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1 / 2.4f) - 0.055f; }
//! srgb_pack 32 256 buffer:i:128KiB:hash_f32:8 buffer:o:32KiB:zero
K srgb_pack(const float4* in, uint32_t* out) {
  int i = blockIdx.x * 256 + threadIdx.x; float4 c = in[i];
  uint32_t r = (uint32_t)(__saturatef(to_srgb(c.x * 0.02f)) * 255 + 0.5f), g = (uint32_t)(__saturatef(to_srgb(c.y * 0.02f)) * 255 + 0.5f), b = (uint32_t)(__saturatef(to_srgb(c.z * 0.02f)) * 255 + 0.5f);
  out[i] = r | g << 8 | b << 16 | 0xff000000u;
}
//! non_local_means 16 256 buffer:i:16KiB:hash_f32:9 buffer:o:16KiB:zero i32:64 i32:64
K non_local_means(const float* in, float* out, int w, int h) {
  int i = blockIdx.x * 256 + threadIdx.x, x = i % w, y = i / w; if (x < 3 || y < 3 || x >= w - 3 || y >= h - 3) return;
  float sum = 0, ws = 0;
  for (int dy = -2; dy <= 2; dy++) for (int dx = -2; dx <= 2; dx++) {
    float d = 0;
    for (int py = -1; py <= 1; py++) for (int px = -1; px <= 1; px++) { float t = in[(y + py) * w + x + px] - in[(y + dy + py) * w + x + dx + px]; d += t * t; }
    float k = __expf(-d * 0.001f); sum += k * in[(y + dy) * w + x + dx]; ws += k; }
  out[i] = sum / ws;
}
//! local_labels 16 256 buffer:i:16KiB:hash_i32:10 buffer:o:16KiB:zero
K local_labels(const int* in, int* out) {
  __shared__ int l[18 * 18]; __shared__ int changed; int tx = threadIdx.x & 15, ty = threadIdx.x >> 4, p = (ty + 1) * 18 + tx + 1;
  for (int k = threadIdx.x; k < 324; k += 256) l[k] = 0;
  __syncthreads();
  int i = blockIdx.x * 256 + threadIdx.x; bool on = in[i] & 3; int mine = on ? threadIdx.x + 1 : 0; l[p] = mine;
  do {
    __syncthreads(); if (threadIdx.x == 0) changed = 0; __syncthreads();
    if (on) { int m = max(max(l[p - 1], l[p + 1]), max(l[p - 18], l[p + 18])); if (m > mine) { mine = m; changed = 1; } }
    __syncthreads(); l[p] = mine; 
  } while (changed);
  out[i] = mine;
}
//! yuv_threshold 32 256 buffer:i:32KiB:hash_i32:11 buffer:o:1KiB:zero i32:90
K yuv_threshold(const uchar4* in, uint32_t* o, int t) {
  int i = blockIdx.x * 256 + threadIdx.x; uchar4 c = in[i]; int y = (66 * c.x + 129 * c.y + 25 * c.z + 128 >> 8) + 16; unsigned m = __ballot_sync(~0u, y > t); if ((i & 31) == 0) o[i >> 5] = m;
}
//! gauss7_rows 32 256 buffer:i:32KiB:hash_f32:12 buffer:o:32KiB:zero i32:128
K gauss7_rows(const float* in, float* o, int w) {
  const float k[7] = {0.03f, 0.11f, 0.22f, 0.28f, 0.22f, 0.11f, 0.03f};
  int i = blockIdx.x * 256 + threadIdx.x, x = i % w; float s = 0;
  for (int d = -3; d <= 3; d++) { int xx = x + d; if (xx >= 0 && xx < w) s += k[d + 3] * in[i + d]; }
  o[i] = s;
}
