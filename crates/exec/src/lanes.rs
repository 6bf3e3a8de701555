//! Reading sources and writing results of all lanes.
use crate::code::Op;
use crate::constants::ConstantBanks;
use crate::warp::WarpState;
pub(crate) struct Machine<'a> {
    pub(crate) warp: &'a mut WarpState,
    pub(crate) banks: &'a ConstantBanks,
    pub(crate) op: &'a Op,
    pub(crate) mask: u32,
}
