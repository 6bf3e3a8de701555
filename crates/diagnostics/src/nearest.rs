//! The nearest right name to a wrong one.

/// The candidate with the smallest edit distance to `wrong`, if one is near enough to be a likely slip.
#[must_use]
pub fn nearest_name<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (wrong.chars().count() / 3).max(1) + 1;
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(wrong, candidate), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions and substitutions that turn one text into the other, ignoring case.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &to) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
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
