// Kernels in the manner of course work: lecture versions, homework solutions and lab exercises.
#include <cuda_runtime.h>
#include <stdint.h>

// ---------------------------------------------------------------------------------------------
// Lab 3: tiled matrix multiplication with thread coarsening and corner turning.
// M is row major (height x inner), N is stored COLUMN major (width columns of inner elements).
#define MM_TILE 16
#define MM_COARSE 4

//! mm_corner_coarse 5x16 16x16 buffer:M:200000:uniform:0:1:11 buffer:N:240000:uniform:0:1:12 buffer:P:300000:zero i32:250 i32:200 i32:300
extern "C" __global__ void mm_corner_coarse(float* M, float* N, float* P, int height, int inner, int width)
{
    __shared__ float Mds[MM_TILE][MM_TILE];
    __shared__ float Nds[MM_TILE][MM_TILE + 1];

    int bx = blockIdx.x;  int by = blockIdx.y;
    int tx = threadIdx.x; int ty = threadIdx.y;

    // Identify the row and column of the P elements to work on
    int row = by * MM_TILE + ty;
    int colStart = bx * MM_TILE * MM_COARSE + tx;

    // Initialize Pvalue for all output elements
    float Pvalue[MM_COARSE];
    for (int c = 0; c < MM_COARSE; ++c) {
        Pvalue[c] = 0.0f;
    }

    // Loop over the M and N tiles required to compute P element
    for (int ph = 0; ph < (inner + MM_TILE - 1) / MM_TILE; ++ph) {

        // Collaborative loading of M tile into shared memory
        if (row < height && ph * MM_TILE + tx < inner)
            Mds[ty][tx] = M[row * inner + ph * MM_TILE + tx];
        else
            Mds[ty][tx] = 0.0f;

        for (int c = 0; c < MM_COARSE; ++c) {
            // Corner turning: tx runs along the inner dimension because N is column major
            int tileCol = bx * MM_TILE * MM_COARSE + c * MM_TILE;
            if (tileCol + ty < width && ph * MM_TILE + tx < inner)
                Nds[tx][ty] = N[(tileCol + ty) * inner + ph * MM_TILE + tx];
            else
                Nds[tx][ty] = 0.0f;
            __syncthreads();

            for (int k = 0; k < MM_TILE; ++k) {
                Pvalue[c] += Mds[ty][k] * Nds[k][tx];
            }
            __syncthreads();
        }
    }

    for (int c = 0; c < MM_COARSE; ++c) {
        int col = colStart + c * MM_TILE;
        if (row < height && col < width)
            P[row * width + col] = Pvalue[c];
    }
}

// ---------------------------------------------------------------------------------------------
// Assignment 4: 3-D convolution. Mask in constant memory, tile with halo in shared memory.
#define MASK_WIDTH 3
#define MASK_RADIUS (MASK_WIDTH / 2)
#define TILE_X 8
#define TILE_Y 4
#define TILE_Z 4
#define HALO_X (TILE_X + MASK_WIDTH - 1)
#define HALO_Y (TILE_Y + MASK_WIDTH - 1)
#define HALO_Z (TILE_Z + MASK_WIDTH - 1)

__constant__ float deviceKernel[MASK_WIDTH][MASK_WIDTH][MASK_WIDTH] = {
    {{0.01f, 0.03f, 0.01f}, {0.03f, 0.07f, 0.03f}, {0.01f, 0.03f, 0.01f}},
    {{0.03f, 0.07f, 0.03f}, {0.07f, 0.18f, 0.07f}, {0.03f, 0.07f, 0.03f}},
    {{0.01f, 0.03f, 0.01f}, {0.03f, 0.07f, 0.03f}, {0.01f, 0.03f, 0.01f}}};

//! conv3d_mask_halo 8x12x10 8x4x4 buffer:in:447252:uniform:0:1:21 buffer:out:447252:zero i32:39 i32:47 i32:61
extern "C" __global__ void conv3d_mask_halo(float *input, float *output,
                                            const int z_size, const int y_size, const int x_size)
{
    __shared__ float tile[HALO_Z][HALO_Y][HALO_X];

    int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
    int x0 = blockIdx.x * TILE_X - MASK_RADIUS;
    int y0 = blockIdx.y * TILE_Y - MASK_RADIUS;
    int z0 = blockIdx.z * TILE_Z - MASK_RADIUS;

    // Flatten the thread index and let the block load the whole halo tile
    int flat = tx + blockDim.x * (ty + blockDim.y * tz);
    int nthreads = blockDim.x * blockDim.y * blockDim.z;
    for (int i = flat; i < HALO_X * HALO_Y * HALO_Z; i += nthreads) {
        int lx = i % HALO_X;
        int ly = (i / HALO_X) % HALO_Y;
        int lz = i / (HALO_X * HALO_Y);
        int gx = x0 + lx;
        int gy = y0 + ly;
        int gz = z0 + lz;
        if (gx >= 0 && gx < x_size && gy >= 0 && gy < y_size && gz >= 0 && gz < z_size) {
            tile[lz][ly][lx] = input[gz * (y_size * x_size) + gy * x_size + gx];
        } else {
            tile[lz][ly][lx] = 0;
        }
    }
    __syncthreads();

    int x = blockIdx.x * TILE_X + tx;
    int y = blockIdx.y * TILE_Y + ty;
    int z = blockIdx.z * TILE_Z + tz;
    if (x < x_size && y < y_size && z < z_size) {
        float res = 0.0;
        for (int k = 0; k < MASK_WIDTH; k++) {
            for (int j = 0; j < MASK_WIDTH; j++) {
                for (int i = 0; i < MASK_WIDTH; i++) {
                    res += tile[tz + k][ty + j][tx + i] * deviceKernel[k][j][i];
                }
            }
        }
        output[z * (y_size * x_size) + y * x_size + x] = res;
    }
}

