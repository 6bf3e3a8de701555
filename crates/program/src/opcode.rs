//! The opcode table: name, pipe, latency class, operand shape and meaning of every machine instruction.

use crate::latency::{LatencyClass, Pipe};
use std::fmt;

/// Which operands of an instruction are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Leading predicates and the first register are written, the rest is read: `LOP3 P0, R1, R2, ...`.
    Compute,
    /// As `Compute`, and predicates that follow the first register are written too: `IADD3 R1, P0, P1, R2, ...`.
    Carry,
    /// This many leading predicates are written, the rest is read: `ISETP P0, PT, R1, R2, PT`.
    Predicates(u8),
    /// The first register and the one predicate after it are written: `VOTE R1, P0, P1`.
    Vote,
    /// A convergence barrier or, moving from one, a register is written: `BSSY B0, target`.
    Barrier,
    /// What stands before the address is written, the rest is read: `SYNCS.PHASECHK P0, [R1], R2`.
    BeforeAddress,
    /// Nothing is written to a register.
    Effect,
}

/// One row of the opcode table.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// The name as printed.
    pub name: &'static str,
    /// The unit that executes it.
    pub pipe: Pipe,
    /// The row of the latency table.
    pub latency: LatencyClass,
    /// Which operands are written.
    pub shape: Shape,
    /// What it computes, in one line.
    pub meaning: &'static str,
}

macro_rules! opcodes {
    ($($variant:ident $name:literal $pipe:ident $latency:ident $shape:expr, $meaning:literal;)*) => {
        /// The name of a machine instruction, without its modifiers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Opcode { $(#[doc = $meaning] $variant,)* }

        impl Opcode {
            /// Every opcode, in the order of the table.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$variant,)*];
        }

        static TABLE: &[OpcodeInfo] = &[$(OpcodeInfo {
            name: $name,
            pipe: Pipe::$pipe,
            latency: LatencyClass::$latency,
            shape: $shape,
            meaning: $meaning,
        },)*];
    };
}

use Shape::{Barrier, BeforeAddress, Carry, Compute, Effect, Predicates, Vote};

