//! Commands and their output in Markdown.

/// A command that a document shows, and the output that it shows for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// The words after `warplab`.
    pub(crate) words: Vec<String>,
    /// The block after a block that is nothing but this command: a line `...` stands for any lines.
    pub(crate) output: Option<String>,
}

/// How a document calls the program.
const CALLS: [&str; 3] =
    ["warplab ", "cargo run --release -- ", "cargo run --profile quick --no-default-features -- "];

/// Every command of a document, those in running text included.
pub(crate) fn commands(document: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    // Between fences: text, block, text, block, ...
    let parts: Vec<&str> = document.split("```").collect();
    for (number, part) in parts.iter().enumerate() {
        if number % 2 == 0 {
            let inline = part.split('`').skip(1).step_by(2);
            shown.extend(inline.filter_map(words).map(|words| Shown { words, output: None }));
            continue;
        }
        let block = part.split_once('\n').map_or("", |(_, block)| block).replace("\\\n", " ");
        let found: Vec<Vec<String>> = block.lines().filter_map(words).collect();
        let alone =
            block.lines().count() == 1 && parts.get(number + 1).is_some_and(|text| text.trim().is_empty());
        let output = parts.get(number + 2).filter(|_| alone);
        let output = output.and_then(|part| part.split_once('\n')).map(|(_, block)| block.to_owned());
        shown.extend(found.into_iter().map(|words| Shown { words, output: output.clone() }));
    }
    shown
}

/// The words of a command, without what is after `#` and without dots that stand for more of them.
pub(crate) fn words(line: &str) -> Option<Vec<String>> {
    let line = CALLS.iter().find_map(|call| line.trim().strip_prefix(call))?;
    let mut words: Vec<String> = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let end = match rest.chars().next() {
            None | Some('#') => break,
            Some('\'') => rest[1..].find('\'').map_or(rest.len(), |end| end + 2),
            Some(_) => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        };
        words.push(rest[..end].trim_matches('\'').to_owned());
        rest = &rest[end..];
    }
    if words.last().is_some_and(|word| word == "...") {
        words.pop();
    }
    Some(words)
}
