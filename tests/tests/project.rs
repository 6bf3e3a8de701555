//! What the project says of itself: licences, dependencies, and where unsafe code may be.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use warplab_tests::{long_tests, project_file, read};

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

/// Every package of `Cargo.lock`: name, version, and where it comes from (nothing for our own).
fn locked() -> Vec<(String, String, Option<String>)> {
    let text = read("Cargo.lock");
    let field = |package: &str, name: &str| {
        let start = format!("{name} = \"");
        let line = package.lines().find_map(|line| line.strip_prefix(start.as_str()));
        line.map(|value| value.trim_end_matches('"').to_owned())
    };
    let packages = text.split("[[package]]").skip(1);
    packages
        .map(|package| {
            let required = |name| field(package, name).expect("every package has it");
            (required("name"), required("version"), field(package, "source"))
        })
        .collect()
}

#[test]
fn every_dependency_comes_from_crates_io() {
    let foreign = locked().into_iter().filter(|(_, _, source)| {
        source.as_ref().is_some_and(|it| it != "registry+https://github.com/rust-lang/crates.io-index")
    });
    assert_eq!(foreign.collect::<Vec<_>>(), []);
}

#[test]
fn no_dependency_is_there_in_two_versions() {
    // postcard names two versions of embedded-io as options, and none is built; some derive macros still use syn 2. Strike
    // what is gone.
    let allowed = ["embedded-io", "syn"];
    let mut seen = BTreeSet::new();
    let twice = locked().into_iter().map(|(name, ..)| name).filter(|name| !seen.insert(name.clone()));
    assert_eq!(twice.collect::<Vec<String>>(), allowed);
}

#[test]
fn nothing_depends_on_a_runtime_a_network_or_a_c_library_to_build() {
    let banned = ["tokio", "async-std", "reqwest", "openssl-sys", "cc", "cmake", "bindgen"];
    let found = locked().into_iter().filter(|(name, ..)| banned.contains(&name.as_str()));
    assert_eq!(found.collect::<Vec<_>>(), []);
}

/// What a program prints in the project's folder.
fn output(program: &str, arguments: &[&str]) -> String {
    let run = Command::new(program).args(arguments).current_dir(project_file(".")).output();
    String::from_utf8(run.unwrap_or_else(|error| panic!("{program}: {error}")).stdout).expect("text")
}

/// What a command builds: every package with its features.
fn built(arguments: &[&str]) -> BTreeSet<String> {
    let tree = ["tree", "--locked", "--offline", "--prefix", "none", "--format", "{p} {f}"];
    let text = output("cargo", &[&tree[..], arguments].concat());
    let lines: BTreeSet<String> = text.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect();
    assert!(lines.len() > 80, "{} packages", lines.len());
    lines
}

#[test]
fn what_the_program_is_built_of_serves_the_tests_too() {
    // One package with other features in one of them, and all that use it are compiled twice. (CI builds the bench with
    // the features of the whole workspace.)
    let tests = built(&["--workspace", "--edges", "normal,build,dev"]);
    let own = built(&["--package", "warplab-cli", "--edges", "normal,build"]);
    assert_eq!(own.difference(&tests).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn the_program_for_a_first_look_has_no_faults() {
    // Nearly everything is compiled once more: other features of ratatui's dependencies are other packages.
    if !long_tests() {
        return;
    }
    let check = ["clippy", "--package", "warplab-cli", "--no-default-features", "--target-dir"];
    let folder = concat!(env!("CARGO_TARGET_TMPDIR"), "/first-look");
    let status = Command::new("cargo")
        .args(check)
        .args([folder, "--", "-D", "warnings"])
        .current_dir(project_file("."))
        .status();
    assert!(status.is_ok_and(|status| status.success()));
}

/// Licences that ask nothing of this program's own code.
const LICENCES: [&str; 5] = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0", "Zlib"];

/// Whether a licence expression can be met: of every part joined by AND, one alternative.
fn is_allowed(expression: &str) -> bool {
    let allowed = |name: &str| LICENCES.contains(&name.trim_matches([' ', '(', ')']));
    let alternatives = |part: &str| part.replace('/', " OR ").split(" OR ").any(allowed);
    expression.split(" AND ").all(alternatives)
}

#[test]
fn every_licence_of_a_dependency_is_allowed() {
    assert!(is_allowed("(MIT OR GPL-3.0) AND Zlib") && is_allowed("Unlicense/MIT"));
    assert!(!is_allowed("MIT AND GPL-3.0") && !is_allowed("GPL-3.0 OR LGPL-3.0") && !is_allowed(""));
    let version = output("rustc", &["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("the host");
    // What is built here has been fetched.
    let arguments = ["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host];
    let metadata: serde_json::Value =
        serde_json::from_str(&output("cargo", &arguments)).expect("the packages as JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    let refused = packages.iter().filter(|package| !package["license"].as_str().is_some_and(is_allowed));
    let refused: Vec<String> =
        refused.map(|package| format!("{}: {}", package["name"], package["license"])).collect();
    assert_eq!(refused, Vec::<String>::new());
    assert!(packages.len() > 100, "{} packages", packages.len());
}

#[test]
fn unsafe_code_is_forbidden_but_in_three_places() {
    assert!(read("Cargo.toml").contains("unsafe_code = \"forbid\""));
    let allowed: [(&str, &[&str]); 2] = [
        ("crates/exec", &["crates/exec/src/wide.rs"]),
        ("crates/units", &["crates/units/src/equal_bytes.rs", "crates/units/src/fetch.rs"]),
    ];
    for folder in packages() {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let own = allowed.iter().find(|(own, _)| folder.ends_with(own)).map(|&(_, files)| files);
        assert_eq!(own.is_some(), manifest.contains("unsafe_code = \"deny\""), "{}", folder.display());
        assert_ne!(own.is_some(), manifest.contains("[lints]\nworkspace = true"), "{}", folder.display());
        let mut texts = Vec::new();
        sources(&folder, &mut texts);
        let uses = texts.iter().filter(|(_, text)| text.contains(concat!("expect(unsafe", "_code")));
        let is_allowed = |path: &Path| own.unwrap_or_default().iter().any(|own| path.ends_with(own));
        let uses: Vec<bool> = uses.map(|(path, _)| is_allowed(path)).collect();
        assert_eq!(uses, vec![true; own.map_or(0, <[_]>::len)], "{}", folder.display());
    }
}
