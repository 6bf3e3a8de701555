// Kernels of real programs built from block-, warp- and thread-level primitives: scans, sorts, reductions, exchanges, searches.
#pragma push_macro("K")
#undef K
#include <cub/cub.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/thread/thread_sort.cuh>
#include <cub/warp/warp_reduce_batched.cuh>
#include <cuda/atomic>
#include <cuda/functional>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#pragma pop_macro("K")
#include "harness.cuh"

namespace primitives {
using u8 = unsigned char; using u16 = unsigned short; using u32 = unsigned; using u64 = unsigned long long;
using Plus = cuda::std::plus<>; using Max = cuda::maximum<>; using Min = cuda::minimum<>;
using Pair = cub::KeyValuePair<int, float>;

// ------------------------------------------------- tickets and decoupled look-back
// A tile's state: status in the two top bits (0 not ready, 1 the tile's own sum, 2 the sum of all tiles up to it), the sum below.
template <class S> constexpr int STATUS = sizeof(S) * 8 - 2;
template <class S> constexpr S VALUE = (S(1) << STATUS<S>) - 1;
template <class S> __device__ __forceinline__ S state_load(S* p) {
  return cuda::atomic_ref<S, cuda::thread_scope_device>(*p).load(cuda::memory_order_acquire);
}
template <class S> __device__ __forceinline__ void state_store(S* p, S status, S value) {
  cuda::atomic_ref<S, cuda::thread_scope_device>(*p).store(status << STATUS<S> | value, cuda::memory_order_release);
}
__device__ __forceinline__ int take_ticket(u32* ticket) {
  __shared__ int tile;
  if (threadIdx.x == 0) tile = (int)atomicAdd(ticket, 1u);
  __syncthreads();
  return tile;
}
// Prefix callback of a block scan: the first warp looks back over 32 tiles at a time. Leaves prefix and aggregate in shared memory.
template <class T> struct LookBack {
  u64* state; int tile; T* shared;
  __device__ T operator()(T aggregate) {
    using Reduce = cub::WarpReduce<u64>;
    __shared__ Reduce::TempStorage temp;
    const int lane = threadIdx.x & 31;
    if (lane == 0) state_store<u64>(&state[tile], tile ? 1 : 2, aggregate);
    u64 prefix = 0;
    for (int base = tile - 1; base >= 0; base -= 32) {
      const int at = base - lane;
      u64 s;
      do s = at >= 0 ? state_load(&state[at]) : u64(2) << 62; while (__any_sync(~0u, s >> 62 == 0));
      const u32 complete = __ballot_sync(~0u, s >> 62 == 2);
      const int last = complete ? __ffs(complete) - 1 : 31;
      prefix += Reduce(temp).Sum(lane <= last ? s & VALUE<u64> : 0);
      if (complete) break;
    }
    if (lane == 0) {
      if (tile) state_store<u64>(&state[tile], 2, prefix + aggregate);
      shared[0] = (T)prefix; shared[1] = aggregate;
    }
    return (T)prefix;
  }
};

// ------------------------------------------------- operators and iterator functors
struct Affine { float a, b; };                                              // y = a x + b
struct Compose { __device__ Affine operator()(const Affine& f, const Affine& g) const { return {f.a * g.a, g.a * f.b + g.b}; } };
struct Hashing { u32 mul, add; };                                           // h -> mul h + add; mul = 0 starts a new word
struct Chain { __device__ Hashing operator()(const Hashing& f, const Hashing& g) const { return {f.mul * g.mul, g.mul * f.add + g.add}; } };
struct Moments { double sum, sq; };
struct AddMoments { __device__ Moments operator()(const Moments& x, const Moments& y) const { return {x.sum + y.sum, x.sq + y.sq}; } };
struct Welford { float n, mean, m2; };
struct Merge {
  __device__ Welford operator()(const Welford& x, const Welford& y) const {
    const float n = x.n + y.n, d = y.mean - x.mean, r = n > 0.f ? y.n / n : 0.f;
    return {n, x.mean + d * r, x.m2 + y.m2 + d * d * x.n * r};
  }
};
struct SoftSum { float top, sum; };                                         // running maximum, and the sum of exponentials relative to it
struct AddSoft {
  __device__ SoftSum operator()(const SoftSum& x, const SoftSum& y) const {
    const float top = fmaxf(x.top, y.top);
    return {top, x.sum * __expf(x.top - top) + y.sum * __expf(y.top - top)};
  }
};
template <class T, class Op> struct Running {                               // prefix callback of a block that walks over many tiles
  T total; Op op;
  __device__ T operator()(T aggregate) { const T old = total; total = op(total, aggregate); return old; }
};
struct Edge { u32 src, dst; float w; };
struct EdgeLess { __device__ bool operator()(const Edge& x, const Edge& y) const { return x.src != y.src ? x.src < y.src : x.dst < y.dst; } };
struct EdgeDiffers { __device__ bool operator()(const Edge& x, const Edge& y) const { return x.src != y.src || x.dst != y.dst; } };
struct Differs { template <class T> __device__ bool operator()(const T& x, const T& y) const { return x != y; } };
struct Minus { __device__ int operator()(int x, int y) const { return x - y; } };
struct LessThan { template <class T> __device__ bool operator()(const T& x, const T& y) const { return x < y; } };
struct Shade { const u32* image; __device__ u32 operator()(int i) const { return image[i >> 3] >> (i & 4) & 3; } };
struct RunKey { const u32* keys; __device__ u32 operator()(int i) const { return keys[i >> 2] & 1; } };
struct RowEnd { const u32* seed; int rows, nnz; __device__ int operator()(int r) const { return r == rows - 1 ? nnz : r * 6 + (int)(seed[r] % 7u); } };
struct Spread { const u32* index; u32 step, salt; __device__ u32 operator()(int i) const { return index[i] * step + mix32(index[i] + salt) % step; } };
struct TopBits { int shift; __device__ u32 operator()(u64 x) const { return (u32)(x >> shift); } };
struct DigitAt { int shift; __device__ u32 Digit(u32 key) const { return key >> shift & 255u; } };
struct PublishDigits {                                                      // counts of the tile's digits: to shared memory, and out to later tiles
  u32* state; int tile; u32* count;
  __device__ void operator()(int (&bins)[1]) const {
    count[threadIdx.x] = bins[0];
    state_store<u32>(&state[tile * 256 + threadIdx.x], tile ? 1 : 2, bins[0]);
  }
};

// Inclusive scan of a long array in one pass: tiles in ticket order, decoupled look-back for the prefix.
K k_cub_scan_lookback(const u32* in, u32* out, u32* ticket, u64* state, int n) {
  using Load = cub::BlockLoad<u32, 256, 8, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<u32, 256, 8, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<u32, 256, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ union { Load::TempStorage load; Scan::TempStorage scan; Store::TempStorage store; } s;
  __shared__ u32 sums[2];
  const int tile = take_ticket(ticket), first = tile * 2048, valid = min(2048, n - first);
  u32 x[8];
  Load(s.load).Load(in + first, x, valid, 0u);
  __syncthreads();
  LookBack<u32> prefix{state, tile, sums};
  Scan(s.scan).InclusiveSum(x, x, prefix);
  __syncthreads();
  Store(s.store).Store(out + first, x, valid);
}

// Keeps the particles within a spherical shell, in order, with their indices: ticketed select through shared memory.
K __launch_bounds__(192) k_cub_compact_particles(const float4* particles, float4* kept, u32* index, u32* count, u32* ticket, u64* state, int n) {
  using Input = cub::CacheModifiedInputIterator<cub::LOAD_LDG, float4>;
  using Load = cub::BlockLoad<float4, 192, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Scan = cub::BlockScan<u64, 192, cub::BLOCK_SCAN_RAKING>;
  __shared__ union { Load::TempStorage load; Scan::TempStorage scan; struct { float4 p[768]; u32 i[768]; } keep; } s;
  __shared__ u64 sums[2];
  const int tile = take_ticket(ticket), first = tile * 768, valid = min(768, n - first);
  float4 p[4];
  u64 flag[4], rank[4];
  Load(s.load).Load(Input(particles + first), p, valid, make_float4(0.f, 0.f, 0.f, 0.f));
  for (int j = 0; j < 4; j++) {
    const float r2 = p[j].x * p[j].x + p[j].y * p[j].y + p[j].z * p[j].z;
    flag[j] = r2 > 400.f && r2 < 2500.f && p[j].w > -30.f;
  }
  __syncthreads();
  LookBack<u64> prefix{state, tile, sums};
  Scan(s.scan).ExclusiveSum(flag, rank, prefix);
  __syncthreads();
  const u64 base = sums[0];
  const int total = (int)sums[1];
  for (int j = 0; j < 4; j++) if (flag[j]) {
    s.keep.p[rank[j] - base] = p[j];
    s.keep.i[rank[j] - base] = first + threadIdx.x * 4 + j;
  }
  __syncthreads();
  for (int r = threadIdx.x; r < total; r += 192) {
    kept[base + r] = s.keep.p[r];
    index[base + r] = s.keep.i[r];
  }
  if (threadIdx.x == 0 && first + valid == n) *count = (u32)base + total;
}

// One pass of a least-significant-digit radix sort of pairs: ranks by match, look-back by digit, scatter into bins of fixed capacity.
K __launch_bounds__(256) k_cub_radix_scatter(const u32* keys, const u32* values, u32* keys_out, u32* values_out, u32* ticket, u32* state,
                                             int n, int shift, int capacity) {
  constexpr int ITEMS = 12, TILE = 256 * ITEMS;
  using Rank = cub::BlockRadixRankMatchEarlyCounts<256, 8, false, cub::BLOCK_SCAN_WARP_SCANS, cub::WARP_MATCH_ATOMIC_OR>;
  __shared__ union { Rank::TempStorage rank; u32 items[TILE]; } s;
  __shared__ u32 count[256];
  __shared__ int base[256];
  const int tile = take_ticket(ticket), first = tile * TILE, valid = min(TILE, n - first), t = threadIdx.x;
  u32 key[ITEMS], value[ITEMS];
  int rank[ITEMS], prefix[1], to[ITEMS];
  cub::LoadDirectWarpStriped(t, keys + first, key, valid, ~0u);
  cub::LoadDirectWarpStriped(t, values + first, value, valid, 0u);
  Rank(s.rank).RankKeys(key, rank, DigitAt{shift}, prefix, PublishDigits{state, tile, count});
  u32 before = 0;
  for (int back = tile - 1; back >= 0; back--) {
    u32 seen;
    do seen = state_load(&state[back * 256 + t]); while (seen >> 30 == 0);
    before += seen & VALUE<u32>;
    if (seen >> 30 == 2) break;
  }
  if (tile) state_store<u32>(&state[tile * 256 + t], 2, before + count[t]);
  base[t] = t * capacity + (int)before - prefix[0];
  __syncthreads();
  for (int j = 0; j < ITEMS; j++) s.items[rank[j]] = key[j];
  __syncthreads();
  for (int j = 0; j < ITEMS; j++) {
    const int i = t + j * 256;
    const u32 k = s.items[i];
    const int digit = k >> shift & 255, at = base[digit] + i;
    to[j] = i < valid && at < (digit + 1) * capacity ? at : -1;
    if (to[j] >= 0) keys_out[to[j]] = k;
  }
  __syncthreads();
  for (int j = 0; j < ITEMS; j++) s.items[rank[j]] = value[j];
  __syncthreads();
  for (int j = 0; j < ITEMS; j++) if (to[j] >= 0) values_out[to[j]] = s.items[t + j * 256];
}

// Two histograms of the bytes of an image, a fine one by shared atomics and a coarse one by sorting, each private to a block first.
K k_cub_image_histograms(const uint4* image, u32* fine, u32* coarse, int groups) {
  using Fine = cub::BlockHistogram<u8, 128, 16, 256, cub::BLOCK_HISTO_ATOMIC>;
  using Coarse = cub::BlockHistogram<u8, 128, 16, 64, cub::BLOCK_HISTO_SORT>;
  __shared__ union { Fine::TempStorage fine; Coarse::TempStorage coarse; } s;
  __shared__ u32 fine_bins[256], coarse_bins[64];
  cub::GridEvenShare<int> share;
  share.DispatchInit(groups, gridDim.x, 128);
  share.BlockInit<128, cub::GRID_MAPPING_RAKE>();
  Fine(s.fine).InitHistogram(fine_bins);
  Coarse(s.coarse).InitHistogram(coarse_bins);
  __syncthreads();
  for (int at = share.block_offset; at < share.block_end; at += share.block_stride) {
    uint4 v = make_uint4(0, 0, 0, 0);
    const bool ok = at + (int)threadIdx.x < share.block_end;
    if (ok) v = __ldcs(image + at + threadIdx.x);
    const u32 word[4] = {v.x, v.y, v.z, v.w};
    u8 pixel[16], level[16];
    for (int j = 0; j < 16; j++) {
      pixel[j] = (u8)(word[j / 4] >> (j % 4 * 8));
      level[j] = pixel[j] >> 2;
    }
    if (at + 128 <= share.block_end) {
      Fine(s.fine).Composite(pixel, fine_bins);
      __syncthreads();
      Coarse(s.coarse).Composite(level, coarse_bins);
    } else if (ok) {
      for (int j = 0; j < 16; j++) {
        atomicAdd(&fine_bins[pixel[j]], 1u);
        atomicAdd(&coarse_bins[level[j]], 1u);
      }
    }
    __syncthreads();
  }
  for (int b = threadIdx.x; b < 256; b += 128) if (fine_bins[b]) atomicAdd(&fine[b], fine_bins[b]);
  if (threadIdx.x < 64 && coarse_bins[threadIdx.x]) atomicAdd(&coarse[threadIdx.x], coarse_bins[threadIdx.x]);
}

// Run-length encoding of an image, tile by tile: flags of heads and tails, ranks by scan.
K k_cub_rle_encode(const u32* image, u32* values, u32* lengths, u32* runs, int n) {
  constexpr int TILE = 1600;
  using Load = cub::BlockLoad<u32, 320, 5, cub::BLOCK_LOAD_DIRECT>;
  using Flags = cub::BlockDiscontinuity<u32, 320>;
  using Scan = cub::BlockScan<int, 320, cub::BLOCK_SCAN_RAKING>;
  __shared__ union { Load::TempStorage load; Flags::TempStorage flags; Scan::TempStorage scan; } s;
  __shared__ u16 head_at[TILE], tail_at[TILE];
  __shared__ u8 shade[TILE];
  const int first = blockIdx.x * TILE, valid = min(TILE, n - first), t = threadIdx.x;
  u32 x[5];
  int head[5], tail[5], rank[5], total;
  auto in = thrust::make_transform_iterator(thrust::counting_iterator<int>(first), Shade{image});
  Load(s.load).Load(in, x, valid, 255u);
  __syncthreads();
  Flags(s.flags).FlagHeadsAndTails(head, tail, x, Differs());
  __syncthreads();
  Scan(s.scan).InclusiveSum(head, rank, total);
  for (int j = 0; j < 5; j++) {
    if (head[j]) { head_at[rank[j] - 1] = (u16)(t * 5 + j); shade[rank[j] - 1] = (u8)x[j]; }
    if (tail[j]) tail_at[rank[j] - 1] = (u16)(t * 5 + j);
  }
  __syncthreads();
  if (valid < TILE) total--;
  for (int r = t; r < total; r += 320) {
    values[first + r] = shade[r];
    lengths[first + r] = tail_at[r] - head_at[r] + 1;
  }
  if (t == 0) runs[blockIdx.x] = total;
}

// Run-length decoding, window by window: each run becomes a ramp that starts at its value.
K k_cub_rle_decode(const u32* values, const u32* lengths, u32* out, u32* sizes) {
  using Decode = cub::BlockRunLengthDecode<u32, 64, 2, 4>;
  __shared__ Decode::TempStorage s;
  u32 value[2], length[2], total = 0;
  for (int j = 0; j < 2; j++) {
    const int run = blockIdx.x * 128 + threadIdx.x * 2 + j;
    value[j] = values[run];
    length[j] = (lengths[run] & 15u) + 1;
  }
  Decode decode(s, value, length, total);
  for (u32 window = 0; window < total; window += 256) {
    u32 item[4], offset[4];
    decode.RunLengthDecode(item, offset, window);
    for (int j = 0; j < 4; j++) {
      const u32 i = window + threadIdx.x * 4 + j;
      if (i < total) out[blockIdx.x * 2048 + i] = item[j] + offset[j] * (item[j] >> 18);
    }
  }
  if (threadIdx.x == 0) sizes[blockIdx.x] = total;
}

// Sums by key over a chunk per block: segmented scan of pairs, with a carry from tile to tile.
K k_cub_reduce_by_key(const u32* keys, const float* values, float* sums, u32* segments, int n, int chunk) {
  constexpr int TILE = 768;
  using Segment = cub::ReduceBySegmentOp<Plus>;
  using LoadKeys = cub::BlockLoad<u32, 128, 6, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using LoadValues = cub::BlockLoad<float, 128, 6, cub::BLOCK_LOAD_TRANSPOSE>;
  using Values = cub::CacheModifiedInputIterator<cub::LOAD_CS, float>;
  using Flags = cub::BlockDiscontinuity<u32, 128>;
  using Scan = cub::BlockScan<Pair, 128, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ union { LoadKeys::TempStorage k; LoadValues::TempStorage v; Flags::TempStorage f; Scan::TempStorage s; } s;
  const int begin = blockIdx.x * chunk, end = min(n, begin + chunk), t = threadIdx.x;
  const RunKey key_of{keys};
  Running<Pair, Segment> carry{Pair(0, 0.f), Segment()};
  for (int first = begin; first < end; first += TILE) {
    const int valid = min(TILE, end - first);
    u32 key[6];
    float value[6];
    int head[6];
    Pair item[6], sum[6];
    LoadKeys(s.k).Load(thrust::make_transform_iterator(thrust::counting_iterator<int>(first), key_of), key, valid, 0u);
    __syncthreads();
    LoadValues(s.v).Load(Values(values + first), value, valid, 0.f);
    __syncthreads();
    Flags(s.f).FlagHeads(head, key, Differs(), first > begin ? key_of(first - 1) : ~0u);
    for (int j = 0; j < 6; j++) {
      if (t * 6 + j >= valid) head[j] = 0;
      item[j] = Pair(head[j], value[j]);
    }
    __syncthreads();
    Scan(s.s).ExclusiveScan(item, sum, Segment(), carry);
    for (int j = 0; j < 6; j++) if (head[j] && sum[j].key > 0) sums[begin + sum[j].key - 1] = sum[j].value;
    __syncthreads();
  }
  if (t == 0) {
    if (carry.total.key > 0) sums[begin + carry.total.key - 1] = carry.total.value;
    segments[blockIdx.x] = carry.total.key;
  }
}

// Sorts many short lists of unequal lengths, a half warp to a list, and gives each item its share of the running sum.
K __launch_bounds__(192, 4) k_cub_small_sorts(const float* data, const u32* length, float* sorted, u32* order, float* share, int lists) {
  using Load = cub::WarpLoad<float, 4, cub::WARP_LOAD_TRANSPOSE, 16>;
  using Sort = cub::WarpMergeSort<float, 4, 16, u32>;
  using Scan = cub::WarpScan<float, 16>;
  using Swap = cub::WarpExchange<float, 4, 16>;
  using Store = cub::WarpStore<u32, 4, cub::WARP_STORE_VECTORIZE, 16>;
  __shared__ union { Load::TempStorage load; Sort::TempStorage sort; Scan::TempStorage scan; Swap::TempStorage swap; Store::TempStorage store; } temp[12];
  const int half = threadIdx.x / 16, lane = threadIdx.x % 16, list = blockIdx.x * 12 + half, safe = min(list, lists - 1);
  const int valid = 33 + (length[safe] & 31);
  auto& s = temp[half];
  float x[4], striped[4], sum = 0.f, before, total;
  u32 at[4];
  Load(s.load).Load(data + safe * 64, x, valid, 1e30f);
  for (int j = 0; j < 4; j++) at[j] = lane * 4 + j;
  __syncwarp();
  Sort(s.sort).Sort(x, at, LessThan(), valid, 1e30f);
  __syncwarp();
  for (int j = 0; j < 4; j++) {
    if (lane * 4 + j >= valid) { x[j] = 0.f; at[j] = 64; }
    sum += fabsf(x[j]);
  }
  Scan(s.scan).ExclusiveSum(sum, before, total);
  __syncwarp();
  Swap(s.swap).BlockedToStriped(x, striped);
  __syncwarp();
  if (list >= lists) return;
  for (int j = 0; j < 4; j++) sorted[list * 64 + j * 16 + lane] = striped[j];
  Store(s.store).Store(order + list * 64, at);
  for (int j = 0; j < 4; j++) {
    before += fabsf(x[j]);
    share[list * 64 + lane * 4 + j] = before / total;
  }
}

// First-order recurrence y = a y + x with varying a along each channel: scan of affine maps, carried over the tiles.
K __launch_bounds__(320) k_cub_linear_recurrence(const float* gate, const float* x, float* y, int steps) {
  using Load = cub::BlockLoad<float, 320, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED>;
  using Store = cub::BlockStore<float, 320, 4, cub::BLOCK_STORE_TRANSPOSE>;
  using Scan = cub::BlockScan<Affine, 320, cub::BLOCK_SCAN_RAKING_MEMOIZE>;
  __shared__ union { Load::TempStorage load; Store::TempStorage store; Scan::TempStorage scan; } s;
  const size_t row = (size_t)blockIdx.x * steps;
  Running<Affine, Compose> carry{{1.f, 0.f}, Compose()};
  for (int first = 0; first < steps; first += 1280) {
    const int valid = min(1280, steps - first);
    float a[4], b[4];
    Affine f[4];
    Load(s.load).Load(gate + row + first, a, valid, 0.f);
    __syncthreads();
    Load(s.load).Load(x + row + first, b, valid, 0.f);
    __syncthreads();
    for (int j = 0; j < 4; j++) f[j] = {0.5f + 0.009f * a[j], b[j]};
    Scan(s.scan).InclusiveScan(f, f, Compose(), carry);
    for (int j = 0; j < 4; j++) b[j] = f[j].b;
    __syncthreads();
    Store(s.store).Store(y + row + first, b, valid);
    __syncthreads();
  }
}

// Rows of an integral image and of its squares in double precision, a block to a row.
K k_cub_integral_rows(const float* image, double* sums, double* squares, int width) {
  using Load = cub::BlockLoad<float, 96, 8, cub::BLOCK_LOAD_TRANSPOSE>;
  using Scan = cub::BlockScan<Moments, 96, cub::BLOCK_SCAN_WARP_SCANS>;
  using Store = cub::BlockStore<double, 96, 8, cub::BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED>;
  __shared__ union { Load::TempStorage load; Scan::TempStorage scan; Store::TempStorage store; } s;
  const size_t row = (size_t)blockIdx.x * width;
  Running<Moments, AddMoments> carry{{0.0, 0.0}, AddMoments()};
  for (int first = 0; first < width; first += 768) {
    const int valid = min(768, width - first);
    float x[8];
    Moments m[8];
    double out[8];
    Load(s.load).Load(cub::CacheModifiedInputIterator<cub::LOAD_CG, float>(const_cast<float*>(image) + row + first), x, valid, 0.f);
    for (int j = 0; j < 8; j++) m[j] = {(double)x[j], (double)x[j] * x[j]};
    __syncthreads();
    Scan(s.scan).InclusiveScan(m, m, AddMoments(), carry);
    __syncthreads();
    for (int j = 0; j < 8; j++) out[j] = m[j].sum;
    Store(s.store).Store(sums + row + first, out, valid);
    __syncthreads();
    for (int j = 0; j < 8; j++) out[j] = m[j].sq;
    Store(s.store).Store(squares + row + first, out, valid);
    __syncthreads();
  }
}

// Sparse matrix times vector by merge path: each thread takes an equal share of row ends and non-zeros together.
K k_cub_spmv_merge(const u32* row_seed, const u32* column, const float* value, const float* x, float* y, u32* carry_row, float* carry_value,
                   int rows, int nnz, int column_mask) {
  constexpr int ITEMS = 7, TILE = 128 * ITEMS;
  using Op = cub::ReduceByKeyOp<Plus>;
  using Scan = cub::BlockScan<Pair, 128, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ Scan::TempStorage scan;
  __shared__ int2 corner[2];
  __shared__ int row_end[TILE + 1];
  __shared__ float product[TILE], row_sum[TILE + 1];
  const int t = threadIdx.x;
  const thrust::counting_iterator<int> zero(0);
  const auto ends = thrust::make_transform_iterator(zero, RowEnd{row_seed, rows, nnz});
  if (t < 2) {
    const int diagonal = min(((int)blockIdx.x + t) * TILE, rows + nnz), r = cub::MergePath(ends, zero, rows, nnz, diagonal, LessThan());
    corner[t] = make_int2(r, diagonal - r);
  }
  __syncthreads();
  const int2 from = corner[0], to = corner[1];
  const int tile_rows = to.x - from.x, tile_nnz = to.y - from.y;
  for (int i = t; i <= tile_rows; i += 128) row_end[i] = from.x + i < rows ? ends[from.x + i] : INT_MAX;
  for (int i = t; i < tile_nnz; i += 128) product[i] = value[from.y + i] * x[column[from.y + i] & column_mask];
  __syncthreads();
  const int start = min(t * ITEMS, tile_rows + tile_nnz), stop = min(start + ITEMS, tile_rows + tile_nnz);
  const int first_row = cub::MergePath(row_end, zero + from.y, tile_rows, tile_nnz, start, LessThan());
  int2 at = make_int2(first_row, start - first_row);
  float running = 0.f;
  for (int i = start; i < stop; i++) {
    if (at.x == tile_rows || from.y + at.y < row_end[at.x]) running += product[at.y++];
    else { row_sum[at.x++] = running; running = 0.f; }
  }
  Pair before, all;
  Scan(scan).ExclusiveScan(Pair(at.x, running), before, Pair(0, 0.f), Op(), all);
  if (at.x > first_row && before.key == first_row) row_sum[first_row] += before.value;
  __syncthreads();
  for (int i = t; i < tile_rows; i += 128) y[from.x + i] = row_sum[i];
  if (t == 0) { carry_row[blockIdx.x] = from.x + all.key; carry_value[blockIdx.x] = all.value; }
}

// Merges two sorted runs, with the origin of each key: partition on the diagonal, then a serial merge per thread.
K k_cub_merge_runs(const u32* a, const u32* b, u32* merged, u32* origin, int na, int nb) {
  constexpr int ITEMS = 7, TILE = 256 * ITEMS;
  using Store = cub::BlockStore<u32, 256, ITEMS, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ Store::TempStorage store;
  __shared__ u32 key[TILE + ITEMS + 1];
  __shared__ int cut[2];
  const int t = threadIdx.x, first = blockIdx.x * TILE, last = min(first + TILE, na + nb), valid = last - first;
  const auto keys_a = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), Spread{a, 3, 0});
  const auto keys_b = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), Spread{b, 4, 77});
  if (t < 2) cut[t] = cub::MergePath(keys_a, keys_b, na, nb, t ? last : first, LessThan());
  __syncthreads();
  const int a0 = cut[0], count_a = cut[1] - a0, b0 = first - a0, count_b = valid - count_a;
  for (int i = t; i < TILE + ITEMS + 1; i += 256) key[i] = i < count_a ? keys_a[a0 + i] : i < valid ? keys_b[b0 + i - count_a] : ~0u;
  __syncthreads();
  const int diagonal = min(t * ITEMS, valid);
  const int from_a = cub::MergePath(key, key + count_a, count_a, count_b, diagonal, LessThan()), from_b = diagonal - from_a;
  u32 out[ITEMS], which[ITEMS];
  int index[ITEMS];
  cub::SerialMerge(key, from_a, count_a + from_b, count_a - from_a, count_b - from_b, out, index, LessThan(), ~0u);
  for (int j = 0; j < ITEMS; j++) which[j] = index[j] < count_a ? (u32)(a0 + index[j]) : 0x80000000u | (u32)(b0 + index[j] - count_a);
  Store(store).Store(merged + first, out, valid);
  __syncthreads();
  Store(store).Store(origin + first, which, valid);
}

