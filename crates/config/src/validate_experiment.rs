//! What the form of an experiment cannot say: names that must exist, lists that must have a length.

use crate::check::allowed;
use crate::experiment::{
    Axis, AxisValue, Claim, Experiment, Expression, Mention, Piece, ReasonPart, Reference, Template, Values,
    reason_parts, setting,
};
use crate::ron_tree::{Node, Value};
use std::collections::{BTreeMap, BTreeSet};
use warplab_diagnostics::{Diagnostic, Span};

/// Faults of an experiment; their places come from the tree that it was read from.
#[must_use]
pub(crate) fn validate_experiment(experiment: &Experiment, tree: &Node) -> Vec<Diagnostic> {
    let mut checker = Checker { experiment, tree, faults: Vec::new() };
    if let Err(message) = experiment.count() {
        checker.fault(
            tree.span_of("axes"),
            message,
            "leave values out, or make several experiments".to_owned(),
        );
        return checker.faults;
    }
    checker.axes();
    checker.constants();
    checker.settings();
    checker.columns();
    checker.base();
    for (at, reference) in experiment.references.iter().enumerate() {
        checker.reference(at, reference);
    }
    for (at, claim) in experiment.claims.iter().enumerate() {
        checker.claim(at, claim);
    }
    checker.plots();
    checker.faults
}

