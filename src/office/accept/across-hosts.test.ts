import { expect, it } from "vitest";
import { anAgent } from "../../../tests/contract/store-samples.ts";
import { openDesk } from "../../../tests/desk/desk.ts";
import { countingIds } from "../../../tests/desk/ids.ts";
import { type Neighbour, neighbourhood, neighboursOf } from "../../../tests/desk/neighbourhood.ts";
import { bodyFilesIn } from "../../store/body-files.ts";
import { sha256 } from "../../system/ids.ts";
import type { OfficeContext } from "../base/context.ts";
import { StateWatch } from "../base/state-watch.ts";
import { brokerRoom } from "../broker/room.ts";
import { Directory } from "../presence/directory.ts";
import { Neighbours } from "../presence/neighbourhood.ts";
import { Accept } from "./accept.ts";
import { Filing } from "./filing.ts";
import type { Submission } from "./submission.ts";

const SENDER: Submission["sender"] = { address: "program/test", source: "script" };

/** Accept on a host with the agent `coder`, which subscribes to `team/*`. */
async function acceptBeside(hosts: Readonly<Record<string, Neighbour>> | undefined) {
  const { store, clock, folder, settings } = await openDesk();
  const context = {
    store,
    clock,
    ids: countingIds(),
    digest: sha256,
    files: bodyFilesIn(folder),
    owner: "person/dev",
    settings: () => settings,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    checkpoint: () => {},
  } as Partial<OfficeContext> as OfficeContext;
  const neighbours = hosts === undefined ? new Neighbours() : neighboursOf(hosts);
  const directory = new Directory(store, context.owner, neighbours);
  const ground = { context, directory, states: new StateWatch(), neighbours };
  const woken: string[] = [];
  const broker = brokerRoom(ground, { released: () => {}, changed: () => {} });
  const accept = new Accept({
    ...ground,
    ...broker,
    filing: new Filing(context, directory),
    told: {
      expect: () => {},
      wake: (mailbox) => woken.push(mailbox),
      answered: () => {},
      came: () => {},
      looped: () => {},
      outletFor: (path) => (path.startsWith("slack/") ? "bridge/slack" : undefined),
      takesTurns: () => false,
      expires: () => {},
      deadlineIn: (delayMs) => delayMs,
    },
  });
  await store.write((tx) => tx.putAgent(anAgent("coder")));
  await broker.subscriptions.add({ kind: "agent", agent: "coder" }, "team/*", "coder");
  const send = (to: string, options?: Parameters<Accept["accept"]>[1], sender = SENDER) =>
    accept.accept({ to, sender, body: "hello", form: { kind: "text" }, priority: "normal" }, options);
  return { accept, neighbours, store, woken, send };
}

const HOSTS = {
  box: { has: ["agent/writer", "agent/ops"], hears: ["team/**", "slack/**"] },
  laptop: { has: ["agent/ops"], hears: ["team/news"] },
};

it("puts what is for another host into its mailbox, and wakes who empties it", async () => {
  const { send, woken } = await acceptBeside(HOSTS);
  const { message, deliveries } = await send("agent/writer@box");
  expect(message.to).toBe("agent/writer@box");
  expect(deliveries).toMatchObject([{ to: "host/box", state: "queued" }]);
  expect(deliveries[0]?.hold).toBeUndefined();
  expect(woken).toEqual(["host/box"]);
  expect((await send("person/ada@laptop")).deliveries).toMatchObject([{ to: "host/laptop" }]);
});

it("knows its own name: such an address is one here", async () => {
  const { send, accept } = await acceptBeside(HOSTS);
  const { message, deliveries } = await send("agent/coder@desk");
  expect(message.to).toBe("agent/coder");
  expect(deliveries).toMatchObject([{ to: "agent/coder" }]);
  expect(accept.reached({ to: "desk:coder", sender: SENDER })).toEqual(["agent/coder"]);
});

it("sends a path to those who hear it here, and once to each host where somebody does", async () => {
  const { send } = await acceptBeside(HOSTS);
  const mailboxes = async (path: string) => (await send(path)).deliveries.map(({ to }) => to);
  expect(await mailboxes("team/news")).toEqual(["agent/coder", "host/box", "host/laptop"]);
  expect(await mailboxes("team/a/b")).toEqual(["host/box"]);
  expect(await mailboxes("slack/team/#general")).toEqual(["host/box", "bridge/slack"]);
  expect(await mailboxes("agent/**")).toEqual(["agent/coder"]);
});

it("makes a dead letter only of what no host takes, and says why", async () => {
  const { send } = await acceptBeside(HOSTS);
  expect(await send("nobody/hears")).toMatchObject({
    unmatched: true,
    reason: "nobody subscribes to this path",
  });
  expect(await send("agent/x@moon")).toMatchObject({
    unmatched: true,
    reason: "the host moon is not admitted here",
  });
  expect(await send("agent/ops")).toMatchObject({
    unmatched: true,
    reason: "several hosts have it: box:ops, laptop:ops",
  });
  expect((await send("agent/writer")).deliveries).toMatchObject([{ to: "host/box" }]);
});

it("routes a dead letter again to a host that was admitted since", async () => {
  const { send, accept, neighbours } = await acceptBeside(HOSTS);
  const { message } = await send("agent/x@moon");
  expect(await accept.again(message)).toBe("left");
  neighbours.set(neighbourhood({ moon: {} }));
  expect(await accept.again(message)).toBe("delivered");
});

it("keeps what came from another host to those who are here", async () => {
  const { send, store } = await acceptBeside(HOSTS);
  const from = { address: "agent/writer@box", source: "agent" } as const;
  const options = { localOnly: true } as const;
  expect((await send("team/news", options, from)).deliveries).toMatchObject([{ to: "agent/coder" }]);
  await expect(send("team/a/b", options, from)).rejects.toMatchObject({ code: "recipient.unknown" });
  await expect(send("slack/team/#general", options, from)).rejects.toMatchObject({
    code: "recipient.unknown",
  });
  expect(store.read.deliveries({ mailboxes: ["host/box", "host/laptop", "bridge/slack"] })).toEqual([]);
});

it("tells who would get it, also on which host and why", async () => {
  const { accept } = await acceptBeside(HOSTS);
  const why = (to: string) =>
    accept.tried({ to, sender: SENDER }).recipients.map(({ to: mailbox, why: [first] }) => [mailbox, first]);
  expect(why("team/news")).toEqual([
    ["agent/coder", 'it subscribes to "team/*"'],
    ["host/box", "somebody on box subscribes to it"],
    ["host/laptop", "somebody on laptop subscribes to it"],
  ]);
  expect(why("agent/writer@box")).toEqual([["host/box", "it is on box"]]);
  expect(accept.tried({ to: "agent/x@moon", sender: SENDER })).toMatchObject({
    recipients: [],
    reason: "the host moon is not admitted here",
  });
});

it("asks nobody about hosts without a cluster", async () => {
  const { send } = await acceptBeside(undefined);
  expect((await send("team/news")).deliveries).toMatchObject([{ to: "agent/coder" }]);
  expect(await send("agent/writer@box")).toMatchObject({ unmatched: true });
});
