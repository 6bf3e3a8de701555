"""Writes variants of issue.cubin whose 512 FFMAs are other instructions, in patterns that repeat, for banks_run.cu.

nvcc -arch=sm_90 -cubin -DWORDS=1 -o issue1.cubin issue.cu, and likewise 2 and 4. Operands are RZ, so that no register bank is
in the way; results go to registers that nothing else needs. A pattern is a list of instructions and stall counts.
"""
import os
import struct

CODE = {  # the two halves of each instruction, without its control fields
    "FFMA": (0xFFFF007223, 0xFF), "FADD_imm": (0x3F800000FF0C7421, 0x200), "IMAD": (0xFFFF0C7224, 0x78E02FF),
    "IMAD.WIDE": (0x20FF0C7825, 0x78E02FF), "IMAD.HI": (0xFFFF0C7227, 0x78E00FF), "VIADD": (0x840FF0C7836, 0),
    "LOP3": (0xFFFF0C7212, 0x78E33FF), "MOV": (0xFF000C7202, 0xF00), "ISETP": (0xFFFF00720C, 0x3FC6270),
    "HFMA2": (0xFFFF0C7231, 0x8FF), "HADD2.F32": (0x200000FFFF0C7230, 0x4100), "HFMA2.MMA": (0x210FF0C7435, 0x1FF),
    "DFMA": (0xFFFF0C722B, 0xFF), "MUFU": (0xFF000C7308, 0x800), "UIADD3": (0x404287890, 0xFFFE03F),
    "LDS": (0xFF0C7984, 0x800), "LDS.64": (0xFF0C7984, 0xA00), "LDS.128": (0xFF0C7984, 0xC00),
    "SHFL": (0xE001F00FF0C7F89, 0xE0000), "S2R": (0xC7919, 0x2100),
    "LDG": (0x7981, 0xC1E1900), "LDG.64": (0x7981, 0xC1E1B00), "LDG.128": (0x7981, 0xC1E1D00),
}
WORDS = {"LDG.64": 2, "LDG.128": 4}
WIDE = ("IMAD.WIDE", "DFMA", "LDS.64", "LDS.128", "LDG.64", "LDG.128")
LEAST_RESULT = 10


class Base:
    def __init__(self, words):
        self.code = open(f"issue{words}.cubin", "rb").read()
        word = lambda at: struct.unpack_from("<H", self.code, at)[0]
        found = [at for at in range(0, len(self.code) - 16, 8) if word(at) == 0x7223]
        self.places = [at for at in found if (at - found[0]) % 16 == 0]
        assert len(self.places) == 512, len(self.places)
        first_load = next(at for at in range(0, len(self.code) - 16, 8) if word(at) == 0x7981)
        low = struct.unpack_from("<Q", self.code, first_load)[0]
        self.address = low & 0xFF << 24 | low & 0x3F << 32


BASES = {words: Base(words) for words in (1, 2, 4)}


def write(name, pattern, results=range(LEAST_RESULT, 18)):
    base = BASES[max(WORDS.get(name, 1) for name, _ in pattern)]
    code = bytearray(base.code)
    plain = 0
    for number, at in enumerate(base.places):
        name_of, stall = pattern[number % len(pattern)]
        low, high = CODE[name_of]
        if name_of.startswith("LDG"):
            low |= base.address
        if name_of != "UIADD3" and name_of != "ISETP":
            if name_of in WIDE:
                to = 20 + 4 * (number // len(pattern) % 2)
            else:
                to = results[plain % len(results)]
                plain += 1
            low = low & ~(0xFF << 16) | to << 16
        waits = struct.unpack_from("<Q", code, at + 8)[0] >> 52 & 0x3F if number == 0 else 0
        struct.pack_into("<QQ", code, at, low, high | (stall | 1 << 4 | 7 << 5 | 7 << 8 | waits << 11) << 41)
    open(f"variants/{name}.cubin", "wb").write(code)


os.makedirs("variants", exist_ok=True)
KINDS = [kind for kind in CODE if kind not in ("LDG.64", "LDS.64")]
for kind in CODE:
    write(f"only_{kind}", [(kind, 1)])
    for others in (1, 2, 3, 7, 15, 31):
        write(f"{kind}_{others}_FFMA", [(kind, 1)] + [("FFMA", 1)] * others)
    write(f"{kind}_2_LOP3", [(kind, 1)] + [("LOP3", 2)] * 2)
    for burst in (2, 4, 8):
        write(f"{burst}_{kind}_8_FFMA", [(kind, 1)] * burst + [("FFMA", 2)] * 8)
for first in KINDS:
    for second in KINDS:
        for stall in (1, 2, 3, 4):
            write(f"pair_{first}_{second}_{stall}", [(first, stall), (second, 10)])
LETTERS = {"F": "FFMA", "I": "IMAD", "W": "IMAD.WIDE", "A": "LOP3", "H": "HFMA2", "M": "HFMA2.MMA", "D": "DFMA", "U": "UIADD3"}
for letters in ("IFF", "IFAF", "IAFF", "IIFF", "IFFFF", "IFFAF", "IFAFAF", "IUF", "WAF", "WFFA", "WAFF", "WFAF", "HAF", "HFFF",
                "MAAA", "MIAA", "MFAF", "IFMF", "DAAA", "FFA", "FFAA", "FAAF"):
    write(f"pattern_{letters}", [(LETTERS[letter], 1) for letter in letters])
for name, results in (("even", range(10, 18, 2)), ("odd", range(11, 18, 2)), ("RZ", (255,))):
    for kind in ("LDS", "LDS.64", "LDS.128", "LDG.128"):
        for others in (7, 15, 31):
            write(f"{kind}_{others}_FFMA_{name}", [(kind, 1)] + [("FFMA", 1)] * others, results)
