//! The passes and sets of them.

/// One step from PTX to the machine program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pass {
    /// PTX to machine instructions, calls inlined, divisions and roots expanded. Always runs.
    Select,
    /// Moved values replace their copies.
    Copies,
    /// Constants fold.
    Fold,
    /// What was computed before is not computed again.
    Common,
    /// What a loop computes anew every time moves in front of it.
    Invariant,
    /// Instructions without use go.
    Dead,
    /// Several iterations of a loop become one, so that their loads are under way together.
    Unroll,
    /// What is added along a chain is added at once, or by the access whose address it is.
    Offsets,
    /// What is loaded from constant memory becomes an operand.
    Constants,
    /// What all lanes of a warp do to one address atomically, one of them does for all.
    Aggregate,
    /// Short branches become guarded instructions, and so do sums of what a predicate chooses.
    Predicate,
    /// Loads go ahead of an `if` in front of them.
    Ahead,
    /// Loads go behind a branch, to the side that needs them.
    Behind,
    /// Operands that the machine has not go through registers. Always runs.
    Legalise,
    /// Parameters and special registers are read where they are needed.
    Sink,
    /// Neighbouring loads from shared memory and from constant memory become one.
    Vectorise,
    /// Constants that everything takes so go to uniform registers, those of doubles once for each block.
    Uniform,
    /// Convergence barriers are set. Always runs.
    Reconverge,
    /// Instructions are put into an order that hides latencies.
    Schedule,
    /// Moves become one register where they can.
    Coalesce,
    /// Real registers. Always runs.
    Allocate,
    /// With real registers, instructions go where they stall least.
    Settle,
    /// What is seldom needed stands behind the rest.
    Layout,
    /// Moves, sums and shifts go to the pipe that has less to do.
    Balance,
    /// Operands keep registers that the next instruction reads.
    Reuse,
    /// Stall counts and wait counters. Always runs.
    Control,
}

impl Pass {
    /// Every pass, in the order in which they run.
    pub const ALL: &'static [Pass] = &[
        Pass::Select,
        Pass::Copies,
        Pass::Fold,
        Pass::Common,
        Pass::Invariant,
        Pass::Dead,
        Pass::Unroll,
        Pass::Offsets,
        Pass::Constants,
        Pass::Aggregate,
        Pass::Predicate,
        Pass::Ahead,
        Pass::Behind,
        Pass::Legalise,
        Pass::Sink,
        Pass::Vectorise,
        Pass::Uniform,
        Pass::Reconverge,
        Pass::Schedule,
        Pass::Coalesce,
        Pass::Allocate,
        Pass::Settle,
        Pass::Layout,
        Pass::Balance,
        Pass::Reuse,
        Pass::Control,
    ];

    /// The name on a command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Pass::Select => "select",
            Pass::Copies => "copies",
            Pass::Fold => "fold",
            Pass::Common => "common",
            Pass::Invariant => "invariant",
            Pass::Dead => "dead",
            Pass::Unroll => "unroll",
            Pass::Offsets => "offsets",
            Pass::Constants => "constants",
            Pass::Aggregate => "aggregate",
            Pass::Predicate => "predicate",
            Pass::Ahead => "ahead",
            Pass::Behind => "behind",
            Pass::Legalise => "legalise",
            Pass::Sink => "sink",
            Pass::Vectorise => "vectorise",
            Pass::Uniform => "uniform",
            Pass::Reconverge => "reconverge",
            Pass::Schedule => "schedule",
            Pass::Coalesce => "coalesce",
            Pass::Allocate => "allocate",
            Pass::Settle => "settle",
            Pass::Layout => "layout",
            Pass::Balance => "balance",
            Pass::Reuse => "reuse",
            Pass::Control => "control",
        }
    }

    /// The pass of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Pass> {
        Pass::ALL.iter().copied().find(|pass| pass.name() == name)
    }

    /// Whether a right program needs it.
    #[must_use]
    pub fn is_needed(self) -> bool {
        matches!(self, Pass::Select | Pass::Legalise | Pass::Reconverge | Pass::Allocate | Pass::Control)
    }
}

/// A set of passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassSet(u32);

impl PassSet {
    /// Every pass.
    #[must_use]
    pub fn all() -> PassSet {
        Pass::ALL.iter().fold(PassSet::none(), |set, &pass| set.with(pass))
    }

    /// No pass but those that are needed, which run all the same.
    #[must_use]
    pub fn none() -> PassSet {
        PassSet(0)
    }

    /// The set and one more.
    #[must_use]
    pub fn with(self, pass: Pass) -> PassSet {
        PassSet(self.0 | 1 << pass as u32)
    }

    /// The set without one.
    #[must_use]
    pub fn without(self, pass: Pass) -> PassSet {
        PassSet(self.0 & !(1 << pass as u32))
    }

    /// Whether a pass is in the set.
    #[must_use]
    pub fn contains(self, pass: Pass) -> bool {
        self.0 >> pass as u32 & 1 != 0
    }
}
