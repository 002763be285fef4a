import { describe, expect, it } from "vitest";
import { capturedScreens } from "../../../tests/screens.ts";
import type { Reading } from "../../core/readiness/reading.ts";
import type { Screen } from "../../core/readiness/screen.ts";
import { claudeProfile } from "../../programs/claude/profile.ts";
import { codexProfile } from "../../programs/codex/profile.ts";
import { geminiProfile } from "../../programs/gemini/profile.ts";
import { opencodeProfile } from "../../programs/opencode/profile.ts";
import { OpenDialog } from "./open-dialog.ts";

const PROFILES = [
  { profile: claudeProfile, version: "2.1.325" },
  { profile: codexProfile, version: "0.166.0" },
  { profile: geminiProfile, version: "0.61.0" },
  { profile: opencodeProfile, version: "1.18.33" },
] as const;

function offeredFor(reading: Reading, screen: Screen): string | undefined {
  const open = new OpenDialog();
  for (const at of [0, 5_000]) open.seen({ reading, screen }, at);
  return open.offered(() => "k7x2qp")?.text;
}

describe("a dialog of a real program", () => {
  const captured = PROFILES.flatMap(({ profile, version }) =>
    capturedScreens(profile.name, version).flatMap(({ name, screen }) => {
      const reading = profile.read(screen);
      return reading.kind === "dialog" ? [{ name: `${profile.name}/${name}`, profile, reading, screen }] : [];
    }),
  );

  it("was captured of each", () => {
    for (const { profile } of PROFILES) expect(captured.some((one) => one.profile === profile)).toBe(true);
  });

  it("is offered to other hosts only if all of it is shown", () => {
    const offered = captured.filter(({ reading, screen }) => offeredFor(reading, screen) !== undefined);
    expect(offered.map(({ name }) => name)).toEqual([
      "claude/narrow-40x20-permission",
      "claude/narrow-80x24-permission",
      "claude/permission-fetch",
      "claude/permission-prompt-with-draft",
      "claude/permission-write",
      "claude/plan-approval",
      "claude/question",
      "codex/narrow-80x24-permission",
      "codex/permission-prompt",
      "codex/permission-prompt-with-draft",
      "codex/permission-prompt-with-queued",
    ]);
  });

  it("is not offered if it begins in the first row of its screen, or above", () => {
    for (const { name, profile, screen } of captured)
      for (let above = 0; above < screen.lines.length; above += 1) {
        const rest = { ...screen, lines: screen.lines.slice(above) };
        const reading = profile.read(rest);
        const text = reading.kind === "dialog" ? offeredFor(reading, rest) : undefined;
        const whole = offeredFor(profile.read(screen), screen);
        if (text !== undefined) expect(text, `${name} without its first ${above} rows`).toBe(whole);
      }
  });
});

describe("the code of a dialog", () => {
  const fingerprint = "Allow this?\nrm -r build\n❯ 1. Yes\n2. No";
  const dialog: Reading = { kind: "dialog", title: "Allow this?", fingerprint };
  const lines = ["above", ...fingerprint.split("\n")].map((text) => ({ text }));
  const screen = { lines } as unknown as Screen;
  const unread: Reading = { kind: "unknown", why: "it did not answer soon" };

  function withCode() {
    const open = new OpenDialog();
    const sees = (reading: Reading, at: number) => open.seen({ reading, screen }, at);
    sees(dialog, 0);
    sees(dialog, 3_000);
    const codes = ["letter", "code01", "code02"];
    const offered = () => open.offered(() => codes.shift() ?? "")?.code;
    expect(offered()).toBe("code01");
    return { open, sees, offered };
  }

  it("outlasts a look that saw nothing, if that was not for long", () => {
    const { open, sees } = withCode();
    sees(unread, 4_000);
    sees(dialog, 5_000);
    expect(open.is("code01")).toBe(true);
    sees(unread, 6_000);
    sees(unread, 17_000);
    sees(dialog, 18_000);
    expect(open.is("code01")).toBe(false);
  });

  it("ends when the program works or shows something else", () => {
    const busy: Reading = { kind: "unknown", why: "it works", busy: "busy" };
    const other: Reading = { ...dialog, fingerprint: fingerprint.replace("build", "src") };
    for (const reading of [busy, other]) {
      const { open, sees } = withCode();
      sees(reading, 4_000);
      sees(dialog, 5_000);
      expect(open.is("code01")).toBe(false);
    }
  });

  it("ends when the program says that it went on, and another follows once it stands", () => {
    const { open, sees, offered } = withCode();
    open.wentOn();
    expect(open.is("code01")).toBe(false);
    expect(offered()).toBeUndefined();
    sees(dialog, 6_000);
    expect(offered()).toBe("code02");
  });

  it("is used up by keys, and no other follows before the dialog was seen to close", () => {
    const { open, sees, offered } = withCode();
    open.pressed();
    open.wentOn();
    sees(dialog, 9_000);
    expect([open.is("code01"), open.wasUsed("code01"), offered()]).toEqual([false, true, undefined]);
    expect(open.is(fingerprint)).toBe(true);
    sees({ kind: "unknown", why: "it works", busy: "busy" }, 10_000);
    sees(dialog, 11_000);
    sees(dialog, 14_000);
    expect(offered()).toBe("code02");
  });

  it("is no word that a screen could read", () => {
    const open = new OpenDialog();
    open.seen({ reading: { ...dialog, fingerprint: "none" } as Reading, screen }, 0);
    expect(open.is("none")).toBe(false);
  });
});
