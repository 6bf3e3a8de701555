// Divergence of more than two ways: `tree` is three nested conditions on the bits of the lane's side, `chain` compares the side with one
// number after another, `line` is a chain in which each way waits at a barrier of its own level. Each way has WORK of its own; the sides of the
// lanes are their numbers modulo `ways`. Cycles an iteration of one warp, and of eight.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>
#define K extern "C" __global__ void
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
#define WORK(R, M) asm volatile("mad.lo.s32 %0, %0, " #M ", 1; mad.lo.s32 %0, %0, " #M ", 2; mad.lo.s32 %0, %0, " #M ", 3; mad.lo.s32 %0, %0, " #M ", 4;" : "+r"(R));
#define LOOP(NAME, BODY) K k_##NAME(uint32_t* __restrict__ out, int n, int ways) { int v = threadIdx.x, side = threadIdx.x % ways; uint32_t t0 = now(); _Pragma("unroll 1") for (int i = 0; i < n; i++) { BODY } uint32_t t1 = now(); out[threadIdx.x] = t1 - t0; out[1024 + threadIdx.x] = v; }
LOOP(tree, if (side & 1) { if (side & 2) { if (side & 4) { WORK(v, 3) } else { WORK(v, 5) } } else { if (side & 4) { WORK(v, 7) } else { WORK(v, 9) } } } else { if (side & 2) { if (side & 4) { WORK(v, 11) } else { WORK(v, 13) } } else { if (side & 4) { WORK(v, 15) } else { WORK(v, 17) } } })
LOOP(chain, if (side == 0) { WORK(v, 3) } else if (side == 1) { WORK(v, 5) } else if (side == 2) { WORK(v, 7) } else if (side == 3) { WORK(v, 9) } else if (side == 4) { WORK(v, 11) } else if (side == 5) { WORK(v, 13) } else if (side == 6) { WORK(v, 15) } else { WORK(v, 17) })
LOOP(nest, if (side > 0) { WORK(v, 3) if (side > 1) { WORK(v, 5) if (side > 2) { WORK(v, 7) if (side > 3) { WORK(v, 9) if (side > 4) { WORK(v, 11) if (side > 5) { WORK(v, 13) if (side > 6) { WORK(v, 15) } } } } } } })
static uint32_t *out_; static std::vector<uint32_t> h_(4096);
#define DIVERGE(NAME, WAYS) for (int warps : {1, 8}) { uint32_t r[2]; for (int again = 0; again < 2; again++) for (int n : {64, 128}) { k_##NAME<<<1, 32 * warps>>>(out_, n, WAYS); if (cudaDeviceSynchronize() != cudaSuccess) return 1; cudaMemcpy(h_.data(), out_, 16384, cudaMemcpyDeviceToHost); r[n / 128] = h_[0]; } printf(#NAME " %d ways, %d warps: %.2f cycles an iteration\n", WAYS, warps, (r[1] - r[0]) / 64.0); }
int main() { cudaMalloc(&out_, 1 << 16); for (int w = 1; w <= 8; w++) { DIVERGE(tree, w) DIVERGE(chain, w) DIVERGE(nest, w) } }
