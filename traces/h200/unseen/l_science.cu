// Scientific and benchmark-suite style kernels.
#include <cfloat>
#include <climits>
#include <cstdint>
#include <cuda_runtime.h>

#define K extern "C" __global__ void

// ---- small vector library -------------------------------------------------

__host__ __device__ inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__host__ __device__ inline float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__host__ __device__ inline float3 operator*(float3 a, float s) { return make_float3(a.x * s, a.y * s, a.z * s); }
__host__ __device__ inline float3 operator*(float s, float3 a) { return a * s; }
__host__ __device__ inline void operator+=(float3& a, float3 b) { a = a + b; }
__host__ __device__ inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__host__ __device__ inline float3 xyz(float4 v) { return make_float3(v.x, v.y, v.z); }
__device__ inline float3 normalize(float3 v) { return v * rsqrtf(dot(v, v) + 1e-12f); }

// ---- SPH density and pressure force ----------------------------------------

#define GRID_DIM 12
#define CELL_CAP 8

struct SphParams {
  float h, h2, poly6, spiky;
  __device__ explicit SphParams(float radius) : h(radius), h2(radius * radius) {
    float h3 = radius * h2;
    poly6 = 315.f / (64.f * 3.14159265f * h3 * h3 * h3);
    spiky = -45.f / (3.14159265f * h3 * h3);
  }
};

// Every cell owns CELL_CAP slots; `fill` says (hashed) how many are taken.
__device__ inline int cell_count(const int* fill, int cell) { return fill[cell] % (CELL_CAP + 1); }

//! sph_cell_force 108 128 buffer:pos:216KiB:hash_f32:1 buffer:fill:6912:hash_i32:2 buffer:rho:54KiB:hash_f32:3 buffer:force:216KiB:zero f32:0.9
K sph_cell_force(const float4* __restrict__ pos, const int* __restrict__ fill, const float* __restrict__ rho,
                 float4* __restrict__ force, float radius) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int cell = i / CELL_CAP, slot = i % CELL_CAP;
  if (cell >= GRID_DIM * GRID_DIM * GRID_DIM) return;
  if (slot >= cell_count(fill, cell)) return;
  const SphParams prm(radius);
  const int3 c = make_int3(cell % GRID_DIM, cell / GRID_DIM % GRID_DIM, cell / (GRID_DIM * GRID_DIM));
  auto place = [&](int at, int3 where) {
    float4 p = pos[at];  // jitter inside the cell
    return make_float3(where.x + 0.5f + 0.01f * p.x, where.y + 0.5f + 0.01f * p.y, where.z + 0.5f + 0.01f * p.z);
  };
  const float3 me = place(i, c);
  const float my_rho = 1.f + fabsf(rho[i]) * 0.02f;
  float density = 0.f;
  float3 f = make_float3(0.f, 0.f, 0.f);
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        int3 n = make_int3(c.x + dx, c.y + dy, c.z + dz);
        if (n.x < 0 || n.y < 0 || n.z < 0 || n.x >= GRID_DIM || n.y >= GRID_DIM || n.z >= GRID_DIM) continue;
        const int nc = (n.z * GRID_DIM + n.y) * GRID_DIM + n.x;
        const int cnt = cell_count(fill, nc);
        for (int s = 0; s < cnt; ++s) {
          const int j = nc * CELL_CAP + s;
          float3 d = me - place(j, n);
          float r2 = dot(d, d);
          if (r2 >= prm.h2) continue;
          float w = prm.h2 - r2;
          density += prm.poly6 * w * w * w;
          if (j == i) continue;
          float r = sqrtf(r2 + 1e-8f);
          float other = 1.f + fabsf(rho[j]) * 0.02f;
          f += d * (-prm.spiky * (prm.h - r) * (prm.h - r) * (my_rho + other) / (2.f * other * r));
        }
      }
  force[i] = make_float4(f.x, f.y, f.z, density);
}

