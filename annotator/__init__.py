"""What happens to a case, who may do it, and when."""
