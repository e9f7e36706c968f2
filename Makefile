# Only what the go command does not build.
.PHONY: verbs symbols dist dist-check dist-test
verbs symbols:
	$(MAKE) -C rdma $@

# The packages of the commit that is checked out, or of REF, in dist/VERSION (packaging/dist.sh has what else can be said).
dist:
	sh packaging/dist.sh

# Builds them twice under different circumstances; every file has to be the same.
dist-check:
	sh packaging/check.sh

# Builds what this machine can use, installs it where it does no harm, uses and removes it.
dist-test:
	sh packaging/test.sh
