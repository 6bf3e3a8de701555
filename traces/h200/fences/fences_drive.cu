// Launches fences.cubin.
#include "../harness.cuh"
static cudaLibrary_t lib;
int main(int, char** v) {
  CHECK(cudaLibraryLoadFromFile(&lib, v[1], 0, 0, 0, 0, 0, 0)); char* d; uint32_t *f, *o; CHECK(cudaMalloc(&d, 132 * 32 * 16384)); CHECK(cudaMalloc(&f, 132 * 32 * 128)); CHECK(cudaMalloc(&o, 65536)); CHECK(cudaMemset(d, 0, 132 * 32 * 16384)); 
  puts("kind,lines,warps,blocks,pause,cycles of a round: mean,least,most,of the act");
  for (const char* kind : {"nothing", "fence_cta", "fence_gpu", "fence_sys", "membar_cta", "membar_gpu", "membar_sys", "st_relaxed", "st_release", "st_release_cta", "ld_relaxed", "ld_acquire", "ld_acquire_cta", "ld_volatile", "red_release", "atom_relaxed", "atom_acq_rel"}) {
    char name[64]; sprintf(name, "cost_%s", kind); cudaKernel_t k; CHECK(cudaLibraryGetKernel(&k, lib, name));
    for (int lines : {0, 1, 4, 16, -1, -4}) for (int warps : {1, 4, 16, 32}) for (int blocks : {1, 132}) for (int pause : {0, 2000}) {
      if (pause && (blocks > 1 || warps > 4)) continue; if (blocks > 1 && lines && lines != 1) continue;
      int rounds = 32; CHECK(cudaMemset(f, 0, 132 * 32 * 128)); CHECK(cudaMemset(o, 0, 65536));
      void* args[] = {&d, &f, &o, &lines, &warps, &rounds, &pause}; CHECK(cudaLaunchKernel((void*)k, dim3(blocks), dim3(1024), args, 0, 0)); CHECK(cudaDeviceSynchronize());
      std::vector<uint32_t> h(blocks * 64); CHECK(cudaMemcpy(h.data(), o, h.size() * 4, cudaMemcpyDeviceToHost)); double s = 0, t = 0; uint32_t lo = ~0u, hi = 0; int n = 0;
      for (int b = 0; b < blocks; b++) for (int w = 0; w < warps; w++) { uint32_t x = h[(b * 32 + w) * 2]; s += x; t += h[(b * 32 + w) * 2 + 1]; lo = x < lo ? x : lo; hi = x > hi ? x : hi; n++; }
      printf("%s,%d,%d,%d,%d,%.1f,%.1f,%.1f,%.1f\n", kind, lines, warps, blocks, pause, s / n / 16, lo / 16., hi / 16., t / n / 16); fflush(stdout);
    }
  }
  cudaKernel_t k; CHECK(cudaLibraryGetKernel(&k, lib, "flags"));
  puts("flags,how,other,apart,cycles of a round there and back: SM 0, the other,polls,polls");
  for (int how : {0, 1, 2, 3}) for (int other : {1, 2, 16, 17, 60, 131}) for (int apart : {32, 1 << 14}) {
    int rounds = 64; CHECK(cudaMemset(f, 0, 132 * 32 * 128)); void* args[] = {&f, &o, &other, &rounds, &how, &apart}; CHECK(cudaLaunchKernel((void*)k, dim3(132), dim3(32), args, 0, 0)); CHECK(cudaDeviceSynchronize());
    uint32_t h[4]; CHECK(cudaMemcpy(h, o, 16, cudaMemcpyDeviceToHost)); printf("flags,%d,%d,%d,%.1f,%.1f,%.2f,%.2f\n", how, other, apart, h[0] / 32., h[1] / 32., h[2] / 32., h[3] / 32.); fflush(stdout);
  }
}