// ---- Lattice Boltzmann D2Q9, pull scheme ------------------------------------

__constant__ int lbm_cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int lbm_cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float lbm_w[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
__constant__ int lbm_opp[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};

//! lbm_d2q9_pull 5x60 64x4 buffer:fin:2700KiB:hash_f32:4 buffer:solid:300KiB:hash_i32:5 buffer:fout:2700KiB:zero i32:310 i32:238 f32:1.2 f32:0.03
K lbm_d2q9_pull(const float* __restrict__ fin, const int* __restrict__ solid, float* __restrict__ fout, int nx, int ny,
                float omega, float u_lid) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const int n = nx * ny, at = y * nx + x;
  auto blocked = [&](int i) { return (solid[i] & 31) == 0; };
  if (blocked(at)) return;
  float f[9];
  float rho = 0.f, ux = 0.f, uy = 0.f;
#pragma unroll
  for (int q = 0; q < 9; ++q) {
    int sx = x - lbm_cx[q], sy = y - lbm_cy[q];
    sx = sx < 0 ? nx - 1 : (sx == nx ? 0 : sx);
    float v;
    if (sy < 0 || sy >= ny || blocked(sy * nx + sx)) {
      v = fabsf(fin[lbm_opp[q] * n + at]);
      if (sy >= ny) v -= 6.f * lbm_w[q] * lbm_cx[q] * u_lid;
    } else {
      v = fabsf(fin[q * n + sy * nx + sx]);
    }
    f[q] = lbm_w[q] * (1.f + 0.01f * v);
    rho += f[q];
    ux += lbm_cx[q] * f[q];
    uy += lbm_cy[q] * f[q];
  }
  ux /= rho;
  uy /= rho;
  const float usq = 1.f - 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int q = 0; q < 9; ++q) {
    const float cu = 3.f * (lbm_cx[q] * ux + lbm_cy[q] * uy);
    const float feq = lbm_w[q] * rho * (usq + cu + 0.5f * cu * cu);
    fout[q * n + at] = f[q] + omega * (feq - f[q]);
  }
}

// ---- Needleman-Wunsch ---------------------------------------------------------

#define NW_TILE 32

__device__ __forceinline__ int maximum(int a, int b, int c) { return max(max(a, b), c); }

// One pair of sequences per block; square tiles swept row by row, the wavefront inside a tile by one warp.
//! nw_pairs 44 32 buffer:s1:22528:hash_i32:6 buffer:s2:22528:hash_i32:7 buffer:bottom:22880:zero buffer:score:256:zero i32:96 i32:3
K nw_pairs(const int* __restrict__ s1, const int* __restrict__ s2, int* __restrict__ bottom, int* __restrict__ score, int len, int penalty) {
  __shared__ int temp[NW_TILE + 1][NW_TILE + 1];
  __shared__ signed char ref_a[NW_TILE], ref_b[NW_TILE];
  __shared__ int edge[128];
  const int tid = threadIdx.x;
  const int* a = s1 + blockIdx.x * len;
  const int* b = s2 + blockIdx.x * len;
  int* row = bottom + blockIdx.x * (len + 2);
  for (int i = tid; i <= len; i += NW_TILE) row[i] = -i * penalty;
  __syncwarp();
  for (int ty = 0; ty < len; ty += NW_TILE) {
    edge[tid] = -(ty + tid + 1) * penalty;
    int corner = -ty * penalty;
    __syncwarp();
    ref_a[tid] = a[ty + tid] & 3;
    for (int tx = 0; tx < len; tx += NW_TILE) {
      ref_b[tid] = b[tx + tid] & 3;
      temp[0][tid + 1] = row[tx + tid + 1];
      temp[tid + 1][0] = edge[tid];
      if (tid == 0) temp[0][0] = corner;
      corner = row[tx + NW_TILE];
      __syncwarp();
      for (int m = 0; m < NW_TILE; ++m) {
        if (tid <= m) {
          const int ix = tid + 1, iy = m - tid + 1;
          const int sub = ref_a[iy - 1] == ref_b[ix - 1] ? 5 : -4;
          temp[iy][ix] = maximum(temp[iy - 1][ix - 1] + sub, temp[iy][ix - 1] - penalty, temp[iy - 1][ix] - penalty);
        }
        __syncwarp();
      }
      for (int m = NW_TILE - 2; m >= 0; --m) {
        if (tid <= m) {
          const int ix = tid + NW_TILE - m, iy = NW_TILE - tid;
          const int sub = ref_a[iy - 1] == ref_b[ix - 1] ? 5 : -4;
          temp[iy][ix] = maximum(temp[iy - 1][ix - 1] + sub, temp[iy][ix - 1] - penalty, temp[iy - 1][ix] - penalty);
        }
        __syncwarp();
      }
      row[tx + tid + 1] = temp[NW_TILE][tid + 1];
      edge[tid] = temp[tid + 1][NW_TILE];
      __syncwarp();
    }
  }
  if (tid == 0) score[blockIdx.x] = row[len];
}

