#!/usr/bin/env python3
"""How many kernels of public collections of CUDA programs load, from machine code and from PTX, and what keeps the
others out.

Compiles a fixed sample of the collections under SOURCES into WORK/ptx and WORK/cubin, asks 'warplab check' about every
file, and prints tables in Markdown. What is compiled already is not compiled again, so a rerun only runs warplab.
README.md says where the sources come from and what counts.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

# Name (a folder under SOURCES), which .cu files, and how many that compile and hold a kernel are taken.
COLLECTIONS = [
    ("PolyBench-ACC", "CUDA/**/*.cu", 25),
    ("gpu-rodinia", "cuda/**/*.cu", 45),
    ("HeCBench", "src/*-cuda/**/*.cu", 90),
    ("cuda-samples", "Samples/**/*.cu", 40),
    ("ggml", "src/ggml-cuda/*.cu", 30),
    ("llm.c", "**/*.cu", 15),
]

# Folders beside a file or above it in which headers lie, too.
INCLUDE_FOLDERS = ["include", "includes", "inc", "common", "Common", "utilities", "util", "utils", "src"]

NVCC_OPTIONS = ["-arch=sm_90", "-O3", "-lineinfo", "-std=c++17", "--expt-relaxed-constexpr", "--extended-lambda", "-w"]
COMPILE_SECONDS = 300
CHECK_SECONDS = 60

# What older sources expect: names that newer toolkits have dropped, and headers that came with theirs. All of it is
# about host code.
OLD_NAMES = """
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
#define cudaThreadSetCacheConfig cudaDeviceSetCacheConfig
#define clockRate pciDomainID
#define memoryClockRate pciDeviceID
#define deviceOverlap pciBusID
#define kernelExecTimeoutEnabled tccDriver
#define computeMode isMultiGpuBoard
"""

# What excludes a kernel from the goal: patterns for PTX and for machine code. A kernel is excluded if either text, its
# own or that of what it calls, has one.
DEVICE_LAUNCH = r"\bcuda(LaunchDevice|GetParameterBuffer|CDP|DeviceSynchronize|Stream|Event|Memcpy|Memset)"
FEATURES = {
    "tensor cores": (
        r"\b(mma|wmma|wgmma)\.",
        r"\b([BDHIQ]MMA|[HIQ]GMMA|WARPGROUP)\b",
    ),
    "textures and surfaces": (
        r"\b(tex|tld4|txq|suld|sust|sured|suq)\.",
        r"\b(TEX|TLD4?|TXD|TXQ|TMML|SULD|SUST|SURED|SUATOM|SUQUERY)\b",
    ),
    "asynchronous copies": (
        r"\bcp\.(async|reduce)\b",
        r"\b(LDGSTS|LDGDEPBAR|UBLKCP|UBLKRED|UBLKPF|UTMALDG|UTMASTG|UTMAREDG|UTMAPF|UTMACMDFLUSH)\b",
    ),
    "clusters": (
        r"%n?cluster|%is_explicit_cluster|\bmapa\b|\bgetctarank\b|barrier\.cluster|shared::cluster"
        r"|\.(explicitcluster|reqnctapercluster|maxclusterrank)\b",
        r"\b(MAPA|UCGABAR_ARV|UCGABAR_WAIT)\b",
    ),
    "dynamic parallelism": (DEVICE_LAUNCH, DEVICE_LAUNCH),
}
ROADS = {"cubin": "machine code", "ptx": "PTX"}


def sample_order(root, pattern):
    """The files of a collection in an order that is fixed, but follows neither names nor folders."""
    paths = [path.relative_to(root).as_posix() for path in root.glob(pattern)]
    return sorted(paths, key=lambda path: hashlib.sha1(path.encode()).hexdigest())


def stem(collection, path):
    """What a file is called in the work folder."""
    return collection + "__" + path.removesuffix(".cu").replace("/", "__")


def include_options(root, path):
    """The file's own folder, those above it up to the collection's root, and their usual folders of headers."""
    folders = []
    folder = (root / path).parent
    while True:
        folders += [folder] + [folder / name for name in INCLUDE_FOLDERS if (folder / name).is_dir()]
        if folder == root:
            return [option for folder in folders for option in ("-I", str(folder))]
        folder = folder.parent


def call(command, seconds):
    """What a command wrote to both outputs and how it ended; None if it ran out of time."""
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired:
        return None


def compile_file(tools, root, path, work, name):
    """Compiles a file to PTX and machine code. Returns 'kernels', 'none' (no kernel in it) or 'refused'."""
    ptx, cubin, log = work / "ptx" / f"{name}.ptx", work / "cubin" / f"{name}.cubin", work / "log" / f"{name}.txt"
    if cubin.exists():
        return "kernels"
    if log.exists():
        return log.read_text().split("\n", 1)[0]
    part = work / "part.ptx"
    includes = [*include_options(root, path), *tools["headers"], "-include", work / "old_names.h"]
    front = [tools["nvcc"], *NVCC_OPTIONS, *includes, "-ptx", "-o", part, root / path]
    result = call(["nice", "-n", "10", *front], COMPILE_SECONDS)
    if result and result.returncode == 0:
        if not re.search(r"^\s*(\.visible |\.weak )?\s*\.entry ", part.read_text(), re.M):
            log.write_text("none\n")
            return "none"
        back = [tools["ptxas"], "-arch=sm_90", "-O3", "-lineinfo", "-o", work / "part.cubin", part]
        result = call(["nice", "-n", "10", *back], COMPILE_SECONDS)
        if result and result.returncode == 0:
            part.rename(ptx)
            (work / "part.cubin").rename(cubin)
            return "kernels"
    log.write_text("refused\n" + (result.stdout + result.stderr if result else f"more than {COMPILE_SECONDS} s\n"))
    return "refused"


def compile_all(tools, sources, work):
    """Compiles the sample, one file of each collection in turn. Returns for each collection its files and counts."""
    for folder in ("ptx", "cubin", "log"):
        (work / folder).mkdir(parents=True, exist_ok=True)
    (work / "old_names.h").write_text(OLD_NAMES)
    waiting = {}
    for collection, pattern, most in COLLECTIONS:
        if not (sources / collection).is_dir():
            print(f"{sources / collection} is missing: the collection is left out", file=sys.stderr)
            continue
        waiting[collection] = (iter(sample_order(sources / collection, pattern)), most)
    taken, counts = defaultdict(list), defaultdict(Counter)
    while waiting:
        for collection, (paths, most) in list(waiting.items()):
            path = next(paths, None) if len(taken[collection]) < most else None
            if path is None:
                del waiting[collection]
                continue
            name = stem(collection, path)
            verdict = compile_file(tools, sources / collection, path, work, name)
            counts[collection][verdict] += 1
            if verdict == "kernels":
                taken[collection].append((path, name))
            print(f"{verdict:8} {collection} {path}", file=sys.stderr)
    return taken, counts


def ptx_functions(text):
    """The functions of a PTX file: entries' names, and the text of every function by name."""
    entries, texts, lines, depth = [], {}, [], 0
    for line in text.split("\n"):
        code = re.sub(r'"[^"]*"', "", line).split("//")[0]
        lines.append(code)
        depth += code.count("{") - code.count("}")
        if depth or not ("}" in code or code.rstrip().endswith(";")):
            continue
        whole, lines = "\n".join(lines), []
        name = re.search(r"\.(entry|func)\s*(?:\.\w+\s*)*(?:\([^)]*\)\s*)?([\w$]+)", whole.split("{")[0])
        if name:
            # A definition replaces a declaration.
            texts[name[2]] = max(whole, texts.get(name[2], ""), key=len)
            entries += [name[2]] if name[1] == "entry" and name[2] not in entries else []
    return entries, texts


