# The Debian package, by dpkg-deb alone: what is in it is built already; sourced.

# system_tree ARCH DIR ZSH FISH: the program and what goes with it where Linux distributions have it.
system_tree() {
	mkdir -p "$2/usr/bin" "$2/usr/lib/linerate" "$2/usr/share/man/man1" "$2/usr/share/bash-completion/completions" "$2/$3" "$2/$4" "$2/usr/share/doc/linerate"
	cp "$(binary "linux/$1")" "$2/usr/bin/linerate"
	find "$helpers" -type f -exec cp {} "$2/usr/lib/linerate" \;
	rmdir "$2/usr/lib/linerate" 2>/dev/null || true
	for page in "$WORK"/common/man/man1/*.1; do
		gzip -9nc "$page" >"$2/usr/share/man/man1/$(basename "$page").gz"
	done
	cp "$WORK/common/completions/linerate.bash" "$2/usr/share/bash-completion/completions/linerate"
	cp "$WORK/common/completions/linerate.zsh" "$2/$3/_linerate"
	cp "$WORK/common/completions/linerate.fish" "$2/$4/linerate.fish"
	cp -R "$WORK"/common/*.md "$WORK/common/docs" "$WORK/common/examples" "$WORK/common/MODULES" "$WORK/common/NOTICE" "$2/usr/share/doc/linerate"
}

deb() {
	tree=$WORK/deb/$1
	system_tree "$1" "$tree" usr/share/zsh/vendor-completions usr/share/fish/vendor_completions.d
	doc=$tree/usr/share/doc/linerate
	gzip -9n "$doc/NOTICE"
	printf 'linerate (%s) unstable; urgency=medium\n\n  * Version %s, of commit %s.\n\n -- %s  %s\n' \
		"$PACKAGED" "$VERSION" "$COMMIT" "$PACKAGER" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
	cat >"$doc/copyright" <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: linerate
Comment: /usr/bin/linerate contains the modules in MODULES; their licences are in NOTICE.gz.

Files: *
Copyright: $(date -u -d "@$SOURCE_DATE_EPOCH" +%Y) The linerate authors
License: Apache-2.0
 On Debian systems, the full text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
END
	overrides "$1" "$tree/usr/share/lintian/overrides"
	mkdir -p "$tree/DEBIAN"
	# As dpkg-gencontrol counts it: each file in whole KiB, each folder one.
	size=$(find "$tree/usr" -type f -printf '%s\n' | awk '{ n += int(($1 + 1023) / 1024) } END { print n }')
	size=$((size + $(find "$tree/usr" -type d | wc -l)))
	cat >"$tree/DEBIAN/control" <<END
Package: linerate
Version: $PACKAGED
Architecture: $1
Maintainer: $PACKAGER
Installed-Size: $size
Recommends: openssh-client, iproute2, ethtool, nftables
Suggests: ibverbs-utils, mstflint, lldpd, rsync, smbclient, openmpi-bin, gcc, libc6-dev, libibverbs-dev, librdmacm-dev
Section: net
Priority: optional
Description: get a fast storage network to line rate
 linerate plans a fast storage network from one file, configures its hosts and
 switches, measures every link in both directions, and says for each what it
 carries, what it could carry, and which part holds it back.
 .
 It needs nothing on the other hosts: it sends itself over ssh, and is gone
 when the run ends. A fabric can be tried in a lab of network namespaces on one
 machine first.
END
	(cd "$tree" && find usr -type f | sort | xargs -d '\n' md5sum >DEBIAN/md5sums)
	settle "$tree"
	dpkg-deb --root-owner-group --threads-max=1 -Zxz -z6 --build "$tree" "$2/linerate_${PACKAGED}_$1.deb" >/dev/null
	rm -rf "$tree"
}

# overrides says to lintian why it is as it is.
overrides() {
	mkdir -p "$2"
	cat >"$2/linerate" <<'END'
# Programs of Go have their libraries in them; so nothing has to be installed where linerate sends itself to.
linerate: statically-linked-binary [usr/bin/linerate]
END
	[ ! -d "$tree/usr/lib/linerate" ] || cat >>"$2/linerate" <<'END'
# They are sent to hosts of either architecture, and need what these have; nothing here runs them but on such a host.
linerate: binary-from-other-architecture [usr/lib/linerate/*]
linerate: undeclared-elf-prerequisites * [usr/lib/linerate/*]
END
}
