// What a load finds of a line of L1 that was written in part: one warp stores a word by each lane of `stores` to a line that nobody has
// touched, waits, and loads by each lane of `loads`: the word of its own (0 further), or that of the next lane (1 further). In local and in
// global memory, for 32 lines in turn, each launch others, as lines of local memory stay in L1 from launch to launch; with `ways`, lanes store to and load from so many lines at once. It prints the cycles of the
// load, the median of 32. Then the same with parts of words: each lane stores some bytes of its own word, and loads some of them.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#define ROUNDS 32
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ uint32_t now_after(uint32_t v, uint32_t never = 0x7fffffff) { uint32_t t; asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, %2; @p trap; mov.u32 %0, %%clock; }" : "=r"(t) : "r"(v), "r"(never) : "memory"); return t; }
__device__ __forceinline__ void spin(uint32_t cycles) { for (uint32_t start = now(); now() - start < cycles;) ; }
extern "C" __global__ void k_local(uint32_t *took, uint32_t *data, uint32_t stores, uint32_t loads, uint32_t base, uint32_t ways, uint32_t delay) {
    volatile uint32_t own[16384]; uint32_t lane = threadIdx.x % 32, at = lane % ways;
#pragma unroll 1
    for (uint32_t r = 0; r < ROUNDS; r++) {
        if (stores >> lane & 1) own[base + r * ways + at] = lane; __syncwarp(); spin(delay); __syncwarp();
        if (loads >> lane & 1) { uint32_t a = now(), b = now_after(own[base + r * ways + at]); took[r * 32 + lane] = b - a; }
        __syncwarp();
    }
}
extern "C" __global__ void k_global(uint32_t *took, volatile uint32_t *data, uint32_t stores, uint32_t loads, uint32_t further, uint32_t ways, uint32_t delay) {
    uint32_t lane = threadIdx.x % 32;
#pragma unroll 1
    for (uint32_t r = 0; r < ROUNDS; r++) {
        uint32_t *p = (uint32_t *)data + (r * ways + lane % ways) * 32, v;
        if (stores >> lane & 1) asm volatile("st.global.u32 [%0], %1;" :: "l"(p + lane), "r"(lane) : "memory"); __syncwarp(); spin(delay); __syncwarp(); p += (lane + further) % 32;
        if (loads >> lane & 1) { uint32_t a = now(); asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); took[r * 32 + lane] = now_after(v) - a; }
        __syncwarp();
    }
}
// Stores of `store` bytes, `count` of them side by side from byte `first` of each lane's word, then a load of `load` bytes at byte `at`.
extern "C" __global__ void k_parts(uint32_t *took, char *data, uint32_t lanes, uint32_t store, uint32_t count, uint32_t first, uint32_t size, uint32_t at, uint32_t delay, uint32_t never) {
    uint32_t lane = threadIdx.x % 32;
#pragma unroll 1
    for (uint32_t r = 0; r < ROUNDS; r++) {
        char *p = data + r * 128 + lane * 4, *q = p + first; uint32_t a, b = 0, v;
        if (lanes >> lane & 1) for (uint32_t k = 0; k < count; k++) { if (store == 1) asm volatile("st.global.u8 [%0], %1;" :: "l"(q + k), "r"(r) : "memory"); else if (store == 2) asm volatile("st.global.u16 [%0], %1;" :: "l"(q + 2 * k), "h"((uint16_t)r) : "memory"); else asm volatile("st.global.u32 [%0], %1;" :: "l"(q + 4 * k), "r"(r) : "memory"); }
        __syncwarp(); spin(delay); __syncwarp(); p += at;
        if (lanes >> lane & 1) { if (size == 1) { a = now(); asm volatile("ld.global.u8 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); b = now_after(v, never); } else if (size == 2) { a = now(); asm volatile("ld.global.u16 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); b = now_after(v, never); } else { a = now(); asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); b = now_after(v, never); } took[r * 32 + lane] = b - a; }
        __syncwarp();
    }
}
static uint32_t *took, *data; static size_t used;
static void show(const char *space, uint32_t stores, uint32_t loads, uint32_t further, uint32_t ways, uint32_t delay) {
    std::vector<uint32_t> h(ROUNDS * 32); uint32_t lane = __builtin_ctz(loads); if (used + ROUNDS * ways * 32 > (64 << 20)) used = 0;
    if (*space == 'l') k_local<<<1, 32>>>(took, data, stores, loads, used / 32, ways, delay); else k_global<<<1, 32>>>(took, data + used, stores, loads, further, ways, delay);
    if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return; }
    used += ROUNDS * ways * 32; cudaMemcpy(h.data(), took, h.size() * 4, cudaMemcpyDeviceToHost); std::vector<uint32_t> a;
    for (int r = 0; r < ROUNDS; r++) a.push_back(h[r * 32 + lane]);
    std::sort(a.begin(), a.end());
    printf("%s stores %08x loads %08x %u further, %2u ways, after %4u: %u\n", space, stores, loads, further, ways, delay, a[ROUNDS / 2]);
}
int main() {
    cudaMalloc(&took, 1 << 16); cudaMalloc(&data, 256 << 20); cudaMemset(data, 0, 256 << 20);
    for (uint32_t again = 0; again < 3; again++) { used = 0; show("local, again", again ? 0 : 0xffffffff, 0xffffffff, 0, 1, 0); }
    used = 0;
    for (const char *space : {"local", "global"}) for (uint32_t delay : {0u, 400u}) {
        for (uint32_t stores : {0u, 1u, 0x10u, 0xfu, 0xffu, 0x01010101u, 0x55555555u, 0xffffffffu}) for (uint32_t loads : {1u, 0x10u, 0xffu, 0x01010101u, 0xffffffffu}) show(space, stores, loads, 0, 1, delay);
        if (*space == 'g') for (uint32_t stores : {1u, 0xfu, 0x55555555u}) show(space, stores, 1, 1, 1, delay);
        for (uint32_t ways : {2u, 4u, 8u, 32u}) for (uint32_t stores : {0u, 0xffffffffu}) show(space, stores, 0xffffffffu, 0, ways, delay);
    }
    struct { uint32_t store, count, first, load, at; } part[] = {{4, 1, 0, 4, 0}, {4, 1, 0, 1, 1}, {4, 1, 0, 2, 2}, {1, 1, 0, 1, 0}, {1, 1, 1, 1, 1}, {1, 1, 0, 1, 1}, {1, 1, 0, 2, 0}, {1, 1, 0, 4, 0}, {1, 2, 0, 1, 1}, {1, 2, 0, 2, 0}, {1, 3, 0, 1, 2}, {1, 4, 0, 1, 0}, {1, 4, 0, 2, 2}, {1, 4, 0, 4, 0},
        {2, 1, 0, 1, 0}, {2, 1, 0, 2, 0}, {2, 1, 2, 2, 2}, {2, 1, 0, 2, 2}, {2, 1, 0, 4, 0}, {2, 2, 0, 1, 0}, {2, 2, 0, 2, 2}, {2, 2, 0, 4, 0}};
    used = 0;
    for (uint32_t lanes : {1u, 0xffu, 0xffffu, 0xffffffffu}) for (auto p : part) for (uint32_t delay : {0u, 1000u}) {
        std::vector<uint32_t> h(ROUNDS * 32), a; k_parts<<<1, 32>>>(took, (char *)(data + used), lanes, p.store, p.count, p.first, p.load, p.at, delay, 0x7fffffff); used += ROUNDS * 32;
        if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return 1; }
        cudaMemcpy(h.data(), took, h.size() * 4, cudaMemcpyDeviceToHost); for (int r = 0; r < ROUNDS; r++) a.push_back(h[r * 32]); std::sort(a.begin(), a.end());
        printf("parts lanes %08x, %u stores of %u bytes from %u, loads %u at %u, after %4u: %u\n", lanes, p.count, p.store, p.first, p.load, p.at, delay, a[ROUNDS / 2]);
    }
}
