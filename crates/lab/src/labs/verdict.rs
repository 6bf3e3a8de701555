//! A prediction or a check beside what was simulated.

use super::worksheet::Given;
use warplab_config::lab::{Answer, Condition, Hint, MetricCheck, Prediction};
use warplab_metrics::{integer_text, whole_number};

/// A prediction or a check beside what was simulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerVerdict {
    /// The name of the prediction in the worksheet; empty for checks.
    pub id: String,
    /// The question, or what must hold.
    pub text: String,
    /// What was predicted or wanted; empty for a blank.
    pub claim: String,
    /// What was simulated; empty where nothing was.
    pub simulated: String,
    /// The prediction minus what was simulated; empty for names and checks.
    pub difference: String,
    /// Whether it holds; a blank does not.
    pub holds: bool,
    /// Whether there is no answer yet, so that nothing was measured.
    pub blank: bool,
    /// What to think about, for wrong ones; what to do, for a program that is not changed yet.
    pub hint: Option<String>,
}

impl AnswerVerdict {
    /// Without an answer nothing is judged.
    pub(super) fn blank(id: &str, text: &str) -> AnswerVerdict {
        let nothing = String::new;
        let (id, text) = (id.to_owned(), text.to_owned());
        let (claim, simulated, difference) = (nothing(), nothing(), nothing());
        AnswerVerdict { id, text, claim, simulated, difference, holds: false, blank: true, hint: None }
    }

    /// A check of a program that the student has not changed yet.
    pub(super) fn unchanged(text: &str, copy: &str) -> AnswerVerdict {
        let hint =
            format!("{copy} is unchanged. It runs once you have changed it, or once all predictions hold.");
        AnswerVerdict { hint: Some(hint), ..AnswerVerdict::blank("", text) }
    }
}

/// A prediction beside what was measured of the runs of its answer, in their order.
pub(super) fn of_prediction(prediction: &Prediction, given: &Given, measured: &[f64]) -> AnswerVerdict {
    let (simulated, difference, holds) = match (&prediction.answer, given) {
        (Answer::Number { relative, absolute, more, .. }, Given::Number(number)) => {
            let simulated = quotient(measured);
            let difference = number - simulated;
            let near = difference.abs() <= absolute + relative * simulated.abs();
            let holds = near || (0.0..=*more).contains(&difference);
            (number_text(simulated), signed_text(difference), holds)
        }
        (Answer::Least { runs, .. }, given) => {
            let least = measured.iter().copied().fold(f64::INFINITY, f64::min);
            named(runs, measured, least, given)
        }
        (Answer::Most { runs, .. }, given) => {
            let most = measured.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            named(runs, measured, most, given)
        }
        // The worksheet was read with its lab: a number is asked for, and a number was given.
        (Answer::Number { .. }, Given::Name(_)) => (String::new(), String::new(), false),
    };
    AnswerVerdict {
        id: prediction.id.clone(),
        text: prediction.question.clone(),
        claim: given.to_string(),
        simulated,
        difference,
        holds,
        blank: false,
        hint: (!holds).then(|| hint(&prediction.hints, &prediction.otherwise, given)),
    }
}

/// The number of the first run, divided by that of the second if there are two.
fn quotient(measured: &[f64]) -> f64 {
    match measured {
        [one, other] => one / other,
        _ => measured.first().copied().unwrap_or(f64::NAN),
    }
}

/// The names of the runs that reach the best value, and whether the given one is among them.
fn named(runs: &[String], measured: &[f64], best: f64, given: &Given) -> (String, String, bool) {
    let winners: Vec<&str> =
        runs.iter().zip(measured).filter(|&(_, &value)| value == best).map(|(run, _)| run.as_str()).collect();
    let holds = matches!(given, Given::Name(name) if winners.contains(&name.as_str()));
    let text = format!("{} ({})", winners.join(", "), number_text(best));
    (text, String::new(), holds)
}

/// A check beside what was measured of its run, and of the other if there is one.
pub(super) fn of_check(check: &MetricCheck, measured: &[f64]) -> AnswerVerdict {
    let measured = quotient(measured);
    let holds = check.at_least.is_none_or(|least| measured >= least)
        && check.at_most.is_none_or(|most| measured <= most);
    let claim = match (check.at_least, check.at_most) {
        (Some(least), Some(most)) => format!("{} to {}", number_text(least), number_text(most)),
        (Some(least), None) => format!("at least {}", number_text(least)),
        (None, Some(most)) => format!("at most {}", number_text(most)),
        (None, None) => String::new(),
    };
    AnswerVerdict {
        id: String::new(),
        text: check.text.clone(),
        claim,
        simulated: number_text(measured),
        difference: String::new(),
        holds,
        blank: false,
        hint: (!holds).then(|| hint(&check.hints, &check.otherwise, &Given::Number(measured))),
    }
}

/// The first hint whose condition holds.
fn hint(hints: &[Hint], otherwise: &str, given: &Given) -> String {
    let holds = |condition: &Condition| match (condition, given) {
        (Condition::Below(bound), Given::Number(number)) => number < bound,
        (Condition::Above(bound), Given::Number(number)) => number > bound,
        (Condition::Between(least, most), Given::Number(number)) => (least..=most).contains(&number),
        (Condition::Is(name), Given::Name(given)) => name == given,
        _ => false,
    };
    hints.iter().find(|hint| holds(&hint.when)).map_or(otherwise, |hint| &hint.say).to_owned()
}

/// Whole numbers without a point, others with two places.
pub(super) fn number_text(number: f64) -> String {
    let rounded = (number * 100.0).round() / 100.0;
    if rounded.fract() != 0.0 || rounded.abs() >= 1e15 {
        return format!("{number:.2}");
    }
    let digits = integer_text(whole_number(rounded.abs()));
    if rounded < 0.0 { format!("-{digits}") } else { digits }
}

fn signed_text(number: f64) -> String {
    let text = number_text(number);
    if number > 0.0 && text != "0" { format!("+{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::{number_text, signed_text};

    #[test]
    fn numbers_are_written_as_people_write_them() {
        assert_eq!([1006.0, 5.25, -3.0, 0.004].map(number_text), ["1,006", "5.25", "-3", "0"]);
        assert_eq!([4.0, -4.0, 0.0].map(signed_text), ["+4", "-4", "0"]);
    }
}
