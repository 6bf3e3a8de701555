// A store to so many lines, a pause, then a load from so many lines: how long the load takes from its issue.
#include <cstdio>
#include <cstdint>
#include <cuda_runtime.h>
#define K extern "C" __global__ void
// hit: whether the load finds its lines in L1.
K k_order(uint32_t *buf, uint32_t *clocks, int store_lines, int load_lines, int pause, int stores, int hit, int rounds) {
    uint32_t lane = threadIdx.x, sum = 0, total = 0;
    uint32_t *s = buf + (lane % max(store_lines, 1)) * 32 + lane / max(store_lines, 1), *l = buf + (1 << 20) + (lane % load_lines) * 32;
    for (int r = 0; r < rounds; r++) { uint32_t v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(s + r * 4096)); sum += v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(l + r * 4096)); sum += v; }
    if (hit) for (int r = 0; r < rounds; r++) { uint32_t v; asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(l)); sum += v; }
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        uint32_t v, *to = s + r * 4096, *from = hit ? l : l + r * 4096;
        for (int n = 0; n < stores; n++) asm volatile("st.global.u32 [%0], %1;" :: "l"(to + n * 1024), "r"(sum) : "memory");
        for (int p = 0; p < pause; p++) asm volatile("mul.lo.u32 %0, %0, %0;" : "+r"(sum));
        uint32_t start = clock();
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
        sum += v & 1;
        asm volatile("" :: "r"(sum) : "memory");
        if (sum == 0x7fffffff) buf[1] = 0;
        uint32_t end = clock();
        total += end - start;
        // Everything has left before the next round.
        __threadfence();
    }
    if (lane == 0) clocks[blockIdx.x] = total / rounds;
    if (sum == 12345) buf[0] = sum;
}
#define C(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); return 1; } } while (0)
int main() {
    uint32_t *buf, *clocks; C(cudaMalloc(&buf, 1u << 28)); C(cudaMalloc(&clocks, 1 << 20)); C(cudaMemset(buf, 0, 1u << 28));
    for (int hit : {0, 1}) for (int pause : {0, 4, 8, 16, 32, 64}) for (int stores : {0, 1, 2}) for (int sl : {1, 4, 16, 32}) for (int ll : {1, 8, 32}) {
        if (stores == 0 && (sl > 1 || pause > 0)) continue;
        if (stores == 2 && (pause > 0 || hit)) continue;
        uint32_t h;
        for (int repeat = 0; repeat < 2; repeat++) { k_order<<<1, 32>>>(buf, clocks, sl, ll, pause, stores, hit, 64); C(cudaDeviceSynchronize()); }
        C(cudaMemcpy(&h, clocks, 4, cudaMemcpyDeviceToHost));
        printf("order hit %d pause %d stores %d store_lines %d load_lines %d: %u\n", hit, pause, stores, sl, ll, h);
    }
}
