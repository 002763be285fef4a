/** Programs that write without end, and what costs most to draw: stop, grace and ending are the same as of a quiet one. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HostRecord } from "../../src/wire/host.ts";
import { until } from "../rig/scripted-agent.ts";
import { isOver, sleepersOn } from "./hosted-sleepers.ts";
import { hostedStage } from "./hosted-stage.ts";

const stage = hostedStage();
const { recordOf } = sleepersOn(stage);

/** `ending` says what it does when it is asked to end, and when it ends by itself. */
async function floods(ending: string): Promise<HostRecord> {
  const program = join(stage.folder, "flood.mjs");
  const begun = join(stage.folder, "begun");
  writeFileSync(
    program,
    `import { writeFileSync } from "node:fs";
    process.on("SIGHUP", () => {});
    ${ending}
    // Some fourteen bytes that move every line of the screen, and of what is above it.
    const piece = "\\x1b[1000L\\x1b[1000M".repeat(500);
    let pieces = 0;
    function flood() {
      process.stdout.write(piece, () => setImmediate(flood));
      if (++pieces === 3) writeFileSync(${JSON.stringify(begun)}, "");
    }
    flood();`,
  );
  await stage.bellhop.runDetached([process.execPath, program], { name: "coder", folder: stage.folder });
  await until(() => existsSync(begun), "it to flood its terminal");
  return recordOf("coder");
}

async function isGone({ hostPid, programPid, socket }: HostRecord): Promise<void> {
  await until(() => isOver(hostPid) && isOver(programPid), "host and program to be gone");
  expect(existsSync(socket)).toBe(false);
}

const ending = async () => (await stage.listed("--all")).find(({ agent }) => agent === "coder")?.ending;

describe("a program that floods its terminal", () => {
  it("has its grace when it is stopped, and ends as it likes", async () => {
    const record = await floods('process.on("SIGTERM", () => setTimeout(() => process.exit(5), 1_500));');
    expect(await stage.bellhop.json(["stop", "coder", "--grace", "60s"])).toMatchObject({
      outcome: "stopped",
    });
    expect(await ending()).toMatchObject({ how: "exited", code: 5 });
    await isGone(record);
  });

  it("and heeds nothing is killed when its grace is over", async () => {
    const record = await floods('process.on("SIGTERM", () => {});');
    expect(await stage.bellhop.json(["stop", "coder", "--grace", "1s"])).toMatchObject({
      outcome: "stopped",
    });
    expect(await ending()).toMatchObject({ how: "killed", signal: 9 });
    await isGone(record);
  });

  it("and ends by itself is said to have ended so", async () => {
    const record = await floods("setTimeout(() => process.exit(7), 1_000);");
    await until(async () => (await ending()) !== undefined, "it to end");
    expect(await ending()).toMatchObject({ how: "exited", code: 7 });
    await isGone(record);
  });

  it("and whose host is killed leaves no socket behind", async () => {
    const record = await floods('process.on("SIGTERM", () => {});');
    process.kill(record.hostPid, "SIGKILL");
    await until(async () => (await ending()) !== undefined, "it to be missed");
    expect(await ending()).toMatchObject({ how: "lost" });
    expect(existsSync(record.socket)).toBe(false);
    await until(() => isOver(record.programPid), "the program to be ended");
  });
});
