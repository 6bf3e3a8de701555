// Cryptography, coding, bioinformatics, search, random processes and tree-model inference.
#include <cstdint>
#include <cuda_runtime.h>

#define K extern "C" __global__ void

using u8 = uint8_t;
using u32 = uint32_t;
using u64 = unsigned long long;

// ===================================================================== SHA-256d nonce search
__constant__ u32 kSha[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__constant__ u32 kShaInit[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

__device__ __forceinline__ u32 rotr(u32 x, int n) { return __funnelshift_r(x, x, n); }

__device__ void sha256_block(u32 (&h)[8], u32 (&w)[16]) {
  u32 a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], hh = h[7];
#pragma unroll 16
  for (int t = 0; t < 64; ++t) {
    u32 wt;
    if (t < 16) {
      wt = w[t];
    } else {
      const u32 w15 = w[(t + 1) & 15], w2 = w[(t + 14) & 15];
      const u32 s0 = rotr(w15, 7) ^ rotr(w15, 18) ^ (w15 >> 3);
      const u32 s1 = rotr(w2, 17) ^ rotr(w2, 19) ^ (w2 >> 10);
      wt = w[t & 15] += s0 + w[(t + 9) & 15] + s1;
    }
    const u32 t1 = hh + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + kSha[t] + wt;
    const u32 t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    hh = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  h[0] += a; h[1] += b; h[2] += c; h[3] += d;
  h[4] += e; h[5] += f; h[6] += g; h[7] += hh;
}

//! sha256d_search 56 128 buffer:mid:64:hash_i32:1 buffer:tail:64:hash_i32:2 buffer:bestHash:64:hash_i32:3 buffer:hits:64:zero i32:1000 i32:2 i32:6
K sha256d_search(const u32* __restrict__ mid, const u32* __restrict__ tail, u32* bestHash, int* hits, int firstNonce,
                 int noncesPerThread, int zeroBits) {
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < noncesPerThread; ++k) {
    const u32 nonce = firstNonce + tid * noncesPerThread + k;
    u32 h[8], w[16];
    for (int i = 0; i < 8; ++i) h[i] = mid[i];
    w[0] = tail[0];
    w[1] = tail[1];
    w[2] = tail[2];
    w[3] = nonce;
    w[4] = 0x80000000u;
    for (int i = 5; i < 15; ++i) w[i] = 0;
    w[15] = 640;
    sha256_block(h, w);

    u32 h2[8];
    for (int i = 0; i < 8; ++i) {
      h2[i] = kShaInit[i];
      w[i] = h[i];
    }
    w[8] = 0x80000000u;
    for (int i = 9; i < 15; ++i) w[i] = 0;
    w[15] = 256;
    sha256_block(h2, w);

    if (__clz(h2[0]) >= zeroBits) {
      atomicAdd(hits, 1);
      atomicMin(&bestHash[0], h2[0]);
    }
  }
}

// ===================================================================== AES-128 CTR with a shared T-table
__constant__ u8 kSbox[256] = {
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76, 0xca, 0x82, 0xc9,
    0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0, 0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f,
    0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15, 0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07,
    0x12, 0x80, 0xe2, 0xeb, 0x27, 0xb2, 0x75, 0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6, 0xb3,
    0x29, 0xe3, 0x2f, 0x84, 0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58,
    0xcf, 0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8, 0x51, 0xa3,
    0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5, 0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2, 0xcd, 0x0c, 0x13, 0xec, 0x5f,
    0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73, 0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88,
    0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb, 0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac,
    0x62, 0x91, 0x95, 0xe4, 0x79, 0xe7, 0xc8, 0x37, 0x6d, 0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a,
    0xae, 0x08, 0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a, 0x70,
    0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e, 0xe1, 0xf8, 0x98, 0x11,
    0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf, 0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42,
    0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16};

__device__ __forceinline__ u32 rotl8(u32 x, int n) { return __funnelshift_l(x, x, 8 * n); }
__device__ __forceinline__ u32 byte_of(u32 x, int n) { return (x >> (8 * n)) & 255; }

struct AesState {
  u32 te[256];
  u8 sbox[256];
  u32 rk[44];
};

__device__ u32 te_column(const AesState& s, u32 a, u32 b, u32 c, u32 d) {
  return s.te[byte_of(a, 0)] ^ rotl8(s.te[byte_of(b, 1)], 1) ^ rotl8(s.te[byte_of(c, 2)], 2) ^
         rotl8(s.te[byte_of(d, 3)], 3);
}

__device__ u32 sub_column(const AesState& s, u32 a, u32 b, u32 c, u32 d) {
  return s.sbox[byte_of(a, 0)] | (s.sbox[byte_of(b, 1)] << 8) | (s.sbox[byte_of(c, 2)] << 16) |
         ((u32)s.sbox[byte_of(d, 3)] << 24);
}

//! aes128_ctr 44 256 buffer:plain:528KiB:hash_i32:4 buffer:cipher:528KiB:zero buffer:key:64:hash_i32:5 i32:33700 i32:77
K aes128_ctr(const uint4* __restrict__ plain, uint4* __restrict__ cipher, const u32* __restrict__ key, int blocks,
             int counter0) {
  __shared__ AesState s;
  if (threadIdx.x < 256) {
    const u32 x = kSbox[threadIdx.x];
    const u32 x2 = (x << 1) ^ ((x >> 7) * 0x11b);
    s.sbox[threadIdx.x] = (u8)x;
    s.te[threadIdx.x] = x2 | (x << 8) | (x << 16) | ((x2 ^ x) << 24);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    u32 rcon = 1;
    for (int i = 0; i < 4; ++i) s.rk[i] = key[i];
    for (int i = 4; i < 44; ++i) {
      u32 t = s.rk[i - 1];
      if (i % 4 == 0) {
        t = rotl8(t, 3);
        t = sub_column(s, t, t, t, t) ^ rcon;
        rcon = (rcon << 1) ^ ((rcon >> 7) * 0x11b);
      }
      s.rk[i] = s.rk[i - 4] ^ t;
    }
  }
  __syncthreads();

  for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < blocks; b += gridDim.x * blockDim.x) {
    const uint4 p = plain[b];
    u32 c0 = s.rk[0] ^ (u32)(counter0 + b), c1 = s.rk[1], c2 = s.rk[2] ^ 0x9e3779b9u, c3 = s.rk[3];
#pragma unroll
    for (int r = 1; r < 10; ++r) {
      const u32 t0 = te_column(s, c0, c1, c2, c3) ^ s.rk[4 * r];
      const u32 t1 = te_column(s, c1, c2, c3, c0) ^ s.rk[4 * r + 1];
      const u32 t2 = te_column(s, c2, c3, c0, c1) ^ s.rk[4 * r + 2];
      const u32 t3 = te_column(s, c3, c0, c1, c2) ^ s.rk[4 * r + 3];
      c0 = t0;
      c1 = t1;
      c2 = t2;
      c3 = t3;
    }
    uint4 o;
    o.x = p.x ^ sub_column(s, c0, c1, c2, c3) ^ s.rk[40];
    o.y = p.y ^ sub_column(s, c1, c2, c3, c0) ^ s.rk[41];
    o.z = p.z ^ sub_column(s, c2, c3, c0, c1) ^ s.rk[42];
    o.w = p.w ^ sub_column(s, c3, c0, c1, c2) ^ s.rk[43];
    cipher[b] = o;
  }
}

