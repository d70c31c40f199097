//! B4: noninterference of a stack machine with information-flow labels (Hritcu et al., "Testing Noninterference,
//! Quickly"), with one bug injected at a time. Drawn as their SEQUENCE generator does.

use temper::prelude::*;

const MOST_STEPS: usize = 50;

/// A number with its label: `true` is high.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atom {
    value: i64,
    is_high: bool,
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    Noop,
    Push { value: i64, is_high: bool },
    Pop,
    Add,
    Load,
    Store,
    Halt,
}

/// The bug that a machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// The sum is always labelled low.
    Add,
    /// A push drops the label.
    Push,
    /// A load forgets the label of the address.
    Load,
    /// A store forgets the label of the address.
    StoreA,
    /// A store is made without the check of the labels.
    StoreB,
    /// A stored cell is always labelled low.
    StoreC,
}

const EASY: &str = "as drawn";

/// All bugs with their names, what is asked, and the paper's times of the constructed neighbourhood over drawing.
pub const BUGS: [(Bug, &str, &str, &str); 6] = [
    (Bug::Add, "ADD", EASY, "490 of 5,801 ms"),
    (Bug::Push, "PUSH", EASY, "3 of 339 ms"),
    (Bug::Load, "LOAD", "all, at most 0.15 of drawn", "447 of 7,764 ms"),
    (Bug::StoreA, "STORE A", "all, at most 0.05 of drawn", "3,685 of 16,998 ms"),
    (Bug::StoreB, "STORE B", EASY, "4 of 341 ms"),
    (Bug::StoreC, "STORE C", EASY, "3 of 336 ms"),
];

/// A memory size, a program, and the numbers of a second program that differs in the secret constants only.
#[derive(Clone, Debug)]
pub struct Pair {
    memory: usize,
    program: Vec<Instruction>,
    varied: Vec<Instruction>,
}

/// How a run ended.
struct Run {
    steps: usize,
    memory: Option<Vec<Atom>>,
}

fn run(program: &[Instruction], memory: usize, bug: Option<Bug>) -> Run {
    let mut memory = vec![Atom { value: 0, is_high: false }; memory];
    let mut stack: Vec<Atom> = Vec::with_capacity(MOST_STEPS);
    for (steps, instruction) in program.iter().take(MOST_STEPS).enumerate() {
        if *instruction == Instruction::Halt {
            return Run { steps: steps + 1, memory: Some(memory) };
        }
        if step(*instruction, &mut stack, &mut memory, bug).is_none() {
            return Run { steps, memory: None };
        }
    }
    Run { steps: program.len().min(MOST_STEPS), memory: None }
}

/// One step; `None` when the machine is stuck.
fn step(instruction: Instruction, stack: &mut Vec<Atom>, memory: &mut [Atom], bug: Option<Bug>) -> Option<()> {
    let has = |wanted: Bug| bug == Some(wanted);
    match instruction {
        Instruction::Noop | Instruction::Halt => {}
        Instruction::Push { value, is_high } => stack.push(Atom { value, is_high: is_high && !has(Bug::Push) }),
        Instruction::Pop => {
            stack.pop()?;
        }
        Instruction::Add => {
            let (x, y) = (stack.pop()?, stack.pop()?);
            stack.push(Atom { value: x.value + y.value, is_high: (x.is_high || y.is_high) && !has(Bug::Add) });
        }
        Instruction::Load => {
            let address = stack.pop()?;
            let cell = *memory.get(usize::try_from(address.value).ok()?)?;
            stack.push(Atom { is_high: cell.is_high || (address.is_high && !has(Bug::Load)), ..cell });
        }
        Instruction::Store => {
            let (address, stored) = (stack.pop()?, stack.pop()?);
            let cell = memory.get_mut(usize::try_from(address.value).ok()?)?;
            if address.is_high && !cell.is_high && !has(Bug::StoreB) {
                return None;
            }
            let is_high = (stored.is_high || (address.is_high && !has(Bug::StoreA))) && !has(Bug::StoreC);
            *cell = Atom { is_high, ..stored };
        }
    }
    Some(())
}

