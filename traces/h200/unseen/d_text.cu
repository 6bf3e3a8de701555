#include <cstdint>
#define K extern "C" __global__ void
//! kmp_count 16 128 buffer:t:64KiB:hash_i32:1 buffer:p:8:hash_i32:2 buffer:o:8KiB:zero i32:32
K kmp_count(const unsigned char* text, const unsigned char* pat, int* o, int per) {
  __shared__ unsigned char p[8]; __shared__ int fail[8];
  if (threadIdx.x == 0) { for (int i = 0; i < 6; i++) p[i] = pat[i] & 1; fail[0] = 0; int k = 0; for (int i = 1; i < 6; i++) { while (k > 0 && p[k] != p[i]) k = fail[k - 1]; if (p[k] == p[i]) k++; fail[i] = k; } }
  __syncthreads();
  int id = blockIdx.x * 128 + threadIdx.x; const unsigned char* s = text + id * per; int k = 0, n = 0;
  for (int i = 0; i < per; i++) { int c = s[i] & 1; while (k > 0 && p[k] != c) k = fail[k - 1]; if (p[k] == c) k++; if (k == 6) { n++; k = fail[5]; } }
  o[id] = n;
}
//! affine_align 8 64 buffer:a:8KiB:hash_i32:3 buffer:b:8KiB:hash_i32:4 buffer:o:2KiB:zero
K affine_align(const unsigned char* a, const unsigned char* b, int* o) {
  int id = blockIdx.x * 64 + threadIdx.x; const unsigned char *p = a + id * 16, *q = b + id * 16; int h[17], e[17]; int best = 0;
  for (int j = 0; j <= 16; j++) { h[j] = 0; e[j] = -1000; }
  for (int i = 0; i < 16; i++) { int diag = 0, f = -1000; int c = p[i] & 3;
    for (int j = 1; j <= 16; j++) { e[j] = max(e[j] - 1, h[j] - 3); f = max(f - 1, h[j - 1] - 3); int s = diag + (c == (q[j - 1] & 3) ? 2 : -1); s = max(max(s, 0), max(e[j], f)); diag = h[j]; h[j] = s; best = max(best, s); } }
  o[id] = best;
}
//! token_classes 16 128 buffer:t:64KiB:hash_i32:5 buffer:o:32KiB:zero i32:32
K token_classes(const unsigned char* t, int4* o, int per) {
  int id = blockIdx.x * 128 + threadIdx.x; int words = 0, nums = 0, other = 0, state = 0;
  for (int i = 0; i < per; i++) { int c = t[id * per + i] & 127;
    switch (state) {
      case 0: if (c >= '0' && c <= '9') { state = 1; nums++; } else if ((c | 32) >= 'a' && (c | 32) <= 'z') { state = 2; words++; } else if (c > 32) other++; break;
      case 1: if (c == '.') state = 3; else if (c < '0' || c > '9') state = 0; break;
      case 2: if (!((c | 32) >= 'a' && (c | 32) <= 'z')) state = c == '_' ? 2 : 0; break;
      default: if (c < '0' || c > '9') { state = 0; other--; } } }
  o[id] = make_int4(words, nums, other, state);
}
//! hex_encode 32 128 buffer:i:16KiB:hash_i32:6 buffer:o:32KiB:zero
K hex_encode(const uint32_t* in, uint2* out) {
  int i = blockIdx.x * 128 + threadIdx.x; uint32_t v = in[i]; uint32_t r[2];
  for (int h = 0; h < 2; h++) { uint32_t w = 0; for (int k = 0; k < 4; k++) { uint32_t d = v >> (28 - 16 * h - 4 * k) & 15; w |= (d < 10 ? d + '0' : d + 'a' - 10) << (8 * k); } r[h] = w; }
  out[i] = make_uint2(r[0], r[1]);
}
//! fnv_strings 16 128 buffer:t:64KiB:hash_i32:7 buffer:off:8200:index_u32 buffer:o:16KiB:zero
K fnv_strings(const unsigned char* t, const int* off, uint64_t* o) {
  int i = blockIdx.x * 128 + threadIdx.x; int a = off[i] * 20, b = off[i + 1] * 20; uint64_t h = 14695981039346656037ull;
  for (int k = a; k < b; k++) { h ^= t[k]; h *= 1099511628211ull; }
  o[i] = h;
}
__device__ __forceinline__ uint64_t rotl64(uint64_t x, int r) { return x << r | x >> (64 - r); }
__device__ __forceinline__ uint64_t fmix(uint64_t k) { k ^= k >> 33; k *= 0xff51afd7ed558ccdULL; k ^= k >> 33; k *= 0xc4ceb9fe1a85ec53ULL; k ^= k >> 33; return k; }
//! murmur_128 16 128 buffer:i:128KiB:hash_i32:8 buffer:o:32KiB:zero i32:4
K murmur_128(const ulonglong2* in, ulonglong2* o, int blocks) {
  int i = blockIdx.x * 128 + threadIdx.x; uint64_t h1 = 42, h2 = 42; const uint64_t c1 = 0x87c37b91114253d5ULL, c2 = 0x4cf5ad432745937fULL;
  for (int b = 0; b < blocks; b++) { ulonglong2 k = in[i * blocks + b];
    uint64_t k1 = k.x * c1; k1 = rotl64(k1, 31) * c2; h1 ^= k1; h1 = rotl64(h1, 27) + h2; h1 = h1 * 5 + 0x52dce729;
    uint64_t k2 = k.y * c2; k2 = rotl64(k2, 33) * c1; h2 ^= k2; h2 = rotl64(h2, 31) + h1; h2 = h2 * 5 + 0x38495ab5; }
  h1 ^= blocks * 16; h2 ^= blocks * 16; h1 += h2; h2 += h1; h1 = fmix(h1); h2 = fmix(h2); h1 += h2; h2 += h1; o[i] = make_ulonglong2(h1, h2);
}
//! xxh32_stripes 16 128 buffer:i:256KiB:hash_i32:9 buffer:o:8KiB:zero i32:8
K xxh32_stripes(const uint4* in, uint32_t* o, int n) {
  const uint32_t P1 = 2654435761u, P2 = 2246822519u, P3 = 3266489917u, P4 = 668265263u;
  int i = blockIdx.x * 128 + threadIdx.x; uint32_t a = P1 + P2, b = P2, c = 0, d = -P1;
  auto round = [&](uint32_t s, uint32_t v) { s += v * P2; return __funnelshift_l(s, s, 13) * P1; };
  for (int k = 0; k < n; k++) { uint4 v = in[i * n + k]; a = round(a, v.x); b = round(b, v.y); c = round(c, v.z); d = round(d, v.w); }
  uint32_t h = (a << 1 | a >> 31) + (b << 7 | b >> 25) + (c << 12 | c >> 20) + (d << 18 | d >> 14) + n * 16;
  h ^= h >> 15; h *= P2; h ^= h >> 13; h *= P3; h ^= h >> 16; o[i] = h + P4;
}
//! crc16_bits 16 128 buffer:i:64KiB:hash_i32:10 buffer:o:8KiB:zero i32:32
K crc16_bits(const unsigned char* in, uint32_t* o, int n) {
  int i = blockIdx.x * 128 + threadIdx.x; uint16_t c = 0xffff;
  for (int k = 0; k < n; k++) { c ^= in[i * n + k] << 8; for (int b = 0; b < 8; b++) c = c & 0x8000 ? c << 1 ^ 0x1021 : c << 1; }
  o[i] = c;
}
//! soundex 16 128 buffer:i:64KiB:hash_i32:11 buffer:o:8KiB:zero
K soundex(const unsigned char* in, uint32_t* o) {
  int id = blockIdx.x * 128 + threadIdx.x; uint32_t code = 0; int len = 0, last = 0;
  for (int k = 0; k < 32 && len < 4; k++) { int c = 'a' + in[id * 32 + k] % 26, d;
    switch (c) { case 'b': case 'f': case 'p': case 'v': d = 1; break; case 'c': case 'g': case 'j': case 'k': case 'q': case 's': case 'x': case 'z': d = 2; break;
      case 'd': case 't': d = 3; break; case 'l': d = 4; break; case 'm': case 'n': d = 5; break; case 'r': d = 6; break; default: d = 0; }
    if (len == 0) { code = c; len = 1; } else if (d && d != last) { code = code << 8 | ('0' + d); len++; } last = d; }
  o[id] = code;
}
//! bracket_depth 16 128 buffer:i:64KiB:hash_i32:12 buffer:o:8KiB:zero
K bracket_depth(const unsigned char* in, int* o) {
  int id = blockIdx.x * 128 + threadIdx.x; unsigned char st[16]; int sp = 0, deep = 0;
  for (int k = 0; k < 32; k++) { int c = in[id * 32 + k] & 7; if (c < 3) { if (sp == 16) { o[id] = -2; return; } st[sp++] = c; deep = max(deep, sp); } else if (c < 6) { if (sp == 0 || st[sp - 1] != c - 3) { if (sp) sp--; else continue; } else sp--; } }
  o[id] = deep * 100 + sp;
}
