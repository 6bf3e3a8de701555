//! Special.
pub(crate) fn execute<M>(
    _m: &mut crate::lanes::Machine<'_>,
    _a: crate::code::Special,
    _e: &mut crate::Environment<'_, M>,
) -> Result<(), crate::ExecFault> {
    Ok(())
}
