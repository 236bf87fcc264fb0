"""What people read: summaries of stored runs, and tables made from them."""
