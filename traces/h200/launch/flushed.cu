// How the first instructions of a kernel wait when the caches have been flushed: each warp notes the clock as its first instruction, after
// a number of the warp, and after the first parameters, and the sorted moments of all warps of an SM are printed. Run alone (warm) and
// under a profiler that flushes the caches before each kernel (flushed).
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
__device__ __forceinline__ uint32_t now() { uint32_t c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c) :: "memory"); return c; }
struct Many { uint32_t v[64]; };
// What is read between the first two clocks: 0 nothing but the thread, 1 the block, 2 the size of a block, 3 thread, block and its size, 4 those and eight parameters of a line.
template <int W> __global__ void first(uint32_t *rows, Many m) {
    uint32_t c0 = now(), x = 0, t, b, n;
    if (W == 0) asm volatile("mov.u32 %0, %%tid.x;" : "=r"(x) :: "memory");
    if (W == 1) asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(x) :: "memory");
    if (W == 2) asm volatile("mov.u32 %0, %%ntid.x;" : "=r"(x) :: "memory");
    if (W >= 3) { asm volatile("mov.u32 %0, %%tid.x;" : "=r"(t)); asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(b)); asm volatile("mov.u32 %0, %%ntid.x;" : "=r"(n)); x = b * n + t; }
    if (W == 4) for (int i = 0; i < 8; i++) x = x * m.v[i] + i;
    uint32_t issued = now();
    if (x == 0x7fffffffu) asm volatile("trap;");
    uint32_t c1 = now();
    uint32_t lane, sm; asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane)); asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (lane == 0) { uint32_t *r = rows + (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 4; r[0] = sm; r[1] = c0; r[2] = issued; r[3] = c1; }
}
static uint32_t *rows;
template <int W> void show(int grid, int block) {
    Many m; for (int i = 0; i < 64; i++) m.v[i] = i + 1;
    int warps = grid * block / 32; std::vector<uint32_t> h(warps * 4);
    first<W><<<grid, block>>>(rows, m); if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return; }
    cudaMemcpy(h.data(), rows, h.size() * 4, cudaMemcpyDeviceToHost);
    std::vector<double> sum[3]; int sms = 0;
    for (uint32_t sm = 0; sm < 132; sm++) { std::vector<uint32_t> v[3]; uint32_t from = 0; bool any = false;
        for (int i = 0; i < warps; i++) if (h[i * 4] == sm && (!any || (int)(h[i * 4 + 1] - from) < 0)) { from = h[i * 4 + 1]; any = true; }
        if (!any) continue;
        for (int i = 0; i < warps; i++) if (h[i * 4] == sm) for (int k = 0; k < 3; k++) v[k].push_back(h[i * 4 + 1 + k] - from);
        for (int k = 0; k < 3; k++) { std::sort(v[k].begin(), v[k].end()); sum[k].resize(std::max(sum[k].size(), v[k].size())); for (size_t i = 0; i < v[k].size(); i++) sum[k][i] += v[k][i]; }
        sms++; }
    const char *names[] = {"begin", "issued", "after"};
    for (int k = 0; k < 3; k++) { printf("what %d grid %4d block %4d %-6s:", W, grid, block, names[k]); size_t n = sum[k].size(); for (size_t i = 0; i < n; i += n > 16 ? n / 16 : 1) printf(" %.0f", sum[k][i] / sms); printf(" %.0f\n", sum[k][n - 1] / sms); }
}
template <int W> void all() { show<W>(1, 32); show<W>(132, 32); show<W>(132, 256); show<W>(1056, 256); show<W>(264, 1024); }
int main(int argc, char **argv) {
    cudaMalloc(&rows, 1 << 24); int laps = argc > 1 ? atoi(argv[1]) : 2;
    for (int lap = 0; lap < laps; lap++) { printf("lap %d\n", lap); all<0>(); all<1>(); all<2>(); all<3>(); all<4>(); }
}
