//! Which passes of the compiler run.

use crate::fault::Fault;
use warplab_diagnostics::nearest_name;
use warplab_lower::{Pass, PassSet};

/// The passes that a list asks for: names are these alone (with those that every program needs), names with a minus
/// are all but these.
///
/// # Errors
/// An unknown name, or one that no program can do without.
pub fn passes(list: &str) -> Result<PassSet, Fault> {
    let names: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let mut run =
        if names.iter().any(|name| !name.starts_with('-')) { PassSet::none() } else { PassSet::all() };
    for name in names {
        run = match name.strip_prefix('-') {
            Some(name) => run.without(switchable(name)?),
            None => run.with(pass(name)?),
        };
    }
    Ok(run)
}

/// The pass with this name.
///
/// # Errors
/// When there is none, with those that there are.
pub fn pass(name: &str) -> Result<Pass, Fault> {
    Pass::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = Pass::ALL.iter().map(|pass| pass.name()).collect();
        let near = nearest_name(name, known.iter().copied());
        let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
        Fault::input(format!("unknown pass '{name}';{near} known: {}", known.join(", ")))
    })
}

/// A pass that a right program does not need.
fn switchable(name: &str) -> Result<Pass, Fault> {
    let pass = pass(name)?;
    if pass.is_needed() {
        let message = format!("the pass '{name}' cannot be left out: no program is right without it");
        return Err(Fault::input(message));
    }
    Ok(pass)
}

#[cfg(test)]
mod tests {
    use super::passes;
    use warplab_lower::Pass;

    #[test]
    fn names_with_a_minus_are_left_out_and_others_are_the_only_ones() {
        let all_but = passes("-schedule,-copies").unwrap();
        assert!(!all_but.contains(Pass::Schedule) && all_but.contains(Pass::Fold));
        let only = passes("schedule").unwrap();
        assert!(only.contains(Pass::Schedule) && !only.contains(Pass::Fold));
    }
}
