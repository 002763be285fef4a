/** `peek`, `output` and `--follow` of hosted programs: the built command line, a real daemon, real hosts. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOST_LIMITS } from "../../src/terminals/pty/host/door.ts";
import { encodeFrame, FrameReader } from "../../src/wire/host/frames.ts";
import { HOST_VERSION, type ViewerHears } from "../../src/wire/host/host.ts";
import { AttachedPerson, expectRestored } from "../rig/attached-person.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { HostViewer } from "../rig/host-viewer.ts";
import { hostRecords } from "../rig/hosts.ts";
import { SCRIPTED_PROFILE, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer } from "../rig/tmux-server.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const CLI = join(ROOT, "bin", "bellhop.cjs");
const SIZES = join(ROOT, "tests", "contract", "programs", "window-size.mjs");

let bellhop: Bellhop;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "bh-screens-"));
  bellhop = new Bellhop({ config: SCRIPTED_PROFILE, env: { TMUX_TMPDIR: folder } });
  await bellhop.start();
});

afterEach(async () => {
  await bellhop.dispose();
  rmSync(folder, { recursive: true, force: true });
});

interface Peek {
  readonly screen: string;
  readonly ending?: { readonly how: string; readonly code?: number };
}

const runs = (name: string, command: readonly string[]) =>
  bellhop.json(["run", "--detach", "--name", name, "--cwd", folder, "--", ...command]);
const peeked = (name: string, ...options: readonly string[]) =>
  bellhop.json<Peek>(["peek", name, ...options]);
const shows = (name: string, words: string) =>
  until(
    async () => (await bellhop.ask("peek", { who: name })).screen.includes(words),
    `${words} on the screen of ${name}`,
  );

/** Prints its next line when the test says so. */
const STEPS =
  'for i in 1 2 3; do printf "\\033[32mline $i\\033[0m\\n"; until [ -e step$i ]; do sleep 0.05; done; done; exit 5';
const step = (number: number) => writeFileSync(join(folder, `step${number}`), "");

interface Following {
  readonly child: ChildProcess;
  said(): string;
  readonly ended: Promise<number | null>;
}

function follows(...args: readonly string[]): Following {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: bellhop.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  return { child, said: () => said, ended: once(child, "close").then(([code]) => code as number | null) };
}

describe("peek and output", () => {
  it("show colours if asked, and the last lines also from what scrolled off", async () => {
    await runs("long", ["sh", "-c", 'seq 1 200; printf "\\033[31mred\\033[0m plain\\n"; exec sleep 600']);
    await shows("long", "red plain");
    expect((await peeked("long", "--ansi")).screen).toContain("\x1b[31mred\x1b[0m plain");
    expect((await peeked("long")).screen.split("\n").length).toBeLessThan(100);
    const lines = (await peeked("long", "--lines", "150")).screen.split("\n");
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([150, "52", "red plain"]);
    expect((await bellhop.run(["output", "long", "-n", "2"])).stdout).toBe("200\nred plain\n");
    const all = (await peeked("long", "--lines", "10000")).screen.split("\n");
    expect([all.length, all[0]]).toEqual([201, "1"]);
  });

  it("show what a program showed last once it has ended, with its colours and its lines", async () => {
    await runs("short", ["sh", "-c", 'seq 1 100; printf "\\033[31mred\\033[0m\\n"; exit 3']);
    await until(async () => (await bellhop.ask("peek", { who: "short" })).ending !== undefined, "its end");
    expect(await peeked("short")).toMatchObject({ ending: { how: "exited", code: 3 } });
    expect((await peeked("short", "--ansi")).screen).toContain("\x1b[31mred\x1b[0m");
    expect((await peeked("short", "--lines", "101")).screen.split("\n")).toHaveLength(101);
    const { stdout, stderr } = await bellhop.run(["output", "short", "--lines", "2"]);
    expect(stdout).toBe("100\nred\n");
    expect(stderr).toContain("short exited 3 at ");
  });

  it.each(["0", "x", "-3", "10001", ""])("refuse %j as a number of lines", async (lines) => {
    expect((await bellhop.run(["peek", "nobody", `--lines=${lines}`])).code).toBe(2);
  });

  it("refuse to follow lines", async () => {
    expect((await bellhop.run(["peek", "nobody", "--follow", "--lines", "3"])).code).toBe(2);
  });
});

