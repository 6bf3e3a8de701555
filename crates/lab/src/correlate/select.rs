//! Which cases run, and which belong together.

use crate::reference::Case;
use warplab_diagnostics::nearest_name;
use warplab_run::Fault;

/// Which cases run.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Parts of names, or patterns with `*` and `?`; a case runs when one fits. Empty: all names.
    pub filters: Vec<String>,
    /// The most warp instructions that the hardware executed; cases that read the clock have an unknown number
    /// and run.
    pub most_instructions: Option<u64>,
}

impl Selection {
    /// Whether a case runs.
    #[must_use]
    pub fn takes(&self, case: &Case) -> bool {
        self.takes_name(&case.name) && self.takes_size(case)
    }

    fn takes_name(&self, name: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|filter| fits(filter, name))
    }

    fn takes_size(&self, case: &Case) -> bool {
        let Some(most) = self.most_instructions else { return true };
        case.warp_instructions().is_none_or(|count| count <= most)
    }

    /// That no case of all runs: why, with the nearest name.
    #[must_use]
    pub fn nothing_chosen<'a>(&self, all: impl Iterator<Item = &'a Case> + Clone) -> Fault {
        let filters = self.filters.join("', '");
        let named: Vec<&str> =
            all.clone().filter(|case| self.takes_name(&case.name)).map(|case| case.name.as_str()).collect();
        if let Some(first) = named.first() {
            let most = self.most_instructions.unwrap_or_default();
            let count = named.len();
            return Fault::input(format!(
                "all {count} chosen cases have more than {most} warp instructions, {first} the first; --all runs them"
            ));
        }
        let near =
            self.filters.iter().find_map(|filter| nearest_name(filter, all.clone().map(|case| &*case.name)));
        let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
        let count = all.count();
        Fault::input(format!(
            "no case of {count} fits '{filters}';{near} give a part of a name, or a pattern with * and ?"
        ))
    }
}

/// Whether a filter fits a name: as a part of it, or as a whole where the filter has `*` or `?`.
fn fits(filter: &str, name: &str) -> bool {
    if filter.contains(['*', '?']) {
        fits_pattern(filter.as_bytes(), name.as_bytes())
    } else {
        name.contains(filter)
    }
}

/// Whether a pattern fits a whole name. After a mismatch the last star takes one byte more.
fn fits_pattern(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut in_name) = (0, 0);
    let mut star = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(&byte) if byte == b'?' || byte == name[in_name] => {
                at += 1;
                in_name += 1;
            }
            _ => {
                let Some((star_at, taken)) = star else { return false };
                star = Some((star_at, taken + 1));
                at = star_at + 1;
                in_name = taken + 1;
            }
        }
    }
    pattern[at..].iter().all(|&byte| byte == b'*')
}

/// The group of a case: its name up to the first digit. The digits of `l1` and `l2` name a cache, not a size.
#[must_use]
pub fn group(name: &str) -> &str {
    let mut end = 0;
    for part in name.split_inclusive('_') {
        let word = part.trim_end_matches('_');
        let digit = part.find(|letter: char| letter.is_ascii_digit());
        match digit {
            Some(digit) if word != "l1" && word != "l2" => {
                end += digit;
                break;
            }
            _ => end += part.len(),
        }
    }
    match name[..end].trim_end_matches('_') {
        "" => name,
        group => group,
    }
}

#[cfg(test)]
mod tests {
    use super::{fits, group};

    #[test]
    fn groups_end_before_the_first_size() {
        let groups = [
            ("copy_f1_2e20", "copy_f"),
            ("mlp_l2_g1_b32_u1", "mlp_l2_g"),
            ("bandwidth_l1_16KiB_b128", "bandwidth_l1"),
            ("chase_dram_cold", "chase_dram_cold"),
            ("vector_add_100", "vector_add"),
            ("smem_stride_1", "smem_stride"),
            ("l1_own_with_shared_16", "l1_own_with_shared"),
            ("2e20", "2e20"),
        ];
        for (name, expected) in groups {
            assert_eq!(group(name), expected, "{name}");
        }
    }

    #[test]
    fn filters_are_parts_of_names_or_patterns() {
        assert!(fits("add", "vector_add_100"));
        assert!(!fits("sub", "vector_add_100"));
        assert!(fits("vector_*_1?0", "vector_add_100"));
        assert!(!fits("vector_*_1?", "vector_add_100"));
        assert!(fits("*a*b*", "xxaxxaxb"));
        assert!(!fits("add*", "vector_add_100"));
    }
}
