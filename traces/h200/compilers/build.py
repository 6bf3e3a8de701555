"""Compiles every kernel, merges the PTX into compilers.ptx, assembles compilers.cubin, checks parameters against the launches and
writes compilers.cu. Run with a Python that has Triton 3.9.0 and Numba (numba-cuda); see README.md. `build.py NAME...` keeps the
stored ptx/*.ptx of the other kernels."""
import json, os, re, shutil, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
os.chdir(HERE)
CU13 = os.environ["CU13"]
PTXAS = CU13 + "/ptxas"
CLANG = os.environ.get("CLANG", "clang-22")
os.environ["TRITON_PTXAS_PATH"] = PTXAS
os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
import cases

ONLY = set(sys.argv[1:])
os.makedirs("ptx", exist_ok=True)


# ------------------------------------------------------------------ the three compilers
def triton_one(c):
    import triton
    from triton.compiler import ASTSource
    from triton.backends.compiler import GPUTarget
    import kernels_triton
    fn = getattr(kernels_triton, c["fn"])
    order = [n for n in fn.arg_names if n not in c["consts"]]
    assert len(order) == len(c["sig"]), (c["name"], order, c["sig"])
    given = dict(zip(order, c["sig"]))
    signature = {n: "constexpr" if n in c["consts"] else given[n][1] for n in fn.arg_names}
    attrs = {(i,): [["tt.divisibility", 16]] for i, n in enumerate(fn.arg_names) if n in given and given[n][0] in c["div"]}
    assert len(attrs) == len(c["div"]), (c["name"], c["div"])
    k = triton.compile(ASTSource(fn=fn, signature=signature, constexprs=c["consts"], attrs=attrs), target=GPUTarget("cuda", 90, 32),
                       options=dict(num_warps=c["warps"], num_stages=c["stages"], ptx_version=90, **c["options"]))
    m = k.metadata
    assert m.num_ctas == 1 and m.num_warps == c["warps"]
    return k.asm["ptx"], dict(entry=m.name, shared=m.shared, warps=m.num_warps, global_scratch=m.global_scratch_size, profile_scratch=m.profile_scratch_size)


def numba_one(c):
    import kernels_numba
    ptx = kernels_numba.compile_one(c["name"])
    ptx = ptx if isinstance(ptx, str) else ptx.decode()
    assert "st.global" in ptx
    return ptx, dict(entry=re.search(r"\.entry\s+([\w$]+)", ptx).group(1))


def compile_all():
    metas = {}
    path = "ptx/metas.json"
    if ONLY and os.path.exists(path):
        metas = json.load(open(path))
    for kind, table, one in (("triton", cases.TRITON, triton_one), ("numba", cases.NUMBA, numba_one)):
        for c in table:
            if ONLY and c["name"] not in ONLY and c["name"] in metas:
                continue
            ptx, meta = one(c)
            open(f"ptx/{c['name']}.ptx", "w").write(ptx)
            metas[c["name"]] = meta
    subprocess.run([CLANG, "--target=x86_64-linux-gnu", "--cuda-gpu-arch=sm_90", "--cuda-feature=+ptx83", "-nogpulib", "-nogpuinc", "-x", "cuda",
                    "--cuda-device-only", "-O3", "-S", "kernels_clang.cu", "-o", "ptx/clang.ptx"], check=True)
    json.dump(metas, open(path, "w"), indent=1)
    return metas


# ------------------------------------------------------------------ merging
def strip(ptx):
    """Without header, comments, line tables and debug sections."""
    out, depth = [], 0
    for line in ptx.splitlines():
        if depth:
            depth += line.count("{") - line.count("}")
            continue
        s = line.strip()
        if s.startswith(".section"):
            depth = line.count("{") - line.count("}") or 1
            continue
        if re.match(r"\.(version|target|address_size|file|loc)\b", s) or s.startswith("//"):
            continue
        out.append(re.sub(r"\s*//.*$", "", line).rstrip())
    assert depth == 0
    return "\n".join(out)


