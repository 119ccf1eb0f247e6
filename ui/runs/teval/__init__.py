"""T-Eval on the runs page: models in eleven columns, pictures, two compared, and every single item."""
