//! Data that is moved to another database, and data that is erased when a player leaves.

use turnpost::service::transfer::NOT_MOVED;
use turnpost::token::Key;

use super::*;

fn notice(address: &str, due_at: Option<DateTime<Utc>>) -> NewNotice {
    NewNotice {
        player: None,
        address: Some(address.into()),
        kind: "answer".into(),
        board: Some(BoardNumber(1)),
        entry: Some(EntryNumber(0)),
        facts: format!("{{\"text\":\"To {address}\"}}"),
        in_reply_to: Some("<a@x>".into()),
        domain: "x.example".into(),
        created_at: at(1),
        due_at,
    }
}

/// The tables that an export contains. All others are in `NOT_MOVED`.
const MOVED: [&str; 38] = [
    "acts", "addresses", "blocked_senders", "blocks", "boards", "calendars", "challenges", "changes", "comments",
    "deliveries", "departed_addresses", "editions", "entrants", "entries", "event_boards", "events", "followers",
    "inbox", "mail_actions", "muted_boards", "notes", "outbox", "participants", "players", "preferences", "proposals",
    "puzzle_queue", "puzzle_readers", "puzzles", "quarantine", "refusals", "seats", "solved_puzzles", "standstills",
    "tokens", "turn_letters", "vacations", "webhooks",
];

pub fn every_table_is_listed_as_moved_or_not_moved(fresh: Fresh) {
    let mut instance = instance(fresh);
    let mut left_out = NOT_MOVED.to_vec();
    for table in instance.store.read().unwrap().tables().unwrap() {
        let name = table.name.as_str();
        assert_ne!(
            MOVED.contains(&name),
            NOT_MOVED.contains(&name),
            "{name} must be in exactly one of MOVED and NOT_MOVED"
        );
        left_out.retain(|other| *other != name);
    }
    // These tables exist only in PostgreSQL.
    left_out.retain(|name| !["last_numbers", "writer"].contains(name));
    assert_eq!(left_out, Vec::<&str>::new(), "tables in NOT_MOVED that do not exist");
}

fn table(tx: &Transaction<'_>, name: &str) -> Table {
    tx.tables().unwrap().into_iter().find(|table| table.name == name).unwrap()
}

/// Adds a row with these values to a table.
fn add(tx: &mut Transaction<'_>, name: &str, row: &[(&str, Stored)]) -> Result<()> {
    let table = table(tx, name);
    let row: Vec<_> = row.iter().map(|(column, cell)| (table.column(column).unwrap(), cell.clone())).collect();
    tx.add_row(&table, &row)
}

/// Returns the values in these columns of each row of a table.
fn cells(tx: &Transaction<'_>, name: &str, columns: &[&str]) -> Vec<Vec<Stored>> {
    let table = table(tx, name);
    let mut rows = Vec::new();
    tx.each_row::<StoreError>(&table, |row| {
        rows.push(columns.iter().map(|column| row[table.column(column).unwrap()].clone()).collect());
        Ok(())
    })
    .unwrap();
    rows
}

fn text(text: &str) -> Stored {
    Stored::Text(text.into())
}

const TIME: &str = "2026-03-01T12:00:00Z";

fn mail(id: i64, verdict: Option<(&str, &str)>) -> Vec<(&'static str, Stored)> {
    let mut row = vec![
        ("id", Stored::Number(id)),
        ("received_at", text(TIME)),
        ("via", text("lmtp")),
        ("truncated", Stored::Number(1)),
        ("author", Stored::Number(1)),
    ];
    match verdict {
        None => row.push(("raw", Stored::Bytes(b"raw\xff\0".to_vec()))),
        Some((kind, identity)) => row.extend([
            ("verdict", text(kind)),
            ("closed_at", text(TIME)),
            ("identity", text(identity)),
            ("commands", text("a\0b \u{10ffff}")),
            ("reason", text("")),
        ]),
    }
    row
}

