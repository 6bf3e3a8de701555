// Image, video, audio and graphics kernels.
#include <cstdint>
#include <cuda_runtime.h>

#define K extern "C" __global__ void

typedef unsigned char uchar;

__device__ __forceinline__ int clampi(int v, int lo, int hi) { return min(max(v, lo), hi); }
__device__ __forceinline__ uchar saturate_u8(int v) { return (uchar)clampi(v, 0, 255); }

// ------------------------------------------------------------------ bilateral filter, RGBA
#define BLK 16
#define MAX_R 4
#define TILE_W (BLK + 2 * MAX_R)

//! bilateral_rgba 14x10 16x16 buffer:src:140KiB:hash_i32:1 buffer:dst:140KiB:zero i32:218 i32:155 i32:3 f32:2.5 f32:40.0
K bilateral_rgba(const uchar4* __restrict__ src, uchar4* __restrict__ dst, int width, int height, int radius,
                 float sigmaSpace, float sigmaColor) {
  __shared__ uchar4 tile[TILE_W][TILE_W];
  __shared__ float spatial[2 * MAX_R + 1];

  const int tid = threadIdx.y * BLK + threadIdx.x;
  const int ox = blockIdx.x * BLK - radius;
  const int oy = blockIdx.y * BLK - radius;
  const int span = BLK + 2 * radius;

  if (tid <= 2 * radius) {
    float d = (float)(tid - radius);
    spatial[tid] = expf(-0.5f * d * d / (sigmaSpace * sigmaSpace));
  }
  for (int i = tid; i < span * span; i += BLK * BLK) {
    int ty = i / span, tx = i - ty * span;
    int sx = clampi(ox + tx, 0, width - 1);
    int sy = clampi(oy + ty, 0, height - 1);
    tile[ty][tx] = src[sy * width + sx];
  }
  __syncthreads();

  const int x = blockIdx.x * BLK + threadIdx.x;
  const int y = blockIdx.y * BLK + threadIdx.y;
  if (x >= width || y >= height) return;

  const uchar4 c = tile[threadIdx.y + radius][threadIdx.x + radius];
  const float inv = -0.5f / (sigmaColor * sigmaColor);
  float r = 0.f, g = 0.f, b = 0.f, wsum = 0.f;
  for (int dy = 0; dy <= 2 * radius; ++dy) {
    const float wy = spatial[dy];
    for (int dx = 0; dx <= 2 * radius; ++dx) {
      const uchar4 p = tile[threadIdx.y + dy][threadIdx.x + dx];
      const int er = p.x - c.x, eg = p.y - c.y, eb = p.z - c.z;
      const float w = wy * spatial[dx] * __expf(inv * (float)(er * er + eg * eg + eb * eb));
      r += w * p.x;
      g += w * p.y;
      b += w * p.z;
      wsum += w;
    }
  }
  const float norm = 1.f / wsum;
  dst[y * width + x] = make_uchar4(saturate_u8(__float2int_rn(r * norm)), saturate_u8(__float2int_rn(g * norm)),
                                   saturate_u8(__float2int_rn(b * norm)), c.w);
}

// ------------------------------------------------------------------ canny: gradient + NMS + thresholds
struct Gradient {
  short dx, dy;
  int mag;
};

template <int W>
__device__ Gradient sobel_at(const uchar (*img)[W], int x, int y) {
  Gradient g;
  int a = img[y - 1][x - 1], b = img[y - 1][x], c = img[y - 1][x + 1];
  int d = img[y][x - 1], f = img[y][x + 1];
  int h = img[y + 1][x - 1], i = img[y + 1][x], j = img[y + 1][x + 1];
  g.dx = (short)(c + 2 * f + j - a - 2 * d - h);
  g.dy = (short)(h + 2 * i + j - a - 2 * b - c);
  g.mag = abs(g.dx) + abs(g.dy);
  return g;
}

