// Model-side kernels: detection heads, recurrent cells, attention variants, state-space models, decoding.
#include <cuda_fp16.h>
#include <mma.h>
#include <cfloat>
#include <cstdint>

#define CUDA_1D_KERNEL_LOOP(i, n) \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

#define FULL_MASK 0xffffffffu

template <typename T>
__device__ __forceinline__ T warp_sum(T v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(FULL_MASK, v, o);
  return v;
}

__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(FULL_MASK, v, o));
  return v;
}

// ---------------------------------------------------------------------------------------------------------------------
// Batched non-maximum suppression, bitmask stage
// ---------------------------------------------------------------------------------------------------------------------
constexpr int kNmsThreads = sizeof(unsigned long long) * 8;
constexpr float kImageExtent = 320.f;
constexpr int kNmsClasses = 5;

__device__ __forceinline__ float4 corner_box(const float4 r, const int label) {
  const float w = 6.f + 90.f * r.z;
  const float h = 6.f + 70.f * r.w;
  // the "coordinate trick": boxes of distinct classes never overlap
  const float off = (float)(label % kNmsClasses) * (kImageExtent + 128.f);
  const float x1 = r.x * kImageExtent + off;
  const float y1 = r.y * kImageExtent + off;
  return make_float4(x1, y1, x1 + w, y1 + h);
}

// distance-IoU: the overlap less the centre distance over the diagonal of the enclosing box
__device__ __forceinline__ bool dev_diou_above(const float4 a, const float4 b, const float threshold) {
  const float left = fmaxf(a.x, b.x), right = fminf(a.z, b.z);
  const float top = fmaxf(a.y, b.y), bottom = fminf(a.w, b.w);
  const float width = fmaxf(right - left, 0.f), height = fmaxf(bottom - top, 0.f);
  const float inter = width * height;
  const float area_a = (a.z - a.x) * (a.w - a.y);
  const float area_b = (b.z - b.x) * (b.w - b.y);
  const float iou = inter / (area_a + area_b - inter);
  const float dx = 0.5f * ((a.x + a.z) - (b.x + b.z)), dy = 0.5f * ((a.y + a.w) - (b.y + b.w));
  const float ew = fmaxf(a.z, b.z) - fminf(a.x, b.x), eh = fmaxf(a.w, b.w) - fminf(a.y, b.y);
  return iou - (dx * dx + dy * dy) / (ew * ew + eh * eh) > threshold;
}

