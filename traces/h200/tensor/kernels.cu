// Tensor copies (cp.async.bulk.tensor) of one to five dimensions to and from shared memory, and what they take.
#include <cuda.h>
#include <cstdint>
#define K extern "C" __global__ void
#define WORDS 12288 // of shared memory
#define MAP const __grid_constant__ CUtensorMap map
__device__ uint32_t place(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void init(uint64_t* bar) { asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place(bar))); asm volatile("fence.proxy.async.shared::cta;"); }
__device__ void expect(uint64_t* bar, uint32_t bytes) { asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(bar)), "r"(bytes) : "memory"); }
__device__ void wait(uint64_t* bar, uint32_t phase) { asm volatile("{.reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra L;}" ::"r"(place(bar)), "r"(phase) : "memory"); }
struct At { int c[5]; };
#define IN ".shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {"
#define OUT ".global.shared::cta.bulk_group [%0, {"
template <int D> __device__ void load(const CUtensorMap* map, const void* to, uint64_t* bar, At a) {
  uint32_t s = place(to), b = place(bar);
  if (D == 1) asm volatile("cp.async.bulk.tensor.1d" IN "%3}], [%2];" ::"r"(s), "l"(map), "r"(b), "r"(a.c[0]) : "memory");
  if (D == 2) asm volatile("cp.async.bulk.tensor.2d" IN "%3,%4}], [%2];" ::"r"(s), "l"(map), "r"(b), "r"(a.c[0]), "r"(a.c[1]) : "memory");
  if (D == 3) asm volatile("cp.async.bulk.tensor.3d" IN "%3,%4,%5}], [%2];" ::"r"(s), "l"(map), "r"(b), "r"(a.c[0]), "r"(a.c[1]), "r"(a.c[2]) : "memory");
  if (D == 4) asm volatile("cp.async.bulk.tensor.4d" IN "%3,%4,%5,%6}], [%2];" ::"r"(s), "l"(map), "r"(b), "r"(a.c[0]), "r"(a.c[1]), "r"(a.c[2]), "r"(a.c[3]) : "memory");
  if (D == 5) asm volatile("cp.async.bulk.tensor.5d" IN "%3,%4,%5,%6,%7}], [%2];" ::"r"(s), "l"(map), "r"(b), "r"(a.c[0]), "r"(a.c[1]), "r"(a.c[2]), "r"(a.c[3]), "r"(a.c[4]) : "memory");
}
template <int D> __device__ void store(const CUtensorMap* map, const void* from, At a) {
  uint32_t s = place(from);
  if (D == 1) asm volatile("cp.async.bulk.tensor.1d" OUT "%2}], [%1];" ::"l"(map), "r"(s), "r"(a.c[0]) : "memory");
  if (D == 2) asm volatile("cp.async.bulk.tensor.2d" OUT "%2,%3}], [%1];" ::"l"(map), "r"(s), "r"(a.c[0]), "r"(a.c[1]) : "memory");
  if (D == 3) asm volatile("cp.async.bulk.tensor.3d" OUT "%2,%3,%4}], [%1];" ::"l"(map), "r"(s), "r"(a.c[0]), "r"(a.c[1]), "r"(a.c[2]) : "memory");
  if (D == 4) asm volatile("cp.async.bulk.tensor.4d" OUT "%2,%3,%4,%5}], [%1];" ::"l"(map), "r"(s), "r"(a.c[0]), "r"(a.c[1]), "r"(a.c[2]), "r"(a.c[3]) : "memory");
  if (D == 5) asm volatile("cp.async.bulk.tensor.5d" OUT "%2,%3,%4,%5,%6}], [%1];" ::"l"(map), "r"(s), "r"(a.c[0]), "r"(a.c[1]), "r"(a.c[2]), "r"(a.c[3]), "r"(a.c[4]) : "memory");
}
__device__ void close() { asm volatile("cp.async.bulk.commit_group;"); }
__device__ void wait_all() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

// What a load leaves in shared memory.
template <int D> __device__ void loads(const CUtensorMap* map, uint32_t* out, At a, int bytes, uint32_t* s, uint64_t* bar) {
  for (int i = threadIdx.x; i < WORDS; i += blockDim.x) s[i] = 0xa5a5a5a5u;
  if (threadIdx.x == 0) init(bar);
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  if (threadIdx.x == 0) { load<D>(map, s, bar, a); expect(bar, bytes); }
  wait(bar, 0);
  for (int i = threadIdx.x; i < WORDS; i += blockDim.x) out[i] = s[i];
}
#define LOADS(D) K load##D(MAP, uint32_t* in, uint32_t* out, At a, int bytes) { extern __shared__ __align__(1024) uint32_t s[]; __shared__ uint64_t bar; loads<D>(&map, out, a, bytes, s, &bar); }
LOADS(1) LOADS(2) LOADS(3) LOADS(4) LOADS(5)

