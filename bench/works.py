# SPDX-License-Identifier: MIT
"""What is measured: the works, the filters, and the targets of bibuf.

A work is something that is written in one manner and read in another. It has a
number of ways: without a filter ("direct"), and through each of the filters. Some
have further ways to compare with.
"""

import os
import shlex
import shutil
import sys
from dataclasses import dataclass, field

from pipeline import run_hyperfine, run_pipeline, run_spawning

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
KIB, MIB = 1 << 10, 1 << 20

# The filters, by the names they have in tables. "|" makes two of them.
FILTERS = {
    "direct": "",
    "cat": "cat",
    "pv": "pv -q",
    "mbuffer": "mbuffer -q",
    "mbuffer 1M": "mbuffer -q -s 1M -m 16M",
    "buffer": "buffer",
    "bibuf": "{bibuf}",
    "bibuf --copy": "{bibuf} --copy",
}


@dataclass
class Target:
    """What one figure of bibuf's is to be: at most (or at least) a limit. If there
    are ways to compare with, the figure is the ratio to theirs, the greatest of
    them."""

    figure: str
    limit: float
    against: tuple = ()
    least: bool = False
    way: str = "bibuf"


def at_most(limit, figure, *against, way="bibuf"):
    return Target(figure, limit, against, way=way)


def at_least(limit, figure):
    return Target(figure, limit, least=True)


@dataclass
class Way:
    """One way to do a work: measure() does it once."""

    producer: list
    filters: list
    consumer: list

    def measure(self):
        return run_pipeline(self.producer, self.filters, self.consumer)

    def needs(self):
        """Return the programs and files that the ends are made of."""
        files = {word for word in self.producer + self.consumer if "/" in word}
        return files | {self.producer[0], self.consumer[0]}

    def rehearse(self):
        """Do it once before it counts; return the figures that only this gives."""
        result = run_pipeline(self.producer, self.filters, self.consumer, hold=True)
        return {"memory": result["memory"]}


@dataclass
class SpawningWay(Way):
    """One in which the consumer starts the others."""

    def command(self):
        if not self.filters:
            return self.producer
        first, *others = self.filters
        if os.path.basename(first[0]) == "bibuf":
            commands = [[*first, "--", *self.producer], *others]
        else:
            commands = [self.producer, *self.filters]
        if len(commands) == 1:
            return commands[0]
        return ["sh", "-c", " | ".join(map(shlex.join, commands))]

    def measure(self):
        return run_spawning(self.consumer, self.command())

    def rehearse(self):
        self.measure()
        return {}


@dataclass
class StartWay:
    """The start of a command that does nothing."""

    command: str

    def measure(self):
        return run_hyperfine(self.command)

    def needs(self):
        return {"hyperfine", shlex.split(self.command)[0]}

    def rehearse(self):
        return {}


@dataclass
class Work:
    name: str
    title: str
    producer: list
    consumer: list
    targets: list
    way: type = Way
    # Ways beside those of the filters, by their names.
    others: dict = field(default_factory=dict)
    # Filters of which two in a row are measured as well.
    doubled: tuple = ()

    def ways(self, filters):
        """Return its ways by their names, for filters by theirs."""
        ways = {}
        for name, stages in filters.items():
            ways[name] = self.way(self.producer, stages, self.consumer)
            if name in self.doubled:
                ways["2 x " + name] = self.way(
                    self.producer, stages * 2, self.consumer
                )
        return ways | self.others

    def compared(self):
        """Return the names of the ways that its targets compare."""
        names = {name for target in self.targets for name in target.against}
        return names | {target.way for target in self.targets}


@dataclass
class StartWork(Work):
    """It has no filters: only ways of its own."""

    def ways(self, filters):
        return self.others


class Tools:
    """The programs that the works are made of."""

    def __init__(self, build, scale):
        self.build = build
        self.scale = scale

    def path(self, name):
        return os.path.join(self.build, name)

    def produce(self, size, total, *options):
        """Write about `total` bytes, `size` at a time."""
        writes = max(1, round(total * self.scale / size))
        numbers = ["-s", str(size), "-n", str(writes * size)]
        return [self.path("bench/produce"), *numbers, *map(str, options)]

    def read(self, *options):
        return [self.path("bench/consume"), *map(str, options)]

    def libuv(self, cost_us=0):
        return [self.path("bench/consume_uv"), "-c", str(cost_us)]

    def node(self):
        return ["node", os.path.join(HERE, "consume_node.js")]

    def python(self):
        return [sys.executable, os.path.join(HERE, "consume_python.py")]


def bulk_works(tools):
    """Large writes: what a filter costs when nothing is to be gained."""
    targets = [
        at_most(1.05, "wall", "direct"),
        at_most(1.00, "wall", "pv"),
        at_most(0.80, "filter_cpu", "pv"),
    ]
    memory = [at_most(4, "memory")]
    chain = [at_most(1.15, "wall", "bibuf", way="2 x bibuf")]
    for size, name in (MIB, "1 MiB"), (64 * KIB, "64 KiB"):
        producer = tools.produce(size, 512 * MIB)
        short = name.replace(" ", "").lower()[:-2]
        yield Work(
            f"{short}-read",
            f"{name} writes, read by 64 KiB",
            producer,
            tools.read(),
            targets + (memory + chain if size < MIB else []),
            doubled=("bibuf", "pv") if size < MIB else (),
        )
        yield Work(
            f"{short}-libuv",
            f"{name} writes, read by libuv",
            producer,
            tools.libuv(),
            targets,
        )


