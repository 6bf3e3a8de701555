// What an instruction costs in the load/store unit beyond one pass: shared accesses of 8 and 16 bytes by pattern,
// instructions without an active lane, special registers, lines of L1 by distance, sectors from level two at random.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); return 1; } } while (0)
#define KERNEL extern "C" __global__ void

static __device__ __forceinline__ uint32_t clock_now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory"); return t; }
static __device__ __forceinline__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16; return x; }

// ---------------------------------------------------------------- shared accesses of 4, 8 and 16 bytes
template <int WORDS> __device__ __forceinline__ void shared_loads(const uint32_t* offsets, uint32_t active, uint32_t* out) {
  __shared__ __align__(128) uint32_t s[8192];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = i;
  uint32_t lane = threadIdx.x & 31, address = (uint32_t)__cvta_generic_to_shared(s) + offsets[lane], sum = 0, t0, t1;
  __syncthreads();
  if (active >> lane & 1) {
    t0 = clock_now();
#pragma unroll
    for (int i = 0; i < 64; i++) {
      uint32_t a, b, c, d;
      if (WORDS == 1) { asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(address)); sum ^= a; }
      if (WORDS == 2) { asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(address)); sum ^= a ^ b; }
      if (WORDS == 4) { asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address)); sum ^= a ^ b ^ c ^ d; }
    }
    t1 = clock_now();
    out[threadIdx.x] = t1 - t0;
  }
  if (sum == 0x12345) out[1024] = sum;
}
KERNEL k_shared_4(const uint32_t* offsets, uint32_t active, uint32_t* out) { shared_loads<1>(offsets, active, out); }
KERNEL k_shared_8(const uint32_t* offsets, uint32_t active, uint32_t* out) { shared_loads<2>(offsets, active, out); }
KERNEL k_shared_16(const uint32_t* offsets, uint32_t active, uint32_t* out) { shared_loads<4>(offsets, active, out); }

// ---------------------------------------------------------------- instructions without an active lane, special registers
#define REPEAT(KERNEL_NAME, BODY, FINISH)                                                                   \
  KERNEL KERNEL_NAME(uint32_t never, uint32_t* global, uint32_t* out) {                                     \
    __shared__ uint32_t s[1024]; s[threadIdx.x] = threadIdx.x;                                              \
    uint32_t a = (uint32_t)__cvta_generic_to_shared(&s[threadIdx.x]), r = 0, sum = 0; [[maybe_unused]] uint32_t* g = global + threadIdx.x; \
    __syncthreads(); uint32_t t0 = clock_now();                                                             \
    _Pragma("unroll") for (int i = 0; i < 64; i++) { BODY; sum ^= r; }                                      \
    FINISH; uint32_t t1 = clock_now(); out[threadIdx.x] = t1 - t0; if (sum == 0x12345 && never) out[1024] = sum; \
  }
#define GUARDED(TEXT, ...) asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, %2; @p " TEXT " }" : "+r"(r) : "r"(never), "r"(i + 7), __VA_ARGS__ : "memory")
REPEAT(k_off_shared_load, GUARDED("ld.volatile.shared.u32 %0, [%3];", "r"(a)), )
REPEAT(k_off_shared_store, GUARDED("st.shared.u32 [%3], %0;", "r"(a)), )
REPEAT(k_off_global_load, GUARDED("ld.volatile.global.u32 %0, [%3];", "l"(g)), )
REPEAT(k_off_global_store, GUARDED("st.global.u32 [%3], %0;", "l"(g)), )
REPEAT(k_off_shared_load_chain, GUARDED("ld.volatile.shared.u32 %0, [%3];", "r"(a + (r & never))), )
REPEAT(k_sm_number, asm volatile("mov.u32 %0, %%smid;" : "=r"(r)), )
// Warp 0 reads the number of its SM after each of 32 steps while the others load with conflicts.
KERNEL k_sm_number_behind(uint32_t stride, uint32_t* out) {
  __shared__ uint32_t s[1024]; s[threadIdx.x] = threadIdx.x; uint32_t lane = threadIdx.x & 31, a = (uint32_t)__cvta_generic_to_shared(s) + (lane * stride & 1023) * 4, sum = 0; __syncthreads();
  if (threadIdx.x < 32) {
    uint32_t t0 = clock_now();
#pragma unroll 1
    for (int i = 0; i < 32; i++) { uint32_t r; asm volatile("mov.u32 %0, %%smid;" : "=r"(r)); sum += r; asm volatile("" ::"r"(sum) : "memory"); }
    out[threadIdx.x] = clock_now() - t0;
  } else {
#pragma unroll 1
    for (int i = 0; i < 64; i++) { uint32_t r; asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(r) : "r"(a)); sum += r; }
  }
  if (sum == 0x12345) out[1024] = sum;
}

// ---------------------------------------------------------------- lines of L1 by distance
KERNEL k_chain(uint32_t* memory, uint32_t step_words, uint32_t count) { for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) memory[(size_t)i * step_words] = (i + 1) % count * step_words; }
KERNEL k_follow(const uint32_t* memory, uint32_t count, uint32_t* out) {
  uint32_t at = 0; for (uint32_t i = 0; i < 3 * count; i++) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(memory + at));
  uint32_t t0 = clock_now(); for (uint32_t i = 0; i < count; i++) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(memory + at));
  out[0] = clock_now() - t0 + (at == 0x12345);
}

