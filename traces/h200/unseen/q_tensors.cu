// Tensor-side kernels: quantised formats, tensor-core GEMMs, optimizers, normalisation, backward passes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>
#include <cstdint>

#define WARP_SIZE 32
#define FULL_MASK 0xffffffffu

__device__ __forceinline__ float warp_reduce_sum(float x) {
#pragma unroll
  for (int o = WARP_SIZE / 2; o > 0; o >>= 1) x += __shfl_xor_sync(FULL_MASK, x, o, WARP_SIZE);
  return x;
}

__device__ __forceinline__ float warp_reduce_max(float x) {
#pragma unroll
  for (int o = WARP_SIZE / 2; o > 0; o >>= 1) x = fmaxf(x, __shfl_xor_sync(FULL_MASK, x, o, WARP_SIZE));
  return x;
}

// two finite halves in (-2, 2) from arbitrary bits: the top exponent bit is cleared
__device__ __forceinline__ float2 finite_half2(uint32_t bits) {
  bits &= 0xBFFFBFFFu;
  return __half22float2(*reinterpret_cast<const half2*>(&bits));
}

// ---------------------------------------------------------------------------------------------------------------------
// Q6_K super-blocks (256 weights in 210 bytes) to fp16
// ---------------------------------------------------------------------------------------------------------------------
#define QK_K 256
struct block_q6_K {
  uint8_t ql[QK_K / 2];      // lower 4 bits
  uint8_t qh[QK_K / 4];      // upper 2 bits
  int8_t scales[QK_K / 16];  // 8-bit scales
  uint16_t d;                // super-block scale, fp16 bits
};
static_assert(sizeof(block_q6_K) == 210, "wrong q6_K block size");

//! dequantize_q6k 512 64 i32:8192 buffer:vx:1680KiB:hash_i32:201 buffer:yy:4MiB:zero
extern "C" __global__ void dequantize_q6k(const int nb, const void* __restrict__ vx, half* __restrict__ yy) {
  const block_q6_K* x = (const block_q6_K*)vx;
  const int tid = threadIdx.x;
  const int ip = tid / 32;        // 0 or 1: which half of the super-block
  const int il = tid - 32 * ip;   // 0..31
  const int is = 8 * ip + il / 16;

  for (int i = blockIdx.x; i < nb; i += gridDim.x) {
    half* y = yy + (size_t)i * QK_K + 128 * ip + il;
    const float d = fabsf(finite_half2(x[i].d).x) * 0.0625f;
    const uint8_t* ql = x[i].ql + 64 * ip + il;
    const uint8_t qh = x[i].qh[32 * ip + il];
    const int8_t* sc = x[i].scales + is;

    y[0] = __float2half(d * sc[0] * ((int8_t)((ql[0] & 0xF) | (((qh >> 0) & 3) << 4)) - 32));
    y[32] = __float2half(d * sc[2] * ((int8_t)((ql[32] & 0xF) | (((qh >> 2) & 3) << 4)) - 32));
    y[64] = __float2half(d * sc[4] * ((int8_t)((ql[0] >> 4) | (((qh >> 4) & 3) << 4)) - 32));
    y[96] = __float2half(d * sc[6] * ((int8_t)((ql[32] >> 4) | (((qh >> 6) & 3) << 4)) - 32));
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Q5_1 x Q8_1 matrix-matrix product with dp4a, 64 x 32 tiles
// ---------------------------------------------------------------------------------------------------------------------
#define QK5_1 32
struct block_q5_1 {
  uint32_t dm;             // scale and minimum, half2 bits
  uint32_t qh;             // fifth bits
  uint32_t qs[QK5_1 / 8];  // nibbles
};
struct block_q8_1 {
  uint32_t ds;  // scale and scale * sum(qs), half2 bits
  int32_t qs[8];
};
static_assert(sizeof(block_q5_1) == 24 && sizeof(block_q8_1) == 36, "wrong block sizes");

#define MMQ_Y 64
#define MMQ_X 32
#define MMQ_NWARPS 8
#define MMQ_BLOCKS 4  // quant blocks along K per iteration

__device__ __forceinline__ int spread_bits(uint32_t qh, int shift) {
  const uint32_t b = qh >> shift;
  return ((b & 1) << 4) | ((b & 2) << 11) | ((b & 4) << 18) | ((b & 8) << 25);
}

//! mmq_q5_1_q8_1 8x8 32x8 i32:24 i32:512 buffer:x:288KiB:hash_i32:211 buffer:y:216KiB:hash_i32:212 buffer:dst:512KiB:zero
extern "C" __global__ void __launch_bounds__(WARP_SIZE* MMQ_NWARPS)
mmq_q5_1_q8_1(const int blocks_per_row, const int nrows_dst, const block_q5_1* __restrict__ x,
              const block_q8_1* __restrict__ y, float* __restrict__ dst) {
  __shared__ int x_qs[MMQ_Y][MMQ_BLOCKS * 8 + 1];
  __shared__ float2 x_dm[MMQ_Y][MMQ_BLOCKS + 1];
  __shared__ __align__(16) int y_qs[MMQ_X][MMQ_BLOCKS * 8 + 4];
  __shared__ float2 y_ds[MMQ_X][MMQ_BLOCKS];

  const int row0 = blockIdx.x * MMQ_Y, col0 = blockIdx.y * MMQ_X;
  const int tid = threadIdx.y * WARP_SIZE + threadIdx.x;

  float sum[MMQ_X / MMQ_NWARPS][MMQ_Y / WARP_SIZE] = {{0.0f}};

  for (int ib0 = 0; ib0 < blocks_per_row; ib0 += MMQ_BLOCKS) {
    {  // one weight block per thread: 64 rows x 4 blocks
      const int r = tid / MMQ_BLOCKS, kb = tid % MMQ_BLOCKS;
      const block_q5_1* b = x + (size_t)(row0 + r) * blocks_per_row + ib0 + kb;
      const uint32_t qh = b->qh;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const uint32_t q = b->qs[j];
        x_qs[r][kb * 8 + j] = (q & 0x0F0F0F0F) | spread_bits(qh, 4 * j);
        x_qs[r][kb * 8 + j + 4] = ((q >> 4) & 0x0F0F0F0F) | spread_bits(qh, 16 + 4 * j);
      }
      x_dm[r][kb] = finite_half2(b->dm);
    }
#pragma unroll
    for (int l = 0; l < MMQ_X * MMQ_BLOCKS * 8 / (WARP_SIZE * MMQ_NWARPS); ++l) {
      const int i = tid + l * WARP_SIZE * MMQ_NWARPS;
      const int c = i / (MMQ_BLOCKS * 8), k = i % (MMQ_BLOCKS * 8);
      y_qs[c][k] = y[(size_t)(col0 + c) * blocks_per_row + ib0 + k / 8].qs[k % 8];
    }
    if (tid < MMQ_X * MMQ_BLOCKS) {
      const int c = tid / MMQ_BLOCKS, kb = tid % MMQ_BLOCKS;
      y_ds[c][kb] = finite_half2(y[(size_t)(col0 + c) * blocks_per_row + ib0 + kb].ds);
    }
    __syncthreads();

#pragma unroll
    for (int kb = 0; kb < MMQ_BLOCKS; ++kb) {
      int xv[MMQ_Y / WARP_SIZE][8];
#pragma unroll
      for (int i = 0; i < MMQ_Y / WARP_SIZE; ++i)
#pragma unroll
        for (int k = 0; k < 8; ++k) xv[i][k] = x_qs[threadIdx.x + i * WARP_SIZE][kb * 8 + k];
#pragma unroll
      for (int j = 0; j < MMQ_X / MMQ_NWARPS; ++j) {
        const int c = threadIdx.y + j * MMQ_NWARPS;
        const int4 u0 = *(const int4*)&y_qs[c][kb * 8], u1 = *(const int4*)&y_qs[c][kb * 8 + 4];
        const float2 ds = y_ds[c][kb];
#pragma unroll
        for (int i = 0; i < MMQ_Y / WARP_SIZE; ++i) {
          int sumi = 0;
          sumi = __dp4a(xv[i][0], u0.x, sumi);
          sumi = __dp4a(xv[i][1], u0.y, sumi);
          sumi = __dp4a(xv[i][2], u0.z, sumi);
          sumi = __dp4a(xv[i][3], u0.w, sumi);
          sumi = __dp4a(xv[i][4], u1.x, sumi);
          sumi = __dp4a(xv[i][5], u1.y, sumi);
          sumi = __dp4a(xv[i][6], u1.z, sumi);
          sumi = __dp4a(xv[i][7], u1.w, sumi);
          const float2 dm = x_dm[threadIdx.x + i * WARP_SIZE][kb];
          sum[j][i] += dm.x * ds.x * (float)sumi + dm.y * ds.y;
        }
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int j = 0; j < MMQ_X / MMQ_NWARPS; ++j)
#pragma unroll
    for (int i = 0; i < MMQ_Y / WARP_SIZE; ++i)
      dst[(size_t)(col0 + threadIdx.y + j * MMQ_NWARPS) * nrows_dst + row0 + threadIdx.x + i * WARP_SIZE] = sum[j][i];
}

// ---------------------------------------------------------------------------------------------------------------------
// Residual add + RMSNorm + dynamic per-token fp8 (e4m3) quantisation
// ---------------------------------------------------------------------------------------------------------------------
template <int kWarps, typename Op>
__device__ __forceinline__ float block_reduce_bcast(float v, float* smem, Op op, float init) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_xor_sync(FULL_MASK, v, o));
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) smem[warp] = v;
  __syncthreads();
  v = lane < kWarps ? smem[lane] : init;
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_xor_sync(FULL_MASK, v, o));
  return v;
}

