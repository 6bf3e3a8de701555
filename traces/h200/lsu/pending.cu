// How much of loads is under way before the load/store unit waits: warps of an SM load, each of LINES lines of its own, and note
// the clock; a load is followed by REPEATS - 1 others of the same sectors.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
__device__ __forceinline__ uint32_t now() { uint32_t c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c) :: "memory"); return c; }
#define LOADS 16
template <int LINES, int REPEATS, int SECTORS> __global__ void pending(const float *in, uint32_t *rows) {
    const int lane = threadIdx.x % 32; uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, c[LOADS + 1]; float v[LOADS], s = 0;
    const float *p = in + (size_t)warp * LOADS / REPEATS * LINES * 32 + lane % LINES * 32 + lane / LINES % SECTORS * 8;
    __syncthreads(); c[0] = now();
#pragma unroll
    for (int i = 0; i < LOADS; i++) { asm volatile("ld.global.f32 %0, [%1];" : "=f"(v[i]) : "l"(p + i / REPEATS * LINES * 32 + i % REPEATS)); c[i + 1] = now(); }
#pragma unroll
    for (int i = 0; i < LOADS; i++) s += v[i];
    if (s == 12345.f) rows[0] = 0;
    uint32_t end = now(), sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (lane == 0) { uint32_t *r = rows + warp * 20; r[0] = sm; for (int i = 0; i <= LOADS; i++) r[1 + i] = c[i]; r[18] = end; }
}
static uint32_t *rows; static float *in;
// One SM has a block of 1024 threads; the loads that have been issued by a time after the first.
template <int L, int R, int S> void show(int blocks) {
    std::vector<uint32_t> h(blocks * 32 * 20);
    cudaMemset(in, 0, (size_t)blocks * 32 * 16 / R * L * 128); cudaMemset(in + (1u << 29), 0, 1u << 28);
    pending<L, R, S><<<blocks, 1024>>>(in, rows); if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return; }
    cudaMemcpy(h.data(), rows, h.size() * 4, cudaMemcpyDeviceToHost);
    uint32_t sm = h[0]; std::vector<int> issues; int first_end = 1 << 30; uint32_t first = h[1];
    for (int w = 0; w < blocks * 32; w++) if (h[w * 20] == sm && (int)(h[w * 20 + 1] - first) < 0) first = h[w * 20 + 1];
    for (int w = 0; w < blocks * 32; w++) { uint32_t *r = &h[w * 20]; if (r[0] != sm) continue; for (int i = 0; i < LOADS; i++) issues.push_back(r[2 + i] - first); first_end = std::min(first_end, (int)(r[18] - first)); }
    std::sort(issues.begin(), issues.end());
    printf("lines %2d sectors %d repeats %2d blocks %4d: first end %5d issued at", L, S, R, blocks, first_end);
    for (int t : {16, 32, 64, 128, 192, 256, 320, 384, 448, 480, 511}) if (t < (int)issues.size()) printf(" %d: %5d", t, issues[t]); printf("\n");
}
int main() {
    cudaMalloc(&rows, 1 << 24); cudaMalloc(&in, 3ull << 30);
    for (int blocks : {1, 132}) {
        show<1, 1, 1>(blocks); show<4, 1, 1>(blocks); show<8, 1, 1>(blocks); show<16, 1, 1>(blocks); show<32, 1, 1>(blocks);
        show<8, 1, 4>(blocks); show<16, 1, 2>(blocks); show<4, 1, 4>(blocks); show<1, 1, 4>(blocks);
        show<1, 8, 1>(blocks); show<4, 8, 1>(blocks); show<8, 8, 1>(blocks); show<16, 8, 1>(blocks); show<32, 8, 1>(blocks);
        show<8, 8, 4>(blocks); show<16, 8, 2>(blocks); show<16, 4, 2>(blocks); show<16, 2, 2>(blocks); show<16, 16, 2>(blocks); show<32, 16, 1>(blocks); show<1, 16, 1>(blocks);
    }
}
