// Kernels for thread block clusters and distributed shared memory, as people write them: reductions of long rows, scans, stencils,
// products, sorts, rings, tables and pipelines shared by 1 to 8 blocks; through cooperative groups and through PTX in inline assembly.
#include "harness.cuh"
#include <cooperative_groups.h>
#include <utility>
namespace cg = cooperative_groups;

typedef uint32_t u32;
typedef unsigned long long u64;
#define DEV static __device__ __forceinline__
#define CLUSTER(x, y, z, threads) extern "C" __global__ void __cluster_dims__(x, y, z) __launch_bounds__(threads)
#define LANES int tid = threadIdx.x, warp = tid >> 5, lane = tid & 31
extern __shared__ uint4 dynamic[];

// ---------------------------------------------------------------- PTX
DEV u32 at_shared(const void* p) { return (u32)__cvta_generic_to_shared(p); }
DEV u32 peer(const void* p, u32 rank) { u32 r; asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(at_shared(p)), "r"(rank)); return r; }
DEV u32 cluster_rank() { u32 r; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
DEV void arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;"); }
DEV void arrive_release() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
DEV void wait_acquire() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
DEV void sync_cluster() { arrive_release(); wait_acquire(); }
DEV u32 load_peer(u32 a) { u32 v; asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(a) : "memory"); return v; }
DEV float load_peer_f(u32 a) { float v; asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(a) : "memory"); return v; }
DEV float2 load_peer_2(u32 a) { float2 v; asm volatile("ld.shared::cluster.v2.f32 {%0,%1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(a) : "memory"); return v; }
DEV uint2 load_peer_u2(u32 a) { uint2 v; asm volatile("ld.shared::cluster.v2.u32 {%0,%1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(a) : "memory"); return v; }
DEV u64 load_peer_64(u32 a) { u64 v; asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(v) : "r"(a) : "memory"); return v; }
DEV u64 peek_peer_64(u32 a) { u64 v; asm volatile("ld.relaxed.cluster.shared::cluster.u64 %0, [%1];" : "=l"(v) : "r"(a) : "memory"); return v; }
DEV float4 load_peer_4(u32 a) { float4 v; asm volatile("ld.shared::cluster.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(a) : "memory"); return v; }
DEV void store_peer(u32 a, u32 v) { asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(a), "r"(v) : "memory"); }
DEV void store_peer_f(u32 a, float v) { asm volatile("st.shared::cluster.f32 [%0], %1;" :: "r"(a), "f"(v) : "memory"); }
DEV void store_peer_2(u32 a, float2 v) { asm volatile("st.shared::cluster.v2.f32 [%0], {%1,%2};" :: "r"(a), "f"(v.x), "f"(v.y) : "memory"); }
DEV void store_peer_4(u32 a, float4 v) { asm volatile("st.shared::cluster.v4.f32 [%0], {%1,%2,%3,%4};" :: "r"(a), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory"); }
DEV void add_peer(u32 a, u32 v) { asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" :: "r"(a), "r"(v) : "memory"); }
DEV void add_peer_f(u32 a, float v) { asm volatile("red.relaxed.cluster.shared::cluster.add.f32 [%0], %1;" :: "r"(a), "f"(v) : "memory"); }
DEV void or_peer(u32 a, u32 v) { asm volatile("red.relaxed.cluster.shared::cluster.or.b32 [%0], %1;" :: "r"(a), "r"(v) : "memory"); }
DEV void max_peer_64(u32 a, u64 v) { asm volatile("red.relaxed.cluster.shared::cluster.max.u64 [%0], %1;" :: "r"(a), "l"(v) : "memory"); }
DEV u32 fetch_add_peer(u32 a, u32 v) { u32 r; asm volatile("atom.relaxed.cluster.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(r) : "r"(a), "r"(v) : "memory"); return r; }
DEV u32 fetch_or_peer(u32 a, u32 v) { u32 r; asm volatile("atom.relaxed.cluster.shared::cluster.or.b32 %0, [%1], %2;" : "=r"(r) : "r"(a), "r"(v) : "memory"); return r; }
DEV u32 swap_if_peer(u32 a, u32 from, u32 to) { u32 r; asm volatile("atom.relaxed.cluster.shared::cluster.cas.b32 %0, [%1], %2, %3;" : "=r"(r) : "r"(a), "r"(from), "r"(to) : "memory"); return r; }
DEV u64 swap_if_peer_64(u32 a, u64 from, u64 to) { u64 r; asm volatile("atom.relaxed.cluster.shared::cluster.cas.b64 %0, [%1], %2, %3;" : "=l"(r) : "r"(a), "l"(from), "l"(to) : "memory"); return r; }
DEV void bar_init(u64* bar, u32 count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at_shared(bar)), "r"(count) : "memory"); }
DEV void bar_init_done() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
DEV void bar_expect(u64* bar, u32 bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(at_shared(bar)), "r"(bytes) : "memory"); }
DEV void bar_arrive_peer(u32 bar) { asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(bar) : "memory"); }
DEV bool bar_try(u64* bar, u32 parity) {
  u32 done;
  asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(at_shared(bar)), "r"(parity) : "memory");
  return done;
}
DEV void bar_wait(u64* bar, u32 parity) { while (!bar_try(bar, parity)) { } }
DEV void send(u32 a, u32 v, u32 bar) { asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" :: "r"(a), "r"(v), "r"(bar) : "memory"); }
DEV void send_64(u32 a, u64 v, u32 bar) { asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" :: "r"(a), "l"(v), "r"(bar) : "memory"); }
DEV void send_4(u32 a, float4 v, u32 bar) { asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1,%2,%3,%4}, [%5];" :: "r"(a), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w), "r"(bar) : "memory"); }
DEV void bulk_to_peer(u32 to, const void* from, u32 bytes, u32 bar) { asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(to), "r"(at_shared(from)), "r"(bytes), "r"(bar) : "memory"); }
DEV void multicast(void* to, const void* from, u32 bytes, u64* bar, u32 mask) { asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" :: "r"(at_shared(to)), "l"(from), "r"(bytes), "r"(at_shared(bar)), "h"((unsigned short)mask) : "memory"); }
DEV void fence_async() { asm volatile("fence.proxy.async;" ::: "memory"); }

// ---------------------------------------------------------------- within a block
DEV float block_sum(float v, float* part) {   // one order on every machine; part holds a word a warp
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
  __syncthreads(); v = 0;
  for (int w = 0; w < blockDim.x >> 5; w++) v += part[w];
  __syncthreads(); return v;
}
DEV float block_max(float v, float* part) {
  for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
  __syncthreads(); v = part[0];
  for (int w = 1; w < blockDim.x >> 5; w++) v = fmaxf(v, part[w]);
  __syncthreads(); return v;
}

// ---------------------------------------------------------------- histograms
DEV void histogram(const u32* in, u32* out, int n, int bins) {
  auto cluster = cg::this_cluster(); u32* part = (u32*)dynamic; int tid = threadIdx.x, rank = cluster.block_rank(), each = bins / cluster.num_blocks();
  for (int i = tid; i < each; i += blockDim.x) part[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x) { int bin = in[i] & (bins - 1); atomicAdd(cluster.map_shared_rank(part, bin / each) + bin % each, 1); }
  cluster.sync();
  for (int i = tid; i < each; i += blockDim.x) if (part[i]) atomicAdd(&out[rank * each + i], part[i]);
}
CLUSTER(2, 1, 1, 256) k_histogram_pair(const u32* in, u32* out, int n, int bins) { histogram(in, out, n, bins); }   // bins shared out over two blocks, as in the guide
CLUSTER(8, 1, 1, 256) k_histogram_eight(const u32* in, u32* out, int n, int bins) { histogram(in, out, n, bins); }   // the same over eight blocks
CLUSTER(4, 1, 1, 128) k_histogram_weighted(const u32* in, u64* out, int n, int bins) {   // counts and sums packed in 64 bits, by compare-and-swap in the shared memory of the owner among four blocks
  u64* part = (u64*)dynamic; int tid = threadIdx.x, each = bins / 4; u32 rank = cluster_rank();
  for (int i = tid; i < each; i += 128) part[i] = 0;
  sync_cluster();
  for (int i = blockIdx.x * 128 + tid; i < n; i += gridDim.x * 128) {
    u32 v = in[i]; int bin = v & (bins - 1); u64 add = (u64)1 << 40 | v >> 8; u32 a = peer(part + bin % each, bin / each); u64 old = peek_peer_64(a), seen;
    while ((seen = swap_if_peer_64(a, old, old + add)) != old) old = seen;
  }
  sync_cluster();
  for (int i = tid; i < each; i += 128) out[(size_t)(blockIdx.x / 4) * bins + rank * each + i] = part[i];
}

// ---------------------------------------------------------------- long rows
CLUSTER(4, 1, 1, 256) k_softmax_rows(const float* in, float* out, int n) {   // a row over four blocks; maxima and sums read from the others
  __shared__ float part[8], most, sum; auto cluster = cg::this_cluster(); float* row = (float*)dynamic; int tid = threadIdx.x, chunk = n / 4; size_t base = (size_t)blockIdx.x * chunk;
  float m = -1e30f, s = 0;
  for (int i = tid; i < chunk; i += 256) { float v = in[base + i] * 0.125f; row[i] = v; m = fmaxf(m, v); }
  m = block_max(m, part); if (tid == 0) most = m;
  cluster.sync(); for (int r = 0; r < 4; r++) m = fmaxf(m, *cluster.map_shared_rank(&most, r));
  for (int i = tid; i < chunk; i += 256) { float e = __expf(row[i] - m); row[i] = e; s += e; }
  s = block_sum(s, part); if (tid == 0) sum = s;
  cluster.sync(); s = 0; for (int r = 0; r < 4; r++) s += *cluster.map_shared_rank(&sum, r);
  float f = 1.f / s; for (int i = tid; i < chunk; i += 256) out[base + i] = row[i] * f;
  cluster.sync();   // nobody leaves while its sum is read
}
CLUSTER(8, 1, 1, 256) k_layernorm_rows(const float4* in, const float4* weight, const float4* bias, float4* out) {   // rows of 8192 in registers of eight blocks; sums are pushed to everyone, weights come while the barrier fills
  __shared__ float part[8]; __shared__ float2 sums[8]; int tid = threadIdx.x; u32 rank = cluster_rank(); arrive_relaxed();
  float4 v = in[(size_t)blockIdx.x * 256 + tid]; float s = block_sum(v.x + v.y + (v.z + v.w), part), q = block_sum(v.x * v.x + v.y * v.y + (v.z * v.z + v.w * v.w), part);
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");   // all eight run by now
  if (tid < 8) store_peer_2(peer(&sums[rank], tid), make_float2(s, q));
  __syncwarp(); arrive_release(); float4 w = weight[rank * 256 + tid], b = bias[rank * 256 + tid]; wait_acquire();
  s = q = 0; for (int r = 0; r < 8; r++) { s += sums[r].x; q += sums[r].y; }
  float mean = s * (1.f / 8192), f = rsqrtf(q * (1.f / 8192) - mean * mean + 1e-5f);
  out[(size_t)blockIdx.x * 256 + tid] = make_float4((v.x - mean) * f * w.x + b.x, (v.y - mean) * f * w.y + b.y, (v.z - mean) * f * w.z + b.z, (v.w - mean) * f * w.w + b.w);
}
CLUSTER(4, 1, 1, 256) k_rmsnorm_async(const float4* in, const float4* weight, float4* out, int rows) {   // many rows of 4096 a cluster; sums fly by st.async, two barriers in turn and no cluster barrier in the loop
  __shared__ float part[8], slot[2][4]; __shared__ u64 full[2]; int tid = threadIdx.x, clusters = gridDim.x / 4; u32 rank = cluster_rank(); float4 w = weight[rank * 256 + tid];
  if (tid == 0) { bar_init(full, 1); bar_init(full + 1, 1); bar_init_done(); bar_expect(full, 16); bar_expect(full + 1, 16); }
  sync_cluster();
  for (int r = 0, row = blockIdx.x / 4; row < rows; r++, row += clusters) {
    size_t at = (size_t)row * 1024 + rank * 256 + tid; float4 v = in[at]; float s = block_sum(v.x * v.x + v.y * v.y + (v.z * v.z + v.w * v.w), part);
    if (tid < 4) send(peer(&slot[r & 1][rank], tid), __float_as_uint(s), peer(&full[r & 1], tid));
    bar_wait(&full[r & 1], r >> 1 & 1); if (tid == 0) bar_expect(&full[r & 1], 16);   // for the row after next, before anyone can send it
    s = slot[r & 1][0] + slot[r & 1][1] + (slot[r & 1][2] + slot[r & 1][3]); float f = rsqrtf(s * (1.f / 4096) + 1e-5f);
    out[at] = make_float4(v.x * f * w.x, v.y * f * w.y, v.z * f * w.z, v.w * f * w.w);
  }
  sync_cluster();
}
CLUSTER(8, 1, 1, 128) k_dot_leave(const float4* x, const float4* y, float* out, int words) {   // a dot product over eight blocks; all but the first leave once their sums are delivered
  __shared__ float part[4], sums[8]; auto cluster = cg::this_cluster(); int tid = threadIdx.x; u32 rank = cluster.block_rank(); size_t base = (size_t)blockIdx.x * words; float s = 0;
  cluster.sync();
  for (int i = tid; i < words; i += 128) { float4 a = x[base + i], b = y[base + i]; s += a.x * b.x + a.y * b.y + (a.z * b.z + a.w * b.w); }
  s = block_sum(s, part); if (tid == 0) *cluster.map_shared_rank(&sums[rank], 0) = s;
  cluster.sync(); if (rank) return;
  if (tid == 0) { s = 0; for (int r = 0; r < 8; r++) s += sums[r]; out[blockIdx.x / 8] = s; }
}
CLUSTER(4, 1, 1, 256) k_argmax_rows(const float* in, u32* out, int n) {   // of long rows over four blocks, by 64-bit maxima in the first one's shared memory
  __shared__ u64 best; int tid = threadIdx.x, chunk = n / 4; u32 rank = cluster_rank(); if (tid == 0) best = 0;
  sync_cluster(); u64 most = 0; const float* p = in + (size_t)blockIdx.x * chunk;
  for (int i = tid; i < chunk; i += 256) { u32 v = __float_as_uint(p[i]); v ^= (int)v < 0 ? ~0u : 0x80000000u; u64 key = (u64)v << 32 | ~(rank * chunk + i); most = key > most ? key : most; }
  for (int o = 16; o; o >>= 1) { u64 other = __shfl_xor_sync(~0u, most, o); most = other > most ? other : most; }
  if ((tid & 31) == 0) max_peer_64(peer(&best, 0), most);
  sync_cluster(); if (rank == 0 && tid < 2) out[blockIdx.x / 4 * 2 + tid] = tid ? ~(u32)best : (u32)(best >> 32);
}
CLUSTER(8, 1, 1, 256) k_scan(const uint4* in, uint4* out, int tiles) {   // running sums of a stretch a cluster, 8192 numbers a step, carries from lower ranks
  __shared__ u32 warps[8], total[2]; auto cluster = cg::this_cluster(); LANES; int rank = cluster.block_rank(); u32 carry = 0; size_t base = (size_t)(blockIdx.x / 8) * tiles * 2048 + rank * 256 + tid;
  for (int i = 0; i < tiles; i++) {
    uint4 v = in[base + i * 2048]; v.y += v.x; v.z += v.y; v.w += v.z; u32 s = v.w;
    for (int o = 1; o < 32; o <<= 1) { u32 u = __shfl_up_sync(~0u, s, o); if (lane >= o) s += u; }
    if (lane == 31) warps[warp] = s;
    __syncthreads(); u32 before = s - v.w; for (int w = 0; w < 8; w++) before += w < warp ? warps[w] : 0;
    if (tid == 255) total[i & 1] = before + v.w;
    cluster.sync(); u32 all = 0; before += carry;
    for (int r = 0; r < 8; r++) { u32 t = cluster.map_shared_rank(total, r)[i & 1]; all += t; if (r < rank) before += t; }
    out[base + i * 2048] = make_uint4(v.x + before, v.y + before, v.z + before, v.w + before); carry += all;
  }
  cluster.sync();
}

// ---------------------------------------------------------------- grids
CLUSTER(4, 1, 1, 256) k_heat_1d(const float* in, float* out, int steps) {   // 1024 points a block, many steps in shared memory, edges pushed to the neighbours
  __shared__ float u[2][1026]; auto cluster = cg::this_cluster(); int tid = threadIdx.x, rank = cluster.block_rank(); size_t base = (size_t)blockIdx.x * 1024;
  for (int i = tid; i < 1024; i += 256) u[0][i + 1] = in[base + i];
  if (tid == 0) u[0][0] = u[1][0] = rank > 0 ? in[base - 1] : 0.f;
  if (tid == 1) u[0][1025] = u[1][1025] = rank < 3 ? in[base + 1024] : 0.f;
  cluster.sync(); float* left = cluster.map_shared_rank(&u[0][0], rank > 0 ? rank - 1 : 0); float* right = cluster.map_shared_rank(&u[0][0], rank < 3 ? rank + 1 : 3);
  for (int s = 0; s < steps; s++) {
    const float* a = u[s & 1]; float* b = u[~s & 1]; int other = (~s & 1) * 1026;
    for (int i = tid + 1; i <= 1024; i += 256) {
      float v = fmaf(0.25f, a[i - 1] + a[i + 1] - 2.f * a[i], a[i]); b[i] = v;
      if (i == 1 && rank > 0) left[other + 1025] = v;
      if (i == 1024 && rank < 3) right[other] = v;
    }
    cluster.sync();
  }
  for (int i = tid; i < 1024; i += 256) out[base + i] = u[steps & 1][i + 1];
}
CLUSTER(2, 2, 1, 256) k_life(const u32* in, u32* out, int steps) {   // the game of life on a torus of 128 x 128 a cluster, bytes in shared memory, halos read from the others
  __shared__ unsigned char s[2][66][68]; auto cluster = cg::this_cluster(); int tid = threadIdx.x, bx = cluster.block_index().x, by = cluster.block_index().y, across = cluster.dim_blocks().x, width = gridDim.x * 64; size_t base = (size_t)blockIdx.y * 64 * width + blockIdx.x * 64;
  for (int q = tid; q < 4096; q += 256) s[0][(q >> 6) + 1][(q & 63) + 1] = in[base + (size_t)(q >> 6) * width + (q & 63)] & 1;
  for (int step = 0; step < steps; step++) {
    int now = step & 1; cluster.sync();
    for (int q = tid; q < 260; q += 256) {
      int y, x; if (q < 66) { y = -1; x = q - 1; } else if (q < 132) { y = 64; x = q - 67; } else if (q < 196) { y = q - 132; x = -1; } else { y = q - 196; x = 64; }
      int gy = (by * 64 + y) & 127, gx = (bx * 64 + x) & 127; const unsigned char* p = cluster.map_shared_rank(&s[0][0][0], (gy >> 6) * across + (gx >> 6));
      s[now][y + 1][x + 1] = p[now * 66 * 68 + ((gy & 63) + 1) * 68 + (gx & 63) + 1];
    }
    __syncthreads();
    for (int q = tid; q < 4096; q += 256) {
      const unsigned char* p = &s[now][q >> 6][q & 63]; int c = p[0] + p[1] + p[2] + p[68] + p[70] + p[136] + p[137] + p[138];
      s[now ^ 1][(q >> 6) + 1][(q & 63) + 1] = c == 3 || (c == 2 && p[69]);
    }
  }
  cluster.sync(); for (int q = tid; q < 4096; q += 256) out[base + (size_t)(q >> 6) * width + (q & 63)] = s[steps & 1][(q >> 6) + 1][(q & 63) + 1];
}
CLUSTER(2, 2, 2, 256) k_heat_3d(const float* in, float* out, int steps) {   // 16 x 8 x 8 points a block, eight blocks make a box with cold walls; faces are read from the others
  __shared__ float s[2][10][10][18]; int tid = threadIdx.x, cx, cy, cz, nx = gridDim.x * 16, ny = gridDim.y * 8;
  asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(cx)); asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(cy)); asm("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(cz));
  size_t base = ((size_t)blockIdx.z * 8 * ny + blockIdx.y * 8) * nx + blockIdx.x * 16;
  for (int q = tid; q < 3600; q += 256) (&s[0][0][0][0])[q] = 0.f;
  __syncthreads();
  for (int q = tid; q < 1024; q += 256) s[0][(q >> 7) + 1][(q >> 4 & 7) + 1][(q & 15) + 1] = in[base + ((size_t)(q >> 7) * ny + (q >> 4 & 7)) * nx + (q & 15)];
  for (int step = 0; step < steps; step++) {
    int now = step & 1; sync_cluster();
    for (int q = tid; q < 640; q += 256) {
      int side; float *to, *from; u32 rank; bool inside;
      if (q < 128) { side = q >> 6; int y = (q & 7) + 1, z = (q >> 3 & 7) + 1; inside = side != cx; rank = (cx ^ 1) + 2 * cy + 4 * cz; from = &s[now][z][y][side ? 1 : 16]; to = &s[now][z][y][side ? 17 : 0]; }
      else if (q < 384) { int r = q - 128; side = r >> 7; int x = (r & 15) + 1, z = (r >> 4 & 7) + 1; inside = side != cy; rank = cx + 2 * (cy ^ 1) + 4 * cz; from = &s[now][z][side ? 1 : 8][x]; to = &s[now][z][side ? 9 : 0][x]; }
      else { int r = q - 384; side = r >> 7; int x = (r & 15) + 1, y = (r >> 4 & 7) + 1; inside = side != cz; rank = cx + 2 * cy + 4 * (cz ^ 1); from = &s[now][side ? 1 : 8][y][x]; to = &s[now][side ? 9 : 0][y][x]; }
      if (inside) *to = load_peer_f(peer(from, rank));
    }
    __syncthreads();
    for (int q = tid; q < 1024; q += 256) {
      const float* p = &s[now][(q >> 7) + 1][(q >> 4 & 7) + 1][(q & 15) + 1]; float v = p[-1] + p[1] + (p[-18] + p[18]) + (p[-180] + p[180]);
      s[now ^ 1][(q >> 7) + 1][(q >> 4 & 7) + 1][(q & 15) + 1] = fmaf(0.125f, v - 6.f * p[0], p[0]);
    }
  }
  sync_cluster(); for (int q = tid; q < 1024; q += 256) out[base + ((size_t)(q >> 7) * ny + (q >> 4 & 7)) * nx + (q & 15)] = s[steps & 1][(q >> 7) + 1][(q >> 4 & 7) + 1][(q & 15) + 1];
}
CLUSTER(4, 2, 1, 256) k_jacobi_2d(const float* in, const float* source, float* out, int steps) {   // 32 x 32 points a block; rims first, pushed to the neighbours, then the inside between arrival and wait
  __shared__ float s[2][34][34], f[32][32]; int tid = threadIdx.x, width = gridDim.x * 32; u32 rank = cluster_rank(); int bx = rank & 3, by = rank >> 2; size_t base = (size_t)blockIdx.y * 32 * width + blockIdx.x * 32;
  auto push = [&](int buffer, int y, int x, float v) {
    if (y == 0 && by > 0) store_peer_f(peer(&s[buffer][33][x + 1], rank - 4), v);
    if (y == 31 && by < 1) store_peer_f(peer(&s[buffer][0][x + 1], rank + 4), v);
    if (x == 0 && bx > 0) store_peer_f(peer(&s[buffer][y + 1][33], rank - 1), v);
    if (x == 31 && bx < 3) store_peer_f(peer(&s[buffer][y + 1][0], rank + 1), v);
  };
  for (int q = tid; q < 2312; q += 256) (&s[0][0][0])[q] = 0.f;
  sync_cluster();
  for (int q = tid; q < 1024; q += 256) { int y = q >> 5, x = q & 31; size_t at = base + (size_t)y * width + x; float v = in[at]; s[0][y + 1][x + 1] = v; f[y][x] = source[at] * 0.25f; push(0, y, x, v); }
  sync_cluster();
  for (int step = 0; step < steps; step++) {
    int now = step & 1;
    auto next = [&](int y, int x) { const float* p = &s[now][y + 1][x + 1]; float v = fmaf(0.25f, p[-1] + p[1] + (p[-34] + p[34]), f[y][x]); s[now ^ 1][y + 1][x + 1] = v; return v; };
    if (tid < 124) {
      int y, x; if (tid < 32) { y = 0; x = tid; } else if (tid < 64) { y = 31; x = tid - 32; } else if (tid < 94) { y = tid - 63; x = 0; } else { y = tid - 93; x = 31; }
      push(now ^ 1, y, x, next(y, x));
    }
    __syncwarp(); arrive_release();
    for (int q = tid; q < 900; q += 256) next(q / 30 + 1, q % 30 + 1);
    __syncwarp(); wait_acquire(); __syncthreads();   // the insides of this block were written after arrival
  }
  for (int q = tid; q < 1024; q += 256) out[base + (size_t)(q >> 5) * width + (q & 31)] = s[steps & 1][(q >> 5) + 1][(q & 31) + 1];
}

// ---------------------------------------------------------------- matrices
CLUSTER(2, 2, 1, 256) k_transpose(const float4* in, float4* out, int n) {   // 128 x 128 a cluster: patches of 4 x 4 turned in registers go by sixteen bytes into the mirrored block
  __shared__ __align__(16) float tile[64][68]; int tid = threadIdx.x; u32 rank = cluster_rank(), cx = rank & 1, cy = rank >> 1; int py = tid >> 4, px = tid & 15, words = n / 4;
  const float4* p = in + (size_t)(blockIdx.y * 64 + py * 4) * words + blockIdx.x * 16 + px; float4 a = p[0], b = p[words], c = p[2 * words], d = p[3 * words];
  sync_cluster(); u32 to = peer(&tile[px * 4][py * 4], cy + 2 * cx);
  store_peer_4(to, make_float4(a.x, b.x, c.x, d.x)); store_peer_4(to + 272, make_float4(a.y, b.y, c.y, d.y)); store_peer_4(to + 544, make_float4(a.z, b.z, c.z, d.z)); store_peer_4(to + 816, make_float4(a.w, b.w, c.w, d.w));
  sync_cluster(); int X = blockIdx.x >> 1, Y = blockIdx.y >> 1;
  for (int k = 0; k < 4; k++) { int y = k * 16 + py; out[(size_t)(X * 128 + cy * 64 + y) * words + Y * 32 + cx * 16 + px] = *(float4*)&tile[y][px * 4]; }
}
CLUSTER(2, 2, 1, 256) k_gemm_shared_tiles(const float* a, const float* b, float4* c, int n, int k) {   // 64 x 64 a block; of each tile a block loads half, and reads the other half in its neighbour's shared memory
  __shared__ __align__(16) float as[2][8][68], bs[2][8][68]; auto cluster = cg::this_cluster(); int tid = threadIdx.x, ty = tid >> 4, tx = tid & 15, cx = blockIdx.x & 1, cy = blockIdx.y & 1; float s[4][4] = {};
  const float* pa[2] = {cluster.map_shared_rank(&as[0][0][0], 2 * cy), cluster.map_shared_rank(&as[0][0][0], 2 * cy + 1)};
  const float* pb[2] = {cluster.map_shared_rank(&bs[0][0][0], cx), cluster.map_shared_rank(&bs[0][0][0], cx + 2)};
  a += (size_t)(blockIdx.y * 64 + (tid >> 2)) * k + cx * 8 + (tid & 3) * 2; b += (size_t)(cy * 8 + (tid >> 5)) * n + blockIdx.x * 64 + (tid & 31) * 2; float2 u = *(const float2*)a, v = *(const float2*)b;
  for (int i = 0; i < k / 16; i++) {
    int now = i & 1; as[now][(tid & 3) * 2][tid >> 2] = u.x; as[now][(tid & 3) * 2 + 1][tid >> 2] = u.y; *(float2*)&bs[now][tid >> 5][(tid & 31) * 2] = v;
    cluster.sync(); if ((i + 1) * 16 < k) { u = *(const float2*)(a + (i + 1) * 16); v = *(const float2*)(b + (size_t)(i + 1) * 16 * n); }
    #pragma unroll
    for (int kk = 0; kk < 16; kk++) {
      float4 x = *(const float4*)(pa[kk >> 3] + (now * 8 + (kk & 7)) * 68 + ty * 4), y = *(const float4*)(pb[kk >> 3] + (now * 8 + (kk & 7)) * 68 + tx * 4); float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
      #pragma unroll
      for (int e = 0; e < 16; e++) s[e >> 2][e & 3] = fmaf(xs[e >> 2], ys[e & 3], s[e >> 2][e & 3]);
    }
  }
  #pragma unroll
  for (int r = 0; r < 4; r++) c[((size_t)(blockIdx.y * 64 + ty * 4 + r) * n + blockIdx.x * 64) / 4 + tx] = make_float4(s[r][0], s[r][1], s[r][2], s[r][3]);
  cluster.sync();
}
DEV u32 tame(u32 v) { return (v & 0x8fff8fffu) | 0x30003000u; }   // any bits made into halves of either sign, from 1/8 to 2
DEV void ldsm_4(u32* r, const void* p) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at_shared(p)) : "memory"); }
DEV void mma_half(float* d, const u32* a, const u32* b) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); }
CLUSTER(2, 2, 1, 128) k_gemm_multicast(const uint4* a, const uint4* b, float2* c, int n, int k) {   // halves on the tensor cores, 64 x 64 a block; operands stored as tiles of 64 x 32, each half of one is sent to two blocks at once, three buffers
  __shared__ __align__(128) uint4 stage[3][512]; __shared__ u64 full[3], empty[3]; LANES; int g = lane >> 2, t = lane & 3, wy = (warp >> 1) * 32, wx = (warp & 1) * 32, steps = k / 32; u32 rank = cluster_rank(), cx = rank & 1, cy = rank >> 1; float s[2][4][4] = {};
  if (tid == 0) { for (int i = 0; i < 3; i++) { bar_init(&full[i], 1); bar_init(&empty[i], 12); } bar_init_done(); }   // four warps of three blocks free a buffer
  __syncwarp(); sync_cluster(); a += (size_t)blockIdx.y * steps * 256 + cx * 128; b += (size_t)blockIdx.x * steps * 256 + cy * 128;
  auto fetch = [&](int j) {
    if (tid == 0 && j < steps) {
      int at = j % 3; if (j >= 3) bar_wait(&empty[at], (j / 3 - 1) & 1);
      bar_expect(&full[at], 8192); multicast(&stage[at][cx * 128], a + (size_t)j * 256, 2048, &full[at], 3 << 2 * cy); multicast(&stage[at][256 + cy * 128], b + (size_t)j * 256, 2048, &full[at], 5 << cx);
    }
    __syncwarp();
  };
  fetch(0); fetch(1);
  for (int i = 0; i < steps; i++) {
    fetch(i + 2); int at = i % 3; bar_wait(&full[at], i / 3 & 1); __syncwarp(); const uint4 *x = stage[at], *y = stage[at] + 256;
    #pragma unroll
    for (int kk = 0; kk < 2; kk++) {
      u32 p[2][4], q[8];
      #pragma unroll
      for (int m = 0; m < 2; m++) { ldsm_4(p[m], x + (wy + m * 16 + (lane & 15)) * 4 + kk * 2 + (lane >> 4)); ldsm_4(q + 4 * m, y + (wx + m * 16 + (lane & 7) + (lane >> 4) * 8) * 4 + kk * 2 + (lane >> 3 & 1)); }
      #pragma unroll
      for (int e = 0; e < 8; e++) { p[e >> 2][e & 3] = tame(p[e >> 2][e & 3]); q[e] = tame(q[e]); }
      #pragma unroll
      for (int e = 0; e < 8; e++) mma_half(s[e >> 2][e & 3], p[e >> 2], q + 2 * (e & 3));
    }
    __syncwarp(); if (lane < 3) bar_arrive_peer(peer(&empty[at], rank ^ lane));   // this block, its neighbour in the row, and in the column
  }
  #pragma unroll
  for (int e = 0; e < 8; e++) { int m = e >> 2, j = e & 3; size_t o = ((size_t)(blockIdx.y * 64 + wy + m * 16 + g) * n + blockIdx.x * 64 + wx + j * 8) / 2 + t; c[o] = make_float2(s[m][j][0], s[m][j][1]); c[o + 4 * n] = make_float2(s[m][j][2], s[m][j][3]); }
  __syncwarp(); sync_cluster();
}
CLUSTER(1, 1, 4, 256) k_split_k(const float* a, const float* b, float4* c, int n, int k) {   // 32 x 32 a cluster, a quarter of k a block, sums read in the order of ranks
  __shared__ __align__(16) float as[32][36], bs[32][36], part[32][36]; int tid = threadIdx.x, ty = tid >> 3, tx = tid & 7; u32 rank = cluster_rank(); float4 s = make_float4(0, 0, 0, 0);
  for (int i = rank * (k / 4); i < (rank + 1) * (k / 4); i += 32) {
    *(float4*)&as[ty][tx * 4] = *(const float4*)(a + (size_t)(blockIdx.y * 32 + ty) * k + i + tx * 4); *(float4*)&bs[ty][tx * 4] = *(const float4*)(b + (size_t)(i + ty) * n + blockIdx.x * 32 + tx * 4); __syncthreads();
    #pragma unroll 8
    for (int kk = 0; kk < 32; kk++) { float x = as[ty][kk]; float4 y = *(float4*)&bs[kk][tx * 4]; s.x = fmaf(x, y.x, s.x); s.y = fmaf(x, y.y, s.y); s.z = fmaf(x, y.z, s.z); s.w = fmaf(x, y.w, s.w); }
    __syncthreads();
  }
  *(float4*)&part[ty][tx * 4] = s; sync_cluster();
  if (tid < 64) {
    int y = rank * 8 + (tid >> 3); s = make_float4(0, 0, 0, 0);
    for (int r = 0; r < 4; r++) { float4 v = load_peer_4(peer(&part[y][tx * 4], r)); s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w; }
    c[((size_t)(blockIdx.y * 32 + y) * n + blockIdx.x * 32) / 4 + tx] = s;
  }
  __syncwarp(); sync_cluster();
}
CLUSTER(2, 1, 1, 128) k_cholesky_pair(const float* in, float* out) {   // of 64 x 64, columns dealt to two blocks; the owner of a column scales it and stores it into both
  __shared__ float a[32][65], column[2][64]; int tid = threadIdx.x, i = tid & 63, half = tid >> 6; u32 rank = cluster_rank(); in += (size_t)(blockIdx.x / 2) * 4096; out += (size_t)(blockIdx.x / 2) * 4096;
  for (int c = half; c < 32; c += 2) { int j = 2 * c + rank; a[c][i] = i == j ? 64.f + 0.01f * in[i * 65] : 0.005f * (in[i * 64 + j] + in[j * 64 + i]); }
  sync_cluster();
  for (int j = 0; j < 64; j++) {
    if ((j & 1) == rank && tid < 64 && i >= j) { float l = a[j >> 1][i] / sqrtf(a[j >> 1][j]); column[j & 1][i] = l; store_peer_f(peer(&column[j & 1][i], rank ^ 1), l); out[i * 64 + j] = l; }
    __syncwarp(); sync_cluster();
    for (int c = half; c < 32; c += 2) { int q = 2 * c + rank; if (q > j && i >= q) a[c][i] -= column[j & 1][i] * column[j & 1][q]; }
    __syncthreads();
  }
}
CLUSTER(2, 1, 1, 256) k_tridiagonal(const float4* in, float* out) {   // systems of 512 by parallel cyclic reduction, an equation a thread, sixteen bytes read across the two blocks
  __shared__ float4 eq[2][256]; int tid = threadIdx.x; u32 rank = cluster_rank(); int i = rank * 256 + tid; float4 e = in[(size_t)blockIdx.x * 256 + tid];
  e = make_float4(i == 0 ? 0.f : e.x, 110.f + e.y * 0.1f, i == 511 ? 0.f : e.z, e.w); eq[0][tid] = e; sync_cluster();
  for (int step = 0; step < 9; step++) {
    int d = 1 << step, now = step & 1; float4 u = make_float4(0, 1, 0, 0), v = u;
    if (i >= d) u = load_peer_4(peer(&eq[now][(i - d) & 255], (i - d) >> 8));
    if (i + d < 512) v = load_peer_4(peer(&eq[now][(i + d) & 255], (i + d) >> 8));
    float p = -e.x / u.y, q = -e.z / v.y; e = make_float4(p * u.x, e.y + p * u.z + q * v.x, q * v.z, e.w + p * u.w + q * v.w); eq[now ^ 1][tid] = e;
    __syncwarp(); sync_cluster();
  }
  out[(size_t)blockIdx.x * 256 + tid] = e.w / e.y;
}
CLUSTER(8, 1, 1, 128) k_attention_decode(const float2* q, const float2* key, const float2* value, float* out, int length) {   // one query a head of 64, keys split over eight blocks; each block ends an eighth of the numbers
  __shared__ float top[4], mass[4], most, sum, acc[64], part[4][64]; auto cluster = cg::this_cluster(); LANES; int rank = cluster.block_rank(), head = blockIdx.x / 8, each = length / 8; float2 x = q[head * 32 + lane]; float m = -1e30f, l = 0; float2 o = make_float2(0, 0);
  for (int i = warp; i < each; i += 4) {
    size_t at = ((size_t)head * length + rank * each + i) * 32 + lane; float2 y = key[at], v = value[at]; float s = x.x * y.x + x.y * y.y;
    for (int w = 16; w; w >>= 1) s += __shfl_xor_sync(~0u, s, w);
    s *= 3e-4f; float n = fmaxf(m, s), fade = __expf(m - n), p = __expf(s - n); m = n; l = l * fade + p; o.x = o.x * fade + p * v.x; o.y = o.y * fade + p * v.y;
  }
  if (lane == 0) { top[warp] = m; mass[warp] = l; }
  *(float2*)&part[warp][lane * 2] = o; __syncthreads(); m = fmaxf(fmaxf(top[0], top[1]), fmaxf(top[2], top[3]));
  if (tid < 64) { float a = 0, b = 0; for (int w = 0; w < 4; w++) { float f = __expf(top[w] - m); a += part[w][tid] * f; b += mass[w] * f; } acc[tid] = a; if (tid == 0) { most = m; sum = b; } }
  cluster.sync();
  if (tid < 8) {
    float a = 0, b = 0; for (int r = 0; r < 8; r++) m = fmaxf(m, *cluster.map_shared_rank(&most, r));
    for (int r = 0; r < 8; r++) { float f = __expf(*cluster.map_shared_rank(&most, r) - m); a += f * cluster.map_shared_rank(acc, r)[rank * 8 + tid]; b += f * *cluster.map_shared_rank(&sum, r); }
    out[head * 64 + rank * 8 + tid] = a / b;
  }
  cluster.sync();
}
CLUSTER(8, 1, 1, 256) k_sparse_rows(const float* value, const u32* column, const float* x, float* y, int rows, int wide) {   // a sparse matrix times a vector of 4096 which lies in eight blocks
  __shared__ float xs[512]; auto cluster = cg::this_cluster(); int tid = threadIdx.x; u32 rank = cluster.block_rank();
  for (int i = tid; i < 512; i += 256) xs[i] = x[rank * 512 + i];
  cluster.sync();
  for (int r = blockIdx.x * 256 + tid; r < rows; r += gridDim.x * 256) { float s = 0; for (int j = 0; j < wide; j++) { u32 c = column[(size_t)j * rows + r] & 4095; s = fmaf(value[(size_t)j * rows + r], cluster.map_shared_rank(xs, c >> 9)[c & 511], s); } y[r] = s; }
  cluster.sync();
}