// Sorts tiles of edges by source and target with a stable merge sort, and keeps the first of equal edges.
K __launch_bounds__(256) k_cub_edge_unique(const u32* src, const u32* dst, const float* weight, u32* out_src, u32* out_dst, float* out_weight, u32* count,
                                           int n, int vertices) {
  constexpr int TILE = 1024;
  using Sort = cub::BlockMergeSort<Edge, 256, 4, int>;
  using Flags = cub::BlockDiscontinuity<Edge, 256>;
  using Scan = cub::BlockScan<int, 256, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ union { Sort::TempStorage sort; Flags::TempStorage flags; Scan::TempStorage scan; } s;
  const int first = blockIdx.x * TILE, valid = min(TILE, n - first), t = threadIdx.x;
  const Edge none{~0u, ~0u, 0.f};
  Edge e[4];
  int from[4], head[4], rank[4], total;
  for (int j = 0; j < 4; j++) {
    const int i = t * 4 + j;
    e[j] = i < valid ? Edge{src[first + i] % vertices, dst[first + i] % vertices, weight[first + i]} : none;
    from[j] = i;
  }
  Sort(s.sort).StableSort(e, from, EdgeLess(), valid, none);
  __syncthreads();
  Flags(s.flags).FlagHeads(head, e, EdgeDiffers());
  for (int j = 0; j < 4; j++) if (t * 4 + j >= valid) head[j] = 0;
  __syncthreads();
  Scan(s.scan).ExclusiveSum(head, rank, total);
  for (int j = 0; j < 4; j++) if (head[j]) {
    out_src[first + rank[j]] = e[j].src;
    out_dst[first + rank[j]] = e[j].dst;
    out_weight[first + rank[j]] = e[j].w + from[j];
  }
  if (t == 0) count[blockIdx.x] = total;
}

