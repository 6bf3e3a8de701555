// Fourth hardware suite: launches one after the other on one stream. Level two stays as the launch before left it.
// Every sequence starts with a level two that holds none of its buffers. Same harness and rules as suite.cu; a line a
// launch, "launch" is its number in the sequence. Run under Nsight Compute with application replay and
// --cache-control none: kernel replay would run every launch on a level two that it has warmed itself.
#include "harness.cuh"

// --- reads everything once
K k_warm_sum(const float4* __restrict__ in, float* __restrict__ out, int n4) {
  float s = 0; int step = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = t; i < n4; i += step) { float4 v = in[i]; s += v.x + v.y + v.z + v.w; }
  out[t] = s;
}
// --- writes everything once
K k_warm_fill(float4* __restrict__ out, int n4) {
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += step) out[i] = make_float4(i, 1, 2, 3);
}
// --- reads and writes everything in place
K k_warm_scale(float4* __restrict__ a, int n4) {
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += step) { float4 v = a[i]; a[i] = make_float4(v.x * 2, v.y * 2, v.z * 2, v.w * 2); }
}
// --- one block reads a few lines over and over: does level one know them from the launch before?
K k_warm_l1(const float* __restrict__ in, float* __restrict__ out, int words, int rounds) {
  float s = 0;
  for (int r = 0; r < rounds; r++) for (int i = threadIdx.x; i < words; i += blockDim.x) s += in[i];
  out[threadIdx.x] = s;
}
// --- one thread follows a chain once: the latency of what the launch before left in level two
K k_warm_chase(const uint32_t* __restrict__ chain, uint32_t* __restrict__ cycles, int n) {
  uint32_t at = 0, t0 = clock();
  for (int i = 0; i < n; i++) at = __ldcg(chain + at);
  uint32_t t1 = clock(); cycles[0] = at; cycles[1] = (t1 - t0) / n;
}
__global__ void flush(uint4* p, size_t n) { for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) { uint4 v = p[i]; v.x++; p[i] = v; } }

struct Launch { const void* fn; const char* kernel; int grid, block; std::vector<int> args; };   // an argument below 100: a buffer's number; else a scalar + 100
static uint4* g_scratch; static const size_t SCRATCH = (size_t)512 << 20;
static void sequence(const char* name, std::vector<Arg> buffers, std::vector<Launch> launches) {
  if (g_filter && !strstr(name, g_filter)) return;
  std::vector<void*> at(buffers.size());
  for (size_t k = 0; k < buffers.size(); k++) { CHECK(cudaMalloc(&at[k], buffers[k].bytes)); init_buffer<<<2048, 256>>>((uint32_t*)at[k], buffers[k].bytes / 4, buffers[k].init, buffers[k].seed, buffers[k].stride); }
  flush<<<1056, 256>>>(g_scratch, SCRATCH / 16); CHECK(cudaDeviceSynchronize());
  for (Launch& l : launches) {   // back to back, nothing between them
    std::vector<int> scalars(l.args.size()); std::vector<void*> ptrs;
    for (size_t k = 0; k < l.args.size(); k++) { if (l.args[k] < 100) ptrs.push_back(&at[l.args[k]]); else { scalars[k] = l.args[k] - 100; ptrs.push_back(&scalars[k]); } }
    CHECK(cudaLaunchKernel(l.fn, l.grid, l.block, ptrs.data(), 0, 0));
  }
  CHECK(cudaDeviceSynchronize());
  for (size_t n = 0; n < launches.size(); n++) {
    Launch& l = launches[n];
    printf("{\"case\":\"%s\",\"launch\":%zu,\"kernel\":\"%s\",\"grid\":[%d,1,1],\"block\":[%d,1,1],\"dynamic_shared_bytes\":0,\"args\":[", name, n, l.kernel, l.grid, l.block);
    for (size_t k = 0; k < l.args.size(); k++) {
      if (k) printf(",");
      if (l.args[k] >= 100) { printf("{\"i32\":%d}", l.args[k] - 100); continue; }
      Arg& b = buffers[l.args[k]];
      printf("{\"buffer\":\"%s\",\"bytes\":%zu,\"init\":\"%s\",\"seed\":%u", b.name.c_str(), b.bytes, INIT_NAME[b.init], b.seed);
      if (b.init == CHAIN) printf(",\"stride\":%u", b.stride);
      printf("}");
    }
    printf("],\"checksums\":{"); bool first = true;
    if (n + 1 == launches.size()) for (size_t k = 0; k < buffers.size(); k++) if (buffers[k].out) {
      unsigned long long *d, h[2]; CHECK(cudaMalloc(&d, 16)); CHECK(cudaMemset(d, 0, 16)); checksum_buffer<<<1024, 256>>>((uint32_t*)at[k], buffers[k].bytes / 4, d);
      CHECK(cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost)); CHECK(cudaFree(d)); printf("%s\"%s\":[\"%016llx\",\"%016llx\"]", first ? "" : ",", buffers[k].name.c_str(), h[0], h[1]); first = false;
    }
    printf("}");
    for (size_t k = 0; k < l.args.size(); k++) if (l.args[k] < 100 && buffers[l.args[k]].name.find("cycles") == 0) { uint32_t h[8] = {0}; CHECK(cudaMemcpy(h, at[l.args[k]], 32, cudaMemcpyDeviceToHost)); printf(",\"clock\":[%u,%u,%u,%u,%u,%u,%u,%u]", h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]); }
    printf("}\n");
  }
  fflush(stdout); for (void* p : at) CHECK(cudaFree(p));
}
#define L(KERNEL, GRID, BLOCK, ...) Launch{(const void*)KERNEL, #KERNEL, GRID, BLOCK, {__VA_ARGS__}}

