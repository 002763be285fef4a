/** What each further listener of a message costs, without a peer. */
import { BellhopCarriers } from "../rig/peers/bellhop.ts";
import { type Carrier, flood } from "../rig/peers/carrier.ts";
import { type Arm, duels, growing, sizesFor } from "../rounds.ts";
import type { Extent, Row } from "../row.ts";

const group = "listeners";
/** The numbers of listeners, and how many messages one sample has. */
const FAN_OUTS: Record<Extent, readonly (readonly [listeners: number, messages: number])[]> = {
  smoke: [
    [1, 2],
    [2, 2],
  ],
  quick: [
    [1, 1_000],
    [10, 300],
    [100, 60],
  ],
  full: [
    [1, 2_000],
    [10, 600],
    [100, 100],
  ],
};

export async function listenersRows(extent: Extent): Promise<readonly Row[]> {
  const bellhop = await BellhopCarriers.start();
  const arms = (carrier: Carrier) =>
    Promise.all(
      FAN_OUTS[extent].map(async ([listeners, messages]) => {
        const fanOut = await carrier.open(listeners);
        const sample = async () => (listeners * 1_000_000) / (await flood(fanOut, messages));
        const arm: Arm = { what: `${listeners} listeners`, sample };
        return [listeners, arm] as const;
      }),
    );
  const growth = { group, axis: "listeners", unit: "µs" } as const;
  try {
    return await duels(
      [
        ...growing({ ...growth, work: "publish → push to all", arms: await arms(bellhop.mailbox) }),
        ...growing({
          ...growth,
          work: "the same, with an agent for each",
          arms: await arms(bellhop.agents),
        }),
      ],
      sizesFor(extent, {
        quick: { rounds: 5, samplesPerRound: 1 },
        full: { rounds: 15, samplesPerRound: 1 },
      }),
    );
  } finally {
    await bellhop.close();
  }
}
