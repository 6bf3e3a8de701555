//! Kernel to code.
use crate::code::Code;
use crate::fault::DecodeFault;
use warplab_program::Kernel;
impl Code {
    /// The compact form of a kernel.
    ///
    /// # Errors
    /// Every instruction that cannot be executed, with its place.
    pub fn decode(_kernel: &Kernel) -> Result<Code, Vec<DecodeFault>> {
        Err(Vec::new())
    }
}
