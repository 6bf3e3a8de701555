// Kernels in the manner of DOE / weather / lattice / MD mini-apps.
#include <cuda_runtime.h>

typedef double Real_t;

// ---------------------------------------------------------------------------------------------------------
// LULESH-like: volume derivatives and Flanagan-Belytschko hourglass forces of a hexahedral Lagrange mesh
// ---------------------------------------------------------------------------------------------------------
#define LU_EDGE 32
#define LU_NPE (LU_EDGE + 1)

__constant__ Real_t lu_gamma[4][8] = {
    { 1.,  1., -1., -1., -1., -1.,  1.,  1.},
    { 1., -1., -1.,  1., -1.,  1.,  1., -1.},
    { 1., -1.,  1., -1.,  1., -1.,  1., -1.},
    {-1.,  1., -1.,  1.,  1., -1.,  1., -1.}};

__device__ __forceinline__ void lu_volder(const Real_t (&x)[8], const Real_t (&y)[8], const Real_t (&z)[8],
                                          const int a, const int b, const int c, const int d, const int e, const int f,
                                          Real_t &gx, Real_t &gy, Real_t &gz)
{
    const Real_t w = Real_t(1.0) / Real_t(12.0);
    gx = w * ((y[b] + y[c]) * (z[a] + z[b]) - (y[a] + y[b]) * (z[b] + z[c]) + (y[a] + y[e]) * (z[d] + z[e]) -
              (y[d] + y[e]) * (z[a] + z[e]) - (y[c] + y[f]) * (z[d] + z[f]) + (y[d] + y[f]) * (z[c] + z[f]));
    gy = w * (-(x[b] + x[c]) * (z[a] + z[b]) + (x[a] + x[b]) * (z[b] + z[c]) - (x[a] + x[e]) * (z[d] + z[e]) +
              (x[d] + x[e]) * (z[a] + z[e]) + (x[c] + x[f]) * (z[d] + z[f]) - (x[d] + x[f]) * (z[c] + z[f]));
    gz = w * (-(y[b] + y[c]) * (x[a] + x[b]) + (y[a] + y[b]) * (x[b] + x[c]) - (y[a] + y[e]) * (x[d] + x[e]) +
              (y[d] + y[e]) * (x[a] + x[e]) + (y[c] + y[f]) * (x[d] + x[f]) - (y[d] + y[f]) * (x[c] + x[f]));
}

//! lulesh_hourglass 256 128 buffer:jitter:431244:uniform:0:1:11 buffer:vel:431244:uniform:0:1:12 buffer:elem:262144:uniform:0:1:13 buffer:fx:2MiB:zero buffer:fy:2MiB:zero buffer:fz:2MiB:zero i32:32768 f64:3.0
extern "C" __global__ void __launch_bounds__(128)
lulesh_hourglass(const float *__restrict__ jitter, const float *__restrict__ vel, const float *__restrict__ elem,
                 Real_t *__restrict__ fx_elem, Real_t *__restrict__ fy_elem, Real_t *__restrict__ fz_elem,
                 int numElem, Real_t hgcoef)
{
    const int e = blockDim.x * blockIdx.x + threadIdx.x;
    if (e >= numElem) return;
    const int numNode = LU_NPE * LU_NPE * LU_NPE;
    const int ix = e % LU_EDGE, iy = (e / LU_EDGE) % LU_EDGE, iz = e / (LU_EDGE * LU_EDGE);

    Real_t x[8], y[8], z[8];
    int n[8];
#pragma unroll
    for (int c = 0; c < 8; ++c) {
        const int ox = (c == 1 || c == 2 || c == 5 || c == 6);
        const int oy = (c == 2 || c == 3 || c == 6 || c == 7);
        const int oz = c >= 4;
        n[c] = ((iz + oz) * LU_NPE + (iy + oy)) * LU_NPE + ix + ox;
        x[c] = (ix + ox) + 0.25 * __ldg(&jitter[n[c]]);
        y[c] = (iy + oy) + 0.25 * __ldg(&jitter[n[c] + numNode]);
        z[c] = (iz + oz) + 0.25 * __ldg(&jitter[n[c] + 2 * numNode]);
    }

    Real_t dvdx[8], dvdy[8], dvdz[8];
    lu_volder(x, y, z, 1, 2, 3, 4, 5, 7, dvdx[0], dvdy[0], dvdz[0]);
    lu_volder(x, y, z, 0, 1, 2, 7, 4, 6, dvdx[3], dvdy[3], dvdz[3]);
    lu_volder(x, y, z, 3, 0, 1, 6, 7, 5, dvdx[2], dvdy[2], dvdz[2]);
    lu_volder(x, y, z, 2, 3, 0, 5, 6, 4, dvdx[1], dvdy[1], dvdz[1]);
    lu_volder(x, y, z, 7, 6, 5, 0, 3, 1, dvdx[4], dvdy[4], dvdz[4]);
    lu_volder(x, y, z, 4, 7, 6, 1, 0, 2, dvdx[5], dvdy[5], dvdz[5]);
    lu_volder(x, y, z, 5, 4, 7, 2, 1, 3, dvdx[6], dvdy[6], dvdz[6]);
    lu_volder(x, y, z, 6, 5, 4, 3, 2, 0, dvdx[7], dvdy[7], dvdz[7]);

    // V = (1/3) sum_c x_c . dV/dx_c, as V is homogeneous of degree three
    Real_t determ = 0.0;
#pragma unroll
    for (int c = 0; c < 8; ++c) determ += x[c] * dvdx[c] + y[c] * dvdy[c] + z[c] * dvdz[c];
    determ *= Real_t(1.0) / Real_t(3.0);
    determ = fmax(fabs(determ), 1.0e-3);
    const Real_t volinv = Real_t(1.0) / determ;

    Real_t hourgam[8][4];
#pragma unroll
    for (int m = 0; m < 4; ++m) {
        Real_t hx = 0.0, hy = 0.0, hz = 0.0;
#pragma unroll
        for (int c = 0; c < 8; ++c) {
            hx += x[c] * lu_gamma[m][c];
            hy += y[c] * lu_gamma[m][c];
            hz += z[c] * lu_gamma[m][c];
        }
#pragma unroll
        for (int c = 0; c < 8; ++c)
            hourgam[c][m] = lu_gamma[m][c] - volinv * (dvdx[c] * hx + dvdy[c] * hy + dvdz[c] * hz);
    }

    const Real_t ss1 = 0.5 + elem[e];
    const Real_t mass1 = 1.0 + elem[e + numElem];
    const Real_t coefficient = -hgcoef * Real_t(0.01) * ss1 * mass1 / cbrt(determ);

    Real_t *const out[3] = {fx_elem, fy_elem, fz_elem};
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        Real_t v[8];
#pragma unroll
        for (int c = 0; c < 8; ++c) v[c] = (Real_t)__ldg(&vel[n[c] + d * numNode]) - 0.5;
        Real_t h[4];
#pragma unroll
        for (int m = 0; m < 4; ++m) {
            h[m] = 0.0;
#pragma unroll
            for (int c = 0; c < 8; ++c) h[m] += hourgam[c][m] * v[c];
        }
#pragma unroll
        for (int c = 0; c < 8; ++c)
            out[d][c * numElem + e] = coefficient * (hourgam[c][0] * h[0] + hourgam[c][1] * h[1] +
                                                     hourgam[c][2] * h[2] + hourgam[c][3] * h[3]);
    }
}

// ---------------------------------------------------------------------------------------------------------
// miniFE-like: diffusion matrix of a trilinear hex element, 2x2x2 Gauss rule, upper triangle kept in registers
// ---------------------------------------------------------------------------------------------------------
template <typename Scalar>
__device__ __forceinline__ Scalar hex8_inverse_3x3(const Scalar (&J)[9], Scalar (&inv)[9])
{
    const Scalar c0 = J[4] * J[8] - J[5] * J[7];
    const Scalar c1 = J[5] * J[6] - J[3] * J[8];
    const Scalar c2 = J[3] * J[7] - J[4] * J[6];
    const Scalar det = J[0] * c0 + J[1] * c1 + J[2] * c2;
    const Scalar r = Scalar(1) / det;
    inv[0] = c0 * r; inv[1] = (J[2] * J[7] - J[1] * J[8]) * r; inv[2] = (J[1] * J[5] - J[2] * J[4]) * r;
    inv[3] = c1 * r; inv[4] = (J[0] * J[8] - J[2] * J[6]) * r; inv[5] = (J[2] * J[3] - J[0] * J[5]) * r;
    inv[6] = c2 * r; inv[7] = (J[1] * J[6] - J[0] * J[7]) * r; inv[8] = (J[0] * J[4] - J[1] * J[3]) * r;
    return det;
}

//! minife_hex8_diffusion 171 96 buffer:jitter:222156:uniform:0:1:21 buffer:conduct:64KiB:uniform:0:1:22 buffer:ke:4718592:zero buffer:fe:1MiB:zero i32:32 i32:32 i32:16
extern "C" __global__ void
minife_hex8_diffusion(const float *__restrict__ jitter, const float *__restrict__ conduct,
                      double *__restrict__ ke, double *__restrict__ fe, int nx, int ny, int nz)
{
    const int nelem = nx * ny * nz;
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= nelem) return;

    const int ex = e % nx, ey = (e / nx) % ny, ez = e / (nx * ny);
    double coord[8][3];
#pragma unroll
    for (int c = 0; c < 8; ++c) {
        const int px = ex + ((c ^ (c >> 1)) & 1), py = ey + ((c >> 1) & 1), pz = ez + (c >> 2);
        const int node = px + (nx + 1) * (py + (ny + 1) * pz);
        coord[c][0] = px + 0.3 * jitter[3 * node + 0];
        coord[c][1] = py + 0.3 * jitter[3 * node + 1];
        coord[c][2] = pz + 0.3 * jitter[3 * node + 2];
    }
    const double kappa = 0.1 + conduct[e];

    double diff[36], src[8];
#pragma unroll
    for (int i = 0; i < 36; ++i) diff[i] = 0.0;
