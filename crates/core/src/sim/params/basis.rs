//! What a default rests on. Its source says so with its first word; this is where the words are.

use super::Param;

impl Param {
    /// `calibrated`: the value with which some measurement comes out, which the source names; `assumed`: nothing measured or published
    /// decides it, or what does is another device's; `chosen`: a matter of this project alone; `fact`: what a standard, a driver, a firmware or
    /// a paper has, as named.
    pub fn basis(&self) -> &'static str {
        match self.source.split_once(": ").map_or(self.source, |(first, _)| first) {
            "calibrated" => "calibrated",
            "assumed" => "assumed",
            "this project" => "chosen",
            _ => "fact",
        }
    }
    /// The source without that word.
    pub fn evidence(&self) -> &'static str {
        let rest = ["calibrated: ", "assumed: "].iter().find_map(|word| self.source.strip_prefix(word));
        rest.unwrap_or(self.source)
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario;

    /// A word that stands elsewhere would be taken for a fact.
    #[test]
    fn whoever_assumes_says_so_first() {
        let (mut calibrated, mut assumed) = (0, 0);
        for (section, p) in scenario::schema() {
            let said = p.source.to_lowercase();
            match p.basis() {
                "calibrated" => calibrated += 1,
                "assumed" => assumed += 1,
                _ => assert!(
                    !said.contains("calibrated") && !said.contains("assumed"),
                    "{section}.{}: {}",
                    p.key,
                    p.source
                ),
            }
            assert!(!p.evidence().is_empty(), "{section}.{}", p.key);
        }
        assert!(calibrated > 5 && assumed > 10, "{calibrated} {assumed}");
    }
}
