// When loads of one warp wait for a refresh: it loads line after line that nobody has loaded before, notes the nanoseconds before each
// and the cycles that it takes. Of 4,096 loads those that take more than 860 cycles are printed: nanoseconds from the first load, cycles.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>
#define STEPS 4096
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ uint32_t nanoseconds() { uint32_t t; asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(t) :: "memory"); return t; }
__global__ void chase(const uint32_t *in, uint2 *out) {
    uint32_t lane = threadIdx.x, sum = 0;
    for (uint32_t i = 0; i < STEPS; i++) { uint32_t v; __syncwarp(); uint32_t at = nanoseconds(), t0 = now();
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(in + i * 32 + lane) : "memory");
        sum += v; if (sum == 12345) break;
        uint32_t t1 = now(); if (lane == 0) out[i] = make_uint2(at, t1 - t0 + (sum == 77)); }
}
__global__ void sweep(const uint4 *in, uint32_t *out, uint32_t count) { uint32_t sum = 0; for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) { uint4 v = __ldcg(in + i); sum += v.x + v.y + v.z + v.w; } if (sum == 12345) out[0] = sum; }
int main() { uint32_t *in; uint2 *out; cudaMalloc(&in, 2ull << 30); cudaMalloc(&out, 1 << 20); cudaMemset(in, 0, 2ull << 30); std::vector<uint2> h(STEPS);
    for (int run = 0; run < 2; run++) { sweep<<<1056, 256>>>((const uint4 *)(in + (1u << 28)), (uint32_t *)out, 1u << 24); cudaDeviceSynchronize();
        chase<<<1, 32>>>(in, out); if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return 1; }
        cudaMemcpy(h.data(), out, STEPS * 8, cudaMemcpyDeviceToHost); printf("run %d\n", run); for (auto x : h) if (x.y > 860) printf("%u %u\n", x.x - h[0].x, x.y); } }
