//! A kernel's PTX as one list of instructions and labels: nested blocks opened, names resolved, calls inlined.

use crate::calls::{Callee, StackAccess};
use crate::functions::{Functions, local_variables, names_used};
use crate::limits::{self, SHARED_BASE};
use crate::system::SystemItem;
use rustc_hash::{FxHashMap, FxHashSet};
use warplab_diagnostics::{Diagnostic, Source, Span};
use warplab_program::Origin;
use warplab_ptx::tree::{
    Address, Base, Block, Component, Function, Immediate, Instruction, Module, Opcode, Operand, Part, Space,
    Special, Statement, Type, Variable,
};

/// The number of a PTX register of a kernel, after inlining.
pub(crate) type RegisterId = usize;
/// The number of a label of a kernel, after inlining.
pub(crate) type LabelId = usize;
/// The number of a parameter of a call: a few registers.
pub(crate) type ParameterId = usize;

/// What an address starts from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Start {
    /// A register.
    Register(RegisterId),
    /// A variable.
    Variable(Symbol),
    /// Nothing.
    Absolute,
}

/// A variable or parameter that a name means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Symbol {
    /// A parameter of the kernel, by its offset in bytes.
    Parameter(u32),
    /// A parameter of a call that was inlined.
    CallParameter(ParameterId),
    /// A parameter or result of the function itself, by its place on the stack.
    Incoming(i32),
    /// A variable of local memory, by its offset in the frame.
    Local(u32),
    /// A variable of shared memory, by its offset in the window.
    Shared(u32),
    /// A variable of constant memory, by its offset in bank 3.
    Constant(u32),
    /// A variable of global memory.
    Global(String),
    /// A function, by its number.
    Function(u32),
}

/// An operand with its names resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// A register.
    Register(RegisterId),
    /// A part of a register.
    Part(RegisterId, Part),
    /// A predicate negated.
    Negated(RegisterId),
    /// A constant.
    Immediate(Immediate),
    /// A special register.
    Special(Special, Option<Component>),
    /// The address of a variable.
    Address(Start, i64),
    /// Several values.
    Vector(Vec<Value>),
    /// A place to go to.
    Label(LabelId),
    /// Two results.
    Pair(Box<Value>, Box<Value>),
    /// A result that is not wanted.
    Sink,
}

/// An instruction with its names resolved.
#[derive(Clone, Debug)]
pub(crate) struct Flat<'a> {
    /// The guard: the predicate and whether it is negated.
    pub(crate) guard: Option<(RegisterId, bool)>,
    /// The instruction as written.
    pub(crate) tree: &'a Instruction,
    /// Its operands.
    pub(crate) operands: Vec<Value>,
    /// Whence.
    pub(crate) origin: Origin,
    /// Where in the text.
    pub(crate) span: Span,
}

/// An instruction or a label.
#[derive(Clone, Debug)]
pub(crate) enum Item<'a> {
    /// A label.
    Label(LabelId),
    /// An instruction.
    Instruction(Flat<'a>),
    /// `brx.idx` with its table.
    Switch(Flat<'a>, Vec<LabelId>),
    /// The end of an inlined function: a branch to the label, under the guard.
    Leave(Option<(RegisterId, bool)>, LabelId, Origin),
    /// A call of the driver.
    System(SystemItem),
    /// A load or store of an argument or result of a call that is not inlined.
    Stack(StackAccess),
    /// A call that is not inlined.
    Call(Callee, Origin),
    /// The end of a function that is called.
    Return(Origin),
    /// A copy between registers, from the call interface.
    Copy {
        /// The guard.
        guard: Option<(RegisterId, bool)>,
        /// The result.
        to: RegisterId,
        /// The value.
        from: Value,
        /// Whence.
        origin: Origin,
    },
}

/// A kernel's PTX as one list.
#[derive(Debug, Default)]
pub(crate) struct Flattened<'a> {
    /// Instructions and labels.
    pub(crate) items: Vec<Item<'a>>,
    /// The type of every register.
    pub(crate) registers: Vec<Type>,
    /// How many labels there are.
    pub(crate) labels: usize,
    /// The labels of loops that stay as they are.
    pub(crate) rolled: FxHashSet<LabelId>,
    /// The items in front of which an inlined function begins or ends.
    pub(crate) inlined: FxHashSet<usize>,
    /// Bytes of local variables.
    pub(crate) local_bytes: u32,
    /// Bytes of static shared variables of the function itself and of the module, as far as used.
    pub(crate) shared_bytes: u32,
    /// Words of inlined calls' parameters: (parameter, byte offset, bytes) to register.
    pub(crate) slots: FxHashMap<(ParameterId, i64, u32), RegisterId>,
    pub(crate) parameters: usize,
    /// Results of calls that lie in the frame: where.
    pub(crate) in_memory: FxHashMap<ParameterId, u32>,
    /// Blocks of a cluster, if the kernel runs in clusters.
    pub(crate) cluster: Option<[u32; 3]>,
    /// Whether `setmaxnreg` does something.
    pub(crate) sets_registers: bool,
    /// Whether it calls or is called, and whether it calls through registers.
    pub(crate) calls: bool,
    pub(crate) calls_pointers: bool,
    /// Bytes that its caller passes on the stack, if it is called.
    pub(crate) area: u32,
}

