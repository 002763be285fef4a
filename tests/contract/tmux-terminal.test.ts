import { readdirSync } from "node:fs";
import { kill } from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Stroke } from "../../src/ports/terminal.ts";
import { TERMINAL_DEADLINES } from "../../src/terminals/tmux/terminal.ts";
import { processes, TmuxHarness } from "./tmux-harness.ts";

const POLL = { timeout: 180_000, interval: 20 };
const paste = (text: string): Stroke => ({ kind: "paste", text, bracketed: false });

let harness: TmuxHarness;
beforeEach(() => {
  harness = new TmuxHarness();
});
afterEach(async () => {
  await harness.close();
});

describe("a gate in tmux", () => {
  it("refuses a dead pane, and the server lives", async () => {
    const opened = await harness.open();
    await opened.peer.close();
    await expect.poll(() => harness.rig.ask(opened.pane, "#{pane_dead}"), POLL).toBe("1");
    expect(await opened.terminal.gate({ panePid: opened.panePid }, [paste("never")])).toEqual({
      kind: "gone",
    });
    // A paste into a dead pane crashes tmux 3.3a: even when the agent seems to be alive, the gate itself must refuse.
    const deceived = harness.newAdapter({
      processes: { ...processes, alive: async () => "alive", standing: async () => "in-front" },
    });
    const outcome = await deceived
      .terminal(opened.sighting.identity)
      .gate({ panePid: opened.panePid }, [paste("never"), { kind: "key", name: "Enter" }]);
    expect(outcome).toEqual({ kind: "refused", because: ["dead"] });
    expect(await harness.rig.ask(opened.pane, "#{pane_dead}")).toBe("1");
    await deceived.close();
  });

  it("tells a person's key from its own keys and from an old one", async () => {
    harness.clock.aheadMs = 0;
    const opened = await harness.open();
    const person = await harness.attachPerson(opened.pane);
    const type = (text: string) =>
      opened.terminal.gate({ panePid: opened.panePid, quietForMs: 1_000 }, [paste(text)]);
    // The attach counts as activity: it must grow old first.
    await expect.poll(() => type("."), POLL).toEqual({ kind: "sent" });
    expect(await type("ours")).toEqual({ kind: "sent" });
    await opened.received(5);
    person.press("k");
    expect((await opened.received(6)).toString()).toBe(".oursk");
    expect(await type("never")).toEqual({ kind: "refused", because: ["typing"] });
  });

  it("asks every session that shows the window for silence", async () => {
    const opened = await harness.open();
    await harness.rig.run("new-session", "-d", "-s", "other", "sleep 1000");
    await harness.rig.run("link-window", "-s", `${opened.session}:0`, "-t", "other:5");
    const type = () => opened.terminal.gate({ panePid: opened.panePid, quietForMs: 2_000 }, [paste("x")]);
    expect(await type()).toEqual({ kind: "sent" });
    const person = await harness.attachPerson("other:0");
    harness.clock.aheadMs = 0;
    person.press("k");
    expect(await type()).toEqual({ kind: "refused", because: ["typing"] });
  });

  it("finds a pane that has moved to another window", async () => {
    const opened = await harness.open();
    await opened.terminal.read();
    // Keeps the session, and with it our connection.
    await harness.rig.run("new-window", "-d", "-t", opened.session, "sleep 1000");
    await harness.rig.run("new-session", "-d", "-s", "other", "sleep 1000");
    await harness.rig.run("join-pane", "-s", opened.pane, "-t", "other:0");
    expect(await opened.terminal.gate({ panePid: opened.panePid, quietForMs: 2_000 }, [paste("x")])).toEqual({
      kind: "sent",
    });
    expect((await opened.received(1)).toString()).toBe("x");
  });

  it("leaves nothing behind: no buffer, no file, no large text in the log of tmux", async () => {
    const opened = await harness.open();
    await harness.rig.run("new-session", "-d", "-s", "stays", "sleep 1000");
    const large = "secret ".repeat(10_000);
    await opened.terminal.gate({ panePid: opened.panePid }, [paste(large), paste("small")]);
    await opened.terminal.gate({ panePid: opened.panePid, command: "another" }, [
      paste(large),
      paste("small"),
    ]);
    await opened.destroy();
    const gone = harness.newAdapter({ processes: { ...processes, alive: async () => "alive" } });
    const terminal = gone.terminal(opened.sighting.identity);
    expect(await terminal.gate({ panePid: opened.panePid }, [paste(large)])).toEqual({ kind: "gone" });
    expect(readdirSync(harness.scratchFolder)).toEqual([]);
    expect(await harness.rig.run("list-buffers")).toBe("");
    expect(await harness.rig.run("show-messages")).not.toContain("secret secret");
    await gone.close();
  });

  it("works beside hooks of the person's own", async () => {
    const opened = await harness.open();
    for (const command of ["display-message", "set-buffer", "paste-buffer", "send-keys", "capture-pane"]) {
      await harness.rig.run(
        "set-hook",
        "-g",
        `after-${command}`,
        "set-option -ga @seen x ; display-message -p NOISE",
      );
    }
    await opened.show(["quiet"]);
    await expect
      .poll(() => opened.terminal.read(), POLL)
      .toMatchObject({ screen: { lines: { 0: { text: "quiet" } } } });
    expect(await opened.terminal.gate({ panePid: opened.panePid, quietForMs: 2_000 }, [paste("x")])).toEqual({
      kind: "sent",
    });
    expect(await opened.terminal.gate({ panePid: opened.panePid, command: "no" }, [paste("y")])).toEqual({
      kind: "refused",
      because: ["other-command"],
    });
    expect(await harness.rig.run("show-options", "-gv", "@seen")).toContain("x");
  });
});

