//! Calls: the called function's statements stand in their place, its parameters are registers.

use crate::calls::Callee;
use crate::flat::{Flat, Flattener, Item, Named, ParameterId, RegisterId, Start, Symbol, Value};
use crate::functions::{MOST_DEEP, MOST_INLINED};
use warplab_program::{Origin, SystemCall};
use warplab_ptx::tree::{Instruction, Opcode, Operand, Space, Type, Variable};

impl<'a> Flattener<'a, '_> {
    /// Whether one more function can be inlined.
    fn has_room(&self) -> bool {
        self.calls.len() <= MOST_DEEP && self.out.items.len() <= MOST_INLINED
    }

    /// The register that holds a word of a parameter of an inlined call.
    pub(crate) fn slot(&mut self, parameter: ParameterId, offset: i64, ty: Type) -> RegisterId {
        let bytes = ty.bytes();
        if let Some(&id) = self.out.slots.get(&(parameter, offset, bytes)) {
            return id;
        }
        let plain = match bytes {
            8 => Type::B64,
            4 => Type::B32,
            _ => Type::B16,
        };
        let id = self.new_register(plain);
        self.out.slots.insert((parameter, offset, bytes), id);
        id
    }

    /// `ld.param` and `st.param` of a call's parameter become copies. False if the instruction is another.
    pub(crate) fn call_parameter_access(&mut self, flat: &Flat<'a>) -> bool {
        let tree = flat.tree;
        let (address, data, store) = match (tree.opcode, flat.operands.as_slice()) {
            (Opcode::Ld, [data, address]) => (address, data, false),
            (Opcode::St, [address, data]) => (address, data, true),
            _ => return false,
        };
        let Value::Address(Start::Variable(Symbol::CallParameter(parameter)), offset) = address else {
            return false;
        };
        let ty = tree.ty().unwrap_or(Type::B32);
        let elements: Vec<Value> = match data {
            Value::Vector(elements) => elements.clone(),
            other => vec![other.clone()],
        };
        for (index, element) in (0_i64..).zip(elements) {
            let offset = offset.wrapping_add(i64::from(ty.bytes()) * index);
            let slot = self.slot(*parameter, offset, ty);
            let (to, from) = match (store, element) {
                (true, element) => (slot, element),
                (false, Value::Register(id)) => (id, Value::Register(slot)),
                _ => continue,
            };
            self.out.items.push(Item::Copy { guard: flat.guard, to, from, origin: flat.origin });
        }
        true
    }

    pub(crate) fn call(
        &mut self,
        instruction: &'a Instruction,
        guard: Option<(RegisterId, bool)>,
        origin: Origin,
    ) {
        let span = *instruction.span;
        let Some(call) = instruction.call() else {
            return self.fault(span, "call names no function".to_owned());
        };
        let (Operand::Symbol { name, .. } | Operand::Label(name)) = call.target else {
            return self.pointer_call(&call, guard, (span, origin));
        };
        let name = name.as_str();
        let function = self.functions.get(name);
        if let (None, Some(driver)) = (function, SystemCall::from_name(name)) {
            return self.system_call(driver, &call, guard, (span, origin));
        }
        let (Some(function), Some(number)) = (function, self.functions.number(name)) else {
            return self.fault(span, format!("the function '{name}' has no body in this file"));
        };
        let is_real = self.functions.is_called(name, self.calls[0]);
        if is_real || self.calls.contains(&name) || !self.has_room() {
            let shape = (function.returns.as_slice(), function.parameters.as_slice());
            return self.real_call(Callee::Function(number), shape, &call, guard, (span, origin));
        }
        let actual = |it: &mut Self, operands: &'a [Operand]| -> Vec<Value> {
            operands.iter().map(|operand| it.value(operand, span)).collect()
        };
        let returns = actual(self, call.returns);
        let arguments = actual(self, call.arguments);
        let end = self.new_label();
        // Lanes that do not call get no results either.
        let past = if guard.is_some() && !returns.is_empty() { self.new_label() } else { end };
        if let Some((predicate, negated)) = guard {
            self.out.items.push(Item::Leave(Some((predicate, !negated)), past, origin));
        }
        let mut outer = std::mem::take(&mut self.scopes);
        self.open();
        let copies_out = self.bind(&function.returns, &returns, origin, false);
        self.bind(&function.parameters, &arguments, origin, true);
        self.calls.push(name);
        self.leave.push(end);
        let place = self.place;
        self.out.inlined.insert(self.out.items.len());
        if let Some(body) = &function.body {
            self.block(body);
        }
        self.out.inlined.insert(self.out.items.len());
        self.place = place;
        self.leave.pop();
        self.calls.pop();
        std::mem::swap(&mut self.scopes, &mut outer);
        self.out.items.push(Item::Label(end));
        for (to, from) in copies_out {
            self.out.items.push(Item::Copy { guard: None, to, from: Value::Register(from), origin });
        }
        if past != end {
            self.out.items.push(Item::Label(past));
        }
    }

    /// Makes the formal parameters of a function mean the actual ones. Returns the copies to make after the call.
    pub(crate) fn bind(
        &mut self,
        formal: &'a [Variable],
        actual: &[Value],
        origin: Origin,
        copy_in: bool,
    ) -> Vec<(RegisterId, RegisterId)> {
        let mut copies = Vec::new();
        for (formal, actual) in formal.iter().zip(actual) {
            if formal.space == Space::Reg {
                let id = self.new_register(formal.ty);
                self.scope().registers.insert(formal.name.to_string(), Named::One(id));
                match actual {
                    from if copy_in => {
                        self.out.items.push(Item::Copy { guard: None, to: id, from: from.clone(), origin });
                    }
                    Value::Register(to) => copies.push((*to, id)),
                    _ => {}
                }
                continue;
            }
            if let Value::Address(Start::Variable(symbol), _) = actual {
                self.scope().variables.insert(&formal.name, symbol.clone());
            } else {
                self.out.parameters += 1;
                let parameter = self.out.parameters - 1;
                self.scope().variables.insert(&formal.name, Symbol::CallParameter(parameter));
                let slot = self.slot(parameter, 0, formal.ty);
                match actual {
                    from if copy_in => {
                        self.out.items.push(Item::Copy { guard: None, to: slot, from: from.clone(), origin });
                    }
                    Value::Register(to) => copies.push((*to, slot)),
                    _ => {}
                }
            }
        }
        copies
    }
}
