//! The composer: what a shell prints and what pages say, by the templates.

use std::path::Path;

use minijinja::value::Serde;
use minijinja::{Value, context};

use super::drawings::Drawings;
use super::lines::broken;
use super::pictures::Pictures;
use super::reader::{Reader, Shown};
use super::templates::Templates;
use crate::service::{BoardView, PuzzleView, Rejection, Response};
use crate::text::Message;

/// Facts → words, by the templates.
pub struct Composer {
    pub(super) templates: Templates,
    pub(super) pictures: Pictures,
    pub(super) drawings: Drawings,
}

impl Composer {
    /// The embedded templates, and over them those of a directory, file by file. Links begin with `url`, if the world
    /// reaches our pages.
    ///
    /// # Errors
    /// None that are known: a template is read when it is first used.
    pub fn new(templates: Option<&Path>, url: Option<&str>) -> anyhow::Result<Composer> {
        let templates = Templates::new(templates, url)?;
        Ok(Composer { templates, pictures: Pictures::default(), drawings: Drawings::default() })
    }

    /// Reads every template of the directory, for whoever must know beforehand that they can be used.
    ///
    /// # Errors
    /// The directory cannot be read, or a template does not parse, with its file and line.
    pub fn check(&self) -> anyhow::Result<()> {
        self.templates.check()
    }

    /// What a shell prints of an answer.
    ///
    /// # Errors
    /// A template that fails.
    pub fn answer(&self, answer: &Response) -> anyhow::Result<String> {
        let mut answer = answer.clone();
        let reader = Reader::nobody();
        answer.boards_mut().iter_mut().try_for_each(|board| self.draw(board, reader.shown()))?;
        self.answer_to(&reader, &answer).map(|text| broken(&text))
    }

    /// The text of an answer, with soft breaks.
    pub(super) fn answer_to(&self, reader: &Reader, answer: &Response) -> anyhow::Result<String> {
        match answer {
            Response::Help { pages, default_options } => {
                let text = |page: &String| self.help_text(page, default_options.get(page).map(String::as_str));
                let pages = pages.iter().map(text).collect::<anyhow::Result<Vec<_>>>()?;
                Ok(pages.join("\n"))
            }
            Response::History { record, json: true, .. } => Ok(serde_json::to_string_pretty(record)? + "\n"),
            Response::Analysed(analysed) => {
                self.templates.fill_softly("answer/analysed.txt", reader.context(self.analysis_facts(analysed)?))
            }
            answer => self
                .templates
                .fill_softly(&format!("answer/{}.txt", answer.name()), reader.context(Serde(answer).into())),
        }
    }

    /// A page of the web, by the name of its template.
    ///
    /// # Errors
    /// A template that fails.
    pub fn page(&self, name: &str, facts: Value) -> anyhow::Result<String> {
        self.templates.fill(&format!("web/{name}.html"), facts)
    }

    /// A file that pages refer to, by its name: the style sheet, the script.
    ///
    /// # Errors
    /// A template that fails; there is none of this name.
    pub fn file(&self, name: &str) -> anyhow::Result<String> {
        self.templates.fill(&format!("web/{name}"), context! {})
    }

    /// The words of a message.
    ///
    /// # Errors
    /// There is no such message, or a fact of it is missing.
    pub fn message(&self, message: &Message) -> anyhow::Result<String> {
        self.templates.words(message)
    }

    /// The codes of all messages that there are words for.
    pub fn message_codes(&self) -> impl Iterator<Item = &str> {
        self.templates.message_codes()
    }

    /// What a shell prints of a refusal.
    ///
    /// # Errors
    /// A template that fails.
    pub fn refused(&self, refused: &Rejection) -> anyhow::Result<String> {
        let mut refused = refused.clone();
        let reader = Reader::nobody();
        refused.board.as_deref_mut().map_or(Ok(()), |board| self.draw(board, reader.shown()))?;
        self.refused_to(&reader, &refused, true).map(|text| broken(&text))
    }

    /// A response as a program reads it: its boards drawn, its messages in words.
    ///
    /// # Errors
    /// A message without words, or a board that cannot be drawn.
    pub fn response_for_program(&self, mut response: Response) -> anyhow::Result<Response> {
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

    /// A puzzle as a program reads it: its position drawn, its messages in words.
    ///
    /// # Errors
    /// A message without words, or a position that cannot be drawn.
    pub fn puzzle_for_program(&self, mut puzzle: PuzzleView) -> anyhow::Result<PuzzleView> {
        self.board_for_program(&mut puzzle.position)?;
        puzzle.side = Message::verbatim(self.message(&puzzle.side)?);
        Ok(puzzle)
    }

    /// A rejection as a program reads it: its board drawn, its message in words.
    ///
    /// # Errors
    /// A message without words, or a board that cannot be drawn.
    pub fn rejection_for_program(&self, mut rejection: Rejection) -> anyhow::Result<Rejection> {
        rejection.board.as_deref_mut().map_or(Ok(()), |board| self.board_for_program(board))?;
        rejection.message = Message::verbatim(self.message(&rejection.message)?);
        Ok(rejection)
    }

    /// Makes a board what a program reads: drawn, its messages in words.
    ///
    /// # Errors
    /// A message without words, or a board that cannot be drawn.
    pub fn board_for_program(&self, board: &mut BoardView) -> anyhow::Result<()> {
        self.draw(board, Shown::Everything)?;
        for message in board.seats.iter_mut().map(|seat| &mut seat.side).chain([&mut board.aim]) {
            *message = Message::verbatim(self.message(message)?);
        }
        Ok(())
    }

    /// Renders a refusal as text with soft breaks. `alone` means that no other command was carried out.
    pub(super) fn refused_to(&self, reader: &Reader, refused: &Rejection, alone: bool) -> anyhow::Result<String> {
        let facts = context! { pointer => pointer(refused), alone, ..Value::from(Serde(refused)) };
        self.templates.fill_softly("answer/refused.txt", reader.context(facts))
    }
}

/// The line that points at the word at fault.
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
        let composer = Composer::new(None, None).expect("the embedded templates");
        for name in NoticeKind::ALL.iter().map(|kind| kind.name()) {
            for template in [format!("mail/{name}.subject"), format!("mail/{name}.txt")] {
                assert!(composer.templates.has(&template), "{template}");
            }
        }
    }

    #[test]
    fn every_answer_has_its_template() {
        let composer = Composer::new(None, None).expect("the embedded templates");
        // A name that is none is refused with those that are.
        let names = serde_json::from_str::<Response>(r#"{"answer":""}"#).expect_err("no name").to_string();
        let names: Vec<&str> = names.split('`').skip(3).step_by(2).collect();
        assert!(names.len() > 30 && names.contains(&"signed-up"), "{names:?}");
        for name in names.into_iter().filter(|name| *name != "help") {
            assert!(composer.templates.has(&format!("answer/{name}.txt")), "answer/{name}.txt");
        }
    }
}
