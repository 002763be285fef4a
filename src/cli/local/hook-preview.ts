/** `hooks install --dry-run` on one screen: what hooks report, which files change, what is allowed. Pure. */
import { relative } from "node:path";
import type { HookedProgram, HookSetting } from "../../hooks/hooked-program.ts";
import type { HookPlan } from "../../hooks/install.ts";

/** What happens to the allow rules: as given by a flag, as they are now, or as the person will be asked. */
export type RulesChoice = "asked" | "given" | "refused";

const WIDTH = 96;

export function previewInstall(
  plans: readonly HookPlan[],
  setting: HookSetting,
  rules: RulesChoice,
): readonly string[] {
  const told = new Set<string>();
  return plans.flatMap((plan) => [
    ...(plan.changes.length === 0
      ? [`${plan.program.name}: nothing to change`]
      : [
          `${plan.program.name}: hooks would be installed`,
          ...events(plan.program),
          ...files(plan, setting, told),
        ]),
    ...allowed(plan.program, setting, rules),
    ...plan.notes.map((note) => `  ${note}`),
  ]);
}

export function previewRemove(plans: readonly HookPlan[], setting: HookSetting): readonly string[] {
  const told = new Set<string>();
  return plans.flatMap((plan) => [
    plan.changes.length === 0
      ? `${plan.program.name}: nothing to change`
      : `${plan.program.name}: hooks would be removed`,
    ...files(plan, setting, told),
    ...plan.notes.map((note) => `  ${note}`),
  ]);
}

function events(program: HookedProgram): readonly string[] {
  return wrapped("  tells Bellhop of ", program.events, ", ");
}

/** A file shared by both programs is named once. */
function files({ changes }: HookPlan, setting: HookSetting, told: Set<string>): readonly string[] {
  return changes
    .filter(({ path }) => !told.has(path))
    .map(({ path, before, after }) => {
      told.add(path);
      const place = shortened(path, setting.userHome);
      if (after === undefined) return `  removes  ${place}`;
      const lines = lineCount(after) - lineCount(before);
      if (before === undefined) return `  makes    ${place} (${counted(lines)})`;
      const grown = lines === 0 ? "" : ` (${lines > 0 ? "+" : "-"}${counted(Math.abs(lines))})`;
      return `  changes  ${place}${grown}`;
    });
}

function allowed(program: HookedProgram, setting: HookSetting, rules: RulesChoice): readonly string[] {
  if (rules === "refused") return ["  allows   nothing: the agent asks you before it answers"];
  const lead = `  allows   ${rules === "asked" ? "if you say yes when it asks: " : ""}`;
  return wrapped(lead, program.allowRules(setting), "  ");
}

/** Lines that fit a window of the usual width; a longer word gets a line of its own. */
function wrapped(lead: string, words: readonly string[], between: string): readonly string[] {
  const lines: string[] = [];
  let line = lead;
  for (const [index, word] of words.entries()) {
    const next = index === words.length - 1 ? word : `${word}${between}`;
    if (line.trim() !== "" && line.length + next.trimEnd().length > WIDTH) {
      lines.push(line.trimEnd());
      line = " ".repeat("  allows   ".length);
    }
    line += next;
  }
  return [...lines, line.trimEnd()];
}

function shortened(path: string, home: string): string {
  const rest = relative(home, path);
  return rest.startsWith("..") ? path : `~/${rest}`;
}

function lineCount(text: string | undefined): number {
  return text === undefined || text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}

function counted(lines: number): string {
  return `${lines} ${lines === 1 ? "line" : "lines"}`;
}
