/**
 * Bellhop inside OpenCode's window. Written by "bellhop hooks install opencode" into Bellhop's home and named in
 * tui.json; "bellhop hooks remove opencode" takes both away. It tells Bellhop what happens here, through the script
 * beside it, and takes messages for the conversation that this window shows, through a socket in Bellhop's home that
 * only its owner can open. If Bellhop is gone it does nothing. It never touches what is in the composer, and never
 * answers a question.
 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Door } from "./door.mjs";
import { Reporter, runScript } from "./reporter.mjs";
import { answering } from "./taking.mjs";
import { Watch } from "./watch.mjs";

const LOOK_EVERY_MS = 250;
/** After a turn was stopped: whoever stopped it may have something to say first. */
const GRACE_MS = 3_000;

export default {
  id: "bellhop",
  // This file is in the folder hooks/opencode of Bellhop's home.
  tui: async (api) => {
    start(api, dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
  },
};

/** `home` is Bellhop's; the rest is for tests. */
export function start(api, home, { run = runScript, graceMs = GRACE_MS } = {}) {
  const reporter = new Reporter(home, run);
  const watch = new Watch(api, reporter, graceMs);
  const door = new Door(home, answering(api, watch));
  const look = () => {
    quietly(() => watch.look());
    quietly(() => door.open());
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  const leave = () => door.close();
  const stop = () => {
    clearInterval(timer);
    watch.stop();
    leave();
    process.off("exit", leave);
  };
  timer.unref();
  look();
  api.lifecycle.onDispose(stop);
  process.once("exit", leave);
  return { stop, reported: () => reporter.last };
}

/** Whatever goes wrong here, OpenCode goes on. */
function quietly(act) {
  try {
    act();
  } catch {
    // Nothing of OpenCode's depends on it.
  }
}
