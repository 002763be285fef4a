/** One who writes and one who listens by WebSocket. */
import type { BrokerMessage } from "../../src/wire/shapes/broker.ts";
import type { WsCaller } from "./broker-callers.ts";
import { BrokerStage } from "./broker-stage.ts";

export const LISTEN = { type: "msg.listen", agentId: "reader" };
export const CONSUME = { ...LISTEN, consume: true };

export async function readerStage(options: Parameters<typeof BrokerStage.open>[0] = {}) {
  const stage = await BrokerStage.open(options);
  await stage.agents("writer", "reader");
  return { stage, writer: await stage.ws() };
}

/** Sends them one after the other; their commands are their numbers. */
export async function send(writer: WsCaller, count: number, more: object = {}): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const frame = { type: "msg.send", from: "writer", to: "reader", command: `${number}`, ...more };
    ids.push(String((await writer.ask(frame)).messageId));
  }
  return ids;
}

export async function hear(caller: WsCaller, count: number): Promise<readonly BrokerMessage[]> {
  const heard: BrokerMessage[] = [];
  while (heard.length < count) heard.push(await caller.heard());
  return heard;
}

export const commands = (messages: readonly BrokerMessage[]) => messages.map(({ command }) => command);

export function stateOf(stage: BrokerStage, id: string | undefined): string | undefined {
  return stage.store.read.deliveriesOf(id ?? "")[0]?.state;
}