// ---------------------------------------------------------------------------------------------
// Homework: text histogram, privatised per warp, with coarsening and aggregation of equal runs.
#define LETTER_BINS 7        // "a-d", "e-h", ..., "y-z"
#define CLASS_BINS 5         // control, digit, punctuation, upper, lower
#define ALL_BINS (LETTER_BINS + CLASS_BINS)
#define HIST_WARPS 8

__device__ int charClass(unsigned char c)
{
    switch (c / 32) {
    case 0:
        return 0;
    case 1:
        return (c >= '0' && c <= '9') ? 1 : 2;
    case 2:
        if (c >= 'A' && c <= 'Z') return 3;
        return 2;
    case 3:
        if (c >= 'a' && c <= 'z') return 4;
        if (c == 127) return 0;
        return 2;
    default:
        return 0;
    }
}

//! hist_letters_private 64 256 buffer:text:1048576:hash_i32:31 u32:1048576 buffer:histo:48:zero
extern "C" __global__ void hist_letters_private(unsigned char *data, unsigned int length, unsigned int *histo)
{
    // One private copy per warp; one extra column so the copies start in different banks
    __shared__ unsigned int histo_s[HIST_WARPS][ALL_BINS + 1];
    int warp = threadIdx.x / 32;
    for (unsigned int bin = threadIdx.x; bin < HIST_WARPS * (ALL_BINS + 1); bin += blockDim.x) {
        histo_s[bin / (ALL_BINS + 1)][bin % (ALL_BINS + 1)] = 0u;
    }
    __syncthreads();

    unsigned int accumulator = 0;
    int prevBinIdx = -1;
    unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned int i = tid; i < length; i += blockDim.x * gridDim.x) {
        unsigned char c = data[i] & 0x7f;
        int cls = charClass(c);
        atomicAdd(&histo_s[warp][LETTER_BINS + cls], 1);
        if (cls == 3) c = c - 'A' + 'a';
        int alphabet_position = c - 'a';
        if (alphabet_position >= 0 && alphabet_position < 26) {
            int bin = alphabet_position / 4;
            if (bin == prevBinIdx) {
                ++accumulator;
            } else {
                if (accumulator > 0) {
                    atomicAdd(&(histo_s[warp][prevBinIdx]), accumulator);
                }
                accumulator = 1;
                prevBinIdx = bin;
            }
        }
    }
    if (accumulator > 0) {
        atomicAdd(&(histo_s[warp][prevBinIdx]), accumulator);
    }
    __syncthreads();

    // Commit to global memory
    if (threadIdx.x < ALL_BINS) {
        unsigned int binValue = 0;
        for (int w = 0; w < HIST_WARPS; w++) {
            binValue += histo_s[w][threadIdx.x];
        }
        if (binValue > 0) {
            atomicAdd(&(histo[threadIdx.x]), binValue);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Three-phase coarsened scan. Even blocks use Kogge-Stone for phase 2, odd blocks Brent-Kung.
#define SCAN_THREADS 256
#define SCAN_COARSE 8
#define SCAN_SECTION (SCAN_THREADS * SCAN_COARSE)

__device__ float* koggeStone(float *bufA, float *bufB)
{
    int t = threadIdx.x;
    float *in = bufA, *out = bufB;
    for (unsigned int stride = 1; stride < SCAN_THREADS; stride *= 2) {
        if (t >= (int)stride)
            out[t] = in[t] + in[t - stride];
        else
            out[t] = in[t];
        __syncthreads();
        float *tmp = in;
        in = out;
        out = tmp;
    }
    return in;
}

__device__ void brentKung(float *XY)
{
    for (unsigned int stride = 1; stride <= SCAN_THREADS / 2; stride *= 2) {
        unsigned int index = (threadIdx.x + 1) * 2 * stride - 1;
        if (index < SCAN_THREADS) {
            XY[index] += XY[index - stride];
        }
        __syncthreads();
    }
    for (int stride = SCAN_THREADS / 4; stride > 0; stride /= 2) {
        unsigned int index = (threadIdx.x + 1) * stride * 2 - 1;
        if (index + stride < SCAN_THREADS) {
            XY[index + stride] += XY[index];
        }
        __syncthreads();
    }
}

//! scan_ks_bk_sections 120 256 buffer:X:983040:uniform:0:1:41 buffer:Y:983040:zero buffer:S:480:zero u32:245000 i32:0
extern "C" __global__ void scan_ks_bk_sections(float *X, float *Y, float *S, unsigned int N, int exclusive)
{
    __shared__ float XY[SCAN_SECTION];
    __shared__ float sumsA[SCAN_THREADS];
    __shared__ float sumsB[SCAN_THREADS];

    unsigned int t = threadIdx.x;
    unsigned int base = blockIdx.x * SCAN_SECTION;

    // Coalesced load into shared memory
    for (int c = 0; c < SCAN_COARSE; c++) {
        unsigned int i = base + c * SCAN_THREADS + t;
        XY[c * SCAN_THREADS + t] = (i < N) ? X[i] : 0.0f;
    }
    __syncthreads();

    // Phase 1: every thread scans its own subsection sequentially
    for (int c = 1; c < SCAN_COARSE; c++) {
        XY[t * SCAN_COARSE + c] += XY[t * SCAN_COARSE + c - 1];
    }
    sumsA[t] = XY[t * SCAN_COARSE + SCAN_COARSE - 1];
    __syncthreads();

    // Phase 2: scan of the last elements of all subsections
    float *scanned;
    if (blockIdx.x % 2 == 0) {
        scanned = koggeStone(sumsA, sumsB);
    } else {
        brentKung(sumsA);
        scanned = sumsA;
    }

    // Phase 3: add the previous subsection's sum
    if (t > 0) {
        float prev = scanned[t - 1];
        for (int c = 0; c < SCAN_COARSE; c++) {
            XY[t * SCAN_COARSE + c] += prev;
        }
    }
    __syncthreads();

    for (int c = 0; c < SCAN_COARSE; c++) {
        unsigned int j = c * SCAN_THREADS + t;
        if (base + j < N) {
            if (exclusive)
                Y[base + j] = (j == 0) ? 0.0f : XY[j - 1];
            else
                Y[base + j] = XY[j];
        }
    }
    if (t == blockDim.x - 1) {
        S[blockIdx.x] = XY[SCAN_SECTION - 1];
    }
}

// ---------------------------------------------------------------------------------------------
// Sparse matrix-vector product with the JDS (jagged diagonal) format, matrix passed as a struct.
struct JDSMatrix {
    unsigned int numRows;
    unsigned int numCols;
    unsigned int *colIdx;
    float *value;
};

// rows are sorted by decreasing length: 40, 24, 12 or 5 nonzeros
__device__ unsigned int rowsInIteration(const struct JDSMatrix *m, unsigned int it)
{
    if (it < 5) return m->numRows;
    if (it < 12) return m->numRows / 2;
    if (it < 24) return m->numRows / 8;
    if (it < 40) return m->numRows / 32;
    return 0;
}

__device__ unsigned int originalRow(const struct JDSMatrix *m, unsigned int sortedRow)
{
    return (sortedRow * 5 + 3) % m->numRows;
}

//! spmv_jds_struct 256 256 buffer:colIdx:2752512:hash_i32:51 buffer:value:2752512:uniform:0:1:52 buffer:x:36000:uniform:0:1:53 buffer:y:262144:zero u32:65536 u32:9000
extern "C" __global__ void spmv_jds_struct(unsigned int *colIdx, float *value, float *x, float *y,
                                           unsigned int numRows, unsigned int numCols)
{
    struct JDSMatrix A;
    A.numRows = numRows;
    A.numCols = numCols;
    A.colIdx = colIdx;
    A.value = value;
    struct JDSMatrix *jds = &A;

    unsigned int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < jds->numRows) {
        double sum = 0.0;
        unsigned int iter = 0;
        unsigned int iterPtr = 0;
        while (row < rowsInIteration(jds, iter)) {
            unsigned int i = iterPtr + row;
            unsigned int col = jds->colIdx[i] % jds->numCols;
            float v = jds->value[i];
            sum += v * x[col];
            iterPtr += rowsInIteration(jds, iter);
            iter++;
        }
        y[originalRow(jds, row)] = sum / (iter + 1.0);
    }
}

// ---------------------------------------------------------------------------------------------
// Merge sort inside a block: each thread sorts 4 keys, then log2 passes with co-rank merging.
#define MS_THREADS 256
#define MS_PER_THREAD 4
#define MS_ITEMS (MS_THREADS * MS_PER_THREAD)

__device__ int co_rank(int k, const int *A, int m, const int *B, int n)
{
    int i = k < m ? k : m;
    int j = k - i;
    int i_low = 0 > (k - n) ? 0 : k - n;
    int j_low = 0 > (k - m) ? 0 : k - m;
    int delta;
    bool active = true;
    while (active) {
        if (i > 0 && j < n && A[i - 1] > B[j]) {
            delta = ((i - i_low + 1) >> 1);
            j_low = j;
            j = j + delta;
            i = i - delta;
        } else if (j > 0 && i < m && B[j - 1] >= A[i]) {
            delta = ((j - j_low + 1) >> 1);
            i_low = i;
            i = i + delta;
            j = j - delta;
        } else {
            active = false;
        }
    }
    return i;
}

__device__ void merge_sequential(const int *A, int m, const int *B, int n, int *C)
{
    int i = 0, j = 0, k = 0;
    while ((i < m) && (j < n)) {
        if (A[i] <= B[j]) {
            C[k++] = A[i++];
        } else {
            C[k++] = B[j++];
        }
    }
    if (i == m) {
        while (j < n) C[k++] = B[j++];
    } else {
        while (i < m) C[k++] = A[i++];
    }
}

//! merge_sort_corank 80 256 buffer:keys:327680:hash_i32:61 buffer:sorted:327680:zero
extern "C" __global__ void merge_sort_corank(int *keys, int *sorted)
{
    __shared__ int bufA[MS_ITEMS];
    __shared__ int bufB[MS_ITEMS];
    int t = threadIdx.x;
    int base = blockIdx.x * MS_ITEMS;

    for (int i = t; i < MS_ITEMS; i += blockDim.x) {
        bufA[i] = keys[base + i] % 100000;
    }
    __syncthreads();

    // insertion sort of this thread's own keys
    int *mine = &bufA[t * MS_PER_THREAD];
    for (int i = 1; i < MS_PER_THREAD; i++) {
        int key = mine[i];
        int j = i - 1;
        while (j >= 0 && mine[j] > key) {
            mine[j + 1] = mine[j];
            j--;
        }
        mine[j + 1] = key;
    }
    __syncthreads();

    int *src = bufA;
    int *dst = bufB;
    for (int width = MS_PER_THREAD; width < MS_ITEMS; width *= 2) {
        int k_curr = t * MS_PER_THREAD;
        int pair = k_curr / (2 * width);          // which pair of runs
        int k = k_curr % (2 * width);             // output position inside the pair
        int *A = src + pair * 2 * width;
        int *B = A + width;
        int i_curr = co_rank(k, A, width, B, width);
        int i_next = co_rank(k + MS_PER_THREAD, A, width, B, width);
        int j_curr = k - i_curr;
        int j_next = k + MS_PER_THREAD - i_next;
        merge_sequential(A + i_curr, i_next - i_curr, B + j_curr, j_next - j_curr, dst + k_curr);
        __syncthreads();
        int *tmp = src;
        src = dst;
        dst = tmp;
    }

    for (int i = t; i < MS_ITEMS; i += blockDim.x) {
        sorted[base + i] = src[i];
    }
}

// ---------------------------------------------------------------------------------------------
// Blocked Floyd-Warshall, one round. Every block redoes phases 1 and 2 for the tiles it depends on.
#define FW_B 32
#define FW_INF (1 << 29)

__device__ int edgeWeight(const int *raw, int i, int j, int n)
{
    if (i >= n || j >= n) return FW_INF;
    if (i == j) return 0;
    int r = raw[i * n + j];
    if (r % 10 >= 6) return FW_INF;
    return 1 + r / 10 % 1000;
}

//! floyd_warshall_round 8x8 32x32 buffer:raw:250000:hash_i32:71 buffer:dist:250000:zero buffer:via:250000:zero i32:250 i32:3
extern "C" __global__ void floyd_warshall_round(const int *raw, int *dist, int *via, int n, int round)
{
    __shared__ int pivot[FW_B][FW_B];
    __shared__ int rowTile[FW_B][FW_B];
    __shared__ int colTile[FW_B][FW_B];

    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * FW_B + ty;
    int j = blockIdx.x * FW_B + tx;
    int pi = round * FW_B + ty;
    int pj = round * FW_B + tx;

    pivot[ty][tx] = edgeWeight(raw, pi, pj, n);
    rowTile[ty][tx] = edgeWeight(raw, pi, j, n);
    colTile[ty][tx] = edgeWeight(raw, i, pj, n);
    __syncthreads();

    // Phase 1: dependent (pivot) tile
    for (int k = 0; k < FW_B; k++) {
        int cand = pivot[ty][k] + pivot[k][tx];
        if (cand < pivot[ty][tx]) pivot[ty][tx] = cand;
        __syncthreads();
    }

    // Phase 2: tile in the pivot row and tile in the pivot column
    for (int k = 0; k < FW_B; k++) {
        int candR = pivot[ty][k] + rowTile[k][tx];
        if (candR < rowTile[ty][tx]) rowTile[ty][tx] = candR;
        int candC = colTile[ty][k] + pivot[k][tx];
        if (candC < colTile[ty][tx]) colTile[ty][tx] = candC;
        __syncthreads();
    }

    // Phase 3: the remaining tile
    int best = edgeWeight(raw, i, j, n);
    int hop = -1;
    if ((int)blockIdx.y == round && (int)blockIdx.x == round) {
        best = pivot[ty][tx];
        hop = round * FW_B;
    } else if ((int)blockIdx.y == round) {
        best = rowTile[ty][tx];
        hop = i;
    } else if ((int)blockIdx.x == round) {
        best = colTile[ty][tx];
        hop = j;
    } else {
        for (int k = 0; k < FW_B; k++) {
            if (colTile[ty][k] + rowTile[k][tx] < best) {
                best = colTile[ty][k] + rowTile[k][tx];
                hop = round * FW_B + k;
            }
        }
    }
    if (i < n && j < n) {
        dist[i * n + j] = best;
        via[i * n + j] = hop;
    }
}

// ---------------------------------------------------------------------------------------------
// N-body with tiles. "It was slower than expected": literals and sqrt() make everything double.
#define NB_TILE 64
#define SOFTENING 1e-4

struct Vec3 { float x, y, z; };

//! nbody_double_oops 12x12 64 buffer:pos:9216:uniform:0:1:81 buffer:mass:3072:uniform:0:1:82 buffer:acc:110592:zero buffer:energy:576:zero i32:768
extern "C" __global__ void nbody_double_oops(struct Vec3 *pos, float *mass, struct Vec3 *acc, float *energy, int n)
{
    __shared__ struct Vec3 tilePos[NB_TILE];
    __shared__ float tileMass[NB_TILE];
    __shared__ double pot[NB_TILE];

    int t = threadIdx.x;
    int i = blockIdx.x * NB_TILE + t;
    int j0 = blockIdx.y * NB_TILE;

    if (j0 + t < n) {
        tilePos[t] = pos[j0 + t];
        tileMass[t] = mass[j0 + t] * 10.0 + 0.5;
    } else {
        tilePos[t].x = tilePos[t].y = tilePos[t].z = 0.0;
        tileMass[t] = 0.0;
    }
    __syncthreads();

    struct Vec3 me;
    me.x = me.y = me.z = 0.0;
    if (i < n) me = pos[i];
    float ax = 0.0, ay = 0.0, az = 0.0;
    float u = 0.0;
    for (int j = 0; j < NB_TILE; j++) {
        float dx = tilePos[j].x - me.x;
        float dy = tilePos[j].y - me.y;
        float dz = tilePos[j].z - me.z;
        float r2 = dx * dx + dy * dy + dz * dz + SOFTENING;
        float inv = 1.0 / sqrt((double)r2);
        float f = 6.67e-2 * tileMass[j] * inv * inv * inv;
        ax += f * dx;
        ay += f * dy;
        az += f * dz;
        if (j0 + j != i) u -= 0.5 * tileMass[j] * inv;
    }
    if (i < n) {
        acc[blockIdx.y * n + i].x = ax;
        acc[blockIdx.y * n + i].y = ay;
        acc[blockIdx.y * n + i].z = az;
    }

    // potential energy of the block: reduction #1, interleaved addressing with modulo
    pot[t] = (i < n) ? u : 0.0;
    __syncthreads();
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0) {
            pot[t] += pot[t + s];
        }
        __syncthreads();
    }
    if (t == 0) energy[blockIdx.y * gridDim.x + blockIdx.x] = pot[0];
}

