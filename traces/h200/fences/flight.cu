// A release while something is under way: loads or a bulk copy that the warp does not wait for, then an arrival with release, then the
// data. Cycles from the beginning until the warp has arrived and until the data is there, of rounds after the second: ./flight
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t now() { uint32_t c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c) :: "memory"); return c; }
// KIND: 0 nothing, 1 a load of 16 bytes a lane, 2 a bulk copy by the first thread. STEP: bytes from a round to the next: 0 the same lines.
template <int KIND, bool RELEASE> __device__ __forceinline__ void flight(const char* in, uint32_t* out, int bytes, int step, int rounds) {
  extern __shared__ __align__(128) char place[]; __shared__ __align__(8) uint64_t barrier; uint32_t tid = threadIdx.x, arrive = 0, there = 0; float sum = 0;
  auto at = [](const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }; const char* from = in + (size_t)blockIdx.x * 16384 * 16;
  if (tid == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at(&barrier)) : "memory");
  __syncthreads();
#pragma unroll 1
  for (int r = 0; r < rounds; r++) {
    if (r == 2) arrive = there = 0;
    float a = 0, b, c, d; __syncthreads(); uint32_t begin = now();
    if (KIND == 1) asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(from + (size_t)r * step + tid * 16) : "memory");
    if (KIND == 2 && tid == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(at(&barrier)), "r"(bytes) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(at(place)), "l"(from + (size_t)r * step), "r"(bytes), "r"(at(&barrier)) : "memory"); }
    if (RELEASE) asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); else asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    arrive += now() - begin;
    if (KIND == 1) sum += a;
    if (KIND == 2) asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra L; }" :: "r"(at(&barrier)), "r"(r & 1) : "memory");
    there += now() + (sum == 12345.f) - begin;
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  }
  if (tid % 32 == 0) { uint32_t* o = out + (blockIdx.x * (blockDim.x / 32) + tid / 32) * 2; o[0] = arrive; o[1] = there; }
  if (sum == 12345.f) out[0] = 0;
}
#define FLIGHT(NAME, KIND, RELEASE) extern "C" __global__ void __cluster_dims__(2, 1, 1) NAME(const char* in, uint32_t* out, int bytes, int step, int rounds) { flight<KIND, RELEASE>(in, out, bytes, step, rounds); }
FLIGHT(k_nothing, 0, true) FLIGHT(k_load, 1, true) FLIGHT(k_load_relaxed, 1, false) FLIGHT(k_bulk, 2, true) FLIGHT(k_bulk_relaxed, 2, false)
extern "C" __global__ void k_touch(uint4* at, size_t n) { for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) { uint4 v = at[i]; v.x += 3; at[i] = v; } }
int main() {
  const int rounds = 14; char* in; uint4* other; uint32_t* out; CHECK(cudaMalloc(&in, (size_t)132 * 16384 * 16)); CHECK(cudaMalloc(&other, (size_t)512 << 20)); CHECK(cudaMalloc(&out, 1 << 16)); CHECK(cudaMemset(in, 0, (size_t)132 * 16384 * 16)); CHECK(cudaMemset(other, 0, (size_t)512 << 20));
  struct { const char* name; void (*kernel)(const char*, uint32_t*, int, int, int); int kind; } kernels[] = {{"k_nothing", k_nothing, 0}, {"k_load", k_load, 1}, {"k_load_relaxed", k_load_relaxed, 1}, {"k_bulk", k_bulk, 2}, {"k_bulk_relaxed", k_bulk_relaxed, 2}};
  printf("# kernel,warps,blocks,bytes,step: until all warps have arrived, the first ones, until the data is there, the first ones; means\n");
  for (auto& k : kernels) for (int warps : {1, 8}) for (int blocks : {2, 132}) for (int bytes : {512, 4096, 16384}) for (int step : {0, 16384}) {
    if (k.kind == 0 && (bytes != 512 || step) || k.kind == 1 && bytes != warps * 512) continue;
    k_touch<<<1056, 256>>>(other, (size_t)512 << 16); CHECK(cudaDeviceSynchronize());
    CHECK(cudaFuncSetAttribute((const void*)k.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 16384));
    k.kernel<<<blocks, warps * 32, 16384>>>(in, out, bytes, step, rounds); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    std::vector<uint32_t> h(blocks * warps * 2); CHECK(cudaMemcpy(h.data(), out, h.size() * 4, cudaMemcpyDeviceToHost)); double s[4] = {}, d = rounds - 2;
    for (int w = 0; w < blocks * warps; w++) for (int j = 0; j < 2; j++) { s[2 * j] += h[w * 2 + j] / d / (blocks * warps); if (w % warps == 0) s[2 * j + 1] += h[w * 2 + j] / d / blocks; }
    printf("%s,%d,%d,%d,%d,%.1f,%.1f,%.1f,%.1f\n", k.name, warps, blocks, bytes, step, s[0], s[1], s[2], s[3]); }
}
