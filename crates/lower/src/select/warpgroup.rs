//! Products of matrices of warpgroups (`wgmma`). The registers of a sum lie beside each other from the beginning, so that a product
//! takes and leaves them where they are.

use super::matrix::elements;
use super::{Place, Selector};
use crate::code::number;
use crate::flat::{Flat, Item, Value};
use warplab_program::operand::{MatrixSigns, Operand};
use warplab_program::warpgroup::{FIRST_REGISTERS, SECOND_DESCRIPTOR, WarpgroupShape, size_modifier};
use warplab_program::{Instruction, Modifier as M, Opcode, Register, UniformRegister};
use warplab_ptx::tree::{Flag, MatrixShape, Modifier as Dotted, Type};

/// What counts the groups of products.
const GROUP: Operand = Operand::ProductGroup(0);

/// The machine instruction of a product and its shape.
struct Product {
    opcode: Opcode,
    modifiers: Vec<M>,
    shape: WarpgroupShape,
    /// Whether it takes signs, and whether matrices may be transposed.
    signed: bool,
    transposed: bool,
}

impl Selector<'_, '_> {
    /// Gives the registers of every sum places beside each other, if no other sum has them in another order.
    pub(super) fn place_sums(&mut self) {
        for item in &self.flat.items {
            let Item::Instruction(flat) = item else { continue };
            if !flat.tree.flag(Flag::MmaAsync) {
                continue;
            }
            let sum = elements(flat.operands.first());
            let registers: Vec<usize> = sum
                .iter()
                .filter_map(|value| match value {
                    Value::Register(id) => Some(*id),
                    _ => None,
                })
                .collect();
            let free = |&id: &usize| self.places[id].is_none() && self.flat.registers[id].bits() == 32;
            let mut distinct = registers.clone();
            distinct.sort_unstable();
            distinct.dedup();
            let fits = (1..=MOST_SUM).contains(&registers.len());
            if fits && distinct.len() == sum.len() && registers.iter().all(free) {
                let first = self.code.register(number(registers.len()));
                for (index, &id) in (0..).zip(&registers) {
                    self.places[id] = Some(Place::Register(first.offset(index)));
                }
            }
        }
    }

    /// `wgmma` in all its forms.
    pub(super) fn wgmma(&mut self, flat: &Flat<'_>) {
        let has = |flag| flat.tree.flag(flag);
        if has(Flag::Fence) {
            return self.op(Opcode::Warpgroup, &[M::Arrive], []);
        }
        if has(Flag::CommitGroup) {
            return self.end_product_group();
        }
        if has(Flag::WaitGroup) {
            return match flat.operands.first().and_then(constant) {
                Some(most @ 0..=255) => {
                    self.op(Opcode::Warpgroup, &[M::Depbar, M::Le], [GROUP, Operand::Immediate(most)]);
                }
                _ => self.unsupported("'wgmma.wait_group' takes a constant from 0 to 255"),
            };
        }
        match product(flat) {
            Ok(product) => self.product_of_warpgroup(flat, &product),
            Err(why) => self.unsupported(why),
        }
    }

    /// The last product ends a group; where none is near, one that goes nowhere does, as ptxas does it.
    fn end_product_group(&mut self) {
        let last = self.code.blocks.len() - 1;
        let before = self.code.blocks[last].instructions.iter_mut().rev();
        let mut near = before.take_while(|it| it.opcode != Opcode::Warpgroup);
        let guard = self.guard;
        match near.find(|it| it.is_warpgroup_product()) {
            Some(product) if !product.ends_product_group() && product.guard == guard => {
                product.operands.push(GROUP);
            }
            _ => {
                let registers = UniformRegister::ZERO;
                let nothing = Operand::MatrixDescriptors { registers, signs: MatrixSigns::default() };
                let operands = [Operand::ZERO, nothing, Operand::ZERO, Operand::FALSE, GROUP];
                self.op(Opcode::Hgmma, &[M::G8x16, M::F16], operands);
            }
        }
    }