#pragma unroll
    for (int i = 0; i < 8; ++i) src[i] = 0.0;

    const double gp = 0.57735026918962576;
#pragma unroll 1
    for (int ig = 0; ig < 8; ++ig) {
        const double xi = (ig & 1) ? gp : -gp, eta = (ig & 2) ? gp : -gp, zeta = (ig & 4) ? gp : -gp;
        double grad[8][3], psi[8];
        double J[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll
        for (int c = 0; c < 8; ++c) {
            const double sx = ((c ^ (c >> 1)) & 1) ? 1.0 : -1.0;
            const double sy = ((c >> 1) & 1) ? 1.0 : -1.0;
            const double sz = (c >> 2) ? 1.0 : -1.0;
            const double u = 1.0 + sx * xi, v = 1.0 + sy * eta, w = 1.0 + sz * zeta;
            psi[c] = 0.125 * u * v * w;
            grad[c][0] = 0.125 * sx * v * w;
            grad[c][1] = 0.125 * sy * u * w;
            grad[c][2] = 0.125 * sz * u * v;
#pragma unroll
            for (int i = 0; i < 3; ++i)
#pragma unroll
                for (int j = 0; j < 3; ++j) J[3 * i + j] += grad[c][i] * coord[c][j];
        }
        double inv[9];
        const double detJ = hex8_inverse_3x3(J, inv);
#pragma unroll
        for (int c = 0; c < 8; ++c) {
            const double g0 = grad[c][0], g1 = grad[c][1], g2 = grad[c][2];
            grad[c][0] = inv[0] * g0 + inv[1] * g1 + inv[2] * g2;
            grad[c][1] = inv[3] * g0 + inv[4] * g1 + inv[5] * g2;
            grad[c][2] = inv[6] * g0 + inv[7] * g1 + inv[8] * g2;
            src[c] += psi[c] * detJ;
        }
        const double kd = kappa * detJ;
        int off = 0;
#pragma unroll
        for (int m = 0; m < 8; ++m) {
            const double a = kd * grad[m][0], b = kd * grad[m][1], g = kd * grad[m][2];
#pragma unroll
            for (int k = m; k < 8; ++k)
                diff[off++] += a * grad[k][0] + b * grad[k][1] + g * grad[k][2];
        }
    }
#pragma unroll
    for (int i = 0; i < 36; ++i) ke[(size_t)i * nelem + e] = diff[i];
#pragma unroll
    for (int i = 0; i < 8; ++i) fe[(size_t)i * nelem + e] = src[i];
}

// ---------------------------------------------------------------------------------------------------------
// CloverLeaf-like: x sweep of the cell advection, van Leer limited donor-cell fluxes of mass and energy
// ---------------------------------------------------------------------------------------------------------
#define CL_BX 64
#define CL_BY 4

struct clover_flux { double mass, ener; };

__device__ __forceinline__ clover_flux clover_face_flux(const float *__restrict__ density, const float *__restrict__ energy,
                                                        double volflux, double prevol_l, double prevol_r, int row, int face)
{
    int upwind, donor, downwind;
    double prevol;
    if (volflux > 0.0) { upwind = face - 2; donor = face - 1; downwind = face;     prevol = prevol_l; }
    else               { upwind = face + 1; donor = face;     downwind = face - 1; prevol = prevol_r; }
    const double sigmat = fabs(volflux) / prevol;
    const double d_up = 0.2 + density[row + upwind], d_do = 0.2 + density[row + donor], d_dw = 0.2 + density[row + downwind];
    const double e_up = 1.0 + energy[row + upwind], e_do = 1.0 + energy[row + donor], e_dw = 1.0 + energy[row + downwind];
    const double sigma3 = (1.0 + sigmat) * 1.0;
    const double sigma4 = 2.0 - sigmat;
    double diffuw = d_do - d_up, diffdw = d_dw - d_do;
    double limiter = 0.0;
    if (diffuw * diffdw > 0.0)
        limiter = (1.0 - sigmat) * copysign(1.0, diffdw) *
                  fmin(fmin(fabs(diffuw), fabs(diffdw)), (1.0 / 6.0) * (sigma3 * fabs(diffuw) + sigma4 * fabs(diffdw)));
    clover_flux f;
    f.mass = volflux * (d_do + limiter);
    const double sigmam = fabs(f.mass) / (d_do * prevol);
    diffuw = e_do - e_up;
    diffdw = e_dw - e_do;
    limiter = 0.0;
    if (diffuw * diffdw > 0.0)
        limiter = (1.0 - sigmam) * copysign(1.0, diffdw) *
                  fmin(fmin(fabs(diffuw), fabs(diffdw)), (1.0 / 6.0) * (sigma3 * fabs(diffuw) + sigma4 * fabs(diffdw)));
    f.ener = f.mass * (e_do + limiter);
    return f;
}

//! clover_advec_cell_x 8x96 64x4 buffer:density:792576:uniform:0:1:31 buffer:energy:792576:uniform:0:1:32 buffer:volflux:792576:uniform:0:1:33 buffer:density1:1585152:zero buffer:energy1:1585152:zero buffer:massflux:1585152:zero i32:512 i32:384 f64:0.4
extern "C" __global__ void
clover_advec_cell_x(const float *__restrict__ density, const float *__restrict__ energy, const float *__restrict__ volflux,
                    double *__restrict__ density1, double *__restrict__ energy1, double *__restrict__ massflux,
                    int nx, int ny, double dtscale)
{
    __shared__ double s_mass[CL_BY][CL_BX + 1];
    __shared__ double s_ener[CL_BY][CL_BX + 1];
    const int pitch = nx + 4;                 // two halo cells at either end
    const int j = blockIdx.y * CL_BY + threadIdx.y;
    const int i0 = blockIdx.x * CL_BX + 2;
    const int row = j * pitch;

    if (j < ny) {
        for (int t = threadIdx.x; t <= CL_BX; t += CL_BX) {
            const int face = i0 + t;          // face between cells face-1 and face
            if (face <= nx + 2) {
                const double vm = dtscale * (volflux[row + face - 1] - 0.5);
                const double vf = dtscale * (volflux[row + face] - 0.5);
                const double vp = dtscale * (volflux[row + face + 1] - 0.5);
                const clover_flux f = clover_face_flux(density, energy, vf, 1.0 + vf - vm, 1.0 + vp - vf, row, face);
                s_mass[threadIdx.y][t] = f.mass;
                s_ener[threadIdx.y][t] = f.ener;
            }
        }
    }
    __syncthreads();

    const int i = i0 + threadIdx.x;
    if (j < ny && i < nx + 2) {
        const double rho = 0.2 + density[row + i];
        const double en = 1.0 + energy[row + i];
        const double vl = dtscale * (volflux[row + i] - 0.5), vr = dtscale * (volflux[row + i + 1] - 0.5);
        const double pre_vol = 1.0 + vr - vl;
        const double pre_mass = rho * pre_vol;
        const double ml = s_mass[threadIdx.y][threadIdx.x], mr = s_mass[threadIdx.y][threadIdx.x + 1];
        const double post_mass = pre_mass + ml - mr;
        const double post_ener = (en * pre_mass + s_ener[threadIdx.y][threadIdx.x] - s_ener[threadIdx.y][threadIdx.x + 1]) / post_mass;
        const double advec_vol = pre_vol + vl - vr;
        density1[row + i] = post_mass / advec_vol;
        energy1[row + i] = post_ener;
        massflux[row + i] = ml;
    }
}

// ---------------------------------------------------------------------------------------------------------
// XSBench-like: macroscopic cross section lookup; union grid binary search, then a bounded search per nuclide
// ---------------------------------------------------------------------------------------------------------
#define XS_NUC 48
#define XS_PTS 1024
__constant__ int xs_num_nucs[12] = {40, 5, 4, 4, 10, 7, 7, 7, 7, 7, 3, 3};

__device__ __forceinline__ unsigned long long xs_fast_forward(unsigned long long seed, unsigned int steps)
{
    unsigned long long a = 2806196910506780709ULL, c = 1ULL, a_new = 1ULL, c_new = 0ULL;
    while (steps) {
        if (steps & 1u) { a_new *= a; c_new = c_new * a + c; }
        c *= (a + 1);
        a *= a;
        steps >>= 1;
    }
    return (a_new * seed + c_new) & 0x7fffffffffffffffULL;
}

__device__ __forceinline__ double xs_lcg_double(unsigned long long &seed)
{
    seed = (2806196910506780709ULL * seed + 1ULL) & 0x7fffffffffffffffULL;
    return (double)seed / 9223372036854775808.0;
}

__device__ __forceinline__ int xs_pick_material(unsigned long long &seed)
{
    const double dist[12] = {0.140, 0.052, 0.275, 0.134, 0.154, 0.064, 0.066, 0.055, 0.008, 0.015, 0.025, 0.013};
    const double roll = xs_lcg_double(seed);
    double running = 0.0;
    int mat = 0;
#pragma unroll
    for (int i = 1; i < 12; ++i) {
        running += dist[i];
        if (roll >= running) mat = i;
    }
    return mat;
}

