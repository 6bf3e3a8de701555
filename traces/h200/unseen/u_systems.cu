// Kernels in the manner of systems projects: databases, graphs, graphics, compression, crypto, networking.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

// =============================================================================================
// Keccak-256 nonce search (block header of 40 bytes + 8 byte nonce)
// =============================================================================================
__constant__ uint64_t d_keccak_rc[24] = {
    0x0000000000000001ULL, 0x0000000000008082ULL, 0x800000000000808aULL, 0x8000000080008000ULL,
    0x000000000000808bULL, 0x0000000080000001ULL, 0x8000000080008081ULL, 0x8000000000008009ULL,
    0x000000000000008aULL, 0x0000000000000088ULL, 0x0000000080008009ULL, 0x000000008000000aULL,
    0x000000008000808bULL, 0x800000000000008bULL, 0x8000000000008089ULL, 0x8000000000008003ULL,
    0x8000000000008002ULL, 0x8000000000000080ULL, 0x000000000000800aULL, 0x800000008000000aULL,
    0x8000000080008081ULL, 0x8000000000008080ULL, 0x0000000080000001ULL, 0x8000000080008008ULL};

__device__ __forceinline__ uint64_t rotl64(uint64_t v, int n)
{
    return (v << n) | (v >> (64 - n));
}

__device__ __forceinline__ uint64_t bswap64(uint64_t v)
{
    uint32_t lo = __byte_perm((uint32_t)v, 0, 0x0123);
    uint32_t hi = __byte_perm((uint32_t)(v >> 32), 0, 0x0123);
    return ((uint64_t)lo << 32) | hi;
}

__device__ __forceinline__ void keccak_f1600(uint64_t (&st)[25])
{
    constexpr int piln[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};
    constexpr int rotc[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};

#pragma unroll 1
    for (int round = 0; round < 24; ++round) {
        uint64_t bc[5];
#pragma unroll
        for (int i = 0; i < 5; ++i)
            bc[i] = st[i] ^ st[i + 5] ^ st[i + 10] ^ st[i + 15] ^ st[i + 20];
#pragma unroll
        for (int i = 0; i < 5; ++i) {
            const uint64_t t = bc[(i + 4) % 5] ^ rotl64(bc[(i + 1) % 5], 1);
#pragma unroll
            for (int j = 0; j < 25; j += 5)
                st[j + i] ^= t;
        }
        uint64_t t = st[1];
#pragma unroll
        for (int i = 0; i < 24; ++i) {
            const uint64_t u = st[piln[i]];
            st[piln[i]] = rotl64(t, rotc[i]);
            t = u;
        }
#pragma unroll
        for (int j = 0; j < 25; j += 5) {
#pragma unroll
            for (int i = 0; i < 5; ++i)
                bc[i] = st[j + i];
#pragma unroll
            for (int i = 0; i < 5; ++i)
                st[j + i] = bc[i] ^ (~bc[(i + 1) % 5] & bc[(i + 2) % 5]);
        }
        st[0] ^= d_keccak_rc[round];
    }
}

//! keccak256_nonce 64 192 buffer:header:40:hash_i32:201 buffer:digest_hi:98304:zero buffer:best:8:zero i64:81985529216486895 i32:9
extern "C" __global__ void __launch_bounds__(192, 4)
keccak256_nonce(const uint64_t *__restrict__ header, uint64_t *__restrict__ digest_hi,
                uint32_t *__restrict__ best, long long start_nonce, int min_zero_bits)
{
    const uint32_t gid = blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t nonce = (uint64_t)start_nonce + gid;

    uint64_t st[25];
#pragma unroll
    for (int i = 0; i < 25; ++i)
        st[i] = 0;
#pragma unroll
    for (int i = 0; i < 5; ++i)
        st[i] = __ldg(&header[i]);
    st[5] = bswap64(nonce);
    st[6] = 0x01ULL;                     // original keccak padding
    st[16] = 0x8000000000000000ULL;

    keccak_f1600(st);

    const uint64_t hi = bswap64(st[0]);
    digest_hi[gid] = hi;
    const int zeros = __clzll((long long)hi);
    if (zeros >= min_zero_bits) {
        // more zero bits win, the lower nonce breaks the tie
        atomicMax(&best[0], ((uint32_t)zeros << 20) | (0xFFFFFu - (gid & 0xFFFFFu)));
        atomicMax(&best[1], (uint32_t)zeros);
    }
}

// =============================================================================================
// NTLM mask attack (MD4 over UTF-16LE), inner loop over the first word as hashcat does
// =============================================================================================
__constant__ char c_charset[64] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!";

#define MD4_F(x, y, z) (((x) & (y)) | (~(x) & (z)))
#define MD4_G(x, y, z) (((x) & (y)) | ((x) & (z)) | ((y) & (z)))
#define MD4_H(x, y, z) ((x) ^ (y) ^ (z))
#define MD4_STEP(f, a, b, c, d, x, K, s)          \
    do {                                          \
        (a) += f((b), (c), (d)) + (x) + (K);      \
        (a) = __funnelshift_l((a), (a), (s));     \
    } while (0)

#define MD4_ROUND1_4(x0, x1, x2, x3)              \
    MD4_STEP(MD4_F, a, b, c, d, x0, 0u, 3);       \
    MD4_STEP(MD4_F, d, a, b, c, x1, 0u, 7);       \
    MD4_STEP(MD4_F, c, d, a, b, x2, 0u, 11);      \
    MD4_STEP(MD4_F, b, c, d, a, x3, 0u, 19)
#define MD4_ROUND2_4(x0, x1, x2, x3)              \
    MD4_STEP(MD4_G, a, b, c, d, x0, 0x5a827999u, 3); \
    MD4_STEP(MD4_G, d, a, b, c, x1, 0x5a827999u, 5); \
    MD4_STEP(MD4_G, c, d, a, b, x2, 0x5a827999u, 9); \
    MD4_STEP(MD4_G, b, c, d, a, x3, 0x5a827999u, 13)
#define MD4_ROUND3_4(x0, x1, x2, x3)              \
    MD4_STEP(MD4_H, a, b, c, d, x0, 0x6ed9eba1u, 3);  \
    MD4_STEP(MD4_H, d, a, b, c, x1, 0x6ed9eba1u, 9);  \
    MD4_STEP(MD4_H, c, d, a, b, x2, 0x6ed9eba1u, 11); \
    MD4_STEP(MD4_H, b, c, d, a, x3, 0x6ed9eba1u, 15)

__device__ __forceinline__ void md4_ntlm(const uint32_t (&w)[5], uint32_t len_bits, uint32_t (&h)[4])
{
    uint32_t a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
    MD4_ROUND1_4(w[0], w[1], w[2], w[3]);
    MD4_ROUND1_4(w[4], 0u, 0u, 0u);
    MD4_ROUND1_4(0u, 0u, 0u, 0u);
    MD4_ROUND1_4(0u, 0u, len_bits, 0u);
    MD4_ROUND2_4(w[0], w[4], 0u, 0u);
    MD4_ROUND2_4(w[1], 0u, 0u, 0u);
    MD4_ROUND2_4(w[2], 0u, 0u, len_bits);
    MD4_ROUND2_4(w[3], 0u, 0u, 0u);
    MD4_ROUND3_4(w[0], 0u, w[4], 0u);
    MD4_ROUND3_4(w[2], 0u, 0u, len_bits);
    MD4_ROUND3_4(w[1], 0u, 0u, 0u);
    MD4_ROUND3_4(w[3], 0u, 0u, 0u);
    h[0] = a + 0x67452301u;
    h[1] = b + 0xefcdab89u;
    h[2] = c + 0x98badcfeu;
    h[3] = d + 0x10325476u;
}