/// The number of steps that the program runs, the halt counted.
pub fn steps(pair: &Pair, bug: Option<Bug>) -> usize {
    run(&pair.program, pair.memory, bug).steps
}

/// Both programs must leave memories that look the same to a low observer. A program that gets stuck says nothing and is
/// rejected. One whose variation gets stuck passes, since the variation is drawn anew for each test and the next may halt:
/// rejecting it would drive the search away from the programs that use secret addresses, which are those that can leak.
pub fn noninterference(pair: &Pair, bug: Option<Bug>) -> Outcome {
    let Some(first) = run(&pair.program, pair.memory, bug).memory else { return Outcome::Rejected };
    let Some(second) = run(&pair.varied, pair.memory, bug).memory else { return Outcome::Passed };
    let same = first.iter().zip(&second).all(|(a, b)| a.is_high == b.is_high && (a.is_high || a.value == b.value));
    if same { Outcome::Passed } else { Outcome::Failed(String::new()) }
}

/// Programs of 20 to 50 instructions, built from the back out of single instructions and sequences that make sense. The
/// variation is only drawn, never moved: a program is good when many variations show what it leaks.
pub fn pairs() -> impl Domain<Value = Pair> {
    compose(|c| {
        let memory = c.draw(&ints(0..=42usize).uniform())?;
        let target = c.draw(&ints(20..=50usize).uniform())?;
        let mut chunks: Vec<Vec<Instruction>> = Vec::new();
        let mut len = 0;
        while len < target {
            let chunk = c.draw(&compose(|c| chunk(c, memory as i64)))?;
            len += chunk.len();
            chunks.push(chunk);
        }
        let program: Vec<Instruction> = chunks.into_iter().rev().flatten().collect();
        let vary = compose(|c| Ok(program.iter().map(|i| varied(c, *i, memory as i64)).collect()));
        let varied = c.draw(&untargeted(vary))?;
        Ok(Pair { memory, program, varied })
    })
}

fn chunk(c: &mut Choices, memory: i64) -> Result<Vec<Instruction>, Rejected> {
    use Instruction::*;
    Ok(match c.weighted(&[10, 1, 1, 1]) {
        0 => vec![match c.weighted(&[400, 120, 40, 40, 40, 40, 40]) {
            0 => push(c, memory),
            1 => Halt,
            2 => Noop,
            3 => Add,
            4 => Pop,
            5 => Store,
            _ => Load,
        }],
        1 => vec![push(c, memory), push(c, memory), Add],
        2 => vec![push_address(c, memory), Load],
        _ => vec![push(c, memory), push_address(c, memory), Store],
    })
}

fn push(c: &mut Choices, memory: i64) -> Instruction {
    let is_high = c.flag(0.5);
    let value = if c.flag(0.5) { c.integer(0, memory, Spread::Uniform) } else { c.integer(-10, 10, Spread::Uniform) };
    Instruction::Push { value, is_high }
}

fn push_address(c: &mut Choices, memory: i64) -> Instruction {
    let is_high = c.flag(0.5);
    Instruction::Push { value: c.integer(0, memory, Spread::Uniform), is_high }
}

fn varied(c: &mut Choices, instruction: Instruction, memory: i64) -> Instruction {
    match instruction {
        Instruction::Push { value, is_high: true } => {
            let is_address = (0..memory).contains(&value) && c.flag(10.0 / 11.0);
            let value = if is_address {
                c.integer(0, memory - 1, Spread::Uniform)
            } else {
                c.integer(-10, 10, Spread::Uniform)
            };
            Instruction::Push { value, is_high: true }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_correct_machine_does_not_interfere() {
        let report = forall(pairs()).budget(100_000).seed(1).run(|pair| noninterference(pair, None));
        assert!(!report.is_found(), "{:?}", report.found);
    }

    #[test]
    fn a_store_through_a_secret_address_is_stuck() {
        let program = [(7, false), (1, true)].map(|(value, is_high)| Instruction::Push { value, is_high });
        let program = [&program[..], &[Instruction::Store, Instruction::Halt]].concat();
        assert!(run(&program, 3, None).memory.is_none());
        assert!(run(&program, 3, Some(Bug::StoreB)).memory.is_some());
    }
}
