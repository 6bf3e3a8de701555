"""Writes variants of issue.cubin that read special registers beside shared loads, exchanges and FFMAs, for banks_run.cu.

nvcc -arch=sm_90 -cubin -DWORDS=1 -o issue1.cubin issue.cu, and likewise 2 and 4 (as for issue.py).
"""
import issue

issue.CODE |= {
    "S2UR": (0x579C3, 0x5000),  # SR_CLOCKLO into UR5
    "S2R_CLOCK": (0xC7919, 0x5000),
    "S2R_TID": (0xC7919, 0x2100),
}
for first in ("S2UR", "S2R_CLOCK", "S2R_TID"):
    issue.write(f"only_{first}", [(first, 1)])
    for other in ("LDS", "SHFL", "MUFU", "LDG", "FFMA"):
        for one, many in ((1, 1), (1, 2), (1, 4), (1, 8), (2, 1), (4, 1), (4, 4)):
            issue.write(f"{one}_{first}_{many}_{other}", [(first, 1)] * one + [(other, 1)] * many)
for first, second in (("LDS", "LDG"), ("LDS", "SHFL"), ("LDS", "MUFU"), ("LDG", "MUFU"), ("SHFL", "MUFU"), ("LDS.128", "LDG")):
    for one, many in ((1, 1), (1, 4), (4, 1), (4, 4)):
        issue.write(f"{one}_{first}_{many}_{second}", [(first, 1)] * one + [(second, 1)] * many)
