// Fifth hardware suite: the ways of loads, stores, constants and code through one multiprocessor and level two, for
// telling apart what unseen kernels get wrong. Same harness and rules as suite.cu.
#include "harness.cuh"

__device__ __forceinline__ float load(const float* p) { float v; asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(p)); return v; }
__device__ __forceinline__ uint32_t thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// --- a thread loads neighbouring words, one load each: the second load meets sectors that are on their way
template <int U> __device__ __forceinline__ void neighbours(const float* in, float* out) { const float* p = in + (size_t)thread() * U; float s = 0;
#pragma unroll
  for (int u = 0; u < U; u++) s += load(p + u); out[thread()] = s; }
K k_neighbours_2(const float* __restrict__ in, float* __restrict__ out) { neighbours<2>(in, out); }
K k_neighbours_4(const float* __restrict__ in, float* __restrict__ out) { neighbours<4>(in, out); }
K k_neighbours_8(const float* __restrict__ in, float* __restrict__ out) { neighbours<8>(in, out); }
K k_neighbours_16(const float* __restrict__ in, float* __restrict__ out) { neighbours<16>(in, out); }
// --- the same words again and again, the second load right behind the first or after the first has come
K k_twice(const float* __restrict__ in, float* __restrict__ out, int wait) { float a = load(in + thread()); if (wait) { if (a > 1e9f) out[0] = a; } float b = load(in + thread()); out[thread()] = a + b; }
// --- a thread walks a row of n words: 32 lines a request, each used again by the next loads
K k_rows(const float* __restrict__ in, float* __restrict__ out, int n) { const float* p = in + (size_t)thread() * n; float s = 0;
#pragma unroll 4
  for (int i = 0; i < n; i++) s += load(p + i); out[thread()] = s; }
// --- a thread walks a column: coalesced, as many warps as there are columns
K k_columns(const float* __restrict__ in, float* __restrict__ out, int n, int rows) { float s = 0;
#pragma unroll 4
  for (int i = 0; i < rows; i++) s += load(in + (size_t)i * n + thread()); out[thread()] = s; }
// --- a column with a store beside every load: y += a * x, y in memory
K k_column_update(const float* __restrict__ in, float* __restrict__ out, int n, int rows) { volatile float* y = out + thread();
#pragma unroll 1
  for (int i = 0; i < rows; i++) *y = *y + load(in + (size_t)i * n + thread()); }
// --- streams: so many arrays read, one written (or none)
template <int N> __device__ __forceinline__ void streams(const float4* in, float4* out, int n4) { for (uint32_t i = thread(); i < n4; i += gridDim.x * blockDim.x) { float4 s = make_float4(0, 0, 0, 0);
#pragma unroll
    for (int k = 0; k < N; k++) { float4 v = in[(size_t)k * n4 + i]; s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w; } out[i] = s; } }
K k_streams_1(const float4* __restrict__ in, float4* __restrict__ out, int n4) { streams<1>(in, out, n4); }
K k_streams_2(const float4* __restrict__ in, float4* __restrict__ out, int n4) { streams<2>(in, out, n4); }
K k_streams_3(const float4* __restrict__ in, float4* __restrict__ out, int n4) { streams<3>(in, out, n4); }
K k_streams_4(const float4* __restrict__ in, float4* __restrict__ out, int n4) { streams<4>(in, out, n4); }
// --- latencies of one warp: a store and a load of shared memory, division, square root, 64-bit division, a barrier
#define CHAIN_KERNEL(NAME, TYPE, FIRST, STEP) K NAME(uint32_t* __restrict__ cycles, int n) { __shared__ TYPE s[1024]; s[threadIdx.x] = (TYPE)FIRST; __syncthreads(); TYPE v = s[threadIdx.x]; uint32_t t0 = clock(); \
  _Pragma("unroll 1") for (int i = 0; i < n; i++) { STEP; } uint32_t t1 = clock(); s[threadIdx.x] = v; cycles[2 * threadIdx.x] = v == (TYPE)12345 ? 1 : 0; cycles[2 * threadIdx.x + 1] = t1 - t0; }
