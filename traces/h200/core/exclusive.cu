// Lanes of a warp reduce over the masks that they name: 1 to 32 groups of lanes, each with a mask of its own, one after another. Cycles an iteration of one
// warp and of eight; `reduce` alone, `match` with the masks found anew each time, `vote` a ballot over the groups.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>
#define K extern "C" __global__ void
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
#define LOOP(NAME, BODY) K k_##NAME(uint32_t* __restrict__ out, int n, int ways) { uint32_t v = threadIdx.x, side = threadIdx.x % ways, mask = __match_any_sync(~0u, side); uint32_t t0 = now(); _Pragma("unroll 1") for (int i = 0; i < n; i++) { BODY } uint32_t t1 = now(); out[threadIdx.x] = t1 - t0; out[1024 + threadIdx.x] = v + mask; }
LOOP(reduce, v = __reduce_add_sync(mask, v);)
LOOP(match, mask = __match_any_sync(~0u, side + (v & 0x40000000)); v = __reduce_add_sync(mask, v) & 0xffff;)
LOOP(only_match, mask = __match_any_sync(~0u, side + (v & 0x40000000)); v = (v + mask) & 0xffff;)
LOOP(shuffle, v = __shfl_sync(mask, v, 5) + 1;)
LOOP(syncwarp, __syncwarp(mask); v = v * 3 + 1;)
static uint32_t *out_; static std::vector<uint32_t> h_(4096);
#define DIVERGE(NAME, WAYS) for (int warps : {1, 8}) { uint32_t r[2]; for (int again = 0; again < 2; again++) for (int n : {64, 128}) { k_##NAME<<<1, 32 * warps>>>(out_, n, WAYS); if (cudaDeviceSynchronize() != cudaSuccess) return 1; cudaMemcpy(h_.data(), out_, 16384, cudaMemcpyDeviceToHost); r[n / 128] = h_[0]; } printf(#NAME " %d ways, %d warps: %.2f cycles an iteration\n", WAYS, warps, (r[1] - r[0]) / 64.0); }
int main() { cudaMalloc(&out_, 1 << 16); for (int w : {1, 2, 3, 4, 8, 16, 32}) { DIVERGE(reduce, w) DIVERGE(match, w) DIVERGE(only_match, w) DIVERGE(shuffle, w) DIVERGE(syncwarp, w) } }
