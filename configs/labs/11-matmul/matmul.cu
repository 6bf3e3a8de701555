// c = a * b for n x n matrices. `naive`: every element from device memory. `tiled`: tiles of 16 x 16 in shared memory.
// `tiled2`, `tiled4`: the same, and a thread computes two or four elements of a column of tiles.
extern "C" __global__ void naive(unsigned n, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
    unsigned row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0.0f;
    for (unsigned k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
template <int R> __device__ void tiles(unsigned n, const float* a, const float* b, float* c) {
    __shared__ float ta[R][16][16], tb[16][16];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned row = blockIdx.y * 16 * R + y, column = blockIdx.x * 16 + x;
    float sum[R];
    for (int r = 0; r < R; r++) sum[r] = 0.0f;
#pragma unroll 1
    for (unsigned k = 0; k < n; k += 16) {
#pragma unroll
        for (int r = 0; r < R; r++) ta[r][y][x] = a[(row + 16 * r) * n + k + x];
        tb[y][x] = b[(k + y) * n + column];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; j++) {
#pragma unroll
            for (int r = 0; r < R; r++) sum[r] += ta[r][y][j] * tb[j][x];
        }
        __syncthreads();
    }
    for (int r = 0; r < R; r++) c[(row + 16 * r) * n + column] = sum[r];
}
extern "C" __global__ void tiled(unsigned n, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) { tiles<1>(n, a, b, c); }
extern "C" __global__ void tiled2(unsigned n, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) { tiles<2>(n, a, b, c); }
extern "C" __global__ void tiled4(unsigned n, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) { tiles<4>(n, a, b, c); }
