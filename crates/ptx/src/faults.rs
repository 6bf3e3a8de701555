//! Whose fault is whose: those of a function keep only the kernels that can reach it from running.

use crate::Parsed;
use crate::tree::{Block, Function, Item, Operand, Statement};
use rustc_hash::{FxHashMap, FxHashSet};
use warplab_diagnostics::{Diagnostic, Span};

/// The faults of a text, by what they make unusable.
#[derive(Clone, Debug, Default)]
pub struct Faults<'a> {
    /// Those outside all functions: of the whole file.
    pub file: Vec<&'a Diagnostic>,
    /// Those inside a function, by its name.
    inside: FxHashMap<&'a str, Vec<&'a Diagnostic>>,
    /// The names that a function names, other functions among them.
    names: FxHashMap<&'a str, Vec<&'a str>>,
}

impl Parsed {
    /// The faults, by what they make unusable.
    #[must_use]
    pub fn faults(&self) -> Faults<'_> {
        let mut faults = Faults::default();
        let mut places: Vec<(Span, &Function)> =
            self.module.functions().map(|function| (whole(function), function)).collect();
        places.sort_by_key(|(span, _)| span.start);
        for diagnostic in self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()) {
            match owner(&places, diagnostic.span) {
                Some(name) => faults.inside.entry(name).or_default().push(diagnostic),
                None => faults.file.push(diagnostic),
            }
        }
        for function in self.module.functions() {
            let names = faults.names.entry(function.name.as_str()).or_default();
            function.body.iter().for_each(|body| collect(body, names));
        }
        for item in &self.module.items {
            if let Item::Alias(alias) = item {
                faults.names.entry(alias.name.as_str()).or_default().push(alias.target.as_str());
            }
        }
        faults
    }
}

impl<'a> Faults<'a> {
    /// The faults of a function and of all that it can reach, in the order of the text.
    #[must_use]
    pub fn of(&self, function: &str) -> Vec<&'a Diagnostic> {
        let reached = self.reached(function);
        let mut found: Vec<&Diagnostic> =
            reached.iter().filter_map(|name| self.inside.get(name)).flatten().copied().collect();
        found.sort_by_key(|diagnostic| diagnostic.span.start);
        found
    }

    /// A function and all that it can reach, by name.
    fn reached(&self, function: &str) -> FxHashSet<&'a str> {
        let Some((&function, _)) = self.names.get_key_value(function) else { return FxHashSet::default() };
        let mut reached = FxHashSet::from_iter([function]);
        let mut waiting = vec![function];
        while let Some(name) = waiting.pop() {
            let Some(names) = self.names.get(name) else { continue };
            waiting.extend(names.iter().copied().filter(|name| reached.insert(name)));
        }
        reached
    }
}

/// The header and the body of a function.
fn whole(function: &Function) -> Span {
    function.body.as_ref().map_or(*function.span, |body| function.span.to(*body.span))
}

/// The function that a place is in. A second definition of a name is a fault of the file.
fn owner<'a>(places: &[(Span, &'a Function)], span: Span) -> Option<&'a str> {
    let after = places.partition_point(|(whole, _)| whole.start <= span.start);
    let (whole, function) = places.get(after.checked_sub(1)?)?;
    (span.start < whole.end && span != *function.name_span).then_some(function.name.as_str())
}

fn collect<'a>(block: &'a Block, names: &mut Vec<&'a str>) {
    for statement in &block.statements {
        match statement {
            Statement::Block(inner) => collect(inner, names),
            Statement::CallTargets(table) => names.extend(table.targets.iter().map(|it| it.as_str())),
            Statement::Instruction(instruction) => {
                instruction.operands.iter().for_each(|operand| name(operand, names));
            }
            _ => {}
        }
    }
}

fn name<'a>(operand: &'a Operand, names: &mut Vec<&'a str>) {
    match operand {
        Operand::Symbol { name, .. } | Operand::Label(name) => names.push(name.as_str()),
        Operand::Vector(parts) | Operand::List(parts) | Operand::Tensor(_, parts) => {
            parts.iter().for_each(|part| name(part, names))
        }
        _ => {}
    }
}
