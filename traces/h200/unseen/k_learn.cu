// Kernels of neural-network training and inference.
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#define K extern "C" __global__ void
#define WARP_SIZE 32
#define FULL_MASK 0xffffffffu

template <typename T>
__device__ __forceinline__ T warp_reduce_sum(T x) {
#pragma unroll
  for (int mask = WARP_SIZE / 2; mask > 0; mask >>= 1) x += __shfl_xor_sync(FULL_MASK, x, mask);
  return x;
}

__device__ __forceinline__ float warp_reduce_max(float x) {
#pragma unroll
  for (int mask = WARP_SIZE / 2; mask > 0; mask >>= 1) x = fmaxf(x, __shfl_xor_sync(FULL_MASK, x, mask));
  return x;
}

using reduction_func_t = float (*)(float);

// All threads of the block get the result; the block is a whole number of warps.
template <reduction_func_t warp_reduction>
__device__ float blockReduce(float val, bool final_sync = false, float out_of_bounds = 0.0f) {
  __shared__ float shared_val[WARP_SIZE];
  const int lane_id = threadIdx.x % WARP_SIZE;
  const int warp_id = threadIdx.x / WARP_SIZE;
  const int num_warps = blockDim.x / WARP_SIZE;
  float warp_val = warp_reduction(val);
  if (lane_id == 0) shared_val[warp_id] = warp_val;
  __syncthreads();
  warp_val = (lane_id < num_warps) ? shared_val[lane_id] : out_of_bounds;
  float block_val = warp_reduction(warp_val);
  if (final_sync) __syncthreads();
  return block_val;
}

// A pack of 128 bits, loaded and stored in one instruction.
template <class ElementType>
struct alignas(16) Packed128 {
  static constexpr int size = 16 / sizeof(ElementType);
  ElementType payload[size];
  __device__ ElementType& operator[](int i) { return payload[i]; }
  __device__ const ElementType& operator[](int i) const { return payload[i]; }
};
template <class E>
__device__ Packed128<E> load128(const E* p) {
  Packed128<E> r;
  *reinterpret_cast<int4*>(&r) = *reinterpret_cast<const int4*>(p);
  return r;
}
template <class E>
__device__ void store128(E* p, Packed128<E> v) {
  *reinterpret_cast<int4*>(p) = *reinterpret_cast<int4*>(&v);
}
using f128 = Packed128<float>;
using bf128 = Packed128<__nv_bfloat16>;

// ---------------------------------------------------------------- attention

// Forward attention with online softmax. One block per (head, 32 queries), four threads per query.
//! flash_fwd_d64 8x6 128 buffer:Q:384KiB:hash_f32:1 buffer:Kt:384KiB:hash_f32:2 buffer:V:384KiB:hash_f32:3 buffer:O:384KiB:zero buffer:L:6KiB:zero i32:256 f32:0.00125
K flash_fwd_d64(const float* __restrict__ Q, const float* __restrict__ Kt, const float* __restrict__ V,
                float* __restrict__ O, float* __restrict__ L, int T, float scale) {
  constexpr int D = 64, BR = 32, BC = 32, TPQ = 4, DPT = D / TPQ;
  __shared__ float sK[BC][D];
  __shared__ float sV[BC][D];
  const int head = blockIdx.y, qtile = gridDim.x - 1 - blockIdx.x;
  const int tid = threadIdx.x;
  const int qrow = tid / TPQ, part = tid % TPQ;
  const int qi = qtile * BR + qrow;
  const size_t base = (size_t)head * T * D;

  float q[DPT], acc[DPT];
#pragma unroll
  for (int d = 0; d < DPT; ++d) {
    q[d] = Q[base + (size_t)qi * D + d * TPQ + part] * scale;
    acc[d] = 0.f;
  }
  float m = -INFINITY, l = 0.f;

  for (int kt = 0; kt <= qtile; ++kt) {
    const float4* k4 = reinterpret_cast<const float4*>(Kt + base + (size_t)kt * BC * D);
    const float4* v4 = reinterpret_cast<const float4*>(V + base + (size_t)kt * BC * D);
    float4* sk4 = reinterpret_cast<float4*>(&sK[0][0]);
    float4* sv4 = reinterpret_cast<float4*>(&sV[0][0]);
    for (int i = tid; i < BC * D / 4; i += blockDim.x) {
      sk4[i] = k4[i];
      sv4[i] = v4[i];
    }
    __syncthreads();
    for (int j0 = 0; j0 < BC; j0 += 8) {
      float s[8];
      float mnew = m;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        float dot = 0.f;
#pragma unroll
        for (int d = 0; d < DPT; ++d) dot += q[d] * sK[j0 + j][d * TPQ + part];
        dot += __shfl_xor_sync(FULL_MASK, dot, 1);
        dot += __shfl_xor_sync(FULL_MASK, dot, 2);
        s[j] = kt * BC + j0 + j <= qi ? dot : -INFINITY;
        mnew = fmaxf(mnew, s[j]);
      }
      const float corr = __expf(m - mnew);
      l *= corr;
#pragma unroll
      for (int d = 0; d < DPT; ++d) acc[d] *= corr;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const float p = __expf(s[j] - mnew);
        l += p;
#pragma unroll
        for (int d = 0; d < DPT; ++d) acc[d] += p * sV[j0 + j][d * TPQ + part];
      }
      m = mnew;
    }
    __syncthreads();
  }
  const float inv = 1.f / l;