def module_symbols(text):
    """Names defined at module level (functions, entries, variables), with extern shared declarations apart."""
    names, depth, externs = [], 0, []
    for line in text.splitlines():
        if depth == 0:
            s = line.strip()
            m = re.match(r"(?:\.(?:visible|weak|common|extern)\s+)*\.(func|entry|global|const|shared)\b(.*)", s)
            if m:
                rest = m.group(2)
                if m.group(1) in ("func", "entry"):
                    rest = re.sub(r"^\s*\(.*?\)\s*", " ", rest)            # a result
                    rest = re.sub(r"^\s*\.noreturn", " ", rest)
                    name = re.match(r"\s*([\w$%]+)", rest).group(1)
                else:
                    name = re.match(r"(?:\s*\.(?:align\s+\d+|attribute\([^)]*\)|[usbf]\d+|pred|v[24]))*\s*([\w$%]+)", rest).group(1)
                if ".extern" in s and ".shared" in s:
                    externs.append((name, s))
                else:
                    names.append((m.group(1), name, ".extern" in s))
        depth += line.count("{") - line.count("}")
    return names, externs


def rename(text, old, new):
    text = re.sub(r"(?<![\w$%.])" + re.escape(old) + r"(?=_param_\d+\b)", new, text)
    return re.sub(r"(?<![\w$%.])" + re.escape(old) + r"(?![\w$])", new, text)


def merge(metas):
    bodies, externs, taken, versions = [], {}, set(), []
    for module, entry in [(c["name"], metas[c["name"]]["entry"]) for c in cases.TRITON + cases.NUMBA] + [("clang", None)]:
        raw = open(f"ptx/{module}.ptx").read()
        versions.append(tuple(map(int, re.search(r"\.version\s+(\d+)\.(\d+)", raw).groups())))
        text = strip(raw)
        names, ext = module_symbols(text)
        for name, line in ext:
            assert externs.setdefault(name, line) == line, (module, line, externs[name])
            text = text.replace(line, "", 1)
        for kind, name, extern in names:
            assert not extern, (module, name)
            new = "k_" + module if name == entry else name if module == "clang" else f"{module}_{name.strip('_$')}" if len(name) < 60 else None
            if new is None:                                             # Numba's long names are unique already, and shortened here
                new = f"{module}_{re.match(r'_ZN?[0-9]*([A-Za-z]+)', name).group(1)}"
            if new != name:
                text = rename(text, name, new)
            assert new not in taken, new
            taken.add(new)
        bodies.append(f"// ---- {module}\n" + re.sub(r"\n\s*\n+", "\n", text).strip() + "\n")
    version = max(versions)
    assert version <= (9, 0), version
    head = f".version {version[0]}.{version[1]}\n.target sm_90a\n.address_size 64\n\n" + "\n".join(externs.values()) + "\n\n"
    open("compilers.ptx", "w").write(head + "\n".join(bodies))


def assemble():
    subprocess.run([PTXAS, "-O3", "-arch=sm_90a", "compilers.ptx", "-o", "compilers.cubin"], check=True)
    r = subprocess.run([PTXAS, "-O3", "-arch=sm_90a", "-v", "compilers.ptx", "-o", "/dev/null"], capture_output=True, text=True)
    open("ptxas.log", "w").write(r.stdout + r.stderr)
    if r.returncode:
        sys.exit(r.stdout[-3000:] + r.stderr[-3000:])
    info, name = {}, None
    for line in (r.stdout + r.stderr).splitlines():
        m = re.search(r"Compiling entry function '(\S+)'", line)
        if m:
            name = m.group(1)
        m = re.search(r"Used (\d+) registers", line)
        if m and name:
            s = re.search(r"(\d+) bytes smem", line)
            info[name] = (int(m.group(1)), int(s.group(1)) if s else 0)
            name = None
        m = re.search(r"warning.*", line)
        if m:
            print("ptxas:", m.group(0))
    return info


