// Stores of parts of sectors and of whole sectors at random from all SMs, by footprint: sectors per SM cycle.
// Then two loads of many lines and one store in a loop, as a sliding window along rows has them.
#include <cstdio>
#include <cstdint>
#include <cuda_runtime.h>
#define K extern "C" __global__ void
__device__ __forceinline__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
// Each group of so many lanes stores to a random unit of so many bytes; lanes of a group are so many bytes apart.
template <typename T> __device__ void parts(char *buf, uint64_t *cycles, uint32_t units, int unit_bytes, int group, int apart, int rounds) {
    uint32_t lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32; T v = {};
    uint64_t start = clock64();
    for (int r = 0; r < rounds; r++) { uint32_t u = mix((warp * 32 + lane / group) * 4097u + r * 1000003u) & (units - 1); *(T *)(buf + (uint64_t)u * unit_bytes + lane % group * apart) = v; }
    __threadfence(); __syncthreads();
    if (threadIdx.x == 0) atomicMax((unsigned long long *)cycles, clock64() - start);
}
K k_parts_4(char *buf, uint64_t *cycles, uint32_t units, int unit_bytes, int group, int apart, int rounds) { parts<uint32_t>(buf, cycles, units, unit_bytes, group, apart, rounds); }
K k_parts_16(char *buf, uint64_t *cycles, uint32_t units, int unit_bytes, int group, int apart, int rounds) { parts<uint4>(buf, cycles, units, unit_bytes, group, apart, rounds); }
// One lane of each SM stores to one line after another, so many, so far apart: all SMs to the same ones, each its own word or the same.
K k_lines(char *buf, uint64_t *cycles, int lines, int apart, int word_of_sm, int random, int rounds) {
    char *at = buf + (word_of_sm ? blockIdx.x % 32 * 4 : 0); uint64_t start = clock64();
    for (int r = 0; r < rounds; r++) { uint32_t line = (random ? mix(r * 1000003u + blockIdx.x * 4097u) : r) % lines; *(volatile uint32_t *)(at + (size_t)line * apart) = r; }
    __threadfence();
    atomicMax((unsigned long long *)cycles, clock64() - start);
}
K k_window(float *in, float *out, uint32_t *clocks, int pitch, int ahead, int n) { const float *p = in + (size_t)threadIdx.x * pitch; float *q = out + (size_t)threadIdx.x * pitch; float s = 0;
    for (int i = 0; i < n + ahead; i++) s += p[i]; __syncthreads(); uint32_t start = clock();
#pragma unroll 1
    for (int i = 0; i < n; i++) { float a, b; asm volatile("ld.global.f32 %0, [%1];" : "=f"(a) : "l"(p + i + ahead) : "memory"); asm volatile("ld.global.f32 %0, [%1];" : "=f"(b) : "l"(p + i) : "memory"); s += a - b; asm volatile("st.global.f32 [%0], %1;" :: "l"(q + i), "f"(s) : "memory"); }
    uint32_t end = clock(); if (threadIdx.x % 32 == 0) clocks[threadIdx.x / 32] = (end - start) * 10 / n; }
K k_window_loads(float *in, float *out, uint32_t *clocks, int pitch, int ahead, int n) { const float *p = in + (size_t)threadIdx.x * pitch; float s = 0;
    for (int i = 0; i < n + ahead; i++) s += p[i]; __syncthreads(); uint32_t start = clock();
#pragma unroll 1
    for (int i = 0; i < n; i++) { float a, b; asm volatile("ld.global.f32 %0, [%1];" : "=f"(a) : "l"(p + i + ahead) : "memory"); asm volatile("ld.global.f32 %0, [%1];" : "=f"(b) : "l"(p + i) : "memory"); s += a - b; }
    uint32_t end = clock(); out[threadIdx.x] = s; if (threadIdx.x % 32 == 0) clocks[threadIdx.x / 32] = (end - start) * 10 / n; }
#define C(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); return 1; } } while (0)
static char *buf; static uint64_t *cycles;
static uint64_t get() { uint64_t v = 0; cudaDeviceSynchronize(); cudaMemcpy(&v, cycles, 8, cudaMemcpyDeviceToHost); cudaMemset(cycles, 0, 8); return v; }
int main() {
    C(cudaMalloc(&buf, 1ull << 30)); C(cudaMalloc(&cycles, 1024)); C(cudaMemset(buf, 0, 1ull << 30)); C(cudaMemset(cycles, 0, 1024));
    struct { const char *name; int wide, unit, group, apart; double sectors; } kind[] = {
        {"a word", 0, 4, 1, 0, 1}, {"a word, first of its sector", 0, 32, 1, 0, 1}, {"a word, first of its line", 0, 128, 1, 0, 1}, {"16 bytes", 1, 16, 1, 0, 1}, {"a whole sector", 0, 32, 8, 4, 1}, {"a whole sector of 16-byte halves", 1, 32, 2, 16, 1}, {"four words, one of each sector", 0, 128, 4, 32, 4}, {"two words of a sector", 0, 32, 2, 4, 1}, {"a whole line", 0, 128, 32, 4, 4} };
    for (auto &k : kind) for (int kib : {16, 64, 256, 1024, 4096, 16384, 65536, 262144}) { int rounds = 64, grid = 264; double best = 0;
        for (int repeat = 0; repeat < 3; repeat++) { uint32_t units = (uint64_t)kib * 1024 / k.unit;
            if (k.wide) k_parts_16<<<grid, 256>>>(buf, cycles, units, k.unit, k.group, k.apart, rounds); else k_parts_4<<<grid, 256>>>(buf, cycles, units, k.unit, k.group, k.apart, rounds);
            double rate = (double)grid * 256 / k.group * rounds * k.sectors / get(); best = rate > best ? rate : best; }
        printf("parts %s of %d KiB: %.2f sectors a cycle\n", k.name, kib, best); }
    for (int own : {0, 1}) for (int random : {0, 1}) for (int apart : {128, 512, 4096}) for (int lines : {1, 2, 3, 4, 8, 16, 64}) for (int sms : {32, 132}) { if (lines == 1 && (random || apart > 128)) continue; double best = 0; int rounds = 1024;
        for (int repeat = 0; repeat < 3; repeat++) { k_lines<<<sms, 1>>>(buf, cycles, lines, apart, own, random, rounds); double rate = (double)sms * rounds / get(); best = rate > best ? rate : best; }
        printf("%d lines %d bytes apart, %s, %s word, %d SMs: %.3f stores a cycle\n", lines, apart, random ? "at random" : "in turn", own ? "an SM's own" : "the same", sms, best); }
    for (int pitch : {2048, 2049, 32, 33}) for (int block : {32, 64, 128, 256, 512}) { uint32_t h[16], l[16]; for (int repeat = 0; repeat < 2; repeat++) { k_window<<<1, block>>>((float *)buf, (float *)buf + (128 << 20), (uint32_t *)cycles, pitch, 11, 16); C(cudaMemcpy(h, cycles, 64, cudaMemcpyDeviceToHost)); k_window_loads<<<1, block>>>((float *)buf, (float *)buf + (128 << 20), (uint32_t *)cycles, pitch, 11, 16); C(cudaMemcpy(l, cycles, 64, cudaMemcpyDeviceToHost)); }
        printf("window pitch %d words, %d warps: %.1f cycles a step, %.1f without the store\n", pitch, block / 32, h[0] / 10., l[0] / 10.); }
    C(cudaDeviceSynchronize());
}
