/** The entry in OpenCode's tui.json that loads our plugin into every window. Pure. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { HOOK_SCRIPT, type HookEntries } from "../../../hooks/hooked-program.ts";
import {
  addElement,
  addMember,
  type JsonNode,
  jsonOf,
  memberOf,
  ofKind,
  removeElement,
  removeMember,
  rootOf,
} from "../../../hooks/json-text.ts";

const PLUGIN = "hooks/opencode/plugin.mjs";

/** The plugin beside this script: it finds its home by its own path. */
export function pluginBeside(script: string): string {
  return join(dirname(script), "opencode", "plugin.mjs");
}

export const pluginEntries: HookEntries = {
  find: (text, path) =>
    (pluginsIn(text, path).list?.elements ?? []).flatMap((node) => {
      const script = scriptOf(node);
      return script === undefined ? [] : [{ program: "opencode", script }];
    }),
  add: (text, path, script) => {
    const { root, list } = pluginsIn(text, path);
    const plugin = pluginBeside(script);
    const isOurs = (node: JsonNode) => scriptOf(node) === script;
    if (list === undefined) return addMember(text, root, "plugin", [plugin]);
    const ours = list.elements.filter(isOurs);
    if (ours.length === 1 && ours[0] !== undefined && jsonOf(ours[0]) === plugin) return text;
    const without = pluginEntries.remove(text, path, script);
    return without === text ? addElement(text, list, plugin) : pluginEntries.add(without, path, script);
  },
  remove: (text, path, script) => {
    let changed = text;
    for (;;) {
      const { root, list } = pluginsIn(changed, path);
      const index = list?.elements.findLastIndex((node) => scriptOf(node) === script) ?? -1;
      if (list === undefined || index === -1) return changed;
      changed =
        list.elements.length > 1
          ? removeElement(changed, list, index)
          : removeMember(changed, root, "plugin");
    }
  },
};

function pluginsIn(text: string, path: string) {
  const root = rootOf(text, path);
  return { root, list: ofKind("array", memberOf(root, "plugin")?.value, "plugin", { text, path }) };
}

/** A plugin is named alone, or first in a list with its options. */
function scriptOf(node: JsonNode): string | undefined {
  const value = jsonOf(node);
  const name: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof name !== "string" || !name.endsWith(`/${PLUGIN}`)) return undefined;
  const file = name.startsWith("file://") ? pathIn(name) : name;
  return file === undefined ? undefined : join(file.slice(0, -PLUGIN.length), HOOK_SCRIPT);
}

function pathIn(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
