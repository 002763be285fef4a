import { execFile, spawn } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate, setTimeout as setTimeout$1 } from "node:timers/promises";
import { promisify } from "node:util";
import { connect, createServer } from "node:net";
import { homedir } from "node:os";
import { spawn as spawn$1 } from "@lydell/node-pty";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
// src/core/errors.ts
/** Every way Bellhop says no. The code is stable; the exit status is what a script sees. */
const EXIT = {
	ok: 0,
	failed: 1,
	usage: 2,
	unknownRecipient: 3,
	ambiguous: 4,
	unreachable: 5,
	look: 6,
	timedOut: 7
};
const ERROR_CODES = {
	"usage.invalid": EXIT.usage,
	"usage.unknown_command": EXIT.usage,
	"request.malformed": EXIT.usage,
	"request.too_large": EXIT.usage,
	"request.unauthorised": EXIT.failed,
	"request.forbidden": EXIT.failed,
	"recipient.unknown": EXIT.unknownRecipient,
	"recipient.ambiguous": EXIT.ambiguous,
	"session.unknown": EXIT.unknownRecipient,
	"session.exited": EXIT.failed,
	"agent.unknown": EXIT.unknownRecipient,
	"agent.exists": EXIT.failed,
	"agent.busy": EXIT.failed,
	"name.invalid": EXIT.usage,
	"message.empty": EXIT.usage,
	"message.too_large": EXIT.usage,
	"message.invalid_utf8": EXIT.usage,
	"message.conflict": EXIT.failed,
	"message.unknown": EXIT.unknownRecipient,
	"message.ambiguous": EXIT.ambiguous,
	"message.expired": EXIT.failed,
	"message.cancelled": EXIT.failed,
	"message.failed": EXIT.failed,
	"delivery.not_queued": EXIT.failed,
	"delivery.unconfirmed": EXIT.look,
	"evidence.unavailable": EXIT.look,
	"draft.none": EXIT.unknownRecipient,
	"draft.blocked": EXIT.look,
	"terminal.gone": EXIT.failed,
	"terminal.unreadable": EXIT.look,
	"tmux.missing": EXIT.failed,
	"tmux.unreachable": EXIT.failed,
	"tmux.command_failed": EXIT.failed,
	"config.invalid": EXIT.failed,
	"home.unsafe": EXIT.failed,
	"home.path_too_long": EXIT.failed,
	"store.corrupt": EXIT.failed,
	"store.too_new": EXIT.failed,
	"store.disk_full": EXIT.failed,
	"store.failed": EXIT.failed,
	"file.unsafe": EXIT.failed,
	"file.missing": EXIT.failed,
	"daemon.unreachable": EXIT.unreachable,
	"daemon.not_running": EXIT.unreachable,
	"daemon.already_running": EXIT.failed,
	"daemon.socket_taken": EXIT.failed,
	"daemon.start_failed": EXIT.unreachable,
	"daemon.version_mismatch": EXIT.unreachable,
	"daemon.stopping": EXIT.unreachable,
	"http.port_taken": EXIT.failed,
	"hooks.settings_invalid": EXIT.failed,
	"hooks.unknown_program": EXIT.usage,
	"wait.timed_out": EXIT.timedOut,
	"internal.bug": EXIT.failed
};
var BellhopError = class extends Error {
	name = "BellhopError";
	code;
	next;
	candidates;
	constructor(code, detail) {
		super(detail.message, detail.cause === void 0 ? void 0 : { cause: detail.cause });
		this.code = code;
		this.next = detail.next;
		this.candidates = detail.candidates;
	}
	get exitCode() {
		return ERROR_CODES[this.code];
	}
	toDetail() {
		return {
			code: this.code,
			message: this.message,
			next: this.next,
			...this.candidates === void 0 ? {} : { candidates: this.candidates }
		};
	}
};
function assertNever(value) {
	throw new BellhopError("internal.bug", {
		message: `Unhandled case: ${JSON.stringify(value)}.`,
		next: `Report this with the output of "bellhop logs".`
	});
}
// src/terminals/tmux/quote.ts
/** Text as tmux reads it: one layer for its command line, another for its formats. */
const PLAIN = /[^A-Za-z0-9 .,_/:@%+=#{}?&|<>()[\]*!^-]/g;
/** One argument of a tmux command line. The text must not contain NUL: see `isQuotable`. */
function quote(text) {
	return `"${text.replace(PLAIN, octal)}"`;
}
/** tmux keeps arguments as C strings. */
function isQuotable(text) {
	return !text.includes("\0");
}
function octal(character) {
	const code = character.charCodeAt(0);
	return code > 127 ? character : `\\${code.toString(8).padStart(3, "0")}`;
}
/** A literal inside `#{==:…,…}`, so that no text can close the comparison or start a format. */
function comparedLiteral(text) {
	return text.replace(/[#,}]/g, "#$&");
}
/** A literal for a command that expands formats in its argument (`load-buffer` and its kin). */
function formatLiteral(text) {
	return text.replaceAll("#", "##");
}
/** A literal for `display-message`, which also reads `%` as a time and control characters as themselves. */
function messageLiteral(text) {
	return formatLiteral(text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")).replaceAll("%", "%%");
}
// src/terminals/tmux/reply-stream.ts
const REPLY_LIMITS = {
	/** One reply: far above any screen, far below what would hurt. */
	replyBytes: 16777216,
	noticeBytes: 65536
};
const NEWLINE = 10;
const OUTPUT = /^%(?:extended-)?output (%\d+) /;
const LONGEST_OUTPUT_HEAD = 40;
var ReplyStream = class {
	#sentinelPrefix;
	#emit;
	#place = { at: "outside" };
	#clean = true;
	#carry = [];
	#carryBytes = 0;
	#replyBytes = 0;
	/** The rest of this line is dropped as it streams by. */
	#skipping = false;
	#overflowed = false;
	constructor(sentinelPrefix, emit) {
		this.#sentinelPrefix = sentinelPrefix;
		this.#emit = emit;
	}
	push(chunk) {
		let at = 0;
		while (at < chunk.length && !this.#overflowed) {
			const newline = chunk.indexOf(NEWLINE, at);
			const piece = chunk.subarray(at, newline === -1 ? chunk.length : newline);
			at += piece.length + 1;
			if (this.#skipping) this.#skipping = newline === -1;
			else if (newline === -1) this.#keep(piece);
			else this.#line(this.#whole(piece));
		}
	}
	/** Half a line: kept until its end comes, unless nobody will read the rest. */
	#keep(piece) {
		this.#carry.push(piece);
		this.#carryBytes += piece.length;
		if (this.#place.at !== "outside") {
			if (this.#replyBytes + this.#carryBytes > REPLY_LIMITS.replyBytes) this.#overflow();
			return;
		}
		const head = Buffer.concat(this.#carry, Math.min(this.#carryBytes, LONGEST_OUTPUT_HEAD)).toString("latin1");
		const output = OUTPUT.exec(head);
		if (output?.[1] === void 0 && this.#carryBytes <= REPLY_LIMITS.noticeBytes) return;
		if (output?.[1] !== void 0) this.#emit({
			kind: "output",
			pane: output[1]
		});
		this.#forgetCarry();
		this.#skipping = true;
	}
	#whole(piece) {
		if (this.#carry.length === 0) return piece;
		const line = Buffer.concat([...this.#carry, piece]);
		this.#forgetCarry();
		return line;
	}
	#forgetCarry() {
		this.#carry = [];
		this.#carryBytes = 0;
	}
	#line(bytes) {
		switch (this.#place.at) {
			case "outside":
				this.#lineOutside(bytes);
				return;
			case "block":
				this.#lineInBlock(this.#place, bytes.toString("utf8"));
				this.#replyBytes += bytes.length + 1;
				if (this.#replyBytes > REPLY_LIMITS.replyBytes) this.#overflow();
				return;
			case "after-sentinel":
				this.#place = { at: "outside" };
				return;
		}
	}
	#lineOutside(bytes) {
		const output = OUTPUT.exec(bytes.toString("latin1", 0, LONGEST_OUTPUT_HEAD));
		if (output?.[1] !== void 0) {
			this.#emit({
				kind: "output",
				pane: output[1]
			});
			return;
		}
		const [word = "", rest = ""] = splitOnce(bytes.toString("utf8"));
		if (word === "%begin") {
			this.#place = {
				at: "block",
				guard: rest,
				lines: []
			};
			this.#replyBytes = 0;
		} else if (word === "%end" || word === "%error" || !word.startsWith("%")) this.#clean = false;
		else this.#emit({
			kind: "notice",
			name: word.slice(1),
			rest
		});
	}
	#lineInBlock(block, line) {
		if (line.startsWith(this.#sentinelPrefix)) {
			const clean = this.#clean && block.lines.length === 0;
			this.#clean = true;
			this.#place = { at: "after-sentinel" };
			this.#emit({
				kind: "sentinel",
				id: line.slice(this.#sentinelPrefix.length),
				clean
			});
			return;
		}
		const [word = "", rest = ""] = splitOnce(line);
		if ((word === "%end" || word === "%error") && rest === block.guard) {
			this.#place = { at: "outside" };
			this.#emit({
				kind: "block",
				ours: rest.endsWith(" 1"),
				ok: word === "%end",
				lines: block.lines
			});
			return;
		}
		block.lines.push(line);
	}
	#overflow() {
		this.#overflowed = true;
		this.#forgetCarry();
		this.#place = { at: "outside" };
		this.#emit({ kind: "overflow" });
	}
};
function splitOnce(line) {
	const space = line.indexOf(" ");
	return space === -1 ? [line, ""] : [line.slice(0, space), line.slice(space + 1)];
}
// src/terminals/tmux/tmux-program.ts
/** 3.2 brought `attach-session -f` and `-N`. */
const OLDEST = {
	major: 3,
	minor: 2
};
const MAX_STDOUT_BYTES$1 = 8388608;
/**
* Only what tmux needs to run: `TMUX` would make it think it is nested, and `attach-session` would copy others
* (`SSH_AUTH_SOCK`, `DISPLAY`) over those of the person's session.
*/
function tmuxProgram(environment) {
	const kept = [
		"PATH",
		"HOME",
		"TMPDIR",
		"TMUX_TMPDIR"
	].flatMap((name) => {
		const value = environment[name];
		return value === void 0 ? [] : [[name, value]];
	});
	return {
		path: "tmux",
		environment: {
			...Object.fromEntries(kept),
			LC_ALL: "C.UTF-8",
			TERM: "dumb"
		}
	};
}
function serverArguments(socket) {
	return [
		"-N",
		"-u",
		"-S",
		socket
	];
}
/** One short-lived call, for what must be known before there is a connection. */
function runTmux(program, argv, options) {
	return new Promise((resolve, reject) => {
		execFile(program.path, [...argv], {
			env: program.environment,
			timeout: options.deadlineMs,
			killSignal: "SIGKILL",
			maxBuffer: MAX_STDOUT_BYTES$1,
			encoding: "utf8"
		}, (error, stdout, stderr) => {
			if (error === null) resolve({
				kind: "done",
				stdout
			});
			else if (error.code === "ENOENT") reject(tmuxMissing(error));
			else if (error.killed) resolve({ kind: "late" });
			else resolve({
				kind: "failed",
				stderr: stderr.trim() || error.message
			});
		});
	});
}
function tmuxMissing(cause) {
	return new BellhopError("tmux.missing", {
		message: "The tmux program cannot be found.",
		next: `Install tmux ${OLDEST.major}.${OLDEST.minor} or newer and make sure it is on the PATH of the daemon, then run "bellhop doctor".`,
		cause
	});
}
// src/terminals/tmux/control.ts
const CONTROL_LIMITS = {
	pending: 1024,
	stderrBytes: 1024,
	/** After a late answer the connection has this long to say anything at all. */
	silenceMs: 5e3,
	/** For a client to leave by itself before it is killed. */
	leaveMs: 2e3
};
/**
* One control-mode client of one tmux server, attached to one session.
*
* Each request is two lines: the command list, and a sentinel of its own. tmux drops the rest of a list after an
* error and answers a parse error with one block, so blocks cannot be counted; whatever stands before the sentinel
* belongs to the request.
*/
var ControlConnection = class {
	attached;
	/** Resolves with the reason, once. */
	ended;
	#clock;
	#child;
	#exited;
	#input;
	#sentinelPrefix;
	#onEvent;
	#pending = [];
	#requests = 0;
	#state = "attaching";
	#settleAttach = () => {};
	#settleEnd = () => {};
	#cancelWatch;
	#stderr = "";
	constructor(options) {
		this.#clock = options.clock;
		this.#onEvent = options.onEvent;
		this.#sentinelPrefix = `bellhop-${options.nonce}-`;
		this.attached = new Promise((resolve) => {
			this.#settleAttach = resolve;
		});
		this.ended = new Promise((resolve) => {
			this.#settleEnd = resolve;
		});
		const attach = [
			"attach-session",
			"-E",
			"-f",
			options.flags.join(","),
			"-t",
			options.session
		];
		const child = spawn(options.program.path, [
			...serverArguments(options.socket),
			"-C",
			...attach
		], {
			env: options.program.environment,
			stdio: [
				"pipe",
				"pipe",
				"pipe"
			]
		});
		this.#child = child;
		this.#exited = new Promise((resolve) => {
			child.once("exit", () => resolve());
			child.once("error", () => resolve());
		});
		this.#input = child.stdin;
		const cancelAttach = options.clock.after(options.attachDeadlineMs, () => this.#end(`no answer to the attach within ${options.attachDeadlineMs} ms`));
		this.attached.then(cancelAttach);
		const stream = new ReplyStream(this.#sentinelPrefix, (event) => this.#take(event));
		child.stdout.on("data", (chunk) => {
			this.#cancelWatch?.();
			this.#cancelWatch = void 0;
			stream.push(chunk);
		});
		child.stderr.on("data", (chunk) => {
			this.#stderr = (this.#stderr + chunk.toString("utf8")).slice(0, CONTROL_LIMITS.stderrBytes);
		});
		child.stdin.on("error", (error) => this.#end(error.message));
		child.on("error", (error) => this.#end(error.code === "ENOENT" ? tmuxMissing(error).message : error.message));
		child.on("close", () => this.#end(this.#stderr.trim() || "the tmux client ended"));
	}
	/** `commands` is one line of tmux commands, built with `quote`. */
	run(commands, deadlineMs) {
		if (commands === "" || commands.includes("\n")) throw new BellhopError("internal.bug", {
			message: "A tmux command list must be one non-empty line.",
			next: `Report this with the output of "bellhop logs".`
		});
		if (this.#state === "ended") return Promise.resolve({
			kind: "unsent",
			cause: "the connection has ended"
		});
		if (this.#pending.length >= CONTROL_LIMITS.pending) return Promise.resolve({
			kind: "unsent",
			cause: `${CONTROL_LIMITS.pending} commands are waiting already`
		});
		return new Promise((resolve) => {
			this.#requests += 1;
			const pending = {
				id: String(this.#requests),
				blocks: [],
				cancelDeadline: this.#clock.after(deadlineMs, () => this.#tellLate(pending, deadlineMs)),
				settle: resolve
			};
			this.#pending.push(pending);
			const sentinel = `display-message -p ${quote(this.#sentinelPrefix + pending.id)}`;
			this.#input.write(`${commands}\n${sentinel}\n`);
		});
	}
	/** Ends the client; the session it was attached to lives on. */
	async close() {
		await this.attached;
		this.#end("closed by us");
		await this.#exited;
	}
	#take(event) {
		switch (event.kind) {
			case "block":
				this.#takeBlock(event);
				return;
			case "sentinel":
				this.#takeSentinel(event);
				return;
			case "overflow":
				this.#end("a reply was larger than any screen");
				return;
			case "output":
			case "notice":
				this.#onEvent(event);
				return;
			default: assertNever(event);
		}
	}
	#takeBlock(block) {
		if (block.ours) {
			this.#pending[0]?.blocks.push({
				ok: block.ok,
				lines: block.lines
			});
			return;
		}
		if (this.#state !== "attaching") return;
		if (block.ok) {
			this.#state = "open";
			this.#settleAttach({ kind: "attached" });
		} else this.#end(block.lines.join(" "));
	}
	#takeSentinel(sentinel) {
		const index = this.#pending.findIndex((pending) => pending.id === sentinel.id);
		for (const pending of this.#pending.splice(0, index + 1)) {
			pending.cancelDeadline();
			const answered = pending.id === sentinel.id && sentinel.clean;
			pending.settle?.(answered ? {
				kind: "answered",
				blocks: pending.blocks
			} : {
				kind: "garbled",
				cause: "a screen imitates the end of a reply"
			});
		}
	}
	#tellLate(pending, deadlineMs) {
		pending.settle?.({
			kind: "late",
			cause: `tmux did not answer within ${deadlineMs} ms`
		});
		pending.settle = void 0;
		this.#cancelWatch ??= this.#clock.after(CONTROL_LIMITS.silenceMs, () => this.#end("tmux answers nothing"));
	}
	#end(cause) {
		if (this.#state === "ended") return;
		this.#state = "ended";
		this.#cancelWatch?.();
		this.#settleAttach({
			kind: "refused",
			cause
		});
		for (const pending of this.#pending.splice(0)) {
			pending.cancelDeadline();
			pending.settle?.({
				kind: "lost",
				cause
			});
		}
		this.#input.destroy();
		const cancelKill = this.#clock.after(CONTROL_LIMITS.leaveMs, () => this.#child.kill("SIGKILL"));
		this.#exited.then(cancelKill);
		this.#settleEnd(cause);
	}
};
// src/terminals/tmux/gate.ts
const NOT_DEAD = "#{?pane_dead,0,1}";
const NO_MODE = "#{?pane_in_mode,0,1}";
const NOT_SYNCHRONISED = "#{?pane_synchronized,0,1}";
const INPUT_ON = "#{?pane_input_off,0,1}";
function gateFormat(expectation, place) {
	return allOf([
		NOT_DEAD,
		NO_MODE,
		NOT_SYNCHRONISED,
		INPUT_ON,
		equals("#{pane_pid}", String(expectation.panePid)),
		...commandCondition(expectation),
		...flagCondition("alternate_on", expectation.alternate),
		...flagCondition("cursor_flag", invert(expectation.cursorHidden)),
		...cursorCondition(expectation),
		...quietConditions(expectation, place)
	]);
}
/** Halves, not a chain: tmux copies and scans the whole inside once per level. */
function allOf(conditions) {
	if (conditions.length <= 1) return conditions.join("");
	const middle = Math.ceil(conditions.length / 2);
	return `#{&&:${allOf(conditions.slice(0, middle))},${allOf(conditions.slice(middle))}}`;
}
/**
* A person's key moves `session_activity`, in whole seconds, in every session it was typed in. A session that was
* active in the second in which the required silence began, or later, counts as typing: never too early, up to a
* second too late.
*/
function quietSinceSeconds(now, quietForMs) {
	return Math.floor((now - quietForMs) / 1e3);
}
function quietConditions({ quietForMs }, place) {
	if (quietForMs === void 0) return [];
	return [equals("#{window_id}", place.windowId), equals(typingSessions(place, quietForMs), "")];
}
/**
* One `x` for each session that holds the window and was typed in. Nearly always it is one session, the pane's own;
* a walk over all of them costs tmux as much as everything else in the gate.
*/
function typingSessions({ windowId, now }, quietForMs) {
	const typedIn = `#{e|>=:#{session_activity},${quietSinceSeconds(now, quietForMs)}}`;
	const holdsWindow = `#{W:#{?${equals("#{window_id}", windowId)},x,}}`;
	return `#{?${equals("#{window_linked_sessions}", "1")},#{?${typedIn},x,},#{S:#{?${typedIn},${holdsWindow},}}}`;
}
function commandCondition({ command }) {
	return command === void 0 ? [] : [equals("#{pane_current_command}", comparedLiteral(command))];
}
function cursorCondition({ cursor }) {
	return cursor === void 0 ? [] : [equals("#{cursor_x}/#{cursor_y}", `${cursor.x}/${cursor.y}`)];
}
function flagCondition(flag, expected) {
	if (expected === void 0) return [];
	return [expected ? `#{?${flag},1,0}` : `#{?${flag},0,1}`];
}
function invert(flag) {
	return flag === void 0 ? void 0 : !flag;
}
function equals(format, literal) {
	return `#{==:${format},${literal}}`;
}
const REPORT_FIELDS = [
	"#{pane_id}",
	"#{window_id}",
	"#{pane_dead}",
	"#{pane_in_mode}",
	"#{pane_synchronized}",
	"#{pane_input_off}",
	"#{pane_pid}",
	"#{alternate_on}",
	"#{cursor_flag}",
	"#{cursor_x}",
	"#{cursor_y}"
];
/** Printed when the gate held: what each condition saw. The program's name comes last, it may contain anything. */
function reportFormat({ quietForMs }, place) {
	const typing = quietForMs === void 0 ? "" : typingSessions(place, quietForMs);
	return [
		...REPORT_FIELDS,
		typing,
		"#{pane_current_command}"
	].join("/");
}
function readReport(line, expectation, place) {
	const fields = line.split("/");
	if (fields.length < REPORT_FIELDS.length + 2) return { kind: "malformed" };
	const [pane, window, dead, mode, synchronised, inputOff, pid, alternate, cursorShown, x, y, typing] = fields;
	const command = fields.slice(REPORT_FIELDS.length + 1).join("/");
	if (pane === "") return { kind: "gone" };
	const { cursor } = expectation;
	const because = [];
	if (dead === "1") because.push("dead");
	if (mode !== "0" && mode !== "") because.push("mode");
	if (synchronised === "1") because.push("synchronised");
	if (inputOff === "1") because.push("input-off");
	if (pid !== String(expectation.panePid)) because.push("other-process");
	if (expectation.command !== void 0 && command !== expectation.command) because.push("other-command");
	if (differs(alternate, expectation.alternate) || differs(cursorShown, invert(expectation.cursorHidden))) because.push("screen-kind");
	if (cursor !== void 0 && (x !== String(cursor.x) || y !== String(cursor.y))) because.push("cursor-moved");
	if (typing !== "") because.push("typing");
	const moved = expectation.quietForMs !== void 0 && window !== place.windowId;
	return because.length === 0 && moved && window !== void 0 ? {
		kind: "moved",
		windowId: window
	} : {
		kind: "refused",
		because
	};
}
function differs(flag, expected) {
	return expected !== void 0 && flag === "1" !== expected;
}
// src/terminals/tmux/scratch-files.ts
/** For text too large for a command line: tmux reads it from here. */
async function writeScratch(files) {
	try {
		await Promise.all(files.map(({ path, text }) => writeFile(path, text, {
			mode: 384,
			flag: "wx"
		})));
	} catch (error) {
		await removeScratch(files);
		throw scratchFailed(error instanceof Error ? error.message : String(error), error);
	}
}
async function removeScratch(files) {
	await Promise.all(files.map(({ path }) => rm(path, { force: true })));
}
function scratchFailed(why, cause) {
	return new BellhopError("tmux.command_failed", {
		message: `The text could not be handed to tmux, nothing was typed: ${why}.`,
		next: `Check free space and rights with "bellhop doctor"; the message stays queued.`,
		...cause === void 0 ? {} : { cause }
	});
}
// src/terminals/tmux/gate-step.ts
/** Nothing was typed, for a reason that has nothing to do with what the terminal shows. */
const UNAVAILABLE = {
	kind: "refused",
	because: ["unavailable"]
};
const SENT = "SENT";
const HELD = "HELD ";
/**
* Prepare, check, type: one list, one write. A paste into a dead pane crashes tmux 3.3a, so nothing is ever typed
* outside the check.
*/
function gateCommands(pane, expectation, place, plan) {
	const whenOpen = [...plan.type, `display-message -p ${SENT}`].join(" ; ");
	const whenHeld = [...plan.buffers.map((buffer) => `delete-buffer -b ${buffer}`), `display-message -p -t ${pane} ${quote(HELD + reportFormat(expectation, place))}`].join(" ; ");
	const check = `if-shell -F -t ${pane} ${quote(gateFormat(expectation, place))} ${quote(whenOpen)} ${quote(whenHeld)}`;
	return [...plan.prepare, check].join(" ; ");
}
function readVerdict(outcome, expectation, place, preparations) {
	switch (outcome.kind) {
		case "unsent": return UNAVAILABLE;
		case "garbled":
		case "late":
		case "lost": return {
			kind: "unknown",
			cause: outcome.cause
		};
		case "answered": return readAnswer(outcome.blocks, expectation, place, preparations);
		default: return assertNever(outcome);
	}
}
function readAnswer(blocks, expectation, place, preparations) {
	const failedAt = blocks.findIndex((block) => !block.ok);
	if (failedAt !== -1) {
		const cause = blocks[failedAt]?.lines.join(" ") ?? "";
		if (failedAt < preparations) throw scratchFailed(cause);
		return {
			kind: "unknown",
			cause
		};
	}
	const lines = blocks.flatMap((block) => block.lines);
	if (lines.includes(SENT)) return { kind: "sent" };
	const held = lines.find((line) => line.startsWith(HELD));
	if (held === void 0) return {
		kind: "unknown",
		cause: "tmux did not say whether the keys went in"
	};
	const report = readReport(held.slice(5), expectation, place);
	return report.kind === "malformed" ? UNAVAILABLE : report;
}
// src/terminals/tmux/key-names.ts
/** Names that tmux presses as a key. It would type any other name letter by letter. Pure. */
const NAMED = new Set(["Enter Escape Tab BTab Space BSpace Up Down Left Right Home End IC Insert DC Delete", "NPage PageDown PgDn PPage PageUp PgUp F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12"].join(" ").split(" "));
function isKeyName(name) {
	const key = name.replace(/^(?:[CMS]-){1,3}(?=.)/, "");
	return NAMED.has(key) || /^[\x21-\x7e]$/.test(key);
}
// src/terminals/tmux/strokes.ts
const STROKE_LIMITS = {
	strokes: 64,
	pasteBytes: 2097152,
	bytes: 4096,
	/** Longer text goes through a file: tmux keeps its last thousand command lines in memory and shows them. */
	inlineBytes: 4096
};
function planStrokes(strokes, place) {
	if (strokes.length > STROKE_LIMITS.strokes) throw tooLarge(`${strokes.length} keystrokes in one step`);
	const prepare = [];
	const type = [];
	const buffers = [];
	const files = [];
	strokes.forEach((stroke, index) => {
		switch (stroke.kind) {
			case "paste": {
				if (stroke.text === "") return;
				const buffer = `${place.name}-${index}`;
				const bytes = Buffer.byteLength(stroke.text);
				if (bytes > STROKE_LIMITS.pasteBytes) throw tooLarge(`A paste of ${bytes} bytes`);
				if (bytes <= STROKE_LIMITS.inlineBytes && isQuotable(stroke.text)) prepare.push(`set-buffer -b ${buffer} -- ${quote(stroke.text)}`);
				else {
					const path = `${place.folder}/${buffer}`;
					files.push({
						path,
						text: stroke.text
					});
					prepare.push(`load-buffer -b ${buffer} ${quote(formatLiteral(path))}`);
				}
				buffers.push(buffer);
				type.push(`paste-buffer -r ${stroke.bracketed ? "-p " : ""}-d -b ${buffer} -t ${place.pane}`);
				return;
			}
			case "bytes":
				if (stroke.bytes.length === 0) return;
				if (stroke.bytes.length > STROKE_LIMITS.bytes) throw tooLarge(`${stroke.bytes.length} raw bytes`);
				type.push(`send-keys -t ${place.pane} -H ${stroke.bytes.map(hexadecimal).join(" ")}`);
				return;
			case "key":
				type.push(pressKey(stroke.name, place.pane));
				return;
			default: assertNever(stroke);
		}
	});
	return {
		prepare,
		type,
		buffers,
		files
	};
}
function pressKey(name, pane) {
	if (!isKeyName(name)) throw new BellhopError("usage.invalid", {
		message: `"${name}" is not the name of a key.`,
		next: "Use names such as Enter, Escape, Tab, Up, C-u, M-b, F5, or a single character."
	});
	return name === "Enter" ? `send-keys -t ${pane} -H 0d` : `send-keys -t ${pane} -- ${quote(name)}`;
}
function hexadecimal(byte) {
	if (!Number.isInteger(byte) || byte < 0 || byte > 255) throw new BellhopError("usage.invalid", {
		message: `${byte} is not a byte.`,
		next: "Give whole numbers from 0 to 255."
	});
	return byte.toString(16).padStart(2, "0");
}
function tooLarge(what) {
	return new BellhopError("message.too_large", {
		message: `${what} cannot be typed into a terminal.`,
		next: "Send it by reference: write it to a file and name the file."
	});
}
// src/processes/proc-stat.ts
function parseProcStat(line) {
	const open = line.indexOf(" (");
	const close = line.lastIndexOf(") ");
	if (open === -1 || close === -1) return void 0;
	const fields = line.slice(close + 2).trim().split(" ");
	const [state, parentPid, group] = fields;
	const [foregroundGroup, startTicks] = [fields[5], fields[19]];
	if (state === void 0 || startTicks === void 0 || !/^\d+$/.test(startTicks)) return void 0;
	return {
		pid: Number(line.slice(0, open)),
		command: line.slice(open + 2, close),
		state,
		parentPid: Number(parentPid),
		group: Number(group),
		foregroundGroup: Number(foregroundGroup),
		startTicks
	};
}
function isForeground(stat) {
	return stat.foregroundGroup <= 0 ? void 0 : stat.group === stat.foregroundGroup;
}
// src/processes/linux.ts
const MAX_TREE = 2048;
/**
* Processes by way of `/proc`. The reads are synchronous: each takes microseconds, and a thread's round trip would
* cost more than the read. Between two trees other work gets its turn.
*/
function linuxProcesses(root = "/proc") {
	const bootId = readFileSync(join(root, "sys/kernel/random/boot_id"), "utf8").slice(0, 8);
	const namesItsChildren = existsSync(join(root, "thread-self/children"));
	const startOf = (stat) => `${bootId}:${stat.startTicks}`;
	const statOf = (pid) => {
		const line = readOrGone(join(root, String(pid), "stat"));
		if (line === "gone") return "gone";
		const stat = parseProcStat(line);
		if (stat === void 0) throw new Error(`${root}/${pid}/stat is in a form that is not known`);
		return stat.state === "Z" || stat.state === "X" ? "gone" : stat;
	};
	const describe = (stat) => {
		const commandLine = readOrGone(join(root, String(stat.pid), "cmdline"));
		const foreground = isForeground(stat);
		return {
			pid: stat.pid,
			parentPid: stat.parentPid,
			startedAt: startOf(stat),
			argv: commandLine === "gone" ? [] : splitNul(commandLine),
			command: stat.command,
			...foreground === void 0 ? {} : { foreground }
		};
	};
	return {
		async tree(rootPid) {
			await setImmediate();
			const found = [];
			const waiting = [rootPid];
			const byParent = namesItsChildren ? void 0 : childrenByParent(root, statOf);
			for (let pid = waiting.shift(); pid !== void 0; pid = waiting.shift()) {
				const stat = statOf(pid);
				if (stat === "gone") continue;
				if (found.length >= MAX_TREE) throw new Error(`More than ${MAX_TREE} processes under ${rootPid}`);
				found.push(describe(stat));
				waiting.push(...byParent === void 0 ? childrenOf(root, pid) : byParent.get(pid) ?? []);
			}
			return found;
		},
		async alive(pid, startedAt) {
			try {
				const stat = statOf(pid);
				return stat !== "gone" && startOf(stat) === startedAt ? "alive" : "gone";
			} catch {
				return "unknown";
			}
		},
		async workingFolder(pid) {
			try {
				return readlinkSync(join(root, String(pid), "cwd"));
			} catch {
				return;
			}
		},
		async environment(pid, names) {
			const text = readOrGone(join(root, String(pid), "environ"));
			return text === "gone" ? {} : pickVariables(splitNul(text), names);
		}
	};
}
function pickVariables(entries, names) {
	const wanted = entries.map((entry) => {
		const equals = entry.indexOf("=");
		return [entry.slice(0, equals), entry.slice(equals + 1)];
	}).filter(([name]) => names.includes(name));
	return Object.fromEntries(wanted);
}
function childrenOf(root, pid) {
	const tasks = join(root, String(pid), "task");
	return namesIn(tasks).flatMap((task) => {
		const text = readOrGone(join(tasks, task, "children"));
		return text === "gone" ? [] : text.split(" ").filter((word) => word !== "").map(Number);
	});
}
function namesIn(folder) {
	try {
		return readdirSync(folder);
	} catch (error) {
		if (isGone(error)) return [];
		throw error;
	}
}
function childrenByParent(root, statOf) {
	const children = /* @__PURE__ */ new Map();
	for (const name of readdirSync(root)) {
		const stat = /^\d+$/.test(name) ? statOf(Number(name)) : "gone";
		if (stat === "gone") continue;
		children.set(stat.parentPid, [...children.get(stat.parentPid) ?? [], stat.pid]);
	}
	return children;
}
function readOrGone(path) {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		if (isGone(error)) return "gone";
		throw error;
	}
}
/** ESRCH: the process ended between open and read. */
function isGone(error) {
	const code = error.code;
	return code === "ENOENT" || code === "ESRCH" || code === "ENOTDIR";
}
function splitNul(text) {
	const trimmed = text.replace(/\0+$/, "");
	return trimmed === "" ? [] : trimmed.split("\0");
}
// src/processes/ps-table.ts
/** What `ps` and `lsof` print on macOS, as data. Pure. */
const PS_COLUMNS = "pid=,ppid=,pgid=,tpgid=,lstart=";
const ROW$3 = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]+\s+\d{4})\s+(.*)$/;
/** Two tables of the same columns, one ending in `ucomm=`, one in `args=`: either text may contain spaces. */
function parsePsTables(names, commandLines) {
	const argvByPid = new Map(rowsOf(commandLines).map((row) => [row.pid, row.text.split(/\s+/)]));
	return rowsOf(names).map((row) => {
		const foreground = isForeground(row);
		return {
			pid: row.pid,
			parentPid: row.parentPid,
			startedAt: row.startedAt,
			argv: argvByPid.get(row.pid) ?? [],
			command: row.text,
			...foreground === void 0 ? {} : { foreground }
		};
	});
}
function rowsOf(table) {
	return table.split("\n").flatMap((line) => {
		const parts = ROW$3.exec(line);
		if (parts === null) return [];
		const [, pid, parentPid, group, foregroundGroup, startedAt = "", text = ""] = parts;
		return [{
			pid: Number(pid),
			parentPid: Number(parentPid),
			group: Number(group),
			foregroundGroup: Number(foregroundGroup),
			startedAt: startedAt.replace(/\s+/g, " "),
			text: text.trim()
		}];
	});
}
/** The process and everything under it, parents first. */
function subtree(all, rootPid) {
	const byParent = groupByParent(all);
	const found = all.filter((each) => each.pid === rootPid);
	for (const each of found) found.push(...byParent.get(each.pid) ?? []);
	return found;
}
function groupByParent(all) {
	const groups = /* @__PURE__ */ new Map();
	for (const each of all) groups.set(each.parentPid, [...groups.get(each.parentPid) ?? [], each]);
	return groups;
}
/** `lsof -a -p PID -d cwd -Fn`: one field a line, `n` before the name. */
function parseWorkingFolder(output) {
	return output.split("\n").find((line) => line.startsWith("n/"))?.slice(1);
}
/** `ps -E`: the environment follows the arguments, separated by spaces like everything else. */
function parseEnvironment(commandLine, names) {
	const found = [...commandLine.trim().matchAll(/(?:^|\s)([A-Za-z_][A-Za-z0-9_]*)=(.*?)(?=\s+[A-Za-z_][A-Za-z0-9_]*=|$)/gs)].map(([, name = "", value = ""]) => [name, value]);
	return Object.fromEntries(found.filter(([name]) => names.includes(name ?? "")));
}
// src/processes/macos.ts
const DEADLINE_MS$1 = 5e3;
const MAX_STDOUT_BYTES = 33554432;
/** Processes by way of `ps` and `lsof`. A scan asks for many trees at once: they share one pair of calls. */
function macosProcesses(run = runProgram) {
	let underWay;
	const all = () => {
		underWay ??= listAll(run).finally(() => {
			underWay = void 0;
		});
		return underWay;
	};
	return {
		tree: async (rootPid) => subtree(await all(), rootPid),
		async alive(pid, startedAt) {
			try {
				return (await run("ps", [
					"-o",
					"lstart=",
					"-p",
					String(pid)
				])).trim().replace(/\s+/g, " ") === startedAt ? "alive" : "gone";
			} catch (error) {
				return error.code === 1 ? "gone" : "unknown";
			}
		},
		async workingFolder(pid) {
			try {
				return parseWorkingFolder(await run("lsof", [
					"-a",
					"-p",
					String(pid),
					"-d",
					"cwd",
					"-Fn"
				]));
			} catch {
				return;
			}
		},
		async environment(pid, names) {
			return parseEnvironment(await run("ps", [
				"-E",
				"-ww",
				"-o",
				"command=",
				"-p",
				String(pid)
			]), names);
		}
	};
}
async function listAll(run) {
	const [names, commandLines] = await Promise.all(["ucomm=", "args="].map((last) => run("ps", [
		"-axww",
		"-o",
		`${PS_COLUMNS},${last}`
	])));
	const processes = parsePsTables(names ?? "", commandLines ?? "");
	if (processes.length === 0) throw new Error("ps lists no process at all");
	return processes;
}
async function runProgram(program, argv) {
	const { stdout } = await promisify(execFile)(program, [...argv], {
		timeout: DEADLINE_MS$1,
		maxBuffer: MAX_STDOUT_BYTES,
		env: {
			PATH: "/usr/bin:/bin:/usr/sbin:/sbin",
			LC_ALL: "C"
		}
	});
	return stdout;
}
// src/processes/processes.ts
function processesOn(platform) {
	if (platform === "linux") return linuxProcesses();
	if (platform === "darwin") return macosProcesses();
	throw new BellhopError("internal.bug", {
		message: `Bellhop does not know how to list processes on ${platform}.`,
		next: "Run it on Linux or macOS; on Windows inside WSL."
	});
}
// src/terminals/tmux/attach-turn.ts
/**
* One attach at a time, in a quiet moment.
*
* tmux up to 3.3a crashes, with everything that runs in it, when it notifies its control clients while one of them
* is half way through introducing itself (some tens of microseconds). Each attach, detach, new session or renamed
* window is such a notice, so attaches never overlap and never follow a notice closely.
*/
var AttachTurn = class {
	#clock;
	#waiting = /* @__PURE__ */ new Set();
	#last = Promise.resolve();
	#noticeAt = Number.NEGATIVE_INFINITY;
	#stopped = false;
	constructor(clock) {
		this.#clock = clock;
	}
	/** tmux has just notified its control clients, and often does so several times in a row. */
	noticed() {
		this.#noticeAt = this.#clock.monotonic();
	}
	/** Nobody gets a turn any more; who waits for one is told at once. */
	stop() {
		this.#stopped = true;
		for (const wake of [...this.#waiting]) wake();
	}
	/** Runs the task alone, after `quietMs` without a notice; undefined when that did not come within `patienceMs`. */
	async take(wait, task) {
		const giveUpAt = this.#clock.monotonic() + wait.patienceMs;
		while (await this.#quiet(wait.quietMs, giveUpAt)) {
			const turn = this.#last.then(async () => this.#missingMs(wait.quietMs) > 0 ? RESTLESS : task());
			this.#last = turn.catch(() => void 0);
			const outcome = await turn;
			if (outcome !== RESTLESS) return outcome;
		}
	}
	async #quiet(quietMs, giveUpAt) {
		for (;;) {
			if (this.#stopped) return false;
			const missingMs = this.#missingMs(quietMs);
			if (missingMs <= 0) return true;
			if (this.#clock.monotonic() + missingMs > giveUpAt) return false;
			await this.#sleep(missingMs);
		}
	}
	#missingMs(quietMs) {
		return this.#noticeAt + quietMs - this.#clock.monotonic();
	}
	#sleep(delayMs) {
		return new Promise((resolve) => {
			const wake = () => {
				cancel();
				this.#waiting.delete(wake);
				resolve();
			};
			const cancel = this.#clock.after(delayMs, () => wake());
			this.#waiting.add(wake);
		});
	}
};
const RESTLESS = Symbol("restless");
// src/terminals/tmux/session-choice.ts
const SESSION_FORMAT = "#{session_id}/#{session_activity}/#{destroy-unattached}/#{session_attached}/#{session_name}";
const ROW$2 = /^(\$\d+)\/(\d+)\/([^/]*)\/(\d+)\/(.*)$/;
/** Undefined when a row is not understood: then nothing is known of any. */
function parseSessions(rows) {
	const sessions = [];
	for (const row of rows) {
		const parts = ROW$2.exec(row);
		if (parts === null) return void 0;
		const [, id = "", activeAt = "", endsUnattached = "", clients = "", name = ""] = parts;
		sessions.push({
			id,
			name,
			activeAtSeconds: Number(activeAt),
			endsUnattached: endsUnattached !== "0" && endsUnattached !== "off",
			clients: Number(clients)
		});
	}
	return sessions;
}
/**
* The one used last: attaching counts as use, and `tmux attach` without a name picks the session used last.
* A session that ends with its last client only when nothing else is there, and only while a person is in it.
*/
function chooseSession(sessions) {
	const lasting = sessions.filter((session) => !session.endsUnattached);
	return (lasting.length > 0 ? lasting : sessions.filter((session) => session.clients > 0)).toSorted((a, b) => b.activeAtSeconds - a.activeAtSeconds)[0];
}
/** Where changes are listened for: one session per window with an agent, the oldest use first, so that order stays. */
function listeningOrder(sessions, wanted) {
	return sessions.filter((session) => wanted.has(session.id) && !session.endsUnattached).toSorted((a, b) => a.activeAtSeconds - b.activeAtSeconds).map((session) => session.id);
}
// src/terminals/tmux/discover.ts
const PANE_FORMAT = "#{pane_id}/#{pane_pid}/#{pane_dead}/#{session_id}/#{window_index}/#{pane_index}/#{?#{==:#{pane_title},#{host}},,#{pane_title}}";
const ROW$1 = /^(%\d+)\/(-?\d*)\/([01]?)\/(\$\d+)\/(\d+)\/(\d+)\/(.*)$/;
/** Names are asked for once per session and titles stand last, so that no text can shift a field. */
const SCAN_COMMANDS = `list-sessions -F "${SESSION_FORMAT}" ; list-panes -a -F "${PANE_FORMAT}"`;
/** Undefined when anything in it is not understood: a row less is not a pane less. */
function parseLayout(blocks) {
	const [listed, rows] = blocks;
	if (blocks.length !== 2 || listed?.ok !== true || rows?.ok !== true) return void 0;
	const sessions = parseSessions(listed.lines);
	if (sessions === void 0) return void 0;
	const names = new Map(sessions.map((session) => [session.id, session.name]));
	const panes = /* @__PURE__ */ new Map();
	const parsed = rows.lines.map((row) => ROW$1.exec(row));
	if (parsed.includes(null)) return void 0;
	const ordered = parsed.flatMap((parts) => parts === null ? [] : [parts]).toSorted((a, b) => sessionAge(a[4]) - sessionAge(b[4]));
	for (const [, id = "", pid = "", dead, session = "", window, index, title = ""] of ordered) {
		const name = names.get(session);
		if (name === void 0) return void 0;
		const known = panes.get(id);
		panes.set(id, known === void 0 ? {
			id,
			pid: Number(pid),
			dead: dead === "1",
			label: `${name}:${window}.${index}`,
			title,
			sessions: [session]
		} : {
			...known,
			sessions: [...known.sessions, session]
		});
	}
	return {
		sessions,
		panes: [...panes.values()]
	};
}
function sessionAge(id) {
	return Number((id ?? "").slice(1));
}
/** Walks the process tree of every pane. Throws when the system does not tell: nothing is concluded then. */
async function findPrograms(layout, server, socket, tools) {
	const living = layout.panes.filter((pane) => !pane.dead && pane.pid > 0);
	return (await Promise.all(living.map(async (pane) => {
		const found = tools.recognise(await tools.processes.tree(pane.pid));
		if (found === void 0) return void 0;
		return {
			pane,
			sighting: {
				identity: {
					kind: "tmux",
					server: socket,
					pane: pane.id,
					serverPid: server.pid,
					serverStartedAt: server.startedAt,
					panePid: pane.pid,
					agentPid: found.process.pid,
					agentStartedAt: found.process.startedAt
				},
				program: found.program,
				label: pane.label,
				title: pane.title,
				folder: await tools.processes.workingFolder(found.process.pid),
				agentArgv: found.process.argv
			}
		};
	}))).filter((found) => found !== void 0);
}
// src/terminals/tmux/listeners.ts
const LISTENER_LIMITS = {
	sessions: 64,
	attachMs: 5e3,
	/** Each attach counts as use of the session, which holds deliveries back: no endless attempts. */
	attempts: 3,
	/** A listener that lived this long may be replaced as often as needed. */
	steadyMs: 3e4
};
const WAIT$1 = {
	quietMs: 700,
	patienceMs: 1e4
};
/**
* tmux tells of output only to clients of the session it happens in: one listening client per session with an
* agent. It writes nothing, and it must never ask tmux to pause: a paused reader stops the program itself.
*/
var Listeners = class {
	#options;
	#bySession = /* @__PURE__ */ new Map();
	#attempts = /* @__PURE__ */ new Map();
	#wanted = [];
	#busy = false;
	#working = Promise.resolve();
	constructor(options) {
		this.#options = options;
	}
	/** Exactly these sessions, in this order of attaching; those beyond the maximum are left to polling. */
	listenTo(sessions) {
		this.#wanted = sessions.slice(0, LISTENER_LIMITS.sessions);
		for (const session of this.#attempts.keys()) if (!this.#wanted.includes(session)) this.#attempts.delete(session);
		if (this.#busy) return;
		this.#busy = true;
		this.#working = this.#work().catch(() => {
			this.#busy = false;
		});
	}
	/** Forgets everything: session ids of another server mean other sessions. */
	reset() {
		this.#attempts.clear();
		this.listenTo([]);
	}
	async close() {
		this.#wanted = [];
		await this.#working;
		await Promise.all([...this.#bySession.values()].map((connection) => connection.close()));
	}
	/** What finds no quiet moment is taken up by the next call of `listenTo`. */
	async #work() {
		const { turn } = this.#options;
		await Promise.resolve();
		let wanted;
		do {
			wanted = this.#wanted;
			for (const [session, connection] of [...this.#bySession]) if (!wanted.includes(session)) await turn.take(WAIT$1, () => this.#drop(session, connection));
			for (const session of wanted) if (wanted === this.#wanted) await turn.take(WAIT$1, () => this.#attach(session));
		} while (wanted !== this.#wanted);
		this.#busy = false;
	}
	async #attach(session) {
		const attempts = this.#attempts.get(session) ?? 0;
		if (attempts >= LISTENER_LIMITS.attempts || this.#bySession.has(session) || !this.#wanted.includes(session)) return;
		this.#attempts.set(session, attempts + 1);
		const { clock } = this.#options;
		const startedAt = clock.monotonic();
		const connection = new ControlConnection({
			program: this.#options.program,
			socket: this.#options.socket,
			session,
			flags: ["ignore-size", "read-only"],
			nonce: this.#options.nonce(),
			clock,
			attachDeadlineMs: LISTENER_LIMITS.attachMs,
			onEvent: (event) => {
				if (event.kind === "output") this.#options.onOutput(event.pane);
				else if (event.name === "session-changed" && event.rest.split(" ")[0] !== session) this.#drop(session, connection);
				else this.#options.onNotice(event.name, event.rest);
			}
		});
		this.#bySession.set(session, connection);
		connection.ended.then(() => {
			if (clock.monotonic() - startedAt >= LISTENER_LIMITS.steadyMs) this.#attempts.delete(session);
			if (this.#bySession.get(session) === connection) this.#bySession.delete(session);
		});
		await connection.attached;
	}
	async #drop(session, connection) {
		if (this.#bySession.get(session) === connection) this.#bySession.delete(session);
		await connection.close();
	}
};
// src/terminals/tmux/pane-changes.ts
/** Who wants to hear of which pane. A listener that throws is the caller's bug and stops nobody else. */
var PaneChanges = class {
	#listeners = /* @__PURE__ */ new Map();
	subscribe(pane, listener) {
		const entry = () => listener();
		const listeners = this.#listeners.get(pane) ?? /* @__PURE__ */ new Set();
		this.#listeners.set(pane, listeners.add(entry));
		return () => {
			listeners.delete(entry);
			if (listeners.size === 0 && this.#listeners.get(pane) === listeners) this.#listeners.delete(pane);
		};
	}
	tell(pane) {
		for (const listener of [...this.#listeners.get(pane) ?? []]) listener();
	}
	tellAll() {
		for (const pane of [...this.#listeners.keys()]) this.tell(pane);
	}
};
// src/terminals/tmux/sockets.ts
const LONGEST_SOCKET_PATH = 107;
/** Asks the socket itself, without a process: a file that is left over is no server. */
function probeSocket(path, deadlineMs) {
	if (Buffer.byteLength(path) > LONGEST_SOCKET_PATH) return Promise.resolve({
		kind: "unknown",
		cause: `the path of the socket is too long: ${path}`
	});
	return new Promise((resolve) => {
		const socket = connect(path);
		const finish = (state) => {
			socket.destroy();
			resolve(state);
		};
		socket.setTimeout(deadlineMs, () => finish({
			kind: "unknown",
			cause: "the socket does not answer"
		}));
		socket.once("connect", () => finish({ kind: "listening" }));
		socket.once("error", (error) => finish(error.code === "ENOENT" || error.code === "ECONNREFUSED" || error.code === "ENOTSOCK" ? { kind: "absent" } : {
			kind: "unknown",
			cause: error.message
		}));
	});
}
// src/terminals/tmux/server-link.ts
const LINK_LIMITS = {
	connectMs: 5e3,
	/** A connection that ends sooner than this counts as a failure to connect. */
	shortLivedMs: 2e3,
	firstPauseMs: 250,
	longestPauseMs: 8e3
};
const WAIT = {
	quietMs: 150,
	patienceMs: 3e3
};
/** The connection for commands to one tmux server: made when needed, made again when it broke. */
var ServerLink = class {
	#options;
	#open;
	/** tmux may move us to another session when ours ends. */
	#session = "";
	#connecting;
	#attaching;
	#failures = 0;
	#notBefore = 0;
	#closed = false;
	constructor(options) {
		this.#options = options;
	}
	/** The open connection, or an attempt to open one. Never starts a server. */
	connect() {
		if (this.#closed) return Promise.resolve({
			kind: "unavailable",
			cause: "closed"
		});
		if (this.#open !== void 0) return Promise.resolve({
			kind: "open",
			link: this.#open
		});
		this.#connecting ??= this.#attempt().catch((error) => ({
			kind: "unavailable",
			cause: causeOf(error)
		})).finally(() => {
			this.#connecting = void 0;
		});
		return this.#connecting;
	}
	async close() {
		this.#closed = true;
		await this.#attaching;
		const connection = this.#open?.connection;
		this.#open = void 0;
		await connection?.close();
	}
	async #attempt() {
		const { socket, clock, program } = this.#options;
		const state = await probeSocket(socket, LINK_LIMITS.connectMs);
		if (state.kind === "absent") {
			this.#failures = 0;
			this.#notBefore = 0;
			return state;
		}
		if (state.kind === "unknown") return {
			kind: "unavailable",
			cause: state.cause
		};
		if (clock.monotonic() < this.#notBefore) return {
			kind: "unavailable",
			cause: "the last connections ended at once; waiting before the next"
		};
		const listed = await runTmux(program, [
			...serverArguments(socket),
			"list-sessions",
			"-F",
			SESSION_FORMAT,
			";",
			"display-message",
			"-p",
			"#{pid}/#{start_time}"
		], { deadlineMs: LINK_LIMITS.connectMs });
		if (listed.kind === "late") return {
			kind: "unavailable",
			cause: "tmux does not list its sessions"
		};
		if (listed.kind === "failed") return /no server running|error connecting/.test(listed.stderr) ? { kind: "absent" } : {
			kind: "unavailable",
			cause: listed.stderr
		};
		const lines = listed.stdout.split("\n").filter((line) => line !== "");
		const server = parseServerProcess(lines.at(-1) ?? "");
		const sessions = parseSessions(lines.slice(0, -1));
		if (server === void 0 || sessions === void 0) return {
			kind: "unavailable",
			cause: "tmux lists its sessions in a form that is not known"
		};
		const session = chooseSession(sessions);
		if (session !== void 0) {
			if (this.#closed) return {
				kind: "unavailable",
				cause: "closed"
			};
			this.#attaching = this.#options.turn.take(WAIT, () => this.#attach(session.id));
			return await this.#attaching ?? {
				kind: "unavailable",
				cause: "tmux is too restless to attach to it safely"
			};
		}
		return sessions.length === 0 ? {
			kind: "empty",
			server
		} : {
			kind: "unavailable",
			cause: "every session would end when Bellhop leaves it"
		};
	}
	async #attach(session) {
		const { clock } = this.#options;
		const startedAt = clock.monotonic();
		const connection = new ControlConnection({
			program: this.#options.program,
			socket: this.#options.socket,
			session,
			flags: ["ignore-size", "no-output"],
			nonce: this.#options.nonce(),
			clock,
			attachDeadlineMs: LINK_LIMITS.connectMs,
			onEvent: (event) => {
				if (event.kind !== "notice") return;
				if (event.name === "session-changed") this.#session = event.rest.split(" ")[0] ?? "";
				if (event.name === "client-detached") this.#leaveIfLast();
				this.#options.onNotice(event.name, event.rest);
			}
		});
		const attached = await connection.attached;
		const asked = await connection.run("display-message -p \"#{pid}/#{start_time}\"", LINK_LIMITS.connectMs);
		const server = asked.kind === "answered" ? parseServerProcess(asked.blocks[0]?.lines[0] ?? "") : void 0;
		if (server === void 0 || this.#closed) {
			this.#countFailure();
			await connection.close();
			const cause = attached.kind === "refused" ? attached.cause : "tmux does not say which server it is";
			return {
				kind: "unavailable",
				cause: this.#closed ? "closed" : cause
			};
		}
		const link = {
			server,
			connection,
			run: (commands, deadlineMs) => connection.run(commands, deadlineMs)
		};
		this.#open = link;
		connection.ended.then((cause) => {
			if (this.#open !== link) return;
			this.#open = void 0;
			this.#options.turn.noticed();
			if (clock.monotonic() - startedAt < LINK_LIMITS.shortLivedMs) this.#countFailure();
			else this.#failures = 0;
			this.#options.onEnded(cause);
		});
		return {
			kind: "open",
			link
		};
	}
	/**
	* Where `destroy-unattached` is on, a session ends with its last client. We must not be the one that keeps it:
	* it was only chosen because a person was attached too.
	*/
	async #leaveIfLast() {
		const open = this.#open;
		if (open === void 0) return;
		const outcome = await open.run(`display-message -p "#{destroy-unattached}" ; list-clients -t ${quote(this.#session)} -F "#{client_control_mode}"`, LINK_LIMITS.connectMs);
		if (outcome.kind !== "answered" || !outcome.blocks.every((block) => block.ok)) return;
		const [endsUnattached, clients] = outcome.blocks.map((block) => block.lines);
		if (endsUnattached?.[0] === "0" || endsUnattached?.[0] === "off" || clients === void 0) return;
		if (!clients.includes("0")) await open.connection.close();
	}
	#countFailure() {
		this.#failures += 1;
		const pauseMs = Math.min(LINK_LIMITS.firstPauseMs * 2 ** (this.#failures - 1), LINK_LIMITS.longestPauseMs);
		this.#notBefore = this.#options.clock.monotonic() + pauseMs;
	}
};
function parseServerProcess(line) {
	const parts = /^(\d+)\/(\d+)$/.exec(line);
	return parts?.[1] === void 0 || parts[2] === void 0 ? void 0 : {
		pid: Number(parts[1]),
		startedAt: parts[2]
	};
}
function causeOf(error) {
	if (error instanceof BellhopError) return `${error.message} ${error.next}`;
	return error instanceof Error ? error.message : String(error);
}
// src/terminals/tmux/sgr.ts
const PLAIN_STYLE = {
	dim: false,
	inverse: false,
	bold: false,
	italic: false,
	foreground: "",
	background: ""
};
function sameStyle(a, b) {
	return a.dim === b.dim && a.inverse === b.inverse && a.bold === b.bold && a.italic === b.italic && a.foreground === b.foreground && a.background === b.background;
}
/** `parameters` is what stands between `ESC[` and `m`. */
function applySgr(style, parameters) {
	const codes = parameters.split(";");
	let next = style;
	for (let at = 0; at < codes.length; at += 1) {
		const code = codes[at] ?? "";
		const extended = extendedColour(codes, at);
		if (extended !== void 0) {
			if (extended.target === "foreground") next = {
				...next,
				foreground: extended.colour
			};
			if (extended.target === "background") next = {
				...next,
				background: extended.colour
			};
			at += extended.consumed;
		} else next = applyCode(next, code);
	}
	return next;
}
function applyCode(style, code) {
	switch (code) {
		case "":
		case "0": return PLAIN_STYLE;
		case "1": return {
			...style,
			bold: true
		};
		case "2": return {
			...style,
			dim: true
		};
		case "3": return {
			...style,
			italic: true
		};
		case "7": return {
			...style,
			inverse: true
		};
		case "22": return {
			...style,
			bold: false,
			dim: false
		};
		case "23": return {
			...style,
			italic: false
		};
		case "27": return {
			...style,
			inverse: false
		};
		case "39": return {
			...style,
			foreground: ""
		};
		case "49": return {
			...style,
			background: ""
		};
		default:
			if (/^(3|9)[0-7]$/.test(code)) return {
				...style,
				foreground: code
			};
			if (/^(4|10)[0-7]$/.test(code)) return {
				...style,
				background: code
			};
			return style;
	}
}
const EXTENDED = {
	"38": "foreground",
	"48": "background",
	"58": "underline"
};
/** `38;5;N`, `38;2;R;G;B`, or the same with colons, where a colour space may stand before R. */
function extendedColour(codes, at) {
	const [head = "", ...withColons] = (codes[at] ?? "").split(":");
	if (head !== "38" && head !== "48" && head !== "58") return void 0;
	const target = EXTENDED[head];
	if (withColons.length > 0) return {
		target,
		colour: [head, ...withColons[0] === "2" ? ["2", ...withColons.slice(1).filter((n) => n !== "").slice(-3)] : withColons].join(";"),
		consumed: 0
	};
	const length = codes[at + 1] === "5" ? 2 : codes[at + 1] === "2" ? 4 : 0;
	return {
		target,
		colour: codes.slice(at, at + 1 + length).join(";"),
		consumed: length
	};
}
// src/terminals/tmux/screen-parser.ts
/**
* Captured lines (`capture-pane -e`) → lines of runs. Pure.
* A colour lasts until it is changed, also across the end of a line, so the lines are read in order.
*/
function parseScreenLines(captured) {
	let state = {
		style: PLAIN_STYLE,
		drawing: false
	};
	return captured.map((line) => {
		const parsed = parseLine(line, state);
		state = parsed.state;
		return parsed.line;
	});
}
const SEQUENCE = /\x1b\[([0-9;:?]*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|([\x0e\x0f])|\x1b[^[\]]/g;
function parseLine(captured, before) {
	const runs = [];
	let { style, drawing } = before;
	const append = (text) => {
		if (text === "") return;
		const shown = drawing ? text.replace(/[`-~]/g, (letter) => LINE_DRAWING[letter] ?? letter) : text;
		const last = runs.at(-1);
		if (last !== void 0 && sameStyle(last, style)) runs[runs.length - 1] = {
			...last,
			text: last.text + shown
		};
		else runs.push({
			text: shown,
			...style
		});
	};
	let at = 0;
	for (const match of captured.matchAll(SEQUENCE)) {
		append(captured.slice(at, match.index));
		at = match.index + match[0].length;
		const [, parameters = "", final, shift] = match;
		if (final === "m") style = applySgr(style, parameters);
		if (shift !== void 0) drawing = shift === "";
	}
	append(captured.slice(at));
	return {
		line: {
			text: runs.map((run) => run.text).join(""),
			runs
		},
		state: {
			style,
			drawing
		}
	};
}
/** The VT100 line-drawing set, as far as programs use it. */
const LINE_DRAWING = {
	"`": "◆",
	a: "▒",
	f: "°",
	g: "±",
	j: "┘",
	k: "┐",
	l: "┌",
	m: "└",
	n: "┼",
	o: "⎺",
	p: "⎻",
	q: "─",
	r: "⎼",
	s: "⎽",
	t: "├",
	u: "┤",
	v: "┴",
	w: "┬",
	x: "│",
	y: "≤",
	z: "≥",
	"{": "π",
	"|": "≠",
	"}": "£",
	"~": "·"
};
// src/terminals/tmux/screen-reply.ts
/**
* One command list that tmux answers in one turn: facts and picture belong together. Free text (the program's
* name, the title) stands last in its reply, so no text can shift a field.
*/
function screenCommands(pane) {
	return [
		`display-message -p -t ${pane} "${FACTS.join("/")}"`,
		`display-message -p -t ${pane} "#{pane_title}"`,
		`capture-pane -e -p -t ${pane}`
	].join(" ; ");
}
const FACTS = [
	"#{pane_id}",
	"#{pane_pid}",
	"#{window_id}",
	"#{pane_width}",
	"#{pane_height}",
	"#{cursor_x}",
	"#{cursor_y}",
	"#{cursor_flag}",
	"#{alternate_on}",
	"#{pane_dead}",
	"#{pane_input_off}",
	"#{pane_synchronized}",
	"#{pane_in_mode}",
	"#{pane_mode}",
	"#{pane_current_command}"
];
const ROW = /^%\d+\/(\d+)\/(@\d+)\/(\d+)\/(\d+)\/(\d+)\/(\d+)\/([01])\/([01])\/([01]?)\/([01]?)\/([01]?)\/(\d*)\/([\w-]*)\/(.*)$/;
function readScreenReply(blocks) {
	const failed = blocks.find((block) => !block.ok);
	if (failed !== void 0) {
		const cause = failed.lines.join(" ");
		return isPaneMissing(cause) ? { kind: "gone" } : {
			kind: "malformed",
			cause
		};
	}
	const [facts, title, captured] = blocks;
	const row = ROW.exec(facts?.lines[0] ?? "");
	if (row === null || blocks.length !== 3 || captured === void 0) return {
		kind: "malformed",
		cause: "tmux describes the terminal in a form that is not known"
	};
	const [, panePid, windowId = "", columns, rows, x, y, shown, alternate, dead, inputOff, synchronised, modes, mode = "", command = ""] = row;
	const height = Number(rows);
	if (captured.lines.length > height) return {
		kind: "malformed",
		cause: "tmux shows more lines than the terminal has"
	};
	const missing = Array.from({ length: height - captured.lines.length }, () => "");
	return {
		kind: "screen",
		panePid: Number(panePid),
		windowId,
		screen: {
			columns: Number(columns),
			rows: height,
			cursor: {
				x: Number(x),
				y: Number(y),
				visible: shown === "1"
			},
			alternate: alternate === "1",
			title: title?.lines.join(" ") ?? "",
			command,
			mode: mode !== "" ? mode : modes === "" || modes === "0" ? "" : "unknown-mode",
			dead: dead === "1",
			inputOff: inputOff === "1",
			synchronised: synchronised === "1",
			lines: parseScreenLines([...captured.lines, ...missing])
		}
	};
}
function isPaneMissing(error) {
	return /^can't find (pane|window|session)/.test(error);
}
// src/terminals/tmux/terminal.ts
const TERMINAL_DEADLINES = {
	readMs: 3e3,
	gateMs: 5e3,
	announceMs: 3e3
};
/** tmux draws nothing new while it shows a message: keep it short. */
const ANNOUNCE_FOR_MS = 2e3;
const LONGEST_ANNOUNCEMENT = 200;
/** One program in one tmux pane. */
var TmuxTerminal = class {
	ref;
	#options;
	#windowId;
	constructor(options) {
		const { kind, server, pane } = options.identity;
		this.ref = {
			kind,
			server,
			pane
		};
		this.#options = options;
	}
	async read() {
		const first = await this.#readOnce();
		const outcome = first === "lost" ? await this.#readOnce() : first;
		return outcome === "lost" ? {
			kind: "unreadable",
			cause: "the connection to tmux broke twice"
		} : outcome;
	}
	async #readOnce() {
		const presence = await this.#presence();
		if (presence.kind === "gone") return presence;
		if (presence.kind === "unknown") return {
			kind: "unreadable",
			cause: presence.cause
		};
		const outcome = await presence.link.run(screenCommands(this.ref.pane), TERMINAL_DEADLINES.readMs);
		switch (outcome.kind) {
			case "lost": return "lost";
			case "garbled":
			case "late":
			case "unsent": return {
				kind: "unreadable",
				cause: outcome.cause
			};
			case "answered": {
				const reply = readScreenReply(outcome.blocks);
				if (reply.kind === "malformed") return {
					kind: "unreadable",
					cause: reply.cause
				};
				if (reply.kind === "gone" || reply.panePid !== this.#options.identity.panePid) return { kind: "gone" };
				this.#windowId = reply.windowId;
				return {
					kind: "screen",
					screen: reply.screen
				};
			}
			default: return assertNever(outcome);
		}
	}
	async gate(expectation, strokes) {
		const { nonce, scratchFolder } = this.#options;
		const plan = planStrokes(strokes, {
			pane: this.ref.pane,
			name: `bellhop-${nonce()}`,
			folder: scratchFolder
		});
		const presence = await this.#presence();
		if (presence.kind === "gone") return presence;
		if (presence.kind === "unknown") return UNAVAILABLE;
		await writeScratch(plan.files);
		try {
			return await this.#gateWith(presence.link, expectation, plan);
		} finally {
			await removeScratch(plan.files);
		}
	}
	async #gateWith(link, expectation, plan) {
		for (let look = 0; look < 3; look += 1) {
			const windowId = this.#windowId ?? await this.#askWindow(link);
			if (windowId === "gone") return { kind: "gone" };
			if (windowId === void 0) return UNAVAILABLE;
			const place = {
				windowId,
				now: this.#options.clock.now()
			};
			const verdict = readVerdict(await link.run(gateCommands(this.ref.pane, expectation, place, plan), TERMINAL_DEADLINES.gateMs), expectation, place, plan.prepare.length);
			if (verdict.kind === "refused" && this.#isReplaced(expectation, verdict.because)) return { kind: "gone" };
			if (verdict.kind !== "moved") {
				if (verdict.kind === "gone" || verdict.kind === "unknown") this.#dropBuffers(link, plan);
				return verdict;
			}
			this.#windowId = verdict.windowId;
		}
		return UNAVAILABLE;
	}
	onChange(listener) {
		return this.#options.changes.subscribe(this.ref.pane, listener);
	}
	async announce(text) {
		const presence = await this.#presence();
		if (presence.kind !== "here") return;
		const outcome = await presence.link.run(`display-message -p -t ${this.ref.pane} "#{window_id}" ; list-clients -F "#{client_control_mode}/#{window_id}/#{client_name}"`, TERMINAL_DEADLINES.announceMs);
		if (outcome.kind !== "answered") return;
		const [window, clients] = outcome.blocks.map((block) => block.lines);
		const shown = quote(messageLiteral([...text].slice(0, LONGEST_ANNOUNCEMENT).join("")));
		const commands = (clients ?? []).map((row) => row.split("/")).filter(([controlMode, shows]) => controlMode === "0" && shows === window?.[0]).map(([, , ...name]) => `display-message -d ${ANNOUNCE_FOR_MS} -c ${quote(name.join("/"))} ${shown}`);
		if (commands.length > 0) await presence.link.run(commands.join(" ; "), TERMINAL_DEADLINES.announceMs);
	}
	/** The pane lives, but what was found in it does not: the same answer as `read` gives. */
	#isReplaced(expectation, because) {
		return because.includes("other-process") && expectation.panePid === this.#options.identity.panePid;
	}
	/** The same server, and the same agent in it, as when this terminal was found. */
	async #presence() {
		const { identity, link, processes } = this.#options;
		const connected = await link.connect();
		switch (connected.kind) {
			case "absent":
			case "empty": return { kind: "gone" };
			case "unavailable": return {
				kind: "unknown",
				cause: connected.cause
			};
			case "open": break;
			default: return assertNever(connected);
		}
		const { server } = connected.link;
		if (server.pid !== identity.serverPid || server.startedAt !== identity.serverStartedAt) return { kind: "gone" };
		const agent = await processes.alive(identity.agentPid, identity.agentStartedAt);
		if (agent === "gone") return { kind: "gone" };
		if (agent === "unknown") return {
			kind: "unknown",
			cause: "the system does not say whether the agent lives"
		};
		return {
			kind: "here",
			link: connected.link
		};
	}
	/** Undefined when tmux does not say. It answers with an empty line for a pane that is not there. */
	async #askWindow(link) {
		const asked = await link.run(`display-message -p -t ${this.ref.pane} "#{window_id}"`, TERMINAL_DEADLINES.readMs);
		const line = asked.kind === "answered" ? asked.blocks[0]?.lines.join("") : void 0;
		return line === "" ? "gone" : /^@\d+$/.exec(line ?? "")?.[0];
	}
	#dropBuffers(link, plan) {
		for (const buffer of plan.buffers) link.run(`delete-buffer -b ${buffer}`, TERMINAL_DEADLINES.gateMs);
	}
};
// src/terminals/tmux/server.ts
const SCAN_DEADLINE_MS = 1e4;
/** After these a program may have come, gone or got another label. */
const STRUCTURAL = /* @__PURE__ */ new Set([
	"sessions-changed",
	"session-renamed",
	"window-add",
	"window-close",
	"window-renamed",
	"unlinked-window-add",
	"unlinked-window-close",
	"unlinked-window-renamed",
	"layout-change"
]);
var TmuxServer = class {
	name;
	#tools;
	#turn;
	#link;
	#listeners;
	#paneChanges = new PaneChanges();
	#changeListeners = /* @__PURE__ */ new Set();
	#server;
	constructor(socket, tools) {
		this.name = socket;
		this.#tools = tools;
		this.#turn = new AttachTurn(tools.clock);
		const { program, clock } = tools;
		const client = {
			program,
			socket,
			clock,
			turn: this.#turn,
			nonce: () => tools.nonce()
		};
		this.#link = new ServerLink({
			...client,
			onNotice: (name, rest) => this.#takeNotice(name, rest),
			onEnded: () => {
				this.#paneChanges.tellAll();
				this.#tellChange();
			}
		});
		this.#listeners = new Listeners({
			...client,
			onOutput: (pane) => this.#paneChanges.tell(pane),
			onNotice: (name, rest) => this.#takeNotice(name, rest)
		});
	}
	async scan() {
		const first = await this.#scanOnce();
		const outcome = first === "lost" ? await this.#scanOnce() : first;
		return outcome === "lost" ? {
			kind: "unknown",
			cause: "the connection to tmux broke twice"
		} : outcome;
	}
	async #scanOnce() {
		const connected = await this.#link.connect();
		switch (connected.kind) {
			case "absent":
				this.#listeners.reset();
				return { kind: "absent" };
			case "empty":
				this.#listeners.reset();
				return {
					kind: "scanned",
					sightings: [],
					serverPid: connected.server.pid
				};
			case "unavailable": return {
				kind: "unknown",
				cause: connected.cause
			};
			case "open": return this.#scanOver(connected.link);
			default: return assertNever(connected);
		}
	}
	terminal(identity) {
		return new TmuxTerminal({
			identity,
			link: this.#link,
			processes: this.#tools.processes,
			clock: this.#tools.clock,
			changes: this.#paneChanges,
			scratchFolder: this.#tools.scratchFolder,
			nonce: () => this.#tools.nonce()
		});
	}
	onChange(listener) {
		const entry = () => listener();
		this.#changeListeners.add(entry);
		return () => this.#changeListeners.delete(entry);
	}
	async close() {
		this.#changeListeners.clear();
		this.#turn.stop();
		await Promise.all([this.#link.close(), this.#listeners.close()]);
	}
	async #scanOver(link) {
		const outcome = await link.run(SCAN_COMMANDS, SCAN_DEADLINE_MS);
		if (outcome.kind === "lost") return "lost";
		if (outcome.kind !== "answered") return {
			kind: "unknown",
			cause: outcome.cause
		};
		const layout = parseLayout(outcome.blocks);
		if (layout === void 0) return {
			kind: "unknown",
			cause: "tmux lists its panes in a form that is not known"
		};
		try {
			const found = await findPrograms(layout, link.server, this.name, this.#tools);
			this.#listenWhereAgentsAre(link.server, layout, found);
			return {
				kind: "scanned",
				sightings: found.map(({ sighting }) => sighting),
				serverPid: link.server.pid
			};
		} catch (error) {
			return {
				kind: "unknown",
				cause: error instanceof Error ? error.message : String(error)
			};
		}
	}
	#listenWhereAgentsAre(server, layout, found) {
		if (this.#server?.pid !== server.pid || this.#server.startedAt !== server.startedAt) this.#listeners.reset();
		this.#server = server;
		const wanted = new Set(found.flatMap(({ pane }) => pane.sessions.slice(0, 1)));
		this.#listeners.listenTo(listeningOrder(layout.sessions, wanted));
	}
	#takeNotice(name, rest) {
		if (name !== "client-session-changed") this.#turn.noticed();
		if (STRUCTURAL.has(name)) this.#tellChange();
		if (name === "pane-mode-changed") this.#paneChanges.tell(rest);
	}
	#tellChange() {
		for (const listener of [...this.#changeListeners]) listener();
	}
};
// tests/rig/marked-processes.ts
const MS_BETWEEN_LOOKS$1 = 50;
function processesMarked(variable, value) {
	const entry = `${variable}=${value}`;
	const found = [];
	for (const name of readdirSync("/proc")) {
		const pid = Number(name);
		if (!Number.isInteger(pid) || pid === process.pid) continue;
		if (!readProcess(pid, "environ").split("\0").includes(entry)) continue;
		found.push({
			pid,
			commandLine: readProcess(pid, "cmdline").replaceAll("\0", " ").trim()
		});
	}
	return found;
}
/** Leaves no such process alive; answers those that did not end by themselves in time. */
async function endMarkedProcesses(options) {
	const { variable, value, expected, patienceMs } = options;
	const deadline = Date.now() + patienceMs;
	const survivors = /* @__PURE__ */ new Map();
	for (;;) {
		const left = processesMarked(variable, value);
		if (left.length === 0) return [...survivors.values()];
		for (const one of left) if (expected(one.commandLine)) killIfThere(one.pid);
		else if (Date.now() >= deadline) {
			survivors.set(one.pid, one);
			killIfThere(one.pid);
		}
		await setTimeout$1(MS_BETWEEN_LOOKS$1);
	}
}
function readProcess(pid, file) {
	try {
		return readFileSync(`/proc/${pid}/${file}`, "utf8");
	} catch (cause) {
		if ([
			"ENOENT",
			"ESRCH",
			"EACCES"
		].includes(cause.code ?? "")) return "";
		throw cause;
	}
}
function killIfThere(pid) {
	try {
		process.kill(pid, "SIGKILL");
	} catch (cause) {
		if (cause.code !== "ESRCH") throw cause;
	}
}
// tests/rig/tmux-server.ts
const COMMAND_DEADLINE_MS = 1e4;
const SCREEN_DEADLINE_MS = 2e4;
const MS_BETWEEN_CAPTURES = 40;
const OLD_RUN_MS = 864e5;
const PATIENCE_MS = 5e3;
const MARK = "BELLHOP_RIG_TMUX";
function startTmuxServer(options = {}) {
	const folder = newRunFolder();
	const socketFolder = mkdtempSync("/tmp/bh-");
	const socket = join(socketFolder, "tmux");
	const configuration = join(socketFolder, "tmux.conf");
	const expectedDetached = [];
	writeFileSync(configuration, configurationText(options));
	const run = async (...args) => {
		const { stdout } = await promisify(execFile)("tmux", [
			"-u",
			"-S",
			socket,
			"-f",
			configuration,
			...args
		], {
			env: serverEnvironment(folder, socket),
			timeout: COMMAND_DEADLINE_MS,
			maxBuffer: 67108864
		});
		return stdout;
	};
	const ask = async (pane, format) => (await run("display-message", "-p", "-t", pane, format)).trimEnd();
	const capture = (pane, { ansi = false } = {}) => run("capture-pane", "-p", ...ansi ? ["-e"] : [], "-t", pane);
	return {
		socket,
		folder,
		run,
		ask,
		capture,
		expectDetached: (commandLine) => expectedDetached.push(commandLine),
		async newSession({ name, command, cwd, env = {}, cols = 120, rows = 40 }) {
			const variables = Object.entries(env).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
			const size = [
				"-x",
				String(cols),
				"-y",
				String(rows)
			];
			const argv = ["/usr/bin/env", ...command];
			const format = [
				"-P",
				"-F",
				"#{pane_id}"
			];
			return (await run("new-session", "-d", "-s", name, "-c", cwd, ...size, ...variables, ...format, ...argv)).trim();
		},
		async waitForScreen(pane, matches, { timeoutMs = SCREEN_DEADLINE_MS } = {}) {
			const deadline = Date.now() + timeoutMs;
			for (;;) {
				const screen = await capture(pane);
				if (matches(screen)) return screen;
				if (Date.now() > deadline) throw new Error(`No such screen within ${timeoutMs} ms. It shows:\n${screen}`);
				await setTimeout$1(MS_BETWEEN_CAPTURES);
			}
		},
		async kill() {
			await run("kill-server").catch(() => "the server ends by itself with its last pane");
			const expected = (commandLine) => expectedDetached.some((pattern) => pattern.test(commandLine));
			const survivors = await endMarkedProcesses({
				variable: MARK,
				value: socket,
				expected,
				patienceMs: PATIENCE_MS
			});
			rmSync(folder, {
				recursive: true,
				force: true
			});
			rmSync(socketFolder, {
				recursive: true,
				force: true
			});
			if (survivors.length === 0) return;
			const named = survivors.map(({ pid, commandLine }) => `${pid} ${commandLine}`).join("\n  ");
			throw new Error(`These outlived their tmux server and had to be killed:\n  ${named}`);
		}
	};
}
function newRunFolder() {
	const runs = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "bellhop-rig", "runs");
	mkdirSync(runs, { recursive: true });
	forgetOldRuns(runs);
	return mkdtempSync(join(runs, "r"));
}
function forgetOldRuns(runs) {
	for (const name of readdirSync(runs)) {
		const folder = join(runs, name);
		const age = statSync(folder, { throwIfNoEntry: false });
		if (age && Date.now() - age.mtimeMs > OLD_RUN_MS) rmSync(folder, {
			recursive: true,
			force: true
		});
	}
}
function configurationText({ remainOnExit = true, historyLines = 2e4 }) {
	return [
		"set -g status off",
		"set -g default-terminal \"tmux-256color\"",
		`set -g remain-on-exit ${remainOnExit ? "on" : "off"}`,
		`set -g history-limit ${historyLines}`,
		"set -s escape-time 10",
		""
	].join("\n");
}
function serverEnvironment(folder, socket) {
	return {
		PATH: process.env.PATH ?? "/usr/bin:/bin",
		HOME: folder,
		SHELL: "/bin/bash",
		LANG: "C.UTF-8",
		[MARK]: socket
	};
}
// tests/rig/typist.ts
const ATTACH_DEADLINE_MS = 5e3;
const MS_BETWEEN_LOOKS = 10;
const TIMER_SLACK_MS = 3;
/** A person at a client that is attached to the pane's session. */
async function attachTypist({ tmux, pane, cols = 120, rows = 40 }) {
	const client = spawn$1("tmux", [
		"-u",
		"-S",
		tmux.socket,
		"attach-session",
		"-t",
		pane
	], {
		name: "xterm-256color",
		cols,
		rows,
		env: {
			PATH: process.env.PATH ?? "/usr/bin:/bin",
			TERM: "xterm-256color",
			LANG: "C.UTF-8"
		}
	});
	const exited = new Promise((resolve) => client.onExit(() => resolve()));
	client.onData(() => {});
	await untilAttached(tmux, client.pid);
	const type = async (text, { charactersPerSecond = 25 } = {}) => {
		let nextMs = performance.now();
		for (const character of text) {
			client.write(character);
			nextMs += 1e3 / charactersPerSecond;
			const waitMs = nextMs - performance.now();
			if (waitMs > 0) await setTimeout$1(waitMs);
		}
	};
	return {
		type,
		press: (bytes) => client.write(bytes),
		async typeAt(startMs, text, pace) {
			const waitMs = startMs - TIMER_SLACK_MS - performance.now();
			if (waitMs > 0) await setTimeout$1(waitMs);
			while (performance.now() < startMs);
			await type(text, pace);
		},
		async close() {
			client.kill();
			await exited;
		}
	};
}
async function untilAttached(tmux, clientPid) {
	const deadline = Date.now() + ATTACH_DEADLINE_MS;
	while (Date.now() < deadline) {
		if ((await tmux.run("list-clients", "-F", "#{client_pid}")).split("\n").includes(String(clientPid))) return;
		await setTimeout$1(MS_BETWEEN_LOOKS);
	}
	throw new Error(`The typist's tmux client did not attach within ${ATTACH_DEADLINE_MS} ms.`);
}
// tests/contract/program-peer.ts
const DEADLINE_MS = 2e4;
/** The other end of `echo-program.mjs`: what it read, and what it shall print. */
var ProgramPeer = class ProgramPeer {
	socketPath;
	#server;
	#connected;
	#socket;
	#chunks = [];
	#watchers = /* @__PURE__ */ new Set();
	constructor(server, socketPath) {
		this.#server = server;
		this.socketPath = socketPath;
		this.#connected = once(server, "connection").then(([socket]) => {
			this.#socket = socket;
			this.#socket.on("data", (chunk) => {
				this.#chunks.push(chunk);
				for (const watcher of [...this.#watchers]) watcher();
			});
			this.#socket.on("error", () => {});
			return this.#socket;
		});
	}
	static async listen(socketPath) {
		const server = createServer().listen(socketPath);
		await once(server, "listening");
		return new ProgramPeer(server, socketPath);
	}
	/** The program has its terminal in raw mode. */
	async ready() {
		await within(this.#connected, "the program did not start");
	}
	async print(text) {
		const socket = await this.#connected;
		await new Promise((resolve, reject) => socket.write(text, (error) => error ? reject(error) : resolve()));
	}
	/** Everything read so far, once it is at least this much. */
	async received(atLeastBytes) {
		const enough = () => this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0) >= atLeastBytes;
		await within(new Promise((resolve) => {
			const look = () => {
				if (!enough()) return;
				this.#watchers.delete(look);
				resolve();
			};
			this.#watchers.add(look);
			look();
		}), () => `only ${Buffer.concat(this.#chunks).length} of ${atLeastBytes} bytes reached the program`);
		return Buffer.concat(this.#chunks);
	}
	/** The program ends when its peer is gone. */
	async close() {
		this.#socket?.destroy();
		await new Promise((resolve) => this.#server.close(resolve));
	}
};
function echoProgram(options) {
	return [
		process.execPath,
		fileURLToPath(new URL("./echo-program.mjs", import.meta.url)),
		...options.peer === void 0 ? [] : ["--peer", options.peer.socketPath],
		...options.log === void 0 ? [] : ["--log", options.log],
		...options.bracketed ? ["--bracketed"] : [],
		...options.alternate ? ["--alternate"] : [],
		...options.hideCursor ? ["--hide-cursor"] : []
	];
}
async function within(promise, failure) {
	let timer;
	const late = new Promise((_, reject) => {
		timer = setTimeout(() => reject(new Error(typeof failure === "string" ? failure : failure())), DEADLINE_MS);
	});
	try {
		return await Promise.race([promise, late]);
	} finally {
		clearTimeout(timer);
	}
}
// tests/contract/tmux-harness.ts
/** Far enough from every attach and every new session, which count as activity. */
const AHEAD_MS = 36e5;
/**
* Runs as the real one does; its wall time can be ahead, so that what just happened is long ago, and its deadlines
* can come sooner, so that no test waits for them.
*/
var TestClock = class {
	aheadMs = 0;
	hurry = 1;
	now() {
		return Date.now() + this.aheadMs;
	}
	monotonic() {
		return performance.now();
	}
	after(delayMs, call) {
		const timer = setTimeout(call, delayMs / this.hurry);
		return () => clearTimeout(timer);
	}
};
const processes = processesOn(process.platform);
/** A private tmux server with the adapter over it. */
var TmuxHarness = class {
	clock = new TestClock();
	rig;
	server;
	scratchFolder;
	#peers = [];
	#typists = [];
	#sessions = 0;
	constructor() {
		this.clock.aheadMs = AHEAD_MS;
		this.rig = startTmuxServer();
		this.scratchFolder = join(this.rig.folder, "scratch #{pid}; x");
		this.server = this.newAdapter();
	}
	newAdapter(changes = {}) {
		mkdirSync(this.scratchFolder, {
			recursive: true,
			mode: 448
		});
		return new TmuxServer(this.rig.socket, {
			clock: this.clock,
			processes,
			recognise: recogniseEcho,
			scratchFolder: this.scratchFolder,
			nonce: () => randomBytes(8).toString("hex"),
			program: tmuxProgram(process.env),
			...changes
		});
	}
	async open(program = {}, size = {}) {
		this.#sessions += 1;
		const session = `s${this.#sessions}`;
		const peer = await ProgramPeer.listen(join(this.rig.folder, `peer-${session}`));
		this.#peers.push(peer);
		const command = echoProgram({
			...program,
			peer
		});
		const pane = await this.rig.newSession({
			name: session,
			command,
			cwd: this.rig.folder,
			...size
		});
		await peer.ready();
		const sighting = await this.sight(pane);
		return {
			terminal: this.server.terminal(sighting.identity),
			panePid: sighting.identity.panePid,
			pane,
			session,
			peer,
			sighting,
			show: (lines, cursor = {
				x: 0,
				y: 0
			}) => peer.print(`\x1b[0m\x1b[2J\x1b[H${lines.join("\r\n")}\x1b[${cursor.y + 1};${cursor.x + 1}H`),
			received: (atLeastBytes) => peer.received(atLeastBytes),
			provoke: (reason) => this.#provoke(pane, session, peer, reason),
			destroy: async () => {
				await this.rig.run("kill-pane", "-t", pane);
			}
		};
	}
	async sight(pane) {
		const scan = await this.server.scan();
		if (scan.kind !== "scanned") throw new Error(`no scan: ${JSON.stringify(scan)}`);
		const sighting = scan.sightings.find((each) => each.identity.pane === pane);
		if (sighting === void 0) throw new Error(`${pane} was not sighted`);
		return sighting;
	}
	/** A person at a client of their own. */
	async attachPerson(pane, size = {}) {
		const typist = await attachTypist({
			tmux: this.rig,
			pane,
			...size
		});
		this.#typists.push(typist);
		return typist;
	}
	async #provoke(pane, session, peer, reason) {
		const run = async (...args) => {
			await this.rig.run(...args);
		};
		switch (reason) {
			case "mode":
				await run("copy-mode", "-t", pane);
				return { undo: () => run("send-keys", "-t", pane, "-X", "cancel") };
			case "synchronised":
				await run("set-option", "-w", "-t", session, "synchronize-panes", "on");
				return { undo: () => run("set-option", "-w", "-t", session, "synchronize-panes", "off") };
			case "input-off":
				await run("select-pane", "-d", "-t", pane);
				return { undo: () => run("select-pane", "-e", "-t", pane) };
			case "typing": {
				const person = await this.attachPerson(pane);
				const { length } = await peer.received(0);
				person.press("k");
				await peer.received(length + 1);
				const before = this.clock.aheadMs;
				this.clock.aheadMs = 0;
				return { undo: async () => {
					this.clock.aheadMs = before;
				} };
			}
		}
	}
	async close() {
		await Promise.all(this.#typists.map((typist) => typist.close().catch(() => void 0)));
		await this.server.close();
		await Promise.all(this.#peers.map((peer) => peer.close()));
		await this.rig.kill();
	}
};
const recogniseEcho = (tree) => {
	const process = tree.find((each) => each.argv.some((word) => word.endsWith("echo-program.mjs")));
	return process && {
		program: "echo",
		process
	};
};
// tests/contract/zz-plain.ts
const h = new TmuxHarness();
const panes = [];
for (let i = 0; i < 10; i++) panes.push(await h.rig.newSession({
	name: `b${i}`,
	command: [
		process.execPath,
		"/tmp/tw/stamp.mjs",
		`${h.rig.folder}/log${i}`
	],
	cwd: h.rig.folder
}));
await new Promise((r) => setTimeout(r, 2500));
const c = new ControlConnection({
	program: tmuxProgram(process.env),
	socket: h.rig.socket,
	session: "b1",
	flags: ["ignore-size", "no-output"],
	nonce: "0123456789abcdef",
	clock: h.clock,
	attachDeadlineMs: 5e3,
	onEvent: () => {}
});
await c.attached;
const pane = panes[3];
const [pid, command, win, x, y] = (await h.rig.ask(pane, "#{pane_pid} #{pane_current_command} #{window_id} #{cursor_x} #{cursor_y}")).split(" ");
const e = {
	panePid: Number(pid),
	command,
	alternate: true,
	cursorHidden: true,
	cursor: {
		x: Number(x),
		y: Number(y)
	},
	quietForMs: 2e3
};
const place = {
	windowId: win,
	now: h.clock.now()
};
const plan = planStrokes([{
	kind: "paste",
	text: "x".repeat(188),
	bracketed: false
}, {
	kind: "bytes",
	bytes: [
		27,
		91,
		49,
		51,
		117,
		21
	]
}], {
	pane,
	name: "bh-y",
	folder: "/x"
});
const cut = Math.floor((place.now - 2e3) / 1e3);
const one = `#{==:#{?pane_dead,d,}#{?pane_in_mode,m,}#{?pane_synchronized,s,}#{?pane_input_off,i,}#{pane_pid}/#{?alternate_on,a,}#{?cursor_flag,c,}/#{cursor_x}/#{cursor_y}/#{window_id}/${`#{?#{==:#{window_linked_sessions},1},#{?#{e|>=:#{session_activity},${cut}},x,},#{S:#{?#{e|>=:#{session_activity},${cut}},#{W:#{?#{==:#{window_id},${win}},x,}},}}}`}/#{pane_current_command},${pid}/a/${x}/${y}/${win}//${command}}`;
const G = gateFormat(e, place);
const I = (g, yes, no) => `if-shell -F -t ${pane} ${quote(g)} ${quote(yes)} ${quote(no)}`;
const yes = [...plan.type, "display-message -p SENT"].join(" ; ");
const report = `display-message -p -t ${pane} ${quote("HELD " + reportFormat(e, place))}`;
const tests = {
	ping: "display-message -p x",
	ifTrue: I("1", "display-message -p SENT", "display-message -p HELD"),
	ifAll: I(G, "display-message -p SENT", "display-message -p HELD"),
	ifOne: I(one, "display-message -p SENT", "display-message -p HELD"),
	paste: `${plan.prepare[0]} ; ${plan.type.join(" ; ")}`,
	gate: gateCommands(pane, e, place, plan),
	gateOne: `${plan.prepare[0]} ; ${I(one, yes, `delete-buffer -b bh-y ; ${report}`)}`,
	gateOneShort: `${plan.prepare[0]} ; ${I(one, yes, `delete-buffer -b bh-y ; display-message -p HELD`)}`,
	gateTrue: `${plan.prepare[0]} ; ${I("1", yes, `delete-buffer -b bh-y ; display-message -p HELD`)}`
};
console.log(JSON.stringify(await c.run(tests.gate, 5e3)), JSON.stringify(await c.run(tests.gateOne, 5e3)));
const r = {};
for (let i = 0; i < 400; i++) for (const [k, f] of Object.entries(tests)) {
	const t = performance.now();
	await c.run(f, 5e3);
	(r[k] ??= []).push(performance.now() - t);
}
for (const [k, v] of Object.entries(r)) {
	v.sort((a, b) => a - b);
	console.log(k.padEnd(12), v[40].toFixed(3), v[200].toFixed(3), "ms");
}
await c.close();
await h.close();
export {};
