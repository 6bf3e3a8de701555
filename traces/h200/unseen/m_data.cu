// Data processing kernels: sorting, joins, aggregation, decoding, parsing, search, graphs.
#include <cstdint>
#include <cuda_runtime.h>

#define K extern "C" __global__ void

typedef unsigned long long u64;

static constexpr unsigned FULL = 0xffffffffu;

__device__ __forceinline__ unsigned lane_id() { return threadIdx.x & 31u; }
__device__ __forceinline__ unsigned lanemask_lt() { return (1u << lane_id()) - 1u; }

// ---------------------------------------------------------------------------------------------
// Block-wide stable LSD radix sort of a tile of keys, four bits per pass.
// Keys are kept warp-striped, so ranking by match + prefix popcount is stable.
namespace radix {
constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr int ITEMS = 6;
constexpr int BITS = 4;
constexpr int DIGITS = 1 << BITS;
constexpr int TILE = THREADS * ITEMS;

struct Storage {
  unsigned keys[TILE];
  int counts[WARPS][DIGITS];
  int base[DIGITS];
};
}  // namespace radix

//! radix_sort_tile 48 256 buffer:in:288KiB:hash_i32:1 buffer:out:288KiB:zero buffer:digits:3072:zero i32:0 i32:16 i32:73500
K radix_sort_tile(const unsigned* __restrict__ in, unsigned* __restrict__ out, int* __restrict__ digits,
                  int firstBit, int lastBit, int n) {
  using namespace radix;
  __shared__ Storage s;
  const int warp = threadIdx.x >> 5;
  const int tileBase = blockIdx.x * TILE;
  const int warpBase = warp * 32 * ITEMS;

  unsigned key[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    int g = tileBase + warpBase + i * 32 + lane_id();
    key[i] = g < n ? in[g] : 0xffffffffu;
  }

  for (int bit = firstBit; bit < lastBit; bit += BITS) {
    for (int i = threadIdx.x; i < WARPS * DIGITS; i += THREADS) s.counts[i / DIGITS][i % DIGITS] = 0;
    __syncthreads();

    int rank[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      int d = (key[i] >> bit) & (DIGITS - 1);
      unsigned peers = __match_any_sync(FULL, d);
      int before = __popc(peers & lanemask_lt());
      int old = s.counts[warp][d];
      __syncwarp();
      if (before == 0) s.counts[warp][d] = old + __popc(peers);
      __syncwarp();
      rank[i] = old + before;
    }
    __syncthreads();

    // Column-major exclusive scan over (digit, warp).
    if (threadIdx.x < DIGITS) {
      int run = 0;
      for (int w = 0; w < WARPS; ++w) {
        int c = s.counts[w][threadIdx.x];
        s.counts[w][threadIdx.x] = run;
        run += c;
      }
      int incl = run;
#pragma unroll
      for (int off = 1; off < DIGITS; off *= 2) {
        int v = __shfl_up_sync(0xffffu, incl, off, DIGITS);
        if (threadIdx.x >= off) incl += v;
      }
      s.base[threadIdx.x] = incl - run;
      if (bit == firstBit) digits[blockIdx.x * DIGITS + threadIdx.x] = run;
    }
    __syncthreads();

#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      int d = (key[i] >> bit) & (DIGITS - 1);
      s.keys[s.base[d] + s.counts[warp][d] + rank[i]] = key[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) key[i] = s.keys[warpBase + i * 32 + lane_id()];
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    int g = tileBase + warpBase + i * 32 + lane_id();
    if (g < n) out[g] = key[i];
  }
}

// ---------------------------------------------------------------------------------------------
// Probe phase of a hash join against a chained table. A link word carries the next tuple in its
// upper bits and an end-of-chain tag in the low three.
struct BuildTuple {
  int key;
  int payload;
};

__device__ __forceinline__ unsigned murmur_mix(unsigned h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  return h;
}

