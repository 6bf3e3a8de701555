// How long loads take while others are under way: warps of every SM load U lines at a time, which none has loaded before, in the order in
// which they lie in memory or at random, or each lane a sector at random, and note the clock in between; from DRAM, and again from 8 MiB that
// level two has. Percentiles over all warps and steps, without the first four
// steps of each.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
#define STEPS 32
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
enum Order { IN_ORDER, LINES, SECTORS };
template <int U, int ORDER> __global__ void loaded(const uint32_t *in, uint32_t *out, uint32_t lines) {
    __shared__ uint32_t took[8][STEPS]; uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, warp = thread / 32, lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32, sum = 0;
    for (uint32_t i = 0; i < STEPS; i++) { uint32_t v[U], at[U];
#pragma unroll
        for (int u = 0; u < U; u++) { uint32_t line = (i * U + u) * warps + warp; at[u] = ORDER == SECTORS ? mix(line * 32 + lane) & (lines * 32 - 1) : (ORDER == LINES ? mix(line) & (lines - 1) : line & (lines - 1)) * 32 + lane; }
        __syncwarp(); uint32_t t0 = now();
#pragma unroll
        for (int u = 0; u < U; u++) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[u]) : "l"(in + at[u]) : "memory");
#pragma unroll
        for (int u = 0; u < U; u++) sum += v[u];
        if (sum == 12345) break;
        uint32_t t1 = now(); if (lane == 0) took[threadIdx.x / 32][i] = t1 - t0; }
    __syncwarp(); if (lane < STEPS) out[warp * STEPS + lane] = took[threadIdx.x / 32][lane] + (sum == 77);
}
// Level two holds other lines afterwards, none of them written.
__global__ void sweep(const uint4 *in, uint32_t *out, uint32_t count) { uint32_t sum = 0; for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) { uint4 v = __ldcg(in + i); sum += v.x + v.y + v.z + v.w; } if (sum == 12345) out[0] = sum; }
static uint32_t *in, *out;
template <int U, int ORDER> void show(int grid, int block, uint32_t lines) {
    uint32_t warps = grid * block / 32; std::vector<uint32_t> h(warps * STEPS), v; bool near = lines < 1u << 20;
    if (near) for (int lap = 0; lap < 3; lap++) sweep<<<1056, 256>>>((const uint4 *)in, out, lines * 8); else sweep<<<1056, 256>>>((const uint4 *)(in + (1u << 28)), out, 1u << 24); loaded<U, ORDER><<<grid, block>>>(in, out, lines); if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return; }
    cudaMemcpy(h.data(), out, h.size() * 4, cudaMemcpyDeviceToHost); double sum = 0;
    for (uint32_t w = 0; w < warps; w++) for (int i = 4; i < STEPS; i++) { v.push_back(h[w * STEPS + i]); sum += h[w * STEPS + i]; }
    std::sort(v.begin(), v.end()); size_t n = v.size();
    printf("%s %s %d at a time, grid %4d block %4d: mean %.1f, 5 %% %u, 25 %% %u, 50 %% %u, 75 %% %u, 95 %% %u, 99 %% %u\n", near ? "L2  " : "DRAM", ORDER == SECTORS ? "sectors " : ORDER == LINES ? "lines   " : "in order", U, grid, block, sum / n, v[n / 20], v[n / 4], v[n / 2], v[n * 3 / 4], v[n * 19 / 20], v[n * 99 / 100]);
}
template <int ORDER> void all(uint32_t lines) {
    show<1, ORDER>(1, 32, lines); show<2, ORDER>(1, 32, lines); show<4, ORDER>(1, 32, lines);
    show<1, ORDER>(132, 32, lines); show<2, ORDER>(132, 32, lines); show<4, ORDER>(132, 32, lines);
    show<1, ORDER>(132, 256, lines); show<2, ORDER>(132, 256, lines); show<4, ORDER>(132, 256, lines);
    show<1, ORDER>(264, 256, lines); show<2, ORDER>(264, 256, lines); show<4, ORDER>(264, 256, lines);
    show<1, ORDER>(528, 256, lines); show<2, ORDER>(528, 256, lines); show<1, ORDER>(1056, 256, lines); show<2, ORDER>(1056, 256, lines);
}
int main() { cudaMalloc(&in, 2ull << 30); cudaMalloc(&out, 1 << 24); cudaMemset(in, 0, 2ull << 30); for (uint32_t lines : {1u << 23, 1u << 16}) { all<IN_ORDER>(lines); all<LINES>(lines); all<SECTORS>(lines); } }
