/** Turns without a terminal: who takes them, what became of them, and the switch that stops them all. */
import { z } from "zod";
import { mail, queueOf } from "../../core/rights/needs.ts";
import { AUTO_RUN_FORMS } from "../../core/turns/auto-run.ts";
import { isRuleText } from "../../core/turns/rules.ts";
import type { ConversationEntry, ShownAutoRun, ShownTurn, TurnsResponse } from "../shapes/turns.ts";
import { claims } from "./claims.ts";
import { address, body, duration, id, limit, line, name, REQUEST_LIMITS } from "./fields.ts";
import { type Checked, typed, verb } from "./verb.ts";

export const TURN_LIMITS = {
  rules: 100,
  tools: 200,
  roleCharacters: 20_000,
  batch: 100,
  messages: 20,
} as const;

const CONTROLS = "holds control characters";
const plain = (max: number) => line(max).regex(AUTO_RUN_FORMS.line, CONTROLS);

const rule = z
  .strictObject({
    path: address.exactOptional(),
    from: address.exactOptional(),
    text: line(REQUEST_LIMITS.nameCharacters)
      .regex(AUTO_RUN_FORMS.lines, CONTROLS)
      .refine(isRuleText, "holds nothing that can be seen")
      .exactOptional(),
  })
  .refine((one) => Object.keys(one).length > 0, "names neither a path, nor a sender, nor a text")
  .meta({ minProperties: 1 });

export const autoRunWords = z.strictObject({
  enabled: z.boolean().exactOptional(),
  triageModel: z.string().max(100).regex(AUTO_RUN_FORMS.line, CONTROLS).exactOptional(),
  debounceMs: duration.max(3_600_000).exactOptional(),
  maxBatchSize: z.int().min(1).max(TURN_LIMITS.batch).exactOptional(),
  alwaysAccept: z.array(rule).max(TURN_LIMITS.rules).exactOptional(),
  alwaysReject: z.array(rule).max(TURN_LIMITS.rules).exactOptional(),
  runner: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/u, "is not the name of a runner")
    .exactOptional(),
  command: z.array(plain(REQUEST_LIMITS.wordCharacters)).max(REQUEST_LIMITS.keys).exactOptional(),
  cwd: line(4_096).regex(AUTO_RUN_FORMS.folder, "is not an absolute path").exactOptional(),
  role: line(TURN_LIMITS.roleCharacters).regex(AUTO_RUN_FORMS.lines, CONTROLS).exactOptional(),
  model: plain(100).exactOptional(),
  tools: z.array(plain(REQUEST_LIMITS.nameCharacters)).max(TURN_LIMITS.tools).exactOptional(),
  permissionMode: plain(64).exactOptional(),
  deadlineMs: z.int().min(1_000).max(86_400_000).exactOptional(),
  turnsPerHour: z.int().min(0).max(100_000).exactOptional(),
  turnsPerDay: z.int().min(0).max(100_000).exactOptional(),
  usdPerDay: z.number().min(0).max(1_000_000).exactOptional(),
  untriaged: z.enum(["hold", "run"]).exactOptional(),
});

export const autoRun = z.boolean().or(autoRunWords);

export const turns = {
  turns: verb(
    () =>
      z.strictObject({
        agent: address.exactOptional(),
        session: name.exactOptional(),
        limit: limit.exactOptional(),
      }),
    typed<TurnsResponse>(),
    ({ agent }) => (agent === undefined ? mail() : mail({ kind: "agent", name: agent })),
  ),
  turn_show: verb(
    () => z.strictObject({ id }),
    typed<ShownTurn>(),
    () => mail(),
  ),
  /** Skips triage and the budget, but not the one-at-a-time rule or the switch. Without a message: what waits. */
  turn_trigger: verb(
    () =>
      z.strictObject({
        agent: address,
        session: name.exactOptional(),
        messages: z.array(body).max(TURN_LIMITS.messages).exactOptional(),
        claims,
      }),
    typed<{ readonly agent: string; readonly sessionId: string; readonly messages: readonly string[] }>(),
    () => [{ right: "admin", what: "start turns of agents" }],
  ),
  turns_switch: verb(
    () => z.strictObject({ on: z.boolean(), claims }),
    typed<{ readonly off: boolean; readonly stopped: number }>(),
    () => [{ right: "admin", what: "stop or start automatic turns" }],
  ),
  /** `autoRun: null` takes back what was said. */
  auto_run_set: verb(
    () => z.strictObject({ agent: address, session: name.exactOptional(), autoRun: autoRun.nullable() }),
    typed<ShownAutoRun>(),
    () => [{ right: "admin", what: "decide about automatic turns" }],
  ),
  /** Its role and its command may hold what is nobody else's business. */
  auto_run_show: verb(
    () => z.strictObject({ agent: address, session: name.exactOptional() }),
    typed<ShownAutoRun>(),
    queueOf,
  ),
  conversation: verb(
    () =>
      z.strictObject({
        agent: address,
        session: name.exactOptional(),
        before: z.int().min(0).exactOptional(),
        limit: limit.exactOptional(),
      }),
    typed<{ readonly entries: readonly ConversationEntry[]; readonly before?: number }>(),
    ({ agent }) => mail({ kind: "agent", name: agent }),
  ),
};

export type TurnsRequest = Checked<typeof turns.turns.request>;
export type TriggerRequest = Checked<typeof turns.turn_trigger.request>;
export type AutoRunRequest = Checked<typeof turns.auto_run_set.request>;
export type ConversationRequest = Checked<typeof turns.conversation.request>;
