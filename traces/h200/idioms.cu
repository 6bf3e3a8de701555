// Kernels in modern C++: group algorithms, the standard library on the device, the math library, small number types, word-parallel integers.
#include "harness.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/cmath>
#include <cuda/pipeline>
#include <cuda/std/algorithm>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/mdspan>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace idioms {
namespace cg = cooperative_groups;
namespace cs = cuda::std;
using u8 = unsigned char;
using u32 = unsigned;
using u64 = unsigned long long;
using u128 = unsigned __int128;
#define DEV __device__ __forceinline__
#define FAR __device__ __noinline__
extern __shared__ __align__(128) u8 smem_b[];
DEV float unit(float x) { return fmaf(x, 0.01f, 0.5f); }                       // [-50, 50) to [0, 1)
DEV int gtid() { return blockIdx.x * blockDim.x + threadIdx.x; }
DEV int gsize() { return gridDim.x * blockDim.x; }

// ---------------------------------------- option pricing: price, greeks, implied volatility
struct Quote { float price, delta, gamma, vega, theta; };
DEV Quote black_scholes(float S, float X, float r, float T, float v) {
  float q = v * sqrtf(T), d1 = (__logf(S / X) + (r + 0.5f * v * v) * T) / q, d2 = d1 - q;
  float pdf = 0.3989422804f * expf(-0.5f * d1 * d1), df = exp2f(-1.44269504f * r * T);
  return {S * normcdff(d1) - X * df * normcdff(d2), normcdff(d1), pdf / (S * q), S * pdf * sqrtf(T),
          -S * pdf * v * 0.5f * rsqrtf(T) - r * X * df * normcdff(d2)};
}
template <class F> DEV float newton(F f, float x, int steps) {
  for (int i = 0; i < steps; i++) {
    auto [y, dy] = f(x);
    x = fminf(fmaxf(x - __fdividef(y, fmaxf(dy, 1e-3f)), 0.01f), 3.0f);
  }
  return x;
}
K __launch_bounds__(256) k_option_greeks(const float* in, float* out, int n) {
  for (int i = gtid(); i < n; i += gsize()) {
    float S = 60 + 80 * unit(in[i]), X = 60 + 80 * unit(in[i + n]), T = 0.1f + 2 * unit(in[i + 2 * n]), v = 0.05f + 0.6f * unit(in[i + 3 * n]);
    Quote c = black_scholes(S, X, 0.03f, T, v);
    float skew = 1 + 0.1f * log1pf(fabsf(S - X) / X) * erff((S - X) * 0.05f);
    float target = c.price * skew;
    float iv = newton([=](float s) { Quote q = black_scholes(S, X, 0.03f, T, s); return cs::tuple<float, float>(q.price - target, q.vega); }, v, 6);
    float barrier = powf(S / (X * 0.8f), 1 - 2 * 0.03f / (v * v)) * normcdfinvf(0.5f + 0.45f * erff(iv));
    const float row[] = {c.price, c.delta, c.gamma, c.vega, c.theta, iv, barrier};
#pragma unroll
    for (int k = 0; k < 7; k++) out[k * n + i] = row[k];
  }
}

// ---------------------------------------- statistics: incomplete gamma and beta, quadrature over virtual densities in local memory
FAR double gamma_p(double a, double x) {
  double front = exp(a * log(x) - x - lgamma(a));
  if (x < a + 1) {
    double t = 1 / a, s = t;
    for (int k = 1; k < 60 && t > s * 1e-13; k++) s += t *= x / (a + k);
    return s * front;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int k = 1; k < 40; k++) {
    double an = -k * (k - a);
    b += 2;
    d = 1 / fma(an, d, b);
    c = b + an / c;
    h *= d * c;
    if (fabs(d * c - 1) < 1e-13) break;
  }
  return 1 - front * h;
}
FAR double beta_cf(double a, double b, double x) {
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
  for (int m = 1; m < 30; m++) {
    double e = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / fma(e, d, 1.0), c = 1 + e / c, h *= d * c;
    e = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / fma(e, d, 1.0), c = 1 + e / c, h *= d * c;
    if (fabs(d * c - 1) < 1e-12) break;
  }
  return h;
}
struct Density { __device__ virtual double at(double x) const = 0; };
struct Scaled : Density { double s; __device__ Scaled(double s) : s(s) {} };
struct Gauss : Scaled { using Scaled::Scaled; __device__ double at(double x) const override { return exp(-0.5 * x * x / (s * s)) / s; } };
struct Cauchy : Scaled { using Scaled::Scaled; __device__ double at(double x) const override { return s / (x * x + s * s); } };
struct Logistic : Scaled {
  using Scaled::Scaled;
  __device__ double at(double x) const override { double c = cosh(x / (2 * s)); return 0.25 / (s * c * c); }
};
K k_gamma_beta(const float* in, double* out, int n) {
  int i = gtid();
  if (i >= n) return;
  double a = 0.5 + 8 * unit(in[2 * i]), x = 0.1 + 12 * unit(in[2 * i + 1]), b = 0.5 + 0.25 * x, u = x / 12.2;
  double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(u) + b * log1p(-u));
  double ib = u < (a + 1) / (a + b + 2) ? front * beta_cf(a, b, u) / a : 1 - front * beta_cf(b, a, 1 - u) / b;
  Gauss g(0.5 + u); Logistic l(0.3 + u); Cauchy c(0.2 + u);
  const Density* mix[3] = {&g, &l, &c};
  double q = 0;
  for (int k = -4; k <= 4; k++) q += mix[(i + k + 9) % 3]->at(0.5 * k);
  out[i] = gamma_p(a, x);
  out[n + i] = ib;
  out[2 * n + i] = q + erfcinv(0.1 + 1.8 * u) + tgamma(a) * normcdf(x - a);
}

// ---------------------------------------- real spherical harmonics of degree 6 and Bessel functions along a direction
template <int L> struct Legendre {
  float p[(L + 1) * (L + 2) / 2];
  static constexpr DEV int at(int l, int m) { return l * (l + 1) / 2 + m; }
  DEV Legendre(float z) {
    float s = sqrtf(fmaxf(0.f, 1 - z * z)), mm = 1;
    for (int m = 0; m <= L; m++) {
      p[at(m, m)] = mm;
      if (m < L) p[at(m + 1, m)] = z * (2 * m + 1) * mm;
      for (int l = m + 2; l <= L; l++) p[at(l, m)] = (z * (2 * l - 1) * p[at(l - 1, m)] - (l + m - 1) * p[at(l - 2, m)]) / (l - m);
      mm *= -(2 * m + 1) * s;
    }
  }
};
K __launch_bounds__(192) k_sph_bessel(const float* in, float* out, int n) {
  constexpr int L = 6;
  for (int i = gtid(); i < n; i += gsize()) {
    float z = 2 * unit(in[i]) - 1, phi = 2 * unit(in[n + i]), r = 0.05f + fabsf(in[2 * n + i]) * 0.4f, e = 0;
    Legendre<L> P(z);
    int pick = __float_as_int(in[i]) & 7;
    for (int m = 0; m <= L; m++) {
      float sn, cn;
      sincospif(m * phi, &sn, &cn);
      for (int l = m; l <= L; l++) {
        float norm = sqrtf((2 * l + 1) * 0.0795774715f * expf(lgammaf(l - m + 1.f) - lgammaf(l + m + 1.f)));
        e = fmaf(norm * P.p[P.at(l, m)], l & 1 ? sn : cn, e);
      }
    }
    out[i] = e;
    out[n + i] = j0f(r) + y0f(r) * 0.1f + jnf(2 + (pick & 1), r);
    out[2 * n + i] = j1f(r) * cyl_bessel_i0f(r * 0.1f) + rcbrtf(r) * P.p[pick * 3 % 28];
  }
}

// ---------------------------------------- 256-point radix-4 transform of windowed frames, power spectrum and its centroid
using Cf = cs::complex<float>;
DEV void butterfly4(Cf& a, Cf& b, Cf& c, Cf& d) {
  Cf s = a + c, t = a - c, u = b + d, v = b - d, w(v.imag(), -v.real());
  a = s + u, b = t + w, c = s - u, d = t - w;
}
K __launch_bounds__(64) k_fft_frames(const float* in, float* power, float* centroid, int frames, int hop) {
  __shared__ Cf x[2][256];
  __shared__ float part[2];
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  const int t = threadIdx.x;
  for (int f = blockIdx.x; f < frames; f += gridDim.x) {
    for (int k = t; k < 256; k += 64) x[0][k] = Cf(in[f * hop + k] * (0.5f - 0.5f * cospif(k / 128.f)), in[f * hop + ((k + 7) & 255)] * 0.1f);
    block.sync();
    int cur = 0;
    for (int len = 1; len < 256; len *= 4, cur ^= 1) {          // self-sorting: the output of one stage is in order for the next
      int k = t & (len - 1), j = (t - k) * 4 + k;
      Cf v[4];
#pragma unroll
      for (int q = 0; q < 4; q++) {
        float sn, cn;
        sincospif(-0.5f * q * k / len, &sn, &cn);
        v[q] = x[cur][t + 64 * q] * Cf(cn, sn);
      }
      butterfly4(v[0], v[1], v[2], v[3]);
#pragma unroll
      for (int q = 0; q < 4; q++) x[cur ^ 1][j + q * len] = v[q];
      block.sync();
    }
    float e = 0, m = 0;
    for (int k = t; k < 128; k += 64) {
      float p = cs::norm(x[cur][k]) + 1e-6f * cs::abs(x[cur][255 - k]);
      power[f * 128 + k] = p;
      e += p, m = fmaf(p, (float)k, m);
    }
    e = cg::reduce(warp, e, cg::plus<float>());
    m = cg::reduce(warp, m, cg::plus<float>());
    if (warp.thread_rank() == 0) part[warp.meta_group_rank()] = m / e;
    block.sync();
    if (t == 0) centroid[f] = part[0] + part[1];
    block.sync();
  }
}

