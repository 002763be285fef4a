import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Desk } from "../../../tests/desk/desk.ts";
import type { Store, StoredSession, StoreReader } from "../../ports/store.ts";
import { type Connection, connectionOver, type Query } from "../../store/sqlite/connection.ts";
import { IN_MEMORY, openDatabase } from "../../store/sqlite/open.ts";
import { storeOver } from "../../store/sqlite/store.ts";

/** How much the store was asked for, and how much it returned. */
interface Counted {
  statements: number;
  records: number;
}

/** A desk that counts every read, with an agent that has this many past sessions. */
async function deskWithPast(past: number): Promise<{ readonly desk: Desk; readonly counted: Counted }> {
  const database = await openDatabase(IN_MEMORY);
  const counted: Counted = { statements: 0, records: 0 };
  const connection = countingStatements(
    connectionOver(database, () => {}),
    counted,
  );
  const store = countingRecords(storeOver(database, connection), counted);
  const desk = new Desk(store, mkdtempSync(join(tmpdir(), "bellhop-past-")));
  onTestFinished(() => desk.close());
  await store.write((tx) => {
    tx.putAgent({ name: "coder", createdAt: 1, origin: "added", chosen: true, paused: false });
    for (let number = 0; number < past; number += 1) tx.putSession(ended(number));
  });
  desk.agent("reviewer");
  desk.agent("tester");
  await desk.ready();
  // Every past session was written to once, so that none is skipped for lack of an address.
  for (let number = 0; number < past; number += 1) await desk.use.send({ ...said, to: ended(number).id });
  return { desk, counted };
}

const said = { body: "hello", claims: { user: "dev" } };

function ended(number: number): StoredSession {
  const id = (0xa0000000 + number).toString(16);
  return {
    id,
    agent: "coder",
    main: true,
    program: "plain",
    label: `work:${number}.0`,
    title: "",
    folder: "/home/dev/coder",
    hooked: false,
    startedAt: 1,
    lastActiveAt: 1,
    exitedAt: 2 + number,
  };
}

function countingStatements(connection: Connection, counted: Counted): Connection {
  const counting = (query: Query): Query => ({
    run: (...values) => {
      counted.statements += 1;
      return query.run(...values);
    },
    insert: (...values) => {
      counted.statements += 1;
      return query.insert(...values);
    },
    get: (...values) => {
      counted.statements += 1;
      return query.get(...values);
    },
    all: (...values) => {
      counted.statements += 1;
      return query.all(...values);
    },
  });
  return { ...connection, sql: (text) => counting(connection.sql(text)) };
}

function countingRecords(store: Store, counted: Counted): Store {
  const counting = <Reader extends StoreReader>(reader: Reader): Reader =>
    new Proxy(reader, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return (...values: unknown[]) => {
          const answer: unknown = method.apply(target, values);
          counted.records += Array.isArray(answer) ? answer.length : 1;
          return answer;
        };
      },
    });
  return {
    ...store,
    read: counting(store.read),
    write: (change) => store.write((tx) => change(counting(tx))),
  };
}

async function costOf(past: number, work: (desk: Desk) => Promise<unknown>): Promise<Counted> {
  const { desk, counted } = await deskWithPast(past);
  await work(desk);
  Object.assign(counted, { statements: 0, records: 0 });
  await work(desk);
  return { ...counted };
}

it.each([
  ["to an agent with a long past", (desk: Desk) => desk.send("coder", "hello")],
  ["to a program that runs", (desk: Desk) => desk.send("reviewer", "hello")],
  ["by an agent", (desk: Desk) => desk.sendAs(desk.agents[0] ?? desk.agent("x"), "coder", "hello")],
  ["to a session of the past", (desk: Desk) => desk.send(ended(3).id, "hello")],
])("a send %s reads as much with 200 sessions behind it as with 20", async (_, work) => {
  const [few, many] = [await costOf(20, work), await costOf(200, work)];
  // A courier that runs meanwhile adds or saves a few statements.
  expect(many.statements).toBeLessThanOrEqual(few.statements + 3);
  expect(many.records).toBeLessThanOrEqual(few.records + 3);
});

it("a list of agents reads a few records for each session of the past, however many agents there are", async () => {
  const list = (desk: Desk) => desk.use.agent_list({});
  const [few, many] = [await costOf(20, list), await costOf(220, list)];
  expect(many.statements - few.statements).toBeLessThanOrEqual(2 * 200);
  expect(many.records - few.records).toBeLessThanOrEqual(4 * 200);
});
