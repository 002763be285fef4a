/** Carries out `bellhop bridge add`: asks, tries, and only then writes. Loaded on demand. */
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { stringify } from "yaml";
import { introducedAs, type MakersParts, madeBridge } from "../../../bridges/makers.ts";
import type { BridgeDefinitions, SecretSource } from "../../../config/bridges.ts";
import { loadConfig, parseConfig } from "../../../config/config.ts";
import { withAdded } from "../../../config/editing.ts";
import type { ConfigValues } from "../../../config/schema.ts";
import { editedConfig } from "../../../config/writing.ts";
import { BellhopError } from "../../../core/errors.ts";
import { INTRODUCTION_NUMBERS, introduction } from "../../../core/outside/introduction.ts";
import type { BridgeName } from "../../../core/outside/places.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import { type Home, openHome } from "../../../home/home.ts";
import { systemClock } from "../../../system/clock.ts";
import { type Arguments, usage } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { requireOwner } from "../owner-only.ts";
import { type Answered, type Asking, untilAccepted } from "./answering.ts";
import { canAsk, cancelled, confirm } from "./prompting.ts";
import { type Recipe, recipeOf } from "./recipes.ts";
import { replaceSecret } from "./replacing.ts";
import { Trial } from "./trial.ts";
import { untilUp } from "./waiting.ts";
import { type Written, writeAll } from "./writing.ts";

const QUIET = { info: () => {}, warn: () => {}, error: () => {} };

export async function addBridge(context: CommandContext, args: Arguments): Promise<undefined> {
  await requireOwner(context, "add a bridge");
  const recipe = recipeOf(args.words[0] ?? "");
  if (recipe === undefined) throw usage("There is no such bridge.", 'See "bellhop bridge add --help".');
  const asking: Asking = canAsk() && !context.out.json ? "at-terminal" : "never";
  const home = openHome(context.env, { create: true });
  const signal = context.interrupted();
  const { bridges } = loadConfig(home.config).values;
  const definition = bridges[recipe.name];
  const mayReplace = asking === "at-terminal" || args.flag("yes");
  if (definition !== undefined && mayReplace && hasOne(recipe, bridges, args.value("service"))) {
    const parts = (secrets: ReadonlyMap<string, string>) => makersParts(home, { answers: {}, secrets });
    await replaceSecret(context, args, recipe, definition, { asking, home, signal, parts });
    return;
  }
  refuseSecond(recipe, bridges);
  if (asking === "at-terminal") for (const line of recipe.before) context.out.note(line);
  const { answered, channel } = await untilAccepted(context, args, recipe, asking, async (answered) => {
    refuseSecond(recipe, loadConfig(home.config).values.bridges, answered.answers.service);
    const channel = await tried(context, args, recipe, answered, { asking, home, signal });
    return { answered, channel };
  });
  const written = writtenOf(recipe, answered, channel);
  editedConfig(home.config, written);
  if (asking === "at-terminal" && !args.flag("yes")) await agree(context, home, written);
  if (signal.aborted) throw cancelled();
  writeAll(home, written);
  await tell(context, recipe, home, written, { channel, answers: answered.answers });
}

/** A webhook has several services. */
function hasOne({ name }: Recipe, bridges: BridgeDefinitions, service: string | undefined): boolean {
  return name === "webhook"
    ? bridges.webhook?.services.some((one) => one.name === service) === true
    : bridges[name] !== undefined;
}

function refuseSecond(recipe: Recipe, bridges: BridgeDefinitions, service?: string): void {
  if (!hasOne(recipe, bridges, service)) return;
  const { name } = recipe;
  const what = service === undefined ? name : `The webhook of ${sanitiseLine(service)}`;
  throw new BellhopError("bridge.exists", {
    message: `${what} is configured already.`,
    next: `See how it is: bellhop bridge status. To give it a new secret: bellhop bridge add ${name} --yes, with the secret. To start anew: bellhop bridge remove ${name}`,
  });
}

interface Trying {
  readonly asking: Asking;
  readonly home: Home;
  readonly signal: AbortSignal;
}

/** The person's own channel, once the platform has accepted what was answered. */
async function tried(
  context: CommandContext,
  args: Arguments,
  recipe: Recipe,
  answered: Answered,
  { asking, home, signal }: Trying,
): Promise<string | undefined> {
  const { out } = context;
  const candidate = editedConfig(home.config, writtenOf(recipe, answered, undefined));
  const { values } = parseConfig(candidate, home.config);
  const isOpen = loadConfig(home.config).values.bridges[recipe.name] !== undefined;
  const definition = definitionToTry(recipe.name, values, isOpen ? answered.answers.service : undefined);
  const given = answered.answers.person ?? args.value("person");
  const known = given === undefined ? undefined : channelOf(recipe, given, answered);
  const parts = makersParts(home, answered);
  out.progress(`Asking ${recipe.name}…`);
  const asked = async () => ({
    bot: (await introducedAs(recipe.name, definition, parts))?.bot,
    bridge: await madeBridge(recipe.name, definition, parts),
  });
  const { bot, bridge } = await asked().catch((error: unknown) => {
    out.progress("");
    throw error;
  });
  const trial = new Trial(bridge, context, signal);
  try {
    await trial.connect().finally(() => out.progress(""));
    if (asking === "at-terminal")
      out.note(`✓ ${recipe.name} accepts it${bot === undefined ? "" : `: ${bot}`}.`);
    if (known !== undefined || recipe.person === undefined) return known;
    return await learned(context, recipe, trial, asking, bot, answered);
  } finally {
    await trial.close();
  }
}

