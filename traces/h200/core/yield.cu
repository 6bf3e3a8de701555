// Which lanes go on together where a loop that may wait for others (ptxas puts YIELD into it) ends at a convergence barrier. One warp probes a
// hash table, an entry after another, until it finds its key: each lane after `need` entries. Then all lanes note who is active, and when;
// after that the same with the next key, eight times. It prints, key by key, the groups in the order in which they came, with their lanes and
// the clock since the start. `kind` says what is in the loop: 0 a compare-and-swap that nobody reaches, 1 an atomic addition of each probe,
// 2 no atomic operation (ptxas writes no YIELD), 3 like 0 with a `__syncwarp` behind it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#define KEYS 8
#define ROOM 8
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ uint32_t active() { uint32_t m; asm volatile("activemask.b32 %0;" : "=r"(m) :: "memory"); return m; }
template <int KIND> __device__ void probes(const int *entries, uint32_t *took, uint32_t *masks) {
    __shared__ int slot[32 * KEYS * ROOM]; __shared__ int count; uint32_t lane = threadIdx.x;
    for (int k = lane; k < 32 * KEYS * ROOM; k += 32) slot[k] = entries[k];
    if (lane == 0) count = 0;
    __syncthreads(); uint32_t start = now();
#pragma unroll 1
    for (int key = 0; key < KEYS; key++) {
        unsigned at = lane * (KEYS * ROOM) + key * ROOM;
        while (true) {
            int old = slot[at]; if (old == key) break;
            if (KIND == 0 || KIND == 3) { if (old == -1) { old = atomicCAS(&slot[at], -1, key); if (old == -1 || old == key) break; } }
            if (KIND == 1) atomicAdd(&count, 1);
            at++;
        }
        if (KIND == 3) __syncwarp();
        uint32_t mask = active(), t = now(); masks[key * 32 + lane] = mask; took[key * 32 + lane] = t - start;
    }
}
extern "C" __global__ void k_swap(const int *entries, uint32_t *took, uint32_t *masks) { probes<0>(entries, took, masks); }
extern "C" __global__ void k_add(const int *entries, uint32_t *took, uint32_t *masks) { probes<1>(entries, took, masks); }
extern "C" __global__ void k_plain(const int *entries, uint32_t *took, uint32_t *masks) { probes<2>(entries, took, masks); }
extern "C" __global__ void k_synced(const int *entries, uint32_t *took, uint32_t *masks) { probes<3>(entries, took, masks); }
static uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
// How many entries a lane passes before it finds a key.
static int need(int pattern, int key, int lane) {
    switch (pattern) {
        case 0: return 0;
        case 1: return key == 0 ? lane / 16 : 0;
        case 2: return key == 0 ? 2 * (lane / 16) : 0;
        case 3: return key == 0 ? 5 * (lane / 16) : 0;
        case 4: return key == 0 ? lane / 8 : 0;
        case 5: return key == 0 ? 3 - lane / 8 : 0;
        case 6: return key < 2 ? lane / 16 : 0;
        case 7: return key == 0 ? lane / 16 : key == 1 ? 1 - lane / 16 : 0;
        case 8: return key == 0 ? 2 * (lane / 16) : key == 1 ? 2 * (lane / 8 % 2) : 0;
        case 9: return key == 0 ? lane / 16 : key == 1 ? lane % 2 : 0;
        case 10: return mix(key * 32 + lane) % 4 == 0;
        case 11: return mix(key * 32 + lane) % 4;
        default: return mix(key * 32 + lane) % 4 == 0 ? 1 + mix(key * 32 + lane + 999) % 4 : 0;
    }
}
int main() {
    int *entries; uint32_t *took, *masks; cudaMalloc(&entries, 32 * KEYS * ROOM * 4); cudaMalloc(&took, 4096); cudaMalloc(&masks, 4096);
    for (int kind = 0; kind < 4; kind++) for (int pattern = 0; pattern < 13; pattern++) {
        std::vector<int> e(32 * KEYS * ROOM, -2); std::vector<uint32_t> t(KEYS * 32), m(KEYS * 32);
        for (int key = 0; key < KEYS; key++) for (int lane = 0; lane < 32; lane++) e[lane * KEYS * ROOM + key * ROOM + need(pattern, key, lane)] = key;
        cudaMemcpy(entries, e.data(), e.size() * 4, cudaMemcpyHostToDevice);
        for (int again = 0; again < 2; again++) (kind == 0 ? k_swap : kind == 1 ? k_add : kind == 2 ? k_plain : k_synced)<<<1, 32>>>(entries, took, masks);
        if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return 1; }
        cudaMemcpy(t.data(), took, t.size() * 4, cudaMemcpyDeviceToHost); cudaMemcpy(m.data(), masks, m.size() * 4, cudaMemcpyDeviceToHost);
        for (int key = 0; key < KEYS; key++) {
            std::vector<std::pair<uint32_t, uint32_t>> groups; for (int lane = 0; lane < 32; lane++) groups.push_back({t[key * 32 + lane], m[key * 32 + lane]});
            std::sort(groups.begin(), groups.end()); groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
            printf("kind %d, pattern %2d, key %d:", kind, pattern, key); for (auto g : groups) printf(" %08x at %u", g.second, g.first); printf("\n");
        }
    }
}
