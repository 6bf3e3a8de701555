// Small kernels that together use the instructions of ordinary kernels: each writes what it computes, so that the
// same source can be compared by two roads. Launched with 2 blocks of 64 threads; 'in' has 4096 words, 'out' 4096.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

#define KERNEL(name) extern "C" __global__ void name(uint32_t *out, const uint32_t *in, uint32_t n)
#define THREAD uint32_t t = blockIdx.x * blockDim.x + threadIdx.x, k = 0; uint32_t *o = out + t * 32
#define PUT(value) o[k++] = (uint32_t)(value)
#define PUT64(value) do { uint64_t v64 = (uint64_t)(value); PUT(v64); PUT(v64 >> 32); } while (0)
#define PUTF(value) PUT(__float_as_uint(value))
#define PUTD(value) PUT64(__double_as_longlong(value))

__device__ __forceinline__ float small_float(uint32_t x) { return __fmul_rn((float)(int)(x % 20001u - 10000u), 0.0173f); }
__device__ __forceinline__ double small_double(uint32_t x) { return __dmul_rn((double)(int)(x % 200001u - 100000u), 0.01731); }

KERNEL(bytes) {
  THREAD;
  uint32_t a = in[t], b = in[t + 128], c = in[t + 256], r;
  PUT(__byte_perm(a, b, c));
  PUT(__byte_perm(a, b, 0x5341));
  asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); PUT(r);
  asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); PUT(r);
  asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); PUT(r);
  asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); PUT(r);
  asm("prmt.b32.ecr %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); PUT(r);
  asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); PUT(r);
  PUT(__dp4a((int)a, (int)b, (int)c)); PUT(__dp4a(a, b, c));
  PUT(__dp2a_lo((int)a, (int)b, (int)c)); PUT(__dp2a_hi(a, b, c));
  PUT(__brev(a)); PUT(__clz(a)); PUT(__ffs(b)); PUT(__popc(c)); PUT(__clz((int)b));
  PUT(__funnelshift_l(a, b, c)); PUT(__funnelshift_r(a, b, c));
  PUT(__funnelshift_lc(a, b, c)); PUT(__funnelshift_rc(a, b, c));
  PUT(__sad((int)a, (int)b, c)); PUT(__usad(a, b, c));
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b & 31), "r"(c & 31)); PUT(r);
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b & 31), "r"(c & 31)); PUT(r);
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(c), "r"(b & 31), "r"(c >> 27)); PUT(r);
  asm("lop3.b32 %0, %1, %2, %3, 0x5a;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); PUT(r);
  asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(a >> (c & 31))); PUT(r);
  asm("bfind.shiftamt.s32 %0, %1;" : "=r"(r) : "r"((int)b >> (c & 31))); PUT(r);
}

KERNEL(long_integers) {
  THREAD;
  uint64_t a = (uint64_t)in[t] << 32 | in[t + 128], b = (uint64_t)in[t + 256] << 32 | in[t + 384];
  int64_t s = (int64_t)a, u = (int64_t)b;
  uint32_t c = in[t + 512] & 63;
  PUT64(a + b); PUT64(a - b); PUT64(a * b); PUT64(__umul64hi(a, b)); PUT64(__mul64hi(s, u));
  PUT64(a << c); PUT64(a >> c); PUT64(s >> c);
  PUT64(s < u ? a : b); PUT64(a < b ? a : b); PUT64(s > u ? s : u);
  PUT(a == b); PUT(__clzll(a)); PUT(__ffsll(b)); PUT(__popcll(a)); PUT64(__brevll(a));
}

KERNEL(long_division) {
  THREAD;
  uint64_t a = (uint64_t)in[t] << 32 | in[t + 128], b = ((uint64_t)in[t + 256] << 32 | in[t + 384]) >> (in[t + 512] & 63) | 1;
  int64_t s = (int64_t)a, u = (int64_t)b;
  PUT64(a / b); PUT64(a % b); PUT64(s / u); PUT64(s % u); PUT64(a / 1000000007u); PUT64(s % 360);
}

