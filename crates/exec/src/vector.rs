//! Float.
pub(crate) fn execute_float(_m: &mut crate::lanes::Machine<'_>, _a: crate::code::Float) {}
pub(crate) fn execute_double(_m: &mut crate::lanes::Machine<'_>, _a: crate::code::Double) {}
