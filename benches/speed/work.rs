//! What is measured: launches of the hardware suites, one of each kind of work.

use crate::launch::Launch;

/// The name of the counting of host instructions.
pub(crate) const HOST_INSTRUCTIONS: &str = "host-instructions";
const SIZES: &str = "sizes";
const MACHINES: &str = "machines";

/// A kind of work: its name, its suite, the case that is timed, the case that is counted and the first blocks of it.
pub(crate) struct WorkKind {
    pub(crate) name: &'static str,
    pub(crate) suite: &'static str,
    timed: &'static str,
    pub(crate) counted: &'static str,
    /// So many warp instructions that all kinds are counted in half a minute.
    pub(crate) blocks: [u32; 3],
}

/// Every kind of work that has a target, and those between.
#[rustfmt::skip]
pub(crate) const KINDS: [WorkKind; 9] = [
    WorkKind { name: "compute", suite: "suite", timed: "fma_chain_w32_i4", counted: "fma_chain_w32_i4", blocks: [1, 1, 1] },
    WorkKind { name: "streaming", suite: "suite", timed: "copy_f4_2e24", counted: "copy_f4_2e20", blocks: [132, 1, 1] },
    WorkKind { name: "blocks", suite: "suite", timed: "ilp_tlp_e1_b256_2e24", counted: "ilp_tlp_e1_b256_2e20", blocks: [528, 1, 1] },
    WorkKind { name: "gather", suite: "suite", timed: "gather_2e26", counted: "gather_2e26", blocks: [264, 1, 1] },
    WorkKind { name: "shared", suite: "suite", timed: "matmul_tiled32_1024", counted: "matmul_tiled32_256", blocks: [2, 2, 1] },
    WorkKind { name: "reduction", suite: "suite", timed: "max_shared_2e22", counted: "max_shared_2e22", blocks: [64, 1, 1] },
    WorkKind { name: "atomics", suite: "atomics", timed: "red_words_128B_w2112", counted: "red_words_128B_w2112", blocks: [66, 1, 1] },
    WorkKind { name: "divergent", suite: "suite", timed: "nested_divergence", counted: "nested_divergence", blocks: [16, 1, 1] },
    WorkKind { name: "launches", suite: "suite", timed: "launch_empty_g262144_b1024", counted: "launch_empty_g262144_b32", blocks: [16384, 1, 1] },
];

/// Powers of two of elements; the suites have no others.
const EXPONENTS: [u32; 3] = [20, 24, 28];
/// Numbers of SMs: one, a part of a GPC, a quarter of the machine, the machine, four of it.
const SM_COUNTS: [u32; 5] = [1, 8, 33, 132, 528];

/// Everything that can be named.
pub(crate) fn names() -> Vec<&'static str> {
    KINDS.iter().map(|kind| kind.name).chain([SIZES, MACHINES, HOST_INSTRUCTIONS]).collect()
}

/// The launches that are timed.
pub(crate) fn timed(wanted: &dyn Fn(&str) -> bool, largest: u32) -> Vec<Launch> {
    let mut launches = Vec::new();
    for kind in KINDS.iter().filter(|kind| wanted(kind.name)) {
        launches.extend([1, 2].map(|threads| Launch { threads, ..Launch::new(kind.suite, kind.timed) }));
    }
    if wanted(SIZES) {
        let exponents = EXPONENTS.into_iter().filter(|&exponent| exponent <= largest);
        launches
            .extend(exponents.map(|exponent| Launch::new("suite", &format!("ilp_tlp_e1_b256_2e{exponent}"))));
    }
    if wanted(MACHINES) {
        launches.extend(SM_COUNTS.map(|sms| Launch { sms, ..Launch::new("suite", "copy_f4_2e20") }));
    }
    launches
}
