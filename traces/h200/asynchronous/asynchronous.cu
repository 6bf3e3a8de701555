// Barriers in shared memory (mbarrier) and bulk copies: what they hold and what they cost, read by the kernels themselves.
#include <cstdint>
#include <cstdio>
#include <vector>
#include <algorithm>
typedef unsigned long long u64;
typedef unsigned u32;
__device__ __forceinline__ u32 at(const void* p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ u32 now() { u32 t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory"); return t; }
__device__ __forceinline__ void init(u32 b, u32 n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(n) : "memory"); }
__device__ __forceinline__ u64 arrive(u32 b) { u64 s; asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(s) : "r"(b) : "memory"); return s; }
__device__ __forceinline__ u64 arrive_n(u32 b, u32 n) { u64 s; asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;" : "=l"(s) : "r"(b), "r"(n) : "memory"); return s; }
__device__ __forceinline__ u64 arrive_nc(u32 b, u32 n) { u64 s; asm volatile("mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %0, [%1], %2;" : "=l"(s) : "r"(b), "r"(n) : "memory"); return s; }
__device__ __forceinline__ u64 arrive_tx(u32 b, u32 n) { u64 s; asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;" : "=l"(s) : "r"(b), "r"(n) : "memory"); return s; }
__device__ __forceinline__ u64 drop(u32 b) { u64 s; asm volatile("mbarrier.arrive_drop.shared::cta.b64 %0, [%1];" : "=l"(s) : "r"(b) : "memory"); return s; }
__device__ __forceinline__ u64 drop_n(u32 b, u32 n) { u64 s; asm volatile("mbarrier.arrive_drop.shared::cta.b64 %0, [%1], %2;" : "=l"(s) : "r"(b), "r"(n) : "memory"); return s; }
__device__ __forceinline__ u64 drop_nc(u32 b, u32 n) { u64 s; asm volatile("mbarrier.arrive_drop.noComplete.shared::cta.b64 %0, [%1], %2;" : "=l"(s) : "r"(b), "r"(n) : "memory"); return s; }
__device__ __forceinline__ u64 drop_tx(u32 b, u32 n) { u64 s; asm volatile("mbarrier.arrive_drop.expect_tx.shared::cta.b64 %0, [%1], %2;" : "=l"(s) : "r"(b), "r"(n) : "memory"); return s; }
__device__ __forceinline__ void expect(u32 b, u32 n) { asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(n) : "memory"); }
__device__ __forceinline__ void complete(u32 b, u32 n) { asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(n) : "memory"); }
__device__ __forceinline__ u32 test_state(u32 b, u64 s) { u32 p; asm volatile("{.reg .pred q; mbarrier.test_wait.shared::cta.b64 q, [%1], %2; selp.u32 %0,1,0,q;}" : "=r"(p) : "r"(b), "l"(s) : "memory"); return p; }
__device__ __forceinline__ u32 test(u32 b, u32 par) { u32 p; asm volatile("{.reg .pred q; mbarrier.test_wait.parity.shared::cta.b64 q, [%1], %2; selp.u32 %0,1,0,q;}" : "=r"(p) : "r"(b), "r"(par) : "memory"); return p; }
__device__ __forceinline__ u32 attempt(u32 b, u32 par) { u32 p; asm volatile("{.reg .pred q; mbarrier.try_wait.parity.shared::cta.b64 q, [%1], %2; selp.u32 %0,1,0,q;}" : "=r"(p) : "r"(b), "r"(par) : "memory"); return p; }
__device__ __forceinline__ u32 attempt_for(u32 b, u32 par, u32 ns) { u32 p; asm volatile("{.reg .pred q; mbarrier.try_wait.parity.shared::cta.b64 q, [%1], %2, %3; selp.u32 %0,1,0,q;}" : "=r"(p) : "r"(b), "r"(par), "r"(ns) : "memory"); return p; }
__device__ __forceinline__ void wait(u32 b, u32 par) { while (!attempt(b, par)) {} }
__device__ __forceinline__ void bulk_in(u32 d, const void* s, u32 n, u32 b) { asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(d), "l"(s), "r"(n), "r"(b) : "memory"); }
__device__ __forceinline__ void bulk_out(void* d, u32 s, u32 n) { asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(d), "r"(s), "r"(n) : "memory"); }
__device__ __forceinline__ void commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
__device__ __forceinline__ void wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ __forceinline__ void wait_all() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
extern __shared__ __align__(1024) unsigned char mem[];