// Layer normalisation of rows of 1280 with a residual: moments combined pairwise, vector loads and stores.
K k_cub_layer_norm(const float* x, const float* residual, const float* gamma, const float* beta, float* out, float* stats) {
  using Load = cub::BlockLoad<float, 320, 4, cub::BLOCK_LOAD_VECTORIZE>;
  using Store = cub::BlockStore<float, 320, 4, cub::BLOCK_STORE_VECTORIZE>;
  using Reduce = cub::BlockReduce<Welford, 320, cub::BLOCK_REDUCE_RAKING>;
  __shared__ union { Load::TempStorage load; Store::TempStorage store; Reduce::TempStorage reduce; } s;
  __shared__ float2 norm;
  const size_t row = (size_t)blockIdx.x * 1280;
  float v[4], r[4], g[4], b[4];
  Load(s.load).Load(x + row, v);
  Load(s.load).Load(residual + row, r);
  Load(s.load).Load(gamma, g);
  Load(s.load).Load(beta, b);
  Welford w[4];
  for (int j = 0; j < 4; j++) {
    v[j] += 0.5f * r[j];
    w[j] = {1.f, v[j], 0.f};
  }
  const Welford all = Reduce(s.reduce).Reduce(w, Merge());
  if (threadIdx.x == 0) {
    norm = make_float2(all.mean, rsqrtf(all.m2 / all.n + 1e-5f));
    stats[blockIdx.x * 2] = norm.x;
    stats[blockIdx.x * 2 + 1] = norm.y;
  }
  __syncthreads();
  for (int j = 0; j < 4; j++) v[j] = (v[j] - norm.x) * norm.y * g[j] + b[j];
  Store(s.store).Store(out + row, v);
}

