// Kernels for clang's NVPTX back end alone: no CUDA headers, no libdevice, the target's own builtins.
#define K extern "C" __attribute__((global)) void
#define DEV __attribute__((device)) inline
#define FAR __attribute__((device)) __attribute__((noinline))
#define SHARED __attribute__((shared))
#define CONST __attribute__((constant))
typedef unsigned u32;
typedef unsigned long long u64;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned __int128 u128;
#define TX __nvvm_read_ptx_sreg_tid_x()
#define TY __nvvm_read_ptx_sreg_tid_y()
#define BX __nvvm_read_ptx_sreg_ctaid_x()
#define BY __nvvm_read_ptx_sreg_ctaid_y()
#define NX __nvvm_read_ptx_sreg_ntid_x()
#define NY __nvvm_read_ptx_sreg_ntid_y()
#define GX __nvvm_read_ptx_sreg_nctaid_x()
#define SYNC() __nvvm_bar_sync(0)
DEV int gtid() { return BX * NX + TX; }
DEV int shfl_down(int v, int d) { return __nvvm_shfl_sync_down_i32(0xffffffff, v, d, 31); }
DEV int shfl_up(int v, int d) { return __nvvm_shfl_sync_up_i32(0xffffffff, v, d, 0); }
DEV float shfl_xor(float v, int m) { return __nvvm_shfl_sync_bfly_f32(0xffffffff, v, m, 31); }
DEV double as_double(u64 v) { double d; __builtin_memcpy(&d, &v, 8); return d; }
DEV u64 as_u64(double v) { u64 d; __builtin_memcpy(&d, &v, 8); return d; }

// ---------------------------------------- a 7-point stencil in three dimensions, marching through z with registers and a shared plane
K k_cl_stencil3d(float* out, const float* in, int nx, int ny, int nz) {
  SHARED static float plane[10][34];
  int x = BX * 32 + TX, y = BY * 8 + TY;
  int cx = x < nx ? x : nx - 1, cy = y < ny ? y : ny - 1;
  float below = 0, here = in[cy * nx + cx], above;
  for (int z = 0; z < nz; z++) {
    above = z + 1 < nz ? in[((z + 1) * ny + cy) * nx + cx] : 0.0f;
    plane[TY + 1][TX + 1] = here;
    if (TX == 0) plane[TY + 1][0] = cx > 0 ? in[(z * ny + cy) * nx + cx - 1] : 0.0f;
    if (TX == 31) plane[TY + 1][33] = cx + 1 < nx ? in[(z * ny + cy) * nx + cx + 1] : 0.0f;
    if (TY == 0) plane[0][TX + 1] = cy > 0 ? in[(z * ny + cy - 1) * nx + cx] : 0.0f;
    if (TY == 7) plane[9][TX + 1] = cy + 1 < ny ? in[(z * ny + cy + 1) * nx + cx] : 0.0f;
    SYNC();
    float s = plane[TY + 1][TX] + plane[TY + 1][TX + 2] + plane[TY][TX + 1] + plane[TY + 2][TX + 1] + below + above;
    if (x < nx && y < ny) out[(z * ny + y) * nx + x] = here * 0.4f + s * 0.1f;
    SYNC();
    below = here, here = above;
  }
}

