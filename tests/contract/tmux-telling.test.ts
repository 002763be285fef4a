/** Notifications that concern no particular terminal, shown on every client of a tmux server. */
import { spawn } from "@lydell/node-pty";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { TmuxHarness } from "./tmux-harness.ts";

const HOSTILE = "coder asks #{pid} #(touch x) #[fg=red] 100%d $(id) ;\n\x1b[31mnow";
const SHOWN = "coder asks #{pid} #(touch x) #[fg=red] 100%d $(id) ;";
const POLL = { timeout: 180_000, interval: 20 };

let harness: TmuxHarness;
beforeEach(() => {
  harness = new TmuxHarness();
});
afterEach(async () => {
  await harness.close();
});

/** A client whose output is kept. */
async function lookAt(session: string): Promise<{ seen(): string }> {
  let seen = "";
  const client = spawn("tmux", ["-u", "-S", harness.rig.socket, "attach-session", "-t", session], {
    name: "xterm-256color",
    cols: 120,
    rows: 30,
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", TERM: "xterm-256color", LANG: "C.UTF-8" },
  });
  const exited = new Promise<void>((resolve) => client.onExit(() => resolve()));
  client.onData((data) => {
    seen += data;
  });
  onTestFinished(async () => {
    client.kill();
    await exited;
  });
  await expect
    .poll(() => harness.rig.run("list-clients", "-t", session, "-F", "#{client_pid}"), POLL)
    .toContain(String(client.pid));
  return { seen: () => seen };
}

describe("a tmux server tells", () => {
  it("everybody who looks at it, as it is, and no program", async () => {
    const [one, other] = [await harness.open(), await harness.open()];
    const [first, second] = [await lookAt(one.session), await lookAt(other.session)];
    const told = await harness.server.tell(HOSTILE, { line: true, bell: false });
    expect(told).toEqual({ kind: "shown", to: 2 });
    await expect.poll(() => first.seen(), POLL).toContain(SHOWN);
    await expect.poll(() => second.seen(), POLL).toContain(SHOWN);
    expect(first.seen() + second.seen()).not.toContain("\x07");
    expect(await one.received(0)).toHaveLength(0);
    expect(await other.received(0)).toHaveLength(0);
  });

  it("rings where people sit, and leaves out who looks at that very pane", async () => {
    const [one, other] = [await harness.open(), await harness.open()];
    const [first, second] = [await lookAt(one.session), await lookAt(other.session)];
    const told = await harness.server.tell("look", { line: false, bell: true, except: one.pane });
    expect(told).toEqual({ kind: "shown", to: 1 });
    await expect.poll(() => second.seen(), POLL).toContain("\x07");
    expect(first.seen()).not.toContain("\x07");
    expect(await other.received(0)).toHaveLength(0);
  });

  it("nobody where nobody looks, and says where there is no server", async () => {
    expect(await harness.server.tell("look", { line: true, bell: true })).toEqual({ kind: "gone" });
    await harness.open();
    expect(await harness.server.tell("look", { line: true, bell: true })).toEqual({ kind: "shown", to: 0 });
  });
});
