#include <cstdint>
#define K extern "C" __global__ void
//! van_der_pol 16 64 buffer:y:16KiB:hash_i32:1 buffer:o:16KiB:zero i32:8
K van_der_pol(const double2* y, double2* o, int n) {
  int i = blockIdx.x * 64 + threadIdx.x; double a = 1.0 + i * 1e-3, b = y[i].y * 1e300, h = 0.01, mu = 5;
  for (int k = 0; k < n; k++) { double j10 = -2 * mu * a * b - 1, j11 = mu * (1 - a * a); double f0 = b, f1 = mu * (1 - a * a) * b - a;
    double w = 1 - h * j11, det = w - h * h * j10; double k0 = (w * f0 + h * f1) / det, k1 = (f1 + h * j10 * f0) / det; a += h * k0; b += h * k1; }
  o[i] = make_double2(a, b);
}
//! leapfrog_two 32 128 buffer:p:64KiB:hash_f32:2 buffer:o:64KiB:zero i32:32
K leapfrog_two(const float4* p, float4* o, int n) {
  int i = blockIdx.x * 128 + threadIdx.x; float4 s = p[i]; float dt = 0.001f;
  for (int k = 0; k < n; k++) { float r2 = s.x * s.x + s.y * s.y + 0.01f; float inv = rsqrtf(r2); float f = -inv * inv * inv; s.z += dt * f * s.x; s.w += dt * f * s.y; s.x += dt * s.z; s.y += dt * s.w; }
  o[i] = s;
}
//! double_pendulum 16 128 buffer:p:32KiB:hash_f32:3 buffer:o:32KiB:zero i32:6
K double_pendulum(const float4* p, float4* o, int n) {
  int i = blockIdx.x * 128 + threadIdx.x; float4 s = p[i]; s.x *= 0.05f; s.y *= 0.05f; s.z *= 0.01f; s.w *= 0.01f;
  for (int k = 0; k < n; k++) { float d = s.x - s.y, sd = sinf(d), cd = cosf(d); float den = 2 - cd * cd;
    float a1 = (-9.81f * 2 * sinf(s.x) - sd * (s.w * s.w + s.z * s.z * cd) + 9.81f * cd * sinf(s.y)) / den;
    float a2 = (2 * sd * (s.z * s.z + 9.81f * cosf(s.x)) + sd * cd * s.w * s.w) / den; s.z += 0.01f * a1; s.w += 0.01f * a2; s.x += 0.01f * s.z; s.y += 0.01f * s.w; }
  o[i] = s;
}
//! lj_cutoff 8 128 buffer:p:16KiB:hash_f32:4 buffer:f:16KiB:zero i32:128
K lj_cutoff(const float4* p, float4* f, int n) {
  int i = blockIdx.x * 128 + threadIdx.x; float4 a = p[i]; float fx = 0, fy = 0, fz = 0, e = 0;
  for (int j = 0; j < n; j++) { if (j == i) continue; float4 b = p[j]; float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z; float r2 = dx * dx + dy * dy + dz * dz; if (r2 > 900.f) continue;
    float i2 = 9.f / r2, i6 = i2 * i2 * i2; float m = 24 * i6 * (2 * i6 - 1) / r2; fx += m * dx; fy += m * dy; fz += m * dz; e += 4 * i6 * (i6 - 1); }
  f[i] = make_float4(fx, fy, fz, e);
}
struct V3 { float x, y, z; };
__device__ V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ V3 operator*(V3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
__device__ float dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ V3 norm(V3 a) { return a * rsqrtf(dot(a, a)); }
__device__ float torus(V3 p) { float q = sqrtf(p.x * p.x + p.z * p.z) - 1.0f; return sqrtf(q * q + p.y * p.y) - 0.3f; }
//! torus_march 16 128 buffer:o:8KiB:zero i32:64
K torus_march(float* o, int w) {
  int i = blockIdx.x * 128 + threadIdx.x; V3 d = norm({(i % w) / 32.f - 1.f, (i / w) / 16.f - 1.f, 1.5f}), c = {0, 0.8f, -3}; float t = 0; int k;
  for (k = 0; k < 40; k++) { float s = torus(c + d * t); if (s < 1e-3f) break; t += s; if (t > 8) break; }
  o[i] = t < 8 ? t : (float)-k;
}
//! slab_boxes 16 128 buffer:b:2KiB:hash_f32:5 buffer:r:64KiB:hash_f32:6 buffer:o:8KiB:zero i32:64
K slab_boxes(const float4* __restrict__ b, const float4* __restrict__ r, int* o, int n) {
  int i = blockIdx.x * 128 + threadIdx.x; float4 a = r[2 * i], d = r[2 * i + 1]; float ix = 1 / d.x, iy = 1 / d.y, iz = 1 / d.z; float best = 1e30f; int hit = -1;
  for (int k = 0; k < n; k++) { float4 l = b[k * 2 & 127], h = b[(k * 2 + 1) & 127]; float x0 = (l.x - a.x) * ix, x1 = (h.x - a.x) * ix, y0 = (l.y - a.y) * iy, y1 = (h.y - a.y) * iy, z0 = (l.z - a.z) * iz, z1 = (h.z - a.z) * iz;
    float t0 = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fminf(z0, z1)), t1 = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fmaxf(z0, z1)); if (t0 <= t1 && t1 > 0 && t0 < best) { best = t0; hit = k; } }
  o[i] = hit;
}
__device__ float grad(int h, float x, float y, float z) { h &= 15; float u = h < 8 ? x : y, v = h < 4 ? y : h == 12 || h == 14 ? x : z; return ((h & 1) ? -u : u) + ((h & 2) ? -v : v); }
__device__ float fade(float t) { return t * t * t * (t * (t * 6 - 15) + 10); }
__device__ float mix(float a, float b, float t) { return a + t * (b - a); }
//! perlin 32 128 buffer:p:2KiB:hash_i32:7 buffer:o:16KiB:zero f32:0.137
K perlin(const int* __restrict__ p, float* o, float s) {
  int i = blockIdx.x * 128 + threadIdx.x; float fx = (i & 63) * s, fy = (i >> 6) * s, fz = 0.7f; int x = (int)floorf(fx), y = (int)floorf(fy), z = (int)floorf(fz); fx -= x; fy -= y; fz -= z; x &= 255; y &= 255; z &= 255;
  float u = fade(fx), v = fade(fy), w = fade(fz); int A = (p[x] & 127) + y, B = (p[x + 1] & 127) + y; int AA = (p[A] & 127) + z, AB = (p[A + 1] & 127) + z, BA = (p[B] & 127) + z, BB = (p[B + 1] & 127) + z;
  o[i] = mix(mix(mix(grad(p[AA], fx, fy, fz), grad(p[BA], fx - 1, fy, fz), u), mix(grad(p[AB], fx, fy - 1, fz), grad(p[BB], fx - 1, fy - 1, fz), u), v), mix(mix(grad(p[AA + 1], fx, fy, fz - 1), grad(p[BA + 1], fx - 1, fy, fz - 1), u), mix(grad(p[AB + 1], fx, fy - 1, fz - 1), grad(p[BB + 1], fx - 1, fy - 1, fz - 1), u), v), w);
}
struct Shape { int kind; float a, b, c; };
__device__ float field(const Shape& s, V3 p) { switch (s.kind & 3) { case 0: return sqrtf(dot(p, p)) - s.a; case 1: return fmaxf(fmaxf(fabsf(p.x) - s.a, fabsf(p.y) - s.b), fabsf(p.z) - s.c); case 2: return sqrtf(p.x * p.x + p.z * p.z) - s.b; default: return p.y + s.c; } }
//! shape_fields 16 128 buffer:s:1KiB:hash_i32:8 buffer:o:8KiB:zero i32:64
K shape_fields(const Shape* s, float* o, int n) {
  int i = blockIdx.x * 128 + threadIdx.x; V3 p = {(i & 31) * 0.1f, (i >> 5 & 31) * 0.1f, (i >> 10) * 0.1f}; float d = 1e9f; for (int k = 0; k < n; k++) d = fminf(d, field(s[k], p)); o[i] = d;
}
//! asian_box_muller 16 128 buffer:o:8KiB:zero i32:8 f32:0.2
K asian_box_muller(float* o, int n, float vol) {
  uint32_t id = blockIdx.x * 128 + threadIdx.x; uint32_t x = id * 69069u + 1, y = 362436069u, z = 521288629u, w = 88675123u ^ id, v = 5783321u, d = 6615241u; float s = 100, sum = 0;
  auto next = [&]() { uint32_t t = x ^ x >> 2; x = y; y = z; z = w; w = v; v = v ^ v << 4 ^ t ^ t << 1; d += 362437; return (v + d) * 2.3283064e-10f + 1.16415322e-10f; };
  for (int k = 0; k < n; k++) { float a = next(), b = next(); float r = sqrtf(-2 * logf(a)); float g = r * cosf(6.2831853f * b); s *= expf(-0.5f * vol * vol * 0.1f + vol * 0.316f * g); sum += s; }
  o[id] = fmaxf(sum / n - 100, 0.f);
}
//! pi_xoroshiro 16 128 buffer:o:4KiB:zero i32:32
K pi_xoroshiro(unsigned* o, int n) {
  int id = blockIdx.x * 128 + threadIdx.x; uint64_t a = id * 0x9e3779b97f4a7c15ull + 1, b = 0xbf58476d1ce4e5b9ull ^ id; int hits = 0;
  for (int k = 0; k < n; k++) { uint64_t r = a + b; b ^= a; a = (a << 24 | a >> 40) ^ b ^ b << 16; b = b << 37 | b >> 27; float x = (uint32_t)(r >> 32) * 0x1p-32f, y = (uint32_t)r * 0x1p-32f; hits += x * x + y * y < 1; }
  hits = __reduce_add_sync(~0u, hits); if ((id & 31) == 0) atomicAdd(&o[id >> 5], hits);
}
//! quaternion_slerp 32 128 buffer:a:64KiB:hash_f32:9 buffer:b:64KiB:hash_f32:10 buffer:o:64KiB:zero f32:0.3
K quaternion_slerp(const float4* a, const float4* b, float4* o, float t) {
  int i = blockIdx.x * 128 + threadIdx.x; float4 p = a[i], q = b[i]; float np = rsqrtf(p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w), nq = rsqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  float c = (p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w) * np * nq; if (c < 0) { c = -c; nq = -nq; } float u, v;
  if (c > 0.9995f) { u = 1 - t; v = t; } else { float th = acosf(c), s = sinf(th); u = sinf((1 - t) * th) / s; v = sinf(t * th) / s; }
  u *= np; v *= nq; o[i] = make_float4(u * p.x + v * q.x, u * p.y + v * q.y, u * p.z + v * q.z, u * p.w + v * q.w);
}
//! assign_clusters 16 128 buffer:x:128KiB:hash_f32:11 buffer:c:1KiB:hash_f32:12 buffer:o:8KiB:zero buffer:n:128:zero i32:32
K assign_clusters(const float4* x, const float4* c, int* o, int* cnt, int k) {
  __shared__ float4 sc[64]; for (int j = threadIdx.x; j < 2 * k; j += 128) sc[j] = c[j & 63]; __syncthreads();
  int i = blockIdx.x * 128 + threadIdx.x; float4 a = x[2 * i], b = x[2 * i + 1]; float best = 3e38f; int who = 0;
  for (int j = 0; j < k; j++) { float4 u = sc[2 * j], v = sc[2 * j + 1]; float d = (a.x - u.x) * (a.x - u.x) + (a.y - u.y) * (a.y - u.y) + (a.z - u.z) * (a.z - u.z) + (a.w - u.w) * (a.w - u.w) + (b.x - v.x) * (b.x - v.x) + (b.y - v.y) * (b.y - v.y) + (b.z - v.z) * (b.z - v.z) + (b.w - v.w) * (b.w - v.w); if (d < best) { best = d; who = j; } }
  o[i] = who; atomicAdd(&cnt[who], 1);
}
