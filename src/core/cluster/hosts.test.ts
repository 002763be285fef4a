import { describe, expect, it } from "vitest";
import { present } from "../present.ts";
import {
  hostMailbox,
  hostOfMailbox,
  recipientInWords,
  recipientThere,
  shownElsewhere,
  shownThere,
  splitHost,
  withHost,
} from "./hosts.ts";

describe("an address with a host", () => {
  it.each([
    ["agent/coder@laptop", "agent/coder", "laptop"],
    ["laptop:coder", "agent/coder", "laptop"],
    ["session/08bc57cf@box-2", "session/08bc57cf", "box-2"],
    ["person/dev@corp.example@laptop", "person/dev@corp.example", "laptop"],
  ])("%s is %s on %s", (text, address, host) => {
    expect(splitHost(text)).toEqual({ address, host });
  });

  it.each([
    ...["agent/coder", "agent/coder@", "agent/coder@Laptop", "agent/coder@-x", "slack/team/@U0@laptop"],
    ...[
      "laptop:",
      ":coder",
      "Laptop:coder",
      "agent/a/b@laptop",
      "email/a@b/c@d",
      `agent/x@${"h".repeat(33)}`,
    ],
  ])("%s has none", (text) => {
    expect(splitHost(text)).toBeUndefined();
  });

  it("is shown as a person writes it", () => {
    expect(shownElsewhere({ address: "agent/coder", host: "laptop" })).toBe("laptop:coder");
    expect(shownElsewhere({ address: "person/dev", host: "laptop" })).toBe(withHost("person/dev", "laptop"));
    expect(shownThere("agent/coder@laptop", "laptop")).toBe("laptop:coder");
    expect(shownThere("agent/coder", "laptop")).toBe("laptop:coder");
    expect(shownThere("builds/api", "laptop")).toBe("builds/api on laptop");
  });

  it.each([
    ["host/laptop", "agent/coder@laptop", "agent/coder@laptop", "agent/coder@laptop"],
    ["host/laptop", "agent/coder", "agent/coder@laptop", "agent/coder@laptop"],
    ["host/laptop", "person/dev@laptop", "person/dev@laptop", "person/dev@laptop"],
    ["host/laptop", "builds/api", "builds/api", "builds/api on laptop"],
    ["agent/coder", "agent/coder", undefined, "agent/coder"],
    ["bridge/slack", "slack/team/#general", undefined, "bridge/slack"],
  ])("in the mailbox %s, what was sent to %s is for %s", (to, addressed, recipient, words) => {
    expect(recipientThere(to, addressed)).toBe(recipient);
    expect(recipientInWords({ to, ...present({ recipient }) })).toBe(words);
  });

  it("has a mailbox for what goes there, and no other mailbox is one", () => {
    expect(hostOfMailbox(hostMailbox("laptop"))).toBe("laptop");
    for (const other of ["agent/laptop", "bridge/slack", "host/", "host/A", "host/a/b", "desk/answers"])
      expect(hostOfMailbox(other)).toBeUndefined();
  });
});