//! xsbench_union_lookup 80 192 buffer:ugrid:512KiB:uniform:0:1:41 buffer:nucgrid:1179648:uniform:0:1:42 buffer:conc:2304:uniform:0:1:43 buffer:macro:614400:zero buffer:verify:1KiB:zero i32:131072 i32:15360
extern "C" __global__ void
xsbench_union_lookup(const float *__restrict__ ugrid, const float *__restrict__ nucgrid, const float *__restrict__ conc,
                     double *__restrict__ macro_out, unsigned int *__restrict__ verify, int n_union, int n_lookups)
{
    const int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= n_lookups) return;
    unsigned long long seed = xs_fast_forward(1070ULL, 2u * (unsigned)tid);
    const double p_energy = xs_lcg_double(seed);
    const int mat = xs_pick_material(seed);

    // union grid: energy of point i is (i + jitter)/n, which ascends as the jitter is below one
    int lower = 0, upper = n_union - 1;
    const float en = (float)(p_energy * n_union);
    while (upper - lower > 1) {
        const int mid = lower + ((upper - lower) >> 1);
        if ((float)mid + ugrid[mid] > en) upper = mid;
        else lower = mid;
    }
    const int hint = (int)((long long)lower * XS_PTS / n_union);

    double macro_xs[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
    const int nn = xs_num_nucs[mat];
    for (int j = 0; j < nn; ++j) {
        const int nuc = (mat * 11 + j * 5) % XS_NUC;
        const float *__restrict__ grid = nucgrid + (size_t)nuc * XS_PTS * 6;
        const float target = (float)(p_energy * XS_PTS);
        int lo = max(hint - 2, 0), hi = min(hint + 3, XS_PTS - 1);
        while (hi - lo > 1) {
            const int mid = (lo + hi) >> 1;
            if ((float)mid + 0.9f * grid[mid * 6] > target) hi = mid;
            else lo = mid;
        }
        if (lo > XS_PTS - 2) lo = XS_PTS - 2;
        const float2 *__restrict__ low = reinterpret_cast<const float2 *>(grid + lo * 6);
        const float2 *__restrict__ high = low + 3;
        const float2 l0 = low[0], l1 = low[1], l2 = low[2], h0 = high[0], h1 = high[1], h2 = high[2];
        const double e_lo = lo + 0.9 * l0.x, e_hi = lo + 1 + 0.9 * h0.x;
        const double f = (e_hi - p_energy * XS_PTS) / (e_hi - e_lo);
        const double c = conc[mat * XS_NUC + nuc];
        macro_xs[0] += c * (h0.y - f * (h0.y - l0.y));
        macro_xs[1] += c * (h1.x - f * (h1.x - l1.x));
        macro_xs[2] += c * (h1.y - f * (h1.y - l1.y));
        macro_xs[3] += c * (h2.x - f * (h2.x - l2.x));
        macro_xs[4] += c * (h2.y - f * (h2.y - l2.y));
    }

    double best = -1.0;
    int max_idx = 0;
#pragma unroll
    for (int k = 0; k < 5; ++k) {
        macro_out[(size_t)k * n_lookups + tid] = macro_xs[k];
        if (macro_xs[k] > best) { best = macro_xs[k]; max_idx = k; }
    }
    atomicAdd(&verify[mat * 5 + max_idx], 1u);
}

// ---------------------------------------------------------------------------------------------------------
// RSBench-like: windowed multipole cross sections with Doppler broadening (Faddeeva function)
// ---------------------------------------------------------------------------------------------------------
struct rs_complex { double r, i; };
struct __align__(16) rs_xs { double t, a, f, e; };
__device__ __forceinline__ rs_complex c_make(double r, double i) { rs_complex z; z.r = r; z.i = i; return z; }
__device__ __forceinline__ rs_complex c_add(rs_complex a, rs_complex b) { return c_make(a.r + b.r, a.i + b.i); }
__device__ __forceinline__ rs_complex c_sub(rs_complex a, rs_complex b) { return c_make(a.r - b.r, a.i - b.i); }
__device__ __forceinline__ rs_complex c_mul(rs_complex a, rs_complex b) { return c_make(a.r * b.r - a.i * b.i, a.r * b.i + a.i * b.r); }
__device__ __forceinline__ rs_complex c_div(rs_complex a, rs_complex b)
{
    const double d = 1.0 / (b.r * b.r + b.i * b.i);
    return c_make((a.r * b.r + a.i * b.i) * d, (a.i * b.r - a.r * b.i) * d);
}
__device__ __forceinline__ rs_complex c_exp(rs_complex z)
{
    double s, c;
    sincos(z.i, &s, &c);
    const double m = exp(z.r);
    return c_make(m * c, m * s);
}

__constant__ double rs_an[10] = {2.758402e-01, 2.245740e-01, 1.594149e-01, 9.866577e-02, 5.324414e-02,
                                 2.505215e-02, 1.027747e-02, 3.676164e-03, 1.146494e-03, 3.117570e-04};
__constant__ double rs_neg1n[10] = {-1., 1., -1., 1., -1., 1., -1., 1., -1., 1.};
__constant__ double rs_denleft[10] = {9.869604e+00, 3.947842e+01, 8.882644e+01, 1.579137e+02, 2.467401e+02,
                                      3.553058e+02, 4.836106e+02, 6.316547e+02, 7.994380e+02, 9.869604e+02};

__device__ __noinline__ rs_complex rs_faddeeva(rs_complex Z)
{
    if (Z.r * Z.r + Z.i * Z.i < 36.0) {
        const rs_complex Z2 = c_make(-12.0 * Z.i, 12.0 * Z.r);                 // 12 i Z
        const rs_complex prefactor = c_exp(Z2);
        const rs_complex zz = c_mul(Z, Z);
        rs_complex W = c_div(c_make(prefactor.i, 1.0 - prefactor.r), c_make(12.0 * Z.r, 12.0 * Z.i));   // i(1 - exp)/(12 Z)
        rs_complex sum = c_make(0.0, 0.0);
#pragma unroll 2
        for (int n = 0; n < 10; ++n) {
            const rs_complex top = c_make(rs_neg1n[n] * prefactor.r - 1.0, rs_neg1n[n] * prefactor.i);
            const rs_complex bot = c_make(rs_denleft[n] - 144.0 * zz.r, -144.0 * zz.i);
            const rs_complex q = c_div(top, bot);
            sum.r += rs_an[n] * q.r;
            sum.i += rs_an[n] * q.i;
        }
        const rs_complex iZ = c_make(-Z.i * 8.12434, Z.r * 8.12434);
        return c_add(W, c_mul(sum, iZ));
    }
    // three term asymptotic expansion
    const double a = 0.512424224754768462984202823134979415014943561548661637413182;
    const double b = 0.275255128608410950901357962647054304017026259671664935783653;
    const double c = 0.051765358792987823963876628425793170829107067780337219430904;
    const double d = 2.724744871391589049098642037352945695982973740328335064216346;
    const rs_complex zz = c_mul(Z, Z);
    const rs_complex t1 = c_div(c_make(a, 0.0), c_sub(zz, c_make(b, 0.0)));
    const rs_complex t2 = c_div(c_make(c, 0.0), c_sub(zz, c_make(d, 0.0)));
    return c_mul(c_make(-Z.i, Z.r), c_add(t1, t2));
}

#define RS_NUC 24
#define RS_WIN 100
#define RS_PPW 3

//! rsbench_multipole 40 128 buffer:poles:230400:uniform:0:1:51 buffer:windows:38400:uniform:0:1:52 buffer:pseudo:384:uniform:0:1:53 buffer:query:40960:uniform:0:1:54 buffer:xs:163840:zero f64:0.45
extern "C" __global__ void
rsbench_multipole(const float *__restrict__ poles, const float *__restrict__ windows, const float *__restrict__ pseudo,
                  const float2 *__restrict__ query, rs_xs *__restrict__ xs_out, double doppler)
{
    const int tid = blockIdx.x * blockDim.x + threadIdx.x;
    const float2 q = query[tid];
    const double E = fmin(0.999, fmax(0.001, (double)q.x));
    const double rsqE = rsqrt(E);
    const double sqE = E * rsqE;
    const int mat = (int)(q.y * 6.0f);
    const int nnuc = (mat == 0) ? 6 : 3 + (mat & 1);
    double sum_t = 0.0, sum_a = 0.0, sum_f = 0.0, sum_e = 0.0;

    for (int k = 0; k < nnuc; ++k) {
        const int nuc = (mat * 5 + k * 7) % RS_NUC;
        rs_complex sigTfactor[4];
#pragma unroll
        for (int l = 0; l < 4; ++l) {                      // neutron phase shift of wave l
            double phi = (0.5 + pseudo[nuc * 4 + l]) * sqE;
            if (l == 1) phi -= atan(phi);
            else if (l == 2) phi -= atan(3.0 * phi / (3.0 - phi * phi));
            else if (l == 3) phi -= atan(phi * (15.0 - phi * phi) / (15.0 - 6.0 * phi * phi));
            double s, c;
            sincos(2.0 * phi, &s, &c);
            sigTfactor[l] = c_make(c, -s);
        }
        const int w = min((int)(E * RS_WIN), RS_WIN - 1);
        const float *__restrict__ win = windows + (nuc * RS_WIN + w) * 4;
        double sigT = E * win[0], sigA = E * win[1], sigF = E * win[2];
        const double dop = doppler * (1.0 + 0.1 * win[3]);
        const double rdop = 1.0 / dop;
        for (int i = 0; i < RS_PPW; ++i) {
            const float *__restrict__ p = poles + ((nuc * RS_WIN + w) * RS_PPW + i) * 8;
            const rs_complex MP_EA = c_make(p[0], 0.05 + 0.2 * p[1]);
            const rs_complex Z = c_make((sqE - MP_EA.r) * 20.0 * rdop, MP_EA.i * 20.0 * rdop);
            const rs_complex fad = rs_faddeeva(Z);
            const rs_complex psi = c_make(fad.r * rdop, fad.i * rdop);
            const int l = (int)(p[7] * 4.0f) & 3;
            const rs_complex t = l == 0 ? sigTfactor[0] : l == 1 ? sigTfactor[1] : l == 2 ? sigTfactor[2] : sigTfactor[3];
            sigT += c_mul(c_make(p[2], p[3]), c_mul(t, psi)).r;
            sigA += c_mul(c_make(p[4], p[5]), psi).r;
            sigF += p[6] * psi.r - 0.1 * p[5] * psi.i;
        }
        const double num_dens = 0.02 * (k + 1);
        sum_t += sigT * num_dens;
        sum_a += sigA * num_dens;
        sum_f += sigF * num_dens;
        sum_e += (sigT - sigA) * num_dens;
    }
    rs_xs o;
    o.t = sum_t; o.a = sum_a; o.f = sum_f; o.e = sum_e;
    xs_out[tid] = o;
}

// ---------------------------------------------------------------------------------------------------------
// Quicksilver-like: history based Monte Carlo tracking with facet crossing, collision, and integer tallies
// ---------------------------------------------------------------------------------------------------------
#define QS_N 16

