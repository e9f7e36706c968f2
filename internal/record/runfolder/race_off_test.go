//go:build !race

package runfolder

const underRace = false
