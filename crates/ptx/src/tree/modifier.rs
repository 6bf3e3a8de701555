//! The dotted parts of an instruction.

use std::fmt;

use super::name::named;
use super::types::{Space, Type};

named! {
    /// A rounding mode; those ending in `i` round to an integral value.
    Rounding {
        Rn = "rn",
        Rz = "rz",
        Rm = "rm",
        Rp = "rp",
        Rni = "rni",
        Rzi = "rzi",
        Rmi = "rmi",
        Rpi = "rpi",
        Rna = "rna",
    }
}

named! {
    /// A comparison: signed or ordered, unsigned (`lo ls hi hs`), unordered (ending in `u`), and tests for NaN.
    Compare {
        Eq = "eq",
        Ne = "ne",
        Lt = "lt",
        Le = "le",
        Gt = "gt",
        Ge = "ge",
        Lo = "lo",
        Ls = "ls",
        Hi = "hi",
        Hs = "hs",
        Equ = "equ",
        Neu = "neu",
        Ltu = "ltu",
        Leu = "leu",
        Gtu = "gtu",
        Geu = "geu",
        Num = "num",
        Nan = "nan",
    }
}

named! {
    /// What an atomic or reduction does, and how `setp` combines its predicate.
    Operation {
        And = "and",
        Or = "or",
        Xor = "xor",
        Cas = "cas",
        Exch = "exch",
        Add = "add",
        Inc = "inc",
        Dec = "dec",
        Min = "min",
        Max = "max",
        Popc = "popc",
    }
}

named! {
    /// The part of a product that `mul` and `mad` keep, or of a word that `dp2a` takes.
    Half {
        Lo = "lo",
        Hi = "hi",
        Wide = "wide",
    }
}

named! {
    /// How many elements a vector access moves.
    Vector {
        V2 = "v2",
        V4 = "v4",
        V8 = "v8",
    }
}

impl Vector {
    /// The number of elements.
    #[must_use]
    pub fn lanes(self) -> u32 {
        match self {
            Vector::V2 => 2,
            Vector::V4 => 4,
            Vector::V8 => 8,
        }
    }
}

named! {
    /// Which threads see a memory operation in order.
    Scope {
        Cta = "cta",
        Cluster = "cluster",
        Gpu = "gpu",
        Gl = "gl",
        Sys = "sys",
    }
}

named! {
    /// The memory order of an access or fence.
    Semantics {
        Weak = "weak",
        Volatile = "volatile",
        Relaxed = "relaxed",
        Acquire = "acquire",
        Release = "release",
        AcqRel = "acq_rel",
        Sc = "sc",
        Mmio = "mmio",
    }
}

named! {
    /// A cache operator.
    Cache {
        Ca = "ca",
        Cg = "cg",
        Cs = "cs",
        Lu = "lu",
        Cv = "cv",
        Wb = "wb",
        Wt = "wt",
    }
}

named! {
    /// Advice to a cache: eviction priority, prefetch size, or that a policy operand follows.
    Hint {
        L1EvictNormal = "L1::evict_normal",
        L1EvictUnchanged = "L1::evict_unchanged",
        L1EvictFirst = "L1::evict_first",
        L1EvictLast = "L1::evict_last",
        L1NoAllocate = "L1::no_allocate",
        L2EvictNormal = "L2::evict_normal",
        L2EvictUnchanged = "L2::evict_unchanged",
        L2EvictFirst = "L2::evict_first",
        L2EvictLast = "L2::evict_last",
        L2CacheHint = "L2::cache_hint",
        L2Bytes64 = "L2::64B",
        L2Bytes128 = "L2::128B",
        L2Bytes256 = "L2::256B",
        L1 = "L1",
        L2 = "L2",
    }
}

named! {
    /// How `shfl` names the lane to read.
    ShuffleMode {
        Up = "up",
        Down = "down",
        Bfly = "bfly",
        Idx = "idx",
    }
}

named! {
    /// What `vote` and `match` ask of the lanes.
    VoteMode {
        All = "all",
        Any = "any",
        Uni = "uni",
        Ballot = "ballot",
    }
}

named! {
    /// Which way `shf` shifts.
    Direction {
        L = "l",
        R = "r",
    }
}

named! {
    /// What a shift amount above the width does.
    Clamp {
        Clamp = "clamp",
        Wrap = "wrap",
    }
}

named! {
    /// How `prmt` reads its selector.
    PermuteMode {
        F4e = "f4e",
        B4e = "b4e",
        Rc8 = "rc8",
        Ecl = "ecl",
        Ecr = "ecr",
        Rc16 = "rc16",
    }
}