__device__ __forceinline__ unsigned long long qs_spawn(unsigned long long &parent)
{
    // one hashed child seed and a step of the parent's stream
    unsigned long long z = parent + 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    parent = 2862933555777941757ULL * parent + 3037000493ULL;
    return z ^ (z >> 31);
}
__device__ __forceinline__ double qs_sample(unsigned long long *seed)
{
    *seed = 2862933555777941757ULL * (*seed) + 3037000493ULL;
    return 5.4210108624275222e-20 * (double)(*seed);
}

enum qs_event { QS_COLLISION = 0, QS_FACET = 1, QS_CENSUS = 2 };

//! quicksilver_tracking 128 64 buffer:seeds:64KiB:hash_i32:61 buffer:material:16KiB:hash_i32:62 buffer:sigma:1KiB:uniform:0:1:63 buffer:scalarflux:32KiB:zero buffer:balance:1KiB:zero buffer:endstate:128KiB:zero i32:14 f64:6.0
extern "C" __global__ void
quicksilver_tracking(const int2 *__restrict__ seeds, const int *__restrict__ material, const float *__restrict__ sigma,
                     unsigned long long *__restrict__ scalarflux, unsigned int *__restrict__ balance,
                     double2 *__restrict__ endstate, int max_segments, double census)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    const int2 w = seeds[p];
    unsigned long long seed = ((unsigned long long)(unsigned)w.x << 32) | (unsigned)w.y;
    unsigned long long child = qs_spawn(seed);

    double3 pos;
    pos.x = QS_N * qs_sample(&child);
    pos.y = QS_N * qs_sample(&child);
    pos.z = QS_N * qs_sample(&child);
    int cx = min((int)pos.x, QS_N - 1), cy = min((int)pos.y, QS_N - 1), cz = min((int)pos.z, QS_N - 1);
    double mu = 1.0 - 2.0 * qs_sample(&child);
    double sn, cs;
    sincospi(2.0 * qs_sample(&child), &sn, &cs);
    double sinT = sqrt(fmax(0.0, 1.0 - mu * mu));
    double3 dir = make_double3(sinT * cs, sinT * sn, mu);
    double energy = 1.0e-9 + 20.0 * qs_sample(&child);
    double weight = 1.0, t_left = census;
    double mfp_left = -log(qs_sample(&child) + 1.0e-300);
    int nseg = 0;
    bool alive = true;

    while (alive && nseg < max_segments) {
        ++nseg;
        const int cell = (cz * QS_N + cy) * QS_N + cx;
        const int mat = material[cell] & 7;
        int group = (int)(log2(energy + 1.0) * 7.0);
        group = min(max(group, 0), 31);
        const double sig_tot = 0.05 + sigma[mat * 32 + group];

        const double d_coll = mfp_left / sig_tot;
        const double d_census = t_left * (1.0 + 0.5 * sqrt(energy));
        double d_facet = 1.0e30;
        int facet = -1;
        {
            const double o[3] = {pos.x, pos.y, pos.z}, u[3] = {dir.x, dir.y, dir.z};
            const int c[3] = {cx, cy, cz};
#pragma unroll
            for (int a = 0; a < 3; ++a) {
                if (fabs(u[a]) > 1.0e-12) {
                    const double plane = u[a] > 0.0 ? c[a] + 1.0 : (double)c[a];
                    const double d = fmax(0.0, (plane - o[a]) / u[a]);
                    if (d < d_facet) { d_facet = d; facet = 2 * a + (u[a] > 0.0); }
                }
            }
        }
        qs_event ev = QS_FACET;
        double dist = d_facet;
        if (d_coll < dist) { dist = d_coll; ev = QS_COLLISION; }
        if (d_census < dist) { dist = d_census; ev = QS_CENSUS; }

        pos.x += dist * dir.x; pos.y += dist * dir.y; pos.z += dist * dir.z;
        mfp_left -= dist * sig_tot;
        t_left -= dist / (1.0 + 0.5 * sqrt(energy));
        atomicAdd(&scalarflux[cell], (unsigned long long)(dist * weight * 1048576.0 + 0.5));

        if (ev == QS_COLLISION) {
            atomicAdd(&balance[mat * 4 + 0], 1u);
            const double r = qs_sample(&seed);
            if (r < 0.12) {                                  // absorption
                atomicAdd(&balance[mat * 4 + 1], 1u);
                alive = false;
            } else {
                if (r < 0.2) { weight *= 1.4; energy = 2.0 + 10.0 * qs_sample(&seed); atomicAdd(&balance[mat * 4 + 2], 1u); }
                else energy *= 0.3 + 0.7 * qs_sample(&seed);
                mu = 1.0 - 2.0 * qs_sample(&seed);
                sincospi(2.0 * qs_sample(&seed), &sn, &cs);
                // rotate the flight direction by the scattering angle
                sinT = sqrt(fmax(0.0, 1.0 - mu * mu));
                const double s2 = sqrt(fmax(1.0e-14, 1.0 - dir.z * dir.z));
                const double inv = 1.0 / s2;
                const double nx = mu * dir.x + sinT * (dir.x * dir.z * cs - dir.y * sn) * inv;
                const double ny = mu * dir.y + sinT * (dir.y * dir.z * cs + dir.x * sn) * inv;
                const double nz = mu * dir.z - sinT * cs * s2;
                const double len = rsqrt(nx * nx + ny * ny + nz * nz + 1.0e-30);
                dir = make_double3(nx * len, ny * len, nz * len);
                mfp_left = -log(qs_sample(&seed) + 1.0e-300);
            }
        } else if (ev == QS_FACET) {
            const int a = facet >> 1, step = (facet & 1) ? 1 : -1;
            int *c = a == 0 ? &cx : a == 1 ? &cy : &cz;
            double *d = a == 0 ? &dir.x : a == 1 ? &dir.y : &dir.z;
            const int nxt = *c + step;
            if (nxt < 0 || nxt >= QS_N) {
                if (a == 2) { alive = false; atomicAdd(&balance[mat * 4 + 3], 1u); }     // escapes through z
                else *d = -*d;                                                            // reflects elsewhere
            } else *c = nxt;
        } else alive = false;

        if (alive && weight < 0.4) { if (qs_sample(&seed) < 0.5) alive = false; else weight *= 2.0; }   // roulette
    }
    atomicMax(&balance[64], (unsigned)nseg);
    endstate[p] = make_double2(energy * weight, t_left);
}

// ---------------------------------------------------------------------------------------------------------
// SW4lite-like: fourth order elastic wave right hand side with variable Lame parameters, 13-point directions
// ---------------------------------------------------------------------------------------------------------
#define SW_NI 68
#define SW_NJ 52
#define SW_NK 36
#define SW_U(c, i, j, k) __ldg(&u[(((c) * SW_NK + (k)) * SW_NJ + (j)) * SW_NI + (i)])
#define SW_MU(i, j, k) (0.5f + __ldg(&mu[((k) * SW_NJ + (j)) * SW_NI + (i)]))
#define SW_LA(i, j, k) (0.8f + __ldg(&la[((k) * SW_NJ + (j)) * SW_NI + (i)]))

struct sw4_avg { float m1, m2, m3, m4; };

__device__ __forceinline__ sw4_avg sw4_half(float a, float b, float c, float d, float e)
{
    sw4_avg r;
    r.m1 = b - 0.75f * (c + a);
    r.m2 = a + d + 3.0f * (c + b);
    r.m3 = b + e + 3.0f * (d + c);
    r.m4 = d - 0.75f * (c + e);
    return r;
}

__device__ __forceinline__ float sw4_dd(const sw4_avg &m, float a, float b, float c, float d, float e)
{
    return (1.0f / 6.0f) * (m.m1 * (a - c) + m.m2 * (b - c) + m.m3 * (d - c) + m.m4 * (e - c));
}

__device__ __forceinline__ float sw4_d1(float m2, float m1, float p1, float p2)
{
    return m2 - 8.0f * m1 + 8.0f * p1 - p2;
}

//! sw4_rhs4_curv 4x12x8 16x4x4 buffer:u:1527552:uniform:0:1:71 buffer:mu:509184:uniform:0:1:72 buffer:la:509184:uniform:0:1:73 buffer:lu:1527552:zero f32:2.5
extern "C" __global__ void __launch_bounds__(256)
sw4_rhs4_curv(const float *__restrict__ u, const float *__restrict__ mu, const float *__restrict__ la,
              float *__restrict__ lu, float cof)
{
    const int i = 2 + blockIdx.x * blockDim.x + threadIdx.x;
    const int j = 2 + blockIdx.y * blockDim.y + threadIdx.y;
    const int k = 2 + blockIdx.z * blockDim.z + threadIdx.z;
    if (i >= SW_NI - 2 || j >= SW_NJ - 2 || k >= SW_NK - 2) return;
    const float i144 = 1.0f / 144.0f;

    float mx[5], my[5], mz[5], lx[5], ly[5], lz[5];
#pragma unroll
    for (int q = 0; q < 5; ++q) {
        mx[q] = SW_MU(i + q - 2, j, k); lx[q] = SW_LA(i + q - 2, j, k);
        my[q] = SW_MU(i, j + q - 2, k); ly[q] = SW_LA(i, j + q - 2, k);
        mz[q] = SW_MU(i, j, k + q - 2); lz[q] = SW_LA(i, j, k + q - 2);
    }
    const sw4_avg hx = sw4_half(mx[0], mx[1], mx[2], mx[3], mx[4]);
    const sw4_avg hy = sw4_half(my[0], my[1], my[2], my[3], my[4]);
    const sw4_avg hz = sw4_half(mz[0], mz[1], mz[2], mz[3], mz[4]);
    const sw4_avg px = sw4_half(2 * mx[0] + lx[0], 2 * mx[1] + lx[1], 2 * mx[2] + lx[2], 2 * mx[3] + lx[3], 2 * mx[4] + lx[4]);
    const sw4_avg py = sw4_half(2 * my[0] + ly[0], 2 * my[1] + ly[1], 2 * my[2] + ly[2], 2 * my[3] + ly[3], 2 * my[4] + ly[4]);
    const sw4_avg pz = sw4_half(2 * mz[0] + lz[0], 2 * mz[1] + lz[1], 2 * mz[2] + lz[2], 2 * mz[3] + lz[3], 2 * mz[4] + lz[4]);

    float r[3];
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        const float u0 = SW_U(c, i, j, k);
        r[c] = sw4_dd(c == 0 ? px : hx, SW_U(c, i - 2, j, k), SW_U(c, i - 1, j, k), u0, SW_U(c, i + 1, j, k), SW_U(c, i + 2, j, k)) +
               sw4_dd(c == 1 ? py : hy, SW_U(c, i, j - 2, k), SW_U(c, i, j - 1, k), u0, SW_U(c, i, j + 1, k), SW_U(c, i, j + 2, k)) +
               sw4_dd(c == 2 ? pz : hz, SW_U(c, i, j, k - 2), SW_U(c, i, j, k - 1), u0, SW_U(c, i, j, k + 1), SW_U(c, i, j, k + 2));
    }

    // mixed derivatives: d_a( la d_b u_b ) in component a and d_b( mu d_a u_b ), for the three pairs of axes
