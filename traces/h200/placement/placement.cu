// Which multiprocessor a block goes to, which multiprocessors lie in one GPC, and which half of level two each asks.
#include <cstdio>
#include <cstdint>
#include <map>
#include <vector>
#define OK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); return 1; } } while (0)

__device__ uint32_t smid() { uint32_t s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }

// The place of each block; it stays for a while, so that all places are taken before one is free again.
__global__ void place(uint32_t* sm, int cycles) {
  if (threadIdx.x == 0) sm[blockIdx.x] = smid();
  for (int64_t start = clock64(); clock64() - start < cycles;) {}
}
// The latency of one line of level two from each multiprocessor.
__global__ void latency(uint32_t* line, uint32_t* cycles) {
  uint32_t v = 0;
  for (int i = 0; i < 4; i++) v = atomicAdd(line + v, 0u);
  int64_t start = clock64();
  for (int i = 0; i < 64; i++) v = atomicAdd(line + v, 0u);
  if (threadIdx.x == 0) cycles[smid()] = (uint32_t)(clock64() - start) / 64;
}

int main() {
  uint32_t *out, *line; OK(cudaMallocManaged(&out, 1 << 20)); OK(cudaMalloc(&line, 2 << 20)); OK(cudaMemset(line, 0, 2 << 20));
  OK(cudaMemset(out, 0, 1 << 20));
  OK(cudaFuncSetAttribute(latency, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  for (int chunk : {0, 1, 4, 5}) {
    latency<<<132, 1, 200 << 10>>>(line + chunk * 1024, out); OK(cudaDeviceSynchronize());
    printf("latency of chunk %d from every SM:", chunk * 16); for (int i = 0; i < 132; i++) printf(" %u", out[i]); printf("\n");
  }
  // Blocks of one cluster share a GPC.
  std::vector<int> group(132); for (int i = 0; i < 132; i++) group[i] = i;
  auto find = [&](int a) { while (group[a] != a) a = group[a]; return a; };
  OK(cudaFuncSetAttribute(place, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (int size : {2, 4, 8, 16}) for (int round = 0; round < 20; round++) {
    cudaLaunchConfig_t config = {}; config.gridDim = dim3(960); config.blockDim = dim3(round % 2 ? 1024 : 256);
    cudaLaunchAttribute attribute; attribute.id = cudaLaunchAttributeClusterDimension; attribute.val.clusterDim.x = size; attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute; config.numAttrs = 1;
    if (cudaLaunchKernelEx(&config, place, out, 2000) != cudaSuccess) { cudaGetLastError(); continue; }
    OK(cudaDeviceSynchronize());
    for (int b = 0; b < (int)config.gridDim.x; b++) group[find(out[b])] = find(out[b / size * size]);
  }
  std::map<int, std::vector<int>> gpcs; for (int i = 0; i < 132; i++) gpcs[find(i)].push_back(i);
  for (auto& g : gpcs) { printf("GPC of %zu SMs:", g.second.size()); for (int s : g.second) printf(" %d", s); printf("\n"); }
  // Blocks in their order.
  for (int threads : {32, 64, 128, 256, 512, 1024}) for (int blocks : {8, 16, 66, 132, 264, 528, 1056}) {
    std::vector<uint32_t> first;
    bool same = true;
    for (int round = 0; round < 3; round++) {
      place<<<blocks, threads>>>(out, 100000); OK(cudaDeviceSynchronize());
      std::vector<uint32_t> now(out, out + blocks);
      if (round == 0) first = now; else same &= now == first;
    }
    printf("%d blocks of %d threads (%s):", blocks, threads, same ? "three times the same" : "not always the same");
    for (uint32_t s : first) printf(" %u", s); printf("\n");
  }
  return 0;
}
