//! Puts a copy of every machine of `configs/gpus` into the program, so that it stands alone.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../configs/gpus");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "ron"))
        .collect();
    files.sort();
    let mut code = String::from("&[\n");
    for file in &files {
        let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        code.push_str(&format!("    ({name:?}, include_str!({:?})),\n", file.canonicalize()?));
    }
    code.push_str("]\n");
    let target = Path::new(&env::var("OUT_DIR").unwrap_or_default()).join("machines.rs");
    fs::write(target, code)?;
    io::Write::write_fmt(&mut io::stdout(), format_args!("cargo:rerun-if-changed={}\n", folder.display()))
}
