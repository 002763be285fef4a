/** A host that is killed or stopped: one session is affected, its mail waits, and nothing is typed or kept blindly. */
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Client } from "../../src/client/connect.ts";
import { type AttachedPerson, expectRestored, sitDown } from "../rig/attached-person.ts";
import { runDetached } from "../rig/hosted-agent.ts";
import { hostRecords } from "../rig/hosts.ts";
import { until } from "../rig/scripted-agent.ts";
import { CrashScene, claims } from "./crash-rig.ts";

let scene: CrashScene;
let people: AttachedPerson[];

beforeEach(async () => {
  people = [];
  scene = await CrashScene.open({ agents: ["coder", "other"], place: "hosted" });
  await scene.bellhop.start();
});
afterEach(async () => {
  for (const person of people) person.close();
  await scene.close();
});

const recordOf = (agent: string) => {
  const record = hostRecords(scene.bellhop.home).find((one) => one.agent === agent);
  if (record === undefined) throw new Error(`no host of ${agent}`);
  return record;
};

/** A process that has ended, even if nobody has reaped it yet. */
function isOver(pid: number): boolean {
  try {
    return /^\d+ \(.*\) [ZX] /su.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}

async function sendTo(client: Client, to: string, body: string): Promise<string> {
  return (await client.call("send", { to, body, claims })).messageId;
}

const holdOf = async (client: Client, id: string) =>
  (await client.call("show", { id })).deliveries[0]?.hold?.reason;

async function idle(client: Client, agent: string): Promise<void> {
  await until(async () => {
    const { sessions } = await client.call("ls", {});
    return sessions.some((one) => one.agent === agent && one.readiness === "idle");
  }, `${agent} to be idle`);
}

describe("a host that is killed", () => {
  it("leaves an exited session, the person's terminal as it was, no program, and the mail waiting", async () => {
    const client = await scene.bellhop.client();
    const person = sitDown(scene.bellhop, "coder");
    people.push(person);
    await person.sees("coder is ready.");
    person.type("\x1cp");
    await person.sees("keyboard: you");
    const waiting = await sendTo(client, "coder", "while they have the keyboard");
    await until(async () => (await holdOf(client, waiting)) === "attached", "the message to be held");
    const { hostPid, programPid, sessionId } = recordOf("coder");
    process.kill(hostPid, "SIGKILL");
    await expectRestored(person, 1);
    await person.sees("Messages for the agent stay queued.");
    await until(() => isOver(programPid), "the program to end with its terminal");
    await until(
      async () => (await holdOf(client, waiting)) === "offline",
      "the message to be held as offline",
    );
    const later = await sendTo(client, "coder", "after it was gone");
    expect(await holdOf(client, later)).toBe("offline");
    expect(await client.call("session", { who: "coder" })).toMatchObject({ readiness: "exited" });
    const { sessions } = await client.call("ls", {});
    expect(sessions.filter(({ agent, readiness }) => agent === "coder" && readiness !== "exited")).toEqual(
      [],
    );
    // No other session was affected.
    await idle(client, "other");
    expect(await scene.reachesOnce(client, await sendTo(client, "other", "are you there"))).toBe(1);
    const again = await scene.bellhop.json<{ sessionId: string }>(["restart", "coder"]);
    expect(again.sessionId).toBe(sessionId);
    for (const id of [waiting, later]) expect(await scene.reachesOnce(client, id)).toBe(1);
  });

  it("takes a program along that does not heed the hangup, as soon as a daemon looks", async () => {
    const stubborn = ["bash", "--norc", "-c", "trap '' HUP TERM; echo ready; while :; do sleep 0.1; done"];
    await runDetached(scene.bellhop, "stubborn", stubborn);
    const { hostPid, programPid } = recordOf("stubborn");
    process.kill(hostPid, "SIGKILL");
    await until(() => isOver(programPid), "the program to be ended");
    const client = await scene.bellhop.client();
    await until(
      async () => (await client.call("session", { who: "stubborn" })).readiness === "exited",
      "the session to be over",
    );
  });

  it("is found out by the next daemon, too", async () => {
    const client = await scene.bellhop.client();
    await idle(client, "coder");
    await scene.bellhop.stop("SIGKILL");
    process.kill(recordOf("coder").hostPid, "SIGKILL");
    await scene.bellhop.start();
    const next = await scene.bellhop.client();
    await until(
      async () => (await next.call("session", { who: "coder" })).readiness === "exited",
      "the session to be over",
    );
    const id = await sendTo(next, "coder", "for when you are back");
    expect(await holdOf(next, id)).toBe("offline");
    await scene.bellhop.json(["restart", "coder"]);
    expect(await scene.reachesOnce(next, id)).toBe(1);
  });

  it("loses no message that is going in at that moment, and marks every second copy", async () => {
    const client = await scene.bellhop.client();
    for (const afterMs of [0, 5, 10, 20, 40, 80]) {
      await idle(client, "coder");
      const { hostPid } = recordOf("coder");
      const id = await sendTo(client, "coder", `killed after ${afterMs} ms`);
      await sleep(afterMs);
      process.kill(hostPid, "SIGKILL");
      await until(
        async () => (await client.call("session", { who: "coder" })).readiness === "exited",
        "the session to be over",
      );
      await scene.bellhop.json(["restart", "coder"]);
      expect(await scene.reachesOnce(client, id)).toBeLessThanOrEqual(2);
    }
  });
});

describe("a host that does not answer", () => {
  it("is not taken for dead: nothing is typed until it answers again, and then everything goes on", async () => {
    const client = await scene.bellhop.client();
    await idle(client, "coder");
    const person = sitDown(scene.bellhop, "coder");
    people.push(person);
    await person.sees("coder is ready.");
    const { hostPid, sessionId } = recordOf("coder");
    process.kill(hostPid, "SIGSTOP");
    const id = await sendTo(client, "coder", "can you hear me");
    await until(async () => (await holdOf(client, id)) === "unknown", "the message to be held");
    const { sessions } = await client.call("ls", {}, { timeoutMs: 60_000 });
    expect(sessions.find((one) => one.id === sessionId)?.readiness).toBe("unknown");
    expect(scene.agents[0]?.prompts()).toEqual([]);
    expect(await scene.reachesOnce(client, await sendTo(client, "other", "and you"))).toBe(1);
    process.kill(hostPid, "SIGCONT");
    expect(await scene.reachesOnce(client, id)).toBe(1);
    person.type("I am here too\r");
    await person.sees("you: I am here too");
    await person.sees(/coder (?:idle|busy)/u);
  });
});

describe("a host whose session is started again at once", () => {
  it("does not take its successor's socket along when it goes", async () => {
    const client = await scene.bellhop.client();
    await idle(client, "coder");
    const { hostPid } = recordOf("coder");
    await scene.bellhop.json(["restart", "coder"]);
    expect(recordOf("coder").hostPid).not.toBe(hostPid);
    await until(() => isOver(hostPid), "the host before to be gone");
    expect(existsSync(recordOf("coder").socket)).toBe(true);
    // A daemon that has no connection to the host yet would notice.
    await scene.bellhop.stop("SIGKILL");
    await scene.bellhop.start();
    const next = await scene.bellhop.client();
    expect(await scene.reachesOnce(next, await sendTo(next, "coder", "are you there"))).toBe(1);
  });
});
