// Copies of rows to shared memory (LDGSTS) whose rows lie `pitch` bytes apart there: sectors that they ask for, and time.
#include <cstdint>
#define K extern "C" __global__ void
__device__ uint32_t place(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
// Each warp copies rows of `row` bytes, 16 a lane, `rounds` times 512 bytes: past level one (1) or by it (0).
template <int PAST> __device__ void copy(const char* in, int row, int pitch, int rounds, int* out) {
  extern __shared__ __align__(128) char s[];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, per = row / 16;
  uint32_t to = place(s) + warp * 2048 + (lane / per) * pitch + lane % per * 16;
  const char* from = in + ((size_t)(blockIdx.x * blockDim.x / 32 + warp) * rounds) * 512 + lane * 16;
  long long begin = clock64();
  for (int i = 0; i < rounds; i++) {
    if (PAST) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + (size_t)i * 512) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + (size_t)i * 512) : "memory");
    if (i % 4 == 3) { asm volatile("cp.async.commit_group;"); asm volatile("cp.async.wait_group 2;"); }
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) out[1 + blockIdx.x] = (int)(clock64() - begin);
  if (s[threadIdx.x] == 77) out[0] = 1;
}
K past(const char* in, int row, int pitch, int rounds, int* out) { copy<1>(in, row, pitch, rounds, out); }
K by(const char* in, int row, int pitch, int rounds, int* out) { copy<0>(in, row, pitch, rounds, out); }