/// The addresses of the variables of the module.
#[derive(Debug, Default)]
pub(crate) struct Globals {
    /// Offsets of constant variables in bank 3.
    pub(crate) constants: FxHashMap<String, u32>,
    /// Names of global variables.
    pub(crate) globals: FxHashMap<String, ()>,
}

pub(crate) struct Scope<'a> {
    pub(crate) registers: FxHashMap<String, Named>,
    pub(crate) ranges: Vec<(&'a str, u32, Type)>,
    pub(crate) variables: FxHashMap<&'a str, Symbol>,
    pub(crate) labels: FxHashMap<&'a str, LabelId>,
    pub(crate) tables: FxHashMap<&'a str, Vec<&'a str>>,
    pub(crate) prototypes: FxHashMap<&'a str, &'a Statement>,
}

#[derive(Clone)]
pub(crate) enum Named {
    One(RegisterId),
    Many(Vec<RegisterId>),
}

/// What is flattened, and what it may name.
#[derive(Clone, Copy)]
pub(crate) struct Unit<'a, 'd> {
    pub(crate) module: &'a Module,
    pub(crate) source: &'a Source,
    pub(crate) globals: &'a Globals,
    pub(crate) files: &'a FxHashMap<u32, u16>,
    pub(crate) functions: &'d Functions<'a>,
    pub(crate) function: &'a Function,
}

/// Flattens one kernel or function.
pub(crate) struct Flattener<'a, 'd> {
    pub(crate) module: &'a Module,
    pub(crate) source: &'a Source,
    pub(crate) globals: &'a Globals,
    pub(crate) files: &'a FxHashMap<u32, u16>,
    pub(crate) diagnostics: &'d mut Vec<Diagnostic>,
    pub(crate) out: Flattened<'a>,
    pub(crate) scopes: Vec<Scope<'a>>,
    pub(crate) shared: FxHashMap<&'a str, u32>,
    pub(crate) functions: &'d Functions<'a>,
    pub(crate) calls: Vec<&'a str>,
    pub(crate) leave: Vec<LabelId>,
    pub(crate) place: (Option<u16>, u32),
}

/// Whether a pragma says that loops stay as they are.
fn is_nounroll(texts: &[String]) -> bool {
    texts.iter().any(|text| text == "nounroll")
}

impl<'a, 'd> Flattener<'a, 'd> {
    /// Flattens a kernel. `parameters` are the offsets of its parameters by name. Also where its shared variables are.
    pub(crate) fn kernel(
        unit: Unit<'a, 'd>,
        parameters: &[(String, u32)],
        diagnostics: &'d mut Vec<Diagnostic>,
    ) -> (Flattened<'a>, FxHashMap<&'a str, u32>) {
        let mut it = Flattener::new(unit, diagnostics);
        for (parameter, (_, offset)) in unit.function.parameters.iter().zip(parameters) {
            it.scope().variables.insert(&parameter.name, Symbol::Parameter(*offset));
        }
        if let Some(body) = &unit.function.body {
            it.lay_out_shared(body);
            it.block(body);
        }
        (it.out, it.shared)
    }

    /// Flattens a function that a kernel calls. `shared`: the addresses of shared variables so far, and their bytes.
    pub(crate) fn function(
        unit: Unit<'a, 'd>,
        shared: &mut (FxHashMap<&'a str, u32>, u32),
        diagnostics: &'d mut Vec<Diagnostic>,
    ) -> Flattened<'a> {
        let mut it = Flattener::new(unit, diagnostics);
        it.out.calls = true;
        it.shared = std::mem::take(&mut shared.0);
        it.out.shared_bytes = shared.1;
        it.body(unit.function);
        *shared = (it.shared, it.out.shared_bytes);
        it.out
    }

