// SMs that copy the same boxes from level two, in groups.
#include <cuda.h>
#include <cstdint>
#define K extern "C" __global__ void
#define MAP const __grid_constant__ CUtensorMap
__device__ uint32_t place(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void init(uint64_t* bar, int count) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place(bar)), "r"(count)); }
__device__ void expect(uint64_t* bar, uint32_t bytes) { asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(bar)), "r"(bytes) : "memory"); }
__device__ void wait(uint64_t* bar, uint32_t phase) { asm volatile("{.reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra L;}" ::"r"(place(bar)), "r"(phase) : "memory"); }
__device__ void load2(const CUtensorMap* map, const void* to, uint64_t* bar, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3,%4}], [%2];" ::"r"(place(to)), "l"(map), "r"(place(bar)), "r"(x), "r"(y) : "memory");
}
__device__ uint32_t now() { uint32_t c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c) :: "memory"); return c; }
#define STAGES 6
__device__ void bulk(const void* to, const void* from, uint64_t* bar, uint32_t bytes) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place(to)), "l"(from), "r"(bytes), "r"(place(bar)) : "memory");
}
// SMs below `most` whose number leaves less than `count` when `every` divides it copy the boxes of their set, 32 KiB a step, so many steps
// ahead: sets of neighbours, or of SMs that are `sets` apart. In wide maps (1) the boxes of a set lie beside each other, in narrow ones (0)
// below each other; 2 copies without a map. The clocks of the last half of the steps.
K share(MAP a, const char* in, int sets, int neighbours, int boxes, int wide, int steps, int stages, int every, int count, int most, uint32_t* out) {
  extern __shared__ __align__(1024) char s[];
  __shared__ uint64_t full[STAGES];
  uint32_t sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  int set = neighbours ? sm / (132 / sets) : sm % sets;
  if (threadIdx.x || sm % every >= count || sm >= most) return;
  for (int i = 0; i < stages; i++) init(full + i, 1);
  asm volatile("fence.proxy.async.shared::cta;");
  uint32_t begin = 0;
  for (int i = 0; i < steps + stages; i++) {
    int stage = i % stages;
    if (i >= stages) { wait(full + stage, (i / stages - 1) & 1); if (i - stages == steps / 2 - 1) begin = now(); if (i - stages == steps - 1) out[sm] = now() - begin; }
    if (i < steps) {
      expect(full + stage, 32768);
      for (int j = 0; j < 2; j++) {
        int box = (2 * i + j) % boxes;
        if (wide == 2) bulk(s + stage * 32768 + j * 16384, in + (size_t)(set * boxes + box) * 16384, full + stage, 16384);
        else load2(&a, s + stage * 32768 + j * 16384, full + stage, wide ? box * 64 : 0, wide ? set * 128 : (set * boxes + box) * 128);
      }
    }
  }
}
