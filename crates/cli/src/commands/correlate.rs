//! `warplab correlate FOLDER`: the hardware reference, case by case, beside the simulator.

use crate::arguments::{CorrelateArguments, Isa, IsaChoice, Switch};
use crate::commands::experiment::fmad_word;
use crate::commands::slurm::{OpenParts, Work, full_path};
use crate::failure::{Failure, Outcome};
use crate::job;
use crate::kept_results::KeptResults;
use crate::laboratory::VERSION;
use crate::programs::{self, OTHER_COMPILER, Reading};
use crate::progress::CaseBar;
use crate::simulate;
use crate::sources;
use crate::terminal::Terminal;
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use warplab_config::GpuConfig;
use warplab_diagnostics::nearest_name;
use warplab_lab::correlate::{CaseJob, CorrelateOptions, KeyedCase, Selection, run as run_jobs};
use warplab_lab::pool::Limits;
use warplab_lab::reference::{self, Case};
use warplab_metrics::correlation::{Comparison, Measure};
use warplab_program::Program;
use warplab_report::{
    Correlation, correlation_csv, correlation_faults, correlation_json, correlation_svg, correlation_text,
};

/// How the name of a file of cases ends.
const CASES: &str = ".cases.jsonl";
/// The programs that the simulator compiles, in tables.
const PTX: &str = "ptx";
/// The most warp instructions of a quick case.
const QUICK: u64 = 2_000_000;

