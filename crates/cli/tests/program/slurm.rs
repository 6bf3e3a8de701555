//! Experiments on several machines, with an `sbatch` that writes down how it was called. `tests/slurm.sh` asks a real
//! Slurm.

use crate::common::{command_in, fresh_folder, status, stderr, stdout, warplab_in};
use crate::experiments::sweep;
use snapbox::cmd::OutputAssert;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Says that the job is number 17 and writes its arguments, a line each, to `called`.
const SBATCH: &str = "#!/bin/sh\nprintf '%s\\n' \"$@\" > called\necho 17\n";
const SUBMITTED: &str = "; when it has ended, --collect prints the table\n";

/// The folder of a sweep over two points, with this `sbatch` in its folder `bin`.
fn farm(name: &str, sbatch: &str) -> PathBuf {
    let folder = sweep(&format!("slurm_{name}"));
    fs::create_dir(folder.join("bin")).unwrap();
    program(&folder, "sbatch", sbatch);
    folder
}

fn program(folder: &Path, name: &str, text: &str) {
    let path = folder.join("bin").join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn run(folder: &Path, options: &str) -> OutputAssert {
    let line = format!("experiment sweep.ron {options}");
    command_in(folder, &line).env("PATH", folder.join("bin")).assert()
}

/// The folder of the only job array.
fn array(folder: &Path) -> PathBuf {
    let mut entries = folder.join("warplab-results/slurm").read_dir().unwrap();
    entries.next().unwrap().unwrap().path()
}

/// Runs a task as Slurm would; gives its exit status.
fn run_task(folder: &Path, number: u32) -> Option<i32> {
    let mut shell = Command::new("/bin/sh");
    let task = shell.arg(array(folder).join("task.sh")).env("SLURM_ARRAY_TASK_ID", number.to_string());
    task.current_dir("/").output().unwrap().status.code()
}

#[test]
fn sbatch_is_asked_for_a_task_a_chunk() {
    let folder = farm("called", SBATCH);
    let ran = run(&folder, "--slurm -- --partition=long --time=5");
    let logs = array(&folder).strip_prefix(&folder).unwrap().display().to_string();
    assert_eq!(stdout(&ran), format!("job 17: 2 points in 2 tasks, with logs in {logs}{SUBMITTED}"));
    assert_eq!((stderr(&ran).as_str(), status(&ran)), ("", Some(0)));
    let called = fs::read_to_string(folder.join("called")).unwrap();
    let called: Vec<&str> = called.lines().collect();
    let array = array(&folder).display().to_string();
    let (output, script) = (format!("--output={array}/%a.log"), format!("{array}/task.sh"));
    let ours = ["--parsable", "--requeue", "--open-mode=append", "--job-name=warplab-sweep", "--array=1-2"];
    assert_eq!(called[..5], ours);
    assert_eq!(called[5..], [&output, "--partition=long", "--time=5", &script]);
}

#[test]
fn the_collected_table_is_that_of_one_machine() {
    let folder = farm("collected", SBATCH);
    let one = run(&folder, "--results one.jsonl");
    assert_eq!(status(&run(&folder, "--slurm")), Some(0));
    assert_eq!([1, 2].map(|number| run_task(&folder, number)), [Some(0); 2]);
    for options in ["", "--csv", "--json"] {
        let one = run(&folder, &format!("--results one.jsonl {options}"));
        let collected = run(&folder, &format!("--collect {options}"));
        assert_eq!((stdout(&collected), status(&collected)), (stdout(&one), status(&one)), "{options}");
    }
    // What was collected is known like any other result.
    fs::remove_dir_all(array(&folder)).unwrap();
    assert_eq!(stdout(&run(&folder, "--collect")), stdout(&one));
    assert_eq!(stdout(&run(&folder, "--slurm")), "every point is known; --collect prints the table\n");
}

#[test]
fn changes_of_the_command_line_reach_the_tasks() {
    let folder = farm("changes", SBATCH);
    let options = "--set n=254,255,256 --fmad off";
    let one = run(&folder, &format!("{options} --results one.jsonl"));
    assert_eq!(status(&run(&folder, &format!("{options} --slurm --tasks 1"))), Some(0));
    assert_eq!(run_task(&folder, 1), Some(0));
    assert_eq!(stdout(&run(&folder, &format!("{options} --collect"))), stdout(&one));
}

#[test]
fn missing_points_are_named_and_submitted_again() {
    let folder = farm("missing", SBATCH);
    let one = run(&folder, "--results one.jsonl");
    run(&folder, "--slurm");
    run_task(&folder, 2);
    fs::write(array(&folder).join("1.log"), "the node died").unwrap();
    let ran = run(&folder, "--collect");
    let log = array(&folder).join("1.log");
    let log = log.strip_prefix(&folder).unwrap().display().to_string();
    assert_eq!((stdout(&ran).as_str(), status(&ran)), ("", Some(1)));
    assert_eq!(
        stderr(&ran),
        format!(
            "error: 1 point missing: n 255\nlogs: {log}\njob 17 has ended; --slurm --resume submits the missing points again\n"
        )
    );
    let again = run(&folder, "--slurm");
    assert_eq!(status(&again), Some(2));
    assert!(stderr(&again).starts_with("error: this experiment was submitted already, as job 17: "));
    let resumed = run(&folder, "--slurm --resume");
    assert!(stdout(&resumed).starts_with("job 17: 1 point in 1 task, "), "{}", stdout(&resumed));
    assert_eq!(run_task(&folder, 1), Some(0));
    assert_eq!(stdout(&run(&folder, "--collect")), stdout(&one));
}

#[test]
fn a_job_in_the_queue_is_not_submitted_again() {
    let folder = farm("queued", SBATCH);
    run(&folder, "--slurm");
    program(&folder, "squeue", "#!/bin/sh\n[ \"$*\" = '--noheader --jobs 17' ] && echo '17_1 R'\n");
    let ran = run(&folder, "--slurm --resume");
    assert_eq!(
        (stderr(&ran).as_str(), status(&ran)),
        (
            "error: job 17 still has tasks in the queue: wait for them, or end them with 'scancel 17'\n",
            Some(2)
        )
    );
    assert!(stderr(&run(&folder, "--collect")).ends_with("\njob 17 still has tasks in the queue\n"));
}

#[test]
fn a_task_that_runs_again_keeps_what_it_had_finished() {
    let folder = farm("requeued", SBATCH);
    run(&folder, "--slurm --tasks 1");
    assert_eq!(run_task(&folder, 1), Some(0));
    let results = array(&folder).join("1.jsonl");
    let whole = fs::read_to_string(&results).unwrap();
    // The node died while it wrote the second line.
    let (first, second) = whole.split_once('\n').unwrap();
    fs::write(&results, format!("{first}\n{}", &second[..50])).unwrap();
    assert_eq!(run_task(&folder, 1), Some(0));
    assert_eq!(fs::read_to_string(&results).unwrap(), format!("{first}\n{}\n{second}", &second[..50]));
}

#[test]
fn an_experiment_that_has_changed_since_does_not_run() {
    let folder = farm("changed", SBATCH);
    run(&folder, "--slurm");
    let kernel = folder.join("vector_add.ptx");
    let text = fs::read_to_string(&kernel).unwrap();
    fs::write(&kernel, format!("{text}// changed\n")).unwrap();
    assert_eq!(run_task(&folder, 1), Some(2));
    let ran = run(&folder, "--collect");
    assert_eq!(status(&ran), Some(2));
    assert!(stderr(&ran).starts_with("error: there is no job array in warplab-results/slurm/sweep-"));
}

#[test]
fn without_sbatch_nothing_is_submitted() {
    let folder = sweep("slurm_absent");
    let ran = warplab_in(&folder, "experiment sweep.ron --slurm");
    assert_eq!((stdout(&ran).as_str(), status(&ran)), ("", Some(2)));
    let said = stderr(&ran);
    assert!(
        said.starts_with("error: there is no 'sbatch' here: run this where Slurm's commands are, "),
        "{said}"
    );
}

#[test]
fn what_sbatch_says_against_a_job_is_passed_on() {
    let folder = farm("refused", "#!/bin/sh\necho 'sbatch: error: invalid partition' >&2\nexit 1\n");
    for _ in 0..2 {
        let ran = run(&folder, "--slurm -- --partition=lon");
        let expected = "error: sbatch did not take the job array: sbatch: error: invalid partition\n";
        assert_eq!((stderr(&ran).as_str(), status(&ran)), (expected, Some(2)));
    }
}

#[test]
fn a_point_that_is_wrong_is_found_before_anything_is_submitted() {
    let folder = farm("wrong", SBATCH);
    let ran = run(&folder, "--slurm --set grid=x");
    assert_eq!(status(&ran), Some(2));
    assert!(stderr(&ran).starts_with("error: at n 255: grid: "), "{}", stderr(&ran));
    assert!(!folder.join("called").exists());
}

#[test]
fn options_for_sbatch_need_a_job_array() {
    let folder = fresh_folder("slurm_usage");
    for line in ["experiment sweep.ron -- --partition=long", "experiment sweep.ron --slurm --collect"] {
        assert_eq!(status(&warplab_in(&folder, line)), Some(2), "{line}");
    }
}

/// A folder with a small reference, and an `sbatch`.
fn reference(name: &str) -> PathBuf {
    let folder = fresh_folder(&format!("slurm_{name}"));
    fs::create_dir_all(folder.join("reference")).unwrap();
    let data = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/reference"));
    for file in ["cases.jsonl", "metrics.csv", "ptx"]
        .iter()
        .flat_map(|end| [format!("tiny.{end}"), format!("wrong.{end}")])
    {
        fs::copy(data.join(&file), folder.join("reference").join(&file)).unwrap();
    }
    fs::create_dir(folder.join("bin")).unwrap();
    program(&folder, "sbatch", SBATCH);
    folder
}

fn correlate(folder: &Path, options: &str) -> OutputAssert {
    let line = format!("correlate reference tiny --gpu toy {options}");
    command_in(folder, &line).env("PATH", folder.join("bin")).assert()
}

#[test]
fn the_collected_comparison_is_that_of_one_machine() {
    let folder = reference("correlate");
    for options in ["", "--set l2.kib=128 --fmad off --filter scale*"] {
        let one = correlate(&folder, options);
        let submitted = correlate(&folder, &format!("{options} --slurm --tasks 2 -- --partition=long"));
        let cases = if options.is_empty() { 4 } else { 3 };
        assert!(stdout(&submitted).starts_with(&format!("job 17: {cases} cases in 2 tasks, ")));
        let called = fs::read_to_string(folder.join("called")).unwrap();
        assert!(called.contains("--job-name=warplab-correlate-reference\n--array=1-2\n"), "{called}");
        assert_eq!([1, 2].map(|number| run_task(&folder, number)), [Some(0); 2]);
        for more in ["", "--csv -", "--json -"] {
            let one = correlate(&folder, &format!("{options} {more}"));
            let collected = correlate(&folder, &format!("{options} {more} --collect"));
            assert_eq!((stdout(&collected), status(&collected)), (stdout(&one), status(&one)), "{more}");
        }
        // What was collected is known without the job array.
        fs::remove_dir_all(array(&folder)).unwrap();
        assert_eq!(stdout(&correlate(&folder, &format!("{options} --collect"))), stdout(&one));
        let again = correlate(&folder, &format!("{options} --slurm"));
        assert_eq!(stdout(&again), "every case is known; --collect prints the table\n");
    }
}

#[test]
fn wrong_outputs_and_faults_come_back_from_tasks() {
    let folder = reference("correlate_wrong");
    let line = |more: &str| {
        let line = format!("correlate reference wrong --gpu toy {more}");
        command_in(&folder, &line).env("PATH", folder.join("bin")).assert()
    };
    let one = line("");
    line("--slurm --tasks 1");
    assert_eq!(run_task(&folder, 1), Some(0));
    let collected = line("--collect");
    assert!(stdout(&one).contains("wrong"), "{}", stdout(&one));
    assert_eq!((stdout(&collected), status(&collected)), (stdout(&one), Some(1)));
}

#[test]
fn missing_cases_are_named_and_submitted_again() {
    let folder = reference("correlate_missing");
    let one = correlate(&folder, "");
    let absent = correlate(&folder, "--collect");
    assert_eq!(status(&absent), Some(2));
    assert!(
        stderr(&absent).contains("the comparison with just these options, and just this build of warplab, ")
    );
    correlate(&folder, "--slurm --tasks 2");
    run_task(&folder, 1);
    let ran = correlate(&folder, "--collect");
    assert_eq!((stdout(&ran).as_str(), status(&ran)), ("", Some(1)));
    let said = stderr(&ran);
    assert!(said.starts_with("error: 3 cases missing: tiny scale_n2048 (ptx); "), "{said}");
    assert!(said.ends_with("job 17 has ended; --slurm --resume submits the missing cases again\n"), "{said}");
    assert!(
        stderr(&correlate(&folder, "--slurm")).contains("this comparison was submitted already, as job 17: ")
    );
    let resumed = correlate(&folder, "--slurm --resume --tasks 1");
    assert!(stdout(&resumed).starts_with("job 17: 3 cases in 1 task, "), "{}", stdout(&resumed));
    assert_eq!(run_task(&folder, 1), Some(0));
    assert_eq!(stdout(&correlate(&folder, "--collect")), stdout(&one));
}
