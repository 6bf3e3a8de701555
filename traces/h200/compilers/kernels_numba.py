"""CUDA kernels in Python, for Numba. Pointers come as C pointers (one parameter each) and are seen as arrays through carray."""
import math
import numba
from numba import cuda
from numba.cuda.np.numpy_support import carray
from numba import float32, float64, int32, int64, uint32, uint64, uint8
from numba.types import CPointer, void

PF, PI, PU = CPointer(float32), CPointer(int32), CPointer(uint32)


# 16 x 16 tiles of a product in shared memory, two-dimensional indexing
def nb_matmul(c, a, b, n, m, k):
    A = carray(a, (n, k))
    Bm = carray(b, (k, m))
    C = carray(c, (n, m))
    sa = cuda.shared.array((16, 16), float32)
    sb = cuda.shared.array((16, 17), float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    acc = float32(0.0)
    for t in range((k + 15) // 16):
        sa[ty, tx] = A[y, t * 16 + tx] if y < n and t * 16 + tx < k else float32(0.0)
        sb[ty, tx] = Bm[t * 16 + ty, x] if x < m and t * 16 + ty < k else float32(0.0)
        cuda.syncthreads()
        for j in range(16):
            acc += sa[ty, j] * sb[j, tx]
        cuda.syncthreads()
    if y < n and x < m:
        C[y, x] = acc


# row sums and maxima by warp shuffles, integer atomics on arrays
def nb_row_stats(total, peak, x, rows, cols):
    T = carray(total, (rows,))
    P = carray(peak, (4,))
    X = carray(x, (rows, cols))
    part = cuda.shared.array(8, int32)
    lane = cuda.laneid
    warp = cuda.threadIdx.x // 32
    for r in range(cuda.blockIdx.x, rows, cuda.gridDim.x):
        s = int32(0)
        top = int32(0)
        for c in range(cuda.threadIdx.x, cols, cuda.blockDim.x):
            v = X[r, c]
            s += v & 4095
            if v > top:
                top = v
        d = 16
        while d > 0:
            s += cuda.shfl_down_sync(0xffffffff, s, d)
            o = cuda.shfl_xor_sync(0xffffffff, top, d)
            top = max(top, o)
            d >>= 1
        if lane == 0:
            part[warp] = s
            cuda.atomic.max(P, 0, top)
            cuda.atomic.add(P, 1 + (s & 1), 1)
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            z = int32(0)
            for j in range(cuda.blockDim.x // 32):
                z += part[j]
            T[r] = z
        cuda.syncthreads()


# a 5 x 5 median through insertion into a local array
def nb_median(out, img, h, w):
    src = carray(img, (h, w))
    dst = carray(out, (h, w))
    x, y = cuda.grid(2)
    if x >= w or y >= h:
        return
    v = cuda.local.array(25, int32)
    k = 0
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            yy = min(max(y + dy, 0), h - 1)
            xx = min(max(x + dx, 0), w - 1)
            e = src[yy, xx] & 0xff
            j = k
            while j > 0 and v[j - 1] > e:
                v[j] = v[j - 1]
                j -= 1
            v[j] = e
            k += 1
    dst[y, x] = v[12]


# Collatz lengths in 64-bit integers, a while loop per thread
def nb_collatz(steps, peak, start, n):
    S = carray(steps, (n,))
    P = carray(peak, (2 * n,))
    X = carray(start, (n,))
    i = cuda.grid(1)
    stride = cuda.gridsize(1)
    while i < n:
        v = uint64(X[i] & 0xffff) + uint64(1)
        top = v
        k = 0
        while v != uint64(1) and k < 400:
            if v & uint64(1):
                v = v * uint64(3) + uint64(1)
            else:
                v = v >> uint64(1)
            if v > top:
                top = v
            k += 1
        S[i] = k
        P[2 * i] = uint32(top & uint64(0xffffffff))
        P[2 * i + 1] = uint32(top >> uint64(32))
        i += stride


# option prices in double precision with erf, exp, log
def nb_black_scholes(call, put, s, k, t, n):
    C = carray(call, (n,))
    Pt = carray(put, (n,))
    i = cuda.grid(1)
    if i < n:
        S = float64(s[i]) * 0.5 + 60.0
        K = float64(k[i]) * 0.5 + 60.0
        T = float64(t[i]) * 0.01 + 0.75
        v = 0.3
        r = 0.02
        q = v * math.sqrt(T)
        d1 = (math.log(S / K) + (r + 0.5 * v * v) * T) / q
        d2 = d1 - q
        n1 = 0.5 * math.erfc(-d1 * 0.7071067811865476)
        n2 = 0.5 * math.erfc(-d2 * 0.7071067811865476)
        e = math.exp(-r * T)
        C[i] = float32(S * n1 - K * e * n2)
        Pt[i] = float32(K * e * (1.0 - n2) - S * (1.0 - n1))


# Levenshtein distance, the row of the table in a local array
def nb_levenshtein(dist, a, b, n, length):
    D = carray(dist, (n,))
    A = carray(a, (length, n))
    Bt = carray(b, (length, n))
    i = cuda.grid(1)
    if i >= n:
        return
    row = cuda.local.array(33, uint8)
    for j in range(length + 1):
        row[j] = j
    for p in range(length):
        diag = int32(row[0])
        row[0] = p + 1
        ca = A[p, i] & 3
        for q in range(length):
            cost = 0 if ca == Bt[q, i] & 3 else 1
            up = int32(row[q + 1])
            best = min(min(up, int32(row[q])) + 1, diag + cost)
            row[q + 1] = best
            diag = up
    D[i] = int32(row[length])


# histogram in shared memory, flushed by integer atomics; an inclusive scan of the block's own bins
def nb_histogram(hist, scan, x, n):
    H = carray(hist, (256,))
    S = carray(scan, (cuda.gridDim.x, 256))
    bins = cuda.shared.array(256, int32)
    tmp = cuda.shared.array((2, 256), int32)
    t = cuda.threadIdx.x
    bins[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        cuda.atomic.add(bins, (x[i] >> 9) & 255, 1)
    cuda.syncthreads()
    cuda.atomic.add(H, t, bins[t])
    cur = 0
    tmp[0, t] = bins[t]
    cuda.syncthreads()
    d = 1
    while d < 256:
        v = tmp[cur, t]
        if t >= d:
            v += tmp[cur, t - d]
        tmp[1 - cur, t] = v
        cur = 1 - cur
        d *= 2
        cuda.syncthreads()
    S[cuda.blockIdx.x, t] = tmp[cur, t]


# heat equation on a tile with a halo in shared memory, several steps a launch on the tile's own data
def nb_heat(out, u, h, w, steps):
    U = carray(u, (h, w))
    R = carray(out, (h, w))
    tile = cuda.shared.array((2, 18, 18), float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x + 1
    ty = cuda.threadIdx.y + 1
    inside = x < w and y < h
    v = U[y, x] if inside else float32(0.0)
    tile[0, ty, tx] = v
    if tx == 1:
        e = U[y, x - 1] if y < h and x > 0 and x <= w else float32(0.0)
        tile[0, ty, 0] = e
        tile[1, ty, 0] = e
    if tx == 16:
        e = U[y, x + 1] if y < h and x + 1 < w else float32(0.0)
        tile[0, ty, 17] = e
        tile[1, ty, 17] = e
    if ty == 1:
        e = U[y - 1, x] if x < w and y > 0 and y <= h else float32(0.0)
        tile[0, 0, tx] = e
        tile[1, 0, tx] = e
    if ty == 16:
        e = U[y + 1, x] if x < w and y + 1 < h else float32(0.0)
        tile[0, 17, tx] = e
        tile[1, 17, tx] = e
    cuda.syncthreads()
    p = 0
    for s in range(steps):
        c = tile[p, ty, tx]
        l = tile[p, ty, tx - 1] + tile[p, ty, tx + 1] + tile[p, ty - 1, tx] + tile[p, ty + 1, tx] - float32(4.0) * c
        tile[1 - p, ty, tx] = c + float32(0.2) * l
        p = 1 - p
        cuda.syncthreads()
    if inside:
        R[y, x] = tile[p, ty, tx]


# a random walk: a xorshift generator, float32 functions with fast and slow paths
def nb_walk(out, hits, seed, n, steps):
    O = carray(out, (n, 2))
    Hn = carray(hits, (8,))
    i = cuda.grid(1)
    if i >= n:
        return
    s = uint32(seed[i] * 2 + 1)
    x = float32(0.0)
    y = float32(0.0)
    far = int32(0)
    for k in range(steps):
        s = uint32(s ^ (s << uint32(13)))
        s = uint32(s ^ (s >> uint32(17)))
        s = uint32(s ^ (s << uint32(5)))
        a = float32(s >> uint32(8)) * float32(3.7450704e-07)
        r = math.sqrt(-math.log(float32((s & uint32(0xffff)) + uint32(1)) * float32(1.5258789e-05)))
        x += r * math.cos(a)
        y += r * math.sin(a)
        if x * x + y * y > float32(steps):
            far += 1
    O[i, 0] = math.hypot(x, y)
    O[i, 1] = math.atan2(y, x)
    cuda.atomic.add(Hn, far & 7, 1)


SIGS = dict(
    nb_matmul=void(PF, PF, PF, int32, int32, int32), nb_row_stats=void(PI, PI, PI, int32, int32), nb_median=void(PI, PI, int32, int32),
    nb_collatz=void(PI, PU, PI, int32), nb_black_scholes=void(PF, PF, PF, PF, PF, int32), nb_levenshtein=void(PI, PI, PI, int32, int32),
    nb_histogram=void(PI, PI, PI, int32), nb_heat=void(PF, PF, int32, int32, int32), nb_walk=void(PF, PI, PI, int32, int32))


def compile_one(name):
    out = cuda.compile(globals()[name], SIGS[name], device=False, abi="numba", cc=(9, 0), output="ptx", fastmath=False)
    return out[0]


# there is no driver where this is compiled: calls between device functions ask it for the architecture
import types as _types
import numba.cuda.dispatcher as _dispatcher
_dispatcher.get_current_device = lambda: _types.SimpleNamespace(compute_capability=(9, 0))

# what carray returns is a view of an argument: stores to it are not dead
from numba.cuda.core import ir_utils as _ir_utils
_find = _ir_utils.find_potential_aliases


def _aliases(blocks, args, typemap, func_ir, alias_map=None, arg_aliases=None):
    alias_map, arg_aliases = _find(blocks, args, typemap, func_ir, alias_map, arg_aliases)
    if typemap:
        arg_aliases |= {v for v, t in typemap.items() if isinstance(t, (numba.types.Array, numba.cuda.types.Array))}
    return alias_map, arg_aliases


_ir_utils.find_potential_aliases = _aliases
