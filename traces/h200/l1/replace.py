#!/usr/bin/env python3
"""Level one as the model has it (memory/src/cache/pool.rs, replacement/nru.rs, sm/src/lsu/sets.rs), beside the rows of replace.txt."""
import re

parity = lambda bits: bin(bits).count("1") & 1
MASKS = [0x1FFC5, 0x127975, 0x18EBB2, 0x17B76C, 0xB2A4E, 0x5ADD2, 0x12A461]  # order.py, high.txt
SETS, WAYS, FAR = 128, 4, 40000


class Bank:
    def __init__(self, lines):
        self.free, self.hand, self.sets, self.again = lines, SETS - 1, [[] for _ in range(SETS)], {}

    def access(self, quad):
        """Whether it hits. A set is in the order of use."""
        number = sum(parity(quad & mask) << 6 - bit for bit, mask in enumerate(MASKS))
        lines = self.sets[number]
        if quad in self.again:
            lines.append(lines.pop(lines.index(quad)))
            self.again[quad] = True
            return True
        if len(lines) == WAYS:
            self.evict(lines)
        elif self.free == 0:
            while not self.sets[self.hand]:
                self.hand = (self.hand - 1) % SETS
            self.evict(self.sets[self.hand])
            self.hand = (self.hand - 1) % SETS
        lines.append(quad)
        self.again[quad] = False
        self.free -= 1
        return False

    def evict(self, lines):
        if all(self.again[line] for line in lines):
            self.again.update((line, False) for line in lines)
        victim = next(line for line in lines if not self.again[line])
        lines.remove(victim)
        del self.again[victim]
        self.free += 1


class L1:
    def __init__(self, shared_kib):
        self.banks = [Bank((249 - shared_kib) * 2) for _ in range(4)]

    def misses(self, line):
        return not self.banks[parity(line & 0x6F7AB5) | parity(line & 0x3AD5DA) << 1].access(line >> 2)


def in_turn(kib, lines, laps):
    cache = L1(kib)
    counts = [sum(cache.misses(line) for line in range(lines)) for _ in range(laps)][laps // 2 :]
    return sum(counts) / len(counts) / lines


def hot(kib, every, lines):
    cache, operations, turn, missed = L1(kib), 0, 0, 0
    while operations + every < 13000:
        for line in range(FAR + turn * every, FAR + (turn + 1) * every):
            cache.misses(line)
        missed += cache.misses(turn % lines)
        turn, operations = turn + 1, operations + every + 1
    return missed / turn


seed = 1


def random(kib, lines, streaming):
    global seed
    cache, found, fresh = L1(kib), [], FAR
    for _ in range(7500 if streaming else 15000):
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        found.append(cache.misses((seed >> 8) % lines))
        if streaming:
            cache.misses(fresh)
            fresh += 1
    return sum(found[len(found) // 2 :]) / (len(found) - len(found) // 2)


errors = []
for row in open("replace.txt"):
    if m := re.match(r"shared (\d+) KiB, (\d+) lines in turn, misses of each lap: (.*)", row):
        laps = list(map(int, m[3].split()))
        late = laps[len(laps) // 2 :]
        measured, model = sum(late) / len(late) / int(m[2]), in_turn(int(m[1]), int(m[2]), len(laps))
    elif m := re.match(r"shared (\d+) KiB, (\d+) new lines then one of (\d+) hot .*; (\d+) of (\d+) uses", row):
        measured, model = int(m[4]) / int(m[5]), hot(int(m[1]), int(m[2]), int(m[3]))
    elif m := re.match(r"shared (\d+) KiB, random of (\d+) lines(, a new one after each)?: (\d+) of (\d+)", row):
        measured, model = int(m[4]) / int(m[5]), random(int(m[1]), int(m[2]), bool(m[3]))
    else:
        continue
    errors.append(abs(measured - model))
    print(f"{row.split(':')[0]}: {100 * measured:.1f} % miss, in the model {100 * model:.1f}")
print(f"{len(errors)} rows, {100 * sum(errors) / len(errors):.2f} points off in the mean")
