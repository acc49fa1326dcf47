//! Rows of tables as lines that can be read alone.

use super::clean::on_one_line;

/// A table while it is read, cell by cell.
#[derive(Debug, Default)]
pub(super) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    row: Vec<String>,
}

impl Table {
    /// Ends a cell of the current row.
    pub(super) fn cell(&mut self, text: &str) {
        self.row.push(on_one_line(text));
    }

    /// Ends the current row. The first header row names the columns.
    pub(super) fn end_row(&mut self, is_header: bool) {
        let row = std::mem::take(&mut self.row);
        if is_header && self.header.is_empty() && self.rows.is_empty() {
            self.header = row;
        } else {
            self.rows.push(row);
        }
    }

    /// Each row as `Column: cell | Column: cell`; empty cells are left out. A table of nothing but a header is
    /// that header.
    pub(super) fn lines(mut self) -> Vec<String> {
        if !self.row.is_empty() {
            self.end_row(false);
        }
        if self.rows.is_empty() {
            self.rows.push(std::mem::take(&mut self.header));
        }
        let header = self.header;
        let lines = self.rows.into_iter().map(|row| {
            let cells = row.iter().enumerate().filter(|(_, cell)| !cell.is_empty());
            let named =
                cells.map(|(column, cell)| match header.get(column).filter(|name| !name.is_empty()) {
                    Some(name) => format!("{name}: {cell}"),
                    None => cell.clone(),
                });
            named.collect::<Vec<_>>().join(" | ")
        });
        lines.filter(|line| !line.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_reads_alone() {
        let mut table = Table::default();
        for (row, header) in
            [(["Name", "", "Age"], true), (["Ann\n Lee", "x", "41"], false), (["Bo", "", ""], false)]
        {
            row.iter().for_each(|cell| table.cell(cell));
            table.end_row(header);
        }
        assert_eq!(table.lines(), ["Name: Ann Lee | x | Age: 41", "Name: Bo"]);
    }

    #[test]
    fn a_header_without_rows_is_not_lost() {
        let mut table = Table::default();
        table.cell("Name");
        table.end_row(true);
        assert_eq!(table.lines(), ["Name"]);
    }
}
