// Products of matrices on the tensor cores, from elements that a hash makes, in six kinds of elements. It prints a checksum of the results of
// 64 warps for each shape and kind: what the tests of the simulator compute again.
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#define WARPS 64
enum Format { F16, BF16, TF32, F64, BYTES, F32, S32 };
__host__ __device__ inline uint32_t mix32(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16; return x; }
inline uint64_t mix64(uint64_t z) { z += 0x9e3779b97f4a7c15ULL; z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL; z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL; return z ^ (z >> 31); }
// A number of so many bits of exponent and fraction, from a hash. Kinds: 0 near one, 1 of any size, 2 zeros and denormals among small ones,
// 3 now and then infinite or no number, 4 powers of two, 5 near one with zeros.
static uint32_t number(uint32_t h, int exponent_bits, int fraction_bits, int kind) {
    uint32_t most = (1u << exponent_bits) - 1, bias = most >> 1, r = h >> 24 & 127, e = bias - 2 + r % 4, f = h & ((1u << fraction_bits) - 1);
    if (kind == 1) e = exponent_bits == 5 ? 1 + r % 30 : bias - 60 + r % 120;
    if (kind == 2) { if (r % 4 == 0) e = 0; if (r % 4 == 1) e = 0, f = 0; if (r % 4 == 2) e = 1 + r / 4 % 6; }
    if (kind == 3 && r == 0) { e = most; if (h >> 23 & 1) f = 0; }
    if (kind == 4) { e = bias - 6 + r % 12; f = 0; }
    if (kind == 5 && r % 2) e = 0, f = 0;
    return h >> 31 << (exponent_bits + fraction_bits) | e << fraction_bits | f;
}
// Word `i` of a matrix, of which there are four: the factors are 0 and 1, what is added 2.
static uint32_t word(Format format, int matrix, uint32_t i, int kind) {
    auto hash = [&](uint32_t n) { return mix32(n + (matrix + 1) * 0x9e3779b9U); };
    switch (format) {
        case F16: return number(hash(2 * i), 5, 10, kind) | number(hash(2 * i + 1), 5, 10, kind) << 16;
        case BF16: return number(hash(2 * i), 8, 7, kind) | number(hash(2 * i + 1), 8, 7, kind) << 16;
        case TF32: case F32: return number(hash(i), 8, 23, kind);
        case F64: return i % 2 ? number(hash(i), 11, 20, kind) : hash(i);
        case S32: return kind % 2 ? hash(i) : 0x7fffffffU ^ (hash(i) & 0xfffff) ^ (hash(i) >> 31 ? ~0U : 0);
        default: return hash(i);
    }
}
// The words of one lane lie beside each other.
#define KERNEL(name, A, B, D, text, ...) __global__ void name(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d) { \
    uint32_t t = blockIdx.x * 32 + threadIdx.x, p[A], q[B], x[D]; for (int i = 0; i < A; i++) p[i] = a[t * A + i]; for (int i = 0; i < B; i++) q[i] = b[t * B + i]; for (int i = 0; i < D; i++) x[i] = c[t * D + i]; \
    asm volatile(text __VA_ARGS__); for (int i = 0; i < D; i++) d[t * D + i] = x[i]; }
