/** A message that is in flight when the daemon is killed, and the next daemon. */
import { expect } from "vitest";
import type { Step } from "../../src/office/base/steps.ts";
import type { SendResponse } from "../../src/wire/shapes/messages.ts";
import type { SendRequest } from "../../src/wire/verbs/messages.ts";
import type { DeskAgent } from "./agent.ts";
import { type Desk, oneAgent } from "./desk.ts";
import type { DeskProgram } from "./profiles.ts";

export interface Scene {
  readonly desk: Desk;
  readonly coder: DeskAgent;
  readonly sent: SendResponse;
}

/** A message was in flight when the daemon was killed at this step. */
export async function killedAt(
  step: Step,
  program: DeskProgram = "plain",
  more: Partial<SendRequest> = {},
): Promise<Scene> {
  const { desk, coder } = await oneAgent({ program });
  desk.crashAt(step);
  const sent = await desk.send("coder", "hello", more);
  await desk.advance(15_000);
  expect(desk.crashed).toBe(true);
  return { desk, coder, sent };
}

export async function restart(desk: Desk, spooled: Parameters<Desk["open"]>[0] = []): Promise<void> {
  await desk.advance(1_000);
  await desk.open(spooled);
  await desk.advance(20_000);
}
