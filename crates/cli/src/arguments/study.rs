//! What asks for many runs: `correlate`, `experiment`, `reproduce`.

use crate::arguments::{MachineArguments, Switch};
use clap::{Args, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};
use warplab_config::launch::{Size, parse_size};

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
    /// Write one row per case with every metric; - is standard output
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
    #[command(flatten)]
    pub(crate) slurm: SlurmArguments,
    /// With --slurm and --collect: keep finished cases here, and the job array beside
    #[arg(
        long,
        value_name = "FILE",
        default_value = "warplab-results/cases.jsonl",
        help_heading = "Several machines (Slurm)"
    )]
    pub(crate) results: PathBuf,
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
    /// Submit the points (cases) whose results are not known as a job array; options for sbatch come last:
    /// --slurm -- --partition=long --time=1:00:00
    #[arg(long = "slurm", conflicts_with_all = ["csv", "json", "svg", "jobs", "collect"])]
    pub(crate) submits: bool,
    /// With --slurm: submit again what an earlier job array has not finished
    #[arg(long, requires = "submits")]
    pub(crate) resume: bool,
    /// Take the results of the job array and print its table
    #[arg(long)]
    pub(crate) collect: bool,
    /// The most tasks of a job array
    #[arg(long, value_name = "N", default_value_t = 100, requires = "submits",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) tasks: u32,
    /// Run only the points (cases) whose hashes FILE has, a line each, and print no table: what a task of a job array does
    #[arg(long, value_name = "FILE", conflicts_with_all = ["submits", "collect", "csv", "json", "svg"])]
    pub(crate) points_of: Option<PathBuf>,
    /// Options for sbatch
    #[arg(last = true, value_name = "SBATCH OPTION", requires = "submits")]
    pub(crate) sbatch: Vec<String>,
}

impl SlurmArguments {
    /// Whether several machines are asked for.
    pub(crate) fn is_used(&self) -> bool {
        self.submits || self.collect || self.points_of.is_some()
    }
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
    /// Write the rows as one page with their tables, pictures and verdicts
    #[arg(long, value_name = "FILE", conflicts_with = "list", help_heading = "Report")]
    pub(crate) html: Option<PathBuf>,
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
