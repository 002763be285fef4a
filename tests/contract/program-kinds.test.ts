/**
 * Every kind of program that can be taught, in real tmux and hosted, through the built product: each message reaches it
 * once and in order, its state is honest, no key is pressed into an idle composer, and a program that lives is there.
 * All of them run at the same time, because they mostly wait: a test only looks at the results of its own program.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../src/client/connect.ts";
import type { SendResponse, ShownDelivery } from "../../src/wire/shapes/messages.ts";
import type { ListedSession } from "../../src/wire/shapes/sessions.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { readScriptedLog, SCRIPTED_PROFILE, scriptedCommand, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";

const PATIENCE_MS = 150_000;
/** A message would be typed again when the program is next found idle, or counts as ended: seconds after the last one. */
const QUIET_MS = 15_000;

interface Kind {
  readonly name: string;
  readonly flags: readonly string[];
  readonly hook?: true;
  /** The final state of each message, and its evidence. */
  readonly becomes: "delivered" | "unconfirmed";
  readonly evidence?: string;
  /** It shows work and proves early, so an urgent message arrives while its turn is still running. */
  readonly isStopped?: true;
  /** It was unconfirmed at first. */
  readonly late?: true;
  /** Starts as another program, which it then replaces. */
  readonly replaces?: true;
  /** Taught to be submitted with a plain Enter, a moment after the text. */
  readonly twoSteps?: true;
}

const HOOKED = { hook: true, becomes: "delivered", evidence: "submitted" } as const;
const SEEN = { becomes: "delivered", evidence: "screen" } as const;
const UNSEEN = { becomes: "unconfirmed" } as const;

const KINDS: readonly Kind[] = [
  { name: "hooks", flags: ["--silent"], ...HOOKED, isStopped: true },
  { name: "hooks-3s-late", flags: ["--silent", "--hook-after", "3"], ...HOOKED },
  { name: "hooks-12s-late", flags: ["--silent", "--hook-after", "12"], ...HOOKED, late: true },
  { name: "shows-at-once", flags: [], ...SEEN, isStopped: true },
  { name: "shows-3s-late", flags: ["--trace-after", "3"], ...SEEN },
  { name: "shows-12s-late", flags: ["--trace-after", "12"], ...SEEN, late: true },
  { name: "silent", flags: ["--silent"], ...UNSEEN },
  { name: "clears", flags: ["--clears"], ...UNSEEN },
  { name: "hides-prompt", flags: ["--hides-prompt"], ...SEEN, isStopped: true },
  { name: "echoes-slowly", flags: ["--echo-after", "700"], ...SEEN },
  { name: "renames-itself", flags: ["--calls-itself", "another-name"], ...SEEN },
  { name: "replaces-another", flags: [], ...SEEN, replaces: true },
  { name: "two-steps", flags: [], ...SEEN, isStopped: true, twoSteps: true },
  {
    name: "two-steps-late",
    flags: ["--echo-after", "700", "--paste-window", "150"],
    ...SEEN,
    twoSteps: true,
  },
  { name: "two-steps-silent", flags: ["--silent"], ...UNSEEN, twoSteps: true },
];

/** The same program under another name, and taught differently. */
const TWO_STEPS = "two-steps.mjs";
const TWO_STEPS_PROFILE = `
  - name: two-steps
    match: { command: ${TWO_STEPS} }
    composer: { prompt: "^> " }
    busy: "^working…"
    dialog: "^Allow\\\\?"
    keys: { submit: Enter, interrupt: Escape, clear: C-u }
    submit_delay_ms: 250
`;

const PLACES = ["tmux", "hosted"] as const;
type Place = (typeof PLACES)[number];

/** The results for one program. */
interface Course {
  readonly sent: readonly { readonly body: string; readonly delivery: ShownDelivery }[];
  /** Every text that reached it, with the content of files instead of their names. */
  readonly texts: readonly string[];
  readonly keysIntoIdle: number;
  readonly interrupted: number;
  readonly before: string | undefined;
  readonly after: ListedSession | undefined;
}