//! ntlm_mask_md4 72 128 buffer:bitmap:65536:hash_i32:211 buffer:words:64:hash_i32:212 buffer:digest_xor:36864:zero buffer:found:36864:zero u32:900000001 u32:16
extern "C" __global__ void ntlm_mask_md4(const uint32_t *__restrict__ bitmap, const uint32_t *__restrict__ words,
                                         uint32_t *__restrict__ digest_xor, uint32_t *__restrict__ found,
                                         uint32_t offset, uint32_t il_cnt)
{
    __shared__ uint32_t s_words[16];
    const uint32_t lid = threadIdx.x;
    if (lid < 16) {
        // two characters of the left mask part, already in UTF-16LE
        const uint32_t r = words[lid];
        s_words[lid] = (uint32_t)c_charset[r % 63] | ((uint32_t)c_charset[(r / 63) % 63] << 16);
    }
    __syncthreads();

    const uint32_t gid = blockIdx.x * blockDim.x + lid;
    uint32_t rest = offset + gid;
    uint32_t w[5];
#pragma unroll
    for (int i = 1; i < 4; ++i) {
        const uint32_t c0 = c_charset[rest % 62];
        rest /= 62;
        const uint32_t c1 = c_charset[rest % 62];
        rest = rest / 62 + 17 * gid;
        w[i] = c0 | (c1 << 16);
    }
    w[4] = 0x80u;

    uint32_t acc = 0, hits = 0;
    for (uint32_t il_pos = 0; il_pos < il_cnt; ++il_pos) {
        w[0] = s_words[il_pos & 15];
        uint32_t h[4];
        md4_ntlm(w, 16 * 8, h);

        // four-way bloom bitmap check like check_4 ()
        const uint32_t b0 = (bitmap[(h[0] & 0xffff) >> 5 & 0x7ff] >> (h[0] & 31)) & 1;
        if (b0) {
            const uint32_t b1 = (bitmap[2048 + ((h[1] >> 5) & 0x7ff)] >> (h[1] & 31)) & 1;
            const uint32_t b2 = (bitmap[4096 + ((h[2] >> 5) & 0x7ff)] >> (h[2] & 31)) & 1;
            const uint32_t b3 = (bitmap[6144 + ((h[3] >> 5) & 0x7ff)] >> (h[3] & 31)) & 1;
            if (b1 & b2 & b3)
                hits |= 1u << (il_pos & 31);
        }
        acc ^= h[0] + 3 * h[1] + 5 * h[2] + 7 * h[3];
    }
    digest_xor[gid] = acc;
    found[gid] = hits;
}

// =============================================================================================
// LZ4 block decoding, one warp per chunk, decoded bytes staged in shared memory
// =============================================================================================
constexpr int LZ4_WARPS = 4;
constexpr int LZ4_IN = 640;
constexpr int LZ4_OUT = 1024;

struct lz4_stream {
    const uint8_t *src;
    uint32_t pos;
    uint32_t end;

    __device__ __forceinline__ bool more(uint32_t n) const { return pos + n <= end; }
    __device__ __forceinline__ uint32_t byte() { return src[pos++]; }

    __device__ __forceinline__ uint32_t length(uint32_t nibble)
    {
        uint32_t len = nibble;
        if (nibble == 15) {
            uint32_t b;
            do {
                if (!more(1))
                    return len;
                b = byte();
                len += b & 0x3f;     // short chunks: extension bytes carry 6 bits
            } while (b == 255);
        }
        return len;
    }
};

//! lz4_warp_decode 64 32x4 buffer:comp:163840:hash_i32:221 buffer:decomp:262144:zero buffer:out_bytes:1024:zero buffer:status:1024:zero
extern "C" __global__ void __launch_bounds__(128)
lz4_warp_decode(const uint8_t *__restrict__ comp, uint32_t *__restrict__ decomp,
                uint32_t *__restrict__ out_bytes, uint32_t *__restrict__ status)
{
    __shared__ __align__(16) uint8_t window[LZ4_WARPS][LZ4_OUT];

    const int lane = threadIdx.x;
    const int chunk = blockIdx.x * LZ4_WARPS + threadIdx.y;
    uint8_t *dst = window[threadIdx.y];

    for (int i = lane; i < LZ4_OUT / 4; i += 32)
        reinterpret_cast<uint32_t *>(dst)[i] = 0;
    __syncwarp();

    lz4_stream in{comp + (size_t)chunk * LZ4_IN, 0, LZ4_IN};
    uint32_t op = 0;
    uint32_t state = 0;
    while (in.more(1) && op < LZ4_OUT) {
        const uint32_t token = in.byte();

        // literals
        uint32_t lit = in.length(token >> 4);
        lit = min(lit, min((uint32_t)LZ4_OUT - op, in.end - in.pos));
        for (uint32_t i = lane; i < lit; i += 32)
            dst[op + i] = in.src[in.pos + i];
        in.pos += lit;
        op += lit;
        __syncwarp();
        if (!in.more(2) || op >= LZ4_OUT) {
            state |= 1;
            break;
        }

        // match
        uint32_t offset = in.byte();
        offset |= in.byte() << 8;
        uint32_t len = in.length(token & 15) + 4;
        if (op == 0) {
            state |= 2;              // a match may not come first
            continue;
        }
        offset = 1 + offset % op;
        len = min(len, (uint32_t)LZ4_OUT - op);
        if (offset >= len) {
            for (uint32_t i = lane; i < len; i += 32)
                dst[op + i] = dst[op - offset + i];
        } else {
            // overlapping: the pattern of `offset` bytes repeats
            for (uint32_t i = lane; i < len; i += 32)
                dst[op + i] = dst[op - offset + i % offset];
            state += 256;
        }
        op += len;
        __syncwarp();
    }

    __syncwarp();
    const uint4 *w4 = reinterpret_cast<const uint4 *>(dst);
    uint4 *o4 = reinterpret_cast<uint4 *>(decomp) + (size_t)chunk * (LZ4_OUT / 16);
    for (int i = lane; i < LZ4_OUT / 16; i += 32)
        o4[i] = w4[i];
    if (lane == 0) {
        out_bytes[chunk] = op;
        status[chunk] = state;
    }
}

// =============================================================================================
// JSON structural index (simdjson stage 1), 64 bytes a thread, one 16 KiB document a block
// =============================================================================================
constexpr int JSON_THREADS = 256;
constexpr int JSON_BYTES = 64;
constexpr int JSON_PITCH = 68;   // one word of padding against bank conflicts

__constant__ char c_json_alphabet[65] = "{}[]:,,:\"\"\"\\abcdefghijklmnopqrs 01234567.-etfn \ttruenullfalse89E";

__device__ __forceinline__ uint64_t match_nibble(uint32_t word, uint32_t pattern)
{
    const uint32_t m = __vcmpeq4(word, pattern) & 0x08040201u;
    return (uint64_t)((m * 0x01010101u) >> 24);
}

__device__ __forceinline__ uint64_t prefix_xor(uint64_t v)
{
#pragma unroll
    for (int s = 1; s < 64; s <<= 1)
        v ^= v << s;
    return v;
}

