/** Automatic turns, and what was said of them, for people. */
import { AUTO_RUN_KEYS, AUTO_RUN_SETTINGS } from "../../config/auto-run-settings.ts";
import type { Instant } from "../../core/message.ts";
import { sanitiseLine, sanitiseText } from "../../core/text/sanitise.ts";
import type { AutoRunWords } from "../../core/turns/auto-run.ts";
import { ruleShown, type TurnRule } from "../../core/turns/rules.ts";
import type {
  ConversationEntry,
  ShownAutoRun,
  ShownBudget,
  ShownTurn,
  TurnsResponse,
} from "../../wire/shapes/turns.ts";
import { age, dateAndMinute, dateAndTime, until } from "./moments.ts";
import type { Output } from "./output.ts";
import { PREVIEW_CHARACTERS, printPairs, printTable } from "./table.ts";

export function printTurns(out: Output, { switch: turned, ...found }: TurnsResponse, now: Instant): void {
  const { off, since, by } = turned;
  const when = since === undefined ? "" : ` since ${dateAndMinute(since)}`;
  const who = by === undefined ? "" : `, by ${sanitiseLine(by)}`;
  if (off) out.line(out.paint("yellow", `No turn starts${when}${who}. Let them: bellhop turns start`));
  if (found.turns.length === 0) out.line("No turns yet.");
  else printTurnTable(out, found.turns, now);
  if (found.budgets.length > 0) {
    out.line("");
    printTable(out, found.budgets, {
      AGENT: ({ agent }) => agent,
      "THIS HOUR": ({ turnsThisHour, turnsPerHour }) => `${turnsThisHour} of ${turnsPerHour} turns`,
      TODAY: ({ turnsToday, turnsPerDay }) => `${turnsToday} of ${turnsPerDay} turns`,
      COST: ({ usdToday, usdPerDay }) => `${dollars(usdToday)} of ${dollars(usdPerDay)}`,
      "": (budget) => spent(budget, now),
    });
  }
  for (const { agent, messages, release } of found.waiting) {
    const many = `${messages} ${messages === 1 ? "message waits" : "messages wait"}`;
    out.line(sanitiseLine(`${agent}: ${many}; ${release}`));
  }
}

function printTurnTable(out: Output, turns: readonly ShownTurn[], now: Instant): void {
  printTable(out, turns, {
    ID: ({ id }) => id,
    AGENT: ({ agent }) => agent,
    SESSION: ({ sessionId }) => sessionId,
    STATE: stateOf,
    TRIAGE: verdictOf,
    STARTED: ({ startedAt }) => `${age(startedAt, now)} ago`,
    COST: costOf,
    "": ({ doing, error, answer, because }) =>
      sanitiseLine(doing ?? error ?? answer ?? because ?? "", PREVIEW_CHARACTERS),
  });
}

export function printTurn(out: Output, turn: ShownTurn): void {
  const { messages, startedAt, endedAt, tokensIn, tokensOut } = turn;
  const tokens = [
    tokensIn === undefined ? "" : `${tokensIn} in`,
    tokensOut === undefined ? "" : `${tokensOut} out`,
  ];
  printPairs(out, [
    ["turn", turn.id],
    ["agent", `${turn.agent} (session ${turn.sessionId})`],
    ["state", stateOf(turn)],
    ["doing", turn.doing],
    ["triage", given(verdictOf(turn))],
    ["because", turn.because],
    ["about", given(messages.map(({ shortId, from }) => `#${shortId} from ${from}`).join(", "))],
    ["runner", turn.runner],
    ["started", dateAndTime(startedAt)],
    ["ended", endedAt === undefined ? undefined : dateAndTime(endedAt)],
    ["cost", given(costOf(turn))],
    ["tokens", given(tokens.filter((part) => part !== "").join(", "))],
    ["error", turn.error],
  ]);
  if (turn.answer !== undefined) out.line(`\n${sanitiseText(turn.answer)}`);
}

export function printConversation(out: Output, entries: readonly ConversationEntry[]): void {
  if (entries.length === 0) out.line("No automatic turn has been logged.");
  for (const { type, turnId, at, text } of entries) {
    out.line(out.paint("dim", sanitiseLine(`${dateAndTime(at)}  ${type}  ${turnId}`)));
    out.line(`${sanitiseText(text)}\n`);
  }
}

const SAID_BY = {
  session: "its session",
  agent: "the agent",
  config: "everyone (config.yaml)",
  standard: "default",
} as const;

/** Keys as in the file, so that they can be written there. */
export function printAutoRun(out: Output, { values, from, obstacle }: ShownAutoRun): void {
  if (obstacle !== undefined) out.line(out.paint("yellow", `No turn can run: ${sanitiseLine(obstacle)}`));
  const rows = AUTO_RUN_KEYS.flatMap((key) => {
    const value = written(key, values);
    return value === undefined ? [] : [{ key, value, by: from[AUTO_RUN_SETTINGS[key].as] }];
  });
  printTable(out, rows, {
    KEY: ({ key }) => key,
    FROM: ({ by }) => (by === undefined ? "" : SAID_BY[by]),
    VALUE: ({ value }) => value,
  });
}

function written(key: (typeof AUTO_RUN_KEYS)[number], values: AutoRunWords): string | undefined {
  const { as, rule } = AUTO_RUN_SETTINGS[key];
  const value = values[as];
  if (value === undefined) return undefined;
  if (rule.kind === "number" && "times" in rule) return String((value as number) / rule.times);
  if (rule.kind === "rules") return (value as readonly TurnRule[]).map(ruleShown).join("; ") || "none";
  if (Array.isArray(value)) return value.join(" ") || "none";
  return value === "" ? "none" : String(value);
}

function stateOf({ state, triggered, again }: ShownTurn): string {
  return [state, triggered ? "asked for" : "", again ? "again" : ""].filter((part) => part !== "").join(", ");
}

function verdictOf({ verdict }: ShownTurn): string {
  return verdict ?? "";
}

function costOf({ usd }: ShownTurn): string {
  return usd === undefined ? "" : dollars(usd);
}

function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

function spent({ until: end }: ShownBudget, now: Instant): string {
  return end === undefined ? "" : `spent; goes on ${until(end, now)}`;
}

function given(text: string): string | undefined {
  return text === "" ? undefined : text;
}
