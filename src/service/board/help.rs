//! The help pages.

use crate::message;
use crate::rules::catalogue;
use crate::text;

use crate::service::context::ReadContext;
use crate::service::policy::Policy;
use crate::service::rejection::RequestResult;
use crate::service::response::Response;

/// The help pages, in addition to one for each game.
pub const HELP_PAGES: &[&str] =
    &["overview", "commands", "mail", "plans", "clocks", "settings", "stop", "ratings", "puzzle", "events"];

/// Returns the names of all help pages.
pub fn help_topics() -> Vec<&'static str> {
    HELP_PAGES.iter().copied().chain(catalogue::GAMES.iter().map(|game| game.name())).collect()
}

impl ReadContext<'_> {
    pub(crate) fn help(&self, topics: &[String], policy: &Policy) -> RequestResult<Response> {
        let names = help_topics();
        let page = |topic: &String| {
            if names.contains(&topic.as_str()) {
                return Ok(topic.clone());
            }
            let nearest = text::nearest(topic, names.iter().copied()).or(Some("commands")).map(str::to_owned);
            let rejection = self.request.rejection(topic, message!("service.no-help", topic));
            Err(rejection.near(nearest).into())
        };
        let pages = topics.iter().map(page).collect::<RequestResult<Vec<_>>>()?;
        let pages = if pages.is_empty() { vec!["overview".to_owned()] } else { pages };
        let default = |page: &String| Some((page.clone(), policy.default_options.get(page.as_str())?.to_string()));
        Ok(Response::Help { default_options: pages.iter().filter_map(default).collect(), pages })
    }
}