__device__ __forceinline__ uint32_t pack_e4m3x4(float a, float b, float c, float d) {
  const uint32_t lo = __nv_cvt_float2_to_fp8x2(make_float2(a, b), __NV_SATFINITE, __NV_E4M3);
  const uint32_t hi = __nv_cvt_float2_to_fp8x2(make_float2(c, d), __NV_SATFINITE, __NV_E4M3);
  return lo | (hi << 16);
}

//! add_rmsnorm_fp8_token 512 256 i32:2048 f32:1e-6 buffer:input:4MiB:uniform:0:1:221 buffer:residual:4MiB:uniform:0:1:222 buffer:weight:8KiB:uniform:0:1:223 buffer:out:1MiB:zero buffer:scales:2KiB:zero
extern "C" __global__ void __launch_bounds__(256)
add_rmsnorm_fp8_token(const int hidden, const float eps, const float4* __restrict__ input,
                      float4* __restrict__ residual, const float4* __restrict__ weight, uint32_t* __restrict__ out,
                      float* __restrict__ scales) {
  constexpr int kVecs = 2;  // 256 threads x 2 float4 = 2048
  constexpr float kFp8Max = 448.f;
  __shared__ float red_sum[8], red_max[8];

  const int token = blockIdx.x;
  const int vecs = hidden / 4;
  const size_t base = (size_t)token * vecs;
  float4 v[kVecs];
  float ss = 0.f;
#pragma unroll
  for (int i = 0; i < kVecs; ++i) {
    const int idx = threadIdx.x + i * 256;
    const float4 a = input[base + idx], r = residual[base + idx];
    v[i] = make_float4(a.x + r.x - 1.f, a.y + r.y - 1.f, a.z + r.z - 1.f, a.w + r.w - 1.f);
    residual[base + idx] = v[i];
    ss += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
  }
  ss = block_reduce_bcast<8>(ss, red_sum, [](float a, float b) { return a + b; }, 0.f);
  const float rms = rsqrtf(ss / hidden + eps);

  float amax = 0.f;
#pragma unroll
  for (int i = 0; i < kVecs; ++i) {
    const float4 w = weight[threadIdx.x + i * 256];
    v[i].x *= rms * w.x;
    v[i].y *= rms * w.y;
    v[i].z *= rms * w.z;
    v[i].w *= rms * w.w;
    amax = fmaxf(amax, fmaxf(fmaxf(fabsf(v[i].x), fabsf(v[i].y)), fmaxf(fabsf(v[i].z), fabsf(v[i].w))));
  }
  amax = block_reduce_bcast<8>(amax, red_max, [](float a, float b) { return fmaxf(a, b); }, 0.f);
  const float scale = fmaxf(amax / kFp8Max, 1.f / (kFp8Max * 512.f));
  const float inv = 1.f / scale;
  if (threadIdx.x == 0) scales[token] = scale;
#pragma unroll
  for (int i = 0; i < kVecs; ++i)
    out[base + threadIdx.x + i * 256] = pack_e4m3x4(v[i].x * inv, v[i].y * inv, v[i].z * inv, v[i].w * inv);
}

// ---------------------------------------------------------------------------------------------------------------------
// Adam with blockwise 8-bit states in the dynamic (tree) format
// ---------------------------------------------------------------------------------------------------------------------
__constant__ float c_pow10[9] = {1e-7f, 1e-6f, 1e-5f, 1e-4f, 1e-3f, 1e-2f, 1e-1f, 1e0f, 1e1f};

// magnitude code m in [0, 2^bits]: leading zeros choose the decade, the rest is a linear fraction
__device__ __forceinline__ float dynamic_magnitude(int m, int bits) {
  if (m <= 0) return 0.f;
  if (m >= (1 << bits)) return 1.f;
  const int e = 31 - __clz(m);
  const float frac = ((float)(m - (1 << e)) + 0.5f) / (float)(1 << e);
  return c_pow10[e - bits + 8] * (0.1f + 0.9f * frac);
}

