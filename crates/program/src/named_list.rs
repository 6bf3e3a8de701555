//! A list whose members have names: the type, how many there are, all of them and their names, from one definition.

/// Defines an enumeration; the text behind each member is its name in configuration files and reports.
macro_rules! named_list {
    ($(#[$doc:meta])* pub enum $list:ident {
        $($(#[$member_doc:meta])* $member:ident = $name:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $list { $($(#[$member_doc])* $member,)* }

        impl $list {
            /// How many there are.
            pub const COUNT: usize = [$($name),*].len();
            /// All of them, in the order of their numbers.
            pub const ALL: [$list; $list::COUNT] = [$($list::$member),*];

            /// The name in configuration files and reports.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $($list::$member => $name,)* }
            }
        }

        impl std::fmt::Display for $list {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

pub(crate) use named_list;
