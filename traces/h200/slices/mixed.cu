// Loads and stores of lines of one slice of level two, in turn: what a read waits for a write of its line, and a write for a read.
#include "one_slice.cuh"
enum { WORD, SECTOR, HALF_LINE, LINE };
enum { NOTHING, SAME, NEIGHBOUR, OTHER_LINE };
__global__ void pairs_of(uint32_t* base, const uint32_t* lines, const uint32_t* who, int k, int shape, int load, int rounds, unsigned long long* cycles) {
  __shared__ uint32_t at[256]; for (int i = threadIdx.x; i < k * 2; i += blockDim.x) at[i] = lines[i]; __syncthreads();
  if (!who[this_sm()]) return;
  uint32_t lane = threadIdx.x & 31, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, place, width; uint32_t sum = 0;
  switch (shape) { case WORD: width = 1; place = (warp & 3) * 8; break; case SECTOR: width = 8; place = (warp & 3) * 8; break; case HALF_LINE: width = 16; place = (warp & 1) * 16; break; default: width = 32; place = 0; }
  uint32_t waited = 0; unsigned long long begin = clock64();
  for (int r = 0; r < rounds; r++) {
    uint32_t line = mixed(warp * 977u + r * 0x9e3779b9u) % k, v = 0;
    if (lane < width) asm volatile("st.global.u32 [%0], %1;" :: "l"(base + at[line] + place + lane), "r"(lane) : "memory");
    { uint32_t w; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(w) : "l"(base + (8u << 20) + (warp * 61 % 65536) * 32) : "memory"); asm volatile("" :: "r"(w) : "memory"); waited += w; if (waited == 77) break; }
    line = mixed(warp * 1977u + r * 0x85ebca6bu) % k;
    if (load != NOTHING) {
      uint32_t from = load == SAME ? at[line] + place : load == NEIGHBOUR ? at[line] + (place ^ 16) : at[k + line] + place;
      if (lane < width) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(base + from + lane) : "memory"); sum += v; if (sum == 0x12345678) break;
    }
  }
  unsigned long long end = clock64() + (sum == 0x12345678);
  if (lane == 0) atomicMax(cycles, end - begin);
}
int main() {
  OneSlice slice = one_slice(); const std::vector<int>& half = slice.half; Words few = slice.chunks;
  for (size_t i = 0, n = few.size(); i < n; i++) few.push_back(few[i] + 32);
  printf("%zu lines\n", few.size());
  uint32_t *dl, *dw; unsigned long long* dcyc; CHECK(cudaMalloc(&dl, 4096)); CHECK(cudaMalloc(&dw, 132 * 4)); CHECK(cudaMalloc(&dcyc, 8));
  const char* names[] = {"a word", "a sector", "half a line", "a line"}; const char* loads[] = {"stores alone", "loads of the same", "loads of the neighbour", "loads of other lines"};
  CHECK(cudaMemcpy(dl, few.data(), few.size() * 4, cudaMemcpyHostToDevice));
  for (int where = 0; where < 3; where++) {
    Words who(132); int sms = 0; for (int i = 0; i < 132; i++) { who[i] = where == 2 || half[i] == where; sms += who[i]; } CHECK(cudaMemcpy(dw, who.data(), 528, cudaMemcpyHostToDevice));
    for (int shape = 0; shape < 4; shape++) for (int load = 0; load < 4; load++) {
      if (shape == LINE && load == NEIGHBOUR) continue;
      printf("%s SMs, %s, %s:", where == 2 ? "all" : where ? "far" : "near", names[shape], loads[load]);
      for (int k : {1, 2, 4, 8, 16, 32, 64}) {
        unsigned long long best = ~0ull, c; int rounds = 24;
        for (int lap = 0; lap < 3; lap++) { CHECK(cudaMemset(dcyc, 0, 8)); pairs_of<<<132, 1024>>>(base_, dl, dw, k, shape, load, rounds, dcyc); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(&c, dcyc, 8, cudaMemcpyDeviceToHost)); best = std::min(best, c); }
        printf(" %d %.3f", k, best / ((double)sms * 32 * rounds));
      }
      printf("\n"); fflush(stdout);
    }
  }
}
