package facts

// routerosSources are the outputs of RouterOS.
func routerosSources() []source {
	return nil
}
