/** Random days at the desk: what people, programs, disks and crashes do, and the laws that hold on each of them. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect } from "vitest";
import type { Delivery } from "../../src/core/message.ts";
import { STEPS, type Step } from "../../src/office/steps.ts";
import type { GateOutcome } from "../../src/ports/terminal.ts";
import type { SendRequest, SendResponse } from "../../src/wire/shapes/messages.ts";
import { type Desk, type DeskAgent, deskWithoutEnd } from "../desk/desk.ts";
import type { DeskProgram } from "../desk/profiles.ts";
import { type Asked, TimeLaws, type When } from "./time-laws.ts";

export interface Cast {
  readonly program: Extract<DeskProgram, "plain" | "two-step" | "stashing" | "recalling">;
  readonly hooks: "told" | "none";
  readonly inbox: "offered" | "none";
}

export type Happening =
  | {
      readonly do: "send";
      readonly priority: string;
      readonly by: "person" | "agent";
      readonly atMostOnce: boolean;
      readonly asked: Asked;
    }
  | {
      readonly do: "remind";
      readonly by: "person" | "agent";
      readonly to: "self" | "coder";
      readonly when: When;
    }
  | { readonly do: "forget-reminder"; readonly at: number }
  | { readonly do: "set-clock" | "sleep"; readonly ms: number }
  /** The other agent ends, and is not told anything any more. */
  | { readonly do: "leave" }
  | { readonly do: "pass"; readonly ms: number }
  | {
      readonly do:
        | "type"
        | "erase"
        | "submit"
        | "work"
        | "rest"
        | "ask"
        | "answer"
        | "hide"
        | "show"
        | "mute"
        | "print";
    }
  | { readonly do: "gate"; readonly outcome: GateOutcome }
  | { readonly do: "lose-answer" | "pause" | "unpause" | "disk-full" | "disk-works" }
  | { readonly do: "change"; readonly change: "cancel" | "hold" | "now"; readonly at: number }
  | { readonly do: "restart" }
  | { readonly do: "die-at"; readonly step: Step };

export const casts: fc.Arbitrary<Cast> = fc.record({
  program: fc.constantFrom("plain", "two-step", "stashing", "recalling"),
  hooks: fc.constantFrom("told", "none"),
  inbox: fc.constantFrom("none", "offered"),
});

/** `calm`: nobody jumps the queue, so that no draft may be touched before it is stale. */
export function happenings(mood: "calm" | "wild"): fc.Arbitrary<readonly Happening[]> {
  const only = <T extends Happening["do"]>(...all: readonly T[]) =>
    fc.constantFrom(...all).map((one) => ({ do: one }));
  const send = fc.record({
    do: fc.constant("send" as const),
    priority: fc.constantFrom(
      ...["normal", "normal", "idle", "idle-first", ...(mood === "wild" ? ["interrupt"] : [])],
    ),
    by: fc.constantFrom("person", "agent"),
    atMostOnce: fc.boolean(),
    asked: fc.record(
      {
        timeoutMs: fc.constantFrom(0, 0, 0, 2_000, 20_000, 100_000),
        notifyOnDelivery: fc.boolean(),
        notifyAfterMs: fc.constantFrom(0, 20_000, 100_000),
      },
      { requiredKeys: ["timeoutMs", "notifyOnDelivery"] },
    ),
  });
  const remind = fc.record({
    do: fc.constant("remind" as const),
    by: fc.constantFrom("person", "agent"),
    to: fc.constantFrom("self", "coder"),
    when: fc.constantFrom<When>(
      { afterMs: 1_000 },
      { afterMs: 40_000 },
      { afterMs: 600_000 },
      { everyMs: 45_000 },
    ),
  });
  const clock = fc.oneof(
    fc.record({
      do: fc.constant("set-clock" as const),
      ms: fc.constantFrom(-172_800_000, -3_600_000, -5_000, 5_000, 3_600_000, 172_800_000),
    }),
    fc.record({ do: fc.constant("sleep" as const), ms: fc.constantFrom(20_000, 600_000, 32_400_000) }),
  );
  const pass = fc.record({
    do: fc.constant("pass" as const),
    ms: fc.constantFrom(50, 400, 1_500, 4_000, 12_000, 40_000, 125_000),
  });
  const gate = fc.record({
    do: fc.constant("gate" as const),
    outcome: fc.constantFrom<GateOutcome>(
      { kind: "refused", because: ["typing"] },
      { kind: "refused", because: ["cursor-moved"] },
      { kind: "unknown", cause: "no answer" },
    ),
  });
  const change = fc.record({
    do: fc.constant("change" as const),
    change: fc.constantFrom("cancel", "hold", ...(mood === "wild" ? (["now"] as const) : [])),
    at: fc.nat(5),
  });
  const forget = fc.record({ do: fc.constant("forget-reminder" as const), at: fc.nat(5) });
  const death = fc.record({ do: fc.constant("die-at" as const), step: fc.constantFrom(...STEPS) });
  return fc.array(
    fc.oneof(
      { weight: 5, arbitrary: send },
      { weight: 7, arbitrary: pass },
      { weight: 4, arbitrary: only("type", "type", "erase", "submit") },
      { weight: 4, arbitrary: only("work", "rest", "ask", "answer", "hide", "show", "mute", "print") },
      { weight: 2, arbitrary: gate },
      { weight: 2, arbitrary: only("lose-answer", "pause", "unpause", "disk-full", "disk-works") },
      { weight: 1, arbitrary: change },
      { weight: 2, arbitrary: remind },
      { weight: 2, arbitrary: clock },
      { weight: 1, arbitrary: fc.oneof(only("leave"), forget) },
      { weight: 2, arbitrary: only("restart") },
      { weight: 2, arbitrary: death },
    ) as fc.Arbitrary<Happening>,
    { minLength: 12, maxLength: 40, size: "max" },
  );
}

