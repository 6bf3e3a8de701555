//! Variables of the module: constant bank 3, global memory, parameters.

use crate::flat::Globals;
use crate::functions::Functions;
use crate::limits;
use warplab_diagnostics::Diagnostic;
use warplab_program::runtime::function_address;
use warplab_program::{ConstantBank, ConstantVariable, GlobalVariable, Parameter, Relocation};
use warplab_ptx::tree::{
    Function, Immediate, Initialiser, Linkage, Module, Space, Statement, Type, Variable,
};

/// The variables of a module and where they are.
pub(crate) struct Layout {
    /// Addresses by name.
    pub(crate) globals: Globals,
    /// Bank 3.
    pub(crate) constants: Option<ConstantBank>,
    /// The variables in bank 3.
    pub(crate) named: Vec<ConstantVariable>,
    /// Variables in global memory.
    pub(crate) variables: Vec<GlobalVariable>,
}

/// Lays out the variables of a module, those inside functions too.
pub(crate) fn lay_out(
    module: &Module,
    functions: &Functions<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Layout {
    let mut found: Vec<&Variable> = module.variables().collect();
    for function in module.functions() {
        if let Some(body) = &function.body {
            collect(&body.statements, &mut found);
        }
    }
    let mut layout =
        Layout { globals: Globals::default(), constants: None, named: Vec::new(), variables: Vec::new() };
    let mut global_bytes = 0;
    let mut bank = ConstantBank { bank: 3, bytes: Vec::new(), relocations: Vec::new() };
    for variable in found {
        match variable.space.family() {
            Space::Const => {
                let used = bank.bytes.len() as u64;
                let (at, end) = match limits::place(used, variable) {
                    Ok(place) => place,
                    Err(fault) => {
                        diagnostics.push(Diagnostic::error(*variable.span, fault));
                        continue;
                    }
                };
                let (bytes, relocations) = initial(variable, functions, diagnostics);
                bank.bytes.resize(limits::length(at), 0);
                bank.bytes.extend(bytes);
                bank.bytes.resize(limits::length(end), 0);
                let at = limits::narrow(at);
                bank.relocations
                    .extend(relocations.into_iter().map(|it| Relocation { offset: it.offset + at, ..it }));
                layout.globals.constants.insert(variable.name.to_string(), at);
                layout.named.push(ConstantVariable {
                    name: variable.name.to_string(),
                    bank: bank.bank,
                    offset: at,
                    bytes: limits::narrow(variable.bytes()),
                });
            }
            Space::Global => {
                layout.globals.globals.insert(variable.name.to_string(), ());
                if variable.linkage == Linkage::Extern && variable.initialiser.is_none() {
                    continue;
                }
                match limits::place(global_bytes, variable) {
                    Ok((_, end)) => global_bytes = end,
                    Err(fault) => {
                        diagnostics.push(Diagnostic::error(*variable.span, fault));
                        continue;
                    }
                }
                let (initial, relocations) = initial(variable, functions, diagnostics);
                let declared = GlobalVariable {
                    name: variable.name.to_string(),
                    bytes: variable.bytes(),
                    alignment: variable.alignment().max(1),
                    initial,
                    relocations,
                };
                if !layout.variables.iter().any(|other| other.name == declared.name) {
                    layout.variables.push(declared);
                }
            }
            _ => {}
        }
    }
    if !bank.bytes.is_empty() {
        layout.constants = Some(bank);
    }
    layout
}

fn collect<'a>(statements: &'a [Statement], found: &mut Vec<&'a Variable>) {
    for statement in statements {
        match statement {
            Statement::Variable(variable) => found.push(variable),
            Statement::Block(block) => collect(&block.statements, found),
            _ => {}
        }
    }
}

/// The first bytes of a variable and the addresses in them; trailing zeros are left out.
fn initial(
    variable: &Variable,
    functions: &Functions<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Vec<u8>, Vec<Relocation>) {
    let (mut bytes, mut relocations) = (Vec::new(), Vec::new());
    if let Some(initialiser) = &variable.initialiser {
        let strides = strides(variable);
        fill(initialiser, variable, &strides, 0, &mut bytes, &mut relocations, diagnostics);
        relocations.retain(|relocation| !point_to_function(relocation, functions, &mut bytes));
    }
    while bytes.last() == Some(&0) && relocations.is_empty() {
        bytes.pop();
    }
    (bytes, relocations)
}

