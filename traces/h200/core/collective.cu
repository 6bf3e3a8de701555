// Lanes that meet at a collective in divergent code: cycles of one warp per turn of a loop, by the number of ways.
#include <cstdio>
#include <cstdint>
template <int W, int K> __global__ void k(uint32_t* out, int n) {
  int v = threadIdx.x, side = threadIdx.x % W; uint32_t t0 = clock();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    if (side == 0) { asm volatile("mad.lo.s32 %0, %0, 3, 1;" : "+r"(v)); if (K == 1) asm volatile("bar.warp.sync -1;" ::: "memory"); if (K == 2) v += __shfl_xor_sync(~0u, v, 1); if (K == 3) v += __ballot_sync(~0u, v & 1); }
    else if (side == 1) { asm volatile("mad.lo.s32 %0, %0, 5, 1;" : "+r"(v)); if (K == 1) asm volatile("bar.warp.sync -1;" ::: "memory"); if (K == 2) v += __shfl_xor_sync(~0u, v, 2); if (K == 3) v += __ballot_sync(~0u, v & 2); }
    else if (side == 2) { asm volatile("mad.lo.s32 %0, %0, 7, 1;" : "+r"(v)); if (K == 1) asm volatile("bar.warp.sync -1;" ::: "memory"); if (K == 2) v += __shfl_xor_sync(~0u, v, 4); if (K == 3) v += __ballot_sync(~0u, v & 4); }
    else { asm volatile("mad.lo.s32 %0, %0, 9, 1;" : "+r"(v)); if (K == 1) asm volatile("bar.warp.sync -1;" ::: "memory"); if (K == 2) v += __shfl_xor_sync(~0u, v, 8); if (K == 3) v += __ballot_sync(~0u, v & 8); }
  }
  uint32_t t1 = clock(); out[threadIdx.x * 2] = v; out[threadIdx.x * 2 + 1] = t1 - t0;
}
template <int W, int K> void run(uint32_t* d) { uint32_t h[64]; for (int r = 0; r < 2; r++) { k<W, K><<<1, 32>>>(d, 256); cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost); } printf("%s %d ways: %.1f cycles a turn, %s\n", K == 0 ? "nothing" : K == 1 ? "bar.warp.sync" : K == 2 ? "shfl.sync" : "vote.sync", W, h[1] / 256.0, cudaGetErrorString(cudaGetLastError())); }
int main() { uint32_t* d; cudaMalloc(&d, 4096); run<1,0>(d); run<2,0>(d); run<3,0>(d); run<4,0>(d); run<1,1>(d); run<2,1>(d); run<3,1>(d); run<4,1>(d); run<1,3>(d); run<2,3>(d); run<3,3>(d); run<4,3>(d); }
