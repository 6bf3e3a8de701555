//! What a case computes on some machine beside what the hardware computed.

use crate::interpreted::interpreted_buffers;
use crate::sweep::shorten;
use crate::{Case, buffer_checksums, simulate};
use warplab_config::GpuConfig;
use warplab_program::Program;

/// Cases that touch more sectors of global memory than this run an eighth of their blocks: their time goes by sectors.
const MOST_SECTORS: f64 = 500_000.0;

/// How the buffers of a simulated case differ from the hardware's. Of a case with many sectors the first blocks run, beside
/// the interpreter, whose results for all blocks are held against the hardware's elsewhere.
#[must_use]
pub fn difference(config: &GpuConfig, program: &Program, case: &Case) -> Option<String> {
    let sectors = ["ld", "st"].map(|op| format!("l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum"));
    let sectors: f64 = sectors.iter().filter_map(|metric| case.metrics.get(metric)).sum();
    if sectors <= MOST_SECTORS {
        return match simulate(config, program, case) {
            Ok(simulated) => {
                let wrong = case.wrong_outputs(&simulated.image);
                (!wrong.is_empty())
                    .then(|| format!("{}: {} differs from the hardware", case.name, wrong.join(", ")))
            }
            Err(fault) => Some(format!("{}: {fault}", case.name)),
        };
    }
    let mut short = case.clone();
    shorten(&mut short, case.shape.grid.iter().product::<u32>().div_ceil(8));
    match (simulate(config, program, &short), interpreted_buffers(program, &short)) {
        (Ok(simulated), Ok(interpreted)) => (buffer_checksums(&short, &simulated.image) != interpreted)
            .then(|| format!("{}: differs from the interpreter", case.name)),
        (Err(fault), _) | (_, Err(fault)) => Some(format!("{}: {fault}", case.name)),
    }
}
