//! A device's state as a file: the build that wrote it, what it belongs to, and a check of its bytes.

use rustc_hash::FxHasher;
use serde::Serialize;
use std::hash::Hasher;
use thiserror::Error;
use warplab_exec::MemoryImage;
use warplab_gpu::{Device, DeviceState};

/// The first bytes of every checkpoint.
const MAGIC: &[u8; 16] = b"warplab-snapshot";

/// Why a checkpoint cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CheckpointFault {
    /// It does not start as one.
    #[error("this is no checkpoint of warplab")]
    NotACheckpoint,
    /// It was written by another build, whose state may have another shape.
    #[error("the checkpoint was written by warplab {found}, this is warplab {this}: run the launch anew")]
    Version {
        /// The build that wrote it.
        found: String,
        /// The build that reads it.
        this: String,
    },
    /// The machine or a launch is not the same.
    #[error(
        "the checkpoint belongs to another machine or other launches: give the same files and options as for the run that wrote it"
    )]
    Other,
    /// Bytes are missing or have changed.
    #[error("the checkpoint is damaged: {0}")]
    Damaged(String),
}

/// What a checkpoint belongs to besides the machine and the launches: only the same can go on from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointOwner {
    build: String,
    memory: u64,
}

impl CheckpointOwner {
    /// A build of the simulator, by name, and device memory as it is before the first launch.
    #[must_use]
    pub fn new(build: &str, memory: &MemoryImage) -> CheckpointOwner {
        CheckpointOwner { build: build.to_owned(), memory: hash(&bytes(memory)) }
    }

    /// The state of a device as the bytes of a checkpoint file.
    #[must_use]
    pub fn write(&self, device: &Device) -> Vec<u8> {
        let (state, build) = (bytes(device.state()), self.build.as_bytes());
        let mut file = MAGIC.to_vec();
        file.extend_from_slice(&(build.len() as u64).to_le_bytes());
        file.extend_from_slice(build);
        file.extend_from_slice(&self.number(device).to_le_bytes());
        file.extend_from_slice(&hash(&state).to_le_bytes());
        file.extend_from_slice(&state);
        file
    }

    /// A device goes on from a checkpoint file of one with the same owner, machine and launches.
    ///
    /// # Errors
    /// The file is damaged, of another build, or of another machine, other memory or other launches.
    pub fn restore(&self, device: &mut Device, file: &[u8]) -> Result<(), CheckpointFault> {
        device.restore(self.read(device, file)?);
        Ok(())
    }

    fn read(&self, device: &Device, file: &[u8]) -> Result<DeviceState, CheckpointFault> {
        let rest = file.strip_prefix(MAGIC).ok_or(CheckpointFault::NotACheckpoint)?;
        let (length, rest) = number(rest)?;
        let length = usize::try_from(length).ok().filter(|&length| length <= rest.len());
        let (build, rest) = rest.split_at(length.ok_or_else(too_short)?);
        if build != self.build.as_bytes() {
            let found = String::from_utf8_lossy(build).into_owned();
            return Err(CheckpointFault::Version { found, this: self.build.clone() });
        }
        let (belongs_to, rest) = number(rest)?;
        let (check, state) = number(rest)?;
        if belongs_to != self.number(device) {
            return Err(CheckpointFault::Other);
        }
        if check != hash(state) {
            return Err(CheckpointFault::Damaged("its bytes have changed or some are missing".to_owned()));
        }
        postcard::from_bytes(state).map_err(|fault| CheckpointFault::Damaged(fault.to_string()))
    }

    /// The memory, the machine and the launches as one number.
    fn number(&self, device: &Device) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.memory);
        device.hash_work(&mut hasher);
        hasher.finish()
    }
}

fn number(bytes: &[u8]) -> Result<(u64, &[u8]), CheckpointFault> {
    let (first, rest) = bytes.split_first_chunk().ok_or_else(too_short)?;
    Ok((u64::from_le_bytes(*first), rest))
}

fn too_short() -> CheckpointFault {
    CheckpointFault::Damaged("its first bytes are missing".to_owned())
}

fn bytes(data: &impl Serialize) -> Vec<u8> {
    // Serialisation into memory of plain data cannot fail.
    postcard::to_allocvec(data).expect("plain data can be written")
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}
