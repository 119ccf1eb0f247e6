"""What a case is, and what an answer to it is worth: pure, without Qt, SQL or network."""
