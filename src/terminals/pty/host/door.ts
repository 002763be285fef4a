/** Connections to a host: one line that identifies the client and shows the token, then frames. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import { BellhopError } from "../../../core/errors.ts";
import { present } from "../../../core/present.ts";
import type { Size } from "../../../screens/same-drawing.ts";
import { FirstLine } from "../../../wire/first-line.ts";
import { encodeControl, encodeData, type Frame, FrameReader } from "../../../wire/host/frames.ts";
import {
  type DaemonHears,
  type DaemonSays,
  HOST_VERSION,
  type HostHello,
  type HostWelcome,
  LONGEST_GRACE_MS,
  type ViewerHears,
  type ViewerSays,
} from "../../../wire/host/host.ts";
import { packScreen } from "../../../wire/host/packed-screen.ts";
import { SIZE_LIMITS } from "../../../wire/host/size-limits.ts";
import type { Host } from "./host.ts";

export const HOST_LIMITS = {
  helloBytes: 16 * 1024,
  helloMs: 5_000,
  /** A viewer with more unread output than this is disconnected. The first picture does not count. */
  backlogBytes: 4 * 1024 * 1024,
  /** The same for a daemon: a single answer may hold the whole history. */
  daemonBacklogBytes: 64 * 1024 * 1024,
  connections: 64,
  submitBytes: 256 * 1024,
} as const;

export interface HostDoor {
  readonly host: Host;
  readonly token: string;
  readonly sessionId: string;
  readonly agent: string;
  /** Connected daemons, to be told of changes. */
  readonly daemons: Set<{ changed(): void; state(): void }>;
  readonly viewers: Set<{ state(): void }>;
}

export function welcome(socket: Socket, door: HostDoor): void {
  const first = new FirstLine(HOST_LIMITS.helloBytes);
  const timer = setTimeout(() => socket.destroy(), HOST_LIMITS.helloMs);
  socket.on("error", () => socket.destroy());
  socket.on("close", () => clearTimeout(timer));
  const onData = (chunk: Buffer): void => {
    const said = first.push(chunk);
    if (said.kind === "partial") return;
    socket.off("data", onData);
    // A client that does not leave is cut off when the time for the first line is over.
    if (said.kind === "too-long") {
      refuse(socket, malformed("The first line is too long."));
      return;
    }
    clearTimeout(timer);
    const { line, rest } = said;
    try {
      const hello = readHello(line, door.token);
      if (hello.type === "serve") serve(socket, door, rest);
      else view(socket, door, hello, rest).catch(() => socket.destroy());
    } catch (error) {
      refuse(socket, error instanceof BellhopError ? error : malformed("The first line cannot be read."));
    }
  };
  socket.on("data", onData);
}

function readHello(line: Buffer, token: string): HostHello {
  let hello: Partial<HostHello>;
  try {
    hello = JSON.parse(line.toString("utf8")) as Partial<HostHello>;
  } catch {
    throw malformed("The first line is not JSON.");
  }
  if (hello === null || typeof hello !== "object" || (hello.type !== "attach" && hello.type !== "serve"))
    throw malformed('The first line has no type "attach".');
  if (typeof hello.token !== "string" || !sameSecret(hello.token, token)) {
    throw new BellhopError("request.unauthorised", {
      message: "This token does not open this terminal.",
      next: 'Attach with "bellhop attach".',
    });
  }
  const versions: unknown = hello.versions ?? [HOST_VERSION];
  if (!Array.isArray(versions) || !versions.includes(HOST_VERSION)) {
    throw new BellhopError("daemon.version_mismatch", {
      message: `This terminal speaks version ${HOST_VERSION} of the attach protocol only.`,
      next: "Use the bellhop that started it, or stop and start the session.",
    });
  }
  return hello as HostHello;
}

function welcomeLine(door: HostDoor): string {
  const { cols, rows } = door.host.size;
  const answer: HostWelcome = {
    ok: true,
    version: HOST_VERSION,
    session_id: door.sessionId,
    agent: door.agent,
    cols,
    rows,
    state: door.host.state,
    afar: true,
    asks_standing: true,
  };
  return `${JSON.stringify(answer)}\n`;
}

