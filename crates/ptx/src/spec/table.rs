//! The table: a row an opcode, in the order of the enum.

use super::{Allow, Spec};
use crate::tree::{
    Cache, Clamp, Compare, Direction, FenceKind, Flag, Half, Hint, MatrixShape, NumberClass, Opcode,
    Operation, PermuteMode, Rounding, Scope, Semantics, ShuffleMode, Space, Type, Vector, VoteMode, Wmma,
};
use Flag::{
    Abs, Aligned, Approx, Arrive, ArriveDrop, Async, Bulk, BulkGroup, Cc, CommitGroup, CompleteTx,
    CompleteTxBytes, CpMask, ExpectTx, FiveD, FourD, Fractional, Ftz, Full, Idx, Im2col, Init, Inval,
    LaunchDependents, Mask, Mbarrier, MmaAsync, Multicast, NaN, Nc, NoComplete, Noftz, Noinc, OneD, Pack,
    Parity, PendingCount, Prefetch, Range, Read, Red, Reduce, Relu, Sat, Satfinite, Shiftamt, Sp, SpOrdered,
    Sync, Tensor, Tensormap, TestWait, ThreeD, Tile, To, TryWait, TwoD, Uni, Unified, Wait, WaitAll,
    WaitGroup, Warp, Xorsign,
};
use Type::{
    B1, B8, B16, B32, B64, B128, Bf16, Bf16x2, E4m3, E4m3x2, E5m2, E5m2x2, F16, F16x2, F32, F64, Pred, S2,
    S4, S8, S16, S16x2, S32, S64, Tf32, U2, U4, U8, U16, U16x2, U32, U64,
};

const ROUND: Allow = Allow::Rounding(&[Rounding::Rn, Rounding::Rz, Rounding::Rm, Rounding::Rp]);
const ROUND_ANY: Allow = Allow::Rounding(Rounding::ALL);
const ARITHMETIC: Allow = Allow::Flag(&[Ftz, Sat]);
const FTZ: Allow = Allow::Flag(&[Ftz]);
const CARRY: Allow = Allow::Flag(&[Cc]);
const HALF: Allow = Allow::Half(Half::ALL);
const HALF_24: Allow = Allow::Half(&[Half::Lo, Half::Hi]);
const COMPARE: Allow = Allow::Compare(Compare::ALL);
const ORDER: [Compare; 6] = [Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge];
const LOGIC: Allow = Allow::Operation(&[Operation::And, Operation::Or, Operation::Xor]);
const SPACE: Allow = Allow::Space(&[
    Space::Param,
    Space::ParamEntry,
    Space::ParamFunc,
    Space::Const,
    Space::Local,
    Space::Shared,
    Space::SharedCta,
    Space::SharedCluster,
    Space::Global,
]);
/// The barrier that is told when a store has come.
const TOLD: Allow = Allow::Flag(&[Async, CompleteTxBytes]);
const SCOPE: Allow = Allow::Scope(&[Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys]);
const SEMANTICS: Allow = Allow::Semantics(Semantics::ALL);
const ATOMIC_ORDER: Allow =
    Allow::Semantics(&[Semantics::Relaxed, Semantics::Acquire, Semantics::Release, Semantics::AcqRel]);
const CACHE: Allow = Allow::Cache(Cache::ALL);
const HINT: Allow = Allow::Hint(&[
    Hint::L1EvictNormal,
    Hint::L1EvictUnchanged,
    Hint::L1EvictFirst,
    Hint::L1EvictLast,
    Hint::L1NoAllocate,
    Hint::L2EvictNormal,
    Hint::L2EvictUnchanged,
    Hint::L2EvictFirst,
    Hint::L2EvictLast,
    Hint::L2CacheHint,
    Hint::L2Bytes64,
    Hint::L2Bytes128,
    Hint::L2Bytes256,
]);
const LEVEL: Allow =
    Allow::Hint(&[Hint::L1, Hint::L2, Hint::L2EvictNormal, Hint::L2EvictLast, Hint::L1EvictNormal]);