#pragma unroll
  for (int d = 0; d < DPT; ++d) O[base + (size_t)qi * D + d * TPQ + part] = acc[d] * inv;
  if (part == 0) L[head * T + qi] = m + logf(l);
}

// Decode step with a paged KV cache in fp16: a block per (head, sequence), a warp per token.
//! paged_decode_h128 12x6 256 buffer:q:36KiB:hash_f32:4 buffer:kc:2MiB:hash_f32:5 buffer:vc:2MiB:hash_f32:6 buffer:tab:4KiB:hash_i32:7 buffer:lens:64:hash_i32:8 buffer:out:36KiB:zero i32:40 f32:0.001
K paged_decode_h128(const float* __restrict__ q, const __half* __restrict__ kc, const __half* __restrict__ vc,
                    const int* __restrict__ tab, const int* __restrict__ lens, float* __restrict__ out,
                    int max_pages, float scale) {
  constexpr int HEAD = 128, PAGE = 16, WARPS = 8, PAGES = 512;
  __shared__ float logits[WARPS * 80];
  const int head = blockIdx.x, seq = blockIdx.y;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int len = 96 + (lens[seq] & 511);
  const float4 qv = reinterpret_cast<const float4*>(q + (seq * gridDim.x + head) * HEAD)[lane];

  float best = -INFINITY;
  for (int tok = warp; tok < len; tok += WARPS) {
    const int page = (tab[seq * max_pages + tok / PAGE] + head) & (PAGES - 1);
    const __half* row = kc + ((size_t)page * PAGE + tok % PAGE) * HEAD;
    const uint2 raw = __ldg(reinterpret_cast<const uint2*>(row) + lane);
    // The cache is random bits here; the exponent is masked so that values stay finite.
    const uint32_t lo = raw.x & 0xbfffbfffu, hi = raw.y & 0xbfffbfffu;
    const float2 a = __half22float2(*reinterpret_cast<const __half2*>(&lo));
    const float2 b = __half22float2(*reinterpret_cast<const __half2*>(&hi));
    float dot = qv.x * a.x + qv.y * a.y + qv.z * b.x + qv.w * b.y;
    dot = warp_reduce_sum(dot) * scale;
    if (lane == 0) logits[tok] = dot;
    best = fmaxf(best, dot);
  }
  best = blockReduce<warp_reduce_max>(best, true, -INFINITY);
  float sum = 0.f;
  for (int i = threadIdx.x; i < len; i += blockDim.x) {
    const float e = __expf(logits[i] - best);
    logits[i] = e;
    sum += e;
  }
  sum = blockReduce<warp_reduce_sum<float>>(sum, true);
  __syncthreads();
  if (threadIdx.x < HEAD) {
    const float inv = __fdividef(1.f, sum + 1e-6f);
    float acc = 0.f;
    for (int tok = 0; tok < len; ++tok) {
      const int page = (tab[seq * max_pages + tok / PAGE] + head) & (PAGES - 1);
      const unsigned short bits =
          reinterpret_cast<const unsigned short*>(vc)[((size_t)page * PAGE + tok % PAGE) * HEAD + threadIdx.x];
      acc += logits[tok] * __half2float(__ushort_as_half(bits & 0xbfff));
    }
    out[(seq * gridDim.x + head) * HEAD + threadIdx.x] = acc * inv;
  }
}

