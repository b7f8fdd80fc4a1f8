#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A chart of a saved run as SVG: bench/chart.py run.json > chart.svg

One bar per case: how many times faster the first device is than the fastest peer that gives the same
result, on a logarithmic scale; where that peer is the faster one, the bar has another colour. Cases
without such a peer are left out."""
import json
import math
import sys
from xml.sax.saxutils import escape

LEFT, WIDE, STEP, HEAD = 190, 430, 24, 56


def fastest_peers(run):
    """(case, peer's name, ratio) for each case with a peer that agrees."""
    device = run["devices"][0]["index"]
    found = {}
    for row in run["rows"]:
        if not row["main"] or row["by"] != "peer" or "wall" not in row or row.get("other"):
            continue
        ratio = next((r["ratio"] for r in row["ratios"] if r["device"] == device), None)
        if ratio and (row["case"] not in found or ratio < found[row["case"]][1]):
            found[row["case"]] = (row["name"], ratio)
    order = [case["name"] for case in run["cases"]]
    return [(case, *found[case]) for case in order if case in found]


def bar(i, case, peer, ratio, most):
    y, length = HEAD + i * STEP, WIDE * max(math.log10(ratio), 0.005) / math.log10(most)
    return (f'<text x="{LEFT - 8}" y="{y + 14}" text-anchor="end">{escape(case)}</text>'
            f'<rect x="{LEFT}" y="{y + 3}" width="{length:.1f}" height="15" rx="2" '
            f'class="{"bar" if ratio >= 1 else "slow"}"/>'
            f'<text x="{LEFT + length + 6:.1f}" y="{y + 14}" class="note">'
            f'{ratio:.3g}x {escape(peer)}</text>')


def chart(run):
    rows = fastest_peers(run)
    if not rows:
        sys.exit("chart.py: the run has no peer that gives the same result: clump bench --peers")
    most = 10 ** max(math.ceil(math.log10(max(ratio for _, _, ratio in rows))), 1)
    high = HEAD + len(rows) * STEP + 34
    env, device, size = run["environment"], run["devices"][0], run["settings"]["size"]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="860" height="{high}" '
             f'viewBox="0 0 860 {high}" font-family="sans-serif" font-size="13">'
             "<style>rect.back{fill:#fff}.bar{fill:#2b6cb0}.slow{fill:#c05621}.note{fill:#444}"
             ".axis{stroke:#ccc}</style>"
             f'<rect class="back" width="860" height="{high}"/>'
             f'<text x="16" y="24" font-size="16">Times faster than the fastest peer, '
             f"{size} x {size} pixels</text>"
             f'<text x="16" y="43" class="note">{escape(device["platform"])} on {env["cores"]} cores '
             f'of {escape(env["cpu"])}; one run, {env["date"][:10]}, with its peers</text>']
    for power in range(int(math.log10(most)) + 1):
        x = LEFT + WIDE * power / math.log10(most)
        parts.append(f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{HEAD}" y2="{high - 28}"/>'
                     f'<text x="{x:.1f}" y="{high - 12}" text-anchor="middle" class="note">'
                     f"{10 ** power}x</text>")
    parts += [bar(i, *row, most) for i, row in enumerate(rows)]
    return "\n".join(parts) + "\n</svg>"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(chart(json.load(file)))
