// The first use of code and constants, by one SM or by all at once: the clock after every 64 instructions of straight code, at
// every step of a chain of indexed constants, after every 16 words of constants as operands. Run it alone ("again": level two
// has everything, as each kernel runs twice) and under a profiler that flushes the caches before each kernel ("first"):
//   ncu --cache-control all --clock-control none --metrics sm__cycles_elapsed.max ./first flushed
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define K extern "C" __global__ void
#define FMA(R) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(R) : "f"(k));
__device__ __forceinline__ uint32_t now() { unsigned long long t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory"); return (uint32_t)t; }
static const int MOST = 1024;   // readings of a warp

// Where a warp's readings go: block by block, warp by warp.
__device__ __forceinline__ uint32_t* mine(uint32_t* out, int n) { return out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * n; }

// --- straight code: N instructions, the clock after every N / 64 of them
template <int N> __device__ __forceinline__ void straight(uint32_t* __restrict__ out, float k) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3; uint32_t t[65];
  t[0] = now();
#pragma unroll
  for (int g = 0; g < 64; g++) {
#pragma unroll
    for (int i = 0; i < N / 256; i++) { FMA(a) FMA(b) FMA(c) FMA(d) }
    t[g + 1] = now(); }
  if (threadIdx.x % 32 == 0) { uint32_t* o = mine(out, 64);
#pragma unroll
    for (int g = 0; g < 64; g++) o[g] = t[g + 1] - t[g]; }
  if (a + b + c + d == -1) out[0] = 0; }
K k_straight_1024(uint32_t* out, float k) { straight<1024>(out, k); }
K k_straight_4096(uint32_t* out, float k) { straight<4096>(out, k); }
K k_straight_8192(uint32_t* out, float k) { straight<8192>(out, k); }
// --- indexed constants: a chain, the clock at each step
__constant__ uint32_t c_words[16384];
K k_chain(uint32_t* __restrict__ out, int words, int stride, int n) { __shared__ uint32_t t[MOST]; uint32_t at = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++) { uint32_t t0 = now(); at = (at + stride + c_words[at]) & (words - 1); uint32_t t1 = now() + (at >> 31); t[i] = t1 - t0; }
  __syncwarp(); if (threadIdx.x == 0) for (int i = 0; i < n; i++) mine(out, n)[i] = t[i]; }
// --- constants as operands: the clock after every 16 words
template <int N> __device__ __forceinline__ void operands(uint32_t* __restrict__ out) {
  float a = threadIdx.x, b = 1, c = 2, d = 3; const float* k = (const float*)c_words; uint32_t t[N / 16 + 1];
  t[0] = now();
#pragma unroll
  for (int g = 0; g < N / 16; g++) {
#pragma unroll
    for (int i = 0; i < 16; i += 4) { int w = g * 16 + i;
      asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(a) : "f"(k[w])); asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(b) : "f"(k[w + 1]));
      asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(c) : "f"(k[w + 2])); asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(d) : "f"(k[w + 3])); }
    t[g + 1] = now(); }
  if (threadIdx.x % 32 == 0)
#pragma unroll
    for (int g = 0; g < N / 16; g++) mine(out, N / 16)[g] = t[g + 1] - t[g];
  if (a + b + c + d == -1) out[0] = 0; }
K k_operands_512(uint32_t* out) { operands<512>(out); }
K k_operands_2048(uint32_t* out) { operands<2048>(out); }

static uint32_t* out_; static std::vector<uint32_t> h_(132 * 8 * MOST); static bool flushed_;
// The mean over all warps, and the readings of the first warp of blocks 0 and 77.
static void rows(const char* head, int lap, int blocks, int warps, int n) {
  CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h_.data(), out_, 4ull * blocks * warps * n, cudaMemcpyDeviceToHost));
  const char* state = flushed_ ? "flushed" : lap ? "again" : "once";
  printf("%s, %d blocks of %d warps, %s, mean:", head, blocks, warps, state); double all = 0;
  for (int i = 0; i < n; i++) { double s = 0; for (int w = 0; w < blocks * warps; w++) s += h_[w * n + i]; s /= blocks * warps; all += s; if (i < 128) printf(" %.0f", s); } printf(" | sum %.0f\n", all);
  for (int b : {0, 77}) if (b < blocks) { printf("%s, %d blocks of %d warps, %s, block %d:", head, blocks, warps, state, b); uint64_t sum = 0; for (int i = 0; i < n; i++) { if (i < 128) printf(" %u", h_[b * warps * n + i]); sum += h_[b * warps * n + i]; } printf(" | sum %llu\n", (unsigned long long)sum); } }
#define TWICE(HEAD, CALL, N) for (int blocks : {1, 132}) for (int warps : {1, 8}) for (int lap = 0; lap < (flushed_ ? 1 : 2); lap++) { CALL; rows(HEAD, lap, blocks, warps, N); }
int main(int argc, char** argv) {
  flushed_ = argc > 1; CHECK(cudaMalloc(&out_, 4ull * h_.size())); CHECK(cudaMemset(out_, 0, 4ull * h_.size()));
  static uint32_t zero[16384]; CHECK(cudaMemcpyToSymbol(c_words, zero, sizeof zero));
  TWICE("straight 1024", (k_straight_1024<<<blocks, 32 * warps>>>(out_, 0.5f)), 64)
  TWICE("straight 4096", (k_straight_4096<<<blocks, 32 * warps>>>(out_, 0.5f)), 64)
  TWICE("straight 8192", (k_straight_8192<<<blocks, 32 * warps>>>(out_, 0.5f)), 64)
  for (int kib : {1, 8, 64}) for (int stride : {16, 64}) { int n = kib * 256 / stride; char s[99]; snprintf(s, 99, "chain %d KiB by %d bytes", kib, stride * 4);
    for (int blocks : {1, 132}) for (int lap = 0; lap < (flushed_ ? 1 : 2); lap++) { k_chain<<<blocks, 32>>>(out_, kib * 256, stride, n); rows(s, lap, blocks, 1, n); } }
  TWICE("operands 512", (k_operands_512<<<blocks, 32 * warps>>>(out_)), 32)
  TWICE("operands 2048", (k_operands_2048<<<blocks, 32 * warps>>>(out_)), 128) }
