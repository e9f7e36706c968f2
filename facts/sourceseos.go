package facts

// eosSources are the outputs of Arista EOS.
func eosSources() []source {
	return nil
}
