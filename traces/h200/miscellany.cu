// A miscellany of kernels, written after `matrices` and run before the model was changed again: money, genes, molecules, weather,
// telescopes, robots, rendering, tables, training, ciphers, compression, graphs, text, sparse and dense algebra, transforms and games.
#include "harness.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#define GLOBAL_X (blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_Y (blockIdx.y * blockDim.y + threadIdx.y)
typedef unsigned long long u64;
static __device__ __forceinline__ float uniform(uint32_t r) { return (r >> 8) * 5.9604645e-8f; }
static __device__ __forceinline__ uint32_t next_random(uint32_t& s) { s = s * 1664525u + 1013904223u; return mix32(s); }
static __device__ __forceinline__ __half2 halves(uint32_t v) { v = (v * 0x9e3779b1u & 0x8fff8fffu) | 0x30003000u; return *(__half2*)&v; }   // of either sign, from 1/8 to 2
static __device__ __forceinline__ __nv_bfloat162 brains(uint32_t v) { v = (v * 0x9e3779b1u & 0x80ff80ffu) | 0x3f003f00u; return *(__nv_bfloat162*)&v; }   // of either sign, from 1/2 to 2
template <typename T> static __device__ __forceinline__ uint32_t word_of(T v) { return *(uint32_t*)&v; }
template <typename T> static __device__ __forceinline__ T sum_of_lanes(T v) { for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); return v; }
static __device__ __forceinline__ int scan_of_warp(int v) { for (int o = 1; o < 32; o <<= 1) { int u = __shfl_up_sync(~0u, v, o); if ((threadIdx.x & 31) >= o) v += u; } return v; }
static __device__ float sum_of_block(float v, float* part) {   // of blocks of one dimension and whole warps
  v = sum_of_lanes(v); __syncthreads(); if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
  __syncthreads(); float s = 0; for (int w = 0; w < blockDim.x / 32; w++) s += part[w];
  return s;
}

// ---------------------------------------------------------------- money
K __launch_bounds__(128) k_trinomial_barrier(const float4* option, float* out, int steps) {   // an American put with a barrier on a tree of three branches, an option a block
  __shared__ float value[2][512];
  int t = threadIdx.x; float4 o = option[blockIdx.x];
  float spot = 100.f + 0.4f * o.x, strike = 100.f + 0.3f * o.y, vol = 0.25f + 0.003f * o.z, barrier = spot * (1.5f + 0.005f * o.w), dt = 1.f / steps, rise = vol * sqrtf(2.f * dt);
  float a = expf(0.015f * dt), b = expf(vol * sqrtf(0.5f * dt)), d = 1.f / (b - 1.f / b), pu = (a - 1.f / b) * d, pd = (b - a) * d, disc = expf(-0.03f * dt); pu *= pu; pd *= pd; float pm = 1.f - pu - pd;
  for (int k = t; k <= 2 * steps; k += 128) { float s = spot * expf((k - steps) * rise); value[steps & 1][k] = s > barrier ? 0.f : fmaxf(strike - s, 0.f); }
  for (int l = steps - 1; l >= 0; l--) {
    __syncthreads(); const float* v = value[(l + 1) & 1];
    for (int k = t; k <= 2 * l; k += 128) { float s = spot * expf((k - l) * rise), c = disc * (pd * v[k] + pm * v[k + 1] + pu * v[k + 2]); value[l & 1][k] = s > barrier ? 0.f : fmaxf(c, strike - s); }
  }
  if (t == 0) out[blockIdx.x] = value[0][0];
}
K k_exercise_regression(const float* path, float* out, int n, int steps) {   // when to exercise, by least squares over the 256 paths of a block, backwards in time
  __shared__ float part[8][8]; int t = threadIdx.x, lane = t & 31, warp = t >> 5, i = GLOBAL_X; float cash = fmaxf(100.f - (100.f + 0.5f * path[(size_t)(steps - 1) * n + i]), 0.f);
  for (int s = steps - 2; s >= 0; s--) {
    float x = -0.005f * path[(size_t)s * n + i], in = x > 0.f ? 1.f : 0.f, y = 0.999f * cash, sum[8] = {in, in * x, in * x * x, in * x * x * x, in * x * x * x * x, in * y, in * x * y, in * x * x * y};
    #pragma unroll
    for (int k = 0; k < 8; k++) { sum[k] = sum_of_lanes(sum[k]); if (lane == k) part[warp][k] = sum[k]; }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 8; k++) { sum[k] = 0; for (int w = 0; w < 8; w++) sum[k] += part[w][k]; }
    __syncthreads();
    float a = sum[0] + 0.01f, b = sum[1], c = sum[2], d = sum[2] + 0.01f, e = sum[3], f = sum[4] + 0.01f;   // a b c; b d e; c e f
    float m0 = d * f - e * e, m1 = c * e - b * f, m2 = b * e - c * d, det = 1.f / (a * m0 + b * m1 + c * m2 + 1e-9f), n1 = a * f - c * c, n2 = b * c - a * e, q = a * d - b * b;
    float p0 = (m0 * sum[5] + m1 * sum[6] + m2 * sum[7]) * det, p1 = (m1 * sum[5] + n1 * sum[6] + n2 * sum[7]) * det, p2 = (m2 * sum[5] + n2 * sum[6] + q * sum[7]) * det;
    float now = 100.f * x; cash = in > 0.f && now > p0 + x * (p1 + x * p2) ? now : y;
  }
  out[i] = cash;
}
K k_bond_yields(const float2* bond, const int* life, double2* out, int n, int most) {   // yield and duration from price by Newton's steps in double precision, a bond a thread
  int i = GLOBAL_X; if (i >= n) return;
  double price = 100. + 0.3 * bond[i].x, coupon = 2. + 0.03 * bond[i].y, y = 0.05, duration = 0; int periods = 4 + life[i] % most;
  for (int it = 0; it < 20; it++) {
    double v = 1. / (1. + 0.5 * y), d = v, sum = 0, slope = 0;
    for (int k = 1; k <= periods; k++, d *= v) { double c = k == periods ? coupon + 100. : coupon; sum += c * d; slope += c * d * k; }
    double miss = sum - price; duration = 0.5 * slope / sum; if (fabs(miss) < 1e-9) break;
    y = fmax(y + miss / (0.5 * v * slope), -0.5);
  }
  out[i] = make_double2(y, duration);
}
K __launch_bounds__(192) k_forward_rates(float* out, int n, int rates, int seed) {   // paths of up to 32 forward rates kept in local memory, to the value of a caplet strip
  __shared__ float vol[32]; if (threadIdx.x < 32) vol[threadIdx.x] = 0.12f + 0.1f * expf(-0.3f * threadIdx.x);
  __syncthreads(); int i = GLOBAL_X; if (i >= n) return; float rate[32], paid = 0, bank = 1.f; uint32_t s = mix32(i + seed);
  for (int k = 0; k < rates; k++) rate[k] = 0.03f + 0.0005f * k;
  for (int j = 0; j < rates; j++) {
    float u = 1.f - uniform(next_random(s)), w = uniform(next_random(s)), z = sqrtf(-2.f * logf(u)) * cospif(2.f * w), drift = 0;
    bank /= 1.f + 0.5f * rate[j]; paid += bank * 0.5f * fmaxf(rate[j] - 0.035f, 0.f);
    for (int k = j + 1; k < rates; k++) { float v = vol[k - j], r = rate[k]; drift += 0.5f * r * v / (1.f + 0.5f * r); rate[k] = r * expf((v * drift - 0.5f * v * v) * 0.5f + v * 0.70710678f * z); }
  }
  out[i] = paid;
}

// ---------------------------------------------------------------- genes
K k_minimizers(const uint32_t* text, uint32_t* least, uint32_t* starts) {   // the least hash of ten neighbouring words of 15 bases, either strand, and where it changes
  __shared__ uint32_t hash[265]; int t = threadIdx.x, first = blockIdx.x * 256;
  for (int k = t; k < 265; k += 256) {
    int p = first + k; uint32_t x = __funnelshift_r(mix32(text[p >> 4]), mix32(text[(p >> 4) + 1]), (p & 15) * 2) & 0x3fffffff, r = __brev(~x) >> 2; r = (r & 0x55555555) << 1 | (r >> 1 & 0x55555555);
    hash[k] = mix32(min(x, r));
  }
  __syncthreads(); uint32_t best = hash[t]; int at = t;
  #pragma unroll
  for (int k = 1; k < 10; k++) { uint32_t h = hash[t + k]; if (h < best) { best = h; at = t + k; } }
  int before = __shfl_up_sync(~0u, at, 1); uint32_t fresh = __ballot_sync(~0u, (t & 31) == 0 || before != at);
  least[first + t] = best; if ((t & 31) == 0) starts[(first + t) >> 5] = fresh;
}
K __launch_bounds__(64) k_hidden_forward(const int* symbol, const float* transition, const float* emission, float* out, int length) {   // likelihood of a sequence under 64 hidden states, a sequence a block
  __shared__ float move[64][64], alpha[2][64], total[2][2]; int t = threadIdx.x; float score = 0, scale = 1.f;
  for (int k = 0; k < 64; k++) move[k][t] = 0.001f + fabsf(transition[k * 64 + t]) * 0.0006f;
  alpha[0][t] = 1.f / 64.f; __syncthreads();
  for (int s = 0; s < length; s++) {
    float a = 0; int c = symbol[blockIdx.x * length + s] & 15;
    #pragma unroll 16
    for (int k = 0; k < 64; k++) a += alpha[s & 1][k] * move[k][t];
    a *= scale * (0.02f + 0.01f * fabsf(emission[c * 64 + t])); alpha[~s & 1][t] = a; float w = sum_of_lanes(a); if ((t & 31) == 0) total[s & 1][t >> 5] = w;
    __syncthreads(); float all = total[s & 1][0] + total[s & 1][1]; score += logf(all); scale = 1.f / all;
  }
  if (t == 0) out[blockIdx.x] = score;
}
K __launch_bounds__(64) k_affine_band(const uint32_t* a, const uint32_t* b, int* out, int n, int words) {   // local alignment with affine gaps in a band of 16 held in registers, a pair a thread
  int i = GLOBAL_X; if (i >= n) return; int h[17], e[17], best = 0, left = 8, word = 0; uint32_t first = mix32(b[i]), window = first << 16, ahead = first >> 16;
  #pragma unroll
  for (int j = 0; j < 17; j++) { h[j] = 0; e[j] = -99; }
  for (int w = 0; w < words; w++) {
    uint32_t row = mix32(a[w * n + i]);
    for (int r = 0; r < 16; r++, row >>= 2) {
      uint32_t x = row & 3; int f = -99, near = -99;
      #pragma unroll
      for (int j = 0; j < 16; j++) { e[j] = max(e[j + 1] - 1, h[j + 1] - 4); f = max(f - 1, near - 4); near = max(max(h[j] + ((window >> (2 * j) & 3) == x ? 2 : -3), 0), max(e[j], f)); h[j] = near; best = max(best, near); }
      window = window >> 2 | ahead << 30; ahead >>= 2; if (--left == 0) { left = 16; ahead = ++word < words ? mix32(b[word * n + i]) : 0u; }
    }
  }
  out[i] = best;
}
static __device__ __forceinline__ uint32_t occurrences(const uint4* index, uint32_t p, int c) {
  uint4 count = __ldg(index + (p >> 6) * 2), bits = __ldg(index + (p >> 6) * 2 + 1); u64 low = mix32(bits.x) | (u64)mix32(bits.y) << 32, high = mix32(bits.z) | (u64)mix32(bits.w) << 32;
  u64 m = (c & 1 ? low : ~low) & (c & 2 ? high : ~high) & ((1ull << (p & 63)) - 1); return (c == 0 ? count.x : c == 1 ? count.y : c == 2 ? count.z : count.w) + __popcll(m);
}
K k_backward_search(const uint4* index, const uint32_t* pattern, uint2* out, int n, int mask) {   // sixteen bases looked up from the last in a compressed suffix array, a pattern a thread
  int i = GLOBAL_X; if (i >= n) return; uint32_t p = mix32(pattern[i]), low = 0, high = mask;
  for (int k = 0; k < 16; k++, p >>= 2) { int c = p & 3; low = (occurrences(index, low, c) + c * 977) & mask; high = (occurrences(index, high, c) + c * 977) & mask; if (low > high) { uint32_t s = low; low = high; high = s; } }
  out[i] = make_uint2(low, high);
}

