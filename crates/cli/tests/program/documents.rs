//! What the README shows is what the program prints and draws. `WARPLAB_BLESS=1 cargo test -p warplab-cli documents`
//! writes figures and pictures anew.

pub(crate) mod markdown;

use crate::common::{fresh_folder, stdout, warplab_in};
use markdown::{Shown, commands};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).unwrap()
}

fn blesses() -> bool {
    std::env::var("WARPLAB_BLESS").is_ok_and(|value| value == "1")
}

/// A line without what may change from one version to the next.
fn without_numbers(line: &str) -> String {
    line.chars().filter(|character| !character.is_ascii_digit() && !" ,.".contains(*character)).collect()
}

/// The lines of some text that an excerpt shows. After a line of dots it goes on with the next line that is the same
/// but for numbers; where there are no dots, with the next line, whatever it is.
fn excerpt(shown: &str, text: &str) -> String {
    let is_dots = |line: &str| line.trim() == "...";
    let mut rest = text.lines();
    let mut found = String::new();
    let mut jumps = false;
    for line in shown.lines() {
        let next = match (is_dots(line), jumps) {
            (true, _) => Some(line),
            (false, true) => rest.find(|other| without_numbers(other) == without_numbers(line)),
            (false, false) => rest.next(),
        };
        jumps = is_dots(line);
        found.push_str(&format!("{}\n", next.unwrap_or("(this line is not printed)")));
    }
    if !jumps {
        rest.for_each(|line| found.push_str(&format!("{line}\n")));
    }
    found
}

#[test]
fn the_output_that_the_readme_shows_is_printed() {
    let mut text = readme();
    let shown: Vec<Shown> = commands(&text).into_iter().filter(|shown| shown.output.is_some()).collect();
    assert!(!shown.is_empty());
    for Shown { words, output } in shown {
        let output = output.unwrap();
        let line = words.join(" ");
        let found = excerpt(&output, &stdout(&warplab_in(&root(), &line)));
        if blesses() {
            text = text.replacen(&output, &found, 1);
        } else {
            assert_eq!(output, found, "{line}: WARPLAB_BLESS=1 writes it anew");
        }
    }
    if blesses() {
        fs::write(root().join("README.md"), text).unwrap();
    }
}

/// Where pictures of the documents lie.
const PICTURES: &str = "docs/pictures";

#[test]
fn the_pictures_of_the_readme_are_drawn_by_the_commands_beside_them() {
    let folder = fresh_folder("pictures");
    for Shown { words, .. } in commands(&readme()) {
        if !words.iter().any(|word| word.starts_with(PICTURES)) {
            continue;
        }
        // In the folder itself, so that nothing is left in the project.
        let line = words.join(" ").replace(PICTURES, ".");
        let line = line.replace("configs/", &format!("{}/configs/", root().display()));
        warplab_in(&folder, &line).success();
    }
    let names = |folder: &Path| {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.filter(|name| name.to_string_lossy().ends_with(".svg")).collect();
        names.sort();
        names
    };
    let kept = root().join(PICTURES);
    if blesses() {
        for name in names(&kept) {
            fs::remove_file(kept.join(name)).unwrap();
        }
        for name in names(&folder) {
            fs::copy(folder.join(&name), kept.join(&name)).unwrap();
        }
    }
    assert_eq!(
        names(&folder),
        names(&kept),
        "a picture that no command draws, or a command without its picture"
    );
    for name in names(&folder) {
        let (drawn, kept) =
            (fs::read_to_string(folder.join(&name)).unwrap(), fs::read_to_string(kept.join(&name)).unwrap());
        assert!(drawn == kept, "{}: WARPLAB_BLESS=1 draws it anew", name.display());
        assert!(
            readme().contains(&format!("({PICTURES}/{})", name.display())),
            "{} is not shown",
            name.display()
        );
    }
}

#[test]
fn the_readme_counts_the_launches_of_the_hardware_suites() {
    let cases = |suite: &str| {
        let path = root().join(format!("traces/h200/{suite}.cases.jsonl"));
        fs::read_to_string(path).unwrap().lines().count()
    };
    let all: usize = [
        "suite",
        "micro",
        "paths",
        "atomics",
        "ordinary",
        "applications",
        "everyday",
        "assorted",
        "sundry",
        "medley",
        "matrices",
        "miscellany",
        "primitives",
        "idioms",
        "compilers",
        "clusters",
    ]
    .map(cases)
    .iter()
    .sum();
    assert!(readme().contains(&format!("Sixteen suites, {all} launches in all,")), "there are {all}");
}
