//! Checkpoint files: a device goes on from one as if it had never stopped; a wrong one is refused with its reason.

use crate::device::{additions, checksum, h200, machine};
use warplab_exec::{Init, MemoryImage};
use warplab_gpu::{Device, Watch};
use warplab_run::{CheckpointFault, CheckpointOwner};
use warplab_units::Cycle;

fn owner() -> CheckpointOwner {
    CheckpointOwner::new("9.9 test", &MemoryImage::new())
}

/// A device in the middle of its second launch, and its checkpoint.
fn written() -> (Device, Vec<u8>) {
    let mut device = additions(&h200(), 2, 10_000);
    device.advance(Cycle(8000)).expect("it runs");
    let bytes = owner().write(&device);
    (device, bytes)
}

fn refused(bytes: &[u8]) -> CheckpointFault {
    let mut device = additions(&h200(), 2, 10_000);
    owner().restore(&mut device, bytes).expect_err("it is refused")
}

#[test]
fn a_device_from_a_checkpoint_gives_the_same_bytes_as_one_that_never_stopped() {
    let (mut device, bytes) = written();
    let mut other = additions(&h200(), 2, 10_000);
    owner().restore(&mut other, &bytes).expect("it fits");
    assert_eq!(other.cycle(), device.cycle());
    for device in [&mut device, &mut other] {
        device.run(&mut Watch::default()).expect("it runs");
    }
    assert_eq!(other.counters(0), device.counters(0));
    assert_eq!(other.counters(1), device.counters(1));
    assert_eq!(checksum(other.memory(), "c"), checksum(device.memory(), "c"));
}

#[test]
fn a_checkpoint_of_a_restored_device_is_the_same_file() {
    let (_, bytes) = written();
    let mut other = additions(&h200(), 2, 10_000);
    owner().restore(&mut other, &bytes).expect("it fits");
    assert!(owner().write(&other) == bytes);
}

#[test]
fn another_file_is_refused() {
    assert_eq!(refused(b"PK\x03\x04"), CheckpointFault::NotACheckpoint);
    assert_eq!(refused(b""), CheckpointFault::NotACheckpoint);
}

#[test]
fn a_checkpoint_of_another_build_is_refused() {
    let (device, _) = written();
    let bytes = CheckpointOwner::new("9.8 test", &MemoryImage::new()).write(&device);
    let (found, this) = ("9.8 test".to_owned(), "9.9 test".to_owned());
    assert_eq!(refused(&bytes), CheckpointFault::Version { found, this });
}

#[test]
fn a_checkpoint_of_other_device_memory_is_refused() {
    let (device, _) = written();
    let mut memory = MemoryImage::new();
    memory.allocate("x", 4, Init::Zero);
    let bytes = CheckpointOwner::new("9.9 test", &memory).write(&device);
    assert_eq!(refused(&bytes), CheckpointFault::Other);
}

#[test]
fn a_checkpoint_of_other_launches_is_refused() {
    let (_, bytes) = written();
    let mut one = additions(&h200(), 1, 10_000);
    assert_eq!(owner().restore(&mut one, &bytes), Err(CheckpointFault::Other));
}

#[test]
fn a_checkpoint_of_another_machine_is_refused() {
    let (_, bytes) = written();
    let mut h100 = additions(&machine("h100-sxm"), 2, 10_000);
    assert_eq!(owner().restore(&mut h100, &bytes), Err(CheckpointFault::Other));
}

#[test]
fn a_checkpoint_with_a_changed_byte_is_refused() {
    let (_, mut bytes) = written();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    assert!(matches!(refused(&bytes), CheckpointFault::Damaged(_)));
}

#[test]
fn a_checkpoint_that_ends_early_is_refused() {
    let (_, bytes) = written();
    for length in [17, 25, 40, 48, bytes.len() - 1] {
        assert!(matches!(refused(&bytes[..length]), CheckpointFault::Damaged(_)), "{length} bytes");
    }
}