// What the words hold. One warp.
__global__ void words(u64* o, const char* src, int risk) {
  __shared__ u64 bs[64]; __shared__ __align__(16) int dst[64];
  u64* b = bs; u32 a = at(b); int l = threadIdx.x; u32 k = 0;
  auto word = [&] { __syncwarp(); if (l == 0) o[k] = *(volatile u64*)b; __syncwarp(); k++; };
  auto inside = [&] { __syncwarp(); if (l == 0) { asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(a) : "memory"); o[k] = *(volatile u64*)b; } __syncwarp(); k++; };
  auto token = [&](u64 v) { __syncwarp(); if (l == 0) o[k] = v; k++; };
  auto tokens = [&](u64 v) { __syncwarp(); o[k + l] = v; k += 32; };
#define ONE(e) { u64 v = 0; if (l == 0) v = (e); token(v); word(); }
#define DO(e) { if (l == 0) { e; } word(); }
  DO(init(a, 5));                                  // 0
  ONE(arrive(a)); ONE(arrive_n(a, 3)); ONE(arrive(a)); ONE(arrive_n(a, 5));   // 1,2 3,4 5,6(complete) 7,8(complete)
  DO(expect(a, 4096)); DO(complete(a, 4095)); DO(complete(a, 1));   // 9 10 11
  ONE(arrive_tx(a, 0xfffff)); DO(complete(a, 0xfffff));             // 12,13 14
  DO(if (risk & 1) complete(a, 64)); ONE(arrive_n(a, 4)); DO(if (risk & 1) expect(a, 64));      // 15 16,17 18
  ONE(drop(a)); ONE(drop_n(a, 2)); ONE(risk & 32 ? drop_tx(a, 16) : arrive_tx(a, 16)); DO(complete(a, 16)); // 19,20 21,22 23,24 25
  ONE(arrive(a)); ONE(arrive(a));                                    // 26,27 28,29
  DO(init(a, 0xfffff)); ONE(arrive_n(a, 0xfffff));                   // 30 31,32
  DO(init(a, 100)); tokens(arrive(a)); word(); tokens(arrive_n(a, 1)); word();    // 33, 34..65, 66, 67..98, 99
  DO(init(a, 100)); tokens(arrive_nc(a, 2)); word();                // 100, 101..132, 133
  DO(init(a, risk & 2 ? 16 : 32)); tokens(arrive(a)); word();                       // 134, 135..166, 167
  DO(init(a, risk & 4 ? 32 : 600)); tokens(arrive_n(a, l + 1)); word();              // 168, 169..200, 201
  DO(init(a, 100)); tokens(arrive_tx(a, 16)); word();               // 202, 203..234, 235
  DO(init(a, 100)); tokens(drop_nc(a, 1)); word();                  // 236, 237..268, 269
  DO(init(a, 100)); tokens(drop(a)); word();                        // 270, 271..302, 303
  DO(init(a, 3)); { u64 s = 0; if (l == 0) { s = arrive(a); o[k] = test_state(a, s) | test(a, 0) << 4 | test(a, 1) << 8; arrive(a); arrive(a); o[k + 1] = test_state(a, s) | test(a, 0) << 4 | test(a, 1) << 8; } k += 2; } // 304, 305,306
  DO(init(a, 40)); if (l == 0) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(dst)), "l"(src) : "memory");
  asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(a) : "memory");
  word(); asm volatile("cp.async.wait_all;" ::: "memory"); for (int i = 0; i < 50; i++) __nanosleep(100); word();            // 307, 308, 309
  DO(init(a, 40)); if (l < 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(dst + l)), "l"(src + 4 * l) : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(a) : "memory");
  word(); asm volatile("cp.async.wait_all;" ::: "memory"); for (int i = 0; i < 50; i++) __nanosleep(100); word();            // 310, 311, 312
  DO(init(a, 7)); DO(asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(a) : "memory"));                             // 313 314
  DO(init(a, 4)); ONE(arrive_nc(a, 1)); { u32 c = 0; if (l == 0) { u64 s = arrive_nc(a, risk & 16 ? 0 : 1); asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(c) : "l"(s)); } token(c); } // 315 316,317 318
  init(at(bs + l), 1); tokens(arrive(at(bs + l))); __syncwarp(); tokens(bs[l]);        // 319..350, 351..382
  DO(init(a, 1)); if (l == 0) { expect(a, 256); } word(); if (l == 0) bulk_in(at(dst), src, 128, a); for (int i = 0; i < 100; i++) __nanosleep(100); word(); if (l == 0) bulk_in(at(dst), src, 128, a);  for (int i = 0; i < 100; i++) __nanosleep(100); word(); // 383 384 385 386
  DO(init(a, 2)); ONE(drop_n(a, risk & 8 ? 2 : 1)); word(); // 387 388,389 390 
  u32 v, w; u64 e;