const VECTOR: Allow = Allow::Vector(Vector::ALL);
const CLAMP: Allow = Allow::Clamp(Clamp::ALL);
const MATRIX: Allow = Allow::Matrix(&[
    MatrixShape::M8n8,
    MatrixShape::M8n8k4,
    MatrixShape::M8n8k16,
    MatrixShape::M8n8k32,
    MatrixShape::M16n8k4,
    MatrixShape::M16n8k8,
    MatrixShape::M16n8k16,
    MatrixShape::M16n8k32,
    MatrixShape::M16n8k64,
    MatrixShape::X1,
    MatrixShape::X2,
    MatrixShape::X4,
    MatrixShape::Row,
    MatrixShape::Col,
    MatrixShape::Trans,
]);
/// `m64n8k8` to `m64n256k256`, of which a sum of types takes one depth.
const WARPGROUP: &[MatrixShape] = {
    let first = MatrixShape::M64n8k8 as usize;
    let count = MatrixShape::M64n256k256 as usize - first + 1;
    MatrixShape::ALL.split_at(first).1.split_at(count).0
};
const WMMA: Allow = Allow::Matrix(&[
    MatrixShape::M8n8k4,
    MatrixShape::M8n32k16,
    MatrixShape::M16n16k8,
    MatrixShape::M16n16k16,
    MatrixShape::M32n8k16,
    MatrixShape::Row,
    MatrixShape::Col,
]);

const NONE: &[Type] = &[];
const ADD: &[Type] = &[U16, U32, U64, S16, S32, S64, F16, F16x2, Bf16, Bf16x2, F32, F64, U16x2, S16x2];
const INT: &[Type] = &[U16, U32, U64, S16, S32, S64];
const WIDE: &[Type] = &[U32, U64, S32, S64];
const WORD: &[Type] = &[U32, S32];
const MUL: &[Type] = &[U16, U32, U64, S16, S32, S64, F16, F16x2, Bf16, Bf16x2, F32, F64];
const FLOAT: &[Type] = &[F16, F16x2, Bf16, Bf16x2, F32, F64];
const SIGNED: &[Type] = &[S16, S32, S64, F16, F16x2, Bf16, Bf16x2, F32, F64];
const BITS: &[Type] = &[B16, B32, B64];
const LOGICAL: &[Type] = &[B16, B32, B64, Pred];
const SHIFT: &[Type] = &[U16, U32, U64, S16, S32, S64, B16, B32, B64];
const MEMORY: &[Type] =
    &[U8, U16, U32, U64, S8, S16, S32, S64, B8, B16, B32, B64, B128, F16, F16x2, Bf16, Bf16x2, F32, F64];
const MOVE: &[Type] =
    &[U16, U32, U64, S16, S32, S64, B16, B32, B64, B128, F16, F16x2, Bf16, Bf16x2, F32, F64, Pred];
const SELECT: &[Type] = &[U16, U32, U64, S16, S32, S64, B16, B32, B64, F16, F16x2, Bf16, Bf16x2, F32, F64];
const CONVERT: &[Type] = &[
    U8, U16, U32, U64, S8, S16, S32, S64, F16, F16x2, Bf16, Bf16x2, F32, F64, Tf32, E4m3x2, E5m2x2, U2, S2,
    U4, S4, B8, B16, B32, B64,
];
const ATOMIC: &[Type] = &[U32, U64, S32, S64, B16, B32, B64, B128, F16, F16x2, Bf16, Bf16x2, F32, F64];
const MULTIPLY_MATRIX: &[Type] = &[F16, Bf16, Tf32, F32, F64, S8, U8, S4, U4, B1, S32, B16, E4m3, E5m2];

/// A row with one type.
const fn one(
    opcode: Opcode,
    operands: &'static str,
    types: &'static [Type],
    needs: &'static [Allow],
    modifiers: &'static [Allow],
) -> Spec {
    Spec { opcode, operands, type_count: (1, 1), types, modifiers, needs }
}

/// A row with several types or none.
const fn many(
    opcode: Opcode,
    operands: &'static str,
    type_count: (usize, usize),
    types: &'static [Type],
    needs: &'static [Allow],
    modifiers: &'static [Allow],
) -> Spec {
    Spec { opcode, operands, type_count, types, modifiers, needs }
}

