import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostBehind, hostOfSpeaker, noticesAbout, shownSpeaker, speakerFrom, speakerOf } from "./speakers.ts";

describe("who speaks on another host", () => {
  it.each([
    ["agent/coder", "agent/coder@laptop"],
    ["session/08bc57cf", "session/08bc57cf@laptop"],
    ["person/dev", "person/dev@laptop"],
    ["person/dev@corp.example", "person/dev@corp.example@laptop"],
    ["program/backup", "program/backup@laptop"],
    ["bellhop/notices", "bellhop/notices@laptop"],
    [noticesAbout("box-2"), "bellhop/notices/box-2@laptop"],
  ])("%s is %s here", (from, here) => {
    expect(speakerOf(from, "laptop")).toBe(here);
    expect(speakerFrom("laptop", here)).toBe(here);
    expect(hostOfSpeaker(here)).toBe("laptop");
  });

  it.each([
    ["agent/coder@laptop", "laptop"],
    [noticesAbout("laptop"), "laptop"],
    [speakerOf(noticesAbout("box"), "laptop"), "laptop"],
    ["agent/coder", undefined],
    ["bellhop/notices", undefined],
    ["bellhop/notices/", undefined],
  ])("a message from %s is here on the word of %s", (from, host) => {
    expect(hostBehind(from)).toBe(host);
  });

  it("a place outside becomes a program of that host: nobody here is there", () => {
    expect(speakerOf("slack/team/@U0ADA", "laptop")).toBe("slack/team/@U0ADA");
    expect(speakerFrom("laptop", "slack/team/@U0ADA")).toBe("program/slack.team.@U0ADA@laptop");
    expect(speakerFrom("laptop", "agent")).toBe("program/agent@laptop");
  });

  it.each(["constructor", "toString", "hasOwnProperty", "__proto__", "valueOf"])(
    "a path under %s is a place outside, like any other",
    (root) => {
      expect(speakerFrom("laptop", `${root}/x@laptop`)).toBe(`program/${root}.x@laptop@laptop`);
      expect(hostOfSpeaker(`${root}/x@laptop`)).toBeUndefined();
      expect(speakerOf(`${root}/x`, "laptop")).toBe(`${root}/x`);
    },
  );

  it.each([
    "agent/coder",
    "agent/coder@desk",
    "agent/coder@laptop@desk",
    "agent/Coder@laptop",
    "agent/a/b@laptop",
    "person/dev",
    "person/@laptop/x",
    "session/08bc57cf",
    "program/backup",
    "bellhop/notices",
    "bellhop/notices@desk",
    "bellhop/a/b@laptop",
    "agent/*@laptop",
    "agent/**",
    "slack/*",
    "agent/\u001b[31mx@laptop",
    "",
    "a//b",
    `agent/${"x".repeat(300)}@laptop`,
  ])("%s is nobody whom laptop may speak for", (from) => {
    expect(speakerFrom("laptop", from)).toBeUndefined();
  });

  it("whatever a host says, it speaks as itself or not at all", () => {
    const word = fc.constantFrom(
      "agent",
      "person",
      "session",
      "program",
      "bellhop",
      "coder",
      "dev",
      "@",
      "/",
    );
    const said = fc.oneof(
      fc.string(),
      fc
        .array(fc.oneof(word, fc.constantFrom("laptop", "desk", "@laptop")), { maxLength: 8 })
        .map((all) => all.join("")),
    );
    fc.assert(
      fc.property(said, (from) => {
        const speaker = speakerFrom("laptop", from);
        if (speaker !== undefined) expect(hostOfSpeaker(speaker)).toBe("laptop");
      }),
    );
  });

  it("is shown without an at sign", () => {
    expect(shownSpeaker("agent/coder@laptop", "laptop")).toBe("laptop:coder");
    expect(shownSpeaker("bellhop/notices@laptop", "laptop")).toBe("laptop:bellhop");
    expect(shownSpeaker("person/dev@laptop", "laptop")).toBe("laptop:dev");
    expect(shownSpeaker("program/dev@laptop", "laptop")).toBe("laptop:program/dev");
  });

  it.each(["agent/coder", "person/dev", "slack/team/@U0ADA", "email/a@b/c@d", "agent/coder@", "laptop"])(
    "%s is of no other host",
    (from) => {
      expect(hostOfSpeaker(from)).toBeUndefined();
    },
  );
});