describe("who is there", () => {
  it("is gone when another process took the pane", async () => {
    const opened = await harness.open();
    await harness.rig.run("respawn-pane", "-k", "-t", opened.pane, "sleep 1000");
    expect(await opened.terminal.read()).toEqual({ kind: "gone" });
    // Until the previous one has ended it is alive, behind another.
    const { agentPid, agentStartedAt } = opened.sighting.identity;
    await expect.poll(() => processes.alive(agentPid, agentStartedAt), POLL).toBe("gone");
    expect(await opened.terminal.gate({ panePid: opened.panePid }, [paste("never")])).toEqual({
      kind: "gone",
    });
  });

  it("is gone when the agent ended and its shell lives on", async () => {
    const opened = await harness.open();
    const lying = { ...opened.sighting.identity, agentStartedAt: "00000000:1" };
    expect(await harness.server.terminal(lying).read()).toEqual({ kind: "gone" });
  });

  it("is gone when the server was started anew and counts its panes from the beginning", async () => {
    const opened = await harness.open();
    await harness.rig.run("kill-server");
    await expect.poll(() => harness.server.scan(), POLL).toEqual({ kind: "absent" });
    await harness.rig.run("new-session", "-d", "-s", "again", "sleep 1000");
    expect((await harness.rig.run("list-panes", "-a", "-F", "#{pane_id}")).trim()).toBe(opened.pane);
    expect(await opened.terminal.read()).toEqual({ kind: "gone" });
    expect(await opened.terminal.gate({ panePid: opened.panePid }, [paste("never")])).toEqual({
      kind: "gone",
    });
  });

  it("is unreadable, not gone, when the system does not say whether the agent lives", async () => {
    const opened = await harness.open();
    const blind = harness.newAdapter({ processes: { ...processes, alive: async () => "unknown" } });
    const terminal = blind.terminal(opened.sighting.identity);
    expect(await terminal.read()).toMatchObject({ kind: "unreadable" });
    expect(await terminal.gate({ panePid: opened.panePid }, [paste("never")])).toEqual({
      kind: "refused",
      because: ["unavailable"],
    });
    await blind.close();
  });
});

describe("a tmux server in trouble", () => {
  it("that is killed leaves no question without an honest answer", async () => {
    const opened = await harness.open();
    await opened.terminal.read();
    const underWay = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? opened.terminal.read()
        : opened.terminal.gate({ panePid: opened.panePid }, [paste("x")]),
    );
    await harness.rig.run("kill-server");
    // For example refused: the server still exists, but no longer accepts a connection.
    const honest = {
      read: ["screen", "gone", "unreadable"],
      gate: ["sent", "refused", "gone", "unknown"],
    };
    (await Promise.all(underWay)).forEach(({ kind }, index) => {
      expect(index % 2 === 0 ? honest.read : honest.gate).toContain(kind);
    });
    await expect.poll(() => opened.terminal.read(), POLL).toEqual({ kind: "gone" });
    await expect.poll(() => harness.server.scan(), POLL).toEqual({ kind: "absent" });
  });

  it("that hangs makes a read unreadable and a gate unknown, and is used again afterwards", async () => {
    const opened = await harness.open();
    await opened.terminal.read();
    const { serverPid } = opened.sighting.identity;
    harness.clock.hurry = 20;
    kill(serverPid, "SIGSTOP");
    try {
      expect(await opened.terminal.gate({ panePid: opened.panePid }, [paste("late")])).toEqual({
        kind: "unknown",
        cause: `tmux did not answer within ${TERMINAL_DEADLINES.gateMs} ms`,
      });
      expect(await opened.terminal.read()).toMatchObject({ kind: "unreadable" });
      expect(await harness.server.scan()).toMatchObject({ kind: "unknown" });
    } finally {
      kill(serverPid, "SIGCONT");
      harness.clock.hurry = 1;
    }
    await expect.poll(() => opened.terminal.read(), POLL).toMatchObject({ kind: "screen" });
  });

  it("whose session ends is reached through another", async () => {
    const first = await harness.open();
    const last = await harness.open();
    expect(await first.terminal.read()).toMatchObject({ kind: "screen" });
    await harness.rig.run("kill-session", "-t", last.session);
    expect(await first.terminal.read()).toMatchObject({ kind: "screen" });
    expect(await first.terminal.gate({ panePid: first.panePid }, [paste("x")])).toEqual({ kind: "sent" });
    expect(await last.terminal.read()).toEqual({ kind: "gone" });
  });
});

