//! Names and places of the tree.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use warplab_diagnostics::Span;

/// A name of a register, variable, label or function. Cheap to clone; the parser keeps one copy of each.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Arc<str>);

impl Name {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name(Arc::from(text))
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The place of a part of the tree. All places are equal, so trees compare by what they say, not by where it stands.
#[derive(Clone, Copy, Default)]
pub struct At(pub Span);

impl PartialEq for At {
    fn eq(&self, _: &At) -> bool {
        true
    }
}

impl Eq for At {}

impl Deref for At {
    type Target = Span;

    fn deref(&self) -> &Span {
        &self.0
    }
}

impl From<Span> for At {
    fn from(span: Span) -> At {
        At(span)
    }
}

impl fmt::Debug for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.0.start, self.0.end)
    }
}

/// Defines a fieldless enum whose variants have names: `ALL`, `name()`, `from_name()` and `Display`.
macro_rules! named {
    ($(#[$meta:meta])* $kind:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $kind {
            $(
                #[doc = concat!("`", $text, "`")]
                $variant,
            )*
        }

        impl $kind {
            /// Every one, in order of definition.
            pub const ALL: &[$kind] = &[$($kind::$variant),*];

            /// The name as PTX writes it, without a dot.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $text,)*
                }
            }

            /// The one of a name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<$kind> {
                match name {
                    $($text => Some($kind::$variant),)*
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

pub(super) use named;
