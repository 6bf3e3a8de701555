#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstdarg>
#include <cstring>
#include <vector>
#include <string>
#include <algorithm>
#include <map>
typedef uint32_t u32; typedef uint64_t u64;
#define A asm volatile
#define D __device__ __forceinline__
extern __shared__ __align__(1024) unsigned char sm[];
D u32 at(const void* p) { return (u32)__cvta_generic_to_shared(p); }
D u32 now() { u64 t; A("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory"); return (u32)t; }
D u64 gtime() { u64 t; A("mov.u64 %0, %%globaltimer;" : "=l"(t) :: "memory"); return t; }
D u32 smid() { u32 v; A("mov.u32 %0, %%smid;" : "=r"(v)); return v; }
D u32 rank_() { u32 v; A("mov.u32 %0, %%cluster_ctarank;" : "=r"(v)); return v; }
D u32 size_() { u32 v; A("mov.u32 %0, %%cluster_nctarank;" : "=r"(v)); return v; }
D u32 mapa(u32 a, u32 r) { u32 v; A("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(v) : "r"(a), "r"(r)); return v; }
D void csync() { A("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory"); }
// a value that is needed before what follows: nothing goes past the predicated trap
D void need(u32 v) { A("{.reg .pred p; setp.eq.u32 p, %0, 0x7fedcba9; @p trap;}" :: "r"(v) : "memory"); }
D void mb_init(u32 b, u32 n) { A("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(b), "r"(n) : "memory"); }
D void mb_fence() { A("fence.mbarrier_init.release.cluster;" ::: "memory"); A("fence.proxy.async;" ::: "memory"); }
D void mb_expect(u32 b, u32 n) { A("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(b), "r"(n) : "memory"); }
D void mb_arrive(u32 b) { A("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(b) : "memory"); }
D void mb_arrive_far(u32 b) { A("mbarrier.arrive.shared::cluster.b64 _, [%0];" :: "r"(b) : "memory"); }
D void mb_arrive_far_release(u32 b) { A("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(b) : "memory"); }
D bool mb_try(u32 b, u32 par) { u32 v; A("{ .reg .pred q; mbarrier.try_wait.parity.shared::cta.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }" : "=r"(v) : "r"(b), "r"(par) : "memory"); return v; }
D bool mb_test(u32 b, u32 par) { u32 v; A("{ .reg .pred q; mbarrier.test_wait.parity.shared::cta.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }" : "=r"(v) : "r"(b), "r"(par) : "memory"); return v; }
D bool mb_try_acquire(u32 b, u32 par) { u32 v; A("{ .reg .pred q; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }" : "=r"(v) : "r"(b), "r"(par) : "memory"); return v; }
// waits are bounded: a try_wait is held for up to 7,760 cycles, so 2000 of them are 10 ms
D bool mb_wait(u32 b, u32 par) { for (int k = 0; k < 2000; k++) if (mb_try(b, par)) return true; return false; }
D void bulk_g(u32 dst, u32 bar, const void* g, u32 n) { A("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(dst), "l"(g), "r"(n), "r"(bar) : "memory"); }
D void bulk_mc(u32 dst, u32 bar, const void* g, u32 n, u32 mask) { A("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" :: "r"(dst), "l"(g), "r"(n), "r"(bar), "h"((unsigned short)mask) : "memory"); }
D void bulk_s(u32 dst, u32 bar, u32 src, u32 n) { A("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(dst), "r"(src), "r"(n), "r"(bar) : "memory"); }

static const size_t OUTS = 4 << 20, SRC = 32u << 20;
static u32* dout; static unsigned char* dsrc; static u32* dcnt; static std::vector<u32> h; static int errors = 0;
static void setup() { cudaMalloc(&dout, OUTS * 4); cudaMalloc(&dsrc, SRC); cudaMalloc(&dcnt, 4096); cudaMemset(dout, 0, OUTS * 4); cudaMemset(dsrc, 1, SRC); cudaMemset(dcnt, 0, 4096); cudaError_t e = cudaDeviceSynchronize(); if (e != cudaSuccess) { printf("ERROR setup: %s\n", cudaGetErrorString(e)); fflush(stdout); exit(1); } }
struct Grid { dim3 g, b, c; size_t smem; int policy; bool attr; };
static Grid shape(int grid, int block, int cluster, size_t smem, int policy = 0) { Grid s; s.g = dim3(grid); s.b = dim3(block); s.c = dim3(cluster < 1 ? 1 : cluster); s.smem = smem; s.policy = policy; s.attr = cluster > 0; return s; }
static bool noattr = false;
template <class... P, class... Q> static cudaError_t start(cudaStream_t st, void (*k)(P...), const Grid& s, Q... q) {
  cudaError_t e = noattr ? cudaSuccess : cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)s.smem); if (e != cudaSuccess) return e;
  if (!noattr && s.c.x * s.c.y * s.c.z > 8) { e = cudaFuncSetAttribute(k, cudaFuncAttributeNonPortableClusterSizeAllowed, 1); if (e != cudaSuccess) return e; }
  cudaLaunchConfig_t c; memset(&c, 0, sizeof c); c.gridDim = s.g; c.blockDim = s.b; c.dynamicSmemBytes = s.smem; c.stream = st; cudaLaunchAttribute a[2]; memset(a, 0, sizeof a); c.attrs = a; c.numAttrs = 0;
  if (s.attr) { a[c.numAttrs].id = cudaLaunchAttributeClusterDimension; a[c.numAttrs].val.clusterDim.x = s.c.x; a[c.numAttrs].val.clusterDim.y = s.c.y; a[c.numAttrs].val.clusterDim.z = s.c.z; c.numAttrs++; }
  if (s.policy) { a[c.numAttrs].id = cudaLaunchAttributeClusterSchedulingPolicyPreference; a[c.numAttrs].val.clusterSchedulingPolicyPreference = s.policy == 1 ? cudaClusterSchedulingPolicySpread : cudaClusterSchedulingPolicyLoadBalancing; c.numAttrs++; }
  return cudaLaunchKernelEx(&c, k, P(q)...);
}
// what an error leaves: cleared, and where the context is gone a new one
static bool ok(cudaError_t e, const char* what) {
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  if (e == cudaSuccess) return true;
  printf("ERROR %s: %s\n", what, cudaGetErrorString(e)); fflush(stdout); errors++; cudaGetLastError();
  if (cudaDeviceSynchronize() != cudaSuccess) { cudaGetLastError(); cudaDeviceReset(); cudaGetLastError(); setup(); }
  if (errors > 200) { printf("ERROR too many errors, stopped\n"); fflush(stdout); exit(1); }
  return false;
}
static bool fetch(size_t n, const char* what) { h.resize(n); return ok(cudaMemcpy(h.data(), dout, n * 4, cudaMemcpyDeviceToHost), what); }
template <class... P, class... Q> static bool go(const char* what, size_t n, void (*k)(P...), const Grid& s, Q... q) { return ok(start(0, k, s, q...), what) && fetch(n, what); }
static double med(std::vector<double> v) { if (v.empty()) return -1; std::sort(v.begin(), v.end()); return v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2; }
static double lo(const std::vector<double>& v) { return v.empty() ? -1 : *std::min_element(v.begin(), v.end()); }
static double hi(const std::vector<double>& v) { return v.empty() ? -1 : *std::max_element(v.begin(), v.end()); }
static std::string fmt(const char* f, ...) { char b[512]; va_list l; va_start(l, f); vsnprintf(b, sizeof b, f, l); va_end(l); return b; }
static const size_t BIG = 200 * 1024; static const int SMS = 132;
static int whole(int c) { return SMS / c * c; }
