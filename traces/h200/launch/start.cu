// How long the first instructions of a kernel wait when many warps begin at once: each warp notes the clock, reads special registers
// or parameters, uses them, and notes the clock again.
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
__device__ __forceinline__ uint32_t now() { uint32_t c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c) :: "memory"); return c; }
__device__ __forceinline__ void use(uint32_t x) { asm volatile("{ .reg .u32 r; add.u32 r, %0, 1; }" :: "r"(x) : "memory"); }
struct Many { uint32_t v[64]; };
// What is read: 0 the thread, 1 the block, 2 the size of a block, 3 a parameter, 4 what nearly every kernel begins with, 5 that with eight
// parameters of one line, 6 with eight parameters of four lines.
template <int W> __global__ void begin(uint32_t *rows, Many m) {
    uint32_t c0 = now(), x = 0;
    if (W == 0) asm volatile("mov.u32 %0, %%tid.x;" : "=r"(x));
    if (W == 1) asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(x));
    if (W == 2) asm volatile("mov.u32 %0, %%ntid.x;" : "=r"(x));
    if (W == 3) x = m.v[0];
    if (W >= 4) { uint32_t t, b, n; asm volatile("mov.u32 %0, %%tid.x;" : "=r"(t)); asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(b)); asm volatile("mov.u32 %0, %%ntid.x;" : "=r"(n)); x = b * n + t; }
    if (W == 5) for (int i = 0; i < 8; i++) x = x * m.v[i] + i;
    if (W == 6) for (int i = 0; i < 8; i++) x = x * m.v[i * 8] + i;
    if (x == 0x7fffffffu) asm volatile("trap;");
    uint32_t c1 = now();
    uint32_t lane, sm; asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane)); asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (lane == 0) { uint32_t *r = rows + (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 4; r[0] = sm; r[1] = c0; r[2] = c1; }
}
static uint32_t *rows; static char *flush;
template <int W> void show(int grid, int block, bool cold) {
    Many m; for (int i = 0; i < 64; i++) m.v[i] = i + 1;
    int warps = grid * block / 32; std::vector<uint32_t> h(warps * 4);
    if (!cold) begin<W><<<grid, block>>>(rows, m);
    cudaMemset(flush, 1, 1 << 28); cudaDeviceSynchronize();
    begin<W><<<grid, block>>>(rows, m); if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return; }
    cudaMemcpy(h.data(), rows, h.size() * 4, cudaMemcpyDeviceToHost);
    double first = 0, wait = 0, end = 0; int sms = 0, most = 0; 
    for (uint32_t sm = 0; sm < 132; sm++) { uint32_t from = 0; bool any = false; double w = 0; int n = 0, last = 0, begins = 0;
        for (int i = 0; i < warps; i++) if (h[i * 4] == sm && (!any || (int)(h[i * 4 + 1] - from) < 0)) { from = h[i * 4 + 1]; any = true; }
        if (!any) continue;
        for (int i = 0; i < warps; i++) if (h[i * 4] == sm) { w += h[i * 4 + 2] - h[i * 4 + 1]; n++; most = std::max(most, (int)(h[i * 4 + 2] - h[i * 4 + 1])); last = std::max(last, (int)(h[i * 4 + 2] - from)); begins = std::max(begins, (int)(h[i * 4 + 1] - from)); }
        wait += w / n; end += last; first += begins; sms++; }
    printf("what %d grid %4d block %4d %s: begins within %6.1f, waits %6.1f, at most %4d, all after %6.1f\n", W, grid, block, cold ? "cold" : "warm", first / sms, wait / sms, most, end / sms);
}
template <int W> void both() { show<W>(1056, 256, true); for (int g : {1, 132, 264, 528, 1056}) show<W>(g, 256, false); show<W>(1, 32, false); show<W>(132, 32, false); show<W>(132, 1024, false); show<W>(264, 1024, false); }
int main() { cudaMalloc(&rows, 1 << 24); cudaMalloc(&flush, 1 << 28); begin<7><<<1, 32>>>(rows, Many{}); cudaDeviceSynchronize(); both<0>(); both<1>(); both<2>(); both<3>(); both<4>(); both<5>(); both<6>(); }
