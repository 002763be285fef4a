import { existsSync, mkdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HookedHome, SETTINGS } from "../../../../tests/hooked-home.ts";
import { parseHookEvent } from "../../../hooks/events.ts";
import { HOOKED_PROGRAMS } from "../../index.ts";
import { geminiHooks } from "./hooks.ts";

const home = new HookedHome();
const MINE = '{\n  "ui": { "theme": "Default" }\n}\n';
const POLICY = ".gemini/policies/bellhop.toml";

describe("hooks of Gemini CLI", () => {
  const settle = (settings = MINE) => {
    home.put(SETTINGS.gemini, settings);
  };

  it("go into its settings with its own unit of time and a name, the rules into a file of ours, and all goes again", () => {
    settle();
    expect(home.install("gemini")).toEqual([".bellhop/hooks/bellhop-hook", POLICY, SETTINGS.gemini]);
    const { hooks, ui } = JSON.parse(home.read(SETTINGS.gemini));
    expect(ui).toEqual({ theme: "Default" });
    expect(Object.keys(hooks)).toEqual(geminiHooks.events);
    expect(hooks.AfterAgent).toEqual([
      {
        hooks: [
          {
            name: "bellhop",
            type: "command",
            command: expect.stringContaining("gemini AfterAgent"),
            timeout: 10_000,
          },
        ],
      },
    ]);
    expect(home.read(POLICY)).toContain('commandPrefix = ["bellhop send", "bellhop ask", "bellhop reply"');
    expect(home.stateOf("gemini")).toMatchObject({ state: "installed", allowRules: "installed", advice: [] });
    expect(home.install("gemini")).toEqual([]);
    home.remove("gemini");
    expect(home.everything()).toEqual({ [SETTINGS.gemini]: MINE });
    expect(existsSync(home.at(".gemini/policies"))).toBe(false);
  });

  it("keep what a person has written into the same policy file", () => {
    settle();
    mkdirSync(home.at(".gemini/policies"));
    const own = '[[rule]]\ntoolName = "web_fetch"\ndecision = "deny"\npriority = 1\n';
    home.put(POLICY, own);
    home.install("gemini");
    expect(home.read(POLICY).startsWith(own)).toBe(true);
    home.remove("gemini");
    expect(home.read(POLICY)).toBe(own);
  });

  it("allow reading a message with cat, one file and nothing else", () => {
    settle();
    home.install("gemini");
    const line = /^commandRegex = (.*)$/mu.exec(home.read(POLICY))?.[1] ?? '""';
    const pattern = new RegExp(`"command":"${JSON.parse(line)}`);
    const allows = (command: string) => pattern.test(JSON.stringify({ command, description: "x" }));
    const messages = home.at(".bellhop/messages");
    expect(allows(`cat ${messages}/coder/20261117T220508506Z-548da9df.md`)).toBe(true);
    for (const other of [
      `cat ${messages}/../x/secret.md`,
      `cat ${messages}/coder/a.md /etc/passwd`,
      `cat ${messages}/coder/a.md; rm b`,
      `cat ${messages}/coder/a.md > b`,
      `cat ${messages.replace(".", "x")}/coder/a.md`,
    ])
      expect([other, allows(other)]).toEqual([other, false]);
  });

  it("are not written into a file with comments, which stays as it is", () => {
    const commented = '{\n  // mine\n  "ui": {}\n}\n';
    settle(commented);
    expect(() => home.install("gemini")).toThrow(/comments/);
    expect(home.read(SETTINGS.gemini)).toBe(commented);
    expect(home.stateOf("gemini")).toMatchObject({ state: "unreadable" });
  });

  it.each([['{"hooksConfig":{"enabled":false}}'], ['{"hooksConfig":{"disabled":["bellhop"]}}']])(
    "say that %s stops them",
    (settings) => {
      settle(settings);
      home.install("gemini");
      expect(home.stateOf("gemini").advice).toEqual([expect.stringContaining('"hooksConfig"')]);
    },
  );
});

describe("what a hook of Gemini CLI says", () => {
  const said = (eventName: string, payload: object, environment: Record<string, string> = {}) =>
    parseHookEvent(
      { program: "gemini", eventName, emittedAt: 1, environment, payload: payload as never },
      HOOKED_PROGRAMS,
    );

  it("is the prompt, the end of a turn of that prompt alone, and a question", () => {
    expect(said("BeforeAgent", { prompt: "do it", session_id: "s1" })).toMatchObject({
      turn: "prompt-submitted",
      prompt: "do it",
      programSessionId: "s1",
    });
    expect(said("AfterAgent", { prompt: "do it" })).toMatchObject({
      turn: "turn-ended",
      turnOf: "last-prompt",
    });
    const asks = { notification_type: "ToolPermission", details: { title: "Confirm Shell Command" } };
    expect(said("Notification", asks)).toMatchObject({
      turn: "permission-asked",
      detail: "Confirm Shell Command",
    });
    expect(said("Notification", { notification_type: "Other" }).turn).toBeUndefined();
    expect(said("SessionEnd", { reason: "clear" }).turn).toBeUndefined();
    expect(said("SessionEnd", { reason: "exit" }).turn).toBe("session-ended");
  });

  it("is little of a tool: only that its result may take a text", () => {
    expect(said("AfterTool", { tool_name: "read_file" })).toMatchObject({ ofTool: true });
    expect(said("BeforeTool", { tool_name: "invoke_agent" })).toMatchObject({ delegates: true });
    expect(said("BeforeTool", { tool_name: "read_file" })).not.toHaveProperty("delegates");
  });

  it("comes from a terminal, unless an agent's shell runs that Gemini", () => {
    const place = { TMUX: "/tmp/tmux,1,0", TMUX_PANE: "%3", BELLHOP_SESSION_ID: "08bc57cf" };
    expect(said("AfterAgent", {}, place)).toMatchObject({
      tmux: { socket: "/tmp/tmux", pane: "%3" },
      bellhopSession: "08bc57cf",
    });
    const nested = said("AfterAgent", {}, { ...place, GEMINI_CLI: "1" });
    expect(nested.tmux).toBeUndefined();
    expect(nested.bellhopSession).toBeUndefined();
  });
});
