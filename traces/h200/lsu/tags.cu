// How long the L1 takes for loads whose lanes lie in lines a distance apart: cycles per load, all of them hits, of 16 warps and of one.
#include <cstdio>
#include <cstdint>
__global__ void k_tags(const char *in, uint32_t *out, int pitch, int group, int step) {
    int lane = threadIdx.x & 31;
    const char *line = in + (size_t)(lane / group) * pitch;
    const char *p[8];
#pragma unroll
    for (int u = 0; u < 8; u++) p[u] = line + ((lane * step + u) & 31) * 4;
    uint32_t s = 0;
    for (int lap = 0; lap < 2; lap++) {
        __syncthreads();
        uint32_t t0 = clock();
#pragma unroll 1
        for (int r = 0; r < 16; r++) {
            uint32_t v[8];
#pragma unroll
            for (int u = 0; u < 8; u++) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[u]) : "l"(p[u]) : "memory");
#pragma unroll
            for (int u = 0; u < 8; u++) s = s * 3 + v[u];
        }
        __syncthreads();
        uint32_t t1 = clock() + (s == 12345);
        if (threadIdx.x == 0) out[lap] = t1 - t0;
    }
}
int main() {
    char *in; uint32_t *out, h[2];
    cudaMalloc(&in, 64 << 20); cudaMemset(in, 0, 64 << 20); cudaMalloc(&out, 64);
    for (int warps : {16, 1}) for (int group : {1, 2, 4, 8}) for (int step : {0, 1}) {
        printf("%d warps, %d lanes a line, words in %s:", warps, group, step ? "banks of their own" : "one bank");
        for (int pitch : {128, 256, 384, 512, 640, 1024, 1152, 2048, 2176, 4096, 4224, 8192, 8320, 16384, 16512, 32768, 65536, 65664, 131072, 262144, 1048576}) {
            k_tags<<<1, warps * 32>>>(in, out, pitch, group, step);
            cudaMemcpy(h, out, 8, cudaMemcpyDeviceToHost);
            printf(" %d:%.1f", pitch, h[1] / (16. * 8 * warps));
        }
        printf("\n");
    }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