CHAIN_KERNEL(k_sts_lds, uint32_t, threadIdx.x, { ((volatile uint32_t*)s)[threadIdx.x] = v; v = ((volatile uint32_t*)s)[threadIdx.x ^ 1] + 1; })
CHAIN_KERNEL(k_sts_lds_sync, uint32_t, threadIdx.x, { ((volatile uint32_t*)s)[threadIdx.x] = v; __syncthreads(); v = ((volatile uint32_t*)s)[threadIdx.x ^ 1] + 1; __syncthreads(); })
CHAIN_KERNEL(k_fdiv, float, threadIdx.x + 3, { v = 7.0f / v + 1.0f; })
CHAIN_KERNEL(k_fsqrt, float, threadIdx.x + 3, { v = __fsqrt_rn(v) + 2.0f; })
CHAIN_KERNEL(k_ddiv, double, threadIdx.x + 3, { v = 7.0 / v + 1.0; })
CHAIN_KERNEL(k_fexp, float, threadIdx.x, { v = expf(v) - v; })
CHAIN_KERNEL(k_idiv, int, threadIdx.x + 3, { v = 1000003 / v + 7; })
CHAIN_KERNEL(k_ldiv, long long, threadIdx.x + 3, { v = 1000000007ll / v + 7; })
CHAIN_KERNEL(k_f2i, float, threadIdx.x + 3, { v = (float)((int)v + 1); })
// --- a multiply-add beside every load of shared memory: broadcast, one word a lane, both, four words broadcast
template <int KIND> __device__ __forceinline__ void lds_fma(float* out, int rounds) { __shared__ float s[4096]; for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = i; __syncthreads(); float a = 0, b = 1, c = 2, d = 3; volatile float* w = s; int lane = threadIdx.x & 31;
#pragma unroll 1
  for (int r = 0; r < rounds; r++) { int base = (r & 31) * 64;
#pragma unroll
    for (int u = 0; u < 16; u++) {
      if (KIND == 0) a = a * w[base + u] + b;
      if (KIND == 1) a = a * w[base + u * 32 + lane] + b;
      if (KIND == 2) { float x = w[base + u], y = w[base + u * 32 + lane]; a = x * y + a; }
      if (KIND == 3 && u % 4 == 0) { float x, y, z, q; asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(q) : "r"((uint32_t)__cvta_generic_to_shared(s + base + u))); a = a * x + b; c = c * y + d; b = b * z + a; d = d * q + c; } } }
  out[thread()] = a + b + c + d; }
K k_lds_fma_broadcast(float* __restrict__ out, int rounds) { lds_fma<0>(out, rounds); }
K k_lds_fma_lane(float* __restrict__ out, int rounds) { lds_fma<1>(out, rounds); }
K k_lds_fma_both(float* __restrict__ out, int rounds) { lds_fma<2>(out, rounds); }
K k_lds_fma_wide(float* __restrict__ out, int rounds) { lds_fma<3>(out, rounds); }
// --- constants: an indexed load over a footprint; constants as operands of straight code
__constant__ uint32_t c_words[16384] = {1};
K k_const_chain(uint32_t* __restrict__ cycles, int words, int stride, int n) { uint32_t at = 0, t0 = 0, t1 = 0; for (int lap = 0; lap < 2; lap++) { t0 = clock();
#pragma unroll 1
    for (int i = 0; i < n; i++) { at = (at + stride + (c_words[at] >> 31)) & (words - 1); } t1 = clock(); if (!threadIdx.x) cycles[1 + 2 * lap] = t1 - t0; } if (!threadIdx.x) cycles[0] = at >> 30; }
template <int N> __device__ __forceinline__ void operands(float* out, int laps) { float a = threadIdx.x, b = 1, c = 2, d = 3; const float* k = (const float*)c_words;
#pragma unroll 1
  for (int lap = 0; lap < laps; lap++) {
#pragma unroll
    for (int i = 0; i < N; i += 4) { a = a * k[i] + b; b = b * k[i + 1] + c; c = c * k[i + 2] + d; d = d * k[i + 3] + a; } }
  out[thread()] = a + b + c + d; }