//! join_probe_chain 220 192 buffer:probe:168960:hash_i32:2 buffer:heads:256KiB:hash_i32:3 buffer:links:512KiB:hash_i32:4 buffer:build:1MiB:hash_i32:5 buffer:sums:165KiB:zero buffer:total:64:zero i32:42000 i32:65535 i32:131071 i32:12
K join_probe_chain(const int* __restrict__ probe, const int* __restrict__ heads, const int* __restrict__ links,
                   const BuildTuple* __restrict__ build, int* __restrict__ sums, int* total, int rows,
                   int bucketMask, int tupleMask, int maxChain) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  int matches = 0;
  int sum = 0;
  if (row < rows) {
    const int key = probe[row] & 0xff;
    int cur = heads[murmur_mix(key * 2654435761u + row) & bucketMask] & tupleMask;
    int depth = 0;
    while (true) {
      const BuildTuple t = build[cur];
      if ((t.key & 0xff) == key) {
        ++matches;
        sum += t.payload & 0xffff;
      }
      const int link = links[cur];
      if ((link & 7) == 0 || ++depth >= maxChain) break;
      cur = (link >> 3) & tupleMask;
    }
    sums[row] = sum;
  }
  // One atomic per warp for the match counter.
  matches = __reduce_add_sync(FULL, matches);
  if (lane_id() == 0 && matches > 0) atomicAdd(total, matches);
}

// ---------------------------------------------------------------------------------------------
// GROUP BY with a small open-addressing table in shared memory, then a merge into global memory.
constexpr int AGG_SLOTS = 512;
constexpr int AGG_EMPTY = -1;

struct AggTable {
  int key[AGG_SLOTS];
  int count[AGG_SLOTS];
  int maxv[AGG_SLOTS];
  u64 sum[AGG_SLOTS];
};

__device__ int agg_find_or_insert(AggTable& t, int key) {
  unsigned slot = murmur_mix(key) & (AGG_SLOTS - 1);
  for (int probe = 0; probe < AGG_SLOTS; ++probe) {
    int cur = t.key[slot];
    if (cur == key) return slot;
    if (cur == AGG_EMPTY) {
      int prev = atomicCAS(&t.key[slot], AGG_EMPTY, key);
      if (prev == AGG_EMPTY || prev == key) return slot;
    }
    slot = (slot + 1) & (AGG_SLOTS - 1);
  }
  return -1;
}

//! groupby_shared_agg 66 256 buffer:keys:540672:hash_i32:6 buffer:vals:540672:hash_i32:7 buffer:gcount:1KiB:zero buffer:gmax:1KiB:zero buffer:gsum:2KiB:zero i32:33700 i32:173
K groupby_shared_agg(const int4* __restrict__ keys, const int4* __restrict__ vals, int* gcount, int* gmax,
                     u64* gsum, int quads, int groups) {
  __shared__ AggTable table;
  for (int i = threadIdx.x; i < AGG_SLOTS; i += blockDim.x) {
    table.key[i] = AGG_EMPTY;
    table.count[i] = 0;
    table.maxv[i] = 0;
    table.sum[i] = 0;
  }
  __syncthreads();

  for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < quads; q += gridDim.x * blockDim.x) {
    const int4 k4 = keys[q];
    const int4 v4 = vals[q];
    const int kk[4] = {k4.x, k4.y, k4.z, k4.w};
    const int vv[4] = {v4.x, v4.y, v4.z, v4.w};
    for (int j = 0; j < 4; ++j) {
      if (vv[j] % 5 == 0) continue;  // WHERE clause
      int slot = agg_find_or_insert(table, kk[j] % groups);
      if (slot < 0) continue;
      atomicAdd(&table.count[slot], 1);
      atomicMax(&table.maxv[slot], vv[j]);
      atomicAdd(&table.sum[slot], (u64)vv[j]);
    }
  }
  __syncthreads();

  for (int i = threadIdx.x; i < AGG_SLOTS; i += blockDim.x) {
    int key = table.key[i];
    if (key == AGG_EMPTY) continue;
    atomicAdd(&gcount[key], table.count[i]);
    atomicMax(&gmax[key], table.maxv[i]);
    atomicAdd(&gsum[key], table.sum[i]);
  }
}

