"""Pictures: of training, of weights and of taxonomies; they need matplotlib."""
