package facts

// sonicSources are the outputs of SONiC.
func sonicSources() []source {
	return nil
}
