//! Control.
pub(crate) fn execute(
    _m: &mut crate::lanes::Machine<'_>,
    _a: crate::code::Control,
    _c: &crate::Code,
) -> Result<crate::Step, crate::ExecFault> {
    Ok(crate::Step::Next)
}