const STALE_MS = 120_000;
const A_LONG_TIME_MS = 100 * 86_400_000;

/** One day, from the first happening until everything that can come to rest has. */
export async function playDay(cast: Cast, day: readonly Happening[], mood: "calm" | "wild"): Promise<void> {
  const play = new Play(await deskWithoutEnd(), cast, mood);
  try {
    await play.begin();
    for (const happening of day) await play.let(happening);
    await play.rest();
  } finally {
    await play.desk.close();
  }
}

class Play {
  readonly desk: Desk;
  readonly #cast: Cast;
  readonly #mood: "calm" | "wild";
  readonly #coder: DeskAgent;
  readonly #tester: DeskAgent;
  readonly #sent: SendResponse[] = [];
  readonly #time: TimeLaws;
  /** Everything a person typed and neither sent nor erased, word by word. */
  readonly #owed = new Set<string>();
  /** Prompts that the person sent, by their place among all. */
  readonly #personal = new Set<number>();
  #typedAt = Number.NEGATIVE_INFINITY;
  #words = 0;
  #texts = 0;
  #died = false;

  constructor(desk: Desk, cast: Cast, mood: "calm" | "wild") {
    this.desk = desk;
    this.#cast = cast;
    this.#mood = mood;
    this.#coder = desk.agent("coder", { program: cast.program });
    this.#tester = desk.agent("tester");
    this.#time = new TimeLaws(desk);
    if (cast.inbox === "offered") desk.inbox.offer = { kind: "offered" };
    this.#watchKeys();
  }