// ---- k-means ------------------------------------------------------------------

// Assignment and per-block integer accumulation of cluster sizes and fixed-point sums.
//! kmeans_step 264 256 buffer:feat:4224KiB:hash_f32:8 buffer:cent:1KiB:hash_f32:9 buffer:member:264KiB:zero buffer:sums:1KiB:zero buffer:counts:64:zero i32:67500 i32:14
K kmeans_step(const float* __restrict__ feat, const float* __restrict__ cent, int* __restrict__ member, int* __restrict__ sums,
              int* __restrict__ counts, int npoints, int nclusters) {
  constexpr int NF = 16, MAXC = 16;
  __shared__ float sc[MAXC * NF];
  __shared__ int ssum[MAXC * NF], scnt[MAXC];
  for (int i = threadIdx.x; i < MAXC * NF; i += blockDim.x) {
    sc[i] = cent[i];
    ssum[i] = 0;
  }
  if (threadIdx.x < MAXC) scnt[threadIdx.x] = 0;
  __syncthreads();
  const int pt = blockIdx.x * blockDim.x + threadIdx.x;
  if (pt < npoints) {
    int index = -1;
    float min_dist = FLT_MAX;
    for (int c = 0; c < nclusters; ++c) {
      float ans = 0.f;
      for (int f = 0; f < NF; ++f) {
        const float diff = feat[f * npoints + pt] - sc[c * NF + f];
        ans += diff * diff;
      }
      if (ans < min_dist) {
        min_dist = ans;
        index = c;
      }
    }
    member[pt] = index;
    atomicAdd(&scnt[index], 1);
    for (int f = 0; f < NF; ++f) atomicAdd(&ssum[index * NF + f], __float2int_rn(feat[f * npoints + pt] * 16.f));
  }
  __syncthreads();
  for (int i = threadIdx.x; i < nclusters * NF; i += blockDim.x) atomicAdd(&sums[i], ssum[i]);
  if (threadIdx.x < nclusters) atomicAdd(&counts[threadIdx.x], scnt[threadIdx.x]);
}

// ---- PathFinder -----------------------------------------------------------------

#define IN_RANGE(x, lo, hi) ((x) >= (lo) && (x) <= (hi))
#define CLAMP_RANGE(x, lo, hi) x = (x < (lo)) ? lo : ((x > (hi)) ? hi : x)
#define MIN(a, b) ((a) <= (b) ? (a) : (b))
#define PF_BLOCK 256
#define PF_HALO 1