    fn product_of_warpgroup(&mut self, flat: &Flat<'_>, product: &Product) {
        let sum = elements(flat.operands.first());
        let count = product.shape.sum_registers();
        if number(sum.len()) != count {
            let (name, found) = (flat.tree.mnemonic(), sum.len());
            return self.unsupported(format!("'{name}' has a sum of {count} registers, found {found}"));
        }
        let Some(tail) = self.tail(flat, product) else { return };
        let first = match &flat.operands[1] {
            Value::Vector(elements) if number(elements.len()) == FIRST_REGISTERS => {
                Some(self.gather(elements, Type::B32))
            }
            Value::Vector(elements) => {
                let found = elements.len();
                return self
                    .unsupported(format!("a first matrix takes {FIRST_REGISTERS} registers, found {found}"));
            }
            _ => None,
        };
        let second = self.source(&flat.operands[2], Type::B64);
        let registers = if first.is_some() {
            let both = self.code.uniform(4);
            for (place, word) in (SECOND_DESCRIPTOR..).zip([second.low, second.high]) {
                self.op(Opcode::R2ur, &[], [Operand::uniform(UniformRegister(both.0 + place)), word]);
            }
            both
        } else {
            let first = self.source(&flat.operands[1], Type::B64);
            self.for_warp(&[first.low, first.high, second.low, second.high])
        };
        let (scale, signs) = tail;
        let descriptors = Operand::MatrixDescriptors { registers, signs };
        let place = self.sum_place(&sum);
        let to = place.unwrap_or_else(|| self.code.register(count));
        if place.is_none() && scale != Operand::FALSE {
            for (index, element) in (0..).zip(&sum) {
                let source = self.source(element, Type::B32);
                self.move_to(to.offset(index), source, 32);
            }
        }
        let added = if scale == Operand::FALSE { Operand::ZERO } else { Operand::register(to) };
        let mut operands = vec![Operand::register(to)];
        operands.extend(first.map(Operand::register));
        operands.extend([descriptors, added, scale]);
        self.emit(Instruction::new(product.opcode, product.modifiers.as_slice(), operands));
        if place.is_none() {
            self.spread(&sum, to, Type::B32);
        }
    }

    /// The first register of a sum whose registers lie beside each other.
    fn sum_place(&mut self, sum: &[Value]) -> Option<Register> {
        let places: Option<Vec<Register>> = sum
            .iter()
            .map(|value| match value {
                Value::Register(id) => Some(self.place(*id)),
                _ => None,
            })
            .collect();
        let places = places?;
        let first = *places.first()?;
        let whole = self.code.group(first) == (first, number(places.len()));
        let in_order = (0..).zip(&places).all(|(index, &place)| place == first.offset(index));
        (whole && in_order).then_some(first)
    }

    /// What stands behind the matrices: whether the sum is added to, signs, and which matrices are transposed.
    fn tail(&mut self, flat: &Flat<'_>, product: &Product) -> Option<(Operand, MatrixSigns)> {
        let scale = self.predicate_source(&flat.operands[3]);
        let numbers: Vec<i64> =
            flat.operands[4..].iter().map(|it| signed_constant(it).unwrap_or(i64::MIN)).collect();
        let (signs, transposes) = numbers.split_at(if product.signed { numbers.len().min(2) } else { 0 });
        let in_registers = matches!(flat.operands[1], Value::Vector(_));
        let wanted = match (product.transposed, in_registers) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => 2,
        };
        let is_sign = |it: &i64| matches!(it, 1 | -1);
        let fits = signs.len() == if product.signed { 2 } else { 0 }
            && signs.iter().all(is_sign)
            && transposes.len() == wanted
            && transposes.iter().all(|it| matches!(it, 0 | 1));
        if !fits {
            let signs = if product.signed { ", then 1 or -1 for either matrix" } else { "" };
            let transposes =
                ["", ", then 0 or 1 for a transposed second one", ", then 0 or 1 for a transposed one"]
                    [wanted];
            self.unsupported(format!("'{}' takes a predicate{signs}{transposes}", flat.tree.mnemonic()));
            return None;
        }
        let negative = |index: usize| signs.get(index) == Some(&-1);
        let transposed = |behind: usize| wanted > behind && transposes[wanted - 1 - behind] == 1;
        let signs = MatrixSigns {
            negate_first: negative(0),
            negate_second: negative(1),
            transpose_first: transposed(1),
            transpose_second: transposed(0),
        };
        Some((scale, signs))
    }
}