struct Checker<'a> {
    experiment: &'a Experiment,
    tree: &'a Node,
    faults: Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    fn fault(&mut self, span: Span, message: String, help: String) {
        self.faults.push(Diagnostic::error(span, message).with_label("here").with_help(help));
    }

    /// The place of a map's key, or of the map.
    fn key(&self, path: &[&str], key: &str) -> Span {
        let Some(node) = self.tree.find(path) else { return self.tree.span };
        let Value::Map(entries) = &node.value else { return node.span };
        let found = entries.iter().find(|(name, _)| name.value == Value::Text(key.to_owned()));
        found.map_or(node.span, |(name, _)| name.span)
    }

    /// The place of a part of a text in quotes.
    fn inside(&self, path: &str, part: Span) -> Span {
        let text = self.tree.span_of(path);
        let start = text.start as usize + 1;
        let range = part.range();
        Span::new(start + range.start, (start + range.end).min(text.end as usize))
    }

    /// Axes, what goes along with them, and constants.
    fn names(&self) -> Vec<&'a str> {
        let axes = self.experiment.axes.iter();
        axes.flat_map(|axis| std::iter::once(&axis.name).chain(axis.with.keys()))
            .chain(self.experiment.constants.keys())
            .map(String::as_str)
            .collect()
    }

    fn axis_names(&self) -> Vec<&'a str> {
        self.experiment.axes.iter().map(|axis| axis.name.as_str()).collect()
    }

    fn axes(&mut self) {
        let mut seen: BTreeSet<&str> = self.experiment.constants.keys().map(String::as_str).collect();
        for (at, axis) in self.experiment.axes.iter().enumerate() {
            for name in std::iter::once(&axis.name).chain(axis.with.keys()) {
                if !seen.insert(name) {
                    let span = self.tree.span_of(&format!("axes.{at}.name"));
                    self.fault(span, format!("'{name}' is there twice"), "give each its own name".into());
                }
            }
            if axis.values.is_empty() {
                let span = self.tree.span_of(&format!("axes.{at}.values"));
                self.fault(
                    span,
                    format!("the axis '{}' has no value", axis.name),
                    "give at least one".into(),
                );
            }
            for (name, values) in axis.with.iter().filter(|(_, values)| values.len() != axis.values.len()) {
                let at = at.to_string();
                let span = self.key(&["axes", &at, "with"], name);
                let message = format!(
                    "'{name}' has {} values, the axis '{}' has {}",
                    values.len(),
                    axis.name,
                    axis.values.len()
                );
                self.fault(span, message, "one value goes along with each value of the axis".into());
            }
            self.labels(at, axis);
        }
    }

    fn labels(&mut self, at: usize, axis: &Axis) {
        let (labels, values) = (axis.labels.len(), axis.values.len());
        if labels != 0 && labels != values {
            let span = self.tree.span_of(&format!("axes.{at}.labels"));
            let message = format!("the axis '{}' has {values} values and labels for {labels}", axis.name);
            self.fault(span, message, "one label for each value of the axis, or none".into());
        }
    }

    fn constants(&mut self) {
        let known: Vec<&str> = self.experiment.constants.keys().map(String::as_str).collect();
        for name in self.experiment.full.keys().filter(|name| !known.contains(&name.as_str())) {
            let span = self.key(&["full"], name);
            self.fault(span, format!("there is no constant '{name}'"), allowed(Some(name), &known));
        }
    }

    fn settings(&mut self) {
        for (name, template) in &self.experiment.set {
            if let Err((message, help)) = setting(self.experiment.kind, name) {
                let span = self.key(&["set"], name);
                self.fault(span, message, help);
            }
            self.template(name, template);
        }
    }

    fn template(&mut self, setting: &str, template: &Template) {
        let known = self.names();
        let mut faults = Vec::new();
        for piece in template.pieces() {
            let Piece::Expression(expression, start) = piece else { continue };
            for mention in expression.names().iter().filter(|mention| !known.contains(&mention.name.as_str()))
            {
                let node = self.tree.find(&["set", setting]).map_or(self.tree.span, |node| node.span);
                let at = node.start as usize + 1 + start + mention.span.start as usize;
                let message = format!("there is no axis or constant '{}'", mention.name);
                let span = Span::new(at, at + mention.name.len());
                faults.push((span, message, allowed(Some(&mention.name), &known)));
            }
        }
        faults.into_iter().for_each(|(span, message, help)| self.fault(span, message, help));
    }

    fn columns(&mut self) {
        let mut known: Vec<&str> = self.names();
        let mut faults = Vec::new();
        for (at, column) in self.experiment.columns.iter().enumerate() {
            if known.contains(&column.name.as_str()) {
                let span = self.tree.span_of(&format!("columns.{at}.name"));
                let message = format!("'{}' is there twice", column.name);
                faults.push((span, message, "give each its own name".to_owned()));
            }
            let path = format!("columns.{at}.of");
            for mention in unknown(&column.of, &known) {
                let message = format!("there is no axis, constant or earlier column '{}'", mention.name);
                let span = self.inside(&path, mention.span);
                faults.push((span, message, allowed(Some(&mention.name), &known)));
            }
            known.push(&column.name);
        }
        faults.into_iter().for_each(|(span, message, help)| self.fault(span, message, help));
    }

    /// Axes that are named, and values that they have.
    fn selection<'v>(&mut self, path: &[&str], at: impl Iterator<Item = (&'v String, Vec<&'v AxisValue>)>) {
        for (name, values) in at {
            let span = self.key(path, name);
            let Some(axis) = self.experiment.axes.iter().find(|axis| axis.name == *name) else {
                let help = allowed(Some(name), &self.axis_names());
                self.fault(span, format!("there is no axis '{name}'"), help);
                continue;
            };
            for value in values.into_iter().filter(|value| !axis.values.contains(value)) {
                let known: Vec<String> = axis.values.iter().map(ToString::to_string).collect();
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                let text = value.to_string();
                let wrong = matches!(value, AxisValue::Text(_)).then_some(text.as_str());
                let help = allowed(wrong, &known);
                self.fault(span, format!("the axis '{name}' has no value '{value}'"), help);
            }
        }
    }

    fn base(&mut self) {
        let base = &self.experiment.base;
        self.selection(&["base"], base.iter().map(|(name, value)| (name, vec![value])));
    }

    fn lists(&mut self, path: &[&str], at: &BTreeMap<String, Vec<AxisValue>>) {
        self.selection(path, at.iter().map(|(name, values)| (name, values.iter().collect())));
    }

    fn column_name(&mut self, path: &str, name: &str, or_axes: bool) {
        let mut known: Vec<&str> = if or_axes { self.names() } else { Vec::new() };
        known.extend(self.experiment.columns.iter().map(|column| column.name.as_str()));
        if !known.contains(&name) {
            let help = allowed(Some(name), &known);
            self.fault(self.tree.span_of(path), format!("there is no column '{name}'"), help);
        }
    }

    /// Axes, constants and columns.
    fn names_and_columns(&self) -> Vec<&'a str> {
        let columns = self.experiment.columns.iter().map(|column| column.name.as_str());
        self.names().into_iter().chain(columns).collect()
    }

    /// An expression over the finished table.
    fn over_columns(&mut self, span: Span, expression: &Expression) {
        let known = self.names_and_columns();
        for mention in unknown(expression, &known) {
            let name = &mention.name;
            let help = allowed(Some(name), &known);
            self.fault(span, format!("there is no axis, constant or column '{name}'"), help);
        }
        if let Some(metric) = expression.metrics().first() {
            let message = format!("the metric '{}' cannot be used here", metric.name);
            self.fault(span, message, "make a column of it and name the column".into());
        }
    }

    /// The columns that a reason names.
    fn reason(&mut self, path: &str, reason: Option<&str>) {
        for part in reason.map(reason_parts).unwrap_or_default() {
            if let ReasonPart::Column(name) = part {
                self.column_name(path, name, false);
            }
        }
    }

    fn claim(&mut self, at: usize, claim: &Claim) {
        let number = at.to_string();
        self.reason(&format!("claims.{at}.deviates"), claim.deviates.as_deref());
        self.lists(&["claims", &number, "at"], &claim.at);
        self.over_columns(self.tree.span_of(&format!("claims.{at}.holds")), &claim.holds);
    }

    fn reference(&mut self, at: usize, reference: &Reference) {
        if reference.known.is_some() && reference.deviates.is_some() {
            self.fault(
                self.tree.span_of(&format!("references.{at}.deviates")),
                "a reference is missed for one reason, and this one has two".into(),
                "'known' if the source is at fault, 'deviates' if the simulator is".into(),
            );
        }
        self.reason(&format!("references.{at}.known"), reference.known.as_deref());
        self.reason(&format!("references.{at}.deviates"), reference.deviates.as_deref());
        self.column_name(&format!("references.{at}.column"), &reference.column, false);
        let number = at.to_string();
        self.lists(&["references", &number, "at"], &reference.at);
        let selects = |point: &&_| self.experiment.selects(&reference.at, point);
        let points = self.experiment.points(false).iter().filter(selects).count();
        let span = self.tree.span_of(&format!("references.{at}.values"));
        match &reference.values {
            Values::List(values) if values.len() != points => {
                let message = format!("{} values for {points} points", values.len());
                self.fault(
                    span,
                    message,
                    "one value for every point in order; None where there is none".into(),
                );
            }
            Values::Formula(expression) => self.over_columns(span, expression),
            _ => {}
        }
    }

    fn plots(&mut self) {
        for (at, plot) in self.experiment.plots.iter().enumerate() {
            self.column_name(&format!("plots.{at}.x"), &plot.x, true);
            self.column_name(&format!("plots.{at}.y"), &plot.y, false);
            if let Some(roof) = &plot.roof {
                self.column_name(&format!("plots.{at}.roof.peak"), &roof.peak, false);
                self.column_name(&format!("plots.{at}.roof.slope"), &roof.slope, false);
            }
            let axes = self.axis_names();
            if let Some(series) = plot.series.as_deref().filter(|series| !axes.contains(series)) {
                let help = allowed(Some(series), &axes);
                let span = self.tree.span_of(&format!("plots.{at}.series"));
                self.fault(span, format!("there is no axis '{series}'"), help);
            }
            let number = at.to_string();
            self.lists(&["plots", &number, "at"], &plot.at);
        }
    }
}

fn unknown<'a>(expression: &'a Expression, known: &'a [&str]) -> impl Iterator<Item = &'a Mention> {
    expression.names().iter().filter(|mention| !known.contains(&mention.name.as_str()))
}
