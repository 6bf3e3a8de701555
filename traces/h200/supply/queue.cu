// Loads of constants: how many go at a time when the cache has their line, how many a sub-partition takes while a line is on its way,
// and who waits. One block on one SM; the clock is read just after each load has issued. Means of eight and four launches.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define K extern "C" __global__ void
struct Many { uint32_t v[1000]; };
__device__ __forceinline__ uint64_t now() { uint64_t t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory"); return t; }
__device__ __forceinline__ uint64_t after(uint32_t x) { uint64_t t; asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 12345; @p trap; mov.u64 %0, %%clock64; }" : "=l"(t) : "r"(x) : "memory"); return t; }
#define LOAD(K, X, AT) asm volatile("{ .reg .u64 a; mov.b64 a, " #K "_param_0; add.u64 a, a, %1; ld.param.u32 %0, [a]; }" : "=r"(X) : "l"(uint64_t(AT)) : "memory")
// 64 loads of four lines that are there, 16 at a time without a wait.
K k_rate(const __grid_constant__ Many m, uint64_t* out) { uint32_t x[16], sum = 0; uint64_t at = 1008 + threadIdx.x / 1024; LOAD(k_rate, x[0], at); LOAD(k_rate, x[1], at + 64); LOAD(k_rate, x[2], at + 128); LOAD(k_rate, x[3], at + 192);
  uint64_t t = after(x[0] + x[1] + x[2] + x[3]); __syncthreads(); uint64_t t0 = after(t);
#pragma unroll
  for (int i = 0; i < 64; i += 16) {
#pragma unroll
    for (int j = 0; j < 16; j++) LOAD(k_rate, x[j], at + 4 * (i + j));
#pragma unroll
    for (int j = 0; j < 16; j++) sum += x[j]; }
  uint64_t t1 = after(sum); if (threadIdx.x % 32 == 0) { out[threadIdx.x / 32 * 8] = t0; out[threadIdx.x / 32 * 8 + 1] = t1; } }
#define STORES _Pragma("unroll") for (int j = 0; j < 16; j++) asm volatile("st.shared.u64 [%0], %1;" :: "r"(uint32_t(threadIdx.x / 1024 + j * 8)), "l"(x[j]) : "memory");
#define KNOWN(J, AT) asm volatile("{ .reg .u64 a; mov.b64 a, k_known_param_0; ld.param.u64 %0, [a+" #AT "]; }" : "=l"(x[J]) :: "memory");
// 32 loads of pairs of words at known places of lines that are there.
K k_known(const __grid_constant__ Many m, uint64_t* out) { uint64_t x[16]; uint64_t at = 1008 + threadIdx.x / 1024; uint32_t y[5]; LOAD(k_known, y[0], at); LOAD(k_known, y[1], at + 64); LOAD(k_known, y[2], at + 128); LOAD(k_known, y[3], at + 192); LOAD(k_known, y[4], at + 256);
  uint64_t t = after(y[0] + y[1] + y[2] + y[3] + y[4]); __syncthreads(); uint64_t t0 = after(t);
  KNOWN(0, 1008) KNOWN(1, 1016) KNOWN(2, 1024) KNOWN(3, 1032) KNOWN(4, 1040) KNOWN(5, 1048) KNOWN(6, 1056) KNOWN(7, 1064) KNOWN(8, 1072) KNOWN(9, 1080) KNOWN(10, 1088) KNOWN(11, 1096) KNOWN(12, 1104) KNOWN(13, 1112) KNOWN(14, 1120) KNOWN(15, 1128)
  STORES
  KNOWN(0, 1136) KNOWN(1, 1144) KNOWN(2, 1152) KNOWN(3, 1160) KNOWN(4, 1168) KNOWN(5, 1176) KNOWN(6, 1184) KNOWN(7, 1192) KNOWN(8, 1200) KNOWN(9, 1208) KNOWN(10, 1216) KNOWN(11, 1224) KNOWN(12, 1232) KNOWN(13, 1240) KNOWN(14, 1248) KNOWN(15, 1256)
  STORES
  uint64_t t1 = after(uint32_t(x[15])); if (threadIdx.x % 32 == 0) { out[threadIdx.x / 32 * 8] = t0; out[threadIdx.x / 32 * 8 + 1] = t1; } }
// Four loads of lines that are not there, STEP bytes apart from one to the next and APART from warp to warp.
#define COLD(NAME, STEP, APART) K NAME(const __grid_constant__ Many m, uint64_t* out) { uint32_t x[4]; uint64_t t[6], at = 1008 + threadIdx.x / 1024 + threadIdx.x / 32 * APART; t[5] = after(threadIdx.x); __syncthreads(); t[0] = after(t[5]); \
  LOAD(NAME, x[0], at); t[1] = now(); LOAD(NAME, x[1], at + STEP); t[2] = now(); LOAD(NAME, x[2], at + 2 * STEP); t[3] = now(); LOAD(NAME, x[3], at + 3 * STEP); t[4] = now(); t[5] = after(x[0] + x[1] + x[2] + x[3]); \
  if (threadIdx.x % 32 == 0) for (int i = 0; i < 6; i++) out[threadIdx.x / 32 * 8 + i] = t[i]; }
