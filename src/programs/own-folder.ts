/** What a running program keeps for itself. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Processes } from "../ports/processes.ts";
import { type Fields, parseLine } from "./transcripts/line.ts";

export interface OwnFolder {
  readonly path: string;
  readonly is: "chosen" | "usual";
}

/** Where its variable says, or the usual place in its home. */
export async function ownFolder(
  processes: Pick<Processes, "environment">,
  pid: number,
  { variable, usual }: { readonly variable: string; readonly usual: string },
): Promise<OwnFolder | undefined> {
  const { [variable]: chosen, HOME } = await processes.environment(pid, [variable, "HOME"]);
  if (chosen) return { path: chosen, is: "chosen" };
  return HOME ? { path: join(HOME, usual), is: "usual" } : undefined;
}

/** Undefined where there is none, it is too long, or it is being written this moment. */
export async function readFields(path: string, mostBytes: number): Promise<Fields | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  return bytes === undefined || bytes.length > mostBytes ? undefined : parseLine(bytes.toString("utf8"));
}
