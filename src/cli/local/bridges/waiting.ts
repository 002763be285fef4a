import { BellhopError } from "../../../core/errors.ts";
import type { ShownBridge } from "../../../wire/shapes/outside.ts";
import type { CommandContext } from "../../context.ts";

const LOOK_MS = 150;
/** The daemon looks at its file every two seconds, and a platform may be slow. */
const UP_WITHIN_MS = 30_000;

/** The daemon reads the file by itself. */
export async function untilUp(context: CommandContext, name: string, since = 0): Promise<ShownBridge> {
  const deadline = context.now() + UP_WITHIN_MS;
  const never = new AbortController().signal;
  for (;;) {
    const { bridges } = await context.ask("bridges", {});
    // What it was before does not count.
    const found = bridges.find((one) => one.name === name && one.since >= since);
    if (found?.state === "up") return found;
    if (found?.stuck === true)
      throw new BellhopError("bridge.refused", {
        message: `${name} is configured, but the daemon cannot connect: ${found.error ?? "no reason is known"}`,
        next: `See "bellhop bridge status". To take it back: bellhop bridge remove ${name}`,
      });
    if (context.now() > deadline)
      throw new BellhopError("wait.timed_out", {
        message: `${name} is configured, but the daemon has not connected yet${found?.error === undefined ? "" : ` (${found.error})`}.`,
        next: 'It keeps trying. See "bellhop bridge status".',
      });
    await context.pause(LOOK_MS, never);
  }
}
