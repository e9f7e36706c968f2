package facts

// freebsdSources are the outputs of FreeBSD's and TrueNAS's tools.
func freebsdSources() []source {
	return nil
}
