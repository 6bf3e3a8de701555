"""One table of kernels, how they are compiled, and their launches. build.py makes compilers.cu from it."""
import struct


class B:                                                        # a buffer of 32-bit words
    def __init__(self, name, words, init, seed=0, out=False):
        self.name, self.words, self.init, self.seed, self.out = name, int(words), init, seed, out


def F(name, words, seed=1, out=False): return B(name, words, "HASH_F32", seed, out)
def I(name, words, seed=2, out=False): return B(name, words, "HASH_I32", seed, out)
def X(name, words): return B(name, words, "INDEX_U32")
def O(name, words): return B(name, words, "ZERO", 0, True)
def up(n, b): return (n + b - 1) // b
def f32(v): return struct.unpack("<i", struct.pack("<f", v))[0]


TRITON, NUMBA, CLANG = [], [], []


def T(name, sig, consts, warps, stages, launches, div=None, fn=None, **options):
    """sig: "a:*fp32 n:i32 ..."; div: the names of arguments that are multiples of 16 ("*" = every pointer); launches: (size, grid, arguments)"""
    args = [s.split(":") for s in sig.split()]
    names = set()
    for d in (div or "").split():
        names |= {n for n, t in args if t.startswith("*")} if d == "*" else {d}
    TRITON.append(dict(name=name, fn=fn or name, sig=args, consts=consts, warps=warps, stages=stages, div=names, launches=launches, options=options))


def half(n): return up(n, 2)
def byte(n): return up(n, 4)


def L(f, *sizes): return [f(*s) if isinstance(s, tuple) else f(s) for s in sizes]


# ------------------------------------------------------------------ Triton
T("softmax_rows", "out:*fp32 x:*fp32 n_rows:i32 n_cols:i32", dict(BLOCK=1024), 4, 3, div="*",
  launches=L(lambda r, c, g: (r, g, [O("out", r * c), F("x", r * c, 1), r, c]), (91, 997, 33), (3000, 1000, 264)))
T("layer_norm_fwd", "y:*fp32 x:*fp32 w:*fp32 b:*fp32 mean:*fp32 rstd:*fp32 n_cols:i32 eps:fp32", dict(BLOCK=512), 4, 3, div="* n_cols",
  launches=L(lambda r, c: (r, r, [O("y", r * c), F("x", r * c, 2), F("w", c, 3), F("b", c, 4), O("mean", r), O("rstd", r), c, f32(1e-5)]), (25, 1104), (601, 2048)))
T("layer_norm_bwd", "dx:*fp32 dw:*fp32 db:*fp32 dy:*fp32 x:*fp32 w:*fp32 mean:*fp32 rstd:*fp32 n_rows:i32 n_cols:i32", dict(BLOCK=1024), 8, 3,
  launches=L(lambda r, c, g: (r, g, [O("dx", r * c), O("dw", g * c), O("db", g * c), F("dy", r * c, 5), F("x", r * c, 6), F("w", c, 7), F("mean", r, 8), F("rstd", r, 9), r, c]),
             (67, 899, 22), (1500, 1000, 132)))
T("rms_norm_residual", "y:*bf16 res:*fp32 x:*fp32 w:*fp32 n_cols:i32 eps:fp32", dict(BLOCK=4096), 16, 3, div="*",
  launches=L(lambda r, c: (r, r, [O("y", half(r * c)), F("res", r * c, 10, True), F("x", r * c, 11), F("w", c, 12), c, f32(1e-6)]), (31, 4001), (800, 3999)))
T("rotary", "q:*fp32 pos:*i32 heads:i32 scale:fp32", dict(HALF=64, BH=4), 4, 3, div="*",
  launches=L(lambda t, h: (t, t, [F("q", t * h * 128, 13, True), I("pos", t, 14), h, f32(-13.287712 / 64)]), (37, 7), (600, 12)))
T("cross_entropy", "loss:*fp32 grad:*fp32 logits:*fp32 labels:*i32 n_cols:i32 smoothing:fp32", dict(BLOCK=1024), 4, 3,
  launches=L(lambda r, c: (r, r, [O("loss", r), O("grad", r * c), F("logits", r * c, 15), I("labels", r, 16), c, f32(0.1)]), (29, 2011), (300, 8000)))
