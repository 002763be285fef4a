import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { start } from "./plugin.mjs";

type Told = readonly [event: string, payload: Readonly<Record<string, unknown>>];

/** As much of OpenCode as the plugin uses. */
class FakeOpencode {
  readonly handlers = new Map<string, (event: { readonly properties: object }) => void>();
  readonly calls: (readonly [string, unknown])[] = [];
  readonly parents = new Map<string, string>();
  readonly route: {
    current: { name: string; params?: { sessionID: string } };
    navigate: (name: string, params: { sessionID: string }) => void;
  };
  readonly renderer = { currentFocusedEditor: { plainText: "" } };
  readonly ui = { dialog: { open: false } };
  readonly app = { version: "1.18.18" };
  readonly lifecycle = { onDispose: () => {} };
  messages: { id: string; role: string; agent?: string; model?: object }[] = [];
  whileCreating = () => {};
  hearsOfChanges = true;
  readonly known = new Set<string>();
  error: object | undefined;
  status: number | undefined = 404;
  creates = true;

  constructor() {
    this.route = { current: { name: "home" }, navigate: this.navigate.bind(this) };
  }

  /** Without a composer, as long as it does not know the conversation. */
  navigate(name: string, params: { sessionID: string }): void {
    this.route.current = { name, params };
    if (!this.known.has(params.sessionID)) this.calls.push(["keys are lost", params]);
  }

  readonly state = {
    path: { directory: "/repo" },
    session: {
      status: () => undefined,
      get: (id: string) =>
        id === "ses_new" && !this.known.has(id) ? undefined : { parentID: this.parents.get(id) },
      permission: () => [],
      question: () => [],
      messages: () => this.messages,
    },
  };
  readonly event = {
    on: (type: string, handle: (event: { readonly properties: object }) => void) => {
      this.handlers.set(type, handle);
      return () => this.handlers.delete(type);
    },
  };
  readonly client = {
    session: {
      create: async () => {
        this.whileCreating();
        return this.creates ? { data: { id: "ses_new", title: "New session" } } : { error: {} };
      },
      update: async (asked: { sessionID: string; title: string }) => {
        this.calls.push(["update", asked]);
        if (this.hearsOfChanges) setTimeout(() => this.known.add(asked.sessionID), 20);
      },
      delete: async (asked: unknown) => this.calls.push(["delete", asked]),
      promptAsync: async (asked: unknown) => {
        this.calls.push(["prompt", asked]);
        return { error: this.error, response: this.error && { status: this.status } };
      },
    },
  };

  shows(sessionID: string): void {
    this.route.current = { name: "session", params: { sessionID } };
  }

  happens(type: string, properties: object): void {
    this.handlers.get(type)?.({ properties });
  }

  /** A prompt as OpenCode tells of it. */
  prompted(sessionID: string, id: string, text: string): void {
    this.happens("message.updated", { info: { id, sessionID, role: "user" } });
    this.happens("message.part.updated", {
      part: { type: "text", id: `p${id}`, sessionID, messageID: id, text },
    });
  }

  answers(sessionID: string, parentID: string, more: object = {}): void {
    this.happens("message.updated", {
      info: { id: `${parentID}z`, sessionID, role: "assistant", parentID, ...more },
    });
  }

  is(sessionID: string, type: "idle" | "busy"): void {
    this.happens("session.status", { sessionID, status: { type } });
  }
}

let home: string;
let opencode: FakeOpencode;
let told: Told[];
let plugin: ReturnType<typeof start>;

beforeEach(() => {
  home = mkdtempSync("/tmp/bh-");
  mkdirSync(join(home, "hooks"));
  mkdirSync(join(home, "run"));
  writeFileSync(join(home, "hooks", "bellhop-hook"), "");
  opencode = new FakeOpencode();
  told = [];
});
afterEach(() => {
  plugin?.stop();
  rmSync(home, { recursive: true, force: true });
});

function load(graceMs = 0): void {
  plugin = start(opencode, home, {
    graceMs,
    run: async (_, event, payload) => void told.push([event, JSON.parse(payload)]),
  });
}

const GRACE_MS = 3_000;

