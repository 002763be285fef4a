import { describe, expect, it } from "vitest";
import { isOnlyWatchWords, watchGreeting } from "./watch.ts";

describe("a watch", () => {
  it("greets by the watcher's headline, and never with empty quotes", () => {
    const session = { kind: "session", id: "08bc57cf" } as const;
    expect(watchGreeting({ ...session, headline: "tidy the imports" })).toBe(
      '— session "tidy the imports" (08bc57cf) watches this session.',
    );
    expect(watchGreeting({ ...session, headline: 'say "hi"\x1b[31m' })).toBe(
      `— session "say 'hi'" (08bc57cf) watches this session.`,
    );
    expect(watchGreeting({ ...session, headline: "08bc57cf" })).toBe(
      "— session 08bc57cf watches this session.",
    );
    expect(watchGreeting({ kind: "agent", name: "archivist" })).toBe(
      '— agent "archivist" watches this session.',
    );
  });

  it("says nothing of a turn that only answers what a watch said", () => {
    expect(isOnlyWatchWords({ messages: ["watch-greeting"], otherPrompts: 0 })).toBe(true);
    expect(isOnlyWatchWords({ messages: ["watch-notice", "watch-greeting"], otherPrompts: 0 })).toBe(true);
    expect(isOnlyWatchWords({ messages: ["watch-notice", undefined], otherPrompts: 0 })).toBe(false);
    expect(isOnlyWatchWords({ messages: ["watch-greeting"], otherPrompts: 1 })).toBe(false);
    expect(isOnlyWatchWords({ messages: [], otherPrompts: 0 })).toBe(false);
  });
});