#define SR(n) { asm volatile("mov.u32 %0, %%" n ";" : "=r"(v)); token(v); }
  SR("clusterid.x") SR("nclusterid.x") SR("cluster_ctaid.x") SR("cluster_nctaid.x") SR("cluster_ctarank") SR("cluster_nctarank") // 391..396
  asm volatile("{.reg .pred q; mov.pred q, %%is_explicit_cluster; selp.u32 %0,1,0,q;}" : "=r"(v)); token(v); // 397
  asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(v) : "r"(a)); token(v); token(a); // 398 399
  asm volatile("mapa.u64 %0, %1, 0;" : "=l"(e) : "l"(b)); token(e); token((u64)b); // 400 401
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(w) : "r"(v)); token(w); asm volatile("getctarank.u64 %0, %1;" : "=r"(w) : "l"(e)); token(w); // 402 403
  { u32 p = 0, q = 0; if (l & 2) asm volatile("{.reg .pred q; elect.sync %0|q, 0xcccccccc; selp.u32 %1,1,0,q;}" : "=r"(q), "=r"(p)); tokens(p | q << 8); } // 404..435
  { u32 p = 0, q = 0; asm volatile("{.reg .pred q; elect.sync %0|q, 0xffffffff; selp.u32 %1,1,0,q;}" : "=r"(q), "=r"(p)); tokens(p | q << 8); } // 436..467
  DO(init(a, 5)); if (l == 0) { expect(a, 4096); } inside(); // 468 469
  DO(init(a, 5)); if (l == 0) { arrive_tx(a, 3); } inside(); // 470 471
  DO(init(a, 5)); if (l == 0) { complete(a, 3); } inside(); // 472 473
  DO(init(a, 5)); if (l == 0) { drop_n(a, 2); } inside(); // 474 475
  DO(init(a, 5)); if (l == 0) { arrive_n(a, 5); } inside(); // 476 477
  DO(init(a, 5)); if (l == 0) { u64 s = 0; expect(a, 4096); s = arrive(a); o[k + 1] = s; } inside(); k++; // 478 479 480
  DO(init(a, 5)); asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(a) : "memory"); for (int i = 0; i < 50; i++) __nanosleep(100); inside(); // 481 482
  DO(init(a, 500)); asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(dst + l)), "l"(src + 4 * l) : "memory"); asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(a) : "memory"); for (int i = 0; i < 50; i++) __nanosleep(100); inside(); // 483 484
  DO(init(a, 1)); if (l == 0) { expect(a, 256); bulk_in(at(dst), src, 128, a); } for (int i = 0; i < 100; i++) __nanosleep(100); inside(); // 485 486
  if (l == 0) o[1023] = k;
}

