// Which lane's word stays where several lanes of a warp store to one address, in shared and in global memory: each lane stores a value that
// names it (its number in each byte) to a place that a pattern gives; what is there afterwards is printed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16; return x; }
__device__ uint32_t place(int pattern, uint32_t lane) {
  if (pattern == 0) return 0;
  if (pattern == 1) return lane / 2;
  if (pattern == 2) return lane % 16;
  if (pattern == 3) return lane % 2;
  if (pattern == 4) return lane / 16;
  if (pattern == 5) return lane % 8;
  if (pattern == 6) return (lane / 4) % 4;
  if (pattern == 7) return 31 - lane / 3;
  if (pattern == 8) return (lane % 4) * 32;
  return mix(lane + 32 * pattern) % (pattern < 16 ? 4 : pattern < 24 ? 12 : 24) * (pattern % 2 ? 1 : 33);
}
template <class T> __device__ T named(uint32_t lane);
template <> __device__ uint8_t named<uint8_t>(uint32_t lane) { return lane + 1; }
template <> __device__ uint16_t named<uint16_t>(uint32_t lane) { return (lane + 1) * 0x101; }
template <> __device__ uint32_t named<uint32_t>(uint32_t lane) { return (lane + 1) * 0x1010101u; }
template <> __device__ uint2 named<uint2>(uint32_t lane) { uint32_t v = (lane + 1) * 0x1010101u; return make_uint2(v, v); }
template <> __device__ uint4 named<uint4>(uint32_t lane) { uint32_t v = (lane + 1) * 0x1010101u; return make_uint4(v, v, v, v); }
template <class T> __device__ void body(uint8_t* out, uint8_t* space, int pattern, int is_global, uint32_t active) {
  __shared__ __align__(16) uint8_t s[16 * 1024];
  uint32_t lane = threadIdx.x;
  for (int i = lane; i < 4096; i += 32) { ((uint32_t*)s)[i] = 0; ((uint32_t*)space)[i] = 0; }
  __syncwarp(); __threadfence();
  uint32_t at = place(pattern, lane);
  if (active >> lane & 1) { if (is_global) ((T*)space)[at] = named<T>(lane); else ((T*)s)[at] = named<T>(lane); }
  __syncwarp(); __threadfence();
  const uint8_t* from = is_global ? space : s;
  for (int i = lane; i < 4096; i += 32) ((uint32_t*)out)[i] = ((volatile const uint32_t*)from)[i];
}
#define K(N, T) extern "C" __global__ void N(uint8_t* out, uint8_t* space, int pattern, int is_global, uint32_t active) { body<T>(out, space, pattern, is_global, active); }
K(k_b8, uint8_t) K(k_b16, uint16_t) K(k_b32, uint32_t) K(k_b64, uint2) K(k_b128, uint4)
static uint8_t h[16384];
int main() {
  uint8_t *out, *space; CHECK(cudaMalloc(&out, 16384)); CHECK(cudaMalloc(&space, 16384));
  struct { const char* name; void (*f)(uint8_t*, uint8_t*, int, int, uint32_t); int size; } kernels[] = {{"b8", k_b8, 1}, {"b16", k_b16, 2}, {"b32", k_b32, 4}, {"b64", k_b64, 8}, {"b128", k_b128, 16}};
  for (int is_global = 0; is_global < 2; is_global++) for (auto& k : kernels) for (int pattern = 0; pattern < 32; pattern++) for (uint32_t active : {0xffffffffu, 0x5a3cf00fu}) {
    k.f<<<1, 32>>>(out, space, pattern, is_global, active); CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h, out, 16384, cudaMemcpyDeviceToHost));
    printf("%s %s pattern %d lanes %08x:", is_global ? "global" : "shared", k.name, pattern, active);
    for (int at = 0; at < 16384 / k.size; at++) {
      bool any = false, same = true;
      for (int b = 0; b < k.size; b++) { any |= h[at * k.size + b] != 0; same &= h[at * k.size + b] == h[at * k.size]; }
      if (!any) continue;
      if (same) printf(" %d=%d", at, h[at * k.size] - 1);
      else { printf(" %d=", at); for (int b = 0; b < k.size; b++) printf("%s%d", b ? "," : "", h[at * k.size + b] - 1); }
    }
    printf("\n");
  }
}