T("geglu_swiglu", "out_g:*fp16 out_s:*bf16 gate:*fp32 up:*fp32 n:i32", dict(BLOCK=1024), 4, 3, div="*",
  launches=L(lambda n: (n, up(n, 1024), [O("out_g", half(n)), O("out_s", half(n)), F("gate", n, 17), F("up", n, 18), n]), 40003, 600000))
T("dropout_philox", "out:*fp32 x:*fp32 n:i32 p:fp32 seed:i32", dict(BLOCK=512), 4, 3, div="* ",
  launches=L(lambda n: (n, up(n, 512), [O("out", n), F("x", n, 19), n, f32(0.25), 1234567]), 8190, 200000))
T("adam_update", "p:*fp32 m:*fp32 v:*fp32 g:*fp32 n:i32 lr:fp32 b1:fp32 b2:fp32 eps:fp32 decay:fp32 c1:fp32 c2:fp32", dict(BLOCK=1024), 4, 3, div="*",
  launches=L(lambda n: (n, up(n, 1024), [F("p", n, 20, True), F("m", n, 21, True), F("v", n, 22, True), F("g", n, 23), n] + [f32(v) for v in (1e-3, .9, .999, 1e-8, .01, .65, .02)]), 33001, 700000))

# products: INDEX words below 31744 are finite halves; rows may overlap (a row stride below K) to make a large product of them
T("matmul_f16", "a:*fp16 b:*fp16 c:*fp16 M:i32 N:i32 K:i32 stride_am:i32 stride_bk:i32 scale:fp32", dict(BM=64, BN=64, BK=64, GROUP=8), 4, 3, div="* N K stride_am stride_bk",
  launches=L(lambda M, N, K, sa, sb, scale: (M, up(M, 64) * up(N, 64), [X("a", half((M - 1) * sa + K)), X("b", half((K - 1) * sb + N)), O("c", half(M * N)), M, N, K, sa, sb, f32(scale)]),
             (300, 272, 208, 208, 272, 1e-5), (1000, 1008, 1008, 48, 48, 1e-4)))
T("matmul_f16_w8", "a:*fp16 b:*fp16 c:*fp16 M:i32 N:i32 K:i32 stride_am:i32 stride_bk:i32 scale:fp32", dict(BM=128, BN=128, BK=64, GROUP=4), 8, 4, div="* N K stride_am stride_bk", fn="matmul_f16",
  launches=L(lambda M, N, K, sa, sb, scale: (M, up(M, 128) * up(N, 128), [X("a", half((M - 1) * sa + K)), X("b", half((K - 1) * sb + N)), O("c", half(M * N)), M, N, K, sa, sb, f32(scale)]),
             (500, 464, 304, 112, 112, 1e-2), (1500, 1536, 1008, 32, 48, 1e-4)))
T("matmul_bias_gelu", "a:*fp32 b:*fp32 bias:*fp32 c:*bf16 M:i32 N:i32 K:i32", dict(BM=64, BN=64, BK=32), 8, 3, div="*",
  launches=L(lambda M, N, K: (M, (up(M, 64), up(N, 64)), [F("a", M * K, 24), F("b", K * N, 25), F("bias", N, 26), O("c", half(M * N)), M, N, K]), (150, 250, 50), (1000, 500, 200)))
T("matmul_int8", "a:*i8 bt:*i8 sa:*fp32 sb:*fp32 c:*fp32 M:i32 N:i32 K:i32", dict(BM=128, BN=128, BK=64), 8, 3, div="* K",
  launches=L(lambda M, N, K: (M, (up(M, 128), up(N, 128)), [I("a", byte(M * K), 27), I("bt", byte(K * N), 28), F("sa", M, 29), F("sb", N, 30), O("c", M * N), M, N, K]), (500, 300, 272), (2000, 1500, 1024)))
