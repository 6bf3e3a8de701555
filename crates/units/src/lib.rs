//! Typed quantities of the simulator: cycles, addresses, lane masks, and ids.
//!
//! Everything here is a thin newtype over an integer: boundaries between crates speak in these types, so a cycle
//! cannot be added to an address, and a lane mask prints as the hexadecimal word that the field writes.

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod address;
mod cycle;
mod divisor;
mod element;
mod equal_bytes;
mod fetch;
mod ids;
mod mask;
pub mod stored;

pub use address::{Address, LINE_BYTES, SECTOR_BYTES, SECTORS_PER_LINE, SectorMask};
pub use cycle::Cycle;
pub use divisor::Divisor;
pub use element::{ElementType, Number};
pub use equal_bytes::{EQUAL_BYTES, equal_bytes};
pub use fetch::{fetch_ahead, fetch_all_ahead};
pub use ids::{BlockId, IdVec, PartitionId, SmId, TypedId, WarpSlot};
pub use mask::{LaneBits, LaneMask, MOST_WARP_LANES, PerLane, ROW_LANES, Row, WarpBits, WarpMask, lane_bit};
