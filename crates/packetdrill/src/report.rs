//! What came of a script.

/// The verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every statement was carried out and held.
    Pass,
    /// Something did not hold.
    Fail,
    /// Nothing failed, but statements were skipped.
    Skip,
}

impl Verdict {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Skip => "skip",
        }
    }
}

/// A statement that was not carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skipped {
    /// Its line.
    pub line: usize,
    /// What it asked for.
    pub what: String,
}

/// What did not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The script's line.
    pub line: usize,
    /// What was wrong.
    pub what: String,
    /// What the script expects.
    pub expected: String,
    /// What happened.
    pub actual: String,
}

/// What came of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// Statements that were carried out and held.
    pub held: usize,
    /// Expected packets and assertions among them.
    pub checked: usize,
    /// Statements that were not carried out.
    pub skipped: Vec<Skipped>,
    /// What did not hold.
    pub failure: Option<Failure>,
    /// Every packet, in order, with its time in seconds.
    pub trace: Vec<String>,
    /// What the script printed.
    pub printed: Vec<String>,
}