// ---------------------------------------------------------------- quantised products

#define QK 32
#define QI 4
struct block_q4 {
  uint32_t d;  // scale as the low 16 bits
  uint8_t qs[QK / 2];
};
struct block_q8 {
  uint32_t ds;
  int8_t qs[QK];
};
static_assert(sizeof(block_q4) == 20, "q4");
static_assert(sizeof(block_q8) == 36, "q8");

template <int vdr>
static __device__ __forceinline__ float vec_dot_q4_q8(const int* v, const int* u, float d4, float2 ds8) {
  int sumi = 0;
#pragma unroll
  for (int i = 0; i < vdr; ++i) {
    const int vi0 = (v[i] >> 0) & 0x0F0F0F0F;
    const int vi1 = (v[i] >> 4) & 0x0F0F0F0F;
    sumi = __dp4a(vi0, u[2 * i + 0], sumi);
    sumi = __dp4a(vi1, u[2 * i + 1], sumi);
  }
  return d4 * (sumi * ds8.x - (8 * vdr / QI) * ds8.y);
}

//! mul_mat_vec_q4 256x2 32x4 buffer:w:640KiB:hash_i32:9 buffer:y:9216:hash_i32:10 buffer:dst:8KiB:zero i32:2048 i32:512
K mul_mat_vec_q4(const block_q4* __restrict__ w, const block_q8* __restrict__ y, float* __restrict__ dst, int ncols, int nrows) {
  constexpr int nwarps = 4, vdr = 2, rows_per_block = 2;
  constexpr int blocks_per_iter = vdr * nwarps * WARP_SIZE / QI;
  const int tid = WARP_SIZE * threadIdx.y + threadIdx.x;
  const int row0 = rows_per_block * blockIdx.x;
  const int blocks_per_row = ncols / QK;
  const block_q8* yv = y + blockIdx.y * blocks_per_row;
  __shared__ float tmp_shared[nwarps - 1][rows_per_block][WARP_SIZE];
  float tmp[rows_per_block] = {0.0f};

  for (int kbx = tid / (QI / vdr); kbx < blocks_per_row; kbx += blocks_per_iter) {
    const int kqs = vdr * (tid % (QI / vdr));
    int u[2 * vdr];
#pragma unroll
    for (int i = 0; i < vdr; ++i) {
      u[2 * i] = reinterpret_cast<const int*>(yv[kbx].qs)[kqs + i];
      u[2 * i + 1] = reinterpret_cast<const int*>(yv[kbx].qs)[kqs + i + QI];
    }
    const float2 ds8 = make_float2((yv[kbx].ds & 0xff) * 0.01f, (yv[kbx].ds >> 8 & 0xff) * 0.02f);
#pragma unroll
    for (int i = 0; i < rows_per_block; ++i) {
      const block_q4* b = w + (size_t)(row0 + i) * blocks_per_row + kbx;
      int v[vdr];
#pragma unroll
      for (int j = 0; j < vdr; ++j) v[j] = reinterpret_cast<const int*>(b->qs)[kqs + j];
      tmp[i] += vec_dot_q4_q8<vdr>(v, u, __half2float(__ushort_as_half(b->d & 0x3fff)), ds8);
    }
  }
  if (threadIdx.y > 0) {
#pragma unroll
    for (int i = 0; i < rows_per_block; ++i) tmp_shared[threadIdx.y - 1][i][threadIdx.x] = tmp[i];
  }
  __syncthreads();
  if (threadIdx.y > 0) return;
#pragma unroll
  for (int i = 0; i < rows_per_block; ++i) {
#pragma unroll
    for (int l = 0; l < nwarps - 1; ++l) tmp[i] += tmp_shared[l][i][threadIdx.x];
    tmp[i] = warp_reduce_sum(tmp[i]);
  }
  if (threadIdx.x < rows_per_block && row0 + (int)threadIdx.x < nrows)
    dst[blockIdx.y * nrows + row0 + threadIdx.x] = threadIdx.x == 0 ? tmp[0] : tmp[1];
}

