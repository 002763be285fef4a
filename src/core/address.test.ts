import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ADDRESS_LIMITS,
  AGENT_NAME_PATTERN,
  agentAddress,
  isAgentName,
  parseAddress,
  personAddress,
  type RecipientDirectory,
  resolveRecipient,
  sessionAddress,
  slugAgentName,
  splitAddress,
  uniqueAgentName,
} from "./address.ts";
import { BellhopError } from "./errors.ts";

const invalid = expect.objectContaining({ code: "name.invalid" });

describe("agent names", () => {
  it.each(["a", "0", "coder", "my-app_2.x", "a".repeat(64)])("accepts %s", (name) => {
    expect(isAgentName(name)).toBe(true);
  });

  it.each(["", "-a", ".a", "_a", "A", "a b", "a/b", "../x", "a\n", "é", "a".repeat(65)])(
    "refuses %j",
    (name) => {
      expect(isAgentName(name)).toBe(false);
      expect(() => agentAddress(name)).toThrow(invalid);
    },
  );

  it("makes a valid name of any folder's name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (folder) =>
        isAgentName(slugAgentName(folder)),
      ),
    );
  });

  it.each([
    ["My Project", "my-project"],
    ["Café_2.0", "cafe_2.0"],
    [".dotfiles", "dotfiles"],
    ["--weird--", "weird"],
    ["项目", "agent"],
    ["", "agent"],
    ["..", "agent"],
    ["a".repeat(80), "a".repeat(64)],
    [`${"a".repeat(63)}-b`, "a".repeat(63)],
  ])("names the folder %j %s", (folder, name) => {
    expect(slugAgentName(folder)).toBe(name);
  });

  it("counts up on a clash", () => {
    const taken = new Set(["coder", "coder-2", "coder-3"]);
    expect(uniqueAgentName("writer", (name) => taken.has(name))).toBe("writer");
    expect(uniqueAgentName("coder", (name) => taken.has(name))).toBe("coder-4");
  });

  it("stays valid, free and within 64 characters, whatever is wanted and taken", () => {
    const name = fc.oneof(fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,63}$/), fc.string());
    fc.assert(
      fc.property(name, fc.integer({ min: 0, max: 120 }), (wanted, namesakes) => {
        const taken = new Set<string>();
        for (let count = 0; count < namesakes; count += 1) {
          taken.add(uniqueAgentName(wanted, (candidate) => taken.has(candidate)));
        }
        expect(taken.size).toBe(namesakes);
        for (const each of taken) expect(each).toMatch(AGENT_NAME_PATTERN);
      }),
      { numRuns: 60 },
    );
  });

  it("gives up instead of counting forever", () => {
    expect(() => uniqueAgentName("coder", () => true)).toThrow(
      expect.objectContaining({ code: "agent.exists" }),
    );
  });
});

describe("parseAddress", () => {
  it.each([
    "agent/coder",
    "session/08bc57cf",
    "person/dev",
    "slack/team/#general",
    "imessage/+15551234",
    "agent/*",
    "x",
  ])("takes %s apart", (text) => {
    expect(parseAddress(text)).toEqual({ address: text, segments: text.split("/") });
  });

  it.each([
    ["nothing", ""],
    ["an empty segment", "agent//x"],
    ["a leading slash", "/agent/x"],
    ["a trailing slash", "agent/x/"],
    ["a blank segment", "agent/ /x"],
    ["a dot", "agent/./x"],
    ["a way up", "agent/../x"],
    ["a newline", "agent/a\nb"],
    ["an escape", "agent/\x1b[31m"],
    ["a hidden character", "agent/a\u200bb"],
    ["a bidirectional override", "agent/a\u202eb"],
    ["half a character", "agent/\ud800"],
  ])("refuses %s with a typed error that says what next", (_name, text) => {
    expect(() => parseAddress(text)).toThrow(BellhopError);
    expect(() => parseAddress(text)).toThrow(invalid);
  });

  it("takes exactly as much as the limits say", () => {
    const segments = (count: number) => Array.from({ length: count }, () => "a").join("/");
    expect(parseAddress(segments(ADDRESS_LIMITS.segments)).segments).toHaveLength(16);
    expect(() => parseAddress(segments(ADDRESS_LIMITS.segments + 1))).toThrow(invalid);
    expect(parseAddress("👍".repeat(ADDRESS_LIMITS.characters)).segments).toHaveLength(1);
    expect(() => parseAddress("a".repeat(ADDRESS_LIMITS.characters + 1))).toThrow(invalid);
  });

  it("never echoes control characters in its error", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        try {
          parseAddress(text);
        } catch (error) {
          expect(error).toBeInstanceOf(BellhopError);
          expect((error as BellhopError).message).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
        }
      }),
    );
  });
});

