//! Accounts and apps.

use serde_json::{Value, json};

use super::node::{Connection, Field, Node};
use crate::github::rest::accounts::node as account_id;
use crate::github::world::{Account, AccountKind, App, World};

/// An actor; null for a deleted account. A bot's login has no suffix here.
pub fn actor(world: &World, account: Option<&Account>) -> Field {
    Field::maybe(account.map(|account| account_node(world, account)))
}

/// A field typed `User`: null for an app, as GitHub answers.
pub fn user(world: &World, account: Option<&Account>) -> Field {
    Field::maybe(
        account
            .filter(|account| account.kind == AccountKind::User)
            .map(|account| account_node(world, account)),
    )
}

/// The `User`, `Bot` or `Organization` object.
pub fn account_node(world: &World, account: &Account) -> Node {
    let (type_name, path) = match account.kind {
        AccountKind::User => ("User", format!("/{}", account.login)),
        AccountKind::Bot => ("Bot", format!("/apps/{}", account.login)),
        AccountKind::Organization => ("Organization", format!("/{}", account.login)),
    };
    Node::new(type_name)
        .leaf("id", account_id(account))
        .leaf("databaseId", account.id)
        .leaf("login", account.login.as_str())
        .leaf("name", Value::Null)
        .leaf("email", "")
        .leaf("isViewer", *account == world.viewer)
        .leaf("isSiteAdmin", false)
        .leaf("resourcePath", path.as_str())
        .leaf("url", format!("{}{path}", world.web()))
        .leaf(
            "avatarUrl",
            format!("https://avatars.githubusercontent.com/u/{}?v=4", account.id),
        )
        .time("createdAt", world.epoch)
        .time("updatedAt", world.epoch)
        .field("organizations", Connection::empty())
}

pub fn app(app: &App) -> Node {
    Node::new("App")
        .leaf("id", format!("A_kwDO{}", app.id))
        .leaf("databaseId", app.id)
        .leaf("slug", app.slug.as_str())
        .leaf("name", app.name.as_str())
        .leaf("description", json!(""))
        .leaf("url", format!("https://{}.example.com", app.slug))
}
