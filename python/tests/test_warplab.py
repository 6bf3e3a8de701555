"""The package with its extension module."""

import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest

import warplab

ROOT = pathlib.Path(__file__).parents[2]
WARP_STATES = ROOT / "configs/launches/warp_states.ron"


@pytest.fixture(scope="module")
def run():
    return warplab.run(WARP_STATES)


def test_a_run_has_the_metrics_of_nsight_compute(run):
    assert run.holds
    assert run["sm__cycles_elapsed.max"] == run.metrics["sm__cycles_elapsed.max"] > 0
    row = next(row for row in run.table() if row["metric"] == "sm__cycles_elapsed.max")
    assert (row["launch"], row["value"]) == (1, run["sm__cycles_elapsed.max"])


def test_a_timeline_is_arrays_in_which_one_warp_issues_in_a_cycle(run):
    timeline = run.timeline
    assert timeline["from"].dtype == numpy.int64
    issued = timeline["from"][timeline["state"] == "selected"]
    assert len(issued) == run["smsp__inst_executed.sum"] == len(numpy.unique(issued))


def test_a_table_is_ready_for_pandas(run):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(run.timeline)
    assert set(frame["slot"]) == set(range(8))
    assert len(pandas.DataFrame(run.table())) == len(run.metrics)


def test_a_notebook_shows_the_page(run):
    assert run._repr_html_().startswith("<iframe") and "&lt;!doctype html&gt;" in run._repr_html_()


def test_a_run_is_kept_and_loaded_again(run, tmp_path):
    run.save(tmp_path / "run.wl")
    loaded = warplab.Run.load(tmp_path / "run.wl")
    assert loaded.holds and loaded.document == run.document


def test_a_run_travels_to_another_process(run):
    assert pickle.loads(pickle.dumps(run)).document == run.document


def test_buffers_are_arrays(run, tmp_path):
    assert numpy.allclose(run.array("c"), run.array("a") + run.array("b"))
    with pytest.raises(warplab.WarplabError, match="no buffer 'd'.* known: a, b, c"):
        run.array("d")
    run.save(tmp_path / "run.wl")
    with pytest.raises(warplab.WarplabError, match="device memory is not kept"):
        warplab.Run.load(tmp_path / "run.wl").array("c")


def test_the_timeline_is_that_of_the_program(run, tmp_path):
    warplab.run(WARP_STATES, timeline_csv=tmp_path / "timeline.csv")
    pandas = pytest.importorskip("pandas")
    written = pandas.read_csv(tmp_path / "timeline.csv", keep_default_na=False)
    assert written.equals(pandas.DataFrame(run.timeline).astype(written.dtypes))


ENDLESS = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry endless(.param .u64 out) {
    .reg .u64 %rd<2>;
    .reg .u32 %r<2>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, 1;
forever:
    st.global.u32 [%rd1], %r1;
    bra forever;
}
"""

ENDLESS_LAUNCH = """(
    program: "endless.ptx",
    kernel: "endless",
    gpu: "textbook",
    grid: (1, 1, 1),
    block: (32, 1, 1),
    arguments: [buffer(name: "out", size: "4KiB", init: zero)],
)
"""

ENDLESS_EXPERIMENT = """(
    title: "A launch that never ends",
    source: "a test",
    why: "It is interrupted.",
    kind: launch,
    set: {"launch": "endless_launch.ron"},
    columns: [(name: "cycles", of: "{sm__cycles_elapsed.max}")],
)
"""


@pytest.fixture
def endless(tmp_path):
    """A folder with a launch that never ends, and an experiment of it."""
    (tmp_path / "endless.ptx").write_text(ENDLESS)
    (tmp_path / "endless_launch.ron").write_text(ENDLESS_LAUNCH)
    (tmp_path / "endless.ron").write_text(ENDLESS_EXPERIMENT)
    return tmp_path


def interrupted(work):
    """The seconds that work takes to stop from the moment of an interrupt."""
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(0.5, interrupt)
    timer.start()
    # A background job of a shell ignores interrupts until it is told not to.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        signal.signal(signal.SIGINT, before)
    return time.monotonic() - sent[0]


def test_an_interrupt_stops_a_run_while_other_threads_go_on(endless):
    assert interrupted(lambda: warplab.run(endless / "endless_launch.ron")) < 2


def test_an_interrupt_stops_an_experiment(endless):
    results = endless / "points.jsonl"
    assert interrupted(lambda: warplab.experiment(endless / "endless.ron", results=results)) < 2
    assert not results.exists() or not results.read_text()


def test_the_program_comes_with_the_package(run):
    command = [sys.executable, "-m", "warplab", "run", str(WARP_STATES), "--metrics", "sm__cycles_elapsed.max"]
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(warplab.__file__).parents[1])}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0 and f"{run['sm__cycles_elapsed.max']:,}" in done.stdout
    done = subprocess.run([*command, "--gpu", "h20"], capture_output=True, text=True, env=environment)
    assert done.returncode == 2 and "unknown machine 'h20'" in done.stderr


def test_a_run_that_was_kept_knows_which_expectations_fail(tmp_path):
    text = WARP_STATES.read_text().replace("../kernels", f"{ROOT}/configs/kernels")
    (tmp_path / "wrong.ron").write_text(text.replace("a[i] + b[i]", "a[i] - b[i]"))
    run = warplab.run(tmp_path / "wrong.ron")
    run.save(tmp_path / "run.wl")
    assert not run.holds
    assert not warplab.Run.load(tmp_path / "run.wl").holds


def test_options_and_changes_are_those_of_the_command():
    slow = warplab.run(WARP_STATES, set={"multiprocessor.l1.flat_latency": 400}, scheduler="gto")
    assert slow["sm__cycles_elapsed.max"] > 400


def test_an_experiment_is_a_table():
    littles = warplab.experiment(ROOT / "configs/experiments/littles_fp32.ron")
    assert littles.holds
    full = littles.column("operations") >= 192
    assert numpy.allclose(littles.column("throughput")[full], 8)


def test_occupancy_names_what_limits_it():
    result = warplab.occupancy(gpu="h200", block=256, registers=63)
    assert (result["warps"], result["limited_by"]) == (32, ["registers"])


def test_what_cannot_be_done_is_said():
    with pytest.raises(warplab.WarplabError, match="unknown machine 'h20'"):
        warplab.run(WARP_STATES, gpu="h20")


def test_the_notebook_of_the_course_runs():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("matplotlib")
    pytest.importorskip("ipykernel")
    folder = ROOT / "python/notebooks"
    notebook = nbformat.read(folder / "course.ipynb", as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}})
    package = str(pathlib.Path(warplab.__file__).parents[1])
    client.execute(env={**os.environ, "PYTHONPATH": package})
    pictures = [output for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    assert sum("image/png" in output["data"] for output in pictures) == 3