/// A row without types.
const fn bare(
    opcode: Opcode,
    operands: &'static str,
    needs: &'static [Allow],
    modifiers: &'static [Allow],
) -> Spec {
    Spec { opcode, operands, type_count: (0, 0), types: NONE, modifiers, needs }
}

use Opcode as O;

/// The rows.
pub(super) static TABLE: &[Spec] = &[
    one(O::Abs, "ds", SIGNED, &[], &[FTZ]),
    one(O::Activemask, "d", &[B32], &[], &[]),
    one(O::Add, "dss", ADD, &[], &[ROUND, ARITHMETIC, CARRY]),
    one(O::Addc, "dss", WIDE, &[], &[CARRY]),
    one(O::And, "dss", LOGICAL, &[], &[]),
    bare(O::Applypriority, "mi", &[LEVEL], &[SPACE]),
    one(
        O::Atom,
        "dms?sk",
        ATOMIC,
        &[Allow::Operation(&[
            Operation::And,
            Operation::Or,
            Operation::Xor,
            Operation::Cas,
            Operation::Exch,
            Operation::Add,
            Operation::Inc,
            Operation::Dec,
            Operation::Min,
            Operation::Max,
        ])],
        &[SPACE, SCOPE, ATOMIC_ORDER, HINT, VECTOR, Allow::Flag(&[Noftz])],
    ),
    many(
        O::Bar,
        "?xxxx",
        (0, 1),
        &[U32, Pred],
        &[Allow::Flag(&[Sync, Arrive, Red, Warp])],
        &[
            Allow::Scope(&[Scope::Cta]),
            Allow::Operation(&[Operation::And, Operation::Or, Operation::Popc]),
            Allow::Flag(&[Aligned]),
        ],
    ),
    many(
        O::Barrier,
        "?xxxx",
        (0, 1),
        &[U32, Pred],
        &[Allow::Flag(&[Sync, Arrive, Red, Wait])],
        &[
            Allow::Scope(&[Scope::Cta, Scope::Cluster]),
            Allow::Operation(&[Operation::And, Operation::Or, Operation::Popc]),
            Allow::Flag(&[Aligned]),
            Allow::Semantics(&[Semantics::Acquire, Semantics::Release, Semantics::Relaxed]),
        ],
    ),
    one(O::Bfe, "dsuu", WIDE, &[], &[]),
    one(O::Bfi, "dssuu", &[B32, B64], &[], &[]),
    one(O::Bfind, "es", WIDE, &[], &[Allow::Flag(&[Shiftamt])]),
    one(O::Bmsk, "duu", &[B32], &[CLAMP], &[]),
    bare(O::Bra, "l", &[], &[Allow::Flag(&[Uni])]),
    one(O::Brev, "ds", &[B32, B64], &[], &[]),
    bare(O::Brkpt, "", &[], &[]),
    bare(O::Brx, "ul", &[Allow::Flag(&[Idx])], &[Allow::Flag(&[Uni])]),
    bare(O::Call, "?xxxx", &[], &[Allow::Flag(&[Uni])]),
    one(O::Clz, "es", &[B32, B64], &[], &[]),
    one(O::Cnot, "ds", BITS, &[], &[]),
    one(O::Copysign, "dss", &[F32, F64], &[], &[]),
    one(O::Cos, "ds", &[F32], &[Allow::Flag(&[Approx])], &[FTZ]),
    many(
        O::Cp,
        "?xxxxxxx",
        (0, 1),
        &[U32, S32, U64, S64, B32, B64, F16, Bf16, F32, F64],
        &[],
        &[
            SPACE,
            Allow::Cache(&[Cache::Ca, Cache::Cg]),
            HINT,
            Allow::Hint(&[Hint::L2]),
            Allow::Flag(&[Async, CommitGroup, WaitGroup, WaitAll, Mbarrier, Arrive, Noinc]),
            Allow::Flag(&[Bulk, Reduce, Prefetch, BulkGroup, Read, CompleteTxBytes, Multicast, CpMask]),
            Allow::Flag(&[Tensor, OneD, TwoD, ThreeD, FourD, FiveD, Tile, Im2col]),
            Allow::Flag(&[Noftz]),
            Allow::Operation(&[
                Operation::And,
                Operation::Or,
                Operation::Xor,
                Operation::Add,
                Operation::Inc,
                Operation::Dec,
                Operation::Min,
                Operation::Max,
            ]),
        ],
    ),
    one(O::Createpolicy, "d?xxxx", &[B64], &[], &[SPACE, HINT, Allow::Flag(&[Fractional, Range])]),
    many(
        O::Cvt,
        "ds?ss",
        (2, 3),
        CONVERT,
        &[],
        &[ROUND_ANY, ARITHMETIC, Allow::Flag(&[Satfinite, Relu, Pack])],
    ),
    one(O::Cvta, "ds", &[U32, U64], &[SPACE], &[Allow::Flag(&[To])]),
    bare(O::Discard, "mi", &[Allow::Hint(&[Hint::L2])], &[SPACE]),
    one(
        O::Div,
        "dss",
        &[U16, U32, U64, S16, S32, S64, F32, F64],
        &[],
        &[ROUND, FTZ, Allow::Flag(&[Approx, Full])],
    ),
    many(O::Dp2a, "euuu", (2, 2), WORD, &[HALF_24], &[]),
    many(O::Dp4a, "euuu", (2, 2), WORD, &[], &[]),
    bare(O::Elect, "qu", &[Allow::Flag(&[Sync])], &[]),
    one(O::Ex2, "ds", &[F32, F16, F16x2, Bf16, Bf16x2], &[Allow::Flag(&[Approx])], &[FTZ]),
    bare(O::Exit, "", &[], &[]),
    bare(
        O::Fence,
        "?mi",
        &[],
        &[SCOPE, ATOMIC_ORDER, Allow::Semantics(&[Semantics::Sc]), Allow::Fence(FenceKind::ALL), SPACE],
    ),
    one(O::Fma, "dsss", FLOAT, &[ROUND], &[ARITHMETIC, Allow::Flag(&[Relu])]),
    one(O::Fns, "dsuu", &[B32], &[], &[]),
    one(O::Getctarank, "es", &[U32, U64], &[], &[SPACE]),
    bare(O::Griddepcontrol, "", &[Allow::Flag(&[LaunchDependents, Wait])], &[]),
    bare(O::Isspacep, "Px", &[SPACE], &[]),
    one(
        O::Ld,
        "vm?k",
        MEMORY,
        &[],
        &[SPACE, CACHE, SEMANTICS, SCOPE, HINT, VECTOR, Allow::Flag(&[Nc, Unified])],
    ),
    one(O::Ldmatrix, "xm", &[B16, B8], &[MATRIX], &[SPACE, Allow::Flag(&[Sync, Aligned])]),
    one(O::Ldu, "vm", MEMORY, &[], &[SPACE, VECTOR]),
    one(O::Lg2, "ds", &[F32], &[Allow::Flag(&[Approx])], &[FTZ]),
    one(O::Lop3, "qsssi?p", &[B32], &[], &[Allow::Operation(&[Operation::And, Operation::Or])]),
    one(O::Mad, "dssw", MUL, &[], &[HALF, ROUND, ARITHMETIC, CARRY]),
    one(O::Mad24, "dsss", WORD, &[HALF_24], &[Allow::Flag(&[Sat])]),
    one(O::Madc, "dssw", WIDE, &[HALF_24], &[CARRY]),
    one(O::Mapa, "dsu", &[U32, U64], &[], &[SPACE]),
    one(
        O::Match,
        "qsu",
        &[B32, B64],
        &[Allow::Vote(&[VoteMode::Any, VoteMode::All])],
        &[Allow::Flag(&[Sync])],
    ),
    one(O::Max, "dss?s", ADD, &[], &[FTZ, Allow::Flag(&[NaN, Xorsign, Abs, Relu])]),
    one(
        O::Mbarrier,
        "x?xxx",
        &[B64],
        &[Allow::Flag(&[
            Init,
            Inval,
            Arrive,
            ArriveDrop,
            ExpectTx,
            CompleteTx,
            TestWait,
            TryWait,
            PendingCount,
        ])],
        &[
            SPACE,
            Allow::Flag(&[Parity, NoComplete]),
            Allow::Scope(&[Scope::Cta, Scope::Cluster]),
            Allow::Semantics(&[Semantics::Acquire, Semantics::Release, Semantics::Relaxed]),
        ],
    ),
    bare(O::Membar, "", &[Allow::Scope(&[Scope::Cta, Scope::Gl, Scope::Sys])], &[]),
    one(O::Min, "dss?s", ADD, &[], &[FTZ, Allow::Flag(&[NaN, Xorsign, Abs, Relu])]),
    many(
        O::Mma,
        "xxxx?xx",
        (4, 4),
        MULTIPLY_MATRIX,
        &[MATRIX],
        &[
            Allow::Flag(&[Sync, Aligned, Satfinite, Sp, SpOrdered]),
            Allow::Operation(&[Operation::And, Operation::Xor, Operation::Popc]),
        ],
    ),
    one(O::Mov, "ds", MOVE, &[], &[VECTOR]),
    one(O::Movmatrix, "xx", &[B16], &[MATRIX], &[Allow::Flag(&[Sync, Aligned])]),
    one(O::Mul, "dss", MUL, &[], &[HALF, ROUND, ARITHMETIC]),
    one(O::Mul24, "dss", WORD, &[HALF_24], &[]),
    one(O::Nanosleep, "s", &[U32], &[], &[]),
    one(O::Neg, "ds", SIGNED, &[], &[FTZ]),
    one(O::Not, "ds", LOGICAL, &[], &[]),
    one(O::Or, "dss", LOGICAL, &[], &[]),
    bare(O::Pmevent, "i", &[], &[Allow::Flag(&[Mask])]),
    one(O::Popc, "es", &[B32, B64], &[], &[]),
    bare(O::Prefetch, "m", &[], &[LEVEL, SPACE, Allow::Flag(&[Tensormap])]),
    bare(O::Prefetchu, "m", &[Allow::Hint(&[Hint::L1])], &[]),
    one(O::Prmt, "dsss", &[B32], &[], &[Allow::Permute(PermuteMode::ALL)]),
    one(O::Rcp, "ds", &[F32, F64], &[], &[ROUND, FTZ, Allow::Flag(&[Approx])]),
    one(
        O::Red,
        "ms?k",
        ATOMIC,
        &[Allow::Operation(&[
            Operation::And,
            Operation::Or,
            Operation::Xor,
            Operation::Add,
            Operation::Inc,
            Operation::Dec,
            Operation::Min,
            Operation::Max,
        ])],
        &[SPACE, SCOPE, ATOMIC_ORDER, HINT, VECTOR, Allow::Flag(&[Noftz, Async, CompleteTxBytes])],
    ),
    one(
        O::Redux,
        "dsu",
        &[U32, S32, B32, F32],
        &[Allow::Operation(&[
            Operation::And,
            Operation::Or,
            Operation::Xor,
            Operation::Add,
            Operation::Min,
            Operation::Max,
        ])],
        &[Allow::Flag(&[Sync, Abs, NaN])],
    ),
    one(O::Rem, "dss", INT, &[], &[]),
    bare(O::Ret, "", &[], &[Allow::Flag(&[Uni])]),
    one(O::Rsqrt, "ds", &[F32, F64], &[Allow::Flag(&[Approx])], &[FTZ]),
    one(O::Sad, "dsss", INT, &[], &[]),
    one(O::Selp, "dssp", SELECT, &[], &[]),
    many(
        O::Set,
        "dss?p",
        (2, 2),
        &[U16, U32, U64, S16, S32, S64, B16, B32, B64, F16, F16x2, Bf16, Bf16x2, F32, F64],
        &[COMPARE],
        &[LOGIC, FTZ],
    ),
    one(
        O::Setmaxnreg,
        "i",
        &[U32],
        &[Allow::Operation(&[Operation::Inc, Operation::Dec])],
        &[Allow::Flag(&[Sync, Aligned])],
    ),
    one(O::Setp, "Pss?p", SELECT, &[COMPARE], &[LOGIC, FTZ]),
    one(O::Shf, "dssu", &[B32], &[Allow::Direction(Direction::ALL), CLAMP], &[]),
    one(O::Shfl, "qsuu?u", &[B32], &[Allow::Shuffle(ShuffleMode::ALL)], &[Allow::Flag(&[Sync])]),
    one(O::Shl, "dsu", BITS, &[], &[]),
    one(O::Shr, "dsu", SHIFT, &[], &[]),
    one(O::Sin, "ds", &[F32], &[Allow::Flag(&[Approx])], &[FTZ]),
    many(O::Slct, "dtts", (2, 2), SELECT, &[], &[FTZ]),
    one(O::Sqrt, "ds", &[F32, F64], &[], &[ROUND, FTZ, Allow::Flag(&[Approx])]),
    one(O::St, "mV?k", MEMORY, &[], &[SPACE, CACHE, SEMANTICS, SCOPE, HINT, VECTOR, TOLD]),
    one(O::Stmatrix, "mx", &[B16, B8], &[MATRIX], &[SPACE, Allow::Flag(&[Sync, Aligned])]),
    one(O::Sub, "dss", ADD, &[], &[ROUND, ARITHMETIC, CARRY]),
    one(O::Subc, "dss", WIDE, &[], &[CARRY]),
    one(O::Szext, "dsu", WORD, &[CLAMP], &[]),
    one(O::Tanh, "ds", &[F32, F16, F16x2, Bf16, Bf16x2], &[Allow::Flag(&[Approx])], &[]),
    many(
        O::Tensormap,
        "mx?x",
        (0, 1),
        &[B32, B64],
        &[Allow::Flag(&[Flag::Replace, Flag::CpFenceproxy])],
        &[
            SPACE,
            SEMANTICS,
            SCOPE,
            Allow::Fence(&[FenceKind::Tensormap]),
            Allow::Flag(&[Sync, Aligned, Tile, Flag::B1024]),
            Allow::Flag(&[
                Flag::GlobalAddress,
                Flag::Rank,
                Flag::BoxDim,
                Flag::GlobalDim,
                Flag::GlobalStride,
            ]),
            Allow::Flag(&[Flag::ElementStride, Flag::Elemtype, Flag::InterleaveLayout]),
            Allow::Flag(&[Flag::SwizzleMode, Flag::FillMode]),
        ],
    ),
    one(O::Testp, "Ps", &[F32, F64], &[Allow::Number(NumberClass::ALL)], &[]),
    bare(O::Trap, "", &[], &[]),
    many(O::Vabsdiff, "euu?u", (3, 3), WORD, &[], &[Allow::Operation(&[Operation::Add])]),
    many(O::Vabsdiff2, "euuu", (3, 3), WORD, &[], &[Allow::Operation(&[Operation::Add])]),
    many(O::Vabsdiff4, "euuu", (3, 3), WORD, &[], &[Allow::Operation(&[Operation::Add])]),
    many(O::Vmad, "euuu", (3, 3), WORD, &[], &[]),
    one(O::Vote, "dp?u", &[Pred, B32], &[Allow::Vote(VoteMode::ALL)], &[Allow::Flag(&[Sync])]),
    many(O::Vset, "euu", (2, 2), WORD, &[Allow::Compare(&ORDER)], &[]),
    many(
        O::Wgmma,
        "?xxxxxxxxxx",
        (0, 3),
        &[F16, Bf16, Tf32, F32, S8, U8, B1, S32, E4m3, E5m2],
        &[Allow::Flag(&[Flag::Fence, CommitGroup, WaitGroup, MmaAsync])],
        &[
            Allow::Matrix(WARPGROUP),
            Allow::Flag(&[Sync, Aligned, Satfinite, Sp]),
            Allow::Operation(&[Operation::And, Operation::Popc]),
        ],
    ),
    many(
        O::Wmma,
        "xx?xx",
        (1, 4),
        &[F16, Bf16, Tf32, F32, F64, S8, U8, S32],
        &[Allow::Wmma(&[Wmma::Load, Wmma::Store, Wmma::Mma])],
        &[
            SPACE,
            WMMA,
            Allow::Wmma(&[Wmma::A, Wmma::B, Wmma::C, Wmma::D]),
            Allow::Rounding(&[Rounding::Rn]),
            Allow::Flag(&[Sync, Aligned, Satfinite]),
        ],
    ),
    one(O::Xor, "dss", LOGICAL, &[], &[]),
];
