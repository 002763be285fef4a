/** What a verb is made of: one entry says all of it. Types of requests come from their schemas. */
import type { z } from "zod";
import type { Instant, Json } from "../../core/message.ts";
import type { Need } from "../../core/rights/needs.ts";

/** A request is read, never written to; JSON that is opaque to us stays as it is. */
type Immutable<T> = Json extends T
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Immutable<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Immutable<T[Key]> }
      : T;

/** What a schema lets through. */
export type Checked<Schema extends z.ZodType> = Immutable<z.output<Schema>>;

/** A type and nothing else: what we answer ourselves is checked by the compiler. */
interface Typed<T> {
  readonly type?: T;
}

export function typed<T>(): Typed<T> {
  return {};
}

/** Does not end with one answer. */
export interface StreamEntry<Schema extends z.ZodType = z.ZodType> {
  readonly request: Schema;
  /** What it takes to ask this. The owner may ask anything. */
  readonly needs: (request: Checked<Schema>) => readonly Need[];
}

export interface VerbEntry<Schema extends z.ZodType = z.ZodType, Response = unknown>
  extends StreamEntry<Schema> {
  readonly response: Typed<Response>;
  /** What a caller need not say. Who asks is filled in wherever the request has a field for it. */
  readonly defaults?: (now: Instant) => Readonly<Record<string, unknown>>;
  /** Other names of fields, and ours. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** What is asked, what is answered, and what it takes to ask. */
export function verb<Schema extends z.ZodType, Response>(
  request: Schema,
  response: Typed<Response>,
  needs: StreamEntry<Schema>["needs"],
  more: Pick<VerbEntry, "defaults" | "aliases"> = {},
): VerbEntry<Schema, Response> {
  return { request, response, needs, ...more };
}

export function stream<Schema extends z.ZodType>(
  request: Schema,
  needs: StreamEntry<Schema>["needs"],
): StreamEntry<Schema> {
  return { request, needs };
}