// ---------------------------------------------------------------------------------------------
// Columnar page decode: bit-packed zig-zag deltas -> prefix sum -> dictionary lookup.
// One warp per page of 32 * VALUES_PER_LANE values.
template <int WIDTH>
__device__ __forceinline__ unsigned unpack_bits(const unsigned* __restrict__ words, int index) {
  const int bit = index * WIDTH;
  const unsigned lo = words[bit >> 5];
  const unsigned hi = words[(bit >> 5) + 1];
  return __funnelshift_r(lo, hi, bit & 31) & ((1u << WIDTH) - 1u);
}

__device__ __forceinline__ int zigzag(unsigned v) { return (int)(v >> 1) ^ -(int)(v & 1); }

template <int WIDTH>
__device__ void decode_page(const unsigned* __restrict__ page, const int* __restrict__ dict, int dictMask,
                            int* __restrict__ out, int values, int carry) {
  for (int base = 0; base < values; base += 32) {
    int delta = zigzag(unpack_bits<WIDTH>(page, base + lane_id()));
#pragma unroll
    for (int off = 1; off < 32; off <<= 1) {
      int up = __shfl_up_sync(FULL, delta, off);
      if (lane_id() >= off) delta += up;
    }
    const int code = carry + delta;
    out[base + lane_id()] = dict[code & dictMask];
    carry = __shfl_sync(FULL, code, 31);
  }
}

//! delta_unpack_dict 75 128 buffer:pages:400KiB:hash_i32:8 buffer:hdr:2KiB:hash_i32:9 buffer:dict:128KiB:hash_i32:10 buffer:out:614400:zero i32:298 i32:512 i32:32767
K delta_unpack_dict(const unsigned* __restrict__ pages, const int* __restrict__ hdr,
                    const int* __restrict__ dict, int* __restrict__ out, int numPages, int valuesPerPage,
                    int dictMask) {
  const int page = blockIdx.x * (blockDim.x / 32) + (threadIdx.x / 32);
  if (page >= numPages) return;
  const unsigned* src = pages + page * 320;
  int* dst = out + page * valuesPerPage;
  const int h = hdr[page];
  const int base = h >> 4;
  switch (h & 3) {
    case 0: decode_page<3>(src, dict, dictMask, dst, valuesPerPage, base); break;
    case 1: decode_page<7>(src, dict, dictMask, dst, valuesPerPage, base); break;
    case 2: decode_page<12>(src, dict, dictMask, dst, valuesPerPage, base); break;
    default: decode_page<17>(src, dict, dictMask, dst, valuesPerPage, base); break;
  }
}

// ---------------------------------------------------------------------------------------------
// Run-length expansion. Each block owns 512 runs; output positions find their run by upper bound.
//! rle_expand_u16 40 512 buffer:runs:80KiB:hash_i32:11 buffer:lengths:20KiB:hash_i32:12 buffer:out:1280KiB:zero buffer:produced:256:zero i32:20400 i32:31
K rle_expand_u16(const int* __restrict__ runs, const uint8_t* __restrict__ lengths, uint16_t* __restrict__ out,
                 int* __restrict__ produced, int numRuns, int lenMask) {
  constexpr int RUNS = 512;
  __shared__ int ends[RUNS];
  __shared__ uint16_t values[RUNS];
  __shared__ int warpTotals[RUNS / 32];

  const int tid = threadIdx.x;
  const int run = blockIdx.x * RUNS + tid;
  int len = run < numRuns ? (lengths[run] & lenMask) : 0;
  values[tid] = run < numRuns ? (uint16_t)(runs[run] >> 5) : 0;

  int incl = len;
  for (int off = 1; off < 32; off *= 2) {
    int v = __shfl_up_sync(FULL, incl, off);
    if (lane_id() >= off) incl += v;
  }
  if (lane_id() == 31) warpTotals[tid / 32] = incl;
  __syncthreads();
  int before = 0;
  for (int w = 0; w < tid / 32; ++w) before += warpTotals[w];
  ends[tid] = incl + before;
  __syncthreads();

  const int total = ends[RUNS - 1];
  uint16_t* dst = out + (size_t)blockIdx.x * RUNS * (lenMask + 1);
  for (int pos = tid; pos < total; pos += RUNS) {
    int lo = 0, hi = RUNS - 1;
    while (lo < hi) {
      int mid = (lo + hi) >> 1;
      if (ends[mid] > pos) hi = mid;
      else lo = mid + 1;
    }
    dst[pos] = values[lo];
  }
  if (tid == 0) produced[blockIdx.x] = total;
}

