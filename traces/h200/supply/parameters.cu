// The first reads of a launch's parameters as operands, one of every 64 bytes, by warps of one SM and of all: the clock after each.
// Alone every row is a launch after two others; for "flushed", where every row is a launch of its own:
//   ncu --cache-control all --clock-control none --metrics sm__cycles_elapsed.max ./parameters flushed
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define K extern "C" __global__ void
__device__ __forceinline__ uint64_t after(uint32_t x) { uint64_t t; asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 12345; @p trap; mov.u64 %0, %%clock64; }" : "=l"(t) : "r"(x) : "memory"); return t; }
struct Many { uint32_t v[1000]; };
// The parameters begin at 0x210: word 12 is at 0x240, the first of a line; words 0 to 11 lie in the line of the other parameters.
template <int N> __device__ __forceinline__ void read(const Many& m, uint32_t* out) {
  uint32_t x = threadIdx.x; uint64_t t[N + 1]; t[0] = after(x);
#pragma unroll
  for (int i = 0; i < N; i++) { asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(m.v[12 + 16 * i])); t[i + 1] = after(x); }
  if (threadIdx.x % 32 == 0) { uint32_t* o = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * N;
#pragma unroll
    for (int i = 0; i < N; i++) o[i] = t[i + 1] - t[i]; } }
K k_parameters_8(const __grid_constant__ Many m, uint32_t* out) { read<8>(m, out); }
K k_parameters_32(const __grid_constant__ Many m, uint32_t* out) { read<32>(m, out); }
static uint32_t* out_; static std::vector<uint32_t> h_(132 * 8 * 32); static bool flushed_;
static void row(int n, int blocks, int warps) {
  CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h_.data(), out_, 4ull * blocks * warps * n, cudaMemcpyDeviceToHost));
  printf("%d parameters, %d blocks of %d warps, %s, mean:", n, blocks, warps, flushed_ ? "flushed" : "again"); double all = 0;
  for (int i = 0; i < n; i++) { double s = 0; for (int w = 0; w < blocks * warps; w++) s += h_[w * n + i]; all += s; printf(" %.0f", s / (blocks * warps)); }
  printf(" | of a warp %.0f | block 0:", all / (blocks * warps)); for (int i = 0; i < n; i++) printf(" %u", h_[i]); printf("\n"); }
int main(int argc, char** argv) {
  flushed_ = argc > 1; CHECK(cudaMalloc(&out_, 4ull * h_.size())); static Many m = {};
  for (int n : {8, 32}) for (int blocks : {1, 132}) for (int warps : {1, 4, 8}) for (int lap = flushed_ ? 0 : -2; lap < (flushed_ ? 4 : 1); lap++) {
    if (n == 8) k_parameters_8<<<blocks, 32 * warps>>>(m, out_); else k_parameters_32<<<blocks, 32 * warps>>>(m, out_);
    if (lap >= 0) row(n, blocks, warps); } }
