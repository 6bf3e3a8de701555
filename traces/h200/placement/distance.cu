// How far each SM is from what it shares with others: code and constants behind its own caches, and level two. One lane of one warp on
// every SM, all at once; cycles a step. SMs stand by GPC, one of each TPC (placement.txt), those of no GPC last.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define K extern "C" __global__ void
struct Row { uint32_t sm, cycles[2]; };
__device__ __forceinline__ uint32_t now() { unsigned long long t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory"); return (uint32_t)t; }
__device__ __forceinline__ void note(Row* out, int lap, uint32_t cycles) { uint32_t sm; asm("mov.u32 %0, %%smid;" : "=r"(sm)); if (!threadIdx.x) { out[blockIdx.x].sm = sm; out[blockIdx.x].cycles[lap] = cycles; } }
// code that follows: N instructions
template <int N> __device__ __forceinline__ void straight(Row* out, float k) { float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 1
  for (int lap = 0; lap < 3; lap++) { uint32_t t0 = now();
#pragma unroll
    for (int i = 0; i < N / 4; i++) { asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(k)); asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(b) : "f"(k)); asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(c) : "f"(k)); asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(d) : "f"(k)); }
    if (lap) note(out, lap - 1, now() - t0); }
  if (a + b + c + d == -1) out->sm = 0; }
K k_straight_4096(Row* out, float k) { straight<4096>(out, k); }
// code: jumps over 28 instructions each, 512 bytes from one to the next
#define SKIP asm volatile("{ .reg .pred q; setp.ne.u32 q, %2, 0; @q bra S%=; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1; S%=: }" : "+f"(a) : "f"(k), "r"(yes));
template <int N> __device__ __forceinline__ void jumps(Row* out, float k, int yes) { float a = threadIdx.x;
#pragma unroll 1
  for (int lap = 0; lap < 3; lap++) { uint32_t t0 = now();
#pragma unroll
    for (int i = 0; i < N; i++) { SKIP }
    if (lap) note(out, lap - 1, now() - t0); }
  if (a == -1) out->sm = 0; }
K k_jumps_128(Row* out, float k, int yes) { jumps<128>(out, k, yes); }
K k_jumps_64(Row* out, float k, int yes) { jumps<64>(out, k, yes); }
// constants: a chain of loads, 64 bytes from one to the next
__constant__ uint32_t c_words[16384];
K k_chain(Row* out, int words, int stride, int n) { uint32_t at = 0;
  for (int lap = 0; lap < 3; lap++) { uint32_t t0 = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) at = (at + stride + c_words[at]) & (words - 1);
    uint32_t t = now() - t0 + (at >> 31); if (lap) note(out, lap - 1, t); } }
// level two: a chain of loads that pass L1, of lines at random; in the second lap all have a copy in the near half
K k_level_two(const uint32_t* __restrict__ in, Row* out, uint32_t mask, int n) { uint32_t v = 0;
#pragma unroll 1
  for (int lap = 0; lap < 3; lap++) { uint32_t t0 = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) { uint32_t at = ((i * 0x9e3779b9u) >> 7 & mask) * 32 + v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(in + at)); }
    uint32_t t = now() - t0 + v; if (lap) note(out, lap - 1, t); } }
K k_atomic(uint32_t* in, Row* out, uint32_t mask, int n) { uint32_t v = 0;
#pragma unroll 1
  for (int lap = 0; lap < 3; lap++) { uint32_t t0 = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) { uint32_t at = ((i * 0x9e3779b9u) >> 7 & mask) * 32 + v; v = atomicAdd(in + at, 0u); }
    uint32_t t = now() - t0 + v; if (lap) note(out, lap - 1, t); } }
static Row* out_;
static void rows(const char* head, double n) {
  CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); std::vector<Row> h(132); CHECK(cudaMemcpy(h.data(), out_, sizeof(Row) * 132, cudaMemcpyDeviceToHost));
  double at[132] = {}; double sum = 0; for (auto& r : h) { at[r.sm] = r.cycles[1] / n; sum += r.cycles[1] / n; }
  static const int first[8][9] = {{0, 16, 32, 48, -1}, {2, 18, 34, 50, 64, 78, 92, 106, -1}, {4, 20, 36, 52, 66, 80, 94, 108, -1}, {6, 22, 38, 54, 68, 82, 96, 110, -1}, {8, 24, 40, 56, 70, 84, 98, 112, -1}, {10, 26, 42, 58, 72, 86, 100, 114, -1}, {12, 28, 44, 60, 74, 88, 102, 116, 120}, {14, 30, 46, 62, 76, 90, 104, 118, 122}};
  printf("%s, mean %.2f:", head, sum / 132); for (auto& g : first) { printf(" |"); for (int i = 0; i < 9 && g[i] >= 0; i++) printf(" %.2f", (at[g[i]] + at[g[i] + 1]) / 2); } printf(" | others"); for (int s = 124; s < 132; s += 2) printf(" %.2f", (at[s] + at[s + 1]) / 2); printf("\n"); }
int main() {
  CHECK(cudaMalloc(&out_, sizeof(Row) * 132)); uint32_t* in; CHECK(cudaMalloc(&in, 64 << 20)); CHECK(cudaMemset(in, 0, 64 << 20)); static uint32_t zero[16384]; CHECK(cudaMemcpyToSymbol(c_words, zero, sizeof zero));
  for (int again = 0; again < 2; again++) {
    k_straight_4096<<<132, 32>>>(out_, 0.5f); rows("straight 4096", 4096);
    k_jumps_128<<<132, 32>>>(out_, 0.5f, 1); rows("128 jumps", 128);
    k_jumps_64<<<132, 32>>>(out_, 0.5f, 1); rows("64 jumps", 64);
    k_chain<<<132, 32>>>(out_, 2048, 16, 128); rows("constants 8 KiB by 64 bytes", 128);
    k_chain<<<132, 32>>>(out_, 256, 16, 128); rows("constants 1 KiB by 64 bytes", 128);
    k_level_two<<<132, 1>>>(in, out_, (1 << 13) - 1, 4096); rows("level two, loads", 4096);
    k_atomic<<<132, 1>>>(in, out_, (1 << 13) - 1, 4096); rows("level two, atomic operations", 4096);
  }
}