// ---------------------------------------- compensated sums and extremes of rows in double precision, a tree in shared memory
struct Stat { double sum, comp, low, high; };
FAR Stat merge(Stat a, Stat b) {                                   // both by value, as a real call
  double t = a.sum + b.sum, z = t - a.sum;
  double e = (a.sum - (t - z)) + (b.sum - z);
  return {t, a.comp + b.comp + e, a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}
K k_cl_reduce_f64(double* out, const float* in, int rows, int cols) {
  SHARED static Stat part[128];
  for (int r = BX; r < rows; r += GX) {
    Stat s = {0, 0, 1e300, -1e300};
    for (int c = TX; c < cols; c += NX) {
      double v = (double)in[r * cols + c] / 3.0 + 1e-9;
      s = merge(s, {v, 0, v, v});
    }
    part[TX] = s;
    SYNC();
    for (int d = NX / 2; d > 0; d >>= 1) {
      if (TX < d) part[TX] = merge(part[TX], part[TX + d]);
      SYNC();
    }
    if (TX == 0) {
      Stat t = part[0];
      out[r * 3] = (t.sum + t.comp) / cols, out[r * 3 + 1] = __builtin_sqrt(t.high - t.low), out[r * 3 + 2] = t.low * t.high;
    }
    SYNC();
  }
}

// ---------------------------------------- probes of a hash table: buckets of eight words, displaced by double hashing
DEV u32 mix(u32 x) { x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU; return x ^ x >> 16; }
K k_cl_hash_probe(u32* found, u32* hits, const u32* table, const u32* keys, int n, u32 mask, int limit) {
  int i = gtid();
  u32 lucky = 0;
  if (i < n) {
    u32 key = keys[i] & 0xff, h = mix(keys[i]), step = (h >> 20) | 1, at = h, k = 0, where = ~0u;
    for (; k < limit; k++, at += step) {
      const u32* b = table + (at & mask) * 8;
      u32 w = 0;
#pragma clang loop unroll(disable)
      for (; w < 8; w++) if ((b[w] & 0xff) == key) break;
      if (w < 8) { where = (at & mask) * 8 + w; break; }
      if ((b[7] & 31) == 0) break;
    }
    found[i] = where ^ k << 28;
    lucky = where != ~0u;
  }
  u32 votes = __nvvm_vote_ballot_sync(0xffffffff, lucky);
  if ((TX & 31) == 0 && votes) __nvvm_atom_add_gen_i((int*)hits + (votes & 3), __builtin_popcount(votes));
}

// ---------------------------------------- a machine of bytes: the switch becomes a jump table
struct Word { u16 base, turn; };                                    // a kernel argument by value of 32 bits
K k_cl_switch_vm(u32* out, const u32* code, int n, int steps, Word seed) {
  int i = gtid();
  if (i >= n) return;
  u32 a = seed.base + i, b = seed.turn, c = 1, pc = i & 63;
  u32 stack[8];
  for (int k = 0; k < 8; k++) stack[k] = k * i;
  u32 sp = 0;
  for (int s = 0; s < steps; s++) {
    u32 w = code[pc & 1023];
    pc++;
    switch (w & 15) {
      case 0: a += b ^ w; break;
      case 1: b = a * 31 + c; break;
      case 2: c ^= b >> 3; break;
      case 3: stack[sp++ & 7] = a; break;
      case 4: a ^= stack[--sp & 7]; break;
      case 5: pc += (a & 1) ? w >> 20 : 0; break;
      case 6: b = (b << 7) | (b >> 25); break;
      case 7: c = a > b ? a - b : b - a; break;
      case 8: a = a / ((b & 255) + 1) + c; break;
      case 9: b = __builtin_popcount(a) * c + w; break;
      case 10: c += __builtin_clz(a | 1); break;
      case 11: a = __builtin_bitreverse32(b); break;
      case 12: { u32 t = a; a = c, c = b, b = t; } break;
      case 13: b %= (c | 1) & 1023; break;
      case 14: a = __builtin_bswap32(a) + (w >> 4); break;
      default: c = c * 1664525u + 1013904223u;
    }
  }
  out[i] = a ^ b * 3 ^ c * 5 ^ stack[i & 7] ^ sp << 24;
}

// ---------------------------------------- strong pseudoprimes by Montgomery products of 64 bits in 128
DEV u64 redc(u128 t, u64 n, u64 inv) {
  u64 q = (u64)t * inv;
  i64 r = (i64)((u64)(t >> 64) - (u64)(((u128)q * n) >> 64));
  return r < 0 ? (u64)r + n : (u64)r;
}
FAR u64 power(u64 base, u64 e, u64 n, u64 inv, u64 one) {
  u64 r = one;
  for (; e; e >>= 1) {
    if (e & 1) r = redc((u128)r * base, n, inv);
    base = redc((u128)base * base, n, inv);
  }
  return r;
}
CONST u64 kWitness[5] = {2, 3, 5, 7, 11};
K k_cl_primes_u128(u32* prime, u64* root, const u32* in, int count) {
  int i = gtid();
  if (i >= count) return;
  u64 n = ((u64)(in[2 * i] & 0x3fffff) << 24 | in[2 * i + 1]) | 1 | 1ull << 45;          // odd, below 2^46
  u64 inv = n;
  for (int k = 0; k < 5; k++) inv *= 2 - n * inv;
  u64 one = (~0ull % n) + 1;                                                             // 2^64 mod n
  if (one == n) one = 0;
  u64 d = n - 1, s = 0, last = 0;
  while (!(d & 1)) d >>= 1, s++;
  u32 ok = 1;
  for (int w = 0; w < 5 && ok; w++) {
    u64 a = 0;
    for (u64 k = 0; k < kWitness[w]; k++) { a += one; if (a >= n) a -= n; }
    u64 x = power(a, d, n, inv, one);
    last = x;
    if (x == one || x == n - one) continue;
    u32 strong = 0;
    for (u64 r = 1; r < s; r++) {
      x = redc((u128)x * x, n, inv);
      if (x == n - one) { strong = 1; break; }
    }
    ok = strong;
  }
  prime[i] = ok;
  root[i] = last;
}

// ---------------------------------------- eigenvalues of symmetric 3 x 3 matrices: Jacobi rotations in double precision, matrices by value and reference
struct Mat { double a[3][3]; };
struct Turn { double c, s; };
FAR Turn turn(double p, double q, double r) {
  if (__builtin_fabs(r) < 1e-14) return {1, 0};
  double t = (q - p) / (2 * r), u = 1 / (__builtin_fabs(t) + __builtin_sqrt(t * t + 1));
  u = t < 0 ? -u : u;
  double c = 1 / __builtin_sqrt(u * u + 1);
  return {c, u * c};
}
template <int P, int Q> DEV void rotate(Mat& m) {
  Turn t = turn(m.a[P][P], m.a[Q][Q], m.a[P][Q]);
#pragma unroll
  for (int k = 0; k < 3; k++) {
    double x = m.a[k][P], y = m.a[k][Q];
    m.a[k][P] = t.c * x - t.s * y, m.a[k][Q] = t.s * x + t.c * y;
  }
#pragma unroll
  for (int k = 0; k < 3; k++) {
    double x = m.a[P][k], y = m.a[Q][k];
    m.a[P][k] = t.c * x - t.s * y, m.a[Q][k] = t.s * x + t.c * y;
  }
}
FAR double trace_of(Mat m) { return m.a[0][0] * m.a[1][1] + m.a[1][1] * m.a[2][2] + m.a[2][2] * m.a[0][0] - m.a[0][1] * m.a[0][1]; }
K k_cl_jacobi3(double* eig, const float* in, int n, int sweeps) {
  int i = gtid();
  if (i >= n) return;
  double v[6];
  for (int k = 0; k < 6; k++) v[k] = in[k * n + i];
  Mat m = {{{v[0], v[3], v[4]}, {v[3], v[1], v[5]}, {v[4], v[5], v[2]}}};
  for (int s = 0; s < sweeps; s++) rotate<0, 1>(m), rotate<0, 2>(m), rotate<1, 2>(m);
  double a = m.a[0][0], b = m.a[1][1], c = m.a[2][2], t;
  if (a > b) t = a, a = b, b = t;
  if (b > c) t = b, b = c, c = t;
  if (a > b) t = a, a = b, b = t;
  eig[4 * i] = a, eig[4 * i + 1] = b, eig[4 * i + 2] = c, eig[4 * i + 3] = trace_of(m);
}

// ---------------------------------------- radix sort of a block's keys in shared memory, scans by warp shuffles
K k_cl_radix_block(u32* out, const u32* in, int n) {
  SHARED static u32 keys[2][256];
  SHARED static int warps[8];
  int i = gtid();
  keys[0][TX] = i < n ? in[i] : 0xffffffff;
  SYNC();
  int cur = 0;
  for (int bit = 0; bit < 24; bit++) {
    u32 k = keys[cur][TX];
    int one = k >> bit & 1, scan = one;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
      int v = shfl_up(scan, d);
      if ((TX & 31) >= d) scan += v;
    }
    if ((TX & 31) == 31) warps[TX / 32] = scan;
    SYNC();
    int before = 0, all = 0;
#pragma unroll
    for (int w = 0; w < 8; w++) { if (w < TX / 32) before += warps[w]; all += warps[w]; }
    int ones = before + scan - one, at = one ? 256 - all + ones : TX - ones;
    keys[cur ^ 1][at] = k;
    cur ^= 1;
    SYNC();
  }
  if (i < n) out[i] = keys[cur][TX];
}

