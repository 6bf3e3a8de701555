// Sums of 1024 elements by a block of 1024 threads in ten iterations: neighbours first, and halves first.
extern "C" __global__ void interleaved(const float* __restrict__ x, float* __restrict__ sums) {
    __shared__ float part[1024];
    unsigned t = threadIdx.x;
    part[t] = x[blockIdx.x * blockDim.x + t];
#pragma unroll 1
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        if (t % (2 * stride) == 0) part[t] += part[t + stride];
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

extern "C" __global__ void sequential(const float* __restrict__ x, float* __restrict__ sums) {
    __shared__ float part[1024];
    unsigned t = threadIdx.x;
    part[t] = x[blockIdx.x * blockDim.x + t];
#pragma unroll 1
    for (unsigned stride = blockDim.x / 2; stride >= 1; stride >>= 1) {
        __syncthreads();
        if (t < stride) part[t] += part[t + stride];
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
