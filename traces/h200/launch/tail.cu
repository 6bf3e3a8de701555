// What a launch takes beside the time in which its multiprocessors are active: every warp spins for a while and stores to lines of its
// own, loads lines of its own, or does nothing. Run under a profiler, which flushes the caches before each kernel, five times each; tail.py
// prints the medians.
#include <cstdio>
#include <cstdint>
#include <cuda_runtime.h>
template <int STORES, int LOADS, int LANES> __global__ void tail(uint32_t *out, const uint32_t *in, int spin) {
    uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, sum = spin;
    for (int i = 0; i < spin; i++) sum = sum * 3 + i;
#pragma unroll
    for (int i = 0; i < LOADS; i++) sum += in[(warp * LOADS + i) * 32 + lane];
    if (lane < LANES) {
#pragma unroll
        for (int i = 0; i < STORES; i++) out[(warp * STORES + i) * 32 + lane] = sum + i; }
    if (STORES == 0 && sum == 12345) out[0] = 1;
}
__global__ void nothing() {}
__global__ void unread(uint32_t *out, const uint32_t *in, int spin) {}
__global__ void read(uint32_t *out, const uint32_t *in, int spin) { if (spin == 12345) out[0] = 1; }
__global__ void spins() { uint32_t c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c) :: "memory"); for (;;) { uint32_t d; asm volatile("mov.u32 %0, %%clock;" : "=r"(d) :: "memory"); if (d - c > 400) break; } }
template <int S, int L, int N> void show(uint32_t *out, uint32_t *in) {
    for (int grid : {1, 8, 33, 132, 264, 1056}) for (int block : {32, 256}) for (int lap = 0; lap < 5; lap++) tail<S, L, N><<<grid, block>>>(out, in, 100);
}
int main() {
    uint32_t *out, *in; cudaMalloc(&out, 1 << 28); cudaMalloc(&in, 1 << 28); cudaMemset(in, 0, 1 << 28); cudaMemset(out, 0, 1 << 28);
    for (int grid : {1, 8, 33, 132, 264, 1056}) for (int lap = 0; lap < 5; lap++) { nothing<<<grid, 256>>>(); unread<<<grid, 256>>>(out, in, 1); read<<<grid, 256>>>(out, in, 1); spins<<<grid, 256>>>(); }
    show<0, 0, 32>(out, in); show<1, 0, 1>(out, in); show<1, 0, 32>(out, in); show<4, 0, 32>(out, in); show<0, 4, 32>(out, in); show<4, 4, 32>(out, in);
    return cudaDeviceSynchronize() != cudaSuccess;
}
