//! Any tree that is printed reads back as itself.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use warplab_diagnostics::Source;

use crate::spec::{Role, Spec};
use crate::tree::{
    Address, At, Attribute, Base, Block, Component, Function, FunctionKind, Guard, Immediate, Initialiser,
    InlinedAt, Instruction, Item, Label, Linkage, Location, Modifier, Module, Name, Opcode, Operand, Part,
    Pragma, RegisterDeclaration, RegisterName, SourceFile, Space, Special, Statement, Type, Variable, Vector,
    Version,
};
use crate::{parse, print};

fn register() -> impl Strategy<Value = Name> {
    (select(&["%r", "%rd", "%f", "%p"][..]), 0..99_u32)
        .prop_map(|(prefix, n)| Name::from(&*format!("{prefix}{n}")))
}

fn symbol() -> impl Strategy<Value = Name> {
    select(&["table", "_ZN3fooE", "$L__x", "buffer$1", "t"][..]).prop_map(Name::from)
}

fn immediate() -> impl Strategy<Value = Immediate> {
    prop_oneof![
        any::<i64>().prop_map(Immediate::Int),
        any::<u32>().prop_map(Immediate::F32),
        any::<u64>().prop_map(Immediate::F64),
    ]
}

fn address() -> impl Strategy<Value = Address> {
    let base = prop_oneof![
        register().prop_map(Base::Register),
        symbol().prop_map(Base::Symbol),
        Just(Base::Absolute),
    ];
    (base, any::<i64>()).prop_map(|(base, offset)| Address { base, offset })
}

fn simple_operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        register().prop_map(Operand::Register),
        (register(), select(Component::ALL))
            .prop_map(|(register, component)| Operand::Component { register, component }),
        (register(), select(Part::ALL)).prop_map(|(register, part)| Operand::Part { register, part }),
        register().prop_map(Operand::Negated),
        immediate().prop_map(Operand::Immediate),
        (select(Special::ALL), option::of(select(Component::ALL)))
            .prop_map(|(register, component)| Operand::Special { register, component }),
        (symbol(), any::<i32>()).prop_map(|(name, offset)| Operand::Symbol { name, offset: offset.into() }),
        address().prop_map(Operand::Address),
        Just(Operand::Sink),
    ]
}

fn operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        4 => simple_operand(),
        1 => vec(simple_operand(), 2..4).prop_map(Operand::Vector),
        1 => (address(), vec(simple_operand(), 1..6)).prop_map(|(map, at)| Operand::Tensor(map, at)),
        1 => (register(), register())
            .prop_map(|(a, b)| Operand::Pair(Box::new(Operand::Register(a)), Box::new(Operand::Register(b)))),
    ]
}

/// Any instruction but `call`, with modifiers that its opcode allows.
fn instruction() -> impl Strategy<Value = Statement> {
    let opcodes: Vec<Opcode> = Opcode::ALL.iter().copied().filter(|&opcode| opcode != Opcode::Call).collect();
    select(opcodes).prop_flat_map(|opcode| {
        let allowed = Spec::of(opcode).allowed();
        let count = if allowed.is_empty() { 0..=0 } else { 0..=4 };
        let allowed = if allowed.is_empty() { vec![Modifier::Type(Type::B32)] } else { allowed };
        let modifiers = vec(select(allowed), count);
        let guard = option::of((any::<bool>(), register()));
        (Just(opcode), modifiers, guard, vec((operand(), symbol()), 0..5)).prop_map(build)
    })
}

/// An opcode, its modifiers, its guard, and for each place an operand and a label.
type Parts = (Opcode, Vec<Modifier>, Option<(bool, Name)>, Vec<(Operand, Name)>);

fn build((opcode, modifiers, guard, operands): Parts) -> Statement {
    let (mut roles, _) = Spec::of(opcode).roles();
    let pick =
        |(operand, name)| if roles.next() == Some(Role::Label) { Operand::Label(name) } else { operand };
    let operands: Vec<Operand> = operands.into_iter().map(pick).collect();
    let operand_spans = vec![At::default(); operands.len()];
    let guard = guard.map(|(negated, register)| Guard { negated, register });
    Statement::Instruction(Instruction {
        guard,
        opcode,
        modifiers,
        operands,
        operand_spans,
        span: At::default(),
    })
}

