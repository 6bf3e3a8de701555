//! Ordinary tables.

use comfy_table::{CellAlignment, ContentArrangement, Table as Grid, presets};

/// How the cells of a column are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table of text.
#[derive(Clone, Debug)]
pub struct Table {
    heads: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
    width: Option<u16>,
}

impl Table {
    /// An empty table with these columns.
    pub fn new<'a>(heads: impl IntoIterator<Item = (&'a str, Align)>) -> Table {
        let heads = heads.into_iter().map(|(head, align)| (head.to_owned(), align)).collect();
        Table { heads, rows: Vec::new(), width: None }
    }

    /// The same, its cells broken into lines so that it is at most this wide.
    #[must_use]
    pub fn within(mut self, width: u16) -> Table {
        self.width = Some(width);
        self
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The heads of its columns.
    pub fn heads(&self) -> impl Iterator<Item = (&str, Align)> {
        self.heads.iter().map(|(head, align)| (head.as_str(), *align))
    }

    /// The cells of its rows.
    #[must_use]
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// The table as text, columns under a rule, without a frame.
    #[must_use]
    pub fn text(&self) -> String {
        let mut grid = Grid::new();
        grid.load_style(presets::NOTHING);
        grid.set_header(self.heads.iter().map(|(head, _)| head.as_str()));
        grid.add_rows(self.rows.iter().map(|row| row.iter().map(String::as_str)));
        match self.width {
            Some(width) => grid.set_content_arrangement(ContentArrangement::Dynamic).set_width(width),
            None => grid.set_content_arrangement(ContentArrangement::Disabled),
        };
        for (index, (_, align)) in self.heads.iter().enumerate() {
            if let Some(column) = grid.column_mut(index) {
                column.set_cell_alignment(match align {
                    Align::Left => CellAlignment::Left,
                    Align::Right => CellAlignment::Right,
                });
                column.set_padding((0, 2));
            }
        }
        grid.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    /// The table as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let escaped = |cell: &String| cell.replace('|', "\\|");
        let mut text = line(self.heads.iter().map(|(head, _)| head.clone()).collect());
        text.push_str(&line(
            self.heads
                .iter()
                .map(|(_, align)| if *align == Align::Left { "---" } else { "---:" }.to_owned())
                .collect(),
        ));
        for row in &self.rows {
            text.push_str(&line(row.iter().map(escaped).collect()));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{Align, Table};

    fn table() -> Table {
        let mut table = Table::new([("name", Align::Left), ("count", Align::Right)]);
        table.row(["alpha", "1"]);
        table.row(["b|c", "1,000"]);
        table
    }

    #[test]
    fn columns_are_aligned_and_lines_have_no_trailing_space() {
        assert_eq!(table().text(), "name   count\nalpha      1\nb|c    1,000\n");
    }

    #[test]
    fn markdown_escapes_bars() {
        assert_eq!(
            table().markdown(),
            "| name | count |\n| --- | ---: |\n| alpha | 1 |\n| b\\|c | 1,000 |\n"
        );
    }
}