// One step of k-means, 8 threads to a point of 32 dimensions: batched reductions of distances, then sums per cluster in fixed point.
K __launch_bounds__(256) k_cub_kmeans_step(const float4* points, const float4* centre, u32* label, u64* sums, u32* members, int n) {
  constexpr int CLUSTERS = 16;
  using Batch = cub::WarpReduceBatched<float, CLUSTERS, 8, true>;
  using Best = cub::WarpReduce<Pair, 8>;
  extern __shared__ int acc_A[];                                            // CLUSTERS x 32 sums, then CLUSTERS counts
  __shared__ Batch::TempStorage batch[32];
  __shared__ Best::TempStorage best[32];
  __shared__ float4 c[CLUSTERS][8];
  const int t = threadIdx.x, group = t / 8, lane = t % 8;
  for (int i = t; i < CLUSTERS * 33; i += 256) acc_A[i] = 0;
  if (t < CLUSTERS * 8) c[t / 8][t % 8] = centre[t];
  __syncthreads();
  for (int base = blockIdx.x * 32; base < n; base += gridDim.x * 32) {
    const int i = base + group;
    const float4 p = points[(size_t)min(i, n - 1) * 8 + lane];
    float part[CLUSTERS], whole[2];
    for (int k = 0; k < CLUSTERS; k++) {
      const float4 q = c[k][lane];
      const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, dw = p.w - q.w;
      part[k] = dx * dx + dy * dy + dz * dz + dw * dw;
    }
    Batch(batch[group]).SumToStriped(part, whole);
    const Pair mine = whole[1] < whole[0] ? Pair(lane + 8, whole[1]) : Pair(lane, whole[0]);
    const Pair nearest = Best(best[group]).Reduce(mine, cub::ArgMin());
    const int k = __shfl_sync(~0u, nearest.key, 0, 8);
    if (i < n) {
      const float coord[4] = {p.x, p.y, p.z, p.w};
      for (int d = 0; d < 4; d++) atomicAdd(&acc_A[k * 32 + lane * 4 + d], __float2int_rn(coord[d] * 256.f));
      if (lane == 0) { label[i] = k; atomicAdd(&acc_A[CLUSTERS * 32 + k], 1); }
    }
  }
  __syncthreads();
  for (int i = t; i < CLUSTERS * 32; i += 256) atomicAdd(&sums[i], (u64)(long long)acc_A[i]);
  if (t < CLUSTERS) atomicAdd(&members[t], (u32)acc_A[CLUSTERS * 32 + t]);
}

