// Kernels of rarer instructions, each of 2 blocks of 64 threads: 'in' has 4096 words, 'out' 4096, zero before, 32 of
// them a thread. They stand beside isa.cu; more_main.cu runs them on a GPU.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

#define KERNEL(name) extern "C" __global__ void name(uint32_t *out, const uint32_t *in, uint32_t n)
#define THREAD uint32_t t = blockIdx.x * blockDim.x + threadIdx.x, k = 0; uint32_t *o = out + t * 32
#define PUT(value) o[k++] = (uint32_t)(value)
#define PUTF(value) PUT(__float_as_uint(value))

__device__ __forceinline__ uint32_t mix(uint32_t x) {
  x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16;
  return x;
}
// Any bits: all exponents, and now and then zero, infinity, a NaN.
__device__ __forceinline__ float any_float(uint32_t x) {
  const uint32_t special[8] = {0, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 1, 0x807fffffu, 0x7f7fffffu};
  return __uint_as_float(x % 16 == 0 ? special[x >> 4 & 7] : mix(x));
}
// A float near one of the ends of the range of products.
__device__ __forceinline__ float edge(uint32_t x, uint32_t exponent) { return __uint_as_float(x & 0x807fffffu | (exponent + (x >> 24 & 7)) << 23); }

// Products of their own factors, times a power of two: of any numbers, of numbers whose products are denormal, of
// numbers whose products are near infinity.
template <int kind> __device__ __forceinline__ float factor(const uint32_t *in, uint32_t i) {
  return kind == 0 ? any_float(in[i % 4096]) : edge(mix(in[i % 4096]), kind == 1 ? 60 : 186);
}
#define FACTORS float a = factor<kind>(in, t + n * 64 + k * 256), b = factor<kind>(in, t + n * 64 + k * 256 + 128), r
template <int kind> __device__ __forceinline__ void scaled(uint32_t *o, const uint32_t *in, uint32_t t, uint32_t n) {
  uint32_t k = 0;
  { FACTORS; r = a * b * 0.5f; PUTF(r); }
  { FACTORS; r = a * b * 0.25f; PUTF(r); }
  { FACTORS; r = a * b * 0.125f; PUTF(r); }
  { FACTORS; r = a * b * 2.0f; PUTF(r); }
  { FACTORS; r = a * b * 4.0f; PUTF(r); }
  { FACTORS; r = a * b * 8.0f; PUTF(r); }
  { FACTORS; asm("{ .reg .f32 p; mul.ftz.f32 p, %1, %2; mul.ftz.f32 %0, p, 0f3E800000; }" : "=f"(r) : "f"(a), "f"(b)); PUTF(r); }
  { FACTORS; asm("{ .reg .f32 p; mul.ftz.f32 p, %1, %2; mul.ftz.f32 %0, p, 0f40800000; }" : "=f"(r) : "f"(a), "f"(b)); PUTF(r); }
  { FACTORS; asm("{ .reg .f32 p; mul.f32 p, %1, %2; mul.sat.f32 %0, p, 0f3F000000; }" : "=f"(r) : "f"(a), "f"(b)); PUTF(r); }
  { FACTORS; asm("{ .reg .f32 p; mul.rn.f32 p, %1, %2; mul.rn.f32 %0, p, 0f3F000000; }" : "=f"(r) : "f"(a), "f"(b)); PUTF(r); }
}
KERNEL(scaled_products) {
  uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  scaled<0>(out + t * 32, in, t, n); scaled<1>(out + t * 32 + 10, in, t, n); scaled<2>(out + t * 32 + 20, in, t, n);
}

