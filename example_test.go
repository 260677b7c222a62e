package plimsoll_test

import (
	"fmt"

	"github.com/plimsoll/plimsoll/pricing"
)

// The README's first program.
func Example() {
	list := pricing.CC28XLarge2013()
	reserved, onDemand := list.Classes[5], pricing.OnDemand(list.OnDemand)
	if busy, ok := reserved.BreakEven(onDemand); ok {
		fmt.Printf("reserve (%s) what is busy %.1f%% of the time\n", reserved.Name, 100*busy)
	}
	// Output: reserve (3y-heavy) what is busy 27.2% of the time
}