// ---------------------------------------- stack machine: three small byte-code programs over 64-bit integers
enum Op : u8 { PUSH, LD, ST, ADD, SUB, MUL, DIV, MOD, DUP, JNZ, JMP, SHL, XOR, MHI, CLZ, HALT };
__constant__ u8 kProgram[3][48] = {
  {LD, 1, JNZ, 7, LD, 0, HALT, LD, 0, LD, 1, MOD, LD, 1, ST, 0, ST, 1, JMP, 0},                                          // greatest common divisor
  {LD, 0, PUSH, 1, SUB, JNZ, 10, LD, 1, HALT, LD, 0, PUSH, 2, MOD, JNZ, 26, LD, 0, PUSH, 2, DIV, ST, 0, JMP, 36,
   LD, 0, PUSH, 3, MUL, PUSH, 1, ADD, ST, 0, LD, 1, PUSH, 1, ADD, ST, 1, JMP, 0},                                        // 3n+1 steps
  {LD, 0, PUSH, 31, MUL, LD, 1, ADD, DUP, PUSH, 17, SHL, XOR, DUP, LD, 0, MHI, XOR, ST, 0, LD, 1, PUSH, 1, SUB, DUP, ST, 1, JNZ, 0,
   LD, 0, CLZ, LD, 0, XOR, HALT}};                                                                                       // hash chain
K k_stack_vm(const int* in, long long* out, int n, int budget) {
  int i = gtid();
  if (i >= n) return;
  long long stack[12], var[2];
  const u8* code = kProgram[(i >> 3) % 3];
  var[0] = (in[i] & 0xffff) | 1;
  var[1] = (i >> 3) % 3 == 1 ? 0 : 1 + (in[i] >> 16) % 200;
  int pc = 0, sp = 0, steps = 0;
  for (; steps < budget; steps++) {
    u8 op = code[pc++];
    if (op == HALT) break;
    long long b = sp > 0 ? stack[sp - 1] : 0, a = sp > 1 ? stack[sp - 2] : 0;
    switch (op) {
      case PUSH: stack[sp++] = code[pc++]; break;
      case LD: stack[sp++] = var[code[pc++]]; break;
      case ST: var[code[pc++]] = b; sp--; break;
      case ADD: stack[--sp - 1] = a + b; break;
      case SUB: stack[--sp - 1] = a - b; break;
      case MUL: stack[--sp - 1] = a * b; break;
      case DIV: stack[--sp - 1] = b ? a / b : 0; break;
      case MOD: stack[--sp - 1] = b ? a % b : 0; break;
      case SHL: stack[--sp - 1] = (long long)((u64)a << (b & 63)); break;
      case XOR: stack[--sp - 1] = a ^ b; break;
      case MHI: stack[--sp - 1] = __mul64hi(a, b); break;
      case CLZ: stack[sp - 1] = __clzll(b); break;
      case DUP: stack[sp++] = b; break;
      case JNZ: sp--; pc = b ? code[pc] : pc + 1; break;
      case JMP: pc = code[pc]; break;
      default: steps = budget;
    }
  }
  out[i] = (sp > 0 ? stack[sp - 1] : -1) * 1024 + steps;
}

// ---------------------------------------- ray marching of distance fields: shapes are objects with virtual functions in shared memory
struct V3 { float x, y, z; };
DEV V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
DEV V3 operator-(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
DEV V3 operator*(V3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
DEV float dot(V3 a, V3 b) { return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z)); }
DEV V3 cross(V3 a, V3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
DEV V3 unit(V3 a) { return a * rsqrtf(fmaxf(dot(a, a), 1e-20f)); }
struct Shape {
  V3 c;
  __device__ Shape(V3 c) : c(c) {}
  __device__ virtual float dist(V3 p) const = 0;
  __device__ virtual float shade(V3 p, V3 n) const { return fmaxf(n.y, 0.1f); }
};
struct Ball : Shape {
  float r;
  __device__ Ball(V3 c, float r) : Shape(c), r(r) {}
  __device__ float dist(V3 p) const override { return norm3df(p.x - c.x, p.y - c.y, p.z - c.z) - r; }
};
struct Floor : Shape {
  __device__ Floor(V3 c) : Shape(c) {}
  __device__ float dist(V3 p) const override { return p.y - c.y; }
  __device__ float shade(V3 p, V3 n) const override { return (__float2int_rd(p.x) ^ __float2int_rd(p.z)) & 1 ? 0.9f : 0.3f; }
};
struct Torus : Shape {
  float R, r;
  __device__ Torus(V3 c, float R, float r) : Shape(c), R(R), r(r) {}
  __device__ float dist(V3 p) const override { V3 q = p - c; return hypotf(hypotf(q.x, q.z) - R, q.y) - r; }
  __device__ float shade(V3 p, V3 n) const override { return 0.5f + 0.5f * __sinf(8 * atan2f(p.z - c.z, p.x - c.x)); }
};
DEV cs::tuple<float, int> nearest(Shape* const* s, int n, V3 p) {
  float best = 1e30f; int who = 0;
  for (int k = 0; k < n; k++) { float d = s[k]->dist(p); if (d < best) best = d, who = k; }
  return {best, who};
}
K __launch_bounds__(128) k_ray_march(float* image, int w, int h) {
  __shared__ __align__(16) u8 arena[5][64];
  __shared__ Shape* scene[5];
  if (threadIdx.x < 5 && threadIdx.y == 0) {
    int k = threadIdx.x;
    if (k == 0) scene[k] = new (arena[k]) Floor({0, -1, 0});
    else if (k < 3) scene[k] = new (arena[k]) Ball({k * 1.6f - 2.4f, 0.1f * k, 3.f + k}, 0.6f + 0.2f * k);
    else scene[k] = new (arena[k]) Torus({k * 1.5f - 5.f, 0.3f, 3.5f}, 0.9f, 0.25f);
  }
  __syncthreads();
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  V3 o{0, 0.5f, -2}, d = unit(V3{(2.f * x - w) / h, (h - 2.f * y) / h, 1.5f});
  float light = 0, weight = 1;
  for (int bounce = 0; bounce < 2; bounce++) {
    float t = 0.02f; int who = -1;
    for (int step = 0; step < 28 && t < 20; step++) {
      auto [dist, k] = nearest(scene, 5, o + d * t);
      if (dist < 2e-3f) { who = k; break; }
      t += dist;
    }
    if (who < 0) { light += weight * (0.2f + 0.5f * fabsf(d.y)); break; }
    V3 p = o + d * t;
    const Shape* s = scene[who];
    float f0 = s->dist(p), e = 1e-3f;
    V3 n = unit(V3{s->dist(p + V3{e, 0, 0}) - f0, s->dist(p + V3{0, e, 0}) - f0, s->dist(p + V3{0, 0, e}) - f0});
    light += weight * 0.7f * s->shade(p, n) * __expf(-0.05f * t);
    weight *= 0.3f;
    d = d - n * (2 * dot(d, n));
    o = p + n * 0.01f;
  }
  image[y * w + x] = light;
}

// ---------------------------------------- 64-bit primality with 128-bit products, and a 256-bit power of each candidate
struct Mont {
  u64 n, inv, one, r2;
  DEV Mont(u64 m) : n(m), inv(m) {
    for (int k = 0; k < 5; k++) inv *= 2 - m * inv;
    one = -m % m;
    r2 = (u64)((u128)one * one % m);
  }
  DEV u64 mul(u64 a, u64 b) const {
    u128 t = (u128)a * b;
    u64 q = (u64)t * inv, hi = (u64)(t >> 64), sub = __umul64hi(q, n);
    return hi - sub + (hi < sub ? n : 0);
  }
  DEV u64 pow(u64 a, u64 e) const {
    u64 r = one;
    for (; e; e >>= 1, a = mul(a, a)) if (e & 1) r = mul(r, a);
    return r;
  }
};
using Big = cs::array<u64, 4>;
FAR Big big_mul(const Big& a, const Big& b) {
  Big r{};
  for (int i = 0; i < 4; i++) {
    u64 carry = 0;
    for (int j = 0; i + j < 4; j++) {
      u128 t = (u128)a[i] * b[j] + r[i + j] + carry;
      r[i + j] = (u64)t, carry = (u64)(t >> 64);
    }
  }
  return r;
}
K k_prime_u128(const int* in, u32* prime, u64* power, int n) {
  int i = gtid();
  if (i >= n) return;
  u64 c = ((u64)in[2 * i] << 40 ^ (u64)in[2 * i + 1] << 17 ^ (u64)in[2 * i] * 2654435761u) | (1ull << 62) | 1;
  bool maybe = true;
  for (u32 p = 3; p < 32 && maybe; p += 2) maybe = c % p != 0;
  if (maybe) {
    Mont m(c);
    int s = cs::countr_zero(c - 1);
    for (int base = 2; base < 5 && maybe; base++) {
      u64 x = m.pow(m.mul(base, m.r2), (c - 1) >> s), minus = c - m.one;
      bool ok = x == m.one || x == minus;
      for (int k = 1; k < s && !ok; k++) x = m.mul(x, x), ok = x == minus;
      maybe = ok;
    }
  }
  prime[i] = maybe ? 0x10000u | cs::popcount(c) : cs::popcount(c);
  Big v{c, ~c, c >> 7, c << 9}, r{1, 0, 0, 0};
  for (int e = 23; e; e >>= 1) {
    if (e & 1) r = big_mul(r, v);
    v = big_mul(v, v);
  }
  power[i] = r[0] ^ cs::rotl(r[1], 13) ^ cs::rotr(r[2], 7) ^ __brevll(r[3]);
}

// ---------------------------------------- local alignment with affine gaps: a lane holds one row, a warp sweeps the anti-diagonals
struct Wide {                                                   // one pair per lane, 32-bit scores
  static DEV int splat(int v) { return v; }
  static DEV int score(int q, int r) { return (q & 3) == (r & 3) ? 5 : -4; }
  static DEV int gap(int h, int open, int g, int ext) { return __viaddmax_s32(h, open, g + ext); }
  static DEV int cell(int d, int s, int e, int f) { return __vimax3_s32_relu(d + s, e, f); }
  static DEV int top(int a, int b) { return __vimax_s32_relu(a, b); }
};
struct Pair {                                                   // two queries per lane, 16-bit scores in one word
  static DEV int splat(int v) { return __byte_perm(v, 0, 0x1010); }
  static DEV int score(int q, int r) { int m = __vcmpeq2(q & 0x30003, splat(r & 3)); return (m & splat(5)) | (~m & splat(-4)); }
  static DEV int gap(int h, int open, int g, int ext) { return __viaddmax_s16x2(h, open, __vadd2(g, ext)); }
  static DEV int cell(int d, int s, int e, int f) { return __vimax3_s16x2_relu(__vadd2(d, s), e, f); }
  static DEV int top(int a, int b) { return __vimax_s16x2_relu(a, b); }
};
template <class P, class Tile> DEV int align(const Tile& tile, int q, const int* ref, int m, int* rowH, int* rowF) {
  const int lane = tile.thread_rank(), low = P::splat(-2000), open = P::splat(-7), ext = P::splat(-1);
  int H = 0, E = low, F = low, diag = 0, best = 0;
  for (int t = 0; t < m + 31; t++) {
    int j = t - lane, upH = tile.shfl_up(H, 1), upF = tile.shfl_up(F, 1);
    bool in = j >= 0 && j < m;
    if (lane == 0 && in) upH = rowH[j], upF = rowF[j];
    if (in) {
      F = P::gap(upH, open, upF, ext);
      E = P::gap(H, open, E, ext);
      H = P::cell(diag, P::score(q, ref[j]), E, F);
      best = P::top(best, H);
      diag = upH;
      if (lane == 31) rowH[j] = H, rowF[j] = F;
    }
    tile.sync();
  }
  return best;
}
K __launch_bounds__(128) k_align_dpx(const int* query, const int* ref, int* out, int m, int strips) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int* rowH = (int*)smem_b + tile.meta_group_rank() * 2 * m, *rowF = rowH + m;
  int pair = blockIdx.x * 4 + tile.meta_group_rank(), lane = tile.thread_rank();
  const int* r = ref + (pair & 15) * m;
  int best[2] = {0, 0};
  for (int pass = 0; pass < 2; pass++) {
    for (int j = lane; j < m; j += 32) rowH[j] = 0, rowF[j] = pass ? Pair::splat(-2000) : -2000;
    tile.sync();
    for (int s = 0; s < strips; s++) {
      int q = query[(pair * strips + s) * 32 + lane];
      if (pass == 0) best[0] = max(best[0], align<Wide>(tile, q, r, m, rowH, rowF));
      else best[1] = Pair::top(best[1], align<Pair>(tile, q | q << 14, r, m, rowH, rowF));
    }
  }
  out[pair * 64 + lane] = cg::reduce(tile, best[0], cg::greater<int>());
  out[pair * 64 + 32 + lane] = best[1];
}

