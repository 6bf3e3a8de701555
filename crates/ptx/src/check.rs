//! What a parsed module must hold besides its grammar: names are declared once and before use, and every instruction
//! has the types and operands that its opcode wants.

mod agreement;
mod form;
mod operands;
mod types;

use rustc_hash::{FxHashMap, FxHashSet};
use warplab_diagnostics::{Diagnostic, Span, nearest_name};

use crate::scopes::{RegisterType, Scopes};
use crate::tree::{
    Block, Function, Guard, Initialiser, Instruction, Item, Module, Opcode, Space, Special, Statement, Type,
    Variable,
};

/// Checks a module.
pub(crate) fn module(module: &Module, diagnostics: &mut Vec<Diagnostic>) {
    if module.version.is_none() && diagnostics.is_empty() {
        diagnostics.push(
            Diagnostic::warning(Span::default(), "no '.version' directive")
                .with_help("PTX starts with '.version 9.0', '.target sm_90' and '.address_size 64'"),
        );
    }
    let mut checker = Checker::new(diagnostics);
    checker.architecture = module.target.first().map(|name| name.as_str());
    let mut defined: FxHashSet<&str> = FxHashSet::default();
    for item in &module.items {
        let (name, span, is_definition) = match item {
            Item::Variable(variable) => (&variable.name, variable.span, true),
            Item::Function(function) => (&function.name, function.name_span, function.body.is_some()),
            Item::Alias(alias) => (&alias.name, alias.span, true),
            Item::Pragma(_) => continue,
        };
        checker.globals.insert(name);
        if is_definition && !defined.insert(name) {
            checker.report(Diagnostic::error(*span, format!("'{name}' is defined twice")));
        }
    }
    for variable in module.variables() {
        checker.initialiser(variable.initialiser.as_ref(), *variable.span);
    }
    for function in module.functions() {
        checker.function(function);
    }
}

/// The only architecture that has products of warpgroups (`wgmma`).
const WARPGROUP_TARGET: &str = "sm_90a";

/// The state of the check.
struct Checker<'a, 'd> {
    diagnostics: &'d mut Vec<Diagnostic>,
    /// The first name of `.target`.
    architecture: Option<&'a str>,
    /// Functions and variables of the module.
    globals: FxHashSet<&'a str>,
    scopes: Scopes<'a>,
    /// Labels, branch tables and prototypes of the open blocks.
    labels: Vec<FxHashSet<&'a str>>,
    /// Variables of the open blocks and parameters.
    variables: Vec<FxHashSet<&'a str>>,
    /// Names already reported as undeclared in this function.
    reported: FxHashSet<&'a str>,
}