//! pathfinder_dyn 94 256 buffer:wall:1600KiB:hash_i32:10 buffer:src:80KiB:hash_i32:11 buffer:results:80KiB:zero i32:20 i32:20300 i32:20
K pathfinder_dyn(const int* __restrict__ wall, const int* __restrict__ src, int* __restrict__ results, int iteration, int cols, int border) {
  __shared__ int prev[PF_BLOCK];
  __shared__ int result[PF_BLOCK];
  const int bx = blockIdx.x, tx = threadIdx.x;
  const int small_block_cols = PF_BLOCK - iteration * PF_HALO * 2;
  const int blkX = small_block_cols * bx - border;
  const int blkXmax = blkX + PF_BLOCK - 1;
  const int xidx = blkX + tx;
  const int validXmin = (blkX < 0) ? -blkX : 0;
  const int validXmax = (blkXmax > cols - 1) ? PF_BLOCK - 1 - (blkXmax - cols + 1) : PF_BLOCK - 1;
  int W = tx - 1;
  int E = tx + 1;
  W = (W < validXmin) ? validXmin : W;
  E = (E > validXmax) ? validXmax : E;
  const bool isValid = IN_RANGE(tx, validXmin, validXmax);
  if (IN_RANGE(xidx, 0, cols - 1)) prev[tx] = src[xidx] & 1023;
  __syncthreads();
  bool computed = false;
  for (int i = 0; i < iteration; i++) {
    computed = false;
    if (IN_RANGE(tx, i + 1, PF_BLOCK - i - 2) && isValid) {
      computed = true;
      const int left = prev[W];
      const int up = prev[tx];
      const int right = prev[E];
      int shortest = MIN(left, up);
      shortest = MIN(shortest, right);
      const int index = cols * i + xidx;
      result[tx] = shortest + wall[index] % 10;
    }
    __syncthreads();
    if (i == iteration - 1) break;
    if (computed) prev[tx] = result[tx];
    __syncthreads();
  }
  if (computed) results[xidx] = result[tx];
}

// ---- SRAD -------------------------------------------------------------------------

// Diffusion coefficients and their divergence for one tile, recomputing the halo's coefficients.
//! srad_fused 16x24 16x16 buffer:J:420KiB:hash_f32:12 buffer:out:420KiB:zero i32:250 i32:380 f32:0.05 f32:0.5
K srad_fused(const float* __restrict__ J, float* __restrict__ out, int cols, int rows, float q0sqr, float lambda) {
  constexpr int B = 16;
  __shared__ float img[B + 4][B + 4];
  __shared__ float c[B + 2][B + 2];
  const int tid = threadIdx.y * B + threadIdx.x;
  const int x0 = blockIdx.x * B, y0 = blockIdx.y * B;
  for (int e = tid; e < (B + 4) * (B + 4); e += B * B) {
    int yy = y0 + e / (B + 4) - 2, xx = x0 + e % (B + 4) - 2;
    CLAMP_RANGE(yy, 0, rows - 1);
    CLAMP_RANGE(xx, 0, cols - 1);
    img[e / (B + 4)][e % (B + 4)] = expf(J[yy * cols + xx] * 0.01f);
  }
  __syncthreads();
  for (int e = tid; e < (B + 2) * (B + 2); e += B * B) {
    const int ty = e / (B + 2) + 1, tx = e % (B + 2) + 1;
    const float jc = img[ty][tx];
    const float dN = img[ty - 1][tx] - jc, dS = img[ty + 1][tx] - jc;
    const float dW = img[ty][tx - 1] - jc, dE = img[ty][tx + 1] - jc;
    const float g2 = (dN * dN + dS * dS + dW * dW + dE * dE) / (jc * jc);
    const float l = (dN + dS + dW + dE) / jc;
    const float num = 0.5f * g2 - (1.0f / 16.0f) * (l * l);
    float den = 1.f + 0.25f * l;
    const float qsqr = num / (den * den);
    den = (qsqr - q0sqr) / (q0sqr * (1.f + q0sqr));
    const float cc = 1.0f / (1.0f + den);
    c[ty - 1][tx - 1] = cc < 0.f ? 0.f : (cc > 1.f ? 1.f : cc);
  }
  __syncthreads();
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x >= cols || y >= rows) return;
  const int ty = threadIdx.y + 2, tx = threadIdx.x + 2;
  const float jc = img[ty][tx];
  const float cN = c[ty - 1][tx - 1], cS = c[ty][tx - 1], cE = c[ty - 1][tx];
  const float div = cN * (img[ty - 1][tx] - jc) + cS * (img[ty + 1][tx] - jc) + cN * (img[ty][tx - 1] - jc) + cE * (img[ty][tx + 1] - jc);
  out[y * cols + x] = logf(jc + 0.25f * lambda * div);
}

