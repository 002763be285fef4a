/** A new user types what the README and the first hour show, word for word; only the agents are scripted. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { STANDARD_LOOP_LIMITS } from "../../src/core/routing/loop-breaker.ts";
import { PATTERN_LIMITS } from "../../src/core/routing/pattern.ts";
import { watchNotice } from "../../src/core/text/notice.ts";
import type { HistoryEntry } from "../../src/wire/shapes/messages.ts";
import type { ShownReminder } from "../../src/wire/shapes/reminders.ts";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import { Bellhop, bellhopOnPath } from "../rig/bellhop.ts";
import { readScriptedLog, SCRIPTED_PROFILE, until } from "../rig/scripted-agent.ts";
import { claudeScript, substitute, tmuxScript } from "../rig/substitutes.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { asWritten, shapeOf, WRITTEN } from "./as-written.ts";
import { fencesIn, inlineCodeIn, type Page, ROOT, readPage } from "./pages.ts";
import { commandsIn } from "./shell-commands.ts";

const AGENTS = ["api", "web"] as const;
const REMINDER_SET = /^Reminder [a-z0-9]{6} for \S+, .* \(in .*\)(?:, then .*)?\n$/;

let tmux: TmuxServer;
let bellhop: Bellhop;
let home: string;
let environment: Record<string, string>;

beforeEach(async () => {
  tmux = startTmuxServer();
  home = join(tmux.folder, "me");
  for (const folder of [".claude", "src/api", "src/web"]) mkdirSync(join(home, folder), { recursive: true });
  bellhop = new Bellhop({
    config: `tmux: { servers: ["${tmux.socket}"] }\n${SCRIPTED_PROFILE}`,
    env: { TMUX_TMPDIR: tmux.folder, BELLHOP_RIG_TMUX: tmux.socket },
  });
  // Before the substitutes are on the PATH: the daemon must use the real tmux.
  await bellhop.start();
  const substitutes = bellhopOnPath(join(tmux.folder, "bin"));
  substitute(substitutes, "claude", claudeScript(home));
  substitute(substitutes, "tmux", tmuxScript(tmux.socket));
  substitute(substitutes, "npm", `echo "$*" >>${join(home, "npm-calls")}`);
  const path = [substitutes, dirname(process.execPath), process.env.PATH ?? ""].join(delimiter);
  environment = { ...bellhop.env, HOME: home, PATH: path };
});

afterEach(async () => {
  await bellhop.dispose();
  await tmux.kill();
});

describe.each(["README.md", "docs/first-hour.md"])("%s", (path) => {
  it("can be followed step by step", async () => {
    const page = readPage(path);
    const prompts = await follow(page);
    await expectShownPrompts(page, prompts);
    checkNpmCalls();
  });
});

describe("docs/time.md", () => {
  const page = readPage("docs/time.md");

  it("can be followed step by step", async () => {
    await startAgents();
    for (const line of fencesIn(page, "sh").flatMap((block) => block.split("\n").filter(Boolean))) {
      const { stdout } = await run(line.replaceAll(WRITTEN.reminder, await newestReminder()));
      if (line.includes("--timeout"))
        expect(stdout).toMatch(/^(?:queued .*, expires in \dm|delivering|delivered)/);
      if (/^bellhop (?:remind|wake) /.test(line)) expect(stdout).toMatch(REMINDER_SET);
      if (line === "bellhop reminders") {
        const table = fencesIn(page, "text").find((text) => text.startsWith("ID "));
        const columns = (text = "") => text.split("\n")[0]?.split(/\s+/);
        expect(columns(table)).toEqual(columns(stdout));
      }
    }
    await until(async () => (await waitingFor("api", "web")) === 0, "the last message to arrive");
  });

  it("shows notices as agents read them", async () => {
    await startAgents();
    const web = (await bellhop.json<readonly ListedSession[]>(["ls"])).find(({ agent }) => agent === "web");
    const notices = fencesIn(page, "text").filter((text) => text.startsWith("[bellhop]"));
    const ofWatch = watchNotice({ name: "api", id: "08bc57cf" }, "turn-end");
    expect(notices.map((text) => text.trimEnd())).toContain(ofWatch);
    const shown = notices
      .filter((text) => text.trimEnd() !== ofWatch)
      .map((text) =>
        text
          .trimEnd()
          .replaceAll("725fe7bb", web?.id ?? "")
          .replace("5m since", "1s since"),
      );
    expect(shown).toHaveLength(3);
    const task = ["send", "web", "Build the login page.", "--from", "api"];
    await bellhop.json([...task, "--notify-on-delivery", "--notify-after", "1s"]);
    await bellhop.json(["remind", "1s", "Check on the engineer.", "--from", "api"]);
    // A notice that is typed alone shows its line break as a blank; several at once are read from a file.
    const folded = (text: string) => text.replaceAll(/\s+/g, " ");
    const missing = () =>
      shown.filter((text) => !textsOf("api").some((read) => folded(read).includes(folded(text))));
    await until(async () => missing().length === 0, "the notices and the reminder");
    expect(promptsOf("web")).toHaveLength(1);
  });

  it("puts what a person is to be told into their mailbox", async () => {
    await bellhop.json(["agent", "add", "later"]);
    await bellhop.json(["send", "later", "Too late.", "--timeout", "50ms", "--notify-on-delivery"]);
    await bellhop.json(["remind", "50ms", "Check on the engineer."]);
    const mailbox = `person/${userInfo().username}`;
    const waiting = () => bellhop.json<readonly { shortId: string; preview: string }[]>(["queue", mailbox]);
    await until(async () => (await waiting()).length === 2, "both to be in the mailbox");
    for (const { shortId } of await waiting()) {
      expect((await bellhop.run(["read", shortId])).stdout).toMatch(
        /^\[bellhop\] (?:Message to later expired|Scheduled reminder:\nCheck on)/,
      );
    }
    expect(await waiting()).toEqual([]);
    const past = await bellhop.json<readonly { delivery: { state: string } }[]>(["history", "later"]);
    expect(past.map(({ delivery }) => delivery.state)).toEqual(["expired"]);
  });
});

describe("docs/routing.md", () => {
  const page = readPage("docs/routing.md");
  const columns = (text = "") => text.split("\n")[0]?.split(/\s+/);

  it("can be followed step by step", async () => {
    await startAgents();
    for (const line of fencesIn(page, "sh").flatMap((block) => block.split("\n").filter(Boolean))) {
      if (/^bellhop listen\b/.test(line)) await listenBriefly(line);
      else if (line.startsWith('bellhop send "webhook/')) {
        // Nobody is subscribed yet: status 3, and the text that the page quotes.
        const { stdout } = await run(`! ${line}`);
        const [said = ""] = stdout.replace(/#[a-z0-9]{6}/, `#${WRITTEN.message}`).split("\n");
        expect(inlineCodeIn(page)).toContain(said);
      } else {
        const { stdout } = await run(line);
        if (line === "bellhop sub list") expect(columns(fencesIn(page, "text")[0])).toEqual(columns(stdout));
        if (line === "bellhop unmatched reroute") expect(stdout).toBe("1 dead letter sent again\n");
        if (line.startsWith("bellhop broadcast")) expect(stdout).toMatch(/^sent #\w+ to [34] agents: /);
      }
    }
    expect(readFileSync(join(home, "reviewer.jsonl"), "utf8")).toContain('{"topic":"login"}');
    await until(async () => (await waitingFor("api", "web")) === 0, "the last message to arrive");
  });

  /** Until it has printed something; then Ctrl+C. */
  async function listenBriefly(line: string): Promise<void> {
    const child = spawn("bash", ["-c", `exec ${line}`], { cwd: home, env: environment });
    const closed = once(child, "close");
    await Promise.race([once(child.stdout, "data"), once(child.stderr, "data")]);
    child.kill("SIGINT");
    expect(await closed).toEqual([0, null]);
  }

  it("says how a payload reads, and who stops a loop", async () => {
    await bellhop.json(["agent", "add", "reviewer"]);
    await bellhop.json(["send", "reviewer", "--command", "analyse", "--payload", '{"topic":"login"}']);
    const [entry] = await bellhop.json<readonly HistoryEntry[]>(["inbox", "reviewer"]);
    expect(inlineCodeIn(page)).toContain(entry?.message.body);
    expect(page.text).toContain(
      `after ${STANDARD_LOOP_LIMITS.hops} answers in a row, or ${STANDARD_LOOP_LIMITS.perMinute} a minute`,
    );
    expect(page.text).toContain(
      `at most ${PATTERN_LIMITS.segments} segments and ${PATTERN_LIMITS.characters}`,
    );
  });
});

