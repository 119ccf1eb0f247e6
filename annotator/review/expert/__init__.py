"""What an expert decides about a case: values, rules, and ways to change a decision."""
