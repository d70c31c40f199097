#!/bin/sh
# Runs Temper on the examples. The command to run is the first argument: `make demo` passes the one in .venv.
set -eu
temper=${1:-temper}
examples=$(cd "$(dirname "$0")" && pwd)

# Findings end with exit code 1, undecided sites with 4: here both are what is shown.
show() {
    printf '\n$ temper %s\n' "$*"
    "$temper" "$@" || case $? in 1 | 4) ;; *) exit 1 ;; esac
}

cd "$examples/mlkit"
printf 'examples/mlkit: a small project with random tests\n'
show scan
show bounds --runs 300 --quiet

cd "$examples/densenet"
printf '\nexamples/densenet: a function with annotations, after listings 1 and 2 of the AnnoTest paper\n'
show check --quiet
show replay df1428

cd "$examples/iris"
printf '\nexamples/iris: the iris data and a nearest-neighbour classifier\n'
show model iris.csv --target species --train 'knn:Neighbours(90)' --quiet

cd "$examples/labyrinth"
printf '\nexamples/labyrinth: a property that is searched with a utility\n'
# A saved counterexample would be tried first, and there would be no climb to see.
rm -rf regressions
printf '\n$ pytest --temper-report\n'
"$(dirname "$temper")/python" -m pytest --temper-report -q --no-header -p no:cacheprovider -p no:randomly || test $? -eq 1
rm -rf regressions

cd "$examples"
printf '\nthe last runs of all four projects on one page\n'
show report mlkit densenet iris labyrinth --format html --output report.html
printf 'written: examples/report.html\n'
