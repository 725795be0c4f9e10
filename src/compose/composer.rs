//! The composer: creates the output of the command line and the text of pages from the templates.

use std::path::Path;

use minijinja::value::Serde;
use minijinja::{Value, context};

use super::lines::broken;
use super::pictures::Drawings;
use super::pictures::Pictures;
use super::pictures::{Reader, Shown};
use super::templates::Templates;
use crate::service::{BoardView, PuzzleView, Rejection, Response};
use crate::text::Message;

/// The templates, and the caches of pictures and drawings.
pub struct Composer {
    pub(crate) templates: Templates,
    pub(crate) pictures: Pictures,
    pub(crate) drawings: Drawings,
}

impl Composer {
    /// Creates a composer with the embedded templates, overridden by those of a directory, file by file. Links start
    /// with `url`, if the pages are public.
    ///
    /// # Errors
    /// Currently never, because a template is read when it is first used.
    pub fn new(templates: Option<&Path>, url: Option<&str>) -> anyhow::Result<Composer> {
        let templates = Templates::new(templates, url)?;
        Ok(Composer { templates, pictures: Pictures::default(), drawings: Drawings::default() })
    }

    /// Reads every template of the directory, to check in advance that they are usable.
    ///
    /// # Errors
    /// If the directory cannot be read, or a template does not parse. The error names the file and the line.
    pub fn check(&self) -> anyhow::Result<()> {
        self.templates.check()
    }

    /// Formats a response for the command line.
    ///
    /// # Errors
    /// If a template fails, or a board cannot be drawn.
    pub fn answer(&self, answer: &Response) -> anyhow::Result<String> {
        let mut answer = answer.clone();
        let reader = Reader::nobody();
        answer.boards_mut().iter_mut().try_for_each(|board| self.draw(board, reader.shown()))?;
        self.answer_to(&reader, &answer).map(|text| broken(&text))
    }

    /// Returns the text of an answer, with soft breaks.
    pub(crate) fn answer_to(&self, reader: &Reader, answer: &Response) -> anyhow::Result<String> {
        match answer {
            Response::Help { pages, default_options, .. } => {
                let options = |page: &String| default_options.get(page).map(String::as_str);
                let text = |page: &String| self.help_text(page, options(page), reader.shown());
                let pages = pages.iter().map(text).collect::<anyhow::Result<Vec<_>>>()?;
                Ok(pages.join("\n"))
            }
            Response::History { record, json: true, .. } => Ok(serde_json::to_string_pretty(record)? + "\n"),
            Response::Analysed(analysed) => {
                self.templates.fill_softly("answer/analysed.txt", reader.context(self.analysis_facts(analysed)?))
            }
            answer => {
                let facts = Value::from(Serde(answer));
                let name = facts.get_attr("answer")?;
                self.templates.fill_softly(&format!("answer/{name}.txt"), reader.context(facts))
            }
        }
    }

    /// Renders a web page by the name of its template.
    ///
    /// # Errors
    /// If a template fails.
    pub fn page(&self, name: &str, facts: Value) -> anyhow::Result<String> {
        self.templates.fill(&format!("web/{name}.html"), facts)
    }

    /// Renders a feed or a calendar by its name.
    ///
    /// # Errors
    /// If a template fails, or does not exist.
    pub fn feed(&self, name: &str, facts: Value) -> anyhow::Result<String> {
        self.templates.fill(&format!("feed/{name}"), facts)
    }

    /// Renders a file for pages by its name, such as the style sheet or the script.
    ///
    /// # Errors
    /// If a template fails, or does not exist.
    pub fn file(&self, name: &str) -> anyhow::Result<String> {
        self.templates.fill(&format!("web/{name}"), context! {})
    }

    /// Renders a message.
    ///
    /// # Errors
    /// If no message has this code, or a fact that its sentence needs is missing.
    pub fn message(&self, message: &Message) -> anyhow::Result<String> {
        self.templates.words(message)
    }

    /// Returns the codes of all known messages.
    pub fn message_codes(&self) -> impl Iterator<Item = &str> {
        self.templates.message_codes()
    }

    /// Formats a refusal for the command line.
    ///
    /// # Errors
    /// If a template fails, or the board cannot be drawn.
    pub fn refused(&self, refused: &Rejection) -> anyhow::Result<String> {
        let mut refused = refused.clone();
        let reader = Reader::nobody();
        refused.board.as_deref_mut().map_or(Ok(()), |board| self.draw(board, reader.shown()))?;
        self.refused_to(&reader, &refused, true).map(|text| broken(&text))
    }