    fn new(unit: Unit<'a, 'd>, diagnostics: &'d mut Vec<Diagnostic>) -> Flattener<'a, 'd> {
        let mut it = Flattener {
            module: unit.module,
            source: unit.source,
            globals: unit.globals,
            files: unit.files,
            diagnostics,
            out: Flattened::default(),
            scopes: Vec::new(),
            shared: FxHashMap::default(),
            functions: unit.functions,
            calls: vec![&unit.function.name],
            leave: Vec::new(),
            place: (None, 0),
        };
        it.open();
        it
    }

    pub(crate) fn scope(&mut self) -> &mut Scope<'a> {
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    pub(crate) fn open(&mut self) {
        self.scopes.push(Scope {
            registers: FxHashMap::default(),
            ranges: Vec::new(),
            variables: FxHashMap::default(),
            labels: FxHashMap::default(),
            tables: FxHashMap::default(),
            prototypes: FxHashMap::default(),
        });
    }

    /// Gives every static shared variable of the module and of the kernel an address; dynamic ones come after all.
    pub(crate) fn lay_out_shared(&mut self, body: &'a Block) {
        let mut static_variables: Vec<&'a Variable> = Vec::new();
        let mut dynamic: Vec<&'a Variable> = Vec::new();
        let used = names_used(self.functions, body);
        let module_level = self.module.variables().filter(|it| used.contains_key(it.name.as_str()));
        for variable in module_level.chain(local_variables(body)) {
            if variable.space.family() == Space::Shared {
                let unsized_array = variable.dims.first() == Some(&None);
                if unsized_array { dynamic.push(variable) } else { static_variables.push(variable) }
            }
        }
        for variable in static_variables {
            self.add_shared(variable);
        }
        let at = SHARED_BASE + self.out.shared_bytes;
        let alignment = dynamic.iter().map(|it| limits::narrow(it.alignment().max(1))).max().unwrap_or(1);
        let start = at.next_multiple_of(alignment);
        if !dynamic.is_empty() {
            self.out.shared_bytes = start - SHARED_BASE;
        }
        for variable in dynamic {
            self.shared.insert(&variable.name, start);
        }
    }

    /// Gives a static shared variable the next address; returns it.
    fn add_shared(&mut self, variable: &'a Variable) -> u32 {
        let (at, end) = limits::place32(self.out.shared_bytes, variable).unwrap_or_else(|fault| {
            self.fault(*variable.span, fault);
            (0, 0)
        });
        self.out.shared_bytes = end;
        self.shared.insert(&variable.name, SHARED_BASE + at);
        SHARED_BASE + at
    }

    pub(crate) fn block(&mut self, block: &'a Block) {
        self.open();
        for statement in &block.statements {
            match statement {
                Statement::Label(label) => {
                    let id = self.new_label();
                    self.scope().labels.insert(&label.name, id);
                }
                Statement::BranchTargets(table) => {
                    let names = table.targets.iter().map(|name| name.as_str()).collect();
                    self.scope().tables.insert(&table.name, names);
                }
                Statement::CallPrototype(it) => _ = self.scope().prototypes.insert(&it.name, statement),
                Statement::CallTargets(it) => _ = self.scope().prototypes.insert(&it.name, statement),
                _ => {}
            }
        }
        for statement in &block.statements {
            self.statement(statement);
        }
        self.scopes.pop();
    }

    pub(crate) fn new_label(&mut self) -> LabelId {
        self.out.labels += 1;
        self.out.labels - 1
    }

