// A medley of kernels, written after `sundry` and run before the model was changed again: serving and training of language
// models, lattices and solvers, random numbers, tables and text, graphs, images, video and sound, games and small machines.
#include "harness.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#define GLOBAL_X (blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_Y (blockIdx.y * blockDim.y + threadIdx.y)
typedef unsigned long long u64;
static __device__ __forceinline__ float uniform(uint32_t r) { return (r >> 8) * 5.9604645e-8f; }
static __device__ __forceinline__ uint32_t ordered(float v) { uint32_t u = __float_as_uint(v); return u ^ (u >> 31 ? ~0u : 1u << 31); }   // floats in the order of their bits
static __device__ __forceinline__ __half2 halves(uint32_t v) { v = (v * 0x9e3779b1u & 0x8fff8fffu) | 0x30003000u; return *(__half2*)&v; }   // of either sign, from 1/8 to 2
static __device__ __forceinline__ __nv_bfloat162 brains(uint32_t v) { v = (v * 0x9e3779b1u & 0x80ff80ffu) | 0x3f003f00u; return *(__nv_bfloat162*)&v; }   // of either sign, from 1/2 to 2
template <typename T> static __device__ __forceinline__ uint32_t word_of(T v) { return *(uint32_t*)&v; }
template <typename T> static __device__ __forceinline__ T sum_of_lanes(T v) { for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); return v; }
static __device__ __forceinline__ int scan_of_warp(int v) { for (int o = 1; o < 32; o <<= 1) { int u = __shfl_up_sync(~0u, v, o); if ((threadIdx.x & 31) >= o) v += u; } return v; }

// ---------------------------------------------------------------- serving language models
K k_rope_to_pages(const uint32_t* key, const int* position, const int* table, const float4* turn, uint32_t* cache, int heads) {   // keys rotated by halves of 128 and stored into pages of 16 tokens, a head a warp
  int token = blockIdx.x, head = threadIdx.y, lane = threadIdx.x, p = position[token] & 1023; const uint32_t* k = key + ((size_t)token * heads + head) * 64;
  float2 a = __half22float2(halves(k[lane])), b = __half22float2(halves(k[lane + 32])); float4 c = turn[p * 32 + lane]; c.x *= 0.02f; c.y *= 0.02f; c.z *= 0.02f; c.w *= 0.02f;
  uint32_t* o = cache + (((size_t)table[token >> 4] * heads + head) * 16 + (token & 15)) * 64;
  o[lane] = word_of(__floats2half2_rn(a.x * c.x - b.x * c.y, a.y * c.z - b.y * c.w)); o[lane + 32] = word_of(__floats2half2_rn(b.x * c.x + a.x * c.y, b.y * c.z + a.y * c.w));
}
K k_residual_norm_bf16(const uint4* x, uint4* residual, const uint4* weight, uint4* out) {   // sum of both, then its root mean square, 5,120 values a block of 160 threads
  __shared__ float part[5]; int t = threadIdx.x; x += (size_t)blockIdx.x * 640; residual += (size_t)blockIdx.x * 640; out += (size_t)blockIdx.x * 640; __nv_bfloat162 v[16]; float s = 0;
  #pragma unroll
  for (int k = 0; k < 4; k++) {
    uint4 a = x[k * 160 + t], b = residual[k * 160 + t]; v[4 * k] = __hadd2(brains(a.x), brains(b.x)); v[4 * k + 1] = __hadd2(brains(a.y), brains(b.y)); v[4 * k + 2] = __hadd2(brains(a.z), brains(b.z)); v[4 * k + 3] = __hadd2(brains(a.w), brains(b.w));
    residual[k * 160 + t] = make_uint4(word_of(v[4 * k]), word_of(v[4 * k + 1]), word_of(v[4 * k + 2]), word_of(v[4 * k + 3]));
    #pragma unroll
    for (int j = 0; j < 4; j++) { float2 f = __bfloat1622float2(v[4 * k + j]); s += f.x * f.x + f.y * f.y; }
  }
  s = sum_of_lanes(s); if ((t & 31) == 0) part[t >> 5] = s;
  __syncthreads(); float r = rsqrtf((part[0] + part[1] + part[2] + part[3] + part[4]) * (1.f / 5120.f) + 1e-6f);
  #pragma unroll
  for (int k = 0; k < 4; k++) {
    uint4 w = weight[k * 160 + t]; uint32_t g[4] = {w.x, w.y, w.z, w.w}, o[4];
    #pragma unroll
    for (int j = 0; j < 4; j++) { float2 f = __bfloat1622float2(v[4 * k + j]), h = __bfloat1622float2(brains(g[j])); o[j] = word_of(__floats2bfloat162_rn(f.x * r * h.x, f.y * r * h.y)); }
    out[k * 160 + t] = make_uint4(o[0], o[1], o[2], o[3]);
  }
}
K k_top_k_threshold(const float* logit, uint32_t* key, uint32_t* mask, int n, int wanted) {   // the value of rank `wanted`, by four histograms of eight bits, and who lies above it
  __shared__ int bin[256], left; __shared__ uint32_t prefix; int t = threadIdx.x; logit += (size_t)blockIdx.x * n; if (t == 0) { prefix = 0; left = wanted; }
  for (int shift = 24; shift >= 0; shift -= 8) {
    bin[t] = 0; __syncthreads(); uint32_t want = prefix; int need = left;
    for (int i = t; i < n; i += 256) { uint32_t u = ordered(logit[i]); if (shift == 24 || u >> (shift + 8) == want) atomicAdd(&bin[u >> shift & 255], 1); }
    __syncthreads(); int mine = bin[t];
    for (int o = 1; o < 256; o <<= 1) { int v = t + o < 256 ? bin[t + o] : 0; __syncthreads(); bin[t] += v; __syncthreads(); }
    int all = bin[t], above = all - mine; if (above < need && all >= need) { prefix = want << 8 | t; left = need - above; }
    __syncthreads();
  }
  uint32_t least = prefix; if (t == 0) { key[2 * blockIdx.x] = least; key[2 * blockIdx.x + 1] = left; }
  for (int i = t; i < n; i += 256) { unsigned m = __ballot_sync(~0u, ordered(logit[i]) > least); if ((t & 31) == 0) mask[((size_t)blockIdx.x * n + i) >> 5] = m; }   // n is a multiple of 256
}
K k_sample_token(const float4* logit, const int* seed, int* token, int n, float heat) {   // softmax and a draw from it, a row a block, each thread with a stretch of its own
  __shared__ float part[16]; __shared__ int who; int t = threadIdx.x, w = t >> 5, lane = t & 31, each = n / 2048; const float4* p = logit + (size_t)blockIdx.x * (n / 4) + t * each; float m = -1e30f, s = 0, before = 0, all = 0;
  for (int k = 0; k < each; k++) { float4 v = p[k]; m = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w))); }
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if (lane == 0) part[w] = m;
  if (t == 0) who = 511;
  __syncthreads(); for (int k = 0; k < 16; k++) m = fmaxf(m, part[k]);
  __syncthreads(); for (int k = 0; k < each; k++) { float4 v = p[k]; s += __expf((v.x - m) * heat) + __expf((v.y - m) * heat) + __expf((v.z - m) * heat) + __expf((v.w - m) * heat); }
  float inside = s; for (int o = 1; o < 32; o <<= 1) { float u = __shfl_up_sync(~0u, inside, o); if (lane >= o) inside += u; }
  if (lane == 31) part[w] = inside;
  __syncthreads(); for (int k = 0; k < 16; k++) { float u = part[k]; if (k < w) before += u; all += u; }
  float goal = uniform(mix32(seed[blockIdx.x])) * all; if (before + inside >= goal) atomicMin(&who, t);
  __syncthreads(); if (t != who) return;
  float c = before + inside - s; int at = 0; const float* q = (const float*)p; while (at < 4 * each - 1) { c += __expf((q[at] - m) * heat); if (c >= goal) break; at++; }
  token[blockIdx.x] = t * each * 4 + at;
}
K k_copy_pages(const uint4* from, uint4* to, const int* source, const int* target, int mask) {   // pages of 32 KB from one cache into another
  const uint4* p = from + (size_t)(source[blockIdx.x] & mask) * 2048 + threadIdx.x; uint4* q = to + (size_t)target[blockIdx.x] * 2048 + threadIdx.x;
  #pragma unroll
  for (int k = 0; k < 8; k++) q[k * 256] = p[k * 256];
}
K k_q4_q8_dot(const unsigned short* weight, const int* x, float* out, int blocks) {   // groups of 32 weights in 18 bytes times groups of 36 bytes, two lanes a group, a row a warp
  int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x, half = 2 * (lane & 1); const unsigned short* w = weight + (size_t)row * blocks * 9; float sum = 0;
  for (int b = lane >> 1; b < blocks; b += 16) {
    const unsigned short* q = w + b * 9; const int* y = x + b * 9; float d = __half2float(__ushort_as_half((unsigned short)((q[0] & 0x3ff) | 0x2c00))); float2 scale = __half22float2(halves(y[0])); int s = 0;
    #pragma unroll
    for (int k = 0; k < 2; k++) { int v = q[1 + 2 * (half + k)] | q[2 + 2 * (half + k)] << 16; s = __dp4a(v & 0x0f0f0f0f, y[1 + half + k], s); s = __dp4a(v >> 4 & 0x0f0f0f0f, y[5 + half + k], s); }
    sum += d * (s * scale.x - 4.f * scale.y);
  }
  sum = sum_of_lanes(sum); if (lane == 0) out[row] = sum;
}
K k_fp8_rows(const uint4* weight, const uint4* x, float* out, int vectors) {   // weights of eight bits made into halves by shifts, products in pairs, a row a block
  __shared__ float part[4]; int t = threadIdx.x; weight += (size_t)blockIdx.x * vectors; float s = 0;
  for (int k = t; k < vectors; k += 128) {
    uint4 v = weight[k], a = x[2 * k], b = x[2 * k + 1]; uint32_t q[4] = {v.x, v.y, v.z, v.w}, y[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}; __half2 sum = __float2half2_rn(0.f);
    #pragma unroll
    for (int j = 0; j < 4; j++) {
      uint32_t e = __byte_perm(q[j], 0, 0x4140), o = __byte_perm(q[j], 0, 0x4342); e = (e & 0x00800080) << 8 | (e & 0x007f007f) << 7; o = (o & 0x00800080) << 8 | (o & 0x007f007f) << 7;
      sum = __hfma2(*(__half2*)&e, halves(y[2 * j]), sum); sum = __hfma2(*(__half2*)&o, halves(y[2 * j + 1]), sum);
    }
    float2 f = __half22float2(sum); s += f.x + f.y;
  }
  s = sum_of_lanes(s); if ((t & 31) == 0) part[t >> 5] = s;
  __syncthreads(); if (t == 0) out[blockIdx.x] = (part[0] + part[1] + part[2] + part[3]) * 256.f;
}
K k_geglu_half2(const uint32_t* in, uint32_t* out, int rows, int words) {   // the first half of a row is the gate, through tanh
  int n = rows * words;
  for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) {
    int r = i / words, c = i - r * words; const uint32_t* p = in + (size_t)r * 2 * words + c; float2 g = __half22float2(halves(p[0])); __half2 u = halves(p[words]);
    g.x = 0.5f * g.x * (1.f + tanhf(0.79788456f * (g.x + 0.044715f * g.x * g.x * g.x))); g.y = 0.5f * g.y * (1.f + tanhf(0.79788456f * (g.y + 0.044715f * g.y * g.y * g.y))); out[i] = word_of(__hmul2(__floats2half2_rn(g.x, g.y), u));
  }
}
K k_expert_slots(const int* expert, int* sorted, int* owner, int* ends, int n) {   // tokens put in order of 64 experts, each padded to 16, one block
  __shared__ __align__(4) unsigned short count[257][64]; __shared__ int start[65]; int t = threadIdx.x, each = n / 256;
  for (int k = t; k < 257 * 32; k += 256) ((unsigned*)count)[k] = 0;
  __syncthreads(); for (int k = 0; k < each; k++) count[t + 1][expert[t * each + k] & 63]++;
  __syncthreads(); if (t < 64) for (int k = 1; k <= 256; k++) count[k][t] += count[k - 1][t];
  __syncthreads(); if (t == 0) { int s = 0; for (int e = 0; e < 64; e++) { start[e] = s; s += (count[256][e] + 15) & ~15; } start[64] = s; }
  __syncthreads(); if (t < 64) { ends[t] = start[t] + count[256][t]; for (int b = start[t] >> 4; b < start[t + 1] >> 4; b++) owner[b] = t; }
  __syncthreads(); for (int k = 0; k < each; k++) { int e = expert[t * each + k] & 63; sorted[start[e] + count[t][e]++] = t * each + k + 1; }
}
K k_expert_combine(const uint4* rows, const int* slot, const float* weight, uint4* out, int mask) {   // four experts' rows of 768 values times their weights, 96 threads
  int token = blockIdx.x, t = threadIdx.x; float s[8] = {};
  #pragma unroll
  for (int k = 0; k < 4; k++) {
    uint4 v = rows[(size_t)(slot[token * 4 + k] & mask) * 96 + t]; float w = fabsf(weight[token * 4 + k]) * 0.02f; uint32_t q[4] = {v.x, v.y, v.z, v.w};
    #pragma unroll
    for (int j = 0; j < 4; j++) { float2 f = __bfloat1622float2(brains(q[j])); s[2 * j] += w * f.x; s[2 * j + 1] += w * f.y; }
  }
  out[(size_t)token * 96 + t] = make_uint4(word_of(__floats2bfloat162_rn(s[0], s[1])), word_of(__floats2bfloat162_rn(s[2], s[3])), word_of(__floats2bfloat162_rn(s[4], s[5])), word_of(__floats2bfloat162_rn(s[6], s[7])));
}
K k_accept_drafts(const float* target, const float* draft, const int* token, int* accepted, int* next, int requests, int vocabulary) {   // eight guessed tokens a request, a request a warp
  int w = GLOBAL_X >> 5, lane = threadIdx.x & 31; if (w >= requests) return; bool fine = false;
  if (lane < 8) { int id = token[w * 8 + lane] % vocabulary; float p = fabsf(target[((size_t)w * 9 + lane) * vocabulary + id]), q = fabsf(draft[((size_t)w * 8 + lane) * vocabulary + id]); fine = uniform(mix32(w * 8 + lane)) * q < p; }
  int c = __ffs(~__ballot_sync(~0u, fine)) - 1, at = 0; const float* p = target + ((size_t)w * 9 + c) * vocabulary; const float* q = draft + ((size_t)w * 8 + min(c, 7)) * vocabulary; float best = -1e30f;
  for (int i = lane; i < vocabulary; i += 32) { float d = fabsf(p[i]); if (c < 8) d -= fabsf(q[i]); if (d > best) { best = d; at = i; } }
  for (int o = 16; o; o >>= 1) { float d = __shfl_down_sync(~0u, best, o); int i = __shfl_down_sync(~0u, at, o); if (d > best || (d == best && i < at)) { best = d; at = i; } }
  if (lane == 0) { accepted[w] = c; next[w] = at; }
}
static __device__ __forceinline__ void keep_4(u64* top, u64 v) {
  if (v <= top[3]) return;
  top[3] = v;
  #pragma unroll
  for (int k = 3; k > 0; k--) if (top[k] > top[k - 1]) { u64 s = top[k]; top[k] = top[k - 1]; top[k - 1] = s; }
}
K k_beam_step(const float* logit, const float* score, u64* out, int vocabulary) {   // the four best continuations of four beams, a request a block
  __shared__ u64 s[128][4]; int t = threadIdx.x; u64 top[4] = {0, 0, 0, 0};
  for (int b = 0; b < 4; b++) { float base = score[blockIdx.x * 4 + b]; const float* p = logit + ((size_t)blockIdx.x * 4 + b) * vocabulary; for (int i = t; i < vocabulary; i += 128) keep_4(top, (u64)ordered(p[i] + base) << 32 | (uint32_t)(b * vocabulary + i)); }
  for (int k = 0; k < 4; k++) s[t][k] = top[k];
  __syncthreads();
  for (int w = 64; w; w >>= 1) {
    if (t < w) { for (int k = 0; k < 4; k++) keep_4(top, s[t + w][k]); for (int k = 0; k < 4; k++) s[t][k] = top[k]; }
    __syncthreads();
  }
  if (t < 4) out[blockIdx.x * 4 + t] = s[0][t];
}
K k_decode_group(const uint32_t* query, const uint32_t* key, const uint32_t* value, float2* out, int length) {   // four heads of queries on one of keys, 64 wide, tiles of 32 tokens copied asynchronously, a head a warp
  __shared__ __align__(16) uint32_t sk[2][32][36]; __shared__ __align__(16) uint32_t sv[2][32][36]; __shared__ float2 q[4][32]; int t = threadIdx.x, w = t >> 5, lane = t & 31, tiles = length / 32; key += (size_t)blockIdx.x * length * 32; value += (size_t)blockIdx.x * length * 32;
  auto load = [&](int tile) { for (int e = t; e < 256; e += 128) { int r = e >> 3, c = (e & 7) * 4; __pipeline_memcpy_async(&sk[tile & 1][r][c], key + ((size_t)tile * 32 + r) * 32 + c, 16); __pipeline_memcpy_async(&sv[tile & 1][r][c], value + ((size_t)tile * 32 + r) * 32 + c, 16); } };
  q[w][lane] = __half22float2(halves(query[(blockIdx.x * 4 + w) * 32 + lane])); load(0); __pipeline_commit(); float m = -1e30f, s = 0; float2 a = make_float2(0, 0);
  for (int i = 0; i < tiles; i++) {
    if (i + 1 < tiles) load(i + 1);
    __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads(); float d = 0;
    #pragma unroll 8
    for (int c = 0; c < 32; c++) { float2 x = __half22float2(halves(sk[i & 1][lane][c])), y = q[w][c]; d += x.x * y.x + x.y * y.y; }
    d *= 0.125f; float high = fmaxf(d, m); for (int o = 16; o; o >>= 1) high = fmaxf(high, __shfl_xor_sync(~0u, high, o));
    float f = __expf(m - high), p = __expf(d - high); s = s * f + p; a.x *= f; a.y *= f; m = high;
    #pragma unroll 8
    for (int r = 0; r < 32; r++) { float u = __shfl_sync(~0u, p, r); float2 x = __half22float2(halves(sv[i & 1][r][lane])); a.x += u * x.x; a.y += u * x.y; }
    __syncthreads();
  }
  s = 1.f / sum_of_lanes(s); out[(blockIdx.x * 4 + w) * 32 + lane] = make_float2(a.x * s, a.y * s);
}
K k_penalise_repeats(const int* history, float4* logit, int vocabulary, int length) {   // a bit a token in shared memory, a request a block
  extern __shared__ unsigned seen[]; int t = threadIdx.x; for (int k = t; k < vocabulary / 32; k += blockDim.x) seen[k] = 0;
  __syncthreads(); for (int k = t; k < length; k += blockDim.x) { int id = history[blockIdx.x * length + k] % vocabulary; atomicOr(&seen[id >> 5], 1u << (id & 31)); }
  __syncthreads(); logit += (size_t)blockIdx.x * (vocabulary / 4);
  for (int k = t; k < vocabulary / 4; k += blockDim.x) {
    unsigned m = seen[k >> 3] >> (k & 7) * 4 & 15; if (!m) continue;
    float4 v = logit[k]; if (m & 1) v.x *= v.x > 0 ? 0.8f : 1.25f; if (m & 2) v.y *= v.y > 0 ? 0.8f : 1.25f; if (m & 4) v.z *= v.z > 0 ? 0.8f : 1.25f; if (m & 8) v.w *= v.w > 0 ? 0.8f : 1.25f; logit[k] = v;
  }
}

