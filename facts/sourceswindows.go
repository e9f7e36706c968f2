package facts

// windowsSources are the outputs of Windows' PowerShell and netsh.
func windowsSources() []source {
	return nil
}
