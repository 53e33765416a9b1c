"""What everything else is made of: problems, formulations, planes, vectors, and the checks of input."""