// ===================================================================== secp256k1: Jacobian point doubling
// Eight 32-bit limbs, little endian; p = 2^256 - 2^32 - 977.
struct Fe {
  u32 v[8];
};

__device__ __forceinline__ void fe_reduce_once(Fe& r, u32 carry) {
  // Fold carry * 2^256 = carry * (2^32 + 977).
  for (int pass = 0; pass < 2; ++pass) {
    u64 t = (u64)r.v[0] + (u64)carry * 977u;
    r.v[0] = (u32)t;
    t = (t >> 32) + r.v[1] + carry;
    r.v[1] = (u32)t;
#pragma unroll
    for (int i = 2; i < 8; ++i) {
      t = (t >> 32) + r.v[i];
      r.v[i] = (u32)t;
    }
    carry = (u32)(t >> 32);
  }
}

__device__ Fe fe_add(const Fe& a, const Fe& b) {
  Fe r;
  u64 t = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    t += (u64)a.v[i] + b.v[i];
    r.v[i] = (u32)t;
    t >>= 32;
  }
  fe_reduce_once(r, (u32)t);
  return r;
}

__device__ Fe fe_sub(const Fe& a, const Fe& b) {
  // a - b + p, borrow folded back.
  Fe r;
  long long t = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    t += (long long)a.v[i] - b.v[i];
    r.v[i] = (u32)t;
    t >>= 32;
  }
  if (t < 0) {
    t = (long long)r.v[0] - 977;
    r.v[0] = (u32)t;
    t = (t >> 32) + (long long)r.v[1] - 1;
    r.v[1] = (u32)t;
#pragma unroll
    for (int i = 2; i < 8; ++i) {
      t = (t >> 32) + (long long)r.v[i];
      r.v[i] = (u32)t;
    }
  }
  return r;
}

