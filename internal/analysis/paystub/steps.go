package paystub

// maxSteps bounds what is gone over of the text of one file: bytes of it, and cells
// that are looked at beside one another. A pay stub takes a fiftieth of it at most.
const maxSteps = 4_000_000

// steps is what is left of them.
type steps struct{ left int }

// tooManySteps ends the reading of a file whose steps are spent.
type tooManySteps struct{}

// spend takes so many steps.
func (s *steps) spend(n int) {
	if s.left -= n; s.left < 0 {
		panic(tooManySteps{})
	}
}
