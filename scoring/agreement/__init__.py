"""How far raters agree: coefficients, the overlap of drawings, and what of a case is rated."""