// ---------------------------------------------------------------- sectors of level two at random
template <int LANES, bool STORE> __device__ __forceinline__ void sectors(uint32_t* memory, uint32_t lines, uint32_t* out) {
  uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31, sum = 0;
  for (uint32_t i = threadIdx.x + blockIdx.x * blockDim.x; i < lines * 32; i += blockDim.x * gridDim.x) { uint32_t r; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(r) : "l"(memory + i)); sum += r; }
  for (uint32_t i = threadIdx.x; i < lines * 32 && gridDim.x < 8; i += blockDim.x) { uint32_t r; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(r) : "l"(memory + i)); sum += r; }
  __syncthreads(); uint32_t t0 = clock_now();
#pragma unroll 8
  for (int i = 0; i < 64; i++) {
    uint32_t line = mix(warp * 4096 + i * 64 + lane / LANES) % lines; uint32_t* p = memory + line * 32 + (lane % LANES) * 8; uint32_t r = i;
    if (STORE) asm volatile("st.global.u32 [%1], %0;" ::"r"(r), "l"(p) : "memory"); else { asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(r) : "l"(p)); sum += r; }
  }
  if (sum == 0x12345) out[1024 * 132] = sum;
  __syncthreads(); out[blockIdx.x * blockDim.x + threadIdx.x] = clock_now() - t0;
}
KERNEL k_sectors_1(uint32_t* m, uint32_t lines, uint32_t* out) { sectors<1, false>(m, lines, out); }
KERNEL k_sectors_2(uint32_t* m, uint32_t lines, uint32_t* out) { sectors<2, false>(m, lines, out); }
KERNEL k_sectors_4(uint32_t* m, uint32_t lines, uint32_t* out) { sectors<4, false>(m, lines, out); }
KERNEL k_words_stored_1(uint32_t* m, uint32_t lines, uint32_t* out) { sectors<1, true>(m, lines, out); }
KERNEL k_words_stored_4(uint32_t* m, uint32_t lines, uint32_t* out) { sectors<4, true>(m, lines, out); }