// Cycles of one warp: best of 8 after warming. What 1..: see the names on the host.
#define TIMED(e) { u32 best = ~0u; for (int r = 0; r < 8; r++) { __syncwarp(); u32 t = now(); e; u32 u = now(); best = min(best, u - t); } if (threadIdx.x == 0) o[k] = best; k++; }
#define USE(x) asm volatile("{.reg .pred q; setp.eq.u64 q, %0, 77; @q trap;}" ::"l"((u64)(x)) : "memory")
__global__ void costs(u32* o, const char* src) {
  __shared__ u64 b[32]; __shared__ __align__(16) int dst[32 * 4]; u32 a = at(b); int l = threadIdx.x, k = 0; if (l == 0) { for (int i = 0; i < 32; i++) init(at(b + i), 900000); } __syncwarp();
  u32 mine = at(b + l);
  TIMED()
  TIMED({ u64 x = arrive(a); USE(x); })
  TIMED({ if (l == 0) { u64 x = arrive(a); USE(x); } })
  TIMED({ u64 x = arrive(mine); USE(x); })
  TIMED({ arrive(a); })
  TIMED({ if (l == 0) { arrive(a); } })
  TIMED({ if (l == 0) { arrive(a); arrive(a); arrive(a); arrive(a); arrive(a); arrive(a); arrive(a); arrive(a); } })
  TIMED({ arrive(a); arrive(a); arrive(a); arrive(a); arrive(a); arrive(a); arrive(a); arrive(a); })
  TIMED({ if (l == 0) { u64 x = arrive(a); USE(x); x = arrive(a); USE(x); x = arrive(a); USE(x); x = arrive(a); USE(x); } })
  TIMED({ u32 x = test(a, 1); USE(x); })
  TIMED({ u32 x = test(a, 0); USE(x); })
  TIMED({ u32 x = test(a, 1); USE(x); x = test(a, 1); USE(x); x = test(a, 1); USE(x); x = test(a, 1); USE(x); })
  TIMED({ u32 x = attempt(a, 1); USE(x); })
  TIMED({ if (l == 0) { u32 x = attempt(a, 1); USE(x); } })
  TIMED({ u32 x = attempt(a, 1); USE(x); x = attempt(a, 1); USE(x); x = attempt(a, 1); USE(x); x = attempt(a, 1); USE(x); })
  TIMED({ u32 x = attempt(mine, 1); USE(x); })
  TIMED({ if (l == 0) { expect(a, 16); } })
  TIMED({ if (l == 0) { u64 x = arrive_tx(a, 0); USE(x); } })
  TIMED({ if (l == 0) { init(a, 900000); } })
  TIMED({ asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); })
  TIMED({ asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); })
  TIMED({ asm volatile("fence.proxy.async;" ::: "memory"); })
  TIMED({ asm volatile("fence.acq_rel.cta;" ::: "memory"); })
  TIMED({ asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory"); })
  TIMED({ u32 p; asm volatile("{.reg .pred q; elect.sync _|q, 0xffffffff; selp.u32 %0,1,0,q;}" : "=r"(p)); USE(p); })
  TIMED({ commit(); })
  TIMED({ commit(); wait_all(); })
  TIMED({ commit(); wait_read(); })
  TIMED({ u32 x = *(volatile u32*)b; USE(x); })
  TIMED({ u32 x = attempt(a, 0); USE(x); })
  TIMED({ u32 x = attempt_for(a, 0, 0); USE(x); })
  TIMED({ u32 x = attempt_for(a, 0, 100); USE(x); })
  TIMED({ u32 x = attempt_for(a, 0, 1000); USE(x); })
  TIMED({ u32 x = attempt_for(a, 0, 10000); USE(x); })
  TIMED({ u32 x = attempt_for(a, 0, 100000); USE(x); })
  TIMED({ asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(a) : "memory"); })
  TIMED({ asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at(dst + l * 4)), "l"(src + 16 * l) : "memory"); asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory"); })
  if (l == 0) { o[100] = 0; }
}
__global__ void limits(u32* o) {
  __shared__ u64 b; u32 a = at(&b); if (threadIdx.x == 0) init(a, 1); __syncwarp();
#pragma unroll 1
  for (int r = 0; r < 16; r++) {
    u32 hint = r < 4 ? 0u : r < 8 ? 1000u : r < 12 ? 20000u : 1000000u;
    u32 t = now(); u32 x = attempt(a, 0); USE(x); u32 u = now(); x = attempt_for(a, 0, hint); USE(x); u32 v = now();
    u32 y = 0, w = now(); if (threadIdx.x == 0) { y = attempt(a, 0); USE(y); } u32 z = now(); __syncwarp();
    if (threadIdx.x == 0) { o[3 * r] = u - t; o[3 * r + 1] = v - u; o[3 * r + 2] = z - w; }
  }
}
// From the arrival that completes a phase to the first clock behind the wait: waiters wait with the whole warp.
__global__ void wakes(u32* o, int waiters, int mode, u32 before) {
  __shared__ u64 b[2]; __shared__ u32 sent; __shared__ u32 woke[32]; u32 a = at(b);
  int w = threadIdx.x / 32, l = threadIdx.x % 32;
  if (threadIdx.x == 0) { init(a, 1); }
  __syncthreads();
  #pragma unroll 1
  for (int r = 0; r < 6; r++) {
    if (w == waiters) {
      u32 t0 = now(); while (now() - t0 < before) {}
      u32 t = now();
      if (mode != 2) { if (l == 0) arrive(a); } else { if (l == 0) { expect(a, 16); arrive(a); } __syncwarp(); t = now(); if (l == 0) complete(a, 16); }
      if (l == 0) sent = t;
    } else {
      if (mode == 1) { while (!test(a, r & 1)) {} } else if (mode == 3) { if (l == 0) wait(a, r & 1); __syncwarp(); } else wait(a, r & 1);
      u32 t = now(); if (l == 0) woke[w] = t;
    }
    __syncthreads();
    if (threadIdx.x < waiters && r >= 2) o[(r - 2) * 32 + threadIdx.x] = woke[threadIdx.x] - sent;
    __syncthreads();
  }
}
// Cycles of so many arrivals by so many warps, whole warps or one lane each.
__global__ void rates(u32* o, int each, int one) {
  __shared__ u64 b; u32 a = at(&b); if (threadIdx.x == 0) init(a, 1000000); __syncthreads();
  u32 t = now(); int l = threadIdx.x % 32;
  if (l < one) for (int i = 0; i < each; i += 4) { arrive(a); arrive(a); arrive(a); arrive(a); }
  __syncthreads(); u32 u = now(); if (threadIdx.x == 0) o[0] = u - t;
}
// Latency of a bulk copy, from its issue to the clock behind the wait, and the cycles that its issue takes.
__global__ void copy_latency(u32* o, const char* src, u32 bytes, int warm) {
  __shared__ u64 b; u32 a = at(&b), d = at(mem); if (threadIdx.x == 0) { init(a, 1); asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
  __syncwarp(); u32 best = ~0u, issue = ~0u;
#pragma unroll 1
  for (int r = 0; r < 6; r++) {
    const char* s = src + (warm ? 0 : (size_t)(r + 1) << 20);
    u32 t1, t2;
    if (threadIdx.x == 0) arrive_tx(a, bytes);
    __syncwarp(); t1 = now();
    if (threadIdx.x == 0) bulk_in(d, s, bytes, a);
    __syncwarp(); t2 = now(); wait(a, r & 1); u32 u = now();
    if (r) { best = min(best, u - t1); issue = min(issue, t2 - t1); }
    __syncwarp();
  }
  if (threadIdx.x == 0) { o[0] = best; o[1] = issue; }
}
__global__ void store_latency(u32* o, char* dst, u32 bytes) {
  u32 s = at(mem); u32 read = ~0u, all = ~0u, issue = ~0u;
  for (int i = threadIdx.x; i < (int)bytes; i += 32) mem[i] = i;
  __syncwarp(); asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (threadIdx.x == 0)
#pragma unroll 1
  for (int r = 0; r < 6; r++) {
    u32 t = now(); bulk_out(dst, s, bytes); u32 t1 = now(); commit(); wait_read(); u32 u = now(); wait_all();
    u32 t2 = now(); bulk_out(dst, s, bytes); commit(); wait_all(); u32 v = now();
    if (r) { read = min(read, u - t); all = min(all, v - t2); issue = min(issue, t1 - t); }
  }
  if (threadIdx.x == 0) { o[0] = read; o[1] = all; o[2] = issue; }
}
// Bytes a cycle: a ring of so many stages a block, one lane copies and waits; every block its own part of the source.
__global__ void stream(u32* o, const char* src, u32 bytes, int stages, int times, size_t span) {
  __shared__ u64 b[16]; if (threadIdx.x == 0) { for (int i = 0; i < stages; i++) init(at(b + i), 1); asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
  __syncwarp();
  {
    size_t place = (size_t)blockIdx.x * bytes, step = (size_t)gridDim.x * bytes; u32 t = now(), s = 0, turn = 0;
#pragma unroll 1
    for (int i = 0; i < times + stages; i++) {
      if (i >= stages) wait(at(b + s), (turn - 1) & 1);
      if (i < times && threadIdx.x == 0) { arrive_tx(at(b + s), bytes); bulk_in(at(mem) + s * bytes, src + (place & (span - 1)), bytes, at(b + s)); }
      __syncwarp(); place += step; if (++s == stages) { s = 0; turn++; }
    }
    u32 u = now(); if (threadIdx.x == 0) o[blockIdx.x] = u - t;
  }
}
__global__ void stream_out(u32* o, char* dst, u32 bytes, int groups, int times, size_t span) {
  if (threadIdx.x == 0) {
    size_t place = (size_t)blockIdx.x * bytes, step = (size_t)gridDim.x * bytes; u32 t = now();
    for (int i = 0; i < times; i++) {
      bulk_out(dst + (place & (span - 1)), at(mem) + (i & (groups - 1)) * bytes, bytes); commit(); place += step;
      if (groups == 2) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory"); else asm volatile("cp.async.bulk.wait_group.read 3;" ::: "memory");
    }
    wait_all(); u32 u = now(); o[blockIdx.x] = u - t;
  }
}
#define CHECK(x) { cudaError_t e = (x); if (e) { printf("error line %d: %s\n", __LINE__, cudaGetErrorString(e)); return 1; } }
int main(int argc, char** argv) { int risk = argc > 1 ? atoi(argv[1]) : 0;
  u64* w; u32* o; char* src; size_t big = (size_t)1 << 30;
  CHECK(cudaMalloc(&w, 8192)); CHECK(cudaMalloc(&o, 8192)); CHECK(cudaMalloc(&src, big)); CHECK(cudaMemset(src, 1, big)); CHECK(cudaMemset(w, 0, 8192));
  std::vector<u64> h(1024); std::vector<u32> g(2048);
  cudaDeviceProp prop; CHECK(cudaGetDeviceProperties(&prop, 0)); printf("device %s\n", prop.name);
  words<<<1, 32>>>(w, src, risk); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(h.data(), w, 8192, cudaMemcpyDeviceToHost));
  printf("words,place,value\n"); for (int i = 0; i < 487; i++) printf("words,%d,%016llx\n", i, h[i]); if (argc > 1) return 0;
  auto get = [&](int n) { cudaMemcpy(g.data(), o, n * 4, cudaMemcpyDeviceToHost); };
  const char* names[] = {"nothing", "arrive32_token", "arrive1_token", "arrive32_own_token", "arrive32", "arrive1", "arrive1_x8", "arrive32_x8", "arrive1_token_x4", "test_true", "test_false", "test_true_x4", "try_true", "try1_true", "try_true_x4", "try_own_true", "expect1", "arrive_expect1_token", "init1", "fence_mbarrier_init", "fence_proxy_shared", "fence_proxy", "fence_cta", "cluster_barrier", "elect", "commit", "commit_wait", "commit_wait_read", "lds", "try_false", "try_false_0ns", "try_false_100ns", "try_false_1us", "try_false_10us", "try_false_100us", "cp_async_arrive_noinc", "cp_async_wait"};
  for (int r = 0; r < 2; r++) { costs<<<1, 32>>>(o, src); CHECK(cudaDeviceSynchronize()); } get(128);
  printf("costs,what,cycles\n"); for (int i = 0; i < 37; i++) printf("costs,%s,%u\n", names[i], g[i]);
  limits<<<1, 32>>>(o); CHECK(cudaDeviceSynchronize()); get(48); printf("limits,hint ns,try,try with hint,try by one lane\n"); for (int r = 0; r < 16; r++) printf("limits,%d,%u,%u,%u\n", r < 4 ? 0 : r < 8 ? 1000 : r < 12 ? 20000 : 1000000, g[3 * r], g[3 * r + 1], g[3 * r + 2]);
  printf("wakes,mode,waiters,before,cycles of each waiter\n");
  for (int mode = 0; mode < 4; mode++) for (int n : {1, 2, 4, 8, 16}) for (u32 before : {1000u, 20000u}) { for (int r = 0; r < 2; r++) wakes<<<1, 32 * n + 32>>>(o, n, mode, before); CHECK(cudaDeviceSynchronize()); get(128); printf("wakes,%s,%d,%u", mode == 0 ? "try" : mode == 1 ? "test" : mode == 2 ? "complete_tx" : "try_one_lane", n, before); for (int r = 0; r < 4; r += 1) { printf(" /"); for (int i = 0; i < n; i++) printf(" %u", g[r * 32 + i]); } printf("\n"); }
  for (int one : {1, 2, 4, 8, 32}) for (int n : {1, 4, 8, 16}) { for (int r = 0; r < 2; r++) rates<<<1, 32 * n>>>(o, 64, one); CHECK(cudaDeviceSynchronize()); get(1); printf("rates,lanes %d,warps %d,each 64,%u,%.2f an instruction\n", one, n, g[0], g[0] / (64.0 * n)); }
  CHECK(cudaFuncSetAttribute(copy_latency, cudaFuncAttributeMaxDynamicSharedMemorySize, 196608)); CHECK(cudaFuncSetAttribute(store_latency, cudaFuncAttributeMaxDynamicSharedMemorySize, 196608)); CHECK(cudaFuncSetAttribute(stream, cudaFuncAttributeMaxDynamicSharedMemorySize, 196608)); CHECK(cudaFuncSetAttribute(stream_out, cudaFuncAttributeMaxDynamicSharedMemorySize, 196608));
  printf("copy_latency,from,bytes,cycles,issue\n");
  for (int warm = 1; warm >= 0; warm--) for (u32 n : {16u, 32u, 64u, 128u, 256u, 512u, 1024u, 2048u, 4096u, 8192u, 16384u, 32768u, 65536u, 131072u}) { if (!warm) cudaMemset(src + big / 2, 0, big / 4); for (int r = 0; r < (warm ? 2 : 1); r++) copy_latency<<<1, 32, 131072>>>(o, src, n, warm); CHECK(cudaDeviceSynchronize()); get(2); printf("copy_latency,%s,%u,%u,%u\n", warm ? "l2" : "dram", n, g[0], g[1]); }
  printf("store_latency,bytes,read,all,issue\n");
  for (u32 n : {16u, 128u, 1024u, 4096u, 16384u, 65536u}) { for (int r = 0; r < 2; r++) store_latency<<<1, 32, 131072>>>(o, src, n); CHECK(cudaDeviceSynchronize()); get(3); printf("store_latency,%u,%u,%u,%u\n", n, g[0], g[1], g[2]); }
  printf("stream,blocks,bytes,stages,span,cycles of the slowest,bytes a cycle,ms\n");
  cudaEvent_t e0, e1; cudaEventCreate(&e0); cudaEventCreate(&e1); float ms;
  for (size_t span : {(size_t)16 << 20, big}) for (int blocks : {1, 132}) for (u32 n : {128u, 512u, 1024u, 2048u, 4096u, 8192u, 16384u}) for (int st : {1, 2, 4, 8}) {
    if (n * st > 131072) continue; int times = std::min<size_t>(std::max<size_t>(64, (size_t)(1 << 20) / n), 4096);
    for (int r = 0; r < 2; r++) { cudaEventRecord(e0); stream<<<blocks, 32, 131072>>>(o, src, n, st, times, span); cudaEventRecord(e1); } CHECK(cudaDeviceSynchronize()); cudaEventElapsedTime(&ms, e0, e1); get(132); u32 worst = *std::max_element(g.begin(), g.begin() + blocks);
    printf("stream,%d,%u,%d,%zu,%u,%.2f,%.4f\n", blocks, n, st, span >> 20, worst, (double)n * times * blocks / worst, ms); }
  for (size_t span : {(size_t)16 << 20, big}) for (int blocks : {1, 132}) for (u32 n : {128u, 1024u, 4096u, 16384u}) for (int st : {2, 4}) {
    int times = std::min<size_t>(std::max<size_t>(64, (size_t)(1 << 20) / n), 4096);
    for (int r = 0; r < 2; r++) { cudaEventRecord(e0); stream_out<<<blocks, 32, 131072>>>(o, src, n, st, times, span); cudaEventRecord(e1); } CHECK(cudaDeviceSynchronize()); cudaEventElapsedTime(&ms, e0, e1); get(132); u32 worst = *std::max_element(g.begin(), g.begin() + blocks);
    printf("stream_out,%d,%u,%d,%zu,%u,%.2f,%.4f\n", blocks, n, st, span >> 20, worst, (double)n * times * blocks / worst, ms); }
  return 0;
}
