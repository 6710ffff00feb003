//! Ten thousand random documents: no panic, and no write without its preconditions, read from the document's own JSON.

use super::canonical::second;
use super::{evaluate, kind};
use crate::bounded::canonical::Json;
use crate::bounded::example::{approve, no_findings};
use crate::bounded::state::RecurringState;
use crate::bounded::terms::{ClaimPurpose, Mode};
use crate::bounded::vocabulary::Term;
use crate::bounded::{EXAMPLES, example};
use serde_json::Value;
use std::collections::BTreeMap;

/// SplitMix64: the same documents in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Every value of every document by the name of its field: what a plausible forgery is made of.
fn values_by_field(json: &Json, field: &str, pool: &mut BTreeMap<String, Vec<Json>>) {
    pool.entry(field.to_owned()).or_default().push(json.clone());
    match json {
        Json::Object(members) => members
            .iter()
            .for_each(|(name, value)| values_by_field(value, name, pool)),
        Json::List(items) => items
            .iter()
            .for_each(|item| values_by_field(item, &format!("{field}[]"), pool)),
        Json::Null | Json::Boolean(_) | Json::Integer(_) | Json::Text(_) => {}
    }
}

fn size(json: &Json) -> usize {
    match json {
        Json::Object(members) => 1 + members.values().map(size).sum::<usize>(),
        Json::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Json::Null | Json::Boolean(_) | Json::Integer(_) | Json::Text(_) => 1,
    }
}

/// Changes the value number `target` in the order of the document.
fn mutate(
    json: &mut Json,
    field: &str,
    target: &mut usize,
    random: &mut Random,
    pool: &BTreeMap<String, Vec<Json>>,
) {
    if *target == 0 {
        *target = usize::MAX;
        *json = changed(json, field, random, pool);
        return;
    }
    *target -= 1;
    let mut inner = |json: &mut Json, field: &str| {
        if *target != usize::MAX {
            mutate(json, field, target, random, pool);
        }
    };
    match json {
        Json::Object(members) => members.iter_mut().for_each(|(name, value)| inner(value, name)),
        Json::List(items) => items
            .iter_mut()
            .for_each(|item| inner(item, &format!("{field}[]"))),
        Json::Null | Json::Boolean(_) | Json::Integer(_) | Json::Text(_) => {}
    }
}

fn changed(json: &Json, field: &str, random: &mut Random, pool: &BTreeMap<String, Vec<Json>>) -> Json {
    let plausible = random.below(10) < 7;
    match (json, plausible) {
        (_, true) if pool.contains_key(field) => random.pick(&pool[field]).clone(),
        (Json::Boolean(value), _) => Json::Boolean(!value),
        (Json::Integer(number), _) => Json::Integer(number + [1, -1, 1 << 40][random.below(3)]),
        (Json::Text(text), _) => Json::Text(match random.below(4) {
            0 => text.to_uppercase(),
            1 => format!("{text}\u{202e}"),
            2 => text.chars().rev().collect(),
            _ => String::new(),
        }),
        (Json::List(items), _) => {
            let mut items = items.clone();
            match random.below(3) {
                0 => items.reverse(),
                1 => drop(items.pop()),
                _ => items.extend(items.clone()),
            }
            Json::List(items)
        }
        (Json::Object(members), _) => {
            let mut members = members.clone();
            let names: Vec<String> = members.keys().cloned().collect();
            if !names.is_empty() {
                members.remove(random.pick(&names));
            }
            Json::Object(members)
        }
        (Json::Null, _) => Json::List(Vec::new()),
    }
}

fn hash_of(value: &Value) -> String {
    second::digest(&value.to_string())
}

