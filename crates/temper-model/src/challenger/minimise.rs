//! Minimising a smooth convex function: L-BFGS (Liu and Nocedal 1989) with backtracking.

/// Steps that the curvature is remembered from.
const MEMORY: usize = 8;

/// A function that writes its gradient and returns its value.
pub type Loss<'l> = dyn FnMut(&[f64], &mut [f64]) -> f64 + 'l;

/// The point after at most that many steps, or when the gradient is flat.
pub fn minimise(mut at: Vec<f64>, steps: usize, loss: &mut Loss<'_>) -> Vec<f64> {
    let mut gradient = vec![0.0; at.len()];
    let mut value = loss(&at, &mut gradient);
    let mut memory: Vec<(Vec<f64>, Vec<f64>, f64)> = Vec::new();
    for _ in 0..steps {
        if norm(&gradient) < 1e-4 {
            break;
        }
        let direction = direction(&gradient, &memory);
        let slope = dot(&direction, &gradient);
        if slope >= 0.0 {
            break;
        }
        let mut length = if memory.is_empty() { 1.0 / norm(&gradient).max(1.0) } else { 1.0 };
        let mut next_gradient = vec![0.0; at.len()];
        let (next, next_value) = loop {
            let next: Vec<f64> = at.iter().zip(&direction).map(|(at, step)| at + length * step).collect();
            let next_value = loss(&next, &mut next_gradient);
            if next_value <= value + 1e-4 * length * slope || length < 1e-8 {
                break (next, next_value);
            }
            length *= 0.5;
        };
        if next_value > value {
            break;
        }
        let step: Vec<f64> = next.iter().zip(&at).map(|(a, b)| a - b).collect();
        let change: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(a, b)| a - b).collect();
        let curvature = dot(&step, &change);
        if curvature > 1e-12 {
            memory.push((step, change, curvature));
            if memory.len() > MEMORY {
                memory.remove(0);
            }
        }
        let is_done = value - next_value < 1e-7 * value.abs().max(1e-7);
        (at, value, gradient) = (next, next_value, next_gradient);
        if is_done {
            break;
        }
    }
    at
}

/// The two-loop recursion.
fn direction(gradient: &[f64], memory: &[(Vec<f64>, Vec<f64>, f64)]) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|part| -part).collect();
    let mut factors = Vec::with_capacity(memory.len());
    for (step, change, curvature) in memory.iter().rev() {
        let factor = dot(step, &direction) / curvature;
        add(&mut direction, change, -factor);
        factors.push(factor);
    }
    if let Some((_, change, curvature)) = memory.last() {
        let scale = curvature / dot(change, change);
        direction.iter_mut().for_each(|part| *part *= scale);
    }
    for ((step, change, curvature), factor) in memory.iter().zip(factors.iter().rev()) {
        let own = dot(change, &direction) / curvature;
        add(&mut direction, step, factor - own);
    }
    direction
}

fn add(to: &mut [f64], what: &[f64], factor: f64) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += factor * what);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_valley_is_followed_to_its_bottom() {
        let mut loss = |at: &[f64], gradient: &mut [f64]| {
            gradient[0] = 2.0 * (at[0] - 3.0);
            gradient[1] = 200.0 * (at[1] + 1.0);
            (at[0] - 3.0).powi(2) + 100.0 * (at[1] + 1.0).powi(2)
        };
        let found = minimise(vec![0.0, 0.0], 100, &mut loss);
        assert!((found[0] - 3.0).abs() < 1e-3 && (found[1] + 1.0).abs() < 1e-4, "{found:?}");
    }
}
