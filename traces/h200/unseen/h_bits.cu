#include <cstdint>
#define K extern "C" __global__ void
__device__ uint32_t spread(uint32_t x) { x &= 0x3ff; x = (x | x << 16) & 0x30000ff; x = (x | x << 8) & 0x300f00f; x = (x | x << 4) & 0x30c30c3; x = (x | x << 2) & 0x9249249; return x; }
//! morton_keys 32 128 buffer:p:64KiB:hash_f32:1 buffer:o:16KiB:zero
K morton_keys(const float4* p, uint32_t* o) { int i = blockIdx.x * 128 + threadIdx.x; float4 v = p[i]; auto q = [](float x) { return (uint32_t)fminf(fmaxf((x + 50) * 10.24f, 0.f), 1023.f); }; o[i] = spread(q(v.x)) << 2 | spread(q(v.y)) << 1 | spread(q(v.z)); }
//! knight_moves 32 128 buffer:b:32KiB:hash_i32:2 buffer:o:16KiB:zero
K knight_moves(const uint64_t* b, int* o) {
  int i = blockIdx.x * 128 + threadIdx.x; uint64_t k = b[i]; int n = 0; uint64_t own = k;
  while (k) { int s = __ffsll(k) - 1; uint64_t x = 1ull << s, l1 = x >> 1 & 0x7f7f7f7f7f7f7f7full, l2 = x >> 2 & 0x3f3f3f3f3f3f3f3full, r1 = x << 1 & 0xfefefefefefefefeull, r2 = x << 2 & 0xfcfcfcfcfcfcfcfcull; uint64_t h1 = l1 | r1, h2 = l2 | r2; n += __popcll((h1 << 16 | h1 >> 16 | h2 << 8 | h2 >> 8) & ~own); k &= k - 1; }
  o[i] = n;
}
//! gray_walk 32 128 buffer:x:16KiB:hash_i32:3 buffer:o:16KiB:zero i32:16
K gray_walk(const uint32_t* x, uint32_t* o, int n) { int i = blockIdx.x * 128 + threadIdx.x; uint32_t v = x[i], s = 0; for (int k = 0; k < n; k++) { uint32_t g = v ^ v >> 1; s += __popc(g) * k; v = g; for (int d = 1; d < 32; d <<= 1) g ^= g >> d; s ^= g; v += 0x9e37; } o[i] = s; }
__device__ uint64_t mulmod(uint64_t a, uint64_t b, uint64_t m) { uint64_t hi = __umul64hi(a, b), lo = a * b; for (int k = 0; k < 8; k++) { hi = hi << 1 | lo >> 63; lo <<= 1; if (hi >= m) { hi -= m; lo |= 1; } } return hi % m; }
//! mulmod_chain 16 64 buffer:x:8KiB:hash_i32:4 buffer:o:8KiB:zero
K mulmod_chain(const uint64_t* x, uint64_t* o) { int i = blockIdx.x * 64 + threadIdx.x; uint64_t a = x[i], r = 1; for (int k = 0; k < 3; k++) { r = mulmod(r | 5, a, 0x1fffffffffffull); } o[i] = r; }
//! binary_gcd 32 128 buffer:a:16KiB:hash_i32:5 buffer:b:16KiB:hash_i32:6 buffer:o:16KiB:zero
K binary_gcd(const uint32_t* a, const uint32_t* b, uint32_t* o) { int i = blockIdx.x * 128 + threadIdx.x; uint32_t u = a[i], v = b[i]; if (!u || !v) { o[i] = u | v; return; } int s = __ffs(u | v) - 1; u >>= __ffs(u) - 1; do { v >>= __ffs(v) - 1; if (u > v) { uint32_t t = u; u = v; v = t; } v -= u; } while (v); o[i] = u << s; }
//! sieve_block 16 128 buffer:o:8KiB:zero i32:256
K sieve_block(int* o, int per) { __shared__ unsigned char f[2048]; int base = blockIdx.x * 2048; for (int k = threadIdx.x; k < 2048; k += 128) f[k] = 1; __syncthreads(); for (int p = 2 + threadIdx.x; p < per; p += 128) { int s = (base + p - 1) / p * p; if (s < p * p) s = p * p; for (int k = s - base; k < 2048; k += p) f[k] = 0; } __syncthreads(); int n = 0; for (int k = 0; k < 16; k++) n += f[threadIdx.x * 16 + k]; o[blockIdx.x * 128 + threadIdx.x] = n; }
//! soft_float_add 32 128 buffer:a:16KiB:hash_f32:7 buffer:b:16KiB:hash_f32:8 buffer:o:16KiB:zero
K soft_float_add(const uint32_t* a, const uint32_t* b, uint32_t* o) {
  int i = blockIdx.x * 128 + threadIdx.x; uint32_t x = a[i], y = b[i]; if ((x & 0x7fffffff) < (y & 0x7fffffff)) { uint32_t t = x; x = y; y = t; } int e = x >> 23 & 255, f = y >> 23 & 255; uint32_t m = (x & 0x7fffff) | 0x800000, n = (y & 0x7fffff) | 0x800000; m <<= 3; n <<= 3; int d = e - f; n = d > 26 ? 0 : n >> d;
  if ((x ^ y) >> 31) { m -= n; if (m == 0) { o[i] = 0; return; } int z = __clz(m) - 5; m <<= z; e -= z; } else { m += n; if (m >> 27) { m >>= 1; e++; } } o[i] = (x & 0x80000000) | e << 23 | (m >> 3 & 0x7fffff);
}
//! q15_biquads 16 128 buffer:x:64KiB:hash_i32:9 buffer:o:64KiB:zero i32:16
K q15_biquads(const short* x, short* o, int n) { int i = blockIdx.x * 128 + threadIdx.x; int x1 = 0, x2 = 0, y1 = 0, y2 = 0; for (int k = 0; k < n; k++) { int v = x[i * n + k]; int acc = 9000 * v + 12000 * x1 + 9000 * x2 - (-15000 * y1 + 7000 * y2); int y = acc + (1 << 14) >> 15; y = max(-32768, min(32767, y)); x2 = x1; x1 = v; y2 = y1; y1 = y; o[i * n + k] = (short)y; } }
//! base32_decode 16 128 buffer:i:32KiB:hash_i32:10 buffer:o:16KiB:zero
K base32_decode(const uint2* in, uint64_t* o) { int i = blockIdx.x * 128 + threadIdx.x; uint2 v = in[i]; uint64_t r = 0; bool bad = false; for (int k = 0; k < 8; k++) { int c = (k < 4 ? v.x >> 8 * k : v.y >> 8 * (k - 4)) & 255; int d; if (c >= 'A' && c <= 'Z') d = c - 'A'; else if (c >= '2' && c <= '7') d = c - '2' + 26; else { d = 0; bad = c > 250; } r = r << 5 | d; if (bad) break; } o[i] = bad ? ~0ull : r; }
//! fixed_sincos 32 128 buffer:x:16KiB:hash_i32:11 buffer:o:32KiB:zero
K fixed_sincos(const int* x, int2* o) { const int at[12] = {11520, 6801, 3593, 1824, 916, 458, 229, 115, 57, 29, 14, 7}; int i = blockIdx.x * 128 + threadIdx.x; int z = x[i] % 23040, c = 9949, s = 0; for (int k = 0; k < 12; k++) { int t = c; if (z >= 0) { c -= s >> k; s += t >> k; z -= at[k]; } else { c += s >> k; s -= t >> k; z += at[k]; } } o[i] = make_int2(c, s); }
//! days_to_date 32 128 buffer:d:16KiB:hash_i32:12 buffer:o:16KiB:zero
K days_to_date(const int* d, int* o) { int i = blockIdx.x * 128 + threadIdx.x; int z = d[i] % 100000 + 719468; int era = z / 146097, doe = z - era * 146097, yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153; int day = doy - (153 * mp + 2) / 5 + 1, m = mp < 10 ? mp + 3 : mp - 9; o[i] = (yoe + era * 400 + (m <= 2)) * 10000 + m * 100 + day; }
//! fft8_registers 32 64 buffer:x:128KiB:hash_f32:13
K fft8_registers(float2* x) {
  int i = blockIdx.x * 64 + threadIdx.x, n = gridDim.x * 64; float2 v[8];
  #pragma unroll
  for (int k = 0; k < 8; k++) v[k] = x[k * n + i];
  #pragma unroll
  for (int s = 4; s; s >>= 1)
    #pragma unroll
    for (int k = 0; k < 8; k++) if (!(k & s)) { float2 a = v[k], b = v[k + s]; v[k] = make_float2(a.x + b.x, a.y + b.y); float2 d = make_float2(a.x - b.x, a.y - b.y); int j = (k & (s - 1)) * (4 / s); const float c[4] = {1, .70710678f, 0, -.70710678f}, q[4] = {0, -.70710678f, -1, -.70710678f}; v[k + s] = make_float2(d.x * c[j] - d.y * q[j], d.x * q[j] + d.y * c[j]); }
  #pragma unroll
  for (int k = 0; k < 8; k++) x[k * n + i] = v[(k & 1) << 2 | (k & 2) | k >> 2];
}
//! haar_levels 16 128 buffer:x:16KiB:hash_f32:14
K haar_levels(float* x) { __shared__ float s[256]; int t = threadIdx.x; float* p = x + blockIdx.x * 256; s[t] = p[t]; s[t + 128] = p[t + 128]; for (int n = 128; n >= 1; n /= 2) { __syncthreads(); float a = 0, b = 0; if (t < n) { a = s[2 * t]; b = s[2 * t + 1]; } __syncthreads(); if (t < n) { s[t] = (a + b) * 0.70710678f; s[n + t] = (a - b) * 0.70710678f; } } __syncthreads(); p[t] = s[t]; p[t + 128] = s[t + 128]; }
//! knap_row 8 128 buffer:w:256:hash_i32:15 buffer:o:4KiB:zero i32:32
K knap_row(const int* w, int* o, int n) { __shared__ int a[2][512]; int t = threadIdx.x; for (int k = t; k < 512; k += 128) a[0][k] = 0; __syncthreads(); int c = 0; for (int j = 0; j < n; j++) { int wt = w[2 * j] % 60 + 1, v = w[2 * j + 1] & 255; for (int k = t; k < 512; k += 128) { int b = a[c][k]; if (k >= wt) b = max(b, a[c][k - wt] + v); a[c ^ 1][k] = b; } c ^= 1; __syncthreads(); } o[blockIdx.x * 128 + t] = a[c][t * 4]; }
//! two_level_loop 16 128 buffer:x:32KiB:hash_f32:16 buffer:o:8KiB:zero i32:6 i32:5
K two_level_loop(const float* x, float* o, int n, int m) { int i = blockIdx.x * 128 + threadIdx.x; float s = 0; for (int a = 0; a < n; a++) { float r = 0; for (int b = 0; b < m; b++) r += x[(i + a * 131 + b * 17) & 8191] * (a - b); s = s * 0.5f + r; } o[i] = s; }