/// A reference with its programs.
struct Suite {
    name: String,
    cases: Vec<Case>,
    programs: Vec<(&'static str, Program)>,
}

/// Runs the cases and reports.
pub(crate) fn run(arguments: &CorrelateArguments, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let measures = measures(&arguments.metrics)?;
    let selection = Selection {
        filters: arguments.filters.clone(),
        most_instructions: (arguments.quick || !arguments.all).then_some(arguments.below.unwrap_or(QUICK)),
    };
    let gpu = arguments.machine.gpu.as_deref().unwrap_or(crate::machines::DEFAULT);
    let config = job::machine(gpu, &arguments.machine.all_changes())?;
    let names = names(&arguments.folder, &arguments.names)?;
    let mut suites = Vec::new();
    for name in names {
        suites.push(load_suite(arguments, &config, name, &selection, terminal)?);
    }
    if suites.iter().all(|suite| suite.programs.is_empty()) {
        return Err(nothing_chosen(&arguments.folder, &suites, &selection)?.into());
    }
    let jobs = jobs(&suites);
    if arguments.slurm.is_used() {
        return on_several_machines(arguments, &config, &jobs, &measures, terminal);
    }
    let comparisons = simulate_all(arguments, &config, &jobs, terminal, &|_, _| {});
    tell(arguments, &config, &jobs, &comparisons, &measures, terminal)
}

/// Submits the cases, runs those of a task, or reports what all tasks have simulated.
fn on_several_machines(
    arguments: &CorrelateArguments,
    config: &GpuConfig,
    jobs: &[CaseJob<'_>],
    measures: &[Measure],
    terminal: &mut Terminal,
) -> Result<Outcome, Failure> {
    let cases = KeyedCase::all(jobs, config, arguments.sample, VERSION);
    let folder = arguments.folder.canonicalize().unwrap_or_default();
    let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let work = Work {
        what: "comparison",
        part: "case",
        name: format!("correlate-{name}"),
        key: KeyedCase::key_of_all(&cases),
        results: &arguments.results,
    };
    let mut kept = KeptResults::open(&arguments.results, false)?;
    if let Some(file) = &arguments.slurm.points_of {
        let keys = work.parts_of(file, &|key| cases.iter().any(|case| case.key == key))?;
        let is_open =
            |case: &&KeyedCase<'_>| keys.contains(&case.key) && kept.known().get(&case.key).is_none();
        let open: Vec<&KeyedCase<'_>> = cases.iter().filter(is_open).collect();
        let jobs: Vec<CaseJob<'_>> = open.iter().map(|case| case.job).collect();
        let done = simulate_all(arguments, config, &jobs, terminal, &|number, comparison| {
            kept.keep(&open[number].line(comparison));
        });
        return kept.close(if done.len() == jobs.len() { Outcome::Fine } else { Outcome::Failed });
    }
    if arguments.slurm.submits {
        work.check_not_submitted(&arguments.slurm)?;
        work.absorb(&mut kept)?;
        work.submit(&arguments.slurm, &open_cases(&cases, &kept), &task_words(arguments)?, terminal)?;
        return kept.close(Outcome::Fine);
    }
    work.absorb(&mut kept)?;
    if work.tell_missing(&open_cases(&cases, &kept), terminal)? == Outcome::Failed {
        return kept.close(Outcome::Failed);
    }
    let restored = |case: &KeyedCase<'_>| Some(case.comparison(kept.known().get(&case.key)?));
    let comparisons: Vec<Comparison> = cases.iter().filter_map(restored).collect();
    let outcome = tell(arguments, config, jobs, &comparisons, measures, terminal)?;
    kept.close(outcome)
}

/// The cases whose results are not known.
fn open_cases(cases: &[KeyedCase<'_>], kept: &KeptResults) -> OpenParts {
    let open = cases.iter().filter(|case| kept.known().get(&case.key).is_none());
    OpenParts {
        names: open.clone().map(|case| (case.key.clone(), case.label.clone())).collect(),
        costs: open.map(|case| case.job.case.weight()).collect(),
    }
}

/// What a task runs: the comparison with the same machine and the same cases.
fn task_words(arguments: &CorrelateArguments) -> Result<Vec<String>, Failure> {
    let mut words = vec!["correlate".to_owned(), full_path(&arguments.folder)?];
    words.extend(arguments.names.iter().cloned());
    if let Some(gpu) = &arguments.machine.gpu {
        let gpu = if gpu.ends_with(".ron") { full_path(Path::new(gpu))? } else { gpu.clone() };
        words.push(format!("--gpu={gpu}"));
    }
    words.extend(arguments.machine.all_changes().iter().map(|change| format!("--set={change}")));
    let isa = arguments.isa.and_then(|isa| Some(isa.to_possible_value()?.get_name().to_owned()));
    words.extend(isa.map(|isa| format!("--isa={isa}")));
    words.extend(arguments.filters.iter().map(|filter| format!("--filter={filter}")));
    words.extend(arguments.all.then(|| "--all".to_owned()));
    words.extend(arguments.below.map(|below| format!("--below={below}")));
    words.extend(arguments.sample.then(|| "--sample".to_owned()));
    words.extend(arguments.fmad.map(fmad_word));
    words.extend(["--quiet".to_owned(), format!("--memory={}", arguments.memory.0)]);
    Ok(words)
}

/// Reports what the cases gave.
fn tell(
    arguments: &CorrelateArguments,
    config: &GpuConfig,
    jobs: &[CaseJob<'_>],
    comparisons: &[Comparison],
    measures: &[Measure],
    terminal: &mut Terminal,
) -> Result<Outcome, Failure> {
    let correlation = Correlation { machine: &config.name, comparisons, measures };
    report(arguments, &correlation, terminal)?;
    let missing = jobs.len() - comparisons.len();
    if missing > 0 {
        let all = jobs.len();
        terminal.note(&format!(
            "interrupted: {missing} of {all} cases did not end; the numbers are of the others"
        ));
    }
    let faults = correlation_faults(comparisons);
    let fine = missing == 0 && faults.is_empty();
    Ok(if fine { Outcome::Fine } else { Outcome::Failed })
}

/// The metrics of the text: those that are asked for, or the usual ones.
fn measures(asked: &[String]) -> Result<Vec<Measure>, Failure> {
    if asked.is_empty() {
        return Ok(Measure::shown());
    }
    let find = |id: &String| {
        Measure::find(id).ok_or_else(|| {
            let near = nearest_name(id, Measure::known_ids());
            let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
            Failure::input(format!(
                "unknown metric '{id}';{near} give an id as in the columns of NAME.metrics.csv"
            ))
        })
    };
    asked.iter().map(find).collect()
}

/// The references of a folder: those that are asked for, or all, by name.
fn names(folder: &Path, asked: &[String]) -> Result<Vec<String>, Failure> {
    let entries = folder
        .read_dir()
        .map_err(|error| Failure::input(format!("{} cannot be read: {error}", folder.display())))?;
    let files = entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()));
    let mut known: Vec<String> =
        files.filter_map(|file| file.strip_suffix(CASES).map(str::to_owned)).collect();
    known.sort();
    if known.is_empty() {
        let message = format!("{} has no file NAME{CASES}; see traces/h200/README.md", folder.display());
        return Err(Failure::input(message));
    }
    if let Some(wrong) = asked.iter().find(|name| !known.contains(name)) {
        let near = nearest_name(wrong, known.iter().map(String::as_str));
        let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
        let known = known.join(", ");
        let folder = folder.display();
        return Err(Failure::input(format!("{folder} has no file '{wrong}{CASES}';{near} it has: {known}")));
    }
    Ok(if asked.is_empty() { known } else { asked.to_vec() })
}

/// Reads a reference; its programs only if a case of it runs.
fn load_suite(
    arguments: &CorrelateArguments,
    config: &GpuConfig,
    name: String,
    selection: &Selection,
    terminal: &mut Terminal,
) -> Result<Suite, Failure> {
    let mut cases = read_cases(&arguments.folder, &name)?;
    cases.retain(|case| selection.takes(case));
    let mut programs = Vec::new();
    if !cases.is_empty() {
        for (isa, path) in program_files(&arguments.folder, &name, choice(arguments)?)? {
            let fmad = arguments.fmad.filter(|_| isa == PTX).map(Switch::is_on);
            let reading = Reading::parse((isa == PTX).then_some(Isa::Ptx), None, None, fmad)?;
            programs.push((isa, programs::load(&path, config, reading, None, terminal)?.program));
        }
    }
    Ok(Suite { name, cases, programs })
}

/// From which programs: whoever says something of the compiler means PTX.
fn choice(arguments: &CorrelateArguments) -> Result<Option<IsaChoice>, Failure> {
    match (arguments.isa, arguments.fmad) {
        (Some(IsaChoice::Sass), Some(_)) => Err(Failure::input(OTHER_COMPILER)),
        (None, Some(_)) => Ok(Some(IsaChoice::Ptx)),
        (isa, _) => Ok(isa),
    }
}

fn read_cases(folder: &Path, name: &str) -> Result<Vec<Case>, Failure> {
    let launches = sources::read(&folder.join(format!("{name}{CASES}")))?;
    let metrics = sources::read(&folder.join(format!("{name}.metrics.csv")))?;
    Ok(reference::read(&launches, &metrics)?)
}

/// The programs of a reference: machine code as a listing or else as a cubin; PTX.
fn program_files(
    folder: &Path,
    name: &str,
    choice: Option<IsaChoice>,
) -> Result<Vec<(&'static str, PathBuf)>, Failure> {
    let file = |extension: &str| folder.join(format!("{name}.{extension}"));
    let present = |extension: &str| Some(file(extension)).filter(|path| path.is_file());
    let sass = present("sass").or_else(|| present("cubin")).map(|path| ("sass", path));
    let ptx = present("ptx").map(|path| (PTX, path));
    let wanted = match choice {
        None => vec![sass.or(ptx)],
        Some(IsaChoice::Sass) => vec![sass],
        Some(IsaChoice::Ptx) => vec![ptx],
        Some(IsaChoice::Both) => vec![sass, ptx],
    };
    let missing = || {
        let files = match choice {
            None => "sass', '.cubin' or '.ptx",
            Some(IsaChoice::Ptx) => "ptx",
            Some(IsaChoice::Sass) => "sass' or '.cubin",
            Some(IsaChoice::Both) => "sass' (or '.cubin') and '.ptx",
        };
        Failure::input(format!("{} has no program of '{name}': it needs '{name}.{files}'", folder.display()))
    };
    wanted.into_iter().map(|program| program.ok_or_else(missing)).collect()
}

/// Why no case runs.
fn nothing_chosen(
    folder: &Path,
    suites: &[Suite],
    selection: &Selection,
) -> Result<warplab_run::Fault, Failure> {
    let mut all = Vec::new();
    for suite in suites {
        all.extend(read_cases(folder, &suite.name)?);
    }
    Ok(selection.nothing_chosen(all.iter()))
}

/// Every case from every program, those of a case side by side.
fn jobs(suites: &[Suite]) -> Vec<CaseJob<'_>> {
    suites.iter().flat_map(suite_jobs).collect()
}

fn suite_jobs(suite: &Suite) -> impl Iterator<Item = CaseJob<'_>> {
    suite.cases.iter().flat_map(|case| {
        suite.programs.iter().map(|(isa, program)| CaseJob { suite: &suite.name, case, isa, program })
    })
}