  async begin(): Promise<void> {
    await this.desk.ready();
    if (this.#cast.hooks === "none") return;
    await this.desk.hooked(this.#coder);
    this.desk.inbox.onReceived = (prompt) =>
      this.desk.tell(this.#coder, { turn: "prompt-submitted", prompt });
  }

  /** Law: no key goes in over a person's words that are not stale. */
  #watchKeys(): void {
    const { program } = this.#coder;
    const take = program.terminal.onTyped;
    program.terminal.onTyped = (strokes) => {
      const young = this.desk.clock.elapsed() - this.#typedAt < STALE_MS;
      const theirs = [...this.#owed].some((word) => program.draft.includes(word));
      const ours = program.draft.includes("[message from:") || program.draft.includes(" messages from:");
      if (this.#mood === "calm" && young && theirs && !ours) {
        throw new Error(`keys went in over a young draft: ${JSON.stringify(program.draft)}`);
      }
      take(strokes);
    };
  }

  async let(happening: Happening): Promise<void> {
    const { desk } = this;
    if (desk.crashed) await this.#startAgain();
    try {
      await this.#happen(happening);
    } catch (error) {
      // The daemon died under the one who asked.
      if (!desk.crashed) throw error;
    }
    await desk.advance(1);
    this.#checkCopies();
    this.#time.check((sent) => this.#copies(sent, this.#taken()));
  }

  async #happen(happening: Happening): Promise<void> {
    const { desk } = this;
    const { program } = this.#coder;
    switch (happening.do) {
      case "send":
        return this.#send(happening);
      case "remind":
        return this.#remind(happening);
      case "forget-reminder":
        return this.#time.cancel(happening.at);
      case "set-clock":
        // A text that stands there and a person's last key are judged by the wall clock: not what these days are about.
        if (program.draft !== "" || program.stash !== undefined) return;
        this.#time.clockWasSet();
        desk.clock.setWallClock(happening.ms);
        program.terminal.personTyped();
        return;
      case "sleep":
        desk.clock.sleeps(happening.ms);
        return;
      case "leave":
        if (this.#tester.process === "gone") return;
        this.#time.agentLeft();
        desk.ends(this.#tester);
        await desk.done(desk.use.ls({})).catch(() => {});
        return;
      case "pass":
        await desk.advance(happening.ms);
        if (happening.ms >= 40_000) this.#checkHolds();
        return;
      case "type": {
        if (program.dialog !== undefined || program.composer === "hidden") return;
        this.#words += 1;
        const word = `§${this.#words}§`;
        this.#owed.add(word);
        this.#typedAt = desk.clock.elapsed();
        program.types(word);
        return;
      }
      case "erase":
        this.#forgive(program.draft);
        program.erases();
        return;
      case "submit":
        if (program.dialog !== undefined || program.composer === "hidden" || program.draft === "") return;
        this.#forgive(program.draft);
        this.#personal.add(program.submitted.length);
        program.sends();
        return;
      case "work":
        program.becomes({ busy: true });
        if (this.#cast.hooks === "told") desk.tell(this.#coder, { turn: "prompt-submitted", prompt: "work" });
        return;
      case "rest":
        program.becomes({ busy: false });
        if (this.#cast.hooks === "told") desk.tell(this.#coder, { turn: "turn-ended" });
        return;
      case "ask":
        program.becomes({ dialog: "Allow this?" });
        if (this.#cast.hooks === "told") desk.tell(this.#coder, { turn: "permission-asked" });
        return;
      case "answer":
        program.answersDialog();
        return;
      case "hide":
        program.becomes({ composer: "hidden" });
        return;
      case "show":
        program.becomes({ composer: "shown" });
        return;
      case "mute":
        program.echoes = program.echoes === "yes" ? "otherwise" : "yes";
        return;
      case "print":
        program.prints("output");
        return;
      case "gate":
        program.terminal.answerGate(happening.outcome);
        return;
      case "lose-answer":
        this.#coder.answer = "lost";
        await desk.advance(3_000);
        this.#coder.answer = "told";
        return;
      case "pause":
      case "unpause":
        await desk.done(desk.use.pause({ who: "coder", paused: happening.do === "pause" })).catch(() => {});
        return;
      case "disk-full":
        desk.disk.state = "full";
        return;
      case "disk-works":
        desk.disk.state = "works";
        return;
      case "change": {
        const one = this.#sent[happening.at % Math.max(1, this.#sent.length)];
        if (one === undefined) return;
        await desk
          .done(desk.use.queue_change({ id: one.messageId, change: happening.change }))
          .catch(() => {});
        return;
      }
      case "restart":
        desk.crash();
        return this.#startAgain();
      case "die-at":
        desk.crashAt(happening.step);
        return;
    }
  }

  async #send({ priority, by, atMostOnce, asked }: Extract<Happening, { do: "send" }>): Promise<void> {
    const { desk } = this;
    this.#texts += 1;
    const body = `message ${this.#texts}`;
    const claims = this.#claims(by);
    const sent = await this.#unlessRefused(
      desk.send("coder", body, { priority, atMostOnce, ...asked, claims }),
    );
    if (sent === undefined) return;
    this.#sent.push(sent);
    this.#time.sent(sent, body, asked, claims.tmux === undefined ? "person" : "agent");
  }

  async #remind({ by, to, when }: Extract<Happening, { do: "remind" }>): Promise<void> {
    const { desk } = this;
    this.#texts += 1;
    const text = `reminder ${this.#texts}`;
    const request = { text, ...when, ...(to === "self" ? {} : { to }), claims: this.#claims(by) };
    const shown = await this.#unlessRefused(desk.done(desk.use.remind(request)));
    if (shown !== undefined) this.#time.reminded(shown, when);
  }

  #claims(by: "person" | "agent"): SendRequest["claims"] {
    const { server, pane } = this.#tester.sighting.identity;
    const inside = by === "agent" && this.#tester.process === "alive";
    return { user: "dev", ...(inside ? { tmux: { socket: server, pane } } : {}) };
  }

  async #unlessRefused<T>(asked: Promise<T>): Promise<T | undefined> {
    return asked.catch((error: unknown) => {
      if (this.desk.disk.state === "works" && !this.desk.crashed) throw error;
      return undefined;
    });
  }

  async #startAgain(): Promise<void> {
    this.#died = true;
    this.#time.restarted();
    this.desk.disk.state = "works";
    await this.desk.open();
  }

  /** Gone by the person's own hand. */
  #forgive(text: string): void {
    for (const word of this.#owed) if (text.includes(word)) this.#owed.delete(word);
  }

  /** Law: twice only where it is marked; and a person's words in no message of ours. */
  #checkCopies(): void {
    const { submitted } = this.#coder.program;
    const typed = submitted.filter((_, at) => !this.#personal.has(at));
    for (const prompt of typed) {
      const mixed = /messages? from:/u.test(prompt) && /§\d+§/u.test(prompt);
      expect(mixed, `a person's words in ${JSON.stringify(prompt)}`).toBe(false);
    }
    for (const sent of this.#sent) {
      const copies = this.#copies(sent, [...typed, ...this.desk.inbox.received]);
      if (copies > 1)
        expect(this.desk.delivery(sent).possibleDuplicate, `#${sent.shortId} came ${copies} times`).toBe(
          true,
        );
    }
  }

  /** All that ever reached the one who is written to. */
  #taken(): readonly string[] {
    return [...this.#coder.program.submitted, ...this.desk.inbox.received];
  }

  #copies(sent: SendResponse, prompts: readonly string[]): number {
    return prompts.filter((prompt) => {
      const file = /^\[\d+ messages from: [^\]]*\] Read (\/\S+?\.md)/u.exec(prompt)?.[1];
      return (file === undefined ? prompt : readFileSync(file, "utf8")).includes(`#${sent.shortId}]`);
    }).length;
  }

