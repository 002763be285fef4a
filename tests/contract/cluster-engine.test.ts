import { natsEngine } from "../../src/cluster/engine.ts";
import { systemClock } from "../../src/system/clock.ts";
import { MemoryEngines } from "../desk/memory-engines.ts";
import { Nats } from "../rig/nats.ts";
import { describeEngine } from "./cluster-engine.ts";

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

describeEngine("the engine in memory", async () => {
  const hub = new MemoryEngines(systemClock);
  return {
    engine: (host, clock) => hub.engine(host, clock),
    stop: async () => hub.goDown(),
    start: async () => hub.comeUp(),
    close: async () => {},
  };
});

describeEngine("the engine on NATS", async () => {
  const nats = await Nats.start();
  return {
    engine: (host, clock) => natsEngine({ servers: nats.urls, host, stream: "bellhop", clock, log: quiet }),
    stop: () => nats.stop(),
    start: () => nats.restart(),
    close: () => nats.end(),
  };
});