K k_operands_64(float* __restrict__ out, int laps) { operands<64>(out, laps); }
K k_operands_512(float* __restrict__ out, int laps) { operands<512>(out, laps); }
K k_operands_2048(float* __restrict__ out, int laps) { operands<2048>(out, laps); }
K k_operands_8192(float* __restrict__ out, int laps) { operands<8192>(out, laps); }
// --- cold code: N instructions once, no loop
template <int N> __device__ __forceinline__ void cold(float* out, float k) { float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
#pragma unroll
  for (int i = 0; i < N / 4; i++) { asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(k)); asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(b) : "f"(k)); asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(c) : "f"(k)); asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(d) : "f"(k)); }
  out[thread()] = a + b + c + d; }
K k_cold_64(float* __restrict__ out, float k) { cold<64>(out, k); }
K k_cold_256(float* __restrict__ out, float k) { cold<256>(out, k); }
K k_cold_1024(float* __restrict__ out, float k) { cold<1024>(out, k); }
K k_cold_4096(float* __restrict__ out, float k) { cold<4096>(out, k); }
K k_cold_16384(float* __restrict__ out, float k) { cold<16384>(out, k); }
// --- stores: transposed words and quadruples, scattered words
K k_store_transposed(float* __restrict__ out, int rows, int columns) { uint32_t t = thread(); out[(size_t)(t % rows) * columns + t / rows] = (float)t; }
K k_store_transposed4(float4* __restrict__ out, int rows, int columns) { uint32_t t = thread(); out[(size_t)(t % rows) * columns + t / rows] = make_float4(t, 1, 2, 3); }
K k_store_scattered(uint32_t* __restrict__ out, int mask, int rounds) { for (int r = 0; r < rounds; r++) { uint32_t at = mix32(thread() + r * 1000003u) & mask; out[at] = at; } }
// --- sparse rows: a warp gathers from a vector at hashed places
K k_gather_rows(const float* __restrict__ x, const uint32_t* __restrict__ at, float* __restrict__ out, int mask, int length) { uint32_t warp = thread() >> 5, lane = threadIdx.x & 31; float s = 0; for (int i = lane; i < length; i += 32) s += x[at[(size_t)warp * length + i] & mask]; for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o); if (!lane) out[warp] = s; }
// --- an atomic operation whose value a block waits for; a histogram over few words
K k_ticket(uint32_t* __restrict__ counter, uint32_t* __restrict__ out, int rounds) { __shared__ uint32_t t; uint32_t s = 0; for (int r = 0; r < rounds; r++) { if (!threadIdx.x) t = atomicAdd(counter, 1u); __syncthreads(); s += t >> 30; __syncthreads(); } out[thread()] = s; }
K k_histogram(uint32_t* __restrict__ bins, int mask, int rounds) { for (int r = 0; r < rounds; r++) atomicAdd(bins + (mix32(thread() + r * 1000003u) & mask), 1u); }
// --- a wavefront inside a block: a barrier after every short step
K k_wavefront(float* __restrict__ out, int steps) { __shared__ float s[1026]; s[threadIdx.x + 1] = threadIdx.x; if (!threadIdx.x) s[0] = 1; __syncthreads(); for (int i = 0; i < steps; i++) { float v = s[threadIdx.x] + 1.0f; __syncthreads(); s[threadIdx.x + 1] = v; __syncthreads(); } out[thread()] = s[threadIdx.x + 1]; }

