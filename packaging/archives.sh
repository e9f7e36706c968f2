# Archives: one folder, that one unpacks anywhere; sourced.

# common makes what all packages have: the documents where the README's links lead, examples, man pages, completions, licences.
common() {
	c=$WORK/common
	mkdir -p "$c/completions"
	cp *.md LICENSE "$c"
	git ls-files -z docs examples | xargs -0 cp --parents -t "$c"
	tool=$(binary "$host")
	"$tool" docs man "$c/man/man1" >/dev/null
	for shell in bash zsh fish powershell; do
		case $shell in powershell) end=ps1 ;; *) end=$shell ;; esac
		"$tool" completion "$shell" >"$c/completions/linerate.$end"
	done
	modules >"$c/MODULES"
	notice >"$c/NOTICE"
}

# archive SYSTEM DIR: names in order, no owner, the commit's time, nothing of the file system it was made on.
archive() {
	name=linerate-$VERSION-$(echo "$1" | tr / -)
	tree=$WORK/archive/$name
	mkdir -p "$tree"
	cp -R "$WORK/common/." "$tree"
	cp "$(binary "$1")" "$tree"
	find "$helpers" -type f -exec cp {} "$tree" \;
	settle "$tree"
	case $1 in
	windows/*)
		# -X: no owners and no times but those of the format, which have no zone.
		(cd "$WORK/archive" && find "$name" -type f | sort | zip -q -9 -X -@ "$2/$name.zip")
		;;
	*)
		tar -C "$WORK/archive" --format=ustar --sort=name --owner=0 --group=0 --numeric-owner -cf "$tree.tar" "$name"
		gzip -9n "$tree.tar" # not by a pipe, which would hide that tar failed
		mv "$tree.tar.gz" "$2"
		;;
	esac
	rm -rf "$tree"
}