KERNEL(short_division) {
  THREAD;
  uint32_t a = in[t], b = in[t + 128] >> (in[t + 256] & 31) | 1;
  int s = (int)a, u = (int)b;
  PUT(a / b); PUT(a % b); PUT(s / u); PUT(s % u); PUT(a / 7); PUT(s / 10); PUT(s % 1000); PUT(a % n);
  PUT(__umulhi(a, b)); PUT(__mulhi(s, u)); PUT(__umul24(a, b)); PUT(__mul24(s, u)); PUT(abs(s)); PUT(min(s, u)); PUT(max(a, b));
  uint32_t lo, hi, top;
  asm("add.cc.u32 %0, %3, %4; addc.cc.u32 %1, %4, %5; addc.u32 %2, %5, 0;" : "=r"(lo), "=r"(hi), "=r"(top) : "r"(a), "r"(b), "r"(in[t + 256]));
  PUT(lo); PUT(hi); PUT(top);
  asm("sub.cc.u32 %0, %3, %4; subc.cc.u32 %1, %4, %5; subc.u32 %2, %5, 0;" : "=r"(lo), "=r"(hi), "=r"(top) : "r"(a), "r"(b), "r"(in[t + 256]));
  PUT(lo); PUT(hi); PUT(top);
  asm("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %4;" : "=r"(lo), "=r"(hi) : "r"(a), "r"(b), "r"(in[t + 256]));
  PUT(lo); PUT(hi);
}

KERNEL(floats) {
  THREAD;
  float a = small_float(in[t]), b = small_float(in[t + 128]), c = small_float(in[t + 256]);
  if (t % 31 == 7) a = __uint_as_float(0x7fc00000);
  if (t % 29 == 3) b = __uint_as_float(0xff800000);
  PUTF(fminf(a, b)); PUTF(fmaxf(a, b)); PUTF(a < b ? c : a); PUTF(fabsf(a) > b ? -c : b); PUT(a < b || b >= c); PUT(!(a <= b)); PUT(isnan(a) != isinf(b));
  PUTF(fmaf(a, b, c)); PUTF(__fadd_rd(a, b)); PUTF(__fadd_ru(a, b)); PUTF(__fmul_rz(a, b)); PUTF(__fmaf_ru(a, b, c)); PUTF(__saturatef(a));
  PUTF(floorf(a)); PUTF(ceilf(a)); PUTF(truncf(a)); PUTF(rintf(a)); PUTF(roundf(a)); PUTF(copysignf(a, b)); PUTF(fmodf(a, c + 200.0f));
  PUT(a == b ? 1 : a > c ? 2 : 3); PUTF(fminf(fmaxf(a, b), c)); PUT(signbit(b)); PUTF(fdimf(a, b));
}

KERNEL(float_division) {
  THREAD;
  float a = __uint_as_float(in[t]), b = __uint_as_float(in[t + 128]), c = small_float(in[t + 256]);
  if (t % 17 == 3) b = __uint_as_float(in[t + 128] & 0x807fffff);
  PUTF(a / b); PUTF(c / b); PUTF(c / 3.1f); PUTF(1.0f / b); PUTF(sqrtf(fabsf(a))); PUTF(sqrtf(a)); PUTF(rsqrtf(fabsf(b)));
  PUTF(__fdiv_rd(c, b)); PUTF(__frcp_ru(c)); PUTF(__fsqrt_rz(fabsf(c))); PUTF(__fdividef(c, a));
}

KERNEL(float_functions) {
  THREAD;
  float a = small_float(in[t]), b = small_float(in[t + 128]);
  PUTF(sinf(a)); PUTF(cosf(b)); PUTF(sinf(a * 1e6f)); PUTF(expf(a * 0.3f)); PUTF(exp2f(b * 0.2f)); PUTF(logf(fabsf(a))); PUTF(log2f(fabsf(b))); PUTF(powf(fabsf(a), b * 0.05f));
  PUTF(tanhf(a * 0.02f)); PUTF(erff(b * 0.01f)); PUTF(cbrtf(a)); PUTF(atan2f(a, b)); PUTF(__expf(a * 0.1f)); PUTF(__sinf(b)); PUTF(__logf(fabsf(b))); PUTF(hypotf(a, b));
  PUTF(ldexpf(a, (int)(in[t] & 15) - 8)); PUTF(acosf(b * 0.005f)); PUTF(log1pf(fabsf(a)));
}

KERNEL(doubles) {
  THREAD;
  double a = small_double(in[t]), b = small_double(in[t + 128]), c = small_double(in[t + 256]);
  if (t % 31 == 7) a = __longlong_as_double(0x7ff8000000000000ll);
  PUTD(a + b); PUTD(a * b - c); PUTD(fma(a, b, c)); PUTD(fmin(a, b)); PUTD(fmax(b, c)); PUTD(a < b ? c : b); PUT(a >= b && b != c); PUTD(fabs(a) - 1.5);
  PUTD(floor(a)); PUTD(rint(b)); PUTD(__dadd_ru(a, b)); PUTD(__dmul_rd(a, b)); PUT(a == a);
}

