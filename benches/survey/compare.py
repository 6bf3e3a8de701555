#!/usr/bin/env python3
"""How near the compiler of PTX comes to ptxas on kernels that nobody here wrote: registers, local memory, instructions.

Asks 'warplab listing' about every pair of files that survey.py has compiled into WORK/ptx and WORK/cubin, and prints a table
in Markdown, then the kernels that are farthest off. README.md says what counts.
"""

import argparse
import math
import re
import subprocess
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

KERNEL = re.compile(r"^(\S+): (\d+) registers, \d+ bytes of shared memory, (\d+) bytes of local memory")
# In front of an instruction stands its address and, where control fields are shown, a stall count, counters and waits.
INSTRUCTION = re.compile(r"^\s+[0-9a-f]{4,}\s+(?:\d+\s+\S+\s+\S+\s+\S+\s+)?(?:@!?U?P\w+ )?([A-Z]\w+)")
SECONDS = 300

# Where ptxas calls a sequence of its own (divisions, roots), its code has another size, whatever is executed.
SEQUENCES = {"CALL", "FCHK"}


@dataclass
class Listed:
    """What a listing says of a kernel."""

    registers: int
    local: int
    opcodes: Counter

    def instructions(self):
        return sum(self.opcodes.values())

    def warps(self, threads=65536):
        """Warps of a multiprocessor for which there are registers, in fours and at most 64."""
        return min(64, threads // (32 * max(8, (self.registers + 7) // 8 * 8)) // 4 * 4)


def listed(warplab, arguments):
    """The kernels of a file, by name; none if it cannot be read in time."""
    command = [warplab, "listing", *map(str, arguments)]
    try:
        output = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS).stdout
    except subprocess.TimeoutExpired:
        return {}
    kernels, kernel = {}, None
    for line in output.splitlines():
        if head := KERNEL.match(line):
            kernel = kernels[head[1]] = Listed(int(head[2]), int(head[3]), Counter())
        elif kernel and (instruction := INSTRUCTION.match(line)) and instruction[1] != "NOP":
            kernel.opcodes[instruction[1]] += 1
    return kernels


def compared(warplab, ptx):
    """The kernels of a file that both roads have: collection, name, of ptxas, of warplab."""
    cubin = ptx.parent.parent / "cubin" / f"{ptx.stem}.cubin"
    theirs, ours = listed(warplab, [cubin]), listed(warplab, ["--isa", "ptx", ptx])
    collection = ptx.stem.split("__")[0]
    return [(collection, f"{ptx.stem} {name}", theirs[name], ours[name]) for name in ours if name in theirs]


def row(name, kernels):
    count = Counter()
    distances = []
    for _, _, theirs, ours in kernels:
        more = ours.warps() - theirs.warps()
        count["same" if more == 0 else "more" if more > 0 else "fewer"] += 1
        count["local"] += ours.local > theirs.local
        if not SEQUENCES & (theirs.opcodes.keys() | ours.opcodes.keys()):
            distances.append(abs(math.log(ours.instructions() / theirs.instructions())))
    distances.sort()
    mean = 100 * sum(distances) / max(1, len(distances))
    median = 100 * distances[len(distances) // 2] if distances else 0
    cells = [name, len(kernels), count["same"], count["fewer"], count["more"], count["local"]]
    return cells + [len(distances), f"{mean:.1f} %", f"{median:.1f} %"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, nargs="+", help="folders that survey.py has filled")
    parser.add_argument("--warplab", default="target/release/warplab")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--farthest", type=int, default=20, help="how many of the kernels that are farthest off are shown")
    arguments = parser.parse_args()
    files = sorted(path for work in arguments.work for path in (work / "ptx").glob("*.ptx"))
    if not files:
        sys.exit(f"no PTX in {' '.join(map(str, arguments.work))}: run survey.py first")
    with ThreadPoolExecutor(arguments.jobs) as pool:
        kernels = [kernel for found in pool.map(lambda it: compared(arguments.warplab, it), files) for kernel in found]
    collections = defaultdict(list)
    for kernel in kernels:
        collections[kernel[0]].append(kernel)
    head = ["collection", "kernels", "as many warps", "fewer", "more", "more local memory"]
    head += ["without calls", "instructions, mean", "median"]
    rows = [row(name, of) for name, of in sorted(collections.items())] + [row("all", kernels)]
    print("\n".join("| " + " | ".join(map(str, cells)) + " |" for cells in [head, ["---"] * len(head), *rows]))
    far = sorted(kernels, key=lambda it: -abs(math.log(it[3].instructions() / max(1, it[2].instructions()))))
    print("\nFarthest off (registers, local memory, instructions: ptxas, warplab):\n")
    for _, name, theirs, ours in far[: arguments.farthest]:
        both = [f"{it.registers} {it.local} {it.instructions()}" for it in (theirs, ours)]
        print(f"- {name}: {both[0]}; {both[1]}")


if __name__ == "__main__":
    main()
