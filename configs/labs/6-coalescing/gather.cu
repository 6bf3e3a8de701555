// out[i] = in[i * stride + first]: what a warp touches depends on the stride and on where it begins.
extern "C" __global__ void gather(const float* __restrict__ in, float* __restrict__ out, unsigned stride, unsigned first) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride + first];
}
