// Numerical kernels: dense and sparse linear algebra, transforms, ODE and Monte Carlo.
#include <cstdint>
#include <cuda_runtime.h>

#define K extern "C" __global__ void

#define BM 64
#define BN 64
#define BK 8
#define TM 8
#define TN 8

// C = alpha * A * B + beta * C, row-major, 8x8 outputs per thread, 64 threads per block.
//! sgemm_reg8x8 8x6 64 buffer:A:512KiB:hash_f32:1 buffer:B:384KiB:hash_f32:2 buffer:C:768KiB:hash_f32:3 i32:384 i32:512 i32:192 f32:0.5 f32:0.25
K sgemm_reg8x8(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
               int M, int N, int Kdim, float alpha, float beta) {
  __shared__ float As[BK][BM];
  __shared__ float Bs[BK][BN];

  const int rowBase = blockIdx.y * BM;
  const int colBase = blockIdx.x * BN;
  const int tid = threadIdx.x;
  const int tr = tid / (BN / TN);
  const int tc = tid % (BN / TN);

  float acc[TM][TN] = {};
  float ra[TM], rb[TN];

  for (int k0 = 0; k0 < Kdim; k0 += BK) {
    // A tile: 64 rows of 8 floats, one row per thread as two float4.
    {
      const float4* src = reinterpret_cast<const float4*>(A + (size_t)(rowBase + tid) * Kdim + k0);
      float4 a0 = src[0];
      float4 a1 = src[1];
      As[0][tid] = a0.x; As[1][tid] = a0.y; As[2][tid] = a0.z; As[3][tid] = a0.w;
      As[4][tid] = a1.x; As[5][tid] = a1.y; As[6][tid] = a1.z; As[7][tid] = a1.w;
    }
#pragma unroll
    for (int l = 0; l < 2; ++l) {
      int e = tid + l * 64;
      int r = e / 16;
      int c = (e % 16) * 4;
      *reinterpret_cast<float4*>(&Bs[r][c]) =
          *reinterpret_cast<const float4*>(B + (size_t)(k0 + r) * N + colBase + c);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
#pragma unroll
      for (int i = 0; i < TM; ++i) ra[i] = As[k][tr * TM + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) rb[j] = Bs[k][tc * TN + j];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    int r = rowBase + tr * TM + i;
    if (r >= M) return;
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      float4* dst = reinterpret_cast<float4*>(C + (size_t)r * N + colBase + tc * TN + j);
      float4 old = *dst;
      old.x = alpha * acc[i][j + 0] + beta * old.x;
      old.y = alpha * acc[i][j + 1] + beta * old.y;
      old.z = alpha * acc[i][j + 2] + beta * old.z;
      old.w = alpha * acc[i][j + 3] + beta * old.w;
      *dst = old;
    }
  }
}

// Double-precision rank-k update of the lower triangle, C -= L * L^T (blocked Cholesky trailing update).
template <int TILE>
struct DTile {
  double v[TILE][TILE + 1];
};

//! dsyrk_lower 10x10 16x16 buffer:L:80KiB:hash_i32:4 buffer:C:204800:zero i32:160 i32:64
K dsyrk_lower(const int* __restrict__ L, double* __restrict__ C, int n, int k) {
  constexpr int T = 16;
  if (blockIdx.x > blockIdx.y) return;
  __shared__ DTile<T> lhs, rhs;
  int row = blockIdx.y * T + threadIdx.y;
  int col = blockIdx.x * T + threadIdx.x;
  double sum = 0.0;
  for (int k0 = 0; k0 < k; k0 += T) {
    lhs.v[threadIdx.y][threadIdx.x] = L[row * k + k0 + threadIdx.x] * (1.0 / 16777216.0);
    rhs.v[threadIdx.y][threadIdx.x] =
        L[(blockIdx.x * T + threadIdx.y) * k + k0 + threadIdx.x] * (1.0 / 16777216.0);
    __syncthreads();
    for (int p = 0; p < T; ++p) sum += lhs.v[threadIdx.y][p] * rhs.v[threadIdx.x][p];
    __syncthreads();
  }
  if (row < n && col <= row) C[row * n + col] -= sum;
}

