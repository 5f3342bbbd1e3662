//! A scenario's name: it stands in tables, and folders and files of results bear it.

use crate::sim::params::{Raw, Refused};

/// Characters that a name has at most.
const MOST: usize = 100;
/// Bytes of UTF-8 that it has at most: file systems allow 255 a file's name, and names of results have something beside this one.
const MOST_BYTES: usize = 200;
/// What a name may be, for messages and for `explain`.
pub(super) const RULE: &str =
    "1 to 100 characters (200 bytes) of any script on one line, without / and \\, and neither \".\" nor \"..\"";

/// Reads it. Errors: it is no text, or none that can be a file's name.
pub(super) fn read(raw: &Raw) -> Result<String, Refused> {
    match raw {
        Raw::Text(t) if is_fit(t) => Ok(t.clone()),
        _ => Err(Refused::expected(format!("a short name for results: {RULE}"))),
    }
}

fn is_fit(name: &str) -> bool {
    // The last two part lines and paragraphs, though they are no control characters.
    let breaks = |c: char| c.is_control() || matches!(c, '/' | '\\' | '\u{2028}' | '\u{2029}');
    let whole = !name.trim().is_empty() && !matches!(name, "." | "..");
    whole && name.chars().count() <= MOST && name.len() <= MOST_BYTES && !name.contains(breaks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_read(name: &str) -> bool {
        read(&Raw::Text(name.into())).is_ok()
    }

    #[test]
    fn a_name_is_of_any_script() {
        for name in ["up", "4 uploads, 802.11n (40 MHz) + tsq=6", "Übung", "एक नाम", "名前", "...", &"x".repeat(MOST)]
        {
            assert!(is_read(name), "{name}");
        }
    }

    #[test]
    fn a_name_leads_to_no_other_folder() {
        let long = "x".repeat(MOST + 1);
        let wide = "名".repeat(MOST_BYTES / 3 + 1);
        for name in
            ["", " ", ".", "..", "../../evil", "a/b", "a\\b", "a\nb", "a\tb", "a\0b", "a\u{2028}b", &long, &wide]
        {
            assert!(!is_read(name), "{name:?}");
        }
        assert!(read(&Raw::Bool(true)).unwrap_err().expected.contains(RULE));
    }
}
