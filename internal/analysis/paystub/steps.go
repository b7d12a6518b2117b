package paystub

// maxSteps bounds the work on the text of one file: its bytes, and comparisons of cells. A
// pay stub takes at most a fiftieth of it.
const maxSteps = 4_000_000

// steps is the remaining budget.
type steps struct{ left int }

// tooManySteps ends the reading of a file whose steps are spent.
type tooManySteps struct{}

// spend takes so many steps.
func (s *steps) spend(n int) {
	if s.left -= n; s.left < 0 {
		panic(tooManySteps{})
	}
}
