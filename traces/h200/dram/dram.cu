// How long a warp waits for lines that only DRAM has: one to four sectors of a line, one to 32 lines, alone and on all SMs.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); return 1; } } while (0)
constexpr int ROUNDS = 512;
static __device__ __forceinline__ uint32_t clock_now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory"); return t; }
static __device__ __forceinline__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16; return x; }

// Each round loads `sectors` sectors of `lines` lines, at random or one line after another, and waits for all of them.
extern "C" __global__ void k_wait(const uint32_t* memory, uint32_t mask, uint32_t lines, uint32_t sectors, uint32_t in_turn, uint32_t seed, uint32_t* out) {
  uint32_t lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, warps = gridDim.x * blockDim.x >> 5, sum = 0;
  uint32_t per_line = 32 / lines < sectors ? 32 / lines : sectors, line_of_lane = lane / per_line, sector = lane % per_line;
  for (int r = 0; r < ROUNDS; r++) {
    uint32_t number = r * warps + warp, line = in_turn ? number * lines + line_of_lane : mix(number * 32 + line_of_lane + seed), v = 0;
    const uint32_t* p = memory + (size_t)((line + sum) & mask) * 32 + sector * 8;
    uint32_t t0 = clock_now();
    if (line_of_lane < lines) v = *(volatile const uint32_t*)p;
    sum += __reduce_or_sync(~0u, v);
    uint32_t t1 = clock_now();
    if (lane == 0) out[number] = t1 - t0 + sum;
  }
}

int main() {
  uint32_t *memory, *out; size_t bytes = 4ull << 30; CHECK(cudaMalloc(&memory, bytes)); CHECK(cudaMemset(memory, 0, bytes)); CHECK(cudaMalloc(&out, 4ull * ROUNDS * 132 * 32)); std::vector<uint32_t> h(ROUNDS * 132 * 32);
  uint32_t seed = 1;
  for (int in_turn : {0, 1}) for (int blocks : {1, 132}) for (int warps : {1, 8}) for (int lines : {1, 2, 4, 8, 16, 32}) for (int sectors : {1, 2, 4}) {
    if (lines * sectors > 32) continue;
    if (in_turn && sectors != 4) continue;
    CHECK(cudaMemset(memory, 0, 256u << 20)); // level two holds other lines
    seed += 12345; k_wait<<<blocks, warps * 32>>>(memory + (64u << 20), (uint32_t)((bytes - (256ull << 20)) / 128 / 2 - 1) | 0xffffff, lines, sectors, in_turn, seed, out); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    size_t n = (size_t)ROUNDS * blocks * warps; CHECK(cudaMemcpy(h.data(), out, 4 * n, cudaMemcpyDeviceToHost));
    double mean = 0; for (size_t i = 0; i < n; i++) mean += h[i]; std::sort(h.begin(), h.begin() + n);
    printf("%s, %d blocks of %d warps, %d lines of %d sectors: mean %.0f, 5 %% %u, half %u, 90 %% %u, 99 %% %u, most %u\n", in_turn ? "in turn" : "at random", blocks, warps, lines, sectors, mean / n, h[n / 20], h[n / 2], h[n * 9 / 10], h[n * 99 / 100], h[n - 1]);
  }
  return 0;
}