__device__ __noinline__ Fe fe_mul(const Fe& a, const Fe& b) {
  u32 w[16] = {};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    u64 carry = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const u64 t = (u64)a.v[i] * b.v[j] + w[i + j] + carry;
      w[i + j] = (u32)t;
      carry = t >> 32;
    }
    w[i + 8] = (u32)carry;
  }
  // r = low + high * (2^32 + 977)
  Fe r;
  u64 acc = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    acc += (u64)w[i + 8] * 977u + w[i];
    if (i > 0) acc += w[i + 7];
    r.v[i] = (u32)acc;
    acc >>= 32;
  }
  acc += w[15];
  const u32 top = (u32)acc, over = (u32)(acc >> 32);
  fe_reduce_once(r, top);
  r.v[1] += over;
  return r;
}

__device__ Fe fe_dbl(const Fe& a) { return fe_add(a, a); }

//! secp256k1_double 32 64 buffer:px:64KiB:hash_i32:6 buffer:py:64KiB:hash_i32:7 buffer:out:192KiB:zero i32:2000 i32:6
K secp256k1_double(const Fe* __restrict__ px, const Fe* __restrict__ py, Fe* __restrict__ out, int points,
                   int doublings) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points) return;
  Fe x = px[i], y = py[i], z = {{1}};
  for (int k = 0; k < doublings; ++k) {
    const Fe a = fe_mul(x, x);
    const Fe b = fe_mul(y, y);
    const Fe c = fe_mul(b, b);
    Fe d = fe_add(x, b);
    d = fe_sub(fe_sub(fe_mul(d, d), a), c);
    d = fe_dbl(d);
    const Fe e = fe_add(fe_dbl(a), a);
    const Fe f = fe_mul(e, e);
    z = fe_dbl(fe_mul(y, z));
    x = fe_sub(f, fe_dbl(d));
    y = fe_sub(fe_mul(e, fe_sub(d, x)), fe_dbl(fe_dbl(fe_dbl(c))));
  }
  out[3 * i] = x;
  out[3 * i + 1] = y;
  out[3 * i + 2] = z;
}

// ===================================================================== Viterbi decoder, K = 7, rate 1/2
//! viterbi_k7_soft 90 64 buffer:soft:90KiB:hash_i32:8 buffer:bits:2880:zero buffer:metric:360:zero i32:250
K viterbi_k7_soft(const int8_t* __restrict__ soft, u8* __restrict__ bits, int* __restrict__ metric, int steps) {
  constexpr int STATES = 64;
  constexpr int MAXT = 256;
  __shared__ int pm[2][STATES];
  __shared__ u32 decisions[MAXT][2];
  __shared__ u8 decoded[MAXT / 8];

  const int s = threadIdx.x;
  const int8_t* in = soft + blockIdx.x * 1024;
  // Predecessors of state s and the branch outputs (G = 171, 133 octal).
  const int p0 = (s << 1) & 63, p1 = p0 | 1;
  const int reg0 = ((s >> 5) << 6) | p0, reg1 = ((s >> 5) << 6) | p1;
  const int o00 = __popc(reg0 & 0171) & 1, o01 = __popc(reg0 & 0133) & 1;
  const int o10 = __popc(reg1 & 0171) & 1, o11 = __popc(reg1 & 0133) & 1;

  pm[0][s] = s == 0 ? 0 : -5000;
  if (s < MAXT / 8) decoded[s] = 0;
  __syncthreads();

  for (int t = 0; t < steps; ++t) {
    const int r0 = in[2 * t] - 32 * (t & 1), r1 = in[2 * t + 1];
    const int m0 = pm[t & 1][p0] + (o00 ? r0 : -r0) + (o01 ? r1 : -r1);
    const int m1 = pm[t & 1][p1] + (o10 ? r0 : -r0) + (o11 ? r1 : -r1);
    const bool take1 = m1 > m0;
    pm[(t + 1) & 1][s] = take1 ? m1 : m0;
    const u32 vote = __ballot_sync(0xffffffffu, take1);
    if ((s & 31) == 0) decisions[t][s >> 5] = vote;
    __syncthreads();
  }

  if (s == 0) {
    int state = 0, best = pm[steps & 1][0];
    for (int i = 1; i < STATES; ++i)
      if (pm[steps & 1][i] > best) {
        best = pm[steps & 1][i];
        state = i;
      }
    metric[blockIdx.x] = best;
    for (int t = steps - 1; t >= 0; --t) {
      if (state >> 5) decoded[t >> 3] |= (u8)(1 << (t & 7));
      const u32 d = (decisions[t][state >> 5] >> (state & 31)) & 1;
      state = ((state << 1) & 63) | d;
    }
  }
  __syncthreads();
  if (s < (steps + 7) / 8) bits[blockIdx.x * 32 + s] = decoded[s];
}

