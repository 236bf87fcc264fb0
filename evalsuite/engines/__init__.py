"""Who answers: one small interface, a request in, a completion out."""
