//! What a name that is not there was meant to be.

/// The name in `names` that is nearest to `got`, if any is near.
///
/// Capitals count for nothing. A name of one or two letters is near to nothing but itself: half of such a name is any other. What is near
/// is alike, and has few slips (of three letters one, of more every third at most), or the one is how the other begins.
pub fn nearest<'a>(got: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let got = got.to_lowercase();
    names
        .map(|n| (n.to_lowercase(), n))
        .filter(|(small, n)| n.len() > 2 || *small == got)
        .filter(|(small, _)| {
            let slips = strsim::osa_distance(&got, small);
            slips <= (got.chars().count() / 3).max(1) || begins(small, &got) || begins(&got, small)
        })
        .map(|(small, n)| {
            (strsim::jaro_winkler(&got, &small).max(if swapped(&got, &small) { 0.9 } else { 0.0 }), small, n)
        })
        .map(|(alike, small, n)| (if released(&small, &got) { 1.0 } else { alike }, n))
        .filter(|x| x.0 > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|x| x.1.to_string())
}

/// Whether two neighbouring letters changed places and no more: of three letters that leaves little that is alike.
fn swapped(a: &str, b: &str) -> bool {
    strsim::osa_distance(a, b) == 1 && strsim::levenshtein(a, b) == 2
}

/// Whether a name is a release of that version: of 6.1 6.1.192 is, 6.12 is not.
fn released(name: &str, of: &str) -> bool {
    of.ends_with(|c: char| c.is_ascii_digit()) && name.strip_prefix(of).is_some_and(|rest| rest.starts_with('.'))
}

/// Whether a name begins with another one of three letters or more.
fn begins(name: &str, with: &str) -> bool {
    with.len() > 2 && name.starts_with(with)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near() {
        let near = |got, names: &[&'static str]| nearest(got, names.iter().copied());
        assert_eq!(near("fixed_msc", &["fixed_mhz", "fixed_mcs"]).as_deref(), Some("fixed_mcs"));
        assert_eq!(near("CUBIC", &["reno", "cubic"]).as_deref(), Some("cubic"));
        assert_eq!(near("ax", &["a", "n", "ac"]), None, "half of it is any");
        assert_eq!(near("foo", &["floor", "fq", "host"]), None, "another word");
        assert_eq!(near("rat", &["rate", "leaf"]).as_deref(), Some("rate"));
        assert_eq!(near("tsq", &["tsq_ms", "cc"]).as_deref(), Some("tsq_ms"), "how it begins");
        assert_eq!(near("tolerence_usces", &["tolerance_usecs"]).as_deref(), Some("tolerance_usecs"));
        assert_eq!(near("AC", &["a", "n", "ac"]).as_deref(), Some("ac"));
        assert_eq!(near("6.1", &["6.1.192", "6.12"]).as_deref(), Some("6.1.192"), "a release of it");
        assert_eq!(near("5.1", &["5.10", "5.10.262"]).as_deref(), Some("5.10"));
    }
}
