import { expect, it } from "vitest";
import { BellhopError } from "../core/errors.ts";
import type { BrokerMessage } from "../wire/shapes/broker.ts";
import type { Line } from "./line.ts";
import { listenPatiently } from "./listen.ts";

const away = () =>
  new BellhopError("daemon.unreachable", { message: "The daemon closed the connection.", next: "Wait." });

/** A daemon that drops its listener after `heldMs` each time, except the last, when it sends a message. */
function restarting(heldMs: number, times: number) {
  let now = 0;
  let left = times;
  const line: Pick<Line, "listen"> = {
    async listen(_request, ear) {
      left -= 1;
      // Once the listener has it.
      setImmediate(() => {
        now += heldMs;
        if (left >= 0) ear.over(away());
        else ear.hear({ body: "hello" } as BrokerMessage);
      });
      return { agentSince: undefined, close() {}, pause() {}, resume() {} };
    },
  };
  const patience = {
    patienceMs: 2_000,
    now: () => now,
    async pause(ms: number) {
      now += ms;
    },
  };
  return listenPatiently(line as Line, { agent: "coder" }, {}, patience, new AbortController().signal);
}

it("comes back to a daemon that was there for longer than it is waited for", async () => {
  const next = await restarting(4_000, 3).next();
  expect(next).toMatchObject({ value: { body: "hello" } });
});

it("gives up on one that breaks off each time, once its patience is over", async () => {
  await expect(restarting(10, 1_000).next()).rejects.toMatchObject({ code: "daemon.unreachable" });
});