int main() {
  uint32_t *out, *memory, *offsets; size_t bytes = 256u << 20; CHECK(cudaMalloc(&out, 4 * (1024 * 132 + 8))); CHECK(cudaMalloc(&memory, bytes)); CHECK(cudaMemset(memory, 0, bytes)); CHECK(cudaMalloc(&offsets, 128));
  std::vector<uint32_t> h(1024 * 132);
  struct Pattern { int words; const char* name; uint32_t (*f)(uint32_t); uint32_t active; };
#define P(W, T, E) {W, T, [](uint32_t l) -> uint32_t { return E; }, ~0u}
#define PA(W, T, E, A) {W, T, [](uint32_t l) -> uint32_t { return E; }, A}
  std::vector<Pattern> patterns = {
    P(1, "lane", l * 4), P(1, "lane*2", l * 8), P(1, "lane/2*2", l / 2 * 8),
    P(2, "lane", l * 8), P(2, "0", 0), P(2, "lane/2", l / 2 * 8), P(2, "lane%16", l % 16 * 8), P(2, "lane/4", l / 4 * 8), P(2, "lane/4*2+lane%2", (l / 4 * 2 + l % 2) * 8), P(2, "lane/8*4+lane%4", (l / 8 * 4 + l % 4) * 8), P(2, "lane/16*8+lane%8", (l / 16 * 8 + l % 8) * 8),
    P(2, "lane/16", l / 16 * 8), P(2, "lane/2*2", l / 2 * 16), P(2, "lane/2*2 and 16 apart", l / 2 * 16 + l / 16 * 8), P(2, "lane/16*32", l / 16 * 256), P(2, "lane%16+lane/16*16", (l % 16 + l / 16 * 16) * 8), P(2, "lane%16, second half 128 bytes on", l % 16 * 8 + l / 16 * 128), P(2, "lane/4*4", l / 4 * 32),
    PA(2, "lane, lanes 0-15", l * 8, 0xffffu), PA(2, "lane, even lanes", l * 8, 0x55555555u), PA(2, "lane/2, lanes 0-15", l / 2 * 8, 0xffffu), PA(2, "lane, lanes 0-7 and 16-23", l * 8, 0x00ff00ffu), PA(2, "lane/2, all but lane 1", l / 2 * 8, ~2u),
    P(4, "lane", l * 16), P(4, "0", 0), P(4, "lane/2", l / 2 * 16), P(4, "lane/4", l / 4 * 16), P(4, "lane/8", l / 8 * 16), P(4, "lane/16", l / 16 * 16), P(4, "lane%8", l % 8 * 16), P(4, "lane%16", l % 16 * 16), P(4, "lane/4*2+lane%2", (l / 4 * 2 + l % 2) * 16), P(4, "lane/8*4+lane%4", (l / 8 * 4 + l % 4) * 16),
    P(4, "lane/16*8+lane%8", (l / 16 * 8 + l % 8) * 16), P(4, "lane/8*2", l / 8 * 32), P(4, "lane/8*32", l / 8 * 512), P(4, "lane%8*2", l % 8 * 32), P(4, "lane/16*32", l / 16 * 512), P(4, "lane/2*2", l / 2 * 32), P(4, "lane/4*2", l / 4 * 32), P(4, "lane/16*8", l / 16 * 128), P(4, "lane/2, second half 128 bytes on", l % 16 / 2 * 16 + l / 16 * 128),
    PA(4, "lane, lanes 0-7", l * 16, 0xffu), PA(4, "lane, lanes 0-15", l * 16, 0xffffu), PA(4, "lane, even lanes", l * 16, 0x55555555u), PA(4, "lane, each fourth", l * 16, 0x11111111u), PA(4, "lane/2, all but lane 1", l / 2 * 16, ~2u)};
  for (auto& p : patterns) {
    for (uint32_t l = 0; l < 32; l++) h[l] = p.f(l);
    CHECK(cudaMemcpy(offsets, h.data(), 128, cudaMemcpyHostToDevice));
    for (int warps : {1, 8}) {
      for (int r = 0; r < 2; r++) { if (p.words == 1) k_shared_4<<<1, warps * 32>>>(offsets, p.active, out); if (p.words == 2) k_shared_8<<<1, warps * 32>>>(offsets, p.active, out); if (p.words == 4) k_shared_16<<<1, warps * 32>>>(offsets, p.active, out); }
      CHECK(cudaMemcpy(h.data() + 64, out, 4 * 1024, cudaMemcpyDeviceToHost)); printf("shared %d bytes, offset (%s): %d warps %.2f cycles each\n", p.words * 4, p.name, warps, h[64 + 0] / 64.0 / warps);
    }
  }
#define TIME(NAME, ...) for (int warps : {1, 4, 8, 16}) { for (int r = 0; r < 2; r++) NAME<<<1, warps * 32>>>(__VA_ARGS__); CHECK(cudaMemcpy(h.data(), out, 4 * 1024, cudaMemcpyDeviceToHost)); uint32_t last = 0; for (int w = 0; w < warps; w++) last = last > h[w * 32] ? last : h[w * 32]; printf(#NAME ": %d warps %.2f cycles each of a warp, %.2f of all\n", warps, last / 64.0, last / 64.0 / warps); }
  TIME(k_off_shared_load, 0, memory, out) TIME(k_off_shared_store, 0, memory, out) TIME(k_off_global_load, 0, memory, out) TIME(k_off_global_store, 0, memory, out) TIME(k_off_shared_load_chain, 0, memory, out)
  TIME(k_sm_number, 0, memory, out)
  for (uint32_t stride : {1u, 8u, 32u}) for (int warps : {1, 2, 5, 9}) { for (int r = 0; r < 2; r++) k_sm_number_behind<<<1, warps * 32>>>(stride, out); CHECK(cudaMemcpy(h.data(), out, 128, cudaMemcpyDeviceToHost)); printf("k_sm_number_behind stride %u, %d warps that load: %.2f cycles each\n", stride, warps - 1, h[0] / 32.0); }
  for (uint32_t kib4 : {128u, 256u, 512u, 1024u, 2048u, 4096u, 8192u, 16384u, 32768u, 65536u}) {
    printf("lines %u bytes apart, cycles each:", kib4);
    for (uint32_t n : {16u, 32u, 48u, 64u, 96u, 128u, 192u, 256u, 384u, 512u, 768u, 1024u, 1280u, 1536u, 1664u, 1792u, 1920u, 2048u, 2304u}) {
      if ((size_t)n * kib4 > bytes) break;
      k_chain<<<1, 256>>>(memory, kib4 / 4, n); k_follow<<<1, 1>>>(memory, n, out); CHECK(cudaMemcpy(h.data(), out, 4, cudaMemcpyDeviceToHost)); printf(" %u:%.1f", n, h[0] / (double)n);
    }
    printf("\n");
  }
#define GATHER(NAME, PER) for (uint32_t kib : {64u, 256u, 2048u, 16384u}) for (int blocks : {1, 8, 16, 66, 132}) for (int threads : {256, 1024}) { NAME<<<blocks, threads>>>(memory, kib * 8, out); NAME<<<blocks, threads>>>(memory, kib * 8, out); CHECK(cudaMemcpy(h.data(), out, 4u * blocks * threads, cudaMemcpyDeviceToHost)); double s = 0; for (int b = 0; b < blocks; b++) s += h[b * threads]; printf(#NAME ": %u KiB, %d blocks of %d, %.3f cycles a " PER "\n", kib, blocks, threads, s / blocks / (64.0 * threads)); }
  GATHER(k_sectors_1, "sector") GATHER(k_sectors_2, "sector") GATHER(k_sectors_4, "sector") GATHER(k_words_stored_1, "word") GATHER(k_words_stored_4, "word")
  CHECK(cudaDeviceSynchronize()); return 0;
}
