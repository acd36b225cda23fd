"""Store: what is remembered from night to night."""