//! canny_nms 20x48 32x8 buffer:img:240KiB:hash_i32:2 buffer:edges:240KiB:zero buffer:strong:64:zero i32:640 i32:380 i32:180 i32:520
K canny_nms(const uchar* __restrict__ img, uchar* __restrict__ edges, int* strong, int width, int height, int lowT,
            int highT) {
  constexpr int TX = 32, TY = 8;
  __shared__ uchar px[TY + 4][TX + 4];
  __shared__ Gradient grad[TY + 2][TX + 2];

  const int tid = threadIdx.y * TX + threadIdx.x;
  const int bx = blockIdx.x * TX, by = blockIdx.y * TY;

  for (int i = tid; i < (TY + 4) * (TX + 4); i += TX * TY) {
    int y = i / (TX + 4), x = i % (TX + 4);
    px[y][x] = img[clampi(by + y - 2, 0, height - 1) * width + clampi(bx + x - 2, 0, width - 1)];
  }
  __syncthreads();
  for (int i = tid; i < (TY + 2) * (TX + 2); i += TX * TY) {
    int y = i / (TX + 2), x = i % (TX + 2);
    grad[y][x] = sobel_at(px, x + 1, y + 1);
  }
  __syncthreads();

  const int x = bx + threadIdx.x, y = by + threadIdx.y;
  int label = 0;
  if (x < width && y < height) {
    const int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    const Gradient g = grad[ly][lx];
    if (g.mag > lowT) {
      // tan(22.5 deg) in 15-bit fixed point picks one of four sectors.
      const int ax = abs(g.dx), ay = abs(g.dy) << 15;
      const int tg22 = ax * 13573;
      int m0, m1;
      if (ay < tg22) {
        m0 = grad[ly][lx - 1].mag;
        m1 = grad[ly][lx + 1].mag;
      } else if (ay > tg22 + (ax << 16)) {
        m0 = grad[ly - 1][lx].mag;
        m1 = grad[ly + 1][lx].mag;
      } else {
        const int s = (g.dx ^ g.dy) < 0 ? -1 : 1;
        m0 = grad[ly - 1][lx - s].mag;
        m1 = grad[ly + 1][lx + s].mag;
      }
      if (g.mag > m0 && g.mag >= m1) label = g.mag > highT ? 255 : 128;
    }
    edges[y * width + x] = (uchar)label;
  }
  int n = __syncthreads_count(label == 255);
  if (tid == 0 && n) atomicAdd(strong, n);
}

// ------------------------------------------------------------------ CLAHE tile mapping
//! clahe_tile_map 9x7 256 buffer:img:256KiB:hash_i32:3 buffer:out:256KiB:zero buffer:lut:16128:zero i32:576 i32:448 i32:40
K clahe_tile_map(const uchar* __restrict__ img, uchar* __restrict__ out, uchar* __restrict__ lut, int pitch,
                 int height, int clipLimit) {
  constexpr int T = 64;
  __shared__ int hist[256];
  __shared__ int wsum[8];
  __shared__ uchar map[256];
  __shared__ int excess;

  const int tid = threadIdx.x;
  const int tileId = blockIdx.y * gridDim.x + blockIdx.x;
  const uchar4* base = reinterpret_cast<const uchar4*>(img + blockIdx.y * T * pitch + blockIdx.x * T);
  uchar4* obase = reinterpret_cast<uchar4*>(out + blockIdx.y * T * pitch + blockIdx.x * T);
  const int qpitch = pitch / 4;

  hist[tid] = 0;
  if (tid == 0) excess = 0;
  __syncthreads();

  for (int i = tid; i < T * T / 4; i += blockDim.x) {
    const uchar4 p = base[(i / (T / 4)) * qpitch + i % (T / 4)];
    atomicAdd(&hist[p.x], 1);
    atomicAdd(&hist[p.y], 1);
    atomicAdd(&hist[p.z], 1);
    atomicAdd(&hist[p.w], 1);
  }
  __syncthreads();

  int h = hist[tid];
  int over = max(h - clipLimit, 0);
  if (over > 0) {
    atomicAdd(&excess, over);
    h = clipLimit;
  }
  __syncthreads();
  const int share = excess / 256, rest = excess % 256;
  h += share;
  if (rest > 0 && tid % max(256 / rest, 1) == 0 && tid / max(256 / rest, 1) < rest) h += 1;

  int cdf = h;
  for (int off = 1; off < 32; off <<= 1) {
    int v = __shfl_up_sync(0xffffffffu, cdf, off);
    if ((tid & 31) >= off) cdf += v;
  }
  if ((tid & 31) == 31) wsum[tid >> 5] = cdf;
  __syncthreads();
  for (int w = 0; w < (tid >> 5); ++w) cdf += wsum[w];
  map[tid] = saturate_u8(__float2int_rn(cdf * (255.f / (T * T))));
  lut[tileId * 256 + tid] = map[tid];
  __syncthreads();

  for (int i = tid; i < T * T / 4; i += blockDim.x) {
    const int at = (i / (T / 4)) * qpitch + i % (T / 4);
    uchar4 p = base[at];
    p.x = map[p.x];
    p.y = map[p.y];
    p.z = map[p.z];
    p.w = map[p.w];
    obase[at] = p;
  }
}

