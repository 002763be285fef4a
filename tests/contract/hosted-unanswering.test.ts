/** Hosts that do not answer, or are none: what a person is told. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import { until } from "../rig/scripted-agent.ts";
import { isOver, sleepersOn } from "./hosted-sleepers.ts";
import { hostedStage } from "./hosted-stage.ts";

const stage = hostedStage();
const { runs, isThere, recordOf, refusalOf } = sleepersOn(stage);

describe("a host that is halted", () => {
  it("is said not to answer, is listed with the others, and ends in good order when it is stopped", async () => {
    await runs("coder");
    await isThere("coder");
    const { hostPid, programPid } = recordOf("coder");
    process.kill(hostPid, "SIGSTOP");
    expect(await refusalOf("peek", "coder")).toMatchObject({
      status: 6,
      code: "terminal.unreadable",
      message: 'The screen of "coder" cannot be read now: its host does not answer.',
      next: expect.stringContaining('"bellhop restart coder"'),
    });
    expect(await stage.bellhop.json<readonly ListedSession[]>(["ls"])).toMatchObject([
      { readiness: "unknown" },
    ]);
    expect(await stage.bellhop.json(["stop", "coder"])).toMatchObject({ outcome: "stopped" });
    await until(() => [hostPid, programPid].every(isOver), "both to be over");
    expect((await stage.bellhop.run(["peek", "coder"])).stdout).toBe("here\n");
  });

  it("ends its program by each signal once: many a program takes a second for an order to drop everything", async () => {
    const told = join(stage.folder, "told");
    const hurried = `
      const told = (signal) => require("node:fs").appendFileSync(${JSON.stringify(told)}, signal + "\\n");
      process.on("SIGTERM", told);
      process.on("SIGHUP", (signal) => (told(signal), process.exit(7)));
      setInterval(() => {}, 1e6);
      console.log("here");`;
    await stage.bellhop.runDetached([process.execPath, "-e", hurried], {
      name: "coder",
      folder: stage.folder,
    });
    // From here on the daemon is connected.
    await isThere("coder");
    process.kill(recordOf("coder").hostPid, "SIGSTOP");
    expect(await stage.bellhop.json(["stop", "coder", "--grace", "60s"])).toMatchObject({
      outcome: "stopped",
    });
    expect(readFileSync(told, "utf8")).toBe("SIGTERM\nSIGHUP\n");
    expect(recordOf("coder").exit).toMatchObject({ code: 7, signal: null });
  });
});

describe("what is no record of a host", () => {
  it("is left out of ls, and said once", async () => {
    const { sessionId } = await runs("coder");
    const hosts = join(stage.bellhop.home, "hosts");
    execFileSync("mkfifo", [join(hosts, "deadbee4.json")], { timeout: 5_000 });
    writeFileSync(join(hosts, "deadbee5.json"), readFileSync(join(hosts, `${sessionId}.json`)));
    try {
      for (let look = 0; look < 2; look += 1)
        expect(await stage.bellhop.json(["ls"])).toMatchObject([{ id: sessionId }]);
      const said = stage.bellhop
        .log()
        .split("\n")
        .filter((line) => line.includes("host.record_unreadable"))
        .map((line) => (JSON.parse(line) as { readonly session: string }).session);
      expect(said.sort()).toEqual(["deadbee4", "deadbee5"]);
    } finally {
      for (const id of ["deadbee4", "deadbee5"]) unlinkSync(join(hosts, `${id}.json`));
    }
    expect(existsSync(join(hosts, `${sessionId}.json`))).toBe(true);
  });
});
