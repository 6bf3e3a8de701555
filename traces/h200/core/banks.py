"""Writes variants of banks.cubin (nvcc -arch=sm_90 -cubin banks.cu) whose 512 FFMAs have other registers, reuse flags and opcodes.

A variant is a function of the number of the instruction: destination, operands a, b and c, and, where they are not 0, FFMA
and 1, the reuse flags, the opcode and the stall count. Each is a cubin in the folder `variants`, for banks_run.cu.
"""
import os
import struct

BASE = open("banks.cubin", "rb").read()
FFMA, IMAD, IADD3, LOP3, DFMA, MUFU, LDS, STS, SHFL, F2I = (
    0x7223, 0x7224, 0x7210, 0x7212, 0x722B, 0x7308, 0x7984, 0x7388, 0x7F89, 0x7305)
HIGH = {FFMA: 0, DFMA: 0, IMAD: 0x078E0200, IADD3: 0x07FFE000, LOP3: 0x078E6000, MUFU: 0x0800, LDS: 0x0800, STS: 0x0800,
        SHFL: 0x000E0000, F2I: 0x00203100}
ZERO = 255
EVEN, ODD = list(range(26, 66, 2)), list(range(27, 66, 2))
POOL = {0: EVEN, 1: ODD}


def places():
    of_ffma = [at for at in range(0, len(BASE) - 16, 8) if struct.unpack_from("<H", BASE, at)[0] == FFMA]
    found = [at for at in of_ffma if (at - of_ffma[0]) % 16 == 0]
    assert len(found) == 512, len(found)
    return found


def write(name, rule):
    code = bytearray(BASE)
    for number, at in enumerate(places()):
        d, a, b, c, *rest = rule(number)
        reuse, opcode, stall = (list(rest) + [0, FFMA, 1][len(rest):])
        high = struct.unpack_from("<Q", code, at + 8)[0]
        waits = high >> 52 & 0x3F if number == 0 else 0
        low = opcode | d << 16 | a << 24 | (0x0C601F00 << 32 if opcode == SHFL else b << 32)
        control = stall | 1 << 4 | 7 << 5 | 7 << 8 | waits << 11 | reuse << 17
        struct.pack_into("<QQ", code, at, low, HIGH[opcode] | c & 0xFF | control << 41)
    with open(f"variants/{name}.cubin", "wb") as file:
        file.write(code)


def dest(i):
    return 10 + i % 16


def pick(bank, first, i, fixed=False):
    return ZERO if bank is None else POOL[bank][first + (0 if fixed else i % 5)]


def banks(a, b, c, reuse=0, fixed="", opcode=FFMA, stall=1):
    return lambda i: (dest(i), pick(a, 0, i, "a" in fixed), pick(b, 5, i, "b" in fixed), pick(c, 10, i, "c" in fixed),
                      reuse, opcode, stall)


def turns(*rules):
    return lambda i: rules[i % len(rules)](i)


