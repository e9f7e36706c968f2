// Package config renders a plan: for every device one folder with what makes it follow the plan, what verifies that it
// does, and what takes it back. Its families are in folders of their own; it holds their table.
package config
