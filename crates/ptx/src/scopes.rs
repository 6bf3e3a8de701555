//! Which register a name means, block by block.

use rustc_hash::FxHashMap;

use crate::tree::{RegisterDeclaration, Type, Vector};

/// The type of a declared register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegisterType {
    /// The type, of each element if it is a vector.
    pub(crate) ty: Type,
    /// The number of elements, if it is a vector.
    pub(crate) vector: Option<Vector>,
}

/// The registers declared in the open blocks, innermost last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scopes<'a> {
    levels: Vec<FxHashMap<&'a str, Declared>>,
}

#[derive(Clone, Copy, Debug)]
struct Declared {
    register: RegisterType,
    count: Option<u32>,
}

impl<'a> Scopes<'a> {
    /// Opens a block.
    pub(crate) fn open(&mut self) {
        self.levels.push(FxHashMap::default());
    }

    /// Closes the innermost block; its registers are gone.
    pub(crate) fn close(&mut self) {
        self.levels.pop();
    }

    /// Declares a register, or with a count a range of them, in the innermost block. False if its name is taken there.
    pub(crate) fn declare(&mut self, name: &'a str, register: RegisterType, count: Option<u32>) -> bool {
        match self.levels.last_mut() {
            Some(level) => level.insert(name, Declared { register, count }).is_none(),
            None => true,
        }
    }

    /// Declares everything that a `.reg` says. Returns the names that were taken.
    pub(crate) fn declare_all(&mut self, declaration: &'a RegisterDeclaration) -> Vec<&'a str> {
        let register = RegisterType { ty: declaration.ty, vector: declaration.vector };
        let names = declaration.names.iter();
        names.filter(|name| !self.declare(&name.name, register, name.count)).map(|name| &*name.name).collect()
    }

    /// The register that a name means: the innermost declared.
    #[must_use]
    pub(crate) fn lookup(&self, name: &str) -> Option<RegisterType> {
        self.levels.iter().rev().find_map(|level| lookup(level, name))
    }

    /// The names as declared, ranges by their prefix, innermost first.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.levels.iter().rev().flat_map(|level| level.keys().copied())
    }
}

fn lookup(level: &FxHashMap<&str, Declared>, name: &str) -> Option<RegisterType> {
    if let Some(single) = level.get(name).filter(|declared| declared.count.is_none()) {
        return Some(single.register);
    }
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    (name.len() - digits..name.len()).find_map(|split| {
        let (prefix, number) = name.split_at(split);
        let count = level.get(prefix)?.count?;
        let canonical = number.len() == 1 || !number.starts_with('0');
        number.parse::<u32>().ok().filter(|&index| canonical && index < count).map(|_| level[prefix].register)
    })
}

#[cfg(test)]
mod tests {
    use super::{RegisterType, Scopes};
    use crate::tree::Type;

    #[test]
    fn a_range_holds_its_numbers_and_an_inner_block_hides_it() {
        let (word, single) =
            (RegisterType { ty: Type::B32, vector: None }, RegisterType { ty: Type::F32, vector: None });
        let mut scopes = Scopes::default();
        scopes.open();
        scopes.declare("%r", word, Some(12));
        assert_eq!(scopes.lookup("%r11"), Some(word));
        assert_eq!(scopes.lookup("%r12"), None);
        assert_eq!(scopes.lookup("%r01"), None);
        assert_eq!(scopes.lookup("%r"), None);
        scopes.open();
        scopes.declare("%r1", single, None);
        assert_eq!(scopes.lookup("%r1"), Some(single));
        scopes.close();
        assert_eq!(scopes.lookup("%r1"), Some(word));
    }
}
