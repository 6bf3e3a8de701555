// Do stores of different warps to the same sectors leave as one? W warps of each block store a word for each lane, eight words apart (stride 8:
// eight lines) or 32 (32 lines), each warp the next word of all these sectors; behind a barrier, warp w another w * gap cycles later, 64
// rounds to other lines. Run under the profiler: l1tex__m_xbar2l1tex and lts sectors tell how many left.
#include <cstdio>
#include <cstdint>
#include <cuda_runtime.h>
#define ROUNDS 64
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
#define K(NAME, STRIDE) extern "C" __global__ void NAME(uint32_t *out, int gap) { \
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32; \
    for (int r = 0; r < ROUNDS; r++) { __syncthreads(); uint32_t t = now(); while (now() - t < warp * gap) {} \
        out[((size_t)blockIdx.x * ROUNDS + r) * 32 * STRIDE + lane * STRIDE + warp] = r + warps; } }
K(k_across_8, 8)
K(k_across_32, 32)
K(k_across_2, 2)
int main() { uint32_t *out; cudaMalloc(&out, 132ull * ROUNDS * 32 * 32 * 4 + 4096);
    for (int grid : {1, 132}) for (int warps : {1, 2, 4, 8}) for (int gap : {0, 8, 32, 128, 1000}) {
        if (warps <= 2) { k_across_2<<<grid, warps * 32>>>(out, gap); printf("across_2 grid %d warps %d gap %d\n", grid, warps, gap); }
        k_across_8<<<grid, warps * 32>>>(out, gap); printf("across_8 grid %d warps %d gap %d\n", grid, warps, gap);
        k_across_32<<<grid, warps * 32>>>(out, gap); printf("across_32 grid %d warps %d gap %d\n", grid, warps, gap); }
    if (cudaDeviceSynchronize() != cudaSuccess) printf("failed\n"); }
