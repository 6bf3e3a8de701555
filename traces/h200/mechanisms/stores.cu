#include "common.cuh"
__device__ uint32_t mixd(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
K k_scatter(uint32_t* out, uint32_t mask, int lanes, int apart, int rounds) { uint32_t t = GLOBAL_X; for (int r = 0; r < rounds; r++) { uint32_t g = mixd((t / lanes) * 977u + r * 0x9e3779b9u) & mask; out[(size_t)g * apart + t % lanes] = t; } }
K k_column(uint32_t* out, uint32_t lines, uint32_t warps_a_word) { uint32_t w = GLOBAL_X / 32, lane = threadIdx.x % 32; uint32_t word = w / warps_a_word % 32, line = (w % warps_a_word * 32 + lane) % lines; out[(size_t)line * 32 + word] = w; }
K k_after(uint32_t* cost, uint32_t* other, uint32_t mask, int stores, int steps) { int lane = threadIdx.x % 32, warp = GLOBAL_X / 32; uint32_t seed = mixd(warp * 977 + 5);
  for (int i = 0; i < steps; i++) { uint32_t at = mixd(seed + i * 32 + lane) & mask, bt = mixd(seed + i * 32 + lane + 0x40000000) & mask, v = __ldcg(cost + at); if (v == 77) break; if (stores & 1) cost[at] = 5; if (stores & 2) other[at] = 1; if (stores & 4) cost[bt] = 1; } }
K k_after_line(uint32_t* cost, uint32_t* other, uint32_t mask, int stores, int steps, int width) { int lane = threadIdx.x % 32, warp = GLOBAL_X / 32; uint32_t seed = mixd(warp * 977 + 5);
  for (int i = 0; i < steps; i++) { uint32_t at = (mixd(seed + i * 32 + lane / width) & mask) * width + lane % width, v = __ldcg(cost + at); if (v == 77) break; if (stores & 1) cost[at] = 5; if (stores & 2) other[at] = 1; } }
K k_store_lines(uint32_t* out, int apart, int n) { for (int i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) out[(size_t)i * apart * 32] = i; }
K k_store_sectors(uint32_t* out, int apart, int n) { for (int i = GLOBAL_X; i < n * 8; i += gridDim.x * blockDim.x) out[(size_t)(i / 8) * apart * 32 + i % 8] = i; }
K k_group(uint32_t* out, uint32_t pieces, int lines, int sectors) { uint32_t lane = threadIdx.x & 31, warps = gridDim.x * (blockDim.x / 32), w = GLOBAL_X / 32; for (uint32_t p = w; p < pieces; p += warps) { uint32_t* q = out + (size_t)p * 4096; for (int first = 0; first < 128; first += lines) for (int s = 0; s < sectors; s++) for (int l = 0; l < lines; l += 32) q[(first + l + lane) * 32 + s * 8] = p; } }
K k_sectors_flat(uint32_t* out, int words, int rounds) { int t = GLOBAL_X; uint32_t* p = out + (size_t)t / words * 32 * 1 + t % words; for (int r = 0; r < rounds; r++) { p[(size_t)r * gridDim.x * blockDim.x / words * 32] = t; } }
int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) if (!strcmp(argv[i], "--skip-clock")) g_skip_clock = true; else g_filter = argv[i];
  for (int lanes : {1, 4, 8, 32}) for (int kib : {16, 64, 256, 1024, 4096, 16384, 131072}) RUN(nm("scatter_l%d_k%d", lanes, kib), k_scatter, 528, 256, 0, TMP("out", 256 * kib), i32(kib * 256 / lanes - 1), i32(lanes), i32(lanes), i32(lanes == 1 ? 4 : 16));
  for (int kib : {64, 1024, 16384}) { RUN(nm("word_of_sector_k%d", kib), k_scatter, 528, 256, 0, TMP("out", 256 * kib), i32(kib * 32 - 1), i32(1), i32(8), i32(4)); RUN(nm("word_of_line_k%d", kib), k_scatter, 528, 256, 0, TMP("out", 256 * kib), i32(kib * 8 - 1), i32(1), i32(32), i32(4)); }
  for (int warps : {32, 64, 128, 512, 2048}) RUN(nm("column_w%d", warps), k_column, 1056, 256, 0, TMP("out", 32 << 16), i32(1 << 20), i32(warps));
  for (int kib : {64, 256, 1024, 4096}) for (int s : {0, 1, 2, 3, 4}) RUN(nm("after_k%d_s%d", kib, s), k_after, 128, 512, 0, TMP("cost", 256 * kib), TMP("other", 256 * kib), i32(kib * 256 - 1), i32(s), i32(32));
  for (int w : {8, 16, 32}) for (int kib : {64, 256, 1024}) for (int s : {0, 1, 2}) RUN(nm("after_line_w%d_k%d_s%d", w, kib, s), k_after_line, 128, 512, 0, TMP("cost", 256 * kib), TMP("other", 256 * kib), i32(kib * 256 / w - 1), i32(s), i32(32), i32(w));
  for (int a : {1, 2, 8}) { RUN(nm("store_lines_%d", a), k_store_lines, 1056, 256, 0, TMP("out", (size_t)a * 32 << 19), i32(a), i32(1 << 19)); RUN(nm("store_sectors_%d", a), k_store_sectors, 1056, 256, 0, TMP("out", (size_t)a * 32 << 19), i32(a), i32(1 << 19)); }
  for (int s : {1, 2, 4}) for (int l : {32, 128}) RUN(nm("group_s%d_l%d", s, l), k_group, 132, 256, 0, TMP("out", 4096 * 4096), i32(4096), i32(l), i32(s));
  for (int w : {1, 4, 8, 16, 32}) RUN(nm("flat_w%d", w), k_sectors_flat, 528, 256, 0, TMP("out", 4 * 528 * 256 / w * 32), i32(w), i32(4));
  return 0;
}