def sass_functions(tools, cubin):
    """The text of every function of a cubin by name."""
    result = call([tools["nvdisasm"], "-json", cubin], CHECK_SECONDS)
    if not result or result.returncode:
        sys.exit(f"nvdisasm cannot read {cubin}: {result.stderr if result else 'out of time'}")
    texts = {}
    for function in json.loads(result.stdout)[1]:
        lines = [f"{line['opcode']} {line.get('operands', '')}" for line in function["sass-instructions"]]
        texts[function["function-name"]] = "\n".join(lines)
    return texts


def named(texts):
    """For every function the functions that its text names."""
    return {name: set(re.findall(r"[\w$.]+", text)) & texts.keys() for name, text in texts.items()}


def reached(name, names, texts):
    """The text of a function and of every function that it names, and so on."""
    found = [name] if name in texts else []
    for function in found:
        found += [other for other in names[function] if other not in found]
    return "\n".join(texts[function] for function in found)


@dataclass
class Kernel:
    """What is known of one kernel."""

    collection: str
    file: str
    name: str
    features: list
    # By road: what keeps it from loading.
    reasons: dict = field(default_factory=dict)

    def loads(self, road):
        return not self.reasons[road]


def checked(tools, file):
    """What warplab says of a file: the messages for each kernel, and those that hold for all of them."""
    result = call([tools["warplab"], "check", file, "--json", "-"], CHECK_SECONDS)
    if result is None:
        return {}, [f"more than {CHECK_SECONDS} s"]
    said = (result.stderr or result.stdout).strip().split("\n")[0]
    try:
        answer = json.loads(result.stdout)
        kernels, faults = answer["kernels"], [fault["message"] for fault in answer.get("faults", [])]
    except (ValueError, KeyError):
        return {}, [f"no answer, exit status {result.returncode}: {said}"]
    messages = {}
    for kernel in kernels:
        found = [reason["message"] for reason in kernel["reasons"]]
        messages[kernel["name"]] = [] if kernel["runs"] else found or ["no reason given"]
    return messages, faults or [f"the kernel is not listed: {said}"]


