//! Where the user's own CUDA tools are.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A tool in PATH, CUDA_HOME or the packages of python3.
pub(crate) fn find(tool: &str) -> Option<PathBuf> {
    let first = |folders: Vec<PathBuf>| first_program(tool, folders);
    let on_path = env::var_os("PATH").map(|paths| env::split_paths(&paths).collect()).unwrap_or_default();
    first(on_path)
        .or_else(|| {
            let homes = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os);
            first(homes.map(|home| Path::new(&home).join("bin")).collect())
        })
        .or_else(|| {
            // Where the PyPI wheels put it.
            let wheels = ["nvidia/cu13/bin".to_owned(), format!("nvidia/cuda_{tool}/bin")];
            let packages = python_packages();
            let folders =
                packages.iter().flat_map(|packages| wheels.iter().map(|wheel| packages.join(wheel)));
            first(folders.collect())
        })
}

fn first_program(tool: &str, folders: Vec<PathBuf>) -> Option<PathBuf> {
    let name = format!("{tool}{}", env::consts::EXE_SUFFIX);
    folders.into_iter().map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// The folders of packages of the python3 in PATH.
fn python_packages() -> Vec<PathBuf> {
    let script =
        "import site, sysconfig; print(sysconfig.get_paths()['purelib']); print(site.getusersitepackages())";
    let Ok(output) = Command::new("python3").args(["-c", script]).output() else { return Vec::new() };
    String::from_utf8_lossy(&output.stdout).lines().map(PathBuf::from).collect()
}