// ---- LavaMD -------------------------------------------------------------------------

#define PAR 48

struct BoxDims {
  int nx, ny, nz;
  __device__ bool inside(int x, int y, int z) const { return x >= 0 && y >= 0 && z >= 0 && x < nx && y < ny && z < nz; }
};

// Pair interactions of a box with itself and its up to 26 neighbours, in double as in Rodinia.
//! lavamd_double 40 48 buffer:rv:30KiB:hash_f32:13 buffer:qv:7680:hash_f32:14 buffer:fv:60KiB:zero i32:5 i32:4 i32:2 f32:0.5
K lavamd_double(const float4* __restrict__ rv, const float* __restrict__ qv, double4* __restrict__ fv, int bx, int by, int bz, float alpha) {
  __shared__ float4 rA[PAR];
  __shared__ double qB[PAR];
  const BoxDims dims{bx, by, bz};
  const int home = blockIdx.x, tx = threadIdx.x;
  const int hx = home % bx, hy = home / bx % by, hz = home / (bx * by);
  const double a2 = 2.0 * alpha * alpha;
  const float4 me = rv[home * PAR + tx];
  double v = 0.0, fx = 0.0, fy = 0.0, fz = 0.0;
  for (int k = 0; k < 27; ++k) {
    const int nx = hx + k % 3 - 1, ny = hy + k / 3 % 3 - 1, nz = hz + k / 9 - 1;
    if (!dims.inside(nx, ny, nz)) continue;
    const int box = (nz * by + ny) * bx + nx;
    __syncthreads();
    rA[tx] = rv[box * PAR + tx];
    qB[tx] = 0.02 * qv[box * PAR + tx];
    __syncthreads();
    for (int j = 0; j < PAR; ++j) {
      const float4 o = rA[j];
      const double dx = 0.01 * (me.x - o.x), dy = 0.01 * (me.y - o.y), dz = 0.01 * (me.z - o.z);
      const double r2 = dx * dx + dy * dy + dz * dz;
      const double vij = (double)__expf(-(float)(a2 * r2));
      const double fs = 2.0 * vij * qB[j];
      v += qB[j] * vij;
      fx += fs * dx;
      fy += fs * dy;
      fz += fs * dz;
    }
  }
  double* dst = reinterpret_cast<double*>(fv + home * PAR + tx);
  dst[0] = v;
  dst[1] = fx;
  dst[2] = fy;
  dst[3] = fz;
}

// ---- TPACF -----------------------------------------------------------------------------

#define TP_BINS 20

__constant__ float tp_edges[TP_BINS] = {0.99f, 0.9f, 0.8f, 0.7f, 0.6f, 0.5f, 0.4f, 0.3f, 0.2f, 0.1f,
                                        0.0f, -0.1f, -0.2f, -0.3f, -0.4f, -0.5f, -0.6f, -0.7f, -0.8f, -0.9f};

