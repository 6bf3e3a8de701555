#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#define K extern "C" __global__ void
//! softmax_half2 32 128 buffer:x:64KiB:hash_f32:1 buffer:o:64KiB:zero i32:128
K softmax_half2(const half2* x, half2* o, int n2) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32; const half2* p = x + row * n2; float2 v[4]; float m = -1e30f;
  #pragma unroll
  for (int k = 0; k < 4; k++) { v[k] = __half22float2(p[lane + 32 * k]); m = fmaxf(m, fmaxf(v[k].x, v[k].y)); }
  for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
  float s = 0;
  #pragma unroll
  for (int k = 0; k < 4; k++) { v[k].x = __expf(v[k].x - m); v[k].y = __expf(v[k].y - m); s += v[k].x + v[k].y; }
  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
  float inv = 1 / s;
  #pragma unroll
  for (int k = 0; k < 4; k++) o[row * n2 + lane + 32 * k] = __floats2half2_rn(v[k].x * inv, v[k].y * inv);
}
//! norm_bf16x2 32 128 buffer:x:64KiB:hash_f32:2 buffer:g:1KiB:hash_f32:3 buffer:o:64KiB:zero i32:256
K norm_bf16x2(const __nv_bfloat162* x, const __nv_bfloat162* g, __nv_bfloat162* o, int n2) {
  __shared__ float sh[4]; int t = threadIdx.x; float s = 0;
  for (int r = 0; r < 2; r++) { const __nv_bfloat162* p = x + (blockIdx.x * 2 + r) * n2; float2 a = __bfloat1622float2(p[t]), b = __bfloat1622float2(p[t + 128]); s = a.x * a.x + a.y * a.y + b.x * b.x + b.y * b.y;
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d); __syncthreads(); if (t % 32 == 0) sh[t / 32] = s; __syncthreads();
    float q = rsqrtf((sh[0] + sh[1] + sh[2] + sh[3]) / (2 * n2) + 1e-5f); float2 u = __bfloat1622float2(g[t]), v = __bfloat1622float2(g[t + 128]);
    o[(blockIdx.x * 2 + r) * n2 + t] = __floats2bfloat162_rn(a.x * q * u.x, a.y * q * u.y); o[(blockIdx.x * 2 + r) * n2 + t + 128] = __floats2bfloat162_rn(b.x * q * v.x, b.y * q * v.y); }
}
//! gelu_residual_half2 32 256 buffer:x:32KiB:hash_f32:4 buffer:r:32KiB:hash_f32:5 buffer:b:1KiB:hash_f32:6 buffer:o:32KiB:zero
K gelu_residual_half2(const half2* x, const half2* r, const half2* b, half2* o) {
  int i = blockIdx.x * 256 + threadIdx.x; float2 v = __half22float2(__hadd2(x[i], b[threadIdx.x])); auto g = [](float y) { return 0.5f * y * (1 + tanhf(0.79788456f * (y + 0.044715f * y * y * y))); };
  o[i] = __hadd2(__floats2half2_rn(g(v.x), g(v.y)), r[i]);
}
//! rope_half 32 128 buffer:q:32KiB:hash_f32:7 i32:64 f32:0.04
K rope_half(half* q, int d, float base) {
  int i = blockIdx.x * 128 + threadIdx.x, half_d = d / 2, pos = i / half_d, k = i % half_d; float s, c; sincosf(pos * exp2f(-(float)k * base), &s, &c);
  half* p = q + pos * d + k; float a = __half2float(p[0]), b = __half2float(p[half_d]); p[0] = __float2half(a * c - b * s); p[half_d] = __float2half(a * s + b * c);
}
//! decode_attention 16 128 buffer:q:8KiB:hash_f32:8 buffer:k:512KiB:hash_f32:9 buffer:v:512KiB:hash_f32:10 buffer:o:16KiB:zero i32:64
K decode_attention(const half2* q, const half2* kk, const half2* vv, float2* o, int len) {
  int h = blockIdx.x, w = threadIdx.x / 32, lane = threadIdx.x % 32; __shared__ float sm[4], sl[4]; __shared__ float2 sa[4][32]; float2 a = {0, 0}; float m = -1e30f, l = 0; float2 qv = __half22float2(q[h * 32 + lane]);
  for (int t = w; t < len; t += 4) { float2 kv = __half22float2(kk[(h * len + t) * 32 + lane]); float s = qv.x * kv.x + qv.y * kv.y; for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d); s *= 0.125f;
    float mn = fmaxf(m, s), c = __expf(m - mn), p = __expf(s - mn); float2 x = __half22float2(vv[(h * len + t) * 32 + lane]); l = l * c + p; a.x = a.x * c + p * x.x; a.y = a.y * c + p * x.y; m = mn; }
  if (lane == 0) { sm[w] = m; sl[w] = l; } sa[w][lane] = a; __syncthreads();
  if (w == 0) { float M = fmaxf(fmaxf(sm[0], sm[1]), fmaxf(sm[2], sm[3])); float L = 0; float2 r = {0, 0}; for (int k = 0; k < 4; k++) { float c = __expf(sm[k] - M); L += sl[k] * c; r.x += sa[k][lane].x * c; r.y += sa[k][lane].y * c; } o[h * 32 + lane] = make_float2(r.x / L, r.y / L); }
}
//! gemv_int4_groups 16 128 buffer:w:32KiB:hash_i32:11 buffer:s:4KiB:hash_f32:12 buffer:x:2KiB:hash_f32:13 buffer:o:256:zero i32:128
K gemv_int4_groups(const uint32_t* w, const half* s, const float4* x, float* o, int words) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32; float acc = 0;
  for (int k = lane; k < words; k += 32) { uint32_t q = w[row * words + k]; float sc = __half2float(s[row * 32 + k / 4]); float4 a = x[(2 * k) & 127], b = x[(2 * k + 1) & 127]; float d = 0;
    d += ((int)(q & 15) - 8) * a.x + ((int)(q >> 4 & 15) - 8) * a.y + ((int)(q >> 8 & 15) - 8) * a.z + ((int)(q >> 12 & 15) - 8) * a.w; d += ((int)(q >> 16 & 15) - 8) * b.x + ((int)(q >> 20 & 15) - 8) * b.y + ((int)(q >> 24 & 15) - 8) * b.z + ((int)(q >> 28) - 8) * b.w; acc += d * sc; }
  for (int d = 16; d; d >>= 1) acc += __shfl_down_sync(~0u, acc, d); if (lane == 0) o[row] = acc;
}
template <int R> __device__ float taps(const float* s, const float* k) { float a = 0;
  #pragma unroll
  for (int j = 0; j < R; j++) a = fmaf(s[j], k[j], a); return a; }
