package manual

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// Man writes the page of one command. Format: man(7) macros as groff_man(7) and mandoc's man(7) document them. cobra's
// own writer interprets help texts as Markdown: it makes emphasis of A*B and drops <NAME>.
func (b Book) Man(w io.Writer, c *cobra.Command) error {
	var s strings.Builder
	name := PageName(c)
	fmt.Fprintf(&s, ".TH %s 1 %s %s %s\n", quoted(strings.ToUpper(name)), quoted(b.Date),
		quoted(c.Root().Name()+" "+b.Version), quoted("User Commands"))
	s.WriteString(".SH NAME\n")
	fmt.Fprintf(&s, "%s \\- %s\n", roff(name), roff(c.Short))
	s.WriteString(".SH SYNOPSIS\n.nf\n")
	fmt.Fprintf(&s, ".B %s\n.fi\n", roff(synopsis(c)))
	b.manExamples(&s, c)
	b.manText(&s, c)
	b.manFlags(&s, c)
	b.manCommands(&s, c)
	s.WriteString(".SH EXIT STATUS\n")
	for _, x := range b.Exits {
		fmt.Fprintf(&s, ".TP\n.B %d\n%s\n", x.Code, roff(x.When))
	}
	b.manEnvironment(&s, c)
	b.manSeeAlso(&s, c)
	_, err := io.WriteString(w, s.String())
	return err
}

// PageName is the name of a command's page: linerate-lab-up.
func PageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func (b Book) manText(s *strings.Builder, c *cobra.Command) {
	s.WriteString(".SH DESCRIPTION\n")
	text := c.Long
	if text == "" {
		text = sentence(c.Short)
	}
	for i, p := range paragraphs(text) {
		switch {
		case p.drawn:
			fmt.Fprintf(s, ".PP\n.nf\n%s\n.fi\n", roff(p.text))
		default:
			if i > 0 {
				s.WriteString(".PP\n")
			}
			fmt.Fprintf(s, "%s\n", roff(p.text))
		}
	}
}

func (b Book) manExamples(s *strings.Builder, c *cobra.Command) {
	all := examples(c)
	if len(all) == 0 {
		return
	}
	s.WriteString(".SH EXAMPLES\n")
	for _, x := range all {
		fmt.Fprintf(s, ".PP\n.nf\n.RS 2\n%s\n.RE\n.fi\n", roff(x[0]))
		if x[1] != "" {
			fmt.Fprintf(s, ".RS 6\n%s\n.RE\n", roff(x[1]))
		}
	}
}

func (b Book) manFlags(s *strings.Builder, c *cobra.Command) {
	all := flagsOf(c)
	if len(all) == 0 {
		return
	}
	s.WriteString(".SH OPTIONS\n")
	for _, f := range all {
		typed, value, what := FlagText(c, f)
		fmt.Fprintf(s, ".TP\n\\fB%s\\fR%s\n%s\n", roff(typed), roff(value), roff(sentence(what)))
	}
}

func (b Book) manCommands(s *strings.Builder, c *cobra.Command) {
	subs := below(c)
	if len(subs) == 0 {
		return
	}
	s.WriteString(".SH COMMANDS\n")
	for _, sub := range subs {
		fmt.Fprintf(s, ".TP\n\\fB%s\\fR(1)\n%s\n", roff(PageName(sub)), roff(sentence(sub.Short)))
	}
}

func (b Book) manEnvironment(s *strings.Builder, c *cobra.Command) {
	var lines []Variable
	if b.Env != nil {
		for _, f := range flagsOf(c) {
			if name := b.Env(c, f); name != "" {
				lines = append(lines, Variable{name, "The value of --" + f.Name + " where the command line does not give it."})
			}
		}
	}
	if !c.HasParent() {
		lines = append(lines, b.Others...)
	}
	if len(lines) == 0 {
		return
	}
	s.WriteString(".SH ENVIRONMENT\n")
	for _, v := range lines {
		fmt.Fprintf(s, ".TP\n.B %s\n%s\n", roff(v.Name), roff(v.What))
	}
}

func (b Book) manSeeAlso(s *strings.Builder, c *cobra.Command) {
	var others []string
	if c.HasParent() {
		others = append(others, PageName(c.Parent()))
		for _, sub := range below(c.Parent()) {
			if sub != c && c.Parent().HasParent() { // the first level has too many to be useful
				others = append(others, PageName(sub))
			}
		}
	}
	if len(others) == 0 {
		return
	}
	s.WriteString(".SH SEE ALSO\n")
	for i, name := range others {
		end := ","
		if i == len(others)-1 {
			end = ""
		}
		fmt.Fprintf(s, ".BR %s (1)%s\n", roff(name), end)
	}
}

// roff escapes text. The characters that roff prints differently are those of groff_char(7): - ' ` ^ ~.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimLeft(line, " "), ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// quoted is one argument of a macro.
func quoted(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }

// ManPages writes the page of every command below c that people type into a folder, which is made if it is not there,
// and returns their paths.
func (b Book) ManPages(dir string, c *cobra.Command) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for _, one := range Commands(c) {
		var page strings.Builder
		if err := b.Man(&page, one); err != nil {
			return paths, err
		}
		path := filepath.Join(dir, PageName(one)+".1")
		if err := os.WriteFile(path, []byte(page.String()), 0o644); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