opcodes! {
    // Integer arithmetic.
    Iadd3 "IADD3" Alu Alu Carry, "d = a + b + c, with carries out; .X adds carries in";
    Imad "IMAD" FmaHeavy Fma Carry, "d = a * b + c; .WIDE a 64-bit product and sum, .HI its upper half (c is 64 bits wide), .X with carry in; .MOV .SHL .IADD name special uses";
    Lea "LEA" Alu Alu Carry, "d = (a << n) + b with carry out; .HI the upper half of (c:a << n) + b; .X adds the carry in";
    Lop3 "LOP3" Alu Alu Compute, "d = any bitwise function of a, b, c, given by its truth table; a predicate out says d != 0";
    Shf "SHF" Alu Alu Compute, "d = funnel shift of c:a by b; .L left, .R right, .HI the upper half, .W the count wraps";
    Shl "SHL" Alu Alu Compute, "d = a << b; .W the count wraps";
    Shr "SHR" Alu Alu Compute, "d = a >> b, arithmetic for .S32; .W the count wraps";
    Isetp "ISETP" Alu Predicate Predicates(2), "p = (a cmp b) op c, q = !(a cmp b) op c; .EX continues a 64-bit comparison";
    Iabs "IABS" Alu Alu Compute, "d = |a|";
    Imnmx "IMNMX" Alu Alu Compute, "d = p ? min(a, b) : max(a, b)";
    Vimnmx "VIMNMX" Alu Alu Carry, "d = p ? min(a, b) : max(a, b); .S16x2 .U16x2 of both halves, predicates out say where a was taken (lower, upper)";
    Vimnmx3 "VIMNMX3" Alu Alu Compute, "d = p ? min(a, b, c) : max(a, b, c)";
    Viaddmnmx "VIADDMNMX" Alu Alu Compute, "d = p ? min(a + b, c) : max(a + b, c)";
    Viadd "VIADD" FmaHeavy Fma Compute, "d = a + b; .16x2 of both halves";
    Vabsdiff "VABSDIFF" Alu Alu Compute, "d = |a - b| + c";
    Vabsdiff4 "VABSDIFF4" Alu Alu Compute, "d = |a - b| of four bytes; .ACC their sum + c";
    Sel "SEL" Alu Alu Compute, "d = p ? a : b";
    Prmt "PRMT" Alu Alu Compute, "d = four bytes of b:a chosen by the nibbles of the selector";
    Bmsk "BMSK" Alu Alu Compute, "d = a mask of b bits from bit a";
    Sgxt "SGXT" Alu Alu Compute, "d = the lower b bits of a, sign-extended; .U32 zero-extended";
    Idp "IDP" FmaHeavy Fma Compute, "d = c + the dot product of four bytes (or two halves and two bytes) of a and b";
    Popc "POPC" Xu Transcendental Compute, "d = the number of bits set in a";
    Flo "FLO" Xu Transcendental Compute, "d = the position of the highest bit of a that differs from its sign; .SH the distance from bit 31";
    Brev "BREV" Xu Transcendental Compute, "d = the bits of a in reverse order";
    Mov "MOV" Alu Alu Compute, "d = a";
    // Conversions.
    I2f "I2F" Xu Transcendental Compute, "d = the integer a as a float";
    I2fp "I2FP" Alu Alu Compute, "d = the 32-bit integer a as a float";
    F2i "F2I" Xu Transcendental Compute, "d = the float a as an integer, rounded and saturated; NaN is zero (the largest negative for .NTZ-less 64 bit)";
    F2f "F2F" Xu Transcendental Compute, "d = the float a as a float of another width";
    F2fp "F2FP" Alu Alu Compute, "d = two floats packed as halves, or below c as bytes (.E4M3, .E5M2); .UNPACK_B two bytes as halves; .TF32 one float with ten bits of fraction";
    F2ip "F2IP" Alu Alu Compute, "d = two floats as integers, saturated, packed as bytes (.S8, .U8) below the lower half of c";
    I2i "I2I" Xu Transcendental Compute, "d = the integer a as a narrower one, saturated";
    I2ip "I2IP" Alu Alu Compute, "d = integers packed into bytes or halves, saturated";
    Frnd "FRND" Xu Transcendental Compute, "d = a rounded to an integer, as a float";
    // Single precision.
    Fadd "FADD" Fma Fma Compute, "d = a + b";
    Fmul "FMUL" Fma Fma Compute, "d = a * b";
    Ffma "FFMA" Fma Fma Compute, "d = a * b + c, rounded once";
    Fmnmx "FMNMX" Alu Alu Compute, "d = p ? min(a, b) : max(a, b); a NaN loses; .NAN a NaN wins";
    Fsel "FSEL" Alu Alu Compute, "d = p ? a : b";
    Fset "FSET" Alu Alu Compute, "d = (a cmp b) op p, as 1.0 (.BF) or all ones";
    Fsetp "FSETP" Alu Predicate Predicates(2), "p = (a cmp b) op c, q = !(a cmp b) op c";
    Fchk "FCHK" Xu Predicate Predicates(1), "p = the division a / b needs the slow path";
    Mufu "MUFU" Xu Transcendental Compute, "d = reciprocal, reciprocal square root, square root, sine, cosine, power or logarithm to base 2, hyperbolic tangent; .F16 .BF16 power or tangent of a half";
    Rro "RRO" Xu Transcendental Compute, "d = a prepared for MUFU";
    // Double precision.
    Dadd "DADD" Fp64 Fp64 Compute, "d = a + b, double precision";
    Dmul "DMUL" Fp64 Fp64 Compute, "d = a * b, double precision";
    Dfma "DFMA" Fp64 Fp64 Compute, "d = a * b + c, rounded once, double precision";
    Dsetp "DSETP" Fp64 Predicate Predicates(2), "p = (a cmp b) op c, q = !(a cmp b) op c, double precision";
    // Packed half precision.
    Hadd2 "HADD2" Fp16 Fp16 Compute, "two half-precision sums; .F32 the sum of one half as a float; .BF16_V2 bfloat16";
    Hmul2 "HMUL2" Fp16 Fp16 Compute, "two half-precision products; .BF16_V2 bfloat16";
    Hfma2 "HFMA2" Fp16 Fp16 Compute, "two half-precision multiply-adds; .BF16_V2 bfloat16; .MMA on the matrix pipe";
    Hmnmx2 "HMNMX2" Alu Alu Compute, "two half-precision minima or maxima";
    Vhmnmx "VHMNMX" Alu Alu Compute, "two half-precision minima or maxima of three";
    Hsetp2 "HSETP2" Fp16 Predicate Predicates(2), "two half-precision comparisons, to two predicates";
    Hset2 "HSET2" Fp16 Fp16 Compute, "two half-precision comparisons, as packed 1.0 or ones";
    // Products of matrices that the lanes of a warp hold together.
    Hmma "HMMA" Tensor TensorLong Compute, "d = a * b + c, matrices of 16 bits or TF32 with sums in single (.F32) or half precision (.F16)";
    Imma "IMMA" Tensor TensorLong Compute, "d = a * b + c, matrices of bytes with sums of 32 bits; .SAT saturated";
    Dmma "DMMA" Tensor TensorDouble Compute, "d = a * b + c, matrices in double precision";
    Hgmma "HGMMA" Tensor Warpgroup Compute, "d = a * b + p * d, for the 64 rows of four warps together, while they go on; matrices of 16 bits or TF32, a and b by descriptors in shared memory, or a in registers";
    Qgmma "QGMMA" Tensor Warpgroup Compute, "as HGMMA, matrices of floats of eight bits (.E4M3, .E5M2)";
    Igmma "IGMMA" Tensor Warpgroup Compute, "as HGMMA, matrices of bytes with sums of 32 bits; .SAT saturated";
    Warpgroup "WARPGROUP" Cbu Branch Effect, ".ARRIVE what the warps of a warpgroup have written is there for their products; .DEPBAR waits until at most n groups of products are under way";
    Movm "MOVM" Lsu Shuffle Compute, "d = the transpose of an 8x8 matrix of 16-bit elements that the lanes hold together";
    // Predicates.
    Plop3 "PLOP3" Alu Predicate Predicates(2), "p, q = any two functions of three predicates or signs of registers, given by their truth tables";
    P2r "P2R" Alu Alu Compute, "d = the predicates as bits, under a mask";
    R2p "R2P" Alu Predicate Predicates(1), "the predicates = bits of a, under a mask";
    // Special registers and constants.
    S2r "S2R" Adu SpecialRegister Compute, "d = a special register";
    S2ur "S2UR" Adu SpecialRegister Compute, "d = a special register that is the same for the warp";
    Cs2r "CS2R" Alu Clock Compute, "d = a special register at fixed latency; 64 bits unless .32";
    Ldc "LDC" Adu ConstantLoad Compute, "d = a value of a constant bank";
    Ldcu "LDCU" Adu ConstantLoad Compute, "d = a value of a constant bank, to a register of the warp";
    Ldg "LDG" Lsu GlobalLoad Compute, "d = global memory at an address";
    Ld "LD" Lsu GlobalLoad Compute, "d = memory at a generic address";
    Ldl "LDL" Lsu GlobalLoad Compute, "d = the thread's local memory at an address";
    Lds "LDS" Lsu SharedLoad Compute, "d = shared memory at an address";
    Ldsm "LDSM" Lsu SharedLoad Compute, "d = 8x8 matrices of halves from shared memory, a row a lane";
    Ldgsts "LDGSTS" Lsu GlobalLoad Effect, "shared memory at an address = global memory at another, while the warp goes on; .ZFILL zeros for as many bytes at the end as the second address is misaligned by, or for all where a predicate is false";
    Ldgdepbar "LDGDEPBAR" Lsu GlobalLoad Effect, "a wait counter goes up until every LDGSTS before it has ended";
    Syncs "SYNCS" Lsu SharedLoad BeforeAddress, "a barrier in shared memory: .EXCH it becomes a; .ARRIVE arrivals (.A0 .A1 .AR none, one, a of each lane) and bytes to come (.T0 .TR none, a of each lane; .T1 .TX one or a that have come), d = what it was, .OPTOUT for all phases; .PHASECHK p = the phase is over that has a as its parity, .TRYWAIT waits a while; .CCTL.IV it is none any more";
    Arrives "ARRIVES" Lsu SharedLoad Effect, "each lane arrives at a barrier in shared memory when its LDGSTS so far have ended; .TRANSCNT one byte has come, .ARVCNT an arrival";
    Ublkcp "UBLKCP" Lsu Store Effect, "copies a * 16 bytes while the warp goes on: .S.G from global to shared memory, after which they have come to the barrier in the second register of the target; .G.S from shared to global memory; .S.S to shared memory of a block of the cluster; .MULTICAST to all blocks that the upper half of a names";
    Ublkred "UBLKRED" Lsu Store Effect, "as UBLKCP.G.S, but values in global memory are changed by an operation";
    Ublkpf "UBLKPF" Lsu Store Effect, "brings a * 16 bytes of global memory to L2";
    Utmaldg "UTMALDG" Lsu Store Effect, "copies a box of a tensor to shared memory while the warp goes on: the target, the barrier that is told and the coordinates are in registers of the warp one after the other, the place of the tensor map in two more; .MULTICAST to the blocks of the cluster that the upper half of a third register names";
    Utmastg "UTMASTG" Lsu Store Effect, "copies a box of a tensor from shared memory: its place there and the coordinates, then the place of the tensor map";
    Utmaredg "UTMAREDG" Lsu Store Effect, "as UTMASTG, but elements of the tensor are changed by an operation";
    Utmapf "UTMAPF" Lsu Store Effect, "brings a box of a tensor to L2: the coordinates, then the place of the tensor map";
    Utmacctl "UTMACCTL" Lsu Barrier Effect, "orders what is done with a tensor map; a map is read anew by each copy here";
    Utmacmdflush "UTMACMDFLUSH" Lsu Store Effect, "a wait counter goes up until every copy to global memory before it has read shared memory";
    Fence "FENCE" Lsu Barrier Effect, "orders what threads and UBLKCP do with memory; both do it in order here";
    Stg "STG" Lsu Store Effect, "global memory at an address = a";
    St "ST" Lsu Store Effect, "memory at a generic address = a";
    Stl "STL" Lsu Store Effect, "the thread's local memory at an address = a";
    Sts "STS" Lsu Store Effect, "shared memory at an address = a";
    Stas "STAS" Lsu Store Effect, "shared memory of a block of the cluster = a, after which the bytes have come to a barrier there: both addresses are in a pair of registers";
    Redas "REDAS" Lsu Store Effect, "as STAS, but what is there is changed by an operation";
    Stsm "STSM" Lsu Store Effect, "shared memory = 8x8 matrices of halves that the lanes hold together, a row a lane";
    Atom "ATOM" Lsu Atomic Compute, "d = memory at a generic address, which is changed by an operation at once";
    Atomg "ATOMG" Lsu Atomic Compute, "d = global memory at an address, which is changed by an operation at once";
    Atoms "ATOMS" Lsu Atomic Compute, "d = shared memory at an address, which is changed by an operation at once";
    Red "RED" Lsu Store Effect, "memory at a global address is changed by an operation at once";
    Redg "REDG" Lsu Store Effect, "global memory at an address is changed by an operation at once";
    Qspc "QSPC" Lsu SharedLoad Compute, "p = a generic address is in the named space";
    Cctl "CCTL" Lsu Store Effect, "a cache operation: prefetch, invalidate or write back; no result";
    Cctll "CCTLL" Lsu Store Effect, "a cache operation on local memory; no result";
    Membar "MEMBAR" Lsu Barrier Effect, "waits until the thread's earlier memory operations are seen by the block, GPU or system";
    Errbar "ERRBAR" Lsu Barrier Effect, "waits for errors of earlier memory operations; none are late here";
    Cgaerrbar "CGAERRBAR" Lsu Barrier Effect, "as ERRBAR, for the blocks of a cluster";
    // Warp-wide instructions.
    Shfl "SHFL" Lsu Shuffle Compute, "d = a of another lane; p = that lane is in the segment";
    Vote "VOTE" Alu Vote Vote, "d = the predicate of all active lanes as bits; p = it holds for all, any, or equally";
    Voteu "VOTEU" Alu UniformMove Vote, "a register of the warp = the predicate of all active lanes as bits; p = it holds for all, any, or equally";
    Match "MATCH" Lsu LaneMatch Compute, "d = the lanes with the same a; .ALL p = all lanes have the same";
    Redux "REDUX" Lsu LaneReduction Compute, "a register of the warp = sum, minimum, maximum, and, or, xor of a over the active lanes";
    Elect "ELECT" Alu Predicate Compute, "p = this is the lowest active lane; a register of the warp = its number";
    R2ur "R2UR" Alu UniformToVector Compute, "a register of the warp = a of the lowest active lane; p = the lane has another a, or (.OR) p";
    // Scalar datapath.
    Umov "UMOV" Uniform UniformMove Compute, "d = a, scalar";
    Uiadd3 "UIADD3" Uniform Uniform Carry, "d = a + b + c, scalar, with carries out; .X adds carries in";
    Uimad "UIMAD" Uniform Uniform Carry, "d = a * b + c, scalar; .WIDE a 64-bit product and sum";
    Ulea "ULEA" Uniform Uniform Carry, "d = (a << n) + b, scalar, with carry out; .HI and .X as LEA";
    Ulop3 "ULOP3" Uniform Uniform Compute, "d = any bitwise function of a, b, c, scalar";
    Ushf "USHF" Uniform Uniform Compute, "d = funnel shift of c:a by b, scalar";
    Uisetp "UISETP" Uniform Uniform Predicates(2), "p = (a cmp b) op c, scalar";
    Usel "USEL" Uniform Uniform Compute, "d = p ? a : b, scalar";
    Uprmt "UPRMT" Uniform Uniform Compute, "d = four bytes of b:a chosen by the nibbles of the selector, scalar";
    Ubmsk "UBMSK" Uniform Uniform Compute, "d = a mask of b bits from bit a, scalar";
    Usgxt "USGXT" Uniform Uniform Compute, "d = the lower b bits of a, extended, scalar";
    Upopc "UPOPC" Uniform Uniform Compute, "d = the number of bits set in a, scalar";
    Uflo "UFLO" Uniform Uniform Compute, "d = the position of the highest bit of a, scalar";
    Ubrev "UBREV" Uniform Uniform Compute, "d = the bits of a in reverse order, scalar";
    Uplop3 "UPLOP3" Uniform Uniform Predicates(2), "p, q = any two functions of three predicates, scalar";
    Uldc "ULDC" Uniform UniformMove Compute, "d = a value of a constant bank, scalar";
    Up2ur "UP2UR" Uniform Uniform Compute, "d = the predicates of the warp as bits, under a mask, scalar";
    Uvimnmx "UVIMNMX" Uniform Uniform Compute, "d = p ? min(a, b) : max(a, b), scalar";
    // Control flow.
    Bra "BRA" Cbu Branch Effect, "goes to the target; .DIV only if the lanes of the mask are not all active; .CONV only if they are";
    Brx "BRX" Cbu Branch Effect, "goes to a + offset, each lane to its own";
    Brxu "BRXU" Cbu Branch Effect, "goes to a scalar a + offset";
    Jmp "JMP" Cbu Branch Effect, "goes to an absolute target";
    Jmx "JMX" Cbu Branch Effect, "goes to an absolute a + offset";
    Call "CALL" Cbu Branch Effect, "goes to a function; the program has put the return address into registers";
    Lepc "LEPC" Alu Alu Compute, "d = the code address of a target, or its own, in a pair of registers";
    Syscall "SYSCALL" Cbu Alu Compute, "calls the driver with its arguments as operands: .VPRINTF .ASSERTFAIL .MALLOC .FREE; of the simulator's own compiler";
    Ret "RET" Cbu Branch Effect, "returns to the address in a pair of registers";
    Exit "EXIT" Cbu Branch Effect, "ends the thread";
    Bssy "BSSY" Cbu Branch Barrier, "the barrier = the active lanes, which will meet at the target";
    Bsync "BSYNC" Cbu Branch Effect, "waits for the live lanes of the barrier";
    Break "BREAK" Cbu Branch Effect, "the lanes leave the barrier";
    Bmov "BMOV" Cbu Branch Barrier, "copies a barrier to or from a register; .CLEAR empties it";
    Warpsync "WARPSYNC" Cbu Branch Effect, "waits for the lanes of a mask";
    Endcollective "ENDCOLLECTIVE" Cbu Branch Effect, "ends a region that lanes run together";
    Yield "YIELD" Cbu Branch Effect, "lets other lanes of the warp go first";
    Nanosleep "NANOSLEEP" Cbu Branch Effect, "sleeps for about a nanoseconds";
    Bar "BAR" Adu Barrier Effect, "waits for the warps of the block; .ARV only arrives; .RED reduces a predicate";
    B2r "B2R" Adu SpecialRegister Carry, "d = the result of a barrier reduction";
    Depbar "DEPBAR" Cbu Branch Effect, "waits until a wait counter is at most n";
    Bpt "BPT" Cbu Branch Effect, "a trap: stops the launch with an error";
    Kill "KILL" Cbu Branch Effect, "ends the thread";
    Acqbulk "ACQBULK" Cbu Branch Effect, "waits for the grids that this one depends on; there is one grid here";
    UcgabarArv "UCGABAR_ARV" Cbu Branch Effect, "the warp arrives at the barrier of its cluster";
    UcgabarWait "UCGABAR_WAIT" Cbu Branch Effect, "waits for the warps of its cluster that have not arrived";
    Usetmaxreg "USETMAXREG" Uniform Uniform Predicates(1), "gives registers of the warp back or takes more; p = it has them";
    Preexit "PREEXIT" Cbu Branch Effect, "lets dependent grids start; there is one grid here";
    Nop "NOP" Alu Alu Effect, "does nothing";
}

