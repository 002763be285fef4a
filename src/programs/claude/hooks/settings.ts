/** What Bellhop writes into Claude Code's settings.json: hooks, and rules that let the agent answer. Pure. */
import { join } from "node:path";
import type { Json } from "../../../core/message.ts";
import { AGENT_COMMANDS, type HookSetting } from "../../../hooks/hooked-program.ts";
import {
  addElement,
  addMember,
  type JsonArray,
  jsonOf,
  memberOf,
  ofKind,
  removeElement,
  removeMember,
  rootOf,
} from "../../../hooks/json-text.ts";

/** Covers plain `bellhop` only: a rule for the name does not cover a path, nor the other way round. */
export function claudeAllowRules({
  bellhopHome,
  userHome,
}: Pick<HookSetting, "bellhopHome" | "userHome">): readonly string[] {
  const messages = join(bellhopHome, "messages");
  const usual = join(userHome, ".bellhop", "messages");
  // Two slashes begin an absolute path; one is relative to the settings' folder.
  const folder = messages === usual ? "~/.bellhop/messages" : `/${messages}`;
  return [...AGENT_COMMANDS.map((command) => `Bash(bellhop ${command}:*)`), `Read(${folder}/**)`];
}

export function withAllowRules(text: string, path: string, rules: readonly string[]): string {
  let changed = text;
  for (const rule of rules) {
    const { root, permissions, allow } = permissionsIn(changed, path);
    if (rulesIn(allow).includes(rule)) continue;
    if (permissions === undefined) changed = addMember(changed, root, "permissions", { allow: [rule] });
    else if (allow === undefined) changed = addMember(changed, permissions, "allow", [rule]);
    else changed = addElement(changed, allow, rule);
  }
  return changed;
}

/** Also removes a container that held nothing else. */
export function withoutAllowRules(text: string, path: string, rules: readonly string[]): string {
  let changed = text;
  for (;;) {
    const { root, permissions, allow } = permissionsIn(changed, path);
    const index = rulesIn(allow).findLastIndex((rule) => typeof rule === "string" && rules.includes(rule));
    if (allow === undefined || permissions === undefined || index === -1) return changed;
    if (allow.elements.length > 1) changed = removeElement(changed, allow, index);
    else if (permissions.members.length > 1) changed = removeMember(changed, permissions, "allow");
    else changed = removeMember(changed, root, "permissions");
  }
}

export function allowRulesIn(text: string, path: string): readonly Json[] {
  return rulesIn(permissionsIn(text, path).allow);
}

/** Other settings that keep Bellhop from working, as sentences. */
export function claudeAdvice(text: string, path: string): readonly string[] {
  const settings = jsonOf(rootOf(text, path)) as { readonly [key: string]: Json };
  const permissions = settings.permissions as { readonly [key: string]: Json } | null | undefined;
  const advice: string[] = [];
  if (settings.disableAllHooks === true) {
    advice.push(`"disableAllHooks" in ${path} stops every hook from running.`);
  }
  if (permissions?.defaultMode === "bypassPermissions" && settings.crossSessionInbound !== "accept") {
    advice.push(
      `Claude Code in bypass mode asks before it takes a message from its inbox; "crossSessionInbound": "accept" in ${path} lets messages in.`,
    );
  }
  return advice;
}

function permissionsIn(text: string, path: string) {
  const root = rootOf(text, path);
  const file = { text, path };
  const permissions = ofKind("object", memberOf(root, "permissions")?.value, "permissions", file);
  const allow = ofKind("array", memberOf(permissions, "allow")?.value, "permissions.allow", file);
  return { root, permissions, allow };
}

function rulesIn(allow: JsonArray | undefined): readonly Json[] {
  return allow?.elements.map(jsonOf) ?? [];
}
