/** The broker's commands as a person and a script use them: the built program against a real daemon. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { BrokerMessage } from "../../src/wire/shapes/broker.ts";
import type { ExportedEntry, HistoryEntry, SendResponse } from "../../src/wire/shapes/messages.ts";
import type { ShownAgent } from "../../src/wire/shapes/sessions.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { ROOT } from "./pages.ts";

const ME = `person/${userInfo().username}`;
const parsed = <T>(text: string): readonly T[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);

describe("paths, subscriptions and mailboxes", () => {
  let bellhop: Bellhop;
  let monitor: string;

  beforeAll(async () => {
    bellhop = new Bellhop();
    await bellhop.start();
    const api = await bellhop.json<ShownAgent>([
      ...["agent", "add", "api", "--subscribe", "slack/**", "--session", "monitor"],
    ]);
    monitor = api.sessions.find(({ name }) => name === "monitor")?.id ?? "";
    await bellhop.json(["agent", "add", "web"]);
    await bellhop.json(["sub", "add", "api", "slack/*/#general", "--session", "monitor"]);
  });
  afterAll(() => bellhop.dispose());

  const takeAll = async () => {
    for (const who of ["api", "web", ME]) await bellhop.json(["inbox", who, "--take"]);
    await bellhop.json(["unmatched", "clear"]);
  };
  afterEach(takeAll);
  const recipients = ({ deliveries }: SendResponse) => deliveries.map(({ to }) => to);

  it("says who hears what", async () => {
    expect((await bellhop.run(["sub", "list"])).stdout.replaceAll(/ +/g, " ")).toMatch(
      /^AGENT SESSION SINCE PATTERN\napi \d{4}-\d\d-\d\d \d\d:\d\d slack\/\*\*\napi monitor .* slack\/\*\/#general\n$/,
    );
    expect((await bellhop.run(["agent", "show", "api"])).stdout).toContain(`${monitor} (monitor)`);
    expect(await bellhop.json(["sub", "list", "api", "--session", "monitor"])).toMatchObject({
      agent: "api",
      session: "monitor",
      subscriptions: [{ pattern: "slack/*/#general" }],
    });
  });

  it("carries a message from outside to the session and its agent", async () => {
    const sent = await bellhop.json<SendResponse>([
      ...["send", "slack/team/#general", "deployed", "--source", "slack", "--external-id", "17.1"],
      ...["--from", "slack-bridge", "--command", "new_message"],
    ]);
    expect(recipients(sent)).toEqual([`session/${monitor}`, "agent/api"]);
    const waiting = await bellhop.json<HistoryEntry[]>(["inbox", "api"]);
    expect(waiting[0]?.message).toMatchObject({
      from: "program/slack-bridge",
      to: "slack/team/#general",
      command: "new_message",
      channel: "slack",
      externalId: "17.1",
    });
    const { stdout } = await bellhop.run(["show", sent.shortId]);
    expect(stdout).toMatch(/^command +new_message$/m);
    expect(stdout).toMatch(/^came from +slack 17\.1$/m);
  });

  it("reaches every agent but the one that broadcasts", async () => {
    expect((await bellhop.run(["broadcast", "frozen"])).stdout).toMatch(
      /^sent #[a-z0-9]{6} to 2 agents: api, web\n$/,
    );
    expect(recipients(await bellhop.json(["broadcast", "frozen", "--from", "api"]))).toEqual(["agent/web"]);
    expect(recipients(await bellhop.json(["send", "agent/*", "frozen"]))).toEqual(["agent/api", "agent/web"]);
  });

  it("looks, takes once, and says that nothing is left", async () => {
    for (const text of ["one", "two\nlines"]) await bellhop.json(["send", "web", text]);
    expect((await bellhop.run(["inbox", "web"])).stdout).toMatch(/^ID .*\n#.* one\n#.* two lines\n$/);
    const first = await bellhop.json<HistoryEntry[]>(["inbox", "web", "--take", "--limit", "1"]);
    expect(first).toMatchObject([{ message: { body: "one" }, delivery: { state: "delivered" } }]);
    expect((await bellhop.run(["inbox", "web", "--take"])).stdout).toMatch(
      /^#[a-z0-9]{6} from person\/.*, \d+s ago\ntwo\nlines\n$/,
    );
    expect((await bellhop.run(["inbox", "web"])).stdout).toBe("Nothing waits for agent/web.\n");
  });

  it("shows a person their own", async () => {
    await bellhop.json(["send", ME, "done", "--from", "api"]);
    expect((await bellhop.run(["inbox"])).stdout).toMatch(/#[a-z0-9]{6} +agent\/api +person\/.* done\n$/);
    await bellhop.run(["inbox", "--take"]);
    expect((await bellhop.run(["inbox"])).stdout).toBe(`Nothing waits for ${ME}.\n`);
  });

  it("keeps what nobody hears, and sends it again once somebody does", async () => {
    const lost = await bellhop.run(["send", "email/me/you", "hello"]);
    expect(lost.code).toBe(3);
    const [, id = "", reason] = /as #(\w+): (.*)\n/.exec(lost.stdout) ?? [];
    expect(reason).toBe("nobody subscribes to this path");
    expect(lost.stdout).toContain(`bellhop unmatched reroute ${id}\n`);
    expect((await bellhop.run(["unmatched"])).stdout).toMatch(
      new RegExp(`#${id} .*hello\\n {2}${reason}\\n$`),
    );
    expect((await bellhop.run(["unmatched", "reroute", id])).code).toBe(3);
    await bellhop.json(["sub", "add", "web", "email/**"]);
    expect((await bellhop.run(["unmatched", "reroute", id])).stdout).toBe("1 dead letter sent again\n");
    expect(await bellhop.json(["inbox", "web"])).toMatchObject([{ message: { body: "hello" } }]);
    await bellhop.json(["sub", "remove", "web", "/email/**/"]);
    await bellhop.run(["send", "email/me/you", "again"]);
    expect((await bellhop.run(["unmatched", "clear"])).stdout).toBe("deleted 1 dead letter\n");
    expect((await bellhop.run(["unmatched"])).stdout).toBe("There are no dead letters.\n");
  });

  it("exports an agent's, a session's and the dead letters, as lines and as a file", async () => {
    await bellhop.json(["send", "slack/team/#general", "for both\u2028of\nthem"]);
    await bellhop.run(["send", "no/where", "dead"]);
    const all = await bellhop.run(["export", "--jsonl"]);
    const entries = parsed<ExportedEntry>(all.stdout);
    expect(entries.at(-1)).toMatchObject({
      message: { body: "for both\u2028of\nthem" },
      delivery: { to: "agent/api", receipts: [{ state: "queued" }] },
    });
    const ofWeb = parsed<ExportedEntry>((await bellhop.run(["export", "web"])).stdout);
    expect(ofWeb.every(({ delivery }) => delivery?.to === "agent/web")).toBe(true);
    const dead = await bellhop.run(["export", "--unmatched", "--json"]);
    expect(parsed(dead.stdout)).toMatchObject([
      { message: { to: "no/where" }, reason: "nobody subscribes to this path" },
    ]);
    const file = join(bellhop.home, "all.jsonl");
    expect((await bellhop.run(["export", "--output", file])).stdout).toBe(
      `exported ${entries.length} entries to ${file}\n`,
    );
    expect(readFileSync(file, "utf8")).toBe(all.stdout);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("prints an agent's own token", async () => {
    const { stdout } = await bellhop.run(["agent", "token", "web"]);
    expect(stdout).toMatch(/^web\.[0-9a-f]{64}\n$/);
    expect(stdout).not.toContain(readFileSync(join(bellhop.home, "token"), "utf8").trim());
  });
});

describe("bellhop listen", () => {
  let bellhop: Bellhop;
  const listeners: ChildProcess[] = [];

  beforeEach(async () => {
    bellhop = new Bellhop();
    await bellhop.start();
    await bellhop.json(["agent", "add", "web"]);
  });
  afterEach(async () => {
    for (const child of listeners.splice(0)) child.kill("SIGKILL");
    await bellhop.dispose();
  });

  function listen(...words: readonly string[]) {
    const child = spawn(process.execPath, [join(ROOT, "bin", "bellhop.cjs"), "listen", ...words], {
      env: bellhop.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    listeners.push(child);
    const closed = once(child, "close") as Promise<[number | null]>;
    const lines = createInterface({ input: child.stdout });
    const notes = createInterface({ input: child.stderr });
    let complaints = "";
    child.stderr.on("data", (text: Buffer) => {
      complaints += text.toString();
    });
    const heard = lines[Symbol.asyncIterator]();
    const noted = notes[Symbol.asyncIterator]();
    return {
      child,
      line: async () => String((await heard.next()).value),
      note: async () => String((await noted.next()).value),
      end: async () => ({ status: (await closed)[0], complaints }),
    };
  }

  it("prints what comes, and ends well at Ctrl+C", async () => {
    const { child, line, note, end } = listen("web");
    expect(await note()).toBe("listening to web; Ctrl+C ends it");
    await bellhop.json(["send", "web", "first\nline", "--from", "web"]);
    expect(await line()).toMatch(/^\d\d:\d\d:\d\d #[a-z0-9]{6} web: first line$/);
    // Listening alone changes nothing.
    expect(await bellhop.json(["inbox", "web"])).toHaveLength(1);
    child.kill("SIGINT");
    expect((await end()).status).toBe(0);
  });

  it("takes what waits and what comes, through a crash of the daemon", async () => {
    await bellhop.json(["send", "web", "waited", "--payload", '{"some_key":1}']);
    const { child, line, end } = listen("web", "--consume", "--json");
    expect(JSON.parse(await line())).toMatchObject({ body: "waited", payload: { some_key: 1 } });
    await bellhop.stop("SIGKILL");
    await bellhop.start();
    await bellhop.json(["send", "web", "after"]);
    let message: BrokerMessage;
    // A message that was taken just before the crash may come again, marked as such.
    do message = JSON.parse(await line()) as BrokerMessage;
    while (message.redelivered === true);
    expect(message.body).toBe("after");
    child.kill("SIGINT");
    expect(await end()).toEqual({ status: 0, complaints: "" });
    expect(await bellhop.json(["inbox", "web"])).toEqual([]);
  });

  it("ends at once at Ctrl+C while the daemon is away", async () => {
    const { child, note, end } = listen("web");
    await note();
    await bellhop.stop();
    expect(await note()).toBe("the daemon has stopped; waiting for it to come back");
    child.kill("SIGINT");
    expect((await end()).status).toBe(0);
  });

  it("leaves quietly when its reader does", async () => {
    const { child, line, end } = listen("web", "--consume", "--json");
    await bellhop.json(["send", "web", "one"]);
    await line();
    child.stdout?.destroy();
    await bellhop.json(["send", "web", "two"]);
    expect(await end()).toEqual({ status: 0, complaints: "" });
  });

  it("hears one session", async () => {
    await bellhop.json(["sub", "add", "web", "slack/**", "--session", "monitor"]);
    const { line, note } = listen("web", "--session", "monitor");
    await note();
    await bellhop.json(["send", "web", "not this"]);
    await bellhop.json(["send", "slack/x", "this", "--command", "look"]);
    expect(await line()).toMatch(/ \[look\]: this$/);
  });
});
