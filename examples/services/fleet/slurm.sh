#!/bin/sh
# Plans a fleet by job arrays of Slurm: slurm.sh FLEET DIR N [FLAG ...]
#
#   FLEET   the program, built by: go build -o FLEET .
#   DIR     a folder that all nodes reach, for the shards (DIR/work), their logs and what
#           comes out (DIR/out)
#   N       tasks of an array
#   FLAG    flags of fleet shard, such as -curves 100000
#
# An array is submitted until fleet merge has all shards, first of the tickets and then of
# the plans. Tasks that are done do nothing, so it does not matter which tasks failed.
# SBATCH_* in the environment adds options, such as SBATCH_PARTITION and SBATCH_TIMELIMIT.
set -u
[ $# -ge 3 ] || { echo "usage: slurm.sh FLEET DIR N [FLAG ...]" >&2; exit 2; }
fleet=$1 dir=$2 n=$3
shift 3
mkdir -p "$dir/log" || exit
arrays=0
while [ $arrays -lt ${ARRAYS:-50} ]; do
	arrays=$((arrays + 1))
	job=$(sbatch --parsable --wait --requeue --array=1-"$n" --output="$dir/log/%a" --open-mode=append \
		--job-name=fleet "$0.task" "$fleet" "$dir" "$n" "$@" 2>"$dir/log/sbatch") ||
		{
			cat "$dir/log/sbatch" >&2
			[ -n "$job" ] || { echo "slurm.sh: sbatch has not taken the array: mend what it says, and run this again" >&2; exit 1; }
			echo "array $arrays: tasks failed: see $dir/log"
		}
	"$fleet" merge -dir "$dir/work" -out "$dir/out"
	status=$?
	[ $status -gt 1 ] || exit $status # the fleet is planned, or cannot be
done
echo "slurm.sh: $arrays arrays were not enough: see $dir/log" >&2
exit 1