T("matmul_fp8", "a:*i8 bt:*i8 c:*fp32 M:i32 N:i32 K:i32", dict(BM=64, BN=128, BK=64), 4, 3, div="* K",
  launches=L(lambda M, N, K: (M, (up(M, 64), up(N, 128)), [I("a", byte(M * K), 31), I("bt", byte(K * N), 32), O("c", M * N), M, N, K]), (250, 500, 192), (1000, 1500, 1024)))
T("matmul_tf32", "a:*fp32 bt:*fp32 c:*fp32 M:i32 N:i32 K:i32", dict(BM=64, BN=64, BK=32), 4, 4, div="* K",
  launches=L(lambda M, N, K: (M, (up(M, 64), up(N, 64)), [F("a", M * K, 33), F("bt", K * N, 34), O("c", M * N), M, N, K]), (280, 300, 96), (1000, 1000, 512)))
T("batched_f16", "a:*fp16 b:*fp16 c:*fp32 M:i32 N:i32 K:i32 stride_a:i32 stride_b:i32", dict(BM=32, BN=32, BK=32), 2, 2,
  launches=L(lambda M, N, K, batch, s: (M, (up(M, 32) * up(N, 32), batch), [X("a", half((batch - 1) * s + M * K)), X("b", half((batch - 1) * s + K * N)), O("c", batch * M * N), M, N, K, s, s]),
             (50, 70, 45, 8, 100), (100, 100, 150, 60, 200)))
T("splitk_int8", "a:*i8 bt:*i8 c:*i32 M:i32 N:i32 K:i32", dict(SPLIT=4, BM=32, BN=64, BK=64), 2, 3, div="* K",
  launches=L(lambda M, N, K: (M, (up(M, 32), up(N, 64), 4), [I("a", byte(M * K), 35), I("bt", byte(K * N), 36), O("c", M * N), M, N, K]), (60, 130, 528), (256, 1000, 4096)))
T("moe_gemm", "x:*fp32 w:*fp32 c:*fp16 token_ids:*i32 tile_expert:*i32 n_tokens:i32 experts:i32 n_slots:i32 N:i32 K:i32", dict(BM=16, BN=64, BK=64), 4, 3, div="*",
  launches=L(lambda s, n, e, N, K: (s, (up(s, 16), up(N, 64)), [F("x", n * K, 37), F("w", e * K * N, 38), O("c", half(s * N)), I("token_ids", s, 39), I("tile_expert", up(s, 16), 40), n, e, s, N, K]),
             (100, 70, 5, 120, 100), (600, 500, 8, 512, 256)))
T("tma_matmul", "a:*fp32 bt:*fp32 c:*fp32 M:i32 N:i32 K:i32 stride_a:i32 stride_b:i32 tiles:i32 scale:fp32", dict(BM=64, BN=64, BK=32), 4, 3, div="* N stride_a stride_b",
  launches=L(lambda M, N, K, g, scale: (M, g, [F("a", M * K, 85), F("bt", N * K, 86), O("c", M * N), M, N, K, K, K, up(M, 64) * up(N, 64), f32(scale)]),
             (200, 208, 160, 16, 0.5), (1000, 1024, 1008, 132, 0.01)))
T("tma_dilated", "out:*fp32 img:*fp32 H:i32 W:i32", dict(BH=32, BW=32), 4, 3, div="* W",
  launches=L(lambda H, W: (H, (up(W, 32), up(H, 32)), [O("out", H * W), F("img", H * W, 41), H, W]), (100, 144), (600, 800)))

# attention
T("flash_fwd", "q:*fp32 k:*fp32 v:*fp32 o:*fp32 lse:*fp32 T:i32 sm_scale:fp32", dict(D=64, BM=64, BN=64, CAUSAL=True), 4, 2, div="*",
  launches=L(lambda t, h: (t, (up(t, 64), h), [F("q", t * h * 64, 42), F("k", t * h * 64, 43), F("v", t * h * 64, 44), O("o", t * h * 64), O("lse", t * h), t, f32(0.0007)]), (141, 6), (500, 12)))
T("flash_f16", "q:*fp16 k:*fp16 v:*fp16 o:*fp16 T:i32 row:i32 sm_scale:fp32", dict(D=64, BM=64, BN=64), 4, 3, div="* row",
  launches=L(lambda t, h, row: (t, (up(t, 64), h), [X(n, half((t - 1) * row + h * 64)) for n in "qkv"] + [O("o", half(t * h * 64)), t, row, f32(0.18)]), (137, 6, 208), (500, 12, 64)))
