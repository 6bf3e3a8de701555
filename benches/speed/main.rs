//! How fast the simulator is: warp instructions per second, bytes, growth with the size of the problem and of the
//! machine, and host instructions per warp instruction, beside `benches/baseline.json`. See `benches/README.md`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod baseline;
mod counted;
mod launch;
mod timed;
mod work;

use baseline::Baseline;
use clap::Parser;
use std::process::ExitCode;

/// Measures the speed of the simulator and shows it beside the stored baseline.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench -p warplab-benches --bench speed --")]
struct Arguments {
    /// What to measure: kinds of work, 'sizes', 'machines', 'host-instructions'; everything if nothing is named
    what: Vec<String>,
    /// Write what was measured into the baseline
    #[arg(long)]
    save: bool,
    /// Runs of which the median counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..))]
    runs: u8,
    /// The largest problem of 'sizes', as a power of two: up to 28, which needs 6 GiB and minutes
    #[arg(long, value_name = "N", default_value_t = 26, value_parser = clap::value_parser!(u32).range(20..=28))]
    largest: u32,
    /// What 'cargo bench' says
    #[arg(long, hide = true)]
    bench: bool,
    /// Run a launch and print what it took: what the program runs of itself
    #[arg(long, hide = true, value_name = "LAUNCH")]
    one: Option<String>,
    /// Run the launches that are counted: what the program runs of itself in valgrind
    #[arg(long, hide = true)]
    counted: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// Whether nothing is slower than it may be.
fn run(arguments: &Arguments) -> Result<bool, String> {
    if let Some(launch) = &arguments.one {
        return timed::child(launch).map(|()| true);
    }
    if arguments.counted {
        return counted::child().map(|()| true);
    }
    let known = work::names();
    if let Some(wrong) = arguments.what.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("nothing is named '{wrong}'; there are {}", known.join(", ")));
    }
    let wanted = |name: &str| arguments.what.is_empty() || arguments.what.iter().any(|what| what == name);
    let mut baseline = Baseline::read()?;
    timed::measure(&work::timed(&wanted, arguments.largest), arguments.runs, &mut baseline)?;
    let mut fine = true;
    if wanted(work::HOST_INSTRUCTIONS) {
        fine = counted::measure(&mut baseline, arguments.save)?;
    }
    if arguments.save {
        baseline.write()?;
    }
    Ok(fine)
}
