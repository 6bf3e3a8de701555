// Third hardware suite: atomic operations, one question a kernel. Same harness and rules as suite.cu.
#include "harness.cuh"

// --- all lanes that take part, on one word a warp; the warps spread over so many words so far apart
K k_red_words(uint32_t* __restrict__ out, int words, int spacing, int lanes, int rounds) {
  uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  uint32_t* word = out + (size_t)(warp % (uint32_t)words) * spacing;
  if (lane < lanes) for (int r = 0; r < rounds; r++) atomicAdd(word, 2u);
}
// --- a warp over 32 / share words, the same ones in every round; the warps one after the other in memory, modulo mask + 1
K k_red_still(uint32_t* __restrict__ out, int share, int mask, int rounds) {
  uint32_t g = (blockIdx.x * blockDim.x + threadIdx.x) / (uint32_t)share;
  for (int r = 0; r < rounds; r++) atomicAdd(out + (g & mask), 2u);
}
// --- latency of one warp with `share` lanes a word, words `spacing` apart: global and shared, old value wanted
K k_lat_atomg(uint32_t* __restrict__ out, uint32_t* __restrict__ cycles, int share, int spacing, int n) {
  uint32_t v = 0, at = threadIdx.x / (uint32_t)share * spacing, t0 = clock();
  for (int i = 0; i < n; i++) v = atomicAdd(out + at + (v >> 31), 2u);
  uint32_t t1 = clock(); cycles[2 * threadIdx.x] = v & 0u; cycles[2 * threadIdx.x + 1] = t1 - t0;
}
K k_lat_atoms(uint32_t* __restrict__ cycles, int share, int spacing, int n) {
  __shared__ uint32_t s[2048]; for (int i = threadIdx.x; i < 2048; i += blockDim.x) s[i] = 0; __syncthreads();
  uint32_t v = 0, at = threadIdx.x / (uint32_t)share * spacing, t0 = clock();
  for (int i = 0; i < n; i++) v = atomicAdd(s + at + (v >> 31), 2u);
  uint32_t t1 = clock(); cycles[2 * threadIdx.x] = v & 0u; cycles[2 * threadIdx.x + 1] = t1 - t0;
}
// --- throughput of shared memory: adding 2 (ATOMS.ADD) and adding 1 (ATOMS.POPC.INC), old value not wanted
template <uint32_t V> __device__ __forceinline__ void shared_rate(uint32_t* __restrict__ out, int share, int spacing, int rounds) {
  __shared__ uint32_t s[2048]; for (int i = threadIdx.x; i < 2048; i += blockDim.x) s[i] = 0; __syncthreads();
  uint32_t at = (threadIdx.x & 31) / (uint32_t)share * spacing;
  for (int r = 0; r < rounds; r++) atomicAdd(s + ((at + r) & 2047), V);
  __syncthreads(); for (int i = threadIdx.x; i < 2048; i += blockDim.x) if (blockIdx.x == 0) out[i] = s[i];
}
K k_shared_add(uint32_t* __restrict__ out, int share, int spacing, int rounds) { shared_rate<2>(out, share, spacing, rounds); }
K k_shared_count(uint32_t* __restrict__ out, int share, int spacing, int rounds) { shared_rate<1>(out, share, spacing, rounds); }

int main(int argc, char** argv) {
  if (argc > 1 && argv[1][0]) g_filter = argv[1];
  g_skip_clock = argc > 2;
  float* d; CHECK(cudaMalloc(&d, 4)); for (int i = 0; i < 20; i++) spin_up<<<1056, 256>>>(d, 1 << 20); CHECK(cudaDeviceSynchronize());
  char name[128];
#define NM(...) sprintf(name, __VA_ARGS__)
  struct Spread { int bytes; std::vector<int> words; };
  for (Spread s : std::vector<Spread>{{4, {1, 2, 4, 8, 32, 128, 512, 2112}}, {32, {8, 32, 128, 512, 2112}}, {128, {2, 4, 8, 16, 32, 64, 128, 256, 512, 2112}}, {1024, {8, 32, 128, 512}}, {4096, {2, 8, 32, 128, 512, 2112}}})
    for (int w : s.words) { NM("red_words_%dB_w%d", s.bytes, w); RUN(name, k_red_words, 264, 256, 0, buf("out", 16 << 20, ZERO, 0, true), i32(w), i32(s.bytes / 4), i32(32), i32(16)); }
  for (int lanes : {1, 8}) for (int bytes : {4, 128}) for (int w : {1, 8, 64, 2112}) { NM("red_lanes%d_%dB_w%d", lanes, bytes, w); RUN(name, k_red_words, 264, 256, 0, buf("out", 16 << 20, ZERO, 0, true), i32(w), i32(bytes / 4), i32(lanes), i32(16)); }
  for (int g : {1, 8, 66}) for (int w : {1, 64}) { NM("red_words_128B_w%d_g%d", w, g); RUN(name, k_red_words, g, 256, 0, buf("out", 16 << 20, ZERO, 0, true), i32(w), i32(32), i32(32), i32(64)); }
  for (int sh : {1, 2, 4, 8, 16, 32}) { NM("red_still_share%d", sh); RUN(name, k_red_still, 264, 256, 0, buf("out", 16 << 20, ZERO, 0, true), i32(sh), i32((1 << 20) - 1), i32(64)); }
  for (int m : {31, 127, 511, 1023, 4095, 16383, 65535}) { NM("red_still_mask%d", m); RUN(name, k_red_still, 264, 256, 0, buf("out", 16 << 20, ZERO, 0, true), i32(1), i32(m), i32(64)); }
  for (int sh : {1, 2, 4, 8, 16, 32}) { NM("latency_atomg_share%d", sh); RUN(name, k_lat_atomg, 1, 32, 0, buf("out", 1 << 20, ZERO), buf("cycles", 256, ZERO), i32(sh), i32(1), i32(64)); NM("latency_atoms_share%d", sh); RUN(name, k_lat_atoms, 1, 32, 0, buf("cycles", 256, ZERO), i32(sh), i32(1), i32(64)); }
  for (int sp : {8, 32, 1024}) { NM("latency_atomg_spacing%d", sp); RUN(name, k_lat_atomg, 1, 32, 0, buf("out", 1 << 20, ZERO), buf("cycles", 256, ZERO), i32(1), i32(sp), i32(64)); }
  for (int sp : {2, 4, 8, 16, 32}) { NM("latency_atoms_spacing%d", sp); RUN(name, k_lat_atoms, 1, 32, 0, buf("cycles", 256, ZERO), i32(1), i32(sp), i32(64)); }
  for (int b : {32, 256}) { for (int sh : {1, 2, 4, 8, 16, 32}) { NM("shared_add_b%d_share%d", b, sh); RUN(name, k_shared_add, 132, b, 0, buf("out", 8192, ZERO, 0, true), i32(sh), i32(1), i32(256)); NM("shared_count_b%d_share%d", b, sh); RUN(name, k_shared_count, 132, b, 0, buf("out", 8192, ZERO, 0, true), i32(sh), i32(1), i32(256)); }
    for (int sp : {2, 8, 32}) { NM("shared_add_b%d_spacing%d", b, sp); RUN(name, k_shared_add, 132, b, 0, buf("out", 8192, ZERO, 0, true), i32(1), i32(sp), i32(256)); NM("shared_count_b%d_spacing%d", b, sp); RUN(name, k_shared_count, 132, b, 0, buf("out", 8192, ZERO, 0, true), i32(1), i32(sp), i32(256)); } }
}