let tmux: TmuxServer;
let bellhop: Bellhop;
let client: Client;
const courses = new Map<string, Promise<Course>>();

beforeAll(async () => {
  tmux = startTmuxServer();
  bellhop = new Bellhop({
    config: `tmux: { servers: ["${tmux.socket}"] }\n${SCRIPTED_PROFILE.trimEnd()}${TWO_STEPS_PROFILE}`,
    env: { HOME: join(tmux.folder, "home"), TMUX_TMPDIR: tmux.folder },
  });
  await bellhop.start();
  client = await bellhop.client();
  mkdirSync(join(tmux.folder, "home", ".claude"), { recursive: true });
  // For the hook script: a taught program runs the same one.
  const installed = await bellhop.run(["hooks", "install", "claude", "--yes"]);
  if (installed.code !== 0) throw new Error(installed.stderr);
  for (const place of PLACES) {
    for (const kind of KINDS) {
      // One after the other: two dozen programs that start at once would slow each other down.
      await start(kind, place);
      const course = run(kind, `${kind.name}-${place}`);
      course.catch(() => {});
      courses.set(`${kind.name}-${place}`, course);
    }
  }
});
afterAll(async () => {
  await Promise.allSettled(courses.values());
  await bellhop?.dispose();
  await tmux?.kill();
});

async function start({ name, flags, hook, replaces, twoSteps }: Kind, place: Place): Promise<void> {
  const agent = `${name}-${place}`;
  const script = join(bellhop.home, "hooks", "bellhop-hook");
  const all = [...flags, ...(hook === undefined ? [] : ["--hook", script])];
  const [node = "", file = "", ...words] = scriptedCommand(agent, logOf(agent), all);
  const program = [node, twoSteps === undefined ? file : inTwoSteps(file), ...words];
  const command = replaces === undefined ? program : ["sh", "-c", 'sleep 0.5; exec "$@"', "sh", ...program];
  const folder = join(tmux.folder, agent);
  mkdirSync(folder);
  if (place === "tmux") await tmux.newSession({ name: agent, command, cwd: folder });
  else await bellhop.runDetached(command, { name: agent, folder });
}

/** Written once: a program that starts must not read half of it. */
function inTwoSteps(file: string): string {
  const copy = join(tmux.folder, TWO_STEPS);
  if (!existsSync(copy)) copyFileSync(file, copy);
  return copy;
}

const logOf = (agent: string) => join(tmux.folder, `${agent}.jsonl`);

/** One alone, three at once, one during a running turn, one urgent in the middle of it; then a time without any more. */
async function run(kind: Kind, agent: string): Promise<Course> {
  const sent: { body: string; response: SendResponse }[] = [];
  const send = async (body: string, priority: "normal" | "interrupt" = "normal") => {
    const response = await client.call("send", { to: agent, body, priority, claims: { user: "dev" } });
    sent.push({ body, response });
    return response;
  };
  await until(async () => (await session(agent))?.readiness === "idle", `${agent} to be idle`, PATIENCE_MS);
  const before = (await session(agent))?.id;
  // A text that must be seen before it is submitted is longer than a row of its terminal.
  await settled(await send(`alone ${agent}${kind.twoSteps === true ? " and so on".repeat(20) : ""}`));
  for (const response of await Promise.all(["a", "b", "c"].map((each) => send(`three-${each} ${agent}`))))
    await settled(response);
  // Longer than three seconds of waiting for proof, shorter than ten: the urgent one arrives during it, or well after it.
  const turn = await send(`turn ${agent} [[busy 7]]`);
  const isThere = () => textsOf(agent).some((text) => text.includes(`turn ${agent}`));
  await until(isThere, `its turn: ${turn.shortId}`, PATIENCE_MS).catch(async (error: Error) => {
    const shown = { texts: textsOf(agent), delivery: await delivery(turn), session: await session(agent) };
    throw new Error(`${error.message} ${JSON.stringify(shown, undefined, 1)}`);
  });
  await send(`behind ${agent}`);
  await send(`urgent ${agent}`, "interrupt");
  for (const { response } of sent) await settled(response);
  const lateStates = async () => Promise.all(sent.map(({ response }) => delivery(response)));
  if (kind.late === true) {
    const all = async () =>
      (await sleep(BETWEEN_QUESTIONS_MS, await lateStates())).every(({ state }) => state !== "unconfirmed");
    await until(all, `late evidence of ${agent}`, PATIENCE_MS).catch(() => "told by the states");
  }
  const lastAt = Math.max(...readScriptedLog(logOf(agent)).map(({ at }) => at));
  await until(() => Date.now() > lastAt + QUIET_MS, "a quiet time", PATIENCE_MS);
  const log = readScriptedLog(logOf(agent));
  return {
    sent: await Promise.all(
      sent.map(async ({ body, response }) => ({ body, delivery: await delivery(response) })),
    ),
    texts: textsOf(agent),
    keysIntoIdle: log.filter(({ escaped }) => escaped === "idle").length,
    interrupted: log.filter(({ escaped }) => escaped === "busy").length,
    before,
    after: await session(agent),
  };
}

