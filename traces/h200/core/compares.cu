// Loops of comparisons, selections and predicated moves: what an iteration takes with 1 to 8 warps a sub-partition.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
template <int KIND> __device__ __forceinline__ int term(int a, int b, int x, int y) {
  if (KIND == 0) { int p = (a > x) - (a < x), q = (b > y) - (b < y); return p * q; }
  if (KIND == 1) return (a > x) - (a < x);
  if (KIND == 2) return a > x ? b : y;
  if (KIND == 3) return (a > x) + (b > y);
  if (KIND == 4) return min(a, x) + max(b, y);
  if (KIND == 5) return (a & x) | (b ^ y);
  return 0;
}
template <int KIND> __device__ void body(const int* in, uint32_t* out, int rounds) {
  __shared__ int sx[1024], sy[1024]; int t = threadIdx.x, a = in[t], b = in[1024 + t], c = 0; uint32_t s = 0, e = 0;
  sx[t] = in[t ^ 1]; sy[t] = in[1024 + (t ^ 2)]; __syncthreads();
  for (int r = 0; r < 2; r++) { __syncthreads(); s = now(); 
#pragma unroll 4
    for (int k = 0; k < rounds; k++) c += term<KIND>(a, b, sx[k], sy[k]);
    e = now(); }
  if (t % 32 == 0) out[t / 32] = e - s; out[64 + t] = c;
}
#define K(N) extern "C" __global__ void __launch_bounds__(1024) k_compares_##N(const int* in, uint32_t* out, int rounds) { body<N>(in, out, rounds); }
K(0) K(1) K(2) K(3) K(4) K(5)
int main() {
  int *in; uint32_t *out, h[64]; CHECK(cudaMalloc(&in, 8192)); CHECK(cudaMalloc(&out, 8192)); int v[2048]; uint32_t x = 1; for (int& i : v) { x = x * 1664525u + 1013904223u; i = (int)x >> 2; } CHECK(cudaMemcpy(in, v, 8192, cudaMemcpyHostToDevice));
  void (*kernels[])(const int*, uint32_t*, int) = {k_compares_0, k_compares_1, k_compares_2, k_compares_3, k_compares_4, k_compares_5};
  for (int k = 0; k < 6; k++) for (int threads : {32, 128, 256, 384, 512, 1024}) {
    kernels[k]<<<1, threads>>>(in, out, threads < 256 ? 128 : 256); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h, out, 256, cudaMemcpyDeviceToHost));
    uint32_t most = 0; for (int w = 0; w < threads / 32; w++) most = h[w] > most ? h[w] : most;
    int n = threads < 256 ? 128 : 256; if (n > threads) n = threads; 
    printf("compares %d, %d threads: %.2f cycles a term\n", k, threads, most / (double)(threads < 256 ? 128 : 256));
  }
}
