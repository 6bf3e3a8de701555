//! A tree against a JSON schema: every fault of form at once.

use crate::ron_tree::{Name, Node, Value};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use warplab_diagnostics::{Diagnostic, Span, nearest_name};

/// A check of texts that a schema names by `format`, for example of sizes.
pub(crate) type TextCheck = fn(&str) -> Result<(), (std::ops::Range<usize>, String)>;

/// The most faults of a text that are shown.
const MOST_FAULTS: usize = 200;

/// Checks a tree against a schema; `formats` are the texts with a grammar of their own.
pub(crate) fn check(node: &Node, schema: &Json, formats: &[(&str, TextCheck)]) -> Vec<Diagnostic> {
    let mut checker = Checker { root: schema, formats, faults: Vec::new() };
    checker.node(node, schema, &FieldPath { name: String::new(), key: None });
    checker.faults
}

/// The schema of what stands at a path of field names; the last name that is known and what is allowed after it.
pub(crate) fn schema_at<'a>(root: &'a Json, path: &[&str]) -> Result<&'a Json, (usize, Vec<&'a str>)> {
    let mut schema = root;
    for (depth, name) in path.iter().enumerate() {
        let inside = without_null(root, schema);
        let properties = inside.get("properties").and_then(Json::as_object);
        let item = inside.get("items").filter(|_| name.parse::<usize>().is_ok());
        let next = properties.and_then(|known| known.get(*name)).or(item);
        let Some(next) = next else {
            let allowed = properties.map(|known| known.keys().map(String::as_str).collect());
            return Err((depth, allowed.unwrap_or_default()));
        };
        schema = next;
    }
    Ok(schema)
}

/// Follows a reference.
fn resolve<'a>(root: &'a Json, schema: &'a Json) -> &'a Json {
    let name = schema.get("$ref").and_then(Json::as_str).and_then(|path| path.strip_prefix("#/$defs/"));
    name.and_then(|name| root.get("$defs")?.get(name)).map_or(schema, |found| resolve(root, found))
}

fn is_null(schema: &Json) -> bool {
    schema.get("type").and_then(Json::as_str) == Some("null")
}

/// The schema of what is inside an optional value.
fn without_null<'a>(root: &'a Json, schema: &'a Json) -> &'a Json {
    let schema = resolve(root, schema);
    let alternatives = schema.get("anyOf").and_then(Json::as_array);
    match alternatives.map(Vec::as_slice) {
        Some([only, null]) if is_null(null) => resolve(root, only),
        _ => schema,
    }
}

fn is_optional(root: &Json, schema: &Json) -> bool {
    let schema = resolve(root, schema);
    let types = schema.get("type").and_then(Json::as_array);
    let alternatives = schema.get("anyOf").and_then(Json::as_array);
    types.is_some_and(|types| types.iter().any(|name| name == "null"))
        || alternatives.is_some_and(|alternatives| alternatives.iter().any(is_null))
}

/// A choice of an enumeration: its name and what it holds.
struct Choice<'a> {
    name: &'a str,
    payload: Option<&'a Json>,
}

/// The choices, if the schema is an enumeration.
fn choices<'a>(schema: &'a Json) -> Option<Vec<Choice<'a>>> {
    let text = |value: &'a Json| value.as_str().map(|name| Choice { name, payload: None });
    if let Some(names) = schema.get("enum").and_then(Json::as_array) {
        return names.iter().map(text).collect();
    }
    if let Some(name) = schema.get("const") {
        return Some(vec![text(name)?]);
    }
    let alternatives = schema.get("oneOf").and_then(Json::as_array)?;
    let nested: Option<Vec<_>> =
        alternatives.iter().map(|schema| choices(schema).or_else(|| holding(schema))).collect();
    Some(nested?.into_iter().flatten().collect())
}