// ===================================================================== Smith-Waterman, affine gaps, warp wavefront
__constant__ signed char kBlosum62[20][20] = {
    {4, -1, -2, -2, 0, -1, -1, 0, -2, -1, -1, -1, -1, -2, -1, 1, 0, -3, -2, 0},
    {-1, 5, 0, -2, -3, 1, 0, -2, 0, -3, -2, 2, -1, -3, -2, -1, -1, -3, -2, -3},
    {-2, 0, 6, 1, -3, 0, 0, 0, 1, -3, -3, 0, -2, -3, -2, 1, 0, -4, -2, -3},
    {-2, -2, 1, 6, -3, 0, 2, -1, -1, -3, -4, -1, -3, -3, -1, 0, -1, -4, -3, -3},
    {0, -3, -3, -3, 9, -3, -4, -3, -3, -1, -1, -3, -1, -2, -3, -1, -1, -2, -2, -1},
    {-1, 1, 0, 0, -3, 5, 2, -2, 0, -3, -2, 1, 0, -3, -1, 0, -1, -2, -1, -2},
    {-1, 0, 0, 2, -4, 2, 5, -2, 0, -3, -3, 1, -2, -3, -1, 0, -1, -3, -2, -2},
    {0, -2, 0, -1, -3, -2, -2, 6, -2, -4, -4, -2, -3, -3, -2, 0, -2, -2, -3, -3},
    {-2, 0, 1, -1, -3, 0, 0, -2, 8, -3, -3, -1, -2, -1, -2, -1, -2, -2, 2, -3},
    {-1, -3, -3, -3, -1, -3, -3, -4, -3, 4, 2, -3, 1, 0, -3, -2, -1, -3, -1, 3},
    {-1, -2, -3, -4, -1, -2, -3, -4, -3, 2, 4, -2, 2, 0, -3, -2, -1, -2, -1, 1},
    {-1, 2, 0, -1, -3, 1, 1, -2, -1, -3, -2, 5, -1, -3, -1, 0, -1, -3, -2, -2},
    {-1, -1, -2, -3, -1, 0, -2, -3, -2, 1, 2, -1, 5, 0, -2, -1, -1, -1, -1, 1},
    {-2, -3, -3, -3, -2, -3, -3, -3, -1, 0, 0, -3, 0, 6, -4, -2, -2, 1, 3, -1},
    {-1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7, -1, -1, -4, -3, -2},
    {1, -1, 1, 0, -1, 0, 0, 0, -1, -2, -2, 0, -1, -2, -1, 4, 1, -3, -2, -2},
    {0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1, 5, -2, -2, 0},
    {-3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1, -4, -3, -2, 11, 2, -3},
    {-2, -2, -2, -3, -2, -1, -2, -3, 2, -1, -1, -2, -1, 3, -3, -2, -2, 2, 7, -1},
    {0, -3, -3, -3, -1, -2, -2, -3, -3, 3, 1, -2, 1, -1, -2, -2, 0, -3, -1, 4}};

