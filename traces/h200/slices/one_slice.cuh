// What turns.cu and mixed.cu share: the halves of the SMs, and the chunks that lie on one slice of the first half, found as slices.cu does.
#pragma once
#define main slices_main
#include "slices.cu"
#undef main
__device__ uint32_t mixed(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
struct OneSlice { std::vector<int> half; size_t at_home; Words chunks; };   // half of each SM; chunks at home in the first half; those of the slice
static OneSlice one_slice() {
  size_t bytes = (size_t)64 << 20; CHECK(cudaMalloc(&base_, bytes)); CHECK(cudaMemset(base_, 0, bytes));
  for (uint32_t** p : {&da, &db, &dc, &dpart[0], &dpart[1]}) CHECK(cudaMalloc(p, 1 << 20));
  Words near(132); for (uint32_t sm = 0; sm < 132; sm++) near[sm] = latency({0, 0, 0}, sm)[2];
  std::vector<int> half(132); for (int i = 0; i < 132; i++) half[i] = near[i] > 400;
  for (int h = 0; h < 2; h++) { Words part(132, 2); int n = 0; for (int i = 0; i < 132; i++) if (half[i] == h && n < 60) part[i] = n++ & 1; CHECK(cudaMemcpy(dpart[h], part.data(), 132 * 4, cudaMemcpyHostToDevice)); }
  uint32_t probe[2] = {0, 0}; for (int i = 131; i >= 0; i--) probe[half[i]] = i;
  Words words; for (uint32_t c = 0; c < 8192; c++) words.push_back(c * 64);
  Words from0 = latency(words, probe[0]), from1 = latency(words, probe[1]), here;
  for (size_t i = 0; i < words.size(); i++) if (from0[i] < from1[i]) here.push_back(words[i]);
  Words t = test(0, here, here[0], 16), sorted = t; std::sort(sorted.begin(), sorted.end()); uint32_t one = sorted[sorted.size() / 2];
  Words chunks; for (size_t i = 0; i < here.size(); i++) if (i == 0 || t[i] > one * 1.45) chunks.push_back(here[i]);
  return {half, here.size(), chunks};
}
