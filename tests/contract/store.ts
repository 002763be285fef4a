import { describe } from "vitest";
import { storedAgents } from "./store-agents.ts";
import { storedDeliveries } from "./store-deliveries.ts";
import { storedMessages } from "./store-messages.ts";
import { storedQueue } from "./store-queue.ts";
import { storedForLater } from "./store-retention.ts";
import { type OpenStore, storeStage } from "./store-stage.ts";
import { storeWriting } from "./store-writing.ts";

/** The contract of every `Store`. */
export function storeContract(name: string, open: OpenStore): void {
  describe(`${name} as a store`, () => {
    const stage = storeStage(open);
    storedMessages(stage);
    storedDeliveries(stage);
    storedQueue(stage);
    storedAgents(stage);
    storedForLater(stage);
    storeWriting(stage);
  });
}
