//! A device's state as a file: a version, what it belongs to, and a check of its bytes.

use crate::device::DeviceState;
use crate::running::QueuedLaunch;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::Arc;
use thiserror::Error;
use warplab_config::GpuConfig;

/// The first bytes of every checkpoint.
const MAGIC: &[u8; 16] = b"warplab-snapshot";

/// Changes whenever the state changes its shape.
const VERSION: u32 = 2;

/// Bytes before the state: magic, version, what it belongs to, check of the state.
const HEADER_BYTES: usize = 16 + 4 + 8 + 8;

/// Why a checkpoint cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CheckpointFault {
    /// It does not start as one.
    #[error("this is no checkpoint of warplab")]
    NotACheckpoint,
    /// It was written by another version.
    #[error("the checkpoint has version {found}; this build reads version {VERSION}: run the launch anew")]
    Version {
        /// Its version.
        found: u32,
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

/// The bytes of a state.
pub(crate) fn write(config: &GpuConfig, launches: &[Arc<QueuedLaunch>], state: &DeviceState) -> Vec<u8> {
    // Serialisation into memory of plain data cannot fail.
    let state = postcard::to_allocvec(state).expect("plain data can be written");
    let mut bytes = Vec::with_capacity(HEADER_BYTES + state.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&belongs_to(config, launches).to_le_bytes());
    bytes.extend_from_slice(&hash(&state).to_le_bytes());
    bytes.extend_from_slice(&state);
    bytes
}

/// The state of such bytes.
pub(crate) fn read(
    config: &GpuConfig,
    launches: &[Arc<QueuedLaunch>],
    bytes: &[u8],
) -> Result<DeviceState, CheckpointFault> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(CheckpointFault::NotACheckpoint)?;
    let (version, rest) = take::<4>(rest)?;
    let found = u32::from_le_bytes(version);
    if found != VERSION {
        return Err(CheckpointFault::Version { found });
    }
    let (owner, rest) = take::<8>(rest)?;
    let (check, state) = take::<8>(rest)?;
    if u64::from_le_bytes(owner) != belongs_to(config, launches) {
        return Err(CheckpointFault::Other);
    }
    if u64::from_le_bytes(check) != hash(state) {
        return Err(CheckpointFault::Damaged("its bytes have changed or some are missing".to_owned()));
    }
    postcard::from_bytes(state).map_err(|fault| CheckpointFault::Damaged(fault.to_string()))
}

fn take<const N: usize>(bytes: &[u8]) -> Result<([u8; N], &[u8]), CheckpointFault> {
    let (first, rest) = bytes
        .split_first_chunk::<N>()
        .ok_or_else(|| CheckpointFault::Damaged("its first bytes are missing".to_owned()))?;
    Ok((*first, rest))
}

/// What the machine and the launches are, as one number.
fn belongs_to(config: &GpuConfig, launches: &[Arc<QueuedLaunch>]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(format!("{config:?}").as_bytes());
    for launch in launches {
        let spec = &launch.prepared.launch;
        hasher.write(format!("{:?} {:?} {:?}", spec.kernel, spec.shape, launch.options).as_bytes());
    }
    hasher.finish()
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}
