// Warps of a sub-partition in the same short loop of integer instructions behind shared loads, or behind a chain: do they stay in phase, and
// what does an iteration take? NOTE notes the clock of each iteration in global memory.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
// KIND 0: two shared loads of 16 bytes, one address for all lanes; 1: two of 4 bytes each; 2: of 16 bytes, lanes apart; 3: a chain of 8 shifts in their place; 4: a shuffle; 5: one load of 4 bytes
template <int KIND, bool NOTE> __device__ void body(const int* in, uint32_t* out, int rounds, int subs) {
  __shared__ __align__(16) int sx[2048], sy[2048]; int t = threadIdx.x, a = in[t], b = in[1024 + t], c = 0, lane = t % 32; uint32_t s = 0, e = 0, warp = t / 32;
  for (int k = t; k < 2048; k += blockDim.x) { sx[k] = in[k ^ 1]; sy[k] = in[k ^ 2]; } __syncthreads();
  if (warp % 4 >= subs) return;
  uint32_t* note = out + 4096 + warp * 64;
  for (int r = 0; r < 2; r++) { asm volatile("bar.sync 1, %0;" :: "r"((int)blockDim.x / 4 * subs) : "memory"); s = now();
#pragma unroll 1
    for (int k = 0; k < rounds; k++) {
      if (NOTE) note[k] = now();
      int x[4], y[4];
      if (KIND == 0 || KIND == 2) { int4 u = *(int4*)&sx[(KIND == 2 ? lane * 4 : 0) + k * 4], v = *(int4*)&sy[(KIND == 2 ? lane * 4 : 0) + k * 4]; x[0] = u.x; x[1] = u.y; x[2] = u.z; x[3] = u.w; y[0] = v.x; y[1] = v.y; y[2] = v.z; y[3] = v.w; }
      if (KIND == 1) { int u = sx[k], v = sy[k]; for (int j = 0; j < 4; j++) { x[j] = u + j; y[j] = v - j; } }
      if (KIND == 5) { int u = sx[k]; for (int j = 0; j < 4; j++) { x[j] = u + j; y[j] = u - j; } }
      if (KIND == 3) { int u = c; for (int j = 0; j < 8; j++) asm volatile("shf.l.wrap.b32 %0, %0, %1, 3;" : "+r"(u) : "r"(a)); for (int j = 0; j < 4; j++) { x[j] = u + j; y[j] = u - j; } }
      if (KIND == 4) { int u = __shfl_xor_sync(~0u, c, 1); for (int j = 0; j < 4; j++) { x[j] = u + j; y[j] = u - j; } }
#pragma unroll
      for (int j = 0; j < 4; j++) c += a > x[j] ? b : y[j];
    }
    e = now(); }
  if (lane == 0) out[warp] = e - s; out[64 + t] = c;
}
#define K(N, NOTE) extern "C" __global__ void __launch_bounds__(1024) k_alike_##N##_##NOTE(const int* in, uint32_t* out, int rounds, int subs) { body<N, NOTE>(in, out, rounds, subs); }
#define ALL(NOTE) K(0, NOTE) K(1, NOTE) K(2, NOTE) K(3, NOTE) K(4, NOTE) K(5, NOTE)
ALL(0) ALL(1)
#undef K
#define K(N, NOTE) k_alike_##N##_##NOTE,
int main() {
  int *in; uint32_t *out, h[8192]; CHECK(cudaMalloc(&in, 8192)); CHECK(cudaMalloc(&out, 32768)); int v[2048]; uint32_t x = 1; for (int& i : v) { x = x * 1664525u + 1013904223u; i = (int)x >> 2; } CHECK(cudaMemcpy(in, v, 8192, cudaMemcpyHostToDevice));
  void (*kernels[])(const int*, uint32_t*, int, int) = {ALL(0) ALL(1)};
  for (int k = 0; k < 12; k++) for (int subs : {1, 4}) for (int warps : {1, 2, 3, 4, 6, 8}) {
    kernels[k]<<<1, warps * 128>>>(in, out, 32, subs); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h, out, 32768, cudaMemcpyDeviceToHost));
    uint32_t most = 0; for (int w = 0; w < warps * 4; w++) if (w % 4 < subs) most = h[w] > most ? h[w] : most;
    printf("alike %d %d, %d sub-partitions, %d warps each: %.2f cycles an iteration", k % 6, k / 6, subs, warps, most / 32.0);
    if (k >= 6) { printf("; clocks"); for (int i = 0; i < 31; i++) { printf(" "); for (int w = 0; w < warps; w++) printf("%s%d", w ? "," : "", (int)(h[4096 + w * 256 + i] - h[4096])); } }
    printf("\n");
  }
}
