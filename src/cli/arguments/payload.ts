/** `--payload`: JSON from the command line or stdin, checked here as a door would check it. */
import { isUtf8 } from "node:buffer";
import { BellhopError } from "../../core/errors.ts";
import { type Json, LIMITS } from "../../core/message.ts";
import { isDeeperThan } from "../../wire/lines.ts";
import { usage } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { argumentsAreUtf8, notUtf8 } from "./body.ts";

/** It is sent inside a request, which takes up one level. */
const MOST_LEVELS = LIMITS.jsonDepth - 1;

export async function readPayload(context: CommandContext, given: string): Promise<Json> {
  return payloadFrom(given === "-" ? await fromStdin(context) : fromArgument(given));
}

export function payloadFrom(text: string): Json {
  if (isDeeperThan(text, MOST_LEVELS)) {
    throw usage(
      `The payload is nested deeper than ${MOST_LEVELS} levels.`,
      "Flatten it, or send it as text.",
    );
  }
  const payload = parsed(text);
  // Measured as it will be sent: 1e20 becomes longer.
  if (Buffer.byteLength(JSON.stringify(payload)) > LIMITS.bodyBytes) throw tooLarge();
  return payload;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text, (_, value: Json) => {
      if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
        throw usage("The payload holds a number that is too large for JSON.", "Write it as a text.");
      }
      return value;
    }) as Json;
  } catch (error) {
    if (error instanceof BellhopError) throw error;
    throw usage("The payload is not JSON.", `Quote it for your shell: --payload '{"topic":"login"}'.`);
  }
}

async function fromStdin(context: CommandContext): Promise<string> {
  const bytes = await context.readStdin(LIMITS.bodyBytes + 3);
  if (bytes.length > LIMITS.bodyBytes + 2) throw tooLarge();
  if (!isUtf8(bytes)) throw notUtf8();
  return bytes.toString("utf8");
}

function fromArgument(text: string): string {
  if (text.includes("\ufffd") && !argumentsAreUtf8()) throw notUtf8();
  return text;
}

function tooLarge(): BellhopError {
  return new BellhopError("message.too_large", {
    message: `A payload can have at most ${LIMITS.bodyBytes / 1_024} KiB.`,
    next: "Put the data in a file that the recipient can read, and send the path.",
  });
}
