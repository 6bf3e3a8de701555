//! Whether an instruction has the modifiers that its opcode and types want.

use warplab_diagnostics::Diagnostic;

use crate::spec::{Allow, Spec};
use crate::tree::{
    Flag, Half, Instruction, MatrixShape, Modifier, Opcode, Operand, Operation, Rounding, Type, Wmma,
};

/// Reports the first fault of the modifiers.
pub(super) fn check(instruction: &Instruction, diagnostics: &mut Vec<Diagnostic>) {
    let spec = Spec::of(instruction.opcode);
    let fault = type_count(instruction, spec)
        .or_else(|| missing_group(instruction, spec))
        .or_else(|| written_twice(instruction))
        .or_else(|| vector_width(instruction))
        .or_else(|| boxes(instruction))
        .or_else(|| by_opcode(instruction));
    if let Some((message, help)) = fault {
        diagnostics.push(Diagnostic::error(*instruction.span, message).with_help(help));
    }
}

/// A message and a help.
type Fault = Option<(String, String)>;

const ROUNDINGS: &str = "one of .rn .rz .rm .rp";

fn list(modifiers: impl IntoIterator<Item = Modifier>) -> String {
    modifiers.into_iter().map(|modifier| modifier.to_string()).collect::<Vec<_>>().join(" ")
}

fn type_count(instruction: &Instruction, spec: &Spec) -> Fault {
    let (least, most) = spec.type_count;
    let count = instruction.types().count();
    if (least..=most).contains(&count) {
        return None;
    }
    let (opcode, name) = (spec.opcode, instruction.mnemonic());
    let wanted = match (least, most) {
        (1, 1) => "one type".to_string(),
        (a, b) if a == b => format!("{a} types"),
        (a, b) => format!("{a} to {b} types"),
    };
    let message = match count {
        0 => format!("'{name}' has no type"),
        _ => format!("'{name}' has {count} types, but '{opcode}' takes {wanted}"),
    };
    Some((message, format!("types of '{opcode}': {}", list(spec.types.iter().map(|&ty| Modifier::Type(ty))))))
}

fn missing_group(instruction: &Instruction, spec: &Spec) -> Fault {
    let missing = |group: &&Allow| !group.holds_any(&instruction.modifiers);
    let group = spec.needs.iter().find(missing)?;
    Some((format!("'{}' lacks a modifier", instruction.mnemonic()), format!("one of {}", list(group.all()))))
}

fn written_twice(instruction: &Instruction) -> Fault {
    let has_two_layouts = instruction.has(Modifier::Wmma(Wmma::Mma));
    let repeated = |&(index, modifier): &(usize, &Modifier)| {
        let may_repeat = match modifier {
            Modifier::Type(_) => true,
            Modifier::Matrix(MatrixShape::Row | MatrixShape::Col) => has_two_layouts,
            _ => false,
        };
        !may_repeat && instruction.modifiers[..index].contains(modifier)
    };
    let (_, modifier) = instruction.modifiers.iter().enumerate().find(repeated)?;
    Some((format!("'{modifier}' is written twice in '{}'", instruction.mnemonic()), String::new()))
}

fn vector_width(instruction: &Instruction) -> Fault {
    let (vector, ty) = (instruction.vector()?, instruction.ty()?);
    let bits = vector.lanes() * ty.bits();
    let limit = if vector.lanes() == 8 || instruction.opcode == Opcode::Mov { 256 } else { 128 };
    (bits > limit).then(|| {
        let message = format!("'{}' moves {bits} bits, more than {limit}", instruction.mnemonic());
        (message, "a thread moves at most 16 bytes at once".to_string())
    })
}

/// A copy of a box says of how many dimensions it is, with as many coordinates.
fn boxes(instruction: &Instruction) -> Fault {
    let flag = |flag| instruction.flag(flag);
    let name = instruction.mnemonic();
    if instruction.opcode == Opcode::Prefetch {
        let has_level = instruction.modifiers.iter().any(|it| matches!(it, Modifier::Hint(_)));
        let help = "one of .L1 .L2 .L2::evict_normal .L2::evict_last .L1::evict_normal .tensormap";
        return (!has_level && !flag(Flag::Tensormap))
            .then(|| (format!("'{name}' lacks a modifier"), help.to_string()));
    }
    if !flag(Flag::Tensor) {
        return None;
    }
    let known = [Flag::OneD, Flag::TwoD, Flag::ThreeD, Flag::FourD, Flag::FiveD];
    let written: Vec<usize> = (1..).zip(known).filter(|&(_, it)| flag(it)).map(|(count, _)| count).collect();
    let coordinates = instruction.operands.iter().find_map(|operand| match operand {
        Operand::Tensor(_, at) => Some(at.len()),
        _ => None,
    });
    match (written.as_slice(), coordinates) {
        (&[count], Some(found)) if count == found => None,
        (&[count], found) => Some((
            format!("'{name}' has {} coordinates, not {count}", found.unwrap_or(0)),
            "a tensor is written [map, {x, y}], with a coordinate for each dimension".to_string(),
        )),
        _ => Some((
            format!("'{name}' does not say of how many dimensions the tensor is"),
            "one of .1d .2d .3d .4d .5d".to_string(),
        )),
    }
}

