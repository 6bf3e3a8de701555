#!/usr/bin/env python3
"""Writes forms.ptx: a kernel for each form of wgmma; its launches are (a, b, o, 65536), 2 blocks of 128 threads."""
TYPES = {  # depth, sum, factors, what is kept of random words and what is set in them
    "f16": (16, "f32", "f16", "f16", 0xBFFFBFFF, 0), "f16h": (16, "f16", "f16", "f16", 0xB7FFB7FF, 0),
    "bf16": (16, "f32", "bf16", "bf16", 0x81FF81FF, 0x3E003E00), "tf32": (8, "f32", "tf32", "tf32", 0x80FFFFFF, 0x3F000000),
    "e4e4": (32, "f32", "e4m3", "e4m3", 0xBFBFBFBF, 0), "e4e5": (32, "f32", "e4m3", "e5m2", 0xBFBFBFBF, 0),
    "e5e4": (32, "f32", "e5m2", "e4m3", 0xBFBFBFBF, 0), "e5e5": (32, "f32", "e5m2", "e5m2", 0xBFBFBFBF, 0),
    "e4e4h": (32, "f16", "e4m3", "e4m3", 0xBFBFBFBF, 0), "e5e5h": (32, "f16", "e5m2", "e5m2", 0xBFBFBFBF, 0),
    "s8s8": (32, "s32", "s8", "s8", 0xFFFFFFFF, 0), "u8u8": (32, "s32", "u8", "u8", 0xFFFFFFFF, 0),
    "s8u8": (32, "s32", "s8", "u8", 0xFFFFFFFF, 0), "u8s8": (32, "s32", "u8", "s8", 0xFFFFFFFF, 0),
    "s8s8t": (32, "s32", "s8", "s8", 0xFFFFFFFF, 0), "any": (16, "f32", "f16", "f16", 0xFFFFFFFF, 0),
    "anyq": (32, "f32", "e5m2", "e4m3", 0xFFFFFFFF, 0),
}
SWIZZLES = {"0": (0, 16), "32": (3, 32), "64": (2, 64), "128": (1, 128)}

def descriptor(start, lead, stride, base, code):
    return start >> 4 | (lead >> 4) << 16 | (stride >> 4) << 32 | base << 49 | code << 62

def layout(kind, rows):
    """Leading and stride offset of a matrix of so many rows: k0, k32 ... its columns lie beside each other, m0 ... its rows."""
    code, width = SWIZZLES[kind[1:]]
    if kind == "k0": return 128, 256, code
    if kind[0] == "k": return 16, 8 * width, code
    if kind == "m0": return rows * 16, 128, code
    return 16 * width, 8 * width, code  # two groups of eight rows below each other, then the next columns

