// Which SMs share what lies behind the caches of constants and code: 2,048 words as operands of one FFMA each, the clock after
// every 16 of them (a line of 64 bytes), and 4,096 FFMAs of straight code, the clock after every 64, on some SMs only. Each
// kernel runs twice, the second time is printed: level two has everything. Blocks take a whole SM each.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define K extern "C" __global__ void
#define FMA(R) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(R) : "f"(k));
__device__ __forceinline__ uint32_t now() { unsigned long long t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory"); return (uint32_t)t; }
__device__ __forceinline__ uint32_t sm_id() { uint32_t s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
struct Sms { uint32_t words[5]; };
__device__ __forceinline__ bool chosen(const Sms& sms) { uint32_t s = sm_id(); return sms.words[s / 32] >> (s % 32) & 1; }
__device__ __forceinline__ uint32_t* mine(uint32_t* out, int n) { return out + (sm_id() * (blockDim.x / 32) + threadIdx.x / 32) * n; }
__constant__ uint32_t c_words[16384];
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
K k_operands_1024(uint32_t* out, Sms sms) { if (chosen(sms)) operands<1024>(out); }
K k_operands_2048(uint32_t* out, Sms sms) { if (chosen(sms)) operands<2048>(out); }
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
K k_straight_4096(uint32_t* out, Sms sms, float k) { if (chosen(sms)) straight<4096>(out, k); }
// --- indexed constants, a chain over 64-byte lines of 32 KiB
K k_chain(uint32_t* __restrict__ out, Sms sms) { if (!chosen(sms)) return; __shared__ uint32_t t[512]; uint32_t at = 0;
#pragma unroll 1
  for (int i = 0; i < 512; i++) { uint32_t t0 = now(); at = (at + 16 + c_words[at]) & 8191; uint32_t t1 = now() + (at >> 31); t[i] = t1 - t0; }
  __syncwarp(); if (threadIdx.x % 32 == 0) for (int i = 0; i < 512; i++) mine(out, 512)[i] = t[i]; }
static uint32_t* out_; static std::vector<uint32_t> h_(132 * 8 * 512);
static Sms of(const std::vector<int>& list) { Sms s = {}; for (int i : list) s.words[i / 32] |= 1u << (i % 32); return s; }
static void row(const char* kernel, const char* who, const std::vector<int>& sms, int warps, int n) {
  CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h_.data(), out_, 4ull * h_.size(), cudaMemcpyDeviceToHost));
  std::vector<uint32_t> all; double sum = 0, first = 0, others = 0;
  for (int s : sms) for (int w = 0; w < warps; w++) for (int i = 0; i < n; i++) { uint32_t v = h_[(s * warps + w) * n + i]; sum += v; if (i >= 8 && i < n - 8) (i % 4 ? others : first) += v; }
  double m = sms.size() * warps; int middle = n - 16;
  printf("%s, %zu SMs (%s), %d warps: %.0f in all; first of four %.1f, others %.1f\n", kernel, sms.size(), who, warps, sum / m, first / m / (middle / 4), others / m / (middle - middle / 4)); }
int main() {
  CHECK(cudaMalloc(&out_, 4ull * h_.size())); CHECK(cudaMemset(out_, 0, 4ull * h_.size()));
  static uint32_t zero[16384]; CHECK(cudaMemcpyToSymbol(c_words, zero, sizeof zero));
  const std::vector<int> gpc = {2, 3, 18, 19, 34, 35, 50, 51, 64, 65, 78, 79, 92, 93, 106, 107};
  std::vector<std::pair<const char*, std::vector<int>>> sets = {{"one", {2}}, {"a TPC", {2, 3}}, {"a TPC alone", {124, 125}}};
  for (int i = 2; i < 16; i += 2) sets.push_back({"one of two TPCs of a GPC", {2, gpc[i]}});
  sets.push_back({"one of two GPCs", {2, 4}});
  std::vector<int> some; for (int i = 0; i < 16; i += 2) { some.push_back(gpc[i]); if (i) sets.push_back({"one of each TPC so far", some}); }
  for (int n : {4, 6, 8, 12, 16}) sets.push_back({"TPCs of a GPC", std::vector<int>(gpc.begin(), gpc.begin() + n)});
  std::vector<int> even, all, eight = {0, 2, 4, 6, 8, 10, 12, 14}; for (int i = 0; i < 132; i++) { all.push_back(i); if (i % 2 == 0) even.push_back(i); }
  sets.push_back({"one of each GPC", eight}); sets.push_back({"one of each TPC", even}); sets.push_back({"all", all});
  int bytes = 128 * 1024;
  for (auto k : {(const void*)k_operands_1024, (const void*)k_operands_2048, (const void*)k_straight_4096, (const void*)k_chain}) CHECK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  for (int warps : {1, 8}) for (auto& [who, list] : sets) {
    Sms s = of(list);
    for (int lap = 0; lap < 2; lap++) { k_operands_1024<<<132, 32 * warps, bytes>>>(out_, s); } row("operands 1024", who, list, warps, 64);
    for (int lap = 0; lap < 2; lap++) { k_operands_2048<<<132, 32 * warps, bytes>>>(out_, s); } row("operands 2048", who, list, warps, 128);
    for (int lap = 0; lap < 2; lap++) { k_straight_4096<<<132, 32 * warps, bytes>>>(out_, s, 0.5f); } row("straight 4096", who, list, warps, 64);
    for (int lap = 0; lap < 2; lap++) { k_chain<<<132, 32 * warps, bytes>>>(out_, s); } row("chain 32 KiB", who, list, warps, 512);
  } }