// ---------------------------------------------------------------- training
static __device__ __forceinline__ float2 sum_of_block(float2 v, float2* part) {   // 256 threads
  v.x = sum_of_lanes(v.x); v.y = sum_of_lanes(v.y); __syncthreads(); if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
  __syncthreads(); v = part[0];
  #pragma unroll
  for (int k = 1; k < 8; k++) { v.x += part[k].x; v.y += part[k].y; }
  return v;
}
K k_layer_norm_backward(const float4* x, const float4* dy, const float4* weight, float4* dx, float4* dweight, float4* dbias, int rows) {   // 1,024 columns, the gradients of the weights stay in registers
  __shared__ float2 part[8]; int t = threadIdx.x; float4 w = weight[t], gw = make_float4(0, 0, 0, 0), gb = gw;
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    float4 v = x[(size_t)r * 256 + t], d = dy[(size_t)r * 256 + t]; float2 s = sum_of_block(make_float2(v.x + v.y + v.z + v.w, v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w), part); float mean = s.x * (1.f / 1024.f), q = rsqrtf(s.y * (1.f / 1024.f) - mean * mean + 1e-5f);
    v.x = (v.x - mean) * q; v.y = (v.y - mean) * q; v.z = (v.z - mean) * q; v.w = (v.w - mean) * q; gb.x += d.x; gb.y += d.y; gb.z += d.z; gb.w += d.w; gw.x += d.x * v.x; gw.y += d.y * v.y; gw.z += d.z * v.z; gw.w += d.w * v.w;
    d.x *= w.x; d.y *= w.y; d.z *= w.z; d.w *= w.w; s = sum_of_block(make_float2(d.x + d.y + d.z + d.w, d.x * v.x + d.y * v.y + d.z * v.z + d.w * v.w), part); s.x *= 1.f / 1024.f; s.y *= 1.f / 1024.f;
    dx[(size_t)r * 256 + t] = make_float4(q * (d.x - s.x - v.x * s.y), q * (d.y - s.x - v.y * s.y), q * (d.z - s.x - v.z * s.y), q * (d.w - s.x - v.w * s.y));
  }
  dweight[blockIdx.x * 256 + t] = gw; dbias[blockIdx.x * 256 + t] = gb;
}
static __device__ __forceinline__ float adam_step(float p, float g, float& m, float& v, float rate) { m = 0.9f * m + 0.1f * g; v = 0.999f * v + 0.001f * g * g; return p - rate * (m * 10.f / (sqrtf(v * 1000.f) + 1e-8f) + 0.01f * p); }
K k_adam_master_half(uint2* weight, const uint2* gradient, float4* master, float4* first, float4* second, int n, float rate) {   // gradients and weights in halves, the rest in floats, in fours
  int i = GLOBAL_X; if (i >= n) return; uint2 h = gradient[i]; float2 a = __half22float2(halves(h.x)), b = __half22float2(halves(h.y)); float4 p = master[i], m = first[i], v = second[i]; v.x = fabsf(v.x); v.y = fabsf(v.y); v.z = fabsf(v.z); v.w = fabsf(v.w);
  p.x = adam_step(p.x, a.x, m.x, v.x, rate); p.y = adam_step(p.y, a.y, m.y, v.y, rate); p.z = adam_step(p.z, b.x, m.z, v.z, rate); p.w = adam_step(p.w, b.y, m.w, v.w, rate);
  master[i] = p; first[i] = m; second[i] = v; weight[i] = make_uint2(word_of(__floats2half2_rn(p.x, p.y)), word_of(__floats2half2_rn(p.z, p.w)));
}
K k_embedding_gradient_fixed(const int* token, const float* gradient, u64* table, int n, int mask) {   // added as fixed-point numbers of 64 bits, 64 columns, four tokens a block
  int i = blockIdx.x * 4 + threadIdx.y; if (i >= n) return; int row = token[i] & mask; row = row * (row & 1023) >> 10;   // low rows more often
  atomicAdd(&table[row * 64 + threadIdx.x], (u64)__float2ll_rn(gradient[(size_t)i * 64 + threadIdx.x] * 65536.f));
}
K k_async_bags(const float2* table, const int* id, const float* weight, float2* out, int bags, int mask) {   // 16 rows of 64 columns a bag, copied asynchronously four ahead, a bag a warp
  __shared__ __align__(16) float2 ring[4][4][32]; int w = threadIdx.x >> 5, lane = threadIdx.x & 31, b = blockIdx.x * 4 + w; if (b >= bags) return;
  int mine = id[b * 16 + (lane & 15)] & mask; float scale = weight[b * 16 + (lane & 15)] * 0.02f, x = 0, y = 0;
  #pragma unroll
  for (int k = 0; k < 3; k++) { int r = __shfl_sync(~0u, mine, k); __pipeline_memcpy_async(&ring[w][k][lane], table + (size_t)r * 32 + lane, 8); __pipeline_commit(); }
  for (int k = 0; k < 16; k++) {
    int r = __shfl_sync(~0u, mine, (k + 3) & 15); if (k + 3 < 16) __pipeline_memcpy_async(&ring[w][(k + 3) & 3][lane], table + (size_t)r * 32 + lane, 8);
    __pipeline_commit(); __pipeline_wait_prior(3); float2 v = ring[w][k & 3][lane]; float f = __shfl_sync(~0u, scale, k); x += f * v.x; y += f * v.y;   // a lane reads what it copied
  }
  out[b * 32 + lane] = make_float2(x, y);
}
K k_edge_attention(const int* neighbour, const float* left, const float* right, const float2* feature, float2* out, int n, int mask) {   // up to 32 edges a vertex, a lane an edge, then a lane two columns
  int v = GLOBAL_X >> 5, lane = threadIdx.x & 31; if (v >= n) return; int degree = (mix32(v) & 31) + 1, u = neighbour[v * 32 + lane] & mask; float s = lane < degree ? left[v] * 0.05f + right[u] * 0.05f : -1e30f; s = s > 0 || lane >= degree ? s : 0.2f * s;
  float high = s; for (int o = 16; o; o >>= 1) high = fmaxf(high, __shfl_xor_sync(~0u, high, o));
  float p = lane < degree ? __expf(s - high) : 0.f; p /= sum_of_lanes(p); float2 a = make_float2(0, 0);
  for (int k = 0; k < degree; k++) { float q = __shfl_sync(~0u, p, k); int w = __shfl_sync(~0u, u, k); float2 f = feature[(size_t)w * 32 + lane]; a.x += q * f.x; a.y += q * f.y; }
  out[(size_t)v * 32 + lane] = a;
}

