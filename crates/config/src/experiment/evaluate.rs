//! The points of an experiment, their settings, and the values of columns.

use super::expression::ColumnLeaf;
use super::{AxisValue, Experiment, Expression, Piece, Template};
use crate::expression::{Evaluate, Literal, MathFunction, Operator, WholeFunction, single};
use std::collections::BTreeMap;

/// One combination of values of the axes.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentPoint {
    /// The value of each axis, in the order of the axes.
    pub values: Vec<AxisValue>,
    /// Axes, what goes along with them, and constants, by name.
    pub names: BTreeMap<String, AxisValue>,
}

/// The most points that an experiment may have.
pub(crate) const MOST_POINTS: usize = 100_000;

impl Experiment {
    /// How many points there are, or that they are more than [`MOST_POINTS`], in a sentence.
    ///
    /// # Errors
    /// When there are more.
    pub fn count(&self) -> Result<usize, String> {
        let sizes = self.axes.iter().map(|axis| axis.values.len());
        let count = sizes.clone().try_fold(1_usize, usize::checked_mul);
        count.filter(|&count| count <= MOST_POINTS).ok_or_else(|| {
            let sizes: Vec<String> = sizes.map(|size| size.to_string()).collect();
            let count = count.map_or("too many to count".to_owned(), |count| count.to_string());
            format!("{} points are {count}; an experiment has at most {MOST_POINTS}", sizes.join(" x "))
        })
    }

    /// Every combination of the values of the axes, the last axis fastest; `full` takes the source's own size.
    #[must_use]
    pub fn points(&self, full: bool) -> Vec<ExperimentPoint> {
        let mut constants = self.constants.clone();
        if full {
            constants.extend(self.full.clone());
        }
        let constants = constants.into_iter().map(|(name, number)| (name, AxisValue::Number(number)));
        let mut points = vec![ExperimentPoint { values: Vec::new(), names: constants.collect() }];
        for axis in &self.axes {
            let of_axis = |point: &ExperimentPoint, index: usize| {
                let mut point = point.clone();
                point.values.push(axis.values[index].clone());
                point.names.insert(axis.name.clone(), axis.values[index].clone());
                for (name, values) in &axis.with {
                    if let Some(value) = values.get(index) {
                        point.names.insert(name.clone(), value.clone());
                    }
                }
                point
            };
            points = points
                .iter()
                .flat_map(|point| {
                    (0..axis.values.len()).map(|index| of_axis(point, index)).collect::<Vec<_>>()
                })
                .collect();
        }
        points
    }

    /// The settings of a point, filled.
    #[must_use]
    pub fn settings(&self, point: &ExperimentPoint) -> BTreeMap<String, String> {
        self.set.iter().map(|(name, template)| (name.clone(), fill(template, point))).collect()
    }

    /// Whether a point has one of the values that are wanted of every axis that `at` names.
    #[must_use]
    pub fn selects(&self, at: &BTreeMap<String, Vec<AxisValue>>, point: &ExperimentPoint) -> bool {
        at.iter().all(|(axis, wanted)| point.names.get(axis).is_some_and(|value| wanted.contains(value)))
    }

    /// The point that equals this one but for some axes.
    #[must_use]
    pub fn elsewhere(
        &self,
        points: &[ExperimentPoint],
        point: &ExperimentPoint,
        changes: &BTreeMap<String, AxisValue>,
    ) -> Option<usize> {
        let place = self.axes.iter().zip(&point.values).try_fold(0_usize, |place, (axis, value)| {
            let wanted = changes.get(&axis.name).unwrap_or(value);
            let index = axis.values.iter().position(|value| value == wanted)?;
            place.checked_mul(axis.values.len())?.checked_add(index)
        })?;
        (place < points.len()).then_some(place)
    }
}

/// Expressions as texts; a number that is whole has no point.
fn fill(template: &Template, point: &ExperimentPoint) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Expression(expression, _) => match point.names.get(expression.text().trim()) {
            Some(value) => value.to_string(),
            None => {
                let mut scope = Scope {
                    names: &point.names,
                    metrics: &|_| None,
                    columns: &|_| None,
                    at: &|_, _, _| None,
                };
                scope
                    .value(&expression.root)
                    .map_or_else(|Missing| "n/a".to_owned(), |number| number.to_string())
            }
        },
    };
    template.pieces().iter().map(piece).collect()
}

/// The columns of all points, computed one after the other.
#[derive(Debug)]
pub struct Columns<'a> {
    experiment: &'a Experiment,
    points: &'a [ExperimentPoint],
    values: BTreeMap<String, Vec<Option<f64>>>,
}

impl<'a> Columns<'a> {
    /// All columns; `metric` gives what was measured at a point by its number.
    pub fn new(
        experiment: &'a Experiment,
        points: &'a [ExperimentPoint],
        metric: &dyn Fn(usize, &str) -> Option<f64>,
    ) -> Columns<'a> {
        let mut columns = Columns { experiment, points, values: BTreeMap::new() };
        for column in &experiment.columns {
            let values =
                (0..points.len()).map(|index| columns.value(&column.of, index, &|id| metric(index, id)));
            let values = values.collect();
            columns.values.insert(column.name.clone(), values);
        }
        columns
    }

    /// The values of a column, by point; none where something that it needs is missing.
    #[must_use]
    pub fn of(&self, column: &str) -> &[Option<f64>] {
        self.values.get(column).map_or(&[], Vec::as_slice)
    }

    /// The value of an expression at a point; `metric` gives its metrics.
    #[must_use]
    pub fn value(
        &self,
        expression: &Expression,
        index: usize,
        metric: &dyn Fn(&str) -> Option<f64>,
    ) -> Option<f64> {
        let point = &self.points[index];
        let mut scope = Scope {
            names: &point.names,
            metrics: metric,
            columns: &|name| *self.values.get(name)?.get(index)?,
            at: &|column, axis, value| {
                let changes = BTreeMap::from([(axis.to_owned(), value.clone())]);
                let there = self.experiment.elsewhere(self.points, point, &changes)?;
                *self.values.get(column)?.get(there)?
            },
        };
        scope.value(&expression.root).ok()
    }
}