// Sparse matrix-vector product with a group of lanes per row ("CSR vector").
// Row lengths come from `len`; each row owns `cap` slots.
template <int LANES>
__device__ __forceinline__ float group_sum(float v) {
#pragma unroll
  for (int off = LANES / 2; off > 0; off /= 2) v += __shfl_down_sync(0xffffffffu, v, off, LANES);
  return v;
}

//! spmv_subwarp8 300 128 buffer:len:19200:hash_i32:5 buffer:col:1228800:hash_i32:6 buffer:val:1228800:hash_f32:7 buffer:x:64KiB:hash_f32:8 buffer:y:19200:zero i32:4790 i32:64 i32:16384
K spmv_subwarp8(const int* __restrict__ len, const int* __restrict__ col, const float* __restrict__ val,
                const float* __restrict__ x, float* __restrict__ y, int rows, int cap, int n) {
  constexpr int LANES = 8;
  const int lane = threadIdx.x % LANES;
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
  const bool live = row < rows;
  float acc = 0.f;
  if (live) {
    // A skewed distribution: most rows are short, a few use their whole capacity.
    int h = len[row];
    int nnz = (h & 15) == 0 ? cap : 3 + ((h >> 4) & 15);
    const int begin = row * cap;
    for (int j = begin + lane; j < begin + nnz; j += LANES) {
      acc += val[j] * __ldg(&x[col[j] & (n - 1)]);
    }
  }
  acc = group_sum<LANES>(acc);
  if (live && lane == 0) y[row] = acc;
}

// Conjugate gradients for the five-point Laplacian on a 32x32 grid, one problem per block.
__device__ float block_dot(float v, float* scratch) {
  for (int off = 16; off > 0; off >>= 1) v += __shfl_xor_sync(0xffffffffu, v, off);
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  __syncthreads();
  if (lane == 0) scratch[warp] = v;
  __syncthreads();
  v = lane < (blockDim.x >> 5) ? scratch[lane] : 0.f;
  for (int off = 16; off > 0; off >>= 1) v += __shfl_xor_sync(0xffffffffu, v, off);
  return v;
}

//! cg_poisson32 6 1024 buffer:b:24KiB:hash_f32:9 buffer:x:24KiB:zero buffer:iters:64:zero i32:24 f32:0.001
K cg_poisson32(const float* __restrict__ b, float* __restrict__ x, int* __restrict__ iters, int maxit, float tol) {
  __shared__ float p[34][34];
  __shared__ float scratch[32];
  const int t = threadIdx.x;
  const int cx = (t & 31) + 1, cy = (t >> 5) + 1;
  for (int i = t; i < 34 * 34; i += blockDim.x) p[i / 34][i % 34] = 0.f;
  __syncthreads();

  float r = b[blockIdx.x * 1024 + t];
  float xi = 0.f;
  p[cy][cx] = r;
  float rr = block_dot(r * r, scratch);
  const float stop = tol * tol * rr;
  int it = 0;
  while (it < maxit && rr > stop) {
    float pc = p[cy][cx];
    float ap = 4.f * pc - p[cy][cx - 1] - p[cy][cx + 1] - p[cy - 1][cx] - p[cy + 1][cx];
    float alpha = rr / block_dot(pc * ap, scratch);
    xi += alpha * pc;
    r -= alpha * ap;
    float rn = block_dot(r * r, scratch);
    p[cy][cx] = r + (rn / rr) * pc;
    rr = rn;
    ++it;
    __syncthreads();
  }
  x[blockIdx.x * 1024 + t] = xi;
  if (t == 0) iters[blockIdx.x] = it;
}

// Batched 1024-point complex FFT: Stockham radix-4 in shared memory, 256 threads.
__device__ __forceinline__ float2 cmul(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ __forceinline__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }

__device__ __forceinline__ void radix4(float2 v[4]) {
  float2 a = v[0] + v[2], b = v[0] - v[2];
  float2 c = v[1] + v[3], d = v[1] - v[3];
  float2 dr = make_float2(d.y, -d.x);
  v[0] = a + c;
  v[1] = b + dr;
  v[2] = a - c;
  v[3] = b - dr;
}