// ---------------------------------------------------------------- molecules
static __device__ __forceinline__ float3 cross(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
static __device__ __forceinline__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static __device__ __forceinline__ float3 less(float4 a, float4 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
K k_torsions(const float4* place, const int4* quad, float4* force, float* energy, int n, int mask) {   // forces of the angles between planes of four atoms, four forces a torsion, energies summed by warp
  int i = GLOBAL_X; if (i >= n) return; int4 q = quad[i]; float4 a = __ldg(place + (q.x & mask)), b = __ldg(place + (q.y & mask)), c = __ldg(place + (q.z & mask)), d = __ldg(place + (q.w & mask));
  float3 u = less(b, a), v = less(c, b), w = less(d, c), m = cross(u, v), k = cross(v, w); float mm = dot(m, m) + 1e-3f, kk = dot(k, k) + 1e-3f, vv = dot(v, v) + 1e-3f, lv = sqrtf(vv);
  float phi = atan2f(lv * dot(u, k), dot(m, k)), s, co; sincosf(3.f * phi - 0.5f, &s, &co); float pull = 3.f * s, e = sum_of_lanes(1.f + co);
  float fa = pull * lv / mm, fd = -pull * lv / kk, p = dot(u, v) / vv, r = dot(w, v) / vv; float3 x = make_float3(fa * m.x, fa * m.y, fa * m.z), y = make_float3(fd * k.x, fd * k.y, fd * k.z), z = make_float3(p * x.x - r * y.x, p * x.y - r * y.y, p * x.z - r * y.z);
  force[4 * i] = make_float4(x.x, x.y, x.z, 0.f); force[4 * i + 1] = make_float4(-x.x - z.x, -x.y - z.y, -x.z - z.z, 0.f); force[4 * i + 2] = make_float4(z.x - y.x, z.y - y.y, z.z - y.z, 0.f); force[4 * i + 3] = make_float4(y.x, y.y, y.z, phi);
  if ((threadIdx.x & 31) == 0) energy[i >> 5] = e;
}
static __device__ __forceinline__ void spline(float f, float* w, float* d) {
  float g = 1.f - f; w[0] = g * g * g * (1.f / 6.f); w[3] = f * f * f * (1.f / 6.f); w[1] = 2.f / 3.f - f * f + 0.5f * f * f * f; w[2] = 1.f - w[0] - w[1] - w[3]; d[0] = -0.5f * g * g; d[3] = 0.5f * f * f; d[1] = f * (1.5f * f - 2.f); d[2] = -d[0] - d[1] - d[3];
}
K k_mesh_forces(const float4* atom, const float* mesh, float4* force, int n, int m) {   // forces read off a mesh by cubic splines over 64 of its points, an atom a thread
  int i = GLOBAL_X; if (i >= n) return; float4 a = atom[i]; float s = m * 0.01f, x = (a.x + 50.f) * s, y = (a.y + 50.f) * s, z = (a.z + 50.f) * s, wx[4], wy[4], wz[4], dx[4], dy[4], dz[4], fx = 0, fy = 0, fz = 0, e = 0;
  int ix = (int)x, iy = (int)y, iz = (int)z; spline(x - ix, wx, dx); spline(y - iy, wy, dy); spline(z - iz, wz, dz);
  #pragma unroll
  for (int k = 0; k < 4; k++)
    #pragma unroll
    for (int j = 0; j < 4; j++) {
      const float* row = mesh + (((iz + k) & (m - 1)) * m + ((iy + j) & (m - 1))) * m; float p = 0, q = 0;
      #pragma unroll
      for (int l = 0; l < 4; l++) { float v = __ldg(row + ((ix + l) & (m - 1))); p += wx[l] * v; q += dx[l] * v; }
      fx -= wy[j] * wz[k] * q; fy -= dy[j] * wz[k] * p; fz -= wy[j] * dz[k] * p; e += wy[j] * wz[k] * p;
    }
  force[i] = make_float4(a.w * fx * s, a.w * fy * s, a.w * fz * s, a.w * e);
}
K k_shake_water(const float* noise, float* place, int* steps, int n, int most) {   // lengths of water's three sides restored by turns until all are right, a molecule a thread
  int i = GLOBAL_X; if (i >= n) return; float c, s; sincosf(noise[(size_t)9 * n + i], &s, &c);
  float ref[3][3] = {{0, 0, 0}, {0.7572f * c - 0.5865f * s, 0.7572f * s + 0.5865f * c, 0.f}, {-0.7572f * c - 0.5865f * s, -0.7572f * s + 0.5865f * c, 0.f}}, p[3][3]; const float weight[3] = {0.0625f, 1.f, 1.f}, want[3] = {0.9173f, 0.9173f, 2.2934f}; int it = 0; bool off = true;
  #pragma unroll
  for (int k = 0; k < 3; k++)
    #pragma unroll
    for (int j = 0; j < 3; j++) p[k][j] = ref[k][j] + 0.002f * noise[(size_t)(3 * k + j) * n + i];
  while (off && it < most) {
    off = false; it++;
    #pragma unroll
    for (int k = 0; k < 3; k++) {
      const int a = k == 2 ? 1 : 0, b = k == 0 ? 1 : 2; float x = p[a][0] - p[b][0], y = p[a][1] - p[b][1], z = p[a][2] - p[b][2], u = ref[a][0] - ref[b][0], v = ref[a][1] - ref[b][1], w = ref[a][2] - ref[b][2], miss = x * x + y * y + z * z - want[k];
      if (fabsf(miss) > 2e-6f) {
        off = true; float g = miss / (2.f * (weight[a] + weight[b]) * fmaxf(x * u + y * v + z * w, 0.1f)), ga = g * weight[a], gb = g * weight[b];
        p[a][0] -= ga * u; p[a][1] -= ga * v; p[a][2] -= ga * w; p[b][0] += gb * u; p[b][1] += gb * v; p[b][2] += gb * w;
      }
    }
  }
  #pragma unroll
  for (int k = 0; k < 3; k++)
    #pragma unroll
    for (int j = 0; j < 3; j++) place[(size_t)(3 * k + j) * n + i] = p[k][j];
  steps[i] = it;
}
K __launch_bounds__(128) k_coulomb_integrals(const float4* pair, const float* density, float* out, int n) {   // repulsion of pairs of spherical Gaussians by the error function, pairs in tiles, a share of them by blockIdx.y
  __shared__ float4 tile[128]; __shared__ float weight[128]; int t = threadIdx.x, i = GLOBAL_X, share = n / gridDim.y, from = blockIdx.y * share; float4 a = pair[i]; float p = 0.3f + 0.02f * (a.w + 50.f), sum = 0;
  for (int first = from; first < from + share; first += 128) {
    __syncthreads(); float4 b = pair[first + t]; b.w = 0.3f + 0.02f * (b.w + 50.f); tile[t] = b; weight[t] = density[first + t];
    __syncthreads();
    for (int k = 0; k < 128; k++) {
      float4 q = tile[k]; float x = (a.x - q.x) * 0.05f, y = (a.y - q.y) * 0.05f, z = (a.z - q.z) * 0.05f, r = p + q.w, root = rsqrtf(r), arg = p * q.w / r * (x * x + y * y + z * z), f;
      if (arg < 1e-4f) f = 1.f - arg * (1.f / 3.f); else { float h = sqrtf(arg); f = 0.88622693f * erff(h) / h; }
      sum += weight[k] * 34.986836f / (p * q.w) * root * f;
    }
  }
  out[blockIdx.y * n + i] = sum;
}

// ---------------------------------------------------------------- weather and flow
static __device__ __forceinline__ float weno(float a, float b, float c, float d, float e) {
  float p = a - 2.f * b + c, q = a - 4.f * b + 3.f * c, r = b - 2.f * c + d, s = b - d, u = c - 2.f * d + e, v = 3.f * c - 4.f * d + e;
  float x = 1e-4f + 1.0833333f * p * p + 0.25f * q * q, y = 1e-4f + 1.0833333f * r * r + 0.25f * s * s, z = 1e-4f + 1.0833333f * u * u + 0.25f * v * v; x = 0.1f / (x * x); y = 0.6f / (y * y); z = 0.3f / (z * z);
  return (x * (2.f * a - 7.f * b + 11.f * c) + y * (5.f * c - b + 2.f * d) + z * (2.f * c + 5.f * d - e)) / (6.f * (x + y + z));
}
K __launch_bounds__(160) k_weno(const float* in, float* out, int n) {   // one step of Burgers' equation with fluxes of the fifth order, 160 cells of a periodic row a block
  __shared__ float u[167], flux[161]; int t = threadIdx.x, first = blockIdx.x * 160; in += (size_t)blockIdx.y * n; out += (size_t)blockIdx.y * n;
  for (int k = t; k < 167; k += 160) { int p = first + k - 3; u[k] = 0.02f * in[p < 0 ? p + n : p >= n ? (p - n) % n : p]; }
  __syncthreads();
  for (int k = t; k < 161; k += 160) {   // between cells k - 1 and k; the last of them has its sixth point at hand
    float plus[6], minus[6];
    #pragma unroll
    for (int j = 0; j < 6; j++) { float v = u[k + j]; plus[j] = 0.25f * v * v + 0.5f * v; minus[j] = 0.25f * v * v - 0.5f * v; }
    flux[k] = weno(plus[0], plus[1], plus[2], plus[3], plus[4]) + weno(minus[5], minus[4], minus[3], minus[2], minus[1]);
  }
  __syncthreads(); if (first + t < n) out[first + t] = u[t + 3] - 0.4f * (flux[t + 1] - flux[t]);
}
K k_cloud_columns(const float* heat, const float* vapour, float* warm, float* wet, float* rain, int n, int levels) {   // condensation, drizzle, collection and evaporation from the top down, a column a thread
  int i = GLOBAL_X; if (i >= n) return; float falling = 0, cloud = 0;
  for (int l = 0; l < levels; l++) {
    size_t k = (size_t)l * n + i; float p = 300.f + 700.f * (l + 1) / levels, temp = 268.f + 0.3f * heat[k] + 15.f * l / levels, q = fmaxf(0.004f + 0.00012f * vapour[k], 0.f);
    for (int it = 0; it < 2; it++) { float full = 3.8f / p * expf(17.27f * (temp - 273.f) / (temp - 36.f)), over = (q - full) / (1.f + 4097.f * 2500.f * full / ((temp - 36.f) * (temp - 36.f))); float move = fmaxf(over, -cloud); q -= move; cloud += move; temp += 2500.f * move; }
    if (cloud > 0.0005f) { float d = 0.1f * (cloud - 0.0005f); cloud -= d; falling += d; }
    if (falling > 1e-7f) {
      float got = fminf(cloud, 2.2f * cloud * powf(falling, 0.875f)); cloud -= got; falling += got; float full = 3.8f / p * expf(17.27f * (temp - 273.f) / (temp - 36.f));
      if (q < full) { float dry = fminf(falling, (1.f - q / full) * (0.01f + 0.2f * sqrtf(falling)) * 0.01f); falling -= dry; q += dry; temp -= 2500.f * dry; }
    }
    warm[k] = temp; wet[k] = q; cloud *= 0.9f;
  }
  rain[i] = falling * 1000.f;
}
K k_radiation_bands(const float* depth, const float* heat, float* down, float* up, int n, int levels) {   // heat radiated through layers, down and then back up, a column a thread and a band a row of blocks
  int i = GLOBAL_X; if (i >= n) return; int band = blockIdx.y; float strong = 0.01f * (1 << (band & 7)) * 0.1f, flow = 0; size_t at = (size_t)band * levels * n + i;
  for (int l = 0; l < levels; l++) { float t = 260.f + 0.4f * heat[(size_t)l * n + i], pass = expf(-1.66f * strong * fabsf(depth[(size_t)l * n + i])), glow = 5.67e-8f * t * t * t * t * 0.125f; flow = flow * pass + glow * (1.f - pass); down[at + (size_t)l * n] = flow; }
  flow = 5.67e-8f * 290.f * 290.f * 290.f * 290.f * 0.125f;
  for (int l = levels - 1; l >= 0; l--) { float t = 260.f + 0.4f * heat[(size_t)l * n + i], pass = expf(-1.66f * strong * fabsf(depth[(size_t)l * n + i])), glow = 5.67e-8f * t * t * t * t * 0.125f; flow = flow * pass + glow * (1.f - pass); up[at + (size_t)l * n] = flow - down[at + (size_t)l * n]; }
}
K k_level_set(const float* in, float* out, int n) {   // a step towards distance from a surface, upwind in three dimensions, planes kept in registers along z
  __shared__ float tile[10][34]; int tx = threadIdx.x, ty = threadIdx.y, x = GLOBAL_X, y = GLOBAL_Y, depth = n / gridDim.z, z = blockIdx.z * depth, end = z + depth; size_t plane = (size_t)n * n, at = y * n + x;
  float below = in[max(z - 1, 0) * plane + at], here = in[z * plane + at];
  for (; z < end; z++) {
    float above = in[min(z + 1, n - 1) * plane + at]; __syncthreads(); tile[ty + 1][tx + 1] = here; const float* p = in + z * plane;
    if (tx == 0) tile[ty + 1][0] = p[y * n + max(x - 1, 0)]; else if (tx == 31) tile[ty + 1][33] = p[y * n + min(x + 1, n - 1)];
    if (ty == 0) tile[0][tx + 1] = p[max(y - 1, 0) * n + x]; else if (ty == 7) tile[9][tx + 1] = p[min(y + 1, n - 1) * n + x];
    __syncthreads(); float s = here * rsqrtf(here * here + 1.f), d[6] = {here - tile[ty + 1][tx], tile[ty + 1][tx + 2] - here, here - tile[ty][tx + 1], tile[ty + 2][tx + 1] - here, here - below, above - here}, g = 0;
    #pragma unroll
    for (int k = 0; k < 6; k += 2) { float a = s > 0 ? fmaxf(d[k], 0.f) : fminf(d[k], 0.f), b = s > 0 ? fminf(d[k + 1], 0.f) : fmaxf(d[k + 1], 0.f); g += fmaxf(a * a, b * b); }
    out[z * plane + at] = here - 0.3f * s * (sqrtf(g) - 1.f); below = here; here = above;
  }
}

// ---------------------------------------------------------------- telescopes
K k_degrid(const float2* grid, const float2* where, const float* taper, float2* out, int n, int m) {   // what an interferometer would see, 7 x 7 points of a grid weighted, a visibility a warp
  int i = GLOBAL_X >> 5, lane = threadIdx.x & 31; if (i >= n) return; float2 w = where[i]; float u = (w.x + 50.f) * 0.01f * (m - 8), v = (w.y + 50.f) * 0.01f * (m - 8), re = 0, im = 0; int iu = (int)u, iv = (int)v, fu = (int)((u - iu) * 64.f) & 63, fv = (int)((v - iv) * 64.f) & 63;
  for (int k = lane; k < 49; k += 32) { int a = k / 7, b = k - a * 7; float g = taper[a * 64 + fv] * taper[b * 64 + fu] * 0.0004f; float2 c = __ldg(grid + (size_t)(iv + a) * m + iu + b); re += g * c.x; im += g * c.y; }
  re = sum_of_lanes(re); im = sum_of_lanes(im); if (lane == 0) { float s, c; sincospif(0.01f * (w.x + w.y), &s, &c); out[i] = make_float2(re * c - im * s, re * s + im * c); }
}
K k_periodogram(const float* time, const float* bright, float* power, int n, int samples) {   // how well a sine of each frequency fits unevenly spaced samples, a frequency a thread, samples in tiles of 128
  __shared__ float2 tile[128]; int t = threadIdx.x, i = GLOBAL_X; float f = 0.01f + i * 0.0003f, yc = 0, ys = 0, cc = 0, cs = 0, ss = 0;
  for (int first = 0; first < samples; first += 128) {
    __syncthreads(); for (int k = t; k < 128; k += blockDim.x) tile[k] = make_float2(time[first + k] + 50.f, bright[first + k] * 0.02f);
    __syncthreads();
    for (int k = 0; k < 128; k++) { float2 v = tile[k]; float ph = v.x * f, s, c; ph -= floorf(ph); sincospif(2.f * ph, &s, &c); yc += v.y * c; ys += v.y * s; cc += c * c; cs += c * s; ss += s * s; }
  }
  if (i < n) { float det = cc * ss - cs * cs + 1e-3f; power[i] = (yc * yc * ss - 2.f * yc * ys * cs + ys * ys * cc) / det; }
}
K __launch_bounds__(96) k_hermite(const float4* body, const float4* speed, float4* pull, float4* jerk, int n) {   // pull and its rate of change among all bodies, tiles of 96 in shared memory
  __shared__ float4 place[96], moving[96]; int t = threadIdx.x, i = GLOBAL_X; float4 a = body[min(i, n - 1)], v = speed[min(i, n - 1)]; float px = 0, py = 0, pz = 0, jx = 0, jy = 0, jz = 0, potential = 0;
  for (int first = 0; first < n; first += 96) {
    int m = min(96, n - first); __syncthreads(); if (t < m) { place[t] = body[first + t]; moving[t] = speed[first + t]; }
    __syncthreads();
    #pragma unroll 4
    for (int k = 0; k < m; k++) {
      float4 b = place[k], w = moving[k]; float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z, u = w.x - v.x, o = w.y - v.y, q = w.z - v.z, r = rsqrtf(x * x + y * y + z * z + 0.25f), r2 = r * r, g = (b.w + 51.f) * 0.01f * r, h = g * r2, c = -3.f * (x * u + y * o + z * q) * r2;
      px += h * x; py += h * y; pz += h * z; jx += h * (u + c * x); jy += h * (o + c * y); jz += h * (q + c * z); potential -= g;
    }
  }
  if (i < n) { pull[i] = make_float4(px, py, pz, potential); jerk[i] = make_float4(jx, jy, jz, 0.f); }
}
K k_dedisperse(const unsigned char* in, int* out, int samples, int channels, int pitch) {   // channels summed after delays that grow with the square of the wavelength, a trial a row of blocks
  __shared__ int delay[256]; int t = threadIdx.x, i = GLOBAL_X, trial = blockIdx.y; for (int c = t; c < channels; c += blockDim.x) delay[c] = c * pitch + (trial * c * c >> 12);
  __syncthreads(); if (i >= samples) return; int s = 0;
  #pragma unroll 4
  for (int c = 0; c < channels; c++) s += in[delay[c] + i];
  out[trial * samples + i] = s;
}
K k_fold_pulses(const int* sample, unsigned* sum, unsigned* count, int n, int period) {   // samples folded by a pulsar's phase, kept in double precision, into 128 bins
  __shared__ unsigned s[128], c[128]; int t = threadIdx.x; for (int k = t; k < 128; k += blockDim.x) s[k] = c[k] = 0;
  __syncthreads(); double f = 1. / (period + 0.123456789), slow = -1e-12;
  for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) { double at = i * (f + 0.5 * slow * i), ph = at - floor(at); int bin = (int)(ph * 128.) & 127; atomicAdd(&s[bin], (unsigned)sample[i] & 255u); atomicAdd(&c[bin], 1u); }
  __syncthreads(); for (int k = t; k < 128; k += blockDim.x) { atomicAdd(&sum[k], s[k]); atomicAdd(&count[k], c[k]); }
}

// ---------------------------------------------------------------- robots and pictures
K __launch_bounds__(256) k_icp_sums(const float4* source, const float4* target, const float4* normal, const float* pose, float* out, int n, int width) {   // 27 sums of the equations that align two surfaces, reduced by warp and by block
  __shared__ float part[8][27]; int t = threadIdx.x, lane = t & 31; float m[12], sum[27];
  #pragma unroll
  for (int k = 0; k < 12; k++) m[k] = pose[k] * 0.02f;
  #pragma unroll
  for (int k = 0; k < 27; k++) sum[k] = 0;
  for (int i = GLOBAL_X; i < n; i += gridDim.x * 256) {
    float4 p = source[i]; float x = m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3], y = m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7], z = m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11];
    int u = (int)(x * 4.f + 512.f) & (width - 1), v = (int)(y * 4.f + 512.f) & (width - 1); float4 q = __ldg(target + v * width + u), w = __ldg(normal + v * width + u); w.x *= 0.02f; w.y *= 0.02f; w.z *= 0.02f;
    float r = w.x * (q.x - x) + w.y * (q.y - y) + w.z * (q.z - z), h = fabsf(r) < 20.f ? 1.f : 20.f / fabsf(r), j[7] = {y * w.z - z * w.y, z * w.x - x * w.z, x * w.y - y * w.x, w.x, w.y, w.z, r}; int k = 0;
    #pragma unroll
    for (int a = 0; a < 6; a++)
      #pragma unroll
      for (int b = a; b < 7; b++) sum[k++] += h * j[a] * j[b];
  }
  #pragma unroll
  for (int k = 0; k < 27; k++) { float v = sum_of_lanes(sum[k]); if (lane == 0) part[t >> 5][k] = v; }
  __syncthreads(); if (t < 27) { float s = 0; for (int w = 0; w < 8; w++) s += part[w][t]; out[blockIdx.x * 27 + t] = s; }
}
K k_turned_bits(const unsigned char* image, const int* key, uint32_t* out, int n, int width) {   // 256 comparisons of pixels, turned by the patch's own direction, a corner a warp
  int i = GLOBAL_X >> 5, lane = threadIdx.x & 31; if (i >= n) return; int x = 20 + (key[i] & 4095) % (width - 40), y = 20 + (key[i] >> 12) % (width - 40), mx = 0, my = 0; const unsigned char* centre = image + y * width + x;
  for (int r = -15; r <= 15; r++) { int c = lane - 15; if (lane < 31 && c * c + r * r <= 225) { int v = centre[r * width + c]; mx += c * v; my += r * v; } }
  mx = sum_of_lanes(mx); my = sum_of_lanes(my); float s = rsqrtf((float)mx * mx + (float)my * my + 1.f), co = mx * s, si = my * s; uint32_t mine = 0;
  for (int k = 0; k < 8; k++) {
    uint32_t h = mix32(k * 32 + lane + 77); float ax = (int)(h & 15) - 7.5f, ay = (int)(h >> 4 & 15) - 7.5f, bx = (int)(h >> 8 & 15) - 7.5f, by = (int)(h >> 12 & 15) - 7.5f;
    int a = centre[__float2int_rn(ax * si + ay * co) * width + __float2int_rn(ax * co - ay * si)], b = centre[__float2int_rn(bx * si + by * co) * width + __float2int_rn(bx * co - by * si)]; uint32_t bits = __ballot_sync(~0u, a < b); if (lane == k) mine = bits;
  }
  if (lane < 8) out[i * 8 + lane] = mine;
}
K k_optical_flow(const unsigned char* before, const unsigned char* after, float2* out, int n) {   // motion of each pixel by least squares over 5 x 5 gradients, tiles of 16 x 16
  __shared__ float a[22][23], gx[20][21], gy[20][21], gt[20][21]; int x0 = blockIdx.x * 16, y0 = blockIdx.y * 16, t = threadIdx.y * 16 + threadIdx.x;
  for (int k = t; k < 484; k += 256) { int r = k / 22, c = k % 22; a[r][c] = before[min(max(y0 + r - 3, 0), n - 1) * n + min(max(x0 + c - 3, 0), n - 1)]; }
  __syncthreads();
  for (int k = t; k < 400; k += 256) { int r = k / 20, c = k % 20; gx[r][c] = 0.5f * (a[r + 1][c + 2] - a[r + 1][c]); gy[r][c] = 0.5f * (a[r + 2][c + 1] - a[r][c + 1]); gt[r][c] = after[min(max(y0 + r - 2, 0), n - 1) * n + min(max(x0 + c - 2, 0), n - 1)] - a[r + 1][c + 1]; }
  __syncthreads(); float xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
  #pragma unroll
  for (int r = 0; r < 5; r++)
    #pragma unroll
    for (int c = 0; c < 5; c++) { float u = gx[threadIdx.y + r][threadIdx.x + c], v = gy[threadIdx.y + r][threadIdx.x + c], w = gt[threadIdx.y + r][threadIdx.x + c]; xx += u * u; xy += u * v; yy += v * v; xt += u * w; yt += v * w; }
  float det = xx * yy - xy * xy; out[(y0 + threadIdx.y) * n + x0 + threadIdx.x] = det > 1.f ? make_float2((xy * yt - yy * xt) / det, (xy * xt - xx * yt) / det) : make_float2(0.f, 0.f);
}
K __launch_bounds__(96) k_hamming_match(const uint4* query, const uint4* train, int4* out, int n, int m) {   // nearest and next nearest of 256-bit descriptors, tiles of 96 copied without waiting
  __shared__ uint4 tile[2][192]; int t = threadIdx.x, i = GLOBAL_X, best = 999, next = 999, who = -1; uint4 a = query[2 * min(i, n - 1)], b = query[2 * min(i, n - 1) + 1];
  for (int k = t; k < 192; k += 96) __pipeline_memcpy_async(&tile[0][k], train + min(k, 2 * m - 1), 16);
  __pipeline_commit();
  for (int first = 0, turn = 0; first < m; first += 96, turn ^= 1) {
    for (int k = t; k < 192; k += 96) __pipeline_memcpy_async(&tile[turn ^ 1][k], train + min((first + 96) * 2 + k, 2 * m - 1), 16);
    __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads(); int end = min(96, m - first);
    for (int k = 0; k < end; k++) {
      uint4 c = tile[turn][2 * k], d = tile[turn][2 * k + 1]; int far = __popc(a.x ^ c.x) + __popc(a.y ^ c.y) + __popc(a.z ^ c.z) + __popc(a.w ^ c.w) + __popc(b.x ^ d.x) + __popc(b.y ^ d.y) + __popc(b.z ^ d.z) + __popc(b.w ^ d.w);
      if (far < best) { next = best; best = far; who = first + k; } else next = min(next, far);
    }
    __syncthreads();
  }
  __pipeline_wait_prior(0); if (i < n) out[i] = make_int4(best, next, who, best * 10 < next * 8);
}
K k_kalman(const float2* seen, float4* state, float* spread, int n, int steps) {   // a track of place and speed filtered through noisy sightings, a track a thread, all in registers
  int i = GLOBAL_X; if (i >= n) return; float x[4] = {0, 0, 0, 0}, p[4][4];
  #pragma unroll
  for (int a = 0; a < 4; a++)
    #pragma unroll
    for (int b = 0; b < 4; b++) p[a][b] = a == b ? 100.f : 0.f;
  for (int s = 0; s < steps; s++) {
    x[0] += 0.1f * x[2]; x[1] += 0.1f * x[3];
    #pragma unroll
    for (int b = 0; b < 4; b++) { p[0][b] += 0.1f * p[2][b]; p[1][b] += 0.1f * p[3][b]; }
    #pragma unroll
    for (int a = 0; a < 4; a++) { p[a][0] += 0.1f * p[a][2]; p[a][1] += 0.1f * p[a][3]; p[a][a] += a < 2 ? 0.01f : 0.5f; }
    float2 z = seen[(size_t)s * n + i]; float a = p[0][0] + 4.f, b = p[0][1], d = p[1][1] + 4.f, det = 1.f / (a * d - b * p[1][0]), u = z.x - x[0], v = z.y - x[1], g[4][2];
    #pragma unroll
    for (int k = 0; k < 4; k++) { g[k][0] = (p[k][0] * d - p[k][1] * p[1][0]) * det; g[k][1] = (p[k][1] * a - p[k][0] * b) * det; x[k] += g[k][0] * u + g[k][1] * v; }
    #pragma unroll
    for (int k = 2; k < 4; k++)
      #pragma unroll
      for (int j = 0; j < 4; j++) p[k][j] -= g[k][0] * p[0][j] + g[k][1] * p[1][j];
    #pragma unroll
    for (int j = 0; j < 4; j++) { float top = p[0][j], low = p[1][j]; p[0][j] = top - g[0][0] * top - g[0][1] * low; p[1][j] = low - g[1][0] * top - g[1][1] * low; }
  }
  state[i] = make_float4(x[0], x[1], x[2], x[3]); spread[i] = p[0][0] + p[1][1] + p[2][2] + p[3][3];
}
K k_arm_joints(const float2* target, float* angle, float* miss, int n, int sweeps) {   // an arm of eight joints bent towards a target, joint by joint from the hand
  int i = GLOBAL_X; if (i >= n) return; float x[9], y[9], turn[8], tx = target[i].x * 0.1f, ty = target[i].y * 0.1f; for (int k = 0; k < 9; k++) { x[k] = k; y[k] = 0; }
  for (int k = 0; k < 8; k++) turn[k] = 0;
  for (int s = 0; s < sweeps; s++) {
    for (int k = 7; k >= 0; k--) {
      float ax = x[8] - x[k], ay = y[8] - y[k], bx = tx - x[k], by = ty - y[k], c = ax * bx + ay * by, d = ax * by - ay * bx, r = rsqrtf(c * c + d * d + 1e-8f); c *= r; d *= r; turn[k] += atan2f(d, c);
      if (c * c + d * d < 0.5f) continue;
      for (int j = k + 1; j < 9; j++) { float u = x[j] - x[k], v = y[j] - y[k]; x[j] = x[k] + u * c - v * d; y[j] = y[k] + u * d + v * c; }
    }
    float u = x[8] - tx, v = y[8] - ty; if (u * u + v * v < 1e-4f) break;
  }
  for (int k = 0; k < 8; k++) angle[k * n + i] = turn[k];
  miss[i] = (x[8] - tx) * (x[8] - tx) + (y[8] - ty) * (y[8] - ty);
}
K k_depth_fusion(const float* depth, short2* volume, int n, int width) {   // a depth picture averaged into a volume of signed distances, a line of cells away from the camera a thread
  int x = GLOBAL_X, y = GLOBAL_Y; if (x >= n || y >= n) return; float s = 4.f / n, cx = (x - 0.5f * n) * s, cy = (y - 0.5f * n) * s;
  for (int z = 0; z < n; z++) {
    float far = 1.f + z * s, inv = width * 0.5f / far; int u = (int)floorf(cx * inv + width * 0.5f), v = (int)floorf(cy * inv + width * 0.5f); if (u < 0 || v < 0 || u >= width || v >= width) continue;
    float d = 2.5f + 0.02f * __ldg(depth + v * width + u) - far; if (d < -0.4f) continue;
    short2* p = volume + ((size_t)z * n + y) * n + x; short2 old = *p; int w = old.y & 63; float now = fminf(1.f, d * 2.5f); *p = make_short2((short)((old.x * w + now * 16000.f) / (w + 1)), (short)min(w + 1, 63));
  }
}
K k_semi_global(const unsigned short* cost, uint32_t* out, int width) {   // costs of 64 shifts carried along a row of a stereo picture, two shifts a lane, a row a warp
  int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x; const unsigned short* in = cost + (size_t)row * width * 32 + lane; uint32_t* o = out + (size_t)row * width * 32 + lane; unsigned a = 0, b = 0, least = 0;
  for (int x = 0; x < width; x++) {
    unsigned c = in[x * 32], below = __shfl_up_sync(~0u, b, 1), above = __shfl_down_sync(~0u, a, 1); if (lane == 0) below = 60000; if (lane == 31) above = 60000;
    unsigned p = (c & 255) + min(min(a, least + 80), min(below, b) + 10) - least, q = (c >> 8) + min(min(b, least + 80), min(a, above) + 10) - least; a = p; b = q; least = __reduce_min_sync(~0u, min(p, q)); o[x * 32] = p | q << 16;
  }
}