KERNEL(double_division) {
  THREAD;
  double a = small_double(in[t]), b = small_double(in[t + 128]);
  double tiny = __longlong_as_double((long long)in[t + 256] << 20 | in[t]);
  PUTD(a / b); PUTD(1.0 / b); PUTD(sqrt(fabs(a))); PUTD(rsqrt(fabs(b) + 0.5)); PUTD(a / tiny); PUTD(tiny / b); PUTD(sqrt(tiny)); PUTD(a / 7.0); PUTD(__drcp_ru(b));
}

KERNEL(double_functions) {
  THREAD;
  double a = small_double(in[t]), b = small_double(in[t + 128]);
  PUTD(exp(a * 0.01)); PUTD(log(fabs(a))); PUTD(sin(b)); PUTD(cos(a * 1e9)); PUTD(pow(fabs(a), 0.3)); PUTD(tanh(b * 0.001)); PUTD(cbrt(a)); PUTD(atan(b)); PUTD(fmod(a, 3.7)); PUTD(hypot(a, b));
}

KERNEL(conversions) {
  THREAD;
  uint32_t a = in[t], r; float f = small_float(a) * 3.7f; double d = small_double(a) * 1e4; int64_t l = (int64_t)a * (int)in[t + 128];
  PUT((int)f); PUT((uint32_t)f); PUT64((int64_t)f); PUT64((uint64_t)f); PUT((int)d); PUT64((int64_t)d); PUT64((uint64_t)d);
  PUTF((float)(int)a); PUTF((float)a); PUTF((float)l); PUTF((float)(uint64_t)l); PUTD((double)l); PUTD((double)(int)a); PUTF((float)d);
  PUT(__float2int_ru(f)); PUT(__float2uint_rd(f)); PUT((int8_t)f); PUT((uint16_t)f); PUT((short)a); PUT((int8_t)(a >> 8)); PUTF(__int2float_rz(a));
  asm("{ .reg .s8 x; cvt.sat.s8.s32 %0, %1; }" : "=r"(r) : "r"((int)a >> (in[t + 256] & 31))); PUT(r);
  asm("cvt.sat.u16.s32 %0, %1;" : "=h"(*(uint16_t *)&r) : "r"((int)a >> (in[t + 256] & 31))); PUT(r & 0xffff);
}

KERNEL(narrow_floats) {
  THREAD;
  float f = small_float(in[t]), g = small_float(in[t + 128]); double d = small_double(in[t + 256]);
  PUT(__half_as_ushort(__float2half_rn(f))); PUT(__half_as_ushort(__float2half_rz(g))); PUTF(__half2float(__ushort_as_half((unsigned short)in[t])));
  PUT(__half_as_ushort(__double2half(d))); PUT(__bfloat16_as_ushort(__float2bfloat16(f))); PUTF(__bfloat162float(__ushort_as_bfloat16((unsigned short)in[t + 1])));
  PUT(__half2int_rn(__float2half(f))); PUT(__half_as_ushort(__int2half_rn((int)in[t] >> 18))); PUT(__half_as_ushort(hfloor(__float2half(g))));
  __half2 p = __floats2half2_rn(f, g); PUT(*(uint32_t *)&p);
  __nv_bfloat162 q = __floats2bfloat162_rn(f, g); PUT(*(uint32_t *)&q);
}

KERNEL(halves) {
  THREAD;
  uint32_t x = in[t] & 0x7bff7bff ^ (in[t + 3] & 0x80008000), y = in[t + 128] & 0x7bff7bff, z = in[t + 256] & 0xbbffbbff;
  __half2 a = *(__half2 *)&x, b = *(__half2 *)&y, c = *(__half2 *)&z, r;
#define PUTH(value) r = value; PUT(*(uint32_t *)&r)
  PUTH(__hadd2(a, b)); PUTH(__hsub2(a, c)); PUTH(__hmul2(a, c)); PUTH(__hfma2(a, b, c)); PUTH(__hmin2(a, b)); PUTH(__hmax2(a, c)); PUTH(__hneg2(a)); PUTH(__habs2(c));
  PUTH(__hfma2_relu(a, c, b)); PUTH(__hadd2_sat(b, c)); PUTH(__hlt2(a, b)); PUTH(__hge2(a, c)); PUT(__hbeq2(a, b)); PUT(__hbgt2(b, c)); PUTH(__lowhigh2highlow(a)); PUTH(__hadd2(__low2half2(a), __high2half2(b)));
  PUT(__half_as_ushort(__hdiv(__low2half(a), __high2half(c)))); PUT(__half_as_ushort(hsqrt(__habs(__low2half(b))))); PUT(__hlt(__low2half(a), __low2half(c)));
  PUTH(__hfma2(a, __float2half2_rn(1.5f), c)); PUTH(h2exp2(__hmul2(c, __float2half2_rn(0.25f))));
}

