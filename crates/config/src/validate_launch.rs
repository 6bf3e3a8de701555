//! What the form of a launch cannot say: names that must exist, sizes that must fit.

use crate::check::{allowed, schema_at};
use crate::launch::{Argument, Expectation, Extent, Init, Launch, Reference};
use crate::ron_tree::{Node, Value};
use crate::schema::{DescriptionKind, schema};
use std::collections::BTreeSet;
use warplab_diagnostics::{Diagnostic, Span};

/// Faults of a launch; their places come from the tree that it was read from.
#[must_use]
pub(crate) fn validate_launch(launch: &Launch, tree: &Node) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    arguments(launch, tree, &mut faults);
    expectations(launch, tree, &mut faults);
    changes(launch, tree, &mut faults);
    blocks(launch, tree, &mut faults);
    faults
}

/// Blocks that are too large for any machine.
fn blocks(launch: &Launch, tree: &Node, faults: &mut Vec<Diagnostic>) {
    let entries = launch.launches.iter().enumerate();
    let of_entries =
        entries.filter_map(|(at, entry)| Some((entry.block?, place(tree, &["launches"], at, "block"))));
    for (block, span) in [(launch.block, tree.span_of("block"))].into_iter().chain(of_entries) {
        if block.count() > 1024 {
            let message = format!("block: {} threads are more than any machine takes", block.count());
            faults.push(error(span, message, "at most 1024 threads per block"));
        }
    }
}

fn error(span: Span, message: String, help: &str) -> Diagnostic {
    Diagnostic::error(span, message).with_label("here").with_help(help)
}

/// The place of a field of an item of a list, which may be an enumeration with fields.
fn place(tree: &Node, list: &[&str], at: usize, field: &str) -> Span {
    let number = at.to_string();
    let path: Vec<&str> = list.iter().copied().chain([number.as_str()]).collect();
    let Some(item) = tree.find(&path) else {
        return list.first().map_or(tree.span, |name| tree.span_of(name));
    };
    match &item.value {
        Value::Struct(_, fields) => {
            fields.iter().find(|(name, _)| name.text == field).map_or(item.span, |(_, node)| node.span)
        }
        _ => item.span,
    }
}

/// Every argument of a file with its list and its number there.
fn all_arguments(launch: &Launch) -> Vec<(Vec<String>, usize, &Argument)> {
    let own = launch
        .arguments
        .iter()
        .enumerate()
        .map(|(at, argument)| (vec!["arguments".to_owned()], at, argument));
    let of_entries = launch.launches.iter().enumerate().flat_map(|(number, entry)| {
        let list = vec!["launches".to_owned(), number.to_string(), "arguments".to_owned()];
        let arguments = entry.arguments.iter().flatten().enumerate();
        arguments.map(move |(at, argument)| (list.clone(), at, argument))
    });
    own.chain(of_entries).collect()
}

/// The place of a field of an argument.
fn argument_place(tree: &Node, list: &[String], at: usize, field: &str) -> Span {
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    place(tree, &list, at, field)
}

fn arguments(launch: &Launch, tree: &Node, faults: &mut Vec<Diagnostic>) {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let in_arguments = all_arguments(launch).into_iter().flat_map(|(list, at, argument)| {
        argument.buffers().into_iter().map(move |buffer| (list.clone(), at, buffer))
    });
    let alone = launch.buffers.iter().enumerate();
    let alone = alone.map(|(at, buffer)| {
        (vec!["buffers".to_owned()], at, (buffer.name.as_str(), buffer.size, &buffer.init))
    });
    for (list, at, (name, size, init)) in in_arguments.chain(alone) {
        let place = |field| argument_place(tree, &list, at, field);
        if !seen.insert(name) {
            let span = place("name");
            faults.push(error(
                span,
                format!("two buffers are named '{name}'"),
                "give each buffer its own name; pointer(buffer: \"NAME\") points to one that there is",
            ));
        }
        if let Some(help) = wrong_size(size) {
            let message = format!("buffer '{name}' has {} bytes", size.bytes);
            faults.push(error(place("size"), message, &help));
        }
        if let Some((message, help)) = wrong_rule(init) {
            faults.push(error(place("init"), message, help));
        }
    }
    pointers(launch, tree, &seen, faults);
}

/// Pointers to buffers that nobody declares.
fn pointers(launch: &Launch, tree: &Node, known: &BTreeSet<&str>, faults: &mut Vec<Diagnostic>) {
    let of_arguments = all_arguments(launch).into_iter().flat_map(|(list, at, argument)| {
        argument.pointers().into_iter().map(move |name| (name, argument_place(tree, &list, at, "buffer")))
    });
    let of_symbols = launch.symbols.values().flat_map(|value| value.pointers());
    let of_symbols = of_symbols.map(|name| (name, tree.span_of("symbols")));
    for (name, span) in of_arguments.chain(of_symbols).filter(|(name, _)| !known.contains(name)) {
        let names: Vec<&str> = known.iter().copied().collect();
        faults.push(error(span, format!("no buffer is named '{name}'"), &allowed(Some(name), &names)));
    }
}

/// What a size should be, if it cannot be that of a buffer.
fn wrong_size(size: Extent) -> Option<String> {
    let unit = size.element.map_or(4, |element| u64::from(element.bytes()));
    let fits = size.bytes > 0 && size.bytes.is_multiple_of(unit);
    (!fits).then(|| match size.element {
        Some(element) => {
            format!("a multiple of {unit} bytes, the size of an {element}, and at least one element")
        }
        None => "a multiple of four bytes, and at least four".to_owned(),
    })
}

fn wrong_rule(init: &Init) -> Option<(String, &'static str)> {
    match init {
        Init::Uniform { low, high, .. } if low.partial_cmp(high) != Some(std::cmp::Ordering::Less) => {
            Some((format!("uniform from {low} to {high} is empty"), "low must be below high"))
        }
        Init::Normal { deviation, .. } if deviation.is_nan() || *deviation < 0.0 => {
            Some((format!("a deviation of {deviation}"), "a deviation is not negative"))
        }
        _ => None,
    }
}

fn expectations(launch: &Launch, tree: &Node, faults: &mut Vec<Diagnostic>) {
    let names: Vec<&str> = launch.buffer_sizes().into_iter().map(|(name, _)| name).collect();
    for (at, expectation) in launch.expectations.iter().enumerate() {
        let (Expectation::Checksum { buffer, .. } | Expectation::AllClose { buffer, .. }) = expectation;
        if !names.contains(&buffer.as_str()) {
            let span = place(tree, &["expectations"], at, "buffer");
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
                let group = place(tree, &["expectations"], at, "expected");
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
    let gpu = schema(DescriptionKind::Gpu);
    let Some(Value::Map(entries)) = tree.find(&["set"]).map(|node| &node.value) else { return };
    for (key, _) in entries {
        let Value::Text(path) = &key.value else { continue };
        let names: Vec<&str> = path.split('.').collect();
        if let Err((depth, known)) = schema_at(gpu, &names) {
            let message = format!("no machine has '{path}'");
            faults.push(error(key.span, message, &allowed(names.get(depth).copied(), &known)));
        }
    }
}
