/** A new secret for a bridge that is configured: checked with the platform, then written over it. */
import { join, resolve } from "node:path";
import { introducedAs, type MakersParts, madeBridge } from "../../../bridges/makers.ts";
import type { BridgeDefinitions, SecretSource } from "../../../config/bridges.ts";
import { replaceConfig } from "../../../config/writing.ts";
import { BellhopError } from "../../../core/errors.ts";
import type { BridgeName } from "../../../core/outside/places.ts";
import type { Home } from "../../../home/home.ts";
import type { Arguments } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { type Asking, untilAccepted } from "./answering.ts";
import { cancelled, confirm } from "./prompting.ts";
import type { Recipe } from "./recipes.ts";
import { secretsMadeFor } from "./removing.ts";
import { Trial } from "./trial.ts";
import { untilUp } from "./waiting.ts";

export interface Replacing {
  readonly asking: Asking;
  readonly home: Home;
  readonly signal: AbortSignal;
  parts(secrets: ReadonlyMap<string, string>): MakersParts;
}

export async function replaceSecret<Name extends BridgeName>(
  context: CommandContext,
  args: Arguments,
  recipe: Recipe,
  definition: NonNullable<BridgeDefinitions[Name]>,
  { asking, home, signal, parts }: Replacing,
): Promise<void> {
  const { out } = context;
  const { name } = recipe;
  if (asking === "at-terminal" && !args.flag("yes")) {
    out.note(`${name} is configured already.`);
    if (!(await confirm("Give it a new secret?"))) throw cancelled();
  }
  const questions = recipe.questions.filter(
    ({ secret, name: one }) => secret !== undefined || one === "service",
  );
  const secrets = await untilAccepted(context, args, { ...recipe, questions }, asking, async (answered) => {
    refuseElsewhere(name, definition, [...answered.secrets.keys()]);
    out.progress(`Asking ${name}…`);
    await checked(context, name, definition, parts(answered.secrets), signal).finally(() => out.progress(""));
    return answered.secrets;
  });
  if (signal.aborted) throw cancelled();
  const since = context.now();
  for (const [path, secret] of secrets) replaceConfig(join(home.root, path), `${secret}\n`);
  out.progress("Waiting for the daemon to connect…");
  const bridge = await untilUp(context, name, since).finally(() => out.progress(""));
  const files = [...secrets.keys()].map((path) => resolve(home.root, path));
  out.result({ bridge, channel: null, config: home.config, secrets: files, replaced: true }, () =>
    out.line(`✓ ${name} has a new secret, and is connected.`),
  );
}

/** The daemon may have the bridge open: what waits at the platform is its business alone. */
async function checked<Name extends BridgeName>(
  context: CommandContext,
  name: Name,
  definition: NonNullable<BridgeDefinitions[Name]>,
  parts: MakersParts,
  signal: AbortSignal,
): Promise<void> {
  if ((await introducedAs(name, definition, parts)) !== undefined) return;
  const trial = new Trial(await madeBridge(name, onAnyPort(definition), parts), context, signal);
  try {
    await trial.connect();
  } finally {
    await trial.close();
  }
}

/** The daemon has the port of webhooks. */
function onAnyPort<Definition extends object>(definition: Definition): Definition {
  return "services" in definition ? { ...definition, port: 0 } : definition;
}

/** What its owner keeps elsewhere is theirs to write. */
function refuseElsewhere(name: BridgeName, definition: unknown, paths: readonly string[]): void {
  const ours = secretsMadeFor(name, definition);
  if (paths.length > 0 && paths.every((path) => ours.includes(path))) return;
  const places = sourcesIn(definition).map((one) =>
    one.kind === "file" ? one.path : `the variable ${one.name}`,
  );
  throw new BellhopError("bridge.exists", {
    message:
      places.length === 0
        ? `${name} is configured already, and has no secret.`
        : `The secret of ${name} is not in a file that Bellhop made: ${[...new Set(places)].join(", ")}.`,
    next:
      places.length === 0
        ? `See how it is: bellhop bridge status. To start anew: bellhop bridge remove ${name}`
        : "Write the new one there. A file is read again by itself; for a variable, start the daemon again.",
  });
}

function sourcesIn(definition: unknown): readonly SecretSource[] {
  if (typeof definition !== "object" || definition === null) return [];
  const { kind } = definition as { readonly kind?: unknown };
  if (kind === "file" || kind === "environment") return [definition as SecretSource];
  return Object.values(definition).flatMap(sourcesIn);
}