// Nucleus sampling: sorts a row's logits, keeps the least set with nine tenths of the mass, draws one token from it.
K k_cub_nucleus_sample(const float* logits, const u32* draw, u32* token, u32* kept, float* mass, int vocab) {
  using Sort = cub::BlockRadixSort<float, 256, 8, int>;
  using Scan = cub::BlockScan<float, 256, cub::BLOCK_SCAN_WARP_SCANS>;
  using Reduce = cub::BlockReduce<int, 256, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  __shared__ union { Sort::TempStorage sort; Scan::TempStorage scan; Reduce::TempStorage reduce; } s;
  __shared__ float top, nucleus;
  __shared__ int edge, winner;
  const int t = threadIdx.x;
  float x[8], before[8], total;
  int id[8], last = 0, pick = INT_MAX;
  for (int j = 0; j < 8; j++) {
    id[j] = t * 8 + j;
    x[j] = id[j] < vocab ? logits[(size_t)blockIdx.x * vocab + id[j]] * 0.1f : -1e30f;
  }
  Sort(s.sort).SortDescending(x, id);
  if (t == 0) top = x[0];
  __syncthreads();
  for (int j = 0; j < 8; j++) x[j] = __expf(x[j] - top);
  Scan(s.scan).ExclusiveSum(x, before, total);
  for (int j = 0; j < 8; j++) if (before[j] < 0.9f * total && x[j] > 0.f) last = t * 8 + j;
  __syncthreads();
  last = Reduce(s.reduce).Reduce(last, Max());
  if (t == 0) { kept[blockIdx.x] = last + 1; edge = last; }
  __syncthreads();
  for (int j = 0; j < 8; j++) if (t * 8 + j == edge) nucleus = before[j] + x[j];
  __syncthreads();
  const float u = nucleus * ((float)(draw[blockIdx.x] & 0xffff) / 65536.f);
  for (int j = 7; j >= 0; j--) if (t * 8 + j < edge && before[j] + x[j] > u) pick = t * 8 + j;
  pick = Reduce(s.reduce).Reduce(pick, Min());
  if (t == 0) winner = min(pick, edge);
  __syncthreads();
  for (int j = 0; j < 8; j++) if (t * 8 + j == winner) { token[blockIdx.x] = id[j]; mass[blockIdx.x] = x[j] / total; }
}

// Groups the rows of a join's build side by bucket within large tiles: 64-bit radix sort by the hash's top bits, then bucket starts by search.
K __launch_bounds__(512) k_cub_hash_buckets(const u32* key, u64* grouped, u32* start, u32* counts, int n) {
  constexpr int ITEMS = 15, TILE = 512 * ITEMS;
  using Sort = cub::BlockRadixSort<u64, 512, ITEMS>;
  extern __shared__ __align__(16) unsigned char raw_A[];
  auto& sort = *reinterpret_cast<Sort::TempStorage*>(raw_A);
  u64* sorted = reinterpret_cast<u64*>(raw_A);
  const int first = blockIdx.x * TILE, valid = min(TILE, n - first), t = threadIdx.x;
  u64 row[ITEMS];
  for (int j = 0; j < ITEMS; j++) {
    const int i = t * ITEMS + j;
    row[j] = i < valid ? (u64)mix32(key[first + i]) << 32 | (u32)(first + i) : ~0ull;
  }
  Sort(sort).SortBlockedToStriped(row, 58, 64);
  __syncthreads();
  cub::StoreDirectStriped<512>(t, sorted, row);
  cub::StoreDirectStriped<512>(t, grouped + first, row, valid);
  __syncthreads();
  if (t < 64) {
    const auto bucket = thrust::make_transform_iterator((const u64*)sorted, TopBits{58});
    const int lo = cub::LowerBound(bucket, valid, (u32)t), hi = cub::UpperBound(bucket, valid, (u32)t);
    start[blockIdx.x * 64 + t] = lo;
    atomicAdd(&counts[t], (u32)(hi - lo));
  }
}

// Expands a frontier of a graph: scan of degrees, then every thread finds its edges by search; bitmap and parents by atomics.
K k_cub_frontier_expand(const u32* frontier, const u32* degree, const u32* adjacent, u32* visited, u32* parent, u32* edges, int n, int vertices) {
  using Scan = cub::BlockScan<int, 128, cub::BLOCK_SCAN_RAKING>;
  __shared__ Scan::TempStorage scan;
  __shared__ int offset[128];
  __shared__ u32 vertex[128];
  const int t = threadIdx.x, i = blockIdx.x * 128 + t;
  const u32 v = i < n ? frontier[i] % vertices : 0;
  int at, total;
  Scan(scan).ExclusiveSum(i < n ? (int)(degree[v] % 24u) : 0, at, total);
  offset[t] = at;
  vertex[t] = v;
  __syncthreads();
  for (int e = t; e < total; e += 128) {
    const int owner = cub::UpperBound(offset, 128, e) - 1;
    const u32 from = vertex[owner], to = adjacent[from * 24 + (e - offset[owner])] % vertices;
    atomicOr(&visited[to >> 5], 1u << (to & 31));
    atomicMax(&parent[to], from + 1);
  }
  if (t == 0) edges[blockIdx.x] = total;
}