    pub(crate) fn statement(&mut self, statement: &'a Statement) {
        match statement {
            Statement::Instruction(instruction) => self.instruction(instruction),
            Statement::Label(label) => {
                if let Some(id) = self.label(&label.name) {
                    self.out.items.push(Item::Label(id));
                }
            }
            Statement::Registers(declaration) => {
                let lanes = declaration.vector.map_or(1, |vector| vector.lanes());
                for name in &declaration.names {
                    match name.count {
                        Some(count) => self.scope().ranges.push((name.name.as_str(), count, declaration.ty)),
                        None => {
                            let ids: Vec<RegisterId> =
                                (0..lanes).map(|_| self.new_register(declaration.ty)).collect();
                            let named = if lanes == 1 { Named::One(ids[0]) } else { Named::Many(ids) };
                            self.scope().registers.insert(name.name.to_string(), named);
                        }
                    }
                }
            }
            Statement::Variable(variable) => self.variable(variable),
            Statement::Block(block) => self.block(block),
            Statement::Location(location) => {
                let (file, line) = match &location.inlined {
                    Some(_) | None => (location.file, location.line),
                };
                self.place = (self.files.get(&file).copied(), line);
            }
            Statement::Pragma(pragma) => {
                if let (true, Some(&Item::Label(label))) = (is_nounroll(&pragma.texts), self.out.items.last())
                {
                    self.out.rolled.insert(label);
                }
            }
            Statement::BranchTargets(_) | Statement::CallTargets(_) | Statement::CallPrototype(_) => {}
        }
    }

    pub(crate) fn new_register(&mut self, ty: Type) -> RegisterId {
        self.out.registers.push(ty);
        self.out.registers.len() - 1
    }

    pub(crate) fn variable(&mut self, variable: &'a Variable) {
        let symbol = match variable.space.family() {
            Space::Param => {
                self.out.parameters += 1;
                Symbol::CallParameter(self.out.parameters - 1)
            }
            Space::Local => match limits::place32(self.out.local_bytes, variable) {
                Ok((at, end)) => {
                    self.out.local_bytes = end;
                    Symbol::Local(at)
                }
                Err(fault) => {
                    self.fault(*variable.span, fault);
                    Symbol::Local(0)
                }
            },
            // A variable of an inlined function comes after those of the kernel.
            Space::Shared => match self.shared.get(variable.name.as_str()) {
                Some(&at) => Symbol::Shared(at),
                None => Symbol::Shared(self.add_shared(variable)),
            },
            Space::Const => match self.globals.constants.get(variable.name.as_str()) {
                Some(&at) => Symbol::Constant(at),
                None => return,
            },
            Space::Global => Symbol::Global(variable.name.to_string()),
            _ => {
                self.fault(
                    *variable.span,
                    format!("variables of space .{} are not supported", variable.space),
                );
                return;
            }
        };
        self.scope().variables.insert(&variable.name, symbol);
    }

    pub(crate) fn fault(&mut self, span: Span, message: String) {
        self.diagnostics.push(Diagnostic::error(span, message));
    }

    pub(crate) fn label(&self, name: &str) -> Option<LabelId> {
        self.scopes.iter().rev().find_map(|scope| scope.labels.get(name).copied())
    }

    pub(crate) fn register(&mut self, name: &str) -> Option<Named> {
        for level in (0..self.scopes.len()).rev() {
            if let Some(named) = self.scopes[level].registers.get(name) {
                return Some(named.clone());
            }
            let range = self.scopes[level].ranges.iter().find(|(prefix, count, _)| {
                let number = name.strip_prefix(prefix).and_then(|number| number.parse::<u32>().ok());
                number.is_some_and(|number| number < *count)
            });
            if let Some(&(_, _, ty)) = range {
                let id = self.new_register(ty);
                self.scopes[level].registers.insert(name.to_owned(), Named::One(id));
                return Some(Named::One(id));
            }
        }
        None
    }

    pub(crate) fn symbol(&self, name: &str) -> Option<Symbol> {
        let scoped = self.scopes.iter().rev().find_map(|scope| scope.variables.get(name).cloned());
        if let Some(Symbol::CallParameter(parameter)) = scoped
            && let Some(&at) = self.out.in_memory.get(&parameter)
        {
            return Some(Symbol::Local(at));
        }
        scoped
            .or_else(|| self.shared.get(name).map(|&at| Symbol::Shared(at)))
            .or_else(|| self.globals.constants.get(name).map(|&at| Symbol::Constant(at)))
            .or_else(|| self.globals.globals.get(name).map(|()| Symbol::Global(name.to_owned())))
            .or_else(|| self.functions.number(name).map(Symbol::Function))
    }

