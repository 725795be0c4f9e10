//! Analyses in letters, answers and pictures.

use minijinja::value::Serde;
use minijinja::{Value, context};

use super::composer::Composer;
use crate::draw::curve::Curve;
use crate::draw::picture::Picture;
use crate::draw::{png, svg};
use crate::message;
use crate::service::{Analysis, BoardAnalysis};

/// The indentation of a curve in characters, so that its lines are not treated as prose.
const INDENT: &str = "    ";

/// The curve of an analysis, for a letter's text and its HTML part.
pub(crate) struct DrawnCurve {
    /// The lines that represent it in the text part.
    pub(crate) drawing: String,
    pub(crate) picture: Picture,
}

impl Composer {
    /// Returns the facts for the templates of an analysis.
    pub(crate) fn analysis_facts(&self, analysed: &BoardAnalysis) -> anyhow::Result<Value> {
        let curve = self.curve(analysed)?.map(|curve| curve.drawing);
        Ok(context! { curve, ..Value::from(Serde(analysed)) })
    }

    /// Returns the curve of an analysis, if the analysis is finished.
    pub(crate) fn curve(&self, analysed: &BoardAnalysis) -> anyhow::Result<Option<DrawnCurve>> {
        let BoardAnalysis { players: [first, _], analysis, .. } = analysed;
        let Some(Analysis { chances, mistakes, .. }) = analysis else { return Ok(None) };
        let title = self.curve_title(analysed)?;
        let heading = self.message(&message!("compose.curve-heading", first))?;
        let marked: Vec<usize> = mistakes.iter().map(|mistake| mistake.ply.0 as usize).collect();
        let curve = Curve { title: &title, heading: &heading, chances, marked: &marked };
        let drawing = curve.characters().lines().map(|line| format!("{INDENT}{line}")).collect::<Vec<_>>().join("\n");
        Ok(Some(DrawnCurve { drawing, picture: curve.picture() }))
    }

    /// Describes the curve of an analysis for readers who cannot see it.
    ///
    /// # Errors
    /// If the message cannot be put into words.
    pub fn curve_title(&self, analysed: &BoardAnalysis) -> anyhow::Result<String> {
        let BoardAnalysis { number, game, players: [first, second], .. } = analysed;
        self.message(&message!("compose.curve-title", game, number = *number, first, second))
    }

    /// Draws the curve of an analysis as SVG; `None` until the analysis is finished.
    ///
    /// # Errors
    /// If a message cannot be put into words.
    pub fn curve_svg(&self, analysed: &BoardAnalysis) -> anyhow::Result<Option<String>> {
        Ok(self.curve(analysed)?.map(|curve| svg::write(&curve.picture)))
    }

    /// Draws the curve of an analysis as PNG of this width.
    ///
    /// # Errors
    /// If a message cannot be put into words.
    pub fn curve_png(&self, analysed: &BoardAnalysis, width: u32) -> anyhow::Result<Option<Vec<u8>>> {
        Ok(self.curve(analysed)?.map(|curve| png::render(&curve.picture, width)))
    }
}