// ---------------------------------------------------------------------------------------------
// Gauss-Jordan elimination with partial pivoting, one small system per block.
#define GJ_N 24

//! gauss_jordan_batch 132 25x8 buffer:A:304128:uniform:0:1:91 buffer:b:12672:uniform:0:1:92 buffer:x:12672:zero buffer:det:528:zero
extern "C" __global__ void gauss_jordan_batch(float *A, float *b, float *x, float *det)
{
    __shared__ float aug[GJ_N][GJ_N + 2];
    __shared__ float factor[GJ_N];
    __shared__ int pivotRow;
    __shared__ float pivotValue;

    int col = threadIdx.x;   // 0 .. 24, the last one is the right hand side
    int sys = blockIdx.x;
    float determinant = 1.0f;

    for (int r = threadIdx.y; r < GJ_N; r += blockDim.y) {
        if (col < GJ_N)
            aug[r][col] = A[sys * GJ_N * GJ_N + r * GJ_N + col] - 0.5;
        else
            aug[r][col] = b[sys * GJ_N + r];
    }
    __syncthreads();

    for (int k = 0; k < GJ_N; k++) {
        // thread 0 looks for the largest element in the column
        if (threadIdx.x == 0 && threadIdx.y == 0) {
            int best = k;
            for (int r = k + 1; r < GJ_N; r++) {
                if (fabs(aug[r][k]) > fabs(aug[best][k])) best = r;
            }
            pivotRow = best;
        }
        __syncthreads();

        // exchange rows
        if (threadIdx.y == 0 && pivotRow != k) {
            float tmp = aug[k][col];
            aug[k][col] = aug[pivotRow][col];
            aug[pivotRow][col] = tmp;
        }
        __syncthreads();

        // normalise the pivot row
        if (threadIdx.x == 0 && threadIdx.y == 0) {
            pivotValue = aug[k][k];
            determinant *= (pivotRow != k) ? -pivotValue : pivotValue;
            if (fabs(pivotValue) < 1e-7) pivotValue = 1.0;
        }
        __syncthreads();
        if (threadIdx.y == 0) {
            aug[k][col] = aug[k][col] / pivotValue;
        }
        if (threadIdx.y == 1 && col < GJ_N) {
            factor[col] = (col == k) ? 0.0f : aug[col][k];
        }
        __syncthreads();

        // eliminate column k from all other rows
        for (int r = threadIdx.y; r < GJ_N; r += blockDim.y) {
            if (r != k) aug[r][col] -= factor[r] * aug[k][col];
        }
        __syncthreads();
    }

    if (threadIdx.y == 0 && col < GJ_N) {
        x[sys * GJ_N + col] = aug[col][GJ_N];
    }
    if (threadIdx.x == 0 && threadIdx.y == 0) det[sys] = determinant;
}

