// Launches sectors.cubin.
#include "../harness.cuh"
static cudaLibrary_t lib; static char* o; static uint32_t* cy;
static void run(int bytes, int per, int pitch, int lanes, int warps, int blocks, int rounds, int step, int shared, int inner = 1, int within = 0) {
  char name[32]; sprintf(name, "store_u%d", bytes * 8); cudaKernel_t k; CHECK(cudaLibraryGetKernel(&k, lib, name));
  CHECK(cudaFuncSetAttribute((void*)k, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  void* args[] = {&o, &cy, &per, &pitch, &lanes, &rounds, &step, &inner, &within};
  CHECK(cudaLaunchKernel((void*)k, dim3(blocks), dim3(warps * 32), args, shared, 0)); CHECK(cudaDeviceSynchronize());
  std::vector<uint32_t> h(blocks * 3); CHECK(cudaMemcpy(h.data(), cy, blocks * 12, cudaMemcpyDeviceToHost)); double s[3] = {0, 0, 0}; for (int i = 0; i < blocks * 3; i++) s[i % 3] += h[i];
  printf("%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%.0f,%.0f,%.0f\n", bytes, per, pitch, lanes, warps, blocks, rounds, step, shared, inner, within, s[0] / blocks, s[1] / blocks, s[2] / blocks); fflush(stdout);
}
int main(int, char** v) {
  CHECK(cudaLibraryLoadFromFile(&lib, v[1], 0, 0, 0, 0, 0, 0)); CHECK(cudaMalloc(&o, (size_t)2 << 30)); CHECK(cudaMemset(o, 0, (size_t)2 << 30)); CHECK(cudaMalloc(&cy, 65536));
  puts("bytes,per,pitch,lanes,warps,blocks,rounds,step,shared,inner,within,issued,all_issued,arrived");
  struct { int bytes, per, lanes; } shapes[] = {{1, 32, 32}, {2, 16, 32}, {2, 32, 32}, {4, 8, 8}, {4, 8, 16}, {4, 8, 32}, {4, 16, 32}, {4, 32, 32}, {4, 1, 1}, {4, 1, 2}, {4, 1, 4}, {4, 1, 8}, {4, 1, 16}, {4, 1, 32}, {4, 4, 32}, {4, 2, 32},
    {8, 4, 4}, {8, 4, 8}, {8, 4, 16}, {8, 4, 32}, {8, 8, 32}, {8, 16, 32}, {8, 32, 32}, {8, 1, 32}, {8, 2, 32}, {16, 2, 2}, {16, 2, 8}, {16, 2, 16}, {16, 2, 32}, {16, 4, 32}, {16, 8, 32}, {16, 16, 32}, {16, 32, 32}, {16, 1, 32}};
  for (auto s : shapes) for (int blocks : {1, 132}) for (int warps : {8, 32}) { if (blocks > 1 && warps > 8) continue;
    int groups = (s.lanes + s.per - 1) / s.per, wide = s.per * s.bytes; int pitch = wide > 128 ? wide : wide == 128 ? 128 : 256 + 128; int step = groups * pitch; step = (step + 127) / 128 * 128;
    run(s.bytes, s.per, pitch, s.lanes, warps, blocks, 64, step, 0);
  }
  // How many wait: few stores of 8 lines, one line, 32 lines.
  for (int shared : {0, 131072}) for (int warps : {1, 8}) for (int rounds : {1, 2, 4, 8, 16, 32, 64, 128}) {
    run(8, 4, 384, 32, warps, 1, rounds, 8 * 384, shared); run(4, 32, 128, 32, warps, 1, rounds, 128, shared); run(4, 1, 384, 32, warps, 1, rounds, 32 * 384, shared); run(8, 32, 256, 32, warps, 1, rounds, 256, shared); run(4, 8, 384, 32, warps, 1, rounds, 4 * 384, shared);
  }
  // By the distance of the lines, and where stores come back to them.
  for (int pitch : {128, 160, 256, 288, 384, 416, 512, 544, 1024, 1056, 2048, 4096, 8192}) for (int inner : {1, 4}) {
    run(8, 4, pitch, 32, 32, 1, 64, 8 * pitch, 0, inner, 32); run(16, 2, pitch, 32, 32, 1, 64, 16 * pitch, 0, inner, 32); run(4, 8, pitch, 32, 32, 1, 64, 4 * pitch, 0, inner, 32);
    run(4, 1, pitch, 32, 32, 1, 64, 32 * pitch, 0, inner, 32); run(4, 1, pitch, 32, 32, 1, 64, 32 * pitch, 0, inner, 4); run(4, 4, pitch, 32, 32, 1, 64, 8 * pitch, 0, inner, 16);
  }
  for (int warps : {1, 8, 32}) run(4, 32, 128, 32, warps, 1, 0, 128, 0);
  // All SMs: half sectors and whole ones, near and far lines.
  for (int pitch : {128, 384, 512, 4096}) for (int inner : {1, 4}) for (int per : {1, 2, 4, 8}) { run(4, per, pitch, 32, 8, 132, 32, 32 / per * pitch, 0, inner, per * 4); if (per < 8) run(4, per, pitch, 8, 8, 132, 32, 8 / per * pitch, 0, inner, per * 4); }
}