//! json_structural_index 112 256 buffer:text:1835008:hash_i32:231 buffer:positions:7340032:zero buffer:counts:448:zero buffer:errors:448:zero
extern "C" __global__ void __launch_bounds__(JSON_THREADS)
json_structural_index(const uint4 *__restrict__ text, uint32_t *__restrict__ positions,
                      uint32_t *__restrict__ counts, uint32_t *__restrict__ errors)
{
    __shared__ uint32_t s_text[JSON_THREADS * JSON_PITCH / 4];
    __shared__ uint8_t s_lut[64];
    __shared__ uint32_t s_warp[JSON_THREADS / 32];

    const int tid = threadIdx.x;
    const int lane = tid & 31;
    const int warp = tid >> 5;
    uint8_t *s_bytes = reinterpret_cast<uint8_t *>(s_text);

    if (tid < 64)
        s_lut[tid] = (uint8_t)c_json_alphabet[tid];
    __syncthreads();

    // stage the document (translated to JSON-like characters)
    const uint4 *doc = text + (size_t)blockIdx.x * (JSON_THREADS * JSON_BYTES / 16);
    for (int v = tid; v < JSON_THREADS * JSON_BYTES / 16; v += JSON_THREADS) {
        const uint4 q = doc[v];
        const uint32_t raw[4] = {q.x, q.y, q.z, q.w};
        const int slot = (v >> 2) * (JSON_PITCH / 4) + (v & 3) * 4;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            uint32_t o = 0;
#pragma unroll
            for (int b = 0; b < 4; ++b)
                o |= (uint32_t)s_lut[(raw[k] >> (8 * b)) & 63] << (8 * b);
            s_text[slot + k] = o;
        }
    }
    __syncthreads();

    uint64_t quote = 0, slash = 0, op = 0;
#pragma unroll 4
    for (int k = 0; k < JSON_BYTES / 4; ++k) {
        const uint32_t w = s_text[tid * (JSON_PITCH / 4) + k];
        const uint32_t folded = w | 0x20202020u;    // [ -> {   ] -> }
        const int sh = 4 * k;
        quote |= match_nibble(w, 0x22222222u) << sh;
        slash |= match_nibble(w, 0x5c5c5c5cu) << sh;
        op |= (match_nibble(folded, 0x7b7b7b7bu) | match_nibble(folded, 0x7d7d7d7du) |
               match_nibble(w, 0x3a3a3a3au) | match_nibble(w, 0x2c2c2c2cu)) << sh;
    }

    // does the text before this thread end with an odd run of backslashes?
    uint64_t prev_odd = 0;
    for (int p = tid * JSON_BYTES - 1; p >= 0; --p) {
        if (s_bytes[(p >> 6) * JSON_PITCH + (p & 63)] != '\\')
            break;
        prev_odd ^= 1;
    }
    const uint64_t even_bits = 0x5555555555555555ULL;
    const uint64_t start_edges = slash & ~(slash << 1);
    const uint64_t even_mask = even_bits ^ prev_odd;
    const uint64_t even_carries = slash + (start_edges & even_mask);
    const uint64_t odd_carries = (slash + (start_edges & ~even_mask)) | prev_odd;
    const uint64_t escaped = ((even_carries & ~slash) & ~even_bits) | ((odd_carries & ~slash) & even_bits);
    quote &= ~escaped;

    // parity of the quotes in front of this thread
    const uint32_t odd = __popcll(quote) & 1;
    const uint32_t votes = __ballot_sync(0xffffffffu, odd);
    if (lane == 0)
        s_warp[warp] = __popc(votes);
    __syncthreads();
    uint32_t before = __popc(votes & ((1u << lane) - 1));
    for (int w = 0; w < warp; ++w)
        before += s_warp[w];
    __syncthreads();
    const uint64_t in_string = prefix_xor(quote) ^ (0ULL - (uint64_t)(before & 1));
    uint64_t structurals = (op & ~in_string) | (quote & in_string);

    // block-wide exclusive scan of the counts
    const uint32_t mine = __popcll(structurals);
    uint32_t incl = mine;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const uint32_t n = __shfl_up_sync(0xffffffffu, incl, d);
        if (lane >= d)
            incl += n;
    }
    if (lane == 31)
        s_warp[warp] = incl;
    __syncthreads();
    uint32_t slot = incl - mine;
    for (int w = 0; w < warp; ++w)
        slot += s_warp[w];

    uint32_t *out = positions + (size_t)blockIdx.x * (JSON_THREADS * JSON_BYTES);
    while (structurals) {
        const int bit = __ffsll((long long)structurals) - 1;
        out[slot++] = tid * JSON_BYTES + bit;
        structurals &= structurals - 1;
    }
    if (tid == JSON_THREADS - 1) {
        counts[blockIdx.x] = slot;
        errors[blockIdx.x] = (uint32_t)(in_string >> 63);   // unterminated string
    }
}

// =============================================================================================
// Roaring bitmaps: intersection of container pairs of all kinds
// =============================================================================================
enum container_kind { BITSET = 0, ARRAY = 1, RUN = 2 };
constexpr int RB_WORDS = 2048;          // 65536 bits
constexpr int RB_ARRAY = 1000;
constexpr int RB_STEP = 61;
constexpr int RB_RUNS = 128;

// sorted 16 bit values of an array container: value i lies in [i*61, i*61+60]
__device__ __forceinline__ uint32_t rb_array_value(const uint32_t *__restrict__ words, int i)
{
    return i * RB_STEP + words[i] % RB_STEP;
}

// run container: run i lies in [i*512, i*512+511], as (start, length-1)
__device__ __forceinline__ uint2 rb_run(const uint32_t *__restrict__ words, int i)
{
    const uint32_t w = words[i];
    return make_uint2(i * 512 + (w & 127), (w >> 7) % 300);
}

__device__ int rb_lower_bound(const uint32_t *__restrict__ words, int n, uint32_t key)
{
    int lo = 0, len = n;
    while (len > 0) {
        const int half = len >> 1;
        if (rb_array_value(words, lo + half) < key) {
            lo += half + 1;
            len -= half + 1;
        } else {
            len = half;
        }
    }
    return lo;
}

//! roaring_and_containers 240 128 buffer:bits_a:1966080:hash_i32:241 buffer:bits_b:1966080:hash_i32:242 buffer:arrays:1966080:hash_i32:243 buffer:out:1966080:zero buffer:card:960:zero
extern "C" __global__ void roaring_and_containers(const uint32_t *__restrict__ bits_a, const uint32_t *__restrict__ bits_b,
                                                  const uint32_t *__restrict__ arrays, uint32_t *__restrict__ out,
                                                  uint32_t *__restrict__ card)
{
    __shared__ __align__(16) uint32_t result[RB_WORDS];
    __shared__ uint32_t partial[4];

    const int tid = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * RB_WORDS;
    const uint32_t *a = bits_a + base;
    const uint32_t *b = bits_b + base;
    const uint32_t *arr = arrays + base;
    const container_kind ka = (container_kind)(blockIdx.x % 3);
    const container_kind kb = (container_kind)((blockIdx.x / 3) % 2);

    for (int i = tid; i < RB_WORDS; i += blockDim.x)
        result[i] = 0;
    __syncthreads();

    if (ka == BITSET && kb == BITSET) {
        const uint4 *a4 = reinterpret_cast<const uint4 *>(a);
        const uint4 *b4 = reinterpret_cast<const uint4 *>(b);
        uint4 *r4 = reinterpret_cast<uint4 *>(result);
        for (int i = tid; i < RB_WORDS / 4; i += blockDim.x) {
            const uint4 x = a4[i], y = b4[i];
            r4[i] = make_uint4(x.x & y.x, x.y & y.y, x.z & y.z, x.w & y.w);
        }
    } else if (ka == ARRAY && kb == ARRAY) {
        // search the values of the first array in the second
        const uint32_t *other = arr + RB_WORDS / 2;
        for (int i = tid; i < RB_ARRAY; i += blockDim.x) {
            const uint32_t v = rb_array_value(arr, i);
            const int p = rb_lower_bound(other, RB_ARRAY, v);
            if (p < RB_ARRAY && rb_array_value(other, p) == v)
                atomicOr(&result[v >> 5], 1u << (v & 31));
        }
    } else if (ka != RUN) {
        // array against bitset
        const uint32_t *set = ka == BITSET ? a : b;
        for (int i = tid; i < RB_ARRAY; i += blockDim.x) {
            const uint32_t v = rb_array_value(arr, i);
            if ((set[v >> 5] >> (v & 31)) & 1)
                atomicOr(&result[v >> 5], 1u << (v & 31));
        }
    } else if (kb == BITSET) {
        // one run per thread, masked copy of the covered words
        for (int r = tid; r < RB_RUNS; r += blockDim.x) {
            const uint2 run = rb_run(arr, r);
            const uint32_t first = run.x, last = run.x + run.y;
            for (uint32_t w = first >> 5; w <= last >> 5; ++w) {
                uint32_t mask = 0xffffffffu;
                if (w == first >> 5)
                    mask &= 0xffffffffu << (first & 31);
                if (w == last >> 5)
                    mask &= 0xffffffffu >> (31 - (last & 31));
                result[w] = b[w] & mask;
            }
        }
    } else {
        // run against array: the run that may contain the value is known by binary search over starts
        const uint32_t *values = arr + RB_WORDS / 2;
        for (int i = tid; i < RB_ARRAY; i += blockDim.x) {
            const uint32_t v = rb_array_value(values, i);
            int lo = 0, hi = RB_RUNS;
            while (hi - lo > 1) {
                const int mid = (lo + hi) >> 1;
                if (rb_run(arr, mid).x <= v)
                    lo = mid;
                else
                    hi = mid;
            }
            const uint2 run = rb_run(arr, lo);
            if (v >= run.x && v <= run.x + run.y)
                atomicOr(&result[v >> 5], 1u << (v & 31));
        }
    }
    __syncthreads();

    uint32_t n = 0;
    for (int i = tid; i < RB_WORDS; i += blockDim.x) {
        const uint32_t w = result[i];
        n += __popc(w);
        out[base + i] = w;
    }
    n = __reduce_add_sync(0xffffffffu, n);
    if ((tid & 31) == 0)
        partial[tid >> 5] = n;
    __syncthreads();
    if (tid == 0)
        card[blockIdx.x] = partial[0] + partial[1] + partial[2] + partial[3];
}