    pub(crate) fn value(&mut self, operand: &'a Operand, span: Span) -> Value {
        match operand {
            Operand::Register(name) => match self.register(name) {
                Some(Named::One(id)) => Value::Register(id),
                Some(Named::Many(ids)) => Value::Vector(ids.into_iter().map(Value::Register).collect()),
                None => self.unknown(name, span),
            },
            Operand::Component { register, component } => match self.register(register) {
                Some(Named::Many(ids)) if component.index() < ids.len() => {
                    Value::Register(ids[component.index()])
                }
                _ => self.unknown(register, span),
            },
            Operand::Part { register, part } => match self.register(register) {
                Some(Named::One(id)) => Value::Part(id, *part),
                _ => self.unknown(register, span),
            },
            Operand::Negated(name) => match self.register(name) {
                Some(Named::One(id)) => Value::Negated(id),
                _ => self.unknown(name, span),
            },
            Operand::Immediate(value) => Value::Immediate(*value),
            Operand::Special { register, component } => Value::Special(*register, *component),
            Operand::Symbol { name, offset } => match self.symbol(name) {
                Some(symbol) => Value::Address(Start::Variable(symbol), *offset),
                None => self.unknown(name, span),
            },
            Operand::Tensor(map, at) => {
                let map = self.address(map, span);
                let at = at.iter().map(|element| self.value(element, span));
                Value::Vector(std::iter::once(map).chain(at).collect())
            }
            Operand::Address(address) => self.address(address, span),
            Operand::Vector(elements) | Operand::List(elements) => {
                Value::Vector(elements.iter().map(|element| self.value(element, span)).collect())
            }
            Operand::Label(name) => match self.label(name) {
                Some(id) => Value::Label(id),
                None => Value::Sink,
            },
            Operand::Pair(first, second) => {
                Value::Pair(Box::new(self.value(first, span)), Box::new(self.value(second, span)))
            }
            Operand::Sink => Value::Sink,
        }
    }

    fn address(&mut self, address: &'a Address, span: Span) -> Value {
        let start = match &address.base {
            Base::Register(name) => match self.register(name) {
                Some(Named::One(id)) => Start::Register(id),
                _ => return self.unknown(name, span),
            },
            Base::Symbol(name) => match self.symbol(name) {
                Some(symbol) => Start::Variable(symbol),
                None => return self.unknown(name, span),
            },
            Base::Absolute => Start::Absolute,
        };
        Value::Address(start, address.offset)
    }

    pub(crate) fn unknown(&mut self, name: &str, span: Span) -> Value {
        self.fault(
            span,
            format!("'{name}' cannot be used here: it is no register, variable or parameter in scope"),
        );
        Value::Sink
    }

    pub(crate) fn guard(&mut self, instruction: &'a Instruction) -> Option<(RegisterId, bool)> {
        let guard = instruction.guard.as_ref()?;
        match self.register(&guard.register) {
            Some(Named::One(id)) => Some((id, guard.negated)),
            _ => None,
        }
    }

    pub(crate) fn instruction(&mut self, instruction: &'a Instruction) {
        let origin = Origin {
            line: self.source.line(instruction.span.start),
            source_file: self.place.0,
            source_line: self.place.1,
            note: "",
        };
        let guard = self.guard(instruction);
        match instruction.opcode {
            Opcode::Call => self.call(instruction, guard, origin),
            Opcode::Ret if !self.leave.is_empty() => {
                let label = self.leave[self.leave.len() - 1];
                self.out.items.push(Item::Leave(guard, label, origin));
            }
            Opcode::Brx => self.switch(instruction, guard, origin),
            _ => {
                let operands = instruction
                    .operands
                    .iter()
                    .enumerate()
                    .map(|(index, operand)| self.value(operand, instruction.operand_span(index)))
                    .collect();
                let flat = Flat { guard, tree: instruction, operands, origin, span: *instruction.span };
                if !self.call_parameter_access(&flat) {
                    self.out.items.push(Item::Instruction(flat));
                }
            }
        }
    }

    pub(crate) fn switch(
        &mut self,
        instruction: &'a Instruction,
        guard: Option<(RegisterId, bool)>,
        origin: Origin,
    ) {
        let span = *instruction.span;
        let table = match instruction.operands.get(1) {
            Some(Operand::Label(name) | Operand::Symbol { name, .. }) => {
                self.scopes.iter().rev().find_map(|scope| scope.tables.get(name.as_str()).cloned())
            }
            _ => None,
        };
        let (Some(table), Some(index)) = (table, instruction.operands.first()) else {
            self.fault(span, "brx.idx needs an index and a .branchtargets table".to_owned());
            return;
        };
        let operands = vec![self.value(index, span)];
        let labels = table.iter().filter_map(|name| self.label(name)).collect();
        self.out.items.push(Item::Switch(Flat { guard, tree: instruction, operands, origin, span }, labels));
    }
}
