/** Sessions by HTTP: started and stopped, as the verbs of the same names do it. */
import type { z } from "zod";
import { toSnake } from "../../wire/casing.ts";
import type { startedAnswer, stopAnswer } from "../../wire/http/answers.ts";
import type { InputOf } from "../../wire/http/operations.ts";
import type { HttpCaller } from "./caller.ts";
import { milliseconds } from "./send.ts";

const STANDARD_COMMAND = ["claude"];

/** Whoever asks by HTTP brings no shell along: the daemon's own variables are what a program finds there. */
export async function spawn(
  { body }: InputOf<"spawn">,
  caller: HttpCaller,
): Promise<z.output<typeof startedAnswer>> {
  const started = await caller.ask("spawn", {
    prompt: body.prompt,
    command: body.command ?? STANDARD_COMMAND,
    folder: body.folder,
    environment: { ...caller.environment, ...body.environment },
    name: body.name ?? undefined,
    role: body.role ?? undefined,
    where: body.where ?? undefined,
  });
  return toSnake(started) as z.output<typeof startedAnswer>;
}

export async function stop(
  { parameters, body }: InputOf<"stop">,
  caller: HttpCaller,
): Promise<z.output<typeof stopAnswer>> {
  const graceMs = milliseconds(body.grace_seconds);
  const stopped = await caller.ask("session_stop", { who: parameters.session_id, graceMs });
  return toSnake(stopped) as z.output<typeof stopAnswer>;
}