def kernel(name, ty, n, src="s", a="k128", b="k128", signs=(1, 1), scale="p", twice=True, start=(0, 0), base=0):
    depth, sum_type, first, second, keep, put = TYPES[ty]
    count = n // 4 if sum_type == "f16" else n // 2
    reg = "b32"
    la, sa, ca = layout(a, 64); lb, sb, cb = layout(b, n)
    da, db = descriptor(start[0], la, sa, base, ca), descriptor(8192 + start[1], lb, sb, base, cb)
    out = f""".visible .entry {name}(.param .u64 a, .param .u64 b, .param .u64 o, .param .u32 n) {{
.reg .{reg} %c<{count}>; .reg .b32 %a<4>, %x<12>; .reg .b64 %da, %db, %o, %in, %q<6>; .reg .pred %p, %t;
.shared .align 1024 .b8 sm[49152];
ld.param.u64 %o, [o]; ld.param.u64 %in, [b]; ld.param.u64 %q4, [{"a" if sum_type == "f32" else "b"}]; ld.param.u32 %x0, [n]; setp.{'ne' if scale == 'p' else 'eq'}.u32 %p, %x0, 0;
mov.u32 %x1, %tid.x; mov.u32 %x2, %ctaid.x; mad.lo.u32 %x3, %x2, 15000, %x1; mul.wide.u32 %q0, %x3, 4; add.u64 %in, %in, %q0;
mov.u32 %x4, sm; mad.lo.u32 %x5, %x1, 4, %x4; mov.u32 %x6, 0; mov.u64 %q1, %in;
mad.lo.u32 %x3, %x2, 3750, %x1; mul.wide.u32 %q0, %x3, 16; add.u64 %q4, %q4, %q0;
FILL: .pragma "nounroll"; ld.global.u32 %x7, [%q1]; ld.global.u32 %x8, [%q1+3332]; shl.b32 %x8, %x8, 11; xor.b32 %x7, %x7, %x8; and.b32 %x7, %x7, {keep:#x}; or.b32 %x7, %x7, {put:#x};
st.shared.u32 [%x5], %x7; add.u64 %q1, %q1, 512; add.u32 %x5, %x5, 512; add.u32 %x6, %x6, 1; setp.lt.u32 %t, %x6, 96; @%t bra FILL;
fence.proxy.async; bar.sync 0;
shr.u32 %x4, %x4, 4; cvt.u64.u32 %q2, %x4; add.u64 %da, %q2, {da:#x}; add.u64 %db, %q2, {db:#x};
mad.lo.u32 %x3, %x2, 128, %x1; mul.wide.u32 %q3, %x3, {4 * count}; add.u64 %o, %o, %q3;
"""
    for i in range(4):
        out += f"ld.global.u32 %a{i}, [%in+{i * 1040}]; ld.global.u32 %x7, [%in+{i * 1040 + 5200}]; shl.b32 %x7, %x7, 13; xor.b32 %a{i}, %a{i}, %x7; and.b32 %a{i}, %a{i}, {keep:#x}; or.b32 %a{i}, %a{i}, {put:#x};\n"
    def fours():
        for i in range(0, count, 4):
            group = range(i, min(i + 4, count))
            yield i, f"v{len(group)}", "{" + ", ".join(f"%c{it}" for it in group) + "}", group
    for i, width, regs, group in fours():
        out += f"ld.global.{width}.b32 {regs}, [%q4+{i * 512}];\n"
        if sum_type == "f16": out += "".join(f"and.b32 %c{it}, %c{it}, 0xb7ffb7ff;\n" for it in group)
        if sum_type == "s32": out += "".join(f"shl.b32 %c{it}, %c{it}, 8;\n" for it in group)
    tail = ["%p" if scale in "pn" else scale]
    if sum_type != "s32":
        tail += [str(it) for it in signs]
        if first in ("f16", "bf16"):
            ta, tb = int(a[0] == "m"), int(b[0] == "m")
            tail += [str(tb)] if src == "r" else [str(ta), str(tb)]
    def product(tail):
        regs = ", ".join(f"%c{i}" for i in range(count))
        return f"wgmma.mma_async.sync.aligned.m64n{n}k{depth}.{sum_type}.{first}.{second}{'.satfinite' if ty == 's8s8t' else ''} {{{regs}}}, {'{%a0, %a1, %a2, %a3}' if src == 'r' else '%da'}, %db, {', '.join(tail)};\n"
    out += "wgmma.fence.sync.aligned;\n" + product(tail)
    if twice:
        step = 2 if a in ("k64", "k128") and b in ("k64", "k128") else 0
        if step: out += f"add.u64 %da, %da, {step}; add.u64 %db, %db, {step};\n"
        out += product(["1"] + tail[1:])
    out += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
    for i, width, regs, _ in fours(): out += f"st.global.{width}.b32 [%o+{4 * i}], {regs};\n"
    return out + "ret;\n}\n"

forms = []
def form(name, *rest, **named): forms.append((name, kernel(name, *rest, **named)))

for ty in TYPES:
    form(f"{ty}_n8_s", ty, 8); form(f"{ty}_n64_r", ty, 64, "r")
for n in (16, 24, 40, 72, 128, 184, 256): form(f"f16_n{n}_s", "f16", n)
form("f16_n256_r", "f16", 256, "r"); form("s8s8_n96_s", "s8s8", 96); form("e4e4_n256_s", "e4e4", 256); form("tf32_n128_r", "tf32", 128, "r")
for kind in ("k0", "k32", "k64"):
    for ty in ("f16", "tf32", "e5e4", "u8s8"): form(f"{ty}_n32_{kind}", ty, 32, a=kind, b=kind)
for kind in ("m0", "m32", "m64", "m128"):
    form(f"f16_n64_a_{kind}", "f16", 64, a=kind, b="k128", twice=False); form(f"bf16_n64_b_{kind}", "bf16", 64, a="k64", b=kind, twice=False)
    form(f"f16_n32_r_{kind}", "f16", 32, "r", b=kind)
form("f16_n64_ab_m128", "f16", 64, a="m128", b="m128"); form("f16_n64_base", "f16", 64, start=(128, 384), base=3)
form("f16_n64_offset", "f16", 64, start=(96, 32)); form("f16_n16_offset", "f16", 16, a="k0", b="k0", start=(1024 + 16, 144))
for ty in ("f16", "f16h", "bf16", "tf32", "e4e4", "e5e5h"):
    form(f"{ty}_neg_a", ty, 16, signs=(-1, 1)); form(f"{ty}_neg_b", ty, 16, "r", signs=(1, -1)); form(f"{ty}_neg_ab", ty, 16, signs=(-1, -1), scale="0")
for ty in ("f16", "s8s8t", "any", "e4e4h"): form(f"{ty}_no_sum", ty, 32 if ty == "e4e4h" else 24, scale="n")
open("forms.ptx", "w").write(".version 8.4\n.target sm_90a\n.address_size 64\n" + "".join(text for _, text in forms))
open("forms.list", "w").write("".join(f"{name},2,128\n" for name, _ in forms))
