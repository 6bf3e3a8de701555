//! What happened when, as SVG: lanes of coloured boxes over time, at one scale in all panels of a picture. Long stretches in
//! which nothing changes are folded, and what is too long for a line goes on in the next.

mod axis;
mod draw;
#[cfg(test)]
mod tests;

pub use draw::tracks_svg;

/// A picture of lanes over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracks {
    /// The title.
    pub title: String,
    /// What time is counted in.
    pub unit: String,
    /// What is shown side by side at one scale, each with its own lanes.
    pub panels: Vec<Panel>,
    /// What the boxes are: colour and name.
    pub colours: Vec<(&'static str, String)>,
    /// What the letters are.
    pub letters: Vec<(char, String)>,
    /// At least so many units without a change are folded; nothing for an even axis.
    pub fold: Option<u64>,
}

/// Some lanes with a head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Panel {
    /// Its head; empty for the only one.
    pub title: String,
    /// Its lanes, from above.
    pub lanes: Vec<Lane>,
}

/// A lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// Its name.
    pub name: String,
    /// Whether it sums up the lanes below: it is drawn on a band, and its boxes are marked on the axis.
    pub heads: bool,
    /// What is in it.
    pub boxes: Vec<TrackBox>,
}

/// A stretch of time in a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackBox {
    /// Its first unit of time.
    pub from: u64,
    /// One past the last.
    pub to: u64,
    /// Its colour.
    pub colour: &'static str,
    /// The letter in it, where there is room.
    pub letter: Option<char>,
    /// What is said when a pointer rests on it.
    pub says: String,
}
