import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BellhopError } from "../core/errors.ts";
import { LIMITS } from "../core/message.ts";
import type { UseCases, Verb } from "../wire/verbs/index.ts";
import { failure } from "./failure.ts";
import type { ToolSetting } from "./tool.ts";
import { recipientFrom } from "./tools/send-message.ts";
import { TOOLS } from "./tools.ts";

/** An office that gives prepared answers and refuses everything else. */
function settingOf(answers: Partial<UseCases>, claims = { user: "dev" }): ToolSetting {
  return {
    async call<V extends Verb>(verb: V, request: Parameters<UseCases[V]>[0]) {
      const answer = answers[verb] as ((asked: unknown) => Promise<never>) | undefined;
      if (answer === undefined)
        throw new BellhopError("recipient.unknown", { message: `No "${verb}".`, next: "Look." });
      return answer(request);
    },
    claims,
    now: () => 0,
    offsetAt: () => 0,
  };
}

describe.each(TOOLS)("$name", ({ name, input, output, description, run }) => {
  it("says of each argument what it is, and keeps its words short", () => {
    const fields = Object.values(
      (z.toJSONSchema(input, { io: "input" }) as { properties: object }).properties,
    );
    for (const field of fields) expect(field).toHaveProperty("description");
    expect(description.length).toBeLessThan(1_200);
    expect(() => z.toJSONSchema(output)).not.toThrow();
  });

  it("answers anything it may be given with a result or a refusal of ours", async () => {
    const fieldValue = fc.oneof(fc.string(), fc.jsonValue(), fc.anything({ withNullPrototype: true }));
    const given = fc.oneof(
      fc.dictionary(fc.constantFrom(...Object.keys(input.shape), "__proto__", "other"), fieldValue),
      fc.anything(),
    );
    await fc.assert(
      fc.asyncProperty(given, async (each) => {
        const refused = await run(each, settingOf({})).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(refused).toBeInstanceOf(BellhopError);
      }),
    );
  });

  it("refuses what is nested deeper than the limit", async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(LIMITS.jsonDepth + 1)}1${"}".repeat(LIMITS.jsonDepth + 1)}`);
    await expect(run(deep, settingOf({}))).rejects.toMatchObject({
      code: "request.malformed",
      message: `The arguments of ${name} are nested deeper than ${LIMITS.jsonDepth} levels.`,
    });
  });
});

describe("a message to another host", () => {
  const delivery = { id: "d1", to: "host/box", recipient: "agent/coder@box", state: "queued" as const };
  const sent = { messageId: "m", shortId: "m7k2q9", unmatched: false, deliveries: [delivery] };
  const shown = { message: { shortId: "m7k2q9", from: "agent/api", to: "coder", createdAt: 0 } };
  const show = async () => ({ ...shown, deliveries: [delivery] }) as never;
  const explain = async () => ({ deliveries: [{ ...delivery, because: ["It waits."] }] }) as never;
  const setting = settingOf({ send: async () => sent, verdict: show, show, explain });

  it.each([
    ["send_message", { to: "box:coder", text: "x" }],
    ["message_status", { id: "m7k2q9" }],
  ])("is for somebody there, says %s", async (tool, given) => {
    const { text, value } = (await TOOLS.find(({ name }) => name === tool)?.run(given, setting)) ?? {};
    expect(value).toMatchObject({ deliveries: [{ to: "agent/coder@box" }] });
    expect(text).toMatch(/^agent\/coder@box: queued/m);
  });
});

describe("a reminder at a time", () => {
  it("with a key is handed on as it was written too, also when it has passed: it may have been set before", async () => {
    const asked: unknown[] = [];
    const remind = async (request: unknown) => {
      asked.push(request);
      return { id: "k3x9a2", to: "agent/coder", dueAt: 0 } as never;
    };
    const setting = { ...settingOf({ remind }), now: () => Date.UTC(2026, 11, 21, 13) };
    const tool = TOOLS.find(({ name }) => name === "remind");
    const given = { text: "look", at: "2026-12-20 09:00" };
    await tool?.run({ ...given, idempotency_key: "k" }, setting);
    await tool?.run(given, setting);
    const at = Date.UTC(2026, 11, 20, 9);
    const plain = { text: "look", at, claims: { user: "dev" } };
    expect(asked).toEqual([{ ...plain, atWritten: "2026-12-20 09:00", idempotencyKey: "k" }, plain]);
  });
});

describe("a recipient", () => {
  it.each([
    ["researcher", "researcher"],
    ["08bc57cf", "08bc57cf"],
    ["agent/researcher", "agent/researcher"],
    ["slack/team/#general", "slack/team/#general"],
    ["/slack/team/#general/", "slack/team/#general"],
    ["custom/x", "custom/x"],
    ["/", ""],
  ])("%s is taken as %s", (to, taken) => expect(recipientFrom(to)).toBe(taken));
});

it("list_agents names those on other hosts as send_message takes them", async () => {
  const there = { host: "box", agent: "coder", program: "claude\u001b[31m", readiness: "busy" } as const;
  const elsewhere = [{ ...there, sessions: ["725fe7bb"], hostState: "up" as const, heardAt: 0 }];
  const setting = settingOf({
    ls: async () => ({ sessions: [], host: "desk", elsewhere }),
    agent_list: async () => ({ agents: [] }),
    inbox: async () => ({ who: "person/dev", entries: [] }),
  });
  const found = await TOOLS.find(({ name }) => name === "list_agents")?.run({}, setting);
  expect(found).toMatchObject({
    value: {
      agents: [{ name: "box:coder", sessions: [{ id: "725fe7bb", state: "busy", about: "on box" }] }],
    },
  });
  expect(JSON.stringify(found)).not.toContain("\\u001b");
});

describe("a failure", () => {
  const unknown = new BellhopError("recipient.unknown", { message: 'No "x".', next: "bellhop ls" });
  const textOf = async (...given: Parameters<typeof failure>) => {
    const { content, isError, structuredContent } = await failure(...given);
    expect([isError, structuredContent]).toEqual([true, undefined]);
    const [first] = content;
    return JSON.parse(first?.type === "text" ? first.text : "") as { error: Record<string, unknown> };
  };

  it("lists so many names and no more", async () => {
    const agents = Array.from({ length: 30 }, (_, index) => ({ name: `agent-${index}` })) as never;
    const { error } = await textOf(unknown, {}, settingOf({ agent_list: async () => ({ agents }) }));
    expect(error.candidates).toHaveLength(20);
    expect(error.next).toMatch(/and more, see list_agents\.$/);
  });

  it("stands even when nobody can be asked who is there", async () => {
    const expected = { error: { code: "recipient.unknown", message: 'No "x".', next: "bellhop ls" } };
    expect(await textOf(unknown, {}, settingOf({}))).toEqual(expected);
    expect(await textOf(unknown)).toEqual(expected);
  });

  it("keeps control characters out", async () => {
    const rude = new BellhopError("name.invalid", { message: "\u001b[31mred\u202e", next: "no" });
    expect(JSON.stringify(await textOf(rude))).not.toMatch(/\\u001b|\u202e/);
  });
});