// Tensor-core GEMM in half precision with float accumulation: 64x64 block, four warps of 32x32.
//! hgemm_wmma64 6x5 128 buffer:A:160KiB:hash_f32:11 buffer:B:192KiB:hash_f32:12 buffer:C:480KiB:zero i32:320 i32:384 i32:256
K hgemm_wmma64(const __half* __restrict__ A, const __half* __restrict__ B, float* __restrict__ C, int M, int N, int Kd) {
  using namespace nvcuda;
  constexpr int BMW = 64, BNW = 64, BKW = 32, PAD = 8;
  __shared__ __half sA[BMW][BKW + PAD];
  __shared__ __half sB[BKW][BNW + PAD];
  const int warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) wmma::fill_fragment(c[i][j], 0.0f);

  for (int k0 = 0; k0 < Kd; k0 += BKW) {
#pragma unroll
    for (int l = 0; l < 2; ++l) {
      const int e = (threadIdx.x + l * 128) * 8;
      const int ar = e / BKW, ac = e % BKW;
      *reinterpret_cast<uint4*>(&sA[ar][ac]) =
          *reinterpret_cast<const uint4*>(A + (size_t)(blockIdx.y * BMW + ar) * Kd + k0 + ac);
      const int br = e / BNW, bc = e % BNW;
      *reinterpret_cast<uint4*>(&sB[br][bc]) =
          *reinterpret_cast<const uint4*>(B + (size_t)(k0 + br) * N + blockIdx.x * BNW + bc);
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BKW; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b[2];
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(a[i], &sA[wm + i * 16][kk], BKW + PAD);
        wmma::load_matrix_sync(b[i], &sB[kk][wn + i * 16], BNW + PAD);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const int r = blockIdx.y * BMW + wm + i * 16, col = blockIdx.x * BNW + wn + j * 16;
      if (r < M && col < N) wmma::store_matrix_sync(C + (size_t)r * N + col, c[i][j], N, wmma::mem_row_major);
    }
}

// ---------------------------------------------------------------- normalisation

// dinp of LayerNorm: a warp per row, statistics recomputed from the input.
//! layernorm_dinp 170 128 buffer:dinp:2040KiB:hash_f32:13 buffer:dout:2040KiB:hash_f32:14 buffer:inp:2040KiB:hash_f32:15 buffer:weight:3KiB:hash_f32:16 i32:680 i32:768
K layernorm_dinp(float* __restrict__ dinp, const float* __restrict__ dout, const float* __restrict__ inp,
                 const float* __restrict__ weight, int N, int C) {
  const int warps_per_block = blockDim.x / WARP_SIZE;
  const int idx = blockIdx.x * warps_per_block + threadIdx.x / WARP_SIZE;
  const int lane = threadIdx.x % WARP_SIZE;
  if (idx >= N) return;
  const float* x = inp + (size_t)idx * C;
  const float* dy = dout + (size_t)idx * C;
  float* dx = dinp + (size_t)idx * C;

  float s = 0.0f, s2 = 0.0f;
  for (int i = lane * f128::size; i < C; i += WARP_SIZE * f128::size) {
    f128 v = load128(x + i);
    for (int k = 0; k < f128::size; ++k) {
      s += v[k];
      s2 += v[k] * v[k];
    }
  }
  const float mean = warp_reduce_sum(s) / C;
  const float rstd = rsqrtf(warp_reduce_sum(s2) / C - mean * mean + 1e-5f);

  float dnorm_mean = 0.0f, dnorm_norm_mean = 0.0f;
  for (int i = lane * f128::size; i < C; i += WARP_SIZE * f128::size) {
    f128 v = load128(x + i), g = load128(dy + i), w = load128(weight + i);
    for (int k = 0; k < f128::size; ++k) {
      const float norm = (v[k] - mean) * rstd;
      const float dnorm = w[k] * g[k];
      dnorm_mean += dnorm;
      dnorm_norm_mean += dnorm * norm;
    }
  }
  dnorm_mean = warp_reduce_sum(dnorm_mean) / C;
  dnorm_norm_mean = warp_reduce_sum(dnorm_norm_mean) / C;

  for (int i = lane * f128::size; i < C; i += WARP_SIZE * f128::size) {
    f128 v = load128(x + i), g = load128(dy + i), w = load128(weight + i), d = load128(dx + i);
    for (int k = 0; k < f128::size; ++k) {
      const float norm = (v[k] - mean) * rstd;
      d[k] += (w[k] * g[k] - dnorm_mean - norm * dnorm_norm_mean) * rstd;
    }
    store128(dx + i, d);
  }
}

