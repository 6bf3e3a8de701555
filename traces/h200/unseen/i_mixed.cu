#include <cstdint>
#include <cuda_fp16.h>
#define K extern "C" __global__ void
//! chebyshev_smooth 32 256 buffer:x:64KiB:hash_f32:1 buffer:b:64KiB:hash_f32:2 buffer:d:64KiB:zero buffer:y:64KiB:zero i32:128 f32:0.3 f32:0.6
K chebyshev_smooth(const float* __restrict__ x, const float* __restrict__ b, float* d, float* y, int w, float al, float be) {
  int i = blockIdx.x * 256 + threadIdx.x, c = i % w, r = i / w; float s = 4 * x[i];
  if (c > 0) s -= x[i - 1]; if (c < w - 1) s -= x[i + 1]; if (r > 0) s -= x[i - w]; if (r < 63) s -= x[i + w];
  float q = be * d[i] + al * (b[i] - s); d[i] = q; y[i] = x[i] + q;
}
//! dew_point 32 256 buffer:t:32KiB:hash_f32:3 buffer:h:32KiB:hash_f32:4 buffer:o:32KiB:zero i32:8000
K dew_point(const float* t, const float* h, float* o, int n) {
  int i = blockIdx.x * 256 + threadIdx.x; if (i >= n) return; float rh = fminf(fmaxf(h[i] + 50, 1.f), 99.f), a = 17.27f, b = 237.7f; float g = a * t[i] / (b + t[i]) + logf(rh / 100); float d = b * g / (a - g);
  if (d < 0 && t[i] < 0) { float e = 6.11f * expf(22.5f * d / (273 + d)); d = d * 0.5f + e * 0.01f; } o[i] = d;
}
//! run_maximum 16 128 buffer:x:128KiB:hash_f32:5 buffer:o:128KiB:zero i32:16
K run_maximum(const float* x, float* o, int n) { int i = blockIdx.x * 128 + threadIdx.x; float m = -1e30f; int since = 0; for (int k = 0; k < n; k++) { float v = x[k * 2048 + i]; if (v > m) { m = v; since = 0; } else if (++since > 4) { m = v; since = 0; } o[k * 2048 + i] = m + since; } }
//! cell_list_count 16 128 buffer:p:32KiB:hash_f32:6 buffer:c:4KiB:zero f32:0.1
K cell_list_count(const float4* p, int* c, float s) { int i = blockIdx.x * 128 + threadIdx.x; float4 v = p[i]; int x = (int)((v.x + 50) * s), y = (int)((v.y + 50) * s), z = (int)((v.z + 50) * s); if (x < 0 || y < 0 || z < 0 || x >= 10 || y >= 10 || z >= 10) return; atomicAdd(&c[(z * 10 + y) * 10 + x], 1); }
//! elo_update 16 128 buffer:a:8KiB:hash_f32:7 buffer:b:8KiB:hash_f32:8 buffer:r:8KiB:hash_i32:9 buffer:o:16KiB:zero
K elo_update(const float* a, const float* b, const int* r, float2* o) { int i = blockIdx.x * 128 + threadIdx.x; float ra = 1500 + a[i], rb = 1500 + b[i]; float e = 1 / (1 + exp10f((rb - ra) / 400)); int w = r[i] % 3; float s = w == 0 ? 0.f : w == 1 ? 0.5f : 1.f; float k = ra > 1530 ? 16 : ra < 1480 ? 32 : 24; float d = k * (s - e); o[i] = make_float2(ra + d, rb - d); }
//! half_axpy_dot 32 128 buffer:x:64KiB:hash_f32:10 buffer:y:64KiB:hash_f32:11 buffer:o:512:zero i32:4
K half_axpy_dot(const uint4* x, uint4* y, float* o, int n) {
  int i = blockIdx.x * 128 + threadIdx.x; float s = 0; const half2 a = __float2half2_rn(0.25f); uint4 u = x[i], v = y[i]; half2* p = (half2*)&u; half2* q = (half2*)&v;
  #pragma unroll
  for (int k = 0; k < 4; k++) { q[k] = __hfma2(p[k], a, q[k]); float2 f = __half22float2(q[k]), g = __half22float2(p[k]); s += f.x * g.x + f.y * g.y; } y[i] = v;
  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d); if ((threadIdx.x & 31) == 0) o[i >> 5] = s;
}
//! bit_matrix_rank 8 128 buffer:m:128KiB:hash_i32:12 buffer:o:4KiB:zero
K bit_matrix_rank(const uint32_t* m, int* o) { int i = blockIdx.x * 128 + threadIdx.x; uint32_t r[16]; for (int k = 0; k < 16; k++) r[k] = m[k * 1024 + i] & 0xffff; int rank = 0;
  #pragma unroll
  for (int c = 0; c < 16; c++) { uint32_t piv = 0; 
    #pragma unroll
    for (int k = 0; k < 16; k++) if (!piv && (r[k] >> c & 1)) { piv = r[k]; r[k] = 0; rank++; }
    #pragma unroll
    for (int k = 0; k < 16; k++) if (r[k] >> c & 1) r[k] ^= piv; } o[i] = rank; }
