//! What each PTX instruction computes and the machine instructions that it becomes.

use warplab_program::Opcode as Machine;
use warplab_ptx::tree::Opcode as Ptx;

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// What it computes, in one line.
    pub(crate) meaning: &'static str,
    /// The machine instructions that the usual forms become; none when the instruction goes away.
    pub(crate) machine: &'static [Machine],
}

/// The row of an instruction.
pub(crate) fn row(opcode: Ptx) -> Row {
    let (meaning, machine) = meaning(opcode);
    Row { meaning, machine }
}

fn meaning(opcode: Ptx) -> (&'static str, &'static [Machine]) {
    use Machine::*;
    match opcode {
        Ptx::Abs => ("d = |a|", &[Iabs, Fadd, Dadd]),
        Ptx::Activemask => ("d = the active lanes as bits", &[Vote]),
        Ptx::Add => ("d = a + b", &[Iadd3, Fadd, Dadd, Hadd2]),
        Ptx::Addc => ("d = a + b + carry", &[Iadd3]),
        Ptx::And => ("d = a and b, bit by bit", &[Lop3]),
        Ptx::Applypriority => ("a cache hint without a result", &[]),
        Ptx::Atom => {
            ("d = memory at an address, which is changed by an operation at once", &[Atomg, Atoms, Atom])
        }
        Ptx::Bar | Ptx::Barrier => (
            "waits for the warps of the block; .arrive only arrives; .red reduces a predicate",
            &[Bar, Warpsync, B2r],
        ),
        Ptx::Bfe => ("d = c bits of a from bit b on", &[Shf, Sgxt]),
        Ptx::Bfi => ("d = b with its bits from c on replaced by e bits of a", &[Bmsk, Shf, Lop3]),
        Ptx::Bfind => ("d = the position of the highest bit that differs from the sign", &[Flo]),
        Ptx::Bmsk => ("d = a mask of b bits from bit a on", &[Bmsk]),
        Ptx::Bra => ("goes to a label", &[Bra, Bssy, Bsync]),
        Ptx::Brev => ("d = the bits of a in reverse order", &[Brev]),
        Ptx::Brkpt => ("stops the launch with an error", &[Bpt]),
        Ptx::Brx => ("goes to the label that a selects from a list", &[Brx]),
        Ptx::Call => (
            "calls a function, also through a register; mostly its code stands in place; vprintf, __assertfail, malloc, free",
            &[Call, Syscall],
        ),
        Ptx::Clz => ("d = how many bits above the highest one are zero", &[Flo]),
        Ptx::Cnot => ("d = 1 if a is zero, else 0", &[Isetp, Sel]),
        Ptx::Copysign => ("d = b with the sign of a", &[Lop3]),
        Ptx::Cos => ("d = the cosine of a, approximate", &[Fmul, Mufu]),
        Ptx::Cp => {
            ("copies global to shared memory, later; .commit_group and .wait_group order it", &[Ldg, Sts])
        }
        Ptx::Createpolicy => ("d = a cache policy", &[Mov]),
        Ptx::Cvt => ("d = a as another type", &[I2f, F2i, F2f, I2fp, F2fp, Prmt, Sgxt, Frnd]),
        Ptx::Cvta => ("d = a generic address of an address of a space, or back (.to)", &[]),
        Ptx::Discard => ("forgets cached data without writing it back", &[Cctl]),
        Ptx::Div => ("d = a / b", &[Mufu, Ffma, Imad, I2f, F2i, Dfma]),
        Ptx::Dp2a => ("d = c + the dot product of two halves and two bytes", &[Idp]),
        Ptx::Dp4a => ("d = c + the dot product of four bytes", &[Idp]),
        Ptx::Elect => ("p = this is the lowest active lane", &[Elect]),
        Ptx::Ex2 => ("d = 2 to the power of a, approximate", &[Mufu]),
        Ptx::Exit => ("ends the thread", &[Exit]),
        Ptx::Fence | Ptx::Membar => {
            ("waits until earlier memory operations are seen by the others of a scope", &[Membar])
        }
        Ptx::Fma => ("d = a * b + c, rounded once", &[Ffma, Dfma, Hfma2]),
        Ptx::Fns => ("d = the position of the c-th set bit of a from bit b on", &[Popc]),
        Ptx::Getctarank => ("d = the block of a cluster that an address belongs to", &[Mov]),
        Ptx::Griddepcontrol => ("orders dependent grids; there is one grid here", &[]),
        Ptx::Isspacep => ("p = the generic address a is in the space", &[Qspc]),
        Ptx::Ld => ("d = memory at an address", &[Ldg, Lds, Ldl, Ldc, Ld]),
        Ptx::Ldmatrix => ("d = 8x8 matrices from shared memory, a row a lane", &[Ldsm]),
        Ptx::Ldu => ("d = global memory at an address that is the same for all lanes", &[Ldg]),
        Ptx::Lg2 => ("d = the logarithm of a to base 2, approximate", &[Mufu]),
        Ptx::Lop3 => ("d = any bitwise function of a, b, c, given by its truth table", &[Lop3]),
        Ptx::Mad => ("d = a * b + c", &[Imad, Ffma, Dfma]),
        Ptx::Mad24 => ("d = the product of the lower 24 bits of a and b, plus c", &[Imad]),
        Ptx::Madc => ("d = a * b + c + carry", &[Imad]),
        Ptx::Mapa => ("d = the address of a variable in another block of the cluster", &[Mov]),
        Ptx::Match => ("d = the lanes with the same a; .all p = all have the same", &[Match]),
        Ptx::Max => ("d = the larger of a and b", &[Vimnmx, Fmnmx, Hmnmx2]),
        Ptx::Min => ("d = the smaller of a and b", &[Vimnmx, Fmnmx, Hmnmx2]),
        Ptx::Mma => ("d = a * b + c for matrices that the lanes of a warp hold together", &[]),
        Ptx::Mov => ("d = a; packs and unpacks vectors", &[Mov, S2r, Cs2r]),
        Ptx::Movmatrix => ("d = the transpose of a matrix that the lanes hold together", &[]),
        Ptx::Mul => {
            ("d = a * b; .lo the lower, .hi the upper half, .wide all of it", &[Imad, Fmul, Dmul, Hmul2])
        }
        Ptx::Mul24 => ("d = the product of the lower 24 bits of a and b", &[Imad]),
        Ptx::Nanosleep => ("sleeps for about a nanoseconds", &[Nanosleep]),
        Ptx::Neg => ("d = -a", &[Iadd3, Fadd, Dadd]),
        Ptx::Not => ("d = a with all bits inverted", &[Lop3]),
        Ptx::Or => ("d = a or b, bit by bit", &[Lop3]),
        Ptx::Pmevent => ("triggers a profiler event; nobody listens here", &[]),
        Ptx::Popc => ("d = the number of bits set in a", &[Popc]),
        Ptx::Prefetch | Ptx::Prefetchu => ("brings a line into a cache", &[Cctl]),
        Ptx::Prmt => ("d = four bytes of b:a chosen by a selector", &[Prmt]),
        Ptx::Rcp => ("d = 1 / a", &[Mufu, Ffma]),
        Ptx::Red => {
            ("memory at an address is changed by an operation at once; no result", &[Redg, Atoms, Red])
        }
        Ptx::Redux => ("d = sum, minimum, maximum, and, or, xor of a over the lanes", &[Redux]),
        Ptx::Rem => ("d = the remainder of a / b", &[I2f, Mufu, F2i, Imad]),
        Ptx::Ret => ("returns from a function; ends the thread in a kernel", &[Exit, Ret]),
        Ptx::Rsqrt => ("d = 1 / the square root of a, approximate", &[Mufu]),
        Ptx::Sad => ("d = |a - b| + c", &[Vabsdiff]),
        Ptx::Selp => ("d = p ? a : b", &[Sel, Fsel]),
        Ptx::Set => ("d = (a cmp b) as 1.0 or all ones", &[Fset, Isetp, Sel]),
        Ptx::Setp => ("p = (a cmp b) op r, q = !(a cmp b) op r", &[Isetp, Fsetp, Dsetp, Hsetp2]),
        Ptx::Shf => ("d = funnel shift of b:a by c", &[Shf]),
        Ptx::Shfl => ("d = a of another lane; p = that lane is in the segment", &[Shfl]),
        Ptx::Shl => ("d = a << b", &[Shf]),
        Ptx::Shr => ("d = a >> b", &[Shf]),
        Ptx::Sin => ("d = the sine of a, approximate", &[Fmul, Mufu]),
        Ptx::Slct => ("d = c >= 0 ? a : b", &[Isetp, Sel, Fsel]),
        Ptx::Sqrt => ("d = the square root of a", &[Mufu, Ffma]),
        Ptx::St => ("memory at an address = a", &[Stg, Sts, Stl, St]),
        Ptx::Stmatrix => ("8x8 matrices to shared memory, a row a lane", &[Sts]),
        Ptx::Sub => ("d = a - b", &[Iadd3, Fadd, Dadd, Hadd2]),
        Ptx::Subc => ("d = a - b - borrow", &[Iadd3]),
        Ptx::Szext => ("d = the lower b bits of a, extended", &[Sgxt]),
        Ptx::Tanh => ("d = the hyperbolic tangent of a, approximate", &[Mufu]),
        Ptx::Testp => {
            ("p = a is of a kind of number: finite, infinite, NaN, normal, subnormal", &[Fsetp, Isetp])
        }
        Ptx::Trap => ("stops the launch with an error", &[Bpt]),
        Ptx::Vabsdiff => ("d = |a - b|; .add c + it", &[Vabsdiff]),
        Ptx::Vabsdiff4 => ("d = |a - b| of four bytes; .add c + their sum", &[Vabsdiff4]),
        Ptx::Vote => {
            ("d = the predicate of all lanes as bits; p = it holds for all, any, or equally", &[Vote])
        }
        Ptx::Xor => ("d = a exclusive-or b, bit by bit", &[Lop3]),
    }
}