pub fn rows_are_returned_as_they_were_added(fresh: Fresh) {
    let mut instance = instance(fresh);
    let mut tx = instance.store.write().unwrap();
    let letter = |id: i64, letter: Option<i64>| {
        vec![
            ("id", Stored::Number(id)),
            ("address", text("a@example.org")),
            ("kind", text("answer")),
            ("facts", text("{}")),
            ("domain", text("x.example")),
            ("created_at", text(TIME)),
            ("letter", letter.map_or(Stored::Null, Stored::Number)),
            ("held", Stored::Number(1)),
        ]
    };
    for row in [letter(9, Some(9)), letter(7, Some(9)), letter(8, None)] {
        add(&mut tx, "outbox", &row).unwrap();
    }
    assert!(refuses(&mut tx, |tx| add(tx, "outbox", &letter(10, Some(11)))), "letter 11 does not exist");
    // If a row refers to another row of the same table, it is listed after that row.
    let rows = cells(&tx, "outbox", &["id", "letter", "held", "attempts", "board"]);
    let row =
        |id: i64, letter: Stored| vec![Stored::Number(id), letter, Stored::Number(1), Stored::Number(0), Stored::Null];
    assert_eq!(rows, [row(8, Stored::Null), row(9, Stored::Number(9)), row(7, Stored::Number(9))]);
    assert_eq!(tx.letter(OutboxId(9)).unwrap().len(), 2);
    let mails = [mail(4, None), mail(6, Some(("done", "one"))), mail(8, Some(("poison", "two")))];
    for row in &mails {
        add(&mut tx, "inbox", row).unwrap();
    }
    assert!(refuses(&mut tx, |tx| add(tx, "inbox", &mail(9, Some(("done", "one"))))), "the row is a second copy");
    for row in &mails {
        let (columns, expected): (Vec<&str>, Vec<Stored>) = row.iter().cloned().unzip();
        assert!(cells(&tx, "inbox", &columns).contains(&expected), "{expected:?}");
    }
    add(&mut tx, "quarantine", &[("mail", Stored::Number(8)), ("raw", Stored::Bytes(b"raw".to_vec()))]).unwrap();
    assert_eq!(tx.waiting_after(InboxId(0), 9).unwrap().len(), 1);
    assert!(tx.put_mail_back(InboxId(8)).unwrap());
    let empty = table(&tx, "hints");
    assert!(!tx.has_rows(&empty).unwrap() && tx.has_rows(&table(&tx, "inbox")).unwrap());
    // Adds more rows than the store reads in one query.
    for number in 0..1_201 {
        let row = [("address", text(&format!("{number:05}@example.org"))), ("left_at", text(TIME))];
        add(&mut tx, "departed_addresses", &row).unwrap();
    }
    let addresses = cells(&tx, "departed_addresses", &["address"]);
    assert!(addresses.len() == 1_201 && addresses.is_sorted_by_key(|row| format!("{row:?}")));
}

pub fn stored_rows_are_added_without_triggers(fresh: Fresh) {
    let mut instance = instance(fresh);
    let mut tx = instance.store.write().unwrap();
    let entry = |entry: i64| {
        vec![
            ("board", Stored::Number(1)),
            ("entry", Stored::Number(entry)),
            ("kind", Stored::Number(0)),
            ("ply", Stored::Number(entry)),
            ("seat", Stored::Number(1)),
            ("text", text("f3")),
            ("made_at", Stored::Number(0)),
            ("via", Stored::Number(0)),
            ("hash", Stored::Bytes(vec![1; 32])),
        ]
    };
    assert!(refuses(&mut tx, |tx| add(tx, "entries", &entry(5))), "entry 5 is not the next entry");
    tx.without_triggers(|tx| add(tx, "entries", &entry(5))).unwrap();
    assert_eq!(tx.board(BoardNumber(1)).unwrap().unwrap().entries, EntryNumber(0));
    assert!(refuses(&mut tx, |tx| add(tx, "entries", &entry(7))), "triggers are enabled again");
    let refused = tx.without_triggers(|_| Err::<(), _>(StoreError::Failed("refused".into())));
    assert!(refused.is_err());
    assert!(refuses(&mut tx, |tx| add(tx, "entries", &entry(7))), "triggers are enabled again after an error");
}

