// In which order lanes of one atomic operation on one word act: the old values that they get.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16; return x; }
__device__ uint32_t place(int pattern, uint32_t lane) {
  switch (pattern) { case 0: return 0; case 1: return lane / 2; case 2: return lane % 16; case 3: return lane % 2; case 4: return lane / 16; case 5: return (lane % 4) * 32; case 6: return (lane / 4) % 4; }
  return mix(lane + 32 * pattern) % (pattern < 12 ? 4 : 12) * (pattern % 2 ? 1 : 33);
}
template <int KIND> __device__ void body(uint32_t* out, uint32_t* space, int pattern, int is_global, uint32_t active) {
  __shared__ uint32_t s[4096]; uint32_t lane = threadIdx.x;
  for (int i = lane; i < 4096; i += 32) { s[i] = 0; space[i] = 0; }
  __syncwarp(); __threadfence();
  uint32_t at = place(pattern, lane), old = 0; uint32_t* p = is_global ? space + at : s + at;
  if (active >> lane & 1) {
    if (KIND == 0) old = is_global ? atomicExch(space + at, lane + 1) : atomicExch(s + at, lane + 1);
    if (KIND == 1) old = is_global ? atomicAdd(space + at, mix(lane) | 1) : atomicAdd(s + at, mix(lane) | 1);
    if (KIND == 2) old = is_global ? atomicMax(space + at, mix(lane)) : atomicMax(s + at, mix(lane));
    if (KIND == 3) old = is_global ? atomicCAS(space + at, 0, lane + 1) : atomicCAS(s + at, 0, lane + 1);
  }
  out[lane] = old;
  __syncwarp(); __threadfence();
  out[32 + lane] = *(volatile uint32_t*)p;
}
#define K(N, KIND) extern "C" __global__ void N(uint32_t* out, uint32_t* space, int pattern, int is_global, uint32_t active) { body<KIND>(out, space, pattern, is_global, active); }
K(k_exch, 0) K(k_add, 1) K(k_max, 2) K(k_cas, 3)
static uint32_t h[64];
int main() {
  uint32_t *out, *space; CHECK(cudaMalloc(&out, 4096)); CHECK(cudaMalloc(&space, 16384));
  struct { const char* name; void (*f)(uint32_t*, uint32_t*, int, int, uint32_t); } ks[] = {{"exch", k_exch}, {"add", k_add}, {"max", k_max}, {"cas", k_cas}};
  for (int g = 0; g < 2; g++) for (auto& k : ks) for (int pattern = 0; pattern < 16; pattern++) for (uint32_t active : {0xffffffffu, 0x5a3cf00fu}) {
    k.f<<<1, 32>>>(out, space, pattern, g, active); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h, out, 256, cudaMemcpyDeviceToHost));
    printf("%s %s pattern %d lanes %08x old", g ? "global" : "shared", k.name, pattern, active); for (int i = 0; i < 32; i++) if (active >> i & 1) printf(" %d:%x", i, h[i]); printf("\n");
  }
}
