// Two files in one: compiled with -rdc=true apart, linked with nvlink for sm_90, so that calls leave their section.
extern __device__ int helper(int a, int b);
extern __device__ int twice(int a);
extern "C" __global__ void first(int *out, int n) {
  int i = threadIdx.x;
  out[i] = helper(i, n) + twice(i);
}
extern "C" __global__ void second(int *out, int n) { out[threadIdx.x] = twice(helper(threadIdx.x, 3)); }
// The other file.
__device__ int offset = 5;
__device__ __noinline__ int inner(int a) { return a % 7 + offset; }
__device__ int twice(int a) { return inner(a) * 2; }
__device__ int helper(int a, int b) { int v[8]; for (int k = 0; k < 8; k++) v[(k + b) & 7] = a * k; return v[a & 7] + inner(b); }
