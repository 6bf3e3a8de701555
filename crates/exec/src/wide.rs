//! Lane work for the vectors that the host has: compiled for every processor, and once more for those with 256-bit
//! vectors and fused multiply-add.

/// What is compiled twice.
pub(crate) trait LaneWork {
    /// What comes of it.
    type Output;

    /// Does it; always inlined, so that it is compiled for the processor of whoever calls it.
    fn run(self) -> Self::Output;
}

/// Does lane work, with wide vectors where `wide` says that the host has them.
#[inline(always)]
pub(crate) fn run<W: LaneWork>(wide: Wide, work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if wide.0 {
        #[expect(unsafe_code, reason = "the only call of code for a processor that not everybody has")]
        // SAFETY: `Wide::of_host` is true only where the processor has all of these features.
        return unsafe { run_wide(work) };
    }
    let _ = wide;
    work.run()
}

/// The same code for processors with 256-bit vectors and fused multiply-add.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
fn run_wide<W: LaneWork>(work: W) -> W::Output {
    work.run()
}

/// Whether the host has the vectors that lane work is also compiled for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide(#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] bool);

impl Wide {
    /// What the processor says.
    pub(crate) fn of_host() -> Wide {
        #[cfg(target_arch = "x86_64")]
        {
            Wide(
                std::is_x86_feature_detected!("avx2")
                    && std::is_x86_feature_detected!("fma")
                    && std::is_x86_feature_detected!("bmi1")
                    && std::is_x86_feature_detected!("bmi2")
                    && std::is_x86_feature_detected!("popcnt")
                    && std::is_x86_feature_detected!("lzcnt"),
            )
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            Wide(false)
        }
    }
}
