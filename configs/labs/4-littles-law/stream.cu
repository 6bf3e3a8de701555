// Every thread adds up 32 elements: one, two or four of them are under way at a time.
template <int K> __device__ void stream(const float* in, float* out) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    float sum[K];
    for (int k = 0; k < K; k++) sum[k] = 0.0f;
#pragma unroll 1
    for (int round = 0; round < 32 / K; round++) {
        float v[K];
#pragma unroll
        for (int k = 0; k < K; k++) v[k] = in[(round * K + k) * threads + thread];
#pragma unroll
        for (int k = 0; k < K; k++) sum[k] += v[k];
    }
    for (int k = 1; k < K; k++) sum[0] += sum[k];
    out[thread] = sum[0];
}
extern "C" __global__ void stream1(const float* __restrict__ in, float* __restrict__ out) { stream<1>(in, out); }
extern "C" __global__ void stream2(const float* __restrict__ in, float* __restrict__ out) { stream<2>(in, out); }
extern "C" __global__ void stream4(const float* __restrict__ in, float* __restrict__ out) { stream<4>(in, out); }
