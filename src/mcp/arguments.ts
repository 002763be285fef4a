/** Checks the arguments that a model gave; reports all errors at once, so that one more attempt is enough. */
import type { z } from "zod";
import { BellhopError, type ErrorCode, isErrorCode } from "../core/errors.ts";
import { LIMITS } from "../core/message.ts";
import { nearest } from "../core/text/nearest.ts";
import { sanitiseLine } from "../core/text/sanitise.ts";
import { isDeeperThan, malformed } from "../wire/lines.ts";

const MOST_FAULTS = 5;
const FAULT_CHARACTERS = 200;

export function readArguments<Input extends z.ZodObject>(
  tool: string,
  schema: Input,
  given: unknown,
): z.output<Input> {
  checkSize(tool, given);
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const fields = Object.keys(schema.shape);
  throw refusal(tool, fields, parsed.error.issues);
}

/** Checked before anything walks through it: a deep value overflows the stack of code that copies it. */
function checkSize(tool: string, given: unknown): void {
  let text: string;
  try {
    text = JSON.stringify(given ?? {});
  } catch {
    throw tooDeep(tool);
  }
  if (isDeeperThan(text, LIMITS.jsonDepth)) throw tooDeep(tool);
  if (Buffer.byteLength(text) > LIMITS.requestBytes)
    throw new BellhopError("message.too_large", {
      message: `The arguments of ${tool} have more than ${LIMITS.requestBytes / 1024} KiB.`,
      next: "Write it to a file that the recipient can read, and send the path.",
    });
}

function tooDeep(tool: string): BellhopError {
  return malformed(
    `The arguments of ${tool} are nested deeper than ${LIMITS.jsonDepth} levels.`,
    "Flatten them, or send them as text.",
  );
}

function refusal(tool: string, fields: readonly string[], issues: readonly z.core.$ZodIssue[]): BellhopError {
  const told = issues.slice(0, MOST_FAULTS).map((issue) => faultIn(issue, fields));
  const message = `${tool}: ${told.map(({ words }) => words).join("; ")}.`;
  const code = told.find((fault) => fault.code !== undefined)?.code;
  if (code === "message.too_large")
    return new BellhopError(code, {
      message,
      next: "Write it to a file that the recipient can read, and send the path.",
    });
  return new BellhopError(code ?? "request.malformed", {
    message,
    next: fields.length === 0 ? "Call it without arguments." : `It takes: ${fields.join(", ")}.`,
  });
}

interface Fault {
  readonly words: string;
  readonly code?: ErrorCode;
}

function faultIn(issue: z.core.$ZodIssue, fields: readonly string[]): Fault {
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const meant = nearest(key, fields);
    return {
      words: `there is no ${quoted(key)}${meant === undefined ? "" : ` (did you mean "${meant}"?)`}`,
    };
  }
  const place = issue.path.length === 0 ? "the arguments" : quoted(issue.path.map(String).join("."));
  const code = issue.code === "custom" ? issue.params?.errorCode : undefined;
  return {
    words: `${place}: ${sanitiseLine(issue.message, FAULT_CHARACTERS)}`,
    ...(typeof code === "string" && isErrorCode(code) ? { code } : {}),
  };
}

function quoted(key: string): string {
  return `"${sanitiseLine(key, 64)}"`;
}
