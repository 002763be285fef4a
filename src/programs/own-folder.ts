/** The files that a running program keeps for itself. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Processes } from "../ports/processes.ts";
import { type Fields, parseLine } from "./transcripts/line.ts";

export interface OwnFolder {
  readonly path: string;
  readonly is: "chosen" | "usual";
}

/** The folder named by its variable, or the usual place in its home. */
export async function ownFolder(
  processes: Pick<Processes, "environment">,
  pid: number,
  { variable, usual }: { readonly variable: string; readonly usual: string },
): Promise<OwnFolder | undefined> {
  const { [variable]: chosen, HOME } = await processes.environment(pid, [variable, "HOME"]);
  if (chosen) return { path: chosen, is: "chosen" };
  return HOME ? { path: join(HOME, usual), is: "usual" } : undefined;
}

/** Undefined if there is no such file, it is too long, or it is just being written. */
export async function readFields(path: string, mostBytes: number): Promise<Fields | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  return bytes === undefined || bytes.length > mostBytes ? undefined : parseLine(bytes.toString("utf8"));
}
