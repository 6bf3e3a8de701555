//! The dotted parts of an opcode: `.E`, `.64`, `.WIDE`, `.U32`, ...

use arrayvec::ArrayVec;
use std::fmt;

macro_rules! modifiers {
    ($($variant:ident = $text:literal,)*) => {
        /// One dotted part of an opcode, as a disassembler prints it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)] // Each is documented by its text and by the opcodes that take it.
        pub enum Modifier { $($variant,)* }

        impl Modifier {
            /// Every modifier.
            pub const ALL: &'static [Modifier] = &[$(Modifier::$variant,)*];

            /// The text after the dot.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Modifier::$variant => $text,)* }
            }
        }
    };
}

modifiers! {
    // Sizes and types.
    B8 = "8", B16 = "16", B32 = "32", B64 = "64", B96 = "96", B128 = "128", U8 = "U8", S8 = "S8", U16 = "U16", S16 = "S16",
    U32 = "U32", S32 = "S32", U64 = "U64", S64 = "S64", F16 = "F16", BF16 = "BF16", F32 = "F32", F64 = "F64",
    F16x2 = "F16x2", F16x4 = "F16x4", F16x8 = "F16x8", Bf16V2 = "BF16_V2", Bf16x2 = "BF16x2", Bf16x4 = "BF16x4",
    Bf16x8 = "BF16x8", F32x2 = "F32x2", F32x4 = "F32x4", S16x2 = "S16x2", U16x2 = "U16x2", Two16 = "16x2", E4m3 = "E4M3",
    E5m2 = "E5M2", PackAb = "PACK_AB", PackB = "PACK_B", PackAbMergeC = "PACK_AB_MERGE_C", UnpackB = "UNPACK_B", UnpackBMergeC = "UNPACK_B_MERGE_C", U24 = "U24", S24 = "S24",
    // Integer arithmetic.
    Wide = "WIDE", Hi = "HI", Lo = "LO", X = "X", Mov = "MOV", Shl = "SHL", Iadd = "IADD", L = "L", R = "R", W = "W",
    Sx32 = "SX32", Sh = "SH", Lut = "LUT", C = "C", Ex = "EX",
    // Comparisons and their combination.
    F = "F", Lt = "LT", Eq = "EQ", Le = "LE", Gt = "GT", Ne = "NE", Ge = "GE", Num = "NUM", Nan = "NAN", Ltu = "LTU",
    Equ = "EQU", Leu = "LEU", Gtu = "GTU", Neu = "NEU", Geu = "GEU", T = "T", And = "AND", Or = "OR", Xor = "XOR",
    // Floating point.
    Ftz = "FTZ", Sat = "SAT", Rn = "RN", Rm = "RM", Rp = "RP", Rz = "RZ", Floor = "FLOOR", Ceil = "CEIL",
    D2 = "D2", D4 = "D4", D8 = "D8", M2 = "M2", M4 = "M4", M8 = "M8", Satfinite = "SATFINITE", Acc = "ACC",
    Trunc = "TRUNC", Ntz = "NTZ", Fmz = "FMZ", Dnz = "DNZ", Mma = "MMA", Relu = "RELU", Mnmx = "XORSIGN",
    // Transcendental functions.
    Rcp = "RCP", Rsq = "RSQ", Sqrt = "SQRT", Sin = "SIN", Cos = "COS", Ex2 = "EX2", Lg2 = "LG2", Tanh = "TANH",
    Rcp64h = "RCP64H", Rsq64h = "RSQ64H",
    // Memory.
    E = "E", Constant = "CONSTANT", Strong = "STRONG", Weak = "WEAK", Gpu = "GPU", Sys = "SYS", Cta = "CTA", Sm = "SM",
    Vc = "VC", Ef = "EF", El = "EL", Lu = "LU", Eu = "EU", Na = "NA", Private = "PRIVATE", Il = "IL", Is = "IS", Isl = "ISL",
    Ltc64B = "LTC64B", Ltc128B = "LTC128B", Ltc256B = "LTC256B", Bypass = "BYPASS", U = "U", Mmio = "MMIO", Zd = "ZD",
    // Atomics.
    Add = "ADD", Min = "MIN", Max = "MAX", Inc = "INC", Dec = "DEC", Exch = "EXCH", Cas = "CAS", CasT = "CAST", Spin = "SPIN",
    Popc = "POPC", Arrive = "ARRIVE", Safeadd = "SAFEADD", Load = "LOAD",
    // Warp-wide instructions.
    Idx = "IDX", Up = "UP", Down = "DOWN", Bfly = "BFLY", All = "ALL", Any = "ANY", Sum = "SUM", Uni = "UNI",
    // Barriers, fences and control flow.
    Sync = "SYNC", Arv = "ARV", Red = "RED", DeferBlocking = "DEFER_BLOCKING", Sc = "SC", Ivall = "IVALL", Ivallp = "IVALLP",
    Iv = "IV", Wb = "WB", Wball = "WBALL", Pf1 = "PF1", Pf1p5 = "PF1.5", Pf2 = "PF2", Clear = "CLEAR", Reconvergent = "RECONVERGENT", Scan = "SCAN",
    Result = "RESULT", Rel = "REL", Abs = "ABS", NoInc = "NOINC", NoDec = "NODEC", Inst = "INST", Div = "DIV", Conv = "CONV",
    Async = "ASYNC", Collective = "COLLECTIVE", Pr = "PR", Noconv = "NOCONV",
    H0 = "H0", H1 = "H1", B0 = "B0", B1 = "B1", B2 = "B2", B3 = "B3",
    // Permutation modes.
    F4e = "F4E", B4e = "B4E", Rc8 = "RC8", Ecl = "ECL", Ecr = "ECR", Rc16 = "RC16",
    // Dot products, comparison results, address spaces, traps.
    Dot4 = "4A", Dot2 = "2A", Bf = "BF", H0And = "H0_AND", Divide = "DIVIDE", S = "S", G = "G", D = "D", Rml2 = "RML2", Dml2 = "DML2", Trap = "TRAP",
    Exclusive = "EXCLUSIVE", Zfill = "ZFILL",
    // Barriers in shared memory and bulk copies.
    Trans64 = "TRANS64", A0t1 = "A0T1", A0tr = "A0TR", A0tx = "A0TX", A1t0 = "A1T0", Art0 = "ART0", Tmask = "TMASK",
    Optout = "OPTOUT", Phasechk = "PHASECHK", Trywait = "TRYWAIT", Cctl = "CCTL", Ldgstsbar = "LDGSTSBAR",
    Arvcnt = "ARVCNT", Transcnt = "TRANSCNT", View = "VIEW", Multicast = "MULTICAST", Level2 = "L2", Syncs = "SYNCS",
    Dealloc = "DEALLOC", TryAlloc = "TRY_ALLOC", Ctapool = "CTAPOOL",
    // Copies of boxes of tensors.
    OneD = "1D", TwoD = "2D", ThreeD = "3D", FourD = "4D", FiveD = "5D", Im2col = "IM2COL", Pf = "PF",
    // System calls.
    Vprintf = "VPRINTF", Assertfail = "ASSERTFAIL", Malloc = "MALLOC", Free = "FREE",
    // Matrix loads.
    M88 = "M88", Mt88 = "MT88", X2 = "2", X4 = "4",
    // Products of matrices.
    M16n8k4 = "1684", M16n8k8 = "1688", M16n8k16 = "16816", M16n8k32 = "16832", M16n8k64 = "16864", Sp = "SP", M8n8k16 = "8816", Tf32 = "TF32",
    M8x8x4 = "8x8x4", M16x8x4 = "16x8x4", M16x8x8 = "16x8x8", M16x8x16 = "16x8x16",
    // Products of warpgroups: rows, columns, depth.
    Depbar = "DEPBAR",
    G8x8 = "64x8x8", G8x16 = "64x8x16", G8x32 = "64x8x32", G16x8 = "64x16x8", G16x16 = "64x16x16",
    G16x32 = "64x16x32", G24x8 = "64x24x8", G24x16 = "64x24x16", G24x32 = "64x24x32", G32x8 = "64x32x8",
    G32x16 = "64x32x16", G32x32 = "64x32x32", G40x8 = "64x40x8", G40x16 = "64x40x16", G40x32 = "64x40x32",
    G48x8 = "64x48x8", G48x16 = "64x48x16", G48x32 = "64x48x32", G56x8 = "64x56x8", G56x16 = "64x56x16",
    G56x32 = "64x56x32", G64x8 = "64x64x8", G64x16 = "64x64x16", G64x32 = "64x64x32", G72x8 = "64x72x8",
    G72x16 = "64x72x16", G72x32 = "64x72x32", G80x8 = "64x80x8", G80x16 = "64x80x16", G80x32 = "64x80x32",
    G88x8 = "64x88x8", G88x16 = "64x88x16", G88x32 = "64x88x32", G96x8 = "64x96x8", G96x16 = "64x96x16",
    G96x32 = "64x96x32", G104x8 = "64x104x8", G104x16 = "64x104x16", G104x32 = "64x104x32", G112x8 = "64x112x8",
    G112x16 = "64x112x16", G112x32 = "64x112x32", G120x8 = "64x120x8", G120x16 = "64x120x16", G120x32 = "64x120x32",
    G128x8 = "64x128x8", G128x16 = "64x128x16", G128x32 = "64x128x32", G136x8 = "64x136x8", G136x16 = "64x136x16",
    G136x32 = "64x136x32", G144x8 = "64x144x8", G144x16 = "64x144x16", G144x32 = "64x144x32", G152x8 = "64x152x8",
    G152x16 = "64x152x16", G152x32 = "64x152x32", G160x8 = "64x160x8", G160x16 = "64x160x16", G160x32 = "64x160x32",
    G168x8 = "64x168x8", G168x16 = "64x168x16", G168x32 = "64x168x32", G176x8 = "64x176x8", G176x16 = "64x176x16",
    G176x32 = "64x176x32", G184x8 = "64x184x8", G184x16 = "64x184x16", G184x32 = "64x184x32", G192x8 = "64x192x8",
    G192x16 = "64x192x16", G192x32 = "64x192x32", G200x8 = "64x200x8", G200x16 = "64x200x16", G200x32 = "64x200x32",
    G208x8 = "64x208x8", G208x16 = "64x208x16", G208x32 = "64x208x32", G216x8 = "64x216x8", G216x16 = "64x216x16",
    G216x32 = "64x216x32", G224x8 = "64x224x8", G224x16 = "64x224x16", G224x32 = "64x224x32", G232x8 = "64x232x8",
    G232x16 = "64x232x16", G232x32 = "64x232x32", G240x8 = "64x240x8", G240x16 = "64x240x16", G240x32 = "64x240x32",
    G248x8 = "64x248x8", G248x16 = "64x248x16", G248x32 = "64x248x32", G256x8 = "64x256x8", G256x16 = "64x256x16",
    G256x32 = "64x256x32",
}

