import { expect } from "vitest";
import { parseConfig } from "../src/config/config.ts";
import type { BellhopError } from "../src/core/errors.ts";

/** Why `/home/config.yaml` is refused; empty if it is accepted. */
export function problemsOf(text: string): string {
  try {
    parseConfig(text, "/home/config.yaml");
  } catch (error) {
    expect((error as BellhopError).code).toBe("config.invalid");
    return (error as BellhopError).message;
  }
  return "";
}
