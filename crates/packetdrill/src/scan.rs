//! From text to words: a cursor that knows lines, comments and brackets.

/// A cursor in a script.
pub struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Scan<'a> {
    /// At the start of `text`.
    pub fn new(text: &'a str) -> Scan<'a> {
        Scan { text: text.as_bytes(), at: 0, line: 1 }
    }
    /// The line that the cursor is on, from 1.
    pub fn line(&self) -> usize {
        self.line
    }
    /// The next byte, 0 at the end.
    pub fn peek(&self) -> u8 {
        self.ahead(0)
    }
    fn ahead(&self, n: usize) -> u8 {
        self.text.get(self.at + n).copied().unwrap_or(0)
    }
    /// Whether there is nothing left.
    pub fn ended(&self) -> bool {
        self.at >= self.text.len()
    }
    /// Takes a byte.
    pub fn next(&mut self) -> u8 {
        let b = self.peek();
        if !self.ended() {
            self.at += 1;
            self.line += usize::from(b == b'\n');
        }
        b
    }
    /// Skips space and comments; over line ends too if `lines`.
    pub fn space(&mut self, lines: bool) {
        loop {
            match self.peek() {
                b'\n' if !lines => return,
                b' ' | b'\t' | b'\r' | b'\n' => {
                    self.next();
                }
                b'/' if self.ahead(1) == b'/' => self.skip_line(),
                b'#' => self.skip_line(),
                b'/' if self.ahead(1) == b'*' => {
                    self.until("*/");
                }
                _ => return,
            }
        }
    }
    fn skip_line(&mut self) {
        while !self.ended() && self.peek() != b'\n' {
            self.next();
        }
    }
    /// Takes `word` if it stands here.
    pub fn eat(&mut self, word: &str) -> bool {
        let there = self.text[self.at.min(self.text.len())..].starts_with(word.as_bytes());
        if there {
            for _ in 0..word.len() {
                self.next();
            }
        }
        there
    }
    /// Takes bytes while they satisfy `f`.
    pub fn take_while(&mut self, f: impl Fn(u8) -> bool) -> String {
        let from = self.at;
        while !self.ended() && f(self.peek()) {
            self.next();
        }
        String::from_utf8_lossy(&self.text[from..self.at]).into_owned()
    }
    /// Takes everything up to `end`, and `end`. None: it does not come.
    pub fn until(&mut self, end: &str) -> Option<String> {
        let from = self.at;
        while !self.ended() {
            let here = self.at;
            if self.eat(end) {
                return Some(String::from_utf8_lossy(&self.text[from..here]).into_owned());
            }
            self.next();
        }
        None
    }
    /// Takes the rest of the line, without comments at its end.
    pub fn rest_of_line(&mut self) -> String {
        let mut out = Vec::new();
        while !self.ended() && self.peek() != b'\n' {
            if self.peek() == b'/' && self.ahead(1) == b'/' {
                self.skip_line();
                break;
            }
            out.push(self.next());
        }
        String::from_utf8_lossy(&out).trim().to_string()
    }
    /// Where the cursor is, to return to.
    pub fn mark(&self) -> (usize, usize) {
        (self.at, self.line)
    }
    /// The line of a word between a mark and the cursor; the mark's, if it is not there.
    pub fn line_of(&self, mark: (usize, usize), word: &str) -> usize {
        let part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let words = (mark.0..self.at).filter(|&i| i == 0 || !part(&self.text[i - 1]));
        let whole = |i: &usize| {
            self.text[*i..].starts_with(word.as_bytes()) && !self.text.get(i + word.len()).is_some_and(part)
        };
        let before = words.into_iter().find(whole).unwrap_or(mark.0);
        mark.1 + self.text[mark.0..before].iter().filter(|b| **b == b'\n').count()
    }
    /// Back to a mark.
    pub fn reset(&mut self, mark: (usize, usize)) {
        (self.at, self.line) = mark;
    }
    /// A decimal number, if one stands here.
    pub fn number(&mut self) -> Option<i64> {
        let mark = self.mark();
        let digits = self.take_while(|b| b.is_ascii_digit());
        let n = digits.parse().ok();
        if n.is_none() {
            self.reset(mark);
        }
        n
    }
    /// A time in seconds (`1`, `.1`, `0.25`), as microseconds.
    pub fn seconds(&mut self) -> Option<i64> {
        let mark = self.mark();
        let whole = self.take_while(|b| b.is_ascii_digit());
        let mut us = if whole.is_empty() { Some(0) } else { whole.parse::<i64>().ok()?.checked_mul(1_000_000) };
        let mut digits = whole.len();
        // "0...0.2": the dots are not a fraction's.
        if self.peek() == b'.' && self.ahead(1).is_ascii_digit() {
            self.next();
            let frac = self.take_while(|b| b.is_ascii_digit());
            digits += frac.len();
            let six: String = frac.chars().chain("000000".chars()).take(6).collect();
            us = us.and_then(|u| u.checked_add(six.parse().ok()?));
        }
        if digits == 0 {
            self.reset(mark);
            return None;
        }
        us
    }
}
