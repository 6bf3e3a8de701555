//! Small PTX kernels whose code after a pass stands in the same file.
//!
//! A file is PTX with a header `// pass: NAME` and, at the end, the expected text behind `// expect:`, every line as a
//! comment. `WARPLAB_BLESS=1` rewrites the expected text.

use crate::common::{lowered, options};
use std::path::PathBuf;
use warplab_lower::{LowerOptions, Pass, PassSet};
use warplab_program::listing::write_kernel;

const EXPECT: &str = "// expect:\n";

fn after_pass(name: &str, input: &str) -> String {
    let pass = input
        .lines()
        .find_map(|line| line.strip_prefix("// pass: "))
        .and_then(|name| Pass::from_name(name.trim()))
        .unwrap_or_else(|| panic!("{name}: no known pass after '// pass:'"));
    let options = LowerOptions { dump: PassSet::none().with(pass), ..options() };
    let lowered = lowered(name, input.to_owned(), &options);
    if pass == Pass::Control {
        return lowered.program.kernels.iter().map(|kernel| write_kernel(kernel, &[])).collect();
    }
    let last = lowered.log.iter().rev().find(|entry| entry.pass == pass);
    last.and_then(|entry| entry.text.clone()).unwrap_or_default()
}

#[test]
fn every_file_gives_the_expected_code() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let bless = std::env::var_os("WARPLAB_BLESS").is_some();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder")
        .filter_map(|entry| entry.ok().map(|it| it.path()))
        .collect();
    paths.sort();
    let mut differ = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|it| it == "ptx")) {
        let name = path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        let text = std::fs::read_to_string(path).expect("the file");
        let (input, expected) = text.split_once(EXPECT).unwrap_or((text.as_str(), ""));
        let got: String = after_pass(&name, input).lines().map(|line| format!("// {line}\n")).collect();
        if got == expected {
            continue;
        }
        if bless {
            std::fs::write(path, format!("{input}{EXPECT}{got}")).expect("the file can be written");
        } else {
            differ.push(format!("{name}: expected\n{expected}got\n{got}"));
        }
    }
    assert!(differ.is_empty(), "{}\nWARPLAB_BLESS=1 accepts this", differ.join("\n"));
}
