import { describe, expect, it } from "vitest";
import { claimsFrom } from "./identity.ts";

describe("what a process says of itself", () => {
  it("says only its user in a plain shell", () => {
    expect(claimsFrom({ USER: "dev" })).toEqual({ user: "dev" });
    expect(
      claimsFrom({
        LOGNAME: "dev",
        BELLHOP_SESSION_ID: "",
        CLAUDE_CODE_SESSION_ID: "",
        TMUX: "",
        TMUX_PANE: "",
      }),
    ).toEqual({
      user: "dev",
    });
  });

  it("names its session, its program's session and its terminal", () => {
    expect(
      claimsFrom({
        BELLHOP_SESSION_ID: "08bc57cf",
        CLAUDE_CODE_SESSION_ID: "c",
        CODEX_THREAD_ID: "x",
        GEMINI_SESSION_ID: "g",
        TMUX: "/tmp/tmux-1000/default,4242,0",
        TMUX_PANE: "%7",
        USER: "dev",
      }),
    ).toEqual({
      user: "dev",
      session: "08bc57cf",
      programSessions: { CLAUDE_CODE_SESSION_ID: "c", CODEX_THREAD_ID: "x", GEMINI_SESSION_ID: "g" },
      tmux: { socket: "/tmp/tmux-1000/default", pane: "%7" },
    });
  });

  it("reads a socket path with commas, and claims no half of a terminal", () => {
    expect(claimsFrom({ TMUX: "/tmp/a,b/s,1,2", TMUX_PANE: "%1" }).tmux).toEqual({
      socket: "/tmp/a,b/s",
      pane: "%1",
    });
    expect(claimsFrom({ TMUX: "/tmp/s,1,2" }).tmux).toBeUndefined();
    expect(claimsFrom({ TMUX_PANE: "%1" }).tmux).toBeUndefined();
    expect(claimsFrom({ TMUX: "nonsense", TMUX_PANE: "%1" }).tmux).toBeUndefined();
  });
});
