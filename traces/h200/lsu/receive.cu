// Bytes a cycle that SMs receive from level two: blocks of 1,024 threads load 16 bytes each, eight in a row, of 4 MB that are in L2, each block
// the same lines or its own. Blocks stay only on chosen SMs: one, two of one TPC, two of two TPCs, all of a GPC, one of each TPC, all.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#define ROUNDS 32
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ uint32_t arrived;
template <int WORDS> __device__ void receive(uint32_t *took, const char *all, uint32_t *out, const uint32_t *chosen, uint32_t count, uint32_t apart) {
    uint32_t sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)); uint32_t index = chosen[sm]; if (index == 0xffffffff) return;
    uint32_t sum = 0; const char *begin = all + (size_t)index * apart;
    for (int lap = 0; lap < 2; lap++) { const char *from = begin + threadIdx.x * WORDS * 4;
        __syncthreads(); if (threadIdx.x == 0) { atomicAdd(&arrived, 1); while (*(volatile uint32_t *)&arrived < count * (lap + 1)) ; } __syncthreads(); uint32_t start = now();
#pragma unroll 1
        for (int i = 0; i < ROUNDS; i++) { uint32_t r[8][4];
#pragma unroll
            for (int k = 0; k < 8; k++, from += 1024 * WORDS * 4) { if (WORDS == 4) asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(r[k][0]), "=r"(r[k][1]), "=r"(r[k][2]), "=r"(r[k][3]) : "l"(from) : "memory"); else asm volatile("ld.global.u32 %0, [%1];" : "=r"(r[k][0]) : "l"(from) : "memory"); }
            for (int k = 0; k < 8; k++) sum += r[k][0]; }
        __syncthreads(); uint32_t end = now(); if (threadIdx.x == 0) took[index] = end - start; }
    out[threadIdx.x] = sum;
}
extern "C" __global__ void k_receive_16(uint32_t *took, const char *all, uint32_t *out, const uint32_t *chosen, uint32_t count, uint32_t apart) { receive<4>(took, all, out, chosen, count, apart); }
extern "C" __global__ void k_receive_4(uint32_t *took, const char *all, uint32_t *out, const uint32_t *chosen, uint32_t count, uint32_t apart) { receive<1>(took, all, out, chosen, count, apart); }
__global__ void fill(uint32_t *p) { uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, x = i; x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; p[i] = x ^ x >> 16; }
int main() {
    uint32_t *took, *out, *chosen; char *all; size_t bytes = 40 << 20; cudaMalloc(&took, 4096); cudaMalloc(&out, 1 << 16); cudaMalloc(&chosen, 4096); cudaMalloc(&all, bytes); fill<<<bytes / 1024, 256>>>((uint32_t *)all);
    struct { const char *name; int first, step, count; } sets[] = {{"one", 0, 1, 1}, {"one, number 77", 77, 1, 1}, {"two of a TPC", 0, 1, 2}, {"two of a TPC, 60 and 61", 60, 1, 2}, {"two of two TPCs", 0, 2, 2}, {"four, 0 2 4 6", 0, 2, 4}, {"four in a row", 0, 1, 4}, {"eight in a row", 0, 1, 8}, {"16 in a row", 0, 1, 16}, {"32 in a row", 0, 1, 32}, {"16, every second", 0, 2, 16}, {"33, every fourth", 0, 4, 33}, {"66, every second", 0, 2, 66}, {"66 in a row", 0, 1, 66}, {"132", 0, 1, 132}};
    for (int words : {4, 1}) for (uint32_t apart : {0u, 262144u}) for (auto s : sets) {
        std::vector<uint32_t> c(256, 0xffffffff), t(256); for (int i = 0; i < s.count; i++) c[s.first + i * s.step] = i;
        cudaMemcpy(chosen, c.data(), 1024, cudaMemcpyHostToDevice); uint32_t zero = 0; cudaMemcpyToSymbol(arrived, &zero, 4);
        if (words == 4) k_receive_16<<<132, 1024, 100000 * 0>>>(took, all, out, chosen, s.count, apart); else k_receive_4<<<132, 1024>>>(took, all, out, chosen, s.count, apart);
        if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return 1; }
        cudaMemcpy(t.data(), took, 1024, cudaMemcpyDeviceToHost); std::sort(t.begin(), t.begin() + s.count); double b = ROUNDS * 8.0 * 1024 * 4 * words;
        printf("%d bytes, %s, %s: %.1f to %.1f bytes a cycle\n", words * 4, apart ? "own lines" : "same lines", s.name, b / t[s.count - 1], b / t[0]);
    }
}
