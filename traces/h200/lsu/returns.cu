// Whether loads return in the order in which they were issued. `alone`: one warp issues a load that only DRAM has and at once one
// that is nearer, and reads the clock when the nearer one is there, and when the other is. `beside`: one warp walks a chain of
// near loads and notes the time of each step, while other warps load lines that are further away, one load at a time each.
// Percentiles of the steps.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define K extern "C" __global__ void
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
__device__ __forceinline__ uint32_t load(const uint32_t* p) { uint32_t v; asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ uint32_t load_l2(const uint32_t* p) { uint32_t v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
enum Near { L1, L2, SHARED };
static const int STEPS = 1024;
template <int NEAR> __device__ __forceinline__ uint32_t near_load(const uint32_t* near, const uint32_t* shared, uint32_t at) {
  return NEAR == L1 ? load(near + at) : NEAR == L2 ? load_l2(near + at) : *(volatile const uint32_t*)(shared + at); }
// near: zeros. Of level one 4 KiB, of level two 256 KiB, of shared memory 4 KiB.
template <int NEAR> __device__ __forceinline__ uint32_t mask() { return NEAR == L2 ? 65535 : 1023; }
template <int NEAR> __device__ __forceinline__ void warm(const uint32_t* near, uint32_t* shared) {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) shared[i] = 0;
  uint32_t s = 0; for (int i = threadIdx.x; i <= mask<NEAR>(); i += blockDim.x) s += NEAR == L1 ? load(near + i) : load_l2(near + i);
  if (s) shared[0] = 1; __syncthreads(); }
template <int NEAR> __device__ __forceinline__ void alone(const uint32_t* far, const uint32_t* near, uint32_t* out, uint32_t words, int lines, uint32_t seed) {
  __shared__ uint32_t shared[1024]; warm<NEAR>(near, shared); int lane = threadIdx.x % 32; uint32_t at = 0;
  for (int i = 0; i < STEPS; i++) {
    const uint32_t* p = far + (mix(seed + i * 32 + (lines == 0 ? 0 : lane % lines)) & (words - 1)); uint32_t t0 = now(), f = 0;
    if (lines) f = load(p); uint32_t n = near_load<NEAR>(near, shared, at); if (n == 77) break; uint32_t t1 = now(); if (f == 77) break; uint32_t t2 = now(); at = (at + 33 + n) & mask<NEAR>();
    if (lane == 0) { out[2 * i] = t1 - t0; out[2 * i + 1] = t2 - t0; } __syncwarp(); } }
K k_alone_l1(const uint32_t* far, const uint32_t* near, uint32_t* out, uint32_t words, int lines, uint32_t seed) { alone<L1>(far, near, out, words, lines, seed); }
K k_alone_l2(const uint32_t* far, const uint32_t* near, uint32_t* out, uint32_t words, int lines, uint32_t seed) { alone<L2>(far, near, out, words, lines, seed); }
K k_alone_shared(const uint32_t* far, const uint32_t* near, uint32_t* out, uint32_t words, int lines, uint32_t seed) { alone<SHARED>(far, near, out, words, lines, seed); }
// The last warp walks the chain, `others` of the first ones load from `far` past level one or not; those of `which` sub-partitions only.
template <int NEAR> __device__ __forceinline__ void beside(const uint32_t* far, const uint32_t* near, uint32_t* out, uint32_t words, int lines, uint32_t seed, int which, int pause) {
  __shared__ uint32_t shared[1024]; __shared__ volatile int over; if (threadIdx.x == 0) over = 0; warm<NEAR>(near, shared);
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (warp == blockDim.x / 32 - 1) { uint32_t at = 0;
    for (int i = 0; i < STEPS; i++) { uint32_t t0 = now(), n = near_load<NEAR>(near, shared, at); if (n == 77) break; uint32_t t1 = now(); at = (at + 33 + n) & mask<NEAR>(); if (lane == 0) out[i] = t1 - t0;
      if (pause) { uint32_t from = now(); while (now() - from < pause) {} } }
    over = 1;
  } else if (which >> (warp % 4) & 1) { uint32_t s = 0;
    for (uint32_t i = 0; !over; i++) { uint32_t v = load(far + (mix(seed + (warp * 65536 + i) * 32 + lane % lines) & (words - 1))); s += v; if (v == 77) break; }
    if (s == 12345) out[0] = 0; } }
K k_beside_l1(const uint32_t* far, const uint32_t* near, uint32_t* out, uint32_t words, int lines, uint32_t seed, int which, int pause) { beside<L1>(far, near, out, words, lines, seed, which, pause); }
K k_beside_l2(const uint32_t* far, const uint32_t* near, uint32_t* out, uint32_t words, int lines, uint32_t seed, int which, int pause) { beside<L2>(far, near, out, words, lines, seed, which, pause); }
K k_beside_shared(const uint32_t* far, const uint32_t* near, uint32_t* out, uint32_t words, int lines, uint32_t seed, int which, int pause) { beside<SHARED>(far, near, out, words, lines, seed, which, pause); }
static uint32_t *far_, *near_, *out_; static std::vector<uint32_t> h_(2 * STEPS); static uint32_t seed_ = 1;
static void percentiles(const char* head, std::vector<uint32_t> v) { std::sort(v.begin(), v.end()); double s = 0; for (uint32_t x : v) s += x;
  printf(" | %s mean %.1f, 5 %% %u, 25 %% %u, 50 %% %u, 75 %% %u, 95 %% %u", head, s / v.size(), v[v.size() / 20], v[v.size() / 4], v[v.size() / 2], v[v.size() * 3 / 4], v[v.size() * 19 / 20]); }
static void fetch() { CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h_.data(), out_, 8 * STEPS, cudaMemcpyDeviceToHost)); seed_ += 1 << 24; }
typedef void Alone(const uint32_t*, const uint32_t*, uint32_t*, uint32_t, int, uint32_t); typedef void Beside(const uint32_t*, const uint32_t*, uint32_t*, uint32_t, int, uint32_t, int, int);
int main() {
  uint32_t words = 1u << 28; CHECK(cudaMalloc(&far_, 4ull * words)); CHECK(cudaMemset(far_, 0, 4ull * words)); CHECK(cudaMalloc(&near_, 1 << 20)); CHECK(cudaMemset(near_, 0, 1 << 20)); CHECK(cudaMalloc(&out_, 8 * STEPS));
  struct { const char* name; Alone* alone; Beside* beside; } kinds[] = {{"L1", k_alone_l1, k_beside_l1}, {"L2", k_alone_l2, k_beside_l2}, {"shared", k_alone_shared, k_beside_shared}};
  for (auto& k : kinds) for (int lines : {0, 1, 4, 32}) { k.alone<<<1, 32>>>(far_, near_, out_, words, lines, seed_); fetch();
    std::vector<uint32_t> near, far; for (int i = 32; i < STEPS; i++) { near.push_back(h_[2 * i]); far.push_back(h_[2 * i + 1]); }
    printf("alone: near %s, far load of %d lines", k.name, lines); percentiles("near", near); percentiles("far", far); printf("\n"); }
  for (auto& k : kinds) for (uint32_t from : {words, 1u << 17}) for (int lines : {1, 8, 32}) for (int others : {0, 1, 3, 4, 8, 16, 31}) for (int which : {15, 8, 7}) for (int pause : {0, 200}) {
    if ((which != 15 || pause) && (others != 8 || k.name[0] == 's')) continue; if (others == 0 && lines != 1) continue;
    // The chain is walked by the last warp, in sub-partition 3 where there are others + 1 = 4, 8, ... warps.
    int warps = others + 1; if (which != 15) warps = 8;
    k.beside<<<1, 32 * warps>>>(far_, near_, out_, from, lines, seed_, which, pause); fetch();
    printf("beside: near %s, %d other warps (of sub-partitions %d), loads of %d lines from %u KiB, pause %d", k.name, warps - 1, which, lines, from / 256, pause);
    percentiles("near", std::vector<uint32_t>(h_.begin() + 32, h_.begin() + STEPS)); printf("\n"); } }
