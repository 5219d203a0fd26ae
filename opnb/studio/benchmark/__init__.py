"""The Benchmark page: the experiment of the paper."""