named! {
    /// What `testp` asks of a number.
    NumberClass {
        Finite = "finite",
        Infinite = "infinite",
        Number = "number",
        Notanumber = "notanumber",
        Normal = "normal",
        Subnormal = "subnormal",
    }
}

named! {
    /// What a fence is for, besides ordinary memory order.
    FenceKind {
        Proxy = "proxy",
        Alias = "alias",
        Async = "async",
        Tensormap = "tensormap::generic",
        MbarrierInit = "mbarrier_init",
    }
}

named! {
    /// The shape or layout of a matrix instruction.
    MatrixShape {
        M8n8 = "m8n8",
        M8n8k4 = "m8n8k4",
        M8n8k16 = "m8n8k16",
        M8n8k32 = "m8n8k32",
        M16n8k4 = "m16n8k4",
        M16n8k8 = "m16n8k8",
        M16n8k16 = "m16n8k16",
        M16n8k32 = "m16n8k32",
        M16n8k64 = "m16n8k64",
        M16n16k8 = "m16n16k8",
        M16n16k16 = "m16n16k16",
        M32n8k16 = "m32n8k16",
        M8n32k16 = "m8n32k16",
        M64n8k8 = "m64n8k8", M64n8k16 = "m64n8k16", M64n8k32 = "m64n8k32", M64n8k64 = "m64n8k64",
        M64n8k256 = "m64n8k256", M64n16k8 = "m64n16k8", M64n16k16 = "m64n16k16", M64n16k32 = "m64n16k32",
        M64n16k64 = "m64n16k64", M64n16k256 = "m64n16k256", M64n24k8 = "m64n24k8", M64n24k16 = "m64n24k16",
        M64n24k32 = "m64n24k32", M64n24k64 = "m64n24k64", M64n24k256 = "m64n24k256", M64n32k8 = "m64n32k8",
        M64n32k16 = "m64n32k16", M64n32k32 = "m64n32k32", M64n32k64 = "m64n32k64", M64n32k256 = "m64n32k256",
        M64n40k8 = "m64n40k8", M64n40k16 = "m64n40k16", M64n40k32 = "m64n40k32", M64n40k64 = "m64n40k64",
        M64n40k256 = "m64n40k256", M64n48k8 = "m64n48k8", M64n48k16 = "m64n48k16", M64n48k32 = "m64n48k32",
        M64n48k64 = "m64n48k64", M64n48k256 = "m64n48k256", M64n56k8 = "m64n56k8", M64n56k16 = "m64n56k16",
        M64n56k32 = "m64n56k32", M64n56k64 = "m64n56k64", M64n56k256 = "m64n56k256", M64n64k8 = "m64n64k8",
        M64n64k16 = "m64n64k16", M64n64k32 = "m64n64k32", M64n64k64 = "m64n64k64", M64n64k256 = "m64n64k256",
        M64n72k8 = "m64n72k8", M64n72k16 = "m64n72k16", M64n72k32 = "m64n72k32", M64n72k64 = "m64n72k64",
        M64n72k256 = "m64n72k256", M64n80k8 = "m64n80k8", M64n80k16 = "m64n80k16", M64n80k32 = "m64n80k32",
        M64n80k64 = "m64n80k64", M64n80k256 = "m64n80k256", M64n88k8 = "m64n88k8", M64n88k16 = "m64n88k16",
        M64n88k32 = "m64n88k32", M64n88k64 = "m64n88k64", M64n88k256 = "m64n88k256", M64n96k8 = "m64n96k8",
        M64n96k16 = "m64n96k16", M64n96k32 = "m64n96k32", M64n96k64 = "m64n96k64", M64n96k256 = "m64n96k256",
        M64n104k8 = "m64n104k8", M64n104k16 = "m64n104k16", M64n104k32 = "m64n104k32", M64n104k64 = "m64n104k64",
        M64n104k256 = "m64n104k256", M64n112k8 = "m64n112k8", M64n112k16 = "m64n112k16", M64n112k32 = "m64n112k32",
        M64n112k64 = "m64n112k64", M64n112k256 = "m64n112k256", M64n120k8 = "m64n120k8", M64n120k16 = "m64n120k16",
        M64n120k32 = "m64n120k32", M64n120k64 = "m64n120k64", M64n120k256 = "m64n120k256", M64n128k8 = "m64n128k8",
        M64n128k16 = "m64n128k16", M64n128k32 = "m64n128k32", M64n128k64 = "m64n128k64", M64n128k256 = "m64n128k256",
        M64n136k8 = "m64n136k8", M64n136k16 = "m64n136k16", M64n136k32 = "m64n136k32", M64n136k64 = "m64n136k64",
        M64n136k256 = "m64n136k256", M64n144k8 = "m64n144k8", M64n144k16 = "m64n144k16", M64n144k32 = "m64n144k32",
        M64n144k64 = "m64n144k64", M64n144k256 = "m64n144k256", M64n152k8 = "m64n152k8", M64n152k16 = "m64n152k16",
        M64n152k32 = "m64n152k32", M64n152k64 = "m64n152k64", M64n152k256 = "m64n152k256", M64n160k8 = "m64n160k8",
        M64n160k16 = "m64n160k16", M64n160k32 = "m64n160k32", M64n160k64 = "m64n160k64", M64n160k256 = "m64n160k256",
        M64n168k8 = "m64n168k8", M64n168k16 = "m64n168k16", M64n168k32 = "m64n168k32", M64n168k64 = "m64n168k64",
        M64n168k256 = "m64n168k256", M64n176k8 = "m64n176k8", M64n176k16 = "m64n176k16", M64n176k32 = "m64n176k32",
        M64n176k64 = "m64n176k64", M64n176k256 = "m64n176k256", M64n184k8 = "m64n184k8", M64n184k16 = "m64n184k16",
        M64n184k32 = "m64n184k32", M64n184k64 = "m64n184k64", M64n184k256 = "m64n184k256", M64n192k8 = "m64n192k8",
        M64n192k16 = "m64n192k16", M64n192k32 = "m64n192k32", M64n192k64 = "m64n192k64", M64n192k256 = "m64n192k256",
        M64n200k8 = "m64n200k8", M64n200k16 = "m64n200k16", M64n200k32 = "m64n200k32", M64n200k64 = "m64n200k64",
        M64n200k256 = "m64n200k256", M64n208k8 = "m64n208k8", M64n208k16 = "m64n208k16", M64n208k32 = "m64n208k32",
        M64n208k64 = "m64n208k64", M64n208k256 = "m64n208k256", M64n216k8 = "m64n216k8", M64n216k16 = "m64n216k16",
        M64n216k32 = "m64n216k32", M64n216k64 = "m64n216k64", M64n216k256 = "m64n216k256", M64n224k8 = "m64n224k8",
        M64n224k16 = "m64n224k16", M64n224k32 = "m64n224k32", M64n224k64 = "m64n224k64", M64n224k256 = "m64n224k256",
        M64n232k8 = "m64n232k8", M64n232k16 = "m64n232k16", M64n232k32 = "m64n232k32", M64n232k64 = "m64n232k64",
        M64n232k256 = "m64n232k256", M64n240k8 = "m64n240k8", M64n240k16 = "m64n240k16", M64n240k32 = "m64n240k32",
        M64n240k64 = "m64n240k64", M64n240k256 = "m64n240k256", M64n248k8 = "m64n248k8", M64n248k16 = "m64n248k16",
        M64n248k32 = "m64n248k32", M64n248k64 = "m64n248k64", M64n248k256 = "m64n248k256", M64n256k8 = "m64n256k8",
        M64n256k16 = "m64n256k16", M64n256k32 = "m64n256k32", M64n256k64 = "m64n256k64", M64n256k256 = "m64n256k256",
        X1 = "x1",
        X2 = "x2",
        X4 = "x4",
        Row = "row",
        Col = "col",
        Trans = "trans",
    }
}