//! fft1024_stockham 90 256 buffer:in:720KiB:hash_f32:10 buffer:out:720KiB:zero
K fft1024_stockham(const float2* __restrict__ in, float2* __restrict__ out) {
  constexpr int N = 1024, T = N / 4;
  __shared__ float re[N + 32], im[N + 32];
  const int t = threadIdx.x;
  const float2* src = in + blockIdx.x * N;
  float2 v[4];
#pragma unroll
  for (int r = 0; r < 4; ++r) v[r] = src[t + r * T];

  for (int ns = 1; ns < N; ns *= 4) {
    const int j = t % ns;
    float ang = -6.283185307f * j / (ns * 4);
#pragma unroll
    for (int r = 1; r < 4; ++r) {
      float s, c;
      __sincosf(ang * r, &s, &c);
      v[r] = cmul(v[r], make_float2(c, s));
    }
    radix4(v);
    if (ns * 4 == N) break;
    const int dst = (t / ns) * ns * 4 + j;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      int k = dst + r * ns;
      re[k + k / 32] = v[r].x;
      im[k + k / 32] = v[r].y;
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      int k = t + r * T;
      v[r] = make_float2(re[k + k / 32], im[k + k / 32]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) out[blockIdx.x * N + t + r * T] = v[r];
}

// Batched Cholesky of 32x32 SPD matrices followed by a forward and a backward solve.
//! potrs_batched32 140 64 buffer:A:560KiB:hash_f32:11 buffer:b:17920:hash_f32:12 buffer:x:17920:zero i32:32
K potrs_batched32(const float* __restrict__ A, const float* __restrict__ b, float* __restrict__ x, int n) {
  __shared__ float a[32][33];
  __shared__ float rhs[32];
  const float* src = A + blockIdx.x * n * n;
  for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
    int i = e / n, j = e % n;
    a[i][j] = i == j ? 50.f * n + src[e] : 0.5f * (src[e] + src[j * n + i]);
  }
  if (threadIdx.x < n) rhs[threadIdx.x] = b[blockIdx.x * n + threadIdx.x];
  __syncthreads();

  for (int k = 0; k < n; ++k) {
    const float piv = rsqrtf(a[k][k]);
    __syncthreads();
    for (int i = k + threadIdx.x; i < n; i += blockDim.x) a[i][k] *= piv;
    __syncthreads();
    const int m = n - k - 1;
    for (int e = threadIdx.x; e < m * m; e += blockDim.x) {
      int i = k + 1 + e / m, j = k + 1 + e % m;
      if (j <= i) a[i][j] -= a[i][k] * a[j][k];
    }
    __syncthreads();
  }

  if (threadIdx.x >= 32) return;
  const int lane = threadIdx.x;
  float v = rhs[lane];
  for (int k = 0; k < n; ++k) {
    float yk = __shfl_sync(0xffffffffu, v / a[k][k], k);
    if (lane == k) v = yk;
    if (lane > k) v -= a[lane][k] * yk;
  }
  for (int k = n - 1; k >= 0; --k) {
    float xk = __shfl_sync(0xffffffffu, v / a[k][k], k);
    if (lane == k) v = xk;
    if (lane < k) v -= a[k][lane] * xk;
  }
  x[blockIdx.x * n + lane] = v;
}

// Heston model: full-truncation Euler paths with a Philox 4x32-7 generator and antithetic variates.
struct Philox {
  uint4 ctr;
  uint2 key;
  __device__ static uint4 round(uint4 c, uint2 k) {
    uint32_t h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
    uint32_t h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    return make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
  }
  __device__ uint4 next() {
    uint4 c = ctr;
    uint2 k = key;
#pragma unroll
    for (int i = 0; i < 7; ++i) {
      c = round(c, k);
      k.x += 0x9E3779B9u;
      k.y += 0xBB67AE85u;
    }
    if (++ctr.x == 0) ++ctr.y;
    return c;
  }
};

