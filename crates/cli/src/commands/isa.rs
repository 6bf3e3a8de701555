//! `warplab isa [NAME]`: the instructions that are supported, from the tables that execute and read them.

use crate::failure::{Failure, Outcome};
use crate::terminal::Terminal;
use warplab_diagnostics::nearest_name;
use warplab_exec::is_executed;
use warplab_lower::describe;
use warplab_program::Opcode;
use warplab_ptx::tree::Opcode as PtxOpcode;
use warplab_report::{Align, Table, wrap};

/// Modifiers of which one must be written are spelled out in a form up to this number.
const SHOWN_IN_FORM: usize = 4;

/// Prints all instructions, one of them, or the page of the manual.
pub(crate) fn run(name: Option<&str>, markdown: bool, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let text = match name {
        Some(name) => one(name).ok_or_else(|| unknown(name))?,
        None if markdown => page(),
        None => format!(
            "PTX\n\n{}\nMachine\n\n{}",
            instructions_of_ptx(false).within(130).text(),
            machine_table().within(130).text()
        ),
    };
    terminal.print(&text)?;
    Ok(Outcome::Fine)
}

fn unknown(name: &str) -> Failure {
    let names = PtxOpcode::ALL
        .iter()
        .map(|opcode| opcode.name())
        .chain(Opcode::ALL.iter().map(|opcode| opcode.name()));
    let near = nearest_name(name, names).map_or(String::new(), |near| format!("; did you mean '{near}'?"));
    Failure::input(format!("no instruction is named '{name}'{near}"))
}

/// The instructions of this name: PTX names are lower-case, machine names upper-case; any case is taken for both.
pub(crate) fn one(name: &str) -> Option<String> {
    let base = name.split('.').next().unwrap_or(name);
    let ptx = PtxOpcode::ALL.iter().copied().find(|opcode| opcode.name().eq_ignore_ascii_case(base));
    let machine = Opcode::ALL.iter().copied().find(|opcode| opcode.name().eq_ignore_ascii_case(base));
    let upper = base.chars().any(|letter| letter.is_ascii_uppercase());
    let texts = match (ptx.map(ptx_text), machine.map(machine_text)) {
        (Some(ptx), Some(machine)) if upper => format!("{machine}\n{ptx}"),
        (Some(ptx), Some(machine)) => format!("{ptx}\n{machine}"),
        (Some(text), None) | (None, Some(text)) => text,
        (None, None) => return None,
    };
    Some(texts)
}

fn ptx_text(opcode: PtxOpcode) -> String {
    let row = describe(opcode);
    let form = warplab_ptx::form(opcode);
    let mut text = format!("{} (PTX): {}\n", opcode.name(), row.meaning);
    let mut line = |what: &str, words: String| {
        for (index, words) in wrap(&words, 96).into_iter().enumerate() {
            text.push_str(&format!("  {:<14} {words}\n", if index == 0 { what } else { "" }));
        }
    };
    line("form", ptx_form(opcode));
    line("types", form.types.join(" "));
    for group in &form.needed {
        line("one of", dotted(group));
    }
    for group in &form.allowed {
        line("may have", dotted(group));
    }
    line("becomes", becomes(row.machine));
    line("pipe", pipes(row.machine));
    line("latency class", classes(row.machine));
    text
}

fn machine_text(opcode: Opcode) -> String {
    let info = opcode.info();
    let kind =
        if info.latency.is_variable() { "variable, by a wait counter" } else { "fixed, by stall counts" };
    format!(
        "{} (machine): {}\n  {:<14} {}\n  {:<14} {} ({kind})\n{}",
        info.name,
        info.meaning,
        "pipe",
        info.pipe,
        "latency class",
        info.latency,
        if is_executed(opcode) {
            ""
        } else {
            "  runs           no: it is read, and a kernel with it is refused\n"
        }
    )
}

fn yes(holds: bool) -> String {
    if holds { "yes" } else { "no" }.to_owned()
}

fn dotted(names: &[&str]) -> String {
    names.iter().map(|name| format!(".{name}")).collect::<Vec<_>>().join(" ")
}