describe("peek --follow in a pipe", () => {
  it("prints the screen at once, again whenever it changed, and ends with the program", async () => {
    await runs("steps", ["sh", "-c", STEPS]);
    await shows("steps", "line 1");
    const following = follows("peek", "steps", "--follow");
    await until(() => following.said().includes("line 1\n"), "the first screen");
    step(1);
    await until(() => following.said().includes("line 2\n"), "the second");
    step(2);
    await until(() => following.said().includes("line 3\n"), "the third");
    step(3);
    expect(await following.ended).toBe(0);
    const blocks = following.said().split(/^=== steps \d\d:\d\d:\d\d\n/m);
    expect(blocks[1]).toBe("line 1\n");
    expect(blocks[2]).toBe("line 1\nline 2\n");
    expect(blocks.at(-1)).toMatch(/^line 1\nline 2\nline 3\nsteps exited 5 at /);
    expect(blocks).toHaveLength(4);
  });

  it("prints one object a line for scripts, the last of them with how it ended", async () => {
    await runs("steps", ["sh", "-c", STEPS]);
    await shows("steps", "line 1");
    const following = follows("peek", "steps", "--follow", "--json", "--ansi");
    await until(() => following.said().includes("line 1"), "the first screen");
    for (const number of [1, 2, 3]) step(number);
    expect(await following.ended).toBe(0);
    const objects = following
      .said()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Peek);
    expect(objects[0]).toMatchObject({ screen: "\x1b[0;32mline 1\x1b[0m" });
    expect(objects.at(-1)).toMatchObject({ ending: { how: "exited", code: 5 } });
    expect(objects.at(-1)?.screen).toContain("line 3");
  });

  it("ends at Ctrl+C, goes on without the daemon, and says when the host is killed", async () => {
    await runs("steps", ["sh", "-c", STEPS]);
    await shows("steps", "line 1");
    const left = follows("peek", "steps", "--follow");
    const other = follows("peek", "steps", "--follow");
    for (const each of [left, other]) await until(() => each.said().includes("line 1"), "the first screen");
    left.child.kill("SIGINT");
    expect(await left.ended).toBe(0);
    await bellhop.stop("SIGKILL");
    step(1);
    await until(() => other.said().includes("line 2"), "a screen without a daemon");
    const [record] = hostRecords(bellhop.home);
    if (record === undefined) throw new Error("there is no host");
    process.kill(record.hostPid, "SIGKILL");
    expect(await other.ended).toBe(1);
    expect(other.said()).toContain("its host has ended");
  });

  it("says so where as many look already as its host takes", async () => {
    await runs("busy", ["sh", "-c", "echo here; exec sleep 600"]);
    await shows("busy", "here");
    const [record] = hostRecords(bellhop.home);
    if (record === undefined) throw new Error("there is no host");
    const lookers: HostViewer[] = [];
    try {
      // The daemon is there, too.
      for (let number = 1; number < HOST_LIMITS.connections; number += 1)
        lookers.push(await HostViewer.attach(record.socket, record.token, { cols: 80, rows: 24 }));
      const refused = follows("peek", "busy", "--follow", "--json");
      expect(await refused.ended).toBe(6);
      expect(JSON.parse(refused.said())).toMatchObject({
        error: {
          code: "terminal.unreadable",
          message: 'The host of "busy" hung up at once: it has too many connections, or it is ending.',
          next: "Try again in a moment, or when somebody has detached.",
        },
      });
    } finally {
      for (const looker of lookers) looker.close();
    }
  });

  it("of an agent in tmux looks again and again, until it ends", async () => {
    const tmux = startTmuxServer();
    try {
      const { pane } = await startScriptedAgent({ tmux, name: "api" });
      writeFileSync(
        join(bellhop.home, "config.yaml"),
        `http: { port: 0 }\ntmux: { servers: ["${tmux.socket}"] }\n${SCRIPTED_PROFILE}`,
      );
      await until(async () => (await bellhop.ask("ls", {})).sessions.length === 1, "the agent in tmux");
      const following = follows("peek", "api", "--follow");
      await until(() => following.said().includes("api is ready."), "the first screen");
      await tmux.run("send-keys", "-t", pane, "a draft");
      await until(() => following.said().includes("> a draft"), "the next");
      await tmux.run("kill-pane", "-t", pane);
      expect(await following.ended).toBe(1);
      expect(following.said()).toContain('"api" has ended');
    } finally {
      await tmux.kill();
    }
  });
});

