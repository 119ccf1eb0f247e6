"""What review measures: agreement, stage accuracy, workload and progress."""