/// Registers of the widest sum.
const MOST_SUM: usize = 128;

fn signed_constant(value: &Value) -> Option<i64> {
    match value {
        Value::Immediate(constant) => constant.as_int(),
        _ => None,
    }
}

fn constant(value: &Value) -> Option<u32> {
    u32::try_from(signed_constant(value)?).ok()
}

/// The machine instruction of a product, or why there is none.
fn product(flat: &Flat<'_>) -> Result<Product, String> {
    let tree = flat.tree;
    let name = tree.mnemonic();
    if tree.flag(Flag::Sp) {
        return Err(format!(
            "'{name}' is not supported: sparse matrices (.sp) are not simulated; use a dense product"
        ));
    }
    let shape = tree.modifiers.iter().find_map(|modifier| match modifier {
        Dotted::Matrix(shape) => MatrixShape::of_warpgroup(*shape),
        _ => None,
    });
    let types: Vec<Type> = tree.types().collect();
    let (Some((columns, depth)), &[sum, first, second]) = (shape, types.as_slice()) else {
        return Err(format!(
            "'{name}' lacks a shape like .m64n128k16, and the types of the sum and of both matrices"
        ));
    };
    let no_form = || format!("'{name}' has no such types");
    let (opcode, formats, bits) = match (sum, first, second) {
        (_, Type::B1, Type::B1) => {
            return Err(format!("'{name}' is not supported: matrices of bits are not simulated"));
        }
        (Type::F32 | Type::F16, Type::F16, Type::F16) => (Opcode::Hgmma, vec![], 16),
        (Type::F32, Type::Bf16, Type::Bf16) => (Opcode::Hgmma, vec![M::BF16], 16),
        (Type::F32, Type::Tf32, Type::Tf32) => (Opcode::Hgmma, vec![M::Tf32], 32),
        (Type::F32 | Type::F16, Type::E4m3 | Type::E5m2, Type::E4m3 | Type::E5m2) => {
            let of = |ty| if ty == Type::E4m3 { M::E4m3 } else { M::E5m2 };
            (Opcode::Qgmma, vec![of(first), of(second)], 8)
        }
        (Type::S32, Type::S8 | Type::U8, Type::S8 | Type::U8) => {
            let of = |ty| if ty == Type::S8 { M::S8 } else { M::U8 };
            (Opcode::Igmma, vec![of(first), of(second)], 8)
        }
        _ => return Err(no_form()),
    };
    // Sums of bytes have eight or sixteen columns more at a time.
    let has_columns = opcode != Opcode::Igmma || columns == 8 || columns == 24 || columns.is_multiple_of(16);
    let size = size_modifier(columns, depth).filter(|_| depth * bits == 256 && has_columns);
    let Some(size) = size else {
        let depth = 256 / bits;
        let steps = if opcode == Opcode::Igmma { ", of 8, 24 and multiples of 16 columns" } else { "" };
        return Err(format!("'{name}' takes shapes m64n8k{depth} to m64n256k{depth}{steps}"));
    };
    let mut modifiers = vec![size];
    let saturates = tree.flag(Flag::Satfinite);
    match opcode {
        Opcode::Igmma => modifiers.extend(formats),
        _ => {
            modifiers.push(if sum == Type::F32 { M::F32 } else { M::F16 });
            modifiers.extend(formats);
        }
    }
    if saturates && opcode != Opcode::Igmma {
        return Err(format!("'{name}': only sums of bytes saturate"));
    }
    modifiers.extend(saturates.then_some(M::Sat));
    let Some(shape) = WarpgroupShape::of(&Instruction::new(opcode, modifiers.as_slice(), [])) else {
        return Err(no_form());
    };
    let signed = opcode != Opcode::Igmma;
    let transposed = opcode == Opcode::Hgmma && bits == 16;
    Ok(Product { opcode, modifiers, shape, signed, transposed })
}
