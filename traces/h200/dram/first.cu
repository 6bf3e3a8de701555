// How long the first loads of a kernel take, and those after them: every warp loads U lines at a time that nobody has loaded before, in
// the order in which they lie in memory, and notes the clock in between. By step: the mean and percentiles over all warps. Before it level
// two is filled with other lines; then the host waits so many microseconds, and the warps spin so many cycles before the first step.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <algorithm>
#include <chrono>
#include <cuda_runtime.h>
#define STEPS 32
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
template <int U> __global__ void first(const uint32_t *in, uint32_t *out, uint32_t spin) {
    __shared__ uint32_t took[8][STEPS]; uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, warp = thread / 32, lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32, sum = 0;
    uint32_t begin = now(); while (now() - begin < spin) sum += spin;
    for (uint32_t i = 0; i < STEPS; i++) { uint32_t v[U], at[U];
#pragma unroll
        for (int u = 0; u < U; u++) at[u] = ((i * U + u) * warps + warp) * 32 + lane;
        __syncwarp(); uint32_t t0 = now();
#pragma unroll
        for (int u = 0; u < U; u++) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[u]) : "l"(in + at[u]) : "memory");
#pragma unroll
        for (int u = 0; u < U; u++) sum += v[u];
        if (sum == 12345) break;
        uint32_t t1 = now(); if (lane == 0) took[threadIdx.x / 32][i] = t1 - t0; }
    __syncwarp(); if (lane < STEPS) out[warp * STEPS + lane] = took[threadIdx.x / 32][lane] + (sum == 77);
}
__global__ void sweep(const uint4 *in, uint32_t *out, uint32_t count) { uint32_t sum = 0; for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) { uint4 v = __ldcg(in + i); sum += v.x + v.y + v.z + v.w; } if (sum == 12345) out[0] = sum; }
static uint32_t *in, *out;
template <int U> void show(int grid, int block, uint32_t spin, int idle, int runs) {
    uint32_t warps = grid * block / 32; std::vector<uint32_t> h(warps * STEPS); std::vector<std::vector<uint32_t>> v(STEPS); std::vector<double> most(STEPS);
    for (int r = 0; r < runs; r++) {
        sweep<<<1056, 256>>>((const uint4 *)(in + (1u << 28)), out, 1u << 24); cudaDeviceSynchronize();
        if (idle) { auto t = std::chrono::steady_clock::now(); while (std::chrono::steady_clock::now() - t < std::chrono::microseconds(idle)); }
        first<U><<<grid, block>>>(in, out, spin); if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return; }
        cudaMemcpy(h.data(), out, warps * STEPS * 4, cudaMemcpyDeviceToHost);
        for (int i = 0; i < STEPS; i++) { uint32_t m = 0; for (uint32_t w = 0; w < warps; w++) { v[i].push_back(h[w * STEPS + i]); m = std::max(m, h[w * STEPS + i]); } most[i] += m; } }
    printf("%d at a time, grid %d block %d, spin %u, idle %d us, mean of %d runs\n", U, grid, block, spin, idle, runs);
    for (int i : {0, 1, 2, 3, 4, 8, 16, 31}) { auto &x = v[i]; std::sort(x.begin(), x.end()); size_t n = x.size(); double s = 0; for (auto y : x) s += y;
        printf("  step %2d: mean %.1f, 5 %% %u, 25 %% %u, 50 %% %u, 75 %% %u, 90 %% %u, 95 %% %u, 99 %% %u, most %.0f\n", i, s / n, x[n / 20], x[n / 4], x[n / 2], x[n * 3 / 4], x[n * 9 / 10], x[n * 19 / 20], x[n * 99 / 100], most[i] / runs); }
}
int main(int argc, char **argv) { int runs = argc > 1 ? atoi(argv[1]) : 30; cudaMalloc(&in, 2ull << 30); cudaMalloc(&out, 1 << 24); cudaMemset(in, 0, 2ull << 30);
    for (int idle : {0, 100, 5000}) for (uint32_t spin : {0u, 20000u}) { show<1>(132, 32, spin, idle, runs); show<1>(132, 256, spin, idle, runs); show<4>(132, 256, spin, idle, runs); } }
