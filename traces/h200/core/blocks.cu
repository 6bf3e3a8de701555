// Which warp goes next where a unit or a queue is full and several blocks share an SM: every warp notes the clock before the first
// and after each of its steps.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>
#define STEPS 16
__device__ __forceinline__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
__device__ __forceinline__ uint32_t now() { uint32_t c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c) :: "memory"); return c; }
// A row a warp: its SM, its place there, its block, then the clocks.
__device__ __forceinline__ void note(uint32_t *rows, const uint32_t (&c)[STEPS + 1]) {
    if (threadIdx.x % 32) return;
    uint32_t sm, place; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)); asm volatile("mov.u32 %0, %%warpid;" : "=r"(place));
    uint32_t *row = rows + (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 20;
    row[0] = sm; row[1] = place; row[2] = blockIdx.x;
    for (int i = 0; i <= STEPS; i++) row[3 + i] = c[i];
}
#define K extern "C" __global__ void
#define T (blockIdx.x * blockDim.x + threadIdx.x)
// 16 loads of 16 lines whose values are waited for at the end, each of lines of its own.
K neighbours(const float *in, uint32_t *rows) {
    uint32_t c[STEPS + 1]; float v[STEPS]; const float *p = in + (size_t)T * 16; c[0] = now();
#pragma unroll
    for (int i = 0; i < STEPS; i++) { asm volatile("ld.global.f32 %0, [%1];" : "=f"(v[i]) : "l"(p + i)); c[i + 1] = now(); }
    float s = 0;
#pragma unroll
    for (int i = 0; i < STEPS; i++) s += v[i];
    if (s == 12345.f) rows[0] = 0;
    note(rows, c);
}
// 16 loads of 32 lines that are in L1.
K lines(const float *in, uint32_t *rows) {
    uint32_t c[STEPS + 1]; float v[STEPS], s = 0; const float *p = in + threadIdx.x % 32 * 32; s = p[0]; __syncthreads(); if (s == 12345.f) rows[0] = 0; c[0] = now();
#pragma unroll
    for (int i = 0; i < STEPS; i++) { asm volatile("ld.global.f32 %0, [%1];" : "=f"(v[i]) : "l"(p + i)); c[i + 1] = now(); }
#pragma unroll
    for (int i = 0; i < STEPS; i++) s += v[i];
    if (s == 12345.f) rows[0] = 0;
    note(rows, c);
}
// A load of one line, which is waited for, and a store of 32 lines, four times.
K transpose(const float *in, float *out, uint32_t *rows) {
    uint32_t c[STEPS + 1] = {}; c[0] = now();
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float v; uint32_t t = T / 256 * 1024 + i * 256 + T % 256;
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(in + t)); asm volatile("add.f32 %0, %0, 0f3f800000;" : "+f"(v)); c[i * 4 + 1] = now();
        asm volatile("st.global.f32 [%0], %1;" :: "l"(out + (t % 1024) * 1024 + t / 1024), "f"(v)); c[i * 4 + 2] = now();
    }
    note(rows, c);
}
// An atomic operation without a value on one of 16 words, 16 times.
K histogram(uint32_t *bins, int mask, uint32_t *rows) {
    uint32_t c[STEPS + 1]; c[0] = now();
#pragma unroll
    for (int i = 0; i < STEPS; i++) { asm volatile("red.global.add.u32 [%0], 1;" :: "l"(bins + (mix(T + i * 1000003u) & mask))); c[i + 1] = now(); }
    note(rows, c);
}
// A load of an index and one of a value, both of one line, then a load of 32 lines, all waited for, 16 times.
K sparse(const uint32_t *index, const float *x, int mask, uint32_t *rows) {
    uint32_t c[STEPS + 1]; float s = 0; uint32_t n = gridDim.x * blockDim.x; c[0] = now();
#pragma unroll
    for (int i = 0; i < STEPS; i++) {
        uint32_t at; float v; asm volatile("ld.global.u32 %0, [%1];" : "=r"(at) : "l"(index + (size_t)i * n + T));
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(x + (mix(at + T * 16 + i) & mask))); s += v; if (s == 12345.f) rows[0] = 0; c[i + 1] = now();
    }
    note(rows, c);
}
// A load of shared memory with 32 conflicts, then a barrier, 16 times.
K conflict(uint32_t *rows) {
    __shared__ float s[1024]; s[threadIdx.x] = threadIdx.x; __syncthreads(); uint32_t c[STEPS + 1]; float v = 0; c[0] = now();
#pragma unroll
    for (int i = 0; i < STEPS; i++) { v += s[(threadIdx.x % 32 * 32 + i + threadIdx.x / 32) & 1023]; c[i + 1] = now(); __syncthreads(); }
    if (v == 12345.f) rows[0] = 0;
    note(rows, c);
}
// Eight dependent FFMAs a step.
K chain(float m, uint32_t *rows) {
    uint32_t c[STEPS + 1]; float a = m; __syncthreads(); c[0] = now();
#pragma unroll
    for (int i = 0; i < STEPS; i++) { for (int j = 0; j < 8; j++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(m)); c[i + 1] = now(); }
    if (a == 12345.f) rows[0] = 0;
    note(rows, c);
}
// Four special functions a step.
K special(float m, uint32_t *rows) {
    uint32_t c[STEPS + 1]; float a[4] = {m, m, m, m}; __syncthreads(); c[0] = now();
#pragma unroll
    for (int i = 0; i < STEPS; i++) { for (int j = 0; j < 4; j++) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(a[j])); c[i + 1] = now(); }
    if (a[0] + a[1] + a[2] + a[3] == 12345.f) rows[0] = 0;
    note(rows, c);
}
// A shared load with 32 conflicts a step, none waited for.
K shared_conflicts(uint32_t *rows) {
    __shared__ float s[1024]; s[threadIdx.x] = threadIdx.x; __syncthreads(); uint32_t c[STEPS + 1]; float v[STEPS], t = 0; uint32_t a = (uint32_t)__cvta_generic_to_shared(s) + threadIdx.x % 32 * 128; c[0] = now();
#pragma unroll
    for (int i = 0; i < STEPS; i++) { asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v[i]) : "r"(a + i * 4)); c[i + 1] = now(); }
