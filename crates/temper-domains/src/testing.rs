//! For the tests of kinds: a domain is drawn many times, and its draws are held to laws.

use std::collections::HashSet;

use temper::Choices;

use crate::builder::BuildError;
use crate::function::Function;
use crate::plan::Plan;
use crate::program::Program;
use crate::value::Value;
use crate::value_builder::{Signature, ValueBuilder};

const DRAWS: u64 = 2000;

/// What the draws of a domain must be.
pub struct Laws {
    is_inside: Box<dyn Fn(&str) -> bool>,
    met: Vec<String>,
    simplest: Option<String>,
    is_rejected: bool,
}

impl Laws {
    /// Every draw has a text of this kind.
    pub fn within(is_inside: impl Fn(&str) -> bool + 'static) -> Laws {
        Laws { is_inside: Box::new(is_inside), met: Vec::new(), simplest: None, is_rejected: false }
    }

    /// These are drawn, and nothing else.
    pub fn all(texts: &[&str]) -> Laws {
        let known: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        Laws::within(move |text| known.iter().any(|each| each == text)).meets(texts)
    }

    /// This alone is drawn.
    pub fn one(text: &str) -> Laws {
        Laws::all(&[text]).simplest(text)
    }

    /// Nothing is drawn: every draw is rejected.
    pub fn rejected() -> Laws {
        Laws { is_rejected: true, ..Laws::within(|_| false) }
    }

    /// These are among the draws.
    pub fn meets<T: AsRef<str>>(mut self, texts: &[T]) -> Laws {
        self.met.extend(texts.iter().map(|text| text.as_ref().to_owned()));
        self
    }

    /// This is what shrinking ends at when everything fails.
    pub fn simplest(mut self, text: &str) -> Laws {
        self.simplest = Some(text.to_owned());
        self
    }
}

/// Holds a domain to its laws, alone and when a precondition may refer to it.
pub fn check(domain: &str, laws: Laws) {
    check_in(&[], domain, laws);
}

/// As [`check`], in a program with further functions.
pub fn check_in(functions: &[&str], domain: &str, laws: Laws) {
    for preconditions in ["", REFERS] {
        let subject = format!(
            r#"{{"name":"f","arguments":[{{"name":"x","domain":{domain}}}],"preconditions":[{preconditions}]}}"#
        );
        let mut texts = vec![subject];
        texts.extend(functions.iter().map(|&text| text.to_owned()));
        Drawn::new(&texts).check(&laws);
    }
}

/// Holds always, but makes the solver look at the argument.
const REFERS: &str = r#"{"text":"t","condition":{"type":{"path":{"name":"x"},"names":["complex"],"negated":true}}}"#;

/// The error that a description gives contains a text.
pub fn fails(domain: &str, expected: &str) {
    let function = format!(r#"{{"name":"f","arguments":[{{"name":"x","domain":{domain},"line":3}}]}}"#);
    let error = Plan::from_json(&function).expect_err(domain);
    let shown = format!("{error}: {}", error.fact().unwrap_or_default());
    assert!(shown.contains(expected), "{shown}");
    assert!(!error.hint().is_empty());
}

/// A condition over two arguments holds for the texts of all draws, without a rejected one.
pub fn holds(arguments: &[(&str, &str); 2], condition: &str, is_met: impl Fn(&str, &str) -> bool) {
    let described = arguments.map(|(name, domain)| format!(r#"{{"name":"{name}","domain":{domain}}}"#)).join(",");
    let function =
        format!(r#"{{"name":"f","arguments":[{described}],"preconditions":[{{"text":"t","condition":{condition}}}]}}"#);
    let drawn = Drawn::new(&[function]);
    for seed in 0..DRAWS {
        let values = drawn.draw_all(&mut Choices::random(seed)).expect("nothing is rejected");
        let (first, second) = (values[0].to_string(), values[1].to_string());
        assert!(is_met(&first, &second), "{first} {second}");
    }
}

struct Drawn {
    program: Program,
    signatures: Vec<Signature>,
}

impl Drawn {
    fn new(functions: &[String]) -> Drawn {
        let read: Vec<Function> = functions.iter().map(|text| serde_json::from_str(text).expect(text)).collect();
        let plans = read.iter().map(|function| Plan::compile(function).expect(&functions[0])).collect();
        Drawn { program: Program { plans }, signatures: read.iter().map(Signature::from).collect() }
    }

    fn draw_all(&self, choices: &mut Choices) -> Result<Vec<Value>, BuildError> {
        let mut builder = ValueBuilder { signatures: self.signatures.clone(), ..ValueBuilder::default() };
        self.program.draw(choices, &mut builder)?;
        Ok(builder.values)
    }

    fn draw(&self, choices: &mut Choices) -> Result<Value, BuildError> {
        self.draw_all(choices)?.into_iter().next().ok_or(BuildError::Failed)
    }

    fn check(&self, laws: &Laws) {
        let mut seen = HashSet::new();
        for seed in 0..DRAWS {
            let mut choices = Choices::random(seed);
            let drawn = self.draw(&mut choices);
            if laws.is_rejected {
                assert_eq!(drawn, Err(BuildError::Rejected));
                continue;
            }
            let text = drawn.expect("nothing is rejected").to_string();
            assert!((laws.is_inside)(&text), "{text} is not in the domain");
            let again = self.draw(&mut Choices::replay(&choices.recorded()));
            assert_eq!(again.map(|value| value.to_string()), Ok(text.clone()), "the record gives its draw again");
            seen.insert(text);
        }
        for text in &laws.met {
            assert!(seen.contains(text), "{text} was not drawn in {DRAWS} draws");
        }
        if let Some(simplest) = &laws.simplest {
            assert_eq!(&self.shrunk(), simplest);
        }
    }

    /// Where shrinking ends if every input fails.
    fn shrunk(&self) -> String {
        let mut choices = Choices::random(1);
        self.draw(&mut choices).expect("nothing is rejected");
        let domain = temper::domain::compose(|choices: &mut Choices| self.draw(choices).map_err(|_| temper::Rejected));
        let report = temper::forall(domain).seed(1).budget(10).shrink_budget(10_000).run(|_| false);
        report.value().expect("every input fails").to_string()
    }
}

/// The description of a value that the user wrote out, without its braces.
pub fn constant(text: &str) -> String {
    format!(r#""index":0,"text":"{text}""#)
}
