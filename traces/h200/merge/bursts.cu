// Several warps of a sub-partition that store in bursts at the same time: which stores of a warp still leave level one as one? So many
// warps in one sub-partition or in each of the four, of one block (behind a barrier) or of a block each, store to the same lines so many
// times. Each launch is one row of the profiler.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define ST(p, v) asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory")
// Word k of LINES words a lane, so that a store writes to LINES lines; of one line the even and the odd words.
template <int LINES, int STORES> __device__ __forceinline__ void burst(uint32_t* p, uint32_t lane, uint32_t v) {
#pragma unroll
  for (int k = 0; k < STORES; k++) {
    if (LINES == 1) { if (lane % 2 == k % 2) ST(p + lane, v); }
    else ST(p + LINES * lane + k % LINES + k / LINES * 32 * LINES, v);
  }
}
template <int LINES, int STORES> __device__ void body(uint32_t* out, int rounds, int subs, int apart) {
  uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = gridDim.x * (blockDim.x / 32), w = blockIdx.x * (blockDim.x / 32) + warp, v = lane, sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (sm != 0) return;
  long long begin = (clock64() >> 14) + 1;
  for (int r = 0; r < rounds; r++) {
    uint32_t* p = out + (size_t)(r * warps + w) * 1024;
    while (clock64() < (begin + r) << 14) { }
    __syncthreads();
    if (apart) { long long t = clock64() + apart * (w % 37); while (clock64() < t) { } }
    if (warp % 4 < subs) burst<LINES, STORES>(p, lane, v);
  }
}
#define K(L, S) extern "C" __global__ void __launch_bounds__(1024) bursts_##L##_##S(uint32_t* out, int rounds, int subs, int apart) { body<L, S>(out, rounds, subs, apart); }
#define ALL K(1, 2) K(2, 2) K(2, 4) K(2, 8) K(4, 2) K(4, 4) K(4, 8) K(8, 2) K(8, 4) K(16, 2) K(16, 4)
ALL
struct Kernel { int lines, stores; void (*f)(uint32_t*, int, int, int); };
#undef K
#define K(L, S) {L, S, bursts_##L##_##S},
int main() {
  uint32_t* a; CHECK(cudaMalloc(&a, 1 << 29));
  Kernel kernels[] = {ALL};
  for (auto& k : kernels) for (int blocks : {0, 1}) for (int n : {1, 2, 3, 4, 6, 8}) for (int subs : {1, 2, 4}) for (int apart : {0, 16}) {
    if (apart && (subs != 4 || n < 2)) continue;
    int grid = blocks ? 132 * n : 132, threads = blocks ? 128 : 128 * n;
    k.f<<<grid, threads>>>(a, 16, subs, apart); CHECK(cudaDeviceSynchronize());
    printf("%d stores to %d lines, %d warps of %s in %d sub-partitions, %d apart\n", k.stores, k.lines, n, blocks ? "a block each" : "one block", subs, apart);
  }
}
