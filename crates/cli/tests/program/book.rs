//! The book: every command in it runs, its figures are drawn by one, and its lists are those of the registries.
//! `WARPLAB_BLESS=1 cargo test -p warplab-cli book` writes figures and generated pages anew.

use crate::common::{command, fresh_folder, stderr, stdout, warplab};
use crate::documents::markdown::words;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use warplab_config::gpu::RankInput;
use warplab_config::launch::Formula;
use warplab_trace::WarpState;

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/src")
}

fn chapter(name: &str) -> String {
    fs::read_to_string(book().join(name)).unwrap()
}

fn chapters() -> Vec<String> {
    let summary = chapter("SUMMARY.md");
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    links.map(|(name, _)| name.to_owned()).collect()
}

/// A command of a chapter, and the exit status that its comment names.
type Command = (Vec<String>, i32);

fn parsed<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Command> {
    let status = |line: &str| match line.split_once("# ") {
        Some((_, comment)) if comment.starts_with("fails") => 1,
        Some((_, comment)) if comment.starts_with("misused") => 2,
        _ => 0,
    };
    lines.map(|line| (words(line).unwrap(), status(line))).collect()
}

/// The commands in the fenced blocks of a chapter: they run in an empty folder.
fn commands(text: &str) -> Vec<Command> {
    let blocks = text.split("```").skip(1).step_by(2);
    parsed(blocks.flat_map(str::lines).filter(|line| line.starts_with("warplab ")))
}

/// The commands of a chapter that are indented: they run in a checkout.
fn commands_of_a_checkout(text: &str) -> Vec<Command> {
    parsed(text.lines().filter(|line| line.starts_with("    warplab ")))
}

/// Runs commands one after the other in a folder.
fn run_all(folder: &Path, name: &str, commands: &[Command]) {
    for (words, status) in commands {
        let ran = command(folder, words).assert();
        let found = ran.get_output().status.code();
        assert_eq!(found, Some(*status), "{name}: {words:?}\n{}{}", stdout(&ran), stderr(&ran));
    }
}

/// Runs the commands of a chapter in an empty folder.
fn run(purpose: &str, name: &str) -> PathBuf {
    let folder = fresh_folder(&format!("{purpose}-{name}"));
    run_all(&folder, name, &commands(&chapter(name)));
    folder
}

/// An empty folder with the files of a checkout.
#[cfg(unix)]
pub(crate) fn checkout(name: &str) -> PathBuf {
    let folder = fresh_folder(name);
    for part in ["configs", "traces"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        std::os::unix::fs::symlink(root.join(part), folder.join(part)).unwrap();
    }
    folder
}

#[test]
fn every_command_of_the_book_runs_in_an_empty_folder() {
    let chapters = chapters();
    let count: usize = chapters.iter().map(|name| commands(&chapter(name)).len()).sum();
    assert!(count > 30, "{count} commands");
    chapters.iter().for_each(|name| drop(run("book", name)));
}

/// Commands of the book that take minutes: they are read, but not run.
const LONG: [&str; 5] = [
    "reproduce ilp-tlp bank-conflicts",
    "reproduce --all",
    "reproduce --all --svg pictures",
    "reproduce --all --html course.html",
    "reproduce ilp-tlp --full",
];

#[cfg(unix)]
#[test]
fn every_command_for_a_checkout_runs_in_one() {
    let mut left_out = Vec::new();
    // Those of the page of the machine draw its figures, and run with them.
    for name in chapters().iter().filter(|name| *name != "machine.md") {
        let (long, short): (Vec<Command>, Vec<Command>) = commands_of_a_checkout(&chapter(name))
            .into_iter()
            .partition(|(words, _)| LONG.contains(&words.join(" ").as_str()));
        left_out.extend(long.into_iter().map(|(words, _)| words.join(" ")));
        if !short.is_empty() {
            run_all(&checkout(&format!("checkout-{name}")), name, &short);
        }
    }
    assert_eq!(left_out, LONG);
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let mut pages: Vec<String> = fs::read_dir(book())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md") && name != "SUMMARY.md")
        .collect();
    let mut listed = chapters();
    pages.sort();
    listed.sort();
    assert_eq!(pages, listed);
}

#[cfg(unix)]
#[test]
fn the_figures_of_the_book_are_drawn_by_its_commands() {
    let machine = checkout("figures-machine.md");
    run_all(&machine, "machine.md", &commands_of_a_checkout(&chapter("machine.md")));
    let drawn = [
        ("own_experiment.md", run("figures", "own_experiment.md").join("figures")),
        ("machine.md", machine.join("figures")),
    ];
    let kept = book().join("figures");
    let names = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut all: Vec<_> = drawn.iter().flat_map(|(_, folder)| names(folder)).collect();
    all.sort();
    if std::env::var("WARPLAB_BLESS").is_ok_and(|value| value == "1") {
        for (name, folder) in
            drawn.iter().flat_map(|(_, folder)| names(folder).map(move |name| (name, folder)))
        {
            fs::copy(folder.join(&name), kept.join(&name)).unwrap();
        }
    }
    let mut kept_names: Vec<_> = names(&kept).collect();
    kept_names.sort();
    assert_eq!(all, kept_names, "a figure that no command draws, or a command without its figure");
    for (page, folder) in &drawn {
        for name in names(folder) {
            assert_eq!(
                fs::read(folder.join(&name)).unwrap(),
                fs::read(kept.join(&name)).unwrap(),
                "{name:?}"
            );
            assert!(
                chapter(page).contains(&format!("(figures/{})", name.display())),
                "{name:?} is not shown"
            );
        }
    }
}

