/** `bellhop mcp install`, `remove` and `status`: planned first, so that a person sees the change before it is made. */
import { BellhopError } from "../../core/errors.ts";
import { applyChange, type FileChange, isLink, readSettings } from "../settings-file.ts";
import { belonging, type McpProgram, type McpSetting, ourServer, SERVER_NAME } from "./registered-program.ts";

export interface McpPlan {
  readonly program: McpProgram;
  /** None if there is nothing to do. */
  readonly change?: FileChange;
}

export interface McpStatus {
  readonly program: string;
  /** Its settings exist, so it is probably used here. */
  readonly present: boolean;
  readonly settings: string;
  /** `another-home`: it runs `bellhop mcp` for another BELLHOP_HOME. `foreign`: it runs something else. */
  readonly state: "absent" | "installed" | "another-home" | "foreign" | "unreadable";
  readonly advice?: string;
}

export function planRegister(program: McpProgram, setting: McpSetting): McpPlan {
  const { path, before, whose } = lookUp(program, setting);
  if (whose === "ours") return { program };
  if (whose !== "absent") throw notOurs(program, path, whose);
  const after = edited(before, (text) => program.add(text, path, ourServer(setting)));
  return { program, change: { path, before, after, mode: 0o600, folder: "stays" } };
}

export function planUnregister(program: McpProgram, setting: McpSetting): McpPlan {
  const { path, before, whose } = lookUp(program, setting);
  if (whose === "absent") return { program };
  if (whose !== "ours") throw notOurs(program, path, whose);
  const left = edited(before, (text) => program.remove(text, path));
  const isNothing = ["", "{}"].includes(left.trim()) && !isLink(path);
  return {
    program,
    change: { path, before, after: isNothing ? undefined : left, mode: 0o600, folder: "stays" },
  };
}

export function applyMcpPlan({ program, change }: McpPlan, now: () => number): void {
  if (change === undefined) return;
  const write = () => applyChange(change);
  if (program.locked === undefined) write();
  else program.locked(change.path, write, now);
}

export function mcpStatus(program: McpProgram, setting: McpSetting): McpStatus {
  const base = {
    program: program.name,
    present: program.isPresent(setting),
    settings: program.file(setting),
  };
  try {
    const { path, whose } = lookUp(program, setting);
    if (whose === "absent") return { ...base, state: "absent" };
    if (whose === "ours") return { ...base, state: "installed" };
    return { ...base, state: whose, advice: notOurs(program, path, whose).next };
  } catch (error) {
    if (!(error instanceof BellhopError)) throw error;
    return { ...base, state: "unreadable", advice: error.message };
  }
}

/** Some editors begin a file with a byte-order mark. */
function edited(before = "", edit: (text: string) => string): string {
  const mark = before.startsWith("\uFEFF") ? "\uFEFF" : "";
  return mark + edit(before.slice(mark.length));
}

function lookUp(program: McpProgram, setting: McpSetting) {
  const path = program.file(setting);
  const before = readSettings(path);
  return { path, before, whose: belonging(program.find(before ?? "", path), setting) };
}

function notOurs(program: McpProgram, path: string, whose: "another-home" | "foreign"): BellhopError {
  const what =
    whose === "foreign"
      ? "is not the server that this command registers"
      : "runs Bellhop with another BELLHOP_HOME";
  return new BellhopError("mcp.not_ours", {
    message: `The entry "${SERVER_NAME}" in ${path} ${what}. It was left alone.`,
    next:
      whose === "foreign"
        ? `Rename or remove that entry yourself, then run "bellhop mcp install ${program.name}".`
        : `Run "bellhop mcp remove ${program.name}" with that BELLHOP_HOME first.`,
  });
}
