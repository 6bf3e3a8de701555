// Counting elements into bins, three ways.
extern "C" __global__ void one_bin(const unsigned* __restrict__ in, unsigned* counts) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&counts[0], in[i] & 1);
}
extern "C" __global__ void many_bins(const unsigned* __restrict__ in, unsigned* counts) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&counts[in[i] & 255], 1u);
}
extern "C" __global__ void in_shared(const unsigned* __restrict__ in, unsigned* counts) {
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned k = 0; k < 8; k++) atomicAdd(&mine[in[(blockIdx.x * 8 + k) * 256 + threadIdx.x] & 255], 1u);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
