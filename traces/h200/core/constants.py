"""Writes variants of issue.cubin that load constants beside special registers, shared loads and other instructions, for banks_run.cu.

nvcc -arch=sm_90 -cubin -DWORDS=1 -o issue1.cubin issue.cu, and likewise 2 and 4 (as for issue.py).
"""
import issue

issue.CODE |= {
    "LDC": (0x8E00FF0C7B82, 0x800),  # c[0][0x238]
    "LDC64": (0x8E00FF0C7B82, 0xA00),
    "ULDC": (0x860000057AB9, 0x800),
    "S2UR": (0x579C3, 0x2500),  # SR_CTAID.X
    "S2R_TID": (0xC7919, 0x2100),
    "S2R_LANEID": (0xC7919, 0),
    "S2R_SMID": (0xC7919, 0x4300),
}
issue.WIDE += ("LDC64",)
OWN = ("LDC", "LDC64", "ULDC", "S2UR", "S2R_TID", "S2R_LANEID", "S2R_SMID")
for kind in OWN:
    issue.write(f"only_{kind}", [(kind, 1)])
for first, others in (
    ("LDC", ("LDC64", "ULDC", "S2UR", "S2R_TID", "S2R_LANEID", "S2R_SMID", "LDS", "LDG", "SHFL", "MUFU", "FFMA", "IMAD")),
    ("LDC64", ("S2UR", "S2R_TID", "LDS")),
    ("ULDC", ("S2UR", "S2R_TID", "LDS")),
    ("S2R_TID", ("S2UR", "S2R_SMID", "S2R_LANEID")),
):
    for other in others:
        for one, many in ((1, 1), (1, 2), (1, 4), (2, 1), (4, 1)):
            issue.write(f"{one}_{first}_{many}_{other}", [(first, 1)] * one + [(other, 1)] * many)
# What most kernels begin with.
issue.write("begin", [(kind, 1) for kind in ("LDC", "S2R_TID", "S2UR", "LDC", "S2R_LANEID", "S2R_SMID", "LDC", "LDC64")])
issue.write("begin_3", [(kind, 1) for kind in ("LDC", "S2R_TID", "S2UR", "LDC")])