  /** Law: what waits says why. */
  #checkHolds(): void {
    const { desk } = this;
    if (desk.disk.state === "full" || desk.crashed) return;
    const all = this.#sent.map((sent) => desk.delivery(sent));
    if (all.some(({ state }) => state === "delivering")) return;
    const silent = all.filter(({ state, hold }) => state === "queued" && hold === undefined);
    expect(silent.map(({ id }) => id)).toEqual([]);
  }

  /** Law: everything accepted comes to an end; nothing is called delivered that did not arrive; no word is lost. */
  async rest(): Promise<void> {
    const { desk } = this;
    const { program } = this.#coder;
    if (desk.crashed) await this.#startAgain();
    // A death that was planned and never met must not come now.
    desk.crashAt(undefined);
    desk.disk.state = "works";
    program.becomes({ busy: false, dialog: undefined as never, composer: "shown" });
    if (this.#cast.hooks === "told") desk.tell(this.#coder, { turn: "turn-ended" });
    await desk.done(desk.use.pause({ who: "coder", paused: false }));
    await this.#time.endRepetitions();
    for (let round = 0; round < 40 && (this.#open().length > 0 || this.#time.isOpen); round += 1) {
      await desk.advance(60_000);
      if (this.#cast.hooks === "told") desk.tell(this.#coder, { turn: "turn-ended" });
    }
    if (this.#time.isOpen) {
      // Set back and started anew, a daemon has only the wall clock to go by: late, but not never.
      desk.clock.sleeps(A_LONG_TIME_MS);
      await desk.advance(120_000);
    }
    await desk.advance(60_000);
    this.#checkCopies();
    expect(this.#open().map(({ id, state, hold }) => ({ id, state, hold }))).toEqual([]);
    for (const sent of this.#sent) this.#checkEnd(sent, desk.delivery(sent));
    this.#time.check((sent) => this.#copies(sent, this.#taken()));
    this.#time.checkEnd();
    this.#checkWords();
  }

  /** What should have come to an end; what a person keeps back, or has a draft of their own before, may wait. */
  #open(): readonly Delivery[] {
    const unsettled = this.#sent
      .map((sent) => this.desk.delivery(sent))
      .filter(({ state }) => ["queued", "delivering"].includes(state));
    return unsettled.filter(({ release, hold }) => release !== "withheld" && !isTheirs(hold?.release));
  }

  #checkEnd(sent: SendResponse, { state, atMostOnce }: Delivery): void {
    const copies = this.#copies(sent, this.#taken());
    if (["delivered", "read", "replied"].includes(state))
      expect(copies, `#${sent.shortId} is ${state}`).toBeGreaterThan(0);
    if (state === "failed") expect(atMostOnce && this.#died).toBe(true);
  }

  #checkWords(): void {
    const { draft, stash } = this.#coder.program;
    const kept = this.desk.drafts().filter(({ state }) => state !== "restored");
    const places = [draft, stash ?? "", ...kept.map(({ text }) => text)];
    const lost = [...this.#owed].filter((word) => !places.some((place) => place.includes(word)));
    expect(lost, "words of a person that stand nowhere").toEqual([]);
  }
}

/** The guard holds for a text it cannot set aside: only its owner can release it. */
function isTheirs(release: string | undefined): boolean {
  return release?.startsWith("when the text in its composer is sent or removed (") ?? false;
}
