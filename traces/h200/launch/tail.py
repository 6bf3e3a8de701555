"""Medians of what tail.cu took: python3 tail.py FILE, where FILE is ncu --csv --metrics of the three below."""
import csv, statistics, sys

rows = {}
for row in csv.DictReader(line for line in open(sys.argv[1]) if line.startswith('"')):
    if row["ID"].isdigit():
        rows.setdefault(int(row["ID"]), row)[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
cases = {}
for number in sorted(rows):
    row = rows[number]
    cases.setdefault((row["Kernel Name"].split("(")[0], row["Grid Size"], row["Block Size"]), []).append(row)
for (kernel, grid, block), laps in cases.items():
    median = lambda name: statistics.median(lap[name] for lap in laps)
    beside = sorted(lap["sm__cycles_elapsed.max"] - lap["sm__cycles_active.max"] for lap in laps)
    print(f"{kernel} grid {grid.split(',')[0].strip('( ')} block {block.split(',')[0].strip('( ')}: elapsed {median('sm__cycles_elapsed.max'):.0f}, "
          f"active {median('sm__cycles_active.max'):.0f} at most, {median('sm__cycles_active.avg'):.0f} on average, beside it", *(f"{x:.0f}" for x in beside))
