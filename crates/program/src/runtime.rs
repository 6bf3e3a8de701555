//! What code may call beside the functions of its program, and where the driver puts things: system calls, addresses
//! of functions as pointers hold them, the driver's default sizes.

use std::fmt;

/// The first code address of the system calls; no kernel is as long.
const SYSTEM_CALLS: u64 = 0xffff_0000;
/// The first code address that a function has for the whole program; a kernel's own code starts at 0.
const FUNCTIONS: u64 = 0xe000_0000;
/// Bytes between two of these addresses: those of an instruction.
const STEP: u64 = crate::instruction::INSTRUCTION_BYTES;

/// Stack of a thread in bytes where its need is not known, for recursion and calls through pointers: the driver's
/// default (`cudaLimitStackSize`).
pub const STACK_BYTES: u32 = 1024;
/// Bytes of the heap of `malloc`: the driver's default (`cudaLimitMallocHeapSize`).
pub const HEAP_BYTES: u64 = 8 << 20;
/// Bytes of the buffer of `printf`: the driver's default (`cudaLimitPrintfFifoSize`), measured on an H200.
pub const PRINT_BYTES: u64 = 8_650_752;
/// Bytes that what one thread prints in one call takes in it: measured on an H200, which keeps the last 1,056 calls of a
/// whole warp whether they have 2 arguments or 12 (`traces/isa/README.md`). Longer texts take their own bytes too.
pub const PRINT_LINE_BYTES: u64 = 256;

/// A function that the driver provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SystemCall {
    /// `int vprintf(const char *format, void *arguments)`
    Print,
    /// `void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t charsize)`
    AssertFail,
    /// `void *malloc(size_t bytes)`
    Allocate,
    /// `void free(void *address)`
    Free,
}

impl SystemCall {
    /// Every system call, in the order of their addresses.
    pub const ALL: [SystemCall; 4] =
        [SystemCall::Print, SystemCall::AssertFail, SystemCall::Allocate, SystemCall::Free];

    /// The name as a program calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SystemCall::Print => "vprintf",
            SystemCall::AssertFail => "__assertfail",
            SystemCall::Allocate => "malloc",
            SystemCall::Free => "free",
        }
    }

    /// The system call of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<SystemCall> {
        SystemCall::ALL.into_iter().find(|call| call.name() == name)
    }

    /// The code address that calls it.
    #[must_use]
    pub fn address(self) -> u64 {
        SYSTEM_CALLS + STEP * self as u64
    }

    /// The system call at a code address.
    #[must_use]
    pub fn at(address: u64) -> Option<SystemCall> {
        SystemCall::ALL.into_iter().find(|call| call.address() == address)
    }
}

impl fmt::Display for SystemCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The code address of the function with this number, the same in every kernel of a program: what a pointer to it
/// holds. `None` when there are too many functions.
#[must_use]
pub fn function_address(number: usize) -> Option<u64> {
    let address = u64::try_from(number).ok()?.checked_mul(STEP)?.checked_add(FUNCTIONS)?;
    (address < SYSTEM_CALLS).then_some(address)
}

/// A function in a kernel's code that calls through a pointer may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Its name (mangled for C++).
    pub name: String,
    /// Its first instruction, as an index into the kernel's.
    pub start: u32,
    /// The code address that a pointer to it holds: [`function_address`], or where it starts in the kernel.
    pub address: u64,
}

#[cfg(test)]
mod tests {
    use super::{SYSTEM_CALLS, SystemCall, function_address};

    #[test]
    fn addresses_of_functions_and_system_calls_never_meet() {
        for call in SystemCall::ALL {
            assert_eq!(SystemCall::at(call.address()), Some(call));
            assert_eq!(SystemCall::from_name(call.name()), Some(call));
            assert_eq!(SystemCall::at(call.address() + 8), None);
        }
        assert_eq!(function_address(0), Some(0xe000_0000));
        assert_eq!(function_address(3), Some(0xe000_0030));
        assert!(function_address(33_000_000).is_some_and(|address| address < SYSTEM_CALLS));
        assert_eq!(function_address(40_000_000), None);
        assert_eq!(function_address(usize::MAX), None);
    }
}