def behind(middle):
    """Of three, the first keeps a, the third has the same, and `middle` comes between."""
    first = lambda i: (dest(i), EVEN[i // 3 % 5], EVEN[5 + i % 5], EVEN[10 + i % 5], 1)
    return lambda i: middle(i) if i % 3 == 1 else first(i)[:4] + (1 - (i % 3 > 0),)


N = None
ALL, NONE = banks(0, 0, 0), banks(N, N, N)
E, O = (lambda i: EVEN[15 + i % 4]), (lambda i: ODD[15 + i % 4])
VARIANTS = {f"p{a}{b}{c}": banks(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)}
VARIANTS |= {
    "zzz": NONE, "p0zz": banks(0, N, N), "p00z": banks(0, 0, N), "p01z": banks(0, 1, N), "pz00": banks(N, 0, 0),
    "p0z0": banks(0, N, 0), "pzz0": banks(N, N, 0),
    "aaa": lambda i: (dest(i),) + 3 * (EVEN[i % 5],),
    "aa_e_e": lambda i: (dest(i), EVEN[i % 5], EVEN[i % 5], EVEN[10 + i % 5]),
    "aa_e_o": lambda i: (dest(i), EVEN[i % 5], EVEN[i % 5], ODD[10 + i % 5]),
    "mod4_000": lambda i: (dest(i), 28 + 4 * (i % 3), 40 + 4 * (i % 3), 52 + 4 * (i % 3)),
    "mod4_022": lambda i: (dest(i), 28 + 4 * (i % 3), 42 + 4 * (i % 3), 54 + 4 * (i % 3)),
    "fixed000": banks(0, 0, 0, 0, "abc"), "fixed001": banks(0, 0, 1, 0, "abc"),
    "w_even": lambda i: (10 + 2 * (i % 8), ZERO, ZERO, ZERO),
    "acc": lambda i: (dest(i), EVEN[i % 5], ODD[5 + i % 5], dest(i)),
    "alt_000_z": turns(ALL, NONE), "alt_000_zz": turns(ALL, NONE, NONE), "alt_000_000_z_z": turns(ALL, ALL, NONE, NONE),
    "alt_000_000_000_z": turns(ALL, ALL, ALL, NONE), "alt_000x4_z4": turns(*4 * [ALL], *4 * [NONE]),
    "alt_000_111": turns(ALL, banks(1, 1, 1)), "alt_001_110": turns(banks(0, 0, 1), banks(1, 1, 0)),
    "alt_001_z": turns(banks(0, 0, 1), NONE), "alt_001_001_z": turns(banks(0, 0, 1), banks(0, 0, 1), NONE),
    "pair_reuse_a": lambda i: (dest(i), EVEN[i // 2 % 5], EVEN[5 + i % 5], EVEN[10 + i % 5], 1 - i % 2),
    "pair_slot_ab": lambda i: (dest(i), *[(EVEN[i // 2 % 5], EVEN[5 + i % 5]), (EVEN[5 + i % 5], EVEN[i // 2 % 5])][i % 2],
                               EVEN[10 + i % 5], 1 - i % 2),
    "pair_gap_a": behind(NONE), "gap_same": behind(lambda i: (dest(i), EVEN[15], ZERO, ZERO)),
    "gap_otherbank": behind(lambda i: (dest(i), ODD[15], ZERO, ZERO)),
    "gap_otherslot": behind(lambda i: (dest(i), ZERO, EVEN[15], ZERO)),
    "reuse_noread": lambda i: (dest(i), EVEN[0], EVEN[5 + i % 5], EVEN[10 + i % 5], int(i % 8 == 0)),
    "reuse_chain2": lambda i: (dest(i), EVEN[0], EVEN[5 + i % 5], EVEN[10 + i % 5], int(i % 8 < 7)),
    "imad_z": banks(N, N, N, opcode=IMAD), "imad_001": banks(0, 0, 1, opcode=IMAD), "imad_000": banks(0, 0, 0, opcode=IMAD),
    "alt_imad_ffma_z": turns(banks(N, N, N, opcode=IMAD), NONE), "alt_imad_ffma_000": turns(banks(0, 0, 0, opcode=IMAD), ALL),
    "only_iadd3_eee": banks(0, 0, 0, opcode=IADD3), "only_lop3_eee": banks(0, 0, 0, opcode=LOP3),
    "only_dfma_rrr": lambda i: (10 + 2 * (i % 8), EVEN[i % 4], EVEN[5 + i % 4], EVEN[10 + i % 4], 0, DFMA),
    "only_dfma_rrz": lambda i: (10 + 2 * (i % 8), EVEN[i % 4], EVEN[5 + i % 4], ZERO, 0, DFMA),
    "chain_000": lambda i: (10, 10, EVEN[5 + i % 5], EVEN[10 + i % 5], 0, FFMA, 4),
}
for operands, reuse in (("a", 1), ("b", 2), ("c", 4), ("ab", 3), ("ac", 5), ("bc", 6)):
    for a, b, c in ((0, 0, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0)):
        VARIANTS[f"reuse_{operands}_{a}{b}{c}"] = banks(a, b, c, reuse, operands)
# One in eight is another instruction; the others read two even registers and an odd one.
OTHERS = {
    "none": NONE, "ffma_e": lambda i: (dest(i), E(i), ZERO, ZERO), "ffma_o": lambda i: (dest(i), O(i), ZERO, ZERO),
    "mufu_z": lambda i: (dest(i), 0, ZERO, 0, 0, MUFU), "mufu_e": lambda i: (dest(i), 0, E(i), 0, 0, MUFU),
    "mufu_o": lambda i: (dest(i), 0, O(i), 0, 0, MUFU), "f2i_e": lambda i: (dest(i), 0, E(i), 0, 0, F2I),
    "lds_e": lambda i: (dest(i), E(i), 0, 0, 0, LDS), "lds_o": lambda i: (dest(i), O(i), 0, 0, 0, LDS),
    "sts_ee": lambda i: (0, E(i), EVEN[14], 0, 0, STS), "sts_eo": lambda i: (0, E(i), O(i), 0, 0, STS),
    "sts_oo": lambda i: (0, O(i), ODD[14], 0, 0, STS), "shfl_e": lambda i: (dest(i), E(i), 0, 0, 0, SHFL),
    "shfl_o": lambda i: (dest(i), O(i), 0, 0, 0, SHFL), "iadd3_e": lambda i: (dest(i), E(i), ZERO, ZERO, 0, IADD3),
    "dfma_rrr": lambda i: (10 + 2 * (i % 8), E(i), EVEN[14], EVEN[13], 0, DFMA),
}
for name, other in OTHERS.items():
    VARIANTS[f"x_{name}"] = (lambda other: lambda i: other(i) if i % 8 == 7 else banks(0, 0, 1)(i))(other)

os.makedirs("variants", exist_ok=True)
for name, rule in VARIANTS.items():
    write(name, rule)