/// Runs jobs; `keep` gets each comparison with the number of its job as soon as it is there.
fn simulate_all(
    arguments: &CorrelateArguments,
    config: &GpuConfig,
    jobs: &[CaseJob<'_>],
    terminal: &Terminal,
    keep: &(dyn Fn(usize, &Comparison) + Sync),
) -> Vec<Comparison> {
    let weight = jobs.iter().map(|job| bar_weight(job.case)).sum();
    let bar = CaseBar::new(jobs.len(), weight, !arguments.quiet && Terminal::shows_progress());
    let finished = |number: usize, comparison: &Comparison| {
        keep(number, comparison);
        let case = jobs[number].case;
        bar.finished(&case.name, bar_weight(case));
    };
    let interrupt = simulate::interrupt(terminal);
    let options = CorrelateOptions {
        limits: Limits { cores: arguments.jobs.map_or(0, usize::from), memory_bytes: arguments.memory.0 },
        sample: arguments.sample,
        interrupt: Some(&interrupt),
        finished: Some(&finished),
    };
    let comparisons = run_jobs(config, jobs, options);
    bar.clear();
    comparisons
}

/// The part of a case in the whole work; the smallest also take their time.
fn bar_weight(case: &Case) -> u64 {
    case.weight() + 10_000
}

fn report(
    arguments: &CorrelateArguments,
    correlation: &Correlation<'_>,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let is_output = |file: &Option<PathBuf>| file.as_deref() == Some(Path::new("-"));
    let files: [(&Option<PathBuf>, &dyn Fn() -> String); 3] = [
        (&arguments.csv, &|| correlation_csv(correlation.comparisons)),
        (&arguments.json, &|| correlation_json(correlation)),
        (&arguments.svg, &|| correlation_svg(correlation)),
    ];
    for (file, text) in files {
        match file {
            Some(_) if is_output(file) => terminal.print(&text())?,
            Some(path) => sources::write(path, &text())?,
            None => {}
        }
    }
    if files.iter().any(|(file, _)| is_output(file)) {
        let faults = correlation_faults(correlation.comparisons);
        if !faults.is_empty() {
            terminal.note(faults.trim_end());
        }
        return Ok(());
    }
    terminal.print(&correlation_text(correlation))
}