// ---------------------------------------------------------------- transforms and sorts
__constant__ float2 ROOT[11] = {{0.999998823f, -0.00153398019f}, {0.999995294f, -0.00306795676f}, {0.999981175f, -0.00613588465f}, {0.999924702f, -0.0122715383f}, {0.999698819f, -0.0245412285f}, {0.998795456f, -0.0490676743f}, {0.995184727f, -0.0980171403f}, {0.98078528f, -0.195090322f}, {0.923879533f, -0.382683432f}, {0.707106781f, -0.707106781f}, {0.f, -1.f}};
DEV float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
CLUSTER(4, 1, 1, 256) k_fourier_4096(const float2* in, float2* out) {   // 1024 points a block, the last two steps across blocks
  __shared__ float2 z[2][1024], root[2048]; int tid = threadIdx.x, now = 0; u32 rank = cluster_rank(); in += (size_t)(blockIdx.x / 4) * 4096;
  for (int m = tid; m < 2048; m += 256) { float2 w = make_float2(1.f, 0.f); for (int b = 0; b < 11; b++) if (m >> b & 1) w = times(w, ROOT[b]); root[m] = w; }
  for (int i = tid; i < 1024; i += 256) z[0][i] = in[__brev(rank * 1024 + i) >> 20];
  for (int s = 0; s < 10; s++) {
    __syncthreads();
    for (int q = tid; q < 512; q += 256) { int j = q & ((1 << s) - 1), lo = (q >> s << (s + 1)) + j, hi = lo + (1 << s); float2 a = z[0][lo], b = times(z[0][hi], root[j << (11 - s)]); z[0][lo] = make_float2(a.x + b.x, a.y + b.y); z[0][hi] = make_float2(a.x - b.x, a.y - b.y); }
  }
  for (int s = 10; s < 12; s++) {
    u32 d = 1 << (s - 10); sync_cluster();
    for (int i = tid; i < 1024; i += 256) {
      float2 own = z[now][i], far = load_peer_2(peer(&z[now][i], rank ^ d)); int j = (rank * 1024 + i) & ((1 << s) - 1); bool lower = !(rank & d); float2 b = times(lower ? far : own, root[j << (11 - s)]);
      z[now ^ 1][i] = lower ? make_float2(own.x + b.x, own.y + b.y) : make_float2(far.x - b.x, far.y - b.y);
    }
    now ^= 1;
  }
  for (int i = tid; i < 1024; i += 256) out[(size_t)blockIdx.x * 1024 + i] = z[now][i];
  sync_cluster();
}
CLUSTER(8, 1, 1, 256) k_bitonic_sort(const u32* in, u32* out) {   // 4096 numbers over eight blocks; long strides exchange through distributed shared memory
  __shared__ u32 s[2][512]; auto cluster = cg::this_cluster(); int tid = threadIdx.x, now = 0; u32 rank = cluster.block_rank();
  for (int i = tid; i < 512; i += 256) s[0][i] = in[(size_t)blockIdx.x * 512 + i];
  for (u32 size = 2; size <= 4096; size <<= 1)
    for (u32 stride = size >> 1; stride; stride >>= 1)
      if (stride >= 512) {
        u32 d = stride >> 9; cluster.sync(); const u32* far = cluster.map_shared_rank(&s[now][0], rank ^ d);
        for (int i = tid; i < 512; i += 256) { u32 a = s[now][i], b = far[i]; bool up = !(rank * 512 + i & size), lower = !(rank & d); s[now ^ 1][i] = up == lower ? min(a, b) : max(a, b); }
        now ^= 1;
      } else {
        __syncthreads(); u32 i = ((tid & ~(stride - 1)) << 1) + (tid & (stride - 1)), j = i + stride; u32 a = s[now][i], b = s[now][j]; bool up = !(rank * 512 + i & size);
        if ((a > b) == up) { s[now][i] = b; s[now][j] = a; }
      }
  cluster.sync(); for (int i = tid; i < 512; i += 256) out[(size_t)blockIdx.x * 512 + i] = s[now][i];
}
CLUSTER(4, 1, 1, 256) k_radix_sort(const u32* in, u32* out, int bits) {   // 4096 numbers over four blocks, four bits a pass, scattered straight into the blocks they belong to
  __shared__ u32 key[2][1024], count[8][16], total[16], start[16]; LANES; u32 rank = cluster_rank(); int now = 0;
  for (int i = tid; i < 1024; i += 256) key[0][i] = in[(size_t)blockIdx.x * 1024 + i];
  for (int shift = 0; shift < bits; shift += 4) {
    if (tid < 128) count[tid >> 4][tid & 15] = 0;
    __syncthreads(); u32 k[4], place[4];
    #pragma unroll
    for (int j = 0; j < 4; j++) {
      k[j] = key[now][warp * 128 + j * 32 + lane]; u32 d = k[j] >> shift & 15, same = __match_any_sync(~0u, d); place[j] = count[warp][d] + __popc(same & ((1u << lane) - 1)); __syncwarp();
      if (lane == __ffs(same) - 1) count[warp][d] += __popc(same);
      __syncwarp();
    }
    __syncthreads();
    if (tid < 16) { u32 s = 0; for (int w = 0; w < 8; w++) { u32 c = count[w][tid]; count[w][tid] = s; s += c; } total[tid] = s; }
    __syncwarp(); sync_cluster();
    if (tid < 16) {
      u32 below = 0, all = 0; for (u32 r = 0; r < 4; r++) { u32 v = load_peer(peer(&total[tid], r)); all += v; if (r < rank) below += v; }
      u32 s = all; for (int o = 1; o < 16; o <<= 1) { u32 v = __shfl_up_sync(0xffff, s, o); if (tid >= o) s += v; }
      start[tid] = s - all + below;
    }
    __syncthreads();
    #pragma unroll
    for (int j = 0; j < 4; j++) { u32 d = k[j] >> shift & 15, to = start[d] + count[warp][d] + place[j]; store_peer(peer(&key[now ^ 1][to & 1023], to >> 10), k[j]); }
    now ^= 1; sync_cluster();
  }
  for (int i = tid; i < 1024; i += 256) out[(size_t)blockIdx.x * 1024 + i] = key[now][i];
}
DEV u64 top_merge(u64 best, u64 add, int lane) {   // both in falling order over a warp; the 32 greatest in falling order
  add = __shfl_sync(~0u, add, 31 - lane); best = add > best ? add : best;
  for (int d = 16; d; d >>= 1) { u64 o = __shfl_xor_sync(~0u, best, d); best = (lane & d) ? (o < best ? o : best) : (o > best ? o : best); }
  return best;
}
CLUSTER(8, 1, 1, 128) k_top_32(const u32* in, u32* out, int n) {   // of a long row over eight blocks: lists in registers, merged by warps, then in a tree over the cluster
  __shared__ u64 list[4][32]; LANES; u32 rank = cluster_rank(); int chunk = n / 8; u64 best = 0;
  for (int i = tid; i < chunk; i += 128) {
    u64 v = (u64)in[(size_t)blockIdx.x * chunk + i] << 32 | ~(rank * chunk + i);
    if (!__any_sync(~0u, v > __shfl_sync(~0u, best, 31))) continue;
    for (int size = 2; size <= 32; size <<= 1)
      for (int d = size >> 1; d; d >>= 1) { u64 o = __shfl_xor_sync(~0u, v, d); bool great = ((lane & size) == 0) == ((lane & d) == 0); v = great == (o > v) ? o : v; }
    best = top_merge(best, v, lane);
  }
  list[warp][lane] = best; __syncthreads();
  if (warp == 0) { for (int w = 1; w < 4; w++) best = top_merge(best, list[w][lane], lane); list[0][lane] = best; }
  for (u32 d = 4; d; d >>= 1) { __syncwarp(); sync_cluster(); if (warp == 0 && rank < d) { best = top_merge(best, load_peer_64(peer(&list[0][lane], rank + d)), lane); list[0][lane] = best; } }
  if (warp == 0 && rank == 0) { out[blockIdx.x / 8 * 64 + lane] = (u32)(best >> 32); out[blockIdx.x / 8 * 64 + 32 + lane] = ~(u32)best; }
  __syncwarp(); sync_cluster();
}
CLUSTER(4, 1, 1, 128) k_nearest_two(const float4* point, const float4* query, u32* out) {   // 1024 points of four numbers lie in four blocks; each thread has a query and visits them all
  __shared__ float4 ps[256]; auto cluster = cg::this_cluster(); int tid = threadIdx.x; u32 rank = cluster.block_rank();
  for (int i = tid; i < 256; i += 128) ps[i] = point[rank * 256 + i];
  float4 q = query[(size_t)blockIdx.x * 128 + tid]; float d0 = 1e30f, d1 = 1e30f; u32 i0 = 0, i1 = 0; cluster.sync();
  for (u32 r = 0; r < 4; r++) {
    const float4* p = cluster.map_shared_rank(ps, r);
    #pragma unroll 4
    for (u32 i = 0; i < 256; i++) {
      float4 v = p[i]; float x = v.x - q.x, y = v.y - q.y, z = v.z - q.z, w = v.w - q.w, d = x * x + y * y + (z * z + w * w);
      if (d < d0) { d1 = d0; i1 = i0; d0 = d; i0 = r * 256 + i; } else if (d < d1) { d1 = d; i1 = r * 256 + i; }
    }
  }
  ((uint4*)out)[(size_t)blockIdx.x * 128 + tid] = make_uint4(i0, __float_as_uint(d0), i1, __float_as_uint(d1)); cluster.sync();
}

