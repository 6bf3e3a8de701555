//! What names and changes the machine and its launch.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::ffi::OsStr;
use warplab_config::gpu::SchedulerPolicy;
use warplab_config::launch::{
    Argument, BufferSpec, Dimensions, Size, parse_argument, parse_buffer, parse_dimensions, parse_size,
    parse_symbol,
};

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
    /// Blocks of a cluster, where the kernel does not say it itself (cudaLaunchAttributeClusterDimension): 4 or 2x2
    #[arg(long, value_name = "SIZE", value_parser = parse_dimensions)]
    pub(crate) cluster: Option<Dimensions>,
    /// Dynamic shared memory of a block: 4096 or 48KiB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) shared: Option<Size>,
    /// An argument, in the kernel's order: buffer:x:4MiB:hash_f32, f32:2.0, pointer:x+256, null, bytes:0000803f,
    /// array:i32:1,2,3, struct:{i32:1; pointer:x}, tensor:x:f16:1024x512:64x64:swizzle=128 (a tensor map); a size with a type gives a buffer's elements: 1000xi16, "4MiB as f64"
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
    /// The warp scheduling policy
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
