// How many blocks each SM gets and how long it is busy with them, where blocks compute, load, copy or store: a line a launch, an SM an entry.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ uint32_t smid() { uint32_t s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ __forceinline__ unsigned long long now_ns() { unsigned long long t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }
struct Seen { unsigned long long begin, end, begin_ns, end_ns; uint32_t sm, pad; };
// kind 0: FFMAs; 1: four loads and one store in order; 2: sixteen loads in order; 3: sixteen loads of 8 MiB; 4: four stores in order
template <int KIND> __global__ void k_blocks(const uint32_t* in, uint32_t* out, Seen* seen, uint32_t zero) {
  long long begin = clock64(); unsigned long long begin_ns = now_ns();
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, all = (size_t)gridDim.x * blockDim.x; uint32_t sum = 0;
  if (KIND == 0) { float v = i; for (int r = 0; r < 512; r++) v = v * 1.0001f + 0.5f; sum = __float_as_uint(v); }
  if (KIND == 1) { uint32_t v[4]; for (int k = 0; k < 4; k++) v[k] = in[i + k * all]; for (int k = 0; k < 4; k++) sum += v[k]; out[i] = sum; }
  if (KIND == 2) { for (int r = 0; r < 16; r += 4) { uint32_t v[4]; for (int k = 0; k < 4; k++) v[k] = in[i + (r + k) * all]; for (int k = 0; k < 4; k++) sum += v[k]; } }
  if (KIND == 3) { for (int r = 0; r < 16; r += 4) { uint32_t v[4]; for (int k = 0; k < 4; k++) v[k] = in[(i + (r + k) * all * 5) & 2097151]; for (int k = 0; k < 4; k++) sum += v[k]; } }
  if (KIND == 4) { for (int k = 0; k < 4; k++) out[i + k * all] = i; }
  if (sum == zero + 0x12345) out[0] = sum;
  __syncthreads();
  if (threadIdx.x == 0) { Seen s; s.begin = begin; s.begin_ns = begin_ns; s.sm = smid(); s.end_ns = now_ns(); s.end = clock64(); seen[blockIdx.x] = s; }
}
int main() {
  uint32_t *in, *out; Seen* dseen; char* other; CHECK(cudaMalloc(&in, 256 << 20)); CHECK(cudaMemset(in, 0, 256 << 20)); CHECK(cudaMalloc(&out, 256 << 20)); CHECK(cudaMemset(out, 0, 256 << 20)); CHECK(cudaMalloc(&dseen, 8192 * sizeof(Seen))); CHECK(cudaMalloc(&other, 256 << 20));
  std::vector<Seen> seen(8192);
  for (int kind = 0; kind < 5; kind++) for (int grid : {132, 264, 528, 1024, 1056, 2048, 4096}) for (int lap = 0; lap < 3; lap++) {
    CHECK(cudaMemset(other, lap, 256 << 20));
#define RUN(K) if (kind == K) k_blocks<K><<<grid, 256>>>(in, out, dseen, 0);
    RUN(0) RUN(1) RUN(2) RUN(3) RUN(4)
    CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(seen.data(), dseen, grid * sizeof(Seen), cudaMemcpyDeviceToHost));
    if (lap == 0) continue;
    std::vector<int> blocks(132); std::vector<unsigned long long> first(132, ~0ull), last(132), first_ns(132, ~0ull), last_ns(132); unsigned long long begin = ~0ull, end = 0;
    for (int b = 0; b < grid; b++) { Seen& s = seen[b]; blocks[s.sm]++; first[s.sm] = std::min(first[s.sm], s.begin); last[s.sm] = std::max(last[s.sm], s.end); first_ns[s.sm] = std::min(first_ns[s.sm], s.begin_ns); last_ns[s.sm] = std::max(last_ns[s.sm], s.end_ns); begin = std::min(begin, s.begin_ns); end = std::max(end, s.end_ns); }
    double mean = 0; unsigned long long least = ~0ull, most = 0; for (int i = 0; i < 132; i++) { unsigned long long a = blocks[i] ? last[i] - first[i] : 0; mean += a / 132.0; least = std::min(least, a); most = std::max(most, a); }
    // blocks.txt has of what follows only how many SMs had how many blocks.
    printf("kind %d, %d blocks: %llu ns, mean %.0f, least %llu, most %llu; blocks:cycles@ns of begin", kind, grid, end - begin, mean, least, most);
    for (int i = 0; i < 132; i++) printf(" %d:%llu@%llu", blocks[i], blocks[i] ? last[i] - first[i] : 0, blocks[i] ? first_ns[i] - begin : 0);
    printf("\n");
  }
}