//! nms_bitmask 24x24 64 i32:1536 f32:0.35 buffer:boxes:24KiB:uniform:0:1:11 buffer:labels:6KiB:hash_i32:12 buffer:mask:288KiB:zero
extern "C" __global__ void nms_bitmask(const int n_boxes, const float iou_threshold, const float* __restrict__ dev_boxes,
                                       const int* __restrict__ labels, unsigned long long* __restrict__ dev_mask) {
  const int row_start = blockIdx.y;
  const int col_start = blockIdx.x;
  if (row_start > col_start) return;

  const int row_size = min(n_boxes - row_start * kNmsThreads, kNmsThreads);
  const int col_size = min(n_boxes - col_start * kNmsThreads, kNmsThreads);

  __shared__ float4 block_boxes[kNmsThreads];
  if (threadIdx.x < col_size) {
    const int idx = col_start * kNmsThreads + threadIdx.x;
    block_boxes[threadIdx.x] = corner_box(reinterpret_cast<const float4*>(dev_boxes)[idx], labels[idx]);
  }
  __syncthreads();

  if (threadIdx.x < row_size) {
    const int cur = row_start * kNmsThreads + threadIdx.x;
    const float4 cur_box = corner_box(reinterpret_cast<const float4*>(dev_boxes)[cur], labels[cur]);
    unsigned long long t = 0;
    const int start = (row_start == col_start) ? threadIdx.x + 1 : 0;
    for (int i = start; i < col_size; i++) {
      if (dev_diou_above(cur_box, block_boxes[i], iou_threshold)) t |= 1ULL << i;
    }
    const int col_blocks = (n_boxes + kNmsThreads - 1) / kNmsThreads;
    dev_mask[(size_t)cur * col_blocks + col_start] = t;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// RoI align (aligned = true)
// ---------------------------------------------------------------------------------------------------------------------
template <typename T>
__device__ T bilinear_interpolate(const T* input, int height, int width, T y, T x) {
  if (y < (T)-1.0 || y > (T)height || x < (T)-1.0 || x > (T)width) return 0;
  if (y <= 0) y = 0;
  if (x <= 0) x = 0;
  int y_low = (int)y, x_low = (int)x;
  int y_high, x_high;
  if (y_low >= height - 1) {
    y_high = y_low = height - 1;
    y = (T)y_low;
  } else {
    y_high = y_low + 1;
  }
  if (x_low >= width - 1) {
    x_high = x_low = width - 1;
    x = (T)x_low;
  } else {
    x_high = x_low + 1;
  }
  const T ly = y - y_low, lx = x - x_low;
  const T hy = (T)1. - ly, hx = (T)1. - lx;
  const T v1 = input[y_low * width + x_low], v2 = input[y_low * width + x_high];
  const T v3 = input[y_high * width + x_low], v4 = input[y_high * width + x_high];
  return hy * hx * v1 + hy * lx * v2 + ly * hx * v3 + ly * lx * v4;
}

//! roi_align_nchw 264 256 i32:200704 i32:64 i32:64 i32:64 i32:2 f32:0.25 buffer:input:2MiB:uniform:0:1:21 buffer:rois:1KiB:uniform:0:1:22 buffer:output:802816:zero
extern "C" __global__ void roi_align_nchw(const int nthreads, const int channels, const int height, const int width,
                                          const int sampling_ratio, const float spatial_scale,
                                          const float* __restrict__ input, const float* __restrict__ rois,
                                          float* __restrict__ output) {
  constexpr int pooled_height = 7, pooled_width = 7;
  CUDA_1D_KERNEL_LOOP(index, nthreads) {
    const int pw = index % pooled_width;
    const int ph = (index / pooled_width) % pooled_height;
    const int c = (index / pooled_width / pooled_height) % channels;
    const int n = index / pooled_width / pooled_height / channels;

    const float* roi = rois + n * 4;
    const int batch = n & 1;
    const float rx = roi[0] * 200.f, ry = roi[1] * 200.f;
    const float roi_start_w = rx * spatial_scale - 0.5f;
    const float roi_start_h = ry * spatial_scale - 0.5f;
    const float roi_end_w = (rx + 8.f + roi[2] * 96.f) * spatial_scale - 0.5f;
    const float roi_end_h = (ry + 8.f + roi[3] * 96.f) * spatial_scale - 0.5f;
    const float bin_h = (roi_end_h - roi_start_h) / (float)pooled_height;
    const float bin_w = (roi_end_w - roi_start_w) / (float)pooled_width;

    const int grid_h = sampling_ratio > 0 ? sampling_ratio : (int)ceilf(bin_h);
    const int grid_w = sampling_ratio > 0 ? sampling_ratio : (int)ceilf(bin_w);
    const float count = (float)max(grid_h * grid_w, 1);

    const float* plane = input + ((size_t)batch * channels + c) * height * width;
    float acc = 0.f;
    for (int iy = 0; iy < grid_h; iy++) {
      const float y = roi_start_h + ph * bin_h + ((float)iy + .5f) * bin_h / (float)grid_h;
      for (int ix = 0; ix < grid_w; ix++) {
        const float x = roi_start_w + pw * bin_w + ((float)ix + .5f) * bin_w / (float)grid_w;
        acc += bilinear_interpolate<float>(plane, height, width, y, x);
      }
    }
    output[index] = acc / count;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Fused LSTM cell with peepholes: everything that follows the two gate GEMMs
// ---------------------------------------------------------------------------------------------------------------------
__device__ __forceinline__ float sigmoid_acc(float x) { return 1.f / (1.f + __expf(-x)); }

#define GATE(ptr, g) (ptr)[gate_off + (g) * hsz]
#define BIAS(g) (b1[hid + (g) * hsz] + b2[hid + (g) * hsz] - 1.0f)

//! lstm_peephole_cell 512 192 i32:512 i32:262144 buffer:igates:4MiB:uniform:0:1:31 buffer:hgates:4MiB:uniform:0:1:32 buffer:b1:8KiB:uniform:0:1:33 buffer:b2:8KiB:uniform:0:1:34 buffer:peep:6KiB:uniform:0:1:35 buffer:cx:1MiB:uniform:0:1:36 buffer:hy:1MiB:zero buffer:cy:1MiB:zero buffer:storage:4MiB:zero
extern "C" __global__ void __launch_bounds__(192)
lstm_peephole_cell(const int hsz, const int total, const float* __restrict__ igates, const float* __restrict__ hgates,
                   const float* __restrict__ b1, const float* __restrict__ b2, const float* __restrict__ peep,
                   const float* __restrict__ cx, float* __restrict__ hy, float* __restrict__ cy,
                   float* __restrict__ storage) {
  for (int lin = blockIdx.x * blockDim.x + threadIdx.x; lin < total; lin += gridDim.x * blockDim.x) {
    const int sample = lin / hsz;
    const int hid = lin - sample * hsz;
    const int gate_off = sample * 4 * hsz + hid;

    const float iig = GATE(igates, 0), ifg = GATE(igates, 1), icg = GATE(igates, 2), iog = GATE(igates, 3);
    const float hig = GATE(hgates, 0), hfg = GATE(hgates, 1), hcg = GATE(hgates, 2), hog = GATE(hgates, 3);
    const float c_prev = cx[lin];
    const float p_i = peep[hid] - 0.5f, p_f = peep[hid + hsz] - 0.5f, p_o = peep[hid + 2 * hsz] - 0.5f;

    const float ig = sigmoid_acc(iig + hig - 1.f + BIAS(0) + p_i * c_prev);
    const float fg = sigmoid_acc(ifg + hfg - 1.f + BIAS(1) + p_f * c_prev + 1.f);
    const float cg = tanhf(icg + hcg - 1.f + BIAS(2));
    const float c_new = fg * c_prev + ig * cg;
    const float og = sigmoid_acc(iog + hog - 1.f + BIAS(3) + p_o * c_new);

    cy[lin] = c_new;
    hy[lin] = og * tanhf(c_new);
    GATE(storage, 0) = ig;
    GATE(storage, 1) = fg;
    GATE(storage, 2) = cg;
    GATE(storage, 3) = og;
  }
}
#undef GATE
#undef BIAS

// ---------------------------------------------------------------------------------------------------------------------
// Persistent GRU over a whole sequence: recurrent weights live in registers, one block per sequence
// ---------------------------------------------------------------------------------------------------------------------
constexpr int kGruHidden = 64;

//! gru_persistent_h64 66 192 i32:40 buffer:xgates:2027520:uniform:0:1:41 buffer:whh:48KiB:uniform:0:1:42 buffer:bhh:768:uniform:0:1:43 buffer:out:675840:zero
extern "C" __global__ void __launch_bounds__(3 * kGruHidden, 2)
gru_persistent_h64(const int seq_len, const float* __restrict__ xgates, const float* __restrict__ whh,
                   const float* __restrict__ bhh, float* __restrict__ out) {
  __shared__ __align__(16) float h_prev[kGruHidden];
  __shared__ float pre[3 * kGruHidden];

  const int row = threadIdx.x;
  float4 w[kGruHidden / 4];
#pragma unroll
  for (int i = 0; i < kGruHidden / 4; ++i) {
    float4 t = reinterpret_cast<const float4*>(whh + row * kGruHidden)[i];
    w[i] = make_float4((t.x - .5f) * .35f, (t.y - .5f) * .35f, (t.z - .5f) * .35f, (t.w - .5f) * .35f);
  }
  const float bias = bhh[row] - 0.5f;
  const float* xg = xgates + (size_t)blockIdx.x * seq_len * 3 * kGruHidden;
  float* o = out + (size_t)blockIdx.x * seq_len * kGruHidden;

  if (row < kGruHidden) h_prev[row] = 0.f;
  float x_next = xg[row];
  __syncthreads();

  for (int t = 0; t < seq_len; ++t) {
    const float x_cur = 2.f * x_next - 1.f;
    if (t + 1 < seq_len) x_next = xg[(t + 1) * 3 * kGruHidden + row];

    float a0 = bias, a1 = 0.f, a2 = 0.f, a3 = 0.f;
#pragma unroll
    for (int i = 0; i < kGruHidden / 4; ++i) {
      const float4 h4 = reinterpret_cast<const float4*>(h_prev)[i];
      a0 = fmaf(w[i].x, h4.x, a0);
      a1 = fmaf(w[i].y, h4.y, a1);
      a2 = fmaf(w[i].z, h4.z, a2);
      a3 = fmaf(w[i].w, h4.w, a3);
    }
    const float hdot = (a0 + a1) + (a2 + a3);

    // r and z gates can be finished by their own threads; n needs r first
    if (row < 2 * kGruHidden)
      pre[row] = sigmoid_acc(x_cur + hdot);
    else
      pre[row] = hdot;
    __syncthreads();

    if (row >= 2 * kGruHidden) {
      const int u = row - 2 * kGruHidden;
      const float r = pre[u], z = pre[u + kGruHidden];
      const float n = tanhf(x_cur + r * hdot);
      const float h = n + z * (h_prev[u] - n);
      h_prev[u] = h;
      o[t * kGruHidden + u] = h;
    }
    __syncthreads();
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Causal sliding-window attention with ALiBi slopes, logit soft-capping and attention sinks (head dim 64)
// ---------------------------------------------------------------------------------------------------------------------
constexpr int kSwaQ = 32, kSwaK = 32, kSwaD = 64, kSwaSink = 4, kSwaGroup = 8;

__device__ __forceinline__ float tanh_fast(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

//! sliding_alibi_attn 8x8 128 i32:256 i32:96 f32:0.125 f32:30.0 buffer:q:512KiB:uniform:0:1:51 buffer:k:512KiB:uniform:0:1:52 buffer:v:512KiB:uniform:0:1:53 buffer:o:512KiB:zero
extern "C" __global__ void __launch_bounds__(128)
sliding_alibi_attn(const int seq, const int window, const float scale, const float cap, const float* __restrict__ q,
                   const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ o) {
  __shared__ float4 sk[kSwaK][kSwaD / 4];
  __shared__ float4 sv[kSwaK][kSwaD / 4];

  const int head = blockIdx.y, heads = gridDim.y;
  const int q0 = blockIdx.x * kSwaQ;
  const int row = threadIdx.x >> 2, part = threadIdx.x & 3;
  const int qi = q0 + row;
  const float slope = exp2f(-8.f * (float)(head + 1) / (float)heads);
  const float inv_cap = scale / cap;
  const size_t base = (size_t)head * seq * kSwaD;

  // every lane of a quad keeps the float4 columns part, part + 4, part + 8, part + 12
  float4 qr[4], acc[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    qr[i] = reinterpret_cast<const float4*>(q + base + (size_t)qi * kSwaD)[i * 4 + part];
    qr[i].x = qr[i].x * 4.f - 2.f;
    qr[i].y = qr[i].y * 4.f - 2.f;
    qr[i].z = qr[i].z * 4.f - 2.f;
    qr[i].w = qr[i].w * 4.f - 2.f;
    acc[i] = make_float4(0.f, 0.f, 0.f, 0.f);
  }
  float m = -1e30f, l = 0.f;

  const int first_tile = max(0, q0 - window + 1) / kSwaK;
  const int last_tile = q0 / kSwaK;
  for (int it = (first_tile > 0 ? first_tile - 1 : 0); it <= last_tile; ++it) {
    const int tile = it < first_tile ? 0 : it;  // the extra leading step revisits the sinks
    __syncthreads();
    for (int i = threadIdx.x; i < kSwaK * kSwaD / 4; i += blockDim.x) {
      sk[i / (kSwaD / 4)][i % (kSwaD / 4)] = reinterpret_cast<const float4*>(k + base + (size_t)tile * kSwaK * kSwaD)[i];
      sv[i / (kSwaD / 4)][i % (kSwaD / 4)] = reinterpret_cast<const float4*>(v + base + (size_t)tile * kSwaK * kSwaD)[i];
    }
    __syncthreads();

    const int keys = it < first_tile ? kSwaGroup : kSwaK;
    for (int g = 0; g < keys; g += kSwaGroup) {
      float s[kSwaGroup];
      float m_new = m;
#pragma unroll
      for (int j = 0; j < kSwaGroup; ++j) {
        float d = 0.f;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const float4 kk = sk[g + j][i * 4 + part];
          d = fmaf(qr[i].x, kk.x, d);
          d = fmaf(qr[i].y, kk.y, d);
          d = fmaf(qr[i].z, kk.z, d);
          d = fmaf(qr[i].w, kk.w, d);
        }
        d += __shfl_xor_sync(FULL_MASK, d, 1);
        d += __shfl_xor_sync(FULL_MASK, d, 2);
        const int kj = tile * kSwaK + g + j;
        const bool in_window = kj <= qi && (kj > qi - window || kj < kSwaSink);
        s[j] = in_window ? cap * tanh_fast(d * inv_cap) - slope * (float)(qi - kj) : -INFINITY;
        m_new = fmaxf(m_new, s[j]);
      }
      const float alpha = __expf(m - m_new);
      l *= alpha;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        acc[i].x *= alpha;
        acc[i].y *= alpha;
        acc[i].z *= alpha;
        acc[i].w *= alpha;
      }
#pragma unroll
      for (int j = 0; j < kSwaGroup; ++j) {
        const float p = __expf(s[j] - m_new);
        l += p;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const float4 vv = sv[g + j][i * 4 + part];
          acc[i].x = fmaf(p, vv.x, acc[i].x);
          acc[i].y = fmaf(p, vv.y, acc[i].y);
          acc[i].z = fmaf(p, vv.z, acc[i].z);
          acc[i].w = fmaf(p, vv.w, acc[i].w);
        }
      }
      m = m_new;
    }
  }

  const float inv = l > 0.f ? 1.f / l : 0.f;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    reinterpret_cast<float4*>(o + base + (size_t)qi * kSwaD)[i * 4 + part] =
        make_float4(acc[i].x * inv, acc[i].y * inv, acc[i].z * inv, acc[i].w * inv);
}

// ---------------------------------------------------------------------------------------------------------------------
// MoE routing: stable counting sort of token slots by expert, every expert padded to the GEMM block size
// ---------------------------------------------------------------------------------------------------------------------
constexpr int kMoeExperts = 32, kMoeThreads = 128, kMoeBlock = 16;

//! moe_align_segments 96 128 i32:2048 i32:2528 buffer:topk_ids:768KiB:hash_i32:61 buffer:sorted:970752:zero buffer:experts:60672:zero buffer:npad:384:zero
extern "C" __global__ void moe_align_segments(const int numel, const int max_padded, const int* __restrict__ topk_ids,
                                              int* __restrict__ sorted_ids, int* __restrict__ expert_ids,
                                              int* __restrict__ num_tokens_post_pad) {
  __shared__ int tokens_cnts[kMoeThreads + 1][kMoeExperts + 1];
  __shared__ int cumsum[kMoeExperts + 1];

  const int tid = threadIdx.x;
  const int* ids = topk_ids + (size_t)blockIdx.x * numel;
  int* sorted = sorted_ids + (size_t)blockIdx.x * max_padded;
  int* experts = expert_ids + (size_t)blockIdx.x * (max_padded / kMoeBlock);

  const int per_thread = (numel + kMoeThreads - 1) / kMoeThreads;
  const int start = min(tid * per_thread, numel);
  const int stop = min(start + per_thread, numel);

  for (int e = 0; e < kMoeExperts; ++e) tokens_cnts[tid + 1][e] = 0;
  if (tid < kMoeExperts) tokens_cnts[0][tid] = 0;
  for (int i = start; i < stop; ++i) {
    // skewed popularity: the product of two residues favours low experts
    const int h = ids[i];
    const int e = ((h & 31) * ((h >> 5) & 31)) >> 5;
    ++tokens_cnts[tid + 1][e];
  }
  for (int i = tid; i < max_padded; i += kMoeThreads) sorted[i] = numel;
  __syncthreads();

  if (tid < kMoeExperts) {
    for (int i = 1; i <= kMoeThreads; ++i) tokens_cnts[i][tid] += tokens_cnts[i - 1][tid];
    const int padded = (tokens_cnts[kMoeThreads][tid] + kMoeBlock - 1) / kMoeBlock * kMoeBlock;
    int incl = padded;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
      const int t = __shfl_up_sync(FULL_MASK, incl, o);
      if (tid >= o) incl += t;
    }
    cumsum[tid + 1] = incl;
    if (tid == 0) cumsum[0] = 0;
    if (tid == kMoeExperts - 1) num_tokens_post_pad[blockIdx.x] = incl;
  }
  __syncthreads();

  if (tid < kMoeExperts) {
    for (int i = cumsum[tid]; i < cumsum[tid + 1]; i += kMoeBlock) experts[i / kMoeBlock] = tid;
  } else {
    for (int i = cumsum[kMoeExperts] / kMoeBlock + tid - kMoeExperts; i < max_padded / kMoeBlock;
         i += kMoeThreads - kMoeExperts)
      experts[i] = -1;
  }

  for (int i = start; i < stop; ++i) {
    const int h = ids[i];
    const int e = ((h & 31) * ((h >> 5) & 31)) >> 5;
    const int rank = tokens_cnts[tid][e]++;
    sorted[cumsum[e] + rank] = i;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Mamba-2 (SSD): intra-chunk output and the chunk's final state
// ---------------------------------------------------------------------------------------------------------------------
constexpr int kSsdL = 64, kSsdN = 32, kSsdP = 32;

__device__ __forceinline__ float softplus(float x) { return x > 20.f ? x : log1pf(__expf(x)); }

//! ssd_chunk_scan 24x4 256 i32:24 buffer:x:768KiB:uniform:0:1:71 buffer:dt:24KiB:uniform:0:1:72 buffer:A_log:96:uniform:0:1:73 buffer:B:32KiB:uniform:0:1:74 buffer:C:32KiB:uniform:0:1:75 buffer:y:768KiB:zero buffer:states:384KiB:zero
extern "C" __global__ void __launch_bounds__(256)
ssd_chunk_scan(const int nheads, const float* __restrict__ x, const float* __restrict__ dt,
               const float* __restrict__ A_log, const float* __restrict__ B, const float* __restrict__ C,
               float* __restrict__ y, float* __restrict__ states) {
  __shared__ float sC[kSsdL][kSsdN + 1];
  __shared__ float sB[kSsdL][kSsdN + 1];
  __shared__ __align__(8) float sX[kSsdL][kSsdP];
  __shared__ float sS[kSsdL][kSsdL + 1];
  __shared__ float sCum[kSsdL], sDt[kSsdL], sDecay[kSsdL];

  const int head = blockIdx.x, chunk = blockIdx.y;
  const int tid = threadIdx.x;
  const int t0 = chunk * kSsdL;

  if (tid < 32) {
    const float a = -__expf(A_log[head]);
    const float d0 = softplus(dt[(t0 + 2 * tid) * nheads + head] * 4.f - 5.f);
    const float d1 = softplus(dt[(t0 + 2 * tid + 1) * nheads + head] * 4.f - 5.f);
    float incl = (d0 + d1) * a;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
      const float t = __shfl_up_sync(FULL_MASK, incl, o);
      if (tid >= o) incl += t;
    }
    const float last = __shfl_sync(FULL_MASK, incl, 31);
    const float c0 = incl - d1 * a;
    sCum[2 * tid] = c0;
    sCum[2 * tid + 1] = incl;
    sDt[2 * tid] = d0;
    sDt[2 * tid + 1] = d1;
    sDecay[2 * tid] = __expf(last - c0) * d0;
    sDecay[2 * tid + 1] = __expf(last - incl) * d1;
  }
  for (int i = tid; i < kSsdL * kSsdN; i += 256) {
    const int l = i / kSsdN, n = i % kSsdN;
    sB[l][n] = B[(t0 + l) * kSsdN + n] - 0.5f;
    sC[l][n] = C[(t0 + l) * kSsdN + n] - 0.5f;
  }
  for (int i = tid; i < kSsdL * kSsdP; i += 256) {
    const int l = i / kSsdP, p = i % kSsdP;
    sX[l][p] = x[((size_t)(t0 + l) * nheads + head) * kSsdP + p];
  }
  __syncthreads();

  // CB^T with the 1-semiseparable mask; 16 x 16 threads, 4 x 4 each
  const int ty = tid / 16, tx = tid % 16;
  {
    float acc[4][4] = {};
#pragma unroll 8
    for (int n = 0; n < kSsdN; ++n) {
      float cf[4], bf[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) cf[i] = sC[ty * 4 + i][n];
#pragma unroll
      for (int j = 0; j < 4; ++j) bf[j] = sB[tx + 16 * j][n];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] = fmaf(cf[i], bf[j], acc[i][j]);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int r = ty * 4 + i, s = tx + 16 * j;
        sS[r][s] = s <= r ? acc[i][j] * __expf(sCum[r] - sCum[s]) * sDt[s] : 0.f;
      }
  }
  __syncthreads();

  {
    float acc[4][2] = {};
    const int limit = ty * 4 + 4;
    for (int s = 0; s < limit; ++s) {
      const float2 xv = *reinterpret_cast<const float2*>(&sX[s][tx * 2]);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float w = sS[ty * 4 + i][s];
        acc[i][0] = fmaf(w, xv.x, acc[i][0]);
        acc[i][1] = fmaf(w, xv.y, acc[i][1]);
      }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float2* dst = reinterpret_cast<float2*>(y + ((size_t)(t0 + ty * 4 + i) * nheads + head) * kSsdP + tx * 2);
      *dst = make_float2(acc[i][0], acc[i][1]);
    }
  }

  {
    const int p = tid / 8, n0 = (tid % 8) * 4;
    float st[4] = {};
#pragma unroll 4
    for (int s = 0; s < kSsdL; ++s) {
      const float xv = sX[s][p] * sDecay[s];
#pragma unroll
      for (int j = 0; j < 4; ++j) st[j] = fmaf(xv, sB[s][n0 + j], st[j]);
    }
    float* dst = states + ((size_t)chunk * nheads + head) * (kSsdP * kSsdN) + p * kSsdN + n0;
    *reinterpret_cast<float4*>(dst) = make_float4(st[0], st[1], st[2], st[3]);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// CTC loss: alpha recursion in log space, one block per utterance, one thread per state of the augmented target
// ---------------------------------------------------------------------------------------------------------------------
constexpr int kCtcMaxTarget = 30, kCtcStates = 2 * kCtcMaxTarget + 1, kCtcBlank = 0;

__device__ __forceinline__ int augmented_label(const int* __restrict__ target, int s, int alphabet) {
  return (s & 1) ? 1 + target[s >> 1] % (alphabet - 1) : kCtcBlank;
}

//! ctc_alpha 132 64 i32:96 i32:64 buffer:log_probs:3244032:uniform:0:1:81 buffer:targets:15840:hash_i32:82 buffer:alpha:3091968:zero buffer:nll:528:zero
extern "C" __global__ void ctc_alpha(const int max_input, const int alphabet, const float* __restrict__ log_probs,
                                     const int* __restrict__ targets, float* __restrict__ log_alpha,
                                     float* __restrict__ neg_log_likelihood) {
  constexpr float neginf = -INFINITY;
  // two leading pads make a[s - 1] and a[s - 2] valid for every s
  __shared__ float a[2][64 + 2];

  const int b = blockIdx.x, batch = gridDim.x;
  const int s = threadIdx.x;
  const int input_length = max_input - b % 9;
  const int target_length = kCtcMaxTarget - (b * 7) % 11;
  const int states = 2 * target_length + 1;
  const int* tgt = targets + b * kCtcMaxTarget;
  float* alpha_b = log_alpha + (size_t)b * max_input * kCtcStates;

  const bool active = s < states;
  const int label = active ? augmented_label(tgt, s, alphabet) : kCtcBlank;
  const bool have_three = active && s > 1 && label != kCtcBlank && augmented_label(tgt, s - 2, alphabet) != label;

#define LOGP(t) (log_probs[((size_t)(t) * batch + b) * alphabet + label] * 7.f - 7.5f)
  if (s < 2) {
    a[0][s] = neginf;
    a[1][s] = neginf;
  }
  const float first = (active && s < 2) ? LOGP(0) : neginf;
  a[0][s + 2] = first;
  if (active) alpha_b[s] = first;
  float lp_next = LOGP(1);
  __syncthreads();

  for (int t = 1; t < input_length; ++t) {
    const float* prev = a[(t & 1) ^ 1];
    const float lp = lp_next;
    if (t + 1 < input_length) lp_next = LOGP(t + 1);

    const float la1 = prev[s + 2];
    const float la2 = prev[s + 1];
    const float la3 = have_three ? prev[s] : neginf;
    float lamax = fmaxf(la1, fmaxf(la2, la3));
    if (lamax == neginf) lamax = 0.f;  // all paths dead: avoid (-inf) - (-inf)
    const float next =
        active ? logf(expf(la1 - lamax) + expf(la2 - lamax) + expf(la3 - lamax)) + lamax + lp : neginf;
    a[t & 1][s + 2] = next;
    if (active) alpha_b[t * kCtcStates + s] = next;
    __syncthreads();
  }
#undef LOGP

  if (s == 0) {
    const float* fin = a[(input_length - 1) & 1];
    const float l1 = fin[states - 1 + 2], l2 = fin[states - 2 + 2];
    float mx = fmaxf(l1, l2);
    if (mx == neginf) mx = 0.f;
    neg_log_likelihood[b] = -(logf(expf(l1 - mx) + expf(l2 - mx)) + mx);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Beam search step: log-softmax over every beam, then the best K candidates of beams x vocabulary
// ---------------------------------------------------------------------------------------------------------------------
template <int K>
struct TopK {
  float val[K];
  int id[K];

  __device__ __forceinline__ void init() {
#pragma unroll
    for (int i = 0; i < K; ++i) {
      val[i] = -FLT_MAX;
      id[i] = INT_MAX;
    }
  }
  static __device__ __forceinline__ bool better(float v, int i, float w, int j) { return v > w || (v == w && i < j); }
  __device__ __forceinline__ void insert(float v, int i) {
    if (!better(v, i, val[K - 1], id[K - 1])) return;
    val[K - 1] = v;
    id[K - 1] = i;
#pragma unroll
    for (int k = K - 2; k >= 0; --k) {
      if (better(val[k + 1], id[k + 1], val[k], id[k])) {
        const float tv = val[k];
        const int ti = id[k];
        val[k] = val[k + 1];
        id[k] = id[k + 1];
        val[k + 1] = tv;
        id[k + 1] = ti;
      }
    }
  }
};

//! beam_topk_k4 64 256 i32:2048 i32:2 f32:1.0 buffer:logits:2MiB:uniform:0:1:91 buffer:cum:1KiB:uniform:0:1:92 buffer:fin:1KiB:hash_i32:93 buffer:ids:1KiB:zero buffer:parents:1KiB:zero buffer:outlp:1KiB:zero
extern "C" __global__ void __launch_bounds__(256)
beam_topk_k4(const int vocab, const int eos, const float diversity, const float* __restrict__ logits,
             const float* __restrict__ cum_log_probs, const int* __restrict__ finished, int* __restrict__ out_ids,
             int* __restrict__ out_parents, float* __restrict__ out_log_probs) {
  constexpr int K = 4, kWarps = 8;
  __shared__ float part_m[kWarps], part_s[kWarps];
  __shared__ float lse[K], prior[K];
  __shared__ bool done[K];
  __shared__ float cand_val[kWarps][K];
  __shared__ int cand_id[kWarps][K];

  const int b = blockIdx.x, tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const float* rows = logits + (size_t)b * K * vocab;

  // two warps per beam
  {
    const float* row = rows + (warp >> 1) * vocab;
    float m = -FLT_MAX, s = 0.f;
    for (int i = (warp & 1) * 32 + lane; i < vocab; i += 64) {
      const float v = row[i] * 12.f;
      const float nm = fmaxf(m, v);
      s = s * __expf(m - nm) + __expf(v - nm);
      m = nm;
    }
    const float wm = warp_max(m);
    s = warp_sum(s * __expf(m - wm));
    if (lane == 0) {
      part_m[warp] = wm;
      part_s[warp] = s;
    }
  }
  __syncthreads();
  if (tid < K) {
    const float m0 = part_m[2 * tid], m1 = part_m[2 * tid + 1];
    const float m = fmaxf(m0, m1);
    lse[tid] = m + __logf(part_s[2 * tid] * __expf(m0 - m) + part_s[2 * tid + 1] * __expf(m1 - m));
    prior[tid] = -3.f * cum_log_probs[b * K + tid] - diversity * (float)tid * 0.01f;
    done[tid] = finished[b * K + tid] % 9 == 0;
  }
  __syncthreads();

  TopK<K> best;
  best.init();
  for (int beam = 0; beam < K; ++beam) {
    const float shift = prior[beam] - lse[beam];
    if (done[beam]) {
      // a finished beam only proposes itself
      if (tid == 0) best.insert(prior[beam], beam * vocab + eos);
      continue;
    }
    for (int i = tid; i < vocab; i += blockDim.x) best.insert(rows[beam * vocab + i] * 12.f + shift, beam * vocab + i);
  }

#pragma unroll 1
  for (int o = 16; o > 0; o >>= 1) {
    TopK<K> other;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      other.val[k] = __shfl_down_sync(FULL_MASK, best.val[k], o);
      other.id[k] = __shfl_down_sync(FULL_MASK, best.id[k], o);
    }
    if (lane < o) {
#pragma unroll
      for (int k = 0; k < K; ++k) best.insert(other.val[k], other.id[k]);
    }
  }
  if (lane == 0) {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      cand_val[warp][k] = best.val[k];
      cand_id[warp][k] = best.id[k];
    }
  }
  __syncthreads();

  if (tid == 0) {
    for (int w = 1; w < kWarps; ++w)
#pragma unroll
      for (int k = 0; k < K; ++k) best.insert(cand_val[w][k], cand_id[w][k]);
#pragma unroll
    for (int k = 0; k < K; ++k) {
      out_ids[b * K + k] = best.id[k] % vocab;
      out_parents[b * K + k] = best.id[k] / vocab;
      out_log_probs[b * K + k] = best.val[k];
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Top-p (nucleus) sampling without sorting: bisect the probability pivot, then inverse-CDF over what is kept
// ---------------------------------------------------------------------------------------------------------------------
__device__ __forceinline__ uint4 philox_4x32_10(uint4 ctr, uint2 key) {
#pragma unroll
  for (int i = 0; i < 10; ++i) {
    const uint32_t hi0 = __umulhi(0xD2511F53u, ctr.x), lo0 = 0xD2511F53u * ctr.x;
    const uint32_t hi1 = __umulhi(0xCD9E8D57u, ctr.z), lo1 = 0xCD9E8D57u * ctr.z;
    ctr = make_uint4(hi1 ^ ctr.y ^ key.x, lo1, hi0 ^ ctr.w ^ key.y, lo0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return ctr;
}

template <int WARPS, bool IS_MAX>
__device__ __forceinline__ float block_all_reduce(float v, float* scratch) {
  v = IS_MAX ? warp_max(v) : warp_sum(v);
  __syncthreads();  // scratch may still be read from the previous call
  if ((threadIdx.x & 31) == 0) scratch[threadIdx.x >> 5] = v;
  __syncthreads();
  float r = scratch[0];
#pragma unroll
  for (int w = 1; w < WARPS; ++w) r = IS_MAX ? fmaxf(r, scratch[w]) : r + scratch[w];
  return r;
}

//! top_p_philox 96 256 i32:4096 f32:0.9 f32:10.0 u32:1234 u32:77 buffer:logits:1536KiB:uniform:0:1:101 buffer:token:384:zero buffer:kept:384:zero buffer:pivot:384:zero
extern "C" __global__ void __launch_bounds__(256)
top_p_philox(const int vocab, const float top_p, const float inv_temp, const unsigned seed, const unsigned offset,
             const float* __restrict__ logits, int* __restrict__ token, int* __restrict__ kept,
             float* __restrict__ pivot_out) {
  constexpr int kWarps = 8, kVec = 4, kRounds = 14;  // 256 threads x 4 float4 = 4096 entries
  __shared__ float scratch[kWarps];
  __shared__ float warp_tot[kWarps];
  __shared__ int s_thread, s_last, s_count;

  const int row = blockIdx.x, tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const float4* src = reinterpret_cast<const float4*>(logits + (size_t)row * vocab);
  float p[kVec * 4];
  float mx = -FLT_MAX;
#pragma unroll
  for (int i = 0; i < kVec; ++i) {
    const float4 t = src[tid + i * 256];
    p[4 * i] = t.x * inv_temp;
    p[4 * i + 1] = t.y * inv_temp;
    p[4 * i + 2] = t.z * inv_temp;
    p[4 * i + 3] = t.w * inv_temp;
#pragma unroll
    for (int j = 0; j < 4; ++j) mx = fmaxf(mx, p[4 * i + j]);
  }
  mx = block_all_reduce<kWarps, true>(mx, scratch);
  float sum = 0.f;
#pragma unroll
  for (int i = 0; i < kVec * 4; ++i) {
    p[i] = __expf(p[i] - mx);
    sum += p[i];
  }
  const float target = top_p * block_all_reduce<kWarps, false>(sum, scratch);

  float low = 0.f, high = 1.f;
  for (int r = 0; r < kRounds; ++r) {
    const float mid = 0.5f * (low + high);
    float s = 0.f;
#pragma unroll
    for (int i = 0; i < kVec * 4; ++i) s += p[i] >= mid ? p[i] : 0.f;
    s = block_all_reduce<kWarps, false>(s, scratch);
    if (s >= target)
      low = mid;
    else
      high = mid;
  }

  float mine = 0.f;
  int count = 0, last = -1;
#pragma unroll
  for (int i = 0; i < kVec * 4; ++i) {
    if (p[i] >= low) {
      mine += p[i];
      ++count;
      last = tid;
    }
  }
  float incl = mine;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const float t = __shfl_up_sync(FULL_MASK, incl, o);
    if (lane >= o) incl += t;
  }
  if (lane == 31) warp_tot[warp] = incl;
  if (tid == 0) {
    s_thread = INT_MAX;
    s_last = 0;
    s_count = 0;
  }
  __syncthreads();
  float before = 0.f, total = 0.f;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    if (w == warp) before = total;
    total += warp_tot[w];
  }
  incl += before;

  const uint4 rnd = philox_4x32_10(make_uint4(offset, 0u, (unsigned)row, 0u), make_uint2(seed, 0u));
  const float u = (float)(rnd.x >> 8) * (1.f / 16777216.f) * total;
  if (count > 0 && u < incl) atomicMin(&s_thread, tid);
  atomicMax(&s_last, last);
  atomicAdd(&s_count, count);
  __syncthreads();

  const int chosen = s_thread == INT_MAX ? s_last : s_thread;
  if (tid == chosen) {
    float run = incl - mine;
    int id = -1;
    bool open = true;
#pragma unroll
    for (int i = 0; i < kVec * 4; ++i) {
      if (open && p[i] >= low) {
        run += p[i];
        id = (tid + (i / 4) * 256) * 4 + (i & 3);
        open = run <= u;
      }
    }
    token[row] = id;
    kept[row] = s_count;
    pivot_out[row] = low;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Multi-scale deformable attention, forward
// ---------------------------------------------------------------------------------------------------------------------
__constant__ int c_level_shape[3][2] = {{32, 32}, {16, 16}, {8, 8}};
__constant__ int c_level_start[3] = {0, 1024, 1280};

__device__ __forceinline__ float ms_deform_attn_bilinear(const float* __restrict__ data, const int height, const int width,
                                                         const int stride, const float h, const float w) {
  const int h_low = (int)floorf(h), w_low = (int)floorf(w);
  const int h_high = h_low + 1, w_high = w_low + 1;
  const float lh = h - h_low, lw = w - w_low;
  const float hh = 1 - lh, hw = 1 - lw;
  float v1 = 0, v2 = 0, v3 = 0, v4 = 0;
  if (h_low >= 0 && w_low >= 0) v1 = data[(h_low * width + w_low) * stride];
  if (h_low >= 0 && w_high <= width - 1) v2 = data[(h_low * width + w_high) * stride];
  if (h_high <= height - 1 && w_low >= 0) v3 = data[(h_high * width + w_low) * stride];
  if (h_high <= height - 1 && w_high <= width - 1) v4 = data[(h_high * width + w_high) * stride];
  return hh * hw * v1 + hh * lw * v2 + lh * hw * v3 + lh * lw * v4;
}

//! ms_deform_im2col 200 512 i32:102400 i32:200 i32:1344 buffer:value:2752512:uniform:0:1:111 buffer:loc:307200:uniform:0:1:112 buffer:weight:153600:uniform:0:1:113 buffer:col:409600:zero
extern "C" __global__ void ms_deform_im2col(const int n, const int num_query, const int spatial_size,
                                            const float* __restrict__ data_value, const float* __restrict__ data_loc,
                                            const float* __restrict__ data_weight, float* __restrict__ data_col) {
  constexpr int num_heads = 8, channels = 32, num_levels = 3, num_point = 4;
  CUDA_1D_KERNEL_LOOP(index, n) {
    int tmp = index;
    const int c_col = tmp % channels;
    tmp /= channels;
    const int sampling_index = tmp;
    const int m_col = tmp % num_heads;
    tmp /= num_heads;
    const int b_col = tmp / num_query;

    int weight_ptr = sampling_index * num_levels * num_point;
    int loc_ptr = weight_ptr << 1;
    constexpr int qid_stride = num_heads * channels;
    const float* value_base = data_value + (size_t)b_col * spatial_size * qid_stride + m_col * channels + c_col;
    float col = 0;

    for (int l_col = 0; l_col < num_levels; ++l_col) {
      const int spatial_h = c_level_shape[l_col][0];
      const int spatial_w = c_level_shape[l_col][1];
      const float* value_ptr = value_base + (size_t)c_level_start[l_col] * qid_stride;
      for (int p_col = 0; p_col < num_point; ++p_col) {
        // offsets reach a little over the border, as learned ones do
        const float loc_w = data_loc[loc_ptr] * 1.1f - 0.05f;
        const float loc_h = data_loc[loc_ptr + 1] * 1.1f - 0.05f;
        const float weight = data_weight[weight_ptr];
        const float h_im = loc_h * spatial_h - 0.5f;
        const float w_im = loc_w * spatial_w - 0.5f;
        if (h_im > -1 && w_im > -1 && h_im < spatial_h && w_im < spatial_w)
          col += ms_deform_attn_bilinear(value_ptr, spatial_h, spatial_w, qid_stride, h_im, w_im) * weight;
        weight_ptr += 1;
        loc_ptr += 2;
      }
    }
    data_col[index] = col;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// RWKV-6 time mixing: every thread owns one column of the 64 x 64 state
// ---------------------------------------------------------------------------------------------------------------------
#define _N_ 64
//! wkv6_forward 64 64 i32:48 i32:2048 i32:32 buffer:r:768KiB:uniform:0:1:121 buffer:k:768KiB:uniform:0:1:122 buffer:v:768KiB:uniform:0:1:123 buffer:w:768KiB:uniform:0:1:124 buffer:u:8KiB:uniform:0:1:125 buffer:y:768KiB:zero
extern "C" __global__ void __launch_bounds__(_N_)
wkv6_forward(const int T, const int C, const int H, const float* __restrict__ const _r,
             const float* __restrict__ const _k, const float* __restrict__ const _v, const float* __restrict__ _w,
             const float* __restrict__ _u, float* __restrict__ const _y) {
  const int b = blockIdx.x / H;
  const int h = blockIdx.x % H;
  const int i = threadIdx.x;
  _u += h * _N_;

  __shared__ __align__(16) float r[_N_], k[_N_], u[_N_], w[_N_];
  float state[_N_] = {0};

  u[i] = _u[i] - 0.5f;
  for (int t = b * T * C + h * _N_ + i; t < (b + 1) * T * C + h * _N_ + i; t += C) {
    __syncthreads();
    w[i] = __expf(-__expf(_w[t] * 3.f - 4.f));
    r[i] = _r[t] - 0.5f;
    k[i] = _k[t] - 0.5f;
    __syncthreads();

    const float v = _v[t];
    float y = 0;
#pragma unroll
    for (int j = 0; j < _N_; j += 4) {
      const float4& r_ = (float4&)(r[j]);
      const float4& k_ = (float4&)(k[j]);
      const float4& w_ = (float4&)(w[j]);
      const float4& u_ = (float4&)(u[j]);
      float4& s = (float4&)(state[j]);
      float4 x;
      x.x = k_.x * v;
      x.y = k_.y * v;
      x.z = k_.z * v;
      x.w = k_.w * v;
      y += r_.x * (u_.x * x.x + s.x);
      y += r_.y * (u_.y * x.y + s.y);
      y += r_.z * (u_.z * x.z + s.z);
      y += r_.w * (u_.w * x.w + s.w);
      s.x = s.x * w_.x + x.x;
      s.y = s.y * w_.y + x.y;
      s.z = s.z * w_.z + x.z;
      s.w = s.w * w_.w + x.w;
    }
    _y[t] = y;
  }
}
#undef _N_

// ---------------------------------------------------------------------------------------------------------------------
// Swin shifted-window attention: 7 x 7 windows, head dim 32, relative position bias, tensor cores
// ---------------------------------------------------------------------------------------------------------------------
namespace swin {
constexpr int kWs = 7, kTok = 49, kPad = 64, kD = 32, kShift = 3;
constexpr int kLdH = 40, kLdS = 68, kLdP = 72;

__device__ __forceinline__ int region(int pos, bool last) { return last ? (pos < kWs - kShift ? 1 : 2) : 0; }

__device__ __forceinline__ void load_tile(half* dst, const float* __restrict__ src, int row_stride, float mul, float add) {
  for (int i = threadIdx.x; i < kPad * (kD / 4); i += blockDim.x) {
    const int row = i / (kD / 4), c = (i % (kD / 4)) * 4;
    float4 f = make_float4(0.f, 0.f, 0.f, 0.f);
    if (row < kTok) {
      f = *reinterpret_cast<const float4*>(src + (size_t)row * row_stride + c);
      f.x = fmaf(f.x, mul, add);
      f.y = fmaf(f.y, mul, add);
      f.z = fmaf(f.z, mul, add);
      f.w = fmaf(f.w, mul, add);
    }
    half2* d = reinterpret_cast<half2*>(dst + row * kLdH + c);
    d[0] = __floats2half2_rn(f.x, f.y);
    d[1] = __floats2half2_rn(f.z, f.w);
  }
}
}  // namespace swin

//! swin_window_attn 48x4 128 i32:8 i32:6 f32:0.1767767 buffer:qkv:3612672:uniform:0:1:131 buffer:bias:2704:uniform:0:1:132 buffer:out:1204224:zero
extern "C" __global__ void __launch_bounds__(128)
swin_window_attn(const int win_x, const int win_y, const float scale, const float* __restrict__ qkv,
                 const float* __restrict__ bias_table, float* __restrict__ out) {
  using namespace nvcuda;
  using namespace swin;
  __shared__ __align__(32) half sQ[kPad * kLdH];
  __shared__ __align__(32) half sK[kPad * kLdH];
  __shared__ __align__(32) half sV[kPad * kLdH];
  __shared__ __align__(32) half sP[kPad * kLdP];
  __shared__ __align__(32) float sS[kPad * kLdS];

  const int win = blockIdx.x, head = blockIdx.y, heads = gridDim.y;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row_stride = 3 * heads * kD;
  const float* base = qkv + (size_t)win * kTok * row_stride + head * kD;

  load_tile(sQ, base, row_stride, 4.f * scale, -2.f * scale);
  load_tile(sK, base + heads * kD, row_stride, 4.f, -2.f);
  load_tile(sV, base + 2 * heads * kD, row_stride, 2.f, -1.f);
  __syncthreads();

  {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[kD / 16];
#pragma unroll
    for (int kk = 0; kk < kD / 16; ++kk) wmma::load_matrix_sync(fa[kk], sQ + warp * 16 * kLdH + kk * 16, kLdH);
#pragma unroll
    for (int n = 0; n < kPad / 16; ++n) {
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
      wmma::fill_fragment(fc, 0.f);
#pragma unroll
      for (int kk = 0; kk < kD / 16; ++kk) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
        wmma::load_matrix_sync(fb, sK + n * 16 * kLdH + kk * 16, kLdH);
        wmma::mma_sync(fc, fa[kk], fb, fc);
      }
      wmma::store_matrix_sync(sS + warp * 16 * kLdS + n * 16, fc, kLdS, wmma::mem_row_major);
    }
  }
  __syncwarp();

  const bool last_x = win % win_x == win_x - 1;
  const bool last_y = (win / win_x) % win_y == win_y - 1;
  for (int r = warp * 16; r < warp * 16 + 16; ++r) {
    float s[2], mx = -INFINITY;
    const int yi = r / kWs, xi = r % kWs;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int c = lane + 32 * h;
      s[h] = -INFINITY;
      if (r < kTok && c < kTok) {
        const int yj = c / kWs, xj = c % kWs;
        const int rel = (yi - yj + kWs - 1) * (2 * kWs - 1) + (xi - xj + kWs - 1);
        const bool same = region(yi, last_y) == region(yj, last_y) && region(xi, last_x) == region(xj, last_x);
        s[h] = sS[r * kLdS + c] + bias_table[rel * heads + head] + (same ? 0.f : -100.f);
      }
      mx = fmaxf(mx, s[h]);
    }
    mx = warp_max(mx);
    if (mx == -INFINITY) mx = 0.f;  // padded query row
    const float e0 = __expf(s[0] - mx), e1 = __expf(s[1] - mx);
    const float sum = warp_sum(e0 + e1);
    const float inv = sum > 0.f ? __fdividef(1.f, sum) : 0.f;
    sP[r * kLdP + lane] = __float2half(e0 * inv);
    sP[r * kLdP + lane + 32] = __float2half(e1 * inv);
  }
  __syncwarp();

#pragma unroll
  for (int n = 0; n < kD / 16; ++n) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.f);
#pragma unroll
    for (int kk = 0; kk < kPad / 16; ++kk) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
      wmma::load_matrix_sync(fa, sP + warp * 16 * kLdP + kk * 16, kLdP);
      wmma::load_matrix_sync(fb, sV + kk * 16 * kLdH + n * 16, kLdH);
      wmma::mma_sync(fc, fa, fb, fc);
    }
    // the warp's own score rows are dead by now and take the output
    wmma::store_matrix_sync(sS + warp * 16 * kLdS + n * 16, fc, kLdS, wmma::mem_row_major);
  }
  __syncwarp();

  for (int r = warp * 16; r < min(warp * 16 + 16, kTok); ++r)
    out[((size_t)win * kTok + r) * (heads * kD) + head * kD + lane] = sS[r * kLdS + lane];
}
