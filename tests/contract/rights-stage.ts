/** A real office with two agents, in which one of them wants what is not its own. */
import { expect } from "vitest";
import { BrokerStage } from "./broker-stage.ts";

export const MISSING = {
  code: "rights.missing",
  message: expect.any(String),
  // To strangers outside the owner writes themselves: that needs no right.
  next: expect.stringMatching(/rights: \{|they can write there themselves/u),
};

/** Two agents, each with a session; something waits for one, and for the person. */
export async function stageOfTwo() {
  const stage = await BrokerStage.open();
  await stage.agents("coder", "api");
  const { sessionId: coder } = await stage.use.session_add({ agent: "coder", name: "s" });
  const { sessionId: api } = await stage.use.session_add({ agent: "api", name: "s" });
  const stored = stage.store.read.session(api);
  if (stored === undefined) throw new Error("api has no session");
  const talking = { ...stored, program: REPORT.program, programSessionId: REPORT.payload.session_id };
  await stage.store.write((tx) => tx.putSession(talking));
  const owner = { user: "dev" };
  const others = await stage.use.send({ to: "api", body: "a secret", claims: owner });
  const persons = await stage.use.send({ to: "person/dev", body: "for you", claims: owner });
  const reminder = await stage.use.remind({ to: "api", text: "later", afterMs: 3_600_000, claims: owner });
  return {
    stage,
    sessions: { coder, api },
    ids: { others: others.messageId, persons: persons.messageId, reminder: reminder.id, session: api },
  };
}

/** As a hook reports the end of a turn in api's conversation. */
export const REPORT = { program: "claude", payload: { session_id: "talk-of-api" } };
