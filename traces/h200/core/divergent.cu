// Loads of constants whose lanes want different addresses: chains of indexed loads, U of them side by side, by W warps of one block; the
// lanes of a warp have `ways` addresses, `stride` words apart, lane by lane in turn or in groups. It prints cycles a load of a warp, in the
// mean over the warps, the loads of which are all in the constant cache. Then bytes and doublewords, of one warp; and words of which each is
// 2 KiB behind the one before, in 16 KiB, so that no line is there any more.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>
#define STEPS 32
__constant__ uint32_t table[4096];
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
template <int U> __global__ void chains(uint32_t *took, uint32_t *out, uint32_t ways, uint32_t stride, uint32_t grouped, uint32_t far) {
    uint32_t lane = threadIdx.x % 32, of = grouped ? lane * ways / 32 : lane % ways, x[U], begin = 0, end = 0;
    for (int u = 0; u < U; u++) x[u] = (of * stride + u * far) & 4095;
    for (int lap = 0; lap < 3; lap++) { __syncthreads(); begin = now();
#pragma unroll 1
        for (int i = 0; i < STEPS / 4; i++) {
#pragma unroll
            for (int j = 0; j < 4; j++)
#pragma unroll
                for (int u = 0; u < U; u++) x[u] = table[x[u]]; }
        uint32_t sum = 0; for (int u = 0; u < U; u++) sum += x[u]; if (sum == 0x7fffffff) out[1] = sum; end = now(); }
    uint32_t sum = 0; for (int u = 0; u < U; u++) sum += x[u]; out[threadIdx.x + 2] = sum; if (lane == 0) took[threadIdx.x / 32] = end - begin;
}
__constant__ uint8_t bytes[256];
__constant__ uint64_t doubles[512];
__constant__ uint32_t ahead[4096];
template <typename T, const T *values> __device__ void walk(uint32_t *took, uint32_t *out, uint32_t ways, uint32_t stride) {
    uint32_t lane = threadIdx.x % 32, begin = 0, end = 0; T x = lane % ways * stride;
    for (int lap = 0; lap < 3; lap++) { __syncthreads(); begin = now();
#pragma unroll 4
        for (int i = 0; i < STEPS; i++) x = values[(uint32_t)x];
        if ((uint32_t)x == 0x7fffffff) out[1] = 1; end = now(); }
    out[threadIdx.x + 2] = (uint32_t)x; if (lane == 0) took[threadIdx.x / 32] = end - begin;
}
__global__ void walk_bytes(uint32_t *took, uint32_t *out, uint32_t ways, uint32_t stride) { walk<uint8_t, bytes>(took, out, ways, stride); }
__global__ void walk_doubles(uint32_t *took, uint32_t *out, uint32_t ways, uint32_t stride) { walk<uint64_t, doubles>(took, out, ways, stride); }
__global__ void walk_ahead(uint32_t *took, uint32_t *out, uint32_t ways, uint32_t stride) { walk<uint32_t, ahead>(took, out, ways, stride); }
static uint32_t *took, *out;
template <typename F> void show_walk(const char *what, F kernel, int warps, uint32_t ways, uint32_t stride) {
    std::vector<uint32_t> h(warps); kernel<<<1, warps * 32>>>(took, out, ways, stride); if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return; }
    cudaMemcpy(h.data(), took, warps * 4, cudaMemcpyDeviceToHost); double s = 0; for (auto t : h) s += t;
    printf("%s, %2d warps, %2u ways %3u apart: %.2f\n", what, warps, ways, stride, s / warps / STEPS); }
template <int U> void show(int warps, uint32_t ways, uint32_t stride, uint32_t grouped, uint32_t far) {
    std::vector<uint32_t> h(warps); chains<U><<<1, warps * 32>>>(took, out, ways, stride, grouped, far); if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return; }
    cudaMemcpy(h.data(), took, warps * 4, cudaMemcpyDeviceToHost); double s = 0; for (auto t : h) s += t;
    printf("%2d warps, %d at a time, %2u ways %3u words apart%s: %.2f\n", warps, U, ways, stride, grouped ? ", grouped" : "", s / warps / STEPS / U); }
int main() { std::vector<uint32_t> h(4096); for (uint32_t i = 0; i < 4096; i++) h[i] = i; cudaMemcpyToSymbol(table, h.data(), 16384); cudaMalloc(&took, 4096); cudaMalloc(&out, 1 << 16);
    for (uint32_t stride : {1u, 2u, 4u, 16u}) for (uint32_t ways : {1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 24u, 32u}) { show<1>(1, ways, stride, 0, 0); if (ways > 1) show<1>(1, ways, stride, 1, 0); }
    for (int warps : {1, 2, 4, 8, 16, 32}) for (uint32_t ways : {1u, 2u, 4u, 8u, 16u, 32u}) for (uint32_t stride : {1u, 16u}) { show<1>(warps, ways, stride, 0, 0); show<4>(warps, ways, stride, 0, 1); } 
    uint8_t b[256]; uint64_t d[512]; for (int i = 0; i < 256; i++) b[i] = i; for (int i = 0; i < 512; i++) d[i] = i; for (uint32_t i = 0; i < 4096; i++) h[i] = (i + 512) & 4095;
    cudaMemcpyToSymbol(bytes, b, 256); cudaMemcpyToSymbol(doubles, d, 4096); cudaMemcpyToSymbol(ahead, h.data(), 16384);
    for (uint32_t ways : {1u, 2u, 4u, 8u, 32u}) { for (uint32_t stride : {1u, 4u}) show_walk("bytes", walk_bytes, 1, ways, stride); show_walk("doublewords", walk_doubles, 1, ways, 1); show_walk("doublewords", walk_doubles, 1, ways, 4); }
    for (int warps : {1, 4, 16}) for (uint32_t ways : {1u, 2u, 4u, 8u, 16u, 32u}) for (uint32_t stride : {1u, 16u}) show_walk("words ahead", walk_ahead, warps, ways, stride); }