/// A choice that holds something: an object with one property, its name.
fn holding(schema: &Json) -> Option<Vec<Choice<'_>>> {
    let (name, payload) = schema.get("properties")?.as_object()?.iter().next()?;
    Some(vec![Choice { name, payload: Some(payload) }])
}

/// What is being looked at: its path for messages, and the field name that leads to it.
struct FieldPath {
    name: String,
    key: Option<Span>,
}

impl FieldPath {
    fn child(&self, name: &Name) -> FieldPath {
        let path =
            if self.name.is_empty() { name.text.clone() } else { format!("{}.{}", self.name, name.text) };
        FieldPath { name: path, key: Some(name.span) }
    }

    fn item(&self, index: usize) -> FieldPath {
        FieldPath { name: format!("{}[{index}]", self.name), key: None }
    }

    fn shown(&self) -> &str {
        if self.name.is_empty() { "the description" } else { &self.name }
    }
}

struct Checker<'a> {
    root: &'a Json,
    formats: &'a [(&'a str, TextCheck)],
    faults: Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    fn fault(&mut self, span: Span, message: String, label: &str, help: String) {
        if self.is_full() {
            return;
        }
        if self.faults.len() == MOST_FAULTS {
            let message = format!("there are more than {MOST_FAULTS} faults; the others are not shown");
            self.faults.push(Diagnostic::error(span, message).with_label("from here on"));
            return;
        }
        self.faults.push(Diagnostic::error(span, message).with_label(label).with_help(help));
    }

    /// Whether more faults would not be shown.
    fn is_full(&self) -> bool {
        self.faults.len() > MOST_FAULTS
    }

    fn node(&mut self, node: &Node, schema: &'a Json, place: &FieldPath) {
        if self.is_full() {
            return;
        }
        let outer = resolve(self.root, schema);
        let description = describe(schema).or_else(|| describe(outer));
        if is_optional(self.root, outer) {
            match &node.value {
                Value::Variant(name) if name.text == "None" => return,
                Value::Tuple(Some(name), items) if name.text == "Some" && items.len() == 1 => {
                    return self.present(&items[0], without_null(self.root, outer), place, description);
                }
                _ => {}
            }
        }
        self.present(node, without_null(self.root, outer), place, description);
    }

    fn present(&mut self, node: &Node, schema: &'a Json, place: &FieldPath, description: Option<&str>) {
        if node.value == Value::Broken {
            return;
        }
        if let Some(alternatives) = schema.get("anyOf").and_then(Json::as_array) {
            return self.any_of(node, alternatives, place, description);
        }
        if let Some(choices) = choices(schema) {
            return self.choice(node, &choices, place);
        }
        match (type_name(schema), &node.value) {
            ("boolean", Value::Bool(_)) => {}
            ("integer", &Value::Number { whole: Some(whole), .. }) => {
                self.whole_range(node.span, whole, schema, place, description);
            }
            ("number", &Value::Number { real, .. }) => {
                self.range(node.span, real, schema, place, description)
            }
            ("string", Value::Text(text)) => self.text(node, text, schema, place),
            ("string", Value::Char(_)) => {}
            ("array", Value::List(items)) if schema.get("prefixItems").is_none() => {
                if let Some(schema) = schema.get("items") {
                    items.iter().enumerate().for_each(|(at, item)| self.node(item, schema, &place.item(at)));
                }
            }
            ("array", Value::Tuple(None, items)) if schema.get("prefixItems").is_some() => {
                self.tuple(node, items, schema, place);
            }
            ("object", Value::Map(entries)) if schema.get("properties").is_none() => {
                self.entries(entries, schema, place);
            }
            ("object", Value::Struct(_, fields)) if schema.get("properties").is_some() => {
                self.fields(node, fields, schema, place);
            }
            ("object", Value::Tuple(_, items)) if items.is_empty() && schema.get("properties").is_some() => {
                self.fields(node, &[], schema, place);
            }
            ("any", _) => {}
            (expected, value) => {
                let expected = expectation(expected, schema);
                let message = format!("{} must be {expected}, not {}", place.shown(), kind_of(value));
                self.fault(node.span, message, &format!("expected {expected}"), help_of(description));
            }
        }
    }

    /// Alternatives of different form: one must fit; if the form fits one, its faults are the ones to show.
    fn any_of(
        &mut self,
        node: &Node,
        alternatives: &'a [Json],
        place: &FieldPath,
        description: Option<&str>,
    ) {
        let mut nearest: Option<Vec<Diagnostic>> = None;
        for schema in alternatives.iter().filter(|schema| !is_null(schema)) {
            let mut attempt = Checker { root: self.root, formats: self.formats, faults: Vec::new() };
            attempt.node(node, schema, place);
            if attempt.faults.is_empty() {
                return;
            }
            let wrong_form = attempt.faults.iter().any(|fault| fault.label.starts_with("expected "));
            if !wrong_form {
                nearest = nearest.or(Some(attempt.faults));
            }
        }
        if let Some(faults) = nearest {
            return self.faults.extend(faults);
        }
        let forms = alternatives.iter().filter(|schema| !is_null(schema));
        let forms: Vec<String> =
            forms.map(|schema| expectation(type_name(resolve(self.root, schema)), schema)).collect();
        let forms = forms.join(" or ");
        let message = format!("{} must be {forms}, not {}", place.shown(), kind_of(&node.value));
        self.fault(node.span, message, &format!("expected {forms}"), help_of(description));
    }

    fn choice(&mut self, node: &Node, choices: &[Choice<'a>], place: &FieldPath) {
        let name = match &node.value {
            Value::Variant(name) | Value::Tuple(Some(name), _) | Value::Struct(Some(name), _) => name,
            value => {
                let names = choices.iter().map(|choice| choice.name).collect::<Vec<_>>();
                let message = format!("{} must be a name, not {}", place.shown(), kind_of(value));
                return self.fault(node.span, message, "expected a name", allowed(None, &names));
            }
        };
        let Some(choice) = choices.iter().find(|choice| choice.name == name.text) else {
            let names = choices.iter().map(|choice| choice.name).collect::<Vec<_>>();
            let message = format!("unknown value '{}' of {}", name.text, place.shown());
            return self.fault(name.span, message, "not known", allowed(Some(&name.text), &names));
        };
        let place = place.child(name);
        let Some(payload) = choice.payload else {
            if !matches!(node.value, Value::Variant(_)) {
                let message = format!("'{}' takes nothing in brackets", name.text);
                self.fault(node.span, message, "too much", format!("write {}", name.text));
            }
            return;
        };
        let inner = without_null(self.root, payload);
        match &node.value {
            Value::Struct(_, fields) if inner.get("properties").is_some() => {
                self.fields(node, fields, inner, &place);
            }
            Value::Tuple(_, items) if inner.get("prefixItems").is_some() => {
                self.tuple(node, items, inner, &place)
            }
            Value::Tuple(_, items) if items.is_empty() && inner.get("properties").is_some() => {
                self.fields(node, &[], inner, &place);
            }
            Value::Tuple(_, items) if items.len() == 1 => self.node(&items[0], payload, &place),
            _ => {
                let expected = expectation(type_name(inner), inner);
                let message = format!("'{}' needs {expected} in brackets", name.text);
                self.fault(node.span, message, "incomplete", help_of(describe(inner)));
            }
        }
    }

    fn fields(&mut self, node: &Node, fields: &[(Name, Node)], schema: &'a Json, place: &FieldPath) {
        let Some(known) = schema.get("properties").and_then(Json::as_object) else { return };
        let names: Vec<&str> = known.keys().map(String::as_str).collect();
        let mut seen = BTreeSet::new();
        for (name, value) in fields {
            if self.is_full() {
                return;
            }
            if !seen.insert(name.text.as_str()) {
                let message = format!("field '{}' of {} is given twice", name.text, place.shown());
                self.fault(name.span, message, "the second time", "remove one of them".to_owned());
            } else if let Some(schema) = known.get(&name.text) {
                self.node(value, schema, &place.child(name));
            } else {
                let message = format!("unknown field '{}' of {}", name.text, place.shown());
                self.fault(name.span, message, "not known", allowed(Some(&name.text), &names));
            }
        }
        let required = schema.get("required").and_then(Json::as_array);
        for missing in required.into_iter().flatten().filter_map(Json::as_str) {
            if !seen.contains(missing) {
                let start = node.span.start as usize;
                let span = place.key.unwrap_or(Span::new(start, start + 1));
                let message = format!("missing field '{missing}' of {}", place.shown());
                let description = known
                    .get(missing)
                    .and_then(describe)
                    .or_else(|| known.get(missing).and_then(|schema| describe(resolve(self.root, schema))));
                let help = description.map_or(String::new(), |text| format!("{missing}: {}", one_line(text)));
                self.fault(span, message, "incomplete", help);
            }
        }
    }

    fn entries(&mut self, entries: &[(Node, Node)], schema: &'a Json, place: &FieldPath) {
        let Some(schema) = schema.get("additionalProperties") else { return };
        let mut seen = BTreeSet::new();
        for (key, value) in entries {
            let Value::Text(text) = &key.value else {
                let message = format!(
                    "a key of {} must be a text in quotes, not {}",
                    place.shown(),
                    kind_of(&key.value)
                );
                self.fault(key.span, message, "expected a text in quotes", String::new());
                continue;
            };
            if !seen.insert(text.as_str()) {
                let message = format!("key \"{text}\" of {} is given twice", place.shown());
                self.fault(key.span, message, "the second time", "remove one of them".to_owned());
            }
            self.node(value, schema, &place.child(&Name { span: key.span, text: text.clone() }));
        }
    }

    fn tuple(&mut self, node: &Node, items: &[Node], schema: &'a Json, place: &FieldPath) {
        let Some(schemas) = schema.get("prefixItems").and_then(Json::as_array) else { return };
        if items.len() != schemas.len() {
            let (expected, found) = (schemas.len(), items.len());
            let message = format!("{} must have {expected} values, not {found}", place.shown());
            return self.fault(node.span, message, &format!("{found} values"), help_of(describe(schema)));
        }
        for (at, (item, schema)) in items.iter().zip(schemas).enumerate() {
            self.node(item, schema, &place.item(at));
        }
    }

    fn text(&mut self, node: &Node, text: &str, schema: &Json, place: &FieldPath) {
        let format = schema.get("format").and_then(Json::as_str);
        let Some((_, grammar)) = self.formats.iter().find(|(name, _)| Some(*name) == format) else { return };
        if let Err((range, message)) = grammar(text) {
            // Inside a plain text the fault has a place of its own; an escaped one shifts it, so clamp.
            let inside = node.span.start as usize + 1;
            let span = Span::new(inside + range.start, (inside + range.end).min(node.span.end as usize));
            let span = if span.start < node.span.end { span } else { node.span };
            self.fault(span, format!("{}: {message}", place.shown()), "here", help_of(describe(schema)));
        }
    }

    fn whole_range(
        &mut self,
        span: Span,
        whole: i128,
        schema: &Json,
        place: &FieldPath,
        description: Option<&str>,
    ) {
        let bound = |key: &str| schema.get(key).and_then(as_whole);
        let (low, high) = match schema.get("format").and_then(Json::as_str) {
            Some("uint8") => (0, i128::from(u8::MAX)),
            Some("uint16") => (0, i128::from(u16::MAX)),
            Some("uint32") => (0, i128::from(u32::MAX)),
            Some("int32") => (i128::from(i32::MIN), i128::from(i32::MAX)),
            Some("int64") => (i128::from(i64::MIN), i128::from(i64::MAX)),
            _ => (0, i128::from(u64::MAX)),
        };
        let (low, high) = (bound("minimum").unwrap_or(low), bound("maximum").unwrap_or(high));
        self.outside(span, (whole < low, whole > high), (&whole, &low, &high), place, description);
    }

    fn range(&mut self, span: Span, real: f64, schema: &Json, place: &FieldPath, description: Option<&str>) {
        let bound = |key: &str| schema.get(key).and_then(Json::as_f64);
        let low = bound("minimum").unwrap_or(f64::NEG_INFINITY);
        let high = bound("maximum").unwrap_or(f64::INFINITY);
        if real.is_nan() && (low.is_finite() || high.is_finite()) {
            let message = format!("{} must be a number, not NaN", place.shown());
            return self.fault(span, message, "not a number", help_of(description));
        }
        self.outside(span, (real < low, real > high), (&real, &low, &high), place, description);
    }

    fn outside(
        &mut self,
        span: Span,
        (below, above): (bool, bool),
        (value, low, high): (&dyn std::fmt::Display, &dyn std::fmt::Display, &dyn std::fmt::Display),
        place: &FieldPath,
        description: Option<&str>,
    ) {
        let bound = match (below, above) {
            (true, _) => format!("at least {low}"),
            (_, true) => format!("at most {high}"),
            _ => return,
        };
        let message = format!("{} is {value}, but must be {bound}", place.shown());
        self.fault(span, message, "out of range", help_of(description));
    }
}

