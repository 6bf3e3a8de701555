"""Triton kernels as people write them for training and serving of language models and for science."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


# ------------------------------------------------------------------ rows
@triton.jit
def softmax_rows(out, x, n_rows, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0), num_stages=3):
        v = tl.load(x + row * n_cols + cols, mask=mask, other=-float("inf"))
        v = v - tl.max(v, 0)
        e = tl.exp(v)
        tl.store(out + row * n_cols + cols, e / tl.sum(e, 0), mask=mask)


@triton.jit
def layer_norm_fwd(y, x, w, b, mean_out, rstd_out, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * n_cols
    y += row * n_cols
    acc = tl.zeros([BLOCK], tl.float32)
    for off in range(0, n_cols, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        acc += tl.load(x + cols, mask=cols < n_cols, other=0.0)
    mean = tl.sum(acc, 0) / n_cols
    var = tl.zeros([BLOCK], tl.float32)
    for off in range(0, n_cols, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        v = tl.load(x + cols, mask=cols < n_cols, other=0.0)
        v = tl.where(cols < n_cols, v - mean, 0.0)
        var += v * v
    rstd = 1 / tl.sqrt(tl.sum(var, 0) / n_cols + eps)
    tl.store(mean_out + row, mean)
    tl.store(rstd_out + row, rstd)
    for off in range(0, n_cols, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        mask = cols < n_cols
        v = tl.load(x + cols, mask=mask, other=0.0, eviction_policy="evict_first")
        tl.store(y + cols, (v - mean) * rstd * tl.load(w + cols, mask=mask) + tl.load(b + cols, mask=mask), mask=mask)


@triton.jit
def layer_norm_bwd(dx, dw_part, db_part, dy, x, w, mean, rstd, n_rows, n_cols, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    weight = tl.load(w + cols, mask=mask, other=0.0)
    dw = tl.zeros([BLOCK], tl.float32)
    db = tl.zeros([BLOCK], tl.float32)
    for row in range(pid, n_rows, tl.num_programs(0)):
        at = row * n_cols + cols
        xv = tl.load(x + at, mask=mask, other=0.0)
        g = tl.load(dy + at, mask=mask, other=0.0)
        m = tl.load(mean + row)
        r = tl.load(rstd + row)
        xhat = tl.where(mask, (xv - m) * r, 0.0)
        wdy = weight * g
        c1 = tl.sum(xhat * wdy, 0) / n_cols
        c2 = tl.sum(wdy, 0) / n_cols
        tl.store(dx + at, (wdy - (xhat * c1 + c2)) * r, mask=mask)
        dw += g * xhat
        db += g
    tl.store(dw_part + pid * n_cols + cols, dw, mask=mask)
    tl.store(db_part + pid * n_cols + cols, db, mask=mask)


@triton.jit
def rms_norm_residual(y, res, x, w, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    h = tl.load(x + row * n_cols + cols, mask=mask, other=0.0) + tl.load(res + row * n_cols + cols, mask=mask, other=0.0)
    tl.store(res + row * n_cols + cols, h, mask=mask)
    r = tl.rsqrt(tl.sum(h * h, 0) / n_cols + eps)
    tl.store(y + row * n_cols + cols, (h * r * tl.load(w + cols, mask=mask, other=0.0)).to(tl.bfloat16), mask=mask)


@triton.jit
def rotary(q, pos, heads, scale, HALF: tl.constexpr, BH: tl.constexpr):
    token = tl.program_id(0)
    p = (tl.load(pos + token) & 8191).to(tl.float32)
    d = tl.arange(0, HALF)
    angle = p * tl.exp2(d.to(tl.float32) * scale)
    c = tl.cos(angle)[None, :]
    s = tl.sin(angle)[None, :]
    for h0 in range(0, heads, BH):
        h = h0 + tl.arange(0, BH)
        at = q + (token * heads + h[:, None]) * (2 * HALF) + d[None, :]
        m = h[:, None] < heads
        a = tl.load(at, mask=m, other=0.0)
        b = tl.load(at + HALF, mask=m, other=0.0)
        tl.store(at, a * c - b * s, mask=m)
        tl.store(at + HALF, b * c + a * s, mask=m)


@triton.jit
def cross_entropy(loss, grad, logits, labels, n_cols, smoothing, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(labels + row) % n_cols
    m = -float("inf")
    d = 0.0
    total = 0.0
    for off in range(0, n_cols, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        v = tl.load(logits + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
        top = tl.maximum(m, tl.max(v, 0))
        d = d * tl.exp(m - top) + tl.sum(tl.exp(v - top), 0)
        total += tl.sum(tl.where(cols < n_cols, v, 0.0), 0)
        m = top
    lse = m + tl.log(d)
    target = tl.load(logits + row * n_cols + label)
    tl.store(loss + row, lse - (1 - smoothing) * target - smoothing * total / n_cols)
    for off in range(0, n_cols, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        v = tl.load(logits + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
        g = tl.exp(v - lse) - smoothing / n_cols
        tl.store(grad + row * n_cols + cols, tl.where(cols == label, g - (1 - smoothing), g), mask=cols < n_cols)


# ------------------------------------------------------------------ element-wise
@triton.jit
def geglu_swiglu(out_g, out_s, gate, up, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    g = tl.load(gate + i, mask=mask, other=0.0) * 0.1
    u = tl.load(up + i, mask=mask, other=0.0) * 0.1
    gelu = 0.5 * g * (1 + libdevice.tanh(0.7978845608 * (g + 0.044715 * g * g * g)))
    tl.store(out_g + i, (gelu * u).to(tl.float16), mask=mask)
    tl.store(out_s + i, (g * tl.sigmoid(g) * u).to(tl.bfloat16), mask=mask)


@triton.jit
def dropout_philox(out, x, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    keep = tl.rand(seed, i) > p
    noise = tl.randn(seed + 1, i)
    v = tl.load(x + i, mask=mask, other=0.0)
    tl.store(out + i, tl.where(keep, v / (1 - p), 0.0) + 0.01 * noise, mask=mask)


@triton.jit
def adam_update(p, m, v, g, n, lr, b1, b2, eps, decay, c1, c2, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    pv = tl.load(p + i, mask=mask)
    gv = tl.load(g + i, mask=mask)
    mv = b1 * tl.load(m + i, mask=mask) + (1 - b1) * gv
    vv = b2 * tl.abs(tl.load(v + i, mask=mask)) + (1 - b2) * gv * gv
    pv = pv * (1 - lr * decay) - lr * (mv / c1) / (tl.sqrt_rn(vv / c2) + eps)
    tl.store(p + i, pv, mask=mask)
    tl.store(m + i, mv, mask=mask)
    tl.store(v + i, vv, mask=mask)


# ------------------------------------------------------------------ products
@triton.jit
def matmul_f16(a, b, c, M, N, K, stride_am, stride_bk, scale,
               BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    num_m = tl.cdiv(M, BM)
    num_n = tl.cdiv(N, BN)
    per = GROUP * num_n
    first = pid // per * GROUP
    size = min(num_m - first, GROUP)
    pid_m = first + (pid % per) % size
    pid_n = (pid % per) // size
    rm = (pid_m * BM + tl.arange(0, BM)) % M
    rn = (pid_n * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * stride_am + rk[None, :]
    pb = b + rk[:, None] * stride_bk + rn[None, :]
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        av = tl.load(pa, mask=rk[None, :] < K - k * BK, other=0.0)
        bv = tl.load(pb, mask=rk[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(av, bv, acc)
        pa += BK
        pb += BK * stride_bk
    cm = pid_m * BM + tl.arange(0, BM)
    cn = pid_n * BN + tl.arange(0, BN)
    tl.store(c + cm[:, None] * N + cn[None, :], (acc * scale).to(tl.float16), mask=(cm[:, None] < M) & (cn[None, :] < N))


@triton.jit
def matmul_bias_gelu(a, b, bias, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        av = tl.load(a + rm[:, None] * K + (k + rk)[None, :], mask=(rm[:, None] < M) & ((k + rk)[None, :] < K), other=0.0)
        bv = tl.load(b + (k + rk)[:, None] * N + rn[None, :], mask=(rn[None, :] < N) & ((k + rk)[:, None] < K), other=0.0)
        acc = tl.dot((av * 0.02).to(tl.float16), (bv * 0.02).to(tl.float16), acc)
    v = acc + tl.load(bias + rn, mask=rn < N, other=0.0)[None, :] * 0.02
    v = 0.5 * v * (1 + libdevice.erf(v * 0.70710678))
    tl.store(c + rm[:, None] * N + rn[None, :], v.to(tl.bfloat16), mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def matmul_int8(a, bt, sa, sb, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * K + rk[None, :]
    pb = bt + rn[None, :] * K + rk[:, None]
    acc = tl.zeros([BM, BN], tl.int32)
    for k in range(0, K, BK):
        av = tl.load(pa, mask=(rm[:, None] < M) & (rk[None, :] < K - k), other=0)
        bv = tl.load(pb, mask=(rn[None, :] < N) & (rk[:, None] < K - k), other=0)
        acc = tl.dot(av, bv, acc, out_dtype=tl.int32)
        pa += BK
        pb += BK
    v = acc.to(tl.float32) * tl.load(sa + rm, mask=rm < M, other=0.0)[:, None] * tl.load(sb + rn, mask=rn < N, other=0.0)[None, :]
    tl.store(c + rm[:, None] * N + rn[None, :], v, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def matmul_fp8(a, bt, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        av = tl.load(a + rm[:, None] * K + (k + rk)[None, :], mask=rm[:, None] < M, other=0)
        bv = tl.load(bt + rn[None, :] * K + (k + rk)[:, None], mask=rn[None, :] < N, other=0)
        fa = (av & -73).to(tl.float8e4nv, bitcast=True)      # the pattern 0xb7: sign and small exponents, never NaN
        fb = (bv & -73).to(tl.float8e4nv, bitcast=True)
        acc = tl.dot(fa, fb, acc)
    tl.store(c + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def matmul_tf32(a, bt, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * K + rk[None, :]
    pb = bt + rn[None, :] * K + rk[:, None]
    acc = tl.zeros([BM, BN], tl.float32)
    for k in tl.range(0, K, BK):
        av = tl.load(pa, mask=rm[:, None] < M, other=0.0)
        bv = tl.load(pb, mask=rn[None, :] < N, other=0.0)
        acc = tl.dot(av, bv, acc, input_precision="tf32")
        pa += BK
        pb += BK
    tl.store(c + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def batched_f16(a, b, c, M, N, K, stride_a, stride_b, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    batch = tl.program_id(1)
    num_n = tl.cdiv(N, BN)
    pid_m = tl.program_id(0) // num_n
    pid_n = tl.program_id(0) % num_n
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a += batch * stride_a
    b += batch * stride_b
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        av = tl.load(a + rm[:, None] * K + (k + rk)[None, :], mask=(rm[:, None] < M) & ((k + rk)[None, :] < K), other=0.0)
        bv = tl.load(b + (k + rk)[:, None] * N + rn[None, :], mask=(rn[None, :] < N) & ((k + rk)[:, None] < K), other=0.0)
        acc = tl.dot(av, bv, acc)
    tl.store(c + batch.to(tl.int64) * M * N + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def splitk_int8(a, bt, c, M, N, K, SPLIT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    pid_k = tl.program_id(2)
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    rk = pid_k * BK + tl.arange(0, BK)
    acc = tl.zeros([BM, BN], tl.int32)
    for k in range(0, tl.cdiv(K, BK * SPLIT)):
        av = tl.load(a + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0)
        bv = tl.load(bt + rn[None, :] * K + rk[:, None], mask=(rn[None, :] < N) & (rk[:, None] < K), other=0)
        acc = tl.dot(av, bv, acc, out_dtype=tl.int32)
        rk += BK * SPLIT
    tl.atomic_add(c + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N), sem="relaxed")


@triton.jit
def moe_gemm(x, w, c, token_ids, tile_expert, n_tokens, experts, n_slots, N, K,
             BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    e = tl.load(tile_expert + pid_m) % experts
    slot = pid_m * BM + tl.arange(0, BM)
    live = slot < n_slots
    token = tl.load(token_ids + slot, mask=live, other=0) % n_tokens
    rn = pid_n * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    w += e * K * N
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        av = tl.load(x + token[:, None] * K + (k + rk)[None, :], mask=live[:, None] & ((k + rk)[None, :] < K), other=0.0)
        bv = tl.load(w + (k + rk)[:, None] * N + rn[None, :], mask=(rn[None, :] < N) & ((k + rk)[:, None] < K), other=0.0)
        acc += tl.dot(av.to(tl.bfloat16), bv.to(tl.bfloat16))
    tl.store(c + slot[:, None] * N + rn[None, :], (acc * 0.01).to(tl.float16), mask=live[:, None] & (rn[None, :] < N))


@triton.jit
def tma_matmul(a, bt, c, M, N, K, stride_a, stride_b, tiles, scale, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    da = tl.make_tensor_descriptor(a, shape=[M, K], strides=[stride_a, 1], block_shape=[BM, BK])
    db = tl.make_tensor_descriptor(bt, shape=[N, K], strides=[stride_b, 1], block_shape=[BN, BK])
    dc = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    num_n = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0)):
        m = tile // num_n * BM
        n = tile % num_n * BN
        acc = tl.zeros([BM, BN], tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(da.load([m, k]), db.load([n, k]).T, acc)
        dc.store([m, n], acc * scale)


@triton.jit
def tma_dilated(out, img, H, W, BH: tl.constexpr, BW: tl.constexpr):
    src = tl.make_tensor_descriptor(img, shape=[H, W], strides=[W, 1], block_shape=[BH, BW])
    dst = tl.make_tensor_descriptor(out, shape=[H, W], strides=[W, 1], block_shape=[BH, BW])
    y = tl.program_id(1) * BH
    x = tl.program_id(0) * BW
    acc = tl.zeros([BH, BW], tl.float32)
    for dy in tl.static_range(-1, 2):
        for dx in tl.static_range(-1, 2):
            acc += src.load([y + 3 * dy, x + 4 * dx]) * (1.0 / (4 + 4 * dy * dy + 4 * dx * dx))
    dst.store([y, x], acc)


# ------------------------------------------------------------------ attention
@triton.jit
def flash_fwd(q, k, v, o, lse, T, sm_scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(1)
    start = tl.program_id(0) * BM
    rm = start + tl.arange(0, BM)
    rd = tl.arange(0, D)
    base = head * T * D
    qv = tl.load(q + base + rm[:, None] * D + rd[None, :], mask=rm[:, None] < T, other=0.0)
    qv = (qv * sm_scale).to(tl.float16)
    m = tl.full([BM], -float("inf"), tl.float32)
    l = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    end = min(start + BM, T) if CAUSAL else T
    for n in range(0, end, BN):
        rn = n + tl.arange(0, BN)
        kv = tl.load(k + base + rn[None, :] * D + rd[:, None], mask=rn[None, :] < T, other=0.0).to(tl.float16)
        s = tl.dot(qv, kv)
        ok = rn[None, :] < T
        if CAUSAL:
            ok = ok & (rm[:, None] >= rn[None, :])
        s = tl.where(ok, s, -1.0e6)
        top = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2(s - top[:, None])
        alpha = tl.exp2(m - top)
        l = l * alpha + tl.sum(p, 1)
        vv = tl.load(v + base + rn[:, None] * D + rd[None, :], mask=rn[:, None] < T, other=0.0).to(tl.float16)
        acc = tl.dot(p.to(tl.float16), vv, acc * alpha[:, None])
        m = top
    tl.store(lse + head * T + rm, m + tl.log2(l), mask=rm < T)
    tl.store(o + base + rm[:, None] * D + rd[None, :], acc / l[:, None], mask=rm[:, None] < T)


@triton.jit
def flash_f16(q, k, v, o, T, row, sm_scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Queries, keys and values as 16-bit words copied straight to shared memory."""
    head = tl.program_id(1)
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    qv = tl.load(q + head * D + rm[:, None] * row + rd[None, :], mask=rm[:, None] < T, other=0.0)
    pk = k + head * D + tl.arange(0, BN)[None, :] * row + rd[:, None]
    pv = v + head * D + tl.arange(0, BN)[:, None] * row + rd[None, :]
    m = tl.full([BM], -float("inf"), tl.float32)
    l = tl.full([BM], 1.0, tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for n in tl.range(0, T, BN, num_stages=3):
        rn = n + tl.arange(0, BN)
        s = tl.dot(qv, tl.load(pk, mask=rn[None, :] < T, other=0.0)) * sm_scale
        s = tl.where(rn[None, :] < T, s, -float("inf"))
        top = tl.maximum(m, tl.max(s, 1))
        p = tl.math.exp2(s - top[:, None])
        alpha = tl.math.exp2(m - top)
        l = l * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        acc = tl.dot(p.to(tl.float16), tl.load(pv, mask=rn[:, None] < T, other=0.0), acc)
        m = top
        pk += BN * row
        pv += BN * row
    tl.store(o + (head * T + rm[:, None]) * D + rd[None, :], (acc / l[:, None]).to(tl.float16), mask=rm[:, None] < T)


@triton.jit
def paged_decode(out, q, kc, vc, tables, lens, n_pages, max_pages, sm_scale, D: tl.constexpr, PAGE: tl.constexpr):
    seq = tl.program_id(0)
    head = tl.program_id(1)
    heads = tl.num_programs(1)
    n = 1 + tl.load(lens + seq) % (max_pages * PAGE)
    rd = tl.arange(0, D)
    rp = tl.arange(0, PAGE)
    qv = tl.load(q + (seq * heads + head) * D + rd) * sm_scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    for p in range(0, tl.cdiv(n, PAGE)):
        page = tl.load(tables + seq * max_pages + p) % n_pages
        at = ((page * heads + head) * PAGE + rp[:, None]) * D + rd[None, :]
        live = p * PAGE + rp < n
        kv = tl.load(kc + at, mask=live[:, None], other=0).to(tl.float32)
        s = tl.where(live, tl.sum(kv * qv[None, :], 1), -float("inf"))
        top = tl.maximum(m, tl.max(s, 0))
        pr = tl.exp(s - top)
        alpha = tl.exp(m - top)
        l = l * alpha + tl.sum(pr, 0)
        vv = tl.load(vc + at, mask=live[:, None], other=0).to(tl.float32)
        acc = acc * alpha + tl.sum(pr[:, None] * vv, 0)
        m = top
    tl.store(out + (seq * heads + head) * D + rd, acc / l)


@triton.jit
def linear_attention(o, q, k, v, chunks, decay, D: tl.constexpr, C: tl.constexpr):
    head = tl.program_id(0)
    rc = tl.arange(0, C)
    rd = tl.arange(0, D)
    base = head * chunks * C * D
    state = tl.zeros([D, D], tl.float32)
    low = rc[:, None] >= rc[None, :]
    fade = tl.where(low, tl.exp2((rc[None, :] - rc[:, None]).to(tl.float32) * decay), 0.0)
    for c in range(0, chunks):
        at = base + (c * C + rc[:, None]) * D + rd[None, :]
        qv = tl.load(q + at) * 0.02
        kv = tl.load(k + at) * 0.02
        vv = tl.load(v + at) * 0.02
        s = tl.dot(qv, tl.trans(kv), input_precision="ieee") * fade
        out = tl.dot(s, vv, input_precision="tf32x3")
        out += tl.dot(qv * tl.exp2(-rc.to(tl.float32) * decay)[:, None], state, input_precision="tf32x3")
        state = state * tl.exp2(-C * decay) + tl.dot(tl.trans(kv), vv, input_precision="tf32")
        tl.store(o + at, out)


# ------------------------------------------------------------------ routing, gathering
@triton.jit
def router_top4(weights, ids, logits, bias, n, E: tl.constexpr, ROWS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    e = tl.arange(0, E)
    live = r < n
    v = tl.load(logits + r[:, None] * E + e[None, :], mask=live[:, None], other=0.0) * 0.1
    score = tl.sigmoid(v) + tl.load(bias + e)[None, :] * 0.001
    total = tl.zeros([ROWS], tl.float32)
    for j in tl.static_range(4):
        top = tl.max(score, 1)
        best = tl.argmax(score, 1)
        total += top
        tl.store(weights + r * 4 + j, top / total, mask=live)
        tl.store(ids + r * 4 + j, best, mask=live)
        score = tl.where(e[None, :] == best[:, None], -float("inf"), score)


@triton.jit
def embedding_norm(out, ids, table, pos_table, n_tokens, vocab, dim, seq, BLOCK: tl.constexpr):
    for t in range(tl.program_id(0), n_tokens, tl.num_programs(0)):
        d = tl.arange(0, BLOCK)
        m = d < dim
        row = tl.load(ids + t) % vocab
        v = tl.load(table + row.to(tl.int64) * dim + d, mask=m, other=0.0)
        v += tl.load(pos_table + t % seq * dim + d, mask=m, other=0.0)
        norm = tl.sqrt(tl.sum(v * v, 0))
        tl.store(out + t * dim + d, v / tl.maximum(norm, 1e-6), mask=m)


@triton.jit
def sort_rows(keys_out, top_out, x, n, COLS: tl.constexpr, ROWS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, COLS)
    live = r[:, None] < n
    v = tl.load(x + r[:, None] * COLS + c[None, :], mask=live, other=0)
    key = ((v >> 1) << 8) | c[None, :]
    s = tl.sort(key, 1)
    tl.store(keys_out + r[:, None] * COLS + c[None, :], s, mask=live)
    t = tl.topk((v & 0xffff).to(tl.float32) * 0.5, 8, 1)
    tl.store(top_out + r[:, None] * 8 + tl.arange(0, 8)[None, :], t, mask=live)


# ------------------------------------------------------------------ scans, histograms, segments
@triton.jit
def _recur(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def ssm_scan(y, x, dt, n_chan, steps, T: tl.constexpr, C: tl.constexpr):
    ch = tl.program_id(0) * C + tl.arange(0, C)
    rt = tl.arange(0, T)
    base = tl.program_id(1) * steps * n_chan
    carry = tl.zeros([C], tl.float32)
    for t0 in range(0, steps, T):
        t = t0 + rt
        at = base + t[:, None] * n_chan + ch[None, :]
        m = (t[:, None] < steps) & (ch[None, :] < n_chan)
        d = tl.load(dt + at, mask=m, other=0.0)
        a = 1.0 / (1.0 + tl.exp(d * 0.05))
        b = tl.load(x + at, mask=m, other=0.0) * (1.0 - a)
        a = tl.where(m, a, 1.0)
        pa, pb = tl.associative_scan((a, b), 0, _recur)
        h = pa * carry[None, :] + pb
        tl.store(y + at, h, mask=m)
        carry = tl.sum(tl.where(rt[:, None] == T - 1, h, 0.0), 0)


@triton.jit
def _seg(f1, v1, f2, v2):
    return f1 | f2, tl.where(f2 != 0, v2, v1 + v2)


@triton.jit
def segment_scan(out, sums, heads, x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    f = tl.load(heads + i, mask=m, other=0) & 15
    v = tl.load(x + i, mask=m, other=0) & 1023
    flag = (f == 0).to(tl.int32)
    _, s = tl.associative_scan((flag, v), 0, _seg)
    back = tl.cumsum(v, 0, reverse=True)
    tl.store(out + i, s * 65536 + (back & 65535), mask=m)
    tl.atomic_add(sums + f, v, mask=m, sem="relaxed")
    tl.atomic_add(sums + 16, tl.sum(flag * v, 0), sem="relaxed")
    tl.atomic_max(sums + 17, tl.max(s, 0), sem="relaxed")


@triton.jit
def histogram_256(hist, x, n, BLOCK: tl.constexpr):
    bins = tl.zeros([256], tl.int32)
    for off in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        i = off + tl.arange(0, BLOCK)
        m = i < n
        v = tl.load(x + i, mask=m, other=0)
        bins += tl.histogram((v * v >> 3) & 255, 256, mask=m)
    tl.atomic_add(hist + tl.arange(0, 256), bins)


@triton.jit
def int_atomics(table, seen, x, n, mask_bits, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m, other=0)
    slot = (v * 40503 >> 7) & mask_bits
    tl.atomic_add(table + slot, 1, mask=m, sem="relaxed")
    tl.atomic_max(table + mask_bits + 1 + slot, v, mask=m)
    tl.atomic_or(seen + (slot >> 5), 1 << (slot & 31), mask=m, sem="relaxed")
    tl.atomic_xor(table + 2 * (mask_bits + 1) + (slot & 63), v, mask=m, sem="acquire")
    tl.atomic_min(table + 3 * (mask_bits + 1), -tl.max(v, 0))


# ------------------------------------------------------------------ quantisation
@triton.jit
def quant_rows(q8, scales, f8, x, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < n_cols
    v = tl.load(x + row * n_cols + c, mask=m, other=0.0)
    top = tl.max(tl.abs(v), 0)
    s = tl.maximum(top, 1e-8) / 127.0
    tl.store(scales + row, s)
    tl.store(q8 + row * n_cols + c, libdevice.rint(tl.div_rn(v, s)).to(tl.int8), mask=m)
    tl.store(f8 + row * n_cols + c, (v * (448.0 / tl.maximum(top, 1e-8))).to(tl.float8e4nv), mask=m)


@triton.jit
def int4_matvec(y, w, scales, x, n_rows, words, BR: tl.constexpr, BW: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    acc = tl.zeros([BR], tl.float32)
    for k in range(0, words, BW):
        c = k + tl.arange(0, BW)
        m = (r[:, None] < n_rows) & (c[None, :] < words)
        p = tl.load(w + r[:, None] * words + c[None, :], mask=m, other=0)
        s = tl.load(scales + r[:, None] * (words // 4) + c[None, :] // 4, mask=m, other=0.0)
        part = tl.zeros([BR, BW], tl.float32)
        for j in tl.static_range(8):
            xv = tl.load(x + c * 8 + j, mask=c < words, other=0.0)
            part += (((p >> (4 * j)) & 15) - 8).to(tl.float32) * xv[None, :]
        acc += tl.sum(part * s, 1)
    tl.store(y + r, acc, mask=r < n_rows)


@triton.jit
def nf4_lookup(out, packed, code, absmax, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    p = tl.load(packed + i, mask=m, other=0).to(tl.int32)
    book = tl.load(code + tl.arange(0, 16))
    s = tl.load(absmax + i // 32, mask=m, other=0.0)
    lo = tl.gather(book, p & 15, 0) * s
    hi = tl.gather(book, (p >> 4) & 15, 0) * s
    j = tl.program_id(0) * BLOCK * 2 + tl.arange(0, BLOCK * 2)
    tl.store(out + j, tl.interleave(lo, hi).to(tl.bfloat16), mask=j < 2 * n)


# ------------------------------------------------------------------ convolutions, grids, science
@triton.jit
def conv1d_silu(out, x, w, bias, channels, steps, BT: tl.constexpr, BC: tl.constexpr):
    t = tl.program_id(0) * BT + tl.arange(0, BT)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    cm = c < channels
    acc = tl.zeros([BT, BC], tl.float32) + tl.load(bias + c, mask=cm, other=0.0)[None, :]
    for j in tl.static_range(4):
        tj = t - 3 + j
        wv = tl.load(w + c * 4 + j, mask=cm, other=0.0) * 0.05
        acc += wv[None, :] * tl.load(x + tj[:, None] * channels + c[None, :], mask=(tj[:, None] >= 0) & (tj[:, None] < steps) & cm[None, :], other=0.0)
    tl.store(out + t[:, None] * channels + c[None, :], acc * tl.sigmoid(acc), mask=(t[:, None] < steps) & cm[None, :])


@triton.jit
def stencil_2d(out, u, H, W, alpha, BH: tl.constexpr, BW: tl.constexpr):
    y = tl.program_id(1) * BH + tl.arange(0, BH)[:, None]
    x = tl.program_id(0) * BW + tl.arange(0, BW)[None, :]
    m = (y < H) & (x < W)
    up = tl.where(y > 0, y - 1, 0)
    dn = tl.minimum(y + 1, H - 1)
    lf = tl.where(x > 0, x - 1, W - 1)
    rt = tl.where(x < W - 1, x + 1, 0)
    c = tl.load(u + y * W + x, mask=m, other=0.0)
    s = tl.load(u + up * W + x, mask=m, other=0.0) + tl.load(u + dn * W + x, mask=m, other=0.0)
    s += tl.load(u + y * W + lf, mask=m, other=0.0) + tl.load(u + y * W + rt, mask=m, other=0.0)
    d = tl.load(u + up * W + lf, mask=m, other=0.0) + tl.load(u + dn * W + rt, mask=m, other=0.0)
    d += tl.load(u + up * W + rt, mask=m, other=0.0) + tl.load(u + dn * W + lf, mask=m, other=0.0)
    tl.store(out + y * W + x, c + alpha * (0.2 * d + 0.8 * s - 4 * c) - 0.001 * c * tl.abs(c), mask=m)


@triton.jit
def nbody(acc_out, pos, n, eps, BI: tl.constexpr, BJ: tl.constexpr):
    i = tl.program_id(0) * BI + tl.arange(0, BI)
    mi = i < n
    xi = tl.load(pos + i, mask=mi, other=0.0)
    yi = tl.load(pos + n + i, mask=mi, other=0.0)
    zi = tl.load(pos + 2 * n + i, mask=mi, other=0.0)
    ax = tl.zeros([BI], tl.float32)
    ay = tl.zeros([BI], tl.float32)
    az = tl.zeros([BI], tl.float32)
    for j0 in range(0, n, BJ):
        j = j0 + tl.arange(0, BJ)
        mj = j < n
        dx = tl.load(pos + j, mask=mj, other=0.0)[None, :] - xi[:, None]
        dy = tl.load(pos + n + j, mask=mj, other=0.0)[None, :] - yi[:, None]
        dz = tl.load(pos + 2 * n + j, mask=mj, other=0.0)[None, :] - zi[:, None]
        r = tl.rsqrt(dx * dx + dy * dy + dz * dz + eps)
        f = tl.where(mj[None, :], r * r * r, 0.0)
        ax += tl.sum(dx * f, 1)
        ay += tl.sum(dy * f, 1)
        az += tl.sum(dz * f, 1)
    tl.store(acc_out + i, ax, mask=mi)
    tl.store(acc_out + n + i, ay, mask=mi)
    tl.store(acc_out + 2 * n + i, az, mask=mi)


@triton.jit
def mandelbrot(out, W, n, limit, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cx = (i % W).to(tl.float32) / W * 3.0 - 2.2
    cy = (i // W).to(tl.float32) / (n // W) * 2.4 - 1.2
    x = tl.zeros([BLOCK], tl.float32)
    y = tl.zeros([BLOCK], tl.float32)
    count = tl.zeros([BLOCK], tl.int32)
    it = 0
    live = tl.max((i < n).to(tl.int32), 0)
    while (live > 0) & (it < limit):
        x2 = x * x
        y2 = y * y
        on = (x2 + y2 <= 4.0) & (i < n)
        count += on.to(tl.int32)
        y = tl.where(on, 2 * x * y + cy, y)
        x = tl.where(on, x2 - y2 + cx, x)
        it += 1
        live = tl.max(on.to(tl.int32), 0)
    tl.store(out + i, count, mask=i < n)


@triton.jit
def csr_spmv(y, val, col, lens, x, n_rows, n_cols, pitch, ROWS: tl.constexpr, LANES: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    live = r < n_rows
    length = tl.load(lens + r, mask=live, other=0) % pitch
    length = tl.where(live, length, 0)
    start = r * pitch
    acc = tl.zeros([ROWS, LANES], tl.float32)
    for k in range(0, tl.max(length, 0), LANES):
        c = k + tl.arange(0, LANES)
        m = c[None, :] < length[:, None]
        at = start[:, None] + c[None, :]
        j = tl.load(col + at, mask=m, other=0) % n_cols
        acc += tl.load(val + at, mask=m, other=0.0) * tl.load(x + j, mask=m, other=0.0)
    tl.store(y + r, tl.sum(acc, 1), mask=live)


@triton.jit
def transpose_2d(out, x, H, W, B: tl.constexpr):
    y = tl.program_id(1) * B + tl.arange(0, B)
    c = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + y[:, None] * W + c[None, :], mask=(y[:, None] < H) & (c[None, :] < W), other=0)
    tl.store(out + c[:, None] * H + y[None, :], tl.trans(v), mask=(c[:, None] < W) & (y[None, :] < H))


@triton.jit
def inline_ptx(out, x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    a = tl.load(x + i, mask=m, other=0)
    b = tl.load(y + i, mask=m, other=0)
    r = tl.inline_asm_elementwise("lop3.b32 $0, $1, $2, $3, 0x96;", "=r,r,r,r", [a, b, a >> 3], dtype=tl.int32, is_pure=True, pack=1)
    p = tl.inline_asm_elementwise("prmt.b32 $0, $1, $2, 0x2714;", "=r,r,r", [r, b], dtype=tl.int32, is_pure=True, pack=1)
    c = tl.inline_asm_elementwise("""
        {
        .reg .b32 t<3>;
        popc.b32 t0, $2;
        bfind.u32 t1, $3;
        mad.lo.s32 $0, t0, 37, t1;
        vabsdiff4.u32.u32.u32.add t2, $2, $3, t0;
        shf.l.wrap.b32 $1, t2, $2, 11;
        }""", "=r,=r,r,r", [p, r], dtype=(tl.int32, tl.int32), is_pure=True, pack=1)
    tl.store(out + i, c[0] ^ c[1], mask=m)


@triton.jit
def _welford(m1, s1, n1, m2, s2, n2):
    d = m2 - m1
    n = n1 + n2
    r = tl.where(n == 0.0, 0.0, n2 / n)
    return m1 + d * r, s1 + s2 + d * d * n1 * r, n


@triton.jit
def welford(out, x, n_rows, n_cols, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        mean = tl.zeros([BLOCK], tl.float32)
        m2 = tl.zeros([BLOCK], tl.float32)
        cnt = tl.zeros([BLOCK], tl.float32)
        for off in range(0, n_cols, BLOCK):
            c = off + tl.arange(0, BLOCK)
            m = c < n_cols
            v = tl.load(x + row * n_cols + c, mask=m, other=0.0)
            cnt = tl.where(m, cnt + 1, cnt)
            d = v - mean
            mean = tl.where(m, mean + d / cnt, mean)
            m2 = tl.where(m, m2 + d * (v - mean), m2)
        a, b, c = tl.reduce((mean, m2, cnt), 0, _welford)
        tl.store(out + row * 2, a)
        tl.store(out + row * 2 + 1, b / c)
