//! What a person types.

use crate::save::Save;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use warplab_config::gpu::SchedulerPolicy;
use warplab_config::launch::{
    Argument, BufferSpec, Dimensions, Size, parse_argument, parse_buffer, parse_dimensions, parse_size,
    parse_symbol,
};

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
    /// What changed from one run to another, and why
    Compare(CompareArguments),
    /// Run every point of an experiment: a table, references, pictures
    Experiment(ExperimentArguments),
    /// Reproduce the tables and worked numbers of the course
    Reproduce(ReproduceArguments),
    /// Run what real hardware ran, and put what it measured beside what is simulated
    Correlate(CorrelateArguments),
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
    /// The completion script of a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The run before: what `run --json` or `run --html` wrote
    pub(crate) before: PathBuf,
    /// The run after
    pub(crate) after: PathBuf,
    /// Every metric that differs, not only those that changed most
    #[arg(long)]
    pub(crate) all: bool,
    /// The launch of files with several, counted from 1
    #[arg(long = "launch", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) launch: u32,
    /// Write both runs as one page; needs two pages of `run --html`
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
    /// A row a launch, units in the second row
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

/// Reads a scheduler: a policy by its name, or a formula.
#[derive(Clone, Debug)]
struct SchedulerParser;

impl TypedValueParser for SchedulerParser {
    type Value = SchedulerPolicy;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<SchedulerPolicy, clap::Error> {
        let text = value.to_string_lossy();
        SchedulerPolicy::from_option(&text).map_err(|fault| {
            let named = PossibleValuesParser::new(names());
            let unknown = || named.parse_ref(command, argument, value).err();
            let formula = || {
                let fault = fault.unwrap_or_default();
                let message = format!("the scheduler '{text}' cannot be read: {fault}\n");
                clap::Error::raw(clap::error::ErrorKind::ValueValidation, message).with_cmd(command)
            };
            unknown().filter(|_| !text.contains('(')).unwrap_or_else(formula)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(names().into_iter()))
    }
}

/// The scheduler policies by their names, and how a formula is written.
fn names() -> Vec<PossibleValue> {
    let policies =
        SchedulerPolicy::ALL.map(|policy| PossibleValue::new(policy.option()).help(policy.summary()));
    let formula =
        PossibleValue::new("rank(FORMULA)").help("The lowest by a formula: see 'warplab explain rank'");
    policies.into_iter().chain([formula]).collect()
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// A launch (.ron), or a program (.ptx, .cu, .cubin or a listing)
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) launch: LaunchArguments,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
    /// A section of the report, may be repeated: speed-of-light, compute-workload, memory-workload, scheduler,
    /// warp-state, launch, occupancy, source-counters, littles-law, or all
    #[arg(long = "section", value_name = "NAME", help_heading = "Report")]
    pub(crate) sections: Vec<String>,
    /// Report only this one of several launches of a file, counted from 1; its warps are those of a timeline
    #[arg(long = "launch", value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Report")]
    pub(crate) only_launch: Option<u32>,
    /// Print a CSV page instead of the sections
    #[arg(long, value_name = "PAGE", help_heading = "Report")]
    pub(crate) csv: Option<CsvPage>,
    /// Write metrics, verdicts and counters as JSON; - is standard output
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) json: Option<PathBuf>,
    /// Write one page with everything: what bounds the kernel, every warp in every cycle, memory, occupancy, source
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) html: Option<PathBuf>,
    /// Say what changed since an earlier run: what `--json` or `--html` wrote
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) baseline: Option<PathBuf>,
    /// Print what every warp of one multiprocessor did, a letter per cycle
    #[arg(long, help_heading = "Report")]
    pub(crate) timeline: bool,
    /// Draw what every warp of one multiprocessor did
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) timeline_svg: Option<PathBuf>,
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
    /// What is read of a .cu or .ptx file: its PTX, or its real machine code (for .cu where nvcc and nvdisasm are found)
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

/// Whether something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