describe("docs/scripting.md", () => {
  const page = readPage("docs/scripting.md");
  const shown = fencesIn(page, "json").map((text) => JSON.parse(text) as object);
  const example = (field: string) =>
    shown.find((value) => field in (Array.isArray(value) ? value[0] : value));

  it("shows answers with the fields they have", async () => {
    await startAgents();
    await bellhop.json(["agent", "add", "later"]);
    await bellhop.json(["send", "later", "wait"]);
    await bellhop.run(["send", "webhook/ci/red", "The build is broken."]);
    await bellhop.json(["sub", "add", "api", "slack/**"]);
    const sent = await bellhop.json<{ messageId: string }>(["send", "api", "hi", "--wait", "delivered"]);
    expect(shapeOf(sent)).toMatchObject(shapeOf(example("messageId")));
    const outputs = {
      running: await bellhop.json(["status"]),
      readiness: await bellhop.json(["ls"]),
      preview: await bellhop.json(["queue"]),
      message: await bellhop.json(["show", sent.messageId]),
      setBy: await bellhop.json(["remind", "30m", "run the tests", "--every", "30m", "--to", "api"]),
      delivery: await bellhop.json(["history", "api"]),
      screen: await bellhop.json(["output", "api"]),
      subscriptions: await bellhop.json(["sub", "list", "api"]),
      origin: await bellhop.json(["agent", "show", "api"]),
      reason: await bellhop.json(["unmatched"]),
    };
    for (const [field, output] of Object.entries(outputs)) {
      expect(shapeOf(output), field).toMatchObject(shapeOf(example(field)));
    }
    const refused = await bellhop.run(["send", "nobody", "hi", "--json"]);
    expect(JSON.parse(refused.stderr)).toEqual(example("error"));
  });

  it("has a client that works as it stands", async () => {
    await startAgents();
    symlinkSync(bellhop.home, join(home, ".bellhop"));
    const [code = ""] = fencesIn(page, "js");
    const program = join(home, "client.mjs");
    writeFileSync(program, code);
    const { stdout } = await run(`${process.execPath} ${program}`);
    expect(stdout).toContain("ok: true");
    expect(stdout).toContain("short_id");
  });
});

