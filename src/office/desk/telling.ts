/**
 * Tells the person what needs them: a line in their terminals, a bell, a desktop notification, as configured. Each
 * thing is told once, also across restarts; things that come together are told together. Failing to show it is not an
 * error for anyone: `ls`, `status` and `attention` list it as long as it lasts.
 */
import type { Message } from "../../core/message.ts";
import { notificationOf, type Thing, thingOf, thingOfMail } from "../../core/text/telling.ts";
import type { Desktop } from "../../ports/desktop.ts";
import type { TerminalServer } from "../../ports/terminal.ts";
import type { Ground } from "../presence/ground.ts";
import type { AttentionDesk } from "../views/attention.ts";

/** Things that come within this time are told together. */
const GATHER_MS = 1_000;
/** Between two lines: someone who is told all the time stops looking. */
const PAUSE_MS = 10_000;
const MOST_WAITING = 200;

export interface TellingParts extends Ground {
  readonly attention: AttentionDesk;
  servers(): readonly TerminalServer[];
  readonly desktop: Desktop;
}

export class Telling {
  readonly #parts: TellingParts;
  readonly #mail: Thing[] = [];
  #cancel: (() => void) | undefined;
  #working: Promise<void> | undefined;
  #notBeforeMonotonic = Number.NEGATIVE_INFINITY;
  #trouble: string | undefined;
  #isClosed = false;

  constructor(parts: TellingParts) {
    this.#parts = parts;
  }

  /** Why notifications do not work as configured. */
  get trouble(): string | undefined {
    const { context, desktop } = this.#parts;
    if (!context.settings().notify.includes("desktop")) return undefined;
    const why = this.#trouble ?? desktop.obstacle();
    return why === undefined ? undefined : `Desktop notifications do not work: ${why}`;
  }

  /** Call when something may need the person. */
  look(): void {
    if (this.#isClosed || this.#cancel !== undefined || this.#working !== undefined) return;
    const { clock, settings } = this.#parts.context;
    if (settings().notify.length === 0) return;
    const wait = Math.max(GATHER_MS, this.#notBeforeMonotonic - clock.monotonic());
    this.#cancel = clock.after(wait, () => {
      this.#cancel = undefined;
      this.#working = this.#tell().finally(() => {
        this.#working = undefined;
      });
    });
  }

  /** A session's question was answered: if it asks the same again, the person is told again. */
  answered(id: string): void {
    const { store, log } = this.#parts.context;
    if (store.read.told([id]).length === 0) return;
    store
      .write((tx) => tx.removeTold(id))
      .catch((cause) => log.error("person.untold", { cause: String(cause) }));
  }

  came(message: Message): void {
    const thing = thingOfMail(message);
    if (thing !== undefined) this.tell(thing);
  }

  tell(thing: Thing): void {
    if (this.#mail.length >= MOST_WAITING) return;
    if (this.#parts.context.settings().notify.length === 0) return;
    this.#mail.push(thing);
    this.look();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    await this.#working;
  }

  async #tell(): Promise<void> {
    const { context, attention } = this.#parts;
    try {
      await this.#lookAgain();
      const standing = attention.list().flatMap((one) => thingOf(one) ?? []);
      const all = [...standing, ...this.#mail.splice(0)];
      const told = context.store.read.told(all.map(({ id }) => id));
      const things = all.filter(({ id }) => !told.includes(id));
      if (things.length === 0) return;
      // Recorded before it is shown: missing one notification is better than repeating it endlessly.
      await context.store.write((tx) =>
        tx.putTold(
          things.map(({ id }) => id),
          context.clock.now(),
        ),
      );
      this.#notBeforeMonotonic = context.clock.monotonic() + PAUSE_MS;
      await this.#show(things);
    } catch (cause) {
      context.log.error("person.untold", { cause: String(cause) });
    }
    // Mail that came meanwhile.
    if (!this.#isClosed && this.#mail.length > 0) context.clock.after(0, () => this.look());
  }

  /** A question that has been answered meanwhile need not be told. */
  async #lookAgain(): Promise<void> {
    const asking = this.#parts.directory.all().filter(({ asks }) => asks !== undefined);
    await Promise.all(asking.map((session) => session.glance()));
  }

  async #show(things: readonly Thing[]): Promise<void> {
    const { context, servers } = this.#parts;
    const { notify } = context.settings();
    const text = notificationOf(things);
    const except = this.#terminalOf(things);
    const there = async (server: TerminalServer): Promise<number> => {
      const outcome = await server.tell(text, {
        line: notify.includes("tmux"),
        bell: notify.includes("bell"),
        ...(except?.server === server.name ? { except: except.pane } : {}),
      });
      if (outcome.kind === "shown") return outcome.to;
      if (outcome.kind === "unknown") context.log.warn("person.untold", { server: server.name, ...outcome });
      return 0;
    };
    const inTerminals = notify.includes("tmux") || notify.includes("bell");
    const [shown] = await Promise.all([
      Promise.all(inTerminals ? servers().map(there) : []),
      notify.includes("desktop") ? this.#showOnDesktop(text) : undefined,
    ]);
    context.log.info("person.told", { things: things.length, to: shown.reduce((sum, one) => sum + one, 0) });
  }

  async #showOnDesktop(text: string): Promise<void> {
    const { context, desktop } = this.#parts;
    try {
      await desktop.notify(text);
      this.#trouble = undefined;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      if (this.#trouble === undefined) context.log.warn("desktop.untold", { cause: why });
      this.#trouble = why;
    }
  }

  /** The terminal that already shows a question is not told about it. */
  #terminalOf(things: readonly Thing[]) {
    const [only, other] = things;
    if (only?.session === undefined || other !== undefined) return undefined;
    return this.#parts.directory.get(only.session)?.identity;
  }
}
