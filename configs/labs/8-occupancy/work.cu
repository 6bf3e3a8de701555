// 512 dependent multiplications and additions of a thread, in four chains.
extern "C" __global__ void work(const float* __restrict__ in, float* __restrict__ out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x[4];
    for (int k = 0; k < 4; k++) x[k] = in[i] + k;
#pragma unroll 1
    for (int round = 0; round < 16; round++) {
#pragma unroll
        for (int j = 0; j < 8; j++) {
#pragma unroll
            for (int k = 0; k < 4; k++) x[k] = x[k] * 0.5f + 1.0f;
        }
    }
    out[i] = x[0] + x[1] + x[2] + x[3];
}
