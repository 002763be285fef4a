/** Frames of the broker's protocol as its document has them, for the suites that hold Bellhop to it. */
import { expect } from "vitest";
import type { WsCaller } from "./broker-callers.ts";
import { BrokerStage } from "./broker-stage.ts";

export const UUID = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
);
export const TIME = expect.any(Number);

/** A message as the format's table has it, with what Bellhop adds: a short id, and the words an agent reads. */
export const message = (fields: Record<string, unknown>) => ({
  id: UUID,
  shortId: expect.stringMatching(/^[a-z0-9]{6}$/),
  from: "writer",
  path: "agent/researcher",
  command: "message",
  payload: {},
  body: expect.any(String),
  status: "pending",
  timestamp: TIME,
  source: "internal",
  externalId: null,
  // What the document calls pending and delivered, exactly; a dead letter has no delivery that could stand anywhere.
  ...("reason" in fields ? {} : { state: fields.status ?? "queued" }),
  ...fields,
});
export const subscription = (pattern: string) => ({ pattern, addedAt: TIME });

export async function stageWith(
  ...agents: readonly string[]
): Promise<{ stage: BrokerStage; caller: WsCaller }> {
  const stage = await BrokerStage.open();
  await stage.agents(...agents);
  return { stage, caller: await stage.ws() };
}

export const RESEARCHER = { agentId: "researcher" };
export const MONITOR = { agentId: "researcher", sessionId: "slack-monitor" };
export const GENERAL = { pattern: "slack/team/#general" };
export const SLACK = {
  type: "msg.route",
  from: "slack-bridge",
  path: "slack/team/#general",
  command: "new_message",
  payload: {},
  source: "slack",
  externalId: "ts-1234",
};
export const FROM_SLACK = {
  from: "slack-bridge",
  path: "slack/team/#general",
  command: "new_message",
  source: "slack",
  externalId: "ts-1234",
};
