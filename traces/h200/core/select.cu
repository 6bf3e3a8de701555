// Which warp of a sub-partition issues: every warp notes the clock after each of 16 steps of the same work.
#include <cstdio>
#include <cstdint>
#include <cuda_runtime.h>
#define STEPS 16
enum Work { CHAIN, INDEPENDENT, MUFU, SHARED, SHARED_WAIT, CONFLICT, L1, L1_WAIT, L2_WAIT, STORE, STORE_SHARED, MIX, L1_CHAIN, SHUFFLE, LONG_CHAIN };
static const char *names[] = {"chain", "independent", "mufu", "shared", "shared_wait", "conflict", "l1", "l1_wait", "l2_wait", "store", "store_shared", "mix", "l1_chain", "shuffle", "long_chain"};
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
template <int W> __global__ void __launch_bounds__(1024) work(float *buf, uint32_t *clocks, float m) {
    extern __shared__ float s[];
    uint32_t t = threadIdx.x, at = (uint32_t)__cvta_generic_to_shared(s) + (W == CONFLICT ? t % 32 * 32 : t % 1024 * 4);
    for (int i = t; i < 8192; i += blockDim.x) s[i] = 0;
    const float *g = buf + t; float *o = buf + (1 << 20) + t; float a[4] = {m, m, m, m};
    uint32_t c[STEPS + 1];
#pragma unroll 1
    for (int r = 0; r < 2; r++) {
        float v = 0; for (int i = 0; i < 4; i++) v += g[i * 1024]; a[0] += v;
        __syncthreads();
        asm volatile("mov.u32 %0, %%clock;" : "=r"(c[0]) :: "memory");
#pragma unroll
        for (int i = 0; i < STEPS; i++) { step<W>(a, at, g, o, m, i); asm volatile("mov.u32 %0, %%clock;" : "=r"(c[i + 1]) :: "memory"); }
        __syncthreads();
    }
    if (t % 32 == 0) for (int i = 0; i <= STEPS; i++) clocks[t / 32 * (STEPS + 1) + i] = c[i];
    if (a[0] + a[1] + a[2] + a[3] == 12345.f) buf[0] = 0;
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
}