describe("changes in tmux", () => {
  it("are told for terminals in every session, also in one that came later", async () => {
    const opened = [await harness.open(), await harness.open()];
    opened.push(await harness.open());
    const told = opened.map(() => 0);
    opened.forEach(({ terminal }, index) => {
      terminal.onChange(() => {
        told[index] = (told[index] ?? 0) + 1;
      });
    });
    for (const [index, { show }] of opened.entries()) {
      const before = [...told];
      await expect
        .poll(async () => {
          await show([`now ${index}`]);
          return told[index];
        }, POLL)
        .toBeGreaterThan(before[index] ?? 0);
    }
  });

  it("are told when a person enters copy mode", async () => {
    const opened = await harness.open();
    let told = 0;
    opened.terminal.onChange(() => {
      told += 1;
    });
    await harness.rig.run("copy-mode", "-t", opened.pane);
    await expect.poll(() => told, POLL).toBeGreaterThan(0);
    expect(await opened.terminal.read()).toMatchObject({ screen: { mode: "copy-mode" } });
  });

  it("of many megabytes pass without holding up the program", async () => {
    const opened = await harness.open();
    await opened.peer.print(`${"flood ".repeat(20)}\r\n`.repeat(60_000));
    await opened.show(["dry land"]);
    await expect
      .poll(() => opened.terminal.read(), POLL)
      .toMatchObject({ screen: { lines: { 0: { text: "dry land" } } } });
  });
});

describe("an announcement in tmux", () => {
  const shown = async () =>
    (await harness.rig.run("show-messages"))
      .split("\n")
      .flatMap((line) => /^\S+ (\S+) message: (.*)$/.exec(line)?.slice(1, 3).join(" ") ?? []);

  it("is shown to those who look at this window, as it is written", async () => {
    const opened = await harness.open();
    const other = await harness.open();
    await harness.attachPerson(opened.pane);
    const names = await harness.rig.run("list-clients", "-F", "#{?client_control_mode,,#{client_name}}");
    const client = names.trim();
    await harness.attachPerson(other.pane);
    const outcome = await opened.terminal.announce("back: #{pid} #(id) 100%d %H $(id) ;\n\x1b[31m");
    expect(outcome).toEqual({ kind: "shown", to: 1 });
    expect(await shown()).toEqual([`${client} back: #{pid} #(id) 100%d %H $(id) ; [31m`]);
  });

  it("reaches people through every session that shows the window, and none who look elsewhere", async () => {
    const opened = await harness.open();
    await harness.rig.run("new-session", "-d", "-s", "other", "sleep 1000");
    await harness.rig.run("link-window", "-s", `${opened.session}:0`, "-t", "other:5");
    await harness.attachPerson("other:0");
    expect(await opened.terminal.announce("unseen")).toEqual({ kind: "shown", to: 0 });
    await harness.rig.run("select-window", "-t", "other:5");
    expect(await opened.terminal.announce("seen")).toEqual({ kind: "shown", to: 1 });
    expect(await shown()).toEqual([expect.stringMatching(/ seen$/)]);
  });

  it("is no key of a person: the gate stays open", async () => {
    harness.clock.aheadMs = 0;
    const opened = await harness.open();
    const person = await harness.attachPerson(opened.pane);
    const type = (text: string) =>
      opened.terminal.gate({ panePid: opened.panePid, quietForMs: 1_000 }, [paste(text)]);
    // The attach counts as activity: it must grow old first.
    await expect.poll(() => type("."), POLL).toEqual({ kind: "sent" });
    const activity = () =>
      harness.rig.run("list-clients", "-F", "#{client_name} #{client_activity} #{session_activity}");
    const before = await activity();
    expect(await opened.terminal.announce("back")).toEqual({ kind: "shown", to: 1 });
    expect(await activity()).toBe(before);
    expect(await type("ours")).toEqual({ kind: "sent" });
    person.press("k");
    expect((await opened.received(6)).toString()).toBe(".oursk");
    expect(await type("never")).toEqual({ kind: "refused", because: ["typing"] });
  });

  it("is shown beside hooks of the person's own", async () => {
    const opened = await harness.open();
    await harness.attachPerson(opened.pane);
    for (const command of ["display-message", "list-clients"]) {
      await harness.rig.run("set-hook", "-g", `after-${command}`, "display-message -p NOISE");
    }
    expect(await opened.terminal.announce("back")).toEqual({ kind: "shown", to: 1 });
  });

  it("is unknown, and soon, when the server hangs", async () => {
    const opened = await harness.open();
    await opened.terminal.read();
    const { serverPid } = opened.sighting.identity;
    harness.clock.hurry = 20;
    kill(serverPid, "SIGSTOP");
    try {
      expect(await opened.terminal.announce("back")).toEqual({
        kind: "unknown",
        cause: `tmux did not answer within ${TERMINAL_DEADLINES.announceMs} ms`,
      });
    } finally {
      kill(serverPid, "SIGCONT");
      harness.clock.hurry = 1;
    }
  });
});
