//! Changes of a description from a command line: `multiprocessor.scheduler=gto`.

use crate::check::{allowed, check, schema_at};
use crate::ron_tree::{Value, parse};
use crate::schema::{DescriptionKind, FORMATS, schema};
use serde_json::Value as Json;
use warplab_diagnostics::{Diagnostic, Source, Span};

/// The text of a description with one value changed. The description must be free of faults; `assignment` holds
/// `PATH=VALUE`, and the faults are about it. What the change means for the rest of the description is checked when
/// the new text is loaded.
///
/// # Errors
/// The faults of the assignment: an unknown path, or a value that cannot stand there.
pub fn apply_override(
    description: &Source,
    kind: DescriptionKind,
    assignment: &Source,
) -> Result<Source, Vec<Diagnostic>> {
    let text = assignment.text.as_str();
    let Some(equals) = text.find('=') else {
        let fault = Diagnostic::error(Span::new(0, text.len()), "a change has the form PATH=VALUE")
            .with_help("for example multiprocessor.scheduler=gto");
        return Err(vec![fault]);
    };
    let path = text[..equals].trim();
    let names: Vec<&str> = path.split('.').collect();
    let schema = schema(kind);
    let expected =
        schema_at(schema, &names).map_err(|(depth, known)| vec![unknown_path(path, depth, &known)])?;
    let value = value_text(text[equals + 1..].trim(), expected, schema);
    let mut faults = value_faults(&value, expected, schema, path);
    for fault in &mut faults {
        // The value may have been quoted; its place is the typed one.
        fault.span = Span::new(equals + 1, text.len());
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let changed = splice(&description.text, &names, &value).ok_or_else(|| {
        let message = format!("{} has no place for {path}", description.name);
        vec![Diagnostic::error(Span::new(0, equals), message).with_help("give the group above it first")]
    })?;
    Ok(Source::new(format!("{} with {text}", description.name), changed))
}

fn unknown_path(path: &str, depth: usize, known: &[&str]) -> Diagnostic {
    let names: Vec<&str> = path.split('.').collect();
    let start = names[..depth].iter().map(|name| name.len() + 1).sum::<usize>();
    let (above, wrong) = (names[..depth].join("."), names[depth]);
    let span = Span::new(start, start + wrong.len());
    if known.is_empty() {
        return Diagnostic::error(span, format!("{above} is a value and has no field '{wrong}'"))
            .with_label("too deep");
    }
    let above = if above.is_empty() { "the description" } else { &above };
    Diagnostic::error(span, format!("unknown field '{wrong}' of {above}"))
        .with_label("not known")
        .with_help(allowed(Some(wrong), known))
}

/// The value as RON: a text may come without quotes where nothing but a text can stand.
fn value_text(typed: &str, expected: &Json, root: &Json) -> String {
    let quoted = format!("{typed:?}");
    let as_typed = value_faults(typed, expected, root, "").is_empty();
    if !as_typed && value_faults(&quoted, expected, root, "").is_empty() { quoted } else { typed.to_owned() }
}

fn value_faults(value: &str, expected: &Json, root: &Json, path: &str) -> Vec<Diagnostic> {
    let (node, faults) = parse(value);
    if !faults.is_empty() {
        return faults;
    }
    let mut schema = expected.clone();
    if let (Some(schema), Some(definitions)) = (schema.as_object_mut(), root.get("$defs")) {
        schema.insert("$defs".to_owned(), definitions.clone());
    }
    let mut faults = check(&node, &schema, FORMATS);
    for fault in &mut faults {
        if let Some(rest) = fault.message.strip_prefix("the description") {
            fault.message = format!("{path}{rest}");
        } else {
            fault.message = fault.message.replace("the description", path);
        }
    }
    faults
}

/// Replaces the value under a path, or adds the last name of the path to the group above it.
fn splice(text: &str, names: &[&str], value: &str) -> Option<String> {
    let (tree, _) = parse(text);
    if let Some(node) = tree.find(names) {
        let range = node.span.range();
        return Some(format!("{}{value}{}", &text[..range.start], &text[range.end..]));
    }
    let (last, above) = names.split_last()?;
    let group = tree.find(above)?;
    let inside = group.span.range().start + text.get(group.span.range())?.strip_suffix(')')?.len();
    // What follows the last field may be a comma and comments.
    let last_field = match &group.value {
        Value::Struct(_, fields) => fields.last().map(|(_, field)| field.span.range().end),
        _ => None,
    };
    let comma = match last_field {
        Some(end) if !text[end..].trim_start().starts_with(',') => ",",
        _ => "",
    };
    // A comment at the end would swallow what follows on its line.
    Some(format!("{}\n{comma}{last}: {value}\n{}", &text[..inside], &text[inside..]))
}
