//! Functions, blocks and statements.

use super::instruction::Instruction;
use super::modifier::Vector;
use super::name::{At, Name};
use super::types::Type;
use super::variable::{Linkage, Variable};

/// Kernel or device function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// `.entry`: launched from outside.
    Entry,
    /// `.func`: called from inside.
    Func,
}

/// A kernel or device function; without a body only its declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Kernel or device function.
    pub kind: FunctionKind,
    /// Who else sees it.
    pub linkage: Linkage,
    /// Its name.
    pub name: Name,
    /// The parameters that carry its results.
    pub returns: Vec<Variable>,
    /// Its parameters.
    pub parameters: Vec<Variable>,
    /// `.maxntid` and its like.
    pub attributes: Vec<Attribute>,
    /// Its statements.
    pub body: Option<Block>,
    /// From the linkage to the end of the header.
    pub span: At,
    /// Where the name stands.
    pub name_span: At,
}

/// A directive between the header of a function and its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// `.maxntid x, y, z`: the largest block.
    MaxThreads(Vec<u32>),
    /// `.reqntid x, y, z`: the only block.
    RequiredThreads(Vec<u32>),
    /// `.minnctapersm n`: blocks that must fit on a multiprocessor.
    MinBlocks(u32),
    /// `.maxnctapersm n`: the old name of a limit of blocks.
    MaxBlocks(u32),
    /// `.maxnreg n`: registers a thread may use.
    MaxRegisters(u32),
    /// `.reqnctapercluster x, y, z`: the only cluster.
    RequiredCluster(Vec<u32>),
    /// `.maxclusterrank n`: the largest cluster.
    MaxClusterRank(u32),
    /// `.explicitcluster`: the launch must name the cluster.
    ExplicitCluster,
    /// `.blocksareclusters`: the grid counts clusters.
    BlocksAreClusters,
    /// `.noreturn`: it never returns.
    NoReturn,
    /// `.pragma "..."`: advice to the compiler.
    Pragma(Vec<String>),
}

/// `{ ... }` with a scope of its own for registers, variables and labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// What it holds.
    pub statements: Vec<Statement>,
    /// From brace to brace.
    pub span: At,
}

/// One statement of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// An instruction.
    Instruction(Instruction),
    /// `name:`
    Label(Label),
    /// `.reg .b32 %r<8>, t;`
    Registers(RegisterDeclaration),
    /// A variable of the shared, local, global, constant or parameter space.
    Variable(Variable),
    /// A nested block.
    Block(Block),
    /// `.loc`: the source line of what follows.
    Location(Location),
    /// `.pragma "...";`
    Pragma(Pragma),
    /// `name: .branchtargets a, b;`
    BranchTargets(BranchTargets),
    /// `name: .calltargets f, g;`
    CallTargets(CallTargets),
    /// `name: .callprototype (...) _ (...);`
    CallPrototype(CallPrototype),
}

/// `name:`
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The name.
    pub name: Name,
    /// Where it stands.
    pub span: At,
}

/// `.reg .b32 %r<8>, t;`
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterDeclaration {
    /// The type of each.
    pub ty: Type,
    /// `.v2` or `.v4`, if each is a vector.
    pub vector: Option<Vector>,
    /// The names.
    pub names: Vec<RegisterName>,
    /// Where it stands.
    pub span: At,
}

/// A declared register or range of registers.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterName {
    /// The name, or what comes before the number.
    pub name: Name,
    /// `%r<8>` declares `%r0` to `%r7`.
    pub count: Option<u32>,
    /// Where it stands.
    pub span: At,
}

/// `.loc 1 12 3, function_name $L__info0, inlined_at 1 40 5`
#[derive(Clone, Debug, PartialEq)]
pub struct Location {
    /// The number of the `.file`.
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
    /// The call this code was inlined into.
    pub inlined: Option<InlinedAt>,
    /// Where it stands.
    pub span: At,
}

/// Where the code of a location was inlined.
#[derive(Clone, Debug, PartialEq)]
pub struct InlinedAt {
    /// The label of the function's name in the debug section.
    pub function: Name,
    /// Bytes past that label.
    pub offset: i64,
    /// The number of the `.file` of the call.
    pub file: u32,
    /// The line of the call.
    pub line: u32,
    /// The column of the call.
    pub column: u32,
}

/// `.pragma "a", "b";`
#[derive(Clone, Debug, PartialEq)]
pub struct Pragma {
    /// The texts.
    pub texts: Vec<String>,
    /// Where it stands.
    pub span: At,
}

/// `name: .branchtargets a, b;`: the table of a `brx.idx`.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchTargets {
    /// The name of the table.
    pub name: Name,
    /// The labels, by index.
    pub targets: Vec<Name>,
    /// Where it stands.
    pub span: At,
}

/// `name: .calltargets f, g;`: the functions an indirect call may reach.
#[derive(Clone, Debug, PartialEq)]
pub struct CallTargets {
    /// The name of the list.
    pub name: Name,
    /// The functions.
    pub targets: Vec<Name>,
    /// Where it stands.
    pub span: At,
}

/// `name: .callprototype (.param .b32 _) _ (.param .b64 _);`: the shape of an indirect call.
#[derive(Clone, Debug, PartialEq)]
pub struct CallPrototype {
    /// The name of the prototype.
    pub name: Name,
    /// The results.
    pub returns: Vec<Variable>,
    /// The parameters.
    pub parameters: Vec<Variable>,
    /// Whether it never returns.
    pub no_return: bool,
    /// Where it stands.
    pub span: At,
}
