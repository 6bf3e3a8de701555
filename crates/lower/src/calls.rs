//! Real calls: of functions that call themselves, through pointers, and where inlining would cost too much.
//!
//! The convention is the compiler's own. Everything goes through local memory, relative to the stack pointer `R1`:
//!
//! - A caller stores the return address 8 bytes below its stack pointer, and results and parameters in an area below
//!   that ([`Interface`]): each at its own alignment, the results first.
//! - A called function lowers `R1` by its frame, whose upper end is this area, and raises it again before it returns.
//! - No register but `R1` survives a call: the caller keeps what it needs later in its frame (`frames.rs`). Convergence
//!   barriers are kept by the function that uses them.
//! - Uniform registers belong to all lanes of a warp, which may be in different functions: only the descriptor of global
//!   memory lives in one, the same in every function.

use crate::flat::{Flattener, Item, Named, RegisterId, Start, Symbol, Value};
use crate::limits::PARAMETERS;
use warplab_diagnostics::Span;
use warplab_program::Origin;
use warplab_ptx::tree::{Call, Function, Operand, Space, Statement, Type, Variable};

/// What is added to an offset from the stack pointer of the caller, until the size of the frame is known.
pub(crate) const INCOMING: i32 = 0x40_0000;

/// Bytes of a return address.
const RETURN_BYTES: u64 = 8;

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    /// The function with this number.
    Function(u32),
    /// What a register points to.
    Pointer(RegisterId),
}

/// An access to a place of the stack.
#[derive(Clone, Debug)]
pub(crate) struct StackAccess {
    /// What is stored; nothing for a load.
    pub(crate) stored: Option<Value>,
    /// What is loaded.
    pub(crate) loaded: Option<RegisterId>,
    /// Of which type.
    pub(crate) ty: Type,
    /// Bytes from the stack pointer.
    pub(crate) at: i32,
    /// Whence.
    pub(crate) origin: Origin,
}

/// Where results and parameters of a function lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Interface {
    returns: Vec<i32>,
    parameters: Vec<i32>,
    /// Bytes of results, parameters and return address.
    pub(crate) area: u32,
}

impl Interface {
    /// Of a function with these results and parameters.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(crate) fn new(returns: &[Variable], parameters: &[Variable]) -> Result<Interface, String> {
        let mut used: u64 = 0;
        let mut places = Vec::with_capacity(returns.len() + parameters.len());
        for variable in returns.iter().chain(parameters) {
            if variable.ty == Type::Pred {
                return Err("predicates cannot be passed in a call that is not inlined".to_owned());
            }
            used = used.next_multiple_of(variable.alignment().clamp(1, 16));
            places.push(used);
            used = used.saturating_add(variable.bytes());
            if used > PARAMETERS {
                return Err(format!("a call passes at most {PARAMETERS} bytes"));
            }
        }
        let area = (used + RETURN_BYTES).next_multiple_of(16);
        let below = |place: u64| i32::try_from(place).unwrap_or(0) - i32::try_from(area).unwrap_or(0);
        let mut places = places.into_iter().map(below);
        Ok(Interface {
            returns: places.by_ref().take(returns.len()).collect(),
            parameters: places.collect(),
            area: u32::try_from(area).map_err(|fault| fault.to_string())?,
        })
    }
}