__device__ inline float2 gauss_pair(uint32_t a, uint32_t b) {
  float u = (a + 0.5f) * 2.3283064e-10f;
  float r = sqrtf(-2.f * logf(fminf(u, 0.9999999f)));
  float s, c;
  sincospif(2.f * b * 2.3283064e-10f, &s, &c);
  return make_float2(r * c, r * s);
}

//! heston_paths 96 128 buffer:strike:16KiB:hash_f32:13 buffer:price:96KiB:zero i32:24 i32:1234 f32:0.04 f32:-0.6
K heston_paths(const float* __restrict__ strike, double* __restrict__ price, int steps, int seed, float v0, float rho) {
  const int path = blockIdx.x * blockDim.x + threadIdx.x;
  const float kappa = 1.5f, theta = 0.04f, xi = 0.3f, rate = 0.02f;
  const float dt = 1.f / steps, sdt = sqrtf(dt), rho2 = sqrtf(1.f - rho * rho);
  Philox rng{make_uint4(0, 0, path, 0), make_uint2(seed, 77)};
  float ls[2] = {4.60517f, 4.60517f}, var[2] = {v0, v0};
  for (int s = 0; s < steps; s += 2) {
    uint4 r = rng.next();
    float2 g[2] = {gauss_pair(r.x, r.y), gauss_pair(r.z, r.w)};
#pragma unroll
    for (int h = 0; h < 2; ++h) {
#pragma unroll
      for (int a = 0; a < 2; ++a) {
        float sign = a ? -1.f : 1.f;
        float z1 = sign * g[h].x, z2 = rho * z1 + rho2 * sign * g[h].y;
        float vp = fmaxf(var[a], 0.f), sv = sqrtf(vp);
        ls[a] += (rate - 0.5f * vp) * dt + sv * sdt * z2;
        var[a] += kappa * (theta - vp) * dt + xi * sv * sdt * z1;
      }
    }
  }
  float k = 100.f + 0.2f * strike[path & 4095];
  double pay = 0.0;
  for (int a = 0; a < 2; ++a) pay += (double)fmaxf(expf(ls[a]) - k, 0.f);
  price[path] = 0.5 * pay * exp(-(double)rate);
}

// Adaptive Bogacki-Shampine 3(2) integrator on the Lotka-Volterra system, one trajectory per thread.
struct State {
  double u, v;
};
__device__ State operator+(State a, State b) { return {a.u + b.u, a.v + b.v}; }
__device__ State operator*(double s, State a) { return {s * a.u, s * a.v}; }

__device__ State lotka(State y, double a, double b) { return {y.u * (a - b * y.v), y.v * (0.4 * b * y.u - 0.8)}; }

//! bs32_adaptive 20 64 buffer:init:10KiB:hash_f32:14 buffer:out:20KiB:zero buffer:steps:5KiB:zero i32:60 f32:2.0 f32:0.001
K bs32_adaptive(const float2* __restrict__ init, State* __restrict__ out, int* __restrict__ steps, int cap, float tend, float tolf) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float2 p = init[i];
  State y = {1.0 + 0.01 * (p.x + 50.0), 0.5 + 0.01 * (p.y + 50.0)};
  const double a = 1.1 + 0.005 * p.x, b = 0.9 + 0.004 * p.y, tol = tolf;
  double t = 0.0, h = 0.1;
  State k1 = lotka(y, a, b);
  int n = 0;
  while (t < tend && n < cap) {
    if (t + h > tend) h = tend - t;
    State k2 = lotka(y + (0.5 * h) * k1, a, b);
    State k3 = lotka(y + (0.75 * h) * k2, a, b);
    State yn = y + (h / 9.0) * (2.0 * k1 + 3.0 * k2 + 4.0 * k3);
    State k4 = lotka(yn, a, b);
    State e = h * ((-5.0 / 72.0) * k1 + (1.0 / 12.0) * k2 + (1.0 / 9.0) * k3 + (-0.125) * k4);
    double err = fmax(fabs(e.u), fabs(e.v)) / (tol * (1.0 + fmax(fabs(y.u), fabs(y.v))));
    ++n;
    if (err <= 1.0) {
      t += h;
      y = yn;
      k1 = k4;
    }
    double fac = 0.9 * (double)cbrtf((float)(1.0 / fmax(err, 1e-6)));
    h *= fmin(fmax(fac, 0.2), 4.0);
  }
  out[i] = y;
  steps[i] = n;
}

