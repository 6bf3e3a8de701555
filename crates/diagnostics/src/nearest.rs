//! The nearest right name to a wrong one.

/// The candidate with the smallest edit distance to `wrong`, if one is near enough to be a likely slip; case does not count.
#[must_use]
pub fn nearest_name<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (wrong.chars().count() / 3).max(1) + 1;
    let wrong = wrong.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::levenshtein(&wrong, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest_name;

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_finds_none() {
        let names = ["scheduler", "warp_slots", "l1_bytes"];
        assert_eq!(nearest_name("schedular", names), Some("scheduler"));
        assert_eq!(nearest_name("elephant", names), None);
    }
}
