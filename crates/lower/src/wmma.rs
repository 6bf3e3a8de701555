//! `wmma`: loads and stores of matrices that the lanes of a warp hold together, and their products.
//!
//! PTX does not say which lane holds which element. As ptxas does it, fragments are what `mma` takes: each `wmma` becomes a block
//! of loads or stores, `movmatrix` where memory has the matrix the other way round, `ldmatrix` in shared memory, and `mma`. That is
//! done before anything else, in the tree.

mod access;
mod fragment;
mod product;
mod text;

use access::Place;
use fragment::Fragment;
use product::Product;
use std::borrow::Cow;
use text::Writer;
use warplab_ptx::tree::{
    Address, At, Base, Block, Immediate, Instruction, Item, Modifier, Module, Name, Opcode, Operand,
    RegisterDeclaration, Statement, Wmma,
};

/// The module with a block in place of each `wmma` that is understood. The others stay, and selection refuses them.
pub(crate) fn expand(module: &Module) -> Cow<'_, Module> {
    let bodies = || module.functions().filter_map(|function| function.body.as_ref());
    if !bodies().any(has_wmma) {
        return Cow::Borrowed(module);
    }
    let mut module = module.clone();
    for item in &mut module.items {
        if let Item::Function(function) = item
            && let Some(body) = &mut function.body
        {
            expand_block(body, &mut Vec::new());
        }
    }
    Cow::Owned(module)
}

/// Why an instruction was not expanded.
pub(crate) fn refusal(tree: &Instruction) -> String {
    let name = tree.mnemonic();
    match counts(tree) {
        Some(counts) => {
            let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
            format!("'{name}' takes matrices of {} registers", counts.join(", "))
        }
        None => format!("'{name}' is not supported"),
    }
}

fn has_wmma(block: &Block) -> bool {
    block.statements.iter().any(|statement| match statement {
        Statement::Instruction(instruction) => instruction.opcode == Opcode::Wmma,
        Statement::Block(block) => has_wmma(block),
        _ => false,
    })
}

/// Expands a block in which the registers of the blocks around it are known.
fn expand_block(block: &mut Block, declared: &mut Vec<RegisterDeclaration>) {
    let outside = declared.len();
    for statement in &mut block.statements {
        match statement {
            Statement::Registers(registers) => declared.push(registers.clone()),
            Statement::Block(block) => expand_block(block, declared),
            Statement::Instruction(instruction) if instruction.opcode == Opcode::Wmma => {
                if let Some(expanded) = expanded(instruction, declared) {
                    *statement = Statement::Block(expanded);
                }
            }
            _ => {}
        }
    }
    declared.truncate(outside);
}

/// The registers of each matrix that an instruction takes, if there is such an instruction.
fn counts(tree: &Instruction) -> Option<Vec<usize>> {
    if tree.has(Modifier::Wmma(Wmma::Mma)) {
        Some(Product::of(tree)?.fragments.map(|fragment| fragment.registers).to_vec())
    } else {
        Some(vec![Fragment::of(tree)?.registers])
    }
}

/// The block that does what an instruction says.
fn expanded(tree: &Instruction, declared: &[RegisterDeclaration]) -> Option<Block> {
    let mut outside = Outside::default();
    let mut writer = Writer::guarded(outside.guard(tree));
    let lists: Vec<&Operand> = tree.operands.iter().filter(|it| !matches!(it, Operand::Address(_))).collect();
    let mut registers = lists.iter().map(|list| outside.elements(list)).collect::<Vec<_>>();
    let counts = counts(tree)?;
    if registers.len() < counts.len()
        || registers.iter().zip(&counts).any(|(list, &count)| list.len() != count)
    {
        return None;
    }
    if tree.has(Modifier::Wmma(Wmma::Mma)) {
        let registers: [Vec<String>; 4] = registers.try_into().ok()?;
        Product::of(tree)?.write(&mut writer, &registers);
    } else {
        let fragment = Fragment::of(tree)?;
        let stride = registers.get(1).and_then(|stride| stride.first().cloned());
        let stride = stride.unwrap_or_else(|| fragment.dense.to_string());
        let place = outside.place(tree, stride, declared)?;
        if tree.has(Modifier::Wmma(Wmma::Load)) {
            access::load(&mut writer, &fragment, &registers.swap_remove(0), &place);
        } else {
            access::store(&mut writer, &fragment, &registers.swap_remove(0), &place);
        }
    }
    outside.read(&writer.block(), tree.span)
}

