import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { QueuedDelivery, SendResponse } from "../../src/wire/shapes/messages.ts";
import type { ShownReminder } from "../../src/wire/shapes/reminders.ts";
import { death, everythingCame } from "../crash/crash-rig.ts";
import { bellhopOnPath } from "../rig/bellhop.ts";
import { type FakeModel, type ModelRequest, startFakeModel } from "../rig/fake-model.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import { ClaudeDesk } from "./claude-desk.ts";
import { PATIENCE_MS, PERSON, Stage } from "./claude-stage.ts";

beforeAll(assertInNamespace);

const BY_KEYS = `
transports: [paste]
delivery: { input_poll_interval: 0.5, input_stale_timeout: 2, evidence_timeout: 3 }
`;

const LONG_AND_SPECIAL = [
  `"double" 'single' \`tick\` $(touch canary) $HOME \\n ; | & < > * ? ~ %s #{pane_id} {a,b} -- -x é 四つ 🙂`,
  ...Array.from({ length: 12 }, (_, line) => `${line} ${"long and longer; ".repeat(7)}`.trimEnd()),
].join("\n");

const typed = ({ shortId }: SendResponse, body: string) => `[message from: ${PERSON} #${shortId}] ${body}`;

describe.concurrent("Reliable send to a Claude Code with a person at its keyboard", () => {
  let desk: ClaudeDesk;

  beforeAll(async () => {
    desk = await ClaudeDesk.open(BY_KEYS);
  });
  beforeEach(() => desk.stage.untilIdle("coder"));
  afterAll(() => desk?.stage.strike());

  const sendByCommand = (...args: string[]) =>
    desk.stage.bellhop.json<SendResponse>(["send", "coder", ...args]);

  it.sequential("manual test, basic queue and delivery: queued while it is busy, delivered when it is idle", async () => {
    const turn = await desk.says("work [[busy]]");
    const sent = await sendByCommand("test message", "--priority", "sequential");
    expect(sent.deliveries).toMatchObject([{ to: "agent/coder", state: "queued" }]);
    await desk.stage.held(sent, "busy");
    expect(turn.endedAtMs).toBeUndefined();
    turn.finish();
    expect(await desk.stage.arrives(sent)).toBe(typed(sent, "test message"));
    await desk.stage.reaches(sent, "read");
    const after = desk.stage.requestOf(typed(sent, "test message"));
    expect(after?.startedAtMs).toBeGreaterThanOrEqual(turn.endedAtMs ?? Number.NaN);
    expect(turn.aborted).toBe(false);
  });

  it.sequential("edge case, multiple rapid sends from the same sender: one prompt", async () => {
    const turn = await desk.says("work again [[busy]]");
    const before = desk.model.prompts().length;
    const bodies = ["first of three", "second of three", "third of three"];
    const sent: SendResponse[] = [];
    for (const body of bodies) sent.push(await desk.stage.send("coder", body));
    expect(turn.endedAtMs).toBeUndefined();
    turn.finish();
    for (const one of sent) await desk.stage.reaches(one, "read");
    const prompts = desk.model.prompts().slice(before);
    const whole = sent.map(
      ({ shortId }, index) => `(${index + 1}) from ${PERSON} #${shortId}: ${bodies[index]}`,
    );
    expect(prompts).toEqual([`[3 messages] ${whole.join(" ")}`]);
  });

  it.sequential("manual test, user input preservation: set aside, delivered, back where it was", async () => {
    await desk.typist.type("I am typing something");
    await desk.composerHolds("I am typing something");
    const sent = await sendByCommand("interrupting message");
    await desk.stage.held(sent, "typing");
    expect(await desk.stage.arrives(sent)).toBe(typed(sent, "interrupting message"));
    await desk.stage.reaches(sent, "read");
    await desk.composerHolds("I am typing something");
    expect(desk.model.prompts()).not.toContain("I am typing something");
    await desk.stage.untilIdle("coder");
    await desk.submits("I am typing something");
  });

  it.sequential("edge cases, very long user input with special characters: back exactly", async () => {
    for (const chunk of LONG_AND_SPECIAL.match(/[\s\S]{1,60}/gu) ?? [])
      await desk.typist.type(chunk, { charactersPerSecond: 2_000 });
    await desk.shows("11 long and longer");
    const sent = await sendByCommand("behind a long one");
    await desk.stage.held(sent, "typing");
    expect(await desk.stage.arrives(sent)).toBe(typed(sent, "behind a long one"));
    await desk.stage.reaches(sent, "read");
    await desk.shows("11 long and longer");
    await desk.stage.untilIdle("coder");
    await desk.submits(LONG_AND_SPECIAL);
    expect(existsSync(join(desk.coder.repo, "canary"))).toBe(false);
  });

  it.sequential("edge case, the user types between idle detection and injection: both arrive whole", async () => {
    await desk.coder.terminal.untilQuiet();
    const line = "typed in the very moment";
    const typing = desk.typist.type(line);
    const sent = await desk.stage.send("coder", "sent in the very moment");
    await typing;
    await desk.submits(line);
    expect(await desk.stage.arrives(sent)).toBe(typed(sent, "sent in the very moment"));
    await desk.stage.reaches(sent, "read");
  });

  it.sequential("manual test, timeout: dropped while it is kept busy, never typed, and the sender can see it", async () => {
    const turn = await desk.says("work on and on [[busy]]");
    const waited = await desk.stage.bellhop.run([
      ...["send", "coder", "urgent", "--important", "--timeout", "1s"],
      ...["--wait", "delivered", "--json"],
    ]);
    expect(turn.endedAtMs).toBeUndefined();
    expect(waited.code).toBe(1);
    const { messageId } = JSON.parse(waited.stdout) as SendResponse;
    const dropped = await desk.stage.delivery({ messageId });
    expect(dropped).toMatchObject({ state: "expired", attempts: 0 });
    expect(dropped.receipts.at(-1)).toMatchObject({ state: "expired" });
    expect(dropped.receipts.at(-1)?.at).toBeGreaterThanOrEqual(dropped.timeoutAt ?? Number.NaN);
    expect(await desk.stage.bellhop.json<QueuedDelivery[]>(["queue", "coder"])).toEqual([]);
    turn.finish();
    const next = await desk.stage.send("coder", "after the dropped one");
    await desk.stage.reaches(next, "read");
    expect(desk.stage.readings().join("\n")).not.toContain("] urgent");
  });

  it.sequential("edge case, the timeout expires while the user is typing: dropped, and the text untouched", async () => {
    const text = "a thought that takes its time, and then some more time";
    const typing = desk.typist.type(text, { charactersPerSecond: 12 });
    await desk.shows("a thought");
    const sent = await sendByCommand("now or never", "--timeout", "1500ms");
    await desk.stage.held(sent, "typing");
    const { state } = await desk.stage.client.call("wait", {
      id: sent.messageId,
      state: "delivered",
      timeoutMs: PATIENCE_MS,
    });
    expect(state).toBe("expired");
    await typing;
    await desk.composerHolds(text);
    await desk.submits(text);
    expect(desk.stage.readings().join("\n")).not.toContain("now or never");
  });
});