KERNEL(brain_floats) {
  THREAD;
  uint32_t x = in[t] & 0xbf7fbf7f, y = in[t + 128] & 0x3f7f3f7f, z = in[t + 256] & 0xbfffbfff;
  __nv_bfloat162 a = *(__nv_bfloat162 *)&x, b = *(__nv_bfloat162 *)&y, c = *(__nv_bfloat162 *)&z, r;
#define PUTB(value) r = value; PUT(*(uint32_t *)&r)
  PUTB(__hadd2(a, b)); PUTB(__hsub2(a, c)); PUTB(__hmul2(a, c)); PUTB(__hfma2(a, b, c)); PUTB(__hmin2(a, b)); PUTB(__hmax2(a, c)); PUT(__hbgt2(b, c)); PUTB(__habs2(c));
}

KERNEL(jump_table) {
  THREAD;
  uint32_t a = in[t], b = in[t + 128];
  switch (a % 11) {
    case 0: PUT(b * 3); break; case 1: PUT(b ^ 5); break; case 2: PUT(__popc(b)); break; case 3: PUT(b << 2); break;
    case 4: PUT(-b); break; case 5: PUT(__brev(b)); break; case 6: PUTF(sqrtf((float)b)); PUT(6); break;
    case 7: for (uint32_t i = 0; i < (b & 7); i++) PUT(i * a); break; case 8: PUT(b / 3); break; case 9: PUT(in[b & 1023]); break; default: break;
  }
  switch (n) { case 1: PUT(a + 1); break; case 2: PUT(a * a); break; case 3: PUT(a >> 3); break; case 5: PUT(~a); break; case 6: PUT(a % 9); break; case 7: PUT(a | b); break; default: PUT(7); }
}

