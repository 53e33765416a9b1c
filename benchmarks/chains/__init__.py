"""Label sequences beside the programs that train them."""
