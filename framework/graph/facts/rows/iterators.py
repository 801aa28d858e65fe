"""itertools and functools."""

from __future__ import annotations

import functools
import itertools

from anfora.graph.facts.table import CALLED, DRAINED, INDEX, ITEM, KEPT, LENGTH, TRUTHS, WALKED, WHOLE, add

__all__: list[str] = []

add(itertools.chain, rest=WALKED, is_late=True)
add(itertools.chain.from_iterable, WALKED | WHOLE, by_python=True)
add(itertools.islice, WALKED, INDEX, INDEX, INDEX)
add(itertools.repeat, KEPT, INDEX, named={"object": KEPT, "times": INDEX})
add(itertools.product, rest=DRAINED | LENGTH, named={"repeat": INDEX})
add(itertools.count, WHOLE, WHOLE)
add(itertools.cycle, WALKED)
add(itertools.zip_longest, rest=WALKED, named={"fillvalue": KEPT}, by_python=True)
add(itertools.accumulate, WALKED | WHOLE, CALLED, named={"func": CALLED, "initial": KEPT}, by_python=True)
add(itertools.combinations, DRAINED | LENGTH, INDEX, by_python=True)
add(itertools.combinations_with_replacement, DRAINED | LENGTH, INDEX, by_python=True)
add(itertools.permutations, DRAINED | LENGTH, INDEX, by_python=True)
add(itertools.groupby, WALKED | WHOLE, CALLED, named={"iterable": WALKED, "key": CALLED}, by_python=True)
add(itertools.starmap, CALLED, WALKED, by_python=True)
add(itertools.takewhile, CALLED, WALKED, by_python=True)
add(itertools.dropwhile, CALLED, WALKED, by_python=True)
add(itertools.filterfalse, CALLED, WALKED, by_python=True)
add(itertools.compress, WALKED, WALKED | TRUTHS, by_python=True)
add(itertools.pairwise, WALKED | WHOLE, by_python=True)
if hasattr(itertools, "batched"):
    add(itertools.batched, WALKED, INDEX, by_python=True)
add(functools.reduce, CALLED, DRAINED, KEPT, gives=ITEM, by_python=True)