// ---------------------------------------------------------------------------------------------
// Image filters on an array of packed three-byte pixels; a checkerboard of filters chosen by switch.
typedef struct {
    unsigned char r, g, b;
} Pixel;

typedef struct {
    int width;
    int height;
    Pixel *data;
} Image;

__device__ Pixel getPixel(const Image *img, int x, int y)
{
    // clamp to the border
    if (x < 0) x = 0;
    if (y < 0) y = 0;
    if (x >= img->width) x = img->width - 1;
    if (y >= img->height) y = img->height - 1;
    return img->data[y * img->width + x];
}

__device__ unsigned char clampByte(float v)
{
    if (v < 0.0) return 0;
    if (v > 255.0) return 255;
    return (unsigned char)v;
}

__device__ Pixel rotateHue(Pixel p, float degrees)
{
    float r = p.r / 255.0f, g = p.g / 255.0f, b = p.b / 255.0f;
    float mx = fmaxf(r, fmaxf(g, b));
    float mn = fminf(r, fminf(g, b));
    float d = mx - mn;
    float h = 0.0f;
    if (d > 0) {
        if (mx == r) h = 60 * fmodf((g - b) / d, 6);
        else if (mx == g) h = 60 * ((b - r) / d + 2);
        else h = 60 * ((r - g) / d + 4);
    }
    h += degrees;
    while (h < 0) h += 360;
    while (h >= 360) h -= 360;
    float c = d;
    float xx = c * (1 - fabsf(fmodf(h / 60, 2) - 1));
    float rr, gg, bb;
    switch ((int)(h / 60)) {
    case 0:  rr = c;  gg = xx; bb = 0;  break;
    case 1:  rr = xx; gg = c;  bb = 0;  break;
    case 2:  rr = 0;  gg = c;  bb = xx; break;
    case 3:  rr = 0;  gg = xx; bb = c;  break;
    case 4:  rr = xx; gg = 0;  bb = c;  break;
    default: rr = c;  gg = 0;  bb = xx; break;
    }
    Pixel q;
    q.r = clampByte((rr + mn) * 255);
    q.g = clampByte((gg + mn) * 255);
    q.b = clampByte((bb + mn) * 255);
    return q;
}

