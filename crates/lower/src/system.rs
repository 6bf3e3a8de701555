//! Calls of the driver: `vprintf`, `__assertfail`, `malloc`, `free` become one instruction with their arguments.

use crate::flat::{Flattener, Item, RegisterId, Start, Symbol, Value};
use crate::select::Selector;
use warplab_diagnostics::Span;
use warplab_program::{Modifier, Opcode, Operand, Origin, SystemCall};
use warplab_ptx::tree::{Call, Operand as PtxOperand, Type};

/// A call of the driver.
#[derive(Clone, Debug)]
pub(crate) struct SystemItem {
    /// Which.
    pub(crate) call: SystemCall,
    /// The predicate and whether it is negated.
    pub(crate) guard: Option<(RegisterId, bool)>,
    /// Where the result goes.
    pub(crate) result: Option<RegisterId>,
    /// The arguments.
    pub(crate) arguments: Vec<Value>,
    /// Whence.
    pub(crate) origin: Origin,
}

/// The types of the arguments and of the result.
fn signature(call: SystemCall) -> (&'static [Type], Option<Type>) {
    use Type::{B32, B64};
    match call {
        SystemCall::Print => (&[B64, B64], Some(B32)),
        SystemCall::AssertFail => (&[B64, B64, B32, B64, B64], None),
        SystemCall::Allocate => (&[B64], Some(B64)),
        SystemCall::Free => (&[B64], None),
    }
}

impl<'a> Flattener<'a, '_> {
    /// A call of a function of the driver.
    pub(crate) fn system_call(
        &mut self,
        call: SystemCall,
        operands: &Call<'a>,
        guard: Option<(RegisterId, bool)>,
        place: (Span, Origin),
    ) {
        let (span, origin) = place;
        let (types, returns) = signature(call);
        if operands.arguments.len() != types.len() || operands.returns.len() > usize::from(returns.is_some())
        {
            let (given, wanted) = (operands.arguments.len(), types.len());
            return self.fault(span, format!("{call} takes {wanted} arguments, not {given}"));
        }
        let arguments = operands.arguments.iter().zip(types);
        let arguments = arguments.map(|(operand, &ty)| self.driver_value(operand, ty, span)).collect();
        let result = operands.returns.first().zip(returns).and_then(|(operand, ty)| {
            match self.driver_value(operand, ty, span) {
                Value::Register(id) => Some(id),
                _ => None,
            }
        });
        self.out.items.push(Item::System(SystemItem { call, guard, result, arguments, origin }));
    }

    /// The value of an argument; the word of a parameter is a register.
    fn driver_value(&mut self, operand: &'a PtxOperand, ty: Type, span: Span) -> Value {
        match self.value(operand, span) {
            Value::Address(Start::Variable(Symbol::CallParameter(parameter)), 0) => {
                Value::Register(self.slot(parameter, 0, ty))
            }
            Value::Address(Start::Variable(Symbol::Incoming(at)), 0) => self.incoming_value(at, ty),
            other => other,
        }
    }
}

impl Selector<'_, '_> {
    /// The instruction of a call of the driver, under the present guard.
    pub(crate) fn system(&mut self, item: &SystemItem) {
        let wide =
            |it: &mut Self, index: usize| Operand::register(it.register(&item.arguments[index], Type::B64));
        let result = match item.result {
            Some(id) => Operand::register(self.place(id)),
            None => Operand::ZERO,
        };
        match item.call {
            SystemCall::Print => {
                let (format, arguments) = (wide(self, 0), wide(self, 1));
                self.op(Opcode::Syscall, &[Modifier::Vprintf], [result, format, arguments]);
            }
            SystemCall::AssertFail => {
                let texts = Operand::register(self.gather(&item.arguments[..2], Type::B64));
                let line = Operand::register(self.register(&item.arguments[2], Type::B32));
                let function = wide(self, 3);
                self.op(Opcode::Syscall, &[Modifier::Assertfail], [Operand::ZERO, texts, line, function]);
            }
            SystemCall::Allocate => {
                let bytes = wide(self, 0);
                self.op(Opcode::Syscall, &[Modifier::Malloc], [result, bytes]);
            }
            SystemCall::Free => {
                let address = wide(self, 0);
                self.op(Opcode::Syscall, &[Modifier::Free], [Operand::ZERO, address]);
            }
        }
    }
}
