/** `bellhop/client`, as a program uses it: against the built daemon, over both transports. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type BrokerMessage,
  type Bellhop as Library,
  type OpenOptions,
  openBellhop,
} from "../../src/client/library.ts";
import { Bellhop } from "../rig/bellhop.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const PATIENCE_MS = 180_000;

/** `built` is what users have: of the daemon's own version, it asks for brief answers over the Unix socket. */
describe.each(["unix", "ws", "built"] as const)("the client library over %s", (way) => {
  let bellhop: Bellhop;
  let openLibrary = openBellhop;
  const opened: Library[] = [];

  beforeAll(async () => {
    if (way !== "built") return;
    const built = pathToFileURL(join(root, "dist", "client.mjs")).href;
    openLibrary = ((await import(built)) as { openBellhop: typeof openBellhop }).openBellhop;
  });

  beforeEach(async () => {
    bellhop = new Bellhop();
    await bellhop.start();
    for (const name of ["researcher", "writer"]) await bellhop.ask("agent_add", { name });
  });
  afterEach(async () => {
    for (const client of opened.splice(0)) client.close();
    await bellhop.dispose();
  });

  const open = async (options: OpenOptions = {}): Promise<Library> => {
    const { http } = await bellhop.ask("status", {});
    const url = `ws://${http.host}:${http.port}/ws`;
    const client = await openLibrary({
      home: bellhop.home,
      patienceMs: PATIENCE_MS,
      ...(way === "ws" ? { url } : {}),
      ...options,
    });
    opened.push(client);
    return client;
  };

  it("sends, receives once, and shows history", async () => {
    const client = await open();
    const sent = await client.send("researcher", "look at this");
    expect(sent).toMatchObject({ unmatched: false });
    await client.send("researcher", { command: "analyze", payload: { topic: "birds" } });
    const received = await client.receive("researcher");
    expect(received.map(({ command, payload }) => [command, payload])).toEqual([
      ["message", { text: "look at this" }],
      ["analyze", { topic: "birds" }],
    ]);
    expect(received[0]?.id).toBe(sent.messageId);
    expect(await client.receive("researcher")).toEqual([]);
    expect(await client.history("researcher", { limit: 1 })).toMatchObject([{ command: "analyze" }]);
  });

  it("routes to who subscribes, and keeps what nobody hears", async () => {
    const client = await open();
    await client.subscribe("researcher", "slack/**");
    await client.subscribe({ agent: "writer", session: "monitor" }, "slack/team/*");
    expect(await client.subscriptions("researcher")).toMatchObject([{ pattern: "slack/**" }]);
    const sent = await client.route(
      "slack/team/#general",
      { command: "new_message", payload: { text: "hi" } },
      { from: "slack-bridge", source: "slack", externalId: "ts-1" },
    );
    expect(sent.unmatched).toBe(false);
    const [mine] = await client.receive({ agent: "writer", session: "monitor" });
    expect(mine).toMatchObject({ from: "slack-bridge", source: "slack", externalId: "ts-1" });
    const [copy] = await client.receive("writer");
    expect(copy).toMatchObject({
      handled: true,
      handledBy: [{ agentId: "writer", sessionId: "monitor" }],
    });
    await client.unsubscribe("researcher", "slack/**");
    expect((await client.route("nowhere/at/all", "x")).unmatched).toBe(true);
    expect(await client.unmatched()).toMatchObject([{ path: "nowhere/at/all" }]);
    await client.clearUnmatched();
    expect(await client.unmatched()).toEqual([]);
  });

  it("broadcasts to everybody but the sender", async () => {
    const client = await open();
    await client.broadcast("all hands", { from: "writer" });
    expect(await client.receive("writer")).toEqual([]);
    expect(await client.receive("researcher")).toMatchObject([{ from: "writer", body: "all hands" }]);
  });

  it("is told of every delivery, again after a restart, until it closes that", async () => {
    const fixed = await fixedPort(bellhop);
    const client = await open(way === "ws" ? { url: `ws://127.0.0.1:${fixed}/ws` } : {});
    const told: string[] = [];
    let opened = () => {};
    const next = () => new Promise<void>((resolve) => (opened = resolve));
    let ready = next();
    const routes = client.onRoute(({ messageId }) => told.push(messageId), { opened: () => opened() });
    await ready;
    const first = await client.send("researcher", "one");
    while (!told.includes(first.messageId)) await client.history("researcher");
    ready = next();
    await bellhop.stop("SIGKILL");
    await bellhop.start();
    await ready;
    const second = await client.send("writer", "two");
    while (!told.includes(second.messageId)) await client.history("writer");
    routes.close();
    expect(told).toEqual([first.messageId, second.messageId]);
  });

  it("watches everything, with a new snapshot after a restart", async () => {
    const fixed = await fixedPort(bellhop);
    const client = await open(way === "ws" ? { url: `ws://127.0.0.1:${fixed}/ws` } : {});
    const watching = client.watch({ topics: ["agents"] });
    const next = async () => {
      const { value, done } = await watching.next();
      if (done === true) throw new Error("it is over");
      const queued = value.board.agents?.map(({ name, queued: waiting }) => [name, waiting]);
      return { queued, isNew: value.changes === undefined };
    };
    expect(await next()).toEqual({
      queued: [
        ["researcher", 0],
        ["writer", 0],
      ],
      isNew: true,
    });
    await client.send("writer", "one");
    expect(await next()).toMatchObject({
      queued: [
        ["researcher", 0],
        ["writer", 1],
      ],
      isNew: false,
    });
    await bellhop.stop("SIGKILL");
    await bellhop.start();
    let seen = await next();
    // What the first daemon still said.
    while (!seen.isNew) seen = await next();
    expect(seen.queued).toContainEqual(["writer", 1]);
    await client.send("researcher", "two");
    while (seen.queued?.[0]?.[1] !== 1) seen = await next();
    expect(seen.isNew).toBe(false);
    await watching.return?.();
  });

  it("says how automatic turns go, starts them, and shows them", async () => {
    const client = await open();
    const said = await client.setAutoRun("researcher", {
      enabled: true,
      runner: "command",
      command: ["cat"],
      cwd: bellhop.home,
      triageModel: "",
      debounceMs: 0,
    });
    expect(said).toMatchObject({ values: { enabled: true }, from: { cwd: "agent" } });
    const started = await client.triggerTurn("researcher", undefined, ["look at this"]);
    expect(started).toMatchObject({ agent: "researcher", messages: [expect.any(String)] });
    const isDone = async () => (await client.turns({ agent: "researcher" })).turns[0]?.state === "done";
    while (!(await isDone())) await client.history("researcher");
    const { entries } = await client.conversation("researcher");
    expect(entries.map(({ type }) => type)).toEqual(["auto-turn", "auto-turn-result"]);
    expect(entries[1]?.text).toContain("look at this");
    expect(await client.setAutoRun("researcher", null)).toMatchObject({ values: { enabled: false } });
  });

  it("listens as a loop, and an acknowledged message is read", async () => {
    const client = await open();
    const listening = client.listen("researcher");
    let heard: BrokerMessage | undefined;
    const first = listening.next().then(({ value }) => {
      heard = value;
    });
    // The first message that it gets shows that it listens.
    while (heard === undefined) await client.send("researcher", "do you hear me?");
    await first;
    await client.ack(heard, "researcher");
    await listening.return?.();
    const shown = await bellhop.json<{ deliveries: { state: string }[] }>(["show", heard.id]);
    expect(shown.deliveries[0]?.state).toBe("read");
    expect(await listening.next()).toEqual({ done: true, value: undefined });
  });

  it("goes on after the daemon was killed, and misses nothing that it consumes", async () => {
    const fixed = await fixedPort(bellhop);
    const client = await open(way === "ws" ? { url: `ws://127.0.0.1:${fixed}/ws` } : {});
    const sender = await open(way === "ws" ? { url: `ws://127.0.0.1:${fixed}/ws` } : {});
    const seen: { readonly body: string; readonly redelivered: boolean }[] = [];
    const wanted = Array.from({ length: 30 }, (_, index) => `message ${index}`);
    const reading = (async () => {
      for await (const message of client.listen("researcher", { consume: true })) {
        seen.push({ body: message.body, redelivered: message.redelivered === true });
        if (wanted.every((text) => seen.some(({ body }) => body === text))) return;
      }
    })();
    for (const [index, text] of wanted.entries()) {
      if (index === 10) {
        await bellhop.stop("SIGKILL");
        void bellhop.start();
      }
      await sender.send("researcher", text);
    }
    await reading;
    for (const text of wanted) {
      const copies = seen.filter(({ body }) => body === text);
      expect(copies.slice(1).every(({ redelivered }) => redelivered)).toBe(true);
    }
  });

  it("says what is wrong in Bellhop's own words", async () => {
    const client = await open();
    await expect(client.receive("nobody")).rejects.toMatchObject({
      code: "agent.unknown",
      next: expect.stringContaining("agent add"),
    });
    await expect(client.subscribe("researcher", "**/**/**")).rejects.toMatchObject({
      code: "pattern.invalid",
    });
    client.close();
    await expect(client.receive("researcher")).rejects.toMatchObject({ code: "daemon.unreachable" });
  });

  it("does not take what is another's, who has the name of its agent after a restart", async () => {
    const fixed = await fixedPort(bellhop);
    const client = await open(way === "ws" ? { url: `ws://127.0.0.1:${fixed}/ws` } : {});
    const listening = client.listen("researcher", { consume: true });
    await client.send("researcher", "one");
    expect(await listening.next()).toMatchObject({ value: { body: "one" } });
    await bellhop.json(["agent", "remove", "researcher"]);
    await bellhop.json(["agent", "add", "researcher"]);
    await bellhop.stop("SIGKILL");
    const next = listening.next();
    next.catch(() => {});
    await bellhop.start();
    await expect(next).rejects.toMatchObject({
      code: "agent.unknown",
      message: expect.stringContaining("another agent has this name now"),
    });
    await client.send("researcher", "two");
    expect(await client.receive("researcher")).toMatchObject([{ body: "two" }]);
  });

  it("leaves its loop when told to", async () => {
    const client = await open();
    const stop = new AbortController();
    const listening = client.listen("researcher", { signal: stop.signal });
    const next = listening.next();
    stop.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});

it("is in the packed package as its page says, with types, and loads no native module", async () => {
  const bellhop = new Bellhop();
  try {
    const folder = join(bellhop.home, "consumer");
    const source = join(bellhop.home, "source");
    mkdirSync(source);
    // The build runs the daemon once, which needs its native modules; they are never packed.
    symlinkSync(join(root, "node_modules"), join(source, "node_modules"));
    await promisify(execFile)(process.execPath, [
      join(root, "scripts", "build.mjs"),
      "--types",
      "--out",
      join(source, "dist"),
    ]);
    for (const part of ["package.json", "bin", "README.md", "CHANGELOG.md", "LICENSE"])
      cpSync(join(root, part), join(source, part), { recursive: true });
    // Without its own build, which would overwrite the one that other tests use.
    await promisify(execFile)("npm", ["pack", "--ignore-scripts", "--pack-destination", bellhop.home], {
      cwd: source,
    });
    const [packed = ""] = readdirSync(bellhop.home).filter((name) => /^bellhop-.*\.tgz$/.test(name));
    const installed = join(folder, "node_modules", "bellhop");
    mkdirSync(installed, { recursive: true });
    const unpack = ["-xzf", join(bellhop.home, packed), "-C", installed, "--strip-components", "1"];
    await promisify(execFile)("tar", unpack);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(
      join(folder, "main.ts"),
      `import { openBellhop, type BrokerMessage } from "bellhop/client";
const bellhop = await openBellhop();
const sent: { readonly messageId: string } = await bellhop.send("coder", "hello");
for await (const message of bellhop.listen("coder", { consume: true })) { const one: BrokerMessage = message; void one; }
// @ts-expect-error: there is no such thing
await bellhop.shout("coder");
void sent;
`,
    );
    const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
    const settings = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--types", ""];
    await promisify(execFile)(process.execPath, [compiler, ...settings, "--ignoreConfig", "main.ts"], {
      cwd: folder,
    });
    writeFileSync(
      join(folder, "loads.mjs"),
      `process.dlopen = () => { throw new Error("a native module"); };
await import("bellhop/client");
process.stdout.write("loaded");`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "loads.mjs")]);
    expect(stdout).toBe("loaded");
  } finally {
    await bellhop.dispose();
  }
});

/** A port that stays the same over a restart. */
async function fixedPort(bellhop: Bellhop): Promise<number> {
  const { http } = await bellhop.ask("status", {});
  writeFileSync(join(bellhop.home, "config.yaml"), `http: { port: ${http.port} }\n`);
  return http.port;
}
