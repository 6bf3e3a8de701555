// How warps get on beside each other: when each eight steps of each warp begin and end, of warps on one SM whose loads sometimes miss.
// rows: each thread walks a row of its own, U words a step, and stores one or not. stride: four loads a step (one in the two lines before
// the last), each 32 words further, of 64 KiB; lanes lie so many words apart. The last of five laps: level two is warm, L1 cold.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>
#define STEPS 64
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
template <int U, bool LOADS, bool STORES> __global__ void rows(const uint32_t *in, uint32_t *out, uint32_t *took, int pitch) {
    __shared__ uint32_t times[32][2 * STEPS]; uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0; const uint32_t *p = in + threadIdx.x * pitch; uint32_t *q = out + threadIdx.x * pitch;
    __syncthreads();
    for (int i = 0; i < STEPS; i++) { uint32_t v[U]; uint32_t t0 = now();
        if (LOADS) {
#pragma unroll
            for (int u = 0; u < U; u++) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[u]) : "l"(p + i * U + u) : "memory");
#pragma unroll
            for (int u = 0; u < U; u++) sum += v[u]; }
        if (STORES) asm volatile("st.global.u32 [%0], %1;" :: "l"(q + i), "r"(sum) : "memory");
        if (sum == 12345) break;
        uint32_t t1 = now(); if (lane == 0) { times[warp][2 * i] = t0; times[warp][2 * i + 1] = t1; } }
    __syncwarp(); for (int i = lane; i < 2 * STEPS; i += 32) took[warp * 2 * STEPS + i] = times[warp][i] + (sum == 77); }
template <int U> __global__ void stride(const uint32_t *in, uint32_t *out, uint32_t *took, int stride) {
    __shared__ uint32_t times[32][2 * STEPS]; uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0; uint32_t at = threadIdx.x * stride;
    __syncthreads();
    for (int i = 0; i < STEPS; i++) { uint32_t v[U]; uint32_t t0 = now();
#pragma unroll
        for (int u = 0; u < U; u++) { asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[u]) : "l"(in + (at & 16383)) : "memory"); at += 32; }
#pragma unroll
        for (int u = 0; u < U; u++) sum += v[u];
        if (sum == 12345) break;
        uint32_t t1 = now(); if (lane == 0) { times[warp][2 * i] = t0; times[warp][2 * i + 1] = t1; } }
    __syncwarp(); for (int i = lane; i < 2 * STEPS; i += 32) took[warp * 2 * STEPS + i] = times[warp][i] + (sum == 77); }
static uint32_t *in, *out, *took;
template <class K> void show(const char *name, K kernel, int warps, int step, int blocks) {
    std::vector<uint32_t> h(warps * 2 * STEPS);
    for (int lap = 0; lap < 5; lap++) { cudaMemset(out, 0, 1 << 24); kernel<<<blocks, 32 * warps>>>(in, out, took, step); if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return; } }
    cudaMemcpy(h.data(), took, h.size() * 4, cudaMemcpyDeviceToHost); uint32_t first = h[0]; for (int w = 0; w < warps; w++) if ((int32_t)(h[w * 2 * STEPS] - first) < 0) first = h[w * 2 * STEPS];
    for (int w = 0; w < warps; w++) { printf("%s, %d warps, warp %d:", name, warps, w); for (int i = 0; i < STEPS; i++) if (i % 8 == 0 || i % 8 == 7) printf(" %u%s", h[w * 2 * STEPS + 2 * i + (i % 8 == 7)] - first, i == STEPS - 1 ? "" : i % 8 ? "," : " to"); printf("\n"); } }
int main() { cudaMalloc(&in, 1 << 24); cudaMalloc(&out, 1 << 24); cudaMalloc(&took, 1 << 20); cudaMemset(in, 0, 1 << 24);
    for (int w : {1, 2, 4, 8}) show("rows 4", rows<4, true, false>, w, 2048, 1);
    for (int w : {4, 8, 16}) show("rows 1", rows<1, true, false>, w, 2048, 1);
    for (int w : {4, 8}) show("rows 2", rows<2, true, false>, w, 2048, 1);
    for (int w : {1, 2, 4, 8}) show("rows 1 and a store", rows<1, true, true>, w, 2048, 1);
    for (int w : {2, 4, 8}) show("rows 4 and a store", rows<4, true, true>, w, 2048, 1);
    for (int s : {1, 8, 16, 32, 256}) { char name[40]; sprintf(name, "stride %d", s); show(name, stride<4>, 8, s, 1); }
    show("stride 32", stride<1>, 8, 32, 1); show("stride 32", stride<1>, 16, 32, 1); show("stride 32", stride<4>, 4, 32, 1);
}
