import temper
from labyrinth import EXIT, MOVES, distance, walk
from temper import froms, lists

STEPS = lists(froms(list(MOVES)), max_len=1000)


@temper.forall(steps=STEPS)
def test_no_way_out_drawn(steps):
    assert walk(steps) != EXIT


@temper.forall(steps=STEPS)
def test_no_way_out(steps):
    end = walk(steps)
    temper.minimize(distance(end))
    assert end != EXIT