//! image_filter_structs 13x50 32x6 buffer:src:360000:hash_i32:101 buffer:dst:360000:zero i32:400 i32:300
extern "C" __global__ void image_filter_structs(Pixel *src, Pixel *dst, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    Image image;
    image.width = width;
    image.height = height;
    image.data = src;

    Pixel p = getPixel(&image, x, y);
    Pixel q = p;
    switch ((x / 50 + y / 50) % 6) {
    case 0: { // RGB to gray
        unsigned char gray = (unsigned char)(0.21 * p.r + 0.71 * p.g + 0.07 * p.b);
        q.r = q.g = q.b = gray;
        break;
    }
    case 1: // sepia
        q.r = clampByte(0.393 * p.r + 0.769 * p.g + 0.189 * p.b);
        q.g = clampByte(0.349 * p.r + 0.686 * p.g + 0.168 * p.b);
        q.b = clampByte(0.272 * p.r + 0.534 * p.g + 0.131 * p.b);
        break;
    case 2: // posterize
        q.r = p.r / 43 * 51;
        q.g = p.g / 43 * 51;
        q.b = p.b / 43 * 51;
        break;
    case 3: { // box blur
        int sr = 0, sg = 0, sb = 0;
        for (int dy = -2; dy <= 2; dy++) {
            for (int dx = -2; dx <= 2; dx++) {
                Pixel s = getPixel(&image, x + dx, y + dy);
                sr += s.r;
                sg += s.g;
                sb += s.b;
            }
        }
        q.r = sr / 25;
        q.g = sg / 25;
        q.b = sb / 25;
        break;
    }
    case 4:
        q = rotateHue(p, 35.0f + (x + y) % 300);
        break;
    case 5: { // sobel on the luminance
        int gx = 0, gy = 0;
        for (int k = -1; k <= 1; k++) {
            int wgt = 2 - k * k;
            gx += wgt * (getPixel(&image, x + 1, y + k).g - getPixel(&image, x - 1, y + k).g);
            gy += wgt * (getPixel(&image, x + k, y + 1).g - getPixel(&image, x + k, y - 1).g);
        }
        q.r = q.g = q.b = clampByte(sqrt((double)(gx * gx + gy * gy)) / 4);
        break;
    }
    }
    dst[y * width + x] = q;
}

