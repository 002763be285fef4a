/**
 * What Bellhop writes into OpenCode's opencode.json, so that the agent can answer unasked. Pure.
 *
 * OpenCode asks about each command of a chain on its own, and the last rule that matches decides. But it takes what
 * follows `>`, and what stands in `${…}`, for a part of the command (seen with 1.18.18): so a command of ours with a
 * sign that means something to the shell is asked about, even where the sign is only quoted text.
 */
import { join } from "node:path";
import { AGENT_COMMANDS, type HookSetting } from "../../../hooks/hooked-program.ts";
import {
  addMember,
  type JsonNode,
  jsonOf,
  memberOf,
  removeMember,
  replaceNode,
  rootOf,
} from "../../../hooks/json-text.ts";

type Action = "allow" | "ask" | "deny";
/** A pattern and its action. */
type Rule = readonly [string, Action];

const COMMANDS: readonly Rule[] = [
  ...AGENT_COMMANDS.map((command): Rule => [`bellhop ${command} *`, "allow"]),
  ...[">", "<", "$", "`"].map((sign): Rule => [`bellhop *${sign}*`, "ask"]),
];

/** What a word for everything becomes beside rules; people write one star, so it can become the word again. */
const EVERYTHING = "**";

interface Need {
  readonly permission: "bash" | "external_directory";
  readonly rules: readonly Rule[];
}

/** The rules that change something: OpenCode lets an agent run any command, unless its owner says otherwise. */
export function rulesNeeded(
  text: string,
  path: string,
  setting: Pick<HookSetting, "bellhopHome">,
): readonly Need[] {
  const needs: readonly Need[] = [
    { permission: "bash", rules: COMMANDS },
    { permission: "external_directory", rules: [[join(setting.bellhopHome, "messages", "*"), "allow"]] },
  ];
  return needs.filter(({ permission }) => generally(text, path, permission) === "ask");
}

/** What applies where no pattern of the person does. */
function generally(text: string, path: string, permission: Need["permission"]): unknown {
  const all = memberOf(rootOf(text, path), "permission")?.value;
  const standard = permission === "bash" ? "allow" : "ask";
  // One word for everything is the person's, for Bellhop too: nothing can be added to it.
  if (all !== undefined && all.kind !== "object") return "as-it-is";
  const others = all === undefined ? undefined : memberOf(all, "*")?.value;
  const own = all === undefined ? undefined : memberOf(all, permission)?.value;
  // Rules of ours would come after it, and the last one decides.
  if (own?.kind === "object" && own.members.some(deniesOurs)) return "as-it-is";
  const star = own?.kind === "object" ? (memberOf(own, "*") ?? memberOf(own, EVERYTHING))?.value : own;
  const said = star ?? others;
  return said === undefined ? standard : jsonOf(said);
}

function deniesOurs({ name, value }: { readonly name: string; readonly value: JsonNode }): boolean {
  return name.startsWith("bellhop") && jsonOf(value) === "deny";
}

export function withRules(text: string, path: string, needs: readonly Need[]): string {
  let changed = text;
  for (const { permission, rules } of needs)
    for (const [pattern, action] of rules) changed = withRule(changed, path, permission, [pattern, action]);
  return changed;
}

function withRule(text: string, path: string, permission: string, [pattern, action]: Rule): string {
  const root = rootOf(text, path);
  const all = memberOf(root, "permission")?.value;
  if (all?.kind !== "object")
    return addMember(text, root, "permission", { [permission]: { [pattern]: action } });
  const own = memberOf(all, permission)?.value;
  if (own === undefined) return addMember(text, all, permission, { [pattern]: action });
  if (own.kind !== "object") return replaceNode(text, own, { [EVERYTHING]: jsonOf(own), [pattern]: action });
  return memberOf(own, pattern) === undefined ? addMember(text, own, pattern, action) : text;
}

/** Also removes a container that held nothing else. A rule with another action is the person's own. */
export function withoutRules(text: string, path: string, setting: Pick<HookSetting, "bellhopHome">): string {
  const messages = join(setting.bellhopHome, "messages", "*");
  let changed = text;
  for (const rule of COMMANDS) changed = withoutRule(changed, path, "bash", rule);
  return withoutRule(changed, path, "external_directory", [messages, "allow"]);
}

function withoutRule(text: string, path: string, permission: string, [pattern, action]: Rule): string {
  const root = rootOf(text, path);
  const all = memberOf(root, "permission")?.value;
  const own = all?.kind === "object" ? memberOf(all, permission)?.value : undefined;
  if (all?.kind !== "object" || own?.kind !== "object") return text;
  const there = memberOf(own, pattern)?.value;
  if (there === undefined || jsonOf(there) !== action) return text;
  const [first, ...more] = own.members.filter(({ name }) => name !== pattern);
  if (first?.name === EVERYTHING && more.length === 0) return replaceNode(text, own, jsonOf(first.value));
  if (first !== undefined) return removeMember(text, own, pattern);
  return all.members.length > 1
    ? removeMember(text, all, permission)
    : removeMember(text, root, "permission");
}

export function presentPatterns(
  text: string,
  path: string,
  permission: Need["permission"],
): readonly string[] {
  const all = memberOf(rootOf(text, path), "permission")?.value;
  const own: JsonNode | undefined = all?.kind === "object" ? memberOf(all, permission)?.value : undefined;
  return own?.kind === "object" ? own.members.map(({ name }) => name) : [];
}
