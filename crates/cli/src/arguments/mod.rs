//! What a person types.

mod machine;
mod study;

pub(crate) use machine::{LaunchArguments, MachineArguments, Switch};
pub(crate) use study::{
    CorrelateArguments, ExperimentArguments, ExperimentCommand, IsaChoice, PointArguments,
    ReproduceArguments, SlurmArguments,
};

use crate::save::Save;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use warplab_config::launch::{Dimensions, Size, parse_dimensions, parse_size};

/// A cycle-level simulator of a SIMT processor and the laboratory around it.
#[derive(Debug, Parser)]
#[command(name = "warplab", version, max_term_width = 100, after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER_HELP: &str =
    "Exit status: 0 fine, 1 a check or expectation failed or the kernel faulted, 2 bad usage or input.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate a launch and report what the machine did
    Run(Box<RunArguments>),
    /// Step through a launch in the terminal, cycle by cycle, forwards and backwards
    #[cfg(feature = "step")]
    Step(Box<StepArguments>),
    /// What changed from one run to another, and why
    Compare(CompareArguments),
    /// Run every point of an experiment: a table, references, pictures
    Experiment(ExperimentArguments),
    /// Reproduce the tables and worked numbers of the course
    Reproduce(ReproduceArguments),
    /// Run what real hardware ran, and put what it measured beside what is simulated
    Correlate(Box<CorrelateArguments>),
    /// How many warps of a kernel fit on a multiprocessor, step by step
    Occupancy(OccupancyArguments),
    /// The machines that are known
    Gpu {
        #[command(subcommand)]
        command: GpuCommand,
    },
    /// Report every fault of a machine, a launch or an experiment, and which kernels of a program can run
    Check {
        /// A .ptx, .cu, .cubin, .ron or listing (.sass) file
        file: PathBuf,
        /// The kernels of a program with all reasons why one cannot run, as JSON; - is standard output
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// The machine program of a file: every instruction with pipe, latency, source line and why it moved
    Listing(ListingArguments),
    /// What a metric, stall reason, section, scheduler, pipe or instruction is
    Explain {
        /// A metric id or label, a stall reason, a section, a scheduler, a pipe, a PTX or machine instruction
        name: String,
    },
    /// Labs: predict, run, compare
    Lab {
        #[command(subcommand)]
        command: LabCommand,
    },
    /// Descriptions of machines, launches, experiments and labs
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// The instructions that are supported: PTX and machine
    Isa {
        /// Only this instruction
        name: Option<String>,
        /// As the page of the manual
        #[arg(long, conflicts_with = "name")]
        markdown: bool,
    },
    /// The laboratory in the browser
    Serve(ServeArguments),
    /// The completion script of a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The port on this computer; 0 for any that is free
    #[arg(long, value_name = "N", default_value_t = 8080)]
    pub(crate) port: u16,
    /// The folder that crates/laboratory/build.sh made
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    /// Only print the address; without a terminal nothing else is done
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Copy the laboratory into this folder instead, for any file server
    #[arg(long, value_name = "FOLDER", conflicts_with = "port")]
    pub(crate) export: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The run before: what `run -o`, `run --html` or `run --json` wrote
    pub(crate) before: PathBuf,
    /// The run after
    pub(crate) after: PathBuf,
    /// Every metric that differs, not only those that changed most
    #[arg(long)]
    pub(crate) all: bool,
    /// The launch of files with several, counted from 1
    #[arg(long = "launch", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) launch: u32,
    /// Write both runs as one page; needs runs of `run -o` (.wl) or pages of `run --html`
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GpuCommand {
    /// List the machines
    List,
    /// Show one machine
    Show {
        /// A name or the path of a .ron file
        name: String,
        /// The description itself, with the source of every number
        #[arg(long)]
        ron: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    /// List the labs
    List,
    /// Print the text of a lab
    Show {
        /// Its number, its name or the path of its folder
        lab: String,
    },
    /// Write a worksheet, and copies of the programs that you change, into a folder
    Start {
        /// Its number, its name or the path of its folder
        lab: String,
        /// The folder; nothing in it is overwritten
        folder: PathBuf,
    },
    /// Run a lab with your answers and say which hold, with hints for the others
    Check(LabCheckArguments),
    /// Check the worksheets of a class and print a row for each
    Grade(LabGradeArguments),
    /// Write the start of a lab of your own, with comments; 'warplab lab check FOLDER ...' runs it
    New {
        /// The folder; nothing in it is overwritten
        folder: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(crate) struct LabCheckArguments {
    /// Its number, its name or the path of its folder
    pub(crate) lab: String,
    /// The folder with your worksheet
    pub(crate) folder: PathBuf,
    /// Show what was simulated, wrong predictions included
    #[arg(long)]
    pub(crate) reveal: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LabGradeArguments {
    /// Folders with worksheets
    #[arg(required = true)]
    pub(crate) folders: Vec<PathBuf>,
    /// The lab of all of them; if not given, the one that each worksheet names
    #[arg(long, value_name = "LAB")]
    pub(crate) lab: Option<String>,
    /// Print JSON, with everything that was simulated
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Report every fault of a description
    Check {
        /// A .ron file
        file: PathBuf,
    },
    /// Print a machine as RON after all changes, without comments
    Show {
        /// A name or the path of a .ron file
        machine: String,
        /// A change of the machine, may be repeated: l2.kib=30000
        #[arg(long = "set", value_name = "PATH=VALUE")]
        changes: Vec<String>,
    },
    /// The JSON schema of a description
    Schema {
        /// Of what
        kind: SchemaKind,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SchemaKind {
    /// A machine
    Gpu,
    /// A launch
    Launch,
    /// An experiment
    Experiment,
    /// The rows of the course
    Course,
    /// A lab
    Lab,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CsvPage {
    /// A row a metric
    Details,
    /// One row per launch; the second row holds units
    Raw,
}

/// What is simulated: the instructions that a front end reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Isa {
    /// PTX, through the simulator's own compiler
    Ptx,
    /// The real machine code, through the CUDA tools
    Sass,
}

/// How a program file is read.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReadingArguments {
    /// What is simulated of a .cu or .ptx file; if not given, its real machine code where nvcc or ptxas, and nvdisasm are
    /// found (in PATH, CUDA_HOME, the packages of python3, or named in WARPLAB_NVCC, WARPLAB_PTXAS, WARPLAB_NVDISASM)
    #[arg(long, value_name = "ISA")]
    pub(crate) isa: Option<Isa>,
    /// An argument for nvcc when it compiles a .cu file, may be repeated: --nvcc-arg=-DN=4
    #[arg(long = "nvcc-arg", value_name = "ARGUMENT", allow_hyphen_values = true)]
    pub(crate) nvcc_arguments: Vec<String>,
    /// The passes of the compiler to run, separated by commas; -NAME leaves one out
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(crate) passes: Option<String>,
    /// Whether the compiler makes one rounded operation of a product and a sum that name no rounding mode
    #[arg(long, value_name = "CHOICE")]
    pub(crate) fmad: Option<Switch>,
}

/// What is to be run, whichever command runs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// A launch file or a program.
    pub(crate) file: &'a Path,
    /// The launch of a program.
    pub(crate) launch: &'a LaunchArguments,
    /// The machine.
    pub(crate) machine: &'a MachineArguments,
    /// How the program is read.
    pub(crate) reading: &'a ReadingArguments,
    /// A limit of cycles.
    pub(crate) max_cycles: Option<u64>,
}

#[cfg(feature = "step")]
#[derive(Debug, Args)]
pub(crate) struct StepArguments {
    /// A launch (.ron), or a program (.ptx, .cu, .cubin or a listing)
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) launch: LaunchArguments,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
    #[command(flatten)]
    pub(crate) reading: ReadingArguments,
    /// The multiprocessor that is shown first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) sm: u16,
    /// The cycle at which to begin, counted from the beginning of the first launch
    #[arg(long, value_name = "CYCLE", default_value_t = 0)]
    pub(crate) at: u64,
}

#[cfg(feature = "step")]
impl StepArguments {
    /// What is to be run.
    pub(crate) fn asked(&self) -> Asked<'_> {
        let StepArguments { file, launch, machine, reading, .. } = self;
        Asked { file, launch, machine, reading, max_cycles: None }
    }
}

impl RunArguments {
    /// What is to be run.
    pub(crate) fn asked(&self) -> Asked<'_> {
        let RunArguments { file, launch, machine, reading, max_cycles, .. } = self;
        let file = file.as_deref().unwrap_or(Path::new(""));
        Asked { file, launch, machine, reading, max_cycles: *max_cycles }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// A launch (.ron), or a program (.ptx, .cu, .cubin or a listing)
    #[arg(required_unless_present = "import")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) launch: LaunchArguments,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
    /// A section of the report, may be repeated: speed-of-light, compute-workload, memory-workload, scheduler,
    /// warp-state, launch, occupancy, source-counters, littles-law, or all
    #[arg(long = "section", value_name = "NAME", help_heading = "Report")]
    pub(crate) sections: Vec<String>,
    /// Report only launch N of a file with several, counted from 1; timelines show that launch
    #[arg(long = "launch", value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Report")]
    pub(crate) only_launch: Option<u32>,
    /// Only these metrics, by the names that Nsight Compute gives them, separated by commas; a name that ends with *,
    /// or one without its last parts, stands for all that begin so
    #[arg(long, value_name = "LIST", conflicts_with = "sections", help_heading = "Report")]
    pub(crate) metrics: Vec<String>,
    /// Print a CSV page instead of the sections
    #[arg(long, value_name = "PAGE", help_heading = "Report")]
    pub(crate) csv: Option<CsvPage>,
    /// Write metrics, verdicts and counters as JSON; - is standard output
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) json: Option<PathBuf>,
    /// Write one page with everything: what bounds the kernel, every warp in every cycle, memory, occupancy, source
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) html: Option<PathBuf>,
    /// Keep the run in a file, with its timeline: every report can be made from it later
    #[arg(long = "export", short = 'o', value_name = "FILE", help_heading = "Report")]
    pub(crate) output: Option<PathBuf>,
    /// Report a run that -o kept, without simulating
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["file", "output", "save", "check_hazards", "sample", "until", "checkpoint", "resume"],
        help_heading = "Report"
    )]
    pub(crate) import: Option<PathBuf>,
    /// Say what changed since an earlier run: what `--json`, `--html` or `-o` wrote
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) baseline: Option<PathBuf>,
    /// Print what every warp of one multiprocessor did, a letter per cycle
    #[arg(long, help_heading = "Report")]
    pub(crate) timeline: bool,
    /// Draw what every warp of one multiprocessor did
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) timeline_svg: Option<PathBuf>,
    /// Write the timeline as a trace for Perfetto (ui.perfetto.dev): a slot is a thread, a cycle a microsecond
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) timeline_perfetto: Option<PathBuf>,
    /// Write the timeline as CSV: a row for each state of a warp
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) timeline_csv: Option<PathBuf>,
    /// The multiprocessor of the timeline
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Report")]
    pub(crate) timeline_sm: u16,
    /// The cycles of the timeline
    #[arg(long, visible_alias = "window", value_name = "A..B", value_parser = parse_cycles, help_heading = "Report")]
    pub(crate) cycles: Option<Range<u64>>,
    /// Check that no register is read or overwritten before the control fields of the code make sure that it can be
    #[arg(long, help_heading = "Report")]
    pub(crate) check_hazards: bool,
    /// Write a buffer into a file after the run, may be repeated: out=out.npy, or out=out.bin for the bytes alone
    #[arg(long, value_name = "NAME=FILE", value_parser = crate::save::parse, help_heading = "Report")]
    pub(crate) save: Vec<Save>,
    /// No progress bar and no notes
    #[arg(long, short, help_heading = "Report")]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArguments,
    /// Threads to simulate with; the output does not depend on it
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// End with a report after so many cycles; if not given, after 100 million warp instructions in which
    /// no block came or ended
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_cycles: Option<u64>,
    /// Simulate a grid of many alike blocks only until its blocks end at a steady rate; the rest is executed without
    /// time, so that values stay right, and its time is estimated
    #[arg(long)]
    pub(crate) sample: bool,
    /// Stop at this cycle, counted from the beginning of the first launch, with the report so far and a checkpoint
    #[arg(long, value_name = "CYCLE", value_parser = clap::value_parser!(u64).range(1..), requires = "checkpoint", help_heading = "Checkpoints")]
    pub(crate) until: Option<u64>,
    /// Where the checkpoint goes when the run stops before its end: at --until, or interrupted
    #[arg(long, value_name = "FILE", help_heading = "Checkpoints")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint of a run with the same files and options
    #[arg(long, value_name = "FILE", help_heading = "Checkpoints")]
    pub(crate) resume: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct OccupancyArguments {
    /// A machine by name, or the path of a .ron file
    #[arg(long, value_name = "NAME", default_value = crate::machines::DEFAULT)]
    pub(crate) gpu: String,
    /// Threads of a block: 256 or 16x16
    #[arg(long, value_name = "SIZE", value_parser = parse_dimensions)]
    pub(crate) block: Dimensions,
    /// 32-bit registers of a thread
    #[arg(long, value_name = "N")]
    pub(crate) registers: u32,
    /// Static shared memory of a block: 4096 or 48KiB
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "0")]
    pub(crate) shared: Size,
    /// Dynamic shared memory of a block
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "0")]
    pub(crate) dynamic: Size,
    /// Scalar registers of a wave (AMD)
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) scalar: u32,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// A change of the machine, may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub(crate) changes: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ListingArguments {
    /// A .ptx, .cu or .cubin program, or a listing
    pub(crate) file: PathBuf,
    /// Only this kernel
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// The machine whose latencies are counted
    #[arg(long, value_name = "NAME", default_value = crate::machines::DEFAULT)]
    pub(crate) gpu: String,
    /// What is simulated of a .cu or .ptx file; if not given, its real machine code where nvcc or ptxas, and nvdisasm are
    /// found (in PATH, CUDA_HOME, the packages of python3, or named in WARPLAB_NVCC, WARPLAB_PTXAS, WARPLAB_NVDISASM)
    #[arg(long, value_name = "ISA")]
    pub(crate) isa: Option<Isa>,
    /// The passes of the compiler to run, separated by commas; -NAME leaves one out
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(crate) passes: Option<String>,
    /// Whether the compiler makes one rounded operation of a product and a sum that name no rounding mode
    #[arg(long, value_name = "CHOICE")]
    pub(crate) fmad: Option<Switch>,
    /// Show the program as it is after this pass
    #[arg(long, value_name = "PASS")]
    pub(crate) dump_after: Option<String>,
    /// In the form that can be read back
    #[arg(long)]
    pub(crate) plain: bool,
    /// The table of minimum stalls instead: how soon each kind of reader issues after each kind of result
    #[arg(long, conflicts_with_all = ["plain", "dump_after"])]
    pub(crate) stalls: bool,
}

/// Reads `100..200`.
fn parse_cycles(text: &str) -> Result<Range<u64>, String> {
    let wrong = || format!("'{text}' is not a range of cycles; write 1000..1200");
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let from: u64 = from.replace([',', '_'], "").parse().map_err(|_| wrong())?;
    let to: u64 = to.replace([',', '_'], "").parse().map_err(|_| wrong())?;
    if from < to { Ok(from..to) } else { Err(format!("the range of cycles {from}..{to} is empty")) }
}

#[cfg(test)]
mod tests {
    use super::{Arguments, parse_cycles};
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn ranges_of_cycles_are_read() {
        assert_eq!(parse_cycles("1,000..1200"), Ok(1000..1200));
        assert_eq!(parse_cycles("12"), Err("'12' is not a range of cycles; write 1000..1200".to_owned()));
        assert_eq!(parse_cycles("5..5"), Err("the range of cycles 5..5 is empty".to_owned()));
    }
}
