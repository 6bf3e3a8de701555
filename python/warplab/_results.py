"""What runs and experiments give."""

import html
import io
import json
import pathlib

import numpy

from . import _native


class Run:
    """A run that has ended. Reports, the page and the timeline are made when they are asked for; nothing is simulated again."""

    def __init__(self, native):
        self._native = native
        self._document = None
        self._timeline = None

    @classmethod
    def load(cls, path):
        """A run that ``save`` or ``warplab run -o`` wrote, with the same build of warplab."""
        return cls(_native.Run.from_bytes(pathlib.Path(path).read_bytes()))

    def save(self, path):
        """Keeps the run in a file, without device memory."""
        pathlib.Path(path).write_bytes(self._native.to_bytes())

    def __reduce__(self):
        return _unpickled, (self._native.to_bytes(),)

    @property
    def holds(self):
        """Whether every expectation of the launch file holds."""
        return self._native.holds

    @property
    def document(self):
        """Everything that ``warplab run --json`` writes."""
        if self._document is None:
            self._document = json.loads(self._native.document())
        return self._document

    @property
    def launches(self):
        """The document of each launch."""
        return self.document.get("launches", [self.document])

    @property
    def metrics(self):
        """The metrics of the first launch by the names of Nsight Compute."""
        return {name: metric["value"] for name, metric in self.launches[0]["metrics"].items()}

    def __getitem__(self, metric):
        return self.metrics[metric]

    def table(self):
        """A row for each metric and launch: ``pandas.DataFrame(run.table())``."""
        return [
            {"launch": number, "metric": name, "value": metric["value"], "unit": metric.get("unit")}
            for number, launch in enumerate(self.launches, 1)
            for name, metric in launch["metrics"].items()
        ]

    @property
    def timeline(self):
        """What every warp of one multiprocessor did, as NumPy arrays: ``pandas.DataFrame(run.timeline)``."""
        if self._timeline is None:
            self._timeline = {name: _column(*column) for name, column in self._native.timeline().items()}
        return self._timeline

    def array(self, buffer):
        """A buffer after the run, or a variable of the program in global memory: ``run.array("y")``.

        Elements of a buffer without a type are taken as float32. A run that was kept in a file has no device memory.
        """
        return numpy.load(io.BytesIO(self._native.buffer(buffer)))

    def to_parquet(self, path):
        """Writes the timeline as Parquet. It needs pyarrow."""
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table(self.timeline), path)

    def html(self):
        """The page that shows the run."""
        return self._native.html()

    def report(self, *sections):
        """Sections as text, all of them if none is named."""
        return self._native.report(list(sections or ("all",)))

    def _repr_html_(self):
        return (
            '<iframe style="width: 100%; height: 45rem; border: 0" title="warplab run" '
            f'srcdoc="{html.escape(self.html(), quote=True)}"></iframe>'
        )

    def __repr__(self):
        names = ", ".join(launch["launch"]["kernel"] for launch in self.launches)
        return f"<warplab.Run: {names} on {self.document['device']['name']}>"


def _unpickled(kept):
    return Run(_native.Run.from_bytes(kept))


def _column(integers, names):
    """A column of the timeline: numbers, or the numbers of names."""
    numbers = numpy.frombuffer(integers, dtype=numpy.int64)
    return numbers if names is None else numpy.array(names, dtype=str)[numbers]


class Experiment:
    """An experiment that has run."""

    def __init__(self, document):
        #: Everything that ``warplab experiment --json`` prints.
        self.document = document

    @property
    def holds(self):
        """Whether every expectation of its launches holds."""
        return not any(expectation["failed"] for expectation in self.document["expectations"])

    def table(self):
        """A row for each point: ``pandas.DataFrame(experiment.table())``."""
        return self.document["points"]

    def column(self, name):
        """A column as a NumPy array."""
        return numpy.array([row[name] for row in self.table()])
