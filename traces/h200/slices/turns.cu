// Stores to so many lines of one slice of level two, in no order: what a write waits for another one of its line. Each warp loads
// something else between two stores, so that none joins another in level one.
#include "one_slice.cuh"
enum { WORD, WORD_OF_SECTOR, SECTOR, LINE, WORD_OF_EACH_SECTOR, HALF_SECTOR };
// lines[k] are offsets in words; who[sm] is 1 where the SM takes part.
__global__ void rate(uint32_t* base, const uint32_t* lines, const uint32_t* who, int k, int shape, int rounds, int order, unsigned long long* cycles) {
  __shared__ uint32_t at[256]; for (int i = threadIdx.x; i < k; i += blockDim.x) at[i] = lines[i]; __syncthreads();
  if (!who[this_sm()]) return;
  uint32_t lane = threadIdx.x & 31, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, place; bool on;
  switch (shape) {
    case WORD: place = warp * 7 & 31; on = lane == 0; break;
    case WORD_OF_SECTOR: place = warp * 3 & 7; on = lane == 0; break;
    case SECTOR: place = (warp & 3) * 8 + lane; on = lane < 8; break;
    case HALF_SECTOR: place = (warp & 7) * 4 + lane; on = lane < 4; break;
    case LINE: place = lane; on = true; break;
    default: place = (lane * 8 + (warp & 7)) & 31; on = lane < 4;
  }
  uint32_t waited = 0; unsigned long long begin = clock64();
  for (int r = 0; r < rounds; r++) {
    uint32_t line = order ? (warp + r) % k : mixed(warp * 977u + r * 0x9e3779b9u) % k;
    if (on) asm volatile("st.global.u32 [%0], %1;" :: "l"(base + at[line] + place), "r"(lane) : "memory");
    { uint32_t w; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(w) : "l"(base + (8u << 20) + (warp * 61 % 65536) * 32) : "memory"); asm volatile("" :: "r"(w) : "memory"); waited += w; if (waited == 77) break; }
  }
  unsigned long long end = clock64();
  if (lane == 0) atomicMax(cycles, end - begin);
}
int main() {
  OneSlice slice = one_slice(); const std::vector<int>& half = slice.half; const Words& few = slice.chunks;
  Words lines; for (uint32_t chunk : few) { lines.push_back(chunk); lines.push_back(chunk + 32); }
  printf("%zu chunks at home in the first half, %zu lines of the slice of the first one\n", slice.at_home, lines.size());
  uint32_t *dl, *dw; unsigned long long* dcyc; CHECK(cudaMalloc(&dl, 4096)); CHECK(cudaMalloc(&dw, 132 * 4)); CHECK(cudaMalloc(&dcyc, 8));
  const char* names[] = {"a word", "a word of one sector", "a sector", "a line", "a word of each sector", "half a sector"};
  for (int set = 0; set < 2; set++) {   // neighbours first, or one line of each chunk
    Words l = set ? few : lines; if (l.size() > 128) l.resize(128); CHECK(cudaMemcpy(dl, l.data(), l.size() * 4, cudaMemcpyHostToDevice));
    for (int where = 0; where < 3; where++) {   // SMs of the half, of the other one, all
      Words who(132); int sms = 0; for (int i = 0; i < 132; i++) { who[i] = where == 2 || half[i] == where; sms += who[i]; } CHECK(cudaMemcpy(dw, who.data(), 528, cudaMemcpyHostToDevice));
      for (int shape = 0; shape < 6; shape++) for (int order = 0; order < 2; order++) {
        printf("%s, %s SMs, %s, %s:", set ? "a line of each chunk" : "lines in turn", where == 2 ? "all" : where ? "far" : "near", names[shape], order ? "in turn" : "at random");
        for (int k : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128}) {
          if (k > (int)l.size()) break;
          unsigned long long best = ~0ull, c; int rounds = 24;
          for (int lap = 0; lap < 3; lap++) { CHECK(cudaMemset(dcyc, 0, 8)); rate<<<132, 1024>>>(base_, dl, dw, k, shape, rounds, order, dcyc); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(&c, dcyc, 8, cudaMemcpyDeviceToHost)); best = std::min(best, c); }
          printf(" %d %.3f", k, best / ((double)sms * 32 * rounds));
        }
        printf("\n"); fflush(stdout);
      }
    }
  }
}
