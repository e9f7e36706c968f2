package manual

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Reference writes c and its subcommands as one page of Markdown that begins with head.
func (b Book) Reference(w io.Writer, c *cobra.Command, head string) error {
	var s strings.Builder
	s.WriteString(head)
	all := Commands(c)
	s.WriteString("\n| command | what it does |\n|---|---|\n")
	for _, one := range all[1:] {
		fmt.Fprintf(&s, "| [`%s`](#%s) | %s |\n", one.CommandPath(), PageName(one), tableText(one.Short))
	}
	s.WriteString("\n## Exit codes\n\n| code | when |\n|---|---|\n")
	for _, x := range b.Exits {
		fmt.Fprintf(&s, "| %d | %s |\n", x.Code, tableText(x.When))
	}
	if len(b.Others) > 0 {
		s.WriteString("\n## Environment variables that stand for no flag\n\n| variable | meaning |\n|---|---|\n")
		for _, v := range b.Others {
			fmt.Fprintf(&s, "| `%s` | %s |\n", v.Name, tableText(v.What))
		}
	}
	for _, one := range all[1:] {
		b.section(&s, one)
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// section is one command. Its anchor is its page's name, as GitHub derives it from the title.
func (b Book) section(s *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(s, "\n## %s\n\n", c.CommandPath())
	fmt.Fprintf(s, "%s\n\n", escape(sentence(c.Short)))
	if all := strings.Trim(c.Example, "\n"); all != "" {
		fmt.Fprintf(s, "```\n%s\n```\n\nUsage:\n\n", unindent(all))
	}
	fmt.Fprintf(s, "```\n%s\n```\n", synopsis(c))
	for _, p := range paragraphs(c.Long) {
		if p.drawn {
			fmt.Fprintf(s, "\n```\n%s\n```\n", p.text)
		} else {
			fmt.Fprintf(s, "\n%s\n", escape(p.text))
		}
	}
	if flags := flagsOf(c); len(flags) > 0 {
		s.WriteString("\n| flag | meaning | variable |\n|---|---|---|\n")
		for _, f := range flags {
			typed, value, what := FlagText(c, f)
			variable := ""
			if b.Env != nil {
				if variable = b.Env(c, f); variable != "" {
					variable = "`" + variable + "`"
				}
			}
			fmt.Fprintf(s, "| `%s%s` | %s | %s |\n", typed, value, tableText(what), variable)
		}
	}
	if subs := below(c); len(subs) > 0 {
		s.WriteString("\nCommands below it: ")
		for i, sub := range subs {
			if i > 0 {
				s.WriteString(", ")
			}
			fmt.Fprintf(s, "[`%s`](#%s)", sub.CommandPath(), PageName(sub))
		}
		s.WriteString(".\n")
	}
}

// escape escapes the special characters of Markdown.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", "&lt;", ">", "&gt;", "[", `\[`, "]", `\]`, "`", "\\`",
		"~", `\~`).Replace(text)
}

// tableText is a text in a cell of a table.
func tableText(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(escape(text))
}

// unindent removes the common indentation of all lines.
func unindent(text string) string {
	lines := strings.Split(text, "\n")
	least := -1
	for _, l := range lines {
		if n := len(l) - len(strings.TrimLeft(l, " ")); strings.TrimSpace(l) != "" && (least < 0 || n < least) {
			least = n
		}
	}
	for i, l := range lines {
		lines[i] = l[min(max(least, 0), len(l)):]
	}
	return strings.Join(lines, "\n")
}
