//! Throwaway: runs cases from the SASS listing.
use std::time::Instant;
use warplab_tests::*;
fn main() {
    let filter: Vec<String> = std::env::args().skip(1).collect();
    let config = gpu("h200");
    for suite in ["suite", "micro"] {
        let program = suite_program(&config, suite);
        for case in cases(suite) {
            if !filter.is_empty() && !filter.iter().any(|f| case.name.contains(f.as_str())) {
                continue;
            }
            if filter.is_empty() && case.metrics.get("smsp__inst_executed.sum").is_some_and(|&i| i > 2e6) {
                continue;
            }
            let t = Instant::now();
            match simulate(&config, &program, &case) {
                Ok(s) => {
                    let dt = t.elapsed().as_secs_f64();
                    let c = &s.outcome.counters;
                    let m = |id: &str| case.metrics.get(id).copied().unwrap_or(f64::NAN);
                    let bad = wrong_outputs(&case, &s.image);
                    let clock = if case.clock.is_empty() {
                        String::new()
                    } else {
                        let b = s.image.buffer("cycles").unwrap();
                        format!("clock hw {} sim {}", case.clock[1], b.word(1))
                    };
                    println!(
                        "{:32} cyc hw {:9.0} sim {:9} r {:.2} inst r {:.3} wi/s {:.2}M {:.2}s l1hit {:.0}/{:.0} dramR {:.2} {} {}",
                        case.name,
                        m("sm__cycles_elapsed.max"),
                        c.elapsed_cycles,
                        c.elapsed_cycles as f64 / m("sm__cycles_elapsed.max"),
                        c.sm.instructions.warp as f64 / m("smsp__inst_executed.sum"),
                        c.sm.instructions.warp as f64 / dt / 1e6,
                        dt,
                        m("l1tex__t_sector_hit_rate.pct"),
                        100.0 * c.sm.l1.global_load_sector_hits as f64
                            / c.sm.l1.global_load_sectors.max(1) as f64,
                        c.memory.dram.read_bytes as f64 / m("dram__bytes_read.sum"),
                        clock,
                        if bad.is_empty() { "ok".into() } else { format!("WRONG {bad:?}") }
                    );
                }
                Err(e) => println!("{:32} {e}", case.name),
            }
        }
    }
}
