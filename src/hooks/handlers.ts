/** Bellhop's entries in a program's hook settings, in the form that Claude Code introduced. Pure: text in, text out. */
import type { Json } from "../core/message.ts";
import { present } from "../core/present.ts";
import {
  HOOK_SCRIPT,
  type HookEntries,
  type HookEntry,
  type HookedProgram,
  type HookHandler,
} from "./hooked-program.ts";
import {
  addElement,
  addMember,
  type JsonArray,
  type JsonNode,
  jsonOf,
  memberOf,
  ofKind,
  removeElement,
  removeMember,
  replaceNode,
  rootOf,
} from "./json-text.ts";
import { hookCommand } from "./script.ts";

/** `hooks.<event>[group].hooks[index]` */
export interface HandlerPlace {
  readonly event: string;
  readonly group: number;
  readonly index: number;
}

export interface FoundHandler extends HandlerPlace {
  readonly value: Json;
  /** If it runs a Bellhop script: which one, of this home or another, and for which program. */
  readonly runs: HookEntry | undefined;
}

const USUAL_TIMEOUT_SECONDS = 10;

export function entriesOf(program: HookedProgram): HookEntries {
  return (
    program.entries ?? {
      find: (text, path) => findHandlers(text, path).flatMap(({ runs }) => runs ?? []),
      add: (text, path, script) => withHandlers(text, path, program, script),
      remove: (text, path, script) => withoutHandlers(text, path, program, script),
    }
  );
}

/**
 * Whether Bellhop wrote it for this program: the Bellhop whose home has this script, or any. People may write other
 * handlers, for programs that they taught Bellhop.
 */
export function isOurs({ runs }: FoundHandler, { name }: HookedProgram, script = runs?.script): boolean {
  return runs !== undefined && runs.program === name && runs.script === script;
}

export function handlerFor(program: HookedProgram, event: string, script: string): HookHandler {
  const handler: HookHandler = {
    type: "command",
    command: hookCommand(script, program.name, event),
    timeout: program.timeoutSeconds?.(event) ?? USUAL_TIMEOUT_SECONDS,
  };
  return program.entry?.(handler) ?? handler;
}

export function findHandlers(text: string, path: string): readonly FoundHandler[] {
  const { hooks, groupsOf } = hooksIn(text, path);
  const events = [...new Set(hooks?.members.map(({ name }) => name))];
  return events.flatMap((event) =>
    (groupsOf(event)?.elements ?? []).flatMap((node, group) =>
      (handlerList(node)?.elements ?? []).map((handler, index) => {
        const value = jsonOf(handler);
        return { event, group, index, value, runs: runBy(value) };
      }),
    ),
  );
}

/** Every wanted event once, as this version writes it, and no other entries of ours. */
export function withHandlers(text: string, path: string, program: HookedProgram, script: string): string {
  const wanted = program.events;
  let changed = text;
  for (const event of wanted) {
    const expected = handlerFor(program, event, script);
    const first = findHandlers(changed, path).find(
      (each) => each.event === event && isOurs(each, program, script),
    );
    const matcher = program.onlyTools?.[event];
    const group = { ...present({ matcher }), hooks: [expected] };
    if (first === undefined) changed = addGroup(changed, path, event, group);
    else if (!sameJson(first.value, expected)) changed = replaceHandler(changed, path, first, expected);
  }
  return removeWhile(changed, path, (found) => {
    const ours = found.filter((each) => isOurs(each, program, script));
    return ours.findLast(
      ({ event }, at) => !wanted.includes(event) || ours.slice(0, at).some((one) => one.event === event),
    );
  });
}

export function withoutHandlers(text: string, path: string, program: HookedProgram, script: string): string {
  return removeWhile(text, path, (found) => found.findLast((each) => isOurs(each, program, script)));
}

function removeWhile(
  text: string,
  path: string,
  choose: (found: readonly FoundHandler[]) => FoundHandler | undefined,
): string {
  let changed = text;
  for (;;) {
    const next = choose(findHandlers(changed, path));
    if (next === undefined) return changed;
    changed = removeHandler(changed, path, next);
  }
}

/** Also removes a container that held nothing else. */
function removeHandler(text: string, path: string, { event, group, index }: HandlerPlace): string {
  const { root, hooks, groupsOf } = hooksIn(text, path);
  const groups = groupsOf(event);
  const list = handlerList(groups?.elements[group]);
  if (hooks === undefined || groups === undefined || list === undefined) return text;
  if (list.elements.length > 1) return removeElement(text, list, index);
  if (groups.elements.length > 1) return removeElement(text, groups, group);
  return hooks.members.length > 1 ? removeMember(text, hooks, event) : removeMember(text, root, "hooks");
}

function replaceHandler(text: string, path: string, place: HandlerPlace, handler: HookHandler): string {
  const group = hooksIn(text, path).groupsOf(place.event)?.elements[place.group];
  const old = handlerList(group)?.elements[place.index];
  return old === undefined ? text : replaceNode(text, old, handler);
}

function addGroup(text: string, path: string, event: string, group: Json): string {
  const { root, hooks, groupsOf } = hooksIn(text, path);
  if (hooks === undefined) return addMember(text, root, "hooks", { [event]: [group] });
  const groups = groupsOf(event);
  return groups === undefined ? addMember(text, hooks, event, [group]) : addElement(text, groups, group);
}

function hooksIn(text: string, path: string) {
  const root = rootOf(text, path);
  const hooks = ofKind("object", memberOf(root, "hooks")?.value, "hooks", { text, path });
  const groupsOf = (event: string): JsonArray | undefined =>
    ofKind("array", memberOf(hooks, event)?.value, `hooks.${event}`, { text, path });
  return { root, hooks, groupsOf };
}

/** A group of an unknown shape belongs to the person: it holds nothing of ours. */
function handlerList(group: JsonNode | undefined): JsonArray | undefined {
  const list = group?.kind === "object" ? memberOf(group, "hooks")?.value : undefined;
  return list?.kind === "array" ? list : undefined;
}

function runBy(handler: Json): FoundHandler["runs"] {
  if (handler === null || typeof handler !== "object" || Array.isArray(handler)) return undefined;
  const { command } = handler as { readonly [key: string]: Json };
  const called = /\bsh ('(?:[^']|'\\'')*'|\S+) ([\w-]+) \w+/.exec(typeof command === "string" ? command : "");
  const [, word = "", program = ""] = called ?? [];
  const script = word.startsWith("'") ? word.slice(1, -1).replaceAll("'\\''", "'") : word;
  return script.endsWith(`/${HOOK_SCRIPT}`) ? { script, program } : undefined;
}

function sameJson(a: Json, b: Json): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: Json): Json {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
