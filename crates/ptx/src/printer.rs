//! A tree to PTX text.

use std::fmt::{self, Display, Formatter, Write};

use crate::tree::{
    Address, Attribute, Base, Block, CallPrototype, Function, FunctionKind, Immediate, Initialiser,
    Instruction, Item, Linkage, Location, Module, Operand, RegisterDeclaration, Statement, Variable,
};

/// Writes a module as PTX. Reading the text again gives an equal module.
#[must_use]
pub fn print(module: &Module) -> String {
    let mut text = String::new();
    // Writing to a text cannot fail.
    let _ = write_module(&mut text, module);
    text
}

/// One instruction as PTX writes it, with its semicolon.
#[must_use]
pub fn instruction_text(instruction: &Instruction) -> String {
    Shown(instruction).to_string()
}

/// One operand as PTX writes it.
#[must_use]
pub(crate) fn operand_text(operand: &Operand) -> String {
    Shown(operand).to_string()
}

/// A part of the tree, shown as PTX.
struct Shown<'a, T: ?Sized>(&'a T);

/// Parts with commas between them.
struct Commas<'a, T>(&'a [T]);

impl<'a, T> Display for Commas<'a, T>
where
    Shown<'a, T>: Display,
{
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, part) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{}", Shown(part))?;
        }
        Ok(())
    }
}

fn join<T: Display>(parts: &[T]) -> String {
    parts.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

fn quoted(texts: &[String]) -> String {
    texts.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>().join(", ")
}

fn write_module(out: &mut String, module: &Module) -> fmt::Result {
    if let Some(version) = module.version {
        writeln!(out, ".version {}.{}", version.major, version.minor)?;
    }
    if !module.target.is_empty() {
        writeln!(out, ".target {}", join(&module.target))?;
    }
    if let Some(size) = module.address_size {
        writeln!(out, ".address_size {size}")?;
    }
    for file in &module.files {
        write!(out, ".file {} \"{}\"", file.index, file.path)?;
        if let Some((time, size)) = file.stamp {
            write!(out, ", {}, {}", time.cast_signed(), size.cast_signed())?;
        }
        writeln!(out)?;
    }
    for item in &module.items {
        writeln!(out)?;
        match item {
            Item::Variable(variable) => writeln!(out, "{};", Shown(variable))?,
            Item::Function(function) => write_function(out, function)?,
            Item::Alias(alias) => writeln!(out, ".alias {}, {};", alias.name, alias.target)?,
            Item::Pragma(pragma) => writeln!(out, ".pragma {};", quoted(&pragma.texts))?,
        }
    }
    Ok(())
}

fn write_function(out: &mut String, function: &Function) -> fmt::Result {
    out.push_str(linkage(function.linkage));
    out.push_str(match function.kind {
        FunctionKind::Entry => ".entry ",
        FunctionKind::Func => ".func ",
    });
    if !function.returns.is_empty() {
        write!(out, "({}) ", Commas(&function.returns))?;
    }
    out.push_str(&function.name);
    if !function.parameters.is_empty() {
        out.push_str("(\n");
        for (index, parameter) in function.parameters.iter().enumerate() {
            let comma = if index + 1 < function.parameters.len() { "," } else { "" };
            writeln!(out, "\t{}{comma}", Shown(parameter))?;
        }
        out.push(')');
    } else {
        out.push_str("()");
    }
    for attribute in &function.attributes {
        write!(out, "\n{}", Shown(attribute))?;
    }
    match &function.body {
        Some(body) => {
            out.push('\n');
            write_block(out, body, 0)
        }
        None => writeln!(out, ";"),
    }
}

fn linkage(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::Internal => "",
        Linkage::Extern => ".extern ",
        Linkage::Visible => ".visible ",
        Linkage::Weak => ".weak ",
        Linkage::Common => ".common ",
    }
}

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n('\t', depth));
}

