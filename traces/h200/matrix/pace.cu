// How long products of matrices take: one after another on one sum (`sums` 1), on four, and on four with N other instructions after each, in
// 4, 8 and 16 warps of one SM. It prints cycles for four products of a warp and those of its sub-partition.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#define LAPS 128
enum Shape { F16_16, F16_8, HALF_16, HALF_8, TF32_8, TF32_4, S8_32, S8_16, S8_SMALL, F64_SMALL, F64_4, F64_8, F64_16, NONE };
enum Other { NOTHING, FFMA, LOP3, IMAD, HFMA2, DFMA, MUFU, LDS, LDSM, STS, DMMA, IMMA, MOVM, SHFL };
static const char *shapes[] = {"f16_16", "f16_8", "half_16", "half_8", "tf32_8", "tf32_4", "s8_32", "s8_16", "s8_small", "f64_small", "f64_4", "f64_8", "f64_16", "none"};
static const char *others[] = {"nothing", "ffma", "lop3", "imad", "hfma2", "dfma", "mufu", "lds", "ldsm", "sts", "dmma", "imma", "movm", "shfl"};
#define MMA "mma.sync.aligned."
#define T_4_2_1 " {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
#define T_4_4_2 " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
#define W2(x, c) c(x[0]), c(x[1])
#define W4(x, c) W2(x, c), c(x[2]), c(x[3])
template <int S> __device__ __forceinline__ void product(uint32_t (&x)[8], const uint32_t (&p)[8], const uint32_t (&q)[4]) {
    if constexpr (S == F16_16) asm volatile(MMA "m16n8k16.row.col.f32.f16.f16.f32" T_4_4_2 : W4(x, "+r") : W4(p, "r"), W2(q, "r"));
    if constexpr (S == F16_8) asm volatile(MMA "m16n8k8.row.col.f32.f16.f16.f32" T_4_2_1 : W4(x, "+r") : W2(p, "r"), "r"(q[0]));
    if constexpr (S == HALF_16) asm volatile(MMA "m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};" : W2(x, "+r") : W4(p, "r"), W2(q, "r"));
    if constexpr (S == HALF_8) asm volatile(MMA "m16n8k8.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3},{%4},{%0,%1};" : W2(x, "+r") : W2(p, "r"), "r"(q[0]));
    if constexpr (S == TF32_8) asm volatile(MMA "m16n8k8.row.col.f32.tf32.tf32.f32" T_4_4_2 : W4(x, "+r") : W4(p, "r"), W2(q, "r"));
    if constexpr (S == TF32_4) asm volatile(MMA "m16n8k4.row.col.f32.tf32.tf32.f32" T_4_2_1 : W4(x, "+r") : W2(p, "r"), "r"(q[0]));
    if constexpr (S == S8_32) asm volatile(MMA "m16n8k32.row.col.s32.s8.s8.s32" T_4_4_2 : W4(x, "+r") : W4(p, "r"), W2(q, "r"));
    if constexpr (S == S8_16) asm volatile(MMA "m16n8k16.row.col.s32.s8.s8.s32" T_4_2_1 : W4(x, "+r") : W2(p, "r"), "r"(q[0]));
    if constexpr (S == S8_SMALL) asm volatile(MMA "m8n8k16.row.col.s32.s8.s8.s32 {%0,%1},{%2},{%3},{%0,%1};" : W2(x, "+r") : "r"(p[0]), "r"(q[0]));
}
template <int S> __device__ __forceinline__ void product(double (&x)[8], const double (&p)[8], const double (&q)[4]) {
    if constexpr (S == F64_SMALL) asm volatile(MMA "m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};" : W2(x, "+d") : "d"(p[0]), "d"(q[0]));
    if constexpr (S == F64_4) asm volatile(MMA "m16n8k4.row.col.f64.f64.f64.f64" T_4_2_1 : W4(x, "+d") : W2(p, "d"), "d"(q[0]));
    if constexpr (S == F64_8) asm volatile(MMA "m16n8k8.row.col.f64.f64.f64.f64" T_4_4_2 : W4(x, "+d") : W4(p, "d"), W2(q, "d"));
    if constexpr (S == F64_16) asm volatile(MMA "m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%0,%1,%2,%3};" : W4(x, "+d") : W4(p, "d"), "d"(p[4]), "d"(p[5]), "d"(p[6]), "d"(p[7]), W4(q, "d"));
}
template <int X> __device__ __forceinline__ void other(uint32_t &v, uint32_t at, double &w) {
    if constexpr (X == FFMA) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+r"(v));
    if constexpr (X == LOP3) asm volatile("lop3.b32 %0, %0, %1, %0, 0x1e;" : "+r"(v) : "r"(at));
    if constexpr (X == IMAD) asm volatile("mad.lo.s32 %0, %0, %1, %0;" : "+r"(v) : "r"(at));
    if constexpr (X == HFMA2) asm volatile("fma.rn.f16x2 %0, %0, %0, %0;" : "+r"(v));
    if constexpr (X == DFMA) asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(w));
    if constexpr (X == MUFU) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+r"(v));
    if constexpr (X == LDS) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at + v));   // from shared memory come zeros
    if constexpr (X == LDSM) { uint32_t a, b, c; asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(v), "=r"(a), "=r"(b), "=r"(c) : "r"(at + v)); }
    if constexpr (X == MOVM) asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(v));
    if constexpr (X == SHFL) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(v));
    if constexpr (X == STS) asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(v));
}
template <int S, int SUMS, int X, int N, typename T> __global__ void __launch_bounds__(512) k_pace(const T *in, T *out, uint32_t *cycles) {
    __shared__ __align__(16) uint32_t shared[2048]; uint32_t at = (uint32_t)__cvta_generic_to_shared(shared) + threadIdx.x % 128 * 16, v[8]; T x[4][8], p[8], q[4]; uint32_t ip[8], iq[4], ix[8] = {}; double dp[8], dq[4], dx[8] = {}, w[4];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) shared[i] = 0;
    for (int i = 0; i < 8; i++) { p[i] = in[threadIdx.x * 8 + i]; v[i] = (uint32_t)p[i]; ip[i] = v[i]; dp[i] = p[i]; for (int j = 0; j < 4; j++) x[j][i] = 0; }
    for (int i = 0; i < 4; i++) { q[i] = in[threadIdx.x + i]; iq[i] = (uint32_t)q[i]; dq[i] = q[i]; w[i] = q[i]; }
    uint32_t start = 0, end = 0;
    for (int again = 0; again < 2; again++) {
        __syncthreads(); start = clock();
#pragma unroll 1
        for (int lap = 0; lap < LAPS; lap++) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if constexpr (S != NONE) product<S>(x[j % SUMS], p, q);
#pragma unroll
                for (int k = 0; k < N; k++) {
                    if constexpr (X == DMMA) product<F64_SMALL>(dx, dp, dq);
                    else if constexpr (X == IMMA) product<S8_32>(ix, ip, iq);
                    else other<X>(v[SUMS == 1 ? 0 : (j * N + k) % 8], at, w[SUMS == 1 ? 0 : (j * N + k) % 4]);
                }
            }
        }
        end = clock();
    }
    T sum = 0; for (int j = 0; j < 4; j++) for (int i = 0; i < 8; i++) sum += x[j][i]; for (int i = 0; i < 8; i++) sum += (T)v[i] + (T)ix[i] + (T)dx[i]; for (int i = 0; i < 4; i++) sum += (T)w[i];
    out[threadIdx.x] = sum; if (threadIdx.x % 32 == 0) { cycles[2 * (threadIdx.x / 32)] = start; cycles[2 * (threadIdx.x / 32) + 1] = end; }
}
template <int S, int SUMS, int X, int N, typename T> static void measure() {
    static void *in, *out; static uint32_t *cycles; if (!in) { cudaMalloc(&in, 1 << 20); cudaMemset(in, 0, 1 << 20); cudaMalloc(&out, 1 << 20); cudaMallocManaged(&cycles, 1024); }
    for (int warps : {4, 8, 16}) {
        k_pace<S, SUMS, X, N, T><<<1, 32 * warps>>>((const T *)in, (T *)out, cycles); if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed %s\n", cudaGetErrorString(cudaGetLastError())); exit(1); }
        uint32_t first = ~0u, last = 0; for (int w = 0; w < warps; w++) { first = min(first, cycles[2 * w]); last = max(last, cycles[2 * w + 1]); }
        double lap = (last - first) / (double)LAPS; printf("%s sums %d %s %d warps %d: %.2f %.2f\n", shapes[S], SUMS, others[X], N, warps, lap, lap / (warps / 4));
    }
}
template <int S, typename T> static void alone() { measure<S, 1, NOTHING, 0, T>(); measure<S, 2, NOTHING, 0, T>(); measure<S, 4, NOTHING, 0, T>(); }
// One after another, and eight that do not wait for each other.
template <int X> static void beside() { measure<F16_16, 4, X, 1, uint32_t>(); measure<F16_16, 4, X, 2, uint32_t>(); measure<F16_16, 4, X, 4, uint32_t>(); measure<F16_16, 4, X, 6, uint32_t>(); measure<NONE, 4, X, 4, uint32_t>(); measure<NONE, 1, X, 4, uint32_t>(); }
int main() {
    alone<F16_16, uint32_t>(); alone<F16_8, uint32_t>(); alone<HALF_16, uint32_t>(); alone<HALF_8, uint32_t>(); alone<TF32_8, uint32_t>(); alone<TF32_4, uint32_t>(); alone<S8_32, uint32_t>(); alone<S8_16, uint32_t>(); alone<S8_SMALL, uint32_t>();
    alone<F64_SMALL, double>(); alone<F64_4, double>(); alone<F64_8, double>(); alone<F64_16, double>();
    beside<FFMA>(); beside<LOP3>(); beside<IMAD>(); beside<HFMA2>(); beside<DFMA>(); beside<MUFU>(); beside<LDS>(); beside<LDSM>(); beside<STS>(); beside<DMMA>(); beside<IMMA>(); beside<MOVM>(); beside<SHFL>();
    measure<F64_SMALL, 4, DFMA, 2, double>(); measure<F64_SMALL, 4, DFMA, 4, double>(); measure<F64_SMALL, 4, FFMA, 4, double>(); measure<F16_8, 4, IMMA, 1, uint32_t>();
}
