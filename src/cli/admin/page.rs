//! Pages of a list.

use clap::Args;

use crate::store::ReportPage;

/// The requested page of a list.
#[derive(Args)]
pub(crate) struct Page {
    /// The page of the list, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    page: u32,
    /// Rows on each page
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rows: u32,
}

impl Page {
    /// Returns the rows to read. There is one more than on the page, to detect whether there is a next page.
    pub(crate) fn to_read(&self) -> ReportPage {
        ReportPage { skip: (self.page - 1).saturating_mul(self.rows), most: self.rows + 1 }
    }

    /// Returns the rows to read from the complete list.
    pub(crate) fn of<T>(&self, rows: Vec<T>) -> Vec<T> {
        let ReportPage { skip, most } = self.to_read();
        rows.into_iter().skip(skip as usize).take(most as usize).collect()
    }

    /// Keeps only the rows of the page. Returns a note about the following rows, if any.
    pub(crate) fn cut<T>(&self, rows: &mut Vec<T>) -> Option<String> {
        let most = self.rows as usize;
        let more = rows.len() > most;
        rows.truncate(most);
        more.then(|| format!("There is more: --page {}\n", self.page + 1))
    }
}
