//! What each PTX instruction computes and the machine instructions that it becomes. A test compiles every form and
//! holds this table against what was emitted.

use warplab_program::Opcode as Machine;
use warplab_ptx::tree::Opcode as Ptx;

/// What a PTX instruction is.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// What it computes, in one line.
    pub meaning: &'static str,
    /// Every machine instruction that one of its forms becomes, those of the usual forms first; none when it goes away or
    /// is not supported.
    pub machine: &'static [Machine],
}

/// What a PTX instruction is.
#[must_use]
pub fn describe(opcode: Ptx) -> Description {
    let (meaning, machine) = row(opcode);
    Description { meaning, machine }
}

fn row(opcode: Ptx) -> (&'static str, &'static [Machine]) {
    use Machine::*;
    match opcode {
        Ptx::Abs => ("d = |a|", &[Iabs, Fadd, Dadd, Iadd3, Isetp, Lop3, Mov, Prmt, Sel]),
        Ptx::Activemask => ("d = the active lanes as bits", &[Vote]),
        Ptx::Add => ("d = a + b", &[Iadd3, Fadd, Dadd, Hadd2, Isetp, Lop3, Sel, Shf, Viadd]),
        Ptx::Addc => ("d = a + b + carry", &[Iadd3]),
        Ptx::And => ("d = a and b, bit by bit", &[Lop3, Plop3]),
        Ptx::Applypriority => ("a cache hint without a result", &[]),
        Ptx::Atom => (
            "d = memory at an address, which is changed by an operation at once",
            &[
                Atomg, Atoms, Atom, Bra, Bssy, Bsync, Dadd, Fadd, Hadd2, Iadd3, Isetp, Ld, Lds, Lop3, Membar,
                Mov, Prmt, Qspc, Red, Redg, Sel, St, Uldc,
            ],
        ),
        Ptx::Bar => (
            "waits for the warps of the block; .arrive only arrives; .red reduces a predicate",
            &[Bar, Warpsync, B2r],
        ),
        Ptx::Barrier => {
            ("waits for the warps of the block; .arrive only arrives; .red reduces a predicate", &[Bar, B2r])
        }
        Ptx::Bfe => ("d = c bits of a from bit b on", &[Shf, Sgxt, Iadd3, Isetp, Lop3, Mov, Sel, Vimnmx]),
        Ptx::Bfi => ("d = b with its bits from c on replaced by e bits of a", &[Bmsk, Shf, Lop3, Iadd3, Mov]),
        Ptx::Bfind => (
            "d = the position of the highest bit that differs from the sign",
            &[Flo, Iadd3, Isetp, Lop3, Sel, Shf],
        ),
        Ptx::Bmsk => ("d = a mask of b bits from bit a on", &[Bmsk]),
        Ptx::Bra => ("goes to a label", &[Bra]),
        Ptx::Brev => ("d = the bits of a in reverse order", &[Brev, Mov]),
        Ptx::Brkpt | Ptx::Trap => ("stops the launch with an error", &[Bpt]),
        Ptx::Brx => ("goes to the label that a selects from a list", &[Bra, Isetp]),
        Ptx::Call => (
            "calls a function, also through a register; mostly its code stands in place; vprintf, __assertfail, malloc, free",
            &[Call, Syscall, Ldl, Lepc, Stl],
        ),
        Ptx::Clz => ("d = how many bits above the highest one are zero", &[Flo, Iadd3, Isetp, Sel]),
        Ptx::Cnot => ("d = 1 if a is zero, else 0", &[Isetp, Sel, Lop3]),
        Ptx::Copysign => ("d = b with the sign of a", &[Lop3, Mov]),
        Ptx::Cos => ("d = the cosine of a, approximate", &[Fmul, Mufu]),
        Ptx::Cp => (
            "copies global to shared memory, later, or (.bulk) many bytes or (.tensor) boxes of tensors either way; .commit_group and .wait_group order it",
            &[
                Ldgsts,
                Ldgdepbar,
                Depbar,
                Arrives,
                Bra,
                Cctl,
                Elect,
                Iadd3,
                Isetp,
                Lds,
                Lop3,
                Mov,
                Plop3,
                R2ur,
                Shf,
                Syncs,
                Ublkcp,
                Ublkpf,
                Ublkred,
                Uldc,
                Utmacmdflush,
                Utmaldg,
                Utmapf,
                Utmaredg,
                Utmastg,
            ],
        ),
        Ptx::Createpolicy => ("d = a cache policy, which no access heeds", &[Mov]),
        Ptx::Cvt => (
            "d = a as another type",
            &[
                I2f, F2i, F2f, I2fp, F2fp, Prmt, Frnd, Dadd, Fadd, Fsetp, Hadd2, Iadd3, Isetp, Lop3, Mov,
                Sel, Shf, Vimnmx,
            ],
        ),
        Ptx::Cvta => ("d = a generic address of an address of a space, or back (.to)", &[Iadd3, Ldc, Mov]),
        Ptx::Discard => ("forgets cached data without writing it back", &[]),
        Ptx::Div => (
            "d = a / b",
            &[
                Mufu, Ffma, Imad, I2f, F2i, Dfma, Bra, Dadd, Dmul, Dsetp, F2f, Fchk, Fmul, Fsetp, Iabs,
                Iadd3, Isetp, Lop3, Mov, Plop3, Prmt, Sel, Shf, Vimnmx, Cs2r,
            ],
        ),
        Ptx::Dp2a => ("d = c + the dot product of two halves and two bytes", &[Idp]),
        Ptx::Dp4a => ("d = c + the dot product of four bytes", &[Idp]),
        Ptx::Elect => ("p = this is the lowest active lane", &[Brev, Flo, Isetp, Mov, S2r, Vote]),
        Ptx::Ex2 => {
            ("d = 2 to the power of a, approximate", &[Mufu, F2fp, Fmul, Fsetp, Hadd2, Lop3, Mov, Shf])
        }
        Ptx::Exit => ("ends the thread", &[Exit]),
        Ptx::Fence => (
            "waits until earlier memory operations are seen by the others of a scope",
            &[Membar, Cctl, Errbar, Fence],
        ),
        Ptx::Membar => (
            "waits until earlier memory operations are seen by the others of a scope",
            &[Membar, Cctl, Errbar],
        ),
        Ptx::Fma => ("d = a * b + c, rounded once", &[Ffma, Dfma, Hfma2]),
        Ptx::Fns => (
            "d = the position of the c-th set bit of a from bit b on",
            &[Bra, Iabs, Iadd3, Isetp, Lop3, Mov, Sel, Shf],
        ),
        Ptx::Getctarank => ("d = the rank of the block of a cluster that an address belongs to", &[Shf]),
        Ptx::Griddepcontrol => ("orders dependent grids; there is one grid here", &[]),
        Ptx::Isspacep => ("p = the generic address a is in the space", &[Iadd3, Isetp, Ldc, Plop3]),
        Ptx::Ld => ("d = memory at an address", &[Ldg, Lds, Ldl, Ldc, Ld, Membar, Mov, Shf, Uldc]),
        Ptx::Ldmatrix => ("d = 8x8 matrices from shared memory, a row a lane", &[Ldsm, Mov]),
        Ptx::Ldu => (
            "d = global memory at an address that is the same for all lanes",
            &[Ldg, Ld, Ldc, Ldl, Lds, Mov, Shf, Uldc],
        ),
        Ptx::Lg2 => ("d = the logarithm of a to base 2, approximate", &[Mufu, Fadd, Fmul, Fsetp, Mov]),
        Ptx::Lop3 => ("d = any bitwise function of a, b, c, given by its truth table", &[Lop3]),
        Ptx::Mad => ("d = a * b + c", &[Imad, Ffma, Dfma, Iadd3, Lop3, Mov, Prmt, Shf]),
        Ptx::Mad24 => ("d = the product of the lower 24 bits of a and b, plus c", &[Imad, Iadd3, Sgxt, Shf]),
        Ptx::Madc => ("d = a * b + c + carry", &[Imad, Iadd3]),
        Ptx::Mapa => ("d = the address of a variable in a block of the cluster, by its rank", &[Prmt, Mov]),
        Ptx::Match => ("d = the lanes with the same a; .all p = all have the same", &[Match]),
        Ptx::Tensormap => (
            "a field of a tensor map in shared memory = a value; or the map is copied to global memory",
            &[Lds, Lop3, Sts, Stg, Membar, Iadd3, Mov, S2r, Shf, Uldc],
        ),
        Ptx::Mbarrier => (
            "a barrier in shared memory: threads arrive and bytes come, whoever waits for its phase goes on",
            &[Syncs, Cctl, Errbar, Iadd3, Imad, Lop3, Membar, Mov, Nanosleep, Popc, S2r, Shf],
        ),
        Ptx::Max => {
            ("d = the larger of a and b", &[Vimnmx, Fmnmx, Hmnmx2, Dsetp, Fsel, Isetp, Lop3, Mov, Prmt, Sel])
        }
        Ptx::Min => {
            ("d = the smaller of a and b", &[Vimnmx, Fmnmx, Hmnmx2, Dsetp, Fsel, Isetp, Lop3, Mov, Prmt, Sel])
        }
        Ptx::Mma => (
            "d = a * b + c for matrices that the lanes of a warp hold together",
            &[Hmma, Imma, Dmma, F2fp, Fadd, Iadd3, Isetp, Lop3, Mov, Nop, Sel, Shf, Cs2r],
        ),
        Ptx::Mov => ("d = a; packs and unpacks vectors", &[Mov, S2r, Cs2r, Ldc, Plop3, Prmt]),
        Ptx::Movmatrix => ("d = the transpose of a matrix that the lanes hold together", &[Movm, Mov]),
        Ptx::Mul => (
            "d = a * b; .lo the lower, .hi the upper half, .wide all of it",
            &[Imad, Fmul, Dmul, Hmul2, Iadd3, Lop3, Mov, Prmt, Shf],
        ),
        Ptx::Mul24 => ("d = the product of the lower 24 bits of a and b", &[Imad, Iadd3, Sgxt, Shf]),
        Ptx::Nanosleep => ("sleeps for about a nanoseconds", &[Nanosleep]),
        Ptx::Neg => ("d = -a", &[Iadd3, Fadd, Dadd, Lop3, Mov]),
        Ptx::Not => ("d = a with all bits inverted", &[Lop3, Plop3]),
        Ptx::Or => ("d = a or b, bit by bit", &[Lop3, Plop3]),
        Ptx::Pmevent => ("triggers a profiler event; nobody listens here", &[]),
        Ptx::Popc => ("d = the number of bits set in a", &[Popc, Iadd3]),
        Ptx::Prefetch => ("brings a line into a cache", &[Cctl, Uldc]),
        Ptx::Prefetchu => ("brings a line into a cache", &[]),
        Ptx::Prmt => ("d = four bytes of b:a chosen by a selector", &[Prmt]),
        Ptx::Rcp => (
            "d = 1 / a",
            &[
                Mufu, Ffma, Bra, Dadd, Dfma, Dmul, Dsetp, F2f, Fadd, Fmul, Fsel, Fsetp, Iadd3, Isetp, Lop3,
                Mov, Plop3, Sel, Shf, Vimnmx, Cs2r,
            ],
        ),
        Ptx::Red => (
            "memory at an address is changed by an operation at once; no result",
            &[
                Redg, Atoms, Red, Atom, Bra, Bssy, Bsync, Dadd, Fadd, Hadd2, Iadd3, Isetp, Ld, Lds, Lop3,
                Membar, Mov, Prmt, Qspc, Sel, St, Uldc,
            ],
        ),
        Ptx::Redux => {
            ("d = sum, minimum, maximum, and, or, xor of a over the lanes", &[Redux, Mov, R2ur, Isetp, Bra])
        }
        Ptx::Rem => {
            ("d = the remainder of a / b", &[I2f, Mufu, F2i, Imad, Iabs, Iadd3, Isetp, Lop3, Mov, Prmt, Sel])
        }
        Ptx::Ret => ("returns from a function; ends the thread in a kernel", &[Exit, Ret]),
        Ptx::Rsqrt => (
            "d = 1 / the square root of a, approximate",
            &[
                Mufu, Ffma, Bra, Dadd, Dfma, Dmul, Dsetp, Fmul, Fsetp, Iadd3, Isetp, Lop3, Mov, Plop3, Sel,
                Shf, Vimnmx, Cs2r,
            ],
        ),
        Ptx::Sad => ("d = |a - b| + c", &[Vabsdiff, Iadd3, Isetp, Lop3, Prmt, Sel]),
        Ptx::Selp => ("d = p ? a : b", &[Sel]),
        Ptx::Set => ("d = (a cmp b) as 1.0 or all ones", &[Isetp, Sel, Dsetp, Fsetp, Hset2, Lop3, Prmt]),
        Ptx::Setmaxnreg => (
            "gives registers of the warp back, or waits for more; nothing where the kernel has neither .minnctapersm nor .maxnreg",
            &[Usetmaxreg, Plop3, Bra],
        ),
        Ptx::Setp => ("p = (a cmp b) op r, q = !(a cmp b) op r", &[Isetp, Fsetp, Dsetp, Hsetp2, Lop3, Prmt]),
        Ptx::Shf => ("d = funnel shift of b:a by c", &[Shf]),
        Ptx::Shfl => ("d = a of another lane; p = that lane is in the segment", &[Shfl]),
        Ptx::Shl => ("d = a << b", &[Shf, Mov]),
        Ptx::Shr => ("d = a >> b", &[Shf, Lop3, Mov, Prmt]),
        Ptx::Sin => ("d = the sine of a, approximate", &[Fmul, Mufu]),
        Ptx::Slct => ("d = c >= 0 ? a : b", &[Isetp, Sel, Fsetp]),
        Ptx::Sqrt => (
            "d = the square root of a",
            &[
                Mufu, Ffma, Bra, Dfma, Dmul, Dsetp, F2f, Fadd, Fmul, Fsetp, Iadd3, Isetp, Lop3, Mov, Plop3,
                Sel, Shf, Vimnmx, Cs2r,
            ],
        ),
        Ptx::St => ("memory at an address = a", &[Stg, Sts, Stl, St, Membar, Mov, Uldc]),
        Ptx::Stmatrix => ("8x8 matrices to shared memory, a row a lane", &[Stsm, Mov]),
        Ptx::Sub => ("d = a - b", &[Iadd3, Fadd, Dadd, Hadd2, Isetp, Lop3, Prmt, Sel, Shf]),
        Ptx::Subc => ("d = a - b - borrow", &[Iadd3]),
        Ptx::Szext => ("d = the lower b bits of a, extended", &[Sgxt]),
        Ptx::Tanh => ("d = the hyperbolic tangent of a, approximate", &[Mufu, F2fp, Hadd2, Lop3, Shf]),
        Ptx::Testp => {
            ("p = a is of a kind of number: finite, infinite, NaN, normal, subnormal", &[Isetp, Lop3, Plop3])
        }
        Ptx::Vabsdiff => ("d = |a - b|; .add c + it", &[Vabsdiff]),
        Ptx::Vabsdiff2 => ("d = |a - b| of two halves; .add c + their sum", &[Vabsdiff, Prmt]),
        Ptx::Vabsdiff4 => ("d = |a - b| of four bytes; .add c + their sum", &[Vabsdiff4]),
        Ptx::Vmad => ("d = a * b + c, of words, halves or bytes", &[Imad]),
        Ptx::Vset => ("d = (a cmp b) as 1 or 0, of words, halves or bytes", &[Isetp, Sel, Shf]),
        Ptx::Vote => {
            ("d = the predicate of all lanes as bits; p = it holds for all, any, or equally", &[Vote])
        }
        Ptx::Wgmma => (
            "d = a * b + d for the 64 rows of four warps together, while they go on; .fence, .commit_group and .wait_group order it",
            &[Hgmma, Igmma, Qgmma, Warpgroup, R2ur, Mov, Cs2r],
        ),
        Ptx::Wmma => (
            "loads, multiplies and adds, or stores matrices that the lanes of a warp hold together",
            &[
                Hmma, Imma, Dmma, Ldsm, Movm, Ldg, Stg, Lds, Sts, Ld, St, Iadd3, Imad, Lea, Lop3, Mov, Nop,
                Prmt, S2r, S2ur, Shf, Uldc, Ulea, Umov, Cs2r,
            ],
        ),
        Ptx::Xor => ("d = a exclusive-or b, bit by bit", &[Lop3, Plop3]),
    }
}