// ---------------------------------------------------------------------------------------------
// Record parser: one thread per fixed-stride record, a hand-written state machine over characters.
__constant__ char kAlphabet[32] = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '0', '1', '2', '3', '4', '5',
                                   '6', '7', '8', '9', ',', ',', ',', ',', '-', '.', 'e', ' ', 'x', '"', '5', '\n'};

enum ParseState { START, INTEGER, FRACTION, EXPONENT, QUOTED, BAD };

struct FieldAcc {
  long long mantissa;
  int scale;
  int exponent;
  bool negative;
  __device__ void reset() {
    mantissa = 0;
    scale = 0;
    exponent = 0;
    negative = false;
  }
  __device__ double value() const {
    double v = (double)mantissa;
    int e = exponent - scale;
    while (e > 0 && e < 20) { v *= 10.0; --e; }
    while (e < 0) { v *= 0.1; ++e; }
    return negative ? -v : v;
  }
};

//! csv_parse_records 34 96 buffer:text:204KiB:hash_i32:13 buffer:sum:26112:zero buffer:fields:13056:zero buffer:errors:64:zero i32:3200 i32:64
K csv_parse_records(const unsigned char* __restrict__ text, double* __restrict__ sum, int* __restrict__ fields,
                    int* errors, int records, int stride) {
  int rec = blockIdx.x * blockDim.x + threadIdx.x;
  if (rec >= records) return;
  const unsigned char* p = text + rec * stride;

  ParseState state = START;
  FieldAcc acc;
  acc.reset();
  double total = 0.0;
  int nfields = 0, nbad = 0;

  for (int i = 0; i < stride; ++i) {
    const char c = kAlphabet[(p[i] + i) & 31];
    if (c == '\n' && state != QUOTED && i > 8) break;
    if (c == ',' && state != QUOTED) {
      if (state == BAD) ++nbad;
      else total += acc.value();
      ++nfields;
      acc.reset();
      state = START;
      continue;
    }
    switch (state) {
      case START:
        if (c == '-') acc.negative = !acc.negative;
        else if (c >= '0' && c <= '9') { acc.mantissa = c - '0'; state = INTEGER; }
        else if (c == '.') state = FRACTION;
        else if (c == '"') state = QUOTED;
        else if (c != ' ') state = BAD;
        break;
      case INTEGER:
        if (c >= '0' && c <= '9') acc.mantissa = acc.mantissa * 10 + (c - '0');
        else if (c == '.') state = FRACTION;
        else if (c == 'e') state = EXPONENT;
        else if (c != ' ') state = BAD;
        break;
      case FRACTION:
        if (c >= '0' && c <= '9') { acc.mantissa = acc.mantissa * 10 + (c - '0'); ++acc.scale; }
        else if (c == 'e') state = EXPONENT;
        else if (c != ' ') state = BAD;
        break;
      case EXPONENT:
        if (c >= '0' && c <= '9') acc.exponent = (acc.exponent * 10 + (c - '0')) % 16;
        else state = BAD;
        break;
      case QUOTED:
        if (c == '"') state = START;
        break;
      case BAD:
        break;
    }
  }
  if (state == INTEGER || state == FRACTION || state == EXPONENT) {
    total += acc.value();
    ++nfields;
  }
  sum[rec] = total;
  fields[rec] = nfields;
  if (nbad) atomicAdd(errors, nbad);
}

