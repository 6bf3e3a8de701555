// How long the first constants of a launch take, and who waits for whom: a load or an operand of a line of the parameters, alone and
// one after the other, in the first cycles of a block, on one or more SMs; and a chain of loads over 4 KiB of parameters, which its
// cache of 2 KiB never has. Blocks take a whole SM each. Every row is the mean of eight launches after two others.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define K extern "C" __global__ void
struct Sms { uint32_t words[5]; };
struct Many { uint32_t v[1000]; };
__device__ __forceinline__ uint64_t after(uint32_t x) { uint64_t t; asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 12345; @p trap; mov.u64 %0, %%clock64; }" : "=l"(t) : "r"(x) : "memory"); return t; }
__device__ __forceinline__ uint32_t sm_id() { uint32_t s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ __forceinline__ bool chosen(const Sms& sms) { uint32_t s = sm_id(); return sms.words[s / 32] >> (s % 32) & 1; }
__device__ __forceinline__ void write(uint32_t* out, uint64_t a, uint64_t b) { if (threadIdx.x % 32 == 0) { uint32_t* o = out + (sm_id() * 8 + threadIdx.x / 32) * 2; o[0] = a; o[1] = b; } }
#define OPERAND(A, I) asm volatile("xor.b32 %0, %0, %1;" : "+r"(A) : "r"(m.v[I]));
// The parameters begin at 0x210: word 252 is at 0x600, the first of a line; words 0 to 11 lie in the line of the other parameters.
K k_load(const __grid_constant__ Many m, uint32_t* out, const __grid_constant__ Sms sms) { uint64_t t0 = after(threadIdx.x); uint32_t x = m.v[252 + threadIdx.x / 1024]; uint64_t t1 = after(x);
  if (chosen(sms)) write(out, t1 - t0, 0); }
K k_operand(const __grid_constant__ Many m, uint32_t* out, const __grid_constant__ Sms sms) { uint32_t x = threadIdx.x; uint64_t t0 = after(x); OPERAND(x, 252) uint64_t t1 = after(x);
  if (chosen(sms)) write(out, t1 - t0, 0); }
K k_load_operand(const __grid_constant__ Many m, uint32_t* out, const __grid_constant__ Sms sms) { uint64_t t0 = after(threadIdx.x); uint32_t x = m.v[252 + threadIdx.x / 1024]; uint64_t t1 = after(x); OPERAND(x, 253) uint64_t t2 = after(x);
  if (chosen(sms)) write(out, t1 - t0, t2 - t1); }
K k_load_other(const __grid_constant__ Many m, uint32_t* out, const __grid_constant__ Sms sms) { uint64_t t0 = after(threadIdx.x); uint32_t x = m.v[252 + threadIdx.x / 1024]; uint64_t t1 = after(x); OPERAND(x, 412) uint64_t t2 = after(x);
  if (chosen(sms)) write(out, t1 - t0, t2 - t1); }
K k_operand_operand(const __grid_constant__ Many m, uint32_t* out, const __grid_constant__ Sms sms) { uint32_t x = threadIdx.x; uint64_t t0 = after(x); OPERAND(x, 252) uint64_t t1 = after(x); OPERAND(x, 412) uint64_t t2 = after(x);
  if (chosen(sms)) write(out, t1 - t0, t2 - t1); }
K k_operand_load(const __grid_constant__ Many m, uint32_t* out, const __grid_constant__ Sms sms) { uint32_t x = threadIdx.x; uint64_t t0 = after(x); OPERAND(x, 252) uint64_t t1 = after(x); uint32_t y = m.v[412 + threadIdx.x / 1024]; uint64_t t2 = after(y ^ x);
  if (chosen(sms)) write(out, t1 - t0, t2 - t1); }
K k_late_operand(const __grid_constant__ Many m, uint32_t* out, const __grid_constant__ Sms sms) { uint32_t x = threadIdx.x; __nanosleep(4000); uint64_t t0 = after(threadIdx.x); OPERAND(x, 252) uint64_t t1 = after(x);
  if (chosen(sms)) write(out, t1 - t0, 0); }
K k_chain(const __grid_constant__ Many m, uint32_t* out, const __grid_constant__ Sms sms) { if (!chosen(sms)) return; uint32_t at = threadIdx.x / 1024; uint64_t t0 = 0, t1 = 0;
#pragma unroll 1
  for (int lap = 0; lap < 2; lap++) { t0 = after(at);
#pragma unroll 1
    for (int i = 0; i < 600; i++) at = at + 16 + m.v[at] >= 984 ? m.v[at] : at + 16 + m.v[at];
    t1 = after(at); }
  write(out, t1 - t0, 0); }
static uint32_t* out_; static std::vector<uint32_t> h_(132 * 8 * 2);
static Sms of(const std::vector<int>& list) { Sms s = {}; for (int i : list) s.words[i / 32] |= 1u << (i % 32); return s; }
int main() {
  CHECK(cudaMalloc(&out_, 4ull * h_.size())); const std::vector<int> gpc = {2, 3, 18, 19, 34, 35, 50, 51, 64, 65, 78, 79, 92, 93, 106, 107};
  static Many m = {}; int bytes = 128 * 1024; std::vector<int> every; for (int i = 0; i < 132; i++) every.push_back(i);
  struct { const char* name; void (*kernel)(Many, uint32_t*, Sms); } kernels[] = {{"load", k_load}, {"operand", k_operand}, {"load, operand of its line", k_load_operand}, {"load, operand of another line", k_load_other}, {"operand, operand of another line", k_operand_operand}, {"operand, load of another line", k_operand_load}, {"operand after 4000 ns", k_late_operand}, {"600 loads", k_chain}};
  for (auto& k : kernels) { CHECK(cudaFuncSetAttribute((const void*)k.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    for (int warps : {1, 4, 8}) for (int n : {1, 2, 4, 8, 12, 16, 132}) { bool chain = k.kernel == k_chain; if (!chain && n != 1 && n != 132) continue;
      std::vector<int> list = n == 132 ? every : std::vector<int>(gpc.begin(), gpc.begin() + n); Sms s = of(list); double sum[2] = {}, by[16] = {};
      // One SM: one block. All: a block each.
      for (int lap = -2; lap < 8; lap++) { Sms here = !chain && n == 1 ? of(every) : s; int grid = !chain && n == 1 ? 1 : 132; CHECK(cudaMemset(out_, 0, 4ull * h_.size()));
        k.kernel<<<grid, 32 * warps, bytes>>>(m, out_, here); CHECK(cudaGetLastError()); CHECK(cudaMemcpy(h_.data(), out_, 4ull * h_.size(), cudaMemcpyDeviceToHost)); if (lap < 0) continue;
        for (int i = 0; i < 132; i++) for (int w = 0; w < warps; w++) for (int j = 0; j < 2; j++) sum[j] += h_[(i * 8 + w) * 2 + j];
        for (int i = 0; i < 16; i++) for (int w = 0; w < warps; w++) by[i] += h_[(gpc[i] * 8 + w) * 2] / (8.0 * warps); }
      double d = 8.0 * warps * n; printf("%s, %d SMs, %d warps: %.1f, %.1f", k.name, n, warps, sum[0] / d / (chain ? 600 : 1), sum[1] / d);
      if (n == 132) { printf("; SMs of a GPC:"); for (int i = 0; i < 16; i++) printf(" %.1f", by[i] / (chain ? 600 : 1)); } printf("\n"); } }
}
