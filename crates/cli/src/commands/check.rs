//! `warplab check FILE`.

use crate::commands::config;
use crate::failure::{Failure, Outcome};
use crate::terminal::Terminal;
use crate::{machines, program_text, sources};
use serde_json::{Value, json};
use std::path::Path;
use warplab_diagnostics::{Diagnostic, Severity, Source};
use warplab_metrics::integer_text;
use warplab_run::check::{self, KernelReport, ProgramReport, ReasonPlace};

/// How many places of one fault are named.
const MOST_PLACES: usize = 8;

/// Reports every fault of a file; of a program, which of its kernels can run.
pub(crate) fn run(file: &Path, json: Option<&Path>, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    if sources::has_extension(file, "ron") {
        if json.is_some() {
            return Err(Failure::input("--json is of programs, not of .ron files"));
        }
        return config::check_source(&sources::read(file)?, terminal);
    }
    // Of a CUDA source the PTX is checked, which is what can hold faults of the simulator's own compiler.
    let config = machines::load(machines::DEFAULT, &[])?;
    let source = program_text::own_source(file, &config, terminal)?;
    let report = check::report(file, &source, &config);
    if let Some(path) = json {
        let text = format!("{:#}\n", as_json(file, &source, &report));
        if path == Path::new("-") {
            terminal.print(&text)?;
        } else {
            sources::write(path, &text)?;
        }
    } else {
        tell(&source, &report, terminal)?;
    }
    Ok(if report.is_fine() { Outcome::Fine } else { Outcome::Failed })
}

/// The report as text: faults of the text with their lines to standard error, the kernels to standard output.
fn tell(source: &Source, report: &ProgramReport, terminal: &mut Terminal) -> Result<(), Failure> {
    terminal.diagnostics(source, &report.shown);
    let count = |severity| report.shown.iter().filter(|fault| fault.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if errors > 0 {
        let warnings =
            if warnings == 0 { String::new() } else { format!(", {}", plural(warnings, "warning")) };
        terminal.note(&format!("{}: {}{warnings}", source.name, plural(errors, "error")));
    }
    if !report.file.is_empty() || report.kernels.is_empty() {
        return Ok(());
    }
    let fine = report.kernels.iter().filter(|kernel| kernel.reasons.is_empty()).count();
    let all = report.kernels.len();
    let instructions = plural(report.instructions, "instruction");
    let kernels = plural(all, "kernel");
    if let [kernel] = report.kernels.as_slice() {
        if fine == 1 {
            terminal.print(&format!("{}: {}, {kernels}, {instructions}\n", source.name, report.what))?;
        } else if errors < kernel.reasons.len() {
            terminal.print(&kernel_text(kernel))?;
        }
        return Ok(());
    }
    let run = if fine == all { "all can run".to_owned() } else { format!("{fine} can run") };
    terminal.print(&format!("{}: {}, {kernels}, {instructions}; {run}\n", source.name, report.what))?;
    report.kernels.iter().try_for_each(|kernel| terminal.print(&kernel_text(kernel)))
}

/// A line for the kernel, and one for each different reason, with the places where it holds.
fn kernel_text(kernel: &KernelReport) -> String {
    if kernel.reasons.is_empty() {
        return format!("  {} can run\n", kernel.name);
    }
    let mut text = format!("  {} cannot run: {}\n", kernel.name, plural(kernel.reasons.len(), "reason"));
    let mut seen: Vec<(&str, Vec<ReasonPlace>)> = Vec::new();
    for (place, message) in &kernel.reasons {
        match seen.iter_mut().find(|(known, _)| known == message) {
            Some((_, places)) => places.push(*place),
            None => seen.push((message, vec![*place])),
        }
    }
    for (message, places) in seen {
        let named: Vec<String> = places.iter().take(MOST_PLACES).map(ToString::to_string).collect();
        let more = places.len().saturating_sub(MOST_PLACES);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let named = named.join(", ");
        let gap = if named.is_empty() { "" } else { ": " };
        text.push_str(&format!("    {named}{more}{gap}{message}\n"));
    }
    text
}

/// The report as one JSON object.
fn as_json(file: &Path, source: &Source, report: &ProgramReport) -> Value {
    let reason = |(place, message): &(ReasonPlace, String)| match place {
        ReasonPlace::Line(line) => json!({ "line": line, "message": message }),
        ReasonPlace::Address(address) => json!({ "address": format!("{address:#06x}"), "message": message }),
        ReasonPlace::Nowhere => json!({ "message": message }),
    };
    let kernels: Vec<Value> = report
        .kernels
        .iter()
        .map(|kernel| {
            let reasons: Vec<Value> = kernel.reasons.iter().map(reason).collect();
            json!({ "name": kernel.name, "runs": kernel.reasons.is_empty(), "reasons": reasons })
        })
        .collect();
    let of_file = |fault: &Diagnostic| {
        let line = source.line(fault.span.start);
        json!({ "line": line, "message": check::message(fault) })
    };
    let faults: Vec<Value> = report.file.iter().map(of_file).collect();
    json!({ "file": file.display().to_string(), "kernels": kernels, "faults": faults })
}

fn plural(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{} {noun}{}", integer_text(count), if count == 1 { "" } else { "s" })
}
