/** A page that looks at terminals over the WebSocket: it draws what it is told into a terminal of its own. */
import { readFileSync } from "node:fs";
import headless from "@xterm/headless";
import { WebSocket } from "ws";
import { agentToken } from "../../src/home/token.ts";
import { type Row, screenRows } from "../../src/screens/cells.ts";
import { drawAlike } from "../../src/screens/same-drawing.ts";
import type { Bellhop } from "./bellhop.ts";
import { until } from "./scripted-agent.ts";
import type { TmuxServer } from "./tmux-server.ts";

/** What a person sees. */
export interface Seen {
  readonly cols: number;
  readonly rows: readonly Row[];
  readonly cursor: { readonly x: number; readonly y: number; readonly visible: boolean };
}

export class Drawing {
  readonly #terminal: InstanceType<typeof headless.Terminal>;
  readonly #unlisted: ReturnType<typeof drawAlike>;

  constructor(cols: number, rows: number) {
    this.#terminal = new headless.Terminal({ cols, rows, scrollback: 10_000, allowProposedApi: true });
    this.#unlisted = drawAlike(this.#terminal);
  }

  write(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(data, resolve));
  }

  resize(cols: number, rows: number): void {
    this.#terminal.resize(cols, rows);
  }

  seen(): Seen {
    const { active } = this.#terminal.buffer;
    const { cols } = this.#terminal;
    return {
      cols,
      rows: screenRows(this.#terminal, active, active.baseY),
      cursor: {
        x: Math.min(active.cursorX, cols - 1),
        y: active.cursorY,
        visible: this.#unlisted.cursorVisible,
      },
    };
  }

  /** Everything that scrolled off, oldest first. */
  history(): readonly string[] {
    const { normal } = this.#terminal.buffer;
    return Array.from({ length: normal.baseY }, (_, y) => normal.getLine(y)?.translateToString(true) ?? "");
  }
}

export interface ScreenTold {
  readonly type: string;
  readonly screen?: number;
  readonly reqId?: number;
  readonly [field: string]: unknown;
}

export class ScreenPage {
  readonly socket: WebSocket;
  readonly told: ScreenTold[] = [];
  /** What it hears is drawn. */
  draws = true;
  readonly #drawings = new Map<number, { drawing: Drawing; written: Promise<void> }>();
  readonly #answers = new Map<number, (answer: ScreenTold) => void>();
  readonly #ears = new Set<() => void>();
  #requests = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("error", () => {});
    socket.on("message", (data) => this.#hear(JSON.parse(String(data)) as ScreenTold));
  }

  /** As the owner, or with the token of an agent. */
  static async of(bellhop: Bellhop, agent?: string): Promise<ScreenPage> {
    const { http, tokenFile } = await bellhop.ask("status", {});
    const owner = readFileSync(tokenFile, "utf8").trim();
    const authorization = `Bearer ${agent === undefined ? owner : agentToken(owner, agent)}`;
    const socket = new WebSocket(`ws://127.0.0.1:${http.port}/ws`, { headers: { authorization } });
    const page = new ScreenPage(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("open", () => resolve());
      socket.once("error", reject);
    });
    return page;
  }

  ask(frame: { readonly type: string; readonly [field: string]: unknown }): Promise<ScreenTold> {
    this.#requests += 1;
    const reqId = this.#requests;
    return new Promise((resolve) => {
      this.#answers.set(reqId, resolve);
      this.socket.send(JSON.stringify({ ...frame, reqId }));
    });
  }

  /** Opens it and waits for its first snapshot. */
  async look(screen: number, who: string): Promise<ScreenTold> {
    const answer = await this.ask({ type: "screen.open", screen, who });
    if (answer.type !== "screen.open.ok") throw new Error(JSON.stringify(answer));
    await this.hears("screen.snapshot", screen);
    return answer;
  }

  keys(screen: number, keys: string): void {
    this.socket.send(JSON.stringify({ type: "screen.keys", screen, keys }));
  }

  keyboard(screen: number, take: boolean): Promise<ScreenTold> {
    return this.ask({ type: "screen.keyboard", screen, take });
  }

  /** The first of this kind, also one that has come already. */
  async hears(
    type: string,
    screen: number,
    is: (told: ScreenTold) => boolean = () => true,
  ): Promise<ScreenTold> {
    for (;;) {
      const found = this.told.find((told) => told.type === type && told.screen === screen && is(told));
      if (found !== undefined) return found;
      if (this.socket.readyState !== WebSocket.OPEN) throw new Error("the connection is closed");
      await new Promise<void>((resolve) => {
        const ear = (): void => {
          this.#ears.delete(ear);
          resolve();
        };
        this.#ears.add(ear);
      });
    }
  }

  count(type: string, screen: number): number {
    return this.told.filter((told) => told.type === type && told.screen === screen).length;
  }

  async seen(screen: number): Promise<Seen> {
    const at = this.#drawing(screen);
    await at.written;
    return at.drawing.seen();
  }

  async history(screen: number): Promise<readonly string[]> {
    const at = this.#drawing(screen);
    await at.written;
    return at.drawing.history();
  }

  async text(screen: number): Promise<string> {
    return textOf(await this.seen(screen));
  }

  close(): void {
    this.socket.terminate();
  }

  #drawing(screen: number) {
    const at = this.#drawings.get(screen);
    if (at === undefined) throw new Error(`screen ${screen} has not been drawn`);
    return at;
  }

  #hear(told: ScreenTold): void {
    const answered = told.reqId === undefined ? undefined : this.#answers.get(told.reqId);
    if (told.reqId !== undefined) this.#answers.delete(told.reqId);
    answered?.(told);
    if (told.screen !== undefined && this.draws) this.#draw(told.screen, told);
    this.told.push(told);
    for (const ear of [...this.#ears]) ear();
  }

  #draw(screen: number, { type, data, cols, rows }: ScreenTold): void {
    if (type !== "screen.snapshot" && type !== "screen.output") return;
    const known = this.#drawings.get(screen);
    const at = known ?? { drawing: new Drawing(Number(cols), Number(rows)), written: Promise.resolve() };
    this.#drawings.set(screen, at);
    at.written = at.written.then(() => {
      if (type === "screen.snapshot") at.drawing.resize(Number(cols), Number(rows));
      return at.drawing.write(String(data));
    });
  }
}

