/**
 * One person's live copy of a hosted terminal, and its keyboard, for which the host itself knows one owner.
 *
 *   dialling ─▶ awaiting ─▶ (a picture) live ⇄ resting
 *                  ▲────────────────────────────┘
 *
 * The host hangs up on a viewer that does not read, so everything is read at once, and what nobody wants is dropped.
 */
import { connect, type Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { BellhopError } from "../../core/errors.ts";
import type { KeyboardOutcome, View, ViewEar } from "../../ports/screen-view.ts";
import { FirstLine } from "../../wire/first-line.ts";
import { encodeControl, encodeData, FRAME_LIMITS, type Frame, FrameReader } from "../../wire/host/frames.ts";
import {
  HOST_VERSION,
  type HostHello,
  type HostState,
  type HostWelcome,
  type ViewerHears,
  type ViewerSays,
} from "../../wire/host/host.ts";
import type { HostLink } from "./host-link.ts";

const DIAL_MS = 5_000;
const ANSWER_MS = 5_000;
const LONGEST_WELCOME = 64 * 1024;
const RESET = "\x1bc";

export async function openHostView(link: HostLink, ear: ViewEar): Promise<View> {
  await link.reach().catch((cause: Error) => {
    throw unreadable(cause.message);
  });
  const view = new HostView(link, ear);
  await view.dial();
  return view;
}

type Picture = { cols: number; rows: number; bytes: Buffer[]; missing: number | "unknown" };

class HostView implements View {
  readonly #link: HostLink;
  readonly #ear: ViewEar;
  #socket: Socket | undefined;
  #knowsAfar = false;
  #state: "awaiting" | "live" | "resting" | "closed" = "awaiting";
  #picture: Picture | undefined;
  #size = { cols: 80, rows: 24 };
  #title = "";
  #hasEnded = false;
  #number: number | undefined;
  #keyboard: "free" | "ours" | "elsewhere" = "free";
  #asking: ((outcome: KeyboardOutcome) => void) | undefined;
  #decoder = new StringDecoder("utf8");
  /** Nothing was written since the picture. */
  #fresh = true;

  constructor(link: HostLink, ear: ViewEar) {
    this.#link = link;
    this.#ear = ear;
  }

  rest(): void {
    if (this.#state === "live") this.#state = "resting";
  }

  again(): void {
    if (this.#state === "closed") return;
    this.#state = "awaiting";
    if (this.#knowsAfar) {
      this.#say({ type: "picture" });
      return;
    }
    // A host of an earlier release draws everything only for who comes anew.
    this.#socket?.destroy();
    this.dial().catch((error: unknown) => this.#end(error instanceof Error ? error.message : String(error)));
  }

  async takeKeyboard(): Promise<KeyboardOutcome> {
    if (!this.#knowsAfar) return { kind: "refused", why: TOO_OLD };
    if (this.#keyboard === "ours") return { kind: "taken" };
    if (this.#hasEnded) return { kind: "refused", why: ENDED };
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => this.#asking?.({ kind: "refused", why: "its host does not answer" }),
        ANSWER_MS,
      );
      this.#asking = (outcome) => {
        clearTimeout(timer);
        this.#asking = undefined;
        resolve(outcome);
      };
      this.#say({ type: "passthrough", on: true });
    });
  }

  giveKeyboardBack(): void {
    if (this.#keyboard === "ours") this.#say({ type: "passthrough", on: false });
  }

  async type(text: string) {
    if (this.#hasEnded) return { kind: "refused", why: ENDED, keyboard: "lost" } as const;
    if (this.#keyboard !== "ours")
      return {
        kind: "refused",
        why: "somebody at its terminal has taken the keyboard",
        keyboard: "lost",
      } as const;
    for (const frame of encodeData(Buffer.from(text, "utf8"))) this.#socket?.write(frame);
    return { kind: "typed" } as const;
  }

  close(): void {
    this.#state = "closed";
    this.#asking?.({ kind: "refused", why: "it is no longer looked at" });
    // The host gives the keyboard back when its owner leaves.
    this.#socket?.destroy();
  }

  dial(): Promise<void> {
    const { record } = this.#link;
    const socket = connect(record.socket);
    this.#socket = socket;
    const hello: HostHello = {
      type: "attach",
      versions: [HOST_VERSION],
      token: record.token,
      may: "look",
      from: "afar",
    };
    return new Promise((resolve, reject) => {
      const first = new FirstLine(LONGEST_WELCOME);
      const timer = setTimeout(() => socket.destroy(new Error("its host does not answer")), DIAL_MS);
      let reader: FrameReader | undefined;
      socket.on("connect", () => socket.write(`${JSON.stringify(hello)}\n`));
      socket.on("error", (error) => reject(unreadable(error.message)));
      socket.on("close", () => {
        clearTimeout(timer);
        reject(unreadable("its host hung up"));
        if (reader !== undefined && socket === this.#socket)
          this.#end(this.#hasEnded ? ENDED : "its host is gone");
      });
      socket.on("data", (chunk: Buffer) => {
        try {
          if (reader !== undefined) return reader.push(chunk);
          const answer = first.push(chunk);
          if (answer.kind === "too-long") throw new Error("its host's answer cannot be read");
          if (answer.kind === "partial") return;
          clearTimeout(timer);
          reader = new FrameReader((frame) => {
            if (socket === this.#socket) this.#hear(frame);
          });
          this.#welcomed(JSON.parse(answer.line.toString("utf8")) as HostWelcome);
          resolve();
          reader.push(answer.rest);
        } catch (error) {
          socket.destroy(error instanceof Error ? error : undefined);
        }
      });
    });
  }

  #welcomed(welcome: HostWelcome): void {
    if (!welcome.ok) throw new Error(welcome.error.message);
    const { cols, rows, state } = welcome;
    this.#knowsAfar = welcome.afar === true;
    this.#size = { cols, rows };
    this.#title = state.title;
    // A host of an earlier release does not say where its first picture ends.
    this.#picture = this.#knowsAfar ? undefined : { cols, rows, bytes: [], missing: "unknown" };
  }

  #hear({ kind, payload }: Frame): void {
    if (this.#state === "closed") return;
    if (kind === "control") this.#told(JSON.parse(payload.toString("utf8")) as ViewerHears);
    else if (this.#picture !== undefined) this.#drawn(this.#picture, payload);
    else this.#wrote(payload);
  }

  #told(said: ViewerHears): void {
    switch (said.type) {
      case "picture": {
        const { bytes, cols, rows } = said;
        this.#size = { cols, rows };
        this.#picture = { cols, rows, bytes: [], missing: bytes };
        return;
      }
      case "resize":
        this.#resized(said);
        return;
      case "state":
        this.#number = said.viewer;
        this.#stateIs(said.state);
        return;
      case "refused":
        if (said.what === "passthrough") this.#asking?.({ kind: "elsewhere" });
        return;
      default:
        return;
    }
  }

  #resized({ cols, rows }: { readonly cols: number; readonly rows: number }): void {
    const isNew = cols !== this.#size.cols || rows !== this.#size.rows;
    this.#size = { cols, rows };
    if (this.#picture?.missing === "unknown") Object.assign(this.#picture, { cols, rows });
    else if (isNew && this.#state === "live") this.again();
  }

  #stateIs({ title, passthrough, exit }: HostState): void {
    this.#title = title;
    this.#hasEnded = exit !== null;
    const before = this.#keyboard;
    this.#keyboard = passthrough === null ? "free" : passthrough === this.#number ? "ours" : "elsewhere";
    if (this.#keyboard === "ours" && this.#asking !== undefined) this.#asking({ kind: "taken" });
    // It came after whoever asked was told that the host does not answer: messages would wait for it in vain.
    else if (this.#keyboard === "ours" && before !== "ours") this.giveKeyboardBack();
    if (before !== this.#keyboard) this.#ear.takenElsewhere(this.#keyboard === "elsewhere");
  }

  #drawn(picture: Picture, bytes: Buffer): void {
    picture.bytes.push(bytes);
    if (picture.missing !== "unknown") {
      picture.missing -= bytes.length;
      if (picture.missing > 0) return;
    } else if (bytes.length === FRAME_LIMITS.pieceBytes) return;
    this.#picture = undefined;
    this.#decoder = new StringDecoder("utf8");
    this.#fresh = true;
    if (this.#state !== "awaiting") return;
    this.#state = "live";
    const { cols, rows } = picture;
    const data = `${RESET}${Buffer.concat(picture.bytes).toString("utf8")}`;
    this.#ear.drew({ cols, rows, data, title: this.#title });
  }

  #wrote(bytes: Buffer): void {
    const isTorn = this.#fresh && ((bytes[0] ?? 0) & 0xc0) === 0x80;
    this.#fresh = false;
    if (this.#state !== "live") return;
    // It begins within a character: the picture was drawn in between.
    const text = isTorn ? "" : this.#decoder.write(bytes);
    if (isTorn) this.again();
    else if (text !== "") this.#ear.wrote(text);
  }

  #say(message: ViewerSays): void {
    this.#socket?.write(encodeControl(message));
  }

  #end(why: string): void {
    if (this.#state === "closed") return;
    this.close();
    this.#ear.over(why);
  }
}

const ENDED = "the program has ended";
const TOO_OLD = 'it was started by an earlier Bellhop, whose terminals take keys only from "bellhop attach"';

function unreadable(cause: string): BellhopError {
  return new BellhopError("terminal.unreadable", {
    message: `This terminal cannot be looked at now: ${cause}.`,
    next: 'Try again, or see its screen with "bellhop peek".',
  });
}
