import { once } from "node:events";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PLACES } from "../rig/agent-terminal.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import { PATIENCE_MS, PERSON, Stage } from "./claude-stage.ts";

beforeAll(assertInNamespace);

const CONFIG = `
transports: [paste]
delivery: { input_poll_interval: 0.5 }
`;

describe.each(PLACES)("The fence of Claude Code's submit hook, in %s", (where) => {
  let stage: Stage;
  let coder: RunningAgent;

  beforeAll(async () => {
    stage = await Stage.set({ config: CONFIG, where });
    coder = await stage.enter("coder");
  });
  afterAll(() => stage?.strike());

  const shows = (matches: (screen: string) => boolean) =>
    coder.terminal.waitForScreen(matches, { timeoutMs: PATIENCE_MS });
  const composer = (screen: string) => /^❯\u00a0(.*)$/mu.exec(screen)?.[1]?.trim();

  const transcripts = () => {
    const projects = join(coder.home, ".claude", "projects");
    const names = readdirSync(projects, { recursive: true, encoding: "utf8" });
    return names.filter((name) => name.endsWith(".jsonl")).map((name) => join(projects, name));
  };

  /** As the hook script does it. */
  const deliverHook = async (text: string) => {
    const { event_name: event } = JSON.parse(text) as { event_name: string };
    const socketPath = join(stage.bellhop.home, "run", "http.sock");
    const post = request({
      socketPath,
      path: `/hooks/${event}`,
      method: "POST",
      headers: { "content-type": "application/json" },
    });
    const answered = once(post, "response") as Promise<[IncomingMessage]>;
    post.end(text);
    const [response] = await answered;
    response.resume();
    expect(response.statusCode).toBeLessThan(300);
  };

  it("stops a second copy of our own, and takes it out of the composer again", async () => {
    await stage.bellhop.stop();
    await stage.bellhop.start({ BELLHOP_TEST_CRASH_AT: "paste.after-keys" });
    await stage.reconnect();
    const sent = await stage.send("coder", "once and only once");
    await stage.arrives(sent);
    // No proof is available for now: the hooks' files are late, the screen is cleared, the transcript is broken.
    const spool = join(stage.bellhop.home, "spool");
    const events = () => readdirSync(spool).filter((name) => name.endsWith(".json"));
    await until(() => events().length >= 2, "the hooks' files", PATIENCE_MS);
    const typist = await stage.typist(coder);
    await typist.type("/clear");
    await shows((screen) => composer(screen) === "/clear");
    typist.press("\r");
    await shows((screen) => !screen.includes("once and only once") && composer(screen) === "");
    const aside = join(stage.tmux.folder, "aside");
    mkdirSync(aside);
    const files = events();
    for (const name of files) renameSync(join(spool, name), join(aside, name));
    for (const path of transcripts()) appendFileSync(path, "half a line\n");
    const occupation = await coder.terminal.occupy();
    await stage.bellhop.start();
    await stage.reconnect();
    await stage.held(sent, occupation.hold);
    // The proof arrives after the decision to send again.
    for (const name of files) await deliverHook(readFileSync(join(aside, name), "utf8"));
    await occupation.end();

    const delivered = await stage.reaches(sent, "delivered");
    expect(delivered).toMatchObject({ transport: "paste", evidence: "submitted", attempts: 2 });
    await shows((screen) => screen.includes("the second copy was stopped"));
    await shows((screen) => composer(screen) === "");
    expect(stage.copiesOf(sent)).toBe(1);
    const next = await stage.send("coder", "the next one");
    expect(await stage.arrives(next)).toBe(`[message from: ${PERSON} #${next.shortId}] the next one`);
    await stage.reaches(next, "read");
  });

  it("stops a copy that a person submits, and leaves the text to the person", async () => {
    await stage.untilIdle("coder");
    const sent = await stage.send("coder", "only once by hand");
    const prompt = await stage.arrives(sent);
    await stage.reaches(sent, "read");
    await stage.untilIdle("coder");
    const typist = await stage.typist(coder);
    await typist.type(prompt, { charactersPerSecond: 200 });
    await shows((screen) => composer(screen) === prompt);
    typist.press("\r");
    await shows((screen) => screen.includes(`(${sent.shortId}) has already been delivered`));
    await shows((screen) => composer(screen) === prompt);
    expect(stage.copiesOf(sent)).toBe(1);
  });
});