int main(int argc, char** argv) {
  if (argc > 1 && argv[1][0]) g_filter = argv[1];
  g_skip_clock = argc > 2;
  float* d; CHECK(cudaMalloc(&d, 4)); for (int i = 0; i < 20; i++) spin_up<<<1056, 256>>>(d, 1 << 20); CHECK(cudaDeviceSynchronize());
  char name[128];
  auto f = [](float v) { int i; memcpy(&i, &v, 4); return i32(i); };
#define NM(...) sprintf(name, __VA_ARGS__)
  const int M = 1 << 20;
  for (int g : {132, 1024}) { int t = g * 256;
    NM("neighbours_2_g%d", g); RUN(name, k_neighbours_2, g, 256, 0, buf("in", (size_t)t * 8, HASH_F32, 1), buf("out", t * 4, ZERO, 0, true));
    NM("neighbours_4_g%d", g); RUN(name, k_neighbours_4, g, 256, 0, buf("in", (size_t)t * 16, HASH_F32, 1), buf("out", t * 4, ZERO, 0, true));
    NM("neighbours_8_g%d", g); RUN(name, k_neighbours_8, g, 256, 0, buf("in", (size_t)t * 32, HASH_F32, 1), buf("out", t * 4, ZERO, 0, true));
    NM("neighbours_16_g%d", g); RUN(name, k_neighbours_16, g, 256, 0, buf("in", (size_t)t * 64, HASH_F32, 1), buf("out", t * 4, ZERO, 0, true));
    for (int w : {0, 1}) { NM("twice_wait%d_g%d", w, g); RUN(name, k_twice, g, 256, 0, buf("in", (size_t)t * 4, HASH_F32, 1), buf("out", t * 4, ZERO, 0, true), i32(w)); } }
  for (int n : {64, 512, 1024}) for (int g : {2, 16, 132}) { NM("rows_n%d_g%d", n, g); RUN(name, k_rows, g, 128, 0, buf("in", (size_t)g * 128 * n * 4, HASH_F32, 1), buf("out", g * 512, ZERO, 0, true), i32(n)); }
  for (int g : {4, 16, 132}) { int n = g * 256; NM("columns_g%d", g); RUN(name, k_columns, g, 256, 0, buf("in", (size_t)n * 512 * 4, HASH_F32, 1), buf("out", n * 4, ZERO, 0, true), i32(n), i32(512)); NM("column_update_g%d", g); RUN(name, k_column_update, g, 256, 0, buf("in", (size_t)n * 256 * 4, HASH_F32, 1), buf("out", n * 4, ZERO, 0, true), i32(n), i32(256)); }
  for (int log : {20, 23}) { int n4 = 1 << (log - 2); size_t b = (size_t)4 << log;
    NM("streams_1_2e%d", log); RUN(name, k_streams_1, 1056, 256, 0, buf("in", b, HASH_F32, 1), buf("out", b, ZERO, 0, true), i32(n4));
    NM("streams_2_2e%d", log); RUN(name, k_streams_2, 1056, 256, 0, buf("in", 2 * b, HASH_F32, 1), buf("out", b, ZERO, 0, true), i32(n4));
    NM("streams_3_2e%d", log); RUN(name, k_streams_3, 1056, 256, 0, buf("in", 3 * b, HASH_F32, 1), buf("out", b, ZERO, 0, true), i32(n4));
    NM("streams_4_2e%d", log); RUN(name, k_streams_4, 1056, 256, 0, buf("in", 4 * b, HASH_F32, 1), buf("out", b, ZERO, 0, true), i32(n4)); }
  for (int b : {32, 256}) {
#define LAT(NAME, KERNEL) NM("latency_" NAME "_b%d", b); RUN(name, KERNEL, 1, b, 0, buf("cycles", b * 8, ZERO), i32(128))
    LAT("sts_lds", k_sts_lds); LAT("sts_lds_sync", k_sts_lds_sync); LAT("fdiv", k_fdiv); LAT("fsqrt", k_fsqrt); LAT("ddiv", k_ddiv); LAT("fexp", k_fexp); LAT("idiv", k_idiv); LAT("ldiv", k_ldiv); LAT("f2i", k_f2i); }
  for (int b : {32, 128, 256, 1024}) { int g = b == 1024 ? 264 : 132;
    NM("lds_fma_broadcast_b%d", b); RUN(name, k_lds_fma_broadcast, g, b, 0, buf("out", g * b * 4, ZERO, 0, true), i32(64));
    NM("lds_fma_lane_b%d", b); RUN(name, k_lds_fma_lane, g, b, 0, buf("out", g * b * 4, ZERO, 0, true), i32(64));
    NM("lds_fma_both_b%d", b); RUN(name, k_lds_fma_both, g, b, 0, buf("out", g * b * 4, ZERO, 0, true), i32(64));
    NM("lds_fma_wide_b%d", b); RUN(name, k_lds_fma_wide, g, b, 0, buf("out", g * b * 4, ZERO, 0, true), i32(64)); }
  for (int kib : {1, 2, 4, 8, 16, 32, 64}) { NM("latency_const_%dKiB", kib); RUN(name, k_const_chain, 1, 32, 0, buf("cycles", 256, ZERO), i32(kib * 256), i32(16), i32(kib * 16)); }
  for (int g : {1, 132}) for (int laps : {1, 8}) { int b = 128;
    NM("operands_64_g%d_l%d", g, laps); RUN(name, k_operands_64, g, b, 0, buf("out", g * b * 4, ZERO, 0, true), i32(laps)); NM("operands_512_g%d_l%d", g, laps); RUN(name, k_operands_512, g, b, 0, buf("out", g * b * 4, ZERO, 0, true), i32(laps));
    NM("operands_2048_g%d_l%d", g, laps); RUN(name, k_operands_2048, g, b, 0, buf("out", g * b * 4, ZERO, 0, true), i32(laps)); NM("operands_8192_g%d_l%d", g, laps); RUN(name, k_operands_8192, g, b, 0, buf("out", g * b * 4, ZERO, 0, true), i32(laps)); }
  for (int g : {1, 132, 1056}) for (int b : {32, 256}) {
    NM("cold_64_g%d_b%d", g, b); RUN(name, k_cold_64, g, b, 0, buf("out", g * b * 4, ZERO, 0, true), f(0.5f)); NM("cold_256_g%d_b%d", g, b); RUN(name, k_cold_256, g, b, 0, buf("out", g * b * 4, ZERO, 0, true), f(0.5f));
    NM("cold_1024_g%d_b%d", g, b); RUN(name, k_cold_1024, g, b, 0, buf("out", g * b * 4, ZERO, 0, true), f(0.5f)); if (g > 132) continue; NM("cold_4096_g%d_b%d", g, b); RUN(name, k_cold_4096, g, b, 0, buf("out", g * b * 4, ZERO, 0, true), f(0.5f));
    if (b > 32) continue; NM("cold_16384_g%d_b%d", g, b); RUN(name, k_cold_16384, g, b, 0, buf("out", g * b * 4, ZERO, 0, true), f(0.5f)); }
  for (int rows : {32, 256, 1024}) { NM("store_transposed_r%d", rows); RUN(name, k_store_transposed, 1024, 256, 0, buf("out", M, ZERO, 0, true), i32(rows), i32(262144 / rows)); NM("store_transposed4_r%d", rows); RUN(name, k_store_transposed4, 1024, 256, 0, buf("out", 4 * M, ZERO, 0, true), i32(rows), i32(262144 / rows)); }
  for (int log : {16, 20, 24}) { NM("store_scattered_2e%d", log); RUN(name, k_store_scattered, 528, 256, 0, buf("out", (size_t)4 << log, ZERO, 0, true), i32((1 << log) - 1), i32(4)); }
  for (int log : {12, 15, 18, 22}) for (int length : {32, 256}) { int g = 528; NM("gather_rows_2e%d_l%d", log, length); RUN(name, k_gather_rows, g, 256, 0, buf("x", (size_t)4 << log, HASH_F32, 1), buf("at", (size_t)g * 8 * length * 4, HASH_I32, 2), buf("out", g * 32, ZERO, 0, true), i32((1 << log) - 1), i32(length)); }
  for (int g : {1, 132, 1056}) { NM("ticket_g%d", g); RUN(name, k_ticket, g, 128, 0, buf("counter", 256, ZERO, 0, true), buf("out", g * 512, ZERO, 0, true), i32(8)); }
  for (int bins : {1, 4, 16, 64, 256, 4096}) { NM("histogram_%d", bins); RUN(name, k_histogram, 264, 256, 0, buf("bins", 16384, ZERO, 0, true), i32(bins - 1), i32(8)); }
  for (int b : {32, 128, 512, 1024}) { NM("wavefront_b%d", b); RUN(name, k_wavefront, 1, b, 0, buf("out", b * 4, ZERO, 0, true), i32(64)); }
}