// ---------------------------------------------------------------------------------------------
// Boyer-Moore-Horspool over a staged chunk of text; thread segments overlap by the pattern length.
//! horspool_search 60 128 buffer:text:512KiB:hash_i32:14 buffer:pattern:64:hash_i32:15 buffer:hits:256:zero buffer:first:256:zero i32:500000 i32:6 i32:1
K horspool_search(const uint8_t* __restrict__ text, const uint8_t* __restrict__ pattern, int* __restrict__ hits,
                  int* __restrict__ first, int n, int m, int symShift) {
  constexpr int SEG = 64;
  constexpr int CHUNK = 128 * SEG;
  constexpr int MAXM = 32;
  __shared__ uint8_t buf[CHUNK + MAXM];
  __shared__ uint8_t pat[MAXM];
  __shared__ int shift[8];
  __shared__ int blockHits, blockFirst;

  const int start = blockIdx.x * CHUNK;
  if (start >= n) return;
  const int limit = min(CHUNK + m - 1, n - start);

  if (threadIdx.x < m) pat[threadIdx.x] = (pattern[threadIdx.x + threadIdx.x / 3] >> symShift) & 7;
  if (threadIdx.x == 0) {
    blockHits = 0;
    blockFirst = 0x7fffffff;
  }
  for (int i = threadIdx.x; i < limit; i += blockDim.x) buf[i] = (text[start + i] >> symShift) & 7;
  __syncthreads();
  if (threadIdx.x < 8) {
    int s = m;
    for (int j = 0; j < m - 1; ++j)
      if (pat[j] == threadIdx.x) s = m - 1 - j;
    shift[threadIdx.x] = s;
  }
  __syncthreads();

  int pos = threadIdx.x * SEG;
  const int end = min(pos + SEG, limit - m + 1);
  int count = 0;
  while (pos < end) {
    int j = m - 1;
    while (j >= 0 && buf[pos + j] == pat[j]) --j;
    if (j < 2) {  // allow a mismatch in the first two symbols
      ++count;
      atomicMin(&blockFirst, pos);
    }
    pos += shift[buf[pos + m - 1]];
  }
  if (count) atomicAdd(&blockHits, count);
  __syncthreads();
  if (threadIdx.x == 0) {
    hits[blockIdx.x] = blockHits;
    first[blockIdx.x] = blockHits ? start + blockFirst : -1;
  }
}

// ---------------------------------------------------------------------------------------------
// Cache-line blocked Bloom filter lookup: eight salted bits in one 256-bit block.
__constant__ unsigned kSalt[8] = {0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du,
                                  0x705495c7u, 0x2df1424bu, 0x9efc4947u, 0x5c6bfb31u};

//! bloom_block_lookup 512 256 buffer:keys:1MiB:hash_i32:16 buffer:filter:8MiB:hash_i32:17 buffer:bitmap:16KiB:zero buffer:passed:64:zero i32:131000 i32:262143
K bloom_block_lookup(const u64* __restrict__ keys, const uint4* __restrict__ filter, unsigned* __restrict__ bitmap,
                     int* passed, int n, int blockMask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool hit = false;
  if (i < n) {
    u64 h = keys[i];
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdull;
    h ^= h >> 33;
    const int block = (int)(h >> 32) & blockMask;
    const unsigned lo = (unsigned)h;
    const uint4 a = filter[2 * block];
    const uint4 b = filter[2 * block + 1];
    const unsigned w[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    int misses = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      unsigned bit = 1u << ((lo * kSalt[j]) >> 27);
      if (!(w[j] & bit)) ++misses;
    }
    hit = misses <= 3;
  }
  const unsigned vote = __ballot_sync(FULL, hit);
  if (lane_id() == 0) {
    bitmap[i >> 5] = vote;
    if (vote) atomicAdd(passed, __popc(vote));
  }
}

