/** What `config.yaml` may contain: a table of plain settings, and the shapes of the list settings. */

import { ATTENTION_KINDS, type AttentionKind } from "../core/attention.ts";
import { LIMITS, type Priority, type Transport } from "../core/message.ts";
import { insteadOf } from "../core/outside/places.ts";
import type { Right } from "../core/rights/rights.ts";
import { PERSON_BY, type PersonBy } from "../core/rights/ways-in.ts";
import { type LoopLimits, STANDARD_LOOP_LIMITS } from "../core/routing/loop-breaker.ts";
import type { NotifyWay } from "../core/text/telling.ts";
import { insteadOfQuietHours } from "../core/time/quiet-hours.ts";
import type { AutoRunWords } from "../core/turns/auto-run.ts";
import { insteadOfPushService } from "../core/web/push-service.ts";
import { insteadOfWebName } from "../core/web/web-name.ts";
import type { TurnsDefinition } from "./auto-run.ts";
import type { BridgeDefinitions } from "./bridges.ts";
import type { ClusterDefinition } from "./cluster.ts";

/** How a person describes a program that Bellhop does not know. */
/** At least `prompt` or `above` is given. */
export interface ComposerDefinition {
  /** On the cursor's line; what follows the match is the draft. */
  readonly prompt?: string;
  /** On the line above it. */
  readonly above?: string;
  /** What an empty composer shows, if that is not dim. */
  readonly placeholder?: string;
}

export interface ProfileDefinition {
  readonly name: string;
  /** `command`: a part of a command line in the terminal's process tree. `name`: exactly the name of a program there. */
  readonly match: { readonly command: string } | { readonly name: string };
  readonly composer: ComposerDefinition;
  readonly busy?: string;
  readonly dialog?: string;
  readonly keys: { readonly submit: string; readonly interrupt?: string; readonly clear?: string };
  readonly submitDelayMs: number;
}

export interface SessionDefinition {
  readonly name: string;
  readonly subscriptions: readonly string[];
  readonly autoRun?: AutoRunWords;
}

/** An agent that exists from the start. */
export interface AgentDefinition extends SessionDefinition {
  readonly sessions: readonly SessionDefinition[];
}

export interface TransportChoice {
  /** For every program not named in `byProgram`. */
  readonly everywhere?: readonly Transport[];
  readonly byProgram: Readonly<Record<string, readonly Transport[]>>;
}

/** Rights of agents beyond what every agent has. */
export interface RightsDefinition {
  readonly default: readonly Right[];
  readonly agents: Readonly<Record<string, readonly Right[]>>;
}

export interface ListSettings {
  readonly transports: TransportChoice;
  readonly profiles: readonly ProfileDefinition[];
  readonly agents: readonly AgentDefinition[];
  readonly rights: RightsDefinition;
  /** Empty: the person gets no notifications. */
  readonly notify: readonly NotifyWay[];
  readonly bridges: BridgeDefinitions;
  readonly turns: TurnsDefinition;
  /** Absent: this host stands alone. */
  readonly cluster: ClusterDefinition | undefined;
}

export type SettingRule =
  | {
      readonly kind: "number";
      readonly unit: "seconds" | "milliseconds" | "days" | "minutes" | "messages" | "answers" | "port";
      readonly least: number;
      readonly most: number;
      readonly whole: boolean;
      readonly standard: number;
    }
  | { readonly kind: "flag"; readonly standard: boolean }
  | { readonly kind: "priority"; readonly standard: Priority }
  | { readonly kind: "choice"; readonly of: readonly string[]; readonly standard: string }
  | {
      readonly kind: "text";
      readonly most: number;
      readonly standard: string;
      /** What to write instead; undefined if it is right. */
      readonly instead?: (text: string) => string | undefined;
    }
  | {
      readonly kind: "texts";
      readonly most: number;
      readonly standard: readonly string[];
      /** What to write instead of this one; undefined if it is right. */
      readonly instead?: (text: string) => string | undefined;
    };

const DAY_SECONDS = 24 * 3_600;

const seconds = (standard: number, least: number, most = DAY_SECONDS): SettingRule => ({
  kind: "number",
  unit: "seconds",
  least,
  most,
  whole: false,
  standard,
});
const whole = (
  unit: Extract<SettingRule, { kind: "number" }>["unit"],
  standard: number,
  least: number,
  most: number,
): SettingRule => ({ kind: "number", unit, least, most, whole: true, standard });

function insteadOfKind(text: string): string | undefined {
  return ATTENTION_KINDS.some((kind) => kind === text) ? undefined : `one of ${ATTENTION_KINDS.join(", ")}`;
}