// GroupNorm followed by SiLU on NHWC activations: a block per (image, group).
//! groupnorm_silu_nhwc 16x6 512 buffer:x:3MiB:hash_f32:17 buffer:gamma:512:hash_f32:18 buffer:beta:512:hash_f32:19 buffer:y:1536KiB:zero i32:1024 i32:128 i32:8
K groupnorm_silu_nhwc(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                      __nv_bfloat16* __restrict__ y, int hw, int c, int cpg) {
  const int group = blockIdx.x;
  const size_t base = (size_t)blockIdx.y * hw * c + group * cpg;
  const int total = hw * cpg;
  float mean = 0.f, m2 = 0.f;
  int n = 0;
  // Welford per thread, merged over the warp and then over the block.
  for (int e = threadIdx.x; e < total; e += blockDim.x) {
    const float v = x[base + (size_t)(e / cpg) * c + e % cpg];
    ++n;
    const float delta = v - mean;
    mean += delta / n;
    m2 += delta * (v - mean);
  }
  __shared__ float s_mean[16], s_m2[16];
  __shared__ int s_n[16];
  auto merge = [&](float mb, float qb, int nb) {
    const int t = n + nb;
    if (t == 0) return;
    const float d = mb - mean, f = (float)nb / t;
    mean += d * f;
    m2 += qb + d * d * n * f;
    n = t;
  };
  for (int o = 16; o > 0; o >>= 1) {
    const float mb = __shfl_down_sync(FULL_MASK, mean, o), qb = __shfl_down_sync(FULL_MASK, m2, o);
    const int nb = __shfl_down_sync(FULL_MASK, n, o);
    merge(mb, qb, nb);
  }
  const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
  if (lane == 0) { s_mean[warp] = mean; s_m2[warp] = m2; s_n[warp] = n; }
  __syncthreads();
  if (warp == 0) {
    const bool has = lane < blockDim.x / 32;
    mean = has ? s_mean[lane] : 0.f; m2 = has ? s_m2[lane] : 0.f; n = has ? s_n[lane] : 0;
    for (int o = 8; o > 0; o >>= 1) {
      const float mb = __shfl_down_sync(FULL_MASK, mean, o), qb = __shfl_down_sync(FULL_MASK, m2, o);
      const int nb = __shfl_down_sync(FULL_MASK, n, o);
      merge(mb, qb, nb);
    }
    if (lane == 0) { s_mean[0] = mean; s_m2[0] = rsqrtf(m2 / n + 1e-5f); }
  }
  __syncthreads();
  mean = s_mean[0];
  const float rstd = s_m2[0];
  for (int e = threadIdx.x; e < total; e += blockDim.x) {
    const int ch = e % cpg;
    const size_t at = base + (size_t)(e / cpg) * c + ch;
    const float v = (x[at] - mean) * rstd * gamma[group * cpg + ch] + beta[group * cpg + ch];
    y[at] = __float2bfloat16(v / (1.f + __expf(-v)));
  }
}

// ---------------------------------------------------------------- losses and optimisers