impl MatrixShape {
    /// The columns and the depth of a product of a warpgroup, `m64n128k16`.
    #[must_use]
    pub fn of_warpgroup(self) -> Option<(u32, u32)> {
        let (columns, depth) = self.name().strip_prefix("m64n")?.split_once('k')?;
        Some((columns.parse().ok()?, depth.parse().ok()?))
    }

    /// Every shape of a product of a warpgroup.
    #[must_use]
    pub fn is_of_warpgroup(self) -> bool {
        self >= MatrixShape::M64n8k8 && self <= MatrixShape::M64n256k256
    }
}

named! {
    /// What `wmma` does, and with which matrix.
    Wmma {
        Load = "load",
        Store = "store",
        Mma = "mma",
        A = "a",
        B = "b",
        C = "c",
        D = "d",
    }
}

named! {
    /// A modifier that is simply there or not.
    Flag {
        Ftz = "ftz",
        Sat = "sat",
        Satfinite = "satfinite",
        Relu = "relu",
        Approx = "approx",
        Full = "full",
        Cc = "cc",
        Uni = "uni",
        To = "to",
        Nc = "nc",
        Sync = "sync",
        Arrive = "arrive",
        Wait = "wait",
        Red = "red",
        Warp = "warp",
        Aligned = "aligned",
        Idx = "idx",
        Shiftamt = "shiftamt",
        Xorsign = "xorsign",
        Abs = "abs",
        NaN = "NaN",
        Pack = "pack",
        Noftz = "noftz",
        Mask = "mask",
        LaunchDependents = "launch_dependents",
        Async = "async",
        CommitGroup = "commit_group",
        WaitGroup = "wait_group",
        WaitAll = "wait_all",
        Fractional = "fractional",
        Init = "init",
        Inval = "inval",
        ArriveDrop = "arrive_drop",
        ExpectTx = "expect_tx",
        CompleteTx = "complete_tx",
        TestWait = "test_wait",
        TryWait = "try_wait",
        PendingCount = "pending_count",
        Parity = "parity",
        NoComplete = "noComplete",
        Noinc = "noinc",
        Mbarrier = "mbarrier",
        Bulk = "bulk",
        Reduce = "reduce",
        Prefetch = "prefetch",
        BulkGroup = "bulk_group",
        Read = "read",
        CompleteTxBytes = "mbarrier::complete_tx::bytes",
        Multicast = "multicast::cluster",
        CpMask = "cp_mask",
        Tensor = "tensor",
        Tensormap = "tensormap",
        OneD = "1d",
        TwoD = "2d",
        ThreeD = "3d",
        FourD = "4d",
        FiveD = "5d",
        Tile = "tile",
        Im2col = "im2col",
        Range = "range",
        Unified = "unified",
        Fence = "fence",
        MmaAsync = "mma_async",
        Sp = "sp",
        SpOrdered = "sp::ordered_metadata",
        Replace = "replace",
        CpFenceproxy = "cp_fenceproxy",
        B1024 = "b1024",
        GlobalAddress = "global_address",
        Rank = "rank",
        BoxDim = "box_dim",
        GlobalDim = "global_dim",
        GlobalStride = "global_stride",
        ElementStride = "element_stride",
        Elemtype = "elemtype",
        InterleaveLayout = "interleave_layout",
        SwizzleMode = "swizzle_mode",
        FillMode = "fill_mode",
    }
}