#define SW_ROW_Y(c, ii) sw4_d1(SW_U(c, ii, j - 2, k), SW_U(c, ii, j - 1, k), SW_U(c, ii, j + 1, k), SW_U(c, ii, j + 2, k))
#define SW_ROW_Z(c, ii) sw4_d1(SW_U(c, ii, j, k - 2), SW_U(c, ii, j, k - 1), SW_U(c, ii, j, k + 1), SW_U(c, ii, j, k + 2))
#define SW_COL_Z(c, jj) sw4_d1(SW_U(c, i, jj, k - 2), SW_U(c, i, jj, k - 1), SW_U(c, i, jj, k + 1), SW_U(c, i, jj, k + 2))
    {   // x-y
        const float a0 = SW_ROW_Y(0, i - 2), a1 = SW_ROW_Y(0, i - 1), a3 = SW_ROW_Y(0, i + 1), a4 = SW_ROW_Y(0, i + 2);
        const float b0 = SW_ROW_Y(1, i - 2), b1 = SW_ROW_Y(1, i - 1), b3 = SW_ROW_Y(1, i + 1), b4 = SW_ROW_Y(1, i + 2);
        r[0] += i144 * sw4_d1(lx[0] * b0, lx[1] * b1, lx[3] * b3, lx[4] * b4) + i144 * my[2] * sw4_d1(b0, b1, b3, b4);
        r[1] += i144 * sw4_d1(mx[0] * a0, mx[1] * a1, mx[3] * a3, mx[4] * a4) + i144 * ly[2] * sw4_d1(a0, a1, a3, a4);
    }
    {   // x-z
        const float a0 = SW_ROW_Z(0, i - 2), a1 = SW_ROW_Z(0, i - 1), a3 = SW_ROW_Z(0, i + 1), a4 = SW_ROW_Z(0, i + 2);
        const float b0 = SW_ROW_Z(2, i - 2), b1 = SW_ROW_Z(2, i - 1), b3 = SW_ROW_Z(2, i + 1), b4 = SW_ROW_Z(2, i + 2);
        r[0] += i144 * sw4_d1(lx[0] * b0, lx[1] * b1, lx[3] * b3, lx[4] * b4) + i144 * mz[2] * sw4_d1(b0, b1, b3, b4);
        r[2] += i144 * sw4_d1(mx[0] * a0, mx[1] * a1, mx[3] * a3, mx[4] * a4) + i144 * lz[2] * sw4_d1(a0, a1, a3, a4);
    }
    {   // y-z
        const float a0 = SW_COL_Z(1, j - 2), a1 = SW_COL_Z(1, j - 1), a3 = SW_COL_Z(1, j + 1), a4 = SW_COL_Z(1, j + 2);
        const float b0 = SW_COL_Z(2, j - 2), b1 = SW_COL_Z(2, j - 1), b3 = SW_COL_Z(2, j + 1), b4 = SW_COL_Z(2, j + 2);
        r[1] += i144 * sw4_d1(ly[0] * b0, ly[1] * b1, ly[3] * b3, ly[4] * b4) + i144 * mz[2] * sw4_d1(b0, b1, b3, b4);
        r[2] += i144 * sw4_d1(my[0] * a0, my[1] * a1, my[3] * a3, my[4] * a4) + i144 * lz[2] * sw4_d1(a0, a1, a3, a4);
    }
#pragma unroll
    for (int c = 0; c < 3; ++c) lu[((c * SW_NK + k) * SW_NJ + j) * SW_NI + i] = cof * r[c];
}

// ---------------------------------------------------------------------------------------------------------
// SNAP-like: KBA wavefront sweep of one octant tile, diamond differences with negative flux fixup
// ---------------------------------------------------------------------------------------------------------
#define SN_J 8
#define SN_K 8
#define SN_I 32

//! snap_dd_sweep 12x8 8x8 buffer:qtot:786432:uniform:0:1:81 buffer:sigt:98304:uniform:0:1:82 buffer:psi:1572864:zero buffer:leak:768:zero f64:1.8 f64:1.0e-12
extern "C" __global__ void __launch_bounds__(64)
snap_dd_sweep(const float *__restrict__ qtot, const float *__restrict__ sigt, double *__restrict__ psi_out,
              double *__restrict__ leak, double hscale, double tolr)
{
    __shared__ double edge_j[2][SN_K][SN_J];
    __shared__ double edge_k[2][SN_K][SN_J];
    __shared__ double s_leak[SN_J * SN_K];
    const int group = blockIdx.x, ang = blockIdx.y;
    const int j = threadIdx.x, k = threadIdx.y, lane = k * SN_J + j;
    const int blk = ang * gridDim.x + group;

    // a level symmetric like direction
    const double mu = (2 * ang + 1) / 17.0;
    const double eta = sqrt((1.0 - mu * mu) * (0.25 + 0.5 * ((ang * 3) & 7) / 8.0));
    const double xi = sqrt(1.0 - mu * mu - eta * eta);
    const double hi = hscale * mu, hj = hscale * eta, hk = hscale * xi;

    double psii = 0.5;                                       // incoming x edge
    double leakage = 0.0;
    edge_j[0][k][j] = 0.0; edge_j[1][k][j] = 0.0;
    edge_k[0][k][j] = 0.0; edge_k[1][k][j] = 0.0;
    __syncthreads();

    for (int step = 0; step < SN_I + SN_J + SN_K - 2; ++step) {
        const int i = step - j - k;
        const int rd = step & 1, wr = rd ^ 1;
        double out_j = 0.0, out_k = 0.0;
        const bool active = (i >= 0 && i < SN_I);
        if (active) {
            const double psij = j == 0 ? 0.25 : edge_j[rd][k][j - 1];
            const double psik = k == 0 ? 0.125 : edge_k[rd][k - 1][j];
            const int cell = (i * SN_K + k) * SN_J + j;
            const double st = 0.3 + 2.0 * sigt[group * (SN_I * SN_J * SN_K) + cell];
            const double q = 0.4 * qtot[blk * (SN_I * SN_J * SN_K) + cell];

            double hv_i = 1.0, hv_j = 1.0, hv_k = 1.0;
            double pc = (q + psii * hi + psij * hj + psik * hk) / (st + hi + hj + hk);
            double fi = 2.0 * pc - psii, fj = 2.0 * pc - psij, fk = 2.0 * pc - psik;
#pragma unroll 1
            for (int pass = 0; pass < 3; ++pass) {
                const bool bi = fi < 0.0 && hv_i > 0.5, bj = fj < 0.0 && hv_j > 0.5, bk = fk < 0.0 && hv_k > 0.5;
                if (!(bi || bj || bk)) break;
                if (bi) hv_i = 0.0;
                if (bj) hv_j = 0.0;
                if (bk) hv_k = 0.0;
                const double num = q + 0.5 * (psii * hi * (1.0 + hv_i) + psij * hj * (1.0 + hv_j) + psik * hk * (1.0 + hv_k));
                const double den = st + hi * hv_i + hj * hv_j + hk * hv_k;
                pc = den > tolr ? num / den : 0.0;
                fi = (2.0 * pc - psii) * hv_i;
                fj = (2.0 * pc - psij) * hv_j;
                fk = (2.0 * pc - psik) * hv_k;
            }
            psii = fi;
            out_j = fj;
            out_k = fk;
            psi_out[(size_t)blk * (SN_I * SN_J * SN_K) + cell] = pc;
            if (j == SN_J - 1) leakage += hj * fj;
            if (k == SN_K - 1) leakage += hk * fk;
            if (i == SN_I - 1) leakage += hi * fi;
        }
        edge_j[wr][k][j] = out_j;
        edge_k[wr][k][j] = out_k;
        __syncthreads();
    }
    s_leak[lane] = leakage;
    __syncthreads();
#pragma unroll
    for (int s = 32; s > 0; s >>= 1) {
        if (lane < s) s_leak[lane] += s_leak[lane + s];
        __syncthreads();
    }
    if (lane == 0) leak[blk] = s_leak[0];
}

// ---------------------------------------------------------------------------------------------------------
// Nek / libParanumal-like: Helmholtz operator on spectral elements of degree 7, two elements a block
// ---------------------------------------------------------------------------------------------------------
#define p_Nq 8
#define p_Np 512
#define p_Nggeo 7

