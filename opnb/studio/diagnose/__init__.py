"""The Diagnose page: findings, remedies, before and after."""