// Angular autocorrelation: a block pairs one tile of 128 points with another, upper triangle of tiles only.
//! tpacf_tiles 8x8 128 buffer:pts:12KiB:hash_f32:15 buffer:hist:256:zero i32:1000 i32:1024
K tpacf_tiles(const float* __restrict__ pts, unsigned long long* __restrict__ hist, int n, int stride) {
  constexpr int WARPS = 4, TILE = 128;
  __shared__ float3 tile[TILE];
  __shared__ unsigned int h[WARPS][TP_BINS + 1];
  if (blockIdx.y < blockIdx.x) return;
  const int tid = threadIdx.x, warp = tid >> 5;
  for (int i = tid; i < WARPS * (TP_BINS + 1); i += blockDim.x) (&h[0][0])[i] = 0;
  auto read = [&](int i) { return normalize(make_float3(pts[i], pts[i + stride], pts[i + 2 * stride])); };
  const int mine = blockIdx.x * TILE + tid;
  const int base = blockIdx.y * TILE;
  const bool live = mine < n;
  const float3 p = live ? read(mine) : make_float3(0, 0, 0);
  if (base + tid < n) tile[tid] = read(base + tid);
  __syncthreads();
  const int lim = min(TILE, n - base);
  for (int j = 0; j < lim; ++j) {
    if (!live || base + j <= mine) continue;
    const float d = dot(p, tile[j]);
    int lo = 0, hi = TP_BINS;
    while (hi > lo) {
      const int mid = (lo + hi) / 2;
      if (d >= tp_edges[mid]) hi = mid;
      else lo = mid + 1;
    }
    atomicAdd(&h[warp][lo], 1u);
  }
  __syncthreads();
  if (tid <= TP_BINS) {
    unsigned int s = 0;
    for (int w = 0; w < WARPS; ++w) s += h[w][tid];
    atomicAdd(&hist[tid], (unsigned long long)s);
  }
}

// ---- Mandelbulb ---------------------------------------------------------------------------

__device__ float bulb_distance(float3 p, int power, int iters, int& trap) {
  float3 z = p;
  float dr = 1.f, r = 0.f;
  trap = 0;
  for (int i = 0; i < iters; ++i) {
    r = sqrtf(dot(z, z));
    if (r > 2.f) break;
    ++trap;
    float theta = acosf(z.z / r) * power;
    float phi = atan2f(z.y, z.x) * power;
    float zr = powf(r, (float)(power - 1));
    dr = zr * power * dr + 1.f;
    zr *= r;
    float st, ct, sp, cp;
    sincosf(theta, &st, &ct);
    sincosf(phi, &sp, &cp);
    z = zr * make_float3(st * cp, st * sp, ct) + p;
  }
  return 0.5f * logf(r) * r / dr;
}

//! mandelbulb_march 12x12 8x8 buffer:img:36864:zero i32:92 i32:90 i32:20 i32:8 f32:0.004
K mandelbulb_march(uchar4* __restrict__ img, int w, int h, int max_steps, int power, float eps) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= w || py >= h) return;
  const float3 eye = make_float3(0.f, 0.3f, -2.4f);
  const float3 dir = normalize(make_float3((px - 0.5f * w) / h * 1.3f, (py - 0.5f * h) / h * 1.3f - 0.12f, 1.f));
  float t = 0.f;
  int step = 0, trap = 0;
  bool hit = false;
  for (; step < max_steps; ++step) {
    float3 p = eye + dir * t;
    if (dot(p, p) > 8.f) break;
    float d = bulb_distance(p, power, 6, trap);
    if (d < eps) {
      hit = true;
      break;
    }
    t += d;
  }
  uchar4 c = make_uchar4(0, 0, 0, 255);
  if (hit) {
    float shade = 1.f - (float)step / max_steps;
    switch (trap % 3) {
      case 0: c.x = 255 * shade; break;
      case 1: c.y = 255 * shade; c.z = 40; break;
      default: c.x = c.y = c.z = 200 * shade;
    }
  } else {
    c.z = min(255, step * 4);
  }
  img[py * w + px] = c;
}

// ---- TSP: 2-opt with the best move -----------------------------------------------------------

__device__ inline int edge_len(float2 a, float2 b) {
  const float dx = a.x - b.x, dy = a.y - b.y;
  return __float2int_rn(sqrtf(dx * dx + dy * dy) * 8.f);
}

