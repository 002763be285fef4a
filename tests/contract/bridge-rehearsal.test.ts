/** `bellhop bridge rehearse` as built: the whole conversation, and nothing is left of it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../rig/scripted-agent.ts";
import { buildCommandLine, run } from "./built-command-line.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const CLI = join(ROOT, "bin", "bellhop.cjs");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bh-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const QUOTE = /(?<=^you: .*)\n\nOn .* wrote:(?:\n>.*)+/gmu;
const HAS_BUTTONS = ["telegram", "slack"];

/** What was said, a line for each; nothing may be left behind. */
async function rehearsed(name: string): Promise<string> {
  const ran = await run([process.execPath, CLI, "bridge", "rehearse", name, "--json"], folder, {
    env: { TMPDIR: folder },
  });
  expect(ran.stderr).toBe("");
  expect(readdirSync(folder)).toEqual([]);
  const { conversation } = JSON.parse(ran.stdout) as { conversation: { who: string; text: string }[] };
  return conversation.map(({ who, text }) => `${who}: ${text}`).join("\n");
}

/** The first line of a conversation: its daemon and agents run. */
const SAID = " → ";
/** Shown before anything is started. */
const HEADING = "stands in for";

async function underWay(name: string, shows = SAID): Promise<ChildProcess> {
  const child = spawn(process.execPath, [CLI, "bridge", "rehearse", name], {
    env: { PATH: process.env.PATH ?? "", HOME: folder, TMPDIR: folder, BELLHOP_HOME: join(folder, "none") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
  });
  await until(
    () => shown.includes(shows),
    () => shown,
  );
  return child;
}

const interrupt = (signal: NodeJS.Signals) => (child: ChildProcess) => {
  child.kill(signal);
  child.kill(signal);
};

function hangUp(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
}

/** Of what the rehearsal in this folder started. */
function ownProcesses(command: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const [line, environment] = ["cmdline", "environ"].map((file) =>
        readFileSync(join("/proc", pid, file), "utf8"),
      );
      return line?.includes(command) && environment?.includes(`BELLHOP_HOME=${folder}/bh-rehearsal-`);
    } catch {
      return false;
    }
  });
}

describe("bellhop bridge rehearse", () => {
  it.each(["telegram", "slack", "email", "imessage"])("plays a conversation in %s", async (name) => {
    const all = await rehearsed(name);
    // Nobody but the person, who answers letters by letters, sees what they quote.
    const said = all.replaceAll(QUOTE, "");
    expect(all.match(QUOTE)?.length ?? 0).toBe(name === "email" ? 4 : 0);
    expect(said).not.toContain("wrote:");
    expect(said).toMatch(/bot: Who is this for\?[\s\S]*1\. api\n2\. web/u);
    expect(said).toMatch(/you: 1\nbot: ✓ Delivered to \[[^\]]*api\]\nagent: .*Is everything green\?/u);
    expect(said).toMatch(/bot: ✓ Approved in \[[^\]]*api\]\nagent: \(the key 1\)/u);
    expect(said).toMatch(/bot: \[web\] .*deploy\?\nyou: Yes, go on\.\nbot: ✓ Delivered to \[[^\]]*web\]/u);
    expect(said).toMatch(/you: undo\nbot: .*(?:Undone|disregard)/u);
    const permission =
      /bot: \[api\] asks for a permission:\n.*\nnpm publish\n([\s\S]*?)\nbot: ✓ Approved in/u;
    expect(permission.exec(said)?.[1]).toMatch(
      HAS_BUTTONS.includes(name) ? /^you: Approve$/u : /^Reply "yes (\w+)" or "no \1"\.\nyou: yes \1$/u,
    );
  });

  it("plays what services send", async () => {
    const [woken, again, forged, script] = (await rehearsed("webhook")).split(/^(?=service: )/mu);
    const GITHUB =
      /^service: POST \/webhooks\/github\nX-GitHub-Event: issues\nX-Hub-Signature-256: sha256=\w{64}\n/u;
    expect(woken).toMatch(GITHUB);
    expect(woken).toMatch(
      /\nbellhop: 200 OK\nagent: \[message from: webhook\/github\/issues\.opened #\w+\] issues opened: Login fails on Safari \(acme\/shop#12\) by ada\n$/u,
    );
    expect(again).toBe(woken?.replace(/agent: .*\n$/u, ""));
    expect(forged).toMatch(GITHUB);
    expect(forged).toMatch(/\nbellhop: 401 Unauthorized\n$/u);
    expect(script).toMatch(
      /^service: POST \/webhooks\/deploys\/live\nAuthorization: Bearer \S+\n.*\nbellhop: 200 OK\nagent: \[message from: webhook\/deploys\/live #\w+\] v2 is live$/u,
    );
  });

  it.each([
    ["telegram", "after Ctrl+C, however often it is pressed", interrupt("SIGINT")],
    ["imessage", "after it was told to end", interrupt("SIGTERM")],
    ["email", "when its terminal is closed, which it may be told twice", interrupt("SIGHUP")],
    // Its conversation is over in half a second. What it shows next comes when everything runs, and nobody reads it.
    ["webhook", "when nobody reads on", hangUp, HEADING],
  ])("cleans up %s %s", async (name, _when, end, shows = SAID) => {
    const child = await underWay(name, shows);
    const ended = once(child, "exit");
    end(child);
    expect(await ended).toEqual([1, null]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("ends its agents also if its daemon was killed, and does not speak of the person's own", async () => {
    const child = await underWay("telegram");
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const ended = once(child, "exit");
    const [daemon] = ownProcesses("start-daemon.cjs");
    process.kill(Number(daemon), "SIGKILL");
    expect(await ended).toEqual([5, null]);
    expect(said).toContain("The daemon of the rehearsal has ended.");
    await until(() => ownProcesses("").length === 0, "the end of its agents");
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["in which nothing can be written", "none", /^bellhop: Nothing can be written in \S+none, /u],
    ["whose path is too long", "x".repeat(90), /^bellhop: The path \S+ is too long for the sockets/u],
  ])("says so of a folder %s", async (_what, name, words) => {
    if (name !== "none") mkdirSync(join(folder, name));
    const ran = await run([process.execPath, CLI, "bridge", "rehearse", "telegram"], folder, {
      env: { TMPDIR: join(folder, name) },
    });
    expect([ran.status, ran.stderr]).toEqual([1, expect.stringMatching(words)]);
  });

  it.each([
    ["slack", "scripted-agent.mjs"],
    ["imessage", "osascript.mjs"],
  ])("says in one line what %s lacks", async (name, file) => {
    const built = buildCommandLine();
    try {
      rmSync(join(built.folder, file));
      const command = [process.execPath, join(built.folder, "bellhop.cjs"), "bridge", "rehearse", name];
      const ran = await run(command, folder, { env: { TMPDIR: folder } });
      expect(ran.status).toBe(1);
      expect(ran.stderr).toMatch(/^bellhop: \S+ is missing, so nothing can be rehearsed\.\n/);
      expect(ran.stderr).toContain(`/${file} is missing`);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      built.remove();
    }
  });
});