pub fn numbers_and_keys_continue_in_another_database(fresh: Fresh) {
    let mut instance = instance(fresh);
    let mut tx = instance.store.write().unwrap();
    let player = |userid: &str| {
        let (id, userid) = (("id", Stored::Number(12)), ("userid", text(userid)));
        [id, userid, ("password_hash", text("x")), ("created_at", text(TIME))]
    };
    add(&mut tx, "players", &player("carol")).unwrap();
    assert!(refuses(&mut tx, |tx| add(tx, "players", &player("dora"))), "the player number is taken");
    let proposal = [("id", 40), ("board", 1), ("entry", 0), ("seat", 1)].map(|(name, id)| (name, Stored::Number(id)));
    let words = [("kind", "draw"), ("via", "web"), ("made_at", TIME)].map(|(name, word)| (name, text(word)));
    add(&mut tx, "proposals", &[&proposal[..], &words].concat()).unwrap();
    let last = [
        ("boards", 25),
        ("changes", 60),
        ("inbox", 40),
        ("login_links", 50),
        ("outbox", 30),
        ("players", 20),
        ("webhook_calls", 70),
    ];
    let last = last.map(|(table, number)| (table.to_owned(), number)).into_iter().collect();
    tx.set_last_numbers(&last).unwrap();
    assert_eq!(tx.last_numbers().unwrap(), last);
    // Setting the last used numbers to lower values has no effect.
    tx.set_last_numbers(&last.keys().map(|table| (table.clone(), 1)).collect()).unwrap();
    assert_eq!(tx.last_numbers().unwrap(), last);
    assert_eq!(tx.add_player("dora", "x", at(0)).unwrap(), PlayerId(21));
    assert_eq!(tx.add_notice(&notice("a@example.org", Some(at(9)))).unwrap(), OutboxId(31));
    assert_eq!(tx.add_mail(b"raw", false, MailSource::Pipe, at(0)).unwrap(), InboxId(41));
    assert_eq!(tx.add_board(&board([instance.bob, instance.alice])).unwrap(), BoardNumber(26));
    let made = MadeProposal {
        board: BoardNumber(1),
        entry: EntryNumber(0),
        proposal: Proposal { kind: ProposalKind::Draw, by: Seat::Second },
        via: Channel::Web,
        made_at: at(1),
    };
    tx.add_proposal(&made).unwrap();
    assert_eq!(cells(&tx, "proposals", &["id"]), [[Stored::Number(40)], [Stored::Number(41)]]);
    assert_eq!(tx.proposals(BoardNumber(1)).unwrap()[1], AnsweredProposal { made, answer: None });

    let before = tx.reply_key().unwrap();
    tx.set_keys("feed", None).unwrap();
    assert_eq!((tx.server_id().unwrap().as_str(), tx.reply_key().unwrap().expose()), ("feed", before.expose()));
    tx.set_keys("cafe", Some(&Key::new([7; 32]))).unwrap();
    assert_eq!((tx.server_id().unwrap().as_str(), tx.reply_key().unwrap().expose()), ("cafe", &[7; 32]));

    tx.add_address(instance.bob, "b@example.org", Some("sesame"), at(3)).unwrap();
    let awaited = AwaitedCode { address: "b@example.org".into(), code: "sesame".into(), added_at: at(3) };
    assert_eq!(tx.awaited_codes(instance.bob).unwrap(), [awaited]);
    tx.set_turn_letter(instance.bob, BoardNumber(1), EntryNumber(4)).unwrap();
    assert_eq!(tx.turn_letter(instance.bob, BoardNumber(1)).unwrap(), Some(EntryNumber(4)));
}

pub fn an_address_is_erased_once_no_mail_with_it_is_in_progress(fresh: Fresh) {
    let mut instance = instance(fresh);
    let mut tx = instance.store.write().unwrap();
    let before = tx.add_mail(b"raw", false, MailSource::Pipe, at(0)).unwrap();
    let letter = tx.add_notice(&notice("Old@example.org", Some(at(1)))).unwrap();
    tx.bind_letters(&[&[letter]], at(1)).unwrap();
    tx.add_left_address("old@example.org", at(2)).unwrap();
    let later = tx.add_mail(b"raw", false, MailSource::Pipe, at(3)).unwrap();
    assert!(
        tx.left_addresses(9).unwrap().is_empty(),
        "the address is needed while a letter is due and a message waits"
    );
    tx.erase_address("old@example.org", "gone").unwrap();
    assert_eq!(
        tx.letter(letter).unwrap()[0].address.as_deref(),
        Some("Old@example.org"),
        "a letter that is still due keeps its address"
    );
    let error = Some("old@example.org: no such user".into());
    let bounced = Delivery { address: "old@example.org".into(), state: DeliveryState::Refused, at: at(4), error };
    tx.set_delivery(letter, &bounced).unwrap();
    tx.letter_failed(letter, "<OLD@example.org>: no such user", None).unwrap();
    assert!(tx.left_addresses(9).unwrap().is_empty(), "the address is needed while a message waits");
    let verdict = |identity: &str| {
        let (sender, identity) = (Some("OLD@example.org".into()), Some(identity.to_owned()));
        let (commands, reason) = ("show old@example.org".into(), "old@example.org is none".into());
        Verdict { kind: VerdictKind::Refused, sender, identity, commands, reason }
    };
    tx.close_mail(before, &verdict("one"), at(4)).unwrap();
    assert_eq!(tx.left_addresses(9).unwrap(), ["old@example.org"]);

    tx.erase_address("old@example.org", "gone").unwrap();
    tx.change_texts("OLD@example.org", &|text| text.to_lowercase().replace("old@example.org", "gone")).unwrap();
    tx.remove_left_address("OLD@example.org").unwrap();
    assert!(tx.left_addresses(9).unwrap().is_empty());
    let told = &tx.letter(letter).unwrap()[0];
    assert_eq!((told.address.as_deref(), told.error.as_deref()), (Some("gone"), Some("<gone>: no such user")));
    assert!(tx.deliveries(letter).unwrap().is_empty());
    let rows = tx.inbox(9).unwrap();
    let closed = rows.iter().find(|row| row.id == before).unwrap().verdict.as_ref().unwrap();
    assert_eq!(
        (&closed.sender, closed.commands.as_str(), closed.reason.as_str()),
        (&None, "show gone", "gone is none")
    );
    assert_eq!(tx.mail_seen("one").unwrap(), Some(before), "a second copy is still recognised");
    assert!(tx.waiting(later).unwrap().is_some());
}
