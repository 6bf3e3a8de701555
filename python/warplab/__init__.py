"""warplab from Python: runs, experiments and occupancy, with results as NumPy arrays and rows for pandas."""

from ._native import WarplabError
from ._results import Experiment, Run
from ._api import experiment, occupancy, run

__all__ = ["Experiment", "Run", "WarplabError", "experiment", "occupancy", "run"]
