"""What pages share: the way to the visit, the address, charts, text, progress."""
