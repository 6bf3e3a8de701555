//! What the project says of itself: licences, dependencies, and where unsafe code may be.

use std::fs;
use std::path::{Path, PathBuf};
use warplab_tests::{project_file, read};

/// The folders of all packages.
fn packages() -> Vec<PathBuf> {
    let crates = fs::read_dir(project_file("crates")).expect("the crates");
    let mut folders: Vec<PathBuf> = crates.map(|entry| entry.expect("a folder").path()).collect();
    folders.extend(["tests", "benches"].map(project_file));
    folders.sort();
    folders
}

/// The texts of all Rust files under a folder, without those of test data.
fn sources(folder: &Path, texts: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, texts);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a text");
            texts.push((path, text));
        }
    }
}

#[test]
fn the_licences_that_the_manifest_names_are_here() {
    assert!(read("Cargo.toml").contains("license = \"MIT OR Apache-2.0\""));
    assert!(read("LICENSE-MIT").contains("Permission is hereby granted, free of charge"));
    assert!(read("LICENSE-MIT").contains("The warplab developers"));
    assert!(read("LICENSE-APACHE").contains("Version 2.0, January 2004"));
    assert!(read("LICENSE-APACHE").contains("END OF TERMS AND CONDITIONS"));
}

#[test]
fn every_dependency_is_used() {
    let mut unused = Vec::new();
    let mut named = String::new();
    for folder in packages() {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let mut texts = Vec::new();
        sources(&folder, &mut texts);
        let mut inside = false;
        for line in manifest.lines() {
            if line.starts_with('[') {
                inside = line.ends_with("dependencies]");
                continue;
            }
            let Some((name, _)) =
                line.split_once(['.', ' ', '=']).filter(|_| inside && !line.starts_with('#'))
            else {
                continue;
            };
            named.push_str(&format!(" {name} "));
            let path = name.replace('-', "_");
            let (path_use, import) = (format!("{path}::"), format!("use {path};"));
            if !texts.iter().any(|(_, text)| text.contains(&path_use) || text.contains(&import)) {
                unused.push(format!("{}: {name}", folder.display()));
            }
        }
    }
    let workspace = read("Cargo.toml");
    let workspace = workspace.split("[workspace.dependencies]").nth(1).expect("the list");
    let workspace = workspace.split("\n[").next().expect("its end");
    for (name, _) in workspace.lines().filter_map(|line| line.split_once(" = ")) {
        if !named.contains(&format!(" {name} ")) {
            unused.push(format!("the workspace: {name}"));
        }
    }
    assert_eq!(unused, Vec::<String>::new());
}

#[test]
fn unsafe_code_is_forbidden_but_in_one_place() {
    assert!(read("Cargo.toml").contains("unsafe_code = \"forbid\""));
    for folder in packages() {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let own = folder.ends_with("crates/exec");
        assert_eq!(own, manifest.contains("unsafe_code = \"deny\""), "{}", folder.display());
        assert_ne!(own, manifest.contains("[lints]\nworkspace = true"), "{}", folder.display());
        let mut texts = Vec::new();
        sources(&folder, &mut texts);
        let uses = texts.iter().filter(|(_, text)| text.contains(concat!("expect(unsafe", "_code")));
        let uses: Vec<bool> = uses.map(|(path, _)| path.ends_with("crates/exec/src/step.rs")).collect();
        assert_eq!(uses, vec![true; usize::from(own)], "{}", folder.display());
    }
}
