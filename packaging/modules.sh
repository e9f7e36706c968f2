# What is in the programs beside linerate's own source, by what Go wrote into them; sourced.

# used lists the modules of all programs: path, version, sum.
used() {
	for s in $SYSTEMS; do
		go version -m "$(binary "$s")" || die "$s: the modules in the program cannot be read"
	done | awk '$1 == "dep" { print $2, $3, $4 }' | sort -u
}

# folder of a module's source, or of Go's.
folder() {
	if [ "$1" = go ]; then
		go env GOROOT
		return
	fi
	env GOFLAGS= go mod download -json "$1@$2" | sed -n 's/^\t"Dir": "\(.*\)",\{0,1\}$/\1/p'
}

# texts are the files that have to be given along with a folder's code, also with what its authors took from others. Of Go's own
# tree the top is enough: what it vendors is of the same authors.
texts() {
	deep=9
	[ "$1" != "$(go env GOROOT)" ] || deep=1
	find "$1" -maxdepth "$deep" -name testdata -prune -o -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' -o -iname 'patents*' -o -iname 'authors*' \) -print | sort
}

# licence is the SPDX name of a folder's licences. One that is not known here stops the release: somebody has to read it.
licence() {
	for f in $(texts "$1"); do
		case ${f##*/} in [Nn][Oo]* | [Pp][Aa]* | [Aa][Uu]*) continue ;; esac
		text=$(tr -s ' \n\t' ' ' <"$f")
		case $text in *"Apache License"*"Version 2.0"* | *"Apache License, Version 2.0"*) echo Apache-2.0 ;; esac
		case $text in *"Permission is hereby granted, free of charge"*) echo MIT ;; esac
		case $text in
		*"Redistribution and use in source and binary forms"*"either the name"*) echo BSD-3-Clause ;;
		*"Redistribution and use in source and binary forms"*) echo BSD-2-Clause ;;
		*"Apache License"* | *"Permission is hereby granted, free of charge"*) ;;
		*) die "$f: which licence this is is not known to packaging/modules.sh; read it, and add it there if it may be given along" ;;
		esac
	done >"$WORK/licences"
	[ -s "$WORK/licences" ] || die "$1: there is no text of a licence"
	sort -u "$WORK/licences" | sed 's/$/ AND /' | tr -d '\n' | sed 's/ AND $//'
}

# modules prints a line each: module, version, licence, sum as in go.sum.
modules() {
	go_version=$(go env GOVERSION)
	at=$(folder go)
	printf '# What the programs of linerate %s are made of beside its own source (Apache-2.0): module, version, licence, sum (as in go.sum).\n' "$VERSION"
	name=$(licence "$at")
	printf '%s\t%s\t%s\t-\n' "go (standard library and runtime)" "$go_version" "$name"
	used | while read -r path version sum; do
		at=$(folder "$path" "$version")
		[ -n "$at" ] || die "$path $version: its source is not here"
		name=$(licence "$at") || exit 1
		printf '%s\t%s\t%s\t%s\n' "$path" "$version" "$name" "$sum"
	done
}

# notice prints the texts.
notice() {
	echo "linerate is licensed under the Apache License 2.0 (LICENSE). Its programs contain the works below; these are the texts that come with them."
	{ echo "go $(go env GOVERSION)"; used; } | while read -r path version _; do
		at=$(folder "$path" "$version")
		found=$(texts "$at")
		for f in $found; do
			printf '\n%s\n%s %s: %s\n%s\n\n' "$(printf '%080d' 0 | tr 0 =)" "$path" "$version" "${f#"$at"/}" "$(printf '%080d' 0 | tr 0 =)"
			cat "$f"
		done
	done
}
