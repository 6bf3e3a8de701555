//! The functions of a module: which call themselves, how much each would grow its callers, whose address is taken.

use rustc_hash::FxHashMap;
use warplab_ptx::tree::{
    Base, Block, Call, Function, FunctionKind, Initialiser, Instruction, Module, Opcode, Operand, Statement,
    Variable,
};

/// How deep inlined calls may nest.
pub(crate) const MOST_DEEP: usize = 256;
/// How many instructions a kernel or function may have before no more calls are inlined.
pub(crate) const MOST_INLINED: usize = 250_000;
/// What is called and not inlined has more instructions than this, or nests deeper, in a kernel that would grow too large.
const SMALL: u64 = 2_000;
const SHALLOW: usize = 64;
/// About how many instructions a call takes.
const CALL: u64 = 8;

/// The functions of a module that have a body, kernels too.
#[derive(Debug, Default)]
pub(crate) struct Functions<'a> {
    numbers: FxHashMap<&'a str, usize>,
    list: Vec<Entry<'a>>,
    /// The functions whose address the program takes.
    pub(crate) pointed: Vec<u32>,
}

#[derive(Debug)]
struct Entry<'a> {
    function: &'a Function,
    /// A call of it closes a circle: it is never inlined.
    recursive: bool,
    /// Not inlined in what would grow too large.
    split: bool,
    /// Whether it would grow too large itself with all its calls inlined.
    large: bool,
}

impl<'a> Functions<'a> {
    pub(crate) fn new(module: &'a Module) -> Functions<'a> {
        let mut functions = Functions::default();
        for function in module.functions().filter(|function| function.body.is_some()) {
            functions.numbers.insert(function.name.as_str(), functions.list.len());
            functions.list.push(Entry { function, recursive: false, split: false, large: false });
        }
        functions.measure();
        functions.find_pointed(module);
        functions
    }

    /// The function of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Function> {
        Some(self.list[*self.numbers.get(name)?].function)
    }

    /// The function of a number.
    pub(crate) fn numbered(&self, number: u32) -> &'a Function {
        self.list[number as usize].function
    }

    /// The number of a function of this name; kernels are not called.
    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        let number = *self.numbers.get(name)?;
        u32::try_from(number).ok().filter(|_| self.list[number].function.kind != FunctionKind::Entry)
    }

    /// Whether the program takes the address of a function.
    pub(crate) fn is_pointed(&self, number: u32) -> bool {
        self.pointed.binary_search(&number).is_ok()
    }

    /// Whether calls of a function are real calls in the body of another.
    pub(crate) fn is_called(&self, name: &str, within: &str) -> bool {
        let entry = |name: &str| self.numbers.get(name).map(|&number| &self.list[number]);
        let large = entry(within).is_some_and(|it| it.large);
        entry(name).is_some_and(|it| it.recursive || large && it.split)
    }

    /// Walks the calls, without recursion: what is called is measured before its callers.
    fn measure(&mut self) {
        let callees: Vec<Vec<usize>> = self.list.iter().map(|entry| self.callees(entry.function)).collect();
        let count = self.list.len();
        let own: Vec<u64> =
            self.list.iter().map(|entry| instructions(entry.function).count() as u64).collect();
        let (mut open, mut done) = (vec![false; count], vec![false; count]);
        // Of each with every call inlined, and with those of `split` functions real: instructions, nested calls.
        let (mut whole, mut parts) = (vec![(0u64, 0usize); count], vec![(0u64, 0usize); count]);
        for root in 0..count {
            let mut stack = vec![(root, 0)];
            while let Some((at, next)) = stack.pop() {
                if done[at] {
                    continue;
                }
                open[at] = true;
                if let Some(&callee) = callees[at].get(next) {
                    stack.push((at, next + 1));
                    if open[callee] {
                        self.list[callee].recursive = true;
                    } else if !done[callee] {
                        stack.push((callee, 0));
                    }
                    continue;
                }
                (open[at], done[at]) = (false, true);
                let sum = |sizes: &[(u64, usize)], is_real: &dyn Fn(usize) -> bool| {
                    callees[at].iter().fold((own[at], 0), |(size, depth): (u64, usize), &callee| {
                        if is_real(callee) {
                            return (size.saturating_add(CALL), depth);
                        }
                        (size.saturating_add(sizes[callee].0), depth.max(sizes[callee].1 + 1))
                    })
                };
                whole[at] = sum(&whole, &|callee| self.list[callee].recursive);
                parts[at] = sum(&parts, &|callee| self.list[callee].recursive || self.list[callee].split);
                let large = whole[at].0 > MOST_INLINED as u64 || whole[at].1 > MOST_DEEP;
                let split = parts[at].0 > SMALL || parts[at].1 >= SHALLOW;
                (self.list[at].large, self.list[at].split) = (large, split);
            }
        }
    }

    fn callees(&self, function: &'a Function) -> Vec<usize> {
        let calls = instructions(function).filter_map(Instruction::call);
        let name = |operand: &'a Operand| match operand {
            Operand::Symbol { name, .. } | Operand::Label(name) => Some(name.as_str()),
            _ => None,
        };
        calls.filter_map(|call| self.numbers.get(name(call.target)?).copied()).collect()
    }

    /// Finds the functions that an initialiser or an instruction other than a call names.
    fn find_pointed(&mut self, module: &'a Module) {
        let mut names: Vec<&str> = Vec::new();
        module.variables().for_each(|variable| in_initialiser(variable, &mut names));
        for function in module.functions() {
            for statement in statements(function) {
                match statement {
                    Statement::Variable(variable) => in_initialiser(variable, &mut names),
                    Statement::Instruction(it) if it.opcode != Opcode::Call => {
                        names.extend(it.operands.iter().filter_map(|operand| match operand {
                            Operand::Symbol { name, .. } => Some(name.as_str()),
                            _ => None,
                        }));
                    }
                    _ => {}
                }
            }
        }
        self.pointed = names.into_iter().filter_map(|name| self.number(name)).collect();
        self.pointed.sort_unstable();
        self.pointed.dedup();
    }
}

