/** Hosts whose socket was removed, or has something else in its place: they are found again. */
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import type { HostViewer } from "../rig/host-viewer.ts";
import { startHostedAgent } from "../rig/hosted-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import { isOver, sleepersOn } from "./hosted-sleepers.ts";
import { hostedStage } from "./hosted-stage.ts";

const stage = hostedStage();
const { runs, isThere, recordOf, refusalOf } = sleepersOn(stage);

const viewersToldTo = ({ told }: HostViewer) =>
  told.flatMap((one) => (one.type === "state" ? one.state.viewers : [])).at(-1);

describe("a host whose socket was removed", () => {
  const removed = async () => {
    const agent = await startHostedAgent(stage.bellhop, "coder");
    // Who is connected already does not notice.
    await stage.bellhop.stop();
    unlinkSync(agent.record().socket);
    return agent;
  };

  it("is found again by the next daemon, and is given what waited for it once", async () => {
    const agent = await removed();
    await stage.bellhop.start();
    const client = await stage.bellhop.client();
    const { messageId } = await client.call("send", {
      to: "coder",
      body: "after the cleaner",
      claims: { user: "dev" },
    });
    const isDelivered = async () =>
      (await client.call("show", { id: messageId })).deliveries[0]?.state === "delivered";
    await until(isDelivered, "it to be delivered");
    expect(agent.prompts()).toEqual([expect.stringContaining("after the cleaner")]);
    expect(statSync(agent.record().socket).mode & 0o777).toBe(0o600);
  });

  it("is attached to, also where the daemon never lost sight of it, and who was there stays", async () => {
    const agent = await startHostedAgent(stage.bellhop, "coder");
    const { hostPid, socket } = agent.record();
    const before = await agent.attach({ cols: 80, rows: 24 });
    const client = await stage.bellhop.client();
    for (let time = 1; time <= 2; time += 1) {
      unlinkSync(socket);
      await client.call("attach", { who: "coder" });
      const viewer = await agent.attach({ cols: 80, rows: 24 });
      await until(() => Buffer.concat(viewer.shown).includes("coder is ready."), "its screen");
      viewer.close();
      await until(() => viewersToldTo(before) === 1, "the other to be told");
    }
    expect(agent.record().hostPid).toBe(hostPid);
    before.close();
  });

  it.each(["stop", "restart"])(
    "and that is halted is said to be out of reach, and %s works",
    async (command) => {
      const { sessionId } = await runs("coder");
      await isThere("coder");
      await stage.bellhop.stop();
      const { hostPid, programPid, socket } = recordOf("coder");
      unlinkSync(socket);
      process.kill(hostPid, "SIGSTOP");
      await stage.bellhop.start();
      const client = await stage.bellhop.client();
      await expect(client.call("attach", { who: "coder" })).rejects.toMatchObject({
        code: "terminal.unreadable",
        message:
          'The host of "coder" is running but cannot be reached: its socket is gone, and it does not create it again.',
        next: 'Restart it with "bellhop restart coder", or stop it with "bellhop stop coder".',
      });
      expect(await refusalOf("peek", "coder")).toMatchObject({
        message: expect.stringContaining('The screen of "coder" cannot be read now: its host'),
      });
      expect(await stage.bellhop.json([command, "coder"])).toMatchObject({ agent: "coder", sessionId });
      await until(() => [hostPid, programPid].every(isOver), "both to be over");
      if (command === "restart") await isThere("coder");
    },
  );
});

describe("a host at whose socket's path something else is", () => {
  const somebodyElse = {
    async file(path: string) {
      writeFileSync(path, "somebody's");
    },
    async folder(path: string) {
      mkdirSync(path);
    },
  };

  it("takes its place again where that is a socket at which nobody listens", async () => {
    const agent = await startHostedAgent(stage.bellhop, "coder");
    const { hostPid, socket } = agent.record();
    const other = createServer().listen(`${socket}.other`);
    await once(other, "listening");
    renameSync(`${socket}.other`, socket);
    other.close();
    await once(other, "close");
    const client = await stage.bellhop.client();
    await client.call("attach", { who: "coder" });
    const viewer = await agent.attach({ cols: 80, rows: 24 });
    await until(() => Buffer.concat(viewer.shown).includes("coder is ready."), "its screen");
    viewer.close();
    expect(agent.record().hostPid).toBe(hostPid);
  });

  it.each(["file", "folder"] as const)(
    "leaves a %s, is said to be out of reach, and is there again once that is away",
    async (kind) => {
      await runs("coder");
      await isThere("coder");
      const { hostPid, socket } = recordOf("coder");
      await stage.bellhop.stop();
      unlinkSync(socket);
      await somebodyElse[kind](socket);
      await stage.bellhop.start();
      const outOfReach = {
        status: 6,
        code: "terminal.unreadable",
        message: `The host of "coder" is running but cannot be reached: ${socket} is not its socket.`,
        next: 'Remove that file, and the host listens there again; or stop it with "bellhop stop coder".',
      };
      const client = await stage.bellhop.client();
      const { status: _status, ...refusal } = outOfReach;
      await expect(client.call("attach", { who: "coder" })).rejects.toMatchObject(refusal);
      expect(await refusalOf("peek", "coder")).toMatchObject({
        status: 6,
        message: `The screen of "coder" cannot be read now: its host cannot be reached: ${socket} is no longer a socket; remove it.`,
      });
      expect(await stage.bellhop.json<readonly ListedSession[]>(["ls"])).toMatchObject([
        { readiness: "unknown" },
      ]);
      process.kill(hostPid, "SIGHUP");
      expect(
        await stage.bellhop.run(["run", "--detach", "--name", "other", "--", "sleep", "600"]),
      ).toMatchObject({
        code: 0,
      });
      expect(existsSync(socket)).toBe(true);
      rmSync(socket, { recursive: true });
      await isThere("coder");
      expect(recordOf("coder").hostPid).toBe(hostPid);
    },
  );

  it("is stopped, leaves that as it is, and is started again once that is away", async () => {
    await runs("coder");
    await isThere("coder");
    const { hostPid, socket } = recordOf("coder");
    unlinkSync(socket);
    writeFileSync(socket, "somebody's");
    expect(await stage.bellhop.json(["stop", "coder"])).toMatchObject({ outcome: "stopped" });
    await until(() => isOver(hostPid), "it to be over");
    expect(await refusalOf("restart", "coder")).toMatchObject({
      code: "host.start_failed",
      message: `The terminal for "coder" did not start: ${socket} is not a socket.`,
      next: "Remove that file, and try again.",
    });
    expect(readFileSync(socket, "utf8")).toBe("somebody's");
    rmSync(socket);
    await stage.bellhop.json(["restart", "coder"]);
    await isThere("coder");
  });
});
