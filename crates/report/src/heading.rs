//! What stands above a figure: its title, in as many lines as it needs, and its legend.

use crate::legend::{Item, Legend};
use crate::svg::{Anchor, Svg, title_lines};

const SIZE: f64 = 16.0;
const LINE: f64 = 20.0;

/// Title and legend of a figure.
pub(crate) struct Heading<'a> {
    width: f64,
    margin: f64,
    title: Vec<String>,
    legend: Legend<'a>,
}

impl<'a> Heading<'a> {
    /// For a figure of a width, with a margin on all sides.
    pub(crate) fn new(title: &str, items: Vec<Item<'a>>, width: f64, margin: f64) -> Heading<'a> {
        let room = width - 2.0 * margin;
        Heading { width, margin, title: title_lines(title, SIZE, room), legend: Legend::new(items, room) }
    }

    /// Where it ends.
    pub(crate) fn bottom(&self) -> f64 {
        self.margin + LINE * self.title.len() as f64 + self.legend.height()
    }

    /// Draws it.
    pub(crate) fn draw(&self, svg: &mut Svg) {
        for (number, line) in self.title.iter().enumerate() {
            let y = self.margin + LINE * (number as f64 + 0.6);
            svg.text((self.width / 2.0, y), SIZE, Anchor::Middle, line);
        }
        self.legend.draw(svg, (self.margin, self.margin + LINE * self.title.len() as f64));
    }
}
