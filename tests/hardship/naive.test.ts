/**
 * The control arm: messages carried as one would without a store, by NATS's own publish, suffer three of the troubles.
 * The checker must condemn it each time; if it did not, these troubles would prove nothing.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Machines } from "../rig/machines.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { NatsOnMachines } from "../rig/nats-on-machines.ts";
import { removeFolder } from "../rig/remove-folder.ts";
import { readScriptedLog } from "../rig/scripted-agent.ts";
import { faultsOf, type History, type Sent, type Side } from "./checker.ts";

const CARRIER = join(dirname(fileURLToPath(import.meta.url)), "naive-carrier.mjs");
const FROM = "laptop/ann";
const TO = "desk/bob";
const EVERY_MS = 25;
const DELIVERED: Side = { state: "delivered", possibleDuplicate: false };

beforeAll(assertInNamespace);

describe("messages without a store", () => {
  let machines: Machines;
  let nats: NatsOnMachines;
  let receiver: ChildProcess;
  const folder = mkdtempSync(join(tmpdir(), "bh-naive-"));
  const log = join(folder, "log.jsonl");

  beforeAll(async () => {
    machines = await Machines.start(["laptop", "desk", "n1", "n2", "n3"]);
    nats = await NatsOnMachines.start(["n1", "n2", "n3"].map((name) => machines.machine(name)));
  });
  afterAll(async () => {
    await nats?.end();
    await machines?.end();
    removeFolder(folder);
  });

  const carry = async (machine: string, args: readonly string[]): Promise<ChildProcess> => {
    const [what = "", ...rest] = args;
    const words = [CARRIER, what, nats.urls.join(","), ...rest];
    const child = machines
      .machine(machine)
      .spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
    await once(child.stdout as NodeJS.ReadableStream, "data");
    return child;
  };
  const receive = async () => {
    receiver = await carry("desk", ["receive", "bob", log]);
  };

  /** Sends until the work is done, and a little longer. */
  async function sentDuring(work: () => Promise<void>): Promise<readonly Sent[]> {
    const sender = await carry("laptop", ["send"]);
    let acknowledged = 0;
    sender.stdout?.setEncoding("utf8").on("data", (text: string) => {
      acknowledged += text.split("sent").length - 1;
    });
    const sent: Sent[] = [];
    const send = () => {
      const number = sent.length + 1;
      sent.push({ mark: `m${number}`, from: FROM, to: TO, number, acknowledged: false });
      sender.stdin?.write(`${JSON.stringify({ subject: "bob", text: `m${number}` })}\n`);
    };
    const sending = setInterval(send, EVERY_MS);
    await sleep(500);
    await work();
    await sleep(1_500);
    clearInterval(sending);
    await sleep(1_000);
    sender.kill("SIGKILL");
    return sent.map((one, at) => ({ ...one, acknowledged: at < acknowledged }));
  }

  /** What a store would say of it is left out: both sides say that all is well. */
  function historyOf(sent: readonly Sent[]): History {
    return {
      sent,
      here: new Map(sent.map(({ mark }) => [mark, DELIVERED])),
      there: new Map(sent.map(({ mark }) => [mark, [DELIVERED]])),
      read: new Map([[TO, readScriptedLog(log).flatMap(({ prompt }) => prompt ?? [])]]),
    };
  }

  it.each<[string, () => Promise<void>, readonly string[]]>([
    ["calm", () => sleep(1_000), []],
    [
      "a host is unplugged",
      async () => {
        await machines.unplug(machines.machine("desk"));
        await sleep(7_000);
        await machines.plugIn(machines.machine("desk"));
      },
      ["lost"],
    ],
    [
      "who receives is killed",
      async () => {
        receiver.kill("SIGKILL");
        await sleep(500);
        await receive();
      },
      ["lost"],
    ],
    [
      "all nodes are killed",
      async () => {
        for (let round = 0; round < 2; round += 1) {
          await Promise.all(nats.nodes.map((node) => node.kill()));
          for (const node of nats.nodes) node.start();
          await nats.untilReady();
          await sleep(1_000);
        }
      },
      ["lost"],
    ],
  ])("%s", async (_, trouble, kinds) => {
    writeFileSync(log, "");
    await receive();
    const sent = await sentDuring(trouble);
    receiver.kill("SIGKILL");
    expect(sent.filter(({ acknowledged }) => acknowledged).length).toBeGreaterThan(20);
    expect([...new Set(faultsOf(historyOf(sent)).map(({ kind }) => kind))]).toEqual(kinds);
  });
});
