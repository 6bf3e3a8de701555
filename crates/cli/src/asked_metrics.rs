//! `--metrics`: some metrics by the names that Nsight Compute gives them.

use crate::failure::Failure;
use warplab_diagnostics::nearest_name;
use warplab_metrics::{MetricRow, SECTIONS, SectionValues};

/// The metrics that are asked for, in the order in which they are.
#[derive(Clone, Debug)]
pub(crate) struct AskedMetrics {
    ids: Vec<&'static str>,
}

impl AskedMetrics {
    /// Reads the names; none when there are none.
    pub(crate) fn read(lists: &[String]) -> Result<Option<AskedMetrics>, Failure> {
        let mut ids: Vec<&'static str> = Vec::new();
        for name in lists.iter().flat_map(|list| list.split(',')).map(str::trim) {
            let named: Vec<&'static str> = known().filter(|id| is_named(id, name)).collect();
            if named.is_empty() {
                return Err(unknown(name));
            }
            for id in named {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
        }
        Ok((!ids.is_empty()).then_some(AskedMetrics { ids }))
    }

    /// These metrics of a launch.
    pub(crate) fn of(&self, sections: &[SectionValues]) -> Vec<MetricRow> {
        let row =
            |id: &&str| sections.iter().flat_map(|values| &values.rows).find(|row| row.metric.id == *id);
        self.ids.iter().filter_map(row).cloned().collect()
    }

    /// The sections with these metrics alone.
    pub(crate) fn only(&self, sections: Vec<SectionValues>) -> Vec<SectionValues> {
        let mut left = self.ids.clone();
        let mut sections = sections;
        for values in &mut sections {
            // A metric of several sections stays in the first.
            values.rows.retain(|row| match left.iter().position(|id| *id == row.metric.id) {
                Some(place) => {
                    left.swap_remove(place);
                    true
                }
                None => false,
            });
        }
        sections
    }
}

fn known() -> impl Iterator<Item = &'static str> {
    SECTIONS.iter().flat_map(|section| section.metrics).map(|metric| metric.id)
}

/// Whether a name stands for a metric: its id, the beginning of it up to a point, or a beginning with `*`.
fn is_named(id: &str, name: &str) -> bool {
    match name.strip_suffix('*') {
        Some(beginning) => id.starts_with(beginning),
        None => id.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
    }
}

fn unknown(name: &str) -> Failure {
    let near = nearest_name(name, known());
    let near = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
    Failure::input(format!(
        "unknown metric '{name}'{near} 'warplab run FILE --csv raw' shows every metric in its first row"
    ))
}

#[cfg(test)]
mod tests {
    use super::AskedMetrics;

    fn ids(names: &str) -> Vec<&'static str> {
        AskedMetrics::read(&[names.to_owned()]).unwrap().unwrap().ids
    }

    #[test]
    fn a_metric_is_named_by_its_id_or_by_how_that_begins() {
        assert_eq!(ids("sm__cycles_elapsed.max"), ["sm__cycles_elapsed.max"]);
        let both = ["sm__cycles_elapsed.avg.per_second", "sm__cycles_elapsed.max"];
        assert_eq!(ids("sm__cycles_elapsed"), both);
        assert_eq!(
            ids("smsp__warps_*,sm__cycles_elapsed.max"),
            [
                "smsp__warps_active.avg.per_cycle_active",
                "smsp__warps_eligible.avg.per_cycle_active",
                "sm__cycles_elapsed.max"
            ]
        );
    }

    #[test]
    fn a_metric_that_is_named_twice_comes_once() {
        assert_eq!(ids("sm__cycles_elapsed.max,sm__cycles_elapsed.m*"), ["sm__cycles_elapsed.max"]);
    }

    #[test]
    fn a_part_of_a_word_is_no_name() {
        assert!(AskedMetrics::read(&["sm__cycles".to_owned()]).is_err());
    }

    #[test]
    fn without_names_nothing_is_asked_for() {
        assert!(AskedMetrics::read(&[]).unwrap().is_none());
    }
}
