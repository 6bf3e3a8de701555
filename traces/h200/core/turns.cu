// Which side of a branch goes first. Lanes below `n` (or, `high`, the others) go one way, the rest the other; each side notes the clock. Then
// two branches in turn without meeting between them, four ways: in which order the four go. It prints the ways in the order of their clocks,
// with their lanes and what they read.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
#define NOTE(way) { uint32_t t = now(); asm volatile("st.global.v2.u32 [%0], {%1, %2};" :: "l"(out), "r"(t - start), "r"(way) : "memory"); }
// Fall-through: the lanes for which `a` holds. The two sides are in PTX, so that the compiler keeps the branch.
extern "C" __global__ void k_two(const uint32_t *side, uint32_t *out) {
    uint32_t lane = threadIdx.x, a = side[lane]; out += lane * 2; __syncwarp(); uint32_t start = now();
    if (a) { NOTE(1) asm volatile("nanosleep.u32 0;"); } else { NOTE(0) asm volatile("nanosleep.u32 0;"); }
}
extern "C" __global__ void k_four(const uint32_t *side, uint32_t *out) {
    uint32_t lane = threadIdx.x, a = side[lane], b = side[32 + lane]; out += lane * 2; __syncwarp(); uint32_t start = now();
    if (a) { if (b) { NOTE(3) asm volatile("nanosleep.u32 0;"); } else { NOTE(2) asm volatile("nanosleep.u32 0;"); } }
    else { if (b) { NOTE(1) asm volatile("nanosleep.u32 0;"); } else { NOTE(0) asm volatile("nanosleep.u32 0;"); } }
}
static uint32_t *side, *out;
static void show(const char *what, int kernel, const std::vector<uint32_t> &s) {
    std::vector<uint32_t> h(64); cudaMemcpy(side, s.data(), s.size() * 4, cudaMemcpyHostToDevice);
    for (int again = 0; again < 3; again++) { if (kernel == 2) k_two<<<1, 32>>>(side, out); else k_four<<<1, 32>>>(side, out); }
    if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return; }
    cudaMemcpy(h.data(), out, 256, cudaMemcpyDeviceToHost);
    struct G { uint32_t at, way, mask; }; std::vector<G> g;
    for (int l = 0; l < 32; l++) { auto i = std::find_if(g.begin(), g.end(), [&](G &x) { return x.at == h[2 * l] && x.way == h[2 * l + 1]; }); if (i == g.end()) g.push_back({h[2 * l], h[2 * l + 1], 1u << l}); else i->mask |= 1u << l; }
    std::sort(g.begin(), g.end(), [](const G &x, const G &y) { return x.at < y.at; });
    printf("%s:", what); for (auto x : g) printf(" way %u %08x at %u", x.way, x.mask, x.at); printf("\n");
}
int main() {
    cudaMalloc(&side, 4096); cudaMalloc(&out, 4096); char name[64];
    for (int high = 0; high < 2; high++) for (int n : {1, 4, 8, 12, 15, 16, 17, 20, 24, 28, 31}) {
        std::vector<uint32_t> s(64, 0); for (int l = 0; l < 32; l++) s[l] = high ? l >= 32 - n : l < n;
        snprintf(name, 64, "two, %d lanes%s", n, high ? " at the end" : ""); show(name, 2, s); }
    for (int counts = 0; counts < 24; counts++) { int c[4] = {2, 5, 9, 16}; for (int i = 0; i < counts; i++) std::next_permutation(c, c + 4);
        std::vector<uint32_t> s(64); int l = 0; for (int w = 0; w < 4; w++) for (int k = 0; k < c[w]; k++, l++) { s[l] = w >> 1; s[32 + l] = w & 1; }
        snprintf(name, 64, "four, %d %d %d %d lanes", c[0], c[1], c[2], c[3]); show(name, 4, s); }
    { std::vector<uint32_t> s(64); for (int l = 0; l < 32; l++) { s[l] = l >> 4; s[32 + l] = l >> 3 & 1; } show("four, 8 each", 4, s); }
}