//! sw_affine_blosum 34 128 buffer:query:1KiB:hash_i32:9 buffer:targets:180KiB:hash_i32:10 buffer:scores:1KiB:zero i32:134 i32:96 i32:140 i32:11 i32:1
K sw_affine_blosum(const int* __restrict__ query, const int* __restrict__ targets, int* __restrict__ scores,
                   int numTargets, int qlen, int tlen, int gapOpen, int gapExtend) {
  constexpr int MAXT = 256;
  __shared__ signed char profile[20][20];
  __shared__ short boundaryH[4][MAXT], boundaryF[4][MAXT];

  for (int i = threadIdx.x; i < 400; i += blockDim.x) profile[i / 20][i % 20] = kBlosum62[i / 20][i % 20];
  __syncthreads();

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int target = blockIdx.x * 4 + warp;
  if (target >= numTargets) return;
  const int* seq = targets + target * MAXT;

  for (int i = lane; i < tlen; i += 32) {
    boundaryH[warp][i] = 0;
    boundaryF[warp][i] = -1000;
  }
  __syncwarp();

  int best = 0;
  for (int q0 = 0; q0 < qlen; q0 += 32) {
    const int aa = query[q0 + lane] % 20;
    int h = 0, e = -1000, f = -1000, diag = 0;
    for (int step = 0; step < tlen + 31; ++step) {
      const int j = step - lane;
      int upH = __shfl_up_sync(0xffffffffu, h, 1);
      int upF = __shfl_up_sync(0xffffffffu, f, 1);
      if (j >= 0 && j < tlen) {
        if (lane == 0) {
          upH = boundaryH[warp][j];
          upF = boundaryF[warp][j];
        }
        e = max(e - gapExtend, h - gapOpen);
        f = max(upF - gapExtend, upH - gapOpen);
        const int match = diag + profile[aa][seq[j] % 20];
        h = max(max(match, 0), max(e, f));
        diag = upH;
        best = max(best, h);
        if (lane == 31) {
          boundaryH[warp][j] = (short)h;
          boundaryF[warp][j] = (short)f;
        }
      }
      __syncwarp();
    }
  }
  best = __reduce_max_sync(0xffffffffu, best);
  if (lane == 0) scores[target] = best;
}

// ===================================================================== N-queens: fixed prefix, explicit stack
//! nqueens_prefix 153 96 buffer:solutions:64:zero buffer:nodes:64:zero i32:11 i32:4
K nqueens_prefix(u64* solutions, u64* nodes, int n, int prefixRows) {
  constexpr int MAXN = 16;
  const u32 full = (1u << n) - 1;
  int code = blockIdx.x * blockDim.x + threadIdx.x;

  u32 cols = 0, left = 0, right = 0;
  int row = 0;
  u32 found = 0, visited = 0;
  bool ok = true;
  for (; row < prefixRows; ++row) {
    const u32 bit = 1u << (code % n);
    code /= n;
    if (bit & (cols | left | right)) {
      ok = false;
      break;
    }
    cols |= bit;
    left = ((left | bit) << 1) & full;
    right = (right | bit) >> 1;
  }
  if (code > 0) ok = false;

  if (ok) {
    u32 c[MAXN], l[MAXN], r[MAXN], avail[MAXN];
    int depth = prefixRows;
    c[depth] = cols;
    l[depth] = left;
    r[depth] = right;
    avail[depth] = full & ~(cols | left | right);
    while (depth >= prefixRows) {
      if (avail[depth] == 0) {
        --depth;
        continue;
      }
      const u32 bit = avail[depth] & (0u - avail[depth]);
      avail[depth] ^= bit;
      ++visited;
      if (depth + 1 == n) {
        ++found;
        continue;
      }
      c[depth + 1] = c[depth] | bit;
      l[depth + 1] = ((l[depth] | bit) << 1) & full;
      r[depth + 1] = (r[depth] | bit) >> 1;
      ++depth;
      avail[depth] = full & ~(c[depth] | l[depth] | r[depth]);
    }
  }
  found = __reduce_add_sync(0xffffffffu, found);
  visited = __reduce_add_sync(0xffffffffu, visited);
  if ((threadIdx.x & 31) == 0 && visited) {
    atomicAdd(solutions, (u64)found);
    atomicAdd(nodes, (u64)visited);
  }
}

// ===================================================================== Game of Life, 64 cells per word
struct Sum2 {
  u64 lo, hi;
};
__device__ __forceinline__ Sum2 half_add(u64 a, u64 b) { return {a ^ b, a & b}; }
__device__ __forceinline__ Sum2 full_add(u64 a, u64 b, u64 c) {
  const u64 x = a ^ b;
  return {x ^ c, (a & b) | (x & c)};
}