__device__ __noinline__ uint32_t mix(uint32_t a, uint32_t b) { for (int i = 0; i < 5; i++) { a = a * 1664525u + b; b ^= a >> 13; } return a ^ b; }
__device__ __noinline__ double ratio(double a, double b) { return a / b + sqrt(fabs(a)); }
__device__ __noinline__ void four(uint32_t *p, uint32_t a) { uint32_t v[4]; for (int i = 0; i < 4; i++) v[i] = mix(a, i); for (int i = 0; i < 4; i++) p[i] = v[(i + a) & 3]; }
__device__ __noinline__ float3 cross(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
KERNEL(calls) {
  THREAD;
  uint32_t a = in[t], b = in[t + 128];
  PUT(mix(a, b));
  if (a & 1) PUT(mix(b, 3)); else PUT(mix(7, mix(a, 1)));
  PUTD(ratio(small_double(a), small_double(b)));
  uint32_t v[4]; four(v, a); PUT(v[0]); PUT(v[1] ^ v[2]); PUT(v[b & 3]);
  float3 c = cross(make_float3(small_float(a), 1, 2), make_float3(3, small_float(b), 5)); PUTF(c.x); PUTF(c.y + c.z);
}

KERNEL(atomics_own) {
  THREAD;
  uint32_t a = in[t], b = in[t + 128];
  PUT(a); PUT(a); PUT(a); PUT(a); PUT(a); PUT(a); PUT(a); PUT(a); PUT(a & 15); PUT(a & 15); PUTF(small_float(a)); PUT(0);
  PUT(atomicAdd(o, b)); PUT(atomicMin(o + 1, b)); PUT(atomicMax((int *)o + 2, (int)b)); PUT(atomicAnd(o + 3, b)); PUT(atomicOr(o + 4, b)); PUT(atomicXor(o + 5, b)); PUT(atomicExch(o + 6, b));
  PUT(atomicCAS(o + 7, (t & 1) ? a : b, b)); PUT(atomicInc(o + 8, b & 15)); PUT(atomicDec(o + 9, b & 15)); PUTF(atomicAdd((float *)o + 10, small_float(b)));
  PUT(atomicCAS(o + 11, 0, b) == 0 ? 5 : 9);
}

KERNEL(atomics_wide) {
  THREAD;
  uint64_t a = (uint64_t)in[t] << 32 | in[t + 128], b = (uint64_t)in[t + 256] << 32 | in[t + 384];
  unsigned long long *w = (unsigned long long *)o;
  for (int i = 0; i < 6; i++) w[i] = a;
  ((double *)o)[6] = small_double(in[t]); k = 14; PUT(in[t] & 0x3bff3bff); k = 15;
  PUT64(atomicAdd(w, b)); PUT64(atomicMin(w + 1, b)); PUT64(atomicMax((long long *)w + 2, (long long)b)); PUT64(atomicXor(w + 3, b)); PUT64(atomicCAS(w + 4, (t & 1) ? a : b, b)); PUT64(atomicExch(w + 5, b));
  PUTD(atomicAdd((double *)o + 6, small_double(in[t + 128])));
  __half2 h = __floats2half2_rn(1.5f, -0.25f); h = atomicAdd((__half2 *)(o + 14), h); PUT(*(uint32_t *)&h);
}

KERNEL(atomics_shared) {
  __shared__ uint32_t s[64 * 12]; __shared__ unsigned long long w[64 * 3]; __shared__ uint32_t all[8];
  THREAD;
  uint32_t i = threadIdx.x, a = in[t], b = in[t + 128], *p = s + i * 12;
  for (int j = 0; j < 12; j++) p[j] = a;
  p[8] &= 15; p[9] &= 15;
  w[i] = w[i + 64] = w[i + 128] = a;
  if (i < 8) all[i] = 0;
  __syncthreads();
  PUT(atomicAdd(p, b)); PUT(atomicMin(p + 1, b)); PUT(atomicMax((int *)p + 2, (int)b)); PUT(atomicAnd(p + 3, b)); PUT(atomicOr(p + 4, b)); PUT(atomicXor(p + 5, b)); PUT(atomicExch(p + 6, b));
  PUT(atomicCAS(p + 7, (i & 1) ? a : b, b)); PUT(atomicInc(p + 8, b & 15)); PUT(atomicDec(p + 9, b & 15));
  PUT64(atomicAdd(w + i, (unsigned long long)b << 31)); PUT64(atomicCAS(w + 64 + i, (unsigned long long)a, (unsigned long long)b)); PUT64(atomicMax(w + 128 + i, (unsigned long long)b));
  p[10] = __float_as_uint(small_float(a)); atomicAdd((float *)p + 10, small_float(b));
  atomicAdd(all, 1); atomicAdd(all + 1, a); atomicMax(all + 2, a); atomicXor(all + 3, b); atomicInc(all + 4, 1000); atomicOr(all + 5, 1u << (a & 31)); atomicAdd(all + 6 + (i & 1), i);
  __syncthreads();
  for (int j = 0; j < 11; j++) PUT(p[j]);
  PUT(all[i & 7]);
}

KERNEL(reductions) {
  THREAD;
  uint32_t a = in[t], b = in[t + 128], *g = out + 128 * 32 - 32;
  if (t >= 127) return;
  atomicAdd(g, 1); atomicAdd(g + 1, a); atomicMin(g + 2, a); atomicMax((int *)g + 3, (int)a); atomicOr(g + 4, a & b); atomicXor(g + 5, b); atomicAdd((unsigned long long *)g + 3, (unsigned long long)a << 5); atomicInc(g + 8, 100000);
  atomicMax((unsigned long long *)g + 5, (unsigned long long)a << 20); if (a & 4) atomicAdd(g + 12, b); atomicAdd((double *)g + 7, (double)(a >> 20)); atomicAnd(g + 16, 3);
}

KERNEL(generic) {
  __shared__ uint32_t s[256]; uint32_t l[4];
  THREAD;
  uint32_t i = threadIdx.x, a = in[t], b = in[t + 128];
  for (int j = 0; j < 4; j++) { s[i + 64 * j] = a + j; l[j] = b * j; }
  __syncthreads();
  uint32_t *p = (a & 3) == 0 ? s + i : (a & 3) == 1 ? l : o + 16;
  p[0] += 5; p[1 + (b & 1)] = a ^ b; PUT(p[0]); PUT(p[b & 1]); PUT(((uint8_t *)p)[b & 3]); PUT(((int16_t *)p)[b & 1]);
  uint32_t *q = (b & 1) ? s + i + 64 : o + 20;
  PUT(atomicAdd(q, a)); PUT(atomicCAS(q, b, a)); atomicXor(q, 0x1234); PUT(*q);
  PUT(__isShared(p)); PUT(__isGlobal(p)); PUT(__isLocal(p));
  __syncthreads();
  PUT(s[63 - i]); PUT(l[b & 3]);
}

KERNEL(local_arrays) {
  THREAD;
  uint32_t a = in[t], b = in[t + 128];
  uint8_t bytes8[16]; int16_t shorts[8]; double wide[4]; float4 quads[3];
  for (int i = 0; i < 16; i++) bytes8[(i * 5 + a) & 15] = (uint8_t)(b >> (i & 7));
  for (int i = 0; i < 8; i++) shorts[(i + a) & 7] = (int16_t)(a * i + bytes8[i]);
  for (int i = 0; i < 4; i++) wide[(i + b) & 3] = small_double(a + i);
  for (int i = 0; i < 3; i++) quads[(i + n) % 3] = make_float4(i, small_float(b), (float)wide[i], shorts[i]);
  PUT(bytes8[b & 15]); PUT(shorts[(b >> 4) & 7]); PUTD(wide[(b >> 8) & 3]); float4 q = quads[a % 3]; PUTF(q.x); PUTF(q.y); PUTF(q.z); PUTF(q.w);
}

KERNEL(votes) {
  THREAD;
  uint32_t a = in[t], lane = threadIdx.x & 31;
  PUT(__ballot_sync(~0u, a & 1)); PUT(__all_sync(~0u, a != 0)); PUT(__any_sync(~0u, (a & 63) == 5)); { int u; asm("{ .reg .pred p, q; setp.gt.u32 p, %1, 9; vote.sync.uni.pred q, p, -1; selp.s32 %0, 1, 0, q; }" : "=r"(u) : "r"(a)); PUT(u); } PUT(__activemask());
  PUT(__match_any_sync(~0u, a & 3)); int p; PUT(__match_all_sync(~0u, n, &p)); PUT(p); PUT(__match_all_sync(~0u, a & 7, &p)); PUT(p); PUT(__match_any_sync(~0u, (unsigned long long)(a & 1) << 40));
  PUT(__reduce_add_sync(~0u, a)); PUT(__reduce_min_sync(~0u, a)); PUT(__reduce_max_sync(~0u, (int)a)); PUT(__reduce_and_sync(~0u, a | 0xff)); PUT(__reduce_or_sync(~0u, a & 0xf0f)); PUT(__reduce_xor_sync(~0u, a));
  if (lane < 20) { uint32_t m = 0xfffff; PUT(__ballot_sync(m, a & 2)); PUT(__reduce_add_sync(m, a)); PUT(__match_any_sync(m, a & 1)); PUT(__any_sync(m, a & 8)); }
  else { uint32_t m = 0xfff00000; PUT(__reduce_max_sync(m, a)); PUT(__ballot_sync(m, a & 4)); PUT(__popc(__activemask() & m)); PUT(__shfl_sync(m, a, 25)); }
  if (a & 16) PUT(__popc(__ballot_sync(__activemask(), 1)) > 0);
}

KERNEL(shuffles) {
  THREAD;
  uint32_t a = in[t]; double d = small_double(a);
  PUT(__shfl_sync(~0u, a, 5)); PUT(__shfl_sync(~0u, a, a & 31)); PUT(__shfl_up_sync(~0u, a, 3)); PUT(__shfl_down_sync(~0u, a, 7)); PUT(__shfl_xor_sync(~0u, a, 9)); PUT(__shfl_sync(~0u, a, n, 8)); PUT(__shfl_up_sync(~0u, a, 1, 16)); PUTD(__shfl_down_sync(~0u, d, 2)); PUT64(__shfl_xor_sync(~0u, (uint64_t)a << 17, 16));
  uint32_t r, q; asm("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, %3, 0, -1; selp.u32 %1, 1, 0, p; }" : "=r"(r), "=r"(q) : "r"(a), "r"(4)); PUT(r); PUT(q);
  for (int i = 16; i > 0; i >>= 1) a += __shfl_down_sync(~0u, a, i); PUT(a);
}

KERNEL(barriers) {
  __shared__ volatile uint32_t s[64];
  THREAD;
  uint32_t a = in[t], i = threadIdx.x;
  PUT(__syncthreads_count(a & 1)); PUT(__syncthreads_and(a != 1)); PUT(__syncthreads_or((a & 255) == 3));
  s[i] = a; __threadfence_block(); __syncwarp(); PUT(s[i ^ 1]); __threadfence(); asm volatile("bar.sync 3, 64;"); PUT(s[63 - i]); __threadfence_system();
  if (i < 32) asm volatile("bar.arrive 4, 64;"); else asm volatile("bar.sync 4, 64;");
  __nanosleep(20); PUT(*(volatile const uint32_t *)(in + t)); __syncwarp(0xffffffffu);
  if (i & 1) { __syncwarp(0xaaaaaaaau); s[i] = a * 3; __syncwarp(0xaaaaaaaau); PUT(s[(i + 2) & 31 | (i & 32)] != 0); } else PUT(8);
}

KERNEL(loops) {
  THREAD;
  uint32_t a = in[t], b = in[t + 128], sum = 0, steps = 0;
  for (uint32_t i = 0; i < (a & 31); i++) { for (uint32_t j = i; j < 12; j++) { if (((b >> j) & 1) == 0) continue; sum += i * j ^ a; if (sum & 0x400) break; if (sum == 77) goto out_of_it; } steps++; if (in[(b + i) & 1023] % 17 == 0) break; }
out_of_it:
  PUT(sum); PUT(steps);
  uint32_t c = a; while (c != 1 && steps < 200) { c = c & 1 ? 3 * c + 1 : c >> 1; steps++; if (c % 64 == 23) { sum++; if (t % 5 == 0) return; } } PUT(c); PUT(steps); PUT(sum);
}

KERNEL(predicates) {
  THREAD;
  uint32_t a = in[t], b = in[t + 128], c = in[t + 256];
  bool p[10]; p[0] = a > b; p[1] = b > c; p[2] = (int)a > (int)c; p[3] = a & 1; p[4] = b & 2; p[5] = c & 4; p[6] = (a ^ b) & 8; p[7] = a % 3 == 0; p[8] = (c & a) == 0; p[9] = small_float(a) > 1.0f;
  PUT(p[0] && p[1] || p[2] != p[3]); PUT((p[4] ^ p[5]) & (p[6] | p[7])); PUT(p[8] ? p[9] ? 1 : 2 : p[0] ? 3 : 4); uint32_t m = 0; for (int i = 0; i < 10; i++) m |= p[i] << i; PUT(m);
  uint32_t r = c; for (uint32_t i = 0; i < n; i++) { if (p[0]) r += a; if (p[1]) r ^= b; if (p[2]) r *= 3; if (p[3]) r -= c; if (p[4]) r = __brev(r); if (p[5]) r >>= 1; if (p[6]) r += i; if (p[7]) r ^= 0x55; if (p[8]) r += in[(r + i) & 1023]; if (p[9]) r = ~r; } PUT(r);
}

KERNEL(matrices) {
  __shared__ __align__(16) uint16_t s[64 * 32];
  THREAD;
  uint32_t i = threadIdx.x, r0, r1, r2, r3;
  for (int j = 0; j < 32; j++) s[i * 32 + j] = (uint16_t)in[(t * 32 + j) & 4095];
  __syncthreads();
  uint32_t address = (uint32_t)__cvta_generic_to_shared(s + i * 16);
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r0) : "r"(address)); PUT(r0);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(address)); PUT(r0); PUT(r1);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(address)); PUT(r0); PUT(r1); PUT(r2); PUT(r3);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(address)); PUT(r0); PUT(r1); PUT(r2); PUT(r3);
}