impl<'a, 'd> Checker<'a, 'd> {
    fn new(diagnostics: &'d mut Vec<Diagnostic>) -> Checker<'a, 'd> {
        Checker {
            diagnostics,
            architecture: None,
            globals: FxHashSet::default(),
            scopes: Scopes::default(),
            labels: Vec::new(),
            variables: Vec::new(),
            reported: FxHashSet::default(),
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn function(&mut self, function: &'a Function) {
        self.reported.clear();
        self.scopes.open();
        self.variables.push(FxHashSet::default());
        for parameter in function.returns.iter().chain(&function.parameters) {
            self.parameter(parameter);
        }
        if let Some(body) = &function.body {
            self.block(body);
        }
        self.variables.pop();
        self.scopes.close();
    }

    /// Reports names in an initial value that are not declared.
    fn initialiser(&mut self, initialiser: Option<&'a Initialiser>, span: Span) {
        match initialiser {
            Some(Initialiser::Symbol { name, .. }) => self.symbol(name, span),
            Some(Initialiser::List(list)) => list.iter().for_each(|part| self.initialiser(Some(part), span)),
            Some(Initialiser::Value(_)) | None => {}
        }
    }

    fn parameter(&mut self, parameter: &'a Variable) {
        let name: &str = &parameter.name;
        let is_new = if parameter.space == Space::Reg {
            self.scopes.declare(name, RegisterType { ty: parameter.ty, vector: parameter.vector }, None)
        } else {
            self.variables.last_mut().is_none_or(|level| level.insert(name))
        };
        if !is_new && !name.is_empty() {
            self.report(Diagnostic::error(*parameter.span, format!("parameter '{name}' is declared twice")));
        }
    }

    fn block(&mut self, block: &'a Block) {
        self.scopes.open();
        self.variables.push(FxHashSet::default());
        self.collect_labels(block);
        for statement in &block.statements {
            self.statement(statement);
        }
        self.labels.pop();
        self.variables.pop();
        self.scopes.close();
    }

    fn collect_labels(&mut self, block: &'a Block) {
        let mut places: FxHashMap<&str, Span> = FxHashMap::default();
        for statement in &block.statements {
            let (name, span) = match statement {
                Statement::Label(label) => (&label.name, *label.span),
                Statement::BranchTargets(table) => (&table.name, *table.span),
                Statement::CallTargets(table) => (&table.name, *table.span),
                Statement::CallPrototype(prototype) => (&prototype.name, *prototype.span),
                _ => continue,
            };
            if places.insert(name, span).is_some() {
                self.report(
                    Diagnostic::error(span, format!("label '{name}' is defined twice"))
                        .with_label("defined before in this block"),
                );
            }
        }
        self.labels.push(places.into_keys().collect());
    }

    fn statement(&mut self, statement: &'a Statement) {
        match statement {
            Statement::Instruction(instruction) => self.instruction(instruction),
            Statement::Block(block) => self.block(block),
            Statement::Registers(declaration) => {
                for taken in self.scopes.declare_all(declaration) {
                    let span = declaration.names.iter().rev().find(|name| &*name.name == taken);
                    let span = span.map_or(*declaration.span, |name| *name.span);
                    self.report(Diagnostic::error(span, format!("register '{taken}' is declared twice")));
                }
            }
            Statement::Variable(variable) => {
                let is_new = self.variables.last_mut().is_none_or(|level| level.insert(&variable.name));
                self.initialiser(variable.initialiser.as_ref(), *variable.span);
                if !is_new {
                    let message = format!("variable '{}' is declared twice", variable.name);
                    self.report(Diagnostic::error(*variable.span, message));
                }
            }
            Statement::BranchTargets(table) => {
                for target in &table.targets {
                    self.label(target, *table.span);
                }
            }
            _ => {}
        }
    }

    fn instruction(&mut self, instruction: &'a Instruction) {
        if let Some(guard) = &instruction.guard {
            self.guard(guard, instruction);
        }
        if let (Opcode::Wgmma, Some(name)) = (instruction.opcode, self.architecture)
            && name != WARPGROUP_TARGET
        {
            let message = format!("'{}' is not supported on .target '{name}'", instruction.mnemonic());
            let help = format!(
                "products of warpgroups need '.target {WARPGROUP_TARGET}' (nvcc -arch={WARPGROUP_TARGET})"
            );
            self.report(Diagnostic::error(*instruction.span, message).with_help(help));
        }
        let before = self.diagnostics.len();
        form::check(instruction, self.diagnostics);
        self.operands(instruction, self.diagnostics.len() == before);
    }

    fn guard(&mut self, guard: &'a Guard, instruction: &Instruction) {
        let start = instruction.span.start as usize + 1 + usize::from(guard.negated);
        let span = Span::new(start, start + guard.register.len());
        if let Some(register) = self.register(&guard.register, span)
            && register.ty != Type::Pred
        {
            let message = format!("guard '{}' is not a predicate but .{}", guard.register, register.ty);
            self.report(Diagnostic::error(span, message));
        }
    }

    /// The type of a register; reports, once in a function, that it is not declared.
    fn register(&mut self, name: &'a str, span: Span) -> Option<RegisterType> {
        let found = self.scopes.lookup(name);
        if found.is_none() && self.reported.insert(name) {
            let diagnostic = Diagnostic::error(span, format!("register '{name}' is not declared"));
            let specials = Special::ALL.iter().map(|special| special.name());
            let singles = self.scopes.names().filter(|known| self.scopes.lookup(known).is_some());
            let near = nearest_name(name, specials.chain(singles)).filter(|_| name.len() > 4);
            let ranged = self.scopes.names().any(|prefix| is_numbered(name, prefix));
            self.report(match near {
                _ if ranged => diagnostic.with_help("the '.reg' directive declares fewer of them"),
                Some(near) => diagnostic.with_help(format!("did you mean '{near}'?")),
                None => diagnostic.with_help("declare it with '.reg'"),
            });
        }
        found
    }

    fn label(&mut self, name: &'a str, span: Span) {
        if self.labels.iter().any(|level| level.contains(name)) || !self.reported.insert(name) {
            return;
        }
        let diagnostic = Diagnostic::error(span, format!("label '{name}' is not defined"));
        let mut known: Vec<&str> = self.labels.iter().flatten().copied().collect();
        known.sort_unstable();
        self.report(match nearest_name(name, known) {
            Some(near) => diagnostic.with_help(format!("did you mean '{near}'?")),
            None => diagnostic.with_label("no such label in this function"),
        });
    }

    fn symbol(&mut self, name: &'a str, span: Span) {
        let known = self.globals.contains(name) || self.variables.iter().any(|level| level.contains(name));
        if known || self.labels.iter().any(|level| level.contains(name)) || !self.reported.insert(name) {
            return;
        }
        let diagnostic = Diagnostic::error(span, format!("'{name}' is not declared"))
            .with_label("neither a register nor a variable");
        let mut known: Vec<&str> = self.variables.iter().flatten().chain(&self.globals).copied().collect();
        known.sort_unstable();
        self.report(match nearest_name(name, known.into_iter().chain(self.scopes.names())) {
            Some(near) => diagnostic.with_help(format!("did you mean '{near}'?")),
            None => diagnostic,
        });
    }
}

/// Whether a name is a prefix followed by digits only.
fn is_numbered(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}
