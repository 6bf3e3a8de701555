// What a load that misses takes of the load/store unit: as it starts, and as its data comes; hits of other warps tell.
#include <cstdio>
#include <cstdint>
#include <cuda_runtime.h>
#define LOAD(v, p) asm volatile("ld.relaxed.cta.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory")
#define LOAD4(v, p) asm volatile("ld.relaxed.cta.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"((v)[0]), "=r"((v)[1]), "=r"((v)[2]), "=r"((v)[3]) : "l"(p) : "memory")
#define LOAD_SHARED(v, p) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(p) : "memory")
#define STORE(p, v) asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory")
#define FAR (1 << 20)
static __device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
// For `limit` cycles, warps of `hits` load what L1 (or, with SHARED, shared memory) has, those of `misses` what it lacks and level
// two has (or store, WIDTH 0): PER loads of new lines, each followed by MERGED - 1 loads of the next words of the same lines; how many loads each did.
template <bool SHARED, int WIDTH, int PER, int MERGED> __global__ void beside(uint32_t *buf, uint32_t *counts, const uint32_t *hit_at, const uint32_t *miss_at, uint32_t hits, uint32_t misses, uint32_t limit, uint32_t step) {
    __shared__ uint32_t words[1056];
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, x = 0, done = 0;
    for (int i = threadIdx.x; i < 1056; i += blockDim.x) words[i] = 0;
    uint32_t *hit = buf + hit_at[lane], v[8] = {};
    uint32_t shared = (uint32_t)__cvta_generic_to_shared(words + hit_at[lane] % 1056);
    uint32_t at = warp * 65536 + miss_at[lane];
    LOAD(v[0], hit); x += v[0];
    __syncthreads();
    uint32_t start = now();
    if (hits >> warp & 1) {
        while (now() - start < limit) {
#pragma unroll
            for (int i = 0; i < 8; i++) if (SHARED) LOAD_SHARED(v[i], shared); else LOAD(v[i], hit);
#pragma unroll
            for (int i = 0; i < 8; i++) x += v[i];
            done += 8;
        }
    } else if (misses >> warp & 1) {
        while (now() - start < limit) {
            uint32_t w[PER * MERGED][4];
#pragma unroll
            for (int i = 0; i < PER; i++) {
#pragma unroll
                for (int m = 0; m < MERGED; m++) if (WIDTH == 0) STORE(buf + FAR + at + m, x); else if (WIDTH == 4) LOAD4(w[i * MERGED + m], buf + FAR + at + m * 4); else LOAD(w[i * MERGED + m][0], buf + FAR + at + m);
                at = (at + step) & (FAR - 1);
            }
#pragma unroll
            for (int i = 0; i < PER * MERGED; i++) if (WIDTH) x += w[i][0];
            done += PER * MERGED;
        }
    }
    uint32_t end = now();
    if (lane == 0) counts[warp] = done, counts[32 + warp] = end - start;
    if (x == 12345) buf[0] = x;
}
// One warp: a load that hits or misses, and behind it one that hits; the time of the first alone, and of the second.
template <bool SECOND> __global__ void behind(uint32_t *buf, uint32_t *counts, const uint32_t *first_at, const uint32_t *second_at, uint32_t step, int rounds) {
    uint32_t lane = threadIdx.x, x = 0, total = 0;
    uint32_t *first = buf + FAR + first_at[lane], *second = buf + second_at[lane];
    for (int r = 0; r < rounds + 4; r++) {
        uint32_t v, w, start, end; LOAD(v, second); x += v;
        if (step == 0) { LOAD(v, first); x += v; }
#pragma unroll
        for (int i = 0; i < 64; i++) asm volatile("mad.lo.u32 %0, %0, %0, %0;" : "+r"(x));
        asm volatile("mov.u32 %0, %%clock;" : "=r"(start) :: "memory");
        LOAD(w, first);
        if (SECOND) LOAD(v, second); else v = w;
        x += v;
        asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 0x7fffffff; @p mov.u32 %1, 0; mov.u32 %0, %%clock; }" : "=r"(end), "+r"(x) :: "memory");
        x += w;
        first += step;
        if (r >= 4) total += end - start;
    }
    if (lane == 0) counts[0] = total / rounds;
    if (x == 12345) buf[0] = x;
}
__global__ void warm(uint32_t *buf, uint32_t *counts) { uint32_t x = 0; for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < 3 * FAR; i += gridDim.x * blockDim.x) x += __ldcg(buf + i); if (x == 12345) counts[0] = x; }
#define C(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); return 1; } } while (0)
static uint32_t *buf, *counts, *hit_at, *miss_at, h[64];
// So many lines, lanes share them evenly; a bank for each lane, or lanes of one line in banks in a row and lines alike.
static void lay(uint32_t *at, int lines, int own, int pitch = 1) { for (int i = 0; i < 32; i++) h[i] = i % lines * 32 * pitch + (own ? i : i / lines); cudaMemcpy(at, h, 128, cudaMemcpyHostToDevice); }
static void get() { cudaDeviceSynchronize(); cudaMemcpy(h, counts, 256, cudaMemcpyDeviceToHost); }
struct Miss { const char *name; int lines, own, words, pitch = 1; };
template <bool SHARED, int WIDTH, int PER, int MERGED> void run(const char *kind, int hit_lines, int hit_own, const Miss &m) {
    lay(hit_at, hit_lines, hit_own);
    if (WIDTH == 4) { for (int i = 0; i < 32; i++) h[i] = i * 4; cudaMemcpy(miss_at, h, 128, cudaMemcpyHostToDevice); } else lay(miss_at, m.lines, m.own, m.pitch);
    for (int warps : {0, 1, 2, 4, 8}) for (int beside_hits : {1, 0}) {
        if (!warps && !beside_hits) continue;
        uint32_t hits = beside_hits ? 0x777777 : 0, misses = 0;
        for (int i = 0; i < warps; i++) misses |= 8u << i * 4;
        warm<<<264, 256>>>(buf, counts);
        beside<SHARED, WIDTH, PER, MERGED><<<1, 1024>>>(buf, counts, hit_at, miss_at, hits, misses, 60000, m.words);
        get();
        uint64_t nh = 0, nm = 0, t = 0;
        for (int w = 0; w < 32; w++) { if (hits >> w & 1) nh += h[w]; if (misses >> w & 1) nm += h[w]; if ((hits | misses) >> w & 1) t = t > h[32 + w] ? t : h[32 + w]; }
        printf("beside %s %s %s x%d merged %d warps %d: %llu cycles, %llu hits, %llu misses\n", beside_hits ? kind : "nothing", !WIDTH ? "stores" : m.words ? "misses" : "hits", m.name, PER, MERGED, warps, (unsigned long long)t, (unsigned long long)nh, (unsigned long long)nm);
    }
}
// The same lines all the time: hits.
static Miss again(const Miss &m) { return {m.name, m.lines, m.own, 0, m.pitch}; }
static const Miss line = {"1 line", 1, 1, 32}, own8 = {"8 lines own", 8, 1, 256}, same8 = {"8 lines same", 8, 0, 256}, own32 = {"32 lines own", 32, 1, 1024}, same32 = {"32 lines same", 32, 0, 1024}, wide = {"4 lines wide", 4, 1, 128}, far32 = {"32 lines own, 33 apart", 32, 1, 1024, 33};
template <bool SHARED> void hits(const char *kind, int lines, int own) {
    run<SHARED, 1, 4, 1>(kind, lines, own, line);
    run<SHARED, 4, 4, 1>(kind, lines, own, wide);
    for (const Miss &m : {own8, same8, own32, same32}) run<SHARED, 1, 2, 1>(kind, lines, own, m);
    for (const Miss &m : {own32, same32}) run<SHARED, 1, 1, 4>(kind, lines, own, m);
    run<SHARED, 4, 4, 1>(kind, lines, own, again(wide));
    for (const Miss &m : {line, own8, same8, own32, same32}) run<SHARED, 1, 2, 1>(kind, lines, own, again(m));
    run<SHARED, 1, 2, 1>(kind, lines, own, far32); run<SHARED, 1, 2, 1>(kind, lines, own, again(far32));
    for (const Miss &m : {line, own8, own32, same32}) run<SHARED, 0, 2, 1>(kind, lines, own, m);
}
// Warps of one sub-partition alone.
template <bool SHARED> void alone(const char *kind, int lines, int own) {
    lay(hit_at, lines, own); lay(miss_at, 1, 1);
    for (int warps : {1, 2, 4, 8}) {
        beside<SHARED, 1, 2, 1><<<1, 1024>>>(buf, counts, hit_at, miss_at, 0x88888888u & ((1ull << warps * 4) - 1), 0, 60000, 0); get();
        uint64_t n = 0, t = 0; for (int w = 3; w < 32; w += 4) { n += h[w]; if (h[w]) t = t > h[32 + w] ? t : h[32 + w]; }
        printf("alone %s warps %d: %llu cycles, %llu hits\n", kind, warps, (unsigned long long)t, (unsigned long long)n);
    }
}
// Accesses to shared memory by four warps of each sub-partition, and other accesses by warps of the same sub-partitions.
template <int WIDTH, bool STEP> void together(const char *name, int passes, const char *other, const Miss &m) {
    lay(hit_at, passes, 0); lay(miss_at, m.lines, m.own);
    for (int subs : {1, 4}) for (int warps : {0, 1, 3}) {
        uint32_t of = subs == 1 ? 0x1111 : 0xffff, hits = of & 0xffff, misses = 0;
        for (int i = 0; i < warps; i++) misses |= (subs == 1 ? 1u : 0xfu) << (16 + i * 4);
        warm<<<264, 256>>>(buf, counts); beside<true, WIDTH, 2, 1><<<1, 1024>>>(buf, counts, hit_at, miss_at, hits, misses, 60000, STEP ? m.words : 0); get();
        uint64_t nh = 0, nm = 0, t = 0;
        for (int w = 0; w < 32; w++) { if (hits >> w & 1) nh += h[w]; if (misses >> w & 1) nm += h[w]; if ((hits | misses) >> w & 1) t = t > h[32 + w] ? t : h[32 + w]; }
        printf("together shared %s, %s %s, sub-partitions %d, warps 4 and %d: %llu cycles, %llu shared, %llu others\n", name, other, m.name, subs, warps, (unsigned long long)t, (unsigned long long)nh, (unsigned long long)nm);
    }
}
int main() {
    C(cudaMalloc(&buf, 1u << 28)); C(cudaMalloc(&counts, 1 << 10)); C(cudaMalloc(&hit_at, 128)); C(cudaMalloc(&miss_at, 128)); C(cudaMemset(buf, 0, 1u << 28));
    hits<false>("hits 1 line", 1, 1); hits<false>("hits 8 lines same", 8, 0); hits<false>("hits 32 lines own", 32, 1); hits<false>("hits 32 lines same", 32, 0);
    hits<true>("shared 1 pass", 1, 1); hits<true>("shared 32 passes", 32, 0);
    alone<false>("hits 1 line", 1, 1); alone<false>("hits 8 lines same", 8, 0); alone<false>("hits 32 lines own", 32, 1); alone<false>("hits 32 lines same", 32, 0);
    alone<true>("shared 1 pass", 1, 1); alone<true>("shared 8 passes", 8, 0); alone<true>("shared 32 passes", 32, 0);
    for (int passes : {1, 8, 32}) { const char *name = passes == 1 ? "1 pass" : passes == 8 ? "8 passes" : "32 passes";
        together<0, true>(name, passes, "stores", line); together<1, false>(name, passes, "hits", line); together<1, false>(name, passes, "hits", own32); together<1, true>(name, passes, "misses", line); together<1, true>(name, passes, "misses", own32); }
    for (int miss : {0, 1}) for (int own : {0, 1}) for (int lines : {1, 2, 4, 8, 16, 32}) for (int second : {1, 32}) {
        lay(hit_at, second, 1); lay(miss_at, lines, own); uint32_t t[2];
        warm<<<264, 256>>>(buf, counts); behind<false><<<1, 32>>>(buf, counts, miss_at, hit_at, miss * 1024, 64); get(); t[0] = h[0];
        warm<<<264, 256>>>(buf, counts); behind<true><<<1, 32>>>(buf, counts, miss_at, hit_at, miss * 1024, 64); get(); t[1] = h[0];
        printf("behind a %s of %d lines banks %s: it takes %u, a hit of %d lines behind it %u\n", miss ? "miss" : "hit", lines, own ? "own" : "same", t[0], second, t[1]); }
    C(cudaDeviceSynchronize());
}
