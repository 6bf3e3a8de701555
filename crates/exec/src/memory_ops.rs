//! Memory.
pub(crate) fn execute<M>(
    _m: &mut crate::lanes::Machine<'_>,
    _a: &crate::code::Memory,
    _e: &mut crate::Environment<'_, M>,
) -> Result<bool, crate::ExecFault> {
    Ok(false)
}
