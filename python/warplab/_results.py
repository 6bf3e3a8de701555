"""What runs and experiments give."""

import csv
import html
import io
import json
import pathlib
import tempfile

import numpy

from . import _program

_INTEGERS = ("sm", "scheduler", "slot", "block", "warp", "from", "to", "address")


class Run:
    """A run that has ended. Everything comes from the file that it was kept in; nothing is simulated again."""

    def __init__(self, kept, holds=None):
        self._kept = kept
        self._holds = holds
        self._document = None
        self._timeline = None

    @classmethod
    def load(cls, path):
        """A run that ``save`` or ``warplab run -o`` wrote, with the same build of warplab."""
        return cls(pathlib.Path(path).read_bytes())

    def save(self, path):
        """Keeps the run in a file."""
        pathlib.Path(path).write_bytes(self._kept)

    def _report(self, *arguments, output=None):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "run.wl"
            file.write_bytes(self._kept)
            words = ["run", "--import", file, "--quiet", *arguments]
            path = pathlib.Path(folder) / "output" if output else None
            text, status = _program.call([*words, output, path] if output else words, accepted=(0, 1), makes=path)
            self._holds = status == 0
            return path.read_text(encoding="utf-8") if output else text

    @property
    def holds(self):
        """Whether every expectation of the launch file holds."""
        if self._holds is None:
            self._report("--section", "launch")
        return self._holds

    @property
    def document(self):
        """Everything that ``warplab run --json`` writes."""
        if self._document is None:
            self._document = json.loads(self._report("--json", "-"))
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
            rows = list(csv.DictReader(io.StringIO(self._report("--section", "launch", output="--timeline-csv"))))
            names = rows[0].keys() if rows else ()
            columns = {name: [row[name] for row in rows] for name in names}
            self._timeline = {
                name: numpy.array(values, dtype=numpy.int64 if name in _INTEGERS else None)
                for name, values in columns.items()
            }
        return self._timeline

    def to_parquet(self, path):
        """Writes the timeline as Parquet. It needs pyarrow."""
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table(self.timeline), path)

    def html(self):
        """The page that shows the run."""
        return self._report("--section", "launch", output="--html")

    def report(self, *sections):
        """Sections as text, all of them if none is named."""
        words = [word for section in sections or ("all",) for word in ("--section", section)]
        return self._report(*words)

    def _repr_html_(self):
        return (
            '<iframe style="width: 100%; height: 45rem; border: 0" title="warplab run" '
            f'srcdoc="{html.escape(self.html(), quote=True)}"></iframe>'
        )

    def __repr__(self):
        names = ", ".join(launch["launch"]["kernel"] for launch in self.launches)
        return f"<warplab.Run: {names} on {self.document['device']['name']}>"


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
