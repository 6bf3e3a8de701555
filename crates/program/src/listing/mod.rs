//! The text form of a program, written and read back.
//!
//! ```text
//! .arch sm_90
//! .file 0 "saxpy.cu"
//! .kernel saxpy
//! .registers 10
//! .parameter x offset=0 bytes=8 type=u64
//! 0000  stall=1  yield=1 wr=- rd=- wait=000000  LDC R1, c[0x0][0x28] ;
//! 0010  stall=7  yield=1 wr=0 rd=- wait=000000 at=0:4  @!P0 S2R R5, SR_CTAID.X ;  // saxpy.cu:4
//! ```
//!
//! `at=0:4` is line 4 of file 0. The columns before an instruction may be left out when a person writes a listing.
//! Branch targets are the addresses of instructions, 16 bytes each. A kernel that a front end could not read stands
//! there as `.refused NAME` with its reasons: `.reason 0x00a0 WHAT IS WRONG`.

mod cursor;
mod directive;
mod instruction_reader;
mod operand_reader;
mod reader;
mod register_reader;
mod unsupported;
mod writer;

pub use reader::{read, read_instruction};
pub use writer::{instruction_text, write, write_kernel};

#[cfg(test)]
mod tests;
