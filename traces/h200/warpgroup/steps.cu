// What a step of a product of matrices takes: one or two warpgroups, without barriers, with an arrival, with barriers, with data.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cstdint>
#define K extern "C" __global__ void
#define MAP const __grid_constant__ CUtensorMap
__device__ uint32_t place(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void init(uint64_t* bar, int count) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place(bar)), "r"(count)); }
__device__ void expect(uint64_t* bar, uint32_t bytes) { asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(bar)), "r"(bytes) : "memory"); }
__device__ void arrive(uint64_t* bar) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(place(bar)) : "memory"); }
__device__ void wait(uint64_t* bar, uint32_t phase) { asm volatile("{.reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra L;}" ::"r"(place(bar)), "r"(phase) : "memory"); }
__device__ void load2(const CUtensorMap* map, const void* to, uint64_t* bar, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3,%4}], [%2];" ::"r"(place(to)), "l"(map), "r"(place(bar)), "r"(x), "r"(y) : "memory");
}
__device__ void store2(const CUtensorMap* map, const void* from, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2,%3}], [%1];" ::"l"(map), "r"(place(from)), "r"(x), "r"(y) : "memory");
  asm volatile("cp.async.bulk.commit_group;");
}
__device__ void product(float (&d)[64], uint64_t a, uint64_t b, int scale) {
  asm volatile("{.reg .pred p; setp.ne.b32 p, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, p, 1, 1, 0, 0;}" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]) : "l"(a), "l"(b), "r"(scale));
}
__device__ uint64_t matrix(uint32_t at) { return (uint64_t)(at >> 4 & 0x3fff) | 1ull << 16 | (uint64_t)(1024 >> 4) << 32 | 1ull << 62; }
#define STAGES 4
__device__ uint32_t now() { uint32_t c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c) :: "memory"); return c; }
// Parts: 1 the groups say that they have read, 2 they wait until there is something to read, 4 it is copied.
template <int PARTS> __device__ void steps_of(const CUtensorMap& a, const CUtensorMap& b, int steps, int depth, uint32_t* out) {
  extern __shared__ __align__(1024) char s[];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  int groups = blockDim.x / 128 - (PARTS & 2 ? 1 : 0), row = blockIdx.x * 128;
  if (threadIdx.x == 0) for (int i = 0; i < STAGES; i++) { init(full + i, 1); init(empty + i, groups); }
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  int group = threadIdx.x / 128;
  if (group == groups) {
    if (threadIdx.x % 128 == 0)
      for (int i = 0; i < steps; i++) {
        int stage = i % STAGES; char* to = s + stage * 32768;
        if (i >= STAGES) wait(empty + stage, (i / STAGES - 1) & 1);
        if (PARTS & 4) {
          expect(full + stage, 32768);
          load2(&a, to, full + stage, i * 64 % depth, row);
          load2(&b, to + 16384, full + stage, i * 64 % depth, 0);
        } else arrive(full + stage);
      }
    return;
  }
  float d[64];
  for (int i = 0; i < 64; i++) d[i] = 0;
  uint32_t begin = 0;
  for (int i = 0; i < steps; i++) {
    int stage = i % STAGES; uint32_t from = place(s + stage * 32768);
    if (i == steps / 2) begin = now();
    if (PARTS & 2) wait(full + stage, (i / STAGES) & 1);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < 4; k++) product(d, matrix(from + group * 8192 + k * 32), matrix(from + 16384 + k * 32), i + k > 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (PARTS & 1) if (threadIdx.x % 128 == 0) arrive(empty + stage);
  }
  uint32_t end = now(); float sum = 0;
  for (int i = 0; i < 64; i++) sum += d[i];
  if (sum == 1.5f) out[1023] = 1;
  if (threadIdx.x % 128 == 0) out[blockIdx.x * 2 + group] = end - begin;
}
K steps_0(MAP a, MAP b, int steps, int depth, uint32_t* out) { steps_of<0>(a, b, steps, depth, out); }
K steps_1(MAP a, MAP b, int steps, int depth, uint32_t* out) { steps_of<1>(a, b, steps, depth, out); }
K steps_3(MAP a, MAP b, int steps, int depth, uint32_t* out) { steps_of<3>(a, b, steps, depth, out); }
K steps_7(MAP a, MAP b, int steps, int depth, uint32_t* out) { steps_of<7>(a, b, steps, depth, out); }
