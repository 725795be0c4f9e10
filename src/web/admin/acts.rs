//! Actions of administrators on queues, as in `turnpost admin retry`, `resend` and `player unpause`.

use axum::http::StatusCode;

use crate::message;
use crate::service::administration::{self, Act, ActKind, Actor, InboxId, OutboxId, log_if};
use crate::web::page::{Page, PageResult};
use crate::web::page_request::{Fields, PageRequest, Path};

/// `POST /admin/messages/N`: processes a quarantined message again.
pub(crate) fn retry(request: &mut PageRequest<'_>, Path(number): Path<i64>, _: Fields) -> PageResult {
    let act = act(request, ActKind::Retry, format!("mail {number}"));
    if !request.write(|_, tx| {
        let done = administration::put_mail_back(tx, InboxId(number))?;
        log_if(tx, done, &act)
    })? {
        return request.message_page(StatusCode::CONFLICT, message!("web.mail-not-quarantined", number));
    }
    done(request, "retry", number);
    Ok(Page::redirect(&format!("/admin/messages/{number}")))
}

/// `POST /admin/letters/N`: sends a letter again, regardless of its state.
pub(crate) fn resend(request: &mut PageRequest<'_>, Path(number): Path<i64>, _: Fields) -> PageResult {
    let now = request.now;
    let act = act(request, ActKind::Resend, format!("letter {number}"));
    if !request.write(|_, tx| {
        let done = administration::resend(tx, OutboxId(number), now)?;
        log_if(tx, done, &act)
    })? {
        return request.not_found();
    }
    request.site.host.mail_works_again()?;
    done(request, "resend", number);
    Ok(Page::redirect(&format!("/admin/letters/{number}")))
}

/// `POST /admin/resend`: sends every undelivered letter again.
pub(crate) fn resend_all(request: &mut PageRequest<'_>) -> PageResult {
    let now = request.now;
    let act = act(request, ActKind::Resend, "undelivered".to_owned());
    let count = request.write(|_, tx| {
        let letters = administration::given_up(tx)?;
        for letter in &letters {
            administration::resend(tx, *letter, now)?;
        }
        log_if(tx, !letters.is_empty(), &act)?;
        Ok(letters.len())
    })?;
    request.site.host.mail_works_again()?;
    done(request, "resend", count);
    Ok(Page::redirect("/admin/outbox?only=undelivered"))
}

/// `POST /admin/players/USERID`: resumes letters to a paused address.
pub(crate) fn unpause(request: &mut PageRequest<'_>, Path(userid): Path<String>, fields: Fields) -> PageResult {
    let now = request.now;
    let address = fields.get("address");
    let act = act(request, ActKind::Unpause, address.to_owned());
    let unpaused = request.write(|service, tx| match administration::player(tx, &userid)? {
        Some(player) => {
            let done = service.unpause(tx, &player, address, now)?;
            log_if(tx, done, &Act { player: Some(player.id), ..act })
        }
        None => Ok(false),
    })?;
    if !unpaused {
        return request.message_page(StatusCode::CONFLICT, message!("web.address-not-paused", userid, address));
    }
    done(request, "unpause", &userid);
    Ok(Page::redirect(&format!("/admin/players/{userid}")))
}

/// Creates the record of an action by the administrator who sent the request.
fn act(request: &PageRequest<'_>, kind: ActKind, detail: String) -> Act {
    let Some(administrator) = &request.player else { unreachable!("only administrators see these pages") };
    let by = Actor::Player(administrator.id);
    Act { done_at: request.now, by, kind, board: None, player: None, detail, reason: String::new() }
}

/// Logs an administrator's action and wakes the workers.
fn done(request: &PageRequest<'_>, act: &str, of: impl std::fmt::Display) {
    tracing::info!(administrator = request.userid(), act, %of, "administration");
    request.site.changed();
}
