#include "../harness.cuh"
#define GLOBAL_X (blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_Y (blockIdx.y * blockDim.y + threadIdx.y)
// ---- gathers of structs
K k_gs4(const int* index, const float4* record, float* out, int mask) { int i = GLOBAL_X; const float4* r = record + (size_t)(index[i] & mask) * 4; float4 a = r[0], b = r[1], c = r[2], d = r[3]; out[i] = a.x + b.y + c.z + d.w; }
K k_gs1(const int* index, const float4* record, float* out, int mask) { int i = GLOBAL_X; const float4* r = record + (size_t)(index[i] & mask) * 4; float4 a = r[0]; out[i] = a.x + a.y + a.z + a.w; }
K k_gs01(const int* index, const float4* record, float* out, int mask) { int i = GLOBAL_X; const float4* r = record + (size_t)(index[i] & mask) * 4; float4 a = r[0], b = r[1]; out[i] = a.x + b.y + a.z + b.w; }
K k_gs02(const int* index, const float4* record, float* out, int mask) { int i = GLOBAL_X; const float4* r = record + (size_t)(index[i] & mask) * 4; float4 a = r[0], b = r[2]; out[i] = a.x + b.y + a.z + b.w; }
K k_gw1(const int* index, const float* record, float* out, int mask) { int i = GLOBAL_X; const float* r = record + (size_t)(index[i] & mask) * 16; out[i] = r[0]; }
K k_gw4(const int* index, const float* record, float* out, int mask) { int i = GLOBAL_X; const float* r = record + (size_t)(index[i] & mask) * 16; out[i] = r[0] + r[5] + r[10] + r[15]; }
K k_gh1(const float* record, float* out, int mask) { int i = GLOBAL_X; const float* r = record + (size_t)(mix32(i) & mask) * 16; out[i] = r[0]; }
K k_gh4(const float4* record, float* out, int mask) { int i = GLOBAL_X; const float4* r = record + (size_t)(mix32(i) & mask) * 4; float4 a = r[0], b = r[1], c = r[2], d = r[3]; out[i] = a.x + b.y + c.z + d.w; }
K k_ghr(const float* record, float* out, int mask, int rounds) { int i = GLOBAL_X; float s = 0; for (int r = 0; r < rounds; r++) s += record[(size_t)(mix32(i + r * 1000003u) & mask) * 32]; out[i] = s; }
// ---- LU ablation
K k_lu_base(float* a, int n) { __shared__ float row[16][16], column[16][16]; int x = threadIdx.x, y = threadIdx.y, gi = (blockIdx.y + 1) * 16, gj = (blockIdx.x + 1) * 16; row[y][x] = a[y * n + gj + x]; column[y][x] = a[(gi + y) * n + x]; __syncthreads(); float s = 0; for (int i = 0; i < 16; i++) s += column[y][i] * row[i][x]; a[(gi + y) * n + gj + x] -= s; }
K k_lu_lean(float* a, int n) { int x = threadIdx.x, y = threadIdx.y, gi = (blockIdx.y + 1) * 16, gj = (blockIdx.x + 1) * 16; a[(gi + y) * n + gj + x] -= (float)x; }
K k_lu_row(float* a, int n) { int x = threadIdx.x, y = threadIdx.y, gi = (blockIdx.y + 1) * 16, gj = (blockIdx.x + 1) * 16; a[(gi + y) * n + gj + x] -= a[y * n + gj + x]; }
K k_lu_column(float* a, int n) { int x = threadIdx.x, y = threadIdx.y, gi = (blockIdx.y + 1) * 16, gj = (blockIdx.x + 1) * 16; a[(gi + y) * n + gj + x] -= a[(gi + y) * n + x]; }
K k_lu_both(float* a, int n) { int x = threadIdx.x, y = threadIdx.y, gi = (blockIdx.y + 1) * 16, gj = (blockIdx.x + 1) * 16; a[(gi + y) * n + gj + x] -= a[(gi + y) * n + x] + a[y * n + gj + x]; }
K k_lu_load(const float* a, float* out, int n) { int x = threadIdx.x, y = threadIdx.y, gi = (blockIdx.y + 1) * 16, gj = (blockIdx.x + 1) * 16; float v = a[(gi + y) * n + gj + x]; if (v == 123.25f) out[0] = v; }
K k_lu_store(float* a, int n) { int x = threadIdx.x, y = threadIdx.y, gi = (blockIdx.y + 1) * 16, gj = (blockIdx.x + 1) * 16; a[(gi + y) * n + gj + x] = (float)x; }
K k_lu_shared(float* a, int n) { __shared__ float row[16][16], column[16][16]; int x = threadIdx.x, y = threadIdx.y, gi = (blockIdx.y + 1) * 16, gj = (blockIdx.x + 1) * 16; row[y][x] = (float)(gj + x); column[y][x] = (float)(gi + y); __syncthreads(); float s = 0; for (int i = 0; i < 16; i++) s += column[y][i] * row[i][x]; a[(gi + y) * n + gj + x] = s; }
// ---- transposing quadruples: loads and stores apart and together
K k_tf4(const float4* in, float4* out, int n) { int x = GLOBAL_X, y = GLOBAL_Y; out[(size_t)x * n + y] = in[(size_t)y * n + x]; }
K k_tf4_part(const float4* in, float4* out, int n, int loads) { int x = GLOBAL_X, y = GLOBAL_Y; float4 v = make_float4(x, y, x, y); if ((y & 7) < loads) v = in[(size_t)y * n + x]; out[(size_t)x * n + y] = v; }
K k_tf4_same(const float4* in, float4* out, int n, int mask) { int x = GLOBAL_X, y = GLOBAL_Y; out[(size_t)x * n + y] = in[((size_t)y * n + x) & mask]; }
K k_tf2(const float2* in, float2* out, int n) { int x = GLOBAL_X, y = GLOBAL_Y; out[(size_t)x * n + y] = in[(size_t)y * n + x]; }
K k_tf1(const float* in, float* out, int n) { int x = GLOBAL_X, y = GLOBAL_Y; out[(size_t)x * n + y] = in[(size_t)y * n + x]; }
// stores of a column beside loads in turn of another buffer; the store's width and the loads' number vary
K k_beside(const float4* in, float4* out, int n, int loads) { int x = GLOBAL_X, y = GLOBAL_Y; float4 v = make_float4(x, y, x, y); size_t at = ((size_t)y * n + x); for (int l = 0; l < loads; l++) { float4 w = in[at + (size_t)l * n * n]; v.x += w.x; v.y += w.y; v.z += w.z; v.w += w.w; } out[(size_t)x * n + y] = v; }
K k_beside_flat(const float4* in, float4* out, int n, int loads) { int x = GLOBAL_X, y = GLOBAL_Y; float4 v = make_float4(x, y, x, y); size_t at = ((size_t)y * n + x); for (int l = 0; l < loads; l++) { float4 w = in[at + (size_t)l * n * n]; v.x += w.x; v.y += w.y; v.z += w.z; v.w += w.w; } out[at] = v; }
// ---- narrow loads that hit, independent
#define NARROW(NAME, T) K NAME(const T* in, int* out, int rounds, int mask) { int s = 0; unsigned at = threadIdx.x; _Pragma("unroll 1") for (int r = 0; r < rounds; r++) { int v = 0; _Pragma("unroll") for (int k = 0; k < 8; k++) v += (int)in[(at + k * 32) & mask]; s += v; at += 1; } out[GLOBAL_X] = s; }
NARROW(k_load_u8, unsigned char) NARROW(k_load_s8, signed char) NARROW(k_load_u16, unsigned short) NARROW(k_load_u32, unsigned)
#define NARROW_STORE(NAME, T) K NAME(T* out, int rounds) { T* o = out + GLOBAL_X; _Pragma("unroll 1") for (int r = 0; r < rounds; r++) { _Pragma("unroll") for (int k = 0; k < 8; k++) o[k * 4096] = (T)(r + k); o += 8 * 4096; } }
NARROW_STORE(k_store_u8, unsigned char) NARROW_STORE(k_store_u16, unsigned short) NARROW_STORE(k_store_u32, unsigned)
#define NARROW_SHARED(NAME, T) K NAME(int* out, int rounds) { __shared__ T s[4096]; for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = (T)i; __syncthreads(); int a = 0; unsigned at = threadIdx.x; _Pragma("unroll 1") for (int r = 0; r < rounds; r++) { int v = 0; _Pragma("unroll") for (int k = 0; k < 8; k++) v += (int)s[(at + k * 32) & 4095]; a += v; at += 1; } out[GLOBAL_X] = a; }
NARROW_SHARED(k_shared_u8, unsigned char) NARROW_SHARED(k_shared_u16, unsigned short) NARROW_SHARED(k_shared_u32, unsigned)
// ---- quantize rows
K k_qr(const float* in, signed char* out, float* scale, int n) { __shared__ float part[4]; const float* r = in + (size_t)blockIdx.x * n; float m = 0; for (int i = threadIdx.x; i < n; i += 128) m = fmaxf(m, fabsf(r[i])); for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o)); if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = m; __syncthreads(); m = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3])); float q = 127.f / m; for (int i = threadIdx.x; i < n; i += 128) out[(size_t)blockIdx.x * n + i] = (signed char)__float2int_rn(r[i] * q); if (!threadIdx.x) scale[blockIdx.x] = m / 127.f; }
K k_qr_twice(const float* in, float* scale, int n) { __shared__ float part[4]; const float* r = in + (size_t)blockIdx.x * n; float m = 0; for (int i = threadIdx.x; i < n; i += 128) m = fmaxf(m, fabsf(r[i])); for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o)); if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = m; __syncthreads(); m = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3])); float q = 0; for (int i = threadIdx.x; i < n; i += 128) q += r[i] * m; scale[blockIdx.x * 128 + threadIdx.x] = q; }
// ---- bodies
K k_bodies(const float4* p, float4* out, int n) { __shared__ float4 tile[256]; int i = GLOBAL_X; float4 me = p[i]; float ax = 0, ay = 0, az = 0; for (int b = 0; b < n; b += 256) { tile[threadIdx.x] = p[b + threadIdx.x]; __syncthreads();
#pragma unroll 8
  for (int j = 0; j < 256; j++) { float4 o = tile[j]; float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z, d = dx * dx + dy * dy + dz * dz + 0.01f, r = rsqrtf(d), f = o.w * r * r * r; ax += dx * f; ay += dy * f; az += dz * f; } __syncthreads(); } out[i] = make_float4(ax, ay, az, 0); }