// ---------------------------------------------------------------------------------------------
// Segmented sieve of Eratosthenes over odd numbers, then Collatz stopping times of the primes.
#define SIEVE_SEG 1024
#define SIEVE_BASE 520
#define SIEVE_THREADS 128

//! sieve_collatz_primes 80 128 buffer:steps:327680:zero buffer:summary:960:zero i32:100001
extern "C" __global__ void sieve_collatz_primes(int *steps, int *summary, int first)
{
    __shared__ char isBase[SIEVE_BASE];
    __shared__ char composite[SIEVE_SEG];
    __shared__ int countPrimes;
    __shared__ int maxSteps;
    __shared__ int twin;

    int t = threadIdx.x;
    int lo = first + blockIdx.x * 2 * SIEVE_SEG;   // always odd

    if (t == 0) {
        countPrimes = 0;
        maxSteps = 0;
        twin = 0;
    }
    for (int i = t; i < SIEVE_SEG; i += SIEVE_THREADS) composite[i] = 0;
    // find the small primes by trial division
    for (int v = t; v < SIEVE_BASE; v += SIEVE_THREADS) {
        bool prime = v >= 2;
        for (int d = 2; d * d <= v; d++) {
            if (v % d == 0) {
                prime = false;
                break;
            }
        }
        isBase[v] = prime ? 1 : 0;
    }
    __syncthreads();

    // each thread crosses out the multiples of its own small primes
    for (int p = 3 + 2 * t; p < SIEVE_BASE; p += 2 * SIEVE_THREADS) {
        if (!isBase[p]) continue;
        int start = (lo + p - 1) / p * p;
        if (start % 2 == 0) start += p;
        for (int idx = (start - lo) / 2; idx < SIEVE_SEG; idx += p) {
            composite[idx] = 1;
        }
    }
    __syncthreads();

    for (int i = t; i < SIEVE_SEG; i += SIEVE_THREADS) {
        int count = -1;
        if (!composite[i]) {
            long long start = lo + 2 * i;
            long long n = start;
            count = 0;
            // steps until the sequence falls below its start
            do {
                if (n % 2 == 0)
                    n = n / 2;
                else
                    n = 3 * n + 1;
                count++;
            } while (n >= start);
            atomicAdd(&countPrimes, 1);
            atomicMax(&maxSteps, count);
            if (i + 1 < SIEVE_SEG && !composite[i + 1]) atomicAdd(&twin, 1);
        }
        steps[blockIdx.x * SIEVE_SEG + i] = count;
    }
    __syncthreads();

    if (t == 0) {
        summary[blockIdx.x * 3 + 0] = countPrimes;
        summary[blockIdx.x * 3 + 1] = maxSteps;
        summary[blockIdx.x * 3 + 2] = twin;
    }
}

