// When the first instruction of each block is executed, and when each block is over: cycles of the SM after its first block's.
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <algorithm>
#include <vector>
#include <map>
struct Rec { uint32_t sm, warp; long long t0, t1; unsigned long long g0; };
template <int N> __global__ void k_first(Rec* out) {
  long long t0 = clock64();
  uint32_t sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  unsigned long long g; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
  if ((threadIdx.x & 31) == 0) {
    uint32_t w = threadIdx.x >> 5, n = blockDim.x >> 5;
    Rec r; r.sm = sm; r.warp = w; r.t0 = t0; r.g0 = g; r.t1 = clock64() + N * 0;
    out[blockIdx.x * n + w] = r;
  }
}
static void flush(char* p, size_t n) { cudaMemset(p, rand() & 255, n); cudaDeviceSynchronize(); }
template <int N> void run(int grid, int block, Rec* d, char* big, size_t nbig) {
  for (int rep = 0; rep < 3; rep++) {
    flush(big, nbig);
    k_first<N><<<grid, block>>>(d); cudaDeviceSynchronize();
    int w = block / 32; std::vector<Rec> h(grid * w); cudaMemcpy(h.data(), d, h.size() * sizeof(Rec), cudaMemcpyDeviceToHost);
    std::map<int, std::vector<Rec>> by; for (auto& r : h) by[r.sm].push_back(r);
    long long lo = 1LL << 62; for (auto& r : h) lo = std::min(lo, r.t0);
    unsigned long long glo = ~0ull; for (auto& r : h) glo = std::min(glo, r.g0);
    // average over SMs of the k-th warp start after the SM's first
    std::vector<double> sum; std::vector<int> cnt; double firsts = 0, lasts = 0, gl = 0; int n = 0;
    for (auto& [sm, v] : by) { std::sort(v.begin(), v.end(), [](const Rec& a, const Rec& b) { return a.t0 < b.t0; });
      if (sum.size() < v.size()) { sum.resize(v.size()); cnt.resize(v.size()); }
      for (size_t i = 0; i < v.size(); i++) { sum[i] += v[i].t0 - v[0].t0; cnt[i]++; }
      firsts += v[0].t0 - lo; lasts += v.back().t0 - lo; gl += v[0].g0 - glo; n++; }
    printf("grid %d block %d rep %d: first of an SM after the first of all: mean %.0f (globaltimer %.0f ns), last %.0f;", grid, block, rep, firsts / n, gl / n, lasts / n);
    size_t m = sum.size(); for (size_t i = 0; i < m; i += std::max<size_t>(1, m / 16)) printf(" %zu:%.0f", i, sum[i] / cnt[i]); printf(" %zu:%.0f\n", m - 1, sum[m - 1] / cnt[m - 1]);
  }
}
int main() {
  Rec* d; cudaMalloc(&d, 64 << 20); char* big; size_t nbig = 256 << 20; cudaMalloc(&big, nbig);
  run<1>(1, 32, d, big, nbig); run<2>(1, 256, d, big, nbig); run<3>(132, 32, d, big, nbig); run<4>(132, 256, d, big, nbig); run<5>(264, 256, d, big, nbig);
  run<6>(528, 256, d, big, nbig); run<7>(1056, 256, d, big, nbig); run<8>(2112, 256, d, big, nbig); run<9>(4224, 32, d, big, nbig); run<10>(1056, 32, d, big, nbig);
  run<11>(132, 1024, d, big, nbig); run<12>(264, 1024, d, big, nbig); run<13>(1056, 128, d, big, nbig); run<14>(2112, 128, d, big, nbig); run<15>(8448, 256, d, big, nbig);
  return 0;
}