/** A person at their own terminal who runs it with these arguments. */
function at(words: readonly string[], term = "xterm-256color"): AttachedPerson {
  const command = ["env", `TERM=${term}`, process.execPath, CLI, ...words];
  return new AttachedPerson(command, { cols: 50, rows: 10 }, bellhop.env, join(folder, "settings"));
}

describe("what goes on until Ctrl+C", () => {
  it.each([
    ["Ctrl+C", "\x03"],
    ["Ctrl+D", "\x04"],
    ["q", "q"],
    ["SIGINT", "SIGINT"],
    ["SIGTERM", "SIGTERM"],
  ])("ends well at %s in a window, with the terminal as it was", async (_name, by) => {
    await runs("cat", ["sh", "-c", "printf '\\033[?1049h\\033[?25lready'; exec cat"]);
    const person = at(["peek", "cat", "--follow"]);
    try {
      await person.sees("ready");
      if (by.startsWith("SIG")) process.kill(person.pid, by);
      else person.type(by);
      await expectRestored(person, 0);
      expect((await peeked("cat")).screen).toBe("ready");
    } finally {
      person.close();
    }
  });

  it.each([
    ["peek --follow where nothing can be drawn", ["peek", "cat", "--follow"], "ready"],
    ["logs -f", ["logs", "-f"], "daemon."],
    ["listen", ["listen", "cat"], "listening to cat"],
  ])("ends well: %s", async (_name, words, sight) => {
    await runs("cat", ["sh", "-c", "echo ready; exec cat"]);
    const person = at(words, "dumb");
    try {
      await person.sees(sight);
      person.type("\x03");
      await expectRestored(person, 0);
    } finally {
      person.close();
    }
  });
});

describe("who only looks", () => {
  it("at a terminal sees it in place, changes neither size nor program, and gets the terminal back", async () => {
    await runs("sizes", [process.execPath, SIZES]);
    await shows("sizes", "40 120");
    const person = at(["peek", "sizes", "--follow"]);
    try {
      await person.sees("40 120");
      await person.sees("sizes · only watching · C-c ends");
      person.type("keys that nobody reads\r");
      person.resize({ cols: 40, rows: 8 });
      person.type("\x03");
      expect(await person.exited).toBe(0);
      expect(person.lineSettings()).toContain("icanon");
      expect(person.output()).toContain("\x1b[?1049l");
      expect((await peeked("sizes")).screen).toBe("40 120");
    } finally {
      person.close();
    }
  });

  it("is told by the host that they may not type, and is heard by nobody", async () => {
    await runs("cat", ["cat"]);
    const [record] = hostRecords(bellhop.home);
    if (record === undefined) throw new Error("there is no host");
    const socket = connect(record.socket);
    const told: ViewerHears[] = [];
    const reader = new FrameReader(({ kind, payload }) => {
      if (kind === "control") told.push(JSON.parse(payload.toString("utf8")) as ViewerHears);
    });
    let head: Buffer | undefined = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      if (head === undefined) return reader.push(chunk);
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(0x0a);
      if (end === -1) return;
      reader.push(head.subarray(end + 1));
      head = undefined;
    });
    const hello = {
      type: "attach",
      versions: [HOST_VERSION],
      token: record.token,
      may: "look",
      cols: 9,
      rows: 3,
    };
    socket.write(`${JSON.stringify(hello)}\n`);
    const say = (message: object) =>
      socket.write(encodeFrame("control", Buffer.from(JSON.stringify(message))));
    socket.write(encodeFrame("data", Buffer.from("typed")));
    say({ type: "submit", text: "said" });
    say({ type: "passthrough", on: true });
    say({ type: "resize", cols: 9, rows: 3 });
    const refused = () => told.flatMap((message) => (message.type === "refused" ? message.what : []));
    await until(() => refused().length === 3, "three refusals");
    expect(refused()).toEqual(["keys", "submit", "passthrough"]);
    const sizes = () => told.filter(({ type }) => type === "resize");
    await until(() => sizes().length > 0, "the picture's size");
    expect(sizes()).toMatchObject([{ cols: 120, rows: 40 }]);
    expect((await peeked("cat")).screen).toBe("");
    socket.destroy();
  });
});
