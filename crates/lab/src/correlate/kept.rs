//! A case as a line of a results file, and back: what another machine simulated is compared as if it had run here.

use super::{CaseJob, beside, comparison_of, hardware_clock};
use crate::experiment::{Measured, results};
use std::collections::BTreeMap;
use warplab_config::GpuConfig;
use warplab_metrics::correlation::{CLOCK_CYCLES, Comparison, Pair};
use warplab_program::listing;

/// The text of a case that did not run to its end.
const FAULT: &str = "fault";
/// The text with the names of wrong outputs, a line each.
const WRONG_OUTPUTS: &str = "wrong outputs";

/// A case with the hash of everything that its result depends on.
#[derive(Clone, Debug)]
pub struct KeyedCase<'a> {
    /// The case.
    pub job: CaseJob<'a>,
    /// Its hash.
    pub key: String,
    /// Its name, with its reference and what its program was made from.
    pub label: String,
}

impl<'a> KeyedCase<'a> {
    /// Cases on a machine; `version` tells this simulator from every other.
    #[must_use]
    pub fn all(jobs: &[CaseJob<'a>], config: &GpuConfig, sample: bool, version: &str) -> Vec<KeyedCase<'a>> {
        let how = format!("{version} {config:?} {sample}");
        let mut programs: BTreeMap<(&str, &str), String> = BTreeMap::new();
        let keyed = |job: &CaseJob<'a>| {
            let program = programs.entry((job.suite, job.isa)).or_insert_with(|| listing::write(job.program));
            let case = job.case;
            let metrics: BTreeMap<&String, &f64> = case.metrics.iter().collect();
            let inputs = format!(
                "{} {} {:?} {:?} {} {:?} {:?} {:?} {metrics:?}",
                case.name,
                case.kernel,
                case.shape,
                case.buffers,
                case.left_dirty,
                case.arguments,
                case.checksums,
                case.clock
            );
            let parts = [how.as_bytes(), job.isa.as_bytes(), program.as_bytes(), inputs.as_bytes()];
            let label = format!("{} {} ({})", job.suite, case.name, job.isa);
            KeyedCase { job: *job, key: results::stable_hash(parts), label }
        };
        jobs.iter().map(keyed).collect()
    }

    /// A hash of the hashes of all: what names this very comparison.
    #[must_use]
    pub fn key_of_all(cases: &[KeyedCase<'_>]) -> String {
        results::stable_hash(cases.iter().map(|case| case.key.as_bytes()))
    }

    /// Its line for a results file.
    #[must_use]
    pub fn line(&self, comparison: &Comparison) -> String {
        let mut measured = Measured::default();
        match &comparison.result {
            Ok(compared) => {
                let values =
                    compared.pairs.iter().filter_map(|pair| Some((pair.id.to_owned(), pair.simulated?)));
                measured.values = values.collect();
                measured.texts.insert(WRONG_OUTPUTS.to_owned(), compared.wrong_outputs.join("\n"));
            }
            Err(fault) => {
                measured.texts.insert(FAULT.to_owned(), fault.clone());
            }
        }
        results::line(&self.key, "correlate", &self.label, &measured)
    }

    /// The comparison that a line was made of.
    #[must_use]
    pub fn comparison(&self, measured: &Measured) -> Comparison {
        if let Some(fault) = measured.texts.get(FAULT) {
            return comparison_of(&self.job, Err(fault.clone()));
        }
        let wrong = measured.texts.get(WRONG_OUTPUTS).map_or("", String::as_str);
        let simulated = |id: &str| measured.values.get(id).copied();
        let clock = hardware_clock(self.job.case).zip(simulated(CLOCK_CYCLES));
        let clock = clock.map(|(hardware, simulated)| Pair {
            id: CLOCK_CYCLES,
            hardware,
            simulated: Some(simulated),
        });
        let wrong = wrong.lines().map(str::to_owned).collect();
        comparison_of(&self.job, Ok(beside(self.job.case, wrong, clock, &|metric| simulated(metric.id))))
    }
}