// ---------------------------------------------------------------- lattices, solvers and integrators
K __launch_bounds__(128) k_lattice_d3q19(const float* f, float* g, int n, float omega) {   // streaming and collision in one, 19 arrays, a torus
  const int cx[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0}, cy[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1}, cz[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
  int x = GLOBAL_X, y = GLOBAL_Y, z = blockIdx.z, cells = n * n * n; float h[19], rho = 0, ux = 0, uy = 0, uz = 0;
  #pragma unroll
  for (int q = 0; q < 19; q++) {
    int i = x - cx[q], j = y - cy[q], k = z - cz[q]; i += i < 0 ? n : i >= n ? -n : 0; j += j < 0 ? n : j >= n ? -n : 0; k += k < 0 ? n : k >= n ? -n : 0;
    h[q] = 0.05f + 0.0002f * f[(size_t)q * cells + (k * n + j) * n + i]; rho += h[q]; ux += cx[q] * h[q]; uy += cy[q] * h[q]; uz += cz[q] * h[q];
  }
  float r = 1.f / rho; ux *= r; uy *= r; uz *= r; float square = 1.f - 1.5f * (ux * ux + uy * uy + uz * uz);
  #pragma unroll
  for (int q = 0; q < 19; q++) { float w = q == 0 ? 1.f / 3.f : q < 7 ? 1.f / 18.f : 1.f / 36.f, e = 3.f * (cx[q] * ux + cy[q] * uy + cz[q] * uz); g[(size_t)q * cells + (z * n + y) * n + x] = h[q] + omega * (w * rho * (square + e + 0.5f * e * e) - h[q]); }
}
K k_neighbour_list_forces(const float4* place, const int* list, float4* force, int n, int neighbours) {   // Lennard-Jones with charges, a list a thread, transposed
  int i = GLOBAL_X; if (i >= n) return; float4 p = place[i], f = make_float4(0, 0, 0, 0);
  for (int k = 0; k < neighbours; k++) {
    int j = (i + (list[k * n + i] & 2047) - 1024) & (n - 1); float4 q = place[j]; float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z, r2 = x * x + y * y + z * z; if (r2 > 2500.f || j == i) continue;
    float a = 1.f / (r2 + 1.f), a3 = a * a * a * 64.f, s = 24.f * a * a3 * (2.f * a3 - 1.f) + p.w * q.w * a * rsqrtf(r2 + 1.f) * 0.01f; f.x += s * x; f.y += s * y; f.z += s * z; f.w += 4.f * a3 * (a3 - 1.f);
  }
  force[i] = f;
}
K k_prolong_grid(const float* coarse, float* fine, int n) {   // a correction interpolated in three dimensions and added, 32 x 2 x 4 threads
  int x = GLOBAL_X, y = GLOBAL_Y, z = blockIdx.z * blockDim.z + threadIdx.z, m = 2 * n; if (x >= m || y >= m || z >= m) return;
  int i = x >> 1, j = y >> 1, k = z >> 1, i1 = min(i + (x & 1), n - 1), j1 = min(j + (y & 1), n - 1), k1 = min(k + (z & 1), n - 1); const float* a = coarse + (k * n + j) * n; const float* b = coarse + (k * n + j1) * n; const float* c = coarse + (k1 * n + j) * n; const float* d = coarse + (k1 * n + j1) * n;
  fine[(z * m + y) * m + x] += 0.125f * (a[i] + a[i1] + b[i] + b[i1] + c[i] + c[i1] + d[i] + d[i1]);
}
K k_pentadiagonal(const float* diagonal, const float* right, double* scratch, double* out, int n, int rows) {   // five diagonals in double, a system a thread, rows far apart
  int i = GLOBAL_X; if (i >= n) return; double a1 = 0, b1 = 0, z1 = 0, a2 = 0, b2 = 0, z2 = 0; size_t plane = (size_t)rows * n;
  for (int r = 0; r < rows; r++) {
    double g = -0.9 - 0.2 * a2, mu = 4.0 + 0.02 * fabsf(diagonal[r * n + i]) - 0.2 * b2 - a1 * g, inverse = 1.0 / mu, a = (-1.1 - b1 * g) * inverse, b = 0.3 * inverse, z = (right[r * n + i] - z2 * 0.2 - z1 * g) * inverse;
    scratch[r * n + i] = a; scratch[plane + r * n + i] = b; scratch[2 * plane + r * n + i] = z; a2 = a1; b2 = b1; z2 = z1; a1 = a; b1 = b; z1 = z;
  }
  double x1 = 0, x2 = 0; for (int r = rows - 1; r >= 0; r--) { double x = scratch[2 * plane + r * n + i] - scratch[r * n + i] * x1 - scratch[plane + r * n + i] * x2; out[r * n + i] = x; x2 = x1; x1 = x; }
}
K k_banded_lu(const float* in, float* out) {   // 96 rows, seven diagonals to each side, a matrix a block of 64 threads
  __shared__ float band[96][15]; int t = threadIdx.x, r = t / 7 + 1, c = t % 7 + 1; in += (size_t)blockIdx.x * 1440; out += (size_t)blockIdx.x * 1440;
  for (int e = t; e < 1440; e += 64) { float v = in[e]; (&band[0][0])[e] = e % 15 == 7 ? 400.f + v : v; }
  __syncthreads();
  for (int k = 0; k < 95; k++) {
    int i = k + r; float l = 0; bool mine = t < 49 && i < 96; if (mine) { l = band[i][7 - r] / band[k][7]; band[i][7 - r + c] -= l * band[k][7 + c]; }
    __syncthreads(); if (mine && c == 1) band[i][7 - r] = l;
  }
  __syncthreads(); for (int e = t; e < 1440; e += 64) out[e] = (&band[0][0])[e];
}
K __launch_bounds__(96) k_ldl_registers(const float* packed, const float* right, float* out, int n) {   // systems of eight unknowns, all in registers, a system a thread
  int i = GLOBAL_X; if (i >= n) return; float a[8][8], x[8];
  #pragma unroll
  for (int r = 0, e = 0; r < 8; r++)
    #pragma unroll
    for (int c = 0; c <= r; c++, e++) { a[r][c] = packed[(size_t)e * n + i]; if (r == c) a[r][c] = 500.f + a[r][c]; }
  #pragma unroll
  for (int j = 0; j < 8; j++) {
    float d = a[j][j], v[8];
    #pragma unroll
    for (int k = 0; k < j; k++) { v[k] = a[j][k] * a[k][k]; d -= a[j][k] * v[k]; }
    a[j][j] = d; d = 1.f / d;
    #pragma unroll
    for (int r = j + 1; r < 8; r++) { float s = a[r][j];
      #pragma unroll
      for (int k = 0; k < j; k++) s -= a[r][k] * v[k];
      a[r][j] = s * d; }
  }
  #pragma unroll
  for (int r = 0; r < 8; r++) { x[r] = right[(size_t)r * n + i];
    #pragma unroll
    for (int c = 0; c < r; c++) x[r] -= a[r][c] * x[c]; }
  #pragma unroll
  for (int r = 7; r >= 0; r--) { x[r] /= a[r][r];
    #pragma unroll
    for (int c = r + 1; c < 8; c++) x[r] -= a[c][r] * x[c]; }
  #pragma unroll
  for (int r = 0; r < 8; r++) out[(size_t)r * n + i] = x[r];
}
K k_jacobi_eigen(const float* in, double* out, int sweeps) {   // eigenvalues of 8 x 8 in double, four rotations at once, a matrix a warp
  __shared__ double a[4][8][9]; int w = threadIdx.x >> 5, lane = threadIdx.x & 31, m = blockIdx.x * 4 + w, i = lane >> 3, c = lane & 7; double (*s)[9] = a[w];
  for (int e = lane; e < 64; e += 32) { int r = e >> 3, k = e & 7; s[r][k] = in[m * 64 + min(r, k) * 8 + max(r, k)]; }
  __syncwarp();
  for (int round = 0; round < 7 * sweeps; round++) {
    int z = round % 7, p = i == 0 ? 7 : (z + i) % 7, q = (z + 7 - i) % 7; double both = s[p][q], co = 1, si = 0;
    if (fabs(both) > 1e-30) { double theta = (s[q][q] - s[p][p]) / (2.0 * both), t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0)); co = 1.0 / sqrt(t * t + 1.0); si = t * co; }
    double x = s[p][c], y = s[q][c]; __syncwarp(); s[p][c] = co * x - si * y; s[q][c] = si * x + co * y; __syncwarp();
    x = s[c][p]; y = s[c][q]; s[c][p] = co * x - si * y; s[c][q] = si * x + co * y; __syncwarp();
  }
  if (lane < 8) out[m * 8 + lane] = s[lane][lane];
}
static __device__ __noinline__ double2 oscillator(double2 y, double mu) { return make_double2(y.y, mu * (1.0 - y.x * y.x) * y.y - y.x); }
K k_dormand_prince(const float* start, double2* out, int* steps, int n, int most) {   // van der Pol's oscillator with steps of its own choice, an orbit a thread
  int i = GLOBAL_X; if (i >= n) return; double2 y = make_double2(0.04 * start[i], 1.0); double mu = 0.5 + (i & 31) * 0.1, t = 0, h = 0.01; int taken = 0;
  while (t < 3.0 && taken < most) {
    #define AT(e) make_double2(y.x + h * (e.x), y.y + h * (e.y))
    double2 a = oscillator(y, mu), e; e.x = a.x * 0.2; e.y = a.y * 0.2;
    double2 b = oscillator(AT(e), mu); e.x = a.x * (3.0 / 40) + b.x * (9.0 / 40); e.y = a.y * (3.0 / 40) + b.y * (9.0 / 40);
    double2 c = oscillator(AT(e), mu); e.x = a.x * (44.0 / 45) - b.x * (56.0 / 15) + c.x * (32.0 / 9); e.y = a.y * (44.0 / 45) - b.y * (56.0 / 15) + c.y * (32.0 / 9);
    double2 d = oscillator(AT(e), mu); e.x = a.x * (19372.0 / 6561) - b.x * (25360.0 / 2187) + c.x * (64448.0 / 6561) - d.x * (212.0 / 729); e.y = a.y * (19372.0 / 6561) - b.y * (25360.0 / 2187) + c.y * (64448.0 / 6561) - d.y * (212.0 / 729);
    double2 f = oscillator(AT(e), mu); e.x = a.x * (9017.0 / 3168) - b.x * (355.0 / 33) + c.x * (46732.0 / 5247) + d.x * (49.0 / 176) - f.x * (5103.0 / 18656); e.y = a.y * (9017.0 / 3168) - b.y * (355.0 / 33) + c.y * (46732.0 / 5247) + d.y * (49.0 / 176) - f.y * (5103.0 / 18656);
    double2 g = oscillator(AT(e), mu); e.x = a.x * (35.0 / 384) + c.x * (500.0 / 1113) + d.x * (125.0 / 192) - f.x * (2187.0 / 6784) + g.x * (11.0 / 84); e.y = a.y * (35.0 / 384) + c.y * (500.0 / 1113) + d.y * (125.0 / 192) - f.y * (2187.0 / 6784) + g.y * (11.0 / 84);
    double2 z = AT(e), k = oscillator(z, mu); double ex = h * (a.x * (71.0 / 57600) - c.x * (71.0 / 16695) + d.x * (71.0 / 1920) - f.x * (17253.0 / 339200) + g.x * (22.0 / 525) - k.x * 0.025), ey = h * (a.y * (71.0 / 57600) - c.y * (71.0 / 16695) + d.y * (71.0 / 1920) - f.y * (17253.0 / 339200) + g.y * (22.0 / 525) - k.y * 0.025);
    double error = fmax(fabs(ex), fabs(ey)) * 1e7; if (error <= 1.0) { t += h; y = z; }
    h *= fmin(4.0, fmax(0.2, 0.9 / sqrt(sqrt(fmax(error, 1e-6))))); taken++;
  }
  out[i] = y; steps[i] = taken;
}
K k_clenshaw(const float* x, const float* coefficient, double* out, int n, int terms) {   // Chebyshev series in double, four points a thread
  __shared__ double c[128]; for (int k = threadIdx.x; k < terms; k += blockDim.x) c[k] = coefficient[k] / (1.0 + k * k);
  __syncthreads(); int i = GLOBAL_X; if (i * 4 >= n) return; float4 v = ((const float4*)x)[i]; double y[4] = {v.x * 0.04, v.y * 0.04, v.z * 0.04, v.w * 0.04}, b1[4] = {}, b2[4] = {};
  for (int k = terms - 1; k > 0; k--) { double a = c[k];
    #pragma unroll
    for (int j = 0; j < 4; j++) { double b = a + y[j] * b1[j] - b2[j]; b2[j] = b1[j]; b1[j] = b; } }
  #pragma unroll
  for (int j = 0; j < 4; j++) out[(size_t)j * (n / 4) + i] = c[0] + 0.5 * y[j] * b1[j] - b2[j];
}
K k_stencil_async(const float* in, float* out, int width, int rows) {   // a star of radius two, 128 columns a block going down, rows copied asynchronously into a ring of eight
  __shared__ __align__(16) float ring[8][136]; int t = threadIdx.x, pitch = width + 8, x0 = blockIdx.x * 128, y0 = blockIdx.y * rows;
  auto load = [&](int r) { if (t < 34) __pipeline_memcpy_async(&ring[r & 7][t * 4], in + (size_t)(y0 + r) * pitch + x0 + t * 4, 16); };
  for (int r = 0; r < 7; r++) { load(r); __pipeline_commit(); }
  for (int i = 0; i < rows; i++) {
    __pipeline_wait_prior(2); __syncthreads(); const float* c = &ring[(i + 2) & 7][t + 4];
    out[(size_t)(y0 + i) * width + x0 + t] = 0.5f * c[0] + 0.1f * (c[-1] + c[1] + ring[(i + 1) & 7][t + 4] + ring[(i + 3) & 7][t + 4]) + 0.025f * (c[-2] + c[2] + ring[i & 7][t + 4] + ring[(i + 4) & 7][t + 4]);
    if (i + 7 < rows + 4) load(i + 7);
    __pipeline_commit();
  }
}
K k_philox_normals(float4* out, int n, unsigned seed) {   // a counter, ten rounds, four normal numbers
  for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) {
    uint32_t a = i, b = 0, c = 0x12345u, d = 7, k0 = seed, k1 = seed ^ 0xdeadbeefu;
    #pragma unroll
    for (int r = 0; r < 10; r++) { uint32_t h0 = __umulhi(0xd2511f53u, a), l0 = 0xd2511f53u * a, h1 = __umulhi(0xcd9e8d57u, c), l1 = 0xcd9e8d57u * c; a = h1 ^ b ^ k0; b = l1; c = h0 ^ d ^ k1; d = l0; k0 += 0x9e3779b9u; k1 += 0xbb67ae85u; }
    float r1 = sqrtf(-2.f * logf((a >> 8) * 5.9604645e-8f + 2.9802322e-8f)), r2 = sqrtf(-2.f * logf((c >> 8) * 5.9604645e-8f + 2.9802322e-8f)), s1, c1, s2, c2; sincospif(uniform(b) * 2.f, &s1, &c1); sincospif(uniform(d) * 2.f, &s2, &c2);
    out[i] = make_float4(r1 * c1, r1 * s1, r2 * c2, r2 * s2);
  }
}
K __launch_bounds__(128) k_harmonics_colour(const float4* harmonics, const float* place, uint32_t* out, int n) {   // colours of splats, 16 harmonics of three channels each in 192 bytes
  int i = GLOBAL_X; if (i >= n) return; float c[48]; const float4* p = harmonics + (size_t)i * 12;
  #pragma unroll
  for (int k = 0; k < 12; k++) { float4 v = p[k]; c[4 * k] = v.x; c[4 * k + 1] = v.y; c[4 * k + 2] = v.z; c[4 * k + 3] = v.w; }
  float x = place[3 * i] - 1.f, y = place[3 * i + 1] + 2.f, z = place[3 * i + 2] - 3.f, l = rsqrtf(x * x + y * y + z * z + 1e-6f); x *= l; y *= l; z *= l; float xx = x * x, yy = y * y, zz = z * z; uint32_t word = 255u << 24;
  float b[16] = {0.28209479f, -0.48860251f * y, 0.48860251f * z, -0.48860251f * x, 1.0925484f * x * y, -1.0925484f * y * z, 0.31539157f * (2.f * zz - xx - yy), -1.0925484f * x * z, 0.54627422f * (xx - yy), -0.59004359f * y * (3.f * xx - yy), 2.8906114f * x * y * z, -0.45704579f * y * (4.f * zz - xx - yy), 0.37317633f * z * (2.f * zz - 3.f * xx - 3.f * yy), -0.45704579f * x * (4.f * zz - xx - yy), 1.4453057f * z * (xx - yy), -0.59004359f * x * (xx - 3.f * yy)};
  #pragma unroll
  for (int ch = 0; ch < 3; ch++) { float s = 0.5f;
    #pragma unroll
    for (int k = 0; k < 16; k++) s += b[k] * c[3 * k + ch] * 0.01f;
    word |= (uint32_t)(__saturatef(s) * 255.f + 0.5f) << (8 * ch); }
  out[i] = word;
}