/// The preconditions of a write, from the document alone and without the evaluator's types.
fn may_write(state: &Value, action: &str) -> Result<(), String> {
    let need = |holds: bool, what: &str| if holds { Ok(()) } else { Err(what.to_owned()) };
    let (persisted, hosted, local) = (&state["persisted"], &state["hosted"], &state["local"]);
    let (request, pull) = (&persisted["request"], &hosted["pull_request"]);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mode = text(&persisted["mode"]);
    need(mode == "autonomous" || mode == "approval-gated", "mode")?;
    let key = format!("{}:{}", request["comment_id"], text(&request["head_sha"]));
    need(text(&request["request_key"]) == key, "request key")?;
    need(
        text(&hosted["observed_at"]) < text(&request["deadline"]),
        "expiry",
    )?;
    need(
        pull["state"] == "open" && pull["head_branch_exists"] == true,
        "open",
    )?;
    need(pull["current_head_sha"] == request["head_sha"], "head")?;
    need(pull["current_base_sha"] == request["base_sha"], "base tip")?;
    need(
        pull["current_base_branch"] == persisted["configured_base_branch"],
        "base branch",
    )?;
    need(
        pull["current_head_branch"] == persisted["configured_head_branch"],
        "head branch",
    )?;
    let repository = format!(
        "{}/{}",
        text(&persisted["repository"]["owner"]),
        text(&persisted["repository"]["name"])
    );
    need(
        pull["base_repository"] == repository && pull["head_repository"] == repository,
        "topology",
    )?;
    need(
        hosted["current_user_database_id"] == request["author_database_id"],
        "user",
    )?;
    need(
        local["remote_name"] == persisted["remote_name"] && !local["remote_name"].is_null(),
        "remote",
    )?;
    need(local["stops"] == serde_json::json!([]), "stops")?;
    let loop_key = format!(
        "github-codex-pr-loop:{}#{}",
        repository.to_lowercase(),
        persisted["pull_request_number"]
    );
    let automations = local["automations"].as_array().cloned().unwrap_or_default();
    let ours: Vec<&Value> = automations
        .iter()
        .filter(|one| text(&one["loop_key"]).to_lowercase() == loop_key)
        .collect();
    need(ours.len() == 1, "one automation")?;
    need(
        ours[0]["loop_key"] == loop_key && ours[0]["id"] == persisted["owned_automation_id"],
        "owned",
    )?;
    need(
        ours[0]["heartbeat_rrule"] == "FREQ=MINUTELY;INTERVAL=2",
        "schedule",
    )?;
    need(
        persisted["claim"].is_null() && persisted["post_finalization"] == false,
        "no claim yet",
    )?;
    need(request["state"] != "processing", "not processing")?;
    let completed = persisted["completed_request_keys"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    need(!completed.contains(&request["request_key"]), "replay")?;
    let (plan, hash, approved) = if action == "apply-fix" {
        need(persisted["fix_rounds"].as_u64() < Some(5), "rounds")?;
        (
            "remediation_manifest",
            "remediation_plan_hash",
            "approved_remediation",
        )
    } else {
        (
            "finalization_manifest",
            "finalization_plan_hash",
            "approved_finalization",
        )
    };
    need(persisted[hash] == hash_of(&persisted[plan]), "plan hash")?;
    need(
        persisted[plan]["bindings"]["request_key"] == request["request_key"],
        "plan of this request",
    )?;
    if mode == "approval-gated" {
        need(
            persisted[&format!("{approved}_request_key")] == request["request_key"],
            "approved key",
        )?;
        need(
            persisted[&format!("{approved}_plan_hash")] == persisted[hash],
            "approved hash",
        )?;
    }
    let responses = hosted["responses"].as_array().cloned().unwrap_or_default();
    let trusted: Vec<&Value> = responses
        .iter()
        .filter(|one| one["author_database_id"] == 199_175_422 && one["author_type"] == "Bot")
        .filter(|one| text(&one["created_at"]) > text(&request["created_at"]))
        .filter(|one| text(&one["content_version_at"]) <= text(&hosted["observed_at"]))
        .collect();
    need(!trusted.is_empty(), "a trusted response")?;
    let wanted = if action == "apply-fix" {
        "findings"
    } else {
        "no-findings"
    };
    let actionable = hosted["actionable_threads"]
        .as_array()
        .is_some_and(|threads| !threads.is_empty());
    let says = trusted.iter().any(|one| one["outcome"] == wanted) || (action == "apply-fix" && actionable);
    need(says, "what it says")?;
    need(action == "apply-fix" || !actionable, "no actionable thread")
}

#[test]
fn ten_thousand_mutated_documents_never_panic_and_never_write_unprepared() {
    let mut approved_finalization: RecurringState = no_findings(Mode::ApprovalGated).expect("a state");
    approve(&mut approved_finalization, ClaimPurpose::Finalization);
    let mut documents: Vec<(String, Json)> = EXAMPLES
        .iter()
        .map(|(name, _)| (kind(name).to_owned(), example(name).expect(name)))
        .collect();
    documents.push(("recurring".to_owned(), approved_finalization.write()));
    // Write-capable states are the ones worth forging.
    let writing: Vec<(String, Json)> = documents
        .iter()
        .filter(|(kind, document)| {
            kind == "recurring"
                && evaluate(kind, document.canonical().as_bytes()).is_ok_and(|decision| {
                    decision.get("automation_action") == Some(&Json::text("pause-and-claim"))
                })
        })
        .cloned()
        .collect();
    assert_eq!(writing.len(), 4);
    let mut pool = BTreeMap::new();
    for (_, document) in &documents {
        values_by_field(document, "", &mut pool);
    }
    let mut random = Random(20_260_301);
    let (mut refused, mut decided, mut written) = (0, 0, 0);
    for round in 0..10_000 {
        let (kind, original) = if round % 2 == 0 {
            random.pick(&writing)
        } else {
            random.pick(&documents)
        };
        let mut document = original.clone();
        for _ in 0..=random.below(3) {
            let mut target = random.below(size(&document));
            mutate(&mut document, "", &mut target, &mut random, &pool);
        }
        let text = document.canonical();
        match evaluate(kind, text.as_bytes()) {
            Err(_) => refused += 1,
            Ok(decision) => {
                decided += 1;
                let action = match decision.get("action") {
                    Some(Json::Text(action)) => action.clone(),
                    _ => String::new(),
                };
                if action == "apply-fix" || action == "finalize" {
                    written += 1;
                    let state: Value = serde_json::from_str(&text).expect("JSON");
                    assert_eq!(may_write(&state, &action), Ok(()), "{action}: {text}");
                }
            }
        }
    }
    // The generator is worth something only while all three happen often.
    assert!(
        refused > 2_000 && decided > 1_000 && written > 200,
        "{refused} {decided} {written}"
    );
}