//! nek_axhelm_hex3d_n7 256 8x8x2 buffer:D:256:uniform:0:1:91 buffer:ggeo:7340032:uniform:0:1:92 buffer:q:1MiB:uniform:0:1:93 buffer:lambda:2MiB:uniform:0:1:94 buffer:Aq:2MiB:zero i32:512
extern "C" __global__ void __launch_bounds__(128)
nek_axhelm_hex3d_n7(const float *__restrict__ D, const float *__restrict__ ggeo, const float *__restrict__ q,
                    const float *__restrict__ lambda, double *__restrict__ Aq, int Nelements)
{
    __shared__ double s_D[p_Nq][p_Nq + 1];
    __shared__ double s_q[2][p_Nq][p_Nq];
    __shared__ double s_Gqr[2][p_Nq][p_Nq];
    __shared__ double s_Gqs[2][p_Nq][p_Nq];
    const int i = threadIdx.x, j = threadIdx.y, es = threadIdx.z;
    const int e = blockIdx.x * 2 + es;
    const bool valid = e < Nelements;
    const int base = (valid ? e : Nelements - 1) * p_Np;

    if (es == 0) s_D[j][i] = (double)D[j * p_Nq + i] - 0.5;
    double r_q[p_Nq], r_Aq[p_Nq];
#pragma unroll
    for (int k = 0; k < p_Nq; ++k) {
        r_q[k] = q[base + k * p_Nq * p_Nq + j * p_Nq + i];
        r_Aq[k] = 0.0;
    }
    __syncthreads();

#pragma unroll
    for (int k = 0; k < p_Nq; ++k) {
        const int id = k * p_Nq * p_Nq + j * p_Nq + i;
        const float *__restrict__ g = ggeo + (size_t)base * p_Nggeo + id;
        const double G00 = 1.0 + g[0 * p_Np], G01 = 0.1 * g[1 * p_Np], G02 = 0.1 * g[2 * p_Np];
        const double G11 = 1.0 + g[3 * p_Np], G12 = 0.1 * g[4 * p_Np], G22 = 1.0 + g[5 * p_Np];
        const double GwJ = 0.5 + g[6 * p_Np];
        const double lam0 = 1.0 + lambda[base + id];
        const double lam1 = 0.1 * lambda[base + id + p_Np * Nelements];

        __syncthreads();
        s_q[es][j][i] = r_q[k];
        double qt = 0.0;
#pragma unroll
        for (int m = 0; m < p_Nq; ++m) qt += s_D[k][m] * r_q[m];
        __syncthreads();

        double qr = 0.0, qs = 0.0;
#pragma unroll
        for (int m = 0; m < p_Nq; ++m) {
            qr += s_D[i][m] * s_q[es][j][m];
            qs += s_D[j][m] * s_q[es][m][i];
        }
        s_Gqr[es][j][i] = lam0 * (G00 * qr + G01 * qs + G02 * qt);
        s_Gqs[es][j][i] = lam0 * (G01 * qr + G11 * qs + G12 * qt);
        const double Gqt = lam0 * (G02 * qr + G12 * qs + G22 * qt);
        r_Aq[k] += GwJ * lam1 * r_q[k];
        __syncthreads();

        double acc = 0.0;
#pragma unroll
        for (int m = 0; m < p_Nq; ++m) {
            acc += s_D[m][i] * s_Gqr[es][j][m];
            acc += s_D[m][j] * s_Gqs[es][m][i];
            r_Aq[m] += s_D[k][m] * Gqt;
        }
        r_Aq[k] += acc;
    }
    if (valid) {
#pragma unroll
        for (int k = 0; k < p_Nq; ++k) Aq[base + k * p_Nq * p_Nq + j * p_Nq + i] = r_Aq[k];
    }
}

// ---------------------------------------------------------------------------------------------------------
// QUDA-like: Wilson dslash in single precision, two-row compressed links, spin projection
// ---------------------------------------------------------------------------------------------------------
#define DS_X 16
#define DS_Y 16
#define DS_Z 8
#define DS_T 8
#define DS_V (DS_X * DS_Y * DS_Z * DS_T)

typedef float2 cf;
__device__ __forceinline__ cf cf_fma(cf a, cf b, cf c) { c.x += a.x * b.x - a.y * b.y; c.y += a.x * b.y + a.y * b.x; return c; }
__device__ __forceinline__ cf cf_fmac(cf a, cf b, cf c) { c.x += a.x * b.x + a.y * b.y; c.y += a.x * b.y - a.y * b.x; return c; }  // conj(a) b + c
__device__ __forceinline__ cf cf_muli(cf a, int s) { return s > 0 ? make_float2(-a.y, a.x) : make_float2(a.y, -a.x); }
__device__ __forceinline__ cf cf_add(cf a, cf b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ cf cf_scale(float s, cf a) { return make_float2(s * a.x, s * a.y); }

struct su3_link { cf m[3][3]; };

__device__ __forceinline__ su3_link load_link12(const float2 *__restrict__ gauge, int dir, int site, float u0)
{
    su3_link U;
#pragma unroll
    for (int r = 0; r < 2; ++r)
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            const float2 v = __ldg(&gauge[(dir * 6 + r * 3 + c) * DS_V + site]);
            U.m[r][c] = make_float2(v.x - 0.5f, v.y - 0.5f);
        }
#pragma unroll
    for (int c = 0; c < 3; ++c) {          // third row = conj(row0 x row1)
        const cf a = U.m[0][(c + 1) % 3], b = U.m[1][(c + 2) % 3], p = U.m[0][(c + 2) % 3], q = U.m[1][(c + 1) % 3];
        const float re = (a.x * b.x - a.y * b.y) - (p.x * q.x - p.y * q.y);
        const float im = (a.x * b.y + a.y * b.x) - (p.x * q.y + p.y * q.x);
        U.m[2][c] = make_float2(u0 * re, -u0 * im);
    }
    return U;
}

// one direction: project (1 -+ gamma_dir), multiply by the link or its adjoint, reconstruct and add
template <int DIR, int SIGN>
__device__ __forceinline__ void dslash_hop(cf (&out)[4][3], const float2 *__restrict__ spinor, const su3_link &U, int nbr, float bc)
{
    cf h0[3], h1[3];
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        const cf s0 = __ldg(&spinor[(0 * 3 + c) * DS_V + nbr]), s1 = __ldg(&spinor[(1 * 3 + c) * DS_V + nbr]);
        const cf s2 = __ldg(&spinor[(2 * 3 + c) * DS_V + nbr]), s3 = __ldg(&spinor[(3 * 3 + c) * DS_V + nbr]);
        if (DIR == 0)      { h0[c] = cf_add(s0, cf_muli(s3, SIGN)); h1[c] = cf_add(s1, cf_muli(s2, SIGN)); }
        else if (DIR == 1) { h0[c] = cf_add(s0, cf_scale(-SIGN, s3)); h1[c] = cf_add(s1, cf_scale(SIGN, s2)); }
        else if (DIR == 2) { h0[c] = cf_add(s0, cf_muli(s2, SIGN)); h1[c] = cf_add(s1, cf_muli(s3, -SIGN)); }
        else               { h0[c] = cf_add(s0, cf_scale(SIGN, s2)); h1[c] = cf_add(s1, cf_scale(SIGN, s3)); }
    }
#pragma unroll
    for (int r = 0; r < 3; ++r) {
        cf a = make_float2(0.f, 0.f), b = make_float2(0.f, 0.f);
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            if (SIGN > 0) { a = cf_fmac(U.m[c][r], h0[c], a); b = cf_fmac(U.m[c][r], h1[c], b); }
            else          { a = cf_fma(U.m[r][c], h0[c], a);  b = cf_fma(U.m[r][c], h1[c], b); }
        }
        a = cf_scale(bc, a);
        b = cf_scale(bc, b);
        out[0][r] = cf_add(out[0][r], a);
        out[1][r] = cf_add(out[1][r], b);
        if (DIR == 0)      { out[2][r] = cf_add(out[2][r], cf_muli(b, -SIGN)); out[3][r] = cf_add(out[3][r], cf_muli(a, -SIGN)); }
        else if (DIR == 1) { out[2][r] = cf_add(out[2][r], cf_scale(SIGN, b)); out[3][r] = cf_add(out[3][r], cf_scale(-SIGN, a)); }
        else if (DIR == 2) { out[2][r] = cf_add(out[2][r], cf_muli(a, -SIGN)); out[3][r] = cf_add(out[3][r], cf_muli(b, SIGN)); }
        else               { out[2][r] = cf_add(out[2][r], cf_scale(SIGN, a)); out[3][r] = cf_add(out[3][r], cf_scale(SIGN, b)); }
    }
}

//! quda_wilson_dslash12 256 64 buffer:gauge:3MiB:uniform:0:1:101 buffer:spinor:1536KiB:uniform:0:1:102 buffer:out:1536KiB:zero f32:0.137 f32:1.05
extern "C" __global__ void __launch_bounds__(64)
quda_wilson_dslash12(const float2 *__restrict__ gauge, const float2 *__restrict__ spinor, float2 *__restrict__ outv,
                     float kappa, float u0)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= DS_V) return;
    const int x = s % DS_X, y = (s / DS_X) % DS_Y, z = (s / (DS_X * DS_Y)) % DS_Z, t = s / (DS_X * DS_Y * DS_Z);
    cf acc[4][3];
#pragma unroll
    for (int sp = 0; sp < 4; ++sp)
#pragma unroll
        for (int c = 0; c < 3; ++c) acc[sp][c] = make_float2(0.f, 0.f);

    const int sy = DS_X, sz = DS_X * DS_Y, st = DS_X * DS_Y * DS_Z;
    int f, b;
    f = x == DS_X - 1 ? s - (DS_X - 1) : s + 1;
    b = x == 0 ? s + (DS_X - 1) : s - 1;
    dslash_hop<0, -1>(acc, spinor, load_link12(gauge, 0, s, u0), f, 1.f);
    dslash_hop<0, 1>(acc, spinor, load_link12(gauge, 0, b, u0), b, 1.f);
    f = y == DS_Y - 1 ? s - (DS_Y - 1) * sy : s + sy;
    b = y == 0 ? s + (DS_Y - 1) * sy : s - sy;
    dslash_hop<1, -1>(acc, spinor, load_link12(gauge, 1, s, u0), f, 1.f);
    dslash_hop<1, 1>(acc, spinor, load_link12(gauge, 1, b, u0), b, 1.f);
    f = z == DS_Z - 1 ? s - (DS_Z - 1) * sz : s + sz;
    b = z == 0 ? s + (DS_Z - 1) * sz : s - sz;
    dslash_hop<2, -1>(acc, spinor, load_link12(gauge, 2, s, u0), f, 1.f);
    dslash_hop<2, 1>(acc, spinor, load_link12(gauge, 2, b, u0), b, 1.f);
    f = t == DS_T - 1 ? s - (DS_T - 1) * st : s + st;
    b = t == 0 ? s + (DS_T - 1) * st : s - st;
    dslash_hop<3, -1>(acc, spinor, load_link12(gauge, 3, s, u0), f, t == DS_T - 1 ? -1.f : 1.f);
    dslash_hop<3, 1>(acc, spinor, load_link12(gauge, 3, b, u0), b, t == 0 ? -1.f : 1.f);