// Median filter of 5 by 5 pixels: a tile with its border in shared memory, an odd-even network in the registers of each thread.
K k_cub_median_filter(const float* image, float* out, int width, int height) {
  __shared__ float tile[12][36];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, tx = threadIdx.x, ty = threadIdx.y;
  for (int i = ty * 32 + tx; i < 12 * 36; i += 256) {
    const int x = min(max(x0 + i % 36 - 2, 0), width - 1), y = min(max(y0 + i / 36 - 2, 0), height - 1);
    tile[i / 36][i % 36] = image[y * width + x];
  }
  __syncthreads();
  if (x0 + tx >= width || y0 + ty >= height) return;
  float v[25];
  cub::NullType none[25];
  for (int i = 0; i < 25; i++) v[i] = tile[ty + i / 5][tx + i % 5];
  cub::StableOddEvenSort(v, none, LessThan());
  out[(y0 + ty) * width + x0 + tx] = v[12] + 0.125f * (v[18] - v[6]);
}

// Packs time stamps: differences, zigzag, the bit width that a block needs, then the bits side by side; unpacks again to check.
K k_cub_delta_pack(const u32* jitter, u32* packed, u32* header, int n) {
  constexpr int TILE = 768;
  using Load = cub::BlockLoad<u32, 96, 8, cub::BLOCK_LOAD_STRIPED>;
  using Swap = cub::BlockExchange<int, 96, 8>;
  using Delta = cub::BlockAdjacentDifference<int, 96>;
  using Reduce = cub::BlockReduce<u32, 96, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>;
  using Scan = cub::BlockScan<int, 96, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ union { Load::TempStorage load; Swap::TempStorage swap; Delta::TempStorage delta; Reduce::TempStorage reduce; Scan::TempStorage scan; } s;
  __shared__ u32 word[TILE + 2], bits_shared;
  __shared__ int origin;
  const int first = blockIdx.x * TILE, valid = min(TILE, n - first), t = threadIdx.x;
  u32 noise[8], code[8];
  int stamp[8], delta[8], back[8];
  Load(s.load).Load(jitter + first, noise, valid, 0u);
  for (int j = 0; j < 8; j++) stamp[j] = (first + t + j * 96) * 100 + (int)(noise[j] >> 14) - ((noise[j] & 63) == 0 ? 5000 : 0);
  Swap(s.swap).StripedToBlocked(stamp, stamp);
  if (t == 0) origin = stamp[0];
  for (int i = t; i < TILE + 2; i += 96) word[i] = 0;
  __syncthreads();
  Delta(s.delta).SubtractLeftPartialTile(stamp, delta, Minus(), valid);
  u32 any = 0;
  for (int j = 0; j < 8; j++) {
    const int i = t * 8 + j;
    if (i == 0 || i >= valid) delta[j] = 0;
    code[j] = (u32)(delta[j] << 1) ^ (u32)(delta[j] >> 31);
    any |= code[j];
  }
  __syncthreads();
  any = Reduce(s.reduce).Reduce(any, cuda::std::bit_or<>());
  if (t == 0) bits_shared = max(1, 32 - __clz((int)any));
  __syncthreads();
  const u32 bits = bits_shared, mask = bits == 32 ? ~0u : (1u << bits) - 1;
  for (int j = 0; j < 8; j++) {
    const u32 at = (t * 8 + j) * bits;
    atomicOr(&word[at / 32], code[j] << (at % 32));
    if (at % 32 + bits > 32) atomicOr(&word[at / 32 + 1], code[j] >> (32 - at % 32));
  }
  __syncthreads();
  for (int j = 0; j < 8; j++) {
    const u32 at = (t * 8 + j) * bits, c = __funnelshift_r(word[at / 32], word[at / 32 + 1], at % 32) & mask;
    back[j] = (int)(c >> 1) ^ -(int)(c & 1);
  }
  Scan(s.scan).InclusiveSum(back, back);
  int wrong = 0;
  for (int j = 0; j < 8; j++) wrong += t * 8 + j < valid && back[j] + origin != stamp[j];
  wrong = __syncthreads_count(wrong);
  const int words = (valid * bits + 31) / 32;
  for (int i = t; i < words; i += 96) packed[first + i] = word[i];
  if (t < 3) header[blockIdx.x * 3 + t] = t == 0 ? (u32)origin : t == 1 ? bits : (u32)wrong;
}

// Word statistics of a text: hashes of words by a scan of affine maps, word ends by discontinuity, buckets private to a block.
// A word is cut where a block's chunk ends.
K __launch_bounds__(1024) k_cub_word_stats(const u32* text, u32* buckets, u32* words, u32* peak, int n, int chunk) {
  using Flags = cub::BlockDiscontinuity<bool, 1024>;
  using Scan = cub::BlockScan<Hashing, 1024, cub::BLOCK_SCAN_WARP_SCANS>;
  using Count = cub::BlockReduce<u32, 1024, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  __shared__ union { Flags::TempStorage flags; Scan::TempStorage scan; Count::TempStorage count; } s;
  __shared__ u32 bucket[1024];
  const int t = threadIdx.x, begin = blockIdx.x * chunk, end = min(n, begin + chunk);
  bucket[t] = 0;
  Running<Hashing, Chain> carry{{1u, 0u}, Chain()};
  u32 found = 0, most = 0;
  for (int first = begin; first < end; first += 1024) {
    const int i = first + t;
    const u32 four = i < end ? text[i] : 0;
    bool letter[4], last[4];
    Hashing h[4];
    for (int j = 0; j < 4; j++) {
      const u32 c = four >> (j * 6) & 63;
      letter[j] = c >= 10;
      h[j] = letter[j] ? Hashing{31u, c} : Hashing{0u, 0u};
    }
    const bool next = first + 1024 < end && (text[first + 1024] & 63) >= 10;
    Flags(s.flags).FlagTails(last, letter, Differs(), next);
    __syncthreads();
    Scan(s.scan).InclusiveScan(h, h, Chain(), carry);
    for (int j = 0; j < 4; j++) if (letter[j] && last[j]) {
      const u32 hash = mix32(h[j].add);
      atomicAdd(&bucket[hash & 1023], 1u);
      found++;
      most = max(most, hash >> 10);
    }
    __syncthreads();
  }
  const u32 total = Count(s.count).Sum(found);
  __syncthreads();
  most = Count(s.count).Reduce(most, Max());
  if (t == 0) { words[blockIdx.x] = total; peak[blockIdx.x] = most; }
  if (bucket[t]) atomicAdd(&buckets[t], bucket[t]);
}

