import { expect, it } from "vitest";
import { REFUSAL_REASONS } from "../../../core/cluster/refusals.ts";
import { refused } from "./unmoved.ts";

const REASONS = REFUSAL_REASONS.filter((why) => why !== "withdrawn" && why !== "overdue");

it("each reason for which a host does not take an agent has its next step, whatever the words are", () => {
  const steps = REASONS.map((why) => [why, refused("coder", "a", "b", { why, words: "may not move" }).next]);
  expect(Object.fromEntries(steps)).toEqual({
    nobody: 'See b: "bellhop cluster test b".',
    right: expect.stringContaining('"bellhop cluster admit a KEY --rights LIST"'),
    exists: expect.stringContaining('"bellhop agent remove coder"'),
    declared: expect.stringContaining("config.yaml of b"),
    subscription: expect.stringContaining('"bellhop sub list coder"'),
    unreadable: expect.stringContaining('"bellhop version"'),
    other: 'See b: "bellhop cluster test b".',
  });
});
