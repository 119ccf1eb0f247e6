"""The tabs beside a case: review or facts, evidence, history, comments."""