#pragma unroll
    for (int sp = 0; sp < 4; ++sp)
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            const cf d = __ldg(&spinor[(sp * 3 + c) * DS_V + s]);
            outv[(sp * 3 + c) * DS_V + s] = make_float2(d.x - kappa * acc[sp][c].x, d.y - kappa * acc[sp][c].y);
        }
}

// ---------------------------------------------------------------------------------------------------------
// Climate physics: Kessler warm rain microphysics with sub-cycled rain sedimentation, one column a thread
// ---------------------------------------------------------------------------------------------------------
#define KS_NZ 32

//! kessler_column 64 64 buffer:theta:512KiB:uniform:0:1:111 buffer:qv:512KiB:uniform:0:1:112 buffer:qc:512KiB:uniform:0:1:113 buffer:qr:512KiB:uniform:0:1:114 buffer:outth:512KiB:zero buffer:outq:1536KiB:zero buffer:precip:16KiB:zero i32:4096 f32:30.0
extern "C" __global__ void
kessler_column(const float *__restrict__ theta_in, const float *__restrict__ qv_in, const float *__restrict__ qc_in,
               const float *__restrict__ qr_in, float *__restrict__ theta_out, float *__restrict__ q_out,
               float *__restrict__ precip, int ncol, float dt)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= ncol) return;
    const float psl = 1000.0f, cp = 1003.0f, lv = 2.5e6f, rhoqr = 1000.0f;
    const float dz = 400.0f, xk = 0.2875f;
    float qr[KS_NZ], velqr[KS_NZ], rho[KS_NZ];

    float dt_max = dt;
    const float rho0 = 1.18f;
    for (int k = 0; k < KS_NZ; ++k) {
        const float z = dz * (k + 0.5f);
        rho[k] = rho0 * __expf(-z * (1.0f / 9000.0f));
        qr[k] = fmaxf(0.0f, 4.0e-3f * (qr_in[k * ncol + col] - 0.55f));
        velqr[k] = qr[k] > 1.0e-10f ? 36.34f * powf(qr[k] * rho[k] * 0.001f, 0.1364f) * sqrtf(rho0 / rho[k]) : 0.0f;
        if (velqr[k] > 0.0f) dt_max = fminf(dt_max, 0.8f * dz / velqr[k]);
    }
    int rainsplit = (int)ceilf(dt / dt_max);
    rainsplit = max(1, min(rainsplit, 3));
    const float dt0 = dt / rainsplit;

    float rain = 0.0f;
    for (int nt = 0; nt < rainsplit; ++nt) {
        rain += rho[0] * qr[0] * velqr[0] * dt0 / rhoqr;
        for (int k = 0; k < KS_NZ - 1; ++k) {
            const float sed = dt0 * (rho[k + 1] * qr[k + 1] * velqr[k + 1] - rho[k] * qr[k] * velqr[k]) / (rho[k] * dz);
            qr[k] = fmaxf(0.0f, qr[k] + sed);
        }
        qr[KS_NZ - 1] = fmaxf(0.0f, qr[KS_NZ - 1] - dt0 * qr[KS_NZ - 1] * velqr[KS_NZ - 1] / (0.5f * dz));
        if (nt + 1 < rainsplit)
            for (int k = 0; k < KS_NZ; ++k)
                velqr[k] = qr[k] > 1.0e-10f ? 36.34f * powf(qr[k] * rho[k] * 0.001f, 0.1364f) * sqrtf(rho0 / rho[k]) : 0.0f;
    }

    for (int k = 0; k < KS_NZ; ++k) {
        const int id = k * ncol + col;
        const float z = dz * (k + 0.5f);
        const float p = psl * __expf(-z * (1.0f / 8000.0f));
        const float pk = powf(p / psl, xk);
        float theta = 295.0f + 0.0035f * z + 3.0f * (theta_in[id] - 0.5f);
        float qc = fmaxf(0.0f, 2.0e-3f * (qc_in[id] - 0.4f));
        const float temp = pk * theta;
        // Teten's formula for saturation
        float qvs = 380.0f / (p * 100.0f) * expf(17.27f * (temp - 273.0f) / (temp - 36.0f));
        float qv = qvs * (0.7f + 0.5f * qv_in[id]);

        // autoconversion and accretion
        const float qrprod = qc - (qc - dt0 * fmaxf(0.001f * (qc - 0.001f), 0.0f)) / (1.0f + dt0 * 2.2f * powf(qr[k], 0.875f));
        qc = fmaxf(qc - qrprod, 0.0f);
        qr[k] = fmaxf(qr[k] + qrprod, 0.0f);

        // saturation adjustment
        const float f5 = 237.3f * 17.27f * lv / cp;
        const float den = temp - 36.0f;
        const float prod = (qv - qvs) / (1.0f + qvs * f5 / (den * den));

        // evaporation of rain
        float ern = 0.0f;
        if (qr[k] > 1.0e-9f && qvs > qv) {
            const float rq = 0.001f * rho[k] * qr[k] * 1000.0f;
            const float vent = 1.6f + 124.9f * powf(rq, 0.2046f);
            const float den2 = 2550000.0f * p / (3.8f * qvs * 1000.0f) + 540000.0f;
            ern = dt0 * ((vent * powf(rq, 0.525f)) / den2) * ((qvs - qv) / (rho[k] * qvs));
            ern = fminf(ern, fmaxf(-prod - qc, 0.0f));
            ern = fminf(ern, qr[k]);
        }
        const float cond = fmaxf(prod, -qc);
        theta += lv / (cp * pk) * (cond - ern);
        qv = fmaxf(qv - cond + ern, 0.0f);
        qc += cond;
        qr[k] -= ern;

        theta_out[id] = theta;
        q_out[id] = qv;
        q_out[id + ncol * KS_NZ] = qc;
        q_out[id + 2 * ncol * KS_NZ] = qr[k];
    }
    precip[col] = rain / dt;
}

// ---------------------------------------------------------------------------------------------------------
// RRTMGP-like: shortwave two-stream layers and the adding method, g-points across lanes, broadband by shuffle
// ---------------------------------------------------------------------------------------------------------
#define SWR_NLAY 18
#define SWR_NGPT 16
#define SWR_BCOL 6

//! rrtmgp_sw_adding 40 16x6 buffer:tau:276480:uniform:0:1:121 buffer:ssa:276480:uniform:0:1:122 buffer:asy:276480:uniform:0:1:123 buffer:mu0:960:uniform:0:1:124 buffer:flux:109440:zero i32:240
extern "C" __global__ void __launch_bounds__(SWR_NGPT *SWR_BCOL)
rrtmgp_sw_adding(const float *__restrict__ tau_in, const float *__restrict__ ssa_in, const float *__restrict__ asy_in,
                 const float *__restrict__ mu0_in, double *__restrict__ flux, int ncol)
{
    const int g = threadIdx.x;
    const int col = blockIdx.x * SWR_BCOL + threadIdx.y;
    double Rdif[SWR_NLAY], Tdif[SWR_NLAY], src_up[SWR_NLAY], src_dn[SWR_NLAY], dir[SWR_NLAY + 1];
    double albedo[SWR_NLAY + 1], src[SWR_NLAY + 1];

    const double mu0 = 0.15 + 0.8 * mu0_in[col];
    const double mu0_inv = 1.0 / mu0;
    dir[0] = mu0 * (1.0 + 0.1 * g);
    for (int lay = 0; lay < SWR_NLAY; ++lay) {
        const int id = (lay * ncol + col) * SWR_NGPT + g;
        const double tau = 0.01 + 0.5 * tau_in[id] * tau_in[id] * (1 + (g & 3));
        const double w0 = 0.02 + 0.95 * ssa_in[id];
        const double asy = 0.85 * asy_in[id];
        // Zdunkowski practical improved flux method coefficients
        const double gamma1 = (8.0 - w0 * (5.0 + 3.0 * asy)) * 0.25;
        const double gamma2 = 3.0 * (w0 * (1.0 - asy)) * 0.25;
        const double gamma3 = (2.0 - 3.0 * mu0 * asy) * 0.25;
        const double gamma4 = 1.0 - gamma3;
        const double alpha1 = gamma1 * gamma4 + gamma2 * gamma3;
        const double alpha2 = gamma1 * gamma3 + gamma2 * gamma4;
        const double k = sqrt(fmax((gamma1 - gamma2) * (gamma1 + gamma2), 1.0e-12));
        const double exp_minusktau = exp(-tau * k);
        const double exp_minus2ktau = exp_minusktau * exp_minusktau;
        const double rt_term = 1.0 / (k * (1.0 + exp_minus2ktau) + gamma1 * (1.0 - exp_minus2ktau));
        Rdif[lay] = rt_term * gamma2 * (1.0 - exp_minus2ktau);
        Tdif[lay] = rt_term * 2.0 * k * exp_minusktau;

        const double Tnoscat = exp(-tau * mu0_inv);
        const double k_mu = k * mu0;
        double x = 1.0 - k_mu * k_mu;
        if (fabs(x) < 1.0e-9) x = 1.0e-9;
        const double rt2 = w0 * rt_term / x;
        const double k_gamma3 = k * gamma3, k_gamma4 = k * gamma4;
        double Rdir = rt2 * ((1.0 - k_mu) * (alpha2 + k_gamma3) - (1.0 + k_mu) * (alpha2 - k_gamma3) * exp_minus2ktau -
                             2.0 * (k_gamma3 - alpha2 * k_mu) * exp_minusktau * Tnoscat);
        double Tdir = -rt2 * ((1.0 + k_mu) * (alpha1 + k_gamma4) * Tnoscat - (1.0 - k_mu) * (alpha1 - k_gamma4) * exp_minus2ktau * Tnoscat -
                              2.0 * (k_gamma4 + alpha1 * k_mu) * exp_minusktau);
        Rdir = fmax(0.0, fmin(Rdir, 1.0 - Tnoscat));
        Tdir = fmax(0.0, fmin(Tdir, 1.0 - Tnoscat - Rdir));
        src_up[lay] = Rdir * dir[lay];
        src_dn[lay] = Tdir * dir[lay];
        dir[lay + 1] = Tnoscat * dir[lay];
    }

    // upward: albedo and source seen from each level
    albedo[SWR_NLAY] = 0.12 + 0.01 * g;
    src[SWR_NLAY] = albedo[SWR_NLAY] * dir[SWR_NLAY];
    for (int lay = SWR_NLAY - 1; lay >= 0; --lay) {
        const double denom = 1.0 / (1.0 - Rdif[lay] * albedo[lay + 1]);
        albedo[lay] = Rdif[lay] + Tdif[lay] * Tdif[lay] * albedo[lay + 1] * denom;
        src[lay] = src_up[lay] + Tdif[lay] * denom * (src[lay + 1] + albedo[lay + 1] * src_dn[lay]);
    }

    // downward, and the sum over g-points at each level
    double fdn = 0.0;
    const unsigned mask = 0xffffffffu;
    for (int lev = 0; lev <= SWR_NLAY; ++lev) {
        if (lev > 0) {
            const double denom = 1.0 / (1.0 - Rdif[lev - 1] * albedo[lev]);
            fdn = (Tdif[lev - 1] * fdn + Rdif[lev - 1] * src[lev] + src_dn[lev - 1]) * denom;
        }
        double up = fdn * albedo[lev] + src[lev];
        double dn = fdn + dir[lev];
        double df = dir[lev];
#pragma unroll
        for (int o = 8; o > 0; o >>= 1) {
            up += __shfl_xor_sync(mask, up, o, 16);
            dn += __shfl_xor_sync(mask, dn, o, 16);
            df += __shfl_xor_sync(mask, df, o, 16);
        }
        if (g < 3) flux[(g * (SWR_NLAY + 1) + lev) * ncol + col] = g == 0 ? up : g == 1 ? dn : df;
    }
}

