"""How sure: functions over arrays, no files, no models."""