fn write_block(out: &mut String, block: &Block, depth: usize) -> fmt::Result {
    indent(out, depth);
    out.push_str("{\n");
    for statement in &block.statements {
        if let Statement::Block(inner) = statement {
            write_block(out, inner, depth + 1)?;
            continue;
        }
        let is_label = matches!(statement, Statement::Label(_));
        indent(out, if is_label { 0 } else { depth + 1 });
        write_statement(out, statement)?;
        out.push('\n');
    }
    indent(out, depth);
    out.push_str("}\n");
    Ok(())
}

fn write_statement(out: &mut String, statement: &Statement) -> fmt::Result {
    match statement {
        Statement::Instruction(instruction) => write!(out, "{}", Shown(instruction)),
        Statement::Label(label) => write!(out, "{}:", label.name),
        Statement::Registers(registers) => write!(out, "{}", Shown(registers)),
        Statement::Variable(variable) => write!(out, "{};", Shown(variable)),
        Statement::Location(location) => write!(out, "{}", Shown(location)),
        Statement::Pragma(pragma) => write!(out, ".pragma {};", quoted(&pragma.texts)),
        Statement::BranchTargets(table) => {
            write!(out, "{}: .branchtargets {};", table.name, join(&table.targets))
        }
        Statement::CallTargets(table) => {
            write!(out, "{}: .calltargets {};", table.name, join(&table.targets))
        }
        Statement::CallPrototype(prototype) => write!(out, "{}", Shown(prototype)),
        Statement::Block(block) => write_block(out, block, 0),
    }
}

impl Display for Shown<'_, Attribute> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Attribute::MaxThreads(extents) => write!(f, ".maxntid {}", join(extents)),
            Attribute::RequiredThreads(extents) => write!(f, ".reqntid {}", join(extents)),
            Attribute::RequiredCluster(extents) => write!(f, ".reqnctapercluster {}", join(extents)),
            Attribute::MinBlocks(count) => write!(f, ".minnctapersm {count}"),
            Attribute::MaxBlocks(count) => write!(f, ".maxnctapersm {count}"),
            Attribute::MaxRegisters(count) => write!(f, ".maxnreg {count}"),
            Attribute::MaxClusterRank(count) => write!(f, ".maxclusterrank {count}"),
            Attribute::ExplicitCluster => f.write_str(".explicitcluster"),
            Attribute::BlocksAreClusters => f.write_str(".blocksareclusters"),
            Attribute::NoReturn => f.write_str(".noreturn"),
            Attribute::Pragma(texts) => write!(f, ".pragma {};", quoted(texts)),
        }
    }
}

impl Display for Shown<'_, Variable> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let variable = self.0;
        write!(f, "{}.{}", linkage(variable.linkage), variable.space)?;
        if let Some(align) = variable.align {
            write!(f, " .align {align}")?;
        }
        if let Some(vector) = variable.vector {
            write!(f, " .{vector}")?;
        }
        write!(f, " .{}", variable.ty)?;
        if let Some(pointer) = variable.pointer {
            f.write_str(" .ptr")?;
            if let Some(space) = pointer.space {
                write!(f, " .{space}")?;
            }
            if let Some(align) = pointer.align {
                write!(f, " .align {align}")?;
            }
        }
        write!(f, " {}", if variable.name.is_empty() { "_" } else { &variable.name })?;
        for dim in &variable.dims {
            match dim {
                Some(size) => write!(f, "[{size}]")?,
                None => f.write_str("[]")?,
            }
        }
        match &variable.initialiser {
            Some(initialiser) => write!(f, " = {}", Shown(initialiser)),
            None => Ok(()),
        }
    }
}

impl Display for Shown<'_, Initialiser> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Initialiser::Value(value) => write!(f, "{}", Shown(value)),
            Initialiser::Symbol { name, offset, generic: true } => {
                write!(f, "generic({name}){}", Offset(*offset))
            }
            Initialiser::Symbol { name, offset, generic: false } => write!(f, "{name}{}", Offset(*offset)),
            Initialiser::List(list) => write!(f, "{{{}}}", Commas(list)),
        }
    }
}

