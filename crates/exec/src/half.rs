//! Half.
pub(crate) fn execute(_m: &mut crate::lanes::Machine<'_>, _a: crate::code::Half) {}
pub(crate) fn packed(a: u32, _b: u32, _f: impl Fn(u16, u16) -> u16) -> u32 {
    a
}
pub(crate) fn f16(_a: u16) -> f32 {
    0.0
}
pub(crate) fn round_f16(_a: f32) -> u16 {
    0
}
pub(crate) fn add_bf16(_a: u16, _b: u16) -> u16 {
    0
}
