package svgplot

import "image/color"

// What colours stand for. A colour means the same thing in all pictures of the programs and on
// the page: the classes of a price list have theirs by their place in the list, what runs on
// demand is orange, what is paid for and idle is grey. The page's style.css has the same colours,
// which a test holds.
var (
	demandColour = color.RGBA{0xe0, 0x8a, 0x3c, 0xff}
	idleColour   = color.RGBA{0xc9, 0xcc, 0xd1, 0xff}
	priceColour  = color.RGBA{0xb3, 0x32, 0x6b, 0xff}
	inkColour    = color.RGBA{0x1b, 0x23, 0x30, 0xff} // text, and lines upon areas
	softColour   = color.RGBA{0x56, 0x60, 0x6f, 0xff} // axes
	gridColour   = color.RGBA{0xe9, 0xe6, 0xde, 0xff}
)

var classColours = [...]color.RGBA{
	{0x2f, 0x6f, 0xb7, 0xff}, {0x2a, 0x94, 0x83, 0xff}, {0x85, 0x60, 0xbd, 0xff}, {0x7f, 0x9a, 0x2f, 0xff},
	{0xbb, 0x5a, 0x8d, 0xff}, {0x4a, 0xa3, 0xcc, 0xff}, {0x6d, 0x74, 0x88, 0xff}, {0x9a, 0x6b, 0x45, 0xff},
}

// classColour returns the colour of the i-th class of a list, or of the i-th of other things that
// are told apart. After eight colours the first comes again.
func classColour(i int) color.RGBA { return classColours[i%len(classColours)] }

// textColour returns a colour for text that names what has the given colour: dark enough to be read
// on white.
func textColour(c color.Color) color.RGBA {
	r, g, b, _ := c.RGBA()
	// The contrast with white is 4.5 or more at a luminance of 0.18 or less; linear in the
	// square of a channel is near enough to it.
	light := func(f float64) float64 {
		sq := func(v uint32) float64 { x := f * float64(v) / 0xffff; return x * x }
		return .2126*sq(r) + .7152*sq(g) + .0722*sq(b)
	}
	f := 1.0
	for light(f) > .16 {
		f *= .96
	}
	scale := func(v uint32) uint8 { return uint8(f * float64(v>>8)) }
	return color.RGBA{scale(r), scale(g), scale(b), 0xff}
}
