// Federation lends idle reserved instances of a data centre to the tasks of other centres,
// as [Liu21] does. Three centres in three time zones plan reservations, each for its own
// demand, and then share. The program prints what the plans cost, how much of the
// reservations is used, and which data moves. It also prints what a wrong prediction of the
// demand changes, how far sharing is from the optimum, and which findings of the paper come
// out.
//
//	go run ./examples/tools/federation
//
// runs three made-up centres at the paper's prices; with -traces A,B,C it runs logs
// in the Standard Workload Format, and -h lists the choices. With the paper's own
// logs (Parallel Workloads Archive) and windows:
//
//	go run ./examples/tools/federation -from 747,478,172 -traces \
//		UniLu-Gaia-2014-1.swf.gz,SDSC-BLUE-2000-4.2-cln.swf.gz,LANL-CM5-1994-4.1-cln.swf.gz
//
// it compares its results with the paper's figures and with the figures of an independent
// program. The figures of that program come out to the dollar.
//
// With -coalitions the program divides the cost of all centres, and says which coalitions
// would rather leave. With -schemes it plans for users in groups by term, for discounts on
// large purchases and for instances of several sizes, each beside one joint plan.
//
// Reference: [Liu21] Liu, Peng, Yu, Liu, Huang, Pan, An Instance Reservation Framework
// for Cost Effective Services in Geo-Distributed Data Centers, IEEE Transactions on
// Services Computing 14(2), 2021, section 5.
package main

import "github.com/plimsoll/plimsoll/examples/internal/cli"

var program = &cli.Program[options, *results]{
	Name: "federation", Usage: usage, Define: define, Work: federate, Text: (*results).text, Rows: (*results).rows,
	Files: []cli.File[*results]{{Flag: "svg", Write: (*results).writeSVG}},
}

func main() { program.Main() }

// federate reads or makes the centres, plans and shares.
func federate(o *options, run *cli.Run) (*results, error) {
	centres, err := o.load(run)
	if err != nil {
		return nil, err
	}
	o.note(run, centres)
	if o.coalitions {
		c, err := o.form(centres, run)
		return &results{o: o, centres: centres, coalitions: c}, err
	}
	if o.schemes {
		s, err := o.planSchemes(centres, run)
		return &results{o: o, centres: centres, schemes: s}, err
	}
	return o.evaluate(centres, run)
}