/** Of webhooks, only a new service, and on any port: the daemon has theirs. */
function definitionToTry<Name extends BridgeName>(
  name: Name,
  { bridges }: ConfigValues,
  service: string | undefined,
): NonNullable<BridgeDefinitions[Name]> {
  const definition = bridges[name];
  if (definition === undefined) throw new Error("the section that was added is not there");
  if (service === undefined || bridges.webhook === undefined) return definition;
  const services = bridges.webhook.services.filter((one) => one.name === service);
  return { ...definition, port: 0, services };
}

async function learned(
  { out }: CommandContext,
  { name, person }: Recipe,
  trial: Trial,
  asking: Asking,
  bot: string | undefined,
  answered: Answered,
): Promise<string | undefined> {
  if (asking === "never" || person === undefined)
    throw usage(
      `"bellhop bridge add ${name}" needs --person: who you are there.`,
      "At a terminal it finds out by itself.",
    );
  if (person.learn === undefined) {
    const { askLine } = await import("./prompting.ts");
    return channelOf({ name, person }, await askLine(person.ask), answered);
  }
  const code = introduction(randomInt(INTRODUCTION_NUMBERS.least, INTRODUCTION_NUMBERS.most));
  for (const line of person.learn(code, bot)) out.note(line);
  const writer = await trial.writerOf(code);
  if (writer === undefined)
    throw new BellhopError("wait.timed_out", {
      message: "Nobody wrote the code. Nothing was written.",
      next: `Try again, or name yourself: bellhop bridge add ${name} --person ID`,
    });
  out.note(`✓ You are ${sanitiseLine(writer)}.`);
  return writer;
}

function channelOf(
  { name, person }: Pick<Recipe, "name" | "person">,
  id: string,
  { answers }: Answered,
): string {
  const channel = person?.channel(id.trim(), answers);
  if (channel !== undefined) return channel;
  throw usage(
    `"${sanitiseLine(id, 64)}" is nobody's id in ${name}.`,
    `What it must be: ${(person?.ask ?? "none").toLowerCase()}.`,
  );
}

function makersParts(home: Home, { secrets }: Answered): MakersParts {
  return {
    clock: systemClock,
    log: QUIET,
    secret: (source: SecretSource) => {
      const secret = source.kind === "file" ? secrets.get(source.path) : undefined;
      if (secret !== undefined) return secret;
      throw new Error("it belongs to another service");
    },
    file: (path) => readFileSync(resolve(home.root, path), "utf8"),
  };
}

function writtenOf(recipe: Recipe, { answers, secrets }: Answered, channel: string | undefined): Written {
  const { path, value } = recipe.entry(answers);
  const lines = stringify(path.reduceRight((inner, key) => ({ [key]: inner }), value));
  return {
    secrets,
    edit: (text) => {
      const edited = withAdded(text, path, value);
      if (edited === undefined || channel === undefined) return edited;
      const { channels } = parseConfig(edited, "config.yaml").values.person;
      return channels.includes(channel) ? edited : withAdded(edited, ["person", "channels"], [channel]);
    },
    byHand: `Add this yourself, with the secrets in files of mode 600:\n${lines}${channel === undefined ? "" : stringify({ person: { channels: [channel] } })}`,
  };
}

async function agree({ out }: CommandContext, home: Home, { secrets }: Written): Promise<void> {
  out.note(`This will be written: the section in ${home.config} (the rest of it stays as it is)`);
  for (const path of secrets.keys())
    out.note(`  and the secret in ${resolve(home.root, path)} (only you can read it)`);
  if (!(await confirm("Write it?"))) throw cancelled();
}

async function tell(
  context: CommandContext,
  { name, next }: Recipe,
  home: Home,
  { secrets }: Written,
  { channel, answers }: { readonly channel: string | undefined; readonly answers: Answered["answers"] },
): Promise<void> {
  const { out } = context;
  out.progress("Waiting for the daemon to connect…");
  const bridge = await untilUp(context, name).finally(() => out.progress(""));
  const files = [...secrets.keys()].map((path) => resolve(home.root, path));
  out.result({ bridge, channel: channel ?? null, config: home.config, secrets: files }, () => {
    out.line(`✓ ${name} is connected${channel === undefined ? "" : `; you are ${sanitiseLine(channel)}`}.`);
    if (channel !== undefined) out.line(`  Try it: bellhop bridge test ${name}`);
    if (next !== undefined) out.line(`  ${sanitiseLine(next(answers))}`);
  });
}
