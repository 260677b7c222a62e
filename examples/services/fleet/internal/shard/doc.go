// Package shard plans a fleet in shards, for those who have a batch system and no engine:
// tasks that know their number and share a folder, and that may be killed and run again.
//
//	job := shard.Job{Dir: "work", Of: 16, Plan: shard.Plan{Fleet: fleet, Sample: 400, Seed: 1}}
//	err := job.Shard(3, note)          // task 3 of 16: what is next for it
//	result, err := job.Merge(note)     // when all tasks have ended
//
// A fleet takes two rounds. In the first each shard draws tickets, and Merge finds the price
// of the savings plan on the sample that they make. In the second each shard plans its groups
// at this price, and Merge commits. Shard and Merge see from the files which round it is:
//
//	file in the folder           written by          holds
//	job.json                     the first task      what all tasks must agree on
//	tickets-00003-of-00016       shard 3             the tickets of its groups
//	worth                        Merge               the price of each hour
//	plan-00003-of-00016          shard 3             plans, failures and their sum
//
// Bills take a round before these. Shard i of N reads the files i, i+N and so on, and Merge sees
// that all are read. Then each shard takes its accounts out of what all files say, and goes on as
// above. So each shard reads all files of the first round; they have a few bytes for each hour.
//
//	usage-00003-of-00016         shard 3             what its bills say of each account
//	read                         Merge               nothing: the bills are read
//	groups-00003-of-00016        shard 3             the groups of its accounts, their savings plans, and failures
//
// A file takes its name when it is whole, and has the same bytes whichever task writes it,
// and however often. So a task that has written its file has nothing to do, a task that was
// killed begins its shard again, and the plan is that of an engine to the nano. A fleet has as many
// shards as make a task short beside the time between two kills.
//
// # Files
//
// A file is a line of JSON, its header, and then records: the length of each as a uvarint, and
// its bytes, which begin with a letter for the type. The last 32 bytes are the SHA-256 of all
// before.
//
//	'S'  a market.Sum        'P', 'F'  a record.Plan, a record.Failure
//	'D'  the tickets of a shard, with the numbers of their groups
//	'W'  a market.Price      'U', 'G'  a record.Usage, a record.Group
//	'H'  a record.Inventory
package shard
