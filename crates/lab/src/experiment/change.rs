//! Changes of an experiment that the command line names.

use warplab_config::experiment::{AxisValue, Experiment, Template, setting};
use warplab_diagnostics::nearest_name;
use warplab_run::Fault;

/// Applies `NAME=VALUE` to a constant, an axis or a setting.
pub(super) fn change(experiment: &mut Experiment, text: &str) -> Result<(), Fault> {
    let (name, value) = text.split_once('=').ok_or_else(|| {
        Fault::input(format!("'{text}' is no change; write NAME=VALUE, for example gpu=h200"))
    })?;
    let (name, value) = (name.trim(), value.trim());
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    if let Some(constant) = experiment.constants.get_mut(name) {
        let wrong = || Fault::input(format!("'{value}' in '{text}' is not a number"));
        *constant = number(value).ok_or_else(wrong)?;
        experiment.full.remove(name);
        return Ok(());
    }
    if let Some(axis) = experiment.axes.iter_mut().find(|axis| axis.name == name) {
        if !axis.with.is_empty() {
            let message =
                format!("the axis '{name}' has values that go along with each of its own; change the file");
            return Err(Fault::input(message));
        }
        let of_text = |text: &str| {
            number(text).map_or_else(|| AxisValue::Text(text.trim().to_owned()), AxisValue::Number)
        };
        let values: Vec<AxisValue> = value.split(',').map(of_text).collect();
        if !axis.labels.is_empty() {
            axis.labels = values.iter().map(|value| axis.shown(value)).collect();
        }
        axis.values = values;
        // References and claims speak of the file's own points.
        experiment.references.clear();
        experiment.claims.clear();
        return Ok(());
    }
    let known: Vec<&str> = experiment
        .constants
        .keys()
        .map(String::as_str)
        .chain(experiment.axes.iter().map(|axis| axis.name.as_str()))
        .collect();
    match setting(experiment.kind, name) {
        Ok(_) => {
            experiment.set.insert(name.to_owned(), Template::constant(value));
            Ok(())
        }
        Err((message, help)) => {
            let near = nearest_name(name, known.iter().copied());
            let near = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
            Err(Fault::input(format!(
                "{message}{near}; constants and axes: {}; settings: {help}",
                known.join(", ")
            )))
        }
    }
}