// ------------------------------------------------------------------ van Herk / Gil-Werman erosion of rows
//! erode_vhgw_row 200 64 buffer:src:200KiB:hash_i32:4 buffer:dst:200KiB:zero i32:1000 i32:13
K erode_vhgw_row(const uint8_t* __restrict__ src, uint8_t* __restrict__ dst, int width, int k) {
  constexpr int MAXW = 1024;
  constexpr int PAD = 64;
  __shared__ uint8_t row[MAXW + PAD];
  __shared__ uint8_t prefix[MAXW + PAD];
  __shared__ uint8_t suffix[MAXW + PAD];

  const uint8_t* in = src + blockIdx.x * 1024;
  const int half = k / 2;
  const int segments = (width + 2 * half + k - 1) / k;
  for (int i = threadIdx.x; i < segments * k; i += blockDim.x) {
    int x = i - half;
    row[i] = (x >= 0 && x < width) ? in[x] : 255;
  }
  __syncthreads();

  // Two tasks per segment: a running minimum forwards and one backwards.
  for (int t = threadIdx.x; t < 2 * segments; t += blockDim.x) {
    const int s = (t >> 1) * k;
    uint8_t best = 255;
    if (t & 1) {
      for (int i = s + k - 1; i >= s; --i) {
        best = min(best, row[i]);
        suffix[i] = best;
      }
    } else {
      for (int i = s; i < s + k; ++i) {
        best = min(best, row[i]);
        prefix[i] = best;
      }
    }
  }
  __syncthreads();
  for (int x = threadIdx.x; x < width; x += blockDim.x)
    dst[blockIdx.x * 1024 + x] = min(suffix[x], prefix[x + k - 1]);
}

// ------------------------------------------------------------------ JPEG forward DCT + quantisation
__constant__ uint8_t kLumaQuant[64] = {
    16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,  14, 13, 16, 24, 40, 57,
    69, 56, 14, 17, 22,  29,  51,  87,  80, 62, 18, 22, 37,  56,  68,  109, 103, 77, 24, 35, 55, 64,
    81, 104, 113, 92, 49, 64, 78,  87,  103, 121, 120, 101, 72, 92, 95, 98,  112, 100, 103, 99};

