"""What a model's replies are worth on a task: orders met, arguments right, what went wrong."""
