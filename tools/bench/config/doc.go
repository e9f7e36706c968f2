// Package config measures how long linerate takes to plan and render a leaf-spine fabric of 1,000 hosts, 64 switches
// and 4,000 links, and a tenth of it. README.md has the commands and figures.
package config
