"""What pages rest on: operations, jobs, errors, commands and preferences."""
