// Stores by the lines, sectors and bytes that an instruction writes: how fast they leave an SM, and how many wait.
#include <cstdint>
#define K extern "C" __global__ void
__device__ __forceinline__ uint32_t now() { uint32_t c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c) :: "memory"); return c; }
template <typename T> __device__ __forceinline__ void stores(char* to, int per, int pitch, int lanes, int rounds, int step, int inner, int within, T v) {
  uint32_t lane = threadIdx.x & 31; char* p = to + lane / per * (size_t)pitch + lane % per * sizeof(T);
  if (lane < lanes) for (int r = 0; r < rounds; r++) { *(T*)p = v; p += (r + 1) & (inner - 1) ? within : step - (inner - 1) * within; }
}
// Each warp stores `rounds` times to places of its own: of `lanes` lanes each `per` write beside each other, the next ones `pitch` bytes on.
// `inner` stores follow each other `within` bytes apart, the next ones come `step` bytes on. Cycles until the last store of a warp has issued, and until all have arrived (membar.gl), by block.
#define KERNEL(NAME, T) K NAME(char* out, uint32_t* cycles, int per, int pitch, int lanes, int rounds, int step, int inner, int within) { \
  extern __shared__ char unused[]; \
  uint32_t warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; T v = {}; \
  for (int k = 0; k < 2; k++) { char* to = out + (size_t)(k * gridDim.x * (blockDim.x / 32) + warp) * ((rounds + inner - 1) / inner) * step; __syncthreads(); \
    uint32_t a = now(); stores<T>(to, per, pitch, lanes, rounds, step, inner, within, v); uint32_t b = now(); __syncthreads(); uint32_t c = now(); \
    asm volatile("membar.gl;" ::: "memory"); uint32_t d = now(); \
    if (k && threadIdx.x == 0) { cycles[blockIdx.x * 3] = b - a; cycles[blockIdx.x * 3 + 1] = c - a; cycles[blockIdx.x * 3 + 2] = d - a; } } }
KERNEL(store_u8, uint8_t)
KERNEL(store_u16, uint16_t)
KERNEL(store_u32, uint32_t)
KERNEL(store_u64, uint2)
KERNEL(store_u128, uint4)
