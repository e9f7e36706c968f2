package parse

// Piece is a part of a pasted terminal session: a command with its output, or commands without output, which are a
// script.
type Piece struct {
	Command string // as typed; of a script: empty
	Text    []byte
}

// Scripted adds a line to a script at the end of pieces.
func Scripted(pieces []Piece, name, line string) []Piece {
	if n := len(pieces) - 1; n >= 0 && pieces[n].Command == name {
		pieces[n].Text = append(pieces[n].Text, line+"\n"...)
		return pieces
	}
	return append(pieces, Piece{name, []byte(line + "\n")})
}
