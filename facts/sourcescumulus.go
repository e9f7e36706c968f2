package facts

// cumulusSources are the outputs of Cumulus Linux.
func cumulusSources() []source {
	return nil
}
