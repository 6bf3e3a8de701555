#include <cstdint>
#define K extern "C" __global__ void
//! kahan_sum 64 256 buffer:x:1MiB:hash_f32:1 buffer:out:256:zero i32:262144
K kahan_sum(const float* x, float* out, int n) {
  __shared__ float sh[8];
  float s = 0, c = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float y = x[i] - c; float t = s + y; c = (t - s) - y; s = t;
  }
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if ((threadIdx.x & 31) == 0) sh[threadIdx.x >> 5] = s;
  __syncthreads();
  if (threadIdx.x == 0) { float t = 0; for (int i = 0; i < 8; i++) t += sh[i]; out[blockIdx.x] = t; }
}
struct Moments { float n, mean, m2; };
__device__ Moments merge(Moments a, Moments b) {
  float n = a.n + b.n; if (n == 0.f) return a;
  float d = b.mean - a.mean; Moments r; r.n = n; r.mean = a.mean + d * b.n / n; r.m2 = a.m2 + b.m2 + d * d * a.n * b.n / n; return r;
}
//! welford_rows 32 128 buffer:x:512KiB:hash_f32:2 buffer:var:512:zero i32:1024
K welford_rows(const float* x, float* var, int cols) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  Moments m = {0, 0, 0};
  for (int c = lane; c < cols; c += 32) { float v = x[row * cols + c]; m.n += 1; float d = v - m.mean; m.mean += d / m.n; m.m2 += d * (v - m.mean); }
  for (int o = 16; o; o /= 2) { Moments b = {__shfl_down_sync(~0u, m.n, o), __shfl_down_sync(~0u, m.mean, o), __shfl_down_sync(~0u, m.m2, o)}; m = merge(m, b); }
  if (lane == 0) var[row] = m.m2 / (m.n - 1);
}
//! norm_inf 32 256 buffer:x:512KiB:hash_i32:2 buffer:out:8:zero i32:65536
K norm_inf(const double* __restrict__ x, unsigned long long* out, int n) {
  double m = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) m = fmax(m, fabs(x[i]));
  for (int o = 16; o; o >>= 1) m = fmax(m, __shfl_down_sync(~0u, m, o));
  if ((threadIdx.x & 31) == 0) atomicMax(out, (unsigned long long)__double_as_longlong(m));
}
//! segmented_scan 32 256 buffer:x:32KiB:hash_f32:3 buffer:f:32KiB:hash_i32:4 buffer:y:32KiB:zero
K segmented_scan(const float* x, const int* f, float* y) {
  __shared__ float v[256]; __shared__ int g[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  v[t] = x[i]; g[t] = (f[i] & 7) == 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    float a = 0; int h = 0; bool take = t >= d;
    if (take) { a = v[t - d]; h = g[t - d]; }
    __syncthreads();
    if (take) { if (!g[t]) v[t] += a; g[t] |= h; }
    __syncthreads();
  }
  y[i] = v[t];
}
//! scan_int4 32 128 buffer:x:64KiB:hash_i32:3 buffer:y:64KiB:zero
K scan_int4(const int4* x, int4* y) {
  __shared__ int ws[4];
  int i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  int4 v = x[i]; v.y += v.x; v.z += v.y; v.w += v.z;
  int s = v.w;
  #pragma unroll
  for (int o = 1; o < 32; o <<= 1) { int t = __shfl_up_sync(~0u, s, o); if (lane >= o) s += t; }
  if (lane == 31) ws[w] = s;
  __syncthreads();
  int base = s - v.w;
  for (int k = 0; k < w; k++) base += ws[k];
  v.x += base; v.y += base; v.z += base; v.w += base; y[i] = v;
}
//! batcher_sort 32 128 buffer:k:32KiB:hash_i32:5
K batcher_sort(int* k) {
  __shared__ int s[256]; int t = threadIdx.x;
  s[t] = k[blockIdx.x * 256 + t]; s[t + 128] = k[blockIdx.x * 256 + t + 128];
  for (int size = 2; size <= 256; size <<= 1) {
    int stride = size / 2; int off = t & (stride - 1);
    __syncthreads();
    { int p = 2 * t - (t & (stride - 1)); int a = s[p], b = s[p + stride]; if (a > b) { s[p] = b; s[p + stride] = a; } stride >>= 1; }
    for (; stride > 0; stride >>= 1) {
      __syncthreads();
      int p = 2 * t - (t & (stride - 1));
      if (off >= stride) { int a = s[p - stride], b = s[p]; if (a > b) { s[p - stride] = b; s[p] = a; } }
    }
  }
  __syncthreads();
  k[blockIdx.x * 256 + t] = s[t]; k[blockIdx.x * 256 + t + 128] = s[t + 128];
}
//! counting_rank 16 256 buffer:k:16KiB:hash_i32:6 buffer:r:16KiB:zero
K counting_rank(const uint32_t* k, uint32_t* r) {
  __shared__ uint32_t h[64], start[64]; int t = threadIdx.x;
  if (t < 64) h[t] = 0;
  __syncthreads();
  uint32_t b = k[blockIdx.x * 256 + t] >> 18;
  atomicAdd(&h[b], 1);
  __syncthreads();
  if (t == 0) { uint32_t s = 0; for (int i = 0; i < 64; i++) { start[i] = s; s += h[i]; } }
  __syncthreads();
  uint32_t less = 0;
  for (int i = 0; i < t; i++) less += (k[blockIdx.x * 256 + i] >> 18) == b;
  r[blockIdx.x * 256 + t] = start[b] + less;
}
struct Located { float v; int i; };
template <class F> __device__ Located pick(Located a, Located b, F better) { return better(b.v, a.v) || (b.v == a.v && b.i < a.i) ? b : a; }
//! extremes_located 32 256 buffer:x:256KiB:hash_f32:7 buffer:lo:256:zero buffer:hi:256:zero i32:2048
K extremes_located(const float* x, Located* lo, Located* hi, int per) {
  __shared__ Located a[8], b[8];
  const float* p = x + blockIdx.x * per;
  Located l = {1e30f, 0}, h = {-1e30f, 0};
  auto lt = [](float u, float v) { return u < v; }; auto gt = [](float u, float v) { return u > v; };
  for (int i = threadIdx.x; i < per; i += 256) { Located c = {p[i], i}; l = pick(l, c, lt); h = pick(h, c, gt); }
  for (int o = 16; o; o >>= 1) {
    Located c = {__shfl_down_sync(~0u, l.v, o), __shfl_down_sync(~0u, l.i, o)}; l = pick(l, c, lt);
    Located d = {__shfl_down_sync(~0u, h.v, o), __shfl_down_sync(~0u, h.i, o)}; h = pick(h, d, gt);
  }
  if (threadIdx.x % 32 == 0) { a[threadIdx.x / 32] = l; b[threadIdx.x / 32] = h; }
  __syncthreads();
  if (threadIdx.x == 0) { for (int i = 1; i < 8; i++) { l = pick(l, a[i], lt); h = pick(h, b[i], gt); } lo[blockIdx.x] = l; hi[blockIdx.x] = h; }
}
//! majority_vote 32 256 buffer:x:32KiB:hash_i32:8 buffer:o:4KiB:zero
K majority_vote(const int* x, int* o) {
  int i = blockIdx.x * 256 + threadIdx.x; int v = x[i] & 3; int best = 0, who = 0;
  for (int c = 0; c < 4; c++) { int n = __popc(__ballot_sync(~0u, v == c)); if (n > best) { best = n; who = c; } }
  unsigned same = __match_any_sync(~0u, v); int rank = __popc(same & ((1u << (threadIdx.x & 31)) - 1));
  if (rank == 0 && v == who) o[i / 32] = best * 4 + who;
}
//! ballot_split 32 256 buffer:x:32KiB:hash_f32:9 buffer:y:32KiB:zero
K ballot_split(const float* x, float* y) {
  __shared__ int cnt[8];
  int t = threadIdx.x, w = t >> 5, lane = t & 31; float v = x[blockIdx.x * 256 + t];
  unsigned m = __ballot_sync(~0u, v < 0); if (lane == 0) cnt[w] = __popc(m);
  __syncthreads();
  int before = 0, total = 0;
  #pragma unroll
  for (int k = 0; k < 8; k++) { if (k < w) before += cnt[k]; total += cnt[k]; }
  int r = __popc(m & ((1u << lane) - 1));
  int pos = v < 0 ? before + r : total + (w * 32 - before) + lane - r;
  y[blockIdx.x * 256 + pos] = v;
}