// ---------------------------------------------------------------- rendering
K k_blend_layers(const uint2* fragment, const int* count, uint32_t* out, int n) {   // up to 16 see-through fragments of a pixel sorted by depth and blended from the front
  int i = GLOBAL_X; if (i >= n) return; uint2 list[16]; int m = 1 + count[i] % 16;
  for (int k = 0; k < m; k++) { uint2 f = fragment[(size_t)k * n + i]; int j = k; while (j > 0 && list[j - 1].x > f.x) { list[j] = list[j - 1]; j--; } list[j] = f; }
  float r = 0, g = 0, b = 0, clear = 1.f;
  for (int k = 0; k < m && clear > 0.02f; k++) { uint32_t c = list[k].y; float a = 0.15f + (list[k].x & 63) * 0.01f, w = clear * a; r += w * (c & 255); g += w * (c >> 8 & 255); b += w * (c >> 16 & 255); clear *= 1.f - a; }
  out[i] = (uint32_t)r | (uint32_t)g << 8 | (uint32_t)b << 16 | (uint32_t)(255.f * clear) << 24;
}
K k_ray_triangles(const float* triangle, const float4* ray, float4* out, int n, int m) {   // the nearest of all triangles that a ray meets, tiles of 64 in shared memory
  __shared__ float tile[64][9]; int t = threadIdx.x, i = GLOBAL_X; float4 r = ray[min(i, n - 1)]; float ox = r.x, oy = r.y, oz = -60.f, dx = r.z * 0.01f, dy = r.w * 0.01f, dz = 1.f, best = 1e9f, bu = 0, bv = 0; int who = -1;
  for (int first = 0; first < m; first += 64) {
    __syncthreads(); for (int k = t; k < 576; k += blockDim.x) tile[k / 9][k % 9] = triangle[first * 9 + k];
    __syncthreads();
    for (int k = 0; k < 64; k++) {
      const float* a = tile[k]; float ax = a[3] * 0.5f, ay = a[4] * 0.5f, az = a[5] * 0.5f, bx = a[6] * 0.5f, by = a[7] * 0.5f, bz = a[8] * 0.5f, px = dy * bz - dz * by, py = dz * bx - dx * bz, pz = dx * by - dy * bx, det = ax * px + ay * py + az * pz;
      if (fabsf(det) < 1e-5f) continue;
      float inv = 1.f / det, tx = ox - a[0], ty = oy - a[1], tz = oz - a[2], u = (tx * px + ty * py + tz * pz) * inv; if (u < 0.f || u > 1.f) continue;
      float qx = ty * az - tz * ay, qy = tz * ax - tx * az, qz = tx * ay - ty * ax, v = (dx * qx + dy * qy + dz * qz) * inv; if (v < 0.f || u + v > 1.f) continue;
      float far = (bx * qx + by * qy + bz * qz) * inv; if (far > 1e-3f && far < best) { best = far; bu = u; bv = v; who = first + k; }
    }
  }
  if (i < n) out[i] = make_float4(best, bu, bv, (float)who);
}
static __device__ __forceinline__ uint32_t mean_4(uint32_t a, uint32_t b, uint32_t c, uint32_t d) { uint32_t m = 0xff00ffu, x = (a & m) + (b & m) + (c & m) + (d & m) + 0x20002u, y = (a >> 8 & m) + (b >> 8 & m) + (c >> 8 & m) + (d >> 8 & m) + 0x20002u; return (x >> 2 & m) | (y >> 2 & m) << 8; }
K k_mip_levels(const uint2* in, uint32_t* half, uint32_t* quarter, uint32_t* eighth, int n) {   // a picture at a half, a quarter and an eighth of its size, 32 x 32 pixels a block
  __shared__ uint32_t s[16][17], q[8][9]; int x = threadIdx.x, y = threadIdx.y, gx = GLOBAL_X, gy = GLOBAL_Y; uint2 a = in[(size_t)(2 * gy) * (n / 2) + gx], b = in[(size_t)(2 * gy + 1) * (n / 2) + gx]; uint32_t v = mean_4(a.x, a.y, b.x, b.y); half[gy * (n / 2) + gx] = v; s[y][x] = v;
  __syncthreads(); if (x < 8 && y < 8) { v = mean_4(s[2 * y][2 * x], s[2 * y][2 * x + 1], s[2 * y + 1][2 * x], s[2 * y + 1][2 * x + 1]); quarter[(blockIdx.y * 8 + y) * (n / 4) + blockIdx.x * 8 + x] = v; q[y][x] = v; }
  __syncthreads(); if (x < 4 && y < 4) eighth[(blockIdx.y * 4 + y) * (n / 8) + blockIdx.x * 4 + x] = mean_4(q[2 * y][2 * x], q[2 * y][2 * x + 1], q[2 * y + 1][2 * x], q[2 * y + 1][2 * x + 1]);
}
static __device__ __forceinline__ int common(const int* in, int n, int i, u64 a, int j) { if (j < 0 || j >= n) return -1; uint32_t y = (uint32_t)j << 14 | (__ldg(in + j) & 16383); u64 b = (u64)y * y; return a == b ? 64 + __clz(i ^ j) : __clzll(a ^ b); }
K k_radix_tree(const int* in, int4* node, int n) {   // the inner nodes of a tree of boxes found all at once from sorted codes, a node a thread
  int i = GLOBAL_X; if (i >= n - 1) return; uint32_t x = (uint32_t)i << 14 | (in[i] & 16383); u64 a = (u64)x * x; int d = common(in, n, i, a, i + 1) > common(in, n, i, a, i - 1) ? 1 : -1, least = common(in, n, i, a, i - d), most = 2;
  while (common(in, n, i, a, i + most * d) > least) most *= 2;
  int l = 0; for (int t = most / 2; t; t /= 2) if (common(in, n, i, a, i + (l + t) * d) > least) l += t;
  int j = i + l * d, depth = common(in, n, i, a, j), s = 0, t = l; do { t = (t + 1) / 2; if (common(in, n, i, a, i + (s + t) * d) > depth) s += t; } while (t > 1);
  int split = i + s * d + min(d, 0); node[i] = make_int4(min(i, j) == split ? ~split : split, max(i, j) == split + 1 ? ~(split + 1) : split + 1, min(i, j), max(i, j));
}