K k_bodies_plain(const float4* p, float4* out, int n) { __shared__ float4 tile[256]; int i = GLOBAL_X; float4 me = p[i]; float ax = 0, ay = 0, az = 0; for (int b = 0; b < n; b += 256) { tile[threadIdx.x] = p[b + threadIdx.x]; __syncthreads();
#pragma unroll 8
  for (int j = 0; j < 256; j++) { float4 o = tile[j]; float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z, r = dx * dx + dy * dy + dz * dz + 0.01f, f = o.w * r * r * r; ax += dx * f; ay += dy * f; az += dz * f; } __syncthreads(); } out[i] = make_float4(ax, ay, az, 0); }
K k_lds128(const float4* p, float4* out, int n) { __shared__ float4 tile[256]; float4 s = p[GLOBAL_X]; tile[threadIdx.x] = s; __syncthreads(); for (int b = 0; b < n; b++) {
#pragma unroll 8
  for (int j = 0; j < 256; j++) { float4 o = tile[j]; s.x += o.x; s.y += o.y; s.z += o.z; s.w += o.w; } } out[GLOBAL_X] = s; }
K k_mufu(const float4* p, float4* out, int n) { float4 s = p[GLOBAL_X]; for (int b = 0; b < n; b++) {
#pragma unroll 8
  for (int j = 0; j < 256; j++) { s.x += rsqrtf(s.y); s.y = fmaf(s.y, 1.5f, 0.25f); s.z += s.y * s.w; s.w += s.z * 0.5f; } } out[GLOBAL_X] = s; }
