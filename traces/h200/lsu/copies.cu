// Copies from global to shared memory (LDGSTS) of lines that are in L2 and not in L1, beside plain loads of as many bytes: cycles of an SM for
// each, of `warps` warps of one block, eight in a row before they wait. `loads`: how many loads of shared memory follow each. The data is random.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#define ROUNDS 64
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
template <int BYTES, int KIND> __device__ void stream(uint32_t *took, const char *start_of, uint32_t *out, uint32_t loads) {
    extern __shared__ char space[]; uint32_t to = (uint32_t)__cvta_generic_to_shared(space) + threadIdx.x * 16, sum = 0;
    for (int lap = 0; lap < 2; lap++) { const char *from = start_of + threadIdx.x * BYTES; __syncthreads(); uint32_t start = now();
#pragma unroll 1
        for (int i = 0; i < ROUNDS; i++) {
            uint32_t r[8][4];
#pragma unroll
            for (int k = 0; k < 8; k++, from += blockDim.x * BYTES) {
                if (KIND == 0 && BYTES == 4) asm volatile("ld.global.u32 %0, [%1];" : "=r"(r[k][0]) : "l"(from) : "memory");
                if (KIND == 0 && BYTES == 8) asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(r[k][0]), "=r"(r[k][1]) : "l"(from) : "memory");
                if (KIND == 0 && BYTES == 16) asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(r[k][0]), "=r"(r[k][1]), "=r"(r[k][2]), "=r"(r[k][3]) : "l"(from) : "memory");
                if (KIND == 1) asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(to), "l"(from), "n"(BYTES) : "memory");
                if (KIND == 2) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(from) : "memory");
                for (uint32_t l = 0; l < loads; l++) { uint32_t q; asm volatile("ld.shared.u32 %0, [%1];" : "=r"(q) : "r"(to) : "memory"); sum += q; }
            }
            if (KIND == 0) for (int k = 0; k < 8; k++) sum += r[k][0];
            if (KIND) asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads(); uint32_t end = now(); if (threadIdx.x == 0) took[0] = end - start; }
    out[threadIdx.x] = sum;
}
#define STREAM(NAME, BYTES, KIND) extern "C" __global__ void NAME(uint32_t *took, const char *from, uint32_t *out, uint32_t loads) { stream<BYTES, KIND>(took, from, out, loads); }
STREAM(k_load_4, 4, 0) STREAM(k_load_8, 8, 0) STREAM(k_load_16, 16, 0) STREAM(k_copy_4, 4, 1) STREAM(k_copy_8, 8, 1) STREAM(k_copy_16, 16, 1) STREAM(k_copy_past, 16, 2)
__global__ void fill(uint32_t *p) { uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, x = i; x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; p[i] = x ^ x >> 16; }
int main() {
    uint32_t *took, *out; char *from; cudaMalloc(&took, 64); cudaMalloc(&out, 1 << 16); cudaMalloc(&from, 32 << 20); fill<<<32 << 10, 256>>>((uint32_t *)from);
    struct { const char *name; void (*kernel)(uint32_t *, const char *, uint32_t *, uint32_t); } all[] = {{"load 4", k_load_4}, {"load 8", k_load_8}, {"load 16", k_load_16}, {"copy 4", k_copy_4}, {"copy 8", k_copy_8}, {"copy 16", k_copy_16}, {"copy 16 past L1", k_copy_past}};
    for (auto c : all) for (int warps : {1, 4, 8, 16, 32}) for (uint32_t loads : {0u, 1u, 2u, 4u}) {
        c.kernel<<<1, warps * 32, warps * 32 * 16>>>(took, from, out, loads); uint32_t t = 0; if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return 1; }
        cudaMemcpy(&t, took, 4, cudaMemcpyDeviceToHost); printf("%s, %2d warps, %u loads: %.2f\n", c.name, warps, loads, t / (ROUNDS * 8.0 * warps)); }
}