// ---------------------------------------------------------------- tables
K k_dictionary_strings(const int* code, const int* size, const unsigned char* dictionary, unsigned char* out, int* total, int mask) {   // strings of up to 16 bytes written one after another, 256 a block, eight lanes a string
  __shared__ int start[256], length[256], which[256], sums[8]; int t = threadIdx.x, lane = t & 31, c = code[GLOBAL_X] & mask, n = (size[c] & 15) + 1, s = scan_of_warp(n); if (lane == 31) sums[t >> 5] = s;
  __syncthreads(); for (int w = 0; w < t >> 5; w++) s += sums[w];
  start[t] = s - n; length[t] = n; which[t] = c; if (t == 255) total[blockIdx.x] = s;
  __syncthreads(); unsigned char* o = out + (size_t)blockIdx.x * 4096;
  for (int k = t >> 3; k < 256; k += 32) { int m = length[k], at = start[k]; const unsigned char* d = dictionary + (size_t)which[k] * 16; for (int j = t & 7; j < m; j += 8) o[at + j] = d[j]; }
}
K k_bit_sliced_sum(const uint32_t* slice, u64* sum, unsigned* count, int words, int bound) {   // the sum of a column of 16 bit slices where another, of 12, is under a bound
  u64 s = 0; unsigned found = 0;
  for (int i = GLOBAL_X; i < words; i += gridDim.x * blockDim.x) {
    uint32_t under = 0, same = ~0u;
    #pragma unroll
    for (int b = 11; b >= 0; b--) { uint32_t v = mix32(slice[(size_t)b * words + i]); if (bound >> b & 1) { under |= same & ~v; same &= v; } else same &= ~v; }
    found += __popc(under);
    #pragma unroll
    for (int b = 0; b < 16; b++) s += (u64)__popc(slice[(size_t)(12 + b) * words + i] & under) << b;
  }
  s = sum_of_lanes(s); found = sum_of_lanes(found); if ((threadIdx.x & 31) == 0) { atomicAdd(sum, s); atomicAdd(count, found); }
}
K k_unpack_frames(const uint32_t* head, const uint32_t* in, uint4* out, int n) {   // 128 numbers of as many bits as a frame's head says, added to its base, a frame a warp
  int i = GLOBAL_X >> 5, lane = threadIdx.x & 31; if (i >= n) return; uint32_t h = head[i], width = 1 + h % 25, base = h >> 5, mask = (1u << width) - 1, v[4]; const uint32_t* p = in + (size_t)i * 100;
  #pragma unroll
  for (int k = 0; k < 4; k++) { uint32_t bit = (lane * 4 + k) * width; v[k] = base + (__funnelshift_r(p[bit >> 5], p[(bit >> 5) + 1], bit & 31) & mask); }
  out[(size_t)i * 32 + lane] = make_uint4(v[0], v[1], v[2], v[3]);
}
K k_price_summary(const int* date, const int* kind, const int* quantity, const int* price, const int* discount, u64* out, int n) {   // sums of sales of six kinds before a date, each kind kept by a lane of every warp
  __shared__ u64 all[6][4]; int t = threadIdx.x, lane = t & 31; if (t < 24) all[t >> 2][t & 3] = 0;
  __syncthreads(); u64 a = 0, b = 0, c = 0, d = 0;
  for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) {
    int k = date[i] < 15000000 ? kind[i] % 6 : 7; unsigned q = quantity[i] % 50 + 1, p = price[i] & 0xfffff, e = p * (100u - discount[i] % 11) / 100u;
    #pragma unroll
    for (int g = 0; g < 6; g++) { unsigned m = __ballot_sync(~0u, k == g), x = __reduce_add_sync(~0u, k == g ? q : 0u), y = __reduce_add_sync(~0u, k == g ? p : 0u), z = __reduce_add_sync(~0u, k == g ? e : 0u); if (lane == g) { a += __popc(m); b += x; c += y; d += z; } }
  }
  if (lane < 6) { atomicAdd(&all[lane][0], a); atomicAdd(&all[lane][1], b); atomicAdd(&all[lane][2], c); atomicAdd(&all[lane][3], d); }
  __syncthreads(); if (t < 24) atomicAdd(&out[t], all[t >> 2][t & 3]);
}
K __launch_bounds__(128) k_block_merge_sort(const int4* in, int4* out) {   // 1,024 numbers a block, eight sorted by each thread, then merged by halves of a growing length
  __shared__ int s[1024]; int t = threadIdx.x, v[8]; int4 a = in[(size_t)blockIdx.x * 256 + 2 * t], b = in[(size_t)blockIdx.x * 256 + 2 * t + 1]; v[0] = a.x; v[1] = a.y; v[2] = a.z; v[3] = a.w; v[4] = b.x; v[5] = b.y; v[6] = b.z; v[7] = b.w;
  #pragma unroll
  for (int r = 0; r < 8; r++)
    #pragma unroll
    for (int k = r & 1; k < 7; k += 2) { int low = min(v[k], v[k + 1]), high = max(v[k], v[k + 1]); v[k] = low; v[k + 1] = high; }
  for (int w = 8; w < 1024; w *= 2) {
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 8; k++) s[t * 8 + k] = v[k];
    __syncthreads(); int first = t * 8 / (2 * w) * (2 * w), d = t * 8 - first, low = max(0, d - w), high = min(d, w); const int *x = s + first, *y = s + first + w;
    while (low < high) { int m = (low + high) / 2; if (x[m] <= y[d - 1 - m]) low = m + 1; else high = m; }
    int i = low, j = d - low;
    #pragma unroll
    for (int k = 0; k < 8; k++) { bool left = j >= w || (i < w && x[i] <= y[j]); v[k] = left ? x[i++] : y[j++]; }
  }
  out[(size_t)blockIdx.x * 256 + 2 * t] = make_int4(v[0], v[1], v[2], v[3]); out[(size_t)blockIdx.x * 256 + 2 * t + 1] = make_int4(v[4], v[5], v[6], v[7]);
}
K k_as_of_join(const int* quote, const int* price, const int* trade, int2* out, int n, int quotes) {   // the last quote of the same share before each trade, by doubling steps, then halves, then a look back
  int i = GLOBAL_X; if (i >= n) return; int r = trade[i], when = r % (quotes * 16), low = max(0, when / 16 - (r & 1023) - 1), step = 1;
  while (low + step < quotes && (low + step) * 16 + (__ldg(quote + low + step) & 15) <= when) { low += step; step *= 2; }
  int high = min(low + step, quotes); while (high - low > 1) { int m = (low + high) / 2; if (m * 16 + (__ldg(quote + m) & 15) <= when) low = m; else high = m; }
  int share = r >> 10 & 7, k = low; while (k >= 0 && low - k < 48 && (__ldg(quote + k) >> 8 & 7) != share) k--;
  bool found = k >= 0 && low - k < 48; out[i] = make_int2(found ? k : -1, found ? price[k] : 0);
}