__constant__ uint8_t kZigZag[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
                                    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// Arai-Agui-Nakajima 8-point DCT (scaled).
__device__ __forceinline__ void dct8(float (&v)[8]) {
  float s07 = v[0] + v[7], d07 = v[0] - v[7];
  float s16 = v[1] + v[6], d16 = v[1] - v[6];
  float s25 = v[2] + v[5], d25 = v[2] - v[5];
  float s34 = v[3] + v[4], d34 = v[3] - v[4];

  float e0 = s07 + s34, e3 = s07 - s34;
  float e1 = s16 + s25, e2 = s16 - s25;
  v[0] = e0 + e1;
  v[4] = e0 - e1;
  float z1 = (e2 + e3) * 0.707106781f;
  v[2] = e3 + z1;
  v[6] = e3 - z1;

  float o0 = d34 + d25, o1 = d25 + d16, o2 = d16 + d07;
  float z5 = (o0 - o2) * 0.382683433f;
  float z2 = 0.541196100f * o0 + z5;
  float z4 = 1.306562965f * o2 + z5;
  float z3 = o1 * 0.707106781f;
  float z11 = d07 + z3, z13 = d07 - z3;
  v[5] = z13 + z2;
  v[3] = z13 - z2;
  v[1] = z11 + z4;
  v[7] = z11 - z4;
}

//! jpeg_fdct_quant 8x38 8x16 buffer:img:304KiB:hash_i32:5 buffer:coef:608KiB:zero buffer:nonzero:19456:zero i32:1024 i32:300 i32:60
K jpeg_fdct_quant(const uchar* __restrict__ img, int16_t* __restrict__ coef, int* __restrict__ nonzero, int pitch,
                  int height, int quality) {
  constexpr int BLOCKS = 16;
  __shared__ float s[BLOCKS][8][9];

  const int r = threadIdx.x;       // row, then column
  const int b = threadIdx.y;       // 8x8 block inside the strip
  const int bx = blockIdx.x * BLOCKS + b;
  const int y = min((int)(blockIdx.y * 8 + r), height - 1);

  const uint2 packed = *reinterpret_cast<const uint2*>(img + y * pitch + bx * 8);
  float v[8];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    v[i] = (float)((packed.x >> (8 * i)) & 255) - 128.f;
    v[i + 4] = (float)((packed.y >> (8 * i)) & 255) - 128.f;
  }
  dct8(v);
#pragma unroll
  for (int i = 0; i < 8; ++i) s[b][r][i] = v[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = s[b][i][r];
  dct8(v);
#pragma unroll
  for (int i = 0; i < 8; ++i) s[b][i][r] = v[i];
  __syncthreads();

  const int scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  const int blockId = blockIdx.y * gridDim.x * BLOCKS + bx;
  int16_t* dst = coef + blockId * 64;
  int count = 0;
  for (int i = r; i < 64; i += 8) {
    const int pos = kZigZag[i];
    const int q = clampi((kLumaQuant[pos] * scale + 50) / 100, 1, 255);
    const int c = __float2int_rn(s[b][pos >> 3][pos & 7] / (8.f * q));
    dst[i] = (int16_t)c;
    count += c != 0;
  }
  for (int off = 4; off > 0; off >>= 1) count += __shfl_down_sync(0xffffffffu, count, off, 8);
  if (r == 0) nonzero[blockId] = count;
}

// ------------------------------------------------------------------ Lucas-Kanade sparse optical flow
struct ImageView {
  const float* data;
  int width, height;
  __device__ float fetch(int x, int y) const {
    return data[clampi(y, 0, height - 1) * width + clampi(x, 0, width - 1)];
  }
  __device__ float sample(float x, float y) const {
    const float fx = floorf(x), fy = floorf(y);
    const int ix = (int)fx, iy = (int)fy;
    const float ax = x - fx, ay = y - fy;
    const float top = fetch(ix, iy) * (1.f - ax) + fetch(ix + 1, iy) * ax;
    const float bot = fetch(ix, iy + 1) * (1.f - ax) + fetch(ix + 1, iy + 1) * ax;
    return top * (1.f - ay) + bot * ay;
  }
};

//! lk_flow_sparse 23 64 buffer:prev:256KiB:hash_f32:6 buffer:cur:256KiB:hash_f32:7 buffer:pts:11776:hash_f32:8 buffer:flow:11776:zero buffer:status:1472:zero i32:1450 i32:256 i32:256 i32:2 i32:5 f32:0.02
K lk_flow_sparse(const float* __restrict__ prev, const float* __restrict__ cur, const float2* __restrict__ pts,
                 float2* __restrict__ flow, uint8_t* __restrict__ status, int npts, int width, int height, int radius,
                 int iterations, float eps) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= npts) return;
  const ImageView I{prev, width, height}, J{cur, width, height};
  const float2 raw = pts[p];
  const float px = (raw.x + 50.f) * 0.01f * width;
  const float py = (raw.y + 50.f) * 0.01f * height;

  float gxx = 0.f, gxy = 0.f, gyy = 0.f;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      const float x = px + dx, y = py + dy;
      const float ix = 0.5f * (I.sample(x + 1.f, y) - I.sample(x - 1.f, y));
      const float iy = 0.5f * (I.sample(x, y + 1.f) - I.sample(x, y - 1.f));
      gxx += ix * ix;
      gxy += ix * iy;
      gyy += iy * iy;
    }
  const float det = gxx * gyy - gxy * gxy;
  if (det < 1e-3f) {
    status[p] = 0;
    return;
  }

  float vx = 0.f, vy = 0.f;
  int it = 0;
  for (; it < iterations; ++it) {
    float bx = 0.f, by = 0.f;
    for (int dy = -radius; dy <= radius; ++dy)
      for (int dx = -radius; dx <= radius; ++dx) {
        const float x = px + dx, y = py + dy;
        const float diff = I.sample(x, y) - J.sample(x + vx, y + vy);
        bx += diff * 0.5f * (I.fetch((int)x + 1, (int)y) - I.fetch((int)x - 1, (int)y));
        by += diff * 0.5f * (I.fetch((int)x, (int)y + 1) - I.fetch((int)x, (int)y - 1));
      }
    const float ux = (gyy * bx - gxy * by) / det;
    const float uy = (gxx * by - gxy * bx) / det;
    vx = fminf(fmaxf(vx + ux, -16.f), 16.f);
    vy = fminf(fmaxf(vy + uy, -16.f), 16.f);
    if (ux * ux + uy * uy < eps) break;
  }
  flow[p] = make_float2(vx, vy);
  status[p] = (uint8_t)(1 + it);
}

// ------------------------------------------------------------------ BVH traversal with triangle leaves
struct Vec3 {
  float x, y, z;
};
__device__ __forceinline__ Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ __forceinline__ float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ __forceinline__ Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

struct Ray {
  Vec3 o, d, inv;
  float tmax;
};

