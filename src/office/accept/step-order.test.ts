import { expect, it } from "vitest";
import { openDesk } from "../../../tests/desk/desk.ts";
import { countingIds } from "../../../tests/desk/ids.ts";
import { bodyFilesIn } from "../../store/body-files.ts";
import { sha256 } from "../../system/ids.ts";
import type { OfficeContext } from "../base/context.ts";
import { StateWatch } from "../base/state-watch.ts";
import { walk } from "../base/walk.ts";
import { brokerRoom } from "../broker/room.ts";
import { Directory } from "../presence/directory.ts";
import { Neighbours } from "../presence/neighbourhood.ts";
import { BEFORE, INSIDE } from "./accept.ts";
import { AcceptedLog } from "./accepted-log.ts";
import { Filing } from "./filing.ts";
import { type AcceptParts, Incoming } from "./incoming.ts";
import { LoopWatch } from "./loop-watch.ts";
import type { Submission } from "./submission.ts";

const MADE_BY_STEPS = ["path", "submission", "decision", "message", "accepted"];

/** Throws if a step reads a field that no earlier step has set. */
function strict(incoming: Incoming): Incoming {
  return new Proxy(incoming, {
    get: (target, field) => {
      const value: unknown = Reflect.get(target, field);
      if (value === undefined && MADE_BY_STEPS.includes(String(field)))
        throw new Error(`${String(field)} is read too early`);
      return value;
    },
  });
}

async function accepting() {
  const { store, clock, folder, settings } = await openDesk();
  const context = {
    store,
    clock,
    ids: countingIds(),
    digest: sha256,
    files: bodyFilesIn(folder),
    owner: "person/dev",
    settings: () => settings,
    checkpoint: () => {},
  } as Partial<OfficeContext> as OfficeContext;
  const directory = new Directory(context.store, context.owner);
  const ground = { context, directory, states: new StateWatch(), neighbours: new Neighbours() };
  const parts: AcceptParts = {
    ...ground,
    ...brokerRoom(ground, { released: () => {}, changed: () => {} }),
    filing: new Filing(context, directory),
    loops: new LoopWatch(ground),
    acceptedLog: new AcceptedLog(context),
    told: {
      expect: () => {},
      wake: () => {},
      answered: () => {},
      came: () => {},
      looped: () => {},
      outletFor: () => undefined,
      takesTurns: () => false,
      expires: () => {},
      deadlineIn: (delayMs) => delayMs,
    },
  };
  const submission: Submission = {
    to: context.owner,
    sender: { address: "program/test", source: "script" },
    body: "hello",
    form: { kind: "text" },
    priority: "normal",
  };
  return async (inside: typeof INSIDE): Promise<Incoming> => {
    const incoming = strict(new Incoming(parts, submission, {}));
    walk(context, BEFORE, incoming);
    await context.store.write((tx) => {
      incoming.tx = tx;
      walk(context, inside, incoming);
    });
    return incoming;
  };
}

it("every step of accept reads only what a step before it has made", async () => {
  const run = await accepting();
  expect((await run(INSIDE)).accepted).toMatchObject({ unmatched: false, deliveries: [{ state: "queued" }] });
});

it("a step that comes too early is noticed", async () => {
  const run = await accepting();
  const named = (name: string) =>
    INSIDE.filter((one) => typeof one !== "string" && one.name === `accept.${name}`);
  const without = (name: string) => INSIDE.filter((one) => !named(name).includes(one));
  await expect(run([...named("place"), ...without("place")])).rejects.toThrow("message is read too early");
  await expect(run([...without("route"), ...named("route")])).rejects.toThrow("decision is read too early");
});
