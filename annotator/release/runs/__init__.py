"""Asking a model every task of a set of cases, and scoring what it replied."""
