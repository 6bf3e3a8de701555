//! Links of the book and of the project's pages lead somewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of a page outside of code.
fn prose(page: &Path) -> String {
    let text = fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
    let blocks = text.split("```").step_by(2).collect::<String>();
    blocks.split('`').step_by(2).collect()
}

/// Where the links and pictures of a page lead.
fn links(page: &Path) -> Vec<String> {
    let text = prose(page);
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.split_whitespace().next().unwrap_or_default().to_owned()).collect()
}

/// The name that a heading has in a link.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = kept.chars().filter(|it| it.is_alphanumeric() || " -_".contains(*it));
    kept.map(|it| if it == ' ' { '-' } else { it }).collect()
}

fn has_anchor(page: &Path, wanted: &str) -> bool {
    let text = fs::read_to_string(page).unwrap();
    text.lines().any(|line| line.starts_with('#') && anchor(&line.replace('`', "")) == wanted)
}

/// What is wrong with the links of a page.
fn broken(page: &Path) -> Vec<String> {
    let folder = page.parent().unwrap();
    let is_broken = |target: &String| {
        if target.contains("://") {
            return false;
        }
        let (path, section) = target.split_once('#').unwrap_or((target, ""));
        let found = if path.is_empty() { page.to_owned() } else { folder.join(path) };
        !found.exists() || (!section.is_empty() && !has_anchor(&found, section))
    };
    let all = links(page).into_iter().filter(is_broken);
    all.map(|target| format!("{}: {target}", page.display())).collect()
}

fn chapters() -> Vec<PathBuf> {
    let book = project().join("docs/book/src");
    let pages = fs::read_dir(book).unwrap().map(|entry| entry.unwrap().path());
    pages.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

#[test]
fn every_link_between_chapters_and_to_files_leads_somewhere() {
    let book = project().join("docs/book/src");
    let mut pages = chapters();
    pages.extend(
        ["README.md", "ARCHITECTURE.md", "DEVIATIONS.md", "python/README.md", "benches/README.md"]
            .map(|page| project().join(page)),
    );
    let found: Vec<String> = pages.iter().flat_map(|page| broken(page)).collect();
    assert_eq!(found, Vec::<String>::new());
    // mdBook copies only what lies in its folder.
    let outside = |page: &PathBuf| {
        links(page).into_iter().filter(|target| target.starts_with("..")).collect::<Vec<_>>()
    };
    assert_eq!(
        chapters().iter().flat_map(outside).collect::<Vec<_>>(),
        Vec::<String>::new(),
        "{}",
        book.display()
    );
}

#[test]
fn every_chapter_is_in_the_summary_and_every_figure_in_a_chapter() {
    let book = project().join("docs/book/src");
    let in_summary: BTreeSet<String> = links(&book.join("SUMMARY.md")).into_iter().collect();
    let linked: BTreeSet<String> = chapters().iter().flat_map(|page| links(page)).collect();
    let names = |folder: &Path| -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.into_string().unwrap()).collect()
    };
    for name in names(&book).iter().filter(|name| name.ends_with(".md") && *name != "SUMMARY.md") {
        assert!(in_summary.contains(name), "{name} is in no list of chapters");
    }
    for name in names(&book.join("figures")) {
        assert!(linked.contains(&format!("figures/{name}")), "no chapter shows figures/{name}");
    }
}

#[test]
fn a_broken_link_is_found() {
    let folder = crate::common::fresh_folder("links");
    let page = folder.join("page.md");
    fs::write(
        &page,
        "# The one\n[a](#the-one) [b](page.md#the-one) [c](#other) ![d](missing.svg) `[e](no.md)`\n",
    )
    .unwrap();
    let found = broken(&page);
    assert!(
        found.len() == 2 && found[0].ends_with("#other") && found[1].ends_with("missing.svg"),
        "{found:?}"
    );
}