impl<'a> Flattener<'a, '_> {
    /// The body of a function that is called; results and parameters are where the caller put them.
    pub(crate) fn body(&mut self, function: &'a Function) {
        let interface = match Interface::new(&function.returns, &function.parameters) {
            Ok(interface) => interface,
            Err(fault) => return self.fault(*function.name_span, fault),
        };
        let origin = Origin::default();
        let returns = function.returns.iter().zip(&interface.returns).map(|it| (it, false));
        let parameters = function.parameters.iter().zip(&interface.parameters).map(|it| (it, true));
        let mut results = Vec::new();
        for ((formal, &at), is_parameter) in returns.chain(parameters) {
            let at = INCOMING + at;
            if formal.space != Space::Reg {
                self.scope().variables.insert(&formal.name, Symbol::Incoming(at));
                continue;
            }
            let id = self.new_register(formal.ty);
            self.scope().registers.insert(formal.name.to_string(), Named::One(id));
            if is_parameter {
                self.stack_load(id, formal.ty, at, origin);
            } else {
                results.push((id, formal.ty, at));
            }
        }
        let end = self.new_label();
        self.leave.push(end);
        if let Some(body) = &function.body {
            self.block(body);
        }
        self.leave.pop();
        self.out.items.push(Item::Label(end));
        for (id, ty, at) in results {
            self.stack_store(Value::Register(id), ty, at, origin);
        }
        self.out.items.push(Item::Return(origin));
        self.out.area = interface.area;
    }

    /// A call through a register.
    pub(crate) fn pointer_call(
        &mut self,
        call: &Call<'a>,
        guard: Option<(RegisterId, bool)>,
        place: (Span, Origin),
    ) {
        let (span, _) = place;
        let shape = match call.prototype {
            Some(Operand::Label(name) | Operand::Symbol { name, .. }) => self.prototype(name),
            _ => None,
        };
        let Some((returns, parameters)) = shape else {
            return self.fault(
                span,
                "a call through a register needs the name of its .callprototype or .calltargets".to_owned(),
            );
        };
        let Value::Register(pointer) = self.value(call.target, span) else {
            return self.fault(span, "a call goes to a function or through a register".to_owned());
        };
        self.out.calls_pointers = true;
        self.real_call(Callee::Pointer(pointer), (returns, parameters), call, guard, place);
    }

    /// Results and parameters of what a call through a register may reach.
    fn prototype(&self, name: &str) -> Option<(&'a [Variable], &'a [Variable])> {
        self.scopes.iter().rev().find_map(|scope| scope.prototypes.get(name)).and_then(|statement| {
            match statement {
                Statement::CallPrototype(it) => Some((it.returns.as_slice(), it.parameters.as_slice())),
                Statement::CallTargets(it) => {
                    let first = self.functions.get(it.targets.first()?)?;
                    Some((first.returns.as_slice(), first.parameters.as_slice()))
                }
                _ => None,
            }
        })
    }

    /// Stores the arguments, calls, loads the results.
    pub(crate) fn real_call(
        &mut self,
        callee: Callee,
        (returns, parameters): (&'a [Variable], &'a [Variable]),
        call: &Call<'a>,
        guard: Option<(RegisterId, bool)>,
        (span, origin): (Span, Origin),
    ) {
        let counts = [(call.arguments.len(), parameters.len()), (call.returns.len(), returns.len())];
        if let Some((given, wanted)) = counts.into_iter().find(|(given, wanted)| given != wanted) {
            return self
                .fault(span, format!("the call names {given} parameters or results, the function {wanted}"));
        }
        let interface = match Interface::new(returns, parameters) {
            Ok(interface) => interface,
            Err(fault) => return self.fault(span, fault),
        };
        let end = guard.map(|(predicate, negated)| {
            let end = self.new_label();
            self.out.items.push(Item::Leave(Some((predicate, !negated)), end, origin));
            end
        });
        for ((operand, formal), &at) in call.arguments.iter().zip(parameters).zip(&interface.parameters) {
            let value = self.value(operand, span);
            self.pass(value, formal, at, origin);
        }
        self.out.items.push(Item::Call(callee, origin));
        self.out.calls = true;
        for ((operand, formal), &at) in call.returns.iter().zip(returns).zip(&interface.returns) {
            let value = self.value(operand, span);
            self.receive(&value, formal, at, (span, origin));
        }
        self.out.items.extend(end.map(Item::Label));
    }

    /// Stores an argument where the function looks for it.
    fn pass(&mut self, value: Value, formal: &Variable, at: i32, origin: Origin) {
        match value {
            Value::Address(Start::Variable(Symbol::CallParameter(parameter)), 0) => {
                let words = self.out.slots.iter().filter(|((it, ..), _)| *it == parameter);
                let mut words: Vec<(i64, u32, RegisterId)> =
                    words.map(|(&(_, offset, bytes), &id)| (offset, bytes, id)).collect();
                words.sort_unstable();
                for (offset, bytes, id) in words {
                    let inside =
                        u64::try_from(offset).is_ok_and(|it| it + u64::from(bytes) <= formal.bytes());
                    if let (true, Ok(offset)) = (inside, i32::try_from(offset)) {
                        self.stack_store(Value::Register(id), word(bytes), at + offset, origin);
                    }
                }
            }
            Value::Address(Start::Variable(symbol), 0) if formal.space != Space::Reg => {
                if let Some(from) = stack_place(&symbol) {
                    self.stack_copy(from, at, formal, origin);
                }
            }
            value => self.stack_store(value, formal.ty, at, origin),
        }
    }

    /// Takes a result from where the function put it.
    fn receive(&mut self, value: &Value, formal: &Variable, at: i32, (span, origin): (Span, Origin)) {
        match value {
            Value::Register(id) => self.stack_load(*id, formal.ty, at, origin),
            Value::Address(Start::Variable(Symbol::CallParameter(parameter)), 0) => {
                if formal.dims.is_empty() && formal.vector.is_none() {
                    let slot = self.slot(*parameter, 0, formal.ty);
                    return self.stack_load(slot, formal.ty, at, origin);
                }
                // What has parts is kept in the frame: loads take them as they like.
                let start = self.out.local_bytes.next_multiple_of(16);
                let bytes = u32::try_from(formal.bytes()).unwrap_or(0);
                self.out.local_bytes = start + bytes;
                self.out.in_memory.insert(*parameter, start);
                self.stack_copy(at, i32::try_from(start).unwrap_or(0), formal, origin);
            }
            Value::Address(Start::Variable(symbol), 0) => {
                if let Some(to) = stack_place(symbol) {
                    self.stack_copy(at, to, formal, origin);
                }
            }
            Value::Sink => {}
            _ => self.fault(span, "a result goes to a register or a .param variable".to_owned()),
        }
    }

    /// Copies a parameter from one place of the stack to another.
    fn stack_copy(&mut self, from: i32, to: i32, formal: &Variable, origin: Origin) {
        let (bytes, mut at) = (i32::try_from(formal.bytes()).unwrap_or(0), 0);
        let aligned = i32::try_from(formal.alignment().clamp(1, 8)).unwrap_or(1);
        while at < bytes {
            let step = [8, 4, 2, 1].into_iter().find(|&step| step <= aligned.min(bytes - at)).unwrap_or(1);
            let ty = word(step.unsigned_abs());
            let id = self.new_register(if step == 1 { Type::B16 } else { ty });
            self.stack_load(id, ty, from + at, origin);
            self.stack_store(Value::Register(id), ty, to + at, origin);
            at += step;
        }
    }

    fn stack_load(&mut self, id: RegisterId, ty: Type, at: i32, origin: Origin) {
        let access = StackAccess { stored: None, loaded: Some(id), ty, at, origin };
        self.out.items.push(Item::Stack(access));
    }

    fn stack_store(&mut self, value: Value, ty: Type, at: i32, origin: Origin) {
        let access = StackAccess { stored: Some(value), loaded: None, ty, at, origin };
        self.out.items.push(Item::Stack(access));
    }

    /// A word of a parameter of the function itself, in a register.
    pub(crate) fn incoming_value(&mut self, at: i32, ty: Type) -> Value {
        let id = self.new_register(ty);
        self.stack_load(id, ty, at, Origin::default());
        Value::Register(id)
    }
}

/// Where a parameter that is kept in memory lies.
fn stack_place(symbol: &Symbol) -> Option<i32> {
    match symbol {
        Symbol::Incoming(at) => Some(*at),
        Symbol::Local(at) => i32::try_from(*at).ok(),
        _ => None,
    }
}

/// The type of a word of so many bytes.
fn word(bytes: u32) -> Type {
    match bytes {
        8 => Type::B64,
        4 => Type::B32,
        2 => Type::B16,
        _ => Type::B8,
    }
}
