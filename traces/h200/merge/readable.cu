// Stores to fresh lines, then so many cycles later stores to their other sectors or words, then loads: what finds its line, what is read from level
// two, and how many requests leave. Each launch is one row of the profiler; a block of one SM, `rounds` times.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
template <int BYTES> __device__ __forceinline__ void store(char* p, uint32_t v) {
  if (BYTES == 4) asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory");
  if (BYTES == 8) asm volatile("st.global.v2.u32 [%0], {%1, %1};" :: "l"(p), "r"(v) : "memory");
  if (BYTES == 16) asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" :: "l"(p), "r"(v) : "memory");
}
template <int BYTES> __device__ __forceinline__ uint32_t load(const char* p) {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (BYTES == 4) asm volatile("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(p) : "memory");
  if (BYTES == 8) asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p) : "memory");
  if (BYTES == 16) asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory");
  return a + b + c + d;
}
// Lanes store `group` to a line; the second store is `next` bytes behind the first, `gap` cycles after it (0: none), the loads `then` cycles after that (0: none).
template <int BYTES> __device__ void body(char* out, int lanes, int group, int next, int gap, int then, int rounds) {
  uint32_t t = threadIdx.x, w = t / 32, lane = t % 32; int lines = lanes / group; uint32_t sum = 0;
  for (int r = 0; r < rounds; r++) {
    char* p = out + ((size_t)r * (blockDim.x / 32) + w) * lines * 128 + (lane / group) * 128 + (lane % group) * BYTES;
    __syncthreads(); long long s = clock64() + 2000; while (clock64() < s) { }
    if (lane < lanes) store<BYTES>(p, t);
    if (gap) { s += gap; while (clock64() < s) { } if (lane < lanes) store<BYTES>(p + next, t); }
    if (then) { s += then; while (clock64() < s) { } if (lane < lanes) { sum += load<BYTES>(p); if (gap) sum += load<BYTES>(p + next); } }
  }
  if (sum == 0x12345678) *out = 0;
}
#define K(B) extern "C" __global__ void __launch_bounds__(1024) k_readable_##B(char* out, int lanes, int group, int next, int gap, int then, int rounds) { body<B>(out, lanes, group, next, gap, then, rounds); }
K(4) K(8) K(16)
int main() {
  char* a; CHECK(cudaMalloc(&a, 1 << 28)); const int rounds = 16;
  void (*f[])(char*, int, int, int, int, int, int) = {k_readable_4, k_readable_8, k_readable_16};
  auto run = [&](int bytes, int warps, int lanes, int group, int next, int gap, int then) {
    f[bytes / 8]<<<1, warps * 32>>>(a, lanes, group, next, gap, then, rounds); CHECK(cudaDeviceSynchronize());
    printf("%d bytes, %d warps of %d lines, %d lanes a line, next %d, gap %d, then %d\n", bytes, warps, lanes / group, group, next, gap, then);
  };
  // When a second store to the lines finds them: words of the same sector.
  for (int lines : {1, 4, 8, 16, 24, 28, 32}) for (int gap : {30, 50, 70, 90, 110, 140, 170, 200, 250, 300, 400, 600, 1000}) run(4, 1, lines, 1, 4, gap, 0);
  for (int lines : {8, 16, 32}) for (int warps : {2, 4, 8}) for (int gap : {50, 90, 140, 200, 300, 600, 1000}) run(4, warps, lines, 1, 4, gap, 0);
  for (int lines : {8, 32}) for (int gap : {50, 200, 600}) run(4, 1, lines, 1, 64, gap, 0);   // another sector
  // What can be read: whole sectors stored at once, halves together, words.
  for (int warps : {1, 2, 4}) for (int then : {50, 200, 600, 3000}) {
    run(16, warps, 32, 2, 32, 0, then); run(16, warps, 16, 2, 32, 0, then);
    run(8, warps, 32, 4, 32, 0, then);  run(8, warps, 32, 16, 32, 0, then);
    for (int lines : {8, 16, 24, 32}) run(4, warps, lines, 1, 4, 0, then);
  }
  for (int warps : {1, 2, 4}) for (int gap : {30, 100, 1000}) for (int then : {50, 600, 3000}) for (int lines : {8, 16, 32}) run(16, warps, lines, 1, 16, gap, then);
}
