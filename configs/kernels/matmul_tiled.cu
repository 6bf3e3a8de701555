// c = a * b for square matrices, in tiles of 16 x 16 in shared memory; n is a multiple of 16.
extern "C" __global__ void matmul_tiled(int n, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += 16) {
        ta[y][x] = a[row * n + k + x];
        tb[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int j = 0; j < 16; j++) sum += ta[y][j] * tb[j][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
