"""Work on the machines of a Dask cluster: `temper bounds --executor dask://tcp://scheduler:8786`.

`bridge.py` is a process next to the command, a client of the cluster; `plugin.py` runs in the workers of the cluster and keeps a
`temper serve` there; `project_copy.py` is how the project gets to them. All three pass pieces of work on as bytes, which only the
Rust side reads (`crates/temper-worker/src/remote/`).
"""
