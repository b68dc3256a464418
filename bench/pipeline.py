# SPDX-License-Identifier: MIT
"""Run programs joined by pipes, and measure what each of them takes.

Every program is a direct child of this process, which does nothing but wait for
it, so that the kernel tells the processor time of each one by itself. Pipes are
made afresh for each run, and nobody changes them here.
"""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time

# How long the programs that read get to be in their places, each waiting for its
# input, before the one that writes starts.
SETTLE_S = 0.03

# Whoever is not done by then hangs.
LIMIT_S = 180


class Failure(Exception):
    """A measurement that has not come about."""


def processor_seconds(usage):
    return usage.ru_utime + usage.ru_stime


def peak_memory(pid):
    """Return the most memory that a process has had so far, in MiB.

    The kernel's ru_maxrss is no use: in a new process it begins with the memory
    of the one that started it.
    """
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    raise Failure("a filter has ended before its input has")


class Children:
    """Processes that are killed at the end if they are still there."""

    def __init__(self, scratch):
        self.messages = open(os.path.join(scratch, "messages"), "w+b", 0)
        self.names = {}

    def __enter__(self):
        signal.signal(signal.SIGALRM, self._expire)
        signal.alarm(LIMIT_S)
        return self

    def __exit__(self, *exception):
        signal.alarm(0)
        for pid in self.names:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        self.messages.close()

    @staticmethod
    def _expire(_signal, _frame):
        raise Failure(f"not done within {LIMIT_S} seconds")

    def start(self, command, stdin, stdout):
        """Start a command between two descriptors; return its process."""
        descriptors = (stdin, stdout, self.messages.fileno())
        pid = os.posix_spawnp(
            command[0],
            command,
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, fd, i) for i, fd in enumerate(descriptors)
            ],
            # Python ignores them; a program in a pipeline must not.
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
        )
        self.names[pid] = os.path.basename(command[0])
        return pid

    def wait(self, pid):
        """Wait for the end of a process, which must be a good one; return its
        resource usage."""
        _, status, usage = os.wait4(pid, 0)
        name = self.names.pop(pid)
        if status != 0:
            self.messages.seek(0)
            said = self.messages.read().decode(errors="replace").strip()
            code = os.waitstatus_to_exitcode(status)
            raise Failure(f"{name}: exit status {code}" + (said and f": {said}"))
        return usage


def read_report(path):
    with open(path, encoding="ascii") as file:
        return json.load(file)


def run_pipeline(producer, filters, consumer, hold=False):
    """Run producer | filter | ... | consumer, and return what was measured.

    The wall time is from before the start of the producer, when all others are in
    their places, to the end of the consumer. The consumer is told by -o where to
    report.

    If hold is true the filters do not see the end of their input before their
    peak memory has been looked at, which is in the result then. The wall time of
    such a run is of no use.
    """
    with (
        tempfile.TemporaryDirectory() as scratch,
        contextlib.ExitStack() as stack,
        Children(scratch) as children,
    ):
        null = os.open(os.devnull, os.O_RDWR)
        stack.callback(os.close, null)
        report = os.path.join(scratch, "report")
        # From the consumer up, so that everyone finds a reader.
        stdout, pids = null, []
        for command in ([*consumer, "-o", report], *reversed(filters)):
            source, sink = os.pipe()
            pids.append(children.start(command, source, stdout))
            os.close(source)
            if stdout != null:
                os.close(stdout)
            stdout = sink
        time.sleep(SETTLE_S)

        begin = time.monotonic()
        first = children.start(producer, null, stdout)
        memory = None
        if hold:
            producer_usage = children.wait(first)
            time.sleep(SETTLE_S)
            memory = sum(peak_memory(pid) for pid in pids[1:])
        os.close(stdout)
        consumer_usage = children.wait(pids[0])
        wall = time.monotonic() - begin
        filter_usages = [children.wait(pid) for pid in pids[1:]]
        if not hold:
            producer_usage = children.wait(first)

        counts = read_report(report)
        result = {
            "bytes": counts["bytes"],
            "lines": counts["lines"],
            "wall": wall,
            "producer_cpu": processor_seconds(producer_usage),
            "filter_cpu": sum(map(processor_seconds, filter_usages)),
            "consumer_cpu": processor_seconds(consumer_usage),
            "reads": counts["reads"],
            "kib_per_read": counts["bytes"] / 1024 / max(1, counts["reads"]),
            "p50": counts.get("p50_us"),
            "p99": counts.get("p99_us"),
            "memory": memory if filters else None,
        }
        result["total_cpu"] = sum(
            result[party] for party in ("producer_cpu", "filter_cpu", "consumer_cpu")
        )
        return result


def run_spawning(consumer, command):
    """Run a consumer that starts a command and reads its output, and return what
    was measured.

    The consumer gets the path of its report and the command as arguments. It
    measures its times itself, so that those of starting its language are left out.
    """
    with tempfile.TemporaryDirectory() as scratch, Children(scratch) as children:
        report = os.path.join(scratch, "report")
        null = os.open(os.devnull, os.O_RDWR)
        try:
            pid = children.start([*consumer, report, *command], null, null)
        finally:
            os.close(null)
        # It includes that of the children the consumer has waited for.
        usage = children.wait(pid)
        counts = read_report(report)
        result = {
            "bytes": counts["bytes"],
            "lines": counts["lines"],
            "wall": counts["wall_s"],
            "consumer_cpu": counts["cpu_s"],
            "total_cpu": processor_seconds(usage) - counts["startup_cpu_s"],
        }
        if "reads" in counts:
            result["reads"] = counts["reads"]
            result["kib_per_read"] = counts["bytes"] / 1024 / counts["reads"]
        return result


def run_hyperfine(command):
    """Return how long a command takes from its start to its end, by hyperfine."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as export:
        options = ["-N", "--warmup=20", "--runs=200", f"--export-json={export.name}"]
        done = subprocess.run(
            ["hyperfine", *options, command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise Failure(done.stderr.strip())
        timed = json.load(export)["results"][0]
        return {"wall": timed["median"], "total_cpu": timed["user"] + timed["system"]}
