/** Carries out `bellhop bridge remove`. Loaded on demand. */
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { loadConfig } from "../../../config/config.ts";
import { withoutEntry, withoutItems } from "../../../config/editing.ts";
import { BellhopError } from "../../../core/errors.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import { type Arguments, usage } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { requireOwner } from "../owner-only.ts";
import { canAsk, cancelled as cancelledByPerson, confirm } from "./prompting.ts";
import { notConfigured } from "./unknown.ts";
import { writeAll } from "./writing.ts";

const LOOK_MS = 100;
const ANSWERS_WITHIN_MS = 10_000;
/** The daemon looks at its file every two seconds. */
const CLOSED_WITHIN_MS = 15_000;

export async function removeBridge(context: CommandContext, args: Arguments): Promise<undefined> {
  const [name = ""] = args.words;
  await requireOwner(context, "remove a bridge");
  const home = context.home();
  const { bridges, person } = loadConfig(home.config).values;
  const definition = Object.entries(bridges).find(([one]) => one === name)?.[1];
  if (definition === undefined) throw notConfigured(name, Object.keys(bridges));
  const isTheirs = (channel: string): boolean => channel.startsWith(`${name}/`);
  const channels = person.channels.filter(isTheirs);
  const waiting = await waitingFor(context, name);
  if (waiting !== 0 && !args.flag("yes")) await agree(context, name, waiting);
  writeAll(home, {
    secrets: new Map(),
    edit: (text) => {
      const less = withoutEntry(text, ["bridges", name]);
      return less === undefined ? undefined : withoutItems(less, ["person", "channels"], isTheirs);
    },
    byHand: `Remove the section "${name}" of bridges yourself, and from person.channels what begins with ${name}/.`,
  });
  const secrets = secretsMadeFor(name, definition).map((path) => resolve(home.root, path));
  for (const file of secrets) rmSync(file, { force: true });
  const cancelled = waiting === 0 ? 0 : await cancelWaiting(context, name);
  context.out.result({ removed: name, config: home.config, channels, secrets, cancelled }, () => {
    const { out } = context;
    out.line(`Removed: the section of ${name} in ${home.config}`);
    for (const channel of channels) out.line(`Removed: your channel ${sanitiseLine(channel)}`);
    for (const file of secrets) out.line(`Removed: the secret in ${file}`);
    if (cancelled > 0) out.line(`Cancelled: ${counted(cancelled)} that waited to go out through ${name}`);
  });
}

/** A daemon that does not run is not started for this: it would open the bridge, and say what waits. */
async function waitingFor(context: CommandContext, name: string): Promise<number | "unknown"> {
  const client = await context.reach("never").catch((error: unknown) => {
    if (error instanceof BellhopError && error.code === "daemon.not_running") return undefined;
    throw error;
  });
  if (client === undefined) return "unknown";
  const { deliveries } = await client.call("queue", {}, { timeoutMs: ANSWERS_WITHIN_MS });
  return deliveries.filter(({ to }) => to === `bridge/${name}`).length;
}

/** Whatever bot is added next would say them. */
async function agree({ out }: CommandContext, name: string, waiting: number | "unknown"): Promise<void> {
  const [wait, them, see] =
    waiting === "unknown"
      ? [
          `The daemon is not running: it is not known whether messages wait to go out through ${name}`,
          "whatever waits",
          "Starting it would open the bridge, and say what waits.",
        ]
      : [
          `${counted(waiting)} ${waiting === 1 ? "waits" : "wait"} to go out through ${name}`,
          "them",
          "See them: bellhop queue.",
        ];
  if (!canAsk() || out.json)
    throw usage(
      `${wait}. Nothing was removed.`,
      `${see} To cancel ${them}: bellhop bridge remove ${name} --yes`,
    );
  out.note(`${wait}.`);
  if (!(await confirm(`Cancel ${them}, and remove the bridge?`))) throw cancelledByPerson();
}

/** Once the daemon has closed it: what is said until then would wait again. */
async function cancelWaiting(context: CommandContext, name: string): Promise<number> {
  const deadline = context.now() + CLOSED_WITHIN_MS;
  const never = new AbortController().signal;
  const isOpen = async () => (await context.ask("bridges", {})).bridges.some((one) => one.name === name);
  while ((await isOpen()) && context.now() < deadline) await context.pause(LOOK_MS, never);
  const why = `the bridge to ${name} was removed before it could go out`;
  const { deliveries } = await context.ask("queue_clear", { who: `bridge/${name}`, why });
  return deliveries.length;
}

function counted(messages: number): string {
  return messages === 1 ? "1 message" : `${messages} messages`;
}

/** Files elsewhere are their owner's. */
export function secretsMadeFor(name: string, definition: unknown): readonly string[] {
  if (typeof definition !== "object" || definition === null) return [];
  const { kind, path } = definition as { readonly kind?: unknown; readonly path?: unknown };
  if (kind === "file" && typeof path === "string")
    return new RegExp(`^secrets/${name}-[a-z0-9._-]+$`).test(path) ? [path] : [];
  return [...new Set(Object.values(definition).flatMap((part) => secretsMadeFor(name, part)))];
}
