// What a slice of level two takes in: stores, reductions and atomic operations whose value nobody wants, by words, sectors and
// lines of one chunk of 256 bytes, from all SMs, those of its half and those of the other; then the same over 8 MiB.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
enum Operation { STORE, RED_ONE, RED_TWO, RED_LANE, ATOM };
__device__ __forceinline__ uint32_t this_sm() { uint32_t v; asm volatile("mov.u32 %0, %%smid;" : "=r"(v)); return v; }
template <int OP> __global__ void rate(uint32_t* base, const int* place, const int* half, int wanted, uint32_t step, uint32_t mask, int rounds, unsigned long long* cycles) {
  int at = place[threadIdx.x & 31]; uint32_t lane = threadIdx.x & 31; if (wanted >= 0 && half[this_sm()] != wanted) return;
  uint32_t from = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * step, all = gridDim.x * (blockDim.x / 32) * step;
  unsigned long long begin = clock64();
  if (at >= 0) for (int r = 0; r < rounds; r++, from += all) {
    uint32_t* p = base + (from & mask) + at;
    if (OP == STORE) asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(lane) : "memory");
    if (OP == RED_ONE) asm volatile("red.global.add.u32 [%0], 1;" :: "l"(p) : "memory");
    if (OP == RED_TWO) asm volatile("red.global.add.u32 [%0], 2;" :: "l"(p) : "memory");
    if (OP == RED_LANE) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(p), "r"(lane) : "memory");
    if (OP == ATOM) { uint32_t v; asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(p) : "memory"); }
  }
  __threadfence(); unsigned long long end = clock64();
  if (threadIdx.x == 0) atomicMax(cycles, end - begin);
}
__global__ void latency(uint32_t* base, uint32_t* out) { uint32_t v = 0; unsigned long long t = 0; for (int i = 0; i < 8; i++) { unsigned long long b = clock64(); v = atomicAdd(base + (v >> 31), 1u + (v >> 31)); unsigned long long e = clock64() + (v >> 31); if (i) t += e - b; } out[this_sm()] = (uint32_t)(t / 7); }
int main() {
  char* memory; CHECK(cudaMalloc(&memory, 8 << 20)); CHECK(cudaMemset(memory, 0, 8 << 20));
  int *place, *half; CHECK(cudaMalloc(&place, 128)); CHECK(cudaMalloc(&half, 132 * 4)); unsigned long long* cycles; CHECK(cudaMalloc(&cycles, 8)); uint32_t* out; CHECK(cudaMalloc(&out, 132 * 4));
  for (int b = 0; b < 3; b++) { latency<<<132, 1>>>((uint32_t*)memory, out); CHECK(cudaDeviceSynchronize()); }
  std::vector<uint32_t> l(132), s; CHECK(cudaMemcpy(l.data(), out, 528, cudaMemcpyDeviceToHost)); s = l; std::sort(s.begin(), s.end());
  uint32_t gap = 0, border = 0; for (int i = 40; i < 92; i++) if (s[i + 1] - s[i] > gap) { gap = s[i + 1] - s[i]; border = s[i]; }
  std::vector<int> h(132); int near = 0; for (int i = 0; i < 132; i++) { h[i] = l[i] > border; near += !h[i]; }
  CHECK(cudaMemcpy(half, h.data(), 528, cudaMemcpyHostToDevice)); printf("%d SMs near: %u to %u cycles, others from %u to %u\n", near, s[0], border, border + gap, s[131]);
  struct Pattern { const char* name; std::vector<int> lanes; };
  std::vector<Pattern> patterns;
  auto row = [](int n, int each, int apart) { std::vector<int> v; for (int i = 0; i < n * each; i++) v.push_back(i / each * apart + i % each); return v; };
  patterns.push_back({"1 word", row(1, 1, 8)}); patterns.push_back({"4 words of a sector", row(1, 4, 8)}); patterns.push_back({"a sector", row(1, 8, 8)}); patterns.push_back({"2 sectors", row(2, 8, 8)}); patterns.push_back({"3 sectors", row(3, 8, 8)}); patterns.push_back({"a line", row(4, 8, 8)});
  patterns.push_back({"a word of 2 sectors", row(2, 1, 8)}); patterns.push_back({"a word of 4 sectors", row(4, 1, 8)}); patterns.push_back({"4 words of 4 sectors", row(4, 4, 8)}); patterns.push_back({"7 words of 4 sectors", row(4, 7, 8)}); patterns.push_back({"a word of 8 sectors of 2 lines", row(8, 1, 8)}); patterns.push_back({"4 words of 8 sectors of 2 lines", row(8, 4, 8)}); patterns.push_back({"a word of 2 lines", row(2, 1, 32)});
  const char* names[] = {"store", "reduction by one", "reduction by two", "reduction by the lane's number", "atomic operation"};
  for (bool wide : {false, true}) for (int op = 0; op < 5; op++) for (auto& p : patterns) for (int wanted : {-1, 0, 1}) {
    if (wide && wanted >= 0) continue;
    std::vector<int> lanes = p.lanes; lanes.resize(32, -1); CHECK(cudaMemcpy(place, lanes.data(), 128, cudaMemcpyHostToDevice));
    int sms = wanted < 0 ? 132 : wanted == 0 ? near : 132 - near, rounds = wide ? 512 : 128; uint32_t step = wide ? 64 : 0, mask = wide ? (2u << 20) - 1 : 0; unsigned long long best = ~0ull, c;
    for (int lap = 0; lap < 3; lap++) {
      CHECK(cudaMemset(cycles, 0, 8));
      switch (op) {
        case STORE: rate<STORE><<<132, 512>>>((uint32_t*)memory, place, half, wanted, step, mask, rounds, cycles); break;
        case RED_ONE: rate<RED_ONE><<<132, 512>>>((uint32_t*)memory, place, half, wanted, step, mask, rounds, cycles); break;
        case RED_TWO: rate<RED_TWO><<<132, 512>>>((uint32_t*)memory, place, half, wanted, step, mask, rounds, cycles); break;
        case RED_LANE: rate<RED_LANE><<<132, 512>>>((uint32_t*)memory, place, half, wanted, step, mask, rounds, cycles); break;
        default: rate<ATOM><<<132, 512>>>((uint32_t*)memory, place, half, wanted, step, mask, rounds, cycles);
      }
      CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(&c, cycles, 8, cudaMemcpyDeviceToHost)); best = std::min(best, c);
    }
    printf("%s, %s, %s, %s SMs: %.3f cycles an instruction\n", wide ? "8 MiB" : "a chunk", names[op], p.name, wanted < 0 ? "all" : wanted ? "far" : "near", best / ((double)sms * 16 * rounds)); fflush(stdout);
  }
}
