#include "common.cuh"
// what: bits 1 A loads, 2 A stores, 4 B loads, 8 B stores, 16 A loads the whole line, 32 B takes the next line instead of the other half, 64 B in the same block as A
K k_two(uint32_t* a, uint32_t* out, int what, int delay, int late, int rounds) {
  int lane = threadIdx.x & 31, sub = lane & 15, two = lane >> 4, half, warp; uint32_t sum = lane;
  if (what & 64) { half = threadIdx.x / 32 & 1; warp = blockIdx.x * (blockDim.x / 64) + threadIdx.x / 64; }
  else { half = blockIdx.x & 1; warp = (blockIdx.x / 2) * (blockDim.x / 32) + threadIdx.x / 32; }
  if (half) for (int k = 0; k < late; k++) sum = sum * 1664525u + 1013904223u;
  for (int r = 0; r < rounds; r++) {
    size_t line = ((size_t)warp * rounds + r) * 2 + two; if (what & 32) line = line * 2 + half; uint32_t* p = a + line * 32 + (what & 32 ? 0 : half * 16) + sub;
    int mine = half ? what >> 2 : what; uint32_t v = 0;
    if (mine & 1) v = __ldcg(p); if (!half && (what & 16)) v += __ldcg(p + 16); sum ^= v & 1;
    for (int k = 0; k < delay; k++) sum = sum * 1664525u + 1013904223u;
    if (mine & 2) *p = sum;
    if (!(mine & 3)) sum += r;
  }
  out[GLOBAL_X] = sum;
}
// one SM: load half 0, store it, then the other half
K k_one(uint32_t* a, uint32_t* out, int what, int delay, int rounds) {
  int lane = threadIdx.x & 31, sub = lane & 15, two = lane >> 4, warp = GLOBAL_X / 32; uint32_t sum = lane;
  for (int r = 0; r < rounds; r++) {
    size_t line = ((size_t)warp * rounds + r) * 2 + two; uint32_t* p = a + line * 32 + sub;
    if (what & 1) sum ^= __ldcg(p) & 1; if (what & 2) *p = sum;
    for (int k = 0; k < delay; k++) sum = sum * 1664525u + 1013904223u;
    if (what & 4) sum ^= __ldcg(p + 16) & 1; if (what & 8) p[16] = sum;
  }
  out[GLOBAL_X] = sum;
}
int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) if (!strcmp(argv[i], "--skip-clock")) g_skip_clock = true; else g_filter = argv[i];
  for (int w : {15, 7, 13, 14, 11, 12, 5, 3, 31, 47, 79, 15 + 64 + 32, 23, 10}) for (int l : {0, 64}) RUN(nm("two_w%d_l%d", w, l), k_two, 1056, 256, 0, INTS("a", 528 * 8 * 8 * 2 * 64, 1), TMP("out", 1056 * 256), i32(w), i32(0), i32(l), i32(8));
  for (int w : {15, 7, 13, 11, 5}) for (int d : {0, 16, 64}) RUN(nm("one_w%d_d%d", w, d), k_one, 528, 256, 0, INTS("a", 528 * 8 * 8 * 2 * 32, 1), TMP("out", 528 * 256), i32(w), i32(d), i32(8));
  return 0;
}
