//! What the form of a lab cannot say: names that must exist, and that must differ.

use crate::check::{allowed, schema_at};
use crate::lab::{Lab, Measure, wrong_copy};
use crate::launch::parse_argument;
use crate::ron_tree::{Node, Value};
use crate::schema::{DescriptionKind, schema};
use warplab_diagnostics::Diagnostic;
use warplab_program::Opcode;

/// Faults of a lab; their places come from the tree that it was read from.
#[must_use]
pub(crate) fn validate_lab(lab: &Lab, tree: &Node) -> Vec<Diagnostic> {
    let mut checker = Checker { lab, tree, faults: Vec::new() };
    for (at, prediction) in lab.predictions.iter().enumerate() {
        let place = format!("predictions.{at}");
        for run in prediction.answer.runs() {
            checker.run(run, &format!("{place}.answer"));
        }
        checker.measure(prediction.answer.measure(), &format!("{place}.answer"));
        let before = lab.predictions[..at].iter().any(|other| other.id == prediction.id);
        checker.name(&prediction.id, before, &place);
    }
    for (at, change) in lab.changes.iter().enumerate() {
        let place = format!("changes.{at}");
        checker.run(&change.run, &format!("{place}.run"));
        if change.least > change.most {
            let message = format!("the numbers from {} to {} are none", change.least, change.most);
            checker.fault(&format!("{place}.least"), message, "the least is not above the most");
        }
        let before = lab.changes[..at].iter().any(|other| other.id == change.id)
            || lab.predictions.iter().any(|other| other.id == change.id);
        checker.name(&change.id, before, &place);
    }
    for (at, check) in lab.checks.iter().enumerate() {
        checker.run(&check.run, &format!("checks.{at}.run"));
        check.to.iter().for_each(|run| checker.run(run, &format!("checks.{at}.to")));
        checker.measure(&check.of, &format!("checks.{at}.of"));
        if check.at_least.is_none() && check.at_most.is_none() {
            let message = "this check always holds".to_owned();
            checker.fault(&format!("checks.{at}"), message, "give at_least, at_most or both");
        }
    }
    for (at, shown) in lab.timelines.iter().enumerate() {
        checker.run(&shown.run, &format!("timelines.{at}.run"));
    }
    checker.copies();
    checker.arguments();
    checker.machines();
    checker.faults
}

struct Checker<'a> {
    lab: &'a Lab,
    tree: &'a Node,
    faults: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn fault(&mut self, path: &str, message: String, help: &str) {
        let span = self.tree.span_of(path);
        self.faults.push(Diagnostic::error(span, message).with_label("here").with_help(help));
    }

    fn run(&mut self, name: &str, path: &str) {
        if !self.lab.runs.contains_key(name) {
            let known: Vec<&str> = self.lab.runs.keys().map(String::as_str).collect();
            self.fault(path, format!("no run is named '{name}'"), &allowed(Some(name), &known));
        }
    }

    fn name(&mut self, id: &str, taken: bool, place: &str) {
        if taken {
            let message = format!("two blanks of the worksheet are named '{id}'");
            self.fault(&format!("{place}.id"), message, "give each its own name");
        }
    }

    fn measure(&mut self, measure: &Measure, path: &str) {
        let opcodes: Vec<&str> = match measure {
            Measure::Span { from, to } => vec![from, to],
            Measure::Interval(opcode) => vec![opcode],
            Measure::Metric(_) | Measure::Switches | Measure::Warps => return,
        };
        for name in opcodes {
            if Opcode::from_name(name).is_none() {
                let help = "'warplab isa' lists the machine instructions";
                self.fault(path, format!("no machine instruction is named '{name}'"), help);
            }
        }
    }

    /// The names of the student's copies: files in the student's folder, none of them twice but of one program.
    fn copies(&mut self) {
        for (name, run) in &self.lab.runs {
            let Some(copy) = &run.copy else { continue };
            let node = self.tree.find(&["runs", name, "copy"]);
            let span = node.unwrap_or(self.tree).span;
            if let Some(message) = wrong_copy(copy) {
                let help = "give a plain file name, for example \"kernel.ptx\"";
                self.faults.push(Diagnostic::error(span, message).with_label("here").with_help(help));
            }
        }
    }

    /// The arguments that runs have instead of their launches'.
    fn arguments(&mut self) {
        let mut faults = Vec::new();
        for run in self.lab.runs.keys() {
            let Some(Value::Map(entries)) =
                self.tree.find(&["runs", run, "arguments"]).map(|node| &node.value)
            else {
                continue;
            };
            for (key, value) in entries {
                let (Value::Text(number), Value::Text(argument)) = (&key.value, &value.value) else {
                    continue;
                };
                let message = match (number.parse::<u32>(), parse_argument(argument)) {
                    (Err(_), _) => (key.span, format!("'{number}' is not the number of an argument")),
                    (_, Err(message)) => (value.span, message),
                    _ => continue,
                };
                let help = "for example {\"2\": \"u32:33\"}: arguments are counted from 0";
                faults.push(Diagnostic::error(message.0, message.1).with_label("here").with_help(help));
            }
        }
        self.faults.append(&mut faults);
    }

    /// The paths of all changes of machines.
    fn machines(&mut self) {
        let gpu = schema(DescriptionKind::Gpu);
        let mut faults = Vec::new();
        for run in self.lab.runs.keys() {
            let Some(Value::Map(entries)) = self.tree.find(&["runs", run, "set"]).map(|node| &node.value)
            else {
                continue;
            };
            for (key, _) in entries {
                let Value::Text(path) = &key.value else { continue };
                let names: Vec<&str> = path.split('.').collect();
                if let Err((depth, known)) = schema_at(gpu, &names) {
                    let help = allowed(names.get(depth).copied(), &known);
                    let message = format!("no machine has '{path}'");
                    faults.push(Diagnostic::error(key.span, message).with_label("not known").with_help(help));
                }
            }
        }
        self.faults.append(&mut faults);
    }
}
