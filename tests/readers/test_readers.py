"""What warplab writes for other programs, opened by these programs: Perfetto's trace processor and pyarrow."""

import csv
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
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


@pytest.fixture(scope="module")
def trace(run):
    """The trace in Perfetto's own processor."""
    module = pytest.importorskip("perfetto.trace_processor")
    path = run("--timeline-perfetto")
    try:
        processor = module.TraceProcessor(trace=str(path))
    except (OSError, subprocess.CalledProcessError) as why:
        pytest.skip(f"Perfetto's trace processor cannot be started: {why}")
    yield processor
    processor.close()


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