/// One dotted part of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modifier {
    /// A type.
    Type(Type),
    /// A state space.
    Space(Space),
    /// A rounding mode.
    Rounding(Rounding),
    /// A comparison of `setp` and `set`.
    Compare(Compare),
    /// The operation of an atomic, or a combining one of `setp`.
    Operation(Operation),
    /// The part of a product.
    Half(Half),
    /// The number of elements of an access.
    Vector(Vector),
    /// A scope of memory order.
    Scope(Scope),
    /// A memory order.
    Semantics(Semantics),
    /// A cache operator.
    Cache(Cache),
    /// Advice to a cache.
    Hint(Hint),
    /// The mode of `shfl`.
    Shuffle(ShuffleMode),
    /// The mode of `vote` and `match`.
    Vote(VoteMode),
    /// The direction of `shf`.
    Direction(Direction),
    /// What a large shift amount does.
    Clamp(Clamp),
    /// The mode of `prmt`.
    Permute(PermuteMode),
    /// The question of `testp`.
    Number(NumberClass),
    /// The purpose of a fence.
    Fence(FenceKind),
    /// The shape or layout of a matrix instruction.
    Matrix(MatrixShape),
    /// What `wmma` does, and with which matrix.
    Wmma(Wmma),
    /// A modifier that is simply there or not.
    Flag(Flag),
}

impl Modifier {
    /// The name without its dot.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Modifier::Type(it) => it.name(),
            Modifier::Space(it) => it.name(),
            Modifier::Rounding(it) => it.name(),
            Modifier::Compare(it) => it.name(),
            Modifier::Operation(it) => it.name(),
            Modifier::Half(it) => it.name(),
            Modifier::Vector(it) => it.name(),
            Modifier::Scope(it) => it.name(),
            Modifier::Semantics(it) => it.name(),
            Modifier::Cache(it) => it.name(),
            Modifier::Hint(it) => it.name(),
            Modifier::Shuffle(it) => it.name(),
            Modifier::Vote(it) => it.name(),
            Modifier::Direction(it) => it.name(),
            Modifier::Clamp(it) => it.name(),
            Modifier::Permute(it) => it.name(),
            Modifier::Number(it) => it.name(),
            Modifier::Fence(it) => it.name(),
            Modifier::Matrix(it) => it.name(),
            Modifier::Wmma(it) => it.name(),
            Modifier::Flag(it) => it.name(),
        }
    }
}

impl fmt::Display for Modifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name())
    }
}
