/** What a verified request says: JSON, or for Slack's commands a form. */
import { isUtf8 } from "node:buffer";
import { type Json, LIMITS } from "../../core/message.ts";

/** It is stored inside a message, which takes up one level. */
const MOST_LEVELS = LIMITS.jsonDepth - 1;
const MOST_FIELDS = 100;

export type BodyType = "json" | "form";

/** Undefined if it is not what it says, or is nested too deeply. */
export function parseBody(body: Buffer, type: BodyType): Json | undefined {
  if (!isUtf8(body)) return undefined;
  const text = body.toString("utf8");
  return type === "json" ? parseJson(text) : parseForm(text);
}

function parseJson(text: string): Json | undefined {
  if (isDeeperThan(text, MOST_LEVELS)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A press of a button in Slack is JSON in the field `payload`. */
function parseForm(text: string): Json | undefined {
  const fields = [...new URLSearchParams(text)].slice(0, MOST_FIELDS);
  const payload = fields.find(([name]) => name === "payload")?.[1];
  return payload === undefined ? Object.fromEntries(fields) : parseJson(payload);
}

/** Scans the text: walking a hostile value could overflow the stack. */
function isDeeperThan(text: string, most: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "[" || character === "{") {
      depth += 1;
      if (depth > most) return true;
    } else if (character === "]" || character === "}") depth -= 1;
  }
  return false;
}
