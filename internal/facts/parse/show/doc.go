// Package show has what the show commands of switches share, whatever the family.
package show
