import { AUTO_RUN_KEYS, type AutoRunSettingKey } from "../../../config/auto-run-settings.ts";
import { present } from "../../../core/present.ts";
import { nearest } from "../../../core/text/nearest.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { AutoRunWords } from "../../../core/turns/auto-run.ts";
import type { ShownAutoRun } from "../../../wire/shapes/turns.ts";
import { type Arguments, type Command, usage } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { printAutoRun } from "../../printing/turns.ts";
import { sessionOption } from "./turns.ts";

const ACTS = ["on", "off", "show", "reset"] as const;
type Act = (typeof ACTS)[number];

export const autoRun: Command = {
  name: "auto-run",
  summary: "let an agent take turns by itself when messages come, and say how",
  usage: ["agent auto-run NAME on|off|show|reset [--session SESSION] [--set KEY=VALUE]…"],
  options: {
    session: sessionOption,
    set: {
      kind: "value",
      value: "KEY=VALUE",
      repeatable: "yes",
      summary: `with on or off: ${AUTO_RUN_KEYS.filter((key) => key !== "enabled").join(", ")}`,
    },
  },
  words: { least: 2, most: 2 },
  examples: [
    { command: "bellhop agent auto-run night on", does: "from the next message on" },
    {
      command: 'bellhop agent auto-run night on --set cwd=/srv/shop --set "role=You look after the shop."',
      does: "where it works, and as what; what was said before stays",
    },
    { command: "bellhop agent auto-run night show", does: "what counts, and who said it" },
    { command: "bellhop agent auto-run night off --session slack", does: "not in this session" },
    { command: "bellhop agent auto-run night reset", does: "only config.yaml counts again" },
  ],
  run: async (context, args) => {
    const [agent = "", word = ""] = args.words;
    const act = readAct(word);
    const sets = await readSets(args, act);
    const whose = { agent, ...present({ session: args.value("session") }) };
    const shown = await carryOut(context, whose, act, sets);
    context.out.result(shown, () => {
      if (act !== "show") context.out.line(said(whose, shown));
      printAutoRun(context.out, shown);
    });
  },
};

interface OfWhom {
  readonly agent: string;
  readonly session?: string;
}

async function carryOut(
  { ask }: CommandContext,
  whose: OfWhom,
  act: Act,
  sets: AutoRunWords,
): Promise<ShownAutoRun> {
  if (act === "show") return ask("auto_run_show", whose);
  if (act === "reset") return ask("auto_run_set", { ...whose, autoRun: null });
  return ask("auto_run_set", { ...whose, autoRun: { enabled: act === "on", ...sets } });
}

function readAct(word: string): Act {
  const act = ACTS.find((one) => one === word);
  if (act !== undefined) return act;
  const near = nearest(word, ACTS);
  throw usage(
    `"${sanitiseLine(word, 64)}" is none of ${ACTS.join(", ")}.`,
    near === undefined ? "Write: bellhop agent auto-run NAME on" : `Did you mean "${near}"?`,
  );
}

async function readSets(args: Arguments, act: Act): Promise<AutoRunWords> {
  const given = args.values("set");
  if (given.length > 0 && act !== "on" && act !== "off")
    throw usage(`--set does not go with "${act}".`, "Write: bellhop agent auto-run NAME on --set KEY=VALUE");
  return Object.assign({}, ...(await Promise.all(given.map(readSet)))) as AutoRunWords;
}

async function readSet(text: string): Promise<AutoRunWords> {
  const at = text.indexOf("=");
  const name = at === -1 ? text : text.slice(0, at);
  const key = AUTO_RUN_KEYS.find((one) => one === name && one !== "enabled");
  if (key !== undefined && at !== -1) {
    const { parseAutoRunValue } = await import("../../../config/auto-run.ts");
    return parseAutoRunValue(key, text.slice(at + 1));
  }
  if (key !== undefined) throw usage(`--set ${key} has no value.`, `Write --set ${key}=VALUE.`);
  throw usage(`There is no setting "${sanitiseLine(name, 64)}".`, advice(name));
}

function advice(name: string): string {
  const known: readonly AutoRunSettingKey[] = AUTO_RUN_KEYS.filter((key) => key !== "enabled");
  const near = nearest(name, known);
  return near === undefined ? `Use one of: ${known.join(", ")}.` : `Did you mean "${near}"?`;
}

function said({ agent, session }: OfWhom, { values }: ShownAutoRun): string {
  const who = session === undefined ? agent : `session ${session} of ${agent}`;
  return `${sanitiseLine(who)} ${values.enabled === true ? "takes" : "does not take"} turns by itself`;
}
