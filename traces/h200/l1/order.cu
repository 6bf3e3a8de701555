// In which order lines leave L1: the operations of replace.cu; another carve-out between two launches puts the hand back.
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
static uint32_t seed = 1;
static uint32_t rnd() { seed = seed * 1664525 + 1013904223; return seed >> 8; }

int main() {
    C(cudaMalloc(&buf, (size_t)LINES * 128)); C(cudaMalloc(&result, 1 << 16));
    C(cudaMemset(buf, 0, (size_t)LINES * 128));
    warm<<<264, 512>>>(buf, result, (size_t)LINES * 32); C(cudaDeviceSynchronize());
    printf("buf %p\n", buf);
    char name[256];
    // X1: which lines put line 0 (and 5, 1234) out at once
    std::vector<uint32_t> conflict[8];
    for (int kib : {228, 132, 8}) for (uint32_t victim : {0u, 5u, 1234u}) { shared_kib = kib; printf("X1 shared %d victim %u put out by:", kib, victim);
      for (uint32_t x0 = 0; x0 < 16384; x0 += 64) { List l; for (uint32_t x = x0; x < x0 + 64; x++) { if (x == victim) continue; add(l, LOAD, victim, 1); add(l, LOAD, x, 1); add(l, PROBE, victim, 1); } auto t = run(l);
        for (size_t i = 2; i < l.size(); i += 3) if (!hit(t[i])) { printf(" %u", l[i - 1] & 0xffffff); } }
      printf("\n"); }
    // X1b: with capacity pressure: 100 lines known to be in
    // X2: repeatability
    for (int kib : {228, 196, 132, 8}) { shared_kib = kib; uint32_t lines = (256 - kib) * 8 - 64, n = lines + 40; List l; add(l, LOAD, 0, n); add(l, PROBE, 0, n);
      for (int r = 0; r < 6; r++) { auto t = run(l); snprintf(name, 256, "X2 shared %d, %u lines, run %d sm %d", kib, n, r, sm); missed(name, t, n, n); }
      for (int r = 0; r < 4; r++) { shared_kib = kib == 8 ? 100 : 8; List d; add(d, LOAD, 0, 10); run(d); shared_kib = kib; auto t = run(l); snprintf(name, 256, "X2 shared %d, %u lines, run %d after another carve-out, sm %d", kib, n, r, sm); missed(name, t, n, n); } }
    // X3: order of eviction: one list, growing, state reset by another carve-out
    for (int kib : {228, 196}) { uint32_t lines = (256 - kib) * 8 - 64; std::vector<uint8_t> before; printf("X3 shared %d", kib);
      for (uint32_t n = lines - 8; n < lines + 200; n++) { shared_kib = 8; List d; add(d, LOAD, 0, 10); run(d); shared_kib = kib; List l; add(l, LOAD, 0, n); add(l, PROBE, 0, n); auto t = run(l); printf(" %u<", n - 1);
        for (uint32_t i = 0; i + 1 < n; i++) { bool now = hit(t[n + i]); if (!before.empty() && hit(before[i]) != now) printf("%s%u", now ? "+" : "-", i); }
        if (!hit(t[2 * n - 1])) printf("!");
        before.assign(t.begin() + n, t.end()); }
      printf("\n"); }
    // X4: victims one by one within a launch: probing after each new line (probes may count as uses)
    for (int kib : {228}) { shared_kib = kib; for (int r = 0; r < 2; r++) { uint32_t n = 160; List l; add(l, LOAD, 0, n); std::vector<size_t> at; for (uint32_t i = 0; i < 60; i++) { add(l, LOAD, n + i, 1); at.push_back(l.size()); add(l, PROBE, 0, n + i + 1); } auto t = run(l); printf("X4 run %d:", r); std::vector<bool> in(400, true);
      for (uint32_t i = 0; i < 60; i++) { printf(" %u<", n + i); for (uint32_t k = 0; k < n + i + 1; k++) { bool now = hit(t[at[i] + k]); if (now != in[k]) printf("%s%u", now ? "+" : "-", k); in[k] = now; } } printf("\n"); } }
    // X5: one bank only: lines that are multiples of four
    for (int kib : {228, 196, 132}) { shared_kib = kib; uint32_t lines = (256 - kib) * 2 - 16; for (uint32_t step : {4u, 8u, 16u, 32u, 64u, 128u, 256u, 512u}) for (double f : {0.25, 0.5, 0.9, 1.0, 1.25, 2.0}) { uint32_t n = (uint32_t)(lines * f); if ((size_t)n * step > LINES) continue; List l; add(l, LOAD, 0, n, step); add(l, PROBE, 0, n, step); auto t = run(l); uint32_t m = 0; for (uint32_t i = 0; i < n; i++) m += !hit(t[n + i]); printf("X5 shared %d, step %u, %u lines: %u gone\n", kib, step, n, m); } }
    // X6: laps, bits of which lines hit in late laps
    for (auto p : {std::pair<int, uint32_t>{132, 1091}, {132, 1289}, {32, 1827}, {228, 201}, {228, 224}, {228, 257}}) { shared_kib = p.first; uint32_t n = p.second, laps = std::min(30u, 15000 / n); List l; for (uint32_t a = 0; a < laps; a++) add(l, LOAD, 0, n); auto t = run(l);
      for (uint32_t a : {1u, 2u, laps - 3, laps - 2, laps - 1}) { snprintf(name, 256, "X6 shared %d, %u in turn, lap %u", p.first, n, a); missed(name, t, a * n, n); } }
}
