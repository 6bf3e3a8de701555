// Which lines of a page wait for a refresh, and when: eight warps load every line of a page of 2 MiB that nobody has loaded before, one at a
// time each and in a mixed order, and note nanoseconds and cycles.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ uint32_t nanoseconds() { uint32_t t; asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(t) :: "memory"); return t; }
constexpr int LINES = 16384, WARPS = 8, EACH = LINES / WARPS;
extern "C" __global__ void k_turns(const uint32_t* in, uint2* out) {
  uint32_t sum = 0;
  for (uint32_t j = 0; j < EACH; j++) {
    uint32_t line = ((j * 1021 + 7) % EACH) * WARPS + blockIdx.x, v; uint32_t at = nanoseconds(), t0 = now();
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(in + line * 32) : "memory");
    sum += v; if (sum == 12345) break;
    uint32_t t1 = now(); out[line] = make_uint2(at, t1 - t0 + (sum == 77));
  }
}
extern "C" __global__ void sweep(const uint4* in, uint32_t* out, uint32_t count) { uint32_t sum = 0; for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) { uint4 v = __ldcg(in + i); sum += v.x + v.y + v.z + v.w; } if (sum == 12345) out[0] = sum; }
int main(int argc, char** argv) {
  uint32_t* in; uint2* out; CHECK(cudaMalloc(&in, 2ull << 30)); CHECK(cudaMalloc(&out, LINES * 8)); CHECK(cudaMemset(in, 0, 2ull << 30)); std::vector<uint2> h(LINES); char name[256]; snprintf(name, 256, "%s/turns.bin", argv[1]); FILE* f = fopen(name, "wb");
  for (int page : {0, 5}) for (int run = 0; run < 24; run++) { sweep<<<1056, 256>>>((const uint4*)(in + (1u << 28)), (uint32_t*)out, 1u << 24); CHECK(cudaDeviceSynchronize());
    k_turns<<<WARPS, 1>>>(in + page * 524288, out); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h.data(), out, LINES * 8, cudaMemcpyDeviceToHost)); fwrite(h.data(), 8, LINES, f); }
  fclose(f); uint64_t base = (uint64_t)in; printf("%llx\n", (unsigned long long)base);
}