//! life_bitsliced64 30 16x32 buffer:world:120KiB:hash_i32:11 buffer:next:120KiB:zero buffer:alive:240:zero i32:24
K life_bitsliced64(const u64* __restrict__ world, u64* __restrict__ next, int* __restrict__ alive, int generations) {
  constexpr int W = 16, H = 32;
  __shared__ u64 grid[2][H][W];
  __shared__ int pop;

  const int x = threadIdx.x, y = threadIdx.y;
  const int at = (blockIdx.x * H + y) * W + x;
  const int xl = (x + W - 1) % W, xr = (x + 1) % W;
  const int yu = (y + H - 1) % H, yd = (y + 1) % H;

  grid[0][y][x] = world[at];
  if (x == 0 && y == 0) pop = 0;
  __syncthreads();

  for (int gen = 0; gen < generations; ++gen) {
    const u64(*g)[W] = grid[gen & 1];
    Sum2 rows[3];
    const int ys[3] = {yu, y, yd};
    u64 self = 0;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const u64 mid = g[ys[k]][x];
      const u64 west = (mid << 1) | (g[ys[k]][xl] >> 63);
      const u64 east = (mid >> 1) | (g[ys[k]][xr] << 63);
      if (k == 1) {
        self = mid;
        rows[k] = half_add(west, east);
      } else {
        rows[k] = full_add(west, mid, east);
      }
    }
    const Sum2 ones = full_add(rows[0].lo, rows[1].lo, rows[2].lo);
    const Sum2 twos = full_add(rows[0].hi, rows[1].hi, rows[2].hi);
    const Sum2 mids = half_add(ones.hi, twos.lo);
    const u64 two_or_three = mids.lo & ~(mids.hi | twos.hi);
    grid[(gen & 1) ^ 1][y][x] = two_or_three & (ones.lo | self);
    __syncthreads();
  }
  const u64 v = grid[generations & 1][y][x];
  next[at] = v;
  atomicAdd(&pop, __popcll(v));
  __syncthreads();
  if (x == 0 && y == 0) alive[blockIdx.x] = pop;
}

// ===================================================================== MRG32k3a driven 3-D random walk
class Mrg32k3a {
  long long s1[3], s2[3];

 public:
  __device__ explicit Mrg32k3a(const int* seed) {
    for (int i = 0; i < 3; ++i) {
      s1[i] = seed[i] + 1;
      s2[i] = seed[i + 3] + 1;
    }
  }
  __device__ float next() {
    const long long m1 = 4294967087LL, m2 = 4294944443LL;
    long long p1 = (1403580LL * s1[1] - 810728LL * s1[0]) % m1;
    if (p1 < 0) p1 += m1;
    s1[0] = s1[1];
    s1[1] = s1[2];
    s1[2] = p1;
    long long p2 = (527612LL * s2[2] - 1370589LL * s2[0]) % m2;
    if (p2 < 0) p2 += m2;
    s2[0] = s2[1];
    s2[1] = s2[2];
    s2[2] = p2;
    const long long d = p1 > p2 ? p1 - p2 : p1 - p2 + m1;
    return (float)d * 2.328306549e-10f;
  }
};

//! mrg_walk_exit 70 128 buffer:seeds:216KiB:hash_i32:12 buffer:exits:256:zero buffer:final:36KiB:zero i32:8900 i32:60 i32:5
K mrg_walk_exit(const int* __restrict__ seeds, int* exits, int* __restrict__ final, int walkers, int maxSteps,
                int radius) {
  __shared__ int hist[64];
  if (threadIdx.x < 64) hist[threadIdx.x] = 0;
  __syncthreads();
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w < walkers) {
    Mrg32k3a rng(seeds + w * 6);
    int pos[3] = {0, 0, 0};
    int step = 0;
    while (step < maxSteps) {
      const int dir = (int)(rng.next() * 6.f) % 6;
      pos[dir >> 1] += (dir & 1) ? 1 : -1;
      ++step;
      if (pos[0] * pos[0] + pos[1] * pos[1] + pos[2] * pos[2] >= radius * radius) break;
    }
    final[w] = (pos[0] & 255) | (pos[1] & 255) << 8 | (pos[2] & 255) << 16;
    atomicAdd(&hist[step & 63], 1);
  }
  __syncthreads();
  if (threadIdx.x < 64 && hist[threadIdx.x]) atomicAdd(&exits[threadIdx.x], hist[threadIdx.x]);
}

