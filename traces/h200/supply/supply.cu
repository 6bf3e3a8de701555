// What instructions and constants cost on their way to a warp: the clock read by one warp every few instructions of straight
// code, at jumps over code, at chains of indexed constants, at constants as operands and at parameters, cold and warm.
// Before each first launch 512 MiB are read and written, so that level two has neither code nor constants.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define K extern "C" __global__ void
#define FMA(R) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(R) : "f"(k));
__device__ __forceinline__ uint32_t now() { unsigned long long t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory"); return (uint32_t)t; }

// --- straight code: N instructions, the clock after every N / 64 of them, three laps
template <int N> __device__ __forceinline__ void straight(uint32_t* __restrict__ out, float k, int laps) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3; uint32_t t[65];
#pragma unroll 1
  for (int lap = 0; lap < laps; lap++) {
    t[0] = now();
#pragma unroll
    for (int g = 0; g < 64; g++) {
#pragma unroll
      for (int i = 0; i < N / 256; i++) { FMA(a) FMA(b) FMA(c) FMA(d) }
      t[g + 1] = now(); }
    if (threadIdx.x == 0)
#pragma unroll
      for (int g = 0; g < 64; g++) out[lap * 64 + g] = t[g + 1] - t[g]; }
  if (threadIdx.x == 0) out[laps * 64] = __float_as_uint(a + b + c + d); }
K k_straight_1024(uint32_t* out, float k, int laps) { straight<1024>(out, k, laps); }
K k_straight_2048(uint32_t* out, float k, int laps) { straight<2048>(out, k, laps); }
K k_straight_4096(uint32_t* out, float k, int laps) { straight<4096>(out, k, laps); }
K k_straight_8192(uint32_t* out, float k, int laps) { straight<8192>(out, k, laps); }
K k_straight_16384(uint32_t* out, float k, int laps) { straight<16384>(out, k, laps); }
// --- jumps: each jumps over 28 instructions that are never executed (512 bytes from one to the next)
#define SKIP asm volatile("{ .reg .pred q; setp.ne.u32 q, %2, 0; @q bra S%=; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; S%=: }" : "+f"(a) : "f"(k), "r"(yes));
template <int N> __device__ __forceinline__ void jumps(uint32_t* __restrict__ out, float k, int laps, int yes) { float a = threadIdx.x; uint32_t t0 = now();
#pragma unroll 1
  for (int lap = 0; lap < laps; lap++) {
#pragma unroll
    for (int i = 0; i < N; i++) { SKIP }
    uint32_t t1 = now(); if (threadIdx.x == 0) out[lap] = t1 - t0; t0 = t1; }
  if (threadIdx.x == 0) out[laps] = __float_as_uint(a); }
K k_jumps_8(uint32_t* out, float k, int laps, int yes) { jumps<8>(out, k, laps, yes); }
K k_jumps_32(uint32_t* out, float k, int laps, int yes) { jumps<32>(out, k, laps, yes); }
K k_jumps_64(uint32_t* out, float k, int laps, int yes) { jumps<64>(out, k, laps, yes); }
K k_jumps_128(uint32_t* out, float k, int laps, int yes) { jumps<128>(out, k, laps, yes); }
K k_jumps_256(uint32_t* out, float k, int laps, int yes) { jumps<256>(out, k, laps, yes); }
K k_jumps_1024(uint32_t* out, float k, int laps, int yes) { jumps<1024>(out, k, laps, yes); }
// --- indexed constants: a chain, the clock at each step
__constant__ uint32_t c_words[16384];
K k_chain(uint32_t* __restrict__ out, int words, int stride, int n, int laps) { __shared__ uint32_t t[2048]; uint32_t at = 0;
  for (int lap = 0; lap < laps; lap++) {
#pragma unroll 1
    for (int i = 0; i < n; i++) { uint32_t t0 = now(); at = (at + stride + c_words[at]) & (words - 1); uint32_t t1 = now() + (at >> 31); t[i] = t1 - t0; }
    __syncwarp(); if (threadIdx.x == 0) for (int i = 0; i < n; i++) out[lap * n + i] = t[i]; __syncwarp(); } }
// --- constants as operands: the clock after every 16 words, laps
template <int N> __device__ __forceinline__ void operands(uint32_t* __restrict__ out, int laps) {
  float a = threadIdx.x, b = 1, c = 2, d = 3; const float* k = (const float*)c_words; uint32_t t[N / 16 + 1];
#pragma unroll 1
  for (int lap = 0; lap < laps; lap++) { t[0] = now();
#pragma unroll
    for (int g = 0; g < N / 16; g++) {
#pragma unroll
      for (int i = 0; i < 16; i += 4) { int w = g * 16 + i;
        asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(a) : "f"(k[w])); asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(b) : "f"(k[w + 1]));
        asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(c) : "f"(k[w + 2])); asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(d) : "f"(k[w + 3])); }
      t[g + 1] = now(); }
    if (threadIdx.x % 32 == 0)
#pragma unroll
      for (int g = 0; g < N / 16; g++) out[(threadIdx.x / 32 * laps + lap) * (N / 16) + g] = t[g + 1] - t[g]; }
  if (threadIdx.x == 0) out[laps * (N / 16) * (blockDim.x / 32)] = __float_as_uint(a + b + c + d); }
