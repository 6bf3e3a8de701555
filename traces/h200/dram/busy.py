#!/usr/bin/env python3
"""What busy.cu noted in a folder, as busy.txt has it: how long single loads took in each part of the kernel, and when nearly all
misses took long."""
import struct
import sys

PROBES, WARPS, STEPS, PART, PARTS = 640, 124 * 32, 512, 200_000, 8
CLOCK = 1.98  # cycles a nanosecond


def pairs(name):
    numbers = struct.unpack(f"{len(noted := open(name, 'rb').read()) // 4}I", noted)
    return list(zip(numbers[::2], numbers[1::2]))


def percentiles(values):
    values = sorted(values)
    return " ".join(str(values[min(len(values) - 1, int(len(values) * share))]) for share in (0, .05, .25, .5, .75, .9, .99, 1))


folder = sys.argv[1]
for whole, what in enumerate(["sectors of 32 lines", "16 lines"]):
    noted = pairs(f"{folder}/probes_{whole}_1.bin")
    starts, probes = noted[:132], noted[132:]
    earliest = min(moment for _, moment in starts)
    late = lambda block: (starts[block][1] - earliest) * CLOCK
    loads = [(at + late(number // PROBES // 16 * 17), took >> 1, took & 1) for number, (at, took) in enumerate(probes)]
    ends = [at + took for at, took in pairs(f"{folder}/ends_{whole}_1.bin") if took]
    for part in range(PARTS):
        of_part = lambda moment: part * PART <= moment < (part + 1) * PART
        loaded = sum(map(of_part, ends)) * 2048 / PART
        for misses in (0, 1):
            took = [cycles for at, cycles, missed in loads if of_part(at) and missed == misses]
            print(f"{what}, part {part}: {loaded:.0f} bytes a cycle, {'misses' if misses else 'hits'}: "
                  f"mean {sum(took) / len(took):.0f}: {percentiles(took)}")
    slow = []
    for at in range(0, PART * PARTS, 1000):
        took = sorted(cycles for begin, cycles, missed in loads if missed and at <= begin < at + 1000)
        if len(took) > 4 and took[len(took) // 10] > 2000:
            slow.append(f"{at}: {took[len(took) // 10]}")
    print(f"{what}: of each 1000 cycles in which nine of ten misses took over 2000, these, and how long the least of the nine took:", *slow)