COLD(k_same, 4, 0)
COLD(k_lines, 64, 0)
COLD(k_apart, 4, 64)
// Four warps load a line that is not there; then all exchange a value among lanes and load a line that is.
K k_mixed(const __grid_constant__ Many m, uint64_t* out) { uint32_t x[4]; uint64_t t[6], at = 1008 + threadIdx.x / 1024; LOAD(k_mixed, x[1], at); t[5] = after(x[1]); __syncthreads(); t[0] = after(t[5]); x[1] = threadIdx.x;
  if (threadIdx.x < 128) LOAD(k_mixed, x[0], at + 640); else x[0] = 0; t[1] = now(); asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x[1])); t[2] = after(x[1]); LOAD(k_mixed, x[2], at + 4); t[3] = now(); t[4] = after(x[2]); t[5] = after(x[0]);
  if (threadIdx.x % 32 == 0) for (int i = 0; i < 6; i++) out[threadIdx.x / 32 * 8 + i] = t[i]; }
static uint64_t* out_; static uint64_t h_[32 * 8];
typedef void (*Kernel)(Many, uint64_t*);
static void launch(Kernel k, int warps) { static Many m = {}; CHECK(cudaMemset(out_, 0, sizeof h_)); k<<<1, 32 * warps>>>(m, out_); CHECK(cudaGetLastError()); CHECK(cudaMemcpy(h_, out_, sizeof h_, cudaMemcpyDeviceToHost)); }
int main() {
  CHECK(cudaMalloc(&out_, sizeof h_));
  for (bool known : {false, true}) for (int warps : {1, 2, 4, 8, 16, 32}) { double sum = 0; for (int lap = -2; lap < 8; lap++) { launch(known ? k_known : k_rate, warps); if (lap < 0) continue; uint64_t first = ~0ull, last = 0;
      for (int w = 0; w < warps; w++) { first = std::min(first, h_[w * 8]); last = std::max(last, h_[w * 8 + 1]); } sum += double(last - first) / 8; }
    int loads = known ? 32 : 64; printf("rate%s, %d warps: %.2f cycles a load of a warp, %.2f of the SM\n", known ? " at known places" : "", warps, sum / loads, sum / loads / warps); }
  struct { const char* name; Kernel kernel; } kernels[] = {{"same line", k_same}, {"four lines", k_lines}, {"a line a warp", k_apart}, {"mixed", k_mixed}};
  for (auto& k : kernels) for (int warps : {1, 4, 8, 16, 32}) { double t[32][6] = {}; uint64_t base = 0;
      for (int lap = -2; lap < 4; lap++) { launch(k.kernel, warps); if (lap < 0) continue; base = ~0ull; for (int w = 0; w < warps; w++) base = std::min(base, h_[w * 8]);
        for (int w = 0; w < warps; w++) for (int i = 0; i < 6; i++) t[w][i] += double(h_[w * 8 + i] - base) / 4; }
      printf("%s, %d warps:", k.name, warps); for (int w = 0; w < warps; w += 1) { if (w % 4 != 0 && warps > 8) continue; printf(" [%d:", w); for (int i = 0; i < 6; i++) printf(" %.0f", t[w][i]); printf("]"); } printf("\n"); }
}