// ---------------------------------------------------------------- tables, text and bits
K k_block_radix_sort(const uint32_t* in, uint32_t* out) {   // 1,024 keys of 24 bits a block, six passes of four bits, equal digits found within the warp
  __shared__ uint32_t key[1024]; __shared__ int count[128]; int t = threadIdx.x, w = t >> 5, lane = t & 31, rank[4]; uint32_t v[4];
  #pragma unroll
  for (int j = 0; j < 4; j++) v[j] = in[blockIdx.x * 1024 + w * 128 + j * 32 + lane];
  for (int shift = 0; shift < 24; shift += 4) {
    if (t < 128) count[t] = 0;
    __syncthreads();
    #pragma unroll
    for (int j = 0; j < 4; j++) {
      int d = v[j] >> shift & 15; unsigned same = __match_any_sync(~0u, d); int base = count[d * 8 + w]; rank[j] = base + __popc(same & ((1u << lane) - 1)); __syncwarp();
      if (lane == __ffs(same) - 1) count[d * 8 + w] = base + __popc(same);
      __syncwarp();
    }
    __syncthreads();
    if (w == 0) { int c[4], s = 0; for (int k = 0; k < 4; k++) { c[k] = count[lane * 4 + k]; s += c[k]; } s = scan_of_warp(s) - s; for (int k = 0; k < 4; k++) { count[lane * 4 + k] = s; s += c[k]; } }
    __syncthreads();
    #pragma unroll
    for (int j = 0; j < 4; j++) key[count[(v[j] >> shift & 15) * 8 + w] + rank[j]] = v[j];
    __syncthreads();
    #pragma unroll
    for (int j = 0; j < 4; j++) v[j] = key[w * 128 + j * 32 + lane];
  }
  #pragma unroll
  for (int j = 0; j < 4; j++) out[blockIdx.x * 1024 + w * 128 + j * 32 + lane] = v[j];
}
K k_select_bits(const uint32_t* bits, const int* query, int* out, int queries) {   // where the bit of a given rank lies, 256 words a block
  __shared__ uint32_t word[256]; __shared__ int before[257], part[8]; int t = threadIdx.x, w = t >> 5; uint32_t v = bits[blockIdx.x * 256 + t]; word[t] = v; int c = __popc(v), s = scan_of_warp(c);
  if ((t & 31) == 31) part[w] = s;
  __syncthreads(); for (int k = 0; k < w; k++) s += part[k];
  before[t + 1] = s; if (t == 0) before[0] = 0;
  __syncthreads(); int all = max(before[256], 1);
  for (int q = t; q < queries; q += 256) {
    int r = query[blockIdx.x * queries + q] % all, low = 0, high = 256; while (high - low > 1) { int middle = (low + high) >> 1; if (before[middle] <= r) low = middle; else high = middle; }
    uint32_t u = word[low]; for (int k = before[low]; k < r; k++) u &= u - 1;
    out[blockIdx.x * queries + q] = low * 32 + __ffs(u) - 1;
  }
}
K k_json_masks(const unsigned char* text, uint32_t* inside, uint32_t* marks) {   // strings with escapes and what is structure outside them, 1,024 bytes a warp
  int w = GLOBAL_X >> 5, lane = threadIdx.x & 31; text += (size_t)w * 1024; uint32_t escape = 0, open = 0, mine = 0, structure = 0;
  for (int k = 0; k < 32; k++) {
    int c = text[k * 32 + lane] & 31; uint32_t slash = __ballot_sync(~0u, c == 1), quote = __ballot_sync(~0u, c == 0), mark = __ballot_sync(~0u, c >= 2 && c < 8);
    slash &= ~escape; uint32_t follows = slash << 1 | escape, odd = slash & 0xaaaaaaaau & ~follows, sum = odd + slash; escape = sum < odd; quote &= ~((0x55555555u ^ sum << 1) & follows);
    uint32_t in = quote; in ^= in << 1; in ^= in << 2; in ^= in << 4; in ^= in << 8; in ^= in << 16; in ^= open; open = (uint32_t)((int)in >> 31);
    if (lane == k) { mine = in; structure = mark & ~in; }
  }
  inside[w * 32 + lane] = mine; marks[w * 32 + lane] = structure;
}
__constant__ uint32_t NIBBLE[16] = {0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu, 0x76dc4190u, 0x6b6b51f4u, 0x4db26158u, 0x5005713cu, 0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu, 0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu};
static __device__ __noinline__ uint32_t multiply_modulo(uint32_t a, uint32_t b) {   // polynomials, bits reversed
  uint32_t p = 0; for (int k = 31; k >= 0; k--) { if (a >> k & 1) p ^= b; b = b >> 1 ^ (b & 1 ? 0xedb88320u : 0u); }
  return p;
}
K k_crc_combine(const uint4* in, uint32_t* out, int rounds) {   // 16 bytes a lane, put together by powers of x, 512 bytes a warp and round
  int w = GLOBAL_X >> 5, lane = threadIdx.x & 31; uint32_t power[6], p = 0x40000000u, all = 0; for (int k = 0; k < 7; k++) p = multiply_modulo(p, p);
  #pragma unroll
  for (int k = 0; k < 6; k++) { power[k] = p; p = multiply_modulo(p, p); }
  for (int r = 0; r < rounds; r++) {
    uint4 v = in[((size_t)w * rounds + r) * 32 + lane]; uint32_t q[4] = {v.x, v.y, v.z, v.w}, c = 0;
    #pragma unroll
    for (int k = 0; k < 4; k++) for (int s = 0; s < 32; s += 4) c = NIBBLE[(c ^ q[k] >> s) & 15] ^ c >> 4;
    #pragma unroll
    for (int k = 0; k < 5; k++) { uint32_t other = __shfl_down_sync(~0u, c, 1 << k); c = multiply_modulo(power[k], c) ^ other; }
    all = multiply_modulo(power[5], all) ^ c;
  }
  if (lane == 0) out[w] = all;
}
K k_hyperloglog(const int* in, int* registers, int n) {   // 2,048 maxima, first of the block, then of all, 320 threads
  __shared__ int m[2048]; for (int k = threadIdx.x; k < 2048; k += blockDim.x) m[k] = 0;
  __syncthreads(); for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) { u64 h = mix64(in[i]); int at = (int)(h >> 53), rank = __clzll((long long)(h << 11 | 1ull << 10)) + 1; if (m[at] < rank) atomicMax(&m[at], rank); }
  __syncthreads(); for (int k = threadIdx.x; k < 2048; k += blockDim.x) if (m[k]) atomicMax(&registers[k], m[k]);
}
K k_group_extremes(const int* key, const int* value, u64* sum, unsigned* low, unsigned* high, int n) {   // sum, least and greatest by group, in a hash table of the block
  __shared__ int slot[1024]; __shared__ u64 s[1024]; __shared__ unsigned l[1024], h[1024]; for (int k = threadIdx.x; k < 1024; k += blockDim.x) { slot[k] = -1; s[k] = 0; l[k] = ~0u; h[k] = 0; }
  __syncthreads();
  for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) {
    int k = key[i] % 500 * 37; unsigned at = (unsigned)k * 2654435761u >> 22, v = value[i];
    while (true) { int old = slot[at]; if (old == k) break; if (old == -1) { old = atomicCAS(&slot[at], -1, k); if (old == -1 || old == k) break; } at = (at + 1) & 1023; }
    atomicAdd(&s[at], (u64)v); atomicMin(&l[at], v); atomicMax(&h[at], v);
  }
  __syncthreads(); for (int k = threadIdx.x; k < 1024; k += blockDim.x) if (slot[k] >= 0) { int g = slot[k] / 37; atomicAdd(&sum[g], s[k]); atomicMax(&low[g], ~l[k]); atomicMax(&high[g], h[k]); }   // `low` holds complements
}
K k_pattern_automaton(const unsigned* table, const uint4* text, int* hits, int n) {   // 64 states by 32 letters in shared memory, 64 bytes a thread after 16 of the one before
  __shared__ unsigned char next[2048]; for (int k = threadIdx.x; k < 2048; k += blockDim.x) next[k] = table[k] % 64;
  __syncthreads(); int i = GLOBAL_X; if (i >= n) return; int state = 0, found = 0;
  for (int q = i ? -1 : 0; q < 4; q++) {
    uint4 v = text[i * 4 + q]; uint32_t w[4] = {v.x, v.y, v.z, v.w};
    #pragma unroll
    for (int k = 0; k < 4; k++)
      #pragma unroll
      for (int b = 0; b < 32; b += 8) { state = next[state * 32 + (w[k] >> b & 31)]; if (q >= 0) found += state >= 60; }
  }
  hits[i] = found;
}
K k_varint_decode(const unsigned char* in, uint32_t* out, int* count) {   // seven bits a byte, 1,024 bytes a warp, a byte a lane
  int w = GLOBAL_X >> 5, lane = threadIdx.x & 31, at = 0, pending = 0, before = 0; in += (size_t)w * 1024; out += (size_t)w * 1024;
  for (int c = 0; c < 32; c++) {
    int b = in[c * 32 + lane]; unsigned ends = __ballot_sync(~0u, b < 128), below = ends & ((1u << lane) - 1); int length = min(below ? lane - (31 - __clz(below)) : lane + 1 + pending, 5); uint32_t v = 0;
    #pragma unroll
    for (int k = 4; k >= 0; k--) { int a = __shfl_sync(~0u, b, (lane - k) & 31), o = __shfl_sync(~0u, before, (lane - k) & 31), q = lane >= k ? a : o; if (k < length) v |= (uint32_t)(q & 127) << (7 * (length - 1 - k)); }
    if (ends >> lane & 1) out[at + __popc(below)] = v;
    at += __popc(ends); pending = ends ? __clz(ends) : min(pending + 32, 64); before = b;
  }
  if (lane == 0) count[w] = at;
}
K k_gorilla_bits(const int* in, uint32_t* out, int* length, int n) {   // series of 32 numbers, each as its difference by bits from the one before, a series a thread
  int i = GLOBAL_X; if (i >= n) return; uint32_t last = in[i] >> 8; out[i] = last; u64 bits = 0; int fill = 0, words = 1, lead = 33, trail = 0;
  auto put = [&](uint32_t v, int count) { bits |= (u64)v << fill; fill += count; if (fill >= 32) { out[words * n + i] = (uint32_t)bits; words++; bits >>= 32; fill -= 32; } };
  for (int k = 1; k < 32; k++) {
    uint32_t r = in[k * n + i], v = r & 3 ? last + (r >> 4 & 63) * ((r & 15) + 1) : last, x = v ^ last; last = v; if (x == 0) { put(0, 1); continue; }
    int a = min(__clz(x), 31), b = __ffs(x) - 1;
    if (a >= lead && b >= trail) { put(1, 2); put(x >> trail, 32 - lead - trail); }
    else { lead = a; trail = b; put(3, 2); put(lead, 5); put(31 - lead - trail, 5); put(x >> trail, 32 - lead - trail); }
  }
  if (fill) out[words * n + i] = (uint32_t)bits;
  length[i] = words * 32 + fill;
}
K k_blake2s(const uint4* in, uint4* out, int n) {   // one block of 64 bytes a thread
  const unsigned char sigma[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3}, {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8}, {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9}, {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10}, {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
  const uint32_t start[8] = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u}; int i = GLOBAL_X; if (i >= n) return; uint32_t m[16], v[16];
  #pragma unroll
  for (int k = 0; k < 4; k++) { uint4 q = in[(size_t)i * 4 + k]; m[4 * k] = q.x; m[4 * k + 1] = q.y; m[4 * k + 2] = q.z; m[4 * k + 3] = q.w; }
  #pragma unroll
  for (int k = 0; k < 8; k++) v[k] = v[k + 8] = start[k];
  v[0] ^= 0x01010020u; v[12] ^= 64; v[14] = ~v[14];
  #pragma unroll
  for (int r = 0; r < 10; r++)
    #pragma unroll
    for (int g = 0; g < 8; g++) {
      const int a = g & 3, b = 4 + ((g + (g >> 2)) & 3), c = 8 + ((g + 2 * (g >> 2)) & 3), d = 12 + ((g + 3 * (g >> 2)) & 3);
      v[a] += v[b] + m[sigma[r][2 * g]]; v[d] = __byte_perm(v[d] ^ v[a], 0, 0x1032); v[c] += v[d]; v[b] = __funnelshift_r(v[b] ^ v[c], v[b] ^ v[c], 12);
      v[a] += v[b] + m[sigma[r][2 * g + 1]]; v[d] = __byte_perm(v[d] ^ v[a], 0, 0x0321); v[c] += v[d]; v[b] = __funnelshift_r(v[b] ^ v[c], v[b] ^ v[c], 7);
    }
  #pragma unroll
  for (int k = 0; k < 8; k++) v[k] ^= v[k + 8] ^ start[k] ^ (k ? 0 : 0x01010020u);
  out[(size_t)i * 2] = make_uint4(v[0], v[1], v[2], v[3]); out[(size_t)i * 2 + 1] = make_uint4(v[4], v[5], v[6], v[7]);
}

