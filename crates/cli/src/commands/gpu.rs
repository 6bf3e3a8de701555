//! `warplab gpu list` and `warplab gpu show NAME`.

use crate::failure::{Failure, Outcome};
use crate::machines;
use crate::terminal::Terminal;
use warplab_config::GpuConfig;
use warplab_config::launch::Dimensions;
use warplab_metrics::{integer_text, real_text, whole_number};
use warplab_program::Pipe;
use warplab_report::{Align, Table};

/// Prints the machines that are known.
pub(crate) fn list(terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let mut table = Table::new([
        ("name", Align::Left),
        ("machine", Align::Left),
        ("architecture", Align::Left),
        ("multiprocessors", Align::Right),
        ("warps each", Align::Right),
        ("DRAM GB/s", Align::Right),
        ("runs kernels", Align::Left),
    ]);
    for name in machines::names() {
        let config = machines::load(&name, &[])?;
        table.row([
            name,
            config.name.clone(),
            config.architecture.clone(),
            integer_text(u64::from(config.limits.multiprocessors)),
            integer_text(u64::from(config.limits.warps)),
            integer_text(whole_number((config.dram_bytes_per_second() / 1e9).round())),
            config.cannot_run().map_or_else(|| "yes".to_owned(), |_| "no: limits only".to_owned()),
        ]);
    }
    terminal.print(&table.text())?;
    Ok(Outcome::Fine)
}

/// Prints one machine.
pub(crate) fn show(name: &str, ron: bool, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    if ron {
        terminal.print(&machines::source(name)?.text)?;
        return Ok(Outcome::Fine);
    }
    let config = machines::load(name, &[])?;
    terminal.print(&format!("{}, {}\n", config.name, config.architecture))?;
    for (title, rows) in [
        ("Multiprocessor", limits(&config)),
        ("Issue", issue(&config)),
        ("Memory", memory(&config)),
        ("Launch", launch(&config)),
    ] {
        let mut table = Table::new([("", Align::Left), ("", Align::Right), ("", Align::Left)]);
        for (what, value, unit) in rows {
            table.row([format!("  {what}"), value, unit.to_owned()]);
        }
        let text = table.text();
        let body = text.split_once('\n').map_or("", |(_, body)| body);
        terminal.print(&format!("\n{title}\n{body}"))?;
    }
    Ok(Outcome::Fine)
}

type Rows = Vec<(String, String, &'static str)>;

fn whole(what: &str, count: impl Into<u64>, unit: &'static str) -> (String, String, &'static str) {
    (what.to_owned(), integer_text(count.into()), unit)
}

fn limits(config: &GpuConfig) -> Rows {
    let limits = &config.limits;
    vec![
        whole("multiprocessors", limits.multiprocessors, ""),
        whole("sub-partitions", limits.sub_partitions, ""),
        whole("lanes of a warp", limits.warp_lanes, ""),
        whole("resident warps", limits.warps, ""),
        whole("resident blocks", limits.blocks, ""),
        whole("threads of a block", limits.threads_per_block, ""),
        ("blocks of a grid".to_owned(), grid(limits.grid), ""),
        whole("registers", limits.registers, ""),
        whole("registers of a thread, at most", limits.registers_per_thread, ""),
        whole("registers of a thread, at least", limits.least_registers_per_thread, ""),
        whole("shared memory", limits.shared_bytes, "bytes"),
        whole("shared memory of a block", limits.shared_bytes_per_block, "bytes"),
    ]
}

fn grid(limit: Dimensions) -> String {
    let Dimensions(x, y, z) = limit;
    [x, y, z].map(|size| integer_text(u64::from(size))).join(" x ")
}

fn issue(config: &GpuConfig) -> Rows {
    let machine = &config.multiprocessor;
    let mut rows = vec![("scheduler".to_owned(), machine.scheduler.text(), "")];
    let pipes = Pipe::ALL.into_iter().map(|pipe| {
        whole(&format!("pipe {pipe}"), machine.pipes.interval(pipe), "cycles between two instructions")
    });
    rows.extend(pipes);
    rows
}

fn memory(config: &GpuConfig) -> Rows {
    let (l1, l2, dram) = (&config.multiprocessor.l1, &config.l2, &config.dram);
    vec![
        whole("level one and shared memory", l1.combined_kib, "KiB"),
        whole("level-one hit", l1.hit_latency, "cycles"),
        whole("shared memory", config.multiprocessor.shared.latency, "cycles"),
        whole("crossbar", config.crossbar.latency, "cycles each way"),
        whole("level two", l2.kib, "KiB"),
        whole("level-two slices", dram.channels * l2.slices_per_channel, ""),
        whole("DRAM", dram.gib, "GiB"),
        whole("DRAM channels", dram.channels, ""),
        ("DRAM bandwidth".to_owned(), real_text(config.dram_bytes_per_second() / 1e9), "GB/s"),
    ]
}

fn launch(config: &GpuConfig) -> Rows {
    let (clocks, launch) = (&config.clocks, &config.launch);
    vec![
        ("multiprocessor clock".to_owned(), real_text(clocks.sm_mhz), "MHz"),
        ("level-two clock".to_owned(), real_text(clocks.l2_mhz), "MHz"),
        ("DRAM command clock".to_owned(), real_text(clocks.dram_mhz), "MHz"),
        whole("start of a kernel", launch.kernel_start, "cycles"),
        whole("end of a kernel", launch.kernel_end, "cycles"),
        ("between two blocks".to_owned(), real_text(launch.cycles_per_block), "cycles"),
    ]
}
