// What a step takes of threads that walk rows: each thread of a warp has a row of its own, loads its next U words and waits for them, and
// stores one, or not. A sector has eight words, so that one step of 8 / U asks for new ones. Means over the steps of the first half of the
// warps' time, for warps on one SM, of the steps that ask and of those that do not.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>
#define STEPS 64
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
template <int U, bool LOADS, bool STORES> __global__ void rows(const uint32_t *in, uint32_t *out, uint32_t *took, int pitch) {
    __shared__ uint32_t times[32][STEPS]; uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0; const uint32_t *p = in + threadIdx.x * pitch; uint32_t *q = out + threadIdx.x * pitch;
    __syncthreads();
    for (int i = 0; i < STEPS; i++) { uint32_t v[U]; uint32_t t0 = now();
        if (LOADS) {
#pragma unroll
            for (int u = 0; u < U; u++) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[u]) : "l"(p + i * U + u) : "memory");
#pragma unroll
            for (int u = 0; u < U; u++) sum += v[u]; }
        if (STORES) asm volatile("st.global.u32 [%0], %1;" :: "l"(q + i), "r"(sum) : "memory");
        if (sum == 12345) break;
        uint32_t t1 = now(); if (lane == 0) times[warp][i] = t1 - t0; }
    __syncwarp(); for (int i = lane; i < STEPS; i += 32) took[warp * STEPS + i] = times[warp][i] + (sum == 77); }
static uint32_t *in, *out, *took;
template <int U, bool LOADS, bool STORES> void show(int warps) {
    std::vector<uint32_t> h(warps * STEPS); double sum[2] = {}; int n[2] = {};
    for (int lap = 0; lap < 5; lap++) { cudaMemset(out, 0, 1 << 24); rows<U, LOADS, STORES><<<1, 32 * warps>>>(in, out, took, 2048); if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return; }
        if (lap == 0) continue; cudaMemcpy(h.data(), took, h.size() * 4, cudaMemcpyDeviceToHost);
        for (int w = 0; w < warps; w++) for (int i = 8; i < STEPS; i++) { int asks = i * U % 8 == 0; sum[asks] += h[w * STEPS + i]; n[asks]++; } }
    printf("%d loads%s, %2d warps: %.1f cycles for a step that asks, %.1f for another\n", LOADS ? U : 0, STORES ? " and a store" : "", warps, n[1] ? sum[1] / n[1] : 0, n[0] ? sum[0] / n[0] : 0); }
template <int U, bool L, bool S> void all() { for (int warps : {1, 2, 4, 8, 16}) show<U, L, S>(warps); }
int main() { cudaMalloc(&in, 1 << 24); cudaMalloc(&out, 1 << 24); cudaMalloc(&took, 1 << 20); cudaMemset(in, 0, 1 << 24);
    all<1, true, false>(); all<2, true, false>(); all<4, true, false>(); all<8, true, false>(); all<1, true, true>(); all<2, true, true>(); all<4, true, true>(); all<1, false, true>(); }