export function textOf({ rows }: Seen): string {
  return rows
    .map((row) =>
      row
        .map(({ text }) => text)
        .join("")
        .trimEnd(),
    )
    .join("\n");
}

/** What tmux says that the pane shows, asked and drawn in the plainest way. */
export async function paneSeen(tmux: TmuxServer, pane: string): Promise<Seen> {
  const format = "#{pane_width}/#{pane_height}/#{cursor_x}/#{cursor_y}/#{cursor_flag}";
  const both = await tmux.run(
    ...["display-message", "-p", "-t", pane, format],
    ...[";", "capture-pane", "-p", "-e", "-N", "-t", pane],
  );
  const [facts = "", ...lines] = both.split("\n");
  const [cols = 0, rows = 0, x = 0, y = 0, shown] = facts.split("/").map(Number);
  const drawing = new Drawing(cols, rows);
  await drawing.write("\x1b)0\x1b[?7l");
  for (const [index, line] of lines.slice(0, rows).entries())
    await drawing.write(`\x1b[${index + 1};1H${line}`);
  return { ...drawing.seen(), cursor: { x: Math.min(x, cols - 1), y, visible: shown === 1 } };
}

/**
 * Without the colour of what is blank at the end of a row. Before 3.4, tmux does not capture the colour in which a program
 * has erased the rest of a line, so what it says of that is neither right nor wrong.
 */
export function withoutErasedGround(seen: Seen): Seen {
  const rows = seen.rows.map((row) => {
    const used = row.findLastIndex(({ text }) => text !== " ");
    return row.map((cell, x) => (x > used ? { ...cell, style: "" } : cell));
  });
  return { ...seen, rows };
}

/** Where they differ, in words; empty if nowhere. */
export function differences(copy: Seen, own: Seen): readonly string[] {
  const found: string[] = [];
  if (copy.cols !== own.cols || copy.rows.length !== own.rows.length)
    found.push(`${copy.cols}x${copy.rows.length} instead of ${own.cols}x${own.rows.length}`);
  own.rows.forEach((row, y) => {
    row.forEach((cell, x) => {
      const other = copy.rows[y]?.[x];
      if (JSON.stringify(other) !== JSON.stringify(cell))
        found.push(`${y},${x}: ${JSON.stringify(other)} instead of ${JSON.stringify(cell)}`);
    });
  });
  if (JSON.stringify(copy.cursor) !== JSON.stringify(own.cursor))
    found.push(`cursor ${JSON.stringify(copy.cursor)} instead of ${JSON.stringify(own.cursor)}`);
  return found;
}

/** Waits until the copy shows what the pane shows, cell by cell. Fails with where they differ. */
export async function untilEqual(
  page: ScreenPage,
  screen: number,
  own: () => Promise<Seen>,
  what: (seen: Seen) => boolean = () => true,
  compared: (seen: Seen) => Seen = (seen) => seen,
): Promise<Seen> {
  let last: readonly string[] = [];
  let equal: Seen | undefined;
  await until(
    async () => {
      const shown = await own();
      const copy = await page.seen(screen);
      last = differences(compared(copy), compared(shown));
      if (last.length > 0 || !what(shown)) return false;
      equal = copy;
      return true;
    },
    () => `an equal screen; it differs at ${last.length} places:\n${last.slice(0, 20).join("\n")}`,
  );
  return equal as Seen;
}
