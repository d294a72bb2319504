"""The transaction and the three named writers: `land` (committed), `derive`, `private`."""