__device__ bool hit_box(const Ray& r, Vec3 c, float h, float& tnear) {
  const float x0 = (c.x - h - r.o.x) * r.inv.x, x1 = (c.x + h - r.o.x) * r.inv.x;
  const float y0 = (c.y - h - r.o.y) * r.inv.y, y1 = (c.y + h - r.o.y) * r.inv.y;
  const float z0 = (c.z - h - r.o.z) * r.inv.z, z1 = (c.z + h - r.o.z) * r.inv.z;
  tnear = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), 0.f));
  const float tfar = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fminf(fmaxf(z0, z1), r.tmax));
  return tnear <= tfar;
}

__device__ bool hit_triangle(const Ray& r, Vec3 a, Vec3 b, Vec3 c, float& t) {
  const Vec3 e1 = b - a, e2 = c - a;
  const Vec3 p = cross(r.d, e2);
  const float det = dot(e1, p);
  if (fabsf(det) < 1e-7f) return false;
  const float inv = 1.f / det;
  const Vec3 s = r.o - a;
  const float u = dot(s, p) * inv;
  if (u < 0.f || u > 1.f) return false;
  const Vec3 q = cross(s, e1);
  const float v = dot(r.d, q) * inv;
  if (v < 0.f || u + v > 1.f) return false;
  t = dot(e2, q) * inv;
  return t > 1e-4f && t < r.tmax;
}

//! bvh_closest_hit 10x12 8x8 buffer:nodes:64KiB:hash_f32:9 buffer:tris:72KiB:hash_f32:10 buffer:depth:30KiB:zero buffer:prim:30KiB:zero i32:80 i32:92 i32:11 f32:0.72
K bvh_closest_hit(const float4* __restrict__ nodes, const Vec3* __restrict__ tris, float* __restrict__ depth,
                  int* __restrict__ prim, int width, int height, int levels, float shrink) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;

  Ray r;
  r.o = {0.f, 0.f, -120.f};
  r.d = {(x + 0.5f) / width - 0.5f, (y + 0.5f) / height - 0.5f, 1.f};
  const float len = rsqrtf(dot(r.d, r.d));
  r.d = {r.d.x * len, r.d.y * len, r.d.z * len};
  r.inv = {1.f / r.d.x, 1.f / r.d.y, 1.f / r.d.z};
  r.tmax = 1e30f;

  const int firstLeaf = 1 << levels;
  int stack[24];
  int top = 0;
  int node = 1;
  int best = -1;
  while (true) {
    if (node >= firstLeaf) {
      const int leaf = node - firstLeaf;
      const Vec3 base = tris[leaf * 3];
      for (int k = 0; k < 2; ++k) {
        const Vec3 e = tris[leaf * 3 + 1 + k];
        const Vec3 b = {base.x + e.y * 0.3f, base.y - e.x * 0.3f, base.z + e.z * 0.1f};
        const Vec3 c = {base.x - e.x * 0.3f, base.y + e.z * 0.3f, base.z - e.y * 0.1f};
        float t;
        if (hit_triangle(r, base, b, c, t)) {
          r.tmax = t;
          best = leaf * 2 + k;
        }
      }
    } else {
      const float half = 55.f * powf(shrink, (float)(31 - __clz(node)));
      const int l = 2 * node, rgt = 2 * node + 1;
      const float4 lc = nodes[l], rc = nodes[rgt];
      float tl, tr;
      const bool hl = hit_box(r, {lc.x, lc.y, lc.z}, half, tl);
      const bool hr = hit_box(r, {rc.x, rc.y, rc.z}, half, tr);
      if (hl && hr) {
        const bool leftFirst = tl <= tr;
        stack[top++] = leftFirst ? rgt : l;
        node = leftFirst ? l : rgt;
        continue;
      }
      if (hl || hr) {
        node = hl ? l : rgt;
        continue;
      }
    }
    if (top == 0) break;
    node = stack[--top];
  }
  depth[y * width + x] = best >= 0 ? r.tmax : -1.f;
  prim[y * width + x] = best;
}

// ------------------------------------------------------------------ tiled triangle rasteriser
struct Edge {
  float a, b, c;
  __device__ float at(float x, float y) const { return a * x + b * y + c; }
};

struct SetupTri {
  Edge e[3];
  float z[3];
  float invArea;
  unsigned rgb;
};

__device__ Edge make_edge(float2 p, float2 q) { return {p.y - q.y, q.x - p.x, p.x * q.y - p.y * q.x}; }

