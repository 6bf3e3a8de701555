// ---- 1 and 2: chains --------------------------------------------------------------------------------------------------------
enum { LDS4, LDC4, LDC8, LDC16, LDG4, LDG8, LDS16, LDSACQ, ADDS, ADD, EXCH, CAS, ADD64, ADDF, ADDG, ADDACQ, KINDS };
static const char* KN[KINDS] = { "ld.shared.u32", "ld.shared::cluster.u32", "ld.shared::cluster.v2", "ld.shared::cluster.v4", "ld.u32(mapa.u64)", "ld.u64(mapa.u64)", "ld.shared.v4", "ld.acquire.cluster.shared::cluster", "atom.shared.add.u32", "atom.shared::cluster.add.u32", "atom.shared::cluster.exch.b32", "atom.shared::cluster.cas.b32", "atom.shared::cluster.add.u64", "atom.shared::cluster.add.f32", "atom.add.u32(mapa.u64)", "atom.acq_rel.cluster.shared::cluster.add" };
static const int KW[KINDS] = { 4, 4, 8, 16, 8, 8, 16, 4, 4, 4, 4, 4, 8, 4, 8, 4 };
template <int KIND> D void step(u32& v, u32 hi, u32 zero, u32& rest) { // rest: the other words, off the chain, so that wide loads stay wide
  if constexpr (KIND == LDS4) A("ld.shared.u32 %0, [%0];" : "+r"(v) :: "memory");
  if constexpr (KIND == LDC4) A("ld.shared::cluster.u32 %0, [%0];" : "+r"(v) :: "memory");
  if constexpr (KIND == LDC8) { u32 x; A("ld.shared::cluster.v2.u32 {%0,%1}, [%0];" : "+r"(v), "=r"(x) :: "memory"); rest ^= x; }
  if constexpr (KIND == LDC16) { u32 x, y, z; A("ld.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%0];" : "+r"(v), "=r"(x), "=r"(y), "=r"(z) :: "memory"); rest ^= x ^ y ^ z; }
  if constexpr (KIND == LDG4) A("{.reg .b64 p; mov.b64 p, {%0,%1}; ld.u32 %0, [p];}" : "+r"(v) : "r"(hi) : "memory");
  if constexpr (KIND == LDS16) { u32 x, y, z; A("ld.shared.v4.u32 {%0,%1,%2,%3}, [%0];" : "+r"(v), "=r"(x), "=r"(y), "=r"(z) :: "memory"); rest ^= x ^ y ^ z; }
  if constexpr (KIND == LDSACQ) A("ld.acquire.cluster.shared::cluster.u32 %0, [%0];" : "+r"(v) :: "memory");
  if constexpr (KIND == ADDS) A("atom.shared.add.u32 %0, [%0], %1;" : "+r"(v) : "r"(zero) : "memory");
  if constexpr (KIND == ADD) A("atom.shared::cluster.add.u32 %0, [%0], %1;" : "+r"(v) : "r"(zero) : "memory");
  if constexpr (KIND == EXCH) A("atom.shared::cluster.exch.b32 %0, [%0], %0;" : "+r"(v) :: "memory");
  if constexpr (KIND == CAS) A("atom.shared::cluster.cas.b32 %0, [%0], %1, %1;" : "+r"(v) : "r"(zero + 3) : "memory");
  if constexpr (KIND == ADD64) A("{.reg .b64 x; .reg .b32 y; mov.b64 x, {%1,%1}; atom.shared::cluster.add.u64 x, [%0], x; mov.b64 {%0,y}, x;}" : "+r"(v) : "r"(zero) : "memory");
  if constexpr (KIND == ADDG) A("{.reg .b64 p; mov.b64 p, {%0,%1}; atom.add.u32 %0, [p], %2;}" : "+r"(v) : "r"(hi), "r"(zero) : "memory");
  if constexpr (KIND == ADDACQ) A("atom.acq_rel.cluster.shared::cluster.add.u32 %0, [%0], %1;" : "+r"(v) : "r"(zero) : "memory");
}
static const int CHAIN = 32;
template <int KIND> __global__ void k_chain(u32* out, int lanes, u32 zero, int oneword, int width) {
  u32 base = at(sm), r = rank_(), C = size_(), lane = threadIdx.x; u64 g = (u64)(void*)sm; u32 hi = (u32)(g >> 32);
  u32 own = mapa(base + lane * width, r); // the address of each word is in it
  u32* w = (u32*)(sm + lane * width); w[0] = own; if (width >= 8) w[1] = (KIND == LDG8) ? hi : 0; if (width == 16) w[2] = w[3] = 0;
  ((u32*)(sm + 2048))[lane] = 0; // 0.0f for additions of floats
  if (lane == 0) out[blockIdx.x] = smid();
  csync();
  for (u32 q = 0; q < C; q++) for (u32 t = 0; t < C; t++) {
    if ((KIND == LDS4 || KIND == LDS16 || KIND == ADDS) && t != q) continue;
    if (r == q) { u32 dt[3]; __syncwarp(); if (lane < lanes) {
      u32 v = mapa(base + (oneword ? 0 : lane) * width, t), f = mapa(base + 2048 + (oneword ? 0 : lane) * 4, t); u64 p = ((u64)hi << 32) | v; float x = __uint_as_float(zero); u32 bits = 0, rest = 0;
      for (int rep = 0; rep < 4; rep++) { u32 t0 = now();
#pragma unroll
        for (int i = 0; i < CHAIN; i++) {
          if constexpr (KIND == LDG8) A("ld.u64 %0, [%0];" : "+l"(p) :: "memory");
          else if constexpr (KIND == ADDF) { float y; A("atom.shared::cluster.add.f32 %0, [%1], %2;" : "=f"(y) : "r"(f), "f"(x) : "memory"); bits = __float_as_uint(y); f += bits; }
          else step<KIND>(v, hi, zero, rest); }
        need(KIND == LDG8 ? (u32)p : KIND == ADDF ? f : v); need(rest); u32 t1 = now(); if (rep) dt[rep - 1] = t1 - t0; }
      if (lane == 0) for (int i = 0; i < 3; i++) out[gridDim.x + (blockIdx.x * C + t) * 3 + i] = dt[i]; }
      __syncwarp(); }
    csync(); }
}
static int near(u32 a, u32 b, bool self) { return self ? 0 : a / 2 == b / 2 ? 1 : 2; }
static const char* NEAR[3] = { "self", "same_TPC", "other_TPC" };
template <int KIND> static void chain(int C, int lanes, int one, bool pairs = false) {
  int g = whole(C); std::string w = fmt("%s cluster %d lanes %d one_word %d", KN[KIND], C, lanes, one);
  if (!go(w.c_str(), g + (size_t)g * C * 3, k_chain<KIND>, shape(g, 32, C, BIG), dout, lanes, 0u, one, KW[KIND])) return;
  std::vector<double> v[3];
  for (int b = 0; b < g; b++) for (int t = 0; t < C; t++) { int u = b / C * C + t; if ((KIND == LDS4 || KIND == LDS16 || KIND == ADDS) && u != b) continue; u32* p = &h[g + (b * C + t) * 3];
    double m = med({ (double)p[0], (double)p[1], (double)p[2] }) / CHAIN; v[near(h[b], h[u], u == b)].push_back(m);
    if (pairs) printf("pair %d %d %u %d %u %.2f\n", b / C, b % C, h[b], t, h[u], m); }
  if (!pairs) for (int n = 0; n < 3; n++) if (v[n].size()) printf("%s %d %d %s %s %zu %.2f %.2f %.2f\n", KN[KIND], C, lanes, one ? "one" : "distinct", NEAR[n], v[n].size(), lo(v[n]), med(v[n]), hi(v[n]));
  fflush(stdout);
}
template <int KIND> static void chains(bool atoms) { for (int C : { 2, 4, 8, 16 }) { chain<KIND>(C, 1, 0); chain<KIND>(C, 32, 0); if (atoms) chain<KIND>(C, 32, 1); else if (C == 8 && KIND == LDC4) chain<KIND>(C, 32, 1); } }
static void t_latency() {
  printf("# cycles a load, chain of %d dependent loads, median of 3; min median max over all pairs of (reader, target), one pair at a time in each cluster\n", CHAIN);
  printf("form cluster lanes words place pairs min median max\n");
  chains<LDS4>(0); chains<LDS16>(0); chains<LDC4>(0); chains<LDC8>(0); chains<LDC16>(0); chains<LDG4>(0); chains<LDG8>(0); chains<LDSACQ>(0);
  printf("# pairs of ld.shared::cluster.u32, one lane\nword cluster reader_rank reader_smid target_rank target_smid cycles\n"); printf("# cluster size 16\n"); chain<LDC4>(16, 1, 0, true); printf("# cluster size 2\n"); chain<LDC4>(2, 1, 0, true);
}
static void t_atomic() {
  printf("# cycles an atomic operation, chain of %d dependent ones, median of 3; min median max over all pairs, one pair at a time in each cluster\n", CHAIN);
  printf("form cluster lanes words place pairs min median max\n");
  chains<ADDS>(1); chains<ADD>(1); chains<EXCH>(1); chains<CAS>(1); chains<ADD64>(1); chains<ADDG>(1); chains<ADDACQ>(1); chains<ADDF>(1);
}
// ---- 3: there and back ------------------------------------------------------------------------------------------------------
enum { PST, PSTV, PREL, PATOM, PARR, PARRREL, PARRTEST, PDATA, PASYNC, PASYNC4, PRED, PBULK, PKINDS };
static const char* PN[PKINDS] = { "st,ld.volatile.shared", "st.volatile,ld.volatile.shared", "st.release.cluster,ld.acquire.cluster", "red.add,ld.volatile.shared", "arrive,try_wait", "arrive.release.cluster,try_wait.acquire.cluster", "arrive,test_wait", "st+arrive.release.cluster,try_wait.acquire.cluster+ld", "st.async.u32,try_wait", "st.async.v4,try_wait", "red.async.add,try_wait", "cp.async.bulk_16B,try_wait" };
template <int KIND> D void ping(u32 data, u32 bar, u32 src, u32 n) {
  if constexpr (KIND == PST) A("st.shared::cluster.u32 [%0], %1;" :: "r"(data), "r"(n) : "memory");
  if constexpr (KIND == PSTV) A("st.volatile.shared::cluster.u32 [%0], %1;" :: "r"(data), "r"(n) : "memory");
  if constexpr (KIND == PREL) A("st.release.cluster.shared::cluster.u32 [%0], %1;" :: "r"(data), "r"(n) : "memory");
  if constexpr (KIND == PATOM) A("red.shared::cluster.add.u32 [%0], %1;" :: "r"(data), "r"(1) : "memory");
  if constexpr (KIND == PDATA) A("st.shared::cluster.u32 [%0], %1;" :: "r"(data), "r"(n) : "memory");
  if constexpr (KIND == PARR || KIND == PARRTEST) mb_arrive_far(bar);
  if constexpr (KIND == PARRREL || KIND == PDATA) mb_arrive_far_release(bar);
  if constexpr (KIND == PASYNC) A("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" :: "r"(data), "r"(n), "r"(bar) : "memory");
  if constexpr (KIND == PASYNC4) A("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1,%1,%1,%1}, [%2];" :: "r"(data), "r"(n), "r"(bar) : "memory");
  if constexpr (KIND == PRED) A("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" :: "r"(data), "r"(n), "r"(bar) : "memory");
  if constexpr (KIND == PBULK) bulk_s(data, bar, src, 16);
}
template <int KIND> D bool pong(u32 data, u32 bar, u32 n) { // n: the n-th message to this block, from 1
  u32 par = (n - 1) & 1, v = 0;
  if constexpr (KIND <= PATOM) { for (int k = 0; k < 100000; k++) { if constexpr (KIND == PREL) A("ld.acquire.cluster.shared::cta.u32 %0, [%1];" : "=r"(v) : "r"(data) : "memory"); else A("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(data) : "memory"); if (v == n) return true; } return false; }
  else if constexpr (KIND == PARRTEST) { for (int k = 0; k < 100000; k++) if (mb_test(bar, par)) return true; return false; }
  else if constexpr (KIND == PARRREL || KIND == PDATA) { for (int k = 0; k < 2000; k++) if (mb_try_acquire(bar, par)) { if constexpr (KIND == PDATA) { A("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(data) : "memory"); need(v); } return true; } return false; }
  else return mb_wait(bar, par);
}
static const int ROUNDS = 32;
template <int KIND> __global__ void k_ping(u32* out) {
  u32 base = at(sm), r = rank_(), C = size_(), data = base, src = base + 64, bar = base + 128, n = 0, bytes = KIND == PASYNC4 || KIND == PBULK ? 16 : 4; const bool tx = KIND >= PASYNC; bool good = true;
  if (threadIdx.x == 0) { for (int i = 0; i < 32; i++) ((volatile u32*)sm)[i] = 0; mb_init(bar, 1); mb_fence(); out[blockIdx.x] = smid(); if (tx) mb_expect(bar, bytes); }
  __syncwarp(); csync();
  for (u32 t = 1; t < C; t++) {
    if (threadIdx.x == 0 && (r == 0 || r == t)) { u32 peer = r == 0 ? t : 0, fd = mapa(data, peer), fb = mapa(bar, peer), t0 = 0, sent = r == 0 ? 0 : n; // each block numbers what it gets; rank 0 sends what rank t counts from 1
      for (int i = 0; i < ROUNDS + 8 && good; i++) {
        if (r == 0) { if (i == 8) t0 = now(); ping<KIND>(fd, fb, src, i + 1); good = pong<KIND>(data, bar, n + 1); n++; if (tx && good) mb_expect(bar, bytes); }
        else { good = pong<KIND>(data, bar, i + 1); ping<KIND>(fd, fb, src, (t - 1) * (ROUNDS + 8) + i + 1); if (tx && good) mb_expect(bar, bytes); } }
      if (r == 0) { u32 t1 = now(); out[gridDim.x + blockIdx.x / C * C + t] = good ? t1 - t0 : 0; } (void)sent; }
    __syncwarp(); csync(); }
}
template <int KIND> static void pings(int C) {
  int g = whole(C); std::string w = fmt("%s cluster %d", PN[KIND], C); if (!go(w.c_str(), 2 * g, k_ping<KIND>, shape(g, 32, C, BIG), dout)) return;
  std::vector<double> v[3]; int bad = 0; for (int b = 0; b < g; b++) if (b % C) { u32 x = h[g + b]; if (!x) { bad++; continue; } v[near(h[b], h[b / C * C], false)].push_back((double)x / ROUNDS); }
  for (int n = 1; n < 3; n++) if (v[n].size()) printf("%s %d %s %zu %.1f %.1f %.1f\n", PN[KIND], C, NEAR[n], v[n].size(), lo(v[n]), med(v[n]), hi(v[n]));
  if (bad) printf("ERROR %s: %d pairs gave up\n", w.c_str(), bad); fflush(stdout);
}
static void t_store_latency() {
  printf("# cycles of a round trip between rank 0 and another rank, mean of %d rounds; min median max over pairs (one pair at a time in each cluster, clusters on the whole machine)\nhow cluster place pairs min median max\n", ROUNDS);
  for (int C : { 2, 8, 16 }) { pings<PST>(C); pings<PSTV>(C); pings<PREL>(C); pings<PATOM>(C); pings<PARR>(C); pings<PARRREL>(C); pings<PARRTEST>(C); pings<PDATA>(C); pings<PASYNC>(C); pings<PASYNC4>(C); pings<PRED>(C); pings<PBULK>(C); }
}
// ---- 4: bandwidth -----------------------------------------------------------------------------------------------------------
enum { BLD, BST, BRED, BATOM, BLDL, BSTL, BASYNC, BOPS };
static const char* BN[BOPS] = { "ld.shared::cluster", "st.shared::cluster", "red.shared::cluster.add.u32", "atom.shared::cluster.add.u32", "ld.shared", "st.shared", "st.async" };
template <int W, int OP> D void access(u32 a, u32* v) {
  if constexpr (OP == BLD) { if constexpr (W == 4) A("ld.shared::cluster.u32 %0, [%1];" : "=r"(v[0]) : "r"(a) : "memory"); else if constexpr (W == 8) A("ld.shared::cluster.v2.u32 {%0,%1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "r"(a) : "memory"); else A("ld.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(a) : "memory"); }
  if constexpr (OP == BLDL) { if constexpr (W == 4) A("ld.shared.u32 %0, [%1];" : "=r"(v[0]) : "r"(a) : "memory"); else if constexpr (W == 8) A("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "r"(a) : "memory"); else A("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(a) : "memory"); }
  if constexpr (OP == BST) { if constexpr (W == 4) A("st.shared::cluster.u32 [%0], %1;" :: "r"(a), "r"(v[0]) : "memory"); else if constexpr (W == 8) A("st.shared::cluster.v2.u32 [%0], {%1,%2};" :: "r"(a), "r"(v[0]), "r"(v[1]) : "memory"); else A("st.shared::cluster.v4.u32 [%0], {%1,%2,%3,%4};" :: "r"(a), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]) : "memory"); }
  if constexpr (OP == BSTL) { if constexpr (W == 4) A("st.shared.u32 [%0], %1;" :: "r"(a), "r"(v[0]) : "memory"); else if constexpr (W == 8) A("st.shared.v2.u32 [%0], {%1,%2};" :: "r"(a), "r"(v[0]), "r"(v[1]) : "memory"); else A("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" :: "r"(a), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]) : "memory"); }
  if constexpr (OP == BRED) A("red.shared::cluster.add.u32 [%0], %1;" :: "r"(a), "r"(v[0]) : "memory");
  if constexpr (OP == BATOM) A("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(v[0]) : "r"(a), "r"(v[1]) : "memory");
}
// pattern 0 ring, 1 all others to rank 0, 2 spread over all others, 3 self, 4 only rank 0 to rank 1; stride < 0: lanes in a row, else words between lanes
static const char* PAT[5] = { "ring", "to_rank0", "spread", "self", "one_to_one" };
template <int W, int OP, bool STRIDE> __global__ void __launch_bounds__(1024) k_bw(u32* out, int pattern, int stride, int iters, u32 zero) {
  u32 base = at(sm), r = rank_(), C = size_(), w = threadIdx.x / 32, lane = threadIdx.x % 32; const bool local = OP == BLDL || OP == BSTL, stores = OP == BST || OP == BSTL || OP == BRED; const int S = STRIDE ? 4 : 32 * W;
  for (u32 i = threadIdx.x; i < 131072 / 4; i += blockDim.x) ((u32*)sm)[i] = 0;
  u32 off = base + (STRIDE ? w * 4096 + lane * stride * 4 : (w * 8 * 32 + lane) * W), t = pattern == 0 ? (r + 1) % C : pattern == 1 ? 0 : pattern == 2 ? (C > 1 ? (r + 1 + w % (C - 1)) % C : 0) : pattern == 3 ? r : 1, a = local ? off : mapa(off, t), spread = pattern == 2;
  bool on = pattern == 1 ? r != 0 : pattern == 4 ? r == 0 : true; u32 acc = 0, dt = 0;
  __syncthreads(); csync();
  for (int rep = 0; rep < 2; rep++) {
    if (on) { __syncthreads(); u32 t0 = now(); int n = rep ? iters : 4;
#pragma unroll 1
      for (int i = 0; i < n; i++) { u32 v[8][4];
#pragma unroll
        for (int u = 0; u < 8; u++) { v[u][0] = v[u][1] = v[u][2] = v[u][3] = zero; access<W, OP>(a + u * S, v[u]); }
        a += zero; if (!stores) __syncwarp(~zero); // else the loads leave the loop, and sums go between the loads
        if (spread) { t = t + 1 == C ? 0 : t + 1; if (t == r) t = t + 1 == C ? 0 : t + 1; a = mapa(off + zero, t); } // the next batch to the next of the others
        if (!stores) {
#pragma unroll
          for (int u = 0; u < 8; u++) { acc ^= v[u][0]; if (W >= 8 && OP != BATOM) acc ^= v[u][1]; if (W == 16 && OP != BATOM) acc ^= v[u][2] ^ v[u][3]; } need(acc); } }
      if (stores) A("fence.acq_rel.cluster;" ::: "memory");
      __syncthreads(); dt = now() - t0; }
    csync(); }
  if (threadIdx.x == 0) out[blockIdx.x] = on ? dt : 0;
  csync();
}
template <class K> static int resident(K k, int block, int C, size_t smem) { // blocks of clusters that the machine holds at once
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem); if (C > 8) cudaFuncSetAttribute(k, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  cudaLaunchConfig_t c; memset(&c, 0, sizeof c); c.gridDim = dim3(whole(C)); c.blockDim = dim3(block); c.dynamicSmemBytes = smem; cudaLaunchAttribute a; memset(&a, 0, sizeof a); a.id = cudaLaunchAttributeClusterDimension; a.val.clusterDim.x = C; a.val.clusterDim.y = a.val.clusterDim.z = 1; c.attrs = &a; c.numAttrs = 1; int n = 0;
  if (cudaOccupancyMaxActiveClusters(&n, k, &c) != cudaSuccess) { cudaGetLastError(); return -1; } return n * C;
}
static int machine(int blocks, int C) { return blocks <= 0 ? C : std::min(blocks, whole(C)); }
template <int W, int OP, bool STRIDE = false> static void bw(int C, int warps, int pattern, int stride, bool full) {
  int g = full ? machine(resident(k_bw<W, OP, STRIDE>, warps * 32, C, BIG), C) : C, iters = warps == 1 ? 48 : warps <= 4 ? 32 : 16;
  std::string w = fmt("%s W %d cluster %d warps %d pattern %s stride %d full %d", BN[OP], W, C, warps, PAT[pattern], stride, full); std::vector<double> m; int on = 0;
  for (int rep = 0; rep < 3; rep++) { if (!go(w.c_str(), g, k_bw<W, OP, STRIDE>, shape(g, warps * 32, C, BIG), dout, pattern, stride, iters, 0u)) return; std::vector<double> v; for (int b = 0; b < g; b++) if (h[b]) v.push_back(h[b]); on = (int)v.size(); m.push_back(med(v)); }
  double bytes = (double)warps * 32 * W * 8 * iters, t = med(m), instr = (double)warps * 8 * iters;
  printf("%s %d %d %d %s %d %s %d %.2f %.2f %.2f\n", BN[OP], W, C, warps, PAT[pattern], stride, full ? "full" : "one", on, bytes / t, t / instr, pattern == 1 ? bytes * (C - 1) / t : bytes / t); fflush(stdout);
}
template <int W, int OP> static void bws() {
  if (OP == BLDL || OP == BSTL) { for (int warps : { 1, 4, 8, 16, 32 }) bw<W, OP>(2, warps, 3, -1, false); return; }
  for (int C : { 2, 4, 8, 16 }) for (int p = 0; p < 5; p++) { if ((p == 3 || p == 4) && C != 2) continue; if (p == 2 && C == 2) continue; for (int full = 0; full < 2; full++) { if ((p == 3 || p == 4) && full) continue; for (int warps : { 1, 4, 8, 16, 32 }) bw<W, OP>(C, warps, p, -1, full); } }
}
static const char* BWH = "op bytes_a_lane cluster warps pattern stride machine blocks_active bytes_per_cycle_per_active_SM cycles_per_warp_instruction bytes_per_cycle_at_target\n";
static void t_bandwidth() {
  printf("# median over active blocks, median of 3 launches; stride -1: lanes in a row; loads and atomics: 8 in a batch, then all are awaited; spread: each batch to another of the other blocks, warps begin with different ones; stores and reductions end with fence.acq_rel.cluster\n%s", BWH);
  bws<4, BLDL>(); bws<8, BLDL>(); bws<16, BLDL>(); bws<4, BSTL>(); bws<16, BSTL>(); bws<4, BLD>(); bws<8, BLD>(); bws<16, BLD>(); bws<4, BST>(); bws<8, BST>(); bws<16, BST>(); bws<4, BRED>(); bws<4, BATOM>();
}
static void t_conflicts() {
  printf("# words of 4 bytes, lanes `stride` words apart (0: one word), one cluster; self: own memory by shared::cluster\n%s", BWH);
  for (int warps : { 1, 8, 32 }) for (int s : { 0, 1, 2, 4, 8, 16, 32 }) { bw<4, BLDL, true>(2, warps, 3, s, false); bw<4, BLD, true>(2, warps, 3, s, false); bw<4, BLD, true>(2, warps, 4, s, false); bw<4, BLD, true>(2, warps, 0, s, false); bw<4, BLD, true>(4, warps, 1, s, false); bw<4, BLD, true>(8, warps, 1, s, false);
    bw<4, BSTL, true>(2, warps, 3, s, false); bw<4, BST, true>(2, warps, 4, s, false); bw<4, BST, true>(2, warps, 0, s, false); bw<4, BST, true>(4, warps, 1, s, false); bw<4, BRED, true>(2, warps, 4, s, false); bw<4, BRED, true>(2, warps, 0, s, false); bw<4, BATOM, true>(2, warps, 4, s, false); }
}
// the victim (rank 0) loads its own memory, the others read or write that memory until it tells them to stop
template <int W, int OP, bool vwide> __global__ void __launch_bounds__(1024) k_victim(u32* out, int vwarps, int rwarps, int iters, int readers, u32 zero) {
  u32 base = at(sm), r = rank_(), C = size_(), w = threadIdx.x / 32, lane = threadIdx.x % 32; volatile u32* flag = (volatile u32*)(sm + 140000); u32 acc = 0, dt = 0, n = 0;
  for (u32 i = threadIdx.x; i < 131072 / 4; i += blockDim.x) ((u32*)sm)[i] = 0; if (threadIdx.x == 0) *flag = 0;
  __syncthreads(); csync();
  if (r == 0) { // let them begin
    u32 t = now(); while (now() - t < 3000) {}
    __syncthreads(); u32 t0 = now(); u32 a = base + (vwide ? threadIdx.x * 16 : threadIdx.x * 4); // without `zero` the loads leave the loop
    if (w < vwarps) {
#pragma unroll 1
      for (int i = 0; i < iters; i++) { u32 v[8][4];
#pragma unroll
        for (int u = 0; u < 8; u++) { if constexpr (vwide) access<16, BLDL>(a + u * 16384, v[u]); else access<4, BLDL>(a + u * 4096, v[u]); }
        __syncwarp(~zero); // else sums go between the loads
#pragma unroll
        for (int u = 0; u < 8; u++) { acc ^= v[u][0]; if (vwide) acc ^= v[u][1] ^ v[u][2] ^ v[u][3]; } need(acc); a += zero; } }
    __syncthreads(); dt = now() - t0;
    if (threadIdx.x > 0 && threadIdx.x < C) A("st.volatile.shared::cluster.u32 [%0], 1;" :: "r"(mapa(base + 140000, threadIdx.x)) : "memory");
  } else if ((int)r <= readers && w < rwarps) { u32 a = mapa(base + threadIdx.x * W, 0), t0 = now(); u32 v[8][4];
#pragma unroll
    for (int u = 0; u < 8; u++) for (int k = 0; k < 4; k++) v[u][k] = 0;
#pragma unroll 1
    for (int i = 0; i < 20000 && now() - t0 < 4000000; i++) {
#pragma unroll
      for (int u = 0; u < 8; u++) access<W, OP>(a + u * 32 * 32 * W % 131072, v[u]);
      if (OP == BLD) __syncwarp(~zero);
      if (OP == BLD) {
#pragma unroll
        for (int u = 0; u < 8; u++) { acc ^= v[u][0]; if (W == 16) acc ^= v[u][1] ^ v[u][2] ^ v[u][3]; } need(acc); }
      a += zero; n++; if (*flag) break; }
    dt = now() - t0; }
  __syncthreads(); csync();
  if (threadIdx.x == 0) { out[blockIdx.x * 2] = dt; out[blockIdx.x * 2 + 1] = n; }
}
template <int W, int OP> static void victim(const char* name, int C, int readers, int vwarps, int rwarps, int vwide) {
  int iters = vwarps == 32 ? 256 : 512; std::string w = fmt("victim %s W %d cluster %d", name, W, C); std::vector<double> v, q;
  for (int rep = 0; rep < 3; rep++) { if (!go(w.c_str(), 2 * C, vwide ? k_victim<W, OP, true> : k_victim<W, OP, false>, shape(C, 1024, C, BIG), dout, vwarps, rwarps, iters, readers, 0u)) return; v.push_back(h[0]); if (readers) q.push_back((double)h[3] * 8 * rwarps * 32 * W / h[2]); }
  double b = (double)vwarps * 32 * (vwide ? 16 : 4) * 8 * iters; printf("%s %d %d %d %d %d %d %.0f %.2f %.3f %.2f\n", name, W, C, readers, rwarps, vwarps, vwide ? 16 : 4, med(v), b / med(v), med(v) / (8.0 * iters * vwarps), readers ? med(q) : 0.0); fflush(stdout);
}
static void t_victim() {
  printf("# rank 0 loads its own shared memory while `readers` other blocks access it: the victim's time and rate; reader_bytes_per_cycle of rank 1 alone (warp 0's count of rounds, times the warps)\nreaders_do bytes_a_lane cluster readers reader_warps victim_warps victim_bytes_a_lane victim_cycles victim_bytes_per_cycle victim_cycles_per_instruction reader_bytes_per_cycle\n");
  for (int vwarps : { 4, 8, 32 }) for (int vwide : { 0, 1 }) { victim<4, BLD>("nothing", 2, 0, vwarps, 32, vwide);
    for (int C : { 2, 4, 8, 16 }) { victim<4, BLD>("ld", C, C - 1, vwarps, 32, vwide); victim<16, BLD>("ld", C, C - 1, vwarps, 32, vwide); victim<4, BST>("st", C, C - 1, vwarps, 32, vwide); victim<16, BST>("st", C, C - 1, vwarps, 32, vwide); victim<4, BRED>("red", C, C - 1, vwarps, 32, vwide); } }
}
