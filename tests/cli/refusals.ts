/** What a refused command says. */
import { expect } from "vitest";
import type { CliResult } from "../rig/bellhop.ts";

export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly next: string;
  readonly candidates?: readonly string[];
}

export function refusal(result: CliResult): Refusal {
  expect(result.stdout, result.stderr).toBe("");
  const lines = result.stderr.trimEnd().split("\n");
  expect(lines).toHaveLength(1);
  const { error } = JSON.parse(lines[0] ?? "") as { error: Refusal };
  expect(error.message).not.toBe("");
  expect(error.next).not.toBe("");
  expect(result.stderr).not.toMatch(/\bat .*:\d+:\d+/);
  return error;
}
