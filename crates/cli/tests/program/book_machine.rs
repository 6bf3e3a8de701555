//! Every `field: value` of the book's page of the machine is what the description of the H200 says.

use serde_json::Value;
use std::fs;
use std::path::Path;
use warplab_config::load_gpu;
use warplab_diagnostics::Source;

fn project(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}

fn h200() -> Value {
    let source = Source::new("h200.ron", project("configs/gpus/h200.ron"));
    serde_json::to_value(load_gpu(&source).unwrap()).unwrap()
}

fn at<'a>(machine: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(machine, |value, name| value.get(name))
}

/// Whether a value is as it is written: a number, a flag, a word, or a list of fields in brackets.
fn is(value: &Value, written: &str) -> bool {
    if let Some(fields) = written.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        let mut fields = fields.split(", ").filter_map(|field| field.split_once(": "));
        return fields.all(|(name, written)| value.get(name).is_some_and(|value| is(value, written)));
    }
    match value {
        Value::Number(number) => written.parse() == Ok(number.as_f64().unwrap()),
        Value::Bool(flag) => written.parse() == Ok(*flag),
        other => other.as_str() == Some(written),
    }
}

/// The fields and values in a line, each with the structure that the line names before it.
fn fields(line: &str) -> Vec<(String, String)> {
    let mut within = String::new();
    let mut found = Vec::new();
    for (name, value) in line.split('`').skip(1).step_by(2).filter_map(|text| text.split_once(": ")) {
        let path = match name.rsplit_once('.') {
            Some((structure, _)) => {
                structure.clone_into(&mut within);
                name.to_owned()
            }
            None if within.is_empty() => name.to_owned(),
            None => format!("{within}.{name}"),
        };
        found.push((path, value.to_owned()));
    }
    found
}

#[test]
fn every_value_of_the_page_of_the_machine_is_in_the_description_of_the_h200() {
    let machine = h200();
    let (mut structure, mut count) = (String::new(), 0);
    for line in project("docs/book/src/machine.md").lines() {
        // The head of a table names the structure of its fields; a chapter ends it.
        match line.split_once("| field of `") {
            Some((_, rest)) => structure = rest.split('`').next().unwrap().to_owned(),
            None if line.starts_with("## ") => structure.clear(),
            None => {}
        }
        for (path, written) in fields(line) {
            let inside = format!("{structure}.{path}");
            let value = at(&machine, &inside).or_else(|| at(&machine, &path));
            let value = value.unwrap_or_else(|| panic!("the H200 has no field '{path}': {line}"));
            assert!(is(value, &written), "{path} is {value}, not {written}");
            count += 1;
        }
    }
    assert_eq!(count, 187, "fields with values on the page");
}