// ---------------------------------------- ChaCha and SipHash: rotations of 32 and 64 bits
DEV u32 rot(u32 x, int r) { return __builtin_rotateleft32(x, r); }
DEV u64 rot(u64 x, int r) { return __builtin_rotateleft64(x, r); }
DEV void quarter(u32& a, u32& b, u32& c, u32& d) {
  a += b, d = rot(d ^ a, 16), c += d, b = rot(b ^ c, 12), a += b, d = rot(d ^ a, 8), c += d, b = rot(b ^ c, 7);
}
FAR u64 sip(const u32* m, int words, u64 k0, u64 k1) {
  u64 v0 = k0 ^ 0x736f6d6570736575ull, v1 = k1 ^ 0x646f72616e646f6dull, v2 = k0 ^ 0x6c7967656e657261ull, v3 = k1 ^ 0x7465646279746573ull;
  for (int w = 0; w < words; w++) {
    u64 x = m[w] | (u64)w << 32;
    v3 ^= x;
    for (int r = 0; r < 2; r++) {
      v0 += v1, v1 = rot(v1, 13) ^ v0, v0 = rot(v0, 32), v2 += v3, v3 = rot(v3, 16) ^ v2;
      v0 += v3, v3 = rot(v3, 21) ^ v0, v2 += v1, v1 = rot(v1, 17) ^ v2, v2 = rot(v2, 32);
    }
    v0 ^= x;
  }
  return v0 ^ v1 ^ v2 ^ v3;
}
K k_cl_chacha(u32* out, u64* tag, const u32* key, int n, int rounds) {
  int i = gtid();
  if (i >= n) return;
  u32 s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, key[0], key[1], key[2], key[3], key[4], key[5], key[6], key[7], (u32)i, 0, key[8], key[9]}, x[16];
