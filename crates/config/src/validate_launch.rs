//! What the form of a launch cannot say: names that must exist, sizes that must fit.

use crate::check::{allowed, schema_at};
use crate::launch::{Argument, Expectation, Init, Launch, Reference};
use crate::ron_tree::{Node, Value};
use crate::schema::{Kind, schema};
use warplab_diagnostics::{Diagnostic, Span};

/// Faults of a launch; their places come from the tree that it was read from.
#[must_use]
pub fn validate_launch(launch: &Launch, tree: &Node) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    arguments(launch, tree, &mut faults);
    expectations(launch, tree, &mut faults);
    changes(launch, tree, &mut faults);
    if launch.block.count() > 1024 {
        let message = format!("block: {} threads are more than any machine takes", launch.block.count());
        faults.push(error(tree.span_of("block"), message, "at most 1024 threads a block"));
    }
    faults
}

fn error(span: Span, message: String, help: &str) -> Diagnostic {
    Diagnostic::error(span, message).with_label("here").with_help(help)
}

/// The place of a field of an item of a list, which may be an enumeration with fields.
fn place(tree: &Node, list: &str, at: usize, field: &str) -> Span {
    let Some(item) = tree.find(&[list, &at.to_string()]) else { return tree.span_of(list) };
    match &item.value {
        Value::Struct(_, fields) => {
            fields.iter().find(|(name, _)| name.text == field).map_or(item.span, |(_, node)| node.span)
        }
        _ => item.span,
    }
}

fn arguments(launch: &Launch, tree: &Node, faults: &mut Vec<Diagnostic>) {
    let mut seen: Vec<&str> = Vec::new();
    for (at, argument) in launch.arguments.iter().enumerate() {
        let Argument::Buffer { name, size, init } = argument else { continue };
        if seen.contains(&name.as_str()) {
            let span = place(tree, "arguments", at, "name");
            faults.push(error(
                span,
                format!("two buffers are named '{name}'"),
                "give each buffer its own name",
            ));
        }
        seen.push(name);
        if size.0 == 0 || size.0 % 4 != 0 {
            let span = place(tree, "arguments", at, "size");
            let message = format!("buffer '{name}' has {} bytes", size.0);
            faults.push(error(span, message, "a multiple of four bytes, and at least four"));
        }
        let span = place(tree, "arguments", at, "init");
        match init {
            Init::Uniform { low, high, .. } if low.partial_cmp(high) != Some(std::cmp::Ordering::Less) => {
                faults.push(error(
                    span,
                    format!("uniform from {low} to {high} is empty"),
                    "low must be below high",
                ));
            }
            Init::Normal { deviation, .. } if deviation.is_nan() || *deviation < 0.0 => {
                faults.push(error(
                    span,
                    format!("a deviation of {deviation}"),
                    "a deviation is not negative",
                ));
            }
            _ => {}
        }
    }
}

fn expectations(launch: &Launch, tree: &Node, faults: &mut Vec<Diagnostic>) {
    let names: Vec<&str> = launch.buffers().map(|(name, _)| name).collect();
    for (at, expectation) in launch.expectations.iter().enumerate() {
        let (Expectation::Checksum { buffer, .. } | Expectation::AllClose { buffer, .. }) = expectation;
        if !names.contains(&buffer.as_str()) {
            let span = place(tree, "expectations", at, "buffer");
            faults.push(error(
                span,
                format!("no buffer is named '{buffer}'"),
                &allowed(Some(buffer), &names),
            ));
        }
        let Expectation::AllClose { expected: Reference::Formula(formula), .. } = expectation else {
            continue;
        };
        for read in formula.reads() {
            let initial = read.name.strip_suffix('0').is_some_and(|name| names.contains(&name));
            if !initial && !names.contains(&read.name.as_str()) {
                let group = place(tree, "expectations", at, "expected");
                let text =
                    tree.find(&["expectations", &at.to_string()]).and_then(formula_text).unwrap_or(group);
                let start = text.start as usize + 1 + read.span.start as usize;
                let span = Span::new(start, start + read.name.len());
                let help = format!(
                    "{}; a name with 0 behind it is the content before the launch",
                    allowed(Some(&read.name), &names)
                );
                faults.push(error(
                    span,
                    format!("the formula reads '{}', which is no buffer", read.name),
                    &help,
                ));
            }
        }
    }
}

/// The place of the text in `all_close(expected: formula("..."))`.
fn formula_text(expectation: &Node) -> Option<Span> {
    let Value::Struct(_, fields) = &expectation.value else { return None };
    let (_, expected) = fields.iter().find(|(name, _)| name.text == "expected")?;
    let Value::Tuple(_, items) = &expected.value else { return None };
    items.first().map(|item| item.span)
}

fn changes(launch: &Launch, tree: &Node, faults: &mut Vec<Diagnostic>) {
    if launch.set.is_empty() {
        return;
    }
    let gpu = schema(Kind::Gpu);
    let Some(Value::Map(entries)) = tree.find(&["set"]).map(|node| &node.value) else { return };
    for (key, _) in entries {
        let Value::Text(path) = &key.value else { continue };
        let names: Vec<&str> = path.split('.').collect();
        if let Err((depth, known)) = schema_at(&gpu, &names) {
            let message = format!("no machine has '{path}'");
            faults.push(error(key.span, message, &allowed(names.get(depth).copied(), &known)));
        }
    }
}