async function view(socket: Socket, door: HostDoor, hello: HostHello, rest: Buffer): Promise<void> {
  const { host } = door;
  const looksOnly = hello.may === "look";
  const isAfar = looksOnly && hello.from === "afar";
  const viewer = { size: looksOnly ? undefined : sizeOf(hello) };
  let number = 0;
  let pictureBytes = 0;
  const send = (frame: Buffer): void => {
    if (socket.destroyed) return;
    if (socket.writableLength > HOST_LIMITS.backlogBytes + pictureBytes) socket.destroy();
    else socket.write(frame);
  };
  const tell = (message: ViewerHears): void => {
    try {
      send(encodeControl(message));
    } catch {
      // Too long for a frame. The viewer would miss it without knowing.
      socket.destroy();
    }
  };
  const hears = { state: () => tell({ type: "state", viewer: number, state: host.state }) };
  // The picture comes first: it already contains all earlier output.
  let drawn = false;
  socket.write(welcomeLine(door));
  number = host.attach({
    get size() {
      return viewer.size;
    },
    isAfar,
    output(bytes) {
      if (drawn) for (const frame of encodeData(bytes)) send(frame);
    },
    resized: (now) => tell({ type: "resize", ...now }),
    announced: (text) => tell({ type: "announce", text }),
  });
  const leave = (): void => {
    door.viewers.delete(hears);
    host.detach(number);
  };
  socket.on("close", leave);
  door.viewers.add(hears);
  const draw = async (): Promise<void> => {
    drawn = false;
    const picture = Buffer.from(await host.redraw(), "utf8");
    drawn = true;
    if (isAfar) tell({ type: "picture", bytes: picture.length, ...host.size });
    else tell({ type: "resize", ...host.size });
    hears.state();
    pictureBytes = picture.length;
    for (const frame of encodeData(picture)) send(frame);
    // Writes are ordered: when this one completes, the viewer has received everything.
    socket.write("", () => {
      pictureBytes = 0;
    });
  };
  const heard = (frame: Frame): void => {
    if (isAfar) saidFromAfar(frame, { host, number, tell, draw }).catch(() => socket.destroy());
    else if (looksOnly) refuseLooker(frame, tell);
    else if (frame.kind === "data") host.type(number, frame.payload);
    else saidByViewer(frame.payload, { host, number, viewer, tell }).catch(() => socket.destroy());
  };
  const reader = new FrameReader(heard);
  feed(socket, reader, rest);
  await draw();
}

/** It types only while it has the keyboard to itself. */
async function saidFromAfar(
  { kind, payload }: Frame,
  parts: {
    readonly host: Host;
    readonly number: number;
    tell(message: ViewerHears): void;
    draw(): Promise<void>;
  },
): Promise<void> {
  const { host, number, tell } = parts;
  const refuse = (what: string, message: string): void => tell({ type: "refused", what, message });
  if (kind === "data") {
    if (host.state.passthrough !== number) refuse("keys", "You have not taken the keyboard.");
    else if (host.type(number, payload) === "refused") refuse("keys", whyRefused(host, number));
    return;
  }
  const said = parseControl<ViewerSays>(payload);
  if (said?.type === "picture") return parts.draw();
  if (said?.type === "passthrough") return passThrough(said, parts);
  refuse(said?.type ?? "control", "You are only watching this terminal.");
}

/** This viewer declared itself read-only. It may change its size, which still does not count. */
function refuseLooker({ kind, payload }: Frame, tell: (message: ViewerHears) => void): void {
  const said = kind === "control" ? parseControl<ViewerSays>(payload)?.type : "keys";
  if (said !== "resize")
    tell({ type: "refused", what: said ?? "control", message: "You are only watching this terminal." });
}

async function saidByViewer(
  payload: Buffer,
  parts: {
    readonly host: Host;
    readonly number: number;
    readonly viewer: { size: Size | undefined };
    tell(message: ViewerHears): void;
  },
): Promise<void> {
  const { host, number, viewer, tell } = parts;
  const said = parseControl<ViewerSays>(payload);
  switch (said?.type) {
    case "resize":
      viewer.size = sizeOf(said);
      host.fit();
      return;
    case "submit": {
      const { text }: { readonly text?: unknown } = said;
      const refuse = (message: string): void => tell({ type: "refused", what: "submit", message });
      if (typeof text !== "string" || text === "") refuse("There is nothing to type.");
      else if (Buffer.byteLength(text) > HOST_LIMITS.submitBytes) refuse("The line is too long.");
      else if ((await host.submit(number, text)) === "refused") refuse(whyRefused(host, number));
      return;
    }
    case "passthrough":
      return passThrough(said, parts);
    default:
      // A newer viewer may send messages that this host does not know.
      tell({ type: "refused", what: "control", message: "This terminal does not know that request." });
  }
}

