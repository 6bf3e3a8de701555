// Counts of 256 values: each block counts in shared memory, then adds its counts to those of all.
extern "C" __global__ void histogram_shared(int n, const unsigned* __restrict__ in, unsigned* __restrict__ counts) {
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i] & 255], 1u);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
