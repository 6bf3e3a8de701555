// Reductions and stores of scattered words: W warps of G blocks, one on an SM, each add to or write words of `lines` lines at a time, of a
// footprint of so many KiB, and note the clock before the first and behind the last of 256 rounds. Cycles a round of a warp's SM, in the
// mean over the blocks: (end - begin) / rounds / warps.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>
#define ROUNDS 256
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
enum What { RED, STORE, ATOM };
template <int WHAT> __global__ void scatter(uint32_t *to, uint32_t *took, uint32_t shift, uint32_t mask) {
    uint32_t lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, sum = 0;
    __shared__ uint32_t first, last; if (threadIdx.x == 0) { first = ~0u; last = 0; } __syncthreads(); uint32_t begin = now();
#pragma unroll 4
    for (int i = 0; i < ROUNDS; i++) {
        // Lanes of a group of 2^shift are side by side in one line; groups lie anywhere.
        uint32_t line = mix((warp * ROUNDS + i) * 32 + (lane >> shift)) & mask, at = line * 32 + (lane & ((1u << shift) - 1));
        if (WHAT == RED) atomicAdd(to + at, 1u); else if (WHAT == STORE) to[at] = i; else sum += atomicAdd(to + at, 1u); }
    if (sum == 12345) to[0] = 1;
    uint32_t end = now(); atomicMin(&first, begin); atomicMax(&last, end); __syncthreads(); if (threadIdx.x == 0) took[blockIdx.x] = last - first;
}
static uint32_t *to, *took;
template <int WHAT> void show(int grid, int warps, int shift, uint32_t kib) {
    std::vector<uint32_t> h(grid); cudaMemset(to, 0, kib << 10); scatter<WHAT><<<grid, warps * 32, 100 << 10>>>(to, took, shift, kib * 8 - 1); cudaError_t e = cudaDeviceSynchronize(); if (e != cudaSuccess) { printf("failed %s\n", cudaGetErrorString(e)); return; }
    cudaMemcpy(h.data(), took, grid * 4, cudaMemcpyDeviceToHost); double s = 0; for (auto t : h) s += t;
    printf("%s, %3d blocks of %2d warps, %2d lines of %5u KiB: %.1f\n", WHAT == RED ? "reductions" : WHAT == STORE ? "stores" : "atomics", grid, warps, 32 >> shift, kib, s / grid / ROUNDS / warps); }
int main() { cudaMalloc(&to, 64 << 20); cudaMalloc(&took, 4096);
    cudaFuncSetAttribute(scatter<RED>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10); cudaFuncSetAttribute(scatter<STORE>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10); cudaFuncSetAttribute(scatter<ATOM>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);
    for (uint32_t kib : {256u, 8192u}) for (int grid : {1, 4, 16, 32, 66, 132}) for (int warps : {1, 8, 32}) for (int shift : {0, 2, 5}) { show<RED>(grid, warps, shift, kib); show<STORE>(grid, warps, shift, kib); }
    for (int grid : {1, 16, 132}) for (int warps : {8, 32}) for (int shift : {0, 2, 5}) show<ATOM>(grid, warps, shift, 256); }