__device__ __forceinline__ int quantize_sorted(const float* __restrict__ code, float x) {
  int lo = 0;
#pragma unroll
  for (int step = 128; step > 0; step >>= 1)
    if (code[lo + step] <= x) lo += step;
  const int hi = min(lo + 1, 255);
  return (x - code[lo] > code[hi] - x) ? hi : lo;
}

//! adam8bit_blockwise 128 256 f32:0.9 f32:0.995 f32:1e-8 f32:0.001 f32:0.01 i32:20 buffer:p:1MiB:uniform:0:1:231 buffer:g:1MiB:uniform:0:1:232 buffer:state1:256KiB:hash_i32:233 buffer:state2:256KiB:hash_i32:234 buffer:absmax1:512:uniform:0:1:235 buffer:absmax2:512:uniform:0:1:236
extern "C" __global__ void __launch_bounds__(256, 3)
adam8bit_blockwise(const float beta1, const float beta2, const float eps, const float lr, const float weight_decay,
                   const int step, float* __restrict__ p, const float* __restrict__ g, uint8_t* __restrict__ state1,
                   uint8_t* __restrict__ state2, float* __restrict__ absmax1, float* __restrict__ absmax2) {
  constexpr int kItems = 8;  // 256 x 8 = one quantisation block of 2048
  __shared__ float smem_quantiles1[256];
  __shared__ float smem_quantiles2[256];
  __shared__ float red1[8], red2[8];

  const int tid = threadIdx.x;
  smem_quantiles1[tid] = tid < 128 ? -dynamic_magnitude(128 - tid, 7) : dynamic_magnitude(tid - 127, 7);
  smem_quantiles2[tid] = dynamic_magnitude(tid, 8);
  const float a1 = absmax1[blockIdx.x] * 0.02f, a2 = absmax2[blockIdx.x] * 0.001f;
  __syncthreads();

  const size_t base = (size_t)blockIdx.x * 2048 + tid * kItems;
  union {
    uint2 u;
    uint8_t c[kItems];
  } c1, c2;
  c1.u = *reinterpret_cast<const uint2*>(state1 + base);
  c2.u = *reinterpret_cast<const uint2*>(state2 + base);
  float pv[kItems], gv[kItems], s1[kItems], s2[kItems];
#pragma unroll
  for (int i = 0; i < kItems; i += 4) {
    *reinterpret_cast<float4*>(pv + i) = *reinterpret_cast<const float4*>(p + base + i);
    *reinterpret_cast<float4*>(gv + i) = *reinterpret_cast<const float4*>(g + base + i);
  }

  const float correction1 = 1.f - __powf(beta1, (float)step);
  const float correction2 = sqrtf(1.f - __powf(beta2, (float)step));
  const float step_size = -lr * correction2 / correction1;
  float m1 = 0.f, m2 = 0.f;
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const float grad = (gv[i] - 0.5f) * 0.05f;
    s1[i] = smem_quantiles1[c1.c[i]] * a1 * beta1 + (1.f - beta1) * grad;
    s2[i] = smem_quantiles2[c2.c[i]] * a2 * beta2 + (1.f - beta2) * grad * grad;
    m1 = fmaxf(m1, fabsf(s1[i]));
    m2 = fmaxf(m2, s2[i]);
    pv[i] += step_size * (s1[i] / (sqrtf(s2[i]) + correction2 * eps));
    pv[i] *= 1.f - lr * weight_decay;
  }

  m1 = warp_reduce_max(m1);
  m2 = warp_reduce_max(m2);
  if ((tid & 31) == 0) {
    red1[tid >> 5] = m1;
    red2[tid >> 5] = m2;
  }
  __syncthreads();
#pragma unroll
  for (int w = 0; w < 8; ++w) {
    m1 = fmaxf(m1, red1[w]);
    m2 = fmaxf(m2, red2[w]);
  }
  if (tid == 0) {
    absmax1[blockIdx.x] = m1;
    absmax2[blockIdx.x] = m2;
  }

  const float i1 = m1 > 0.f ? 1.f / m1 : 0.f, i2 = m2 > 0.f ? 1.f / m2 : 0.f;
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    int q1 = quantize_sorted(smem_quantiles1, s1[i] * i1);
    // the stored sign must be that of the state, or the step would flip direction
    if (signbit(smem_quantiles1[q1]) != signbit(s1[i])) q1 = s1[i] > 0.f ? q1 + 1 : q1 - 1;
    c1.c[i] = (uint8_t)min(max(q1, 0), 255);
    c2.c[i] = (uint8_t)quantize_sorted(smem_quantiles2, s2[i] * i2);
  }
  *reinterpret_cast<uint2*>(state1 + base) = c1.u;
  *reinterpret_cast<uint2*>(state2 + base) = c2.u;
#pragma unroll
  for (int i = 0; i < kItems; i += 4)
    *reinterpret_cast<float4*>(p + base + i) = *reinterpret_cast<const float4*>(pv + i);
}

// ---------------------------------------------------------------------------------------------------------------------
// NF4 weights with double-quantised absmax times a few activation rows, one warp per output feature
// ---------------------------------------------------------------------------------------------------------------------
__constant__ float c_nf4[16] = {-1.0f,          -0.6961928f,  -0.52507305f, -0.39491749f, -0.28444138f, -0.18477343f,
                                -0.091050036f,  0.0f,         0.0795803f,   0.1609302f,   0.2461123f,   0.33791524f,
                                0.44070983f,    0.562617f,    0.72295684f,  1.0f};

