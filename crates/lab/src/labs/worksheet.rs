//! The worksheet: what a student writes, and every fault of it at once.

use super::run::launch;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use warplab_config::Lab;
use warplab_config::gpu::SchedulerPolicy;
use warplab_config::lab::{Answer, Change, Prediction, Setting};
use warplab_config::ron_tree::{Node, Value, parse};
use warplab_diagnostics::{Diagnostic, Source, nearest_name};
use warplab_run::{Fault, ReadFile};

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// A number.
    Number(f64),
    /// The name of a run.
    Name(String),
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Given::Number(number) => f.write_str(&super::verdict::number_text(*number)),
            Given::Name(name) => f.write_str(name),
        }
    }
}

/// What a student has chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum Chosen {
    /// A number.
    Number(u32),
    /// A warp scheduler.
    Scheduler(SchedulerPolicy),
}

/// A worksheet: the answers to the questions of its lab that are not blank.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Worksheet {
    /// Predictions by name.
    pub predictions: BTreeMap<String, Given>,
    /// Choices by name.
    pub changes: BTreeMap<String, Chosen>,
}

/// The lab that a worksheet says it belongs to.
#[must_use]
pub fn lab_of(source: &Source) -> Option<String> {
    let (tree, _) = parse(&source.text);
    match &tree.find(&["lab"])?.value {
        Value::Text(lab) => Some(lab.clone()),
        _ => None,
    }
}

/// The programs that a student gets a copy of: the name of the copy, and the path of the lab's own.
///
/// # Errors
/// When a launch of the lab cannot be read, or two programs would have one copy.
pub fn copies(lab: &Lab, read: ReadFile<'_>) -> Result<BTreeMap<String, PathBuf>, Fault> {
    let mut copies: BTreeMap<String, PathBuf> = BTreeMap::new();
    for run in lab.runs.values() {
        let Some(copy) = &run.copy else { continue };
        let original = launch(run, read)?.1;
        // Names that differ in the size of letters only are one file on some hosts.
        match copies.iter().find(|(name, _)| name.eq_ignore_ascii_case(copy)) {
            Some((name, other)) if (name, other) != (copy, &original) => {
                let (original, other) = (original.display(), other.display());
                let message =
                    format!("the copies '{copy}' of {original} and '{name}' of {other} are one file");
                return Err(Fault::input(message + "; give each program its own"));
            }
            Some(_) => {}
            None => drop(copies.insert(copy.clone(), original)),
        }
    }
    Ok(copies)
}

/// The worksheet of a lab by its name, with blanks; `check` is the command that checks it.
#[must_use]
pub fn worksheet_text(lab: &Lab, name: &str, check: &str) -> String {
    let mut text = format!("// {}.\n", lab.title);
    text.push_str(&comment("", &format!("Write an answer in place of every None, then: {check}")));
    text.push_str(&format!("(\n    lab: {name:?},\n"));
    text.push_str("    // What do you expect? Answer before you run anything.\n    predictions: {\n");
    for prediction in &lab.predictions {
        text.push_str(&comment(
            "        ",
            &format!("{} {}", prediction.question, expected(&prediction.answer)),
        ));
        text.push_str(&format!("        \"{}\": None,\n\n", prediction.id));
    }
    text.truncate(text.trim_end().len());
    text.push_str("\n    },\n    // What do you choose?\n    changes: {\n");
    for change in &lab.changes {
        text.push_str(&comment("        ", &format!("{} {}", change.question, possible(change))));
        text.push_str(&format!("        \"{}\": None,\n\n", change.id));
    }
    text.truncate(text.trim_end().len());
    text.push_str("\n    },\n)\n");
    text
}

/// What can be chosen.
fn possible(change: &Change) -> String {
    match change.sets {
        Setting::Scheduler => "A text: the name of a policy or rank(...).".to_owned(),
        _ if change.most == u32::MAX => format!("A number from {}.", change.least),
        _ => format!("A number from {} to {}.", change.least, change.most),
    }
}

fn comment(indent: &str, words: &str) -> String {
    const WIDTH: usize = 100;
    let start = format!("{indent}// ");
    let lines = warplab_report::wrap(words, WIDTH - start.len());
    lines.into_iter().map(|line| format!("{start}{line}\n")).collect()
}

/// What an answer looks like.
fn expected(answer: &Answer) -> String {
    match answer {
        Answer::Number { .. } => "A number.".to_owned(),
        Answer::Least { runs, .. } | Answer::Most { runs, .. } => {
            let names: Vec<String> = runs.iter().map(|run| format!("\"{run}\"")).collect();
            format!("One of {}.", names.join(", "))
        }
    }
}

/// Reads a worksheet of a lab; blanks are left out.
///
/// # Errors
/// All its faults.
pub fn read_worksheet(source: &Source, lab: &Lab) -> Result<Worksheet, Vec<Diagnostic>> {
    let (tree, faults) = parse(&source.text);
    let mut reader = Reader { faults };
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    let mut worksheet = Worksheet::default();
    reader.fields(&tree);
    reader.answers(
        &tree,
        "predictions",
        &lab.predictions,
        |it| &it.id,
        |reader, node, prediction| {
            if let Some(given) = reader.prediction(node, prediction) {
                worksheet.predictions.insert(prediction.id.clone(), given);
            }
        },
    );
    reader.answers(
        &tree,
        "changes",
        &lab.changes,
        |it| &it.id,
        |reader, node, change| {
            if let Some(given) = reader.change(node, change) {
                worksheet.changes.insert(change.id.clone(), given);
            }
        },
    );
    if reader.faults.is_empty() { Ok(worksheet) } else { Err(reader.faults) }
}

