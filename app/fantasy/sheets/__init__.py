"""Team sheets: what they must keep, what transfers cost, and which of their players count."""
