import { once } from "node:events";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../rig/scripted-agent.ts";
import { FRIEND, IMessageStage, PHONE } from "./imessage-stage.ts";

let stage: IMessageStage;

beforeEach(async () => {
  stage = await IMessageStage.open();
});

afterEach(async () => {
  await stage.close();
});

describe("what keeps iMessage from reading", () => {
  it("is another system, unless a database is named", async () => {
    const bridge = stage.bridge({ chatDb: undefined } as object, { platform: "linux" });
    await bridge.open(stage.inbox);
    expect(bridge.health()).toMatchObject({
      state: "refused",
      error: expect.stringMatching(/^iMessage works only on macOS.*Telegram/u),
    });
    expect((await stage.say(bridge)).outcome).toMatchObject({ kind: "refused" });
  });

  it("is Full Disk Access, with what to do, until it is given", async () => {
    const { messages, inbox } = stage;
    await messages.closesDatabase();
    const [real, aside] = [dirname(messages.chatDb), join(messages.folder, "aside")];
    renameSync(real, aside);
    mkdirSync(real);
    // A socket cannot be opened as a file: SQLite reports what it reports without the permission.
    const socket = createServer().listen(messages.chatDb);
    await once(socket, "listening");
    const bridge = stage.bridge({ pollMs: 200 });
    await bridge.open(inbox);
    expect(bridge.health()).toMatchObject({
      state: "refused",
      error: expect.stringMatching(/Full Disk Access is missing\. Open System Settings.*"bellhop up"/u),
    });
    socket.close();
    rmSync(real, { recursive: true });
    renameSync(aside, real);
    await until(() => bridge.health().state === "connected", "the permission to count");
    await messages.writes({ text: "allowed", from: PHONE });
    await inbox.has(1);
  });

  it("is a file that is no database, or has other tables", async () => {
    const path = join(stage.messages.folder, "other.db");
    writeFileSync(
      path,
      "this is not a database, though it is long enough to have a header of a hundred bytes or so",
    );
    const bridge = stage.bridge({ chatDb: path });
    await bridge.open(stage.inbox);
    expect(bridge.health()).toMatchObject({ state: "refused", error: expect.stringContaining("is damaged") });

    const other = await IMessageStage.open("CREATE TABLE message (ROWID INTEGER PRIMARY KEY, guid TEXT)");
    const second = other.bridge();
    await second.open(other.inbox);
    expect(second.health()).toMatchObject({
      state: "refused",
      error: expect.stringContaining('no column "text" in its table "message"'),
    });
    await other.close();
  });

  it.each([
    ["cannot be read", { kept: () => fail("the disk is gone") }, "the disk is gone"],
    ["is no number", { kept: () => "-1" }, '"inbound" is no number'],
    ["is empty", { kept: () => "" }, '"inbound" is no number'],
    ["is missing for one of the two", { kept: only("inbound") }, '"self" is missing'],
  ])("is a position that %s: it never begins at the oldest message", async (_name, inbox, why) => {
    const { messages } = stage;
    await messages.writes({ text: "old", from: PHONE });
    const bridge = stage.bridge({ pollMs: 100 });
    await bridge.open(Object.assign(stage.inbox, inbox));
    expect(bridge.health()).toMatchObject({ state: "refused", error: expect.stringContaining(why) });
    await messages.writes({ text: "new", from: PHONE });
    await messages.writes({ text: "newer", from: PHONE, isFromMe: true });
    expect(stage.inbox.taken).toEqual([]);
    expect(bridge.health().state).toBe("refused");
  });

  it("is not another database in its place: it goes on at the newest message of that one", async () => {
    const { messages, inbox } = stage;
    await messages.writesMany(Array.from({ length: 50 }, () => ({ text: "no", from: FRIEND })));
    await stage.connected({ pollMs: 200 });
    await messages.closesDatabase();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(messages.chatDb + suffix, { force: true });
    await messages.writes({ text: "before it was noticed", from: PHONE });
    await until(() => inbox.kept("inbound") === "1", "the other database to be noticed");
    await messages.writes({ text: "after", from: PHONE });
    await inbox.has(1);
    expect(inbox.texts()).toEqual(["after"]);
    expect(stage.events("imessage.other_database")).toHaveLength(1);
  });

  it("is not that the newest messages were deleted", async () => {
    const { messages, inbox } = stage;
    await stage.connected();
    await messages.writes({ text: "one", from: PHONE });
    await messages.writes({ text: "two", from: PHONE });
    await inbox.has(2);
    await messages.run("DELETE FROM message");
    await messages.writes({ text: "three", from: PHONE });
    await inbox.has(3);
    expect(stage.events("imessage.other_database")).toEqual([]);
  });
});

function fail(words: string): never {
  throw new Error(words);
}

function only(key: string): (asked: string) => string | undefined {
  return (asked) => (asked === key ? "0" : undefined);
}