// Eighth-order acoustic wave step: 2-D shared tile, z column held in registers.
#define R 4
__constant__ float wave_c[R + 1] = {-2.847222f, 1.6f, -0.2f, 0.02539682f, -0.001785714f};

//! wave3d_order8 8x8 32x8 buffer:prev:2560KiB:hash_f32:15 buffer:cur:2560KiB:hash_f32:16 buffer:vel:2560KiB:hash_f32:17 buffer:next:2560KiB:zero i32:264 i32:72 i32:28 f32:0.001
K wave3d_order8(const float* __restrict__ prev, const float* __restrict__ cur, const float* __restrict__ vel,
                float* __restrict__ next, int nx, int ny, int nz, float dt2) {
  __shared__ float tile[8 + 2 * R][32 + 2 * R];
  const int tx = threadIdx.x + R, ty = threadIdx.y + R;
  const int ix = blockIdx.x * 32 + tx, iy = blockIdx.y * 8 + ty;
  const int plane = nx * ny;
  int in = iy * nx + ix;
  int o = in + R * plane;

  float col[2 * R + 1];
#pragma unroll
  for (int k = 1; k <= 2 * R; ++k) {
    col[k] = cur[in];
    in += plane;
  }
  for (int z = R; z < nz - R; ++z) {
#pragma unroll
    for (int k = 0; k < 2 * R; ++k) col[k] = col[k + 1];
    col[2 * R] = cur[in];
    in += plane;
    __syncthreads();
    if (threadIdx.y < R) {
      tile[threadIdx.y][tx] = cur[o - R * nx];
      tile[threadIdx.y + 8 + R][tx] = cur[o + 8 * nx];
    }
    if (threadIdx.x < R) {
      tile[ty][threadIdx.x] = cur[o - R];
      tile[ty][threadIdx.x + 32 + R] = cur[o + 32];
    }
    tile[ty][tx] = col[R];
    __syncthreads();
    float lap = 3.f * wave_c[0] * col[R];
#pragma unroll
    for (int k = 1; k <= R; ++k)
      lap += wave_c[k] * (col[R - k] + col[R + k] + tile[ty - k][tx] + tile[ty + k][tx] + tile[ty][tx - k] + tile[ty][tx + k]);
    float v = vel[o];
    next[o] = 2.f * col[R] - prev[o] + dt2 * v * v * lap;
    o += plane;
  }
}
#undef R

// Parallel cyclic reduction for tridiagonal systems of blockDim.x unknowns in double precision.
//! pcr_double512 24 512 buffer:coef:144KiB:hash_f32:18 buffer:rhs:48KiB:hash_f32:19 buffer:x:96KiB:zero i32:512
K pcr_double512(const float* __restrict__ coef, const float* __restrict__ rhs, double* __restrict__ x, int n) {
  __shared__ double sa[512], sb[512], sc[512], sd[512];
  const int i = threadIdx.x;
  const int g = blockIdx.x * n + i;
  double a = i > 0 ? coef[3 * g] * 0.01 : 0.0;
  double c = i < n - 1 ? coef[3 * g + 2] * 0.01 : 0.0;
  double b = 2.5 + fabs((double)coef[3 * g + 1]) * 0.02;
  double d = rhs[g];
  for (int s = 1; s < n; s <<= 1) {
    sa[i] = a; sb[i] = b; sc[i] = c; sd[i] = d;
    __syncthreads();
    if (i - s >= 0) {
      double k = a / sb[i - s];
      b -= k * sc[i - s];
      d -= k * sd[i - s];
      a = -k * sa[i - s];
    } else {
      a = 0.0;
    }
    if (i + s < n) {
      double k = c / sb[i + s];
      b -= k * sa[i + s];
      d -= k * sd[i + s];
      c = -k * sc[i + s];
    } else {
      c = 0.0;
    }
    __syncthreads();
  }
  x[g] = d / b;
}