function passThrough(
  { on }: Extract<ViewerSays, { readonly type: "passthrough" }>,
  { host, number, tell }: { readonly host: Host; readonly number: number; tell(message: ViewerHears): void },
): void {
  if (on !== true) host.giveKeyboardBack(number);
  else if (host.takeKeyboard(number) === "somebody-elses")
    tell({ type: "refused", what: "passthrough", message: "Somebody else has the keyboard." });
}

function whyRefused(host: Host, number: number): string {
  const { passthrough, exit } = host.state;
  if (exit !== null) return "The program has ended.";
  return passthrough !== null && passthrough !== number
    ? "Somebody else has the keyboard."
    : "The program is not reading its input.";
}

function serve(socket: Socket, door: HostDoor, rest: Buffer): void {
  const { host } = door;
  const tell = (message: DaemonHears): void => {
    if (socket.destroyed) return;
    if (socket.writableLength > HOST_LIMITS.daemonBacklogBytes) socket.destroy();
    else socket.write(encodeControl(message));
  };
  let owed = false;
  const link = {
    // Changes within one turn are reported once.
    changed() {
      if (owed) return;
      owed = true;
      setImmediate(() => {
        owed = false;
        tell({ type: "changed" });
      });
    },
    state: () => tell({ type: "state", state: host.state }),
  };
  socket.write(welcomeLine(door));
  door.daemons.add(link);
  socket.on("close", () => door.daemons.delete(link));
  const reader = new FrameReader(({ kind, payload }) => {
    const said = kind === "control" ? parseControl<DaemonSays>(payload) : undefined;
    if (said !== undefined && typeof said.id === "number") void saidByDaemon(said, host, tell);
  });
  feed(socket, reader, rest);
}

async function saidByDaemon(
  said: DaemonSays,
  host: Host,
  tell: (message: DaemonHears) => void,
): Promise<void> {
  const { id } = said;
  try {
    switch (said.type) {
      case "read": {
        const shown = await host.screen();
        const screen = said.packed === true ? packScreen(shown) : shown;
        const most = typeof said.above === "number" ? said.above : 0;
        const above = most > 0 ? host.above(most) : undefined;
        return tell({ type: "screen", id, screen, ...present({ above, quietForMs: host.quietForMs }) });
      }
      case "gate":
        return tell({
          type: "gate",
          id,
          outcome: await host.gate(said.expectation, said.strokes, said.agent),
        });
      case "announce":
        return tell({ type: "announced", id, to: host.announce(said.text) });
      case "stop": {
        const graceMs = graceOf(said.graceMs);
        tell({ type: "stopping", id });
        return await host.stop(graceMs);
      }
      default:
        throw malformed("This terminal does not know that request.");
    }
  } catch (error) {
    const told = error instanceof BellhopError ? error : malformed(String(error));
    tell({ type: "failed", id, code: told.code, message: told.message });
  }
}

function feed(socket: Socket, reader: FrameReader, rest: Buffer): void {
  const push = (chunk: Buffer): void => {
    try {
      reader.push(chunk);
    } catch {
      // After a broken frame, nothing that follows can be trusted to start a new one.
      socket.destroy();
    }
  };
  socket.on("data", push);
  push(rest);
}

function parseControl<T>(payload: Buffer): T | undefined {
  try {
    const said: unknown = JSON.parse(payload.toString());
    return said !== null && typeof said === "object" ? (said as T) : undefined;
  } catch {
    return undefined;
  }
}

function sizeOf({ cols, rows }: { readonly cols?: unknown; readonly rows?: unknown }): Size {
  const whole = (value: unknown, standard: number, most: number): number =>
    typeof value === "number" && Number.isInteger(value) && value >= 1 ? Math.min(value, most) : standard;
  return { cols: whole(cols, 80, SIZE_LIMITS.cols), rows: whole(rows, 24, SIZE_LIMITS.rows) };
}

/** A value too large for a timer would mean no grace period at all. */
function graceOf(ms: unknown): number {
  if (typeof ms === "number" && ms >= 0 && ms <= LONGEST_GRACE_MS) return ms;
  throw malformed(`A grace is a number of milliseconds, ${LONGEST_GRACE_MS} at most.`);
}

function refuse(socket: Socket, error: BellhopError): void {
  const { code, message, next } = error;
  const answer: HostWelcome = { ok: false, error: { code, message, next } };
  // Destroyed without waiting for the client to leave, because another may need its place.
  socket.end(`${JSON.stringify(answer)}\n`, () => socket.destroy());
}

function malformed(message: string): BellhopError {
  return new BellhopError("request.malformed", { message, next: "Speak the attach protocol, version 1." });
}

function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