K k_operands_256(uint32_t* out, int laps) { operands<256>(out, laps); }
K k_operands_512(uint32_t* out, int laps) { operands<512>(out, laps); }
K k_operands_1024(uint32_t* out, int laps) { operands<1024>(out, laps); }
K k_operands_2048(uint32_t* out, int laps) { operands<2048>(out, laps); }
// --- parameters: the first reads of a kernel's own constants, block by block; 16 words at a time
struct Many { float v[256]; };
K k_parameters(uint32_t* __restrict__ out, const __grid_constant__ Many m) { uint32_t t[17]; float a = threadIdx.x, b = 1, c = 2, d = 3; t[0] = now();
#pragma unroll
  for (int g = 0; g < 16; g++) {
#pragma unroll
    for (int i = 0; i < 16; i += 4) { int w = g * 16 + i;
      asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(a) : "f"(m.v[w])); asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(b) : "f"(m.v[w + 1]));
      asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(c) : "f"(m.v[w + 2])); asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(d) : "f"(m.v[w + 3])); }
    t[g + 1] = now(); }
  if (threadIdx.x == 0)
#pragma unroll
    for (int g = 0; g < 16; g++) out[blockIdx.x * 17 + g] = t[g + 1] - t[g];
  if (threadIdx.x == 0) out[blockIdx.x * 17 + 16] = __float_as_uint(a + b + c + d) & 1; }

__global__ void touch(uint4* at, size_t n) { for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) { uint4 v = at[i]; v.x += 3; at[i] = v; } }
static uint4* other_; static uint32_t* out_; static std::vector<uint32_t> h_(1 << 16);
static void flush() { touch<<<1056, 256>>>(other_, (size_t)512 << 16); CHECK(cudaDeviceSynchronize()); }
static void back() { CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h_.data(), out_, 1 << 18, cudaMemcpyDeviceToHost)); }
static void row(const char* head, size_t from, size_t n) { printf("%s:", head); uint64_t sum = 0; for (size_t i = 0; i < n; i++) { printf(" %u", h_[from + i]); sum += h_[from + i]; } printf(" | sum %llu\n", (unsigned long long)sum); }
#define STRAIGHT(N) for (int cold : {1, 0}) { if (cold) flush(); k_straight_##N<<<1, 32>>>(out_, 0.5f, 3); back(); for (int lap = 0; lap < 3; lap++) { char s[99]; snprintf(s, 99, "straight " #N " %s lap %d", cold ? "cold" : "again", lap); row(s, lap * 64, 64); } }
#define JUMPS(N) for (int cold : {1, 0}) { if (cold) flush(); k_jumps_##N<<<1, 32>>>(out_, 0.5f, 3, 1); back(); row(cold ? "jumps " #N " cold, laps" : "jumps " #N " again, laps", 0, 3); }
#define OPERANDS(N, W) { flush(); k_operands_##N<<<1, 32 * W>>>(out_, 3); back(); for (int w = 0; w < W; w += W / 2 + 1) for (int lap = 0; lap < 3; lap++) { char s[99]; snprintf(s, 99, "operands " #N " " #W " warps, warp %d lap %d", w, lap); row(s, (w * 3 + lap) * (N / 16), N / 16); } }
int main() {
  CHECK(cudaMalloc(&other_, (size_t)512 << 20)); CHECK(cudaMalloc(&out_, 1 << 18)); CHECK(cudaMemset(out_, 0, 1 << 18));
  uint32_t zero[16384] = {0}; CHECK(cudaMemcpyToSymbol(c_words, zero, sizeof zero));
  STRAIGHT(1024) STRAIGHT(2048) STRAIGHT(4096) STRAIGHT(8192) STRAIGHT(16384)
  JUMPS(8) JUMPS(32) JUMPS(64) JUMPS(128) JUMPS(256) JUMPS(1024)
  for (int kib : {1, 2, 4, 64}) for (int stride : {8, 16, 32, 64}) { int n = kib * 256 / stride; flush(); k_chain<<<1, 32>>>(out_, kib * 256, stride, n, 3); back();
    for (int lap = 0; lap < 3; lap++) { char s[99]; snprintf(s, 99, "chain %d KiB by %d bytes, lap %d", kib, stride * 4, lap); uint64_t sum = 0; for (int i = 0; i < n; i++) sum += h_[lap * n + i]; row(s, lap * n, n < 64 ? n : 64); if (n > 64) printf("  of %d steps, sum %llu\n", n, (unsigned long long)sum); } }
  OPERANDS(256, 1) OPERANDS(512, 1) OPERANDS(1024, 1) OPERANDS(2048, 1) OPERANDS(256, 4) OPERANDS(512, 4) OPERANDS(2048, 4) OPERANDS(2048, 8)
  Many m; for (float& v : m.v) v = 1; for (int blocks : {1, 132, 1056}) for (int cold : {1, 0}) { if (cold) flush(); k_parameters<<<blocks, 32>>>(out_, m); back(); for (int b : {0, 1, 2, 7, 64, 131, 132, 500, 1055}) if (b < blocks) { char s[99]; snprintf(s, 99, "parameters %d blocks %s, block %d", blocks, cold ? "cold" : "again", b); row(s, b * 17, 16); } }
}