// ---- array of structs
struct Coefficients { float u, y[19]; };
K k_aos(Coefficients* d) { int i = GLOBAL_X; d[i].u = d[i].u + 10.f; d[i].y[0] = d[i].y[0] + 10.f; }
K k_aos_load(const Coefficients* d, float* out) { int i = GLOBAL_X; float v = d[i].u + d[i].y[0]; if (v == 123.25f) out[0] = v; }
K k_aos_one(Coefficients* d) { int i = GLOBAL_X; d[i].u = d[i].u + 10.f; }
K k_aos_store(Coefficients* d) { int i = GLOBAL_X; d[i].u = i; }
// ---- how a launch ends
K k_end(float* out, int n) { float v = threadIdx.x; for (int i = 0; i < n; i++) v = v * 1.0001f + 0.5f; out[GLOBAL_X] = v; }
K k_end_load(const float* in, float* out) { out[GLOBAL_X] = in[GLOBAL_X] + 1.f; }
K k_end_some(float* out, int n, int every) { float v = threadIdx.x; for (int i = 0; i < n; i++) v = v * 1.0001f + 0.5f; if (GLOBAL_X % every == 0) out[GLOBAL_X] = v; }
#define F(n) ((size_t)(n) * 4)
#define IN(N, n, s) buf(N, F(n), HASH_F32, s)
#define INTS(N, n, s) buf(N, F(n), HASH_I32, s)
#define OUT(N, n) buf(N, F(n), ZERO, 0, true)
static char name[80];
static const char* nm(const char* f, int a = 0, int b = 0, int c = 0) { sprintf(name, f, a, b, c); return name; }
int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) if (!strcmp(argv[i], "--skip-clock")) g_skip_clock = true; else g_filter = argv[i];
  for (int lg : {6, 10, 12, 14, 16, 18}) RUN(nm("gs4_t%d", lg), k_gs4, 1024, 256, 0, INTS("index", 1 << 18, 1), IN("record", 16 << lg, 2), OUT("out", 1 << 18), i32((1 << lg) - 1));
  for (int g : {132, 264, 528}) RUN(nm("gs4_t10_g%d", g), k_gs4, g, 256, 0, INTS("index", 1 << 18, 1), IN("record", 16 << 10, 2), OUT("out", 1 << 18), i32((1 << 10) - 1));
  for (int lg : {6, 10, 14, 18}) {
    RUN(nm("gs1_t%d", lg), k_gs1, 1024, 256, 0, INTS("index", 1 << 18, 1), IN("record", 16 << lg, 2), OUT("out", 1 << 18), i32((1 << lg) - 1));
    RUN(nm("gs01_t%d", lg), k_gs01, 1024, 256, 0, INTS("index", 1 << 18, 1), IN("record", 16 << lg, 2), OUT("out", 1 << 18), i32((1 << lg) - 1));
    RUN(nm("gs02_t%d", lg), k_gs02, 1024, 256, 0, INTS("index", 1 << 18, 1), IN("record", 16 << lg, 2), OUT("out", 1 << 18), i32((1 << lg) - 1));
    RUN(nm("gw1_t%d", lg), k_gw1, 1024, 256, 0, INTS("index", 1 << 18, 1), IN("record", 16 << lg, 2), OUT("out", 1 << 18), i32((1 << lg) - 1));
    RUN(nm("gw4_t%d", lg), k_gw4, 1024, 256, 0, INTS("index", 1 << 18, 1), IN("record", 16 << lg, 2), OUT("out", 1 << 18), i32((1 << lg) - 1));
    RUN(nm("gh1_t%d", lg), k_gh1, 1024, 256, 0, IN("record", 16 << lg, 2), OUT("out", 1 << 18), i32((1 << lg) - 1));
    RUN(nm("gh4_t%d", lg), k_gh4, 1024, 256, 0, IN("record", 16 << lg, 2), OUT("out", 1 << 18), i32((1 << lg) - 1));
  }
  for (int lg : {9, 12, 16}) for (int r : {1, 2, 4, 8, 16}) RUN(nm("ghr_t%d_r%d", lg, r), k_ghr, 1024, 256, 0, IN("record", 32 << lg, 2), OUT("out", 1 << 18), i32((1 << lg) - 1), i32(r));
  for (int g : {132, 264}) for (int r : {1, 8}) RUN(nm("ghr_t9_g%d_r%d", g, r), k_ghr, g, 256, 0, IN("record", 32 << 9, 2), OUT("out", 1 << 18), i32((1 << 9) - 1), i32(r));
  for (int n : {512, 1024, 2048, 2080}) RUN(nm("lu_base_%d", n), k_lu_base, dim3(n / 16 - 1, n / 16 - 1), dim3(16, 16), 0, buf("a", F((size_t)n * n), HASH_F32, 1, true), i32(n));
  for (int n : {2048, 2080}) {
    dim3 g(n / 16 - 1, n / 16 - 1), b(16, 16);
    RUN(nm("lu_lean_%d", n), k_lu_lean, g, b, 0, buf("a", F((size_t)n * n), HASH_F32, 1, true), i32(n));
    RUN(nm("lu_row_%d", n), k_lu_row, g, b, 0, buf("a", F((size_t)n * n), HASH_F32, 1), i32(n));
    RUN(nm("lu_column_%d", n), k_lu_column, g, b, 0, buf("a", F((size_t)n * n), HASH_F32, 1), i32(n));
    RUN(nm("lu_both_%d", n), k_lu_both, g, b, 0, buf("a", F((size_t)n * n), HASH_F32, 1), i32(n));
    RUN(nm("lu_load_%d", n), k_lu_load, g, b, 0, buf("a", F((size_t)n * n), HASH_F32, 1), OUT("out", 64), i32(n));
    RUN(nm("lu_store_%d", n), k_lu_store, g, b, 0, buf("a", F((size_t)n * n), HASH_F32, 1, true), i32(n));
    RUN(nm("lu_shared_%d", n), k_lu_shared, g, b, 0, buf("a", F((size_t)n * n), HASH_F32, 1, true), i32(n));
  }
  dim3 tall(32, 128), block(32, 8);
  RUN("tf4_1024", k_tf4, tall, block, 0, buf("in", 16 << 20, HASH_F32, 1), buf("out", 16 << 20, ZERO, 0, true), i32(1024));
  for (int l : {0, 1, 2, 4, 8}) RUN(nm("tf4_part_%d", l), k_tf4_part, tall, block, 0, buf("in", 16 << 20, HASH_F32, 1), buf("out", 16 << 20, ZERO, 0, true), i32(1024), i32(l));
  for (int m : {10, 14, 18}) RUN(nm("tf4_same_%d", m), k_tf4_same, tall, block, 0, buf("in", 16 << 20, HASH_F32, 1), buf("out", 16 << 20, ZERO, 0, true), i32(1024), i32((1 << m) - 1));
  RUN("tf2_1024", k_tf2, tall, block, 0, buf("in", 8 << 20, HASH_F32, 1), buf("out", 8 << 20, ZERO, 0, true), i32(1024));
  RUN("tf1_1024", k_tf1, tall, block, 0, buf("in", 4 << 20, HASH_F32, 1), buf("out", 4 << 20, ZERO, 0, true), i32(1024));
  for (int n : {256, 512}) RUN(nm("tf4_%d", n), k_tf4, dim3(n / 32, n / 8), block, 0, buf("in", 16 * n * n, HASH_F32, 1), buf("out", 16 * n * n, ZERO, 0, true), i32(n));
  for (int l : {0, 1, 2, 4}) { RUN(nm("beside_%d", l), k_beside, dim3(16, 64), block, 0, buf("in", 16 << 20, HASH_F32, 1), buf("out", 4 << 20, ZERO, 0, true), i32(512), i32(l)); RUN(nm("beside_flat_%d", l), k_beside_flat, dim3(16, 64), block, 0, buf("in", 16 << 20, HASH_F32, 1), buf("out", 4 << 20, ZERO, 0, true), i32(512), i32(l)); }
  for (int t : {32, 128, 256, 1024}) {
    RUN(nm("load_u8_b%d", t), k_load_u8, 1, t, 0, INTS("in", 1024, 1), OUT("out", 1024), i32(128), i32(4095));
    RUN(nm("load_s8_b%d", t), k_load_s8, 1, t, 0, INTS("in", 1024, 1), OUT("out", 1024), i32(128), i32(4095));
    RUN(nm("load_u16_b%d", t), k_load_u16, 1, t, 0, INTS("in", 2048, 1), OUT("out", 1024), i32(128), i32(4095));
    RUN(nm("load_u32_b%d", t), k_load_u32, 1, t, 0, INTS("in", 4096, 1), OUT("out", 1024), i32(128), i32(4095));
    RUN(nm("shared_u8_b%d", t), k_shared_u8, 1, t, 0, OUT("out", 1024), i32(128));
    RUN(nm("shared_u16_b%d", t), k_shared_u16, 1, t, 0, OUT("out", 1024), i32(128));
    RUN(nm("shared_u32_b%d", t), k_shared_u32, 1, t, 0, OUT("out", 1024), i32(128));
    RUN(nm("store_u8_b%d", t), k_store_u8, 1, t, 0, OUT("out", 1 << 20), i32(64));
    RUN(nm("store_u16_b%d", t), k_store_u16, 1, t, 0, OUT("out", 2 << 20), i32(64));
    RUN(nm("store_u32_b%d", t), k_store_u32, 1, t, 0, OUT("out", 4 << 20), i32(64));
  }
  for (int g : {132, 528, 1024}) for (int n : {1024, 2048, 4096}) RUN(nm("qr_g%d_%d", g, n), k_qr, g, 128, 0, IN("in", g * n, 1), OUT("out", g * n / 4), OUT("scale", 1024), i32(n));
  for (int g : {132, 264, 528, 1024}) for (int n : {2048, 4096}) RUN(nm("qr_twice_g%d_%d", g, n), k_qr_twice, g, 128, 0, IN("in", g * n, 1), OUT("scale", 128 * 1024), i32(n));
  RUN("bodies_2048", k_bodies, 8, 256, 0, IN("p", 4 * 2048, 1), OUT("out", 4 * 2048), i32(2048));
  RUN("bodies_plain_2048", k_bodies_plain, 8, 256, 0, IN("p", 4 * 2048, 1), OUT("out", 4 * 2048), i32(2048));
  for (int t : {32, 128, 256}) { RUN(nm("lds128_b%d", t), k_lds128, 8, t, 0, IN("p", 4 * 2048, 1), OUT("out", 4 * 2048), i32(4)); RUN(nm("mufu_b%d", t), k_mufu, 8, t, 0, IN("p", 4 * 2048, 1), OUT("out", 4 * 2048), i32(4)); }
  for (int lg : {20, 21, 22, 23, 24}) RUN(nm("aos_%d", lg), k_aos, 1 << (lg - 8), 256, 0, buf("data", (size_t)80 << lg, HASH_F32, 1));
  for (int lg : {20, 22, 24}) { RUN(nm("aos_load_%d", lg), k_aos_load, 1 << (lg - 8), 256, 0, buf("data", (size_t)80 << lg, HASH_F32, 1), OUT("out", 64)); RUN(nm("aos_one_%d", lg), k_aos_one, 1 << (lg - 8), 256, 0, buf("data", (size_t)80 << lg, HASH_F32, 1)); RUN(nm("aos_store_%d", lg), k_aos_store, 1 << (lg - 8), 256, 0, buf("data", (size_t)80 << lg, HASH_F32, 1)); }
  for (int g : {1, 33, 132, 264, 528, 1056, 2112}) { RUN(nm("end_g%d", g), k_end, g, 256, 0, OUT("out", 2112 * 256), i32(200)); RUN(nm("end_load_g%d", g), k_end_load, g, 256, 0, IN("in", 2112 * 256, 1), OUT("out", 2112 * 256)); }
  for (int e : {32, 256, 1 << 20}) RUN(nm("end_some_%d", e), k_end_some, 1056, 256, 0, OUT("out", 2112 * 256), i32(200), i32(e));
  for (int t : {32, 64, 128, 512, 1024}) RUN(nm("end_b%d", t), k_end, 132, t, 0, OUT("out", 2112 * 256), i32(200));
  return 0;
}
