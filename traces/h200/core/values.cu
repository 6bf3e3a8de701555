// MATCH of values that lie in any order, and a REDUX: cycles of an SM for each two, of 16 warps of one block that do nothing else. `distinct`:
// how many values there are; `runs`: how often a lane has another value than the one before it. (The REDUX is there in both cases.)
#include <cstdint>
#include <cstdio>
#include <set>
#include <vector>
#include <cuda_runtime.h>
#define ROUNDS 64
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
extern "C" __global__ void k_values(uint32_t *took, uint32_t *out, const uint32_t *values, uint32_t reduces) {
    uint32_t x = values[threadIdx.x % 32], sum = 0; __syncthreads(); uint32_t start = now();
#pragma unroll 1
    for (int i = 0; i < ROUNDS; i++) {
#pragma unroll
        for (int k = 0; k < 4; k++) { uint32_t r, m = 0; asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(x)); if (reduces) asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(m) : "r"(r)); sum += r + m; }
    }
    __syncthreads(); uint32_t end = now(); out[threadIdx.x] = sum; if (threadIdx.x == 0) took[0] = end - start;
}
static uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
int main() {
    uint32_t *took, *out, *values; cudaMalloc(&took, 64); cudaMalloc(&out, 1 << 16); cudaMalloc(&values, 128);
    for (int pattern = 0; pattern < 28; pattern++) for (uint32_t reduces : {0u, 1u}) {
        std::vector<uint32_t> v(32); const char *name = "";
        for (uint32_t l = 0; l < 32; l++) switch (pattern / 4) {
            case 0: { static const int d[] = {2, 8, 16, 32}; name = "in turn"; v[l] = l % d[pattern % 4]; break; }
            case 1: { static const int d[] = {2, 8, 16, 32}; name = "grouped"; v[l] = l * d[pattern % 4] / 32; break; }
            case 2: { static const int d[] = {2, 8, 16, 32}; name = "random"; v[l] = mix(l + 100 * pattern) % d[pattern % 4]; break; }
            case 3: { static const int d[] = {64, 256, 4096, 1 << 20}; name = "random"; v[l] = mix(l + 100 * pattern) % d[pattern % 4]; break; }
            case 4: { static const int d[] = {8, 16, 24, 31}; name = "own behind 32"; v[l] = (int)l < d[pattern % 4] ? mix(l) & 31 : 64 + l; break; }
            case 5: { static const int d[] = {4, 32, 1024, 65536}; name = "apart"; v[l] = l * d[pattern % 4]; break; }
            default: { static const int d[] = {1, 2, 16, 31}; name = "all but some the same"; v[l] = (int)l < d[pattern % 4] ? l + 1 : 0; }
        }
        int runs = 0; for (int l = 1; l < 32; l++) runs += v[l] != v[l - 1];
        cudaMemcpy(values, v.data(), 128, cudaMemcpyHostToDevice); k_values<<<1, 512>>>(took, out, values, reduces); uint32_t t = 0; if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return 1; }
        cudaMemcpy(&t, took, 4, cudaMemcpyDeviceToHost); printf("%s%s, %zu distinct, %d runs: %.2f\n", name, reduces ? ", then max" : "", std::set<uint32_t>(v.begin(), v.end()).size(), runs + 1, t / (ROUNDS * 4.0 * 16));
    }
}