T("paged_decode", "out:*fp32 q:*fp32 kc:*i8 vc:*i8 tables:*i32 lens:*i32 n_pages:i32 max_pages:i32 sm_scale:fp32", dict(D=128, PAGE=16), 4, 3, div="*",
  launches=L(lambda s, h, n, m: (s, (s, h), [O("out", s * h * 128), F("q", s * h * 128, 45), I("kc", byte(n * h * 2048), 46), I("vc", byte(n * h * 2048), 47), I("tables", s * m, 48), I("lens", s, 49), n, m, f32(1e-4)]),
             (9, 3, 21, 5), (32, 8, 300, 20)))
T("linear_attention", "o:*fp32 q:*fp32 k:*fp32 v:*fp32 chunks:i32 decay:fp32", dict(D=32, C=32), 4, 2, div="*",
  launches=L(lambda h, c: (h, h, [O("o", h * c * 1024)] + [F(n, h * c * 1024, 50 + j) for j, n in enumerate("qkv")] + [c, f32(0.05)]), (17, 2), (66, 10)))

# routing, gathering
T("router_top4", "weights:*fp32 ids:*i32 logits:*fp32 bias:*fp32 n:i32", dict(E=64, ROWS=16), 4, 3, div="*",
  launches=L(lambda n: (n, up(n, 16), [O("weights", n * 4), O("ids", n * 4), F("logits", n * 64, 53), F("bias", 64, 54), n]), 251, 6000))
T("embedding_norm", "out:*fp32 ids:*i32 table:*fp32 pos_table:*fp32 n_tokens:i32 vocab:i32 dim:i32 seq:i32", dict(BLOCK=1024), 4, 3,
  launches=L(lambda n, v, d, s, g: (n, g, [O("out", n * d), I("ids", n, 55), F("table", v * d, 56), F("pos_table", s * d, 57), n, v, d, s]), (101, 501, 770, 33, 34), (3000, 3000, 768, 256, 264)))
T("sort_rows", "keys_out:*i32 top_out:*fp32 x:*i32 n:i32", dict(COLS=64, ROWS=4), 4, 3, div="*",
  launches=L(lambda n: (n, up(n, 4), [O("keys_out", n * 64), O("top_out", n * 8), I("x", n * 64, 58), n]), 83, 1600))

# scans, histograms, segments
T("ssm_scan", "y:*fp32 x:*fp32 dt:*fp32 n_chan:i32 steps:i32", dict(T=32, C=16), 1, 3, div="*",
  launches=L(lambda c, s, b: (c, (up(c, 16), b), [O("y", c * s * b), F("x", c * s * b, 59), F("dt", c * s * b, 60), c, s]), (70, 101, 4), (500, 250, 8)))
T("segment_scan", "out:*i32 sums:*i32 heads:*i32 x:*i32 n:i32", dict(BLOCK=1024), 4, 3, div="*",
  launches=L(lambda n: (n, up(n, 1024), [O("out", n), O("sums", 18), I("heads", n, 61), I("x", n, 62), n]), 30011, 500000))
T("histogram_256", "hist:*i32 x:*i32 n:i32", dict(BLOCK=1024), 4, 3,
  launches=L(lambda n, g: (n, g, [O("hist", 256), I("x", n, 63), n]), (60011, 16), (1200000, 132)))