KERNEL(vectors) {
  extern __shared__ __align__(16) uint8_t raw[]; __shared__ float4 q[64];
  THREAD;
  uint32_t i = threadIdx.x; uint4 v = ((const uint4 *)in)[t]; uint2 w = ((const uint2 *)in)[t];
  q[i] = make_float4(small_float(v.x), small_float(v.y), w.x, w.y); raw[i] = (uint8_t)v.z; ((int16_t *)(raw + 64))[i] = (int16_t)v.w; ((uint2 *)(raw + 256))[i] = w;
  __syncthreads();
  float4 r = q[63 - i]; uint2 x = ((uint2 *)(raw + 256))[i ^ 3]; PUTF(r.x + r.w); PUTF(r.y); PUTF(r.z); PUT(raw[i ^ 5]); PUT((int8_t)raw[i ^ 9]); PUT(((int16_t *)(raw + 64))[i ^ 1]); PUT(((uint16_t *)(raw + 64))[i ^ 2]); PUT(x.x ^ x.y);
  k = 12; *(uint4 *)(o + k) = make_uint4(v.w, v.x, w.y, v.y); *(uint2 *)(o + 16) = w; ((uint8_t *)o)[72] = (uint8_t)v.x; ((uint16_t *)o)[38] = (uint16_t)v.y; k = 20; PUT(((const int8_t *)in)[t * 3]); PUT(((const uint16_t *)in)[t * 3]);
}

