//! Buffers of a launch in device memory.

use crate::fault::Fault;
use std::path::Path;
use warplab_config::launch::{Argument, Init as Rule};
use warplab_exec::{Init, MemoryImage};

/// How files are read that a launch names: relative to it.
pub type ReadFile<'a> = &'a (dyn Fn(&Path) -> Result<Vec<u8>, Fault> + Sync);

/// A reader for work that names no files.
///
/// # Errors
/// Always: it says that files cannot be read here.
pub fn no_files(path: &Path) -> Result<Vec<u8>, Fault> {
    Err(Fault::input(format!("{} cannot be read here", path.display())))
}

/// Gives every buffer of the arguments a place in device memory.
pub(crate) fn allocate(
    arguments: &[Argument],
    capacity: u64,
    read: ReadFile<'_>,
    image: &mut MemoryImage,
) -> Result<(), Fault> {
    for argument in arguments {
        let Argument::Buffer { name, size, init } = argument else { continue };
        if image.buffer(name).is_some() {
            return Err(Fault::input(format!("two buffers are named '{name}'; give each its own name")));
        }
        if size.0 == 0 || !size.0.is_multiple_of(4) {
            let bytes = size.0;
            return Err(Fault::input(format!("buffer '{name}' has {bytes} bytes; give a multiple of four")));
        }
        if size.0 > capacity {
            let message = format!("buffer '{name}' has {} bytes; the machine has {capacity}", size.0);
            return Err(Fault::input(message));
        }
        image.allocate(name.as_str(), size.0, rule(init, read)?);
    }
    Ok(())
}

fn rule(init: &Rule, read: ReadFile<'_>) -> Result<Init, Fault> {
    Ok(match *init {
        Rule::Zero => Init::Zero,
        Rule::IndexU32 => Init::IndexU32,
        Rule::HashF32(seed) => Init::HashF32 { seed },
        Rule::HashI32(seed) => Init::HashI32 { seed },
        Rule::Chain(stride) => Init::Chain { stride },
        Rule::Uniform { low, high, seed } => Init::Uniform { low, high, seed },
        Rule::Normal { mean, deviation, seed } => Init::Normal { mean, deviation, seed },
        Rule::File(ref path) => Init::Bytes(read(Path::new(path))?.into()),
    })
}