/// The operands of the instruction itself, under names that the text can have.
#[derive(Default)]
struct Outside {
    operands: Vec<Operand>,
}

/// What the names of operands from outside begin with.
const PREFIX: &str = "%wmma_operand";

impl Outside {
    fn name(&mut self, operand: Operand) -> String {
        self.operands.push(operand);
        format!("{PREFIX}{}", self.operands.len() - 1)
    }

    fn guard(&mut self, tree: &Instruction) -> String {
        tree.guard.as_ref().map_or_else(String::new, |guard| {
            let name = self.name(Operand::Register(guard.register.clone()));
            format!("@{}{name}", if guard.negated { "!" } else { "" })
        })
    }

    fn elements(&mut self, list: &Operand) -> Vec<String> {
        match list {
            Operand::Vector(elements) => elements.iter().map(|it| self.name(it.clone())).collect(),
            one => vec![self.name(one.clone())],
        }
    }

    /// Where a load or store goes.
    fn place(
        &mut self,
        tree: &Instruction,
        stride: String,
        declared: &[RegisterDeclaration],
    ) -> Option<Place> {
        let Address { base, offset } = tree.operands.iter().find_map(|operand| match operand {
            Operand::Address(address) => Some(address),
            _ => None,
        })?;
        let is_shared = tree.space().is_some_and(|it| it.family() == warplab_ptx::tree::Space::Shared);
        let (operand, base_is_wide) = match base {
            Base::Register(name) => (Operand::Register(name.clone()), is_wide(name, declared)),
            Base::Symbol(name) => (Operand::Symbol { name: name.clone(), offset: 0 }, !is_shared),
            Base::Absolute => (Operand::Immediate(Immediate::Int(0)), !is_shared),
        };
        Some(Place { space: tree.space(), base: self.name(operand), base_is_wide, offset: *offset, stride })
    }

    /// The tree of a block, with the operands in place of their names, and all at the place of the instruction.
    fn read(&self, block: &str, span: At) -> Option<Block> {
        let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n.entry wmma() {{\n{block}\n}}\n");
        // Its operands are declared elsewhere.
        let module = warplab_ptx::parse_unchecked(&text);
        let function = module.functions().next()?;
        let Some(Statement::Block(block)) = function.body.as_ref()?.statements.first() else { return None };
        let mut block = block.clone();
        for statement in &mut block.statements {
            if let Statement::Instruction(instruction) = statement {
                instruction.span = span;
                instruction.operand_spans.fill(span);
                if let Some(guard) = &mut instruction.guard
                    && let Some(Operand::Register(register)) = self.find(&guard.register)
                {
                    guard.register = register.clone();
                }
                instruction.operands.iter_mut().for_each(|operand| self.replace(operand));
            }
        }
        Some(block)
    }

    fn find(&self, name: &Name) -> Option<&Operand> {
        self.operands.get(name.strip_prefix(PREFIX)?.parse::<usize>().ok()?)
    }

    fn replace(&self, operand: &mut Operand) {
        match operand {
            Operand::Vector(elements) => elements.iter_mut().for_each(|element| self.replace(element)),
            Operand::Register(name) => {
                if let Some(outside) = self.find(name) {
                    *operand = outside.clone();
                }
            }
            _ => {}
        }
    }
}

/// Whether a register has 64 bits.
fn is_wide(name: &Name, declared: &[RegisterDeclaration]) -> bool {
    let declares = |declaration: &RegisterDeclaration| {
        declaration.names.iter().any(|it| match it.count {
            None => it.name == *name,
            Some(count) => name
                .strip_prefix(it.name.as_str())
                .and_then(|number| number.parse::<u32>().ok())
                .is_some_and(|number| number < count),
        })
    };
    declared.iter().rev().find(|it| declares(it)).is_none_or(|it| it.ty.bits() == 64)
}
