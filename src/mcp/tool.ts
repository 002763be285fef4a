/** A tool, independent of its transport: a schema, a description for a model, and what it asks of the office. */
import type { z } from "zod";
import type { Instant } from "../core/message.ts";
import type { OffsetAt } from "../core/time/when.ts";
import type { Claims } from "../wire/verbs/claims.ts";
import type { RequestOf, ResponseOf, Verb } from "../wire/verbs/index.ts";
import { readArguments } from "./arguments.ts";

/** What a tool has available during one call. */
export interface ToolSetting {
  /** `timeoutMs`: how long it may take, if that is long on purpose. */
  call<V extends Verb>(
    verb: V,
    request: RequestOf<V>,
    options?: { readonly timeoutMs?: number },
  ): Promise<ResponseOf<V>>;
  /** Who calls: determined by credential or environment, never by what the model writes. */
  readonly claims: Claims;
  now(): Instant;
  readonly offsetAt: OffsetAt;
}

export interface ToolOutcome<Value> {
  /** Everything: many programs show their model nothing else. */
  readonly value: Value;
  /** The same for programs that only read text. */
  readonly text: string;
}

interface Described {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** `looks` changes nothing; `adds` changes something but removes nothing. */
  readonly effect: "looks" | "adds" | "adds-once";
  /** Whether it can reach beyond this machine. */
  readonly reach: "here" | "anywhere";
}

export interface Tool extends Described {
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  run(given: unknown, setting: ToolSetting): Promise<ToolOutcome<Readonly<Record<string, unknown>>>>;
}

export interface ToolSpec<Input extends z.ZodObject, Output extends z.ZodObject> extends Described {
  readonly input: Input;
  readonly output: Output;
  run(input: z.output<Input>, setting: ToolSetting): Promise<ToolOutcome<z.input<Output>>>;
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  spec: ToolSpec<Input, Output>,
): Tool {
  return {
    ...spec,
    run: async (given, setting) => spec.run(readArguments(spec.name, spec.input, given), setting),
  };
}
