/**
 * How tmux is attached to and left without crashing it.
 *
 * tmux before 3.7 crashes when it notifies its control clients while one of them is half way through introducing itself.
 * That takes microseconds, so no test waits for it to happen: here, a client is half way for as long as the test wants.
 */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noticeCommands, withNoticesHeld } from "../../src/terminals/tmux/control/held-notices.ts";
import {
  runTmux,
  serverArguments,
  tmuxProgram,
  tmuxVersion,
} from "../../src/terminals/tmux/control/tmux-program.ts";
import { TmuxHarness } from "./tmux-harness.ts";

const POLL = { timeout: 180_000, interval: 20 };

let harness: TmuxHarness;
let session: string;
/** Where it is not, nothing is held back, and nothing need be. */
let affected: boolean;
beforeEach(async () => {
  harness = new TmuxHarness();
  affected = /^(?:next-)?3\.[2-6]/.test((await tmuxVersion(tmuxProgram(process.env))).version);
  const named = ["-P", "-F", "#{session_id}"];
  session = (await harness.rig.run("new-session", "-d", ...named, "sleep 1000")).trim();
});
afterEach(async () => {
  await harness.close();
});

const server = () => ({
  program: tmuxProgram(process.env),
  socket: harness.rig.socket,
  nonce: () => "0123456789abcdef",
});
const ask = (format: string) => harness.rig.ask(`${session}:`, format);
const newSession = () => harness.rig.run("new-session", "-d", "-s", "other", "sleep 1000");
/** What a hook sees is what a control client would be told. */
const countSessions = () => harness.rig.run("set-hook", "-g", "session-created", "set-option -sa @created x");

/** The protocol of tmux's own clients: type, length, version, process. */
function clientMessage(type: number, content: Buffer): Buffer {
  const header = Buffer.alloc(16);
  [type, header.length + content.length, 8, process.pid].forEach((word, at) => {
    header.writeUInt32LE(word, at * 4);
  });
  return Buffer.concat([header, content]);
}

const word = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const text = (value: string) => Buffer.from(`${value}\0`);

/** A control client, by its first message. */
async function introduceHalf(): Promise<Socket> {
  const client = connect(harness.rig.socket);
  await once(client, "connect");
  client.write(clientMessage(100, word(0x2000)));
  // Answered once the server has read what came before it.
  await ask("#{pid}");
  return client;
}

/** The rest, without which its leaving is a crash as well. */
async function introduceWhole(client: Socket): Promise<void> {
  client.write(
    Buffer.concat([
      clientMessage(101, text("dumb")),
      clientMessage(102, text("")),
      clientMessage(107, word(process.pid)),
      clientMessage(108, text("/")),
      clientMessage(106, Buffer.alloc(0)),
    ]),
  );
  await ask("#{pid}");
  client.destroy();
}

