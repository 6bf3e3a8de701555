// What replace.cu and order.cu share: one warp does a list of operations, one after the other, and notes how long each took.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>
#include <cuda_runtime.h>
#define NOW(t) asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory")
#define WAIT_FOR(v) asm volatile("st.shared.u32 [%0], %1;" :: "r"(sink), "r"(v) : "memory")
// Operations: a line is 32 words, loaded whole by a warp, or only its first sector.
enum { LOAD, PROBE, LOAD_NC, LOAD_SECTOR, PROBE_SECTOR, LOAD_CG, STORE, STORE_SECTOR, STORE_WORD, LOAD_8, STORE_8, DELAY, LOAD_64, LOAD_HALF, STORE_STRIDE };
#define MOST 15500
__constant__ uint32_t list[MOST];
extern __shared__ uint8_t times[];
__global__ void replace(uint32_t *buf, uint8_t *result, uint32_t count) {
    __shared__ uint32_t waits[32];
    uint32_t lane = threadIdx.x, sink = (uint32_t)__cvta_generic_to_shared(waits + lane), start, end;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = list[i], v = 0;
        uint32_t *line = buf + (size_t)(op & 0xffffff) * 32, *at = line + lane, *first = line + lane % 8;
        NOW(start);
        switch (op >> 24) {
        case LOAD: asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory"); break;
        case PROBE: asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory"); break;
        case LOAD_NC: asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory"); break;
        case LOAD_SECTOR: asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(first) : "memory"); break;
        case PROBE_SECTOR: asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(v) : "l"(first) : "memory"); break;
        case LOAD_CG: asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory"); break;
        case STORE: asm volatile("st.global.u32 [%0], %1;" :: "l"(at), "r"(i) : "memory"); break;
        case STORE_SECTOR: asm volatile("st.global.u32 [%0], %1;" :: "l"(first), "r"(i) : "memory"); break;
        case STORE_WORD: asm volatile("st.global.u32 [%0], %1;" :: "l"(line), "r"(i) : "memory"); break;
        case LOAD_8: { // the line and the seven after it, all under way at once
            uint32_t w[8];
#pragma unroll
            for (int k = 0; k < 8; k++) asm volatile("ld.global.u32 %0, [%1];" : "=r"(w[k]) : "l"(at + 32 * k) : "memory");
#pragma unroll
            for (int k = 0; k < 8; k++) v += w[k];
            break; }
        case STORE_8:
#pragma unroll
            for (int k = 0; k < 8; k++) asm volatile("st.global.u32 [%0], %1;" :: "l"(at + 32 * k), "r"(i) : "memory");
            break;
        case DELAY: do { NOW(end); } while (end - start < 2000); break;
        case LOAD_64: // a lane each of 32 lines from here on
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(line + 32 * lane) : "memory"); break;
        case LOAD_HALF: asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(line + lane % 16) : "memory"); break;
        case STORE_STRIDE: asm volatile("st.global.u32 [%0], %1;" :: "l"(line + 32 * lane), "r"(i) : "memory"); break;
        }
        WAIT_FOR(v);
        NOW(end);
        if (lane == 0) times[i] = min((end - start) / 4, 255u);
    }
    __syncwarp();
    if (lane == 0) { uint32_t sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)); result[count] = (uint8_t)sm; }
    for (uint32_t i = lane; i < count; i += 32) result[i] = times[i];
}
__global__ void warm(uint32_t *buf, uint8_t *result, size_t words) { uint32_t x = 0; for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) x += __ldcg(buf + i); if (x == 12345) result[0] = x; }
#define C(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
#define LINES (1 << 18)
static uint32_t *buf;
static uint8_t *result;
typedef std::vector<uint32_t> List;
static int shared_kib = 32, sm;
// Runs a list with a carve-out of so many KiB of shared memory; hits take less than 240 cycles with all around them.
static std::vector<uint8_t> run(const List &ops) {
    if (ops.size() > MOST) { printf("too many: %zu\n", ops.size()); exit(1); }
    C(cudaMemcpyToSymbol(list, ops.data(), ops.size() * 4));
    C(cudaFuncSetAttribute(replace, cudaFuncAttributeMaxDynamicSharedMemorySize, (227 << 10) - 128));
    C(cudaFuncSetAttribute(replace, cudaFuncAttributePreferredSharedMemoryCarveout, shared_kib * 100 / 228));
    replace<<<1, 32, std::max<size_t>(ops.size(), shared_kib > 32 ? (shared_kib - 24) << 10 : 1024)>>>(buf, result, (uint32_t)ops.size());
    C(cudaDeviceSynchronize());
    std::vector<uint8_t> h(ops.size() + 1);
    C(cudaMemcpy(h.data(), result, ops.size() + 1, cudaMemcpyDeviceToHost)); sm = h.back();
    return h;
}
static bool hit(uint8_t t) { return t < 60; }
static void add(List &l, int op, uint32_t first, uint32_t count, uint32_t step = 1) { for (uint32_t i = 0; i < count; i++) l.push_back(op << 24 | (first + i * step)); }
// The runs of positions among the last `count` operations that missed.
static void missed(const char *name, const std::vector<uint8_t> &t, size_t from, size_t count) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++) total += !hit(t[from + i]);
    printf("%s: %zu of %zu missed:", name, total, count);
    int ranges = 0;
    for (size_t i = 0; i < count;) {
        if (hit(t[from + i])) { i++; continue; }
        size_t j = i; while (j < count && !hit(t[from + j])) j++;
        if (ranges++ < 400) { if (j - i == 1) printf(" %zu", i); else printf(" %zu-%zu", i, j - 1); }
        i = j;
    }
    printf("\n");
}
