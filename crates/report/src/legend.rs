//! A legend: signs with names, side by side in as many lines as they need.

use crate::svg::{Anchor, Svg, text_width};

/// Height of a line.
pub(crate) const LINE: f64 = 20.0;
/// Room of a sign.
const SIGN_WIDTH: f64 = 22.0;
/// Room between two names.
const GAP: f64 = 16.0;
const SIZE: f64 = 13.0;

/// What draws a sign around a middle.
pub(crate) type Sign<'a> = Box<dyn Fn(&mut Svg, (f64, f64)) + 'a>;

/// A sign and its name.
pub(crate) struct Item<'a> {
    /// The sign.
    pub(crate) sign: Sign<'a>,
    /// What it stands for.
    pub(crate) name: String,
}

/// Items in lines of a width.
pub(crate) struct Legend<'a> {
    lines: Vec<Vec<(Item<'a>, f64)>>,
}

impl<'a> Legend<'a> {
    /// The items in as many lines as they need.
    pub(crate) fn new(items: Vec<Item<'a>>, width: f64) -> Legend<'a> {
        let mut lines: Vec<Vec<(Item<'a>, f64)>> = Vec::new();
        let mut used = 0.0;
        for item in items {
            let own = SIGN_WIDTH + text_width(&item.name, SIZE) + GAP;
            if lines.is_empty() || used + own > width + GAP {
                lines.push(Vec::new());
                used = 0.0;
            }
            if let Some(line) = lines.last_mut() {
                line.push((item, used));
            }
            used += own;
        }
        Legend { lines }
    }

    /// How high it is.
    pub(crate) fn height(&self) -> f64 {
        LINE * self.lines.len() as f64
    }

    /// Draws it with its upper left corner at a place.
    pub(crate) fn draw(&self, svg: &mut Svg, (left, top): (f64, f64)) {
        for (number, line) in self.lines.iter().enumerate() {
            let y = top + LINE * (number as f64 + 0.5);
            for (item, x) in line {
                (item.sign)(svg, (left + x + SIGN_WIDTH * 0.4, y));
                svg.text((left + x + SIGN_WIDTH, y + 4.5), SIZE, Anchor::Start, &item.name);
            }
        }
    }
}
