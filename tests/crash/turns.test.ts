/** SIGKILL at every step of a turn without a terminal: nothing is forgotten, and no turn runs beside another. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Step } from "../../src/office/base/steps.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { until } from "../rig/scripted-agent.ts";
import { cameFor, claims, death, person } from "./crash-rig.ts";
import { TURN_STEPS } from "./turn-steps.ts";

const visited = new Set<Step>();

/** Says when it begins and ends, and whether it found another one running. */
const PROGRAM = `
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require("node:fs");
const log = process.argv[2];
const holder = log + ".holder";
const lives = (pid) => { try { process.kill(pid, 0); return true; } catch { return false; } };
if (existsSync(holder) && lives(Number(readFileSync(holder, "utf8")))) appendFileSync(log, "beside another\\n");
writeFileSync(holder, String(process.pid));
appendFileSync(log, "begun\\n");
let prompt = "";
process.stdin.on("data", (text) => { prompt += text; }).on("end", () => setTimeout(() => {
  appendFileSync(log, "ended\\n");
  process.stdout.write("the answer");
}, 300));
`;

const AFTER_FAILURE: Step = "turn.failed";

describe("SIGKILL at every step of a turn", () => {
  it(`${AFTER_FAILURE}: its sender learns once that it failed`, async () => {
    const bellhop = new Bellhop();
    appendFileSync(
      join(bellhop.home, "config.yaml"),
      `agents:\n  - name: coder\n    auto_run: { enabled: true, debounce_ms: 100, runner: command, command: ["false"], cwd: ${JSON.stringify(bellhop.home)} }\n`,
    );
    try {
      const doomed = await bellhop.start({ BELLHOP_TEST_CRASH_AT: `${AFTER_FAILURE}#1` });
      const client = await bellhop.client();
      await client.call("send", { to: "coder", body: "a question", claims }).catch(() => {});
      await death(doomed, `the daemon never came by ${AFTER_FAILURE}`);
      visited.add(AFTER_FAILURE);
      await bellhop.start();
      const next = await bellhop.client();
      const failures = () => cameFor(next, person, "its turn failed");
      await until(async () => (await failures()).length > 0, "the news");
      await until(async () => (await next.call("turns", {})).turns[0]?.state === "failed", "the end");
      expect(await failures()).toHaveLength(1);
    } finally {
      await bellhop.dispose();
    }
  });

  it("while more messages may come: they are answered once, together", async () => {
    const bellhop = new Bellhop();
    appendFileSync(
      join(bellhop.home, "config.yaml"),
      `agents:\n  - name: coder\n    auto_run: { enabled: true, debounce_ms: 3000, runner: command, command: [cat], cwd: ${JSON.stringify(bellhop.home)} }\n`,
    );
    try {
      const doomed = await bellhop.start();
      const client = await bellhop.client();
      for (const body of ["first", "second"]) await client.call("send", { to: "coder", body, claims });
      doomed.kill("SIGKILL");
      await death(doomed, "it was not killed");
      await bellhop.start();
      const next = await bellhop.client();
      await until(async () => (await cameFor(next, person, "second")).length > 0, "the answer");
      expect(await cameFor(next, person, "first")).toHaveLength(1);
      expect((await next.call("turns", {})).turns).toHaveLength(1);
    } finally {
      await bellhop.dispose();
    }
  });

  it.each(TURN_STEPS.filter((step) => step !== AFTER_FAILURE))("%s: it is answered once", async (step) => {
    const bellhop = new Bellhop();
    const program = join(bellhop.home, "program.cjs");
    const log = join(bellhop.home, "log");
    writeFileSync(program, PROGRAM);
    const command = JSON.stringify([process.execPath, program, log]);
    appendFileSync(
      join(bellhop.home, "config.yaml"),
      `agents:\n  - name: coder\n    auto_run: { enabled: true, debounce_ms: 100, runner: command, triage_model: small, command: ${command}, cwd: ${JSON.stringify(bellhop.home)} }\n`,
    );
    try {
      const doomed = await bellhop.start({ BELLHOP_TEST_CRASH_AT: `${step}#1` });
      const client = await bellhop.client();
      await client
        .call("send", { to: "coder", body: "a question", idempotencyKey: "one", claims })
        .catch(() => {});
      await death(doomed, `the daemon never came by ${step}`);
      visited.add(step);
      await bellhop.start();
      const next = await bellhop.client();
      const { messageId } = await next.call("send", {
        to: "coder",
        body: "a question",
        idempotencyKey: "one",
        claims,
      });
      await until(async () => (await cameFor(next, person, "the answer")).length > 0, "the answer");
      await until(
        async () =>
          (await next.call("turns", {})).turns.every(
            ({ state }) => !["triage", "running", "answering"].includes(state),
          ),
        "the end of every turn",
      );
      expect(await cameFor(next, person, "the answer")).toHaveLength(1);
      const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
      expect(lines).not.toContain("beside another");
      const begun = lines.filter((line) => line === "begun").length;
      expect(begun).toBeGreaterThanOrEqual(1);
      expect(begun).toBeLessThanOrEqual(2);
      const [delivery] = (await next.call("show", { id: messageId })).deliveries;
      if (begun === 2) expect(delivery?.possibleDuplicate).toBe(true);
      expect(delivery?.state).toBe("replied");
    } finally {
      await bellhop.dispose();
    }
  });
});

afterAll(() => {
  expect(TURN_STEPS.filter((step) => !visited.has(step))).toEqual([]);
});