#define D2 "+r"(x[0]), "+r"(x[1])
#define D4 D2, "+r"(x[2]), "+r"(x[3])
#define A1 "r"(p[0])
#define A2 A1, "r"(p[1])
#define A4 A2, "r"(p[2]), "r"(p[3])
#define B1 "r"(q[0])
#define B2 B1, "r"(q[1])
#define T_4_2_1 " {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
#define T_4_4_2 " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
#define T_2_2_1 " {%0,%1},{%2,%3},{%4},{%0,%1};"
#define T_2_4_2 " {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};"
#define T_2_1_1 " {%0,%1},{%2},{%3},{%0,%1};"
#define MMA "mma.sync.aligned."
KERNEL(f16_8, 2, 1, 4, MMA "m16n8k8.row.col.f32.f16.f16.f32" T_4_2_1, : D4 : A2, B1)
KERNEL(f16_16, 4, 2, 4, MMA "m16n8k16.row.col.f32.f16.f16.f32" T_4_4_2, : D4 : A4, B2)
KERNEL(half_8, 2, 1, 2, MMA "m16n8k8.row.col.f16.f16.f16.f16" T_2_2_1, : D2 : A2, B1)
KERNEL(half_16, 4, 2, 2, MMA "m16n8k16.row.col.f16.f16.f16.f16" T_2_4_2, : D2 : A4, B2)
KERNEL(bf16_8, 2, 1, 4, MMA "m16n8k8.row.col.f32.bf16.bf16.f32" T_4_2_1, : D4 : A2, B1)
KERNEL(bf16_16, 4, 2, 4, MMA "m16n8k16.row.col.f32.bf16.bf16.f32" T_4_4_2, : D4 : A4, B2)
KERNEL(tf32_4, 2, 1, 4, MMA "m16n8k4.row.col.f32.tf32.tf32.f32" T_4_2_1, : D4 : A2, B1)
KERNEL(tf32_8, 4, 2, 4, MMA "m16n8k8.row.col.f32.tf32.tf32.f32" T_4_4_2, : D4 : A4, B2)
KERNEL(s8_s8_16, 2, 1, 4, MMA "m16n8k16.row.col.s32.s8.s8.s32" T_4_2_1, : D4 : A2, B1)
KERNEL(s8_s8_32, 4, 2, 4, MMA "m16n8k32.row.col.s32.s8.s8.s32" T_4_4_2, : D4 : A4, B2)
KERNEL(s8_u8_32, 4, 2, 4, MMA "m16n8k32.row.col.s32.s8.u8.s32" T_4_4_2, : D4 : A4, B2)
KERNEL(u8_s8_16, 2, 1, 4, MMA "m16n8k16.row.col.s32.u8.s8.s32" T_4_2_1, : D4 : A2, B1)
KERNEL(u8_u8_32, 4, 2, 4, MMA "m16n8k32.row.col.s32.u8.u8.s32" T_4_4_2, : D4 : A4, B2)
KERNEL(s8_sat_32, 4, 2, 4, MMA "m16n8k32.row.col.satfinite.s32.s8.s8.s32" T_4_4_2, : D4 : A4, B2)
KERNEL(s8_small, 1, 1, 2, MMA "m8n8k16.row.col.s32.s8.s8.s32" T_2_1_1, : D2 : A1, B1)
KERNEL(e4m3_32, 4, 2, 4, MMA "m16n8k32.row.col.f32.e4m3.e4m3.f32" T_4_4_2, : D4 : A4, B2)
template <int A, int B, int D> __device__ void doubles(const double *a, const double *b, const double *c, double *d) {
    uint32_t t = blockIdx.x * 32 + threadIdx.x; double p[A], q[B], x[D]; for (int i = 0; i < A; i++) p[i] = a[t * A + i]; for (int i = 0; i < B; i++) q[i] = b[t * B + i]; for (int i = 0; i < D; i++) x[i] = c[t * D + i];
    if constexpr (D == 2) asm volatile(MMA "m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};" : "+d"(x[0]), "+d"(x[1]) : "d"(p[0]), "d"(q[0]));
    else if constexpr (A == 2) asm volatile(MMA "m16n8k4.row.col.f64.f64.f64.f64" T_4_2_1 : "+d"(x[0]), "+d"(x[1]), "+d"(x[2]), "+d"(x[3]) : "d"(p[0]), "d"(p[1]), "d"(q[0]));
    else if constexpr (A == 4) asm volatile(MMA "m16n8k8.row.col.f64.f64.f64.f64" T_4_4_2 : "+d"(x[0]), "+d"(x[1]), "+d"(x[2]), "+d"(x[3]) : "d"(p[0]), "d"(p[1]), "d"(p[2]), "d"(p[3]), "d"(q[0]), "d"(q[1]));
    else asm volatile(MMA "m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%0,%1,%2,%3};" : "+d"(x[0]), "+d"(x[1]), "+d"(x[2]), "+d"(x[3]) : "d"(p[0]), "d"(p[1]), "d"(p[2]), "d"(p[3]), "d"(p[4]), "d"(p[5]), "d"(p[6]), "d"(p[7]), "d"(q[0]), "d"(q[1]), "d"(q[2]), "d"(q[3]));
    for (int i = 0; i < D; i++) d[t * D + i] = x[i];
}
#define DOUBLES(name, A, B, D) __global__ void name(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d) { doubles<A, B, D>((const double *)a, (const double *)b, (const double *)c, (double *)d); }
DOUBLES(f64_small, 1, 1, 2) DOUBLES(f64_4, 2, 1, 4) DOUBLES(f64_8, 4, 2, 4) DOUBLES(f64_16, 8, 4, 4)
struct Case { const char *name; void (*kernel)(const uint32_t *, const uint32_t *, const uint32_t *, uint32_t *); Format factor, sum; int words[3]; };
#define C(name, factor, sum, A, B, D) {#name, name, factor, sum, {A, B, D}}
static Case cases[] = {
    C(f16_8, F16, F32, 2, 1, 4), C(f16_16, F16, F32, 4, 2, 4), C(half_8, F16, F16, 2, 1, 2), C(half_16, F16, F16, 4, 2, 2), C(bf16_8, BF16, F32, 2, 1, 4), C(bf16_16, BF16, F32, 4, 2, 4),
    C(tf32_4, TF32, F32, 2, 1, 4), C(tf32_8, TF32, F32, 4, 2, 4), C(s8_s8_16, BYTES, S32, 2, 1, 4), C(s8_s8_32, BYTES, S32, 4, 2, 4), C(s8_u8_32, BYTES, S32, 4, 2, 4), C(u8_s8_16, BYTES, S32, 2, 1, 4),
    C(u8_u8_32, BYTES, S32, 4, 2, 4), C(s8_sat_32, BYTES, S32, 4, 2, 4), C(s8_small, BYTES, S32, 1, 1, 2), C(e4m3_32, BYTES, F32, 4, 2, 4), C(f64_small, F64, F64, 2, 2, 4), C(f64_4, F64, F64, 4, 2, 8), C(f64_8, F64, F64, 8, 4, 8), C(f64_16, F64, F64, 16, 8, 8),
};
int main() {
    for (auto &c : cases) for (int kind = 0; kind < 6; kind++) {
        uint32_t *at[4]; std::vector<uint32_t> d;
        for (int matrix = 0; matrix < 4; matrix++) {
            size_t n = (size_t)WARPS * 32 * c.words[matrix < 3 ? matrix : 2]; std::vector<uint32_t> v(n);
            for (size_t i = 0; i < n; i++) v[i] = word(matrix < 2 ? c.factor : c.sum, matrix, i, kind);
            cudaMalloc(&at[matrix], n * 4); cudaMemcpy(at[matrix], v.data(), n * 4, cudaMemcpyHostToDevice); d.resize(n);
        }
        c.kernel<<<WARPS, 32>>>(at[0], at[1], at[2], at[3]);
        if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return 1; }
        cudaMemcpy(d.data(), at[3], d.size() * 4, cudaMemcpyDeviceToHost); uint64_t sum = 0;
        for (size_t i = 0; i < d.size(); i++) sum += mix64((uint64_t)i << 32 ^ d[i]);
        printf("%s %d %016llx\n", c.name, kind, (unsigned long long)sum); for (auto p : at) cudaFree(p);
    }
}
