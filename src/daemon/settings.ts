import { secretVariables } from "../config/bridges.ts";
import type { Config } from "../config/config.ts";
import type { Transport } from "../core/message.ts";
import { BRIDGE_NAMES } from "../core/outside/places.ts";
import { present } from "../core/present.ts";
import { parseQuietHours } from "../core/time/quiet-hours.ts";
import type { Settings, TurnSettings } from "../ports/settings.ts";
import { allowedOn, channelsOf } from "./bridges.ts";

/** The ways of delivery implemented today, best first. */
const BUILT_RUNGS: readonly Transport[] = ["native", "hook", "paste"];

export function settingsFrom({ values }: Config): Settings {
  const { delivery, transports, retention, rights, loops } = values;
  return {
    defaultPriority: delivery.defaultPriority,
    defaultTimeoutMs: delivery.defaultTimeoutMs,
    personBy: delivery.personBy,
    inputPollMs: delivery.inputPollIntervalMs,
    inputStaleMs: delivery.inputStaleTimeoutMs,
    maxBatch: delivery.maxBatchSize,
    urgentDelayMs: delivery.urgentDelayMs,
    evidenceTimeoutMs: delivery.evidenceTimeoutMs,
    announceRestored: delivery.announceRestored,
    notify: values.notify,
    greetWatched: values.watch.greeting,
    retentionDays: retention.days,
    rights: { everyone: rights.default, byAgent: new Map(Object.entries(rights.agents)) },
    loops,
    desk: {
      channels: channelsOf(values),
      quiet: { hours: parseQuietHours(values.person.quiet), except: values.person.quietExcept },
      allow: (bridge) => allowedOn(bridge, values.bridges),
      bridges: BRIDGE_NAMES.filter((name) => values.bridges[name] !== undefined),
      ...present({ defaultAgent: values.desk.defaultAgent || undefined }),
      freshMs: values.desk.freshMs,
      classifies: values.desk.classifier.enabled,
    },
    turns: turnSettings(values),
    webName: values.web.name || undefined,
    pushServices: values.web.pushServices,
    secretVariables: secretVariables(values.bridges),
    transports: (program) => transports.byProgram[program] ?? transports.everywhere ?? BUILT_RUNGS,
  };
}

function turnSettings({ turns: { atOnce, everyone }, agents }: Config["values"]): TurnSettings {
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  return {
    atOnce,
    any: [
      everyone,
      ...agents.flatMap((agent) => [agent.autoRun, ...agent.sessions.map((one) => one.autoRun)]),
    ].some((words) => words?.enabled === true),
    everyone: Object.keys(everyone).length === 0 ? undefined : everyone,
    of: (name, session) => {
      const agent = byName.get(name);
      return session === undefined
        ? agent?.autoRun
        : agent?.sessions.find((one) => one.name === session)?.autoRun;
    },
  };
}
