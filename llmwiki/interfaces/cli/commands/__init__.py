"""The commands of `wiki`, one or a few a file; `command_table.py` names them."""
