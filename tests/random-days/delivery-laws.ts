/** The laws of messages on a random day: each is delivered once or marked, says why it waits, and gets a final state. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { Delivery } from "../../src/core/message.ts";
import type { SendResponse } from "../../src/wire/shapes/messages.ts";
import type { DeskAgent } from "../desk/agent.ts";
import type { Desk } from "../desk/desk.ts";

export class DeliveryLaws {
  readonly #desk: Desk;
  readonly #to: DeskAgent;
  readonly #sent: SendResponse[] = [];
  /** The positions of the person's own prompts among all prompts. */
  readonly #personal = new Set<number>();
  #died = false;

  constructor(desk: Desk, to: DeskAgent) {
    this.#desk = desk;
    this.#to = to;
  }

  sent(sent: SendResponse): void {
    this.#sent.push(sent);
  }

  /** Numbers choose among what exists when it happens. */
  one(at: number): SendResponse | undefined {
    return this.#sent[at % Math.max(1, this.#sent.length)];
  }

  /** The next prompt is a person's own. */
  personSends(): void {
    this.#personal.add(this.#to.program.submitted.length);
  }

  restarted(): void {
    this.#died = true;
  }

  /** How often it has reached its recipient. */
  copies(sent: SendResponse): number {
    return copiesIn([...this.#to.program.submitted, ...this.#desk.inbox.received], sent);
  }

  /** Law: a second copy only if it is marked, and no person's words inside our messages. */
  check(): void {
    const typed = this.#to.program.submitted.filter((_, at) => !this.#personal.has(at));
    for (const prompt of typed) {
      const mixed = /messages? from:/u.test(prompt) && /§\d+§/u.test(prompt);
      expect(mixed, `a person's words in ${JSON.stringify(prompt)}`).toBe(false);
    }
    for (const sent of this.#sent) {
      const copies = copiesIn([...typed, ...this.#desk.inbox.received], sent);
      if (copies > 1)
        expect(this.#desk.delivery(sent).possibleDuplicate, `#${sent.shortId} came ${copies} times`).toBe(
          true,
        );
    }
  }

  /** Law: a waiting message says why it waits. */
  checkHolds(): void {
    const desk = this.#desk;
    if (desk.disk.state === "full" || desk.crashed) return;
    const all = this.#sent.map((sent) => desk.delivery(sent));
    if (all.some(({ state }) => state === "delivering")) return;
    const silent = all.filter(({ state, hold }) => state === "queued" && hold === undefined);
    expect(silent.map(({ id }) => id)).toEqual([]);
  }

  /** What should be settled by now. A message may wait if a person withholds it, or if a person's draft is in the way. */
  open(): readonly Delivery[] {
    const unsettled = this.#sent
      .map((sent) => this.#desk.delivery(sent))
      .filter(({ state }) => ["queued", "delivering"].includes(state));
    return unsettled.filter(({ release, hold }) => release !== "withheld" && !isTheirs(hold?.release));
  }

  /** Law: every accepted message is settled; none is called delivered that did not arrive. */
  checkEnd(): void {
    expect(this.open().map(({ id, state, hold }) => ({ id, state, hold }))).toEqual([]);
    for (const sent of this.#sent) {
      const { state, atMostOnce } = this.#desk.delivery(sent);
      if (["delivered", "read", "replied"].includes(state))
        expect(this.copies(sent), `#${sent.shortId} is ${state}`).toBeGreaterThan(0);
      if (state === "failed") expect(atMostOnce && this.#died).toBe(true);
    }
  }
}

function copiesIn(prompts: readonly string[], { shortId }: SendResponse): number {
  return prompts.filter((prompt) => {
    const file = /^\[\d+ messages from: [^\]]*\] Read (\/\S+?\.md)/u.exec(prompt)?.[1];
    const text = file === undefined ? prompt : readFileSync(file, "utf8");
    return text.includes(`#${shortId}]`) || text.includes(`#${shortId}:`);
  }).length;
}

/** The guard holds because of a text that it cannot set aside: only the text's owner can release it. */
function isTheirs(release: string | undefined): boolean {
  return release?.startsWith("when the text in its composer is sent or removed (") ?? false;
}
