import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CONTROL_LIMITS, ControlConnection } from "../../src/terminals/tmux/control/control.ts";
import { isQuotable, quote } from "../../src/terminals/tmux/control/quote.ts";
import { tmuxProgram, tmuxVersion } from "../../src/terminals/tmux/control/tmux-program.ts";
import { TmuxServer } from "../../src/terminals/tmux/server.ts";
import { echoProgram } from "./program-peer.ts";
import { processes, TmuxHarness } from "./tmux-harness.ts";

const POLL = { timeout: 180_000, interval: 20 };

let harness: TmuxHarness;
beforeEach(() => {
  harness = new TmuxHarness();
});
afterEach(async () => {
  await harness.close();
});

describe("a scan", () => {
  it("says absent where no server is, and starts none", async () => {
    expect(await harness.server.scan()).toEqual({ kind: "absent" });
    expect(existsSync(harness.rig.socket)).toBe(false);
  });

  it("picks up a server that starts later, and its end", async () => {
    expect(await harness.server.scan()).toEqual({ kind: "absent" });
    const opened = await harness.open();
    expect(await harness.server.scan()).toMatchObject({ kind: "scanned", sightings: [{ program: "echo" }] });
    await harness.rig.run("kill-server");
    await expect.poll(() => harness.server.scan(), POLL).toEqual({ kind: "absent" });
    expect(await opened.terminal.read()).toEqual({ kind: "gone" });
  });

  it("finds a program under shells, names its place, and leaves other panes out", async () => {
    await harness.rig.run("new-session", "-d", "-s", "my work", "-x", "120", "-y", "40", "sleep 1000");
    const log = join(harness.rig.folder, "log");
    const words = echoProgram({ log })
      .map((word) => `'${word}'`)
      .join(" ");
    const pane = (
      await harness.rig.run(
        "split-window",
        "-t",
        "my work:0",
        "-c",
        harness.rig.folder,
        "-P",
        "-F",
        "#{pane_id}",
        `sh -c "${words}; true"; true`,
      )
    ).trim();
    await harness.rig.run("select-pane", "-t", pane, "-T", "✳ a / title; ##{pid}");
    const serverPid = Number(await harness.rig.ask(pane, "#{pid}"));
    const server = await processes.identify(serverPid);
    await expect
      .poll(async () => {
        const scan = await harness.server.scan();
        return scan.kind === "scanned" ? scan.sightings : scan;
      }, POLL)
      .toEqual([
        {
          identity: {
            kind: "tmux",
            server: harness.rig.socket,
            pane,
            serverPid,
            serverStartedAt: server === "gone" ? "gone" : server.startedAt,
            panePid: Number(await harness.rig.ask(pane, "#{pane_pid}")),
            agentPid: expect.any(Number),
            agentStartedAt: expect.any(String),
          },
          program: "echo",
          label: "my work:0.1",
          title: "✳ a / title; #{pid}",
          folder: harness.rig.folder,
          agentArgv: [...echoProgram({ log })],
          drawnAt: expect.any(Number),
        },
      ]);
    const { identity } = await harness.sight(pane);
    expect(identity.agentPid).not.toBe(identity.panePid);
  });

  it("of a server without sessions finds nothing, which is not unknown", async () => {
    await harness.rig.run("start-server", ";", "set-option", "-s", "exit-empty", "off");
    expect(await harness.server.scan()).toEqual({
      kind: "scanned",
      sightings: [],
      serverPid: expect.any(Number),
    });
    await harness.rig.run("kill-server");
  });

  it("without the tmux program says what to do", async () => {
    await harness.open();
    const program = { path: "/nonexistent/tmux", environment: {} };
    await expect(tmuxVersion(program)).rejects.toMatchObject({ code: "tmux.missing" });
    const blind = harness.newAdapter({ program });
    expect(await blind.scan()).toEqual({ kind: "unknown", cause: expect.stringContaining("Install tmux") });
    await blind.close();
  });

  it("is asked for when windows or names change", async () => {
    await harness.open();
    let told = 0;
    const stop = harness.server.onChange(() => {
      told += 1;
    });
    await harness.rig.run("new-session", "-d", "-s", "another", "sleep 1000");
    await expect.poll(() => told, POLL).toBeGreaterThan(0);
    told = 0;
    await harness.rig.run("rename-session", "-t", "another", "renamed");
    await expect.poll(() => told, POLL).toBeGreaterThan(0);
    stop();
  });
});