#pragma unroll
  for (int k = 0; k < 16; k++) x[k] = s[k];
  for (int r = 0; r < rounds; r += 2) {
    quarter(x[0], x[4], x[8], x[12]), quarter(x[1], x[5], x[9], x[13]), quarter(x[2], x[6], x[10], x[14]), quarter(x[3], x[7], x[11], x[15]);
    quarter(x[0], x[5], x[10], x[15]), quarter(x[1], x[6], x[11], x[12]), quarter(x[2], x[7], x[8], x[13]), quarter(x[3], x[4], x[9], x[14]);
  }
#pragma unroll
  for (int k = 0; k < 16; k++) out[i * 16 + k] = x[k] + s[k];
  tag[i] = sip(out + i * 16, 16, key[10], key[11]);
}

// ---------------------------------------- softmax of rows with the special functions' builtins and butterflies, four rows a block
K k_cl_softmax_warp(float* out, float* entropy, const float* in, int rows, int cols) {
  int lane = TX & 31;
  for (int r = BX * 4 + TX / 32; r < rows; r += GX * 4) {
    const float* x = in + r * cols;
    float top = -3e38f, sum = 0, dot = 0;
    for (int c = lane; c < cols; c += 32) top = __nvvm_fmax_f(top, x[c]);
#pragma unroll
    for (int d = 16; d; d >>= 1) top = __nvvm_fmax_f(top, shfl_xor(top, d));
    for (int c = lane; c < cols; c += 32) {
      float z = (x[c] - top) * 0.14426950f, e = __nvvm_ex2_approx_ftz_f(z);
      sum += e, dot = __nvvm_fma_rn_f(e, z, dot);
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += shfl_xor(sum, d), dot += shfl_xor(dot, d);
    float inv = __nvvm_rcp_approx_ftz_f(sum);
    for (int c = lane; c < cols; c += 32) out[r * cols + c] = __nvvm_ex2_approx_ftz_f((x[c] - top) * 0.14426950f) * inv;
    if (lane == 0) entropy[r] = __nvvm_lg2_approx_ftz_f(sum) - dot * inv + __nvvm_sin_approx_f(top) * __nvvm_rsqrt_approx_f(sum);
  }
}

// ---------------------------------------- fixed-point waves in 64-bit integers: division, remainder, arithmetic shifts, conversions to and from double
K k_cl_fixed64(i64* out, u32* digits, const int* in, int n, int terms) {
  int i = gtid();
  if (i >= n) return;
  i64 x = ((i64)in[i] << 8) - (1ll << 31), one = 1ll << 32, term = one, sum = 0;
  for (int k = 1; k <= terms; k++) {                                // the exponential's series
    sum += term;
    term = (i64)(((__int128)term * x) >> 32) / k;
  }
  u64 v = (u64)(sum < 0 ? -sum : sum);
  u32 d = 0;
  for (int k = 0; k < 10; k++) d = d * 7 + (u32)(v % 10), v /= 10;  // decimal digits
  double f = (double)sum * 2.3283064365386963e-10;
  i64 g = (i64)(f * 1e6) % 1000003;
  out[i] = sum ^ g << 40 ^ (i64)(as_u64(f + 1.5) >> 30);
  digits[i] = d;
}