def line_works(tools):
    """Small writes: what larger reads save the consumer."""
    yield Work(
        "4k-libuv",
        "4 KiB writes, read by libuv with 5 µs a callback",
        tools.produce(4 * KIB, 256 * MIB),
        tools.libuv(5),
        [at_most(0.95, "wall", "direct"), at_most(0.30, "filter_cpu", "pv")],
    )
    targets = [
        at_most(0.95, "wall", "direct"),
        at_most(0.65, "total_cpu", "direct"),
        at_most(0.60, "total_cpu", "cat"),
        at_least(50, "kib_per_read"),
    ]
    memory = [at_most(4, "memory")]
    for size, total in (350, 128 * MIB), (100, 48 * MIB):
        producer = tools.produce(size, total)
        yield Work(
            f"{size}-read",
            f"lines of {size} bytes, a write each, read by 64 KiB",
            producer,
            tools.read(),
            targets + (memory if size == 350 else []),
        )
        yield Work(
            f"{size}-libuv",
            f"lines of {size} bytes, a write each, read by libuv",
            producer,
            tools.libuv(),
            targets,
        )


def timed_works(tools):
    """Writes that come at their own times."""
    yield Work(
        "paced",
        "a line of 350 bytes every 10 µs, read by libuv with 20 µs a callback",
        tools.produce(350, 24 * MIB, "-p", 10),
        tools.libuv(20),
        [at_most(1 / 30, "reads", "direct"), at_most(0.60, "total_cpu", "direct")],
    )
    yield Work(
        "trickle",
        "a line of 100 bytes every 10 ms: how long it is on its way",
        tools.produce(100, 20_000, "-p", 10_000, "-t"),
        tools.read("-t"),
        [at_most(1.25, "p50", "cat"), at_most(2.00, "p99", "cat")],
    )
    total = 384 * MIB
    pausing = tools.read("-e", 8 * MIB, "-p", 10_000)
    bursts = tools.produce(64 * KIB, total, "-b", 16 * MIB, "-q", 20_000)
    yield Work(
        "bursts",
        "16 MiB and 20 ms of silence, in turn; the reader pauses 10 ms each 8 MiB",
        bursts,
        pausing,
        [at_most(1.10, "wall", "producer alone", "consumer alone")],
        others={
            "producer alone": Way(bursts, [], tools.read()),
            "consumer alone": Way(tools.produce(64 * KIB, total), [], pausing),
        },
    )


def real_works(tools):
    """Programs that people use."""
    yield Work(
        "samtools",
        "a million records from samtools view -h, read by libuv with 20 µs a callback",
        ["samtools", "view", "-h", os.path.join(ROOT, "cache/demo.bam")],
        tools.libuv(20),
        [
            at_most(1.10, "wall", "direct"),
            at_most(0.90, "total_cpu", "direct"),
            at_least(50, "kib_per_read"),
        ],
    )
    yield Work(
        "node-350",
        "Node's child_process runs the writer of lines of 350 bytes",
        tools.produce(350, 128 * MIB),
        tools.node(),
        [at_most(0.50, "wall", "direct"), at_most(0.50, "consumer_cpu", "direct")],
        way=SpawningWay,
    )
    yield Work(
        "node-64k",
        "Node's child_process runs the writer of 64 KiB",
        tools.produce(64 * KIB, 512 * MIB),
        tools.node(),
        [at_most(1.40, "wall", "direct")],
        way=SpawningWay,
    )
    yield Work(
        "python-350",
        "Python runs the writer of lines of 350 bytes: for line in p.stdout",
        tools.produce(350, 256 * MIB),
        tools.python(),
        [at_most(1.05, "wall", "direct"), at_most(0.80, "consumer_cpu", "direct")],
        way=SpawningWay,
    )
    bibuf = tools.path("bibuf")
    yield StartWork(
        "start",
        "start and end of a command that does nothing, by hyperfine",
        [],
        [],
        [at_most(1.80, "wall", "env true", way="bibuf -- true")],
        others={
            "env true": StartWay("env true"),
            "bibuf -- true": StartWay(shlex.join([bibuf, "--", "true"])),
        },
    )


def all_works(tools):
    """Return the works by their names."""
    groups = bulk_works, line_works, timed_works, real_works
    return {work.name: work for group in groups for work in group(tools)}


def stages(command):
    """Return the commands of a pipeline, each as a list of its words."""
    result = [[]]
    for word in shlex.split(command):
        if word == "|":
            result.append([])
        else:
            result[-1].append(word)
    return [words for words in result if words]


def missing(ways):
    """Return what some ways lack of programs and files, of those by name."""
    needed = set().union(*(way.needs() for way in ways.values()))
    return sorted(word for word in needed if not available(word))


def available(word):
    return os.path.exists(word) if "/" in word else bool(shutil.which(word))