/** Types every line of every shell block; resolves with the prompts that the agents got. */
async function follow(page: Page): Promise<readonly string[]> {
  const known = { ...WRITTEN };
  for (const line of fencesIn(page, "sh").flatMap((block) => block.split("\n").filter(Boolean))) {
    const programs = commandsIn(line).map(([program]) => program);
    const typed = line.replaceAll(WRITTEN.message, known.message).replaceAll(WRITTEN.session, known.session);
    const { stdout } = await run(typed);
    if (programs.includes("tmux")) known.session = (await untilReady())?.id ?? known.session;
    const sent = /^\s*bellhop send .*/.test(line) ? /#([a-z0-9]{6})/.exec(stdout)?.[1] : undefined;
    if (sent !== undefined) known.message = sent;
    await lookAlike(page, line, stdout);
  }
  if (existsSync(bellhop.socket)) await until(nothingWaits, "the last message to arrive");
  return AGENTS.flatMap(promptsOf).map((prompt) => asWritten(prompt, known.session));
}

async function expectShownPrompts(page: Page, prompts: readonly string[]): Promise<void> {
  const code = inlineCodeIn(page);
  const header = code.find((each) => each.startsWith("[message from:"));
  expect(prompts).toContain(header);
  const hint = code.find((each) => each.includes("To reply: "));
  expect(hint).toBeDefined();
  if (prompts.some((prompt) => prompt.endsWith(hint ?? ""))) return;
  await bellhop.json(["send", "web", "one for the hint", "--from", "api", "--wait", "delivered"]);
  const session = (await untilReady())?.id ?? "";
  expect(asWritten(promptsOf("web").at(-1) ?? "", session).slice(-(hint?.length ?? 0))).toBe(hint);
}

