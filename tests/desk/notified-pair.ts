/** An agent that sends messages and asks for notices, and their recipient. */
import type { DeliveryState } from "../../src/core/message.ts";
import type { Item } from "../../src/ports/store.ts";
import type { DeskAgent } from "./agent.ts";
import { type Desk, openDesk } from "./desk.ts";
import type { DeskProgram } from "./profiles.ts";

export const onDelivery = { notifyOnDelivery: true } as const;
export const after = { notifyAfterMs: 300_000 } as const;

interface Pair {
  readonly desk: Desk;
  /** Gets the messages. */
  readonly coder: DeskAgent;
  /** Sends, and asks for notices. */
  readonly tester: DeskAgent;
}

export async function pair(program: DeskProgram = "stashing"): Promise<Pair> {
  const desk = await openDesk();
  const coder = desk.agent("coder");
  const tester = desk.agent("tester", { program });
  await desk.ready();
  return { desk, coder, tester };
}

/** Every message from Bellhop itself, oldest first. */
export function notices(desk: Desk): readonly Item[] {
  return desk.store.read.deliveries({}).filter(({ message }) => message.source === "bellhop");
}

export function said(desk: Desk): readonly (readonly [command: string, to: string, state: DeliveryState])[] {
  return notices(desk).map(({ message, delivery }) => [message.command ?? "", delivery.to, delivery.state]);
}

/** What was typed into a program, without our header. */
export function typedInto({ program }: DeskAgent): readonly string[] {
  return program.submitted.map((prompt) => prompt.replace(/^\[message from: bellhop #\w{6}\] /u, ""));
}
