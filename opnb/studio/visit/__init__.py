"""What a visit holds: its state, settings, data, results, and how they leave and come back. No Streamlit."""