//! nf4_gemm_small_m 512 128 i32:2048 i32:2048 f32:0.02 buffer:A:32KiB:uniform:0:1:241 buffer:B:2MiB:hash_i32:242 buffer:absmax:64KiB:hash_i32:243 buffer:nested:1KiB:uniform:0:1:244 buffer:out:32KiB:zero
extern "C" __global__ void __launch_bounds__(128)
nf4_gemm_small_m(const int N, const int K, const float offset, const float* __restrict__ A,
                 const uint32_t* __restrict__ B, const uint8_t* __restrict__ absmax, const float* __restrict__ nested,
                 float* __restrict__ out) {
  constexpr int M = 4, kMaxK = 2048, kQuantBlock = 64, kNestedBlock = 256;
  __shared__ float quant_map[16];
  __shared__ __align__(16) half sA[M][kMaxK];

  for (int i = threadIdx.x; i < M * kMaxK / 2; i += blockDim.x) {
    const float2 f = reinterpret_cast<const float2*>(A)[i];
    reinterpret_cast<half2*>(&sA[0][0])[i] = __floats2half2_rn(f.x - 0.5f, f.y - 0.5f);
  }
  if (threadIdx.x < 16) quant_map[threadIdx.x] = c_nf4[threadIdx.x];
  __syncthreads();

  const int lane = threadIdx.x & 31;
  const int row = blockIdx.x * 4 + (threadIdx.x >> 5);
  if (row >= N) return;
  float acc[M] = {};

  // a lane takes 8 consecutive weights (one word), the warp 256 at a time
#pragma unroll 2
  for (int k = lane * 8; k < K; k += 256) {
    const uint32_t packed = __ldcs(B + ((size_t)row * K + k) / 8);
    const int ab = (row * K + k) / kQuantBlock;
    const float am = (float)absmax[ab] * (1.f / 255.f) * nested[ab / kNestedBlock] + offset;
    float w[8];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      // the high nibble of a byte comes first
      w[2 * j] = quant_map[(packed >> (8 * j + 4)) & 0xF] * am;
      w[2 * j + 1] = quant_map[(packed >> (8 * j)) & 0xF] * am;
    }
#pragma unroll
    for (int m = 0; m < M; ++m) {
      const uint4 raw = *reinterpret_cast<const uint4*>(&sA[m][k]);
      const half2* h = reinterpret_cast<const half2*>(&raw);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const float2 a = __half22float2(h[j]);
        acc[m] = fmaf(a.x, w[2 * j], acc[m]);
        acc[m] = fmaf(a.y, w[2 * j + 1], acc[m]);
      }
    }
  }
#pragma unroll
  for (int m = 0; m < M; ++m) acc[m] = warp_reduce_sum(acc[m]);
  if (lane < M) out[(size_t)lane * N + row] = lane == 0 ? acc[0] : lane == 1 ? acc[1] : lane == 2 ? acc[2] : acc[3];
}

// ---------------------------------------------------------------------------------------------------------------------
// W4A16 GEMM: cp.async pipeline, ldmatrix, lop3 dequantisation, mma.m16n8k16, split-K partials
// ---------------------------------------------------------------------------------------------------------------------
__device__ __forceinline__ uint32_t smem_u32(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void cp_async16(void* dst, const void* src) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(smem_u32(dst)), "l"(src) : "memory");
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int N>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory");
}

__device__ __forceinline__ void ldmatrix_x4(uint32_t (&r)[4], const void* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(smem_u32(p))
               : "memory");
}

template <int lut>
__device__ __forceinline__ uint32_t lop3(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t d;
  asm("lop3.b32 %0, %1, %2, %3, %4;\n" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(lut));
  return d;
}

// four signed 4-bit weights (biased by 8) from nibbles 0, 1, 4, 5 of q
__device__ __forceinline__ void dequant_s4(uint32_t q, half2 scale, uint32_t& b0, uint32_t& b1) {
  const uint32_t lo = lop3<0xea>(q, 0x000f000f, 0x64006400);
  const uint32_t hi = lop3<0xea>(q, 0x00f000f0, 0x64006400);
  const uint32_t SUB = 0x64086408, MUL = 0x2c002c00, ADD = 0xd480d480;
  half2 l = __hsub2(*reinterpret_cast<const half2*>(&lo), *reinterpret_cast<const half2*>(&SUB));
  half2 h = __hfma2(*reinterpret_cast<const half2*>(&hi), *reinterpret_cast<const half2*>(&MUL),
                    *reinterpret_cast<const half2*>(&ADD));
  l = __hmul2(l, scale);
  h = __hmul2(h, scale);
  b0 = *reinterpret_cast<uint32_t*>(&l);
  b1 = *reinterpret_cast<uint32_t*>(&h);
}

