/** Bellhop's entries in a program's hook settings, in the form that Claude Code has made usual. Pure: text in, text out. */
import type { Json } from "../core/message.ts";
import { HOOK_SCRIPT, type HookedProgram } from "./hooked-program.ts";
import {
  addElement,
  addMember,
  invalidSettings,
  type JsonArray,
  type JsonNode,
  type JsonObject,
  jsonOf,
  lineAt,
  memberOf,
  parseJsonText,
  removeElement,
  removeMember,
  replaceNode,
} from "./json-text.ts";
import { hookCommand } from "./script.ts";

export type HookHandler = {
  readonly type: "command";
  readonly command: string;
  readonly timeout: number;
};

/** `hooks.<event>[group].hooks[index]` */
export interface HandlerPlace {
  readonly event: string;
  readonly group: number;
  readonly index: number;
}

export interface FoundHandler extends HandlerPlace {
  readonly value: Json;
  /** The script it runs, where it is Bellhop's: of this home or of another. */
  readonly script: string | undefined;
}

export function handlerFor(program: HookedProgram, event: string, script: string): HookHandler {
  return {
    type: "command",
    command: hookCommand(script, program.name, event),
    timeout: program.timeoutSeconds(event),
  };
}

export function findHandlers(text: string, path: string): readonly FoundHandler[] {
  return groupsIn(text, path).flatMap(({ event, groups }) =>
    groups.flatMap((node, group) =>
      handlersIn(node).map((handler, index) => {
        const value = jsonOf(handler);
        return { event, group, index, value, script: scriptOf(value) };
      }),
    ),
  );
}

/** Every wanted event once, as this version writes it; nothing of ours anywhere else. */
export function withHandlers(text: string, path: string, program: HookedProgram, script: string): string {
  const wanted = program.events;
  let changed = text;
  for (const event of wanted) {
    const expected = handlerFor(program, event, script);
    const [first] = findHandlers(changed, path).filter(
      (each) => each.event === event && each.script === script,
    );
    if (first === undefined) changed = addGroup(changed, path, event, { hooks: [expected] });
    else if (!sameJson(first.value, expected)) changed = replaceHandler(changed, path, first, expected);
  }
  const superfluous = (found: readonly FoundHandler[]) =>
    found.findLast((each, at) => {
      if (each.script !== script) return false;
      const earlier = found.slice(0, at).some((one) => one.script === script && one.event === each.event);
      return earlier || !wanted.includes(each.event);
    });
  return removeWhile(changed, path, superfluous);
}

export function withoutHandlers(text: string, path: string, script: string): string {
  return removeWhile(text, path, (found) => found.findLast((each) => each.script === script));
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

/** A container that held nothing else goes with it. */
function removeHandler(text: string, path: string, { event, group, index }: HandlerPlace): string {
  const root = rootOf(text, path);
  const hooks = hooksOf(root, text, path);
  const groups = hooks && eventGroups(hooks, event, text, path);
  const node = groups?.elements[group];
  const list = node && handlerList(node);
  if (hooks === undefined || groups === undefined || list === undefined) return text;
  if (list.elements.length > 1) return removeElement(text, list, index);
  if (groups.elements.length > 1) return removeElement(text, groups, group);
  const eventIndex = hooks.members.findLastIndex(({ name }) => name === event);
  if (hooks.members.length > 1) return removeMember(text, hooks, eventIndex);
  return removeMember(
    text,
    root,
    root.members.findLastIndex(({ name }) => name === "hooks"),
  );
}

function replaceHandler(text: string, path: string, place: HandlerPlace, handler: HookHandler): string {
  const hooks = hooksOf(rootOf(text, path), text, path);
  const node = hooks && eventGroups(hooks, place.event, text, path)?.elements[place.group];
  const old = node && handlerList(node)?.elements[place.index];
  return old === undefined ? text : replaceNode(text, old, handler);
}

function addGroup(text: string, path: string, event: string, group: Json): string {
  const root = rootOf(text, path);
  const hooks = hooksOf(root, text, path);
  if (hooks === undefined) return addMember(text, root, "hooks", { [event]: [group] });
  const groups = eventGroups(hooks, event, text, path);
  return groups === undefined ? addMember(text, hooks, event, [group]) : addElement(text, groups, group);
}

function groupsIn(
  text: string,
  path: string,
): readonly { readonly event: string; readonly groups: readonly JsonNode[] }[] {
  const hooks = hooksOf(rootOf(text, path), text, path);
  const events = [...new Set(hooks?.members.map(({ name }) => name))];
  return events.map((event) => ({
    event,
    groups: (hooks && eventGroups(hooks, event, text, path)?.elements) ?? [],
  }));
}

export function rootOf(text: string, path: string): JsonObject {
  let root: JsonNode;
  try {
    root = parseJsonText(text);
  } catch (error) {
    throw invalidSettings(path, `it is not valid JSON (${(error as Error).message})`);
  }
  if (root.kind !== "object") throw invalidSettings(path, "it does not hold a JSON object");
  return root;
}

function hooksOf(root: JsonObject, text: string, path: string): JsonObject | undefined {
  const hooks = memberOf(root, "hooks")?.value;
  if (hooks === undefined || hooks.kind === "object") return hooks;
  throw invalidSettings(path, `"hooks" is not an object, line ${lineAt(text, hooks.start)}`);
}

function eventGroups(hooks: JsonObject, event: string, text: string, path: string): JsonArray | undefined {
  const groups = memberOf(hooks, event)?.value;
  if (groups === undefined || groups.kind === "array") return groups;
  throw invalidSettings(path, `"hooks.${event}" is not a list, line ${lineAt(text, groups.start)}`);
}

/** A group that is nothing we know is the person's own affair: it holds nothing of ours. */
function handlersIn(group: JsonNode): readonly JsonNode[] {
  return handlerList(group)?.elements ?? [];
}

function handlerList(group: JsonNode): JsonArray | undefined {
  const list = group.kind === "object" ? memberOf(group, "hooks")?.value : undefined;
  return list?.kind === "array" ? list : undefined;
}

function scriptOf(handler: Json): string | undefined {
  if (handler === null || typeof handler !== "object" || Array.isArray(handler)) return undefined;
  const { command } = handler as { readonly [key: string]: Json };
  const word = /\bsh ('(?:[^']|'\\'')*'|\S+) [\w-]+ \w+/.exec(
    typeof command === "string" ? command : "",
  )?.[1];
  const script = word?.startsWith("'") ? word.slice(1, -1).replaceAll("'\\''", "'") : word;
  return script?.endsWith(`/${HOOK_SCRIPT}`) ? script : undefined;
}

function sameJson(a: Json, b: Json): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: Json): Json {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
