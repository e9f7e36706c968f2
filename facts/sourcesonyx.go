package facts

// onyxSources are the outputs of Onyx and MLNX-OS.
func onyxSources() []source {
	return nil
}
