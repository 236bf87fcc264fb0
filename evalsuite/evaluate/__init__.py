"""From a request to graded rollouts: what is asked, the one loop, and the run as it is stored."""