// ---------------------------------------------------------------- rings and pipelines
CLUSTER(6, 1, 1, 128) k_ring_reduce(const float* in, float* out, int chunk) {   // six vectors of six chunks become their sum: chunks go round adding up, then go round again; eight bytes a store
  float *data = (float*)dynamic, *inbox = data + 6 * chunk; auto cluster = cg::this_cluster(); int tid = threadIdx.x, rank = cluster.block_rank(), next = (rank + 1) % 6; size_t base = (size_t)blockIdx.x * 6 * chunk;
  for (int i = tid; i < 3 * chunk; i += 128) ((float2*)data)[i] = ((const float2*)(in + base))[i];
  cluster.sync();
  for (int s = 0; s < 5; s++) {
    const float2* from = (float2*)(data + (rank + 6 - s) % 6 * chunk); float2 *box = (float2*)(inbox + (s & 1) * chunk), *to = (float2*)(data + (rank + 5 - s) % 6 * chunk);
    for (int i = tid; i < chunk / 2; i += 128) store_peer_2(peer(box + i, next), from[i]);
    cluster.sync(); for (int i = tid; i < chunk / 2; i += 128) { to[i].x += box[i].x; to[i].y += box[i].y; }
  }
  for (int s = 0; s < 5; s++) {
    float2* p = (float2*)(data + (rank + 7 - s) % 6 * chunk);
    for (int i = tid; i < chunk / 2; i += 128) store_peer_2(peer(p + i, next), p[i]);
    cluster.sync();
  }
  for (int i = tid; i < 3 * chunk; i += 128) { float2 v = ((float2*)data)[i]; ((float2*)(out + base))[i] = make_float2(v.x * (1.f / 6), v.y * (1.f / 6)); }
}
CLUSTER(4, 1, 1, 256) k_ring_bulk(const uint4* in, u32* out, int rounds) {   // chunks of 4096 bytes go round four blocks by bulk copies between shared memories, a barrier a hop
  __shared__ __align__(128) uint4 slot[4][256]; __shared__ u64 full[3]; int tid = threadIdx.x; u32 rank = cluster_rank(), next = (rank + 1) & 3, sum = 0;
  if (tid == 0) { for (int s = 0; s < 3; s++) bar_init(&full[s], 1); bar_init_done(); }
  for (int r = 0; r < rounds; r++) {
    slot[rank][tid] = in[((size_t)blockIdx.x * rounds + r) * 256 + tid]; fence_async(); if (tid == 0) for (int s = 0; s < 3; s++) bar_expect(&full[s], 4096);
    __syncwarp(); sync_cluster();
    for (int s = 0; s < 3; s++) {
      if (tid == 0) { u32 c = (rank - s) & 3; bulk_to_peer(peer(slot[c], next), slot[c], 4096, peer(&full[s], next)); }
      bar_wait(&full[s], r & 1);
    }
    for (u32 j = 0; j < 4; j++) { uint4 v = slot[j][(tid * (2 * j + 1) + r + rank) & 255]; sum = sum * 31 + (v.x ^ v.y) + (v.z ^ v.w); }
    fence_async(); __syncwarp(); sync_cluster();
  }
  out[blockIdx.x * 256 + tid] = sum;
}
CLUSTER(8, 1, 1, 256) k_table_multicast(const u32* in, u32* out, int rounds) {   // each block fetches an eighth of a table of 4096 words for all eight, then looks numbers up
  __shared__ __align__(128) u32 table[4096]; __shared__ u64 full; int tid = threadIdx.x; u32 rank = cluster_rank(), at = blockIdx.x * 256 + tid, sum = 0;
  if (tid == 0) { bar_init(&full, 1); bar_init_done(); }
  for (int r = 0; r < rounds; r++) {
    if (tid == 0) bar_expect(&full, 16384);
    fence_async(); __syncwarp(); sync_cluster();   // armed everywhere, and nobody reads the table before
    if (tid == 0) multicast(table + rank * 512, in + (size_t)r * 4096 + rank * 512, 2048, &full, 0xff);
    bar_wait(&full, r & 1);
    #pragma unroll 4
    for (int j = 0; j < 16; j++) { at = table[(at + j) & 4095]; sum = sum * 31 + at; }
  }
  out[blockIdx.x * 256 + tid] = sum; __syncwarp(); sync_cluster();
}
CLUSTER(4, 1, 1, 192) k_producer(const float4* in, float* out, int tiles) {   // the first block reads and scales, three others consume from two boxes each: st.async there, arrivals back
  __shared__ float4 box[2][192]; __shared__ u64 full[2], empty[3][2]; int tid = threadIdx.x; u32 rank = cluster_rank(); in += (size_t)(blockIdx.x / 4) * tiles * 576;
  if (tid == 0) { for (int s = 0; s < 2; s++) { bar_init(&full[s], 1); for (int c = 0; c < 3; c++) bar_init(&empty[c][s], 1); } bar_init_done(); if (rank) { bar_expect(&full[0], 3072); bar_expect(&full[1], 3072); } }
  __syncwarp(); sync_cluster();
  if (rank == 0)
    for (int i = 0; i < tiles; i++)
      for (int c = 0; c < 3; c++) {
        float4 v = in[(i * 3 + c) * 192 + tid]; v = make_float4(v.x * 0.5f + 1.f, v.y * 0.5f + 1.f, v.z * 0.5f + 1.f, v.w * 0.5f + 1.f);
        if (i >= 2) bar_wait(&empty[c][i & 1], ((i >> 1) - 1) & 1);
        send_4(peer(&box[i & 1][tid], c + 1), v, peer(&full[i & 1], c + 1));
      }
  else {
    float s = 0;
    for (int i = 0; i < tiles; i++) {
      bar_wait(&full[i & 1], i >> 1 & 1); float4 v = box[i & 1][tid], u = box[i & 1][191 - tid]; s = s * 0.5f + (v.x * u.y + v.z * u.w) + (v.y - u.x) / (2.f + v.w * v.w);
      __syncthreads(); if (tid == 0) { if (i + 2 < tiles) bar_expect(&full[i & 1], 3072); bar_arrive_peer(peer(&empty[rank - 1][i & 1], 0)); }
    }
    out[(blockIdx.x / 4 * 3 + rank - 1) * 192 + tid] = s;
  }
  __syncwarp(); sync_cluster();
}
CLUSTER(3, 1, 1, 128) k_pipeline_three(const u32* in, u32* out, int tiles) {   // three blocks as stages of a pipeline: each works on a tile and sends it on by eight bytes a thread, returning credits
  __shared__ u64 box[2][128], full[2], empty[2]; int tid = threadIdx.x; u32 rank = cluster_rank(); size_t base = (size_t)(blockIdx.x / 3) * tiles * 256;
  if (tid == 0) { for (int s = 0; s < 2; s++) { bar_init(&full[s], 1); bar_init(&empty[s], 4); } bar_init_done(); if (rank) { bar_expect(&full[0], 1024); bar_expect(&full[1], 1024); } }
  __syncwarp(); sync_cluster();
  for (int i = 0; i < tiles; i++) {
    int at = i & 1; uint2 v;
    if (rank == 0) v = ((const uint2*)(in + base))[i * 128 + tid];
    else {
      bar_wait(&full[at], i >> 1 & 1); u64 w = box[at][tid]; v = make_uint2((u32)w, (u32)(w >> 32)); __syncthreads();
      if (tid == 0 && i + 2 < tiles) bar_expect(&full[at], 1024);
      __syncthreads(); if ((tid & 31) == 0) bar_arrive_peer(peer(&empty[at], rank - 1));   // a warp's credit
    }
    for (u32 k = 0; k < 8; k++) { v.x = (v.x ^ v.y >> 5) * (0x9e3779b1u + 2 * rank) + k; v.y = (v.y ^ v.x >> 7) * 0x85ebca6bu + rank; }
    if (rank == 2) ((uint2*)(out + base))[i * 128 + tid] = v;
    else { if (i >= 2) bar_wait(&empty[at], ((i >> 1) - 1) & 1); send_64(peer(&box[at][tid], rank + 1), (u64)v.y << 32 | v.x, peer(&full[at], rank + 1)); }
  }
  __syncwarp(); sync_cluster();
}