/** Two dozen poll at once: the pauses leave the daemon time for its work. */
const BETWEEN_QUESTIONS_MS = 400;

async function session(agent: string): Promise<ListedSession | undefined> {
  await sleep(BETWEEN_QUESTIONS_MS);
  const { sessions } = await client.call("ls", {});
  return sessions.find((one) => one.agent === agent);
}

async function delivery({ messageId }: SendResponse): Promise<ShownDelivery> {
  const [found] = (await client.call("show", { id: messageId })).deliveries;
  if (found === undefined) throw new Error(`${messageId} has no delivery`);
  return found;
}

async function settled(response: SendResponse): Promise<void> {
  let last: ShownDelivery | undefined;
  const isSettled = async () => {
    await sleep(BETWEEN_QUESTIONS_MS);
    last = await delivery(response);
    return !["queued", "delivering"].includes(last.state);
  };
  const told = () => `#${response.shortId} to be settled, which is ${JSON.stringify(last)}`;
  await until(isSettled, told, PATIENCE_MS);
}

function textsOf(agent: string): readonly string[] {
  return readScriptedLog(logOf(agent)).flatMap(({ prompt }) => {
    if (prompt === undefined) return [];
    const file = /\] Read (\/\S+)/u.exec(prompt)?.[1];
    return file === undefined ? prompt : readFileSync(file, "utf8");
  });
}

describe.each(PLACES)("a program in %s", (place) => {
  // Without a limit of its own: each wait inside has one, and says for what it waited.
  it.each(KINDS)("gets each message once and honestly: $name", async (kind) => {
    const agent = `${kind.name}-${place}`;
    const course = await courses.get(agent);
    if (course === undefined) throw new Error("it was not started");
    const all = course.texts.join("\n");
    for (const { body } of course.sent) expect(all.split(body), body).toHaveLength(2);
    const order = ["alone", "three-a", "three-b", "three-c", "turn"].map((one) =>
      all.indexOf(`${one} ${agent}`),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    for (const { body, delivery: found } of course.sent) {
      if (kind.becomes === "unconfirmed")
        expect(found, body).toMatchObject({ state: "unconfirmed", attempts: 1 });
      else expect(["delivered", "read"], `${body} ${JSON.stringify(found)}`).toContain(found.state);
      if (kind.evidence !== undefined) expect(found.evidence, body).toBe(kind.evidence);
      expect(found.attempts, body).toBe(1);
    }
    const receipts = course.sent.flatMap(({ delivery: found }) => found.receipts);
    if (kind.late === true)
      expect(receipts).toContainEqual(expect.objectContaining({ note: "late evidence" }));
    expect(course.keysIntoIdle).toBe(0);
    expect(course.interrupted).toBeLessThanOrEqual(1);
    if (kind.isStopped === true) expect(course.interrupted).toBe(1);
    expect(course.after?.id).toBe(course.before);
    expect(course.after?.readiness).not.toBe("exited");
  });
});
