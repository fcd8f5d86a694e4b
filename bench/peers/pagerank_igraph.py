"""PageRank by igraph (prpack). Reads a CSR graph, u32 little endian: n + 1 starts in argv[1], ends in argv[2].

Answers each line of stdin with the milliseconds of one run; the last scores, f64, go to argv[3]. Walks restart at the
rows named from argv[4] on, or everywhere.
"""

import array
import sys
import time

import igraph


def numbers(path):
    with open(path, "rb") as file:
        values = array.array("I")
        values.frombytes(file.read())
    return values


starts, ends = numbers(sys.argv[1]), numbers(sys.argv[2])
nodes = len(starts) - 1
edges = [(node, ends[e]) for node in range(nodes) for e in range(starts[node], starts[node + 1])]
graph = igraph.Graph(n=nodes, edges=edges, directed=True)
seeds = [int(row) for row in sys.argv[4:]]
options = {"damping": 0.85, "implementation": "prpack"}
reset = [0.0] * nodes
for seed in seeds:
    reset[seed] = 1.0 / len(seeds)
for _ in sys.stdin:
    begun = time.perf_counter()
    scores = graph.personalized_pagerank(reset=reset, **options) if seeds else graph.pagerank(**options)
    milliseconds = 1000 * (time.perf_counter() - begun)
    with open(sys.argv[3], "wb") as file:
        array.array("d", scores).tofile(file)
    print(milliseconds, flush=True)