fn as_whole(value: &Json) -> Option<i128> {
    let whole = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    whole.or_else(|| value.as_f64().map(truncated))
}

#[expect(clippy::cast_possible_truncation, reason = "the bounds of schemas are small")]
fn truncated(bound: f64) -> i128 {
    bound as i128
}

fn describe(schema: &Json) -> Option<&str> {
    schema.get("description").and_then(Json::as_str)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn help_of(description: Option<&str>) -> String {
    description.map_or(String::new(), one_line)
}

/// "did you mean 'x'? allowed: x, y, z".
pub(crate) fn allowed(wrong: Option<&str>, names: &[&str]) -> String {
    let list = names.join(", ");
    match wrong.and_then(|wrong| nearest_name(wrong, names.iter().copied())) {
        Some(near) => format!("did you mean '{near}'? allowed: {list}"),
        None => format!("allowed: {list}"),
    }
}

fn type_name(schema: &Json) -> &str {
    match schema.get("type") {
        Some(Json::String(name)) => name,
        Some(Json::Array(names)) => {
            names.iter().filter_map(Json::as_str).find(|name| *name != "null").unwrap_or("any")
        }
        _ if schema.get("properties").is_some() => "object",
        _ => "any",
    }
}

fn expectation(name: &str, schema: &Json) -> String {
    match name {
        "boolean" => "true or false".to_owned(),
        "integer" => "a whole number".to_owned(),
        "number" => "a number".to_owned(),
        "string" => "a text in quotes".to_owned(),
        "array" => match schema.get("prefixItems").and_then(Json::as_array) {
            Some(items) => format!("{} values in round brackets", items.len()),
            None => "a list in square brackets".to_owned(),
        },
        "object" if schema.get("properties").is_none() => "a map in curly brackets".to_owned(),
        "object" => "a group of fields in round brackets".to_owned(),
        _ => "a name".to_owned(),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Bool(_) => "true or false",
        Value::Number { whole: Some(_), .. } => "a whole number",
        Value::Number { .. } => "a number with a fraction",
        Value::Char(_) => "a character",
        Value::Text(_) => "a text",
        Value::List(_) => "a list",
        Value::Map(_) => "a map",
        Value::Struct(None, _) => "a group of fields",
        Value::Tuple(None, _) => "a group of values",
        Value::Struct(Some(_), _) | Value::Tuple(Some(_), _) | Value::Variant(_) => "a name",
        Value::Broken => "something unreadable",
    }
}
