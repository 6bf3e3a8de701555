// Runs the kernels of more.cu with n = 3 and n = 6 and prints a line a thread: kernel, n, thread, its 32 words of
// 'out'. 'in' holds mix32(i + 7 * 0x9e3779b9) >> 8, as the rule 'hash_i32' with seed 7 gives it.
#include "more.cu"
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)); exit(1); } } while (0)
const uint32_t WORDS = 4096;

static uint32_t mix32(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16; return x; }

static void run(const char *name, void (*kernel)(uint32_t *, const uint32_t *, uint32_t), uint32_t *out, const uint32_t *in) {
  for (uint32_t n : {3u, 6u}) {
    CHECK(cudaMemset(out, 0, WORDS * 4));
    kernel<<<2, 64>>>(out, in, n);
    CHECK(cudaGetLastError());
    std::vector<uint32_t> words(WORDS);
    CHECK(cudaMemcpy(words.data(), out, WORDS * 4, cudaMemcpyDeviceToHost));
    for (uint32_t i = 0; i < WORDS; ++i) {
      if (i % 32 == 0) printf("%s %u %u", name, n, i / 32);
      printf(i % 32 == 31 ? " %x\n" : " %x", words[i]);
    }
  }
}

int main() {
  std::vector<uint32_t> words(WORDS);
  for (uint32_t i = 0; i < WORDS; ++i) words[i] = mix32(i + 7 * 0x9e3779b9U) >> 8;
  uint32_t *in, *out;
  CHECK(cudaMalloc(&in, WORDS * 4)); CHECK(cudaMalloc(&out, WORDS * 4));
  CHECK(cudaMemcpy(in, words.data(), WORDS * 4, cudaMemcpyHostToDevice));
#define RUN(kernel) run(#kernel, kernel, out, in)
  RUN(scaled_products); RUN(packed_integers); RUN(absolute_differences); RUN(eight_bit_floats); RUN(vector_atomics);
  RUN(wide_local); RUN(dependent_grid);
}
