// Sums of 512 elements by blocks of 256 threads, in shared memory with sequential addressing.
extern "C" __global__ void reduction(const float* __restrict__ in, float* __restrict__ sums) {
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 512 + t] + in[blockIdx.x * 512 + 256 + t];
    __syncthreads();
    for (int half = 128; half > 0; half >>= 1) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
