//! Warp.
pub(crate) fn execute(_m: &mut crate::lanes::Machine<'_>, _a: crate::code::Warp) {}