/** A table in the page has the columns of the real one. */
async function lookAlike(page: Page, line: string, stdout: string): Promise<void> {
  const firstWords = (text: string) => text.split("\n").flatMap((each) => each.split(/\s+/)[0] || []);
  if (line === "bellhop status") {
    const shown = fencesIn(page, "text").find((text) => text.startsWith("daemon"));
    expect(firstWords(shown ?? "")).toEqual(firstWords(stdout));
  }
  const table = fencesIn(page, "text").find((text) => text.startsWith("AGENT"));
  if (line.startsWith("bellhop ls") && table !== undefined) {
    const columns = (text: string) => text.split("\n")[0]?.split(/\s+/);
    expect(columns(table)).toEqual(columns(stdout));
  }
}

function checkNpmCalls(): void {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const calls = readFileSync(join(home, "npm-calls"), "utf8").trimEnd().split("\n");
  expect(calls).toContain("start");
  for (const call of calls.filter((each) => each !== "link")) {
    const file = /^node (\S+)$/.exec(scripts[call.replace(/^run /, "")] ?? "")?.[1];
    expect(existsSync(join(ROOT, file ?? "missing")), `npm ${call}`).toBe(true);
  }
}

async function startAgents(): Promise<void> {
  await run(`tmux new-session -d -s work -c ${home}/src/api claude`);
  await run(`tmux split-window -t work -c ${home}/src/web claude`);
  await untilReady();
}

/** Waits until every started agent is found and idle; resolves with the first. */
async function untilReady(): Promise<ListedSession | undefined> {
  const panes = (await tmux.run("list-panes", "-a", "-F", "#{pane_id}")).trim().split("\n");
  let sessions: readonly ListedSession[] = [];
  const ready = async () => {
    ({ sessions } = await bellhop.ask("ls", {}));
    return sessions.length === panes.length && sessions.every(({ readiness }) => readiness === "idle");
  };
  await until(ready, "the agents to be ready");
  return sessions.find(({ agent }) => agent === "api");
}

async function nothingWaits(): Promise<boolean> {
  return (await bellhop.ask("queue", {})).deliveries.length === 0;
}

async function waitingFor(...agents: readonly string[]): Promise<number> {
  const queues = await Promise.all(agents.map((who) => bellhop.ask("queue", { who })));
  return queues.flatMap(({ deliveries }) => deliveries).length;
}

async function newestReminder(): Promise<string> {
  const reminders = await bellhop.json<readonly ShownReminder[]>(["reminders"]);
  return reminders.toSorted((one, other) => other.createdAt - one.createdAt)[0]?.id ?? "";
}

function promptsOf(agent: string): readonly string[] {
  return readScriptedLog(join(home, `${agent}.jsonl`)).flatMap(({ prompt }) => prompt ?? []);
}

/** The texts that an agent knows once it has read the files that its prompts name. */
function textsOf(agent: string): readonly string[] {
  return promptsOf(agent).map((prompt) => {
    const file = / Read (\S+)$/.exec(prompt)?.[1];
    return file === undefined ? prompt : readFileSync(file, "utf8");
  });
}

function run(line: string): Promise<{ readonly stdout: string }> {
  return new Promise((resolve, reject) => {
    const options = { cwd: home, env: environment, timeout: 90_000 };
    const child = execFile("bash", ["-c", line], options, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout });
      else reject(new Error(`${line}\n${stdout}${stderr}${error.message}`));
    });
    child.stdin?.end();
  });
}