__device__ void fill(uint32_t* s, const uint32_t* in) {
  for (int i = threadIdx.x; i < WORDS; i += blockDim.x) s[i] = in[i];
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
}
#define STORES(D) K store##D(MAP, uint32_t* in, uint32_t* out, At a, int bytes) { extern __shared__ __align__(1024) uint32_t s[]; fill(s, in); if (threadIdx.x == 0) { store<D>(&map, s, a); close(); wait_all(); } }
STORES(1) STORES(2) STORES(3) STORES(4) STORES(5)
#define REDUCES(OP) K reduce_##OP(MAP, uint32_t* in, uint32_t* out, At a, int bytes) { extern __shared__ __align__(1024) uint32_t s[]; fill(s, in); if (threadIdx.x == 0) { \
  asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." #OP ".bulk_group [%0, {%2,%3}], [%1];" ::"l"(&map), "r"(place(s)), "r"(a.c[0]), "r"(a.c[1]) : "memory"); close(); wait_all(); } }
REDUCES(add) REDUCES(min) REDUCES(max) REDUCES(inc) REDUCES(dec) REDUCES(and) REDUCES(or) REDUCES(xor)

// Clocks: n loads of one box, again and again; the first finds neither the map nor the data in level two.
template <int D> __device__ void times(const CUtensorMap* map, uint32_t* out, At a, int bytes, int n, int ahead, uint32_t* s, uint64_t* bar) {
  if (threadIdx.x) return;
  init(bar);
  if (ahead) { asm volatile("prefetch.tensormap [%0];" ::"l"(map)); for (long long t = clock64(); clock64() - t < 4000;); }
#pragma unroll 1
  for (int i = 0; i < 4; i++) {
    uint32_t t0 = clock();
    expect(bar, bytes * n);
#pragma unroll 1
    for (int j = 0; j < n; j++) load<D>(map, (char*)s + j % 4 * (WORDS), bar, a);
    uint32_t t1 = clock();
    wait(bar, i & 1);
    uint32_t t2 = clock();
    out[2 * i] = t1 - t0; out[2 * i + 1] = t2 - t0;
  }
}
#define TIMES(D) K time##D(MAP, uint32_t* in, uint32_t* out, At a, int bytes, int n, int ahead) { extern __shared__ __align__(1024) uint32_t s[]; __shared__ uint64_t bar; times<D>(&map, out, a, bytes, n, ahead, s, &bar); }
TIMES(1) TIMES(2) TIMES(3) TIMES(4) TIMES(5)
// Clocks of n stores, closed and waited for.
template <int D> __device__ void times_out(const CUtensorMap* map, uint32_t* out, At a, int n, uint32_t* s) {
  if (threadIdx.x) return;
#pragma unroll 1
  for (int i = 0; i < 4; i++) {
    uint32_t t0 = clock();
#pragma unroll 1
    for (int j = 0; j < n; j++) store<D>(map, (char*)s + j % 4 * (WORDS), a);
    close();
    uint32_t t1 = clock();
    wait_all();
    uint32_t t2 = clock();
    out[2 * i] = t1 - t0; out[2 * i + 1] = t2 - t0;
  }
}
#define TIMES_OUT(D) K time_out##D(MAP, uint32_t* in, uint32_t* out, At a, int bytes, int n, int ahead) { extern __shared__ __align__(1024) uint32_t s[]; times_out<D>(&map, out, a, n, s); }
TIMES_OUT(1) TIMES_OUT(2) TIMES_OUT(3) TIMES_OUT(5)
// Tiles of a matrix, one after the other, with three under way: block b takes n tiles from row b * n * height on.
K stream2(MAP, uint32_t* in, uint32_t* out, At a, int bytes, int n, int height) {
  extern __shared__ __align__(1024) uint32_t s[]; __shared__ uint64_t bar[3];
  if (threadIdx.x) return;
  for (int i = 0; i < 3; i++) init(bar + i);
  uint32_t t0 = clock();
#pragma unroll 1
  for (int i = 0; i < n + 3; i++) {
    uint64_t* b = bar + i % 3;
    if (i >= 3) wait(b, (i / 3 - 1) & 1);
    if (i < n) { expect(b, bytes); At to = a; to.c[1] += (blockIdx.x * n + i) * height; load<2>(&map, (char*)s + i % 3 * 16384, b, to); }
  }
  out[blockIdx.x] = clock() - t0;
}
K stream_out2(MAP, uint32_t* in, uint32_t* out, At a, int bytes, int n, int height) {
  extern __shared__ __align__(1024) uint32_t s[];
  if (threadIdx.x) return;
  uint32_t t0 = clock();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    At to = a; to.c[1] += (blockIdx.x * n + i) * height; store<2>(&map, (char*)s + i % 3 * 16384, to); close();
    asm volatile("cp.async.bulk.wait_group.read 2;" ::: "memory");
  }
  wait_all();
  out[blockIdx.x] = clock() - t0;
}
