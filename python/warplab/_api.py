"""The functions of the package: each is one call of the program."""

import json
import pathlib
import tempfile

from . import _program
from ._results import Experiment, Run


def run(file, *, set=None, **options):
    """Simulates a launch (.ron) or a program, and records what every warp of one multiprocessor did.

    ``set`` changes numbers of the machine, ``set={"l2.kib": 30000}``; other keyword arguments are the options of
    ``warplab run``: ``gpu="h100-sxm"``, ``scheduler="gto"``, ``grid=4096``, ``block=256``, ``arg=["i32:7", ...]``.
    A failed expectation is no error: see ``Run.holds``.
    """
    with tempfile.TemporaryDirectory() as folder:
        kept = pathlib.Path(folder) / "run.wl"
        words = ["run", file, "--quiet", "-o", kept, *_program.changes(set), *_program.options(options)]
        _, status = _program.call(words, accepted=(0, 1), makes=kept)
        return Run(kept.read_bytes(), holds=status == 0)


def experiment(file, *, set=None, **options):
    """Runs every point of an experiment (.ron); keyword arguments are the options of ``warplab experiment``."""
    words = ["experiment", file, "--quiet", *_program.changes(set), *_program.options(options)]
    text, _ = _program.call([*words, "--json"], accepted=(0, 1))
    return Experiment(json.loads(text))


def occupancy(*, block, registers, set=None, **options):
    """How many warps of a kernel fit on a multiprocessor: ``occupancy(block=256, registers=63, gpu="h200")``."""
    words = ["occupancy", "--block", block, "--registers", registers, "--json"]
    text, _ = _program.call([*words, *_program.changes(set), *_program.options(options)])
    return json.loads(text)