//! raster_tile_depth 9x8 16x16 buffer:verts:26KiB:hash_f32:11 buffer:color:73728:zero buffer:zbuf:73728:zero i32:360 i32:140 i32:125 f32:0.18
K raster_tile_depth(const float* __restrict__ verts, unsigned* __restrict__ color, float* __restrict__ zbuf, int ntris,
                    int width, int height, float size) {
  constexpr int BATCH = 256;
  __shared__ int list[BATCH];
  __shared__ int listCount[8];
  __shared__ SetupTri cache[32];

  const int tid = threadIdx.y * 16 + threadIdx.x;
  const int lane = tid & 31, warp = tid >> 5;
  const float tx0 = blockIdx.x * 16.f, ty0 = blockIdx.y * 16.f;
  const float fx = tx0 + threadIdx.x + 0.5f, fy = ty0 + threadIdx.y + 0.5f;

  float zbest = 1e30f;
  unsigned cbest = 0xff000000u;

  for (int base = 0; base < ntris; base += BATCH) {
    const int tri = base + tid;
    bool keep = false;
    if (tri < ntris) {
      const float* v = verts + tri * 18;
      const float cx = (v[0] + 50.f) * 0.01f * width, cy = (v[1] + 50.f) * 0.01f * height;
      float xmin = cx, xmax = cx, ymin = cy, ymax = cy;
      for (int k = 1; k < 3; ++k) {
        const float px = cx + v[6 * k] * size, py = cy + v[6 * k + 1] * size;
        xmin = fminf(xmin, px);
        xmax = fmaxf(xmax, px);
        ymin = fminf(ymin, py);
        ymax = fmaxf(ymax, py);
      }
      keep = xmin < tx0 + 16.f && xmax > tx0 && ymin < ty0 + 16.f && ymax > ty0;
    }
    const unsigned ballot = __ballot_sync(0xffffffffu, keep);
    if (lane == 0) listCount[warp] = __popc(ballot);
    __syncthreads();
    int at = 0, total = 0;
    for (int w = 0; w < 8; ++w) {
      if (w < warp) at += listCount[w];
      total += listCount[w];
    }
    if (keep) list[at + __popc(ballot & ((1u << lane) - 1u))] = tri;
    __syncthreads();

    for (int first = 0; first < total; first += 32) {
      const int n = min(32, total - first);
      if (tid < n) {
        const int id = list[first + tid];
        const float* v = verts + id * 18;
        float2 p[3];
        SetupTri s;
        p[0] = make_float2((v[0] + 50.f) * 0.01f * width, (v[1] + 50.f) * 0.01f * height);
        p[1] = make_float2(p[0].x + v[6] * size, p[0].y + v[7] * size);
        p[2] = make_float2(p[0].x + v[12] * size, p[0].y + v[13] * size);
        for (int k = 0; k < 3; ++k) {
          s.e[k] = make_edge(p[(k + 1) % 3], p[(k + 2) % 3]);
          s.z[k] = v[6 * k + 2] + 60.f;
        }
        s.invArea = 1.f / s.e[0].at(p[0].x, p[0].y);
        s.rgb = __float_as_uint(v[3]) & 0xffffffu;
        cache[tid] = s;
      }
      __syncthreads();
      for (int i = 0; i < n; ++i) {
        const SetupTri& s = cache[i];
        const float w0 = s.e[0].at(fx, fy) * s.invArea;
        const float w1 = s.e[1].at(fx, fy) * s.invArea;
        const float w2 = s.e[2].at(fx, fy) * s.invArea;
        if (w0 < 0.f || w1 < 0.f || w2 < 0.f) continue;
        const float z = w0 * s.z[0] + w1 * s.z[1] + w2 * s.z[2];
        if (z < zbest) {
          zbest = z;
          cbest = s.rgb | 0xff000000u;
        }
      }
      __syncthreads();
    }
  }
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) {
    color[y * width + x] = cbest;
    zbuf[y * width + x] = zbest;
  }
}

// ------------------------------------------------------------------ NV12 -> RGBA, 4x2 pixels per thread
__device__ __forceinline__ unsigned yuv_to_rgba(int y, int u, int v) {
  const int c = 298 * (y - 16) + 128;
  const int d = u - 128, e = v - 128;
  const int r = clampi((c + 409 * e) >> 8, 0, 255);
  const int g = clampi((c - 100 * d - 208 * e) >> 8, 0, 255);
  const int b = clampi((c + 516 * d) >> 8, 0, 255);
  return (unsigned)(r | (g << 8) | (b << 16)) | 0xff000000u;
}