// =============================================================================================
// LBVH: radix tree over sorted Morton codes (Karras 2012)
// =============================================================================================
struct lbvh_node {
    int left;       // negative: leaf ~left
    int right;
    int first;
    int last;
};

__device__ __forceinline__ uint32_t lbvh_code(const uint32_t *__restrict__ keys, int i)
{
    // pairs of primitives share a code, so that the tie break by index is exercised
    return ((uint32_t)(i >> 1) << 15) | (__ldg(&keys[i >> 1]) & 0x7fffu);
}

__device__ __forceinline__ int lbvh_delta(const uint32_t *__restrict__ keys, int n, int i, uint32_t ci, int j)
{
    if (j < 0 || j >= n)
        return -1;
    const uint32_t cj = lbvh_code(keys, j);
    return ci == cj ? 32 + __clz((uint32_t)i ^ (uint32_t)j) : __clz(ci ^ cj);
}

//! lbvh_karras_tree 94 320 buffer:keys:60000:hash_i32:251 buffer:nodes:479984:zero buffer:parents:239996:zero buffer:split_axis:119996:zero i32:30000
extern "C" __global__ void lbvh_karras_tree(const uint32_t *__restrict__ keys, lbvh_node *__restrict__ nodes,
                                            int *__restrict__ parents, int *__restrict__ split_axis, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1)
        return;
    const uint32_t ci = lbvh_code(keys, i);

    // direction of the range
    const int d_next = lbvh_delta(keys, n, i, ci, i + 1);
    const int d_prev = lbvh_delta(keys, n, i, ci, i - 1);
    const int d = d_next > d_prev ? 1 : -1;
    const int delta_min = min(d_next, d_prev);

    // upper bound for the length, then binary search for the other end
    int lmax = 2;
    while (lbvh_delta(keys, n, i, ci, i + lmax * d) > delta_min)
        lmax <<= 1;
    int l = 0;
    for (int t = lmax >> 1; t >= 1; t >>= 1) {
        if (lbvh_delta(keys, n, i, ci, i + (l + t) * d) > delta_min)
            l += t;
    }
    const int j = i + l * d;

    // split position
    const int delta_node = lbvh_delta(keys, n, i, ci, j);
    int s = 0;
    int t = l;
    do {
        t = (t + 1) >> 1;
        if (lbvh_delta(keys, n, i, ci, i + (s + t) * d) > delta_node)
            s += t;
    } while (t > 1);
    const int gamma = i + s * d + min(d, 0);

    const int first = min(i, j), last = max(i, j);
    lbvh_node node;
    node.left = first == gamma ? ~gamma : gamma;
    node.right = last == gamma + 1 ? ~(gamma + 1) : gamma + 1;
    node.first = first;
    node.last = last;
    nodes[i] = node;

    // parents: internal nodes 0 .. n-2, then leaves n-1 .. 2n-2
    parents[first == gamma ? n - 1 + gamma : gamma] = i;
    parents[last == gamma + 1 ? n - 1 + gamma + 1 : gamma + 1] = i;
    if (i == 0)
        parents[0] = -1;
    split_axis[i] = delta_node < 32 ? (29 + 3 - delta_node) % 3 : -1;
}

// =============================================================================================
// Gaussian splatting: alpha blending of one 16x16 tile, gaussians fetched in batches
// =============================================================================================
constexpr int GS_BLOCK = 16;
constexpr int GS_BATCH = GS_BLOCK * GS_BLOCK / 2;
constexpr int GS_NUM = 2048;
constexpr int GS_STRIDE = 200;      // slots in the sorted list a tile

//! gsplat_tile_render 8x6 16x16 buffer:splats:73728:uniform:0:1:261 buffer:point_list:38400:hash_i32:262 buffer:image:147456:zero buffer:final_t:49152:zero buffer:n_contrib:49152:zero i32:128 i32:96
extern "C" __global__ void __launch_bounds__(GS_BLOCK *GS_BLOCK)
gsplat_tile_render(const float *__restrict__ splats, const uint32_t *__restrict__ point_list,
                   float *__restrict__ image, float *__restrict__ final_t, uint32_t *__restrict__ n_contrib, int W, int H)
{
    __shared__ float2 collected_xy[GS_BATCH];
    __shared__ float4 collected_conic[GS_BATCH];
    __shared__ float3 collected_rgb[GS_BATCH];

    const uint2 pix = make_uint2(blockIdx.x * GS_BLOCK + threadIdx.x, blockIdx.y * GS_BLOCK + threadIdx.y);
    const uint32_t pix_id = W * pix.y + pix.x;
    const float2 pixf = make_float2((float)pix.x, (float)pix.y);
    const bool inside = pix.x < (uint32_t)W && pix.y < (uint32_t)H;
    bool done = !inside;

    const uint32_t tile = blockIdx.y * gridDim.x + blockIdx.x;
    const uint32_t range_begin = tile * GS_STRIDE;
    const uint32_t count = 120 + (tile * 13) % 80;
    int toDo = count;
    const uint32_t rank = threadIdx.y * GS_BLOCK + threadIdx.x;

    float T = 1.0f;
    uint32_t contributor = 0;
    uint32_t last_contributor = 0;
    float C[3] = {0.f, 0.f, 0.f};

    for (uint32_t batch = 0; batch < count; batch += GS_BATCH, toDo -= GS_BATCH) {
        // the whole block leaves when all its pixels are opaque
        if (__syncthreads_count(done) == GS_BLOCK * GS_BLOCK)
            break;
        if (rank < GS_BATCH && batch + rank < count) {
            const uint32_t id = point_list[range_begin + batch + rank] % GS_NUM;
            const float *g = splats + id * 9;
            const float sx = 0.004f + 0.03f * g[2];
            const float sy = 0.004f + 0.03f * g[3];
            collected_xy[rank] = make_float2(g[0] * W, g[1] * H);
            collected_conic[rank] = make_float4(sx, 1.6f * (g[4] - 0.5f) * sqrtf(sx * sy), sy, 0.05f + 0.7f * g[5]);
            collected_rgb[rank] = make_float3(g[6], g[7], g[8]);
        }
        __syncthreads();

        for (int j = 0; !done && j < min(GS_BATCH, toDo); j++) {
            contributor++;
            const float2 xy = collected_xy[j];
            const float2 d = make_float2(xy.x - pixf.x, xy.y - pixf.y);
            const float4 con_o = collected_conic[j];
            const float power = -0.5f * (con_o.x * d.x * d.x + con_o.z * d.y * d.y) - con_o.y * d.x * d.y;
            if (power > 0.0f)
                continue;
            const float alpha = min(0.99f, con_o.w * __expf(power));
            if (alpha < 1.0f / 255.0f)
                continue;
            const float test_T = T * (1 - alpha);
            if (test_T < 0.0001f) {
                done = true;
                continue;
            }
            const float3 rgb = collected_rgb[j];
            C[0] += rgb.x * alpha * T;
            C[1] += rgb.y * alpha * T;
            C[2] += rgb.z * alpha * T;
            T = test_T;
            last_contributor = contributor;
        }
    }

    if (inside) {
        final_t[pix_id] = T;
        n_contrib[pix_id] = last_contributor;
        const float bg[3] = {0.1f, 0.1f, 0.15f};
#pragma unroll
        for (int ch = 0; ch < 3; ch++)
            image[ch * H * W + pix_id] = C[ch] + T * bg[ch];
    }
}