// Three-way partition about two pivots in one pass: low items from the front, high ones from the back, the middle apart.
K __launch_bounds__(512) k_cub_partition3(const u32* in, u32* ends, u32* middle, u32* totals, u32* ticket, u64* state, int n, int low, int high) {
  using Load = cub::BlockLoad<u32, 512, 4, cub::BLOCK_LOAD_VECTORIZE>;
  using Scan = cub::BlockScan<u64, 512, cub::BLOCK_SCAN_RAKING>;
  using Swap = cub::BlockExchange<u32, 512, 4>;
  __shared__ union { Load::TempStorage load; Scan::TempStorage scan; Swap::TempStorage swap; } s;
  __shared__ u64 sums[2];
  const int tile = take_ticket(ticket), first = tile * 2048, valid = min(2048, n - first), t = threadIdx.x;
  const u64 ONE = 1ull << 31, LOW = ONE - 1;                                // two counts in one word: low items, and middle ones from bit 31
  u32 x[4];
  u64 flag[4], rank[4];
  int to[4];
  if (valid == 2048) Load(s.load).Load(in + first, x);
  else Load(s.load).Load(in + first, x, valid, 0x7fffffffu);
  for (int j = 0; j < 4; j++) flag[j] = x[j] < (u32)low ? 1 : x[j] < (u32)high ? ONE : 0;
  LookBack<u64> prefix{state, tile, sums};
  Scan(s.scan).ExclusiveSum(flag, rank, prefix);
  __syncthreads();
  const int low_before = (int)(sums[0] & LOW), mid_before = (int)(sums[0] >> 31), lows = (int)(sums[1] & LOW), mids = (int)(sums[1] >> 31);
  for (int j = 0; j < 4; j++) {
    const int l = (int)(rank[j] & LOW) - low_before, m = (int)(rank[j] >> 31) - mid_before;
    to[j] = flag[j] == 1 ? l : flag[j] == ONE ? lows + m : lows + mids + (t * 4 + j - l - m);
  }
  Swap(s.swap).ScatterToStriped(x, to);
  const int high_before = first - low_before - mid_before;
  for (int j = 0; j < 4; j++) {
    const int i = t + j * 512;
    if (i >= valid) continue;
    if (i < lows) ends[low_before + i] = x[j];
    else if (i < lows + mids) middle[mid_before + i - lows] = x[j];
    else ends[n - 1 - (high_before + i - lows - mids)] = x[j];
  }
  if (t == 0 && first + valid == n) { totals[0] = low_before + lows; totals[1] = mid_before + mids; }
}

// A step of beam search: log-softmax of four beams' scores, then the eight best extensions by repeated arg-max.
K __launch_bounds__(256) k_cub_beam_step(const float* scores, const float* beam_score, u32* parent, u32* token, float* best, int vocab) {
  using Soft = cub::BlockReduce<SoftSum, 256, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  using Arg = cub::BlockReduce<Pair, 256, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>;
  __shared__ union { Soft::TempStorage soft; Arg::TempStorage arg; } s;
  __shared__ float bias;
  __shared__ Pair top;
  const int t = threadIdx.x, batch = blockIdx.x;
  Pair c[16];
#pragma unroll
  for (int b = 0; b < 4; b++) {
    SoftSum part[4];
    for (int j = 0; j < 4; j++) {
      const int v = j * 256 + t;
      c[b * 4 + j] = Pair(b * 1024 + v, v < vocab ? scores[(size_t)(batch * 4 + b) * vocab + v] * 0.2f : -1e30f);
      part[j] = {c[b * 4 + j].value, v < vocab ? 1.f : 0.f};
    }
    const SoftSum all = Soft(s.soft).Reduce(part, AddSoft());
    if (t == 0) bias = beam_score[batch * 4 + b] * 0.05f - all.top - __logf(all.sum);
    __syncthreads();
    for (int j = 0; j < 4; j++) c[b * 4 + j].value += bias;
    __syncthreads();
  }
  for (int round = 0; round < 8; round++) {
    const Pair mine = cub::ThreadReduce(c, cub::ArgMax());
    const Pair all = Arg(s.arg).Reduce(mine, cub::ArgMax());
    if (t == 0) {
      top = all;
      parent[batch * 8 + round] = all.key >> 10;
      token[batch * 8 + round] = all.key & 1023;
      best[batch * 8 + round] = all.value;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; j++) if (c[j].key == top.key) c[j].value = -1e38f;
  }
}

// Quantile sketch of a stream per block: sorted buffers of 512 that merge level by level, keeping odd or even ranks by a hashed coin.
K __launch_bounds__(64) k_cub_quantile_sketch(const float* stream, float* sketch, int tiles) {
  using Sort = cub::BlockRadixSort<float, 64, 16>;
  using Edge2 = cub::BlockShuffle<float, 64>;
  __shared__ union { Sort::TempStorage sort; Edge2::TempStorage edge; } s;
  extern __shared__ float level_A[];                                        // 512 floats a level
  const int t = threadIdx.x;
  int depth = 0;
  for (int tile = 0; tile < tiles; tile++) {
    float x[16];
    cub::LoadDirectStriped<64>(t, stream + ((size_t)blockIdx.x * tiles + tile) * 1024, x);
    for (depth = 0; ; depth++) {
      Sort(s.sort).Sort(x);
      const bool odd = mix32(blockIdx.x * 977u + tile * 31u + depth) & 1;
      __syncthreads();
      if (!(tile >> depth & 1)) {
        for (int j = 0; j < 8; j++) level_A[depth * 512 + t * 8 + j] = odd ? x[2 * j + 1] : x[2 * j];
        __syncthreads();
        break;
      }
      float half[8];
      for (int j = 0; j < 8; j++) half[j] = odd ? x[2 * j + 1] : x[2 * j];
      for (int j = 0; j < 8; j++) { x[j] = half[j]; x[8 + j] = level_A[depth * 512 + j * 64 + t]; }
      __syncthreads();
    }
  }
  // the last level written holds the coarsest sample: its quantiles, with the gap to the next one
  float mine[8], next[8];
  for (int j = 0; j < 8; j++) mine[j] = level_A[depth * 512 + t * 8 + j];
  Edge2(s.edge).Down(mine, next);
  if (t == 63) next[7] = mine[7];
  for (int j = 0; j < 8; j++) {
    sketch[(size_t)blockIdx.x * 1024 + t * 8 + j] = mine[j];
    sketch[(size_t)blockIdx.x * 1024 + 512 + t * 8 + j] = next[j] - mine[j];
  }
}

#undef IN
#undef INTS
#undef INDEX
#undef OUT
#undef ZEROS
#undef NAMED
#define IN(name, words, seed) buf(name, (size_t)(words) * 4, HASH_F32, seed)
#define INTS(name, words, seed) buf(name, (size_t)(words) * 4, HASH_I32, seed)
#define INDEX(name, words) buf(name, (size_t)(words) * 4, INDEX_U32, 0)
#define OUT(name, words) buf(name, (size_t)(words) * 4, ZERO, 0, true)
#define ZEROS(name, words) buf(name, (size_t)(words) * 4, ZERO)
static std::string named_A(const char* name, int n) { return std::string(name) + "_" + std::to_string(n); }
static int tiles_A(int n, int tile) { return (n + tile - 1) / tile; }
#define NAMED(name, n) named_A(name, n).c_str()

