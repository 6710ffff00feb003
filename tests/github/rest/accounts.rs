//! Accounts, apps, the viewer and the rate limit.

use serde_json::{Value, json};

use crate::github::time::iso;
use crate::github::world::{Account, AccountKind, App, World};

/// Login as REST writes it: a bot's ends in `[bot]`.
pub fn login(account: &Account) -> String {
    match account.kind {
        AccountKind::Bot => format!("{}[bot]", account.login),
        AccountKind::User | AccountKind::Organization => account.login.clone(),
    }
}

/// Node id of an account.
pub fn node(account: &Account) -> String {
    let prefix = match account.kind {
        AccountKind::User => "U",
        AccountKind::Bot => "BOT",
        AccountKind::Organization => "O",
    };
    format!("{prefix}_kwDO{}", account.id)
}

/// The `simple-user` object; null without an account.
pub fn user(world: &World, account: Option<&Account>) -> Value {
    let Some(account) = account else {
        return Value::Null;
    };
    let login = login(account);
    let api = format!(
        "{}/users/{}",
        world.api(),
        login.replace('[', "%5B").replace(']', "%5D")
    );
    let kind = match account.kind {
        AccountKind::User => "User",
        AccountKind::Bot => "Bot",
        AccountKind::Organization => "Organization",
    };
    let page = match account.kind {
        AccountKind::Bot => format!("{}/apps/{}", world.web(), account.login),
        AccountKind::User | AccountKind::Organization => format!("{}/{}", world.web(), account.login),
    };
    json!({
        "login": login,
        "id": account.id,
        "node_id": node(account),
        "avatar_url": format!("https://avatars.githubusercontent.com/u/{}?v=4", account.id),
        "gravatar_id": "",
        "url": api,
        "html_url": page,
        "followers_url": format!("{api}/followers"),
        "following_url": format!("{api}/following{{/other_user}}"),
        "gists_url": format!("{api}/gists{{/gist_id}}"),
        "starred_url": format!("{api}/starred{{/owner}}{{/repo}}"),
        "subscriptions_url": format!("{api}/subscriptions"),
        "organizations_url": format!("{api}/orgs"),
        "repos_url": format!("{api}/repos"),
        "events_url": format!("{api}/events{{/privacy}}"),
        "received_events_url": format!("{api}/received_events"),
        "type": kind,
        "user_view_type": "public",
        "site_admin": false,
    })
}

/// The account as REST serialises it on a reaction: an app is called `User` there unless the world says otherwise.
pub fn reaction_user(world: &World, account: Option<&Account>) -> Value {
    let mut rendered = user(world, account);
    if world.reactions_say_user && account.is_some_and(|account| account.kind == AccountKind::Bot) {
        rendered["type"] = json!("User");
    }
    rendered
}

/// The `integration` object of an app; null without one.
pub fn app(world: &World, app: Option<&App>) -> Value {
    let Some(app) = app else { return Value::Null };
    let owner = Account::organization(&format!("{}-owner", app.slug), app.id + 900_000_000);
    json!({
        "id": app.id,
        "client_id": format!("Iv1.{:016x}", app.id),
        "slug": app.slug,
        "node_id": format!("A_kwDO{}", app.id),
        "owner": user(world, Some(&owner)),
        "name": app.name,
        "description": "",
        "external_url": format!("https://{}.example.com", app.slug),
        "html_url": format!("{}/apps/{}", world.web(), app.slug),
        "created_at": "2018-07-30T09:30:17Z",
        "updated_at": "2024-04-10T20:33:16Z",
        "permissions": { "checks": "write", "contents": "read", "metadata": "read" },
        "events": ["check_run", "check_suite"],
    })
}

/// The answer of `user`.
pub fn viewer(world: &World) -> Value {
    let mut rendered = user(world, Some(&world.viewer));
    let created = iso(world.epoch - chrono::Duration::days(900));
    rendered["user_view_type"] = json!("private");
    for (name, value) in [
        ("name", json!(null)),
        ("company", json!(null)),
        ("blog", json!("")),
        ("location", json!(null)),
        ("email", json!(null)),
        ("hireable", json!(null)),
        ("bio", json!(null)),
        ("public_repos", json!(3)),
        ("public_gists", json!(0)),
        ("followers", json!(1)),
        ("following", json!(1)),
        ("created_at", json!(created)),
        ("updated_at", json!(created)),
        ("private_gists", json!(0)),
        ("total_private_repos", json!(0)),
        ("owned_private_repos", json!(0)),
        ("disk_usage", json!(10)),
        ("collaborators", json!(0)),
        ("two_factor_authentication", json!(true)),
    ] {
        rendered[name] = value;
    }
    rendered
}

/// The answer of `rate_limit`.
pub fn rate_limit(world: &World) -> Value {
    let rate = &world.rate;
    let used = rate.limit.saturating_sub(rate.remaining);
    let core = json!({ "limit": rate.limit, "used": used, "remaining": rate.remaining, "reset": rate.reset });
    let search = json!({ "limit": 30, "used": 0, "remaining": 30, "reset": rate.reset });
    json!({ "resources": { "core": core, "graphql": core, "search": search }, "rate": core })
}