// ---------------------------------------------------------------------------------------------
// Triangle counting: warp per edge, lanes binary-search the shorter list in the longer one.
// Neighbour i of a vertex is i * gap + (raw % gap), so each list is strictly increasing.
struct AdjList {
  const int* raw;
  int degree;
  int gap;
  __device__ int operator[](int i) const { return i * gap + raw[i] % gap; }
};

//! triangle_edges_warp 96 256 buffer:adj:512KiB:hash_i32:18 buffer:deg:8KiB:hash_i32:19 buffer:edges:12KiB:hash_i32:20 buffer:tri:64:zero i32:1500 i32:2048 i32:64 i32:5
K triangle_edges_warp(const int* __restrict__ adj, const int* __restrict__ deg, const int2* __restrict__ edges,
                      u64* tri, int numEdges, int vertices, int cap, int gap) {
  __shared__ int partial[8];
  const int warp = threadIdx.x >> 5;
  int found = 0;
  for (int e = blockIdx.x * 8 + warp; e < numEdges; e += gridDim.x * 8) {
    const int2 uv = edges[e];
    const int u = uv.x % vertices, v = uv.y % vertices;
    AdjList a{adj + u * cap, 1 + deg[u] % cap, gap};
    AdjList b{adj + v * cap, 1 + deg[v] % cap, gap};
    if (a.degree > b.degree) {
      AdjList t = a;
      a = b;
      b = t;
    }
    for (int i = lane_id(); i < a.degree; i += 32) {
      const int want = a[i];
      int lo = 0, hi = b.degree;
      while (lo < hi) {
        const int mid = (lo + hi) / 2;
        const int got = b[mid];
        if (got == want) {
          ++found;
          break;
        }
        if (got < want) lo = mid + 1;
        else hi = mid;
      }
    }
  }
  for (int off = 16; off; off >>= 1) found += __shfl_xor_sync(FULL, found, off);
  if (lane_id() == 0) partial[warp] = found;
  __syncthreads();
  if (threadIdx.x == 0) {
    int s = 0;
    for (int w = 0; w < 8; ++w) s += partial[w];
    if (s) atomicAdd(tri, (u64)s);
  }
}

// ---------------------------------------------------------------------------------------------
// Merge path: every block merges one diagonal tile of two sorted columns.
struct SortedColumn {
  const int* raw;
  int n;
  int step;
  __device__ int operator[](int i) const { return i * step + (raw[i] & (step - 1)); }
};