__constant__ uint32_t squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
__constant__ double halves64[4] = {0.5, 1.5, 2.5, 3.5};
__constant__ uint8_t letters[8] = {'w', 'a', 'r', 'p', 'l', 'a', 'b', 0};
__device__ uint32_t scratch[128];
__device__ uint32_t *where_it_is = scratch + 3;
__device__ const float table[8] = {1, 2, 4, 8, 16, 32, 64, 128};
KERNEL(variables) {
  THREAD;
  uint32_t a = in[t];
  PUT(squares[a & 15]); PUTD(halves64[a >> 30]); PUT(letters[a & 7]); PUT(squares[n & 15]); PUTF(table[a & 7]); scratch[t] = a; PUT(scratch[t] + 1); PUT(where_it_is == scratch + 3); PUT(where_it_is - scratch);
}

KERNEL(special_registers) {
  THREAD;
  uint32_t r;
  PUT(threadIdx.x); PUT(blockIdx.x); PUT(blockDim.x); PUT(gridDim.x);
#define SPECIAL(name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(r)); PUT(r)
  SPECIAL("laneid"); SPECIAL("lanemask_lt"); SPECIAL("lanemask_le"); SPECIAL("lanemask_eq"); SPECIAL("lanemask_ge"); SPECIAL("lanemask_gt"); SPECIAL("tid.y"); SPECIAL("ntid.z"); SPECIAL("ctaid.y"); SPECIAL("nctaid.z");
  long long before = clock64(); uint32_t start = clock(); PUT(clock64() >= before); PUT(clock() - start < 100000u);
}