def survey_file(tools, work, collection, path, name):
    """The kernels of one compiled file."""
    ptx, cubin = work / "ptx" / f"{name}.ptx", work / "cubin" / f"{name}.cubin"
    entries, ptx_texts = ptx_functions(ptx.read_text())
    sass_texts = sass_functions(tools, cubin)
    ptx_names, sass_names = named(ptx_texts), named(sass_texts)
    answers = {"cubin": checked(tools, cubin), "ptx": checked(tools, ptx)}
    kernels = []
    for entry in entries:
        texts = reached(entry, ptx_names, ptx_texts), reached(entry, sass_names, sass_texts)
        features = [name for name, patterns in FEATURES.items() if any(map(re.search, patterns, texts))]
        kernel = Kernel(collection, path, entry, features)
        for road, (messages, otherwise) in answers.items():
            kernel.reasons[road] = messages.get(entry, otherwise)
        kernels.append(kernel)
    print(f"checked  {collection} {path}", file=sys.stderr)
    return kernels


def normal(message):
    """A message without what differs from kernel to kernel."""
    message = message.split("; did you mean")[0]
    # An instruction loses its operands; where the message names opcode and modifier itself, all of it goes.
    message = re.sub(r"^'[^']*': (?=unknown )", "", message)
    message = re.sub(r"^'(?:@\S+ )?([A-Z][\w.]*)[^']*': ", r"'\1': ", message)
    message = re.sub(r"'_Z[^']*'", "'...'", message)
    return re.sub(r"0x[0-9a-f]+", "0x...", message).replace("|", "\\|")


def share(part, whole):
    return f"{part:,} ({100 * part / whole:.1f} %)" if whole else "0"


def table(head, rows):
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in [head, ["---"] * len(head), *rows]]
    return "\n".join(lines) + "\n"


def collections_table(kernels, taken, counts):
    head = ["collection", "files", "nvcc refuses", "no kernel", "kernels", "in the goal"]
    rows = []
    for collection in [*taken, "all"]:
        of = [kernel for kernel in kernels if collection in (kernel.collection, "all")]
        goal = [kernel for kernel in of if not kernel.features]
        verdicts = counts[collection] if collection != "all" else sum(counts.values(), Counter())
        row = [collection, verdicts["kernels"], verdicts["refused"], verdicts["none"], f"{len(of):,}", f"{len(goal):,}"]
        row += [share(sum(kernel.loads(road) for kernel in goal), len(goal)) for road in ROADS]
        row += [share(sum(all(map(kernel.loads, ROADS)) for kernel in goal), len(goal))]
        rows.append(row + [f"{sum(kernel.loads(road) for kernel in of):,}" for road in ROADS])
    head += [f"load from {road}" for road in ROADS.values()] + ["from both"]
    return table(head + [f"of all, from {road}" for road in ROADS.values()], rows)


