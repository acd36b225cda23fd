"""Store what is remembered from night to night, in SQLite and small files."""
