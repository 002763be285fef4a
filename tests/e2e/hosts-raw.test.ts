/** Keys from another host, in real terminals: pressed once, in the dialog that they name, and never into a shell. */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClusterDay } from "../rig/cluster-day.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { ScriptedAgent } from "../rig/scripted-agent.ts";
import { readScriptedLog, scriptedCommand, until } from "../rig/scripted-agent.ts";

const KEY = (key: string) => ["--raw", "--key", key];

beforeAll(assertInNamespace);

describe("two hosts of which one may press keys on the other", () => {
  let day: ClusterDay;
  let coder: ScriptedAgent;

  beforeAll(async () => {
    day = await ClusterDay.begin({ hosts: ["laptop", "desk"], nodes: 1, rights: ["send", "hear", "raw"] });
    coder = await day.seat("desk", "coder");
    await day.untilKnown("coder", "desk");
  });
  afterAll(() => day?.end());

  const answers = () => coder.log().flatMap(({ answered }) => answered ?? []);

  /** What this message waits for, as its sender is told, once it is that. */
  async function waits(id: string, what: RegExp): Promise<RegExpExecArray> {
    let found: RegExpExecArray | null = null;
    let shown = "";
    const look = async () => {
      shown = (await day.show("laptop", id)).deliveries[0]?.hold?.release ?? "";
      found = what.exec(shown);
      return found !== null;
    };
    await until(look, () => `${id} to wait for ${String(what)}: ${shown}`);
    return found as unknown as RegExpExecArray;
  }

  it("the text is typed as it is, and the keys are pressed, once", async () => {
    const id = await day.send("laptop", "desk:coder", "/compact", KEY("Enter"));
    await day.reaches("laptop", id, "delivered");
    expect(coder.prompts().filter((prompt) => prompt.includes("/compact"))).toEqual(["/compact"]);
  });

  it("while a dialog is open they wait and name it; with its name they answer it; then it is closed", async () => {
    const { tmux } = day.host("desk");
    await day.send("laptop", "desk:coder", "Please do [[menu make all]]");
    await tmux.waitForScreen(coder.pane, (screen) => screen.includes("It wants to run"));
    const early = await day.send("laptop", "desk:coder", "/model", KEY("Enter"));
    const [, code = ""] = await waits(
      early,
      /--dialog ([a-z0-9]{6})\. It shows: Allow\? .* make all .* 3\. No/u,
    );
    expect(answers()).toEqual([]);
    const approve = async () => {
      const words = ["send", "desk:coder", ...KEY("1"), "--dialog", code];
      return (await day.host("laptop").bellhop.json<{ messageId: string }>(words)).messageId;
    };
    await day.reaches("laptop", await approve(), "delivered");
    expect(answers()).toEqual(["1"]);
    await day.reaches("laptop", early, "delivered");
    expect(coder.prompts().at(-1)).toBe("/model");
    const { deliveries } = await day.reaches("laptop", await approve(), "failed");
    expect(JSON.stringify(deliveries)).toContain("that dialog was answered already");
    expect(answers()).toEqual(["1"]);
  });

  it("nothing is typed into the shell that is there when the program has ended", async () => {
    const { tmux } = day.host("desk");
    const cwd = join(tmux.folder, "worker");
    const log = join(tmux.folder, "worker.jsonl");
    const trace = join(cwd, "trace");
    await mkdir(cwd);
    const command = scriptedCommand("worker", log, ["--busy", "600"]).join(" ");
    const pane = await tmux.newSession({ name: "worker", command: ["sh", "-c", `${command}; exec sh`], cwd });
    await day.untilKnown("worker", "desk");
    const work = await day.send("laptop", "desk:worker", "Work.");
    await day.reaches("laptop", work, "delivered");
    const raw = await day.send("laptop", "desk:worker", `touch ${trace}`, KEY("Enter"));
    await waits(raw, /desk has it: busy/u);
    const pid = readScriptedLog(log).flatMap(({ started }) => started ?? [])[0];
    process.kill(pid ?? Number.NaN, "SIGTERM");
    await waits(raw, /desk has it: offline/u);
    const after = await day.send("laptop", "desk:worker", `touch ${trace}`, KEY("Enter"));
    await waits(after, /desk has it: offline/u);
    expect(await tmux.capture(pane)).not.toContain("touch");
    expect(existsSync(trace)).toBe(false);
  });
});
