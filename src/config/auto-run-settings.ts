/** The keys of `auto_run`, in `config.yaml` and on the command line, which loads no YAML for them. */
import type { AUTO_RUN_FORMS, AutoRunKey } from "../core/turns/auto-run.ts";

export type AutoRunRule =
  | { readonly kind: "flag" }
  | {
      readonly kind: "text";
      readonly most: number;
      readonly empty?: "allowed";
      readonly like?: RegExp;
      /** Without it: one plain line. */
      readonly form?: keyof typeof AUTO_RUN_FORMS;
    }
  | { readonly kind: "texts"; readonly most: number; readonly longest: number }
  | { readonly kind: "rules"; readonly most: number }
  | { readonly kind: "choice"; readonly of: readonly string[] }
  | {
      readonly kind: "number";
      readonly unit: string;
      readonly least: number;
      readonly most: number;
      readonly whole: boolean;
      /** What one of the file's units is in ours. */
      readonly times?: number;
    };

const whole = (unit: string, least: number, most: number): AutoRunRule => ({
  kind: "number",
  unit,
  least,
  most,
  whole: true,
});

export interface AutoRunSetting {
  readonly as: AutoRunKey;
  readonly rule: AutoRunRule;
}

/** Keys as in the file. The limits are those of the doors; a test compares them. */
export const AUTO_RUN_SETTINGS = {
  enabled: { as: "enabled", rule: { kind: "flag" } },
  triage_model: { as: "triageModel", rule: { kind: "text", most: 100, empty: "allowed" } },
  debounce_ms: { as: "debounceMs", rule: whole("milliseconds", 0, 3_600_000) },
  max_batch_size: { as: "maxBatchSize", rule: whole("messages", 1, 100) },
  always_accept: { as: "alwaysAccept", rule: { kind: "rules", most: 100 } },
  always_reject: { as: "alwaysReject", rule: { kind: "rules", most: 100 } },
  runner: { as: "runner", rule: { kind: "text", most: 32, like: /^[a-z][a-z0-9-]{0,31}$/u } },
  command: { as: "command", rule: { kind: "texts", most: 64, longest: 131_071 } },
  cwd: { as: "cwd", rule: { kind: "text", most: 4_096, form: "folder" } },
  role: { as: "role", rule: { kind: "text", most: 20_000, form: "lines" } },
  model: { as: "model", rule: { kind: "text", most: 100 } },
  tools: { as: "tools", rule: { kind: "texts", most: 200, longest: 256 } },
  permission_mode: { as: "permissionMode", rule: { kind: "text", most: 64 } },
  deadline: {
    as: "deadlineMs",
    rule: { kind: "number", unit: "seconds", least: 1, most: 86_400, whole: false, times: 1_000 },
  },
  turns_per_hour: { as: "turnsPerHour", rule: whole("turns", 0, 100_000) },
  turns_per_day: { as: "turnsPerDay", rule: whole("turns", 0, 100_000) },
  usd_per_day: {
    as: "usdPerDay",
    rule: { kind: "number", unit: "dollars", least: 0, most: 1_000_000, whole: false },
  },
  untriaged: { as: "untriaged", rule: { kind: "choice", of: ["hold", "run"] } },
} as const satisfies Readonly<Record<string, AutoRunSetting>>;

export type AutoRunSettingKey = keyof typeof AUTO_RUN_SETTINGS;
export const AUTO_RUN_KEYS = Object.keys(AUTO_RUN_SETTINGS) as readonly AutoRunSettingKey[];
