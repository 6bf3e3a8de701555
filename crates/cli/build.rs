//! Puts a copy of every machine, lab, launch and kernel of `configs` into the program, so that it stands alone, and a
//! hash of the sources, so that it knows its own results.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let configs = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../configs");
    let stem = |path: &Path| path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
    let machines = files(&configs.join("gpus"), &["ron"])?;
    write("machines.rs", machines.iter().map(|path| (stem(path), path)))?;
    // The reference solutions stay in the checkout.
    let mut labs = files(&configs.join("labs"), &["ron", "md", "ptx"])?;
    labs.retain(|path| path.components().all(|part| part.as_os_str() != "solution"));
    labs.extend(files(&configs.join("kernels"), &["ptx"])?);
    labs.extend(files(&configs.join("launches"), &["ron"])?);
    let inside = |path: &Path| {
        let path = path.strip_prefix(&configs).unwrap_or(path);
        path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
    };
    write("labs.rs", labs.iter().map(|path| (inside(path), path)))?;
    io::Write::write_fmt(
        &mut io::stdout(),
        format_args!("cargo:rustc-env=WARPLAB_SOURCES={:016x}\n", sources(&configs.join(".."))?),
    )
}

/// A hash of everything that the program is built from: results of other sources are not used again.
fn sources(root: &Path) -> io::Result<u64> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(root.join("crates"))? {
        let folder = entry?.path();
        // Not `tests`: what is there changes no result.
        if folder.join("src").is_dir() {
            paths.extend(files(&folder.join("src"), &["rs"])?);
            paths.push(folder.join("Cargo.toml"));
        }
    }
    paths.extend(["Cargo.toml", "Cargo.lock"].map(|name| root.join(name)));
    paths.sort();
    let mut hasher = DefaultHasher::new();
    for path in paths.iter().filter(|path| path.is_file()) {
        io::Write::write_fmt(&mut io::stdout(), format_args!("cargo:rerun-if-changed={}\n", path.display()))?;
        (path.strip_prefix(root).unwrap_or(path), fs::read(path)?).hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// The files under a folder whose names end like one of these, sorted.
fn files(folder: &Path, extensions: &[&str]) -> io::Result<Vec<PathBuf>> {
    io::Write::write_fmt(&mut io::stdout(), format_args!("cargo:rerun-if-changed={}\n", folder.display()))?;
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path, extensions)?);
        } else if path.extension().is_some_and(|extension| extensions.iter().any(|&known| extension == known))
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Writes a table of names and texts.
fn write<'a>(name: &str, files: impl Iterator<Item = (String, &'a PathBuf)>) -> io::Result<()> {
    let mut code = String::from("&[\n");
    for (name, file) in files {
        code.push_str(&format!("    ({name:?}, include_str!({:?})),\n", file.canonicalize()?));
    }
    code.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR").unwrap_or_default()).join(name), code)
}