/// A generated page, or the part of one between two lines, is as it should be.
pub(crate) fn is_page(name: &str, text: &str) {
    if std::env::var("WARPLAB_BLESS").is_ok_and(|value| value == "1") {
        fs::write(book().join(name), text).unwrap();
    }
    assert!(chapter(name) == text, "{name}: WARPLAB_BLESS=1 writes it anew");
}

#[test]
fn the_names_of_formulas_are_those_of_the_registry() {
    let text = chapter("schedulers.md");
    let row = |input: RankInput| format!("| `{}` | {} |\n", input.name(), input.description());
    let rows: String = RankInput::ALL.into_iter().map(row).collect();
    assert!(text.contains(&rows), "the rows should be:\n{rows}");
}

#[test]
fn the_functions_of_expectations_are_those_of_the_reader() {
    let refused = "unknown()".parse::<Formula>().unwrap_err().message;
    let known = refused.split_once("known: ").unwrap().1;
    let line = format!("Functions are {known};");
    assert!(chapter("own_lab.md").contains(&line), "the line should be: {line}");
}

#[test]
fn the_page_of_stall_reasons_is_the_registry() {
    let mut text = "# Stall reasons\n\nIn every cycle each resident warp is in one of these states. A timeline shows its \
                    letter; the metric is the mean number of cycles for each instruction that issued.\n"
        .to_owned();
    for state in WarpState::all() {
        let (name, letter, metric) = (state.name(), state.letter(), state.metric());
        write!(text, "\n## {name}\n\n`{letter}`, `{metric}`\n\n{}\n", state.description()).unwrap();
    }
    is_page("stall_reasons.md", &text);
}

#[test]
fn the_page_of_formats_is_made_from_the_schemas() {
    let mut text = "# Formats\n\nMachines, launches, experiments and labs are files in RON. `warplab config check FILE` \
                    finds all their faults; `warplab config schema KIND` prints what is listed here as a JSON schema.\n"
        .to_owned();
    for kind in ["gpu", "launch", "experiment", "lab"] {
        let schema: Value =
            serde_json::from_str(&stdout(&warplab(&format!("config schema {kind}")))).unwrap();
        write!(text, "\n## {kind}\n\n{}\n", described(&schema)).unwrap();
        text.push_str(&fields(&schema));
        for (name, part) in schema["$defs"].as_object().unwrap() {
            let rows = fields(part) + &choices(part);
            if !rows.is_empty() {
                write!(text, "\n### {name} ({kind})\n\n{}\n{rows}", described(part)).unwrap();
            }
        }
    }
    is_page("formats.md", &text);
}

fn described(part: &Value) -> String {
    part["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|")
}

/// The fields of a structure as a table.
fn fields(part: &Value) -> String {
    let Some(properties) = part["properties"].as_object() else { return String::new() };
    let required =
        |name: &str| part["required"].as_array().is_some_and(|names| names.iter().any(|other| other == name));
    let mut rows = "\n| field | what | type | needed |\n| --- | --- | --- | --- |\n".to_owned();
    for (name, field) in properties {
        let needed = if required(name) { "yes" } else { "" };
        writeln!(rows, "| `{name}` | {} | {} | {needed} |", described(field), type_of(field)).unwrap();
    }
    rows
}

/// The choices of an enumeration as a table.
fn choices(part: &Value) -> String {
    let Some(choices) = part["oneOf"].as_array() else { return String::new() };
    let mut rows = "\n| choice | what | holds |\n| --- | --- | --- |\n".to_owned();
    for choice in choices {
        let plain = choice["const"].as_str().map(|name| (name.to_owned(), String::new()));
        let several = choice["enum"].as_array().map(|names| {
            (names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("`, `"), String::new())
        });
        let holding = choice["properties"].as_object().and_then(|it| it.iter().next());
        let holding = holding.map(|(name, payload)| (name.clone(), payload_of(payload)));
        if let Some((name, holds)) = plain.or(several).or(holding) {
            writeln!(rows, "| `{name}` | {} | {holds} |", described(choice)).unwrap();
        }
    }
    rows
}

fn payload_of(payload: &Value) -> String {
    match payload["properties"].as_object() {
        Some(fields) => fields.keys().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        None => type_of(payload),
    }
}

fn type_of(field: &Value) -> String {
    let reference = field["$ref"].as_str().or_else(|| field["anyOf"][0]["$ref"].as_str());
    let listed = || field["items"].as_object().map(|_| format!("list of {}", type_of(&field["items"])));
    let named = || field["type"].as_str().or_else(|| field["type"][0].as_str()).map(str::to_owned);
    match reference.and_then(|path| path.rsplit('/').next()) {
        Some(name) => name.to_owned(),
        None => listed().or_else(named).unwrap_or_default(),
    }
}
