// The neighbours of a site of a periodic four-dimensional lattice, each through a matrix of its own link: a site has
// twelve complex numbers (four of three), a link is a complex 3 x 3 matrix that is used once. This is the shape of a
// lattice-QCD operator: 24 floats of sum per thread, in shared memory (24 KiB a block of 256) or in registers.
// Component c of site i lies at [c * sites + i], so that neighbouring threads read neighbouring words.
__device__ __forceinline__ int step(int at, int way, int length) {
    int to = at + way;
    return to < 0 ? to + length : to >= length ? to - length : to;
}

template <bool SHARED>
__device__ __forceinline__ void link_stencil(const float* __restrict__ field, const float* __restrict__ links,
                                             float* __restrict__ out, int nx, int ny, int nz, int nt) {
    extern __shared__ float shared_sum[];
    int sites = nx * ny * nz * nt, i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i % nx, y = i / nx % ny, z = i / (nx * ny) % nz, t = i / (nx * ny * nz);
    float own_sum[24];
#pragma unroll
    for (int c = 0; c < 24; c++) {
        float first = 8.0f * field[c * sites + i];
        if (SHARED) shared_sum[c * blockDim.x + threadIdx.x] = first; else own_sum[c] = first;
    }
#pragma unroll 1
    for (int d = 0; d < 8; d++) {
        int way = d & 1 ? 1 : -1, axis = d >> 1;
        int at = axis == 0 ? i - x + step(x, way, nx)
               : axis == 1 ? i + (step(y, way, ny) - y) * nx
               : axis == 2 ? i + (step(z, way, nz) - z) * nx * ny
                           : i + (step(t, way, nt) - t) * nx * ny * nz;
        const float* link = links + (size_t)d * 18 * sites + i;
        float u[18];
#pragma unroll
        for (int c = 0; c < 18; c++) u[c] = link[(size_t)c * sites];
#pragma unroll
        for (int s = 0; s < 4; s++) {
            float v[6];
#pragma unroll
            for (int c = 0; c < 6; c++) v[c] = field[(s * 6 + c) * sites + at];
#pragma unroll
            for (int row = 0; row < 3; row++) {
                float re = 0.0f, im = 0.0f;
#pragma unroll
                for (int k = 0; k < 3; k++) {
                    float a = u[(row * 3 + k) * 2], b = u[(row * 3 + k) * 2 + 1];
                    re += a * v[k * 2] - b * v[k * 2 + 1];
                    im += a * v[k * 2 + 1] + b * v[k * 2];
                }
                int c = s * 6 + row * 2;
                if (SHARED) {
                    shared_sum[c * blockDim.x + threadIdx.x] -= re;
                    shared_sum[(c + 1) * blockDim.x + threadIdx.x] -= im;
                } else {
                    own_sum[c] -= re;
                    own_sum[c + 1] -= im;
                }
            }
        }
    }
#pragma unroll
    for (int c = 0; c < 24; c++) out[c * sites + i] = SHARED ? shared_sum[c * blockDim.x + threadIdx.x] : own_sum[c];
}

extern "C" __global__ void in_shared_memory(const float* __restrict__ field, const float* __restrict__ links,
                                            float* __restrict__ out, int nx, int ny, int nz, int nt) {
    link_stencil<true>(field, links, out, nx, ny, nz, nt);
}

extern "C" __global__ void in_registers(const float* __restrict__ field, const float* __restrict__ links,
                                        float* __restrict__ out, int nx, int ny, int nz, int nt) {
    link_stencil<false>(field, links, out, nx, ny, nz, nt);
}
