"""Judgement: what no pattern can tell of claims, asked of a model or an agent and checked here."""