// ---------------------------------------------------------------- training
K __launch_bounds__(320) k_batch_norm_backward(const float4* x, const float4* dy, const float* gamma, float4* dx, float* dgamma, float* dbeta, int images, int channels, int quads) {   // all three gradients of a channel, a channel a block, three times over its values
  __shared__ float part[10]; int t = threadIdx.x, c = blockIdx.x; float s = 0, q = 0, inv = 1.f / (4.f * images * quads);
  for (int b = 0; b < images; b++) for (int k = t; k < quads; k += 320) { float4 v = x[((size_t)b * channels + c) * quads + k]; s += v.x + v.y + v.z + v.w; q += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w; }
  float mean = sum_of_block(s, part) * inv, r = rsqrtf(fmaxf(sum_of_block(q, part) * inv - mean * mean, 0.f) + 1e-5f); s = q = 0;
  for (int b = 0; b < images; b++) for (int k = t; k < quads; k += 320) { size_t at = ((size_t)b * channels + c) * quads + k; float4 v = x[at], g = dy[at]; s += g.x + g.y + g.z + g.w; q += (g.x * (v.x - mean) + g.y * (v.y - mean) + g.z * (v.z - mean) + g.w * (v.w - mean)) * r; }
  s = sum_of_block(s, part); q = sum_of_block(q, part); float w = gamma[c] * 0.02f * r, ms = s * inv, mq = q * inv * r;
  for (int b = 0; b < images; b++) for (int k = t; k < quads; k += 320) { size_t at = ((size_t)b * channels + c) * quads + k; float4 v = x[at], g = dy[at]; dx[at] = make_float4(w * (g.x - ms - (v.x - mean) * mq), w * (g.y - ms - (v.y - mean) * mq), w * (g.z - ms - (v.z - mean) * mq), w * (g.w - ms - (v.w - mean) * mq)); }
  if (t == 0) { dgamma[c] = q; dbeta[c] = s; }
}
K __launch_bounds__(256) k_lamb(float4* weight, const float4* gradient, float4* first, float4* second, float rate) {   // moments, then a step as long as the ratio of two norms says, 1,024 weights a block
  __shared__ float part[8]; size_t i = GLOBAL_X; float4 w = weight[i], g = gradient[i], m = first[i], v = second[i], u;
  m.x = 0.9f * m.x + 0.1f * g.x; m.y = 0.9f * m.y + 0.1f * g.y; m.z = 0.9f * m.z + 0.1f * g.z; m.w = 0.9f * m.w + 0.1f * g.w;
  v.x = 0.999f * fabsf(v.x) + 0.001f * g.x * g.x; v.y = 0.999f * fabsf(v.y) + 0.001f * g.y * g.y; v.z = 0.999f * fabsf(v.z) + 0.001f * g.z * g.z; v.w = 0.999f * fabsf(v.w) + 0.001f * g.w * g.w; first[i] = m; second[i] = v;
  u.x = m.x / (sqrtf(v.x) + 1e-6f) + 0.01f * w.x; u.y = m.y / (sqrtf(v.y) + 1e-6f) + 0.01f * w.y; u.z = m.z / (sqrtf(v.z) + 1e-6f) + 0.01f * w.z; u.w = m.w / (sqrtf(v.w) + 1e-6f) + 0.01f * w.w;
  float nw = sum_of_block(w.x * w.x + w.y * w.y + w.z * w.z + w.w * w.w, part), nu = sum_of_block(u.x * u.x + u.y * u.y + u.z * u.z + u.w * u.w, part), trust = rate * (nw > 0.f && nu > 0.f ? sqrtf(nw / nu) : 1.f);
  weight[i] = make_float4(w.x - trust * u.x, w.y - trust * u.y, w.z - trust * u.z, w.w - trust * u.w);
}
K __launch_bounds__(64) k_attention_gradient(const float4* query, const float4* key, const float4* value, const float4* dout, const float* extra, float4* dquery, int length) {   // gradient of queries of 32 values, a query a thread, tiles of 32 keys copied without waiting
  __shared__ float4 k[2][32][8], v[2][32][8]; int t = threadIdx.x; size_t base = (size_t)blockIdx.y * length, row = (base + GLOBAL_X) * 8; float4 q[8], g[8], d[8];
  #pragma unroll
  for (int j = 0; j < 8; j++) { q[j] = query[row + j]; g[j] = dout[row + j]; d[j] = make_float4(0, 0, 0, 0); }
  float delta = extra[base + GLOBAL_X] * 0.1f;
  for (int e = t; e < 256; e += 64) { __pipeline_memcpy_async(&k[0][0][0] + e, key + base * 8 + e, 16); __pipeline_memcpy_async(&v[0][0][0] + e, value + base * 8 + e, 16); }
  __pipeline_commit();
  for (int first = 0, turn = 0; first < length; first += 32, turn ^= 1) {
    if (first + 32 < length) for (int e = t; e < 256; e += 64) { __pipeline_memcpy_async(&k[turn ^ 1][0][0] + e, key + (base + first + 32) * 8 + e, 16); __pipeline_memcpy_async(&v[turn ^ 1][0][0] + e, value + (base + first + 32) * 8 + e, 16); }
    __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads();
    for (int c = 0; c < 32; c++) {
      float s = 0, p = 0; float4 kk[8];
      #pragma unroll
      for (int j = 0; j < 8; j++) { kk[j] = k[turn][c][j]; float4 w = v[turn][c][j]; s += q[j].x * kk[j].x + q[j].y * kk[j].y + q[j].z * kk[j].z + q[j].w * kk[j].w; p += g[j].x * w.x + g[j].y * w.y + g[j].z * w.z + g[j].w * w.w; }
      float ds = expf(s * 0.00007f - 5.f) * (p * 0.001f - delta);
      #pragma unroll
      for (int j = 0; j < 8; j++) { d[j].x += ds * kk[j].x; d[j].y += ds * kk[j].y; d[j].z += ds * kk[j].z; d[j].w += ds * kk[j].w; }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int j = 0; j < 8; j++) dquery[row + j] = d[j];
}
K k_ternary_matvec(const uint4* weight, const int4* x, const float* scale, float* out, int n, int quads) {   // weights of -1, 0 and 1 in two bits times bytes, a row a warp
  int row = GLOBAL_X >> 5, lane = threadIdx.x & 31, s = 0; if (row >= n) return; const uint4* w = weight + (size_t)row * quads;
  for (int k = lane; k < quads; k += 32) {
    uint4 a = w[k]; uint32_t p[4] = {a.x, a.y, a.z, a.w};
    #pragma unroll
    for (int j = 0; j < 4; j++) {
      uint32_t h = p[j] * 0x9e3779b1u; h &= ~(h & h >> 1 & 0x55555555u); int4 b = __ldg(x + k * 4 + j);   // no field holds 3
      s = __dp4a((int)__vsub4(h & 0x03030303u, 0x01010101u), b.x, s); s = __dp4a((int)__vsub4(h >> 2 & 0x03030303u, 0x01010101u), b.y, s); s = __dp4a((int)__vsub4(h >> 4 & 0x03030303u, 0x01010101u), b.z, s); s = __dp4a((int)__vsub4(h >> 6 & 0x03030303u, 0x01010101u), b.w, s);
    }
  }
  s = sum_of_lanes(s); if (lane == 0) out[row] = s * (scale[row] * 0.001f);
}
K k_deformable(const uint4* image, const float* offset, const float* weight, uint4* out, int n, int groups) {   // nine points of each pixel read wherever their offsets say, between pixels, eight halves at a time
  int x = GLOBAL_X, y = GLOBAL_Y, g = blockIdx.z; if (x >= n || y >= n) return; float s[8] = {};
  for (int k = 0; k < 9; k++) {
    float fx = x + k % 3 - 1 + 0.06f * offset[(size_t)(2 * k) * n * n + y * n + x], fy = y + k / 3 - 1 + 0.06f * offset[(size_t)(2 * k + 1) * n * n + y * n + x], w = weight[g * 9 + k] * 0.02f; int ix = (int)floorf(fx), iy = (int)floorf(fy); fx -= ix; fy -= iy;
    #pragma unroll
    for (int c = 0; c < 4; c++) {
      int px = ix + (c & 1), py = iy + (c >> 1); if (px < 0 || py < 0 || px >= n || py >= n) continue;
      float m = w * (c & 1 ? fx : 1.f - fx) * (c >> 1 ? fy : 1.f - fy); uint4 v = __ldg(image + ((size_t)py * n + px) * groups + g); float2 a = __half22float2(halves(v.x)), b = __half22float2(halves(v.y)), d = __half22float2(halves(v.z)), e = __half22float2(halves(v.w));
      s[0] += m * a.x; s[1] += m * a.y; s[2] += m * b.x; s[3] += m * b.y; s[4] += m * d.x; s[5] += m * d.y; s[6] += m * e.x; s[7] += m * e.y;
    }
  }
  out[((size_t)y * n + x) * groups + g] = make_uint4(word_of(__floats2half2_rn(s[0], s[1])), word_of(__floats2half2_rn(s[2], s[3])), word_of(__floats2half2_rn(s[4], s[5])), word_of(__floats2half2_rn(s[6], s[7])));
}
K __launch_bounds__(64) k_delta_rule(const float* query, const float* key, const float* value, const float* gate, float* out, int length) {   // a memory of 64 x 64 corrected token by token, a column a thread in registers, a head a block
  __shared__ float4 q[16], k[16]; int t = threadIdx.x; float state[64]; size_t at = (size_t)blockIdx.x * length * 64 + t;
  #pragma unroll
  for (int j = 0; j < 64; j++) state[j] = 0;
  for (int s = 0; s < length; s++, at += 64) {
    __syncthreads(); ((float*)q)[t] = query[at] * 0.02f; ((float*)k)[t] = key[at] * 0.0025f; float v = value[at], beta = 0.01f * (gate[blockIdx.x * length + s] + 50.f), seen = 0, o = 0;
    __syncthreads();
    #pragma unroll
    for (int j = 0; j < 16; j++) { float4 c = k[j]; seen += state[4 * j] * c.x + state[4 * j + 1] * c.y + state[4 * j + 2] * c.z + state[4 * j + 3] * c.w; }
    float d = beta * (v - seen);
    #pragma unroll
    for (int j = 0; j < 16; j++) { float4 c = k[j], p = q[j]; state[4 * j] += d * c.x; state[4 * j + 1] += d * c.y; state[4 * j + 2] += d * c.z; state[4 * j + 3] += d * c.w; o += state[4 * j] * p.x + state[4 * j + 1] * p.y + state[4 * j + 2] * p.z + state[4 * j + 3] * p.w; }
    out[at] = o;
  }
}
K __launch_bounds__(192) k_gru_steps(const float* input, const float* weight, float* out, int length) {   // a gated unit of 64 values over many steps, a row of the weights in each thread's registers, a sequence a block
  __shared__ float h[64], gate[192]; int t = threadIdx.x; float w[64]; size_t b = blockIdx.x;
  #pragma unroll
  for (int k = 0; k < 64; k++) w[k] = weight[k * 192 + t] * 0.005f;
  if (t < 64) h[t] = 0;
  __syncthreads();
  for (int s = 0; s < length; s++) {
    float x = input[(b * length + s) * 192 + t] * 0.04f, a = 0;
    #pragma unroll
    for (int k = 0; k < 64; k++) a += w[k] * h[k];
    gate[t] = t < 128 ? 1.f / (1.f + expf(-x - a)) : a;
    __syncthreads(); if (t >= 128) { float n = tanhf(x + gate[t - 128] * a), z = gate[t - 64], v = (1.f - z) * n + z * h[t - 128]; h[t - 128] = v; out[(b * length + s) * 64 + t - 128] = v; }
    __syncthreads();
  }
}
K __launch_bounds__(128) k_feature_crosses(const uint4* feature, float* out) {   // all products of 27 vectors of 64 brain floats with one another, a sample a block
  __shared__ float f[27][65]; int t = threadIdx.x; const uint4* in = feature + (size_t)blockIdx.x * 216;
  for (int k = t; k < 216; k += 128) {
    uint4 v = in[k]; float* o = &f[k >> 3][(k & 7) * 8]; float2 a = __bfloat1622float2(brains(v.x)), b = __bfloat1622float2(brains(v.y)), c = __bfloat1622float2(brains(v.z)), d = __bfloat1622float2(brains(v.w)); o[0] = a.x; o[1] = a.y; o[2] = b.x; o[3] = b.y; o[4] = c.x; o[5] = c.y; o[6] = d.x; o[7] = d.y;
  }
  __syncthreads();
  for (int p = t; p < 351; p += 128) {
    int i = (int)((1.f + sqrtf(1.f + 8.f * p)) * 0.5f); if (i * (i - 1) / 2 > p) i--; if (i * (i + 1) / 2 <= p) i++; int j = p - i * (i - 1) / 2; float s = 0;
    #pragma unroll 16
    for (int k = 0; k < 64; k++) s += f[i][k] * f[j][k];
    out[(size_t)blockIdx.x * 351 + p] = s;
  }
}
K k_quantize_nibbles(const float4* in, unsigned short* packed, float2* scale, int n) {   // groups of 32 values scaled from their least to their greatest into four bits each, eight lanes a group
  int i = GLOBAL_X; if (i >= n) return; float4 v = in[i]; float low = fminf(fminf(v.x, v.y), fminf(v.z, v.w)), high = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
  #pragma unroll
  for (int o = 4; o; o >>= 1) { low = fminf(low, __shfl_xor_sync(~0u, low, o)); high = fmaxf(high, __shfl_xor_sync(~0u, high, o)); }
  float step = (high - low) * (1.f / 15.f), inv = step > 0.f ? 1.f / step : 0.f; int a = __float2int_rn((v.x - low) * inv), b = __float2int_rn((v.y - low) * inv), c = __float2int_rn((v.z - low) * inv), d = __float2int_rn((v.w - low) * inv);
  packed[i] = (unsigned short)(min(a, 15) | min(b, 15) << 4 | min(c, 15) << 8 | min(d, 15) << 12); if ((threadIdx.x & 7) == 0) scale[i >> 3] = make_float2(step, low);
}

// ---------------------------------------------------------------- ciphers
K k_poly1305(const uint4* in, const uint4* key, uint4* out, int n, int blocks) {   // one-time sums modulo 2^130 - 5 in limbs of 26 bits, a message a thread
  int i = GLOBAL_X; if (i >= n) return; uint4 k = key[i]; k.x = mix32(k.x); k.y = mix32(k.y); k.z = mix32(k.z); k.w = mix32(k.w);
  uint32_t r0 = k.x & 0x3ffffff, r1 = (k.x >> 26 | k.y << 6) & 0x3ffff03, r2 = (k.y >> 20 | k.z << 12) & 0x3ffc0ff, r3 = (k.z >> 14 | k.w << 18) & 0x3f03fff, r4 = k.w >> 8 & 0xfffff, s1 = r1 * 5, s2 = r2 * 5, s3 = r3 * 5, s4 = r4 * 5, h0 = 0, h1 = 0, h2 = 0, h3 = 0, h4 = 0;
  for (int b = 0; b < blocks; b++) {
    uint4 m = in[(size_t)b * n + i]; h0 += m.x & 0x3ffffff; h1 += (m.x >> 26 | m.y << 6) & 0x3ffffff; h2 += (m.y >> 20 | m.z << 12) & 0x3ffffff; h3 += (m.z >> 14 | m.w << 18) & 0x3ffffff; h4 += m.w >> 8 | 1 << 24;
    u64 d0 = (u64)h0 * r0 + (u64)h1 * s4 + (u64)h2 * s3 + (u64)h3 * s2 + (u64)h4 * s1, d1 = (u64)h0 * r1 + (u64)h1 * r0 + (u64)h2 * s4 + (u64)h3 * s3 + (u64)h4 * s2, d2 = (u64)h0 * r2 + (u64)h1 * r1 + (u64)h2 * r0 + (u64)h3 * s4 + (u64)h4 * s3, d3 = (u64)h0 * r3 + (u64)h1 * r2 + (u64)h2 * r1 + (u64)h3 * r0 + (u64)h4 * s4, d4 = (u64)h0 * r4 + (u64)h1 * r3 + (u64)h2 * r2 + (u64)h3 * r1 + (u64)h4 * r0;
    d1 += d0 >> 26; h0 = d0 & 0x3ffffff; d2 += d1 >> 26; h1 = d1 & 0x3ffffff; d3 += d2 >> 26; h2 = d2 & 0x3ffffff; d4 += d3 >> 26; h3 = d3 & 0x3ffffff; h4 = d4 & 0x3ffffff; h0 += (uint32_t)(d4 >> 26) * 5; h1 += h0 >> 26; h0 &= 0x3ffffff;
  }
  out[i] = make_uint4(h0 | h1 << 26, h1 >> 6 | h2 << 20, h2 >> 12 | h3 << 14, h3 >> 18 | h4 << 8);
}
static __device__ __forceinline__ u64 turn(u64 x, int n) { return x >> n | x << (64 - n); }
__constant__ u64 ROUND[80] = {0x428a2f98d728ae22ull, 0x7137449123ef65cdull, 0xb5c0fbcfec4d3b2full, 0xe9b5dba58189dbbcull, 0x3956c25bf348b538ull, 0x59f111f1b605d019ull, 0x923f82a4af194f9bull, 0xab1c5ed5da6d8118ull, 0xd807aa98a3030242ull, 0x12835b0145706fbeull, 0x243185be4ee4b28cull, 0x550c7dc3d5ffb4e2ull, 0x72be5d74f27b896full, 0x80deb1fe3b1696b1ull, 0x9bdc06a725c71235ull, 0xc19bf174cf692694ull, 0xe49b69c19ef14ad2ull, 0xefbe4786384f25e3ull, 0x0fc19dc68b8cd5b5ull, 0x240ca1cc77ac9c65ull, 0x2de92c6f592b0275ull, 0x4a7484aa6ea6e483ull, 0x5cb0a9dcbd41fbd4ull, 0x76f988da831153b5ull, 0x983e5152ee66dfabull, 0xa831c66d2db43210ull, 0xb00327c898fb213full, 0xbf597fc7beef0ee4ull, 0xc6e00bf33da88fc2ull, 0xd5a79147930aa725ull, 0x06ca6351e003826full, 0x142929670a0e6e70ull, 0x27b70a8546d22ffcull, 0x2e1b21385c26c926ull, 0x4d2c6dfc5ac42aedull, 0x53380d139d95b3dfull, 0x650a73548baf63deull, 0x766a0abb3c77b2a8ull, 0x81c2c92e47edaee6ull, 0x92722c851482353bull, 0xa2bfe8a14cf10364ull, 0xa81a664bbc423001ull, 0xc24b8b70d0f89791ull, 0xc76c51a30654be30ull, 0xd192e819d6ef5218ull, 0xd69906245565a910ull, 0xf40e35855771202aull, 0x106aa07032bbd1b8ull, 0x19a4c116b8d2d0c8ull, 0x1e376c085141ab53ull, 0x2748774cdf8eeb99ull, 0x34b0bcb5e19b48a8ull, 0x391c0cb3c5c95a63ull, 0x4ed8aa4ae3418acbull, 0x5b9cca4f7763e373ull, 0x682e6ff3d6b2b8a3ull, 0x748f82ee5defb2fcull, 0x78a5636f43172f60ull, 0x84c87814a1f0ab72ull, 0x8cc702081a6439ecull, 0x90befffa23631e28ull, 0xa4506cebde82bde9ull, 0xbef9a3f7b2c67915ull, 0xc67178f2e372532bull, 0xca273eceea26619cull, 0xd186b8c721c0c207ull, 0xeada7dd6cde0eb1eull, 0xf57d4f7fee6ed178ull, 0x06f067aa72176fbaull, 0x0a637dc5a2c898a6ull, 0x113f9804bef90daeull, 0x1b710b35131c471bull, 0x28db77f523047d84ull, 0x32caab7b40c72493ull, 0x3c9ebe0a15c9bebcull, 0x431d67c49c100d4cull, 0x4cc5d4becb3e42b6ull, 0x597f299cfc657e2aull, 0x5fcb6fab3ad6faecull, 0x6c44198c4a475817ull};
K k_sha512(const u64* in, u64* out, int n, int blocks) {   // 80 rounds on 64-bit words a block of a message, a message a thread
  int i = GLOBAL_X; if (i >= n) return; u64 h[8] = {0x6a09e667f3bcc908ull, 0xbb67ae8584caa73bull, 0x3c6ef372fe94f82bull, 0xa54ff53a5f1d36f1ull, 0x510e527fade682d1ull, 0x9b05688c2b3e6c1full, 0x1f83d9abfb41bd6bull, 0x5be0cd19137e2179ull}, w[16];
  for (int b = 0; b < blocks; b++) {
    #pragma unroll
    for (int k = 0; k < 16; k++) w[k] = in[(size_t)(b * 16 + k) * n + i];
    u64 v[8];
    #pragma unroll
    for (int k = 0; k < 8; k++) v[k] = h[k];
    for (int r = 0; r < 80; r += 16)
      #pragma unroll
      for (int k = 0; k < 16; k++) {
        if (r) { u64 x = w[(k + 1) & 15], y = w[(k + 14) & 15]; w[k] += w[(k + 9) & 15] + (turn(x, 1) ^ turn(x, 8) ^ x >> 7) + (turn(y, 19) ^ turn(y, 61) ^ y >> 6); }
        u64 a = v[0], e = v[4], s = v[7] + (turn(e, 14) ^ turn(e, 18) ^ turn(e, 41)) + ((e & v[5]) ^ (~e & v[6])) + ROUND[r + k] + w[k], m = (turn(a, 28) ^ turn(a, 34) ^ turn(a, 39)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        v[7] = v[6]; v[6] = v[5]; v[5] = e; v[4] = v[3] + s; v[3] = v[2]; v[2] = v[1]; v[1] = a; v[0] = s + m;
      }
    #pragma unroll
    for (int k = 0; k < 8; k++) h[k] += v[k];
  }
  #pragma unroll
  for (int k = 0; k < 8; k++) out[(size_t)k * n + i] = h[k];
}
K k_ascon(const u64* in, ulonglong2* out, int n, int words) {   // a sponge of five 64-bit words with twelve rounds a word taken in, a message a thread
  int i = GLOBAL_X; if (i >= n) return; u64 a = 0x00400c0000000100ull, b = i, c = 0, d = 0, e = 0;
  for (int w = 0; w <= words; w++) {
    for (int r = 0; r < 12; r++) {
      c ^= (u64)((0xf - r) << 4 | r); a ^= e; e ^= d; c ^= b; u64 p = ~a & b, q = ~b & c, s = ~c & d, t = ~d & e, u = ~e & a; a ^= q; b ^= s; c ^= t; d ^= u; e ^= p; b ^= a; a ^= e; d ^= c; c = ~c;
      a ^= turn(a, 19) ^ turn(a, 28); b ^= turn(b, 61) ^ turn(b, 39); c ^= turn(c, 1) ^ turn(c, 6); d ^= turn(d, 10) ^ turn(d, 17); e ^= turn(e, 7) ^ turn(e, 41);
    }
    if (w < words) a ^= in[(size_t)w * n + i];
  }
  out[i] = make_ulonglong2(a, b);
}

// ---------------------------------------------------------------- compression
K k_prefix_decode(const int* code, const uint32_t* stream, uint32_t* out, int n, int symbols) {   // codes of one to ten bits looked up in a shared table, a stream a thread, four symbols a word
  __shared__ unsigned short table[1024]; for (int k = threadIdx.x; k < 1024; k += blockDim.x) { int c = code[k]; table[k] = (unsigned short)((1 + c % 10) << 8 | (c >> 8 & 255)); }
  __syncthreads(); int i = GLOBAL_X; if (i >= n) return; u64 bits = 0; int have = 0, word = 0; uint32_t pack = 0;
  for (int k = 0; k < symbols; k++) {
    if (have < 32) { bits |= (u64)mix32(stream[(size_t)word++ * n + i]) << have; have += 32; }
    int e = table[bits & 1023], l = e >> 8; bits >>= l; have -= l; pack = pack >> 8 | (uint32_t)(e & 255) << 24; if ((k & 3) == 3) out[(size_t)(k >> 2) * n + i] = pack;
  }
}
K __launch_bounds__(128) k_lz_decode(const int* token, const unsigned char* literal, uint4* out, int* length, int n, int tokens) {   // runs of new bytes and of bytes seen before, 2,048 bytes a warp built in shared memory
  __shared__ uint4 space[4][128]; int t = threadIdx.x, lane = t & 31, i = GLOBAL_X >> 5, at = 0, from = 0; if (i >= n) return; unsigned char* o = (unsigned char*)space[t >> 5]; literal += (size_t)i * tokens * 16;
  for (int k = lane; k < 128; k += 32) space[t >> 5][k] = make_uint4(0, 0, 0, 0);
  __syncwarp();
  for (int k = 0; k < tokens; k++) {
    int c = token[(size_t)i * tokens + k], fresh = c & 15, again = 4 + (c >> 4 & 31), back = 1 + (c >> 9 & 1023); if (at + fresh + again > 2048) break;
    if (lane < fresh) o[at + lane] = literal[from + lane];
    at += fresh; from += fresh; __syncwarp(); if (at == 0) continue;
    back = min(back, at); for (int j = lane; j < again; j += 32) o[at + j] = o[at - back + j % back];
    at += again; __syncwarp();
  }
  for (int k = lane; k < 128; k += 32) out[(size_t)i * 128 + k] = space[t >> 5][k];
  if (lane == 0) length[i] = at;
}
K __launch_bounds__(128) k_rans_encode(const int* model, const int* in, unsigned short* out, uint32_t* state, int* length, int n, int symbols) {   // 32 coders side by side in a warp, their words packed in order by ballots
  __shared__ int2 table[64]; int t = threadIdx.x, lane = t & 31, i = GLOBAL_X >> 5; if (t < 64) { int f = 32 + (model[t >> 1] & 63); table[t] = t & 1 ? make_int2(128 - f, t / 2 * 128 + f) : make_int2(f, t / 2 * 128); }
  __syncthreads(); if (i >= n) return; uint32_t x = 1 << 16, at = 0; unsigned short* o = out + (size_t)i * symbols * 32;
  for (int k = 0; k < symbols; k++) {
    int s = in[((size_t)i * symbols + k) * 32 + lane] & 63; uint32_t f = table[s].x, c = table[s].y; bool full = x >= f << 20; uint32_t who = __ballot_sync(~0u, full);
    if (full) { o[at + __popc(who & ((1u << lane) - 1))] = (unsigned short)x; x >>= 16; }
    at += __popc(who); x = x / f * 4096 + x % f + c;
  }
  state[i * 32 + lane] = x; if (lane == 0) length[i] = at;
}
static __device__ __forceinline__ void lift(int& x, int& y, int& z, int& w) { x += w; x >>= 1; w -= x; z += y; z >>= 1; y -= z; x += z; x >>= 1; z -= x; w += y; w >>= 1; y -= w; w += y >> 1; y -= w >> 1; }
K k_float_planes(const float4* in, uint32_t* out, int across) {   // 4 x 4 floats made integers of a common exponent, turned by lifting, the upper twelve planes of bits kept, a square a thread
  int bx = GLOBAL_X, by = blockIdx.y, all = across * gridDim.y, i = by * across + bx, v[16], ex; if (bx >= across) return; float4 r[4]; float m = 0;
  #pragma unroll
  for (int k = 0; k < 4; k++) { r[k] = in[(size_t)(4 * by + k) * across + bx]; m = fmaxf(m, fmaxf(fmaxf(fabsf(r[k].x), fabsf(r[k].y)), fmaxf(fabsf(r[k].z), fabsf(r[k].w)))); }
  frexpf(m, &ex); float s = ldexpf(1.f, 26 - ex);
  #pragma unroll
  for (int k = 0; k < 4; k++) { v[4 * k] = (int)(r[k].x * s); v[4 * k + 1] = (int)(r[k].y * s); v[4 * k + 2] = (int)(r[k].z * s); v[4 * k + 3] = (int)(r[k].w * s); lift(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]); }
  #pragma unroll
  for (int k = 0; k < 4; k++) lift(v[k], v[4 + k], v[8 + k], v[12 + k]);
  #pragma unroll
  for (int p = 0; p < 6; p++) {
    uint32_t w = 0;
    #pragma unroll
    for (int k = 0; k < 16; k++) { uint32_t u = ((uint32_t)v[k] + 0xaaaaaaaau) ^ 0xaaaaaaaau; w |= (u >> (28 - 2 * p) & 1) << k | (u >> (27 - 2 * p) & 1) << (16 + k); }
    out[(size_t)p * all + i] = w;
  }
  out[(size_t)6 * all + i] = ex;
}

// ---------------------------------------------------------------- graphs
K k_peel_core(const int* neighbour, const int* degree, int* lost, unsigned* gone, int* list, int* count, int n, int least) {   // vertices of too few neighbours leave the graph and their neighbours lose one each, a vertex a thread
  int i = GLOBAL_X; if (i >= n) return; int lane = threadIdx.x & 31; bool leaves = (degree[i] & 31) < least; unsigned who = __ballot_sync(~0u, leaves); int at = 0;
  if (lane == 0) { gone[i >> 5] = who; at = who ? atomicAdd(count, __popc(who)) : 0; }
  at = __shfl_sync(~0u, at, 0); if (!leaves) return; list[at + __popc(who & ((1u << lane) - 1))] = i;
  const int4* p = (const int4*)neighbour + (size_t)i * 4;
  #pragma unroll
  for (int k = 0; k < 4; k++) { int4 v = p[k]; atomicAdd(&lost[v.x & (n - 1)], 1); atomicAdd(&lost[v.y & (n - 1)], 1); atomicAdd(&lost[v.z & (n - 1)], 1); atomicAdd(&lost[v.w & (n - 1)], 1); }
}
K __launch_bounds__(256) k_auction_bids(const float* worth, const float* price, u64* bid, int n) {   // the best and the second best object for each bidder, a bidder a block, and his bid for the best
  __shared__ float best[8], next[8]; __shared__ int which[8]; int t = threadIdx.x; float a = -1e9f, b = -1e9f; int who = 0;
  for (int k = t; k < n; k += 256) { float v = worth[(size_t)blockIdx.x * n + k] - 0.3f * price[k]; if (v > a) { b = a; a = v; who = k; } else b = fmaxf(b, v); }
  for (int o = 16; o; o >>= 1) { float c = __shfl_xor_sync(~0u, a, o), d = __shfl_xor_sync(~0u, b, o); int w = __shfl_xor_sync(~0u, who, o); if (c > a || (c == a && w < who)) { b = fmaxf(a, d); a = c; who = w; } else b = fmaxf(b, c); }
  if ((t & 31) == 0) { best[t >> 5] = a; next[t >> 5] = b; which[t >> 5] = who; }
  __syncthreads(); if (t) return;
  for (int w = 1; w < 8; w++) { float c = best[w], d = next[w]; if (c > a || (c == a && which[w] < who)) { b = fmaxf(a, d); a = c; who = which[w]; } else b = fmaxf(b, c); }
  uint32_t rise = (uint32_t)((a - b + 0.01f) * 1024.f) + 1; atomicMax(&bid[who], (u64)rise << 32 | blockIdx.x);
}
K k_boolean_product(const uint32_t* a, const uint32_t* b, uint32_t* out, int words) {   // a product of matrices of bits modulo two, row by row of the set bits, a word a thread
  int i = GLOBAL_X, row = i / words, c = i - row * words; uint32_t s = 0;
  for (int k = 0; k < words; k++) { uint32_t v = a[row * words + k], m = mix32(v) & mix32(v + 77); while (m) { int j = __ffs(m) - 1; m &= m - 1; s ^= b[(size_t)(k * 32 + j) * words + c]; } }
  out[i] = s;
}

// ---------------------------------------------------------------- text
static __device__ __forceinline__ uint32_t then(uint32_t f, uint32_t g) { return (g >> (f & 3) * 2 & 3) | (g >> (f >> 2 & 3) * 2 & 3) << 2 | (g >> (f >> 4 & 3) * 2 & 3) << 4 | (g >> (f >> 6 & 3) * 2 & 3) << 6; }   // states 0..3 in pairs of bits
K __launch_bounds__(128) k_csv_states(const uint4* text, uint2* out, unsigned* total) {   // fields and lines outside of quotes, by putting together what 16 bytes do to each of four states
  __shared__ uint32_t whole[4]; int t = threadIdx.x, lane = t & 31; uint4 v = text[GLOBAL_X]; uint32_t p[4] = {mix32(v.x), mix32(v.y), mix32(v.z), mix32(v.w)}, f = 0xe4;   // 3 2 1 0, itself
  #pragma unroll
  for (int k = 0; k < 16; k++) { int c = p[k >> 2] >> (k & 3) * 8 & 15; f = then(f, c < 2 ? 0x04u : c == 2 ? 0xd9u : 0xf7u); }
  uint32_t mine = f; for (int o = 1; o < 32; o <<= 1) { uint32_t u = __shfl_up_sync(~0u, f, o); if (lane >= o) f = then(u, f); }
  if (lane == 31) whole[t >> 5] = f;
  uint32_t before = __shfl_up_sync(~0u, f, 1); if (lane == 0) before = 0xe4;
  __syncthreads(); uint32_t state = 0; for (int w = 0; w < t >> 5; w++) state = whole[w] >> state * 2 & 3;
  state = before >> state * 2 & 3; uint32_t fields = 0, lines = 0, s = state;
  #pragma unroll
  for (int k = 0; k < 16; k++) { int c = p[k >> 2] >> (k & 3) * 8 & 15; bool ends = c < 2 && s != 1; fields += ends; lines += ends && c == 1; s = (c < 2 ? 0x04u : c == 2 ? 0xd9u : 0xf7u) >> s * 2 & 3; }
  out[GLOBAL_X] = make_uint2(fields << 16 | lines, state << 8 | mine); fields = __reduce_add_sync(~0u, fields); lines = __reduce_add_sync(~0u, lines); if (lane == 0) { atomicAdd(&total[0], fields); atomicAdd(&total[1], lines); }
}
K k_bit_automaton(const uint32_t* classes, const uint32_t* text, int* hits, int n, int words) {   // 64 places of patterns advanced together by shifts and masks, a text a thread
  __shared__ u64 table[256]; for (int k = threadIdx.x; k < 256; k += blockDim.x) table[k] = mix64(classes[k]) | mix64(classes[k] + 1);
  __syncthreads(); int i = GLOBAL_X; if (i >= n) return; const u64 starts = 0x0101010101010101ull, ends = starts << 7, repeats = starts << 3, skips = starts << 5; u64 d = 0; int found = 0;
  for (int w = 0; w < words; w++) {
    uint32_t c = mix32(text[(size_t)w * n + i]);
    #pragma unroll
    for (int k = 0; k < 4; k++, c >>= 8) { u64 m = table[c & 255], next = (d << 1 & ~starts) | starts; next |= next << 1 & skips; d = (next | (d & repeats)) & m; if (d & ends) found += __popcll(d & ends); }
  }
  hits[i] = found;
}

// ---------------------------------------------------------------- sparse and dense algebra
static __device__ __forceinline__ int row_end(const int* extra, int r, int rows) { return r == rows - 1 ? rows * 12 + 7 : (r + 1) * 12 + (__ldg(extra + r) & 7); }
K k_merge_rows(const int* extra, const int* column, const float* value, const float* x, float* y, int* carry_row, float* carry, int rows, int mask) {   // a sparse matrix times a vector, seven ends of rows or products a thread, wherever rows end
  int i = GLOBAL_X, products = rows * 12 + 7, d = min(i * 7, rows + products), end = min(d + 7, rows + products), low = max(0, d - products), high = min(d, rows);
  while (low < high) { int m = (low + high) >> 1; if (row_end(extra, m, rows) <= d - m - 1) low = m + 1; else high = m; }
  int r = low, k = d - low, stop = r < rows ? row_end(extra, r, rows) : products; float s = 0;
  for (; d < end; d++) { if (k < stop) { s += value[k] * __ldg(x + (column[k] & mask)); k++; } else { y[r] = s; s = 0; r++; stop = r < rows ? row_end(extra, r, rows) : products; } }
  carry_row[i] = r; carry[i] = s;
}
K __launch_bounds__(128) k_sparse_product(const int2* a, const int2* b, int* sizes, unsigned* sums, int n) {   // rows of a product of two sparse matrices gathered in a shared table of hashes, a row a warp
  __shared__ int key[4][256]; __shared__ unsigned sum[4][256]; int t = threadIdx.x, lane = t & 31, w = t >> 5, i = GLOBAL_X >> 5; if (i >= n) return;
  for (int k = lane; k < 256; k += 32) { key[w][k] = -1; sum[w][k] = 0; }
  __syncwarp();
  for (int k = lane; k < 64; k += 32) {
    int2 p = a[(size_t)i * 8 + (k >> 3)], q = b[(size_t)(p.x & (n - 1)) * 8 + (k & 7)]; int c = q.x & 4095; uint32_t h = c * 0x9e3779b1u >> 24; unsigned v = (p.y & 255u) * (q.y & 255u);
    while (true) { int old = atomicCAS(&key[w][h], -1, c); if (old == -1 || old == c) { atomicAdd(&sum[w][h], v); break; } h = (h + 1) & 255; }
  }
  __syncwarp(); int m = 0; unsigned s = 0; for (int k = lane; k < 256; k += 32) if (key[w][k] >= 0) { m++; s += sum[w][k] * mix32(key[w][k]); }
  m = __reduce_add_sync(~0u, m); s = __reduce_add_sync(~0u, s); if (lane == 0) { sizes[i] = m; sums[i] = s; }
}
K k_one_sided_svd(const float* in, float* out, int n, int sweeps) {   // columns of 32 x 8 matrices turned in pairs until square to each other, a matrix a warp, a row a lane
  int i = GLOBAL_X >> 5, lane = threadIdx.x & 31; if (i >= n) return; float a[8];
  #pragma unroll
  for (int k = 0; k < 8; k++) a[k] = in[(size_t)i * 256 + k * 32 + lane] * 0.02f;
  for (int s = 0; s < sweeps; s++) {
    bool turned = false;
    #pragma unroll
    for (int p = 0; p < 7; p++)
      #pragma unroll
      for (int q = p + 1; q < 8; q++) {
        float x = sum_of_lanes(a[p] * a[p]), y = sum_of_lanes(a[q] * a[q]), g = sum_of_lanes(a[p] * a[q]); if (fabsf(g) <= 1e-6f * sqrtf(x * y)) continue;
        turned = true; float z = (y - x) / (2.f * g), t = copysignf(1.f, z) / (fabsf(z) + sqrtf(1.f + z * z)), c = rsqrtf(1.f + t * t), u = c * a[p] - c * t * a[q]; a[q] = c * t * a[p] + c * a[q]; a[p] = u;
      }
    if (!turned) break;
  }
  #pragma unroll
  for (int k = 0; k < 8; k++) { float s = sqrtf(sum_of_lanes(a[k] * a[k])); if (lane == k) out[i * 8 + k] = s; }
}
K __launch_bounds__(160) k_gemm_80_by_48(const float* a, const float* b, float* c, int m, int n, int k) {   // tiles of 80 x 48, twelve deep, 4 x 6 sums a thread, any sizes
  __shared__ float sa[12][81], sb[12][48]; int t = threadIdx.x, r = t / 8 * 4, q = t % 8, row = blockIdx.y * 80, col = blockIdx.x * 48; float sum[4][6] = {};
  for (int first = 0; first < k; first += 12) {
    for (int e = t; e < 960; e += 160) { int y = e / 12, x = e % 12; sa[x][y] = row + y < m && first + x < k ? a[(size_t)(row + y) * k + first + x] : 0.f; }
    for (int e = t; e < 576; e += 160) { int y = e / 48, x = e % 48; sb[y][x] = first + y < k && col + x < n ? b[(size_t)(first + y) * n + col + x] : 0.f; }
    __syncthreads();
    #pragma unroll
    for (int p = 0; p < 12; p++) {
      float u[4], v[6];
      #pragma unroll
      for (int e = 0; e < 4; e++) u[e] = sa[p][r + e];
      #pragma unroll
      for (int e = 0; e < 6; e++) v[e] = sb[p][q + 8 * e];
      #pragma unroll
      for (int e = 0; e < 4; e++)
        #pragma unroll
        for (int f = 0; f < 6; f++) sum[e][f] += u[e] * v[f];
    }
    __syncthreads();
  }
  #pragma unroll
  for (int e = 0; e < 4; e++)
    #pragma unroll
    for (int f = 0; f < 6; f++) if (row + r + e < m && col + q + 8 * f < n) c[(size_t)(row + r + e) * n + col + q + 8 * f] = sum[e][f];
}
K k_gauss_jordan(const float* in, const float4* right, float4* out, int n) {   // 16 equations with four right sides, pivots found by lanes, two systems a warp, a row a lane
  int i = GLOBAL_X >> 4, l = threadIdx.x & 15; if (i >= n) return; float a[16]; float4 b = right[(size_t)i * 16 + l]; bool used = false; int mine = 0;
  #pragma unroll
  for (int k = 0; k < 16; k++) a[k] = in[((size_t)i * 16 + k) * 16 + l] * 0.02f;
  #pragma unroll
  for (int c = 0; c < 16; c++) {
    float best = used ? -1.f : fabsf(a[c]); int who = l;
    #pragma unroll
    for (int o = 8; o; o >>= 1) { float v = __shfl_xor_sync(~0u, best, o); int w = __shfl_xor_sync(~0u, who, o); if (v > best || (v == best && w < who)) { best = v; who = w; } }
    float p = __shfl_sync(~0u, a[c], who, 16), inv = 1.f / (fabsf(p) > 1e-6f ? p : 1e-6f), f = a[c]; float4 pb; pb.x = __shfl_sync(~0u, b.x, who, 16) * inv; pb.y = __shfl_sync(~0u, b.y, who, 16) * inv; pb.z = __shfl_sync(~0u, b.z, who, 16) * inv; pb.w = __shfl_sync(~0u, b.w, who, 16) * inv;
    bool me = l == who; if (me) { used = true; mine = c; b = pb; } else { b.x -= f * pb.x; b.y -= f * pb.y; b.z -= f * pb.z; b.w -= f * pb.w; }
    #pragma unroll
    for (int j = c; j < 16; j++) { float v = __shfl_sync(~0u, a[j], who, 16) * inv; a[j] = me ? v : a[j] - f * v; }
  }
  out[(size_t)i * 16 + mine] = b;
}
K __launch_bounds__(320) k_linear_prediction(const float* sound, float* out) {   // twelve coefficients that foretell a windowed frame of 320 samples, lags by warp, then Levinson's recursion by one
  __shared__ float s[320], lag[13]; int t = threadIdx.x, lane = t & 31; s[t] = sound[blockIdx.x * 160 + t] * (0.5f - 0.5f * cospif(2.f * (t + 0.5f) / 320.f));
  __syncthreads(); for (int l = t >> 5; l < 13; l += 10) { float v = 0; for (int k = lane; k < 320 - l; k += 32) v += s[k] * s[k + l]; v = sum_of_lanes(v); if (lane == 0) lag[l] = v; }
  __syncthreads(); if (t >= 32) return;
  float a = 0, e = lag[0] * 1.0001f + 1.f;
  for (int m = 1; m <= 12; m++) {
    float v = lane == 0 ? lag[m] : lane < m ? a * lag[m - lane] : 0.f, r = -sum_of_lanes(v) / e, b = __shfl_sync(~0u, a, max(m - lane, 0)); if (lane > 0 && lane < m) a += r * b; if (lane == m) a = r; e *= 1.f - r * r;
  }
  if (lane >= 1 && lane <= 12) out[blockIdx.x * 13 + lane - 1] = a; if (lane == 0) out[blockIdx.x * 13 + 12] = e;
}

// ---------------------------------------------------------------- transforms and sorting networks
K k_fft_lanes(const float2* in, float2* out, int n) {   // transforms of 64 points, two a lane, exchanged by shuffles, one after another
  int lane = threadIdx.x & 31, step = gridDim.x * blockDim.x >> 5; float2 w[6];
  #pragma unroll
  for (int k = 0; k < 6; k++) sincospif(-(float)(lane & ((32 >> k) - 1)) / (32 >> k), &w[k].y, &w[k].x);
  for (int i = GLOBAL_X >> 5; i < n; i += step) {
    float2 a = in[(size_t)i * 64 + lane], b = in[(size_t)i * 64 + 32 + lane], d = make_float2(a.x - b.x, a.y - b.y); a.x += b.x; a.y += b.y; b = make_float2(d.x * w[0].x - d.y * w[0].y, d.x * w[0].y + d.y * w[0].x);
    #pragma unroll
    for (int k = 1; k < 6; k++) {
      const int h = 32 >> k; bool up = lane & h; float ux = __shfl_xor_sync(~0u, a.x, h), uy = __shfl_xor_sync(~0u, a.y, h), vx = __shfl_xor_sync(~0u, b.x, h), vy = __shfl_xor_sync(~0u, b.y, h);
      if (up) { float x = ux - a.x, y = uy - a.y; a = make_float2(x * w[k].x - y * w[k].y, x * w[k].y + y * w[k].x); x = vx - b.x; y = vy - b.y; b = make_float2(x * w[k].x - y * w[k].y, x * w[k].y + y * w[k].x); } else { a.x += ux; a.y += uy; b.x += vx; b.y += vy; }
    }
    int r = __brev(lane) >> 27; *(float4*)&out[(size_t)i * 64 + 2 * r] = make_float4(a.x, a.y, b.x, b.y);
  }
}
K k_lifting_97(const float2* in, float* out, int n) {   // a wavelet by four liftings along a row in dynamic shared memory, a row a block
  extern __shared__ float row[]; float *even = row, *odd = row + n / 2; int t = threadIdx.x, m = n / 2; in += (size_t)blockIdx.x * m; out += (size_t)blockIdx.x * n;
  for (int k = t; k < m; k += blockDim.x) { float2 v = in[k]; even[k] = v.x; odd[k] = v.y; }
  const float lift[4] = {-1.586134342f, -0.052980118f, 0.882911076f, 0.443506852f};
  #pragma unroll
  for (int s = 0; s < 4; s += 2) {
    __syncthreads(); for (int k = t; k < m; k += blockDim.x) odd[k] += lift[s] * (even[k] + even[min(k + 1, m - 1)]);
    __syncthreads(); for (int k = t; k < m; k += blockDim.x) even[k] += lift[s + 1] * (odd[max(k - 1, 0)] + odd[k]);
  }
  for (int k = t; k < m; k += blockDim.x) { out[k] = even[k] * 0.869864452f; out[m + k] = odd[k] * 1.149604398f; }
}
K k_sort_network_16(const int* in, int* out, int n) {   // columns of 16 numbers sorted in registers by Batcher's network
  int i = GLOBAL_X; if (i >= n) return; int v[16];
  #pragma unroll
  for (int k = 0; k < 16; k++) v[k] = in[(size_t)k * n + i];
  #pragma unroll
  for (int p = 0; p < 4; p++)
    #pragma unroll
    for (int q = p; q >= 0; q--)
      #pragma unroll
      for (int k = 0; k < 16; k++) {
        const int d = 1 << q, j = (k - (d & ((1 << p) - 1))), o = k + d;
        if (j >= 0 && (j & d) == 0 && o < 16 && k >> (p + 1) == o >> (p + 1)) { int low = min(v[k], v[o]); v[o] = max(v[k], v[o]); v[k] = low; }
      }
  #pragma unroll
  for (int k = 0; k < 16; k++) out[(size_t)k * n + i] = v[k];
}

// ---------------------------------------------------------------- games and chance
static __device__ __forceinline__ uint32_t slide(uint32_t row) {
  uint32_t o = 0, last = 0; int at = 0;
  #pragma unroll
  for (int k = 0; k < 16; k += 4) { uint32_t v = row >> k & 15; if (!v) continue; if (v == last && v < 15) { o += 1u << (at - 4); last = 0; } else { o |= v << at; at += 4; last = v; } }
  return o;
}
static __device__ __forceinline__ u64 swap_axes(u64 x) { u64 a = (x & 0xf0f00f0ff0f00f0full) | (x & 0x0000f0f00000f0f0ull) << 12 | (x & 0x0f0f00000f0f0000ull) >> 12; return (a & 0xff00ff0000ff00ffull) | (a & 0x00ff00ff00000000ull) >> 24 | (a & 0x00000000ff00ff00ull) << 24; }
static __device__ __forceinline__ u64 mirror(u64 x) { x = (x & 0x00ff00ff00ff00ffull) << 8 | (x >> 8 & 0x00ff00ff00ff00ffull); return (x & 0x0f0f0f0f0f0f0f0full) << 4 | (x >> 4 & 0x0f0f0f0f0f0f0f0full); }
K k_sliding_numbers(const int* seed, ulonglong2* out, int n, int most) {   // random games of equal numbers that merge as they slide, a board in 64 bits, a game a thread
  int i = GLOBAL_X; if (i >= n) return; uint32_t s = seed[i]; u64 board = 0x0001000000100000ull; int moves = 0, tried = 0;
  while (moves < most && tried < 12) {
    int way = next_random(s) >> 30; u64 b = way & 2 ? swap_axes(board) : board; if (way & 1) b = mirror(b);
    u64 c = (u64)slide(b & 65535) | (u64)slide(b >> 16 & 65535) << 16 | (u64)slide(b >> 32 & 65535) << 32 | (u64)slide(b >> 48) << 48; if (c == b) { tried++; continue; }
    if (way & 1) c = mirror(c); if (way & 2) c = swap_axes(c);
    u64 empty = c | c >> 1; empty = ~(empty | empty >> 2) & 0x1111111111111111ull; int k = next_random(s) % __popcll(empty); while (k--) empty &= empty - 1;
    board = c | (empty & -empty); moves++; tried = 0;
  }
  out[i] = make_ulonglong2(board, (u64)moves);
}
static __device__ __forceinline__ u64 shifted(u64 b, int way) {
  switch (way) {
    case 0: return b << 8; case 1: return b >> 8; case 2: return b << 1 & ~0x0101010101010101ull; case 3: return b >> 1 & ~0x8080808080808080ull;
    case 4: return b << 9 & ~0x0101010101010101ull; case 5: return b >> 9 & ~0x8080808080808080ull; case 6: return b << 7 & ~0x8080808080808080ull; default: return b >> 7 & ~0x0101010101010101ull;
  }
}
static __device__ __forceinline__ u64 places(u64 own, u64 other) {
  u64 all = 0;
  #pragma unroll
  for (int w = 0; w < 8; w++) { u64 x = shifted(own, w) & other; for (int k = 0; k < 5; k++) x |= shifted(x, w) & other; all |= shifted(x, w) & ~(own | other); }
  return all;
}
K k_othello(const int* seed, int* out, int n, int most) {   // random games of Othello on boards of 64 bits, a game a thread
  int i = GLOBAL_X; if (i >= n) return; uint32_t s = seed[i]; u64 own = 0x0000000810000000ull, other = 0x0000001008000000ull; int turn = 0;
  for (; turn < most; turn++) {
    u64 m = places(own, other); if (!m) { if (!places(other, own)) break; u64 x = own; own = other; other = x; continue; }
    int k = next_random(s) % __popcll(m); while (k--) m &= m - 1;
    m &= -m; u64 flip = 0;
    #pragma unroll
    for (int w = 0; w < 8; w++) { u64 x = shifted(m, w) & other; for (int j = 0; j < 5; j++) x |= shifted(x, w) & other; if (shifted(x, w) & own) flip |= x; }
    u64 x = own | m | flip; own = other & ~flip; other = x;
  }
  out[i] = (__popcll(own) - __popcll(other)) * (turn & 1 ? -1 : 1) + (turn << 8);
}
K k_fifteen_search(const int* seed, int4* out, int n, int shuffles, int most) {   // a puzzle of fifteen stones solved by deepening search with its own stack, a puzzle a thread
  int i = GLOBAL_X; if (i >= n) return; uint32_t s = seed[i]; u64 board = 0xfedcba9876543210ull; int blank = 0, last = -1; unsigned char made[64], next[64];
  for (int k = 0; k < shuffles; k++) {
    int d = next_random(s) & 3, q = d == 0 ? blank - 4 : d == 1 ? blank + 4 : d == 2 ? blank - 1 : blank + 1; if (d == (last ^ 1) || q < 0 || q > 15 || (d == 2 && (blank & 3) == 0) || (d == 3 && (blank & 3) == 3)) continue;
    u64 v = board >> 4 * q & 15; board ^= v << 4 * q | v << 4 * blank; blank = q; last = d;
  }
  int h = 0, nodes = 0, length = -1, bound; for (int p = 0; p < 16; p++) { int v = board >> 4 * p & 15; if (v) h += abs((v & 3) - (p & 3)) + abs((v >> 2) - (p >> 2)); }
  bound = h;
  while (length < 0 && nodes < most && bound < 60) {
    int depth = 0, least = 99; next[0] = 0; if (h == 0) { length = 0; break; }
    while (nodes < most) {
      if (next[depth] == 4) {
        if (depth == 0) break;
        int d = made[--depth] ^ 1, q = d == 0 ? blank - 4 : d == 1 ? blank + 4 : d == 2 ? blank - 1 : blank + 1, v = board >> 4 * q & 15; h += abs((v & 3) - (blank & 3)) + abs((v >> 2) - (blank >> 2)) - abs((v & 3) - (q & 3)) - abs((v >> 2) - (q >> 2)); board ^= (u64)v << 4 * q | (u64)v << 4 * blank; blank = q; continue;
      }
      int d = next[depth]++, q = d == 0 ? blank - 4 : d == 1 ? blank + 4 : d == 2 ? blank - 1 : blank + 1; if ((depth && d == (made[depth - 1] ^ 1)) || q < 0 || q > 15 || (d == 2 && (blank & 3) == 0) || (d == 3 && (blank & 3) == 3)) continue;
      int v = board >> 4 * q & 15, g = h + abs((v & 3) - (blank & 3)) + abs((v >> 2) - (blank >> 2)) - abs((v & 3) - (q & 3)) - abs((v >> 2) - (q >> 2)); nodes++; if (depth + 1 + g > bound) { least = min(least, depth + 1 + g); continue; }
      h = g; board ^= (u64)v << 4 * q | (u64)v << 4 * blank; blank = q; made[depth++] = d; next[depth] = 0; if (h == 0) { length = depth; break; }
    }
    bound = least;
  }
  out[i] = make_int4(length, nodes, bound, h);
}
K k_neutrons(const int* seed, unsigned* bins, unsigned* leaks, int n, int most) {   // neutrons followed through a slab until taken up or gone, counted by shared atomics
  __shared__ unsigned taken[96]; for (int k = threadIdx.x; k < 96; k += blockDim.x) taken[k] = 0;
  __syncthreads(); int fate = 3;
  for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) {
    uint32_t s = mix32(seed[i] + 13); float x = 0, mu = 1.f; int group = 0; fate = 2;
    for (int k = 0; k < most; k++) {
      float sigma = group == 0 ? 0.6f : group == 1 ? 1.1f : 2.3f, far = -logf(1.f - uniform(next_random(s))) / sigma; x += mu * far;
      if (x < 0.f) { fate = 0; break; }
      if (x >= 8.f) { fate = 1; break; }
      float u = uniform(next_random(s)); if (u < 0.03f + 0.07f * group) { atomicAdd(&taken[group * 32 + (int)(x * 4.f)], 1u); fate = 3; break; }
      mu = 2.f * uniform(next_random(s)) - 1.f; if (uniform(next_random(s)) < 0.3f) group = min(group + 1, 2);
    }
    if (fate < 3) atomicAdd(&leaks[fate], 1u);
  }
  __syncthreads(); for (int k = threadIdx.x; k < 96; k += blockDim.x) if (taken[k]) atomicAdd(&bins[k], taken[k]);
}
K k_orbit_density(const int* seed, unsigned* image, int n, int most, int width) {   // points passed by orbits that escape, counted in a picture by global atomics, an orbit a thread
  int i = GLOBAL_X; if (i >= n) return; int r = seed[i]; float a = (r & 4095) * (3.f / 4096.f) - 2.f, b = (r >> 12) * (3.f / 4096.f) - 1.5f, x = 0, y = 0; int k = 0;
  for (; k < most; k++) { float u = x * x - y * y + a; y = 2.f * x * y + b; x = u; if (x * x + y * y > 4.f) break; }
  if (k == most) return;
  x = y = 0; for (int j = 0; j < k; j++) { float u = x * x - y * y + a; y = 2.f * x * y + b; x = u; int px = (int)((x + 2.f) * 0.25f * width), py = (int)((y + 2.f) * 0.25f * width); atomicAdd(&image[min(max(py, 0), width - 1) * width + min(max(px, 0), width - 1)], 1u); }
}
K k_traffic(const int* road, int* out, int steps) {   // cars on rings of 1,024 places that speed up, brake and dawdle, a ring a block, a place a thread
  __shared__ signed char speed[2][1024]; int t = threadIdx.x, r = road[blockIdx.x * 1024 + t], moved = 0; speed[0][t] = (r & 3) == 0 ? (signed char)(r >> 2 & 3) : (signed char)-1;
  for (int s = 0; s < steps; s++) {
    const signed char* now = speed[s & 1]; signed char* next = speed[~s & 1]; next[t] = -1;
    __syncthreads(); int v = now[t];
    if (v >= 0) { int gap = 0; while (gap < 5 && now[(t + gap + 1) & 1023] < 0) gap++; v = min(min(v + 1, 5), gap); if (v > 0 && mix32(s * 1024 + t + r) < 0x40000000u) v--; next[(t + v) & 1023] = (signed char)v; moved += v; }
    __syncthreads();
  }
  out[blockIdx.x * 1024 + t] = (speed[steps & 1][t] & 255) | moved << 8;
}

