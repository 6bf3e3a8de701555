// What an SM takes for a reduction, an atomic operation whose old values come back, and a store, by how its lanes lie in lines: 1 or 8 warps of one
// SM, then 8 warps of 132, 256 instructions each, lines anywhere in 8 MiB. Cycles an instruction of an SM. A pattern names the words of a line that its lanes touch.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>
#define ROUNDS 256
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
// place[lane]: the number of its line in the instruction times 32 and its word; negative: takes no part.
template <int WHAT> __global__ void k_lanes(uint32_t* to, uint32_t* took, const int* place) {
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32; int at = place[lane]; uint32_t line = at >> 5, word = at & 31, sum = 0;
    __shared__ uint32_t first, last; if (threadIdx.x == 0) { first = ~0u; last = 0; } __syncthreads(); uint32_t begin = now();
    if (at >= 0) {
#pragma unroll 4
    for (uint32_t i = 0; i < ROUNDS; i++) { uint32_t* p = to + (mix(((blockIdx.x * 8 + warp) * ROUNDS + i) * 32 + line) & 0xffff) * 32 + word;
        if (WHAT == 0) asm volatile("red.global.add.u32 [%0], 1;" :: "l"(p) : "memory");
        else if (WHAT == 1) { uint32_t old; asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(p) : "memory"); sum += old; }
        else *p = i; } }
    if (sum == 12345) to[0] = 1;
    uint32_t end = now(); atomicMin(&first, begin); atomicMax(&last, end); __syncthreads(); if (threadIdx.x == 0) took[blockIdx.x] = last - first; }
static uint32_t *to, *took; static int* place; static size_t room = 100 << 10;   // shared memory of a block: 100 KiB, or none with an argument
template <int WHAT> double cycles(int warps, int grid = 1) {
    uint32_t h[132]; double best = 1e30; for (int lap = 0; lap < 3; lap++) { k_lanes<WHAT><<<grid, warps * 32, room>>>(to, took, place); cudaDeviceSynchronize(); cudaMemcpy(h, took, 4 * grid, cudaMemcpyDeviceToHost); double s = 0; for (int g = 0; g < grid; g++) s += h[g]; best = s / grid < best ? s / grid : best; }
    return best / ROUNDS / warps; }
static void show(const char* what, std::vector<int> p) {
    p.resize(32, -1); cudaMemcpy(place, p.data(), 128, cudaMemcpyHostToDevice); printf("%s:", what);
    for (int warps : {1, 8}) printf(" %d warps: reductions %.1f, atomics %.1f, stores %.1f;", warps, cycles<0>(warps), cycles<1>(warps), cycles<2>(warps)); printf(" 132 SMs: reductions %.1f, atomics %.1f, stores %.1f;", cycles<0>(8, 132), cycles<1>(8, 132), cycles<2>(8, 132)); printf(" places"); for (int x : p) printf(" %d", x); printf("\n"); }
// `lines` lines, all with the same words; then so many lanes more, each alone in a line. Lanes of a line side by side, or far apart.
static void lines(int lines, std::vector<int> words, int alone, bool apart = false) {
    std::vector<int> p; char name[200]; int n = sprintf(name, "%d lines of words", lines); for (int w : words) n += sprintf(name + n, " %d", w); n += sprintf(name + n, "%s and %d alone", apart ? " apart" : "", alone);
    if (apart) { for (int w : words) for (int l = 0; l < lines; l++) p.push_back(l * 32 + w); } else for (int l = 0; l < lines; l++) for (int w : words) p.push_back(l * 32 + w);
    for (int a = 0; a < alone; a++) p.push_back((lines + a) * 32 + a % 4 * 8); show(name, p); }
int main(int argc, char**) { if (argc > 1) room = 0; cudaFuncSetAttribute(k_lanes<0>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10); cudaFuncSetAttribute(k_lanes<1>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10); cudaFuncSetAttribute(k_lanes<2>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);
    cudaMalloc(&to, 8 << 20); cudaMalloc(&took, 4096); cudaMalloc(&place, 128); cudaMemset(to, 0, 8 << 20);
    for (int a : {1, 2, 4, 8, 16, 24, 31, 32}) lines(0, {}, a);
    for (int step : {0, 1, 2, 3, 4, 5, 8, 9, 12, 16}) for (int n : {8, 16, 32}) { std::vector<int> p; for (int l = 0; l < n; l++) p.push_back(l * 32 + (l * step + (step > 7 ? l * step / 32 : 0)) % 32); char name[99]; sprintf(name, "%d lines, words %d apart", n, step); show(name, p); }
    std::vector<std::vector<int>> pairs = {{0, 0}, {0, 1}, {0, 7}, {0, 8}, {0, 16}, {0, 24}, {8, 16}, {7, 8}}, fours = {{0, 0, 0, 0}, {0, 1, 2, 3}, {0, 1, 8, 9}, {0, 8, 16, 24}, {0, 0, 8, 8}, {0, 0, 0, 8}, {0, 0, 1, 1}, {0, 1, 2, 8}, {0, 8, 16, 17}};
    for (auto& w : pairs) { lines(1, w, 0); lines(1, w, 30); lines(2, w, 28); lines(4, w, 24); lines(8, w, 16); lines(16, w, 0); lines(16, w, 0, true); lines(8, w, 0); }
    for (auto& w : fours) { lines(1, w, 0); lines(1, w, 28); lines(4, w, 16); lines(8, w, 0); lines(8, w, 0, true); lines(4, w, 0); }
    for (auto w : std::vector<std::vector<int>>{{0, 1, 2}, {0, 8, 16}, {0, 1, 8}}) { lines(1, w, 29); lines(10, w, 2); lines(5, w, 17); }
    for (auto w : std::vector<std::vector<int>>{{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 8, 9, 10, 11}, {0, 4, 8, 12, 16, 20, 24, 28}, {0, 0, 8, 8, 16, 16, 24, 24}}) { lines(1, w, 0); lines(1, w, 24); lines(2, w, 16); lines(4, w, 0); lines(4, w, 0, true); }
    std::vector<int> all, even, half; for (int i = 0; i < 32; i++) all.push_back(i); for (int i = 0; i < 16; i++) even.push_back(2 * i), half.push_back(i);
    lines(1, all, 0); lines(1, even, 0); lines(1, even, 16); lines(2, even, 0); lines(1, half, 0); lines(1, half, 16); lines(2, half, 0); }
