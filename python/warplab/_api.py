"""The functions of the package: each is a command of the program, inside this process."""

import json
import os

from . import _native, _words
from ._results import Experiment, Run


def run(file, *, set=None, **options):
    """Simulates a launch (.ron) or a program, and records what every warp of one multiprocessor did.

    ``set`` changes numbers of the machine, ``set={"l2.kib": 30000}``; other keyword arguments are the options of
    ``warplab run``: ``gpu="h100-sxm"``, ``scheduler="gto"``, ``grid=4096``, ``block=256``, ``arg=["i32:7", ...]``.
    A failed expectation is no error: see ``Run.holds``. Ctrl-C stops the run, and other threads of Python go on meanwhile.
    """
    words = ["run", os.fspath(file), "--quiet", *_words.changes(set), *_words.options(options)]
    return Run(_native.Run.simulate(words))


def experiment(file, *, set=None, **options):
    """Runs every point of an experiment (.ron); keyword arguments are the options of ``warplab experiment``."""
    words = ["experiment", os.fspath(file), "--quiet", *_words.changes(set), *_words.options(options)]
    text, _ = _native.call([*words, "--json"], accepted=[0, 1])
    if not text:
        raise _native.WarplabError("the experiment has no result")
    return Experiment(json.loads(text))


def occupancy(*, block, registers, set=None, **options):
    """How many warps of a kernel fit on a multiprocessor: ``occupancy(block=256, registers=63, gpu="h200")``."""
    words = ["occupancy", "--block", str(block), "--registers", str(registers), "--json"]
    text, _ = _native.call([*words, *_words.changes(set), *_words.options(options)])
    return json.loads(text)
