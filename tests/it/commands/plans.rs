//! Conditional replies: valid and invalid ones, limits, and the round trip through text.

use crate::common::words;
use proptest::prelude::*;
use turnpost::command::{Branch, Plan, Reply, When, parse};

fn plan_error(text: &str) -> (String, String) {
    let error = text.parse::<Plan>().expect_err(text);
    (error.word, words(&error.message))
}

#[test]
fn invalid_plans_are_refused() {
    for (text, word, says) in [
        ("", "", "The plan is empty."),
        (" ", "", "The plan is empty."),
        (";", ";", "Expected a move"),
        ("k4", "k4", "missing at the end"),
        ("k4 then h2;; k5 then h3", ";", "Expected a move"),
        ("k4 then resign then k5 then h3", "then", "Nothing may follow"),
        ("k4 then stop then (k5 then h3)", "then", "Nothing may follow"),
        ("else h2; k4 then h3", "k4", "Nothing may follow \"else\""),
        ("else h2; else h3", "else", "Nothing may follow \"else\""),
        ("k4 or k4 then h2", "k4", "already has a reply"),
        ("k4,k5 then h2; K4, k5 then h3", "k4,k5", "already has a reply"),
        ("k4 then h2 then (k5 then h3; k5 then h4)", "k5", "already has a reply"),
        ("k4 then h2 then ()", ")", "is empty"),
        ("k4 then h2 then (k5 then h3", "(", "not closed"),
        ("k4 then h2)", ")", "has no \"(\" before it"),
        ("k4 then (k5 then h3)", "(", "Expected a move"),
        ("k4 then if", "if", "Expected a move"),
        ("if if k4 then h2", "if", "Expected a move"),
        ("k4 then or", "or", "Expected a move"),
        ("k5, then h2", "k5,", "is not a move"),
        ("k4 then -x", "-x", "is not a move"),
        ("k4#3 then h2", "k4#3", "cannot have a number"),
        ("k4 then h\u{e9}", "h\u{e9}", "is not a move"),
        ("k4 then \"h2\"", "\"h2\"", "is not a move"),
    ] {
        let (at, message) = plan_error(text);
        assert_eq!(at, word, "{text}: {message}");
        assert!(message.contains(says), "{text}: {message}");
    }
}

#[test]
fn plans_have_limits() {
    let branches = |n: usize| (0..n).map(|i| format!("k{i} then h2")).collect::<Vec<_>>().join(";");
    assert!(branches(200).parse::<Plan>().is_ok());
    assert_eq!(plan_error(&branches(201)).0, "k200");
    let chain = |n: usize| vec!["k4 then h2"; n].join(" then ");
    assert!(chain(30).parse::<Plan>().is_ok());
    assert!(plan_error(&chain(31)).1.contains("30 consecutive replies"));
    assert!(plan_error(&chain(100_000)).1.contains("30 consecutive replies"));
    let deep = "k4 then h2 then (".repeat(100_000);
    assert!(plan_error(&deep).1.contains("30 consecutive replies"));
}

#[test]
fn the_same_move_may_be_answered_again_after_a_reply() {
    let plan: Plan = "k4 then h2 then (k4 then h3; k5 then h4); k5 then h6".parse().unwrap();
    assert_eq!(plan.to_string(), "k4 then h2 then (k4 then h3; k5 then h4); k5 then h6");
    assert_eq!(plan.branches[0].next.branches.len(), 2);
}

#[test]
fn each_condition_may_begin_with_if() {
    let plan: Plan = "if k4 then h2; If k5 then h3 then if k6 then h4; else if k7 then h5; else stop".parse().unwrap();
    assert_eq!(plan.to_string(), "k4 then h2; k5 then h3 then k6 then h4; k7 then h5; else stop");
}

fn move_text() -> impl Strategy<Value = String> {
    "[a-u][0-9]{1,2}(,[a-u][0-9]{1,2})?|swap|resigned|[!-&'*+.-:<-@\\[-~][!\\$-'*-:<-@\\[-~]{0,4}[!\\$-'*+.-:<-@\\[-~]"
        .prop_filter("no move text", |text| {
            !["if", "then", "or", "else", "stop", "resign"].contains(&text.as_str())
                && !text.starts_with(['-', ','])
                && !text.contains(['#', '"', ';', '(', ')'])
        })
        .prop_map(|text| text.to_lowercase())
}

/// Generates any plan of the grammar: distinct alternatives, `else` last, no plan after `resign` and `stop`.
fn plan() -> impl Strategy<Value = Plan> {
    let reply = prop_oneof![move_text().prop_map(Reply::Move), Just(Reply::Resign), Just(Reply::Stop)];
    Just(Plan::default()).prop_recursive(5, 40, 4, move |inner| {
        let branch = (proptest::collection::vec(move_text(), 1..4), reply.clone(), inner.clone());
        let otherwise = proptest::option::of((reply.clone(), inner));
        (proptest::collection::vec(branch, 1..5), otherwise).prop_map(|(branches, otherwise)| {
            let mut named = Vec::new();
            let mut plan = Plan::default();
            for (mut moves, reply, next) in branches {
                moves.retain(|text| {
                    let new = !named.contains(text);
                    named.push(text.clone());
                    new
                });
                if !moves.is_empty() {
                    plan.branches.push(Branch { when: When::Moves(moves), reply, next });
                }
            }
            plan.branches.extend(otherwise.map(|(reply, next)| Branch { when: When::Else, reply, next }));
            for branch in plan.branches.iter_mut().filter(|branch| !matches!(branch.reply, Reply::Move(_))) {
                branch.next = Plan::default();
            }
            plan
        })
    })
}

proptest! {
    #[test]
    fn no_plan_makes_the_parser_panic(text in "((k4|k5,|,|then|or|else|stop|resign|;|\\(|\\)|\\PC) ?){0,20}") {
        if let Ok(plan) = text.parse::<Plan>() {
            prop_assert_eq!(plan.to_string().parse::<Plan>(), Ok(plan));
        }
    }

    #[test]
    fn a_displayed_plan_parses_to_itself(plan in plan()) {
        prop_assume!(!plan.branches.is_empty());
        let text = plan.to_string();
        prop_assert_eq!(text.parse::<Plan>(), Ok(plan), "{}", text);
        let line = parse(&format!("marque if 1 al - \"{text}\"")).unwrap();
        let again = parse(&line.shown).unwrap();
        prop_assert_eq!(line.command, again.command);
    }
}