__device__ __forceinline__ void mma_f16(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

//! w4a16_mma_splitk 16x4x4 128 i32:256 i32:1024 i32:1024 buffer:A:512KiB:hash_i32:251 buffer:qweight:512KiB:hash_i32:252 buffer:scales:32KiB:uniform:0:1:253 buffer:partial:4MiB:zero
extern "C" __global__ void __launch_bounds__(128)
w4a16_mma_splitk(const int M, const int N, const int K, const uint16_t* __restrict__ A,
                 const uint32_t* __restrict__ qweight, const float* __restrict__ scales,
                 float* __restrict__ partial) {
  constexpr int BM = 64, BN = 64, BK = 32, STAGES = 3, LDA = BK + 8, GROUP = 128;
  __shared__ __align__(16) uint16_t sA[STAGES][BM][LDA];

  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int wm = warp >> 1, wn = warp & 1;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  const int k_per_split = K / gridDim.z;
  const int k_begin = blockIdx.z * k_per_split;
  const int iters = k_per_split / BK;

  auto issue = [&](int it) {
    const int s = it % STAGES;
#pragma unroll
    for (int i = 0; i < BM * BK / 8 / 128; ++i) {
      const int c = tid + i * 128;
      const int row = c / (BK / 8), col = (c % (BK / 8)) * 8;
      cp_async16(&sA[s][row][col], A + (size_t)(m0 + row) * K + k_begin + it * BK + col);
    }
  };
  // qweight is tiled [K / 32][N / 8][lane]: one word holds a lane's B fragments of two k16 steps
  const int n8 = (n0 + wn * 32) / 8;
  auto load_q = [&](uint32_t(&q)[4], int it) {
    const uint32_t* src = qweight + ((size_t)(k_begin / BK + it) * (N / 8) + n8) * 32 + lane;
#pragma unroll
    for (int j = 0; j < 4; ++j) q[j] = __ldg(src + j * 32);
  };

  float acc[2][4][4] = {};
  half2 sc[4];
  uint32_t q_cur[4], q_next[4];

#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < iters) issue(s);
    cp_async_commit();
  }
  load_q(q_next, 0);

  for (int it = 0; it < iters; ++it) {
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    if (it + STAGES - 1 < iters) issue(it + STAGES - 1);
    cp_async_commit();

#pragma unroll
    for (int j = 0; j < 4; ++j) q_cur[j] = q_next[j];
    if (it + 1 < iters) load_q(q_next, it + 1);
    const int k = k_begin + it * BK;
    if (it == 0 || k % GROUP == 0) {
#pragma unroll
      for (int j = 0; j < 4; ++j)
        sc[j] = __float2half2_rn(0.02f * scales[(size_t)(k / GROUP) * N + n0 + wn * 32 + j * 8 + lane / 4]);
    }

    const int st = it % STAGES;
#pragma unroll
    for (int kk = 0; kk < BK / 16; ++kk) {
      uint32_t a[2][4];
#pragma unroll
      for (int mi = 0; mi < 2; ++mi) {
        ldmatrix_x4(a[mi], &sA[st][wm * 32 + mi * 16 + (lane & 15)][kk * 16 + (lane >> 4) * 8]);
#pragma unroll
        for (int r = 0; r < 4; ++r) a[mi][r] &= 0xBFFFBFFFu;  // keeps every activation finite
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        uint32_t b0, b1;
        dequant_s4(q_cur[j] >> (8 * kk), sc[j], b0, b1);
#pragma unroll
        for (int mi = 0; mi < 2; ++mi) mma_f16(acc[mi][j], a[mi], b0, b1);
      }
    }
  }
  cp_async_wait<0>();

  float* dst = partial + (size_t)blockIdx.z * M * N;
#pragma unroll
  for (int mi = 0; mi < 2; ++mi)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = m0 + wm * 32 + mi * 16 + lane / 4;
      const int col = n0 + wn * 32 + j * 8 + (lane & 3) * 2;
      *reinterpret_cast<float2*>(dst + (size_t)row * N + col) = make_float2(acc[mi][j][0], acc[mi][j][1]);
      *reinterpret_cast<float2*>(dst + (size_t)(row + 8) * N + col) = make_float2(acc[mi][j][2], acc[mi][j][3]);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// fp8 GEMM with 1 x 128 activation scales and 128 x 128 weight scales, promoted to fp32 every 128 k
// ---------------------------------------------------------------------------------------------------------------------
__device__ __forceinline__ void mma_e4m3(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// clears the top exponent bit of every e4m3 byte, so that none is NaN
__device__ __forceinline__ uint4 finite_e4m3(uint4 v) {
  return make_uint4(v.x & 0xBFBFBFBFu, v.y & 0xBFBFBFBFu, v.z & 0xBFBFBFBFu, v.w & 0xBFBFBFBFu);
}

//! fp8_blockscaled_gemm 12x4 128 i32:768 i32:1536 buffer:A:384KiB:hash_i32:261 buffer:B:1152KiB:hash_i32:262 buffer:As:12KiB:uniform:0:1:263 buffer:Bs:288:uniform:0:1:264 buffer:out:384KiB:zero
extern "C" __global__ void __launch_bounds__(128)
fp8_blockscaled_gemm(const int N, const int K, const uint8_t* __restrict__ A, const uint8_t* __restrict__ B,
                     const float* __restrict__ As, const float* __restrict__ Bs, __nv_bfloat16* __restrict__ out) {
  constexpr int BM = 64, BN = 64, BK = 64, LD = BK + 16, SCALE_K = 128;
  __shared__ __align__(16) uint8_t sA[2][BM][LD];
  __shared__ __align__(16) uint8_t sB[2][BN][LD];

  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int wm = (warp >> 1) * 32, wn = (warp & 1) * 32;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  const int ld_row = tid >> 2, ld_col = (tid & 3) * 16;
  const int iters = K / BK, scale_cols = K / SCALE_K;

  const uint8_t* gA = A + (size_t)(m0 + ld_row) * K + ld_col;
  const uint8_t* gB = B + (size_t)(n0 + ld_row) * K + ld_col;
  uint4 ra[2], rb[2];
  auto fetch = [&](int it) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      ra[h] = __ldg(reinterpret_cast<const uint4*>(gA + (size_t)h * 32 * K + it * BK));
      rb[h] = __ldg(reinterpret_cast<const uint4*>(gB + (size_t)h * 32 * K + it * BK));
    }
  };
  auto stash = [&](int buf) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      *reinterpret_cast<uint4*>(&sA[buf][ld_row + 32 * h][ld_col]) = finite_e4m3(ra[h]);
      *reinterpret_cast<uint4*>(&sB[buf][ld_row + 32 * h][ld_col]) = finite_e4m3(rb[h]);
    }
  };

  float total[2][4][4] = {};
  float part[2][4][4] = {};
  fetch(0);
  stash(0);
  __syncthreads();

  for (int it = 0; it < iters; ++it) {
    const int buf = it & 1;
    if (it + 1 < iters) fetch(it + 1);

#pragma unroll
    for (int kk = 0; kk < BK / 32; ++kk) {
      uint32_t a[2][4], b[2][4];
#pragma unroll
      for (int mi = 0; mi < 2; ++mi)
        ldmatrix_x4(a[mi], &sA[buf][wm + mi * 16 + (lane & 15)][kk * 32 + (lane >> 4) * 16]);
#pragma unroll
      for (int np = 0; np < 2; ++np)
        ldmatrix_x4(b[np], &sB[buf][wn + np * 16 + (lane & 7) + (lane >> 4) * 8][kk * 32 + ((lane >> 3) & 1) * 16]);
#pragma unroll
      for (int mi = 0; mi < 2; ++mi)
#pragma unroll
        for (int j = 0; j < 4; ++j) mma_e4m3(part[mi][j], a[mi], b[j >> 1][(j & 1) * 2], b[j >> 1][(j & 1) * 2 + 1]);
    }

    if (it & 1) {  // a group of 128 is complete
      const int kg = it / (SCALE_K / BK);
      const float bs = Bs[(n0 / SCALE_K) * scale_cols + kg];
#pragma unroll
      for (int mi = 0; mi < 2; ++mi) {
        const int row = m0 + wm + mi * 16 + lane / 4;
        const float s0 = bs * As[row * scale_cols + kg], s1 = bs * As[(row + 8) * scale_cols + kg];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          total[mi][j][0] = fmaf(part[mi][j][0], s0, total[mi][j][0]);
          total[mi][j][1] = fmaf(part[mi][j][1], s0, total[mi][j][1]);
          total[mi][j][2] = fmaf(part[mi][j][2], s1, total[mi][j][2]);
          total[mi][j][3] = fmaf(part[mi][j][3], s1, total[mi][j][3]);
#pragma unroll
          for (int e = 0; e < 4; ++e) part[mi][j][e] = 0.f;
        }
      }
    }
    if (it + 1 < iters) stash(buf ^ 1);
    __syncthreads();
  }

#pragma unroll
  for (int mi = 0; mi < 2; ++mi)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = m0 + wm + mi * 16 + lane / 4;
      const int col = n0 + wn + j * 8 + (lane & 3) * 2;
      *reinterpret_cast<__nv_bfloat162*>(out + (size_t)row * N + col) =
          __floats2bfloat162_rn(total[mi][j][0], total[mi][j][1]);
      *reinterpret_cast<__nv_bfloat162*>(out + (size_t)(row + 8) * N + col) =
          __floats2bfloat162_rn(total[mi][j][2], total[mi][j][3]);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// 3 x 3 convolution, gradient of the weights: a block reduces all images for one input and four output channels
