// Which warp of a sub-partition issues: every warp notes the clock after each of 16 steps of the same work.
#include <cstdio>
#include <cstdint>
#include <cuda_runtime.h>
#define STEPS 16
enum Work { CHAIN, INDEPENDENT, MUFU, SHARED, SHARED_WAIT, CONFLICT, L1, L1_WAIT, L2_WAIT, STORE, STORE_SHARED, MIX, L1_CHAIN, SHUFFLE, LONG_CHAIN,
    SHIFT, MULTIPLY, WIDE, DOUBLE, BURST2, BURST3, BURST8, BURST16, SHARED4_WAIT, SHARED_ADD,
    LINES_WAIT, LINES8_WAIT, LINES_MISS_WAIT, MISS_WAIT, LINES, LINES_MISS, MISS, STORE_LINES, ADD, ADD_LINES };
static const char *names[] = {"chain", "independent", "mufu", "shared", "shared_wait", "conflict", "l1", "l1_wait", "l2_wait", "store", "store_shared", "mix", "l1_chain", "shuffle", "long_chain",
    "shift", "multiply", "wide", "double", "burst2", "burst3", "burst8", "burst16", "shared4_wait", "shared_add",
    "lines_wait", "lines8_wait", "lines_miss_wait", "miss_wait", "lines", "lines_miss", "miss", "store_lines", "add", "add_lines"};