#define F(n) ((size_t)(n) * 4)
#define IN(N, n, s) buf(N, F(n), HASH_F32, s)
#define INTS(N, n, s) buf(N, F(n), HASH_I32, s)
#define OUT(N, n) buf(N, F(n), ZERO, 0, true)
#define FLOAT(v) i32(__builtin_bit_cast(int, (float)(v)))
int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) { if (!strcmp(argv[i], "--skip-clock")) g_skip_clock = true; else g_filter = argv[i]; }
  float* w; CHECK(cudaMalloc(&w, 4)); spin_up<<<528, 256>>>(w, 200000); CHECK(cudaDeviceSynchronize());
  char name[64];
#define NAMED(base, v) (sprintf(name, base "_%d", v), name)
  for (int g : {132, 264, 40}) RUN(NAMED("trinomial_barrier", g), k_trinomial_barrier, g, 128, 0, IN("option", g * 4, 1), OUT("out", g), i32(g == 132 ? 60 : g == 264 ? 255 : 200));
  for (int g : {33, 264}) RUN(NAMED("exercise_regression", g), k_exercise_regression, g, 256, 0, IN("path", g * 256 * (g < 100 ? 12 : 30), 1), OUT("out", g * 256), i32(g * 256), i32(g < 100 ? 12 : 30));
  for (int n : {4224, 131072}) RUN(NAMED("bond_yields", n), k_bond_yields, n / 64, 64, 0, IN("bond", n * 2, 1), INTS("life", n, 2), OUT("out", n * 4), i32(n), i32(n < 5000 ? 16 : 57));
  for (int n : {6336, 25344}) RUN(NAMED("forward_rates", n), k_forward_rates, n / 192, 192, 0, OUT("out", n), i32(n), i32(n < 10000 ? 16 : 32), i32(7));
  for (int g : {132, 8192}) RUN(NAMED("minimizers", g), k_minimizers, g, 256, 0, INTS("text", g * 16 + 4, 1), OUT("least", g * 256), OUT("starts", g * 8));
  for (int g : {66, 264}) RUN(NAMED("hidden_forward", g), k_hidden_forward, g, 64, 0, INTS("symbol", g * (g < 100 ? 20 : 100), 1), IN("transition", 4096, 2), IN("emission", 1024, 3), OUT("out", g), i32(g < 100 ? 20 : 100));
  for (int n : {2112, 32768}) RUN(NAMED("affine_band", n), k_affine_band, n / 64, 64, 0, INTS("a", n * 4, 1), INTS("b", n * 4, 2), OUT("out", n), i32(n), i32(n < 4096 ? 1 : 4));
  for (int lg : {13, 18}) RUN(NAMED("backward_search_2e", lg), k_backward_search, (1 << lg) / 128, 128, 0, INTS("index", lg < 16 ? 8 << 10 : 8 << 20, 1), INTS("pattern", 1 << lg, 2), OUT("out", 2 << lg), i32(1 << lg), i32((lg < 16 ? 64 << 10 : 64 << 20) - 1));
  for (int lg : {13, 19}) RUN(NAMED("torsions_2e", lg), k_torsions, (1 << lg) / 128, 128, 0, IN("place", 4 << (lg - 1), 1), INTS("quad", 4 << lg, 2), OUT("force", 16 << lg), OUT("energy", (1 << lg) / 32), i32(1 << lg), i32((1 << (lg - 1)) - 1));
  for (int lg : {13, 18}) RUN(NAMED("mesh_forces_2e", lg), k_mesh_forces, (1 << lg) / 64, 64, 0, IN("atom", 4 << lg, 1), IN("mesh", lg < 16 ? 1 << 15 : 1 << 21, 2), OUT("force", 4 << lg), i32(1 << lg), i32(lg < 16 ? 32 : 128));
  for (int n : {4224, 262144}) RUN(NAMED("shake_water", n), k_shake_water, n / 128, 128, 0, IN("noise", n * 10, 1), OUT("place", n * 9), OUT("steps", n), i32(n), i32(40));
  for (int n : {512, 2048}) RUN(NAMED("coulomb_integrals", n), k_coulomb_integrals, dim3(n / 128, n < 1000 ? 4 : 8), 128, 0, IN("pair", n * 4, 1), IN("density", n, 2), OUT("out", n * 8), i32(n));
  for (int n : {1600, 3200, 1000}) { int rows = n == 1600 ? 16 : n == 3200 ? 512 : 77; RUN(NAMED("weno", n), k_weno, dim3((n + 159) / 160, rows), 160, 0, IN("in", n * rows, 1), OUT("out", n * rows), i32(n)); }
  for (int n : {2112, 32768}) RUN(NAMED("cloud_columns", n), k_cloud_columns, n / 64, 64, 0, IN("heat", n * 40, 1), IN("vapour", n * 40, 2), OUT("warm", n * 40), OUT("wet", n * 40), OUT("rain", n), i32(n), i32(n < 4096 ? 10 : 40));
  for (int n : {1056, 16384}) RUN(NAMED("radiation_bands", n), k_radiation_bands, dim3(n / 32, n < 4096 ? 4 : 8), 32, 0, IN("depth", n * 48, 1), IN("heat", n * 48, 2), OUT("down", n * 48 * 8), OUT("up", n * 48 * 8), i32(n), i32(n < 4096 ? 16 : 48));
  for (int n : {64, 192}) RUN(NAMED("level_set", n), k_level_set, dim3(n / 32, n / 8, 4), dim3(32, 8), 0, IN("in", n * n * n, 1), OUT("out", n * n * n), i32(n));
  for (int n : {2112, 65536}) RUN(NAMED("degrid", n), k_degrid, n / 4, 128, 0, IN("grid", 2 << 20, 1), IN("where", n * 2, 2), IN("taper", 448, 3), OUT("out", n * 2), i32(n), i32(1024));
  for (int n : {2112, 8448, 1000}) RUN(NAMED("periodogram", n), k_periodogram, (n + 63) / 64, 64, 0, IN("time", 1024, 1), IN("bright", 1024, 2), OUT("power", n), i32(n), i32(n == 8448 ? 1024 : 256));
  for (int n : {768, 3840, 1500}) RUN(NAMED("hermite", n), k_hermite, (n + 95) / 96, 96, 0, IN("body", n * 4, 1), IN("speed", n * 4, 2), OUT("pull", n * 4), OUT("jerk", n * 4), i32(n));
  for (int n : {4096, 16384}) RUN(NAMED("dedisperse", n), k_dedisperse, dim3(n / 256, n < 5000 ? 8 : 32), 256, 0, INTS("in", (n < 5000 ? 64 : 128) * (n + 2048) / 4, 1), OUT("out", n * (n < 5000 ? 8 : 32)), i32(n), i32(n < 5000 ? 64 : 128), i32(n + 2048));
  for (int lg : {15, 22}) RUN(NAMED("fold_pulses_2e", lg), k_fold_pulses, lg < 20 ? 64 : 528, 128, 0, INTS("sample", 1 << lg, 1), OUT("sum", 128), OUT("count", 128), i32(1 << lg), i32(1234));
  for (int lg : {14, 20}) RUN(NAMED("icp_sums_2e", lg), k_icp_sums, lg < 20 ? 33 : 264, 256, 0, IN("source", 4 << lg, 1), IN("target", lg < 20 ? 4 << 16 : 4 << 20, 2), IN("normal", lg < 20 ? 4 << 16 : 4 << 20, 3), IN("pose", 12, 4), OUT("out", 264 * 27), i32(1 << lg), i32(lg < 20 ? 256 : 1024));
  for (int n : {528, 8192}) RUN(NAMED("turned_bits", n), k_turned_bits, n / 4, 128, 0, INTS("image", n < 1000 ? 1 << 14 : 1 << 18, 1), INTS("key", n, 2), OUT("out", n * 8), i32(n), i32(n < 1000 ? 256 : 1024));
  for (int n : {128, 1024}) RUN(NAMED("optical_flow", n), k_optical_flow, dim3(n / 16, n / 16), dim3(16, 16), 0, INTS("before", n * n / 4, 1), INTS("after", n * n / 4, 2), OUT("out", n * n * 2), i32(n));
  for (int n : {1056, 8448, 500}) { int m = n == 1056 ? 480 : n == 8448 ? 1920 : 1001; RUN(NAMED("hamming_match", n), k_hamming_match, (n + 95) / 96, 96, 0, INTS("query", n * 8, 1), INTS("train", m * 8, 2), OUT("out", n * 4), i32(n), i32(m)); }
  for (int n : {2112, 65536}) RUN(NAMED("kalman", n), k_kalman, n / 64, 64, 0, IN("seen", n * 32, 1), OUT("state", n * 4), OUT("spread", n), i32(n), i32(n < 4096 ? 6 : 16));
  for (int n : {2112, 32768}) RUN(NAMED("arm_joints", n), k_arm_joints, n / 64, 64, 0, IN("target", n * 2, 1), OUT("angle", n * 8), OUT("miss", n), i32(n), i32(n < 4096 ? 3 : 12));
  for (int n : {64, 192, 100}) RUN(NAMED("depth_fusion", n), k_depth_fusion, dim3((n + 31) / 32, (n + 3) / 4), dim3(32, 4), 0, IN("depth", 1 << 16, 1), buf("volume", F(n * n * n), HASH_I32, 2, true), i32(n), i32(256));
  for (int n : {132, 1024}) RUN(NAMED("semi_global", n), k_semi_global, n / 4, dim3(32, 4), 0, INTS("cost", n * 16 * (n < 1000 ? 48 : 384), 1), OUT("out", n * 32 * (n < 1000 ? 48 : 384)), i32(n < 1000 ? 48 : 384));
  for (int n : {8448, 262144}) RUN(NAMED("blend_layers", n), k_blend_layers, n / 64, 64, 0, INTS("fragment", n * 32, 1), INTS("count", n, 2), OUT("out", n), i32(n));
  for (int n : {4224, 16896, 3000}) { int m = n == 4224 ? 128 : n == 16896 ? 512 : 320; RUN(NAMED("ray_triangles", n), k_ray_triangles, (n + 95) / 96, 96, 0, IN("triangle", m * 9, 1), IN("ray", n * 4, 2), OUT("out", n * 4), i32(n), i32(m)); }
  for (int n : {256, 2048}) RUN(NAMED("mip_levels", n), k_mip_levels, dim3(n / 32, n / 32), dim3(16, 16), 0, INTS("in", n * n, 1), OUT("half", n * n / 4), OUT("quarter", n * n / 16), OUT("eighth", n * n / 64), i32(n));
  for (int n : {8192, 262144, 20001}) RUN(NAMED("radix_tree", n), k_radix_tree, (n + 127) / 128, 128, 0, INTS("in", n, 1), OUT("node", n * 4), i32(n));
  for (int g : {66, 1056}) RUN(NAMED("dictionary_strings", g), k_dictionary_strings, g, 256, 0, INTS("code", g * 256, 1), INTS("size", 1 << 14, 2), INTS("dictionary", 4 << 14, 3), OUT("out", g * 1024), OUT("total", g), i32(g < 100 ? 1023 : 16383));
  for (int lg : {14, 20}) RUN(NAMED("bit_sliced_sum_2e", lg), k_bit_sliced_sum, lg < 20 ? 64 : 528, 256, 0, INTS("slice", 28 << lg, 1), OUT("sum", 2), OUT("count", 1), i32(1 << lg), i32(0x5a3));
  for (int n : {1056, 65536}) RUN(NAMED("unpack_frames", n), k_unpack_frames, n / 8, 256, 0, INTS("head", n, 1), INTS("in", n * 100 + 4, 2), OUT("out", n * 128), i32(n));
  for (int lg : {15, 21}) RUN(NAMED("price_summary_2e", lg), k_price_summary, lg < 20 ? 64 : 256, 256, 0, INTS("date", 1 << lg, 1), INTS("kind", 1 << lg, 2), INTS("quantity", 1 << lg, 3), INTS("price", 1 << lg, 4), INTS("discount", 1 << lg, 5), OUT("out", 48), i32(1 << lg));
  for (int g : {33, 1056}) RUN(NAMED("block_merge_sort", g), k_block_merge_sort, g, 128, 0, INTS("in", g * 1024, 1), OUT("out", g * 1024));
  for (int lg : {14, 19}) RUN(NAMED("as_of_join_2e", lg), k_as_of_join, (1 << lg) / 128, 128, 0, INTS("quote", lg < 16 ? 1 << 14 : 1 << 19, 1), INTS("price", lg < 16 ? 1 << 14 : 1 << 19, 2), INTS("trade", 1 << lg, 3), OUT("out", 2 << lg), i32(1 << lg), i32(lg < 16 ? 1 << 14 : 1 << 19));
  for (int g : {66, 132}) { int images = g < 100 ? 3 : 12, quads = g < 100 ? 256 : 784; RUN(NAMED("batch_norm_backward", g), k_batch_norm_backward, g, 320, 0, IN("x", g * images * quads * 4, 1), IN("dy", g * images * quads * 4, 2), IN("gamma", g, 3), OUT("dx", g * images * quads * 4), OUT("dgamma", g), OUT("dbeta", g), i32(images), i32(g), i32(quads)); }
  for (int g : {132, 4096}) RUN(NAMED("lamb", g), k_lamb, g, 256, 0, buf("weight", F(g * 1024), HASH_F32, 1, true), IN("gradient", g * 1024, 2), buf("first", F(g * 1024), HASH_F32, 3, true), buf("second", F(g * 1024), HASH_F32, 4, true), FLOAT(0.01));
  for (int n : {128, 512}) { int heads = n < 200 ? 16 : 12; RUN(NAMED("attention_gradient", n), k_attention_gradient, dim3(n / 64, heads), 64, 0, IN("query", n * heads * 32, 1), IN("key", n * heads * 32, 2), IN("value", n * heads * 32, 3), IN("dout", n * heads * 32, 4), IN("extra", n * heads, 5), OUT("dquery", n * heads * 32), i32(n)); }
  for (int n : {2048, 8192, 1003}) { int quads = n == 2048 ? 32 : n == 8192 ? 128 : 77; RUN(NAMED("ternary_matvec", n), k_ternary_matvec, (n + 3) / 4, 128, 0, INTS("weight", n * quads * 4, 1), INTS("x", quads * 16, 2), IN("scale", n, 3), OUT("out", n), i32(n), i32(quads)); }
  for (int n : {64, 224, 50}) { int groups = n == 64 ? 4 : n == 224 ? 5 : 8; RUN(NAMED("deformable", n), k_deformable, dim3((n + 15) / 16, (n + 7) / 8, groups), dim3(16, 8), 0, INTS("image", n * n * groups * 4, 1), IN("offset", n * n * 18, 2), IN("weight", groups * 9, 3), OUT("out", n * n * groups * 4), i32(n), i32(groups)); }
  for (int g : {33, 264}) RUN(NAMED("delta_rule", g), k_delta_rule, g, 64, 0, IN("query", g * 96 * 64, 1), IN("key", g * 96 * 64, 2), IN("value", g * 96 * 64, 3), IN("gate", g * 96, 4), OUT("out", g * 96 * 64), i32(g < 100 ? 24 : 96));
  for (int g : {66, 264}) RUN(NAMED("gru_steps", g), k_gru_steps, g, 192, 0, IN("input", g * 192 * 64, 1), IN("weight", 64 * 192, 2), OUT("out", g * 64 * 64), i32(g < 100 ? 16 : 64));
  for (int g : {132, 4096}) RUN(NAMED("feature_crosses", g), k_feature_crosses, g, 128, 0, INTS("feature", g * 864, 1), OUT("out", g * 351));
  for (int lg : {16, 21}) RUN(NAMED("quantize_nibbles_2e", lg), k_quantize_nibbles, (1 << lg) / 512, 512, 0, IN("in", 4 << lg, 1), OUT("packed", (1 << lg) / 2), OUT("scale", (1 << lg) / 4), i32(1 << lg));
  for (int n : {2112, 32768}) RUN(NAMED("poly1305", n), k_poly1305, n / 64, 64, 0, INTS("in", n * 4 * 32, 1), INTS("key", n * 4, 2), OUT("out", n * 4), i32(n), i32(n < 4096 ? 8 : 32));
  for (int n : {4224, 65536}) RUN(NAMED("sha512", n), k_sha512, n / 128, 128, 0, INTS("in", n * 32, 1), OUT("out", n * 16), i32(n), i32(1));
  for (int n : {4224, 65536, 1000}) RUN(NAMED("ascon", n), k_ascon, (n + 95) / 96, 96, 0, INTS("in", n * 2 * 16, 1), OUT("out", n * 4), i32(n), i32(n == 4224 ? 1 : n == 65536 ? 4 : 16));
  for (int n : {2112, 32768}) RUN(NAMED("prefix_decode", n), k_prefix_decode, n / 64, 64, 0, INTS("code", 1024, 1), INTS("stream", n * (n < 4096 ? 22 : 82), 2), OUT("out", n * (n < 4096 ? 16 : 64)), i32(n), i32(n < 4096 ? 64 : 256));
  for (int n : {264, 2112}) RUN(NAMED("lz_decode", n), k_lz_decode, n / 4, 128, 0, INTS("token", n * (n < 1000 ? 24 : 72), 1), INTS("literal", n * (n < 1000 ? 24 : 72) * 4, 2), OUT("out", n * 512), OUT("length", n), i32(n), i32(n < 1000 ? 24 : 72));
  for (int n : {264, 4224}) RUN(NAMED("rans_encode", n), k_rans_encode, n / 4, 128, 0, INTS("model", 32, 1), INTS("in", n * (n < 1000 ? 24 : 64) * 32, 2), OUT("out", n * (n < 1000 ? 24 : 64) * 16), OUT("state", n * 32), OUT("length", n), i32(n), i32(n < 1000 ? 24 : 64));
  for (int n : {512, 2048}) RUN(NAMED("float_planes", n), k_float_planes, dim3((n / 4 + 63) / 64, n / 4), 64, 0, IN("in", n * n, 1), OUT("out", n * n / 16 * 7), i32(n / 4));
  for (int lg : {13, 19}) RUN(NAMED("peel_core_2e", lg), k_peel_core, (1 << lg) / 256, 256, 0, INTS("neighbour", 16 << lg, 1), INTS("degree", 1 << lg, 2), OUT("lost", 1 << lg), OUT("gone", (1 << lg) / 32), buf("list", F(1 << lg), ZERO), OUT("count", 1), i32(1 << lg), i32(8));
  for (int g : {132, 1056}) RUN(NAMED("auction_bids", g), k_auction_bids, g, 256, 0, IN("worth", g * (g < 1000 ? 1000 : 8000), 1), IN("price", g < 1000 ? 1000 : 8000, 2), OUT("bid", g < 1000 ? 2000 : 16000), i32(g < 1000 ? 1000 : 8000));
  for (int n : {512, 2048}) RUN(NAMED("boolean_product", n), k_boolean_product, n * (n / 32) / 128, 128, 0, INTS("a", n * n / 32, 1), INTS("b", n * n / 32, 2), OUT("out", n * n / 32), i32(n / 32));
  for (int g : {66, 4096}) RUN(NAMED("csv_states", g), k_csv_states, g, 128, 0, INTS("text", g * 512, 1), OUT("out", g * 256), OUT("total", 2));
  for (int n : {4224, 65536}) RUN(NAMED("bit_automaton", n), k_bit_automaton, n / 128, 128, 0, INTS("classes", 256, 1), INTS("text", n * (n < 5000 ? 8 : 40), 2), OUT("hits", n), i32(n), i32(n < 5000 ? 8 : 40));
  for (int lg : {12, 18}) { int n = 1 << lg, threads = ((13 * n + 7 + 6) / 7 + 127) / 128 * 128; RUN(NAMED("merge_rows_2e", lg), k_merge_rows, threads / 128, 128, 0, INTS("extra", n, 1), INTS("column", n * 12 + 7, 2), IN("value", n * 12 + 7, 3), IN("x", n, 4), OUT("y", n), OUT("carry_row", threads), OUT("carry", threads), i32(n), i32(n - 1)); }
  for (int lg : {9, 14}) RUN(NAMED("sparse_product_2e", lg), k_sparse_product, (1 << lg) / 4, 128, 0, INTS("a", 16 << lg, 1), INTS("b", 16 << lg, 2), OUT("sizes", 1 << lg), OUT("sums", 1 << lg), i32(1 << lg));
  for (int n : {132, 1056}) RUN(NAMED("one_sided_svd", n), k_one_sided_svd, n / 4, 128, 0, IN("in", n * 256, 1), OUT("out", n * 8), i32(n), i32(n < 1000 ? 2 : 6));
  for (int n : {240, 1008, 205}) { int m = n == 240 ? 400 : n == 1008 ? 1040 : 333, k = n == 240 ? 60 : n == 1008 ? 300 : 77; RUN(NAMED("gemm_80_by_48", n), k_gemm_80_by_48, dim3((n + 47) / 48, (m + 79) / 80), 160, 0, IN("a", m * k, 1), IN("b", k * n, 2), OUT("c", m * n), i32(m), i32(n), i32(k)); }
  for (int n : {528, 16384}) RUN(NAMED("gauss_jordan", n), k_gauss_jordan, n / 8, 128, 0, IN("in", n * 256, 1), IN("right", n * 64, 2), OUT("out", n * 64), i32(n));
  for (int g : {132, 2112}) RUN(NAMED("linear_prediction", g), k_linear_prediction, g, 320, 0, IN("sound", g * 160 + 160, 1), OUT("out", g * 13));
  for (int n : {1056, 32768}) RUN(NAMED("fft_lanes", n), k_fft_lanes, n < 2000 ? 66 : 528, 256, 0, IN("in", n * 128, 1), OUT("out", n * 128), i32(n));
  for (int n : {512, 4096, 15000}) { int rows = n == 512 ? 132 : n == 4096 ? 1024 : 100; RUN(NAMED("lifting_97", n), k_lifting_97, rows, n == 512 ? 96 : n == 4096 ? 256 : 1024, n * 4, IN("in", n * rows, 1), OUT("out", n * rows), i32(n)); }
  for (int n : {16896, 524288}) RUN(NAMED("sort_network_16", n), k_sort_network_16, n / 128, 128, 0, INTS("in", n * 16, 1), OUT("out", n * 16), i32(n));
  for (int n : {2112, 32768}) RUN(NAMED("sliding_numbers", n), k_sliding_numbers, n / 64, 64, 0, INTS("seed", n, 1), OUT("out", n * 4), i32(n), i32(n < 4096 ? 8 : 32));
  for (int n : {1056, 8448}) RUN(NAMED("othello", n), k_othello, n / 32, 32, 0, INTS("seed", n, 1), OUT("out", n), i32(n), i32(n < 2000 ? 6 : 40));
  for (int n : {1056, 8448}) RUN(NAMED("fifteen_search", n), k_fifteen_search, n / 32, 32, 0, INTS("seed", n, 1), OUT("out", n * 4), i32(n), i32(n < 2000 ? 20 : 40), i32(n < 2000 ? 60 : 300));
  for (int n : {4224, 131072}) RUN(NAMED("neutrons", n), k_neutrons, n < 5000 ? 33 : 528, 128, 0, INTS("seed", n, 1), OUT("bins", 96), OUT("leaks", 3), i32(n), i32(n < 5000 ? 12 : 100));
  for (int n : {8448, 262144}) RUN(NAMED("orbit_density", n), k_orbit_density, n / 64, 64, 0, INTS("seed", n, 1), OUT("image", n < 10000 ? 1 << 14 : 1 << 20), i32(n), i32(n < 10000 ? 64 : 150), i32(n < 10000 ? 128 : 1024));
  for (int g : {66, 264}) RUN(NAMED("traffic", g), k_traffic, g, 1024, 0, INTS("road", g * 1024, 1), OUT("out", g * 1024), i32(g < 100 ? 6 : 20));
}
