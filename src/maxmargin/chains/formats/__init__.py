"""Files of label sequences: CoNLL columns, CRFsuite, SVM-HMM; and templates as JSON."""
