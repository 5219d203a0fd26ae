"""Long work: jobs in one fair queue, fits, studies, other processes, what they cost. No Streamlit."""