//! nv12_to_rgba 15x68 32x8 buffer:luma:2040KiB:hash_i32:12 buffer:chroma:1020KiB:hash_i32:13 buffer:rgba:8160KiB:zero i32:1920 i32:1080
K nv12_to_rgba(const uchar* __restrict__ luma, const uchar* __restrict__ chroma, unsigned* __restrict__ rgba,
               int width, int height) {
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  const int y = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
  if (x >= width || y >= height) return;
  const uchar4 uv = *reinterpret_cast<const uchar4*>(chroma + (y / 2) * width + x);
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    const uchar4 l = *reinterpret_cast<const uchar4*>(luma + (y + row) * width + x);
    uint4 o;
    o.x = yuv_to_rgba(l.x, uv.x, uv.y);
    o.y = yuv_to_rgba(l.y, uv.x, uv.y);
    o.z = yuv_to_rgba(l.z, uv.z, uv.w);
    o.w = yuv_to_rgba(l.w, uv.z, uv.w);
    *reinterpret_cast<uint4*>(rgba + (y + row) * width + x) = o;
  }
}

// ------------------------------------------------------------------ IIR equaliser: biquad cascade per channel
struct Biquad {
  float b0, b1, b2, a1, a2;
};

__constant__ Biquad kEq[6] = {{1.0039f, -1.9783f, 0.9755f, -1.9783f, 0.9794f}, {0.9822f, -1.9235f, 0.9472f, -1.9235f, 0.9294f},
                              {1.0511f, -1.7329f, 0.8014f, -1.7329f, 0.8525f}, {0.9348f, -1.2905f, 0.6542f, -1.2905f, 0.5890f},
                              {1.1203f, -0.6741f, 0.3127f, -0.6741f, 0.4330f}, {0.8904f, 0.2119f, 0.1722f, 0.2119f, 0.0626f}};

//! biquad_cascade_eq 12 32 buffer:audio:480KiB:hash_f32:14 buffer:out:480KiB:zero buffer:peak:1536:zero i32:310 i32:370
K biquad_cascade_eq(const float* __restrict__ audio, float* __restrict__ out, float* __restrict__ peak, int samples,
                    int channels) {
  constexpr int STAGES = 6;
  __shared__ float tile[32][33];
  const int ch0 = blockIdx.x * 32;
  const int lane = threadIdx.x;

  float s1[STAGES] = {}, s2[STAGES] = {};
  float loudest = 0.f;
  for (int t0 = 0; t0 < samples; t0 += 32) {
    for (int c = 0; c < 32; ++c) {
      const int t = t0 + lane;
      tile[c][lane] = (ch0 + c < channels && t < samples) ? audio[(ch0 + c) * samples + t] : 0.f;
    }
    __syncwarp();
    for (int t = 0; t < 32; ++t) {
      float x = tile[lane][t];
#pragma unroll
      for (int s = 0; s < STAGES; ++s) {
        const Biquad q = kEq[s];
        const float y = q.b0 * x + s1[s];
        s1[s] = q.b1 * x - q.a1 * y + s2[s];
        s2[s] = q.b2 * x - q.a2 * y;
        x = y;
      }
      loudest = fmaxf(loudest, fabsf(x));
      tile[lane][t] = x;
    }
    __syncwarp();
    for (int c = 0; c < 32; ++c) {
      const int t = t0 + lane;
      if (ch0 + c < channels && t < samples) out[(ch0 + c) * samples + t] = tile[c][lane];
    }
    __syncwarp();
  }
  if (ch0 + lane < channels) peak[ch0 + lane] = loudest;
}