impl Modifier {
    /// The modifier with this text after the dot.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Modifier> {
        Modifier::ALL.iter().copied().find(|modifier| modifier.name() == name)
    }
}

impl fmt::Display for Modifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name())
    }
}

/// The dotted parts of one opcode, in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modifiers(ArrayVec<Modifier, 8>);

impl Modifiers {
    /// Whether `modifier` is among them.
    #[must_use]
    pub fn has(&self, modifier: Modifier) -> bool {
        self.0.contains(&modifier)
    }

    /// The first of `candidates` that is among them.
    #[must_use]
    pub fn first_of(&self, candidates: &[Modifier]) -> Option<Modifier> {
        self.0.iter().copied().find(|modifier| candidates.contains(modifier))
    }

    /// Adds one at the end; false when there is no room left.
    pub fn push(&mut self, modifier: Modifier) -> bool {
        self.0.try_push(modifier).is_ok()
    }

    /// Removes one where it stands.
    pub fn remove(&mut self, modifier: Modifier) {
        self.0.retain(|&mut other| other != modifier);
    }

    /// The modifiers in written order.
    #[must_use]
    pub fn as_slice(&self) -> &[Modifier] {
        &self.0
    }
}

impl From<&[Modifier]> for Modifiers {
    fn from(modifiers: &[Modifier]) -> Modifiers {
        Modifiers(modifiers.iter().copied().take(8).collect())
    }
}

impl fmt::Display for Modifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|modifier| modifier.fmt(f))
    }
}

#[cfg(test)]
mod tests {
    use super::Modifier;

    #[test]
    fn every_modifier_has_its_own_text() {
        for modifier in Modifier::ALL {
            assert_eq!(Modifier::from_name(modifier.name()), Some(*modifier));
        }
    }
}
