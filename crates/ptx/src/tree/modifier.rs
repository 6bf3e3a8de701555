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
        X1 = "x1",
        X2 = "x2",
        X4 = "x4",
        Row = "row",
        Col = "col",
        Trans = "trans",
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
        Range = "range",
        Unified = "unified",
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