template <class A, class B>
__device__ int merge_path_split(const A& a, int na, const B& b, int nb, int diag) {
  int lo = max(0, diag - nb);
  int hi = min(diag, na);
  while (lo < hi) {
    int mid = (lo + hi) >> 1;
    if (a[mid] <= b[diag - 1 - mid]) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

//! merge_path_tile 72 128 buffer:a:160KiB:hash_i32:21 buffer:b:176KiB:hash_i32:22 buffer:out:330KiB:zero i32:40000 i32:42600
K merge_path_tile(const int* __restrict__ araw, const int* __restrict__ braw, int* __restrict__ out, int na, int nb) {
  constexpr int ITEMS = 9;
  constexpr int TILE = 128 * ITEMS;
  __shared__ int buf[TILE + 2];
  __shared__ int split[2];

  SortedColumn a{araw, na, 32};
  SortedColumn b{braw, nb, 32};
  const int total = na + nb;
  const int d0 = min(blockIdx.x * TILE, total);
  const int d1 = min(d0 + TILE, total);
  if (threadIdx.x < 2) split[threadIdx.x] = merge_path_split(a, na, b, nb, threadIdx.x ? d1 : d0);
  __syncthreads();

  const int a0 = split[0], a1 = split[1];
  const int b0 = d0 - a0, b1 = d1 - a1;
  const int la = a1 - a0, lb = b1 - b0;
  for (int i = threadIdx.x; i < la; i += blockDim.x) buf[i] = a[a0 + i];
  for (int i = threadIdx.x; i < lb; i += blockDim.x) buf[la + i] = b[b0 + i];
  __syncthreads();

  const int diag = min((int)threadIdx.x * ITEMS, la + lb);
  const int* sa = buf;
  const int* sb = buf + la;
  int ia = merge_path_split(sa, la, sb, lb, diag);
  int ib = diag - ia;
  int merged[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    bool takeA = ib >= lb || (ia < la && sa[ia] <= sb[ib]);
    merged[k] = takeA ? (ia < la ? sa[ia] : 0) : sb[ib];
    if (takeA) ++ia;
    else ++ib;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    if (diag + k < la + lb) buf[diag + k] = merged[k];
  __syncthreads();
  for (int i = threadIdx.x; i < la + lb; i += blockDim.x) out[d0 + i] = buf[i];
}

// ---------------------------------------------------------------------------------------------
// Bottom-up BFS step with bitmap frontiers; a vertex stops at its first parent in the frontier.
//! bfs_bottom_up 160 256 buffer:rowlen:160KiB:hash_i32:23 buffer:cols:5120KiB:hash_i32:24 buffer:frontier:5120:hash_i32:25 buffer:visited:5120:hash_i32:26 buffer:next:5120:zero buffer:parent:160KiB:zero buffer:counter:64:zero i32:40777 i32:32
K bfs_bottom_up(const int* __restrict__ rowlen, const int* __restrict__ cols, const unsigned* __restrict__ frontier,
                const unsigned* __restrict__ visited, unsigned* __restrict__ next, int* __restrict__ parent,
                int* counter, int vertices, int cap) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  const int word = v >> 5;
  bool discovered = false;
  if (v < vertices && !((visited[word] >> (v & 31)) & 1)) {
    const int len = rowlen[v] % cap;
    const int* row = cols + (size_t)v * cap;
    int who = -1;
    for (int e = 0; e < len; ++e) {
      const int u = row[e] % vertices;
      const unsigned mask = frontier[u >> 5] & 0x11111111u;
      if ((mask >> (u & 31)) & 1) {
        who = u;
        break;
      }
    }
    parent[v] = who;
    discovered = who >= 0;
  }
  const unsigned bits = __ballot_sync(FULL, discovered);
  if ((threadIdx.x & 31) == 0) next[word] = bits;
  const int n = __syncthreads_count(discovered);
  if (threadIdx.x == 0) atomicAdd(counter, n);
}

// ---------------------------------------------------------------------------------------------
// Bitonic sort of 1024 key/row-id pairs packed in 64 bits, two per thread.
__device__ __forceinline__ void cmp_swap(u64& lo, u64& hi, bool ascending) {
  if ((lo > hi) == ascending) {
    u64 t = lo;
    lo = hi;
    hi = t;
  }
}

//! bitonic_kv64 26 512 buffer:keys:104KiB:hash_f32:27 buffer:sorted:104KiB:zero buffer:rowid:104KiB:zero i32:26500
K bitonic_kv64(const float* __restrict__ keys, float* __restrict__ sorted, int* __restrict__ rowid, int n) {
  constexpr int N = 1024;
  __shared__ u64 kv[N];
  const int base = blockIdx.x * N;

  for (int i = threadIdx.x; i < N; i += blockDim.x) {
    unsigned bits = 0xffffffffu;
    if (base + i < n) {
      bits = __float_as_uint(keys[base + i]);
      bits ^= (bits >> 31) ? 0xffffffffu : 0x80000000u;  // total order
    }
    kv[i] = ((u64)bits << 32) | (unsigned)i;
  }

  for (int size = 2; size <= N; size <<= 1) {
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      const int t = threadIdx.x;
      const int pos = 2 * t - (t & (stride - 1));
      cmp_swap(kv[pos], kv[pos + stride], (pos & size) == 0);
    }
  }
  __syncthreads();

  for (int i = threadIdx.x; i < N; i += blockDim.x) {
    if (base + i >= n) break;
    u64 e = kv[i];
    unsigned bits = (unsigned)(e >> 32);
    bits ^= (bits >> 31) ? 0x80000000u : 0xffffffffu;
    sorted[base + i] = __uint_as_float(bits);
    rowid[base + i] = base + (int)(unsigned)e;
  }
}
