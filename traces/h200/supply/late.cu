// Parameters read late: by loads and as operands, of a line that was read at the start and of others, after a wait of so many
// cycles in a short loop or after so much straight code. Run alone each kernel runs twice; for "flushed":
//   ncu --cache-control all --clock-control none --metrics sm__cycles_elapsed.max ./late flushed
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define K extern "C" __global__ void
#define FMA(R) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(R) : "f"(k));
__device__ __forceinline__ uint32_t now() { unsigned long long t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory"); return (uint32_t)t; }
struct Many { int v[256]; };
static const int READINGS = 12;
// A load of word i of the parameters, and the clock once it is there.
#define LOAD(I) { zero += m.v[(I) + zero]; t[n++] = now() + (zero >> 31); }
// The same as an operand.
#define OPERAND(I) { asm volatile("add.s32 %0, %0, %1;" : "+r"(zero) : "r"(m.v[I])); t[n++] = now() + (zero >> 31); }
template <int CODE> __device__ __forceinline__ void late(uint32_t* __restrict__ out, int zero, int cycles, float k, const Many& m) {
  uint32_t t[READINGS + 1]; int n = 0; float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  t[n++] = now(); LOAD(0) OPERAND(1)
  uint32_t from = now(); if (cycles) while (now() - from < cycles) {}
#pragma unroll
  for (int i = 0; i < CODE / 4; i++) { FMA(a) FMA(b) FMA(c) FMA(d) }
  t[n++] = now(); LOAD(2) LOAD(3) LOAD(32) LOAD(33) LOAD(64) OPERAND(4) OPERAND(36) OPERAND(37) OPERAND(100)
  if (threadIdx.x % 32 == 0) { uint32_t* o = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * READINGS;
#pragma unroll
    for (int i = 0; i < READINGS; i++) o[i] = t[i + 1] - t[i]; }
  if (a + b + c + d == -1) out[0] = 0; }
#define LATE(CODE) K k_late_##CODE(uint32_t* out, int zero, int cycles, float k, const __grid_constant__ Many m) { late<CODE>(out, zero, cycles, k, m); }
LATE(0) LATE(256) LATE(512) LATE(1024) LATE(2048)
static uint32_t* out_; static std::vector<uint32_t> h_(132 * 8 * READINGS); static Many m_; static bool flushed_;
typedef void Kernel(uint32_t*, int, int, float, const Many);
static void run(const char* head, Kernel* kernel, int cycles) {
  for (int blocks : {1, 132}) for (int warps : {1, 8}) for (int lap = 0; lap < (flushed_ ? 1 : 2); lap++) {
    kernel<<<blocks, 32 * warps>>>(out_, 0, cycles, 0.5f, m_); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h_.data(), out_, 4ull * blocks * warps * READINGS, cudaMemcpyDeviceToHost));
    printf("%s %d, %d blocks of %d warps, %s, mean:", head, cycles, blocks, warps, flushed_ ? "flushed" : lap ? "again" : "once");
    for (int i = 0; i < READINGS; i++) { double s = 0; for (int w = 0; w < blocks * warps; w++) s += h_[w * READINGS + i]; printf(" %.0f", s / (blocks * warps)); }
    printf(" | block 0:"); for (int i = 0; i < READINGS; i++) printf(" %u", h_[i]); printf("\n"); } }
int main(int argc, char** argv) {
  flushed_ = argc > 1; CHECK(cudaMalloc(&out_, 4ull * h_.size()));
  for (int cycles : {0, 500, 1000, 2000, 4000, 16000}) run("wait", k_late_0, cycles);
  run("code 256", k_late_256, 0); run("code 512", k_late_512, 0); run("code 1024", k_late_1024, 0); run("code 2048", k_late_2048, 0); }
