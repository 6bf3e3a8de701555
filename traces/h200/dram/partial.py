"""Which lines stay written in part: the rows of partial.txt at random beside sets that keep one to four lines each."""
import math
import pathlib
import re

SLICES, LINES, BINS = 94, 131_072, 32
HIT, PART = 0.5, 0.943  # share of lines that take long: of those that were completed, and of 16,384 that are written in part

AFTER = [LINES - (number + 0.5) * LINES / BINS for number in range(BINS)]  # lines that came after those of a bin


def measured():
    """The share of the lines of each bin that stay, of each row."""
    for row in pathlib.Path(__file__).with_name("partial.txt").read_text().splitlines():
        if re.match(rf"at random +{LINES} lines", row):
            late = re.search(r"\(4096\):([ \d]+)\|", row)[1].split()
            yield [(int(count) * BINS / LINES - HIT) / (PART - HIT) for count in late]


def model(ways, lines_of_slice):
    """The same where each set keeps so many lines, the last ones."""
    loads = [after * ways / (SLICES * lines_of_slice) for after in AFTER]
    return [sum(math.exp(-load) * load**few / math.factorial(few) for few in range(ways)) for load in loads]


def points(ways, lines_of_slice, rows):
    """How far the model is off, in points (root mean square)."""
    errors = [(a - b) ** 2 for row in rows for a, b in zip(row, model(ways, lines_of_slice))]
    return 100 * math.sqrt(sum(errors) / len(errors))


rows = list(measured())
for row in rows:
    some = ", ".join(f"{row[number]:.0%} after {AFTER[number]:,.0f} others" for number in (24, 16, 8, 0))
    print(f"{sum(row) * LINES / BINS:,.0f} of {LINES:,} lines stay: {some}")
for ways in range(1, 5):
    best = min(range(500, 800, 5), key=lambda lines: points(ways, lines, rows))
    with_best = f"{points(ways, best, rows):.1f} with {best}"
    print(f"sets of {ways}: off by {points(ways, 640, rows):.1f} points with 640 lines a slice, {with_best}")
