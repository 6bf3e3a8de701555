// Warps of one block that load rows of their own at once: when has each warp what it loaded, and how far are the warps apart?
// A thread loads WORDS values of BYTES each from a row of PITCH bytes that level two has; clocks before the loads, when the last is issued, when all are there.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
template <int BYTES> struct V; 
template <> struct V<4> { uint32_t v; __device__ void load(const char* p) { asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); } __device__ uint32_t sum() { return v; } };
template <> struct V<8> { uint32_t v, w; __device__ void load(const char* p) { asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "l"(p) : "memory"); } __device__ uint32_t sum() { return v ^ w; } };
template <> struct V<16> { uint32_t v, w, x, y; __device__ void load(const char* p) { asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : "l"(p) : "memory"); } __device__ uint32_t sum() { return v ^ w ^ x ^ y; } };
template <int WORDS, int BYTES, int PITCH> __device__ void body(const char* in, uint32_t* out) {
  uint32_t t = threadIdx.x, warp = (blockIdx.x * blockDim.x + t) / 32;
  const char* p = in + (size_t)(blockIdx.x * blockDim.x + t) * PITCH;
  V<BYTES> v[WORDS];
  // Level two has all of it, level one nothing.
  uint32_t near = 0;
  for (int k = 0; k < PITCH; k += 4) { uint32_t x; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(p + k) : "memory"); near |= x; }
  if (near == 0x12345) out[1] = near;
  __syncthreads(); for (uint32_t z = now(); now() - z < 3000;) { }
  __syncthreads();
  uint32_t a = now();
#pragma unroll
  for (int k = 0; k < WORDS; k++) v[k].load(p + k * BYTES);
  uint32_t b = now();
  uint32_t s = 0;
#pragma unroll
  for (int k = 0; k < WORDS; k++) s ^= v[k].sum();
  if (s == 0x12345) out[0] = s;
  uint32_t c = now();
  if (t % 32 == 0) { out[warp * 4] = a; out[warp * 4 + 1] = b; out[warp * 4 + 2] = c; out[warp * 4 + 3] = s; }
}
#define K(W, B, P) extern "C" __global__ void __launch_bounds__(512) k_at_once_##W##_##B##_##P(const char* in, uint32_t* out) { body<W, B, P>(in, out); }
#define ALL K(17, 8, 136) K(16, 4, 64) K(4, 16, 64) K(8, 4, 32) K(4, 4, 16) K(8, 8, 64) K(8, 4, 128) K(16, 4, 4) K(1, 4, 128) K(2, 4, 128) K(4, 4, 128) K(2, 4, 64) K(4, 4, 64) K(4, 8, 64)
ALL
#undef K
#define K(W, B, P) {#W " x " #B " of " #P, k_at_once_##W##_##B##_##P},
struct Kernel { const char* name; void (*f)(const char*, uint32_t*); };
int main() {
  char* in; uint32_t* out; const size_t N = 132 * 512 * 136; CHECK(cudaMalloc(&in, N)); CHECK(cudaMalloc(&out, 1 << 20)); CHECK(cudaMemset(in, 1, N));
  Kernel kernels[] = {ALL}; std::vector<uint32_t> h(1 << 16);
  for (auto& k : kernels) for (int grid : {1, 132}) for (int threads : {32, 64, 128, 256, 512}) {
    for (int rep = 0; rep < 2; rep++) { k.f<<<grid, threads>>>(in, out); CHECK(cudaDeviceSynchronize()); }   // the first one warms instructions
    CHECK(cudaMemcpy(h.data(), out, h.size() * 4, cudaMemcpyDeviceToHost));
    int warps = threads / 32; uint32_t z = ~0u; for (int w = 0; w < warps; w++) z = h[w * 4] < z ? h[w * 4] : z;
    printf("%s, %d blocks of %d threads: issued", k.name, grid, threads);
    for (int w = 0; w < warps; w++) printf(" %u", h[w * 4 + 1] - z);
    printf("; there"); for (int w = 0; w < warps; w++) printf(" %u", h[w * 4 + 2] - z);
    printf("\n");
  }
}