KERNEL(uniform) {
  THREAD;
  uint32_t u = n * 77 + blockIdx.x, v = u ^ gridDim.x, w = 0; uint64_t x = (uint64_t)u * v;
  for (uint32_t i = 0; i < n + blockIdx.x; i++) { u = u * 5 + i; v = __popc(u) + (v >> 3 | u << 7); w += u > v ? i : v; x += (uint64_t)w << (i & 7); if ((u & 15) == 3) v = __brev(v); w ^= __byte_perm(u, v, 0x2143); w = max(w, __clz(v)); }
  PUT(u); PUT(v); PUT(w + t); PUT64(x); PUT(in[u & 1023]); PUT((int)u >> 3 < (int)v ? u : w);
}

KERNEL(integer_vectors) {
  THREAD;
  uint32_t a = in[t], b = in[t + 128], c = in[t + 256];
  PUT(__vimax3_s32(a, b, c)); PUT(__vimin3_u32(a, b, c)); PUT(__viaddmax_s32(a, b, c)); PUT(__viaddmin_u32(a, b, c)); PUT(__viaddmax_s32_relu(a, b, c)); PUT(__vimax3_s32_relu(a, b, c)); PUT(__vimin_s32_relu(a, b)); 
}

KERNEL(cache_operations) {
  THREAD;
  const uint32_t *p = in + t;
  asm volatile("prefetch.global.L2 [%0];" :: "l"(p)); asm volatile("prefetch.global.L1 [%0];" :: "l"(p));
  PUT(__ldcg(p)); PUT(__ldca(p + 1)); PUT(__ldcs(p + 2)); PUT(__ldlu(p + 3)); PUT(__ldcv(p + 4)); PUT(__ldg(p + 5));
  __stcs(o + 8, p[6]); __stcg(o + 9, p[7]); __stwt(o + 10, p[8]); __stwb(o + 11, p[9]);
  uint32_t r; asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(r) : "l"(p)); PUT(r); asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(r) : "l"(p + 1)); k = 13; PUT(r); asm volatile("st.release.gpu.global.u32 [%0], %1;" :: "l"(o + 14), "r"(r) : "memory"); asm volatile("st.relaxed.sys.global.u32 [%0], %1;" :: "l"(o + 15), "r"(r) : "memory");
}
