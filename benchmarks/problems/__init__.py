"""Problems that a user writes in Python."""