// Fused softmax cross-entropy, forward and backward in place; one block per token.
//! fused_classifier 72 1024 buffer:logits:2304KiB:hash_f32:20 buffer:losses:512:zero buffer:targets:512:hash_i32:21 i32:8101 i32:8192 f32:0.0138
K fused_classifier(float* __restrict__ logits, float* __restrict__ losses, const int* __restrict__ targets, int V, int P, float dloss) {
  const int idx = gridDim.x - (blockIdx.x + 1);
  const int ix = targets[idx] % V;
  float* row = logits + (size_t)idx * P;

  float thread_max = -INFINITY, thread_sum = 0.0f;
  int i = (V + f128::size - 1) / f128::size + (int)threadIdx.x - (int)blockDim.x;
  // the ragged end first
  while ((i + 1) * f128::size > V) {
    for (int k = 0; k < f128::size; ++k) {
      if (i * f128::size + k >= V) break;
      const float v = row[i * f128::size + k];
      const float old = thread_max;
      thread_max = fmaxf(thread_max, v);
      thread_sum = thread_sum * expf(old - thread_max) + expf(v - thread_max);
    }
    i -= blockDim.x;
  }
  for (; i >= 0; i -= blockDim.x) {
    f128 pack = load128(row + i * f128::size);
    for (int k = 0; k < f128::size; ++k) {
      const float v = pack[k];
      const float old = thread_max;
      thread_max = fmaxf(thread_max, v);
      thread_sum *= expf(old - thread_max);
      thread_sum += expf(v - thread_max);
    }
  }
  const float block_max = blockReduce<warp_reduce_max>(thread_max, true, -INFINITY);
  thread_sum = thread_max == -INFINITY ? 0.f : thread_sum * expf(thread_max - block_max);
  const float scale = 1.f / blockReduce<warp_reduce_sum<float>>(thread_sum, true);

  if (threadIdx.x == 0) losses[idx] = -logf(expf(row[ix] - block_max) * scale);
  __syncthreads();
  for (int j = threadIdx.x; j < V / f128::size; j += blockDim.x) {
    f128 pack = load128(row + j * f128::size);
    for (int k = 0; k < f128::size; ++k) {
      const float prob = expf(pack[k] - block_max) * scale;
      pack[k] = (prob - (j * f128::size + k == ix ? 1.0f : 0.0f)) * dloss;
    }
    store128(row + j * f128::size, pack);
  }
  for (int j = V / f128::size * f128::size + threadIdx.x; j < V; j += blockDim.x)
    row[j] = (expf(row[j] - block_max) * scale - (j == ix ? 1.0f : 0.0f)) * dloss;
}

__device__ __forceinline__ float lerp_fma(float start, float end, float weight) {
  return fmaf(weight, end, fmaf(-weight, start, start));
}
__device__ __forceinline__ uint32_t squirrel_noise5(uint32_t pos, uint32_t seed) {
  uint32_t m = pos * 0xd2a80a3fu + seed;
  m ^= m >> 9; m += 0xa884f197u; m ^= m >> 11; m *= 0x6C736F4Bu; m ^= m >> 13; m += 0xB79F3ABBu; m ^= m >> 15;
  return m + 0x1b56c4f5u;
}
__device__ __forceinline__ __nv_bfloat16 stochastic_round(float in, uint32_t seed, uint32_t at) {
  const uint32_t threshold = squirrel_noise5(at, seed) & 0xFFFF;
  uint32_t bits = __float_as_uint(in);
  bits = (bits & 0xFFFF) > threshold ? (bits | 0xFFFF) : (bits & ~0xFFFFu);
  return __float2bfloat16_rn(__uint_as_float(bits));
}

// AdamW on float master weights, eight parameters per thread, bf16 copy rounded stochastically.
//! adamw_master_bf16 490 256 buffer:params:2MiB:zero buffer:master:4MiB:hash_f32:22 buffer:grads:4MiB:hash_f32:23 buffer:m:4MiB:zero buffer:v:4MiB:zero i32:1000000 f32:0.001 f32:0.9 f32:0.95 f32:0.1 f32:0.05 i32:99
K adamw_master_bf16(__nv_bfloat16* params, float* master, const float* grads, float* m_mem, float* v_mem, int num,
                    float lr, float beta1, float beta2, float c1, float c2, int seed) {
  const int idx = (blockIdx.x * blockDim.x + threadIdx.x) * bf128::size;
  if (idx >= num) return;
  bf128 packed;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int at = idx + h * f128::size;
    f128 w = load128(master + at), g = load128(grads + at), m = load128(m_mem + at), v = load128(v_mem + at);
#pragma unroll
    for (int k = 0; k < f128::size; ++k) {
      m[k] = lerp_fma(g[k], m[k], beta1);
      v[k] = lerp_fma(g[k] * g[k], v[k], beta2);
      const float mh = m[k] / c1, vh = v[k] / c2;
      w[k] -= lr * (mh / (sqrtf(vh) + 1e-8f) + 0.01f * w[k]);
      packed[h * f128::size + k] = stochastic_round(w[k], seed, at + k);
    }
    store128(master + at, w);
    store128(m_mem + at, m);
    store128(v_mem + at, v);
  }
  store128(params + idx, packed);
}

