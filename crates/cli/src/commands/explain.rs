//! `warplab explain NAME`: what a word of a report means, from the registries.

use crate::commands::isa;
use crate::failure::{Failure, Outcome};
use crate::terminal::Terminal;
use warplab_config::gpu::{RankInput, SchedulerPolicy};
use warplab_diagnostics::nearest_name;
use warplab_metrics::{Metric, SECTIONS, Section, find_section, metrics};
use warplab_program::{LatencyClass, Opcode, Pipe};
use warplab_ptx::tree::Opcode as PtxOpcode;
use warplab_report::wrap;
use warplab_trace::WarpState;

/// Columns of the text.
const WIDTH: usize = 100;

const HAZARD: &str = "A register that an instruction reads, or overwrites, before its value is there: the stall counts \
    between the two are fewer cycles than the result takes, or its wait counter was not waited for. A real machine has \
    no scoreboard and computes with the old value; the simulator computes with the new one. 'warplab run FILE \
    --check-hazards' reports them.";

/// Prints what a name means.
pub(crate) fn run(name: &str, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let texts = explanations(name);
    if texts.is_empty() {
        let known = known_names();
        let near = nearest_name(name, known.iter().map(String::as_str));
        let near = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
        return Err(Failure::input(format!("nothing is known of '{name}'{near}")));
    }
    terminal.print(&texts.join("\n"))?;
    Ok(Outcome::Fine)
}

/// Everything that has this name.
fn explanations(name: &str) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let is = |other: &str| other.eq_ignore_ascii_case(name);
    texts.extend(WarpState::all().filter(|state| is(state.name()) || is(state.label())).map(state_text));
    if texts.is_empty() {
        texts.extend(metrics().filter(|metric| is(metric.id) || is(metric.label)).map(metric_text));
    }
    let titled = SECTIONS.iter().copied().find(|section| is(section.title));
    texts.extend(find_section(name).or(titled).map(section_text));
    let scheduler = SchedulerPolicy::ALL.into_iter().find(|policy| is(policy.name()) || is(policy.option()));
    texts.extend(scheduler.map(scheduler_text));
    let rank = "age".parse().map(SchedulerPolicy::Rank).ok();
    texts.extend(rank.filter(|_| is("rank")).map(scheduler_text));
    texts.extend(RankInput::ALL.into_iter().find(|input| is(input.name())).map(input_text));
    texts.extend(is("hazard").then(|| format!("hazard\n{}", paragraph(HAZARD))));
    texts.extend(Pipe::ALL.into_iter().find(|pipe| is(pipe.name())).map(pipe_text));
    texts.extend(LatencyClass::ALL.into_iter().find(|class| is(class.name())).map(class_text));
    texts.extend(isa::one(name));
    texts
}

fn known_names() -> Vec<String> {
    let states = WarpState::all().map(|state| state.name());
    let ids = metrics().flat_map(|metric| [metric.id, metric.label]);
    let sections = SECTIONS.iter().flat_map(|section| [section.name, section.title]);
    let inputs = RankInput::ALL.iter().map(|input| input.name());
    let schedulers = SchedulerPolicy::ALL.iter().map(SchedulerPolicy::name).chain(["rank"]).chain(inputs);
    let pipes =
        Pipe::ALL.iter().map(|pipe| pipe.name()).chain(LatencyClass::ALL.iter().map(|class| class.name()));
    let ptx = PtxOpcode::ALL.iter().map(|opcode| opcode.name());
    let machine = Opcode::ALL.iter().map(|opcode| opcode.name());
    let all = states
        .chain(["hazard"])
        .chain(ids)
        .chain(sections)
        .chain(schedulers)
        .chain(pipes)
        .chain(ptx)
        .chain(machine);
    all.map(str::to_owned).collect()
}

/// A text in indented lines.
fn paragraph(text: &str) -> String {
    wrap(text, WIDTH - 2).into_iter().map(|line| format!("  {line}\n")).collect()
}

fn state_text(state: WarpState) -> String {
    format!(
        "{} (warp state, '{}' in timelines)\n{}  metric: {}\n",
        state.name(),
        state.letter(),
        paragraph(state.description()),
        state.metric()
    )
}

fn metric_text(metric: &Metric) -> String {
    let unit = metric.unit.name();
    let section = SECTIONS.iter().find(|section| section.metrics.iter().any(|other| other.id == metric.id));
    format!(
        "{} (metric: {})\n{}  formula: {}\n  unit: {}\n  section: {}\n",
        metric.id,
        metric.label,
        paragraph(metric.description),
        metric.formula,
        if unit.is_empty() { "none" } else { unit },
        section.map_or("", |section| section.name)
    )
}

fn section_text(section: &Section) -> String {
    let rows: String =
        section.metrics.iter().map(|metric| format!("  {:<36} {}\n", metric.label, metric.id)).collect();
    format!("{} (section: {})\n{}{rows}", section.name, section.title, paragraph(section.description))
}

fn scheduler_text(policy: SchedulerPolicy) -> String {
    format!("{} (scheduler)\n{}", policy.name(), paragraph(policy.description()))
}

fn input_text(input: RankInput) -> String {
    format!("{} (in the formula of a scheduler)\n{}", input.name(), paragraph(input.description()))
}

fn pipe_text(pipe: Pipe) -> String {
    let names: Vec<&str> =
        Opcode::ALL.iter().filter(|opcode| opcode.info().pipe == pipe).map(|opcode| opcode.name()).collect();
    format!("{pipe} (pipe)\n{}", paragraph(&format!("Executes: {}", names.join(" "))))
}

fn class_text(class: LatencyClass) -> String {
    let names: Vec<&str> = Opcode::ALL
        .iter()
        .filter(|opcode| opcode.info().latency == class)
        .map(|opcode| opcode.name())
        .collect();
    let kind = if class.is_variable() {
        "Variable: waited for with a wait counter."
    } else {
        "Fixed: counted in stall counts."
    };
    let users = if names.is_empty() { "some forms of instructions".to_owned() } else { names.join(" ") };
    format!("{class} (latency class)\n{}", paragraph(&format!("{kind} Used by: {users}")))
}
