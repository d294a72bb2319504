"""Ground floor: value types, errors, configuration and text utilities. Imports nothing of ours."""
