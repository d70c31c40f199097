//! Property testing whose inputs are searched for, not only drawn.
