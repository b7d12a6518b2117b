package pdf

// Spent returns the work that reading a file takes, and the error.
func Spent(b []byte) (int, error) {
	r := newReader(b)
	_, err := r.file()
	return maxWork - r.left.work, err
}
