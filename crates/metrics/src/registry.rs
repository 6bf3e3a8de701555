//! All sections and their metrics.

use crate::metric::{Metric, Section};
use crate::sections::{
    compute, launch, littles_law, memory, occupancy, scheduler, source, speed_of_light, warp_state,
};

/// Every section, in the order of the report.
pub static SECTIONS: &[&Section] = &[
    &speed_of_light::SECTION,
    &compute::SECTION,
    &memory::SECTION,
    &scheduler::SECTION,
    &warp_state::SECTION,
    &launch::SECTION,
    &occupancy::SECTION,
    &source::SECTION,
    &littles_law::SECTION,
];

/// Every metric, in the order of the report.
pub fn metrics() -> impl Iterator<Item = &'static Metric> {
    SECTIONS.iter().flat_map(|section| section.metrics)
}

/// The metric with this id.
#[must_use]
pub fn find_metric(id: &str) -> Option<&'static Metric> {
    metrics().find(|metric| metric.id == id)
}

/// The section with this name.
#[must_use]
pub fn find_section(name: &str) -> Option<&'static Section> {
    SECTIONS.iter().copied().find(|section| section.name == name)
}

#[cfg(test)]
mod tests {
    use super::{SECTIONS, metrics};
    use std::collections::HashSet;

    #[test]
    fn ids_are_unique_and_every_metric_is_explained() {
        let mut seen = HashSet::new();
        for metric in metrics() {
            assert!(seen.insert(metric.id), "{} appears twice", metric.id);
            assert!(!metric.label.is_empty() && !metric.formula.is_empty(), "{}", metric.id);
            assert!(metric.description.ends_with('.'), "{}: {}", metric.id, metric.description);
        }
    }

    #[test]
    fn labels_are_unique_inside_a_section() {
        for section in SECTIONS {
            let mut seen = HashSet::new();
            for metric in section.metrics {
                assert!(seen.insert(metric.label), "{}: {} appears twice", section.name, metric.label);
            }
        }
    }
}