fn by_opcode(instruction: &Instruction) -> Fault {
    let ty = instruction.ty()?;
    match instruction.opcode {
        Opcode::Cvt => conversion(instruction),
        Opcode::Atom | Opcode::Red => atomic(instruction, ty),
        opcode if ty.is_float() => float(instruction, opcode, ty),
        opcode => integer(instruction, opcode, ty),
    }
}

fn float(instruction: &Instruction, opcode: Opcode, ty: Type) -> Fault {
    let fault = |message: &str, help: &str| {
        Some((format!("'{}'{message}", instruction.mnemonic()), help.to_string()))
    };
    let rounded = instruction.rounding().is_some();
    let approximate = instruction.flag(Flag::Approx) || instruction.flag(Flag::Full);
    if let Some(half) = instruction.half().filter(|_| matches!(opcode, Opcode::Mul | Opcode::Mad)) {
        return fault(&format!(": '.{half}' needs an integer type, not .{ty}"), "");
    }
    if instruction.flag(Flag::Cc) {
        return fault(&format!(": '.cc' needs an integer type, not .{ty}"), "");
    }
    match opcode {
        Opcode::Div | Opcode::Rcp | Opcode::Sqrt if !rounded && !approximate && ty == Type::F32 => {
            fault(" lacks a rounding", "one of .rn .rz .rm .rp or .approx")
        }
        Opcode::Div | Opcode::Rcp | Opcode::Sqrt | Opcode::Mad if !rounded && !approximate => {
            fault(" lacks a rounding", ROUNDINGS)
        }
        Opcode::Rcp | Opcode::Rsqrt => None,
        _ if ty == Type::F64 && instruction.flag(Flag::Ftz) && instruction.opcode != Opcode::Set => {
            fault(": '.ftz' needs a type narrower than .f64", "")
        }
        _ => None,
    }
}

fn integer(instruction: &Instruction, opcode: Opcode, ty: Type) -> Fault {
    let name = instruction.mnemonic();
    let half = instruction.half();
    if matches!(opcode, Opcode::Mul | Opcode::Mad) && half.is_none() {
        return Some((format!("'{name}' lacks a modifier"), "one of .lo .hi .wide".to_string()));
    }
    if half == Some(Half::Wide) && ty.bits() == 64 {
        return Some((format!("'{name}': '.wide' needs a type of 16 or 32 bits, not .{ty}"), String::new()));
    }
    let float_only = |modifier: &&Modifier| {
        matches!(modifier, Modifier::Rounding(_))
            || matches!(modifier, Modifier::Flag(Flag::Ftz | Flag::Approx | Flag::Full | Flag::NaN))
    };
    let takes_both = matches!(opcode, Opcode::Set | Opcode::Slct);
    if let Some(wrong) = instruction.modifiers.iter().find(float_only).filter(|_| !takes_both) {
        return Some((format!("'{name}': '{wrong}' needs a floating-point type, not .{ty}"), String::new()));
    }
    let narrow = instruction.flag(Flag::Cc) && !matches!(ty.bits(), 32 | 64);
    narrow.then(|| (format!("'{name}': '.cc' needs a type of 32 or 64 bits, not .{ty}"), String::new()))
}

fn conversion(instruction: &Instruction) -> Fault {
    if instruction.flag(Flag::Pack) {
        return None;
    }
    let to = instruction.ty()?;
    let from = instruction.source_type()?;
    let name = instruction.mnemonic();
    let rounding = instruction.rounding();
    let integral = matches!(rounding, Some(Rounding::Rni | Rounding::Rzi | Rounding::Rmi | Rounding::Rpi));
    let lacks = |which: &str| {
        let help = if to.is_float() { ROUNDINGS } else { "one of .rni .rzi .rmi .rpi" };
        Some((format!("'{name}' lacks a rounding{which}"), format!("{help} between 'cvt' and the types")))
    };
    match (to.is_float(), from.is_float()) {
        (false, true) if !integral && !to.is_bits() => lacks(" to an integer"),
        (true, false) if rounding.is_none() && !from.is_bits() => lacks(""),
        (true, true) if to.bits() < from.bits() && rounding.is_none() && !to.is_packed() => lacks(""),
        (false, false) => rounding
            .map(|rounding| (format!("'{name}': '.{rounding}' needs a floating-point type"), String::new())),
        _ => None,
    }
}

fn atomic(instruction: &Instruction, ty: Type) -> Fault {
    let operation = instruction.operation()?;
    let vector = instruction.vector().is_some();
    let (fits, allowed) = match operation {
        Operation::And | Operation::Or | Operation::Xor => (matches!(ty, Type::B32 | Type::B64), ".b32 .b64"),
        Operation::Exch => (ty.is_bits() && ty != Type::B16, ".b32 .b64 .b128"),
        Operation::Cas => (ty.is_bits(), ".b16 .b32 .b64 .b128"),
        Operation::Inc | Operation::Dec => (ty == Type::U32, ".u32"),
        Operation::Add => {
            (!ty.is_bits() && ty != Type::S64, ".u32 .s32 .u64 .f16 .f16x2 .bf16 .bf16x2 .f32 .f64")
        }
        _ => (ty.is_integer() || (vector && ty.is_float()), ".u32 .s32 .u64 .s64"),
    };
    (!fits).then(|| {
        let message = format!("'{}': '.{operation}' does not work on .{ty}", instruction.mnemonic());
        (message, format!("types of '.{operation}': {allowed}"))
    })
}
