import type { GateExpectation, GateRefusal } from "../../../ports/terminal.ts";
import { comparedLiteral, searchedLiteral } from "../control/quote.ts";

/**
 * The final check as a tmux format: the server evaluates it in the same turn in which it sends the keys. Pure.
 */
export interface GatePlace {
  /** The window that holds the pane, `@3`: needed to find every session from which a person could type. */
  readonly windowId: string;
  /** Wall time in milliseconds. */
  readonly now: number;
}

/** While any of these is set, keys would not do what they should. */
const OBSTACLES = ["pane_dead", "pane_in_mode", "pane_synchronized", "pane_input_off"];

export function gateFormat(expectation: GateExpectation, place: GatePlace): string {
  const conditions = [
    ...OBSTACLES.flatMap((flag) => flagCondition(flag, false)),
    equals("#{pane_pid}", String(expectation.panePid)),
    ...commandCondition(expectation),
    ...flagCondition("alternate_on", expectation.alternate),
    ...flagCondition("cursor_flag", invert(expectation.cursorHidden)),
    ...cursorCondition(expectation),
    ...signCondition(expectation),
    ...quietConditions(expectation, place),
  ];
  return allOf(conditions);
}

/** Nested by halves instead of as a chain: tmux copies and scans all nested text once per level. */
function allOf(conditions: readonly string[]): string {
  if (conditions.length <= 1) return conditions.join("");
  const middle = Math.ceil(conditions.length / 2);
  return `#{&&:${allOf(conditions.slice(0, middle))},${allOf(conditions.slice(middle))}}`;
}

/**
 * A person's key updates `session_activity`, in whole seconds, in every session it was typed in. A session active in
 * the second in which the required silence began, or later, counts as typing: so the gate never opens too early, and
 * at most a second too late.
 */
export function quietSinceSeconds(now: number, quietForMs: number): number {
  return Math.floor((now - quietForMs) / 1000);
}

/** For how long nobody has typed, by the same rule; undefined if only the gate can tell. */
export function quietForMs(now: number, activitySeconds: number | undefined): number | undefined {
  if (activitySeconds === undefined || activitySeconds > now / 1000) return undefined;
  return now - (activitySeconds + 1) * 1000;
}

function quietConditions({ quietForMs }: GateExpectation, place: GatePlace): readonly string[] {
  if (quietForMs === undefined) return [];
  // The pane may have moved since its window was looked up; then other sessions count.
  return [equals("#{window_id}", place.windowId), equals(typingSessions(place, quietForMs), "")];
}

/** Tolerance between two readings of the same machine's clock. */
const AHEAD_SECONDS = 5;

/**
 * One `x` for each session that holds the window and was typed in. Nearly always that is only the pane's own session;
 * walking over all sessions costs tmux as much as the rest of the gate.
 */
function typingSessions({ windowId, now }: GatePlace, quietForMs: number): string {
  const since = `#{e|>=:#{session_activity},${quietSinceSeconds(now, quietForMs)}}`;
  // An activity time in the future means that the clock was set back; nobody can have typed then.
  const notAhead = `#{e|<=:#{session_activity},${Math.ceil(now / 1000) + AHEAD_SECONDS}}`;
  const typedIn = `#{&&:${since},${notAhead}}`;
  const holdsWindow = `#{W:#{?${equals("#{window_id}", windowId)},x,}}`;
  return `#{?${equals("#{window_linked_sessions}", "1")},#{?${typedIn},x,},#{S:#{?${typedIn},${holdsWindow},}}}`;
}

function commandCondition({ command }: GateExpectation): readonly string[] {
  return command === undefined ? [] : [equals("#{pane_current_command}", comparedLiteral(command))];
}

function cursorCondition({ cursor }: GateExpectation): readonly string[] {
  return cursor === undefined ? [] : [equals("#{cursor_x}/#{cursor_y}", `${cursor.x}/${cursor.y}`)];
}

/** The first row in which tmux finds the text, counted from 1; 0 if there is none. */
function signCondition({ sign }: GateExpectation): readonly string[] {
  if (sign === undefined) return [];
  return sign.in === "title"
    ? [equals("#{pane_title}", comparedLiteral(sign.text))]
    : [equals(`#{C/r:${searchedLiteral(sign.text)}}`, String(sign.y + 1))];
}

function flagCondition(flag: string, expected: boolean | undefined): readonly string[] {
  if (expected === undefined) return [];
  return [expected ? `#{?${flag},1,0}` : `#{?${flag},0,1}`];
}

function invert(flag: boolean | undefined): boolean | undefined {
  return flag === undefined ? undefined : !flag;
}

function equals(format: string, literal: string): string {
  return `#{==:${format},${literal}}`;
}

const REPORT_FIELDS = [
  "pane_id window_id pane_dead pane_in_mode pane_synchronized pane_input_off pane_pid",
  "alternate_on cursor_flag cursor_x cursor_y",
].flatMap((line) => line.split(" ").map((name) => `#{${name}}`));

/** Printed when the gate refuses: what each condition saw. The program's name comes last: it may contain anything. */
export function reportFormat(expectation: GateExpectation, place: GatePlace): string {
  const { quietForMs } = expectation;
  const typing = quietForMs === undefined ? "" : typingSessions(place, quietForMs);
  const [sign = "1"] = signCondition(expectation);
  // This command reads `%` as the start of a time format.
  return [...REPORT_FIELDS, typing, sign.replaceAll("%", "%%"), "#{pane_current_command}"].join("/");
}

type GateReport =
  | { readonly kind: "gone" }
  /** The pane is in another window: ask again with this one. Nothing was typed. */
  | { readonly kind: "moved"; readonly windowId: string }
  | { readonly kind: "refused"; readonly because: readonly GateRefusal[] }
  | { readonly kind: "malformed" };

export function readReport(line: string, expectation: GateExpectation, place: GatePlace): GateReport {
  const fields = line.split("/");
  if (fields.length < REPORT_FIELDS.length + 3) return { kind: "malformed" };
  const [pane, window, dead, mode, synchronised, inputOff, pid, alternate, cursorShown, x, y, typing, sign] =
    fields;
  const command = fields.slice(REPORT_FIELDS.length + 2).join("/");
  if (pane === "") return { kind: "gone" };
  const { cursor } = expectation;
  const because: GateRefusal[] = [];
  if (dead === "1") because.push("dead");
  if (mode !== "0" && mode !== "") because.push("mode");
  if (synchronised === "1") because.push("synchronised");
  if (inputOff === "1") because.push("input-off");
  if (pid !== String(expectation.panePid)) because.push("other-process");
  if (expectation.command !== undefined && command !== expectation.command) because.push("other-command");
  if (differs(alternate, expectation.alternate) || differs(cursorShown, invert(expectation.cursorHidden))) {
    because.push("screen-kind");
  }
  if (cursor !== undefined && (x !== String(cursor.x) || y !== String(cursor.y)))
    because.push("cursor-moved");
  if (sign !== "1") because.push("sign-gone");
  if (typing !== "") because.push("typing");
  const moved = expectation.quietForMs !== undefined && window !== place.windowId;
  return because.length === 0 && moved && window !== undefined
    ? { kind: "moved", windowId: window }
    : { kind: "refused", because };
}

function differs(flag: string | undefined, expected: boolean | undefined): boolean {
  return expected !== undefined && (flag === "1") !== expected;
}
