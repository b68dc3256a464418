# SPDX-License-Identifier: MIT
"""What a measurement depends on: the machine, its load, and the versions."""

import os
import platform
import resource
import shutil
import subprocess
import time


def first_line(*command):
    """Return the first line that a command prints, or an empty one."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip().partition("\n")[0]


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name.strip() in ("model name", "Model"):
                return value.strip()
    return platform.machine()


def load():
    """Return the load averages of the last minute and the last five, as text."""
    return " and ".join(f"{value:.2f}" for value in os.getloadavg()[:2])


def version(program):
    """Return the version that a program tells of itself, or else its package."""
    name = os.path.basename(program)
    line = first_line(program, "--version").partition(" - ")[0]
    if not any(character.isdigit() for character in line):
        line = first_line("dpkg-query", "-W", "-f", "${Version}", name)
    return line if name.rstrip("3") in line.lower() else f"{name} {line or '(unknown)'}"


def versions(root, programs):
    """Return the versions of bibuf's tree and of the programs that are there."""
    commit = first_line("git", "-C", root, "describe", "--always", "--dirty")
    found = [version(program) for program in programs if shutil.which(program)]
    return [f"commit {commit or '(unknown)'}", *found]


class Noise:
    """Watches what others than this process and its children do."""

    def __init__(self):
        self.begin = self._now()

    @staticmethod
    def _now():
        with open("/proc/stat", encoding="ascii") as file:
            ticks = [int(word) for word in file.readline().split()[1:9]]
        user, nice, system, _, _, irq, softirq, steal = ticks
        own = [
            value
            for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
            for value in resource.getrusage(who)[:2]
        ]
        per_second = os.sysconf("SC_CLK_TCK")
        busy = (user + nice + system + irq + softirq) / per_second
        return time.monotonic(), busy - sum(own), steal / per_second

    def shares(self):
        """Return the shares of all processors that others have used, and that
        the host of a virtual machine has kept from it, since the beginning."""
        wall, others, steal = (
            now - then for now, then in zip(self._now(), self.begin, strict=True)
        )
        processors = wall * os.cpu_count()
        return max(0, others) / processors, steal / processors

    def is_low(self):
        """Was there so little of both that the figures can be trusted?"""
        others, steal = self.shares()
        return others < 0.05 and steal < 0.02

    def summary(self):
        others, steal = self.shares()
        return (
            f"{'' if self.is_low() else 'WARNING: the machine was not quiet. '}"
            f"Others used {others:.0%} of the processors, {steal:.0%} was stolen."
        )
