// ---- 5: barrier of the cluster ----------------------------------------------------------------------------------------------
enum { RSYNC, RREL, RRELAX, RRELU, RRELG, RRELAXG, RRELS, RRELAXS, RRELL, RRELW, RRELAXW, RKINDS };
static const char* RN[RKINDS] = { "__syncthreads", "arrive.release.aligned", "arrive.relaxed.aligned", "arrive.release", "release+global_store", "relaxed+global_store", "release+remote_store", "relaxed+remote_store", "release+own_shared_store", "release,work,wait", "relaxed,work,wait" };
template <int KIND> __global__ void __launch_bounds__(1024) k_bar(u32* out, u32* g, int n, u32 work) {
  u32 base = at(sm), r = rank_(), C = size_(), far = mapa(base + threadIdx.x * 4, (r + 1) % C), dt = 0; u32* mine = g + ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
  csync();
  for (int rep = 0; rep < 2; rep++) { __syncthreads(); u32 t0 = now(); int m = rep ? n : 4;
#pragma unroll 1
    for (int i = 0; i < m; i++) {
      if constexpr (KIND == RRELG || KIND == RRELAXG) A("st.global.u32 [%0], %1;" :: "l"(mine), "r"(i) : "memory");
      if constexpr (KIND == RRELS || KIND == RRELAXS) A("st.shared::cluster.u32 [%0], %1;" :: "r"(far), "r"(i) : "memory");
      if constexpr (KIND == RRELL) A("st.shared.u32 [%0], %1;" :: "r"(base + threadIdx.x * 4), "r"(i) : "memory");
      if constexpr (KIND == RSYNC) __syncthreads();
      else {
        if constexpr (KIND == RREL || KIND == RRELG || KIND == RRELS || KIND == RRELL || KIND == RRELW) A("barrier.cluster.arrive.release.aligned;" ::: "memory");
        else if constexpr (KIND == RRELU) A("barrier.cluster.arrive.release;" ::: "memory");
        else A("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
        if constexpr (KIND == RRELW || KIND == RRELAXW) { u32 t = now(); while (now() - t < work) {} __syncwarp(); }
        if constexpr (KIND == RRELU) A("barrier.cluster.wait.acquire;" ::: "memory"); else A("barrier.cluster.wait.acquire.aligned;" ::: "memory"); } }
    dt = now() - t0; csync(); }
  if (threadIdx.x == 0) out[blockIdx.x] = dt; csync();
}
template <int KIND> static void bar(int C, int warps, bool full, u32 work = 0) {
  int n = 64, g = full ? machine(resident(k_bar<KIND>, warps * 32, C, BIG), C) : C; std::string w = fmt("%s cluster %d warps %d", RN[KIND], C, warps); std::vector<double> m, x;
  for (int rep = 0; rep < 3; rep++) { if (!go(w.c_str(), g, k_bar<KIND>, shape(g, warps * 32, C, BIG), dout, (u32*)dsrc, n, work)) return; std::vector<double> v(h.begin(), h.end()); m.push_back(med(v)); x.push_back(hi(v)); }
  printf("%s %d %d %s %d %u %.1f %.1f\n", RN[KIND], C, warps, full ? "full" : "one", g, work, med(m) / n, med(x) / n); fflush(stdout);
}
static void t_barrier() {
  printf("# cycles an iteration of arrive+wait by all warps, 64 in a row; median over blocks (and that of the slowest block), median of 3 launches\nhow cluster warps machine blocks work cycles slowest_block\n");
  for (int C : { 1, 2, 4, 8, 16 }) for (int warps : { 1, 4, 8, 32 }) { if (C == 1) bar<RSYNC>(C, warps, false); for (int full = 0; full < 2; full++) { bar<RREL>(C, warps, full); bar<RRELAX>(C, warps, full); }
    bar<RRELU>(C, warps, false); bar<RRELG>(C, warps, false); bar<RRELG>(C, warps, true); bar<RRELAXG>(C, warps, false); bar<RRELS>(C, warps, false); bar<RRELAXS>(C, warps, false); bar<RRELL>(C, warps, false); }
  for (int C : { 2, 8, 16 }) for (int warps : { 1, 8 }) for (u32 work : { 0u, 50u, 100u, 200u, 300u, 400u, 800u, 1600u }) { bar<RRELW>(C, warps, false, work); bar<RRELAXW>(C, warps, false, work); }
}
// ---- 6: launches ------------------------------------------------------------------------------------------------------------
__global__ void k_empty() {}
__global__ void k_resolution(u32* out) { u64 last = gtime(); for (int i = 0; i < 64; i++) { u64 t; int k = 0; do t = gtime(); while (t == last && k++ < 100000); out[i] = (u32)(t - last); last = t; } u32 c0 = now(); u64 g0 = gtime(); while (now() - c0 < 1000000) {} u32 c1 = now(); u64 g1 = gtime(); out[64] = c1 - c0; out[65] = (u32)(g1 - g0); }
// per block 8 words: smid, rank, cluster, ticket, start and end of globaltimer (ns, low words), cycles from the start to the end of a first barrier of the cluster, ctaid.y/z
__global__ void k_place(u32* out, u32* count, u32 spin, u32 spin0, int barrier) {
  u32 c0 = now(); u64 g0 = gtime(); u32 r = rank_(), b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z), w = 0;
  if (barrier) { csync(); w = now() - c0; }
  if (threadIdx.x == 0) { u32 c; A("{.reg .b32 x, y; mov.u32 %0, %%clusterid.x; mov.u32 x, %%clusterid.y; mov.u32 y, %%nclusterid.x; mad.lo.u32 %0, x, y, %0; mov.u32 x, %%clusterid.z; mul.lo.u32 x, x, y; mov.u32 y, %%nclusterid.y; mad.lo.u32 %0, x, y, %0;}" : "=r"(c));
    u32 t = atomicAdd(count, 1); u32 s = r == 0 ? spin0 : spin; while (now() - c0 < s) {}
    out[b * 8] = smid(); out[b * 8 + 1] = r; out[b * 8 + 2] = c; out[b * 8 + 3] = t; out[b * 8 + 4] = (u32)g0; out[b * 8 + 5] = (u32)gtime(); out[b * 8 + 6] = w; out[b * 8 + 7] = blockIdx.y | blockIdx.z << 16; }
}
static bool place(const char* what, const Grid& s, u32 spin, u32 spin0, int barrier) { size_t n = (size_t)s.g.x * s.g.y * s.g.z; cudaMemset(dcnt, 0, 4096); return go(what, n * 8, k_place, s, dout, dcnt, spin, spin0, barrier); }
static void t_launch() {
  if (go("resolution", 66, k_resolution, shape(1, 1, 0, 0), dout)) { std::vector<double> v(h.begin() + 4, h.begin() + 64); printf("globaltimer step ns: min %.0f median %.0f max %.0f; clock MHz by it %.1f\n", lo(v), med(v), hi(v), h[64] * 1000.0 / h[65]); }
  cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
  printf("# empty kernels back to back: 200 launches into a stream, and 200 nodes of a graph in one line; median of 5\ncluster(0:no attribute) grid threads smem ns_per_launch_stream ns_per_launch_graph ns_per_block_graph\n");
  for (int C : { 0, 1, 2, 4, 8, 16 }) for (int grid : { 16, 132, 264, 1056, 16896 }) for (int threads : { 32, 256 }) for (size_t smem : { (size_t)0, BIG }) {
    if (threads == 256 && smem) continue; int c = C ? C : 1, g = grid / c * c, n = grid > 10000 ? 20 : 200; Grid s = shape(g, threads, C, smem); std::string w = fmt("empty cluster %d grid %d threads %d smem %zu", C, g, threads, smem); std::vector<double> m, q; bool good = true;
    for (int rep = 0; rep < 6 && good; rep++) { cudaError_t e = cudaSuccess; e = start(0, k_empty, s); noattr = true; cudaEventRecord(a); for (int i = 0; i < n && e == cudaSuccess; i++) e = start(0, k_empty, s); cudaEventRecord(b); noattr = false; good = ok(e, w.c_str()); float ms = 0; cudaEventElapsedTime(&ms, a, b); if (rep) m.push_back(ms * 1e6 / n); }
    if (!good) continue;
    cudaStream_t st; cudaGraph_t gr = nullptr; cudaGraphExec_t ex = nullptr; cudaStreamCreate(&st); noattr = true; cudaError_t e = cudaStreamBeginCapture(st, cudaStreamCaptureModeThreadLocal); for (int i = 0; i < n && e == cudaSuccess; i++) e = start(st, k_empty, s); cudaError_t e2 = cudaStreamEndCapture(st, &gr); noattr = false; if (e == cudaSuccess) e = e2; if (e == cudaSuccess) e = cudaGraphInstantiate(&ex, gr, 0);
    for (int rep = 0; rep < 6 && e == cudaSuccess; rep++) { cudaEventRecord(a, st); e = cudaGraphLaunch(ex, st); cudaEventRecord(b, st); if (e == cudaSuccess) e = cudaStreamSynchronize(st); float ms = 0; if (e == cudaSuccess) cudaEventElapsedTime(&ms, a, b); if (rep) q.push_back(ms * 1e6 / n); }
    if (ex) cudaGraphExecDestroy(ex); if (gr) cudaGraphDestroy(gr); cudaStreamDestroy(st); cudaGetLastError(); ok(e, (w + " graph").c_str());
    printf("%d %d %d %zu %.0f %.0f %.2f\n", C, g, threads, smem, med(m), q.size() ? med(q) : -1, q.size() ? med(q) / g : -1); fflush(stdout); }
  printf("# start skew in a cluster: cycles between a block's first instruction and the end of a first cluster barrier; skew is (longest of the cluster - this block's), by rank, median and max over clusters: how many cycles after the first block of its cluster it starts\n# (one wave of one block an SM; the barrier's end taken as one moment)\ncluster threads rank clusters skew_median skew_max wait_median\n");
  for (int C : { 2, 4, 8, 16 }) for (int threads : { 32, 256, 1024 }) { int g = whole(C); std::string w = fmt("skew cluster %d threads %d", C, threads); bool good = true; for (int rep = 0; rep < 2 && good; rep++) good = place(w.c_str(), shape(g, threads, C, BIG), 8000, 8000, 1); if (!good) continue;
    for (int r = 0; r < C; r++) { std::vector<double> v, q; for (int k = 0; k < g / C; k++) { double big = 0; for (int i = 0; i < C; i++) big = std::max(big, (double)h[(k * C + i) * 8 + 6]); double x = h[(k * C + r) * 8 + 6]; v.push_back(big - x); q.push_back(x); } printf("%d %d %d %d %.0f %.0f %.0f\n", C, threads, r, g / C, med(v), hi(v), med(q)); } }
  printf("# starts over the machine by globaltimer, ns after the first block's start: one wave of one block an SM\ncluster blocks p10 p50 p90 last cluster_spread_median\n");
  for (int C : { 0, 1, 2, 4, 8, 16 }) { int c = C ? C : 1, g = whole(c); std::string w = fmt("starts cluster %d", C); bool good = true; for (int rep = 0; rep < 2 && good; rep++) good = place(w.c_str(), shape(g, 32, C, BIG), 40000, 40000, 0); if (!good) continue;
    u32 first = h[4]; for (int i = 0; i < g; i++) if ((int)(h[i * 8 + 4] - first) < 0) first = h[i * 8 + 4]; std::vector<double> v, q; for (int i = 0; i < g; i++) v.push_back(h[i * 8 + 4] - first); for (int k = 0; k < g / c; k++) { double l = 1e18, m = 0; for (int i = 0; i < c; i++) { l = std::min(l, v[k * c + i]); m = std::max(m, v[k * c + i]); } q.push_back(m - l); }
    std::sort(v.begin(), v.end()); printf("%d %d %.0f %.0f %.0f %.0f %.0f\n", C, g, v[g / 10], v[g / 2], v[g * 9 / 10], v[g - 1], med(q)); }
  printf("# what follows on an SM: 4 waves, one block an SM, each 20,000 cycles (even), or rank 0 60,000 and the others 20,000 (uneven); gap: from the end of a block (globaltimer) to the start of the next one on that SM, ns; total: first start to last end\ncluster kind blocks gaps gap_min gap_median gap_max total_ns busy_share\n");
  for (int C : { 0, 1, 2, 4, 8, 16 }) for (int uneven = 0; uneven < 2; uneven++) { int c = C ? C : 1, g = whole(c) * 4; std::string w = fmt("turnover cluster %d", C); bool good = true; for (int rep = 0; rep < 2 && good; rep++) good = place(w.c_str(), shape(g, 32, C, BIG), 20000, uneven ? 60000 : 20000, 0); if (!good) continue;
    std::map<u32, std::vector<std::pair<u32, u32>>> by; u32 first = h[4]; for (int i = 0; i < g; i++) if ((int)(h[i * 8 + 4] - first) < 0) first = h[i * 8 + 4]; double end = 0, busy = 0; for (int i = 0; i < g; i++) { u32 s = h[i * 8 + 4] - first, e = h[i * 8 + 5] - first; by[h[i * 8]].push_back({ s, e }); end = std::max(end, (double)e); busy += e - s; }
    std::vector<double> gaps; for (auto& p : by) { std::sort(p.second.begin(), p.second.end()); for (size_t i = 1; i < p.second.size(); i++) gaps.push_back((double)p.second[i].first - p.second[i - 1].second); }
    printf("%d %s %d %zu %.0f %.0f %.0f %.0f %.3f\n", C, uneven ? "uneven" : "even", g, gaps.size(), lo(gaps), med(gaps), hi(gaps), end, busy / (end * SMS)); }
  cudaEventDestroy(a); cudaEventDestroy(b);
}
// ---- 7: placement -----------------------------------------------------------------------------------------------------------
static void t_placement() {
  printf("# cudaOccupancyMaxActiveClusters\ncluster threads smem clusters blocks\n");
  for (int C : { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16 }) for (int threads : { 32, 1024 }) for (size_t smem : { (size_t)0, (size_t)16384, (size_t)49152, (size_t)100 * 1024, (size_t)114 * 1024, BIG, (size_t)227 * 1024 }) { if (threads == 1024 && smem && smem != BIG) continue; int n = resident(k_place, threads, C, smem); printf("%d %d %zu %d %d\n", C, threads, smem, n < 0 ? n : n / C, n); }
  printf("# summary: blocks of each cluster on the same SM; sharing: clusters of which two blocks are on one SM; most: blocks of one cluster on one SM; tickets_in_order: share of blocks whose ticket is their number; policy 0 default, 1 spread, 2 load balancing; max_on_SM: blocks at once on an SM by start and end times\ncluster threads smem grid policy clusters sharing most SMs_used max_on_SM tickets_in_order same_TPC_rank01\n");
  for (int policy : { 0, 1, 2 }) for (int C : { 1, 2, 3, 4, 6, 8, 12, 16 }) for (int kind = 0; kind < 5; kind++) for (int waves : { 1, 3, 16 }) {
    int threads = kind == 3 ? 1024 : kind == 4 ? 256 : 64; size_t smem = kind == 1 ? 100 * 1024 : kind == 0 ? BIG : kind == 2 ? 1024 : 0; if (policy && waves == 3) continue; if (waves == 16 && kind == 0) continue; int g = whole(C) * waves; std::string w = fmt("placement cluster %d threads %d smem %zu grid %d policy %d", C, threads, smem, g, policy);
    if (!place(w.c_str(), shape(g, threads, C, smem, policy), 30000, 30000, 0)) continue;
    int sharing = 0, most = 0, order = 0, tpc = 0, top = 0; std::map<u32, std::vector<std::pair<u32, int>>> by; for (int k = 0; k < g / C; k++) { std::map<u32, int> c; int m = 0; for (int i = 0; i < C; i++) m = std::max(m, ++c[h[(k * C + i) * 8]]); sharing += m > 1; most = std::max(most, m); if (C > 1) tpc += h[k * C * 8] / 2 == h[(k * C + 1) * 8] / 2; }
    for (int i = 0; i < g; i++) { order += (int)h[i * 8 + 3] == i; by[h[i * 8]].push_back({ h[i * 8 + 4] - h[4] + 100000000u, 1 }); by[h[i * 8]].push_back({ h[i * 8 + 5] - h[4] + 100000000u, -1 }); }
    for (auto& p : by) { std::sort(p.second.begin(), p.second.end()); int n = 0; for (auto& e : p.second) top = std::max(top, n += e.second); }
    printf("%d %d %zu %d %d %d %d %d %zu %d %.3f %d\n", C, threads, smem, g, policy, g / C, sharing, most, by.size(), top, (double)order / g, tpc); }
  printf("# blocks: start and end in ns (globaltimer) after block 0's start; each block 30,000 cycles\n");
  for (int kind = 0; kind < 3; kind++) for (int C : { 1, 2, 4, 8, 16 }) for (int waves : { 1, 3 }) { size_t smem = kind == 0 ? BIG : kind == 1 ? 1024 : 100 * 1024; int g = whole(C) * waves; if (kind == 2 && waves == 3) continue; std::string w = fmt("blocks cluster %d smem %zu grid %d", C, smem, g); if (!place(w.c_str(), shape(g, 64, C, smem), 30000, 30000, 0)) continue;
    printf("# cluster %d smem %zu grid %d\nblock smid rank cluster ticket start end\n", C, smem, g); for (int i = 0; i < g; i++) printf("%d %u %u %u %u %d %d\n", i, h[i * 8], h[i * 8 + 1], h[i * 8 + 2], h[i * 8 + 3], (int)(h[i * 8 + 4] - h[4]), (int)(h[i * 8 + 5] - h[4])); }
  printf("# uneven: rank 0 60,000 cycles, the others 20,000, one block an SM: do SMs that end early take new clusters?\n");
  for (int C : { 2, 4 }) { int g = whole(C) * 3; if (!place("uneven", shape(g, 64, C, BIG), 20000, 60000, 0)) continue; printf("# cluster %d grid %d\nblock smid rank cluster ticket start end\n", C, g); for (int i = 0; i < g; i++) printf("%d %u %u %u %u %d %d\n", i, h[i * 8], h[i * 8 + 1], h[i * 8 + 2], h[i * 8 + 3], (int)(h[i * 8 + 4] - h[4]), (int)(h[i * 8 + 5] - h[4])); }
  printf("# clusters in two and three dimensions: grid 4x4x2\n");
  for (dim3 c : { dim3(2, 2, 1), dim3(2, 2, 2), dim3(1, 4, 1), dim3(1, 1, 2), dim3(4, 2, 1) }) { Grid s = shape(1, 64, 1, BIG); s.g = dim3(4, 4, 2); s.c = c; if (!place("dimensions", s, 30000, 30000, 0)) continue; printf("# cluster %ux%ux%u\nx y z smid rank cluster ticket\n", c.x, c.y, c.z); for (u32 i = 0; i < 32; i++) printf("%u %u %u %u %u %u %u\n", i % 4, h[i * 8 + 7] & 65535, h[i * 8 + 7] >> 16, h[i * 8], h[i * 8 + 1], h[i * 8 + 2], h[i * 8 + 3]); }
}
// ---- 8: multicast -----------------------------------------------------------------------------------------------------------
static const int MREP = 12;
// one copy of `bytes` by rank 0 to the first m blocks, each of them answers with an arrival at rank 0's second barrier; out: rank 0's own wait and the wait for all answers
__global__ void k_mclat(u32* out, const unsigned char* src, u32 bytes, int m, int plain) {
  u32 base = at(sm), r = rank_(), bar = base + 65536, ack = bar + 8; bool good = true; if (threadIdx.x == 0) { mb_init(bar, 1); mb_init(ack, m); mb_fence(); }
  __syncwarp(); csync();
  for (int i = 0; i < MREP; i++) {
    if (threadIdx.x == 0 && (int)r < m && good) mb_expect(bar, bytes);
    __syncwarp(); csync();
    if (threadIdx.x == 0 && (int)r < m && good) { u32 t0 = now();
      if (r == 0) { if (plain) bulk_g(base, bar, src, bytes); else bulk_mc(base, bar, src, bytes, (1u << m) - 1); }
      good = mb_wait(bar, i & 1); u32 t1 = now(); mb_arrive_far(mapa(ack, 0));
      if (r == 0) { good = mb_wait(ack, i & 1) && good; u32 t2 = now(); out[i * 2] = good ? t1 - t0 : 0; out[i * 2 + 1] = good ? t2 - t0 : 0; } }
    __syncwarp(); csync(); }
}
// a stream of tiles of T bytes, S stages: how 0: each block loads all of T itself in one copy; 1: in C copies; 2: each block multicasts its T/C to all; 3: rank 0 multicasts all of T
static const char* HOW[4] = { "own_one_copy", "own_C_copies", "multicast_shares", "multicast_by_rank0" };
__global__ void k_mcbw(u32* out, const unsigned char* src, u32 T, int S, int iters, int how) {
  u32 base = at(sm), r = rank_(), C = size_(), full = base + 196608, empty = full + 256, w = threadIdx.x / 32, lane = threadIdx.x % 32, share = T / C; const unsigned char* from = src + (blockIdx.x / C) % 32 * 262144;
  if (threadIdx.x == 0) { for (int s = 0; s < S; s++) { mb_init(full + s * 8, 1); mb_init(empty + s * 8, how >= 2 ? C : 1); } mb_fence(); }
  __syncthreads(); csync(); u32 t0 = now(); bool good = true;
  if (w == 0 && lane == 0) {
    for (int i = 0; i < iters && good; i++) { int s = i % S; u32 f = full + s * 8, d = base + s * T; const unsigned char* p = from + (i * T) % 262144; if (i >= S) good = mb_wait(empty + s * 8, (i / S - 1) & 1); if (!good) break; mb_expect(f, T);
      if (how == 0) bulk_g(d, f, p, T); else if (how == 1) for (u32 k = 0; k < C; k++) bulk_g(d + k * share, f, p + k * share, share); else if (how == 2) bulk_mc(d + r * share, f, p + r * share, share, (1u << C) - 1); else if (r == 0) bulk_mc(d, f, p, T, (1u << C) - 1); }
    if (!good) out[gridDim.x + blockIdx.x] = 1; }
  if (w == 1) {
    for (int i = 0; i < iters && good; i++) { int s = i % S; if (lane == 0) good = mb_wait(full + s * 8, i / S & 1); good = __shfl_sync(~0u, good, 0); if (!good) break; if (how >= 2) { if (lane < C) mb_arrive_far(mapa(empty + s * 8, lane)); } else if (lane == 0) mb_arrive(empty + s * 8); }
    if (lane == 0) { out[blockIdx.x] = now() - t0; if (!good) out[gridDim.x + blockIdx.x] = 1; } }
  __syncthreads(); csync();
}
static void mcbw(int C, u32 T, int S, int how, bool full) {
  size_t smem = 196608 + 1024; int g = full ? machine(resident(k_mcbw, 64, C, smem), C) : C, iters = 64; std::string w = fmt("multicast stream cluster %d tile %u stages %d how %s full %d", C, T, S, HOW[how], full); std::vector<double> m; int bad = 0;
  for (int rep = 0; rep < 3; rep++) { cudaMemset(dout, 0, 8 * g); if (!go(w.c_str(), 2 * g, k_mcbw, shape(g, 64, C, smem), dout, (const unsigned char*)dsrc, T, S, iters, how)) return; std::vector<double> v; for (int b = 0; b < g; b++) { v.push_back(h[b]); bad += h[g + b]; } m.push_back(med(v)); }
  if (bad) { printf("ERROR %s: %d gave up\n", w.c_str(), bad); return; }
  printf("%s %d %u %d %s %d %.2f %.1f\n", HOW[how], C, T, S, full ? "full" : "one", g, (double)T * iters / med(m), med(m) / iters); fflush(stdout);
}
static void t_multicast() {
  printf("# one copy by rank 0 to the first `targets` blocks (0: without multicast, to itself), data in L2: cycles until rank 0 has it, and until rank 0 has an arrival from all of them; median of %d after 2 to warm up\ncluster targets bytes own all_answered\n", MREP - 2);
  for (int C : { 2, 4, 8, 16 }) for (int m : { 0, 1, 2, 4, 8, 16 }) { if (m > C) continue; for (u32 bytes : { 16u, 128u, 256u, 512u, 1024u, 2048u, 4096u, 8192u, 16384u, 32768u }) { std::string w = fmt("multicast cluster %d targets %d bytes %u", C, m, bytes); cudaMemset(dout, 0, 4096); if (!go(w.c_str(), MREP * 2, k_mclat, shape(C, 32, C, BIG), dout, (const unsigned char*)dsrc, bytes, m ? m : 1, m == 0)) continue;
    std::vector<double> a, b; bool bad = false; for (int i = 2; i < MREP; i++) { a.push_back(h[i * 2]); b.push_back(h[i * 2 + 1]); bad |= !h[i * 2]; } if (bad) printf("ERROR %s: gave up\n", w.c_str()); else printf("%d %d %u %.0f %.0f\n", C, m, bytes, med(a), med(b)); } }
  printf("# tiles of T bytes into every block, 64 in a row, S stages; a stage is free when every block of the cluster has told every sender; bytes a cycle received by an SM\nhow cluster tile stages machine blocks bytes_per_cycle_per_SM cycles_per_tile\n");
  for (int C : { 2, 4, 8, 16 }) for (int full = 0; full < 2; full++) for (u32 T : { 2048u, 8192u, 16384u, 32768u }) { int S = T == 32768u ? 6 : 8; for (int how = 0; how < 4; how++) mcbw(C, T, S, how, full); mcbw(C, T, 2, 2, full); mcbw(C, T, 2, 0, full); }
}
// ---- 9: bulk copies between blocks ------------------------------------------------------------------------------------------
static const int DREP = 16;
__global__ void k_dsmlat(u32* out, u32 bytes, int self) {
  u32 base = at(sm), r = rank_(), C = size_(), bar = base + 131072, n = 0; bool good = true; if (threadIdx.x == 0) { out[blockIdx.x] = smid(); mb_init(bar, 1); mb_fence(); } for (u32 i = threadIdx.x; i < 32768 / 4; i += blockDim.x) ((u32*)sm)[i] = i;
  A("fence.proxy.async;" ::: "memory"); if (threadIdx.x == 0) mb_expect(bar, bytes); __syncthreads(); csync();
  if (self) { if (threadIdx.x == 0 && r == 0) { u32 t0 = 0; for (int i = 0; i < DREP + 4 && good; i++) { if (i == 4) t0 = now(); bulk_s(mapa(base + 65536, 0), mapa(bar, 0), base, bytes); good = mb_wait(bar, i & 1); if (good) mb_expect(bar, bytes); } out[gridDim.x] = good ? now() - t0 : 0; } __syncthreads(); csync(); return; }
  for (u32 t = 1; t < C; t++) {
    if (threadIdx.x == 0 && (r == 0 || r == t)) { u32 peer = r ? 0 : t, fd = mapa(base + 65536, peer), fb = mapa(bar, peer), t0 = 0;
      for (int i = 0; i < DREP + 4 && good; i++) { if (r == 0) { if (i == 4) t0 = now(); bulk_s(fd, fb, base, bytes); } good = mb_wait(bar, n & 1); n++; if (r) bulk_s(fd, fb, base, bytes); if (good) mb_expect(bar, bytes); }
      if (r == 0) out[gridDim.x + blockIdx.x / C * C + t] = good ? now() - t0 : 0; }
    __syncthreads(); csync(); }
}
// pattern 0: each block to the next, 1: all others to rank 0, 4: rank 0 to rank 1; `deep` copies of `bytes` under way for each sender
__global__ void k_dsmbw(u32* out, u32 bytes, int deep, int iters, int pattern) {
  u32 base = at(sm), r = rank_(), C = size_(), full = base + 196608, ack = full + 2048, w = threadIdx.x / 32, lane = threadIdx.x % 32; bool sends = pattern == 0 || (pattern == 1 ? r != 0 : r == 0), gets = pattern == 0 || (pattern == 1 ? r == 0 : r == 1); u32 to = pattern == 0 ? (r + 1) % C : pattern == 1 ? 0 : 1;
  // a slot of a sender has its barrier at the target: number of the sender (pattern 1) times deep and the slot; stages begin at 32 KiB and may overlap between senders, nobody reads them
  if (threadIdx.x == 0) { for (int i = 0; i < 16 * deep; i++) mb_init(full + i * 8, 1); for (int i = 0; i < deep; i++) mb_init(ack + i * 8, 1); mb_fence(); } for (u32 i = threadIdx.x; i < 32768 / 4; i += blockDim.x) ((u32*)sm)[i] = i;
  A("fence.proxy.async;" ::: "memory"); u32 f0 = full + (pattern == 1 ? r * deep * 8 : 0); bool good = true; __syncthreads();
  u32 senders = !gets ? 0 : pattern == 1 ? C - 1 : 1; if (threadIdx.x == 0) for (u32 k = 0; k < senders; k++) for (int s = 0; s < deep; s++) mb_expect(full + ((pattern == 1 ? (k + 1) * deep : 0) + s) * 8, bytes);
  __syncthreads(); csync(); u32 t0 = now();
  if (w == 0 && lane == 0 && sends) { for (int i = 0; i < iters && good; i++) { int s = i % deep; if (i >= deep) good = mb_wait(ack + s * 8, (i / deep - 1) & 1); if (good) bulk_s(mapa(base + 32768 + s * bytes, to), mapa(f0 + s * 8, to), base, bytes); } if (!good) out[gridDim.x + blockIdx.x] = 1; }
  if (w > 0 && lane == 0 && w - 1 < senders) { u32 k = w - 1, from = pattern == 0 ? (r + C - 1) % C : pattern == 1 ? k + 1 : 0, f = full + (pattern == 1 ? (k + 1) * deep * 8 : 0);
    for (int i = 0; i < iters && good; i++) { int s = i % deep; good = mb_wait(f + s * 8, i / deep & 1); if (good) { mb_expect(f + s * 8, bytes); mb_arrive_far(mapa(ack + s * 8, from)); } }
    if (!good) out[gridDim.x + blockIdx.x] = 1; if (k == 0) out[blockIdx.x] = now() - t0; }
  __syncthreads(); csync();
}
static void t_dsm_bulk() {
  printf("# round trip of a copy between rank 0 and another rank over 2, in cycles; mean of %d; min median max over pairs, one pair at a time in each cluster; self: rank 0 to itself\ncluster bytes place pairs min median max\n", DREP);
  for (int C : { 2, 8, 16 }) for (u32 bytes : { 16u, 32u, 64u, 128u, 256u, 512u, 1024u, 2048u, 4096u, 8192u, 16384u }) { int g = whole(C); std::string w = fmt("dsm copy cluster %d bytes %u", C, bytes); if (!go(w.c_str(), 2 * g, k_dsmlat, shape(g, 32, C, BIG), dout, bytes, 0)) continue;
    std::vector<double> v[3]; int bad = 0; for (int b = 0; b < g; b++) if (b % C) { if (!h[g + b]) { bad++; continue; } v[near(h[b], h[b / C * C], false)].push_back(h[g + b] / (2.0 * DREP)); } for (int n = 1; n < 3; n++) if (v[n].size()) printf("%d %u %s %zu %.1f %.1f %.1f\n", C, bytes, NEAR[n], v[n].size(), lo(v[n]), med(v[n]), hi(v[n])); if (bad) printf("ERROR %s: %d gave up\n", w.c_str(), bad); fflush(stdout); }
  printf("# a stream of copies, `deep` under way for each sender, each answered by an arrival of the receiver before its slot is used again; per receiver (to_rank0: rank 0 from each sender, times the senders)\npattern cluster bytes deep machine receivers bytes_per_cycle_at_receiver cycles_per_copy\n");
  for (int C : { 2, 4, 8, 16 }) for (int p : { 0, 1, 4 }) for (int full = 0; full < 2; full++) for (u32 bytes : { 128u, 1024u, 4096u, 16384u }) for (int deep : { 1, 2, 4, 8 }) { if (p == 4 && C != 2 && C != 16) continue; if (p == 1 && C == 2) continue; size_t smem = 196608 + 4096; int threads = 32 * 17, g = full ? machine(resident(k_dsmbw, threads, C, smem), C) : C, iters = 64; std::string w = fmt("dsm stream cluster %d bytes %u deep %d pattern %s", C, bytes, deep, PAT[p]); std::vector<double> m; int bad = 0, n = 0; bool good = true;
    for (int rep = 0; rep < 3 && good; rep++) { cudaMemset(dout, 0, 8 * g); good = go(w.c_str(), 2 * g, k_dsmbw, shape(g, threads, C, smem), dout, bytes, deep, iters, p); if (!good) break; std::vector<double> v; for (int b = 0; b < g; b++) { if (h[b]) v.push_back(h[b]); bad += h[g + b]; } n = (int)v.size(); m.push_back(med(v)); }
    if (!good) continue; if (bad) { printf("ERROR %s: %d gave up\n", w.c_str(), bad); continue; } double t = med(m), k = p == 1 ? C - 1 : 1; printf("%s %d %u %d %s %d %.2f %.1f\n", PAT[p], C, bytes, deep, full ? "full" : "one", n, k * bytes * iters / t, t / (iters * k)); fflush(stdout); }
  for (u32 bytes : { 16u, 1024u, 16384u }) { std::string w = fmt("dsm copy to itself, bytes %u", bytes); if (!go(w.c_str(), 4, k_dsmlat, shape(2, 32, 2, BIG), dout, bytes, 1)) continue; if (h[2]) printf("# self bytes %u cycles %.1f\n", bytes, (double)h[2] / DREP); else printf("ERROR %s: gave up\n", w.c_str()); }
}
// ---- 10: remote arrivals ----------------------------------------------------------------------------------------------------
// how 0: mbarrier.arrive remote, 1: .release.cluster, 2: own barrier by shared::cluster, 3: own barrier by shared::cta; the last warp waits for the end of the phase, all others send n arrivals
static const char* RH[4] = { "arrive", "arrive.release.cluster", "own_by_shared::cluster", "own_by_shared::cta" };
__global__ void __launch_bounds__(1024) k_arrive(u32* out, int how, int pattern, int n, int lanes, int apart) {
  u32 base = at(sm), r = rank_(), C = size_(), w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32 - 1; bool own = how >= 2, sends = own || pattern == 0 || r != 0, gets = own || pattern == 0 || r == 0; u32 senders = own || pattern == 0 ? 1 : C - 1, to = own ? r : pattern == 0 ? (r + 1) % C : 0;
  u32 bars = apart ? lanes : 1; if (threadIdx.x == 0) { for (u32 i = 0; i < bars; i++) mb_init(base + i * 8, senders * warps * n * lanes / bars); mb_fence(); }
  u32 a = base + (apart ? lane * 8 : 0); if (how < 3) a = mapa(a, to); __syncthreads(); csync();
  for (int rep = 0; rep < 3; rep++) { u32 t0 = now(); bool good = true;
    if (w < warps) { if (sends && lane < lanes) {
#pragma unroll 8
      for (int i = 0; i < n; i++) { if (how == 1) mb_arrive_far_release(a); else if (how == 3) mb_arrive(a); else mb_arrive_far(a); } u32 t1 = now(); if (threadIdx.x == 0) out[blockIdx.x * 2] = t1 - t0; } }
    else if (gets && lane == 0) { for (u32 i = 0; i < bars; i++) good = mb_wait(base + i * 8, rep & 1) && good; out[blockIdx.x * 2 + 1] = good ? now() - t0 : 0; }
    __syncthreads(); csync(); }
}
static void t_remote_arrive() {
  printf("# arrivals at a barrier of another block; cycles at the receiver from a cluster barrier to the end of the phase over arrivals, and at the sender's first warp to issue its own; one cluster; third of 3 phases, median of 3 launches; lanes 32 apart 1: a barrier for each lane\nhow pattern cluster warps lanes apart arrivals_at_target cycles_at_target cycles_per_arrival cycles_per_arrive_instruction sender_cycles_per_instruction\n");
  for (int how = 0; how < 4; how++) for (int C : { 2, 4, 8, 16 }) for (int p : { 0, 1 }) for (int warps : { 1, 2, 4, 8, 16, 31 }) for (int kind = 0; kind < 3; kind++) { if (how >= 2 && (C > 2 || p)) continue; if (p == 1 && C == 2) continue; if (p == 0 && C == 4) continue;
    int lanes = kind ? 32 : 1, apart = kind == 2, n = kind ? 32 : 128, senders = p ? C - 1 : 1; std::string w = fmt("arrivals %s cluster %d warps %d lanes %d", RH[how], C, warps, lanes); std::vector<double> m, q; bool good = true;
    for (int rep = 0; rep < 3 && good; rep++) { cudaMemset(dout, 0, 4096); good = go(w.c_str(), C * 2, k_arrive, shape(C, (warps + 1) * 32, C, BIG), dout, how, p, n, lanes, apart); if (!good) break; std::vector<double> v, x; for (int b = 0; b < C; b++) { if (h[b * 2 + 1]) v.push_back(h[b * 2 + 1]); if (h[b * 2]) x.push_back(h[b * 2]); } if (v.size()) m.push_back(med(v)); q.push_back(med(x)); }
    if (!good) continue; if (m.empty()) { printf("ERROR %s: gave up\n", w.c_str()); continue; } double total = (double)senders * warps * n * lanes, ins = (double)senders * warps * n; printf("%s %s %d %d %d %d %.0f %.0f %.2f %.2f %.2f\n", RH[how], PAT[p], C, warps, lanes, apart, total, med(m), med(m) / total, med(m) / ins, med(q) / n); fflush(stdout); }
}
// ---- 11: k at once ----------------------------------------------------------------------------------------------------------
enum { OLDS, OLD, OLD16, OST, ORED, OATOM, OMIX, OKINDS };
static const char* ON[OKINDS] = { "ld.shared.u32", "ld.shared::cluster.u32", "ld.shared::cluster.v4", "st.shared::cluster.u32(issue)", "red.shared::cluster.add(issue)", "atom.shared::cluster.add.u32", "st.shared::cluster+fence.acq_rel.cluster" };
template <int KIND, int N> __global__ void k_order(u32* out, int lanes, u32 zero) {
  u32 base = at(sm), r = rank_(), C = size_(), lane = threadIdx.x, mask = lanes == 32 ? ~0u : 1; if (lane == 0) out[blockIdx.x] = smid(); for (int i = lane; i < 16384 / 4; i += 32) ((u32*)sm)[i] = 0; csync();
  for (u32 q = 0; q < C; q++) for (u32 t = 0; t < C; t++) { if (KIND == OLDS && t != q) continue;
    if (r == q) { u32 dt[4]; __syncwarp(); if (lane < lanes) { u32 a = mapa(base + lane * (KIND == OLD16 ? 16 : 4), t);
      for (int rep = 0; rep < 4; rep++) { a += zero; u32 v[N][4]; u32 acc = zero; if (KIND == OST || KIND == ORED || KIND == OMIX) A("fence.acq_rel.cluster;" ::: "memory"); u32 t0 = now();
#pragma unroll
        for (int i = 0; i < N; i++) { const int S = KIND == OLD16 ? 512 : 128; v[i][1] = v[i][0] = 0; access<KIND == OLD16 ? 16 : 4, KIND == OLDS ? BLDL : KIND == OST || KIND == OMIX ? BST : KIND == ORED ? BRED : KIND == OATOM ? BATOM : BLD>(a + i * S, v[i]); }
        if (KIND == OLDS || KIND == OLD || KIND == OLD16 || KIND == OATOM) __syncwarp(mask); // else sums go between the loads
        if (KIND == OMIX) A("fence.acq_rel.cluster;" ::: "memory");
        if (KIND != OST && KIND != ORED && KIND != OMIX) {
#pragma unroll
          for (int i = 0; i < N; i++) { acc |= v[i][0]; if (KIND == OLD16) acc |= v[i][1] | v[i][2] | v[i][3]; } need(acc); }
        dt[rep] = now() - t0; }
      if (lane == 0) for (int i = 0; i < 3; i++) out[gridDim.x + (blockIdx.x * C + t) * 3 + i] = dt[i + 1]; }
      __syncwarp(); }
    csync(); }
}
template <int KIND, int N> static void order1(int lanes) {
  const int C = 8; int g = whole(C); std::string w = fmt("%s k %d lanes %d", ON[KIND], N, lanes); if (!go(w.c_str(), g + (size_t)g * C * 3, k_order<KIND, N>, shape(g, 32, C, BIG), dout, lanes, 0u)) return; std::vector<double> v[3];
  for (int b = 0; b < g; b++) for (int t = 0; t < C; t++) { int u = b / C * C + t; if (KIND == OLDS && u != b) continue; u32* p = &h[g + (b * C + t) * 3]; v[near(h[b], h[u], u == b)].push_back(med({ (double)p[0], (double)p[1], (double)p[2] })); }
  for (int n = 0; n < 3; n++) if (v[n].size()) printf("%s %d %d %s %zu %.0f %.0f %.0f\n", ON[KIND], N, lanes, NEAR[n], v[n].size(), lo(v[n]), med(v[n]), hi(v[n])); fflush(stdout);
}
template <int KIND> static void orders() { for (int lanes : { 1, 32 }) { order1<KIND, 1>(lanes); order1<KIND, 2>(lanes); order1<KIND, 3>(lanes); order1<KIND, 4>(lanes); order1<KIND, 6>(lanes); order1<KIND, 8>(lanes); order1<KIND, 12>(lanes); order1<KIND, 16>(lanes); order1<KIND, 24>(lanes); order1<KIND, 32>(lanes); } }
static void t_order() {
  printf("# cycles for k independent accesses of one warp, until all are there (loads, atomics), or until the last has been issued (stores, reductions), or until a fence behind them is over; cluster size 8, one pair at a time in each cluster, median of 3 after one to warm up\nform k lanes place pairs min median max\n");
  orders<OLDS>(); orders<OLD>(); orders<OLD16>(); orders<OST>(); orders<ORED>(); orders<OATOM>(); orders<OMIX>();
}