// ---------------------------------------- bytes of an image, four to a word: median of 3x3, gradient magnitude, sums of differences
DEV int perm(int a, int b, u32 s) { return (int)__byte_perm(a, b, s); }
DEV void order4(u32& a, u32& b) { u32 t = __vminu4(a, b); b = __vmaxu4(a, b); a = t; }
K __launch_bounds__(256) k_video_filter(const u32* in, u32* median, u32* edge, u32* sad, int w, int h) {
  __shared__ u32 tile[10][34];
  int bx = blockIdx.x * 32, by = blockIdx.y * 8, tx = threadIdx.x, ty = threadIdx.y;
  for (int k = ty * 32 + tx; k < 340; k += 256) {
    int y = min(max(by + k / 34 - 1, 0), h - 1), x = min(max(bx + k % 34 - 1, 0), w - 1);
    tile[k / 34][k % 34] = __byte_perm(in[y * w + x], mix32(x * 7919 + y), 0x6210);          // inputs have 24 bits: fill the top byte
  }
  __syncthreads();
  int x = bx + tx, y = by + ty;
  u32 p[9];
#pragma unroll
  for (int r = 0; r < 3; r++) {
    u32 l = tile[ty + r][tx], c = tile[ty + r][tx + 1], g = tile[ty + r][tx + 2];
    p[3 * r] = __funnelshift_l(l, c, 8), p[3 * r + 1] = c, p[3 * r + 2] = __funnelshift_r(c, g, 8);
  }
  u32 gx = __vabsdiffu4(__vavgu4(p[0], p[6]), __vavgu4(p[2], p[8])), gy = __vabsdiffu4(__vavgu4(p[0], p[2]), __vavgu4(p[6], p[8]));
  u32 e = __vaddus4(gx, gy) & ~__vcmpltu4(__vsubus4(p[4], p[1]), 0x08080808);
  u32 s = cg::reduce(cg::tiled_partition<8>(cg::this_thread_block()), __vsadu4(p[4], p[5]), cg::plus<u32>());
  constexpr u8 net[19][2] = {                                   // exchanges that leave the median in the middle
    {1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {1, 2}, {4, 5}, {7, 8},
    {0, 3}, {5, 8}, {4, 7}, {3, 6}, {1, 4}, {2, 5}, {4, 7}, {4, 2}, {6, 4}, {4, 2}};
#pragma unroll
  for (int k = 0; k < 19; k++) order4(p[net[k][0]], p[net[k][1]]);
  if (x < w && y < h) {
    median[y * w + x] = p[4];
    edge[y * w + x] = e;
    sad[y * w + x] = s;
  }
}

// ---------------------------------------- open addressing in shared memory through atomic references, statistics in global memory
template <class T> using BlockRef = cuda::atomic_ref<T, cuda::thread_scope_block>;
template <class T> using DeviceRef = cuda::atomic_ref<T, cuda::thread_scope_device>;
constexpr u32 EMPTY = ~0u;
DEV cs::optional<u32> find_slot(cs::span<u32> keys, cuda::fast_mod_div<u32> size, u32 key) {
  for (u32 s = (key * 2654435761u >> 3) % size, k = 0; k < keys.size(); k++, s = (s + 1) % size) {
    u32 at = BlockRef<u32>(keys[s]).load(cuda::memory_order_relaxed);
    if (at == key) return s;
    if (at == EMPTY) return {};
  }
  return {};
}
K __launch_bounds__(320) k_hash_refs(const u32* in, u32* out, u32* stats, int rounds, int slots) {
  cs::span<u32> keys((u32*)smem_b, slots), count(keys.data() + slots, slots), first(count.data() + slots, slots);
  const cuda::fast_mod_div<u32> size(slots);
  for (int r = 0; r < rounds; r++) {
    const u32* src = in + (blockIdx.x * rounds + r) * 640;
    for (int k = threadIdx.x; k < slots; k += 320) keys[k] = EMPTY, count[k] = 0, first[k] = EMPTY;
    __syncthreads();
    for (u32 k = threadIdx.x; k < 640; k += 320) {
      u32 key = src[k] & 0x1ff, s = (key * 2654435761u >> 3) % size;
      for (;; s = (s + 1) % size) {
        u32 expect = EMPTY;
        if (BlockRef<u32>(keys[s]).compare_exchange_strong(expect, key, cuda::memory_order_acq_rel, cuda::memory_order_acquire) || expect == key) break;
      }
      BlockRef<u32>(count[s]).fetch_add(1, cuda::memory_order_relaxed);
      BlockRef<u32>(first[s]).fetch_min(k, cuda::memory_order_relaxed);
    }
    __syncthreads();
    auto s = find_slot(keys, size, (threadIdx.x * 3) & 0x1ff);
    u32 v = s ? count[*s] * 1024 + first[*s] : 0;
    out[(blockIdx.x * rounds + r) * 320 + threadIdx.x] = v;
    if (v) {
      DeviceRef<u32>(stats[0]).fetch_add(v >> 10, cuda::memory_order_relaxed);
      DeviceRef<u32>(stats[1]).fetch_max(v, cuda::memory_order_relaxed);
      DeviceRef<u32>(stats[2]).fetch_xor(v * 2246822519u, cuda::memory_order_relaxed);
    }
    __syncthreads();
  }
}

// ---------------------------------------- roots of a polynomial isolated with interval arithmetic: boxes go through a queue in the block
struct Iv { double lo, hi; };
DEV Iv operator+(Iv a, Iv b) { return {__dadd_rd(a.lo, b.lo), __dadd_ru(a.hi, b.hi)}; }
DEV Iv operator*(Iv a, Iv b) {
  return {fmin(fmin(__dmul_rd(a.lo, b.lo), __dmul_rd(a.lo, b.hi)), fmin(__dmul_rd(a.hi, b.lo), __dmul_rd(a.hi, b.hi))),
          fmax(fmax(__dmul_ru(a.lo, b.lo), __dmul_ru(a.lo, b.hi)), fmax(__dmul_ru(a.hi, b.lo), __dmul_ru(a.hi, b.hi)))};
}
DEV bool has_zero(Iv a) { return a.lo <= 0 && a.hi >= 0; }
DEV Iv lift(double v) { return {v, v}; }
DEV double value(const double* c, double x) { double s = c[5]; for (int k = 4; k >= 0; k--) s = fma(s, x, c[k]); return s; }
K __launch_bounds__(128) k_root_queue(const float* in, u64* sums, u32* counts, int reps) {
  constexpr int CAP = 4096, FIRST = 6, LAST = 16;
  __shared__ u32 queue[2][CAP], length[2], found;
  __shared__ u64 acc;
  __shared__ double c[6];
  for (int r = blockIdx.x * reps; r < (blockIdx.x + 1) * reps; r++) {
    if (threadIdx.x < 6) c[threadIdx.x] = in[r * 6 + threadIdx.x] * (threadIdx.x & 1 ? 0.1 : 0.3);
    if (threadIdx.x < 64) queue[0][threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) length[0] = 64, length[1] = 0, found = 0, acc = 0;
    __syncthreads();
    for (int level = FIRST; level <= LAST; level++) {
      const int cur = level & 1;
      const u32 n = min(length[cur], (u32)CAP);
      const double width = ldexp(8.0, -level);
      for (u32 t = threadIdx.x; t < n; t += 128) {
        u32 box = queue[cur][t];
        double lo = -4 + box * width, hi = lo + width, mid = lo + 0.5 * width;
        Iv x{lo, hi}, d = lift(5 * c[5]), f = lift(c[5]);
        for (int k = 4; k >= 1; k--) d = d * x + lift(k * c[k]);
        for (int k = 4; k >= 0; k--) f = f * lift(mid) + lift(c[k]);
        f = f + d * Iv{-0.5 * width, 0.5 * width};
        if (!has_zero(f)) continue;
        if (!has_zero(d)) {                                     // monotone: at most one root, found by bisection
          double a = lo, b = hi, s = value(c, lo) > 0 ? 1 : -1;
          if (s * value(c, hi) > 0) continue;
          for (int k = 0; k < 24; k++) { double m = 0.5 * (a + b); (s * value(c, m) > 0 ? a : b) = m; }
          atomicAdd(&acc, (u64)__double2ll_rn(a * 0x1p30));
          atomicAdd(&found, 1);
        } else if (level == LAST) atomicAdd(&found, 0x10000);
        else {
          u32 at = atomicAdd(&length[cur ^ 1], 2);
          if (at + 1 < CAP) queue[cur ^ 1][at] = 2 * box, queue[cur ^ 1][at + 1] = 2 * box + 1;
        }
      }
      __syncthreads();
      if (threadIdx.x == 0) length[cur] = 0;
      __syncthreads();
    }
    if (threadIdx.x == 0) sums[r] = acc, counts[r] = found;
    __syncthreads();
  }
}

// ---------------------------------------- LU with partial pivoting of 8x8 systems, a group of eight lanes each
K __launch_bounds__(64) k_lu_small(const float* in, double* sol, double* info, int systems) {
  using Mat = cs::mdspan<double, cs::extents<int, 8, 8>>;
  struct Cand { double v; long long row; };
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int r = tile.thread_rank(), slot = tile.meta_group_rank();
  Mat A((double*)smem_b + slot * 64), B((double*)smem_b + 512 + slot * 64);
  for (int s = blockIdx.x * 8 + slot; s < systems; s += gridDim.x * 8) {
    for (int c = 0; c < 8; c++) A(c, r) = B(c, r) = in[s * 72 + c * 8 + r] * 0.02;
    double rhs = in[s * 72 + 64 + r], b = rhs, sign = 1;
    tile.sync();
    for (int k = 0; k < 8; k++) {
      auto larger = [](Cand a, Cand b) { return a.v > b.v || (a.v == b.v && a.row < b.row) ? a : b; };
      Cand best = cg::reduce(tile, Cand{r >= k ? fabs(A(r, k)) : -1.0, r}, larger);
      const int p = (int)best.row;
      double bk = tile.shfl(b, k), bp = tile.shfl(b, p);
      if (p != k) {
        double t = A(k, r);
        A(k, r) = A(p, r), A(p, r) = t;
        b = r == k ? bp : r == p ? bk : b;
        sign = -sign;
      }
      tile.sync();
      bk = tile.shfl(b, k);
      if (r > k) {
        double f = A(r, k) / A(k, k);
        A(r, k) = f;
        for (int c = k + 1; c < 8; c++) A(r, c) = fma(-f, A(k, c), A(r, c));
        b = fma(-f, bk, b);
      }
      tile.sync();
    }
    for (int k = 7; k >= 0; k--) {
      if (r == k) b /= A(k, k);
      double x = tile.shfl(b, k);
      if (r < k) b = fma(-A(r, k), x, b);
    }
    double up = -rhs, down = -rhs;                              // residual with directed rounding
    for (int c = 0; c < 8; c++) {
      double x = tile.shfl(b, c);
      up = __dadd_ru(up, __dmul_ru(B(r, c), x)), down = __fma_rd(B(r, c), x, down);
    }
    sol[s * 8 + r] = b;
    double worst = cg::reduce(tile, fmax(fabs(up), fabs(down)), cg::greater<double>());
    double det = cg::reduce(tile, A(r, r), [](double a, double b) { return a * b; });
    if (r < 2) info[s * 2 + r] = r ? det * sign : worst;
    tile.sync();
  }
}

// ---------------------------------------- least squares with forward differentiation: dual numbers over lazy vector expressions
template <class E> struct Expr { DEV const E& self() const { return static_cast<const E&>(*this); } };
struct Vec4 : Expr<Vec4> {
  float v[4];
  DEV Vec4() : v{} {}
  template <class E> DEV Vec4(const Expr<E>& e) { for (int i = 0; i < 4; i++) v[i] = e.self()[i]; }
  DEV float operator[](int i) const { return v[i]; }
};
template <class A, class B> struct Sum : Expr<Sum<A, B>> {
  A a; B b;
  DEV Sum(A a, B b) : a(a), b(b) {}
  DEV float operator[](int i) const { return a[i] + b[i]; }
};
template <class A> struct Times : Expr<Times<A>> {
  A a; float s;
  DEV Times(A a, float s) : a(a), s(s) {}
  DEV float operator[](int i) const { return a[i] * s; }
};
template <class A, class B> DEV auto operator+(const Expr<A>& a, const Expr<B>& b) { return Sum<A, B>(a.self(), b.self()); }
template <class A> DEV auto operator*(const Expr<A>& a, float s) { return Times<A>(a.self(), s); }
struct Dual { float v; Vec4 d; };
DEV Dual operator+(const Dual& a, const Dual& b) { return {a.v + b.v, a.d + b.d}; }
DEV Dual operator-(const Dual& a, float b) { return {a.v - b, a.d}; }
DEV Dual operator*(const Dual& a, const Dual& b) { return {a.v * b.v, a.d * b.v + b.d * a.v}; }
DEV Dual operator*(const Dual& a, float s) { return {a.v * s, a.d * s}; }
DEV Dual d_exp(const Dual& a) { float e = expf(a.v); return {e, a.d * e}; }
FAR Dual d_sin(const Dual& a) { float s, c; sincosf(a.v, &s, &c); return {s, a.d * c}; }
DEV Dual d_tanh(const Dual& a) { float t = tanhf(a.v); return {t, a.d * (1 - t * t)}; }
FAR Dual model(const Dual* p, float t) { return p[0] * d_exp(p[1] * -t) + p[2] * d_sin(p[3] * t) + d_tanh(p[0] * p[2]) * 0.1f; }
K __launch_bounds__(128) k_dual_fit(const float* in, float* out, int n, int steps) {
  int i = gtid();
  if (i >= n) return;
  Dual p[4];
  for (int k = 0; k < 4; k++) p[k].v = 0.2f + 1.5f * unit(in[i * 4 + k]), p[k].d.v[k] = 1;
  float loss = 0;
  for (int s = 0; s < steps; s++) {
    Vec4 g;
    loss = 0;
    for (int k = 0; k < 8; k++) {
      Dual e = model(p, k * 0.4f) - (0.02f * in[(i * 7 + k) % (4 * n)]);
      loss = fmaf(e.v, e.v, loss);
      g = g + e.d * (2 * e.v);
    }
    float rate = 0.05f * rsqrtf(1 + g[0] * g[0] + g[1] * g[1] + g[2] * g[2] + g[3] * g[3]);
    for (int k = 0; k < 4; k++) p[k].v -= rate * g[k];
  }
  for (int k = 0; k < 4; k++) out[i * 4 + k] = p[k].v + 1e-3f * loss;
}

// ---------------------------------------- orbits: position from time, elliptic and hyperbolic, far from the epoch
K k_kepler_orbit(const float* in, double* out, int n) {
  int i = gtid();
  if (i >= n) return;
  const double PI = 3.14159265358979323846;
  double a = 1 + 5.0 * unit(in[i]), e = 0.02 + 1.3 * unit(in[n + i]), t = in[2 * n + i] * 2e5, nu, r;
  if (e > 0.98 && e < 1.02) e = 0.98;
  if (e < 1) {
    double M = fmod(sqrt(1 / (a * a * a)) * t, 2 * PI), E = M + e * sin(M), s, c;
    for (int k = 0; k < 12; k++) {
      sincos(E, &s, &c);
      double d = (E - e * s - M) / (1 - e * c);
      E -= d;
      if (fabs(d) < 1e-13) break;
    }
    nu = 2 * atan2(sqrt(1 + e) * sin(0.5 * E), sqrt(1 - e) * cos(0.5 * E));
    r = a * (1 - e * cos(E));
  } else {
    double M = cbrt(t) * 0.1, H = asinh(M / e);
    for (int k = 0; k < 12; k++) {
      double d = (e * sinh(H) - H - M) / (e * cosh(H) - 1);
      H -= d;
      if (fabs(d) < 1e-12) break;
    }
    nu = 2 * atan(sqrt((e + 1) / (e - 1)) * tanh(0.5 * H));
    r = a * (e * cosh(H) - 1);
  }
  double precession = remainder(1e-7 * t * pow(r, -1.5), PI), spin = sin(1e9 * e + t) + 0.1 * cos(t * 1e12);
  out[i] = hypot(r * cos(nu + precession), r * sin(nu + precession));
  out[n + i] = nu + 0.01 * log(r) + 1e-3 * exp2(spin);
  out[2 * n + i] = rhypot(r, spin) + log10(1 + r) - expm1(-r) + j1(fmin(r, 40.0));
}

// ---------------------------------------- escape time with complex doubles, then basins of a cubic with complex floats and their histogram
K __launch_bounds__(256) k_fractals(u32* image, u32* histogram, int w, int h) {
  __shared__ u32 bins[4], work;
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  if (block.thread_rank() < 4) bins[block.thread_rank()] = 0;
  if (block.thread_rank() == 4) work = 0;
  block.sync();
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, it = 0, basin = 3;
  if (x < w && y < h) {
    cs::complex<double> z(0, 0), c(-2.2 + 3.0 * x / w, -1.2 + 2.4 * y / h);
    while (it < 40 && cs::norm(z) < 16) {
      z = z * z + c, it++;
      auto active = cg::coalesced_threads();
      if (active.thread_rank() == 0) BlockRef<u32>(work).fetch_add(active.size(), cuda::memory_order_relaxed);   // the total does not depend on the groups
    }
    Cf p(1.5f - 3.f * x / w, 3.1f * y / h - 1.5f);
    for (int k = 0; k < 16; k++) {
      Cf q = p * p, step = (q * p - 1.f) / (q * 3.f + Cf(1e-6f, 0));
      p -= step;
      if (cs::norm(step) < 1e-10f) { basin = p.real() > 0 ? 0 : p.imag() > 0 ? 1 : 2; break; }
    }
    image[y * w + x] = it | basin << 8 | __float2int_rn(64 * cs::arg(p)) << 16;
  }
  auto done = cg::binary_partition(tile, basin < 3);            // one atomic for each basin in each part of the warp
  auto same = cg::labeled_partition(done, basin);
  cg::invoke_one(same, [&] { BlockRef<u32>(bins[basin]).fetch_add(same.size(), cuda::memory_order_relaxed); });
  block.sync();
  if (block.thread_rank() < 4) DeviceRef<u32>(histogram[block.thread_rank()]).fetch_add(bins[block.thread_rank()], cuda::memory_order_relaxed);
  if (block.thread_rank() == 4) DeviceRef<u32>(histogram[4]).fetch_add(work, cuda::memory_order_relaxed);
}

// ---------------------------------------- rigid bodies: quaternions, fourth-order steps, big structures through functions that are not inlined
struct Quat { float w; V3 v; };
DEV Quat operator*(Quat a, Quat b) { return {a.w * b.w - dot(a.v, b.v), b.v * a.w + a.v * b.w + cross(a.v, b.v)}; }
struct Body { V3 pos, vel; Quat q; V3 spin; float inertia[3], mass; };
struct Rate { V3 vel, acc; Quat dq; V3 dspin; };
union Contact { struct { u32 hit : 1, side : 3, steps : 8, depth : 20; }; u32 word; };
FAR V3 rotate(Quat q, V3 p) { V3 t = cross(q.v, p) * 2.f; return p + t * q.w + cross(q.v, t); }
FAR Rate derive(Body b) {
  V3 arm = rotate(b.q, V3{0.3f, 0.1f, -0.2f}), pull = (b.pos + arm) * (-2.f / b.mass), torque = cross(arm, pull * b.mass);
  V3 w = b.spin, L{w.x * b.inertia[0], w.y * b.inertia[1], w.z * b.inertia[2]}, n = torque - cross(w, L);
  return {b.vel, pull - b.vel * 0.05f, Quat{0, w * 0.5f} * b.q, {n.x / b.inertia[0], n.y / b.inertia[1], n.z / b.inertia[2]}};
}
FAR Body advance(Body b, const Rate& k, float h) {
  b.pos = b.pos + k.vel * h, b.vel = b.vel + k.acc * h, b.spin = b.spin + k.dspin * h;
  b.q.w += k.dq.w * h, b.q.v = b.q.v + k.dq.v * h;
  return b;
}
K k_rigid_body(const float* in, float* state, u32* contacts, int n, int steps) {
  int i = gtid();
  if (i >= n) return;
  auto f = [=](int k) { return unit(in[k * n + i]) - 0.5f; };
  Body b{{f(0) * 2, 1 + f(1), f(2)}, {f(3), f(4), f(5)}, {1, {0, 0, 0}}, {f(6), f(7), f(8)}, {1 + f(9), 1.1f + f(10), 1.2f + f(11)}, 1.5f + f(0)};
  Contact c{};
  for (int s = 0; s < steps; s++) {
    const float h = 0.02f;
    Rate k1 = derive(b), k2 = derive(advance(b, k1, h / 2)), k3 = derive(advance(b, k2, h / 2)), k4 = derive(advance(b, k3, h));
    b = advance(advance(advance(advance(b, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6);
    float r = rnorm4df(b.q.w, b.q.v.x, b.q.v.y, b.q.v.z);
    b.q.w *= r, b.q.v = b.q.v * r;
    if (b.pos.y < 0.9f) {
      c.hit = 1, c.steps = c.steps + 1, c.side = (b.pos.x > 0) | (b.pos.z > 0) << 1 | (b.vel.y > 0) << 2;
      c.depth = c.depth + __float2uint_rz((0.9f - b.pos.y) * 1000);
      b.vel.y = fabsf(b.vel.y) * 0.8f, b.pos.y = 0.9f;
    }
  }
  const float row[] = {b.pos.x, b.pos.y, b.pos.z, b.q.w, b.q.v.x, b.q.v.y, b.q.v.z, norm3df(b.spin.x, b.spin.y, b.spin.z)};
  for (int k = 0; k < 8; k++) state[k * n + i] = row[k];
  contacts[i] = c.word;
}

// ---------------------------------------- long filter over a stream: chunks come through a pipeline of three stages in shared memory
struct Taps {
  float v[32];
  constexpr Taps() : v() { for (int k = 0; k < 32; k++) { float u = (k - 15.5f) / 16; v[k] = (1 - u * u) * (k % 3 ? 0.06f : -0.02f); } }
};
__constant__ Taps kTaps = Taps();
K __launch_bounds__(256) k_pipe_fir(const float* in, float* out, float* energy, int chunks) {
  constexpr int S = 3, C = 256, T = 32;
  __shared__ __align__(16) float ring[S][C + T];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, S> state;
  __shared__ float part[8];
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto pipe = cuda::make_pipeline(block, &state);
  const float* src = in + (size_t)blockIdx.x * chunks * C;
  for (int c = 0, next = 0; c < chunks; c++) {
    for (; next < chunks && next < c + S; next++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, ring[next % S], src + next * C, cuda::aligned_size_t<16>((C + T) * sizeof(float)), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    float s = 0;
#pragma unroll 8
    for (int k = 0; k < T; k++) s = fmaf(kTaps.v[k], ring[c % S][threadIdx.x + k], s);
    pipe.consumer_release();
    out[((size_t)blockIdx.x * chunks + c) * C + threadIdx.x] = s;
    float e = cg::reduce(warp, s * s, cg::plus<float>());
    cg::invoke_one(warp, [&] { part[warp.meta_group_rank()] = e; });
    block.sync();
    if (threadIdx.x == 0) energy[blockIdx.x * chunks + c] = cs::max({part[0], part[1], part[2], part[3], part[4], part[5], part[6], part[7]});
    block.sync();
  }
}

// ---------------------------------------- one warp copies tiles ahead, eight warps reduce them: two buffers and four barriers
K __launch_bounds__(288) k_warp_roles(const float* in, float* moments, int* peaks, int tiles) {
  constexpr int N = 2048;
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ __align__(128) float buffer[2][N];
  __shared__ Barrier ready[2], filled[2];
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  if (block.thread_rank() < 2) init(&ready[block.thread_rank()], block.size()), init(&filled[block.thread_rank()], block.size());
  block.sync();
  const float* src = in + (size_t)blockIdx.x * tiles * N;
  if (warp.meta_group_rank() == 0) {
    for (int t = 0; t < tiles; t++) {
      ready[t & 1].arrive_and_wait();
      cuda::memcpy_async(warp, buffer[t & 1], src + t * N, cuda::aligned_size_t<16>(N * sizeof(float)), filled[t & 1]);
      (void)filled[t & 1].arrive();
    }
  } else {
    (void)ready[0].arrive();
    (void)ready[1].arrive();
    const int w = warp.meta_group_rank() - 1, lane = warp.thread_rank();
    for (int t = 0; t < tiles; t++) {
      filled[t & 1].arrive_and_wait();
      float s = 0, q = 0, top = -1e30f; int at = 0;
      for (int k = 0; k < 8; k++) {
        float v = buffer[t & 1][w * 256 + k * 32 + lane];
        s += v, q = fmaf(v, v, q);
        if (v > top) top = v, at = w * 256 + k * 32 + lane;
      }
      (void)ready[t & 1].arrive();
      s = cg::reduce(warp, s, cg::plus<float>()), q = cg::reduce(warp, q, cg::plus<float>());
      float peak = cg::reduce(warp, top, cg::greater<float>());
      at = cg::reduce(warp, top == peak ? at : N, cg::less<int>());
      size_t o = ((size_t)blockIdx.x * tiles + t) * 8 + w;
      if (lane == 0) moments[2 * o] = s / 256, moments[2 * o + 1] = sqrtf(fmaxf(q / 256 - (s / 256) * (s / 256), 0.f)), peaks[o] = at;
    }
  }
}

// ---------------------------------------- group by key: lanes with one key form a group that reduces, scans and adds once
K __launch_bounds__(192) k_group_by(const int* in, u32* table, u32* order, int n, int keys) {
  __shared__ u32 count[64], sum[64], top[64], base[6];
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  const int t = threadIdx.x;
  if (t < 64) count[t] = sum[t] = top[t] = 0;
  if (t < 6) base[t] = 0;
  block.sync();
  for (int start = blockIdx.x * 192; start < n; start += gridDim.x * 192) {
    int i = start + t;
    auto side = cg::binary_partition(warp, i < n);
    if (i < n) {
      u32 v = in[i], key = (v >> 5) % keys, x = v & 0xfff;
      auto group = cg::labeled_partition(side, key);
      u32 s = cg::reduce(group, x, cg::plus<u32>()), m = cg::reduce(group, x, cg::greater<u32>()), before = cg::exclusive_scan(group, x);
      u32 from = cg::invoke_one_broadcast(side, [&] { return BlockRef<u32>(base[warp.meta_group_rank()]).fetch_add(side.size()); });
      cg::invoke_one(group, [&] {
        BlockRef<u32>(count[key]).fetch_add(group.size(), cuda::memory_order_relaxed);
        BlockRef<u32>(sum[key]).fetch_add(s, cuda::memory_order_relaxed);
        BlockRef<u32>(top[key]).fetch_max(m, cuda::memory_order_relaxed);
      });
      order[i] = (from + side.thread_rank()) << 17 ^ before << 5 ^ group.thread_rank() ^ group.shfl(x, group.size() - 1) << 8;
    }
    warp.sync();
  }
  block.sync();
  if (t < keys) {
    DeviceRef<u32>(table[t]).fetch_add(count[t], cuda::memory_order_release);
    DeviceRef<u32>(table[64 + t]).fetch_add(sum[t], cuda::memory_order_acq_rel);
    DeviceRef<u32>(table[128 + t]).fetch_max(top[t], cuda::memory_order_relaxed);
  }
}

// ---------------------------------------- short linked lists on the device heap: sorted insertion, recursive merge, flattening
struct Node { int key; Node* next; };
struct Source { __device__ virtual int next() = 0; __device__ virtual ~Source() {} };
struct Lcg : Source { u32 s; __device__ Lcg(u32 s) : s(s) {} __device__ int next() override { return (s = s * 1664525u + 1013904223u) >> 12; } };
struct Weyl : Source { u32 s; __device__ Weyl(u32 s) : s(s) {} __device__ int next() override { return mix32(s += 0x9e3779b9u) >> 12; } };
FAR Node* insert(Node* head, int key) {
  Node* node = new Node{key, nullptr};
  if (!node) return head;
  Node** at = &head;
  while (*at && (*at)->key < key) at = &(*at)->next;
  node->next = *at, *at = node;
  return head;
}
FAR Node* merge(Node* a, Node* b) {                             // at most eight deep
  if (!a) return b;
  if (!b) return a;
  Node* low = a->key <= b->key ? a : b, *high = low == a ? b : a;
  low->next = merge(low->next, high);
  return low;
}
K __launch_bounds__(64) k_list_heap(const int* in, u32* out, int n, int rounds) {
  int i = gtid();
  if (i >= n) return;
  u32 hash = 0;
  for (int r = 0; r < rounds; r++) {
    Source* source = i & 8 ? (Source*)new Lcg(in[i] + r) : new Weyl(in[i] ^ r);
    Node *a = nullptr, *b = nullptr;
    int na = 1 + (in[i] + r) % 3, nb = 1 + (in[i] >> 4) % 3;
    for (int k = 0; k < na; k++) a = insert(a, source->next());
    for (int k = 0; k < nb; k++) b = insert(b, source->next());
    delete source;
    int* flat = (int*)malloc((na + nb) * sizeof(int)), len = 0;
    for (Node *p = merge(a, b), *q; p; p = q) flat[len++] = p->key, q = p->next, delete p;
    for (int k = 0; k < len; k++) hash = cs::rotl(hash, 5) ^ (flat[k] - (k ? flat[k - 1] : 0));
    free(flat);
  }
  out[i] = hash;
}

// ---------------------------------------- two dense layers of 64 with matrix fragments, bias and smooth gate in packed halves
DEV __half2 gate(__half2 x) {
  __half2 t = __hmul2(x, __float2half2_rn(0.851f)), e = h2exp(__hneg2(__hmin2(__hmax2(t, __float2half2_rn(-8)), __float2half2_rn(8))));
  return __hmul2(x, h2rcp(__hadd2(e, __float2half2_rn(1))));
}
K __launch_bounds__(128) k_wmma_layers(const float* in, const float* weight, float* out, int tiles) {
  namespace wm = nvcuda::wmma;
  constexpr int LD = 72, LF = 68;
  __half *x = (__half*)smem_b, *w = x + 64 * LD;
  float* acc = (float*)(w + 2 * 64 * LD);
  const int warp = threadIdx.x / 32, row = warp * 16;
  for (int k = threadIdx.x; k < 2 * 64 * 32; k += 128) {
    float2 v = ((const float2*)weight)[k];
    *(__half2*)(w + (k / 32) * LD + (k % 32) * 2) = __floats2half2_rn(v.x * 0.004f, v.y * 0.004f);
  }
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    const float2* src = (const float2*)in + (size_t)t * 64 * 32;
    for (int k = threadIdx.x; k < 64 * 32; k += 128) *(__half2*)(x + (k / 32) * LD + (k % 32) * 2) = __float22half2_rn(src[k]);
    __syncthreads();
    for (int layer = 0; layer < 2; layer++) {
      wm::fragment<wm::accumulator, 16, 16, 16, float> c[4];
      for (auto& f : c) wm::fill_fragment(f, layer ? -0.125f : 0.25f);
      for (int k = 0; k < 64; k += 16) {
        wm::fragment<wm::matrix_a, 16, 16, 16, __half, wm::row_major> a;
        wm::load_matrix_sync(a, x + row * LD + k, LD);
        for (int j = 0; j < 4; j++) {
          wm::fragment<wm::matrix_b, 16, 16, 16, __half, wm::row_major> b;
          wm::load_matrix_sync(b, w + (layer * 64 + k) * LD + j * 16, LD);
          wm::mma_sync(c[j], a, b, c[j]);
        }
      }
      for (int j = 0; j < 4; j++) wm::store_matrix_sync(acc + row * LF + j * 16, c[j], LF, wm::mem_row_major);
      __syncwarp();
      for (int k = threadIdx.x % 32; k < 16 * 32; k += 32) {
        int r = row + k / 32, q = k % 32 * 2;
        float2 v = *(float2*)(acc + r * LF + q);
        if (layer == 0) *(__half2*)(x + r * LD + q) = gate(__float22half2_rn(v));
        else *(float2*)(out + ((size_t)t * 64 + r) * 64 + q) = v;
      }
      __syncwarp();
    }
    __syncthreads();
  }
}

// ---------------------------------------- rows quantised to bytes and to eight-bit floats, dotted with integer and packed weights
K __launch_bounds__(256) k_quant_dot(const float* in, const int* weight, float* out, int* raw, int rows, int dim) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int lane = tile.thread_rank();
  for (int r = blockIdx.x * 16 + tile.meta_group_rank(); r < rows; r += gridDim.x * 16) {
    const float4* src = (const float4*)(in + (size_t)r * dim);
    float top = 1e-6f;
    for (int k = lane; k < dim / 4; k += 16) top = fmaxf(top, fmaxf(fmaxf(fabsf(src[k].x), fabsf(src[k].y)), fmaxf(fabsf(src[k].z), fabsf(src[k].w))));
    top = cg::reduce(tile, top, cg::greater<float>());
    const float scale = __fdiv_rz(127.f, top);
    int dot8 = 0, dot16 = 0;
    float f8 = 0;
    __half2 h = __float2half2_rn(0);
    __nv_bfloat162 b = __float2bfloat162_rn(0);
    for (int k = lane; k < dim / 4; k += 16) {
      float4 v = src[k];
      int w = perm(weight[k], weight[k + dim / 4], 0x6210);
      int q0 = __float2int_rn(v.x * scale), q1 = __float2int_rn(v.y * scale), q2 = __float2int_rn(v.z * scale), q3 = __float2int_rn(v.w * scale);
      dot8 = __dp4a(perm(perm(q0, q1, 0x0040), perm(q2, q3, 0x0040), 0x5410), w, dot8);
      dot16 = __dp2a_hi(perm(q1 * 200, q3 * 200, 0x5410), w, __dp2a_lo(perm(q0 * 200, q2 * 200, 0x5410), w, dot16));
      __nv_fp8x4_e4m3 p(make_float4(v.x, v.y, v.z, v.w));
      float4 u = float4(p);
      f8 = __fmaf_rz(u.x, float(__nv_fp8_e5m2(u.y * 0.1f)), __fmaf_ru(u.z, u.w, f8));
      h = __hfma2(__half2(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(w & 0x7777), __NV_E4M3)), __floats2half2_rn(v.x * 0.01f, v.z * 0.01f), h);
      b = __hfma2(__floats2bfloat162_rn(u.x, v.y), __float2bfloat162_rn(0.125f), __hmax2(b, __floats2bfloat162_rn(v.w, u.z)));
    }
    dot8 = cg::reduce(tile, dot8, cg::plus<int>()), dot16 = cg::reduce(tile, dot16, cg::plus<int>());
    f8 = cg::reduce(tile, f8, cg::plus<float>());
    float hb = cg::reduce(tile, __low2float(h) + __high2float(h) + __low2float(b) - __high2float(b), cg::greater<float>());
    if (lane == 0) out[2 * r] = dot8 / scale + hb, out[2 * r + 1] = f8, raw[r] = dot8 ^ dot16;
  }
}

// ---------------------------------------- softmax of rows in packed halves, then normalisation in packed bfloat16
template <class T, class F> DEV T block_reduce(const cg::thread_block_tile<32, cg::thread_block>& warp, T* part, T v, F f) {
  v = cg::reduce(warp, v, f);
  __syncthreads();
  if (warp.thread_rank() == 0) part[warp.meta_group_rank()] = v;
  __syncthreads();
  return cg::reduce(warp, part[warp.thread_rank()], f);
}
K __launch_bounds__(1024) k_softmax_half(const float* in, u32* soft, u32* norm, int rows, int n2) {
  __shared__ float part[32];
  __half2* row = (__half2*)smem_b;
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const float2* src = (const float2*)in + (size_t)r * n2;
    __half2 top = __float2half2_rn(-60000);
    for (int k = threadIdx.x; k < n2; k += 1024) top = __hmax2(top, row[k] = __hmul2(__float22half2_rn(src[k]), __float2half2_rn(0.125f)));
    float peak = block_reduce(warp, part, fmaxf(__low2float(top), __high2float(top)), cg::greater<float>()), sum = 0;
    const __half2 shift = __float2half2_rn(peak);
    for (int k = threadIdx.x; k < n2; k += 1024) {
      __half2 e = h2exp(__hsub2(row[k], shift));
      row[k] = e;
      sum += __low2float(e) + __high2float(e);
    }
    sum = block_reduce(warp, part, sum, cg::plus<float>());
    float mean = 1.f / (2 * n2), var = 0;
    for (int k = threadIdx.x; k < n2; k += 1024) {
      float2 p = __half22float2(row[k]);
      p.x = __fdividef(p.x, sum), p.y = __fdividef(p.y, sum);
      var += (p.x - mean) * (p.x - mean) + (p.y - mean) * (p.y - mean);
      row[k] = __floats2half2_rn(p.x * 64, p.y * 64);
      soft[(size_t)r * n2 + k] = *(u32*)&row[k];
    }
    var = block_reduce(warp, part, var, cg::plus<float>());
    const __nv_bfloat162 m = __float2bfloat162_rn(mean * 64), s = __float2bfloat162_rn(rsqrtf(var * mean + 1e-12f) * 0.015625f);
    for (int k = threadIdx.x; k < n2; k += 1024) {
      float2 p = __half22float2(row[k]);
      __nv_bfloat162 y = __hmul2(__hsub2(__float22bfloat162_rn(p), m), s);
      y = __hfma2(h2tanh(y), y, __habs2(y));
      norm[(size_t)r * n2 + k] = *(u32*)&y;
    }
    __syncthreads();
  }
}

// ---------------------------------------- lexical scanner: class and transition tables in constant memory, actions through a table of functions
union Token { struct { u32 kind : 3, length : 9, hash : 20; }; u32 word; };
struct Lexer { Token token; u32 emitted, digest; int depth; };
using Action = void (*)(Lexer&, u32 c, u32 state);
FAR void act_none(Lexer&, u32, u32) {}
FAR void act_begin(Lexer& l, u32 c, u32 state) { l.token.kind = state, l.token.length = 1, l.token.hash = c * 31; }
FAR void act_append(Lexer& l, u32 c, u32) { l.token.length = l.token.length + 1, l.token.hash = l.token.hash * 33 + c; }
FAR void act_emit(Lexer& l, u32, u32) { l.digest = cs::rotl(l.digest, 7) + l.token.word, l.emitted++; }
FAR void act_next(Lexer& l, u32 c, u32 state) { act_emit(l, c, state), act_begin(l, c, state); }
FAR void act_nest(Lexer& l, u32 c, u32 state) { l.depth += c & 1 ? -1 : 1; act_next(l, c, state); }
__device__ const Action kActions[6] = {act_none, act_begin, act_append, act_emit, act_next, act_nest};
struct Classes {
  u8 v[128];
  constexpr Classes() : v() {
    for (int c = 0; c < 128; c++) v[c] = c <= 32 ? 0 : (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ? 1 : c >= '0' && c <= '9' ? 2 : 7;
    v[(int)'"'] = 3, v[(int)'+'] = v[(int)'-'] = v[(int)'*'] = v[(int)'='] = 4, v[(int)'.'] = 5, v[(int)'('] = v[(int)')'] = 6;
  }
};
__constant__ Classes kClass = Classes();
__constant__ u8 kNext[6][8] = {                                 // [state][class]: action * 16 + next state
  {0x00, 0x11, 0x12, 0x14, 0x15, 0x13, 0x55, 0x00}, {0x30, 0x21, 0x21, 0x44, 0x45, 0x45, 0x55, 0x30}, {0x30, 0x41, 0x22, 0x44, 0x45, 0x23, 0x55, 0x30},
  {0x30, 0x41, 0x23, 0x44, 0x45, 0x45, 0x55, 0x30}, {0x24, 0x24, 0x24, 0x30, 0x24, 0x24, 0x24, 0x24}, {0x30, 0x41, 0x42, 0x44, 0x25, 0x43, 0x55, 0x30}};
K __launch_bounds__(256) k_lexer(const u32* in, u32* digest, u32* tally, int n, int words) {
  int i = gtid();
  if (i >= n) return;
  Lexer l{};
  u32 state = 0;
  for (int k = 0; k < words; k++) {
    u32 w = in[k * n + i];
    for (int b = 0; b < 3; b++, w >>= 8) {
      u32 c = 32 + (w & 127) % 95;
      u8 go = kNext[state][kClass.v[c]];
      state = go & 15;
      kActions[go >> 4](l, c, state);
    }
  }
  digest[i] = l.digest ^ l.token.word;
  tally[i] = l.emitted << 16 | (l.depth & 0xffff);
}

// ---------------------------------------- small algorithms over an array of each thread: heap sort, search, unique, permutations
template <class Less> FAR int ranked(cs::span<int> a, int probe, Less less) {
  cs::make_heap(a.begin(), a.end(), less);
  cs::sort_heap(a.begin(), a.end(), less);
  return (int)(cs::lower_bound(a.begin(), a.end(), probe, less) - a.begin());
}
DEV cs::optional<cs::tuple<int, int>> peak(cs::span<const int> a) {
  for (int k = 1; k + 1 < (int)a.size(); k++) if (a[k] > a[k - 1] && a[k] > a[k + 1]) return cs::tuple<int, int>(k, a[k]);
  return cs::nullopt;
}
K __launch_bounds__(128) k_small_sort(const int* in, int* sorted, u32* marks, int n) {
  int i = gtid();
  if (i >= n) return;
  cs::array<int, 20> a, b;
  for (int k = 0; k < 20; k++) a[k] = in[k * n + i] & 63, b[k] = in[k * n + i] >> 12;
  auto top = peak(a);
  u32 m = top ? cs::get<0>(*top) * 64 + cs::get<1>(*top) : 0;
  m = m * 31 + ranked(cs::span<int>(a.data(), 12 + (i & 7)), 30, cs::less<int>());
  m = m * 31 + ranked(b, 2000, [](int x, int y) { return (x ^ 5) > (y ^ 5); });
  auto end = cs::unique(a.begin(), a.begin() + 12);
  cs::rotate(a.begin(), a.begin() + cs::min(3 + (i & 3), (int)(end - a.begin())), end);
  cs::partial_sort(b.begin() + 4, b.begin() + 8, b.end());
  for (int k = 0; k < 5; k++) cs::next_permutation(a.begin() + 14, a.end());
  auto lim = cs::minmax_element(a.begin(), a.end());
  m = m * 31 + (u32)(end - a.begin()) * 7 + (u32)(lim.second - lim.first);
  for (int k = 0; k < 20; k++) sorted[k * n + i] = a[k] << 12 ^ b[(k + i) % 20];
  marks[i] = m;
}

// ---------------------------------------- universal codes of deltas packed into a bit stream by nested scans; tiles are copied one ahead
K __launch_bounds__(512) k_bit_pack(const int* in, u32* out, u32* bits, int tiles) {
  int* raw = (int*)smem_b;
  u32 *pack = (u32*)(raw + 2048), *total = pack + 768;
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto quad = cg::tiled_partition<4>(warp);
  auto octet = cg::tiled_partition<8>(warp);
  const int t = threadIdx.x;
  const int* src = in + (size_t)blockIdx.x * tiles * 1024;
  cg::memcpy_async(block, raw, src, sizeof(int) * 1024);
  for (int s = 0; s < tiles; s++) {
    if (s + 1 < tiles) {
      cg::memcpy_async(block, raw + ((s + 1) & 1) * 1024, src + (s + 1) * 1024, sizeof(int) * 1024);
      cg::wait_prior<1>(block);
    } else cg::wait(block);
    for (int k = t; k < 768; k += 512) pack[k] = 0;
    const int* v = raw + (s & 1) * 1024;
    int a = v[2 * t] & 0x3ff, b = v[2 * t + 1] & 0x3ff, before = t ? v[2 * t - 1] & 0x3ff : 0;
    int da = a - before, db = b - a;
    u32 ca = ((da << 1) ^ (da >> 31)) + 1, cb = ((db << 1) ^ (db >> 31)) + 1;             // fold the sign into the low bit
    int la = 2 * (32 - cs::countl_zero(ca)) - 1, lb = 2 * (32 - cs::countl_zero(cb)) - 1;
    int inside = cg::exclusive_scan(warp, la + lb);
    if (warp.thread_rank() == 31) total[warp.meta_group_rank()] = inside + la + lb;
    block.sync();
    if (warp.meta_group_rank() == 0) {
      auto half = cg::tiled_partition<16>(warp);
      if (half.meta_group_rank() == 0) total[16 + half.thread_rank()] = cg::inclusive_scan(half, total[half.thread_rank()]);
    }
    block.sync();
    int at = inside + (warp.meta_group_rank() ? total[15 + warp.meta_group_rank()] : 0);
    u64 word = (u64)ca << lb | cb;                              // la + lb is at most 46 bits
    u64 high = word << (64 - la - lb);
    int w = at / 32, sh = at % 32;
    const u32 piece[3] = {(u32)(high >> 32 >> sh), (u32)(high >> sh), __funnelshift_r(0, (u32)high, sh)};
    for (int k = 0; k < 3; k++) if (piece[k]) BlockRef<u32>(pack[w + k]).fetch_or(piece[k], cuda::memory_order_relaxed);
    u32 run = cg::inclusive_scan(quad, ca, cg::bit_xor<u32>()) + octet.ballot(da < 0) + octet.match_any(la) + cs::has_single_bit(cb) + cs::bit_ceil(cb);
    u32 mixed = cg::reduce(octet, run, cg::plus<u32>());
    block.sync();
    u32* dst = out + ((size_t)blockIdx.x * tiles + s) * 768;
    for (int k = t; k < 768; k += 512) dst[k] = pack[k];
    if (octet.thread_rank() == 0) bits[((size_t)blockIdx.x * tiles + s) * 64 + t / 8] = mixed ^ total[31] << 16;
    block.sync();
  }
}

static Arg IN(const char* s, size_t words, u32 seed) { return buf(s, words * 4, HASH_F32, seed); }
static Arg INTS(const char* s, size_t words, u32 seed) { return buf(s, words * 4, HASH_I32, seed); }
static Arg OUT(const char* s, size_t words) { return buf(s, words * 4, ZERO, 0, true); }
static std::string name(const char* s, int n) { return std::string(s) + "_" + std::to_string(n); }
#define NAMED(s, n) name(s, n).c_str()
static int up(int n, int b) { return (n + b - 1) / b; }
static void launches() {
  for (int n : {16347, 200007}) RUN(NAMED("option_greeks", n), k_option_greeks, up(n, 256), 256, 0, IN("in", 4 * n, 1), OUT("out", 7 * n), i32(n));
  for (int n : {2500, 33001}) RUN(NAMED("gamma_beta", n), k_gamma_beta, up(n, 128), 128, 0, IN("in", 2 * n, 2), OUT("out", 6 * n), i32(n));
  for (int n : {5003, 60000}) RUN(NAMED("sph_bessel", n), k_sph_bessel, up(n, 192), 192, 0, IN("in", 3 * n, 3), OUT("out", 3 * n), i32(n));
  for (int f : {200, 3000})
    RUN(NAMED("fft_frames", f), k_fft_frames, f / 4, 64, 0, IN("in", f * 128 + 256, 4), OUT("power", f * 128), OUT("centroid", f), i32(f), i32(128));
  for (int n : {1020, 12000}) RUN(NAMED("stack_vm", n), k_stack_vm, up(n, 64), 64, 0, INTS("in", n, 5), OUT("out", 2 * n), i32(n), i32(160));
  for (int h : {30, 121}) {
    int w = h * 5 / 3;
    RUN(NAMED("ray_march", h), k_ray_march, dim3(up(w, 16), up(h, 8)), dim3(16, 8), 0, OUT("image", w * h), i32(w), i32(h));
  }
  for (int n : {2400, 30001}) RUN(NAMED("prime_u128", n), k_prime_u128, up(n, 96), 96, 0, INTS("in", 2 * n, 6), OUT("prime", n), OUT("power", 2 * n), i32(n));
  for (int b : {16, 200})
    RUN(NAMED("align_dpx", b), k_align_dpx, b, 128, 32 * 96, INTS("query", b * 256, 7), INTS("ref", 16 * 96, 8), OUT("out", b * 256), i32(96), i32(2));
  for (int w : {90, 500}) RUN(NAMED("video_filter", w), k_video_filter, dim3(up(w, 32), up(w, 8)), dim3(32, 8), 0,
                              INTS("in", w * w, 9), OUT("median", w * w), OUT("edge", w * w), OUT("sad", w * w), i32(w), i32(w));
  for (int g : {33, 264}) {
    int r = g < 100 ? 2 : 7;
    RUN(NAMED("hash_refs", g), k_hash_refs, g, 320, 3 * 1021 * 4, INTS("in", g * r * 640, 10), OUT("out", g * r * 320), OUT("stats", 4), i32(r), i32(1021));
  }
  for (int g : {24, 220}) {
    int r = g < 100 ? 1 : 2;
    RUN(NAMED("root_queue", g), k_root_queue, g, 128, 0, IN("in", g * r * 6, 11), OUT("sums", g * r * 2), OUT("counts", g * r), i32(r));
  }
  for (int s : {510, 9001}) RUN(NAMED("lu_small", s), k_lu_small, up(s, 16), 64, 8192, IN("in", s * 72, 12), OUT("sol", s * 16), OUT("info", s * 4), i32(s));
  for (int n : {2100, 33000}) RUN(NAMED("dual_fit", n), k_dual_fit, up(n, 128), 128, 0, IN("in", 4 * n, 13), OUT("out", 4 * n), i32(n), i32(4));
  for (int n : {5100, 50000}) RUN(NAMED("kepler_orbit", n), k_kepler_orbit, up(n, 320), 320, 0, IN("in", 3 * n, 14), OUT("out", 6 * n), i32(n));
  for (int h : {48, 210})
    RUN(NAMED("fractals", h), k_fractals, dim3(up(h * 2, 32), up(h, 8)), dim3(32, 8), 0, OUT("image", h * h * 2), OUT("histogram", 5), i32(2 * h), i32(h));
  for (int n : {2200, 30001})
    RUN(NAMED("rigid_body", n), k_rigid_body, up(n, 128), 128, 0, IN("in", 12 * n, 15), OUT("state", 8 * n), OUT("contacts", n), i32(n), i32(6));
  for (int g : {32, 132}) {
    int c = g < 100 ? 5 : 20;
    RUN(NAMED("pipe_fir", g), k_pipe_fir, g, 256, 0, IN("in", g * c * 256 + 32, 16), OUT("out", g * c * 256), OUT("energy", g * c), i32(c));
  }
  for (int g : {20, 132}) {
    int t = g < 100 ? 5 : 24;
    RUN(NAMED("warp_roles", g), k_warp_roles, g, 288, 0, IN("in", g * t * 2048, 17), OUT("moments", g * t * 16), OUT("peaks", g * t * 8), i32(t));
  }
  for (int n : {18001, 250000})
    RUN(NAMED("group_by", n), k_group_by, n < 100000 ? 32 : 132, 192, 0, INTS("in", n, 18), OUT("table", 192), OUT("order", n), i32(n), i32(13));
  for (int g : {16, 66}) RUN(NAMED("list_heap", g), k_list_heap, g, 64, 0, INTS("in", g * 64, 19), OUT("out", g * 64), i32(g * 64 - 5), i32(g < 50 ? 1 : 4));
  for (int t : {40, 1200})
    RUN(NAMED("wmma_layers", t), k_wmma_layers, t < 100 ? 20 : 264, 128, 3 * 64 * 72 * 2 + 64 * 68 * 4,
        IN("in", t * 4096, 20), IN("weight", 8192, 21), OUT("out", t * 4096), i32(t));
  for (int r : {1000, 16003})
    RUN(NAMED("quant_dot", r), k_quant_dot, r < 2000 ? 32 : 264, 256, 0,
        IN("in", r * 256, 22), INTS("weight", 128, 23), OUT("out", 2 * r), OUT("raw", r), i32(r), i32(256));
  for (int r : {24, 400})
    RUN(NAMED("softmax_half", r), k_softmax_half, r < 100 ? 24 : 132, 1024, 2500 * 4,
        IN("in", r * 5000, 24), OUT("soft", r * 2500), OUT("norm", r * 2500), i32(r), i32(2500));
  for (int n : {4090, 60000}) RUN(NAMED("lexer", n), k_lexer, up(n, 256), 256, 0, INTS("in", 8 * n, 25), OUT("digest", n), OUT("tally", n), i32(n), i32(8));
  for (int n : {2111, 20000})
    RUN(NAMED("small_sort", n), k_small_sort, up(n, 128), 128, 0, INTS("in", 20 * n, 26), OUT("sorted", 20 * n), OUT("marks", n), i32(n));
  for (int g : {16, 132}) {
    int t = g < 100 ? 3 : 12;
    RUN(NAMED("bit_pack", g), k_bit_pack, g, 512, 8192 + 800 * 4, INTS("in", g * t * 1024, 27), OUT("out", g * t * 768), OUT("bits", g * t * 64), i32(t));
  }
}
}  // namespace idioms

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) { if (!strcmp(argv[i], "--skip-clock")) g_skip_clock = true; else g_filter = argv[i]; }
  float* w; CHECK(cudaMalloc(&w, 4)); spin_up<<<528, 256>>>(w, 200000); CHECK(cudaDeviceSynchronize());
  idioms::launches();
}
