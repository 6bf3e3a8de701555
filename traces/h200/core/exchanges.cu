// Cycles of an SM for each instruction that warps exchange values with (MATCH, REDUX, SHFL), alone and in pairs, and for each copy from global
// to shared memory (LDGSTS) of lines that are in L1, alone and with loads of shared memory: `warps` warps of one block, eight in a row a
// round. `ways`: how many values the lanes have.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#define ROUNDS 64
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
template <int KIND> __device__ uint32_t one(uint32_t x, uint32_t shared) {
    uint32_t r;
    if (KIND == 0) asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(x));
    if (KIND == 1) asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(x));
    if (KIND == 2) asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(x));
    if (KIND == 3) asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(r) : "r"(x));
    if (KIND == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"(shared));
    return r;
}
template <int A, int B> __device__ void pairs(uint32_t *took, uint32_t *out, uint32_t ways) {
    __shared__ uint32_t space[1024]; uint32_t lane = threadIdx.x % 32, x[8], sum = 0, shared = (uint32_t)__cvta_generic_to_shared(&space[threadIdx.x]);
    space[threadIdx.x] = lane; for (int k = 0; k < 8; k++) x[k] = lane % ways + k;
    __syncthreads(); uint32_t start = now();
#pragma unroll 1
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t r[8];
#pragma unroll
        for (int k = 0; k < 8; k++) r[k] = k % 2 ? one<B>(x[k], shared) : one<A>(x[k], shared);
#pragma unroll
        for (int k = 0; k < 8; k++) sum += r[k];
    }
    __syncthreads(); uint32_t end = now(); out[threadIdx.x] = sum; if (threadIdx.x == 0) took[0] = end - start;
}
#define PAIR(NAME, A, B) extern "C" __global__ void NAME(uint32_t *took, uint32_t *out, uint32_t ways) { pairs<A, B>(took, out, ways); }
PAIR(k_match, 0, 0) PAIR(k_max, 1, 1) PAIR(k_add, 2, 2) PAIR(k_shuffle, 3, 3) PAIR(k_match_max, 0, 1) PAIR(k_match_shuffle, 0, 3) PAIR(k_max_shuffle, 1, 3) PAIR(k_max_load, 1, 4) PAIR(k_match_load, 0, 4) PAIR(k_load, 4, 4)
template <int BYTES, int PAST> __device__ void copies(uint32_t *took, const char *from, uint32_t *out, uint32_t loads) {
    extern __shared__ char space[]; uint32_t to = (uint32_t)__cvta_generic_to_shared(space) + threadIdx.x * BYTES, sum = 0; from += threadIdx.x * BYTES;
    for (int lap = 0; lap < 2; lap++) { __syncthreads(); uint32_t start = now();
#pragma unroll 1
        for (int i = 0; i < ROUNDS; i++) {
#pragma unroll
            for (int k = 0; k < 8; k++) {
                if (PAST) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(from) : "memory"); else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(to), "l"(from), "n"(BYTES) : "memory");
                for (uint32_t l = 0; l < loads; l++) { uint32_t r; asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"(to) : "memory"); sum += r; }
            }
        }
        asm volatile("cp.async.wait_all;" ::: "memory"); __syncthreads(); uint32_t end = now(); if (threadIdx.x == 0) took[0] = end - start; }
    out[threadIdx.x] = sum;
}
#define COPY(NAME, BYTES, PAST) extern "C" __global__ void NAME(uint32_t *took, const char *from, uint32_t *out, uint32_t loads) { copies<BYTES, PAST>(took, from, out, loads); }
COPY(k_copy_4, 4, 0) COPY(k_copy_8, 8, 0) COPY(k_copy_16, 16, 0) COPY(k_copy_past, 16, 1)
static uint32_t *took, *out; static char *from;
static double get() { uint32_t t = 0; if (cudaDeviceSynchronize() != cudaSuccess) return -1; cudaMemcpy(&t, took, 4, cudaMemcpyDeviceToHost); return t / (ROUNDS * 8.0); }
int main() {
    cudaMalloc(&took, 64); cudaMalloc(&out, 1 << 16); cudaMalloc(&from, 1 << 20); cudaMemset(from, 0, 1 << 20);
    struct { const char *name; void (*kernel)(uint32_t *, uint32_t *, uint32_t); bool ways; } pair[] = {{"match", k_match, true}, {"max", k_max, false}, {"add", k_add, false}, {"shuffle", k_shuffle, false}, {"match and max", k_match_max, true}, {"match and shuffle", k_match_shuffle, true}, {"max and shuffle", k_max_shuffle, false}, {"max and load", k_max_load, false}, {"match and load", k_match_load, true}, {"load", k_load, false}};
    for (auto p : pair) for (int warps : {1, 2, 4, 8, 16, 32}) for (uint32_t ways : {1u, 2u, 4u, 8u, 16u, 32u}) { if (ways > 1 && !p.ways) continue; p.kernel<<<1, warps * 32>>>(took, out, ways); printf("%s, %2d warps, %2u ways: %.2f\n", p.name, warps, ways, get() / warps); }
    struct { const char *name; void (*kernel)(uint32_t *, const char *, uint32_t *, uint32_t); int bytes; } copy[] = {{"copy 4", k_copy_4, 4}, {"copy 8", k_copy_8, 8}, {"copy 16", k_copy_16, 16}, {"copy 16 past L1", k_copy_past, 16}};
    for (auto c : copy) for (int warps : {1, 4, 8, 16, 32}) for (uint32_t loads : {0u, 1u, 2u}) { c.kernel<<<1, warps * 32, warps * 32 * c.bytes>>>(took, from, out, loads); printf("%s, %2d warps, %u loads: %.2f\n", c.name, warps, loads, get() / warps); }
}
