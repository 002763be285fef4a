import { afterEach, expect, it } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";

/** As the sealer writes them; nobody has it. */
const KEY = `bh1${"A".repeat(43)}`;
const CONFIG = `cluster:
  nats: "nats://127.0.0.1:1"
  host: laptop
  hosts: { desk: { key: ${KEY}, rights: [send] } }
`;

let bellhop: Bellhop | undefined;
afterEach(() => bellhop?.dispose());

it("a message for another host waits, even if it is the first thing that a daemon hears", async () => {
  bellhop = new Bellhop({ config: CONFIG });
  const starting = bellhop.start();
  const { messageId, unmatched } = await firstAnswer(bellhop);
  await starting;
  expect(unmatched).toBe(false);
  const { deliveries } = await bellhop.ask("show", { id: messageId });
  expect(deliveries).toMatchObject([{ to: "host/desk", state: "queued" }]);
});

/** Asks again and again, so that it comes before anything else. */
async function firstAnswer(daemon: Bellhop) {
  const claims = { user: "dev" };
  for (;;) {
    const client = await daemon.client().catch(() => undefined);
    if (client !== undefined)
      return client.call("route", { path: "agent/coder@desk", body: "hello", claims });
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
