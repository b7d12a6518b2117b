package pdf

// Spent returns how much work a file takes of the budget, and what came of it.
func Spent(b []byte) (int, error) {
	r := newReader(b)
	_, err := r.file()
	return maxWork - r.left.work, err
}