// ---------------------------------------------------------------- graphs
K k_independent_set(const int* neighbour, const unsigned char* state, unsigned char* next, int n, int mask) {   // a round of Luby's: who beats all neighbours that are still open goes in
  int v = GLOBAL_X; if (v >= n) return; int mine = state[v] % 5; if (mine > 2) mine = 0;
  if (mine == 0) {
    uint32_t p = mix32(v); int degree = (p >> 7 & 15) + 1; bool best = true;
    for (int k = 0; k < degree; k++) {
      int u = neighbour[v * 16 + k] & mask; if (u == v) continue;
      int other = state[u] % 5; if (other == 1) { mine = 2; break; }
      if (other != 2) { uint32_t q = mix32(u); if (q > p) best = false; }
    }
    if (mine == 0 && best) mine = 1;
  }
  next[v] = mine;
}
K k_label_vote(const int* neighbour, const int* label, int* next, int n, int mask) {   // the label that most neighbours have, an edge a lane, a vertex a warp
  int v = GLOBAL_X >> 5, lane = threadIdx.x & 31; if (v >= n) return; int degree = (mix32(v) >> 9 & 31) + 1; bool in = lane < degree; int l = in ? label[neighbour[v * 32 + lane] & mask] & 31 : 64 + lane;
  unsigned same = __match_any_sync(~0u, l), best = __reduce_max_sync(~0u, in ? (unsigned)__popc(same) << 8 | (255 - l) : 0u); if (lane == 0) next[v] = 255 - (best & 255);
}
K k_many_searches(const int* neighbour, const u64* seen, const u64* frontier, u64* next, u64* found, int n, int mask) {   // 64 breadth-first searches a step, a bit each
  int v = GLOBAL_X; int c = 0;
  if (v < n) {
    u64 s = seen[v], open = ~s, f = 0; int degree = (mix32(v) >> 3 & 15) + 1; for (int k = 0; k < degree && (open & ~f); k++) f |= frontier[neighbour[(size_t)k * n + v] & mask];
    f &= open; next[v] = f; c = __popcll(f);
  }
  c = __reduce_add_sync(~0u, c); if ((threadIdx.x & 31) == 0 && c) atomicAdd(found, (u64)c);
}

