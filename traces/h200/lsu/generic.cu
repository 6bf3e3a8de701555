// Accesses to shared memory by generic addresses beside those by shared ones: latency of one warp, cycles each of many, wavefronts.
#include "../harness.cuh"
__device__ __forceinline__ uint32_t now() { uint32_t c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c) :: "memory"); return c; }
enum Kind { LOAD, LOAD64, LOAD128, STORE, ADD, CAS, MIN };
template <int KIND, bool GENERIC, bool CHAIN> __device__ __forceinline__ void go(uint32_t* out, int lanes, int rounds) {
  __shared__ __align__(16) uint32_t s[4096]; for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = 0; __syncthreads();
  uint32_t* p = s + threadIdx.x * (KIND == LOAD128 ? 4 : KIND == LOAD64 ? 2 : 1) % 4096; if (GENERIC) asm volatile("mov.u64 %0, %0;" : "+l"(p));
  uint32_t v = 0, t0 = now();
  if (threadIdx.x % 32 < lanes)
#pragma unroll 4
  for (int i = 0; i < rounds; i++) {
    uint32_t* q = CHAIN ? p + (v & 1) : p;
    if (KIND == LOAD) { uint32_t x = *(volatile uint32_t*)q; v = CHAIN ? x : v + x; }
    if (KIND == LOAD64) { uint32_t x, y; if (GENERIC) asm volatile("ld.volatile.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p + (CHAIN ? v & 2 : 0))); else asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(__cvta_generic_to_shared(p + (CHAIN ? v & 2 : 0)))); v = CHAIN ? x : v + x + y; }
    if (KIND == LOAD128) { uint32_t x, y, z, w; if (GENERIC) asm volatile("ld.volatile.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p + (CHAIN ? v & 4 : 0))); else asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(__cvta_generic_to_shared(p + (CHAIN ? v & 4 : 0)))); v = CHAIN ? x : v + x + w; }
    if (KIND == STORE) *(volatile uint32_t*)q = i;
    if (KIND == ADD) { uint32_t x = atomicAdd(q, 2u); v = CHAIN ? x : v + x; }
    if (KIND == MIN) { uint32_t x = atomicMin(q, (uint32_t)i); v = CHAIN ? x : v + x; }
    if (KIND == CAS) { uint32_t x = atomicCAS(q, v & 2, 4u); v = CHAIN ? x : v + x; }
  }
  uint32_t t1 = now(); __syncthreads(); uint32_t t2 = now(); if (threadIdx.x == 0) { out[0] = t1 - t0; out[1] = t2 - t0; } if (v == 12345) out[2] = v;
}
#define G(NAME, KIND) K NAME##_s(uint32_t* o, int l, int r) { go<KIND, false, false>(o, l, r); } K NAME##_g(uint32_t* o, int l, int r) { go<KIND, true, false>(o, l, r); } K NAME##_s_chain(uint32_t* o, int l, int r) { go<KIND, false, true>(o, l, r); } K NAME##_g_chain(uint32_t* o, int l, int r) { go<KIND, true, true>(o, l, r); }
G(load, LOAD) G(load64, LOAD64) G(load128, LOAD128) G(store, STORE) G(add, ADD) G(cas, CAS) G(minimum, MIN)
#define R(NAME) { for (int lanes : {32, 1}) for (int warps : {1, 8, 32}) { int rounds = 128; void* args[] = {&o, &lanes, &rounds}; CHECK(cudaLaunchKernel((void*)NAME, dim3(1), dim3(warps * 32), args, 0, 0)); CHECK(cudaDeviceSynchronize()); uint32_t h[2]; CHECK(cudaMemcpy(h, o, 8, cudaMemcpyDeviceToHost)); printf("%s,%d,%d,%.2f,%.2f\n", #NAME, lanes, warps, h[0] / 128., h[1] / 128. / warps); } }
#define RR(N) R(N##_s) R(N##_g) R(N##_s_chain) R(N##_g_chain)
int main() { uint32_t* o; CHECK(cudaMalloc(&o, 4096)); puts("kernel,lanes,warps,cycles of an access by the clock of warp 0,by that of the block"); RR(load) RR(load64) RR(load128) RR(store) RR(add) RR(cas) RR(minimum) }
