import { describe, expect, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { ReadinessKind } from "../../core/readiness/readiness.ts";
import { snakeKey } from "../casing.ts";
import type { StatusResponse } from "../shapes/daemon.ts";
import type { ExplainResponse, HistoryEntry, ShownDelivery, ShownMessage } from "../shapes/messages.ts";
import type { ShownReminder } from "../shapes/reminders.ts";
import type { ListedSession } from "../shapes/sessions.ts";
import {
  type explainAnswer,
  type historyAnswer,
  type message,
  messageAnswer,
  type reminder,
  type session,
  type statusAnswer,
} from "./answers.ts";

type Snake<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Snake<Rest>}`
    : `_${Lowercase<First>}${Snake<Rest>}`
  : Text;
type Fields<Shape> = Snake<keyof Shape & string>;
type Drawn<Schema extends z.ZodType> = keyof z.output<Schema>;

describe("the schemas of answers", () => {
  /** Checked by the compiler: a field added to or removed from a shape must also change its schema. */
  it("have exactly the fields that cross the other doors", () => {
    expectTypeOf<Drawn<typeof message>>().toEqualTypeOf<Fields<ShownMessage>>();
    expectTypeOf<Drawn<typeof session>>().toEqualTypeOf<Fields<ListedSession>>();
    expectTypeOf<Drawn<typeof reminder>>().toEqualTypeOf<Fields<ShownReminder>>();
    expectTypeOf<Drawn<typeof statusAnswer>>().toEqualTypeOf<Fields<StatusResponse>>();
    expectTypeOf<Drawn<typeof explainAnswer>>().toEqualTypeOf<Fields<ExplainResponse>>();
    type Delivery = z.output<typeof messageAnswer>["deliveries"][number];
    expectTypeOf<keyof Delivery>().toEqualTypeOf<Fields<ShownDelivery>>();
    type Entry = z.output<typeof historyAnswer>["entries"][number];
    expectTypeOf<keyof Entry["delivery"]>().toEqualTypeOf<Fields<HistoryEntry["delivery"]>>();
    expectTypeOf<z.output<typeof session>["readiness"]>().toEqualTypeOf<ReadinessKind>();
    expectTypeOf<z.output<typeof message>["source"]>().toEqualTypeOf<ShownMessage["source"]>();
    expectTypeOf<Snake<"idempotencyKey">>().toEqualTypeOf<"idempotency_key">();
    expect(snakeKey("idempotencyKey")).toBe("idempotency_key");
  });

  it("are closed, so that a test sees what is not declared", () => {
    expect(messageAnswer.safeParse({ message: {}, deliveries: [], more: 1 }).success).toBe(false);
  });
});
