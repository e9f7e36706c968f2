# Only what the go command does not build.
.PHONY: verbs symbols
verbs symbols:
	$(MAKE) -C verbs $@
