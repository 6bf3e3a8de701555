// Copies from global to shared memory (LDGSTS), each to a place of its own: rows of `row` bytes `gpitch` apart to rows `spitch` apart, 4, 8 or 16 bytes a lane, by
// way of level one or past it, `swizzle` 1 with pieces of 16 bytes exchanged by the row, 2 with neighbouring words `spitch` apart (a transposition).
// The lines are in level two. Prints cycles a copy of the block; what Nsight Compute counted of each launch is beside it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
extern __shared__ __align__(128) uint8_t s[];
template <int BYTES, bool PAST> __device__ void body(const uint8_t* in, uint32_t* out, int row, int gpitch, int spitch, int swizzle, int copies, int span) {
  uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, base = (uint32_t)__cvta_generic_to_shared(s);
  uint32_t sum = 0;
  const uint8_t* mine = in + (size_t)blockIdx.x * 1048576 + warp * copies * 16384;
  for (int c = 0; c < copies; c++) for (int k = 0; k < 16384; k += 1024) { uint32_t v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(mine + c * 16384 + k + lane * 32)); sum += v; }
  __syncthreads();
  uint32_t begin, end; asm volatile("mov.u32 %0, %%clock;" : "=r"(begin) :: "memory");
#pragma unroll 4
  for (int c = 0; c < copies; c++) {
    uint32_t at = lane * BYTES, r = at / row, x = at % row, y = x;
    if (swizzle == 1) y = x ^ ((r % 8) * 16);
    uint32_t to = base + (warp * copies + c) * span + (swizzle == 2 ? lane * spitch : r * spitch + y);
    const uint8_t* from = mine + c * 16384 + r * gpitch + x;
    if (PAST) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(from) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(to), "l"(from), "n"(BYTES) : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  asm volatile("mov.u32 %0, %%clock;" : "=r"(end) :: "memory");
  __syncthreads();
  if (lane == 0) { out[0] = sum + s[0]; atomicMax(&out[1 + blockIdx.x], end - begin); }
}
#define K(N, B, P) extern "C" __global__ void __launch_bounds__(1024) N(const uint8_t* in, uint32_t* out, int row, int gpitch, int spitch, int swizzle, int copies, int span) { body<B, P>(in, out, row, gpitch, spitch, swizzle, copies, span); }
K(k_by4, 4, false) K(k_by8, 8, false) K(k_by16, 16, false) K(k_past16, 16, true)
int main(int argc, char** argv) {
  uint8_t* in; uint32_t *out, h[133]; CHECK(cudaMalloc(&in, 160 << 20)); CHECK(cudaMemset(in, 1, 160 << 20)); CHECK(cudaMalloc(&out, 4096));
  struct { const char* name; void (*f)(const uint8_t*, uint32_t*, int, int, int, int, int, int); int bytes; } ks[] = {{"by4", k_by4, 4}, {"by8", k_by8, 8}, {"by16", k_by16, 16}, {"past16", k_past16, 16}};
  for (auto& k : ks) CHECK(cudaFuncSetAttribute(k.f, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  struct { int row, gpitch, spitch, swizzle; } shapes[] = {{512, 512, 512, 0}, {128, 128, 128, 0}, {128, 1024, 128, 0}, {128, 1024, 128, 1}, {128, 1024, 144, 0}, {64, 1024, 64, 0}, {64, 1024, 80, 0}, {64, 1024, 128, 0}, {64, 1024, 128, 1}, {32, 512, 32, 0}, {32, 512, 48, 0}, {32, 512, 128, 0}, {32, 512, 128, 1}, {16, 512, 16, 0}, {16, 512, 128, 0}, {16, 512, 144, 0}, {512, 512, 16, 2}, {512, 512, 32, 2}, {512, 512, 64, 2}, {512, 512, 128, 2}, {512, 512, 132, 2}};
  for (auto& k : ks) for (auto& p : shapes) for (int warps : {1, 8}) for (int blocks : {1, 132}) {
    if (warps == 1 && blocks == 132) continue;
    int rows = 32 * k.bytes / p.row; int span = p.swizzle == 2 ? 32 * p.spitch : (rows < 1 ? 1 : rows) * p.spitch; span = (span + 127) / 128 * 128; if (p.swizzle == 2 && p.spitch < k.bytes) continue; if (p.swizzle == 2 && p.spitch % k.bytes) continue;
    int copies = 160 * 1024 / span / warps; if (copies > 16) copies = 16; if (copies < 1) continue;
    CHECK(cudaMemset(out, 0, 4096));
    k.f<<<blocks, warps * 32, span * copies * warps>>>(in, out, p.row, p.gpitch, p.spitch, p.swizzle, copies, span); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h, out, 532, cudaMemcpyDeviceToHost)); double sum = 0; for (int b = 0; b < blocks; b++) sum += h[1 + b];
    printf("%s %d %d %d %d %d %d %d %.2f\n", k.name, p.row, p.gpitch, p.spitch, p.swizzle, warps, blocks, copies, sum / blocks / (copies * warps));
  }
}
