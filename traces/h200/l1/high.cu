// Which set of level one the higher bits of a line's number choose. A trial invalidates level one, loads line `home`, then lines home ^ (1 << b | x) at
// random for each bit b from nine on and each x of 512, and asks whether the first line has left. How often it has, for each b and x among those
// that were loaded, names the x in whose set the bit puts a line.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__host__ __device__ inline uint32_t mixed(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
__global__ void trials(const uint32_t* base, uint32_t home, int first, int bits, uint32_t density, int n, uint32_t seed, uint32_t* taken, uint32_t* left, uint32_t* total) {
  uint32_t lane = threadIdx.x, sum = 0;
  for (int t = 0; t < n; t++) {
    uint32_t key = mixed(seed + (blockIdx.x * n + t) * 0x9e3779b9u), v, start, end;
    __threadfence();
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(base + (size_t)home * 32) : "memory"); sum += v;
    asm volatile("" :: "r"(sum) : "memory"); if (sum == 0xdeadbeef) break;
    for (int s = 0; s < bits * 16; s++) {
      uint32_t c = s * 32 + lane, line = home ^ ((1u << (first + c / 512)) | (c % 512));
      if ((mixed(key ^ c * 0x85ebca6bu) & 0xffff) < density) { asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(base + (size_t)line * 32) : "memory"); sum += v; }
    }
    if (sum == 0xdeadbeef) break;
    __syncwarp();
    asm volatile("mov.u32 %0, %%clock;" : "=r"(start) :: "memory");
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(base + (size_t)home * 32) : "memory");
    asm volatile("add.u32 %0, %0, %1;" : "+r"(sum) : "r"(v) : "memory");
    asm volatile("mov.u32 %0, %%clock;" : "=r"(end) : "r"(sum) : "memory");
    bool gone = __any_sync(~0u, end - start > 150);
    if (lane == 0) { atomicAdd(total, 1u); if (gone) atomicAdd(total + 1, 1u); }
    for (int s = 0; s < bits * 16; s++) { uint32_t c = s * 32 + lane; if ((mixed(key ^ c * 0x85ebca6bu) & 0xffff) < density) { atomicAdd(taken + c, 1u); if (gone) atomicAdd(left + c, 1u); } }
  }
  if (sum == 0xdeadbeef) total[2] = sum;
}
int main() {
  char* memory; size_t span = (size_t)1 << 30; CHECK(cudaMalloc(&memory, 2 * span)); CHECK(cudaMemset(memory, 0, 2 * span));
  const uint32_t* base = (const uint32_t*)(((uintptr_t)memory + span - 1) / span * span);
  printf("base %p\n", base);
  uint32_t *taken, *left, *total; CHECK(cudaMalloc(&taken, 16 * 512 * 4)); CHECK(cudaMalloc(&left, 16 * 512 * 4)); CHECK(cudaMalloc(&total, 16));
  CHECK(cudaFuncSetAttribute(trials, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
  int first = 9, bits = 14;
  for (uint32_t home : {0u, 0x2a5c35u, 0x51b0c6u}) for (uint32_t density : {5500u, 7500u}) {
    CHECK(cudaMemset(taken, 0, 16 * 512 * 4)); CHECK(cudaMemset(left, 0, 16 * 512 * 4)); CHECK(cudaMemset(total, 0, 16));
    trials<<<132, 32>>>(base, home, first, bits, density, 400, 12345 + home, taken, left, total); CHECK(cudaDeviceSynchronize());
    std::vector<uint32_t> a(bits * 512), l(bits * 512); uint32_t t[2]; CHECK(cudaMemcpy(a.data(), taken, bits * 2048, cudaMemcpyDeviceToHost)); CHECK(cudaMemcpy(l.data(), left, bits * 2048, cudaMemcpyDeviceToHost)); CHECK(cudaMemcpy(t, total, 8, cudaMemcpyDeviceToHost));
    printf("home %u, %.0f lines a trial: %u of %u left\n", home, density / 65536. * bits * 512, t[1], t[0]);
    for (int b = 0; b < bits; b++) {
      std::vector<std::pair<double, int>> order; for (int x = 0; x < 512; x++) { int c = b * 512 + x; order.push_back({a[c] ? l[c] / (double)a[c] : 0, x}); }
      std::sort(order.rbegin(), order.rend());
      printf("bit %d:", first + b); for (int i = 0; i < 6; i++) printf(" %03x %.4f", order[i].second, order[i].first); printf(" ... %.4f\n", order[511].first);
    }
    fflush(stdout);
  }
}