// ---------------------------------------------------------------- tables, graphs, chases
CLUSTER(4, 1, 1, 256) k_hash_table(const u32* in, const u32* query, u32* out, int n, int queries, int range) {   // counts of keys in an open table of 4096 slots over four blocks, then lookups of eight bytes
  __shared__ uint2 slot[1024]; int tid = threadIdx.x; u32 rank = cluster_rank(); in += (size_t)(blockIdx.x / 4) * n; out += (size_t)(blockIdx.x / 4) * queries;
  for (int i = tid; i < 1024; i += 256) slot[i] = make_uint2(0, 0);
  sync_cluster();
  for (int i = rank * 256 + tid; i < n; i += 1024) {
    u32 key = in[i] % range + 1, at = key * 0x9e3779b1u >> 20;
    for (;;) { u32 a = peer(&slot[at & 1023], at >> 10), old = swap_if_peer(a, 0, key); if (old == 0 || old == key) { add_peer(a + 4, 1); break; } at = (at + 1) & 4095; }
  }
  __syncwarp(); sync_cluster();
  for (int i = rank * 256 + tid; i < queries; i += 1024) {
    u32 key = query[i] % (2 * range) + 1, at = key * 0x9e3779b1u >> 20, found = 0;
    for (;;) { uint2 v = load_peer_u2(peer(&slot[at & 1023], at >> 10)); if (v.x == key) found = v.y; if (v.x == key || v.x == 0) break; at = (at + 1) & 4095; }
    out[i] = found;
  }
  __syncwarp(); sync_cluster();
}
CLUSTER(8, 1, 1, 256) k_levels(const uint4* edge, u32* out) {   // breadth first over 8192 points of four edges; bits of points seen and of the front lie in eight blocks
  __shared__ u32 seen[32], front[3][32], count[3]; int tid = threadIdx.x, lane = tid & 31; u32 rank = cluster_rank(), source = (blockIdx.x / 8 * 977 + 1) & 8191; out += (size_t)(blockIdx.x / 8) * 8192;
  if (tid < 32) seen[tid] = front[0][tid] = front[1][tid] = front[2][tid] = 0;
  if (tid < 3) count[tid] = 0;
  __syncthreads(); if (tid == 0 && source >> 10 == rank) { seen[(source & 1023) >> 5] = front[0][(source & 1023) >> 5] = 1u << (source & 31); out[source] = 1; }
  __syncwarp(); sync_cluster();
  for (int level = 0;; level++) {
    const u32* now = front[level % 3]; u32* next = front[(level + 1) % 3]; u32 found = 0;
    if (tid < 32) front[(level + 2) % 3][tid] = 0;
    if (tid == 0) count[(level + 1) % 3] = 0;
    for (int v = tid; v < 1024; v += 256)
      if (now[v >> 5] >> (v & 31) & 1) {
        uint4 e = edge[rank * 1024 + v]; u32 to[4] = {e.x, e.y, e.z, e.w};
        #pragma unroll
        for (int j = 0; j < 4; j++) { u32 w = to[j] & 8191, bit = 1u << (w & 31), word = (w & 1023) >> 5; if (!(fetch_or_peer(peer(&seen[word], w >> 10), bit) & bit)) { or_peer(peer(&next[word], w >> 10), bit); out[w] = level + 2; found++; } }
      }
    __syncwarp(); found = __reduce_add_sync(~0u, found); if (lane == 0 && found) add_peer(peer(&count[level % 3], 0), found);
    __syncwarp(); sync_cluster(); if (load_peer(peer(&count[level % 3], 0)) == 0) break;
  }
  sync_cluster();
}
CLUSTER(8, 1, 1, 32) k_chase(const u32* next, u32* out, int hops) {   // a list of 8192 links over the shared memories of eight blocks, followed link by link
  __shared__ u32 link[1024]; int lane = threadIdx.x; u32 rank = cluster_rank(), at = (blockIdx.x * 32 + lane) * 29 & 8191;
  for (int i = lane; i < 1024; i += 32) link[i] = next[rank * 1024 + i];
  sync_cluster();
  #pragma unroll 1
  for (int i = 0; i < hops; i++) at = load_peer(peer(&link[at & 1023], at >> 10 & 7));
  out[blockIdx.x * 32 + lane] = at; sync_cluster();
}
CLUSTER(4, 1, 1, 128) k_queue(const u32* in, u32* out, int items) {   // warps of four blocks take uneven work from a counter in the first one
  __shared__ u32 counter; int lane = threadIdx.x & 31; if (threadIdx.x == 0) counter = 0;
  in += (size_t)(blockIdx.x / 4) * items * 32; out += (size_t)(blockIdx.x / 4) * items * 32; sync_cluster(); u32 from = peer(&counter, 0);
  for (;;) {
    u32 item = 0; if (lane == 0) item = fetch_add_peer(from, 1);
    item = __shfl_sync(~0u, item, 0); if (item >= items) break;
    u32 v = (in[item * 32 + lane] & 0xffff) + 1, steps = 0; while (v != 1 && steps < 500) { v = v & 1 ? 3 * v + 1 : v >> 1; steps++; }
    out[item * 32 + lane] = steps << 16 | (v & 0xffff);
  }
  __syncwarp(); sync_cluster();
}
CLUSTER(4, 1, 1, 128) k_scatter_add(const float* in, float* out, int rounds) {   // every word of four blocks gets exactly one float added a round, from a block that changes
  __shared__ float s[1024]; int tid = threadIdx.x; u32 rank = cluster_rank();
  for (int i = tid; i < 1024; i += 128) s[i] = in[(size_t)blockIdx.x * 1024 + i];
  sync_cluster();
  for (int r = 0; r < rounds; r++) {
    for (int i = tid; i < 1024; i += 128) { u32 to = (i * (4 * r + 5) + r) & 1023; add_peer_f(peer(&s[to], (rank + r + i) & 3), in[(size_t)blockIdx.x * 1024 + i] * 0.5f); }
    sync_cluster();
  }
  for (int i = tid; i < 1024; i += 128) out[(size_t)blockIdx.x * 1024 + i] = s[i];
}