T("int_atomics", "table:*i32 seen:*i32 x:*i32 n:i32 mask_bits:i32", dict(BLOCK=512), 4, 3,
  launches=L(lambda n, m: (n, up(n, 512), [O("table", 3 * (m + 1) + 64), O("seen", (m + 1) // 32), I("x", n, 64), n, m]), (40003, 1023), (600000, 8191)))

# quantisation
T("quant_rows", "q8:*i8 scales:*fp32 f8:*fp8e4nv x:*fp32 n_cols:i32", dict(BLOCK=2048), 8, 3, div="*",
  launches=L(lambda r, c: (r, r, [O("q8", byte(r * c)), O("scales", r), O("f8", byte(r * c)), F("x", r * c, 65), c]), (33, 1501), (600, 2000)))
T("int4_matvec", "y:*fp32 w:*i32 scales:*fp32 x:*fp32 n_rows:i32 words:i32", dict(BR=8, BW=64), 4, 3, div="*",
  launches=L(lambda r, w: (r, up(r, 8), [O("y", r), I("w", r * w, 66), F("scales", r * w // 4, 67), F("x", w * 8, 68), r, w]), (131, 148), (1000, 512)))
T("nf4_lookup", "out:*bf16 packed:*i8 code:*fp32 absmax:*fp32 n:i32", dict(BLOCK=1024), 4, 3, div="*",
  launches=L(lambda n: (n, up(n, 1024), [O("out", n), I("packed", byte(n), 69), F("code", 16, 70), F("absmax", n // 32 + 1, 71), n]), 40005, 1000000))

# convolutions, grids, science
T("conv1d_silu", "out:*fp32 x:*fp32 w:*fp32 bias:*fp32 channels:i32 steps:i32", dict(BT=32, BC=64), 4, 3,
  launches=L(lambda s, c: (s, (up(s, 32), up(c, 64)), [O("out", s * c), F("x", s * c, 72), F("w", c * 4, 73), F("bias", c, 74), c, s]), (101, 303), (1000, 1000)))
T("stencil_2d", "out:*fp32 u:*fp32 H:i32 W:i32 alpha:fp32", dict(BH=8, BW=64), 4, 3,
  launches=L(lambda h, w: (h, (up(w, 64), up(h, 8)), [O("out", h * w), F("u", h * w, 75), h, w, f32(0.1)]), (71, 203), (700, 1000)))
T("nbody", "acc:*fp32 pos:*fp32 n:i32 eps:fp32", dict(BI=16, BJ=64), 4, 3,
  launches=L(lambda n: (n, up(n, 16), [O("acc", 3 * n), F("pos", 3 * n, 76), n, f32(0.01)]), 251, 1300))
T("mandelbrot", "out:*i32 W:i32 n:i32 limit:i32", dict(BLOCK=256), 4, 3, div="*",
  launches=L(lambda w, h, l: (w, up(w * h, 256), [O("out", w * h), w, w * h, l]), (67, 61, 20), (300, 200, 40)))
T("csr_spmv", "y:*fp32 val:*fp32 col:*i32 lens:*i32 x:*fp32 n_rows:i32 n_cols:i32 pitch:i32", dict(ROWS=8, LANES=32), 4, 3,
  launches=L(lambda r, c, p: (r, up(r, 8), [O("y", r), F("val", r * p, 77), I("col", r * p, 78), I("lens", r, 79), F("x", c, 80), r, c, p]), (333, 1001, 71), (5000, 20000, 200)))
T("transpose_2d", "out:*i16 x:*i16 H:i32 W:i32", dict(B=64), 4, 3, div="* H W",
  launches=L(lambda h, w: (h, (up(w, 64), up(h, 64)), [O("out", half(h * w)), I("x", half(h * w), 81), h, w]), (336, 400), (2000, 1984)))
T("inline_ptx", "out:*i32 x:*i32 y:*i32 n:i32", dict(BLOCK=1024), 4, 3, div="*",
  launches=L(lambda n: (n, up(n, 1024), [O("out", n), I("x", n, 82), I("y", n, 83), n]), 40007, 1000000))
for warps, rows, cols, grid in ((1, (201, 4000), (301, 700), (50, 528)), (2, (101, 3000), (503, 1000), (33, 264)),
                                (8, (40, 1000), (1501, 2001), (20, 200)), (16, (21, 500), (3001, 4003), (21, 132))):
    T(f"welford_w{warps}", "out:*fp32 x:*fp32 n_rows:i32 n_cols:i32", dict(BLOCK=128 * warps), warps, 3, fn="welford", div="*" if warps > 2 else None,
      launches=L(lambda r, c, g: (r, g, [O("out", 2 * r), F("x", r * c, 84), r, c]), *zip(rows, cols, grid)))


# ------------------------------------------------------------------ Numba: (size, grid, arguments, block)
def N(name, launches): NUMBA.append(dict(name=name, launches=launches))


N("nb_matmul", L(lambda n, m, k: (n, (up(m, 16), up(n, 16)), [O("c", n * m), F("a", n * k, 101), F("b", k * m, 102), n, m, k], (16, 16)), (90, 70, 51), (256, 250, 200)))
N("nb_row_stats", L(lambda r, c, g: (r, g, [O("total", r), O("peak", 4), I("x", r * c, 103), r, c], 128), (61, 499, 20), (1000, 1000, 264)))
N("nb_median", L(lambda h, w: (h, (up(w, 16), up(h, 8)), [O("out", h * w), I("img", h * w, 104), h, w], (16, 8)), (30, 47), (170, 200)))
N("nb_collatz", L(lambda n, g: (n, g, [O("steps", n), O("peak", 2 * n), I("start", n, 105), n], 64), (803, 16), (24001, 264)))
N("nb_black_scholes", L(lambda n: (n, up(n, 128), [O("call", n), O("put", n), F("s", n, 106), F("k", n, 107), F("t", n, 108), n], 128), 5001, 150000))
N("nb_levenshtein", L(lambda n, l: (n, up(n, 32), [O("dist", n), I("a", n * l, 109), I("b", n * l, 110), n, l], 32), (601, 13), (4000, 24)))
N("nb_histogram", L(lambda n, g: (n, g, [O("hist", 256), O("scan", g * 256), I("x", n, 111), n], 256), (20011, 20), (800000, 132)))
N("nb_heat", L(lambda h, w, s: (h, (up(w, 16), up(h, 16)), [O("out", h * w), F("u", h * w, 112), h, w, s], (16, 16)), (71, 90, 6), (400, 500, 7)))
N("nb_walk", L(lambda n, s: (n, up(n, 64), [O("out", 2 * n), O("hits", 8), I("seed", n, 113), n, s], 64), (1003, 11), (20000, 20)))


# ------------------------------------------------------------------ clang
def C(name, launches): CLANG.append(dict(name=name, launches=launches))


C("cl_stencil3d", L(lambda x, y, z: (x, (up(x, 32), up(y, 8)), [O("out", x * y * z), F("in", x * y * z, 121), x, y, z], (32, 8)), (70, 51, 9), (200, 150, 40)))
C("cl_reduce_f64", L(lambda r, c, g: (r, g, [O("out", 6 * r), F("in", r * c, 122), r, c], 128), (31, 499, 16), (500, 1500, 132)))
C("cl_hash_probe", L(lambda n, m: (n, up(n, 128), [O("found", n), O("hits", 4), I("table", 8 * (m + 1), 123), I("keys", n, 124), n, m, 8], 128), (4001, 1023), (150000, 16383)))
C("cl_switch_vm", L(lambda n, s: (n, up(n, 64), [O("out", n), I("code", 1024, 125), n, s, 0x00070003], 64), (1003, 12), (20000, 20)))
C("cl_primes_u128", L(lambda n, b: (n, up(n, b), [O("prime", n), O("root", 2 * n), I("in", 2 * n, 126), n], b), (131, 16), (5000, 64)))
C("cl_jacobi3", L(lambda n: (n, up(n, 64), [O("eig", 8 * n), F("in", 6 * n, 127), n, 4], 64), 1003, 40000))
C("cl_radix_block", L(lambda n: (n, up(n, 256), [O("out", n), I("in", n, 128), n], 256), 3001, 60000))
C("cl_chacha", L(lambda n, r: (n, up(n, 128), [O("out", 16 * n), O("tag", 2 * n), I("key", 12, 129), n, r], 128), (2003, 8), (50000, 20)))
C("cl_softmax_warp", L(lambda r, c, g: (r, g, [O("out", r * c), O("entropy", r), F("in", r * c, 130), r, c], 128), (203, 301, 20), (4000, 500, 264)))
C("cl_fixed64", L(lambda n: (n, up(n, 96), [O("out", 2 * n), O("digits", n), I("in", n, 131), n, 10], 96), 1501, 50000))
