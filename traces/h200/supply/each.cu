// The first use of straight code by each SM: when each block began, and the clock after every sixteenth (or less) of the code. Run it
// under a profiler that flushes the caches before each kernel, and alone, where each kernel runs a second time right after the first:
//   ncu --cache-control all --clock-control none --metrics sm__cycles_elapsed.max,sm__cycles_active.avg ./each flushed
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define K extern "C" __global__ void
#define FMA(R) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(R) : "f"(k));
__device__ __forceinline__ uint32_t now() { unsigned long long t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory"); return (uint32_t)t; }
__device__ __forceinline__ unsigned long long ns() { unsigned long long t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t) :: "memory"); return t; }
static const int G = 64;        // readings of a warp
struct Row { unsigned long long begin; uint32_t sm, t[G + 1]; };
// N instructions, the clock after every N / 64 of them; warps other than the first only run the code.
template <int N> __device__ __forceinline__ void straight(Row* __restrict__ out, float k) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3; uint32_t t[G + 1]; t[0] = now();
  unsigned long long begin = ns();
#pragma unroll
  for (int g = 0; g < G; g++) {
#pragma unroll
    for (int i = 0; i < N / G / 4; i++) { FMA(a) FMA(b) FMA(c) FMA(d) }
    t[g + 1] = now(); }
  if (threadIdx.x == 0) { Row* o = out + blockIdx.x; uint32_t sm; asm("mov.u32 %0, %%smid;" : "=r"(sm)); o->sm = sm; o->begin = begin;
#pragma unroll
    for (int g = 0; g <= G; g++) o->t[g] = t[g] - t[0]; }
  if (a + b + c + d == -1) out->sm = 0; }
K k_straight_512(Row* out, float k) { straight<512>(out, k); }
K k_straight_1024(Row* out, float k) { straight<1024>(out, k); }
K k_straight_4096(Row* out, float k) { straight<4096>(out, k); }
K k_straight_8192(Row* out, float k) { straight<8192>(out, k); }
static Row* out_; static bool flushed_;
static void rows(const char* head, int blocks, int warps, int lap) {
  CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); std::vector<Row> h(blocks); CHECK(cudaMemcpy(h.data(), out_, sizeof(Row) * blocks, cudaMemcpyDeviceToHost));
  std::sort(h.begin(), h.end(), [](const Row& a, const Row& b) { return a.t[G] < b.t[G]; });
  unsigned long long first = ~0ull; for (auto& r : h) first = std::min(first, r.begin);
  const char* state = flushed_ ? "flushed" : lap ? "again" : "once";
  printf("%s, %d blocks of %d warps, %s, SM:cycles(ns of its beginning)", head, blocks, warps, state); for (auto& r : h) printf(" %u:%u(%llu)", r.sm, r.t[G], r.begin - first); printf("\n");
  for (int i : {0, blocks / 2, blocks - 1}) { printf("  SM %3u:", h[i].sm); for (int g = 0; g < G; g++) printf(" %u", h[i].t[g + 1] - h[i].t[g]); printf("\n"); if (blocks == 1) break; }
  printf("  mean:  "); for (int g = 0; g < G; g++) { double s = 0; for (auto& r : h) s += r.t[g + 1] - r.t[g]; printf(" %.0f", s / blocks); } printf("\n"); }
#define CASE(N) for (int blocks : {1, 16, 66, 132}) for (int warps : {1, 8}) for (int lap = 0; lap < (flushed_ ? 1 : 2); lap++) { k_straight_##N<<<blocks, 32 * warps>>>(out_, 0.5f); rows("straight " #N, blocks, warps, lap); }
int main(int argc, char** argv) { flushed_ = argc > 1; CHECK(cudaMalloc(&out_, sizeof(Row) * 132)); CHECK(cudaMemset(out_, 0, sizeof(Row) * 132)); CASE(512) CASE(1024) CASE(4096) CASE(8192) }