//! conv1d_channels 16 128 buffer:x:64KiB:hash_f32:14 buffer:k:640:hash_f32:15 buffer:o:64KiB:zero i32:8
K conv1d_channels(const float* x, const float* k, float* o, int ch) {
  __shared__ float s[132], w[160]; int t = threadIdx.x; for (int j = t; j < 5 * ch; j += 128) w[j] = k[j]; float a = 0;
  for (int c = 0; c < ch; c++) { __syncthreads(); for (int j = t; j < 132; j += 128) { int g = blockIdx.x * 128 + j - 2; s[j] = g >= 0 && g < 2048 ? x[c * 2048 + g] : 0; } __syncthreads(); a += taps<5>(s + t, w + c * 5); }
  o[blockIdx.x * 128 + t] = fmaxf(a, 0.f);
}
//! log_softmax_loss 32 128 buffer:x:64KiB:hash_f32:16 buffer:t:512:hash_i32:17 buffer:o:512:zero i32:128
K log_softmax_loss(const float* x, const int* tg, float* o, int n) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x & 31; const float* p = x + row * n; float m = -INFINITY; for (int k = lane; k < n; k += 32) m = fmaxf(m, p[k]); for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
  float s = 0; for (int k = lane; k < n; k += 32) s += expf(p[k] - m); for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d); if (lane == 0) o[row] = logf(s) + m - p[tg[row] & 127];
}
//! gate_top2 16 128 buffer:x:64KiB:hash_f32:18 buffer:o:16KiB:zero buffer:w:16KiB:zero
K gate_top2(const float* x, int2* o, float2* w) {
  int i = blockIdx.x * 128 + threadIdx.x; float a = -1e30f, b = -1e30f; int ia = 0, ib = 0;
  #pragma unroll
  for (int k = 0; k < 8; k++) { float v = x[i * 8 + k]; if (v > a) { b = a; ib = ia; a = v; ia = k; } else if (v > b) { b = v; ib = k; } }
  float e = expf(b - a), s = 1 / (1 + e); o[i] = make_int2(ia, ib); w[i] = make_float2(s, e * s);
}
//! depthwise3_half2 16 128 buffer:x:32KiB:hash_f32:19 buffer:k:1152:hash_f32:20 buffer:o:8KiB:zero i32:32 i32:16
K depthwise3_half2(const half2* x, const half2* k, half2* o, int c2, int w) {
  int i = blockIdx.x * 128 + threadIdx.x, c = i % c2, px = i / c2 % w, py = i / c2 / w; half2 a = __float2half2_rn(0.f);
  for (int dy = 0; dy < 3; dy++) for (int dx = 0; dx < 3; dx++) { int xx = px + dx - 1, yy = py + dy - 1; if (xx >= 0 && xx < w && yy >= 0) a = __hfma2(x[(yy * w + xx) * c2 + c], k[(dy * 3 + dx) * c2 + c], a); }
  o[i] = __hmax2(a, __float2half2_rn(0.f));
}
//! mean_pool4 32 128 buffer:x:256KiB:hash_f32:21 buffer:o:64KiB:zero i32:64
K mean_pool4(const float4* x, float4* o, int w4) {
  int i = blockIdx.x * 128 + threadIdx.x, c = i % w4, r = i / w4; float4 s = {0, 0, 0, 0};
  #pragma unroll
  for (int k = 0; k < 4; k++) { float4 v = x[(r * 4 + k) * w4 + c]; s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w; } o[i] = make_float4(s.x * .25f, s.y * .25f, s.z * .25f, s.w * .25f);
}
//! lamb_update 32 128 buffer:p:16KiB:hash_f32:22 buffer:g:16KiB:hash_f32:23 buffer:m:16KiB:zero buffer:v:16KiB:zero f32:0.001 f32:0.9 f32:0.999 i32:4096
K lamb_update(float* p, const float* g, float* m, float* v, float lr, float b1, float b2, int n) {
  int i = blockIdx.x * 128 + threadIdx.x; if (i >= n) return; float q = g[i]; float a = m[i] = b1 * m[i] + (1 - b1) * q; float b = v[i] = b2 * v[i] + (1 - b2) * q * q; float u = a / (1 - b1) / (sqrtf(b / (1 - b2)) + 1e-6f) + 0.01f * p[i]; p[i] -= lr * u;
}