fn in_initialiser<'a>(variable: &'a Variable, names: &mut Vec<&'a str>) {
    let mut pending: Vec<&Initialiser> = variable.initialiser.iter().collect();
    while let Some(initialiser) = pending.pop() {
        match initialiser {
            Initialiser::Symbol { name, .. } => names.push(name),
            Initialiser::List(list) => pending.extend(list),
            Initialiser::Value(_) => {}
        }
    }
}

/// The statements of a body, those of nested blocks too.
fn statements(function: &Function) -> impl Iterator<Item = &Statement> {
    let mut pending: Vec<std::slice::Iter<'_, Statement>> =
        function.body.iter().map(|body: &Block| body.statements.iter()).collect();
    std::iter::from_fn(move || {
        loop {
            match pending.last_mut()?.next() {
                Some(Statement::Block(block)) => pending.push(block.statements.iter()),
                Some(statement) => return Some(statement),
                None => _ = pending.pop(),
            }
        }
    })
}

fn instructions(function: &Function) -> impl Iterator<Item = &Instruction> {
    statements(function).filter_map(|statement| match statement {
        Statement::Instruction(instruction) => Some(instruction),
        _ => None,
    })
}

/// The variables declared in a body, its nested blocks included.
pub(crate) fn local_variables(body: &Block) -> Vec<&Variable> {
    let mut found = Vec::new();
    for statement in &body.statements {
        match statement {
            Statement::Variable(variable) => found.push(variable),
            Statement::Block(block) => found.extend(local_variables(block)),
            _ => {}
        }
    }
    found
}

/// The symbols that a body names, and those of the functions that it calls.
pub(crate) fn names_used<'a>(functions: &Functions<'a>, body: &'a Block) -> FxHashMap<&'a str, ()> {
    let mut names = FxHashMap::default();
    let mut pending = vec![body];
    let mut calls_pointers = false;
    while let Some(body) = pending.pop() {
        for statement in &body.statements {
            match statement {
                Statement::Block(block) => pending.push(block),
                Statement::Instruction(instruction) => {
                    let through = |call: Call<'_>| matches!(call.target, Operand::Register(_));
                    if instruction.call().is_some_and(through)
                        && !std::mem::replace(&mut calls_pointers, true)
                    {
                        let pointed = functions.pointed.iter().map(|&number| functions.numbered(number));
                        pending.extend(pointed.filter_map(|function| function.body.as_ref()));
                    }
                    for operand in &instruction.operands {
                        let name = match operand {
                            Operand::Symbol { name, .. } | Operand::Label(name) => name,
                            Operand::Address(address) => match &address.base {
                                Base::Symbol(name) => name,
                                _ => continue,
                            },
                            _ => continue,
                        };
                        if names.insert(name.as_str(), ()).is_none()
                            && let Some(function) = functions.get(name.as_str())
                            && let Some(body) = &function.body
                        {
                            pending.push(body);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    names
}