// ---------------------------------------------------------------- convolution, pooling, embedding

// Direct 3x3 convolution, NCHW, stride 1, padding 1; a 16x16 tile, eight output channels per thread.
//! conv3x3_direct 4x4x6 16x16 buffer:in:192KiB:hash_f32:24 buffer:wt:20736:hash_f32:25 buffer:bias:192:hash_f32:26 buffer:out:768KiB:zero i32:12 i32:64 i32:64 i32:48
K conv3x3_direct(const float* __restrict__ in, const float* __restrict__ wt, const float* __restrict__ bias,
                 float* __restrict__ out, int cin, int h, int w, int cout) {
  constexpr int TILE = 16, OC = 8;
  __shared__ float patch[TILE + 2][TILE + 2];
  __shared__ float filt[OC][9];
  const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * TILE + tx;
  const int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE, oc0 = blockIdx.z * OC;
  float acc[OC];
#pragma unroll
  for (int o = 0; o < OC; ++o) acc[o] = bias[oc0 + o];

  for (int ci = 0; ci < cin; ++ci) {
    for (int e = tid; e < (TILE + 2) * (TILE + 2); e += TILE * TILE) {
      const int py = e / (TILE + 2), px = e % (TILE + 2);
      const int gy = y0 + py - 1, gx = x0 + px - 1;
      patch[py][px] = (gy >= 0 && gy < h && gx >= 0 && gx < w) ? in[(ci * h + gy) * w + gx] : 0.f;
    }
    if (tid < OC * 9) filt[tid / 9][tid % 9] = wt[((oc0 + tid / 9) * cin + ci) * 9 + tid % 9];
    __syncthreads();
    float win[9];
#pragma unroll
    for (int r = 0; r < 3; ++r)
#pragma unroll
      for (int s = 0; s < 3; ++s) win[r * 3 + s] = patch[ty + r][tx + s];
#pragma unroll
    for (int o = 0; o < OC; ++o)
#pragma unroll
      for (int t = 0; t < 9; ++t) acc[o] += win[t] * filt[o][t];
    __syncthreads();
  }
#pragma unroll
  for (int o = 0; o < OC; ++o) {
    if (oc0 + o < cout) out[((oc0 + o) * h + y0 + ty) * w + x0 + tx] = fmaxf(acc[o], 0.f);
  }
}

// Adaptive average pooling with windows of unequal size, plus argmax of each window.
//! adaptive_pool_argmax 4x24 64 buffer:in:614400:hash_f32:27 buffer:avg:18816:zero buffer:arg:37632:zero i32:80 i32:80 i32:14 i32:14
K adaptive_pool_argmax(const float* __restrict__ in, float* __restrict__ avg, int64_t* __restrict__ arg, int ih, int iw, int oh, int ow) {
  const int64_t plane = blockIdx.y;
  const float* src = in + plane * ih * iw;
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= oh * ow) return;
  const int oy = cell / ow, ox = cell % ow;
  auto start = [](int a, int b, int c) { return (int)floorf((float)(a * c) / b); };
  auto stop = [](int a, int b, int c) { return (int)ceilf((float)((a + 1) * c) / b); };
  const int ys = start(oy, oh, ih), ye = stop(oy, oh, ih);
  const int xs = start(ox, ow, iw), xe = stop(ox, ow, iw);
  float sum = 0.f, best = -INFINITY;
  int64_t where = -1;
  for (int y = ys; y < ye; ++y)
    for (int x = xs; x < xe; ++x) {
      const float v = src[y * iw + x];
      sum += v;
      if (v > best || v != v) {
        best = v;
        where = (int64_t)y * iw + x;
      }
    }
  const int o = plane * (oh * ow) + cell;
  avg[o] = sum / ((ye - ys) * (xe - xs));
  arg[o] = where;
}