#pragma unroll
    for (int i = 0; i < STEPS; i++) t += v[i];
    if (t == 12345.f) rows[0] = 0;
    note(rows, c);
}
// 16 stores of 32 lines.
K stores(float *out, uint32_t *rows) {
    uint32_t c[STEPS + 1]; float *p = out + (T / 32 * 32 % 4096) * 1024 + T % 32 * 1024; c[0] = now();
#pragma unroll
    for (int i = 0; i < STEPS; i++) { asm volatile("st.global.f32 [%0], %1;" :: "l"(p + i * 8), "f"(1.f)); c[i + 1] = now(); }
    note(rows, c);
}
#define C(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); return; } } while (0)
static uint32_t *rows; static float *in, *out; static uint32_t *bins;
template <class F> void show(const char *name, int blocks, int threads, F run) {
    for (int twice = 0; twice < 2; twice++) { C(cudaMemset(rows, 0, 1 << 24)); run(blocks, threads); C(cudaDeviceSynchronize()); }
    int warps = blocks * threads / 32; std::vector<uint32_t> h(warps * 20); C(cudaMemcpy(h.data(), rows, h.size() * 4, cudaMemcpyDeviceToHost));
    const uint32_t sm = 20; uint32_t first = 0; bool any = false;
    for (int w = 0; w < warps; w++) { uint32_t *r = &h[w * 20]; if (r[0] == sm && (!any || (int)(r[3] - first) < 0)) { first = r[3]; any = true; } }
    for (int w = 0; w < warps; w++) { uint32_t *r = &h[w * 20]; if (r[0] != sm || r[1] % 4) continue;
        printf("%s b%d sm %u place %2u block %4u:", name, threads, r[0], r[1], r[2]); for (int i = 0; i <= STEPS; i++) printf(" %6u", r[3 + i] ? r[3 + i] - first : 0); printf("\n"); }
}
int main() {
    cudaMalloc(&rows, 1 << 24); cudaMalloc(&in, 1 << 26); cudaMalloc(&out, 1 << 26); cudaMalloc(&bins, 1 << 16);
    std::vector<uint32_t> h(1 << 24); for (size_t i = 0; i < h.size(); i++) h[i] = (uint32_t)(i * 2654435761u) >> 3; cudaMemcpy(in, h.data(), 1 << 26, cudaMemcpyHostToDevice);
    for (int b : {128, 256}) show("neighbours", 1048576 / b, b, [](int g, int b) { neighbours<<<g, b>>>(in, rows); });
    show("neighbours", 132, 1024, [](int g, int b) { neighbours<<<g, b>>>(in, rows); });
    show("lines", 132, 1024, [](int g, int b) { lines<<<g, b>>>(in, rows); });
    show("transpose", 2048, 256, [](int g, int b) { transpose<<<g, b>>>(in, out, rows); });
    show("stores", 528, 256, [](int g, int b) { stores<<<g, b>>>(out, rows); });
    show("histogram", 264, 256, [](int g, int b) { histogram<<<g, b>>>(bins, 15, rows); });
    show("sparse", 512, 512, [](int g, int b) { sparse<<<g, b>>>((uint32_t*)in, out, (1 << 18) - 1, rows); });
    show("conflict", 264, 1024, [](int g, int b) { conflict<<<g, b>>>(rows); });
    for (int b : {128, 256}) show("chain", 135168 / b, b, [](int g, int b) { chain<<<g, b>>>(0.5f, rows); });
    for (int b : {128, 256}) show("special", 135168 / b, b, [](int g, int b) { special<<<g, b>>>(0.5f, rows); });
    for (int b : {128, 512}) show("shared_conflicts", 135168 / b, b, [](int g, int b) { shared_conflicts<<<g, b>>>(rows); });
}
