#!/usr/bin/env python3
"""The interval at which the waits of refresh.txt recur: the period in which their ends lie closest together, and where they lie in it."""
import sys

CLOCK = 1.98  # cycles a nanosecond
BINS = 40


def folded(ends, period):
    bins = [0] * BINS
    for end in ends:
        bins[int(end % period / period * BINS)] += 1
    return bins


runs = []
for line in open(sys.argv[1] if len(sys.argv) > 1 else "refresh.txt"):
    if line.startswith("run"):
        runs.append([])
    else:
        at, took = map(int, line.split())
        if took < 1800:
            runs[-1].append(at + took / CLOCK)
for ends in runs:
    periods = [period / 10 for period in range(9000, 40000)]
    concentration = lambda period: sum(count * count for count in folded(ends, period)) * BINS / len(ends) ** 2
    best = sorted(periods, key=concentration, reverse=True)[:3]
    print("periods", ", ".join(f"{period} ns ({concentration(period):.2f})" for period in best))
    period = max((one for one in periods if 1900 < one < 1950), key=concentration)
    print(f"of {period} ns, by fortieths:", *folded(ends, period))
