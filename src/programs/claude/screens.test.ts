import { describe, expect, it } from "vitest";
import { capturedScreen, capturedScreens, describeReading } from "../../../tests/screens.ts";
import { showsWork } from "../../core/readiness/reading.ts";
import type { Screen } from "../../core/readiness/screen.ts";
import { isStillShown } from "../../core/readiness/shown-sign.ts";
import { claudeProfile, createClaudeProfile } from "./profile.ts";
import { PROVEN_CLAUDE_RELEASES } from "./versions.ts";

const RELEASES = PROVEN_CLAUDE_RELEASES;

/** Must hold even if the expectations are edited. */
describe("captured screens that are not an empty composer", () => {
  const screens = RELEASES.flatMap((version) => capturedScreens("claude", version));
  const named = (pattern: RegExp) => screens.filter(({ name }) => pattern.test(name));
  const isEmpty = (screen: Screen) => {
    const reading = claudeProfile.read(screen);
    return reading.kind === "composer" && reading.draft.kind === "empty";
  };

  it.each(named(/^(?:draft|typed|hash|bash-mode|lead-|slash-menu|at-menu|one-character|.*-draft(?:-|$))/))(
    "sees a person's text in $name",
    ({ screen }) => expect(isEmpty(screen)).toBe(false),
  );

  it.each(
    named(
      /(?:-dialog|-picker|-prompt|-permission|^permission-(?:write|fetch)|^question|^plan-approval|^command-|-search|^agents-view|^btw)$/,
    ),
  )("sees no composer in $name", ({ screen }) =>
    expect(claudeProfile.read(screen).kind).not.toBe("composer"),
  );
});

describe("the sign of work", () => {
  const screens = RELEASES.flatMap((version) =>
    capturedScreens("claude", version).map(({ name, screen }) => ({ name: `${version}/${name}`, screen })),
  );
  const isBusy = (screen: Screen) => {
    const reading = claudeProfile.read(screen);
    return reading.kind === "composer" && showsWork(reading);
  };

  it("is there where a turn shows, and can be looked for again", () => {
    const unfound = screens.filter(({ screen }) => {
      const sign = claudeProfile.workSign(screen);
      const rows = screen.lines.map(({ text }) => text);
      return isBusy(screen) && (sign === undefined || !isStillShown(sign, { title: screen.title, rows }));
    });
    // With a draft, only the colour of the mark shows it.
    expect(unfound.map(({ name }) => name)).toEqual([
      "2.1.325/busy-draft-manual",
      "2.1.325/busy-queued",
      "2.1.325/busy-typed",
    ]);
  });

  it("tells its own turn from sub-agents that it waits for", () => {
    const waiting = screens.filter(({ screen }) => {
      const reading = claudeProfile.read(screen);
      return reading.kind === "composer" && reading.busy === "background";
    });
    expect(waiting.map(({ name }) => name)).toEqual(["2.1.325/busy-subagent"]);
  });

  it("is none where no turn shows", () => {
    const read = screens.filter(({ screen }) => claudeProfile.read(screen).kind === "composer");
    const signs = read.filter(
      ({ screen }) => !isBusy(screen) && claudeProfile.workSign(screen) !== undefined,
    );
    expect(signs.map(({ name }) => name)).toEqual([]);
  });
});

describe("an editor in vim mode", () => {
  const vim = createClaudeProfile({ editing: "vim" });

  it("is a composer while it says INSERT", () => {
    expect(describeReading(vim.read(capturedScreen("claude/2.1.325/vim-insert-empty")))).toBe("empty, idle");
  });

  it.each(["vim-normal-empty", "vim-normal-draft", "vim-visual", "idle-empty"])(
    "is not trusted without INSERT (%s)",
    (name) => expect(vim.read(capturedScreen(`claude/2.1.325/${name}`)).kind).toBe("unknown"),
  );
});

describe("a dialog's fingerprint", () => {
  const read = (name: string) => {
    const reading = claudeProfile.read(capturedScreen(`claude/2.1.325/${name}`));
    return reading.kind === "dialog" ? reading.fingerprint : undefined;
  };

  it("tells two permission questions apart", () => {
    expect(read("permission-prompt")).toBeDefined();
    expect(read("permission-prompt")).not.toBe(read("permission-prompt-with-draft"));
  });

  it("holds the whole question and nothing of the conversation over it", () => {
    expect(read("permission-prompt")).toContain("touch perm-test.txt && env | sort > env-bash.txt");
    expect(read("permission-prompt")).not.toContain("ACK");
  });
});
