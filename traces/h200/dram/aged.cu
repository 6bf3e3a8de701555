// In which order lines of a full level two go, and how fast. All of `blocks` blocks write or read so many MiB, wait for all, and read so
// many others; then a quarter of what was touched first is read once more, from its end to its beginning. Or arrays are read and one is written
// side by side. Each is one launch under Nsight Compute, which flushes the caches before it:
//   ncu --cache-control all --clock-control none --metrics dram__bytes_read.sum,dram__bytes_write.sum,sm__cycles_elapsed.max ./aged
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define K extern "C" __global__ void
// All blocks, which are all resident.
__device__ __forceinline__ void wait_for_all(uint32_t* arrived, uint32_t until) {
  __syncthreads();
  if (threadIdx.x == 0) { __threadfence(); atomicAdd(arrived, 1); while (*(volatile uint32_t*)arrived < until) {} }
  __syncthreads();
}
__device__ __forceinline__ float read_all(const float4* from, int n, int blocks, bool backwards) {
  float s = 0; if (blockIdx.x >= blocks) return s;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blocks * blockDim.x) { float4 v = __ldcg(from + (backwards ? n - 1 - i : i)); s += v.x + v.y + v.z + v.w; }
  return s;
}
K k_aged(float4* first, const float4* others, float* out, uint32_t* arrived, int write, int n, int m, int blocks, int again, int count) {
  float s = 0;
  if (write) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) first[i] = make_float4(i, 1, 2, 3);
  else s = read_all(first, n, gridDim.x, false);
  wait_for_all(arrived, gridDim.x); s += read_all(others, m, blocks, false);
  wait_for_all(arrived, gridDim.x * 2); s += read_all(first + again, count, gridDim.x, true);
  if (s == 12345) out[0] = s;
}
K k_side(const float4* a, const float4* b, const float4* c, float4* to, int n, int arrays, float* out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 v = __ldcg(a + i); if (arrays > 1) { float4 w = __ldcg(b + i); v.x += w.x; v.y += w.y; } if (arrays > 2) { float4 w = __ldcg(c + i); v.x += w.x; v.y += w.y; }
    to[i] = v; }
}
int main() {
  char *a, *b; float* out; uint32_t* arrived; size_t most = 256ull << 20;
  CHECK(cudaMalloc(&a, most)); CHECK(cudaMalloc(&b, most)); CHECK(cudaMalloc(&out, 1 << 20)); CHECK(cudaMalloc(&arrived, 256));
  CHECK(cudaMemset(a, 0, most)); CHECK(cudaMemset(b, 0, most));
  auto aged = [&](bool write, int n, int m, int blocks, int quarter) {
    CHECK(cudaMemset(arrived, 0, 256)); int part = quarter < 0 ? 0 : n * 16384;
    k_aged<<<528, 256>>>((float4*)a, (const float4*)b, out, arrived, write, n * 65536, m * 65536, blocks, quarter * part, part);
    CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); printf("%s %d MiB, then %d blocks read %d others", write ? "write" : "read", n, blocks, m); if (quarter >= 0) printf(", then quarter %d of the first", quarter); printf("\n");
  };
  for (int blocks : {528, 132, 66, 33, 16}) for (int m : {12, 16, 20, 24, 28, 32, 40}) aged(true, 24, m, blocks, -1);
  for (int m : {20, 28, 36}) for (int q = 0; q < 4; q++) { aged(true, 24, m, 528, q); aged(false, 24, m, 528, q); }
  for (int m : {28, 40}) for (int q = 0; q < 4; q++) { aged(true, 12, m, 528, q); aged(false, 12, m, 528, q); }
  auto side = [&](int arrays, int mib, int blocks) {
    k_side<<<blocks, 256>>>((const float4*)a, (const float4*)(a + (64 << 20)), (const float4*)(a + (128 << 20)), (float4*)b, mib * 65536, arrays, out);
    CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); printf("%d arrays of %d MiB read side by side, one written, %d blocks\n", arrays, mib, blocks);
  };
  for (int arrays : {1, 2, 3}) for (int mib : {8, 16, 24, 32, 48}) for (int blocks : {1056, 132, 33}) side(arrays, mib, blocks);
}