// ------------------------------------------------------------------ SIFT-style descriptor, one keypoint per block
//! sift_descriptor128 180 128 buffer:img:256KiB:hash_f32:15 buffer:keys:2880:hash_f32:16 buffer:desc:23040:zero i32:256 i32:256 i32:24
K sift_descriptor128(const float* __restrict__ img, const float4* __restrict__ keys, uint8_t* __restrict__ desc,
                     int width, int height, int window) {
  __shared__ int hist[128];
  __shared__ float wsum[4];

  const int tid = threadIdx.x;
  const float4 kp = keys[blockIdx.x];
  const float cx = (kp.x + 50.f) * 0.01f * width;
  const float cy = (kp.y + 50.f) * 0.01f * height;
  const float scale = 0.6f + 0.01f * fabsf(kp.z);
  float sn, cs;
  sincosf(kp.w * 0.0628318f, &sn, &cs);
  hist[tid] = 0;
  __syncthreads();

  for (int i = tid; i < window * window; i += blockDim.x) {
    const float u = (i % window) - 0.5f * window + 0.5f;
    const float v = (i / window) - 0.5f * window + 0.5f;
    const int x = (int)(cx + scale * (cs * u - sn * v));
    const int y = (int)(cy + scale * (sn * u + cs * v));
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) continue;

    const float gx = img[y * width + x + 1] - img[y * width + x - 1];
    const float gy = img[(y + 1) * width + x] - img[(y - 1) * width + x];
    const float mag = sqrtf(gx * gx + gy * gy) * expf(-(u * u + v * v) / (0.5f * window * window));
    float ang = atan2f(gy, gx) - kp.w * 0.0628318f;
    while (ang < 0.f) ang += 6.2831853f;
    while (ang >= 6.2831853f) ang -= 6.2831853f;

    // Trilinear vote into 4 x 4 x 8 bins in 24.8 fixed point.
    const float bx = (u / window + 0.5f) * 4.f - 0.5f;
    const float by = (v / window + 0.5f) * 4.f - 0.5f;
    const float bo = ang * (8.f / 6.2831853f);
    const int ix = (int)floorf(bx), iy = (int)floorf(by), io = (int)bo;
    const float fx = bx - ix, fy = by - iy, fo = bo - io;
    for (int dy = 0; dy < 2; ++dy) {
      if ((unsigned)(iy + dy) >= 4u) continue;
      const float wy = dy ? fy : 1.f - fy;
      for (int dx = 0; dx < 2; ++dx) {
        if ((unsigned)(ix + dx) >= 4u) continue;
        const float w = mag * wy * (dx ? fx : 1.f - fx) * 256.f;
        int* bin = &hist[((iy + dy) * 4 + ix + dx) * 8];
        atomicAdd(bin + (io & 7), __float2int_rn(w * (1.f - fo)));
        atomicAdd(bin + ((io + 1) & 7), __float2int_rn(w * fo));
      }
    }
  }
  __syncthreads();

  float val = (float)hist[tid];
  for (int pass = 0; pass < 2; ++pass) {
    float sq = val * val;
    for (int off = 16; off; off >>= 1) sq += __shfl_xor_sync(0xffffffffu, sq, off);
    if ((tid & 31) == 0) wsum[tid >> 5] = sq;
    __syncthreads();
    const float norm = rsqrtf(wsum[0] + wsum[1] + wsum[2] + wsum[3] + 1e-6f);
    val = fminf(val * norm, pass == 0 ? 0.2f : 1.f);
    __syncthreads();
  }
  desc[blockIdx.x * 128 + tid] = saturate_u8((int)(512.f * val));
}

// ------------------------------------------------------------------ semi-global matching, one horizontal path
//! sgm_path_horizontal 70 64 buffer:left:140KiB:hash_i32:17 buffer:right:140KiB:hash_i32:18 buffer:agg:2240KiB:zero buffer:disp:17920:zero i32:250 i32:7 i32:40
K sgm_path_horizontal(const unsigned long long* __restrict__ left, const unsigned long long* __restrict__ right,
                      uint16_t* __restrict__ agg, uint8_t* __restrict__ disp, int width, int p1, int p2) {
  constexpr int D = 64;
  __shared__ int prev[2][D + 2];
  __shared__ int minCost[2];
  __shared__ int minIndex[2];

  const int d = threadIdx.x;
  const int lane = d & 31, warp = d >> 5;
  const unsigned long long* l = left + blockIdx.x * 256;
  const unsigned long long* r = right + blockIdx.x * 256;

  prev[0][d + 1] = 0;
  if (d < 2) prev[d][0] = prev[d][D + 1] = 1 << 20;
  int best = 0;
  __syncthreads();

  for (int x = 0; x < width; ++x) {
    const int cur = x & 1;
    const int cost = x >= d ? __popcll(l[x] ^ r[x - d]) : 64;
    const int same = prev[cur][d + 1];
    const int near = min(prev[cur][d], prev[cur][d + 2]) + p1;
    const int val = cost + min(min(same, near), best + p2) - best;
    prev[cur ^ 1][d + 1] = val;
    agg[(blockIdx.x * 256 + x) * D + d] = (uint16_t)val;

    // Arg-min over both warps, packed as (cost, disparity).
    const unsigned m = __reduce_min_sync(0xffffffffu, (unsigned)(val << 8 | d));
    if (lane == 0) {
      minCost[warp] = m >> 8;
      minIndex[warp] = m & 255;
    }
    __syncthreads();
    const bool second = minCost[1] < minCost[0];
    best = second ? minCost[1] : minCost[0];
    if (d == 0) disp[blockIdx.x * 256 + x] = (uint8_t)(second ? minIndex[1] : minIndex[0]);
    __syncthreads();
  }
}
