//! Releases and their assets, as far as `gh extension install` needs them.

use serde_json::{Value, json};

use super::{Answer, Place, accounts, not_found};
use crate::github::http::{Request, Response};
use crate::github::time::iso;
use crate::github::world::Release;

/// The answer of `releases/latest`.
pub fn latest(place: Place<'_>) -> Answer {
    let release = place.repository.releases.last().ok_or_else(not_found)?;
    Ok(Response::json(200, &render(place, release)))
}

/// The answer of `releases/tags/TAG`.
pub fn tagged(place: Place<'_>, tag: &str) -> Answer {
    let release = place
        .repository
        .releases
        .iter()
        .find(|release| release.tag == tag)
        .ok_or_else(not_found)?;
    Ok(Response::json(200, &render(place, release)))
}

/// The answer of `releases/assets/ID`: its bytes when asked for them, else its description.
pub fn asset(place: Place<'_>, request: &Request, id: &str) -> Answer {
    let found = place
        .repository
        .releases
        .iter()
        .flat_map(|release| release.assets.iter().map(move |asset| (release, asset)))
        .find(|(_, asset)| asset.id.to_string() == id);
    let (release, asset) = found.ok_or_else(not_found)?;
    if request.header("accept") == Some("application/octet-stream") {
        return Ok(Response::bytes(
            200,
            "application/octet-stream",
            asset.bytes.clone(),
        ));
    }
    Ok(Response::json(200, &describe(place, release, asset)))
}

fn render(place: Place<'_>, release: &Release) -> Value {
    let address = format!("{}/releases/{}", place.api(), release.id);
    let assets: Vec<Value> = release
        .assets
        .iter()
        .map(|asset| describe(place, release, asset))
        .collect();
    json!({
        "url": address,
        "html_url": format!("{}/releases/tag/{}", place.web(), release.tag),
        "assets_url": format!("{address}/assets"),
        "upload_url": format!("{address}/assets{{?name,label}}"),
        "tarball_url": format!("{}/tarball/{}", place.api(), release.tag),
        "zipball_url": format!("{}/zipball/{}", place.api(), release.tag),
        "id": release.id,
        "node_id": format!("RE_kwDO{}", release.id),
        "tag_name": release.tag,
        "target_commitish": place.repository.default_branch,
        "name": release.tag,
        "draft": false,
        "prerelease": false,
        "created_at": iso(release.created_at),
        "published_at": iso(release.created_at),
        "author": accounts::user(place.world, Some(&place.world.viewer)),
        "assets": assets,
    })
}

fn describe(place: Place<'_>, release: &Release, asset: &crate::github::world::Asset) -> Value {
    json!({
        "url": format!("{}/releases/assets/{}", place.api(), asset.id),
        "browser_download_url":
            format!("{}/releases/download/{}/{}", place.web(), release.tag, asset.name),
        "id": asset.id,
        "node_id": format!("RA_kwDO{}", asset.id),
        "name": asset.name,
        "label": null,
        "state": "uploaded",
        "content_type": "application/octet-stream",
        "size": asset.bytes.len(),
        "digest": null,
        "download_count": 0,
        "created_at": iso(release.created_at),
        "updated_at": iso(release.created_at),
        "uploader": accounts::user(place.world, Some(&place.world.viewer)),
    })
}