/// What the names of an expression mean.
struct Scope<'a> {
    names: &'a BTreeMap<String, AxisValue>,
    metrics: &'a dyn Fn(&str) -> Option<f64>,
    columns: &'a dyn Fn(&str) -> Option<f64>,
    at: &'a dyn Fn(&str, &str, &AxisValue) -> Option<f64>,
}

/// That something is missing, or a number is not finite.
struct Missing;

impl Evaluate<ColumnLeaf> for Scope<'_> {
    type Value = f64;
    type Fault = Missing;

    fn number(&self, literal: &Literal) -> f64 {
        literal.double
    }

    fn leaf(&mut self, leaf: &ColumnLeaf) -> Result<f64, Missing> {
        let found = match leaf {
            ColumnLeaf::Name(name) => match self.names.get(name) {
                Some(AxisValue::Number(number)) => Some(*number),
                Some(AxisValue::Text(_)) => None,
                None => (self.columns)(name),
            },
            ColumnLeaf::Metric(id) => (self.metrics)(id),
            ColumnLeaf::At { column, axis, value } => (self.at)(column, axis, value),
        };
        found.ok_or(Missing)
    }

    fn negate(&self, value: f64) -> Result<f64, Missing> {
        Ok(-value)
    }

    fn binary(&self, operator: Operator, left: f64, right: f64) -> Result<f64, Missing> {
        let truth = |holds: bool| f64::from(u8::from(holds));
        Ok(match operator {
            Operator::Add => left + right,
            Operator::Subtract => left - right,
            Operator::Multiply => left * right,
            Operator::Divide => left / right,
            Operator::Remainder => left % right,
            Operator::Power => left.powf(right),
            Operator::Equal => truth(left == right),
            Operator::Less => truth(left < right),
            Operator::LessOrEqual => truth(left <= right),
            Operator::Greater => truth(left > right),
            Operator::GreaterOrEqual => truth(left >= right),
        })
    }

    fn call(&self, function: MathFunction, [a, b, c]: [f64; 3]) -> Result<f64, Missing> {
        Ok(match function {
            MathFunction::Whole(WholeFunction::Min) => a.min(b),
            MathFunction::Whole(WholeFunction::Max) => a.max(b),
            MathFunction::Whole(WholeFunction::Abs) => a.abs(),
            MathFunction::Sqrt => a.sqrt(),
            MathFunction::Log2 => a.log2(),
            MathFunction::Floor => a.floor(),
            MathFunction::Ceil => a.ceil(),
            MathFunction::Round => a.round(),
            MathFunction::Fma => a.mul_add(b, c),
            MathFunction::F32 => single(a),
            MathFunction::F64 | MathFunction::Whole(WholeFunction::Select) => a,
        })
    }

    fn is_zero(&self, value: f64) -> bool {
        value == 0.0
    }

    fn checked(&self, value: f64) -> Result<f64, Missing> {
        if value.is_finite() { Ok(value) } else { Err(Missing) }
    }
}

#[cfg(test)]
mod tests {
    use super::Columns;
    use crate::load_experiment;
    use warplab_diagnostics::{Source, render};

    const SWEEP: &str = r#"(
        title: "t", source: "s", why: "w", kind: formula,
        constants: {"log_n": 4},
        full: {"log_n": 8},
        axes: [
            (name: "kind", values: ["a", "b"], with: {"weight": [10, 20]}),
            (name: "size", values: [1, 2]),
        ],
        set: {"gpu": "{kind}_{2^log_n / size}_{log_n}"},
        columns: [
            (name: "x", of: "weight * size + {m}"),
            (name: "share", of: "x / at(x, kind, 'a')"),
            (name: "missing", of: "sqrt(0 - x)"),
            (name: "chosen", of: "select(size == 1, 7, 2^3^0 + 9 % 4)"),
        ],
    )"#;

    #[test]
    fn points_are_all_combinations_and_columns_see_other_points() {
        let source = Source::new("sweep.ron", SWEEP);
        let sweep = load_experiment(&source).unwrap_or_else(|faults| panic!("{}", render(&source, &faults)));
        let points = sweep.points(false);
        let settings: Vec<String> = points.iter().map(|point| sweep.settings(point)["gpu"].clone()).collect();
        assert_eq!(settings, ["a_16_4", "a_8_4", "b_16_4", "b_8_4"]);
        assert_eq!(sweep.settings(&sweep.points(true)[3])["gpu"], "b_128_8");
        let columns = Columns::new(&sweep, &points, &|index, id| (id == "m").then_some(index as f64));
        assert_eq!(columns.of("x"), [10.0, 21.0, 22.0, 43.0].map(Some));
        assert_eq!(columns.of("share"), [Some(1.0), Some(1.0), Some(2.2), Some(43.0 / 21.0)]);
        assert_eq!(columns.of("missing"), [None; 4]);
        assert_eq!(columns.of("chosen"), [7.0, 3.0, 7.0, 3.0].map(Some));
    }
}
