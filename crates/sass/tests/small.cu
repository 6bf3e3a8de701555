__constant__ int table[4] = {3, 1, 4, 1};
__device__ int counter = 7;
__device__ int *pointer = &counter;
__device__ float scratch[64];
__device__ __noinline__ int helper(int a, int b) { return a * b + a / b; }
extern "C" __global__ void __launch_bounds__(128) mix(int *out, int n) {
  __shared__ int tile[128];
  int i = threadIdx.x;
  tile[i] = n + i;
  __syncthreads();
  int v = tile[127 - i] + table[i & 3] + *pointer + helper(i, n);
  switch (n) {
    case 0: v *= 3; break; case 1: v ^= 5; break; case 2: v += __popc(v); break;
    case 3: v <<= 2; break; case 4: v = -v; break; case 5: v = __brev(v); break; default: break;
  }
  scratch[i & 63] = v;
  atomicAdd(&counter, 1);
  out[i] = v;
}
extern "C" __global__ void other(int *out) { out[threadIdx.x] = helper(threadIdx.x, 3); }
