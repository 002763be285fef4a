/** SIGKILL of the daemon while a person is attached: the daemon does not own the terminal, so only one line shows it. */
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AttachedPerson, sitDown } from "../rig/attached-person.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { runDetached, startHostedAgent } from "../rig/hosted-agent.ts";
import { hostRecords } from "../rig/hosts.ts";
import { SCRIPTED_PROFILE, until } from "../rig/scripted-agent.ts";
import { cameFor, death } from "./crash-rig.ts";

const TICKING = fileURLToPath(new URL("../rig/programs/ticking.mjs", import.meta.url));

let bellhop: Bellhop;
let people: AttachedPerson[];

beforeEach(async () => {
  people = [];
  bellhop = new Bellhop({ config: `${SCRIPTED_PROFILE}\ndelivery: { input_poll_interval: 0.3 }\n` });
});
afterEach(async () => {
  for (const person of people) person.close();
  await bellhop.dispose();
});

function sit(who: string): AttachedPerson {
  const person = sitDown(bellhop, who);
  people.push(person);
  return person;
}

const ticksSeen = (person: AttachedPerson): number =>
  Math.max(0, ...[...person.text().matchAll(/tick (\d+)\./gu)].map(([, tick]) => Number(tick)));

async function stillDraws(person: AttachedPerson): Promise<void> {
  const before = ticksSeen(person);
  await until(
    () => ticksSeen(person) > before + 2,
    () => `more ticks than ${before} in\n${person.text()}`,
  );
}

/** Screen, bar and keys work as if nothing had happened. */
async function goesOn(person: AttachedPerson, word: string): Promise<void> {
  await stillDraws(person);
  person.type(`${word} by the bar\r`);
  await person.sees(`read ${word} by the bar.`);
  person.type("\x1cp");
  await person.sees("keyboard: you");
  person.type(`${word} by keys\r`);
  await person.sees(`read ${word} by keys.`);
  person.type("\x1cp");
  await person.sees("normal ❯");
}

describe("the daemon is killed while a person is attached", () => {
  it("shows on the status line and nowhere else; the next command brings daemon, line and every host back", async () => {
    await bellhop.start();
    await runDetached(bellhop, "other", [process.execPath, TICKING]);
    const id = await runDetached(bellhop, "coder", [process.execPath, TICKING]);
    const before = hostRecords(bellhop.home);
    const person = sit("coder");
    await person.sees("tick");
    await goesOn(person, "before");
    person.type("half a thou");
    await person.sees("❯ half a thou");
    await bellhop.stop("SIGKILL");
    await person.sees("daemon away");
    await person.sees("❯ half a thou");
    person.type("ght\r");
    await person.sees("read half a thought.");
    await goesOn(person, "meanwhile");
    const listed = await bellhop.run(["ls"]);
    expect(listed).toMatchObject({ code: 0 });
    expect(listed.stdout).toContain(id);
    await until(
      () => !person.text().includes("daemon away"),
      () => person.text(),
    );
    await goesOn(person, "after");
    expect(hostRecords(bellhop.home)).toEqual(before);
    const client = await bellhop.client();
    const { sessions } = await client.call("ls", {});
    expect(sessions.map(({ id: one }) => one).toSorted()).toEqual(
      before.map(({ sessionId }) => sessionId).toSorted(),
    );
    expect(person.output()).not.toContain("\x1b[?1049l");
  });

  it.each([
    ["before it has the text", "accept.validated"],
    ["when it has the text and has not said so", "accept.committed"],
  ] as const)("keeps what they queue from the bar, once: killed %s", async (_, step) => {
    await bellhop.start();
    const agent = await startHostedAgent(bellhop, "coder");
    await bellhop.stop();
    const doomed = await bellhop.start({ BELLHOP_TEST_CRASH_AT: `${step}#1` });
    const person = sit("coder");
    await person.sees("coder is ready.");
    person.type("say it once\t");
    await person.sees("idle-first ❯ say it once");
    person.type("\r");
    await death(doomed, `the daemon never came by ${step}`);
    await person.sees("daemon away");
    expect((await bellhop.run(["ls"])).code).toBe(0);
    await until(() => agent.prompts().some((prompt) => prompt.includes("say it once")), "the text");
    await person.sees(/(?:queued|delivering|delivered) #|#\w{6} is no longer queued/u);
    const client = await bellhop.client();
    const came = await cameFor(client, "coder", "say it once");
    expect(came).toHaveLength(1);
    await client.call("wait", { id: came[0]?.id ?? "", state: "delivered", timeoutMs: 30_000 });
    expect(agent.prompts().filter((prompt) => prompt.includes("say it once"))).toHaveLength(1);
  });

  it("loses none of the messages that are sent around it: each is queued once, or refused in words", async () => {
    await bellhop.start();
    const agent = await startHostedAgent(bellhop, "coder");
    const person = sit("coder");
    await person.sees("coder is ready.");
    const queued: string[] = [];
    const send = async (body: string): Promise<void> => {
      const { code, stdout, stderr } = await bellhop.run(["send", "coder", body]);
      if (code === 0) {
        expect(stdout).toContain("queued #");
        queued.push(body);
      } else expect(stderr).toMatch(/^bellhop: .+\n {2}.+/u);
    };
    for (let kill = 0; kill < 4; kill += 1) {
      const sending = Promise.all([1, 2, 3].map((one) => send(`message ${kill}-${one};`)));
      await sleep(60 + kill * 40);
      await killDaemon();
      await sending;
      person.type(`line ${kill}\r`);
      await until(
        () => agent.prompts().includes(`line ${kill}`),
        () => person.text(),
      );
    }
    await send("the last;");
    expect(queued).toContain("the last;");
    const client = await bellhop.client();
    for (const body of queued) {
      const came = await cameFor(client, "coder", body);
      expect(came, body).toHaveLength(1);
      await client.call(
        "wait",
        { id: came[0]?.id ?? "", state: "delivered", timeoutMs: 60_000 },
        { timeoutMs: 70_000 },
      );
    }
    await person.sees(/coder (?:idle|busy)/u);
    expect(agent.record().hostPid).toBe(hostRecords(bellhop.home)[0]?.hostPid);
  });
});

/** The daemon that runs: the rig's, or one that a command has started. */
async function killDaemon(): Promise<void> {
  const client = await bellhop.client().catch(() => undefined);
  const status = await client?.call("status", {}).catch(() => undefined);
  if (status !== undefined) process.kill(status.pid, "SIGKILL");
}
