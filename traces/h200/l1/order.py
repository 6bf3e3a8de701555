#!/usr/bin/env python3
"""What order.txt says of banks and sets: pairs of a new line and the one that leaves for it, and the hashes of the set's bits."""
import re

parity = lambda bits: bin(bits).count("1") & 1
bank = lambda line: parity(line & 0x3AB5) | parity(line & 0x15DA) << 1  # lsu/tags.txt
same, turns = [], []
for row in open("order.txt"):
    if row.startswith(("X3", "X4 run 0")):
        steps = [(int(new), [int(x) for x in re.findall(r"-(\d+)", out)]) for new, out in re.findall(r"(\d+)<((?:-\d+)*)", row)]
        same += [bank(new) == bank(old) for new, outs in steps for old in outs]
        # Of one bank: groups of lines divided by four that leave together, one group after the other.
        turns.append([[line >> 2 for line in outs] for new, outs in steps if outs and bank(new) == bank(168)])
print(f"{sum(same)} of {len(same)} lines leave the bank of the new one")

ROW = [0x45, 0x75, 0x32]  # from the groups of 16 that leave first: {3, 6, 11, 14, 51, ...} and so on


def descends(columns):
    key = lambda q: [parity(q & mask) for mask in ROW] + [parity(q & mask) ^ flip for mask, flip in columns]
    return all(min(map(key, a)) >= max(map(key, b)) for turn in turns for a, b in zip(turn, turn[1:]))


def independent(columns):
    span = {0}
    for mask in ROW + [mask for mask, _ in columns]:
        if mask in span:
            return False
        span |= {mask ^ other for other in span}
    return True


found = [()]
for _ in range(4):
    longer = [columns + ((mask, flip),) for columns in found for mask in range(128) for flip in (0, 1)]
    found = [columns for columns in longer if independent(columns) and descends(columns)]
    print(f"{len(found)} ways:", [[hex(mask) for mask, _ in columns] for columns in found][:3])