fn initialiser() -> impl Strategy<Value = Initialiser> {
    let leaf = prop_oneof![
        immediate().prop_map(Initialiser::Value),
        (symbol(), any::<i16>(), any::<bool>()).prop_map(|(name, offset, generic)| Initialiser::Symbol {
            name,
            offset: offset.into(),
            generic
        }),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| vec(inner, 0..3).prop_map(Initialiser::List))
}

fn variable(space: Space) -> impl Strategy<Value = Variable> {
    let shape = (option::of(select(&[1_u32, 4, 16][..])), select(Type::ALL), option::of(select(Vector::ALL)));
    (shape, symbol(), vec(option::of(0..9_u64), 0..3), option::of(initialiser())).prop_map(
        move |((align, ty, vector), name, dims, initialiser)| Variable {
            linkage: Linkage::Internal,
            space,
            align,
            ty,
            vector,
            pointer: None,
            name,
            dims,
            initialiser,
            span: At::default(),
        },
    )
}

fn registers() -> impl Strategy<Value = Statement> {
    let name = (select(&["%r", "%q", "%x"][..]), option::of(0..9_u32))
        .prop_map(|(name, count)| RegisterName { name: Name::from(name), count, span: At::default() });
    (select(Type::ALL), option::of(select(Vector::ALL)), vec(name, 1..3)).prop_map(|(ty, vector, names)| {
        Statement::Registers(RegisterDeclaration { ty, vector, names, span: At::default() })
    })
}

fn location() -> impl Strategy<Value = Statement> {
    let inlined = (symbol(), 0..99_i64, any::<u32>()).prop_map(|(function, offset, line)| InlinedAt {
        function,
        offset,
        file: 1,
        line,
        column: 2,
    });
    (any::<u32>(), option::of(inlined)).prop_map(|(line, inlined)| {
        Statement::Location(Location { file: 1, line, column: 7, inlined, span: At::default() })
    })
}

fn block() -> impl Strategy<Value = Block> {
    let statement = prop_oneof![
        8 => instruction(),
        1 => symbol().prop_map(|name| Statement::Label(Label { name, span: At::default() })),
        1 => registers(),
        1 => variable(Space::Shared).prop_map(Statement::Variable),
        1 => location(),
        1 => Just(Statement::Pragma(Pragma { texts: vec!["nounroll".to_string()], span: At::default() })),
    ];
    let flat = vec(statement, 0..8).prop_map(|statements| Block { statements, span: At::default() });
    flat.prop_recursive(2, 16, 2, |inner| {
        vec(inner.prop_map(Statement::Block), 0..2)
            .prop_map(|statements| Block { statements, span: At::default() })
    })
}

fn function() -> impl Strategy<Value = Function> {
    let attributes = vec(
        prop_oneof![
            vec(any::<u32>(), 1..=3).prop_map(Attribute::MaxThreads),
            any::<u32>().prop_map(Attribute::MaxRegisters),
            Just(Attribute::NoReturn),
        ],
        0..3,
    );
    let header = (select(&[FunctionKind::Entry, FunctionKind::Func][..]), symbol());
    let values = (vec(variable(Space::Param), 0..2), vec(variable(Space::Param), 0..3));
    (header, values, attributes, option::of(block())).prop_map(
        |((kind, name), (returns, parameters), attributes, body)| Function {
            kind,
            linkage: Linkage::Visible,
            name,
            returns,
            parameters,
            attributes,
            body,
            span: At::default(),
            name_span: At::default(),
        },
    )
}

fn module() -> impl Strategy<Value = Module> {
    let item =
        prop_oneof![function().prop_map(Item::Function), variable(Space::Global).prop_map(Item::Variable)];
    vec(item, 0..4).prop_map(|items| Module {
        version: Some(Version { major: 9, minor: 0 }),
        target: vec![Name::from("sm_90"), Name::from("debug")],
        address_size: Some(64),
        files: vec![SourceFile { index: 1, path: "a b.cu".to_string(), stamp: Some((1, 2)) }],
        items,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_printed_tree_reads_back_as_itself(module in module()) {
        let text = print(&module);
        let parsed = parse(&Source::new("printed.ptx", text.as_str()));
        prop_assert_eq!(parsed.module, module, "{}", text);
    }
}
