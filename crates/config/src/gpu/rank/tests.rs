use super::{RankFormula, RankInput, RankOperator, RankSource};
use crate::expression::{Operator, WholeFunction};

fn read(text: &str) -> RankFormula {
    text.parse().unwrap()
}

fn fault(text: &str) -> (String, std::ops::Range<usize>) {
    let fault = text.parse::<RankFormula>().map(|_| ()).unwrap_err();
    (fault.message, fault.span.range())
}

const KNOWN: &str = "age, order, slot, block, issued, since_issue, loads, global, issued_last, last, ready_now, yielded, cycle, never, first";

#[test]
fn a_formula_becomes_a_flat_program_that_computes_nothing_twice() {
    let code = read("select(slot > last, slot, slot + 64) + (slot + 64)").rank().clone();
    let (slot, last) = (RankSource::Input(RankInput::Slot), RankSource::Input(RankInput::Last));
    assert_eq!(code.sources, [slot, last, RankSource::Number(64)]);
    let steps: Vec<_> = code.steps.iter().map(|step| (step.operator, step.operands)).collect();
    assert_eq!(
        steps,
        [
            (RankOperator::Binary(Operator::Greater), [0, 1, 0]),
            (RankOperator::Binary(Operator::Add), [0, 2, 0]),
            (RankOperator::Call(WholeFunction::Select), [3, 0, 4]),
            (RankOperator::Binary(Operator::Add), [5, 4, 5]),
        ]
    );
    assert_eq!(code.result, 6);
}

#[test]
fn only_a_formula_that_says_never_holds_back() {
    assert!(!read("age").holds_back());
    assert!(read("select(loads > 2, never, age)").holds_back());
    assert!(!read("keep n = 0 then select(n > 3, never, n + 1); age").holds_back());
}

#[test]
fn a_formula_with_time_in_it_is_known() {
    assert!(!read("age + loads").is_timed());
    assert!(read("cycle % 2").is_timed() && read("-since_issue").is_timed());
}

#[test]
fn kept_values_have_a_start_and_a_successor() {
    let formula = read("keep limit = -4 then limit + 1; keep warp mine = 2 then mine * limit; mine");
    let kept: Vec<_> = formula.keeps().iter().map(|keep| (keep.of_warp, keep.start)).collect();
    assert_eq!(kept, [(false, -4), (true, 2)]);
    assert_eq!(formula.rank().sources, [RankSource::Kept { at: 1, of_warp: true }]);
}

#[test]
fn a_fault_says_where_it_is_and_which_names_there_are() {
    let known = format!("unknown name 'agee'; did you mean 'age'? known: {KNOWN}");
    assert_eq!(fault("2 * agee"), (known, 4..8));
    let functions = "unknown function 'sqrt'; known: min, max, abs, select".to_owned();
    assert_eq!(fault("1 + sqrt(age)"), (functions, 4..8));
    assert_eq!(fault("age + 0.5"), ("ranks are whole numbers of at most 64 bits".to_owned(), 6..9));
    let end = "expected a whole number, a name or '(', found the end of the formula".to_owned();
    assert_eq!(fault("age +"), (end, 5..5));
    assert_eq!(fault("keep x = 1 then x; "), (fault("").0, 19..19));
    assert_eq!(fault("keep x = 1; x"), ("expected 'then', found ';'".to_owned(), 10..11));
    let taken = format!("'age' has a meaning already; known: {KNOWN}");
    assert_eq!(fault("keep age = 1 then 2; age"), (taken, 5..8));
}

#[test]
fn a_formula_that_is_too_long_is_refused() {
    let long = (0..60)
        .map(|n| format!("({} + {n})", ["slot * age"; 30].join(" + ")))
        .collect::<Vec<_>>()
        .join(" + ");
    assert!(long.parse::<RankFormula>().is_ok(), "what is the same is computed once");
    let term = |n: u32| (0..40).map(|m| (n * 40 + m).to_string()).collect::<Vec<_>>().join(" + ");
    let long = (0..10).map(|n| format!("({})", term(n))).collect::<Vec<_>>().join(" + ");
    assert_eq!(fault(&long).0, "a rank has at most 256 numbers, names and operators");
}