impl Opcode {
    /// The row of the opcode table.
    #[must_use]
    pub fn info(self) -> &'static OpcodeInfo {
        &TABLE[self as usize]
    }

    /// The name as printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The opcode with this printed name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Opcode> {
        Opcode::ALL.iter().copied().find(|opcode| opcode.name() == name)
    }

    /// Whether the instruction's immediates are floating-point numbers.
    #[must_use]
    pub fn takes_floats(self) -> bool {
        use Opcode::*;
        matches!(
            self,
            Fadd | Fmul
                | Ffma
                | Fmnmx
                | Fsel
                | Fset
                | Fsetp
                | Fchk
                | Mufu
                | Dadd
                | Dmul
                | Dfma
                | Dsetp
                | Frnd
                | F2fp
                | F2ip
        )
    }

    /// Whether the instruction's immediates are half-precision numbers, two for one source.
    #[must_use]
    pub fn takes_halves(self) -> bool {
        use Opcode::*;
        matches!(self, Hadd2 | Hmul2 | Hfma2 | Hmnmx2 | Vhmnmx | Hset2 | Hsetp2)
    }

    /// Whether the instruction computes in double precision, so that an immediate is the upper half of a double.
    #[must_use]
    pub fn takes_doubles(self) -> bool {
        matches!(self, Opcode::Dadd | Opcode::Dmul | Opcode::Dfma | Opcode::Dsetp)
    }

    /// Whether the next instruction to execute may be another than the one that follows.
    #[must_use]
    pub fn changes_flow(self) -> bool {
        use Opcode::*;
        matches!(self, Bra | Brx | Brxu | Jmp | Jmx | Call | Ret | Exit | Kill | Bsync | Warpsync | Bpt)
    }

    /// Whether it copies more than a line at once, and names its places in several registers of the warp each.
    #[must_use]
    pub fn copies_in_bulk(self) -> bool {
        matches!(self, Opcode::Ublkcp | Opcode::Ublkred | Opcode::Ublkpf) || self.copies_boxes()
    }

    /// Whether it copies boxes of tensors.
    #[must_use]
    pub fn copies_boxes(self) -> bool {
        matches!(self, Opcode::Utmaldg | Opcode::Utmastg | Opcode::Utmaredg | Opcode::Utmapf)
    }

    /// Whether the instruction reads or writes memory (constant banks excepted).
    #[must_use]
    pub fn accesses_memory(self) -> bool {
        use Opcode::*;
        matches!(
            self,
            Ldg | Ld
                | Ldl
                | Lds
                | Ldsm
                | Ldgsts
                | Syncs
                | Arrives
                | Ublkcp
                | Ublkred
                | Utmaldg
                | Utmastg
                | Utmaredg
                | Stg
                | St
                | Stl
                | Sts
                | Stsm
                | Stas
                | Redas
                | Atom
                | Atomg
                | Atoms
                | Red
                | Redg
                | Cctl
                | Cctll
        )
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
