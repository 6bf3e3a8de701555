//! The `warplab` program: the only crate that prints, exits, reads the environment or draws a progress bar. It is a
//! library so that other programs can hold it: [`embed`].

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod arguments;
mod asked_metrics;
mod checkpoint;
mod commands;
mod cuda_compilers;
mod cuda_tools;
#[cfg(test)]
mod documents;
pub mod embed;
mod exports;
mod failure;
mod job;
mod job_array;
mod kept_results;
mod laboratory;
mod labs;
mod machines;
mod names;
mod nvdisasm;
mod page;
mod passes;
mod program_text;
mod programs;
mod progress;
mod result_file;
mod save;
mod simulate;
mod sources;
#[cfg(feature = "step")]
mod stepping;
mod terminal;

use arguments::{Arguments, Command, ConfigCommand, ExperimentCommand, GpuCommand, LabCommand};
use clap::Parser;
use failure::{Failure, Outcome};
use std::ffi::OsString;
use terminal::Terminal;

/// The program: runs a command line, whose first word is the name of the program, and gives the exit status.
pub fn main(words: impl IntoIterator<Item = OsString>) -> u8 {
    let mut terminal = Terminal::new();
    let result = obey(words, &mut terminal);
    terminal.finish(&result)
}

fn obey(words: impl IntoIterator<Item = OsString>, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    match Arguments::try_parse_from(words) {
        Ok(arguments) => dispatch(&arguments.command, terminal),
        Err(usage) => terminal.usage(&usage),
    }
}

fn dispatch(command: &Command, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    match command {
        Command::Run(arguments) => commands::run::run(arguments, terminal),
        #[cfg(feature = "step")]
        Command::Step(arguments) => commands::step::run(arguments, terminal),
        Command::Compare(arguments) => commands::compare::run(arguments, terminal),
        Command::Experiment(arguments) => match &arguments.command {
            Some(ExperimentCommand::New { file }) => commands::experiment_new::new(file, terminal),
            None => commands::experiment::run(arguments, terminal),
        },
        Command::Reproduce(arguments) => commands::reproduce::run(arguments, terminal),
        Command::Correlate(arguments) => commands::correlate::run(arguments, terminal),
        Command::Occupancy(arguments) => commands::occupancy::run(arguments, terminal),
        Command::Gpu { command: GpuCommand::List } => commands::gpu::list(terminal),
        Command::Gpu { command: GpuCommand::Show { name, ron } } => commands::gpu::show(name, *ron, terminal),
        Command::Check { file, json } => commands::check::run(file, json.as_deref(), terminal),
        Command::Listing(arguments) => commands::listing::run(arguments, terminal),
        Command::Explain { name } => commands::explain::run(name, terminal),
        Command::Config { command: ConfigCommand::Check { file } } => commands::config::check(file, terminal),
        Command::Config { command: ConfigCommand::Show { machine, changes } } => {
            commands::config::show(machine, changes, terminal)
        }
        Command::Config { command: ConfigCommand::Schema { kind } } => {
            commands::config::schema(*kind, terminal)
        }
        Command::Lab { command: LabCommand::List } => commands::lab::list(terminal),
        Command::Lab { command: LabCommand::Show { lab } } => commands::lab::show(lab, terminal),
        Command::Lab { command: LabCommand::Start { lab, folder } } => {
            commands::lab::start(lab, folder, terminal)
        }
        Command::Lab { command: LabCommand::Check(arguments) } => commands::lab::check(arguments, terminal),
        Command::Lab { command: LabCommand::Grade(arguments) } => commands::lab::grade(arguments, terminal),
        Command::Lab { command: LabCommand::New { folder } } => commands::lab::new(folder, terminal),
        Command::Isa { name, markdown } => commands::isa::run(name.as_deref(), *markdown, terminal),
        Command::Serve(arguments) => commands::serve::run(arguments, terminal),
        Command::Completions { shell } => commands::completions::run(*shell, terminal),
    }
}
