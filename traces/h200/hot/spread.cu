// Reductions to hashed words of a footprint, from some SMs: cycles an instruction of an SM, and how long the launch drains. As a histogram has
// them (every lane anywhere), in rows (32 lanes in two rows of 2 KiB that all warps go through in the same order), and in steps (bits of the
// word fixed, as words of text have them).
#include <cstdio>
#include <cstdint>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
#define ROUNDS 128
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
// Word = spread of a hash: bits of `keep` are random, and `row` words are added each round.
extern "C" __global__ void k_spread(uint32_t* to, uint32_t* took, uint32_t keep, uint32_t row, uint32_t mask) {
    uint32_t lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    __shared__ uint32_t first, last; if (threadIdx.x == 0) { first = ~0u; last = 0; } __syncthreads(); uint32_t begin = now();
#pragma unroll 4
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t at = (mix((warp * ROUNDS + i) * 32 + lane) & keep) + (2 * i + (lane & (row ? 1 : 0))) * row & mask;
        asm volatile("red.global.add.u32 [%0], 1;" :: "l"(to + at) : "memory"); }
    uint32_t issued = now(); __threadfence(); uint32_t end = now();
    atomicMin(&first, begin); atomicMax(&last, issued); __syncthreads(); if (threadIdx.x == 0) { took[2 * blockIdx.x] = last - first; took[2 * blockIdx.x + 1] = end - first; }
}
static uint32_t *to, *took;
void show(const char* what, int grid, int warps, uint32_t keep, uint32_t row, uint32_t mask) {
    std::vector<uint32_t> h(2 * grid); double best = 1e30, most = 0, fenced = 0; float ms, least = 1e9; cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
    for (int lap = 0; lap < 4; lap++) {
        cudaMemset(to, 0, 8 << 20); cudaEventRecord(a); k_spread<<<grid, warps * 32, 100 << 10>>>(to, took, keep, row, mask); cudaEventRecord(b); cudaDeviceSynchronize();
        cudaEventElapsedTime(&ms, a, b); least = std::min(least, ms); cudaMemcpy(h.data(), took, grid * 8, cudaMemcpyDeviceToHost); double s = 0, m = 0, f = 0; for (int g = 0; g < grid; g++) s += h[2 * g], m = std::max(m, (double)h[2 * g]), f = std::max(f, (double)h[2 * g + 1]);
        if (s < best) best = s, most = m, fenced = f; }
    printf("%s, keep %x, row %u, %d blocks of %d warps: %.1f cycles an instruction, most %.1f, with fence %.1f; %.1f words a cycle\n", what, keep, row, grid, warps, best / grid / ROUNDS / warps, most / ROUNDS / warps, fenced / ROUNDS / warps, 32.0 * grid * ROUNDS * warps / fenced); }
int main() { cudaMalloc(&to, 8 << 20); cudaMalloc(&took, 4096); cudaFuncSetAttribute(k_spread, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);
    for (int grid : {4, 20, 32, 66, 132}) {
        for (int lg : {9, 11, 13, 14, 15, 16, 18, 20}) show("anywhere", grid, 8, (1u << lg) - 1, 0, ~0u);
        for (uint32_t keep : {0xf000u | 0xff, 0xcfcfu, 0xf3f3u, 0xfcfcu, 0x3f3fu, 0xfff8u, 0xffe0u, 0xffc0u, 0x7ff8u, 0x3fe0u, 0xe7e7u}) show("steps", grid, 8, keep, 0, ~0u);
        for (uint32_t row : {512u, 1024u, 1536u, 2048u, 4096u, 1056u}) show("rows", grid, 8, 511, row, 0xfffff); } }