// ===================================================================== random forest classification
struct TreeNode {
  float threshold;
  u32 meta;  // feature index, leaf tag and class label
};

//! forest_vote 33 128 buffer:rows:528KiB:hash_f32:13 buffer:nodes:512KiB:hash_f32:14 buffer:pred:4224:zero buffer:margin:4224:zero i32:4150 i32:32 i32:14 i32:11
K forest_vote(const float* __restrict__ rows, const TreeNode* __restrict__ nodes, u8* __restrict__ pred,
              signed char* __restrict__ margin, int n, int features, int trees, int depth) {
  constexpr int CLASSES = 10;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float* x = rows + (size_t)i * features;

  int votes[CLASSES];
  for (int c = 0; c < CLASSES; ++c) votes[c] = 0;

  const int treeSize = 1 << depth;
  for (int t = 0; t < trees; ++t) {
    const TreeNode* tree = nodes + t * treeSize;
    int node = 1;
    u32 meta = 0;
    while (node < treeSize) {
      const TreeNode nd = tree[node];
      meta = nd.meta >> 5;
      if (node >= 16 && (meta & 7) == 0) break;  // early leaf
      const float v = x[meta % features];
      node = 2 * node + (v > nd.threshold * 0.5f ? 1 : 0);
    }
    ++votes[(meta + node) % CLASSES];
  }

  int best = 0, second = -1;
  for (int c = 1; c < CLASSES; ++c) {
    if (votes[c] > votes[best]) {
      second = best;
      best = c;
    } else if (second < 0 || votes[c] > votes[second]) {
      second = c;
    }
  }
  pred[i] = (u8)best;
  margin[i] = (signed char)(votes[best] - votes[second]);
}

// ===================================================================== gradient-boosting histogram, 4 features per block
//! gbdt_hist_u8x4 8x24 256 buffer:bins:768KiB:hash_i32:15 buffer:grad:96KiB:hash_f32:16 buffer:leaf:24KiB:hash_i32:17 buffer:hist:16KiB:zero i32:24100 i32:64 i32:3
K gbdt_hist_u8x4(const uchar4* __restrict__ bins, const float* __restrict__ grad, const u8* __restrict__ leaf,
                 int2* hist, int rows, int binsPerFeature, int leafMask) {
  constexpr int MAXB = 64;
  __shared__ int g[4][MAXB];
  __shared__ int cnt[4][MAXB];
  for (int i = threadIdx.x; i < 4 * MAXB; i += blockDim.x) {
    g[i / MAXB][i % MAXB] = 0;
    cnt[i / MAXB][i % MAXB] = 0;
  }
  __syncthreads();

  const uchar4* col = bins + (size_t)blockIdx.x * 24576;
  for (int r = blockIdx.y * blockDim.x + threadIdx.x; r < rows; r += gridDim.y * blockDim.x) {
    if ((leaf[r] & leafMask) == 1) continue;  // row belongs to another leaf
    const int q = __float2int_rn(grad[r] * 64.f);
    const uchar4 b = col[r];
    const u8 idx[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int f = 0; f < 4; ++f) {
      const int bin = idx[f] & (binsPerFeature - 1);
      atomicAdd(&g[f][bin], q);
      atomicAdd(&cnt[f][bin], 1);
    }
  }
  __syncthreads();

  for (int i = threadIdx.x; i < 4 * binsPerFeature; i += blockDim.x) {
    const int f = i / binsPerFeature, b = i % binsPerFeature;
    if (cnt[f][b] == 0) continue;
    int2* h = hist + (blockIdx.x * 4 + f) * MAXB + b;
    atomicAdd(&h->x, g[f][b]);
    atomicAdd(&h->y, cnt[f][b]);
  }
}

// ===================================================================== brute-force k nearest neighbours
template <int KNN>
struct Nearest {
  float dist[KNN];
  int id[KNN];
  __device__ void clear() {
#pragma unroll
    for (int i = 0; i < KNN; ++i) {
      dist[i] = 3.4e38f;
      id[i] = -1;
    }
  }
  __device__ void offer(float d, int who) {
    if (d >= dist[KNN - 1]) return;
    dist[KNN - 1] = d;
    id[KNN - 1] = who;
#pragma unroll
    for (int i = KNN - 1; i > 0; --i) {
      if (dist[i] < dist[i - 1]) {
        const float td = dist[i];
        dist[i] = dist[i - 1];
        dist[i - 1] = td;
        const int ti = id[i];
        id[i] = id[i - 1];
        id[i - 1] = ti;
      }
    }
  }
};

