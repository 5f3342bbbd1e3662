//! What a script says, as data.

use std::fmt;

/// A script.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Script {
    /// Command-line options (`--tolerance_usecs=20000`), in order.
    pub options: Vec<String>,
    /// The shell commands that it begins with.
    pub setup: Option<Command>,
    /// What happens, in order.
    pub events: Vec<Event>,
}

/// Shell commands between backticks.
#[derive(Clone, PartialEq, Debug)]
pub struct Command {
    /// Line that it begins on.
    pub line: usize,
    /// The text between the backticks.
    pub text: String,
}

/// A line of a script.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Its number, from 1.
    pub line: usize,
    /// When.
    pub when: When,
    /// What.
    pub what: What,
}

/// When, microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// `0.1`
    At(i64),
    /// `0.1~0.2`
    Within(i64, i64),
    /// `+.1`
    After(i64),
    /// `+.1~+.2`
    AfterWithin(i64, i64),
    /// `*`
    Any,
}

/// What happens.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// A packet.
    Packet(PacketSpec),
    /// A call of the program.
    Call(Call),
    /// Assertions (`%{ }%`).
    Code(String),
    /// Shell commands.
    Shell(Command),
    /// What a router says of a packet.
    Icmp(IcmpSpec),
    /// Something that this parser does not know.
    Unknown(String),
}

/// Whose packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// `<`: injected.
    In,
    /// `>`: expected.
    Out,
}

/// A packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PacketSpec {
    /// Whose.
    pub direction: Direction,
    /// ECN codepoint (`noecn`, `ect0`, `ect1`, `ect01`, `ce`), if it is told.
    pub ecn: Option<String>,
    /// Flags as they stand: `S`, `P.`, `SEW`.
    pub flags: String,
    /// First sequence number.
    pub seq: u32,
    /// Bytes of payload.
    pub len: u32,
    /// Acknowledgement number.
    pub ack: Option<u32>,
    /// Window as the header has it.
    pub win: Option<u16>,
    /// Options; none: `<...>`, anything goes.
    pub options: Option<Vec<TcpOption>>,
}

/// `< icmp unreachable frag_needed mtu 800 [0:1000(1000)]`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IcmpSpec {
    /// It as it stands.
    pub text: String,
    /// `frag_needed`
    pub code: String,
    /// What the path takes, bytes.
    pub mtu: Option<u32>,
    /// First sequence number of the packet that it is about.
    pub seq: u32,
}

/// An option of TCP.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TcpOption {
    /// `nop`
    Nop,
    /// `eol`
    Eol,
    /// `mss 1460`
    Mss(u16),
    /// `wscale 8`
    WindowScale(u8),
    /// `sackOK`
    SackOk,
    /// `sack 1:1001 2001:3001`
    Sack(Vec<(u32, u32)>),
    /// `TS val 100 ecr 200`
    Timestamps(u32, u32),
    /// `FO abcd1234`, `FO`; by the experimental number `FOEXP`: the cookie, and whether it is that
    FastOpen(Vec<u8>, bool),
    /// Another.
    Other(String),
}

/// A call.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// When it returns (`0...0.2`), microseconds, as the time before it is: relative if that is.
    pub until: Option<i64>,
    /// `write`
    pub name: String,
    /// Its arguments.
    pub args: Vec<Arg>,
    /// What it returns; none: `?`.
    pub returns: Option<i64>,
    /// `EAGAIN`
    pub errno: Option<String>,
}

/// An argument.
#[derive(Clone, PartialEq, Debug)]
pub enum Arg {
    /// `...`
    Dots,
    /// `1000`
    Number(i64),
    /// `O_RDWR|O_NONBLOCK`
    Names(Vec<String>),
    /// `"cubic"`
    Text(String),
    /// `[1]`
    List(Vec<Arg>),
    /// `{fd=3, events=POLLIN}`, `{..., 1000}`: fields, those without a name have an empty one
    Struct(Vec<(String, Arg)>),
}

impl Arg {
    /// The number in `1` or `[1]`.
    pub fn number(&self) -> Option<i64> {
        match self {
            Arg::Number(n) => Some(*n),
            Arg::List(v) if v.len() == 1 => v[0].number(),
            _ => None,
        }
    }
    /// A field of a structure.
    pub fn field(&self, name: &str) -> Option<&Arg> {
        match self {
            Arg::Struct(v) => v.iter().find(|f| f.0 == name).map(|f| &f.1),
            _ => None,
        }
    }
    /// Every name in it.
    pub fn all_names(&self) -> Vec<&str> {
        match self {
            Arg::Names(v) => v.iter().map(String::as_str).collect(),
            Arg::List(v) => v.iter().flat_map(Arg::all_names).collect(),
            Arg::Struct(v) => v.iter().flat_map(|f| f.1.all_names()).collect(),
            Arg::Dots | Arg::Number(_) | Arg::Text(_) => Vec::new(),
        }
    }
    /// Whether it names this.
    pub fn names(&self, name: &str) -> bool {
        matches!(self, Arg::Names(v) if v.iter().any(|n| n == name))
    }
}

impl fmt::Display for TcpOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TcpOption::Nop => f.write_str("nop"),
            TcpOption::Eol => f.write_str("eol"),
            TcpOption::Mss(n) => write!(f, "mss {n}"),
            TcpOption::WindowScale(n) => write!(f, "wscale {n}"),
            TcpOption::SackOk => f.write_str("sackOK"),
            TcpOption::Sack(b) => {
                f.write_str("sack")?;
                b.iter().try_for_each(|(l, r)| write!(f, " {l}:{r}"))
            }
            TcpOption::Timestamps(v, e) => write!(f, "TS val {v} ecr {e}"),
            TcpOption::FastOpen(cookie, experimental) => {
                f.write_str(if *experimental { "FOEXP" } else { "FO" })?;
                if !cookie.is_empty() {
                    f.write_str(" ")?;
                }
                cookie.iter().try_for_each(|b| write!(f, "{b:02x}"))
            }
            TcpOption::Other(s) => f.write_str(s),
        }
    }
}

impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arg::Dots => f.write_str("..."),
            Arg::Number(n) => write!(f, "{n}"),
            Arg::Names(v) => f.write_str(&v.join("|")),
            Arg::Text(s) => write!(f, "\"{s}\""),
            Arg::List(v) => {
                let all: Vec<String> = v.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", all.join(", "))
            }
            Arg::Struct(v) => {
                let all: Vec<String> = v.iter().map(|(name, value)| format!("{name}={value}")).collect();
                write!(f, "{{{}}}", all.join(", "))
            }
        }
    }
}

impl fmt::Display for PacketSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.direction == Direction::In { "< " } else { "> " })?;
        if let Some(e) = &self.ecn {
            write!(f, "[{e}] ")?;
        }
        let flags = if self.flags.is_empty() { "-" } else { &self.flags };
        write!(f, "{flags} {}:{}({})", self.seq, self.seq.wrapping_add(self.len), self.len)?;
        if let Some(a) = self.ack {
            write!(f, " ack {a}")?;
        }
        if let Some(w) = self.win {
            write!(f, " win {w}")?;
        }
        match &self.options {
            None => f.write_str(" <...>"),
            Some(o) if o.is_empty() => Ok(()),
            Some(o) => {
                let all: Vec<String> = o.iter().map(ToString::to_string).collect();
                write!(f, " <{}>", all.join(","))
            }
        }
    }
}
