// Lane exchanges and accesses to shared memory of one warp beside warps that store to many lines, of its own sub-partition or of another:
// what each takes, one after another (chain) or eight at a time (burst).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ uint32_t shuffle(uint32_t v) { uint32_t r; asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(r) : "r"(v) : "memory"); return r; }
template <int KIND> __device__ void body(uint32_t* out, int pitch, int storing, int where, int own) {
  __shared__ uint32_t s[1024]; __shared__ volatile int stop; __shared__ uint32_t count;
  uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32, sub = warp % 4, nth = warp / 4;
  if (t == 0) { stop = 0; count = 0; } s[t] = lane;
  __syncthreads();
  if (warp == 0) {
    uint32_t v = lane, a = 0, b = 0;
    for (int r = 0; r < 2; r++) { a = now();
      if (KIND == 0) for (int k = 0; k < 64; k++) v = shuffle(v);
      if (KIND == 1) for (int k = 0; k < 64; k++) v = s[v];
      if (KIND == 2) for (int k = 0; k < 8; k++) { uint32_t w[8];
#pragma unroll
        for (int j = 0; j < 8; j++) w[j] = shuffle(v + j);
#pragma unroll
        for (int j = 0; j < 8; j++) v ^= w[j]; }
      if (KIND == 3) for (int k = 0; k < 64; k++) out[(size_t)k * 8192 + lane * (own / 4)] = v;
      b = now(); }
    __threadfence_block(); stop = 1;
    if (lane == 0) { out[1 << 22] = b - a; out[(1 << 22) + 1] = v; }
  } else if (where == 0 ? (sub == 0 && nth <= storing) : (sub == where && nth < storing)) {
    uint32_t* p = out + warp * 8192 + lane * (pitch / 4); uint32_t n = 0;
    while (!stop) {
#pragma unroll
      for (int k = 0; k < 16; k++) asm volatile("st.global.u32 [%0], %1;" :: "l"(p + k % 8), "r"(n) : "memory");
      n += 16; }
    if (lane == 0) atomicAdd(&count, n);
  }
  __syncthreads(); if (t == 0) out[(1 << 22) + 2] = count;
}
#define K(N, KIND) extern "C" __global__ void __launch_bounds__(1024) N(uint32_t* out, int pitch, int storing, int where, int own) { body<KIND>(out, pitch, storing, where, own); }
K(k_exchange_shuffle, 0) K(k_exchange_shared, 1) K(k_exchange_burst, 2) K(k_exchange_store, 3)
int main() {
  uint32_t *out, h[3]; CHECK(cudaMalloc(&out, 1 << 25));
  struct { const char* name; void (*f)(uint32_t*, int, int, int, int); } kernels[] = {{"shuffles", k_exchange_shuffle}, {"shared loads", k_exchange_shared}, {"bursts of shuffles", k_exchange_burst}, {"stores", k_exchange_store}};
  for (auto& k : kernels) for (int pitch : {32, 64, 128}) for (int where : {0, 1}) for (int storing : {0, 1, 2, 4, 7}) {
    int own = 4; 
    for (int rep = 0; rep < 2; rep++) { k.f<<<1, 1024>>>(out, pitch, storing, where, own); CHECK(cudaDeviceSynchronize()); }
    CHECK(cudaMemcpy(h, out + (1 << 22), 12, cudaMemcpyDeviceToHost));
    printf("%s, %d warps of %s sub-partition store to %d lines: %.1f cycles each, a store every %.1f\n", k.name, storing, where ? "another" : "the same", 32 * pitch / 128, h[0] / 64.0, h[2] ? h[0] * 2.0 / h[2] : 0.0);
  }
}
