import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { systemClock } from "../../system/clock.ts";
import { encodeFrame, FrameReader } from "../../wire/host/frames.ts";
import { type DaemonSays, HOST_VERSION, type HostWelcome } from "../../wire/host/host.ts";
import { HostLink } from "./host-link.ts";
import { hostedTerminal } from "./terminal.ts";

let folder: string;
let server: Server;
let link: HostLink;
/** A request to the host and its answer, without the number. */
let asked: DaemonSays[];
let answer: (said: DaemonSays) => object;
let welcome: HostWelcome;
let now: number;
let dials: number;
let obstacle: Error | undefined;

const WELCOME: HostWelcome = {
  ok: true,
  version: HOST_VERSION,
  session_id: "0badcafe",
  agent: "coder",
  cols: 80,
  rows: 24,
  state: { viewers: 0, passthrough: null, exit: null, title: "" },
};
const FACTS = {
  columns: 80,
  rows: 24,
  cursor: { x: 0, y: 0, visible: true },
  alternate: false,
  title: "",
  command: "sh",
  mode: "",
  dead: false,
  inputOff: false,
  synchronised: false,
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "bh-link-"));
  const socket = join(folder, "socket");
  asked = [];
  welcome = WELCOME;
  server = createServer((connection) => {
    const reader = new FrameReader(({ payload }) => {
      const said = JSON.parse(payload.toString("utf8")) as DaemonSays;
      asked.push(said);
      const told = JSON.stringify({ ...answer(said), id: said.id });
      connection.write(encodeFrame("control", Buffer.from(told, "utf8")));
    });
    connection.once("data", () => {
      connection.write(`${JSON.stringify(welcome)}\n`);
      connection.on("data", (chunk: Buffer) => reader.push(chunk));
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const ofNoProcess = { hostPid: 2, hostStartedAt: "", programPid: 2, programStartedAt: "", startedAt: 0 };
  const named = { version: HOST_VERSION, sessionId: "0badcafe", agent: "coder", token: "secret" };
  const record = { ...named, ...ofNoProcess, command: ["sh"], folder, socket };
  now = 0;
  dials = 0;
  obstacle = undefined;
  link = new HostLink(record, { ...systemClock, monotonic: () => now }, async () => {
    dials += 1;
    if (obstacle !== undefined) throw obstacle;
  });
});
afterEach(() => {
  link.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const read = (above?: number) =>
  hostedTerminal({ kind: "pty", server: "pty", pane: "0badcafe" }, link, {
    identity: { pid: 2, startedAt: "" },
    standing: async () => "in-front",
  }).read(above);

it("takes a screen that is none for unreadable, says why, and goes on", async () => {
  answer = () => ({ type: "screen", screen: { lines: [["> "]] } });
  expect(await read()).toEqual({
    kind: "unreadable",
    cause: 'the screen that its host sent has an invalid "columns"',
  });
  answer = () => ({ type: "screen", screen: { ...FACTS, lines: [{ runs: null }] } });
  expect(await read()).toMatchObject({ kind: "unreadable" });
  answer = () => ({ type: "screen", screen: { ...FACTS, lines: [["> "]] } });
  expect(await read()).toMatchObject({ kind: "screen", screen: { lines: [{ text: "> " }] } });
});

it("takes what scrolled off only where it is lines", async () => {
  const screen = { ...FACTS, lines: [] };
  for (const above of [null, "text", [5]]) {
    answer = () => ({ type: "screen", screen, above });
    expect(await read(3)).toEqual({ kind: "screen", screen });
  }
  answer = () => ({ type: "screen", screen, above: ["one"] });
  expect(await read(3)).toEqual({ kind: "screen", screen, above: ["one"] });
});

it("asks for a packed screen, and takes one that is not from a host that knows of no other", async () => {
  const text = "> ";
  const plain = { dim: false, inverse: false, bold: false, italic: false, foreground: "", background: "" };
  const screen = { ...FACTS, lines: [{ text, runs: [{ text, ...plain }] }] };
  for (const sent of [screen, { ...FACTS, lines: [[text]] }]) {
    answer = () => ({ type: "screen", screen: sent });
    expect(await read()).toEqual({ kind: "screen", screen });
  }
  expect(asked).toMatchObject([
    { type: "read", packed: true },
    { type: "read", packed: true },
  ]);
});

it("takes a host for one that asks where the agent stands only once it has said so", async () => {
  answer = () => ({ type: "screen", screen: { ...FACTS, lines: [] } });
  welcome = { ...WELCOME, asks_standing: true };
  expect(link.asksStanding).toBe(false);
  await read();
  expect(link.asksStanding).toBe(true);
});

it("sends over a connection that stands before whoever asks goes on, and nothing once it is closed", async () => {
  answer = () => ({ type: "announced", to: 1 });
  const sent = vi.spyOn(Socket.prototype, "write");
  expect(await link.ask({ type: "announce", text: "one" })).toMatchObject({ type: "announced" });
  sent.mockClear();
  const answered = link.ask({ type: "announce", text: "two" });
  expect(sent).toHaveBeenCalledTimes(1);
  await answered;
  link.close();
  sent.mockClear();
  expect(await link.ask({ type: "announce", text: "three" })).toBe("unreachable");
  expect(sent).not.toHaveBeenCalled();
  sent.mockRestore();
});

it("says what is in the way, tells nobody of a loss, and does not dial without end", async () => {
  let told = 0;
  obstacle = new Error("a file is there");
  link.onLost(() => {
    told += 1;
  });
  link.onChange(() => {
    told += 1;
    void read();
  });
  const unreadable = { kind: "unreadable", cause: "its host cannot be reached: a file is there" };
  for (let time = 0; time < 50; time += 1) expect(await read()).toEqual(unreadable);
  expect([dials, told]).toEqual([1, 0]);
  now += 500;
  obstacle = undefined;
  answer = () => ({ type: "screen", screen: { ...FACTS, lines: [] } });
  expect(await read()).toMatchObject({ kind: "screen" });
  expect(dials).toBe(2);
});

it("does not dial without end where nobody listens, or who answers hangs up", async () => {
  const lost: number[] = [];
  link.onLost(() => lost.push(dials));
  link.onChange(() => void read());
  server.removeAllListeners("connection");
  server.on("connection", (connection) => connection.resume().end(`${JSON.stringify(WELCOME)}\n`));
  for (let time = 0; time < 50; time += 1) await read();
  expect(dials).toBe(1);
  expect(lost).toEqual([1]);
  server.close();
  now += 500;
  for (let time = 0; time < 50; time += 1)
    expect(await read()).toEqual({ kind: "unreadable", cause: "its host cannot be reached" });
  expect(dials).toBe(2);
  expect(lost).toEqual([1]);
});