// ---------------------------------------------------------------------------------------------------------
// GROMACS-like: 8x4 cluster pair non-bonded kernel, super-clusters of 64 atoms, analytical Ewald real space
// part, fixed-point force accumulation for the j side
// ---------------------------------------------------------------------------------------------------------
#define NB_CI 8
#define NB_CL 8
#define NB_NSCI 176
#define NB_NTYPE 8
#define NB_NCJ 6

__device__ __forceinline__ float nb_pme_corr(float z2)
{
    // rational fit of the reciprocal space correction erf(x)/x derivative
    const float FN6 = -1.7357322914161492954e-8f, FN5 = 1.4703624142580877519e-6f, FN4 = -0.000053401640219807709149f;
    const float FN3 = 0.0010054721316683106153f, FN2 = -0.019278317264888380590f, FN1 = 0.069670166153766424023f, FN0 = -0.75225204789749321333f;
    const float FD4 = 0.0011193462567257629232f, FD3 = 0.014866955030185295499f, FD2 = 0.11583842382862377919f, FD1 = 0.50736591960530292870f, FD0 = 1.0f;
    const float z4 = z2 * z2;
    float pfd0 = FD4 * z4 + FD2;
    const float pfd1 = FD3 * z4 + FD1;
    pfd0 = pfd0 * z4 + FD0;
    pfd0 = pfd1 * z2 + pfd0;
    pfd0 = 1.0f / pfd0;
    float pfn0 = FN6 * z4 + FN4;
    float pfn1 = FN5 * z4 + FN3;
    pfn0 = pfn0 * z4 + FN2;
    pfn1 = pfn1 * z4 + FN1;
    pfn0 = pfn0 * z4 + FN0;
    pfn0 = pfn1 * z2 + pfn0;
    return pfn0 * pfd0;
}

__device__ __forceinline__ float4 nb_load_atom(const float4 *__restrict__ raw, int atom)
{
    // atoms lie in boxes of 0.8 nm, eight clusters to a super-cluster; the charges are in w
    const float4 r = __ldg(&raw[atom]);
    const int cl = atom >> 3, sci = cl >> 3, sub = cl & 7;
    const int bx = sci & 3, by = (sci >> 2) & 3, bz = sci >> 4;
    return make_float4(1.6f * bx + 0.8f * ((sub & 1) + r.x), 1.6f * by + 0.8f * (((sub >> 1) & 1) + r.y),
                       1.6f * bz + 0.8f * ((sub >> 2) + r.z), 1.2f * (r.w - 0.5f));
}

//! gmx_nbnxn_ewald 176 8x8 buffer:xq:180224:uniform:0:1:131 buffer:types:45056:hash_i32:132 buffer:imask:4224:hash_i32:133 buffer:nbfp:512:uniform:0:1:134 buffer:fi:135168:zero buffer:fj:270336:zero f32:1.21 f32:3.12
extern "C" __global__ void __launch_bounds__(64)
gmx_nbnxn_ewald(const float4 *__restrict__ xq, const int *__restrict__ types, const int *__restrict__ imask,
                const float2 *__restrict__ nbfp, float *__restrict__ fi_out, unsigned long long *__restrict__ fj_out,
                float rcut2, float beta)
{
    __shared__ float4 xqib[NB_CI * NB_CL];
    __shared__ int atib[NB_CI * NB_CL];
    __shared__ float f_red[3][NB_CL][NB_CL + 1];
    const int tx = threadIdx.x, ty = threadIdx.y, sci = blockIdx.x;
    const int lane = ty * NB_CL + tx;

    xqib[lane] = nb_load_atom(xq, sci * 64 + lane);
    atib[lane] = types[sci * 64 + lane] & (NB_NTYPE - 1);
    __syncthreads();

    float3 fci[NB_CI];
#pragma unroll
    for (int i = 0; i < NB_CI; ++i) fci[i] = make_float3(0.f, 0.f, 0.f);
    const float beta2 = beta * beta, beta3 = beta2 * beta;

    for (int jj = 0; jj < NB_NCJ; ++jj) {
        const int word = imask[sci * NB_NCJ + jj];
        const int step = (jj == 0) ? 0 : (jj & 1) ? jj : 4 * jj;
        const int cj = ((sci + step) % NB_NSCI) * NB_CI + ((word >> 8) & 7);
        const unsigned mask = (unsigned)word & 0xffu;
        if (mask == 0u) continue;
        const int aj = cj * NB_CL + ty;
        const float4 xj = nb_load_atom(xq, aj);
        const int typej = types[aj] & (NB_NTYPE - 1);
        float3 fcj = make_float3(0.f, 0.f, 0.f);

#pragma unroll
        for (int i = 0; i < NB_CI; ++i) {
            if (mask & (1u << i)) {
                const int ai = sci * 64 + i * NB_CL + tx;
                const float4 xi = xqib[i * NB_CL + tx];
                const float dx = xi.x - xj.x, dy = xi.y - xj.y, dz = xi.z - xj.z;
                float r2 = dx * dx + dy * dy + dz * dz;
                const float int_bit = (ai != aj) ? 1.0f : 0.0f;
                if (r2 < rcut2 * int_bit) {
                    r2 = fmaxf(r2, 0.04f);
                    const float2 c = __ldg(&nbfp[atib[i * NB_CL + tx] * NB_NTYPE + typej]);
                    const float inv_r = rsqrtf(r2);
                    const float inv_r2 = inv_r * inv_r;
                    const float inv_r6 = inv_r2 * inv_r2 * inv_r2;
                    float F_invr = inv_r6 * (12.0f * 2.0e-6f * c.y * inv_r6 - 6.0f * 1.5e-3f * c.x) * inv_r2;
                    F_invr += 138.935f * xi.w * xj.w * (int_bit * inv_r2 * inv_r + nb_pme_corr(beta2 * r2) * beta3);
                    const float fx = F_invr * dx, fy = F_invr * dy, fz = F_invr * dz;
                    fcj.x -= fx; fcj.y -= fy; fcj.z -= fz;
                    fci[i].x += fx; fci[i].y += fy; fci[i].z += fz;
                }
            }
        }
        // the eight lanes of one j atom are neighbours
#pragma unroll
        for (int o = 4; o > 0; o >>= 1) {
            fcj.x += __shfl_down_sync(0xffffffffu, fcj.x, o, 8);
            fcj.y += __shfl_down_sync(0xffffffffu, fcj.y, o, 8);
            fcj.z += __shfl_down_sync(0xffffffffu, fcj.z, o, 8);
        }
        if (tx == 0) {
            atomicAdd(&fj_out[3 * aj + 0], (unsigned long long)(long long)((double)fcj.x * 4294967296.0));
            atomicAdd(&fj_out[3 * aj + 1], (unsigned long long)(long long)((double)fcj.y * 4294967296.0));
            atomicAdd(&fj_out[3 * aj + 2], (unsigned long long)(long long)((double)fcj.z * 4294967296.0));
        }
    }

#pragma unroll
    for (int i = 0; i < NB_CI; ++i) {
        __syncthreads();
        f_red[0][ty][tx] = fci[i].x;
        f_red[1][ty][tx] = fci[i].y;
        f_red[2][ty][tx] = fci[i].z;
        __syncthreads();
        if (ty < 3) {
            float f = 0.f;
#pragma unroll
            for (int m = 0; m < NB_CL; ++m) f += f_red[ty][m][tx];
            fi_out[(sci * 64 + i * NB_CL + tx) * 3 + ty] = f;
        }
    }
}
