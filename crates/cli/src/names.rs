//! Names of kernels as C++ programmers write them.

use cpp_demangle::{DemangleOptions, Symbol};

/// A kernel's name with its parameters, as in the source: `scale<float>(float*, int)`; a name of C as it is.
pub(crate) fn demangled(name: &str) -> String {
    demangle(name, DemangleOptions::new().no_return_type()).unwrap_or_else(|| name.to_owned())
}

/// Whether a person means this kernel: by its mangled name, by the name in the source with or without parameters, or
/// by the last part of it without template arguments.
pub(crate) fn means(typed: &str, kernel: &str) -> bool {
    if typed == kernel {
        return true;
    }
    let Some(short) = demangle(kernel, DemangleOptions::new().no_return_type().no_params()) else {
        return false;
    };
    let plain = without_spaces(typed);
    let plain = plain.strip_prefix("void").filter(|_| typed.starts_with("void ")).unwrap_or(&plain);
    let bare = without_template_arguments(&short);
    let last = bare.rsplit("::").next().unwrap_or(bare);
    [demangled(kernel).as_str(), short.as_str(), bare, last].iter().any(|name| without_spaces(name) == plain)
}

fn demangle(name: &str, options: DemangleOptions) -> Option<String> {
    // The reader of names goes deep into itself for long ones.
    const LONGEST: usize = 4096;
    if !name.starts_with("_Z") || name.len() > LONGEST {
        return None;
    }
    Symbol::new(name).ok()?.demangle_with_options(&options).ok()
}

fn without_spaces(name: &str) -> String {
    name.chars().filter(|c| !c.is_whitespace()).collect()
}

/// `space::scale<float>` without what is in angle brackets at its end.
fn without_template_arguments(name: &str) -> &str {
    if !name.ends_with('>') {
        return name;
    }
    let mut depth = 0;
    for (at, c) in name.char_indices().rev() {
        match c {
            '>' => depth += 1,
            '<' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &name[..at];
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::{demangled, means};

    #[test]
    fn kernels_are_shown_as_in_the_source() {
        assert_eq!(demangled("saxpy"), "saxpy");
        assert_eq!(demangled("_Z5saxpyifPKfPf"), "saxpy(int, float, float const*, float*)");
        assert_eq!(demangled("_ZN3lab5scaleIfEEvPT_i"), "lab::scale<float>(float*, int)");
        assert_eq!(demangled("_Zbroken"), "_Zbroken");
    }

    #[test]
    fn kernels_are_found_by_every_form_of_their_name() {
        let kernel = "_ZN3lab5scaleIfEEvPT_i";
        for typed in [kernel, "lab::scale<float>(float*,int)", "lab::scale<float>", "lab::scale", "scale"] {
            assert!(means(typed, kernel), "{typed}");
        }
        for typed in ["scale<double>", "cale", "lab", "lab::scale<float>(float*)"] {
            assert!(!means(typed, kernel), "{typed}");
        }
    }
}