// ---------------------------------------------------------------- images, video and sound
K k_edge_thin(const unsigned char* in, unsigned char* out, int n) {   // gradients in a tile of 18 x 18, then only what is greatest along its direction
  __shared__ unsigned char s[20][20]; __shared__ int g[18][19]; int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, x0 = blockIdx.x * 16, y0 = blockIdx.y * 16;
  for (int k = t; k < 400; k += 256) { int x = min(max(x0 + k % 20 - 2, 0), n - 1), y = min(max(y0 + k / 20 - 2, 0), n - 1); s[k / 20][k % 20] = in[y * n + x]; }
  __syncthreads();
  for (int k = t; k < 324; k += 256) {
    int x = k % 18, y = k / 18, gx = s[y][x + 2] + 2 * s[y + 1][x + 2] + s[y + 2][x + 2] - s[y][x] - 2 * s[y + 1][x] - s[y + 2][x], gy = s[y + 2][x] + 2 * s[y + 2][x + 1] + s[y + 2][x + 2] - s[y][x] - 2 * s[y][x + 1] - s[y][x + 2], ax = abs(gx), ay = abs(gy);
    int way = 5 * ay < 2 * ax ? 0 : 5 * ax < 2 * ay ? 2 : (gx ^ gy) >= 0 ? 1 : 3; g[y][x] = (ax + ay) << 2 | way;
  }
  __syncthreads(); int m = g[ty + 1][tx + 1], a, b;
  switch (m & 3) { case 0: a = g[ty + 1][tx]; b = g[ty + 1][tx + 2]; break; case 1: a = g[ty][tx]; b = g[ty + 2][tx + 2]; break; case 2: a = g[ty][tx + 1]; b = g[ty + 2][tx + 1]; break; default: a = g[ty][tx + 2]; b = g[ty + 2][tx]; }
  m >>= 2; out[(y0 + ty) * n + x0 + tx] = m <= (a >> 2) || m < (b >> 2) ? 0 : m > 400 ? 255 : m > 150 ? 128 : 0;
}
K k_median_5x5(const unsigned char* in, unsigned char* out, int n) {   // by forgetting the least and the greatest, in registers, 32 x 8 pixels a block
  __shared__ unsigned char s[12][36]; int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * 8; for (int k = ty * 32 + tx; k < 432; k += 256) { int x = min(max(x0 + k % 36 - 2, 0), n - 1), y = min(max(y0 + k / 36 - 2, 0), n - 1); s[k / 36][k % 36] = in[y * n + x]; }
  __syncthreads(); int v[14];
  #pragma unroll
  for (int k = 0; k < 14; k++) v[k] = s[ty + k / 5][tx + k % 5];
  #pragma unroll
  for (int m = 14; m >= 3; m--) {
    #pragma unroll
    for (int k = 1; k < m; k++) { int l = min(v[0], v[k]); v[k] = max(v[0], v[k]); v[0] = l; }
    #pragma unroll
    for (int k = 1; k < m - 1; k++) { int h = max(v[m - 1], v[k]); v[k] = min(v[m - 1], v[k]); v[m - 1] = h; }
    if (m > 3) v[0] = s[ty + (28 - m) / 5][tx + (28 - m) % 5];
  }
  out[(y0 + ty) * n + x0 + tx] = v[1];
}
static __device__ uint32_t census(const unsigned char* p, int x, int y, int w, int h) {
  int c = p[y * w + x]; uint32_t m = 0; for (int j = -2; j <= 2; j++) { int row = min(max(y + j, 0), h - 1) * w; for (int i = -2; i <= 2; i++) m = m << 1 | (p[row + min(max(x + i, 0), w - 1)] < c); }
  return m;
}
K k_stereo_census(const unsigned char* left, const unsigned char* right, unsigned char* out, int w, int h) {   // the shift of 32 whose 25 comparisons agree best, 128 pixels a block
  __shared__ uint32_t r[160]; int t = threadIdx.x, x = blockIdx.x * 128 + t, y = blockIdx.y; for (int k = t; k < 159; k += 128) r[k] = census(right, max((int)blockIdx.x * 128 + k - 31, 0), y, w, h);
  uint32_t c = census(left, x, y, w, h); __syncthreads(); int best = 1 << 20;
  #pragma unroll 8
  for (int d = 0; d < 32; d++) best = min(best, __popc(c ^ r[t + 31 - d]) << 8 | d);
  out[y * w + x] = best & 255;
}
K k_distance_parabolas(const int* in, float* out, int n) {   // lower envelope over 64 rows, a column a thread with three arrays of its own
  int i = GLOBAL_X; if (i >= n) return; float f[64], z[65]; int v[64], k = 0; for (int q = 0; q < 64; q++) f[q] = (in[q * n + i] & 15) == 0 ? 0.f : 1e5f;
  v[0] = 0; z[0] = -1e20f; z[1] = 1e20f;
  for (int q = 1; q < 64; q++) {
    float s = ((f[q] + q * q) - (f[v[k]] + v[k] * v[k])) / (2 * q - 2 * v[k]); while (s <= z[k]) { k--; s = ((f[q] + q * q) - (f[v[k]] + v[k] * v[k])) / (2 * q - 2 * v[k]); }
    k++; v[k] = q; z[k] = s; z[k + 1] = 1e20f;
  }
  k = 0; for (int q = 0; q < 64; q++) { while (z[k + 1] < q) k++; int d = q - v[k]; out[q * n + i] = d * d + f[v[k]]; }
}
__constant__ unsigned char ZIGZAG[64] = {0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};
__constant__ short4 QUANTUM[16] = {{16, 11, 12, 14}, {12, 10, 16, 14}, {13, 14, 18, 17}, {16, 19, 24, 40}, {26, 24, 22, 22}, {24, 49, 35, 37}, {29, 40, 58, 51}, {61, 60, 57, 51}, {56, 55, 64, 72}, {92, 78, 64, 68}, {87, 69, 55, 56}, {80, 109, 81, 87}, {95, 98, 103, 104}, {103, 62, 77, 113}, {121, 112, 100, 120}, {92, 101, 103, 99}};
static __device__ __forceinline__ void inverse_cosine(int* d, int shift) {   // whole numbers, constants of 13 bits
  int z1 = (d[2] + d[6]) * 4433, t2 = z1 - d[6] * 15137, t3 = z1 + d[2] * 6270, t0 = (d[0] + d[4]) << 13, t1 = (d[0] - d[4]) << 13, a0 = t0 + t3, a3 = t0 - t3, a1 = t1 + t2, a2 = t1 - t2, half = 1 << (shift - 1);
  t0 = d[7]; t1 = d[5]; t2 = d[3]; t3 = d[1]; z1 = t0 + t3; int z2 = t1 + t2, z3 = t0 + t2, z4 = t1 + t3, z5 = (z3 + z4) * 9633; t0 *= 2446; t1 *= 16819; t2 *= 25172; t3 *= 12299; z1 *= -7373; z2 *= -20995; z3 = z3 * -16069 + z5; z4 = z4 * -3196 + z5; t0 += z1 + z3; t1 += z2 + z4; t2 += z2 + z3; t3 += z1 + z4;
  d[0] = (a0 + t3 + half) >> shift; d[7] = (a0 - t3 + half) >> shift; d[1] = (a1 + t2 + half) >> shift; d[6] = (a1 - t2 + half) >> shift; d[2] = (a2 + t1 + half) >> shift; d[5] = (a2 - t1 + half) >> shift; d[3] = (a3 + t0 + half) >> shift; d[4] = (a3 - t0 + half) >> shift;
}
K k_jpeg_inverse(const short4* in, uint2* out, int across) {   // coefficients in zigzag order to bytes, eight threads a block of 8 x 8, eight of them a block of threads
  __shared__ int s[8][8][9]; int b = threadIdx.x >> 3, c = threadIdx.x & 7, id = blockIdx.x * 8 + b, d[8];
  #pragma unroll
  for (int k = 0; k < 2; k++) {
    short4 v = in[(size_t)id * 16 + c * 2 + k], q = QUANTUM[c * 2 + k]; short e[4] = {v.x, v.y, v.z, v.w}, u[4] = {q.x, q.y, q.z, q.w};
    #pragma unroll
    for (int j = 0; j < 4; j++) { int at = ZIGZAG[c * 8 + k * 4 + j]; s[b][at >> 3][at & 7] = (e[j] >> 11) * u[j]; }
  }
  __syncwarp();
  #pragma unroll
  for (int k = 0; k < 8; k++) d[k] = s[b][k][c];
  inverse_cosine(d, 11);
  #pragma unroll
  for (int k = 0; k < 8; k++) s[b][k][c] = d[k];
  __syncwarp();
  #pragma unroll
  for (int k = 0; k < 8; k++) d[k] = s[b][c][k];
  inverse_cosine(d, 18); uint32_t w[2] = {0, 0};
  #pragma unroll
  for (int k = 0; k < 8; k++) w[k >> 2] |= (uint32_t)min(max(d[k] + 128, 0), 255) << (8 * (k & 3));
  out[(size_t)(id / across * 8 + c) * across + id % across] = make_uint2(w[0], w[1]);
}
static __device__ __forceinline__ uint32_t rgb_of(int y, int u, int v) { y = (y - 16) * 298 + 128; int r = (y + 409 * v) >> 8, g = (y - 100 * u - 208 * v) >> 8, b = (y + 516 * u) >> 8; return min(max(r, 0), 255) | min(max(g, 0), 255) << 8 | min(max(b, 0), 255) << 16; }
K k_nv12_to_rgb(const uchar4* luma, const uchar4* chroma, uint32_t* out, int width, int height) {   // 4 x 2 pixels a thread, three bytes a pixel
  int x = GLOBAL_X, y = GLOBAL_Y, w = width / 4; if (x >= w || y >= height / 2) return; uchar4 c = chroma[y * w + x]; int u0 = c.x - 128, v0 = c.y - 128, u1 = c.z - 128, v1 = c.w - 128;
  #pragma unroll
  for (int r = 0; r < 2; r++) {
    uchar4 l = luma[(2 * y + r) * w + x]; uint32_t a = rgb_of(l.x, u0, v0), b = rgb_of(l.y, u0, v0), d = rgb_of(l.z, u1, v1), e = rgb_of(l.w, u1, v1); uint32_t* o = out + (size_t)((2 * y + r) * w + x) * 3;
    o[0] = a | b << 24; o[1] = b >> 8 | d << 16; o[2] = d >> 16 | e << 8;
  }
}
K k_bc1_encode(const uint4* in, uint2* out, int across, int n) {   // 4 x 4 pixels a thread into eight bytes: the corners of their colours and two bits a pixel
  int i = GLOBAL_X; if (i >= n) return; int bx = i % across, by = i / across; uint32_t p[16], low = 0xffffffffu, high = 0;
  #pragma unroll
  for (int k = 0; k < 4; k++) { uint4 v = in[(size_t)(by * 4 + k) * across + bx]; p[4 * k] = v.x; p[4 * k + 1] = v.y; p[4 * k + 2] = v.z; p[4 * k + 3] = v.w; }
  #pragma unroll
  for (int k = 0; k < 16; k++) { low = __vminu4(low, p[k]); high = __vmaxu4(high, p[k]); }
  int hr = high & 255, hg = high >> 8 & 255, hb = high >> 16 & 255, lr = low & 255, lg = low >> 8 & 255, lb = low >> 16 & 255; uint32_t c0 = hr >> 3 << 11 | hg >> 2 << 5 | hb >> 3, c1 = lr >> 3 << 11 | lg >> 2 << 5 | lb >> 3, index = 0; int dr = hr - lr, dg = hg - lg, db = hb - lb, all = dr * dr + dg * dg + db * db;
  if (c0 != c1) {
    #pragma unroll
    for (int k = 0; k < 16; k++) { int dot = ((int)(p[k] & 255) - lr) * dr + ((int)(p[k] >> 8 & 255) - lg) * dg + ((int)(p[k] >> 16 & 255) - lb) * db, q = 6 * dot; index |= (q < all ? 1u : q < 3 * all ? 3u : q < 5 * all ? 2u : 0u) << (2 * k); }
  }
  out[i] = make_uint2(c0 | c1 << 16, index);
}
K __launch_bounds__(64) k_fft_registers_16(const float2* in, float2* out, int n) {   // 16 points a thread, all in registers
  const float co[8] = {1.f, 0.92387953f, 0.70710678f, 0.38268343f, 0.f, -0.38268343f, -0.70710678f, -0.92387953f}, si[8] = {0.f, -0.38268343f, -0.70710678f, -0.92387953f, -1.f, -0.92387953f, -0.70710678f, -0.38268343f};
  int i = GLOBAL_X; if (i >= n) return; float2 a[16];
  #pragma unroll
  for (int k = 0; k < 16; k++) a[k] = in[(size_t)k * n + i];
  #pragma unroll
  for (int s = 0; s < 4; s++)
    #pragma unroll
    for (int j = 0; j < 8; j++) {
      const int l = 8 >> s, o = j % l, p = j / l * 2 * l + o, q = p + l, w = o << s; float2 u = a[p], v = a[q], d = make_float2(u.x - v.x, u.y - v.y); a[p] = make_float2(u.x + v.x, u.y + v.y); a[q] = w ? make_float2(d.x * co[w] - d.y * si[w], d.x * si[w] + d.y * co[w]) : d;
    }
  #pragma unroll
  for (int k = 0; k < 16; k++) out[(size_t)((k & 1) << 3 | (k & 2) << 1 | (k & 4) >> 1 | (k & 8) >> 3) * n + i] = a[k];
}
__constant__ short STEP[89] = {7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};
__constant__ signed char MOVE[8] = {-1, -1, -1, -1, 2, 4, 6, 8};
K k_adpcm(const uint32_t* in, short4* out, int n, int words) {   // sound in four bits a sample, the steps in constant memory, a piece a thread
  int i = GLOBAL_X; if (i >= n) return; uint32_t head = in[i]; int value = (short)(head & 0xffff), at = (head >> 16) % 89;
  for (int k = 1; k <= words; k++) {
    uint32_t w = in[k * n + i]; short o[8];
    #pragma unroll
    for (int j = 0; j < 8; j++) { int c = w >> (4 * j) & 15, step = STEP[at], d = step >> 3; if (c & 4) d += step; if (c & 2) d += step >> 1; if (c & 1) d += step >> 2; value = c & 8 ? max(value - d, -32768) : min(value + d, 32767); at = min(max(at + MOVE[c & 7], 0), 88); o[j] = value; }
    out[(size_t)(2 * k - 2) * n + i] = make_short4(o[0], o[1], o[2], o[3]); out[(size_t)(2 * k - 1) * n + i] = make_short4(o[4], o[5], o[6], o[7]);
  }
}

