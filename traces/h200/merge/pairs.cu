// Stores of rows: warps of a block, one or more in each sub-partition, store COUNT values of BYTES to rows of their own, PITCH bytes apart, all at
// once or behind each other. Each launch is one row of the profiler: which stores find their line, and how many leave.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
template <int BYTES> __device__ __forceinline__ void store(char* p, uint32_t v) {
  if (BYTES == 4) asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory");
  if (BYTES == 8) asm volatile("st.global.v2.u32 [%0], {%1, %1};" :: "l"(p), "r"(v) : "memory");
  if (BYTES == 16) asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" :: "l"(p), "r"(v) : "memory");
}
template <int COUNT, int BYTES, int PITCH> __device__ void body(char* out, int rounds, int apart) {
  uint32_t t = threadIdx.x, w = t / 32;
  for (int r = 0; r < rounds; r++) {
    char* p = out + (((size_t)blockIdx.x * rounds + r) * blockDim.x + t) * PITCH;
    __syncthreads(); long long s = clock64() + 2000 + apart * w; while (clock64() < s) { }
#pragma unroll
    for (int k = 0; k < COUNT; k++) store<BYTES>(p + k * BYTES, t);
  }
}
#define K(C, B, P) extern "C" __global__ void __launch_bounds__(1024) k_pairs_##C##_##B##_##P(char* out, int rounds, int apart) { body<C, B, P>(out, rounds, apart); }
#define ALL K(4, 8, 32) K(2, 16, 32) K(8, 4, 32) K(4, 4, 32) K(2, 8, 32) K(16, 4, 64) K(8, 8, 64) K(4, 16, 64) K(4, 4, 16) K(2, 8, 16) K(8, 4, 128) K(8, 4, 132)
ALL
#undef K
#define K(C, B, P) {#C " x " #B " of " #P, k_pairs_##C##_##B##_##P},
struct Kernel { const char* name; void (*f)(char*, int, int); };
int main() {
  char* a; CHECK(cudaMalloc(&a, 1 << 30)); Kernel kernels[] = {ALL};
  for (auto& k : kernels) for (int threads : {32, 64, 96, 128, 256, 512}) for (int apart : {0, 16, 64, 400}) {
    if (threads == 32 && apart) continue;
    k.f<<<1, threads>>>(a, 16, apart); CHECK(cudaDeviceSynchronize());
    printf("%s, %d warps %d apart\n", k.name, threads / 32, apart);
  }
}
