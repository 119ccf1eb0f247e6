"""The legal orders of a task: counted, sampled and listed lazily; and the paths the released code lists."""