// ---------------------------------------------------------------- games and small machines
__constant__ char PUZZLE[82] = "530070000600195000098000060800060003400803001700020006060000280000419005000080079";
K k_sudoku(const int* seed, int2* out, int n, int most) {   // all ways to fill a grid that lacks two of its numbers, by trial, a grid a thread
  int i = GLOBAL_X; if (i >= n) return; int r = seed[i], turned = r % 9, gone = (r >> 4) % 81, lost = (r >> 11) % 81, row[9], column[9], box[9], empty = 0, depth = 0, found = 0, steps = 0; unsigned char cell[81]; unsigned short left[81], chosen[81];
  for (int k = 0; k < 9; k++) row[k] = column[k] = box[k] = 511;
  for (int k = 0; k < 81; k++) { int d = PUZZLE[k] - '0', y = k / 9, x = k % 9; if (d == 0 || k == gone || k == lost) { cell[empty++] = k; continue; } int bit = 1 << (d - 1 + turned) % 9; row[y] ^= bit; column[x] ^= bit; box[y / 3 * 3 + x / 3] ^= bit; }
  left[0] = row[cell[0] / 9] & column[cell[0] % 9] & box[cell[0] / 27 * 3 + cell[0] % 9 / 3];
  while (depth >= 0 && steps < most) {
    steps++; bool back = left[depth] == 0; if (back && --depth < 0) break;
    int k = cell[depth], y = k / 9, x = k % 9, b = y / 3 * 3 + x / 3;
    if (back) { int bit = chosen[depth]; row[y] ^= bit; column[x] ^= bit; box[b] ^= bit; continue; }
    int m = left[depth], bit = m & -m; left[depth] = m ^ bit; if (depth == empty - 1) { found++; continue; }
    row[y] ^= bit; column[x] ^= bit; box[b] ^= bit; chosen[depth] = bit; depth++; k = cell[depth]; left[depth] = row[k / 9] & column[k % 9] & box[k / 27 * 3 + k % 9 / 3];
  }
  out[i] = make_int2(found, steps);
}
K k_sat_check(const int* clause, const uint32_t* assignment, int* most, int clauses) {   // clauses of three, 32 assignments a thread, a bit each, counted in nine planes
  extern __shared__ uint32_t value[]; int t = threadIdx.x, i = GLOBAL_X; for (int k = 0; k < 96; k++) value[k * 64 + t] = mix32(assignment[i] + k);
  uint32_t plane[9] = {};   // a thread reads what it wrote
  for (int k = 0; k < clauses; k++) {
    int c = clause[k]; uint32_t a = value[(c & 31) * 64 + t], b = value[(32 + (c >> 5 & 31)) * 64 + t], d = value[(64 + (c >> 10 & 31)) * 64 + t]; if (c & 0x8000) a = ~a; if (c & 0x10000) b = ~b; if (c & 0x20000) d = ~d; uint32_t carry = a | b | d;
    #pragma unroll
    for (int p = 0; p < 9; p++) { uint32_t s = plane[p] & carry; plane[p] ^= carry; carry = s; }
  }
  uint32_t who = ~0u; int best = 0;
  #pragma unroll
  for (int p = 8; p >= 0; p--) if (who & plane[p]) { who &= plane[p]; best |= 1 << p; }
  most[i] = best; best = __reduce_max_sync(~0u, best); if ((t & 31) == 0) atomicMax(&most[gridDim.x * 64], best);
}
enum { STOP, AND_ONE, JUMP_ZERO, TIMES, PLUS, JUMP, HALVE, XOR, COPY };
__constant__ uint32_t PROGRAM[13] = {AND_ONE | 1 << 4 | 0 << 8, JUMP_ZERO | 1 << 4 | 5 << 16, TIMES | 0 << 4 | 3 << 16, PLUS | 0 << 4 | 1 << 16, JUMP | 6 << 16, HALVE | 0 << 4, PLUS | 2 << 4 | 1 << 16, XOR | 3 << 4 | 0 << 8, COPY | 4 << 4 | 0 << 8, PLUS | 4 << 4 | 0xffffu << 16, JUMP_ZERO | 4 << 4 | 12 << 16, JUMP | 0 << 16, STOP};
K k_bytecode_machine(const int* in, int4* out, int n, int most) {   // a program in constant memory, eight registers in local memory, a machine a thread
  int i = GLOBAL_X; if (i >= n) return; unsigned r[8] = {(unsigned)(in[i] >> 12) + 2, 0, 0, 0, 0, 0, 0, 0}; int at = 0, steps = 0; bool on = true;
  while (on && steps++ < most) {
    uint32_t c = PROGRAM[at++]; unsigned a = c >> 4 & 7, b = c >> 8 & 7; int k = (int)c >> 16;
    switch (c & 15) {
      case STOP: on = false; break;
      case AND_ONE: r[a] = r[b] & 1; break;
      case JUMP_ZERO: if (r[a] == 0) at = k; break;
      case TIMES: r[a] *= k; break;
      case PLUS: r[a] += k; break;
      case JUMP: at = k; break;
      case HALVE: r[a] >>= 1; break;
      case XOR: r[a] ^= r[b]; break;
      case COPY: r[a] = r[b]; break;
    }
  }
  out[i] = make_int4(r[0], r[2], r[3], steps);
}
K k_matrix_chain(const int* size, unsigned* out, int n) {   // the cheapest way to multiply up to 64 matrices, a chain a block
  __shared__ unsigned m[64][65]; __shared__ int d[65]; int t = threadIdx.x; for (int k = t; k <= n; k += 64) d[k] = (size[blockIdx.x * 65 + k] & 31) + 1;
  m[t][t] = 0; __syncthreads();
  for (int l = 1; l < n; l++) {
    int i = t, j = t + l; if (j < n) { unsigned best = ~0u; int e = d[i] * d[j + 1]; for (int k = i; k < j; k++) best = min(best, m[i][k] + m[k + 1][j] + e * d[k + 1]); m[i][j] = best; }
    __syncthreads();
  }
  if (t < n) out[blockIdx.x * 64 + t] = m[0][t];
}
K k_newton_tiles(unsigned* ticket, unsigned char* out, int n) {   // which root of z^3 = 1 Newton's steps end in; blocks that stay take tile after tile of 32 x 8
  __shared__ unsigned tile; int x = threadIdx.x, y = threadIdx.y; unsigned across = n / 32, all = across * (n / 8);
  while (true) {
    __syncthreads(); if (x == 0 && y == 0) tile = atomicAdd(ticket, 1u);
    __syncthreads(); unsigned k = tile; if (k >= all) return;
    int px = k % across * 32 + x, py = k / across * 8 + y, it = 0; float a = (px + 0.5f) * 4.f / n - 2.f, b = (py + 0.5f) * 4.f / n - 2.f;
    while (it < 48) { float p = a * a - b * b, q = 2.f * a * b, r = p * a - q * b - 1.f, s = p * b + q * a, d = 3.f * (p * p + q * q) + 1e-20f, u = (r * p + s * q) / d, v = (s * p - r * q) / d; a -= u; b -= v; it++; if (u * u + v * v < 1e-10f) break; }
    out[py * n + px] = it * 4 + (a > 0.5f ? 0 : b > 0 ? 1 : 2);
  }
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
  for (int g : {128, 4096}) RUN(NAMED("rope_to_pages", g), k_rope_to_pages, g, dim3(32, 8), 0, INTS("key", g * 512, 1), INTS("position", g, 2), buf("table", F(g / 16), CHAIN, 0, false, 5), IN("turn", 1024 * 128, 3), OUT("cache", g * 512), i32(8));
  for (int g : {33, 2048}) RUN(NAMED("residual_norm_bf16", g), k_residual_norm_bf16, g, 160, 0, INTS("x", g * 2560, 1), buf("residual", F(g * 2560), HASH_I32, 2, true), INTS("weight", 2560, 3), OUT("out", g * 2560));
  for (int n : {1024, 16384}) RUN(NAMED("top_k_threshold", n), k_top_k_threshold, n < 4096 ? 16 : 264, 256, 0, IN("logit", (n < 4096 ? 16 : 264) * n, 1), OUT("key", 528), OUT("mask", (n < 4096 ? 16 : 264) * n / 32), i32(n), i32(40));
  for (int g : {8, 264}) RUN(NAMED("sample_token", g), k_sample_token, g, 512, 0, IN("logit", g * (g < 100 ? 2048 : 32768), 1), INTS("seed", g, 2), OUT("token", g), i32(g < 100 ? 2048 : 32768), FLOAT(0.1));
  for (int g : {33, 1024}) RUN(NAMED("copy_pages", g), k_copy_pages, g, 256, 0, INTS("from", (g < 100 ? 32 : 1024) * 8192, 1), OUT("to", g * 8192), INTS("source", g, 2), buf("target", F(g), CHAIN, 0, false, 7), i32(g < 100 ? 31 : 1023));
  for (int n : {256, 8192}) RUN(NAMED("q4_q8_dot", n), k_q4_q8_dot, n / 4, dim3(32, 4), 0, INTS("weight", n * 576, 1), INTS("x", 1152, 2), OUT("out", n), i32(128));
  for (int n : {256, 8192}) RUN(NAMED("fp8_rows", n), k_fp8_rows, n, 128, 0, INTS("weight", n * 1024, 1), INTS("x", 2048, 2), OUT("out", n), i32(256));
  for (int n : {16, 1024}) RUN(NAMED("geglu_half2", n), k_geglu_half2, n < 100 ? 66 : 1056, 256, 0, INTS("in", n * 4096, 1), OUT("out", n * 2048), i32(n), i32(2048));
  for (int n : {1024, 65536}) RUN(NAMED("expert_slots", n), k_expert_slots, 1, 256, 0, INTS("expert", n, 1), OUT("sorted", n + 1024), OUT("owner", n / 16 + 64), OUT("ends", 64), i32(n));
  for (int g : {66, 8192}) RUN(NAMED("expert_combine", g), k_expert_combine, g, 96, 0, INTS("rows", (g < 100 ? 256 : 8192) * 384, 1), INTS("slot", g * 4, 2), IN("weight", g * 4, 3), OUT("out", g * 384), i32(g < 100 ? 255 : 8191));
  for (int n : {40, 264}) RUN(NAMED("accept_drafts", n), k_accept_drafts, n / 2, 64, 0, IN("target", n * 9 * (n < 100 ? 1000 : 4000), 1), IN("draft", n * 8 * (n < 100 ? 1000 : 4000), 2), INTS("token", n * 8, 3), OUT("accepted", n), OUT("next", n), i32(n), i32(n < 100 ? 1000 : 4000));
  for (int g : {8, 132}) RUN(NAMED("beam_step", g), k_beam_step, g, 128, 0, IN("logit", g * 4 * (g < 100 ? 1000 : 8000), 1), IN("score", g * 4, 2), OUT("out", g * 8), i32(g < 100 ? 1000 : 8000));
  for (int g : {32, 396, 20}) { int length = g == 32 ? 64 : g == 396 ? 768 : 20480; RUN(NAMED("decode_group", g), k_decode_group, g, 128, 0, INTS("query", g * 128, 1), INTS("key", g * 32 * length, 2), INTS("value", g * 32 * length, 3), OUT("out", g * 256), i32(length)); }
  for (int g : {16, 132}) RUN(NAMED("penalise_repeats", g), k_penalise_repeats, g, 320, g < 100 ? 512 : 8000, INTS("history", g * 1000, 1), buf("logit", F(g * (g < 100 ? 4096 : 64000)), HASH_F32, 2, true), i32(g < 100 ? 4096 : 64000), i32(g < 100 ? 100 : 1000));
  for (int n : {132, 4096}) RUN(NAMED("layer_norm_backward", n), k_layer_norm_backward, n < 200 ? 66 : 264, 256, 0, IN("x", n * 1024, 1), IN("dy", n * 1024, 2), IN("weight", 1024, 3), OUT("dx", n * 1024), OUT("dweight", 264 * 1024), OUT("dbias", 264 * 1024), i32(n));
  for (int lg : {14, 20}) RUN(NAMED("adam_master_half_2e", lg), k_adam_master_half, (1 << lg) / 256, 256, 0, OUT("weight", 2 << lg), INTS("gradient", 2 << lg, 1), buf("master", F(4 << lg), HASH_F32, 2, true), buf("first", F(4 << lg), HASH_F32, 3, true), buf("second", F(4 << lg), HASH_F32, 4, true), i32(1 << lg), FLOAT(0.001));
  for (int lg : {10, 16}) RUN(NAMED("embedding_gradient_fixed_2e", lg), k_embedding_gradient_fixed, (1 << lg) / 4, dim3(64, 4), 0, INTS("token", 1 << lg, 1), IN("gradient", 64 << lg, 2), OUT("table", 8192 * 128), i32(1 << lg), i32(8191));
  for (int n : {528, 32768}) RUN(NAMED("async_bags", n), k_async_bags, n / 4, 128, 0, IN("table", 64 << 14, 1), INTS("id", n * 16, 2), IN("weight", n * 16, 3), OUT("out", n * 64), i32(n), i32(16383));
  for (int lg : {10, 15}) RUN(NAMED("edge_attention_2e", lg), k_edge_attention, (1 << lg) / 8, 256, 0, INTS("neighbour", 32 << lg, 1), IN("left", 1 << lg, 2), IN("right", 1 << lg, 3), IN("feature", 64 << lg, 4), OUT("out", 64 << lg), i32(1 << lg), i32((1 << lg) - 1));
  for (int n : {32, 96}) RUN(NAMED("lattice_d3q19", n), k_lattice_d3q19, dim3(n / 32, n / 4, n), dim3(32, 4), 0, IN("f", 19 * n * n * n, 1), OUT("g", 19 * n * n * n), i32(n), FLOAT(1.2));
  for (int lg : {13, 18}) RUN(NAMED("neighbour_list_forces_2e", lg), k_neighbour_list_forces, (1 << lg) / 128, 128, 0, IN("place", 4 << lg, 1), INTS("list", (lg < 16 ? 16 : 48) << lg, 2), OUT("force", 4 << lg), i32(1 << lg), i32(lg < 16 ? 16 : 48));
  for (int n : {24, 112}) RUN(NAMED("prolong_grid", n), k_prolong_grid, dim3((2 * n + 31) / 32, n, (2 * n + 3) / 4), dim3(32, 2, 4), 0, IN("coarse", n * n * n, 1), buf("fine", F(8 * n * n * n), HASH_F32, 2, true), i32(n));
  for (int n : {2112, 32768}) RUN(NAMED("pentadiagonal", n), k_pentadiagonal, n / 64, 64, 0, IN("diagonal", n * 64, 1), IN("right", n * 64, 2), buf("scratch", F(6 * n * 64), ZERO), OUT("out", 2 * n * 64), i32(n), i32(n < 4096 ? 10 : 64));
  for (int g : {66, 2112}) RUN(NAMED("banded_lu", g), k_banded_lu, g, 64, 0, IN("in", g * 1440, 1), OUT("out", g * 1440));
  for (int g : {40, 1320}) RUN(NAMED("ldl_registers", g), k_ldl_registers, g, 96, 0, IN("packed", g * 96 * 36, 1), IN("right", g * 96 * 8, 2), OUT("out", g * 96 * 8), i32(g * 96));
  for (int g : {66, 1056}) RUN(NAMED("jacobi_eigen", g), k_jacobi_eigen, g, 128, 0, IN("in", g * 256, 1), OUT("out", g * 64), i32(g < 100 ? 1 : 6));
  for (int n : {2112, 32768}) RUN(NAMED("dormand_prince", n), k_dormand_prince, n / 64, 64, 0, IN("start", n, 1), OUT("out", n * 4), OUT("steps", n), i32(n), i32(n < 4096 ? 6 : 100));
  for (int lg : {14, 21}) RUN(NAMED("clenshaw_2e", lg), k_clenshaw, (1 << lg) / 512, 128, 0, IN("x", 1 << lg, 1), IN("coefficient", 128, 2), OUT("out", 2 << lg), i32(1 << lg), i32(lg < 16 ? 24 : 96));
  for (int n : {256, 2048}) RUN(NAMED("stencil_async", n), k_stencil_async, dim3(n / 128, n / 32), 128, 0, IN("in", (n + 8) * (n + 4), 1), OUT("out", n * n), i32(n), i32(32));
  for (int lg : {14, 21}) RUN(NAMED("philox_normals_2e", lg), k_philox_normals, lg < 20 ? 64 : 1056, 256, 0, OUT("out", 4 << lg), i32(1 << lg), i32(1234));
  for (int lg : {13, 18}) RUN(NAMED("harmonics_colour_2e", lg), k_harmonics_colour, (1 << lg) / 128, 128, 0, IN("harmonics", 48 << lg, 1), IN("place", 3 << lg, 2), OUT("out", 1 << lg), i32(1 << lg));
  for (int g : {66, 2048}) RUN(NAMED("block_radix_sort", g), k_block_radix_sort, g, 256, 0, INTS("in", g * 1024, 1), OUT("out", g * 1024));
  for (int g : {66, 2112}) RUN(NAMED("select_bits", g), k_select_bits, g, 256, 0, INTS("bits", g * 256, 1), INTS("query", g * 2048, 2), OUT("out", g * 2048), i32(g < 100 ? 256 : 2048));
  for (int g : {33, 2112}) RUN(NAMED("json_masks", g), k_json_masks, g, 128, 0, INTS("text", g * 1024, 1), OUT("inside", g * 128), OUT("marks", g * 128));
  for (int g : {33, 528, 16}) { int rounds = g == 33 ? 1 : g == 528 ? 8 : 200; RUN(NAMED("crc_combine", g), k_crc_combine, g, 128, 0, INTS("in", g * 4 * 128 * rounds, 1), OUT("out", g * 4), i32(rounds)); }
  for (int lg : {16, 23}) RUN(NAMED("hyperloglog_2e", lg), k_hyperloglog, lg < 20 ? 66 : 396, 320, 0, INTS("in", 1 << lg, 1), OUT("registers", 2048), i32(1 << lg));
  for (int lg : {16, 21}) RUN(NAMED("group_extremes_2e", lg), k_group_extremes, lg < 20 ? 66 : 528, 256, 0, INTS("key", 1 << lg, 1), INTS("value", 1 << lg, 2), OUT("sum", 1000), OUT("low", 500), OUT("high", 500), i32(1 << lg));
  for (int lg : {13, 18}) RUN(NAMED("pattern_automaton_2e", lg), k_pattern_automaton, (1 << lg) / 128, 128, 0, INTS("table", 2048, 1), INTS("text", 16 << lg, 2), OUT("hits", 1 << lg), i32(1 << lg));
  for (int g : {33, 2112}) RUN(NAMED("varint_decode", g), k_varint_decode, g, 96, 0, INTS("in", g * 768, 1), OUT("out", g * 3072), OUT("count", g * 3));
  for (int n : {4224, 131072}) RUN(NAMED("gorilla_bits", n), k_gorilla_bits, n / 64, 64, 0, INTS("in", n * 32, 1), OUT("out", n * 46), OUT("length", n), i32(n));
  for (int lg : {13, 19}) RUN(NAMED("blake2s_2e", lg), k_blake2s, (1 << lg) / 128, 128, 0, INTS("in", 16 << lg, 1), OUT("out", 8 << lg), i32(1 << lg));
  for (int lg : {14, 20}) RUN(NAMED("independent_set_2e", lg), k_independent_set, (1 << lg) / 256, 256, 0, INTS("neighbour", 16 << lg, 1), INTS("state", (1 << lg) / 4, 2), OUT("next", (1 << lg) / 4), i32(1 << lg), i32((1 << lg) - 1));
  for (int lg : {11, 17}) RUN(NAMED("label_vote_2e", lg), k_label_vote, (1 << lg) / 8, 256, 0, INTS("neighbour", 32 << lg, 1), INTS("label", 1 << lg, 2), OUT("next", 1 << lg), i32(1 << lg), i32((1 << lg) - 1));
  for (int lg : {14, 20}) RUN(NAMED("many_searches_2e", lg), k_many_searches, (1 << lg) / 192 + 1, 192, 0, INTS("neighbour", 16 << lg, 1), INTS("seen", 2 << lg, 2), INTS("frontier", 2 << lg, 3), OUT("next", 2 << lg), OUT("found", 2), i32(1 << lg), i32((1 << lg) - 1));
  for (int n : {256, 2048}) RUN(NAMED("edge_thin", n), k_edge_thin, dim3(n / 16, n / 16), dim3(16, 16), 0, INTS("in", n * n / 4, 1), OUT("out", n * n / 4), i32(n));
  for (int n : {256, 1024}) RUN(NAMED("median_5x5", n), k_median_5x5, dim3(n / 32, n / 8), dim3(32, 8), 0, INTS("in", n * n / 4, 1), OUT("out", n * n / 4), i32(n));
  for (int n : {128, 1024}) RUN(NAMED("stereo_census", n), k_stereo_census, dim3(n / 128, n), 128, 0, INTS("left", n * n / 4, 1), INTS("right", n * n / 4, 2), OUT("out", n * n / 4), i32(n), i32(n));
  for (int n : {1056, 16384}) RUN(NAMED("distance_parabolas", n), k_distance_parabolas, n / 32, 32, 0, INTS("in", n * 64, 1), OUT("out", n * 64), i32(n));
  for (int n : {256, 2048}) RUN(NAMED("jpeg_inverse", n), k_jpeg_inverse, n * n / 512, 64, 0, INTS("in", n * n / 2, 1), OUT("out", n * n / 4), i32(n / 8));
  for (int n : {320, 2560}) RUN(NAMED("nv12_to_rgb", n), k_nv12_to_rgb, dim3((n / 4 + 31) / 32, (n / 4 + 7) / 8), dim3(32, 8), 0, INTS("luma", n * (n / 2) / 4, 1), INTS("chroma", n * (n / 4) / 4, 2), OUT("out", n * (n / 2) / 4 * 3), i32(n), i32(n / 2));
  for (int n : {256, 2048}) RUN(NAMED("bc1_encode", n), k_bc1_encode, n * n / 16 / 64, 64, 0, INTS("in", n * n, 1), OUT("out", n * n / 8), i32(n / 4), i32(n * n / 16));
  for (int lg : {12, 18}) RUN(NAMED("fft_registers_16_2e", lg), k_fft_registers_16, (1 << lg) / 64, 64, 0, IN("in", 32 << lg, 1), OUT("out", 32 << lg), i32(1 << lg));
  for (int n : {2112, 32768}) RUN(NAMED("adpcm", n), k_adpcm, n / 64, 64, 0, INTS("in", n * 17, 1), OUT("out", n * 64), i32(n), i32(n < 4096 ? 4 : 16));
  for (int n : {528, 8192, 1056}) RUN(NAMED("sudoku", n), k_sudoku, n / 16, 16, 0, INTS("seed", n, 1), OUT("out", n * 2), i32(n), i32(n == 528 ? 40 : n == 8192 ? 400 : 4000));
  for (int g : {33, 1056}) RUN(NAMED("sat_check", g), k_sat_check, g, 64, 24576, INTS("clause", 500, 1), INTS("assignment", g * 64, 2), OUT("most", g * 64 + 1), i32(g < 100 ? 100 : 500));
  for (int n : {2112, 65536}) RUN(NAMED("bytecode_machine", n), k_bytecode_machine, n / 64, 64, 0, INTS("in", n, 1), OUT("out", n * 4), i32(n), i32(n < 4096 ? 60 : 600));
  for (int g : {33, 1056}) RUN(NAMED("matrix_chain", g), k_matrix_chain, g, 64, 0, INTS("size", g * 65, 1), OUT("out", g * 64), i32(g < 100 ? 24 : 64));
  for (int n : {256, 2048}) RUN(NAMED("newton_tiles", n), k_newton_tiles, n < 512 ? 132 : 528, dim3(32, 8), 0, buf("ticket", 4, ZERO), OUT("out", n * n / 4), i32(n));
}
