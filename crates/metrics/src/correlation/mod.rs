//! What the hardware measured beside what the simulator counted, and how far they are apart.

mod measure;
mod statistics;
mod summary;

pub use measure::{CLOCK_CYCLES, ELAPSED_CYCLES, Measure, Rule, SM_L2_HIT_RATE, STALL_OVERLAP};
pub use statistics::{mean, pearson};
pub use summary::{Outlier, Summary};

/// The two values of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The metric's id.
    pub id: &'static str,
    /// What the hardware measured.
    pub hardware: f64,
    /// What the simulator counted; none where a launch has nothing to measure it by (a division by zero).
    pub simulated: Option<f64>,
}

/// A state of warps with its share of the warps' time, in per cent.
pub type Share = (&'static str, f64);

/// What one case gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// Every metric that both sides have.
    pub pairs: Vec<Pair>,
    /// The output buffers whose checksum is not the hardware's.
    pub wrong_outputs: Vec<String>,
}

/// One case, from one program.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The reference it belongs to.
    pub suite: String,
    /// Its name.
    pub case: String,
    /// The kernel.
    pub kernel: String,
    /// What the program was made from: `sass` or `ptx`.
    pub isa: &'static str,
    /// The cases that differ only in sizes have one group.
    pub group: String,
    /// The values, or why the case did not run to its end.
    pub result: Result<Compared, String>,
}

/// Before and after the name of a state in the ids of the profiler.
const STATE_ID: (&str, &str) = ("smsp__average_warps_issue_stalled_", "_per_issue_active.ratio");

impl Compared {
    /// The two values of a metric, if both sides have it.
    #[must_use]
    pub fn pair(&self, id: &str) -> Option<&Pair> {
        self.pairs.iter().find(|pair| pair.id == id)
    }

    /// The shares of all states of warps: on the hardware, and simulated. Empty where nothing was measured.
    #[must_use]
    pub fn state_shares(&self) -> [Vec<Share>; 2] {
        let state = |pair: &Pair| pair.id.strip_prefix(STATE_ID.0)?.strip_suffix(STATE_ID.1);
        let states: Vec<(&'static str, &Pair)> =
            self.pairs.iter().filter_map(|pair| Some((state(pair)?, pair))).collect();
        let side = |value: fn(&Pair) -> f64| {
            let whole: f64 = states.iter().map(|(_, pair)| value(pair)).sum();
            let shares = states.iter().map(|&(name, pair)| (name, 100.0 * value(pair) / whole));
            if whole > 0.0 { shares.collect() } else { Vec::new() }
        };
        [side(|pair| pair.hardware), side(|pair| pair.simulated.unwrap_or(0.0))]
    }

    /// The share, in per cent, of what multiprocessors asked of L2 that was found there; none where they asked for nothing.
    #[must_use]
    pub fn sm_l2_hit_rate(&self) -> Option<Pair> {
        let sectors = self.pair("lts__t_sectors_srcunit_tex.sum").filter(|pair| pair.hardware > 0.0)?;
        let found = self.pair("lts__t_sectors_srcunit_tex_lookup_hit.sum")?;
        let share = |of: f64, all: f64| (all > 0.0).then(|| 100.0 * of / all);
        let simulated = share(found.simulated?, sectors.simulated?);
        Some(Pair { id: SM_L2_HIT_RATE, hardware: share(found.hardware, sectors.hardware)?, simulated })
    }

    /// The share of the warps' time, in per cent, that falls on the same states on both sides.
    #[must_use]
    pub fn stall_overlap(&self) -> Option<f64> {
        let [hardware, simulated] = self.state_shares();
        let both = !hardware.is_empty() && !simulated.is_empty();
        both.then(|| hardware.iter().zip(&simulated).map(|(one, other)| one.1.min(other.1)).sum())
    }
}

impl Comparison {
    /// The two values of a metric, if the case ran and both sides have it.
    #[must_use]
    pub fn pair(&self, id: &str) -> Option<&Pair> {
        self.result.as_ref().ok()?.pair(id)
    }
}

#[cfg(test)]
mod tests {
    use super::{Compared, Pair};

    #[test]
    fn the_overlap_is_the_sum_of_the_smaller_shares() {
        let pair = |id, hardware, simulated| Pair { id, hardware, simulated: Some(simulated) };
        let compared = Compared {
            pairs: vec![
                pair("sm__cycles_elapsed.max", 10.0, 10.0),
                pair("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 3.0, 1.0),
                pair("smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", 1.0, 1.0),
            ],
            wrong_outputs: Vec::new(),
        };
        let [hardware, simulated] = compared.state_shares();
        assert_eq!(hardware, [("wait", 75.0), ("selected", 25.0)]);
        assert_eq!(simulated, [("wait", 50.0), ("selected", 50.0)]);
        assert_eq!(compared.stall_overlap(), Some(75.0));
    }

    #[test]
    fn the_hit_rate_of_the_multiprocessors_leaves_out_what_launches_ask() {
        let pair = |id, hardware, simulated| Pair { id, hardware, simulated: Some(simulated) };
        let compared = Compared {
            pairs: vec![
                pair("lts__t_sector_hit_rate.pct", 90.0, 10.0),
                pair("lts__t_sectors_srcunit_tex.sum", 200.0, 100.0),
                pair("lts__t_sectors_srcunit_tex_lookup_hit.sum", 50.0, 20.0),
            ],
            wrong_outputs: Vec::new(),
        };
        assert_eq!(compared.sm_l2_hit_rate(), Some(pair("l2_hit_rate_of_sms.pct", 25.0, 20.0)));
        assert_eq!(Compared::default().sm_l2_hit_rate(), None);
    }

    #[test]
    fn without_states_there_is_no_overlap() {
        assert_eq!(Compared::default().stall_overlap(), None);
    }
}
