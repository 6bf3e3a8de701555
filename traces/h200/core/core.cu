// What one SM does with bursts and with divergence: the clock read by warp 0 after each of 32 instructions to the load/store
// unit in a row, beside other warps that do the same; and cycles per iteration of loops whose warps diverge.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define K extern "C" __global__ void
__device__ __forceinline__ uint32_t now() { unsigned long long t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory"); return (uint32_t)t; }
enum Kind { LOAD, LOAD16, STORE, STORE16, REDUCE, SHARED_LOAD, SHARED_LOAD16, SHARED_STORE, SHUFFLE, EXP };
// `spread` words from a lane to the next; `step` words from an instruction to the next. Twice: the second time what the first has loaded is in L1.
// Where lanes may differ (`lanes` is 32) the clock is read by CS2R, which waits for nothing.
template <Kind kind, int spread, int step> __device__ __forceinline__ void burst(uint32_t* __restrict__ base, uint32_t* __restrict__ out, int lanes) {
  constexpr int n = kind == LOAD16 || kind == SHARED_LOAD16 ? 16 : 32;
  __shared__ __align__(16) uint32_t s[8192]; uint32_t t[33], v[n]; uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32; uint4 w[16];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = i;
  uint32_t* p = base + (size_t)warp * step * 32 + lane * spread; uint32_t q = (uint32_t)__cvta_generic_to_shared(s + ((warp * 32 + lane * spread) & 4095)); float e = lane;
  for (int again = 0; again < 2; again++) { __syncthreads(); if ((int)lane < lanes) { t[0] = now();
#pragma unroll
    for (int i = 0; i < n; i++) {
      if (kind == LOAD) asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[i]) : "l"(p + i * step));
      if (kind == LOAD16) asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(w[i].x), "=r"(w[i].y), "=r"(w[i].z), "=r"(w[i].w) : "l"(p + i * step));
      if (kind == STORE) asm volatile("st.global.u32 [%0], %1;" :: "l"(p + i * step), "r"(lane));
      if (kind == STORE16) asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" :: "l"(p + i * step), "r"(lane));
      if (kind == REDUCE) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(p + i * step), "r"(lane));
      if (kind == SHARED_LOAD) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v[i]) : "r"(q + i * 128));
      if (kind == SHARED_LOAD16) asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(w[i].x), "=r"(w[i].y), "=r"(w[i].z), "=r"(w[i].w) : "r"(q + i * 128));
      if (kind == SHARED_STORE) asm volatile("st.shared.u32 [%0], %1;" :: "r"(q + i * 128), "r"(lane));
      if (kind == SHUFFLE) asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, -1;" : "=r"(v[i]) : "r"(lane), "r"(i));
      if (kind == EXP) { float f; asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(f) : "f"(e + i)); v[i] = __float_as_uint(f); }
      t[i + 1] = now(); }
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < n; i++) { if (kind == LOAD || kind == SHARED_LOAD || kind == SHUFFLE || kind == EXP) sum ^= v[i]; if (n == 16) sum ^= w[i].x ^ w[i].y ^ w[i].z ^ w[i].w; }
    uint32_t end = now() + (sum == 0x12345678);
    if (threadIdx.x == 0) {
#pragma unroll
      for (int i = 0; i < n; i++) out[again * 33 + i] = t[i + 1] - t[i];
      out[again * 33 + 32] = end - t[0]; } } } }
#define BURST(NAME, KIND, SPREAD, STEP) K k_##NAME##_##SPREAD(uint32_t* base, uint32_t* out, int lanes) { burst<KIND, SPREAD, STEP>(base, out, lanes); }
BURST(load, LOAD, 1, 32) BURST(load, LOAD, 8, 256) BURST(load, LOAD, 32, 1024) BURST(load16, LOAD16, 4, 128) BURST(store, STORE, 1, 32) BURST(store, STORE, 8, 256) BURST(store, STORE, 32, 1024) BURST(store16, STORE16, 4, 128) BURST(reduce, REDUCE, 1, 32) BURST(reduce, REDUCE, 32, 1024)
BURST(shared_load, SHARED_LOAD, 1, 0) BURST(shared_load, SHARED_LOAD, 2, 0) BURST(shared_load, SHARED_LOAD, 32, 0) BURST(shared_load16, SHARED_LOAD16, 4, 0) BURST(shared_store, SHARED_STORE, 1, 0) BURST(shared_store, SHARED_STORE, 32, 0) BURST(shuffle, SHUFFLE, 1, 0) BURST(exp, EXP, 1, 0)

