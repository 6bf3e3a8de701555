// Kernels in the manner of batched solvers, preconditioners, transforms, fitting codes and bio/finance applications.
#include <cuda_runtime.h>
#include <math_constants.h>

// ---------------------------------------------------------------------------------------------------------
// Ginkgo-like: batched BiCGSTAB, a block per system, convection-diffusion stencil on a 12x8 patch (ELL format)
// ---------------------------------------------------------------------------------------------------------
#define GK_NX 12
#define GK_NY 8
#define GK_N (GK_NX * GK_NY)
#define GK_WARPS (GK_N / 32)

__device__ __forceinline__ double gk_block_sum(double v, double *s_red)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    __syncthreads();                       // the last sum may still be read
    if (lane == 0) s_red[warp] = v;
    __syncthreads();
    double r = s_red[0];
#pragma unroll
    for (int w = 1; w < GK_WARPS; ++w) r += s_red[w];
    return r;
}

struct gk_row { double d, w, e, s, n; };

__device__ __forceinline__ double gk_apply(const gk_row &a, const double *x, int row)
{
    const int i = row % GK_NX, j = row / GK_NX;
    double y = a.d * x[row];
    if (i > 0) y += a.w * x[row - 1];
    if (i < GK_NX - 1) y += a.e * x[row + 1];
    if (j > 0) y += a.s * x[row - GK_NX];
    if (j < GK_NY - 1) y += a.n * x[row + GK_NX];
    return y;
}

//! gko_batch_bicgstab 132 96 buffer:vals:202752:uniform:0:1:11 buffer:rhs:50688:uniform:0:1:12 buffer:x:101376:zero buffer:iters:528:zero buffer:resnorm:1056:zero i32:14 f64:1.0e-9
extern "C" __global__ void __launch_bounds__(GK_N)
gko_batch_bicgstab(const float *__restrict__ vals, const float *__restrict__ rhs, double *__restrict__ x_out,
                   int *__restrict__ iters, double *__restrict__ resnorm, int max_it, double tol)
{
    __shared__ double s_p[GK_N], s_s[GK_N], s_red[GK_WARPS];
    const int row = threadIdx.x, sys = blockIdx.x;
    const float *__restrict__ v = vals + (size_t)sys * 4 * GK_N;

    gk_row a;
    a.w = -1.0 - 0.6 * v[0 * GK_N + row];
    a.e = -1.0 + 0.6 * v[1 * GK_N + row];
    a.s = -1.0 - 0.4 * v[2 * GK_N + row];
    a.n = -1.0 + 0.4 * v[3 * GK_N + row];
    a.d = 0.08 * (1 + sys % 7) - (a.w + a.e + a.s + a.n);
    const double prec = 1.0 / a.d;                         // Jacobi

    double x = 0.0;
    double r = (double)rhs[sys * GK_N + row] - 0.5;
    const double r_hat = r;
    double p = 0.0, vv = 0.0;
    double rho_old = 1.0, alpha = 1.0, omega = 1.0;
    const double norm0 = sqrt(gk_block_sum(r * r, s_red));
    double norm = norm0;
    int it = 0;

    for (; it < max_it && norm > tol * norm0; ++it) {
        const double rho = gk_block_sum(r_hat * r, s_red);
        if (fabs(rho) < 1.0e-200) break;
        const double beta = (rho / rho_old) * (alpha / omega);
        rho_old = rho;
        p = r + beta * (p - omega * vv);
        s_p[row] = prec * p;
        __syncthreads();
        vv = gk_apply(a, s_p, row);
        const double rv = gk_block_sum(r_hat * vv, s_red);
        if (fabs(rv) < 1.0e-200) break;
        alpha = rho / rv;
        const double s = r - alpha * vv;
        s_s[row] = prec * s;
        __syncthreads();
        const double t = gk_apply(a, s_s, row);
        const double tt = gk_block_sum(t * t, s_red);
        const double ts = gk_block_sum(t * s, s_red);
        omega = tt > 1.0e-200 ? ts / tt : 0.0;
        x += alpha * s_p[row] + omega * s_s[row];
        r = s - omega * t;
        norm = sqrt(gk_block_sum(r * r, s_red));
        if (fabs(omega) < 1.0e-200) { ++it; break; }
    }
    x_out[sys * GK_N + row] = x;
    if (row == 0) {
        iters[sys] = it;
        resnorm[sys] = norm;
    }
}

// ---------------------------------------------------------------------------------------------------------
// MAGMA-like: batched LU of 16x16 with partial pivoting, one matrix per half warp, rows in registers
// ---------------------------------------------------------------------------------------------------------
template <int N>
__device__ __forceinline__ int magma_getrf_small(double (&rA)[N], int tx, int *__restrict__ ipiv)
{
    const unsigned full = 0xffffffffu;
    int info = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
        // index of the largest magnitude on and below the diagonal
        double best = tx >= k ? fabs(rA[k]) : -1.0;
        int idx = tx;
#pragma unroll
        for (int o = N / 2; o > 0; o >>= 1) {
            const double b2 = __shfl_xor_sync(full, best, o, N);
            const int i2 = __shfl_xor_sync(full, idx, o, N);
            if (b2 > best || (b2 == best && i2 < idx)) { best = b2; idx = i2; }
        }
        if (tx == k) ipiv[k] = idx + 1;
        if (best == 0.0 && info == 0) info = k + 1;
        const int from = tx == k ? idx : (tx == idx ? k : tx);
#pragma unroll
        for (int j = 0; j < N; ++j) rA[j] = __shfl_sync(full, rA[j], from, N);
        const double pivot = __shfl_sync(full, rA[k], k, N);
        const double reg = pivot == 0.0 ? 1.0 : 1.0 / pivot;
        if (tx > k) rA[k] *= reg;
        const double mult = tx > k ? rA[k] : 0.0;
#pragma unroll
        for (int j = k + 1; j < N; ++j) {
            const double u = __shfl_sync(full, rA[j], k, N);
            rA[j] -= mult * u;
        }
    }
    return info;
}

//! magma_dgetrf_batched16 320 16x4 buffer:A:1310720:uniform:0:1:21 buffer:LU:2621440:zero buffer:ipiv:81920:zero buffer:info:5120:zero i32:1280
extern "C" __global__ void __launch_bounds__(64)
magma_dgetrf_batched16(const float *__restrict__ dA, double *__restrict__ dLU, int *__restrict__ ipiv,
                       int *__restrict__ info, int batch)
{
    __shared__ double sA[4][16][17];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int id = min((int)(blockIdx.x * blockDim.y + threadIdx.y), batch - 1);
    const float *__restrict__ A = dA + (size_t)id * 256;
    double rA[16];

    // column major with a leading dimension of 16: coalesced along the rows
#pragma unroll
    for (int j = 0; j < 16; ++j) rA[j] = (double)A[j * 16 + tx] - 0.5;

    const int inf = magma_getrf_small<16>(rA, tx, ipiv + (size_t)id * 16);

    // write row major through shared memory, one half warp per matrix
#pragma unroll
    for (int j = 0; j < 16; ++j) sA[ty][tx][j] = rA[j];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 16; ++i) dLU[(size_t)id * 256 + i * 16 + tx] = sA[ty][i][tx];
    if (tx == 0) info[id] = inf;
}

// ---------------------------------------------------------------------------------------------------------
// One sided Jacobi SVD of complex 8x8 matrices: four lanes a matrix, one column pair a lane and round
// ---------------------------------------------------------------------------------------------------------
#define SV_N 8
#define SV_PER_BLOCK 24

__device__ __forceinline__ void sv_rotate(float2 *__restrict__ a, float2 *__restrict__ b, float c, float s, float2 ph)
{
#pragma unroll
    for (int i = 0; i < SV_N; ++i) {
        const float2 x = a[i], y = b[i];
        // bring y into phase with x first
        const float2 z = make_float2(y.x * ph.x + y.y * ph.y, y.y * ph.x - y.x * ph.y);
        a[i] = make_float2(c * x.x - s * z.x, c * x.y - s * z.y);
        b[i] = make_float2(s * x.x + c * z.x, s * x.y + c * z.y);
    }
}