// =============================================================================================
// Isosurface extraction by marching tetrahedra, triangles compacted within the block
// =============================================================================================
__constant__ int8_t c_tets[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
__constant__ int8_t c_tet_edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
__constant__ int8_t c_tet_count[16] = {0, 1, 1, 2, 1, 2, 2, 1, 1, 2, 2, 1, 2, 1, 1, 0};
__constant__ int8_t c_tet_tri[16][6] = {
    {-1, -1, -1, -1, -1, -1}, {0, 1, 2, -1, -1, -1}, {0, 4, 3, -1, -1, -1}, {1, 2, 4, 1, 4, 3},
    {1, 3, 5, -1, -1, -1},    {0, 5, 2, 0, 3, 5},    {0, 1, 5, 0, 5, 4},    {2, 4, 5, -1, -1, -1},
    {2, 5, 4, -1, -1, -1},    {0, 5, 1, 0, 4, 5},    {0, 2, 5, 0, 5, 3},    {1, 5, 3, -1, -1, -1},
    {1, 4, 2, 1, 3, 4},       {0, 3, 4, -1, -1, -1}, {0, 2, 1, -1, -1, -1}, {-1, -1, -1, -1, -1, -1}};

constexpr int MT_CELLS = 64;

__device__ __forceinline__ float mt_field(const float *__restrict__ noise, int x, int y, int z, int nx, int ny)
{
    const float dx = x - 15.5f, dy = y - 15.5f, dz = z - 8.0f;
    const float ball = sqrtf(dx * dx + dy * dy + 2.0f * dz * dz) - 12.0f;
    return ball + 5.0f * (noise[(z * ny + y) * nx + x] - 0.5f);
}

__device__ __forceinline__ float3 mt_interp(float iso, float3 p0, float3 p1, float f0, float f1)
{
    const float den = f1 - f0;
    const float t = fabsf(den) > 1e-6f ? __saturatef((iso - f0) / den) : 0.5f;
    return make_float3(p0.x + t * (p1.x - p0.x), p0.y + t * (p1.y - p0.y), p0.z + t * (p1.z - p0.z));
}

//! march_tets_extract 4x8x8 8x4x2 buffer:noise:74052:uniform:0:1:271 buffer:tris:7077888:zero buffer:counts:1024:zero i32:33 i32:33 i32:17 f32:0.25
extern "C" __global__ void __launch_bounds__(MT_CELLS)
march_tets_extract(const float *__restrict__ noise, float3 *__restrict__ tris, int *__restrict__ counts,
                   int nx, int ny, int nz, float iso)
{
    __shared__ int warp_total;

    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    const int tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const bool valid = x < nx - 1 && y < ny - 1 && z < nz - 1;

    float f[8];
    uint32_t inside = 0;
#pragma unroll
    for (int c = 0; c < 8; ++c) {
        f[c] = valid ? mt_field(noise, x + (c & 1), y + ((c >> 1) & 1), z + (c >> 2), nx, ny) : 1e9f;
        inside |= (f[c] < iso ? 1u : 0u) << c;
    }

    // count
    int n = 0;
    uint32_t cases = 0;
#pragma unroll
    for (int t = 0; t < 6; ++t) {
        uint32_t m = 0;
#pragma unroll
        for (int v = 0; v < 4; ++v)
            m |= ((inside >> c_tets[t][v]) & 1u) << v;
        cases |= m << (4 * t);
        n += c_tet_count[m];
    }

    // exclusive scan over the two warps
    const int lane = tid & 31;
    int incl = n;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const int o = __shfl_up_sync(0xffffffffu, incl, d);
        if (lane >= d)
            incl += o;
    }
    if (tid == 31)
        warp_total = incl;
    __syncthreads();
    int slot = incl - n + (tid >= 32 ? warp_total : 0);
    if (tid == MT_CELLS - 1)
        counts[block] = slot + n;

    // emit
    if (n == 0)
        return;
    float3 *out = tris + (size_t)block * (MT_CELLS * 12 * 3);
    for (int t = 0; t < 6; ++t) {
        const uint32_t m = (cases >> (4 * t)) & 15u;
        const int nv = 3 * c_tet_count[m];
        for (int k = 0; k < nv; ++k) {
            const int e = c_tet_tri[m][k];
            const int a = c_tets[t][c_tet_edge[e][0]];
            const int b = c_tets[t][c_tet_edge[e][1]];
            const float3 pa = make_float3(x + (a & 1), y + ((a >> 1) & 1), z + (a >> 2));
            const float3 pb = make_float3(x + (b & 1), y + ((b >> 1) & 1), z + (b >> 2));
            out[3 * slot + k] = mt_interp(iso, pa, pb, f[a], f[b]);
        }
        slot += c_tet_count[m];
    }
}

// =============================================================================================
// Position-based dynamics: one cloth per block, coloured distance constraints, sphere collision
// =============================================================================================
constexpr int PBD_W = 24;
constexpr int PBD_H = 20;
constexpr int PBD_N = PBD_W * PBD_H;
constexpr int PBD_THREADS = 256;

__device__ __forceinline__ float pbd_inv_mass(int i)
{
    return (i == 0 || i == PBD_W - 1) ? 0.0f : 1.0f;    // two pinned corners
}

__device__ __forceinline__ void pbd_project(float4 *__restrict__ p, int a, int b, float rest, float stiffness)
{
    float4 pa = p[a], pb = p[b];
    const float w = pa.w + pb.w;
    if (w == 0.0f)
        return;
    const float dx = pa.x - pb.x, dy = pa.y - pb.y, dz = pa.z - pb.z;
    const float len = sqrtf(dx * dx + dy * dy + dz * dz);
    const float s = stiffness * (len - rest) / ((len + 1e-7f) * w);
    pa.x -= pa.w * s * dx; pa.y -= pa.w * s * dy; pa.z -= pa.w * s * dz;
    pb.x += pb.w * s * dx; pb.y += pb.w * s * dy; pb.z += pb.w * s * dz;
    p[a] = pa;
    p[b] = pb;
}