    /// Prepares a response for programs: draws its boards, and renders its messages and help pages.
    ///
    /// # Errors
    /// If a template fails, or a board cannot be drawn.
    pub fn response_for_program(&self, mut response: Response) -> anyhow::Result<Response> {
        if matches!(response, Response::Help { .. }) {
            let shown = self.answer(&response)?;
            if let Response::Help { text, .. } = &mut response {
                *text = Some(shown);
            }
        }
        response.boards_mut().iter_mut().try_for_each(|board| self.board_for_program(board))?;
        if let Response::Puzzle(answer) = &mut response {
            answer.puzzle = self.puzzle_for_program(answer.puzzle.clone())?;
        }
        if let Response::Planned { plan, .. } = &mut response {
            for never in plan.iter_mut().filter_map(|line| line.never.as_mut()) {
                *never = Message::verbatim(self.message(never)?);
            }
        }
        Ok(response)
    }

    /// Prepares a puzzle for programs: draws its position and renders its messages.
    ///
    /// # Errors
    /// If a message cannot be rendered, or the position cannot be drawn.
    pub fn puzzle_for_program(&self, mut puzzle: PuzzleView) -> anyhow::Result<PuzzleView> {
        self.board_for_program(&mut puzzle.position)?;
        puzzle.side = Message::verbatim(self.message(&puzzle.side)?);
        Ok(puzzle)
    }

    /// Prepares a rejection for programs: draws its board and renders its message.
    ///
    /// # Errors
    /// If a message cannot be rendered, or the board cannot be drawn.
    pub fn rejection_for_program(&self, mut rejection: Rejection) -> anyhow::Result<Rejection> {
        rejection.board.as_deref_mut().map_or(Ok(()), |board| self.board_for_program(board))?;
        rejection.message = Message::verbatim(self.message(&rejection.message)?);
        Ok(rejection)
    }

    /// Prepares a board for programs: draws it and renders its messages.
    ///
    /// # Errors
    /// If a message cannot be rendered, or the board cannot be drawn.
    pub fn board_for_program(&self, board: &mut BoardView) -> anyhow::Result<()> {
        self.draw(board, Shown::Everything)?;
        for message in board.seats.iter_mut().map(|seat| &mut seat.side).chain([&mut board.aim]) {
            *message = Message::verbatim(self.message(message)?);
        }
        Ok(())
    }

    /// Renders a refusal as text with soft breaks. `alone` means that the text says that nothing was changed.
    pub(crate) fn refused_to(&self, reader: &Reader, refused: &Rejection, alone: bool) -> anyhow::Result<String> {
        let facts = context! { pointer => pointer(refused), alone, ..Value::from(Serde(refused)) };
        self.templates.fill_softly("answer/refused.txt", reader.context(facts))
    }
}

/// Returns a line with `^^^` below the wrong word.
fn pointer(refused: &Rejection) -> Option<String> {
    let (at, length) = refused.at?;
    let before = refused.line.get(..at)?.chars().count();
    Some(format!("{}{}", " ".repeat(before), "^".repeat(length.max(1))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::NoticeKind;

    #[test]
    fn every_notice_has_its_templates() {
        let composer = Composer::new(None, None).expect("the embedded templates are valid");
        for name in NoticeKind::ALL.iter().map(|kind| kind.name()) {
            for template in [format!("mail/{name}.subject"), format!("mail/{name}.txt")] {
                assert!(composer.templates.has(&template), "{template}");
            }
        }
    }

    #[test]
    fn every_answer_has_its_template() {
        let composer = Composer::new(None, None).expect("the embedded templates are valid");
        // The error about an unknown name lists the valid ones.
        let names =
            serde_json::from_str::<Response>(r#"{"answer":""}"#).expect_err("an empty name is invalid").to_string();
        let names: Vec<&str> = names.split('`').skip(3).step_by(2).collect();
        assert!(names.len() > 30 && names.contains(&"signed-up"), "{names:?}");
        for name in names.into_iter().filter(|name| *name != "help") {
            assert!(composer.templates.has(&format!("answer/{name}.txt")), "answer/{name}.txt does not exist");
        }
    }
}