// ---------------------------------------------------------------- odd shapes
CLUSTER(1, 1, 1, 128) k_cluster_of_one(const u32* in, u32* out, int n) {   // a cluster of a single block: counts through its own distributed shared memory, then running sums
  __shared__ u32 bin[64], sum[64]; auto cluster = cg::this_cluster(); int tid = threadIdx.x; u32 rank = cluster.block_rank(); if (tid < 64) bin[tid] = 0;
  cluster.sync(); const u32* p = in + (size_t)blockIdx.x * n; for (int i = tid; i < n; i += 128) add_peer(peer(&bin[p[i] & 63], rank), 1);
  auto token = cluster.barrier_arrive(); cluster.barrier_wait(std::move(token));
  if (tid < 64) { u32 s = 0; u32* own = cluster.map_shared_rank(bin, 0); for (int i = 0; i <= tid; i++) s += own[i]; sum[tid] = s; }
  cluster.sync(); if (tid < 64) out[blockIdx.x * 64 + tid] = sum[tid] + sum[63 - tid] * cluster.num_blocks();
}
CLUSTER(3, 1, 2, 64) k_special_registers(const u32* in, u32* out, u32* where, int rounds) {   // six blocks tell where they are, and sum each other's words in a turning order
  __shared__ u32 word[64]; auto cluster = cg::this_cluster(); int tid = threadIdx.x; u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z), rank = cluster.block_rank(), s = 0; word[tid] = in[block * 64 + tid];
  cluster.sync();
  for (int i = 0; i < rounds; i++)
    for (u32 r = 0; r < 6; r++) {
      u32 who = (rank + r) % 6, a = peer(&word[(tid + i) & 63], who), told; u32* p = cluster.map_shared_rank(&word[tid], who);
      asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(told) : "r"(a)); s = s * 5 + load_peer(a) + told * 3 + cluster.query_shared_rank(p) + *p;
    }
  out[block * 64 + tid] = s;
  if (tid == 0) {
    u32* w = where + block * 20;
#define REGISTER(i, name) { u32 v; asm volatile("mov.u32 %0, %%" name ";" : "=r"(v)); w[i] = v; }
    REGISTER(0, "cluster_ctaid.x") REGISTER(1, "cluster_ctaid.y") REGISTER(2, "cluster_ctaid.z") REGISTER(3, "cluster_nctaid.x") REGISTER(4, "cluster_nctaid.y") REGISTER(5, "cluster_nctaid.z")
    REGISTER(6, "cluster_ctarank") REGISTER(7, "cluster_nctarank") REGISTER(8, "clusterid.x") REGISTER(9, "clusterid.y") REGISTER(10, "clusterid.z") REGISTER(11, "nclusterid.x") REGISTER(12, "nclusterid.y") REGISTER(13, "nclusterid.z")
    u32 e; asm volatile("{\n.reg .pred p;\nmov.pred p, %%is_explicit_cluster;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(e)); w[14] = e;
    w[15] = cluster.block_index().x + 16 * cluster.block_index().z; w[16] = cluster.dim_blocks().x + 16 * cluster.dim_blocks().z; w[17] = cluster.thread_rank(); w[18] = cluster.num_threads(); w[19] = cluster.dim_threads().x;
  }
  __syncwarp(); cluster.sync();
}

