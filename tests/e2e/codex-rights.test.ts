/** A read-only Codex must not act through another: raw text that begins with "!" runs as that person's own command. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { CodexDesk, PATIENCE_MS } from "./codex-desk.ts";

beforeAll(assertInNamespace);

describe("an agent beside a Codex that may only read", () => {
  let desk: CodexDesk;
  let reader: RunningAgent;
  let mallory: RunningAgent;
  let typist: Typist;

  beforeAll(async () => {
    desk = await CodexDesk.open();
    // They share a home, and with it the server that runs the commands of both: only the conversation tells them apart.
    mallory = await desk.seat("mallory");
    reader = await desk.seat("reader", { args: ["--sandbox", "read-only"] });
    typist = await desk.typist(mallory);
  });
  afterAll(() => desk?.close());

  const made = () => join(reader.repo, "made");
  const attack = ["send", "reader", "--raw", "!touch made", "--key", "Enter"];

  it("cannot have a command typed into it, unasked as its own allow rules are", async () => {
    await desk.say(typist, mallory, `[[bash bellhop send reader --raw '!touch made' --key Enter]]`);
    const heard = await desk.model.waitForRequest(({ kind }) => kind === "tool_result", {
      timeoutMs: PATIENCE_MS,
    });
    expect(heard.toolResults.join()).toContain('Agent "mallory" may not');
    expect(heard.toolResults.join()).toContain('the right "raw" is missing');
    // It is not even queued for later.
    expect((await desk.client.call("history", { who: "reader" })).entries).toEqual([]);
    expect(await reader.terminal.screen()).not.toContain("touch");
    expect(existsSync(made())).toBe(false);
  });

  it("is told which right, as a program reads it", async () => {
    const env = { BELLHOP_SESSION_ID: (await desk.sessionIn(mallory))?.id ?? "" };
    const { code, stderr } = await desk.bellhop.run([...attack, "--json"], { env });
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "rights.missing" } });
    expect(existsSync(made())).toBe(false);
  });

  it("leaves that to the owner, for whom the same words run", async () => {
    await desk.untilIdle(reader);
    expect(await desk.bellhop.run(attack)).toMatchObject({ code: 0 });
    await until(() => existsSync(made()), "the command", PATIENCE_MS);
  });
});
