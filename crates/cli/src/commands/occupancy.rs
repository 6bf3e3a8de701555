//! `warplab occupancy`.

use crate::arguments::OccupancyArguments;
use crate::failure::{Failure, Outcome};
use crate::machines;
use crate::terminal::Terminal;
use warplab_config::{GpuConfig, KernelResources, Occupancy, occupancy};
use warplab_metrics::{integer_text, real_text};
use warplab_report::{Align, Table};

/// Prints the calculation and the table by block size.
pub(crate) fn run(arguments: &OccupancyArguments, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let config = machines::load(&arguments.gpu, &arguments.changes)?;
    let resources = KernelResources {
        threads_per_block: small(arguments.block.count(), "threads of a block")?,
        registers: arguments.registers,
        static_shared: small(arguments.shared.0, "bytes of shared memory")?,
        dynamic_shared: small(arguments.dynamic.0, "bytes of shared memory")?,
        scalar_registers: arguments.scalar,
    };
    let result = occupancy(&config.limits, &resources);
    if arguments.json {
        terminal.print(&json(&config, &result))?;
    } else {
        terminal.print(&calculation(&config, &result))?;
        terminal.print(&by_block_size(&config, &resources))?;
    }
    match &result.impossible {
        Some(reason) => Err(Failure::input(format!("{} cannot run {reason}", config.name))),
        None => Ok(Outcome::Fine),
    }
}

fn small(value: u64, what: &str) -> Result<u32, Failure> {
    u32::try_from(value).map_err(|_| Failure::input(format!("{value} {what} are more than any machine has")))
}

/// The result for a program.
fn json(config: &GpuConfig, result: &Occupancy) -> String {
    let limiters: Vec<String> = result.limiters.iter().map(ToString::to_string).collect();
    let value = serde_json::json!({
        "device": config.name,
        "warps": result.warps,
        "warp_slots": config.limits.warps,
        "blocks": result.blocks,
        "occupancy": result.fraction,
        "limited_by": limiters,
        "limit_warps": result.limit_warps,
        "limit_blocks": result.limit_blocks,
        "limit_registers": result.limit_registers,
        "limit_shared": result.limit_shared,
        "registers_per_block": result.registers_per_block,
        "shared_per_block": result.shared_per_block,
    });
    format!("{value:#}\n")
}

fn calculation(config: &GpuConfig, result: &Occupancy) -> String {
    let mut table =
        Table::new([("step", Align::Left), ("calculation", Align::Left), ("result", Align::Right)]);
    for step in &result.steps {
        table.row([step.what.to_owned(), step.how.clone(), integer_text(step.result)]);
    }
    let limiters: Vec<String> = result.limiters.iter().map(ToString::to_string).collect();
    let limit =
        if limiters.is_empty() { String::new() } else { format!(", limited by {}", limiters.join(" and ")) };
    format!(
        "{}\n\n{}\noccupancy {} %: {} of {} warps, {} blocks{limit}\n\n",
        config.name,
        table.text(),
        real_text(result.fraction * 100.0),
        result.warps,
        config.limits.warps,
        result.blocks
    )
}

/// The same kernel with other block sizes: all multiples of a warp that the machine takes, by powers of two and
/// the asked one.
fn by_block_size(config: &GpuConfig, resources: &KernelResources) -> String {
    let limits = &config.limits;
    let mut sizes: Vec<u32> =
        std::iter::successors(Some(limits.warp_lanes.max(1)), |size| size.checked_mul(2))
            .take_while(|&size| size <= limits.threads_per_block)
            .collect();
    sizes.push(limits.threads_per_block);
    sizes.push(resources.threads_per_block);
    sizes.sort_unstable();
    sizes.dedup();
    let mut table = Table::new([
        ("block size", Align::Right),
        ("blocks", Align::Right),
        ("warps", Align::Right),
        ("occupancy %", Align::Right),
        ("limited by", Align::Left),
    ]);
    for size in sizes {
        let result = occupancy(limits, &KernelResources { threads_per_block: size, ..*resources });
        let limiters: Vec<String> = result.limiters.iter().map(ToString::to_string).collect();
        let mark = if size == resources.threads_per_block { "*" } else { "" };
        table.row([
            format!("{mark}{}", integer_text(u64::from(size))),
            integer_text(u64::from(result.blocks)),
            integer_text(u64::from(result.warps)),
            real_text(result.fraction * 100.0),
            result.impossible.map_or(limiters.join(", "), |_| "impossible".to_owned()),
        ]);
    }
    table.text()
}
