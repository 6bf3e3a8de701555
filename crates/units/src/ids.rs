//! Ids of the parts of the chip, and vectors that only such an id can index.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An id: a small number that names one of many equal parts.
pub trait TypedId: Copy {
    /// The id with this number.
    fn from_index(index: usize) -> Self;
    /// The number of this id.
    fn index(self) -> usize;
}

macro_rules! typed_id {
    ($(#[$doc:meta])* $name:ident($repr:ty), $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub $repr);

        impl TypedId for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                $name(index.try_into().expect("a machine has no more than its ids can number"))
            }
            #[inline]
            fn index(self) -> usize {
                usize::try_from(self.0).expect("what is indexed is in memory")
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

typed_id!(
    /// A multiprocessor of the chip.
    SmId(u16), "sm"
);
typed_id!(
    /// A memory partition: some level-two cache slices and the DRAM channel behind them.
    PartitionId(u16), "partition"
);
typed_id!(
    /// A place for one warp in a multiprocessor.
    WarpSlot(u8), "warp"
);
typed_id!(
    /// A thread block of the grid, numbered with x fastest.
    BlockId(u64), "block"
);

/// A vector indexed by one kind of id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    id: PhantomData<fn(I)>,
}

impl<I: TypedId, T> IdVec<I, T> {
    /// A vector of `count` items, each made from its id.
    pub fn from_fn(count: usize, mut make: impl FnMut(I) -> T) -> Self {
        IdVec { items: (0..count).map(|index| make(I::from_index(index))).collect(), id: PhantomData }
    }

    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items in order of their ids.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// The items in order of their ids, to change.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.items
    }
}

impl<I: TypedId, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: TypedId, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}
