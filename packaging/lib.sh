# What the parts of build.sh share; sourced.

die() {
	echo "dist: $*" >&2
	exit 1
}

# versions sets VERSION, as the program says it and archives are named; PACKAGED, the same for dpkg and rpm, where ~ sorts before the
# release; COMMIT; SOURCE_DATE_EPOCH, when it was committed (https://reproducible-builds.org/specs/source-date-epoch/); PACKAGER.
versions() {
	COMMIT=$(git rev-parse HEAD)
	SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
	PACKAGER=$(git log -1 --format='%cn <%ce>')
	export SOURCE_DATE_EPOCH
	release='^v(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}(-[0-9A-Za-z.]+)?$' # a tag that Go takes for a version
	# The newest, as Go has it, where a commit has several.
	VERSION=$(git tag --points-at HEAD | grep -E "$release" | sed 's/-/~/' | sort -V | tail -n 1 | sed 's/~/-/; s/^v//')
	if [ -n "$VERSION" ]; then
		PACKAGED=$(echo "$VERSION" | sed 's/-/~/; s/-/./g')
		return
	fi
	VERSION=$(echo "$COMMIT" | cut -c -12)
	PACKAGED="0~git$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S).$VERSION"
}

# binary is where the program of a system is.
binary() {
	case $1 in
	windows/*) echo "$WORK/bin/$1/linerate.exe" ;;
	*) echo "$WORK/bin/$1/linerate" ;;
	esac
}

# program builds it. Settings of whoever builds do not get in.
program() {
	env GOFLAGS= GOENV=off GOWORK=off GOTOOLCHAIN=local GOEXPERIMENT= GOAMD64=v1 GOARM64=v8.0 CGO_ENABLED=0 \
		GOOS="${1%/*}" GOARCH="${1#*/}" go build -trimpath -buildvcs=true -ldflags='-s -w' -o "$(binary "$1")" ./cmd/linerate
	# A tree that is not that of the commit would be packed under its name.
	if go version -m "$(binary "$1")" | grep -q 'vcs.modified=true'; then
		git status --short >&2
		die "$1: the clone is not as the commit"
	fi
}

# settle gives all files of a tree the time of the commit and no other rights than to be read, and to be executed where they are programs.
settle() {
	find "$1" -type d -exec chmod 755 {} +
	find "$1" -type f -perm -100 -exec chmod 755 {} +
	find "$1" -type f ! -perm -100 -exec chmod 644 {} +
	find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}
