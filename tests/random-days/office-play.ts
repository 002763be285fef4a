/** Plays one random day at the desk; checks the laws of messages, drafts and time during the day and at its end. */
import type { SendRequest } from "../../src/wire/verbs/messages.ts";
import type { DeskAgent } from "../desk/agent.ts";
import { type Desk, deskWithoutEnd } from "../desk/desk.ts";
import { DeliveryLaws } from "./delivery-laws.ts";
import { DraftLaws } from "./draft-laws.ts";
import type { Cast, Happening, Mood } from "./office-days.ts";
import { TimeLaws } from "./time-laws.ts";

const A_LONG_TIME_MS = 100 * 86_400_000;

/** One day, from the first event until everything that can settle has settled. */
export async function playDay(cast: Cast, day: readonly Happening[], mood: Mood): Promise<void> {
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
  readonly #coder: DeskAgent;
  readonly #tester: DeskAgent;
  readonly #deliveries: DeliveryLaws;
  readonly #drafts: DraftLaws;
  readonly #time: TimeLaws;
  #texts = 0;

  constructor(desk: Desk, cast: Cast, mood: Mood) {
    this.desk = desk;
    this.#cast = cast;
    this.#coder = desk.agent("coder", { program: cast.program });
    this.#tester = desk.agent("tester");
    this.#deliveries = new DeliveryLaws(desk, this.#coder);
    this.#drafts = new DraftLaws(desk, this.#coder, mood);
    this.#time = new TimeLaws(desk);
    if (cast.inbox === "offered") desk.inbox.offer = { kind: "offered" };
  }

  async begin(): Promise<void> {
    await this.desk.ready();
    if (this.#cast.hooks === "none") return;
    await this.desk.hooked(this.#coder);
    this.desk.inbox.onReceived = (prompt) =>
      this.desk.tell(this.#coder, { turn: "prompt-submitted", prompt });
  }

  async let(happening: Happening): Promise<void> {
    const { desk } = this;
    if (desk.crashed) await this.#startAgain();
    try {
      await this.#happen(happening);
    } catch (error) {
      // The daemon died before it answered.
      if (!desk.crashed) throw error;
    }
    await desk.advance(1);
    this.#deliveries.check();
    this.#drafts.check();
    this.#time.check((sent) => this.#deliveries.copies(sent));
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
        // The age of a draft and of a person's last key is measured by the wall clock, which these days do not test.
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
        if (happening.ms >= 40_000) this.#deliveries.checkHolds();
        return;
      case "type":
        if (program.dialog === undefined && program.composer !== "hidden") this.#drafts.types();
        return;
      case "erase":
        this.#drafts.forgive(program.draft);
        program.erases();
        return;
      case "submit":
        if (program.dialog !== undefined || program.composer === "hidden" || program.draft === "") return;
        this.#drafts.forgive(program.draft);
        this.#deliveries.personSends();
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
        const one = this.#deliveries.one(happening.at);
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
    this.#deliveries.sent(sent);
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
    this.#deliveries.restarted();
    this.#time.restarted();
    this.desk.disk.state = "works";
    await this.desk.open();
  }

  /** Nothing is in the way any more: everything that can settle does, and the final laws are checked. */
  async rest(): Promise<void> {
    const { desk } = this;
    const { program } = this.#coder;
    if (desk.crashed) await this.#startAgain();
    // A planned crash that was never reached must not happen now.
    desk.crashAt(undefined);
    desk.disk.state = "works";
    program.becomes({ busy: false, dialog: undefined as never, composer: "shown" });
    if (this.#cast.hooks === "told") desk.tell(this.#coder, { turn: "turn-ended" });
    await desk.done(desk.use.pause({ who: "coder", paused: false }));
    await this.#time.endRepetitions();
    for (let round = 0; round < 40 && (this.#deliveries.open().length > 0 || this.#time.isOpen); round += 1) {
      await desk.advance(60_000);
      if (this.#cast.hooks === "told") desk.tell(this.#coder, { turn: "turn-ended" });
    }
    if (this.#time.isOpen) {
      // After a clock that was set back and a restart, a daemon knows only the wall clock: late, but not never.
      desk.clock.sleeps(A_LONG_TIME_MS);
      await desk.advance(120_000);
    }
    await desk.advance(60_000);
    this.#deliveries.check();
    this.#drafts.check();
    this.#deliveries.checkEnd();
    this.#time.check((sent) => this.#deliveries.copies(sent));
    this.#time.checkEnd();
    this.#drafts.checkEnd();
  }
}