//! lru_simulate 8 64 buffer:a:64KiB:hash_i32:13 buffer:o:2KiB:zero i32:32
K lru_simulate(const int* a, int* o, int n) { int i = blockIdx.x * 64 + threadIdx.x; int tag[4] = {-1, -1, -1, -1}, hits = 0; for (int k = 0; k < n; k++) { int t = a[k * 512 + i] & 7; int at = 3; 
    #pragma unroll
    for (int w = 0; w < 4; w++) if (tag[w] == t) { at = w; hits++; }
    #pragma unroll
    for (int w = 3; w > 0; w--) if (w <= at) tag[w] = tag[w - 1]; tag[0] = t; } o[i] = hits; }
//! romberg 8 64 buffer:o:4KiB:zero i32:5
K romberg(double* o, int n) { int i = blockIdx.x * 64 + threadIdx.x; double a = 0.1 * i, h = 1.0, r[6]; auto f = [](double x) { return x * x * x / (1 + x * x); }; r[0] = 0.5 * (f(a) + f(a + 1)); int pts = 1; for (int k = 1; k < n; k++) { double s = 0; h *= 0.5; for (int j = 0; j < pts; j++) s += f(a + (2 * j + 1) * h); double prev = r[0]; r[0] = 0.5 * prev + h * s; double m = 4; for (int j = 1; j <= k && j < 6; j++) { double t = r[j]; r[j] = r[j - 1] + (r[j - 1] - prev) / (m - 1); prev = t; m *= 4; } pts *= 2; } o[i] = r[n - 1]; }
//! tile_transpose_add 64 256 buffer:a:64KiB:hash_f32:14 buffer:b:64KiB:zero i32:128
K tile_transpose_add(const float* a, float* b, int n) { __shared__ float t[16][17]; int tx = threadIdx.x & 15, ty = threadIdx.x >> 4, bx = blockIdx.x & 7, by = blockIdx.x >> 3; t[ty][tx] = a[(by * 16 + ty) * n + bx * 16 + tx]; __syncthreads(); b[(bx * 16 + ty) * n + by * 16 + tx] = t[tx][ty] + a[(bx * 16 + ty) * n + by * 16 + tx]; }
//! weighted_median5 32 128 buffer:x:16400:hash_f32:15 buffer:o:16KiB:zero i32:4096
K weighted_median5(const float* x, float* o, int n) { int i = blockIdx.x * 128 + threadIdx.x; float v[5], w[5] = {1, 2, 3, 2, 1}; for (int k = 0; k < 5; k++) { int j = min(max(i + k - 2, 0), n - 1); v[k] = x[j]; } for (int a = 0; a < 5; a++) for (int b = 0; b < 4 - a; b++) if (v[b] > v[b + 1]) { float t = v[b]; v[b] = v[b + 1]; v[b + 1] = t; t = w[b]; w[b] = w[b + 1]; w[b + 1] = t; } float s = 0, r = v[4]; for (int k = 0; k < 5; k++) { s += w[k]; if (s >= 4.5f) { r = v[k]; break; } } o[i] = r; }
//! rabin_karp 16 128 buffer:t:64KiB:hash_i32:16 buffer:o:8KiB:zero i32:24 i32:4
K rabin_karp(const unsigned char* t, int* o, int per, int m) { int i = blockIdx.x * 128 + threadIdx.x; const unsigned char* s = t + i * 32; uint32_t h = 0, p = 1, want = 97 * 3; for (int k = 0; k < m; k++) { h = (h * 31 + (s[k] & 3)) % 1009; if (k) p = p * 31 % 1009; } int n = 0; for (int k = 0; k + m < per; k++) { if (h == want % 1009) n++; h = ((h + 1009 * 4 - (s[k] & 3) * p % 1009) * 31 + (s[k + m] & 3)) % 1009; } o[i] = n * 1000 + h; }
//! matern_kernel 16 256 buffer:x:8KiB:hash_f32:17 buffer:k:16KiB:zero i32:64 f32:0.2
K matern_kernel(const float* x, float* k, int n, float l) { int t = blockIdx.x * 256 + threadIdx.x, i = t / n, j = t % n; float s = 0; for (int d = 0; d < 8; d++) { float q = x[i * 8 + d] - x[j * 8 + d]; s += q * q; } float r = sqrtf(5 * s) * l * 0.02f; float v = (1 + r + r * r / 3) * expf(-r); if (i == j) v += 1e-3f; k[t] = v; }
//! sparse_gather_dot 32 128 buffer:i:128KiB:hash_i32:18 buffer:v:128KiB:hash_f32:19 buffer:x:16KiB:hash_f32:20 buffer:o:512:zero i32:256
K sparse_gather_dot(const int* __restrict__ idx, const float* __restrict__ v, const float* __restrict__ x, float* o, int per) { int w = (blockIdx.x * 128 + threadIdx.x) / 32, lane = threadIdx.x & 31; float s = 0; for (int k = lane; k < per; k += 32) s += v[w * per + k] * x[idx[w * per + k] & 4095]; s += __shfl_down_sync(~0u, s, 16); s += __shfl_down_sync(~0u, s, 8); s += __shfl_down_sync(~0u, s, 4); s += __shfl_down_sync(~0u, s, 2); s += __shfl_down_sync(~0u, s, 1); if (!lane) o[w] = s; }
//! pid_control 16 128 buffer:s:64KiB:hash_f32:21 buffer:o:8KiB:zero i32:8
K pid_control(const float* s, float* o, int n) { int i = blockIdx.x * 128 + threadIdx.x; float integ = 0, last = 0, y = 0; for (int k = 0; k < n; k++) { float e = s[k * 2048 + i] - y; integ += e * 0.01f; if (integ > 20) integ = 20; else if (integ < -20) integ = -20; float u = 1.2f * e + 0.4f * integ + 0.05f * (e - last); last = e; if (fabsf(u) > 40) u = copysignf(40.f, u); y += 0.1f * (u - y); } o[i] = y; }
//! sat_overlap 16 128 buffer:a:128KiB:hash_f32:22 buffer:o:8KiB:zero
K sat_overlap(const float4* a, int* o) { int i = blockIdx.x * 128 + threadIdx.x; float4 p = a[4 * i], q = a[4 * i + 1], r = a[4 * i + 2], s = a[4 * i + 3]; float2 A[4] = {{p.x, p.y}, {p.z, p.w}, {q.x, q.y}, {q.z, q.w}}, B[4] = {{r.x, r.y}, {r.z, r.w}, {s.x, s.y}, {s.z, s.w}}; bool apart = false; for (int e = 0; e < 4; e++) { float2 d = {A[(e + 1) & 3].y - A[e].y, A[e].x - A[(e + 1) & 3].x}; float la = 1e30f, ha = -1e30f, lb = 1e30f, hb = -1e30f; for (int k = 0; k < 4; k++) { float u = A[k].x * d.x + A[k].y * d.y, v = B[k].x * d.x + B[k].y * d.y; la = fminf(la, u); ha = fmaxf(ha, u); lb = fminf(lb, v); hb = fmaxf(hb, v); } if (ha < lb || hb < la) { apart = true; break; } } o[i] = !apart; }
//! reservoir_sample 8 128 buffer:x:128KiB:hash_i32:23 buffer:o:16KiB:zero i32:32
K reservoir_sample(const int* x, int4* o, int n) { uint32_t i = blockIdx.x * 128 + threadIdx.x; uint32_t st = i * 2654435761u + 12345; int r[4]; for (int k = 0; k < 4; k++) r[k] = x[k * 1024 + i]; for (int k = 4; k < n; k++) { st ^= st << 13; st ^= st >> 17; st ^= st << 5; uint32_t j = st % (k + 1); if (j < 4) { int v = x[k * 1024 + i]; 
      #pragma unroll
      for (int w = 0; w < 4; w++) if (w == (int)j) r[w] = v; } } o[i] = make_int4(r[0], r[1], r[2], r[3]); }
