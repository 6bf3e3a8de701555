// How often an SM reads special registers and constants: cycles per warp instruction and SM, by the number of warps.
#include <cstdio>
#include <cstdint>
__constant__ uint32_t table[1024];
#define R8(X) X X X X X X X X
#define R64(X) R8(R8(X))
template <int K> __global__ void k_special(uint32_t* out, uint32_t i) {
  uint32_t s = 0, v = 0; __syncthreads(); uint32_t t0 = clock();
  if (K == 0) { R64(asm volatile("mov.u32 %0, %%tid.x;" : "=r"(v)); s ^= v;) }
  if (K == 1) { R64(asm volatile("mov.u32 %0, %%laneid;" : "=r"(v)); s ^= v;) }
  if (K == 2) { R64(asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(v)); s ^= v;) }
  if (K == 3) { R64(asm volatile("mov.u32 %0, %%smid;" : "=r"(v)); s ^= v;) }
  if (K == 4) { uint32_t j = i + (threadIdx.x & 1 ? 0 : 0); R64(asm volatile("ld.const.u32 %0, [%1];" : "=r"(v) : "l"((uint64_t)0 + (uint64_t)j * 4)); s ^= v;) }
  if (K == 5) { R64(asm volatile("mov.u32 %0, %%clock;" : "=r"(v)); s ^= v;) }
  if (K == 6) { R64(asm volatile("mov.u32 %0, %%ntid.x;" : "=r"(v)); s ^= v;) }
  if (K == 7) { R64(asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(v)); s ^= v;) }
  uint32_t t1 = clock();
  if (s == 0x12345) out[100000] = s;
  __syncthreads(); uint32_t t2 = clock();
  if (threadIdx.x == 0) { out[0] = t2 - t0; out[1] = t1 - t0; }
}
template <int K> void run(const char* n, uint32_t* d) {
  printf("%-12s", n);
  for (int b : {32, 64, 128, 256, 512, 1024}) { uint32_t h[2]; for (int r = 0; r < 2; r++) { k_special<K><<<1, b>>>(d, 0); cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost); }
    printf(" %d warps: %.2f a warp, %.2f an SM;", b / 32, h[1] / 64.0, h[0] / 64.0 / (b / 32)); }
  printf(" %s\n", cudaGetErrorString(cudaGetLastError()));
}
// The start of a kernel: from the first instruction of a block to what its parameters say, with all SMs or one.
__global__ void k_start(uint32_t* out) {
  uint32_t t0; asm volatile("mov.u32 %0, %%clock;" : "=r"(t0));
  uint32_t a = threadIdx.x; uint32_t t1; asm volatile("mov.u32 %0, %%clock;" : "=r"(t1) : "r"(a) : "memory");
  uint32_t* p = out + blockIdx.x * 64 + (a >> 5) * 2;
  if ((a & 31) == 0) { p[0] = t1 - t0; uint32_t t2; asm volatile("mov.u32 %0, %%clock;" : "=r"(t2) :: "memory"); p[1] = t2 - t0; }
}
int main() {
  uint32_t* d; cudaMalloc(&d, 64 << 20);
  run<0>("tid.x", d); run<1>("laneid", d); run<2>("ctaid.x", d); run<3>("smid", d); run<4>("ld.const", d); run<5>("clock", d); run<6>("ntid.x", d); run<7>("lanemask", d);
  static uint32_t h[132 * 64];
  for (int g : {1, 2, 4, 9, 18, 33, 66, 132}) for (int b : {32, 1024}) for (int r = 0; r < 2; r++) {
    k_start<<<g, b>>>(d); cudaMemcpy(h, d, g * 64 * 4, cudaMemcpyDeviceToHost);
    double s1 = 0, s2 = 0; int m = 0; uint32_t mx = 0; for (int i = 0; i < g; i++) for (int w = 0; w < b / 32; w++) { s1 += h[i * 64 + w * 2]; s2 += h[i * 64 + w * 2 + 1]; mx = mx > h[i * 64 + w * 2 + 1] ? mx : h[i * 64 + w * 2 + 1]; m++; }
    printf("start grid %d block %d run %d: tid.x after %.0f, parameters after %.0f, at most %u\n", g, b, r, s1 / m, s2 / m, mx);
  }
}
