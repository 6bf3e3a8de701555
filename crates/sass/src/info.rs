//! What a cubin says about a kernel beside its code: the records of `.nv.info`.

use crate::bytes::Bytes;
use crate::elf::Elf;
use warplab_program::Parameter;

/// How a record holds its value.
mod format {
    pub(super) const SIZED: u8 = 4;
}

/// What a record says.
mod attribute {
    pub(super) const MAX_THREADS: u8 = 0x05;
    pub(super) const PARAMETER_BANK: u8 = 0x0a;
    pub(super) const EXTERNS: u8 = 0x0f;
    pub(super) const REQUIRED_THREADS: u8 = 0x10;
    pub(super) const FRAME_SIZE: u8 = 0x11;
    pub(super) const MIN_STACK_SIZE: u8 = 0x12;
    pub(super) const PARAMETER: u8 = 0x17;
    pub(super) const PARAMETER_BYTES: u8 = 0x19;
    /// A parameter of a kernel with more than 4 KB of them.
    pub(super) const LARGE_PARAMETER: u8 = 0x45;
    pub(super) const REGISTERS: u8 = 0x2f;
    pub(super) const BLOCKS_PER_CLUSTER: u8 = 0x3d;
    pub(super) const BARRIERS: u8 = 0x4c;
}

/// The size of a stack whose need is not known.
pub(crate) const UNKNOWN_STACK: u32 = u32::MAX;

/// What the records say about one kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Info {
    pub(crate) registers: Option<u32>,
    pub(crate) barriers: Option<u32>,
    /// Its frame, those of its functions included; [`UNKNOWN_STACK`] where that is not known.
    pub(crate) local_bytes: u32,
    /// The symbols, by number, of functions that the driver is to provide.
    pub(crate) externs: Vec<usize>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) parameter_base: Option<u32>,
    pub(crate) parameter_bytes: Option<u32>,
    pub(crate) max_block: Option<[u32; 3]>,
    pub(crate) required_block: Option<[u32; 3]>,
    /// Blocks of a cluster, where the kernel runs in clusters.
    pub(crate) cluster: Option<[u32; 3]>,
}

/// One record: what it says and its bytes.
type Record<'a> = (u8, Bytes<'a>);

/// The records of one section; `None` when it is damaged.
fn records(data: &[u8]) -> Option<Vec<Record<'_>>> {
    let mut records = Vec::new();
    let mut at = 0;
    while at < data.len() {
        let bytes = Bytes(data);
        let (how, what) = (bytes.u8(at)?, bytes.u8(at + 1)?);
        let (start, length) = match how {
            format::SIZED => (at + 4, usize::from(bytes.u16(at + 2)?)),
            _ => (at + 2, 2),
        };
        records.push((what, Bytes(data.get(start..start + length)?)));
        at = start + length;
    }
    Some(records)
}

/// What a cubin says about a kernel, given the number of its symbol; `None` when it is damaged.
pub(crate) fn read(elf: &Elf<'_>, kernel: &str, symbol: usize) -> Option<Info> {
    let mut info = Info::default();
    let general = elf.section(".nv.info").map_or([].as_slice(), |(_, section)| section.data);
    for (what, value) in records(general)? {
        if value.u32(0).is_none_or(|named| usize::try_from(named) != Ok(symbol)) {
            continue;
        }
        match what {
            attribute::REGISTERS => info.registers = Some(value.u32(4)?),
            attribute::FRAME_SIZE | attribute::MIN_STACK_SIZE => {
                info.local_bytes = info.local_bytes.max(value.u32(4)?);
            }
            _ => {}
        }
    }
    let own = elf.section(&format!(".nv.info.{kernel}")).map_or([].as_slice(), |(_, section)| section.data);
    let mut parameters = Vec::new();
    for (what, value) in records(own)? {
        let three = || Some([value.u32(0)?, value.u32(4)?, value.u32(8)?]);
        match what {
            attribute::MAX_THREADS => info.max_block = Some(three()?),
            attribute::REQUIRED_THREADS => info.required_block = Some(three()?),
            attribute::BLOCKS_PER_CLUSTER => info.cluster = Some(three()?),
            attribute::BARRIERS => info.barriers = Some(u32::from(value.u8(0)?)),
            attribute::EXTERNS => {
                let symbols = value.0.chunks(4).filter_map(|symbol| Bytes(symbol).u32(0));
                info.externs.extend(symbols.filter_map(|symbol| usize::try_from(symbol).ok()));
            }
            attribute::PARAMETER_BYTES => info.parameter_bytes = Some(u32::from(value.u16(0)?)),
            attribute::PARAMETER_BANK => info.parameter_base = Some(u32::from(value.u16(4)?)),
            attribute::PARAMETER => {
                let (ordinal, offset) = (value.u16(4)?, u32::from(value.u16(6)?));
                parameters.push((ordinal, offset, value.u32(8)? >> 18));
            }
            attribute::LARGE_PARAMETER => {
                let (ordinal, offset) = (value.u16(4)?, u32::from(value.u16(6)?));
                parameters.push((ordinal, offset, u32::from(value.u16(8)?)));
            }
            _ => {}
        }
    }
    parameters.sort_unstable();
    info.parameters = parameters
        .into_iter()
        .map(|(ordinal, offset, bytes)| Parameter {
            name: ordinal.to_string(),
            offset,
            bytes,
            ty: String::new(),
        })
        .collect();
    Some(info)
}