// EmbeddingBag, mode = weighted mean, one warp per bag and 128 features.
//! embedding_bag_mean 110 32x8 buffer:table:4MiB:hash_f32:28 buffer:idx:112640:hash_i32:29 buffer:wts:112640:hash_f32:30 buffer:out:450560:zero i32:8192 i32:32 i32:875
K embedding_bag_mean(const float* __restrict__ table, const int* __restrict__ idx, const float* __restrict__ wts,
                     float4* __restrict__ out, int vocab, int maxlen, int bags) {
  const int bag = blockIdx.x * blockDim.y + threadIdx.y;
  if (bag >= bags) return;
  const int* my = idx + bag * maxlen;
  const int len = 1 + (my[0] >> 5) % maxlen;
  float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
  float norm = 1e-6f;
  for (int j = 0; j < len; ++j) {
    const int row = __ldg(my + j) % vocab;
    if (row == 0) continue;  // padding
    const float w = fabsf(__ldg(wts + bag * maxlen + j));
    const float4 e = __ldg(reinterpret_cast<const float4*>(table) + row * 32 + threadIdx.x);
    acc.x = fmaf(w, e.x, acc.x);
    acc.y = fmaf(w, e.y, acc.y);
    acc.z = fmaf(w, e.z, acc.z);
    acc.w = fmaf(w, e.w, acc.w);
    norm += w;
  }
  const float inv = 1.f / norm;
  out[bag * 32 + threadIdx.x] = make_float4(acc.x * inv, acc.y * inv, acc.z * inv, acc.w * inv);
}

// ---------------------------------------------------------------- state space and sampling

// Selective scan (Mamba): a thread per channel, 16 states in registers, time in chunks through shared memory.
//! selective_scan16 4x8 96 buffer:u:768KiB:hash_f32:31 buffer:delta:768KiB:hash_f32:32 buffer:bc:64KiB:hash_f32:33 buffer:z:768KiB:hash_f32:34 buffer:y:768KiB:zero i32:60 i32:384
K selective_scan16(const float* __restrict__ u, const float* __restrict__ delta, const float* __restrict__ bc,
                   const float* __restrict__ z, float* __restrict__ y, int T, int dim) {
  constexpr int S = 16, CHUNK = 12;
  __shared__ float sB[CHUNK][S], sC[CHUNK][S];
  const int d = blockIdx.x * blockDim.x + threadIdx.x;
  const int b = blockIdx.y;
  float h[S], a[S];
#pragma unroll
  for (int s = 0; s < S; ++s) {
    h[s] = 0.f;
    a[s] = -(s + 1.f) * 1.442695f;
  }
  for (int t0 = 0; t0 < T; t0 += CHUNK) {
    __syncthreads();
    for (int e = threadIdx.x; e < CHUNK * S * 2; e += blockDim.x) {
      const float v = bc[((b * T + t0) * 2 * S + e) & 16383] * 0.02f;
      const int t = e / (2 * S), s = e % (2 * S);
      if (s < S) sB[t][s] = v; else sC[t][s - S] = v;
    }
    __syncthreads();
    const int lim = min(CHUNK, T - t0);
    for (int t = 0; t < lim; ++t) {
      const size_t at = (size_t)(b * T + t0 + t) * dim + d;
      float dt = delta[at] * 0.1f;
      dt = dt <= 20.f ? log1pf(expf(dt)) : dt;
      const float x = u[at];
      float out = 0.5f * x;
#pragma unroll
      for (int s = 0; s < S; ++s) {
        h[s] = exp2f(dt * a[s]) * h[s] + dt * sB[t][s] * x;
        out += h[s] * sC[t][s];
      }
      const float g = z[at];
      y[at] = out * g / (1.f + __expf(-g));
    }
  }
}