// ---------------------------------------------------------------------------------------------------------------------
//! conv3x3_wgrad 16x8 224 i32:8 i32:16 i32:32 buffer:x:392KiB:uniform:0:1:271 buffer:dy:784KiB:uniform:0:1:272 buffer:dw:18KiB:zero
extern "C" __global__ void __launch_bounds__(224)
conv3x3_wgrad(const int batch, const int in_channels, const int out_channels, const float* __restrict__ x,
              const float* __restrict__ dy, float* __restrict__ dw) {
  constexpr int S = 28, PLANE = S * S, HALO = S + 2, OCT = 4, WARPS = 7;
  __shared__ float tile[HALO][HALO + 1];
  __shared__ float red[WARPS][OCT * 9];

  const int ic = blockIdx.x, oc0 = blockIdx.y * OCT;
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  float acc[OCT][9] = {};

  for (int n = 0; n < batch; ++n) {
    const float* xp = x + ((size_t)n * in_channels + ic) * PLANE;
    const float* dyp = dy + ((size_t)n * out_channels + oc0) * PLANE;
    __syncthreads();
    for (int i = tid; i < HALO * HALO; i += 224) {
      const int r = i / HALO, c = i % HALO;
      const bool inside = r >= 1 && r <= S && c >= 1 && c <= S;
      tile[r][c] = inside ? xp[(r - 1) * S + c - 1] : 0.f;
    }
    __syncthreads();

    for (int p = tid; p < PLANE; p += 224) {
      const int h = p / S, w = p % S;
      float g[OCT];
#pragma unroll
      for (int o = 0; o < OCT; ++o) g[o] = dyp[o * PLANE + p] - 0.5f;
#pragma unroll
      for (int r = 0; r < 3; ++r)
#pragma unroll
        for (int s = 0; s < 3; ++s) {
          const float v = tile[h + r][w + s];
#pragma unroll
          for (int o = 0; o < OCT; ++o) acc[o][r * 3 + s] = fmaf(g[o], v, acc[o][r * 3 + s]);
        }
    }
  }

#pragma unroll
  for (int o = 0; o < OCT; ++o)
#pragma unroll
    for (int t = 0; t < 9; ++t) {
      const float v = warp_reduce_sum(acc[o][t]);
      if (lane == 0) red[warp][o * 9 + t] = v;
    }
  __syncthreads();
  if (tid < OCT * 9) {
    float v = 0.f;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) v += red[w][tid];
    dw[((size_t)(oc0 + tid / 9) * in_channels + ic) * 9 + tid % 9] = v;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Batch norm in training mode: Welford statistics per channel, running statistics, transform
// ---------------------------------------------------------------------------------------------------------------------
struct WelfordAcc {
  float mean, m2;
  int n;
};

__device__ __forceinline__ WelfordAcc welford_combine(const WelfordAcc a, const WelfordAcc b) {
  const int n = a.n + b.n;
  const float factor = 1.f / (float)max(1, n);
  const float delta = b.mean - a.mean;
  WelfordAcc r;
  r.mean = (a.n * a.mean + b.n * b.mean) * factor;
  r.m2 = a.m2 + b.m2 + delta * delta * (float)a.n * (float)b.n * factor;
  r.n = n;
  return r;
}

__device__ __forceinline__ WelfordAcc warp_welford(WelfordAcc a) {
#pragma unroll
  for (int o = 1; o < WARP_SIZE; o <<= 1) {
    WelfordAcc b;
    b.mean = __shfl_xor_sync(FULL_MASK, a.mean, o);
    b.m2 = __shfl_xor_sync(FULL_MASK, a.m2, o);
    b.n = __shfl_xor_sync(FULL_MASK, a.n, o);
    // the lower lane goes first, so that both partners compute the same bits
    a = (threadIdx.x & o) ? welford_combine(b, a) : welford_combine(a, b);
  }
  return a;
}

//! batch_norm_welford_train 96 32x16 i32:16 i32:96 i32:784 f32:0.1 f32:1e-5 buffer:input:4704KiB:uniform:0:1:281 buffer:weight:384:uniform:0:1:282 buffer:bias:384:uniform:0:1:283 buffer:rmean:384:uniform:0:1:284 buffer:rvar:384:uniform:0:1:285 buffer:smean:384:zero buffer:sinvstd:384:zero buffer:output:4704KiB:zero
extern "C" __global__ void __launch_bounds__(512)
batch_norm_welford_train(const int batch, const int channels, const int spatial, const float momentum, const float eps,
                         const float* __restrict__ input, const float* __restrict__ weight,
                         const float* __restrict__ bias, float* __restrict__ running_mean,
                         float* __restrict__ running_var, float* __restrict__ save_mean,
                         float* __restrict__ save_invstd, float* __restrict__ output) {
  __shared__ WelfordAcc shared[16];
  __shared__ float s_mean, s_invstd;
  const int plane = blockIdx.x;

  WelfordAcc acc = {0.f, 0.f, 0};
  for (int b = threadIdx.y; b < batch; b += blockDim.y) {
    const float* src = input + ((size_t)b * channels + plane) * spatial;
    for (int i = threadIdx.x; i < spatial; i += blockDim.x) {
      const float v = src[i];
      const float d1 = v - acc.mean;
      acc.n++;
      acc.mean += d1 / acc.n;
      acc.m2 += d1 * (v - acc.mean);
    }
  }
  acc = warp_welford(acc);
  if (threadIdx.x == 0) shared[threadIdx.y] = acc;
  __syncthreads();

  if (threadIdx.y == 0) {
    acc = {0.f, 0.f, 0};
    if (threadIdx.x < 16) acc = shared[threadIdx.x];
    acc = warp_welford(acc);
    if (threadIdx.x == 0) {
      const float invstd = rsqrtf(acc.m2 / acc.n + eps);
      const float unbiased = acc.m2 / (acc.n - 1);
      save_mean[plane] = acc.mean;
      save_invstd[plane] = invstd;
      running_mean[plane] = (1 - momentum) * running_mean[plane] + momentum * acc.mean;
      running_var[plane] = (1 - momentum) * running_var[plane] + momentum * unbiased;
      s_mean = acc.mean;
      s_invstd = invstd;
    }
  }
  __syncthreads();

  const float gamma = weight[plane] * s_invstd;
  const float beta = bias[plane] - s_mean * gamma;
  for (int b = threadIdx.y; b < batch; b += blockDim.y) {
    const size_t off = ((size_t)b * channels + plane) * spatial;
    const float4* src = reinterpret_cast<const float4*>(input + off);
    float4* dst = reinterpret_cast<float4*>(output + off);
    for (int i = threadIdx.x; i < spatial / 4; i += blockDim.x) {
      const float4 v = src[i];
      dst[i] = make_float4(fmaf(v.x, gamma, beta), fmaf(v.y, gamma, beta), fmaf(v.z, gamma, beta),
                           fmaf(v.w, gamma, beta));
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Backward of dropout(softmax(causal-masked scores)): probabilities and mask are recomputed, one warp per row
// ---------------------------------------------------------------------------------------------------------------------
__device__ __forceinline__ uint4 philox7(uint4 c, uint2 k) {
#pragma unroll
  for (int r = 0; r < 7; ++r) {
    const uint64_t p0 = (uint64_t)0xD2511F53u * c.x, p1 = (uint64_t)0xCD9E8D57u * c.z;
    c = make_uint4((uint32_t)(p1 >> 32) ^ c.y ^ k.x, (uint32_t)p1, (uint32_t)(p0 >> 32) ^ c.w ^ k.y, (uint32_t)p0);
    k.x += 0x9E3779B9u;
    k.y += 0xBB67AE85u;
  }
  return c;
}

//! softmax_dropout_bwd 683 32x6 i32:4096 i32:256 f32:8.0 f32:0.9 u32:4242 buffer:scores:4MiB:uniform:0:1:291 buffer:grad:4MiB:uniform:0:1:292 buffer:dscores:4MiB:zero
extern "C" __global__ void __launch_bounds__(192)
softmax_dropout_bwd(const int rows, const int seq, const float scale, const float keep, const unsigned seed,
                    const float4* __restrict__ scores, const float4* __restrict__ grad, float4* __restrict__ dscores) {
  constexpr int VEC = 2;  // 32 lanes x 2 float4 = 256 columns
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const int q = row % seq;
  const size_t base = (size_t)row * (seq / 4);
  const unsigned threshold = (unsigned)(keep * 4294967040.f);
  const float inv_keep = 1.f / keep;

  float p[VEC * 4], g[VEC * 4];
  float mx = -INFINITY;
#pragma unroll
  for (int v = 0; v < VEC; ++v) {
    const int c4 = threadIdx.x + v * 32;
    const float4 s4 = scores[base + c4], g4 = grad[base + c4];
    const uint4 rnd = philox7(make_uint4((unsigned)(base + c4), 0u, 0u, 0u), make_uint2(seed, 0xCAFEu));
    const float s[4] = {s4.x, s4.y, s4.z, s4.w};
    const float d[4] = {g4.x, g4.y, g4.z, g4.w};
    const unsigned r[4] = {rnd.x, rnd.y, rnd.z, rnd.w};
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const bool visible = c4 * 4 + e <= q;
      p[v * 4 + e] = visible ? s[e] * scale : -INFINITY;
      g[v * 4 + e] = (visible && r[e] < threshold) ? (d[e] - 0.5f) * inv_keep : 0.f;
      mx = fmaxf(mx, p[v * 4 + e]);
    }
  }
  mx = warp_reduce_max(mx);

  float sum = 0.f, dot = 0.f;
#pragma unroll
  for (int i = 0; i < VEC * 4; ++i) {
    p[i] = exp2f((p[i] - mx) * 1.44269504f);
    sum += p[i];
    dot = fmaf(p[i], g[i], dot);
  }
  sum = warp_reduce_sum(sum);
  dot = warp_reduce_sum(dot);
  const float inv = 1.f / sum;
  dot *= inv;
#pragma unroll
  for (int v = 0; v < VEC; ++v) {
    float o[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) o[e] = scale * p[v * 4 + e] * inv * (g[v * 4 + e] - dot);
    dscores[base + threadIdx.x + v * 32] = make_float4(o[0], o[1], o[2], o[3]);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Muon: Nesterov momentum, quintic Newton-Schulz orthogonalisation of a 32 x 32 block, weight update
// ---------------------------------------------------------------------------------------------------------------------
namespace muon {
constexpr int D = 32, LD = D + 4;
struct alignas(16) Tile {
  float v[D][LD];
};

// row r, columns c..c+3 of P * Q
__device__ __forceinline__ float4 row_times(const Tile& P, const Tile& Q, int r, int c) {
  float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
  for (int k4 = 0; k4 < D; k4 += 4) {
    const float4 a = *reinterpret_cast<const float4*>(&P.v[r][k4]);
    const float av[4] = {a.x, a.y, a.z, a.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float4 b = *reinterpret_cast<const float4*>(&Q.v[k4 + k][c]);
      acc.x = fmaf(av[k], b.x, acc.x);
      acc.y = fmaf(av[k], b.y, acc.y);
      acc.z = fmaf(av[k], b.z, acc.z);
      acc.w = fmaf(av[k], b.w, acc.w);
    }
  }
  return acc;
}
}  // namespace muon

//! muon_newton_schulz32 72 256 f32:0.95 f32:0.02 i32:5 buffer:p:288KiB:uniform:0:1:301 buffer:g:288KiB:uniform:0:1:302 buffer:m:288KiB:uniform:0:1:303
extern "C" __global__ void __launch_bounds__(256)
muon_newton_schulz32(const float momentum, const float lr, const int steps, float* __restrict__ p,
                     const float* __restrict__ g, float* __restrict__ m) {
  using namespace muon;
  __shared__ Tile X, XT, A, B;
  __shared__ float red[8];
  constexpr float ca = 3.4445f, cb = -4.7750f, cc = 2.0315f;

  const int tid = threadIdx.x, r = tid >> 3, c = (tid & 7) * 4;
  const size_t off = (size_t)blockIdx.x * D * D + r * D + c;

  const float4 g4 = *reinterpret_cast<const float4*>(g + off);
  float4 m4 = *reinterpret_cast<const float4*>(m + off);
  const float gv[4] = {g4.x - 0.5f, g4.y - 0.5f, g4.z - 0.5f, g4.w - 0.5f};
  float mv[4] = {m4.x - 0.5f, m4.y - 0.5f, m4.z - 0.5f, m4.w - 0.5f};
  float u[4], ss = 0.f;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    mv[i] = momentum * mv[i] + (1.f - momentum) * gv[i];
    u[i] = momentum * mv[i] + (1.f - momentum) * gv[i];
    ss = fmaf(u[i], u[i], ss);
  }
  *reinterpret_cast<float4*>(m + off) = make_float4(mv[0], mv[1], mv[2], mv[3]);

  ss = warp_reduce_sum(ss);
  if ((tid & 31) == 0) red[tid >> 5] = ss;
  __syncthreads();
  ss = 0.f;
#pragma unroll
  for (int w = 0; w < 8; ++w) ss += red[w];
  const float inv = 1.f / (sqrtf(ss) + 1e-7f);
  float4 x = make_float4(u[0] * inv, u[1] * inv, u[2] * inv, u[3] * inv);

#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    *reinterpret_cast<float4*>(&X.v[r][c]) = x;
    XT.v[c][r] = x.x;
    XT.v[c + 1][r] = x.y;
    XT.v[c + 2][r] = x.z;
    XT.v[c + 3][r] = x.w;
    __syncthreads();
    const float4 a = row_times(X, XT, r, c);
    *reinterpret_cast<float4*>(&A.v[r][c]) = a;
    __syncthreads();
    const float4 aa = row_times(A, A, r, c);
    *reinterpret_cast<float4*>(&B.v[r][c]) =
        make_float4(cb * a.x + cc * aa.x, cb * a.y + cc * aa.y, cb * a.z + cc * aa.z, cb * a.w + cc * aa.w);
    __syncthreads();
    const float4 bx = row_times(B, X, r, c);
    x = make_float4(fmaf(ca, x.x, bx.x), fmaf(ca, x.y, bx.y), fmaf(ca, x.z, bx.z), fmaf(ca, x.w, bx.w));
    __syncthreads();
  }

  float4 w = *reinterpret_cast<const float4*>(p + off);
  w.x -= lr * x.x;
  w.y -= lr * x.y;
  w.z -= lr * x.z;
  w.w -= lr * x.w;
  *reinterpret_cast<float4*>(p + off) = w;
}

// ---------------------------------------------------------------------------------------------------------------------
// DLRM pairwise dot interaction with WMMA: one warp per sample, 27 feature vectors of width 64
// ---------------------------------------------------------------------------------------------------------------------
//! dlrm_dot_interact_wmma 256 128 i32:1024 buffer:dense:256KiB:uniform:0:1:311 buffer:sparse:6656KiB:uniform:0:1:312 buffer:out:1664KiB:zero
extern "C" __global__ void __launch_bounds__(128)
dlrm_dot_interact_wmma(const int batch, const float* __restrict__ dense, const float* __restrict__ sparse,
                       float* __restrict__ out) {
  using namespace nvcuda;
  constexpr int kFeatures = 27, kRows = 32, kDim = 64, kLd = kDim + 8, kLdZ = kRows + 4, kWarps = 4;
  constexpr int kPairs = kFeatures * (kFeatures - 1) / 2, kOut = 416;
  static_assert(kDim + kPairs < kOut, "output row too short");
  __shared__ __align__(32) half feat[kWarps][kRows * kLd];
  __shared__ __align__(32) float z[kWarps][kRows * kLdZ];

  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const int sample = blockIdx.x * kWarps + warp;
  if (sample >= batch) return;
  half* f = feat[warp];
  float* zw = z[warp];
  float* dst = out + (size_t)sample * kOut;

  // row 0 is the bottom MLP, rows 1..26 the embeddings, the rest padding
#pragma unroll 4
  for (int i = lane; i < kRows * kDim / 4; i += 32) {
    const int row = i / (kDim / 4), c = (i % (kDim / 4)) * 4;
    float4 v = make_float4(0.5f, 0.5f, 0.5f, 0.5f);
    if (row == 0) {
      v = *reinterpret_cast<const float4*>(dense + (size_t)sample * kDim + c);
      *reinterpret_cast<float4*>(dst + c) = v;
    } else if (row < kFeatures) {
      v = __ldcs(reinterpret_cast<const float4*>(sparse + ((size_t)sample * (kFeatures - 1) + row - 1) * kDim + c));
    }
    half2* h = reinterpret_cast<half2*>(f + row * kLd + c);
    h[0] = __floats2half2_rn(v.x - 0.5f, v.y - 0.5f);
    h[1] = __floats2half2_rn(v.z - 0.5f, v.w - 0.5f);
  }
  __syncwarp();

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[3];  // (0,0) (1,0) (1,1): the lower triangle
#pragma unroll
  for (int t = 0; t < 3; ++t) wmma::fill_fragment(acc[t], 0.f);
#pragma unroll
  for (int kk = 0; kk < kDim; kk += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b[2];
#pragma unroll
    for (int t = 0; t < 2; ++t) {
      wmma::load_matrix_sync(a[t], f + t * 16 * kLd + kk, kLd);
      wmma::load_matrix_sync(b[t], f + t * 16 * kLd + kk, kLd);
    }
    wmma::mma_sync(acc[0], a[0], b[0], acc[0]);
    wmma::mma_sync(acc[1], a[1], b[0], acc[1]);
    wmma::mma_sync(acc[2], a[1], b[1], acc[2]);
  }
  wmma::store_matrix_sync(zw, acc[0], kLdZ, wmma::mem_row_major);
  wmma::store_matrix_sync(zw + 16 * kLdZ, acc[1], kLdZ, wmma::mem_row_major);
  wmma::store_matrix_sync(zw + 16 * kLdZ + 16, acc[2], kLdZ, wmma::mem_row_major);
  __syncwarp();

  for (int r = 1; r < kFeatures; ++r)
    if (lane < r) dst[kDim + r * (r - 1) / 2 + lane] = zw[r * kLdZ + lane];
  if (lane < kOut - kDim - kPairs) dst[kDim + kPairs + lane] = 0.f;
}

// ---------------------------------------------------------------------------------------------------------------------
// Dense embedding gradient from sorted indices, scaled by frequency; a warp owns a run of equal indices
// ---------------------------------------------------------------------------------------------------------------------
// Sorted row of position i: 32 hot rows with 64 occurrences each, then rows with three each
__device__ __forceinline__ int sorted_row(int i) { return i < 2048 ? i / 64 : 32 + (i - 2048) / 3; }
// Where that occurrence sat before the sort; the factor is odd, so this is a permutation of [0, n), n a power of two
__device__ __forceinline__ int sorted_origin(int i, int n) { return (int)((unsigned)i * 2654435761u) & (n - 1); }

//! embedding_grad_sorted 1024 32x8 i32:8192 i32:128 i32:5 buffer:grad_out:4MiB:uniform:0:1:321 buffer:grad_weight:1064960:zero
extern "C" __global__ void embedding_grad_sorted(const int numel, const int stride, const int padding_idx,
                                                 const float* __restrict__ grad_output,
                                                 float* __restrict__ grad_weight) {
  constexpr int SZ = 4;
  int idx = blockIdx.x * blockDim.y + threadIdx.y;
  if (idx >= numel) return;
  const int row = sorted_row(idx);
  // only the warp at the start of a run continues
  if ((idx != 0 && row == sorted_row(idx - 1)) || row == padding_idx) return;

  int count = 1;
  while (idx + count < numel && sorted_row(idx + count) == row) ++count;
  const float scale = 1.f / (float)count;

  const int feature = threadIdx.x;
  float weight[SZ];
#pragma unroll
  for (int s = 0; s < SZ; ++s) {
    const int f = feature + s * WARP_SIZE;
    weight[s] = f < stride ? grad_weight[(size_t)row * stride + f] : 0.f;
  }
  for (int end = idx + count; idx < end; ++idx) {
    const float* src = grad_output + (size_t)sorted_origin(idx, numel) * stride;
#pragma unroll
    for (int s = 0; s < SZ; ++s) {
      const int f = feature + s * WARP_SIZE;
      if (f < stride) weight[s] += (src[f] - 0.5f) * scale;
    }
  }
#pragma unroll
  for (int s = 0; s < SZ; ++s) {
    const int f = feature + s * WARP_SIZE;
    if (f < stride) grad_weight[(size_t)row * stride + f] = weight[s];
  }
}
