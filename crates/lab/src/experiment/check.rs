//! What only the laboratory can check of an experiment: the metrics that its columns name.

use super::{dram, launch, occupancy, queue, record};
use warplab_config::experiment::{Experiment, ExperimentKind, Expression, Values, setting};
use warplab_config::load_experiment;
use warplab_diagnostics::{Diagnostic, Source, Span, nearest_name};
use warplab_metrics::metrics;
use warplab_program::Opcode;
use warplab_run::Fault;

/// Reads an experiment; every fault of the text at once.
///
/// # Errors
/// The faults.
pub fn load(source: &Source) -> Result<Experiment, Fault> {
    let faults = |faults| Fault::Diagnostics(source.clone(), faults);
    let experiment = load_experiment(source).map_err(faults)?;
    let unknown = unknown_metrics(source, &experiment);
    if unknown.is_empty() { Ok(experiment) } else { Err(faults(unknown)) }
}

fn unknown_metrics(source: &Source, experiment: &Experiment) -> Vec<Diagnostic> {
    let (tree, _) = warplab_config::ron_tree::parse(&source.text);
    let columns = experiment.columns.iter().enumerate();
    let columns = columns.map(|(at, column)| (format!("columns.{at}.of"), &column.of, experiment.kind));
    let references = experiment.references.iter().enumerate().filter_map(|(at, reference)| {
        match &reference.values {
            // What a profiler measured has the names of a launch, whatever the kind is.
            Values::Measured(measured) => {
                Some((format!("references.{at}.values"), measured, ExperimentKind::Launch))
            }
            _ => None,
        }
    });
    let in_text = |path: &str, expression: &Expression, part: Span| {
        let node = tree.span_of(path);
        let text = source.text.get(node.range()).unwrap_or_default();
        let start = node.start as usize + text.find(expression.text()).unwrap_or(0);
        Span::new(start + part.range().start, start + part.range().end)
    };
    let mut faults = Vec::new();
    for (path, expression, kind) in columns.chain(references) {
        for mention in expression.metrics() {
            if let Err(help) = known(kind, &mention.name) {
                let span = in_text(&path, expression, mention.span);
                let message = format!("a point of kind {} has no metric '{}'", kind.name(), mention.name);
                faults.push(Diagnostic::error(span, message).with_label("not known").with_help(help));
            }
        }
    }
    faults
}

/// Whether a kind of experiment gives a metric; if not, what it gives.
fn known(kind: ExperimentKind, id: &str) -> Result<(), String> {
    if id.starts_with("gpu.") {
        return setting(kind, id).map(|_| ()).map_err(|(_, help)| help);
    }
    let own: Vec<&str> = match kind {
        ExperimentKind::Launch => metrics().map(|metric| metric.id).chain(launch::METRICS).collect(),
        ExperimentKind::Occupancy => occupancy::METRICS.into_iter().chain(occupancy::WAVE_METRICS).collect(),
        ExperimentKind::Dram => dram::METRICS.to_vec(),
        ExperimentKind::Queue => queue::METRICS.to_vec(),
        ExperimentKind::Formula => Vec::new(),
    };
    if own.contains(&id) {
        return Ok(());
    }
    let opcode = record::METRICS.iter().find_map(|prefix| id.strip_prefix(prefix));
    if let (ExperimentKind::Launch, Some(opcode)) = (kind, opcode) {
        let names = || Opcode::ALL.iter().map(|opcode| opcode.name());
        return match names().any(|name| name == opcode) {
            true => Ok(()),
            false => {
                Err(near(opcode, names()).unwrap_or("after it comes the name of an instruction".to_owned()))
            }
        };
    }
    Err(near(id, own.iter().copied()).unwrap_or_else(|| match kind {
        ExperimentKind::Launch => {
            "metrics are those of reports, 'issue.first.OPCODE' (last, count, cycles, partial, lanes), 'watch.cycle', 'watch.lanes', 'word' and 'gpu.PATH'".to_owned()
        }
        _ => format!("known: {}", own.iter().chain(&["gpu.PATH"]).copied().collect::<Vec<_>>().join(", ")),
    }))
}

fn near<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    nearest_name(wrong, names).map(|near| format!("did you mean '{near}'?"))
}