KERNEL(packed_integers) {
  THREAD;
  uint32_t a = mix(in[t] + n), b = mix(in[t + 128]), c = mix(in[t + 256]), r;
  if (t % 4 == 0) b = b & 0xffff0000u | a & 0xffff;
  PUT(__vmaxs2(a, b)); PUT(__vmins2(a, b)); PUT(__vmaxu2(a, b)); PUT(__vminu2(a, b));
  PUT(__vimax3_s16x2(a, b, c)); PUT(__vimin3_s16x2(a, b, c)); PUT(__vimax3_u16x2(a, b, c)); PUT(__vimin3_u16x2(a, b, c));
  PUT(__viaddmax_s16x2(a, b, c)); PUT(__viaddmin_s16x2(a, b, c)); PUT(__viaddmax_u16x2(a, b, c)); PUT(__viaddmin_u16x2(a, b, c));
  PUT(__vimax_s16x2_relu(a, b)); PUT(__vimin_s16x2_relu(a, b)); PUT(__vimax3_s16x2_relu(a, b, c)); PUT(__vimin3_s16x2_relu(a, b, c));
  PUT(__viaddmax_s16x2_relu(a, b, c)); PUT(__viaddmin_s16x2_relu(a, b, c));
  bool high, low;
  PUT(__vibmax_s16x2(a, b, &high, &low)); PUT(high * 2 + low); PUT(__vibmin_s16x2(a, b, &high, &low)); PUT(high * 2 + low);
  PUT(__vibmax_u16x2(a, b, &high, &low)); PUT(high * 2 + low); PUT(__vibmin_u16x2(a, b, &high, &low)); PUT(high * 2 + low);
  PUT(__vadd2(a, b)); PUT(__vsub2(a, b));
  asm("add.u16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); PUT(r);
  asm("min.s16x2.relu %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); PUT(r);
  PUT(__viaddmax_s32(a, b, c)); PUT(__viaddmin_u32(a, b, c));
}

KERNEL(absolute_differences) {
  THREAD;
  uint32_t a = mix(in[t] + n), b = mix(in[t + 128]), c = mix(in[t + 256]), r;
  PUT(__sad((int)a, (int)b, c)); PUT(__usad(a, b, c)); PUT(__vabsdiffu4(a, b)); PUT(__vsadu4(a, b));
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); PUT(r);
  asm("vabsdiff4.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); PUT(r);
  asm("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(0)); PUT(r);
  asm("vabsdiff4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(0)); PUT(r);
  asm("vabsdiff.u32.u32.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); PUT(r);
  asm("vabsdiff.u32.s32.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); PUT(r);
  asm("vabsdiff.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); PUT(r);
}

KERNEL(eight_bit_floats) {
  THREAD;
  uint32_t x = mix(in[t] + n), w;
  // Floats around the range of the bytes, halves of any bits, bytes of any bits.
  float a = t % 8 == 0 ? any_float(in[t]) : edge(x, 113 + t % 16), b = t % 8 == 1 ? any_float(in[t + 1]) : edge(mix(x), 113 + t % 16);
  uint32_t z = mix(in[t + 128]);
  unsigned short r;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(a), "f"(b)); PUT(r);
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(r) : "f"(a), "f"(b)); PUT(r);
  asm("cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(a), "f"(b)); PUT(r);
  asm("cvt.rn.satfinite.relu.e5m2x2.f32 %0, %1, %2;" : "=h"(r) : "f"(a), "f"(b)); PUT(r);
  asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(r) : "r"(z)); PUT(r);
  asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(r) : "r"(z)); PUT(r);
  asm("cvt.rn.satfinite.relu.e4m3x2.f16x2 %0, %1;" : "=h"(r) : "r"(z)); PUT(r);
  asm("cvt.rn.satfinite.relu.e5m2x2.f16x2 %0, %1;" : "=h"(r) : "r"(z)); PUT(r);
  for (uint32_t i = 0; i < 2; ++i) {
    unsigned short h = (unsigned short)(t * 2 + i | (255 - t) << 8);
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(w) : "h"(h)); PUT(w);
    asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(w) : "h"(h)); PUT(w);
    asm("cvt.rn.relu.f16x2.e4m3x2 %0, %1;" : "=r"(w) : "h"(h)); PUT(w);
    asm("cvt.rn.relu.f16x2.e5m2x2 %0, %1;" : "=r"(w) : "h"(h)); PUT(w);
  }
  unsigned short low, high;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(low) : "f"(a), "f"(b));
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(high) : "f"(b), "f"(a));
  PUT(low | (uint32_t)high << 16);
}

KERNEL(vector_atomics) {
  THREAD;
  float f = (float)(int)(in[t] % 1000), g = (float)(int)(in[t + 128] % 1000);
  for (uint32_t i = 0; i < n; ++i) {
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(o), "f"(f), "f"(g), "f"(f + i), "f"(g - i) : "memory");
    asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(o + 4), "f"(f), "f"(-g) : "memory");
    asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1, %2, %3, %4};" ::"l"(o + 8), "r"(0x3c003c00), "r"(0x40003c00), "r"(0x3c004000), "r"(0x44004400) : "memory");
    asm volatile("red.global.add.noftz.v2.bf16x2 [%0], {%1, %2};" ::"l"(o + 12), "r"(0x3f803f80), "r"(0x40003f80) : "memory");
    asm volatile("red.global.max.noftz.v2.f16x2 [%0], {%1, %2};" ::"l"(o + 14), "r"(mix(in[t] + i) & 0x7bff7bff), "r"(mix(in[t] + i) & 0xfbfffbff) : "memory");
    asm volatile("red.global.min.noftz.v2.bf16x2 [%0], {%1, %2};" ::"l"(o + 16), "r"(mix(in[t] + i) & 0x7f7f7f7f), "r"(mix(in[t] + i) & 0xff7fff7f) : "memory");
    atomicAdd((__nv_bfloat162 *)(o + 18), __floats2bfloat162_rn(1.0f, (float)i));
  }
  // Neighbours on one place, with sums that are exact in any order.
  float *shared_place = (float *)(out + (t & ~3u) * 32 + 20);
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(shared_place), "f"(f), "f"(1.0f), "f"(g), "f"(2.0f) : "memory");
  float a, b, c, d;
  asm volatile("atom.global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(o), "f"(1.0f), "f"(2.0f), "f"(3.0f), "f"(4.0f) : "memory");
  k = 24;
  PUTF(a); PUTF(b); PUTF(c); PUTF(d);
  asm volatile("atom.global.add.v2.f32 {%0, %1}, [%2], {%3, %4};" : "=f"(a), "=f"(b) : "l"(o + 4), "f"(1.0f), "f"(2.0f) : "memory");
  PUTF(a); PUTF(b);
}

KERNEL(wide_local) {
  THREAD;
  double2 kept[8]; float2 pairs[8];
  for (uint32_t i = 0; i < 8; ++i) kept[i] = make_double2(in[t] * (i + 1), i), pairs[i] = make_float2(in[t + 128], i);
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t at = in[t + i] % 8;
    kept[at].x += kept[(at + i) % 8].y; pairs[at].y += pairs[(at + 3 * i) % 8].x;
  }
  for (uint32_t i = 0; i < 8; ++i) { uint32_t at = (in[t] + i) % 8; PUT(kept[at].x); PUTF(pairs[at].y); }
}

KERNEL(dependent_grid) {
  THREAD;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  uint32_t value = in[t] + n;
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  PUT(value); PUT(cooperative_groups::this_grid().is_valid());
}
