// As yield.cu, kind 0, but each lane notes the clock and who is active at every step: at the start of a key, in the loop behind YIELD, and
// behind the loop. It prints the steps of the groups in the order of time.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#define KEYS 4
#define ROOM 8
#define STEPS 64
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ uint32_t active() { uint32_t m; asm volatile("activemask.b32 %0;" : "=r"(m) :: "memory"); return m; }
#define NOTE(what) { uint32_t m = active(), t = now() - start; asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" :: "l"(log), "r"(t), "r"(m), "r"(what), "r"(key) : "memory"); log += 4; }
extern "C" __global__ void k_steps(const int *entries, uint32_t *log) {
    __shared__ int slot[33 * KEYS * ROOM]; uint32_t lane = threadIdx.x; log += lane * STEPS * 4;
    for (int k = lane; k < 33 * KEYS * ROOM; k += 32) slot[k] = entries[k];
    __syncthreads(); uint32_t start = now();
#pragma unroll 1
    for (int key = 0; key < KEYS; key++) {
        unsigned at = lane * (KEYS * ROOM + 1) + key * ROOM; NOTE(0)
        while (true) {
            int old = slot[at]; if (old == key) break; NOTE(1)
            if (old == -1) { old = atomicCAS(&slot[at], -1, key); if (old == -1 || old == key) break; }
            at++;
        }
        NOTE(2)
    }
}
static uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
static int need(int pattern, int key, int lane) {
    switch (pattern) {
        case 0: return 0;
        case 1: return key == 0 ? lane / 16 : 0;
        case 2: return key == 0 ? 1 - lane / 16 : 0;
        case 3: return key == 0 ? 2 * (lane / 16) : 0;
        case 4: return key == 0 ? lane / 8 : 0;
        case 5: return key == 0 ? 3 - lane / 8 : 0;
        case 6: return key == 0 ? lane >= 8 : 0;
        case 7: return key == 0 ? lane < 24 : 0;
        case 8: return key == 0 ? lane >= 24 : 0;
        case 9: return key == 0 ? lane < 8 : 0;
        case 10: return key == 0 ? lane / 16 : key == 1 ? 1 - lane / 16 : 0;
        case 11: return key == 0 ? 2 * (lane / 16) : key == 1 ? 2 * (lane / 8 % 2) : 0;
        case 12: return key == 0 ? lane / 16 : key == 1 ? lane % 2 : 0;
        case 13: return key == 0 ? lane == 31 : key == 1 ? lane == 15 : 0;
        case 14: return key == 0 ? lane == 0 : key == 1 ? lane == 15 : 0;
        case 15: return mix(key * 32 + lane) % 4 == 0;
        default: return mix(key * 32 + lane) % 4;
    }
}
int main() {
    int *entries; uint32_t *log; cudaMalloc(&entries, 33 * KEYS * ROOM * 4); cudaMalloc(&log, 32 * STEPS * 16);
    for (int pattern = 0; pattern < 17; pattern++) {
        std::vector<int> e(33 * KEYS * ROOM, -2); std::vector<uint32_t> l(32 * STEPS * 4);
        for (int key = 0; key < KEYS; key++) for (int lane = 0; lane < 32; lane++) e[lane * (KEYS * ROOM + 1) + key * ROOM + need(pattern, key, lane)] = key;
        cudaMemcpy(entries, e.data(), e.size() * 4, cudaMemcpyHostToDevice);
        for (int again = 0; again < 2; again++) { cudaMemset(log, 0, 32 * STEPS * 16); k_steps<<<1, 32>>>(entries, log); }
        if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return 1; }
        cudaMemcpy(l.data(), log, l.size() * 4, cudaMemcpyDeviceToHost);
        struct Step { uint32_t at, mask, what, key; bool operator<(const Step &o) const { return at != o.at ? at < o.at : mask != o.mask ? mask < o.mask : what != o.what ? what < o.what : key < o.key; } bool operator==(const Step &o) const { return at == o.at && mask == o.mask && what == o.what && key == o.key; } };
        std::vector<Step> s; for (int i = 0; i < 32 * STEPS; i++) if (l[i * 4]) s.push_back({l[i * 4], l[i * 4 + 1], l[i * 4 + 2], l[i * 4 + 3]});
        std::sort(s.begin(), s.end()); s.erase(std::unique(s.begin(), s.end()), s.end());
        printf("pattern %d\n", pattern); for (auto x : s) printf("  %5u %08x %s %u\n", x.at, x.mask, x.what == 0 ? "key" : x.what == 1 ? "probe" : "found", x.key);
    }
}
