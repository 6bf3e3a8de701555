//! What each state of a warp means and what to do about it.

use warplab_trace::{StallReason, WarpState};

/// The label of a state in reports.
#[must_use]
pub const fn state_label(state: WarpState) -> &'static str {
    match state {
        WarpState::Selected => "Selected",
        WarpState::NotSelected => "Stall Not Selected",
        WarpState::Stalled(reason) => match reason {
            StallReason::Drain => "Stall Drain",
            StallReason::Sleeping => "Stall Sleeping",
            StallReason::Barrier => "Stall Barrier",
            StallReason::Membar => "Stall Membar",
            StallReason::BranchResolving => "Stall Branch Resolving",
            StallReason::NoInstruction => "Stall No Instruction",
            StallReason::ImcMiss => "Stall IMC Miss",
            StallReason::LongScoreboard => "Stall Long Scoreboard",
            StallReason::ShortScoreboard => "Stall Short Scoreboard",
            StallReason::Wait => "Stall Wait",
            StallReason::LgThrottle => "Stall LG Throttle",
            StallReason::MioThrottle => "Stall MIO Throttle",
            StallReason::MathPipeThrottle => "Stall Math Pipe Throttle",
            StallReason::DispatchStall => "Stall Dispatch Stall",
            StallReason::Misc => "Stall Misc",
        },
    }
}

/// What a state means and what helps.
#[must_use]
pub const fn state_description(state: WarpState) -> &'static str {
    match state {
        WarpState::Selected => {
            "The warp issued an instruction. One warp of a scheduler a cycle can be selected."
        }
        WarpState::NotSelected => {
            "The warp could have issued, but the scheduler took another. A high number says that there are more \
             warps than needed to hide latency: occupancy may be given up for more registers a thread."
        }
        WarpState::Stalled(reason) => match reason {
            StallReason::Drain => {
                "The warp has executed its last instruction and waits for its stores to leave, so that its registers \
                 can be given to another block. Many stores at the end of a kernel cause it; coalesce them, or \
                 spread them over the kernel."
            }
            StallReason::Sleeping => "The warp sleeps because it executed nanosleep.",
            StallReason::Barrier => {
                "The warp waits at a block barrier for the other warps of its block. Give the warps equal work \
                 between barriers, or use smaller blocks, of which more are resident and can run meanwhile."
            }
            StallReason::Membar => {
                "The warp executed a memory fence and waits until its earlier accesses can be seen by the others. \
                 Use the narrowest scope that is right, and fewer fences."
            }
            StallReason::BranchResolving => {
                "The warp took a branch and waits for its target. Unrolled loops and predication take fewer \
                 branches."
            }
            StallReason::NoInstruction => {
                "The next instruction has not come from the instruction caches: after a jump over a long distance, \
                 or in straight code longer than the cache. Shorter code and less unrolling help."
            }
            StallReason::ImcMiss => {
                "The warp waits for a constant that the constant cache lacks. Lanes and warps that read the same \
                 constants in the same order share them."
            }
            StallReason::LongScoreboard => {
                "The warp waits for a result of level one: a load of global or local memory, which may have to come \
                 from level two or DRAM. More warps, more independent loads a thread, better coalescing, and shared \
                 memory for what is used again hide or avoid it."
            }
            StallReason::ShortScoreboard => {
                "The warp waits for a result of variable latency that does not come from level one: shared memory, \
                 lane exchange, a special function, a special register. Fewer bank conflicts and more independent \
                 work help."
            }
            StallReason::Wait => {
                "The warp waits a fixed number of cycles that the compiler wrote into the instruction before, \
                 usually for an arithmetic result. More warps, or more independent instructions in each, fill these \
                 cycles."
            }
            StallReason::LgThrottle => {
                "The queue of the load/store unit for global and local memory is full. Fewer and wider accesses \
                 (128 bits a thread) need fewer entries."
            }
            StallReason::MioThrottle => {
                "The queue for shared memory, lane exchange and the other input/output instructions is full. Fewer \
                 or wider accesses, or a mix with arithmetic, help."
            }
            StallReason::MathPipeThrottle => {
                "The pipe that the next instruction needs is busy with another instruction. This is what a kernel \
                 bound by arithmetic looks like; a mix of instructions over more pipes helps."
            }
            StallReason::DispatchStall => {
                "The dispatcher held the warp back although its instruction was ready."
            }
            StallReason::Misc => "The warp could not issue for another reason.",
        },
    }
}