//! tsp_2opt_climb 14 256 buffer:cities:10752:hash_f32:16 buffer:len:64:zero i32:96 i32:8
K tsp_2opt_climb(const float2* __restrict__ cities, int* __restrict__ len, int n, int max_moves) {
  __shared__ float2 tour[128];
  __shared__ unsigned long long best[8];
  const int tid = threadIdx.x;
  if (n > 126) return;
  for (int i = tid; i < n; i += blockDim.x) tour[i] = cities[blockIdx.x * n + i];
  if (tid == 0) tour[n] = cities[blockIdx.x * n];
  __syncthreads();
  for (int move = 0; move < max_moves; ++move) {
    unsigned long long mine = ULLONG_MAX;
    const int pairs = (n - 1) * (n - 2) / 2;
    for (int p = tid; p < pairs; p += blockDim.x) {
      // p -> (i, j) in the strictly lower triangle
      int i = (int)((1.f + sqrtf(1.f + 8.f * p)) * 0.5f);
      if (i * (i - 1) / 2 > p) --i;
      const int j = p - i * (i - 1) / 2;
      const int delta = edge_len(tour[j], tour[i]) + edge_len(tour[j + 1], tour[i + 1]) - edge_len(tour[j], tour[j + 1]) -
                        edge_len(tour[i], tour[i + 1]);
      const unsigned long long key = (unsigned long long)(unsigned)(delta + (1 << 24)) << 32 | (unsigned)(i << 16 | j);
      if (key < mine) mine = key;
    }
    for (int o = 16; o; o >>= 1) {
      const unsigned long long other = __shfl_down_sync(0xffffffffu, mine, o);
      mine = other < mine ? other : mine;
    }
    if ((tid & 31) == 0) best[tid >> 5] = mine;
    __syncthreads();
    mine = best[0];
    for (int w = 1; w < 8; ++w) mine = best[w] < mine ? best[w] : mine;
    if ((int)(mine >> 32) >= (1 << 24)) break;
    int lo = (int)(mine & 0xffff) + 1, hi = (int)(mine >> 16 & 0xffff);
    const int half = (hi - lo + 1) / 2;
    for (int k = tid; k < half; k += blockDim.x) {
      const float2 t = tour[lo + k];
      tour[lo + k] = tour[hi - k];
      tour[hi - k] = t;
    }
    __syncthreads();
  }
  if (tid == 0) {
    int total = 0;
    for (int i = 0; i < n; ++i) total += edge_len(tour[i], tour[i + 1]);
    len[blockIdx.x] = total;
  }
}

// ---- Particle filter -------------------------------------------------------------------------

struct Lcg {
  int state;
  __device__ float uniform() {
    const int num = 1103515245 * state + 12345;
    state = num & 0x7fffffff;
    return (float)state / 2147483648.f;
  }
  __device__ float normal() {
    const float u = uniform(), v = uniform();
    return sqrtf(-2.f * logf(u + 1e-9f)) * cosf(6.2831853f * v);
  }
};