describe.concurrent("Reliable send between two Claude Codes", () => {
  let stage: Stage;
  let boss: RunningAgent;
  let bossModel: FakeModel;

  beforeAll(async () => {
    stage = await Stage.set();
    bossModel = await startFakeModel();
    const user = {
      pathFolders: [bellhopOnPath(join(stage.tmux.folder, "bin"))],
      extraEnv: { BELLHOP_HOME: stage.bellhop.home },
    };
    boss = await stage.enter("boss", { ...user, model: bossModel });
    await stage.enter("coder", user);
    await stage.client.call("agent_add", { name: "nobody" });
  });
  afterAll(async () => {
    await stage?.strike();
    await bossModel?.close();
  });

  /** The boss runs it with its own tool and its default permissions; resolves with the output of the command. */
  const bossRuns = async (shell: string): Promise<string> => {
    await stage.untilIdle("boss");
    const since = bossModel.requests.length;
    const isNew = (request: ModelRequest) => bossModel.requests.indexOf(request) >= since;
    const forget = bossModel.on(({ newPrompts }) => newPrompts.join().includes("run it"), {
      call: { shell },
    });
    await stage.send("boss", "run it");
    const done = await bossModel.waitForRequest(
      (request) => isNew(request) && request.toolResults.length > 0,
      {
        timeoutMs: PATIENCE_MS,
      },
    );
    forget();
    return done.toolResults.join("\n");
  };
  const bossReads = async (text: string): Promise<ModelRequest> =>
    bossModel.waitForRequest(({ userText }) => userText.includes(text), { timeoutMs: PATIENCE_MS });
  const bossWasTold = (text: string) => bossModel.prompts().filter((prompt) => prompt.includes(text));
  const idOf = async (name: string) => (await stage.session(name))?.id;

  it.sequential("manual test, reminder: set by the agent itself, it comes when it is idle, and once", async () => {
    const printed = await bossRuns('bellhop remind 2s "test reminder" --json');
    const { dueAt } = JSON.parse(printed) as ShownReminder;
    const { userText, startedAtMs } = await bossReads("test reminder\n");
    expect(userText).toMatch(
      /\[message from: bellhop #\w{6}\]\n\[bellhop\] Scheduled reminder:\ntest reminder\n/u,
    );
    expect(startedAtMs).toBeGreaterThanOrEqual(dueAt);
    await everythingCame(stage.client, "nobody");
    expect(bossWasTold("[bellhop] Scheduled reminder:\ntest reminder")).toHaveLength(1);
  });

  it.sequential("notices: the sender is told of the delivery, and again some time after it", async () => {
    const printed = await bossRuns(
      'bellhop send coder "do task X" --notify-on-delivery --notify-after 2s --json',
    );
    const sent = JSON.parse(printed) as SendResponse;
    const coder = await idOf("coder");
    const told = `[bellhop] Message delivered to coder (${coder})\nOriginal: "do task X"`;
    const followUp = `[bellhop] Reminder: 2s since your message to coder was delivered\nOriginal: "do task X"\nYou can check status with: bellhop output ${coder}`;
    await bossReads(told);
    const { startedAtMs } = await bossReads(followUp);
    const { receipts } = await stage.delivery(sent);
    const deliveredAt = receipts.find(({ state }) => state === "delivered")?.at ?? Number.NaN;
    expect(startedAtMs).toBeGreaterThanOrEqual(deliveredAt + 2_000);
    expect(await bossRuns(`bellhop output ${coder}`)).toContain("do task X");
    await everythingCame(stage.client, "nobody");
    expect(bossWasTold(told)).toHaveLength(1);
    expect(bossWasTold(followUp)).toHaveLength(1);
  });

  it.sequential("edge case, the sender goes offline before the notification: it is dropped", async () => {
    const first = 'bellhop send coder "first wish [[slow 4]]" --notify-after 4s --json';
    const last =
      'bellhop send coder "last wish" --priority idle --notify-on-delivery --notify-after 1s --json';
    const printed = await bossRuns(`${first} --wait delivered && ${last}`);
    const [early, late] = printed.split("\n").map((line) => JSON.parse(line) as SendResponse);
    await stage.tmux.run("kill-pane", "-t", boss.pane);
    await until(async () => (await stage.session("boss")) === undefined, "boss to be gone", PATIENCE_MS);
    const told = await stage.reaches(early as SendResponse, "delivered");
    const dueAt = (told.receipts.find(({ state }) => state === "delivered")?.at ?? Number.NaN) + 4_000;
    await stage.reaches(late as SendResponse, "read");
    await until(() => Date.now() > dueAt, "the time of the follow-up", PATIENCE_MS);
    await everythingCame(stage.client, "nobody");
    const { entries } = await stage.client.call("history", {});
    const notices = entries.filter(({ message }) => /^\[bellhop\] [\s\S]* wish/u.test(message.body));
    expect(notices.filter(({ delivery }) => delivery.state !== "cancelled")).toEqual([]);
  });
});

describe.concurrent("Crashes of reliable send with a Claude Code", () => {
  let stage: Stage;
  let coder: RunningAgent;

  beforeAll(async () => {
    stage = await Stage.set({ config: BY_KEYS });
    coder = await stage.enter("coder");
  });
  afterAll(() => stage?.strike());

  it.sequential.each([
    ["before the insert: the sender tries again", "accept.in-transaction"],
    ["after the insert, before the injection: recovered on restart", "deliver.marked"],
    ["after the injection, before the update: proven by its hook, not typed again", "paste.after-keys"],
    ["after the update: nothing to do", "deliver.recorded"],
  ] as const)("crash %s", async (_, step) => {
    await stage.untilIdle("coder");
    await stage.bellhop.stop();
    const doomed = await stage.bellhop.start({ BELLHOP_TEST_CRASH_AT: step });
    await stage.reconnect();
    const body = `killed at ${step}`;
    const send = () => stage.send("coder", body, { idempotencyKey: step });
    const answered = send().catch(() => undefined);
    await death(doomed, `the daemon never came by ${step}`);
    expect((await answered) === undefined).toBe(step === "accept.in-transaction");
    await stage.bellhop.start();
    await stage.reconnect();
    const sent = await send();
    await stage.isRead(sent);
    expect((await stage.delivery(sent)).possibleDuplicate).toBeUndefined();
    expect(stage.readings().filter((text) => text.includes(body))).toHaveLength(1);
  });

  it.sequential("edge case, the recipient crashes during delivery: nothing is claimed, and the next one has it", async () => {
    await stage.untilIdle("coder");
    const sessionId = (await stage.session("coder"))?.id ?? "";
    const pid = await stage.tmux.ask(coder.pane, "#{pane_pid}");
    // Before it can have read them: tmux wakes a program of its own that a test stops.
    await stage.bellhop.stop();
    await stage.bellhop.start({ BELLHOP_TEST_CRASH_AT: "paste.after-keys", BELLHOP_TEST_CRASH_PID: pid });
    await stage.reconnect();
    const sent = await stage.send("coder", "into nothing");
    await until(async () => (await stage.session("coder")) === undefined, "coder to be gone", PATIENCE_MS);
    const { home, repo } = coder;
    await stage.enter("coder-again", { home, repo, extraEnv: { BELLHOP_SESSION_ID: sessionId } });
    const read = await stage.reaches(sent, "read");
    expect(read.attempts).toBe(2);
    expect(read.receipts.map(({ state }) => state)).toEqual([
      ...["queued", "delivering", "queued", "delivering", "delivered", "read"],
    ]);
    expect(stage.model.prompts().filter((text) => text.includes("into nothing"))).toEqual([
      typed(sent, `${read.possibleDuplicate ? "(possible duplicate) " : ""}into nothing`),
    ]);
  });
});