//! pbd_cloth_colors 80 256 buffer:jitter:153600:uniform:0:1:281 buffer:pos_out:614400:zero buffer:vel_out:614400:zero i32:4 f32:0.016 f32:0.9
extern "C" __global__ void __launch_bounds__(PBD_THREADS)
pbd_cloth_colors(const float *__restrict__ jitter, float4 *__restrict__ pos_out, float4 *__restrict__ vel_out,
                 int iterations, float dt, float stiffness)
{
    __shared__ float4 p[PBD_N];
    __shared__ float4 old[PBD_N];
    const int tid = threadIdx.x;
    const int base = blockIdx.x * PBD_N;
    const float h = 0.05f;

    // prediction
    for (int i = tid; i < PBD_N; i += PBD_THREADS) {
        const float jz = jitter[base + i] - 0.5f;
        float4 q = make_float4((i % PBD_W) * h, 1.0f - (i / PBD_W) * 0.1f * h, (i / PBD_W) * h + 0.02f * jz, pbd_inv_mass(i));
        old[i] = q;
        const float vy = -9.81f * dt * q.w;
        q.y += vy * dt + 0.01f * jz * q.w;
        p[i] = q;
    }
    __syncthreads();

    const float3 centre = make_float3(0.5f * PBD_W * h, 0.72f, 0.5f * PBD_H * h);
    const float radius = 0.25f;
    for (int it = 0; it < iterations; ++it) {
        // colours 0/1: along x, 2/3: along y, 4/5 and 6/7: the two shear diagonals
        for (int colour = 0; colour < 8; ++colour) {
            const int parity = colour & 1;
            for (int c = tid; c < PBD_N; c += PBD_THREADS) {
                const int x = c % PBD_W;
                const int y = c / PBD_W;
                switch (colour >> 1) {
                case 0:
                    if ((x & 1) == parity && x + 1 < PBD_W)
                        pbd_project(p, c, c + 1, h, stiffness);
                    break;
                case 1:
                    if ((y & 1) == parity && y + 1 < PBD_H)
                        pbd_project(p, c, c + PBD_W, h, stiffness);
                    break;
                case 2:
                    if ((y & 1) == parity && y + 1 < PBD_H && x + 1 < PBD_W)
                        pbd_project(p, c, c + PBD_W + 1, h * 1.41421356f, 0.5f * stiffness);
                    break;
                default:
                    if ((y & 1) == parity && y + 1 < PBD_H && x > 0)
                        pbd_project(p, c, c + PBD_W - 1, h * 1.41421356f, 0.5f * stiffness);
                    break;
                }
            }
            __syncthreads();
        }
        // collision with a sphere
        for (int i = tid; i < PBD_N; i += PBD_THREADS) {
            float4 q = p[i];
            const float dx = q.x - centre.x, dy = q.y - centre.y, dz = q.z - centre.z;
            const float d2 = dx * dx + dy * dy + dz * dz;
            if (d2 < radius * radius && q.w > 0.0f) {
                const float s = radius * rsqrtf(d2 + 1e-9f);
                q.x = centre.x + s * dx;
                q.y = centre.y + s * dy;
                q.z = centre.z + s * dz;
                p[i] = q;
            }
        }
        __syncthreads();
    }

    for (int i = tid; i < PBD_N; i += PBD_THREADS) {
        const float4 q = p[i], o = old[i];
        pos_out[base + i] = q;
        vel_out[base + i] = make_float4((q.x - o.x) / dt, (q.y - o.y) / dt, (q.z - o.z) / dt, 0.0f);
    }
}

// =============================================================================================
// QC-LDPC, layered offset min-sum in 16/8 bit fixed point, one code word per block of Z threads
// =============================================================================================
constexpr int LDPC_Z = 96;
constexpr int LDPC_LAYERS = 6;
constexpr int LDPC_COLS = 12;
constexpr int LDPC_MAXDEG = 7;

__constant__ uint8_t c_ldpc_deg[LDPC_LAYERS] = {6, 7, 6, 7, 6, 6};
__constant__ uint8_t c_ldpc_col[LDPC_LAYERS][LDPC_MAXDEG] = {
    {0, 1, 3, 4, 6, 7, 0}, {0, 2, 3, 5, 6, 7, 8}, {1, 2, 4, 5, 8, 9, 0},
    {0, 1, 2, 3, 5, 9, 10}, {1, 3, 4, 5, 10, 11, 0}, {0, 2, 4, 6, 8, 11, 0}};
__constant__ uint8_t c_ldpc_shift[LDPC_LAYERS][LDPC_MAXDEG] = {
    {94, 73, 55, 83, 7, 0, 0}, {27, 22, 79, 9, 12, 0, 0}, {24, 22, 81, 33, 0, 0, 0},
    {61, 47, 65, 25, 5, 0, 0}, {39, 84, 41, 72, 0, 0, 0}, {46, 40, 82, 95, 53, 7, 0}};

__device__ __forceinline__ int ldpc_clamp(int v, int lim)
{
    return max(-lim, min(lim, v));
}

//! ldpc_layered_minsum 128 96 buffer:llr_in:589824:uniform:0:1:291 buffer:bits:18432:zero buffer:iters:512:zero i32:5 i32:1
extern "C" __global__ void __launch_bounds__(LDPC_Z)
ldpc_layered_minsum(const float *__restrict__ llr_in, uint32_t *__restrict__ bits, int *__restrict__ iters,
                    int max_iter, int offset)
{
    __shared__ int16_t app[LDPC_COLS * LDPC_Z];
    __shared__ int8_t c2v[LDPC_LAYERS * LDPC_MAXDEG * LDPC_Z];

    const int z = threadIdx.x;
    const float *llr = llr_in + (size_t)blockIdx.x * (LDPC_COLS * LDPC_Z);
    for (int c = 0; c < LDPC_COLS; ++c) {
        // all-zero code word over a noisy channel: mean +13, some values negative
        const float v = 42.0f * llr[c * LDPC_Z + z] - 8.0f;
        app[c * LDPC_Z + z] = (int16_t)ldpc_clamp(__float2int_rn(v), 127);
    }
#pragma unroll
    for (int e = 0; e < LDPC_LAYERS * LDPC_MAXDEG; ++e)
        c2v[e * LDPC_Z + z] = 0;
    __syncthreads();

    int it = 0;
    for (; it < max_iter; ++it) {
        int unsatisfied = 0;
        for (int layer = 0; layer < LDPC_LAYERS; ++layer) {
            const int deg = c_ldpc_deg[layer];
            int msg[LDPC_MAXDEG];
            int addr[LDPC_MAXDEG];
            int min1 = 32767, min2 = 32767, arg = -1;
            int sign = 0, parity = 0;
#pragma unroll
            for (int k = 0; k < LDPC_MAXDEG; ++k) {
                msg[k] = 0;
                addr[k] = 0;
                if (k < deg) {
                    int s = z + c_ldpc_shift[layer][k];
                    if (s >= LDPC_Z)
                        s -= LDPC_Z;
                    addr[k] = c_ldpc_col[layer][k] * LDPC_Z + s;
                    const int a = app[addr[k]];
                    parity ^= a < 0;
                    msg[k] = a - c2v[(layer * LDPC_MAXDEG + k) * LDPC_Z + z];
                    const int m = abs(msg[k]);
                    sign ^= msg[k];
                    if (m < min1) {
                        min2 = min1;
                        min1 = m;
                        arg = k;
                    } else if (m < min2) {
                        min2 = m;
                    }
                }
            }
            unsatisfied |= parity;
            min1 = min(max(min1 - offset, 0), 127);
            min2 = min(max(min2 - offset, 0), 127);
#pragma unroll
            for (int k = 0; k < LDPC_MAXDEG; ++k) {
                if (k < deg) {
                    int r = k == arg ? min2 : min1;
                    if ((sign ^ msg[k]) < 0)
                        r = -r;
                    c2v[(layer * LDPC_MAXDEG + k) * LDPC_Z + z] = (int8_t)r;
                    app[addr[k]] = (int16_t)ldpc_clamp(msg[k] + r, 2047);
                }
            }
            __syncthreads();
        }
        // early stop: every check was satisfied when its layer was visited
        if (!__syncthreads_or(unsatisfied))
            break;
    }

    for (int c = 0; c < LDPC_COLS; ++c) {
        const uint32_t word = __ballot_sync(0xffffffffu, app[c * LDPC_Z + z] < 0);
        if ((z & 31) == 0)
            bits[blockIdx.x * (LDPC_COLS * LDPC_Z / 32) + c * (LDPC_Z / 32) + z / 32] = word;
    }
    if (z == 0)
        iters[blockIdx.x] = it;
}

