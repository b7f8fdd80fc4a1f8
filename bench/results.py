#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables of docs/benchmarks.md from a saved run: bench/results.py run.json"""
import json
import sys

NAMES = {"Portable Computing Language": "POCL", "Intel(R) OpenCL": "Intel"}


def figure(value):
    digits = 3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{digits}f}"


def row(*cells):
    print("| " + " | ".join(cells) + " |")


def header(*cells):
    row(*cells)
    print("|---" * len(cells) + "|")


def print_environment(run, names):
    env = run["environment"]
    header("environment", "")
    row("machine", f"{env['cpu']}, {env['cores']} cores, {env['memory_gib']:.0f} GiB, "
                   f"caches {env['caches']}")
    release = ".".join(env["release"].split(".")[:2])
    row("system", f"{env['system']} {release}; clump {env['commit']}, {env['compiler']}, "
                  f"{env['build']}; {env['date']}")
    for device in run["devices"]:
        limits = device["limits"]
        row(names[device["index"]],
            f"{device['name']}, {device['platform']}, {device['driver']}: reads "
            f"{limits['read_gbs']:.0f} GB/s, copies {limits['copy_gbs']:.0f} GB/s over "
            f"{limits['bytes'] >> 20} MiB; FMA {limits['fma_f32']:.0f} GFLOP/s in float, "
            f"{limits['fma_f64']:.0f} in double")
    peers = dict(env["peers"])
    threads = peers.pop("threads")
    row("peers", ", ".join(f"{k} {v}" for k, v in peers.items()) + f"; threads: {threads}")


def limit_of(entry):
    if "limit" not in entry:
        return "–"
    by = "FMA" if entry["limit_by"].startswith("fma") else entry["limit_by"].split("_")[0]
    return f"{100 * entry['limit']:.0f} % {by}"


def print_times(run, rows, names):
    size = run["settings"]["size"]
    print(f"\nMedian wall times in ms at {size} x {size}, their noise (interquartile range over "
          "median), the share\nof the nearer limit, and how many times faster than the reference:\n")
    header("case", *(cell for name in names.values() for cell in (name, "noise", "limit", "x ref.")),
           "reference")
    for case in run["cases"]:
        mine = [r for r in rows if r["case"] == case["name"]]
        by_device = {r["device"]: r for r in mine if r["by"] == "device"}
        cells = []
        for index in names:
            r = by_device[index]
            cells += [figure(r["wall"]["median"]), f"{100 * r['wall']['noise']:.0f} %", limit_of(r),
                      figure(r["speedup"])]
        base = next(r for r in mine if r["by"] == "reference")
        row(case["name"], *cells, figure(base["wall"]["median"]))


def print_ratios(run, rows, names):
    lessons = {c["name"]: c.get("lesson") for c in run["cases"]}
    print("\nTimes faster than what one would take instead, beside the goal (bold where it is "
          "reached) and the\nratio that the lesson reports for CuPy on a Tesla T4 against NumPy "
          "and SciPy:\n")
    header("case", "peer", "peer ms", *names.values(), "goal", "lesson, T4")
    for r in rows:
        if r["by"] != "peer" or "wall" not in r:
            continue
        goal, lesson = r.get("goal"), lessons[r["case"]]
        ratios = {e["device"]: e["ratio"] for e in r["ratios"]}
        cells = [figure(ratios[i]) + "x" for i in names]
        cells = [f"**{c}**" if goal and ratios[i] >= goal else c for i, c in zip(names, cells)]
        row(r["case"], r["name"], figure(r["wall"]["median"]), *cells,
            f"{goal:g}x" if goal else "–",
            figure(lesson["cpu_ms"] / lesson["gpu_ms"]) + "x" if lesson else "–")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        run = json.load(file)
    names = {d["index"]: NAMES.get(d["platform"], d["name"]) for d in run["devices"]}
    rows = [r for r in run["rows"] if r["main"]]
    print_environment(run, names)
    print_times(run, rows, names)
    print_ratios(run, rows, names)


if __name__ == "__main__":
    main()
