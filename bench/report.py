# SPDX-License-Identifier: MIT
"""Tables of what was measured, and verdicts on the targets."""

import statistics

# The columns of a table by the figures they show.
COLUMNS = {
    "wall": "wall s",
    "producer_cpu": "CPU s: producer",
    "filter_cpu": "filter",
    "consumer_cpu": "consumer",
    "total_cpu": "all",
    "reads": "reads",
    "kib_per_read": "KiB a read",
    "p50": "median µs",
    "p99": "99 % µs",
    "memory": "memory MiB",
}

# Those behind which the ratio to the first row has a column of its own.
COMPARED = ("wall", "total_cpu")

# What the targets call the figures.
NAMES = {
    "wall": "wall time",
    "filter_cpu": "the filter's CPU",
    "consumer_cpu": "the consumer's CPU",
    "total_cpu": "CPU of all",
    "reads": "reads",
    "kib_per_read": "KiB a read",
    "p50": "median latency",
    "p99": "latency of 99 %",
    "memory": "MiB of memory",
}


class Figures:
    """What was measured of one way: for each figure, a sample of each run."""

    def __init__(self, rehearsed):
        self.once = rehearsed
        self.runs = []

    def samples(self, figure):
        samples = [run.get(figure) for run in self.runs] + [self.once.get(figure)]
        return [sample for sample in samples if sample is not None]

    def median(self, figure):
        """Return the median, or None if there is no such figure."""
        samples = self.samples(figure)
        return statistics.median(samples) if samples else None

    def spread(self, figure):
        samples = self.samples(figure)
        return f"{number(min(samples))}–{number(max(samples))}" if samples else ""


def number(value):
    """Return a number as text with three digits that matter."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def ratio(value, base):
    return f"{value / base:.2f}" if value is not None and base else ""


def table(ways):
    """Return the lines of a table of Figures by the names of their ways."""
    columns = [
        figure
        for figure in COLUMNS
        if any(figures.samples(figure) for figures in ways.values())
    ]
    heads = []
    for figure in columns:
        heads.append(COLUMNS[figure])
        if figure == "wall":
            heads.append("range")
        if figure in COMPARED:
            heads.append("ratio")
    lines = ["| way | " + " | ".join(heads) + " |", "|---" + "|--:" * len(heads) + "|"]
    base = next(iter(ways.values()))
    for name, figures in ways.items():
        cells = [name]
        for figure in columns:
            value = figures.median(figure)
            cells.append(number(value))
            if figure == "wall":
                cells.append(figures.spread(figure))
            if figure in COMPARED:
                cells.append(ratio(value, base.median(figure)))
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def judge(target, ways):
    """Return a target's verdict, "met" or "missed" or "no data", and a sentence."""
    medians = [
        ways[name].median(target.figure) if name in ways else None
        for name in (target.way, *target.against)
    ]
    what = NAMES[target.figure]
    if target.way != "bibuf":
        what = f"{target.way}: {what}"
    if target.against:
        what += f" / {' or '.join(target.against)}"
    if None in medians:
        return "no data", what
    value, *others = medians
    if others:
        value /= max(others)
    good = value >= target.limit if target.least else value <= target.limit
    bound = "at least" if target.least else "at most"
    side = "to spare" if good else "too little" if target.least else "too much"
    away = abs(value / target.limit - 1)
    sentence = (
        f"{what} = {number(value)}, {bound} {number(target.limit)}: {away:.0%} {side}"
    )
    return "met" if good else "missed", sentence
