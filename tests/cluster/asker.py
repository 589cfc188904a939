"""The process on a host that asks a cluster. A line of its input says how many queries; a line of its output how many
reports are those of one folder, how many miss something and say so, and how many are wrong.

    python -m tests.cluster.asker ADDRESS DEPOT SHELF
"""

import json
import sys
import time
from dataclasses import replace
from itertools import cycle, islice

from pmbf import Collection
from pmbf.cluster import changing
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.on_ray import RayExecutor

from .conftest import texts


def plain(report):
    return replace(report, texts=None, collection="", generation=0)


def main(address, depot, shelf):
    changing.PART_BYTES = 9000  # some volumes for few texts
    documents, executor = texts(31, 60), RayExecutor(address)
    with (
        ClusterCollection(
            depot, nodes=executor.nodes(), executor=executor, shelf=shelf, timeout_s=4, create=True
        ) as cluster,
        Collection(f"{depot}.pmbf", create=True) as whole,
    ):
        cluster.add_many(documents)
        whole.add_many(documents)
        queries = cycle([(text, plain(whole.screen(text))) for _, text in documents[:8]])
        print(json.dumps({"n_nodes": len(cluster.nodes.nodes), "n_volumes": len(cluster.manifest.volumes)}), flush=True)
        for order in sys.stdin:
            told = {"full": 0, "partial": 0, "wrong": 0, "longest_s": 0.0}
            for text, expected in islice(queries, int(order)):
                began = time.monotonic()
                report = plain(cluster.screen(text))
                told["longest_s"] = max(told["longest_s"], time.monotonic() - began)
                is_partial = any(one.startswith("not looked at: ") for one in report.problems)
                told["full" if report == expected else "partial" if is_partial else "wrong"] += 1
            print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