struct Reader {
    faults: Vec<Diagnostic>,
}

impl Reader {
    fn wrong(&mut self, node: &Node, message: String, help: String) {
        self.faults.push(Diagnostic::error(node.span, message).with_label("here").with_help(help));
    }

    /// The worksheet holds its lab, two groups and nothing else.
    fn fields(&mut self, tree: &Node) {
        let Value::Struct(None, fields) = &tree.value else {
            let help = "a worksheet is (predictions: {...}, changes: {...}); 'warplab lab start' writes one";
            return self.wrong(tree, "this is no worksheet".to_owned(), help.to_owned());
        };
        for (name, node) in fields {
            if !["lab", "predictions", "changes"].contains(&name.text.as_str()) {
                let help = "a worksheet has lab, predictions and changes";
                self.wrong(node, format!("unknown field '{}'", name.text), help.to_owned());
            }
        }
    }

    /// One group of answers: every item of the lab once, and nothing else.
    fn answers<T>(
        &mut self,
        tree: &Node,
        group: &str,
        items: &[T],
        id: impl Fn(&T) -> &String,
        mut take: impl FnMut(&mut Reader, &Node, &T),
    ) {
        let entries: &[(Node, Node)] = match tree.find(&[group]) {
            Some(Node { value: Value::Map(entries), .. }) => entries,
            Some(node) => {
                let help = "answers stand in braces: {\"name\": 5}".to_owned();
                return self.wrong(node, format!("the {group} are not a list of answers"), help);
            }
            None => &[],
        };
        let known: Vec<&str> = items.iter().map(|item| id(item).as_str()).collect();
        let mut seen: Vec<&str> = Vec::new();
        for (key, value) in entries {
            let Value::Text(name) = &key.value else {
                self.wrong(key, "the name of an answer is a text".to_owned(), "\"name\": 5".to_owned());
                continue;
            };
            match items.iter().find(|item| id(item) == name) {
                _ if seen.contains(&name.as_str()) => {
                    let help = "keep one of the two".to_owned();
                    self.wrong(key, format!("'{name}' is answered twice"), help);
                }
                None => {
                    let near = nearest_name(name, known.iter().copied());
                    let near = near.map_or(String::new(), |near| format!("did you mean '{near}'? "));
                    let help = format!("{near}the {group} of this lab are: {}", known.join(", "));
                    self.wrong(key, format!("nothing is named '{name}'"), help);
                }
                Some(item) => match without_some(value) {
                    Node { value: Value::Variant(name), .. } if name.text == "None" => {}
                    value => take(self, value, item),
                },
            }
            seen.push(name);
        }
        for name in known.iter().filter(|name| !seen.contains(name)) {
            let place = tree.find(&[group]).unwrap_or(tree);
            let help = format!("add \"{name}\" and an answer to the {group}");
            self.wrong(place, format!("'{name}' is missing"), help);
        }
    }

    fn prediction(&mut self, node: &Node, prediction: &Prediction) -> Option<Given> {
        let id = &prediction.id;
        match (&prediction.answer, &node.value) {
            (Answer::Number { .. }, Value::Number { real, .. }) => Some(Given::Number(*real)),
            (Answer::Number { .. }, _) => {
                self.wrong(node, format!("'{id}' is not a number"), "write a number".to_owned());
                None
            }
            (Answer::Least { runs, .. } | Answer::Most { runs, .. }, Value::Text(name))
                if runs.contains(name) =>
            {
                Some(Given::Name(name.clone()))
            }
            (Answer::Least { .. } | Answer::Most { .. }, _) => {
                let help = expected(&prediction.answer);
                self.wrong(node, format!("'{id}' is none of the possible answers"), help);
                None
            }
        }
    }

    fn change(&mut self, node: &Node, change: &Change) -> Option<Chosen> {
        let chosen = match (&node.value, change.sets) {
            (Value::Text(policy), Setting::Scheduler) => SchedulerPolicy::from_option(policy)
                .map(Chosen::Scheduler)
                .map_err(|fault| fault.unwrap_or_else(|| format!("no scheduler is named '{policy}'"))),
            (Value::Number { whole: Some(number), .. }, sets) if sets != Setting::Scheduler => {
                let number = u32::try_from(*number).ok();
                let number = number.filter(|number| (change.least..=change.most).contains(number));
                number.map(Chosen::Number).ok_or_else(String::new)
            }
            _ => Err(String::new()),
        };
        let fault = match chosen {
            Ok(chosen) => return Some(chosen),
            Err(fault) if fault.is_empty() => format!("'{}' cannot be this", change.id),
            Err(fault) => format!("'{}': {fault}", change.id),
        };
        self.wrong(node, fault, possible(change));
        None
    }
}

/// What is inside `Some(...)`, or the value itself.
fn without_some(node: &Node) -> &Node {
    match &node.value {
        Value::Tuple(Some(name), items) if name.text == "Some" => items.first().unwrap_or(node),
        _ => node,
    }
}
