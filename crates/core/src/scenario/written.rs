//! Values as people write them on a command line.

use crate::sim::params::Raw;

/// `--set` values are TOML where they can be, or numbers as people write them (`netem.loss=.05`), text otherwise: `tcp.cc=reno`,
/// `time.flows=10 s`, `wifi.rts=true`.
pub(super) fn raw(v: &str) -> Raw {
    let t = v.trim();
    if let Ok(n) = t.parse::<i128>() {
        return Raw::Int(n);
    }
    if let Some(x) = t.parse::<f64>().ok().filter(|x| x.is_finite()) {
        return Raw::Float(x);
    }
    match t {
        "true" => Raw::Bool(true),
        "false" => Raw::Bool(false),
        _ => Raw::Text(unquoted(t).into()),
    }
}

/// Without TOML's quotes, of either kind, which a shell may have left.
fn unquoted(t: &str) -> &str {
    let inner = |q: char| t.strip_prefix(q)?.strip_suffix(q);
    inner('"').or_else(|| inner('\'')).unwrap_or(t)
}

/// A list as TOML has it, or as a shell leaves it when it has taken the quotes: `["cubic", "bbr"]`, `[cubic, bbr]`.
pub(super) fn list(v: &str) -> Option<Raw> {
    let inside = v.trim().strip_prefix('[')?.strip_suffix(']')?;
    let parts: Vec<&str> = inside.split(',').map(|p| p.trim().trim_matches(['"', '\''])).collect();
    Some(Raw::Text(parts.join(", ")))
}