impl Display for Shown<'_, RegisterDeclaration> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(".reg")?;
        if let Some(vector) = self.0.vector {
            write!(f, " .{vector}")?;
        }
        write!(f, " .{}", self.0.ty)?;
        for (index, register) in self.0.names.iter().enumerate() {
            write!(f, "{} {}", if index == 0 { "" } else { "," }, register.name)?;
            if let Some(count) = register.count {
                write!(f, "<{count}>")?;
            }
        }
        f.write_str(";")
    }
}

impl Display for Shown<'_, Location> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Location { file, line, column, inlined, .. } = self.0;
        write!(f, ".loc {file} {line} {column}")?;
        if let Some(at) = inlined {
            write!(f, ", function_name {}{}", at.function, Offset(at.offset))?;
            write!(f, ", inlined_at {} {} {}", at.file, at.line, at.column)?;
        }
        Ok(())
    }
}

impl Display for Shown<'_, CallPrototype> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let prototype = self.0;
        write!(f, "{}: .callprototype ", prototype.name)?;
        if !prototype.returns.is_empty() {
            write!(f, "({}) ", Commas(&prototype.returns))?;
        }
        write!(f, "_ ({})", Commas(&prototype.parameters))?;
        f.write_str(if prototype.no_return { " .noreturn;" } else { ";" })
    }
}

impl Display for Shown<'_, Instruction> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let instruction = self.0;
        if let Some(guard) = &instruction.guard {
            write!(f, "@{}{} ", if guard.negated { "!" } else { "" }, guard.register)?;
        }
        f.write_str(instruction.opcode.name())?;
        for modifier in &instruction.modifiers {
            write!(f, "{modifier}")?;
        }
        if !instruction.operands.is_empty() {
            write!(f, " {}", Commas(&instruction.operands))?;
        }
        f.write_str(";")
    }
}

impl Display for Shown<'_, Operand> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Operand::Register(name) | Operand::Label(name) => write!(f, "{name}"),
            Operand::Component { register, component } => write!(f, "{register}.{component}"),
            Operand::Negated(name) => write!(f, "!{name}"),
            Operand::Immediate(value) => write!(f, "{}", Shown(value)),
            Operand::Part { register, part } => write!(f, "{register}.{part}"),
            Operand::Special { register, component: Some(component) } => write!(f, "{register}.{component}"),
            Operand::Special { register, component: None } => write!(f, "{register}"),
            Operand::Symbol { name, offset } => write!(f, "{name}{}", Offset(*offset)),
            Operand::Address(address) => write!(f, "{}", Shown(address)),
            Operand::Tensor(map, at) => {
                let map = Shown(map).to_string();
                write!(f, "{}, {{{}}}]", map.trim_end_matches(']'), Commas(at))
            }
            Operand::Vector(elements) => write!(f, "{{{}}}", Commas(elements)),
            Operand::Pair(first, second) => write!(f, "{}|{}", Shown(&**first), Shown(&**second)),
            Operand::Sink => f.write_str("_"),
            Operand::List(elements) => write!(f, "({})", Commas(elements)),
        }
    }
}

impl Display for Shown<'_, Address> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0.base {
            Base::Register(name) | Base::Symbol(name) => write!(f, "[{name}{}]", Offset(self.0.offset)),
            Base::Absolute => write!(f, "[{}]", self.0.offset),
        }
    }
}

impl Display for Shown<'_, Immediate> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Immediate::Int(value) => write!(f, "{value}"),
            Immediate::F32(bits) => write!(f, "0f{bits:08X}"),
            Immediate::F64(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}

/// `+4`, `+-4`, or nothing for zero.
struct Offset(i64);

impl Display for Offset {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0 == 0 { Ok(()) } else { write!(f, "+{}", self.0) }
    }
}
