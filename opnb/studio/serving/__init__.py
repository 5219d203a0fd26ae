"""What the server lets in and what it tells: the guard before Streamlit, health, login. Nothing of a page."""
