// SPDX-License-Identifier: MIT
// Run a command, read its output by the events of Node's child_process, and count
// what comes.
//
//	node consume_node.js REPORT COMMAND [ARG ...]
//
// Writes a line of JSON: the numbers of bytes, reads and lines; the wall time and
// this process's processor time from the start of the command to its end, and the
// processor time that was gone before, in seconds.

"use strict";

const { spawn } = require("node:child_process");
const { writeFileSync } = require("node:fs");

const [report, ...command] = process.argv.slice(2);
const counts = { bytes: 0, reads: 0, lines: 0 };

function cpuSeconds() {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1e6;
}

function count(chunk) {
	counts.bytes += chunk.length;
	counts.reads++;
	let place = -1;
	while ((place = chunk.indexOf(10, place + 1)) >= 0) {
		counts.lines++;
	}
}

const startup_cpu_s = cpuSeconds();
const begin = performance.now();
const child = spawn(command[0], command.slice(1),
	{ stdio: ["ignore", "pipe", "inherit"] });
child.stdout.on("data", count);
child.on("close", (status) => {
	const wall_s = (performance.now() - begin) / 1e3;
	const cpu_s = cpuSeconds() - startup_cpu_s;
	writeFileSync(report,
		JSON.stringify({ ...counts, wall_s, cpu_s, startup_cpu_s }) + "\n");
	process.exitCode = status ?? 1;
});
