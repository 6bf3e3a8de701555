// Fences, and loads and stores with an order: what they cost a warp, by what is under way, and how soon another SM sees a flag.
#include <cstdint>
#define K extern "C" __global__ void
__device__ __forceinline__ uint32_t now() { uint32_t c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c) :: "memory"); return c; }
enum Kind { NOTHING, FENCE_CTA, FENCE_GPU, FENCE_SYS, MEMBAR_CTA, MEMBAR_GPU, MEMBAR_SYS, ST_RELAXED, ST_RELEASE, LD_RELAXED, LD_ACQUIRE, LD_ACQUIRE_CTA, RED_RELEASE, ATOM_RELAXED, ATOM_ACQ_REL, ST_RELEASE_CTA, LD_VOLATILE };
template <int KIND> __device__ __forceinline__ uint32_t act(uint32_t* p) {
  uint32_t v = 0;
  if (KIND == FENCE_CTA) asm volatile("fence.acq_rel.cta;" ::: "memory");
  if (KIND == FENCE_GPU) asm volatile("fence.acq_rel.gpu;" ::: "memory");
  if (KIND == FENCE_SYS) asm volatile("fence.acq_rel.sys;" ::: "memory");
  if (KIND == MEMBAR_CTA) asm volatile("membar.cta;" ::: "memory");
  if (KIND == MEMBAR_GPU) asm volatile("membar.gl;" ::: "memory");
  if (KIND == MEMBAR_SYS) asm volatile("membar.sys;" ::: "memory");
  if (KIND == ST_RELAXED) asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
  if (KIND == ST_RELEASE) asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
  if (KIND == ST_RELEASE_CTA) asm volatile("st.release.cta.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
  if (KIND == LD_RELAXED) asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  if (KIND == LD_ACQUIRE) asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  if (KIND == LD_ACQUIRE_CTA) asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  if (KIND == LD_VOLATILE) asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  if (KIND == RED_RELEASE) asm volatile("red.release.gpu.add.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
  if (KIND == ATOM_RELAXED) asm volatile("atom.relaxed.gpu.add.u32 %0, [%1], %2;" : "=r"(v) : "l"(p), "r"(1) : "memory");
  if (KIND == ATOM_ACQ_REL) asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], %2;" : "=r"(v) : "l"(p), "r"(1) : "memory");
  return v;
}
// `stores` lines are stored (or with a negative number loaded), then the act, `rounds` times: cycles of a round by warp, in the mean of the last half. One lane of each of `warps`.
template <int KIND> __device__ __forceinline__ void cost(char* data, uint32_t* flag, uint32_t* out, int stores, int warps, int rounds, int pause) {
  int warp = threadIdx.x / 32; if (warp >= warps) return;
  uint32_t* own = flag + (blockIdx.x * 32 + warp) * 32; char* to = data + ((size_t)blockIdx.x * 32 + warp) * 16384; uint32_t sum = 0, begin = 0, act_time = 0;
  for (int r = 0; r < rounds; r++) {
    if (r == rounds / 2) { begin = now(); act_time = 0; }
    for (int s = 0; s < stores; s++) *(uint32_t*)(to + ((r * stores + s) & 127) * 128 + threadIdx.x % 32 * 4) = r;
    for (int s = 0; s < -stores; s++) sum += *(volatile uint32_t*)(to + ((s - r * stores) & 127) * 128 + threadIdx.x % 32 * 4);
    uint32_t a = now();
    if (threadIdx.x % 32 == 0) sum += act<KIND>(own);
    if (pause) { uint32_t from = now(); while (now() - from + (sum & 0x80000000u) < pause); }
    else if (sum == 0x12345678u) out[4096] = sum;
    act_time += now() - a;
  }
  uint32_t end = now(); if (threadIdx.x % 32 == 0) { out[(blockIdx.x * 32 + warp) * 2] = end - begin; out[(blockIdx.x * 32 + warp) * 2 + 1] = act_time; }
  if (sum == 0x12345678u) out[4097] = sum;
}
#define COST(NAME, KIND) K NAME(char* data, uint32_t* flag, uint32_t* out, int stores, int warps, int rounds, int pause) { cost<KIND>(data, flag, out, stores, warps, rounds, pause); }
COST(cost_nothing, NOTHING) COST(cost_fence_cta, FENCE_CTA) COST(cost_fence_gpu, FENCE_GPU) COST(cost_fence_sys, FENCE_SYS) COST(cost_membar_cta, MEMBAR_CTA) COST(cost_membar_gpu, MEMBAR_GPU) COST(cost_membar_sys, MEMBAR_SYS)
COST(cost_st_relaxed, ST_RELAXED) COST(cost_st_release, ST_RELEASE) COST(cost_st_release_cta, ST_RELEASE_CTA) COST(cost_ld_relaxed, LD_RELAXED) COST(cost_ld_acquire, LD_ACQUIRE) COST(cost_ld_acquire_cta, LD_ACQUIRE_CTA) COST(cost_ld_volatile, LD_VOLATILE)
COST(cost_red_release, RED_RELEASE) COST(cost_atom_relaxed, ATOM_RELAXED) COST(cost_atom_acq_rel, ATOM_ACQ_REL)
// Two SMs pass a flag to and fro: a thread of each stores to its word, waits for the other's. By relaxed, acquire and release, volatile with fences.
K flags(uint32_t* word, uint32_t* out, int other, int rounds, int how, int apart) {
  uint32_t sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)); if (threadIdx.x || (sm != 0 && sm != other)) return;
  uint32_t *mine = word + (sm ? apart : 0), *theirs = word + (sm ? 0 : apart), begin = 0, polls = 0;
  for (int r = 1; r <= rounds; r++) {
    if (r == rounds / 2 + 1) { begin = now(); polls = 0; }
    for (int turn = 0; turn < 2; turn++) {
      if ((turn == 0) == (sm == 0)) {
        if (how == 0) asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(mine), "r"(r) : "memory");
        if (how == 1) asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(mine), "r"(r) : "memory");
        if (how == 2) { __threadfence(); *(volatile uint32_t*)mine = r; }
        if (how == 3) atomicExch(mine, r);
      } else {
        uint32_t v;
        do {
          if (how == 0) asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(v) : "l"(theirs) : "memory");
          if (how == 1) asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(theirs) : "memory");
          if (how == 2) { v = *(volatile uint32_t*)theirs; }
          if (how == 3) v = atomicAdd(theirs, 0);
          polls++;
        } while (v != r);
        if (how == 2) __threadfence();
      }
    }
  }
  out[sm ? 1 : 0] = now() - begin; out[sm ? 3 : 2] = polls;
}