// =============================================================================================
// Open addressing hash map with cooperative probing (tiles of four lanes, double hashing)
// =============================================================================================
template <int TileSize, int Capacity>
struct static_map_view {
    static constexpr uint32_t empty_key = 0xffffffffu;
    static constexpr int windows = Capacity / TileSize;
    uint32_t *keys;
    uint32_t *values;

    __device__ static uint32_t hash(uint32_t k, uint32_t seed)
    {
        k ^= seed;
        k ^= k >> 16;
        k *= 0x85ebca6bu;
        k ^= k >> 13;
        k *= 0xc2b2ae35u;
        return k ^ (k >> 16);
    }

    template <typename Tile>
    __device__ bool insert_or_add(const Tile &tile, uint32_t key, uint32_t value)
    {
        uint32_t window = hash(key, 0) % windows;
        const uint32_t step = hash(key, 0x9747b28cu) | 1u;
        for (int probes = 0; probes < windows;) {
            uint32_t *slot = keys + window * TileSize + tile.thread_rank();
            const uint32_t seen = *(volatile uint32_t *)slot;
            const uint32_t equal = tile.ballot(seen == key);
            if (equal) {
                if ((int)tile.thread_rank() == __ffs(equal) - 1)
                    atomicAdd(values + (slot - keys), value);
                return false;
            }
            const uint32_t empty = tile.ballot(seen == empty_key);
            if (empty) {
                const int leader = __ffs(empty) - 1;
                int status = 0;                      // 0: lost the slot, 1: inserted, 2: same key
                if ((int)tile.thread_rank() == leader) {
                    const uint32_t old = atomicCAS(slot, empty_key, key);
                    status = old == empty_key ? 1 : (old == key ? 2 : 0);
                    if (status)
                        atomicAdd(values + (slot - keys), value);
                }
                status = tile.shfl(status, leader);
                if (status)
                    return status == 1;
                continue;                            // look at the same window again
            }
            window = (window + step) % windows;
            ++probes;
        }
        return false;
    }

    template <typename Tile>
    __device__ uint32_t find(const Tile &tile, uint32_t key, uint32_t missing) const
    {
        uint32_t window = hash(key, 0) % windows;
        const uint32_t step = hash(key, 0x9747b28cu) | 1u;
        for (int probes = 0; probes < windows; ++probes) {
            const uint32_t idx = window * TileSize + tile.thread_rank();
            const uint32_t seen = keys[idx];
            const uint32_t equal = tile.ballot(seen == key);
            if (equal) {
                const int leader = __ffs(equal) - 1;
                return tile.shfl(values[idx], leader);
            }
            if (tile.any(seen == empty_key))
                return missing;
            window = (window + step) % windows;
        }
        return missing;
    }
};

//! cuco_tile_map 132 256 buffer:insert_keys:270336:hash_i32:301 buffer:probe_keys:540672:hash_i32:302 buffer:found:540672:zero buffer:sizes:528:zero i32:512 i32:1024
extern "C" __global__ void cuco_tile_map(const uint32_t *__restrict__ insert_keys, const uint32_t *__restrict__ probe_keys,
                                         uint32_t *__restrict__ found, uint32_t *__restrict__ sizes, int n_insert, int n_probe)
{
    constexpr int CG = 4;
    constexpr int CAP = 1024;
    __shared__ uint32_t s_keys[CAP];
    __shared__ uint32_t s_values[CAP];
    __shared__ uint32_t s_size;

    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<CG>(block);
    static_map_view<CG, CAP> map{s_keys, s_values};

    for (int i = block.thread_rank(); i < CAP; i += block.size()) {
        s_keys[i] = map.empty_key;
        s_values[i] = 0;
    }
    if (block.thread_rank() == 0)
        s_size = 0;
    block.sync();

    const int tiles = block.size() / CG;
    const int my_tile = block.thread_rank() / CG;
    uint32_t inserted = 0;
    for (int i = my_tile; i < n_insert; i += tiles) {
        const uint32_t raw = insert_keys[blockIdx.x * n_insert + i];
        if (map.insert_or_add(tile, (raw % 700) * 2654435761u % 0xfffffff0u, 1 + (raw >> 28)))
            ++inserted;
    }
    if (tile.thread_rank() == 0)
        atomicAdd(&s_size, inserted);
    block.sync();

    for (int i = my_tile; i < n_probe; i += tiles) {
        const uint32_t raw = probe_keys[blockIdx.x * n_probe + i];
        const uint32_t sum = map.find(tile, (raw % 1100) * 2654435761u % 0xfffffff0u, 0x80000000u);
        if (tile.thread_rank() == 0)
            found[blockIdx.x * n_probe + i] = sum;
    }
    if (block.thread_rank() == 0)
        sizes[blockIdx.x] = s_size;
}

// =============================================================================================
// Community detection by label propagation, one warp a vertex, per-warp hash table of labels
// =============================================================================================
constexpr int LP_WARPS = 5;
constexpr int LP_SLOTS = 128;

// CSR offsets: vertex v has 16 + (v & 31) neighbours
__device__ __forceinline__ int lp_row(int v)
{
    const int r = v & 31;
    return v * 16 + (v >> 5) * 496 + r * (r - 1) / 2;
}

//! label_prop_warp_hash 410 160 buffer:cols:516096:hash_i32:311 buffer:labels:16384:hash_i32:312 buffer:new_labels:16384:zero buffer:gain:16384:zero buffer:changed:4:zero i32:4096
extern "C" __global__ void __launch_bounds__(LP_WARPS * 32)
label_prop_warp_hash(const uint32_t *__restrict__ cols, const uint32_t *__restrict__ labels,
                     uint32_t *__restrict__ new_labels, uint32_t *__restrict__ gain, uint32_t *__restrict__ changed, int n)
{
    __shared__ uint32_t table_key[LP_WARPS][LP_SLOTS];
    __shared__ uint32_t table_weight[LP_WARPS][LP_SLOTS];

    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    uint32_t *tk = table_key[warp];
    uint32_t *tw = table_weight[warp];

    for (int v = blockIdx.x * LP_WARPS + warp; v < n; v += gridDim.x * LP_WARPS) {
#pragma unroll
        for (int i = lane; i < LP_SLOTS; i += 32) {
            tk[i] = 0xffffffffu;
            tw[i] = 0;
        }
        __syncwarp();

        const int end = lp_row(v + 1);
        for (int e = lp_row(v) + lane; e < end; e += 32) {
            const uint32_t c = cols[e];
            const uint32_t u = c % (uint32_t)n;
            const uint32_t weight = 1 + ((c >> 24) & 3);
            if (u == (uint32_t)v)
                continue;                               // no self loops
            const uint32_t label = labels[u] % 257u;
            uint32_t slot = (label * 2654435761u) >> 25;
            while (true) {
                const uint32_t old = atomicCAS(&tk[slot], 0xffffffffu, label);
                if (old == 0xffffffffu || old == label) {
                    atomicAdd(&tw[slot], weight);
                    break;
                }
                slot = (slot + 1) & (LP_SLOTS - 1);
            }
        }
        __syncwarp();

        // heaviest label, the smallest one among equals
        uint32_t best = 0;
#pragma unroll
        for (int i = lane; i < LP_SLOTS; i += 32) {
            if (tw[i] > 0)
                best = max(best, (tw[i] << 16) | (0xffffu - tk[i]));
        }
        best = __reduce_max_sync(0xffffffffu, best);
        if (lane == 0) {
            const uint32_t current = labels[v] % 257u;
            const uint32_t winner = best ? 0xffffu - (best & 0xffffu) : current;
            new_labels[v] = winner;
            gain[v] = best >> 16;
            if (winner != current)
                atomicOr(changed, 1u);
        }
        __syncwarp();
    }
}

