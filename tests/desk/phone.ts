/** A bridge with one person on it, whose platform is in memory. */
import { present } from "../../src/core/present.ts";
import type {
  Arrival,
  Bridge,
  BridgeName,
  Button,
  OutsideInbox,
  Saying,
  SayingContext,
  SayingOutcome,
  Taken,
} from "../../src/ports/bridge.ts";
import type { Desk } from "./desk.ts";

export const CHAT = "telegram/42";

export class Phone {
  /** What the person was told, in order. */
  readonly heard: {
    readonly id: string;
    readonly text: string;
    readonly answers?: string;
    readonly buttons?: readonly Button[];
  }[] = [];
  /** `lost`: it is told, and then the bridge fails. */
  answer: SayingOutcome | "down" | "lost" = { kind: "said" };
  /** Whether what Bellhop says there comes back. */
  echoes = false;
  bridge: BridgeName = "telegram";
  owner = "42";
  allowed: readonly string[] = [];
  #inbox: OutsideInbox | undefined;
  #number = 0;
  readonly #desk: Desk;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  async connect(): Promise<void> {
    await this.#desk.done(
      this.#desk.office.openBridge(this.#bridge(), {
        isOwner: ({ from }) => from === this.owner,
        isAllowed: ({ from }) => this.allowed.includes(from),
      }),
    );
  }

  texts(): readonly string[] {
    return this.heard.map(({ text }) => text);
  }

  async writes(text: string, more: Partial<Arrival> = {}): Promise<Taken> {
    this.#number += 1;
    const arrival = { externalId: `u${this.#number}`, path: CHAT, from: "42", text, ...more };
    if (this.#inbox === undefined) throw new Error("the phone is not connected");
    return this.#desk.done(this.#inbox.take(arrival, { offset: String(this.#number) }));
  }

  /** Presses a button under what was heard last, or an earlier one. */
  async presses(label: string, nth = -1): Promise<Taken> {
    const { id, buttons } = this.heard.at(nth) ?? {};
    const nonce = buttons?.find((one) => one.label === label)?.nonce;
    if (id === undefined || nonce === undefined) throw new Error(`there is no button ${label}`);
    return this.writes(label, { button: nonce, answers: [id] });
  }

  kept(key: string): string | undefined {
    return this.#inbox?.kept(key);
  }

  #bridge(): Bridge {
    return {
      name: this.bridge,
      reaches: (path) => path.startsWith(`${this.bridge}/`),
      open: async (inbox) => {
        this.#inbox = inbox;
      },
      say: (saying, context) => this.#say(saying, context),
      health: () =>
        this.answer === "down"
          ? { state: "down", since: 0, error: "no route" }
          : { state: "connected", since: 0 },
      close: async () => {},
    };
  }

  async #say(saying: Saying, { saying: noting, said }: SayingContext): Promise<SayingOutcome> {
    if (this.answer === "down") return { kind: "outage", why: "no route" };
    if (this.answer !== "lost" && this.answer.kind !== "said") return this.answer;
    const id = `b${this.heard.length + 1}`;
    const { text, answers, buttons, perhapsSaid } = saying;
    const shown = perhapsSaid ? `(perhaps a repeat) ${text}` : text;
    if (this.echoes) await noting(shown);
    this.heard.push({ id, text: shown, ...present({ answers, buttons }) });
    if (this.answer === "lost") throw new Error("something broke");
    await said(id);
    return this.answer;
  }
}

export async function connectedPhone(desk: Desk): Promise<Phone> {
  const phone = new Phone(desk);
  const { settings } = desk;
  desk.settings = { ...settings, desk: { ...settings.desk, allow: () => [phone.owner] } };
  await phone.connect();
  return phone;
}
