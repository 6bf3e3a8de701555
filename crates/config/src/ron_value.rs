//! A tree of RON as the values of Rust types: a deserializer of serde over [`Node`]s.
//!
//! Optional values need no `Some(...)`, and a choice that holds a group of fields needs its brackets only once.

use crate::ron_tree::{Name, Node, Value};
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::fmt;
use warplab_diagnostics::{Diagnostic, Span};

/// The value of a tree.
///
/// # Errors
/// The first fault that only the type itself can find.
pub(crate) fn value<T: DeserializeOwned>(tree: &Node) -> Result<T, Diagnostic> {
    T::deserialize(At(tree))
        .map_err(|fault| Diagnostic::error(fault.span.unwrap_or(tree.span), fault.message).with_label("here"))
}

/// What is wrong, and where once that is known.
#[derive(Debug)]
struct Fault {
    message: String,
    span: Option<Span>,
}

impl Fault {
    /// The fault at a place unless it has one: the innermost holds.
    fn at(self, span: Span) -> Fault {
        Fault { span: self.span.or(Some(span)), ..self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Fault {
        Fault { message: message.to_string(), span: None }
    }
}

type Found<T> = Result<T, Fault>;

/// The value at a place.
#[derive(Clone, Copy)]
struct At<'a>(&'a Node);

impl<'de> Deserializer<'de> for At<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Found<V::Value> {
        let found = match &self.0.value {
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number { whole: Some(whole), .. } => visit_whole(*whole, visitor),
            Value::Number { real, .. } => visitor.visit_f64(*real),
            Value::Char(value) => visitor.visit_char(*value),
            Value::Text(text) => visitor.visit_str(text),
            Value::Variant(name) => visitor.visit_str(&name.text),
            Value::Tuple(None, items) if items.is_empty() => visitor.visit_unit(),
            Value::List(items) | Value::Tuple(_, items) => visitor.visit_seq(Items(items.iter())),
            Value::Struct(_, fields) => visitor.visit_map(Fields::new(fields)),
            Value::Map(entries) => visitor.visit_map(Entries { rest: entries.iter(), value: None }),
            Value::Broken => Err(Fault::custom("this cannot be read")),
        };
        found.map_err(|fault| fault.at(self.0.span))
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Found<V::Value> {
        match self.0.value {
            Value::Number { single, .. } => {
                visitor.visit_f32(single).map_err(|fault: Fault| fault.at(self.0.span))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Found<V::Value> {
        match self.0.value {
            Value::Number { real, .. } => {
                visitor.visit_f64(real).map_err(|fault: Fault| fault.at(self.0.span))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Found<V::Value> {
        match &self.0.value {
            Value::Variant(name) if name.text == "None" => visitor.visit_none(),
            Value::Tuple(Some(name), items) if name.text == "Some" && items.len() == 1 => {
                visitor.visit_some(At(&items[0]))
            }
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Found<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Found<V::Value> {
        match &self.0.value {
            // A group without fields looks like one without values.
            Value::Tuple(_, items) if items.is_empty() => visitor.visit_map(Fields::new(&[])),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Found<V::Value> {
        visitor.visit_enum(Choice(self.0)).map_err(|fault| fault.at(self.0.span))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

fn visit_whole<'de, V: Visitor<'de>>(whole: i128, visitor: V) -> Found<V::Value> {
    match (u64::try_from(whole), i64::try_from(whole)) {
        (Ok(whole), _) => visitor.visit_u64(whole),
        (_, Ok(whole)) => visitor.visit_i64(whole),
        _ => visitor.visit_i128(whole),
    }
}

/// The values of a list.
struct Items<'a>(std::slice::Iter<'a, Node>);

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Found<Option<T::Value>> {
        self.0.next().map(|item| seed.deserialize(At(item)).map_err(|fault| fault.at(item.span))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// The fields of a group.
struct Fields<'a> {
    rest: std::slice::Iter<'a, (Name, Node)>,
    value: Option<&'a Node>,
}

impl<'a> Fields<'a> {
    fn new(fields: &'a [(Name, Node)]) -> Fields<'a> {
        Fields { rest: fields.iter(), value: None }
    }
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Found<Option<K::Value>> {
        let Some((name, value)) = self.rest.next() else { return Ok(None) };
        self.value = Some(value);
        let key: StrDeserializer<'_, Fault> = name.text.as_str().into_deserializer();
        seed.deserialize(key).map(Some).map_err(|fault| fault.at(name.span))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Found<V::Value> {
        next_value(self.value.take(), seed)
    }
}

/// The entries of a map.
struct Entries<'a> {
    rest: std::slice::Iter<'a, (Node, Node)>,
    value: Option<&'a Node>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Found<Option<K::Value>> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(At(key)).map(Some).map_err(|fault| fault.at(key.span))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Found<V::Value> {
        next_value(self.value.take(), seed)
    }
}

fn next_value<'de, V: DeserializeSeed<'de>>(value: Option<&Node>, seed: V) -> Found<V::Value> {
    let value = value.ok_or_else(|| Fault::custom("a value without a name"))?;
    seed.deserialize(At(value)).map_err(|fault| fault.at(value.span))
}

/// A choice of an enumeration.
struct Choice<'a>(&'a Node);

impl<'de> EnumAccess<'de> for Choice<'_> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Found<(V::Value, Self)> {
        let (Value::Variant(name) | Value::Tuple(Some(name), _) | Value::Struct(Some(name), _)) =
            &self.0.value
        else {
            return Err(Fault::invalid_type(Unexpected::Other("a value"), &"a name"));
        };
        let key: StrDeserializer<'_, Fault> = name.text.as_str().into_deserializer();
        Ok((seed.deserialize(key)?, self))
    }
}

impl<'de> VariantAccess<'de> for Choice<'_> {
    type Error = Fault;

    fn unit_variant(self) -> Found<()> {
        match self.0.value {
            Value::Variant(_) => Ok(()),
            _ => Err(Fault::custom("this name takes nothing in brackets")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Found<T::Value> {
        match &self.0.value {
            Value::Tuple(_, items) if items.len() == 1 => seed.deserialize(At(&items[0])),
            Value::Tuple(_, items) => seed.deserialize(At(&self.holding(Value::Tuple(None, items.clone())))),
            Value::Struct(_, fields) => {
                seed.deserialize(At(&self.holding(Value::Struct(None, fields.clone()))))
            }
            _ => Err(Fault::custom("this name needs a value in brackets")),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Found<V::Value> {
        match &self.0.value {
            Value::Tuple(_, items) => visitor.visit_seq(Items(items.iter())),
            _ => Err(Fault::custom("this name needs values in brackets")),
        }
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Found<V::Value> {
        match &self.0.value {
            Value::Struct(_, fields) => visitor.visit_map(Fields::new(fields)),
            Value::Tuple(_, items) if items.is_empty() => visitor.visit_map(Fields::new(&[])),
            _ => Err(Fault::custom("this name needs fields in brackets")),
        }
    }
}

impl Choice<'_> {
    /// What is in the brackets of the choice, as a value of its own.
    fn holding(&self, value: Value) -> Node {
        Node { span: self.0.span, value }
    }
}

#[cfg(test)]
mod tests {
    use super::value;
    use crate::ron_tree::parse;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Group {
        number: f32,
        #[serde(default)]
        wished: Option<u8>,
        kinds: Vec<Choice>,
        #[serde(default)]
        named: BTreeMap<String, (i64, f64)>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    enum Choice {
        Alone,
        One(i32),
        Group(Inner),
        Fields { a: u64 },
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Inner {
        a: u64,
    }

    fn group(text: &str) -> Result<Group, (String, std::ops::Range<usize>)> {
        let (tree, faults) = parse(text);
        assert_eq!(faults, []);
        value(&tree).map_err(|fault| (fault.message, fault.span.range()))
    }

    #[test]
    fn optional_values_and_choices_need_no_second_brackets() {
        let text = r#"(number: 0.1, wished: 3, kinds: [Alone, One(-1), Group(a: 2), Fields(a: 3)], named: {"x": (1, 2)})"#;
        let kinds =
            vec![Choice::Alone, Choice::One(-1), Choice::Group(Inner { a: 2 }), Choice::Fields { a: 3 }];
        let named = BTreeMap::from([("x".to_owned(), (1, 2.0))]);
        assert_eq!(group(text), Ok(Group { number: 0.1, wished: Some(3), kinds, named }));
        let explicit = "(number: 1, wished: Some(3), kinds: [Group((a: 2))])";
        let kinds = vec![Choice::Group(Inner { a: 2 })];
        assert_eq!(
            group(explicit),
            Ok(Group { number: 1.0, wished: Some(3), kinds, named: BTreeMap::new() })
        );
    }

    #[test]
    fn a_fault_is_at_the_innermost_value() {
        let text = "(number: 1, kinds: [One(3000000000)])";
        let message = "invalid value: integer `3000000000`, expected i32";
        assert_eq!(group(text), Err((message.to_owned(), 24..34)));
    }
}