//! group_softmax_mask 32 128 buffer:x:64KiB:hash_f32:24 buffer:m:64KiB:hash_i32:25 buffer:o:64KiB:zero i32:128
K group_softmax_mask(const float* x, const int* m, float* o, int n) { int row = blockIdx.x * 4 + (threadIdx.x >> 5), lane = threadIdx.x & 31; float v[4]; float mx = -1e30f; for (int k = 0; k < 4; k++) { int j = row * n + lane + 32 * k; v[k] = (m[j] & 1) ? x[j] : -1e30f; mx = fmaxf(mx, v[k]); } for (int d = 16; d; d >>= 1) mx = fmaxf(mx, __shfl_xor_sync(~0u, mx, d)); float s = 0; for (int k = 0; k < 4; k++) { v[k] = v[k] > -1e29f ? expf(v[k] - mx) : 0; s += v[k]; } for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d); for (int k = 0; k < 4; k++) o[row * n + lane + 32 * k] = s > 0 ? v[k] / s : 0; }
//! shell_sort_local 8 64 buffer:x:64KiB:hash_i32:26 buffer:o:2KiB:zero
K shell_sort_local(const int* x, int* o) { int i = blockIdx.x * 64 + threadIdx.x; int a[16]; for (int k = 0; k < 16; k++) a[k] = x[k * 512 + i] & 0xffff; for (int g = 8; g > 0; g /= 2) for (int k = g; k < 16; k++) { int t = a[k], j = k; while (j >= g && a[j - g] > t) { a[j] = a[j - g]; j -= g; } a[j] = t; } int s = 0; for (int k = 0; k < 16; k++) s = s * 31 + a[k]; o[i] = s; }
//! diffuse_reaction 16 256 buffer:u:16KiB:hash_f32:27 buffer:v:16KiB:hash_f32:28 buffer:w:32KiB:zero i32:64
K diffuse_reaction(const float* u, const float* v, float2* w, int n) { int i = blockIdx.x * 256 + threadIdx.x, x = i & (n - 1), y = i / n; int l = y * n + ((x - 1) & (n - 1)), r = y * n + ((x + 1) & (n - 1)), t = ((y - 1) & (n - 1)) * n + x, b = ((y + 1) & (n - 1)) * n + x; float a = u[i], c = v[i]; float lu = u[l] + u[r] + u[t] + u[b] - 4 * a, lv = v[l] + v[r] + v[t] + v[b] - 4 * c; float q = a * c * c * 1e-4f; w[i] = make_float2(a + 0.16f * lu - q + 0.06f * (1 - a), c + 0.08f * lv + q - 0.122f * c); }
//! huffman_walk 8 128 buffer:b:32KiB:hash_i32:29 buffer:t:2KiB:hash_i32:30 buffer:o:4KiB:zero i32:48
K huffman_walk(const uint32_t* b, const uint32_t* t, uint32_t* o, int bits) { __shared__ uint32_t tree[64]; if (threadIdx.x < 64) tree[threadIdx.x] = t[threadIdx.x]; __syncthreads(); int i = blockIdx.x * 128 + threadIdx.x; uint32_t at = 0, sum = 0, depth = 0; for (int k = 0; k < bits; k++) { uint32_t bit = b[i * 8 + (k >> 5)] >> (k & 31) & 1; uint32_t n = tree[at & 63]; at = bit ? n >> 8 & 63 : n & 63; if (++depth > 6 || (n & 7) == 3) { sum = sum * 33 + at; at = 0; depth = 0; } } o[i] = sum; }