int main(int argc, char** argv) {
  if (argc > 1 && argv[1][0]) g_filter = argv[1];
  float* d; CHECK(cudaMalloc(&d, 4)); for (int i = 0; i < 20; i++) spin_up<<<1056, 256>>>(d, 1 << 20);
  CHECK(cudaMalloc(&g_scratch, SCRATCH)); CHECK(cudaMemset(g_scratch, 0, SCRATCH)); CHECK(cudaDeviceSynchronize());
  char name[128]; const int G = 1056, B = 256, T = G * B * 4;
  for (int mib : {1, 8, 24, 40, 56, 96, 256}) {
    int n = 100 + (mib << 16); size_t bytes = (size_t)mib << 20;
    sprintf(name, "warm_sum_%dMiB", mib); sequence(name, {buf("in", bytes, HASH_F32, 1), buf("out", T, ZERO, 0, true)}, {L(k_warm_sum, G, B, 0, 1, n), L(k_warm_sum, G, B, 0, 1, n), L(k_warm_sum, G, B, 0, 1, n)});
    sprintf(name, "warm_fill_%dMiB", mib); sequence(name, {buf("out", bytes, ZERO, 0, true)}, {L(k_warm_fill, G, B, 0, n), L(k_warm_fill, G, B, 0, n), L(k_warm_fill, G, B, 0, n)});
    sprintf(name, "warm_scale_%dMiB", mib); sequence(name, {buf("a", bytes, HASH_F32, 1, true)}, {L(k_warm_scale, G, B, 0, n), L(k_warm_scale, G, B, 0, n), L(k_warm_scale, G, B, 0, n)});
    sprintf(name, "warm_fill_sum_%dMiB", mib); sequence(name, {buf("a", bytes, ZERO, 0, true), buf("out", T, ZERO, 0, true)}, {L(k_warm_fill, G, B, 0, n), L(k_warm_sum, G, B, 0, 1, n), L(k_warm_fill, G, B, 0, n)});
  }
  sequence("warm_l1_64KiB", {buf("in", 65536, HASH_F32, 1), buf("out", 1024, ZERO, 0, true)}, {L(k_warm_l1, 1, 256, 0, 1, 100 + 16384, 101), L(k_warm_l1, 1, 256, 0, 1, 100 + 16384, 101), L(k_warm_l1, 1, 256, 0, 1, 100 + 16384, 102)});
  for (int mib : {1, 16, 40, 96}) { sprintf(name, "warm_chase_%dMiB", mib); size_t bytes = (size_t)mib << 20; int n = 100 + (int)(bytes / 4096);
    sequence(name, {buf("chain", bytes, CHAIN, 0, false, 1024), buf("cycles0", 32, ZERO), buf("cycles1", 32, ZERO), buf("cycles2", 32, ZERO)}, {L(k_warm_chase, 1, 1, 0, 1, n), L(k_warm_chase, 1, 1, 0, 2, n), L(k_warm_chase, 1, 1, 0, 3, n)}); }
}
