// What a level two keeps of written data while a kernel goes on, and what is in it before a kernel starts. One kernel of as many
// blocks as fit: writes so many MiB, waits for all blocks, reads so many others ("write, then read"), or the other way round; or
// reads only. Each is one launch under Nsight Compute, which flushes the caches before it:
//   ncu --cache-control all --clock-control none --metrics dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,gpu__time_duration.sum,sm__cycles_elapsed.max ./dirty
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
__device__ __forceinline__ void write_all(float4* to, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = make_float4(i, 1, 2, 3);
}
// `turn` shifts which block reads what.
__device__ __forceinline__ float read_all(const float4* from, int n, int turn) {
  float s = 0;
  for (int i = ((blockIdx.x + turn) % gridDim.x) * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { float4 v = __ldcg(from + i); s += v.x + v.y + v.z + v.w; }
  return s;
}
K k_write_read(float4* to, const float4* from, float* out, uint32_t* arrived, int writes, int reads, int turn) {
  write_all(to, writes); wait_for_all(arrived, gridDim.x); float s = read_all(from, reads, turn); if (s == 12345) out[0] = s; }
K k_read_write(float4* to, const float4* from, float* out, uint32_t* arrived, int writes, int reads, int turn) {
  float s = read_all(from, reads, turn); wait_for_all(arrived, gridDim.x); write_all(to, writes); if (s == 12345) out[0] = s; }
int main(int argc, char** argv) {
  char *a, *b; float* out; uint32_t* arrived; size_t most = 512ull << 20;
  CHECK(cudaMalloc(&a, most)); CHECK(cudaMalloc(&b, most)); CHECK(cudaMalloc(&out, 1 << 20)); CHECK(cudaMalloc(&arrived, 256));
  CHECK(cudaMemset(a, 0, most)); CHECK(cudaMemset(b, 0, most));
  auto run = [&](bool write_first, int write_mib, int read_mib, bool same, int turn) {
    CHECK(cudaMemset(arrived, 0, 256));
    (write_first ? k_write_read : k_read_write)<<<528, 256>>>((float4*)a, (const float4*)(same ? a : b), out, arrived, write_mib * 65536, read_mib * 65536, turn);
    CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
  };
  if (argc > 1) { for (int r : {64, 256}) run(true, 0, r, false, 0); return 0; }
  for (int r : {8, 16, 24, 32, 40, 48, 64, 128, 256}) run(true, 0, r, false, 0);
  for (int r : {0, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64}) run(true, 24, r, false, 0);
  for (int r : {0, 8, 16, 24, 28, 32, 36, 40, 48, 64}) run(true, 12, r, false, 0);
  for (int r : {0, 8, 16, 24, 32, 48, 64}) run(true, 32, r, false, 0);
  for (int r : {0, 8, 16, 24, 32, 48, 64}) run(false, 24, r, false, 0);
  for (int r : {0, 8, 16, 24, 32, 48, 64}) run(false, 40, r, false, 0);
  for (int w : {12, 20, 24}) for (int turn : {0, 37}) run(true, w, w, true, turn);
}