describe("splitAddress", () => {
  it("undoes what the makers of addresses do", () => {
    expect(splitAddress(agentAddress("coder"))).toEqual({ kind: "agent", rest: "coder" });
    expect(splitAddress(sessionAddress("08bc57cf"))).toEqual({ kind: "session", rest: "08bc57cf" });
    expect(splitAddress(personAddress("dev"))).toEqual({ kind: "person", rest: "dev" });
  });

  it.each([
    "slack/team/#general",
    "agent",
    "agent/",
    "agent/*",
    "agent/Coder",
    "agent/a/b",
    "person/a/b",
    "x/y",
  ])("calls %s other, and gives the whole of it", (address) => {
    expect(splitAddress(address)).toEqual({ kind: "other", rest: address });
  });

  it("refuses a person or a session with a slash or nothing in the name", () => {
    for (const name of ["a/b", "", "..", "a\x00"]) {
      expect(() => personAddress(name)).toThrow(invalid);
      expect(() => sessionAddress(name)).toThrow(invalid);
    }
  });
});

describe("resolveRecipient", () => {
  const directory: RecipientDirectory = {
    agents: [{ name: "coder" }, { name: "my-app" }, { name: "beef" }, { name: "dead" }, { name: "cafe0001" }],
    sessions: [
      { id: "08bc57cf", agent: "coder", label: "work:0.0", live: true },
      { id: "08bcffff", agent: "coder", label: "work:0.1", live: true },
      { id: "beef1234", agent: "my-app", label: "My Notes:1.0", live: true },
      { id: "cafe0001", agent: "my-app", label: "twice:0.0", live: true },
      { id: "11112222", agent: "my-app", label: "twice:0.0", live: true },
      { id: "99990000", agent: "my-app", label: "gone:0.0", live: false },
    ],
  };
  const resolve = (text: string) => resolveRecipient(text, directory);
  const found = (address: string) => ({ kind: "address", address });

  it("takes a full path as it is, known or not", () => {
    expect(resolve("agent/nobody")).toEqual(found("agent/nobody"));
    expect(resolve("session/08bc")).toEqual(found("session/08bc"));
    expect(resolve("slack/team/#general")).toEqual(found("slack/team/#general"));
  });

  it("refuses a malformed path with a typed error", () => {
    expect(() => resolve("agent/../x")).toThrow(invalid);
    expect(() => resolve("../coder")).toThrow(invalid);
  });

  it("takes a session id, or a beginning of at least four digits", () => {
    expect(resolve("08bc57cf")).toEqual(found("session/08bc57cf"));
    expect(resolve("08BC57CF")).toEqual(found("session/08bc57cf"));
    expect(resolve("08bc5")).toEqual(found("session/08bc57cf"));
    expect(resolve("08b")).toEqual({ kind: "unknown" });
    expect(resolve("08bc57cff")).toEqual({ kind: "unknown" });
  });

  it("finds a session that has ended by its id, so that the caller can say so", () => {
    expect(resolve("9999")).toEqual(found("session/99990000"));
  });

  it("refuses a beginning that two sessions share, and lists both", () => {
    expect(resolve("08bc")).toEqual({
      kind: "ambiguous",
      candidates: ["session/08bc57cf", "session/08bcffff"],
    });
  });

  it("refuses when an agent's name is also the beginning, or the whole, of a session's id", () => {
    expect(resolve("beef")).toEqual({ kind: "ambiguous", candidates: ["session/beef1234", "agent/beef"] });
    expect(resolve("cafe0001")).toEqual({
      kind: "ambiguous",
      candidates: ["session/cafe0001", "agent/cafe0001"],
    });
  });

  it("takes an agent whose name only looks like an id", () => {
    expect(resolve("dead")).toEqual(found("agent/dead"));
  });

  it("takes an exact agent name, then an exact label of a live session", () => {
    expect(resolve("coder")).toEqual(found("agent/coder"));
    expect(resolve("work:0.1")).toEqual(found("session/08bcffff"));
    expect(resolve("gone:0.0")).toEqual({ kind: "unknown" });
  });

  it("refuses a label that two terminals carry", () => {
    expect(resolve("twice:0.0")).toEqual({
      kind: "ambiguous",
      candidates: ["session/cafe0001", "session/11112222"],
    });
  });

  it.each([
    ["My App", "agent/my-app"],
    ["MY_APP", "agent/my-app"],
    [" my  app ", "agent/my-app"],
    ["CODER", "agent/coder"],
    ["my-notes:1.0", "session/beef1234"],
  ])("folds case, hyphens, underscores and spaces: %j", (text, address) => {
    expect(resolve(text)).toEqual(found(address));
  });

  it("refuses a folded match that an agent and a label share", () => {
    const both: RecipientDirectory = {
      agents: [{ name: "my-app" }, { name: "my_app" }],
      sessions: [{ id: "aaaaaaaa", agent: "x", label: "My App", live: true }],
    };
    expect(resolveRecipient("my app", both)).toEqual({
      kind: "ambiguous",
      candidates: ["agent/my-app", "agent/my_app", "session/aaaaaaaa"],
    });
    expect(resolveRecipient("my_app", both)).toEqual(found("agent/my_app"));
    expect(resolveRecipient("My App", both)).toEqual(found("session/aaaaaaaa"));
  });

  it.each(["", " ", "-", "myapp", "nobody", "person", "\x1b[31m"])("knows nobody called %j", (text) => {
    expect(resolve(text)).toEqual({ kind: "unknown" });
  });

  it("does not depend on the order of the directory, and every candidate resolves to itself", () => {
    const word = fc.constantFrom(
      "beef",
      "beef0",
      "cafe",
      "my-app",
      "my_app",
      "My App",
      "coder",
      "CODER",
      "0123",
    );
    const name = fc.constantFrom("beef", "cafe", "my-app", "my_app", "coder", "0123");
    const session = fc.record({
      id: fc.constantFrom("beef0000", "beef0001", "cafe1111", "01234567", "89abcdef"),
      agent: name,
      label: fc.constantFrom("My App", "my app", "coder", "work:0.0"),
      live: fc.boolean(),
    });
    const any = fc.record({
      agents: fc.uniqueArray(
        name.map((each) => ({ name: each })),
        { selector: (agent) => agent.name },
      ),
      sessions: fc.uniqueArray(session, { selector: ({ id }) => id }),
    });
    fc.assert(
      fc.property(word, any, (text, there) => {
        const forwards = resolveRecipient(text, there);
        const backwards = resolveRecipient(text, {
          agents: there.agents.toReversed(),
          sessions: there.sessions.toReversed(),
        });
        if (forwards.kind !== "ambiguous") {
          expect(backwards).toEqual(forwards);
          return;
        }
        expect(forwards.candidates.length).toBeGreaterThan(1);
        expect(backwards).toEqual({
          kind: "ambiguous",
          candidates: expect.arrayContaining([...forwards.candidates]),
        });
        for (const address of forwards.candidates) {
          expect(resolveRecipient(address, there)).toEqual({ kind: "address", address });
        }
      }),
    );
  });
});