describe("a person at the same server", () => {
  it("keeps the size of the windows, also with two clients of different sizes", async () => {
    const opened = await harness.open({}, { cols: 100, rows: 30 });
    const size = () => harness.rig.ask(opened.pane, "#{window_width}x#{window_height}");
    expect(await size()).toBe("100x30");
    await harness.attachPerson(opened.pane, { cols: 140, rows: 50 });
    const second = await harness.attachPerson(opened.pane, { cols: 110, rows: 35 });
    second.press("k");
    await expect.poll(size, POLL).toBe("110x35");
    const newcomer = harness.newAdapter();
    await newcomer.scan();
    await newcomer.terminal(opened.sighting.identity).read();
    expect(await size()).toBe("110x35");
    await newcomer.close();
    expect(await size()).toBe("110x35");
  });

  it("keeps the environment of the session", async () => {
    await harness.rig.run("new-session", "-d", "-s", "mine", "-e", "SSH_AUTH_SOCK=/mine", "sleep 1000");
    const before = await harness.rig.run("show-environment", "-t", "mine");
    await harness.server.scan();
    expect(await harness.rig.run("show-environment", "-t", "mine")).toBe(before);
    expect(before).toContain("SSH_AUTH_SOCK=/mine");
  });

  it("keeps sessions that end with their last client from being kept alive by us", async () => {
    const opened = await harness.open();
    const person = await harness.attachPerson(opened.pane);
    await harness.rig.run("set-option", "-t", opened.session, "destroy-unattached", "on");
    const newcomer = harness.newAdapter();
    await harness.server.close();
    expect(await newcomer.scan()).toMatchObject({ kind: "scanned" });
    await person.close();
    await expect.poll(() => newcomer.scan(), POLL).toEqual({ kind: "absent" });
    await newcomer.close();
  });

  it("sees no client of ours once we have left", async () => {
    await harness.open();
    await harness.open();
    const clients = async () => (await harness.rig.run("list-clients")).trim().split("\n");
    await expect.poll(clients, POLL).toHaveLength(3);
    await harness.server.close();
    await expect.poll(() => harness.rig.run("list-clients"), POLL).toBe("");
  });
});

describe("tmux 3.3a, which crashes when a client vanishes or a notice comes while one introduces itself", () => {
  it("survives adapters that come and go while sessions come and go", async () => {
    const opened = await harness.open();
    const serverPid = await harness.rig.ask(opened.pane, "#{pid}");
    for (let round = 0; round < 12; round += 1) {
      const passing = harness.newAdapter();
      const scan = passing.scan();
      const other = await harness.open();
      await passing.close();
      await scan;
      await other.destroy();
    }
    expect(await harness.rig.ask(opened.pane, "#{pid}")).toBe(serverPid);
  });
});