# ------------------------------------------------------------------ checks and the launcher
def entries():
    text = open("compilers.ptx").read()
    out = {}
    for m in re.finditer(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)([^{]*)\{", text):
        params = []
        for p in m.group(2).split(","):
            p = p.strip()
            if not p:
                continue
            q = re.match(r"\.param\s+(?:\.align\s+\d+\s+)?\.([usbf])(\d+)\s+(?:\.ptr\s+)?(?:\.(?:global|const|shared|local)\s+)?(?:\.align\s+\d+\s+)?[\w$]+(?:\[(\d+)\])?$", p)
            assert q, p
            params.append(int(q.group(2)) // 8 * int(q.group(3) or 1))
        r = re.search(r"\.(reqntid|maxntid)\s+([\d,\s]+)", m.group(3))
        out[m.group(1)] = (params, (r.group(1), [int(v) for v in r.group(2).replace(" ", "").strip(",").split(",")]) if r else None)
    return out


def dims(v): return tuple(v) if isinstance(v, tuple) else (v,)
def product(v):
    p = 1
    for x in v:
        p *= x
    return p


def launcher(metas, info):
    found, lines, used = entries(), [], set()
    for table in (cases.TRITON, cases.NUMBA, cases.CLANG):
        for c in table:
            kernel, meta = "k_" + c["name"], metas.get(c["name"], {})
            params, bound = found[kernel]
            used.add(kernel)
            seen = set()
            for launch in c["launches"]:
                size, grid, args = launch[0], dims(launch[1]), list(launch[2])
                block = dims(launch[3]) if len(launch) > 3 else (32 * meta["warps"],)
                shared = meta.get("shared", 0)
                if "warps" in meta:
                    blocks = product(grid)
                    args.append(cases.B("global_scratch", max(64, meta["global_scratch"] * blocks // 4), "ZERO"))
                    args.append(cases.B("profile_scratch", max(64, meta["profile_scratch"] * blocks // 4), "ZERO"))
                    for (n, t), a in zip(c["sig"], args):
                        assert t.startswith("*") == isinstance(a, cases.B), (c["name"], n)
                        if n in c["div"] and not t.startswith("*"):
                            assert a % 16 == 0, (c["name"], n, a)
                        if isinstance(a, cases.B):
                            assert a.name == n or a.name in n or n.startswith(a.name), (c["name"], n, a.name)
                got = [8 if isinstance(a, cases.B) else 4 for a in args]
                assert got == params, (kernel, got, params)
                threads = product(block)
                if bound:
                    limit = product(bound[1])
                    assert threads == limit if bound[0] == "reqntid" else threads <= limit, (kernel, block, bound)
                regs, static = info[kernel]
                assert regs * ((threads + 31) // 32 * 32) <= 65536 and shared + static <= 227 * 1024, (kernel, regs, static)
                bytes_ = sum(a.words * 4 for a in args if isinstance(a, cases.B))
                assert bytes_ < 200 << 20 and any(isinstance(a, cases.B) and a.out for a in args)
                names = [a.name for a in args if isinstance(a, cases.B)]
                assert len(set(names)) == len(names), (kernel, names)
                assert size not in seen
                seen.add(size)
                text = []
                for a in args:
                    if isinstance(a, cases.B):
                        assert a.words > 0 and a.init in ("ZERO", "INDEX_U32", "HASH_F32", "HASH_I32")
                        text.append(f'buf("{a.name}", {a.words * 4}, {a.init}, {a.seed}' + (", true)" if a.out else ")"))
                    else:
                        assert isinstance(a, int) and -2**31 <= a < 2**31, (kernel, a)
                        text.append(f"i32({a})")
                g, b = ("dim3(" + ", ".join(map(str, v)) + ")" if len(v) > 1 else str(v[0]) for v in (grid, block))
                lines.append(f'  run("{c["name"]}_{size}", kernel("{kernel}"), "{kernel}", {g}, {b}, {shared}, {{{", ".join(text)}}});')
    assert used == set(found), (set(found) - used)
    open("compilers.cu", "w").write('''// Kernels that other compilers than nvcc made: Triton, Numba, clang. Generated by build.py from cases.py: see README.md.
// Loads compilers.cubin from the working directory, which was assembled from compilers.ptx.
#include "harness.cuh"

static cudaLibrary_t library;
static const void* kernel(const char* name) {
  cudaKernel_t k;
  CHECK(cudaLibraryGetKernel(&k, library, name));
  return (const void*)k;
}
static void launches() {
''' + "\n".join(lines) + '''
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) { if (!strcmp(argv[i], "--skip-clock")) g_skip_clock = true; else g_filter = argv[i]; }
  float* w; CHECK(cudaMalloc(&w, 4)); spin_up<<<528, 256>>>(w, 200000); CHECK(cudaDeviceSynchronize());
  CHECK(cudaLibraryLoadFromFile(&library, "compilers.cubin", nullptr, nullptr, 0, nullptr, nullptr, 0));
  launches();
}
''')
    return len(used), len(lines)


if __name__ == "__main__":
    metas = compile_all()
    merge(metas)
    info = assemble()
    print("%d kernels, %d launches" % launcher(metas, info))