/** From here on only the test moves it. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

async function events(): Promise<readonly string[]> {
  await plugin.reported();
  return told.map(([event]) => event);
}

async function ask(question: object): Promise<Readonly<Record<string, unknown>>> {
  await vi.waitFor(() => expect(existsSync(door())).toBe(true));
  return new Promise((resolve, reject) => {
    const socket = createConnection(door());
    socket.on("error", reject);
    socket.on("data", (text) => resolve(JSON.parse(String(text))));
    socket.on("close", () => reject(new Error("closed")));
    socket.write(`${JSON.stringify(question)}\n`);
  });
}

const door = () => join(home, "run", `oc-${process.pid}`);

describe("what it reports", () => {
  beforeEach(() => {
    opencode.shows("ses_1");
    load();
  });

  it("is a prompt when a turn reads it, and the end of the turn", async () => {
    opencode.prompted("ses_1", "m1", "hello");
    expect(await events()).toEqual(["SessionStart"]);
    opencode.is("ses_1", "busy");
    opencode.answers("ses_1", "m1");
    opencode.answers("ses_1", "m1");
    opencode.is("ses_1", "idle");
    opencode.is("ses_1", "idle");
    // OpenCode tells of it once more when it has a summary of it.
    opencode.happens("message.updated", { info: { id: "m1", sessionID: "ses_1", role: "user" } });
    opencode.answers("ses_1", "m1");
    expect(await events()).toEqual(["SessionStart", "UserPromptSubmit", "Stop"]);
    expect(told[1]?.[1]).toMatchObject({ session_id: "ses_1", cwd: "/repo", prompt: "hello" });
  });

  it("is every prompt that one turn reads, in their order", async () => {
    opencode.prompted("ses_1", "m1", "one");
    opencode.prompted("ses_1", "m2", "two");
    opencode.prompted("ses_1", "m3", "three");
    opencode.answers("ses_1", "m2");
    expect(await events()).toEqual(["SessionStart", "UserPromptSubmit", "UserPromptSubmit"]);
    expect(told.slice(1).map(([, { prompt }]) => prompt)).toEqual(["one", "two"]);
  });

  it("is no prompt for a summary, nor one that was taken back", async () => {
    opencode.prompted("ses_1", "m1", "one");
    opencode.answers("ses_1", "m2", { summary: true });
    opencode.happens("message.removed", { sessionID: "ses_1", messageID: "m1" });
    opencode.answers("ses_1", "m2");
    expect(await events()).toEqual(["SessionStart"]);
  });

  it.each([
    ["session.error", { sessionID: "ses_1", error: { name: "MessageAbortedError" } }],
    ["permission.replied", { sessionID: "ses_1", requestID: "p1", reply: "reject" }],
  ])("is a failure if the turn ended by %s", async (type, properties) => {
    opencode.is("ses_1", "busy");
    opencode.happens(type, properties);
    opencode.is("ses_1", "idle");
    expect(await events()).toEqual(["SessionStart", "StopFailure"]);
  });

  it("is a sub-agent's work as such, and its questions as those of the window", async () => {
    opencode.happens("session.created", { info: { id: "ses_child", parentID: "ses_1" } });
    opencode.is("ses_1", "busy");
    opencode.is("ses_child", "busy");
    opencode.prompted("ses_child", "m1", "look there");
    opencode.answers("ses_child", "m1");
    opencode.happens("permission.asked", { sessionID: "ses_child", id: "p1", permission: "bash" });
    expect(await ask({})).toMatchObject({ is: "waiting", session_id: "ses_1" });
    opencode.happens("permission.replied", { sessionID: "ses_child", requestID: "p1", reply: "once" });
    expect(await ask({})).toMatchObject({ is: "busy" });
    opencode.is("ses_child", "idle");
    expect(await events()).toEqual(["SessionStart", "SubagentStart", "PermissionRequest", "SubagentStop"]);
    expect(told[1]?.[1]).toMatchObject({ session_id: "ses_1", agent_id: "ses_child" });
  });

  it("is nothing of a conversation that the window does not show", async () => {
    opencode.is("ses_2", "busy");
    opencode.happens("permission.asked", { sessionID: "ses_2", id: "p1", permission: "bash" });
    opencode.is("ses_2", "idle");
    expect(await events()).toEqual(["SessionStart"]);
    expect(await ask({})).toMatchObject({ is: "idle", session_id: "ses_1" });
  });

  it("is marked in a conversation that the window has left: the prompts that its turns read, and their end", async () => {
    opencode.prompted("ses_1", "m1", "one");
    opencode.prompted("ses_1", "m2", "two");
    opencode.is("ses_1", "busy");
    opencode.answers("ses_1", "m1");
    opencode.shows("ses_2");
    opencode.answers("ses_1", "m2");
    opencode.happens("message.part.updated", {
      part: {
        ...{ type: "tool", tool: "read", id: "t1", sessionID: "ses_1", messageID: "m3" },
        state: { status: "completed", input: { filePath: "/m/1.txt" } },
      },
    });
    opencode.is("ses_1", "idle");
    const ofLeft = async () =>
      (await events()).flatMap((event, index) => {
        const { session_id: id, hidden } = told[index]?.[1] ?? {};
        return id === "ses_1" ? [[event, hidden]] : [];
      });
    expect(await ofLeft()).toEqual([
      ["SessionStart", undefined],
      ["UserPromptSubmit", undefined],
      ["UserPromptSubmit", true],
      ["PostToolUse", true],
      ["Stop", true],
    ]);
  });

  it("is a file that was read, once", async () => {
    const part = { type: "tool", tool: "read", id: "t1", sessionID: "ses_1", messageID: "m1" };
    const state = { status: "completed", input: { filePath: "/m/1.txt" } };
    for (const status of ["running", "completed", "completed"])
      opencode.happens("message.part.updated", { part: { ...part, state: { ...state, status } } });
    expect(await events()).toEqual(["SessionStart", "PostToolUse"]);
    expect(told[1]?.[1]).toMatchObject({ tool_name: "Read", tool_input: { file_path: "/m/1.txt" } });
  });

  it("is another conversation when the window shows one, and whether that is at work", async () => {
    opencode.is("ses_2", "busy");
    opencode.shows("ses_2");
    await vi.waitFor(async () => expect(await events()).toHaveLength(2));
    expect(told[1]).toEqual([
      "SessionStart",
      expect.objectContaining({ session_id: "ses_2", source: "busy" }),
    ]);
  });

  it("is nothing if Bellhop is gone, and OpenCode goes on", async () => {
    await events();
    told = [];
    rmSync(home, { recursive: true });
    opencode.is("ses_1", "busy");
    opencode.is("ses_1", "idle");
    opencode.happens("message.part.updated", {});
    expect(await events()).toEqual([]);
  });
});

describe("what it takes", () => {
  it("goes to the conversation that is shown, as the last prompt went", async () => {
    opencode.shows("ses_1");
    opencode.messages = [{ id: "m1", role: "user", agent: "plan", model: { providerID: "a", modelID: "b" } }];
    load();
    expect(await ask({ prompt: "/hi" })).toEqual({ taken: "ses_1" });
    expect(opencode.calls).toEqual([
      [
        "prompt",
        {
          sessionID: "ses_1",
          parts: [{ type: "text", text: "/hi" }],
          agent: "plan",
          model: { providerID: "a", modelID: "b" },
        },
      ],
    ]);
    expect(statSync(door()).mode & 0o777).toBe(0o600);
  });

  it("begins a conversation on an empty start page", async () => {
    load();
    expect(await ask({ prompt: "hi" })).toEqual({ taken: "ses_new" });
    expect(opencode.route.current).toEqual({ name: "session", params: { sessionID: "ses_new" } });
    // Its title stays the one for which OpenCode will find a better one.
    const asked = { sessionID: "ses_new", title: "New session" };
    expect(opencode.calls.map(([call]) => call)).toEqual(["update", "prompt"]);
    expect(opencode.calls[0]).toEqual(["update", asked]);
  });

  it("is nothing on a start page whose window does not hear of the new conversation: keys would be lost", async () => {
    load();
    opencode.hearsOfChanges = false;
    expect(await ask({ prompt: "hi" })).toMatchObject({ refused: expect.stringContaining("take up") });
    expect(opencode.route.current.name).toBe("home");
    expect(opencode.calls.map(([call]) => call)).toEqual(["update", "delete"]);
  });

  it("is nothing on a start page with a draft, or one that begins meanwhile: it stays where it is", async () => {
    load();
    opencode.renderer.currentFocusedEditor.plainText = "mine";
    expect(await ask({})).toMatchObject({ closed: expect.stringContaining("writing") });
    expect(await ask({ prompt: "hi" })).toMatchObject({ refused: expect.stringContaining("writing") });
    opencode.renderer.currentFocusedEditor.plainText = "";
    opencode.whileCreating = () => {
      opencode.renderer.currentFocusedEditor.plainText = "m";
    };
    expect(await ask({ prompt: "hi" })).toMatchObject({ refused: expect.stringContaining("write") });
    expect(opencode.route.current.name).toBe("home");
    expect(opencode.calls.slice(1)).toEqual([["delete", { sessionID: "ses_new" }]]);
  });

  it("is nothing under a dialog of the start page, or on a page that nobody knows", async () => {
    load();
    opencode.ui.dialog.open = true;
    expect(await ask({ prompt: "hi" })).toHaveProperty("refused");
    opencode.ui.dialog.open = false;
    opencode.route.current = { name: "somewhere" };
    expect(await ask({ prompt: "hi" })).toHaveProperty("refused");
    expect(opencode.calls).toEqual([]);
  });

  it("is what OpenCode says, if it refuses", async () => {
    opencode.shows("ses_1");
    opencode.error = { name: "NotFoundError" };
    load();
    expect(await ask({ prompt: "hi" })).toMatchObject({ refused: expect.stringContaining("NotFoundError") });
  });

  it.each([undefined, 502, 504])(
    "is not called refused if OpenCode's server answers %s: it may have it",
    async (status) => {
      opencode.shows("ses_1");
      opencode.error = {};
      opencode.status = status;
      load();
      await expect(ask({ prompt: "hi" })).rejects.toThrow("closed");
    },
  );

  it("is refused, and may come again, if no conversation can be begun for it", async () => {
    opencode.creates = false;
    load();
    expect(await ask({ prompt: "hi" })).toMatchObject({
      refused: expect.stringContaining("could not begin"),
    });
    expect(opencode.calls).toEqual([]);
  });

  it("is nothing for another conversation than the one that is shown: that may be another agent's", async () => {
    opencode.shows("ses_2");
    load();
    const answer = await ask({ prompt: "hi", conversation: "ses_1" });
    expect(answer).toMatchObject({ refused: expect.stringContaining("another conversation") });
    expect(opencode.calls).toEqual([]);
    expect(await ask({ prompt: "hi", conversation: "ses_2" })).toEqual({ taken: "ses_2" });
  });

  it("is brought up again when its turn was stopped before it, as the same message, and no one else's", async () => {
    opencode.shows("ses_1");
    load(GRACE_MS);
    opencode.is("ses_1", "busy");
    await ask({ prompt: "ours" });
    stopTime();
    opencode.prompted("ses_1", "m1", "ours");
    opencode.prompted("ses_1", "m2", "a person's");
    opencode.happens("session.error", { sessionID: "ses_1" });
    opencode.is("ses_1", "idle");
    vi.advanceTimersByTime(GRACE_MS);
    expect(opencode.calls).toHaveLength(2);
    expect(opencode.calls[1]).toEqual(["prompt", { sessionID: "ses_1", messageID: "m1", parts: [] }]);
    opencode.is("ses_1", "busy");
    opencode.answers("ses_1", "m2");
    opencode.is("ses_1", "idle");
    expect(await events()).toEqual([
      ...["SessionStart", "StopFailure", "UserPromptSubmit", "UserPromptSubmit", "Stop"],
    ]);
    expect(opencode.calls).toHaveLength(2);
  });

  it("is brought up again if no turn reads it though OpenCode does nothing, a few times", async () => {
    opencode.shows("ses_1");
    load();
    await ask({ prompt: "ours" });
    opencode.prompted("ses_1", "m1", "ours");
    await vi.waitFor(() => expect(opencode.calls).toHaveLength(4));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const again = ["prompt", { sessionID: "ses_1", messageID: "m1", parts: [] }];
    expect(opencode.calls.slice(1)).toEqual([again, again, again]);
  });

  it("is not brought up again while a turn runs, nor once it is read", async () => {
    opencode.shows("ses_1");
    load();
    opencode.is("ses_1", "busy");
    await ask({ prompt: "ours" });
    opencode.prompted("ses_1", "m1", "ours");
    await new Promise((resolve) => setTimeout(resolve, 20));
    opencode.answers("ses_1", "m1");
    opencode.is("ses_1", "idle");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(opencode.calls).toHaveLength(1);
  });

  it("leaves whoever stopped a turn the whole grace, also if it came shortly before", async () => {
    opencode.shows("ses_1");
    load(GRACE_MS);
    opencode.is("ses_1", "busy");
    await ask({ prompt: "ours" });
    stopTime();
    opencode.prompted("ses_1", "m1", "ours");
    vi.advanceTimersByTime(GRACE_MS - 1);
    opencode.is("ses_1", "idle");
    vi.advanceTimersByTime(GRACE_MS - 1);
    expect(opencode.calls).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(opencode.calls).toHaveLength(2);
  });

  it("comes through its own door where a killed window with the same process id left one", async () => {
    const left = createServer().listen(door());
    await once(left, "listening");
    // As a killed process leaves it: the socket stays, and nobody listens.
    renameSync(door(), `${door()}-kept`);
    left.close();
    await once(left, "close");
    renameSync(`${door()}-kept`, door());
    opencode.shows("ses_1");
    load();
    await vi.waitFor(async () => expect(await ask({})).toMatchObject({ version: "1.18.18" }), 5_000);
  });

  it("comes through a door that opens again if somebody has removed it", async () => {
    opencode.shows("ses_1");
    load();
    await ask({});
    rmSync(door());
    expect(await ask({})).toMatchObject({ version: "1.18.18" });
    plugin.stop();
    expect(existsSync(door())).toBe(false);
  });
});