// ---------------------------------------------------------------------------------------------
// BFS, one small graph per block, with current/previous frontier queues in shared memory.
#define BFS_V 1000
#define BFS_E 4500   // vertex v has 3 + v % 4 edges
#define BFS_MAXLEVEL 24

__device__ int srcPtr(int v)
{
    int r = v % 4;
    return v * 3 + v / 4 * 6 + r * (r - 1) / 2;
}

//! bfs_frontier_queues 96 160 buffer:dst:1728000:hash_i32:121 buffer:level:384000:zero buffer:sizes:9216:zero
extern "C" __global__ void bfs_frontier_queues(int *dst, int *level, int *sizes)
{
    __shared__ int level_s[BFS_V];
    __shared__ int frontierA[BFS_V];
    __shared__ int frontierB[BFS_V];
    __shared__ int numPrev;
    __shared__ int numCurr;

    int graph = blockIdx.x;
    int source = graph * 37 % BFS_V;
    for (int v = threadIdx.x; v < BFS_V; v += blockDim.x) {
        level_s[v] = -1;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        level_s[source] = 0;
        frontierA[0] = source;
        numPrev = 1;
        numCurr = 0;
        sizes[graph * BFS_MAXLEVEL + 0] = 1;
    }
    __syncthreads();

    int *prevFrontier = frontierA;
    int *currFrontier = frontierB;
    int currLevel = 1;
    while (numPrev > 0) {
        for (int i = threadIdx.x; i < numPrev; i += blockDim.x) {
            int vertex = prevFrontier[i];
            for (int e = srcPtr(vertex); e < srcPtr(vertex + 1); e++) {
                int neighbor = dst[graph * BFS_E + e] % BFS_V;
                if (atomicCAS(&level_s[neighbor], -1, currLevel) == -1) {
                    int slot = atomicAdd(&numCurr, 1);
                    currFrontier[slot] = neighbor;
                }
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            if (currLevel < BFS_MAXLEVEL) sizes[graph * BFS_MAXLEVEL + currLevel] = numCurr;
            numPrev = numCurr;
            numCurr = 0;
        }
        int *tmp = prevFrontier;
        prevFrontier = currFrontier;
        currFrontier = tmp;
        currLevel++;
        __syncthreads();
    }

    for (int v = threadIdx.x; v < BFS_V; v += blockDim.x) {
        level[graph * BFS_V + v] = level_s[v];
    }
}

// ---------------------------------------------------------------------------------------------
// k nearest neighbours classifier: distances kept in small local arrays, vote with dynamic index.
#define KNN_K 7
#define KNN_DIM 6
#define KNN_CLASSES 10
#define KNN_CHUNK 64

__device__ float distanceBetween(const float *a, const float *b, int metric)
{
    float d = 0;
    switch (metric) {
    case 0:
        for (int i = 0; i < KNN_DIM; i++) d += (a[i] - b[i]) * (a[i] - b[i]);
        return sqrtf(d);
    case 1:
        for (int i = 0; i < KNN_DIM; i++) d += fabsf(a[i] - b[i]);
        return d;
    default:
        for (int i = 0; i < KNN_DIM; i++) {
            if (fabsf(a[i] - b[i]) > d) d = fabsf(a[i] - b[i]);
        }
        return d;
    }
}

//! knn_vote_local 43 96 buffer:queries:98304:uniform:0:1:131 buffer:train:6144:uniform:0:1:132 buffer:labels:1024:hash_i32:133 buffer:result:16384:zero buffer:confidence:16384:zero i32:4096 i32:256
extern "C" __global__ void knn_vote_local(float *queries, float *train, int *labels, int *result,
                                          float *confidence, int numQueries, int numTrain)
{
    __shared__ float chunk[KNN_CHUNK * KNN_DIM];
    __shared__ int chunkLabel[KNN_CHUNK];

    int q = blockIdx.x * blockDim.x + threadIdx.x;
    float point[KNN_DIM];
    for (int i = 0; i < KNN_DIM; i++) {
        point[i] = (q < numQueries) ? queries[q * KNN_DIM + i] : 0.0f;
    }

    float bestDist[KNN_K];
    int bestLabel[KNN_K];
    for (int i = 0; i < KNN_K; i++) {
        bestDist[i] = 1e30;
        bestLabel[i] = 0;
    }

    for (int start = 0; start < numTrain; start += KNN_CHUNK) {
        for (int i = threadIdx.x; i < KNN_CHUNK * KNN_DIM; i += blockDim.x) {
            int src = start * KNN_DIM + i;
            chunk[i] = src < numTrain * KNN_DIM ? train[src] : 1e10f;
        }
        if (threadIdx.x < KNN_CHUNK) {
            int src = start + threadIdx.x;
            chunkLabel[threadIdx.x] = src < numTrain ? labels[src] % KNN_CLASSES : 0;
        }
        __syncthreads();

        for (int j = 0; j < KNN_CHUNK; j++) {
            float d = distanceBetween(point, &chunk[j * KNN_DIM], blockIdx.x % 3);
            if (d < bestDist[KNN_K - 1]) {
                int pos = KNN_K - 1;
                while (pos > 0 && bestDist[pos - 1] > d) {
                    bestDist[pos] = bestDist[pos - 1];
                    bestLabel[pos] = bestLabel[pos - 1];
                    pos--;
                }
                bestDist[pos] = d;
                bestLabel[pos] = chunkLabel[j];
            }
        }
        __syncthreads();
    }

    if (q < numQueries) {
        float votes[KNN_CLASSES] = {0};
        float total = 0;
        for (int i = 0; i < KNN_K; i++) {
            float w = 1.0 / (bestDist[i] + 0.001);
            votes[bestLabel[i]] += w;
            total += w;
        }
        int winner = 0;
        for (int c = 1; c < KNN_CLASSES; c++) {
            if (votes[c] > votes[winner]) winner = c;
        }
        result[q] = winner;
        confidence[q] = votes[winner] / total;
    }
}
