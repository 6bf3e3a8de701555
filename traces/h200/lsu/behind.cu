// What loads wait for behind stores of their own SM, what atomic operations of each kind cost, and reductions beside a stream.
#include <cstdio>
#include <cstdint>
#include <cuda_runtime.h>
#define K extern "C" __global__ void
// One warp of each block: a store, then a load at a distance from it, again and again, at new lines.
K k_behind(uint32_t *buf, uint32_t *clocks, int stride, int distance, int step, int stores, int rounds) {
    uint32_t *p = buf + blockIdx.x * (1 << 19) + threadIdx.x * stride, sum = 0;
    for (int r = 0; r < rounds; r++) { uint32_t v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p + r * step)); sum += v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p + r * step + distance)); sum += v; }
    __syncthreads();
    uint32_t start = clock();
    for (int r = 0; r < rounds; r++) {
        uint32_t v;
        for (int s = 0; s < stores; s++) asm volatile("st.global.u32 [%0], %1;" :: "l"(p + r * step + s), "r"(sum) : "memory");
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p + r * step + distance) : "memory");
        sum += v & 1;
        asm volatile("" :: "r"(sum) : "memory");
        if (sum == 0x7fffffff) buf[1] = 0;
    }
    uint32_t end = clock();
    if (threadIdx.x == 0) clocks[blockIdx.x] = end - start;
    if (sum == 12345) buf[0] = sum;
}
#define RED(NAME, PTX) K k_red_##NAME(uint32_t *out, int rounds) { if ((threadIdx.x & 31) == 0) for (int r = 0; r < rounds; r++) asm volatile(PTX :: "l"(out), "r"(threadIdx.x + r * 77) : "memory"); }
RED(add, "red.global.add.u32 [%0], %1;") RED(max_s32, "red.global.max.s32 [%0], %1;") RED(max_u32, "red.global.max.u32 [%0], %1;") RED(min_u32, "red.global.min.u32 [%0], %1;")
RED(and, "red.global.and.b32 [%0], %1;") RED(xor, "red.global.xor.b32 [%0], %1;") RED(inc, "red.global.inc.u32 [%0], %1;")
K k_red_add_f32(float *out, int rounds) { if ((threadIdx.x & 31) == 0) for (int r = 0; r < rounds; r++) asm volatile("red.global.add.f32 [%0], %1;" :: "l"(out), "f"((float)r) : "memory"); }
K k_red_add_u64(unsigned long long *out, int rounds) { if ((threadIdx.x & 31) == 0) for (int r = 0; r < rounds; r++) asm volatile("red.global.add.u64 [%0], %1;" :: "l"(out), "l"((unsigned long long)r) : "memory"); }
#define ATOM(NAME, CALL) K k_atom_##NAME(uint32_t *out, uint32_t *sink, int mask, int rounds) { uint32_t t = blockIdx.x * blockDim.x + threadIdx.x, acc = 0; for (int r = 0; r < rounds; r++) { uint32_t *p = &out[(t + (uint32_t)r * 64u) & (uint32_t)mask]; acc |= CALL; } sink[t] = acc; }
ATOM(cas, atomicCAS(p, 7u, 9u)) ATOM(add, atomicAdd(p, 7u)) ATOM(exch, atomicExch(p, 7u)) ATOM(max, atomicMax(p, 7u))
// A stream of reads, and every warp a reduction of one lane after 16 loads of a thread: on one word, on words of its own, or none.
K k_stream_red(const int *in, int *out, int n, int where) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = gridDim.x * blockDim.x, m = -1;
    for (int j = 0; j < 16; j++) { int v = in[i + j * s]; m = v > m ? v : m; }
    m = __reduce_max_sync(~0u, m);
    if ((threadIdx.x & 31) == 0) {
        if (where == 1) atomicMax(out, m); else if (where == 2) atomicMax(out + (i >> 5) * 32 % (1 << 22), m); else if (where == 3) atomicAdd(out, m); else if (m == -7) *out = m;
    }
}
#define C(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); return 1; } } while (0)
int main() {
    uint32_t *buf, *clocks; C(cudaMalloc(&buf, 1u << 30)); C(cudaMalloc(&clocks, 1 << 20)); C(cudaMemset(buf, 0, 1u << 30));
    uint32_t h[132];
    int shapes[][5] = {{1, 0, 4096, 0, 0}, {1, 0, 4096, 1, 0}, {1, 8, 4096, 0, 0}, {1, 8, 4096, 1, 0}, {1, 32, 4096, 0, 0}, {1, 32, 4096, 1, 0}, {1, 2048, 4096, 0, 0}, {1, 2048, 4096, 1, 0}, {1, 2048, 4096, 2, 0}, {1, 2048, 4096, 4, 0},
                       {32, 0, 4096, 0, 0}, {32, 0, 4096, 1, 0}, {32, 8, 4096, 1, 0}, {32, 2048, 4096, 0, 0}, {32, 2048, 4096, 1, 0}, {32, 2048, 4096, 2, 0}, {32, 2048, 4096, 4, 0}, {32, 4, 4096, 1, 0}};
    for (int blocks : {1, 132}) for (auto &s : shapes) {
        for (int repeat = 0; repeat < 2; repeat++) { k_behind<<<blocks, 32>>>(buf, clocks, s[0], s[1], s[2], s[3], 64); C(cudaDeviceSynchronize()); }
        C(cudaMemcpy(h, clocks, sizeof h, cudaMemcpyDeviceToHost));
        double sum = 0; for (int b = 0; b < blocks; b++) sum += h[b];
        printf("behind blocks %d stride %d distance %d stores %d: %.1f\n", blocks, s[0], s[1], s[3], sum / blocks / 64);
    }
    for (int repeat = 0; repeat < 2; repeat++) {
        k_red_add<<<264, 256>>>(buf, 16); k_red_max_s32<<<264, 256>>>(buf, 16); k_red_max_u32<<<264, 256>>>(buf, 16); k_red_min_u32<<<264, 256>>>(buf, 16); k_red_and<<<264, 256>>>(buf, 16); k_red_xor<<<264, 256>>>(buf, 16); k_red_inc<<<264, 256>>>(buf, 16);
        k_red_add_f32<<<264, 256>>>((float *)buf, 16); k_red_add_u64<<<264, 256>>>((unsigned long long *)buf, 16);
        k_atom_cas<<<264, 256>>>(buf, buf + (1 << 24), (1 << 20) - 1, 16); k_atom_add<<<264, 256>>>(buf, buf + (1 << 24), (1 << 20) - 1, 16); k_atom_exch<<<264, 256>>>(buf, buf + (1 << 24), (1 << 20) - 1, 16); k_atom_max<<<264, 256>>>(buf, buf + (1 << 24), (1 << 20) - 1, 16);
        for (int where = 0; where < 4; where++) k_stream_red<<<16384, 256>>>((int *)buf, (int *)buf + (1 << 27), 1 << 26, where);
        C(cudaDeviceSynchronize());
    }
}