// =============================================================================================
// Packet path: header parse, longest prefix match in a multibit trie, ACL, TTL and checksum rewrite
// =============================================================================================
struct acl_rule {
    uint32_t src, src_mask;
    uint32_t dst, dst_mask;
    uint16_t port_lo, port_hi;
    uint8_t proto;        // 0: any
    uint8_t action;       // 0 permit, 1 deny, 2 mirror, 3 police
};

enum verdict { V_FORWARD, V_DROP_MALFORMED, V_DROP_TTL, V_DROP_ACL, V_DROP_NOROUTE, V_MIRROR, V_POLICE, V_COUNT };
constexpr int ACL_RULES = 40;

__device__ __forceinline__ uint32_t csum_fold(uint32_t s)
{
    s = (s & 0xffff) + (s >> 16);
    return (s & 0xffff) + (s >> 16);
}

// trie of 8-bit strides: entry = next hop in the low half, child node in the high half (0: none)
__device__ uint32_t lpm_lookup(const uint32_t *__restrict__ trie, int n_nodes, uint32_t ip)
{
    uint32_t node = 0, hop = 0;
#pragma unroll 1
    for (int shift = 24; shift >= 0; shift -= 8) {
        const uint32_t entry = __ldg(&trie[node * 256 + ((ip >> shift) & 255)]);
        const uint32_t next_hop = entry & 0x3ff;
        if (next_hop >= 64)
            hop = next_hop;
        const uint32_t child = (entry >> 10) % (uint32_t)n_nodes;
        if ((entry >> 29 & 1) == 0 || child <= node)
            break;
        node = child;
    }
    return hop;
}

//! packet_acl_lpm 128 256 buffer:packets:2097152:hash_i32:321 buffer:trie:262144:hash_i32:322 buffer:rules:640:hash_i32:323 buffer:out_hdr:655360:zero buffer:next_hop:131072:zero buffer:counters:7168:zero i32:32768 i32:256
extern "C" __global__ void packet_acl_lpm(const uint4 *__restrict__ packets, const uint32_t *__restrict__ trie,
                                          const uint32_t *__restrict__ rules, uint32_t *__restrict__ out_hdr,
                                          uint32_t *__restrict__ next_hop, uint2 *__restrict__ counters, int n_packets, int n_nodes)
{
    __shared__ acl_rule s_rules[ACL_RULES];
    __shared__ uint32_t s_packets[V_COUNT];
    __shared__ uint32_t s_bytes[V_COUNT];

    for (int r = threadIdx.x; r < ACL_RULES; r += blockDim.x) {
        const uint32_t *w = rules + r * 4;
        acl_rule rule;
        const int src_len = w[0] % 5;
        const int dst_len = w[1] % 4;
        rule.src_mask = src_len ? 0xffffffffu << (32 - src_len) : 0;
        rule.dst_mask = dst_len ? 0xffffffffu << (32 - dst_len) : 0;
        rule.src = (w[0] << 1) & rule.src_mask;
        rule.dst = (w[1] << 1) & rule.dst_mask;
        rule.port_lo = w[2] & 0x7fff;
        rule.port_hi = rule.port_lo + ((w[2] >> 16) & 0x3fff);
        rule.proto = (w[3] & 3) == 0 ? 0 : ((w[3] & 3) == 1 ? 6 : 17);
        rule.action = (w[3] >> 4) & 3;
        s_rules[r] = rule;
    }
    if (threadIdx.x < V_COUNT) {
        s_packets[threadIdx.x] = 0;
        s_bytes[threadIdx.x] = 0;
    }
    __syncthreads();

    const int pkt = blockIdx.x * blockDim.x + threadIdx.x;
    if (pkt < n_packets) {
        const uint4 q0 = packets[pkt * 4 + 0];
        const uint4 q1 = packets[pkt * 4 + 1];
        uint32_t h[5] = {q0.x, q0.y, q0.z, q0.w, q1.x};

        // IPv4 header in host order; the generator's bits are forced into plausible fields
        h[0] = 0x45000000u | (h[0] & 0x00ff0000u) | (64 + h[0] % 1400);
        const uint32_t proto_pick = (h[2] >> 16) & 7;
        const uint32_t proto = proto_pick < 4 ? 6 : (proto_pick < 7 ? 17 : 1);
        const uint32_t ttl = (h[2] >> 24) & 63;
        h[2] = (ttl << 24) | (proto << 16) | (h[2] & 0xffff);
        h[3] = (h[3] << 1) | (q1.y & 1);
        h[4] = (h[4] << 1) | (q1.z & 1);
        const uint32_t len = h[0] & 0xffff;

        uint32_t sport = 0, dport = 0;
        bool malformed = false;
        switch (proto) {
        case 6:
            sport = q1.y >> 15;
            dport = q1.y & 0x7fff;
            malformed = (q1.w & 0xff) < 4;              // impossible flag combination
            break;
        case 17:
            sport = q1.z >> 15;
            dport = q1.z & 0x7fff;
            malformed = (q1.w & 0x7ff) > 2030;
            break;
        default:
            dport = q1.w & 0xff;
            break;
        }

        // header checksum as if computed by the sender
        uint32_t sum = 0;
        h[2] &= 0xffff0000u;
#pragma unroll
        for (int i = 0; i < 5; ++i)
            sum += (h[i] >> 16) + (h[i] & 0xffff);
        uint32_t csum = ~csum_fold(sum) & 0xffff;

        verdict v = V_FORWARD;
        uint32_t hop = 0;
        if (malformed) {
            v = V_DROP_MALFORMED;
        } else if (ttl <= 1) {
            v = V_DROP_TTL;
        } else {
            int match = -1;
            for (int r = 0; r < ACL_RULES; ++r) {
                const acl_rule &rule = s_rules[r];
                if ((h[3] & rule.src_mask) == rule.src && (h[4] & rule.dst_mask) == rule.dst &&
                    (rule.proto == 0 || rule.proto == proto) && dport >= rule.port_lo && dport <= rule.port_hi) {
                    match = r;
                    break;
                }
            }
            const int action = match >= 0 ? s_rules[match].action : 0;
            if (action == 1) {
                v = V_DROP_ACL;
            } else {
                hop = lpm_lookup(trie, n_nodes, h[4]);
                if (hop == 0)
                    v = V_DROP_NOROUTE;
                else if (action == 2)
                    v = V_MIRROR;
                else if (action == 3)
                    v = V_POLICE;
            }
        }

        if (hop) {
            // RFC 1624 incremental update for the decremented TTL
            const uint32_t old_word = h[2] >> 16;
            h[2] -= 1u << 24;
            const uint32_t new_word = h[2] >> 16;
            csum = ~csum_fold((~csum & 0xffff) + (~old_word & 0xffff) + new_word) & 0xffff;
        }
        h[2] |= csum;
#pragma unroll
        for (int i = 0; i < 5; ++i)
            out_hdr[i * n_packets + pkt] = h[i];
        next_hop[pkt] = ((uint32_t)v << 28) | (hop << 16) | ((sport ^ dport) & 0xffff);
        atomicAdd(&s_packets[v], 1u);
        atomicAdd(&s_bytes[v], len);
    }
    __syncthreads();
    if (threadIdx.x < V_COUNT)
        counters[blockIdx.x * V_COUNT + threadIdx.x] = make_uint2(s_packets[threadIdx.x], s_bytes[threadIdx.x]);
}
