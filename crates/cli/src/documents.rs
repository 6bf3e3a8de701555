//! The commands that the documents show are commands.

#[path = "../tests/program/documents/markdown.rs"]
mod markdown;

use crate::arguments::Arguments;
use clap::Parser;
use markdown::{commands, words};
use std::fs;
use std::path::Path;

/// The documents that tell a person what to type.
const DOCUMENTS: [&str; 16] = [
    "README.md",
    "ARCHITECTURE.md",
    "DEVIATIONS.md",
    "INSTRUCTIONS.md",
    "configs/labs/1-latency/text.md",
    "configs/labs/2-schedulers/text.md",
    "configs/labs/3-dependences/text.md",
    "configs/labs/4-littles-law/text.md",
    "configs/labs/5-divergence/text.md",
    "configs/labs/6-coalescing/text.md",
    "configs/labs/7-banks/text.md",
    "configs/labs/8-occupancy/text.md",
    "configs/labs/9-atomics/text.md",
    "configs/labs/10-dram/text.md",
    "configs/labs/11-matmul/text.md",
    "configs/labs/12-scheduler/text.md",
];

#[test]
fn every_command_of_the_documents_is_one_and_its_files_are_there() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut wrong = Vec::new();
    let mut count = 0;
    for document in DOCUMENTS {
        for shown in commands(&fs::read_to_string(root.join(document)).unwrap()) {
            count += 1;
            let line = format!("{document}: warplab {}", shown.words.join(" "));
            if let Err(error) = Arguments::try_parse_from(
                ["warplab"].into_iter().chain(shown.words.iter().map(String::as_str)),
            ) {
                wrong.push(format!("{line}\n{error}"));
            }
            let files =
                shown.words.iter().filter(|word| word.starts_with("configs/") || word.starts_with("traces/"));
            wrong.extend(
                files.filter(|file| !root.join(file).exists()).map(|file| format!("{line}\nno {file}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 40, "only {count} commands were found");
}

/// The lines of a page that a person types: those of blocks, fenced or indented, without a prompt. What is said to be
/// misused is left out.
fn typed(page: &str) -> Vec<String> {
    let mut fenced = false;
    let mut typed = Vec::new();
    for line in page.lines() {
        fenced ^= line.starts_with("```");
        if (fenced || line.starts_with("    ")) && !line.contains("# misused") {
            typed.push(line.trim().trim_start_matches("$ ").to_owned());
        }
    }
    typed
}

#[test]
fn every_command_of_the_book_is_one() {
    let pages = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/src");
    let mut count = 0;
    for page in fs::read_dir(pages).unwrap().map(|entry| entry.unwrap().path()) {
        if page.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        for words in typed(&fs::read_to_string(&page).unwrap()).iter().filter_map(|line| words(line)) {
            count += 1;
            let parsed =
                Arguments::try_parse_from(["warplab"].into_iter().chain(words.iter().map(String::as_str)));
            assert!(parsed.is_ok(), "{}: {words:?}\n{}", page.display(), parsed.unwrap_err());
        }
    }
    assert!(count > 60, "only {count} commands were found");
}