static void launches() {
  for (int n : {60001, 4000003}) {
    const int g = tiles_A(n, 2048);
    RUN(NAMED("cub_scan_lookback", g), k_cub_scan_lookback, g, 256, 0, INTS("in", n, 1), OUT("out", n), ZEROS("ticket", 1), ZEROS("state", g * 2), i32(n));
  }
  for (int n : {50000, 1500000}) {
    const int g = tiles_A(n, 768);
    RUN(NAMED("cub_compact_particles", g), k_cub_compact_particles, g, 192, 0, IN("particles", n * 4, 2), OUT("kept", n * 4), OUT("index", n), OUT("count", 1),
        ZEROS("ticket", 1), ZEROS("state", g * 2), i32(n));
  }
  for (int n : {100000, 1500000}) {
    const int g = tiles_A(n, 3072), capacity = n / 256 * 3 / 2 + 64;
    RUN(NAMED("cub_radix_scatter", g), k_cub_radix_scatter, g, 256, 0, INTS("keys", n, 3), INDEX("values", n), OUT("keys_out", 256 * capacity),
        OUT("values_out", 256 * capacity), ZEROS("ticket", 1), ZEROS("state", g * 256), i32(n), i32(n > 1000000 ? 16 : 8), i32(capacity));
  }
  for (int n : {4000, 150000}) {
    const int g = n > 100000 ? 264 : 24;
    RUN(NAMED("cub_image_histograms", g), k_cub_image_histograms, g, 128, 0, INTS("image", n * 4, 4), OUT("fine", 256), OUT("coarse", 64), i32(n));
  }
  for (int n : {100000, 2000000}) {
    const int g = tiles_A(n, 1600);
    RUN(NAMED("cub_rle_encode", g), k_cub_rle_encode, g, 320, 0, INTS("image", n / 8 + 1, 5), OUT("values", n), OUT("lengths", n), OUT("runs", g), i32(n));
  }
  for (int g : {128, 3000}) {
    RUN(NAMED("cub_rle_decode", g), k_cub_rle_decode, g, 64, 0, INTS("values", g * 128, 6), INTS("lengths", g * 128, 7), OUT("out", g * 2048), OUT("sizes", g));
  }
  for (int n : {64000, 1500000}) {
    const int chunk = n > 100000 ? 5000 : 2000, g = tiles_A(n, chunk);
    RUN(NAMED("cub_reduce_by_key", g), k_cub_reduce_by_key, g, 128, 0, INTS("keys", n / 4 + 1, 8), IN("values", n, 9), OUT("sums", n), OUT("segments", g),
        i32(n), i32(chunk));
  }
  for (int n : {601, 8003}) {
    const int g = tiles_A(n, 12);
    RUN(NAMED("cub_small_sorts", g), k_cub_small_sorts, g, 192, 0, IN("data", n * 64, 10), INTS("length", n, 11), OUT("sorted", n * 64), OUT("order", n * 64),
        OUT("share", n * 64), i32(n));
  }
  for (int g : {16, 80}) {
    const int steps = g > 16 ? 20000 : 5000;
    RUN(NAMED("cub_linear_recurrence", g), k_cub_linear_recurrence, g, 320, 0, IN("gate", g * steps, 12), IN("x", g * steps, 13), OUT("y", g * steps),
        i32(steps));
  }
  for (int g : {32, 256}) {
    const int width = g > 32 ? 4000 : 2000;
    RUN(NAMED("cub_integral_rows", g), k_cub_integral_rows, g, 96, 0, IN("image", g * width, 14), OUT("sums", g * width * 2), OUT("squares", g * width * 2),
        i32(width));
  }
  for (int rows : {3000, 200000}) {
    const int nnz = rows * 6, g = tiles_A(rows + nnz, 896), columns = rows > 10000 ? 65536 : 2048;
    RUN(NAMED("cub_spmv_merge", g), k_cub_spmv_merge, g, 128, 0, INTS("row_seed", rows, 15), INTS("column", nnz, 16), IN("value", nnz, 17), IN("x", columns,
        18), OUT("y", rows),
        OUT("carry_row", g), OUT("carry_value", g), i32(rows), i32(nnz), i32(columns - 1));
  }
  for (int na : {30000, 1000000}) {
    const int nb = na / 6 * 5 + 1, n = na + nb, g = tiles_A(n, 1792);
    RUN(NAMED("cub_merge_runs", g), k_cub_merge_runs, g, 256, 0, INDEX("a", na), INDEX("b", nb), OUT("merged", n), OUT("origin", n), i32(na), i32(nb));
  }
  for (int n : {20000, 300000}) {
    const int g = tiles_A(n, 1024);
    RUN(NAMED("cub_edge_unique", g), k_cub_edge_unique, g, 256, 0, INTS("src", n, 19), INTS("dst", n, 20), IN("weight", n, 21), OUT("out_src", n),
        OUT("out_dst", n),
        OUT("out_weight", n), OUT("count", g), i32(n), i32(60));
  }
  for (int g : {64, 2000}) {
    RUN(NAMED("cub_layer_norm", g), k_cub_layer_norm, g, 320, 0, IN("x", g * 1280, 22), IN("residual", g * 1280, 23), IN("gamma", 1280, 24), IN("beta", 1280,
        25),
        OUT("out", g * 1280), OUT("stats", g * 2));
  }
  for (int n : {4001, 80000}) {
    const int g = n > 10000 ? 264 : 32;
    RUN(NAMED("cub_kmeans_step", g), k_cub_kmeans_step, g, 256, 16 * 33 * 4, IN("points", n * 32, 26), IN("centre", 16 * 32, 27), OUT("label", n),
        OUT("sums", 16 * 32 * 2),
        OUT("members", 16), i32(n));
  }
  for (int g : {16, 250}) {
    const int vocab = g > 16 ? 2048 : 2001;
    RUN(NAMED("cub_nucleus_sample", g), k_cub_nucleus_sample, g, 256, 0, IN("logits", g * vocab, 28), INTS("draw", g, 29), OUT("token", g), OUT("kept", g),
        OUT("mass", g), i32(vocab));
  }
  for (int n : {120000, 2000000}) {
    const int g = tiles_A(n, 7680);
    const size_t smem = sizeof(cub::BlockRadixSort<u64, 512, 15>::TempStorage);
    RUN(NAMED("cub_hash_buckets", g), k_cub_hash_buckets, g, 512, smem > 61440 ? smem : 61440, INTS("key", n, 30), OUT("grouped", n * 2), OUT("start",
        g * 64), OUT("counts", 64), i32(n));
  }
  for (int n : {4001, 100000}) {
    const int g = tiles_A(n, 128), vertices = n * 3 / 2;
    RUN(NAMED("cub_frontier_expand", g), k_cub_frontier_expand, g, 128, 0, INTS("frontier", n, 31), INTS("degree", vertices, 32), INTS("adjacent", vertices * 24, 33),
        OUT("visited", vertices / 32 + 1), OUT("parent", vertices), OUT("edges", g), i32(n), i32(vertices));
  }
  for (int width : {125, 640}) {
    const int height = width / 8 * 5, gx = tiles_A(width, 32), gy = tiles_A(height, 8);
    RUN(NAMED("cub_median_filter", gx * gy), k_cub_median_filter, dim3(gx, gy), dim3(32, 8), 0, IN("image", width * height, 34), OUT("out", width * height),
        i32(width), i32(height));
  }
  for (int n : {40000, 1500000}) {
    const int g = tiles_A(n, 768);
    RUN(NAMED("cub_delta_pack", g), k_cub_delta_pack, g, 96, 0, INTS("jitter", n, 35), OUT("packed", n), OUT("header", g * 3), i32(n));
  }
  for (int n : {65000, 500000}) {
    const int chunk = n > 100000 ? 3000 : 4000, g = tiles_A(n, chunk);
    RUN(NAMED("cub_word_stats", g), k_cub_word_stats, g, 1024, 0, INTS("text", n, 36), OUT("buckets", 1024), OUT("words", g), OUT("peak", g), i32(n),
        i32(chunk));
  }
  for (int n : {100000, 2500001}) {
    const int g = tiles_A(n, 2048);
    RUN(NAMED("cub_partition3", g), k_cub_partition3, g, 512, 0, INTS("in", n, 37), OUT("ends", n), OUT("middle", n), OUT("totals", 2), ZEROS("ticket", 1),
        ZEROS("state", g * 2),
        i32(n), i32(5000000), i32(11000000));
  }
  for (int g : {16, 250}) {
    const int vocab = g > 16 ? 1024 : 1000;
    RUN(NAMED("cub_beam_step", g), k_cub_beam_step, g, 256, 0, IN("scores", g * 4 * vocab, 38), IN("beam_score", g * 4, 39), OUT("parent", g * 8),
        OUT("token", g * 8),
        OUT("best", g * 8), i32(vocab));
  }
  for (int g : {16, 100}) {
    const int tiles = g > 16 ? 8 : 4;
    RUN(NAMED("cub_quantile_sketch", g), k_cub_quantile_sketch, g, 64, 4 * 512 * 4, IN("stream", g * tiles * 1024, 40), OUT("sketch", g * 1024), i32(tiles));
  }
}
}  // namespace primitives

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) { if (!strcmp(argv[i], "--skip-clock")) g_skip_clock = true; else g_filter = argv[i]; }
  float* w; CHECK(cudaMalloc(&w, 4)); spin_up<<<528, 256>>>(w, 200000); CHECK(cudaDeviceSynchronize());
  primitives::launches();
}
