//! The PTX tree: what a file says, with the place of every part.
//!
//! The tree is close to the text: modifiers stand in written order, register ranges are not expanded and nothing is
//! resolved across scopes. Two trees that differ only in places are equal, see [`At`].

mod function;
mod instruction;
mod modifier;
mod name;
mod opcode;
mod operand;
mod special;
mod types;
mod variable;

pub use function::{
    Attribute, Block, BranchTargets, CallPrototype, CallTargets, Function, FunctionKind, InlinedAt, Label,
    Location, Pragma, RegisterDeclaration, RegisterName, Statement,
};
pub use instruction::{Call, Guard, Instruction};
pub use modifier::{
    Cache, Clamp, Compare, Direction, FenceKind, Flag, Half, Hint, MatrixShape, Modifier, NumberClass,
    Operation, PermuteMode, Rounding, Scope, Semantics, ShuffleMode, Vector, VoteMode, Wmma,
};
pub use name::{At, Name};
pub use opcode::Opcode;
pub(crate) use operand::low_word;
pub use operand::{Address, Base, Immediate, Operand};
pub use special::{Component, Part, Special};
pub use types::{Space, Type};
pub use variable::{Initialiser, Linkage, Pointer, Variable};

/// A whole PTX file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// `.version 9.0` as major and minor.
    pub version: Option<Version>,
    /// `.target sm_90, debug` as the names written; the first is the architecture.
    pub target: Vec<Name>,
    /// `.address_size 64`.
    pub address_size: Option<u32>,
    /// The `.file` directives, in written order.
    pub files: Vec<SourceFile>,
    /// Variables and functions, in written order.
    pub items: Vec<Item>,
}

impl Module {
    /// The functions and entries, in written order.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            _ => None,
        })
    }

    /// The kernels, in written order.
    pub fn entries(&self) -> impl Iterator<Item = &Function> {
        self.functions().filter(|function| function.kind == FunctionKind::Entry)
    }

    /// The function of a name, a definition before a mere declaration.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&Function> {
        let mut named = self.functions().filter(|function| &*function.name == name);
        let first = named.next()?;
        if first.body.is_some() {
            Some(first)
        } else {
            named.find(|function| function.body.is_some()).or(Some(first))
        }
    }

    /// The variables of module scope, in written order.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.items.iter().filter_map(|item| match item {
            Item::Variable(variable) => Some(variable),
            _ => None,
        })
    }

    /// The path of the `.file` with an index.
    #[must_use]
    pub fn file(&self, index: u32) -> Option<&str> {
        self.files.iter().find(|file| file.index == index).map(|file| file.path.as_str())
    }
}

/// The PTX version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Before the dot.
    pub major: u32,
    /// After the dot.
    pub minor: u32,
}

/// `.file 1 "saxpy.cu"`: a number that `.loc` uses for a path.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceFile {
    /// The number.
    pub index: u32,
    /// The path as written.
    pub path: String,
    /// Time stamp and size, if written.
    pub stamp: Option<(u64, u64)>,
}

/// A thing of module scope.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A variable of the global, constant or shared space.
    Variable(Variable),
    /// A kernel or device function, or its declaration.
    Function(Function),
    /// `.alias name, target;`
    Alias(Alias),
    /// `.pragma "...";` outside functions.
    Pragma(Pragma),
}

/// `.alias name, target;`: another name of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Alias {
    /// The new name.
    pub name: Name,
    /// The function it stands for.
    pub target: Name,
    /// Where it stands.
    pub span: At,
}