describe("tmux, to which a control client introduces itself", () => {
  it("survives sessions that begin and end meanwhile, for nobody is told of them before", async () => {
    const pid = await ask("#{pid}");
    await countSessions();
    await withNoticesHeld(server(), session, async () => {
      const client = await introduceHalf();
      await newSession();
      await harness.rig.run("kill-session", "-t", "other");
      expect(await ask("#{@created}")).toBe(affected ? "" : "x");
      await introduceWhole(client);
    });
    await expect.poll(() => ask("#{@created}"), POLL).toBe("x");
    expect(await ask("#{pid}")).toBe(pid);
  });

  it("keeps its titles and hooks, and nothing of ours", async () => {
    await harness.rig.run(
      "select-pane",
      "-t",
      `${session}:`,
      "-T",
      'a "title" $HOME ~ \\x %%H ##{pid} ##(id)',
    );
    await harness.rig.run("set-hook", "-g", "pane-title-changed[3]", "display-message -p theirs");
    const all = async () => [
      await ask("#{pane_title}"),
      await harness.rig.run("show-hooks", "-gw"),
      await harness.rig.run("show-options", "-s"),
    ];
    const before = await all();
    await withNoticesHeld(server(), session, () => Promise.resolve());
    await expect.poll(all, POLL).toEqual(before);
  });

  it("tells again by itself when whoever attached was killed", async () => {
    await countSessions();
    const { program, socket, nonce } = server();
    const argv = [...serverArguments(socket), ...noticeCommands(nonce()).begin(session)];
    const begun = await runTmux(program, argv, 30_000);
    expect(begun).toEqual({ kind: "done", stdout: affected ? "held\n" : "cured\n\n" });
    await newSession();
    await expect.poll(() => ask("#{@created}"), POLL).toBe("x");
    expect(await harness.rig.run("show-options", "-s")).not.toContain("bellhop");
  });

  it("is attached to all the same where a pane has a hook of its own in the place of ours", async () => {
    const theirs = ["pane-title-changed", "display-message -p theirs"];
    await harness.rig.run("set-hook", "-p", "-t", `${session}:`, ...theirs);
    expect(await withNoticesHeld(server(), session, () => Promise.resolve("attached"))).toBe("attached");
    expect(await harness.rig.run("show-hooks", "-gw")).not.toContain("bellhop");
    expect(await harness.rig.run("show-options", "-s")).not.toContain("bellhop");
  });

  it("is not held any more by a hook that comes too late, behind a slow one of the person's", async () => {
    const slow = 'run-shell "sleep 1" ; set-option -g @slow done';
    await harness.rig.run("set-hook", "-g", "pane-title-changed[0]", slow);
    const { program, socket, nonce } = server();
    const commands = noticeCommands(nonce());
    for (const argv of [commands.begin(session), commands.end])
      await runTmux(program, [...serverArguments(socket), ...argv], 30_000);
    if (affected) await expect.poll(() => ask("#{@slow}"), POLL).toBe("done");
    expect(await harness.rig.run("show-options", "-s")).not.toContain("bellhop");
  });

  it("is held by two at once, one after the other", async () => {
    const hold = (digits: string) =>
      withNoticesHeld({ ...server(), nonce: () => digits }, session, () =>
        ask(`#{@bellhop-attach-${Number(digits)}}`),
      );
    const states = await Promise.all([hold("0000001"), hold("0000002")]);
    expect(states).toEqual(affected ? ["held", "held"] : ["", ""]);
  });

  it("is held whenever we attach, for commands as well as for output", async () => {
    const log = join(harness.rig.folder, "attaches");
    const path = join(harness.rig.folder, "tmux");
    const show = `tmux -S '${harness.rig.socket}' show-options -s`;
    const note = `{ ${show} | grep bellhop-attach || echo free; } >> '${log}'`;
    const program = `#!/bin/sh\ncase "$*" in *" -C "*) ${note} ;; esac\nexec tmux "$@"\n`;
    writeFileSync(path, program, { mode: 0o755 });
    await harness.open();
    await harness.server.close();
    const adapter = harness.newAdapter({ program: { ...tmuxProgram(process.env), path } });
    await adapter.scan();
    const clients = async () => (await harness.rig.run("list-clients")).trim().split("\n");
    await expect.poll(clients, POLL).toHaveLength(2);
    const attaches = readFileSync(log, "utf8").trim().split("\n");
    expect(attaches.length).toBeGreaterThanOrEqual(2);
    for (const one of attaches) expect(one).toMatch(affected ? /^@bellhop-attach-\d+ held$/ : /^free$/);
    await adapter.close();
  });
});

describe("tmux, where sessions end with their last client", () => {
  it("survives our leaving with the last person, however long our client takes to say good-bye", async () => {
    const pid = await ask("#{pid}");
    await harness.rig.run("rename-session", "-t", session, "one");
    await newSession();
    const one = await harness.attachPerson("one:");
    const other = await harness.attachPerson("other:");
    await harness.rig.run("set-option", "-g", "destroy-unattached", "on");
    const adapter = harness.newAdapter();
    expect(await adapter.scan()).toMatchObject({ kind: "scanned" });
    const ours = "#{?client_control_mode,#{client_pid} #{session_name},}";
    const [client, joined] = (await harness.rig.run("list-clients", "-F", ours)).trim().split(" ");
    process.kill(Number(client), "SIGSTOP");
    await (joined === "one" ? one : other).close();
    const sessions = () => harness.rig.run("list-sessions", "-F", "#{session_name} #{pid}");
    await expect.poll(sessions, POLL).toBe(`${joined === "one" ? "other" : "one"} ${pid}\n`);
    await adapter.close();
  });
});
