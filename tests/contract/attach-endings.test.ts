import { unlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeFrame } from "../../src/wire/host/frames.ts";
import { expectRestored } from "../rig/attached-person.ts";
import { until } from "../rig/scripted-agent.ts";
import { type AttachStage, attachStageForEach } from "./attach-stage.ts";
import { run } from "./built-command-line.ts";

let stage: AttachStage;
attachStageForEach((fresh) => {
  stage = fresh;
});

const QUIET = ["bash", "--norc", "-c", "echo ready; while :; do read; done"];

/** A host whose answers the test chooses. */
async function scriptedHost(serve: (line: string) => readonly (string | Buffer)[]): Promise<Server> {
  const path = join(stage.home, "run", "scripted.sock");
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (hello) => {
      for (const piece of serve(hello.toString("utf8"))) socket.write(piece);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  stage.daemon.answers.attach = () => ({ session_id: "0badcafe", agent: "coder", socket: path, token: "t" });
  return server;
}

const welcome = (change: object = {}) =>
  `${JSON.stringify({
    ok: true,
    version: 1,
    session_id: "0badcafe",
    agent: "coder",
    cols: 80,
    rows: 22,
    state: { viewers: 0, passthrough: null, exit: null, title: "" },
    ...change,
  })}\n`;
const control = (message: unknown) => encodeFrame("control", Buffer.from(JSON.stringify(message)));

describe("the terminal of an attached person is given back", () => {
  it("when they detach, and the program goes on", async () => {
    const host = await stage.host(QUIET);
    const person = stage.person();
    await person.sees("ready");
    expect(person.lineSettings()).toEqual(expect.arrayContaining(["-icanon", "-echo", "-isig"]));
    person.type("half a thou\x1cd");
    await expectRestored(person, 0);
    await person.sees('Detached; "coder" keeps running. To come back: bellhop attach coder');
    await person.sees("Not sent: half a thou");
    expect((await host.screen()).dead).toBe(false);
    const again = stage.person();
    await again.sees("ready");
  });

  it.each([
    ["exit 3", /"coder" ended with exit status 3\./],
    ["kill -TERM $$; read", /"coder" ended by SIGTERM\./],
  ])("when the program ends (%s): its last words and how it ended", async (how, told) => {
    await stage.host(["bash", "--norc", "-c", `echo ready; read; echo last words; ${how}`]);
    const person = stage.person();
    await person.sees("ready");
    person.type("\x1cp");
    await person.sees("keyboard: you");
    person.type("\r");
    await expectRestored(person, 0);
    await person.sees("last words");
    await person.sees(told);
  });

  it("when the host is killed: the exit status says so, and what to do", async () => {
    const host = await stage.host(QUIET);
    const person = stage.person();
    await person.sees("ready");
    person.type("\x1cp");
    await person.sees("keyboard: you");
    host.process.kill("SIGKILL");
    await expectRestored(person, 1);
    await person.sees("The terminal is gone: its host has ended or can no longer be reached");
    await person.sees("Messages for the agent stay queued.");
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)("when attach gets %s", async (signal, status) => {
    await stage.host(QUIET);
    const person = stage.person();
    await person.sees("ready");
    process.kill(person.pid, signal);
    await expectRestored(person, status);
  });

  it("when attach itself has a bug", async () => {
    const server = await scriptedHost(() => [
      welcome(),
      control({ type: "state", viewer: 1, state: { viewers: 1, passthrough: null, exit: null, title: "" } }),
      encodeFrame("data", Buffer.from("ready")),
      control({ type: "state", viewer: 1, state: null }),
    ]);
    const person = stage.person();
    await expectRestored(person, 1);
    await person.sees("This should not have happened");
    server.close();
  });

  it("when the host hangs and they want to leave, also while they ask for the keyboard", async () => {
    const host = await stage.host(QUIET);
    const person = stage.person();
    await person.sees("ready");
    process.kill(host.record.hostPid, "SIGSTOP");
    person.type("\x1cp");
    await person.sees("asking for the keyboard");
    person.type("text\x1cd");
    await expectRestored(person, 0);
    await person.sees("Not sent: text");
  });

  it("when the host speaks nonsense", async () => {
    const server = await scriptedHost(() => [welcome(), Buffer.from("\x07nonsense")]);
    const person = stage.person();
    await expectRestored(person, 6);
    await person.sees("The terminal's answer cannot be read.");
    server.close();
  });
});

describe("attach refuses in words", () => {
  it("without a terminal", async () => {
    await stage.host(QUIET);
    const { bellhop } = stage;
    const ran = await run([...bellhop, "attach", "coder"], stage.home);
    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain("To attach, standard input and output must be a terminal.");
    expect(ran.stderr).toContain("bellhop peek");
    expect(stage.daemon.asked).toEqual([]);
  });

  it.each([
    ["dumb", ["TERM=dumb"], 'TERM is "dumb"'],
    ["not told", ["-u", "TERM"], "TERM is not set"],
  ])("at a terminal that is %s, and says what works there", async (_, variables, words) => {
    await stage.host(QUIET);
    const person = stage.caller(["attach", "coder"], { variables, size: { cols: 120, rows: 24 } });
    expect(await person.exited).toBe(2);
    await person.sees(words);
    await person.sees("bellhop peek coder --follow");
    expect(person.output()).not.toContain("\x1b[?1049h");
    stage.daemon.answers.peek = () => ({ session_id: "0badcafe", screen: "ready" });
    const following = stage.caller(["peek", "coder", "--follow"], { variables });
    await following.sees("=== coder");
    expect(following.output()).not.toContain("\x1b[?1049h");
    const { session_id, agent } = { session_id: "0badcafe", agent: "coder" };
    stage.daemon.answers.run = () => ({ session_id, agent, terminal: { kind: "pty" } });
    const running = stage.caller(["run", "--name", "coder", "--", "true"], { variables });
    expect(await running.exited).toBe(0);
    await running.sees("coder");
  });

  it.each([
    ["attach", ["attach", "coder"]],
    ["attach --watch", ["attach", "coder", "--watch"]],
    ["peek --follow", ["peek", "coder", "--follow"]],
  ])("%s inside the very terminal that it would show", async (_, words) => {
    await stage.host(QUIET);
    stage.daemon.answers.peek = () => ({ session_id: "0badcafe", screen: "ready" });
    const inside = stage.caller(words, { variables: ["BELLHOP_SESSION_ID=0badcafe"] });
    expect(await inside.exited).toBe(2);
    await inside.sees("This command runs inside the terminal of");
    expect(inside.output()).not.toContain("\x1b[?1049h");
    const other = stage.caller(words, { variables: ["BELLHOP_SESSION_ID=08bc57cf"] });
    await other.sees("ready");
  });

  it("with a prefix that a person needs", async () => {
    const person = stage.person(undefined, "--prefix", "C-m");
    expect(await person.exited).toBe(2);
    await person.sees('"C-m" cannot be the prefix key.');
  });

  it("what the host refuses, such as another version", async () => {
    const error = {
      code: "daemon.version_mismatch",
      message: "This terminal speaks version 9 of the attach protocol only.",
      next: "Use the bellhop that started it.",
    };
    const hellos: string[] = [];
    const server = await scriptedHost((hello) => {
      hellos.push(hello);
      return [`${JSON.stringify({ ok: false, error })}\n`];
    });
    const person = stage.person({ cols: 90, rows: 30 });
    expect(await person.exited).toBe(5);
    await person.sees(error.message);
    await person.sees(error.next);
    expect(person.output()).not.toContain("\x1b[?1049h");
    expect(JSON.parse(hellos[0] ?? "")).toEqual({
      type: "attach",
      versions: [1],
      token: "t",
      cols: 90,
      rows: 28,
    });
    server.close();
  });

  it("a host that speaks a version which was not offered", async () => {
    const server = await scriptedHost(() => [welcome({ version: 2 })]);
    const person = stage.person({ cols: 120, rows: 24 });
    expect(await person.exited).toBe(5);
    await person.sees(
      "This terminal speaks version 2 of the attach protocol; this bellhop speaks version 1.",
    );
    server.close();
  });

  it("a host that is gone already", async () => {
    const host = await stage.host(QUIET);
    host.process.kill("SIGKILL");
    await until(
      () => host.process.signalCode !== null,
      () => "it lives",
    );
    const person = stage.person();
    expect(await person.exited).toBe(1);
    await person.sees("The terminal is gone");
  });
});

describe("a person who was too slow", () => {
  it("is cut off by the host, and sees everything again as soon as they read on", async () => {
    const flood =
      'for i in $(seq 1 200000); do echo "$i xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; done; echo over; read';
    const host = await stage.host(["bash", "--norc", "-c", `echo ready; read; ${flood}`]);
    const person = stage.person();
    const other = stage.person({ cols: 100, rows: 30 });
    for (const one of [person, other]) await one.sees("2 viewers");
    process.kill(person.pid, "SIGSTOP");
    other.type("go\r");
    await other.sees(/^over$/m);
    process.kill(person.pid, "SIGCONT");
    await person.sees(/^over$/m);
    await person.seesWhatTheHostSees(host);
    await person.sees("The connection broke and is back.");
    person.type("\x1cd");
    await expectRestored(person, 0);
  });

  it("is told by the daemon what is in the way where the host runs and cannot be reached", async () => {
    const host = await stage.host(QUIET);
    const person = stage.person();
    await person.sees("ready");
    const error = { code: "terminal.unreadable", message: "A file is in the way.", next: "Take it away." };
    stage.daemon.answers.attach = () => ({ error });
    unlinkSync(host.record.socket);
    // It loses its only connection.
    host.process.kill("SIGKILL");
    await expectRestored(person, 6);
    await person.sees(error.message);
    await person.sees(error.next);
  });

  it("comes back also where its socket was removed meanwhile: the daemon has it made anew", async () => {
    const flood = 'for i in $(seq 1 200000); do echo "$i xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; done';
    const host = await stage.host(["bash", "--norc", "-c", `echo ready; read; ${flood}; echo over; read`]);
    const person = stage.person();
    const other = stage.person({ cols: 100, rows: 30 });
    for (const one of [person, other]) await one.sees("2 viewers");
    const { hostPid, socket, token } = host.record;
    stage.daemon.answers.attach = () => {
      process.kill(hostPid, "SIGHUP");
      return { session_id: "0badcafe", agent: "coder", socket, token };
    };
    process.kill(person.pid, "SIGSTOP");
    unlinkSync(socket);
    other.type("go\r");
    await other.sees(/^over$/m);
    process.kill(person.pid, "SIGCONT");
    await person.sees("The connection broke and is back.");
    await person.seesWhatTheHostSees(host);
    // A viewer that was connected all along is not affected.
    other.type("\x1cd");
    await expectRestored(other, 0);
    await person.sees("1 viewer");
    person.type("\x1cd");
    await expectRestored(person, 0);
  });
});
