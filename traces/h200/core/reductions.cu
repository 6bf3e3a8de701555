// Chains of operations across the lanes of a warp: cycles from one to the next, by 1 to 8 warps of one block, and of one warp with two
// or four chains side by side: ./reductions
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c) :: "memory"); return c; }
// SIDE values, each through 32 steps in turn.
#define CHAIN(NAME, SIDE, STEP) extern "C" __global__ void k_##NAME##_##SIDE(uint32_t* out, int one) { \
  uint32_t v[SIDE], begin = 0; for (int s = 0; s < SIDE; s++) v[s] = threadIdx.x * one + s; \
  for (int lap = 0; lap < 2; lap++) { __syncthreads(); begin = now(); _Pragma("unroll") for (int i = 0; i < 32; i++) { _Pragma("unroll") for (int s = 0; s < SIDE; s++) { uint32_t& x = v[s]; STEP } } } \
  uint32_t end = now(), sum = 0; for (int s = 0; s < SIDE; s++) sum += v[s]; if (threadIdx.x % 32 == 0) { out[threadIdx.x / 32 * 2] = end - begin; out[threadIdx.x / 32 * 2 + 1] = sum; } }
#define CHAINS(NAME, STEP) CHAIN(NAME, 1, STEP) CHAIN(NAME, 2, STEP) CHAIN(NAME, 4, STEP)
CHAINS(redux_max, asm volatile("redux.sync.max.s32 %0, %0, 0xffffffff;" : "+r"(x));)
CHAINS(redux_add, asm volatile("redux.sync.add.s32 %0, %0, 0xffffffff;" : "+r"(x));)
CHAINS(redux_and, asm volatile("redux.sync.and.b32 %0, %0, 0xffffffff;" : "+r"(x));)
CHAINS(match_any, asm volatile("match.any.sync.b32 %0, %0, 0xffffffff;" : "+r"(x));)
CHAINS(match_all, asm volatile("match.all.sync.b32 %0, %0, 0xffffffff;" : "+r"(x));)
CHAINS(shuffle, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(x));)
CHAINS(ballot, asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 77; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "+r"(x));)
static uint32_t* out_;
#define SHOW(NAME, SIDE) for (int warps : {1, 4, 8}) { k_##NAME##_##SIDE<<<1, warps * 32>>>(out_, 1); CHECK(cudaGetLastError()); uint32_t h[16]; CHECK(cudaMemcpy(h, out_, sizeof h, cudaMemcpyDeviceToHost)); double s = 0; for (int w = 0; w < warps; w++) s += h[2 * w]; printf("k_" #NAME "_" #SIDE ",%d,%.2f\n", warps, s / warps / 32); }
#define SHOWS(NAME) SHOW(NAME, 1) SHOW(NAME, 2) SHOW(NAME, 4)
int main() { CHECK(cudaMalloc(&out_, 1024)); printf("# kernel (with so many chains side by side),warps: cycles a step of all chains\n"); SHOWS(redux_max) SHOWS(redux_add) SHOWS(redux_and) SHOWS(match_any) SHOWS(match_all) SHOWS(shuffle) SHOWS(ballot) }
