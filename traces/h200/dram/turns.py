#!/usr/bin/env python3
"""When the lines of a page are refreshed. With what turns.cu noted it writes turns.txt: when in 1,925.9 ns the waits of each half of a KiB
(its even chunks or its odd ones, which lie on one slice) end. Without, it counts from turns.txt how far apart those lie whose addresses
differ in one bit, by steps of 110 ns."""
import cmath
import statistics
import struct
import sys

HALF = 3851.8534 / 2  # ns
CLOCK = 1.98  # cycles a nanosecond
LINES, RUNS, PAGES = 16384, 24, 2
ODD = [10, 11, 14, 16]  # the bits that a KiB's odd chunks turn over (traces/h200/slices)


def fold(noted):
    """Each load is its nanoseconds and its cycles, run by run and page by page."""
    numbers = struct.unpack(f"{2 * LINES * RUNS * PAGES}I", noted)
    first = min(numbers[::2])
    took = [0] * 20
    pages = []
    for page in range(PAGES):
        ends = [0j] * (LINES // 4)
        waits = [0] * (LINES // 4)
        for line in range(LINES):
            loads = [2 * ((page * RUNS + run) * LINES + line) for run in range(RUNS)]
            usual = statistics.median(numbers[load + 1] for load in loads)
            for load in loads:
                more = numbers[load + 1] - usual
                if 0 < more < 800:
                    took[int(more // 40)] += 1
                if 200 < more < 560:
                    half = (line >> 3) * 2 + (line >> 1 & 1)
                    end = numbers[load] - first + numbers[load + 1] / CLOCK
                    ends[half] += cmath.rect(1, end / HALF * 2 * cmath.pi)
                    waits[half] += 1
        known = lambda half: waits[half] >= 3 and abs(ends[half]) / waits[half] > 0.97
        moment = lambda half: round(cmath.phase(ends[half]) / (2 * cmath.pi) % 1 * HALF)
        pages.append([moment(half) if known(half) else "-" for half in range(LINES // 4)])
    print(LINES * RUNS * PAGES, "loads; so many took so many cycles more than usual, by steps of 40:", *took)
    for number, page in enumerate(pages):
        print("page", number)
        for start in range(0, len(page), 32):
            print(*page[start : start + 32])


def counts(pages, flipped):
    """Pairs of halves of a KiB whose numbers differ in the bits `flipped`."""
    steps = [0] * 17
    for page in pages:
        for one, at in enumerate(page):
            other = page[one ^ flipped]
            if one < one ^ flipped and at != "-" and other != "-":
                apart = (float(other) - float(at) + HALF / 2) % HALF - HALF / 2
                steps[int((apart + 8.5 * 110) // 110) % 17] += 1
    return steps


def bit(number):
    return 1 if number == 8 else 1 << (number - 9)


if len(sys.argv) > 1:
    fold(open(sys.argv[1], "rb").read())
else:
    pages = []
    for line in open("turns.txt"):
        if line.startswith("page"):
            pages.append([])
        elif pages:
            pages[-1] += line.split()
    for number in [8, *range(10, 21)]:
        print("bit", number, *counts(pages, bit(number)))
    print("the other chunks of a slice", *counts(pages, 1 | sum(map(bit, ODD))))
