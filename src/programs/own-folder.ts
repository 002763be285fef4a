/** The files that a running program keeps for itself. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
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
  const text = await readOrdinary(path, mostBytes).catch(() => undefined);
  return text === undefined ? undefined : parseLine(text);
}

/** A named pipe in its place must not keep anybody waiting. */
async function readOrdinary(path: string, mostBytes: number): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    return stats.isFile() && stats.size <= mostBytes ? await file.readFile("utf8") : undefined;
  } finally {
    await file.close();
  }
}
