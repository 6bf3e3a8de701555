//! Which passes of the compiler run.

use crate::failure::Failure;
use warplab_diagnostics::nearest_name;
use warplab_lab::CompileOptions;
use warplab_lower::{Pass, PassSet};

/// What a command line asks for: a list of names is these alone (with those that every program needs), names
/// with a minus are all but these.
pub(crate) fn parse(list: Option<&str>, dump_after: Option<&str>) -> Result<CompileOptions, Failure> {
    let mut passes = CompileOptions::default();
    if let Some(list) = list {
        let names: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        if names.iter().any(|name| !name.starts_with('-')) {
            passes.run = PassSet::none();
        }
        for name in names {
            passes.run = match name.strip_prefix('-') {
                Some(name) => passes.run.without(switchable(name)?),
                None => passes.run.with(pass(name)?),
            };
        }
    }
    if let Some(name) = dump_after {
        passes.dump = passes.dump.with(pass(name)?);
    }
    Ok(passes)
}

fn pass(name: &str) -> Result<Pass, Failure> {
    Pass::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = Pass::ALL.iter().map(|pass| pass.name()).collect();
        let near = nearest_name(name, known.iter().copied());
        let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
        Failure::input(format!("unknown pass '{name}';{near} known: {}", known.join(", ")))
    })
}

/// A pass that a right program does not need.
fn switchable(name: &str) -> Result<Pass, Failure> {
    let pass = pass(name)?;
    if pass.is_needed() {
        let message = format!("the pass '{name}' cannot be left out: no program is right without it");
        return Err(Failure::input(message));
    }
    Ok(pass)
}

#[cfg(test)]
mod tests {
    use super::parse;
    use warplab_lower::Pass;

    #[test]
    fn names_with_a_minus_are_left_out_and_others_are_the_only_ones() {
        let all_but = parse(Some("-schedule,-copies"), None).unwrap().run;
        assert!(!all_but.contains(Pass::Schedule) && all_but.contains(Pass::Fold));
        let only = parse(Some("schedule"), Some("fold")).unwrap();
        assert!(only.run.contains(Pass::Schedule) && !only.run.contains(Pass::Fold));
        assert!(only.dump.contains(Pass::Fold));
    }
}
