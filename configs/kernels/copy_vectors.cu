// A work-item copies one float or one float4.
extern "C" __global__ void copy1(const float* __restrict__ input, float* __restrict__ output) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    output[id] = input[id];
}

extern "C" __global__ void copy4(const float4* __restrict__ input, float4* __restrict__ output) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    output[id] = input[id];
}
