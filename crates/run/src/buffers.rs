//! Buffers of a launch in device memory.

use crate::fault::Fault;
use crate::npy;
use crate::parameters::structure;
use std::path::Path;
use warplab_config::launch::{Argument, BufferSpec, ElementType, Extent, Init as Rule};
use warplab_exec::{ElementRule, Init, MemoryImage};
use warplab_program::Program;

/// What the elements of a buffer are where nobody has said.
pub const DEFAULT_ELEMENT: ElementType = ElementType::F32;

/// How files are read that a launch names: relative to it.
pub type ReadFile<'a> = &'a (dyn Fn(&Path) -> Result<Vec<u8>, Fault> + Sync);

/// A reader for work that names no files.
///
/// # Errors
/// Always: it says that files cannot be read here.
pub fn no_files(path: &Path) -> Result<Vec<u8>, Fault> {
    Err(Fault::input(format!("{} cannot be read here", path.display())))
}

/// Every buffer of a launch: those of the arguments in order, then the others.
pub(crate) fn all<'a>(
    arguments: &'a [Argument],
    others: &'a [BufferSpec],
) -> impl Iterator<Item = (&'a str, Extent, &'a Rule)> {
    let others = others.iter().map(|buffer| (buffer.name.as_str(), buffer.size, &buffer.init));
    arguments.iter().flat_map(Argument::buffers).chain(others)
}

/// Gives every buffer of a launch a place in device memory; `capacity` is the machine's memory in bytes, which must
/// hold the program's variables, too.
pub(crate) fn allocate(
    arguments: &[Argument],
    others: &[BufferSpec],
    program: &Program,
    capacity: u64,
    read: ReadFile<'_>,
    image: &mut MemoryImage,
) -> Result<(), Fault> {
    check_sizes(all(arguments, others), program, capacity)?;
    // Those that no argument declares have been there before.
    let before: Vec<_> = others.iter().map(|buffer| image.place(buffer.size.bytes)).collect();
    let own = arguments.iter().flat_map(Argument::buffers).map(|(_, size, _)| image.place(size.bytes));
    let places: Vec<_> = own.chain(before).collect();
    // Values may be addresses of the others.
    let is_table = |init: &Rule| matches!(init, Rule::Values(_));
    for tables in [false, true] {
        let buffers = all(arguments, others).zip(&places);
        for ((name, size, init), &place) in buffers.filter(|((.., init), _)| is_table(init) == tables) {
            if image.buffer(name).is_some() {
                return Err(Fault::input(format!("two buffers are named '{name}'; give each its own name")));
            }
            let rule = match init {
                Rule::Values(values) => table(name, size, values, image, read)?,
                init => rule(name, size, init, read)?,
            };
            image.allocate_at(place, name, size.bytes, rule);
            image.set_element(name, size.element);
        }
    }
    Ok(())
}

/// What a buffer of values holds, addresses of other buffers among them.
fn table(
    name: &str,
    size: Extent,
    values: &[Argument],
    image: &MemoryImage,
    read: ReadFile<'_>,
) -> Result<Init, Fault> {
    if let Some((inner, ..)) = values.iter().flat_map(Argument::buffers).next() {
        return Err(Fault::input(format!(
            "buffer '{name}' declares the buffer '{inner}' among its values; declare it beside it, and point to it"
        )));
    }
    let place = format!("buffer '{name}'");
    let bytes = structure(values, image, read).map_err(|wrong| wrong.within(&place))?;
    if bytes.len() as u64 > size.bytes {
        let (found, bytes) = (bytes.len(), size.bytes);
        return Err(Fault::input(format!(
            "the values of buffer '{name}' have {found} bytes, the buffer only {bytes}"
        )));
    }
    Ok(Init::Bytes(bytes.into()))
}

fn check_sizes<'a>(
    buffers: impl Iterator<Item = (&'a str, Extent, &'a Rule)>,
    program: &Program,
    capacity: u64,
) -> Result<(), Fault> {
    let mut total = program.globals.iter().fold(0_u64, |sum, global| sum.saturating_add(global.bytes));
    for (name, size, _) in buffers {
        check_size(name, size, capacity)?;
        total = total.saturating_add(size.bytes);
        if total > capacity {
            return Err(Fault::input(format!(
                "with '{name}' the buffers have {total} bytes in all; the machine has {capacity}"
            )));
        }
    }
    if total > capacity {
        return Err(Fault::input(format!(
            "the program's variables have {total} bytes in all; the machine has {capacity}"
        )));
    }
    Ok(())
}

