//! What a formula can know of a warp and of its scheduler.

macro_rules! inputs {
    ($($variant:ident $name:literal $description:literal)*) => {
        /// What a formula can know of a warp and of its scheduler.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum RankInput { $(#[doc = $description] $variant,)* }

        impl RankInput {
            /// Every input.
            pub const ALL: [RankInput; [$($name),*].len()] = [$(RankInput::$variant),*];

            /// The name in formulas.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(RankInput::$variant => $name,)* }
            }

            /// What it is.
            #[must_use]
            pub fn description(self) -> &'static str {
                match self { $(RankInput::$variant => $description,)* }
            }
        }
    };
}

inputs! {
    Age "age" "When the warp came; older ones have smaller numbers."
    Order "order" "How many resident warps of the scheduler are older."
    Slot "slot" "The warp's number in its scheduler, from 0."
    Block "block" "The number of the warp's block in the grid."
    Issued "issued" "Instructions that the warp has issued."
    SinceIssue "since_issue" "Cycles since the warp last issued, or since it came."
    Loads "loads" "Accesses to global and local memory whose answer the warp still lacks."
    Global "global" "1 if the warp's next instruction accesses global or local memory, else 0."
    IssuedLast "issued_last" "1 for the slot that the scheduler issued from last, else 0."
    Last "last" "The slot that the scheduler issued from last; 0 at first."
    ReadyNow "ready_now" "1 if the warp waits for no unit since an earlier cycle, else 0."
    Yielded "yielded" "1 if the scheduler's last instruction lets other warps go first, as the compiler has marked it, else 0."
    Cycle "cycle" "The cycle."
}
