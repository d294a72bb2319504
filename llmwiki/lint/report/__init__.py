"""Findings as text in the forms that people and programs read: findings in, text out."""
