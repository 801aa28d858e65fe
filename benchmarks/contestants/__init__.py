"""One file a framework: the same workloads, each as its users would write them.

`WORKLOADS[id]` is a function without arguments that sets a workload up and gives `step()`, which does one unit of work and
returns when the result is there.
"""