#define F(n) ((size_t)(n) * 4)
#define IN(N, n, s) buf(N, F(n), HASH_F32, s)
#define INTS(N, n, s) buf(N, F(n), HASH_I32, s)
#define OUT(N, n) buf(N, F(n), ZERO, 0, true)
int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) { if (!strcmp(argv[i], "--skip-clock")) g_skip_clock = true; else g_filter = argv[i]; }
  float* w; CHECK(cudaMalloc(&w, 4)); spin_up<<<528, 256>>>(w, 200000); CHECK(cudaDeviceSynchronize());
  char name[64];
#define NAMED(base, v) (sprintf(name, "cl" base "_%d", v), name)
  for (int n : {40000, 524288}) { int g = n == 40000 ? 6 : 264; RUN(NAMED("histogram_pair", n), k_histogram_pair, g, 256, F(1024), INTS("in", n, 1), OUT("out", 2048), i32(n), i32(2048)); }
  for (int n : {262144}) RUN(NAMED("histogram_eight", n), k_histogram_eight, 128, 256, F(2048), INTS("in", n, 1), OUT("out", 16384), i32(n), i32(16384));
  for (int g : {8, 64}) { int n = g * 2048; RUN(NAMED("histogram_weighted", g), k_histogram_weighted, g, 128, 8 * 128, INTS("in", n, 1), OUT("out", g / 4 * 1024), i32(n), i32(512)); }
  for (int rows : {3, 40}) { int n = rows == 3 ? 20000 : 8192; RUN(NAMED("softmax_rows", rows), k_softmax_rows, rows * 4, 256, F(n / 4), IN("in", rows * n, 1), OUT("out", rows * n), i32(n)); }
  for (int rows : {4, 66}) RUN(NAMED("layernorm_rows", rows), k_layernorm_rows, rows * 8, 256, 0, IN("in", rows * 8192, 1), IN("weight", 8192, 2), IN("bias", 8192, 3), OUT("out", rows * 8192));
  for (int rows : {29, 330}) RUN(NAMED("rmsnorm_async", rows), k_rmsnorm_async, rows == 29 ? 8 : 132, 256, 0, IN("in", rows * 4096, 1), IN("weight", 4096, 2), OUT("out", rows * 4096), i32(rows));
  for (int g : {8, 264}) { int words = g == 8 ? 5000 : 500; RUN(NAMED("dot_leave", g), k_dot_leave, g, 128, 0, IN("x", g * words * 4, 1), IN("y", g * words * 4, 2), OUT("out", g / 8), i32(words)); }
  for (int rows : {33}) { int n = 10000; RUN(NAMED("argmax_rows", rows), k_argmax_rows, rows * 4, 256, 0, IN("in", rows * n, 1), OUT("out", rows * 2), i32(n)); }
  for (int g : {8, 128}) { int tiles = g == 8 ? 12 : 4; RUN(NAMED("scan", g), k_scan, g, 256, 0, INTS("in", g / 8 * tiles * 8192, 1), OUT("out", g / 8 * tiles * 8192), i32(tiles)); }
  for (int g : {4, 132}) { int steps = g == 4 ? 40 : 12; RUN(NAMED("heat_1d", g), k_heat_1d, g, 256, 0, IN("in", g * 1024, 1), OUT("out", g * 1024), i32(steps)); }
  for (int g : {2, 8}) { int steps = g == 2 ? 7 : 4; RUN(NAMED("life", g), k_life, dim3(g, g), 256, 0, INTS("in", g * g * 4096, 1), OUT("out", g * g * 4096), i32(steps)); }
  for (int g : {2, 6}) { int steps = g == 2 ? 12 : 5; RUN(NAMED("heat_3d", g), k_heat_3d, dim3(g, 2, g), 256, 0, IN("in", g * g * 2048, 1), OUT("out", g * g * 2048), i32(steps)); }
  for (int g : {1, 12}) { int steps = g == 1 ? 15 : 6; RUN(NAMED("jacobi_2d", g), k_jacobi_2d, dim3(4, 2 * g), 256, 0, IN("in", g * 8192, 1), IN("source", g * 8192, 2), OUT("out", g * 8192), i32(steps)); }
  for (int n : {512, 1280}) RUN(NAMED("transpose", n), k_transpose, dim3(n / 64, n / 64), 256, 0, IN("in", n * n, 1), OUT("out", n * n), i32(n));
  for (int n : {128, 512}) { int k = n == 128 ? 160 : 64; RUN(NAMED("gemm_shared_tiles", n), k_gemm_shared_tiles, dim3(n / 64, n / 64), 256, 0, IN("a", n * k, 1), IN("b", n * k, 2), OUT("c", n * n), i32(n), i32(k)); }
  for (int n : {128, 768}) { int k = n == 128 ? 736 : 256; RUN(NAMED("gemm_multicast", n), k_gemm_multicast, dim3(n / 64, n / 64), 128, 0, INTS("a", n * k / 2, 1), INTS("b", n * k / 2, 2), OUT("c", n * n), i32(n), i32(k)); }
  for (int n : {64, 192}) { int k = n == 64 ? 384 : 256; RUN(NAMED("split_k", n), k_split_k, dim3(n / 32, n / 32, 4), 256, 0, IN("a", n * k, 1), IN("b", n * k, 2), OUT("c", n * n), i32(n), i32(k)); }
  for (int g : {1, 12}) RUN(NAMED("cholesky_pair", g), k_cholesky_pair, g * 2, 128, 0, IN("in", g * 4096, 1), OUT("out", g * 4096));
  for (int g : {10, 120}) RUN(NAMED("tridiagonal", g), k_tridiagonal, g * 2, 256, 0, IN("in", g * 2048, 1), OUT("out", g * 512));
  for (int heads : {2, 40}) { int length = heads == 2 ? 1024 : 480; RUN(NAMED("attention_decode", heads), k_attention_decode, heads * 8, 128, 0, IN("q", heads * 64, 1), IN("key", heads * length * 64, 2), IN("value", heads * length * 64, 3), OUT("out", heads * 64), i32(length)); }
  for (int rows : {5000, 50000}) { int wide = rows == 5000 ? 24 : 12; RUN(NAMED("sparse_rows", rows), k_sparse_rows, rows == 5000 ? 16 : 128, 256, 0, IN("value", rows * wide, 1), INTS("column", rows * wide, 2), IN("x", 4096, 3), OUT("y", rows), i32(rows), i32(wide)); }
  for (int g : {1, 20}) RUN(NAMED("fourier_4096", g), k_fourier_4096, g * 4, 256, 0, IN("in", g * 8192, 1), OUT("out", g * 8192));
  for (int g : {1, 8}) RUN(NAMED("bitonic_sort", g), k_bitonic_sort, g * 8, 256, 0, INTS("in", g * 4096, 1), OUT("out", g * 4096));
  for (int g : {1, 25}) RUN(NAMED("radix_sort", g), k_radix_sort, g * 4, 256, 0, INTS("in", g * 4096, 1), OUT("out", g * 4096), i32(24));
  for (int rows : {2, 17}) { int n = rows == 2 ? 16384 : 6144; RUN(NAMED("top_32", rows), k_top_32, rows * 8, 128, 0, INTS("in", rows * n, 1), OUT("out", rows * 64), i32(n)); }
  for (int g : {4, 20}) RUN(NAMED("nearest_two", g), k_nearest_two, g, 128, 0, IN("point", 4096, 1), IN("query", g * 512, 2), OUT("out", g * 512));
  for (int g : {2, 22}) { int chunk = g == 2 ? 1000 : 512; RUN(NAMED("ring_reduce", g), k_ring_reduce, g * 6, 128, F(8 * chunk), IN("in", g * 36 * chunk, 1), OUT("out", g * 36 * chunk), i32(chunk)); }
  for (int g : {4, 132}) { int rounds = g == 4 ? 20 : 5; RUN(NAMED("ring_bulk", g), k_ring_bulk, g, 256, 0, INTS("in", g * rounds * 1024, 1), OUT("out", g * 256), i32(rounds)); }
  for (int g : {8, 256}) { int rounds = g == 8 ? 9 : 2; RUN(NAMED("table_multicast", g), k_table_multicast, g, 256, 0, INTS("in", rounds * 4096, 1), OUT("out", g * 256), i32(rounds)); }
  for (int g : {1, 33}) { int tiles = g == 1 ? 41 : 10; RUN(NAMED("producer", g), k_producer, g * 4, 192, 0, IN("in", g * tiles * 2304, 1), OUT("out", g * 576), i32(tiles)); }
  for (int g : {1, 44}) { int tiles = g == 1 ? 37 : 8; RUN(NAMED("pipeline_three", g), k_pipeline_three, g * 3, 128, 0, INTS("in", g * tiles * 256, 1), OUT("out", g * tiles * 256), i32(tiles)); }
  for (int g : {1, 16}) { int n = g == 1 ? 10000 : 3000, range = g == 1 ? 2500 : 1500; RUN(NAMED("hash_table", g), k_hash_table, g * 4, 256, 0, INTS("in", g * n, 1), INTS("query", 4000, 2), OUT("out", g * 4000), i32(n), i32(4000), i32(range)); }
  for (int g : {1, 12}) RUN(NAMED("levels", g), k_levels, g * 8, 256, 0, INTS("edge", 32768, 1), OUT("out", g * 8192));
  for (int g : {1, 8}) { int hops = g == 1 ? 700 : 200; RUN(NAMED("walk", g), k_chase, g * 8, 32, 0, buf("next", F(8192), CHAIN, 0, false, 2657), OUT("out", g * 256), i32(hops)); }
  for (int g : {2, 16}) { int items = g == 2 ? 50 : 30; RUN(NAMED("queue", g), k_queue, g * 4, 128, 0, INTS("in", g * items * 32, 1), OUT("out", g * items * 32), i32(items)); }
  for (int g : {8, 128}) { int rounds = g == 8 ? 9 : 3; RUN(NAMED("scatter_add", g), k_scatter_add, g, 128, 0, IN("in", g * 1024, 1), OUT("out", g * 1024), i32(rounds)); }
  for (int g : {150}) { int n = 3000; RUN(NAMED("cluster_of_one", g), k_cluster_of_one, g, 128, 0, INTS("in", g * n, 1), OUT("out", g * 64), i32(n)); }
  for (int g : {4}) { int blocks = 3 * g * 3 * 4; RUN(NAMED("special_registers", g), k_special_registers, dim3(3 * g, 3, 4), 64, 0, INTS("in", blocks * 64, 1), OUT("out", blocks * 64), OUT("where", blocks * 20), i32(10)); }
}