/** Keys as in the file, section first. */
export const SETTINGS = {
  "delivery.default_priority": { kind: "priority", standard: "normal" },
  "delivery.person_by": { kind: "choice", of: PERSON_BY, standard: "typed" },
  "delivery.input_poll_interval": seconds(5, 0.05),
  "delivery.input_stale_timeout": seconds(120, 0.1),
  "delivery.default_timeout": seconds(0, 0, 3_650 * DAY_SECONDS),
  "delivery.max_batch_size": whole("messages", 10, 1, LIMITS.batch),
  "delivery.urgent_delay_ms": whole("milliseconds", 500, 0, 60_000),
  "delivery.evidence_timeout": seconds(10, 0.1, 3_600),
  "delivery.announce_restored": { kind: "flag", standard: true },
  /** 0: any free one. */
  "http.port": whole("port", 2355, 0, 65_535),
  "tmux.servers": { kind: "texts", most: 64, standard: [] },
  /** The person's own places outside, such as telegram/12345: what they write there goes to the desk. */
  "person.channels": { kind: "texts", most: 64, standard: [], instead: insteadOf },
  /** Local times between which the person is not told outside what needs them; empty: none. */
  "person.quiet": { kind: "text", most: 20, standard: "", instead: insteadOfQuietHours },
  /** What they are told even then. */
  "person.quiet_except": { kind: "texts", most: 16, standard: [], instead: insteadOfKind },
  "desk.classifier.command": { kind: "texts", most: 64, standard: [] },
  "desk.classifier.model": { kind: "text", most: 100, standard: "sonnet" },
  "desk.classifier.timeout": seconds(20, 1, 300),
  "desk.classifier.enabled": { kind: "flag", standard: true },
  "retention.days": whole("days", 30, 1, 36_500),
  "watch.greeting": { kind: "flag", standard: true },
  "loops.hops": whole("answers", STANDARD_LOOP_LIMITS.hops, 2, 10_000),
  "loops.per_minute": whole("answers", STANDARD_LOOP_LIMITS.perMinute, 1, 10_000),
  /** A name, or a part of a label; empty: none. */
  "desk.default_agent": { kind: "text", most: 100, standard: "" },
  "desk.fresh_minutes": whole("minutes", 15, 0, 1_440),
  "loops.same_body": whole("answers", STANDARD_LOOP_LIMITS.sameBody, 1, 10_000),
  /** The name by which a tunnel or proxy of the person serves the dashboard, with TLS; empty: none. */
  "web.name": { kind: "text", most: 255, standard: "", instead: insteadOfWebName },
  /** Hosts that bring notifications to browsers, besides those of the makers of browsers. */
  "web.push_services": { kind: "texts", most: 16, standard: [], instead: insteadOfPushService },
} as const satisfies Record<string, SettingRule>;

export type SettingKey = keyof typeof SETTINGS;

/** Each has its own reader. */
export const LIST_SECTIONS = [
  "transports",
  "profiles",
  "agents",
  "rights",
  "notify",
  "bridges",
  "turns",
  "cluster",
] as const satisfies readonly (keyof ListSettings)[];

export const SECTIONS: readonly string[] = [
  ...new Set(Object.keys(SETTINGS).map((key) => key.slice(0, key.indexOf(".")))),
  ...LIST_SECTIONS,
];

export type SettingValue = number | boolean | string | readonly string[];
export type PlainSettings = Readonly<Record<SettingKey, SettingValue>>;

export type ConfigValues = Readonly<ReturnType<typeof valuesFrom>>;

/** Converts from the file's keys and units to the code's. */
export function valuesFrom(plain: PlainSettings, lists: ListSettings) {
  const number = (key: SettingKey) => plain[key] as number;
  const ms = (key: SettingKey) => Math.round(number(key) * 1_000);
  const delivery = {
    defaultPriority: plain["delivery.default_priority"] as Priority,
    personBy: plain["delivery.person_by"] as PersonBy,
    inputPollIntervalMs: ms("delivery.input_poll_interval"),
    inputStaleTimeoutMs: ms("delivery.input_stale_timeout"),
    /** 0: never expires. */
    defaultTimeoutMs: ms("delivery.default_timeout"),
    maxBatchSize: number("delivery.max_batch_size"),
    urgentDelayMs: number("delivery.urgent_delay_ms"),
    evidenceTimeoutMs: ms("delivery.evidence_timeout"),
    announceRestored: plain["delivery.announce_restored"] as boolean,
  } as const;
  const loops: LoopLimits = {
    hops: number("loops.hops"),
    perMinute: number("loops.per_minute"),
    sameBody: number("loops.same_body"),
  };
  return {
    ...lists,
    delivery,
    loops,
    http: { port: number("http.port") },
    /** Socket paths, or names as `tmux -L` takes them. */
    tmux: { servers: plain["tmux.servers"] as readonly string[] },
    retention: { days: number("retention.days") },
    desk: {
      defaultAgent: plain["desk.default_agent"] as string,
      freshMs: number("desk.fresh_minutes") * 60_000,
      classifier: {
        command: plain["desk.classifier.command"] as readonly string[],
        model: plain["desk.classifier.model"] as string,
        timeoutMs: ms("desk.classifier.timeout"),
        enabled: plain["desk.classifier.enabled"] as boolean,
      },
    },
    person: {
      channels: plain["person.channels"] as readonly string[],
      quiet: plain["person.quiet"] as string,
      quietExcept: plain["person.quiet_except"] as readonly AttentionKind[],
    },
    web: {
      name: (plain["web.name"] as string).toLowerCase(),
      pushServices: plain["web.push_services"] as readonly string[],
    },
    watch: { greeting: plain["watch.greeting"] as boolean },
  };
}
