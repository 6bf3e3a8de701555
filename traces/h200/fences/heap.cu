// What malloc and free on the device take: `lanes` of each of so many warps ask for `size` bytes `rounds` times, then give all back.
#include "../harness.cuh"
__device__ __forceinline__ uint32_t now() { uint32_t c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c) :: "memory"); return c; }
K heap(uint32_t* out, int lanes, int size, int rounds, int back_at_once) {
  void* p[16]; int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32; uint32_t t0 = now(), t1 = 0, t2;
  if (lane < lanes) {
    if (back_at_once) { for (int i = 0; i < rounds; i++) { void* q = malloc(size); *(volatile int*)q = i; free(q); } t1 = now(); }
    else { for (int i = 0; i < rounds; i++) p[i] = malloc(size); t1 = now(); for (int i = 0; i < rounds; i++) free(p[i]); }
  }
  t2 = now(); if (lane == 0) { out[2 * warp] = t1 - t0; out[2 * warp + 1] = t2 - t1; }
}
int main() {
  uint32_t* o; CHECK(cudaMalloc(&o, 1 << 20)); puts("blocks,warps,lanes,size,rounds,back_at_once,cycles of a call: malloc,free,most of both");
  for (int pass = 0; pass < 1; pass++)
    for (int back : {0, 1}) for (int size : {16, 256, 4096}) for (int lanes : {1, 2, 4, 8, 32}) for (int warps : {1, 4, 16}) for (int blocks : {1, 16, 132}) {
      if (blocks > 1 && warps > 4 || size == 4096 && (blocks > 16) || back && size != 16) continue;
      int rounds = 8; heap<<<blocks, warps * 32>>>(o, lanes, size, rounds, back); CHECK(cudaDeviceSynchronize()); int n = blocks * warps;
      std::vector<uint32_t> h(n * 2); CHECK(cudaMemcpy(h.data(), o, n * 8, cudaMemcpyDeviceToHost)); double a = 0, f = 0; uint32_t most = 0; for (int i = 0; i < n; i++) { a += h[2 * i]; f += h[2 * i + 1]; uint32_t x = h[2 * i] + h[2 * i + 1]; most = x > most ? x : most; }
      printf("%d,%d,%d,%d,%d,%d,%.0f,%.0f,%.0f\n", blocks, warps, lanes, size, rounds, back, a / n / rounds, f / n / rounds, most / (double)rounds); fflush(stdout);
    }
}
