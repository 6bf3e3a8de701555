//! Values that are strings in a file: the schema says which form their text has.

/// The JSON schema of a type that is written as a string of a form.
macro_rules! text_schema {
    ($type:ident, $format:literal, $description:literal) => {
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "description": $description, "type": "string", "format": $format })
            }
        }
    };
}

/// The same for a type that keeps its text and is parsed from it.
macro_rules! written_as_text {
    ($type:ident, $format:literal, $description:literal) => {
        impl TryFrom<String> for $type {
            type Error = String;
            fn try_from(text: String) -> Result<$type, String> {
                text.parse().map_err(|fault: warplab_diagnostics::Diagnostic| fault.message)
            }
        }

        impl From<$type> for String {
            fn from(value: $type) -> String {
                value.text
            }
        }

        text_schema!($type, $format, $description);
    };
}
