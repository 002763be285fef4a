/** The parts of a verb, all in one entry. Request types are derived from their schemas. */
import type { z } from "zod";
import type { Instant, Json } from "../../core/message.ts";
import type { Need } from "../../core/rights/needs.ts";

/** Requests are read-only; JSON that is opaque to us keeps its type. */
type Immutable<T> = Json extends T
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Immutable<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Immutable<T[Key]> }
      : T;

/** What a schema accepts. */
export type Checked<Schema extends z.ZodType> = Immutable<z.output<Schema>>;

/** Only a type: our own answers are checked by the compiler. */
interface Typed<T> {
  readonly type?: T;
}

export function typed<T>(): Typed<T> {
  return {};
}

/** A request with more than one answer. */
export interface StreamEntry<Schema extends z.ZodType = z.ZodType> {
  readonly request: Schema;
  /** The rights needed to ask this. The owner may ask anything. */
  readonly needs: (request: Checked<Schema>) => readonly Need[];
}

export interface VerbEntry<Schema extends z.ZodType = z.ZodType, Response = unknown>
  extends StreamEntry<Schema> {
  readonly response: Typed<Response>;
  /** Fields that a caller may omit. Who asks is filled in wherever the request has a field for it. */
  readonly defaults?: (now: Instant) => Readonly<Record<string, unknown>>;
  /** Alternative field names → ours. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** A verb's request, answer and needed rights. */
export function verb<Schema extends z.ZodType, Response>(
  request: () => Schema,
  response: Typed<Response>,
  needs: StreamEntry<Schema>["needs"],
  more: Pick<VerbEntry, "defaults" | "aliases"> = {},
): VerbEntry<Schema, Response> {
  return Object.assign(stream(request, needs), { response, ...more });
}

export function stream<Schema extends z.ZodType>(
  request: () => Schema,
  needs: StreamEntry<Schema>["needs"],
): StreamEntry<Schema> {
  let made: Schema | undefined;
  return {
    // Made when it is first asked: a daemon is asked a few of its verbs, and a start waits for none of them.
    get request() {
      made ??= request();
      return made;
    },
    needs,
  };
}
