"""Writes variants of barrier.cubin whose 512 FFMAs are barriers, shared accesses and others, in patterns, for banks_run.cu.

nvcc -arch=sm_90 -cubin -o barrier.cubin barrier.cu. ptxas leaves at least six cycles between a barrier and what waits for it:
patterns with less do not wait for the barrier on the machine.
"""
import os
import struct

CODE = {  # the two halves of each instruction, without its control fields
    "FFMA": (0xFFFF007223, 0xFF), "IMAD": (0xFFFF0C7224, 0x78E02FF), "IMAD_WIDE": (0x20FF0C7825, 0x78E02FF),
    "LOP3": (0xFFFF0C7212, 0x78E33FF), "ISETP": (0xFFFF00720C, 0x3FC6270), "HFMA2": (0xFFFF0C7231, 0x8FF),
    "HFMA2_MMA": (0x210FF0C7435, 0x1FF), "DFMA": (0xFFFF0C722B, 0xFF), "MUFU": (0xFF000C7308, 0x800),
    "UIADD3": (0x404287890, 0xFFFE03F), "LDS": (0xFF0E7984, 0x800), "STS": (0xDFF007388, 0x800),
    "SHFL": (0xE001F00FF0C7F89, 0xE0000), "S2R": (0xC7919, 0x2100), "S2UR": (0x679C3, 0x8800), "NOP": (0x7918, 0),
    "LDC": (0xFF0C7B82, 0x800), "ULDC": (0x14067AB9, 0x800), "VOTEU": (0x67886, 0x38E0100), "POPC": (0xFF000C7309, 0),
    "F2I": (0xFF000C7305, 0x21F000), "WARPSYNC": (0x7948, 0x3800000), "BRA": (0x7947, 0x3800000), "BAR": (0x7B1D, 0x10000),
}
base = open("barrier.cubin", "rb").read()
word = lambda at: struct.unpack_from("<H", base, at)[0]
found = [at for at in range(0, len(base) - 16, 8) if word(at) == 0x7223]
places = [at for at in found if (at - found[0]) % 16 == 0]
assert len(places) == 512, len(places)
load = struct.unpack_from("<Q", base, next(at for at in range(0, len(base) - 16, 8) if word(at) == 0x7981))[0]
CODE["LDG"] = (0xC7981 | load & (0xFF << 24 | 0x3F << 32), 0xC1E1900)


def write(name, pattern):
    """A pattern has a name, a stall count, the counter that its result holds (7: none) and the counters that it waits for."""
    code = bytearray(base)
    whole = len(places) // len(pattern) * len(pattern)
    computed = 0
    for number, at in enumerate(places):
        kind, stall, holds, waits = pattern[number % len(pattern)] if number < whole else ("FFMA", 1, 7, 0)
        low, high = CODE[kind]
        if kind == "FFMA":
            low |= 10 + computed % 4 << 16
            computed += 1
        if number == 0:
            waits |= struct.unpack_from("<Q", code, at + 8)[0] >> 52 & 0x3F
        struct.pack_into("<QQ", code, at, low, high | (stall | 1 << 4 | holds << 5 | 7 << 8 | waits << 11) << 41)
    open(f"variants/{name}.cubin", "wb").write(code)


os.makedirs("variants", exist_ok=True)
step = lambda kind, stall=1, holds=7, waits=0: (kind, stall, holds, waits)
F, S, L, USE = step("FFMA"), step("STS"), step("LDS", 2, 0), step("FFMA", 5, 7, 1)
BAR = lambda stall: step("BAR", stall)
for stall in (1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 15):
    write(f"B{stall}", [BAR(stall)])
for stall in (1, 5, 9):
    for count in (1, 4, 8, 16):
        write(f"B{stall}_F{count}", [BAR(stall)] + [F] * count)
for count in (0, 1, 2, 4, 8, 16, 24):
    write(f"SL_{count}", [S] + [F] * count + [L, USE])
for count in (0, 4, 16):
    write(f"L_{count}", [F] * count + [L, USE])
for stall in (1, 5, 6, 9):
    write(f"SBL{stall}", [S, BAR(stall), L, USE])
    write(f"SBLB{stall}", [S, BAR(stall), L, USE, BAR(stall)])
    write(f"LB{stall}", [L, USE, BAR(stall)])
    write(f"LSB{stall}", [L, USE, S, BAR(stall)])
    write(f"BS{stall}", [BAR(stall), step("STS", 2)])
    write(f"BF5S{stall}", [BAR(stall), step("FFMA", 5), step("STS", 2)])
for count in (4, 8, 16, 24):
    write(f"SFBL_{count}", [S] + [F] * count + [BAR(1), L, USE])
    write(f"SBFL_{count}", [S, BAR(1)] + [F] * count + [L, USE])
for kind in CODE:
    if kind != "BAR":
        write(f"after_{kind}", [BAR(9), step(kind, 2)] + [F] * 16)
        write(f"alone_{kind}", [step("FFMA", 9), step(kind, 2)] + [F] * 16)
