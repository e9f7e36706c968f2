// Package ethtool reads outputs of ethtool.
package ethtool