// --- divergence: cycles of n iterations
#define WORK(R, M) asm volatile("mad.lo.s32 %0, %0, " #M ", 1; mad.lo.s32 %0, %0, " #M ", 2; mad.lo.s32 %0, %0, " #M ", 3; mad.lo.s32 %0, %0, " #M ", 4; mad.lo.s32 %0, %0, " #M ", 5; mad.lo.s32 %0, %0, " #M ", 6; mad.lo.s32 %0, %0, " #M ", 7; mad.lo.s32 %0, %0, " #M ", 8; mad.lo.s32 %0, %0, " #M ", 9; mad.lo.s32 %0, %0, " #M ", 10; mad.lo.s32 %0, %0, " #M ", 11; mad.lo.s32 %0, %0, " #M ", 12;" : "+r"(R));
#define LOOP(NAME, BODY) K k_##NAME(uint32_t* __restrict__ out, int n, int ways) { int v = threadIdx.x, side = threadIdx.x % ways; uint32_t t0 = now(); _Pragma("unroll 1") for (int i = 0; i < n; i++) { BODY } uint32_t t1 = now(); out[threadIdx.x] = t1 - t0; out[1024 + threadIdx.x] = v; }
LOOP(work, WORK(v, 3))
LOOP(if, if (side == 0) { WORK(v, 3) })
LOOP(if_else, if (side == 0) { WORK(v, 3) } else { WORK(v, 5) })
LOOP(if_else_4, if (side & 1) { if (side & 2) { WORK(v, 3) } else { WORK(v, 5) } } else { if (side & 2) { WORK(v, 7) } else { WORK(v, 9) } })
LOOP(trips, for (int j = 0; j <= side; j++) { WORK(v, 3) })
LOOP(syncwarp, WORK(v, 3) __syncwarp();)
LOOP(if_syncwarp, if (side == 0) { WORK(v, 3) } __syncwarp();)
__device__ __noinline__ int called(int v) { WORK(v, 3) return v; }
LOOP(call, v = called(v);)
LOOP(call_divergent, if (side == 0) v = called(v); else { WORK(v, 5) })
LOOP(leave, if (side * 4 < i - 1000000) break; WORK(v, 3))
static uint32_t *base_, *out_; static std::vector<uint32_t> h_(4096);
static void back() { CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h_.data(), out_, 16384, cudaMemcpyDeviceToHost)); }
#define GO(NAME, SPREAD) { cudaFuncAttributes f; CHECK(cudaFuncGetAttributes(&f, k_##NAME##_##SPREAD)); for (int warps : {1, 2, 4, 8, 16, 32}) if (warps * 32 <= f.maxThreadsPerBlock) { k_##NAME##_##SPREAD<<<1, 32 * warps>>>(base_, out_, 32); back(); for (int a = 0; a < 2; a++) { printf(#NAME " spread " #SPREAD ", %d warps%s:", warps, a ? ", again" : ""); for (int i = 0; i < 32; i++) printf(" %u", h_[a * 33 + i]); printf(" | in all %u\n", h_[a * 33 + 32]); } } }
#define DIVERGE(NAME, WAYS) for (int warps : {1, 8}) { uint32_t r[2]; for (int again = 0; again < 2; again++) for (int n : {64, 128}) { k_##NAME<<<1, 32 * warps>>>(out_, n, WAYS); back(); r[n / 128] = h_[0]; } printf(#NAME " %d ways, %d warps: %.2f cycles an iteration\n", WAYS, warps, (r[1] - r[0]) / 64.0); }
int main() {
  CHECK(cudaMalloc(&base_, (size_t)256 << 20)); CHECK(cudaMemset(base_, 0, (size_t)256 << 20)); CHECK(cudaMalloc(&out_, 16384));
  GO(load, 1) GO(load, 8) GO(load, 32) GO(load16, 4) GO(store, 1) GO(store, 8) GO(store, 32) GO(store16, 4) GO(reduce, 1) GO(reduce, 32)
  GO(shared_load, 1) GO(shared_load, 2) GO(shared_load, 32) GO(shared_load16, 4) GO(shared_store, 1) GO(shared_store, 32) GO(shuffle, 1) GO(exp, 1)
  for (int w : {1}) { DIVERGE(work, w) DIVERGE(syncwarp, w) DIVERGE(call, w) DIVERGE(leave, w) }
  for (int w : {1, 2}) { DIVERGE(if, w) DIVERGE(if_else, w) DIVERGE(if_syncwarp, w) DIVERGE(call_divergent, w) }
  for (int w : {1, 2, 4}) DIVERGE(if_else_4, w)
  for (int w : {1, 2, 4, 8, 32}) DIVERGE(trips, w)
}