template <int W> __device__ __forceinline__ void step(float (&a)[4], uint32_t at, const float *g, float *o, float m, int n) {
    if (W == CHAIN) { for (int i = 0; i < 8; i++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[0]) : "f"(m)); }
    if (W == LONG_CHAIN) { for (int i = 0; i < 32; i++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[0]) : "f"(m)); }
    if (W == INDEPENDENT) { for (int i = 0; i < 16; i++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[i % 4]) : "f"(m)); }
    if (W == MUFU) { for (int i = 0; i < 4; i++) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(a[i])); }
    if (W == SHARED || W == SHARED_WAIT || W == CONFLICT) { float v[4]; for (int i = 0; i < 4; i++) asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v[i]) : "r"(at + (n * 4 + i) * 512));
        for (int i = 0; i < 4; i++) if (W == SHARED) asm volatile("" :: "f"(v[i])); else asm volatile("add.f32 %0, %0, %1;" : "+f"(a[i]) : "f"(v[i])); }
    if (W == L1 || W == L1_WAIT) { float v[4]; for (int i = 0; i < 4; i++) asm volatile("ld.global.f32 %0, [%1];" : "=f"(v[i]) : "l"(g + (n * 4 + i) * 128));
        for (int i = 0; i < 4; i++) if (W == L1) asm volatile("" :: "f"(v[i])); else asm volatile("add.f32 %0, %0, %1;" : "+f"(a[i]) : "f"(v[i])); }
    if (W == L2_WAIT) { float v; asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(g + n * 128)); asm volatile("add.f32 %0, %0, %1;" : "+f"(a[0]) : "f"(v)); }
    if (W == STORE) { for (int i = 0; i < 4; i++) asm volatile("st.global.f32 [%0], %1;" :: "l"(o + (n * 4 + i) * 128), "f"(a[i])); }
    if (W == STORE_SHARED) { for (int i = 0; i < 4; i++) asm volatile("st.shared.f32 [%0], %1;" :: "r"(at + (n * 4 + i) * 512), "f"(a[i])); }
    if (W == MIX) { float v; asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at + n * 512)); asm volatile("add.f32 %0, %0, %1;" : "+f"(a[0]) : "f"(v));
        for (int i = 0; i < 16; i++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[i % 4]) : "f"(m)); }
    if (W == L1_CHAIN) { float v; asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(g + n * 128)); asm volatile("add.f32 %0, %0, %1;" : "+f"(a[0]) : "f"(v));
        for (int i = 0; i < 8; i++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[0]) : "f"(m)); }
    if (W == SHUFFLE) { for (int i = 0; i < 4; i++) asm volatile("{ .reg .b32 r; mov.b32 r, %0; shfl.sync.bfly.b32 r, r, 1, 31, -1; mov.b32 %0, r; }" : "+f"(a[i])); }
}
// More work: what takes a pipe or the dispatcher for several cycles, and bursts of FFMAs with a gap behind them.
template <int W> __device__ __forceinline__ void step_more(float (&a)[4], uint32_t (&u)[4], uint64_t (&l)[4], double (&d)[4], uint32_t at, float m, uint32_t k, int n) {
    if (W == SHIFT) { for (int i = 0; i < 8; i++) asm volatile("shf.l.wrap.b32 %0, %0, %1, %1;" : "+r"(u[i % 4]) : "r"(k)); }
    if (W == MULTIPLY) { for (int i = 0; i < 8; i++) asm volatile("mad.lo.u32 %0, %0, %0, %1;" : "+r"(u[i % 4]) : "r"(k)); }
    if (W == WIDE) { for (int i = 0; i < 8; i++) asm volatile("{ .reg .u32 x; cvt.u32.u64 x, %0; mad.wide.u32 %0, x, %1, %0; }" : "+l"(l[i % 4]) : "r"(k)); }
    if (W == DOUBLE) { for (int i = 0; i < 8; i++) asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(d[i % 4]) : "d"((double)m)); }
    if (W == BURST2 || W == BURST3) { for (int i = 0; i < 12; i++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[i % (W == BURST2 ? 2 : 3)]) : "f"(m)); }
    if (W == BURST8 || W == BURST16) for (int j = 0; j < 2; j++) { const int size = W == BURST8 ? 8 : 16;
        for (int i = 0; i < size; i++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[i % 4]) : "f"(m));
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[0]) : "f"(a[3])); }
    if (W == SHARED4_WAIT) { float4 v; asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(at * 4 % 32768 + n * 512));
        asm volatile("add.f32 %0, %0, %1;" : "+f"(a[0]) : "f"(v.x)); asm volatile("add.f32 %0, %0, %1;" : "+f"(a[1]) : "f"(v.y));
        asm volatile("add.f32 %0, %0, %1;" : "+f"(a[2]) : "f"(v.z)); asm volatile("add.f32 %0, %0, %1;" : "+f"(a[3]) : "f"(v.w)); }
    if (W == SHARED_ADD) { float v; asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at + n * 512)); asm volatile("add.f32 %0, %0, %1;" : "+f"(a[0]) : "f"(v));
        for (int i = 0; i < 3; i++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[1 + i]) : "f"(m)); }
}
// Accesses of many lines, in L1 or past it, whose values are waited for in each step or after the last.
template <int W> __device__ __forceinline__ void step_lines(float (&a)[4], float (&v)[STEPS], const float *g, float *o, const float *near, const float *far, int n) {
    const float *lines = near + threadIdx.x % 32 * 256 + n * 16, *lines8 = near + threadIdx.x % 32 / 4 * 256 + threadIdx.x % 4 + n * 16;
    if (W == LINES_WAIT || W == LINES8_WAIT) { float w[2]; for (int i = 0; i < 2; i++) asm volatile("ld.global.f32 %0, [%1];" : "=f"(w[i]) : "l"((W == LINES_WAIT ? lines : lines8) + i * 8));
        for (int i = 0; i < 2; i++) asm volatile("add.f32 %0, %0, %1;" : "+f"(a[i]) : "f"(w[i])); }
    if (W == LINES_MISS_WAIT || W == MISS_WAIT) { float w[2]; for (int i = 0; i < 2; i++) asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(w[i]) : "l"(W == MISS_WAIT ? g + (n * 2 + i) * 1024 : far + (n * 2 + i) * 8));
        for (int i = 0; i < 2; i++) asm volatile("add.f32 %0, %0, %1;" : "+f"(a[i]) : "f"(w[i])); }
    if (W == LINES) asm volatile("ld.global.f32 %0, [%1];" : "=f"(v[n]) : "l"(lines));
    if (W == LINES_MISS) asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v[n]) : "l"(far + n * 8));
    if (W == MISS) asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v[n]) : "l"(g + n * 1024));
    if (W == STORE_LINES) asm volatile("st.global.f32 [%0], %1;" :: "l"((float *)far + n * 8), "f"(a[n & 3]));
    if (W == ADD) asm volatile("red.global.add.f32 [%0], %1;" :: "l"(o + n * 1024), "f"(a[n & 3]));
    if (W == ADD_LINES) asm volatile("red.global.add.f32 [%0], %1;" :: "l"((float *)far + n * 8), "f"(a[n & 3]));
}
template <int W> __global__ void __launch_bounds__(1024) work(float *buf, uint32_t *clocks, float m) {
    extern __shared__ float s[];
    uint32_t t = threadIdx.x, at = (uint32_t)__cvta_generic_to_shared(s) + (W == CONFLICT ? t % 32 * 32 : t % 1024 * 4);
    for (int i = t; i < 8192; i += blockDim.x) s[i] = 0;
    const float *g = buf + t; float *o = buf + (1 << 20) + t; float a[4] = {m, m, m, m};
    uint32_t k = __float_as_uint(m) + t, u[4] = {k, k, k, k}; uint64_t l[4] = {k, k, k, k}; double d[4] = {m, m, m, m};
    const float *far = buf + (1 << 19) + t / 32 * 8192 + t % 32 * 256; float v16[STEPS] = {};
    uint32_t c[STEPS + 1];
#pragma unroll 1
    for (int r = 0; r < 2; r++) {
        float v = 0; for (int i = 0; i < 4; i++) v += g[i * 1024]; a[0] += v;
        __syncthreads();
        asm volatile("mov.u32 %0, %%clock;" : "=r"(c[0]) :: "memory");
#pragma unroll
        for (int i = 0; i < STEPS; i++) { step<W>(a, at, g, o, m, i); step_more<W>(a, u, l, d, at, m, k, i); step_lines<W>(a, v16, g, o, buf, far, i); asm volatile("mov.u32 %0, %%clock;" : "=r"(c[i + 1]) :: "memory"); }
        __syncthreads();
        for (int i = 0; i < STEPS; i++) a[i & 3] += v16[i];
    }
    if (t % 32 == 0) for (int i = 0; i <= STEPS; i++) clocks[t / 32 * (STEPS + 1) + i] = c[i];
    float rest = (float)(u[0] ^ u[1] ^ u[2] ^ u[3]) + (float)(l[0] ^ l[1] ^ l[2] ^ l[3]) + (float)(d[0] + d[1] + d[2] + d[3]);
    if (a[0] + a[1] + a[2] + a[3] + rest == 12345.f) buf[0] = 0;
}
#define C(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); return; } } while (0)
static float *buf; static uint32_t *clocks, h[32 * (STEPS + 1)];
template <int W> void show() {
    C(cudaFuncSetAttribute(work<W>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    for (int warps : {8, 16, 32, 64}) { if (warps > 32) continue;
        work<W><<<1, warps * 32, 65536>>>(buf, clocks, 0.5f); C(cudaDeviceSynchronize()); C(cudaMemcpy(h, clocks, sizeof h, cudaMemcpyDeviceToHost));
        uint32_t first = h[0]; for (int w = 0; w < warps; w += 4) if ((int)(h[w * (STEPS + 1)] - first) < 0) first = h[w * (STEPS + 1)];
        for (int w = 0; w < warps; w += 4) { printf("%s warps %d warp %2d:", names[W], warps / 4, w / 4); for (int i = 0; i <= STEPS; i++) printf(" %4u", h[w * (STEPS + 1) + i] - first); printf("\n"); } }
}
int main() {
    cudaMalloc(&buf, 1 << 24); cudaMalloc(&clocks, sizeof h); cudaMemset(buf, 0, 1 << 24);
    show<CHAIN>(); show<LONG_CHAIN>(); show<INDEPENDENT>(); show<MUFU>(); show<SHUFFLE>(); show<SHARED>(); show<SHARED_WAIT>(); show<CONFLICT>(); show<STORE_SHARED>(); show<L1>(); show<L1_WAIT>(); show<L1_CHAIN>(); show<L2_WAIT>(); show<STORE>(); show<MIX>();
    show<SHIFT>(); show<MULTIPLY>(); show<WIDE>(); show<DOUBLE>(); show<BURST2>(); show<BURST3>(); show<BURST8>(); show<BURST16>(); show<SHARED4_WAIT>(); show<SHARED_ADD>();
    show<LINES_WAIT>(); show<LINES8_WAIT>(); show<LINES_MISS_WAIT>(); show<MISS_WAIT>(); show<LINES>(); show<LINES_MISS>(); show<MISS>(); show<STORE_LINES>(); show<ADD>(); show<ADD_LINES>();
}