// Predict, weigh by the image under a disc, normalise, scan and resample; one filter per block.
//! particle_filter512 16 512 buffer:img:64KiB:hash_i32:17 buffer:seed:32KiB:hash_i32:18 buffer:xs:32KiB:zero buffer:ys:32KiB:zero i32:128 i32:3 i32:3
K particle_filter512(const unsigned char* __restrict__ img, const int* __restrict__ seed, float* __restrict__ xs, float* __restrict__ ys,
                     int dim, int radius, int frames) {
  constexpr int N = 512;
  __shared__ float cdf[N], px[N], py[N], warp_sums[16];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  Lcg rng{seed[blockIdx.x * N + t]};
  float x = 0.5f * dim, y = 0.5f * dim;
  for (int frame = 0; frame < frames; ++frame) {
    x += 1.f + 5.f * rng.normal();
    y += -2.f + 2.f * rng.normal();
    float likelihood = 0.f;
    int points = 0;
    for (int dy = -radius; dy <= radius; ++dy)
      for (int dx = -radius; dx <= radius; ++dx) {
        if (dx * dx + dy * dy > radius * radius) continue;
        const int ix = min(max(__float2int_rn(x) + dx, 0), dim - 1);
        const int iy = min(max(__float2int_rn(y) + dy, 0), dim - 1);
        const float v = img[((frame & 3) * dim + iy) * dim + ix];
        likelihood += ((v - 100.f) * (v - 100.f) - (v - 228.f) * (v - 228.f)) / 5000.f;
        ++points;
      }
    float w = __expf(fminf(likelihood / points, 20.f));
    // inclusive scan of the weights over the block
    for (int o = 1; o < 32; o <<= 1) {
      const float u = __shfl_up_sync(0xffffffffu, w, o);
      if (lane >= o) w += u;
    }
    if (lane == 31) warp_sums[warp] = w;
    px[t] = x;
    py[t] = y;
    __syncthreads();
    float before = 0.f, total = 0.f;
    for (int k = 0; k < 16; ++k) {
      const float s = warp_sums[k];
      if (k < warp) before += s;
      total += s;
    }
    cdf[t] = (before + w) / total;
    __syncthreads();
    const float u = (t + 0.5f) / N;
    int lo = 0, hi = N - 1;
    while (lo < hi) {
      const int mid = (lo + hi) >> 1;
      if (cdf[mid] >= u) hi = mid; else lo = mid + 1;
    }
    x = px[lo];
    y = py[lo];
    __syncthreads();
  }
  xs[blockIdx.x * N + t] = x;
  ys[blockIdx.x * N + t] = y;
}

// ---- MRI-Q -----------------------------------------------------------------------------------

struct kValues {
  float Kx, Ky, Kz, PhiMag;
};

#define KERNEL_Q_K_ELEMS 128

//! mriq_compute 52 256 buffer:x:53248:hash_f32:19 buffer:y:53248:hash_f32:20 buffer:z:53248:hash_f32:21 buffer:k:4800:hash_f32:22 buffer:Qr:53248:zero buffer:Qi:53248:zero i32:300
K mriq_compute(const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z, const kValues* __restrict__ k,
               float* __restrict__ Qr, float* __restrict__ Qi, int numK) {
  __shared__ kValues ck[KERNEL_Q_K_ELEMS];
  const int xi = blockIdx.x * blockDim.x + threadIdx.x;
  const float sX = x[xi], sY = y[xi], sZ = z[xi];
  float qr = Qr[xi], qi = Qi[xi];
  for (int k0 = 0; k0 < numK; k0 += KERNEL_Q_K_ELEMS) {
    const int m = min(KERNEL_Q_K_ELEMS, numK - k0);
    if (threadIdx.x < m) ck[threadIdx.x] = k[k0 + threadIdx.x];
    __syncthreads();
    int i = 0;
    if (m & 1) {
      const float arg = 6.2831853f * (ck[0].Kx * sX + ck[0].Ky * sY + ck[0].Kz * sZ);
      qr += ck[0].PhiMag * cosf(arg * 1e-3f);
      qi += ck[0].PhiMag * sinf(arg * 1e-3f);
      i = 1;
    }
    for (; i < m; i += 2) {
      const float arg = 6.2831853e-3f * (ck[i].Kx * sX + ck[i].Ky * sY + ck[i].Kz * sZ);
      const float arg2 = 6.2831853e-3f * (ck[i + 1].Kx * sX + ck[i + 1].Ky * sY + ck[i + 1].Kz * sZ);
      qr += ck[i].PhiMag * __cosf(arg) + ck[i + 1].PhiMag * __cosf(arg2);
      qi += ck[i].PhiMag * __sinf(arg) + ck[i + 1].PhiMag * __sinf(arg2);
    }
    __syncthreads();
  }
  Qr[xi] = qr;
  Qi[xi] = qi;
}
