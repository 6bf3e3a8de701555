// Each warp reads one sector of 32 bytes after the other: sector i of the walk lies at (i * stride) % sectors.
extern "C" __global__ void walk(const uint4* __restrict__ in, unsigned* __restrict__ out, unsigned stride, unsigned sectors) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 v = in[i * stride % sectors * 2];
    if (v.x == 1234567u) out[0] = v.y;
}