fn check_size(name: &str, size: Extent, capacity: u64) -> Result<(), Fault> {
    let bytes = size.bytes;
    let unit = size.element.map_or(4, |element| u64::from(element.bytes()));
    if bytes == 0 || !bytes.is_multiple_of(unit) {
        let unit =
            size.element.map_or("four".to_owned(), |element| format!("{unit}, the size of an {element}"));
        return Err(Fault::input(format!("buffer '{name}' has {bytes} bytes; give a multiple of {unit}")));
    }
    if bytes > capacity {
        return Err(Fault::input(format!("buffer '{name}' has {bytes} bytes; the machine has {capacity}")));
    }
    Ok(())
}

/// The rule as device memory knows it: by words where the elements are words or have no type.
fn rule(name: &str, size: Extent, init: &Rule, read: ReadFile<'_>) -> Result<Init, Fault> {
    use ElementType::{F16, F32, I32, I64, U32, U64};
    let element = size.element;
    let refused = |rule: &str, why: &str| {
        let element = element.map_or("", ElementType::name);
        Err(Fault::input(format!("buffer '{name}' has elements of {element}, but {rule} {why}")))
    };
    let by_element = |rule| match element {
        Some(element) => Init::Elements { element, rule },
        None => Init::Zero,
    };
    Ok(match (init, element) {
        (Rule::Zero, _) => Init::Zero,
        (Rule::IndexU32, None | Some(U32 | I32 | F32)) | (Rule::Index, None | Some(U32 | I32)) => {
            Init::IndexU32
        }
        (Rule::IndexU32, Some(_)) => return refused("index_u32", "fills words of 32 bits; use index"),
        (Rule::Index, Some(_)) => by_element(ElementRule::Index),
        (&Rule::HashF32(seed), None | Some(F32)) => Init::HashF32 { seed },
        (&Rule::HashF32(seed), Some(float)) if float.is_float() => by_element(ElementRule::HashF32 { seed }),
        (Rule::HashF32(_), _) => return refused("hash_f32", "gives floats; use hash_i32 or uniform"),
        (&Rule::HashI32(seed), None | Some(U32 | I32 | F32)) => Init::HashI32 { seed },
        (Rule::HashI32(_), Some(F16)) => return refused("hash_i32", "gives numbers that no f16 holds"),
        (&Rule::HashI32(seed), Some(_)) => by_element(ElementRule::HashI32 { seed }),
        (&Rule::Chain(stride), None | Some(U32 | I32 | F32)) => Init::Chain { stride },
        (&Rule::Chain(stride), Some(U64 | I64)) => by_element(ElementRule::Chain { stride }),
        (Rule::Chain(_), _) => return refused("chain", "needs integers of 32 or 64 bits"),
        (&Rule::Uniform { low, high, seed }, None | Some(F32)) => Init::Uniform { low, high, seed },
        (&Rule::Uniform { low, high, seed }, Some(element)) => {
            let outside = |(least, most): (i128, i128)| {
                f64::from(low) < least as f64 || f64::from(high) > most as f64 + 1.0
            };
            if element.range().is_some_and(outside) {
                return refused("uniform", &format!("gives numbers from {low} to {high}"));
            }
            by_element(ElementRule::Uniform { low, high, seed })
        }
        (&Rule::Normal { mean, deviation, seed }, None | Some(F32)) => Init::Normal { mean, deviation, seed },
        (&Rule::Normal { mean, deviation, seed }, Some(_)) => {
            by_element(ElementRule::Normal { mean, deviation, seed })
        }
        (&Rule::HashBits { seed, keep, set }, _) => Init::HashBits { seed, keep, set },
        // What they give is known only when all other buffers have a place.
        (Rule::Values(_), _) => Init::Zero,
        (Rule::File(path), _) => {
            let bytes = read(Path::new(path))?;
            let elements = file_elements(path, &bytes, element)?;
            if elements.len() as u64 > size.bytes {
                let (found, bytes) = (elements.len(), size.bytes);
                return Err(Fault::input(format!("{path} has {found} bytes, buffer '{name}' only {bytes}")));
            }
            Init::Bytes(elements.into())
        }
    })
}

/// The elements of a file: behind the head of an .npy file, whose type must be `element`, or all of another.
pub(crate) fn file_elements<'a>(
    path: &str,
    bytes: &'a [u8],
    element: Option<ElementType>,
) -> Result<&'a [u8], Fault> {
    if !npy::is_npy(path) {
        return Ok(bytes);
    }
    let array = npy::read(bytes).map_err(|message| Fault::input(format!("{path} {message}")))?;
    match element {
        Some(element) if !array.holds(element) => {
            let found = array.element().map_or("another type", ElementType::name);
            Err(Fault::input(format!("{path} has elements of {found}, the buffer of {element}")))
        }
        _ => Ok(array.data),
    }
}