describe("one connection", () => {
  const connect = async (): Promise<ControlConnection> => {
    const connection = new ControlConnection({
      program: tmuxProgram(process.env),
      socket: harness.rig.socket,
      session: "one",
      flags: ["ignore-size", "no-output"],
      nonce: () => "0123456789abcdef",
      clock: harness.clock,
      attachDeadlineMs: 5_000,
      onEvent: () => {},
    });
    expect(await connection.attached).toEqual({ kind: "attached" });
    return connection;
  };

  beforeEach(async () => {
    await harness.rig.run("new-session", "-d", "-s", "one", "sleep 1000");
  });

  it("gives fifty commands at once their own answers, with errors of every kind among them", async () => {
    const connection = await connect();
    const commands = Array.from({ length: 50 }, (_, index) => {
      if (index % 5 === 1)
        return `display-message -p a${index} ; kill-pane -t %999 ; display-message -p never`;
      if (index % 5 === 3) return `no-such-command ${index}`;
      return `display-message -p a${index} ; display-message -p b${index}`;
    });
    const outcomes = await Promise.all(commands.map((command) => connection.run(command, 5_000)));
    outcomes.forEach((outcome, index) => {
      const blocks = outcome.kind === "answered" ? outcome.blocks : [];
      if (index % 5 === 1) {
        expect(blocks).toEqual([
          { ok: true, lines: [`a${index}`] },
          { ok: false, lines: ["can't find pane: %999"] },
        ]);
      } else if (index % 5 === 3) {
        expect(blocks).toEqual([{ ok: false, lines: [expect.stringContaining("no-such-command")] }]);
      } else {
        expect(blocks).toEqual([
          { ok: true, lines: [`a${index}`] },
          { ok: true, lines: [`b${index}`] },
        ]);
      }
    });
    await connection.close();
  });

  it("refuses more than its maximum, and answers the rest", async () => {
    const connection = await connect();
    const underWay = Array.from({ length: CONTROL_LIMITS.pending }, () =>
      connection.run("refresh-client", 30_000),
    );
    expect(await connection.run("refresh-client", 5_000)).toMatchObject({ kind: "unsent" });
    expect(new Set((await Promise.all(underWay)).map((outcome) => outcome.kind))).toEqual(
      new Set(["answered"]),
    );
    await connection.close();
    expect(await connection.run("refresh-client", 5_000)).toMatchObject({ kind: "unsent" });
  });

  it("refuses a line that tmux would take for two, or for good-bye", async () => {
    const connection = await connect();
    expect(() => connection.run("a\nb", 1_000)).toThrow("one non-empty line");
    expect(() => connection.run("", 1_000)).toThrow("one non-empty line");
    await connection.close();
  });

  it("is refused by a session that is not there", async () => {
    const connection = new ControlConnection({
      program: tmuxProgram(process.env),
      socket: harness.rig.socket,
      session: "none",
      flags: ["ignore-size"],
      nonce: () => "0123456789abcdef",
      clock: harness.clock,
      attachDeadlineMs: 5_000,
      onEvent: () => {},
    });
    expect(await connection.attached).toEqual({ kind: "refused", cause: expect.stringContaining("none") });
    await connection.close();
  });

  it("carries any text through tmux's own command line", async () => {
    const connection = await connect();
    const anyText = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 60 }),
      fc.stringMatching(/^["'\\$~;#{}%\n\r\t\x01-\x1f\x7f -]{1,40}$/),
    );
    await fc.assert(
      fc.asyncProperty(anyText.filter(isQuotable), async (text) => {
        const outcome = await connection.run(`set-buffer -b round -- ${quote(text)}`, 5_000);
        expect(outcome).toEqual({ kind: "answered", blocks: [{ ok: true, lines: [] }] });
        expect(await harness.rig.run("show-buffer", "-b", "round")).toBe(text);
      }),
      { numRuns: 60 },
    );
    await connection.close();
  });
});

describe("several servers", () => {
  it("are told apart by their sockets", async () => {
    const opened = await harness.open();
    const elsewhere = new TmuxHarness();
    try {
      await elsewhere.open();
      expect(harness.server).toBeInstanceOf(TmuxServer);
      expect(harness.server.name).not.toBe(elsewhere.server.name);
      expect(await elsewhere.server.terminal(opened.sighting.identity).read()).toEqual({ kind: "gone" });
    } finally {
      await elsewhere.close();
    }
  });
});