/// `shf.{l,r}.{clamp,wrap}.type d, a, b, c`.
fn ptx_form(opcode: PtxOpcode) -> String {
    let form = warplab_ptx::form(opcode);
    let mut text = opcode.name().to_owned();
    for group in form.needed.iter().filter(|group| group.len() <= SHOWN_IN_FORM) {
        text.push_str(&if let [name] = group.as_slice() {
            format!(".{name}")
        } else {
            format!(".{{{}}}", group.join(","))
        });
    }
    if form.needed.iter().any(|group| group.len() > SHOWN_IN_FORM) {
        text.push_str(".op");
    }
    if !form.types.is_empty() {
        text.push_str(".type");
    }
    for (index, operand) in form.operands.iter().enumerate() {
        text.push_str(if index == 0 { " " } else { ", " });
        text.push_str(&if index < form.required { operand.clone() } else { format!("{{{operand}}}") });
    }
    text
}

fn becomes(machine: &[Opcode]) -> String {
    if machine.is_empty() {
        return "nothing".to_owned();
    }
    machine.iter().map(|opcode| opcode.name()).collect::<Vec<_>>().join(" ")
}

fn pipes(machine: &[Opcode]) -> String {
    distinct(machine.iter().map(|opcode| opcode.info().pipe.name()))
}

fn classes(machine: &[Opcode]) -> String {
    distinct(machine.iter().map(|opcode| opcode.info().latency.name()))
}

fn distinct(names: impl Iterator<Item = &'static str>) -> String {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen.join(" ")
}

/// The table of PTX instructions, with all their modifiers or without.
fn instructions_of_ptx(modifiers: bool) -> Table {
    let mut heads = vec![("form", Align::Left), ("types", Align::Left), ("meaning", Align::Left)];
    if modifiers {
        heads.push(("modifiers", Align::Left));
    }
    heads.extend([("becomes", Align::Left), ("pipe", Align::Left), ("latency class", Align::Left)]);
    let mut table = Table::new(heads);
    for &opcode in PtxOpcode::ALL {
        let row = describe(opcode);
        let types = warplab_ptx::form(opcode).types.join(" ");
        let machine = row.machine;
        let mut cells = vec![ptx_form(opcode), types, row.meaning.to_owned()];
        if modifiers {
            cells.push(modifiers_of(opcode));
        }
        cells.extend([becomes(machine), pipes(machine), classes(machine)]);
        table.row(cells);
    }
    table
}

/// All modifiers beside types: groups of which one must be written, then those that may be.
fn modifiers_of(opcode: PtxOpcode) -> String {
    let form = warplab_ptx::form(opcode);
    let needed = form.needed.iter().map(|group| format!("one of {}", dotted(group)));
    let allowed = form.allowed.iter().map(|group| dotted(group));
    needed.chain(allowed).collect::<Vec<_>>().join("; ")
}

fn machine_table() -> Table {
    let mut table = Table::new([
        ("instruction", Align::Left),
        ("meaning", Align::Left),
        ("pipe", Align::Left),
        ("latency class", Align::Left),
        ("latency", Align::Left),
        ("runs", Align::Left),
    ]);
    for opcode in Opcode::ALL {
        let info = opcode.info();
        let kind = if info.latency.is_variable() { "variable" } else { "fixed" };
        let runs = yes(is_executed(*opcode));
        table.row([info.name, info.meaning, info.pipe.name(), info.latency.name(), kind, &runs]);
    }
    table
}

/// The page of the manual.
fn page() -> String {
    format!(
        "# Instructions\n\nThis page is written by `warplab isa --markdown` from the tables that read and execute the \
         instructions. Do not edit it.\n\n## PTX\n\nOperands: `d` a result, `p|q` predicates, `a b c` sources, `r` a \
         predicate read; those in braces may be left out. *becomes*: every machine instruction that one of its forms becomes; BSSY and BSYNC \
         stand around branches that lanes take differently. *runs*: a kernel with an instruction that does not run is refused. Modifiers \
         of one instruction: `warplab isa NAME`. A warp is 32 lanes here on every machine: where warps have 64, two such rows \
         execute together, and masks, lane numbers, shuffles and votes are those of a row.\n\n{}\n## Machine\n\nA documented subset of SASS. Fixed \
         latencies are counted by the compiler in stall counts; variable ones are waited for with wait counters.\n\n{}",
        instructions_of_ptx(true).markdown(),
        machine_table().markdown()
    )
}