// Simultaneous polynomial roots (Durand-Kerner) in complex arithmetic, degree chosen at run time.
template <typename T>
struct Complex {
  T re, im;
  __device__ Complex(T r = 0, T i = 0) : re(r), im(i) {}
  __device__ Complex operator*(const Complex& o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
  __device__ Complex operator-(const Complex& o) const { return {re - o.re, im - o.im}; }
  __device__ Complex operator+(const Complex& o) const { return {re + o.re, im + o.im}; }
  __device__ Complex operator/(const Complex& o) const {
    T d = T(1) / (o.re * o.re + o.im * o.im + T(1e-20));
    return {(re * o.re + im * o.im) * d, (im * o.re - re * o.im) * d};
  }
  __device__ T norm() const { return re * re + im * im; }
};

//! durand_kerner 18 96 buffer:poly:62208:hash_f32:20 buffer:roots:108KiB:zero i32:5 i32:12 f32:0.00001
K durand_kerner(const float* __restrict__ poly, float2* __restrict__ roots, int degree, int cap, float eps) {
  using C = Complex<float>;
  constexpr int MAXD = 8;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (degree > MAXD) return;
  float coef[MAXD];
  for (int k = 0; k < degree; ++k) coef[k] = poly[i * 9 + k] * 0.05f;
  C z[MAXD];
  C w(0.4f, 0.9f), p(1.f, 0.f);
  for (int k = 0; k < degree; ++k) {
    z[k] = p;
    p = p * w;
  }
  for (int it = 0; it < cap; ++it) {
    float moved = 0.f;
    for (int k = 0; k < degree; ++k) {
      C f(1.f), q(1.f);
      for (int c = degree - 1; c >= 0; --c) f = f * z[k] + C(coef[c]);
      for (int j = 0; j < degree; ++j)
        if (j != k) q = q * (z[k] - z[j]);
      C step = f / q;
      z[k] = z[k] - step;
      moved = fmaxf(moved, step.norm());
    }
    if (moved < eps) break;
  }
  for (int k = 0; k < degree; ++k) roots[i * MAXD + k] = make_float2(z[k].re, z[k].im);
}

// QR of a tall-skinny panel by Householder reflections; a warp holds 64 rows, two per lane, 8 columns.
//! panel_qr_warp 40 128 buffer:A:320KiB:hash_f32:21 buffer:Rm:40KiB:zero buffer:V:320KiB:zero
K panel_qr_warp(const float* __restrict__ A, float* __restrict__ Rm, float* __restrict__ V) {
  constexpr int COLS = 8;
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  const float4* src = reinterpret_cast<const float4*>(A + warp * 64 * COLS);
  float a[2][COLS];
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    float4 lo = src[(lane + 32 * h) * 2], hi = src[(lane + 32 * h) * 2 + 1];
    a[h][0] = lo.x; a[h][1] = lo.y; a[h][2] = lo.z; a[h][3] = lo.w;
    a[h][4] = hi.x; a[h][5] = hi.y; a[h][6] = hi.z; a[h][7] = hi.w;
  }
  auto warp_sum = [](float v) {
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
  };
#pragma unroll
  for (int k = 0; k < COLS; ++k) {
    float v0 = lane >= k ? a[0][k] : 0.f, v1 = a[1][k];
    float nrm = sqrtf(warp_sum(v0 * v0 + v1 * v1));
    float akk = __shfl_sync(0xffffffffu, a[0][k], k);
    float beta = akk > 0.f ? -nrm : nrm;
    if (lane == k) v0 -= beta;
    float tau = 1.f / (nrm * nrm - beta * akk + 1e-20f);
#pragma unroll
    for (int j = k; j < COLS; ++j) {
      float s = tau * warp_sum(v0 * a[0][j] + v1 * a[1][j]);
      a[0][j] -= s * v0;
      a[1][j] -= s * v1;
    }
    V[(warp * COLS + k) * 64 + lane] = v0;
    V[(warp * COLS + k) * 64 + lane + 32] = v1;
  }
  if (lane < COLS) {
#pragma unroll
    for (int j = 0; j < COLS; ++j) Rm[warp * 64 + lane * COLS + j] = j >= lane ? a[0][j] : 0.f;
  }
}
