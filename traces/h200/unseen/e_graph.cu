#include <cstdint>
#define K extern "C" __global__ void
//! rank_by_8 32 128 buffer:c:128KiB:hash_i32:1 buffer:r:4KiB:hash_f32:2 buffer:o:4KiB:zero i32:1024
K rank_by_8(const int* __restrict__ col, const float* __restrict__ r, float* o, int n) {
  int sub = threadIdx.x & 7, v = (blockIdx.x * 128 + threadIdx.x) >> 3; if (v >= n) return; int deg = 9 + (v * 7 & 15); int base = v * 32; float s = 0;
  for (int e = sub; e < deg; e += 8) { int u = col[base + e] & 1023; s += __ldg(&r[u]) / (float)(1 + (u & 7)); }
  for (int d = 4; d; d >>= 1) s += __shfl_down_sync(~0u, s, d, 8);
  if (sub == 0) o[v] = 0.15f / n + 0.85f * s;
}
//! relax_all 32 256 buffer:e:64KiB:hash_i32:3 buffer:d:4KiB:index_u32
K relax_all(const uint2* e, uint32_t* d) {
  int i = blockIdx.x * 256 + threadIdx.x; uint2 q = e[i]; uint32_t u = q.x & 1023, v = q.y & 1023, w = q.x >> 12 & 15; uint32_t nd = d[u] + w; if (nd < d[v]) atomicMin(&d[v], nd);
}
//! tree_stack 8 128 buffer:v:64KiB:hash_i32:4 buffer:o:4KiB:zero i32:511
K tree_stack(const int* v, int* o, int n) {
  int id = blockIdx.x * 128 + threadIdx.x; int st[12]; int sp = 0, sum = 0; st[sp++] = 0; int mask = id & 255;
  while (sp > 0) { int k = st[--sp]; int x = v[k]; if ((x & 255) < mask) { sum += x; int l = 2 * k + 1; if (l < n) { st[sp++] = l; if (l + 1 < n) st[sp++] = l + 1; } } }
  o[id] = sum;
}
//! weighted_walk 8 128 buffer:cum:32KiB:index_u32 buffer:o:4KiB:zero i32:12
K weighted_walk(const uint32_t* cum, uint32_t* o, int steps) {
  uint32_t id = blockIdx.x * 128 + threadIdx.x, s = id * 747796405u + 2891336453u, at = id & 511;
  for (int k = 0; k < steps; k++) { s = s * 1664525u + 1013904223u; uint32_t lo = at * 16, hi = lo + 15, x = lo + (s >> 8 & 15);
    while (lo < hi) { uint32_t m = (lo + hi) >> 1; if (cum[m] < x) lo = m + 1; else hi = m; } at = (lo * 2654435761u >> 7) & 511; }
  o[id] = at;
}
//! coo_add 32 256 buffer:r:32KiB:hash_i32:5 buffer:c:32KiB:hash_i32:6 buffer:x:4KiB:index_u32 buffer:y:4KiB:zero
K coo_add(const int* r, const int* c, const int* x, int* y) { int i = blockIdx.x * 256 + threadIdx.x; atomicAdd(&y[r[i] & 1023], x[c[i] & 1023] * (i & 3)); }
//! diagonal_format 32 256 buffer:a:224KiB:hash_f32:7 buffer:x:32KiB:hash_f32:8 buffer:y:32KiB:zero i32:8192 i32:7
K diagonal_format(const float* a, const float* x, float* y, int n, int nd) {
  __shared__ int off[16]; if (threadIdx.x < nd) off[threadIdx.x] = ((int)threadIdx.x - nd / 2) * 37; __syncthreads();
  int i = blockIdx.x * 256 + threadIdx.x; float s = 0; for (int d = 0; d < nd; d++) { int j = i + off[d]; if (j >= 0 && j < n) s += a[d * n + i] * x[j]; } y[i] = s;
}
//! blocks_2x2 16 128 buffer:a:512KiB:hash_f32:9 buffer:c:128KiB:hash_i32:10 buffer:x:8KiB:hash_f32:11 buffer:y:16KiB:zero
K blocks_2x2(const float4* __restrict__ a, const int* __restrict__ c, const float2* __restrict__ x, float2* y) {
  int r = blockIdx.x * 128 + threadIdx.x; float2 s = {0, 0}; int n = 3 + (r & 7);
  for (int k = 0; k < n; k++) { float4 m = a[r * 16 + k]; float2 v = x[c[r * 16 + k] & 1023]; s.x += m.x * v.x + m.y * v.y; s.y += m.z * v.x + m.w * v.y; } y[r] = s;
}
//! find_roots 32 256 buffer:p:32KiB:index_u32 buffer:o:32KiB:zero
K find_roots(const int* p, int* o) { int i = blockIdx.x * 256 + threadIdx.x; int x = i; while (true) { int q = p[x] >> 1; if (q == x) break; x = q; if (x < 5) break; } o[i] = x; }
//! k_core_peel 32 256 buffer:c:256KiB:hash_i32:12 buffer:deg:32KiB:hash_i32:13 buffer:a:32KiB:zero i32:3
K k_core_peel(const int* c, int* deg, int* a, int k) {
  int v = blockIdx.x * 256 + threadIdx.x; int d = deg[v] & 15; if (d >= k) { a[v] = 1; return; } for (int e = 0; e < d; e++) { int u = c[v * 8 + e] & 8191; atomicSub(&deg[u], 16); }
}
//! triangle_merge 16 128 buffer:a:128KiB:index_u32 buffer:o:8KiB:zero
K triangle_merge(const int* adj, int* o) {
  int i = blockIdx.x * 128 + threadIdx.x; const int *p = adj + i * 8, *q = adj + (i * 5 & 2047) * 8; int a = 0, b = 0, n = 0;
  while (a < 8 && b < 8) { int x = p[a] % 61, y = q[b] % 61; if (x == y) { n++; a++; b++; } else if (x < y) a++; else b++; } o[i] = n;
}