/// Puts the address of a function in its place; says whether it is one's.
fn point_to_function(relocation: &Relocation, functions: &Functions<'_>, bytes: &mut [u8]) -> bool {
    let number = functions.number(&relocation.symbol);
    let Some(address) = number.and_then(|number| function_address(number as usize)) else { return false };
    let at = relocation.offset as usize;
    if let Some(place) = bytes.get_mut(at..at + 8) {
        place.copy_from_slice(&address.wrapping_add_signed(relocation.addend).to_le_bytes());
    }
    true
}

/// The bytes of one element at each nesting of an initialiser: of the whole, of a row, ..., of one element.
fn strides(variable: &Variable) -> Vec<u64> {
    let mut strides = vec![u64::from(variable.ty.bytes())];
    if variable.vector.is_some() {
        strides.insert(0, variable.element_bytes());
    }
    for dim in variable.dims.iter().skip(1).rev() {
        let row = strides[0].saturating_mul(dim.unwrap_or(1));
        strides.insert(0, row);
    }
    strides
}

fn fill(
    initialiser: &Initialiser,
    variable: &Variable,
    strides: &[u64],
    at: u64,
    bytes: &mut Vec<u8>,
    relocations: &mut Vec<Relocation>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let fits = at.checked_add(u64::from(variable.ty.bytes())).is_some_and(|end| end <= variable.bytes());
    match initialiser {
        Initialiser::Value(_) | Initialiser::Symbol { .. } if !fits => {
            let message =
                format!("'{}' has {} bytes: it starts with more values", variable.name, variable.bytes());
            // Said once of a variable.
            if diagnostics.last().is_none_or(|last| last.message != message) {
                diagnostics.push(Diagnostic::error(*variable.span, message));
            }
        }
        Initialiser::Value(_) | Initialiser::Symbol { .. } if at > limits::INITIAL => {
            let message = format!(
                "'{}' starts with values behind its first 268,435,456 bytes, which is the limit; leave zeroes out",
                variable.name
            );
            if diagnostics.last().is_none_or(|last| last.message != message) {
                diagnostics.push(Diagnostic::error(*variable.span, message));
            }
        }
        Initialiser::List(list) => {
            let stride = strides.first().copied().unwrap_or(1);
            let inner = if strides.len() > 1 { &strides[1..] } else { strides };
            for (index, element) in list.iter().enumerate() {
                let nested = matches!(element, Initialiser::List(_));
                let strides = if nested { inner } else { strides };
                let stride = if nested { stride } else { strides.last().copied().unwrap_or(stride) };
                let at = at.saturating_add((index as u64).saturating_mul(stride));
                fill(element, variable, strides, at, bytes, relocations, diagnostics);
            }
        }
        Initialiser::Value(value) => {
            let size = variable.ty.bytes() as usize;
            let bits = match variable.ty {
                Type::F32 => u64::from(value.f32_bits()),
                Type::F64 => value.f64_bits(),
                _ => match *value {
                    Immediate::Int(value) => value.cast_unsigned(),
                    Immediate::F32(bits) => u64::from(bits),
                    Immediate::F64(bits) => bits,
                },
            };
            let at = limits::length(at);
            let end = at + size;
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            bytes[at..end].copy_from_slice(&bits.to_le_bytes()[..size.min(8)]);
        }
        Initialiser::Symbol { name, offset, .. } => {
            if variable.ty.bytes() != 8 {
                diagnostics.push(Diagnostic::error(
                    *variable.span,
                    "the address of a variable fits only into 64 bits",
                ));
                return;
            }
            let end = limits::length(at) + 8;
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            relocations.push(Relocation {
                offset: limits::narrow(at),
                symbol: name.to_string(),
                addend: *offset,
            });
        }
    }
}

/// The parameters of a kernel with their offsets.
pub(crate) fn parameters(kernel: &Function, diagnostics: &mut Vec<Diagnostic>) -> Vec<Parameter> {
    let mut used = 0;
    let mut parameters = Vec::new();
    for parameter in &kernel.parameters {
        let (offset, end) = match limits::place32(used, parameter) {
            Ok(place) => place,
            Err(fault) => {
                diagnostics.push(Diagnostic::error(*parameter.span, fault));
                continue;
            }
        };
        used = end;
        let dims: String = parameter.dims.iter().map(|dim| format!("[{}]", dim.unwrap_or(0))).collect();
        parameters.push(Parameter {
            name: parameter.name.to_string(),
            offset,
            bytes: limits::narrow(parameter.bytes()),
            ty: format!("{}{dims}", parameter.ty.name()),
        });
    }
    parameters
}