def features_table(kernels):
    rows = []
    for feature in FEATURES:
        of = [kernel for kernel in kernels if feature in kernel.features]
        rows.append([feature, f"{len(of):,}", *(f"{sum(map(lambda k: k.loads(road), of)):,}" for road in ROADS)])
    return table(["uses", "kernels", *(f"load from {road}" for road in ROADS.values())], rows)


def reasons_table(kernels, road, most):
    """The reasons of the kernels in the goal, the most frequent first."""
    count, alone, files, example = Counter(), Counter(), defaultdict(set), {}
    for kernel in kernels:
        if kernel.features:
            continue
        reasons = set(map(normal, kernel.reasons[road]))
        for reason in reasons:
            count[reason] += 1
            alone[reason] += len(reasons) == 1
            files[reason].add((kernel.collection, kernel.file))
            example.setdefault(reason, f"{kernel.collection} {kernel.file}")
    ranked = sorted(count, key=lambda reason: (-count[reason], reason))
    rows = [[count[r], alone[r], len(files[r]), r, example[r]] for r in ranked[:most]]
    text = table(["kernels", "as the only reason", "files", "reason", "for example in"], rows)
    return text + (f"\nand {len(ranked) - most} more\n" if len(ranked) > most else "")


def report(kernels, taken, counts, most):
    goal = sum(not kernel.features for kernel in kernels)
    parts = [collections_table(kernels, taken, counts)]
    parts += [f"Not in the goal ({len(kernels) - goal:,} kernels; one may use several):\n", features_table(kernels)]
    for road, name in ROADS.items():
        parts += [f"What keeps kernels in the goal from loading from {name}:\n", reasons_table(kernels, road, most)]
    return "\n".join(parts)


def find_tools(arguments):
    """The programs that are called, and the options for further headers."""
    path = os.pathsep.join([*map(str, arguments.cuda), os.environ.get("PATH", "")])
    tools = {"headers": [option for folder in arguments.headers for option in ("-I", folder)]}
    for name in ("nvcc", "ptxas", "nvdisasm"):
        tools[name] = os.environ.get(f"WARPLAB_{name.upper()}") or shutil.which(name, path=path)
        if not tools[name]:
            sys.exit(f"no {name} in PATH; name the toolkit's folder of programs with --cuda")
    os.environ["WARPLAB_NVDISASM"] = tools["nvdisasm"]
    tools["warplab"] = shutil.which(arguments.warplab) or sys.exit(f"{arguments.warplab} cannot be run")
    return tools


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("sources", type=Path, help="a folder with the collections, each in a folder of its name")
    add("work", type=Path, help="where compiled files are kept")
    add("--warplab", default="target/release/warplab", help="the program (default: %(default)s)")
    add("--cuda", type=Path, action="append", default=[], help="the folder that holds nvcc, if not in PATH")
    add("--headers", type=Path, action="append", default=[], help="a folder of headers (cuBLAS, cuRAND, ...)")
    add("--jobs", type=int, default=1, help="how many files are checked at once (default: %(default)s)")
    add("--most", type=int, default=40, help="how many reasons are printed (default: %(default)s)")
    add("--json", type=Path, help="write every kernel with its reasons to this file")
    arguments = parser.parse_args()
    tools, work = find_tools(arguments), arguments.work.resolve()
    taken, counts = compile_all(tools, arguments.sources.resolve(), work)
    files = [(collection, *file) for collection, found in taken.items() for file in sorted(found)]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        found = pool.map(lambda file: survey_file(tools, work, *file), files)
        kernels = [kernel for of_file in found for kernel in of_file]
    if arguments.json:
        arguments.json.write_text(json.dumps([vars(kernel) for kernel in kernels], indent=1) + "\n")
    print(report(kernels, taken, counts, arguments.most))


if __name__ == "__main__":
    main()