//! cgesvdj_batched8 56 96 buffer:A:688128:uniform:0:1:31 buffer:sigma:43008:zero buffer:U:688128:zero buffer:V:688128:zero i32:4 f32:1.0e-6
extern "C" __global__ void __launch_bounds__(96)
cgesvdj_batched8(const float2 *__restrict__ A, float *__restrict__ sigma, float2 *__restrict__ U, float2 *__restrict__ V,
                 int sweeps, float tol)
{
    __shared__ float2 sA[SV_PER_BLOCK][SV_N][SV_N + 1];      // [matrix][column][row]
    __shared__ float2 sV[SV_PER_BLOCK][SV_N][SV_N + 1];
    const int m = threadIdx.x >> 2, lane = threadIdx.x & 3;
    const int gm = blockIdx.x * SV_PER_BLOCK + m;

    for (int t = lane; t < SV_N * SV_N; t += 4) {
        const float2 v = A[gm * SV_N * SV_N + t];
        sA[m][t >> 3][t & 7] = make_float2(v.x - 0.5f, v.y - 0.5f);
        sV[m][t >> 3][t & 7] = make_float2((t >> 3) == (t & 7) ? 1.f : 0.f, 0.f);
    }
    __syncwarp();

    for (int sw = 0; sw < sweeps; ++sw) {
        for (int round = 0; round < SV_N - 1; ++round) {
            // circle method: player 7 is fixed, the others turn
            int p = lane == 0 ? SV_N - 1 : (round + lane) % (SV_N - 1);
            int q = lane == 0 ? round : (round + (SV_N - 1) - lane) % (SV_N - 1);
            if (p > q) { const int t = p; p = q; q = t; }
            float app = 0.f, aqq = 0.f;
            float2 apq = make_float2(0.f, 0.f);
#pragma unroll
            for (int i = 0; i < SV_N; ++i) {
                const float2 x = sA[m][p][i], y = sA[m][q][i];
                app += x.x * x.x + x.y * x.y;
                aqq += y.x * y.x + y.y * y.y;
                apq.x += x.x * y.x + x.y * y.y;
                apq.y += x.x * y.y - x.y * y.x;
            }
            const float mag = sqrtf(apq.x * apq.x + apq.y * apq.y);
            if (mag > tol * sqrtf(app * aqq) && mag > 1.0e-20f) {
                const float zeta = (aqq - app) / (2.0f * mag);
                const float t = copysignf(1.0f, zeta) / (fabsf(zeta) + sqrtf(1.0f + zeta * zeta));
                const float c = rsqrtf(1.0f + t * t), s = c * t;
                const float2 ph = make_float2(apq.x / mag, apq.y / mag);
                sv_rotate(sA[m][p], sA[m][q], c, s, ph);
                sv_rotate(sV[m][p], sV[m][q], c, s, ph);
            }
            __syncwarp();
        }
    }

    for (int cc = lane; cc < SV_N; cc += 4) {
        float n2 = 0.f;
#pragma unroll
        for (int i = 0; i < SV_N; ++i) n2 += sA[m][cc][i].x * sA[m][cc][i].x + sA[m][cc][i].y * sA[m][cc][i].y;
        const float sg = sqrtf(n2), inv = sg > 1.0e-12f ? 1.0f / sg : 0.0f;
        sigma[gm * SV_N + cc] = sg;
#pragma unroll
        for (int i = 0; i < SV_N; ++i) {
            U[(gm * SV_N + cc) * SV_N + i] = make_float2(sA[m][cc][i].x * inv, sA[m][cc][i].y * inv);
            V[(gm * SV_N + cc) * SV_N + i] = sV[m][cc][i];
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// AMReX-like: ABecLaplacian red-black Gauss-Seidel half sweep with coarse-fine boundary corrections
// ---------------------------------------------------------------------------------------------------------
#define AM_N 64
#define AM_P (AM_N + 2)
#define AM_PHI(i, j, k) (((k) + 1) * AM_P * AM_P + ((j) + 1) * AM_P + (i) + 1)
#define AM_CC(i, j, k) (((k) * AM_N + (j)) * AM_N + (i))

//! amrex_abec_gsrb 1x16x32 32x4x2 buffer:phi:1149984:uniform:0:1:41 buffer:rhs:1MiB:uniform:0:1:42 buffer:a:1MiB:uniform:0:1:43 buffer:bx:1064960:uniform:0:1:44 buffer:by:1064960:uniform:0:1:45 buffer:bz:1064960:uniform:0:1:46 buffer:mask:98304:hash_i32:47 buffer:phinew:2MiB:zero f64:0.7 f64:1.3 f64:64.0 i32:0
extern "C" __global__ void
amrex_abec_gsrb(const float *__restrict__ phi, const float *__restrict__ rhs, const float *__restrict__ a,
                const float *__restrict__ bX, const float *__restrict__ bY, const float *__restrict__ bZ,
                const int *__restrict__ mask, double *__restrict__ phinew, double alpha, double beta, double dxinv, int redblack)
{
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    const int k = blockIdx.z * blockDim.z + threadIdx.z;
    const int par = (j + k + redblack) & 1;
    const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + par;
    const int other = i + 1 - 2 * par;
    if (i >= AM_N || j >= AM_N || k >= AM_N) return;

    const double dh = beta * dxinv * dxinv * 1.0e-3;
    const double bxm = 0.2 + bX[(k * AM_N + j) * (AM_N + 1) + i], bxp = 0.2 + bX[(k * AM_N + j) * (AM_N + 1) + i + 1];
    const double bym = 0.2 + bY[(k * (AM_N + 1) + j) * AM_N + i], byp = 0.2 + bY[(k * (AM_N + 1) + j + 1) * AM_N + i];
    const double bzm = 0.2 + bZ[(k * AM_N + j) * AM_N + i], bzp = 0.2 + bZ[((k + 1) * AM_N + j) * AM_N + i];

    // boundary stencil weights f, only on faces that the mask marks as coarse-fine
    const double f = 0.375;
    const int plane = AM_N * AM_N;
    const double cf0 = (i == 0 && (mask[0 * plane + k * AM_N + j] & 1)) ? f : 0.0;
    const double cf1 = (j == 0 && (mask[1 * plane + k * AM_N + i] & 1)) ? f : 0.0;
    const double cf2 = (k == 0 && (mask[2 * plane + j * AM_N + i] & 1)) ? f : 0.0;
    const double cf3 = (i == AM_N - 1 && (mask[3 * plane + k * AM_N + j] & 1)) ? f : 0.0;
    const double cf4 = (j == AM_N - 1 && (mask[4 * plane + k * AM_N + i] & 1)) ? f : 0.0;
    const double cf5 = (k == AM_N - 1 && (mask[5 * plane + j * AM_N + i] & 1)) ? f : 0.0;

    const double acell = alpha * (0.1 + a[AM_CC(i, j, k)]);
    const double gamma = acell + dh * (bxm + bxp + bym + byp + bzm + bzp);
    const double g_m_d = gamma - dh * (bxm * cf0 + bym * cf1 + bzm * cf2 + bxp * cf3 + byp * cf4 + bzp * cf5);
    const double ph = phi[AM_PHI(i, j, k)];
    const double rho = dh * (bxm * phi[AM_PHI(i - 1, j, k)] + bxp * phi[AM_PHI(i + 1, j, k)] +
                             bym * phi[AM_PHI(i, j - 1, k)] + byp * phi[AM_PHI(i, j + 1, k)] +
                             bzm * phi[AM_PHI(i, j, k - 1)] + bzp * phi[AM_PHI(i, j, k + 1)]);
    const double res = rhs[AM_CC(i, j, k)] - (gamma * ph - rho);
    const double omega = 1.15;
    phinew[AM_CC(i, j, k)] = ph + omega / g_m_d * res;
    phinew[AM_CC(other, j, k)] = phi[AM_PHI(other, j, k)];
}

// ---------------------------------------------------------------------------------------------------------
// Block Jacobi ILU(0) on 16x16 five-point tiles: wavefront factorisation and triangular solves, half warp a tile
// ---------------------------------------------------------------------------------------------------------
#define IL_T 16
#define IL_TILES 6

//! ilu0_tile_richardson 80 16x6 buffer:cw:491520:uniform:0:1:51 buffer:cs:491520:uniform:0:1:52 buffer:ce:491520:uniform:0:1:53 buffer:cn:491520:uniform:0:1:54 buffer:b:491520:uniform:0:1:55 buffer:x:983040:zero buffer:rn:3840:zero i32:2 f64:0.9
extern "C" __global__ void __launch_bounds__(IL_T *IL_TILES)
ilu0_tile_richardson(const float *__restrict__ cw, const float *__restrict__ cs, const float *__restrict__ ce,
                     const float *__restrict__ cn, const float *__restrict__ b, double *__restrict__ x_out,
                     double *__restrict__ rn, int iters, double relax)
{
    __shared__ double s_d[IL_TILES][IL_T][IL_T];      // reciprocal pivots
    __shared__ double s_y[IL_TILES][IL_T][IL_T];      // residual, then intermediate solution
    __shared__ double s_x[IL_TILES][IL_T][IL_T];
    const unsigned full = 0xffffffffu;
    const int j = threadIdx.x, w = threadIdx.y;
    const int tile = blockIdx.x * IL_TILES + w;
    const int base = tile * IL_T * IL_T + j * IL_T;

    // factor: each lane owns a row j of the tile, antidiagonal order
    double piv_w = 0.0, mine = 0.0;
    for (int diag = 0; diag < 2 * IL_T - 1; ++diag) {
        const int i = diag - j;
        const double below = __shfl_up_sync(full, mine, 1, IL_T);     // reciprocal pivot of (i, j-1)
        if (i >= 0 && i < IL_T) {
            double d = 6.2 + 0.1 * (tile & 3);
            if (i > 0) d -= (0.5 + cw[base + i]) * (0.5 + ce[base + i - 1]) * piv_w;
            if (j > 0) d -= (0.5 + cs[base + i]) * (0.5 + cn[base + i - IL_T]) * below;
            mine = 1.0 / d;
            piv_w = mine;
            s_d[w][j][i] = mine;
            s_x[w][j][i] = 0.0;
        }
    }
    __syncwarp();

    double norm2 = 0.0;
    for (int it = 0; it < iters; ++it) {
        norm2 = 0.0;
        for (int i = 0; i < IL_T; ++i) {
            double r = (double)b[base + i] - (6.2 + 0.1 * (tile & 3)) * s_x[w][j][i];
            if (i > 0) r += (0.5 + cw[base + i]) * s_x[w][j][i - 1];
            if (i < IL_T - 1) r += (0.5 + ce[base + i]) * s_x[w][j][i + 1];
            if (j > 0) r += (0.5 + cs[base + i]) * s_x[w][j - 1][i];
            if (j < IL_T - 1) r += (0.5 + cn[base + i]) * s_x[w][j + 1][i];
            s_y[w][j][i] = r;
            norm2 += r * r;
        }
        __syncwarp();
        // L y = r with unit diagonal scaled by the pivots
        double y_w = 0.0, y_out = 0.0;
        for (int diag = 0; diag < 2 * IL_T - 1; ++diag) {
            const int i = diag - j;
            const double y_s = __shfl_up_sync(full, y_out, 1, IL_T);
            if (i >= 0 && i < IL_T) {
                double t = s_y[w][j][i];
                if (i > 0) t += (0.5 + cw[base + i]) * y_w;
                if (j > 0) t += (0.5 + cs[base + i]) * y_s;
                y_out = t * s_d[w][j][i];
                y_w = y_out;
                s_y[w][j][i] = y_out;
            }
        }
        // U z = y, backwards
        double z_e = 0.0, z_out = 0.0;
        for (int diag = 2 * IL_T - 2; diag >= 0; --diag) {
            const int i = diag - j;
            const double z_n = __shfl_down_sync(full, z_out, 1, IL_T);
            if (i >= 0 && i < IL_T) {
                double t = 0.0;
                if (i < IL_T - 1) t += (0.5 + ce[base + i]) * z_e;
                if (j < IL_T - 1) t += (0.5 + cn[base + i]) * z_n;
                z_out = s_y[w][j][i] + t * s_d[w][j][i];
                z_e = z_out;
                s_x[w][j][i] += relax * z_out;
            }
        }
        __syncwarp();
    }
#pragma unroll
    for (int o = IL_T / 2; o > 0; o >>= 1) norm2 += __shfl_xor_sync(full, norm2, o, IL_T);
    if (j == 0) rn[tile] = sqrt(norm2);
    for (int r = 0; r < IL_T; ++r) x_out[tile * IL_T * IL_T + r * IL_T + j] = s_x[w][r][j];
}

// ---------------------------------------------------------------------------------------------------------
// SELL-32 complex sparse matrix times two vectors: single precision storage, double precision arithmetic,
// fused with the block part of <x, y>
// ---------------------------------------------------------------------------------------------------------
#define SL_C 32

__device__ __forceinline__ int sell_len(int slice) { return 24 + (slice * 7) % 9; }
__device__ __forceinline__ int sell_ptr(int slice)
{
    int cols = (slice / 9) * 252;            // nine slices in a row always hold 252 columns
    for (int s = (slice / 9) * 9; s < slice; ++s) cols += sell_len(s);
    return cols * SL_C;
}

//! sellc32_spmm2_complex 132 128 buffer:val:3784704:uniform:0:1:61 buffer:col:1892352:hash_i32:62 buffer:x:270336:uniform:0:1:63 buffer:y:540672:zero buffer:dot:4224:zero i32:16896 f64:0.75 f64:-0.25
extern "C" __global__ void __launch_bounds__(128)
sellc32_spmm2_complex(const float2 *__restrict__ val, const int *__restrict__ col, const float4 *__restrict__ x,
                      double2 *__restrict__ y, double2 *__restrict__ dot, int nrows, double alpha_re, double alpha_im)
{
    __shared__ double2 s_dot[4][2];
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int slice = row / SL_C, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int len = sell_len(slice);
    const int start = sell_ptr(slice) + lane;

    double2 acc0 = make_double2(0.0, 0.0), acc1 = make_double2(0.0, 0.0);
    const int band = 512;
    const int lo = min(max(row - band / 2, 0), nrows - band);
#pragma unroll 4
    for (int k = 0; k < len; ++k) {
        const int id = start + k * SL_C;
        const int c = (k & 7) == 7 ? col[id] % nrows : lo + (col[id] & (band - 1));     // some far couplings
        const float2 a = val[id];
        const float4 v = __ldg(&x[c]);
        const double ar = (double)a.x - 0.5, ai = (double)a.y - 0.5;
        acc0.x += ar * v.x - ai * v.y;
        acc0.y += ar * v.y + ai * v.x;
        acc1.x += ar * v.z - ai * v.w;
        acc1.y += ar * v.w + ai * v.z;
    }
    const double2 y0 = make_double2(alpha_re * acc0.x - alpha_im * acc0.y, alpha_re * acc0.y + alpha_im * acc0.x);
    const double2 y1 = make_double2(alpha_re * acc1.x - alpha_im * acc1.y, alpha_re * acc1.y + alpha_im * acc1.x);
    y[row] = y0;
    y[row + nrows] = y1;

    const float4 xr = x[row];
    double2 d0 = make_double2(xr.x * y0.x + xr.y * y0.y, xr.x * y0.y - xr.y * y0.x);
    double2 d1 = make_double2(xr.z * y1.x + xr.w * y1.y, xr.z * y1.y - xr.w * y1.x);
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        d0.x += __shfl_down_sync(0xffffffffu, d0.x, o);
        d0.y += __shfl_down_sync(0xffffffffu, d0.y, o);
        d1.x += __shfl_down_sync(0xffffffffu, d1.x, o);
        d1.y += __shfl_down_sync(0xffffffffu, d1.y, o);
    }
    if (lane == 0) { s_dot[warp][0] = d0; s_dot[warp][1] = d1; }
    __syncthreads();
    if (threadIdx.x < 2) {
        double2 t = make_double2(0.0, 0.0);
#pragma unroll
        for (int w = 0; w < 4; ++w) { t.x += s_dot[w][threadIdx.x].x; t.y += s_dot[w][threadIdx.x].y; }
        dot[blockIdx.x * 2 + threadIdx.x] = t;
    }
}

// ---------------------------------------------------------------------------------------------------------
// rocFFT-like: mixed radix transform of length 105 = 7 * 5 * 3, three transforms a block
// ---------------------------------------------------------------------------------------------------------
#define FF_N 105
__device__ __forceinline__ double2 ff_add(double2 a, double2 b) { return make_double2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ double2 ff_sub(double2 a, double2 b) { return make_double2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ double2 ff_mul(double2 a, double2 b) { return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

// odd radix by pairs of conjugate terms: v_m + v_{R-m} with cosines, v_m - v_{R-m} with sines
template <int R> struct ff_trig;
template <> struct ff_trig<3> {
    static __device__ __forceinline__ double c(int k) { return k == 0 ? 1.0 : -0.5; }
    static __device__ __forceinline__ double s(int k) { return k == 0 ? 0.0 : k == 1 ? 0.86602540378443864676 : -0.86602540378443864676; }
};
template <> struct ff_trig<5> {
    static __device__ __forceinline__ double c(int k) { return k == 0 ? 1.0 : (k == 1 || k == 4) ? 0.30901699437494742410 : -0.80901699437494742410; }
    static __device__ __forceinline__ double s(int k)
    {
        return k == 0 ? 0.0 : k == 1 ? 0.95105651629515357212 : k == 2 ? 0.58778525229247312917 : k == 3 ? -0.58778525229247312917 : -0.95105651629515357212;
    }
};
template <> struct ff_trig<7> {
    static __device__ __forceinline__ double c(int k)
    {
        return k == 0 ? 1.0 : (k == 1 || k == 6) ? 0.62348980185873353053 : (k == 2 || k == 5) ? -0.22252093395631440429 : -0.90096886790241912624;
    }
    static __device__ __forceinline__ double s(int k)
    {
        return k == 0 ? 0.0 : k == 1 ? 0.78183148246802980871 : k == 2 ? 0.97492791218182360702 : k == 3 ? 0.43388373911755812048
             : k == 4 ? -0.43388373911755812048 : k == 5 ? -0.97492791218182360702 : -0.78183148246802980871;
    }
};

template <int R>
__device__ __forceinline__ void ff_butterfly(double2 (&v)[R])
{
    double2 p[R / 2 + 1], q[R / 2 + 1];
    double2 dc = v[0];
#pragma unroll
    for (int m = 1; m <= R / 2; ++m) {
        p[m] = ff_add(v[m], v[R - m]);
        q[m] = ff_sub(v[m], v[R - m]);
        dc = ff_add(dc, p[m]);
    }
    const double2 v0 = v[0];
    v[0] = dc;
#pragma unroll
    for (int k = 1; k <= R / 2; ++k) {
        double2 e = v0, o = make_double2(0.0, 0.0);
#pragma unroll
        for (int m = 1; m <= R / 2; ++m) {
            const double c = ff_trig<R>::c((k * m) % R), s = ff_trig<R>::s((k * m) % R);
            e.x += c * p[m].x; e.y += c * p[m].y;
            o.x += s * q[m].x; o.y += s * q[m].y;
        }
        v[k] = make_double2(e.x + o.y, e.y - o.x);          // e - i o
        v[R - k] = make_double2(e.x - o.y, e.y + o.x);
    }
}

template <int R, int NS>
__device__ __forceinline__ void ff_pass(const double2 *__restrict__ in, double2 *__restrict__ out, int t)
{
    for (int j = t; j < FF_N / R; j += 35) {
        double2 v[R];
        const int k = j % NS;
#pragma unroll
        for (int r = 0; r < R; ++r) v[r] = in[j + r * (FF_N / R)];
        if (NS > 1) {
            double s, c;
            sincospi(-2.0 * k / (double)(NS * R), &s, &c);
            const double2 w1 = make_double2(c, s);
            double2 w = w1;
#pragma unroll
            for (int r = 1; r < R; ++r) {
                v[r] = ff_mul(v[r], w);
                w = ff_mul(w, w1);
            }
        }
        ff_butterfly<R>(v);
        const int dst = (j / NS) * NS * R + k;
#pragma unroll
        for (int r = 0; r < R; ++r) out[dst + r * NS] = v[r];
    }
}

//! rocfft_len105_fwd 264 35x3 buffer:in:665280:uniform:0:1:71 buffer:out:1330560:zero buffer:power:665280:zero i32:792 f64:0.0097590007294853
extern "C" __global__ void
rocfft_len105_fwd(const float2 *__restrict__ in, double2 *__restrict__ out, double *__restrict__ power, int nbatch, double scale)
{
    __shared__ double2 lds[2][3][FF_N];
    const int t = threadIdx.x, s = threadIdx.y;
    const int batch = min((int)(blockIdx.x * 3 + s), nbatch - 1);
    for (int i = t; i < FF_N; i += 35) {
        const float2 v = in[batch * FF_N + i];
        lds[0][s][i] = make_double2((double)v.x - 0.5, (double)v.y - 0.5);
    }
    __syncthreads();
    ff_pass<7, 1>(lds[0][s], lds[1][s], t);
    __syncthreads();
    ff_pass<5, 7>(lds[1][s], lds[0][s], t);
    __syncthreads();
    ff_pass<3, 35>(lds[0][s], lds[1][s], t);
    __syncthreads();
    for (int i = t; i < FF_N; i += 35) {
        const double2 v = lds[1][s][i];
        out[batch * FF_N + i] = make_double2(scale * v.x, scale * v.y);
        const double2 m = lds[1][s][i == 0 ? 0 : FF_N - i];
        power[batch * FF_N + i] = log(1.0e-12 + v.x * v.x + v.y * v.y) - 0.5 * log(1.0e-12 + m.x * m.x + m.y * m.y);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Restarted GMRES(8) on 128 unknowns a block: modified Gram-Schmidt Arnoldi, Givens rotations, scattered columns
// ---------------------------------------------------------------------------------------------------------
#define GM_N 128
#define GM_M 8
#define GM_NNZ 6

__device__ double gm_dot(double v, double *s_part)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    __syncthreads();
    if (lane == 0) s_part[warp] = v;
    __syncthreads();
    return (s_part[0] + s_part[1]) + (s_part[2] + s_part[3]);
}

//! gmres8_block128 64 128 buffer:val:196608:uniform:0:1:81 buffer:col:196608:hash_i32:82 buffer:rhs:32KiB:uniform:0:1:83 buffer:x:64KiB:zero buffer:hist:8704:zero i32:2 f64:1.0e-10
extern "C" __global__ void __launch_bounds__(GM_N)
gmres8_block128(const float *__restrict__ val, const int *__restrict__ col, const float *__restrict__ rhs,
                double *__restrict__ x_out, double *__restrict__ hist, int restarts, double tol)
{
    __shared__ double V[GM_M + 1][GM_N];
    __shared__ double s_x[GM_N];
    __shared__ double H[GM_M + 1][GM_M];
    __shared__ double cs[GM_M], sn[GM_M], g[GM_M + 1], yk[GM_M];
    __shared__ double s_part[4];
    const int t = threadIdx.x, b = blockIdx.x;

    double av[GM_NNZ];
    int ac[GM_NNZ];
    double rowsum = 0.0;
#pragma unroll
    for (int k = 0; k < GM_NNZ; ++k) {
        const int id = (b * GM_NNZ + k) * GM_N + t;
        av[k] = (double)val[id] - 0.45;
        ac[k] = k < 3 ? (t + 1 + (col[id] & 15)) & (GM_N - 1) : col[id] & (GM_N - 1);
        rowsum += fabs(av[k]);
    }
    const double diag = 0.6 + rowsum * 0.8;
    const double minv = 1.0 / diag;
    s_x[t] = 0.0;
    const double bt = (double)rhs[b * GM_N + t] - 0.5;
    __syncthreads();

    for (int cyc = 0; cyc < restarts; ++cyc) {
        double r = bt - diag * s_x[t];
#pragma unroll
        for (int k = 0; k < GM_NNZ; ++k) r -= av[k] * s_x[ac[k]];
        r *= minv;
        const double beta = sqrt(gm_dot(r * r, s_part));
        V[0][t] = beta > 0.0 ? r / beta : 0.0;
        if (t <= GM_M) g[t] = t == 0 ? beta : 0.0;
        if (t < (GM_M + 1) * GM_M) H[t / GM_M][t % GM_M] = 0.0;
        if (t < GM_M) yk[t] = 0.0;
        if (t == 0) hist[b * 17 + cyc * GM_M] = beta;
        __syncthreads();

        int used = 0;
        for (int m = 0; m < GM_M; ++m) {
            double w = diag * V[m][t];
#pragma unroll
            for (int k = 0; k < GM_NNZ; ++k) w += av[k] * V[m][ac[k]];
            w *= minv;
            for (int i = 0; i <= m; ++i) {
                const double h = gm_dot(w * V[i][t], s_part);
                w -= h * V[i][t];
                if (t == 0) H[i][m] = h;
            }
            const double hn = sqrt(gm_dot(w * w, s_part));
            V[m + 1][t] = hn > 1.0e-14 ? w / hn : 0.0;
            if (t == 0) {
                H[m + 1][m] = hn;
                for (int i = 0; i < m; ++i) {           // earlier rotations
                    const double h0 = H[i][m], h1 = H[i + 1][m];
                    H[i][m] = cs[i] * h0 + sn[i] * h1;
                    H[i + 1][m] = -sn[i] * h0 + cs[i] * h1;
                }
                const double h0 = H[m][m];
                const double rr = hypot(h0, hn);
                cs[m] = rr > 0.0 ? h0 / rr : 1.0;
                sn[m] = rr > 0.0 ? hn / rr : 0.0;
                H[m][m] = rr;
                H[m + 1][m] = 0.0;
                g[m + 1] = -sn[m] * g[m];
                g[m] = cs[m] * g[m];
                hist[b * 17 + cyc * GM_M + m + 1] = fabs(g[m + 1]);
            }
            __syncthreads();
            used = m + 1;
            if (fabs(g[m + 1]) < tol) break;
        }
        if (t == 0) {
            for (int i = used - 1; i >= 0; --i) {
                double s = g[i];
                for (int k = i + 1; k < used; ++k) s -= H[i][k] * yk[k];
                yk[i] = fabs(H[i][i]) > 1.0e-30 ? s / H[i][i] : 0.0;
            }
        }
        __syncthreads();
        double dx = 0.0;
        for (int i = 0; i < used; ++i) dx += yk[i] * V[i][t];
        s_x[t] += dx;
        __syncthreads();
    }
    x_out[b * GM_N + t] = s_x[t];
}

// ---------------------------------------------------------------------------------------------------------
// KPP-like: Rosenbrock (ROS3) integration of a seven species tropospheric mechanism, one cell a thread
// ---------------------------------------------------------------------------------------------------------
#define KP_NS 7
// species: O3 NO NO2 HO2 OH CO H2O2;  scaled units

__device__ __forceinline__ void kpp_fun(const double (&y)[KP_NS], const double (&k)[10], double (&f)[KP_NS])
{
    const double r0 = k[0] * y[2];              // NO2 + hv -> NO + O3
    const double r1 = k[1] * y[0] * y[1];       // O3 + NO -> NO2
    const double r2 = k[2] * y[0];              // O3 + hv -> 2 OH
    const double r3 = k[3] * y[4] * y[5];       // OH + CO -> HO2
    const double r4 = k[4] * y[3] * y[1];       // HO2 + NO -> OH + NO2
    const double r5 = k[5] * y[3] * y[3];       // HO2 + HO2 -> H2O2
    const double r6 = k[6] * y[4] * y[2];       // OH + NO2 -> sink
    const double r7 = k[7] * y[3] * y[0];       // HO2 + O3 -> OH
    const double r8 = k[8] * y[6];              // H2O2 + hv -> 2 OH
    const double r9 = k[9] * y[4] * y[3];       // OH + HO2 -> sink
    f[0] = r0 - r1 - r2 - r7;
    f[1] = r0 - r1 - r4 + 1.0e-3;
    f[2] = -r0 + r1 + r4 - r6;
    f[3] = r3 - r4 - 2.0 * r5 - r7 - r9;
    f[4] = 2.0 * r2 - r3 + r4 - r6 + r7 + 2.0 * r8 - r9;
    f[5] = -r3 + 2.0e-3;
    f[6] = r5 - r8;
}

__device__ __forceinline__ void kpp_jac(const double (&y)[KP_NS], const double (&k)[10], double (&J)[KP_NS][KP_NS])
{
#pragma unroll
    for (int i = 0; i < KP_NS; ++i)
#pragma unroll
        for (int j = 0; j < KP_NS; ++j) J[i][j] = 0.0;
    const double a10 = k[1] * y[1], a11 = k[1] * y[0], a34 = k[3] * y[5], a35 = k[3] * y[4];
    const double a43 = k[4] * y[1], a41 = k[4] * y[3], a53 = 2.0 * k[5] * y[3], a64 = k[6] * y[2], a62 = k[6] * y[4];
    const double a73 = k[7] * y[0], a70 = k[7] * y[3], a94 = k[9] * y[3], a93 = k[9] * y[4];
    J[0][0] = -a10 - k[2] - a70; J[0][1] = -a11; J[0][2] = k[0]; J[0][3] = -a73;
    J[1][0] = -a10; J[1][1] = -a11 - a41; J[1][2] = k[0]; J[1][3] = -a43;
    J[2][0] = a10; J[2][1] = a11 + a41; J[2][2] = -k[0] - a62; J[2][3] = a43; J[2][4] = -a64;
    J[3][0] = -a70; J[3][1] = -a41; J[3][3] = -a43 - 2.0 * a53 - a73 - a93; J[3][4] = a34 - a94; J[3][5] = a35;
    J[4][0] = 2.0 * k[2] + a70; J[4][1] = a41; J[4][2] = -a62; J[4][3] = a43 + a73 - a93;
    J[4][4] = -a34 - a64 - a94; J[4][5] = -a35; J[4][6] = 2.0 * k[8];
    J[5][4] = -a34; J[5][5] = -a35;
    J[6][3] = a53; J[6][6] = -k[8];
}

__device__ __forceinline__ void kpp_decomp(double (&A)[KP_NS][KP_NS])
{
#pragma unroll
    for (int k = 0; k < KP_NS; ++k) {
        A[k][k] = 1.0 / A[k][k];
#pragma unroll
        for (int i = k + 1; i < KP_NS; ++i) {
            A[i][k] *= A[k][k];
#pragma unroll
            for (int j = k + 1; j < KP_NS; ++j) A[i][j] -= A[i][k] * A[k][j];
        }
    }
}

__device__ __forceinline__ void kpp_solve(const double (&A)[KP_NS][KP_NS], double (&x)[KP_NS])
{
#pragma unroll
    for (int i = 1; i < KP_NS; ++i)
#pragma unroll
        for (int j = 0; j < i; ++j) x[i] -= A[i][j] * x[j];
#pragma unroll
    for (int i = KP_NS - 1; i >= 0; --i) {
#pragma unroll
        for (int j = i + 1; j < KP_NS; ++j) x[i] -= A[i][j] * x[j];
        x[i] *= A[i][i];
    }
}

//! kpp_rosenbrock3 48 96 buffer:conc:129024:uniform:0:1:91 buffer:temp:18432:uniform:0:1:92 buffer:sza:18432:uniform:0:1:93 buffer:out:258048:zero buffer:nstep:36864:zero i32:4608 i32:11 f64:0.8
extern "C" __global__ void __launch_bounds__(96)
kpp_rosenbrock3(const float *__restrict__ conc, const float *__restrict__ temp, const float *__restrict__ sza,
                double *__restrict__ out, int2 *__restrict__ nstep, int ncell, int max_step, double tend)
{
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= ncell) return;
    const double T = 230.0 + 80.0 * temp[cell];
    const double mu = cos(1.5 * (double)sza[cell]);
    const double invT = 1.0 / T;
    double k[10];
    k[0] = 0.9 * exp(-0.4 / (mu + 0.05));
    k[1] = 18.0 * exp(-1400.0 * invT + 4.7);
    k[2] = 0.05 * exp(-0.9 / (mu + 0.05));
    k[3] = 24.0 * (1.0 + 0.6 * T / 300.0);
    k[4] = 35.0 * exp(250.0 * invT);
    {   // Troe fall-off for the recombination
        const double k0 = 30.0 * pow(300.0 * invT, 2.4), kinf = 80.0 * pow(300.0 * invT, 1.3);
        const double ratio = k0 / kinf, lg = log10(ratio);
        k[6] = k0 / (1.0 + ratio) * pow(0.6, 1.0 / (1.0 + lg * lg));
    }
    k[5] = 3.0 * exp(600.0 * invT);
    k[7] = 1.0 * exp(-490.0 * invT);
    k[8] = 0.02 * mu;
    k[9] = 48.0 * exp(250.0 * invT);

    double y[KP_NS];
#pragma unroll
    for (int s = 0; s < KP_NS; ++s) y[s] = (0.02 + conc[s * ncell + cell]) * (s == 3 || s == 4 ? 0.05 : 1.0);

    // ROS3, L-stable, order three with an embedded second order solution
    const double gam = 0.43586652150845899942, a21 = 0.43586652150845899942;
    const double c21 = -1.0156171083877702092, c31 = 4.0759956452537699824, c32 = 9.2076794298330791242;
    const double m1 = 1.0, m2 = 6.1697947043828245592, m3 = -0.42772256543218573326;
    const double e1 = 0.5, e2 = -2.9079558716805469821, e3 = 0.22354069897811569627;
    const double rtol = 1.0e-3, atol = 1.0e-6;

    double t = 0.0, h = 0.02;
    int accepted = 0, rejected = 0;
    for (int step = 0; step < max_step && t < tend; ++step) {
        if (t + h > tend) h = tend - t;
        double A[KP_NS][KP_NS], f0[KP_NS], K1[KP_NS], K2[KP_NS], K3[KP_NS], yn[KP_NS];
        kpp_jac(y, k, A);
        const double ghinv = 1.0 / (h * gam), hinv = 1.0 / h;
#pragma unroll
        for (int i = 0; i < KP_NS; ++i) {
#pragma unroll
            for (int j = 0; j < KP_NS; ++j) A[i][j] = -A[i][j];
            A[i][i] += ghinv;
        }
        kpp_decomp(A);
        kpp_fun(y, k, f0);
#pragma unroll
        for (int i = 0; i < KP_NS; ++i) K1[i] = f0[i];
        kpp_solve(A, K1);
#pragma unroll
        for (int i = 0; i < KP_NS; ++i) yn[i] = y[i] + a21 * K1[i] / gam;
        kpp_fun(yn, k, f0);
#pragma unroll
        for (int i = 0; i < KP_NS; ++i) K2[i] = f0[i] + c21 * hinv * K1[i];
        kpp_solve(A, K2);
#pragma unroll
        for (int i = 0; i < KP_NS; ++i) K3[i] = f0[i] + (c31 * K1[i] + c32 * K2[i]) * hinv;
        kpp_solve(A, K3);

        double err = 0.0;
#pragma unroll
        for (int i = 0; i < KP_NS; ++i) {
            yn[i] = y[i] + m1 * K1[i] + m2 * K2[i] + m3 * K3[i];
            const double e = e1 * K1[i] + e2 * K2[i] + e3 * K3[i];
            const double sc = atol + rtol * fmax(fabs(y[i]), fabs(yn[i]));
            err += (e / sc) * (e / sc);
        }
        err = fmax(sqrt(err / KP_NS), 1.0e-10);
        const double fac = fmin(6.0, fmax(0.2, 0.9 * pow(err, -1.0 / 3.0)));
        if (err <= 1.0) {
            t += h;
#pragma unroll
            for (int i = 0; i < KP_NS; ++i) y[i] = fmax(yn[i], 0.0);
            ++accepted;
        } else ++rejected;
        h *= fac;
    }
#pragma unroll
    for (int s = 0; s < KP_NS; ++s) out[s * ncell + cell] = y[s];
    nstep[cell] = make_int2(accepted, rejected);
}

// ---------------------------------------------------------------------------------------------------------
// American put by Crank-Nicolson in log price and projected red-black SOR, an option a block
// ---------------------------------------------------------------------------------------------------------
#define AO_M 192

//! american_put_psor 32 192 buffer:opt:640:uniform:0:1:101 buffer:price:49664:zero buffer:bound:3584:zero i32:14 i32:10 f64:1.25
extern "C" __global__ void __launch_bounds__(AO_M)
american_put_psor(const float *__restrict__ opt, double *__restrict__ price, double *__restrict__ bound,
                  int nt, int max_sweep, double omega)
{
    __shared__ double v[AO_M + 2];
    __shared__ int s_edge[AO_M / 32];
    const int i = threadIdx.x + 1, b = blockIdx.x;
    const double S0 = 80.0 + 40.0 * opt[b * 5 + 0], K = 100.0;
    const double sigma = 0.15 + 0.3 * opt[b * 5 + 1], r = 0.01 + 0.06 * opt[b * 5 + 2];
    const double q = 0.03 * opt[b * 5 + 3], T = 0.3 + opt[b * 5 + 4];

    const double width = 4.5 * sigma * sqrt(T) + 0.2;
    const double dx = 2.0 * width / (AO_M + 1), dt = T / nt;
    const double x = log(S0 / K) - width + dx * i;
    const double payoff = K * fmax(1.0 - exp(x), 0.0);
    const double nu = r - q - 0.5 * sigma * sigma;
    const double pu = 0.5 * dt * (sigma * sigma / (dx * dx) + nu / dx) * 0.5;
    const double pd = 0.5 * dt * (sigma * sigma / (dx * dx) - nu / dx) * 0.5;
    const double pm = pu + pd + 0.5 * r * dt;
    const double inv = 1.0 / (1.0 + pm);

    v[i] = payoff;
    if (threadIdx.x == 0) v[0] = K * fmax(1.0 - exp(x - dx), 0.0);
    if (threadIdx.x == AO_M - 1) v[AO_M + 1] = K * fmax(1.0 - exp(x + dx), 0.0);
    __syncthreads();

    int sweeps = 0;
    for (int n = 0; n < nt; ++n) {
        const double rhs = pd * v[i - 1] + (1.0 - pm) * v[i] + pu * v[i + 1];
        __syncthreads();
        for (int s = 0; s < max_sweep; ++s) {
            double change = 0.0;
#pragma unroll
            for (int colour = 0; colour < 2; ++colour) {
                if ((i & 1) == colour) {
                    const double old = v[i];
                    const double gs = (rhs + pd * v[i - 1] + pu * v[i + 1]) * inv;
                    const double nw = fmax(payoff, old + omega * (gs - old));
                    change = fabs(nw - old);
                    v[i] = nw;
                }
                __syncthreads();
            }
            ++sweeps;
            if (!__syncthreads_or(change > 1.0e-6 * K)) break;
        }
        // exercise boundary: the last node of the stopped region
        const unsigned stopped = __ballot_sync(0xffffffffu, payoff > 0.0 && v[i] <= payoff + 1.0e-9);
        if ((threadIdx.x & 31) == 0) s_edge[threadIdx.x >> 5] = stopped ? (int)threadIdx.x + 31 - __clz(stopped) : -1;
        __syncthreads();
        if (threadIdx.x == 0) {
            int e = -1;
            for (int w = 0; w < AO_M / 32; ++w) e = max(e, s_edge[w]);
            bound[b * nt + n] = e < 0 ? 0.0 : K * exp(x + dx * e);
        }
        __syncthreads();
    }
    price[b * (AO_M + 2) + i] = v[i];
    if (threadIdx.x == 0) price[b * (AO_M + 2)] = (double)sweeps;
    if (threadIdx.x == AO_M - 1) {
        // delta by the middle nodes
        const double vm = v[AO_M / 2], vp = v[AO_M / 2 + 1];
        price[b * (AO_M + 2) + AO_M + 1] = (vp - vm) / (dx * S0);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Gpufit-like: Levenberg-Marquardt fit of an integrated (erf) Gaussian spot, a warp a spot, five parameters
// ---------------------------------------------------------------------------------------------------------
#define LM_P 5
#define LM_W 7
#define LM_PIX (LM_W * LM_W)

__device__ __forceinline__ float lm_warp_sum(float v)
{
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

__device__ __forceinline__ float lm_model(const float (&p)[LM_P], int pix, float (&d)[LM_P])
{
    // p: amplitude, x0, y0, sigma, background
    const float px = (float)(pix % LM_W), py = (float)(pix / LM_W);
    const float is = 0.70710678f / p[3];
    const float xa = (px + 0.5f - p[1]) * is, xb = (px - 0.5f - p[1]) * is;
    const float ya = (py + 0.5f - p[2]) * is, yb = (py - 0.5f - p[2]) * is;
    const float ex = 0.5f * (erff(xa) - erff(xb)), ey = 0.5f * (erff(ya) - erff(yb));
    const float gxa = __expf(-xa * xa), gxb = __expf(-xb * xb), gya = __expf(-ya * ya), gyb = __expf(-yb * yb);
    const float c = 0.56418958f * is;
    d[0] = ex * ey;
    d[1] = -p[0] * c * (gxa - gxb) * ey;
    d[2] = -p[0] * c * (gya - gyb) * ex;
    d[3] = -p[0] * 0.56418958f / p[3] * ((xa * gxa - xb * gxb) * ey + (ya * gya - yb * gyb) * ex);
    d[4] = 1.0f;
    return p[0] * ex * ey + p[4];
}

__device__ __forceinline__ bool lm_cholesky_solve(float (&A)[15], float (&g)[LM_P])
{
    // packed lower triangle by rows
    bool ok = true;
#pragma unroll
    for (int j = 0; j < LM_P; ++j) {
        float s = A[j * (j + 1) / 2 + j];
#pragma unroll
        for (int k = 0; k < j; ++k) s -= A[j * (j + 1) / 2 + k] * A[j * (j + 1) / 2 + k];
        ok = ok && s > 1.0e-12f;
        const float rd = rsqrtf(fmaxf(s, 1.0e-12f));
        A[j * (j + 1) / 2 + j] = rd;
#pragma unroll
        for (int i = j + 1; i < LM_P; ++i) {
            float t = A[i * (i + 1) / 2 + j];
#pragma unroll
            for (int k = 0; k < j; ++k) t -= A[i * (i + 1) / 2 + k] * A[j * (j + 1) / 2 + k];
            A[i * (i + 1) / 2 + j] = t * rd;
        }
    }
#pragma unroll
    for (int i = 0; i < LM_P; ++i) {
#pragma unroll
        for (int k = 0; k < i; ++k) g[i] -= A[i * (i + 1) / 2 + k] * g[k];
        g[i] *= A[i * (i + 1) / 2 + i];
    }
#pragma unroll
    for (int i = LM_P - 1; i >= 0; --i) {
#pragma unroll
        for (int k = i + 1; k < LM_P; ++k) g[i] -= A[k * (k + 1) / 2 + i] * g[k];
        g[i] *= A[i * (i + 1) / 2 + i];
    }
    return ok;
}

//! gpufit_gauss_erf_lm 84 128 buffer:truth:6720:uniform:0:1:111 buffer:noise:65856:uniform:0:1:112 buffer:fit:6720:zero buffer:state:2688:zero i32:336 i32:8
extern "C" __global__ void __launch_bounds__(128)
gpufit_gauss_erf_lm(const float *__restrict__ truth, const float *__restrict__ noise, float *__restrict__ fit,
                    float2 *__restrict__ state, int nspot, int max_iter)
{
    const int lane = threadIdx.x & 31;
    const int spot = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (spot >= nspot) return;                 // whole warps only

    float p[LM_P], dummy[LM_P], data[2];
    p[0] = 40.0f + 60.0f * truth[spot * LM_P + 0];
    p[1] = 2.4f + 1.2f * truth[spot * LM_P + 1];
    p[2] = 2.4f + 1.2f * truth[spot * LM_P + 2];
    p[3] = 0.9f + 0.6f * truth[spot * LM_P + 3];
    p[4] = 2.0f + 4.0f * truth[spot * LM_P + 4];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        const int pix = lane + 32 * h;
        data[h] = pix < LM_PIX ? lm_model(p, pix, dummy) + 0.8f * (noise[spot * LM_PIX + pix] - 0.5f) : 0.0f;
    }
    // start values from the data
    const bool two = lane + 32 < LM_PIX;
    const float total = lm_warp_sum(data[0] + data[1]);
    float peak = fmaxf(data[0], two ? data[1] : data[0]), low = fminf(data[0], two ? data[1] : data[0]);
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        peak = fmaxf(peak, __shfl_xor_sync(0xffffffffu, peak, o));
        low = fminf(low, __shfl_xor_sync(0xffffffffu, low, o));
    }
    p[0] = fmaxf(total - LM_PIX * low, 5.0f);
    p[1] = 3.0f; p[2] = 3.0f; p[3] = 1.1f; p[4] = low;

    float lambda = 1.0e-2f, chi = CUDART_INF_F;
    float best[LM_P];
#pragma unroll
    for (int i = 0; i < LM_P; ++i) best[i] = p[i];
    int it = 0;
    float A[15], g[LM_P], Ab[15], gb[LM_P];
#pragma unroll
    for (int i = 0; i < 15; ++i) Ab[i] = 0.0f;
#pragma unroll
    for (int i = 0; i < LM_P; ++i) gb[i] = 0.0f;
    for (; it < max_iter; ++it) {
#pragma unroll
        for (int i = 0; i < 15; ++i) A[i] = 0.0f;
#pragma unroll
        for (int i = 0; i < LM_P; ++i) g[i] = 0.0f;
        float c2 = 0.0f;
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const int pix = lane + 32 * h;
            if (pix < LM_PIX) {
                float d[LM_P];
                const float dev = data[h] - lm_model(p, pix, d);
                c2 += dev * dev;
#pragma unroll
                for (int i = 0; i < LM_P; ++i) {
                    g[i] += d[i] * dev;
#pragma unroll
                    for (int j = 0; j <= i; ++j) A[i * (i + 1) / 2 + j] += d[i] * d[j];
                }
            }
        }
        c2 = lm_warp_sum(c2);
        if (c2 < chi) {                        // uniform in the warp
            const float gain = (chi - c2) / c2;
            chi = c2;
            lambda = fmaxf(lambda * 0.1f, 1.0e-7f);
#pragma unroll
            for (int i = 0; i < LM_P; ++i) { best[i] = p[i]; gb[i] = lm_warp_sum(g[i]); }
#pragma unroll
            for (int i = 0; i < 15; ++i) Ab[i] = lm_warp_sum(A[i]);
            if (gain < 1.0e-5f) break;
        } else lambda *= 10.0f;
#pragma unroll
        for (int i = 0; i < 15; ++i) A[i] = Ab[i];
#pragma unroll
        for (int i = 0; i < LM_P; ++i) { g[i] = gb[i]; A[i * (i + 1) / 2 + i] *= 1.0f + lambda; }
        if (!lm_cholesky_solve(A, g)) lambda *= 10.0f;
#pragma unroll
        for (int i = 0; i < LM_P; ++i) p[i] = best[i] + g[i];
        p[3] = fminf(fmaxf(p[3], 0.3f), 4.0f);
        p[1] = fminf(fmaxf(p[1], -1.0f), 8.0f);
        p[2] = fminf(fmaxf(p[2], -1.0f), 8.0f);
    }
    if (lane < LM_P) {
        float o = best[0];
#pragma unroll
        for (int i = 1; i < LM_P; ++i) o = lane == i ? best[i] : o;
        fit[spot * LM_P + lane] = o;
    }
    if (lane == 0) state[spot] = make_float2(chi / peak, (float)it);
}

// ---------------------------------------------------------------------------------------------------------
// Pair HMM forward likelihood (read against haplotype), a warp a pair, two read rows a lane, antidiagonal sweep
// ---------------------------------------------------------------------------------------------------------
#define PH_READ 64
#define PH_HAP 100

struct ph_cell { float m, x, y; };

__device__ __forceinline__ ph_cell ph_shfl_up(const ph_cell &c)
{
    ph_cell r;
    r.m = __shfl_up_sync(0xffffffffu, c.m, 1);
    r.x = __shfl_up_sync(0xffffffffu, c.x, 1);
    r.y = __shfl_up_sync(0xffffffffu, c.y, 1);
    return r;
}

//! pairhmm_forward_warp 66 160 buffer:reads:21120:hash_i32:121 buffer:haps:33000:hash_i32:122 buffer:quals:21120:hash_i32:123 buffer:lik:2640:zero i32:330 i32:100
extern "C" __global__ void
pairhmm_forward_warp(const unsigned char *__restrict__ reads, const unsigned char *__restrict__ haps,
                     const unsigned char *__restrict__ quals, double *__restrict__ lik, int npair, int haplen)
{
    __shared__ float s_ph2pr[64];
    __shared__ unsigned char s_hap[5][PH_HAP];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int pair = min((int)(blockIdx.x * 5 + warp), npair - 1);
    if (threadIdx.x < 64) s_ph2pr[threadIdx.x] = exp10f(-0.1f * (float)threadIdx.x);
    for (int i = lane; i < haplen; i += 32) s_hap[warp][i] = haps[pair * PH_HAP + i] & 3;
    __syncthreads();

    // the read is the haplotype from an offset on, with one base in eight replaced
    unsigned char base[2];
    float p_match[2], p_mis[2], p_open_i[2], p_mm[2], p_gap_c[2];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        const int row = lane * 2 + h;
        const unsigned char raw = reads[pair * PH_READ + row], q = quals[pair * PH_READ + row];
        base[h] = (raw & 7) == 7 ? (raw >> 5) & 3 : s_hap[warp][min(row + (pair & 15), haplen - 1)];
        const float err = s_ph2pr[6 + (q & 31)];
        const float open_i = s_ph2pr[30 + ((q >> 5) & 7)];
        p_match[h] = 1.0f - err;
        p_mis[h] = err * (1.0f / 3.0f);
        p_open_i[h] = open_i;
        p_mm[h] = 1.0f - 2.0f * open_i;
        p_gap_c[h] = s_ph2pr[10];
    }

    const float init_y = ldexpf(1.0f, 100) / haplen;      // scaled up against underflow
    ph_cell zero;
    zero.m = zero.x = zero.y = 0.0f;
    ph_cell left[2] = {zero, zero};                       // own rows, previous column
    ph_cell above_diag = zero;                            // row above, previous column
    if (lane == 0) above_diag.y = init_y;
    float sum = 0.0f;

    for (int step = 0; step < haplen + 31; ++step) {
        // lane l works on column step - l; the row above it was done by lane l-1 one step ago
        ph_cell above = ph_shfl_up(left[1]);
        if (lane == 0) { above.m = above.x = 0.0f; above.y = init_y; }
        const int colm = step - lane;
        if (colm >= 0 && colm < haplen) {
            const unsigned char hb = s_hap[warp][colm];
            ph_cell diag = above_diag, up = above;
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                const float prior = base[h] == hb ? p_match[h] : p_mis[h];
                ph_cell c;
                c.m = prior * (diag.m * p_mm[h] + (diag.x + diag.y) * (1.0f - p_gap_c[h]));
                c.x = up.m * p_open_i[h] + up.x * p_gap_c[h];
                c.y = left[h].m * p_open_i[h] + left[h].y * p_gap_c[h];
                if (lane == 0 && h == 0) {
                    c.m = prior * diag.y * (1.0f - p_gap_c[h]);
                    c.x = 0.0f;
                }
                diag = left[h];
                up = c;
                left[h] = c;
            }
            above_diag = above;
            if (lane == 31) sum += left[1].m + left[1].x;
        }
    }
    if (lane == 31) lik[pair] = log10((double)sum + 1.0e-300) - 100.0 * 0.30102999566398120;
}

// ---------------------------------------------------------------------------------------------------------
// AutoDock-like: pose scoring, torsions and rigid body motion of the ligand, trilinear map energy, intra pairs
// ---------------------------------------------------------------------------------------------------------
#define AD_ATOMS 40
#define AD_TORS 6
#define AD_GRID 32
#define AD_TYPES 5

__device__ __forceinline__ float4 ad_qmul(float4 a, float4 b)
{
    return make_float4(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                       a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
}
__device__ __forceinline__ float3 ad_qrot(float4 q, float3 v)
{
    const float4 r = ad_qmul(ad_qmul(q, make_float4(v.x, v.y, v.z, 0.f)), make_float4(-q.x, -q.y, -q.z, q.w));
    return make_float3(r.x, r.y, r.z);
}
__device__ __forceinline__ float ad_trilinear(const float *__restrict__ m, int3 lo, float3 f)
{
    const int sx = 1, sy = AD_GRID, sz = AD_GRID * AD_GRID;
    const float *__restrict__ c = m + lo.z * sz + lo.y * sy + lo.x;
    const float x00 = c[0] + f.x * (c[sx] - c[0]);
    const float x10 = c[sy] + f.x * (c[sy + sx] - c[sy]);
    const float x01 = c[sz] + f.x * (c[sz + sx] - c[sz]);
    const float x11 = c[sz + sy] + f.x * (c[sz + sy + sx] - c[sz + sy]);
    const float y0 = x00 + f.y * (x10 - x00), y1 = x01 + f.y * (x11 - x01);
    return y0 + f.z * (y1 - y0);
}

//! autodock_pose_energy 300 64 buffer:maps:786432:uniform:0:1:131 buffer:ligand:640:uniform:0:1:132 buffer:genes:15600:uniform:0:1:133 buffer:energy:2400:zero buffer:best:160:zero i32:300 f32:0.35
extern "C" __global__ void __launch_bounds__(64)
autodock_pose_energy(const float *__restrict__ maps, const float4 *__restrict__ ligand, const float *__restrict__ genes,
                     float2 *__restrict__ energy, unsigned int *__restrict__ best, int npose, float spacing)
{
    __shared__ float3 s_xyz[AD_ATOMS];
    __shared__ float s_charge[AD_ATOMS];
    __shared__ float4 s_tors[AD_TORS];
    __shared__ float s_e[2][2];
    const int t = threadIdx.x, pose = blockIdx.x;
    if (pose >= npose) return;
    const float *__restrict__ gene = genes + pose * (7 + AD_TORS);

    // reference conformation: a chain with branches, atoms 1.5 apart along x with jitter
    if (t < AD_ATOMS) {
        const float4 a = ligand[t];
        s_xyz[t] = make_float3(0.32f * t - 6.2f + 0.6f * a.x, 3.0f * (a.y - 0.5f), 3.0f * (a.z - 0.5f));
        s_charge[t] = a.w - 0.5f;
    }
    __syncthreads();

    for (int k = 0; k < AD_TORS; ++k) {
        // torsion k turns the atoms from 6 (k+1) on about the bond (6k+2, 6k+3)
        const int a0 = 6 * k + 2, a1 = a0 + 1;
        const float3 o = s_xyz[a0], e = s_xyz[a1];
        const float dx = e.x - o.x, dy = e.y - o.y, dz = e.z - o.z;
        const float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 1.0e-12f);
        float s, c;
        sincospif(gene[7 + k] - 0.5f, &s, &c);
        const float4 q = make_float4(s * dx * inv, s * dy * inv, s * dz * inv, c);
        if (t == 0) s_tors[k] = q;
        __syncthreads();
        if (t < AD_ATOMS && t >= 6 * (k + 1)) {
            float3 v = s_xyz[t];
            v = ad_qrot(q, make_float3(v.x - o.x, v.y - o.y, v.z - o.z));
            s_xyz[t] = make_float3(v.x + o.x, v.y + o.y, v.z + o.z);
        }
        __syncthreads();
    }

    // rigid body: random unit quaternion by Shoemake's method, then translation
    float s1, c1, s2, c2;
    sincospif(2.0f * gene[4], &s1, &c1);
    sincospif(2.0f * gene[5], &s2, &c2);
    const float u = gene[3], ra = sqrtf(1.0f - u), rb = sqrtf(u);
    const float4 rot = make_float4(ra * s1, ra * c1, rb * s2, rb * c2);
    float e_inter = 0.0f;
    if (t < AD_ATOMS) {
        const float3 v = ad_qrot(rot, s_xyz[t]);
        const float gx = v.x / spacing * 0.5f + 4.0f + 24.0f * gene[0];
        const float gy = v.y / spacing * 0.5f + 4.0f + 24.0f * gene[1];
        const float gz = v.z / spacing * 0.5f + 4.0f + 24.0f * gene[2];
        const float lim = (float)(AD_GRID - 1);
        if (gx < 0.f || gy < 0.f || gz < 0.f || gx >= lim || gy >= lim || gz >= lim) {
            const float px = gx - 0.5f * lim, py = gy - 0.5f * lim, pz = gz - 0.5f * lim;
            e_inter = 0.02f * (px * px + py * py + pz * pz);           // penalty outside the box
        } else {
            const int3 lo = make_int3((int)gx, (int)gy, (int)gz);
            const float3 f = make_float3(gx - lo.x, gy - lo.y, gz - lo.z);
            const int vol = AD_GRID * AD_GRID * AD_GRID;
            e_inter = ad_trilinear(maps + (t % AD_TYPES) * vol, lo, f) - 0.5f +
                      s_charge[t] * (ad_trilinear(maps + AD_TYPES * vol, lo, f) - 0.5f);
        }
    }

    // intramolecular pairs more than three bonds apart: 12-6 or 12-10, distance dependent dielectric, desolvation
    float e_intra = 0.0f;
    for (int pr = t; pr < AD_ATOMS * AD_ATOMS; pr += 64) {
        const int i = pr / AD_ATOMS, j = pr % AD_ATOMS;
        if (j - i <= 3) continue;
        const float dx = s_xyz[i].x - s_xyz[j].x, dy = s_xyz[i].y - s_xyz[j].y, dz = s_xyz[i].z - s_xyz[j].z;
        const float r = fmaxf(sqrtf(dx * dx + dy * dy + dz * dz), 0.8f);
        if (r >= 8.0f) continue;
        const float req = 1.6f + 0.1f * ((i % AD_TYPES) + (j % AD_TYPES));
        const float rs = req / r, rs2 = rs * rs, rs6 = rs2 * rs2 * rs2;
        const bool hbond = ((i + j) % 11) == 0;
        e_intra += hbond ? 5.0f * rs6 * rs6 - 6.0f * rs6 * rs2 * rs2 : 0.15f * (rs6 * rs6 - 2.0f * rs6);
        const float eps = -8.5525f + 86.9525f / (1.0f + 7.7839f * __expf(-0.003627f * 86.9525f * r));
        e_intra += 332.06f * 0.14f * s_charge[i] * s_charge[j] / (r * eps);
        e_intra += (0.01097f * fabsf(s_charge[i]) + 0.0115f) * 20.0f * __expf(-r * r * (1.0f / 25.92f));
    }

#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        e_inter += __shfl_down_sync(0xffffffffu, e_inter, o);
        e_intra += __shfl_down_sync(0xffffffffu, e_intra, o);
    }
    if ((t & 31) == 0) { s_e[t >> 5][0] = e_inter; s_e[t >> 5][1] = e_intra; }
    __syncthreads();
    if (t == 0) {
        float w = 0.0f;
        for (int k = 0; k < AD_TORS; ++k) w += 1.0f - fabsf(s_tors[k].w);
        const float ei = s_e[0][0] + s_e[1][0], ea = s_e[0][1] + s_e[1][1] + 0.2983f * w;
        energy[pose] = make_float2(ei, ea);
        // order preserving key, turned round so that the lowest energy has the largest key
        const unsigned bits = __float_as_uint(ei + ea);
        const unsigned key = (bits & 0x80000000u) ? ~bits : bits | 0x80000000u;
        atomicMax(&best[pose % 40], ~key);
    }
}
