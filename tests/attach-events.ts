/** What happens to an attached person, as events of the attachment. */
import type { Event } from "../src/attach/attachment-state.ts";
import type { HostState } from "../src/wire/host/host.ts";
import type { ShownComposer } from "../src/wire/shapes/sessions.ts";

export const idleHost: HostState = { viewers: 1, passthrough: null, exit: null, title: "" };
let keys = 0;
export const around = (now = 1_000) => ({
  now,
  prefix: 0x1c,
  prefixName: "C-\\",
  newKey: () => {
    keys += 1;
    return `key-${keys}`;
  },
});

export const key = (name: string): Event => ({ kind: "key", key: { kind: "key", name } });
export const text = (typed: string): Event => ({ kind: "key", key: { kind: "text", text: typed } });
export const prefix: Event = { kind: "prefix" };
export const state = (change: Partial<HostState>): Event => ({
  kind: "told",
  told: { type: "state", viewer: 1, state: { ...idleHost, ...change } },
});
export const reads = (composer?: ShownComposer): Event => ({
  kind: "daemon",
  daemon: {
    at: "there",
    session: {
      agent: "coder",
      readiness: "idle",
      paused: false,
      deliveries: [],
      drafts: [],
      ...(composer === undefined ? {} : { composer }),
    },
  },
});
export const QUEUED: Event = { kind: "queued", words: "queued #a1b2c3", shortId: "a1b2c3" };