impl Switch {
    /// Whether it is on.
    pub(crate) fn is_on(self) -> bool {
        self == Switch::On
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Launch (of a program file)")]
pub(crate) struct LaunchArguments {
    /// The kernel, mangled or as in the source: scale, lab::scale<float>; not needed when the program has only one
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// Blocks of the grid: 4096, 64x64 or 8,8,2
    #[arg(long, value_name = "SIZE", value_parser = parse_dimensions)]
    pub(crate) grid: Option<Dimensions>,
    /// Threads of a block: 256, 16x16 or 8,8,4
    #[arg(long, value_name = "SIZE", value_parser = parse_dimensions)]
    pub(crate) block: Option<Dimensions>,
    /// Dynamic shared memory of a block: 4096 or 48KiB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) shared: Option<Size>,
    /// An argument, in the kernel's order: buffer:x:4MiB:hash_f32, f32:2.0, pointer:x+256, null, bytes:0000803f,
    /// array:i32:1,2,3, struct:{i32:1; pointer:x}; a size with a type gives a buffer's elements: 1000xi16, "4MiB as f64"
    #[arg(long = "arg", value_name = "ARGUMENT", value_parser = parse_argument, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<Argument>,
    /// A buffer that no argument declares, for pointers into it: x:4MiB:zero
    #[arg(long = "buffer", value_name = "NAME:SIZE:RULE", value_parser = parse_buffer)]
    pub(crate) buffers: Vec<BufferSpec>,
    /// What a __device__ or __constant__ variable holds: n=i32:7, table=array:f32:1,2,3 or table=file:table.npy
    #[arg(long = "symbol", value_name = "NAME=ARGUMENT", value_parser = parse_symbol)]
    pub(crate) symbols: Vec<(String, Argument)>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Machine")]
pub(crate) struct MachineArguments {
    /// A machine by name, or the path of a .ron file
    #[arg(long, value_name = "NAME")]
    pub(crate) gpu: Option<String>,
    /// Which warp of those that can issue is taken
    #[arg(long, value_name = "POLICY", value_parser = SchedulerParser)]
    pub(crate) scheduler: Option<SchedulerPolicy>,
    /// A change of the machine, may be repeated: l2.kib=30000
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub(crate) changes: Vec<String>,
}

impl MachineArguments {
    /// The changes of the machine in order, the scheduler first.
    pub(crate) fn all_changes(&self) -> Vec<String> {
        let scheduler = self.scheduler.as_ref();
        let scheduler = scheduler.map(|policy| format!("multiprocessor.scheduler={}", policy.text()));
        scheduler.into_iter().chain(self.changes.iter().cloned()).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IsaChoice {
    /// Machine code: NAME.sass, or else NAME.cubin
    Sass,
    /// NAME.ptx, compiled by the simulator
    Ptx,
    /// Each case from both
    Both,
}

#[derive(Debug, Args)]
pub(crate) struct CorrelateArguments {
    /// A folder with NAME.cases.jsonl, NAME.metrics.csv and NAME.sass, .cubin or .ptx
    pub(crate) folder: PathBuf,
    /// Only these of the folder
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
    /// From which program; machine code where there is some, else PTX
    #[arg(long, value_name = "ISA", help_heading = "Cases")]
    pub(crate) isa: Option<IsaChoice>,
    /// Only cases with this in their name, or whose name fits a pattern with * and ?; may be repeated
    #[arg(long = "filter", value_name = "TEXT", help_heading = "Cases")]
    pub(crate) filters: Vec<String>,
    /// Only cases of at most two million warp instructions on the hardware: minutes. So it is if nothing is said
    #[arg(long, conflicts_with_all = ["all", "below"], help_heading = "Cases")]
    pub(crate) quick: bool,
    /// Every case: hours
    #[arg(long, conflicts_with = "below", help_heading = "Cases")]
    pub(crate) all: bool,
    /// Only cases of at most so many warp instructions on the hardware
    #[arg(long, value_name = "N", help_heading = "Cases")]
    pub(crate) below: Option<u64>,
    /// Simulate grids of many alike blocks only until their blocks end at a steady rate; what is compared then is
    /// estimated for the whole grid
    #[arg(long, help_heading = "Cases")]
    pub(crate) sample: bool,
    /// A metric to show instead of the usual ones, by its id; may be repeated
    #[arg(long = "metric", value_name = "ID", help_heading = "Report")]
    pub(crate) metrics: Vec<String>,
    /// Write a row a case with every metric; - is standard output
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) csv: Option<PathBuf>,
    /// Write cases, metrics and errors as JSON; - is standard output
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) json: Option<PathBuf>,
    /// Write a scatter plot of cycles; - is standard output
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) svg: Option<PathBuf>,
    /// No progress bar
    #[arg(long, short, help_heading = "Report")]
    pub(crate) quiet: bool,
    /// Cores for all cases together; the output does not depend on it
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Whether the compiler of PTX makes one rounded operation of a product and a sum that name no rounding mode; the
    /// cases run from PTX then
    #[arg(long, value_name = "CHOICE", help_heading = "Cases")]
    pub(crate) fmad: Option<Switch>,
    /// Memory that the buffers of all cases at once may need; a larger case runs alone
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "12GiB")]
    pub(crate) memory: Size,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExperimentCommand {
    /// Write the start of an experiment of your own, with comments, and a launch for it
    New {
        /// The experiment (.ron); nothing is overwritten
        file: PathBuf,
    },
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ExperimentArguments {
    #[command(subcommand)]
    pub(crate) command: Option<ExperimentCommand>,
    /// An experiment (.ron)
    #[arg(required = true)]
    file: Option<PathBuf>,
    /// A change of a constant, an axis (values separated by commas) or a setting, may be repeated: gpu=h100-sxm
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) changes: Vec<String>,
    /// Whether the compiler of PTX makes one rounded operation of a product and a sum that name no rounding mode, at
    /// every point: the same as --set fmad=CHOICE
    #[arg(long, value_name = "CHOICE")]
    pub(crate) fmad: Option<Switch>,
    /// Print the table as CSV
    #[arg(long, conflicts_with = "json", help_heading = "Report")]
    pub(crate) csv: bool,
    /// Print everything as JSON
    #[arg(long, help_heading = "Report")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) points: PointArguments,
    #[command(flatten)]
    pub(crate) slurm: SlurmArguments,
}

impl ExperimentArguments {
    /// The experiment.
    pub(crate) fn file(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new(""))
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Several machines (Slurm)")]
pub(crate) struct SlurmArguments {
    /// Submit the points whose results are not known as a job array; options for sbatch come last:
    /// --slurm -- --partition=long --time=1:00:00
    #[arg(long = "slurm", conflicts_with_all = ["csv", "json", "svg", "fresh", "jobs", "collect"])]
    pub(crate) submits: bool,
    /// With --slurm: submit again what an earlier job array has not finished
    #[arg(long, requires = "submits")]
    pub(crate) resume: bool,
    /// Take the results of the job array and print its table
    #[arg(long, conflicts_with = "fresh")]
    pub(crate) collect: bool,
    /// The most tasks of a job array
    #[arg(long, value_name = "N", default_value_t = 100, requires = "submits",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) tasks: u32,
    /// Run only the points whose hashes FILE has, a line each, and print no table: what a task of a job array does
    #[arg(long, value_name = "FILE", conflicts_with_all = ["submits", "collect", "csv", "json", "svg"])]
    pub(crate) points_of: Option<PathBuf>,
    /// Options for sbatch
    #[arg(last = true, value_name = "SBATCH OPTION", requires = "submits")]
    pub(crate) sbatch: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ReproduceArguments {
    /// Rows of the course
    pub(crate) rows: Vec<String>,
    /// Every row that is built
    #[arg(long, conflicts_with = "rows")]
    pub(crate) all: bool,
    /// Only list the rows
    #[arg(long, conflicts_with_all = ["rows", "all"])]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) points: PointArguments,
}

#[derive(Debug, Args)]
pub(crate) struct PointArguments {
    /// The source's own sizes instead of scaled ones
    #[arg(long)]
    pub(crate) full: bool,
    /// Write the pictures into this folder
    #[arg(long, value_name = "FOLDER", help_heading = "Report")]
    pub(crate) svg: Option<PathBuf>,
    /// Keep finished points here
    #[arg(long, value_name = "FILE", default_value = "warplab-results/points.jsonl")]
    pub(crate) results: PathBuf,
    /// Run finished points again
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Cores for all points together; the output does not depend on it
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Memory that the buffers of all points at once may need; a larger point runs alone
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "12GiB")]
    pub(crate) memory: Size,
    /// No notes on finished points
    #[arg(long, short)]
    pub(crate) quiet: bool,
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
    /// What is read of a .cu or .ptx file: its PTX, or its real machine code (for .cu where nvcc and nvdisasm are found)
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