//! knn_bruteforce5 38 64 buffer:queries:152KiB:hash_f32:18 buffer:refs:48KiB:hash_f32:19 buffer:idx:48640:zero buffer:dist:48640:zero i32:2400 i32:500
K knn_bruteforce5(const float4* __restrict__ queries, const float4* __restrict__ refs, int* __restrict__ idx,
                  float* __restrict__ dist, int nq, int nr) {
  constexpr int DIM4 = 4, TILE = 64, KNN = 5;
  __shared__ float4 tile[TILE][DIM4];
  const int q = blockIdx.x * blockDim.x + threadIdx.x;

  float4 me[DIM4];
#pragma unroll
  for (int d = 0; d < DIM4; ++d) me[d] = queries[min(q, nq - 1) * DIM4 + d];

  Nearest<KNN> heap;
  heap.clear();
  for (int r0 = 0; r0 < nr; r0 += TILE) {
    const int count = min(TILE, nr - r0);
    for (int i = threadIdx.x; i < count * DIM4; i += blockDim.x) tile[i / DIM4][i % DIM4] = refs[r0 * DIM4 + i];
    __syncthreads();
    for (int r = 0; r < count; ++r) {
      float s = 0.f;
#pragma unroll
      for (int d = 0; d < DIM4; ++d) {
        const float4 v = tile[r][d];
        const float a = v.x - me[d].x, b = v.y - me[d].y, c = v.z - me[d].z, e = v.w - me[d].w;
        s += a * a + b * b + c * c + e * e;
      }
      heap.offer(s, r0 + r);
    }
    __syncthreads();
  }
  if (q >= nq) return;
#pragma unroll
  for (int i = 0; i < KNN; ++i) {
    idx[q * KNN + i] = heap.id[i];
    dist[q * KNN + i] = sqrtf(heap.dist[i]);
  }
}

// ===================================================================== MinHash + SimHash of token shingles, warp per document
__device__ __forceinline__ u64 splitmix64(u64 x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

//! minhash_simhash_warp 65 160 buffer:tokens:325KiB:hash_i32:20 buffer:lens:1300:hash_i32:21 buffer:sig:83200:zero buffer:sim:2600:zero i32:320 i32:4
K minhash_simhash_warp(const int* __restrict__ tokens, const int* __restrict__ lens, u32* __restrict__ sig,
                       u64* __restrict__ sim, int docs, int shingle) {
  constexpr int CAP = 256;
  const int doc = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (doc >= docs) return;
  const int len = 32 + lens[doc] % (CAP - 32);
  const int* text = tokens + doc * CAP;

  u32 best0 = 0xffffffffu, best1 = 0xffffffffu;
  int ballotLo = 0, ballotHi = 0;
  const u32 mul0 = 2 * (u32)splitmix64(lane) + 1, mul1 = 2 * (u32)splitmix64(lane + 32) + 1;

  for (int base = 0; base + shingle <= len; base += 32) {
    const int start = base + lane;
    const bool live = start + shingle <= len;
    u64 h = 1469598103934665603ull;
    if (live)
      for (int j = 0; j < shingle; ++j) h = (h ^ (u64)(text[start + j] & 0xfff)) * 1099511628211ull;
    h = splitmix64(h);
    const int n = min(32, len - shingle + 1 - base);
    for (int j = 0; j < n; ++j) {
      const u64 hj = __shfl_sync(0xffffffffu, h, j);
      const u32 folded = (u32)(hj ^ (hj >> 32));
      best0 = min(best0, folded * mul0);
      best1 = min(best1, folded * mul1);
      ballotLo += ((hj >> lane) & 1) ? 1 : -1;
      ballotHi += ((hj >> (lane + 32)) & 1) ? 1 : -1;
    }
  }
  sig[doc * 64 + lane] = best0;
  sig[doc * 64 + 32 + lane] = best1;
  const u32 lo = __ballot_sync(0xffffffffu, ballotLo > 0);
  const u32 hi = __ballot_sync(0xffffffffu, ballotHi > 0);
  if (lane == 0) sim[doc] = ((u64)hi << 32) | lo;
}
