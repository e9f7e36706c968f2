//go:build !linux

package main

func spoil([]string) int { return 1 }
