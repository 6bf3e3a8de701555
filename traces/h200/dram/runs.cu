// Each thread writes so many words side by side, one after another, after so many lane exchanges (runs_WORDS_EXCHANGES).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
template <int P, int S> __device__ void runs(int* out) { int t = blockIdx.x * blockDim.x + threadIdx.x, v = t;
#pragma unroll
  for (int k = 0; k < S; k++) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(v));
#pragma unroll
  for (int k = 0; k < P; k++) asm volatile("st.global.u32 [%0], %1;" :: "l"(out + t * P + k), "r"(v + k) : "memory"); }
#define K(P, S) extern "C" __global__ void runs_##P##_##S(int* out) { runs<P, S>(out); }
K(16,0) K(16,1) K(16,5)
int main() {
  int* out; CHECK(cudaMalloc(&out, 1 << 27));
#define R(P, S) for (int g : {132, 264, 528, 1024, 2048}) { CHECK(cudaMemset(out, 0, 1 << 27)); runs_##P##_##S<<<g, 256>>>(out); CHECK(cudaDeviceSynchronize()); }
  R(16,0) R(16,1) R(16,5)
}
