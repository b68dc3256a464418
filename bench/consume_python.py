# SPDX-License-Identifier: MIT
"""Run a command, read its output line by line, and count what comes.

usage: python3 consume_python.py REPORT COMMAND [ARG ...]

Writes a line of JSON: the numbers of bytes and lines; the wall time and this
process's processor time from the start of the command to its end, and the
processor time that was gone before, in seconds.
"""

import json
import subprocess
import sys
import time


def main(report, *command):
    startup_cpu = time.process_time()
    begin = time.monotonic()
    size = lines = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            size += len(line)
            lines += 1
    counts = {
        "bytes": size,
        "lines": lines,
        "wall_s": time.monotonic() - begin,
        "cpu_s": time.process_time() - startup_cpu,
        "startup_cpu_s": startup_cpu,
    }
    with open(report, "w", encoding="ascii") as file:
        print(json.dumps(counts), file=file)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
