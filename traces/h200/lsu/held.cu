// How long stores of many lines hold back the load behind them, and what loads and stores of many lines take in a loop.
#include <cstdio>
#include <cstdint>
#include <cuda_runtime.h>
#define K extern "C" __global__ void
#define LOAD(v, p) asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory")
#define STORE(p, v) asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory")
// Every lane stores to its word, then loads the other one, a hit in L1; between rounds all has left. The offsets are in words.
template <int STORES, int PAUSE> __global__ void held(uint32_t *buf, uint32_t *clocks, const uint32_t *store_at, const uint32_t *load_at, int rounds) {
    uint32_t lane = threadIdx.x, total = 0, x = lane;
    uint32_t *s = buf + (1 << 20) + store_at[lane], *l = buf + load_at[lane];
    bool stores = store_at[lane] != ~0u;
    for (int r = 0; r < rounds + 4; r++) {
        uint32_t v; LOAD(v, l); x += v;
#pragma unroll
        for (int i = 0; i < 256; i++) asm volatile("mad.lo.u32 %0, %0, %0, %0;" : "+r"(x));
        uint32_t *to = s + r * STORES * 2048;
        uint32_t start = 0, end = 0;
        if (stores) {
#pragma unroll
            for (int n = 0; n < STORES; n++) STORE(to + n * 2048, x);
        }
        __syncwarp();
#pragma unroll
        for (int p = 0; p < PAUSE; p++) asm volatile("mad.lo.u32 %0, %0, %0, %0;" : "+r"(x));
        asm volatile("mov.u32 %0, %%clock;" : "=r"(start) :: "memory");
        LOAD(v, l); x += v;
        asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 0x7fffffff; @p mov.u32 %1, 0; mov.u32 %0, %%clock; }" : "=r"(end), "+r"(x) :: "memory");
        if (r >= 4) total += end - start;
    }
    if (lane == 0) clocks[0] = total / rounds;
    if (x == 12345) buf[0] = x;
}
// Loads that hit and stores in a loop; each round waits for its loads where it shall.
template <int LOADS, int STORES, bool WAIT> __global__ void loop(uint32_t *buf, uint32_t *clocks, const uint32_t *store_at, const uint32_t *load_at, int rounds) {
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, x = 0;
    uint32_t *s = buf + (1 << 20) + (warp << 18) + store_at[lane], *l = buf + load_at[lane];
    uint32_t v[4] = {}; LOAD(v[0], l); x += v[0]; __syncthreads();
    uint32_t start = clock();
#pragma unroll 4
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int n = 0; n < LOADS; n++) LOAD(v[n], l);
        if (WAIT) { for (int n = 0; n < LOADS; n++) x += v[n]; asm volatile("" : "+r"(x)); }
#pragma unroll
        for (int n = 0; n < STORES; n++) STORE(s + (r % 16 * STORES + n) * 2048, x);
    }
    x += v[0] + v[1] + v[2] + v[3];
    asm volatile("" :: "r"(x) : "memory");
    if (x == 0x7fffffff) buf[1] = 0;
    __syncthreads();
    uint32_t end = clock();
    if (threadIdx.x == 0) clocks[0] = (end - start) * 100ull / rounds;
}
#define C(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); return 1; } } while (0)
static uint32_t *buf, *clocks, *store_at, *load_at, h[32];
// So many lines, lanes share them evenly; the word in its line: 0 all the same bank, 1 each lane its own.
static void lay(uint32_t *at, int lines, int own, int active) { for (int i = 0; i < 32; i++) h[i] = i < active ? i % lines * 32 + (own ? i : i / lines) : ~0u; cudaMemcpy(at, h, 128, cudaMemcpyHostToDevice); }
static uint32_t get() { uint32_t v = 0; cudaDeviceSynchronize(); cudaMemcpy(&v, clocks, 4, cudaMemcpyDeviceToHost); return v; }
template <int S, int P> void single() {
    for (int own : {0, 1}) for (int lines : {1, 8, 16, 17, 20, 24, 28, 32}) for (int load : {1, 32}) { if (!S && (own || lines > 1)) continue; if (P && (lines < 16 || load > 1)) continue;
        lay(store_at, lines, own, 32); lay(load_at, load, 1, 32); held<S, P><<<1, 32>>>(buf, clocks, store_at, load_at, 16);
        printf("held stores %d lines %d banks %s pause %d load %d: %u\n", S, lines, own ? "own" : "same", P * 4, load, get()); }
    if (P == 0 && S) for (int active : {8, 16, 24}) { lay(store_at, 32, 0, active); lay(load_at, 1, 1, 32); held<S, P><<<1, 32>>>(buf, clocks, store_at, load_at, 16); printf("held stores %d lanes %d pause %d load 1: %u\n", S, active, P * 4, get()); }
}
template <int L, int S, bool W> void loops() {
    for (int warps : {1, 4, 8, 16}) for (int lines : {4, 8, 16, 24, 32}) for (int own : {0, 1}) { lay(store_at, lines, own, 32); lay(load_at, lines, own, 32); loop<L, S, W><<<1, warps * 32>>>(buf, clocks, store_at, load_at, 256);
        uint32_t c = get(); printf("loop loads %d stores %d%s warps %d lines %d banks %s: %u.%02u\n", L, S, W ? " wait" : "", warps, lines, own ? "own" : "same", c / 100, c % 100); }
}
int main() {
    C(cudaMalloc(&buf, 1u << 28)); C(cudaMalloc(&clocks, 1 << 10)); C(cudaMalloc(&store_at, 128)); C(cudaMalloc(&load_at, 128)); C(cudaMemset(buf, 0, 1u << 28));
    single<0, 0>(); single<1, 0>(); single<2, 0>(); single<3, 0>(); single<4, 0>(); single<8, 0>();
    single<1, 2>(); single<1, 4>(); single<1, 6>(); single<1, 8>(); single<1, 12>(); single<1, 16>(); single<2, 8>(); single<2, 16>();
    loops<1, 0, false>(); loops<1, 0, true>(); loops<0, 1, false>(); loops<1, 1, false>(); loops<1, 1, true>(); loops<2, 1, true>(); loops<1, 2, true>(); loops<2, 1, false>();
    C(cudaDeviceSynchronize());
}
